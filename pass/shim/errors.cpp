// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks in which the program ends with an error: all ways from them lead to `unreachable`, as that of a failed assertion.
// And the control flow of a function as if no such block were there.
#include "errors.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

static bool isError(const BasicBlock *B, unsigned Depth)
{
  const Instruction *End = B->getTerminator();
  if (Depth > 8 || !End || B->isEHPad())
    return false;
  if (isa<UnreachableInst>(End))
    return true;
  if (const auto *Invoke = dyn_cast<InvokeInst>(End))
    return isError(Invoke->getNormalDest(), Depth + 1);
  const auto *Branch = dyn_cast<BranchInst>(End);
  if (!Branch)
    return false;
  for (const BasicBlock *To : Branch->successors())
    if (!isError(To, Depth + 1))
      return false;
  return true;
}

bool tsr::isErrorBlock(const BasicBlock *B)
{
  return isError(B, 0);
}

tsr::PostDominators::PostDominators(Function &F)
{
  // Blocks from the ends of the function backwards, in postorder; then Cooper, Harvey and Kennedy's algorithm.
  DenseMap<const BasicBlock *, unsigned> Number;
  std::vector<BasicBlock *> Order;
  DenseSet<const BasicBlock *> Seen;
  for (BasicBlock &End : F) {
    if (isErrorBlock(&End) || !succ_empty(&End))
      continue;
    std::vector<std::pair<BasicBlock *, pred_iterator>> Stack;
    if (Seen.insert(&End).second)
      Stack.push_back({&End, pred_begin(&End)});
    while (!Stack.empty()) {
      auto &[B, At] = Stack.back();
      if (At == pred_end(B)) {
        Number[B] = Order.size();
        Order.push_back(B);
        Stack.pop_back();
        continue;
      }
      BasicBlock *From = *At++;
      if (!isErrorBlock(From) && Seen.insert(From).second)
        Stack.push_back({From, pred_begin(From)});
    }
  }
  const unsigned Root = Order.size(), None = Root + 1;
  std::vector<unsigned> Idom(Root + 1, None);
  Idom[Root] = Root;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (unsigned I = Root; I-- > 0;) {
      unsigned New = succ_empty(Order[I]) ? Root : None;
      for (BasicBlock *To : successors(Order[I])) {
        auto It = Number.find(To);
        if (It == Number.end() || Idom[It->second] == None)
          continue;
        unsigned A = It->second, B = New;
        while (B != None && A != B)
          (A < B ? A : B) = Idom[A < B ? A : B];
        New = A;
      }
      Changed |= New != Idom[I];
      Idom[I] = New;
    }
  }
  for (unsigned I = 0; I < Root; I++)
    if (Idom[I] < Root)
      Above[Order[I]] = Order[Idom[I]];
}

BasicBlock *tsr::PostDominators::above(const BasicBlock *B) const
{
  return Above.lookup(B);
}
