/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Seed 2000043, force module-budget=30000000 position=late: compiler: crashes. */
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

unsigned char f2000043_B[39][23];
__attribute__((noinline)) void f2000043(int n, int m)
{
  unsigned char s0 = 1;
  for (short i = 2; i < n - 1; i += 1) {
    for (unsigned short j = 0; j < (m < m + 2 ? m : m + 2); j += 1) {
      s0 = (unsigned char)((unsigned)f2000043_B[2 * i + 1][j + 1]);
      for (unsigned char k = 1; k < n + 1; k += 1) {
        f2000043_B[j][k] = (unsigned char)((unsigned)f2000043_B[j + 1][k]);
      }
    }
  }
}


__attribute__((noinline, optnone)) int main(void)
{
  fill(f2000043_B, 897, 1, 0, 0, 1);
  f2000043((int)0, (int)0);
  hash(f2000043_B, 897, 1, 0);
  report("f2000043", 0);
  return 0;
}
