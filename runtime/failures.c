/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A job fails: what else is over, and the message. */
#include "runtime.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void tsr_job_fail(struct tsr_rt_job *job, const char *format, ...)
{
  char what[512];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  job->failed = true;
  tsr_tell("%s: %s", job->module->name, what);
}

void tsr_job_lacks_memory(struct tsr_rt_job *job)
{
  tsr_job_fail(job, "out of memory: free some, or set TESSERA_RT_DEVICE=none");
}

void tsr_job_fail_by(struct tsr_rt_job *job, cu_result code, const char *entry, const char *detail)
{
  enum tsr_fate fate = tsr_tell_error(job->module->name, entry, code, detail);
  job->failed = true;
  job->out_of_memory |= code == TSR_CU_OUT_OF_MEMORY;
  job->unfit |= fate == TSR_FATE_MODULE;
  if (fate == TSR_FATE_DEVICE || fate == TSR_FATE_NOBODY)
    tsr_device_give_up();
}

bool tsr_job_did(struct tsr_rt_job *job, cu_result code, const char *entry)
{
  if (code != TSR_CU_SUCCESS)
    tsr_job_fail_by(job, code, entry, "");
  return code == TSR_CU_SUCCESS;
}

void *tsr_job_grow(struct tsr_rt_job *job, void *array, size_t n, size_t *room, size_t size)
{
  if (n < *room)
    return array;
  size_t more = *room ? 2 * *room : 8;
  void *grown = more <= SIZE_MAX / size ? realloc(array, more * size) : NULL;
  if (grown)
    *room = more;
  else
    tsr_job_lacks_memory(job);
  return grown;
}
