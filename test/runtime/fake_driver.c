/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The entry points of fake_driver.h's driver. One lock is around each call; fake_work.c does what streams ask for. */
#include "fake_work.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the runtime declares is what is defined here. */
#pragma GCC visibility push(default)
#define ENTRY(name, parameters) cu_result name parameters;
#include "cuda_driver.def"
#undef ENTRY
extern const struct fake_driver fake_driver;
#pragma GCC visibility pop

enum {
#define ENTRY(name, parameters) AT_##name,
#include "cuda_driver.def"
#undef ENTRY
  N_ENTRY
};

static const char *const entry_name[] = {
#define ENTRY(name, parameters) #name,
#include "cuda_driver.def"
#undef ENTRY
};

/* TSR_CU_.. and these are cuda.h's numbers, which cuda_names.c compares. */
enum { INVALID_VALUE = 1, NO_DEVICE_NUMBER = 101, INVALID_CONTEXT = 201, INVALID_PTX = 218, NOT_FOUND = 500 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  long calls, fail_at, hook_at;
  cu_result code;
  void (*hook)(void);
} entry[N_ENTRY];
static long n_failed, n_retained, n_stream, n_module;
static cu_result dead; /* what every call says from now on */
/* Not allocated by the thread that touches it first: that crashes GCC 12's leak checker at times. */
static _Thread_local long n_context __attribute__((tls_model("initial-exec")));

static int find_entry(const char *name, size_t length)
{
  for (int i = 0; i < N_ENTRY; i++)
    if (strlen(entry_name[i]) == length && !strncmp(entry_name[i], name, length))
      return i;
  fprintf(stderr, "fake driver: there is no entry %.*s\n", (int)length, name);
  exit(3);
}

/* TSR_FAKE_FAIL */
__attribute__((constructor)) static void read_environment(void)
{
  const char *memory = getenv("TSR_FAKE_MEMORY");
  fake_set_memory(memory ? strtoull(memory, NULL, 10) : 1ull << 30);
  for (const char *text = getenv("TSR_FAKE_FAIL"); text && *text;) {
    const char *colon = strchr(text, ':');
    int at = find_entry(text, colon ? (size_t)(colon - text) : strlen(text));
    if (!colon || sscanf(colon, ":%ld:%d", &entry[at].fail_at, &entry[at].code) != 2)
      exit(3);
    text = strchr(text, ',');
    text = text ? text + 1 : NULL;
  }
}

__attribute__((destructor)) static void look_for_leaks(void)
{
  if (getenv("TSR_FAKE_STRICT") && (n_retained || n_stream || n_module || fake_blocks() || fake_buffers()))
    fprintf(stderr, "fake driver: left are %ld contexts, %ld streams, %ld modules, %ld blocks, %ld buffers\n", n_retained,
            n_stream, n_module, fake_blocks(), fake_buffers());
}

static bool is_sticky(cu_result code)
{
  return (code >= 700 && code < 800) || code == 999;
}

/* A call of entry AT begins, with the lock held on return: what it returns, 0 to go on. */
static cu_result begin(int at, bool needs_context)
{
  pthread_mutex_lock(&lock);
  long number = ++entry[at].calls;
  if (number == entry[at].hook_at) {
    pthread_mutex_unlock(&lock);
    entry[at].hook();
    pthread_mutex_lock(&lock);
  }
  if (number == entry[at].fail_at) {
    n_failed++;
    dead = is_sticky(entry[at].code) ? entry[at].code : dead;
    return entry[at].code;
  }
  return dead ? dead : needs_context && !n_context ? INVALID_CONTEXT : 0;
}

static cu_result end(cu_result code)
{
  pthread_mutex_unlock(&lock);
  return code;
}

#define BEGIN(name, needs_context)                                                                                          \
  cu_result code = begin(AT_##name, needs_context);                                                                         \
  if (code)                                                                                                                 \
  return end(code)

cu_result cuInit(unsigned flags)
{
  BEGIN(cuInit, false);
  return end(flags ? INVALID_VALUE : 0);
}

cu_result cuDeviceGet(cu_device *device, int number)
{
  BEGIN(cuDeviceGet, false);
  *device = 40 + number;
  return end(number < 0 || number > 1 ? NO_DEVICE_NUMBER : 0);
}

cu_result cuDevicePrimaryCtxRetain(cu_context *context, cu_device device)
{
  BEGIN(cuDevicePrimaryCtxRetain, false);
  n_retained++;
  *context = (cu_context)&n_retained;
  return end(device == 40 || device == 41 ? 0 : NO_DEVICE_NUMBER);
}

cu_result cuDevicePrimaryCtxRelease_v2(cu_device device)
{
  BEGIN(cuDevicePrimaryCtxRelease_v2, false);
  n_retained--;
  return end(device == 40 || device == 41 ? 0 : NO_DEVICE_NUMBER);
}

cu_result cuCtxPushCurrent_v2(cu_context context)
{
  BEGIN(cuCtxPushCurrent_v2, false);
  if (context != (cu_context)&n_retained)
    return end(INVALID_CONTEXT);
  n_context++;
  return end(0);
}

cu_result cuCtxPopCurrent_v2(cu_context *context)
{
  BEGIN(cuCtxPopCurrent_v2, true);
  n_context--;
  *context = (cu_context)&n_retained;
  return end(0);
}

cu_result cuModuleLoadDataEx(cu_module *module, const void *image, unsigned n_option, int *option, void **value)
{
  BEGIN(cuModuleLoadDataEx, true);
  char *log = NULL;
  for (unsigned i = 0; i < n_option; i++)
    if (option[i] == TSR_CU_JIT_ERROR_LOG)
      log = value[i];
  if (strncmp(image, ".version", 8)) {
    if (log)
      strcpy(log, "ptxas fatal: not PTX\nptxas fatal: aborted");
    return end(INVALID_PTX);
  }
  *module = fake_module_new(image);
  n_module++;
  return end(0);
}

cu_result cuModuleUnload(cu_module module)
{
  BEGIN(cuModuleUnload, true);
  fake_module_free(module);
  n_module--;
  return end(0);
}

cu_result cuModuleGetFunction(cu_function *function, cu_module module, const char *name)
{
  BEGIN(cuModuleGetFunction, true);
  *function = fake_module_function(module, name);
  return end(*function ? 0 : NOT_FOUND);
}

cu_result cuFuncSetAttribute(cu_function function, int attribute, int value)
{
  BEGIN(cuFuncSetAttribute, true);
  if (attribute != TSR_CU_FUNC_MAX_DYNAMIC_SHARED || value > 200 * 1024)
    return end(INVALID_VALUE);
  fake_function_allow(function, value);
  return end(0);
}

cu_result cuStreamCreate(cu_stream *stream, unsigned flags)
{
  BEGIN(cuStreamCreate, true);
  if (flags != TSR_CU_STREAM_NON_BLOCKING)
    return end(INVALID_VALUE);
  *stream = fake_stream_new();
  n_stream++;
  return end(0);
}

cu_result cuStreamSynchronize(cu_stream stream)
{
  BEGIN(cuStreamSynchronize, true);
  dead = fake_stream_run(stream);
  return end(dead);
}

cu_result cuStreamDestroy_v2(cu_stream stream)
{
  BEGIN(cuStreamDestroy_v2, true);
  fake_stream_free(stream);
  n_stream--;
  return end(0);
}

cu_result cuMemAlloc_v2(cu_address *address, size_t bytes)
{
  BEGIN(cuMemAlloc_v2, true);
  *address = bytes ? fake_block_new(bytes) : 0;
  return end(!bytes ? INVALID_VALUE : *address ? 0 : TSR_CU_OUT_OF_MEMORY);
}

cu_result cuMemFree_v2(cu_address address)
{
  BEGIN(cuMemFree_v2, true);
  return end(fake_block_free(address) ? 0 : INVALID_VALUE);
}

#ifndef FAKE_WITHOUT_HOST_MEMORY
cu_result cuMemHostAlloc(void **host, size_t bytes, unsigned flags)
{
  BEGIN(cuMemHostAlloc, true);
  *host = bytes && !flags ? fake_buffer_new(bytes) : NULL;
  return end(*host ? 0 : INVALID_VALUE);
}

cu_result cuMemFreeHost(void *host)
{
  BEGIN(cuMemFreeHost, true);
  return end(fake_buffer_free(host) ? 0 : INVALID_VALUE);
}
#endif

cu_result cuMemcpyHtoDAsync_v2(cu_address to, const void *from, size_t bytes, cu_stream stream)
{
  BEGIN(cuMemcpyHtoDAsync_v2, true);
  struct cu_rows rows = {.from = {.memory = TSR_CU_MEMORY_HOST, .host = (void *)(size_t)from},
                         .to = {.memory = TSR_CU_MEMORY_DEVICE, .device = to},
                         .width = bytes,
                         .height = 1};
  return end(fake_stream_copy(stream, &rows) ? 0 : INVALID_VALUE);
}

cu_result cuMemcpyDtoHAsync_v2(void *to, cu_address from, size_t bytes, cu_stream stream)
{
  BEGIN(cuMemcpyDtoHAsync_v2, true);
  struct cu_rows rows = {.from = {.memory = TSR_CU_MEMORY_DEVICE, .device = from},
                         .to = {.memory = TSR_CU_MEMORY_HOST, .host = to},
                         .width = bytes,
                         .height = 1};
  return end(fake_stream_copy(stream, &rows) ? 0 : INVALID_VALUE);
}

cu_result cuMemcpy2DAsync_v2(const struct cu_rows *rows, cu_stream stream)
{
  BEGIN(cuMemcpy2DAsync_v2, true);
  bool fits = rows->width <= rows->from.pitch && rows->width <= rows->to.pitch && rows->from.pitch <= 0x7fffffff &&
              rows->to.pitch <= 0x7fffffff;
  return end(fits && fake_stream_copy(stream, rows) ? 0 : INVALID_VALUE);
}

cu_result cuLaunchKernel(cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                         unsigned block_y, unsigned block_z, unsigned shared, cu_stream stream, void **arguments,
                         void **extra)
{
  BEGIN(cuLaunchKernel, true);
  struct fake_shape shape = {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared};
  if (extra || !grid_x || !grid_y || !grid_z || !block_x || !block_y || !block_z || block_x * block_y * block_z > 1024 ||
      !fake_stream_launch(stream, function, &shape, arguments))
    return end(INVALID_VALUE);
  return end(0);
}

static long calls(const char *name)
{
  pthread_mutex_lock(&lock);
  long n = entry[find_entry(name, strlen(name))].calls;
  pthread_mutex_unlock(&lock);
  return n;
}

static void fail(const char *name, long nth, cu_result code)
{
  pthread_mutex_lock(&lock);
  int at = find_entry(name, strlen(name));
  entry[at].fail_at = entry[at].calls + nth;
  entry[at].code = code;
  pthread_mutex_unlock(&lock);
}

static void before(const char *name, long nth, void (*hook)(void))
{
  pthread_mutex_lock(&lock);
  int at = find_entry(name, strlen(name));
  entry[at].hook_at = entry[at].calls + nth;
  entry[at].hook = hook;
  pthread_mutex_unlock(&lock);
}

static long failed(void)
{
  return n_failed;
}

static long contexts(void)
{
  return n_context;
}

const struct fake_driver fake_driver = {calls, fail, before, failed, contexts, fake_blocks, fake_buffers};
