/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What may run on a GPU: an accept-list of instructions that give the same bits there. Not on it, though the model has them:
 *
 *   calls of libraries, and intrinsics    exp, sin, pow, ..: a GPU's are others, some abort its back end; where less exact
 *   that are such                         ones will do (-fapprox-func), those of CUDA's libdevice; and but for sqrt: a
 * number below 0, for which it sets errno, ends the job, and the CPU's code runs minnum, maxnum                        which
 * zero, a target may choose half, bfloat, fp128, frem             not everywhere, or not exact transfers (memset), rows,
 * lookups     the model's own accesses alone have an address on a GPU */
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

bool tsr_gpu_is_sqrt(LLVMValueRef call)
{
  size_t length;
  LLVMValueRef callee = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;
  if (!callee || !LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee) || LLVMGetNumArgOperands(call) != 1)
    return false;
  const char *name = LLVMGetValueName2(callee, &length);
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(call));
  return LLVMTypeOf(LLVMGetOperand(call, 0)) == LLVMTypeOf(call) &&
         ((kind == LLVMDoubleTypeKind && !strcmp(name, "sqrt")) || (kind == LLVMFloatTypeKind && !strcmp(name, "sqrtf")));
}

/* May CALL be one of a GPU's own mathematical functions, as less exact ones will do? */
static bool may_approximate(LLVMValueRef call)
{
  return LLVMCanValueUseFastMathFlags(call) && (LLVMGetFastMathFlags(call) & LLVMFastMathApproxFunc) &&
         !tsr_call_effects(call).errno_write && tsr_device_has_function(call);
}

static bool may_call(LLVMValueRef call)
{
  size_t length;
  LLVMValueRef callee = LLVMGetCalledValue(call);
  if (tsr_inst_is_debug(call) || tsr_gpu_is_sqrt(call) || may_approximate(call))
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
    return "it calls a function of which a GPU has no exact version, or none without CUDA's libdevice";
  if (op == LLVMFRem || op == LLVMInvoke || op == LLVMSwitch)
    return "it has an instruction that isn't made for GPUs";
  if (op == LLVMCall)
    return NULL;
  bool good = may_have_type(LLVMTypeOf(inst));
  for (int i = 0; i < LLVMGetNumOperands(inst) && good; i++)
    good = may_have_type(LLVMTypeOf(LLVMGetOperand(inst, i)));
  return good ? NULL : "it computes with numbers of a type that isn't made for GPUs";
}

/* Where COND holds, the job comes to nothing. */
static void end_job(struct tsr_emit *e, LLVMValueRef cond)
{
  LLVMValueRef one = LLVMConstInt(LLVMInt32TypeInContext(e->llvm), 1, false);
  LLVMBasicBlockRef set = tsr_emit_block(e, "tsr.giveup"), behind = tsr_emit_block(e, "tsr.goon");
  LLVMBuildCondBr(e->b, cond, set, behind);
  LLVMPositionBuilderAtEnd(e->b, set);
  LLVMValueRef flag = LLVMBuildIntToPtr(e->b, e->gpu->flag, LLVMPointerTypeInContext(e->llvm, 0), "tsr.flag");
  LLVMValueRef store = LLVMBuildStore(e->b, one, flag);
  LLVMSetOrdering(store, LLVMAtomicOrderingMonotonic); /* several threads may */
  LLVMBuildBr(e->b, behind);
  LLVMPositionBuilderAtEnd(e->b, behind);
}

/* Statements with calls that set errno have one block (read/scop_model.c), which may end here and go on in another one. */
LLVMValueRef tsr_emit_device_sqrt(struct tsr_emit *e, LLVMValueRef call, LLVMValueRef operand)
{
  LLVMTypeRef type = LLVMTypeOf(call);
  if (tsr_call_effects(call).errno_write)
    end_job(e, LLVMBuildFCmp(e->b, LLVMRealOLT, operand, LLVMConstNull(type), ""));
  unsigned id = LLVMLookupIntrinsicID("llvm.sqrt", strlen("llvm.sqrt"));
  LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->m->module, id, &type, 1);
  LLVMValueRef made = LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->llvm, id, &type, 1), function, &operand, 1, "");
  LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(call));
  return made;
}

bool tsr_gpu_can_run(struct tsr_model *m, const char **why)
{
  *why = NULL;
  for (int b = 0; b < m->blocks.n && !*why; b++)
    for (LLVMValueRef inst = LLVMGetFirstInstruction(m->blocks.block[b]); inst && !*why; inst = LLVMGetNextInstruction(inst))
      *why = find_obstacle(m, inst);
  for (int i = 0; i < m->n_skip && !*why; i++)
    *why = m->skip[i].often ? NULL : "what it assumes of its data has to be looked at first";
  if (m->expansion && !*why)
    *why = "a sum of it is in an array of its own";
  return !*why;
}
