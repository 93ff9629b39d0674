/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pointers -> bytes from their base -> elements.
 *
 *   &a[i].y        base a, 16*i + 8 bytes, 2*i + 1 elements of 8 bytes
 *   end == begin   distance 0, one parameter for  end - begin
 *   p + i*stride   stride in bytes: assumed to be a multiple of the element size, stride = 8*s; i*s elements
 *   {int k; double x;}  16*i + 8, 8 bytes: elements 4*i + 2 and 4*i + 3 of 4 bytes */
#include "read/values/values.h"

/* ---- exact because the access happens
 *
 * Scalar evolution can't keep "nsw" where the instruction might run without its result being used. Here the address is that
 * of an access which is executed: if the arithmetic had overflowed, it would be poison and the access undefined. So under a
 * sign extension "nsw" operations are those of the integers. */

static struct tsr_poly *exact_value(struct tsr_model *m, LLVMValueRef value, isl_set *domain, tsr_loop loop, int depth);

/* INST as an integer, if its "nsw" says that it can't overflow; NULL else. */
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

/* VALUE as an integer, as far as "nsw" and scalar evolution tell. */
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
