/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Packed operands: which are worth it, and their marks.
 *
 *   T1(i/mc, k/kc, j/nr) - T2 - ..
 *   ->  T1(i/mc, k/kc) - mark "pack .. by row" - T1(j/nr) - mark "pack .. by vector" - T2 - ..
 *
 * An operand that depends on k and j is needed in the same order by each tile of rows, one that depends on i and k by each
 * panel of columns. */
#include "tree/registers/registers.h"
#include <isl/id.h>
#include <isl/space.h>
#include <string.h>

struct list {
  struct tsr_scop *scop;
  struct tsr_pack *pack;
  int n;
};

static isl_bool list_mark(isl_schedule_node *node, void *user)
{
  struct list *list = user;
  struct tsr_pack pack;
  if (tsr_mark_pack(tsr_node_mark(node), list->scop, &pack) && list->n < TSR_MAX_PACK)
    list->pack[list->n++] = pack;
  return isl_bool_true;
}

int tsr_tree_packs(isl_schedule *tree, struct tsr_scop *scop, struct tsr_pack pack[TSR_MAX_PACK])
{
  struct list list = {scop, pack, 0};
  isl_schedule_foreach_schedule_node_top_down(tree, list_mark, &list);
  return list.n;
}

/* ---- which ---- */

/* Does access I of FORM go to the next element along MEMBER, WAY 1, or against it, -1? */
static bool goes_next(const struct tsr_form *form, int i, int member, int way)
{
  long elements = 0;
  return form->step[member].fixed && !form->step[member].empty &&
         tsr_access_move(form->stmt->access[i].relation, form->step[member].delta, &elements) && elements == way;
}

/* Loop nests smaller than this in each direction have no use for buffers: they stay in the caches. */
#define LEAST_EXTENT 64

static bool is_small(const struct tsr_form *form, const struct tsr_roles *roles)
{
  return form->extent[roles->row] < LEAST_EXTENT && form->extent[roles->vector] < LEAST_EXTENT &&
         form->extent[__builtin_ctz(roles->reduction)] < LEAST_EXTENT;
}

/* A panel is read once for each tile of rows, a block once for each panel. Where neighbours in the tile are no neighbours in
 * memory, packing replaces loads lane by lane; where they are, it saves pages and the sets of the caches, and what the
 * statement computes of the operand and invariants alone is computed once. */
bool tsr_form_packs(const struct tsr_register_band *band, const struct tsr_form *form, const struct tsr_roles *roles, int i,
                    bool *by_row)
{
  const struct tsr_access *access = &form->stmt->access[i];
  enum tsr_stride row = tsr_form_row_stride(form, roles, i), vector = form->stride[roles->vector][i];
  if (band->scop->no_buffers || roles->row < 0 || __builtin_popcount(roles->reduction) != 1 || is_small(form, roles))
    return false;
  int reduction = __builtin_ctz(roles->reduction);
  if (access->kind != TSR_READ || access->maybe || access->guard || form->written[i] ||
      form->stride[reduction][i] == TSR_STRIDE_ZERO || !form->step[reduction].fixed || !form->step[roles->row].fixed ||
      !form->step[roles->vector].fixed || isl_map_is_single_valued(access->relation) != isl_bool_true)
    return false;
  *by_row = vector == TSR_STRIDE_ZERO;
  return (row == TSR_STRIDE_ZERO) != *by_row && form->extent[*by_row ? roles->vector : roles->row] >= LEAST_EXTENT / 2;
}

/* The mark of access I of FORM. */
static struct tsr_mark make_pack(struct tsr_register_band *band, const struct tsr_form *form, int i, bool by_row)
{
  const struct tsr_roles *roles = &band->roles;
  struct tsr_pack pack = {.name = form->stmt->name, .access = i, .by_row = by_row};
  pack.size[0] = by_row ? band->row_block / band->tile.rows : 1;
  pack.size[1] = band->reduction_block;
  pack.size[2] = by_row ? band->tile.rows : band->tile.vectors * band->tile.lanes;
  pack.vector = !by_row && goes_next(form, i, roles->vector, tsr_roles_way(roles));
  pack.inner_reduction = !pack.vector && goes_next(form, i, __builtin_ctz(roles->reduction), 1);
  return (struct tsr_mark){.kind = TSR_MARK_PACK, .pack = pack};
}

static bool has_parts(const struct tsr_parts *parts, const struct tsr_form *form)
{
  for (int i = 0; i < parts->n; i++)
    if (parts->part[i].form == form)
      return true;
  return false;
}

bool tsr_form_repeats(const struct tsr_form *form, int i)
{
  const struct tsr_access *access = form->stmt->access;
  bool again = false;
  for (int k = 0; k < i; k++)
    again |= access[k].array == access[i].array && access[k].kind == TSR_READ &&
             isl_map_plain_is_equal(access[k].relation, access[i].relation) == isl_bool_true;
  return again;
}

/* All worthwhile packs of BAND in PACK, marks; their number. */
static int choose_packs(struct tsr_register_band *band, const struct tsr_parts *parts, struct tsr_mark pack[TSR_MAX_PACK])
{
  int n = 0;
  for (int f = 0; f < band->n_form; f++) {
    const struct tsr_form *form = &band->form[f];
    bool by_row;
    for (int i = 0; has_parts(parts, form) && i < form->stmt->n_access && n < TSR_MAX_PACK; i++)
      if (tsr_form_packs(band, form, &band->roles, i, &by_row) && !tsr_form_repeats(form, i))
        pack[n++] = make_pack(band, form, i, by_row);
  }
  return n;
}

isl_schedule_node *tsr_register_packs_insert(struct tsr_register_band *band, const struct tsr_parts *parts,
                                             isl_schedule_node *node)
{
  struct tsr_mark pack[TSR_MAX_PACK];
  int n = band->reduction_block ? choose_packs(band, parts, pack) : 0, n_row = 0, up = 0;
  for (int i = 0; i < n; i++)
    n_row += pack[i].pack.by_row;
  if (n == 0)
    return node;
  if (n_row > 0) {
    node = isl_schedule_node_child(isl_schedule_node_band_split(node, 2), 0);
    up++;
    for (int i = 0; i < n; i++)
      if (pack[i].pack.by_row) {
        node = isl_schedule_node_child(tsr_mark_insert(node, band->scop, &pack[i]), 0);
        up++;
      }
  }
  node = isl_schedule_node_child(node, 0);
  up++;
  for (int i = 0; i < n; i++)
    if (!pack[i].pack.by_row)
      node = tsr_mark_insert(node, band->scop, &pack[i]);
  return isl_schedule_node_ancestor(node, up);
}
