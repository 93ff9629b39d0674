// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Innermost loops that are left in the middle are one statement of a nest: what is beside them gains, and what is around them
// has threads. Values and stores on the way out, several ways, loops that are left out. The same bit for bit.
//
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -g -Rpass=tessera -Rpass-analysis=tessera %s -c -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -ffp-contract=off -DMAIN %s %t.o -lm -o %t && %t
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -c -o %t.o
// RUN: %clang -O2 -ffp-contract=off -DMAIN %s %t.o -lm -o %t && %t
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-parallel -mllvm -tessera-tile-sizes=3,5 %s -c -o %t.o
// RUN: %clang -O2 -ffp-contract=off -DMAIN %s %t.o -lm -lgomp -o %t && env OMP_NUM_THREADS=3 %t
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin %s -c -o %t.o
// RUN: %clang -O2 -ffp-contract=off -DMAIN %s %t.o -lm -o %t && %t
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-parallel -Rpass=tessera %s -c -o %t.o 2>&1 | %FileCheck --check-prefix=THREADS %s
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -S -emit-llvm -o - | %FileCheck --check-prefix=SPLIT %s
// SPLIT: define {{.*}}@beside
// SPLIT-NOT: phi i1
// SPLIT: {{^}}}
// SPLIT-NOT: tessera.joined
// THREADS: c:39:3: remark: loop nest transformed:{{.*}} 1 parallel
//
// CHECK-DAG: c:39:3: remark: loop nest modelled: {{.*}}depth 2
// CHECK-DAG: c:56:3: remark: loop nest modelled: {{.*}}depth 1
// CHECK-DAG: c:70:3: remark: loop nest modelled: {{.*}}depth 3
// CHECK-DAG: c:111:3: remark: loop nest modelled: {{.*}}depth 1
// CHECK-DAG: c:125:3: remark: loop nest modelled: {{.*}}depth 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MAIN
#define F(NAME) NAME##_plain
#else
#define F(NAME) NAME
#endif

/* The picture that each tool is tried on. */
void F(escape)(int n, int m, int most, int out[restrict n][m])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double cr = 2.0 * j / m - 1.5, ci = 2.0 * i / n - 1.0, x = 0, y = 0;
      int k;
      for (k = 0; k < most; k++) {
        double t = x * x - y * y + cr;
        y = 2 * x * y + ci;
        x = t;
        if (x * x + y * y > 4)
          break;
      }
      out[i][j] = k;
    }
}

void F(first)(int n, int m, const int a[restrict n][m], int x, int at[restrict n])
{
  for (int i = 0; i < n; i++) {
    at[i] = -1;
    for (int j = 0; j < m; j++)
      if (a[i][j] == x) {
        at[i] = j;
        break;
      }
  }
}

/* A product beside a search. */
void F(beside)(int n, const double a[restrict n][n], const double b[restrict n][n], double c[restrict n][n],
               int limit[restrict n])
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      if (a[i][j] > 30) {
        limit[i] = j;
        break;
      }
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
  }
}

/* Three ways out, each with a value and something to do, two of which meet before the third: no tree of ifs. */
void F(ways)(int n, int m, const double a[restrict n][m], double sum[restrict n], int why[restrict n])
{
  for (int i = 0; i < n; i++) {
    double s = 0;
    int j = 0;
    for (;; j++) {
      if (j == m)
        break;
      s += a[i][j];
      if (s > 200) {
        why[i] = 1;
        s = 200;
        break;
      }
      if (a[i][j] < 0) {
        why[i] = 2;
        goto done;
      }
    }
    why[i] += 10;
  done:
    sum[i] += s + j;
  }
}

/* Behind the loop it is asked how it was left. */
void F(asked)(int n, int m, const int a[restrict n][m], int x, int found[restrict n])
{
  for (int i = 0; i < n; i++) {
    int j;
    for (j = 0; j < m; j++)
      if (a[i][j] == x)
        break;
    if (j == m)
      found[i] = 0;
    else
      found[i] = a[i][j] + j;
  }
}

void F(primes)(int n, int prime[restrict n])
{
  for (int i = 0; i < n; i++) {
    prime[i] = i > 1;
    for (int k = 2; k * k <= i; k++)
      if (i % k == 0) {
        prime[i] = 0;
        break;
      }
  }
}

/* Out of both loops: nothing to be done. */
int F(both)(int n, int m, const int a[restrict n][m], int x)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      if (a[i][j] == x)
        return i * m + j;
  return -1;
}

#ifdef MAIN
void escape(int n, int m, int most, int out[restrict n][m]);
void first(int n, int m, const int a[restrict n][m], int x, int at[restrict n]);
void beside(int n, const double a[restrict n][n], const double b[restrict n][n], double c[restrict n][n], int limit[restrict n]);
void ways(int n, int m, const double a[restrict n][m], double sum[restrict n], int why[restrict n]);
void asked(int n, int m, const int a[restrict n][m], int x, int found[restrict n]);
void primes(int n, int prime[restrict n]);
int both(int n, int m, const int a[restrict n][m], int x);

#define MOST 40000
static double a[MOST], b[MOST], c[2][MOST];
static int whole[MOST], out[2][MOST];

static void compare(const char *name, int n, int m)
{
  if (memcmp(c[0], c[1], sizeof(c[0])) || memcmp(out[0], out[1], sizeof(out[0]))) {
    printf("%s: %d %d\n", name, n, m);
    exit(1);
  }
}

int main(void)
{
  static const int sizes[] = {0, 1, 2, 3, 4, 5, 16, 31, 33, 130};
  const int n_size = sizeof(sizes) / sizeof(*sizes);
  for (int i = 0; i < MOST; i++) {
    a[i] = i * 7 % 43 - (i % 29 == 13 ? 40 : 0);
    b[i] = i % 13;
    whole[i] = i * 11 % 101;
    c[0][i] = c[1][i] = i % 5;
  }
  for (int p = 0; p < n_size; p++)
    for (int q = 0; q < n_size; q++) {
      int n = sizes[p], m = sizes[q];
#define WHOLE (void *)whole
      escape(n, m, 20, (void *)out[0]), escape_plain(n, m, 20, (void *)out[1]), compare("escape", n, m);
      for (int x = -1; x < 101; x += 34) {
        first(n, m, WHOLE, x, out[0]), first_plain(n, m, WHOLE, x, out[1]), compare("first", n, m);
        asked(n, m, WHOLE, x, out[0]), asked_plain(n, m, WHOLE, x, out[1]), compare("asked", n, m);
        if (both(n, m, WHOLE, x) != both_plain(n, m, WHOLE, x))
          return 2;
      }
      ways(n, m, (void *)a, c[0], out[0]), ways_plain(n, m, (void *)a, c[1], out[1]), compare("ways", n, m);
      primes(n, out[0] + m), primes_plain(n, out[1] + m), compare("primes", n, m);
      if (m == n)
        beside(n, (void *)a, (void *)b, (void *)c[0], out[0]), beside_plain(n, (void *)a, (void *)b, (void *)c[1], out[1]),
            compare("beside", n, m);
    }
  return 0;
}
#endif
