/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies: N rows of ROW bytes, PITCH bytes from one to the next, the same way on host and device.
 *
 *   host     |row|....|row|....|row|        only the rows are read or written, never what is between
 *   device   |row|....|row|....|row|
 *   staging  |row|row|row|                  on the way to the host
 *
 * Compiled code asks for what goes to the host row by row. What continues the copy before, on both sides and in the same
 * region, becomes one with it at once:
 *
 *   |row|row|                               rows that touch: a longer one
 *   |row|....|row|....|row|                 equal rows, of which the second one sets the pitch
 *   |row|....|longer row|.|row|             three copies
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
  struct tsr_rows rows;          /* at least one; row < pitch, or it is one and row == pitch */
  const struct tsr_block *block; /* where their region is */
  bool again;
  uint64_t staged; /* where in the staging memory */
};

/* The block where ROWS are; if there is no gap between them, they become one. NULL: there is nothing to copy, or they aren't
 * in one region and the job has failed. */
static const struct tsr_block *find(struct tsr_rt_job *job, struct tsr_rows *rows)
{
  if (!rows->row || !rows->n)
    return NULL;
  uint64_t bytes;
  if (rows->n > 1 && rows->row > rows->pitch)
    bytes = UINT64_MAX;
  else if (__builtin_mul_overflow(rows->n - 1, rows->pitch, &bytes) || __builtin_add_overflow(bytes, rows->row, &bytes))
    bytes = UINT64_MAX;
  if (rows->n == 1 || rows->row == rows->pitch) {
    rows->row = rows->pitch = bytes;
    rows->n = 1;
  }
  return tsr_region_block(job, rows->device, bytes);
}

/* BYTES bytes without a gap */
static bool move_piece(struct tsr_rt_job *job, cu_address device, unsigned char *host, uint64_t bytes, bool to_device)
{
  if (to_device)
    return TSR_DID(job, cuMemcpyHtoDAsync_v2, device, host, bytes, job->stream->handle);
  return TSR_DID(job, cuMemcpyDtoHAsync_v2, host, device, bytes, job->stream->handle);
}

/* Rows, which are PITCH apart at HOST */
static bool move_rows(struct tsr_rt_job *job, const struct tsr_rows *rows, unsigned char *host, uint64_t pitch,
                      bool to_device)
{
  struct cu_side at_host = {.memory = TSR_CU_MEMORY_HOST, .host = host, .pitch = pitch};
  struct cu_side at_device = {.memory = TSR_CU_MEMORY_DEVICE, .device = rows->device, .pitch = rows->pitch};
  struct cu_rows copy = {
      .from = to_device ? at_host : at_device, .to = to_device ? at_device : at_host, .width = rows->row, .height = rows->n};
  return TSR_DID(job, cuMemcpy2DAsync_v2, &copy, job->stream->handle);
}

/* ROWS, between the device and HOST, where they are PITCH apart */
static bool move(struct tsr_rt_job *job, const struct tsr_rows *rows, unsigned char *host, uint64_t pitch, bool to_device)
{
  if (rows->n > 1 && rows->pitch <= MOST_PITCH)
    return move_rows(job, rows, host, pitch, to_device);
  for (uint64_t i = 0; i < rows->n; i++)
    if (!move_piece(job, rows->device + i * rows->pitch, host + i * pitch, rows->row, to_device))
      return false;
  return true;
}

void tsr_copy_to_device(struct tsr_rt_job *job, struct tsr_rows rows)
{
  if (!find(job, &rows))
    return;
  move(job, &rows, rows.host, rows.pitch, true);
  job->trace.in += rows.row * rows.n;
}

/* Add MORE to ROWS if that continues them on both sides: a piece behind a piece, or rows as long and as far from each
 * other. */
static bool extend(struct tsr_rows *rows, const struct tsr_rows *more)
{
  uint64_t to_last = (rows->n - 1) * rows->pitch, distance = more->device - (rows->device + to_last);
  if (distance < rows->row || distance > PTRDIFF_MAX ||
      (uintptr_t)more->host - ((uintptr_t)rows->host + to_last) != distance)
    return false;
  if (rows->n == 1 && more->n == 1 && distance == rows->row) {
    rows->row = rows->pitch = rows->row + more->row;
    return true;
  }
  if (rows->row != more->row || (rows->n > 1 && rows->pitch != distance) || (more->n > 1 && more->pitch != distance))
    return false;
  rows->pitch = distance;
  rows->n += more->n;
  return true;
}

void tsr_copy_to_host(struct tsr_rt_job *job, struct tsr_rows rows, bool again)
{
  const struct tsr_block *block = find(job, &rows);
  if (!block)
    return;
  job->trace.out += rows.row * rows.n;
  struct tsr_copy *last = job->n_copy > 0 ? &job->copy[job->n_copy - 1] : NULL;
  if (last && last->block == block && last->again == again && extend(&last->rows, &rows))
    return;
  struct tsr_copy *grown = tsr_job_grow(job, job->copy, job->n_copy, &job->copy_room, sizeof *job->copy);
  if (!grown)
    return;
  job->copy = grown;
  job->copy[job->n_copy++] = (struct tsr_copy){.rows = rows, .block = block, .again = again};
}

/* Find each copy that isn't `again` a place in staging memory, and get that. */
static bool make_staging(struct tsr_rt_job *job)
{
  uint64_t bytes = 0;
  for (size_t i = 0; i < job->n_copy; i++) {
    if (job->copy[i].again)
      continue;
    job->copy[i].staged = bytes;
    if (__builtin_add_overflow(bytes, job->copy[i].rows.row * job->copy[i].rows.n, &bytes) || bytes > PTRDIFF_MAX)
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
    if (!(again ? move(job, &copy->rows, copy->rows.host, copy->rows.pitch, false)
                : move(job, &copy->rows, job->staging + copy->staged, copy->rows.row, false)))
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
    const struct tsr_rows *rows = &copy->rows;
    for (uint64_t r = 0; r < rows->n; r++)
      memcpy(rows->host + r * rows->pitch, job->staging + copy->staged + r * rows->row, rows->row);
  }
}
