// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TSR_ANALYSES_H
#define TSR_ANALYSES_H

#include "errors.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Passes/PassBuilder.h"
#include <memory>

// What it takes to run passes and analyses, once for all functions of the clone; and those of the selected one.
struct tsr_analyses {
  llvm::LoopAnalysisManager LAM;
  llvm::FunctionAnalysisManager FAM;
  llvm::CGSCCAnalysisManager CGAM;
  llvm::ModuleAnalysisManager MAM;
  llvm::PassBuilder PB;
  llvm::Function *F = nullptr;
  llvm::LoopInfo *LI = nullptr;
  llvm::DominatorTree *DT = nullptr;
  std::unique_ptr<tsr::Errors> Bad;
  std::unique_ptr<tsr::PostDominators> PDT;
  llvm::ScalarEvolution *SE = nullptr;
  llvm::AAResults *AA = nullptr;
  const llvm::TargetLibraryInfo *Library = nullptr;

  tsr_analyses()
  {
    PB.registerModuleAnalyses(MAM);
    PB.registerCGSCCAnalyses(CGAM);
    PB.registerFunctionAnalyses(FAM);
    PB.registerLoopAnalyses(LAM);
    PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  }
};
#endif
