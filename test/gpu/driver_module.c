/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Modules, their kernels, launches. */
#include "driver.h"
#include <stdlib.h>
#include <string.h>

/* ---- modules */

/* Why a module can't be used, on stderr and where the caller of cuModuleLoadDataEx wants it */
static void report(const struct ptx_module *m, unsigned n, const int *option, void **value)
{
  ptx_complain("module", "%s", m->error);
  size_t size = 0;
  for (unsigned k = 0; k < n; k++)
    size = option[k] == CU_JIT_ERROR_LOG_SIZE ? (size_t)(uintptr_t)value[k] : size;
  for (unsigned k = 0; k < n; k++)
    if (option[k] == CU_JIT_ERROR_LOG && size)
      snprintf(value[k], size, "%s", m->error);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned n, const int *option, void **value)
{
  int code;
  struct driver *d = driver_enter("cuModuleLoadDataEx", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  CUmodule m = calloc(1, sizeof *m);
  struct ptx_module *ptx = m ? ptx_module_parse(image, d->version, d->sm, &d->memory) : NULL;
  if (!ptx)
    return free(m), driver_leave(d, PTX_OUT_OF_MEMORY);
  code = ptx->code;
  if (code) {
    report(ptx, n, option, value);
    ptx_module_free(ptx, &d->memory);
    free(m);
    return driver_leave(d, code);
  }
  m->ptx = ptx;
  m->next = d->module;
  d->module = *module = m;
  return driver_leave(d, PTX_OK);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
  return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

/* Where the module hangs in the list; NULL: nowhere */
static CUmodule *find_module(struct driver *d, CUmodule module)
{
  CUmodule *at = &d->module;
  while (*at && *at != module)
    at = &(*at)->next;
  return *at ? at : NULL;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
  int code;
  struct driver *d = driver_enter("cuModuleGetFunction", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  if (!find_module(d, module))
    return driver_leave(d, PTX_INVALID_HANDLE);
  *function = ptx_module_entry(module->ptx, name);
  return driver_leave(d, *function ? PTX_OK : PTX_NOT_FOUND);
}

CUresult cuModuleUnload(CUmodule module)
{
  int code;
  struct driver *d = driver_enter("cuModuleUnload", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  CUmodule *at = find_module(d, module);
  if (!at)
    return driver_leave(d, PTX_INVALID_HANDLE);
  driver_drain_all(d);
  *at = module->next;
  ptx_module_free(module->ptx, &d->memory);
  free(module);
  return driver_leave(d, PTX_OK);
}

void driver_unload_all(struct driver *d)
{
  while (d->module) {
    CUmodule m = d->module;
    d->module = m->next;
    ptx_module_free(m->ptx, &d->memory);
    free(m);
  }
}

/* ---- kernels */

/* Is it a kernel of a module that is loaded? */
static bool is_kernel(const struct driver *d, CUfunction function)
{
  for (CUmodule m = d->module; m; m = m->next)
    for (int k = 0; k < m->ptx->n_function; k++)
      if (m->ptx->function[k] == function)
        return true;
  return false;
}

CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value)
{
  int code;
  struct driver *d = driver_enter("cuFuncSetAttribute", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  if (!is_kernel(d, function))
    return driver_leave(d, PTX_INVALID_HANDLE);
  if (attribute == 9)
    return driver_leave(d, PTX_OK);
  if (attribute != CU_MAX_DYNAMIC_SHARED || value < 0 || function->static_shared + (uint64_t)value > driver_most_shared(d))
    return driver_leave(d, PTX_INVALID_VALUE);
  function->max_dynamic = (uint32_t)value;
  return driver_leave(d, PTX_OK);
}

CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function)
{
  int code;
  struct driver *d = driver_enter("cuFuncGetAttribute", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  if (!is_kernel(d, function))
    return driver_leave(d, PTX_INVALID_HANDLE);
  const int known[] = {function->max_threads ? (int)function->max_threads : PTX_THREADS,
                       (int)function->static_shared,
                       0,
                       (int)function->local,
                       32,
                       d->version,
                       d->sm,
                       0,
                       (int)function->max_dynamic};
  if (attribute < 0 || attribute >= (int)(sizeof known / sizeof *known))
    return driver_leave(d, PTX_INVALID_VALUE);
  *value = known[attribute];
  return driver_leave(d, PTX_OK);
}

/* ---- launches */

/* Can it be launched so? A message says what can't. */
static bool fits(const struct driver *d, const struct ptx_launch *l)
{
  static const uint32_t most_grid[3] = {0x7fffffff, 65535, 65535}, most_block[3] = {1024, 1024, 64};
  const struct ptx_function *f = l->entry;
  uint64_t threads = 1;
  for (int k = 0; k < 3; k++) {
    threads *= l->size[k];
    if (!l->grid[k] || l->grid[k] > most_grid[k] || !l->size[k] || l->size[k] > most_block[k])
      return ptx_complain("launch", "%s: grid %u, block %u in dimension %d", f->name, l->grid[k], l->size[k], k), false;
  }
  uint32_t most = f->max_threads && f->max_threads < PTX_THREADS ? f->max_threads : PTX_THREADS;
  if (threads > most)
    return ptx_complain("launch", "%s: %llu threads a block, more than %u", f->name, (unsigned long long)threads, most),
           false;
  uint32_t allowed = PTX_STATIC_SHARED - (uint32_t)f->static_shared;
  allowed = f->max_dynamic > allowed ? f->max_dynamic : allowed;
  if (l->dynamic > allowed || f->static_shared + l->dynamic > driver_most_shared(d))
    return ptx_complain("launch", "%s: %u bytes of dynamic shared memory, more than %u", f->name, l->dynamic, allowed),
           false;
  return true;
}

/* The kernel's parameters, from an array of pointers or CUDA's `extra`; false: they aren't there */
static bool gather(struct ptx_launch *l, void **params, void **extra)
{
  const struct ptx_function *f = l->entry;
  const struct ptx_formal *last = f->n_formal ? &f->formal[f->n_formal - 1] : NULL;
  l->params_size = last ? last->offset + last->size : 0;
  l->params = calloc(l->params_size + 8, 1);
  const void *buffer = NULL;
  size_t size = 0;
  for (; !params && extra && *extra; extra += 2)
    if ((uintptr_t)*extra == 1)
      buffer = extra[1];
    else
      size = *(const size_t *)extra[1];
  if (!l->params || (last && !params && (!buffer || size < l->params_size)))
    return false;
  if (buffer)
    return memcpy(l->params, buffer, l->params_size), true;
  for (int k = 0; k < f->n_formal; k++) {
    if (!params[k])
      return false;
    memcpy(l->params + f->formal[k].offset, params[k], f->formal[k].size);
  }
  return true;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **params, void **extra)
{
  int code;
  struct driver *d = driver_enter("cuLaunchKernel", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  CUstream s = driver_stream(d, stream);
  if (!s || !is_kernel(d, function))
    return driver_leave(d, PTX_INVALID_HANDLE);
  struct operation o = {.kind = LAUNCH};
  o.launch = (struct ptx_launch){.entry = function,
                                 .memory = &d->memory,
                                 .grid = {grid_x, grid_y, grid_z},
                                 .size = {block_x, block_y, block_z},
                                 .threads = block_x * block_y * block_z,
                                 .dynamic = shared};
  if (!fits(d, &o.launch) || !gather(&o.launch, params, extra)) {
    driver_drop(&o);
    return driver_leave(d, PTX_INVALID_VALUE);
  }
  code = driver_issue(d, s, &o);
  if (code)
    driver_drop(&o);
  return driver_leave(d, code);
}

/* Appends a line to the file of TSR_PTX_COUNT. */
static void write_counts(const struct driver *d, const struct ptx_launch *l)
{
  FILE *file = fopen(d->count, "a");
  const struct ptx_count *c = &l->counted;
  if (!file)
    return;
  fprintf(file, "kernel=%s grid=%u,%u,%u block=%u,%u,%u instructions=%llu", l->entry->name, l->grid[0], l->grid[1],
          l->grid[2], l->size[0], l->size[1], l->size[2], (unsigned long long)c->instructions);
  if (!l->random)
    fprintf(file,
            " loads=%llu stores=%llu load_sectors=%llu store_sectors=%llu load_least=%llu store_least=%llu shared=%llu"
            " wavefronts=%llu",
            (unsigned long long)c->global_loads, (unsigned long long)c->global_stores, (unsigned long long)c->load_sectors,
            (unsigned long long)c->store_sectors, (unsigned long long)c->load_least, (unsigned long long)c->store_least,
            (unsigned long long)c->shared_requests, (unsigned long long)c->wavefronts);
  fprintf(file, " bytes_in=%llu bytes_out=%llu\n", (unsigned long long)d->bytes_in, (unsigned long long)d->bytes_out);
  fclose(file);
}

int driver_launch(struct driver *d, struct ptx_launch *launch)
{
  launch->random = d->random;
  launch->seed = d->seed;
  launch->limit = d->limit;
  launch->count = d->count && !d->random;
  launch->now = d->now;
  int code = ptx_launch_run(launch);
  d->now = launch->now;
  d->seed = d->random ? launch->seed : d->seed;
  d->instructions += launch->counted.instructions;
  if (d->count)
    write_counts(d, launch);
  return code;
}
