// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The original of a function, untouched, for small sizes: see kept_original.cpp.
#ifndef TSR_KEPT_ORIGINAL_H
#define TSR_KEPT_ORIGINAL_H

namespace llvm
{
class Function;
} // namespace llvm

namespace tsr
{

// Has CHANGED a test of sizes for each of its NESTS, all of them known when it is entered, and may ORIGINAL call it? No if
// NESTS is 0.
bool canKeepOriginal(llvm::Function &Changed, const llvm::Function &Original, unsigned Nests);
// Drop the original loops from CHANGED where its original can go on with its own body instead. True: it returns a flag in
// addition, false for that, so its type is that of createLarge with DECLINES. False: it is as it was, or needs none.
bool dropOriginal(llvm::Function &Changed);
// A function beside ORIGINAL, empty, for the body of FROM, of another module.
llvm::Function *createLarge(llvm::Function &Original, const llvm::Function &From, bool Declines);
// LARGE, or what has taken its place: with a subprogram of its own.
llvm::Function *ownSubprogram(llvm::Function *Large, llvm::Function &Original);
// Let ORIGINAL begin with the tests of LARGE, and call that where sizes are large.
void testAtEntry(llvm::Function &Original, llvm::Function &Large);
// Forget which branches of F are tests.
void dropTests(llvm::Function &F);

} // namespace tsr
#endif
