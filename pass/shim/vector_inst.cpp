// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions on vectors.
#include "shim.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

// Intrinsics with one overloaded type, that of the result and all operands.
static bool isLanewise(Intrinsic::ID ID)
{
  switch (ID) {
  case Intrinsic::fmuladd:
  case Intrinsic::fma:
  case Intrinsic::fabs:
  case Intrinsic::sqrt:
  case Intrinsic::copysign:
  case Intrinsic::minnum:
  case Intrinsic::maxnum:
  case Intrinsic::minimum:
  case Intrinsic::maximum:
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
  case Intrinsic::smax:
  case Intrinsic::smin:
  case Intrinsic::umax:
  case Intrinsic::umin:
    return true;
  default:
    return false;
  }
}

bool tsr_vector_is_possible(LLVMValueRef inst)
{
  auto *I = unwrap<Instruction>(inst);
  if (auto *Call = dyn_cast<IntrinsicInst>(I))
    return isLanewise(Call->getIntrinsicID());
  if (I->isIntDivRem() || I->getOpcode() == Instruction::FRem)
    return false;
  if (isa<BitCastInst>(I) || isa<PtrToIntInst>(I) || isa<IntToPtrInst>(I))
    return false;
  return isa<BinaryOperator>(I) || isa<UnaryOperator>(I) || isa<CastInst>(I) || isa<CmpInst>(I) || isa<SelectInst>(I);
}

// Is it a number?
static bool isNumber(Type *T)
{
  return T->isFloatTy() || T->isDoubleTy() || T->isIntegerTy();
}

// The numbers that T is one of, or several: in a struct, or a vector as calls return it. None: T is something else.
static SmallVector<Type *, 2> numbersIn(Type *T)
{
  SmallVector<Type *, 2> All;
  if (auto *Struct = dyn_cast<StructType>(T))
    All.append(Struct->element_begin(), Struct->element_end());
  else if (auto *Vector = dyn_cast<FixedVectorType>(T))
    All.append(Vector->getNumElements(), Vector->getElementType());
  else
    All.push_back(T);
  return all_of(All, isNumber) ? All : SmallVector<Type *, 2>();
}

static bool isNumbers(Type *T)
{
  return !numbersIn(T).empty();
}

// Does CALL compute numbers of numbers, and nothing else?
static bool isPure(CallInst *Call)
{
  struct tsr_call_effects Does = tsr_call_effects(wrap(Call));
  if (!Call->getCalledFunction() || Does.reads || Does.writes || Does.errno_write || Does.convergent || Does.strictfp ||
      Does.musttail || !Does.no_unwind || !Does.will_return || Call->hasOperandBundles() || !isNumbers(Call->getType()))
    return false;
  for (unsigned K = 0; K < Call->arg_size(); K++)
    if (!isNumber(Call->getArgOperand(K)->getType()) || Call->paramHasAttr(K, Attribute::ImmArg))
      return false;
  return true;
}

bool tsr_vector_is_alone(LLVMValueRef inst)
{
  auto *I = unwrap<Instruction>(inst);
  if (auto *Extract = dyn_cast<ExtractValueInst>(I))
    return Extract->getNumIndices() == 1 && isNumbers(Extract->getAggregateOperand()->getType());
  if (auto *Extract = dyn_cast<ExtractElementInst>(I))
    return isa<ConstantInt>(Extract->getIndexOperand()) && isNumbers(Extract->getVectorOperandType());
  if (auto *Call = dyn_cast<CallInst>(I))
    return isPure(Call);
  return (I->isIntDivRem() || I->getOpcode() == Instruction::FRem) && isNumber(I->getType());
}

static Value *widened(IRBuilderBase &B, Value *V, unsigned Lanes)
{
  return V->getType()->isVectorTy() ? V : B.CreateVectorSplat(Lanes, V);
}

// Number F of VALUE, of one or several.
static Value *numberOf(IRBuilderBase &B, Value *V, unsigned F)
{
  return V->getType()->isStructTy()   ? B.CreateExtractValue(V, F)
         : V->getType()->isVectorTy() ? B.CreateExtractElement(V, F)
                                      : V;
}

// I on each lane of OP, one after the other. The result is a vector, or where I has several numbers a struct of vectors.
static Value *laneByLane(IRBuilderBase &B, Instruction *I, ArrayRef<Value *> Op, unsigned Lanes)
{
  SmallVector<Type *, 2> Numbers = numbersIn(I->getType()), Wide;
  SmallVector<Value *, 2> All;
  for (Type *T : Numbers) {
    Wide.push_back(VectorType::get(T, Lanes, false));
    All.push_back(PoisonValue::get(Wide.back()));
  }
  for (unsigned K = 0; K < Lanes; K++) {
    Instruction *One = I->clone();
    for (unsigned N = 0; N < Op.size(); N++)
      One->setOperand(N, B.CreateExtractElement(Op[N], K));
    B.Insert(One);
    for (unsigned F = 0; F < All.size(); F++)
      All[F] = B.CreateInsertElement(All[F], numberOf(B, One, F), K);
  }
  if (I->getType() == Numbers[0])
    return All[0];
  Value *Result = PoisonValue::get(StructType::get(I->getContext(), Wide));
  for (unsigned F = 0; F < All.size(); F++)
    Result = B.CreateInsertValue(Result, All[F], F);
  return Result;
}

// What I takes of WHOLE, a struct of vectors, or one for all lanes as I itself has it.
static Value *extracted(IRBuilderBase &B, Instruction *I, Value *Whole)
{
  auto *Extract = dyn_cast<ExtractValueInst>(I);
  unsigned F = Extract ? Extract->getIndices()[0]
                       : (unsigned)cast<ConstantInt>(cast<ExtractElementInst>(I)->getIndexOperand())->getZExtValue();
  return numberOf(B, Whole, F);
}

// Is I a division by a number that all lanes can be divided by at once? Targets multiply in its place.
static bool dividesByConstant(const Instruction *I)
{
  const auto *By = I->isIntDivRem() ? dyn_cast<ConstantInt>(I->getOperand(1)) : nullptr;
  return By && !By->isZero() && !By->isMinusOne();
}

LLVMValueRef tsr_vector_op(LLVMBuilderRef builder, LLVMValueRef inst, LLVMValueRef *operands, unsigned lanes)
{
  IRBuilderBase &B = *unwrap(builder);
  auto *I = unwrap<Instruction>(inst);
  if (isa<ExtractValueInst>(I) || isa<ExtractElementInst>(I))
    return wrap(extracted(B, I, unwrap(operands[0])));
  SmallVector<Value *, 3> Op;
  unsigned N = isa<CallBase>(I) ? cast<CallBase>(I)->arg_size() : I->getNumOperands();
  for (unsigned K = 0; K < N; K++)
    Op.push_back(widened(B, unwrap(operands[K]), lanes));
  if (!tsr_vector_is_possible(inst) && !dividesByConstant(I))
    return wrap(laneByLane(B, I, Op, lanes));
  Type *Wide = VectorType::get(I->getType(), lanes, false);
  Value *New;
  if (auto *Call = dyn_cast<IntrinsicInst>(I))
    New = B.CreateIntrinsic(Call->getIntrinsicID(), {Wide}, Op);
  else if (auto *Cast = dyn_cast<CastInst>(I))
    New = B.CreateCast(Cast->getOpcode(), Op[0], Wide);
  else if (auto *Cmp = dyn_cast<CmpInst>(I))
    New = B.CreateCmp(Cmp->getPredicate(), Op[0], Op[1]);
  else if (isa<SelectInst>(I))
    New = B.CreateSelect(Op[0], Op[1], Op[2]);
  else if (auto *Unary = dyn_cast<UnaryOperator>(I))
    New = B.CreateUnOp(Unary->getOpcode(), Op[0]);
  else
    New = B.CreateBinOp(cast<BinaryOperator>(I)->getOpcode(), Op[0], Op[1]);
  if (auto *NewInst = dyn_cast<Instruction>(New)) {
    NewInst->copyIRFlags(I);
    if (I->getDebugLoc())
      NewInst->setDebugLoc(I->getDebugLoc());
  }
  return wrap(New);
}

LLVMValueRef tsr_vector_splat(LLVMBuilderRef builder, LLVMValueRef value, unsigned lanes)
{
  return wrap(widened(*unwrap(builder), unwrap(value), lanes));
}

LLVMValueRef tsr_vector_load(LLVMBuilderRef builder, LLVMTypeRef type, LLVMValueRef pointer, unsigned align, unsigned lanes,
                             LLVMValueRef mask)
{
  IRBuilderBase &B = *unwrap(builder);
  Type *Wide = VectorType::get(unwrap(type), lanes, false);
  Value *P = unwrap(pointer);
  if (P->getType()->isVectorTy())
    return wrap(B.CreateMaskedGather(Wide, P, Align(align), mask ? unwrap(mask) : nullptr, Constant::getNullValue(Wide)));
  if (mask)
    return wrap(B.CreateMaskedLoad(Wide, P, Align(align), unwrap(mask), Constant::getNullValue(Wide)));
  return wrap(B.CreateAlignedLoad(Wide, P, Align(align)));
}

LLVMValueRef tsr_vector_store(LLVMBuilderRef builder, LLVMValueRef value, LLVMValueRef pointer, unsigned align,
                              LLVMValueRef mask)
{
  IRBuilderBase &B = *unwrap(builder);
  if (mask)
    return wrap(B.CreateMaskedStore(unwrap(value), unwrap(pointer), Align(align), unwrap(mask)));
  return wrap(B.CreateAlignedStore(unwrap(value), unwrap(pointer), Align(align)));
}

// A bit for each element from the first lane's on, of LANES lanes at a distance of PITCH elements: that of its lane in MASK
// (null: true), or false for what lies between.
static Value *spreadMask(IRBuilderBase &B, Value *Mask, unsigned Lanes, unsigned Pitch)
{
  SmallVector<int, 64> From(Lanes * Pitch, (int)Lanes);
  for (unsigned K = 0; K < Lanes; K++)
    From[K * Pitch] = (int)K;
  auto *Type = VectorType::get(B.getInt1Ty(), Lanes, false);
  return B.CreateShuffleVector(Mask ? Mask : ConstantInt::getTrue(Type), Constant::getNullValue(Type), From);
}

LLVMValueRef tsr_vector_load_apart(LLVMBuilderRef builder, LLVMTypeRef type, LLVMValueRef pointer, unsigned align,
                                   unsigned lanes, unsigned pitch, LLVMValueRef mask)
{
  if (pitch == 1)
    return tsr_vector_load(builder, type, pointer, align, lanes, mask);
  IRBuilderBase &B = *unwrap(builder);
  Type *All = VectorType::get(unwrap(type), lanes * pitch, false);
  Value *Wide = B.CreateMaskedLoad(All, unwrap(pointer), Align(align), spreadMask(B, unwrap(mask), lanes, pitch),
                                   Constant::getNullValue(All));
  SmallVector<int, 64> Lane;
  for (unsigned K = 0; K < lanes; K++)
    Lane.push_back((int)(K * pitch));
  return wrap(B.CreateShuffleVector(Wide, Lane));
}

LLVMValueRef tsr_vector_store_apart(LLVMBuilderRef builder, LLVMValueRef value, LLVMValueRef pointer, unsigned align,
                                    unsigned pitch, LLVMValueRef mask)
{
  if (pitch == 1)
    return tsr_vector_store(builder, value, pointer, align, mask);
  IRBuilderBase &B = *unwrap(builder);
  unsigned Lanes = cast<FixedVectorType>(unwrap(value)->getType())->getNumElements();
  SmallVector<int, 64> From(Lanes * pitch, -1);
  for (unsigned K = 0; K < Lanes; K++)
    From[K * pitch] = (int)K;
  Value *Wide = B.CreateShuffleVector(unwrap(value), From);
  return wrap(B.CreateMaskedStore(Wide, unwrap(pointer), Align(align), spreadMask(B, unwrap(mask), Lanes, pitch)));
}

void tsr_vector_prefetch(LLVMBuilderRef builder, LLVMValueRef pointer, bool write)
{
  IRBuilderBase &B = *unwrap(builder);
  Value *P = unwrap(pointer);
  B.CreateIntrinsic(Intrinsic::prefetch, {P->getType()}, {P, B.getInt32(write), B.getInt32(3), B.getInt32(1)});
}
