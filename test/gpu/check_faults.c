/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every fault is found, by its kind and with its code, and what is almost the same and right isn't told.
 * Usage: FAULTY.ptx BLOCKS.ptx, the latter's kernels without their barriers */
#include "check.h"

static const char *faulty, *blocks;
static char what[200];

struct expected {
  CUresult code;
  const char *kind; /* NULL: no fault */
};

/* One launch of NAME over N ints at its beginning and memory of the same size as its end, on a fresh context */
static void expect(const char *file, const char *name, unsigned grid, unsigned block, long last, struct expected e)
{
  enum { N = 256 };
  int a[N];
  for (int i = 0; i < N; i++)
    a[i] = i;
  start();
  CUmodule m = load(file);
  CUdeviceptr da = to_device(a, sizeof a);
  unsigned before = tsr_ptx_faults(e.kind), all = tsr_ptx_faults(NULL);
  CUresult code = launch(m, name, PAIR(grid, 1), PAIR(block, 1), 0, ARGS(&da, &last));
  snprintf(what, sizeof what, "%s with %ld: %d, %u faults, not %d", name, last, code, tsr_ptx_faults(NULL) - all, e.code);
  check(code == e.code && tsr_ptx_faults(e.kind) - before == (e.kind != NULL), what);
  snprintf(what, sizeof what, "%s with %ld: the fault stays", name, last);
  check(cuMemcpyDtoH_v2(a, da, sizeof a) == e.code, what);
  NEED(cuDevicePrimaryCtxRelease_v2(0));
  NEED(cuCtxPopCurrent_v2(NULL));
}

static const struct expected fine = {0, NULL}, race = {719, "race"}, bounds = {700, "bounds"};

/* .. with two arrays, the second one allocated for 16 ints, of which the first 8 are set */
static void expect_reads(long at, struct expected e)
{
  int a[16] = {0};
  start();
  CUmodule m = load(faulty);
  CUdeviceptr da = to_device(a, sizeof a), db;
  NEED(cuMemAlloc_v2(&db, 64));
  NEED(cuMemcpyHtoD_v2(db, a, 32));
  unsigned before = tsr_ptx_faults(e.kind);
  CUresult code = launch(m, "reads", PAIR(1, 1), PAIR(8, 1), 0, ARGS(&da, &db, &at));
  snprintf(what, sizeof what, "reads with %ld: %d, not %d", at, code, e.code);
  check(code == e.code && tsr_ptx_faults(e.kind) - before == (e.kind != NULL), what);
  NEED(cuDevicePrimaryCtxRelease_v2(0));
  NEED(cuCtxPopCurrent_v2(NULL));
}

/* Accesses to what isn't there, isn't aligned, mustn't be written or hasn't been */
static void check_memory(void)
{
  expect(faulty, "writes", 2, 128, 0, fine);
  expect(faulty, "writes", 2, 128, 1, bounds);
  expect(faulty, "writes", 2, 128, -1, bounds);
  expect(faulty, "writes", 1, 1, 1L << 40, bounds);
  expect(faulty, "byte_address", 1, 1, 4, fine);
  expect(faulty, "byte_address", 1, 1, 2, (struct expected){716, "misaligned"});
  expect(faulty, "stale", 1, 64, 0, fine);
  expect(faulty, "stale", 1, 64, 1, (struct expected){719, "nc"});
  expect(faulty, "constant_write", 1, 1, 0, fine);
  expect(faulty, "constant_write", 1, 1, 1, (struct expected){717, "constant"});
  expect_reads(0, fine);
  expect_reads(1, (struct expected){719, "uninitialised"});
  expect_reads(16, (struct expected){700, "bounds"});
  expect(faulty, "shared_uninitialised", 1, 64, 0, fine);
  expect(faulty, "shared_uninitialised", 1, 64, 1, (struct expected){719, "uninitialised"});
  expect(faulty, "shared_bounds", 1, 32, 32, fine);
  expect(faulty, "shared_bounds", 1, 32, 33, bounds);
  expect(faulty, "local_uninitialised", 1, 1, 8, fine);
  expect(faulty, "local_uninitialised", 1, 1, 1, (struct expected){719, "uninitialised"});
}

/* Barriers, races, waiting */
static void check_threads(void)
{
  expect(faulty, "some_wait", 1, 64, 64, fine);
  expect(faulty, "some_wait", 1, 64, 0, fine);
  expect(faulty, "some_wait", 1, 64, 32, (struct expected){719, "barrier"});
  expect(faulty, "some_wait", 1, 64, 40, (struct expected){719, "barrier"});
  expect(faulty, "two_barriers", 1, 64, 64, fine);
  expect(faulty, "two_barriers", 1, 64, 32, (struct expected){719, "barrier"});
  expect(faulty, "two_barriers", 1, 64, 5, (struct expected){719, "barrier"});
  expect(faulty, "blocks_write", 4, 32, 0, fine);
  expect(faulty, "blocks_write", 4, 32, 1, race);
  expect(faulty, "blocks_read", 4, 32, 0, fine);
  expect(faulty, "blocks_read", 4, 32, 1, race);
  expect(faulty, "threads_write", 1, 64, 0, fine);
  expect(faulty, "threads_write", 1, 64, 1, race);
  expect(faulty, "in_step", 1, 64, 0, fine);
  expect(faulty, "in_step", 1, 64, 1, race);
  expect(faulty, "counts", 4, 64, 0, fine);
  expect(faulty, "counts", 4, 64, 1, race);
  expect(faulty, "counts", 1, 2, 1, race);
  expect(faulty, "traps", 1, 64, 0, fine);
  expect(faulty, "traps", 1, 64, 1, (struct expected){719, "trap"});
  expect(faulty, "half_shuffle", 1, 64, 64, fine);
  expect(faulty, "half_shuffle", 1, 64, 32, fine);
  expect(faulty, "half_shuffle", 1, 64, 16, fine); /* who has exited needn't come */
  expect(faulty, "shuffle_or_wait", 1, 32, 32, fine);
  expect(faulty, "shuffle_or_wait", 1, 32, 16, (struct expected){719, "sync"});
  expect(faulty, "endless", 1, 1, 0, fine);
  expect(faulty, "endless", 1, 1, 1, (struct expected){702, "limit"});
}

/* cp.async: a wait or a barrier is missing. Which of both faults is seen depends on the order. */
static void check_async(void)
{
  expect(faulty, "buffers", 1, 32, 0, fine);
  for (int fault = 1; fault <= 3; fault++) {
    unsigned races = tsr_ptx_faults("race"), early = tsr_ptx_faults("uninitialised");
    int a[256] = {0};
    start();
    CUmodule m = load(faulty);
    CUdeviceptr da = to_device(a, sizeof a);
    CUresult code = launch(m, "buffers", PAIR(1, 1), PAIR(32, 1), 0, ARGS(&da, &fault));
    snprintf(what, sizeof what, "buffers with %d: %d", fault, code);
    check(code == 719 && tsr_ptx_faults("race") + tsr_ptx_faults("uninitialised") == races + early + 1, what);
    NEED(cuDevicePrimaryCtxRelease_v2(0));
    NEED(cuCtxPopCurrent_v2(NULL));
  }
}

/* The kernels of blocks.c without their barriers. In a random order a lane may read before anything was written. */
static void check_removed_barriers(void)
{
  int n = 256, m = 64;
  float *a = calloc(64 * 64, 4);
  for (int k = 0; k < 2; k++) {
    start();
    CUmodule module = load(blocks);
    CUdeviceptr da = to_device(a, 64 * 64 * 4), db = to_device(a, 64 * 64 * 4);
    unsigned races = tsr_ptx_faults("race"), early = tsr_ptx_faults("uninitialised");
    CUresult code = k ? launch(module, "reduce", PAIR(1, 1), PAIR(256, 1), 0, ARGS(&db, &da, &n))
                      : launch(module, "transpose_tiled", PAIR(2, 2), PAIR(32, 8), 0, ARGS(&db, &da, &m));
    snprintf(what, sizeof what, "%s without its barrier: %d", k ? "reduce" : "transpose_tiled", code);
    check(code == 719 && (tsr_ptx_faults("race") > races || (!k && tsr_ptx_faults("uninitialised") > early)), what);
    NEED(cuDevicePrimaryCtxRelease_v2(0));
    NEED(cuCtxPopCurrent_v2(NULL));
  }
  free(a);
}

/* A pointer to what was freed */
static void check_freed(void)
{
  int a[64] = {0};
  long zero = 0;
  start();
  CUmodule m = load(faulty);
  CUdeviceptr da = to_device(a, sizeof a);
  NEED(cuMemFree_v2(da));
  check(launch(m, "writes", PAIR(1, 1), PAIR(1, 1), 0, ARGS(&da, &zero)) == 700, "freed memory is written");
  NEED(cuDevicePrimaryCtxRelease_v2(0));
  NEED(cuCtxPopCurrent_v2(NULL));
}

int main(int argc, char **argv)
{
  if (argc != 3)
    return fprintf(stderr, "usage: %s FAULTY.ptx BLOCKS.ptx\n", argv[0]), 2;
  setenv("TSR_PTX_LIMIT", "10000", 1);
  faulty = argv[1];
  blocks = argv[2];
  check_memory();
  check_threads();
  check_async();
  check_removed_barriers();
  check_freed();
  return finish();
}
