/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Seed 44, force: a freed set was used for the condition of a select (arguments evaluated in the other order). */
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

__attribute__((noinline)) void f44(int n, int f44_A[][75], int *f44_out_i32)
{
  int s0 = 1;
  for (int i = 0; i < n - 2; i += 3) {
    for (int j = 0; j < 11; j += 2) {
      s0 = (int)((((unsigned)f44_A[j][i] - (unsigned)f44_A[i + 2][j]) + ((unsigned)f44_A[i][j] + (unsigned)j)));
    }
    s0 = (int)((unsigned)f44_A[i + 2][i]);
    for (int j = i + 8 - 1; j >= i + 2; j -= 1) {
      f44_A[2 * j + 1][i] = (int)((((unsigned)f44_A[i][j] + (unsigned)f44_A[i][j]) - ((unsigned)s0 - (unsigned)j)));
      s0 = (int)((unsigned)s0 + ((unsigned)f44_A[i][j + 4] >= (unsigned)f44_A[j][2] ? (unsigned)f44_A[i][j + 4] : (unsigned)f44_A[j][2]));
    }
    f44_A[i + 2][i] = (int)((unsigned)s0);
  }
  for (int i = 5; i <= n - 1; i += 1) {
    s0 = (int)((unsigned)f44_A[i][i]);
    for (int j = 0; j < n - i + 1; j += 1) {
      f44_A[i + 1][j] = (int)(((((unsigned)f44_A[i - 1][j] * (unsigned)f44_A[i][j + 1]) * ((unsigned)s0 ^ (unsigned)f44_A[i][j])) + (((unsigned)f44_A[i - 1][j] <= (unsigned)f44_A[i + 1][j] ? (unsigned)f44_A[i - 1][j] : (unsigned)f44_A[i + 1][j]) - ((unsigned)f44_A[i + 1][j] * (unsigned)s0))));
      s0 = (int)((unsigned)s0 * ((unsigned)f44_A[2][i] >= (unsigned)f44_A[i][j] ? (unsigned)f44_A[2][i] : (unsigned)f44_A[i][j]));
    }
    f44_A[i + 2][i + 1] = (int)((unsigned)s0);
    for (int j = n - 1; j >= 0; j -= 1) {
      f44_A[2 * i][j] = (int)((unsigned)f44_A[2 * i][j] + (((unsigned)f44_A[i + 2][j] - (unsigned)f44_A[i][j + 1]) + ((unsigned)s0 + (unsigned)f44_A[i][j + 2])));
      f44_A[i][j] = (int)(((unsigned)f44_A[j][i] + (unsigned)f44_A[j][i]));
      s0 = (int)((unsigned)s0 - ((((unsigned)f44_A[i][2 * j + 1] & 6u) * ((unsigned)f44_A[j][i] >= (unsigned)j ? (unsigned)f44_A[j][i] : (unsigned)j)) + (((unsigned)f44_A[i + 2][j + 4] * (unsigned)f44_A[i][j + 1]) - ((unsigned)f44_A[j][i] & (unsigned)f44_A[2 * i + 1][j]))));
    }
  }
  for (int i = 0; i <= n - 1; i += 1) {
    s0 = (int)((unsigned)f44_A[i + 1][2 * i + 1]);
    for (int j = (i + 1) / 2; j < n - 1; j += 1) {
      if (j + 1 == n && j - 2 < 11) {
        f44_A[i + 1][j] = (int)(((unsigned)f44_A[i + 1][j] + (unsigned)f44_A[i][j]));
      }
      s0 = (int)((unsigned)s0 + ((unsigned)f44_A[i][j] * (unsigned)f44_A[i][j]));
    }
    f44_A[i][i + 1] = (int)((unsigned)f44_A[i][i + 1] + (unsigned)s0);
  }
  f44_out_i32[0] = (int)((unsigned)s0);
}

int buffer_i32[6306];

__attribute__((noinline, optnone)) int main(void)
{
  fill(buffer_i32, 6306, 4, 0, 0, 1);
  f44((int)31, (void *)(buffer_i32 + 2), (void *)(buffer_i32 + 6301));
  hash(buffer_i32, 6306, 4, 0);
  report("f44", 0);
  fill(buffer_i32, 6306, 4, 0, 0, 2);
  f44((int)31, (void *)(buffer_i32 + 3), (void *)(buffer_i32 + 6302));
  hash(buffer_i32, 6306, 4, 0);
  report("f44", 1);
  fill(buffer_i32, 6306, 4, 0, 0, 3);
  f44((int)0, (void *)(buffer_i32 + 0), (void *)(buffer_i32 + 6302));
  hash(buffer_i32, 6306, 4, 0);
  report("f44", 2);
  fill(buffer_i32, 6306, 4, 0, 0, 4);
  f44((int)-4, (void *)(buffer_i32 + 2), (void *)(buffer_i32 + 6305));
  hash(buffer_i32, 6306, 4, 0);
  report("f44", 3);
  fill(buffer_i32, 6306, 4, 0, 0, 5);
  f44((int)1, (void *)(buffer_i32 + 0), (void *)(buffer_i32 + 0));
  hash(buffer_i32, 6306, 4, 0);
  report("f44", 4);
  fill(buffer_i32, 6306, 4, 0, 0, 6);
  f44((int)33, (void *)(buffer_i32 + 0), (void *)(buffer_i32 + 0));
  hash(buffer_i32, 6306, 4, 0);
  report("f44", 5);
  fill(buffer_i32, 6306, 4, 0, 0, 7);
  f44((int)34, (void *)(buffer_i32 + 7), (void *)(buffer_i32 + 5));
  hash(buffer_i32, 6306, 4, 0);
  report("f44", 6);
  fill(buffer_i32, 6306, 4, 0, 0, 8);
  f44((int)18, (void *)(buffer_i32 + 4), (void *)(buffer_i32 + 6));
  hash(buffer_i32, 6306, 4, 0);
  report("f44", 7);
  fill(buffer_i32, 6306, 4, 0, 0, 9);
  f44((int)12, (void *)(buffer_i32 + 2), (void *)(buffer_i32 + 6302));
  hash(buffer_i32, 6306, 4, 0);
  report("f44", 8);
  return 0;
}
