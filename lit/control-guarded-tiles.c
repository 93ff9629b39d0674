// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Zeros that a nest skips, and has computed itself: triangular solves as reference BLAS has them, from the left. What says that
// a number was none is an array, and tiles ask for all of it that is theirs; where something is to be skipped they run one by
// one. Nothing is stored, and nothing loaded, where the original doesn't: some columns can't be read, and some not written.
//
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v4 -ffp-contract=off -fpass-plugin=%plugin -gline-tables-only -Rpass=tessera \
// RUN:   -mllvm -tessera-only='^solve_[du]' -mllvm -tessera-print=ast -S -emit-llvm %s -o %t.ll 2>&1 | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=IR --input-file=%t.ll
// RUN: %clang -O3 -march=x86-64-v4 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-only='^solve_complex' -S -emit-llvm %s \
// RUN:   -o - | %FileCheck %s --check-prefix=COMPLEX
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -Rpass=tessera %s -o %t 2> %t.remarks && %t > %t.out
// RUN: diff %t.expected %t.out && %FileCheck %s --check-prefix=FORCED --input-file=%t.remarks
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t && %t > %t.out
// RUN: diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin %s -o %t && %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-machine=znver4 %s -o %t && %t > %t.out && diff %t.expected %t.out

// CHECK: tessera: solve_down.0.expanded
// CHECK: // registers 6x4x8 over 1
// CHECK: // edges: S{{[0-9]}} x8
// CHECK: remark: loop nest transformed: {{.*}}register tiles of 6x4
// CHECK: tessera: solve_up.0.expanded
// CHECK: // registers 6x4x8 over 1
// CHECK: // edges: S{{[0-9]}} x8
// CHECK: remark: loop nest transformed: {{.*}}register tiles of 6x4
// FORCED-COUNT-2: register tiles of
// FORCED: register tiles of {{[0-9]+}}x{{[0-9]+}} vectors of 4
//
// Vectors ask for guards; nobody has the array that is but in the model.
// IR-LABEL: define {{.*}}@solve_down(
// IR: load <{{[0-9]+}} x i8>
// IR-NOT: call {{.*}}@tsr.expanded
// COMPLEX: call <16 x double> @llvm.masked.load.v16f64{{.*}} <i1 true, i1 false, i1 true, i1 false,

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define TEST __attribute__((noinline))

/* b := a^-1 * b, a lower triangular, columns of b */
TEST void solve_down(int m, int n, int unit, const double *restrict a, double *restrict b, int ld)
{
  for (int j = 0; j < n; j++)
    for (int k = 0; k < m; k++)
      if (b[k + j * ld] != 0) {
        if (!unit)
          b[k + j * ld] /= a[k + k * ld];
        for (int i = k + 1; i < m; i++)
          b[i + j * ld] -= b[k + j * ld] * a[i + k * ld];
      }
}

/* The same with a upper triangular */
TEST void solve_up(int m, int n, int unit, const double *restrict a, double *restrict b, int ld)
{
  for (int j = 0; j < n; j++)
    for (int k = m - 1; k >= 0; k--)
      if (b[k + j * ld] != 0) {
        if (!unit)
          b[k + j * ld] /= a[k + k * ld];
        for (int i = 0; i < k; i++)
          b[i + j * ld] -= b[k + j * ld] * a[i + k * ld];
      }
}

/* Floats; what is at most 1, or no number, is left alone. */
TEST void float_down(int m, int n, const float *restrict a, float *restrict b, int ld)
{
  for (int j = 0; j < n; j++)
    for (int k = 0; k < m; k++) {
      if (!(b[k + j * ld] > 1))
        continue;
      for (int i = k + 1; i < m; i++)
        b[i + j * ld] -= b[k + j * ld] * a[i + k * ld];
    }
}

struct complex {
  double re, im;
};

/* Complex numbers: what a lane reads is two elements from what the next one does. */
TEST void solve_complex(int m, int n, const struct complex *restrict a, struct complex *restrict b, int ld)
{
  for (int j = 0; j < n; j++)
    for (int k = 0; k < m; k++)
      if ((b[k + j * ld].re != 0) | (b[k + j * ld].im != 0)) {
        for (int i = k + 1; i < m; i++) {
          struct complex x = b[k + j * ld], y = a[i + k * ld];
          b[i + j * ld].re -= x.re * y.re - x.im * y.im;
          b[i + j * ld].im -= x.re * y.im + x.im * y.re;
        }
      }
}

enum { LD = 512 }; /* columns of doubles are pages */
static double *a, *b;
static float *fa, *fb;

static double *pages(size_t size)
{
  void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    exit(2);
  return p;
}

/* ZEROS of 100 elements of b, and as many pairs that cancel each other out: a's are small powers of two. Numbers that are
 * none in a row that is skipped. */
static void fill(unsigned s, int n, int zeros)
{
  srand(s);
  for (int j = 0; j < LD; j++)
    for (int i = 0; i < LD; i++) {
      int r = rand() % 1000;
      a[i + j * LD] = i == j ? 2 : r < 8 ? ldexp(r % 2 ? 1 : -1, -(r % 3)) : r < 10 && zeros ? INFINITY : r % 7 * 0x1p-7;
      fa[i + j * LD] = (float)(rand() % 9 - 3) / 64;
      r = rand() % 100;
      if (j < n) {
        b[i + j * LD] = r < zeros ? (r % 2 ? 0.0 : -0.0) : r % 4 - 1.5 + (r % 4 < 2) * 0.5;
        fb[i + j * LD] = (float)(rand() % 9 - zeros % 3) + 0.25f;
      }
    }
}

static void report(const char *name, int m, int n, int flag, int zeros)
{
  unsigned long h = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < LD; i++) {
      union {
        double d;
        unsigned long u;
      } x = {b[i + j * LD]}, y = {fb[i + j * LD]};
      if (x.d != x.d)
        x.u = 1;
      if (y.d != y.d)
        y.u = 2;
      h = (h ^ x.u ^ y.u << 1) * 0x9e3779b97f4a7c15u;
      h ^= h >> 29;
    }
  printf("%s %d %d %d %d %lx\n", name, m, n, flag, zeros, h);
}

/* Row and column 7 of an m x m matrix are not there, if row 7 of b has zeros alone that stay there; column 3 of b is 0, and
 * may not be written. */
static void hidden(int m, int n, int up)
{
  fill(99, n, 3);
  for (int j = 0; j < n; j++)
    b[7 + j * LD] = 0;
  for (int j = 0; j < LD; j++)
    a[7 + j * LD] = 0;
  for (int i = 0; i < LD; i++)
    for (int j = 0; j < LD; j++)
      if (a[i + j * LD] - a[i + j * LD] != 0)
        a[i + j * LD] = 1;
  for (int i = 0; i < LD; i++)
    b[i + 3 * LD] = 0;
  mprotect(a + 7 * LD, LD * sizeof(double), PROT_NONE);
  mprotect(b + 3 * LD, LD * sizeof(double), PROT_READ);
  if (up)
    solve_up(m, n, 0, a, b, LD);
  else
    solve_down(m, n, 0, a, b, LD);
  mprotect(a + 7 * LD, LD * sizeof(double), PROT_READ | PROT_WRITE);
  mprotect(b + 3 * LD, LD * sizeof(double), PROT_READ | PROT_WRITE);
  report(up ? "hidden up" : "hidden down", m, n, 0, 3);
}

int main(void)
{
  static const int size[][2] = {{0, 5},   {5, 0},   {1, 1},     {7, 3},    {3, 7},    {6, 32},  {7, 33},  {13, 31}, {48, 12},
                                {47, 65}, {97, 8},  {101, 100}, {257, 130}, {259, 33}, {500, 33}, {385, 9}, {391, 70}, {511, 32}};
  static const int zeros[] = {0, 2, 10, 60};
  a = pages(sizeof(double) * LD * LD), b = pages(sizeof(double) * LD * LD);
  fa = (float *)pages(sizeof(float) * LD * LD), fb = (float *)pages(sizeof(float) * LD * LD);
  for (unsigned i = 0; i < sizeof(size) / sizeof(*size); i++)
    for (int flag = 0; flag < 2; flag++)
      for (int z = 0; z < 4; z++) {
        int m = size[i][0], n = size[i][1];
        fill(i * 4 + (unsigned)flag, n, zeros[z]);
        solve_down(m, n, flag, a, b, LD);
        report("down", m, n, flag, zeros[z]);
        fill(i * 4 + (unsigned)flag + 1, n, zeros[z]);
        solve_up(m, n, flag, a, b, LD);
        report("up", m, n, flag, zeros[z]);
        float_down(m, n, fa, fb, LD);
        report("float", m, n, flag, zeros[z]);
        solve_complex(m / 2, n, (struct complex *)a, (struct complex *)b, LD / 2);
        report("complex", m / 2, n, flag, zeros[z]);
      }
  for (int up = 0; up < 2; up++) {
    hidden(401, 40, up);
    hidden(64, 9, up);
    hidden(33, 500, up);
  }
  return 0;
}
