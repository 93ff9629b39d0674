/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What one request of a warp costs the memory system. Global memory moves sectors of 32 bytes: as many as the lanes touch.
 * Shared memory has 32 banks of 4 bytes; a wavefront takes one word from each, and requests of 8 (16) bytes a lane go by
 * half (quarter) warps:
 *
 *     wavefronts = sum over the parts of the warp of  max over banks of  words touched in that bank */
#include "ptx.h"

#define SECTOR 32
#define BANKS 32
#define MOST_PIECES (PTX_LANES * 16)

/* Notes VALUE in SEEN, of N; how many there are then */
static int add_distinct(uint64_t *seen, int n, uint64_t value)
{
  for (int i = n - 1; i >= 0; i--)
    if (seen[i] == value)
      return n;
  seen[n] = value;
  return n + 1;
}

/* Different sectors that the lanes touch */
static int count_sectors(const uint64_t *address, uint32_t mask, unsigned size)
{
  uint64_t seen[MOST_PIECES];
  int n = 0;
  PTX_EACH(mask, l, {
    for (uint64_t s = address[l] / SECTOR; s <= (address[l] + size - 1) / SECTOR; s++)
      n = add_distinct(seen, n, s);
  })
  return n;
}

/* The fewest sectors with room for all bytes that the lanes touch. Elements are aligned: two are the same one, or apart. */
static int count_least(const uint64_t *address, uint32_t mask, unsigned size)
{
  uint64_t seen[PTX_LANES];
  int n = 0;
  PTX_EACH(mask, l, n = add_distinct(seen, n, address[l]))
  return (n * (int)size + SECTOR - 1) / SECTOR;
}

/* Words of the bank that has most of them */
static int count_conflicts(const uint64_t *address, uint32_t mask, unsigned size)
{
  uint64_t seen[MOST_PIECES];
  int n = 0, of_bank[BANKS] = {0}, most = 0;
  PTX_EACH(mask, l, {
    for (uint64_t word = address[l] / 4; word <= (address[l] + size - 1) / 4; word++)
      n = add_distinct(seen, n, word);
  })
  for (int i = 0; i < n; i++) {
    int now = ++of_bank[seen[i] % BANKS];
    most = now > most ? now : most;
  }
  return most;
}

void ptx_count_request(struct ptx_launch *launch, bool shared, bool load, const uint64_t *address, uint32_t mask,
                       unsigned size)
{
  struct ptx_count *c = &launch->counted;
  if (!shared) {
    uint64_t sectors = (uint64_t)count_sectors(address, mask, size), least = (uint64_t)count_least(address, mask, size);
    c->global_loads += load;
    c->global_stores += !load;
    c->load_sectors += load ? sectors : 0;
    c->store_sectors += load ? 0 : sectors;
    c->load_least += load ? least : 0;
    c->store_least += load ? 0 : least;
    return;
  }
  c->shared_requests++;
  int parts = size > 8 ? 4 : size > 4 ? 2 : 1, lanes = PTX_LANES / parts;
  for (int k = 0; k < parts; k++) {
    uint32_t part = mask & (uint32_t)(((uint64_t)1 << lanes) - 1) << (k * lanes);
    c->wavefronts += part ? (uint64_t)count_conflicts(address, part, size) : 0;
  }
}
