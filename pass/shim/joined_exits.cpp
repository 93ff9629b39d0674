// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that are left in the middle, as searches are:
//
//   for (i = 0; i < n; i++)                for (i = 0; i < n; i++) {
//     for (j = 0; j < m; j++)                j = 0;
//       if (a[i][j] == x) {                  do {
//         at[i] = j;                ->         if (a[i][j] == x) go = false, why = 1;
//         break;                               else go = j + 1 < m, why = 0, j++;
//       }                                    } while (go);
//                                            if (why == 1) at[i] = j;
//                                          }
//
// The inner loop has one exit, at its latch, and is one statement of the nest, as are those that run for as long as data
// says.
#include "joined_exits.h"
#include "errors.h"
#include "shim.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace
{
// Of one loop. A choice: with more, it is a program of its own rather than a search.
const unsigned MostExits = 8;
} // namespace

// Is L the innermost loop of a nest, but that control leaves it in several places?
static bool canJoinExits(const Loop &L, const DominatorTree &DT)
{
  const Loop *Around = L.getParentLoop();
  const BasicBlock *Latch = L.getLoopLatch();
  SmallVector<Loop::Edge, 8> Edges;
  L.getExitEdges(Edges);
  if (!L.isInnermost() || !Around || !Latch || !L.getLoopPreheader() || !L.hasDedicatedExits() || Edges.size() < 2 ||
      Edges.size() > MostExits || !isa<BranchInst>(Latch->getTerminator()))
    return false;
  for (const auto &[From, To] : Edges) // loops that are left where the program ends, or at their latches alone, are fine
    if (!Around->contains(To) || tsr::isErrorBlock(To) || !isa<BranchInst>(From->getTerminator()) ||
        From->getTerminator()->getSuccessor(0) == From->getTerminator()->getSuccessor(1))
      return false;
  return L.isLCSSAForm(DT);
}

// A phi in IN, with VALUES of the blocks FROM.
static PHINode *makePhi(Type *T, ArrayRef<Value *> Values, ArrayRef<BasicBlock *> From, const Twine &Name, BasicBlock *In)
{
  auto *Phi = PHINode::Create(T, Values.size(), Name);
  Phi->insertInto(In, In->begin());
  for (unsigned K = 0; K < Values.size(); K++)
    Phi->addIncoming(Values[K], From[K]);
  return Phi;
}

static SmallVector<BasicBlock *, 8> joinExitsOf(Loop &L)
{
  BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch();
  LLVMContext &C = Header->getContext();
  addStringMetadataToLoop(&L, TSR_LOOP_JOINED);
  SmallVector<Loop::Edge, 8> Edges;
  L.getExitEdges(Edges);
  auto *Joined = BasicBlock::Create(C, "joined", Header->getParent(), Latch->getNextNode());
  auto *Behind = BasicBlock::Create(C, "behind", Header->getParent(), Joined->getNextNode());
  // Where control comes from, one by one: a latch that leaves the loop, too, gets a block between for that.
  SmallVector<BasicBlock *, 9> From;
  SmallVector<BasicBlock *, 9> To; // where it would have gone on
  for (auto [Inside, Outside] : Edges) {
    BasicBlock *Leaves = Inside;
    if (Inside == Latch) {
      Leaves = BasicBlock::Create(C, "left", Header->getParent(), Joined);
      BranchInst::Create(Joined, Leaves);
      Inside->getTerminator()->replaceSuccessorWith(Outside, Leaves);
    } else {
      Inside->getTerminator()->replaceSuccessorWith(Outside, Joined);
    }
    From.push_back(Leaves);
    To.push_back(Outside);
  }
  Latch->getTerminator()->replaceSuccessorWith(Header, Joined);
  From.push_back(Latch);
  To.push_back(Header);
  // What the header and the blocks behind the loop get.
  for (PHINode &Phi : Header->phis()) {
    SmallVector<Value *, 9> Values(From.size(), PoisonValue::get(Phi.getType()));
    Values.back() = Phi.getIncomingValueForBlock(Latch);
    Phi.setIncomingValueForBlock(Latch, makePhi(Phi.getType(), Values, From, "next", Joined));
    Phi.replaceIncomingBlockWith(Latch, Joined);
  }
  SmallVector<BasicBlock *, 8> Exits;
  for (BasicBlock *B : ArrayRef<BasicBlock *>(To).drop_back())
    if (!is_contained(Exits, B))
      Exits.push_back(B);
  for (BasicBlock *Exit : Exits)
    for (PHINode &Phi : Exit->phis()) {
      SmallVector<Value *, 9> Values;
      for (unsigned K = 0; K < From.size(); K++)
        Values.push_back(
            To[K] == Exit ? Phi.getIncomingValueForBlock(K < Edges.size() ? const_cast<BasicBlock *>(Edges[K].first) : Latch)
                          : PoisonValue::get(Phi.getType()));
      while (Phi.getNumIncomingValues() > 1)
        Phi.removeIncomingValue(Phi.getNumIncomingValues() - 1, false);
      Phi.setIncomingValue(0, makePhi(Phi.getType(), Values, From, "out", Joined));
      Phi.setIncomingBlock(0, Behind);
    }
  // Does the loop go on, and if not, why?
  SmallVector<Value *, 9> Go(From.size(), ConstantInt::getFalse(C)), Why(From.size());
  Go.back() = ConstantInt::getTrue(C);
  Type *Number = Type::getInt32Ty(C);
  for (unsigned K = 0; K < From.size(); K++)
    Why[K] = ConstantInt::get(Number, K + 1 < From.size() ? find(Exits, To[K]) - Exits.begin() : 0);
  auto *Back = BranchInst::Create(Header, Behind, makePhi(Type::getInt1Ty(C), Go, From, "go", Joined), Joined);
  Back->setMetadata(LLVMContext::MD_loop, Latch->getTerminator()->getMetadata(LLVMContext::MD_loop)); // does it end?
  Back->setDebugLoc(Latch->getTerminator()->getDebugLoc());
  Latch->getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);
  if (Exits.size() == 1) {
    BranchInst::Create(Exits[0], Behind);
    return Exits;
  }
  Value *Which = makePhi(Number, Why, From, "why", Joined);
  BasicBlock *At = Behind;
  for (unsigned K = Exits.size() - 1; K > 0; K--) { // a chain of ifs, not a switch
    BasicBlock *Else = K > 1 ? BasicBlock::Create(C, "behind", Header->getParent(), At->getNextNode()) : Exits[0];
    auto *Is = CmpInst::Create(Instruction::ICmp, CmpInst::ICMP_EQ, Which, ConstantInt::get(Number, K), "is", At);
    BranchInst::Create(Exits[K], Else, Is, At);
    Exits[K]->replacePhiUsesWith(Behind, At);
    if (K == 1)
      Exits[0]->replacePhiUsesWith(Behind, At);
    At = Else;
  }
  return Exits;
}

// Drop blocks behind loops, from EXITS on, that do nothing: one of two ways out of the loop may lead over the place where it
// may be left out, and then no branch has two arms that meet.
static void dropEmpty(ArrayRef<WeakVH> Exits)
{
  for (const WeakVH &Exit : Exits) {
    auto *B = cast_or_null<BasicBlock>(static_cast<Value *>(Exit));
    for (unsigned K = 0; B && K < MostExits; K++) {
      auto *End = dyn_cast<BranchInst>(B->getTerminator());
      if (!End || End->isConditional() || &*B->getFirstNonPHIOrDbg() != End)
        break;
      BasicBlock *Next = End->getSuccessor(0);
      if (!TryToSimplifyUncondBranchFromEmptyBlock(B))
        break;
      B = Next;
    }
  }
}

bool tsr::joinExits(Function &F, const DominatorTree &DT, const LoopInfo &LI, function_ref<bool(const Loop &)> Wanted)
{
  SmallVector<Loop *, 4> Found;
  for (Loop *L : LI.getLoopsInPreorder())
    if (canJoinExits(*L, DT) && Wanted(*L->getParentLoop()))
      Found.push_back(L);
  SmallVector<WeakVH, 8> Exits;
  for (Loop *L : Found)
    for (BasicBlock *Exit : joinExitsOf(*L))
      Exits.push_back(Exit);
  dropEmpty(Exits);
  return !Found.empty();
}

// The way back, for L: where it is known that it doesn't go on, control leaves it there.
static void splitExitsOf(Loop &L)
{
  BasicBlock *Latch = L.getLoopLatch(), *Behind = L.getUniqueExitBlock();
  auto *Back = Latch && Behind && L.getExitingBlock() == Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
  auto *Go = Back && Back->isConditional() ? dyn_cast<PHINode>(Back->getCondition()) : nullptr;
  if (!Go || Go->getParent() != Latch || Behind->getSinglePredecessor() != Latch || &*Latch->getFirstNonPHIOrDbg() != Back)
    return; // what is done in its latch would be left out
  const Constant *Stays = ConstantInt::getBool(Latch->getContext(), L.contains(Back->getSuccessor(0)));
  SmallVector<BasicBlock *, 8> From; // those from which it doesn't
  for (BasicBlock *B : Go->blocks()) {
    const Value *Is = Go->getIncomingValueForBlock(B);
    if (isa<ConstantInt>(Is) && Is != Stays && count(successors(B), Latch) == 1)
      From.push_back(B);
  }
  if (From.empty() || From.size() == Go->getNumIncomingValues())
    return;
  auto At = [&](Value *V, BasicBlock *B) {
    auto *Phi = dyn_cast<PHINode>(V);
    return Phi && Phi->getParent() == Latch ? Phi->getIncomingValueForBlock(B) : V;
  };
  for (PHINode &Phi : Behind->phis())
    for (BasicBlock *B : From)
      Phi.addIncoming(At(Phi.getIncomingValueForBlock(Latch), B), B);
  for (PHINode &Phi : Latch->phis()) { // but for those in the blocks behind
    auto IsFar = [&](const Use &U) {
      const auto *User = cast<Instruction>(U.getUser());
      return !L.contains(User) && !(isa<PHINode>(User) && User->getParent() == Behind);
    };
    if (none_of(Phi.uses(), IsFar))
      continue;
    SmallVector<Value *, 9> Values(1, &Phi);
    SmallVector<BasicBlock *, 9> Blocks(1, Latch);
    for (BasicBlock *B : From) {
      Values.push_back(At(&Phi, B));
      Blocks.push_back(B);
    }
    PHINode *Out = makePhi(Phi.getType(), Values, Blocks, "out", Behind);
    Phi.replaceUsesWithIf(Out, [&](const Use &U) { return U.getUser() != Out && IsFar(U); });
  }
  for (BasicBlock *B : From) {
    B->getTerminator()->replaceSuccessorWith(Latch, Behind);
    Latch->removePredecessor(B, true);
  }
  MDNode *Marks = Back->getMetadata(LLVMContext::MD_loop);
  if (Value *Always = Go->hasConstantValue())
    Back->setCondition(Always);
  ConstantFoldTerminator(Latch);
  Latch->getTerminator()->setMetadata(LLVMContext::MD_loop, Marks);
}

void tsr_function_split_exits(LLVMValueRef function)
{
  auto *F = unwrap<Function>(function);
  DominatorTree DT(*F);
  LoopInfo LI(DT);
  for (Loop *L : LI.getLoopsInPreorder())
    if (findOptionMDForLoop(L, TSR_LOOP_JOINED)) { // who comes later sees how it is then
      L->setLoopID(makePostTransformationMetadata(F->getContext(), L->getLoopID(), {TSR_LOOP_JOINED}, {}));
      splitExitsOf(*L);
    }
}
