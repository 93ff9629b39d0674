// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The original of a function, untouched, for small sizes: see kept_original.cpp.
#ifndef TSR_KEPT_ORIGINAL_H
#define TSR_KEPT_ORIGINAL_H

namespace llvm
{
class BasicBlock;
class Function;
} // namespace llvm

namespace tsr
{

// Has CHANGED a test of sizes for each of its NESTS, all of them known when it is entered, and may ORIGINAL call it? No if
// NESTS is 0.
bool canKeepOriginal(llvm::Function &Changed, const llvm::Function &Original, unsigned Nests);
// Drop the loops of ORIGINAL from CHANGED, where that can be: it decides in a block, which is returned, to go on with what
// ORIGINAL was instead (decline). NULL: it is as it was, or never does.
llvm::BasicBlock *dropOriginal(llvm::Function &Changed, const llvm::Function &Original);
// A function beside ORIGINAL, empty, for the body of FROM, of another module.
llvm::Function *createLarge(llvm::Function &Original, const llvm::Function &From);
// A function beside ORIGINAL with its body; ORIGINAL is empty then.
llvm::Function *moveOriginal(llvm::Function &Original);
// Let the function of the block DECLINED, of dropOriginal, return what SMALL does.
void decline(llvm::BasicBlock &Declined, llvm::Function &Small);
// BESIDE, or what has taken its place: with a subprogram of its own, not that of ORIGINAL, which its code is from.
llvm::Function *ownSubprogram(llvm::Function *Beside, llvm::Function &Original);
// Let ORIGINAL begin with the tests of LARGE, and call that where sizes are large; else SMALL, where that has its body.
void testAtEntry(llvm::Function &Original, llvm::Function &Large, llvm::Function *Small);
// Forget which branches of F are tests.
void dropTests(llvm::Function &F);

} // namespace tsr
#endif
