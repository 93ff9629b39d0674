/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A driver without a GPU: a libcuda.so.1 whose device memory is the host's and whose kernels are C functions, looked up by
 * name. It does what is asked for in a stream as late as it may, when the stream is waited for, so that memory that is freed
 * or read too early is noticed. Device addresses aren't host addresses, and fresh device memory is full of 0xa5.
 *
 *     TSR_FAKE_FAIL="ENTRY:NTH:CODE,.."   the NTH call of ENTRY returns CODE; after 700 to 799 and 999 all others do, too
 *     TSR_FAKE_MEMORY=BYTES               of the device; much if it isn't set
 *     TSR_FAKE_STRICT=1                   what isn't given back when the process ends is told on stderr
 *
 * Kernels (their arguments), each of any grid and block:
 *
 *     add(double *a, double *b, double *c, int64_t n)                  c[i] = a[i] + b[i]
 *     scale(double *m, int64_t rows, int64_t cols, int64_t pitch)      m[i * pitch + j] *= 2, i by y, j by x
 *     fill(char *p, int64_t n, int value)
 *     nothing()
 *     wild()                                                           an illegal address
 *     shared()                                                         needs 64 KiB of shared memory */
#ifndef TESSERA_FAKE_DRIVER_H
#define TESSERA_FAKE_DRIVER_H

#include "cuda_driver.h"

/* What a test may ask the driver: dlsym(.., "fake_driver") is one of these. */
struct fake_driver {
  long (*calls)(const char *entry);                                /* so far */
  void (*fail)(const char *entry, long nth, cu_result code);       /* the NTH call from now on, 1: the next one */
  void (*before)(const char *entry, long nth, void (*hook)(void)); /* call HOOK before it does its work */
  long (*failed)(void);                                            /* calls that were made to fail so far */
  long (*contexts)(void);                                          /* current ones of this thread, one on the other */
  long (*blocks)(void);                                            /* of device memory */
  long (*buffers)(void);                                           /* of page-locked memory */
};

#endif
