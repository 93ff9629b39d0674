// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A complex product in place, s * b[j][k] times rows of a triangle: what the original has in registers new code has in the element
// that it comes from. LLVM's vectors don't have to tell that apart from what they store: the original is one of vectors, as a
// loop in its order would be, and runs where tiles don't pay. Short rows took 1.4 times as long. Where rows are of another
// column of what is stored (other), they have to, and can't.
//
// RUN: %clang -O3 -march=x86-64-v4 -mllvm -tessera-machine=znver4 -fpass-plugin=%plugin -Rpass=tessera -Rpass-analysis=tessera -c %s -o /dev/null 2>&1 \
// RUN:   | %FileCheck %s
// CHECK: estimate-homes.c:[[#@LINE+6]]:3: remark: compared, by estimated cost, [[A:[1-9]]]{{(\.[0-9]+)?}}e+0[[B:[0-9]]] as it is: {{.*}}original order, untiled [[A]]{{(\.[0-9]+)?}}e+0[[B]]
typedef struct {
  double re, im;
} number;
void product(int m, int n, double s, number a[restrict m][m], number b[restrict n][m])
{
  for (int j = 0; j < n; j++)
    for (int k = 0; k < m; k++) {
      number t = {s * b[j][k].re, s * b[j][k].im};
      for (int i = 0; i < k; i++) {
        b[j][i].re += t.re * a[k][i].re - t.im * a[k][i].im;
        b[j][i].im += t.re * a[k][i].im + t.im * a[k][i].re;
      }
      b[j][k].re = t.re * a[k][k].re - t.im * a[k][k].im;
      b[j][k].im = t.re * a[k][k].im + t.im * a[k][k].re;
    }
}

// CHECK: estimate-homes.c:[[#@LINE+3]]:3: remark: loop nest transformed: {{.*}}runs where p_0 - 1 >= 48 
void other(int m, int n, number a[restrict n][n], number b[restrict n][m])
{
  for (int j = 0; j < n; j++)
    for (int k = 0; k < j; k++)
      for (int i = 0; i < m; i++) {
        double re = a[j][k].re * b[k][i].re - a[j][k].im * b[k][i].im;
        b[j][i].im = b[j][i].im - (a[j][k].re * b[k][i].im + a[j][k].im * b[k][i].re);
        b[j][i].re = b[j][i].re - re;
      }
}
