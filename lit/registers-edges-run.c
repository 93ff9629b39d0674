// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is left beside register tiles runs as short vectors and computes the same, bit for bit, and touches nothing else:
// factorisations, solves with many right hand sides, triangular and banded products, in place, up and down; sizes around
// those of tiles, rows longer than what is used, arrays next to inaccessible pages; of several types, with vectors of all
// widths, late, and in parallel.
//
// REQUIRES: gomp
// DEFINE: %{some} = -mllvm -tessera-only='form_(lu|solve|upper|band)$'
// DEFINE: %{flags} =
// DEFINE: %{options} =
// DEFINE: %{count} =
// DEFINE: %{expect} = grep '// edges: S' %t.said | %count %{count}
// DEFINE: %{tessera} = -fpass-plugin=%plugin -mllvm -tessera-module-budget=0 -mllvm -tessera-print=ast -Rpass=tessera
// DEFINE: %{compile} = %clang -O2 %{flags} %{tessera} %{options} -c %s -o %t.o 2> %t.said && %{expect}
// DEFINE: %{run} = %clang -O1 %{flags} %s -o %t.plain && %t.plain > %t.expected \
// DEFINE:   && %clang -O2 %{flags} %{tessera} %{options} %s -lgomp -o %t 2> %t.said \
// DEFINE:   && env OMP_NUM_THREADS=3 %t > %t.out && diff %t.expected %t.out && %{expect}
//
// REDEFINE: %{flags} = -march=x86-64-v2 -DT=float
// REDEFINE: %{options} = -mllvm -tessera-force %{some}
// REDEFINE: %{count} = 3
// RUN: %{run}
//
// Those with longer vectors run in registers-edges-run-avx2.test and registers-edges-run-avx512.test.
// REDEFINE: %{flags} = -march=x86-64-v3
// RUN: %{compile}
// REDEFINE: %{flags} = -march=x86-64-v3 -DT=int -DTA=short -fwrapv
// RUN: %{compile}
// REDEFINE: %{flags} = -march=x86-64-v4 -DT=float -DTA=double
// REDEFINE: %{options} = -mllvm -tessera-parallel %{some}
// REDEFINE: %{count} = 4
// RUN: %{compile}
// REDEFINE: %{options} = -mllvm -tessera-force -mllvm -tessera-position=late
// REDEFINE: %{count} = 4
// RUN: %{compile}
// REDEFINE: %{flags} = -march=x86-64-v4
// REDEFINE: %{options} = -mllvm -tessera-force
// REDEFINE: %{count} = 6
// RUN: %{compile}
// REDEFINE: %{flags} = -march=x86-64-v4 -DT=float
// REDEFINE: %{options} =
// RUN: %{compile}

#include "Inputs/guarded.h"

#ifndef T
#define T double
#endif
#ifndef TA
#define TA T
#endif

/* A, C: n rows of n; B: n rows of m; rows are ld apart. */
#define LIST int n, int m, T *a, T *b, TA *c, long ld
#define A(i, j) a[(i) * ld + (j)]
#define B(i, j) b[(i) * ld + (j)]
#define C(i, j) c[(i) * ld + (j)]
#define LOOP(i, n) for (int i = 0; i < n; i++)
/* Integers aren't divided, as zeros come up; of numbers none is 0. */
#define OVER(x, y) ((T)0.5 ? (x) / (y) : (x) * 3 + (y))

FORM void form_lu(LIST)
{
  LOOP(i, n)
  {
    LOOP(j, i)
    {
      LOOP(k, j) A(i, j) -= A(i, k) * A(k, j);
      A(i, j) = OVER(A(i, j), A(j, j));
    }
    for (int j = i; j < n; j++)
      LOOP(k, i) A(i, j) -= A(i, k) * A(k, j);
  }
}
FORM void form_lu_right(LIST)
{
  LOOP(k, n)
  {
    for (int i = k + 1; i < n; i++)
      A(i, k) = OVER(A(i, k), A(k, k));
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++)
        A(i, j) -= A(i, k) * A(k, j);
  }
}
FORM void form_cholesky(LIST)
{
  LOOP(i, n)
  {
    LOOP(j, i)
    {
      LOOP(k, j) A(i, j) -= A(i, k) * A(j, k);
      A(i, j) = OVER(A(i, j), A(j, j));
    }
    LOOP(k, i) A(i, i) -= A(i, k) * A(i, k);
  }
}
FORM void form_solve(LIST)
{
  LOOP(i, n)
  {
    LOOP(k, i) LOOP(j, m) B(i, j) -= C(i, k) * B(k, j);
    LOOP(j, m) B(i, j) = OVER(B(i, j), C(i, i));
  }
}
FORM void form_solve_up(LIST)
{
  for (int i = n - 1; i >= 0; i--)
    for (int k = i + 1; k < n; k++)
      LOOP(j, m) B(i, j) -= C(i, k) * B(k, j);
}
FORM void form_trmm(LIST)
{
  LOOP(i, n) LOOP(j, m)
  {
    for (int k = i + 1; k < n; k++)
      B(i, j) += C(k, i) * B(k, j);
    B(i, j) = 3 * B(i, j);
  }
}
FORM void form_lower(LIST)
{
  LOOP(i, n) for (int j = 0; j <= i; j++) LOOP(k, n) A(i, j) += C(k, i) * C(k, j);
}
FORM void form_upper(LIST)
{
  LOOP(i, n) for (int j = i; j < n; j++) LOOP(k, n) A(i, j) += C(k, i) * C(k, j);
}
FORM void form_band(LIST)
{
  LOOP(i, n) for (int j = i < 20 ? 0 : i - 20; j < (i + 30 < n ? i + 30 : n); j++) LOOP(k, n) A(i, j) += C(i, k) * B(k, 0);
}
FORM void form_backwards(LIST)
{
  LOOP(i, n) for (int j = i; j >= 0; j--) LOOP(k, n) A(i, j) += C(k, i) * C(k, j);
}
FORM void form_even(LIST)
{
  LOOP(i, n) for (int j = i; j < n; j += 2) LOOP(k, n) A(i, j) += C(k, i) * C(k, j);
}

struct form {
  const char *name;
  void (*run)(LIST);
};

static const struct form forms[] = {
    {"lu", form_lu},       {"lu, right", form_lu_right},  {"cholesky", form_cholesky}, {"solve", form_solve},
    {"up", form_solve_up}, {"trmm", form_trmm},           {"lower", form_lower},       {"upper", form_upper},
    {"band", form_band},   {"backwards", form_backwards}, {"even", form_even},
};

static const int sizes[] = {0, 1, 2, 3, 5, 8, 13, 23, 24, 25, 47, 48, 49, 64, 95, 97, 131};
#define N_SIZES ((int)(sizeof sizes / sizeof *sizes))

__attribute__((noinline, optnone)) static void run(const struct form *form, int n, int m, int extra, int at_end)
{
  long ld = (n > m ? n : m) + extra, all = (n ? n - 1 : 0) * ld + (n > m ? n : m);
  struct guarded a = guarded_alloc(all, sizeof(T), at_end), b = guarded_alloc(all, sizeof(T), at_end),
                 c = guarded_alloc(all, sizeof(TA), at_end);
  T *pa = a.at, *pb = b.at;
  TA *pc = c.at;
  for (long i = 0; i < all; i++) {
    pa[i] = (T)((i * 7919 % 1013) / 64.0 - 5 + (i % (ld + 1) == 0) * 4 * n);
    pb[i] = (T)((i * 104729 % 1019) / 64.0 - 7);
    pc[i] = (TA)((i * 1299709 % 1021) / 64.0 - 6 + (i % (ld + 1) == 0) * 40);
  }
  form->run(n, m, pa, pb, pc, ld);
  uint64_t hash = hash_bytes(1, a.base, a.length);
  hash = hash_bytes(hash, b.base, b.length);
  hash = hash_bytes(hash, c.base, c.length);
  printf("%s %d %d %d %d %016llx\n", form->name, n, m, extra, at_end, (unsigned long long)hash);
  guarded_free(&a);
  guarded_free(&b);
  guarded_free(&c);
}

__attribute__((optnone)) int main(void)
{
  for (unsigned f = 0; f < sizeof forms / sizeof *forms; f++)
    for (int i = 0; i < N_SIZES; i++)
      for (int e = 0; e < 2; e++)
        run(&forms[f], sizes[i], sizes[(i * 5 + 3) % N_SIZES], e * 3, (i + e) % 2);
  return 0;
}
