/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays of rows: tables of pointers, as double **a.
 *
 *   a[i][j]     R[i, j]: element j behind the pointer in a[i]
 *
 * That is an array if the table isn't written in the SCoP and no two rows overlap in what is accessed of them. The latter
 * is checked at run time (emit/runtime_condition.c): with x in lo .. hi, the pointers in the table's elements must ascend by
 * at least hi - lo + 1 elements a row, or descend. The check may load only what the SCoP loads for sure:
 *
 *   table   { [t] : some statement that runs without a condition accesses R[t, x] }
 *
 * must be all of first, first + step, .. last, and hold all rows that are accessed. */
#include "read/memory/memory.h"
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>

/* { [k_D] } of all accesses to ARRAY; SURE: only of those that happen whenever their statement runs. */
static isl_set *subscripts(struct tsr_model *m, int array, int d, bool sure)
{
  isl_set *all = isl_set_empty(isl_space_set_alloc(m->ctx, 0, 1));
  for (int i = 0; i < m->n_access; i++) {
    struct tsr_raw_access *a = &m->access[i];
    if (a->array != array || a->stmt < 0 ||
        (sure && (LLVMGetInstructionParent(a->inst) != m->stmts[a->stmt].block || m->stmts[a->stmt].guard || a->length)))
      continue;
    isl_map *map = tsr_model_element(m, a->stmt, a);
    isl_set *domain = isl_set_reset_tuple_id(isl_set_copy(m->scop->stmts[a->stmt].domain));
    isl_set *touched = isl_set_reset_tuple_id(isl_map_range(isl_map_intersect_domain(map, domain)));
    all = isl_set_union(all, isl_set_project_out(touched, isl_dim_set, !d, 1));
  }
  all = isl_set_intersect_params(all, isl_set_copy(m->scop->context));
  return isl_set_coalesce(isl_set_intersect_params(all, isl_set_copy(m->scop->assumed)));
}

/* Is the table BASE written in the SCoP? */
static bool is_written(struct tsr_model *m, LLVMValueRef base)
{
  for (int i = 0; i < m->n_array; i++)
    if (m->arrays[i].kind == TSR_ARRAY_MEMORY && !m->arrays[i].rows && m->arrays[i].base == base && m->arrays[i].written)
      return true;
  return false;
}

/* m->rows of ARRAY: can it be checked at run time that it is an array? */
static bool check(struct tsr_model *m, int array)
{
  struct tsr_rows *rows = &m->rows[array];
  isl_set *sure = subscripts(m, array, 0, true), *all = subscripts(m, array, 0, false);
  isl_set *hull = isl_set_from_basic_set(isl_set_simple_hull(isl_set_copy(sure)));
  isl_stride_info *stride = isl_set_get_stride_info(hull, 0);
  isl_val *step = isl_stride_info_get_stride(stride);
  isl_stride_info_free(stride);
  rows->step = isl_val_is_int(step) == isl_bool_true && isl_val_cmp_si(step, 1 << 20) < 0 ? isl_val_get_num_si(step) : 0;
  isl_val_free(step);
  bool ok =
      rows->step > 0 && isl_set_is_subset(hull, sure) == isl_bool_true && isl_set_is_subset(all, hull) == isl_bool_true;
  isl_set_free(sure);
  isl_set_free(all);
  rows->table = hull;
  rows->range = isl_set_remove_divs(subscripts(m, array, 1, false));
  return ok && !is_written(m, m->arrays[array].base);
}

bool tsr_model_rows(struct tsr_model *m)
{
  tsr_rows_clear(m);
  for (int i = 0; i < m->n_array; i++) {
    if (!m->arrays[i].rows)
      continue;
    if (!m->rows)
      m->rows = calloc(m->n_array, sizeof(*m->rows));
    if (!check(m, i))
      return tsr_model_reject(m, TSR_REASON_Rows, tsr_model_access_to(m, i), NULL);
  }
  return true;
}

void tsr_rows_clear(struct tsr_model *m)
{
  for (int i = 0; m->rows && i < m->n_array; i++) {
    isl_set_free(m->rows[i].table);
    isl_set_free(m->rows[i].range);
  }
  free(m->rows);
  m->rows = NULL;
}
