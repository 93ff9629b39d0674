// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TSR_RUNNING_VALUES_H
#define TSR_RUNNING_VALUES_H

#include "llvm/IR/PassManager.h"

namespace tsr
{
// Values that inner loops move on become recurrences of the loops around (running_values.cpp). Loops are rotated, in their
// simple form. No block changes.
struct RunningValues : llvm::PassInfoMixin<RunningValues> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
};
} // namespace tsr
#endif
