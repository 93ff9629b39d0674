// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where each nest of a function runs new code from some sizes on, which are known when the function is entered, it keeps its own
// body for all others, as if Tessera hadn't been there: it begins with the test, and calls a second function for large sizes.
// If it has one nest, and nothing can be seen in front of it, that function has no original in it: where arrays overlap or there
// is no memory, it goes on with what the first one was, which is a third one then.
// Sizes may come by reference, two nests may have a test each, the function may have a result, and call itself. Not so where
// it can't be called with what it was called with.
//
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -tessera-verify -g -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin %s -o %t && %t > %t.out && diff %t.expected %t.out
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#define NOINLINE __attribute__((noinline))

// The test, and a call of either. No other test is in the original, nor anything of ours.
// CHECK-LABEL: define dso_local void @product(
// CHECK: icmp
// CHECK: br i1 %{{[0-9]+}}, label %{{.*}}, label %
// CHECK-NOT: {{phi|br i1}}
// CHECK-DAG: tail call {{.*}}void @product.tsr.large(
// CHECK-DAG: tail call {{.*}}void @product.tsr.small(
// CHECK-NOT: {{phi|br i1}}
// CHECK: {{^}}}
NOINLINE void product(int m, int n, int k, const double *restrict a, const double *restrict b, double *restrict c)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        c[i * n + j] += a[i * k + p] * b[p * n + j];
}

// CHECK-LABEL: define dso_local {{.*}}i64 @by_reference(
// CHECK: load i32, ptr %0
// CHECK: [[RESULT:%[0-9]+]] = tail call {{.*}}i64 @by_reference.tsr.large(
// CHECK: {{^}}}
NOINLINE long by_reference(const int *m_, const int *n_, const double *restrict a, const double *restrict x, double *restrict y)
{
  int m = *m_, n = *n_;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      y[j] += a[i * n + j] * x[i];
  return (long)m * n;
}

// CHECK-LABEL: define dso_local void @two(
// CHECK: call {{.*}}void @two.tsr.large(
// CHECK: {{^}}}
NOINLINE void two(int n, const double *restrict a, const double *restrict b, double *restrict c, double *restrict d)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < n; p++)
        c[i * n + j] += a[i * n + p] * b[p * n + j];
  printf("between: %.17g\n", c[0]);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < n; p++)
        d[i * n + j] += c[p * n + i] * b[p * n + j];
}

// CHECK-LABEL: define dso_local void @again(
// CHECK: call {{.*}}void @again.tsr.large(
// CHECK: {{^}}}
NOINLINE void again(int n, const double *restrict a, double *restrict c)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < n; p++)
        c[i * n + j] += a[i * n + p] * a[p * n + j];
  if (n > 1)
    again(n / 2, a, c);
}

// CHECK-LABEL: define dso_local double @result(
// CHECK-DAG: tail call {{.*}}double @result.tsr.small(
// CHECK-DAG: tail call {{.*}}double @result.tsr.large(
// CHECK: {{^}}}
NOINLINE double result(int n, const double *a, double *c)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < n; p++)
        c[i * n + j] += a[i * n + p] * a[p * n + j];
  return n ? c[n - 1] + a[0] : 0;
}

// Where something is seen in front of the nest, the second function has an original of its own.
// CHECK-LABEL: define dso_local void @seen(
// CHECK: tail call {{.*}}void @seen.tsr.large(
// CHECK: {{^}}}
NOINLINE void seen(int n, const double *a, double *c)
{
  if (n > 0)
    c[n - 1] += 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < n; p++)
        c[i * n + j] += a[i * n + p] * a[p * n + j];
}

struct four {
  double first, last, sum;
  long n;
};

// The call says how small integers are extended, as the function does.
// CHECK-LABEL: define dso_local void @small(
// CHECK: call {{.*}}void @small.tsr.large(ptr {{.*}}, i8 {{.*}}signext %{{[0-9]+}}, i16 {{.*}}zeroext %
// CHECK: {{^}}}
NOINLINE struct four small(signed char sign, unsigned short n, const double *restrict a, double *restrict c)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < n; p++)
        c[i * n + j] += a[i * n + p] * a[p * n + j];
  return (struct four){c[0], c[n ? n * n - 1 : 0], c[0] * sign, (long)n * sign};
}

// What is to be inlined wherever it is called stays whole.
// CHECK-LABEL: define dso_local void @always(
// CHECK: phi
// CHECK-NOT: call {{.*}}tsr.small
// CHECK: tail call {{.*}}void @always.tsr.large(
// CHECK: {{^}}}
__attribute__((always_inline)) inline void always(int n, const double *a, double *c)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < n; p++)
        c[i * n + j] += a[i * n + p] * a[p * n + j];
}
extern inline void always(int n, const double *a, double *c);

// CHECK-LABEL: define dso_local void @variadic(
// CHECK-NOT: tsr.large
// CHECK: {{^}}}
NOINLINE void variadic(int n, const double *restrict a, double *restrict c, ...)
{
  va_list list;
  va_start(list, c);
  double factor = va_arg(list, double);
  va_end(list);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < n; p++)
        c[i * n + j] += factor * a[i * n + p] * a[p * n + j];
}

// CHECK-DAG: define internal {{.*}}void @product.tsr.small({{.*}} !dbg [[SMALL:![0-9]+]]
// CHECK-DAG: define internal {{.*}}void @product.tsr.large({{.*}} !dbg [[LARGE:![0-9]+]]
// CHECK-DAG: define internal {{.*}}i64 @by_reference.tsr.large(
// CHECK-DAG: define internal {{.*}}void @two.tsr.large(
// CHECK-DAG: define internal {{.*}}void @again.tsr.large(
// CHECK-DAG: [[SMALL]] = distinct !DISubprogram(name: "product", linkageName: "product.tsr.small"
// CHECK-DAG: [[LARGE]] = distinct !DISubprogram(name: "product", linkageName: "product.tsr.large"

enum { N = 70 };
static double a[N * N], b[N * N], c[N * N], d[N * N];

static void show(const char *what, int n)
{
  double s = 0, t = 0;
  for (int i = 0; i < N * N; i++) {
    s = s * 0.999 + c[i];
    t = t * 0.999 + d[i];
  }
  printf("%s %d: %.17g %.17g\n", what, n, s, t);
  memset(c, 0, sizeof(c));
  memset(d, 0, sizeof(d));
}

int main(void)
{
  for (int i = 0; i < N * N; i++) {
    a[i] = (i * 37 % 101) * 0.125;
    b[i] = (i * 17 % 89) * 0.25;
  }
  for (int n = 0; n <= N; n += n < 12 ? 1 : 29) {
    int m = n / 2 + 1;
    product(m, n, n, a, b, c);
    show("product", n);
    printf("%ld\n", by_reference(&m, &n, a, b, c));
    show("by_reference", n);
    two(n, a, b, c, d);
    show("two", n);
    again(n, a, c);
    show("again", n);
    struct four got = small((signed char)-n, (unsigned short)n, a, c);
    printf("%.17g %.17g %.17g %ld\n", got.first, got.last, got.sum, got.n);
    show("small", n);
    for (int i = 0; i < 3; i++) { /* apart, and on top of each other */
      int by = i == 0 ? 0 : i == 1 ? n : n * n / 2;
      double *at = by ? d + by : c;
      memcpy(d, b, sizeof(d) / 2);
      printf("%.17g\n", result(n, d, by && by + n * n < N * N ? at : c));
      show("result", n);
      memcpy(d, b, sizeof(d) / 2);
      seen(n, d, by && by + n * n < N * N ? at : c);
      show("seen", n);
    }
    variadic(n, a, c, 0.5);
    show("variadic", n);
  }
}
