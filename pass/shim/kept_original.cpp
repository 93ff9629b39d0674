// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The original at small sizes, untouched. Where each nest of a function that has changed runs its new code from some sizes
// on alone, and these are known when the function is entered, it begins with that test:
//
//   F(..): { .. }   ->   F(..): if sizes are large, return F.large(..); { .. }, as it was      F.large(..): the changed body
//
// The original loops of the changed body have counters of other types, and share registers with what is around them; those
// of the untouched one are what the compiler makes of them anyway. Where F has one nest, and does nothing in front of it
// that can be seen, they needn't be there at all: where arrays overlap, say, F.large goes on with what F was.
//
//   F(..): if sizes are large, return F.large(..), else F.small(..)     F.large(..): .. else return F.small(..)
//
// Where a test is of several conditions, one of which is known at the entry, that is asked there; the rest stays.
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

// Those of CONDITIONS that are known at the entry.
static SmallVector<Value *, 2> knownOnes(ArrayRef<Value *> Conditions)
{
  SmallVector<Value *, 2> Known;
  copy_if(Conditions, std::back_inserter(Known), [](const Value *V) { return isKnownAtEntry(V); });
  return Known;
}

bool tsr::canKeepOriginal(Function &Changed, const Function &Original, unsigned Nests)
{
  auto Tests = findTests(Changed);
  return Nests && Tests.size() == Nests && canForward(Original) && Original.getInstructionCount() <= MostInstructions &&
         all_of(Tests, [](const auto &Test) { return !knownOnes(Test.second).empty(); });
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

BasicBlock *tsr::dropOriginal(Function &Changed, const Function &Original)
{
  SmallVector<BranchInst *, 2> Branches;
  for (BasicBlock &Block : Changed)
    if (auto *Branch = dyn_cast<BranchInst>(Block.getTerminator()); Branch && Branch->getMetadata(TSR_SIZE_TEST))
      Branches.push_back(Branch);
  BasicBlock *Old = Branches.front()->getSuccessor(1);
  bool Stays = Original.hasFnAttribute(Attribute::AlwaysInline) ||
               any_of(Original, [](const BasicBlock &Block) { return Block.hasAddressTaken(); }) ||
               any_of(Branches, [](const BranchInst *Branch) { return !isKnownAtEntry(Branch->getCondition()); });
  if (findTests(Changed).size() != 1 || Stays || !isPureUpTo(Branches) || any_of(Branches, [&](const BranchInst *Branch) {
        return Branch->getSuccessor(1) != Old || isa<PHINode>(Branch->getSuccessor(0)->front());
      }))
    return nullptr;
  for (BranchInst *Branch : Branches) { // this is asked at the entry: testAtEntry reads what
    Old->removePredecessor(Branch->getParent());
    Branch->setSuccessor(1, Branch->getSuccessor(0));
  }
  SmallVector<BasicBlock *, 4> Before(predecessors(Old));
  BasicBlock *Declined = Before.empty() ? nullptr : BasicBlock::Create(Changed.getContext(), "tsr.declined", &Changed);
  for (BasicBlock *Block : Before) {
    Old->removePredecessor(Block);
    Block->getTerminator()->replaceSuccessorWith(Old, Declined);
  }
  if (Declined)
    new UnreachableInst(Changed.getContext(), Declined);
  EliminateUnreachableBlocks(Changed);
  return Declined;
}

// A function beside Original, empty, of its type and named by Suffix, with the attributes of From.
static Function *createBeside(Function &Original, const Function &From, const char *Suffix)
{
  Function *Beside = Function::Create(Original.getFunctionType(), GlobalValue::InternalLinkage, Original.getAddressSpace(),
                                      Original.getName() + Suffix, Original.getParent());
  Beside->copyAttributesFrom(&Original);
  Beside->setLinkage(GlobalValue::InternalLinkage);
  Beside->setVisibility(GlobalValue::DefaultVisibility);
  Beside->setDLLStorageClass(GlobalValue::DefaultStorageClass);
  Beside->setDSOLocal(true);
  Beside->setAttributes(From.getAttributes());
  Beside->removeFnAttr(Attribute::AlwaysInline);
  Beside->addFnAttr("tessera", "done");
  return Beside;
}

Function *tsr::createLarge(Function &Original, const Function &From)
{
  Function *Large = createBeside(Original, From, ".tsr.large");
  Large->addFnAttr(Attribute::NoInline);
  return Large;
}

// Beside, whose code is that of Original's subprogram, with one of its own.
Function *tsr::ownSubprogram(Function *Beside, Function &Original)
{
  DISubprogram *Source = Original.getSubprogram();
  if (!Source)
    return Beside;
  std::string Name = Beside->getName().str();
  Beside->setName("");
  Beside->setSubprogram(Source);
  ValueToValueMapTy Map;
  Function *Own = CloneFunction(Beside, Map);
  Own->setName(Name);
  Own->removeFromParent(); // to where the other one is
  Original.getParent()->getFunctionList().insert(Beside->getIterator(), Own);
  Beside->setSubprogram(nullptr);
  Beside->eraseFromParent();
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

// At B, in From: return what To does with the same arguments.
static void returnCall(IRBuilder<> &B, Function &From, Function &To)
{
  SmallVector<Value *, 8> Arguments;
  SmallVector<AttributeSet, 8> OfArguments;
  AttributeList Own = To.getAttributes(); // how it takes small integers and where results go are a part of these
  for (Argument &A : From.args()) {
    Arguments.push_back(&A);
    OfArguments.push_back(Own.getParamAttrs(A.getArgNo()));
  }
  if (DISubprogram *SP = From.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(From.getContext(), 0, 0, SP));
  CallInst *Result = B.CreateCall(&To, Arguments);
  Result->setCallingConv(To.getCallingConv());
  Result->setTailCallKind(CallInst::TCK_Tail);
  Result->setAttributes(AttributeList::get(From.getContext(), AttributeSet(), Own.getRetAttrs(), OfArguments));
  if (From.getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Result);
}

Function *tsr::moveOriginal(Function &Original)
{
  Function *Small = createBeside(Original, Original, ".tsr.small");
  for (Argument &A : Original.args()) {
    Argument *To = Small->getArg(A.getArgNo());
    A.replaceAllUsesWith(To);
    To->takeName(&A);
  }
  Small->splice(Small->end(), &Original);
  SmallVector<std::pair<unsigned, MDNode *>, 4> MDs;
  Original.getAllMetadata(MDs);
  for (auto &[Kind, Node] : MDs)
    if (Kind != LLVMContext::MD_dbg)
      Small->setMetadata(Kind, Node);
  return ownSubprogram(Small, Original);
}

void tsr::decline(BasicBlock &Declined, Function &Small)
{
  Declined.getTerminator()->eraseFromParent();
  IRBuilder<> B(&Declined);
  returnCall(B, *Declined.getParent(), Small);
}

void tsr::testAtEntry(Function &Original, Function &Large, Function *Small)
{
  auto Tests = findTests(Large);
  if (Small) {
    IRBuilder<> B(BasicBlock::Create(Original.getContext(), "tsr.small", &Original));
    returnCall(B, Original, *Small);
    B.SetInsertPoint(BasicBlock::Create(Original.getContext(), "", &Original, &Original.getEntryBlock()));
    B.CreateBr(&Original.back());
  }
  BasicBlock *Other = Small ? &Original.back() : splitEntry(Original);
  Instruction *End = Original.getEntryBlock().getTerminator();
  IRBuilder<> B(End);
  ValueToValueMapTy Made;
  Value *Any = nullptr;
  for (auto &[Test, Conditions] : Tests) {
    Value *All = nullptr;
    for (Value *Condition : knownOnes(Conditions)) {
      Value *Here = rebuild(Condition, Original, B, Made);
      All = All ? B.CreateAnd(All, Here) : Here;
    }
    Any = Any ? B.CreateOr(Any, All) : All;
  }
  BasicBlock *Call = BasicBlock::Create(Original.getContext(), "tsr.large", &Original);
  B.CreateCondBr(B.CreateFreeze(Any), Call, Other);
  End->eraseFromParent();
  B.SetInsertPoint(Call);
  returnCall(B, Original, Large);
}
