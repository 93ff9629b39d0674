// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where there is no memory for buffers, the original runs; errno stays as it was in any case, and what is allocated is freed.
//
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -ffp-contract=off -march=x86-64-v2 -fpass-plugin=%plugin -mllvm -tessera-keep-buffers=0 -mllvm -tessera-force \
// RUN:   -mllvm -tessera-only=product \
// RUN:   -mllvm -tessera-print=ast %s -o %t 2>&1 | %FileCheck %s
// RUN: %t > %t.out && diff %t.expected %t.out
// CHECK: load_{{.*}}_packed(
// CHECK: load_{{.*}}_packed(

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void __libc_free(void *p);

static int refuse, open_blocks, refused;

void *malloc(size_t size)
{
  if (size < 10000) /* not ours */
    return __libc_malloc(size);
  errno = ENOMEM;
  refused += refuse;
  open_blocks += !refuse;
  return refuse ? NULL : __libc_malloc(size);
}

void free(void *p)
{
  open_blocks -= p && open_blocks > 0;
  errno = EINVAL;
  __libc_free(p);
}

__attribute__((noinline)) void product(int n, double (*restrict c)[n], double (*restrict a)[n], double (*restrict b)[n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}

static double c[70][70], a[70][70], b[70][70];

int main(void)
{
  for (refuse = 0; refuse < 2; refuse++) {
    double sum = 0;
    for (int i = 0; i < 70; i++)
      for (int j = 0; j < 70; j++) {
        a[i][j] = i * 0.37 - j;
        b[i][j] = j * 0.29 - i;
        c[i][j] = i - j;
      }
    errno = 77;
    product(70, c, a, b);
    printf("%d %d\n", errno, open_blocks);
    for (int i = 0; i < 70; i++)
      for (int j = 0; j < 70; j++)
        sum = sum * 0.999 + c[i][j];
    printf("%.17g\n", sum);
  }
  return 0;
}
