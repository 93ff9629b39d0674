// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dynamic programming over intervals: threads share panels of columns of the result, each of which waits for the one before,
// block of rows by block of rows. What happens at the first step alone (pairs of neighbours) is spread over the blocks: else
// it would have loops of its own. On one core there is nothing to gain from panels.
//
// DEFINE: %{options} = -ffp-contract=off -fpass-plugin=%plugin
// REQUIRES: gomp
// RUN: %clang -O3 %{options} -mllvm -tessera-parallel -mllvm -tessera-print=ast -c %s -o /dev/null 2>&1 | %FileCheck %s
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 %{options} -mllvm -tessera-parallel %s -lgomp -o %t
// RUN: env OMP_NUM_THREADS=1 %t > %t.1 && diff %t.expected %t.1
// RUN: env OMP_NUM_THREADS=2 %t > %t.2 && diff %t.expected %t.2
// RUN: env OMP_NUM_THREADS=5 %t > %t.5 && diff %t.expected %t.5

// CHECK:      tessera: fold.0
// CHECK-NEXT: // doacross
// CHECK-NEXT: for (int c0 = 0; c0 <= floord(p_0 - 2, 256); c0 += 1)
// CHECK-NEXT:   for (int c1 = 16 * c0; c1 <= (p_0 - 1) / 16; c1 += 1) {
// CHECK:      /* on one thread */
// CHECK-NOT:  256

#include <stdio.h>
#include <stdlib.h>

#define MOST(a, b) ((a) >= (b) ? (a) : (b))

__attribute__((noinline)) static void fold(int n, const char s[], int t[][n])
{
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) {
      if (j - 1 >= 0)
        t[i][j] = MOST(t[i][j], t[i][j - 1]);
      if (i + 1 < n)
        t[i][j] = MOST(t[i][j], t[i + 1][j]);
      if (j - 1 >= 0 && i + 1 < n) {
        if (i < j - 1)
          t[i][j] = MOST(t[i][j], t[i + 1][j - 1] + (s[i] + s[j] == 3 ? 1 : 0));
        else
          t[i][j] = MOST(t[i][j], t[i + 1][j - 1]);
      }
      for (int k = i + 1; k < j; k++)
        t[i][j] = MOST(t[i][j], t[i][k] + t[k + 1][j]);
    }
}

int main(void)
{
  static const int size[] = {0, 1, 2, 3, 17, 255, 256, 257, 258, 511, 600};
  for (int q = 0; q < 11; q++) {
    int n = size[q];
    int *t = calloc((size_t)n * n + 1, sizeof(*t));
    char *s = malloc(n + 1);
    unsigned sum = 0, x = 1;
    for (int i = 0; i < n; i++)
      s[i] = (char)((x = x * 1103515245 + 12345) >> 16 & 3);
    fold(n, s, (void *)t);
    for (int i = 0; i < n * n; i++)
      sum = sum * 31 + (unsigned)t[i];
    printf("%d %d %u\n", n, n ? t[n - 1] : 0, sum);
    free(t);
    free(s);
  }
  return 0;
}
