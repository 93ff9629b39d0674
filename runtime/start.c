/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Is it time to start the GPU? A process's first job waits for the driver, and the first one of each file for its PTX to be
 * translated: longer than most jobs take on the CPU. How much more there is to do, nobody knows. So what earlier jobs would
 * have saved on the GPU is added up, and it is started when that, and what this one would save, is as much as starting it
 * takes: so a program never waits longer than it could have gained by then (as one buys skis for what has been paid to rent
 * some: R. Karp, "On-line algorithms versus off-line algorithms", IFIP 1992). */
#include "runtime.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Nanoseconds, on a machine with an H200 and a driver of CUDA 13.0: from cuInit to a context, 190 to 220 ms; a byte of PTX,
 * 4 to 5.6 us, in files of 60 to 190 KB. */
#define START_DEVICE 220e6
#define START_BYTE 5e3

static _Atomic(double) saved; /* ns that jobs of the process would have saved, less what was paid */

/* What starting for MODULE takes, ns: as the environment says, or as estimated. */
static double cost_of(const struct tsr_rt_module *module)
{
  const char *text = getenv("TESSERA_RT_START");
  char *end;
  double asked = text && *text ? strtod(text, &end) : -1;
  if (text && *text && (*end || !(asked >= 0)))
    tsr_tell("TESSERA_RT_START is '%s': give it milliseconds, 0 or more", text);
  else if (asked >= 0)
    return asked * 1e6;
  return (tsr_device_is_open() ? 0 : START_DEVICE) + START_BYTE * (double)strlen(module->ptx);
}

int tsr_rt_pays(struct tsr_rt_module *module, double saves)
{
  if (__atomic_load_n(&module->state, __ATOMIC_ACQUIRE))
    return 1;
  int error = errno;
  double cost = cost_of(module), before = atomic_load(&saved), now;
  do
    now = before + saves >= cost ? before + saves - cost : before + saves;
  while (!atomic_compare_exchange_weak(&saved, &before, now));
  errno = error;
  return before + saves >= cost;
}
