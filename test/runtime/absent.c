/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Processes without a device, or without one for a module: they compute on the CPU, and where a person can do something
 * about it one line says so. */
#include "scenario.h"
#include "workload.h"
#include <errno.h>

static struct tsr_rt_module module = WORKLOAD_MODULE;

/* Every job is NULL. */
static void check_cpu(void)
{
  struct workload w;
  bool untouched;
  errno = 12;
  for (int i = 0; i < 3; i++) {
    CHECK(workload_run(&module, &w, i, &untouched) == ON_CPU);
    CHECK(workload_is_done(&w, i));
  }
  CHECK(errno == 12);
}

static void check_gpu(void)
{
  struct workload w;
  bool untouched;
  CHECK(workload_run(&module, &w, 1, &untouched) == ON_GPU);
  CHECK(workload_is_done(&w, 1));
}

/* The search path has no libcuda.so.1; a machine with a driver in its usual place has no such process. */
static void check_no_library(void)
{
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    check_cpu();
  else
    dlclose(library);
}

/* The library isn't even opened. */
static void check_unopened(void)
{
  check_cpu();
  CHECK(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) == NULL);
}

/* Other modules go on where one is refused. */
static void check_refused_module(void)
{
  static struct tsr_rt_module bad = {TSR_RT_VERSION, "bad.c", "no PTX", 7, workload_kernels, NULL};
  struct workload w;
  bool untouched;
  for (int i = 0; i < 3; i++) {
    CHECK(workload_run(&bad, &w, i, &untouched) == ON_CPU);
    CHECK(workload_is_done(&w, i));
    check_gpu();
  }
  CHECK(scenario_driver()->calls("cuModuleLoadDataEx") == 2);
}

static void check_version(void)
{
  static struct tsr_rt_module old = WORKLOAD_MODULE;
  old.version = TSR_RT_VERSION + 1;
  CHECK(tsr_rt_begin(&old) == NULL);
  CHECK(tsr_rt_begin(&old) == NULL);
  check_gpu();
}

/* Too little memory for the module at first */
static void check_module_later(void)
{
  struct workload w;
  bool untouched;
  CHECK(workload_run(&module, &w, 1, &untouched) == ON_CPU);
  check_gpu();
}

/* No job, no driver */
static void check_idle(void)
{
  CHECK(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) == NULL);
}

static const struct scenario scenarios[] = {
    {"no-library", check_no_library, "nowhere", {NULL}, ""},
    {"broken-library", check_cpu, "none", {NULL}, ""},
    {"old-library", check_cpu, "old", {NULL}, "tessera: libcuda.so.1 has no cuDeviceGet: update the driver; "},
    {"idle", check_idle, "fake", {NULL}, ""},
    {"no-device", check_cpu, "fake", {"TSR_FAKE_FAIL=cuInit:1:100"}, ""},
    {"stub", check_cpu, "fake", {"TSR_FAKE_FAIL=cuInit:1:34"}, ""},
    {"forked-from-cuda", check_cpu, "fake", {"TSR_FAKE_FAIL=cuInit:1:3"}, ""},
    {"mismatch", check_cpu, "fake", {"TSR_FAKE_FAIL=cuInit:1:803"}, "SYSTEM_DRIVER_MISMATCH (803): restart the machine"},
    {"unknown",
     check_cpu,
     "fake",
     {"TSR_FAKE_FAIL=cuInit:1:999"},
     "tessera: GPU: cuInit says error 999: see whether nvidia-smi"},
    {"taken",
     check_cpu,
     "fake",
     {"TSR_FAKE_FAIL=cuDevicePrimaryCtxRetain:1:46"},
     "DEVICE_UNAVAILABLE (46): another process"},
    {"device-none", check_unopened, "fake", {"TESSERA_RT_DEVICE=none"}, ""},
    {"device-0", check_gpu, "fake", {"TESSERA_RT_DEVICE=0", "TSR_FAKE_STRICT=1"}, ""},
    {"device-1", check_gpu, "fake", {"TESSERA_RT_DEVICE=1", "TSR_FAKE_STRICT=1"}, ""},
    {"device-empty", check_gpu, "fake", {"TESSERA_RT_DEVICE="}, ""},
    {"device-2", check_cpu, "fake", {"TESSERA_RT_DEVICE=2"}, "INVALID_DEVICE (101): set TESSERA_RT_DEVICE to the number"},
    {"device-text", check_unopened, "fake", {"TESSERA_RT_DEVICE=gpu"}, "tessera: TESSERA_RT_DEVICE is 'gpu': give it"},
    {"device-minus", check_unopened, "fake", {"TESSERA_RT_DEVICE=-1"}, "tessera: TESSERA_RT_DEVICE is '-1': give it"},
    {"device-tail", check_unopened, "fake", {"TESSERA_RT_DEVICE=1x"}, "tessera: TESSERA_RT_DEVICE is '1x': give it"},
    {"device-huge", check_unopened, "fake", {"TESSERA_RT_DEVICE=99999999999999999999"}, "9999': give it"},
    {"device-line", check_unopened, "fake", {"TESSERA_RT_DEVICE=a\nb"}, "'a b': give it a GPU's number, or none; the CPU"},
    {"refused-ptx",
     check_refused_module,
     "fake",
     {"TSR_FAKE_STRICT=1"},
     "tessera: bad.c: cuModuleLoadDataEx says CUDA_ERROR_INVALID_PTX (218): ptxas fatal: not PTX: compile for this GPU"},
    {"new-ptx",
     check_cpu,
     "fake",
     {"TSR_FAKE_FAIL=cuModuleLoadDataEx:1:222"},
     "UNSUPPORTED_PTX_VERSION (222): update the driver"},
    {"no-jit",
     check_cpu,
     "fake",
     {"TSR_FAKE_FAIL=cuModuleLoadDataEx:1:221"},
     "(221): install the driver's libnvidia-ptxjit"},
    {"no-binary",
     check_cpu,
     "fake",
     {"TSR_FAKE_FAIL=cuModuleLoadDataEx:1:209"},
     "NO_BINARY_FOR_GPU (209): compile for this GPU"},
    {"module-later",
     check_module_later,
     "fake",
     {"TSR_FAKE_FAIL=cuModuleLoadDataEx:1:2"},
     "OUT_OF_MEMORY (2): the GPU's memory"},
    {"version",
     check_version,
     "fake",
     {"TSR_FAKE_STRICT=1"},
     "for version 2 of libtessera_rt, this is version 1: compile it"},
};

int main(int argc, char **argv)
{
  return scenario_main(argc, argv, scenarios, sizeof scenarios / sizeof *scenarios);
}
