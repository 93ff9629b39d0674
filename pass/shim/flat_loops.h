// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TSR_FLAT_LOOPS_H
#define TSR_FLAT_LOOPS_H

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/PassManager.h"

namespace tsr
{
// A quick look, before all else: has F a division of what may be a counter?
bool mayHaveFlatLoops(const llvm::Function &F);

// What became of a function's flat loops. Where one of them is short, and has no other loop in it, divisions are much of
// what it does: rows are worth having by themselves.
struct FlatLoops {
  bool Worthwhile = false;
  const llvm::DILocation *At = nullptr; // of such a loop
};

// Loops over flat indices become loops over rows (flat_loops.cpp). Loops are rotated, in their simple form.
struct SplitFlatLoops : llvm::PassInfoMixin<SplitFlatLoops> {
  FlatLoops *Found;

  explicit SplitFlatLoops(FlatLoops &Found) : Found(&Found)
  {
  }
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
};
} // namespace tsr
#endif
