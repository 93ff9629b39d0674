// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The original at small sizes, untouched. Where each nest of a function that has changed runs its new code from some sizes
// on alone, and these are known when the function is entered, it begins with that test:
//
//   F(..): { .. }   ->   F(..): if sizes are large, return F.large(..); { .. }, as it was      F.large(..): the changed body
//
// The original loops of the changed body have counters of other types, and share registers with what is around them; those
// of the untouched one are what the compiler makes of them anyway. Where F has one nest, and does nothing in front of it
// that can be seen, they needn't be there at all: F.large says whether it has run, and if arrays overlap, say, F goes on
// with its own body.
//
//   F(..): { .. }   ->   F(..): if sizes are large and F.large(..), return; { .. }, as it was
#include "clone.h"
#include "kept_original.h"
#include "shim.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

// Larger functions aren't kept: each part of them is compiled twice.
static const unsigned MostInstructions = 400;
static const unsigned MaxDepth = 12; // of what a test computes

// Is Load one that F does whenever it is entered?
static bool isAlwaysDone(const LoadInst &Load)
{
  const BasicBlock &Entry = Load.getFunction()->getEntryBlock();
  if (Load.getParent() != &Entry)
    return false;
  for (const Instruction &I : Entry) {
    if (&I == &Load)
      return true;
    if (!isGuaranteedToTransferExecutionToSuccessor(&I))
      return false;
  }
  return false;
}

// Can V, of a function, be computed when that is entered, to whatever value? It decides between two bodies that do the same.
static bool isKnownAtEntry(const Value *V, unsigned Depth = MaxDepth)
{
  if (isa<Argument>(V) || isa<ConstantInt>(V))
    return true;
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || !Depth || !I->getType()->isIntegerTy())
    return false;
  if (const auto *Load = dyn_cast<LoadInst>(I))
    return Load->isSimple() && isa<Argument>(Load->getPointerOperand()) && isAlwaysDone(*Load);
  const auto *Binary = dyn_cast<BinaryOperator>(I);
  const auto *By = Binary ? dyn_cast<ConstantInt>(Binary->getOperand(1)) : nullptr;
  if (!(Binary && (!Binary->isIntDivRem() || (By && !By->isZero() && !By->isMinusOne()))) &&
      !isa<CastInst, ICmpInst, SelectInst, MinMaxIntrinsic, FreezeInst>(I))
    return false;
  const auto *MinMax = dyn_cast<MinMaxIntrinsic>(I);
  return all_of(MinMax ? MinMax->args() : I->operands(), [&](const Value *Op) { return isKnownAtEntry(Op, Depth - 1); });
}

// V, of another function with the same arguments, at B in To.
static Value *rebuild(Value *V, Function &To, IRBuilder<> &B, ValueToValueMapTy &Made)
{
  if (const auto *A = dyn_cast<Argument>(V))
    return To.getArg(A->getArgNo());
  if (isa<ConstantInt>(V))
    return V;
  if (Value *Before = Made.lookup(V))
    return Before;
  auto *I = cast<Instruction>(V);
  Value *New;
  if (const auto *MinMax = dyn_cast<MinMaxIntrinsic>(I)) {
    Value *Left = rebuild(MinMax->getLHS(), To, B, Made), *Right = rebuild(MinMax->getRHS(), To, B, Made);
    New = B.CreateBinaryIntrinsic(MinMax->getIntrinsicID(), Left, Right);
  } else {
    Instruction *Copy = I->clone();
    for (Use &Op : Copy->operands())
      Op = rebuild(Op, To, B, Made);
    Copy->dropUnknownNonDebugMetadata();
    Copy->dropPoisonGeneratingFlags();
    Copy->setDebugLoc(DebugLoc());
    New = B.Insert(Copy);
  }
  return Made[V] = New;
}

// The conditions of each test of sizes in F, by test: new code runs if all of them hold.
static MapVector<MDNode *, SmallVector<Value *, 2>> findTests(Function &F)
{
  MapVector<MDNode *, SmallVector<Value *, 2>> Tests;
  for (BasicBlock &Block : F)
    if (auto *Branch = dyn_cast<BranchInst>(Block.getTerminator()))
      if (MDNode *Test = Branch->getMetadata(TSR_SIZE_TEST))
        Tests[Test].push_back(Branch->getCondition());
  return Tests;
}

// May F be called with what it is called with itself?
static bool canForward(const Function &F)
{
  return !F.isVarArg() && none_of(F.args(), [](const Argument &A) {
    return A.hasPassPointeeByValueCopyAttr() || A.hasInAllocaAttr() || A.hasPreallocatedAttr() || A.hasSwiftErrorAttr() ||
           A.hasNestAttr() || A.hasSwiftSelfAttr();
  });
}

bool tsr::canKeepOriginal(Function &Changed, const Function &Original, unsigned Nests)
{
  auto Tests = findTests(Changed);
  return Nests && Tests.size() == Nests && canForward(Original) && Original.getInstructionCount() <= MostInstructions &&
         all_of(Tests,
                [](const auto &Test) { return all_of(Test.second, [](const Value *V) { return isKnownAtEntry(V); }); });
}

void tsr::dropTests(Function &F)
{
  for (BasicBlock &Block : F)
    Block.getTerminator()->setMetadata(TSR_SIZE_TEST, nullptr);
}

// Can all that is done from the entry to the branches At be done again, and nobody sees it?
static bool isPureUpTo(ArrayRef<BranchInst *> At)
{
  SetVector<const BasicBlock *> Before;
  for (const BranchInst *Branch : At)
    Before.insert(Branch->getParent());
  for (size_t I = 0; I < Before.size(); I++)
    Before.insert(pred_begin(Before[I]), pred_end(Before[I]));
  return all_of(Before, [](const BasicBlock *Block) {
    return all_of(*Block, [](const Instruction &I) {
      const auto *Store = dyn_cast<StoreInst>(&I);
      return !I.mayHaveSideEffects() || I.isLifetimeStartOrEnd() ||
             (Store && Store->isSimple() && isa<AllocaInst>(Store->getPointerOperand()));
    });
  });
}

// Let F return what it does and true. A new block, in which it returns false.
static BasicBlock *addFlag(Function &F)
{
  Type *Result = F.getReturnType();
  auto Return = [&](IRBuilder<> B, Value *Value, bool Done) {
    llvm::Value *Flag = B.getInt1(Done);
    if (!Result->isVoidTy()) {
      llvm::Value *Both = B.CreateInsertValue(PoisonValue::get(StructType::get(Result, Flag->getType())), Value, 0);
      Flag = B.CreateInsertValue(Both, Flag, 1);
    }
    B.CreateRet(Flag);
  };
  SmallVector<ReturnInst *, 4> Returns;
  for (BasicBlock &B : F)
    if (auto *R = dyn_cast<ReturnInst>(B.getTerminator()))
      Returns.push_back(R);
  for (ReturnInst *R : Returns) {
    Return(IRBuilder<>(R), R->getReturnValue(), true);
    R->eraseFromParent();
  }
  BasicBlock *Declined = BasicBlock::Create(F.getContext(), "tsr.declined", &F);
  Return(IRBuilder<>(Declined), Result->isVoidTy() ? nullptr : PoisonValue::get(Result), false);
  return Declined;
}

bool tsr::dropOriginal(Function &Changed)
{
  SmallVector<BranchInst *, 2> Branches;
  for (BasicBlock &Block : Changed)
    if (auto *Branch = dyn_cast<BranchInst>(Block.getTerminator()); Branch && Branch->getMetadata(TSR_SIZE_TEST))
      Branches.push_back(Branch);
  BasicBlock *Old = Branches.front()->getSuccessor(1);
  bool Must = Changed.hasStructRetAttr() || any_of(instructions(Changed), [](const Instruction &I) {
                const auto *Call = dyn_cast<CallInst>(&I);
                return Call && Call->isMustTailCall();
              });
  if (findTests(Changed).size() != 1 || Must || !isPureUpTo(Branches) || any_of(Branches, [&](const BranchInst *Branch) {
        return Branch->getSuccessor(1) != Old || isa<PHINode>(Branch->getSuccessor(0)->front());
      }))
    return false;
  for (BranchInst *Branch : Branches) { // this has been asked at the entry of the original: testAtEntry reads what
    Old->removePredecessor(Branch->getParent());
    Branch->setSuccessor(1, Branch->getSuccessor(0));
  }
  bool Declines = !pred_empty(Old);
  if (Declines) {
    SmallVector<BasicBlock *, 4> Before(predecessors(Old));
    BasicBlock *Declined = addFlag(Changed);
    for (BasicBlock *Block : Before) {
      Old->removePredecessor(Block);
      Block->getTerminator()->replaceSuccessorWith(Old, Declined);
    }
  }
  EliminateUnreachableBlocks(Changed);
  return Declines;
}

// The type of a function that also says whether it has run, where DECLINES, else that of Original.
static FunctionType *largeType(Function &Original, bool Declines)
{
  FunctionType *Type = Original.getFunctionType();
  llvm::Type *Flag = Type::getInt1Ty(Original.getContext()), *Result = Type->getReturnType();
  if (!Declines)
    return Type;
  return FunctionType::get(Result->isVoidTy() ? Flag : StructType::get(Result, Flag), Type->params(), false);
}

// The function for the changed body of Original, which takes From's attributes.
Function *tsr::createLarge(Function &Original, const Function &From, bool Declines)
{
  Function *Large = Function::Create(largeType(Original, Declines), GlobalValue::InternalLinkage, Original.getAddressSpace(),
                                     Original.getName() + ".tsr.large", Original.getParent());
  Large->copyAttributesFrom(&Original);
  Large->setLinkage(GlobalValue::InternalLinkage);
  Large->setVisibility(GlobalValue::DefaultVisibility);
  Large->setDLLStorageClass(GlobalValue::DefaultStorageClass);
  Large->setDSOLocal(true);
  Large->setAttributes(From.getAttributes());
  if (Declines) { // what is known of a result isn't of two
    AttributeList All = Large->getAttributes();
    Large->setAttributes(All.removeAttributesAtIndex(Large->getContext(), AttributeList::ReturnIndex));
    for (Argument &A : Large->args())
      A.removeAttr(Attribute::Returned);
  }
  Large->removeFnAttr(Attribute::AlwaysInline);
  Large->addFnAttr(Attribute::NoInline);
  Large->addFnAttr("tessera", "done");
  return Large;
}

// LARGE, whose code is that of ORIGINAL's subprogram, with one of its own.
Function *tsr::ownSubprogram(Function *Large, Function &Original)
{
  DISubprogram *Source = Original.getSubprogram();
  if (!Source)
    return Large;
  std::string Name = Large->getName().str();
  Large->setName("");
  Large->setSubprogram(Source);
  ValueToValueMapTy Map;
  Function *Own = CloneFunction(Large, Map);
  Own->setName(Name);
  Large->setSubprogram(nullptr);
  Large->eraseFromParent();
  if (DISubprogram *SP = Own->getSubprogram())
    SP->replaceLinkageName(MDString::get(Own->getContext(), Name));
  return Own;
}

// Allocas of a constant size must stay in the first block.
static BasicBlock *splitEntry(Function &F)
{
  BasicBlock &Entry = F.getEntryBlock();
  SmallVector<AllocaInst *, 8> Allocas;
  for (Instruction &I : Entry)
    if (auto *Alloca = dyn_cast<AllocaInst>(&I); Alloca && isa<ConstantInt>(Alloca->getArraySize()))
      Allocas.push_back(Alloca);
  for (AllocaInst *Alloca : reverse(Allocas))
    Alloca->moveBefore(Entry, Entry.begin());
  BasicBlock::iterator At = Entry.begin();
  std::advance(At, Allocas.size());
  return Entry.splitBasicBlock(At, "tsr.small");
}

void tsr::testAtEntry(Function &Original, Function &Large)
{
  auto Tests = findTests(Large);
  BasicBlock *Small = splitEntry(Original);
  Instruction *End = Original.getEntryBlock().getTerminator();
  IRBuilder<> B(End);
  ValueToValueMapTy Made;
  Value *Any = nullptr;
  for (auto &[Test, Conditions] : Tests) {
    Value *All = nullptr;
    for (Value *Condition : Conditions) {
      Value *Here = rebuild(Condition, Original, B, Made);
      All = All ? B.CreateAnd(All, Here) : Here;
    }
    Any = Any ? B.CreateOr(Any, All) : All;
  }
  BasicBlock *Call = BasicBlock::Create(Original.getContext(), "tsr.large", &Original);
  B.CreateCondBr(B.CreateFreeze(Any), Call, Small);
  End->eraseFromParent();
  B.SetInsertPoint(Call);
  SmallVector<Value *, 8> Arguments;
  for (Argument &A : Original.args())
    Arguments.push_back(&A);
  if (DISubprogram *SP = Original.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(Original.getContext(), 0, 0, SP));
  CallInst *Result = B.CreateCall(&Large, Arguments);
  Result->setCallingConv(Large.getCallingConv());
  Result->setTailCallKind(CallInst::TCK_Tail);
  AttributeList Own = Large.getAttributes(); // how it takes small integers and where results go are a part of these
  SmallVector<AttributeSet, 8> OfArguments;
  for (Argument &A : Original.args())
    OfArguments.push_back(Own.getParamAttrs(A.getArgNo()));
  Result->setAttributes(AttributeList::get(Original.getContext(), AttributeSet(), Own.getRetAttrs(), OfArguments));
  Value *Value = Result;
  if (Large.getReturnType() != Original.getReturnType()) {
    BasicBlock *Done = BasicBlock::Create(Original.getContext(), "tsr.done", &Original);
    bool Alone = Original.getReturnType()->isVoidTy();
    B.CreateCondBr(Alone ? Value : B.CreateExtractValue(Result, 1), Done, Small,
                   MDBuilder(Original.getContext()).createLikelyBranchWeights());
    B.SetInsertPoint(Done);
    Value = Alone ? nullptr : B.CreateExtractValue(Result, 0);
  }
  if (Original.getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Value);
}
