/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loop distribution. B: an innermost band of several statements, some of which, G, run in one iteration of its last member
 * for each iteration of the loops around. R: the others.
 *
 *   B(p, t) - X   ->   B(p) - sequence - { G } - B(t) - X
 *                                      - { R } - B(t) - X
 *
 * where nothing in G needs what R does in the same iteration of p. What was a condition in the loop is in front of it, and
 * no dependence of G's is left in the loop, which may be one for vectors now. */
#include "tree/tree.h"
#include <isl/val.h>

struct distribution {
  isl_union_map *deps;
  bool found;
};

/* Has the last of the rows TIME { S[i] -> [p, t] } one value for each p? */
static bool is_fixed(isl_map *time)
{
  isl_set *points = isl_map_range(time);
  isl_aff *plane = tsr_points_plane(points);
  isl_set_free(points);
  isl_aff_free(plane);
  return plane != NULL;
}

struct fixed {
  isl_union_map *time;
  isl_union_set *fixed, *others;
};

static isl_stat add_statement(isl_set *set, void *user)
{
  struct fixed *fixed = user;
  isl_union_set *mine = isl_union_set_from_set(set);
  isl_union_map *time = isl_union_map_intersect_domain(isl_union_map_copy(fixed->time), isl_union_set_copy(mine));
  isl_bool empty = isl_union_map_is_empty(time);
  bool is = empty == isl_bool_false && is_fixed(isl_map_from_union_map(isl_union_map_copy(time)));
  isl_union_map_free(time);
  if (is)
    fixed->fixed = isl_union_set_union(fixed->fixed, mine);
  else
    fixed->others = isl_union_set_union(fixed->others, mine);
  return empty < 0 ? isl_stat_error : isl_stat_ok;
}

/* Is there no pair of DEPS from FROM to TO that the loops around NODE leave in one iteration? */
static bool is_free(isl_schedule_node *node, isl_union_map *deps, isl_union_set *from, isl_union_set *to)
{
  isl_union_map *open = tsr_node_open_dependences(node, deps);
  open = isl_union_map_intersect_domain(open, isl_union_set_copy(from));
  open = isl_union_map_intersect_range(open, isl_union_set_copy(to));
  isl_bool none = isl_union_map_is_empty(open);
  isl_union_map_free(open);
  return none == isl_bool_true;
}

/* Distribute the loop of the band of one member at NODE. The result stands at NODE's place. */
static isl_schedule_node *distribute_loop(isl_schedule_node *node, struct distribution *all, bool *changed)
{
  isl_schedule_node *below = isl_schedule_node_first_child(isl_schedule_node_copy(node));
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  struct fixed fixed = {.time = isl_schedule_node_get_prefix_schedule_relation(below),
                        .fixed = isl_union_set_empty(isl_union_set_get_space(domain)),
                        .others = isl_union_set_empty(isl_union_set_get_space(domain))};
  isl_stat ok = isl_union_set_foreach_set(domain, add_statement, &fixed);
  *changed = ok == isl_stat_ok && isl_union_set_is_empty(fixed.fixed) == isl_bool_false &&
             isl_union_set_is_empty(fixed.others) == isl_bool_false && is_free(node, all->deps, fixed.others, fixed.fixed);
  if (*changed) {
    isl_union_set_list *filters = isl_union_set_list_from_union_set(isl_union_set_copy(fixed.fixed));
    filters = isl_union_set_list_add(filters, isl_union_set_copy(fixed.others));
    node = isl_schedule_node_insert_sequence(node, filters);
    all->found = true;
  }
  isl_union_map_free(fixed.time);
  isl_union_set_free(fixed.fixed);
  isl_union_set_free(fixed.others);
  isl_union_set_free(domain);
  isl_schedule_node_free(below);
  return node;
}

static isl_schedule_node *visit(isl_schedule_node *node, void *user)
{
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band || tsr_node_has_band_below(node) != isl_bool_false)
    return node;
  isl_size n = isl_schedule_node_band_n_member(node);
  bool changed = false;
  isl_schedule_node *last = isl_schedule_node_copy(node);
  if (n > 1)
    last = isl_schedule_node_child(isl_schedule_node_band_split(last, n - 1), 0);
  last = distribute_loop(last, user, &changed);
  if (!changed) {
    isl_schedule_node_free(last);
    return node;
  }
  isl_schedule_node_free(node);
  return n > 1 ? isl_schedule_node_parent(last) : last;
}

/* requires: SCHEDULE is legal by DEPS.  guarantees: it is as legal.  on failure: NULL. */
isl_schedule *tsr_tree_distribute(isl_schedule *schedule, struct tsr_deps *deps)
{
  struct distribution all = {.deps = isl_union_map_union(isl_union_map_copy(deps->flow), isl_union_map_copy(deps->anti))};
  all.deps = isl_union_map_union(all.deps, isl_union_map_copy(deps->output));
  all.deps = isl_union_map_union(all.deps, isl_union_map_copy(deps->scalar));
  isl_schedule_node *root = isl_schedule_get_root(schedule);
  isl_schedule_free(schedule);
  root = isl_schedule_node_map_descendant_bottom_up(root, visit, &all);
  schedule = isl_schedule_node_get_schedule(root);
  isl_schedule_node_free(root);
  isl_union_map_free(all.deps);
  return schedule;
}
