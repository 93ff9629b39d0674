/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* TESSERA_RT_TRACE: a line a job,
 *
 *     tessera: gemm.c: gemm_0 8x4x1 of 32x8x1, gemm_1 4x1x1 of 64x1x1 9 times; 4096 bytes in, 1024 out;
 *     0.95 ms: 0.31 to ask, 0.60 to compute, 0.04 to copy back                                           (one line)
 *
 * In place of the parts of the time may be "failed", or "given up by a kernel" (tsr_rt_flag).
 *
 * `to ask` has the copies to the device in it, since those from ordinary memory are done when the driver returns. */
#include "runtime.h"
#include <string.h>
#include <time.h>

double tsr_trace_now(void)
{
  struct timespec now = {0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

void tsr_trace_launch(struct tsr_rt_job *job, int64_t kernel, const uint32_t grid[3], const uint32_t block[3])
{
  struct tsr_trace *trace = &job->trace;
  struct tsr_launches *last = trace->n_launch ? &trace->launch[trace->n_launch - 1] : NULL;
  if (last && !trace->n_more && last->kernel == kernel && !memcmp(last->grid, grid, sizeof last->grid) &&
      !memcmp(last->block, block, sizeof last->block)) {
    last->times++;
  } else if (trace->n_launch < TSR_TRACE_LAUNCHES) {
    last = &trace->launch[trace->n_launch++];
    *last = (struct tsr_launches){.kernel = kernel, .times = 1};
    memcpy(last->grid, grid, sizeof last->grid);
    memcpy(last->block, block, sizeof last->block);
  } else {
    trace->n_more++;
  }
}

void tsr_trace_put(const struct tsr_rt_job *job)
{
  const struct tsr_trace *trace = &job->trace;
  double now = tsr_trace_now();
  struct tsr_line line = {.length = 0};
  tsr_line_add(&line, "tessera: %s:%s", job->module->name, trace->n_launch ? "" : " no kernel");
  for (int i = 0; i < trace->n_launch; i++) {
    const struct tsr_launches *l = &trace->launch[i];
    tsr_line_add(&line, "%s %s %ux%ux%u of %ux%ux%u", i ? "," : "", job->module->kernel[l->kernel].name, l->grid[0],
                 l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
    if (l->times > 1)
      tsr_line_add(&line, " %llu times", (unsigned long long)l->times);
  }
  if (trace->n_more)
    tsr_line_add(&line, ", %llu more", (unsigned long long)trace->n_more);
  tsr_line_add(&line, "; %llu bytes in, %llu out; %.3f ms", (unsigned long long)trace->in,
               (unsigned long long)(job->flag_value ? 0 : trace->out), now - trace->begin);
  if (job->failed)
    tsr_line_add(&line, ", failed");
  else if (job->flag_value)
    tsr_line_add(&line, ", given up by a kernel");
  else
    tsr_line_add(&line, ": %.3f to ask, %.3f to compute, %.3f to copy back", trace->asked - trace->begin,
                 trace->computed - trace->asked, now - trace->computed);
  tsr_line_put(&line);
}
