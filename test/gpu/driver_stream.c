/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Streams: queues of operations that are done when somebody waits. Stream 0 and the blocking ones wait for each other: what
 * lies in stream 0 was issued before all that lies in blocking ones, because to issue for stream 0 drains those first. */
#include "driver.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

CUstream driver_stream(struct driver *d, CUstream handle)
{
  if ((uintptr_t)handle <= 2) /* NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD */
    return &d->legacy;
  CUstream s = d->stream;
  while (s && s != handle)
    s = s->next;
  return s;
}

void driver_drop(struct operation *o)
{
  free(o->launch.params);
  free(o->copy.staged);
}

/* Milliseconds since some time */
static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* One operation; its fault stays. */
static void perform(struct driver *d, struct operation *o)
{
  int code = 0;
  if (o->kind == LAUNCH)
    code = driver_launch(d, &o->launch);
  else if (o->kind == COPY)
    code = driver_copy(d, &o->copy);
  else if (o->kind == FREE)
    code = driver_free(d, o->copy.to);
  else if (o->kind == RECORD)
    o->event->when = now();
  else if (driver_stream(d, o->stream))
    driver_drain(d, o->stream, o->upto);
  d->fault = d->fault ? d->fault : code;
}

void driver_drain(struct driver *d, CUstream stream, uint64_t upto)
{
  if (!stream->non_blocking && stream != &d->legacy)
    driver_drain(d, &d->legacy, d->legacy.issued);
  while (stream->done < upto && stream->done < stream->issued) {
    struct operation o = stream->operation[0];
    stream->done++;
    memmove(stream->operation, stream->operation + 1, (stream->issued - stream->done) * sizeof o);
    if (!d->fault)
      perform(d, &o);
    driver_drop(&o);
  }
}

void driver_drain_blocking(struct driver *d)
{
  driver_drain(d, &d->legacy, d->legacy.issued);
  for (CUstream s = d->stream; s; s = s->next)
    if (!s->non_blocking)
      driver_drain(d, s, s->issued);
}

void driver_drain_all(struct driver *d)
{
  driver_drain_blocking(d);
  for (CUstream s = d->stream; s; s = s->next)
    driver_drain(d, s, s->issued);
}

int driver_issue(struct driver *d, CUstream stream, const struct operation *o)
{
  if (stream == &d->legacy)
    for (CUstream s = d->stream; s; s = s->next)
      if (!s->non_blocking)
        driver_drain(d, s, s->issued);
  if (!ptx_grow(&stream->operation, (int)(stream->issued - stream->done), &stream->size, sizeof *o))
    return PTX_OUT_OF_MEMORY;
  stream->operation[stream->issued++ - stream->done] = *o;
  return PTX_OK;
}

/* ---- streams */

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
  (void)priority;
  return cuStreamCreate(stream, flags);
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
  int code;
  struct driver *d = driver_enter("cuStreamCreate", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  CUstream s = flags <= 1 ? calloc(1, sizeof *s) : NULL;
  if (!s)
    return driver_leave(d, flags <= 1 ? PTX_OUT_OF_MEMORY : PTX_INVALID_VALUE);
  *s = (struct cu_stream){.non_blocking = flags == CU_STREAM_NON_BLOCKING, .next = d->stream};
  d->stream = *stream = s;
  return driver_leave(d, PTX_OK);
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
  int code;
  struct driver *d = driver_enter("cuStreamDestroy_v2", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  CUstream *at = &d->stream;
  while (*at && *at != stream)
    at = &(*at)->next;
  if (!*at)
    return driver_leave(d, PTX_INVALID_HANDLE);
  driver_drain(d, stream, stream->issued);
  *at = stream->next;
  free(stream->operation);
  free(stream);
  return driver_leave(d, PTX_OK);
}

CUresult cuStreamSynchronize(CUstream stream)
{
  int code;
  struct driver *d = driver_enter("cuStreamSynchronize", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  CUstream s = driver_stream(d, stream);
  if (s == &d->legacy)
    driver_drain_blocking(d);
  else if (s)
    driver_drain(d, s, s->issued);
  return driver_leave(d, s ? PTX_OK : PTX_INVALID_HANDLE);
}

/* Not ready at first if there is something to do, which is done then */
CUresult cuStreamQuery(CUstream stream)
{
  int code;
  struct driver *d = driver_enter("cuStreamQuery", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  CUstream s = driver_stream(d, stream);
  if (!s)
    return driver_leave(d, PTX_INVALID_HANDLE);
  bool ready = s->done == s->issued;
  driver_drain(d, s, s->issued);
  code = d->fault ? d->fault : ready ? PTX_OK : PTX_NOT_READY;
  return driver_leave(d, code);
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
  int code;
  struct driver *d = driver_enter("cuStreamWaitEvent", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  CUstream s = driver_stream(d, stream);
  if (!s || !event || flags > 1)
    return driver_leave(d, s && event ? PTX_INVALID_VALUE : PTX_INVALID_HANDLE);
  struct operation o = {.kind = WAIT, .stream = event->stream, .upto = event->upto};
  return driver_leave(d, event->upto ? driver_issue(d, s, &o) : PTX_OK);
}

/* ---- events: a place in a stream */

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
  int code;
  struct driver *d = driver_enter("cuEventCreate", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  (void)flags;
  *event = calloc(1, sizeof **event);
  return driver_leave(d, *event ? PTX_OK : PTX_OUT_OF_MEMORY);
}

CUresult cuEventDestroy_v2(CUevent event)
{
  int code;
  struct driver *d = driver_enter("cuEventDestroy_v2", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  if (!event)
    return driver_leave(d, PTX_INVALID_HANDLE);
  if (event->upto && driver_stream(d, event->stream))
    driver_drain(d, event->stream, event->upto);
  free(event);
  return driver_leave(d, PTX_OK);
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
  int code;
  struct driver *d = driver_enter("cuEventRecord", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  CUstream s = driver_stream(d, stream);
  if (!event || !s)
    return driver_leave(d, PTX_INVALID_HANDLE);
  struct operation o = {.kind = RECORD, .event = event};
  code = driver_issue(d, s, &o);
  event->stream = s;
  event->upto = s->issued;
  return driver_leave(d, code);
}

/* Has all before EVENT been done? */
static bool is_past(struct driver *d, CUevent event)
{
  return !event->upto || !driver_stream(d, event->stream) || event->stream->done >= event->upto;
}

CUresult cuEventQuery(CUevent event)
{
  int code;
  struct driver *d = driver_enter("cuEventQuery", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  if (!event)
    return driver_leave(d, PTX_INVALID_HANDLE);
  bool past = is_past(d, event);
  if (!past)
    driver_drain(d, event->stream, event->upto);
  return driver_leave(d, d->fault ? d->fault : past ? PTX_OK : PTX_NOT_READY);
}

CUresult cuEventSynchronize(CUevent event)
{
  int code;
  struct driver *d = driver_enter("cuEventSynchronize", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  if (event && !is_past(d, event))
    driver_drain(d, event->stream, event->upto);
  return driver_leave(d, event ? PTX_OK : PTX_INVALID_HANDLE);
}

CUresult cuEventElapsedTime(float *ms, CUevent begin, CUevent end)
{
  int code;
  struct driver *d = driver_enter("cuEventElapsedTime", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  if (!begin || !end || !begin->upto || !end->upto)
    return driver_leave(d, PTX_INVALID_HANDLE);
  if (!is_past(d, begin) || !is_past(d, end))
    return driver_leave(d, PTX_NOT_READY);
  *ms = (float)(end->when - begin->when);
  return driver_leave(d, PTX_OK);
}
