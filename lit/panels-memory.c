// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where there is no memory for panels, the original runs; errno stays as it was in any case, whatever malloc and free, which the
// compiler doesn't see, make of it; and what is allocated is freed: a panel of as many rows as there are for each thread.
//
// REQUIRES: gomp
// RUN: %clang -O2 -DALLOCATOR -c %s -o %t.allocator.o
// RUN: %clang -O1 -ffp-contract=off %s %t.allocator.o -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -ffp-contract=off -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -tessera-keep-buffers=0 \
// RUN:   -mllvm -tessera-only=panels_of -mllvm -tessera-machine=haswell \
// RUN:   -mllvm -tessera-print=ast -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang %t.o %t.allocator.o -o %t && %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O2 -ffp-contract=off -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -tessera-keep-buffers=0 \
// RUN:   -mllvm -tessera-only=panels_of -mllvm -tessera-machine=haswell \
// RUN:   -mllvm -tessera-parallel -c %s -o %t.o
// RUN: %clang %t.o %t.allocator.o -lgomp -o %t && env OMP_NUM_THREADS=3 %t > %t.out && diff %t.expected %t.out
// CHECK: allocate

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

extern int refuse, open_blocks;

#ifdef ALLOCATOR
void *__libc_malloc(size_t size);
void __libc_free(void *p);

int refuse, open_blocks;

enum { LEAST = 70 * 64 * 8, MOST = 3 * LEAST + 100 }; /* what panels of some threads take */

void *malloc(size_t size)
{
  if (size < LEAST || size > MOST)
    return __libc_malloc(size);
  errno = ENOMEM;
  open_blocks += !refuse;
  return refuse ? NULL : __libc_malloc(size);
}

void free(void *p)
{
  open_blocks -= p && open_blocks > 0;
  __libc_free(p);
  errno = EINVAL;
}
#else
__attribute__((noinline)) void panels_of(int m, int n, double A[restrict m][n], double s[restrict n], double Q[restrict m][n])
{
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < m; i++)
      Q[i][k] = A[i][k] * 0.01;
    for (int j = k + 1; j < n; j++) {
      s[j] = 0;
      for (int i = 0; i < m; i++)
        s[j] += Q[i][k] * A[i][j];
      for (int i = 0; i < m; i++)
        A[i][j] -= Q[i][k] * s[j];
    }
  }
}

static double s[200], Q[70][200];

int main(void)
{
  double (*A)[200] = malloc(70 * sizeof(*A)); /* so that the compiler thinks it knows malloc */
  for (refuse = 0; refuse < 2; refuse++) {
    double sum = 0;
    for (int i = 0; i < 70; i++)
      for (int j = 0; j < 200; j++)
        A[i][j] = 1 + (i * 7 + j * 3) % 13;
    errno = 77;
    panels_of(70, 200, A, s, Q);
    printf("%d %d\n", errno, open_blocks);
    for (int i = 0; i < 70; i++)
      for (int j = 0; j < 200; j++)
        sum = sum * 0.999 + A[i][j] + Q[i][j];
    printf("%.17g\n", sum);
  }
  free(A);
  return 0;
}
#endif
