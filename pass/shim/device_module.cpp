// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of a GPU: from functions of the copy of a module to PTX in a constant of the original.
//
//   copy:      void F'(ptr arguments), outlined        --CloneModule, in a child-->  kernel F(byval arguments), O3, PTX
//   original:  @tsr.kernels = { version, name, &ptx, n, &names, null }, what tsr_rt_begin is given (runtime/tessera_rt.h)
//
// Code is generated in a child process: LLVM's NVPTX back end aborts on some of what it can't do, and would take the
// compiler with it. The child never runs what the parent has registered for its end (files to remove).
#include "clone.h"
#include "shim.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include <csignal>
#include <cstring>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

// A compiler may come without this target.
extern "C" {
__attribute__((weak)) void LLVMInitializeNVPTXTargetInfo(void);
__attribute__((weak)) void LLVMInitializeNVPTXTarget(void);
__attribute__((weak)) void LLVMInitializeNVPTXTargetMC(void);
__attribute__((weak)) void LLVMInitializeNVPTXAsmPrinter(void);
}

// The version of the runtime's interface that calls are made for.
static const unsigned RuntimeVersion = 1;
// What all GPUs that a current driver knows can run (GPU.md of PTX ISA: PTX for sm_70 is translated for later ones).
static const char *const DeviceCpu = "sm_70";

// Threads of a block, at most (emit/gpu/kernel_code.c), and how many blocks an SM is to have room for in its registers: with
// one alone, nothing hides its loads' latency.
static const char *const BlockThreads = "256", *const BlocksAtOnce = "2";

struct tsr_device {
  explicit tsr_device(tsr_clone *Clone) : clone(Clone)
  {
  }
  tsr_clone *clone;
  GlobalVariable *original = nullptr, *copy = nullptr; // @tsr.kernels
  struct Kernel {
    std::string name;
    Type *arguments;
  };
  std::vector<Kernel> kernels;
};

struct tsr_device *tsr_device_create(struct tsr_clone *clone)
{
  return new tsr_device(clone);
}

bool tsr_device_is_possible(void)
{
  return LLVMInitializeNVPTXTargetInfo && LLVMInitializeNVPTXTarget && LLVMInitializeNVPTXTargetMC &&
         LLVMInitializeNVPTXAsmPrinter;
}

static StructType *moduleType(LLVMContext &C)
{
  Type *I64 = Type::getInt64Ty(C), *Ptr = PointerType::get(C, 0);
  return StructType::get(C, {I64, Ptr, Ptr, I64, Ptr, Ptr});
}

LLVMValueRef tsr_device_kernels(struct tsr_device *device)
{
  if (!device->copy) {
    tsr_clone *Clone = device->clone;
    StructType *T = moduleType(Clone->original->getContext());
    device->original = new GlobalVariable(*Clone->original, T, false, GlobalValue::InternalLinkage,
                                          Constant::getNullValue(T), "tsr.kernels");
    device->copy = new GlobalVariable(*Clone->copy, T, false, GlobalValue::ExternalLinkage, nullptr, "tsr.kernels");
    Clone->inverse[device->copy] = device->original;
  }
  return wrap(device->copy);
}

int tsr_device_add(struct tsr_device *device, LLVMValueRef function, LLVMTypeRef arguments)
{
  device->kernels.push_back({unwrap<Function>(function)->getName().str(), unwrap(arguments)});
  return static_cast<int>(device->kernels.size()) - 1;
}

// ---- mathematical functions

// Those of libdevice that are called like the C library's, or like an intrinsic of LLVM's.
static const char *const Functions[] = {"sin",  "cos",   "tan",   "asin",  "acos", "atan", "atan2", "sinh",   "cosh",
                                        "tanh", "asinh", "acosh", "atanh", "exp",  "exp2", "exp10", "expm1",  "log",
                                        "log2", "log10", "log1p", "pow",   "cbrt", "erf",  "erfc",  "tgamma", "hypot"};

// The name in libdevice of what F does: "__nv_expf" for llvm.exp.f32, and for expf; "": it has none.
static std::string deviceName(const Function &F)
{
  Type *T = F.getReturnType();
  if (!F.isDeclaration() || !(T->isDoubleTy() || T->isFloatTy()) || F.arg_empty() ||
      any_of(F.args(), [&](const Argument &A) { return A.getType() != T; }))
    return "";
  StringRef Name = F.getName(), Suffix = T->isFloatTy() ? "f" : "";
  if (Name.consume_front("llvm."))
    Name = Name.take_front(Name.find('.'));
  else if (!Name.consume_back(Suffix))
    return "";
  for (const char *Known : Functions)
    if (Name == Known)
      return ("__nv_" + Name + Suffix).str();
  return "";
}

// The file of libdevice; "": there is none.
static std::string deviceLibrary()
{
  std::vector<std::string> Folders;
  if (const char *Path = getenv("CUDA_PATH"))
    Folders.push_back(Path);
  for (const char *Usual : {"/usr/local/cuda", "/usr/lib/cuda", "/usr/lib/nvidia-cuda-toolkit"})
    Folders.push_back(Usual);
  for (const std::string &Folder : Folders)
    for (const char *Name : {"/nvvm/libdevice/libdevice.10.bc", "/libdevice/libdevice.10.bc"})
      if (sys::fs::exists(Folder + Name))
        return Folder + Name;
  return "";
}

bool tsr_device_has_function(LLVMValueRef call)
{
  const auto *Call = dyn_cast<CallBase>(unwrap(call));
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  return F && !deviceName(*F).empty() && !deviceLibrary().empty();
}

// Let M have the functions of libdevice that it calls. False: ERROR says why not.
static bool linkLibrary(Module &M, std::string &Error)
{
  bool Any = false;
  for (Function &F : make_early_inc_range(M)) {
    std::string Name = F.use_empty() ? "" : deviceName(F);
    if (Name.empty())
      continue;
    F.replaceAllUsesWith(M.getOrInsertFunction(Name, F.getFunctionType()).getCallee());
    Any = true;
  }
  if (!Any)
    return true;
  SMDiagnostic Diagnostic;
  std::unique_ptr<Module> Library = parseIRFile(deviceLibrary(), Diagnostic, M.getContext());
  if (!Library) {
    Error = "CUDA's libdevice can't be read";
    return false;
  }
  Library->setTargetTriple(M.getTargetTriple());
  Library->setDataLayout(M.getDataLayout());
  if (Linker::linkModules(M, std::move(Library), Linker::LinkOnlyNeeded)) {
    Error = "CUDA's libdevice can't be linked";
    return false;
  }
  for (Function &F : M)
    if (!F.isDeclaration() && F.getCallingConv() != CallingConv::PTX_Kernel)
      F.setLinkage(GlobalValue::InternalLinkage);
  for (GlobalVariable &G : M.globals())
    if (G.hasInitializer())
      G.setLinkage(GlobalValue::InternalLinkage);
  return true;
}

// ---- operands that are constants in the host's program, and addresses there

static bool hasGlobal(const Value *V)
{
  if (const auto *G = dyn_cast<GlobalVariable>(V)) // what a block shares is there, and nowhere else
    return G->getAddressSpace() == 0;
  if (isa<GlobalValue>(V))
    return !isa<Function>(V) || !cast<Function>(V)->isIntrinsic();
  const auto *C = dyn_cast<Constant>(V);
  return C && any_of(C->operands(), [](const Use &U) { return hasGlobal(U.get()); });
}

void tsr_capture_globals(LLVMBasicBlockRef *blocks, unsigned n, LLVMBuilderRef builder)
{
  DenseMap<Value *, Value *> Captured;
  for (unsigned I = 0; I < n; I++)
    for (Instruction &Inst : *unwrap(blocks[I]))
      for (Use &U : Inst.operands())
        if (hasGlobal(U.get()) && !(isa<CallBase>(Inst) && cast<CallBase>(Inst).isCallee(&U))) {
          Value *&New = Captured[U.get()];
          if (!New)
            New = unwrap(builder)->Insert(new FreezeInst(U.get()), "tsr.global");
          U.set(New);
        }
}

// ---- the child

static std::string kernelName(size_t Number)
{
  return "tsr_kernel_" + std::to_string(Number);
}

// a * b + c as the host does it, in every lane of every target: where it can't fuse, nor may a GPU that is allowed to.
static void settleFusion(Function &F, bool Fuse)
{
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (!Fuse && isa<FPMathOperator>(I))
      I.setHasAllowContract(false);
    auto *Call = dyn_cast<IntrinsicInst>(&I);
    if (!Call || Call->getIntrinsicID() != Intrinsic::fmuladd)
      continue;
    IRBuilder<> B(Call);
    B.setFastMathFlags(Call->getFastMathFlags());
    Value *A = Call->getArgOperand(0), *M = Call->getArgOperand(1), *C = Call->getArgOperand(2);
    Value *New =
        Fuse ? B.CreateIntrinsic(Intrinsic::fma, {Call->getType()}, {A, M, C}, Call) : B.CreateFAdd(B.CreateFMul(A, M), C);
    Call->replaceAllUsesWith(New);
    Call->eraseFromParent();
  }
}

// Make F, outlined for the host, a kernel that gets its arguments by value.
static void makeKernel(Function &F, Type *Arguments, const std::string &Name, const DataLayout &Layout)
{
  bool Fuse = tsr_target_fuses(wrap(&F));
  AttributeList Attributes;
  LLVMContext &C = F.getContext();
  Attributes = Attributes.addFnAttribute(C, Attribute::NoUnwind);
  Attributes = Attributes.addFnAttribute(C, "nvvm.maxntid", BlockThreads);
  Attributes = Attributes.addFnAttribute(C, "nvvm.minctasm", BlocksAtOnce);
  Attributes = Attributes.addParamAttribute(C, 0, Attribute::getWithByValType(C, Arguments));
  Attributes = Attributes.addParamAttribute(C, 0, Attribute::getWithAlignment(C, Layout.getABITypeAlign(Arguments)));
  F.setAttributes(Attributes);
  F.setPersonalityFn(nullptr);
  F.setComdat(nullptr);
  F.setSection("");
  F.clearMetadata();
  F.setLinkage(GlobalValue::ExternalLinkage);
  F.setVisibility(GlobalValue::DefaultVisibility);
  F.setCallingConv(CallingConv::PTX_Kernel);
  F.setName(Name);
  settleFusion(F, Fuse);
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I)) // what it says of the host's functions
      Call->setAttributes(AttributeList());
}

// Leave nothing in M but the kernels and what they use.
static void dropTheRest(Module &M)
{
  for (StringRef Name : {"llvm.used", "llvm.compiler.used", "llvm.global_ctors", "llvm.global_dtors"})
    if (GlobalVariable *G = M.getGlobalVariable(Name))
      G->eraseFromParent();
  M.setModuleInlineAsm("");
  while (!M.alias_empty() && M.aliases().begin()->use_empty())
    M.aliases().begin()->eraseFromParent();
  for (GlobalVariable &G : make_early_inc_range(M.globals()))
    if (G.use_empty())
      G.eraseFromParent();
  for (Function &F : make_early_inc_range(M))
    if (F.isDeclaration() && F.use_empty())
      F.eraseFromParent();
  while (!M.named_metadata_empty())
    M.eraseNamedMetadata(&*M.named_metadata_begin());
}

static std::unique_ptr<TargetMachine> deviceMachine()
{
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  std::string Error;
  Triple T("nvptx64-nvidia-cuda");
  const Target *Found = TargetRegistry::lookupTarget(T, Error);
  if (!Found)
    return nullptr;
  return std::unique_ptr<TargetMachine>(
      Found->createTargetMachine(T, DeviceCpu, "", TargetOptions(), Reloc::PIC_, std::nullopt, CodeGenOptLevel::Aggressive));
}

// Loops whose trips aren't known stay as they are: ptxas unrolls them in view of its registers, which LLVM knows nothing of.
static void leaveTripsToAssembler(Module &M, FunctionAnalysisManager &FAM)
{
  for (Function &F : M)
    if (!F.isDeclaration())
      for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
        addStringMetadataToLoop(L, "llvm.loop.unroll.runtime.disable");
}

static void optimise(Module &M, TargetMachine &Machine)
{
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  PassBuilder PB(&Machine);
  PB.registerModuleAnalyses(MAM);
  PB.registerCGSCCAnalyses(CGAM);
  PB.registerFunctionAnalyses(FAM);
  PB.registerLoopAnalyses(LAM);
  PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  leaveTripsToAssembler(M, FAM);
  PB.buildPerModuleDefaultPipeline(OptimizationLevel::O3).run(M, MAM);
}

// The kernels' module; a sentence in ERROR if there is none.
static std::unique_ptr<Module> deviceModule(tsr_device &Device, TargetMachine &Machine, std::string &Error)
{
  std::set<std::string> Names;
  for (const auto &K : Device.kernels)
    Names.insert(K.name);
  ValueToValueMapTy Map;
  std::unique_ptr<Module> M = CloneModule(*Device.clone->copy, Map, [&](const GlobalValue *G) {
    return isa<Function>(G) ? Names.count(G->getName().str()) > 0 : G->getAddressSpace() != 0;
  });
  M->setModuleIdentifier("tessera.kernels");
  M->setSourceFileName("tessera.kernels");
  StripDebugInfo(*M);
  const DataLayout Layout = Machine.createDataLayout();
  for (size_t I = 0; I < Device.kernels.size(); I++)
    if (Function *F = M->getFunction(Device.kernels[I].name); F && !F->isDeclaration())
      makeKernel(*F, Device.kernels[I].arguments, kernelName(I), Layout);
  M->setDataLayout(Layout);
  M->setTargetTriple(Machine.getTargetTriple());
  dropTheRest(*M);
  if (!linkLibrary(*M, Error))
    return nullptr;
  raw_string_ostream OS(Error);
  if (verifyModule(*M, &OS))
    return nullptr;
  return M;
}

// The PTX of all kernels, or else why there is none.
static bool generate(tsr_device &Device, std::string &Out)
{
  std::unique_ptr<TargetMachine> Machine = deviceMachine();
  if (!Machine) {
    Out = "this LLVM has no NVPTX target";
    return false;
  }
  std::unique_ptr<Module> M = deviceModule(Device, *Machine, Out);
  if (!M)
    return false;
  optimise(*M, *Machine);
  SmallString<0> Text;
  raw_svector_ostream OS(Text);
  legacy::PassManager PM;
  if (Machine->addPassesToEmitFile(PM, OS, nullptr, CodeGenFileType::AssemblyFile)) {
    Out = "NVPTX can't write assembly";
    return false;
  }
  PM.run(*M);
  Out = Text.str().str();
  return true;
}

static void dieSilently(void *, const char *, bool)
{
  _exit(3);
}

// Whatever ends this process ends it at once: handlers that it has inherited belong to the parent.
static void standAlone()
{
  for (int Signal : {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP})
    signal(Signal, SIG_DFL);
  struct rlimit None = {0, 0};
  setrlimit(RLIMIT_CORE, &None);
  remove_fatal_error_handler();
  install_fatal_error_handler(dieSilently);
  if (FILE *Null = fopen("/dev/null", "w"))
    dup2(fileno(Null), STDERR_FILENO);
}

static bool writeAll(int To, const std::string &Text)
{
  for (size_t Done = 0; Done < Text.size();) {
    ssize_t N = write(To, Text.data() + Done, Text.size() - Done);
    if (N <= 0)
      return false;
    Done += static_cast<size_t>(N);
  }
  return true;
}

static std::string readAll(int From)
{
  std::string Text;
  char Part[1 << 16];
  for (ssize_t N; (N = read(From, Part, sizeof(Part))) > 0 || (N < 0 && errno == EINTR);)
    if (N > 0)
      Text.append(Part, static_cast<size_t>(N));
  return Text;
}

// generate, in a child. False: OUT says why.
static bool generateInChild(tsr_device &Device, std::string &Out)
{
  int Pipe[2];
  if (pipe(Pipe)) {
    Out = "no pipe to a child process";
    return false;
  }
  fflush(nullptr);
  pid_t Child = fork();
  if (Child == 0) {
    standAlone();
    close(Pipe[0]);
    std::string Text;
    bool Good = generate(Device, Text);
    _exit(writeAll(Pipe[1], Text) ? (Good ? 0 : 1) : 2);
  }
  close(Pipe[1]);
  Out = Child > 0 ? readAll(Pipe[0]) : "";
  close(Pipe[0]);
  int Status = 0;
  while (Child > 0 && waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  if (Child > 0 && WIFEXITED(Status) && WEXITSTATUS(Status) == 0 && !Out.empty())
    return true;
  if (Child <= 0)
    Out = "no child process could be made";
  else if (!WIFEXITED(Status) || WEXITSTATUS(Status) != 1)
    Out = "LLVM's NVPTX back end gave up";
  return false;
}

// ---- what goes into the original

static Constant *text(Module &M, StringRef Text, const char *Name)
{
  Constant *Data = ConstantDataArray::getString(M.getContext(), Text);
  auto *G = new GlobalVariable(M, Data->getType(), true, GlobalValue::PrivateLinkage, Data, Name);
  G->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return G;
}

static void fillKernels(tsr_device &Device, const std::string &Ptx)
{
  Module &M = *Device.clone->original;
  LLVMContext &C = M.getContext();
  Type *I64 = Type::getInt64Ty(C), *Ptr = PointerType::get(C, 0);
  StructType *KernelType = StructType::get(C, ArrayRef<Type *>(Ptr));
  std::vector<Constant *> Kernels;
  for (size_t I = 0; I < Device.kernels.size(); I++)
    Kernels.push_back(ConstantStruct::get(KernelType, {text(M, kernelName(I), "tsr.kernel")}));
  ArrayType *TableType = ArrayType::get(KernelType, Kernels.size());
  auto *Table = new GlobalVariable(M, TableType, true, GlobalValue::PrivateLinkage, ConstantArray::get(TableType, Kernels),
                                   "tsr.kernel.table");
  Constant *Fields[] = {ConstantInt::get(I64, RuntimeVersion),
                        text(M, M.getSourceFileName(), "tsr.source"),
                        text(M, Ptx, "tsr.ptx"),
                        ConstantInt::get(I64, Kernels.size()),
                        Table,
                        ConstantPointerNull::get(cast<PointerType>(Ptr))};
  Device.original->setInitializer(ConstantStruct::get(moduleType(C), Fields));
}

// Without kernels no job begins: the calls say so, and what comes after them is dead.
static void forgetKernels(tsr_device &Device)
{
  for (User *U : make_early_inc_range(Device.original->users()))
    if (auto *Call = dyn_cast<CallBase>(U)) {
      Call->replaceAllUsesWith(Constant::getNullValue(Call->getType()));
      Call->eraseFromParent();
    }
}

char *tsr_device_finish(struct tsr_device *device)
{
  char *Error = nullptr;
  if (device->original) {
    std::string Text;
    bool Used = !device->original->use_empty();
    if (Used && generateInChild(*device, Text))
      fillKernels(*device, Text);
    else
      forgetKernels(*device);
    if (Used && device->original->use_empty())
      Error = strdup(Text.c_str());
    if (device->original->use_empty())
      device->original->eraseFromParent();
  }
  delete device;
  return Error;
}
