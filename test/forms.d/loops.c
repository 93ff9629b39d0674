/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops: types of counters, directions, steps, bounds. */
#include "forms.h"

#define BODY(A, B, I, J) (A)[(I) * 40 + (J)] += (B)[(J) * 40 + (I)]

/* form: int counters */
FORM void form_int(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      BODY(a, b, i, j);
}

/* form: unsigned counters */
FORM void form_unsigned(double *a, double *b, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < n; j++)
      BODY(a, b, i, j);
}

/* form: unsigned counters, unsigned leading dimension */
FORM void form_unsigned_ld(double *a, double *b, unsigned n, unsigned ld)
{
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < n; j++)
      a[i * ld + j] += b[j * ld + i];
}

/* form: size_t counters */
FORM void form_size_t(double *a, double *b, size_t n)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      BODY(a, b, i, j);
}

/* form: short counters */
FORM void form_short(double *a, double *b, short n)
{
  for (short i = 0; i < n; i++)
    for (short j = 0; j < n; j++)
      BODY(a, b, i, j);
}

/* form: unsigned char counters */
FORM void form_uchar(double *a, double *b, unsigned char n)
{
  for (unsigned char i = 0; i < n; i++)
    for (unsigned char j = 0; j < n; j++)
      BODY(a, b, i, j);
}

/* form: short counters that step by 2 */
FORM void form_short_step(double *a, double *b, short n)
{
  for (short i = 0; i < n; i += 2)
    for (short j = 1; j < n; j += 2)
      BODY(a, b, i, j);
}

/* form: short counters, int bound, downward */
FORM void form_short_down(double *a, double *b, int n)
{
  for (short i = n - 1; i >= 0; i -= 3)
    for (short j = n - 1; j >= 0; j -= 1)
      BODY(a, b, i, j);
}

/* form: unsigned char counter, step in a variable */
FORM void form_uchar_step(double *a, double *b, int n, int step)
{
  for (unsigned char i = 0; i < n; i += step)
    for (unsigned char j = 0; j < n; j = j + 3)
      BODY(a, b, i, j);
}

/* form: int counter, size_t bound */
FORM void form_int_size_t(double *a, double *b, size_t n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      BODY(a, b, i, j);
}

/* form: unsigned counter, int bound */
FORM void form_unsigned_int(double *a, double *b, int n)
{
  for (unsigned i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      BODY(a, b, i, j);
}

/* form: size_t counter, int bound and leading dimension */
FORM void form_size_t_int(double *a, double *b, int n, int ld)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      a[i * ld + j] += b[j * ld + i];
}

/* form: long counter outside, int inside */
FORM void form_long_int(double *a, double *b, long n, int m)
{
  for (long i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      BODY(a, b, i, j);
}

/* form: unsigned counter, size_t bound */
FORM void form_unsigned_size_t(double *a, double *b, size_t n)
{
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < n; j++)
      BODY(a, b, i, j);
}

/* form: unsigned char counter, int bound */
FORM void form_char_int(double *a, double *b, int n)
{
  for (unsigned char i = 0; i < n; i++)
    for (unsigned char j = 0; j < n; j++)
      BODY(a, b, i, j);
}

/* form: <= bound */
FORM void form_le(double *a, double *b, int n)
{
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++)
      BODY(a, b, i, j);
}

/* form: unsigned, <= bound (may be endless) */
FORM void form_unsigned_le(double *a, double *b, unsigned n)
{
  for (unsigned i = 1; i <= n; i++)
    for (unsigned j = 1; j <= n; j++)
      BODY(a, b, i, j);
}

/* form: != bound */
FORM void form_ne(double *a, double *b, int n)
{
  for (int i = 0; i != n; i++)
    for (int j = 0; j != n; j++)
      BODY(a, b, i, j);
}

/* form: step 2 and 3 */
FORM void form_step(double *a, double *b, int n)
{
  for (int i = 0; i < n; i += 2)
    for (int j = 1; j < n; j += 3)
      BODY(a, b, i, j);
}

/* form: step in a variable */
FORM void form_step_variable(double *a, double *b, int n, int s)
{
  for (int i = 0; i < n; i += s)
    for (int j = 0; j < n; j++)
      BODY(a, b, i, j);
}

/* form: downward, >= 0 */
FORM void form_down(double *a, double *b, int n)
{
  for (int i = n - 1; i >= 0; i--)
    for (int j = n - 1; j >= 0; j--)
      BODY(a, b, i, j);
}

/* form: downward, size_t i = n; i-- > 0 */
FORM void form_down_size_t(double *a, double *b, size_t n)
{
  for (size_t i = n; i-- > 0;)
    for (size_t j = n; j-- > 0;)
      BODY(a, b, i, j);
}

/* form: while (n--) */
FORM void form_while_count(double *a, double *b, int n)
{
  int i = n;
  while (i--) {
    int j = n;
    while (j--)
      BODY(a, b, i, j);
  }
}

/* form: do while */
FORM void form_do_while(double *a, double *b, int n)
{
  int i = 0;
  do {
    int j = 0;
    do {
      BODY(a, b, i, j);
      j++;
    } while (j < n);
    i++;
  } while (i < n);
}

/* form: while, affine */
FORM void form_while(double *a, double *b, int n)
{
  int i = 0;
  while (i < n) {
    int j = i;
    while (j < n && j < i + 5) {
      BODY(a, b, i, j);
      j += 1;
    }
    i += 1;
  }
}

/* form: triangle */
FORM void form_triangle(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      BODY(a, b, i, j);
}

/* form: triangle, size_t */
FORM void form_triangle_size_t(double *a, double *b, size_t n)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = i + 1; j < n; j++)
      BODY(a, b, i, j);
}

/* form: triangle, unsigned */
FORM void form_triangle_unsigned(double *a, double *b, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = i; j < n; j++)
      BODY(a, b, i, j);
}

/* form: trapezoid */
FORM void form_trapezoid(double *a, double *b, int n, int m)
{
  for (int i = 0; i < n; i++)
    for (int j = i; j < i + m; j++)
      BODY(a, b, i, j);
}

/* form: min and max in bounds */
FORM void form_minmax(double *a, double *b, int n, int w)
{
  for (int i = 0; i < n; i++)
    for (int j = i - w > 0 ? i - w : 0; j < (i + w < n ? i + w : n); j++)
      BODY(a, b, i, j);
}

/* form: clamped subscript */
FORM void form_clamped(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int l = j - 1 < 0 ? 0 : j - 1, r = j + 1 > n - 1 ? n - 1 : j + 1;
      a[i * 40 + j] = b[i * 40 + l] + b[r * 40 + i];
    }
}

/* form: tiled by hand */
FORM void form_tiled(double *a, double *b, int n)
{
  for (int ii = 0; ii < n; ii += 8)
    for (int i = ii; i < (ii + 8 < n ? ii + 8 : n); i++)
      for (int j = 0; j < n; j++)
        BODY(a, b, i, j);
}

/* form: unrolled by hand, with a remainder loop */
FORM void form_unrolled(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++) {
    int j = 0;
    for (; j + 3 < n; j += 4) {
      BODY(a, b, i, j);
      BODY(a, b, i, j + 1);
      BODY(a, b, i, j + 2);
      BODY(a, b, i, j + 3);
    }
    for (; j < n; j++)
      BODY(a, b, i, j);
  }
}

/* form: two counters in step */
FORM void form_two_counters(double *a, double *b, int n)
{
  for (int i = 0, k = n; i < n; i++, k--)
    for (int j = 0; j < k; j++)
      BODY(a, b, i, j);
}

/* form: counter of its own, k++ */
FORM void form_own_counter(double *a, double *b, int n)
{
  int k = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[k++] += b[j * n + i];
}

/* form: division and remainder of counters */
FORM void form_div_mod(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[(i / 2) * 40 + j] += b[j * 40 + i % 4];
}

/* form: affine condition */
FORM void form_condition(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (i != j && i + j < n)
        BODY(a, b, i, j);
}

/* form: shifted counter, 1 << k bound */
FORM void form_shift(double *a, double *b, int k)
{
  for (int i = 0; i < 1 << k; i++)
    for (int j = 0; j < 1 << k; j++)
      BODY(a, b, i, j);
}

static double buf[2][40000];
/* form: assert in the loop */
FORM void form_assert(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (i > 40 || j > 40)
        abort();
      a[i * 50 + j] += b[j * 50 + i];
    }
}

/* form: check of data in the loop */
FORM void form_check(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (b[j] > 1e9)
        abort();
      a[i * 50 + j] += b[j * 50 + i];
    }
}

/* form: inner loop that data ends */
FORM void form_inner_while(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++) {
    unsigned bits = i, count = 0;
    do
      count++;
    while (bits &= bits - 1);
    for (int j = 0; j < n; j++)
      a[j * 50 + i] += b[j * 50 + i] + count;
  }
}

/* form: break */
FORM void form_break(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (b[j] == 5)
        break;
      a[i * 50 + j] += b[j * 50 + i];
    }
}

/* form: search, break at the first that is found */
FORM void form_search(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++) {
    int at = -1;
    for (int j = 0; j < n; j++)
      if (b[j * 50 + i] > 4) {
        at = j;
        break;
      }
    a[i] = at;
  }
}

/* form: argmax, the subscript of the greatest */
FORM void form_argmax(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++) {
    int at = 0;
    double most = b[i];
    for (int j = 1; j < n; j++)
      if (b[j * 50 + i] > most) {
        most = b[j * 50 + i];
        at = j;
      }
    a[i] = at;
  }
}

/* form: argmin through a subscript, b[at] */
FORM void form_argmin(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++) {
    int at = 0;
    for (int j = 1; j < n; j++)
      if (b[i * 50 + j] < b[i * 50 + at])
        at = j;
    a[i] = at;
  }
}

/* form: stride in a variable, x[i*incx] */
FORM void form_stride_variable(double *a, double *b, int n, int inc)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j * inc] += b[j * 40 + i];
}

/* form: condition that the nest doesn't change */
FORM void form_invariant_condition(double *a, double *b, int n, double alpha)
{
  for (int i = 0; i < n; i++)
    if (alpha != 0)
      for (int j = 0; j < n; j++)
        a[i * 40 + j] += alpha * b[j * 40 + i];
}

int main(void)
{
  double *a = buf[0], *b = buf[1];
  fill(a, 40000), fill(b, 40000);
#define TRY(NAME, ARGS)                                                                                                     \
  do {                                                                                                                      \
    form_##NAME ARGS;                                                                                                       \
    show(#NAME, buf, sizeof(buf));                                                                                          \
  } while (0)
#define EACH(NAME)                                                                                                          \
  TRY(NAME, (a, b, 23));                                                                                                    \
  TRY(NAME, (a, b, 0));                                                                                                     \
  TRY(NAME, (a, b, 1));                                                                                                     \
  TRY(NAME, (a, a + 3, 17))
  EACH(int);
  EACH(unsigned);
  EACH(size_t);
  EACH(short);
  EACH(uchar);
  EACH(short_step);
  EACH(short_down);
  TRY(uchar_step, (a, b, 23, 3));
  TRY(uchar_step, (a, b, 22, 1));
  TRY(uchar_step, (a, b, 23, 253));
  TRY(uchar_step, (a, b, 0, 0));
  EACH(int_size_t);
  EACH(unsigned_int);
  TRY(unsigned_ld, (a, b, 23, 50));
  TRY(unsigned_ld, (a, b, 23, 0));
  TRY(unsigned_ld, (a, b, 0, 4294967290u));
  TRY(size_t_int, (a, b, 23, 50));
  TRY(size_t_int, (a, b, 0, -50));
  TRY(size_t_int, (a + 5000, b + 5000, 20, -50));
  TRY(long_int, (a, b, 23, 22));
  TRY(long_int, (a, b, 9000000000, -1));
  EACH(unsigned_size_t);
  EACH(char_int);
  EACH(le);
  EACH(unsigned_le);
  EACH(ne);
  EACH(step);
  EACH(down);
  EACH(down_size_t);
  EACH(while_count);
  TRY(step_variable, (a, b, 23, 3));
  TRY(step_variable, (a, b, 23, 1));
  TRY(step_variable, (a, b, 0, 0));
  TRY(step_variable, (a, b, -3, -4));
  EACH(do_while);
  EACH(while);
  EACH(triangle);
  EACH(triangle_size_t);
  EACH(triangle_unsigned);
  EACH(clamped);
  EACH(tiled);
  TRY(trapezoid, (a, b, 23, 9));
  TRY(trapezoid, (a, b, 23, -9));
  TRY(minmax, (a, b, 23, 4));
  TRY(minmax, (a, b, 23, 400));
  EACH(unrolled);
  EACH(two_counters);
  EACH(own_counter);
  EACH(div_mod);
  EACH(condition);
  EACH(assert);
  EACH(check);
  EACH(search);
  EACH(argmax);
  EACH(argmin);
  TRY(stride_variable, (a, b, 23, 1));
  TRY(stride_variable, (a, b, 23, 3));
  TRY(stride_variable, (a, b, 0, 1));
  TRY(invariant_condition, (a, b, 23, 0));
  TRY(invariant_condition, (a, b, 23, 2));
  TRY(invariant_condition, (a, a + 3, 17, 2));
  EACH(inner_while);
  EACH(break);
  TRY(shift, (a, b, 4));
  return 0;
}
