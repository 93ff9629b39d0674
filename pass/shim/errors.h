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
} // namespace llvm

namespace tsr
{

// Do all ways from B lead to `unreachable`?
bool isErrorBlock(const llvm::BasicBlock *B);

// Immediate post-dominators, as if there were no error blocks.
class PostDominators
{
public:
  explicit PostDominators(llvm::Function &F);
  llvm::BasicBlock *above(const llvm::BasicBlock *B) const; // nullptr: the exit

private:
  llvm::DenseMap<const llvm::BasicBlock *, llvm::BasicBlock *> Above;
};

} // namespace tsr
#endif
