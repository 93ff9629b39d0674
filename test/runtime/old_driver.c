/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A libcuda.so.1 that lacks what the runtime needs. */
__attribute__((visibility("default"))) int cuInit(unsigned flags);

int cuInit(unsigned flags)
{
  return flags != 0;
}
