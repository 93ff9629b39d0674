// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads under conditions of data. Where the elements are touched in any case the inner blocks become selects, and the loop
// vectors; where they need not be there, branches stay, and nothing is read that the original doesn't.
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t.tsr && %t.tsr | diff %t.expected -
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-position=late -mllvm -tessera-force %s -o %t.late && %t.late | diff %t.expected -
// RUN: rm -rf %t.d && mkdir %t.d && %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-dump=%t.d -c %s -o /dev/null
// RUN: %FileCheck %s --check-prefix=SURE --input-file=%t.d/closure.0.scop
// RUN: %FileCheck %s --check-prefix=SURE --input-file=%t.d/ways.0.scop
// RUN: %FileCheck %s --check-prefix=MAYBE --input-file=%t.d/beyond.0.scop
// RUN: %clang -O2 -mavx2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=closure -Rpass=loop-vectorize -c %s -o /dev/null 2>&1 | %FileCheck %s --check-prefix=VECTOR
// SURE-NOT: maybe
// MAYBE: maybe: true
// VECTOR: conditional-loads.c:[[#@LINE+12]]:3: remark: vectorized loop
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define N 83

/* what the second and the third operand load is loaded, and stored, by other iterations */
NOINLINE void closure(int n, char r[N][N])
{
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        r[i][j] = r[i][j] || (r[i][k] && r[k][j]);
}

/* three levels, a value on each way */
NOINLINE void ways(int n, double a[N][N], const double b[N][N], double s[N])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] += b[i][j] * 0.5;
  for (int t = 0; t < 2; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        s[j] = s[j] > 3.0 ? a[i][j] > 0.5 ? b[i - 1][j] * s[j] : b[i + 1][j] > 0.25 ? a[i][j] + 2.0 : 0.125
                          : s[j] + b[i][j] + a[i][j] + a[i - 1][j] * 0.5 + b[i - 1][j] + b[i + 1][j];
}

/* what is loaded under the condition isn't there without it */
NOINLINE void beyond(int n, double a[N][N], const double *b, const int *there)
{
  for (int t = 0; t < 2; t++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        a[i][j] = there[i] ? a[i][j] * 0.5 + b[j] : a[i][j] * 0.75;
}

/* the last element of a row is there, that behind it isn't */
NOINLINE void border(int n, double *a, const double *b)
{
  for (int t = 0; t < 2; t++)
    for (int i = 0; i < n; i++)
      a[i] = b[i] > 0.0 ? b[i] + b[i + 1] : a[i] * 0.5;
}

/* a division that traps where the condition doesn't hold */
NOINLINE void quotient(int n, int a[N][N], const int d[N])
{
  for (int t = 0; t < 2; t++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        a[i][j] = d[j] ? a[i][j] / d[j] + d[i] : a[i][j] + 1;
}

/* what comes from under a condition is stored under another one */
NOINLINE void stored(int n, double a[N][N], const double b[N][N], double *c)
{
  for (int t = 0; t < 2; t++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double x = b[i][j] > 0.5 ? b[j][i] : -1.0;
        if (a[i][j] > x)
          c[j] = x;
        a[i][j] += x * 0.25;
      }
}

static char r[N][N];
static double a[N][N], b[N][N], s[N];
static int d[N], q[N][N], none[N];

static void print(const char *name, int n, const void *at, size_t bytes)
{
  unsigned long hash = 1;
  for (size_t i = 0; i < bytes; i++)
    hash = hash * 31 + ((const unsigned char *)at)[i];
  printf("%s %d %lx\n", name, n, hash);
}

int main(void)
{
  /* a row that ends where no page is */
  long page = sysconf(_SC_PAGESIZE);
  char *edge = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(edge + page, page, PROT_NONE);
  static const int size[] = {0, 1, 2, 3, 7, 16, 31, 64, N};
  for (size_t k = 0; k < sizeof(size) / sizeof(*size); k++) {
    int n = size[k];
    double *row = (double *)(edge + page) - n;
    for (int i = 0; i < N; i++) {
      s[i] = i % 5;
      d[i] = i * 7 % 4;
      for (int j = 0; j < N; j++) {
        r[i][j] = (i * 7 + j * 11) % 37 == 0;
        a[i][j] = (i * 3 + j * 5) % 11 * 0.125;
        b[i][j] = (i * 5 + j) % 13 * 0.25 - 1;
        q[i][j] = i * j % 23 - 5;
      }
    }
    for (int i = 0; i < n; i++)
      row[i] = i % 3 && i + 1 < n ? 0.5 * i : -1;
    closure(n, r);
    print("closure", n, r, sizeof(r));
    ways(n, a, b, s);
    print("ways", n, s, sizeof(s));
    beyond(n, a, NULL, none);
    print("beyond", n, a, sizeof(a));
    border(n, s, row);
    print("border", n, s, sizeof(s));
    quotient(n, q, d);
    print("quotient", n, q, sizeof(q));
    stored(n, a, b, s);
    print("stored", n, s, sizeof(s));
    print("stored", n, a, sizeof(a));
  }
}
