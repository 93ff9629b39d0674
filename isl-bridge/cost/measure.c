/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a schedule is like, in three numbers. Nothing is decided by them.
 *
 * near: accesses to MEMORY arrays whose stride is 0 or 1 in the innermost loop, of all such accesses. The innermost loop of
 * a statement is the last in which it moves by 1: below a tile band that is one of the point band's. Statements that no loop
 * moves by 1 aren't counted.
 *
 * outer: in  domain - seq(B1(i, j), B2(k))  the outermost bands are B1 and B2. Threads can share them if the first member of
 * each is coincident, or along wavefronts if they are permutable: of tiles that can start at once, or that start one by one.
 *
 * members: of the largest permutable band, the dimensions in which it may be tiled.
 *
 * A tree and the same tree tiled and marked have the same outer loops, but marks split bands and tiles double them: outer
 * and members come from the one, near from the other. */
#include "cost/cost.h"

const char *tsr_outer_name(enum tsr_outer outer)
{
  static const char *const name[] = {"none", "wavefront", "concurrent", "coincident"};
  return name[outer];
}

/* ---- near ---- */

/* What is found, and where. */
struct census {
  struct tsr_scop *scop;
  struct tsr_measure *measure;
  int hidden; /* dimensions inside of what counts as the innermost loop: a tile of registers that walks along rows */
};

/* Those of the point of the tile that NODE is in, if it walks along rows; else 0. */
static int find_hidden(isl_schedule_node *node)
{
  const struct tsr_mark *mark = NULL;
  node = isl_schedule_node_copy(node);
  while (!tsr_mark_is(mark, TSR_MARK_REGISTERS) && isl_schedule_node_has_parent(node) == isl_bool_true) {
    node = isl_schedule_node_parent(node);
    mark = tsr_node_mark(node);
  }
  bool streams = tsr_mark_is(mark, TSR_MARK_REGISTERS) && mark->tile.streams;
  isl_schedule_node_free(node);
  return streams ? 2 : 0;
}

/* The accesses of the statement of ORDER, along the last dimension in which it moves. */
static isl_stat count_accesses(struct tsr_order *order, void *user)
{
  struct census *census = user;
  struct tsr_step step = {.empty = true};
  isl_size n = isl_map_dim(order->map, isl_dim_out);
  if (n < 0)
    return isl_stat_error;
  for (int pos = n - 1 - census->hidden; pos >= 0 && step.empty; pos--)
    tsr_step_init(&step, order, pos);
  for (int k = 0; !step.empty && k < order->stmt->n_access; k++) {
    struct tsr_access *access = &order->stmt->access[k];
    if (census->scop->arrays[access->array].kind == TSR_ARRAY_SCALAR)
      continue;
    enum tsr_stride stride = tsr_access_stride(access->relation, &step);
    census->measure->accesses++;
    census->measure->near += stride == TSR_STRIDE_ZERO || stride == TSR_STRIDE_ONE;
  }
  return isl_stat_ok;
}

static isl_stat count_leaf(isl_schedule_node *leaf, void *user)
{
  struct census *census = user;
  census->hidden = find_hidden(leaf);
  return tsr_leaf_foreach_order(leaf, census->scop, tsr_scop_common(census->scop), count_accesses, census);
}

/* ---- outer ---- */

static enum tsr_outer band_outer(isl_schedule_node *band)
{
  isl_size n = isl_schedule_node_band_n_member(band);
  if (n > 0 && isl_schedule_node_band_member_get_coincident(band, 0) == isl_bool_true)
    return TSR_OUTER_COINCIDENT;
  isl_schedule_node *parent = isl_schedule_node_parent(isl_schedule_node_copy(band));
  bool concurrent = tsr_node_is_mark(parent, TSR_MARK_CONCURRENT);
  isl_schedule_node_free(parent);
  if (concurrent)
    return TSR_OUTER_CONCURRENT;
  return n > 1 && isl_schedule_node_band_get_permutable(band) == isl_bool_true ? TSR_OUTER_WAVEFRONT : TSR_OUTER_NONE;
}

/* The least of the outermost bands at or below NODE in *OUTER; *FOUND: is there one? */
static isl_stat find_outer(isl_schedule_node *node, enum tsr_outer *outer, bool *found)
{
  isl_size n = isl_schedule_node_n_children(node);
  if (isl_schedule_node_get_type(node) == isl_schedule_node_band && isl_schedule_node_band_n_member(node) > 0) {
    enum tsr_outer here = band_outer(node);
    *outer = !*found || here < *outer ? here : *outer;
    *found = true;
    return isl_stat_ok;
  }
  for (int i = 0; i < n; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(node, i);
    isl_stat ok = find_outer(child, outer, found);
    isl_schedule_node_free(child);
    if (ok < 0)
      return isl_stat_error;
  }
  return n < 0 ? isl_stat_error : isl_stat_ok;
}

/* ---- members ---- */

static isl_bool widen(isl_schedule_node *node, void *user)
{
  int *members = user;
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
    return isl_bool_true;
  isl_size n = isl_schedule_node_band_n_member(node);
  /* One member is a permutable band whatever its flag says. */
  if (n > *members && (n == 1 || isl_schedule_node_band_get_permutable(node) == isl_bool_true))
    *members = n;
  return isl_bool_ok(n >= 0);
}

/* requires: SCHEDULE and TREE are over the domain of SCOP.  guarantees: all fields of *MEASURE.  on failure: an error. */
isl_stat tsr_schedule_measure(struct tsr_scop *scop, isl_schedule *schedule, isl_schedule *tree, struct tsr_measure *measure)
{
  bool found = false;
  struct census census = {.scop = scop, .measure = measure};
  *measure = (struct tsr_measure){0};
  isl_schedule_node *root = isl_schedule_get_root(schedule), *leaves = isl_schedule_get_root(tree);
  isl_stat ok = find_outer(root, &measure->outer, &found);
  if (ok == isl_stat_ok)
    ok = isl_schedule_node_foreach_descendant_top_down(root, widen, &measure->members);
  if (ok == isl_stat_ok)
    ok = tsr_node_foreach_leaf(leaves, count_leaf, &census);
  isl_schedule_node_free(root);
  isl_schedule_node_free(leaves);
  return ok;
}
