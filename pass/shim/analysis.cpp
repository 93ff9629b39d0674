// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops, dominators, scalar evolution and aliasing, for C.
#include "analyses.h"
#include "errors.h"
#include "shim.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/Loads.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include <cstring>

using namespace llvm;

static Loop *L(tsr_loop loop)
{
  return reinterpret_cast<Loop *>(loop);
}
static tsr_loop wrapLoop(const Loop *loop)
{
  return reinterpret_cast<tsr_loop>(const_cast<Loop *>(loop));
}
static const SCEV *S(tsr_scev scev)
{
  return reinterpret_cast<const SCEV *>(scev);
}
static tsr_scev wrapScev(const SCEV *scev)
{
  return scev && !isa<SCEVCouldNotCompute>(scev) ? reinterpret_cast<tsr_scev>(scev) : nullptr;
}

struct tsr_analyses *tsr_analyses_create(tsr_library library)
{
  auto *A = new tsr_analyses;
  A->Library = reinterpret_cast<const TargetLibraryInfo *>(library);
  return A;
}

void tsr_analyses_free(struct tsr_analyses *a)
{
  delete a;
}

void tsr_analyses_select(struct tsr_analyses *a, LLVMValueRef function)
{
  a->F = unwrap<Function>(function);
  a->LI = &a->FAM.getResult<LoopAnalysis>(*a->F);
  a->DT = &a->FAM.getResult<DominatorTreeAnalysis>(*a->F);
  a->Bad = std::make_unique<tsr::Errors>(*a->F, *a->LI);
  a->PDT = std::make_unique<tsr::PostDominators>(*a->F, *a->LI, *a->Bad);
  a->SE = &a->FAM.getResult<ScalarEvolutionAnalysis>(*a->F);
  a->AA = &a->FAM.getResult<AAManager>(*a->F);
}

void tsr_analyses_forget(struct tsr_analyses *a, LLVMValueRef function)
{
  a->FAM.invalidate(*unwrap<Function>(function), PreservedAnalyses::none());
}

tsr_loop tsr_loop_for(struct tsr_analyses *a, LLVMBasicBlockRef block)
{
  return wrapLoop(a->LI->getLoopFor(unwrap(block)));
}
tsr_loop tsr_loop_parent(tsr_loop loop)
{
  return wrapLoop(L(loop)->getParentLoop());
}
// The variable that VALUE is, as it is: no sum of it.
static StringRef variableOf(Value *V)
{
  SmallVector<DbgVariableRecord *, 4> Records;
  findDbgUsers(V, Records);
  for (DbgVariableRecord *R : Records)
    if (!R->getVariable()->getName().empty() && !R->getVariable()->isArtificial() &&
        R->getExpression()->getNumElements() == 0)
      return R->getVariable()->getName();
  return "";
}

char *tsr_loop_counter_name(struct tsr_analyses *a, tsr_loop loop)
{
  BasicBlock *Header = L(loop)->getHeader(), *Latch = L(loop)->getLoopLatch();
  if (!Header->getParent()->getSubprogram() || !Latch)
    return nullptr;
  for (PHINode &Phi : Header->phis()) {
    auto *Sum = Phi.getType()->isIntegerTy() ? dyn_cast<SCEVAddRecExpr>(a->SE->getSCEV(&Phi)) : nullptr;
    if (!Sum || Sum->getLoop() != L(loop) || !Sum->isAffine())
      continue;
    StringRef Name = variableOf(&Phi);
    if (Name.empty())
      Name = variableOf(Phi.getIncomingValueForBlock(Latch));
    if (!Name.empty())
      return strdup(Name.str().c_str());
  }
  return nullptr;
}

LLVMBasicBlockRef tsr_loop_header(tsr_loop loop)
{
  return wrap(L(loop)->getHeader());
}
LLVMBasicBlockRef tsr_loop_preheader(tsr_loop loop)
{
  return wrap(L(loop)->getLoopPreheader());
}
LLVMBasicBlockRef tsr_loop_latch(tsr_loop loop)
{
  return wrap(L(loop)->getLoopLatch());
}
LLVMBasicBlockRef tsr_loop_exiting(struct tsr_analyses *a, tsr_loop loop)
{
  SmallVector<Loop::Edge, 4> Edges;
  L(loop)->getExitEdges(Edges);
  const BasicBlock *Only = nullptr;
  for (const auto &[From, To] : Edges) {
    if (a->Bad->has(To))
      continue;
    if (Only && Only != From)
      return nullptr;
    Only = From;
  }
  return wrap(Only);
}
LLVMBasicBlockRef tsr_loop_exit(struct tsr_analyses *a, tsr_loop loop)
{
  SmallVector<Loop::Edge, 4> Edges;
  L(loop)->getExitEdges(Edges);
  const BasicBlock *Only = nullptr;
  for (const auto &[From, To] : Edges) {
    if (a->Bad->has(To))
      continue;
    if (Only && Only != To)
      return nullptr;
    Only = To;
  }
  return wrap(Only);
}
bool tsr_loop_contains(tsr_loop loop, LLVMBasicBlockRef block)
{
  return L(loop)->contains(unwrap(block));
}
bool tsr_loop_contains_loop(tsr_loop outer, tsr_loop inner)
{
  return L(outer)->contains(L(inner));
}

template <typename Range> static unsigned copyLoops(const Range &Loops, tsr_loop *Out, unsigned Max)
{
  unsigned N = 0;
  for (const Loop *Sub : Loops)
    if (N < Max)
      Out[N++] = wrapLoop(Sub);
  return N;
}
unsigned tsr_loop_children(tsr_loop loop, tsr_loop *out, unsigned max)
{
  return copyLoops(L(loop)->getSubLoops(), out, max);
}
unsigned tsr_loops_top(struct tsr_analyses *a, tsr_loop *out, unsigned max)
{
  SmallVector<Loop *, 8> Top(a->LI->begin(), a->LI->end());
  std::reverse(Top.begin(), Top.end()); // LoopInfo lists them last first
  return copyLoops(Top, out, max);
}
bool tsr_loop_ends(struct tsr_analyses *a, tsr_loop loop)
{
  return isMustProgress(L(loop)) || a->SE->hasLoopInvariantBackedgeTakenCount(L(loop));
}
LLVMMetadataRef tsr_loop_location(tsr_loop loop)
{
  return wrap(static_cast<Metadata *>(L(loop)->getStartLoc().get()));
}
bool tsr_loop_has_mark(tsr_loop loop, const char *name)
{
  return findOptionMDForLoop(L(loop), name);
}
void tsr_loop_set_mark(tsr_loop loop, const char *name)
{
  addStringMetadataToLoop(L(loop), name);
}
LLVMBasicBlockRef tsr_post_dominator(struct tsr_analyses *a, LLVMBasicBlockRef block)
{
  return wrap(a->PDT->above(unwrap(block)));
}
bool tsr_block_is_error(struct tsr_analyses *a, LLVMBasicBlockRef block)
{
  return a->Bad->has(unwrap(block));
}
tsr_scev tsr_scev_of(struct tsr_analyses *a, LLVMValueRef value)
{
  Value *V = unwrap(value);
  return a->SE->isSCEVable(V->getType()) ? wrapScev(a->SE->getSCEV(V)) : nullptr;
}
tsr_scev tsr_scev_at(struct tsr_analyses *a, LLVMValueRef value, tsr_loop scope)
{
  Value *V = unwrap(value);
  return a->SE->isSCEVable(V->getType()) ? wrapScev(a->SE->getSCEVAtScope(V, L(scope))) : nullptr;
}
double tsr_loop_max_trips(struct tsr_analyses *a, tsr_loop loop)
{
  return a->SE->getSmallConstantMaxTripCount(L(loop));
}
tsr_scev tsr_scev_backedge_count(struct tsr_analyses *a, tsr_loop loop)
{
  LLVMBasicBlockRef Exiting = tsr_loop_exiting(a, loop);
  if (L(loop)->getExitingBlock() || !Exiting)
    return wrapScev(a->SE->getBackedgeTakenCount(L(loop)));
  return wrapScev(a->SE->getExitCount(L(loop), unwrap(Exiting)));
}

enum tsr_scev_kind tsr_scev_kind(tsr_scev scev)
{
  switch (S(scev)->getSCEVType()) {
  case scConstant:
    return TSR_SCEV_CONSTANT;
  case scUnknown:
    return TSR_SCEV_UNKNOWN;
  case scAddExpr:
    return TSR_SCEV_ADD;
  case scMulExpr:
    return TSR_SCEV_MUL;
  case scUDivExpr:
    return TSR_SCEV_UDIV;
  case scAddRecExpr:
    return TSR_SCEV_ADDREC;
  case scSignExtend:
    return TSR_SCEV_SEXT;
  case scZeroExtend:
    return TSR_SCEV_ZEXT;
  case scTruncate:
    return TSR_SCEV_TRUNC;
  case scSMaxExpr:
    return TSR_SCEV_SMAX;
  case scUMaxExpr:
    return TSR_SCEV_UMAX;
  case scSMinExpr:
    return TSR_SCEV_SMIN;
  case scUMinExpr:
    return TSR_SCEV_UMIN;
  case scPtrToInt:
    return TSR_SCEV_PTRTOINT;
  default:
    return TSR_SCEV_OTHER;
  }
}
unsigned tsr_scev_bits(struct tsr_analyses *a, tsr_scev scev)
{
  return a->SE->getTypeSizeInBits(S(scev)->getType());
}
bool tsr_scev_has_narrow_counter(struct tsr_analyses *a, tsr_scev scev, unsigned bits)
{
  return SCEVExprContains(S(scev), [&](const SCEV *Part) {
    bool Extends = isa<SCEVZeroExtendExpr, SCEVSignExtendExpr>(Part);
    const SCEV *Narrow = Extends ? cast<SCEVCastExpr>(Part)->getOperand() : nullptr;
    return Narrow && a->SE->getTypeSizeInBits(Narrow->getType()) < bits && a->SE->containsAddRecurrence(Narrow);
  });
}
unsigned tsr_scev_n_operand(tsr_scev scev)
{
  return S(scev)->operands().size();
}
tsr_scev tsr_scev_operand(tsr_scev scev, unsigned i)
{
  return wrapScev(S(scev)->operands()[i]);
}
bool tsr_scev_constant(tsr_scev scev, int64_t *value)
{
  const auto *C = dyn_cast<SCEVConstant>(S(scev));
  if (!C || C->getAPInt().getSignificantBits() > 64)
    return false;
  *value = C->getAPInt().getSExtValue();
  return true;
}
LLVMValueRef tsr_scev_value(tsr_scev scev)
{
  return wrap(cast<SCEVUnknown>(S(scev))->getValue());
}
bool tsr_scev_is_exact(struct tsr_analyses *a, tsr_scev scev)
{
  Type *Wide = Type::getIntNTy(a->F->getContext(), 2 * tsr_scev_bits(a, scev));
  return isa<SCEVAddRecExpr>(a->SE->getSignExtendExpr(S(scev), Wide));
}
tsr_loop tsr_scev_loop(tsr_scev scev)
{
  return wrapLoop(cast<SCEVAddRecExpr>(S(scev))->getLoop());
}
bool tsr_scev_signed_range(struct tsr_analyses *a, tsr_scev scev, int64_t *min, int64_t *max)
{
  ConstantRange R = a->SE->getSignedRange(S(scev));
  if (R.getBitWidth() > 64)
    return false;
  *min = R.getSignedMin().getSExtValue();
  *max = R.getSignedMax().getSExtValue();
  return true;
}
bool tsr_value_signed_range(LLVMValueRef value, int64_t *min, int64_t *max)
{
  if (!unwrap(value)->getType()->isIntegerTy() || unwrap(value)->getType()->getIntegerBitWidth() > 64)
    return false;
  ConstantRange R = computeConstantRange(unwrap(value), /*ForSigned=*/true);
  *min = R.getSignedMin().getSExtValue();
  *max = R.getSignedMax().getSExtValue();
  return !R.isEmptySet();
}
LLVMValueRef tsr_scev_pointer_base(struct tsr_analyses *a, tsr_scev pointer)
{
  const auto *Base = dyn_cast<SCEVUnknown>(a->SE->getPointerBase(S(pointer)));
  return Base ? wrap(Base->getValue()) : nullptr;
}
tsr_scev tsr_scev_pointer_offset(struct tsr_analyses *a, tsr_scev pointer)
{
  return wrapScev(a->SE->removePointerBase(S(pointer)));
}
bool tsr_scev_difference(struct tsr_analyses *a, tsr_scev x, tsr_scev y, int64_t *value)
{
  if (S(x)->getType() != S(y)->getType())
    return false;
  const SCEV *Minus = a->SE->getMinusSCEV(S(x), S(y));
  return !isa<SCEVCouldNotCompute>(Minus) && tsr_scev_constant(wrapScev(Minus), value);
}
bool tsr_scev_is_invariant(struct tsr_analyses *a, tsr_scev scev, tsr_loop loop)
{
  return a->SE->isLoopInvariant(S(scev), L(loop));
}
// May what SE knows depend on V? Then it has expressions of V and of something that is computed from V; comparisons and
// branches, which have none, are what trip counts are made of. To forget a value goes through all that is computed from it,
// however much it is: here true is said of what is much.
static bool isUsedBy(ScalarEvolution &SE, Value *V)
{
  const unsigned Much = 32;
  if (!SE.getExistingSCEV(V))
    return false;
  SmallSetVector<Value *, Much> Seen;
  Seen.insert(V);
  for (unsigned I = 0; I < Seen.size(); I++)
    for (User *U : Seen[I]->users()) {
      if (isa<CmpInst, WithOverflowInst, BranchInst, SwitchInst>(U) || SE.getExistingSCEV(U) || Seen.size() > Much)
        return true;
      if (SE.isSCEVable(U->getType()))
        Seen.insert(U);
    }
  return false;
}
void tsr_scev_forget_value(struct tsr_analyses *a, LLVMValueRef value)
{
  Value *V = unwrap(value);
  if (isUsedBy(*a->SE, V))
    a->SE->forgetValue(V);
}
void tsr_scev_forget_loop(struct tsr_analyses *a, tsr_loop loop)
{
  if (loop)
    a->SE->forgetLoop(L(loop));
  else
    a->SE->forgetAllLoops();
}
char *tsr_scev_string(tsr_scev scev)
{
  std::string Text;
  raw_string_ostream OS(Text);
  S(scev)->print(OS);
  return strdup(OS.str().c_str());
}

bool tsr_may_alias(struct tsr_analyses *a, LLVMValueRef x, LLVMValueRef y)
{
  return !a->AA->isNoAlias(MemoryLocation::getBeforeOrAfter(unwrap(x)), MemoryLocation::getBeforeOrAfter(unwrap(y)));
}
bool tsr_call_may_read(struct tsr_analyses *a, LLVMValueRef call, LLVMValueRef pointer)
{
  // All that surrounds the pointer: what is asked is whether the objects differ, not one execution's addresses.
  return isRefSet(a->AA->getModRefInfo(unwrap<CallBase>(call), MemoryLocation::getBeforeOrAfter(unwrap(pointer))));
}
bool tsr_call_may_lose_precision(struct tsr_analyses *a, LLVMValueRef call)
{
  auto *Call = unwrap<CallBase>(call);
  const Function *F = Call->getCalledFunction();
  auto *Op = dyn_cast<FPMathOperator>(Call);
  return a->Library && F && Op && !Op->hasApproxFunc() && a->Library->isFunctionVectorizable(F->getName());
}
bool tsr_may_overwrite(struct tsr_analyses *a, LLVMValueRef store, LLVMValueRef load)
{
  if (!isa<StoreInst>(unwrap(store)))
    return true;
  MemoryLocation Store = MemoryLocation::get(unwrap<StoreInst>(store)), Load = MemoryLocation::get(unwrap<LoadInst>(load));
  for (MemoryLocation *Loc : {&Store, &Load})
    Loc->AATags.Scope = Loc->AATags.NoAlias = nullptr; // they may end with an iteration
  return !a->AA->isNoAlias(Store, Load);
}
// What holds in other iterations, too: types, but not the scopes of restrict pointers, which end with an iteration.
static MemoryLocation typedLocation(Instruction *I)
{
  AAMDNodes Tags;
  Tags.TBAA = I->getMetadata(LLVMContext::MD_tbaa);
  const Value *Pointer = getLoadStorePointerOperand(I);
  return MemoryLocation::getBeforeOrAfter(Pointer, Tags);
}
bool tsr_types_may_alias(struct tsr_analyses *a, LLVMValueRef x, LLVMValueRef y)
{
  auto *X = unwrap<Instruction>(x), *Y = unwrap<Instruction>(y);
  if (!getLoadStorePointerOperand(X) || !getLoadStorePointerOperand(Y))
    return true;
  return !a->AA->isNoAlias(typedLocation(X), typedLocation(Y));
}
// By type alone: the front end tells that of errno at calls that may set it.
bool tsr_may_be_errno(struct tsr_analyses *a, LLVMValueRef call, LLVMValueRef access)
{
  auto *Call = unwrap<Instruction>(call), *Access = unwrap<Instruction>(access);
  const Value *Pointer = getLoadStorePointerOperand(Access);
  if (!Pointer)
    return true;
  AAMDNodes Tags;
  Tags.TBAA = Call->getMetadata(LLVMContext::MD_tbaa);
  MemoryLocation Errno = MemoryLocation::getBeforeOrAfter(Pointer, Tags);
  TypeBasedAAResult Types(Call->getFunction()->hasFnAttribute(Attribute::SanitizeType));
  SimpleAAQueryInfo Query(*a->AA);
  return Types.alias(Errno, typedLocation(Access), Query, nullptr) != AliasResult::NoAlias;
}
uint64_t tsr_object_size(LLVMModuleRef module, LLVMValueRef base)
{
  uint64_t Size = 0;
  bool Known = isa<AllocaInst, GlobalVariable>(unwrap(base)) &&
               getObjectSize(unwrap(base), Size, unwrap(module)->getDataLayout(), nullptr);
  return Known ? Size : 0;
}
// Was what LOAD loads accessed in front of AT already, and can nobody have freed it since? A noalias argument's memory that
// is accessed through it is not modified, and so not freed, by others, and others know nothing of it if it isn't captured.
static bool isAccessedArgument(const DominatorTree &DT, const LoadInst *Load, const Instruction *At)
{
  auto *Arg = dyn_cast<Argument>(Load->getPointerOperand());
  if (!Arg || !Arg->hasNoAliasAttr() || !Arg->hasNoCaptureAttr())
    return false;
  const DataLayout &Layout = Load->getModule()->getDataLayout();
  bool Accessed = false;
  for (const User *U : Arg->users()) {
    auto *I = dyn_cast<Instruction>(U);
    if (!I || getLoadStorePointerOperand(I) != Arg || (isa<StoreInst>(I) && cast<StoreInst>(I)->getValueOperand() == Arg))
      return false;
    Accessed |= DT.dominates(I, At) && getLoadStoreAlignment(I) >= Load->getAlign() &&
                Layout.getTypeStoreSize(getLoadStoreType(I)) >= Layout.getTypeStoreSize(Load->getType());
  }
  return Accessed;
}
bool tsr_is_dereferenceable(struct tsr_analyses *a, LLVMValueRef load, LLVMValueRef at)
{
  auto *Load = unwrap<LoadInst>(load);
  return isAccessedArgument(*a->DT, Load, unwrap<Instruction>(at)) ||
         isSafeToLoadUnconditionally(Load->getPointerOperand(), Load->getType(), Load->getAlign(),
                                     Load->getModule()->getDataLayout(), unwrap<Instruction>(at), nullptr, a->DT);
}
bool tsr_dominates(struct tsr_analyses *a, LLVMValueRef inst, LLVMValueRef at)
{
  return a->DT->dominates(unwrap<Instruction>(inst), unwrap<Instruction>(at));
}
bool tsr_is_identified_object(LLVMValueRef pointer)
{
  return isIdentifiedObject(unwrap(pointer));
}
bool tsr_is_well_defined(LLVMValueRef value)
{
  return isGuaranteedNotToBeUndefOrPoison(unwrap(value));
}
