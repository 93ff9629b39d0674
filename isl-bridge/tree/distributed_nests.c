/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loop distribution of nests that aren't perfect: what is one behind the other in loops has these for itself, as far out as
 * dependences allow (Kennedy and McKinley, Loop distribution with arbitrary control flow, 1990, without that).
 *
 *   B(r) - B(i, j) - sequence - S         ->   B(r) - sequence - B(i, j) - S
 *                             - B(k) - T                       - B(i, j, k) - T
 *
 * Loops that are directly in one another then become one band where they may change places: what a sum needs for register
 * tiles. A tree with its own bands is what sees it all: which nests stay together for other reasons, the estimate finds. */
#include "tree/rows/rows.h"
#include <isl/map.h>

/* What is distributed. */
struct nests {
  isl_union_map *deps;
  bool found;
};

/* Is no pair of OPEN from LATER to EARLIER? */
static bool is_ordered(isl_union_map *open, isl_union_set *later, isl_union_set *earlier)
{
  isl_union_map *back = isl_union_map_intersect_domain(isl_union_map_copy(open), isl_union_set_copy(later));
  back = isl_union_map_intersect_range(back, isl_union_set_copy(earlier));
  isl_bool none = isl_union_map_is_empty(back);
  isl_union_map_free(back);
  return none == isl_bool_true;
}

/* What the children of the sequence below the band LOOPS run, those together that must be. */
static isl_union_set_list *find_groups(isl_schedule_node *loops, struct nests *nests)
{
  isl_schedule_node *sequence = isl_schedule_node_get_child(loops, 0);
  isl_size n = isl_schedule_node_n_children(sequence);
  isl_union_map *open = tsr_node_open_dependences(loops, nests->deps);
  isl_union_set *later = isl_schedule_node_get_domain(loops);
  isl_union_set *group = isl_union_set_empty(isl_union_set_get_space(later)), *earlier = isl_union_set_copy(group);
  isl_union_set_list *groups = isl_union_set_list_alloc(isl_schedule_node_get_ctx(loops), n);
  for (int i = 0; i < n; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(sequence, i);
    isl_union_set *own = isl_schedule_node_filter_get_filter(child);
    isl_schedule_node_free(child);
    later = isl_union_set_subtract(later, isl_union_set_copy(own));
    earlier = isl_union_set_union(earlier, isl_union_set_copy(own));
    group = isl_union_set_union(group, own);
    if (i == n - 1 || is_ordered(open, later, earlier)) {
      groups = isl_union_set_list_add(groups, group);
      group = isl_union_set_empty(isl_union_set_get_space(later));
    }
  }
  isl_union_set_free(group);
  isl_union_set_free(earlier);
  isl_union_set_free(later);
  isl_union_map_free(open);
  isl_schedule_node_free(sequence);
  return groups;
}

/* The band BAND with its members from M on distributed; NULL: they must stay together. The result stands at BAND's place. */
static isl_schedule_node *distribute_from(isl_schedule_node *band, struct nests *nests, int m)
{
  isl_schedule_node *node = isl_schedule_node_copy(band);
  if (m > 0)
    node = isl_schedule_node_child(isl_schedule_node_band_split(node, m), 0);
  isl_union_set_list *groups = find_groups(node, nests);
  if (isl_union_set_list_n_union_set(groups) < 2) {
    isl_union_set_list_free(groups);
    return isl_schedule_node_free(node);
  }
  node = isl_schedule_node_insert_sequence(node, groups);
  nests->found = true;
  return m > 0 ? isl_schedule_node_parent(node) : node;
}

/* The band at NODE, if a sequence is below it, distributed at its outermost member that allows it. */
static isl_schedule_node *visit(isl_schedule_node *node, void *user)
{
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
    return node;
  isl_schedule_node *below = isl_schedule_node_get_child(node, 0), *changed = NULL;
  bool sequence = isl_schedule_node_get_type(below) == isl_schedule_node_sequence;
  isl_schedule_node_free(below);
  for (int m = 0; sequence && m < isl_schedule_node_band_n_member(node) && !changed; m++)
    changed = distribute_from(node, user, m);
  if (!changed)
    return node;
  isl_schedule_node_free(node);
  return changed;
}

/* The band at NODE as bands of one member. */
static isl_schedule_node *take_apart(isl_schedule_node *node, void *user)
{
  (void)user;
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
    return node;
  for (int m = isl_schedule_node_band_n_member(node) - 1; m > 0; m--)
    node = isl_schedule_node_band_split(node, m);
  return node;
}

/* requires: SCHEDULE is legal by DEPS.  guarantees: it is as legal.  on failure: NULL, also where nothing can be done. */
isl_schedule *tsr_tree_distribute_nests(isl_schedule *schedule, struct tsr_scop *scop, struct tsr_deps *deps)
{
  struct nests nests = {.deps = isl_union_map_union(isl_union_map_copy(deps->flow), isl_union_map_copy(deps->anti))};
  nests.deps = isl_union_map_union(nests.deps, isl_union_map_copy(deps->output));
  nests.deps = isl_union_map_union(nests.deps, isl_union_map_copy(deps->scalar));
  schedule = isl_schedule_map_schedule_node_bottom_up(schedule, visit, &nests);
  isl_union_map_free(nests.deps);
  if (!nests.found)
    return isl_schedule_free(schedule);
  isl_schedule *whole = schedule ? tsr_tree_copy(schedule, NULL, NULL) : NULL; /* without sequences of one child */
  isl_schedule_free(schedule);
  whole = isl_schedule_map_schedule_node_bottom_up(whole, take_apart, NULL);
  return whole ? tsr_schedule_flag(whole, scop, deps, true) : NULL;
}
