/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Seed 80189, force module-budget=30000000 position=early: program: dies of signal 11. */
/* What a fuzzed program's main calls: fill memory, hash it, print the hash.  None of it is worth transforming. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifndef SUPPORT
#define SUPPORT __attribute__((noinline, optnone))
#endif
static uint64_t state;

/* Fills count elements of width bytes: floating point from -2 to 2; integers of all bits, or from -8 to 7 if small. */
SUPPORT void fill(void *memory, long count, int width, int floating, int small, uint64_t seed)
{
  char *at = memory;
  for (long i = 0; i < count; i++, at += width) {
    uint64_t x = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u + seed * 0xd1b54a32d192ed03u;
    x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9u;
    x ^= x >> 29;
    double d = (double)(int64_t)(x >> 40) / (1 << 22) - 2;
    float f = (float)d;
    int64_t n = small ? (int64_t)(x >> 60) - 8 : (int64_t)x;
    memcpy(at, floating ? width == 8 ? (void *)&d : (void *)&f : (void *)&n, (size_t)width);
  }
}

/* Mixes count elements into the state; all NaNs are one value. */
SUPPORT void hash(const void *memory, long count, int width, int floating)
{
  const char *at = memory;
  for (long i = 0; i < count; i++, at += width) {
    uint64_t bits = 0;
    memcpy(&bits, at, (size_t)width);
    if (floating && width == 8 && (bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u)
      bits = 1;
    if (floating && width == 4 && (bits & 0x7fffffffu) > 0x7f800000u)
      bits = 1;
    state = (state ^ bits) * 0x9e3779b97f4a7c15u;
    state ^= state >> 29;
  }
}

/* Prints the state of one call and starts anew. */
SUPPORT void report(const char *name, int call)
{
  printf("%s %d %016llx\n", name, call, (unsigned long long)state);
  fflush(stdout);
  state = 0;
}

__attribute__((noinline)) void f80189(unsigned n, unsigned m, double *f80189_A, double f80189_B[][29])
{
  for (unsigned i = m; i-- > 0;) {
    for (unsigned long j = i + 1; j < m; j += 1) {
      for (unsigned k = m; k-- > 0;) {
        f80189_A[(j) * n + k] -= ((f80189_B[i][j] * f80189_A[(i) * n + k]) / 249.25);
      }
    }
  }
}

double buffer_f64[1330];

__attribute__((noinline, optnone)) int main(void)
{
  fill(buffer_f64, 1330, 8, 1, 0, 1);
  f80189((unsigned)12, (unsigned)27, (void *)(buffer_f64 + 3), (void *)(buffer_f64 + 518));
  hash(buffer_f64, 1330, 8, 1);
  report("f80189", 0);
  fill(buffer_f64, 1330, 8, 1, 0, 2);
  f80189((unsigned)4, (unsigned)4, (void *)(buffer_f64 + 0), (void *)(buffer_f64 + 516));
  hash(buffer_f64, 1330, 8, 1);
  report("f80189", 1);
  fill(buffer_f64, 1330, 8, 1, 0, 3);
  f80189((unsigned)1, (unsigned)0, (void *)(buffer_f64 + 2), (void *)(buffer_f64 + 519));
  hash(buffer_f64, 1330, 8, 1);
  report("f80189", 2);
  fill(buffer_f64, 1330, 8, 1, 0, 4);
  f80189((unsigned)1, (unsigned)0, (void *)(buffer_f64 + 0), (void *)(buffer_f64 + 515));
  hash(buffer_f64, 1330, 8, 1);
  report("f80189", 3);
  fill(buffer_f64, 1330, 8, 1, 0, 5);
  f80189((unsigned)1, (unsigned)1, (void *)(buffer_f64 + 0), (void *)(buffer_f64 + 0));
  hash(buffer_f64, 1330, 8, 1);
  report("f80189", 4);
  fill(buffer_f64, 1330, 8, 1, 0, 6);
  f80189((unsigned)4, (unsigned)18, (void *)(buffer_f64 + 0), (void *)(buffer_f64 + 0));
  hash(buffer_f64, 1330, 8, 1);
  report("f80189", 5);
  fill(buffer_f64, 1330, 8, 1, 0, 7);
  f80189((unsigned)8, (unsigned)8, (void *)(buffer_f64 + 3), (void *)(buffer_f64 + 7));
  hash(buffer_f64, 1330, 8, 1);
  report("f80189", 6);
  fill(buffer_f64, 1330, 8, 1, 0, 8);
  f80189((unsigned)6, (unsigned)1, (void *)(buffer_f64 + 5), (void *)(buffer_f64 + 3));
  hash(buffer_f64, 1330, 8, 1);
  report("f80189", 7);
  fill(buffer_f64, 1330, 8, 1, 0, 9);
  f80189((unsigned)18, (unsigned)9, (void *)(buffer_f64 + 0), (void *)(buffer_f64 + 518));
  hash(buffer_f64, 1330, 8, 1);
  report("f80189", 8);
  return 0;
}
