/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Innermost loops of a few, known iterations: LLVM unrolls them, and what is around is the innermost loop then.
 *
 *   for j                                       for j
 *     for k = -2 .. 2                    ->       s += a[j - 2] * w[-2]; ..; s += a[j + 2] * w[2]
 *       s += a[j + k] * w[k] */
#include "access/access.h"
#include "model/thresholds.h"
#include <isl/ilp.h>
#include <isl/val.h>

static bool has_value(__isl_take isl_val *value, long *number)
{
  bool is =
      isl_val_is_int(value) == isl_bool_true && isl_val_cmp_si(value, 1 << 20) < 0 && isl_val_cmp_si(value, -(1 << 20)) > 0;
  *number = is ? isl_val_get_num_si(value) : 0;
  isl_val_free(value);
  return is;
}

/* How many values has member I of the band at NODE, whatever parameters and loops around are? More than are of interest:
 * some number above MOST_STRAIGHT. */
static long count_values(isl_schedule_node *node, int i)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_union_map *rows = isl_union_map_from_union_pw_aff(isl_multi_union_pw_aff_get_at(partial, i));
  isl_union_set *values = isl_union_set_apply(isl_schedule_node_get_domain(node), rows);
  isl_multi_union_pw_aff_free(partial);
  long first = 0, last = MOST_STRAIGHT;
  if (isl_union_set_n_set(values) != 1) {
    isl_union_set_free(values);
    return MOST_STRAIGHT + 1;
  }
  isl_set *set = isl_set_from_union_set(values);
  bool known = has_value(isl_set_dim_max_val(isl_set_copy(set), 0), &last) &&
               has_value(isl_set_dim_min_val(isl_set_copy(set), 0), &first);
  isl_set_free(set);
  return known ? last - first + 1 : MOST_STRAIGHT + 1;
}

int tsr_band_straight_members(isl_schedule_node *node, long *iterations)
{
  int n = 0;
  for (int i = (int)isl_schedule_node_band_n_member(node) - 1; i >= 0; i--, n++) {
    long values = tsr_member_is_plain(node, i) ? count_values(node, i) : 0;
    if (values < 1 || *iterations * values > MOST_STRAIGHT)
      break;
    *iterations *= values;
  }
  return n;
}

bool tsr_node_is_straight_below(isl_schedule_node *node, long *iterations)
{
  isl_size n = isl_schedule_node_n_children(node);
  bool straight = true;
  *iterations = 1;
  for (int i = 0; i < n && straight; i++) { /* the most of any child */
    isl_schedule_node *child = isl_schedule_node_get_child(node, i);
    long below;
    straight = tsr_node_is_straight_below(child, &below);
    if (straight && isl_schedule_node_get_type(child) == isl_schedule_node_band)
      straight = tsr_band_straight_members(child, &below) == isl_schedule_node_band_n_member(child);
    *iterations = below > *iterations ? below : *iterations;
    isl_schedule_node_free(child);
  }
  return straight;
}

/* Operations and accesses of statements. */
struct work {
  struct tsr_scop *scop;
  long operations;
};

static isl_stat add_work(isl_set *set, void *user)
{
  struct work *work = user;
  int stmt = tsr_scop_find_stmt(work->scop, isl_set_get_tuple_name(set));
  work->operations += stmt < 0 ? 0 : work->scop->stmts[stmt].weight + work->scop->stmts[stmt].n_access;
  isl_set_free(set);
  return isl_stat_ok;
}

/* So many iterations count as one, where what runs below LEAF is large. */
static long iterations_of_one(isl_schedule_node *leaf, struct tsr_scop *scop)
{
  struct work work = {scop, 0};
  isl_union_set *domain = isl_schedule_node_get_domain(leaf);
  isl_union_set_foreach_set(domain, add_work, &work);
  isl_union_set_free(domain);
  long times = (MOST_STRAIGHT * work.operations + MOST_STRAIGHT_CODE - 1) / MOST_STRAIGHT_CODE;
  return times > 1 ? times : 1;
}

int tsr_leaf_straight_members(isl_schedule_node *leaf, struct tsr_scop *scop)
{
  isl_schedule_node *node = isl_schedule_node_copy(leaf);
  int members = 0;
  long iterations = iterations_of_one(leaf, scop);
  bool all = true;
  while (all && isl_schedule_node_has_parent(node) == isl_bool_true) {
    node = isl_schedule_node_parent(node);
    if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
      continue;
    int n = tsr_band_straight_members(node, &iterations);
    members += n;
    all = n == isl_schedule_node_band_n_member(node);
  }
  isl_schedule_node_free(node);
  return all ? 0 : members; /* a loop is around */
}
