// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index sets are split where dependences turn: those of an iteration t are on the other side of the middle, at g - t. Within
// each half iterations are independent. With an odd number of iterations the one in the middle stands alone.
//
// RUN: %clang -O3 -march=znver5 -gline-tables-only -fpass-plugin=%plugin -mllvm -tessera-print=ast -Rpass=tessera -c -o /dev/null %s 2>&1 | %FileCheck %s
// RUN: %clang -O1 -DRUN %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -DRUN -march=x86-64-v3 -fpass-plugin=%plugin %s -o %t.tsr && %t.tsr | diff %t.expected -
// RUN: %clang -O3 -DRUN -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t.force && %t.force | diff %t.expected -
// RUN: %clang -O3 -DRUN -fpass-plugin=%plugin -mllvm -tessera-position=late -mllvm -tessera-force %s -o %t.late && %t.late | diff %t.expected -
#include <stdio.h>
#define N 32001
#define ROWS 7
#define NOINLINE __attribute__((noinline))
static float a[N], b[N], c[N], rows[ROWS][4000];

// CHECK-LABEL: tessera: even.0
// CHECK:       // vector
// CHECK-NEXT:  for (int c0 = 0; c0 <= 15999; c0 += 1)
// CHECK-NEXT:    S0(c0);
// CHECK-NEXT:  // vector
// CHECK-NEXT:  for (int c0 = 16000; c0 <= 31999; c0 += 1)
// CHECK:       remark: loop nest transformed
NOINLINE void even(void)
{
  for (int i = 0; i < N - 1; i++) {
    float x = a[N - 2 - i] + b[i] * c[i];
    a[i] = x - 1.0f;
    b[i] = x;
  }
}

// CHECK-LABEL: tessera: odd.0
// CHECK:       // vector
// CHECK-NEXT:  for (int c0 = 0; c0 <= 15999; c0 += 1)
// CHECK-NEXT:    S0(c0);
// CHECK-NEXT:  S0(16000);
// CHECK-NEXT:  // vector
// CHECK-NEXT:  for (int c0 = 16001; c0 <= 32000; c0 += 1)
// CHECK:       remark: loop nest transformed
NOINLINE void odd(void)
{
  for (int i = 0; i < N; i++) {
    float x = a[N - 1 - i] + b[i] * c[i];
    a[i] = x - 1.0f;
    b[i] = x;
  }
}

// In each row, at sizes that come at run time.
NOINLINE void each_row(int m, int n)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      rows[i][j] = rows[i][n - 1 - j] * 0.5f + b[j];
}

// The middle moves with the row.
NOINLINE void moving(int m, int n)
{
  for (int i = 0; i < m; i++)
    for (int j = i; j < n - 2 * i; j++)
      rows[i][j] = rows[i][n - 1 - i - j] * 0.5f + b[j];
}

#ifdef RUN
static void show(const char *name, int n)
{
  double sum = 0;
  for (int i = 0; i < N; i++)
    sum = sum * 0.9 + a[i] + 2 * b[i];
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < 4000; j++)
      sum = sum * 0.99 + rows[i][j];
  printf("%s %d %a\n", name, n, sum);
}

int main(void)
{
  static const int size[] = {0, 1, 2, 3, 4, 5, 8, 15, 16, 17, 31, 32, 33, 64, 97, 100, 1000, 3999, 4000};
  for (int i = 0; i < N; i++) {
    a[i] = i % 7 * 0.25f;
    b[i] = i % 11 * 0.5f;
    c[i] = i % 13 * 0.0625f;
  }
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < 4000; j++)
      rows[i][j] = i * j % 17;
  even();
  show("even", N);
  odd();
  show("odd", N);
  for (unsigned k = 0; k < sizeof(size) / sizeof(*size); k++)
    for (int m = 0; m <= ROWS; m += 3) {
      each_row(m, size[k]);
      show("each_row", size[k]);
      moving(m, size[k]);
      show("moving", size[k]);
    }
}
#endif
