/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Streams: a job takes a free one, or creates one, and gives it back. They don't wait for the default stream, which is the
 * program's own. */
#include "runtime.h"
#include <stdlib.h>

bool tsr_stream_take(struct tsr_rt_job *job)
{
  struct tsr_device *device = job->device;
  pthread_mutex_lock(&device->lock);
  struct tsr_stream *stream = device->free_stream;
  if (stream)
    device->free_stream = stream->next;
  pthread_mutex_unlock(&device->lock);
  if (!stream) {
    stream = malloc(sizeof *stream);
    if (!stream) {
      tsr_job_lacks_memory(job);
    } else if (!TSR_DID(job, cuStreamCreate, &stream->handle, TSR_CU_STREAM_NON_BLOCKING)) {
      free(stream);
      stream = NULL;
    }
  }
  job->stream = stream;
  return stream;
}

/* After an error here it isn't known what still runs: the device is given up whatever it is. */
bool tsr_stream_wait(struct tsr_rt_job *job)
{
  bool done = TSR_DID(job, cuStreamSynchronize, job->stream->handle);
  if (!done)
    tsr_device_give_up();
  return done;
}

void tsr_stream_give_back(struct tsr_rt_job *job)
{
  struct tsr_device *device = job->device;
  if (!job->stream)
    return;
  pthread_mutex_lock(&device->lock);
  job->stream->next = device->free_stream;
  device->free_stream = job->stream;
  pthread_mutex_unlock(&device->lock);
  job->stream = NULL;
}

void tsr_streams_free(struct tsr_device *device)
{
  pthread_mutex_lock(&device->lock);
  struct tsr_stream *stream = device->free_stream;
  device->free_stream = NULL;
  pthread_mutex_unlock(&device->lock);
  while (stream) {
    struct tsr_stream *next = stream->next;
    device->cu.cuStreamDestroy_v2(stream->handle);
    free(stream);
    stream = next;
  }
}
