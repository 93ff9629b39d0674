/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which instances are in full or masked tiles? Sets of times in the new dimensions tell, p being the time of the loops
 * around Q:
 *
 *   full     { [p, k] : all rows and vectors are in the domain at p and k }; the corners tell, for the domain is convex
 *   masked   { [p, k] : each row has a point, not all rows have all }, where all k at p have the same points
 *   few rows { [p, k, row] : all vectors are in the domain, the last row has no point }, where all k at p have the same rows
 *   ragged   { [p, k, vector] : all rows have this point }, where each k at p has the points of the one before, and perhaps
 *            more, or those of the one behind it: at a diagonal
 *
 * They become sets of instances by the very divisions that the bands make, so that isl finds them again in the loops. */
#include "tree/registers/registers.h"
#include <isl/space.h>
#include <isl/val.h>
#include <string.h>

#define MAX_MASKED_PIECES 6 /* of the masked part: more are not worth their code */

/* Dimensions of the schedule space down to Q. */
struct layout {
  int n, first;           /* all; the first of Q, whose last two are row and vector */
  isl_multi_aff *members; /* { [all of the new ones] -> [those of the old band and around it] } */
  isl_set *box;           /* { [new] : within blocks and tiles } */
};

/* X += FACTOR * dimension POS of SPACE's set */
static isl_aff *add_dim(__isl_take isl_aff *x, int pos, int factor)
{
  return isl_aff_add_coefficient_si(x, isl_dim_in, pos, factor);
}

static isl_set *bound(__isl_take isl_set *box, int pos, int size)
{
  box = isl_set_lower_bound_si(box, isl_dim_set, pos, 0);
  return isl_set_upper_bound_si(box, isl_dim_set, pos, size - 1);
}

/* The space of sets of N dimensions with the parameters of OLD. */
static isl_space *set_space(isl_space *old, int n)
{
  return isl_space_add_dims(isl_space_set_from_params(isl_space_params(isl_space_copy(old))), isl_dim_set, n);
}

/* That of strips: [.., i / nr, j, 0, i % nr], or nr - 1 - i % nr; j + TILT * i in place of j. */
static struct layout make_strip_layout(struct tsr_register_band *band, __isl_take isl_space *old)
{
  struct layout layout = {.n = band->depth + 4, .first = band->depth + 1};
  const int nr = band->tile.vectors * band->tile.lanes;
  isl_space *space = set_space(old, layout.n);
  isl_local_space *local = isl_local_space_from_space(isl_space_copy(space));
  isl_aff_list *list = isl_aff_list_alloc(isl_space_get_ctx(old), band->depth + 2);
  isl_aff *row = add_dim(isl_aff_zero_on_domain(isl_local_space_copy(local)), band->depth, nr);
  row = add_dim(row, layout.n - 1, tsr_roles_way(&band->roles));
  row = isl_aff_add_constant_si(row, band->roles.backwards ? nr - 1 : 0);
  for (int i = 0; i < band->depth; i++)
    list = isl_aff_list_add(list, add_dim(isl_aff_zero_on_domain(isl_local_space_copy(local)), i, 1));
  isl_aff *column = add_dim(isl_aff_zero_on_domain(isl_local_space_copy(local)), layout.first, 1);
  if (band->roles.tilt)
    column = (band->roles.tilt > 0 ? isl_aff_sub : isl_aff_add)(column, isl_aff_copy(row));
  list = isl_aff_list_add(isl_aff_list_add(list, row), column);
  isl_local_space_free(local);
  layout.box = bound(bound(isl_set_universe(isl_space_copy(space)), layout.n - 2, 1), layout.n - 1, nr);
  layout.members = isl_multi_aff_from_aff_list(isl_space_map_from_domain_and_range(space, old), list);
  return layout;
}

static struct layout make_layout(struct tsr_register_band *band, __isl_take isl_space *old)
{
  if (band->roles.row < 0)
    return make_strip_layout(band, old);
  struct layout layout = {0};
  const struct tsr_roles *roles = &band->roles;
  int n_reduction = band->tile.n_reduction, n_outer = band->n - 2 - n_reduction, nr = band->tile.vectors * band->tile.lanes;
  int blocks = band->depth + n_outer, n_blocks = band->reduction_block ? 3 : 2, tiles = blocks + n_blocks;
  layout.first = tiles + 1;
  layout.n = layout.first + n_reduction + 2;
  isl_space *space = set_space(old, layout.n);
  isl_local_space *local = isl_local_space_from_space(isl_space_copy(space));
  isl_aff_list *list = isl_aff_list_alloc(isl_space_get_ctx(old), band->depth + band->n);
  layout.box = isl_set_universe(isl_space_copy(space));
  int outer = band->depth, reduction = layout.first, row = layout.n - 2, vector = layout.n - 1;
  for (int i = 0; i < band->depth + band->n; i++) {
    int m = i - band->depth;
    isl_aff *x = isl_aff_zero_on_domain(isl_local_space_copy(local));
    if (m < 0) {
      x = add_dim(x, i, 1);
    } else if (m == roles->row) {
      x = add_dim(add_dim(add_dim(x, blocks, band->row_block), tiles, band->tile.rows), row, 1);
      layout.box = bound(bound(layout.box, row, band->tile.rows), tiles, band->row_block / band->tile.rows);
    } else if (m == roles->vector) {
      x = add_dim(add_dim(x, tiles - 1, nr), vector, tsr_roles_way(roles));
      if (roles->backwards)
        x = isl_aff_add_constant_si(x, nr - 1);
      if (roles->skewed)
        x = add_dim(add_dim(add_dim(x, blocks, -band->row_block), tiles, -band->tile.rows), row, -1);
      layout.box = bound(layout.box, vector, nr);
    } else if (roles->reduction >> m & 1) {
      x = add_dim(x, reduction, 1);
      if (band->reduction_block) {
        x = add_dim(x, blocks + 1, band->reduction_block);
        layout.box = bound(layout.box, reduction, band->reduction_block);
      }
      reduction++;
    } else {
      x = add_dim(x, outer++, 1);
    }
    list = isl_aff_list_add(list, x);
  }
  isl_local_space_free(local);
  layout.members = isl_multi_aff_from_aff_list(isl_space_map_from_domain_and_range(space, old), list);
  return layout;
}

static void layout_clear(struct layout *layout)
{
  isl_multi_aff_free(layout->members);
  isl_set_free(layout->box);
}

/* TIMES, of which trailing dimensions were dropped, with these free again within their bounds. */
static isl_set *refill(struct layout *layout, __isl_take isl_set *times)
{
  times = isl_set_add_dims(times, isl_dim_set, layout->n - (int)isl_set_dim(times, isl_dim_set));
  return isl_set_intersect(times, isl_set_copy(layout->box));
}

/* { [.., k] : TIMES has the points of ROW and, unless it is negative, of VECTOR } */
static isl_set *slices_with(struct layout *layout, isl_set *times, int row, int vector)
{
  isl_set *some = isl_set_fix_si(isl_set_copy(times), isl_dim_set, layout->n - 2, row);
  if (vector >= 0)
    some = isl_set_fix_si(some, isl_dim_set, layout->n - 1, vector);
  return isl_set_project_out(some, isl_dim_set, layout->n - 2, 2);
}

/* { [.., k] : all points of the tile are in TIMES }, which is convex: its corners tell. */
static isl_set *full_slices(struct tsr_register_band *band, struct layout *layout, isl_set *times)
{
  int row = band->tile.rows - 1, vector = band->tile.vectors * band->tile.lanes - 1;
  isl_set *full = isl_set_intersect(slices_with(layout, times, 0, 0), slices_with(layout, times, 0, vector));
  full = isl_set_intersect(full, slices_with(layout, times, row, 0));
  return isl_set_intersect(full, slices_with(layout, times, row, vector));
}

/* SOME times without those of tiles in which not all k have the same points. */
static isl_set *same_for_all_k(struct tsr_register_band *band, struct layout *layout, __isl_take isl_set *some)
{
  int n_reduction = band->tile.n_reduction;
  isl_set *slices = refill(layout, isl_set_project_out(isl_set_copy(some), isl_dim_set, layout->n - 2, 2));
  isl_set *points = isl_set_project_out(isl_set_copy(some), isl_dim_set, layout->first, n_reduction);
  points = isl_set_insert_dims(points, isl_dim_set, layout->first, n_reduction);
  isl_set *missing = isl_set_subtract(isl_set_intersect(slices, points), isl_set_copy(some));
  missing = isl_set_project_out(missing, isl_dim_set, layout->first, n_reduction + 2);
  return isl_set_coalesce(isl_set_subtract(some, refill(layout, missing)));
}

/* Those of TIMES in slices that are not FULL but have a point in each row, where all k of a tile have the same points. */
static isl_set *masked_times(struct tsr_register_band *band, struct layout *layout, isl_set *times, isl_set *full)
{
  isl_set *some = isl_set_intersect(slices_with(layout, times, 0, -1), slices_with(layout, times, band->tile.rows - 1, -1));
  some = isl_set_coalesce(isl_set_subtract(some, isl_set_copy(full)));
  if (isl_set_n_basic_set(some) > MAX_MASKED_PIECES) {
    isl_space *space = isl_set_get_space(times);
    isl_set_free(some);
    return isl_set_empty(space);
  }
  some = isl_set_intersect(refill(layout, some), isl_set_copy(times));
  some = same_for_all_k(band, layout, some);
  if (band->roles.row < 0 && !tsr_set_is_plain(some)) { /* one strip at most, which is not worth the time to tell which */
    isl_space *space = isl_set_get_space(some);
    isl_set_free(some);
    return isl_set_empty(space);
  }
  return some;
}

/* Is there but one k in each tile of TIMES, by chance of how blocks lie? At a diagonal the last k of a block may be alone in
 * having some points: nothing is held for it, and isl names its time by constants. */
static bool has_fixed_step(const struct tsr_register_band *band, const struct layout *layout, isl_set *times)
{
  if (!band->reduction_block || band->tile.n_reduction != 1)
    return false;
  isl_set *steps = isl_set_project_out(isl_set_copy(times), isl_dim_set, (unsigned)layout->n - 2, 2);
  isl_map *step = isl_map_move_dims(isl_map_from_domain(steps), isl_dim_out, 0, isl_dim_in, (unsigned)layout->first, 1);
  isl_bool fixed = isl_map_is_single_valued(step);
  isl_map_free(step);
  return fixed == isl_bool_true;
}

/* TIMES without the convex pieces that are corners: of one k. */
static isl_set *without_corners(const struct tsr_register_band *band, const struct layout *layout, __isl_take isl_set *times)
{
  isl_basic_set_list *list = isl_set_get_basic_set_list(times);
  isl_size n = isl_basic_set_list_n_basic_set(list);
  isl_set *kept = isl_set_empty(isl_set_get_space(times));
  for (int i = 0; i < n; i++) {
    isl_set *piece = isl_set_from_basic_set(isl_basic_set_list_get_at(list, i));
    if (has_fixed_step(band, layout, piece))
      isl_set_free(piece);
    else
      kept = isl_set_union(kept, piece);
  }
  isl_basic_set_list_free(list);
  isl_set_free(times);
  return kept;
}

/* Those of TIMES in rows that have all vectors, of tiles without the last row, where all k of a tile have the same rows.
 * More than one convex piece is not worth its code. */
static isl_set *few_rows(struct tsr_register_band *band, struct layout *layout, isl_set *times)
{
  isl_set *rows = isl_set_fix_si(isl_set_copy(times), isl_dim_set, layout->n - 1, 0);
  isl_set *last = isl_set_fix_si(isl_set_copy(times), isl_dim_set, layout->n - 1, band->tile.vectors * band->tile.lanes - 1);
  rows = isl_set_intersect(isl_set_project_out(rows, isl_dim_set, layout->n - 1, 1),
                           isl_set_project_out(last, isl_dim_set, layout->n - 1, 1));
  isl_set *whole = slices_with(layout, times, band->tile.rows - 1, -1);
  rows = isl_set_coalesce(isl_set_subtract(rows, isl_set_add_dims(whole, isl_dim_set, 1)));
  if (!tsr_set_is_plain(rows)) {
    isl_set_free(rows);
    return isl_set_empty(isl_set_get_space(times));
  }
  return without_corners(band, layout, same_for_all_k(band, layout, refill(layout, rows)));
}

/* Does each slice of TIMES { [.., k, vector] } whose next one is there, too, have its points if AHEAD, else does it have
 * those? */
static bool is_staircase(struct layout *layout, isl_set *times, bool ahead)
{
  int k = layout->first;
  isl_set *slices =
      isl_set_add_dims(isl_set_project_out(isl_set_copy(times), isl_dim_set, (unsigned)layout->n - 2, 1), isl_dim_set, 1);
  isl_multi_aff *next = isl_multi_aff_identity_on_domain_space(isl_set_get_space(times));
  next = isl_multi_aff_set_aff(next, k, isl_aff_add_constant_si(isl_multi_aff_get_aff(next, k), ahead ? 1 : -1));
  isl_map *move = isl_map_from_multi_aff(next);
  isl_set *moved = isl_set_intersect(isl_set_apply(isl_set_copy(times), move), slices);
  isl_bool within = isl_set_is_subset(moved, times);
  isl_set_free(moved);
  return within == isl_bool_true;
}

/* { [.., k, vector] } of TIMES { [.., k, row, vector] } in slices in which all rows have the same points. */
static isl_set *alike_rows(struct tsr_register_band *band, struct layout *layout, isl_set *times)
{
  unsigned row = (unsigned)layout->n - 2;
  isl_set *first = isl_set_project_out(isl_set_fix_si(isl_set_copy(times), isl_dim_set, row, 0), isl_dim_set, row, 1);
  isl_set *last = isl_set_fix_si(isl_set_copy(times), isl_dim_set, row, band->tile.rows - 1);
  isl_set *any = isl_set_project_out(isl_set_copy(times), isl_dim_set, row, 1);
  isl_set *all = isl_set_intersect(first, isl_set_project_out(last, isl_dim_set, row, 1));
  isl_set *bad = isl_set_project_out(isl_set_subtract(any, isl_set_copy(all)), isl_dim_set, row, 1);
  return isl_set_coalesce(isl_set_subtract(all, isl_set_add_dims(bad, isl_dim_set, 1)));
}

#define LEAST_ROWS 4

/* Those of TIMES in strips with so many rows that vectors pay, where columns from 0 on make up a block. */
static isl_set *worth_masks(struct tsr_register_band *band, struct layout *layout, isl_set *times)
{
  isl_set *some = isl_set_fix_si(isl_set_copy(times), isl_dim_set, layout->n - 1, LEAST_ROWS - 1);
  some = isl_set_fix_si(some, isl_dim_set, layout->first, band->tile.lanes - 1);
  some = isl_set_project_out(some, isl_dim_set, layout->first, layout->n - layout->first);
  return isl_set_intersect(refill(layout, some), isl_set_copy(times));
}

void tsr_parts_clear(struct tsr_parts *parts)
{
  for (int i = 0; i < parts->n; i++)
    isl_union_set_free(parts->part[i].domain);
  parts->n = 0;
}

void tsr_parts_lead(isl_union_map *pairs, const struct tsr_part *part, int n, int from, bool leads[])
{
  pairs = isl_union_map_intersect_domain(isl_union_map_copy(pairs), isl_union_set_copy(part[from].domain));
  bool none = isl_union_map_is_empty(pairs) == isl_bool_true;
  for (int i = 0; i < n; i++) {
    leads[i] = false;
    if (i == from || none)
      continue;
    isl_union_map *own = isl_union_map_intersect_range(isl_union_map_copy(pairs), isl_union_set_copy(part[i].domain));
    leads[i] = isl_union_map_is_empty(own) != isl_bool_true;
    isl_union_map_free(own);
  }
  isl_union_map_free(pairs);
}

/* { x -> y : WRITE at x and OTHER at y access one element }, for instances in DOMAIN */
static isl_union_map *meetings(struct tsr_access *write, struct tsr_access *other, isl_set *domain)
{
  isl_map *from = isl_map_intersect_domain(isl_map_copy(write->relation), isl_set_copy(domain));
  isl_map *to = isl_map_intersect_domain(isl_map_copy(other->relation), isl_set_copy(domain));
  return isl_union_map_from_map(isl_map_apply_range(from, isl_map_reverse(to)));
}

/* Does each element that FORM writes belong to one row and vector of the band with members PARTIAL? */
static bool owns_elements(struct tsr_register_band *band, const struct tsr_form *form, isl_multi_union_pw_aff *partial)
{
  struct tsr_access *write = &form->stmt->access[form->write];
  isl_union_map *pairs = meetings(write, write, form->stmt->domain), *same = isl_union_map_copy(pairs);
  int member[2] = {band->roles.row, band->roles.vector};
  for (int i = 0; i < 2; i++)
    if (member[i] >= 0)
      same = isl_union_map_eq_at_multi_union_pw_aff(same, tsr_member_schedule(partial, member[i]));
  isl_bool all = isl_union_map_is_subset(pairs, same);
  isl_union_map_free(pairs);
  isl_union_map_free(same);
  return all == isl_bool_true;
}

/* May the elements that FORM writes in PART stay in registers, during one run of what is below NODE, which stands at Q? No
 * other access may touch them there. */
static bool may_hold(const struct tsr_form *form, isl_set *part, isl_schedule_node *node)
{
  bool may = true;
  struct tsr_access *access = form->stmt->access;
  for (int i = 0; i < form->stmt->n_access && may; i++) {
    if (tsr_form_is_folded(form, i) || access[i].array != access[form->write].array)
      continue;
    isl_union_map *pairs = meetings(&access[form->write], &access[i], part);
    pairs = isl_union_map_eq_at_multi_union_pw_aff(pairs, isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(node));
    may = isl_union_map_is_empty(pairs) == isl_bool_true;
    isl_union_map_free(pairs);
  }
  return may;
}

static isl_aff *aff_quotient(__isl_take isl_aff *aff, int size)
{
  return isl_aff_floor(isl_aff_scale_down_ui(aff, (unsigned)size));
}

static isl_aff *aff_remainder(__isl_take isl_aff *aff, int size)
{
  isl_ctx *ctx = isl_aff_get_ctx(aff);
  return isl_aff_mod_val(aff, isl_val_int_from_si(ctx, size));
}

static isl_multi_aff *new_strip_time(struct tsr_register_band *band, const struct tsr_form *form, struct layout *layout,
                                     __isl_take isl_space *space, __isl_take isl_aff_list *list)
{
  const int nr = band->tile.vectors * band->tile.lanes;
  for (int i = 0; i < band->depth; i++)
    list = isl_aff_list_add(list, isl_multi_aff_get_aff(form->time, i));
  list = isl_aff_list_add(list, aff_quotient(isl_multi_aff_get_aff(form->time, band->depth), nr));
  list = isl_aff_list_add(list, tsr_strip_column(band, form));
  list = isl_aff_list_add(list, isl_aff_zero_on_domain(isl_local_space_from_space(isl_space_copy(space))));
  list = isl_aff_list_add(list, tsr_strip_lane(band, form));
  isl_space *range = isl_space_domain(isl_multi_aff_get_space(layout->members));
  return isl_multi_aff_from_aff_list(isl_space_map_from_domain_and_range(space, range), list);
}

/* { S[i] -> [all of the new dimensions] }, with the divisions that the new bands have. */
static isl_multi_aff *new_time(struct tsr_register_band *band, const struct tsr_form *form, struct layout *layout)
{
  const struct tsr_roles *roles = &band->roles;
  const int nr = band->tile.vectors * band->tile.lanes, blocks = band->row_block;
  isl_space *space = isl_space_domain(isl_multi_aff_get_space(form->time));
  isl_aff_list *list = isl_aff_list_alloc(isl_space_get_ctx(space), layout->n);
  if (roles->row < 0)
    return new_strip_time(band, form, layout, space, list);
  isl_aff *row = isl_multi_aff_get_aff(form->time, band->depth + roles->row);
  isl_aff *vector = isl_multi_aff_get_aff(form->time, band->depth + roles->vector);
  if (roles->skewed)
    vector = isl_aff_add(vector, isl_aff_copy(row));
  for (int i = 0; i < band->depth; i++)
    list = isl_aff_list_add(list, isl_multi_aff_get_aff(form->time, i));
  for (int m = 0; m < band->n; m++)
    if (m != roles->row && m != roles->vector && !(roles->reduction >> m & 1))
      list = isl_aff_list_add(list, isl_multi_aff_get_aff(form->time, band->depth + m));
  list = isl_aff_list_add(list, aff_quotient(isl_aff_copy(row), blocks));
  for (int m = 0; m < band->n && band->reduction_block; m++)
    if (roles->reduction >> m & 1)
      list = isl_aff_list_add(list, aff_quotient(isl_multi_aff_get_aff(form->time, band->depth + m), band->reduction_block));
  list = isl_aff_list_add(list, aff_quotient(isl_aff_copy(vector), nr));
  row = aff_remainder(row, blocks);
  list = isl_aff_list_add(list, aff_quotient(isl_aff_copy(row), band->tile.rows));
  for (int m = 0; m < band->n; m++)
    if (roles->reduction >> m & 1) {
      isl_aff *member = isl_multi_aff_get_aff(form->time, band->depth + m);
      list = isl_aff_list_add(list, band->reduction_block ? aff_remainder(member, band->reduction_block) : member);
    }
  list = isl_aff_list_add(list, aff_remainder(row, band->tile.rows));
  vector = aff_remainder(vector, nr);
  if (roles->backwards)
    vector = isl_aff_add_constant_si(isl_aff_neg(vector), nr - 1);
  list = isl_aff_list_add(list, vector);
  isl_space *range = isl_space_domain(isl_multi_aff_get_space(layout->members));
  return isl_multi_aff_from_aff_list(isl_space_map_from_domain_and_range(space, range), list);
}

/* The instances of FORM at TIMES. */
static isl_set *instances_at(struct tsr_register_band *band, const struct tsr_form *form, struct layout *layout,
                             __isl_take isl_set *times)
{
  isl_set *instances = isl_set_preimage_multi_aff(times, new_time(band, form, layout));
  instances = isl_set_intersect(instances, isl_set_copy(form->domain));
  return isl_set_gist_params(instances, tsr_scop_telling(band->scop));
}

/* Make a part of the instances of FORM at TIMES, and take these from *OTHERS, if there are any and it may be one. */
static void add_part(struct tsr_register_band *band, struct tsr_parts *parts, const struct tsr_form *form,
                     struct layout *layout, __isl_take isl_set *times, isl_schedule_node *node, isl_set **others)
{
  if (isl_set_is_empty(times) != isl_bool_false) {
    isl_set_free(times);
    return;
  }
  isl_set *part = instances_at(band, form, layout, isl_set_copy(times));
  if (may_hold(form, part, node)) {
    parts->part[parts->n++] = (struct tsr_part){.form = form, .domain = isl_union_set_from_set(part)};
    *others = isl_set_subtract(*others, times);
  } else {
    isl_set_free(part);
    isl_set_free(times);
  }
}

static void add_masked_part(struct tsr_register_band *band, struct tsr_parts *parts, const struct tsr_form *form,
                            struct layout *layout, __isl_take isl_set *times, isl_schedule_node *node, isl_set **others)
{
  int before = parts->n;
  add_part(band, parts, form, layout, times, node, others);
  if (parts->n > before)
    parts->part[before].masked = true;
}

/* Is there but one lane, the last dimension, in TIMES, whichever tile it is? */
static bool has_fixed_lane(isl_set *times)
{
  isl_size n = isl_set_dim(times, isl_dim_set);
  isl_val *lane = isl_set_plain_get_val_if_fixed(times, isl_dim_set, (unsigned)n - 1);
  bool fixed = isl_val_is_int(lane) == isl_bool_true;
  isl_val_free(lane);
  return fixed;
}

/* Make parts of the instances of FORM at TIMES, tiles that lack some points: one for each convex piece if they are few, as
 * the bounds of a row must not come with conditions, such as those of tiles at the diagonal or at the right edge. */
static void add_masked_parts(struct tsr_register_band *band, struct tsr_parts *parts, const struct tsr_form *form,
                             struct layout *layout, __isl_take isl_set *times, isl_schedule_node *node, isl_set **others)
{
  isl_basic_set_list *list = isl_set_get_basic_set_list(times);
  isl_size n = isl_basic_set_list_n_basic_set(list);
  for (int i = 0; i < n && n <= MAX_MASKED_PARTS; i++) {
    isl_set *piece = isl_set_from_basic_set(isl_basic_set_list_get_at(list, i));
    piece = isl_set_coalesce(isl_set_intersect(piece, isl_set_copy(*others)));
    if (has_fixed_step(band, layout, piece) || (band->roles.row >= 0 && has_fixed_lane(piece)))
      isl_set_free(piece);
    else
      add_masked_part(band, parts, form, layout, piece, node, others);
  }
  if (n > MAX_MASKED_PARTS)
    add_masked_part(band, parts, form, layout, isl_set_copy(times), node, others);
  isl_basic_set_list_free(list);
  isl_set_free(times);
}

/* Make parts of the instances of FORM at those of *OTHERS that make up stairs: where all rows have the same points, and
 * these become more and more, or fewer and fewer; one for each convex piece, if they are few. */
static void add_ragged_parts(struct tsr_register_band *band, struct tsr_parts *parts, const struct tsr_form *form,
                             struct layout *layout, isl_schedule_node *node, isl_set **others)
{
  if (band->tile.n_reduction != 1)
    return;
  isl_set *stairs = alike_rows(band, layout, *others);
  isl_basic_set_list *list = isl_set_get_basic_set_list(stairs);
  isl_size n = isl_basic_set_list_n_basic_set(list);
  for (int i = 0, n_part = 0; i < n && n <= MAX_MASKED_PIECES && n_part < MAX_RAGGED_PARTS; i++) {
    isl_set *piece = isl_set_from_basic_set(isl_basic_set_list_get_at(list, i));
    bool good = tsr_set_is_plain(piece) && !has_fixed_lane(piece) &&
                (is_staircase(layout, piece, true) || is_staircase(layout, piece, false));
    piece = isl_set_insert_dims(piece, isl_dim_set, (unsigned)layout->n - 2, 1);
    piece = isl_set_intersect(isl_set_intersect(piece, isl_set_copy(layout->box)), isl_set_copy(*others));
    if (good && !has_fixed_step(band, layout, piece)) {
      add_masked_part(band, parts, form, layout, piece, node, others);
      n_part++;
    } else {
      isl_set_free(piece);
    }
  }
  isl_basic_set_list_free(list);
  isl_set_free(stairs);
}

/* The times of FORM, if they are convex and without divisions; else NULL. */
static isl_set *plain_times(const struct tsr_form *form, struct layout *layout)
{
  isl_map *old =
      isl_map_intersect_domain(isl_map_from_multi_aff(isl_multi_aff_copy(form->time)), isl_set_copy(form->domain));
  isl_set *times = isl_set_preimage_multi_aff(isl_map_range(old), isl_multi_aff_copy(layout->members));
  times = isl_set_coalesce(isl_set_intersect(times, isl_set_copy(layout->box)));
  if (!tsr_set_is_plain(times))
    times = isl_set_free(times);
  return times;
}

void tsr_register_forms_choose(struct tsr_register_band *band, isl_schedule_node *node)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  for (int f = 0; f < band->n_form; f++) {
    struct tsr_form *form = &band->form[f];
    form->usable = tsr_form_takes(band, form, &band->roles) && owns_elements(band, form, partial);
  }
  isl_multi_union_pw_aff_free(partial);
}

/* The parts of FORM; *REST loses their instances. What is left of FORM is found by times, where it has no divisions. */
static void find_form_parts(struct tsr_register_band *band, struct tsr_parts *parts, const struct tsr_form *form,
                            isl_schedule_node *node, bool masked, isl_union_set **rest)
{
  struct layout layout = make_layout(band, isl_space_range(isl_multi_aff_get_space(form->time)));
  isl_set *times = plain_times(form, &layout);
  int n = parts->n;
  if (times) {
    isl_set *full = full_slices(band, &layout, times), *others = isl_set_copy(times);
    isl_set *some = band->roles.row < 0 ? worth_masks(band, &layout, times) : isl_set_copy(times);
    if (masked)
      add_masked_parts(band, parts, form, &layout, masked_times(band, &layout, some, full), node, &others);
    isl_set_free(some);
    full = refill(&layout, full);
    if (band->roles.row >= 0 && has_fixed_step(band, &layout, full))
      isl_set_free(full);
    else
      add_part(band, parts, form, &layout, full, node, &others);
    if (band->roles.row >= 0 && parts->n > n)
      add_part(band, parts, form, &layout, few_rows(band, &layout, times), node, &others);
    others = isl_set_coalesce(others);
    if (masked && band->roles.row >= 0 && parts->n > n)
      add_ragged_parts(band, parts, form, &layout, node, &others);
    others = instances_at(band, form, &layout, isl_set_coalesce(others));
    if (parts->n > n) {
      *rest = isl_union_set_subtract(*rest, isl_union_set_from_set(isl_set_universe(isl_set_get_space(others))));
      *rest = isl_union_set_union(*rest, isl_union_set_from_set(others));
    } else {
      isl_set_free(others);
    }
  }
  isl_set_free(times);
  layout_clear(&layout);
}

void tsr_parts_find(struct tsr_register_band *band, struct tsr_parts *parts, isl_schedule_node *node, bool masked)
{
  isl_union_set *rest = isl_schedule_node_get_domain(node);
  for (int f = 0; f < band->n_form; f++)
    if (band->form[f].usable)
      find_form_parts(band, parts, &band->form[f], node, masked, &rest);
  if (parts->n == 0 || isl_union_set_is_empty(rest) == isl_bool_true)
    isl_union_set_free(rest);
  else
    parts->part[parts->n++] = (struct tsr_part){.domain = rest};
}
