/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When the instances of one statement run: the members of all bands around a leaf, as functions of its iterators. */
#include "access/access.h"
#include <isl/space.h>

static isl_stat take_aff(isl_set *domain, isl_aff *aff, void *user)
{
  isl_set_free(domain);
  *(isl_aff **)user = aff;
  return isl_stat_ok;
}

/* The function of the statement at SPACE in MEMBER, where it has one piece; else NULL. */
static isl_aff *member_aff(isl_union_pw_aff *member, isl_space *space)
{
  isl_aff *aff = NULL;
  isl_space *function = isl_space_add_dims(isl_space_from_domain(isl_space_copy(space)), isl_dim_out, 1);
  isl_pw_aff *pieces = isl_union_pw_aff_extract_pw_aff(member, function);
  if (isl_pw_aff_n_piece(pieces) == 1)
    isl_pw_aff_foreach_piece(pieces, take_aff, &aff);
  isl_pw_aff_free(pieces);
  return isl_aff_align_params(aff, isl_space_copy(space));
}

isl_multi_aff *tsr_prefix_time(isl_multi_union_pw_aff *prefix, isl_space *space)
{
  isl_size n = isl_multi_union_pw_aff_size(prefix);
  isl_aff_list *list = isl_aff_list_alloc(isl_space_get_ctx(space), n > 0 ? n : 0);
  isl_space *range = isl_space_align_params(isl_multi_union_pw_aff_get_space(prefix), isl_space_copy(space));
  bool affine = n >= 0;
  for (int i = 0; i < n && affine; i++) {
    isl_union_pw_aff *member = isl_multi_union_pw_aff_get_at(prefix, i);
    isl_aff *aff = member_aff(member, space);
    affine = aff != NULL;
    list = affine ? isl_aff_list_add(list, aff) : list;
    isl_union_pw_aff_free(member);
  }
  if (affine)
    return isl_multi_aff_from_aff_list(isl_space_map_from_domain_and_range(isl_space_copy(space), range), list);
  isl_space_free(range);
  isl_aff_list_free(list);
  return NULL;
}

/* What tsr_leaf_foreach_order passes to each statement. */
struct leaf_orders {
  struct tsr_scop *scop;
  isl_multi_union_pw_aff *prefix;
  isl_stat (*fn)(struct tsr_order *order, void *user);
  void *user;
};

static isl_stat call_with_order(isl_set *domain, void *user)
{
  struct leaf_orders *orders = user;
  int index = tsr_scop_find_stmt(orders->scop, isl_set_get_tuple_name(domain));
  domain = isl_set_align_params(domain, isl_multi_union_pw_aff_get_space(orders->prefix));
  struct tsr_order order = {.stmt = index < 0 ? NULL : &orders->scop->stmts[index], .domain = domain};
  isl_space *space = isl_set_get_space(domain);
  order.time = tsr_prefix_time(orders->prefix, space);
  if (order.time) {
    order.map = isl_map_from_multi_aff(isl_multi_aff_copy(order.time));
  } else {
    isl_union_map *all = isl_union_map_from_multi_union_pw_aff(isl_multi_union_pw_aff_copy(orders->prefix));
    isl_space *range = isl_space_align_params(isl_multi_union_pw_aff_get_space(orders->prefix), isl_space_copy(space));
    order.map = isl_union_map_extract_map(all, isl_space_map_from_domain_and_range(isl_space_copy(space), range));
    isl_union_map_free(all);
  }
  isl_space_free(space);
  order.map = isl_map_intersect_domain(order.map, isl_set_copy(domain));
  isl_stat ok = order.stmt && order.map ? orders->fn(&order, orders->user) : isl_stat_error;
  isl_multi_aff_free(order.time);
  isl_map_free(order.map);
  isl_set_free(order.domain);
  return ok;
}

isl_stat tsr_leaf_foreach_order(isl_schedule_node *leaf, struct tsr_scop *scop, isl_set *parameters,
                                isl_stat (*fn)(struct tsr_order *order, void *user), void *user)
{
  isl_union_set *domain = isl_union_set_intersect_params(isl_schedule_node_get_domain(leaf), parameters);
  isl_multi_union_pw_aff *prefix = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(leaf);
  struct leaf_orders orders = {scop, prefix, fn, user};
  isl_stat ok = prefix ? isl_union_set_foreach_set(domain, call_with_order, &orders) : isl_stat_error;
  isl_multi_union_pw_aff_free(prefix);
  isl_union_set_free(domain);
  return ok;
}
