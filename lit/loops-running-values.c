// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subscripts and pointers that run on from one inner loop to the next are recurrences of the loops around: nests are modelled
// whole. Also where the inner loop may be left out, and over three loops. The same bit for bit.
//
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -g -Rpass=tessera -Rpass-analysis=tessera %s -c -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -ffp-contract=off -DMAIN %s %t.o -lm -o %t && %t
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -c -o %t.o
// RUN: %clang -O2 -ffp-contract=off -DMAIN %s %t.o -lm -o %t && %t
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-tile-sizes=3,5 %s -c -o %t.o
// RUN: %clang -O2 -ffp-contract=off -DMAIN %s %t.o -lm -o %t && %t
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin %s -c -o %t.o
// RUN: %clang -O2 -ffp-contract=off -DMAIN %s %t.o -lm -o %t && %t
//
// CHECK-DAG: c:[[# @LINE + 23]]:3: remark: loop nest modelled: 1 statements, depth 2
// CHECK-DAG: c:[[# @LINE + 30]]:3: remark: loop nest modelled: 1 statements, depth 2
// CHECK-DAG: c:[[# @LINE + 39]]:3: remark: loop nest modelled: 1 statements, depth 2
// CHECK-DAG: c:[[# @LINE + 51]]:3: remark: loop nest modelled: 1 statements, depth 2
// CHECK-DAG: c:[[# @LINE + 58]]:3: remark: loop nest modelled: 1 statements, depth 3
// CHECK-DAG: c:[[# @LINE + 65]]:3: remark: loop nest modelled: 1 statements, depth 2
// CHECK-DAG: c:[[# @LINE + 73]]:3: remark: loop nest modelled: 1 statements, depth 2
// CHECK-DAG: c:[[# @LINE + 79]]:3: remark: loop nest modelled: 2 statements, depth 2
// CHECK-DAG: c:[[# @LINE + 156]]:5: remark: loop nest modelled: 1 statements, depth 1
// CHECK-DAG: c:[[# @LINE + 87]]:3: remark: loop nest modelled: {{.*}}depth 2
// CHECK-DAG: c:[[# @LINE + 102]]:3: remark: loop nest modelled: {{.*}}depth 2
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MAIN
#define F(NAME) NAME##_plain
#else
#define F(NAME) NAME
#endif

void F(pointer)(float *restrict d, const float *restrict s, int n, int m)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      *d++ = s[j * n + i];
}

void F(subscript)(float *restrict d, const float *restrict s, int n, int m)
{
  int k = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      d[k++] = s[j * n + i] * 2;
    k += 2;
  }
}

/* Rows of two images, the first of them with a gap behind each. */
void F(gaps)(unsigned char *restrict d, const unsigned char *restrict s, size_t n, size_t m, size_t pitch)
{
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < m; j++) {
      *d = (unsigned char)(255 - *d + *s++);
      d++;
    }
    d += pitch - m;
  }
}

/* Beginning at the end. */
void F(down)(float *restrict d, const float *restrict s, int n, int m)
{
  float *p = d + (long)n * m;
  for (int i = n - 1; i >= 0; i--)
    for (int j = m - 1; j >= 0; j--)
      *--p = s[j * n + i];
}

void F(three)(float *restrict d, const float *restrict s, int n, int m)
{
  int k = 0;
  for (int h = 0; h < 3; h++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++, k++)
        d[k] = s[(j * n + i) * 3 + h];
}

void F(closed)(float *restrict d, const float *restrict s, int n, int m)
{
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++)
      *d++ = s[(j - 1) * n + i - 1];
}

/* As filters are written: the rows count down. */
void F(countdown)(float *restrict d, const float *restrict s, int n, int m)
{
  int rows = n;
  while (rows-- > 0)
    for (int j = 0; j < m; j++)
      *d++ = *s++ + j;
}

void F(pairs)(float *restrict d, const float *restrict s, int n, int m)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++, d += 2, s += 2) {
      d[0] = s[1] - s[0] * i;
      d[1] = s[0] + j;
    }
}

/* Unrolled by hand: the rest begins where that ends. */
void F(unrolled)(float *restrict d, const float *restrict s, int n, int m)
{
  for (int i = 0; i < n; i++) {
    int j = 0;
    for (; j + 3 < m; j += 4) {
      d[i * m + j] += s[j * n + i];
      d[i * m + j + 1] += s[(j + 1) * n + i];
      d[i * m + j + 2] += s[(j + 2) * n + i];
      d[i * m + j + 3] += s[(j + 3) * n + i];
    }
    for (; j < m; j++)
      d[i * m + j] += s[j * n + i];
  }
}

/* The same with one element left at most. */
void F(odd)(float *restrict d, const float *restrict s, int n, int m)
{
  for (int i = 0; i < n; i++) {
    float even = 0, other = 0;
    int j;
    for (j = 0; j < m - 1; j += 2) {
      even += s[i * m + j];
      other += s[i * m + j + 1];
    }
    if (j < m)
      even += s[i * m + j];
    d[i] = even - other;
  }
}

/* No recurrence that is affine: rows get longer. */
void F(triangle)(float *restrict d, const float *restrict s, int n)
{
  int k = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      d[k++] += s[j * n + i];
}

/* Not in all iterations. */
void F(sometimes)(float *restrict d, const float *restrict s, int n, int m)
{
  for (int i = 0; i < n; i++)
    if (s[i] > 1)
      for (int j = 0; j < m; j++)
        *d++ = s[j * n + i];
}

/* Nor here, where a condition between the two says that the inner loop runs. */
void F(between)(float *restrict d, const float *restrict s, int n, int m)
{
  for (int i = 0; i < n; i++) {
    if (m <= 0)
      goto next;
    if (s[i] < 1)
      goto next;
    for (int j = 0; j < m; j++)
      *d++ = s[j * n + i];
  next:;
  }
}

/* Where the loop around isn't in the SCoP, whose counter has fewer bits than a pointer. */
void note(float *row, int n);
void F(called)(float *restrict d, const float *restrict s, int n, int m)
{
  for (int i = 0; i < n; i++) {
    note(d, m);
    d += 257;
    for (int j = 0; j < m; j++)
      d[j] += s[j * n + i];
  }
}

#ifdef MAIN
void note(float *row, int n)
{
  if (n > 0)
    row[0] += n;
}
void between(float *restrict d, const float *restrict s, int n, int m);
void called(float *restrict d, const float *restrict s, int n, int m);
void pointer(float *restrict d, const float *restrict s, int n, int m);
void subscript(float *restrict d, const float *restrict s, int n, int m);
void gaps(unsigned char *restrict d, const unsigned char *restrict s, size_t n, size_t m, size_t pitch);
void down(float *restrict d, const float *restrict s, int n, int m);
void three(float *restrict d, const float *restrict s, int n, int m);
void closed(float *restrict d, const float *restrict s, int n, int m);
void countdown(float *restrict d, const float *restrict s, int n, int m);
void pairs(float *restrict d, const float *restrict s, int n, int m);
void unrolled(float *restrict d, const float *restrict s, int n, int m);
void odd(float *restrict d, const float *restrict s, int n, int m);
void triangle(float *restrict d, const float *restrict s, int n);
void sometimes(float *restrict d, const float *restrict s, int n, int m);

#define MOST 70000
static float d[2][MOST], s[MOST];
static unsigned char bytes[2][MOST];

static void compare(const char *name, int n, int m)
{
  if (memcmp(d[0], d[1], sizeof(d[0])) || memcmp(bytes[0], bytes[1], sizeof(bytes[0]))) {
    printf("%s: %d %d\n", name, n, m);
    exit(1);
  }
}

#define TRY(NAME, ...) (NAME(d[0], s, __VA_ARGS__), NAME##_plain(d[1], s, __VA_ARGS__), compare(#NAME, n, m))

int main(void)
{
  static const int sizes[] = {-3, 0, 1, 2, 3, 4, 5, 16, 31, 33, 130};
  const int n_size = sizeof(sizes) / sizeof(*sizes);
  for (int i = 0; i < MOST; i++) {
    s[i] = (float)(i % 31) - 7;
    d[0][i] = d[1][i] = (float)(i % 13);
    bytes[0][i] = bytes[1][i] = (unsigned char)i;
  }
  for (int a = 0; a < n_size; a++)
    for (int b = 0; b < n_size; b++) {
      int n = sizes[a], m = sizes[b], most = n > m ? n : m;
      TRY(pointer, n, m);
      TRY(subscript, n, m);
      if (n * m >= 0 || n > 0)
        TRY(closed, n, m);
      TRY(countdown, n, m);
      TRY(pairs, n, m);
      TRY(three, n, m);
      TRY(unrolled, n, m);
      TRY(odd, n, m);
      TRY(triangle, most);
      TRY(sometimes, n, m);
      TRY(between, n, m);
      TRY(called, n, m);
      if (n < 0 || m < 0)
        continue;
      TRY(down, n, m);
      for (int more = 0; more < 9; more += 4) {
        gaps(bytes[0], bytes[0] + 35000, (size_t)n, (size_t)m, (size_t)(m + more));
        gaps_plain(bytes[1], bytes[1] + 35000, (size_t)n, (size_t)m, (size_t)(m + more));
        compare("gaps", n, m);
      }
    }
  return 0;
}
#endif
