// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads share diamonds of a stencil that can all start at once; in-place stencils have wavefronts. All sizes, all times.
//
// REQUIRES: gomp
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel -mllvm -tessera-schedule=pluto \
// RUN:   -mllvm -tessera-only='^line|^sweep' -mllvm -tessera-print=ast -mllvm -tessera-tile-sizes=4 -c -o /dev/null %s 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=AST
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel -mllvm -tessera-schedule=pluto \
// RUN:   -mllvm -tessera-tile-sizes=4 -gline-tables-only -Rpass=tessera %s -lgomp -o %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=1 %t > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=2 %t > %t.out && diff %t.expected %t.out
// RUN: env OMP_NUM_THREADS=5 %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-schedule=pluto \
// RUN:   -mllvm -tessera-tile-sizes=4 %s -o %t && %t > %t.out && diff %t.expected %t.out

// The first wavefronts run through all of the line, at time 0: the tiles of c1 reach down to -n / 4.
// AST: tessera: line.0
// AST: for (int [[W:c[0-9]+]] = -1;
// AST-NEXT: parallel
// AST-NEXT: for (int [[T:c[0-9]+]] =
// AST: for (int [[P:c[0-9]+]] =
// AST: S0([[P]],
// AST: tessera: sweep.0
// AST: for (int [[W:c[0-9]+]] = 0;
// AST-NEXT: parallel
// AST-NEXT: for (int [[T:c[0-9]+]] =

// CHECK-COUNT-4: loop nest transformed: {{.*}} 1 parallel

#include <stdio.h>
#include <string.h>

#define MAX 41

__attribute__((noinline)) void line(int steps, int n, double a[restrict MAX], double b[restrict MAX])
{
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
    for (int i = 1; i < n - 1; i++)
      a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1]);
  }
}

__attribute__((noinline)) void sweep(int steps, int n, double a[restrict MAX][MAX])
{
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = (a[i - 1][j] + a[i][j - 1] + a[i][j] + a[i][j + 1] + a[i + 1][j]) / 5;
}

__attribute__((noinline)) void plate(int steps, int n, double a[restrict MAX][MAX], double b[restrict MAX][MAX])
{
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = 0.2 * (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i + 1][j] + b[i - 1][j]);
  }
}

__attribute__((noinline)) void waves(int steps, int n, double x[restrict MAX][MAX], double y[restrict MAX][MAX],
                                     double h[restrict MAX][MAX], double f[restrict MAX])
{
  for (int t = 0; t < steps; t++) {
    for (int j = 0; j < n; j++)
      y[0][j] = f[t];
    for (int i = 1; i < n; i++)
      for (int j = 0; j < n; j++)
        y[i][j] -= 0.5 * (h[i][j] - h[i - 1][j]);
    for (int i = 0; i < n; i++)
      for (int j = 1; j < n; j++)
        x[i][j] -= 0.5 * (h[i][j] - h[i][j - 1]);
    for (int i = 0; i < n - 1; i++)
      for (int j = 0; j < n - 1; j++)
        h[i][j] -= 0.7 * (x[i][j + 1] - x[i][j] + y[i + 1][j] - y[i][j]);
  }
}

static double a[MAX][MAX], b[MAX][MAX], h[MAX][MAX], f[MAX];

static void fill(void *to, size_t size, int seed)
{
  for (size_t i = 0; i < size / sizeof(double); i++)
    ((double *)to)[i] = (double)((i * 7 + (size_t)seed) % 31) * 0.25;
}

static void fill_all(void)
{
  fill(a, sizeof(a), 1);
  fill(b, sizeof(b), 2);
  fill(h, sizeof(h), 3);
  fill(f, sizeof(f), 4);
}

static void print(const char *name, int steps, int n)
{
  unsigned long sum = 0, bits;
  double *const arrays[] = {a[0], b[0], h[0]};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < MAX * MAX; i++) {
      memcpy(&bits, arrays[k] + i, sizeof(bits));
      sum = sum * 31 + bits;
    }
  printf("%s %d %d %lx\n", name, steps, n, sum);
}

int main(void)
{
  static const int steps[] = {0, 1, 2, 3, 4, 5, 7, 13}, sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 31, 41};
  for (int s = 0; s < 8; s++)
    for (int k = 0; k < 12; k++) {
      fill_all();
      line(steps[s], sizes[k], a[0], b[0]);
      print("line", steps[s], sizes[k]);
      sweep(steps[s], sizes[k], a);
      print("sweep", steps[s], sizes[k]);
      fill_all();
      plate(steps[s], sizes[k], a, b);
      print("plate", steps[s], sizes[k]);
      fill_all();
      waves(steps[s], sizes[k], a, b, h, f);
      print("waves", steps[s], sizes[k]);
    }
}
