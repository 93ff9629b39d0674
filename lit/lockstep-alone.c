// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can't be computed for all lanes at once each lane of an outer loop computes for itself, one after the other: whole
// divisions and remainders, calls of functions of numbers alone, quotients of complex numbers by the compiler's library,
// which returns two numbers, of float in a vector. The same bit for bit; lanes that aren't there divide nothing.
//
// REQUIRES: native-avx2
//
// DEFINE: %{t} = double
// DEFINE: %{flags} = -march=x86-64-v3 -ffp-contract=off -DT=%{t}
// DEFINE: %{run} = %clang -O2 %{flags} -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-print=ast -Rpass=tessera %s \
// DEFINE:     -c -o %t.o 2> %t.said && %FileCheck %s < %t.said && %clang -O2 %{flags} -DMAIN %s %t.o -lm -o %t && %t
// RUN: %{run}
// REDEFINE: %{t} = float
// RUN: %{run}
//
// CHECK: tessera: quotients.0
// CHECK: // lockstep {{[0-9]}}x8
// CHECK: tessera: remainders.0
// CHECK: // lockstep {{[0-9]}}x8
// CHECK: tessera: calls.0
// CHECK: // lockstep {{[0-9]}}x{{4|8}}
// CHECK: tessera: one_call.0
// CHECK: // lockstep {{[0-9]}}x{{4|8}}
// CHECK: tessera: complex_quotients.0
// CHECK: // lockstep {{[0-9]}}x{{4|8}}
double own(double) __attribute__((const, nothrow));
typedef struct {
  T re, im;
} number;
typedef _Complex T complex_number;
#define NAMED(name) name##_plain
#ifndef MAIN
#undef NAMED
#define NAMED(name) name
#endif
#define LD 67

void NAMED(quotients)(int m, int n, int (*restrict a)[LD], int (*restrict b)[LD])
{
  for (int i = 0; i < m; i++)
    for (int j = 1; j < n; j++)
      a[i][j] = a[i][j] % 100 - a[i][j - 1] / b[i][j];
}

void NAMED(remainders)(int m, int n, unsigned (*restrict a)[LD], unsigned (*restrict b)[LD])
{
  for (int i = 0; i < m; i++)
    for (int j = 1; j < n; j++)
      a[i][j] = (a[i][j - 1] / 3 + 7 * a[i][j]) % b[i][j];
}

void NAMED(calls)(int m, int n, T (*restrict a)[LD], T (*restrict b)[LD])
{
  for (int i = 0; i < m; i++)
    for (int j = 1; j < n; j++)
      a[i][j] = a[i][j - 1] * (T)0.5 + (T)own(b[i][j]);
}

/* one for all lanes */
void NAMED(one_call)(int m, int n, T (*restrict a)[LD], T *restrict x)
{
  for (int i = 0; i < m; i++)
    for (int j = 1; j < n; j++)
      a[i][j] = a[i][j - 1] * (T)0.5 + (T)own(x[j]);
}

void NAMED(complex_quotients)(int m, int n, number (*restrict a)[LD], number (*restrict b)[LD])
{
  for (int i = 0; i < m; i++)
    for (int j = 1; j < n; j++) {
      complex_number x, y, q;
      __real__ x = a[i][j - 1].re;
      __imag__ x = a[i][j - 1].im;
      __real__ y = b[i][j].re;
      __imag__ y = b[i][j].im;
      q = x / y;
      a[i][j].re = __real__ q + a[i][j].im;
      a[i][j].im = __imag__ q;
    }
}

#ifdef MAIN
#include <math.h>
#include <stdio.h>
#include <string.h>

double own(double x)
{
  return sqrt(x + 3) * x;
}

void quotients(int m, int n, int (*a)[LD], int (*b)[LD]);
void remainders(int m, int n, unsigned (*a)[LD], unsigned (*b)[LD]);
void calls(int m, int n, T (*a)[LD], T (*b)[LD]);
void one_call(int m, int n, T (*a)[LD], T *x);
void complex_quotients(int m, int n, number (*a)[LD], number (*b)[LD]);

/* What lies behind column n and row m stays 0: whoever divides by that, traps. */
static union {
  int whole[LD][LD];
  T parts[LD][LD];
  number both[LD][LD];
} a, b, result;

enum { WHOLE, PARTS, BOTH };

static void fill(int kind, int m, int n)
{
  memset(&a, 0, sizeof(a));
  memset(&b, 0, sizeof(b));
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      if (kind == WHOLE) {
        a.whole[i][j] = 10000 - i * 771 + j * j * 39;
        b.whole[i][j] = i % 5 + j % 3 + 1;
      } else if (kind == PARTS) {
        a.parts[i][j] = (T)((i * 7 + j) % 13);
        b.parts[i][j] = (T)((i + j * 5) % 11) / 8;
      } else {
        a.both[i][j] = (number){(T)((i * 7 + j) % 13), (T)(i - j)};
        b.both[i][j] = (number){(T)((i + j * 5) % 11) / 8, (T)((i * j) % 7)};
      }
}

#define COMPARE(name, kind, x, y)                                                                                           \
  do {                                                                                                                      \
    fill(kind, m, n);                                                                                                       \
    name(m, n, x, y);                                                                                                       \
    memcpy(&result, &a, sizeof(a));                                                                                         \
    fill(kind, m, n);                                                                                                       \
    name##_plain(m, n, x, y);                                                                                               \
    if (memcmp(&result, &a, sizeof(a)))                                                                                     \
      return printf("%s %d %d\n", #name, m, n), 1;                                                                          \
  } while (0)

int main(void)
{
  static const int sizes[] = {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 64, 67};
  const int count = sizeof(sizes) / sizeof(*sizes);
  for (int k = 0; k < count; k++)
    for (int l = 0; l < count; l++) {
      int m = sizes[k], n = sizes[l];
      COMPARE(quotients, WHOLE, a.whole, b.whole);
      COMPARE(remainders, WHOLE, (unsigned(*)[LD])a.whole, (unsigned(*)[LD])b.whole);
      COMPARE(calls, PARTS, a.parts, b.parts);
      COMPARE(one_call, PARTS, a.parts, b.parts[0]);
      COMPARE(complex_quotients, BOTH, a.both, b.both);
    }
  return 0;
}
#endif
