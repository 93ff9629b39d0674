/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory and copies. A copy is a rectangle of bytes, one row high if it is no 2-D copy; its sides are checked when it is
 * asked for, its bytes' validity when it is done. */
#include "driver.h"
#include <stdlib.h>
#include <string.h>

/* ---- device memory */

/* As cuMemAlloc under the name NAME */
static int allocate(const char *name, CUdeviceptr *address, size_t bytes)
{
  int code;
  struct driver *d = driver_enter(name, NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  if (!bytes || !address)
    return driver_leave(d, PTX_INVALID_VALUE);
  struct ptx_region *r = ptx_region_new(&d->memory, bytes, false);
  if (r)
    *address = r->base;
  return driver_leave(d, r ? PTX_OK : PTX_OUT_OF_MEMORY);
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
  return allocate("cuMemAlloc_v2", address, bytes);
}

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream)
{
  (void)stream;
  return allocate("cuMemAllocAsync", address, bytes);
}

int driver_free(struct driver *d, uint64_t address)
{
  struct ptx_region *r = ptx_region_at(&d->memory, address);
  if (!r || r->base != address || r->freed) {
    ptx_complain("free", "0x%llx, %s", (unsigned long long)address,
                 r && r->freed ? "which is freed" : "which isn't allocated");
    return PTX_INVALID_VALUE;
  }
  ptx_region_free(&d->memory, r);
  return PTX_OK;
}

/* Waits for all, as the real one does. */
CUresult cuMemFree_v2(CUdeviceptr address)
{
  int code;
  struct driver *d = driver_enter("cuMemFree_v2", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  driver_drain_all(d);
  return driver_leave(d, address ? driver_free(d, address) : PTX_OK);
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
  int code;
  struct driver *d = driver_enter("cuMemFreeAsync", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  CUstream s = driver_stream(d, stream);
  struct operation o = {.kind = FREE, .copy.to = address};
  return driver_leave(d, s ? driver_issue(d, s, &o) : PTX_INVALID_HANDLE);
}

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
  int code;
  struct driver *d = driver_enter("cuMemGetInfo_v2", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  *total = d->memory.total;
  *free_bytes = d->memory.total - d->memory.used;
  return driver_leave(d, PTX_OK);
}

/* ---- page-locked host memory */

/* Remembers HOST; false: no memory */
static bool pin(struct driver *d, void *host, size_t bytes)
{
  struct pinned *p = malloc(sizeof *p);
  if (!p)
    return false;
  *p = (struct pinned){host, bytes, d->pinned};
  d->pinned = p;
  return true;
}

/* Forgets HOST, when all that may use it is done; false: it isn't known */
static bool unpin(struct driver *d, const void *host)
{
  driver_drain_all(d);
  struct pinned **at = &d->pinned;
  while (*at && (*at)->host != host)
    at = &(*at)->next;
  struct pinned *p = *at;
  if (!p)
    return false;
  *at = p->next;
  free(p);
  return true;
}

/* Is it in page-locked memory? */
static bool is_pinned(const struct driver *d, const uint8_t *host)
{
  for (const struct pinned *p = d->pinned; p; p = p->next)
    if (host >= p->host && host < p->host + p->size)
      return true;
  return false;
}

/* As cuMemAllocHost under the name NAME */
static int allocate_host(const char *name, void **host, size_t bytes)
{
  int code;
  struct driver *d = driver_enter(name, NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  *host = bytes ? malloc(bytes) : NULL;
  bool good = *host && pin(d, *host, bytes);
  return driver_leave(d, good ? PTX_OK : bytes ? PTX_OUT_OF_MEMORY : PTX_INVALID_VALUE);
}

CUresult cuMemAllocHost_v2(void **host, size_t bytes)
{
  return allocate_host("cuMemAllocHost_v2", host, bytes);
}

CUresult cuMemHostAlloc(void **host, size_t bytes, unsigned flags)
{
  (void)flags;
  return allocate_host("cuMemHostAlloc", host, bytes);
}

CUresult cuMemFreeHost(void *host)
{
  int code;
  struct driver *d = driver_enter("cuMemFreeHost", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  if (!unpin(d, host))
    return driver_leave(d, PTX_INVALID_VALUE);
  free(host);
  return driver_leave(d, PTX_OK);
}

CUresult cuMemHostRegister_v2(void *host, size_t bytes, unsigned flags)
{
  int code;
  struct driver *d = driver_enter("cuMemHostRegister_v2", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  (void)flags;
  bool good = host && bytes && !is_pinned(d, host) && pin(d, host, bytes);
  return driver_leave(d, good ? PTX_OK : host && bytes ? 712 : PTX_INVALID_VALUE);
}

CUresult cuMemHostUnregister(void *host)
{
  int code;
  struct driver *d = driver_enter("cuMemHostUnregister", NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  return driver_leave(d, unpin(d, host) ? PTX_OK : 713);
}

/* ---- copies */

/* Does the copy's side at ADDRESS lie in one allocation? NULL and a message: no */
static struct ptx_region *side(struct driver *d, uint64_t address, uint64_t pitch, const struct copy *copy)
{
  struct ptx_region *r = ptx_region_at(&d->memory, address);
  uint64_t bytes = (copy->height - 1) * pitch + copy->width;
  if (r && !r->freed && address - r->base + bytes <= r->size)
    return r;
  ptx_complain("copy", "%llu bytes at 0x%llx%s", (unsigned long long)bytes, (unsigned long long)address,
               r && r->freed ? ", which is freed"
               : r           ? ", the end of what is allocated"
                             : ", which isn't allocated");
  return NULL;
}

/* Row number Y of the source and its validity, NULL: all is valid; a fault: NULL */
static const uint8_t *source_row(struct driver *d, const struct copy *c, uint64_t y, const uint8_t **valid)
{
  *valid = NULL;
  if (c->staged)
    return c->staged + y * c->width;
  if (c->host_from)
    return c->host_from + y * c->from_pitch;
  uint64_t at = c->from + y * c->from_pitch;
  const struct ptx_region *r = ptx_region_at(&d->memory, at);
  at -= r->base;
  uint64_t good = ptx_region_invalid(r, at, c->width);
  if (c->host_to && good < c->width) {
    ptx_complain("uninitialised", "byte %llu of a copy of row %llu to the host, at 0x%llx", (unsigned long long)good,
                 (unsigned long long)y, (unsigned long long)(r->base + at + good));
    return NULL;
  }
  *valid = r->valid + at;
  return r->data + at;
}

/* Sets WIDTH bytes at TO, of a region. */
static int set(struct driver *d, const struct copy *c)
{
  struct ptx_region *r = ptx_region_at(&d->memory, c->to);
  for (uint64_t k = 0; k < c->width; k++)
    r->data[c->to - r->base + k] = (uint8_t)(c->value >> 8 * (k % 4));
  memset(r->valid + (c->to - r->base), 1, c->width);
  return PTX_OK;
}

int driver_copy(struct driver *d, const struct copy *c)
{
  if ((!c->host_from && !c->staged && !c->set && !side(d, c->from, c->from_pitch, c)) ||
      (!c->host_to && !side(d, c->to, c->to_pitch, c)))
    return PTX_ILLEGAL_ADDRESS;
  if (c->set)
    return set(d, c);
  for (uint64_t y = 0; y < c->height; y++) {
    const uint8_t *valid, *from = source_row(d, c, y, &valid);
    if (!from)
      return PTX_LAUNCH_FAILED;
    if (c->host_to) {
      memmove(c->host_to + y * c->to_pitch, from, c->width);
      d->bytes_out += c->width;
      continue;
    }
    uint64_t at = c->to + y * c->to_pitch;
    struct ptx_region *r = ptx_region_at(&d->memory, at);
    at -= r->base;
    memmove(r->data + at, from, c->width);
    if (valid)
      memmove(r->valid + at, valid, c->width);
    else
      memset(r->valid + at, 1, c->width);
    d->bytes_in += c->host_from || c->staged ? c->width : 0;
  }
  return PTX_OK;
}

/* What pageable memory holds now; false: no memory */
static bool stage(struct driver *d, struct copy *c)
{
  if (!c->host_from || is_pinned(d, c->host_from))
    return true;
  c->staged = malloc(c->width * c->height);
  for (uint64_t y = 0; c->staged && y < c->height; y++)
    memcpy(c->staged + y * c->width, c->host_from + y * c->from_pitch, c->width);
  return c->staged;
}

/* Does a copy, or issues it if ASYNC, in a call of NAME. */
static int start_copy(const char *name, struct copy c, bool async, CUstream handle)
{
  int code;
  struct driver *d = driver_enter(name, NEEDS_CONTEXT, &code);
  if (!d)
    return code;
  CUstream stream = driver_stream(d, handle);
  if (!stream)
    return driver_leave(d, PTX_INVALID_HANDLE);
  if (!c.width || !c.height)
    return driver_leave(d, PTX_OK);
  bool host_from = c.host_from || c.set;
  if ((!host_from && !side(d, c.from, c.from_pitch, &c)) || (!c.host_to && !side(d, c.to, c.to_pitch, &c)))
    return driver_leave(d, PTX_INVALID_VALUE);
  if (!async) {
    driver_drain_blocking(d);
    return driver_leave(d, d->fault = d->fault ? d->fault : driver_copy(d, &c));
  }
  struct operation o = {.kind = COPY, .copy = c};
  if (!stage(d, &o.copy))
    return driver_leave(d, PTX_OUT_OF_MEMORY);
  return driver_leave(d, driver_issue(d, stream, &o));
}

/* The copy of one row */
#define ROW(...) ((struct copy){.width = bytes, .height = 1, .from_pitch = bytes, .to_pitch = bytes, __VA_ARGS__})

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
  return start_copy("cuMemcpyHtoD_v2", ROW(.to = to, .host_from = from), false, NULL);
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes)
{
  return start_copy("cuMemcpyDtoH_v2", ROW(.host_to = to, .from = from), false, NULL);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
  return start_copy("cuMemcpyDtoD_v2", ROW(.to = to, .from = from), false, NULL);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
  return start_copy("cuMemcpyHtoDAsync_v2", ROW(.to = to, .host_from = from), true, stream);
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
  return start_copy("cuMemcpyDtoHAsync_v2", ROW(.host_to = to, .from = from), true, stream);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
  return start_copy("cuMemcpyDtoDAsync_v2", ROW(.to = to, .from = from), true, stream);
}

/* A 2-D copy in a call of NAME */
static int copy_rows(const char *name, const struct cu_copy_2d *c, bool async, CUstream stream)
{
  struct copy r = {.width = c->width, .height = c->height};
  r.from_pitch = c->src_pitch ? c->src_pitch : c->width + c->src_x;
  r.to_pitch = c->dst_pitch ? c->dst_pitch : c->width + c->dst_x;
  if ((c->height > 1 && (r.from_pitch < c->width + c->src_x || r.to_pitch < c->width + c->dst_x)) || c->src_type == 3 ||
      c->dst_type == 3 || !c->src_type || !c->dst_type)
    return PTX_INVALID_VALUE;
  uint64_t from = c->src_y * r.from_pitch + c->src_x, to = c->dst_y * r.to_pitch + c->dst_x;
  if (c->src_type == CU_HOST || (c->src_type == CU_UNIFIED && c->src_device < PTX_GLOBAL))
    r.host_from = (c->src_type == CU_HOST ? (const uint8_t *)c->src_host : (const uint8_t *)(uintptr_t)c->src_device) + from;
  else
    r.from = c->src_device + from;
  if (c->dst_type == CU_HOST || (c->dst_type == CU_UNIFIED && c->dst_device < PTX_GLOBAL))
    r.host_to = (c->dst_type == CU_HOST ? (uint8_t *)c->dst_host : (uint8_t *)(uintptr_t)c->dst_device) + to;
  else
    r.to = c->dst_device + to;
  return start_copy(name, r, async, stream);
}

CUresult cuMemcpy2D_v2(const struct cu_copy_2d *copy)
{
  return copy_rows("cuMemcpy2D_v2", copy, false, NULL);
}

CUresult cuMemcpy2DUnaligned_v2(const struct cu_copy_2d *copy)
{
  return copy_rows("cuMemcpy2DUnaligned_v2", copy, false, NULL);
}

CUresult cuMemcpy2DAsync_v2(const struct cu_copy_2d *copy, CUstream stream)
{
  return copy_rows("cuMemcpy2DAsync_v2", copy, true, stream);
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t n)
{
  return start_copy("cuMemsetD8_v2",
                    (struct copy){.to = to, .width = n, .height = 1, .set = true, .value = value * 0x01010101u}, false,
                    NULL);
}

CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t n)
{
  return start_copy("cuMemsetD32_v2", (struct copy){.to = to, .width = 4 * n, .height = 1, .set = true, .value = value},
                    false, NULL);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n, CUstream stream)
{
  return start_copy("cuMemsetD8Async",
                    (struct copy){.to = to, .width = n, .height = 1, .set = true, .value = value * 0x01010101u}, true,
                    stream);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t n, CUstream stream)
{
  return start_copy("cuMemsetD32Async", (struct copy){.to = to, .width = 4 * n, .height = 1, .set = true, .value = value},
                    true, stream);
}
