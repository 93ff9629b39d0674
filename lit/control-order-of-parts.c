// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second nest, in an arm that isn't left in one place, is found first; what it takes from the first, which is replaced, too,
// is what the new code of that computes.
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.want
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -Rpass=tessera %s -o %t.early \
// RUN:   2>&1 | %FileCheck %s --implicit-check-not=error
// RUN: %t.early | diff %t.want -
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -Rpass=tessera %s -o %t.late \
// RUN:   -mllvm -tessera-position=late 2>&1 | %FileCheck %s --implicit-check-not=error
// RUN: %t.late | diff %t.want -
// CHECK-COUNT-4: loop nest transformed
#include <stdio.h>

// Where the first nest ended.
__attribute__((noinline)) int test_end(int n, int m, int flag, float *restrict a, float *restrict b)
{
  int k = 0;
  if (n > 3) {
    for (int i = 0; i < n; i++)
      a[i] = 2 * a[i] + 1;
    k = n - 2;
  }
  if (flag) {
    if (m <= 0)
      return 0;
    for (int i = 0; i < m; i++)
      b[i] = a[k + i] - 1;
  }
  return k + m;
}

// What it summed up.
__attribute__((noinline)) int test_sum(int n, int m, int flag, int *restrict a, int *restrict b)
{
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i];
  if (flag) {
    if (m <= 0)
      return 1;
    for (int i = 0; i < m; i++)
      b[i] = a[i] - sum;
  }
  return sum + m;
}

int main(void)
{
  static float a[300], b[300];
  static int c[300], d[300];
  for (int i = 0; i < 300; i++)
    a[i] = i % 17, c[i] = i % 13 - 5;
  static const int sizes[] = {-1, 0, 1, 3, 4, 31, 32, 33, 97};
  for (int i = 0; i < 9; i++)
    for (int j = 0; j < 9; j++)
      for (int flag = 0; flag < 2; flag++) {
        int x = test_end(sizes[i], sizes[j], flag, a, b), y = test_sum(sizes[i], sizes[j], flag, c, d);
        float sum = 0;
        for (int l = 0; l < 300; l++)
          sum = sum * 0.5f + b[l] + a[l] + d[l];
        printf("%d %d %d: %d %d %g\n", sizes[i], sizes[j], flag, x, y, sum);
      }
}
