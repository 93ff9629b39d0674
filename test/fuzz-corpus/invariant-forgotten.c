/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Seed 7226, force: compiler: crashes. */
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

__attribute__((noinline)) void f7226(int n, double **f7226_A, double *f7226_B, double *f7226_C)
{
  for (int i = 1; i < n; i += 1) {
    for (int j = 0; j < n + 1; j += 1) {
      for (int k = 0; k < j + 8; k += 1) {
        for (int l = 0; l < n; l += 1) {
          f7226_A[j + k + 1][l] = (double)(((f7226_B[l] + f7226_B[2 * l]) - (f7226_C[l] * f7226_C[j])));
          f7226_A[k][l] += (f7226_C[2 * l + 1] > f7226_C[l] ? f7226_C[2 * l + 1] : f7226_C[l]);
        }
        for (int l = n - 1; l >= 0; l -= 1) {
          f7226_A[k][l] = (double)((f7226_B[l] + f7226_B[k]));
        }
        for (int l = 0; l < n; l += 1) {
          f7226_A[k][l] += (f7226_C[l + 1] - f7226_B[j]);
        }
      }
    }
  }
  for (int i = 0; i < n; i += 1) {
    for (int j = 0; j < n - 2; j += 1) {
      for (int k = 0; k < n; k += 1) {
        f7226_A[j][k] = (double)((f7226_B[k] - f7226_B[k]));
        for (int l = (0 > i + 2 ? 0 : i + 2); l < n - 1; l += 2) {
          f7226_A[k][l] += ((((double)j * f7226_C[i]) - ((double)j - f7226_C[l])) * ((f7226_C[l] / f7226_C[l + 1]) - (f7226_C[l + 1] - f7226_C[l])));
        }
      }
      for (int k = 0; k < n; k += 1) {
        for (int l = 0; l < n + 2; l += 1) {
          f7226_A[k][l] = (double)(((f7226_C[l] + f7226_B[l]) + (1.25 > f7226_B[l] ? 1.25 : f7226_B[l])));
          f7226_A[0][l + 1] = (double)(((((double)j + (double)j) * (f7226_B[l] + f7226_C[l])) * ((f7226_A[0][l] * f7226_C[l]) * (f7226_C[j + 1] / f7226_B[l]))));
        }
      }
    }
    for (int j = i + 2; j < (n + 2 < n - 2 ? n + 2 : n - 2); j += 1) {
      for (int k = (i + 1) / 2; k < n - 1; k += 5) {
        for (int l = n - 2 - 1; l >= 0; l -= 1) {
          f7226_A[k][l] = (double)((f7226_C[l] + f7226_B[l]));
        }
      }
    }
  }
}

double buffer_f64[354];

__attribute__((noinline, optnone)) int main(void)
{
  fill(buffer_f64, 354, 8, 1, 0, 1);
  f7226((int)5, (double *[]){buffer_f64 + 3, buffer_f64 + 87, buffer_f64 + 171, buffer_f64 + 255, buffer_f64 + 27, buffer_f64 + 111, buffer_f64 + 195, buffer_f64 + 279, buffer_f64 + 51, buffer_f64 + 135, buffer_f64 + 219, buffer_f64 + 303, buffer_f64 + 75, buffer_f64 + 159, buffer_f64 + 243, buffer_f64 + 15, buffer_f64 + 99, buffer_f64 + 183, buffer_f64 + 267, buffer_f64 + 39, buffer_f64 + 123, buffer_f64 + 207, buffer_f64 + 291, buffer_f64 + 63, buffer_f64 + 147, buffer_f64 + 231}, (void *)(buffer_f64 + 320), (void *)(buffer_f64 + 338));
  hash(buffer_f64, 354, 8, 1);
  report("f7226", 0);
  fill(buffer_f64, 354, 8, 1, 0, 2);
  f7226((int)4, (double *[]){buffer_f64 + 12, buffer_f64 + 96, buffer_f64 + 180, buffer_f64 + 264, buffer_f64 + 36, buffer_f64 + 120, buffer_f64 + 204, buffer_f64 + 288, buffer_f64 + 60, buffer_f64 + 144, buffer_f64 + 228, buffer_f64 + 0, buffer_f64 + 84, buffer_f64 + 168, buffer_f64 + 252, buffer_f64 + 24, buffer_f64 + 108, buffer_f64 + 192, buffer_f64 + 276, buffer_f64 + 48, buffer_f64 + 132, buffer_f64 + 216, buffer_f64 + 300, buffer_f64 + 72, buffer_f64 + 156, buffer_f64 + 240}, (void *)(buffer_f64 + 315), (void *)(buffer_f64 + 335));
  hash(buffer_f64, 354, 8, 1);
  report("f7226", 1);
  fill(buffer_f64, 354, 8, 1, 0, 3);
  f7226((int)0, (double *[]){buffer_f64 + 27, buffer_f64 + 111, buffer_f64 + 195, buffer_f64 + 279, buffer_f64 + 51, buffer_f64 + 135, buffer_f64 + 219, buffer_f64 + 303, buffer_f64 + 75, buffer_f64 + 159, buffer_f64 + 243, buffer_f64 + 15, buffer_f64 + 99, buffer_f64 + 183, buffer_f64 + 267, buffer_f64 + 39, buffer_f64 + 123, buffer_f64 + 207, buffer_f64 + 291, buffer_f64 + 63, buffer_f64 + 147, buffer_f64 + 231, buffer_f64 + 3, buffer_f64 + 87, buffer_f64 + 171, buffer_f64 + 255}, (void *)(buffer_f64 + 316), (void *)(buffer_f64 + 334));
  hash(buffer_f64, 354, 8, 1);
  report("f7226", 2);
  fill(buffer_f64, 354, 8, 1, 0, 4);
  f7226((int)-5, (double *[]){buffer_f64 + 37, buffer_f64 + 121, buffer_f64 + 205, buffer_f64 + 289, buffer_f64 + 61, buffer_f64 + 145, buffer_f64 + 229, buffer_f64 + 1, buffer_f64 + 85, buffer_f64 + 169, buffer_f64 + 253, buffer_f64 + 25, buffer_f64 + 109, buffer_f64 + 193, buffer_f64 + 277, buffer_f64 + 49, buffer_f64 + 133, buffer_f64 + 217, buffer_f64 + 301, buffer_f64 + 73, buffer_f64 + 157, buffer_f64 + 241, buffer_f64 + 13, buffer_f64 + 97, buffer_f64 + 181, buffer_f64 + 265}, (void *)(buffer_f64 + 315), (void *)(buffer_f64 + 332));
  hash(buffer_f64, 354, 8, 1);
  report("f7226", 3);
  fill(buffer_f64, 354, 8, 1, 0, 5);
  f7226((int)1, (double *[]){buffer_f64 + 48, buffer_f64 + 132, buffer_f64 + 216, buffer_f64 + 300, buffer_f64 + 72, buffer_f64 + 156, buffer_f64 + 240, buffer_f64 + 12, buffer_f64 + 96, buffer_f64 + 180, buffer_f64 + 264, buffer_f64 + 36, buffer_f64 + 120, buffer_f64 + 204, buffer_f64 + 288, buffer_f64 + 60, buffer_f64 + 144, buffer_f64 + 228, buffer_f64 + 0, buffer_f64 + 84, buffer_f64 + 168, buffer_f64 + 252, buffer_f64 + 24, buffer_f64 + 108, buffer_f64 + 192, buffer_f64 + 276}, (void *)(buffer_f64 + 0), (void *)(buffer_f64 + 0));
  hash(buffer_f64, 354, 8, 1);
  report("f7226", 4);
  fill(buffer_f64, 354, 8, 1, 0, 6);
  f7226((int)8, (double *[]){buffer_f64 + 60, buffer_f64 + 144, buffer_f64 + 228, buffer_f64 + 0, buffer_f64 + 84, buffer_f64 + 168, buffer_f64 + 252, buffer_f64 + 24, buffer_f64 + 108, buffer_f64 + 192, buffer_f64 + 276, buffer_f64 + 48, buffer_f64 + 132, buffer_f64 + 216, buffer_f64 + 300, buffer_f64 + 72, buffer_f64 + 156, buffer_f64 + 240, buffer_f64 + 12, buffer_f64 + 96, buffer_f64 + 180, buffer_f64 + 264, buffer_f64 + 36, buffer_f64 + 120, buffer_f64 + 204, buffer_f64 + 288}, (void *)(buffer_f64 + 0), (void *)(buffer_f64 + 0));
  hash(buffer_f64, 354, 8, 1);
  report("f7226", 5);
  fill(buffer_f64, 354, 8, 1, 0, 7);
  f7226((int)4, (double *[]){buffer_f64 + 78, buffer_f64 + 162, buffer_f64 + 246, buffer_f64 + 18, buffer_f64 + 102, buffer_f64 + 186, buffer_f64 + 270, buffer_f64 + 42, buffer_f64 + 126, buffer_f64 + 210, buffer_f64 + 294, buffer_f64 + 66, buffer_f64 + 150, buffer_f64 + 234, buffer_f64 + 6, buffer_f64 + 90, buffer_f64 + 174, buffer_f64 + 258, buffer_f64 + 30, buffer_f64 + 114, buffer_f64 + 198, buffer_f64 + 282, buffer_f64 + 54, buffer_f64 + 138, buffer_f64 + 222, buffer_f64 + 306}, (void *)(buffer_f64 + 6), (void *)(buffer_f64 + 6));
  hash(buffer_f64, 354, 8, 1);
  report("f7226", 6);
  fill(buffer_f64, 354, 8, 1, 0, 8);
  f7226((int)2, (double *[]){buffer_f64 + 92, buffer_f64 + 176, buffer_f64 + 260, buffer_f64 + 32, buffer_f64 + 116, buffer_f64 + 200, buffer_f64 + 284, buffer_f64 + 56, buffer_f64 + 140, buffer_f64 + 224, buffer_f64 + 308, buffer_f64 + 80, buffer_f64 + 164, buffer_f64 + 248, buffer_f64 + 20, buffer_f64 + 104, buffer_f64 + 188, buffer_f64 + 272, buffer_f64 + 44, buffer_f64 + 128, buffer_f64 + 212, buffer_f64 + 296, buffer_f64 + 68, buffer_f64 + 152, buffer_f64 + 236, buffer_f64 + 8}, (void *)(buffer_f64 + 4), (void *)(buffer_f64 + 5));
  hash(buffer_f64, 354, 8, 1);
  report("f7226", 7);
  fill(buffer_f64, 354, 8, 1, 0, 9);
  f7226((int)7, (double *[]){buffer_f64 + 98, buffer_f64 + 182, buffer_f64 + 266, buffer_f64 + 38, buffer_f64 + 122, buffer_f64 + 206, buffer_f64 + 290, buffer_f64 + 62, buffer_f64 + 146, buffer_f64 + 230, buffer_f64 + 2, buffer_f64 + 86, buffer_f64 + 170, buffer_f64 + 254, buffer_f64 + 26, buffer_f64 + 110, buffer_f64 + 194, buffer_f64 + 278, buffer_f64 + 50, buffer_f64 + 134, buffer_f64 + 218, buffer_f64 + 302, buffer_f64 + 74, buffer_f64 + 158, buffer_f64 + 242, buffer_f64 + 14}, (void *)(buffer_f64 + 314), (void *)(buffer_f64 + 331));
  hash(buffer_f64, 354, 8, 1);
  report("f7226", 8);
  return 0;
}
