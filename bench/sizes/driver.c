/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Times run_clang and run_tessera (kernels.c) side by side at the sizes on standard input, a line "m n k" each, and prints
 * "m n k ratio first second": nanoseconds of a call of each, the least of ROUNDS; "differ" where results aren't equal bit
 * for bit.
 *
 *   driver ROUNDS MICROSECONDS BATCH < SIZES       a round of each takes so long; so many operands, if there is room */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void run(long, int, int, int, int, const double *, const double *, double *, long, long, long);
run run_clang, run_tessera;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Room for any operand of any kernel. */
static long elements(long m, long n, long k)
{
  long square = (m + k + 2) * (n + k + 2), most = square;
  most = m * n * k <= 4000000 && m * n * k > most ? m * n * k : most;
  most = m * n * n <= 4000000 && m * n * n > most ? m * n * n : most;
  most = m <= 1000 && m * m > most ? m * m : most;
  most = n * k > most ? n * k : most;
  return (2 * most + 64) & ~7L;
}

struct job {
  int m, n, k, batch;
  long size;
  double *a, *b, *c, *c0;
};

static double time_of(run *run, struct job *job, long times)
{
  double begin = now();
  run(times, job->batch, job->m, job->n, job->k, job->a, job->b, job->c, job->size, job->size, job->size);
  return now() - begin;
}

static void fill(double *a, long n)
{
  unsigned x = 1;
  for (long i = 0; i < n; i++) {
    x = x * 1103515245u + 12345u;
    a[i] = 0.5 + (double)(x >> 8 & 0xffff) / 131072;
  }
}

/* Do both give the same? */
static int is_same(struct job *job)
{
  size_t bytes = (size_t)(job->batch * job->size) * sizeof(double);
  memcpy(job->c, job->c0, bytes);
  time_of(run_clang, job, 1);
  double *first = malloc(bytes);
  memcpy(first, job->c, bytes);
  memcpy(job->c, job->c0, bytes);
  time_of(run_tessera, job, 1);
  int same = !memcmp(first, job->c, bytes);
  free(first);
  return same;
}

/* The same when caches and branch predictors have seen it. */
static double warm_time_of(run *run, struct job *job, long times)
{
  memcpy(job->c, job->c0, (size_t)(job->batch * job->size) * sizeof(double));
  time_of(run, job, times / 4 + 1);
  return time_of(run, job, times);
}

/* Seconds of a run of each in TIME; the ratio. */
static double ratio(struct job *job, int rounds, double seconds, double time[2])
{
  long times = 1;
  double base = 1e9, new = 1e9, t;
  while ((t = time_of(run_clang, job, times)) < seconds && times < 1 << 28)
    times = t > seconds / 8 ? (long)((double)times * seconds / t * 1.1) + 1 : times * 8;
  for (int i = 0; i < rounds; i++) {
    t = warm_time_of(run_clang, job, times);
    base = t < base ? t : base;
    t = warm_time_of(run_tessera, job, times);
    new = t < new ? t : new;
  }
  time[0] = base / (double)(times * job->batch);
  time[1] = new / (double)(times * job->batch);
  return base / new;
}

int main(int argc, char **argv)
{
  struct job job;
  int rounds = argc > 1 ? atoi(argv[1]) : 5, batch = argc > 3 ? atoi(argv[3]) : 1;
  double seconds = 1e-6 * (argc > 2 ? atof(argv[2]) : 100);
  while (scanf("%d %d %d", &job.m, &job.n, &job.k) == 3) {
    job.size = elements(job.m, job.n, job.k);
    job.batch = batch;
    while (job.batch > 1 && job.batch * job.size > 1 << 16)
      job.batch /= 2;
    size_t bytes = (size_t)(job.batch * job.size) * sizeof(double);
    job.a = aligned_alloc(64, bytes), job.b = aligned_alloc(64, bytes), job.c = aligned_alloc(64, bytes);
    job.c0 = aligned_alloc(64, bytes);
    fill(job.a, job.batch * job.size), fill(job.b, job.batch * job.size), fill(job.c0, job.batch * job.size);
    int same = is_same(&job);
    double time[2], speed_up = ratio(&job, rounds, seconds, time);
    printf("%d %d %d %.3f %.1f %.1f%s\n", job.m, job.n, job.k, speed_up, 1e9 * time[0], 1e9 * time[1],
           same ? "" : " differ");
    fflush(stdout);
    free(job.a), free(job.b), free(job.c), free(job.c0);
  }
  return 0;
}
