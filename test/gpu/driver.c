/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Start, device, context, errors; and what every call does first (driver_enter). */
#include "driver.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GIB ((uint64_t)1 << 30)
#define DEEPEST 16

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct driver driver;
static _Thread_local struct {
  CUcontext context[DEEPEST];
  int n;
} current;

/* A child mustn't find the lock held by a thread that it doesn't have. */
static void hold(void)
{
  pthread_mutex_lock(&lock);
}

/* .. and both go on. */
static void let_go(void)
{
  pthread_mutex_unlock(&lock);
}

/* ---- environment */

/* A number of the environment, ELSE if it isn't there */
static uint64_t number(const char *name, uint64_t otherwise)
{
  const char *text = getenv(name);
  return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* What the variables say when the first call comes */
static void read_environment(struct driver *d)
{
  pthread_atfork(hold, let_go, let_go);
  const char *order = getenv("TSR_PTX_ORDER"), *version = getenv("TSR_PTX_VERSION");
  int major = 9, minor = 0;
  if (version)
    sscanf(version, "%d.%d", &major, &minor);
  d->read = true;
  d->random = order && !strcmp(order, "random");
  d->version = 10 * major + minor;
  d->seed = number("TSR_PTX_SEED", 1);
  d->limit = number("TSR_PTX_LIMIT", 1000000000);
  d->devices = (int)number("TSR_PTX_DEVICES", 1);
  d->sm = (int)number("TSR_PTX_SM", 90);
  d->count = getenv("TSR_PTX_COUNT");
  d->memory.total = number("TSR_PTX_MEMORY", 16 * GIB);
  d->memory.next = PTX_GLOBAL;
}

/* What TSR_PTX_FAIL says for this call of NAME, 0: nothing. Counts the calls. */
static int injected(const char *name)
{
  enum { MOST = 64 };
  static struct {
    const char *name;
    unsigned n;
  } calls[MOST];
  int k = 0;
  while (k < MOST - 1 && calls[k].name && strcmp(calls[k].name, name))
    k++;
  calls[k].name = name;
  calls[k].n++;
  size_t length = strlen(name);
  for (const char *at = getenv("TSR_PTX_FAIL"); at && *at; at += strcspn(at, ","), at += *at == ',') {
    unsigned n;
    int code;
    if (!strncmp(at, name, length) && sscanf(at + length, ":%u:%d", &n, &code) == 2 && n == calls[k].n)
      return code;
  }
  return 0;
}

/* ---- every call */

struct driver *driver_enter(const char *name, enum needs needs, int *code)
{
  pthread_mutex_lock(&lock);
  struct driver *d = &driver;
  if (!d->read)
    read_environment(d);
  *code = injected(name);
  if (!*code && needs != NEEDS_NOTHING && (!d->initialised || d->pid != getpid()))
    *code = PTX_NOT_INITIALIZED;
  if (!*code && needs == NEEDS_CONTEXT)
    *code = !current.n || !d->context.retained ? PTX_INVALID_CONTEXT : d->fault;
  if (!*code)
    return d;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int driver_leave(struct driver *d, int code)
{
  code = code ? code : d->fault;
  pthread_mutex_unlock(&lock);
  return code;
}

unsigned tsr_ptx_faults(const char *kind)
{
  return ptx_fault_count(kind);
}

uint64_t tsr_ptx_instructions(void)
{
  return driver.instructions;
}

/* ---- start and device */

CUresult cuInit(unsigned flags)
{
  int code;
  struct driver *d = driver_enter("cuInit", NEEDS_NOTHING, &code);
  if (!d)
    return code;
  if (flags)
    return driver_leave(d, PTX_INVALID_VALUE);
  if (!d->devices)
    return driver_leave(d, PTX_NO_DEVICE);
  if (!d->initialised)
    d->pid = getpid();
  d->initialised = true;
  code = d->pid == getpid() ? PTX_OK : PTX_NOT_INITIALIZED;
  pthread_mutex_unlock(&lock);
  return code;
}

CUresult cuDriverGetVersion(int *version)
{
  int code;
  struct driver *d = driver_enter("cuDriverGetVersion", NEEDS_NOTHING, &code);
  if (!d)
    return code;
  *version = 13000;
  pthread_mutex_unlock(&lock);
  return PTX_OK;
}

/* Enters a call about a device, of which there is one. */
static struct driver *enter_device(const char *name, CUdevice device, int *code)
{
  struct driver *d = driver_enter(name, NEEDS_INIT, code);
  if (!d || (device >= 0 && device < d->devices))
    return d;
  *code = PTX_INVALID_DEVICE;
  pthread_mutex_unlock(&lock);
  return NULL;
}

/* Leaves a call that doesn't tell faults. */
static int leave_device(int code)
{
  pthread_mutex_unlock(&lock);
  return code;
}

CUresult cuDeviceGet(CUdevice *device, int number)
{
  int code;
  if (!enter_device("cuDeviceGet", number, &code))
    return code;
  *device = number;
  return leave_device(PTX_OK);
}

CUresult cuDeviceGetCount(int *count)
{
  int code;
  struct driver *d = driver_enter("cuDeviceGetCount", NEEDS_INIT, &code);
  if (!d)
    return code;
  *count = d->devices;
  return leave_device(PTX_OK);
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
  int code;
  if (!enter_device("cuDeviceGetName", device, &code))
    return code;
  snprintf(name, (size_t)size, "PTX interpreter");
  return leave_device(PTX_OK);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
  int code;
  struct driver *d = enter_device("cuDeviceTotalMem_v2", device, &code);
  if (!d)
    return code;
  *bytes = d->memory.total;
  return leave_device(PTX_OK);
}

uint32_t driver_most_shared(const struct driver *d)
{
  return d->sm >= 90                  ? 227u << 10
         : d->sm == 80 || d->sm == 87 ? 163u << 10
         : d->sm > 80                 ? 99u << 10
         : d->sm == 75                ? 64u << 10
                                      : 96u << 10;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
  /* As of an H100 */
  static const struct {
    int attribute, value;
  } known[] = {
      {1, 1024},      {2, 1024},  {3, 1024},   {4, 64},       {5, 0x7fffffff}, {6, 65535}, {7, 65535},    {8, 49152},
      {9, 65536},     {10, 32},   {12, 65536}, {13, 1980000}, {16, 132},       {31, 1},    {36, 2619000}, {37, 5120},
      {38, 52428800}, {39, 2048}, {40, 3},     {41, 1},       {82, 65536},     {106, 32},  {115, 1},
  };
  int code;
  struct driver *d = enter_device("cuDeviceGetAttribute", device, &code);
  if (!d)
    return code;
  *value = attribute == 75   ? d->sm / 10
           : attribute == 76 ? d->sm % 10
           : attribute == 97 ? (int)driver_most_shared(d)
           : attribute == 81 ? (int)driver_most_shared(d) + 1024
                             : 0;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    *value = known[k].attribute == attribute ? known[k].value : *value;
  return leave_device(attribute > 0 && attribute < 200 ? PTX_OK : PTX_INVALID_VALUE);
}

/* ---- contexts: the device's primary one */

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
  int code;
  struct driver *d = enter_device("cuDevicePrimaryCtxRetain", device, &code);
  if (!d)
    return code;
  d->context.retained++;
  *context = &d->context;
  return leave_device(PTX_OK);
}

/* All that the context has goes; its fault, too. */
static void reset(struct driver *d)
{
  if (!d->fault)
    driver_drain_all(d);
  while (d->stream) {
    CUstream stream = d->stream;
    d->stream = stream->next;
    for (uint64_t k = 0; k < stream->issued - stream->done; k++)
      driver_drop(&stream->operation[k]);
    free(stream->operation);
    free(stream);
  }
  for (uint64_t k = 0; k < d->legacy.issued - d->legacy.done; k++)
    driver_drop(&d->legacy.operation[k]);
  free(d->legacy.operation);
  d->legacy = (struct cu_stream){.done = 0};
  driver_unload_all(d);
  ptx_memory_clear(&d->memory);
  while (d->pinned) {
    struct pinned *p = d->pinned;
    d->pinned = p->next;
    free(p);
  }
  d->fault = 0;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
  int code;
  struct driver *d = enter_device("cuDevicePrimaryCtxRelease_v2", device, &code);
  if (!d)
    return code;
  if (!d->context.retained)
    return leave_device(PTX_INVALID_CONTEXT);
  if (!--d->context.retained)
    reset(d);
  return leave_device(PTX_OK);
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
  int code;
  struct driver *d = enter_device("cuDevicePrimaryCtxReset_v2", device, &code);
  if (!d)
    return code;
  reset(d);
  return leave_device(PTX_OK);
}

CUresult cuCtxPushCurrent_v2(CUcontext context)
{
  int code;
  struct driver *d = driver_enter("cuCtxPushCurrent_v2", NEEDS_INIT, &code);
  if (!d)
    return code;
  if (context != &d->context || !d->context.retained || current.n == DEEPEST)
    return leave_device(PTX_INVALID_CONTEXT);
  current.context[current.n++] = context;
  return leave_device(PTX_OK);
}

CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
  int code;
  struct driver *d = driver_enter("cuCtxPopCurrent_v2", NEEDS_INIT, &code);
  if (!d)
    return code;
  if (!current.n)
    return leave_device(PTX_INVALID_CONTEXT);
  current.n--;
  if (context)
    *context = current.context[current.n];
  return leave_device(PTX_OK);
}

CUresult cuCtxSetCurrent(CUcontext context)
{
  int code;
  struct driver *d = driver_enter("cuCtxSetCurrent", NEEDS_INIT, &code);
  if (!d)
    return code;
  if (context && (context != &d->context || !d->context.retained))
    return leave_device(PTX_INVALID_CONTEXT);
  current.n -= current.n > 0;
  if (context)
    current.context[current.n++] = context;
  return leave_device(PTX_OK);
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
  int code;
  struct driver *d = driver_enter("cuCtxGetCurrent", NEEDS_INIT, &code);
  if (!d)
    return code;
  *context = current.n ? current.context[current.n - 1] : NULL;
  return leave_device(PTX_OK);
}

CUresult cuCtxSynchronize(void)
{
  int code;
  struct driver *d = driver_enter("cuCtxSynchronize", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  driver_drain_all(d);
  return driver_leave(d, PTX_OK);
}

/* ---- errors */

static const struct {
  int code;
  const char *name, *text;
} errors[] = {
    {PTX_OK, "CUDA_SUCCESS", "no error"},
    {PTX_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {PTX_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {PTX_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {PTX_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {PTX_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {PTX_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
    {PTX_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "PTX JIT compiler library not found"},
    {PTX_UNSUPPORTED_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the PTX was compiled with an unsupported toolchain"},
    {PTX_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {PTX_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {PTX_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {PTX_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {PTX_TIMEOUT, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {PTX_MISALIGNED, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {PTX_INVALID_SPACE, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "operation not supported on global/shared address space"},
    {PTX_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};
#define N_ERROR (sizeof errors / sizeof *errors)

CUresult cuGetErrorName(CUresult code, const char **name)
{
  for (size_t k = 0; k < N_ERROR; k++)
    if (errors[k].code == code)
      return *name = errors[k].name, PTX_OK;
  return *name = NULL, PTX_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult code, const char **text)
{
  for (size_t k = 0; k < N_ERROR; k++)
    if (errors[k].code == code)
      return *text = errors[k].text, PTX_OK;
  return *text = NULL, PTX_INVALID_VALUE;
}
