// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The way back from the copy of a module (clone.cpp): the original of a function gets the body of its transformed copy.
#include "clone.h"
#include "kept_original.h"
#include "shim.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

// All global values that the body of F refers to, constants included.
static void collectGlobals(const Value *V, std::set<const Value *> &Seen, SetVector<GlobalValue *> &Out)
{
  if (!isa<Constant>(V) || !Seen.insert(V).second)
    return;
  if (const auto *GV = dyn_cast<GlobalValue>(V)) {
    Out.insert(const_cast<GlobalValue *>(GV));
    return;
  }
  for (const Use &U : cast<User>(V)->operands())
    collectGlobals(U.get(), Seen, Out);
}

// In the order of their first use: new declarations must not be ordered by address.
static SetVector<GlobalValue *> globalsOf(const Function &F)
{
  std::set<const Value *> Seen;
  SetVector<GlobalValue *> Out;
  for (const Instruction &I : instructions(F))
    for (const Use &U : I.operands())
      collectGlobals(U.get(), Seen, Out);
  return Out;
}

bool tsr_clone_can_bring_back(struct tsr_clone *clone, LLVMValueRef copy)
{
  for (GlobalValue *GV : globalsOf(*unwrap<Function>(copy)))
    if (!clone->inverse.count(GV) && !isa<Function>(GV))
      return false;
  return clone->inverse.count(unwrap(copy));
}

// Move the blocks of From into To (empty) and rewrite all references from the copy to the original module.
static void moveBody(Function *From, Function *To, ValueToValueMapTy &Inverse)
{
  auto A = To->arg_begin();
  for (Argument &Arg : From->args()) {
    A->setName(Arg.getName());
    Inverse[&Arg] = &*A++;
  }
  To->splice(To->end(), From);
  const RemapFlags Flags = RF_IgnoreMissingLocals;
  Module *M = To->getParent();
  for (BasicBlock &B : *To)
    for (Instruction &I : B) {
      RemapInstruction(&I, Inverse, Flags);
      RemapDbgRecordRange(M, I.getDbgRecordRange(), Inverse, Flags);
    }
}

// What Copy refers to that its module has no original of: declarations are made anew, functions of ours move along.
static void bringGlobals(tsr_clone *clone, Function *Copy)
{
  for (GlobalValue *GV : globalsOf(*Copy)) {
    auto *G = dyn_cast<Function>(GV);
    if (!G || clone->inverse.count(G))
      continue;
    if (G->isDeclaration()) {
      Function *D = clone->original->getFunction(G->getName());
      if (!D) {
        D = Function::Create(G->getFunctionType(), G->getLinkage(), G->getAddressSpace(), G->getName(), clone->original);
        D->copyAttributesFrom(G);
      }
      clone->inverse[G] = D;
      continue;
    }
    Function *New = Function::Create(G->getFunctionType(), GlobalValue::InternalLinkage, G->getAddressSpace(), G->getName(),
                                     clone->original);
    New->copyAttributesFrom(G);
    New->setPersonalityFn(nullptr); // that of the copy; nothing is caught in what we outline
    clone->inverse[G] = New;
    bringGlobals(clone, G);
    SmallVector<std::pair<unsigned, MDNode *>, 4> MDs;
    G->getAllMetadata(MDs);
    moveBody(G, New, clone->inverse);
    for (auto &[Kind, Node] : MDs)
      New->setMetadata(Kind, cast_or_null<MDNode>(MapMetadata(Node, clone->inverse)));
  }
}

// To keeps its body for small sizes, or that moves to a function of its own; that of From goes into another one, which To
// calls for large sizes.
static void bringBeside(tsr_clone *clone, Function *From, Function *To)
{
  BasicBlock *Declined = tsr::dropOriginal(*From, *To);
  Function *Large = tsr::createLarge(*To, *From);
  if (From->hasPersonalityFn())
    Large->setPersonalityFn(cast<Constant>(MapValue(From->getPersonalityFn(), clone->inverse)));
  moveBody(From, Large, clone->inverse);
  Function *Small = Declined ? tsr::moveOriginal(*To) : nullptr;
  Large->setSubprogram(To->getSubprogram());
  if (Declined)
    tsr::decline(*Declined, *Small);
  Large = tsr::ownSubprogram(Large, *To);
  tsr::testAtEntry(*To, *Large, Small);
  tsr::dropTests(*Large);
}

bool tsr_clone_keeps_original(struct tsr_clone *clone, LLVMValueRef copy, unsigned nests)
{
  auto It = clone->inverse.find(unwrap(copy));
  return It != clone->inverse.end() &&
         tsr::canKeepOriginal(*unwrap<Function>(copy), *cast<Function>(static_cast<Value *>(It->second)), nests);
}

void tsr_clone_bring_back(struct tsr_clone *clone, LLVMValueRef copy, unsigned nests)
{
  auto *From = unwrap<Function>(copy);
  auto *To = cast<Function>(static_cast<Value *>(clone->inverse[From]));
  bringGlobals(clone, From);
  if (tsr::canKeepOriginal(*From, *To, nests)) {
    bringBeside(clone, From, To);
    return;
  }
  tsr::dropTests(*From);
  SmallVector<std::pair<unsigned, MDNode *>, 4> MDs;
  To->getAllMetadata(MDs);
  Constant *Personality = To->hasPersonalityFn() ? To->getPersonalityFn() : nullptr;
  GlobalValue::LinkageTypes Linkage = To->getLinkage();
  Comdat *Group = To->getComdat();
  To->deleteBody();
  To->setLinkage(Linkage);
  To->setComdat(Group);
  if (Personality)
    To->setPersonalityFn(Personality);
  if (!To->hasPersonalityFn() && From->hasPersonalityFn()) // inlined code may have brought one
    To->setPersonalityFn(cast<Constant>(MapValue(From->getPersonalityFn(), clone->inverse)));
  for (auto &[Kind, Node] : MDs)
    To->setMetadata(Kind, Node);
  moveBody(From, To, clone->inverse);
  // Inlining merges what caller and callee ask for (vector width, stack protection, ..).
  To->setAttributes(From->getAttributes());
}
