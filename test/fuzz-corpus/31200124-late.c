/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Seed 31200124, force position=late: the compiler leaked (asan). */
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

unsigned char f31200124_t[224] = {0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5, 0, 5, 4, 13, 0, 13, 4, 5};
struct f31200124_s { unsigned n; unsigned ld1; unsigned ld2; double *f31200124_A; double *f31200124_B; struct f31200124_s *more; };
#define n (held->n)
#define ld1 (held->ld1)
#define ld2 (held->ld2)
#define f31200124_A (held->f31200124_A)
#define f31200124_B (held->f31200124_B)
__attribute__((noinline)) void f31200124(struct f31200124_s *held)
{
  double r0 = 1;
  for (unsigned i = 0; i < n; i += 1) {
    for (unsigned j = n; j-- > 0;) {
      r0 = (double)((0.5 * f31200124_A[(j) * n + i]));
      f31200124_A[(j) * n + i] = (double)((0.75 * r0));
      for (unsigned k = 0; k < j; k += 1) {
        f31200124_A[(k) * n + i] -= ((f31200124_B[(j) * ld1 + k] * r0) / 249.25);
      }
    }
  }
}
#undef n
#undef ld1
#undef ld2
#undef f31200124_A
#undef f31200124_B

double buffer_f64[841];

__attribute__((noinline, optnone)) int main(void)
{
  fill(buffer_f64, 841, 8, 1, 0, 1);
  f31200124(&(struct f31200124_s){(unsigned)1, (unsigned)22, (unsigned)3, (void *)(buffer_f64 + 0), (void *)(buffer_f64 + 291), 0});
  hash(buffer_f64, 841, 8, 1);
  report("f31200124", 0);
  fill(buffer_f64, 841, 8, 1, 0, 2);
  f31200124(&(struct f31200124_s){(unsigned)17, (unsigned)18, (unsigned)5, (void *)(buffer_f64 + 2), (void *)(buffer_f64 + 296), 0});
  hash(buffer_f64, 841, 8, 1);
  report("f31200124", 1);
  fill(buffer_f64, 841, 8, 1, 0, 3);
  f31200124(&(struct f31200124_s){(unsigned)1, (unsigned)31, (unsigned)3, (void *)(buffer_f64 + 2), (void *)(buffer_f64 + 293), 0});
  hash(buffer_f64, 841, 8, 1);
  report("f31200124", 2);
  fill(buffer_f64, 841, 8, 1, 0, 4);
  f31200124(&(struct f31200124_s){(unsigned)1, (unsigned)10, (unsigned)5, (void *)(buffer_f64 + 3), (void *)(buffer_f64 + 293), 0});
  hash(buffer_f64, 841, 8, 1);
  report("f31200124", 3);
  fill(buffer_f64, 841, 8, 1, 0, 5);
  f31200124(&(struct f31200124_s){(unsigned)1, (unsigned)27, (unsigned)5, (void *)(buffer_f64 + 0), (void *)(buffer_f64 + 0), 0});
  hash(buffer_f64, 841, 8, 1);
  report("f31200124", 4);
  fill(buffer_f64, 841, 8, 1, 0, 6);
  f31200124(&(struct f31200124_s){(unsigned)15, (unsigned)24, (unsigned)4, (void *)(buffer_f64 + 0), (void *)(buffer_f64 + 0), 0});
  hash(buffer_f64, 841, 8, 1);
  report("f31200124", 5);
  fill(buffer_f64, 841, 8, 1, 0, 7);
  f31200124(&(struct f31200124_s){(unsigned)8, (unsigned)19, (unsigned)4, (void *)(buffer_f64 + 3), (void *)(buffer_f64 + 4), 0});
  hash(buffer_f64, 841, 8, 1);
  report("f31200124", 6);
  fill(buffer_f64, 841, 8, 1, 0, 8);
  f31200124(&(struct f31200124_s){(unsigned)4, (unsigned)33, (unsigned)5, (void *)(buffer_f64 + 2), (void *)(buffer_f64 + 4), 0});
  hash(buffer_f64, 841, 8, 1);
  report("f31200124", 7);
  fill(buffer_f64, 841, 8, 1, 0, 9);
  f31200124(&(struct f31200124_s){(unsigned)7, (unsigned)22, (unsigned)7, (void *)(buffer_f64 + 3), (void *)(buffer_f64 + 297), 0});
  hash(buffer_f64, 841, 8, 1);
  report("f31200124", 8);
  return 0;
}

