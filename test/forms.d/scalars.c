/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scalars: temporaries, accumulators, reductions, values carried from one iteration to the next. */
#include <math.h>

#include "forms.h"

static double buf[2][4000];

/* form: temporary */
FORM void form_temporary(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double t = b[j * 40 + i] * 2;
      a[i * 40 + j] = t * t + t;
    }
}

/* form: temporary declared outside */
FORM void form_outside(double *a, double *b, int n)
{
  double t;
  int i, j;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      t = b[j * 40 + i];
      b[j * 40 + i] = a[i * 40 + j];
      a[i * 40 + j] = t;
    }
}

/* form: accumulator in memory, c[i] += */
FORM void form_memory(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i] += b[j * 40 + i];
}

/* form: accumulator in memory, initialised */
FORM void form_memory_zero(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++) {
    a[i] = 0;
    for (int j = 0; j < n; j++)
      a[i] += b[j * 40 + i] * b[j];
  }
}

/* form: accumulator in a scalar */
FORM void form_scalar(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++)
      s += b[j * 40 + i];
    a[i] = s;
  }
}

/* form: accumulator in a scalar, from memory */
FORM void form_scalar_from(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++) {
    double s = a[i];
    for (int j = 0; j < n; j++)
      s -= b[j * 40 + i] * b[i * 40 + j];
    a[i] = s;
  }
}

/* form: accumulator in a scalar, fast-math */
FORM void form_fast(double *a, double *b, int n)
{
#pragma clang fp reassociate(on)
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++)
      s += b[j * 40 + i];
    a[i] = s;
  }
}

/* form: sum over the nest */
FORM double form_sum(double *b, int n)
{
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s += b[j * 40 + i];
  return s;
}

/* form: sum over the nest, fast-math */
FORM double form_sum_fast(double *b, int n)
{
#pragma clang fp reassociate(on)
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s += b[j * 40 + i];
  return s;
}

/* form: sum of integers */
FORM long form_sum_int(const double *b, int n)
{
  const int *v = (const int *)b;
  long s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s += v[j * 40 + i];
  return s;
}

/* form: product */
FORM double form_product(double *b, int n)
{
  double p = 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      p *= 1 - b[j * 40 + i] * b[j * 40 + i] / 1024;
  return p;
}

/* form: minimum with if */
FORM double form_minimum(double *b, int n)
{
  double least = 1e9;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (b[j * 40 + i] < least)
        least = b[j * 40 + i];
  return least;
}

/* form: maximum with fmax */
FORM double form_maximum(double *b, int n)
{
  double most = -1e9;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      most = fmax(most, b[j * 40 + i]);
  return most;
}

/* form: several accumulators */
FORM double form_several(double *b, int n)
{
  double s = 0, q = 0, most = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double v = b[j * 40 + i];
      s += v;
      q += v * v;
      most = v > most ? v : most;
    }
  return s + q * 3 + most * 7;
}

/* form: argmin with the value and both counters */
FORM void form_argmin2(double *a, double *b, int n)
{
  double least = 1e9;
  int row = -1, column = -1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (b[j * 40 + i] < least)
        least = b[j * 40 + i], row = i, column = j;
  a[0] = least, a[1] = row, a[2] = column;
}

/* form: count of hits */
FORM int form_count(double *b, int n)
{
  int count = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      count += b[j * 40 + i] > 0;
  return count;
}

/* form: value of the last iteration */
FORM double form_last(double *a, double *b, int n)
{
  double t = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      t = b[j * 40 + i] + i;
      a[i * 40 + j] += t;
    }
  return t;
}

/* form: neighbour read again, a[i][j] = b[i][j] + b[i][j-1] */
FORM void form_neighbours(double *restrict a, double *restrict b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j++)
      a[i * 40 + j] = b[i * 40 + j] + b[i * 40 + j - 1];
}

/* form: value carried by hand, prev = */
FORM void form_carried(double *restrict a, double *restrict b, int n)
{
  for (int i = 0; i < n; i++) {
    double prev = b[i * 40];
    for (int j = 1; j < n; j++) {
      double v = b[i * 40 + j];
      a[i * 40 + j] = v + prev;
      prev = v;
    }
  }
}

/* form: recurrence along rows */
FORM void form_recurrence(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j++)
      a[i * 40 + j] = (a[i * 40 + j - 1] + b[j * 40 + i]) * 0.5;
}

/* form: running sum in a scalar */
FORM void form_running(double *a, double *b, int n)
{
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      s += b[j * 40 + i];
      a[i * 40 + j] = s;
    }
}

/* form: scalar that serialises by storage alone */
FORM void form_storage(double *a, double *b, int n)
{
  static double t;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      t = b[j * 40 + i] + 1;
      a[i * 40 + j] = t * 2;
    }
}

/* form: row kept in a small array */
FORM void form_row(double *a, double *b, int n)
{
  double row[40];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      row[j] = b[j * 40 + i];
    for (int j = 0; j < n; j++)
      a[i * 40 + j] += row[n - 1 - j];
  }
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
#define EACH_RESTRICT(NAME)                                                                                                 \
  fill(a, 4000), fill(b, 4000);                                                                                             \
  TRY(NAME, (a, b, 33));                                                                                                    \
  TRY(NAME, (a, b, 0));                                                                                                     \
  TRY(NAME, (a, b, 1))
#define VALUE(TYPE, NAME)                                                                                                   \
  fill(a, 4000), fill(b, 4000);                                                                                             \
  for (int n = 0; n < 37; n += n < 2 ? 1 : 5)                                                                               \
  show(#NAME, (TYPE[]){form_##NAME(b, n)}, sizeof(TYPE))
  EACH(temporary);
  EACH(outside);
  EACH(memory);
  EACH(memory_zero);
  EACH(scalar);
  EACH(scalar_from);
  EACH_RESTRICT(fast);
  VALUE(double, sum);
  VALUE(double, sum_fast);
  VALUE(long, sum_int);
  VALUE(double, product);
  VALUE(double, minimum);
  VALUE(double, maximum);
  VALUE(double, several);
  EACH(argmin2);
  VALUE(int, count);
  fill(a, 4000);
  for (int n = 0; n < 37; n += n < 2 ? 1 : 5)
    show("last", (double[]){form_last(a, b, n), form_last(a, a + 1, n)}, 2 * sizeof(double));
  EACH_RESTRICT(neighbours);
  EACH_RESTRICT(carried);
  EACH(recurrence);
  EACH(running);
  EACH(storage);
  EACH(row);
  return 0;
}
