/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Accesses as relations. Their subscripts are polynomials over parameters and counters; here counters become dimensions:
 *
 *   i0 + 1, 2*i1 of A, in S[i0, i1]     ->     { S[i0, i1] -> A[i0 + 1, 2*i1] } */
#include "read/memory/memory.h"
#include <isl/constraint.h>
#include <isl/space.h>
#include <isl/val.h>

isl_map *tsr_counters_to_dims(struct tsr_model *m, isl_map *map, const struct tsr_stmt_info *s, enum isl_dim_type type)
{
  for (int i = 0; i < s->n_loop; i++) {
    const char *name = tsr_dim_name(m, s->loops[i]);
    int pos = isl_map_find_dim_by_name(map, isl_dim_param, name);
    if (pos < 0) {
      map = isl_map_insert_dims(map, type, i, 1);
      map = isl_map_set_dim_name(map, type, i, name);
    } else {
      map = isl_map_move_dims(map, type, i, isl_dim_param, pos, 1);
    }
  }
  return map;
}

isl_map *tsr_subscript_map(struct tsr_model *m, const struct tsr_stmt_info *s, struct tsr_poly **index, int n,
                           const char *name)
{
  isl_set *image = isl_set_universe(isl_space_set_alloc(m->ctx, 0, 0));
  for (int i = 0; i < n; i++)
    image = isl_set_flat_product(image, isl_set_from_pw_aff(tsr_poly_to_pw_aff(m, index[i])));
  image = isl_set_set_tuple_name(image, name);
  isl_map *map = tsr_counters_to_dims(m, isl_map_from_range(image), s, isl_dim_in);
  return isl_map_coalesce(map);
}

/* { S[] -> A[.., x] } -> { S[] -> A[.., y] : x <= y < x + WIDTH } */
static isl_map *widen(isl_map *map, int width)
{
  isl_size n = isl_map_dim(map, isl_dim_out);
  isl_map *shift = isl_map_identity(isl_space_map_from_set(isl_space_range(isl_map_get_space(map))));
  shift = isl_map_drop_constraints_involving_dims(shift, isl_dim_out, n - 1, 1);
  isl_map *all = isl_map_empty(isl_map_get_space(shift));
  for (int i = 0; i < width; i++) {
    isl_constraint *c = isl_constraint_alloc_equality(isl_local_space_from_space(isl_map_get_space(shift)));
    c = isl_constraint_set_coefficient_si(c, isl_dim_in, n - 1, 1);
    c = isl_constraint_set_coefficient_si(c, isl_dim_out, n - 1, -1);
    all = isl_map_union(all, isl_map_add_constraint(isl_map_copy(shift), isl_constraint_set_constant_si(c, i)));
  }
  isl_map_free(shift);
  return isl_map_coalesce(isl_map_apply_range(map, isl_map_coalesce(all)));
}

isl_set *tsr_array_extent(struct tsr_model *m, const struct tsr_array_info *a)
{
  isl_set *extent = isl_set_universe(isl_space_set_alloc(m->ctx, 0, a->rows ? 2 : 1));
  for (int i = 1; i < a->n_dim && !a->rows; i++) {
    isl_set *size = isl_set_from_pw_aff(tsr_poly_to_pw_aff(m, a->size[i - 1]));
    isl_set *range = isl_set_universe(isl_space_set_alloc(m->ctx, 0, 1));
    range = isl_set_lower_bound_si(range, isl_dim_set, 0, 0);
    isl_map *lt = isl_map_lex_lt(isl_space_set_alloc(m->ctx, 0, 1)); /* x < size */
    range = isl_set_intersect(range, isl_set_apply(size, isl_map_reverse(lt)));
    extent = isl_set_flat_product(extent, range);
  }
  return extent;
}

/* { A[k] : FIRST <= k_D <= LAST } without bounds on the other subscripts. */
static isl_set *between(isl_set *all, int d, int64_t first, int64_t last)
{
  isl_ctx *ctx = isl_set_get_ctx(all);
  all = isl_set_lower_bound_val(all, isl_dim_set, d, isl_val_int_from_si(ctx, first));
  return isl_set_upper_bound_val(all, isl_dim_set, d, isl_val_int_from_si(ctx, last));
}

/* { [k] : FROM <= k < FROM + LENGTH } */
static isl_set *run_of(struct tsr_model *m, const struct tsr_poly *from, const struct tsr_poly *length)
{
  struct tsr_poly *end = tsr_poly_add(tsr_poly_copy(from), tsr_poly_copy(length));
  isl_space *space = isl_space_set_alloc(m->ctx, 0, 1);
  isl_set *first = isl_set_from_pw_aff(tsr_poly_to_pw_aff(m, from)),
          *limit = isl_set_from_pw_aff(tsr_poly_to_pw_aff(m, end));
  tsr_poly_free(end);
  isl_set *behind = isl_set_apply(first, isl_map_lex_le(isl_space_copy(space)));
  return isl_set_intersect(behind, isl_set_apply(limit, isl_map_lex_gt(space)));
}

/* The elements of a transfer, or of an access to an unknown one. */
static isl_map *elements_map(struct tsr_model *m, const struct tsr_stmt_info *s, const struct tsr_raw_access *access)
{
  struct tsr_array_info *a = &m->arrays[access->array];
  isl_set *image = isl_set_universe(isl_space_set_alloc(m->ctx, 0, 0));
  for (int i = 0; access->offset && i <= access->run; i++) {
    isl_set *one = i == access->run ? run_of(m, access->index[i], access->count)
                                    : isl_set_from_pw_aff(tsr_poly_to_pw_aff(m, access->index[i]));
    image = isl_set_flat_product(image, one);
  }
  isl_size n = isl_set_dim(image, isl_dim_set);
  image = isl_set_add_dims(image, isl_dim_set, a->n_dim - n);
  isl_set *extent = tsr_array_extent(m, a);
  if (access->bounded && a->n_dim == 1)
    image = between(image, 0, access->first, access->last);
  image = isl_set_set_tuple_name(isl_set_intersect(image, extent), a->name);
  return isl_map_coalesce(tsr_counters_to_dims(m, isl_map_from_range(image), s, isl_dim_in));
}

isl_map *tsr_model_element(struct tsr_model *m, int stmt, const struct tsr_raw_access *access)
{
  struct tsr_array_info *a = &m->arrays[access->array];
  if (!access->offset && access->index)
    return tsr_data_map(m, &m->stmts[stmt], access);
  if (!access->offset || access->length)
    return elements_map(m, &m->stmts[stmt], access);
  isl_map *map = tsr_subscript_map(m, &m->stmts[stmt], access->index, a->n_dim, a->name);
  return access->width > 1 ? widen(map, access->width) : map;
}
