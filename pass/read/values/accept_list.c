/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The accept-list: which functions, instructions and types are modelled. What isn't listed is rejected. */
#include "read/values/values.h"
#include <regex.h>
#include <string.h>

/* Intrinsics that compute a value from values, by the part of the name behind "llvm.". */
static const char *const pure_intrinsics[] = {
    "fmuladd",    "fma",        "fabs",       "sqrt",        "copysign", "minnum",   "maxnum",    "minimum",  "maximum",
    "minimumnum", "maximumnum", "floor",      "ceil",        "trunc",    "rint",     "nearbyint", "round",    "roundeven",
    "sin",        "cos",        "tan",        "exp",         "exp2",     "exp10",    "log",       "log2",     "log10",
    "pow",        "powi",       "abs",        "smax",        "smin",     "umax",     "umin",      "ctpop",    "ctlz",
    "cttz",       "bswap",      "bitreverse", "fshl",        "fshr",     "sadd.sat", "uadd.sat",  "ssub.sat", "usub.sat",
    "is.fpclass", "lround",     "llround",    "lrint",       "llrint",   "asin",     "acos",      "atan",     "atan2",
    "sinh",       "cosh",       "tanh",       "canonicalize"};
/* Intrinsics that only tell something; copies do without. */
static const char *const ignored_intrinsics[] = {"assume",         "lifetime.start", "lifetime.end",
                                                 "donothing",      "dbg.declare",    "dbg.value",
                                                 "dbg.label",      "dbg.assign",     "experimental.noalias.scope.decl",
                                                 "var.annotation", "pseudoprobe"};

/* Those that set or copy bytes, each time in one call. */
static const char *const transfer_intrinsics[] = {"memset", "memcpy", "memmove"};

/* Is NAME one of the N in LIST, but for types behind a dot? */
static bool name_in(const char *name, size_t length, const char *const *list, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    size_t k = strlen(list[i]);
    if (length >= k && !strncmp(name, list[i], k) && (length == k || name[k] == '.'))
      return true;
  }
  return false;
}
#define NAME_IN(name, length, list) name_in(name, length, list, sizeof(list) / sizeof(*list))

/* Scalars whose size in memory is their size in bits. */
static bool type_is_accepted(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
  case LLVMFP128TypeKind:
    return true;
  case LLVMPointerTypeKind:
    return LLVMGetPointerAddressSpace(type) == 0;
  case LLVMIntegerTypeKind:
    return LLVMGetIntTypeWidth(type) <= 64;
  default:
    return false;
  }
}

/* Are the types of INST and its operands ones that can be modelled? */
static bool types_are_accepted(LLVMValueRef inst)
{
  if (!type_is_accepted(LLVMTypeOf(inst)) && LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMVoidTypeKind)
    return false;
  for (int i = 0; i < LLVMGetNumOperands(inst); i++) {
    LLVMValueRef op = LLVMGetOperand(inst, i);
    if (!LLVMIsAFunction(op) && !type_is_accepted(LLVMTypeOf(op)))
      return false;
  }
  return true;
}

/* The role of what can't be modelled, for the reason WHY. */
static enum tsr_role reject(enum tsr_reason *reason, enum tsr_reason why)
{
  *reason = why;
  return TSR_ROLE_REJECT;
}

/* A call of memset, memcpy or memmove, which ordinary code may run in any order that suits its reads and writes. */
static enum tsr_role transfer_role(LLVMValueRef call, enum tsr_reason *reason)
{
  if (LLVMGetNumOperandBundles(call))
    return reject(reason, TSR_REASON_Call);
  if (LLVMGetNumArgOperands(call) != 4 || !LLVMIsAConstantInt(LLVMGetOperand(call, 3)) ||
      LLVMConstIntGetZExtValue(LLVMGetOperand(call, 3)))
    return reject(reason, TSR_REASON_Volatile);
  for (int i = 0; i < 2; i++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, i));
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(type))
      return reject(reason, TSR_REASON_AddressSpace);
  }
  return types_are_accepted(call) ? TSR_ROLE_TRANSFER : reject(reason, TSR_REASON_Type);
}

/* Is INST a call of the intrinsic NAME? */
static bool is_intrinsic(LLVMValueRef inst, const char *name)
{
  unsigned id = LLVMIsACallInst(inst) ? LLVMGetIntrinsicID(LLVMGetCalledValue(inst)) : 0;
  return id && id == LLVMLookupIntrinsicID(name, strlen(name));
}

/* Does SAVE keep the stack for what comes in its block and allocates nothing, as flang does around quotients of complex
 * numbers? */
static bool saves_nothing(LLVMValueRef save)
{
  bool idle = is_intrinsic(save, "llvm.stacksave") && LLVMGetFirstUse(save);
  for (LLVMUseRef use = LLVMGetFirstUse(save); use && idle; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use), inst = save;
    idle = is_intrinsic(user, "llvm.stackrestore");
    while (idle && inst && inst != user) {
      inst = LLVMGetNextInstruction(inst);
      idle = inst && !LLVMIsAAllocaInst(inst);
    }
  }
  return idle;
}

/* Does INST take a number out of a complex one, which a call in the same block computes? */
static bool is_part_of_complex(LLVMValueRef inst)
{
  bool element = LLVMIsAExtractElementInst(inst) && LLVMIsAConstantInt(LLVMGetOperand(inst, 1));
  LLVMValueRef whole = element || LLVMIsAExtractValueInst(inst) ? LLVMGetOperand(inst, 0) : NULL;
  return whole && LLVMIsACallInst(whole) && tsr_is_complex_helper(whole) && type_is_accepted(LLVMTypeOf(inst)) &&
         LLVMGetInstructionParent(whole) == LLVMGetInstructionParent(inst);
}

/* Is CALL one that computes a complex number, of which nobody sees but its parts? */
static bool is_complex(LLVMValueRef call)
{
  bool is = tsr_is_complex_helper(call);
  for (LLVMUseRef use = LLVMGetFirstUse(call); use && is; use = LLVMGetNextUse(use))
    is = is_part_of_complex(LLVMGetUser(use));
  return is;
}

/* The role of CALL: a function of values, or of memory that it only reads; a transfer; nothing. */
static enum tsr_role call_role(struct tsr_model *m, LLVMValueRef call, enum tsr_reason *reason)
{
  LLVMValueRef callee = LLVMGetCalledValue(call);
  if (tsr_inst_is_debug(call))
    return TSR_ROLE_IGNORE;
  if (LLVMIsAInlineAsm(callee))
    return reject(reason, TSR_REASON_InlineAsm);
  struct tsr_call_effects fx = tsr_call_effects(call);
  size_t length = 0;
  const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
  bool intrinsic = length > 5 && !strncmp(name, "llvm.", 5);
  if (intrinsic && NAME_IN(name + 5, length - 5, ignored_intrinsics))
    return TSR_ROLE_IGNORE;
  if (intrinsic &&
      (saves_nothing(call) || (is_intrinsic(call, "llvm.stackrestore") && saves_nothing(LLVMGetOperand(call, 0)))))
    return TSR_ROLE_IGNORE;
  if (!LLVMGetFirstUse(call) && !strncmp(name, "llvm.threadlocal.address", 24))
    return TSR_ROLE_IGNORE; /* a proxy took its place (invariant_loads.c) */
  if (fx.strictfp || (intrinsic && !strncmp(name + 5, "experimental.constrained", 24)))
    return reject(reason, TSR_REASON_StrictFP);
  if (fx.convergent)
    return reject(reason, TSR_REASON_Convergent);
  if (intrinsic && NAME_IN(name + 5, length - 5, transfer_intrinsics))
    return transfer_role(call, reason);
  if (!LLVMIsAFunction(callee) || fx.musttail || LLVMGetNumOperandBundles(call) || (intrinsic && (fx.reads || fx.writes)))
    return reject(reason, TSR_REASON_Call);
  if (fx.writes)
    return reject(reason, fx.only_arguments ? TSR_REASON_CallWrites : TSR_REASON_Call);
  if (!fx.no_unwind || !fx.will_return)
    return reject(reason, TSR_REASON_NoReturn);
  if (intrinsic && !NAME_IN(name + 5, length - 5, pure_intrinsics))
    return reject(reason, TSR_REASON_Call);
  if (LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind)
    return fx.errno_write ? reject(reason, TSR_REASON_Call) : TSR_ROLE_IGNORE;
  if (!types_are_accepted(call) && !is_complex(call))
    return reject(reason, TSR_REASON_Type);
  if (!fx.errno_write && tsr_call_may_lose_precision(m->a, call))
    return reject(reason, TSR_REASON_VectorLibrary);
  m->has_errno |= fx.errno_write;
  m->has_reading_call |= fx.reads;
  return TSR_ROLE_PURE;
}

/* The role of INST, a load or a store. */
static enum tsr_role memory_role(struct tsr_model *m, LLVMValueRef inst, bool load, enum tsr_reason *reason)
{
  LLVMValueRef pointer = LLVMGetOperand(inst, load ? 0 : 1);
  LLVMTypeRef type = load ? LLVMTypeOf(inst) : LLVMTypeOf(LLVMGetOperand(inst, 0));
  if (LLVMGetVolatile(inst))
    return reject(reason, TSR_REASON_Volatile);
  if (LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic)
    return reject(reason, TSR_REASON_Atomic);
  if (LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)))
    return reject(reason, TSR_REASON_AddressSpace);
  bool own =
      LLVMIsAGetElementPtrInst(pointer) && tsr_is_expanded(LLVMGetOperand(pointer, 0)); /* then a guard may be in it */
  if (!type_is_accepted(type) || (tsr_type_has_padding(m->module, type) && !own))
    return reject(reason, TSR_REASON_Type);
  return load ? TSR_ROLE_LOAD : TSR_ROLE_STORE;
}

enum tsr_role tsr_inst_role(struct tsr_model *m, LLVMValueRef inst, enum tsr_reason *reason)
{
  switch (LLVMGetInstructionOpcode(inst)) {
  case LLVMPHI:
    return type_is_accepted(LLVMTypeOf(inst)) ? TSR_ROLE_PHI : reject(reason, TSR_REASON_Type);
  case LLVMLoad:
    return memory_role(m, inst, true, reason);
  case LLVMStore:
    return memory_role(m, inst, false, reason);
  case LLVMCall:
    return call_role(m, inst, reason);
  case LLVMFence:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    return reject(reason, TSR_REASON_Atomic);
  case LLVMInvoke:
    return reject(reason, TSR_REASON_Invoke);
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMUDiv:
  case LLVMSDiv:
  case LLVMURem:
  case LLVMSRem:
  case LLVMShl:
  case LLVMLShr:
  case LLVMAShr:
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
  case LLVMFAdd:
  case LLVMFSub:
  case LLVMFMul:
  case LLVMFDiv:
  case LLVMFRem:
  case LLVMFNeg:
  case LLVMTrunc:
  case LLVMZExt:
  case LLVMSExt:
  case LLVMFPToUI:
  case LLVMFPToSI:
  case LLVMUIToFP:
  case LLVMSIToFP:
  case LLVMFPTrunc:
  case LLVMFPExt:
  case LLVMPtrToInt:
  case LLVMBitCast:
  case LLVMICmp:
  case LLVMFCmp:
  case LLVMSelect:
  case LLVMGetElementPtr:
    return types_are_accepted(inst) ? TSR_ROLE_PURE : reject(reason, TSR_REASON_Type);
  case LLVMExtractValue:
  case LLVMExtractElement:
    return is_part_of_complex(inst) ? TSR_ROLE_PURE : reject(reason, TSR_REASON_Instruction);
  default:
    return reject(reason, TSR_REASON_Instruction);
  }
}

/* A minimum or maximum of integers, as loops have in their bounds, and such: no dearer than what is computed anew anyway. */
static bool is_extremum(LLVMValueRef call)
{
  static const char *const extrema[] = {"smax", "smin", "umax", "umin"};
  size_t length = 0;
  LLVMValueRef callee = LLVMGetCalledValue(call);
  const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
  return length > 5 && !strncmp(name, "llvm.", 5) && NAME_IN(name + 5, length - 5, extrema);
}

/* Integers that VALUE is computed from by one instruction after the other, as sizes of the levels of a pyramid are, count
 * less: a chain is no dearer than it is long. */
#define CHAIN 1
#define BRANCH 4
#define MOST_LEVELS (12 * BRANCH)

/* Is VALUE an integer that is computed from one other value of the SCoP? */
static bool is_chained(struct tsr_model *m, LLVMValueRef value)
{
  return tsr_operands_inside(m, value) <= 1 && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind;
}

/* The same as tsr_can_remat, for what is LEVELS, each of them weighed, below a value */
static bool can_remat(struct tsr_model *m, LLVMValueRef value, tsr_loop loop, int depth, int levels)
{
  if (!LLVMIsAInstruction(value) || !tsr_model_in_region(m, value))
    return true;
  tsr_loop home = tsr_loop_for(m->a, LLVMGetInstructionParent(value));
  if (levels > MOST_LEVELS || (home && !(loop && tsr_loop_contains_loop(home, loop))))
    return false;
  enum tsr_reason reason;
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));
  if (LLVMIsAPHINode(value)) {
    LLVMValueRef start;
    tsr_scev step;
    LLVMValueRef before;
    struct tsr_exact_sum sum;
    bool counter = tsr_phi_is_counter(m, value, &start, &step),
         late = !counter && tsr_phi_is_late(m, value, &start, &before);
    if (!counter && !late)
      return tsr_phi_is_sum(m, value, &sum);
    return can_remat(m, start, loop, depth + 1, levels + BRANCH) &&
           (!late || can_remat(m, before, loop, depth + 1, levels + BRANCH));
  }
  if ((kind != LLVMIntegerTypeKind && kind != LLVMPointerTypeKind && depth > 3) ||
      (LLVMIsACallInst(value) && !is_extremum(value)) || tsr_inst_role(m, value, &reason) != TSR_ROLE_PURE)
    return false;
  levels += is_chained(m, value) ? CHAIN : BRANCH;
  for (int i = 0; i < LLVMGetNumOperands(value); i++)
    if (!can_remat(m, LLVMGetOperand(value, i), loop, depth + 1, levels))
      return false;
  return true;
}

bool tsr_can_remat(struct tsr_model *m, LLVMValueRef value, tsr_loop loop)
{
  return can_remat(m, value, loop, 0, 0);
}

/* Does the name of FUNCTION match EXPRESSION, a regular expression? */
static bool matches(LLVMValueRef function, const char *expression)
{
  regex_t regex;
  size_t length;
  if (regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB))
    return false;
  bool match = !regexec(&regex, LLVMGetValueName2(function, &length), 0, NULL, 0);
  regfree(&regex);
  return match;
}

bool tsr_function_is_accepted(LLVMValueRef function, const struct tsr_options *opt, enum tsr_reason *reason,
                              const char **what)
{
  static const char *const untouched[] = {"optnone", "naked", "returns_twice", "presplitcoroutine"};
  static const struct {
    const char *attribute;
    enum tsr_reason reason;
  } told[] = {{"strictfp", TSR_REASON_StrictFP}, {"noimplicitfloat", TSR_REASON_NoImplicitFloat}};
  size_t length;
  *reason = TSR_ACCEPTED;
  if (LLVMIsDeclaration(function) || LLVMGetLinkage(function) == LLVMAvailableExternallyLinkage ||
      tsr_fn_has_fixed_body(function))
    return false;
  for (size_t i = 0; i < sizeof(untouched) / sizeof(*untouched); i++)
    if (tsr_fn_has_attr(function, untouched[i]))
      return false;
  if (tsr_fn_is_cold_or_small(function) && !opt->force)
    return false;
  if (opt->only && !matches(function, opt->only))
    return false;
  for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++)
    if (tsr_fn_has_attr(function, *what = told[i].attribute)) {
      *reason = told[i].reason;
      return false;
    }
  LLVMValueRef call = tsr_fn_special_call(function);
  if (call) {
    *reason = TSR_REASON_SpecialCall;
    *what = LLVMIsAFunction(LLVMGetCalledValue(call)) ? LLVMGetValueName2(LLVMGetCalledValue(call), &length) : "a pointer";
  }
  return !call;
}
