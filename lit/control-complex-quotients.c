// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products and quotients of complex numbers call the compiler's library, which computes them from four numbers and does
// nothing else: nests with such calls are modelled, and give the same, bit for bit, with infinities and zeros, too. A function
// of that name that a program defines itself may do anything.
//
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -Rpass-analysis=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 \
// RUN:   | %FileCheck %s
// RUN: %clang -O2 -ffp-contract=off -DOWN -fpass-plugin=%plugin -Rpass-analysis=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=OWN
// RUN: %clang -O1 -ffp-contract=off %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force %s -lm -o %t && %t > %t.out \
// RUN:   && diff %t.expected %t.out
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -lm -o %t \
// RUN:   && %t > %t.out && diff %t.expected %t.out

#include <complex.h>
#include <stdio.h>

#define N 70
#define NOINLINE __attribute__((noinline))

#ifdef OWN
static int calls;
NOINLINE double _Complex __divdc3(double a, double b, double c, double d)
{
  calls++;
  return __builtin_complex(a + c, b - d);
}
#endif

// CHECK-DAG: [[#@LINE+4]]:3: remark: loop nest modelled: {{.*}}depth 3
// OWN: may do anything: double complex t
NOINLINE void solve(long n, long m, double complex B[restrict N][N], double complex A[restrict N][N])
{
  for (long j = 0; j < n; j++) {
    for (long k = 0; k < j; k++)
      for (long i = 0; i < m; i++)
        B[j][i] -= __builtin_complex(creal(A[j][k]) * creal(B[k][i]) - cimag(A[j][k]) * cimag(B[k][i]),
                                     creal(A[j][k]) * cimag(B[k][i]) + cimag(A[j][k]) * creal(B[k][i]));
    double complex t = 1 / A[j][j];
    for (long i = 0; i < m; i++)
      B[j][i] = __builtin_complex(creal(t) * creal(B[j][i]), cimag(t) * cimag(B[j][i]));
  }
}

// CHECK-DAG: [[#@LINE+3]]:3: remark: loop nest modelled: {{.*}}depth 2
NOINLINE void single(long n, long m, float complex B[restrict N][N], float complex A[restrict N][N])
{
  for (long j = 0; j < n; j++)
    for (long i = 0; i < m; i++)
      B[j][i] = B[j][i] / A[i][j] + A[j][i] / 3.0f;
}

static double complex A[N][N], B[N][N];
static float complex C[N][N], D[N][N];

int main(void)
{
  static const long sizes[] = {0, 1, 2, 3, 31, 32, 33, 64, 67};
  for (int s = 0; s < 9; s++)
    for (int odd = 0; odd < 2; odd++) {
      long n = sizes[s], m = n - odd > 0 ? n - odd : 0;
      for (long i = 0; i < N; i++)
        for (long j = 0; j < N; j++) {
          A[i][j] = __builtin_complex((i * 7 + j * 3) % 11 - 3., (i + 2 * j) % 5 + 0.);
          B[i][j] = __builtin_complex((i * 5 + j) % 13 + 0., (i * j) % 7 - 3.);
          C[i][j] = __builtin_complex((i * 7 + j * 3) % 11 - 3.f, (i + 2 * j) % 5 + 0.f);
          D[i][j] = __builtin_complex((i * 5 + j) % 13 + 0.f, (i * j) % 7 - 3.f);
        }
      A[5][5] = B[3][1] = 0;
      A[7][7] = __builtin_complex(1.0 / 0.0, 2.0);
      C[1][2] = __builtin_complex(1.0f / 0.0f, 0.0f);
      solve(n, m, B, A);
      single(n, m, D, C);
      for (long i = 0; i < N; i++)
        for (long j = 0; j < N; j++)
          printf("%a %a %a %a\n", creal(B[i][j]), cimag(B[i][j]), crealf(D[i][j]), cimagf(D[i][j]));
    }
}
