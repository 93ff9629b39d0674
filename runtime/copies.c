/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies: ROWS pieces of ROW bytes, PITCH bytes from one to the next, the same way on host and device.
 *
 *   host     |row|....|row|....|row|        only the rows are read or written, never what is between
 *   device   |row|....|row|....|row|
 *   staging  |row|row|row|                  on the way to the host
 *
 * Back to the host they go in two steps, since the CPU's code must find its memory as it was if one of them fails:
 *
 *   kernels done -> all into staging, but `again` -> `again` to their place -> no call of the driver is left
 *                -> staging to its place, by memcpy */
#include "runtime.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PITCH 0x7fffffff /* bytes: the driver's 2-D copies take no more */

struct tsr_copy {
  cu_address device;
  unsigned char *host;
  uint64_t row, pitch, rows; /* rows > 0, row > 0; row < pitch unless rows is 1 */
  bool again;
  uint64_t staged; /* where in the staging memory */
};

/* The copy of these rows; false: there is nothing to copy, or they aren't in one region and the job has failed. */
static bool describe(struct tsr_rt_job *job, const void *host, uint64_t row, uint64_t pitch, uint64_t rows,
                     struct tsr_copy *copy)
{
  if (!row || !rows)
    return false;
  uint64_t bytes;
  if (rows > 1 && row > pitch)
    bytes = UINT64_MAX;
  else if (__builtin_mul_overflow(rows - 1, pitch, &bytes) || __builtin_add_overflow(bytes, row, &bytes))
    bytes = UINT64_MAX;
  *copy = (struct tsr_copy){.host = (unsigned char *)(uintptr_t)host, .row = row, .pitch = pitch, .rows = rows};
  if (rows == 1 || row == pitch) {
    copy->row = copy->pitch = bytes;
    copy->rows = 1;
  }
  copy->device = tsr_region_address(job, host, bytes);
  return copy->device;
}

/* BYTES bytes without a gap */
static bool move_piece(struct tsr_rt_job *job, cu_address device, unsigned char *host, uint64_t bytes, bool to_device)
{
  if (to_device)
    return TSR_DID(job, cuMemcpyHtoDAsync_v2, device, host, bytes, job->stream->handle);
  return TSR_DID(job, cuMemcpyDtoHAsync_v2, host, device, bytes, job->stream->handle);
}

/* Rows, which are PITCH apart at HOST */
static bool move_rows(struct tsr_rt_job *job, const struct tsr_copy *copy, unsigned char *host, uint64_t pitch,
                      bool to_device)
{
  struct cu_side at_host = {.memory = TSR_CU_MEMORY_HOST, .host = host, .pitch = pitch};
  struct cu_side at_device = {.memory = TSR_CU_MEMORY_DEVICE, .device = copy->device, .pitch = copy->pitch};
  struct cu_rows rows = {.from = to_device ? at_host : at_device,
                         .to = to_device ? at_device : at_host,
                         .width = copy->row,
                         .height = copy->rows};
  return TSR_DID(job, cuMemcpy2DAsync_v2, &rows, job->stream->handle);
}

/* COPY, between the device and HOST, where its rows are PITCH apart */
static bool move(struct tsr_rt_job *job, const struct tsr_copy *copy, unsigned char *host, uint64_t pitch, bool to_device)
{
  if (copy->rows > 1 && copy->pitch <= MOST_PITCH)
    return move_rows(job, copy, host, pitch, to_device);
  for (uint64_t i = 0; i < copy->rows; i++)
    if (!move_piece(job, copy->device + i * copy->pitch, host + i * pitch, copy->row, to_device))
      return false;
  return true;
}

void tsr_copy_to_device(struct tsr_rt_job *job, const void *host, uint64_t row, uint64_t pitch, uint64_t rows)
{
  struct tsr_copy copy;
  if (!describe(job, host, row, pitch, rows, &copy))
    return;
  move(job, &copy, copy.host, copy.pitch, true);
  job->trace.in += copy.row * copy.rows;
}

void tsr_copy_to_host(struct tsr_rt_job *job, void *host, uint64_t row, uint64_t pitch, uint64_t rows, bool again)
{
  struct tsr_copy copy;
  if (!describe(job, host, row, pitch, rows, &copy))
    return;
  struct tsr_copy *grown = tsr_job_grow(job, job->copy, job->n_copy, &job->copy_room, sizeof *job->copy);
  if (!grown)
    return;
  copy.again = again;
  job->copy = grown;
  job->copy[job->n_copy++] = copy;
  job->trace.out += copy.row * copy.rows;
}

/* Find each copy that isn't `again` a place in staging memory, and get that. */
static bool make_staging(struct tsr_rt_job *job)
{
  uint64_t bytes = 0;
  for (size_t i = 0; i < job->n_copy; i++) {
    if (job->copy[i].again)
      continue;
    job->copy[i].staged = bytes;
    if (__builtin_add_overflow(bytes, job->copy[i].row * job->copy[i].rows, &bytes) || bytes > PTRDIFF_MAX)
      bytes = PTRDIFF_MAX;
  }
  if (!bytes)
    return true;
  job->staging = malloc(bytes);
  if (!job->staging)
    tsr_job_fail(job, "no memory for the %llu bytes that come back: use smaller sizes, or set TESSERA_RT_DEVICE=none",
                 (unsigned long long)bytes);
  return job->staging;
}

/* Those copies that are, or are not, `again` */
static bool fetch(struct tsr_rt_job *job, bool again)
{
  bool any = false;
  for (size_t i = 0; i < job->n_copy; i++) {
    const struct tsr_copy *copy = &job->copy[i];
    if (copy->again != again)
      continue;
    if (!(again ? move(job, copy, copy->host, copy->pitch, false)
                : move(job, copy, job->staging + copy->staged, copy->row, false)))
      return false;
    any = true;
  }
  return !any || tsr_stream_wait(job);
}

bool tsr_copies_fetch(struct tsr_rt_job *job)
{
  if (!tsr_stream_wait(job))
    return false;
  job->trace.computed = job->device->traces ? tsr_trace_now() : 0;
  return make_staging(job) && fetch(job, false) && fetch(job, true);
}

void tsr_copies_store(struct tsr_rt_job *job)
{
  for (size_t i = 0; i < job->n_copy; i++) {
    const struct tsr_copy *copy = &job->copy[i];
    if (copy->again)
      continue;
    for (uint64_t r = 0; r < copy->rows; r++)
      memcpy(copy->host + r * copy->pitch, job->staging + copy->staged + r * copy->row, copy->row);
  }
}
