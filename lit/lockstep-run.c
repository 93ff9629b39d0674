// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Outer loops as lanes compute the same, bit for bit, and touch nothing else: recurrences along rows, along columns,
// backwards, in place, in memory and in scalars, of one and of several statements; at many sizes, with rows longer than what
// is used, arrays next to inaccessible pages. Of several types, with vectors of all widths, late, in parallel, and by
// default.
//
// REQUIRES: gomp
// DEFINE: %{flags} =
// DEFINE: %{options} =
// DEFINE: %{count} =
// DEFINE: %{expect} = grep 'in lanes of' %t.said | %count %{count}
// DEFINE: %{tessera} = -fpass-plugin=%plugin -mllvm -tessera-module-budget=0 -mllvm -tessera-print=ast -Rpass=tessera
// DEFINE: %{compile} = %clang -O2 %{flags} %{tessera} %{options} -c %s -o %t.o 2> %t.said && %{expect}
// DEFINE: %{run} = %clang -O1 %{flags} %s -o %t.plain && %t.plain > %t.expected \
// DEFINE:   && %clang -O2 %{flags} %{tessera} %{options} %s -lgomp -o %t 2> %t.said \
// DEFINE:   && env OMP_NUM_THREADS=3 %t > %t.out && diff %t.expected %t.out && %{expect}
//
// REDEFINE: %{flags} = -march=x86-64-v2 -DT=float
// REDEFINE: %{options} = -mllvm -tessera-force
// REDEFINE: %{count} = 23
// RUN: %{run}
//
// Those with longer vectors run in lockstep-run-avx2.test and lockstep-run-avx512.test.
// REDEFINE: %{flags} = -march=x86-64-v3 -DT=int -fwrapv
// RUN: %{compile}
// REDEFINE: %{flags} = -march=x86-64-v3
// REDEFINE: %{options} = -mllvm -tessera-parallel -mllvm -tessera-force
// RUN: %{compile}
// REDEFINE: %{flags} = -march=x86-64-v4
// REDEFINE: %{options} =
// REDEFINE: %{count} = 8
// RUN: %{compile}
// REDEFINE: %{flags} = -march=x86-64-v4 -DT=float
// REDEFINE: %{options} = -mllvm -tessera-force -mllvm -tessera-position=late
// REDEFINE: %{count} = 24
// RUN: %{compile}

#include "Inputs/guarded.h"

#ifndef T
#define T double
#endif

/* y has m elements, x n; A and B m rows of n, ld apart. */
#define LIST int m, int n, T *y, T *x, T *a, T *b, T *c, long ld
#define A(i, j) a[(i) * ld + (j)]
#define B(i, j) b[(i) * ld + (j)]
#define C(i, j) c[(i) * ld + (j)]
#define LOOP(i, from, n) for (int i = from; i < n; i++)
#define BACK(i, n) for (int i = (n) - 1; i >= 0; i--)

FORM void form_rows(LIST)
{
  LOOP(i, 0, m) LOOP(j, 1, n) A(i, j) = A(i, j - 1) * x[j] + B(i, j);
}
FORM void form_columns(LIST)
{
  LOOP(j, 0, n) LOOP(i, 1, m) A(i, j) = A(i - 1, j) * y[i] + B(i, j);
}
FORM void form_rows_backwards(LIST)
{
  LOOP(i, 0, m) for (int j = n - 2; j >= 0; j--) A(i, j) = A(i, j + 1) * x[j] - B(i, j);
}
FORM void form_in_place(LIST)
{
  LOOP(i, 0, m) LOOP(j, 1, n) A(i, j) = A(i, j - 1) * x[j] + A(i, j);
}
FORM void form_in_place_both_sides(LIST)
{
  LOOP(i, 0, m) LOOP(j, 1, n - 1) A(i, j) = A(i, j - 1) * x[j] + A(i, j) - A(i, j + 1);
}
FORM void form_two_back(LIST)
{
  LOOP(i, 0, m) LOOP(j, 2, n) A(i, j) = A(i, j - 1) * x[j] + A(i, j - 2) + B(i, j);
}
FORM void form_two_ahead(LIST)
{
  LOOP(i, 0, m) LOOP(j, 1, n - 2) A(i, j) = A(i, j - 1) * x[j] + A(i, j + 2);
}
FORM void form_filter(LIST)
{
  LOOP(i, 0, m)
  {
    T u = 0, v = 0, w = 0;
    LOOP(j, 0, n)
    {
      A(i, j) = y[i] * B(i, j) + x[0] * w + u * 3 - v;
      w = B(i, j);
      v = u;
      u = A(i, j);
    }
  }
}
FORM void form_filter_backwards(LIST)
{
  LOOP(i, 0, m)
  {
    T u = 1, v = 2;
    BACK(j, n)
    {
      A(i, j) = u - v * B(i, j);
      v = u + C(i, j);
      u = A(i, j);
    }
    y[i] = u;
  }
}
FORM void form_filter_columns(LIST)
{
  LOOP(j, 0, n)
  {
    T u = 0, v = x[j];
    LOOP(i, 0, m)
    {
      A(i, j) = u * 2 - v + B(i, j);
      v = u;
      u = A(i, j);
    }
  }
}
FORM void form_filter_columns_backwards(LIST)
{
  LOOP(j, 0, n)
  {
    T u = 0;
    BACK(i, m)
    {
      C(i, j) = u + B(i, j);
      u = u * 2 - C(i, j);
    }
    x[j] = u;
  }
}
FORM void form_folded(LIST)
{
  LOOP(i, 0, m)
  {
    T u = y[i];
    LOOP(j, 0, n) u = u * x[j] + A(i, j);
    y[i] = u;
  }
}
FORM void form_divided(LIST)
{
  LOOP(i, 0, m)
  {
    A(i, 0) = 1;
    B(i, 0) = C(i, 0);
    LOOP(j, 1, n)
    {
      A(i, j) = x[j] - (T)3 * A(i, j - 1);
      B(i, j) = (C(i, j) - A(i, j - 1) * B(i, j - 1)) + A(i, j);
    }
    BACK(j, n - 1) C(i, j) = A(i, j) * C(i, j + 1) + B(i, j);
  }
}
FORM void form_new(LIST)
{
  LOOP(i, 0, m) LOOP(j, 1, n)
  {
    A(i, j) = A(i, j - 1) * x[j] + B(i, j);
    C(i, j) = A(i, j) * y[i] - A(i, j - 1);
  }
}
FORM void form_two_stores(LIST)
{
  LOOP(i, 0, m) LOOP(j, 1, n)
  {
    A(i, j) = A(i, j - 1) * x[j];
    A(i, j) = A(i, j) + B(i, j - 1);
  }
}
FORM void form_two_stores_apart(LIST)
{
  LOOP(i, 0, m) LOOP(j, 1, n - 1)
  {
    A(i, j) = A(i, j - 1) * x[j];
    A(i, j + 1) = A(i, j) + B(i, j);
  }
}
FORM void form_crossed(LIST)
{
  LOOP(i, 0, m) LOOP(j, 1, n)
  {
    A(i, j) = B(i, j - 1) * x[j] + 1;
    B(i, j) = A(i, j - 1) - y[i];
  }
}
FORM void form_neighbours(LIST)
{
  LOOP(i, 1, m - 1) LOOP(j, 1, n) A(i, j) = A(i, j - 1) * x[j] + (B(i - 1, j) + B(i + 1, j - 1) - B(i, j));
}
FORM void form_transposed(LIST)
{
  int k = m < n ? m : n;
  LOOP(i, 1, k - 1) LOOP(j, 1, k) A(i, j) = A(i, j - 1) + B(j, i - 1) - B(j, i + 1) * y[j];
}
FORM void form_repeated(LIST)
{
  LOOP(i, 0, m) LOOP(t, 0, 3) LOOP(j, 1, n) A(i, j) = A(i, j - 1) + A(i, j) * x[t < n ? t : 0];
}
FORM void form_steps(LIST)
{
  LOOP(t, 0, 3)
  {
    LOOP(i, 0, m) LOOP(j, 1, n) A(i, j) = A(i, j - 1) + B(i, j);
    LOOP(j, 0, n) LOOP(i, 1, m) B(i, j) = B(i - 1, j) - A(i, j);
  }
}
FORM void form_least(LIST)
{
  LOOP(i, 0, m) LOOP(j, 1, n) A(i, j) = A(i, j - 1) < B(i, j) ? A(i, j - 1) + 1 : B(i, j);
}
FORM void form_triangle(LIST)
{
  LOOP(i, 0, m) LOOP(j, 1, (i < n ? i : n)) A(i, j) = A(i, j - 1) * x[j] + B(i, j);
}
FORM void form_some_rows(LIST)
{
  LOOP(i, 0, m)
  {
    if (i > 5)
      A(i, 0) = B(i, 0);
    LOOP(j, 1, n) A(i, j) = A(i, j - 1) - B(i, j);
  }
}
FORM void form_last_row_lives(LIST)
{
  T u = 5;
  LOOP(i, 0, m)
  {
    u = 1;
    LOOP(j, 0, n) A(i, j) = u = u * x[j] + B(i, j);
  }
  y[0] = u;
}
FORM void form_one_for_all(LIST)
{
  T u = 5;
  LOOP(i, 0, m) LOOP(j, 0, n) A(i, j) = u = u + B(i, j);
}
FORM void form_every_other(LIST)
{
  LOOP(i, 0, m) for (int j = 2; j < n; j += 2) A(i, j) = A(i, j - 2) * x[j] + B(i, j);
}
FORM void form_every_other_row(LIST)
{
  for (int i = 0; i < m; i += 2)
    LOOP(j, 1, n) A(i, j) = A(i, j - 1) * x[j] + B(i, j);
}
FORM void form_rows_from_behind(LIST)
{
  BACK(i, m) LOOP(j, 1, n) A(i, j) = A(i, j - 1) * x[j] + B(i, j);
  BACK(j, n) LOOP(i, 1, m) C(i, j) = C(i - 1, j) + B(i, j);
}

static const struct form {
  const char *name;
  void (*run)(LIST);
} forms[] = {
    {"rows", form_rows},
    {"columns", form_columns},
    {"rows backwards", form_rows_backwards},
    {"in place", form_in_place},
    {"in place, both sides", form_in_place_both_sides},
    {"two back", form_two_back},
    {"two ahead", form_two_ahead},
    {"filter", form_filter},
    {"filter backwards", form_filter_backwards},
    {"filter of columns", form_filter_columns},
    {"filter of columns backwards", form_filter_columns_backwards},
    {"folded", form_folded},
    {"divided", form_divided},
    {"new", form_new},
    {"two stores", form_two_stores},
    {"two stores apart", form_two_stores_apart},
    {"crossed", form_crossed},
    {"neighbours", form_neighbours},
    {"transposed", form_transposed},
    {"repeated", form_repeated},
    {"steps", form_steps},
    {"least", form_least},
    {"triangle", form_triangle},
    {"some rows", form_some_rows},
    {"last row lives", form_last_row_lives},
    {"one for all", form_one_for_all},
    {"every other", form_every_other},
    {"every other row", form_every_other_row},
    {"rows from behind", form_rows_from_behind},
};

__attribute__((noinline, optnone)) static void test(const struct form *form, int m, int n, int slack, int at_end)
{
  long ld = n + slack, size = m && n ? (m - 1) * ld + n : 0;
  struct guarded g[5];
  uint64_t hash = 0;
  if (form->run != form_columns && m && n < 2) /* A(i, 0) is written in any case */
    return;
  for (int k = 0; k < 5; k++) {
    g[k] = guarded_alloc(k == 0 ? m : k == 1 ? n : size, sizeof(T), at_end);
    for (long e = 0; e < g[k].length / (long)sizeof(T); e++)
      ((T *)g[k].base)[e] = (T)((e * (2 * k + 1) + 3) % 11 - 5) * ((T)0.5 ? (T)0.137 : (T)1);
  }
  if (m || form->run != form_last_row_lives)
    form->run(m, n, g[0].at, g[1].at, g[2].at, g[3].at, g[4].at, ld);
  for (int k = 0; k < 5; k++) {
    hash = hash_bytes(hash, g[k].base, g[k].length);
    guarded_free(&g[k]);
  }
  printf("%s %d %d %d: %016llx\n", form->name, m, n, slack, (unsigned long long)hash);
  fflush(stdout);
}

__attribute__((noinline, optnone)) int main(int argc, char **argv)
{
  static const int sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 18, 23, 31, 32, 33, 34, 47, 64, 65, 67};
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
