// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Register tiles compute the same, bit for bit, and touch nothing else: matrix products in all orders and forms, triangular
// ones, convolutions, minimum plus; at many sizes, with rows longer than what is used, arrays next to inaccessible pages.
//
// All of them with the widest vectors, some with others, of other types, late, in parallel, and by default.
//
// REQUIRES: gomp
// DEFINE: %{flags} =
// DEFINE: %{options} =
// DEFINE: %{count} =
// DEFINE: %{expect} = grep 'register tiles of' %t.said | %count %{count}
// DEFINE: %{tessera} = -fpass-plugin=%plugin -mllvm -tessera-module-budget=0 -mllvm -tessera-print=ast -Rpass=tessera
// DEFINE: %{compile} = %clang -O2 %{flags} %{tessera} %{options} -c %s -o %t.o 2> %t.said && %{expect}
// DEFINE: %{run} = %clang -O1 %{flags} %s -o %t.plain && %t.plain > %t.expected \
// DEFINE:   && %clang -O2 %{flags} %{tessera} %{options} %s -lgomp -o %t 2> %t.said \
// DEFINE:   && env OMP_NUM_THREADS=3 %t > %t.out && diff %t.expected %t.out && %{expect}
//
// REDEFINE: %{flags} = -march=x86-64-v2 -DT=float
// REDEFINE: %{options} = -mllvm -tessera-force -mllvm -tessera-only='form_(ijk|nt|trmm|least_sum)$'
// REDEFINE: %{count} = 4
// RUN: %{run}
//
// Those with longer vectors run in registers-run-avx2.test and registers-run-avx512.test.
// REDEFINE: %{flags} = -march=x86-64-v3 -DT=int -DTA=short -DTB=char -fwrapv
// REDEFINE: %{options} = -mllvm -tessera-force -mllvm -tessera-position=late -mllvm -tessera-only='form_(ikj|sum)$'
// REDEFINE: %{count} = 2
// RUN: %{compile}
// REDEFINE: %{flags} = -march=x86-64-v4
// REDEFINE: %{options} = -mllvm -tessera-force -mllvm -tessera-only='form_'
// REDEFINE: %{count} = 36
// RUN: %{compile}
// REDEFINE: %{flags} = -march=x86-64-v4 -DT=float -DTA=double
// REDEFINE: %{options} = -mllvm -tessera-parallel -mllvm -tessera-only='form_(ijk|trmm)$'
// REDEFINE: %{count} = 2
// RUN: %{compile}

#include "Inputs/guarded.h"
#include "Inputs/contractions.h"

struct form {
  const char *name;
  void (*run)(LIST);
  const char *shape; /* rows and columns of C, A and B; s: the smallest of m, n, l */
};

static const struct form forms[] = {
    {"ijk", form_ijk, "mnmlln"},
    {"ikj", form_ikj, "mnmlln"},
    {"jik", form_jik, "mnmlln"},
    {"jki", form_jki, "mnmlln"},
    {"kij", form_kij, "mnmlln"},
    {"kji", form_kji, "mnmlln"},
    {"tn", form_tn, "mnlmln"},
    {"nt", form_nt, "mnmlnl"},
    {"tt", form_tt, "mnlmnl"},
    {"into transpose", form_into_transpose, "nmmlln"},
    {"scaled", form_scaled, "mnmlln"},
    {"scaled by rows", form_scaled_by_rows, "mnmlln"},
    {"sum", form_sum, "mnmlln"},
    {"set first", form_set_first, "mnmlln"},
    {"difference", form_difference, "mnmlln"},
    {"reversed", form_reversed, "mnmlln"},
    {"even", form_even, "mnmlln"},
    {"shifted", form_shifted, "mnmlln"},
    {"two", form_two, "mnmlln"},
    {"two terms", form_two_terms, "mnmlln"},
    {"syrk", form_syrk, "ssslss"},
    {"syr2k", form_syr2k, "ssssss"},
    {"upper", form_upper, "ssslls"},
    {"covariance", form_covariance, "ssssss"},
    {"symmetric", form_symmetric, "ssssss"},
    {"trmm", form_trmm, "ssssss"},
    {"trmm, not in place", form_trmm_other, "ssssss"},
    {"trmm, right", form_trmm_right, "ssssss"},
    {"lu", form_lu, "ssssss"},
    {"lu, right looking", form_lu_right_looking, "ssssss"},
    {"cholesky", form_cholesky, "ssssss"},
    {"in place", form_in_place, "ssssss"},
    {"in place, ijk", form_in_place_ijk, "ssssss"},
    {"row above", form_row_above, "mnmlln"},
    {"next element", form_next_element, "mnmlln"},
    {"least sum", form_least_sum, "mnmlln"},
    {"greatest", form_greatest, "mnmlln"},
    {"shortest paths", form_shortest_paths, "ssssss"},
    {"product", form_product, "mnmlln"},
    {"horner", form_horner, "mnmlln"},
    {"chosen", form_chosen, "mnmlln"},
    {"counter", form_counter, "mnmlln"},
    {"convolution", form_convolution, "mn33ln"},
    {"channels", form_channels, "mnmlln"},
    {"polynomials", form_polynomials, "mnmlln"},
    {"diagonals", form_diagonals, "ssssss"},
};

__attribute__((noinline, optnone)) static long extent(char c, int m, int n, int l)
{
  int s = m < n ? m < l ? m : l : n < l ? n : l;
  return c == 'm' ? m : c == 'n' ? n : c == 'l' ? l : c == 's' ? s : 3;
}

/* Elements that a matrix takes. */
__attribute__((noinline, optnone)) static long size(const char *shape, long ld, int m, int n, int l)
{
  long rows = extent(shape[0], m, n, l), columns = extent(shape[1], m, n, l);
  return rows && columns ? (rows - 1) * ld + columns : 0;
}

#define FILL(TYPE, g, by, part)                                                                                               \
  for (long x = 0; x < g.length / (long)sizeof(TYPE); x++)                                                                    \
  ((TYPE *)g.base)[x] = (TYPE)((x * by + 3) % 11 - 5) * (TYPE)(part)

/* A fraction for floating-point types, 1 for integers. */
#define PART(TYPE) ((TYPE)0.5 ? (TYPE)0.0137 : (TYPE)1)

__attribute__((noinline, optnone)) static void test(const struct form *form, int m, int n, int l, int slack, int at_end)
{
  const char *shape = form->shape;
  long ldc = extent(shape[1], m, n, l) + slack, lda = extent(shape[3], m, n, l) + 2 * slack;
  long ldb = extent(shape[5], m, n, l) + slack;
  struct guarded c = guarded_alloc(size(shape, ldc, m, n, l), sizeof(T), at_end);
  struct guarded a = guarded_alloc(size(shape + 2, lda, m, n, l), sizeof(TA), at_end);
  struct guarded b = guarded_alloc(size(shape + 4, ldb, m, n, l), sizeof(TB), at_end);
  FILL(T, c, 7, PART(T));
  FILL(TA, a, 5, PART(TA));
  FILL(TB, b, 3, PART(TB));
  form->run(m, n, l, c.at, ldc, a.at, lda, b.at, ldb);
  printf("%s %d %d %d %d: %016llx\n", form->name, m, n, l, slack,
         (unsigned long long)hash_bytes(hash_bytes(hash_bytes(0, c.base, c.length), a.base, a.length), b.base, b.length));
  fflush(stdout);
  guarded_free(&c);
  guarded_free(&a);
  guarded_free(&b);
}

__attribute__((noinline, optnone)) int main(int argc, char **argv)
{
  static const int sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 16, 17, 23, 24, 25, 31, 33, 47, 48, 49, 127, 128, 129, 513};
  const int n_size = sizeof(sizes) / sizeof(sizes[0]), n_form = sizeof(forms) / sizeof(forms[0]);
  unsigned state = 1;
  for (int f = 0; f < n_form; f++) {
    if (argc > 1 && strcmp(argv[1], forms[f].name))
      continue;
    for (int i = 0; i < n_size; i++)
      if (sizes[i] < 100)
        test(&forms[f], sizes[i], sizes[i], sizes[i], i % 3, i % 2);
    test(&forms[f], 129, 127, 128, 1, 1);
    for (int i = 0, done = 0; done < 40; i++) {
      int size[3];
      for (int k = 0; k < 3; k++) {
        state = state * 1664525 + 1013904223;
        size[k] = sizes[(state >> 16) % n_size];
      }
      if ((long)size[0] * size[1] * size[2] > 1 << 19)
        continue;
      test(&forms[f], size[0], size[1], size[2], i % 4, i % 3 > 0);
      done++;
    }
  }
  return 0;
}
