// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes to the control flow and metadata that LLVM-C can't express.
#include "shim.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "llvm/IR/Dominators.h"
#include <cstring>

using namespace llvm;

LLVMBasicBlockRef tsr_split_before(LLVMValueRef inst)
{
  auto *I = unwrap<Instruction>(inst);
  return wrap(I->getParent()->splitBasicBlock(I->getIterator()));
}

LLVMBasicBlockRef tsr_split_edges(LLVMBasicBlockRef block, LLVMBasicBlockRef *preds, unsigned n)
{
  SmallVector<BasicBlock *, 4> Preds;
  for (unsigned I = 0; I < n; I++)
    Preds.push_back(unwrap(preds[I]));
  return wrap(SplitBlockPredecessors(unwrap(block), Preds, ".tsr"));
}

void tsr_replace_uses_outside(LLVMValueRef from, LLVMValueRef to, LLVMBasicBlockRef *inside, unsigned n_inside,
                              LLVMValueRef except)
{
  SmallPtrSet<BasicBlock *, 16> Inside;
  for (unsigned I = 0; I < n_inside; I++)
    Inside.insert(unwrap(inside[I]));
  unwrap(from)->replaceUsesWithIf(unwrap(to), [&](Use &U) {
    auto *User = cast<Instruction>(U.getUser());
    return User != unwrap(except) && !Inside.count(User->getParent());
  });
}

void tsr_replace_uses_inside(LLVMValueRef from, LLVMValueRef to, LLVMBasicBlockRef *inside, unsigned n_inside)
{
  SmallPtrSet<BasicBlock *, 16> Inside;
  for (unsigned I = 0; I < n_inside; I++)
    Inside.insert(unwrap(inside[I]));
  unwrap(from)->replaceUsesWithIf(unwrap(to),
                                  [&](Use &U) { return Inside.count(cast<Instruction>(U.getUser())->getParent()); });
}

void tsr_redirect(LLVMValueRef terminator, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
  unwrap<Instruction>(terminator)->replaceSuccessorWith(unwrap(from), unwrap(to));
}

static SmallVector<BasicBlock *, 16> blockList(LLVMBasicBlockRef *blocks, unsigned n)
{
  SmallVector<BasicBlock *, 16> List;
  for (unsigned I = 0; I < n; I++)
    List.push_back(unwrap(blocks[I]));
  return List;
}

LLVMValueRef tsr_outline(LLVMBasicBlockRef *blocks, unsigned n, const char *suffix)
{
  SmallVector<BasicBlock *, 16> List = blockList(blocks, n);
  Function *Parent = List[0]->getParent();
  CodeExtractorAnalysisCache Cache(*Parent);
  CodeExtractor Extractor(List, nullptr, /*AggregateArgs=*/true, nullptr, nullptr, nullptr, /*AllowVarArgs=*/false,
                          /*AllowAlloca=*/true, nullptr, suffix, /*ArgsInZeroAddressSpace=*/true);
  if (!Extractor.isEligible())
    return nullptr;
  Function *F = Extractor.extractCodeRegion(Cache);
  if (!F || !F->hasOneUse())
    return nullptr;
  F->removeFnAttr(Attribute::AlwaysInline);
  F->addFnAttr(Attribute::NoInline);
  F->setDoesNotThrow(); // the accept-list knows no instruction that does
  return wrap(*F->user_begin());
}

void tsr_promote(LLVMValueRef function, LLVMValueRef *slots, unsigned n)
{
  DominatorTree DT(*unwrap<Function>(function));
  std::vector<AllocaInst *> Allocas;
  for (unsigned I = 0; I < n; I++)
    if (auto *A = unwrap<AllocaInst>(slots[I]); isAllocaPromotable(A))
      Allocas.push_back(A);
  PromoteMemToReg(Allocas, DT);
}

void tsr_phi_replace_block(LLVMValueRef phi, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
  unwrap<PHINode>(phi)->replaceIncomingBlockWith(unwrap(from), unwrap(to));
}

void tsr_erase_lifetime_markers(LLVMBasicBlockRef *blocks, unsigned n)
{
  SmallSetVector<Value *, 4> Objects;
  for (unsigned I = 0; I < n; I++)
    for (Instruction &Inst : *unwrap(blocks[I]))
      if (auto *II = dyn_cast<IntrinsicInst>(&Inst); II && II->isLifetimeStartOrEnd())
        Objects.insert(II->getArgOperand(II->arg_size() - 1));
  for (Value *Object : Objects)
    for (User *U : make_early_inc_range(Object->users()))
      if (auto *II = dyn_cast<IntrinsicInst>(U); II && II->isLifetimeStartOrEnd())
        II->eraseFromParent();
}

LLVMValueRef tsr_clone_inst(LLVMValueRef inst, bool keep_flags)
{
  Instruction *New = unwrap<Instruction>(inst)->clone();
  if (!keep_flags)
    New->dropPoisonGeneratingFlags();
  New->dropDbgRecords();
  return wrap(New);
}

bool tsr_verify_function(LLVMValueRef function, char **message)
{
  std::string Text;
  raw_string_ostream OS(Text);
  bool Broken = verifyFunction(*unwrap<Function>(function), &OS);
  if (Broken && message)
    *message = strdup(OS.str().c_str());
  return !Broken;
}

LLVMMetadataRef tsr_md_distinct(LLVMContextRef ctx)
{
  return wrap(MDNode::getDistinct(*unwrap(ctx), {}));
}

LLVMMetadataRef tsr_md_self_reference(LLVMContextRef ctx, LLVMMetadataRef *items, unsigned n)
{
  SmallVector<Metadata *, 4> Ops(1, nullptr);
  for (unsigned I = 0; I < n; I++)
    Ops.push_back(unwrap(items[I]));
  MDNode *Node = MDNode::getDistinct(*unwrap(ctx), Ops);
  Node->replaceOperandWith(0, Node);
  return wrap(static_cast<Metadata *>(Node));
}

LLVMMetadataRef tsr_md_node(LLVMContextRef ctx, LLVMMetadataRef *items, unsigned n)
{
  SmallVector<Metadata *, 4> Ops;
  for (unsigned I = 0; I < n; I++)
    Ops.push_back(unwrap(items[I]));
  return wrap(static_cast<Metadata *>(MDNode::get(*unwrap(ctx), Ops)));
}

// Does NODE, of a loop's metadata, forbid something? What else users ask for is theirs to ask of their own loop.
static bool forbids(const MDNode *Node)
{
  auto *Name = Node->getNumOperands() ? dyn_cast<MDString>(Node->getOperand(0)) : nullptr;
  if (!Name || !Name->getString().starts_with("llvm.loop."))
    return false;
  StringRef What = Name->getString().drop_front(strlen("llvm.loop."));
  if (What.starts_with("unroll") && What.ends_with("disable"))
    return true;
  auto *Value = Node->getNumOperands() > 1 ? mdconst::dyn_extract<ConstantInt>(Node->getOperand(1)) : nullptr;
  if (What == "vectorize.enable" || What == "distribute.enable")
    return Value && Value->isZero();
  return (What == "vectorize.width" || What == "interleave.count" || What == "unroll.count") && Value && Value->isOne();
}

void tsr_md_loop_hints(tsr_loop loop, LLVMMetadataRef *out, unsigned *n, unsigned max)
{
  MDNode *Id = reinterpret_cast<Loop *>(loop)->getLoopID();
  for (unsigned I = 1; Id && I < Id->getNumOperands(); I++)
    if (auto *Node = dyn_cast<MDNode>(Id->getOperand(I)); Node && *n < max && forbids(Node))
      out[(*n)++] = wrap(static_cast<Metadata *>(Node));
}

LLVMMetadataRef tsr_md_alias_domain(LLVMContextRef ctx, const char *name)
{
  return wrap(static_cast<Metadata *>(MDBuilder(*unwrap(ctx)).createAnonymousAliasScopeDomain(name)));
}
LLVMMetadataRef tsr_md_alias_scope(LLVMContextRef ctx, LLVMMetadataRef domain, const char *name)
{
  return wrap(static_cast<Metadata *>(MDBuilder(*unwrap(ctx)).createAnonymousAliasScope(unwrap<MDNode>(domain), name)));
}

void tsr_set_metadata(LLVMValueRef inst, const char *kind, LLVMMetadataRef node)
{
  unwrap<Instruction>(inst)->setMetadata(kind, node ? unwrap<MDNode>(node) : nullptr);
}
void tsr_emit_scope_decl(LLVMBuilderRef builder, LLVMMetadataRef scope)
{
  unwrap(builder)->CreateNoAliasScopeDeclaration(unwrap<MDNode>(scope));
}
