/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels on the interpreter against the same functions on the host, bit for bit.  Usage: PLAIN.ptx BLOCKS.ptx */
#include "check.h"
#include "kernels/plain.c"

#define BLOCK 96
static const int sizes[] = {1, 31, 32, 97, 1000};
static CUmodule plain, blocks;
static char what[200];

static unsigned state = 1;
/* The next number of a fixed sequence */
static unsigned draw(void)
{
  state = state * 1664525 + 1013904223;
  return state >> 8 ^ state << 20;
}

/* N bytes of anything */
static void *anything(size_t n)
{
  unsigned char *a = malloc(n);
  for (size_t i = 0; i < n; i++)
    a[i] = (unsigned char)draw();
  return a;
}

/* Numbers between -1000 and 1000 */
static void *floats_of(size_t n)
{
  float *a = malloc(n * sizeof *a);
  for (size_t i = 0; i < n; i++)
    a[i] = (float)((double)draw() / 4294967296.0 * 2000 - 1000);
  return a;
}

/* .. of double */
static void *doubles_of(size_t n)
{
  double *a = malloc(n * sizeof *a);
  for (size_t i = 0; i < n; i++)
    a[i] = (double)draw() / 4294967296.0 * 2000 - 1000 + (double)draw() / 1e12;
  return a;
}

/* The N bytes at D on the device, against those at HOST; D is freed. */
static void same(const char *name, int size, CUdeviceptr d, const void *host, size_t n)
{
  void *got = malloc(n);
  NEED(cuMemcpyDtoH_v2(got, d, n));
  snprintf(what, sizeof what, "%s of %d: another result", name, size);
  check(!memcmp(got, host, n), what);
  free(got);
  NEED(cuMemFree_v2(d));
}

/* Launches a kernel of PLAIN for N threads at least. */
static void run(const char *name, int n, void **args)
{
  CUresult code = launch(plain, name, PAIR((unsigned)(n + BLOCK - 1) / BLOCK, 1), PAIR(BLOCK, 1), 0, args);
  snprintf(what, sizeof what, "%s of %d: %d", name, n, code);
  check(code == 0, what);
}

/* STATEMENT for every thread that `run` has */
#define ON_HOST(N, STATEMENT)                                                                                               \
  for (gpu_x = 0; gpu_x < ((N) + BLOCK - 1) / BLOCK * BLOCK; gpu_x++)                                                       \
  STATEMENT

/* Each of these: a kernel or two of size N, their results on both sides */
static void check_integers(int n)
{
  size_t bytes = (size_t)n * 4;
  int *a = anything(bytes), *b = anything(bytes);
  unsigned *c = anything(bytes);
  CUdeviceptr da = to_device(a, bytes), db = to_device(b, bytes), dc = to_device(c, bytes);
  run("integers", n, ARGS(&da, &db, &dc, &n));
  ON_HOST(n, integers(a, b, c, n));
  same("integers", n, da, a, bytes);
  same("integers", n, dc, c, bytes);
  NEED(cuMemFree_v2(db));
  free(a);
  free(b);
  free(c);
}

static void check_longs(int n)
{
  size_t size = (size_t)n;
  long *a = anything(8 * size), *b = anything(8 * size);
  unsigned char *c = anything(size);
  short *d = anything(2 * size);
  CUdeviceptr da = to_device(a, 8 * size), db = to_device(b, 8 * size), dc = to_device(c, size), dd = to_device(d, 2 * size);
  run("longs", n, ARGS(&da, &db, &dc, &dd, &n));
  ON_HOST(n, longs(a, b, c, d, n));
  same("longs", n, da, a, 8 * size);
  same("longs", n, dc, c, size);
  same("longs", n, dd, d, 2 * size);
  NEED(cuMemFree_v2(db));
  free(a);
  free(b);
  free(c);
  free(d);
}

static void check_floats(int n)
{
  size_t size = (size_t)n;
  float *a = floats_of(size), *b = floats_of(size), *c = floats_of(size);
  double *x = doubles_of(size), *y = doubles_of(size);
  CUdeviceptr da = to_device(a, 4 * size), db = to_device(b, 4 * size), dc = to_device(c, 4 * size);
  CUdeviceptr dx = to_device(x, 8 * size), dy = to_device(y, 8 * size);
  run("floats", n, ARGS(&da, &db, &dc, &n));
  run("doubles", n, ARGS(&dx, &dy, &dc, &n));
  ON_HOST(n, floats(a, b, c, n));
  ON_HOST(n, doubles(x, y, c, n));
  same("floats", n, da, a, 4 * size);
  same("doubles", n, dx, x, 8 * size);
  NEED(cuMemFree_v2(db));
  NEED(cuMemFree_v2(dc));
  NEED(cuMemFree_v2(dy));
  free(a);
  free(b);
  free(c);
  free(x);
  free(y);
}

/* A grid of two dimensions */
static void check_stencil(int n, int m)
{
  size_t bytes = (size_t)(n * m) * 4;
  float *a = floats_of((size_t)(n * m)), *b = floats_of((size_t)(n * m));
  CUdeviceptr da = to_device(a, bytes), db = to_device(b, bytes);
  unsigned grid[2] = {(unsigned)(m + 15) / 16, (unsigned)(n + 7) / 8};
  check(!launch(plain, "stencil", grid, PAIR(16, 8), 0, ARGS(&da, &db, &n, &m)), "stencil runs");
  for (gpu_y = 0; gpu_y < n; gpu_y++)
    for (gpu_x = 0; gpu_x < m; gpu_x++)
      stencil(a, b, n, m);
  same("stencil", n, da, a, bytes);
  NEED(cuMemFree_v2(db));
  free(a);
  free(b);
}

/* Loops of different lengths, branches, a table of jumps */
static void check_control(int n)
{
  size_t size = (size_t)n;
  double *a = doubles_of(size), *l = doubles_of(size * size);
  int *steps = anything(4 * size), *values = anything(4 * size);
  for (int i = 0; i < n; i++)
    values[i] = (int)((unsigned)values[i] >> 8);
  CUdeviceptr da = to_device(a, 8 * size), dl = to_device(l, 8 * size * size), ds = to_device(steps, 4 * size);
  CUdeviceptr dv = to_device(values, 4 * size);
  run("triangle", n, ARGS(&da, &dl, &n));
  run("collatz", n, ARGS(&ds, &n));
  run("choice", n, ARGS(&dv, &n));
  ON_HOST(n, triangle(a, l, n));
  ON_HOST(n, collatz(steps, n));
  ON_HOST(n, choice(values, n));
  same("triangle", n, da, a, 8 * size);
  same("collatz", n, ds, steps, 4 * size);
  same("choice", n, dv, values, 4 * size);
  NEED(cuMemFree_v2(dl));
  free(a);
  free(l);
  free(steps);
  free(values);
}

static void check_calls(int n)
{
  struct pair p = {n, 1.25, {1, 2, 3, 4, 5}};
  size_t bytes = (size_t)n * 8;
  double *a = doubles_of((size_t)n);
  CUdeviceptr da = to_device(a, bytes);
  run("calls", n, ARGS(&da, &p));
  ON_HOST(n, calls(a, p));
  same("calls", n, da, a, bytes);
  free(a);
}

static void check_vectors(int n)
{
  size_t bytes = (size_t)n * 16;
  float *a = floats_of((size_t)n * 4), *b = floats_of((size_t)n * 4);
  float4 *va = aligned_alloc(16, bytes), *vb = aligned_alloc(16, bytes);
  memcpy(va, a, bytes);
  memcpy(vb, b, bytes);
  CUdeviceptr da = to_device(a, bytes), db = to_device(b, bytes);
  run("vectors", n, ARGS(&da, &db, &n));
  ON_HOST(n, vectors(va, vb, n));
  same("vectors", n, da, va, bytes);
  NEED(cuMemFree_v2(db));
  free(a);
  free(b);
  free(va);
  free(vb);
}

static void check_halves(int n)
{
  size_t size = (size_t)n;
  half *a = malloc(2 * size), *b = malloc(2 * size);
  float *c = malloc(4 * size);
  for (int i = 0; i < n; i++)
    a[i] = b[i] = (half)(((float)draw() / 4294967296.0f - 0.5f) * (i % 3 ? 200.0f : 1e-4f));
  memset(c, 0, 4 * size);
  CUdeviceptr da = to_device(a, 2 * size), db = to_device(b, 2 * size), dc = to_device(c, 4 * size);
  run("halves", n, ARGS(&da, &db, &dc, &n));
  ON_HOST(n, halves(a, b, c, n));
  same("halves", n, da, a, 2 * size);
  same("halves", n, dc, c, 4 * size);
  NEED(cuMemFree_v2(db));
  free(a);
  free(b);
  free(c);
}

/* ---- kernels of threads that work together, against other code */

/* n a multiple of 32 */
static void check_transposes(int n)
{
  size_t bytes = (size_t)(n * n) * 4;
  float *a = floats_of((size_t)(n * n)), *want = malloc(bytes);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      want[j * n + i] = a[i * n + j];
  for (int k = 0; k < 2; k++) {
    const char *name = k ? "transpose_tiled" : "transpose_naive";
    CUdeviceptr da = to_device(a, bytes), db;
    NEED(cuMemAlloc_v2(&db, bytes));
    check(!launch(blocks, name, PAIR((unsigned)n / 32, (unsigned)n / 32), PAIR(32, 8), 0, ARGS(&db, &da, &n)), name);
    same(name, n, db, want, bytes);
    NEED(cuMemFree_v2(da));
  }
  free(a);
  free(want);
}

/* Sums of blocks, by shared memory and by shuffles */
static void check_reductions(int n)
{
  int n_block = (n + 255) / 256, sum = 0, zero = 0;
  float *a = floats_of((size_t)n), *want = malloc((size_t)n_block * 4), part[256];
  int *b = anything((size_t)n * 4);
  for (int k = 0; k < n_block; k++) {
    for (int i = 0; i < 256; i++)
      part[i] = k * 256 + i < n ? a[k * 256 + i] : 0;
    for (int half = 128; half; half /= 2)
      for (int i = 0; i < half; i++)
        part[i] += part[i + half];
    want[k] = part[0];
  }
  for (int i = 0; i < n; i++)
    sum += b[i];
  CUdeviceptr da = to_device(a, (size_t)n * 4), db = to_device(b, (size_t)n * 4), ds = to_device(&zero, 4), dr;
  NEED(cuMemAlloc_v2(&dr, (size_t)n_block * 4));
  check(!launch(blocks, "reduce", PAIR((unsigned)n_block, 1), PAIR(256, 1), 0, ARGS(&dr, &da, &n)), "reduce runs");
  check(!launch(blocks, "reduce_warp", PAIR((unsigned)n_block, 1), PAIR(256, 1), 0, ARGS(&ds, &db, &n)), "reduce_warp runs");
  same("reduce", n, dr, want, (size_t)n_block * 4);
  same("reduce_warp", n, ds, &sum, 4);
  NEED(cuMemFree_v2(da));
  NEED(cuMemFree_v2(db));
  free(a);
  free(b);
  free(want);
}

/* A product of two buffers of tiles */
static void check_gemm(int n)
{
  size_t bytes = (size_t)(n * n) * 4;
  float *a = floats_of((size_t)(n * n)), *b = floats_of((size_t)(n * n)), *c = malloc(bytes);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < (n + 7) / 8 * 8; k++)
        sum += k < n ? a[i * n + k] * b[k * n + j] : 0;
      c[i * n + j] = sum;
    }
  CUdeviceptr da = to_device(a, bytes), db = to_device(b, bytes), dc;
  NEED(cuMemAlloc_v2(&dc, bytes));
  unsigned grid = (unsigned)(n + 7) / 8;
  check(!launch(blocks, "gemm", PAIR(grid, grid), PAIR(8, 8), 0, ARGS(&dc, &da, &db, &n)), "gemm runs");
  same("gemm", n, dc, c, bytes);
  NEED(cuMemFree_v2(da));
  NEED(cuMemFree_v2(db));
  free(a);
  free(b);
  free(c);
}

/* Dynamic shared memory */
static void check_reverse(int n)
{
  size_t size = (size_t)n;
  double *a = doubles_of(4 * size), *want = malloc(32 * size);
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < n; i++)
      want[k * n + i] = a[k * n + n - 1 - i];
  CUdeviceptr da = to_device(a, 32 * size);
  check(!launch(blocks, "reverse", PAIR(4, 1), PAIR((unsigned)n, 1), 8 * (unsigned)n, ARGS(&da, &n)), "reverse runs");
  same("reverse", n, da, want, 32 * size);
  free(a);
  free(want);
}

int main(int argc, char **argv)
{
  if (argc != 3)
    return fprintf(stderr, "usage: %s PLAIN.ptx BLOCKS.ptx\n", argv[0]), 2;
  start();
  plain = load(argv[1]);
  blocks = load(argv[2]);
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    check_integers(sizes[k]);
    check_longs(sizes[k]);
    check_floats(sizes[k]);
    check_calls(sizes[k]);
    check_vectors(sizes[k]);
    check_halves(sizes[k]);
    check_control(sizes[k] < 200 ? sizes[k] : 200);
    check_reductions(sizes[k]);
    check_reverse(sizes[k] < 200 ? sizes[k] : 200);
    check_gemm(sizes[k] < 50 ? sizes[k] : 50);
  }
  check_stencil(1, 1);
  check_stencil(13, 29);
  check_stencil(40, 65);
  check_transposes(128);
  check(!tsr_ptx_faults(NULL), "no fault was told");
  NEED(cuDevicePrimaryCtxRelease_v2(0));
  return finish();
}
