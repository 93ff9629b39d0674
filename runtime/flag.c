/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The flag by which a kernel gives its job up: 4 bytes in a region of their own, copied to behind all that kernels do. It is
 * no failure: nothing is told, and neither the module nor the device is over. */
#include "runtime.h"

cu_address tsr_flag_address(struct tsr_rt_job *job)
{
  static const uint32_t zero = 0;
  if (job->flag)
    return job->flag;
  cu_address address = tsr_region_add(job, NULL, sizeof zero);
  if (address && TSR_DID(job, cuMemcpyHtoDAsync_v2, address, &zero, sizeof zero, job->stream->handle))
    job->flag = address;
  return job->flag;
}

bool tsr_flag_ask(struct tsr_rt_job *job)
{
  return !job->flag ||
         TSR_DID(job, cuMemcpyDtoHAsync_v2, &job->flag_value, job->flag, sizeof job->flag_value, job->stream->handle);
}

bool tsr_flag_is_set(const struct tsr_rt_job *job)
{
  return job->flag_value;
}
