/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls in loops, and arrays that may overlap. */
#include <errno.h>
#include <math.h>

#include "forms.h"

static double buf[3][4000];

/* form: sqrt, which may set errno */
FORM void form_sqrt(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] = sqrt(b[j * 40 + i] + 5);
}

/* form: exp, which may set errno */
FORM void form_exp(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] = exp(b[j * 40 + i]);
}

/* form: errno's type in the nest */
FORM void form_errno(int *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] += log(b[j * 40 + i]) > 1;
}

/* form: mathematical intrinsic */
FORM void form_intrinsic(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] = __builtin_elementwise_sin(b[j * 40 + i]) + floor(b[i * 40 + j]);
}

static double weight(double x)
{
  return x > 0 ? x * 2 : -x;
}
/* form: small static function */
FORM void form_static(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] += weight(b[j * 40 + i]);
}

static void add_to(double *p, double x)
{
  *p += x;
}
/* form: small static function that writes */
FORM void form_static_writes(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      add_to(&a[i * 40 + j], b[j * 40 + i]);
}

__attribute__((noinline, const)) static double constant(double x, int i)
{
  return x * i;
}
/* form: function declared const */
FORM void form_const(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] = constant(b[j * 40 + i], i);
}

__attribute__((noinline, pure)) static double read_only(const double *p, int n)
{
  return p[0] + p[n];
}
/* form: function declared pure */
FORM void form_pure(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] = read_only(b + j * 40, i);
}

/* form: function declared pure, restrict */
FORM void form_pure_restrict(double *restrict a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] = read_only(b + j * 40, i);
}

/* form: memcmp */
FORM void form_memcmp(double *restrict a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] += memcmp(b + j, b + i, 12) < 0;
}

__attribute__((noinline)) static double derived(double x)
{
  return x * 3 - 1;
}
/* form: function that turns out to be pure */
FORM void form_derived(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] = derived(b[j * 40 + i]);
}

__attribute__((noinline)) static void through(double *p, const double *q)
{
  *p += *q;
}
/* form: function that writes through its argument */
FORM void form_through(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      through(&a[i * 40 + j], &b[j * 40 + i]);
}

static int calls;
__attribute__((noinline)) static double counted(double x)
{
  calls++;
  __asm__ volatile("" ::: "memory");
  return x;
}
/* form: function that may do anything */
FORM void form_anything(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] = counted(b[j * 40 + i]);
}

/* form: function pointer */
FORM void form_pointer_call(double *a, double *b, int n, double (*f)(double))
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] = f(b[j * 40 + i]);
}

/* form: memmove in the loop */
FORM void form_memmove(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++) {
    memmove(a + i * 40, a + i * 40 + 1, n * sizeof(double));
    for (int j = 0; j < n; j++)
      a[i * 40 + j] += b[j * 40 + i];
  }
}

/* form: inline assembly */
FORM void form_asm(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double x = b[j * 40 + i];
      __asm__ volatile("" : "+m"(x));
      a[i * 40 + j] = x;
    }
}

/* form: restrict */
FORM void form_restrict(double *restrict a, const double *restrict b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] += b[j * 40 + i];
}

/* form: three pointers that may overlap */
FORM void form_three(double *a, double *b, double *c, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] = b[j * 40 + i] * c[i * 40 + j];
}

/* form: pointers to different types */
FORM void form_types(double *a, const int *at, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] += at[j * 40 + i];
}

/* form: two halves of one array */
FORM void form_halves(double *a, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] = a[2000 + j * 40 + i];
}

/* form: bytes, which may overlap anything */
FORM void form_bytes(unsigned char *a, const double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] = (unsigned char)(int)b[j * 40 + i];
}

/* form: bound behind a pointer that may overlap */
FORM void form_bound_pointer(int *a, const int *b, const int *n)
{
  for (int i = 0; i < *n; i++)
    for (int j = 0; j < *n; j++)
      a[i * 40 + j] += b[j * 40 + i];
}

int main(void)
{
  double *a = buf[0], *b = buf[1];
  fill(a, 4000), fill(b, 4000);
#define TRY(NAME, ARGS)                                                                                                     \
  do {                                                                                                                      \
    form_##NAME ARGS;                                                                                                       \
    show(#NAME, buf, sizeof(buf));                                                                                          \
  } while (0)
#define EACH(NAME)                                                                                                          \
  fill(a, 4000), fill(b, 4000);                                                                                             \
  TRY(NAME, (a, b, 33));                                                                                                    \
  TRY(NAME, (a, b, 0));                                                                                                     \
  TRY(NAME, (a, b, 1));                                                                                                     \
  TRY(NAME, (a, a + 3, 17))
  EACH(sqrt);
  EACH(exp);
  EACH(intrinsic);
  EACH(static);
  EACH(static_writes);
  EACH(const);
  EACH(pure);
  TRY(pure_restrict, (a, b, 33));
  TRY(pure_restrict, (a, b, 0));
  TRY(memcmp, (a, b, 33));
  EACH(derived);
  EACH(through);
  EACH(anything);
  show("anything", &calls, sizeof(calls));
  TRY(pointer_call, (a, b, 33, counted));
  TRY(pointer_call, (a, a + 1, 21, derived));
  show("pointer_call", &calls, sizeof(calls));
  EACH(memmove);
  EACH(asm);
  TRY(restrict, (a, b, 33));
  TRY(restrict, (a, b, 0));
  TRY(three, (a, b, buf[2], 33));
  TRY(three, (a, a, b, 20));
  TRY(three, (a, b, a + 40, 20));
  TRY(types, (a, (const int *)b, 33));
  TRY(halves, (a, 33));
  TRY(halves, (a, 40));
  TRY(halves, (a, 47));
  fill(a, 4000), fill(b, 4000);
  TRY(bytes, ((unsigned char *)a, b, 33));
  for (int i = 0; i < 3 * 4000; i++)
    ((int *)buf)[i] = i * 37 % 101 - 50;
  int n = 33;
  TRY(bound_pointer, ((int *)a, (const int *)b, &n));
  ((int *)a)[50] = 11;
  TRY(bound_pointer, ((int *)a, (const int *)b, (int *)a + 50));
  fill(b, 4000);
  memset(a, 0, sizeof(buf[0]));
  for (int i = 0; i < 4000; i++)
    b[i] = b[i] > 0 ? b[i] : 1;
  TRY(errno, ((int *)a, b, 33));
  errno = 0;
  b[2 * 40 + 1] = -1;
  form_errno((int *)a, b, 33);
  show("errno", &(int){errno}, sizeof(int));
  return 0;
}
