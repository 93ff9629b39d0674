// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subscripts and pointers that run on from one inner loop to the next, as people write them:
//
//   for (i = 0; i < n; i++)                 for (i = 0; i < n; i++) {
//     for (j = 0; j < m; j++)        ->       for (q = p, j = 0; j < m; j++)
//       *p++ = a[j][i];                         *q++ = a[j][i];
//                                             p += max(m, 0);
//                                           }
//
// Scalar evolution takes a phi for a recurrence where what comes back to it is the phi and something that the loop leaves
// alone. Here it comes out of the inner loop: what has become of it there is only said where that is asked. What comes back
// is computed in this way instead, and is the same value. Inner loops come first.
#include "running_values.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace
{
// Operations and branches that the value comes through, one behind the other, in the outer loop. A choice.
const unsigned MostSteps = 6;

// What is known of a function.
struct Facts {
  ScalarEvolution &SE;
  const LoopInfo &LI;
  const DominatorTree &DT;
};

// A value of a loop, which it hands on to its next iteration.
struct Running {
  const Facts &F;
  const Loop *L;
  PHINode *Phi;      // in its header
  const SCEV *Value; // .. or what of it counts

  // V less the value, of which L leaves nothing to change. NULL: it may be anything.
  const SCEV *stepOf(llvm::Value *V, unsigned Depth = 0) const;
};
} // namespace

// Does control go from B to L, whatever happens?
static bool leadsTo(const BasicBlock *B, const Loop *L)
{
  while (B && B != L->getHeader() && B != L->getLoopPreheader())
    B = B->getSinglePredecessor() ? B->getSingleSuccessor() : nullptr;
  return B != nullptr;
}

// How often INNER runs where GUARD decides if it does; 0 if it doesn't. NULL: not known.
static const SCEV *guardedTrips(const Facts &F, const BranchInst *Guard, const Loop *Inner)
{
  ScalarEvolution &SE = F.SE;
  auto *Compare = Guard->isConditional() ? dyn_cast<ICmpInst>(Guard->getCondition()) : nullptr;
  const SCEV *Taken = SE.getBackedgeTakenCount(Inner);
  if (!Compare || !Inner->getExitingBlock() || isa<SCEVCouldNotCompute>(Taken) ||
      !Compare->getOperand(0)->getType()->isIntegerTy())
    return nullptr; // of two ways out of it, one may lead around what is behind the other
  bool IsTrue = leadsTo(Guard->getSuccessor(0), Inner);
  if (IsTrue == leadsTo(Guard->getSuccessor(1), Inner))
    return nullptr;
  CmpInst::Predicate Is = IsTrue ? Compare->getPredicate() : Compare->getInversePredicate();
  const SCEV *X = SE.getSCEV(Compare->getOperand(0)), *Y = SE.getSCEV(Compare->getOperand(1));
  if (Is == CmpInst::ICMP_SLT || Is == CmpInst::ICMP_ULT || Is == CmpInst::ICMP_SLE || Is == CmpInst::ICMP_ULE) {
    std::swap(X, Y);
    Is = CmpInst::getSwappedPredicate(Is);
  }
  if (Taken->getType() != X->getType())
    return nullptr;
  const SCEV *One = SE.getOne(X->getType()), *Trips = SE.getAddExpr(Taken, One);
  if (Is == CmpInst::ICMP_NE && (SE.getMinusSCEV(X, Y) == Trips || SE.getMinusSCEV(Y, X) == Trips))
    return Trips; // 0 where they are equal
  // X >= Y as X > Y - 1.
  bool Signed = Is == CmpInst::ICMP_SGE, Equal = Signed || Is == CmpInst::ICMP_UGE;
  if (Equal && (Signed ? SE.getSignedRangeMin(Y).isMinSignedValue() : SE.getUnsignedRangeMin(Y).isMinValue()))
    return nullptr;
  if (Equal) {
    Y = SE.getMinusSCEV(Y, One);
    Is = CmpInst::getStrictPredicate(Is);
  }
  if (Is != CmpInst::ICMP_SGT && Is != CmpInst::ICMP_UGT)
    return nullptr;
  const SCEV *Apart = SE.getMinusSCEV(Is == CmpInst::ICMP_SGT ? SE.getSMaxExpr(X, Y) : SE.getUMaxExpr(X, Y), Y);
  if (SE.getMinusSCEV(X, Y) == Trips)
    return Apart;
  // In steps of some, 1 + (X - Y - 1) / some of them: rounded up.
  const auto *Division = dyn_cast<SCEVUDivExpr>(Taken);
  const auto *By = Division ? dyn_cast<SCEVConstant>(Division->getRHS()) : nullptr;
  if (!By || SE.getMinusSCEV(SE.getMinusSCEV(X, Y), One) != Division->getLHS())
    return nullptr;
  const SCEV *Less = SE.getMinusSCEV(By, One);
  bool Wraps = false;
  (void)SE.getUnsignedRangeMax(Apart).uadd_ov(cast<SCEVConstant>(Less)->getAPInt(), Wraps);
  return Wraps ? nullptr : SE.getUDivExpr(SE.getAddExpr(Apart, Less), By);
}

// How far JOIN is from FROM, which it is where a loop in AROUND is left out: it is what a value that begins there has become
// behind the loop. Its operand number SAME is FROM. NULL: not known.
static const SCEV *movedBehind(const Facts &F, PHINode *Join, unsigned Same, const SCEV *From, const Loop *Around)
{
  const auto *Above = F.DT.getNode(Join->getParent())->getIDom();
  const auto *Guard = Above ? dyn_cast<BranchInst>(Above->getBlock()->getTerminator()) : nullptr;
  if (!Guard || F.LI.getLoopFor(Above->getBlock()) != Around)
    return nullptr;
  Value *Left = Join->getIncomingValue(!Same);
  while (auto *Single = dyn_cast<PHINode>(Left)) { // as LCSSA has it
    if (Single->getNumIncomingValues() != 1)
      break;
    Left = Single->getIncomingValue(0);
  }
  const auto *Last = F.SE.isSCEVable(Left->getType()) ? dyn_cast<SCEVAddRecExpr>(F.SE.getSCEV(Left)) : nullptr;
  if (!Last || !Last->isAffine() || Last->getLoop()->getParentLoop() != Around)
    return nullptr;
  const SCEV *By = Last->getStepRecurrence(F.SE);
  if (F.SE.getMinusSCEV(Last->getStart(), From) != By)
    return nullptr;
  const SCEV *Trips = guardedTrips(F, Guard, Last->getLoop());
  Type *T = By->getType();
  if (!Trips || F.SE.getTypeSizeInBits(T) < F.SE.getTypeSizeInBits(Trips->getType()))
    return nullptr;
  return F.SE.getMulExpr(By, F.SE.getNoopOrZeroExtend(Trips, T));
}

const SCEV *Running::stepOf(llvm::Value *V, unsigned Depth) const
{
  ScalarEvolution &SE = F.SE;
  const SCEV *Step = SE.getMinusSCEV(SE.getSCEVAtScope(V, L), Value);
  if (!isa<SCEVCouldNotCompute>(Step) && SE.isLoopInvariant(Step, L))
    return Step;
  auto *I = dyn_cast<Instruction>(V);
  if (Depth == MostSteps || !I || F.LI.getLoopFor(I->getParent()) != L)
    return nullptr;
  if (auto *Join = dyn_cast<PHINode>(I)) {
    if (Join->getParent() == L->getHeader())
      return nullptr;
    const SCEV *All = stepOf(Join->getIncomingValue(0), Depth + 1);
    for (unsigned K = 1; All && K < Join->getNumIncomingValues(); K++)
      All = stepOf(Join->getIncomingValue(K), Depth + 1) == All ? All : nullptr;
    if (All || Join->getNumIncomingValues() != 2)
      return All;
    unsigned Same = Join->getIncomingValue(0) == Phi ? 0 : 1;
    const SCEV *Moved = Join->getIncomingValue(Same) == Phi ? movedBehind(F, Join, Same, Value, L) : nullptr;
    return Moved && SE.isLoopInvariant(Moved, L) ? Moved : nullptr;
  }
  // What is added to such a value.
  const SCEV *More = nullptr, *Of = nullptr;
  if (I->getOpcode() == Instruction::Add && SE.isLoopInvariant(SE.getSCEV(I->getOperand(1)), L)) {
    Of = stepOf(I->getOperand(0), Depth + 1);
    More = SE.getSCEV(I->getOperand(1));
  } else if (auto *Gep = dyn_cast<GetElementPtrInst>(I)) {
    Of = stepOf(Gep->getPointerOperand(), Depth + 1);
    More = SE.getMinusSCEV(SE.getSCEV(Gep), SE.getSCEV(Gep->getPointerOperand()));
  }
  return Of && !isa<SCEVCouldNotCompute>(More) && SE.isLoopInvariant(More, L) ? SE.getAddExpr(Of, More) : nullptr;
}

// The low bits of PHI, extended, where nothing else of it is used: LLVM lets a counter of few bits run in many of them, and
// cuts off the rest. NULL: all of it is, or it may be.
static const SCEV *lowBits(ScalarEvolution &SE, PHINode *Phi)
{
  auto *T = dyn_cast<IntegerType>(Phi->getType());
  unsigned Bits = 0;
  for (const User *U : Phi->users()) {
    const auto *I = cast<Instruction>(U);
    const auto *By = I->getOpcode() == Instruction::Shl ? dyn_cast<ConstantInt>(I->getOperand(1)) : nullptr;
    unsigned Kept = isa<TruncInst>(I) ? I->getType()->getScalarSizeInBits() : 0;
    if (T && By && I->getOperand(0) == Phi && By->getValue().ult(T->getBitWidth()))
      Kept = T->getBitWidth() - (unsigned)By->getZExtValue();
    if (!T || Kept == 0 || (Bits != 0 && Kept != Bits))
      return nullptr;
    Bits = Kept;
  }
  if (!T || Bits == 0 || Bits == T->getBitWidth())
    return nullptr;
  return SE.getSignExtendExpr(SE.getTruncateExpr(SE.getSCEV(Phi), IntegerType::get(Phi->getContext(), Bits)), T);
}

// Let values of L that run on be recurrences of it. True: some are.
static bool findRecurrences(const Facts &F, Loop *L)
{
  ScalarEvolution &SE = F.SE;
  BasicBlock *Pre = L->getLoopPreheader(), *Latch = L->getLoopLatch();
  if (!Pre || !Latch || L->isInnermost())
    return false;
  struct Change {
    PHINode *Phi;
    const SCEV *Step;
    bool Same; // is what comes back the same, or just its low bits?
  };
  SmallVector<Change, 4> Found;
  SCEVExpander Expander(SE, "run");
  for (PHINode &Phi : L->getHeader()->phis()) {
    if (!SE.isSCEVable(Phi.getType()) || !isa<SCEVUnknown>(SE.getSCEV(&Phi)))
      continue;
    Value *Last = Phi.getIncomingValueForBlock(Latch);
    const SCEV *Step = Running{F, L, &Phi, SE.getSCEV(&Phi)}.stepOf(Last);
    const SCEV *Low = Step ? nullptr : lowBits(SE, &Phi);
    if (Low)
      Step = Running{F, L, &Phi, Low}.stepOf(Last);
    if (Step && !Step->isZero() && Expander.isSafeToExpandAt(Step, Pre->getTerminator()))
      Found.push_back({&Phi, Step, !Low});
  }
  for (auto [Phi, Step, Same] : Found) {
    Value *By = Expander.expandCodeFor(Step, Step->getType(), Pre->getTerminator());
    IRBuilder<> B(Latch->getTerminator());
    Value *Next = Phi->getType()->isPointerTy() ? B.CreatePtrAdd(Phi, By) : B.CreateAdd(Phi, By);
    Value *Was = Phi->getIncomingValueForBlock(Latch);
    Phi->setIncomingValueForBlock(Latch, Next);
    if (Same && L->getExitingBlock() == Latch) // for loops around
      Was->replaceUsesWithIf(Next, [L](Use &U) { return !L->contains(cast<Instruction>(U.getUser())); });
  }
  if (!Found.empty())
    SE.forgetTopmostLoop(L);
  return !Found.empty();
}

// Compute behind L what values have become that it moves on, also where it is left out: rests of loops that are unrolled by
// hand begin there. True: some are.
static bool computeBehind(const Facts &F, Loop *L)
{
  BasicBlock *Exit = L->getUniqueExitBlock(), *Behind = Exit ? Exit->getUniqueSuccessor() : nullptr;
  if (!Behind || F.LI.getLoopFor(Behind) != L->getParentLoop() || F.LI.isLoopHeader(Behind))
    return false;
  SCEVExpander Expander(F.SE, "behind");
  bool Changed = false;
  for (PHINode &Join : make_early_inc_range(Behind->phis())) {
    int Left = Join.getNumIncomingValues() == 2 ? Join.getBasicBlockIndex(Exit) : -1;
    if (Left < 0 || !Join.getType()->isIntegerTy() || !isa<SCEVUnknown>(F.SE.getSCEV(&Join)))
      continue;
    const SCEV *From = F.SE.getSCEV(Join.getIncomingValue(!Left));
    const SCEV *Moved = movedBehind(F, &Join, !Left, From, L->getParentLoop());
    BasicBlock::iterator At = Behind->getFirstInsertionPt();
    if (!Moved || !Expander.isSafeToExpandAt(Moved, &*At) || !Expander.isSafeToExpandAt(From, &*At))
      continue;
    Value *Is = Expander.expandCodeFor(F.SE.getAddExpr(From, Moved), Join.getType(), At);
    F.SE.forgetValue(&Join);
    Join.replaceAllUsesWith(Is);
    Join.eraseFromParent();
    Changed = true;
  }
  return Changed;
}

PreservedAnalyses tsr::RunningValues::run(llvm::Function &F, FunctionAnalysisManager &AM)
{
  const LoopInfo &LI = AM.getResult<LoopAnalysis>(F);
  const Facts Known = {AM.getResult<ScalarEvolutionAnalysis>(F), LI, AM.getResult<DominatorTreeAnalysis>(F)};
  bool Changed = false;
  SmallVector<Loop *, 4> Loops = LI.getLoopsInPreorder();
  for (Loop *L : reverse(Loops)) {
    Changed |= findRecurrences(Known, L);
    Changed |= computeBehind(Known, L);
  }
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Changed ? Kept : PreservedAnalyses::all();
}
