/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels whose threads add up elements of their own, what is about them, and bands and options for their loops. */
#include "tree/gpu/gpu_sums.h"
#include <isl/space.h>

/* What ORDER's accesses are like. */
static isl_stat look_at(struct tsr_order *order, void *user)
{
  struct tsr_gpu_sum *sum = user;
  if (!order->time || isl_multi_aff_dim(order->time, isl_dim_out) < sum->depth + 3)
    return isl_stat_ok;
  struct tsr_step along[2];
  bool by_row = false, by_column = false, next = false;
  int array = -1;
  for (int m = 0; m < 2; m++)
    tsr_step_init(&along[m], order, sum->depth + m);
  if (along[0].empty || along[1].empty)
    return isl_stat_ok;
  for (int k = 0; k < order->stmt->n_access; k++) {
    const struct tsr_access *access = &order->stmt->access[k];
    if (sum->scop->arrays[access->array].kind != TSR_ARRAY_MEMORY)
      continue;
    enum tsr_stride row = tsr_access_stride(access->relation, &along[0]),
                    column = tsr_access_stride(access->relation, &along[1]);
    bool held = access->kind == TSR_MUST_WRITE && row != TSR_STRIDE_ZERO && column == TSR_STRIDE_ONE;
    if (held && tsr_times_fix_element(&sum->time, 1, access->relation))
      array = access->array;
    by_row |= access->kind == TSR_READ && column == TSR_STRIDE_ZERO && row != TSR_STRIDE_ZERO;
    by_column |= access->kind == TSR_READ && row == TSR_STRIDE_ZERO && column != TSR_STRIDE_ZERO;
    next |= access->kind == TSR_READ && row == TSR_STRIDE_ZERO && column == TSR_STRIDE_ONE;
  }
  if (array >= 0 && by_row && by_column) {
    sum->array = array;
    sum->next = next;
  }
  return isl_stat_ok;
}

static isl_stat look_in(isl_schedule_node *leaf, void *user)
{
  struct tsr_gpu_sum *sum = user;
  return tsr_leaf_foreach_order(leaf, sum->scop, tsr_scop_common(sum->scop), look_at, sum);
}

/* { [o, i, x] } of all instances below NODE. */
static isl_set *points_of(struct tsr_gpu_sum *sum, isl_schedule_node *node)
{
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  domain = isl_union_set_intersect_params(domain, tsr_scop_common(sum->scop));
  isl_union_map *time = isl_union_map_from_multi_union_pw_aff(isl_multi_union_pw_aff_copy(sum->time));
  isl_union_set *points = isl_union_set_apply(domain, time);
  if (isl_union_set_n_set(points) == 1)
    return isl_set_coalesce(isl_set_from_union_set(points));
  isl_union_set_free(points);
  return NULL;
}

/* Elements that all threads together need at least, so that there are enough of them. */
#define ENOUGH 65536.0

bool tsr_gpu_find_sum(struct tsr_gpu_sum *sum, struct tsr_scop *scop, isl_schedule_node *node)
{
  *sum = (struct tsr_gpu_sum){.scop = scop, .array = -1};
  const struct tsr_mark *mark = tsr_node_mark(node);
  if (!tsr_mark_is(mark, TSR_MARK_KERNEL) || mark->kernel.n != 2 || mark->kernel.n_size > 0)
    return false;
  isl_schedule_node *band = isl_schedule_node_get_child(node, 0);
  isl_multi_union_pw_aff *around = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(band);
  isl_multi_union_pw_aff *own = isl_schedule_node_band_get_partial_schedule(band);
  own = isl_multi_union_pw_aff_reset_tuple_id(own, isl_dim_set);
  sum->depth = isl_multi_union_pw_aff_size(around);
  sum->time = sum->depth > 0 ? isl_multi_union_pw_aff_flat_range_product(around, own) : own;
  if (sum->depth <= 0)
    isl_multi_union_pw_aff_free(around);
  if (tsr_node_foreach_leaf(band, look_in, sum) == isl_stat_ok && sum->array >= 0)
    sum->points = points_of(sum, band);
  isl_schedule_node_free(band);
  return sum->points && tsr_set_is_plain(sum->points) && tsr_set_points(scop, sum->points) >= ENOUGH;
}

void tsr_gpu_clear_sum(struct tsr_gpu_sum *sum)
{
  isl_set_free(sum->points);
  isl_multi_union_pw_aff_free(sum->time);
}

isl_schedule_node *tsr_gpu_insert_band(isl_schedule_node *node, isl_union_pw_aff **row, int n)
{
  isl_multi_union_pw_aff *all = isl_multi_union_pw_aff_from_union_pw_aff(row[0]);
  for (int i = 1; i < n; i++)
    all = isl_multi_union_pw_aff_flat_range_product(all, isl_multi_union_pw_aff_from_union_pw_aff(row[i]));
  node = isl_schedule_node_insert_partial_schedule(node, all);
  node = isl_schedule_node_band_set_permutable(node, 1);
  for (int i = 0; i < n; i++)
    node = isl_schedule_node_band_member_set_coincident(node, i, 1);
  return node;
}

isl_union_set *tsr_gpu_isolation(isl_set *times, int depth, int n)
{
  isl_size n_time = isl_set_dim(times, isl_dim_set);
  isl_map *map = isl_map_from_range(isl_set_add_dims(isl_set_copy(times), isl_dim_set, (unsigned)(depth + n - n_time)));
  map = isl_map_move_dims(map, isl_dim_in, 0, isl_dim_out, 0, (unsigned)depth);
  return isl_union_set_from_set(isl_set_set_tuple_name(isl_map_wrap(map), "isolate"));
}
