// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scratch copy of the module in which we may do what we like, and the way back (bring_back.cpp) for the functions that we
// transform:
//
//   original F --CloneModule--> copy F' --canonicalise, transform--> F''   --bring back--> F with the body of F''
//
// A module none of whose functions is brought back has not been touched.
#include "analyses.h"
#include "clone.h"
#include "errors.h"
#include "flat_loops.h"
#include "joined_exits.h"
#include "running_values.h"
#include "shim.h"
#include "undo.h"
#include "llvm-c/Error.h"
#include "llvm-c/Transforms/PassBuilder.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopRotationUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <cstring>
#include <memory>
#include <set>

using namespace llvm;

// Is there a loop in F, of whatever shape?
static bool hasCycle(const Function &F)
{
  for (auto It = scc_begin(&F); !It.isAtEnd(); ++It)
    if (It.hasCycle())
      return true;
  return false;
}

namespace
{
// Does a call in L write memory? No such call is modelled.
static bool hasCall(const Loop &L)
{
  for (const BasicBlock *B : L.blocks())
    for (const Instruction &I : *B)
      if (const auto *Call = dyn_cast<CallBase>(&I))
        if (!isa<IntrinsicInst>(Call) && tsr_call_effects(wrap(Call)).writes)
          return true;
  return false;
}

// Is there a part of L that could be modelled as far as calls go, L or a loop inside?
static bool hasCallFree(const Loop &L)
{
  return !hasCall(L) || any_of(L.getSubLoops(), [](const Loop *Sub) { return hasCallFree(*Sub); });
}

// Has F a loop; or if ALL isn't wanted, one that could be modelled as far as calls go?
static bool hasCandidate(Function &F, bool All)
{
  if (F.isDeclaration() || !hasCycle(F))
    return false;
  if (All)
    return true;
  DominatorTree DT(F);
  LoopInfo LI(DT);
  return any_of(LI, [](const Loop *L) { return hasCallFree(*L); });
}
} // namespace

static void addCallees(const Function &F, std::set<const Function *> &Keep)
{
  for (const Instruction &I : instructions(F))
    if (const auto *Call = dyn_cast<CallBase>(&I))
      if (const Function *G = Call->getCalledFunction())
        if (!G->isDeclaration() && Keep.insert(G).second)
          addCallees(*G, Keep);
}

static void countCalls(const Module &M, std::map<std::string, unsigned> &Calls)
{
  for (const Function &F : M)
    for (const Instruction &I : instructions(F))
      if (const auto *Call = dyn_cast<CallBase>(&I))
        if (const Function *G = Call->getCalledFunction())
          if (!G->isDeclaration())
            Calls[G->getName().str()]++;
}

// Is nothing inlined into F, nor F elsewhere?
static bool isOnItsOwn(const Function &F)
{
  return F.use_empty() && none_of(instructions(F), [](const Instruction &I) {
           const auto *Call = dyn_cast<CallBase>(&I);
           return Call && Call->getCalledFunction() && !Call->getCalledFunction()->isDeclaration();
         });
}

struct tsr_clone *tsr_clone_create(LLVMModuleRef module, bool all)
{
  Module *M = unwrap(module);
  std::set<const Function *> Keep, Known;
  for (Function &F : *M) {
    if (F.isDeclaration() || !hasCycle(F))
      continue;
    bool Alone = !all && isOnItsOwn(F);
    if (Alone && !hasCandidate(F, all))
      continue;
    Keep.insert(&F);
    if (Alone)
      Known.insert(&F);
  }
  if (Keep.empty())
    return nullptr;
  for (const Function *F : std::set<const Function *>(Keep))
    addCallees(*F, Keep);
  // Callers of a function with a loop: it may be inlined into them, and then their copy is what counts.
  for (const Function &F : *M)
    for (const Instruction &I : instructions(F))
      if (const auto *Call = dyn_cast<CallBase>(&I))
        if (Call->getCalledFunction() && Keep.count(Call->getCalledFunction()))
          Keep.insert(&F);
  auto *C = new tsr_clone;
  C->original = M;
  C->copy = CloneModule(*M, C->forward, [&](const GlobalValue *GV) {
    const auto *F = dyn_cast<Function>(GV);
    return !F || Keep.count(F);
  });
  for (const Function *F : Known)
    C->known.insert(cast<Function>(C->forward[F]));
  for (auto Pair : C->forward)
    if (isa<GlobalValue>(Pair.first) && Pair.second)
      C->inverse[Pair.second] = const_cast<Value *>(Pair.first);
  if (auto &MDs = C->forward.getMDMap())
    for (auto &Pair : *MDs)
      if (Pair.second.get() && Pair.second.get() != Pair.first)
        C->inverse.MD()[Pair.second.get()].reset(const_cast<Metadata *>(Pair.first));
  return C;
}

void tsr_clone_free(struct tsr_clone *clone)
{
  delete clone;
}

LLVMModuleRef tsr_clone_module(struct tsr_clone *clone)
{
  return wrap(clone->copy.get());
}

namespace
{
// What the inliner and others have to say about the copy is no news to the user: no remark passes a threshold that no
// function's hotness reaches.
class Silence
{
  LLVMContext &Context;
  std::optional<uint64_t> Threshold;

public:
  explicit Silence(LLVMContext &C) : Context(C)
  {
    if (!C.isDiagnosticsHotnessThresholdSetFromPSI())
      Threshold = C.getDiagnosticsHotnessThreshold();
    C.setDiagnosticsHotnessThreshold(UINT64_MAX);
  }
  ~Silence()
  {
    Context.setDiagnosticsHotnessThreshold(Threshold);
  }
};
} // namespace

static char *runPasses(Module &M, const char *Pipeline)
{
  LLVMPassBuilderOptionsRef Options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef Error = LLVMRunPasses(wrap(&M), Pipeline, nullptr, Options);
  LLVMDisposePassBuilderOptions(Options);
  if (!Error)
    return nullptr;
  char *Message = LLVMGetErrorMessage(Error);
  char *Copy = strdup(Message);
  LLVMDisposeErrorMessage(Message);
  return Copy;
}

namespace
{
// Is I something that the accept-list (read/values/accept_list.c) doesn't have, whatever simplification makes of the code
// around it?
bool isRefused(const Instruction &I)
{
  if (isa<FenceInst, AtomicRMWInst, AtomicCmpXchgInst, InvokeInst, CallBrInst>(I))
    return true;
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return !Load->isSimple();
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return !Store->isSimple() || !Store->getValueOperand()->getType()->isSingleValueType() ||
           Store->getValueOperand()->getType()->isX86_FP80Ty();
  return false;
}

// May L, rotated, be modelled? Not if control leaves it elsewhere than at its latch, but for where the program ends, nor if
// that goes for a loop inside. Notes in ANY if L or a loop inside may.
bool mayBeModelled(const Loop &L, bool &Any)
{
  bool May = !hasCall(L);
  for (const Loop *Sub : L.getSubLoops())
    May &= mayBeModelled(*Sub, Any);
  SmallVector<Loop::Edge, 4> Edges;
  L.getExitEdges(Edges);
  May &= L.getLoopLatch() &&
         all_of(Edges, [&](const Loop::Edge &E) { return E.first == L.getLoopLatch() || tsr::isErrorBlock(E.second); });
  May = May && none_of(L.blocks(), [](const BasicBlock *B) { return any_of(*B, isRefused); });
  Any |= May;
  return May;
}

// May L be modelled as far as can be seen, but for how control leaves loops inside?
static bool isOpen(const Loop &L)
{
  SmallVector<Loop::Edge, 4> Edges;
  L.getExitEdges(Edges);
  return !hasCall(L) && L.getLoopLatch() &&
         all_of(Edges, [&](const Loop::Edge &E) { return E.first == L.getLoopLatch() || tsr::isErrorBlock(E.second); }) &&
         none_of(L.blocks(), [](const BasicBlock *B) { return any_of(*B, isRefused); });
}

// Has F, whose loops are rotated, one that may be modelled?
bool hasHope(Function &F)
{
  DominatorTree DT(F);
  LoopInfo LI(DT);
  bool Any = false;
  for (const Loop *L : LI)
    mayBeModelled(*L, Any);
  return Any;
}

// A loop that has other exits than its latch stays opaque to control_tree.c, and calls are not modelled, so the dear passes
// leave such loops alone.
template <typename PassT, bool Rotated> class OnCandidates : public PassInfoMixin<OnCandidates<PassT, Rotated>>
{
  bool All; // those without hope, too?

  bool isCandidate(const Loop &L) const
  {
    bool Any = false;
    if (!L.getExitingBlock() || (Rotated && L.getExitingBlock() != L.getLoopLatch()) || !hasCallFree(L))
      return false;
    return All || mayBeModelled(L, Any) || Any;
  }

public:
  explicit OnCandidates(bool All) : All(All)
  {
  }
  PreservedAnalyses run(Loop &L, LoopAnalysisManager &AM, LoopStandardAnalysisResults &AR, LPMUpdater &U)
  {
    return isCandidate(L) ? PassT().run(L, AM, AR, U) : PreservedAnalyses::all();
  }
};
} // namespace

static void runOn(tsr_analyses &A, ArrayRef<Function *> Functions, FunctionPassManager FPM)
{
  for (Function *F : Functions) {
    FPM.run(*F, A.FAM);
    A.FAM.clear(*F, F->getName());
  }
}

static void simplify(tsr_analyses &A, ArrayRef<Function *> Functions)
{
  FunctionPassManager FPM;
  FPM.addPass(SROAPass(SROAOptions::PreserveCFG));
  FPM.addPass(EarlyCSEPass());
  FPM.addPass(SimplifyCFGPass());
  runOn(A, Functions, std::move(FPM));
}

namespace
{
// LoopRotatePass, but scalar evolution, of which nothing is known yet, isn't told: to forget takes half of its time.
struct Rotate : PassInfoMixin<Rotate> {
  PreservedAnalyses run(Loop &L, LoopAnalysisManager &, LoopStandardAnalysisResults &AR, LPMUpdater &)
  {
    const unsigned HeaderSize = 16; // that LLVM duplicates by default
    const SimplifyQuery Query = getBestSimplifyQuery(AR, L.getHeader()->getDataLayout());
    bool Changed = LoopRotation(&L, &AR.LI, &AR.TTI, &AR.AC, &AR.DT, nullptr, nullptr, Query, false, HeaderSize, false);
    return Changed ? getLoopPassPreservedAnalyses() : PreservedAnalyses::all();
  }
};

struct ShareExpressions : PassInfoMixin<ShareExpressions> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &AM)
  {
    PreservedAnalyses Kept;
    Kept.preserveSet<CFGAnalyses>();
    const LoopInfo &LI = AM.getResult<LoopAnalysis>(F);
    bool Changed = tsr::narrowCounters(LI);
    Changed |= tsr::shareExpressions(F, AM.getResult<DominatorTreeAnalysis>(F), LI);
    return Changed ? Kept : PreservedAnalyses::all();
  }
};
} // namespace

// Adaptors for loops run loop-simplify and lcssa first.
static void rotateLoops(tsr_analyses &A, ArrayRef<Function *> Functions)
{
  FunctionPassManager FPM;
  FPM.addPass(ShareExpressions());
  FPM.addPass(createFunctionToLoopPassAdaptor(Rotate()));
  runOn(A, Functions, std::move(FPM));
}

// simplifycfg leaves a switch that lists all values with a default that can't be reached, an edge out of the loop: the last
// case takes its place.
static void dropUnreachableDefaults(Function &F)
{
  SmallSetVector<BasicBlock *, 4> Dead;
  for (BasicBlock &B : F) {
    auto *Switch = dyn_cast<SwitchInst>(B.getTerminator());
    BasicBlock *Default = Switch ? Switch->getDefaultDest() : nullptr;
    if (!Default || !Switch->getNumCases() || !isa<UnreachableInst>(Default->getFirstNonPHIOrDbg()))
      continue;
    auto Last = std::prev(Switch->case_end());
    BasicBlock *Taken = Last->getCaseSuccessor();
    if (Taken == Default)
      continue;
    Default->removePredecessor(&B);
    Switch->setDefaultDest(Taken);
    Switch->removeCase(Last);
    Switch->setMetadata(LLVMContext::MD_prof, nullptr);
    Dead.insert(Default);
  }
  for (BasicBlock *B : Dead)
    if (pred_empty(B))
      B->eraseFromParent();
}

// Is STORE of a complex number as a library's helper returns it, in a vector? Element by element, too.
static bool storesVector(StoreInst *Store)
{
  auto *Type = Store ? dyn_cast<FixedVectorType>(Store->getValueOperand()->getType()) : nullptr;
  return Type && Store->isSimple() && tsr_is_complex_helper(wrap(Store->getValueOperand()));
}

static void splitVector(StoreInst *Store)
{
  auto *Type = cast<FixedVectorType>(Store->getValueOperand()->getType());
  uint64_t Size = Store->getDataLayout().getTypeStoreSize(Type->getElementType());
  IRBuilder<> B(Store);
  for (unsigned K = 0; K < Type->getNumElements(); K++)
    B.CreateAlignedStore(B.CreateExtractElement(Store->getValueOperand(), K),
                         B.CreateInBoundsPtrAdd(Store->getPointerOperand(), B.getInt64(K * Size)),
                         commonAlignment(Store->getAlign(), K * Size));
  Store->eraseFromParent();
}

// Structures of scalars that are loaded and stored as a whole, as Fortran's complex numbers: element by element. early-cse
// joins what is taken apart and put together again.
static void splitAggregates(Function &F)
{
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Load = dyn_cast<LoadInst>(&I);
    auto *Store = dyn_cast<StoreInst>(&I);
    if (storesVector(Store)) {
      splitVector(Store);
      continue;
    }
    auto *Type = dyn_cast_or_null<StructType>(Load    ? Load->getType()
                                              : Store ? Store->getValueOperand()->getType()
                                                      : nullptr);
    if (!Type || !(Load ? Load->isSimple() : Store->isSimple()) ||
        !all_of(Type->elements(), [](auto *T) { return T->isFloatingPointTy() || T->isIntegerTy() || T->isPointerTy(); }))
      continue;
    const StructLayout *Layout = F.getDataLayout().getStructLayout(Type);
    IRBuilder<> B(&I);
    Value *All = PoisonValue::get(Type);
    for (unsigned K = 0; K < Type->getNumElements(); K++) {
      uint64_t Offset = Layout->getElementOffset(K);
      Value *Pointer = B.CreateInBoundsPtrAdd(getLoadStorePointerOperand(&I), B.getInt64(Offset));
      Align A = commonAlignment(getLoadStoreAlignment(&I), Offset);
      if (Load)
        All = B.CreateInsertValue(All, B.CreateAlignedLoad(Type->getElementType(K), Pointer, A), K);
      else
        B.CreateAlignedStore(B.CreateExtractValue(Store->getValueOperand(), K), Pointer, A);
    }
    if (Load)
      Load->replaceAllUsesWith(All);
    I.eraseFromParent();
  }
}

// Is memory at P only written, by what is added to DEAD, users first?
static bool isOnlyWritten(Value *P, SmallVectorImpl<Instruction *> &Dead)
{
  for (Use &U : P->uses()) {
    auto *I = cast<Instruction>(U.getUser());
    auto *Store = dyn_cast<StoreInst>(I);
    auto *Transfer = dyn_cast<MemIntrinsic>(I);
    bool Written = (Store && Store->isSimple() && U.getOperandNo() == StoreInst::getPointerOperandIndex()) ||
                   (Transfer && !Transfer->isVolatile() && U.getOperandNo() == 0) || I->isLifetimeStartOrEnd();
    if (!Written && !(isa<GetElementPtrInst>(I) && isOnlyWritten(I, Dead)))
      return false;
    Dead.push_back(I);
  }
  return true;
}

// sroa leaves copies of the unused parts of a structure: Fortran copies array descriptors wherever it uses them.
static void dropWrittenAllocas(Function &F)
{
  SmallVector<AllocaInst *, 8> Allocas;
  for (Instruction &I : F.getEntryBlock())
    if (auto *Alloca = dyn_cast<AllocaInst>(&I))
      Allocas.push_back(Alloca);
  for (AllocaInst *Alloca : Allocas) {
    SmallVector<Instruction *, 8> Dead;
    if (!isOnlyWritten(Alloca, Dead))
      continue;
    for (Instruction *User : Dead)
      User->eraseFromParent();
    Alloca->eraseFromParent();
  }
}

// Comparisons as scalar evolution likes them: `not (a < b)`, `sext(a) < sext(b)` and `sext(a) < 5` have no trip count, `a >=
// b` and `a < b` do.
static void simplifyCompares(Function &F)
{
  using namespace PatternMatch;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    Value *A, *B;
    const APInt *C;
    CmpPredicate Pred;
    IRBuilder<> Builder(&I);
    if (match(&I, m_Not(m_ICmp(Pred, m_Value(A), m_Value(B))))) {
      I.replaceAllUsesWith(Builder.CreateICmp(ICmpInst::getInversePredicate(Pred), A, B));
      I.eraseFromParent();
    } else if (match(&I, m_ICmp(Pred, m_SExt(m_Value(A)), m_SExt(m_Value(B)))) && A->getType() == B->getType()) {
      I.replaceAllUsesWith(Builder.CreateICmp(Pred, A, B));
      I.eraseFromParent();
    } else if (match(&I, m_ICmp(Pred, m_ZExt(m_Value(A)), m_ZExt(m_Value(B)))) && A->getType() == B->getType()) {
      I.replaceAllUsesWith(Builder.CreateICmp(ICmpInst::getUnsignedPredicate(Pred), A, B));
      I.eraseFromParent();
    } else if (match(&I, m_ICmp(Pred, m_SExt(m_Value(A)), m_APInt(C))) &&
               C->isSignedIntN(A->getType()->getScalarSizeInBits())) {
      Constant *Narrow = ConstantInt::get(A->getType(), C->trunc(A->getType()->getScalarSizeInBits()));
      I.replaceAllUsesWith(Builder.CreateICmp(Pred, A, Narrow));
      I.eraseFromParent();
    } else if (match(&I, m_SExt(m_Value(A))) && isKnownNonNegative(A, SimplifyQuery(I.getDataLayout()))) {
      I.replaceAllUsesWith(Builder.CreateZExt(A, I.getType(), "", true));
      I.eraseFromParent();
    }
  }
}

// Note the functions with fewer calls than at first. As long as all bodies are in place: a body that is brought back takes
// its calls along.
static void findInlined(tsr_clone *Clone)
{
  std::map<std::string, unsigned> Now;
  countCalls(*Clone->copy, Now);
  for (auto &[Name, Before] : Clone->calls)
    if (Now[Name] < Before)
      Clone->inlined.insert(Name);
}

char *tsr_clone_canonicalise(struct tsr_clone *clone, struct tsr_analyses *a, bool inliner, bool all)
{
  Module &M = *clone->copy;
  Silence Quiet(M.getContext());
  countCalls(M, clone->calls);
  if (char *Error = inliner && !clone->calls.empty() ? runPasses(M, "cgscc(inline,function-attrs)") : nullptr)
    return Error;
  findInlined(clone);
  std::vector<Function *> Small; // minsize would keep loops from being rotated
  for (Function &F : M)
    if (F.hasFnAttribute(Attribute::MinSize)) {
      Small.push_back(&F);
      F.removeFnAttr(Attribute::MinSize);
    }
  for (Function &F : M)
    if (clone->known.count(&F) || (!clone->inlined.count(F.getName().str()) && hasCandidate(F, all)))
      clone->candidates.insert(&F);
  ArrayRef<Function *> Functions = clone->candidates.getArrayRef();
  for (Function *F : Functions)
    splitAggregates(*F);
  simplify(*a, Functions);
  for (Function *F : Functions) {
    dropUnreachableDefaults(*F);
    tsr::mergeBranches(*F);
    tsr::foldSubscripts(*F);
  }
  rotateLoops(*a, Functions);
  for (Function *F : Functions) {
    DominatorTree DT(*F);
    tsr::joinExits(*F, DT, LoopInfo(DT), isOpen);
  }
  for (Function *F : Functions)
    if (tsr::mayHaveFlatLoops(*F)) {
      FunctionPassManager FPM;
      FPM.addPass(tsr::SplitFlatLoops(clone->flat[F]));
      runOn(*a, F, std::move(FPM));
    }
  if (!all) {
    clone->candidates.remove_if([](Function *F) { return !hasHope(*F); });
    Functions = clone->candidates.getArrayRef();
  }
  for (Function *F : Functions) {
    dropWrittenAllocas(*F);
    simplifyCompares(*F);
  }
  for (Function *F : Small)
    F->addFnAttr(Attribute::MinSize);
  findInlined(clone); // simplifycfg drops calls, too
  return nullptr;
}

void tsr_clone_simplify_counters(LLVMValueRef function, struct tsr_analyses *a, bool all)
{
  auto *F = unwrap<Function>(function);
  Silence Quiet(F->getContext());
  FunctionPassManager FPM;
  FPM.addPass(InstSimplifyPass());
  FPM.addPass(tsr::RunningValues());
  FPM.addPass(createFunctionToLoopPassAdaptor(OnCandidates<IndVarSimplifyPass, true>(all)));
  FPM.run(*F, a->FAM);
  a->FAM.clear(*F, F->getName()); // what is known so far depends on the order of the questions
}

bool tsr_clone_is_candidate(struct tsr_clone *clone, LLVMValueRef copy)
{
  return clone->candidates.contains(unwrap<Function>(copy));
}

bool tsr_clone_has_rows(struct tsr_clone *clone, LLVMValueRef copy, LLVMMetadataRef *location)
{
  auto It = clone->flat.find(unwrap<Function>(copy));
  if (It == clone->flat.end() || !It->second.Worthwhile)
    return false;
  *location = wrap(const_cast<Metadata *>(static_cast<const Metadata *>(It->second.At)));
  return true;
}

LLVMValueRef tsr_clone_original(struct tsr_clone *clone, LLVMValueRef copy)
{
  auto It = clone->inverse.find(unwrap(copy));
  return It == clone->inverse.end() ? nullptr : wrap(static_cast<Value *>(It->second));
}

bool tsr_clone_was_inlined(struct tsr_clone *clone, LLVMValueRef copy)
{
  return clone->inlined.count(unwrap<Function>(copy)->getName().str());
}
