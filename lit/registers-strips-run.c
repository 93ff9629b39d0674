// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strips compute the same, bit for bit, and touch nothing else: products of matrices and vectors, transposed, both at once,
// one after the other, of two matrices, triangular solves; at many sizes, with rows longer than what is used, arrays next to
// inaccessible pages. Of several types, with vectors of all widths, late, in parallel, and by default.
//
// REQUIRES: gomp
// DEFINE: %{flags} =
// DEFINE: %{options} =
// DEFINE: %{count} =
// DEFINE: %{expect} = grep 'register tiles of 1x' %t.said | %count %{count}
// DEFINE: %{tessera} = -fpass-plugin=%plugin -mllvm -tessera-module-budget=0 -mllvm -tessera-print=ast -Rpass=tessera
// DEFINE: %{compile} = %clang -O2 %{flags} %{tessera} %{options} -c %s -o %t.o 2> %t.said && %{expect}
// DEFINE: %{run} = %clang -O1 %{flags} %s -o %t.plain && %t.plain > %t.expected \
// DEFINE:   && %clang -O2 %{flags} %{tessera} %{options} %s -lgomp -o %t 2> %t.said \
// DEFINE:   && env OMP_NUM_THREADS=3 %t > %t.out && diff %t.expected %t.out && %{expect}
//
// REDEFINE: %{flags} = -march=x86-64-v2
// REDEFINE: %{count} = 21
// RUN: %{run}
// REDEFINE: %{flags} = -march=x86-64-v2 -DT=float
// REDEFINE: %{options} = -mllvm -tessera-force
// REDEFINE: %{count} = 19
// RUN: %{run}
//
// Those with longer vectors run in registers-strips-run-avx2.test and registers-strips-run-avx512.test.
// REDEFINE: %{flags} = -march=x86-64-v3 -DT=int -DTA=short -fwrapv
// REDEFINE: %{count} = 18
// RUN: %{compile}
// REDEFINE: %{flags} = -march=x86-64-v3 -DTA=float
// REDEFINE: %{options} = -mllvm -tessera-parallel
// REDEFINE: %{count} = 23
// RUN: %{compile}
// REDEFINE: %{flags} = -march=x86-64-v4
// REDEFINE: %{options} = -mllvm -tessera-force
// REDEFINE: %{count} = 19
// RUN: %{compile}
// REDEFINE: %{flags} = -march=x86-64-v4 -DT=float
// REDEFINE: %{options} =
// REDEFINE: %{count} = 23
// RUN: %{compile}
// REDEFINE: %{flags} = -march=x86-64-v4 -DT=float -DTA=double
// REDEFINE: %{options} = -mllvm -tessera-force -mllvm -tessera-position=late
// REDEFINE: %{count} = 6
// RUN: %{compile}

#include "Inputs/guarded.h"

#ifndef T
#define T double
#endif
#ifndef TA
#define TA T
#endif

/* y and u have m elements, x and v n; A and B m rows of n, ld apart. */
#define LIST int m, int n, T *y, T *u, T *x, T *v, TA *a, TA *b, long ld
#define A(i, j) a[(i) * ld + (j)]
#define B(i, j) b[(i) * ld + (j)]
#define LOOP(i, n) for (int i = 0; i < n; i++)

FORM void form_product(LIST)
{
  LOOP(i, m) LOOP(j, n) y[i] += A(i, j) * x[j];
}
FORM void form_transposed(LIST)
{
  LOOP(i, m) LOOP(j, n) y[i] += A(i, j) * x[j];
  LOOP(j, n) LOOP(i, m) v[j] += A(i, j) * u[i];
}
FORM void form_difference(LIST)
{
  LOOP(i, m)
  {
    y[i] = u[i];
    LOOP(j, n) y[i] -= x[j] * A(i, j);
  }
}
FORM void form_both(LIST)
{
  LOOP(i, m)
  {
    y[i] = 0;
    LOOP(j, n)
    {
      v[j] = v[j] + u[i] * A(i, j);
      y[i] = y[i] + A(i, j) * x[j];
    }
  }
}
FORM void form_one_after_the_other(LIST)
{
  LOOP(i, m)
  {
    y[i] = 0;
    LOOP(j, n) y[i] = y[i] + A(i, j) * x[j];
    LOOP(j, n) v[j] = v[j] + A(i, j) * y[i];
  }
}
FORM void form_two_matrices(LIST)
{
  LOOP(i, m)
  {
    u[i] = 0;
    y[i] = 0;
    LOOP(j, n)
    {
      u[i] = A(i, j) * x[j] + u[i];
      y[i] = B(i, j) * x[j] + y[i];
    }
    y[i] = 3 * u[i] + 2 * y[i];
  }
}
FORM void form_sum_of_matrices(LIST)
{
  LOOP(i, m) LOOP(j, n) y[i] += (A(i, j) + B(i, j)) * x[j] * u[i];
}
FORM void form_sums_of_rows(LIST)
{
  LOOP(i, m) LOOP(j, n) y[i] += A(i, j);
}
FORM void form_horner(LIST)
{
  LOOP(i, m) LOOP(j, n) y[i] = y[i] * u[i] + A(i, j);
}
FORM void form_greatest(LIST)
{
  LOOP(i, m) LOOP(j, n) y[i] = y[i] > A(i, j) ? y[i] : A(i, j);
}
FORM void form_lower(LIST)
{
  LOOP(i, m) LOOP(j, i + 1) y[i] += A(i, j) * x[j];
}
FORM void form_upper(LIST)
{
  LOOP(i, m) for (int j = i; j < n; j++) y[i] += A(i, j) * x[j];
}
FORM void form_shifted(LIST)
{
  for (int i = 1; i < m - 2; i++)
    for (int j = 3; j < n - 1; j++)
      y[i] += A(i + 1, j - 2) * x[j + 1];
}
FORM void form_even(LIST)
{
  LOOP(i, m) for (int j = 0; j < n; j += 2) y[i] += A(i, j) * x[j];
}
FORM void form_even_rows(LIST)
{
  for (int i = 0; i < m; i += 2)
    LOOP(j, n) y[i] += A(i, j) * x[j];
}
FORM void form_backwards(LIST)
{
  LOOP(i, m) for (int j = n - 1; j >= 0; j--) y[i] += A(i, j) * x[j];
}
FORM void form_rows_backwards(LIST)
{
  for (int i = m - 1; i >= 0; i--)
    LOOP(j, n) y[i] += A(i, j) * x[j];
}
FORM void form_solve(LIST)
{
  LOOP(i, m)
  {
    y[i] = u[i];
    for (int j = 0; j < i; j++)
      y[i] -= A(i, j) * y[j];
    y[i] = y[i] * B(i, 0);
  }
}
FORM void form_solve_from_below(LIST)
{
  for (int i = m - 1; i >= 0; i--) {
    y[i] = u[i];
    for (int j = m - 1; j > i; j--)
      y[i] -= A(i, j) * y[j];
    y[i] = y[i] * B(i, 0);
  }
}
FORM void form_upper_in_place(LIST)
{
  LOOP(i, m)
  {
    y[i] = y[i] * A(i, i);
    for (int j = i + 1; j < m; j++)
      y[i] += A(i, j) * y[j];
  }
}
FORM void form_lower_in_place(LIST)
{
  for (int i = m - 1; i >= 0; i--) {
    y[i] = y[i] * A(i, i);
    for (int j = i - 1; j >= 0; j--)
      y[i] += A(i, j) * y[j];
  }
}
FORM void form_scaled(LIST)
{
  LOOP(i, m)
  {
    T s = 0;
    LOOP(j, n) s += A(i, j) * x[j];
    y[i] = 3 * s + 2 * y[i];
  }
}
FORM void form_symmetric_lower(LIST)
{
  LOOP(i, m)
  {
    T t = 3 * u[i], s = 0;
    for (int j = 0; j < i; j++) {
      y[j] += t * A(i, j);
      s += A(i, j) * u[j];
    }
    y[i] += t * A(i, i) + 3 * s;
  }
}
FORM void form_symmetric_upper(LIST)
{
  LOOP(i, m)
  {
    T t = 3 * u[i], s = 0;
    y[i] += t * A(i, i);
    for (int j = i + 1; j < m; j++) {
      y[j] += t * A(i, j);
      s += A(i, j) * u[j];
    }
    y[i] += 3 * s;
  }
}
FORM void form_carried(LIST)
{
  for (int i = 1; i < m; i++) {
    y[i] += y[i - 1];
    LOOP(j, n) y[i] += A(i, j) * x[j];
  }
}
FORM void form_in_place(LIST)
{
  LOOP(i, m) LOOP(j, n) A(i, 0) += A(i, j) * x[j];
}
FORM void form_repeated(LIST)
{
  LOOP(t, 3) LOOP(i, m) LOOP(j, n) y[i] += A(i, j) * x[j];
}

struct form {
  const char *name;
  void (*run)(LIST);
  int square;
};

static const struct form forms[] = {
    {"product", form_product, 0},
    {"transposed", form_transposed, 0},
    {"difference", form_difference, 0},
    {"both", form_both, 0},
    {"one after the other", form_one_after_the_other, 0},
    {"two matrices", form_two_matrices, 0},
    {"sum of matrices", form_sum_of_matrices, 0},
    {"sums of rows", form_sums_of_rows, 0},
    {"horner", form_horner, 0},
    {"greatest", form_greatest, 0},
    {"lower", form_lower, 1},
    {"upper", form_upper, 0},
    {"shifted", form_shifted, 0},
    {"even", form_even, 0},
    {"even rows", form_even_rows, 0},
    {"backwards", form_backwards, 0},
    {"rows backwards", form_rows_backwards, 0},
    {"solve", form_solve, 1},
    {"solve from below", form_solve_from_below, 1},
    {"upper in place", form_upper_in_place, 1},
    {"lower in place", form_lower_in_place, 1},
    {"scaled", form_scaled, 0},
    {"symmetric, lower", form_symmetric_lower, 1},
    {"symmetric, upper", form_symmetric_upper, 1},
    {"carried", form_carried, 0},
    {"in place", form_in_place, 0},
    {"repeated", form_repeated, 0},
};

#define FILL(TYPE, g, by)                                                                                                   \
  for (long e = 0; e < g.length / (long)sizeof(TYPE); e++)                                                                  \
  ((TYPE *)g.base)[e] = (TYPE)((e * by + 3) % 11 - 5) * ((TYPE)0.5 ? (TYPE)0.0137 : (TYPE)1)

__attribute__((noinline, optnone)) static void test(const struct form *form, int m, int n, int slack, int at_end)
{
  n = form->square ? m : n;
  long ld = n + slack, size = m && n ? (m - 1) * ld + n : 0;
  struct guarded g[6];
  uint64_t hash = 0;
  for (int k = 0; k < 6; k++) {
    g[k] = guarded_alloc(k < 2 ? m : k < 4 ? n : size, k < 4 ? sizeof(T) : sizeof(TA), at_end);
    if (k < 4)
      FILL(T, g[k], (2 * k + 1));
    else
      FILL(TA, g[k], (2 * k + 1));
  }
  form->run(m, n, g[0].at, g[1].at, g[2].at, g[3].at, g[4].at, g[5].at, ld);
  for (int k = 0; k < 6; k++) {
    hash = hash_bytes(hash, g[k].base, g[k].length);
    guarded_free(&g[k]);
  }
  printf("%s %d %d %d: %016llx\n", form->name, m, n, slack, (unsigned long long)hash);
  fflush(stdout);
}

__attribute__((noinline, optnone)) int main(int argc, char **argv)
{
  static const int sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 23, 24, 31, 32, 33, 47, 48, 49, 63, 65, 129};
  const int n_size = sizeof(sizes) / sizeof(sizes[0]), n_form = sizeof(forms) / sizeof(forms[0]);
  for (int f = 0; f < n_form; f++) {
    if (argc > 1 && strcmp(argv[1], forms[f].name))
      continue;
    for (int i = 0; i < n_size; i++)
      for (int j = i % 2; j < n_size; j += 2)
        test(&forms[f], sizes[i], sizes[j], (i + j) % 3, (i + j / 2) % 2);
  }
  return 0;
}
