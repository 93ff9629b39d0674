/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies: N rows of ROW bytes, PITCH bytes from one to the next, the same way on host and device.
 *
 *   host     |row|....|row|....|row|        only the rows are read or written, never what is between
 *   device   |row|....|row|....|row|
 *
 * Compiled code asks for what goes to the host row by row. What continues the copy before, on both sides and in the same
 * region, becomes one with it at once:
 *
 *   |row|row|                               rows that touch: a longer one
 *   |row|....|row|....|row|                 equal rows, of which the second one sets the pitch
 *   |row|....|longer row|.|row|             three copies, which fetch.c may join */
#include "runtime.h"
#include <stdint.h>

#define MOST_PITCH 0x7fffffff /* bytes: the driver's 2-D copies take no more */

/* The block where ROWS are; if there is no gap between them, they become one. NULL: there is nothing to copy, or they aren't
 * in one region and the job has failed. */
static struct tsr_block *find(struct tsr_rt_job *job, struct tsr_rows *rows)
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

bool tsr_rows_move(struct tsr_rt_job *job, const struct tsr_rows *rows, unsigned char *host, uint64_t pitch, bool to_device)
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
  struct tsr_block *block = find(job, &rows);
  if (!block)
    return;
  tsr_rows_move(job, &rows, rows.host, rows.pitch, true);
  tsr_block_learn(block, (struct tsr_span){rows.device, rows.row});
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
