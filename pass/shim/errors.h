// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TSR_ERRORS_H
#define TSR_ERRORS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <vector>

namespace llvm
{
class BasicBlock;
class Function;
class LoopInfo;
} // namespace llvm

namespace tsr
{

// Do all ways from B lead to `unreachable`?
bool isErrorBlock(const llvm::BasicBlock *B);

// The error blocks of a function. Where it never returns, as a main that ends with exit(0), what comes behind its loops, by
// way of their latches, is its end, and no error.
class Errors
{
public:
  Errors(llvm::Function &F, llvm::LoopInfo &LI);
  bool has(const llvm::BasicBlock *B) const;

private:
  llvm::DenseSet<const llvm::BasicBlock *> End;
};

// Immediate post-dominators, as if there were no error blocks, and as if loops without an end were left at their latches.
class PostDominators
{
public:
  PostDominators(llvm::Function &F, llvm::LoopInfo &LI, const Errors &Bad);
  llvm::BasicBlock *above(const llvm::BasicBlock *B) const; // nullptr: the exit

private:
  llvm::DenseMap<const llvm::BasicBlock *, llvm::BasicBlock *> Above;
};

} // namespace tsr
#endif
