/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Seed 1301, force: the compiler hung in the scheduler, on coefficients of thousands of digits. */
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

__attribute__((noinline)) void f1301(int n, int m, int *f1301_A, int *f1301_B, signed char f1301_C[][m], int *f1301_D)
{
  for (int i = (2 * n + 1) / 2 - 1; i >= 0; i -= 1) {
    for (int j = i; j < 2 * i + 1; j += 2) {
      for (int k = 0; k < (n + 2) / 2; k += 2) {
        f1301_B[k] = (int)(((unsigned)f1301_A[k] + (unsigned)f1301_B[k]));
        f1301_D[((i) * n + 3 * j)] = (int)((unsigned)f1301_D[((i) * n + 3 * j)] + ((unsigned)f1301_C[2 * j][0] - (unsigned)f1301_A[i + 4]));
      }
    }
    for (int j = 0; j < n + 1; j += 1) {
      for (int k = (0 > i + 2 ? 0 : i + 2); k < m - 1; k += 2) {
        if (k < 15 && j + k + 1 >= n) {
          f1301_A[k] = (int)((unsigned)f1301_A[k] ^ ((unsigned)f1301_B[k] <= (unsigned)f1301_B[i] ? (unsigned)f1301_B[k] : (unsigned)f1301_B[i]));
        }
        f1301_B[k] = (int)((unsigned)f1301_B[k] + (((unsigned)k < (unsigned)f1301_B[k] ? (unsigned)k : (unsigned)f1301_B[k]) + (((unsigned)f1301_A[(j + k) / 4] - (unsigned)f1301_A[k + 4]) * ((unsigned)f1301_A[j + k + 1] + (unsigned)i))));
        f1301_A[k] = (int)((unsigned)f1301_A[k] + ((unsigned)f1301_B[(k) % 8] <= (unsigned)f1301_A[k] ? (unsigned)f1301_B[(k) % 8] : (unsigned)f1301_A[k]));
      }
    }
  }
}

int buffer_i32[1379];
signed char buffer_i8[1479];

__attribute__((noinline, optnone)) int main(void)
{
  fill(buffer_i32, 1379, 4, 0, 0, 1);
  fill(buffer_i8, 1479, 1, 0, 0, 1);
  f1301((int)31, (int)1, (void *)(buffer_i32 + 2), (void *)(buffer_i32 + 48), (void *)(buffer_i8 + 1), (void *)(buffer_i32 + 84));
  hash(buffer_i32, 1379, 4, 0);
  hash(buffer_i8, 1479, 1, 0);
  report("f1301", 0);
  fill(buffer_i32, 1379, 4, 0, 0, 2);
  fill(buffer_i8, 1479, 1, 0, 0, 2);
  f1301((int)33, (int)11, (void *)(buffer_i32 + 1), (void *)(buffer_i32 + 45), (void *)(buffer_i8 + 2), (void *)(buffer_i32 + 84));
  hash(buffer_i32, 1379, 4, 0);
  hash(buffer_i8, 1479, 1, 0);
  report("f1301", 1);
  fill(buffer_i32, 1379, 4, 0, 0, 3);
  fill(buffer_i8, 1479, 1, 0, 0, 3);
  f1301((int)1, (int)1, (void *)(buffer_i32 + 0), (void *)(buffer_i32 + 49), (void *)(buffer_i8 + 2), (void *)(buffer_i32 + 88));
  hash(buffer_i32, 1379, 4, 0);
  hash(buffer_i8, 1479, 1, 0);
  report("f1301", 2);
  fill(buffer_i32, 1379, 4, 0, 0, 4);
  fill(buffer_i8, 1479, 1, 0, 0, 4);
  f1301((int)1, (int)1, (void *)(buffer_i32 + 1), (void *)(buffer_i32 + 45), (void *)(buffer_i8 + 3), (void *)(buffer_i32 + 80));
  hash(buffer_i32, 1379, 4, 0);
  hash(buffer_i8, 1479, 1, 0);
  report("f1301", 3);
  fill(buffer_i32, 1379, 4, 0, 0, 5);
  fill(buffer_i8, 1479, 1, 0, 0, 5);
  f1301((int)1, (int)1, (void *)(buffer_i32 + 0), (void *)(buffer_i32 + 0), (void *)(buffer_i8 + 0), (void *)(buffer_i32 + 0));
  hash(buffer_i32, 1379, 4, 0);
  hash(buffer_i8, 1479, 1, 0);
  report("f1301", 4);
  fill(buffer_i32, 1379, 4, 0, 0, 6);
  fill(buffer_i8, 1479, 1, 0, 0, 6);
  f1301((int)14, (int)8, (void *)(buffer_i32 + 0), (void *)(buffer_i32 + 0), (void *)(buffer_i8 + 0), (void *)(buffer_i32 + 0));
  hash(buffer_i32, 1379, 4, 0);
  hash(buffer_i8, 1479, 1, 0);
  report("f1301", 5);
  fill(buffer_i32, 1379, 4, 0, 0, 7);
  fill(buffer_i8, 1479, 1, 0, 0, 7);
  f1301((int)33, (int)8, (void *)(buffer_i32 + 6), (void *)(buffer_i32 + 2), (void *)(buffer_i8 + 3), (void *)(buffer_i32 + 5));
  hash(buffer_i32, 1379, 4, 0);
  hash(buffer_i8, 1479, 1, 0);
  report("f1301", 6);
  fill(buffer_i32, 1379, 4, 0, 0, 8);
  fill(buffer_i8, 1479, 1, 0, 0, 8);
  f1301((int)14, (int)10, (void *)(buffer_i32 + 0), (void *)(buffer_i32 + 4), (void *)(buffer_i8 + 4), (void *)(buffer_i32 + 2));
  hash(buffer_i32, 1379, 4, 0);
  hash(buffer_i8, 1479, 1, 0);
  report("f1301", 7);
  fill(buffer_i32, 1379, 4, 0, 0, 9);
  fill(buffer_i8, 1479, 1, 0, 0, 9);
  f1301((int)26, (int)11, (void *)(buffer_i32 + 1), (void *)(buffer_i32 + 48), (void *)(buffer_i8 + 1), (void *)(buffer_i32 + 85));
  hash(buffer_i32, 1379, 4, 0);
  hash(buffer_i8, 1479, 1, 0);
  report("f1301", 8);
  return 0;
}

