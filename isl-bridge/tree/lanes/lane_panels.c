/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Panels of lanes: sums in registers, in the lanes of an outer loop, that read all of some columns again and again.
 *
 *   for i                                   for t
 *     for j                                   P[k][l] = b[k][nl t + l] for all k, l
 *       for k < j: b[j][i] += a[j][k] * b[k][i]   ->   for l < nl, at once:
 *                                               for j
 *                                                 for k < j: P[j][l] += a[j][k] * P[k][l]
 *                                             b[k][nl t + l] = P[k][l] for all k, l
 *
 * In b, steps of k go from row to row, each in a page of its own, and vectors lie across lines of the cache; where lanes are
 * rows, b[i][k], they have to be transposed each time. P has the lanes of a step next to each other, and those of the next
 * step behind them. It stays in the second cache. (Packing, as of operands of a matrix product: K. Goto and R. van de Geijn,
 * "Anatomy of high-performance matrix multiplication", 2008, but what is packed is written, too.)
 *
 *   B(.., i, ..) - X   ->   B(..) - T(i/nl) - mark "allocate P" - seq(load, B(i) - B(..) - X', store)
 *
 * Then B(i) runs in lanes, by strides of P (lanes.c). */
#include "support/message.h"
#include "tree/cached_arrays.h"
#include <isl/val.h>
#include <stdlib.h>

struct place {
  const struct tsr_options *opt;
  struct tsr_scop *scop;
  struct tsr_lane_panel panel;
  isl_schedule_node *node; /* the band; NULL: there is none */
};

/* Is NODE the band of the first panel? */
static isl_bool find_place(isl_schedule_node *node, void *user)
{
  struct place *place = user;
  if (place->node || tsr_node_is_mark(node, TSR_MARK_ALLOCATE))
    return isl_bool_false;
  if (isl_schedule_node_get_type(node) == isl_schedule_node_band &&
      tsr_band_find_panel(node, place->scop, place->opt, &place->panel))
    place->node = isl_schedule_node_copy(node);
  return isl_bool_not(isl_bool_ok(place->node != NULL));
}

/* B(.., i, ..)  ->  B(..) - T(i/SIZE) - B(i) - B(..); the result stands below T. */
static isl_schedule_node *insert_panels(__isl_take isl_schedule_node *node, int member, int size)
{
  node = tsr_band_isolate(node, member);
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_union_pw_aff *row = isl_multi_union_pw_aff_get_at(partial, 0);
  row = isl_union_pw_aff_scale_down_val(row, isl_val_int_from_si(isl_schedule_node_get_ctx(node), size));
  isl_multi_union_pw_aff_free(partial);
  partial = isl_multi_union_pw_aff_from_union_pw_aff(isl_union_pw_aff_floor(row));
  node = isl_schedule_node_insert_partial_schedule(node, partial);
  node = isl_schedule_node_band_set_permutable(node, 1);
  node = isl_schedule_node_band_member_set_coincident(node, 0, 1);
  return isl_schedule_node_child(node, 0);
}

/* The node of TREE that stands where NODE does in its own. */
static isl_schedule_node *same_place(isl_schedule *tree, isl_schedule_node *node)
{
  int depth = (int)isl_schedule_node_get_tree_depth(node);
  isl_schedule_node *at = isl_schedule_get_root(tree);
  for (int d = depth; d > 0; d--) {
    isl_schedule_node *around = isl_schedule_node_ancestor(isl_schedule_node_copy(node), d - 1);
    isl_size position = isl_schedule_node_get_child_position(around);
    isl_schedule_node_free(around);
    at = isl_schedule_node_child(at, position);
  }
  return at;
}

/* PROGRAM with PLACE's panel, if it can have its buffers; else NULL. */
static struct tsr_program *make_panel(__isl_take struct tsr_program *program, const struct place *place, char **why)
{
  isl_schedule_node *node = insert_panels(isl_schedule_node_copy(place->node), place->panel.member, place->panel.lanes);
  program = tsr_program_set_tree(program, isl_schedule_node_get_schedule(node));
  for (int i = 0; i < place->panel.n && program; i++) {
    isl_schedule_node *at = same_place(program->tree, node);
    program = tsr_program_cache_as(program, at, place->panel.array[i], place->panel.last[i], TSR_SPACE_HEAP, why);
    isl_schedule_node_free(at);
  }
  isl_schedule_node_free(node);
  return program;
}

/* Lanes for what is below NODE, where BUFFERED says that there are buffers. */
static isl_schedule_node *insert_lanes(__isl_take isl_schedule_node *node, struct tsr_scop *scop,
                                       const struct tsr_options *opt, bool buffered)
{
  bool found = false;
  buffered |= tsr_node_is_mark(node, TSR_MARK_ALLOCATE);
  if (buffered && isl_schedule_node_get_type(node) == isl_schedule_node_band)
    node = tsr_band_lockstep(node, scop, opt, &found);
  isl_size n = found ? 0 : isl_schedule_node_n_children(node);
  for (int i = 0; i < n; i++)
    node = isl_schedule_node_parent(insert_lanes(isl_schedule_node_child(node, i), scop, opt, buffered));
  return node;
}

/* PROGRAM, with buffers, in lanes. */
static struct tsr_program *set_lanes(__isl_take struct tsr_program *program, const struct tsr_options *opt)
{
  if (!program)
    return NULL;
  isl_schedule_node *root = insert_lanes(isl_schedule_get_root(program->tree), program->scop, opt, false);
  isl_schedule *tree = isl_schedule_node_get_schedule(root);
  isl_schedule_node_free(root);
  return tsr_program_set_tree(program, tree);
}

/* requires: flags of PROGRAM's bands are right.  guarantees: the order of what there was is as legal as before.
 * on failure: NULL, and *WHY; the program goes. */
struct tsr_program *tsr_program_lane_panels(struct tsr_program *program, const struct tsr_options *opt, char **why)
{
  bool any = false;
  for (bool more = true; more && program;) {
    struct place place = {.opt = opt, .scop = program->scop};
    isl_schedule_foreach_schedule_node_top_down(program->tree, find_place, &place);
    more = place.node != NULL;
    if (more)
      program = make_panel(program, &place, why);
    any |= more;
    isl_schedule_node_free(place.node);
  }
  if (any)
    return set_lanes(program, opt);
  tsr_message_set(why, "there are no outer loops in lanes that walk along the same again and again");
  return tsr_program_free(program);
}
