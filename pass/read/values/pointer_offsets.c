/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pointers -> bytes from their base -> elements.
 *
 *   &a[i].y        base a, 16*i + 8 bytes, 2*i + 1 elements of 8 bytes
 *   end == begin   distance 0, one parameter for  end - begin
 *   p + i*stride   stride in bytes: assumed to be a multiple of the element size, stride = 8*s; i*s elements
 *   {int k; double x;}  16*i + 8, 8 bytes: elements 4*i + 2 and 4*i + 3 of 4 bytes */
#include "pass.h"
#include <isl/val.h>

/* ---- exact because the access happens
 *
 * Scalar evolution can't keep "nsw" where the instruction might run without its result being used. Here the address is that
 * of an access which is executed: if the arithmetic had overflowed, it would be poison and the access undefined. So under a
 * sign extension "nsw" operations are those of the integers. */

static struct tsr_poly *exact_value(struct tsr_model *m, LLVMValueRef value, isl_set *domain, tsr_loop loop, int depth);

static struct tsr_poly *exact_operation(struct tsr_model *m, LLVMValueRef inst, isl_set *domain, tsr_loop loop, int depth)
{
  LLVMOpcode op = LLVMGetInstructionOpcode(inst);
  bool wide = LLVMGetIntTypeWidth(LLVMTypeOf(inst)) == 64;
  if (op == LLVMSExt || (op == LLVMZExt && LLVMGetNNeg(inst)))
    return exact_value(m, LLVMGetOperand(inst, 0), domain, loop, depth + 1);
  bool sum = op == LLVMAdd || op == LLVMSub || op == LLVMMul;
  if (!sum || (!wide && !LLVMGetNSW(inst)))
    return NULL;
  struct tsr_poly *a = exact_value(m, LLVMGetOperand(inst, 0), domain, loop, depth + 1);
  struct tsr_poly *b = exact_value(m, LLVMGetOperand(inst, 1), domain, loop, depth + 1);
  return op == LLVMAdd ? tsr_poly_add(a, b) : op == LLVMSub ? tsr_poly_sub(a, b) : tsr_poly_mul(a, b);
}

static struct tsr_poly *exact_value(struct tsr_model *m, LLVMValueRef value, isl_set *domain, tsr_loop loop, int depth)
{
  if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind || depth > 16)
    return NULL;
  if (tsr_model_in_region(m, value)) {
    struct tsr_poly *p = exact_operation(m, value, domain, loop, depth);
    if (p)
      return p;
  }
  bool wide = LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 64;
  return tsr_poly_of(m, tsr_scev_at(m->a, value, loop), wide ? TSR_MODULO : TSR_SIGNED, domain, loop);
}

struct tsr_poly *tsr_pointer_poly(struct tsr_model *m, LLVMValueRef pointer, isl_set *domain, tsr_loop loop)
{
  tsr_scev s = tsr_scev_at(m->a, pointer, loop);
  isl_set *saved = isl_set_copy(m->violated);
  struct tsr_poly *p = s ? tsr_poly_of(m, tsr_scev_pointer_offset(m->a, s), TSR_MODULO, domain, loop) : NULL;
  if (p || !LLVMIsAGetElementPtrInst(pointer) || LLVMGetNumOperands(pointer) != 2 || !tsr_model_in_region(m, pointer)) {
    isl_set_free(saved);
    return p;
  }
  isl_set_free(m->violated); /* what the failed attempt assumed */
  m->violated = saved;
  int64_t size = tsr_type_alloc_size(m->module, LLVMGetGEPSourceElementType(pointer));
  struct tsr_poly *base = tsr_pointer_poly(m, LLVMGetOperand(pointer, 0), domain, loop);
  struct tsr_poly *index = exact_value(m, LLVMGetOperand(pointer, 1), domain, loop, 0);
  return tsr_poly_add(base, index ? tsr_poly_scale(index, size) : NULL);
}

struct tsr_poly *tsr_pointer_distance(struct tsr_model *m, tsr_scev a, tsr_scev b, isl_set *domain, tsr_loop loop)
{
  LLVMValueRef base[2] = {a ? tsr_scev_pointer_base(m->a, a) : NULL, b ? tsr_scev_pointer_base(m->a, b) : NULL};
  for (int i = 0; i < 2; i++)
    if (!base[i] || tsr_model_in_region(m, base[i]))
      return NULL;
  struct tsr_poly *from = tsr_poly_of(m, tsr_scev_pointer_offset(m->a, b), TSR_MODULO, domain, loop);
  struct tsr_poly *all = tsr_poly_sub(tsr_poly_of(m, tsr_scev_pointer_offset(m->a, a), TSR_MODULO, domain, loop), from);
  return base[0] == base[1] ? all : tsr_poly_add(all, tsr_poly_atom(tsr_atom_distance(m, base[0], base[1])));
}

/* T in elements of SIZE bytes, a parameter of it replaced by what it is in elements. */
static bool term_in_elements(struct tsr_model *m, struct tsr_term *t, int size, isl_set *domain)
{
  if (t->coef % size == 0) {
    t->coef /= size;
    return true;
  }
  for (int k = 0; k < t->degree; k++) {
    int atom = t->atom[k];
    if (m->atoms[atom].kind != TSR_ATOM_PARAM || !m->atoms[atom].value)
      continue;
    struct tsr_poly *p = tsr_poly_atom(atom);
    isl_pw_aff *rest = isl_pw_aff_mod_val(tsr_poly_to_pw_aff(m, p), isl_val_int_from_si(m->ctx, size));
    isl_set *bad = isl_set_complement(isl_pw_aff_zero_set(rest));
    tsr_poly_free(p);
    t->atom[k] = tsr_atom_quotient(m, atom, size);
    for (int i = t->degree - 1; i > 0; i--) /* sorted again: atoms made later have greater numbers */
      for (int j = 0; j < i; j++)
        if (t->atom[j] > t->atom[j + 1]) {
          int swap = t->atom[j];
          t->atom[j] = t->atom[j + 1];
          t->atom[j + 1] = swap;
        }
    return tsr_model_assume_not(m, isl_set_copy(domain), bad);
  }
  return false;
}

struct tsr_poly *tsr_poly_in_elements(struct tsr_model *m, struct tsr_poly *bytes, int size, isl_set *domain)
{
  struct tsr_poly *all = tsr_poly_const(0);
  for (int i = 0; all && i < bytes->n; i++) {
    struct tsr_term t = bytes->term[i];
    all = term_in_elements(m, &t, size, domain) ? tsr_poly_add(all, tsr_poly_term(&t)) : tsr_poly_free(all);
  }
  tsr_poly_free(bytes);
  return all;
}

static int gcd(int a, int64_t b)
{
  while (b) {
    int64_t rest = a % b;
    a = (int)b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

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
