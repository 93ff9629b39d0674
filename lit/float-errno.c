// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that may set errno, an int, beside arrays of float: by their types they are apart, unless types may be mixed. Else,
// where it isn't known how to find errno, there is no model; where it is, that is checked at run time (errno-places.c).
//
// DEFINE: %{model} = %remarks -fmath-errno -mllvm -tessera-force --target=x86_64-linux-android %s -DQUIET
// RUN: %{model} | %FileCheck %s
// RUN: %{model} -fno-strict-aliasing | %FileCheck %s --check-prefix=MIXED
// RUN: %clang -O2 -fmath-errno %s -o %t.plain -lm && %t.plain > %t.expected
// RUN: %clang -O2 -fmath-errno -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t.new -lm && %t.new | diff %t.expected -

#ifdef QUIET
float sqrtf(float), expf(float);
#else
#include <errno.h>
#include <math.h>
#include <stdio.h>
#endif
#define N 67
struct pixel {
  float red, green;
  int count;
};

// CHECK: --- !Passed
// CHECK: Function: {{ *}}transposed
// MIXED: Name: {{ *}}RejectedErrno
// MIXED: Function: {{ *}}transposed
__attribute__((noinline)) void transposed(int n, float *a, const float *b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] = sqrtf(b[j * n + i]) + expf(b[j * n + i]);
}

// CHECK: --- !Passed
// CHECK: Function: {{ *}}field
// MIXED: Name: {{ *}}RejectedErrno
// MIXED: Function: {{ *}}field
__attribute__((noinline)) void field(int n, struct pixel *a, const float *b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j].green = sqrtf(b[j * n + i]);
}

// CHECK: Name: {{ *}}RejectedErrno
// CHECK: Function: {{ *}}counted
__attribute__((noinline)) void counted(int n, struct pixel *a, const float *b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j].count = (int)sqrtf(b[j * n + i]);
}

// CHECK: Name: {{ *}}RejectedErrno
// CHECK: Function: {{ *}}quantised
__attribute__((noinline)) void quantised(int n, unsigned char *a, const float *b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] = (unsigned char)sqrtf(b[j * n + i]);
}

#ifndef QUIET
static float a[N * N], b[N * N];
static struct pixel c[N * N];
static unsigned char d[N * N];

int main(void)
{
  static const int size[] = {0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 67};
  for (int s = 0; s < (int)(sizeof(size) / sizeof(*size)); s++)
    for (int bad = 0; bad < 2; bad++) {
      int n = size[s];
      float sum = 0;
      for (int i = 0; i < n * n; i++)
        b[i] = bad && i == n / 2 ? -1.0f : (float)(i % 19) / 3;
      errno = 0;
      transposed(n, a, b);
      int first = errno;
      errno = 0;
      field(n, c, b);
      printf("%d %d", first, errno);
      errno = 0;
      counted(n, c, b);
      quantised(n, d, b);
      for (int i = 0; i < n * n; i++)
        sum += a[i] == a[i] ? a[i] + c[i].green + (float)c[i].count + d[i] : 1;
      printf(" %d %a\n", errno, sum);
    }
}
#endif
