/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Seed 4141, force position=early: program: dies of signal 11. */
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

float f4141_A[42][42];
struct f4141_s { int n; int m; float *f4141_B; struct f4141_s *more; };
#define n (held->more->n)
#define m (held->more->m)
#define f4141_B (held->more->f4141_B)
__attribute__((noinline)) void f4141(struct f4141_s *held)
{
  for (int i = 0; i < m; i += 1) {
    for (int j = m - 1; j >= 0; j -= 1) {
      for (int k = 0; k < j; k += 1) {
        f4141_A[j][i] -= ((f4141_B[(j) * m + k] * f4141_A[k][i]) / 249.25f);
      }
    }
  }
}
#undef n
#undef m
#undef f4141_B

float buffer_f32[1767];

__attribute__((noinline, optnone)) int main(void)
{
  fill(buffer_f32, 1767, 4, 1, 0, 1);
  fill(f4141_A, 1764, 4, 1, 0, 1);
  f4141(&(struct f4141_s){.more = &(struct f4141_s){(int)41, (int)37, (void *)(buffer_f32 + 1), 0}});
  hash(buffer_f32, 1767, 4, 1);
  hash(f4141_A, 1764, 4, 1);
  report("f4141", 0);
  fill(buffer_f32, 1767, 4, 1, 0, 2);
  fill(f4141_A, 1764, 4, 1, 0, 2);
  f4141(&(struct f4141_s){.more = &(struct f4141_s){(int)33, (int)33, (void *)(buffer_f32 + 0), 0}});
  hash(buffer_f32, 1767, 4, 1);
  hash(f4141_A, 1764, 4, 1);
  report("f4141", 1);
  fill(buffer_f32, 1767, 4, 1, 0, 3);
  fill(f4141_A, 1764, 4, 1, 0, 3);
  f4141(&(struct f4141_s){.more = &(struct f4141_s){(int)0, (int)1, (void *)(buffer_f32 + 1), 0}});
  hash(buffer_f32, 1767, 4, 1);
  hash(f4141_A, 1764, 4, 1);
  report("f4141", 2);
  fill(buffer_f32, 1767, 4, 1, 0, 4);
  fill(f4141_A, 1764, 4, 1, 0, 4);
  f4141(&(struct f4141_s){.more = &(struct f4141_s){(int)-4, (int)1, (void *)(buffer_f32 + 2), 0}});
  hash(buffer_f32, 1767, 4, 1);
  hash(f4141_A, 1764, 4, 1);
  report("f4141", 3);
  fill(buffer_f32, 1767, 4, 1, 0, 5);
  fill(f4141_A, 1764, 4, 1, 0, 5);
  f4141(&(struct f4141_s){.more = &(struct f4141_s){(int)1, (int)1, (void *)(buffer_f32 + 0), 0}});
  hash(buffer_f32, 1767, 4, 1);
  hash(f4141_A, 1764, 4, 1);
  report("f4141", 4);
  fill(buffer_f32, 1767, 4, 1, 0, 6);
  fill(f4141_A, 1764, 4, 1, 0, 6);
  f4141(&(struct f4141_s){.more = &(struct f4141_s){(int)2, (int)5, (void *)(buffer_f32 + 0), 0}});
  hash(buffer_f32, 1767, 4, 1);
  hash(f4141_A, 1764, 4, 1);
  report("f4141", 5);
  fill(buffer_f32, 1767, 4, 1, 0, 7);
  fill(f4141_A, 1764, 4, 1, 0, 7);
  f4141(&(struct f4141_s){.more = &(struct f4141_s){(int)67, (int)34, (void *)(buffer_f32 + 1), 0}});
  hash(buffer_f32, 1767, 4, 1);
  hash(f4141_A, 1764, 4, 1);
  report("f4141", 6);
  fill(buffer_f32, 1767, 4, 1, 0, 8);
  fill(f4141_A, 1764, 4, 1, 0, 8);
  f4141(&(struct f4141_s){.more = &(struct f4141_s){(int)40, (int)12, (void *)(buffer_f32 + 4), 0}});
  hash(buffer_f32, 1767, 4, 1);
  hash(f4141_A, 1764, 4, 1);
  report("f4141", 7);
  fill(buffer_f32, 1767, 4, 1, 0, 9);
  fill(f4141_A, 1764, 4, 1, 0, 9);
  f4141(&(struct f4141_s){.more = &(struct f4141_s){(int)17, (int)41, (void *)(buffer_f32 + 2), 0}});
  hash(buffer_f32, 1767, 4, 1);
  hash(f4141_A, 1764, 4, 1);
  report("f4141", 8);
  return 0;
}

