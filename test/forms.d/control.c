/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Control: conditions on data, ways out of a loop, checks that end the program. */
#include <math.h>

#include "forms.h"

static double buf[2][4000];

/* form: continue */
FORM void form_continue(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (i == j)
        continue;
      a[i * 40 + j] += b[j * 40 + i];
    }
}

/* form: remainder, (i + j) % 2 == 0 (red-black) */
FORM void form_red_black(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if ((i + j) % 2 == 0)
        a[i * 40 + j] += b[j * 40 + i];
}

/* form: mask, (i & 3) < 2 */
FORM void form_mask(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if ((i & 3) < 2)
        a[i * 40 + j] += b[j * 40 + i];
}

/* form: continue, on data */
FORM void form_continue_data(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (b[j * 40 + i] < 0)
        continue;
      a[i * 40 + j] += b[j * 40 + i];
    }
}

/* form: if on data around a store */
FORM void form_if_data(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (b[j * 40 + i] > a[i * 40 + j])
        a[i * 40 + j] = b[j * 40 + i];
}

/* form: if and else on data */
FORM void form_if_else(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (b[j * 40 + i] > 1)
        a[i * 40 + j] += 2;
      else
        a[j * 40 + i] -= b[j * 40 + i];
}

/* form: conditions on data, one in another */
FORM void form_if_nested(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (b[j * 40 + i] > 0 && a[i * 40 + j] < 3) {
        a[i * 40 + j] += 1;
        if (a[i * 40 + j] == 2)
          b[j * 40 + i] = 0;
      }
}

/* form: select */
FORM void form_select(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] = b[j * 40 + i] < 0 ? -b[j * 40 + i] : a[i * 40 + j];
}

/* form: fabs, fmin, fmax */
FORM void form_fminmax(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] = fmax(fmin(fabs(b[j * 40 + i]), 4), a[i * 40 + j]);
}

/* form: abs, min and max of integers */
FORM void form_int_minmax(int *a, int *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int d = abs(a[i * 40 + j] - b[j * 40 + i]);
      a[i * 40 + j] = d < 100 ? d : 100;
    }
}

/* form: saturation to 8 bits */
FORM void form_saturate(uint8_t *a, uint8_t *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int v = a[i * 40 + j] * 3 - b[j * 40 + i];
      a[i * 40 + j] = v < 0 ? 0 : v > 255 ? 255 : v;
    }
}

/* form: switch on data */
FORM void form_switch_data(int *a, int *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      switch (b[j * 40 + i] & 3) {
      case 0:
        a[i * 40 + j] += 1;
        break;
      case 1:
        a[i * 40 + j] *= 3;
        break;
      case 2:
        b[j * 40 + i] = a[i * 40 + j];
        break;
      default:
        break;
      }
}

/* form: switch on a counter */
FORM void form_switch_counter(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      switch (j) {
      case 0:
        a[i * 40 + j] = 1;
        break;
      case 5:
        a[i * 40 + j] -= b[j * 40 + i];
        break;
      default:
        a[i * 40 + j] += b[j * 40 + i];
      }
}

/* form: switch around loops */
FORM void form_switch_loops(double *a, double *b, int n, int mode)
{
  for (int i = 0; i < n; i++)
    switch (mode) {
    case 1:
      for (int j = 0; j < n; j++)
        a[i * 40 + j] += b[j * 40 + i];
      break;
    case 2:
      for (int j = 0; j < n; j++)
        a[i * 40 + j] = 0;
      break;
    default:
      for (int j = 0; j < n; j++)
        a[i * 40 + j] = 2 * b[j * 40 + i];
    }
}

/* form: print and exit */
FORM void form_exit(double *a, double *b, int n, int limit)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (i + j >= limit) {
        fprintf(stderr, "%d is too large\n", i + j);
        exit(1);
      }
      a[i * 40 + j] += b[j * 40 + i];
    }
}

/* form: print once in a while */
FORM void form_print(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (b[j * 40 + i] > 1000)
        printf("%d %d\n", i, j);
      a[i * 40 + j] += b[j * 40 + i];
    }
}

/* form: return from the loop */
FORM int form_return(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (b[j * 40 + i] == 77)
        return i;
      a[i * 40 + j] += b[j * 40 + i];
    }
  return -1;
}

/* form: goto forward */
FORM void form_goto(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (b[j * 40 + i] < 0)
        goto next;
      a[i * 40 + j] += b[j * 40 + i];
    next:
      a[i * 40 + j] *= 2;
    }
}

/* form: inner loop until a value is small */
FORM void form_until_small(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double x = fabs(b[j * 40 + i]);
      int steps = 0;
      while (x > 0.25)
        x *= 0.5, steps++;
      a[i * 40 + j] += steps;
    }
}

/* form: finite elements, while (p < end) */
FORM void form_finite_elements(double *restrict y, const double *restrict x, const double *restrict value,
                               const int *restrict column, const int *restrict end, int n)
{
  int p = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    while (p < end[i]) {
      sum += value[p] * x[column[p]];
      p++;
    }
    y[i] = sum;
  }
}

/* form: sparse rows, while (p < end) */
FORM void form_sparse_while(double *restrict y, const double *restrict x, const double *restrict value,
                            const int *restrict column, const int *restrict start, int n)
{
  for (int i = 0; i < n; i++) {
    int p = start[i], end = start[i + 1];
    double sum = 0;
    while (p < end) {
      sum += value[p] * x[column[p]];
      p++;
    }
    y[i] = sum;
  }
}

static void fill_bytes(void *a, long n)
{
  for (long i = 0; i < n; i++)
    ((unsigned char *)a)[i] = (unsigned char)(i * 37 + i / 7);
}

static void sparse(void)
{
  static int column[200], start[41];
  for (int i = 0; i < 200; i++)
    column[i] = i * 13 % 40;
  for (int i = 0; i < 40; i++)
    start[i + 1] = start[i] + i % 7 * (i % 3);
  double *a = buf[0], *b = buf[1];
  form_finite_elements(a, b, b + 100, column, start + 1, 40);
  form_sparse_while(a + 100, b, b + 200, column, start, 40);
  form_sparse_while(a + 200, b, b + 200, column, start, 0);
  show("finite_elements", a, 100 * sizeof(double));
  show("sparse_while", a + 100, 200 * sizeof(double));
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
  TRY(NAME, (a, b, 33));                                                                                                    \
  TRY(NAME, (a, b, 0));                                                                                                     \
  TRY(NAME, (a, b, 1));                                                                                                     \
  TRY(NAME, (a, a + 3, 17))
#define EACH_OF(TYPE, NAME)                                                                                                 \
  fill_bytes(buf, sizeof(buf));                                                                                             \
  TRY(NAME, ((TYPE *)a, (TYPE *)b, 33));                                                                                    \
  TRY(NAME, ((TYPE *)a, (TYPE *)a, 31));                                                                                    \
  TRY(NAME, ((TYPE *)a, (TYPE *)a + 3, 17))
  EACH(continue);
  EACH(red_black);
  EACH(mask);
  EACH(continue_data);
  EACH(if_data);
  EACH(if_else);
  EACH(if_nested);
  EACH(select);
  EACH(fminmax);
  EACH(switch_counter);
  TRY(switch_loops, (a, b, 33, 1));
  TRY(switch_loops, (a, b, 21, 2));
  TRY(switch_loops, (a, a + 1, 13, 0));
  TRY(exit, (a, b, 33, 65));
  TRY(exit, (a, b, 0, 0));
  EACH(print);
  show("return", &(int){form_return(a, b, 33)}, sizeof(int));
  b[8 * 40 + 7] = 77;
  show("return", &(int){form_return(a, b, 33)}, sizeof(int));
  EACH(return);
  fill(a, 4000), fill(b, 4000);
  EACH(goto);
  fill(a, 4000), fill(b, 4000);
  EACH(until_small);
  fill(b, 4000);
  sparse();
  for (int i = 0; i < 2 * 4000; i++)
    ((int *)buf)[i] = i * 37 % 101 - 50;
  TRY(int_minmax, ((int *)a, (int *)b, 33));
  TRY(int_minmax, ((int *)a, (int *)a, 31));
  EACH_OF(uint8_t, saturate);
  for (int i = 0; i < 2 * 4000; i++)
    ((int *)buf)[i] = i * 37 % 101 - 50;
  TRY(switch_data, ((int *)a, (int *)b, 33));
  TRY(switch_data, ((int *)a, (int *)a + 2, 5));
  return 0;
}
