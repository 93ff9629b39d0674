/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A function as the pass would leave it: a job, and the CPU's code where there is none or it fails.
 *
 *     c[i] = a[i] + b[i]     m[i][j] *= 2 for j < COLS of PITCH     d[i] = 1      (d is written before it is read: `again`)
 */
#ifndef TESSERA_WORKLOAD_H
#define TESSERA_WORKLOAD_H

#include "tessera_rt.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { N = 96, ROWS = 6, COLS = 5, PITCH = 8 };

struct workload {
  double a[N], b[N], c[N], m[ROWS][PITCH];
  char d[N];
};

enum { ADD, SCALE, FILL, NOTHING, WILD, SHARED, MISSING };
static const struct tsr_rt_kernel workload_kernels[] = {{"add"},  {"scale"},  {"fill"},   {"nothing"},
                                                        {"wild"}, {"shared"}, {"missing"}};
#define WORKLOAD_MODULE                                                                                                     \
  {TSR_RT_VERSION, "work.c", ".version 7.0 add scale fill nothing wild shared", 7, workload_kernels, NULL}

static inline void workload_init(struct workload *w, double seed)
{
  for (int i = 0; i < N; i++) {
    w->a[i] = i + seed;
    w->b[i] = 2 * i;
    w->c[i] = -1;
    w->d[i] = 7;
  }
  for (int i = 0; i < ROWS * PITCH; i++)
    (&w->m[0][0])[i] = i * seed;
}

/* The CPU's code */
static inline void workload_host(struct workload *w)
{
  for (int i = 0; i < N; i++)
    w->c[i] = w->a[i] + w->b[i];
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLS; j++)
      w->m[i][j] *= 2;
  memset(w->d, 1, N);
}

/* Is W what the CPU's code makes of workload_init(.., SEED)? */
static inline bool workload_is_done(const struct workload *w, double seed)
{
  struct workload want;
  workload_init(&want, seed);
  workload_host(&want);
  return !memcmp(&want, w, sizeof want);
}

/* Is W as workload_init(.., SEED) left it, but for d? */
static inline bool workload_is_untouched(const struct workload *w, double seed)
{
  struct workload want;
  workload_init(&want, seed);
  return !memcmp(&want, w, offsetof(struct workload, d));
}

/* Ask JOB for all that is to be done to W. */
static inline void workload_ask(struct tsr_rt_job *job, struct workload *w)
{
  const uint64_t row = COLS * sizeof(double), pitch = PITCH * sizeof(double);
  uint64_t c = tsr_rt_array(job, w->c, sizeof w->c), a = tsr_rt_array(job, w->a, sizeof w->a);
  uint64_t b = tsr_rt_array(job, w->b, sizeof w->b), d = tsr_rt_array(job, w->d, sizeof w->d);
  uint64_t m = tsr_rt_array(job, w->m, (ROWS - 1) * pitch + row);
  tsr_rt_copy_in(job, a, w->a, sizeof w->a, 0, 1);
  tsr_rt_copy_in(job, b, w->b, sizeof *w->b, sizeof *w->b, N);
  tsr_rt_copy_in(job, m, w->m, row, pitch, ROWS);
  int64_t n = N, rows = ROWS, cols = COLS, step = PITCH;
  int one = 1;
  tsr_rt_launch(job, ADD, (uint32_t[]){4, 1, 1}, (uint32_t[]){32, 1, 1}, 0, (void *[]){&a, &b, &c, &n});
  tsr_rt_launch(job, SCALE, (uint32_t[]){1, 2, 1}, (uint32_t[]){8, 4, 1}, 0, (void *[]){&m, &rows, &cols, &step});
  tsr_rt_launch(job, SHARED, (uint32_t[]){1, 1, 1}, (uint32_t[]){1, 1, 1}, 64 * 1024, NULL);
  tsr_rt_launch(job, FILL, (uint32_t[]){1, 1, 1}, (uint32_t[]){1, 1, 1}, 0, (void *[]){&d, &n, &one});
  n = rows = cols = step = -1; /* the arguments were read */
  tsr_rt_copy_out(job, w->d, d, N, N, 1, 1);
  for (uint64_t i = 0; i < ROWS; i++)
    tsr_rt_copy_out(job, w->m[i], m + i * pitch, row, row, 1, 0);
  tsr_rt_copy_out(job, w->c, c, sizeof w->c, 1, 1, 0);
}

/* What a run of a workload came to. */
enum workload_way { ON_CPU, FAILED, ON_GPU };

/* Do the work, on the device if that is possible. *UNTOUCHED: a job that failed left the CPU its memory. */
static inline enum workload_way workload_run(struct tsr_rt_module *module, struct workload *w, double seed, bool *untouched)
{
  workload_init(w, seed);
  struct tsr_rt_job *job = tsr_rt_begin(module);
  *untouched = true;
  if (job) {
    workload_ask(job, w);
    if (tsr_rt_end(job))
      return ON_GPU;
    *untouched = workload_is_untouched(w, seed);
  }
  workload_host(w);
  return job ? FAILED : ON_CPU;
}

#endif
