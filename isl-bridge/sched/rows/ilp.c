/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Integer linear problems on isl's tableaux, the only file that knows how they are solved.
 *
 * isl's public lexmin explodes on problems of this kind; the function that its own scheduler uses is exported by the
 * archive but declared in no public header: it is declared here, as of isl 0.25. It takes all variables as
 * non-negative and, besides, avoids regions of "trivial" solutions by branching on the signs of their components
 * (zinenko-cc18, section 3.3, "Lazy enforcement of linear independence"). */
#include "sched/rows/ilp.h"
#include "support/support.h"
#include <isl/val.h>
#include <isl/vec.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct isl_trivial_region {
  int pos;
  isl_mat *trivial;
};
extern isl_vec *isl_tab_basic_set_non_trivial_lexmin(isl_basic_set *bset, int n_op, int n_region,
                                                     struct isl_trivial_region *region, int (*conflict)(int con, void *user),
                                                     void *user);

struct tsr_ilp *tsr_ilp_alloc(isl_ctx *ctx, int n_col)
{
  struct tsr_ilp *ilp = calloc(1, sizeof(*ilp));
  if (!ilp)
    return NULL;
  ilp->ctx = ctx;
  ilp->n_col = n_col;
  ilp->width = 1 + n_col;
  ilp->row = calloc(ilp->width, sizeof(long));
  return ilp->row ? ilp : tsr_ilp_free(ilp);
}

struct tsr_ilp *tsr_ilp_free(struct tsr_ilp *ilp)
{
  if (!ilp)
    return NULL;
  for (int i = 0; i < 2; i++)
    tsr_ilp_rows_free(&ilp->rows[i]);
  free(ilp->row);
  free(ilp);
  return NULL;
}

long *tsr_ilp_row(struct tsr_ilp *ilp)
{
  memset(ilp->row, 0, ilp->width * sizeof(long));
  return ilp->row;
}

static unsigned hash(const long *row, int width)
{
  uint64_t h = 14695981039346656037u;
  for (int i = 0; i < width; i++)
    h = (h ^ (uint64_t)row[i]) * 1099511628211u;
  return (unsigned)(h >> 32);
}

static isl_stat grow(struct tsr_ilp_rows *rows, int width)
{
  if (rows->n < rows->capacity)
    return isl_stat_ok;
  int capacity = rows->capacity ? 2 * rows->capacity : 64;
  unsigned table_size = 4 * capacity;
  long *data = realloc(rows->data, sizeof(long) * width * capacity);
  if (data)
    rows->data = data;
  int *table = calloc(table_size, sizeof(int));
  if (!data || !table) {
    free(table);
    return isl_stat_error;
  }
  free(rows->table);
  rows->table = table;
  rows->table_size = table_size;
  rows->capacity = capacity;
  for (int i = 0; i < rows->n; i++) {
    unsigned at = hash(rows->data + (size_t)i * width, width) & (table_size - 1);
    while (table[at])
      at = (at + 1) & (table_size - 1);
    table[at] = i + 1;
  }
  return isl_stat_ok;
}

static isl_stat append_if_new(struct tsr_ilp_rows *rows, const long *row, int width)
{
  if (grow(rows, width) < 0)
    return isl_stat_error;
  unsigned at = hash(row, width) & (rows->table_size - 1);
  for (; rows->table[at]; at = (at + 1) & (rows->table_size - 1))
    if (!memcmp(rows->data + (size_t)(rows->table[at] - 1) * width, row, width * sizeof(long)))
      return isl_stat_ok;
  memcpy(rows->data + (size_t)rows->n * width, row, width * sizeof(long));
  rows->table[at] = ++rows->n;
  return isl_stat_ok;
}

void tsr_ilp_rows_free(struct tsr_ilp_rows *rows)
{
  free(rows->data);
  free(rows->table);
}

/* Divide ROW by what its entries have in common. */
static void normalise(long *row, int width)
{
  long g = 0;
  for (int i = 0; i < width && g != 1; i++)
    g = tsr_common_divisor(g, row[i]);
  for (int i = 0; i < width && g > 1; i++)
    row[i] /= g;
}

isl_stat tsr_ilp_rows_add(struct tsr_ilp_rows *rows, long *row, int width, bool equality, bool *infeasible)
{
  bool negative = false, positive = false;
  for (int i = 1; i < width; i++) {
    negative = negative || row[i] < 0;
    positive = positive || row[i] > 0;
  }
  if (!negative && row[0] >= 0 && (!equality || (!positive && row[0] == 0)))
    return isl_stat_ok;
  if ((!positive && row[0] < 0) || (equality && !negative && row[0] > 0)) {
    *infeasible = true;
    return isl_stat_ok;
  }
  normalise(row, width);
  return append_if_new(rows, row, width);
}

isl_stat tsr_ilp_commit(struct tsr_ilp *ilp, bool equality)
{
  return tsr_ilp_rows_add(&ilp->rows[equality], ilp->row, ilp->width, equality, &ilp->infeasible);
}

static isl_mat *to_matrix(isl_ctx *ctx, const struct tsr_ilp_rows *rows, int width)
{
  isl_mat *mat = isl_mat_alloc(ctx, rows->n, width);
  for (int i = 0; i < rows->n; i++)
    for (int j = 0; j < width; j++)
      mat = isl_mat_set_element_si(mat, i, j, (int)rows->data[(size_t)i * width + j]);
  return mat;
}

/* The problem as isl sees it: columns first, then the constant. */
static isl_basic_set *to_basic_set(isl_ctx *ctx, const struct tsr_reduced *reduced)
{
  isl_space *space = isl_space_set_alloc(ctx, 0, reduced->n_col);
  isl_mat *eq = to_matrix(ctx, &reduced->rows[1], 1 + reduced->n_col);
  isl_mat *ineq = to_matrix(ctx, &reduced->rows[0], 1 + reduced->n_col);
  return isl_basic_set_from_constraint_matrices(space, eq, ineq, isl_dim_cst, isl_dim_set, isl_dim_div, isl_dim_param);
}

static isl_bool read_solution(isl_vec *solution, int n_col, long *x)
{
  isl_size size = isl_vec_size(solution);
  if (size < 0)
    return isl_bool_error;
  if (size == 0)
    return isl_bool_false;
  isl_bool small = isl_bool_true;
  for (int i = 0; i < n_col; i++) {
    isl_val *value = isl_vec_get_element_val(solution, 1 + i);
    if (!value)
      return isl_bool_error;
    if (isl_val_cmp_si(value, 1 << 20) > 0)
      small = isl_bool_false; /* nobody wants such coefficients */
    x[i] = isl_val_get_num_si(value);
    isl_val_free(value);
  }
  return small;
}

static isl_mat *region_matrix(isl_ctx *ctx, const struct tsr_region *region)
{
  isl_mat *mat = isl_mat_alloc(ctx, region->n_row, region->n_col);
  for (int i = 0; i < region->n_row; i++)
    for (int j = 0; j < region->n_col; j++)
      mat = isl_mat_set_element_si(mat, i, j, (int)region->data[(size_t)i * region->n_col + j]);
  return mat;
}

/* X: the solution of REDUCED. */
static isl_bool solve(isl_ctx *ctx, const struct tsr_reduced *reduced, long *x)
{
  struct isl_trivial_region *trivial = calloc(reduced->n_region + 1, sizeof(*trivial));
  if (!trivial)
    return isl_bool_error;
  for (int i = 0; i < reduced->n_region; i++)
    trivial[i] = (struct isl_trivial_region){reduced->region[i].first, region_matrix(ctx, &reduced->region[i])};
  isl_vec *solution = isl_tab_basic_set_non_trivial_lexmin(to_basic_set(ctx, reduced), reduced->n_objective,
                                                           reduced->n_region, trivial, NULL, NULL);
  isl_bool found = solution ? read_solution(solution, reduced->n_col, x) : isl_bool_error;
  isl_vec_free(solution);
  for (int i = 0; i < reduced->n_region; i++)
    isl_mat_free(trivial[i].trivial);
  free(trivial);
  return found;
}

isl_bool tsr_ilp_lexmin(struct tsr_ilp *ilp, int n_objective, struct tsr_region *region, int n_region, long *x)
{
  struct tsr_reduced reduced = {0};
  isl_bool found = isl_bool_false;
  if (ilp->infeasible)
    return isl_bool_false;
  isl_stat ok = tsr_ilp_reduce(ilp, n_objective, region, n_region, &reduced);
  if (ok == isl_stat_ok && !reduced.infeasible)
    found = solve(ilp->ctx, &reduced, x);
  if (found == isl_bool_true)
    tsr_reduced_expand(&reduced, ilp->n_col, x);
  tsr_reduced_clear(&reduced);
  return ok < 0 ? isl_bool_error : found;
}
