// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Optimisation remarks and errors through LLVM's own streams.
#include "shim.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LLVMRemarkStreamer.h"
#include "llvm/IR/Module.h"

using namespace llvm;

template <typename Remark>
static void emit(Function *F, DebugLoc Loc, const char *Name, const tsr_remark_arg *Args, unsigned N)
{
  OptimizationRemarkEmitter ORE(F);
  // Remarks keep pointers to their names: intern them in the context.
  Remark R("tessera", MDString::get(F->getContext(), Name)->getString(), DiagnosticLocation(Loc), &F->getEntryBlock());
  for (unsigned I = 0; I < N; I++) {
    if (!*Args[I].key)
      R << Args[I].value;
    else
      R << DiagnosticInfoOptimizationBase::Argument(Args[I].key, StringRef(Args[I].value));
  }
  ORE.emit(R);
}

bool tsr_remarks_are_wanted(LLVMValueRef function)
{
  LLVMContext &C = unwrap<Function>(function)->getContext();
  return C.getLLVMRemarkStreamer() || (C.getDiagHandlerPtr() && C.getDiagHandlerPtr()->isAnyRemarkEnabled("tessera"));
}

void tsr_remark(LLVMValueRef function, LLVMMetadataRef location, enum tsr_remark_kind kind, const char *name,
                const struct tsr_remark_arg *args, unsigned n)
{
  auto *F = unwrap<Function>(function);
  if (!tsr_remarks_are_wanted(function))
    return;
  DebugLoc Loc = location ? DebugLoc(dyn_cast<DILocation>(unwrap(location))) : DebugLoc();
  if (!Loc && F->getSubprogram())
    Loc = DILocation::get(F->getContext(), F->getSubprogram()->getLine(), 0, F->getSubprogram());
  if (kind == TSR_REMARK_PASSED)
    emit<OptimizationRemark>(F, Loc, name, args, n);
  else if (kind == TSR_REMARK_MISSED)
    emit<OptimizationRemarkMissed>(F, Loc, name, args, n);
  else
    emit<OptimizationRemarkAnalysis>(F, Loc, name, args, n);
}

void tsr_error(LLVMModuleRef module, const char *message)
{
  unwrap(module)->getContext().emitError(Twine("tessera: ") + message);
}
