// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What LLVM-C doesn't tell about instructions, types, functions and source locations.
#include "shim.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/TargetParser/Triple.h"
#include <cstring>

using namespace llvm;

/* Products and quotients of complex numbers, by compilers' own libraries: functions of four numbers alone (C17, Annex G), of
 * which compilers tell nothing. Their names are reserved. */
bool tsr_is_complex_helper(LLVMValueRef call)
{
  auto *Call = dyn_cast<CallBase>(unwrap(call));
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  if (!F || !F->isDeclaration() || Call->arg_size() != 4)
    return false;
  StringRef Name = F->getName();
  bool Double = Name == "__muldc3" || Name == "__divdc3", Single = Name == "__mulsc3" || Name == "__divsc3";
  return (Double || Single) &&
         all_of(Call->args(), [&](const Use &U) { return Double ? U->getType()->isDoubleTy() : U->getType()->isFloatTy(); });
}

struct tsr_call_effects tsr_call_effects(LLVMValueRef call)
{
  auto *Call = unwrap<CallBase>(call);
  if (tsr_is_complex_helper(call)) {
    struct tsr_call_effects Values = {};
    Values.no_unwind = Values.will_return = true;
    Values.strictfp = Call->isStrictFP();
    Values.musttail = Call->isMustTailCall();
    return Values;
  }
  MemoryEffects ME = Call->getMemoryEffects();
  MemoryEffects Rest = ME.getWithoutLoc(IRMemLocation::ErrnoMem);
  struct tsr_call_effects E;
  E.reads = isRefSet(Rest.getModRef());
  E.writes = isModSet(Rest.getModRef());
  E.only_arguments = Rest.onlyAccessesArgPointees();
  E.errno_write = isModOrRefSet(ME.getModRef(IRMemLocation::ErrnoMem));
  E.no_unwind = Call->doesNotThrow();
  E.will_return = Call->hasFnAttr(Attribute::WillReturn);
  E.convergent = Call->isConvergent();
  E.strictfp = Call->isStrictFP();
  E.musttail = Call->isMustTailCall();
  return E;
}

bool tsr_target_fuses(LLVMValueRef function)
{
  auto *F = unwrap<Function>(function);
  if (!F->getParent()->getTargetTriple().isX86())
    return true;
  StringRef Features = F->getFnAttribute("target-features").getValueAsString();
  return Features.contains("+fma,") || Features.ends_with("+fma") || Features.contains("+fma4");
}

bool tsr_is_fmuladd(LLVMValueRef inst)
{
  auto *Call = dyn_cast<IntrinsicInst>(unwrap(inst));
  return Call && Call->getIntrinsicID() == Intrinsic::fmuladd;
}

void tsr_fuse(LLVMValueRef call)
{
  auto *Call = unwrap<CallInst>(call);
  Call->setCalledFunction(Intrinsic::getOrInsertDeclaration(Call->getModule(), Intrinsic::fma, {Call->getType()}));
}

bool tsr_inst_is_debug(LLVMValueRef inst)
{
  return isa<DbgInfoIntrinsic>(unwrap(inst)) || isa<PseudoProbeInst>(unwrap(inst));
}

uint64_t tsr_type_store_size(LLVMModuleRef module, LLVMTypeRef type)
{
  return unwrap(module)->getDataLayout().getTypeStoreSize(unwrap(type));
}
uint64_t tsr_type_alloc_size(LLVMModuleRef module, LLVMTypeRef type)
{
  return unwrap(module)->getDataLayout().getTypeAllocSize(unwrap(type));
}
bool tsr_type_has_padding(LLVMModuleRef module, LLVMTypeRef type)
{
  const DataLayout &DL = unwrap(module)->getDataLayout();
  return DL.getTypeSizeInBits(unwrap(type)) != 8 * DL.getTypeAllocSize(unwrap(type)).getKnownMinValue();
}

bool tsr_fast_math_reassoc(LLVMValueRef inst)
{
  auto *Op = dyn_cast<FPMathOperator>(unwrap(inst));
  return Op && Op->hasAllowReassoc();
}

void tsr_fast_math_allow_nan_inf(LLVMValueRef inst)
{
  unwrap<Instruction>(inst)->setHasNoNaNs(false);
  unwrap<Instruction>(inst)->setHasNoInfs(false);
}

bool tsr_fn_has_attr(LLVMValueRef function, const char *enum_name)
{
  return unwrap<Function>(function)->hasFnAttribute(Attribute::getAttrKindFromName(enum_name));
}
bool tsr_fn_has_text_attr(LLVMValueRef function, const char *name, const char *value)
{
  Attribute A = unwrap<Function>(function)->getFnAttribute(name);
  return A.isValid() && (!value || A.getValueAsString() == value);
}
bool tsr_fn_is_cold_or_small(LLVMValueRef function)
{
  auto *F = unwrap<Function>(function);
  return F->hasOptSize() || F->hasFnAttribute(Attribute::Cold);
}

bool tsr_location(LLVMMetadataRef location, const char **file, const char **dir, unsigned *line, unsigned *column)
{
  auto *Loc = location ? dyn_cast<DILocation>(unwrap(location)) : nullptr;
  if (!Loc)
    return false;
  *file = Loc->getFilename().data();
  *dir = Loc->getDirectory().data();
  *line = Loc->getLine();
  *column = Loc->getColumn();
  return *file != nullptr;
}
LLVMMetadataRef tsr_inst_location(LLVMValueRef inst)
{
  auto *I = dyn_cast<Instruction>(unwrap(inst));
  return I && I->getDebugLoc() ? wrap(static_cast<Metadata *>(I->getDebugLoc().get())) : nullptr;
}
char *tsr_source_name(LLVMValueRef value)
{
  Value *V = unwrap(value);
  if (auto *GV = dyn_cast<GlobalVariable>(V))
    return strdup(GV->getName().str().c_str());
  SmallVector<DbgVariableRecord *, 4> Records;
  findDbgUsers(V, Records);
  for (DbgVariableRecord *R : Records)
    if (!R->getVariable()->getName().empty() && !R->getVariable()->isArtificial())
      return strdup(R->getVariable()->getName().str().c_str());
  return V->hasName() && !V->getName().contains('.') ? strdup(V->getName().str().c_str()) : nullptr;
}

LLVMValueRef tsr_fn_special_call(LLVMValueRef function)
{
  for (Instruction &I : instructions(unwrap<Function>(function)))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (Call->isMustTailCall() || Call->hasFnAttr(Attribute::ReturnsTwice))
        return wrap(Call);
  return nullptr;
}

bool tsr_fn_has_fixed_body(LLVMValueRef function)
{
  auto *F = unwrap<Function>(function);
  if (F->hasPrefixData() || F->hasPrologueData())
    return true;
  for (BasicBlock &B : *F)
    if (B.hasAddressTaken())
      return true;
  return false;
}

bool tsr_module_is_supported(LLVMModuleRef module)
{
  Module *M = unwrap(module);
  const Triple &T = M->getTargetTriple();
  return M->getDataLayout().getPointerSizeInBits(0) == 64 && !T.isGPU();
}
