/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The process's device.
 *
 *   UNOPENED --first job--> OPEN --it is lost, or the process ends--> GONE
 *        \---- no driver, no GPU, TESSERA_RT_DEVICE=none ------------/
 *
 * The process that begins the first job is the owner. A child that it forks from then on finds another owner than itself
 * before it touches a lock (which a thread of the parent may have held); one that was forked before is a process like any
 * other.
 *
 * What was allocated is freed at the process's end, before the driver ends (its own handlers are older than ours), unless
 * a job still runs in another thread, or the device is lost: then nothing may be touched. */
#include "runtime.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { UNOPENED, OPEN, GONE };

static struct tsr_device the_device = {.loading = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER};
static atomic_int state = UNOPENED;
static _Atomic(pid_t) owner; /* 0: nobody yet */
static void (*clear_device)(struct tsr_device *device);

void tsr_device_give_up(void)
{
  atomic_store(&state, GONE);
}

/* Which device TESSERA_RT_DEVICE asks for; -1: none */
static int wanted_device(void)
{
  const char *text = getenv("TESSERA_RT_DEVICE");
  if (!text || !*text)
    return 0;
  if (!strcmp(text, "none"))
    return -1;
  char *end;
  errno = 0;
  long number = strtol(text, &end, 10);
  if (errno || *end || *text < '0' || *text > '9' || number > 9999) {
    tsr_tell("TESSERA_RT_DEVICE is '%s': give it a GPU's number, or none", text);
    return -1;
  }
  return (int)number;
}

/* Is CODE, which ENTRY returned when nobody had a job yet, success? */
static bool did(cu_result code, const char *entry)
{
  if (code != TSR_CU_SUCCESS)
    tsr_tell_error("GPU", entry, code, "");
  return code == TSR_CU_SUCCESS;
}

/* Free what the process holds of the device. */
static void close_device(void)
{
  struct tsr_device *device = &the_device;
  if (atomic_load(&owner) != getpid())
    return;
  pthread_mutex_lock(&device->lock);
  bool idle = device->n_job == 0 && atomic_load(&state) == OPEN;
  atomic_store(&state, GONE);
  pthread_mutex_unlock(&device->lock);
  if (!idle || device->cu.cuCtxPushCurrent_v2(device->context) != TSR_CU_SUCCESS)
    return;
  clear_device(device);
  cu_context popped;
  device->cu.cuCtxPopCurrent_v2(&popped);
  device->cu.cuDevicePrimaryCtxRelease_v2(device->number);
}

/* Find the driver, the device, and its context. */
static bool open_device(struct tsr_device *device)
{
  int number = wanted_device();
  if (number < 0 || !tsr_driver_open(&device->cu))
    return false;
  const struct tsr_driver *cu = &device->cu;
  const char *traces = getenv("TESSERA_RT_TRACE");
  device->traces = traces && *traces && strcmp(traces, "0");
  if (!did(cu->cuInit(0), "cuInit") || !did(cu->cuDeviceGet(&device->number, number), "cuDeviceGet") ||
      !did(cu->cuDevicePrimaryCtxRetain(&device->context, device->number), "cuDevicePrimaryCtxRetain"))
    return false;
  atexit(close_device); /* where it can't be registered, the process's end frees all of it */
  return true;
}

bool tsr_device_is_open(void)
{
  return atomic_load(&state) != UNOPENED;
}

struct tsr_device *tsr_device_enter(void (*clear)(struct tsr_device *device))
{
  struct tsr_device *device = &the_device;
  if (atomic_load(&state) == GONE)
    return NULL;
  pid_t self = getpid(), nobody = 0;
  if (!atomic_compare_exchange_strong(&owner, &nobody, self) && nobody != self)
    return NULL;
  pthread_mutex_lock(&device->lock);
  if (atomic_load(&state) == UNOPENED) {
    clear_device = clear;
    atomic_store(&state, open_device(device) ? OPEN : GONE);
  }
  bool is_open = atomic_load(&state) == OPEN;
  device->n_job += is_open;
  pthread_mutex_unlock(&device->lock);
  return is_open ? device : NULL;
}

void tsr_device_leave(struct tsr_device *device)
{
  pthread_mutex_lock(&device->lock);
  device->n_job--;
  pthread_mutex_unlock(&device->lock);
}
