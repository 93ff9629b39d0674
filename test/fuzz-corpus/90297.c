/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Seed 90297, force module-budget=30000000: compiler: stage: check. */
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

unsigned char f90297_t[224] = {0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5};
float f90297_A[17][17];
struct f90297_s { int n; int m; int p; int ld3; float *f90297_B; struct f90297_s *more; };
#define n (held->n)
#define m (held->m)
#define p (held->p)
#define ld3 (held->ld3)
#define f90297_B (held->f90297_B)
__attribute__((noinline)) void f90297(struct f90297_s *held)
{
  for (int i = 0; i < m; i += 1) {
    for (int j = i - 1; j >= 0; j -= 1) {
      for (int k = m - 1; k >= 0; k -= 1) {
        f90297_A[k][j] -= ((f90297_B[(j) * ld3 + i] * f90297_A[k][i]) / 249.25f);
      }
    }
  }
}
#undef n
#undef m
#undef p
#undef ld3
#undef f90297_B

float buffer_f32[518];

__attribute__((noinline, optnone)) int main(void)
{
  fill(buffer_f32, 518, 4, 1, 0, 1);
  fill(f90297_A, 289, 4, 1, 0, 1);
  f90297(&(struct f90297_s){(int)6, (int)8, (int)2, (int)8, (void *)(buffer_f32 + 1), 0});
  hash(buffer_f32, 518, 4, 1);
  hash(f90297_A, 289, 4, 1);
  report("f90297", 0);
  fill(buffer_f32, 518, 4, 1, 0, 2);
  fill(f90297_A, 289, 4, 1, 0, 2);
  f90297(&(struct f90297_s){(int)8, (int)8, (int)60, (int)22, (void *)(buffer_f32 + 0), 0});
  hash(buffer_f32, 518, 4, 1);
  hash(f90297_A, 289, 4, 1);
  report("f90297", 1);
  fill(buffer_f32, 518, 4, 1, 0, 3);
  fill(f90297_A, 289, 4, 1, 0, 3);
  f90297(&(struct f90297_s){(int)0, (int)0, (int)0, (int)28, (void *)(buffer_f32 + 1), 0});
  hash(buffer_f32, 518, 4, 1);
  hash(f90297_A, 289, 4, 1);
  report("f90297", 2);
  fill(buffer_f32, 518, 4, 1, 0, 4);
  fill(f90297_A, 289, 4, 1, 0, 4);
  f90297(&(struct f90297_s){(int)-4, (int)-5, (int)-5, (int)29, (void *)(buffer_f32 + 3), 0});
  hash(buffer_f32, 518, 4, 1);
  hash(f90297_A, 289, 4, 1);
  report("f90297", 3);
  fill(buffer_f32, 518, 4, 1, 0, 5);
  fill(f90297_A, 289, 4, 1, 0, 5);
  f90297(&(struct f90297_s){(int)1, (int)1, (int)1, (int)18, (void *)(buffer_f32 + 0), 0});
  hash(buffer_f32, 518, 4, 1);
  hash(f90297_A, 289, 4, 1);
  report("f90297", 4);
  fill(buffer_f32, 518, 4, 1, 0, 6);
  fill(f90297_A, 289, 4, 1, 0, 6);
  f90297(&(struct f90297_s){(int)10, (int)15, (int)60, (int)28, (void *)(buffer_f32 + 0), 0});
  hash(buffer_f32, 518, 4, 1);
  hash(f90297_A, 289, 4, 1);
  report("f90297", 5);
  fill(buffer_f32, 518, 4, 1, 0, 7);
  fill(f90297_A, 289, 4, 1, 0, 7);
  f90297(&(struct f90297_s){(int)8, (int)8, (int)34, (int)30, (void *)(buffer_f32 + 6), 0});
  hash(buffer_f32, 518, 4, 1);
  hash(f90297_A, 289, 4, 1);
  report("f90297", 6);
  fill(buffer_f32, 518, 4, 1, 0, 8);
  fill(f90297_A, 289, 4, 1, 0, 8);
  f90297(&(struct f90297_s){(int)9, (int)10, (int)1, (int)31, (void *)(buffer_f32 + 6), 0});
  hash(buffer_f32, 518, 4, 1);
  hash(f90297_A, 289, 4, 1);
  report("f90297", 7);
  fill(buffer_f32, 518, 4, 1, 0, 9);
  fill(f90297_A, 289, 4, 1, 0, 9);
  f90297(&(struct f90297_s){(int)12, (int)3, (int)6, (int)27, (void *)(buffer_f32 + 0), 0});
  hash(buffer_f32, 518, 4, 1);
  hash(f90297_A, 289, 4, 1);
  report("f90297", 8);
  return 0;
}
