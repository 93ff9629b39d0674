// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over flat indices, as kernels of GPUs are written, and as OpenMP's collapse makes them:
//
//   for (k = s; k <= e; k++)            q0 = ceil(s / w), q1 = floor((e + 1) / w)
//     f(k, k / w, k % w)         ->     if (w <= 0 || s < 0 || q0 >= q1, or there are few) the same loop
//                                       else
//                                         for (k = s; k < q0 * w; k++) ..          the rest of a row
//                                         for (q = q0; q < q1; q++)                rows
//                                           for (r = 0; r < w; r++) f(q * w + r, q, r)
//                                         for (k = q1 * w; k <= e; k++) ..         the begin of a row
//
// Whole rows have affine bounds, and no divisions. Rests are left out where it is known that there is none.
#include "flat_loops.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace
{
// Of a loop: there will be up to four of it. A choice.
const unsigned MostInstructions = 256;
// Fewer iterations aren't worth two divisions. A map from anywhere to anywhere, in rows of 7 and 8 elements, took 1.15 of
// the time with 9 and 12 of them, and 0.6 to 0.7 with 16 (Emerald Rapids).
const unsigned FewIterations = 16;
// Of a loop in which divisions count: each takes as long as a dozen of others. A choice.
const unsigned FewInstructions = 64;

// A loop over flat indices.
struct Flat {
  Loop *L;
  PHINode *Index;
  BinaryOperator *Next;                    // the index of the next iteration
  SmallVector<BinaryOperator *, 4> Ratios; // index / w or index % w
  const SCEV *Start, *Width, *Trips;       // the last: but one
  bool Signed;
  BasicBlock *Pre, *Latch, *Exit; // while there are copies, the loop doesn't know them
};

// Copies of the blocks of a loop.
struct Copy {
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 8> Blocks;

  template <typename T> T *of(T *V)
  {
    return cast<T>(static_cast<Value *>(Map[V]));
  }
};
} // namespace

// May there be several copies of L, none of whose values is used behind it, and which is left at its latch alone?
static bool canCopy(const Loop &L)
{
  unsigned N = 0;
  for (const BasicBlock *B : L.blocks())
    for (const Instruction &I : *B) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (++N > MostInstructions || I.isEHPad() || isa<NoAliasScopeDeclInst>(I) ||
          isa<IndirectBrInst, CallBrInst, InvokeInst>(I) ||
          (Call && (Call->cannotDuplicate() || Call->isConvergent() || Call->isMustTailCall())) ||
          I.getType()->isTokenTy() || !isGuaranteedToTransferExecutionToSuccessor(&I))
        return false;
      for (const User *U : I.users())
        if (!L.contains(cast<Instruction>(U)))
          return false;
    }
  return true;
}

// Has B a division of a phi of its own by something that is no number?
static bool divides(const BasicBlock &B)
{
  for (const PHINode &Index : B.phis())
    for (const User *U : Index.users())
      if (const auto *Ratio = dyn_cast<BinaryOperator>(U);
          Ratio && Ratio->isIntDivRem() && !isa<Constant>(Ratio->getOperand(1)))
        return true;
  return false;
}

bool tsr::mayHaveFlatLoops(const Function &F)
{
  return any_of(F, divides);
}

// The bound of a loop with such a division that is read from memory each time, as OpenMP's are: read in front of the loop,
// if nothing in it changes that.
static bool hoistBound(Loop &L, AAResults &AA)
{
  BasicBlock *Latch = L.getLoopLatch(), *Pre = L.getLoopPreheader();
  auto *Branch = Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
  auto *Compare = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
  auto *Bound = Compare ? dyn_cast<LoadInst>(Compare->getOperand(1)) : nullptr;
  if (!Pre || !Bound || !Bound->isSimple() || !L.contains(Bound) || !L.isLoopInvariant(Bound->getPointerOperand()) ||
      !divides(*L.getHeader()) || !isSafeToSpeculativelyExecute(Bound, Pre->getTerminator()))
    return false;
  MemoryLocation Where = MemoryLocation::get(Bound);
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B)
      if (I.mayWriteToMemory() && isModSet(AA.getModRefInfo(&I, Where)))
        return false;
  Bound->dropUBImplyingAttrsAndMetadata();
  Bound->moveBefore(Pre->getTerminator()->getIterator());
  return true;
}

// Fill in W's ratios if DIVISION is one of F's index.
static bool noteRatio(Flat &F, BinaryOperator &Division, ScalarEvolution &SE)
{
  unsigned Opcode = Division.getOpcode();
  bool Signed = Opcode == Instruction::SDiv || Opcode == Instruction::SRem;
  if ((!Signed && Opcode != Instruction::UDiv && Opcode != Instruction::URem) || Division.getOperand(0) != F.Index)
    return true;
  const SCEV *Width = SE.getSCEV(Division.getOperand(1));
  if (isa<SCEVConstant>(Width) || !SE.isLoopInvariant(Width, F.L))
    return true;
  if (!F.Ratios.empty() && (Width != F.Width || Signed != F.Signed))
    return false;
  F.Width = Width;
  F.Signed = Signed;
  F.Ratios.push_back(&Division);
  return true;
}

// How often F's loop goes back. Scalar evolution doesn't know it of k + 1 <= e, as the greatest e would have no end; but
// there k + 1 would wrap, and it says that it doesn't.
static const SCEV *tripsOf(const Flat &F, ScalarEvolution &SE)
{
  const SCEV *Known = SE.getBackedgeTakenCount(F.L);
  auto *Branch = cast<BranchInst>(F.L->getLoopLatch()->getTerminator());
  auto *Compare = dyn_cast<ICmpInst>(Branch->getCondition());
  if (!isa<SCEVCouldNotCompute>(Known) || !Compare || Compare->getPredicate() != ICmpInst::ICMP_SLE ||
      Compare->getOperand(0) != F.Next || Branch->getSuccessor(0) != F.L->getHeader() || !F.Next->hasNoSignedWrap())
    return Known;
  const SCEV *Bound = SE.getSCEV(Compare->getOperand(1));
  return SE.isLoopInvariant(Bound, F.L) ? SE.getMinusSCEV(SE.getSMaxExpr(Bound, F.Start), F.Start) : Known;
}

// Is L a loop over flat indices?
static bool isFlat(Loop &L, ScalarEvolution &SE, const DominatorTree &DT, Flat &F)
{
  BasicBlock *Latch = L.getLoopLatch();
  auto *Branch = Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
  if (!Branch || !Branch->isConditional() || !L.getLoopPreheader() || L.getExitingBlock() != Latch || !L.getExitBlock() ||
      !L.hasDedicatedExits() || !L.getExitBlock()->phis().empty())
    return false;
  auto Phis = L.getHeader()->phis();
  F.L = &L;
  F.Index = Phis.empty() ? nullptr : &*Phis.begin();
  if (!F.Index || ++Phis.begin() != Phis.end() || !F.Index->getType()->isIntegerTy() ||
      F.Index->getType()->getIntegerBitWidth() > 64)
    return false;
  const auto *Counter = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(F.Index));
  F.Next = dyn_cast<BinaryOperator>(F.Index->getIncomingValueForBlock(Latch));
  if (!Counter || Counter->getLoop() != &L || !Counter->isAffine() || !Counter->getStepRecurrence(SE)->isOne() || !F.Next ||
      F.Next->getOpcode() != Instruction::Add)
    return false;
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B)
      if (auto *Division = dyn_cast<BinaryOperator>(&I); Division && !noteRatio(F, *Division, SE))
        return false;
  F.Start = Counter->getStart();
  F.Trips = tripsOf(F, SE);
  // The width is divided by in each iteration: else it might be poison, and nobody would know.
  bool Always = any_of(F.Ratios, [&](BinaryOperator *Ratio) { return DT.dominates(Ratio->getParent(), Latch); });
  return Always && !isa<SCEVCouldNotCompute>(F.Trips) && canCopy(L);
}

// Copies of F's blocks, whose exit is at EXIT, in place of its own, and whose preheader is BEFORE.
static void copyLoop(Flat &F, BasicBlock *Before, BasicBlock *Exit, Copy &C)
{
  Function &Fn = *Before->getParent();
  for (BasicBlock *B : F.L->blocks()) {
    BasicBlock *New = CloneBasicBlock(B, C.Map, ".flat", &Fn);
    C.Map[B] = New;
    C.Blocks.push_back(New);
  }
  C.Map[F.Pre] = Before;
  C.Map[F.Exit] = Exit;
  remapInstructionsInBlocks(C.Blocks, C.Map);
}

// A node of its own for the loop whose latch ends with BRANCH, with what LIKE says.
static void ownLoopId(Instruction *Branch, const MDNode *Like)
{
  if (!Like)
    return;
  SmallVector<Metadata *, 4> Items(Like->op_begin(), Like->op_end());
  MDNode *Id = MDNode::getDistinct(Like->getContext(), Items);
  Id->replaceOperandWith(0, Id);
  Branch->setMetadata(LLVMContext::MD_loop, Id);
}

// The copy C runs from START to LAST.
static void runFromTo(Flat &F, Copy &C, Value *Start, Value *Last)
{
  PHINode *Index = C.of(F.Index);
  auto *Branch = cast<BranchInst>(C.of(F.Latch)->getTerminator());
  bool Back = Branch->getSuccessor(0) == C.of(F.L->getHeader());
  IRBuilder<> B(Branch);
  Index->setIncomingValueForBlock(C.of(F.Pre), Start);
  Branch->setCondition(Back ? B.CreateICmpNE(Index, Last) : B.CreateICmpEQ(Index, Last));
  ownLoopId(Branch, F.L->getLoopID());
}

// The copy C runs over the row number Q, of WIDTH elements from BASE on, known to have no wrap.
static void runOverRow(Flat &F, Copy &C, Value *Q, Value *Base, Value *Width)
{
  PHINode *Index = C.of(F.Index);
  BasicBlock *Header = C.of(F.L->getHeader()), *Latch = C.of(F.Latch);
  auto *Branch = cast<BranchInst>(Latch->getTerminator());
  bool Back = Branch->getSuccessor(0) == Header;
  IRBuilder<> B(Header, Header->getFirstNonPHIIt());
  PHINode *R = PHINode::Create(Index->getType(), 2, "tsr.column", Header->begin());
  Value *Flat = B.CreateAdd(Base, R, "", !F.Signed, F.Signed);
  for (BinaryOperator *Ratio : F.Ratios) {
    auto *Own = C.of(Ratio); // the map follows what it is replaced by
    bool Rest = Own->getOpcode() == Instruction::SRem || Own->getOpcode() == Instruction::URem;
    Own->replaceAllUsesWith(Rest ? R : Q);
    Own->eraseFromParent();
  }
  Index->replaceAllUsesWith(Flat);
  Index->eraseFromParent();
  B.SetInsertPoint(Branch);
  Value *Next = B.CreateAdd(R, ConstantInt::get(R->getType(), 1), "", true, F.Signed);
  R->addIncoming(ConstantInt::get(R->getType(), 0), C.of(F.Pre));
  R->addIncoming(Next, Latch);
  Branch->setCondition(Back ? B.CreateICmpNE(Next, Width) : B.CreateICmpEQ(Next, Width));
  ownLoopId(Branch, F.L->getLoopID());
}

// How many rows F's iterations are, if it is known that these are whole; else nullptr.
static const SCEV *wholeRows(const Flat &F, ScalarEvolution &SE)
{
  const auto *All = dyn_cast<SCEVMulExpr>(SE.getAddExpr(F.Trips, SE.getOne(F.Trips->getType())));
  if (!All || !F.Start->isZero() || !(F.Signed ? All->hasNoSignedWrap() : All->hasNoUnsignedWrap()))
    return nullptr;
  SmallVector<const SCEV *, 4> Others(All->operands());
  const auto *Width = find(Others, F.Width);
  if (Width == Others.end())
    return nullptr;
  Others.erase(Width);
  return SE.getMulExpr(Others);
}

// The numbers that rows are made of.
struct Rows {
  Value *Width, *Start, *Last, *Trips;
  Value *Whole;         // how many rows there are, if these are all; or nullptr
  Value *Over, *Column; // of the first index, of the last one
  Value *First, *End;   // whole rows
};

// What is known of ROWS in front of F's loop, at END.
static void expandSizes(Flat &F, ScalarEvolution &SE, Instruction *End, Rows &R)
{
  SCEVExpander Expander(SE, "tsr.flat");
  auto expand = [&](const SCEV *S) { return Expander.expandCodeFor(S, F.Index->getType(), End->getIterator()); };
  const SCEV *Whole = wholeRows(F, SE);
  R.Width = expand(F.Width);
  R.Start = expand(F.Start);
  R.Trips = expand(F.Trips);
  R.Whole = Whole ? expand(Whole) : nullptr;
}

// Are all numbers in their ranges, and are there enough of them, so that there is a whole row wherever the first begins? No
// number is the last of its type, so that there is one behind it.
static Value *isGood(Flat &F, IRBuilder<> &B, Rows &R)
{
  Type *T = F.Index->getType();
  unsigned Bits = T->getIntegerBitWidth();
  Value *Zero = ConstantInt::get(T, 0);
  Value *Most = ConstantInt::get(T, F.Signed ? APInt::getSignedMaxValue(Bits) : APInt::getMaxValue(Bits));
  R.Last = B.CreateAdd(R.Start, R.Trips); // smaller than the first: it wraps
  Value *Good =
      F.Signed ? B.CreateAnd(B.CreateICmpSGT(R.Width, Zero), B.CreateICmpSGE(R.Start, Zero)) : B.CreateICmpNE(R.Width, Zero);
  Good = B.CreateAnd(Good, F.Signed ? B.CreateICmpSGE(R.Last, R.Start) : B.CreateICmpUGE(R.Last, R.Start));
  Good = B.CreateAnd(Good, B.CreateICmpNE(R.Last, Most));
  Good = B.CreateAnd(Good, B.CreateICmpUGE(R.Trips, ConstantInt::get(T, FewIterations)));
  Value *Rest = B.CreateSub(R.Width, ConstantInt::get(T, 1));
  Good = B.CreateAnd(Good, B.CreateICmpUGE(R.Trips, Rest));
  return F.Start->isZero() ? Good : B.CreateAnd(Good, B.CreateICmpUGE(B.CreateSub(R.Trips, Rest), Rest));
}

// Which rows are whole? None of these numbers is negative. What they are made of is nobody's business: the rows are a number
// from here on.
static void countRows(Flat &F, IRBuilder<> &B, Rows &R)
{
  Type *T = F.Index->getType();
  R.Over = R.First = ConstantInt::get(T, 0);
  if (!F.Start->isZero()) {
    R.Over = B.CreateURem(R.Start, R.Width);
    Value *More = B.CreateZExt(B.CreateICmpNE(R.Over, R.First), T);
    R.First = B.CreateFreeze(B.CreateAdd(B.CreateUDiv(R.Start, R.Width), More, "", true, true));
  }
  R.Column = nullptr;
  R.End = R.Whole;
  if (!R.Whole) {
    R.Column = B.CreateURem(R.Last, R.Width);
    Value *More = B.CreateZExt(B.CreateICmpEQ(R.Column, B.CreateSub(R.Width, ConstantInt::get(T, 1))), T);
    R.End = B.CreateFreeze(B.CreateAdd(B.CreateUDiv(R.Last, R.Width), More, "", true, true));
  }
}

// The rows R, from BEFORE on, and then at BEHIND.
static void makeRows(Flat &F, const Rows &R, BasicBlock *Before, BasicBlock *Behind)
{
  Type *T = F.Index->getType();
  BasicBlock *Row = BasicBlock::Create(T->getContext(), "tsr.flat.row", Before->getParent(), Behind);
  BasicBlock *RowEnd = BasicBlock::Create(T->getContext(), "tsr.flat.row.end", Before->getParent(), Behind);
  IRBuilder<> B(Before);
  B.SetCurrentDebugLocation(F.Latch->getTerminator()->getDebugLoc());
  B.CreateBr(Row);
  B.SetInsertPoint(Row);
  PHINode *Q = B.CreatePHI(T, 2, "tsr.row");
  Value *Base = B.CreateMul(Q, R.Width, "", true, F.Signed);
  Copy Middle;
  copyLoop(F, Row, RowEnd, Middle);
  B.CreateBr(Middle.of(F.L->getHeader()));
  runOverRow(F, Middle, Q, Base, R.Width);
  B.SetInsertPoint(RowEnd);
  Value *Next = B.CreateAdd(Q, ConstantInt::get(T, 1), "", true, F.Signed);
  ownLoopId(B.CreateCondBr(B.CreateICmpNE(Next, R.End), Row, Behind), F.L->getLoopID());
  Q->addIncoming(R.First, Before);
  Q->addIncoming(Next, RowEnd);
}

// A copy of F's loop from START to LAST, from BEFORE on, and then at BEHIND.
static void makeRest(Flat &F, Value *Start, Value *Last, BasicBlock *Before, BasicBlock *Behind)
{
  Copy Rest;
  copyLoop(F, Before, Behind, Rest);
  BranchInst::Create(Rest.of(F.L->getHeader()), Before)->setDebugLoc(F.Latch->getTerminator()->getDebugLoc());
  runFromTo(F, Rest, Start, Last);
}

static void split(Flat &F, ScalarEvolution &SE, DominatorTree &DT, LoopInfo &LI)
{
  BasicBlock *Pre = F.L->getLoopPreheader();
  Rows R;
  expandSizes(F, SE, Pre->getTerminator(), R);
  // All blocks of the new way are in front of the old one, whose preheader is new.
  BasicBlock *Old = SplitBlock(Pre, Pre->getTerminator(), &DT, &LI, nullptr, "tsr.flat.old");
  auto block = [&](const char *Name) { return BasicBlock::Create(Pre->getContext(), Name, Pre->getParent(), Old); };
  F.Pre = Old;
  F.Latch = F.L->getLoopLatch();
  F.Exit = F.L->getExitBlock();
  BasicBlock *Sizes = block("tsr.flat.sizes"), *Begin = block("tsr.flat.begin"), *Before = block("tsr.flat.rows"),
             *Behind = block("tsr.flat.behind");
  Value *One = ConstantInt::get(F.Index->getType(), 1), *Zero = ConstantInt::get(F.Index->getType(), 0);

  IRBuilder<> B(Pre->getTerminator());
  B.SetCurrentDebugLocation(F.Latch->getTerminator()->getDebugLoc());
  B.CreateCondBr(isGood(F, B, R), Sizes, Old);
  Pre->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Sizes);
  countRows(F, B, R);
  B.CreateCondBr(B.CreateICmpULT(R.First, R.End), Begin, Old);

  B.SetInsertPoint(Begin);
  if (F.Start->isZero()) {
    B.CreateBr(Before);
  } else {
    BasicBlock *First = block("tsr.flat.first");
    B.CreateCondBr(B.CreateICmpEQ(R.Over, Zero), Before, First);
    B.SetInsertPoint(First);
    Value *To = B.CreateSub(B.CreateMul(R.First, R.Width, "", true, F.Signed), One);
    makeRest(F, R.Start, To, First, Before);
  }
  makeRows(F, R, Before, Behind);
  B.SetInsertPoint(Behind);
  if (R.Whole) {
    B.CreateBr(F.Exit);
  } else {
    BasicBlock *Last = block("tsr.flat.last");
    B.CreateCondBr(B.CreateICmpNE(R.Column, B.CreateSub(R.Width, One)), Last, F.Exit);
    B.SetInsertPoint(Last);
    makeRest(F, B.CreateMul(R.End, R.Width, "", true, F.Signed), R.Last, Last, F.Exit);
  }
}

PreservedAnalyses tsr::SplitFlatLoops::run(Function &F, FunctionAnalysisManager &AM)
{
  SmallPtrSet<BasicBlock *, 8> Seen;
  bool Changed = false;
  for (Loop *L : AM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    Changed |= hoistBound(*L, AM.getResult<AAManager>(F));
  if (Changed)
    AM.invalidate(F, PreservedAnalyses::none());
  for (bool Again = true; Again;) {
    Again = false;
    auto &LI = AM.getResult<LoopAnalysis>(F);
    auto &SE = AM.getResult<ScalarEvolutionAnalysis>(F);
    auto &DT = AM.getResult<DominatorTreeAnalysis>(F);
    for (Loop *L : LI.getLoopsInPreorder()) {
      Flat One;
      if (!Seen.insert(L->getHeader()).second || !isFlat(*L, SE, DT, One))
        continue;
      SCEVExpander Expander(SE, "tsr.flat");
      Instruction *Before = L->getLoopPreheader()->getTerminator();
      if (!Expander.isSafeToExpandAt(One.Trips, Before) || !Expander.isSafeToExpandAt(One.Width, Before) ||
          !Expander.isSafeToExpandAt(One.Start, Before))
        continue;
      for (const BasicBlock *B : L->blocks()) // copies have divisions, too
        Seen.insert(const_cast<BasicBlock *>(B));
      SmallPtrSet<BasicBlock *, 32> Known;
      for (BasicBlock &B : F)
        Known.insert(&B);
      size_t N = 0;
      for (const BasicBlock *B : L->blocks())
        N += B->size();
      if (L->isInnermost() && N <= FewInstructions && !Found->Worthwhile)
        *Found = {true, L->getStartLoc().get()};
      split(One, SE, DT, LI);
      for (BasicBlock &B : F)
        if (!Known.contains(&B))
          Seen.insert(&B);
      AM.invalidate(F, PreservedAnalyses::none());
      Changed = Again = true;
      break;
    }
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
