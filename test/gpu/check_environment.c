/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the environment says of the device.  Usage: INIT SM VERSION MEMORY: the code of cuInit, the compute capability, the
 * code of loading PTX 8.0, how many times 1 MiB can be allocated (at most 64) */
#include "check.h"

int main(int argc, char **argv)
{
  if (argc != 5)
    return fprintf(stderr, "usage: %s INIT SM VERSION MEMORY\n", argv[0]), 2;
  int code = atoi(argv[1]), sm = atoi(argv[2]), version = atoi(argv[3]), most = atoi(argv[4]), major, minor, n = 0;
  check(cuInit(0) == code, "cuInit");
  if (code) {
    check(cuDeviceGetCount(&n) == 3, "nothing is initialised");
    return finish();
  }
  start();
  NEED(cuDeviceGetAttribute(&major, 75, 0));
  NEED(cuDeviceGetAttribute(&minor, 76, 0));
  check(10 * major + minor == sm, "compute capability");
  CUmodule m;
  check(cuModuleLoadData(&m, ".version 8.0\n.target sm_75\n") == version, "the version of PTX");
  check(!cuModuleLoadData(&m, ".version 7.8\n.target sm_75\n"), "an older version");
  CUdeviceptr d;
  while (n < 64 && !cuMemAlloc_v2(&d, 1 << 20))
    n++;
  check(n == most, "memory");
  NEED(cuDevicePrimaryCtxRelease_v2(0));
  return finish();
}
