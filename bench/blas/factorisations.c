/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls a factorisation of LAPACK of several libraries: potrf (of the lower triangle), getrf or geqrf of doubles.
 *
 *     ./a.out time  dgetrf N ROUNDS LIBRARY..      a line a round: seconds a call of each library
 *     ./a.out check dgetrf N LIBRARY LIBRARY       "differs" if the results aren't the same, bit for bit
 *
 * Libraries are called in turn; what takes less than a millisecond is called several times, each time with the same matrix.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_LIBRARIES 8

typedef void potrf(const char *, const int *, double *, const int *, int *, long);
typedef void getrf(const int *, const int *, double *, const int *, int *, int *);
typedef void geqrf(const int *, const int *, double *, const int *, double *, double *, const int *, int *);

struct problem {
  const char *routine;
  int n, work_size, *pivot;
  double *start, *a, *tau, *work;
};

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static size_t bytes(const struct problem *p)
{
  return sizeof(double) * (size_t)p->n * (size_t)p->n;
}

/* A symmetric matrix with a large diagonal. */
static void fill(struct problem *p)
{
  unsigned seed = 1;
  for (long i = 0; i < p->n; i++)
    for (long j = 0; j <= i; j++) {
      seed = seed * 1664525u + 1013904223u;
      double x = (double)(seed >> 8) / (1 << 24) - 0.5 + (i == j ? p->n : 0);
      p->start[i + j * p->n] = p->start[j + i * p->n] = x;
    }
}

/* One call of ADDRESS; seconds. */
static double run(struct problem *p, void *address)
{
  int info = 0;
  memcpy(p->a, p->start, bytes(p));
  double begin = now();
  if (!strcmp(p->routine, "dpotrf"))
    (*(potrf **)&address)("L", &p->n, p->a, &p->n, &info, 1);
  else if (!strcmp(p->routine, "dgetrf"))
    (*(getrf **)&address)(&p->n, &p->n, p->a, &p->n, p->pivot, &info);
  else
    (*(geqrf **)&address)(&p->n, &p->n, p->a, &p->n, p->tau, p->work, &p->work_size, &info);
  double end = now();
  if (info) {
    fprintf(stderr, "%s: info %d\n", p->routine, info);
    exit(2);
  }
  return end - begin;
}

static double seconds(struct problem *p, void *address)
{
  double sum = 0;
  int n = 0;
  while (n < 1 || sum < 1e-3) {
    sum += run(p, address);
    n++;
  }
  return sum / n;
}

int main(int argc, char **argv)
{
  int timed = argc > 1 && !strcmp(argv[1], "time"), first = timed ? 5 : 4, n = argc - first;
  void *f[MAX_LIBRARIES];
  if (argc <= first || n > MAX_LIBRARIES || (!timed && n != 2))
    return 2;
  struct problem p = {.routine = argv[2], .n = atoi(argv[3])};
  size_t rows = (size_t)p.n + 1;
  p.work_size = 64 * (int)rows;
  p.start = malloc(sizeof(double) * rows * rows);
  p.a = malloc(sizeof(double) * rows * rows);
  p.tau = malloc(sizeof(double) * rows);
  p.work = malloc(sizeof(double) * 64 * rows);
  p.pivot = malloc(sizeof(int) * rows);
  fill(&p);
  for (int i = 0; i < n; i++) {
    char symbol[32];
    void *library = dlopen(argv[first + i], RTLD_NOW | RTLD_LOCAL);
    snprintf(symbol, sizeof(symbol), "%s_", p.routine);
    f[i] = library ? dlsym(library, symbol) : NULL;
    if (!f[i]) {
      fprintf(stderr, "%s\n", dlerror());
      return 2;
    }
  }
  if (!timed) {
    double *other = malloc(bytes(&p) + 1);
    run(&p, f[0]);
    memcpy(other, p.a, bytes(&p));
    run(&p, f[1]);
    int same = !memcmp(other, p.a, bytes(&p));
    if (!same)
      puts("differs");
    return !same;
  }
  for (int round = 0; round < atoi(argv[4]); round++)
    for (int i = 0; i < n; i++)
      printf("%.9g%c", seconds(&p, f[i]), i + 1 < n ? ' ' : '\n');
  return 0;
}
