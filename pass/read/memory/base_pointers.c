/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bases that are nearer to the accesses: where what comes in points into the array, at a place of which nothing more has to
 * be known.
 *
 *   for l                             v = a + l*B*T*C, before the SCoP
 *     for i, j: a[l*B*T*C + i*c + j]   ->   v[i*c + j]     c is not C: (int)C
 *     f();
 *
 * The base is what all addresses of the array are computed from; offsets lose what is between, a polynomial of parameters
 * that no row size divides. Other arrays are checked for overlap with the new base, which is no object known by its name. */
#include "read/memory/subscripts.h"

#define MAX_POINTERS 8

/* The pointers outside of the SCoP that POINTER is computed from, the nearest first, in LIST: how many? */
static int find_outside(struct tsr_model *m, LLVMValueRef pointer, LLVMValueRef list[MAX_POINTERS])
{
  int n = 0;
  for (; n < MAX_POINTERS && pointer; pointer = LLVMIsAGetElementPtrInst(pointer) ? LLVMGetOperand(pointer, 0) : NULL)
    if (!tsr_model_in_region(m, pointer))
      list[n++] = pointer;
  return n;
}

/* The address of ACCESS, a load or store; else NULL. */
static LLVMValueRef address_of(const struct tsr_raw_access *access)
{
  return LLVMIsALoadInst(access->inst)    ? LLVMGetOperand(access->inst, 0)
         : LLVMIsAStoreInst(access->inst) ? LLVMGetOperand(access->inst, 1)
                                          : NULL;
}

/* The nearest pointer that all addresses of ARRAY are computed from, and that isn't its base; *FIRST: one of its accesses.
 * NULL: there is none. */
static LLVMValueRef find_common(struct tsr_model *m, int array, int *first)
{
  LLVMValueRef common[MAX_POINTERS];
  int n = -1;
  for (int i = 0; i < m->n_access && n != 0; i++) {
    LLVMValueRef own[MAX_POINTERS], pointer = address_of(&m->access[i]);
    if (m->access[i].array != array)
      continue;
    if (!pointer || !m->access[i].offset)
      return NULL;
    int n_own = find_outside(m, pointer, n < 0 ? common : own), kept = 0;
    if (n < 0) {
      n = n_own;
      *first = i;
      continue;
    }
    for (int k = 0; k < n; k++)
      for (int l = 0; l < n_own; l++)
        if (common[k] == own[l]) {
          common[kept++] = common[k];
          break;
        }
    n = kept;
  }
  return n > 0 && common[0] != m->arrays[array].base ? common[0] : NULL;
}

/* Has P a product of parameters? */
static bool has_product(struct tsr_model *m, const struct tsr_poly *p)
{
  for (int t = 0; t < p->n; t++) {
    int n_counter = 0;
    for (int k = 0; k < p->term[t].degree; k++)
      n_counter += tsr_atom_is_counter(m, p->term[t].atom[k]);
    if (p->term[t].degree > 1 && n_counter == 0)
      return true;
  }
  return false;
}

/* Elements from the base of ARRAY to POINTER, for access FIRST; NULL: that is no polynomial, or one that rows are as good
 * with. */
static struct tsr_poly *distance_to(struct tsr_model *m, int array, LLVMValueRef pointer, int first)
{
  const struct tsr_stmt_info *stmt = &m->stmts[m->access[first].stmt];
  tsr_loop loop = tsr_loop_for(m->a, stmt->block);
  tsr_scev s = tsr_scev_at(m->a, pointer, loop);
  if (!s || tsr_scev_pointer_base(m->a, s) != m->arrays[array].base)
    return NULL;
  struct tsr_poly *bytes = tsr_poly_of(m, tsr_scev_pointer_offset(m->a, s), TSR_MODULO, stmt->domain, loop);
  struct tsr_poly *p = bytes ? tsr_poly_in_elements(m, bytes, m->arrays[array].elem_size, stmt->domain) : NULL;
  return p && has_product(m, p) ? p : tsr_poly_free(p);
}

bool tsr_array_move_base(struct tsr_model *m, int array)
{
  struct tsr_array_info *a = &m->arrays[array];
  int first;
  if (a->kind != TSR_ARRAY_MEMORY || a->rows || !m->exact)
    return false;
  LLVMValueRef pointer = find_common(m, array, &first);
  isl_set *saved = isl_set_copy(m->violated);
  struct tsr_poly *distance = pointer ? distance_to(m, array, pointer, first) : NULL;
  if (!distance) { /* what the attempt assumed */
    isl_set_free(m->violated);
    m->violated = saved;
    tsr_model_retry(m);
    return false;
  }
  isl_set_free(saved);
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].array == array)
      m->access[i].offset = tsr_poly_sub(m->access[i].offset, tsr_poly_copy(distance));
  tsr_poly_free(distance);
  a->base = pointer;
  return true;
}
