/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What may run on a GPU: an accept-list of instructions that give the same bits there. Not on it, though the model has them:
 *
 *   calls of libraries, and intrinsics that are such    exp, sin, pow, ..: a GPU's are others, some abort its back end
 *   minnum, maxnum                                      which zero, a target may choose
 *   half, bfloat, fp128, frem                           not everywhere, or not exact
 *   transfers (memset), arrays of rows, lookups         the model's own accesses alone have an address on a GPU */
#include "emit/gpu/gpu.h"
#include <string.h>

/* Intrinsics that are exact, by the part of the name behind "llvm.". */
static const char *const exact[] = {"fmuladd", "fma",  "fabs", "sqrt", "copysign", "floor",     "ceil",
                                    "trunc",   "rint", "abs",  "smax", "smin",     "umax",      "umin",
                                    "ctpop",   "ctlz", "cttz", "fshl", "fshr",     "bitreverse"};
/* Those that only tell something. */
static const char *const silent[] = {"assume",         "lifetime.start", "lifetime.end",
                                     "donothing",      "dbg.declare",    "dbg.value",
                                     "dbg.label",      "dbg.assign",     "experimental.noalias.scope.decl",
                                     "var.annotation", "pseudoprobe"};

/* Is NAME one of the N in LIST, but for types behind a dot? */
static bool is_in(const char *name, const char *const *list, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    size_t k = strlen(list[i]);
    if (!strncmp(name, list[i], k) && (!name[k] || name[k] == '.'))
      return true;
  }
  return false;
}

static bool may_call(LLVMValueRef call)
{
  size_t length;
  LLVMValueRef callee = LLVMGetCalledValue(call);
  if (tsr_inst_is_debug(call))
    return true;
  const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
  return !strncmp(name, "llvm.", 5) && (is_in(name + 5, exact, sizeof(exact) / sizeof(*exact)) ||
                                        is_in(name + 5, silent, sizeof(silent) / sizeof(*silent)));
}

static bool may_have_type(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMVoidTypeKind:
  case LLVMLabelTypeKind:
  case LLVMMetadataTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
  case LLVMPointerTypeKind:
    return true;
  case LLVMIntegerTypeKind:
    return LLVMGetIntTypeWidth(type) <= 64;
  default:
    return false;
  }
}

/* Is INST, a load or a store, an access that has a place on a GPU, and no address that is read or written? */
static bool may_access(struct tsr_model *m, LLVMValueRef inst)
{
  LLVMTypeRef type = LLVMIsALoadInst(inst) ? LLVMTypeOf(inst) : LLVMTypeOf(LLVMGetOperand(inst, 0));
  if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
    return false;
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].inst == inst)
      return !m->arrays[m->access[i].array].rows && !m->arrays[m->access[i].array].unbounded && m->access[i].size > 0;
  return false;
}

/* What of INST is in the way; NULL: nothing. */
static const char *find_obstacle(struct tsr_model *m, LLVMValueRef inst)
{
  LLVMOpcode op = LLVMGetInstructionOpcode(inst);
  if ((op == LLVMLoad || op == LLVMStore) && !may_access(m, inst))
    return "it loads or stores what has no place on a GPU: through pointers in memory, or at subscripts that aren't affine";
  if (op == LLVMCall && !may_call(inst))
    return "it calls a function of which a GPU has no exact version";
  if (op == LLVMFRem || op == LLVMInvoke || op == LLVMSwitch)
    return "it has an instruction that isn't made for GPUs";
  if (op == LLVMCall)
    return NULL;
  bool good = may_have_type(LLVMTypeOf(inst));
  for (int i = 0; i < LLVMGetNumOperands(inst) && good; i++)
    good = may_have_type(LLVMTypeOf(LLVMGetOperand(inst, i)));
  return good ? NULL : "it computes with numbers of a type that isn't made for GPUs";
}

bool tsr_gpu_can_run(struct tsr_model *m, const char **why)
{
  *why = NULL;
  for (int b = 0; b < m->blocks.n && !*why; b++)
    for (LLVMValueRef inst = LLVMGetFirstInstruction(m->blocks.block[b]); inst && !*why; inst = LLVMGetNextInstruction(inst))
      *why = find_obstacle(m, inst);
  if (m->n_skip && !*why)
    *why = "what it assumes of its data has to be looked at first";
  if (m->expansion && !*why)
    *why = "a sum of it is in an array of its own";
  return !*why;
}
