/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory for isl's small objects.
 *
 * isl makes and drops objects of some ten bytes all the time. What it asks for through isl_malloc_or_die and its kin comes,
 * up to MOST bytes, from one reserved range of addresses (--wrap):
 *
 *   range   | chunk | chunk | chunk | ..      of CHUNK bytes, each with blocks of one size, for one thread
 *   chunk   | block | block | ..              of 16, 32, .. MOST bytes
 *
 * A free block is the head of its thread's list for its size, so that it is used again while it is in the cache. free knows
 * blocks by their address: what is outside of the range is the C library's. Where there is no such range, or no room left in
 * it, all goes there. Nothing is given back before the process ends; a thread that ends leaves its blocks unused.
 *
 * Each request counts as one of isl's operations, as it does without this file. */
#include "support/support.h"
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define IS_ON false /* the sanitizer is to see each object */
#else
#define IS_ON true
#endif

#define RANGE ((size_t)256 << 20)
#define CHUNK ((size_t)16 << 10)
#define N_CHUNK (RANGE / CHUNK)
#define STEP 16
#define MOST 1024
#define N_SIZE (MOST / STEP)

isl_stat isl_ctx_next_operation(isl_ctx *ctx); /* exported by the archive, not declared in a public header */
void *__real_isl_malloc_or_die(isl_ctx *ctx, size_t size);
void *__real_isl_calloc_or_die(isl_ctx *ctx, size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *block);
void *__wrap_isl_malloc_or_die(isl_ctx *ctx, size_t size);
void *__wrap_isl_calloc_or_die(isl_ctx *ctx, size_t n, size_t size);
void *__wrap_isl_realloc_or_die(isl_ctx *ctx, void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *block);

static _Atomic uintptr_t range;   /* its first address */
static _Atomic size_t range_size; /* 0: there is none yet */
static atomic_bool range_failed;
static atomic_size_t n_chunk;          /* in use */
static unsigned char size_of[N_CHUNK]; /* of a chunk's blocks, in STEPs, less one */

/* What isl has replaced by a larger block stays readable for a while: where a tableau is cut to a hyperplane, isl makes room
 * for one more constraint and then reads the one it was asked about from where it was before. */
#define N_LATE 64
static _Atomic(void *) late[N_LATE];
static atomic_uint n_late;

/* Of one thread, by size. */
struct lists {
  void *free[N_SIZE];                /* each block starts with the address of the next */
  char *fresh[N_SIZE], *end[N_SIZE]; /* of the thread's last chunk */
};

static _Thread_local struct lists *lists __attribute__((tls_model("initial-exec")));

static bool range_reserve(void)
{
  if (atomic_load(&range_failed))
    return false;
  void *at = mmap(NULL, RANGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  uintptr_t none = 0;
  if (at == MAP_FAILED)
    atomic_store(&range_failed, true);
  else if (!atomic_compare_exchange_strong(&range, &none, (uintptr_t)at))
    munmap(at, RANGE); /* another thread was first */
  if (at != MAP_FAILED)
    atomic_store(&range_size, RANGE);
  return at != MAP_FAILED;
}

/* Is BLOCK from the range? */
static inline bool is_ours(const void *block)
{
  size_t size = atomic_load_explicit(&range_size, memory_order_acquire);
  return (uintptr_t)block - atomic_load_explicit(&range, memory_order_relaxed) < size;
}

static inline int block_size(const void *block)
{
  return size_of[((uintptr_t)block - range) / CHUNK];
}

/* A chunk for blocks of size I, and the first of them. NULL: there is none. */
static void *lists_refill(int i)
{
  if (!IS_ON)
    return NULL;
  if (!lists)
    lists = calloc(1, sizeof(*lists));
  if (!lists || (!atomic_load(&range_size) && !range_reserve()))
    return NULL;
  size_t chunk = atomic_load(&n_chunk) < N_CHUNK ? atomic_fetch_add(&n_chunk, 1) : N_CHUNK;
  if (chunk >= N_CHUNK)
    return NULL;
  size_of[chunk] = (unsigned char)i;
  char *at = (char *)range + chunk * CHUNK;
  lists->fresh[i] = at + (i + 1) * STEP;
  lists->end[i] = at + CHUNK;
  return at;
}

/* SIZE bytes, 1 to MOST, or NULL */
static inline void *take(size_t size)
{
  size_t i = (size - 1) / STEP;
  struct lists *l = lists;
  if (l && l->free[i]) {
    void *block = l->free[i];
    memcpy(&l->free[i], block, sizeof(void *));
    return block;
  }
  if (l && l->fresh[i] && (size_t)(l->end[i] - l->fresh[i]) >= (i + 1) * STEP) {
    void *block = l->fresh[i];
    l->fresh[i] += (i + 1) * STEP;
    return block;
  }
  return lists_refill((int)i);
}

static inline void give(void *block)
{
  if (!lists)
    lists = calloc(1, sizeof(*lists));
  if (!lists)
    return;
  void **head = &lists->free[block_size(block)];
  memcpy(block, head, sizeof(void *));
  *head = block;
}

void *__wrap_isl_malloc_or_die(isl_ctx *ctx, size_t size)
{
  void *block = size - 1 < MOST ? take(size) : NULL;
  if (!block)
    return __real_isl_malloc_or_die(ctx, size);
  if (isl_ctx_next_operation(ctx) >= 0)
    return block;
  give(block);
  return NULL;
}

void *__wrap_isl_calloc_or_die(isl_ctx *ctx, size_t n, size_t size)
{
  if (n > MOST || size > MOST || n * size - 1 >= MOST)
    return __real_isl_calloc_or_die(ctx, n, size);
  void *block = __wrap_isl_malloc_or_die(ctx, n * size);
  return block ? memset(block, 0, n * size) : NULL;
}

/* Free BLOCK when as many others have come here. */
static void free_later(void *block)
{
  unsigned at = atomic_fetch_add_explicit(&n_late, 1, memory_order_relaxed) % N_LATE;
  free(atomic_exchange(&late[at], block));
}

void *__wrap_isl_realloc_or_die(isl_ctx *ctx, void *old, size_t size)
{
  size_t now = !old ? 0 : is_ours(old) ? (block_size(old) + 1) * (size_t)STEP : malloc_usable_size(old);
  void *block = __wrap_isl_malloc_or_die(ctx, size);
  if (block && old) {
    memcpy(block, old, size < now ? size : now);
    free_later(old);
  }
  return block;
}

void *__wrap_realloc(void *old, size_t size)
{
  if (!is_ours(old))
    return __real_realloc(old, size);
  size_t now = (block_size(old) + 1) * (size_t)STEP;
  void *block = malloc(size ? size : 1);
  if (block) {
    memcpy(block, old, size < now ? size : now);
    give(old);
  }
  return block;
}

void __wrap_free(void *block)
{
  if (is_ours(block))
    give(block);
  else
    __real_free(block);
}
