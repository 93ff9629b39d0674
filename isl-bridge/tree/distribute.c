/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loop distribution. B: an innermost band of several statements, some of which, G, run in one iteration of one of its
 * members, t, for each iteration of the loops around. R: the others.
 *
 *   B(p, t, q) - X   ->   B(p) - sequence - { G } - B(t) - B(q) - X
 *                                         - { R } - B(t) - B(q) - X
 *
 * where nothing in G needs what R does in the same iteration of p. What was a condition in the loop is in front of it, and
 * no dependence of G's is left in the loop, which may be one for vectors now. The same is done to B(q) then. */
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

static isl_schedule_node *distribute_band(isl_schedule_node *node, struct distribution *all);

/* What is left of a band below the member at NODE, if there are MORE members, is distributed, too. */
static isl_schedule_node *distribute_below(isl_schedule_node *node, struct distribution *all, bool more)
{
  if (!more)
    return node;
  return isl_schedule_node_parent(distribute_band(isl_schedule_node_child(node, 0), all));
}

/* The band at NODE, distributed at its member M, and further in. The result stands at NODE's place; NULL: it can't be. */
static isl_schedule_node *distribute_member(isl_schedule_node *band, struct distribution *all, int m)
{
  isl_size n = isl_schedule_node_band_n_member(band);
  bool changed = false, more = m < n - 1;
  isl_schedule_node *node = isl_schedule_node_copy(band);
  if (m > 0)
    node = isl_schedule_node_child(isl_schedule_node_band_split(node, m), 0);
  if (more)
    node = isl_schedule_node_band_split(node, 1);
  node = distribute_loop(node, all, &changed);
  if (!changed)
    return isl_schedule_node_free(node);
  for (int i = 0; i < 2; i++) {
    node = distribute_below(isl_schedule_node_grandchild(node, i, 0), all, more);
    node = isl_schedule_node_ancestor(node, 2);
  }
  return m > 0 ? isl_schedule_node_parent(node) : node;
}

/* The innermost band at NODE, distributed at its outermost member that allows it. The result stands at NODE's place. */
static isl_schedule_node *distribute_band(isl_schedule_node *node, struct distribution *all)
{
  isl_size n = isl_schedule_node_band_n_member(node);
  isl_schedule_node *changed = NULL;
  for (int m = 0; m < n && !changed; m++)
    changed = distribute_member(node, all, m);
  if (!changed)
    return node;
  isl_schedule_node_free(node);
  return changed;
}

static isl_schedule_node *visit(isl_schedule_node *node, void *user)
{
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band || tsr_node_has_band_below(node) != isl_bool_false)
    return node;
  return distribute_band(node, user);
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
