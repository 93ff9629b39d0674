/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Device memory: blocks of the driver's, and the regions of a job that lie in them.
 *
 *   region  [address, address + bytes)     within a block of its own, so they are disjoint; sorted by address
 *   block   [its address, + its bytes)     so much larger that the region's address has the last bits of the host's
 *
 * To allocate and to free takes the driver milliseconds, so a job's blocks wait for the next one that wants as much. */
#include "runtime.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GRANULE 256   /* bytes: blocks are multiples of it, and what is aligned on the host up to it is so on the device */
#define MOST_WASTED 2 /* a block serves what fills at least one part of so many of it */

struct tsr_block {
  struct tsr_block *next; /* free, too */
  cu_address address;
  uint64_t bytes;
  struct tsr_span known; /* of its region: copied there from the host, without a gap */
};

struct tsr_region {
  cu_address address;
  uint64_t bytes;
  struct tsr_block *block;
};

bool tsr_blocks_free(struct tsr_device *device)
{
  pthread_mutex_lock(&device->lock);
  struct tsr_block *block = device->free_block;
  device->free_block = NULL;
  pthread_mutex_unlock(&device->lock);
  bool any = block;
  while (block) {
    struct tsr_block *next = block->next;
    device->cu.cuMemFree_v2(block->address);
    free(block);
    block = next;
  }
  return any;
}

/* The smallest free block of at least BYTES that isn't much larger; NULL: there is none. */
static struct tsr_block *take_free_block(struct tsr_device *device, uint64_t bytes)
{
  struct tsr_block **best = NULL;
  pthread_mutex_lock(&device->lock);
  for (struct tsr_block **at = &device->free_block; *at; at = &(*at)->next)
    if ((*at)->bytes >= bytes && (*at)->bytes / MOST_WASTED <= bytes && (!best || (*at)->bytes < (*best)->bytes))
      best = at;
  struct tsr_block *block = best ? *best : NULL;
  if (block)
    *best = block->next;
  pthread_mutex_unlock(&device->lock);
  return block;
}

/* Memory of the driver's. Where it has none left, that of the free blocks is given back first. */
static bool allocate(struct tsr_rt_job *job, struct tsr_block *block)
{
  cu_result code = job->device->cu.cuMemAlloc_v2(&block->address, block->bytes);
  if (code == TSR_CU_OUT_OF_MEMORY && tsr_blocks_free(job->device))
    code = job->device->cu.cuMemAlloc_v2(&block->address, block->bytes);
  return tsr_job_did(job, code, "cuMemAlloc_v2");
}

/* A block of at least BYTES; NULL: failed. */
static struct tsr_block *take_block(struct tsr_rt_job *job, uint64_t bytes)
{
  bytes = (bytes + GRANULE - 1) / GRANULE * GRANULE;
  struct tsr_block *block = take_free_block(job->device, bytes);
  if (block)
    return block;
  block = malloc(sizeof *block);
  if (!block) {
    tsr_job_lacks_memory(job);
    return NULL;
  }
  block->bytes = bytes;
  if (allocate(job, block))
    return block;
  free(block);
  return NULL;
}

/* How many of the job's regions begin at ADDRESS or before */
static size_t regions_before(const struct tsr_rt_job *job, cu_address address)
{
  size_t low = 0, high = job->n_region;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (job->region[middle].address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

cu_address tsr_region_add(struct tsr_rt_job *job, const void *host, uint64_t bytes)
{
  if (bytes > PTRDIFF_MAX) {
    tsr_job_fail(job, "an array has no end: report this as a bug of Tessera");
    return 0;
  }
  struct tsr_region *grown = tsr_job_grow(job, job->region, job->n_region, &job->region_room, sizeof *job->region);
  if (!grown)
    return 0;
  job->region = grown;
  struct tsr_block *block = take_block(job, bytes + GRANULE - 1);
  if (!block)
    return 0;
  block->known = (struct tsr_span){0, 0};
  cu_address address = block->address + ((uintptr_t)host - block->address) % GRANULE;
  size_t at = regions_before(job, address);
  memmove(&grown[at + 1], &grown[at], (job->n_region - at) * sizeof *grown);
  grown[at] = (struct tsr_region){address, bytes, block};
  job->n_region++;
  return address;
}

struct tsr_block *tsr_region_block(struct tsr_rt_job *job, cu_address address, uint64_t bytes)
{
  size_t at = regions_before(job, address);
  if (at > 0) {
    const struct tsr_region *region = &job->region[at - 1];
    uint64_t offset = address - region->address;
    if (offset < region->bytes && bytes <= region->bytes - offset)
      return region->block;
  }
  tsr_job_fail(job, "a copy from or to none of the job's arrays: report this as a bug of Tessera");
  return NULL;
}

void tsr_block_learn(struct tsr_block *block, struct tsr_span span)
{
  struct tsr_span *known = &block->known;
  cu_address end = span.first + span.bytes, known_end = known->first + known->bytes;
  if (span.first <= known_end && known->first <= end) { /* one continues the other */
    span.first = span.first < known->first ? span.first : known->first;
    span.bytes = (end > known_end ? end : known_end) - span.first;
  }
  if (span.bytes > known->bytes)
    *known = span;
}

bool tsr_block_knows(const struct tsr_block *block, struct tsr_span span)
{
  uint64_t offset = span.first - block->known.first;
  return !span.bytes || (offset < block->known.bytes && span.bytes <= block->known.bytes - offset);
}

void tsr_regions_give_back(struct tsr_rt_job *job)
{
  struct tsr_device *device = job->device;
  pthread_mutex_lock(&device->lock);
  for (size_t i = 0; i < job->n_region; i++) {
    job->region[i].block->next = device->free_block;
    device->free_block = job->region[i].block;
  }
  pthread_mutex_unlock(&device->lock);
  free(job->region);
  job->region = NULL;
  job->n_region = job->region_room = 0;
}
