// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TSR_UNDO_H
#define TSR_UNDO_H

namespace llvm
{
class DominatorTree;
class Function;
class LoopInfo;
} // namespace llvm

namespace tsr
{

// Join blocks of F that do nothing but ask the same.
void mergeBranches(llvm::Function &F);

// Let selects choose between subscripts where branches do that choose nothing else, as for borders that are mirrored.
void foldSubscripts(llvm::Function &F);

// Let loops count in the type of the source's counter where it is narrower than int, in which C adds. In front of rotation,
// which carries along what is wider. True: something has changed, but no block.
bool narrowCounters(const llvm::LoopInfo &LI);

// Compute anew what is the same expression, of at most a few operations, on all ways to a phi, where it is as defined as the
// phi; in front of a loop, what it computes for what is behind it, too. True: something has changed, but no block.
bool shareExpressions(llvm::Function &F, const llvm::DominatorTree &DT, const llvm::LoopInfo &LI);

} // namespace tsr
#endif
