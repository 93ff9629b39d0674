/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the members of a band begin, before there are tiles: what a scheduler says of that is one of many that are as good
 * to it.
 *
 * At 0: where rows or vectors begin elsewhere, they begin with a part of a tile. (Where sums begin is of no use to know:
 * moved against the rows, blocks of sums would cut tiles at a diagonal.)
 *
 * With rows of elements, or vectors:
 *
 *   for k { S(k): b[k] /= a[k][k];  for j > k: T(k, j): b[j] -= a[k][j] * b[k] }        rows: S(k) -> k, T(k, j) -> j - 1
 *
 * The row in which S has k is the one in which T(k, j) goes on with it: of no tile are T's instances full, as some wait for
 * an S in it. With T(k, j) -> j those of one element, b[j], are in one row, and what waits for S(k) is in rows behind it.
 * Sums off the diagonal: where those of a row end or begin a constant beside it, they do so one before or behind it. Then
 * the steps of a tile in front of its rows, k < 6 * t, end with a block of steps if the rows begin with one; with k <= 6 * t
 * there would be one step more, alone in its block. */
#include "tree/registers/registers.h"
#include <isl/id.h>
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

isl_schedule_node *tsr_band_begin_at_zero(isl_schedule_node *node, struct tsr_register_band *band, bool *moved)
{
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  domain = isl_union_set_intersect_params(domain, tsr_scop_telling(band->scop));
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  partial = isl_multi_union_pw_aff_intersect_domain(partial, domain);
  isl_multi_val *least = isl_multi_union_pw_aff_min_multi_val(partial);
  *moved = false;
  for (int i = 0; i < band->n; i++) {
    isl_val *value = isl_multi_val_get_val(least, i);
    bool known = (i == band->roles.row || i == band->roles.vector) && isl_val_is_int(value) == isl_bool_true &&
                 isl_val_is_zero(value) == isl_bool_false;
    least = isl_multi_val_set_val(least, i, known ? isl_val_neg(value) : isl_val_set_si(value, 0));
    *moved |= known;
  }
  if (!*moved) {
    isl_multi_val_free(least);
    return node;
  }
  isl_union_set *all = isl_union_set_universe(isl_schedule_node_get_domain(node));
  return isl_schedule_node_band_shift(node, isl_multi_union_pw_aff_multi_val_on_domain(all, least));
}

/* { S[i] -> [r] } of STMT's instances in DOMAIN, in ROWS. */
static isl_map *rows_of(isl_multi_union_pw_aff *rows, isl_union_set *domain, const struct tsr_stmt *stmt)
{
  isl_set *own = isl_union_set_extract_set(domain, isl_set_get_space(stmt->domain));
  isl_multi_pw_aff *row = isl_multi_union_pw_aff_extract_multi_pw_aff(rows, isl_set_get_space(own));
  return isl_map_intersect_domain(isl_map_from_multi_pw_aff(row), own);
}

/* How far the rows OWN { S[i] -> [r] } of STMT are before those that its elements have by ROW_OF { A[e] -> [r] }: always so
 * much; NULL: not always. */
static isl_val *distance_of(const struct tsr_stmt *stmt, int access, isl_map *own, isl_map *row_of)
{
  isl_map *elements = isl_map_intersect_domain(isl_map_copy(stmt->access[access].relation), isl_set_copy(stmt->domain));
  isl_map *wanted = isl_map_apply_range(elements, isl_map_copy(row_of));
  isl_set *deltas = isl_set_coalesce(isl_map_deltas(isl_map_apply_domain(wanted, isl_map_copy(own))));
  isl_val *distance = isl_set_plain_get_val_if_fixed(deltas, isl_dim_set, 0);
  isl_set_free(deltas);
  return isl_val_is_int(distance) == isl_bool_true ? distance : isl_val_free(distance);
}

/* The same by the access of STMT to ARRAY that says which element it is about: one that writes it, else one that reads.
 * NULL: none says that it is always so much. */
static isl_val *own_distance(const struct tsr_stmt *stmt, int array, isl_map *own, isl_map *row_of)
{
  isl_val *distance = NULL;
  for (int reads = 0; reads < 2; reads++)
    for (int i = 0; i < stmt->n_access && !distance; i++)
      if (stmt->access[i].array == array && (stmt->access[i].kind == TSR_READ) == reads)
        distance = distance_of(stmt, i, own, row_of);
  return distance;
}

/* NODE's band with the member ROW of STMT's instances DISTANCE later. */
static isl_schedule_node *shift_rows(__isl_take isl_schedule_node *node, const struct tsr_stmt *stmt, int row,
                                     __isl_take isl_val *distance)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_union_set *all = isl_union_set_universe(isl_schedule_node_get_domain(node));
  isl_union_set *own = isl_union_set_from_set(isl_set_universe(isl_set_get_space(stmt->domain)));
  isl_space *space = isl_multi_union_pw_aff_get_space(partial);
  isl_multi_val *none = isl_multi_val_zero(isl_space_copy(space));
  isl_multi_val *by = isl_multi_val_set_val(isl_multi_val_zero(space), row, distance);
  isl_union_set *others = isl_union_set_subtract(all, isl_union_set_copy(own));
  isl_multi_union_pw_aff *shift = isl_multi_union_pw_aff_union_add(isl_multi_union_pw_aff_multi_val_on_domain(own, by),
                                                                   isl_multi_union_pw_aff_multi_val_on_domain(others, none));
  isl_multi_union_pw_aff_free(partial);
  return isl_schedule_node_band_shift(node, shift);
}

bool tsr_band_orders(isl_schedule_node *node, isl_schedule_node *before, isl_union_map *open)
{
  isl_union_map *left = tsr_pairs_at_once(isl_union_map_copy(open), isl_schedule_node_band_get_partial_schedule(node));
  isl_union_map *was = tsr_pairs_at_once(isl_union_map_copy(open), isl_schedule_node_band_get_partial_schedule(before));
  left = isl_union_map_subtract(left, was);
  bool none = isl_union_map_is_empty(left) == isl_bool_true;
  if (!none) {
    isl_schedule_node *root = isl_schedule_node_root(isl_schedule_node_copy(node));
    left = isl_union_map_subtract(left, tsr_tree_order_forward(root, isl_union_map_copy(left), false));
    none = isl_union_map_is_empty(left) == isl_bool_true;
    isl_schedule_node_free(root);
  }
  isl_union_map_free(left);
  return none;
}

/* Do the pairs OPEN run as they must with the band at NODE, as far as its member ROW goes, if they do so with the one at
 * BEFORE? What that orders by its members in all must not be left to what is below, unless this does. */
static bool keeps(isl_schedule_node *node, isl_schedule_node *before, int row, isl_union_map *open)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_multi_union_pw_aff *member = tsr_member_schedule(partial, row);
  bool good = tsr_member_is_monotone(open, member) == isl_bool_true;
  isl_multi_union_pw_aff_free(member);
  isl_multi_union_pw_aff_free(partial);
  return good && tsr_band_orders(node, before, open);
}

/* The same band with its flag of ROW as it is now. */
static isl_schedule_node *set_coincident(__isl_take isl_schedule_node *node, int row, isl_union_map *open)
{
  if (isl_schedule_node_band_member_get_coincident(node, row) != isl_bool_true)
    return node;
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_multi_union_pw_aff *member = tsr_member_schedule(partial, row);
  bool coincident = tsr_member_is_coincident(open, member) == isl_bool_true;
  isl_multi_union_pw_aff_free(partial);
  isl_multi_union_pw_aff_free(member);
  return isl_schedule_node_band_member_set_coincident(node, row, coincident);
}

/* NODE's band with the member ROW of STMT's instances DISTANCE later, if the pairs OPEN allow it; then *MOVED. */
static isl_schedule_node *try_shift(__isl_take isl_schedule_node *node, const struct tsr_stmt *stmt, int row,
                                    __isl_take isl_val *distance, isl_union_map *open, bool *moved)
{
  isl_schedule_node *shifted = shift_rows(isl_schedule_node_copy(node), stmt, row, distance);
  bool good = keeps(shifted, node, row, open);
  isl_schedule_node_free(good ? node : shifted);
  *moved |= good;
  return good ? set_coincident(shifted, row, open) : node;
}

/* The form of BAND with the most loops that takes its roles; NULL: none. */
static const struct tsr_form *deepest(const struct tsr_register_band *band)
{
  const struct tsr_form *found = NULL;
  for (int f = 0; f < band->n_form; f++)
    if (tsr_form_takes(band, &band->form[f], &band->roles) &&
        (!found || isl_set_dim(band->form[f].domain, isl_dim_set) > isl_set_dim(found->domain, isl_dim_set)))
      found = &band->form[f];
  return found;
}

/* The greatest value of A less B on SET; NULL: there is none, or it is that of A less the least one of B, so that neither
 * bounds the other. */
static isl_val *most_beyond(isl_set *set, isl_aff *a, isl_aff *b)
{
  isl_aff *beyond = isl_aff_sub(isl_aff_copy(a), isl_aff_copy(b));
  isl_val *most = isl_set_max_val(set, beyond);
  isl_val *apart = isl_val_sub(isl_set_max_val(set, a), isl_set_min_val(set, b));
  isl_aff_free(beyond);
  bool good = isl_val_is_int(most) == isl_bool_true &&
              (isl_val_is_int(apart) != isl_bool_true || isl_val_lt(most, apart) == isl_bool_true);
  isl_val_free(apart);
  return good ? most : isl_val_free(most);
}

/* How far the sums of FORM, over member K, should move: to one before the rows where they end by a constant at or behind
 * them, and don't begin before 0 then; to one behind them where they begin before that; NULL: not at all. */
static isl_val *off_diagonal(const struct tsr_register_band *band, const struct tsr_form *form, int k)
{
  isl_set *known = isl_set_intersect_params(isl_set_copy(form->domain), tsr_scop_telling(band->scop));
  isl_aff *step = isl_multi_aff_get_at(form->time, band->depth + k);
  isl_aff *row = isl_multi_aff_get_at(form->time, band->depth + band->roles.row);
  isl_val *behind = most_beyond(known, step, row), *before = most_beyond(known, row, step);
  isl_val *least = isl_set_min_val(known, step), *move = NULL;
  if (behind && isl_val_is_nonneg(behind) == isl_bool_true && isl_val_gt(least, behind) == isl_bool_true)
    move = isl_val_neg(isl_val_add_ui(isl_val_copy(behind), 1));
  else if (before && isl_val_is_nonneg(before) == isl_bool_true)
    move = isl_val_add_ui(isl_val_copy(before), 1);
  isl_val_free(behind);
  isl_val_free(before);
  isl_val_free(least);
  isl_aff_free(step);
  isl_aff_free(row);
  isl_set_free(known);
  return move;
}

/* NODE's band with other statements' instances where the elements that they touch have the member MEMBER of FORM. */
static isl_schedule_node *align(__isl_take isl_schedule_node *node, struct tsr_register_band *band,
                                const struct tsr_form *form, int member, isl_union_map *open, bool *moved)
{
  int array = form->stmt->access[form->write].array;
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_multi_union_pw_aff *rows = tsr_member_schedule(partial, member);
  isl_map *row_of =
      isl_map_apply_domain(rows_of(rows, domain, form->stmt), isl_map_copy(form->stmt->access[form->write].relation));
  bool single = isl_map_is_single_valued(row_of) == isl_bool_true;
  for (int s = 0; s < band->scop->n_stmt && single; s++) {
    const struct tsr_stmt *stmt = &band->scop->stmts[s];
    if (stmt == form->stmt)
      continue;
    isl_map *own = rows_of(rows, domain, stmt);
    isl_val *distance = isl_map_is_empty(own) == isl_bool_false ? own_distance(stmt, array, own, row_of) : NULL;
    isl_map_free(own);
    if (!distance || isl_val_is_zero(distance) == isl_bool_true) {
      isl_val_free(distance);
      continue;
    }
    node = try_shift(node, stmt, member, distance, open, moved);
  }
  isl_map_free(row_of);
  isl_union_set_free(domain);
  isl_multi_union_pw_aff_free(partial);
  isl_multi_union_pw_aff_free(rows);
  return node;
}

isl_schedule_node *tsr_band_align(isl_schedule_node *node, struct tsr_register_band *band, bool *moved)
{
  const struct tsr_form *form = band->roles.row >= 0 ? deepest(band) : NULL;
  *moved = false;
  if (!form)
    return node;
  isl_union_map *open = tsr_node_open_deps(node, band->deps);
  node = align(node, band, form, band->roles.row, open, moved);
  node = align(node, band, form, band->roles.vector, open, moved);
  isl_union_map_free(open);
  return node;
}

isl_schedule_node *tsr_band_leave_diagonal(isl_schedule_node *node, struct tsr_register_band *band, bool *moved)
{
  *moved = false;
  if (band->roles.row < 0 || band->tile.n_reduction != 1)
    return node;
  int k = __builtin_ctz(band->roles.reduction);
  isl_union_map *open = tsr_node_open_deps(node, band->deps);
  for (int f = 0; f < band->n_form; f++) {
    isl_val *by = tsr_form_takes(band, &band->form[f], &band->roles) ? off_diagonal(band, &band->form[f], k) : NULL;
    if (by)
      node = try_shift(node, band->form[f].stmt, k, by, open, moved);
  }
  isl_union_map_free(open);
  return node;
}
