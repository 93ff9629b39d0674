// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What clone.cpp and bring_back.cpp share: the copy of a module.
#ifndef TSR_CLONE_H
#define TSR_CLONE_H

#include "flat_loops.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <map>
#include <memory>
#include <set>
#include <string>

struct tsr_clone {
  llvm::Module *original;
  std::unique_ptr<llvm::Module> copy;
  llvm::ValueToValueMapTy forward, inverse;
  std::map<std::string, unsigned> calls;  // direct calls of a function in the copy, before inlining
  std::set<std::string> inlined;          // those with fewer calls behind it
  std::set<const llvm::Function *> known; // to be candidates, before inlining
  std::map<const llvm::Function *, tsr::FlatLoops> flat;
  llvm::SetVector<llvm::Function *> candidates; // of the copy: with loops that could be modelled, in the order of the module
};

#endif
