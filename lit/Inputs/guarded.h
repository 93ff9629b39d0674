/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays between two pages that can't be accessed, and a line of output for each call. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096l
#define FORM __attribute__((noinline))

/* Numbers of SIZE bytes. */
struct guarded {
  char *base;  /* of the accessible pages */
  long length; /* of them, in bytes */
  void *at;    /* the array: at the end of the pages, or at their beginning */
};

/* An array of N elements of SIZE bytes. */
__attribute__((noinline, optnone, unused)) static struct guarded guarded_alloc(long n, long size, int at_end)
{
  struct guarded g = {.length = (n * size + PAGE) / PAGE * PAGE};
  char *all = mmap(NULL, (size_t)(g.length + 2 * PAGE), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED)
    exit(2);
  g.base = all + PAGE;
  if (mprotect(g.base, (size_t)g.length, PROT_READ | PROT_WRITE))
    exit(2);
  g.at = at_end ? g.base + g.length - n * size : g.base;
  return g;
}

__attribute__((noinline, optnone, unused)) static void guarded_free(struct guarded *g)
{
  munmap(g->base - PAGE, (size_t)(g->length + 2 * PAGE));
}

/* A hash of N bytes at A, which goes on from HASH. */
__attribute__((noinline, unused)) static uint64_t hash_bytes(uint64_t hash, const void *a, long n)
{
  for (long i = 0; i + 7 < n; i += 8) {
    uint64_t x;
    memcpy(&x, (const char *)a + i, 8);
    hash = (hash ^ x) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}
