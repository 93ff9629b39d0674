/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Packed operands: which are worth it, their marks, and an own check of these.
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

/* Does access I of FORM go to the next element along MEMBER? */
static bool goes_next(const struct tsr_form *form, int i, int member)
{
  long elements = 0;
  return form->step[member].fixed && !form->step[member].empty &&
         tsr_access_move(form->stmt->access[i].relation, form->step[member].delta, &elements) && elements == 1;
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
  if (access->kind != TSR_READ || access->maybe || form->written[i] || form->stride[reduction][i] == TSR_STRIDE_ZERO ||
      !form->step[reduction].fixed || !form->step[roles->row].fixed || !form->step[roles->vector].fixed ||
      isl_map_is_single_valued(access->relation) != isl_bool_true)
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
  pack.vector = !by_row && goes_next(form, i, roles->vector);
  pack.inner_reduction = !pack.vector && goes_next(form, i, __builtin_ctz(roles->reduction));
  return (struct tsr_mark){.kind = TSR_MARK_PACK, .pack = pack};
}

static bool has_parts(const struct tsr_parts *parts, const struct tsr_form *form)
{
  for (int i = 0; i < parts->n; i++)
    if (parts->part[i].form == form)
      return true;
  return false;
}

/* Does an earlier access of FORM than I read the same element? */
static bool is_repeated(const struct tsr_form *form, int i)
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
      if (tsr_form_packs(band, form, &band->roles, i, &by_row) && !is_repeated(form, i))
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

/* ---- an own check ----
 *
 * With p, the time of the loops around the mark, and x, the index in the buffer of an instance in a register tile:
 *
 *   x                    is within the buffer
 *   two instances of     read one element
 *     the same p and x
 *   a write below        touches no element that such an instance of the same p reads */

struct check {
  struct tsr_scop *scop;
  const struct tsr_pack *pack;
  isl_multi_union_pw_aff *prefix;
  isl_union_set *all; /* instances below the mark */
  isl_union_map *own; /* access relation { S[i] -> A[x] } */
  const char *wrong;
};

static isl_union_map *at_one_time(__isl_take isl_union_map *pairs, isl_multi_union_pw_aff *time)
{
  return isl_union_map_eq_at_multi_union_pw_aff(pairs, isl_multi_union_pw_aff_copy(time));
}

/* Member POS of TIME is in 0 .. SIZE - 1 for all of DOMAIN? */
static bool is_within(isl_multi_union_pw_aff *time, int pos, long size, isl_union_set *domain)
{
  isl_union_map *map = isl_union_map_from_multi_union_pw_aff(tsr_member_schedule(time, pos));
  isl_set *values =
      isl_set_from_union_set(isl_union_map_range(isl_union_map_intersect_domain(map, isl_union_set_copy(domain))));
  isl_set *box = isl_set_universe(isl_set_get_space(values));
  box = isl_set_upper_bound_si(isl_set_lower_bound_si(box, isl_dim_set, 0, 0), isl_dim_set, 0, (int)size - 1);
  isl_bool within = isl_set_is_subset(values, box);
  isl_set_free(values);
  isl_set_free(box);
  return within == isl_bool_true;
}

/* Do instances of DOMAIN at one time, with one INDEX, touch one element of what is packed? */
static bool have_one_element(struct check *c, __isl_take isl_union_set *domain, isl_multi_union_pw_aff *index)
{
  isl_union_map *pairs = isl_union_map_from_domain_and_range(domain, isl_union_set_copy(domain));
  pairs = at_one_time(at_one_time(pairs, c->prefix), index);
  isl_union_map *same =
      isl_union_map_apply_range(isl_union_map_copy(c->own), isl_union_map_reverse(isl_union_map_copy(c->own)));
  isl_bool one = isl_union_map_is_subset(pairs, same);
  isl_union_map_free(pairs);
  isl_union_map_free(same);
  return one == isl_bool_true;
}

/* Do instances of DOMAIN, of one statement, with one INDEX touch one element of what is packed while it is there? As a rule
 * any do that are there at one time; but in a small part isl writes times as they are in it, such as constants. */
static bool is_one_element(struct check *c, isl_union_set *domain, isl_multi_union_pw_aff *index)
{
  isl_multi_union_pw_aff *times[2] = {c->prefix, index};
  if (isl_union_set_n_set(domain) == 1 &&
      tsr_times_fix_element(times, 2, c->scop->stmts[c->pack->stmt].access[c->pack->access].relation))
    return true;
  return have_one_element(c, isl_union_set_universe(isl_union_set_copy(domain)), index) ||
         have_one_element(c, isl_union_set_copy(domain), index);
}

/* TILE is the band of a register tile of the pack's statement. */
static void check_tile(struct check *c, isl_schedule_node *tile)
{
  isl_union_set *domain = isl_union_set_intersect_params(isl_schedule_node_get_domain(tile), tsr_scop_common(c->scop));
  isl_multi_union_pw_aff *around = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(tile);
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(tile);
  isl_size n = isl_multi_union_pw_aff_dim(around, isl_dim_out);
  bool row = c->pack->by_row;
  if ((row && !is_within(around, n - 1, c->pack->size[0], domain)) || !is_within(partial, 0, c->pack->size[1], domain) ||
      !is_within(partial, row ? 1 : 2, c->pack->size[2], domain))
    c->wrong = "a packed operand beyond its buffer";
  isl_multi_union_pw_aff *index = tsr_member_schedule(partial, 0);
  index = isl_multi_union_pw_aff_flat_range_product(index, tsr_member_schedule(partial, row ? 1 : 2));
  if (row)
    index = isl_multi_union_pw_aff_flat_range_product(index, tsr_member_schedule(around, n - 1));
  if (!is_one_element(c, domain, index))
    c->wrong = "a packed operand with two elements at one place";
  isl_multi_union_pw_aff_free(index);
  isl_multi_union_pw_aff_free(around);
  isl_multi_union_pw_aff_free(partial);
  isl_union_set_free(domain);
}

static bool is_of_statement(isl_schedule_node *node, struct tsr_scop *scop, int stmt)
{
  isl_union_set *domain = isl_schedule_node_get_domain(node),
                *own = isl_union_set_from_set(isl_set_copy(scop->stmts[stmt].domain));
  own = isl_union_set_intersect(domain, own);
  bool is = isl_union_set_is_empty(own) == isl_bool_false;
  isl_union_set_free(own);
  return is;
}

static isl_bool find_tile(isl_schedule_node *node, void *user)
{
  struct check *c = user;
  const struct tsr_mark *mark = tsr_node_mark(node);
  if (c->wrong || !tsr_mark_is(mark, TSR_MARK_REGISTERS) || !is_of_statement(node, c->scop, c->pack->stmt))
    return isl_bool_ok(!c->wrong);
  isl_schedule_node *band = isl_schedule_node_get_child(node, 0);
  isl_schedule_node *parent =
      isl_schedule_node_parent(isl_schedule_node_copy(node)); /* the filter of a part, if it isn't the only one */
  if (isl_schedule_node_get_type(parent) == isl_schedule_node_filter)
    parent = isl_schedule_node_parent(isl_schedule_node_parent(parent));
  parent = isl_schedule_node_get_type(parent) == isl_schedule_node_sequence ? isl_schedule_node_parent(parent) : parent;
  bool shaped = mark->tile.n_reduction == 1 && isl_schedule_node_get_type(band) == isl_schedule_node_band &&
                isl_schedule_node_band_n_member(band) == 3 && isl_schedule_node_get_type(parent) == isl_schedule_node_band &&
                isl_schedule_node_band_n_member(parent) == 1;
  if (shaped)
    check_tile(c, band);
  else
    c->wrong = "a packed operand of other tiles than in registers";
  isl_schedule_node_free(parent);
  isl_schedule_node_free(band);
  return isl_bool_false;
}

/* Does a write of what is below the mark meet what is packed? */
static isl_stat check_writes(isl_set *set, void *user)
{
  struct check *c = user;
  int stmt = tsr_scop_find_stmt(c->scop, isl_set_get_tuple_name(set));
  struct tsr_stmt *own = &c->scop->stmts[c->pack->stmt];
  for (int i = 0; stmt >= 0 && i < c->scop->stmts[stmt].n_access && !c->wrong; i++) {
    struct tsr_access *access = &c->scop->stmts[stmt].access[i];
    if (access->kind == TSR_READ || access->array != own->access[c->pack->access].array)
      continue;
    isl_union_map *writes =
        isl_union_map_from_map(isl_map_intersect_domain(isl_map_copy(access->relation), isl_set_copy(set)));
    isl_union_map *reads = isl_union_map_intersect_domain(isl_union_map_copy(c->own), isl_union_set_copy(c->all));
    isl_union_map *pairs = at_one_time(isl_union_map_apply_range(writes, isl_union_map_reverse(reads)), c->prefix);
    if (isl_union_map_is_empty(pairs) != isl_bool_true)
      c->wrong = "a packed operand that is written while its buffer is in use";
    isl_union_map_free(pairs);
  }
  isl_set_free(set);
  return stmt >= 0 ? isl_stat_ok : isl_stat_error;
}

const char *tsr_check_pack(struct tsr_scop *scop, isl_schedule_node *node, const struct tsr_pack *pack)
{
  struct check c = {.scop = scop, .pack = pack};
  isl_schedule_node *below = isl_schedule_node_get_child(node, 0);
  c.prefix = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(node);
  c.all = isl_union_set_intersect_params(isl_schedule_node_get_domain(node), tsr_scop_common(scop));
  c.own = isl_union_map_from_map(isl_map_copy(scop->stmts[pack->stmt].access[pack->access].relation));
  if (isl_schedule_node_foreach_descendant_top_down(below, find_tile, &c) < 0 && !c.wrong)
    c.wrong = "a packed operand that can't be checked";
  if (!c.wrong && isl_union_set_foreach_set(c.all, check_writes, &c) < 0)
    c.wrong = "a packed operand that can't be checked";
  isl_multi_union_pw_aff_free(c.prefix);
  isl_union_set_free(c.all);
  isl_union_map_free(c.own);
  isl_schedule_node_free(below);
  return c.wrong;
}
