// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plugin's entry: registers the options with LLVM's command line and the pass at its extension points.
#include "../pass.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include <atomic>
#include <cstdlib>
#include <memory>
#include <vector>

using namespace llvm;

namespace
{
// One cl::opt a row of options.def, named -tessera-NAME; values are parsed by the same code as everywhere else.
struct CommandLine {
  struct Row {
    const char *Name;
    std::unique_ptr<cl::opt<std::string>> Option;
  };
  std::vector<Row> Rows;
  CommandLine()
  {
#define OPT(NAME, KIND, FIELD, DEFAULT, ALLOWED, HELP)                                                                      \
  Rows.push_back({NAME, std::make_unique<cl::opt<std::string>>("tessera-" NAME, cl::desc("Tessera: " HELP),                 \
                                                               cl::value_desc(ALLOWED), cl::ValueOptional)});
#include "model/options.def"
#undef OPT
  }
};
CommandLine &commandLine()
{
  static CommandLine Options;
  return Options;
}

struct OwnedOptions {
  tsr_options Options;
  std::string Error;
  OwnedOptions()
  {
    tsr_options_init(&Options);
  }
  ~OwnedOptions()
  {
    tsr_options_clear(&Options);
  }
  OwnedOptions(const OwnedOptions &) = delete;
  // Message by address: what it points to is set while STATUS, another argument, is computed.
  void note(isl_stat Status, char **Message)
  {
    if (Status == isl_stat_error && Error.empty())
      Error = *Message ? *Message : "out of memory";
    free(*Message);
    *Message = nullptr;
  }
};

// Environment first, then the command line, then what -passes='tessera<...>' says.
std::shared_ptr<OwnedOptions> readOptions(StringRef PassText)
{
  auto Result = std::make_shared<OwnedOptions>();
  char *Message = nullptr;
  if (const char *Env = getenv("TESSERA_OPTIONS"))
    Result->note(tsr_options_parse(&Result->Options, Env, "; \t\n", &Message), &Message);
  for (auto &Row : commandLine().Rows) {
    if (Row.Option->getNumOccurrences())
      Result->note(tsr_options_set(&Result->Options, Row.Name, Row.Option->c_str(), &Message), &Message);
  }
  if (!PassText.empty())
    Result->note(tsr_options_parse(&Result->Options, PassText.str().c_str(), ";", &Message), &Message);
  tsr_machine Machine;
  tsr_machine_find(nullptr, &Machine);
  if (Result->Options.machine)
    Result->note(tsr_machine_load(Result->Options.machine, &Machine, &Message), &Message);
  Result->note(tsr_steering_check(&Result->Options, &Message) ? isl_stat_ok : isl_stat_error, &Message);
  if (Result->Options.commands)
    Result->note(tsr_commands_check(Result->Options.commands, &Message) ? isl_stat_ok : isl_stat_error, &Message);
  return Result;
}

struct TesseraPass : PassInfoMixin<TesseraPass> {
  std::string PassText;
  tsr_when When;
  TesseraPass(StringRef PassText, tsr_when When) : PassText(PassText.str()), When(When)
  {
  }
  // What -fveclib and -fno-builtin say; any function will do for what we ask.
  static tsr_library libraryOf(Module &M, ModuleAnalysisManager &MAM)
  {
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    for (Function &F : M)
      if (!F.isDeclaration())
        return reinterpret_cast<tsr_library>(&FAM.getResult<TargetLibraryAnalysis>(F));
    return nullptr;
  }
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM)
  {
    auto Options = readOptions(PassText);
    if (!Options->Error.empty()) {
      if (!M.getContext().getDiagHandlerPtr()->HasErrors) // say it at one extension point
        tsr_error(wrap(&M), Options->Error.c_str());
      return PreservedAnalyses::all();
    }
    static std::atomic_flag Helped; // once, whatever the number of plugins, extension points and modules
    if (Options->Options.help && !Helped.test_and_set())
      tsr_options_help(stderr);
    return tsr_run(wrap(&M), &Options->Options, When, libraryOf(M, MAM)) ? PreservedAnalyses::none()
                                                                         : PreservedAnalyses::all();
  }
  static bool isRequired()
  {
    return false;
  }
};

// -passes='tessera' or 'tessera<a;b=c>'.
bool isOurName(StringRef Name, StringRef &Text)
{
  if (Name == "tessera") {
    Text = "";
    return true;
  }
  if (!Name.consume_front("tessera<") || !Name.consume_back(">"))
    return false;
  Text = Name;
  return true;
}

// Inside a pipeline that sees less than a module: say what to write instead.
template <typename PassManagerT> void refuseIn(PassBuilder &PB, const char *Where)
{
  PB.registerPipelineParsingCallback([=](StringRef Name, PassManagerT &, ArrayRef<PassBuilder::PipelineElement>) {
    StringRef Text;
    if (isOurName(Name, Text))
      errs() << "tessera: this is a module pass; write -passes='" << Where << "(...),tessera', not '" << Where
             << "(...,tessera)'\n";
    return false;
  });
}

void registerCallbacks(PassBuilder &PB)
{
  PB.registerPipelineEarlySimplificationEPCallback(
      [](ModulePassManager &PM, OptimizationLevel Level, ThinOrFullLTOPhase Phase) {
        bool Link = Phase == ThinOrFullLTOPhase::ThinLTOPostLink || Phase == ThinOrFullLTOPhase::FullLTOPostLink;
        if (Level != OptimizationLevel::O0 && !Link)
          PM.addPass(TesseraPass("", TSR_WHEN_EARLY));
      });
  PB.registerOptimizerEarlyEPCallback([](ModulePassManager &PM, OptimizationLevel Level, ThinOrFullLTOPhase Phase) {
    bool PreLink = Phase == ThinOrFullLTOPhase::FullLTOPreLink || Phase == ThinOrFullLTOPhase::ThinLTOPreLink;
    if (Level != OptimizationLevel::O0 && !PreLink)
      PM.addPass(TesseraPass("", TSR_WHEN_LATE));
  });
  PB.registerPipelineParsingCallback([](StringRef Name, ModulePassManager &PM, ArrayRef<PassBuilder::PipelineElement>) {
    StringRef Text;
    if (!isOurName(Name, Text))
      return false;
    PM.addPass(TesseraPass(Text, TSR_WHEN_ASKED));
    return true;
  });
  refuseIn<FunctionPassManager>(PB, "function");
  refuseIn<CGSCCPassManager>(PB, "cgscc");
  refuseIn<LoopPassManager>(PB, "loop");
}
} // namespace

// LLVM's command line must know the options as soon as the plugin is loaded.
static CommandLine &Registered = commandLine();

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo()
{
  (void)Registered;
  return {LLVM_PLUGIN_API_VERSION, "tessera", TESSERA_VERSION, registerCallbacks};
}
