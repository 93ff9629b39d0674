/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The elements of arrays, and offsets of accesses in them:
 *
 *   &a[i].y        16*i + 8 bytes, 2*i + 1 elements of 8 bytes
 *   {int k; double x;}  16*i + 8, 8 bytes: elements 4*i + 2 and 4*i + 3 of 4 bytes */
#include "read/memory/memory.h"

/* The greatest common divisor, not negative */
static int gcd(int a, int64_t b)
{
  while (b) {
    int64_t rest = a % b;
    a = (int)b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

/* A / B, rounded down; B > 0 */
static int64_t floor_divide(int64_t a, int b)
{
  return a / b - (a % b < 0);
}

/* What divides SIZE and all terms of BYTES that no parameter can make a multiple of it. */
static int common_size(struct tsr_model *m, const struct tsr_poly *bytes, int size)
{
  for (int i = 0; i < bytes->n; i++) {
    bool parameter = false;
    for (int k = 0; k < bytes->term[i].degree; k++)
      parameter |= m->atoms[bytes->term[i].atom[k]].kind == TSR_ATOM_PARAM;
    if (!parameter)
      size = gcd(size, bytes->term[i].coef % size);
  }
  return size;
}

/* One element size for each array: accesses of several sizes, as to a structure's fields, cover several elements. */
bool tsr_model_elements(struct tsr_model *m)
{
  for (int i = 0; i < m->n_access; i++) {
    struct tsr_raw_access *access = &m->access[i];
    struct tsr_array_info *a = &m->arrays[access->array];
    a->elem_size = gcd(a->elem_size, access->size);
    if (access->offset)
      a->elem_size = common_size(m, access->offset, a->elem_size);
    if (access->length)
      a->elem_size = common_size(m, access->length, a->elem_size);
  }
  for (int i = 0; i < m->n_access; i++) {
    struct tsr_raw_access *access = &m->access[i];
    int size = m->arrays[access->array].elem_size;
    isl_set *domain = m->stmts[access->stmt].domain;
    access->width = access->size / size;
    if (size == 1 && access->size > 1)
      return tsr_model_reject(m, TSR_REASON_ElementSize, access->inst, NULL);
    access->first = floor_divide(access->first, size);
    access->last = floor_divide(access->last, size);
    if (access->data)
      access->data = access->width == 1 ? tsr_poly_divide_exact(access->data, size) : tsr_poly_free(access->data);
    if (!access->offset)
      continue;
    access->offset = tsr_poly_in_elements(m, access->offset, size, domain);
    if (access->length && !(access->length = tsr_poly_in_elements(m, access->length, size, domain)))
      access->offset = tsr_poly_free(access->offset);
    if (!access->offset)
      return tsr_model_reject(m, TSR_REASON_ElementSize, access->inst, NULL);
  }
  return true;
}
