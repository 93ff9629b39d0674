// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The original at small sizes, untouched. Where each nest of a function that has changed runs its new code from some sizes
// on alone, and these are known when the function is entered, it begins with that test:
//
//   F(..): { .. }   ->   F(..): if sizes are large, return F.large(..); { .. }, as it was      F.large(..): the changed body
//
// The original loops of the changed body have counters of other types, and share registers with what is around them; those
// of the untouched one are what the compiler makes of them anyway.
#include "clone.h"
#include "kept_original.h"
#include "shim.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
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

// The function for the changed body of Original, which takes From's attributes.
Function *tsr::createLarge(Function &Original, const Function &From)
{
  Function *Large = Function::Create(Original.getFunctionType(), GlobalValue::InternalLinkage, Original.getAddressSpace(),
                                     Original.getName() + ".tsr.large", Original.getParent());
  Large->copyAttributesFrom(&Original);
  Large->setLinkage(GlobalValue::InternalLinkage);
  Large->setVisibility(GlobalValue::DefaultVisibility);
  Large->setDLLStorageClass(GlobalValue::DefaultStorageClass);
  Large->setDSOLocal(true);
  Large->setAttributes(From.getAttributes());
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
  if (Original.getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Result);
}
