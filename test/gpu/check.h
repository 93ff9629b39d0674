/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the programs check_*.c share: a device, modules from files, memory with contents, counting. */
#ifndef CHECK_H
#define CHECK_H

#include "cu.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;

/* Counts a case, and says what failed. */
__attribute__((unused)) static int check(int good, const char *what)
{
  passed += good != 0;
  failed += !good;
  if (!good)
    printf("FAIL %s\n", what);
  return good;
}

/* A call that must succeed */
#define NEED(CALL)                                                                                                          \
  do {                                                                                                                      \
    CUresult code_ = (CALL);                                                                                                \
    if (code_) {                                                                                                            \
      printf("FAIL %s: %d\n1 passed, 1 failed, 0 skipped\n", #CALL, code_);                                                 \
      exit(1);                                                                                                              \
    }                                                                                                                       \
  } while (0)

__attribute__((unused)) static int finish(void)
{
  printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed > 0;
}

__attribute__((unused)) static void start(void)
{
  CUcontext context;
  NEED(cuInit(0));
  NEED(cuDevicePrimaryCtxRetain(&context, 0));
  NEED(cuCtxPushCurrent_v2(context));
}

/* The text of a file */
__attribute__((unused)) static char *read_file(const char *name)
{
  FILE *file = fopen(name, "rb");
  if (!file) {
    perror(name);
    exit(1);
  }
  char *text = NULL;
  size_t n = 0, got;
  do {
    text = realloc(text, n + 65537);
    got = fread(text + n, 1, 65536, file);
    n += got;
  } while (got);
  text[n] = 0;
  fclose(file);
  return text;
}

__attribute__((unused)) static CUmodule load(const char *name)
{
  CUmodule module;
  char *text = read_file(name);
  NEED(cuModuleLoadDataEx(&module, text, 0, NULL, NULL));
  free(text);
  return module;
}

__attribute__((unused)) static CUdeviceptr to_device(const void *host, size_t bytes)
{
  CUdeviceptr d;
  NEED(cuMemAlloc_v2(&d, bytes));
  NEED(cuMemcpyHtoD_v2(d, host, bytes));
  return d;
}

/* Launches and waits: the fault's code */
__attribute__((unused)) static CUresult launch(CUmodule module, const char *name, const unsigned grid[2],
                                               const unsigned block[2], unsigned shared, void **args)
{
  CUfunction f;
  NEED(cuModuleGetFunction(&f, module, name));
  CUresult code = cuLaunchKernel(f, grid[0], grid[1], 1, block[0], block[1], 1, shared, NULL, args, NULL);
  return code ? code : cuCtxSynchronize();
}

#define ARGS(...) ((void *[]){__VA_ARGS__})
#define PAIR(...) ((const unsigned[2]){__VA_ARGS__})

#endif
