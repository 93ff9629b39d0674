// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TSR_JOINED_EXITS_H
#define TSR_JOINED_EXITS_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm
{
class DominatorTree;
class Function;
class Loop;
class LoopInfo;
} // namespace llvm

namespace tsr
{
// Let control leave innermost loops of F, which are in their simple and closed form, at their latches alone
// (joined_exits.cpp) where it goes on in a loop around them that is WANTED. True: it does; what was known of F's control
// flow isn't so any more.
bool joinExits(llvm::Function &F, const llvm::DominatorTree &DT, const llvm::LoopInfo &LI,
               llvm::function_ref<bool(const llvm::Loop &)> Wanted);
} // namespace tsr
#endif
