/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Seed 62175, force parallel: compiler: crashes. */
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

__attribute__((noinline)) void f62175(int n, int m, int w2, int e3, float f62175_A[][w2])
{
  double r0 = 1;
  for (int i = 5; i < m - 1; i += 1) {
    for (int j = 0; j < m + 2; j += 1) {
      for (int k = 3; k < n - 1; k += 1) {
        for (int l = 0; l < n; l += 1) {
          f62175_A[i][(j) % 2] += ((r0 * f62175_A[k][l]) - (f62175_A[k][l] * f62175_A[2 * k + 1][l]));
          f62175_A[k][2 * l + 1] *= (((f62175_A[l][i] > 2.0f ? f62175_A[l][i] : 2.0f) + (f62175_A[k - 1][2 * l + 1] - f62175_A[j][k])) - ((0.25f - 0.75f) + (f62175_A[k][l] + (float)j)));
          f62175_A[k + 4][l + 4] = (float)((r0 + 2.25f));
        }
        r0 = (double)(f62175_A[i - 2][j]);
        for (int l = e3 - 11; l < e3; l += 1) {
          f62175_A[(l - e3 + 12)][(l - e3 + 13)] += (((r0 * f62175_A[(l - e3 + 13)][2 * i + 2]) + (f62175_A[(l - e3 + 12)][(l - e3 + 13)] - f62175_A[2 * k][(l - e3 + 12)])) * ((r0 + f62175_A[(l - e3 + 11)][(l - e3 + 12)]) / ((float)i / f62175_A[(l - e3 + 11)][(l - e3 + 13)])));
          r0 += (1.75 + f62175_A[(l - e3 + 13)][(l - e3 + 12)]);
        }
        r0 = (double)(f62175_A[(k) / 2 + 1][i + 1]);
        for (int l = 1; l < (n - 2 < m - 1 ? n - 2 : m - 1); l += 1) {
          f62175_A[(n - k - 1)][(l - k + 6)] -= (f62175_A[(j + k) / 3 + 1][l] <= f62175_A[2 * k + 1][l] ? f62175_A[(j + k) / 3 + 1][l] : f62175_A[2 * k + 1][l]);
          r0 += (f62175_A[i + j][k - 1] - f62175_A[4][l - 1]);
        }
      }
      for (int k = 0; k < 3; k += 1) {
        r0 = (double)(f62175_A[i - 2][j]);
        for (int l = n + 1 - 1; l >= 0; l -= 2) {
          f62175_A[2 * k + 1][l] = (float)(((f62175_A[(n - i + 4)][(j - l + 9)] >= f62175_A[k][l] ? f62175_A[(n - i + 4)][(j - l + 9)] : f62175_A[k][l]) + (f62175_A[j + k][l] - f62175_A[k][(l - j + 7)])));
          f62175_A[(n - k + 2)][l] += ((f62175_A[i][j + 1] + f62175_A[(n - k + 2)][(i + l) % 4 + i]) - (r0 + 0.75f));
          r0 -= (r0 * 2.0);
        }
      }
    }
  }
}

float buffer_f32[288];

__attribute__((noinline, optnone)) int main(void)
{
  fill(buffer_f32, 288, 4, 1, 0, 1);
  f62175((int)7, (int)5, (int)18, (int)25, (void *)(buffer_f32 + 0));
  hash(buffer_f32, 288, 4, 1);
  report("f62175", 0);
  return 0;
}
