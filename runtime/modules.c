/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* PTX -> module -> functions. tsr_rt_module.state -> tsr_loaded, made at the module's first job and never changed after
 * that but for what is atomic or under the lock:
 *
 *   NULL --cuModuleLoadDataEx--> loaded or refused        loaded --a function is missing--> refused
 *
 * The caller's tsr_rt_module may be gone before the process ends (dlclose), so no tsr_loaded points to one. */
#include "runtime.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SHARED_UNASKED (48 * 1024) /* bytes of shared memory that a launch has without cuFuncSetAttribute */

struct tsr_loaded {
  struct tsr_loaded *next;
  atomic_bool refused;
  cu_module module;
  int64_t n_function;
  struct {
    _Atomic(cu_function) handle; /* NULL: not looked up */
    uint32_t shared;             /* bytes allowed; under the device's lock */
  } function[];
};

/* Have the driver translate the PTX. Its complaint's first line goes into the message. */
static cu_result translate(struct tsr_rt_job *job, cu_module *module)
{
  char log[512] = "";
  int option[] = {TSR_CU_JIT_ERROR_LOG, TSR_CU_JIT_ERROR_LOG_BYTES};
  void *value[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
  cu_result code = job->device->cu.cuModuleLoadDataEx(module, job->module->ptx, 2, option, value);
  log[strcspn(log, "\r\n")] = 0;
  if (code != TSR_CU_SUCCESS)
    tsr_job_fail_by(job, code, "cuModuleLoadDataEx", log);
  return code;
}

/* What the driver makes of the job's module; NULL: it may go better next time. The loading lock is held. */
static struct tsr_loaded *load(struct tsr_rt_job *job)
{
  size_t n = job->module->n_kernel > 0 ? (size_t)job->module->n_kernel : 0;
  struct tsr_loaded *loaded = calloc(1, sizeof *loaded + n * sizeof *loaded->function);
  if (!loaded) {
    tsr_job_lacks_memory(job);
    return NULL;
  }
  loaded->n_function = (int64_t)n;
  cu_result code = translate(job, &loaded->module);
  if (code == TSR_CU_OUT_OF_MEMORY) {
    free(loaded);
    return NULL;
  }
  atomic_init(&loaded->refused, code != TSR_CU_SUCCESS);
  loaded->next = job->device->loaded;
  job->device->loaded = loaded;
  return loaded;
}

bool tsr_module_load(struct tsr_rt_job *job)
{
  void **state = &job->module->state;
  struct tsr_loaded *loaded = __atomic_load_n(state, __ATOMIC_ACQUIRE);
  if (!loaded) {
    pthread_mutex_lock(&job->device->loading);
    loaded = __atomic_load_n(state, __ATOMIC_ACQUIRE);
    if (!loaded) {
      loaded = load(job);
      __atomic_store_n(state, loaded, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&job->device->loading);
  }
  job->loaded = loaded;
  job->failed |= !loaded || atomic_load(&loaded->refused);
  return !job->failed;
}

void tsr_module_refuse(struct tsr_rt_job *job)
{
  if (job->loaded)
    atomic_store(&job->loaded->refused, true);
}

/* Let FUNCTION have SHARED bytes, or keep what it was allowed before. Threads may ask for different sizes. */
static bool allow_shared(struct tsr_rt_job *job, cu_function function, uint32_t *allowed, uint32_t shared)
{
  if (shared <= SHARED_UNASKED)
    return true;
  pthread_mutex_lock(&job->device->lock);
  cu_result code = TSR_CU_SUCCESS;
  if (shared > *allowed)
    code = job->device->cu.cuFuncSetAttribute(function, TSR_CU_FUNC_MAX_DYNAMIC_SHARED, (int)shared);
  if (shared > *allowed && code == TSR_CU_SUCCESS)
    *allowed = shared;
  pthread_mutex_unlock(&job->device->lock);
  return tsr_job_did(job, code, "cuFuncSetAttribute");
}

cu_function tsr_module_function(struct tsr_rt_job *job, int64_t kernel, uint32_t shared)
{
  struct tsr_loaded *loaded = job->loaded;
  if (kernel < 0 || kernel >= loaded->n_function) {
    tsr_job_fail(job, "there is no kernel %lld: report this as a bug of Tessera", (long long)kernel);
    return NULL;
  }
  cu_function function = atomic_load(&loaded->function[kernel].handle);
  if (!function) {
    if (!TSR_DID(job, cuModuleGetFunction, &function, loaded->module, job->module->kernel[kernel].name))
      return NULL;
    atomic_store(&loaded->function[kernel].handle, function);
  }
  return allow_shared(job, function, &loaded->function[kernel].shared, shared) ? function : NULL;
}

void tsr_modules_free(struct tsr_device *device)
{
  struct tsr_loaded *loaded = device->loaded;
  device->loaded = NULL;
  while (loaded) {
    struct tsr_loaded *next = loaded->next;
    if (loaded->module)
      device->cu.cuModuleUnload(loaded->module);
    free(loaded);
    loaded = next;
  }
}
