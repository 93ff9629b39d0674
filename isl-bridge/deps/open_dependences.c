/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The dependences that a band may violate, and those that a member of it carries. */
#include "deps/deps.h"

isl_bool tsr_member_is_monotone(isl_union_map *open, isl_multi_union_pw_aff *member)
{
  isl_union_map *back = tsr_pairs_after(isl_union_map_copy(open), isl_multi_union_pw_aff_copy(member));
  isl_bool none = isl_union_map_is_empty(back);
  isl_union_map_free(back);
  return none;
}

isl_bool tsr_member_is_coincident(isl_union_map *open, isl_multi_union_pw_aff *member)
{
  isl_union_map *ahead = tsr_pairs_before(isl_union_map_copy(open), isl_multi_union_pw_aff_copy(member));
  isl_bool none = isl_union_map_is_empty(ahead);
  isl_union_map_free(ahead);
  return isl_bool_ok(none == isl_bool_true && tsr_member_is_monotone(open, member) == isl_bool_true);
}

isl_union_map *tsr_node_open_dependences(isl_schedule_node *node, isl_union_map *deps)
{
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  isl_union_map *open = isl_union_map_intersect_domain(isl_union_map_copy(deps), isl_union_set_copy(domain));
  open = isl_union_map_intersect_range(open, domain);
  isl_multi_union_pw_aff *prefix = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(node);
  if (isl_multi_union_pw_aff_size(prefix) == 0) {
    isl_multi_union_pw_aff_free(prefix);
    return open;
  }
  return tsr_pairs_at_once(open, prefix);
}

isl_union_map *tsr_node_open_deps(isl_schedule_node *node, struct tsr_deps *deps)
{
  isl_union_map *all = isl_union_map_union(isl_union_map_copy(deps->flow), isl_union_map_copy(deps->anti));
  all = isl_union_map_union(all, isl_union_map_copy(deps->output));
  all = isl_union_map_union(all, isl_union_map_copy(deps->scalar));
  isl_union_map *open = tsr_node_open_dependences(node, all);
  isl_union_map_free(all);
  return open;
}
