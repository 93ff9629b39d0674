/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Seed 80082, force module-budget=30000000 position=early: output differs. */
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

__attribute__((noinline)) void f80082(unsigned long n, unsigned long w1, double f80082_A[][w1])
{
  double r0 = 1;
  for (unsigned long i = 0; i < n; i += 1) {
    for (unsigned long j = 0; j < n; j += 1) {
      r0 = (double)(f80082_A[j][i]);
      f80082_A[j][i] = (double)((0.75 * r0));
      for (unsigned long k = j + 1; k < n; k += 1) {
        f80082_A[k][i] -= r0;
      }
    }
  }
}

double buffer_f64[2028];

__attribute__((noinline, optnone)) int main(void)
{
  fill(buffer_f64, 2028, 8, 1, 1, 1);
  f80082((unsigned long)13, (unsigned long)45, (void *)(buffer_f64 + 3));
  hash(buffer_f64, 2028, 8, 1);
  report("f80082", 0);
  return 0;
}
