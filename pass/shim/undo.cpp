// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the simplification in front of the late position does, undone where it hides loop nests: jump threading leaves two
// blocks that ask the same, which is no tree of ifs; counters are widened; value numbering leaves phis that are one
// expression on all ways.
#include "undo.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include <optional>
#include <tuple>

using namespace llvm;

// ---- blocks that ask the same

static bool phisAgree(const BasicBlock *Successor, const BasicBlock *A, const BasicBlock *B)
{
  return all_of(Successor->phis(),
                [&](const PHINode &P) { return P.getIncomingValueForBlock(A) == P.getIncomingValueForBlock(B); });
}

void tsr::mergeBranches(Function &F)
{
  using Question = std::tuple<Value *, BasicBlock *, BasicBlock *>;
  MapVector<Question, SmallVector<BasicBlock *, 2>> Asked;
  for (BasicBlock &B : drop_begin(F))
    if (auto *Branch = dyn_cast<BranchInst>(&B.front()))
      if (Branch->isConditional() && !B.hasAddressTaken())
        Asked[{Branch->getCondition(), Branch->getSuccessor(0), Branch->getSuccessor(1)}].push_back(&B);
  std::optional<DominatorTree> DT;
  std::optional<LoopInfo> LI;
  for (auto &[What, Blocks] : Asked) {
    BasicBlock *Kept = Blocks[0], *Yes = std::get<1>(What), *No = std::get<2>(What);
    for (BasicBlock *B : drop_begin(Blocks)) {
      if (!DT)
        LI.emplace(DT.emplace(F));
      // Of one loop: else the blocks would be a loop's guard and its latch.
      if (B == Yes || B == No || Kept == Yes || Kept == No || LI->getLoopFor(B) != LI->getLoopFor(Kept) ||
          !phisAgree(Yes, Kept, B) || !phisAgree(No, Kept, B))
        continue;
      Yes->removePredecessor(B, true);
      if (No != Yes)
        No->removePredecessor(B, true);
      B->replaceAllUsesWith(Kept);
      LI->removeBlock(B);
      B->eraseFromParent();
    }
  }
}

// ---- subscripts that branches choose

namespace
{
// More operations than that in an arm are worth a branch.
const unsigned MostOfArm = 8;

// Is what P says used for an address, in a few steps?
bool isSubscript(const Value *V, unsigned Depth = 4)
{
  return Depth && any_of(V->users(), [&](const User *U) {
           return isa<GetElementPtrInst>(U) ||
                  (isa<CastInst, BinaryOperator>(U) && U->getType()->isIntegerTy() && isSubscript(U, Depth - 1));
         });
}

// May all of Arm, between From and To, run whether or not it is reached? A few operations of integers.
bool isCheapArm(const BasicBlock *Arm, const BasicBlock *From, const BasicBlock *To)
{
  return Arm->getSinglePredecessor() == From && Arm->getSingleSuccessor() == To && !Arm->hasAddressTaken() &&
         Arm->sizeWithoutDebug() <= MostOfArm + 1 && all_of(*Arm, [](const Instruction &I) {
           const auto *Binary = dyn_cast<BinaryOperator>(&I);
           return I.isTerminator() || (I.getType()->isIntegerTy() &&
                                       (isa<CastInst, ICmpInst, SelectInst>(I) || (Binary && !Binary->isIntDivRem())));
         });
}

// May To's values, phis that are subscripts, be chosen by selects?
bool hasSubscripts(const BasicBlock &To)
{
  return isa<PHINode>(To.front()) && all_of(To.phis(), [](const PHINode &P) { return P.getType()->isIntegerTy(); }) &&
         any_of(To.phis(), [](const PHINode &P) { return isSubscript(&P); });
}

// C: br c, T, F; T: .., br To; F: .., br To; one of T and F may be To itself. Such a branch; nullptr: there is none.
BranchInst *choiceInFrontOf(BasicBlock &To)
{
  for (BasicBlock *B : predecessors(&To))
    for (BasicBlock *From : {B, B->getSinglePredecessor()}) {
      auto *Branch = From && From != &To ? dyn_cast<BranchInst>(From->getTerminator()) : nullptr;
      if (Branch && Branch->isConditional() && Branch->getSuccessor(0) != Branch->getSuccessor(1) &&
          all_of(Branch->successors(), [&](BasicBlock *Arm) { return Arm == &To || isCheapArm(Arm, From, &To); }))
        return Branch;
    }
  return nullptr;
}

// Branch, one in front of To, as a select.
void foldChoice(BranchInst *Branch, BasicBlock &To)
{
  BasicBlock *From = Branch->getParent();
  BasicBlock *Arms[2] = {Branch->getSuccessor(0), Branch->getSuccessor(1)};
  for (BasicBlock *Arm : Arms)
    while (Arm != &To && !Arm->front().isTerminator()) {
      Arm->front().setDebugLoc(DebugLoc());
      Arm->front().moveBefore(Branch->getIterator());
    }
  IRBuilder<> B(Branch);
  for (PHINode &P : To.phis()) {
    Value *Of[2];
    for (unsigned I = 0; I < 2; I++)
      Of[I] = P.removeIncomingValue(Arms[I] == &To ? From : Arms[I], false);
    P.addIncoming(Of[0] == Of[1] ? Of[0] : B.CreateSelect(Branch->getCondition(), Of[0], Of[1]), From);
  }
  B.CreateBr(&To);
  Branch->eraseFromParent();
  for (BasicBlock *Arm : Arms)
    if (Arm != &To)
      Arm->eraseFromParent();
}
} // namespace

void tsr::foldSubscripts(Function &F)
{
  for (BasicBlock &To : F)
    if (hasSubscripts(To))
      while (BranchInst *Branch = choiceInFrontOf(To))
        foldChoice(Branch, To);
  for (BasicBlock &B : make_early_inc_range(F))
    MergeBlockIntoPredecessor(&B);
}

// ---- counters narrower than int

namespace
{
// What a counter P of BITS bits, extended to its type if that is wider, gets next: P + STEP or P - STEP, truncated.
struct NextCount {
  unsigned Bits;
  bool Signed;
  bool Down;
  Value *Step;    // of any type
  unsigned Shift; // .. and that much too far to the left
};
} // namespace

static std::optional<NextCount> nextCount(PHINode &P, Value *V)
{
  using namespace PatternMatch;
  Value *Step;
  const APInt *Shift, *Mask;
  unsigned Bits = P.getType()->getIntegerBitWidth();
  if (match(V, m_Trunc(m_c_Add(m_ZExtOrSExt(m_Specific(&P)), m_Value(Step)))))
    return NextCount{Bits, false, false, Step, 0};
  if (match(V, m_Trunc(m_Sub(m_ZExtOrSExt(m_Specific(&P)), m_Value(Step)))))
    return NextCount{Bits, false, true, Step, 0};
  // Late: LLVM counts in int, and extends within that.
  if (match(V, m_AShr(m_c_Add(m_Shl(m_Specific(&P), m_APInt(Shift)), m_Value(Step)), m_APInt(Mask))) && *Shift == *Mask)
    return NextCount{Bits - (unsigned)Shift->getZExtValue(), true, false, Step, (unsigned)Shift->getZExtValue()};
  if (match(V, m_And(m_c_Add(m_Specific(&P), m_Value(Step)), m_LowBitMask(Mask))))
    return NextCount{Mask->countr_one(), false, false, Step, 0};
  return std::nullopt;
}

// Is V what its BITS lowest bits are extended to?
static bool isExtended(const Value *V, unsigned Bits, bool Signed, const DataLayout &DL)
{
  unsigned Width = V->getType()->getIntegerBitWidth();
  return Signed ? ComputeNumSignBits(V, DL) > Width - Bits
                : MaskedValueIsZero(V, APInt::getBitsSetFrom(Width, Bits), SimplifyQuery(DL));
}

static bool narrowCounter(PHINode &P, const Loop &L)
{
  using namespace PatternMatch;
  BasicBlock *Latch = L.getLoopLatch(), *From = L.getLoopPredecessor();
  if (!Latch || !From || !P.getType()->isIntegerTy() || P.getParent()->getFirstInsertionPt() == P.getParent()->end())
    return false;
  Value *Start = P.getIncomingValueForBlock(From);
  auto *Old = dyn_cast<Instruction>(P.getIncomingValueForBlock(Latch));
  std::optional<NextCount> Next = Old ? nextCount(P, Old) : std::nullopt;
  if (!Next || (Next->Bits != 8 && Next->Bits != 16 && Next->Bits != 32) || Start == From->getTerminator() ||
      !isExtended(Start, Next->Bits, Next->Signed, P.getDataLayout()))
    return false;
  Value *Step = Next->Step;
  bool IsSigned = isa<SExtInst>(Step);
  if (!Next->Shift)
    match(Step, m_ZExtOrSExt(m_Value(Step)));
  if (!L.isLoopInvariant(Step))
    return false;
  Type *Narrow = IntegerType::get(P.getContext(), Next->Bits);
  IRBuilder<> AtLatch(Old), AtStart(From->getTerminator()), AtTop(P.getParent(), P.getParent()->getFirstInsertionPt());
  if (Next->Shift)
    Step = AtLatch.CreateLShr(Step, Next->Shift);
  Step = AtLatch.CreateIntCast(Step, Narrow, IsSigned);
  bool Is = P.getType() == Narrow;
  PHINode *Count = Is ? &P : PHINode::Create(Narrow, 2, "", P.getIterator());
  Value *New = Next->Down ? AtLatch.CreateSub(Count, Step) : AtLatch.CreateAdd(Count, Step);
  if (!Is) {
    Count->addIncoming(AtStart.CreateTrunc(Start, Narrow), From);
    Count->addIncoming(New, Latch);
    New = AtLatch.CreateIntCast(New, P.getType(), Next->Signed);
    P.replaceAllUsesWith(AtTop.CreateIntCast(Count, P.getType(), Next->Signed));
  }
  Old->replaceAllUsesWith(New);
  RecursivelyDeleteTriviallyDeadInstructions(Old);
  if (!Is)
    P.eraseFromParent();
  return true;
}

bool tsr::narrowCounters(const LoopInfo &LI)
{
  bool Changed = false;
  for (const Loop *L : LI.getLoopsInPreorder())
    for (PHINode &P : make_early_inc_range(L->getHeader()->phis()))
      Changed |= narrowCounter(P, *L);
  return Changed;
}

// ---- phis that are one expression

namespace
{
const unsigned MaxDepth = 3; // of an expression

// What may be computed anew, where its operands are known: integers and pointers, poison by flags and operands alone.
bool isFoldable(const Value *V)
{
  if (const auto *Cast = dyn_cast<CastInst>(V))
    return V->getType()->isIntOrPtrTy() && Cast->getOperand(0)->getType()->isIntOrPtrTy();
  if (const auto *Binary = dyn_cast<BinaryOperator>(V))
    return V->getType()->isIntegerTy() && !Binary->isIntDivRem() &&
           (!Binary->isShift() || isa<ConstantInt>(Binary->getOperand(1)));
  return isa<GetElementPtrInst>(V) && V->getType()->isPointerTy();
}

// Are V and W the same expression of the same values?
bool isSame(const Value *V, const Value *W, unsigned Depth = MaxDepth)
{
  if (V == W)
    return true;
  if (!Depth || !isFoldable(V) || !isFoldable(W))
    return false;
  const auto *A = cast<Instruction>(V), *B = cast<Instruction>(W);
  return A->isSameOperationAs(B) && all_of(zip(A->operands(), B->operands()), [&](const auto &Pair) {
           return isSame(std::get<0>(Pair), std::get<1>(Pair), Depth - 1);
         });
}

// What is known to equal a constant wherever control goes from FROM to TO; none: {nullptr, nullptr}.
std::pair<Value *, ConstantInt *> knownAt(const BasicBlock *From, const BasicBlock *To)
{
  for (int Steps = 0; From && Steps < 3; Steps++, To = From, From = From->getSinglePredecessor()) {
    const auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
    if (!Branch || !Branch->isConditional() || Branch->getSuccessor(0) == Branch->getSuccessor(1))
      continue;
    auto *Compare = dyn_cast<ICmpInst>(Branch->getCondition());
    auto *K = Compare && Compare->isEquality() ? dyn_cast<ConstantInt>(Compare->getOperand(1)) : nullptr;
    if (K && (Branch->getSuccessor(0) == To) == (Compare->getPredicate() == ICmpInst::ICMP_EQ))
      return {Compare->getOperand(0), K};
  }
  return {nullptr, nullptr};
}

class Folder
{
  Function &F;
  const DominatorTree &DT;
  const LoopInfo &LI;
  bool Changed = false;

  // Is V the same value in B as where it was used on the way there, and no value of a loop that has ended?
  bool isKnownIn(const Value *V, const BasicBlock *B) const
  {
    const auto *I = dyn_cast<Instruction>(V);
    if (!I)
      return true;
    const Loop *L = LI.getLoopFor(I->getParent());
    return DT.properlyDominates(I->getParent(), B) && (!L || L->contains(B));
  }

  bool canRebuild(Value *V, BasicBlock *B, unsigned Depth)
  {
    if (isKnownIn(V, B))
      return true;
    return Depth && isFoldable(V) &&
           all_of(cast<Instruction>(V)->operands(), [&](Value *Op) { return canRebuild(Op, B, Depth - 1); });
  }

  // Would V, as poison, make the program undefined anyway? It may decide whether a loop around B goes on.
  bool isDefined(Value *V, BasicBlock *B)
  {
    if (isGuaranteedNotToBeUndefOrPoison(V, nullptr, &*B->getFirstInsertionPt(), &DT))
      return true;
    // Loops that are left at their latches alone: one of B's iterations gets there.
    for (Loop *L = LI.getLoopFor(B); L && L->getLoopLatch() && L->getExitingBlock() == L->getLoopLatch();
         L = L->getParentLoop())
      if (auto *Branch = dyn_cast<BranchInst>(L->getLoopLatch()->getTerminator()))
        if (auto *Compare = dyn_cast<ICmpInst>(Branch->getCondition()); Compare && is_contained(Compare->operands(), V))
          return true;
    return false;
  }

  // .. all that V is computed from but for ZERO, on which a branch depends?
  bool leavesAreDefined(Value *V, BasicBlock *B, Value *Zero)
  {
    if (isKnownIn(V, B))
      return V == Zero || isa<Constant>(V) || isDefined(V, B);
    return all_of(cast<Instruction>(V)->operands(), [&](Value *Op) { return leavesAreDefined(Op, B, Zero); });
  }

  // V, computed in B in front of AT. Where ZERO is 0, on some way to B V isn't computed, so flags must not add poison.
  Value *rebuild(Value *V, BasicBlock *B, BasicBlock::iterator At, Value *Zero)
  {
    if (isKnownIn(V, B))
      return V;
    Instruction *New = cast<Instruction>(V)->clone();
    bool Overflows = New->getOpcode() != Instruction::Mul || !is_contained(New->operands(), Zero);
    for (Use &Op : New->operands())
      Op = rebuild(Op, B, At, Zero);
    New->insertBefore(At);
    New->dropUnknownNonDebugMetadata();
    New->setDebugLoc(DebugLoc());
    if (Zero && Overflows)
      New->dropPoisonGeneratingFlags();
    return New;
  }

  // Do the flags of all that P gets agree with those of V? Else they are dropped there.
  static void meetFlags(Value *V, Value *W)
  {
    if (V == W)
      return;
    cast<Instruction>(V)->andIRFlags(W);
    for (auto [A, B] : zip(cast<Instruction>(V)->operands(), cast<Instruction>(W)->operands()))
      meetFlags(A, B);
  }

  // Is W, which a phi gets from FROM, what V would be there, because what is or becomes ZERO is 0?
  bool isThere(Value *V, Value *W, BasicBlock *From, BasicBlock *To, Value *&Zero)
  {
    auto [X, K] = knownAt(From, To);
    if (!X || !K->isZero() || !isKnownIn(X, To) || isKnownIn(V, To) || (Zero && Zero != X))
      return false;
    Zero = X;
    SimplifyQuery Query(F.getDataLayout());
    return simplifyWithOpReplaced(V, X, K, Query, true) == W && leavesAreDefined(V, To, X);
  }

  // The one of what P gets that all others are; ZERO: see above, nullptr if they are the same expression.
  Value *expressionOf(PHINode &P, Value *&Zero)
  {
    BasicBlock *B = P.getParent();
    for (Value *V : P.incoming_values()) {
      if (!isFoldable(V) || any_of(cast<Instruction>(V)->operands(),
                                   [&](Value *Op) { return isa<PHINode>(Op) && cast<PHINode>(Op)->getParent() == B; }))
        continue; // the counter of a loop
      bool Is = canRebuild(V, B, MaxDepth);
      Zero = nullptr;
      for (unsigned I = 0; I < P.getNumIncomingValues() && Is; I++)
        Is = isSame(V, P.getIncomingValue(I)) || isThere(V, P.getIncomingValue(I), P.getIncomingBlock(I), B, Zero);
      if (Is)
        return V;
    }
    return nullptr;
  }

  // Can V, with what it is computed from, be computed in front of L?
  static bool canHoist(const Value *V, const Loop &L, unsigned Depth = MaxDepth)
  {
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || !L.contains(I->getParent()))
      return !I || !I->isTerminator();
    return Depth && isFoldable(I) && all_of(I->operands(), [&](const Value *Op) { return canHoist(Op, L, Depth - 1); });
  }

  static void hoist(Value *V, const Loop &L, BasicBlock *To)
  {
    if (L.isLoopInvariant(V))
      return;
    for (Value *Op : cast<Instruction>(V)->operands())
      hoist(Op, L, To);
    cast<Instruction>(V)->moveBefore(To->getTerminator()->getIterator());
  }

public:
  Folder(Function &F, const DominatorTree &DT, const LoopInfo &LI) : F(F), DT(DT), LI(LI)
  {
  }

  bool hasChanged() const
  {
    return Changed;
  }

  void fold(BasicBlock &B)
  {
    for (PHINode &P : make_early_inc_range(B.phis())) {
      Value *Zero = nullptr;
      Value *V = P.getType()->isIntOrPtrTy() && P.getNumIncomingValues() > 1 ? expressionOf(P, Zero) : nullptr;
      if (!V)
        continue;
      for (Value *W : P.incoming_values())
        if (isSame(V, W))
          meetFlags(V, W);
      P.replaceAllUsesWith(rebuild(V, &B, B.getFirstInsertionPt(), Zero));
      P.eraseFromParent();
      Changed = true;
    }
  }

  // What a loop computes from nothing of its own, and what is used behind it, too, goes in front of it.
  void hoistShared(BasicBlock &B)
  {
    for (Instruction &I : make_early_inc_range(B)) {
      auto isBehind = [&](const User *U, const Loop &L) {
        const auto *By = cast<Instruction>(U);
        return !isa<PHINode>(By) && !L.contains(By->getParent());
      };
      Loop *L = isFoldable(&I) ? LI.getLoopFor(I.getParent()) : nullptr;
      for (; L && any_of(I.users(), [&](const User *U) { return isBehind(U, *L); }); L = L->getParentLoop()) {
        BasicBlock *To = DT.getNode(L->getHeader())->getIDom()->getBlock();
        if (LI.getLoopFor(To) != L->getParentLoop() || !canHoist(&I, *L))
          break;
        hoist(&I, *L, To);
        Changed = true;
      }
    }
  }
};
} // namespace

bool tsr::shareExpressions(Function &F, const DominatorTree &DT, const LoopInfo &LI)
{
  Folder All(F, DT, LI);
  for (BasicBlock &B : F)
    if (DT.isReachableFromEntry(&B) && !isa<LandingPadInst, CatchSwitchInst>(B.getFirstNonPHIIt()))
      All.fold(B);
  for (BasicBlock &B : F)
    All.hoistShared(B);
  return All.hasChanged();
}
