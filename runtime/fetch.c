/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What comes back when a job ends. The CPU's code must find its memory as it was if anything fails, so it comes in steps:
 *
 *   kernels done, no flag set -> all into staging, but the `again` ones that are by themselves -> those to their place
 *                             -> no call of the driver is left -> staging to its place, by memcpy
 *
 * Rows of several lengths are a copy each, and there may be thousands. Those of one region are joined: what is between them
 * comes, too, as far as staging memory, where each row has the place that its device address has in the span.
 *
 *   device    |row|......|longer row|...|row|
 *   staging   |row|......|longer row|...|row|      one call of the driver
 *   host      |row|      |longer row|   |row|
 *
 * A call takes as long as to move some number of bytes, CALL. To join two copies saves a call and moves what is between them
 * in vain, so they are joined where that is less. Each gap is decided by itself: in a large triangle, whose first rows are
 * short, these aren't fetched for the sake of the others. What that takes of the host's memory has a limit, too.
 *
 * What is between them must have been copied in: tools that look for the use of memory that nobody has written
 * (compute-sanitizer, test/gpu) see no difference between a copy to staging memory and one to the program's. */
#include "runtime.h"
#include <stdint.h>
#include <string.h>

#define FEW 16                     /* copies: where there are no more, calls cost nothing to speak of */
#define CALL (128u << 10)          /* bytes: a call takes some 10 us, and in 1 us come some 12 KB */
#define MOST_TIMES 4               /* staging memory is at most so many times what comes back, */
#define MORE_STAGING (16ull << 20) /* and so many bytes: a column with wide gaps comes in few calls, too */

static uint64_t bytes_of(const struct tsr_rows *rows)
{
  return rows->row * rows->n;
}

/* From the first byte of ROWS to the last */
static uint64_t span_of(const struct tsr_rows *rows)
{
  return (rows->n - 1) * rows->pitch + rows->row;
}

/* Bytes that are moved in vain if COPY comes as a span by way of staging memory: its gaps, and itself if it could go to its
 * place at once */
static uint64_t waste_of(const struct tsr_copy *copy)
{
  return span_of(&copy->rows) - (copy->again ? 0 : bytes_of(&copy->rows));
}

/* Are the bytes between the first row of COPY and its last known? */
static bool knows_gaps(const struct tsr_copy *copy)
{
  const struct tsr_rows *rows = &copy->rows;
  return rows->n == 1 || tsr_block_knows(copy->block, (struct tsr_span){rows->device, span_of(rows)});
}

/* What is between SPAN and ROWS; empty if they touch, or have bytes in common */
static struct tsr_span between(const struct tsr_span *span, const struct tsr_rows *rows)
{
  cu_address end = span->first + span->bytes, rows_end = rows->device + span_of(rows);
  if (rows->device > end)
    return (struct tsr_span){end, rows->device - end};
  if (span->first > rows_end)
    return (struct tsr_span){rows_end, span->first - rows_end};
  return (struct tsr_span){end, 0};
}

/* Let SPAN have ROWS in it, too. */
static void widen(struct tsr_span *span, const struct tsr_rows *rows)
{
  cu_address end = span->first + span->bytes, rows_end = rows->device + span_of(rows);
  span->first = rows->device < span->first ? rows->device : span->first;
  span->bytes = (rows_end > end ? rows_end : end) - span->first;
}

/* Join COPY with those behind it, as far as that is possible and pays: N with it at most, and *SPARE bytes in vain. */
static void join(struct tsr_copy *copy, size_t n, uint64_t *spare)
{
  copy->joined = 1;
  copy->span = (struct tsr_span){copy->rows.device, span_of(&copy->rows)};
  uint64_t waste = waste_of(copy);
  for (bool known = knows_gaps(copy); known && copy->joined < n; copy->joined++) {
    const struct tsr_copy *next = &copy[copy->joined];
    if (next->block != copy->block || !knows_gaps(next))
      return;
    struct tsr_span gap = between(&copy->span, &next->rows);
    waste += gap.bytes + waste_of(next);
    if (waste > CALL || waste > *spare || !tsr_block_knows(copy->block, gap))
      return;
    *spare -= waste;
    waste = 0;
    widen(&copy->span, &next->rows);
  }
}

/* Does COPY, which is joined with no other, go to its place without staging? */
static bool is_direct(const struct tsr_copy *copy)
{
  return copy->joined == 1 && copy->again;
}

/* Find COPY and those that are joined with it a place in staging memory, from AT on. Returns how many bytes it takes. */
static uint64_t place(struct tsr_copy *copy, uint64_t at)
{
  if (copy->joined == 1) {
    copy->staged = at;
    copy->staged_pitch = copy->rows.row;
    return is_direct(copy) ? 0 : bytes_of(&copy->rows);
  }
  for (size_t i = 0; i < copy->joined; i++) {
    copy[i].staged = at + (copy[i].rows.device - copy->span.first);
    copy[i].staged_pitch = copy[i].rows.pitch;
  }
  return copy->span.bytes;
}

/* Join the copies, find them a place in staging memory, and get that. */
static bool make_staging(struct tsr_rt_job *job)
{
  uint64_t spare = MORE_STAGING, bytes = 0;
  for (size_t i = 0; i < job->n_copy; i++)
    spare += (MOST_TIMES - 1) * bytes_of(&job->copy[i].rows);
  for (size_t i = 0; i < job->n_copy; i += job->copy[i].joined) {
    join(&job->copy[i], job->n_copy > FEW ? job->n_copy - i : 1, &spare);
    if (__builtin_add_overflow(bytes, place(&job->copy[i], bytes), &bytes) || bytes > PTRDIFF_MAX)
      bytes = PTRDIFF_MAX;
  }
  return !bytes || tsr_staging_take(job, bytes);
}

/* Fetch COPY, with those that are joined with it. */
static bool fetch_one(struct tsr_rt_job *job, const struct tsr_copy *copy)
{
  const struct tsr_span *span = &copy->span;
  struct tsr_rows all = {.device = span->first, .row = span->bytes, .pitch = span->bytes, .n = 1};
  if (is_direct(copy))
    return tsr_rows_move(job, &copy->rows, copy->rows.host, copy->rows.pitch, false);
  if (copy->joined == 1)
    return tsr_rows_move(job, &copy->rows, job->staging + copy->staged, copy->staged_pitch, false);
  return tsr_rows_move(job, &all, job->staging + (copy->staged - (copy->rows.device - span->first)), 0, false);
}

/* Those copies that do, or do not, go to their place without staging */
static bool fetch(struct tsr_rt_job *job, bool direct)
{
  bool any = false;
  for (size_t i = 0; i < job->n_copy; i += job->copy[i].joined) {
    if (is_direct(&job->copy[i]) != direct)
      continue;
    if (!fetch_one(job, &job->copy[i]))
      return false;
    any = true;
  }
  return !any || tsr_stream_wait(job);
}

bool tsr_copies_fetch(struct tsr_rt_job *job)
{
  if (!tsr_flag_ask(job) || !tsr_stream_wait(job))
    return false;
  job->trace.computed = job->device->traces ? tsr_trace_now() : 0;
  return !tsr_flag_is_set(job) && make_staging(job) && fetch(job, false) && fetch(job, true);
}

/* The rows of COPY, from staging memory */
static void store(struct tsr_rt_job *job, const struct tsr_copy *copy)
{
  const struct tsr_rows *rows = &copy->rows;
  for (uint64_t i = 0; i < rows->n; i++)
    memcpy(rows->host + i * rows->pitch, job->staging + copy->staged + i * copy->staged_pitch, rows->row);
}

void tsr_copies_store(struct tsr_rt_job *job)
{
  for (size_t i = 0; i < job->n_copy; i += job->copy[i].joined) {
    if (is_direct(&job->copy[i]))
      continue;
    for (size_t k = 0; k < job->copy[i].joined; k++)
      store(job, &job->copy[i + k]);
  }
}
