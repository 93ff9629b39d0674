/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls a routine of the BLAS, the same one of several libraries, in one form.
 *
 *     ./a.out time  dgemm tn M N K LD_PLUS ROUNDS LIBRARY..    a line a round: seconds a call of each library
 *     ./a.out check dgemm tn M N K LD_PLUS LIBRARY LIBRARY     "differs: .." if the results aren't the same, bit for bit
 *
 * A form has a letter for each of the routine's options, in their order. A matrix of R rows has LD_PLUS rows more in memory,
 * which nothing may write. Libraries are called in turn, each as often as it takes to fill a time, and what a call changes
 * is as it was before the next one, so that powers of a matrix don't run into numbers that take longer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_LIBRARIES 8

/* The type of a routine, by its first letter. */
static int is_float, is_complex;
static size_t element;

struct call {
  char option[5]; /* its letters, as the routine takes them */
  int m, n, k, ld_plus;
};

struct array {
  size_t bytes;
  char *data, *start; /* start: what data is before each call */
  int ld;
};

/* Fills COUNT numbers at ARRAY's start: small ones; SPECIAL, some that are none, infinite, -0.0 or 0. */
static void fill(struct array *array, size_t count, unsigned seed, int special)
{
  static const double odd[] = {0.0, -0.0, NAN, INFINITY, -INFINITY};
  size_t n = count * (is_complex ? 2 : 1);
  for (size_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    double x = ((double)(seed >> 8) / (1 << 24) - 0.5);
    if (special && (seed >> 8) % 16 == 0)
      x = odd[(seed >> 12) % (special == 1 ? 2 : 5)];
    if (is_float)
      ((float *)array->start)[i] = (float)x;
    else
      ((double *)array->start)[i] = x;
  }
}

/* A matrix of ROWS x COLUMNS, or a vector, whose leading dimension is LD_PLUS more. */
static struct array make(int rows, int columns, int ld_plus, unsigned seed, int special)
{
  struct array array = {.ld = (rows > 0 ? rows : 1) + ld_plus};
  size_t count = (size_t)array.ld * (size_t)(columns > 0 ? columns : 1);
  array.bytes = count * element;
  array.data = malloc(array.bytes);
  array.start = malloc(array.bytes);
  fill(&array, count, seed, special);
  return array;
}

/* Makes the diagonal of a triangle such that a solution with it stays small. */
static void dominate(struct array *array, int n)
{
  for (int i = 0; i < n; i++) {
    size_t at = ((size_t)i * (size_t)array->ld + (size_t)i) * (is_complex ? 2 : 1);
    if (is_float)
      ((float *)array->start)[at] = (float)(n + 2);
    else
      ((double *)array->start)[at] = n + 2;
  }
}

static void scalar(void *to, double value)
{
  memset(to, 0, 16);
  if (is_float)
    *(float *)to = (float)value;
  else
    *(double *)to = value;
}

static void release(struct array *array)
{
  free(array->data);
  free(array->start);
}

typedef void function();

/* One call of each kind of routine: the arrays that it takes, and the call. */
struct work {
  const char *name; /* without the type */
  struct array a, b, c;
  _Alignas(16) char alpha[16], beta[16];
  int inc;
};

static int transposed(char letter)
{
  return letter != 'n';
}

/* Sizes of the operands of what is called NAME. */
static struct work prepare(const char *name, const struct call *call, int special, double alpha, double beta)
{
  struct work w = {.name = name, .inc = 1};
  const char *o = call->option;
  int m = call->m, n = call->n, k = call->k, plus = call->ld_plus;
  scalar(w.alpha, alpha);
  scalar(w.beta, beta);
  if (!strcmp(name, "gemm")) {
    w.a = transposed(o[0]) ? make(k, m, plus, 1, special) : make(m, k, plus, 1, special);
    w.b = transposed(o[1]) ? make(n, k, plus, 2, special) : make(k, n, plus, 2, special);
    w.c = make(m, n, plus, 3, special);
  } else if (!strcmp(name, "symm")) {
    int order = o[0] == 'l' ? m : n;
    w.a = make(order, order, plus, 1, special);
    w.b = make(m, n, plus, 2, special);
    w.c = make(m, n, plus, 3, special);
  } else if (!strcmp(name, "syrk") || !strcmp(name, "syr2k")) {
    w.a = transposed(o[1]) ? make(k, n, plus, 1, special) : make(n, k, plus, 1, special);
    w.b = transposed(o[1]) ? make(k, n, plus, 2, special) : make(n, k, plus, 2, special);
    w.c = make(n, n, plus, 3, special);
  } else if (!strcmp(name, "trmm") || !strcmp(name, "trsm")) {
    int order = o[0] == 'l' ? m : n;
    w.a = make(order, order, plus, 1, special);
    dominate(&w.a, order);
    w.b = make(1, 1, 0, 2, 0);
    w.c = make(m, n, plus, 3, special);
  } else {
    int rows = !strcmp(name, "gemv") || !strcmp(name, "ger") ? m : n, longest = m > n ? m : n;
    w.a = make(rows, n, plus, 1, special);
    if (rows == n)
      dominate(&w.a, n);
    w.b = make(longest, 1, 0, 2, special);
    w.c = make(longest, 1, 0, 3, special);
  }
  return w;
}

/* The call; lengths of options come last, as Fortran passes them. */
static void apply(function *f, const struct call *call, struct work *w)
{
  const char *o = call->option, *name = w->name;
  const int *m = &call->m, *n = &call->n, *k = &call->k;
  struct array *a = &w->a, *b = &w->b, *c = &w->c;
  size_t one = 1;
  if (!strcmp(name, "gemm"))
    f(&o[0], &o[1], m, n, k, w->alpha, a->data, &a->ld, b->data, &b->ld, w->beta, c->data, &c->ld, one, one);
  else if (!strcmp(name, "symm"))
    f(&o[0], &o[1], m, n, w->alpha, a->data, &a->ld, b->data, &b->ld, w->beta, c->data, &c->ld, one, one);
  else if (!strcmp(name, "syrk"))
    f(&o[0], &o[1], n, k, w->alpha, a->data, &a->ld, w->beta, c->data, &c->ld, one, one);
  else if (!strcmp(name, "syr2k"))
    f(&o[0], &o[1], n, k, w->alpha, a->data, &a->ld, b->data, &b->ld, w->beta, c->data, &c->ld, one, one);
  else if (!strcmp(name, "trmm") || !strcmp(name, "trsm"))
    f(&o[0], &o[1], &o[2], &o[3], m, n, w->alpha, a->data, &a->ld, c->data, &c->ld, one, one, one, one);
  else if (!strcmp(name, "gemv"))
    f(&o[0], m, n, w->alpha, a->data, &a->ld, b->data, &w->inc, w->beta, c->data, &w->inc, one);
  else if (!strcmp(name, "symv"))
    f(&o[0], n, w->alpha, a->data, &a->ld, b->data, &w->inc, w->beta, c->data, &w->inc, one);
  else if (!strcmp(name, "ger"))
    f(m, n, w->alpha, b->data, &w->inc, c->data, &w->inc, a->data, &a->ld);
  else if (!strcmp(name, "syr"))
    f(&o[0], n, w->alpha, b->data, &w->inc, a->data, &a->ld, one);
  else if (!strcmp(name, "syr2"))
    f(&o[0], n, w->alpha, b->data, &w->inc, c->data, &w->inc, a->data, &a->ld, one);
  else if (!strcmp(name, "trmv") || !strcmp(name, "trsv"))
    f(&o[0], &o[1], &o[2], n, a->data, &a->ld, c->data, &w->inc, one, one, one);
}

static void reset(struct work *w)
{
  memcpy(w->a.data, w->a.start, w->a.bytes);
  memcpy(w->b.data, w->b.start, w->b.bytes);
  memcpy(w->c.data, w->c.start, w->c.bytes);
}

static void finish(struct work *w)
{
  release(&w->a);
  release(&w->b);
  release(&w->c);
}

/* ---- time ---- */

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* others may use the core, too */
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds a call. Arrays are reset outside of the time that counts. */
static double measure(function *f, const struct call *call, struct work *w)
{
  double seconds = 0;
  int runs = 0;
  while (seconds < 0.05) {
    reset(w);
    double begin = now();
    apply(f, call, w);
    seconds += now() - begin;
    runs++;
  }
  return seconds / runs;
}

static void time_all(function *const *f, int n, const struct call *call, const char *name, int rounds)
{
  struct work w = prepare(name, call, 0, 0.75, 0.5);
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < n; i++)
      printf("%.9g ", measure(f[i], call, &w));
    printf("\n");
    fflush(stdout);
  }
  finish(&w);
}

/* ---- results ---- */

/* The first number of which X and Y have different bits; -1: none. Of two that are no numbers the bits don't count. */
static long difference(const struct array *x, const char *y)
{
  size_t size = is_float ? sizeof(float) : sizeof(double);
  for (size_t i = 0; i < x->bytes / size; i++) {
    const char *p = x->data + i * size, *q = y + i * size;
    double v = is_float ? *(const float *)p : *(const double *)p, w = is_float ? *(const float *)q : *(const double *)q;
    if (memcmp(p, q, size) && !(isnan(v) && isnan(w)))
      return (long)i;
  }
  return -1;
}

static int check_one(function *const *f, const struct call *call, const char *name, int special, double alpha, double beta)
{
  struct work w = prepare(name, call, special, alpha, beta);
  reset(&w);
  apply(f[0], call, &w);
  char *a = malloc(w.a.bytes), *c = malloc(w.c.bytes);
  memcpy(a, w.a.data, w.a.bytes);
  memcpy(c, w.c.data, w.c.bytes);
  reset(&w);
  apply(f[1], call, &w);
  long at = difference(&w.a, a), bad = at >= 0 ? at : difference(&w.c, c);
  if (bad >= 0)
    printf("differs: %s%s m %d n %d k %d ld +%d alpha %g beta %g special %d: number %ld of %s\n", name, call->option,
           call->m, call->n, call->k, call->ld_plus, alpha, beta, special, bad, at >= 0 ? "A" : "the result");
  free(a);
  free(c);
  finish(&w);
  return bad >= 0;
}

/* At the size that is asked for, and at small ones that are no multiple of anything. */
static int check_all(function *const *f, const struct call *asked, const char *name)
{
  static const int size[][3] = {{0, 3, 2}, {3, 0, 2},   {3, 2, 0},    {1, 1, 1},    {2, 3, 1},       {1, 7, 5},    {5, 7, 3},
                                {8, 8, 8}, {17, 33, 9}, {64, 65, 31}, {31, 5, 130}, {100, 101, 103}, {130, 67, 71}};
  static const double factor[][2] = {{0.75, 0.5}, {1, 1}, {1, 0}, {0, 0.5}, {-1, 1}};
  int bad = check_one(f, asked, name, 0, 0.75, 0.5);
  for (size_t s = 0; s < sizeof(size) / sizeof(size[0]); s++)
    for (size_t x = 0; x < sizeof(factor) / sizeof(factor[0]); x++)
      for (int special = 0; special < 3; special++) {
        struct call call = *asked;
        call.m = size[s][0], call.n = size[s][1], call.k = size[s][2];
        for (call.ld_plus = 0; call.ld_plus <= 3; call.ld_plus += 3)
          bad += check_one(f, &call, name, special, factor[x][0], factor[x][1]);
      }
  return bad;
}

int main(int argc, char **argv)
{
  int time = argc > 1 && !strcmp(argv[1], "time"), first = time ? 9 : 8, n = argc - first;
  function *f[MAX_LIBRARIES];
  if (argc <= first || n > MAX_LIBRARIES || (!time && n != 2))
    return 2;
  const char *routine = argv[2], *form = argv[3];
  is_float = routine[0] == 's' || routine[0] == 'c';
  is_complex = routine[0] == 'c' || routine[0] == 'z';
  element = (is_float ? sizeof(float) : sizeof(double)) * (is_complex ? 2 : 1);
  struct call call = {.m = atoi(argv[4]), .n = atoi(argv[5]), .k = atoi(argv[6]), .ld_plus = atoi(argv[7])};
  snprintf(call.option, sizeof(call.option), "%s", strcmp(form, "-") ? form : "");
  for (int i = 0; i < n; i++) {
    char symbol[32];
    void *library = dlopen(argv[first + i], RTLD_NOW | RTLD_LOCAL);
    snprintf(symbol, sizeof(symbol), "%s_", routine);
    void *address = library ? dlsym(library, symbol) : NULL;
    if (!address) {
      fprintf(stderr, "%s\n", dlerror());
      return 2;
    }
    memcpy(&f[i], &address, sizeof(f[i]));
  }
  if (!time)
    return check_all(f, &call, routine + 1) > 0;
  time_all(f, n, &call, routine + 1, atoi(argv[8]));
  return 0;
}
