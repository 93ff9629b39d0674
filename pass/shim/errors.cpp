// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks in which the program ends with an error: all ways from them lead to `unreachable`, as that of a failed assertion.
// And the control flow of a function as if no such block were there.
#include "errors.h"
#include "llvm/Analysis/LoopInfo.h"
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

static bool returns(const Function &F)
{
  for (const BasicBlock &B : reverse(F))
    if (isa_and_nonnull<ReturnInst>(B.getTerminator()))
      return true;
  return false;
}

tsr::Errors::Errors(Function &F, LoopInfo &LI)
{
  if (returns(F))
    return;
  std::vector<const BasicBlock *> Work;
  for (const Loop *L : LI)
    for (const BasicBlock *To : L->getLoopLatch() ? successors(L->getLoopLatch()) : successors(L->getHeader()))
      if (L->getLoopLatch() && !L->contains(To) && isErrorBlock(To))
        Work.push_back(To);
  while (!Work.empty()) {
    const BasicBlock *B = Work.back();
    Work.pop_back();
    if (End.insert(B).second)
      Work.insert(Work.end(), succ_begin(B), succ_end(B));
  }
}

bool tsr::Errors::has(const BasicBlock *B) const
{
  return isErrorBlock(B) && !End.contains(B);
}

namespace
{
// Blocks that lead to the ends of a function, backwards, in postorder.
struct Backwards {
  const tsr::Errors &Bad;
  DenseMap<const BasicBlock *, unsigned> Number;
  std::vector<BasicBlock *> Order;
  DenseSet<const BasicBlock *> Seen;

  explicit Backwards(const tsr::Errors &Bad) : Bad(Bad)
  {
  }

  void visit(BasicBlock *End)
  {
    std::vector<std::pair<BasicBlock *, pred_iterator>> Stack;
    if (Seen.insert(End).second)
      Stack.push_back({End, pred_begin(End)});
    while (!Stack.empty()) {
      auto &[B, At] = Stack.back();
      if (At == pred_end(B)) {
        Number[B] = Order.size();
        Order.push_back(B);
        Stack.pop_back();
        continue;
      }
      BasicBlock *From = *At++;
      if (!Bad.has(From) && Seen.insert(From).second)
        Stack.push_back({From, pred_begin(From)});
    }
  }
};
} // namespace

// Cooper, Harvey and Kennedy's algorithm.
tsr::PostDominators::PostDominators(Function &F, LoopInfo &LI, const Errors &Bad)
{
  Backwards Way(Bad);
  DenseSet<const BasicBlock *> Ends;
  for (BasicBlock &End : F)
    if (!Bad.has(&End) && succ_empty(&End)) {
      Ends.insert(&End);
      Way.visit(&End);
    }
  for (Loop *L : LI)
    if (L->getLoopLatch() && !Way.Seen.contains(L->getLoopLatch())) {
      Ends.insert(L->getLoopLatch());
      Way.visit(L->getLoopLatch());
    }
  auto &Order = Way.Order;
  auto &Number = Way.Number;
  const unsigned Root = Order.size(), None = Root + 1;
  std::vector<unsigned> Idom(Root + 1, None);
  Idom[Root] = Root;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (unsigned I = Root; I-- > 0;) {
      unsigned New = Ends.contains(Order[I]) ? Root : None;
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
