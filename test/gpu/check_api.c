/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The driver API itself: what calls need, when asynchronous work is done, copies, limits of launches, refused modules,
 * failures from the environment.  Usage: FAULTY.ptx BLOCKS.ptx */
#include "check.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static char *faulty, *blocks;

/* ---- before anything */

/* Calls before cuInit, without a context, and what the device says */
static void check_start(void)
{
  int n = 0;
  CUdeviceptr d;
  CUcontext c, current;
  check(cuDeviceGetCount(&n) == 3, "not initialised");
  NEED(cuInit(0));
  check(!cuDeviceGetCount(&n) && n == 1, "one device");
  check(cuDeviceGet(&n, 1) == 101, "not two");
  check(cuMemAlloc_v2(&d, 8) == 201, "no context");
  check(cuCtxPushCurrent_v2(NULL) == 201, "a wrong context");
  NEED(cuDevicePrimaryCtxRetain(&c, 0));
  check(cuMemAlloc_v2(&d, 8) == 201, "a context that isn't current");
  NEED(cuCtxPushCurrent_v2(c));
  check(!cuMemAlloc_v2(&d, 8), "memory");
  check(!cuCtxGetCurrent(&current) && current == c, "the current context");
  NEED(cuCtxPopCurrent_v2(&current));
  check(current == c && cuMemFree_v2(d) == 201 && cuCtxPopCurrent_v2(NULL) == 201, "popped");
  NEED(cuCtxPushCurrent_v2(c));
  NEED(cuMemFree_v2(d));
  int major, sm_count;
  check(!cuDeviceGetAttribute(&major, 75, 0) && major == 9, "compute capability");
  check(!cuDeviceGetAttribute(&sm_count, 16, 0) && sm_count > 0, "multiprocessors");
  const char *name;
  check(!cuGetErrorName(700, &name) && !strcmp(name, "CUDA_ERROR_ILLEGAL_ADDRESS"), "a name");
  check(cuGetErrorString(12345, &name) == 1, "no such error");
}

/* A child of a process that has the device */
static void check_fork(void)
{
  int status;
  pid_t child = fork();
  if (!child) {
    int n;
    _exit(cuDeviceGetCount(&n) == 3 ? 0 : 1);
  }
  waitpid(child, &status, 0);
  check(WIFEXITED(status) && !WEXITSTATUS(status), "a child has no device");
}

/* A thread has its own current context: ARG. */
static void *allocate_often(void *arg)
{
  CUdeviceptr d[50];
  size_t bad = cuMemAlloc_v2(d, 8) != 201;
  NEED(cuCtxPushCurrent_v2(arg));
  for (int round = 0; round < 20; round++) {
    for (int i = 0; i < 50; i++)
      bad += cuMemAlloc_v2(&d[i], 100) || cuMemsetD8Async(d[i], (unsigned char)i, 100, NULL);
    for (int i = 0; i < 50; i++) {
      unsigned char a[100];
      bad += cuMemcpyDtoH_v2(a, d[i], 100) || a[99] != i || cuMemFree_v2(d[i]);
    }
  }
  NEED(cuCtxPopCurrent_v2(NULL));
  return (void *)bad;
}

/* Several threads of the host's */
static void check_host_threads(void)
{
  CUcontext context;
  pthread_t thread[4];
  NEED(cuCtxGetCurrent(&context));
  for (int i = 0; i < 4; i++)
    pthread_create(&thread[i], NULL, allocate_often, context);
  for (int i = 0; i < 4; i++) {
    void *bad;
    pthread_join(thread[i], &bad);
    check(!bad, "threads at a time");
  }
}

/* ---- copies and streams */

/* Copies of rows and rectangles, and those that mustn't be */
static void check_copies(void)
{
  int a[12], b[12] = {0};
  CUdeviceptr d, e;
  for (int i = 0; i < 12; i++)
    a[i] = i;
  NEED(cuMemAlloc_v2(&d, 48));
  NEED(cuMemAlloc_v2(&e, 48));
  check(cuMemcpyHtoD_v2(d + 4, a, 48) == 1, "a copy over the end");
  check(cuMemcpyHtoD_v2(d - 4, a, 4) == 1, "a copy before the beginning");
  NEED(cuMemcpyHtoD_v2(d, a, 48));
  NEED(cuMemcpyDtoD_v2(e, d, 48));
  /* The middle two columns of three rows */
  struct cu_copy_2d c = {.src_type = CU_DEVICE, .src_device = e, .src_x = 4, .src_pitch = 16, .width = 8, .height = 3};
  c.dst_type = CU_HOST;
  c.dst_host = b;
  c.dst_pitch = 16;
  NEED(cuMemcpy2D_v2(&c));
  check(b[0] == 1 && b[1] == 2 && !b[2] && !b[3] && b[4] == 5 && b[9] == 10 && !b[10], "a copy of columns");
  c.height = 4;
  check(cuMemcpy2D_v2(&c) == 1, "a row too many");
  NEED(cuMemsetD8_v2(d, 7, 6));
  NEED(cuMemcpyDtoH_v2(b, d, 8));
  check(b[0] == 0x07070707 && b[1] == 0x0707, "set");
  NEED(cuMemFree_v2(d));
  NEED(cuMemFree_v2(e));
  check(cuMemFree_v2(e) == 1, "freed twice");
  check(cuMemcpyHtoD_v2(e, a, 4) == 1, "a copy to freed memory");
}

/* Nothing comes before somebody waits. */
static void check_streams(CUmodule m)
{
  int a[32] = {0}, b[32] = {0}, *pinned;
  long zero = 0;
  CUstream s, t;
  CUevent e;
  CUfunction f;
  CUdeviceptr d = to_device(a, sizeof a);
  NEED(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  NEED(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
  NEED(cuEventCreate(&e, 0));
  NEED(cuModuleGetFunction(&f, m, "writes"));
  NEED(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s, ARGS(&d, &zero), NULL));
  zero = 100000; /* was read by the call */
  NEED(cuMemcpyDtoHAsync_v2(b, d, sizeof b, s));
  check(!b[0], "not yet");
  check(cuStreamQuery(t) == 0 && cuStreamSynchronize(t) == 0 && !b[0], "another stream");
  NEED(cuEventRecord(e, s));
  NEED(cuStreamWaitEvent(t, e, 0));
  NEED(cuStreamSynchronize(t));
  check(b[0] == 1 && b[31] == 1, "the event was waited for");
  check(cuStreamQuery(s) == 0 && cuEventQuery(e) == 0, "all is done");
  a[0] = 5;
  NEED(cuMemcpyHtoDAsync_v2(d, a, sizeof a, s));
  a[0] = 6;
  NEED(cuMemcpyDtoHAsync_v2(b, d, sizeof b, s));
  check(cuStreamQuery(s) == 600, "not ready");
  check(b[0] == 5, "pageable memory is read by the call");
  NEED(cuMemAllocHost_v2((void **)&pinned, sizeof a));
  memset(pinned, 0, sizeof a);
  NEED(cuMemcpyHtoDAsync_v2(d, pinned, sizeof a, s));
  pinned[0] = 8;
  NEED(cuMemcpyDtoHAsync_v2(b, d, sizeof b, s));
  NEED(cuStreamSynchronize(s));
  check(b[0] == 8, "page-locked memory is read later");
  NEED(cuMemFreeHost(pinned));
  NEED(cuEventDestroy_v2(e));
  NEED(cuStreamDestroy_v2(s));
  check(cuStreamSynchronize(s) == 400, "a stream that is gone");
  NEED(cuStreamDestroy_v2(t));
  NEED(cuMemFree_v2(d));
}

/* ---- launches and modules */

/* Launches that are too large, and one that may be */
static void check_limits(CUmodule m, CUmodule shared)
{
  int a[1024] = {0}, n = 1024, bytes;
  CUfunction f, g;
  CUdeviceptr d = to_device(a, sizeof a);
  check(cuModuleGetFunction(&f, m, "nothing") == 500, "no such kernel");
  NEED(cuModuleGetFunction(&f, m, "writes"));
  check(cuLaunchKernel(f, 1, 1, 1, 1025, 1, 1, 0, NULL, ARGS(&d, &n), NULL) == 1, "1025 threads");
  check(cuLaunchKernel(f, 1, 1, 1, 64, 32, 1, 0, NULL, ARGS(&d, &n), NULL) == 1, "64 x 32 threads");
  check(cuLaunchKernel(f, 1, 65536, 1, 1, 1, 1, 0, NULL, ARGS(&d, &n), NULL) == 1, "65536 blocks in y");
  check(cuLaunchKernel(f, 0, 1, 1, 1, 1, 1, 0, NULL, ARGS(&d, &n), NULL) == 1, "no block");
  NEED(cuModuleGetFunction(&g, shared, "reverse"));
  check(cuLaunchKernel(g, 1, 1, 1, 32, 1, 1, 50000, NULL, ARGS(&d, &n), NULL) == 1, "50000 bytes of shared memory");
  check(cuFuncSetAttribute(g, CU_MAX_DYNAMIC_SHARED, 300000) == 1, "300000 bytes asked for");
  NEED(cuFuncSetAttribute(g, CU_MAX_DYNAMIC_SHARED, 50000));
  n = 32;
  check(!cuLaunchKernel(g, 1, 1, 1, 32, 1, 1, 50000, NULL, ARGS(&d, &n), NULL) && !cuCtxSynchronize(),
        "50000 bytes asked for");
  NEED(cuModuleGetFunction(&g, shared, "transpose_tiled"));
  check(!cuFuncGetAttribute(&bytes, 1, g) && bytes == 32 * 33 * 4, "static shared memory of one kernel alone");
  NEED(cuMemFree_v2(d));
}

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

/* Each is refused with its code, and the log names LINE. */
static void check_refused(void)
{
  static const struct {
    const char *text, *log;
    int code;
  } modules[] = {
      {HEAD ".visible .entry k()\n{\nret;\n}", "", 0},
      {HEAD ".visible .entry k()\n{\nfrobnicate.b32 1;\nret;\n}", "line 6: unknown: frobnicate.b32 1;", 218},
      {HEAD ".visible .entry k()\n{\n.reg .b32 %r<2>;\nadd.s32 %r1, %r2, 1;\n}", "line 7: the operand '%r2'", 218},
      {HEAD ".visible .entry k()\n.maxntid 256, 1, 1\n.minnctapersm 2\n.maxnreg 128\n{\n.pragma \"nounroll\";\nret;\n}", "",
       0},
      {HEAD ".visible .func f()\n{\ncall.uni g;\nret;\n}\n.visible .func g()\n{\ncall.uni f;\nret;\n}", "f is recursive",
       218},
      {HEAD ".visible .entry k()\n{\nbra L;\n}", "no label L", 218},
      {HEAD ".visible .entry k()\n{\ncall.uni f;\n}", "f is called but defined nowhere", 218},
      {HEAD ".visible .func f()\n{\ncall.uni f;\nret;\n}", "recursive", 218},
      {HEAD ".shared .b8 s[50000];\n.visible .entry k()\n{\n.reg .b64 %r;\nmov.b64 %r, s;\nret;\n}", "50000 bytes", 218},
      {".version 9.9\n.target sm_70\n", "version 9.9", 222},
      {".version 7.0\n.target sm_100\n", "sm_100", 218},
      {"", "", 218},
  };
  for (size_t k = 0; k < sizeof modules / sizeof *modules; k++) {
    CUmodule m;
    char log[256] = "";
    int options[2] = {CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_SIZE};
    CUresult code = cuModuleLoadDataEx(&m, modules[k].text, 2, options, ARGS(log, (void *)sizeof log));
    check(code == modules[k].code, modules[k].text);
    check(strstr(log, modules[k].log) != NULL, log);
    if (!code)
      NEED(cuModuleUnload(m));
  }
}

/* Memory that only some of a row holds, in a copy to the host */
static void check_uninitialised_copy(void)
{
  char a[64];
  CUdeviceptr d;
  memset(a, 1, sizeof a);
  NEED(cuMemAlloc_v2(&d, 64));
  NEED(cuMemcpyHtoD_v2(d, a, 63));
  check(!cuMemcpyDtoH_v2(a, d, 63), "what is initialised");
  check(cuMemcpyDtoH_v2(a, d, 64) == 719 && tsr_ptx_faults("uninitialised") == 1, "a byte isn't initialised");
  check(cuCtxSynchronize() == 719, "the fault stays");
}

/* Injected ones, by the number of the call */
static void check_failures(void)
{
  size_t some, all;
  setenv("TSR_PTX_FAIL", "cuMemAlloc_v2:1:2,cuMemGetInfo_v2:2:2,cuMemGetInfo_v2:3:46", 1);
  check(cuMemGetInfo_v2(&some, &all) == 0 && some <= all, "the first call");
  check(cuMemGetInfo_v2(&some, &all) == 2, "the second call");
  check(cuMemGetInfo_v2(&some, &all) == 46, "the third call");
  check(cuMemGetInfo_v2(&some, &all) == 0, "the fourth call");
  unsetenv("TSR_PTX_FAIL");
  CUdeviceptr d;
  check(cuMemAlloc_v2(&d, (size_t)1 << 50) == 2, "so much memory there isn't");
}

int main(int argc, char **argv)
{
  if (argc != 3)
    return fprintf(stderr, "usage: %s FAULTY.ptx BLOCKS.ptx\n", argv[0]), 2;
  check_start();
  faulty = argv[1];
  blocks = argv[2];
  CUmodule m = load(faulty), shared = load(blocks);
  check_fork();
  check_host_threads();
  check_copies();
  check_streams(m);
  check_limits(m, shared);
  check_refused();
  check_failures();
  check_uninitialised_copy();
  NEED(cuDevicePrimaryCtxRelease_v2(0));
  return finish();
}
