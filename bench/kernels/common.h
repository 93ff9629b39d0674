/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the kernels share: sizes from the command line, memory, data, timing and the hash of the outputs.
 *
 * A kernel file defines NAME and the five data sets, each a list of sizes, then includes this file:
 *
 *   #define NAME "gemm"
 *   #define MINI 20, 25, 30
 *   ... SMALL, MEDIUM, LARGE, EXTRALARGE
 *   #include "common.h"
 *   #define NI DIM(0, ni)     the variable ni, or with -DTSR_FIXED=LARGE the constant 1000
 *
 * and calls, in main, start, make, MEASURE and finish.  Its kernel reads like the plain loop nest.  Array
 * parameters are declared double A[][NK]: VLA parameters, or with TSR_FIXED ones of a fixed size.  The first
 * dimension is left open, as the compiler would drop it anyway and C would not let it be 0.
 *
 * Usage of the program: ./a.out [SIZE] [--once] [--dump]
 *   SIZE    mini, small, medium, large (the default), extralarge, or its numbers: 7,13,5
 *   --once  one run even when it is short; else runs under 50 ms repeat until 200 ms are timed
 *   --dump  print the outputs too, one a line
 * It prints: NAME SIZE SECONDS HASH, with the median time.  Sizes at which the algorithm isn't defined (an inner
 * array dimension of 0 is no legal C type; durbin reads r[0]) call no kernel and hash nothing. */
#ifndef TSR_COMMON_H
#define TSR_COMMON_H
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200112L
#endif
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))
#define NTH0(a, ...) a
#define NTH1(a, b, ...) b
#define NTH2(a, b, c, ...) c
#define NTH3(a, b, c, d, ...) d
#define NTH4(a, b, c, d, e, ...) e
#define PICK(nth, ...) nth(__VA_ARGS__, 0, 0)
#ifdef TSR_FIXED
#define DIM(k, name) PICK(NTH##k, TSR_FIXED)
static const int fixed_size[] = {TSR_FIXED};
#else
#define DIM(k, name) name
#endif

enum { n_dims = sizeof((int[]){MINI}) / sizeof(int), max_runs = 1 << 17 };
static const char *const size_name[] = {"mini", "small", "medium", "large", "extralarge"};
static const int size_table[][n_dims] = {{MINI}, {SMALL}, {MEDIUM}, {LARGE}, {EXTRALARGE}};

static int size[n_dims];
static const char *size_text = "large";
static int dump, once;
static uint64_t out_hash = 0xcbf29ce484222325u;
static double run_start, runs_total, run_time[max_runs];
static int n_runs;

static void fail(const char *what, const char *text)
{
  fprintf(stderr, "%s: %s%s%s\n", NAME, what, text ? ": " : "", text ? text : "");
  exit(2);
}

/* Sets size to the one that text names or lists: exactly n_dims numbers from 0 to INT_MAX. */
static void read_size(const char *text)
{
  for (int s = 0; s < 5; s++)
    if (!strcmp(text, size_name[s])) {
      memcpy(size, size_table[s], sizeof size);
      return;
    }
  const char *at = text;
  for (int k = 0; k < n_dims; k++) {
    char *end;
    errno = 0;
    long value = strtol(at, &end, 10);
    if (end == at || !strchr("-0123456789", *at))
      fail("not a size name (mini, small, medium, large, extralarge) or a list of numbers", text);
    if (errno || value < 0 || value > INT_MAX)
      fail("sizes go from 0 to 2147483647", text);
    if (*end != (k + 1 < n_dims ? ',' : 0))
      fail("this kernel takes another number of sizes, separated by commas", text);
    size[k] = (int)value;
    at = end + 1;
  }
}

/* Reads the command line into size, once and dump. */
static void start(int argc, char **argv)
{
  int given = 0;
#ifdef TSR_FIXED
  memcpy(size, fixed_size, sizeof size);
  size_text = "fixed";
  for (int s = 0; s < 5; s++)
    if (!memcmp(size, size_table[s], sizeof size))
      size_text = size_name[s];
#else
  read_size(size_text);
#endif
  for (int a = 1; a < argc; a++)
    if (!strcmp(argv[a], "--once"))
      once = 1;
    else if (!strcmp(argv[a], "--dump"))
      dump = 1;
    else if (!strncmp(argv[a], "--", 2) || given++)
      fail("usage: [SIZE] [--once] [--dump], unexpected", argv[a]);
    else
      read_size(size_text = argv[a]);
#ifdef TSR_FIXED
  if (memcmp(size, fixed_size, sizeof size))
    fail("built for one fixed size (TSR_FIXED), can't run", size_text);
#endif
}

/* A zeroed array of count elements of that many bytes each, aligned to a cache line. */
static void *make(double count, size_t bytes)
{
  void *memory = NULL;
  if (count * bytes > 1e15 || posix_memalign(&memory, 64, count ? (size_t)count * bytes : 1))
    fail("not enough memory for this size", size_text);
  return memset(memory, 0, count ? (size_t)count * bytes : 1);
}

/* The i-th of a repeatable series of values from 0.1 to 1.1. */
static double value(uint64_t i, uint64_t series)
{
  uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u + series * 0xd1b54a32d192ed03u;
  x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9u;
  return 0.1 + (double)(x >> 40) / (1 << 24);
}

static inline void fill(double *a, double count, uint64_t series)
{
  for (uint64_t i = 0; i < (uint64_t)count; i++)
    a[i] = value(i, series);
}

/* Fills the n by n matrix a so that it is symmetric and, each diagonal element being n + 1, positive definite. */
static inline void fill_dominant(double *a, int n, uint64_t series)
{
  for (uint64_t i = 0; i < (uint64_t)n; i++)
    for (uint64_t j = 0; j < (uint64_t)n; j++)
      a[i * n + j] = i == j ? n + 1.0 : value(i < j ? i * n + j : j * n + i, series) - 0.6;
}

static void out_bits(uint64_t bits)
{
  out_hash = (out_hash ^ bits) * 0x9e3779b97f4a7c15u;
  out_hash ^= out_hash >> 29;
}

/* One output element each.  All NaNs are one value: which of them an operation gives is not fixed. */
static inline void out_double(double x)
{
  uint64_t bits = 0x7ff8000000000000u;
  if (x == x)
    memcpy(&bits, &x, sizeof x);
  out_bits(bits);
  if (dump)
    printf("%.17g\n", x == x ? x : (double)NAN);
}

static inline void out_float(float x)
{
  uint32_t bits = 0x7fc00000u;
  if (x == x)
    memcpy(&bits, &x, sizeof x);
  out_bits(bits);
  if (dump)
    printf("%.9g\n", x == x ? x : (double)NAN);
}

static inline void out_int(int x)
{
  out_bits((uint64_t)x);
  if (dump)
    printf("%d\n", x);
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void run_begin(void)
{
  run_start = now();
}

/* Ends a timed run.  Does it take another one? */
static int run_again(void)
{
  double seconds = now() - run_start;
  run_time[n_runs++] = seconds;
  runs_total += seconds;
  return !once && run_time[0] < 0.05 && runs_total < 0.2 && n_runs < max_runs;
}

#define MEASURE(init_call, kernel_call)                                                                                     \
  do {                                                                                                                      \
    init_call;                                                                                                              \
    run_begin();                                                                                                            \
    kernel_call;                                                                                                            \
  } while (run_again())

static int compare_times(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Prints the line of results. */
static int finish(void)
{
  qsort(run_time, n_runs, sizeof *run_time, compare_times);
  double median = n_runs ? (run_time[(n_runs - 1) / 2] + run_time[n_runs / 2]) / 2 : 0;
  printf("%s %s %.9f %016llx\n", NAME, size_text, median, (unsigned long long)out_hash);
  return 0;
}
#endif
