/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Device memory and its shadow. Regions lie far apart, and no address is used twice, so that an access out of bounds or to
 * freed memory meets none:
 *
 *     0x700000000000  region  ..1 MiB at least..  region  ..
 *
 * A region has a byte of validity for each byte and, from the first access by a kernel on, a mark for each granule. Granules
 * are as large as the smallest access so far, 8 bytes at most: neighbouring bytes of one granule are never touched apart. */
#include "ptx.h"
#include <stdlib.h>
#include <string.h>

#define GAP (1u << 20)
#define WIDEST_GRAIN 3

struct ptx_region *ptx_region_new(struct ptx_memory *m, uint64_t size, bool constant)
{
  if (size > m->total - m->used || !ptx_grow(&m->region, m->n, &m->size, sizeof *m->region))
    return NULL;
  struct ptx_region *r = calloc(1, sizeof *r);
  if (!r)
    return NULL;
  *r = (struct ptx_region){.base = m->next, .size = size, .grain = WIDEST_GRAIN, .constant = constant};
  r->data = malloc(size + 8);
  r->valid = calloc(size + 8, 1);
  if (!r->data || !r->valid) {
    free(r->data);
    free(r->valid);
    return free(r), NULL;
  }
  memset(r->data, 0xcd, size + 8);
  m->next += (size + 2 * GAP - 1) / GAP * GAP;
  m->used += size;
  m->region[m->n++] = r;
  return r;
}

/* Its contents and shadow */
static void drop(struct ptx_region *r)
{
  free(r->data);
  free(r->valid);
  free(r->mark);
  r->data = r->valid = NULL;
  r->mark = NULL;
  r->freed = true;
}

void ptx_region_free(struct ptx_memory *m, struct ptx_region *region)
{
  m->used -= region->size;
  drop(region);
}

void ptx_memory_clear(struct ptx_memory *m)
{
  for (int i = 0; i < m->n; i++) {
    drop(m->region[i]);
    free(m->region[i]);
  }
  free(m->region);
  m->region = NULL;
  m->n = m->size = 0;
  m->used = 0;
}

struct ptx_region *ptx_region_at(const struct ptx_memory *m, uint64_t address)
{
  int low = 0, high = m->n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (m->region[middle]->base <= address)
      low = middle + 1;
    else
      high = middle;
  }
  struct ptx_region *r = low ? m->region[low - 1] : NULL;
  return r && address - r->base < r->size ? r : NULL;
}

uint64_t ptx_region_invalid(const struct ptx_region *region, uint64_t offset, uint64_t size)
{
  const uint8_t *found = memchr(region->valid + offset, 0, size);
  return found ? (uint64_t)(found - region->valid) - offset : size;
}

/* ---- marks */

/* Granules of 1 << GRAIN bytes from now on; false: no memory */
static bool refine(struct ptx_region *r, int grain)
{
  size_t n = (r->size >> grain) + 1, each = (size_t)1 << (r->grain - grain);
  struct ptx_mark *mark = calloc(n, sizeof *mark);
  if (mark && r->mark)
    for (size_t k = 0; k < n && k / each <= r->size >> r->grain; k++)
      mark[k] = r->mark[k / each];
  free(r->mark);
  r->mark = mark;
  r->grain = grain;
  return mark != NULL;
}

/* Is the access T, of this epoch, by others than NOW's thread and not ordered before it? */
static bool is_unordered(const struct ptx_touch *t, const struct ptx_now *now)
{
  if (t->epoch != now->epoch || t->thread == now->thread)
    return false;
  if (t->thread == PTX_ANY)
    return true;
  int warp = t->thread & PTX_MANY ? t->thread & ~PTX_MANY : t->thread / PTX_LANES;
  return warp != now->thread / PTX_LANES || t->sync == now->sync;
}

/* T, and now NOW's thread too */
static void note(struct ptx_touch *t, const struct ptx_now *now)
{
  uint16_t thread = now->thread;
  if (is_unordered(t, now)) {
    int warp = t->thread & PTX_MANY ? t->thread & ~PTX_MANY : t->thread / PTX_LANES;
    bool same = t->thread != PTX_ANY && warp == now->thread / PTX_LANES;
    thread = same ? (uint16_t)(PTX_MANY | warp) : PTX_ANY;
  } else if (t->epoch == now->epoch && t->thread != now->thread && t->thread == PTX_ANY) {
    thread = PTX_ANY;
  }
  *t = (struct ptx_touch){now->epoch, now->sync, thread};
}

/* Kinds of accesses that mustn't come together with one of KIND */
static unsigned conflicts(enum ptx_kind kind)
{
  static const unsigned with[PTX_KINDS] = {
      [PTX_READ] = 1u << PTX_WRITE | 1u << PTX_ATOMIC,
      [PTX_WRITE] = 1u << PTX_READ | 1u << PTX_WRITE | 1u << PTX_ATOMIC,
      [PTX_ATOMIC] = 1u << PTX_READ | 1u << PTX_WRITE,
  };
  return with[kind];
}

/* What is known of other blocks, when the first access of a launch or block comes */
static void turn_page(struct ptx_mark *k, const struct ptx_now *now, bool shared)
{
  bool same = k->launch == now->launch && !shared;
  k->others = same ? k->others | k->mine : 0;
  k->mine = 0;
  k->launch = now->launch;
  k->block = now->block;
}

/* The same for one granule */
static int touch(struct ptx_mark *k, enum ptx_kind kind, const struct ptx_now *now, bool shared)
{
  if (k->block != now->block)
    turn_page(k, now, shared);
  unsigned with = conflicts(kind);
  int found = k->others & with ? __builtin_ctz(k->others & with) : -1;
  for (int i = 0; i < PTX_KINDS; i++)
    if (with >> i & 1 && is_unordered(&k->by[i], now))
      found = i;
  k->mine |= (uint8_t)(1u << kind);
  note(&k->by[kind], now);
  return found;
}

int ptx_region_touch(struct ptx_region *region, uint64_t offset, unsigned size, enum ptx_kind kind,
                     const struct ptx_now *now)
{
  int grain = size >= 1u << WIDEST_GRAIN ? WIDEST_GRAIN : __builtin_ctz(size);
  if ((grain < region->grain || !region->mark) && !refine(region, grain < region->grain ? grain : region->grain))
    return -1;
  int found = -1;
  for (uint64_t k = offset >> region->grain; k <= (offset + size - 1) >> region->grain; k++) {
    int one = touch(&region->mark[k], kind, now, region->shared);
    found = one >= 0 ? one : found;
  }
  return found;
}
