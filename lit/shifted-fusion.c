// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nests one behind the other as one loop over rows, each so far behind the others as what it reads and overwrites asks for:
// arrays that are written in turn, all of which the caller sees; half of the rows, in every second time step; planes that
// have nothing to do with each other. What copies an array begins none, as memory is fastest in long runs. By default where
// all data is more than what caches have, and not for threads. The same results by command, row by row and in blocks.
//
// RUN: rm -rf %t && %split-file %s %t
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -tessera-only=smooth -mllvm -tessera-print=ast -Rpass=tessera -Rpass-analysis=tessera -c %t/all.c -o %t/default.o 2>&1 | %FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -tessera-only=smooth -mllvm -tessera-parallel -mllvm -tessera-print=ast -c %t/all.c -o %t/threads.o 2>&1 | %FileCheck %s --check-prefix=THREADS --allow-empty
// RUN: %clang -O1 -ffp-contract=off %t/all.c -o %t/plain && %t/plain > %t/expected
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-commands=%t/rows -mllvm -tessera-print=ast %t/all.c -o %t/fused 2>&1 | %FileCheck %s --check-prefix=ROWS
// RUN: %t/fused > %t/out && diff %t/expected %t/out
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-commands=%t/blocks -mllvm -tessera-print=ast %t/all.c -o %t/blocks.out 2>&1 | %FileCheck %s --check-prefix=BLOCKS
// RUN: %t/blocks.out > %t/out && diff %t/expected %t/out
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin %t/all.c -o %t/chosen && %t/chosen > %t/out && diff %t/expected %t/out
// RUN: %not %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-commands=%t/refused -c %t/all.c -o /dev/null 2>&1 | %FileCheck %s --check-prefix=REFUSED
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -tessera-only=smooth -mllvm -tessera-print=commands -c %t/all.c -o %t/default.o 2> %t/printed
// RUN: %FileCheck %s --check-prefix=PRINTED < %t/printed

// CHECK-LABEL: tessera: smooth.0
// CHECK:      // rows
// CHECK-NEXT: for (int c0 =
// CHECK-NEXT:   if (
// CHECK:          S0(c0, c1);
// CHECK:          S1(c0 - 1, c1);
// CHECK:          S2(c0 - 2, c1);
// CHECK:          S3(c0 - 3, c1);
// CHECK: remark: compared, by estimated cost, {{.*}} as it is: (taken) nests fused row by row
// CHECK: remark: loop nest transformed: {{.*}}, nests fused row by row; {{.*}}; runs where {{.*}} * {{.*}} >=

// THREADS-NOT: // rows

// ROWS-LABEL: tessera: smooth.0
// ROWS:       // rows
// ROWS:         S3(c0 - 3, c1);
// ROWS-LABEL: tessera: pyramid.0
// ROWS:       // rows
// ROWS:         if ({{.*}} % 2 == 0) {
// ROWS-LABEL: tessera: colours.0
// ROWS:       // rows
// ROWS-NEXT:  for (int c0 = 0; c0 <= 2; c0 += 1)
// ROWS:         for (int c1
// ROWS:             S0(c0, c1, c2);
// ROWS:             S1(c0, c1 - 2, c2);
// The copy runs in front.
// ROWS-LABEL: tessera: copied.0
// ROWS:           S0(c0, c1);
// ROWS:       // rows
// ROWS:           S2(c0 - 1, c1);

// BLOCKS-LABEL: tessera: smooth.0
// BLOCKS:       // rows
// BLOCKS-NEXT:  for (int c0
// BLOCKS:           S0(4 * c0 + c1, c2);
// BLOCKS:           S3(4 * c0 + c1 - 3, c2);

// REFUSED: refused:2:3: shifted_fusion: no nests one behind the other share rows that fit into a cache

// PRINTED:      smooth.0:
// PRINTED-NEXT:   shifted_fusion()
// PRINTED-NEXT:   vectorize()

//--- rows
smooth:
  shifted_fusion()
pyramid:
  shifted_fusion(1)
colours:
  shifted_fusion()
copied:
  shifted_fusion()
//--- blocks
smooth:
  shifted_fusion(4)
pyramid:
  shifted_fusion(3)
colours:
  shifted_fusion(2)
copied:
  shifted_fusion(5)
//--- refused
turned:
  shifted_fusion()
//--- all.c
#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline))
#define JACOBI(to, from)                                                                                                      \
  for (int i = 1; i < h - 1; i++)                                                                                             \
    for (int j = 1; j < w - 1; j++)                                                                                           \
      to[i][j] = from[i][j] + 0.2f * (f[i][j] - 4 * from[i][j] + from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);

NOINLINE void smooth(int h, int w, float t[restrict][w], float v[restrict][w], const float f[restrict][w])
{
  JACOBI(t, v)
  JACOBI(v, t)
  JACOBI(t, v)
  JACOBI(v, t)
}

NOINLINE void pyramid(int h, int w, float t[restrict][w], float v[restrict][w], const float f[restrict][w])
{
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++)
      t[i][j] = f[i][j] * f[i][j] - 1;
  for (int i = 1; i < h / 2; i++)
    for (int j = 1; j < w / 2; j++)
      v[i][j] = t[2 * i][2 * j] + (t[2 * i - 1][2 * j] + t[2 * i + 1][2 * j]) * 0.5f;
  for (int i = 2; i < h - 2; i++)
    for (int j = 2; j < w - 2; j++)
      t[i][j] -= v[i / 2][j / 2];
}

/* two filters, of each colour */
NOINLINE void colours(int h, int w, float t[restrict][3][w], float v[restrict][3][w], const float f[restrict][3][w])
{
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < h; i++)
      for (int j = 0; j < w; j++)
        t[i][c][j] = f[i][c][j] * 0.5f + f[i][c][w - 1 - j] * 0.25f;
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < h - 2; i++)
      for (int j = 0; j < w; j++)
        v[i][c][j] = t[i][c][j] + t[i + 1][c][j] * t[i + 2][c][j];
}

/* back into what was copied */
NOINLINE void copied(int h, int w, float t[restrict][w], float v[restrict][w], const float f[restrict][w])
{
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++)
      t[i][j] = f[i][j];
  for (int i = 0; i < h - 1; i++)
    for (int j = 0; j < w; j++)
      v[i][j] = t[i][j] * t[i + 1][j] + 1;
  for (int i = 0; i < h - 2; i++)
    for (int j = 0; j < w; j++)
      t[i][j] = v[i][j] - v[i + 1][j] * 0.5f;
}

/* by columns what was made by rows */
NOINLINE void turned(int n, float t[restrict][n], float v[restrict][n], const float f[restrict][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      t[i][j] = f[i][j] * 2 + 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      v[i][j] = t[j][i] * 3 + 1;
}

static void fill(int n, float *t, float *v, float *f)
{
  for (int i = 0; i < n; i++) {
    t[i] = i % 7 * 0.5f;
    v[i] = i % 5 - 2;
    f[i] = i % 11 * 0.25f;
  }
}

static void print(const char *name, int h, int w, int n, const float *t, const float *v)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += t[i] * (i % 13 + 1) + v[i] * (i % 17 + 1);
  printf("%s %d %d: %.17g\n", name, h, w, sum);
}

int main(void)
{
  static const int sizes[][2] = {{1, 1}, {2, 3}, {3, 3}, {4, 5}, {5, 8}, {7, 4}, {8, 9}, {9, 33}, {13, 64}, {31, 17}, {64, 65}};
  for (unsigned k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
    int h = sizes[k][0], w = sizes[k][1], n = 3 * (h + 2) * (w + 2) + h * h;
    float *t = malloc(n * sizeof(*t)), *v = malloc(n * sizeof(*v)), *f = malloc(n * sizeof(*f));
#define RUN(name, ...)                                                                                                        \
  fill(n, t, v, f);                                                                                                           \
  name(__VA_ARGS__, (void *)t, (void *)v, (void *)f);                                                                         \
  print(#name, h, w, n, t, v);
    RUN(smooth, h, w)
    RUN(pyramid, h, w)
    RUN(colours, h, w)
    RUN(copied, h, w)
    RUN(turned, h)
    free(t);
    free(v);
    free(f);
  }
}
