/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What every file of forms uses: data to start from, and a line of output for each form. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORM __attribute__((noinline))

/* Numbers that add and multiply without rounding. */
static void fill(double *a, long n)
{
  for (long i = 0; i < n; i++)
    a[i] = (double)((i * 7 + 3) % 11 - 5);
}

/* A hash of N bytes at A, under NAME. */
static void show(const char *name, const void *a, long n)
{
  uint64_t hash = 1469598103934665603u;
  for (long i = 0; i < n; i++)
    hash = (hash ^ ((const unsigned char *)a)[i]) * 1099511628211u;
  printf("%s %016llx\n", name, (unsigned long long)hash);
}
