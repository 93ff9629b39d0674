/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Seed 9205332, force position=late: output differs. */
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

double f9205332_B[49];
double f9205332_C[46];
struct f9205332_s { int n; int m; int p; int e3; double *f9205332_A; struct f9205332_s *more; };
#define n (held->more->n)
#define m (held->more->m)
#define p (held->more->p)
#define e3 (held->more->e3)
#define f9205332_A (held->more->f9205332_A)
__attribute__((noinline)) void f9205332(struct f9205332_s *held)
{
  double r0 = 1;
  for (int i = 0; i <= p + 1 - 1; i += 3) {
    r0 = (double)(f9205332_C[i]);
    for (int j = e3 - 7; j < e3; j += 1) {
      f9205332_A[(j - e3 + 8)] = (double)((f9205332_B[i + 1] + f9205332_B[(j - e3 + 7)]));
      f9205332_A[i + 4] = (double)((f9205332_B[i + 4] + f9205332_C[i]));
      r0 *= (f9205332_C[i] > f9205332_C[i + 1] ? f9205332_C[i] : f9205332_C[i + 1]);
    }
    f9205332_C[i] += r0;
  }
}
#undef n
#undef m
#undef p
#undef e3
#undef f9205332_A

double buffer_f64[57];

__attribute__((noinline, optnone)) int main(void)
{
  fill(buffer_f64, 57, 8, 1, 0, 1);
  fill(f9205332_B, 49, 8, 1, 0, 1);
  fill(f9205332_C, 46, 8, 1, 0, 1);
  f9205332(&(struct f9205332_s){.more = &(struct f9205332_s){(int)12, (int)26, (int)15, (int)30, (void *)(buffer_f64 + 2), 0}});
  hash(buffer_f64, 57, 8, 1);
  hash(f9205332_B, 49, 8, 1);
  hash(f9205332_C, 46, 8, 1);
  report("f9205332", 0);
  fill(buffer_f64, 57, 8, 1, 0, 2);
  fill(f9205332_B, 49, 8, 1, 0, 2);
  fill(f9205332_C, 46, 8, 1, 0, 2);
  f9205332(&(struct f9205332_s){.more = &(struct f9205332_s){(int)41, (int)33, (int)31, (int)32, (void *)(buffer_f64 + 1), 0}});
  hash(buffer_f64, 57, 8, 1);
  hash(f9205332_B, 49, 8, 1);
  hash(f9205332_C, 46, 8, 1);
  report("f9205332", 1);
  fill(buffer_f64, 57, 8, 1, 0, 3);
  fill(f9205332_B, 49, 8, 1, 0, 3);
  fill(f9205332_C, 46, 8, 1, 0, 3);
  f9205332(&(struct f9205332_s){.more = &(struct f9205332_s){(int)0, (int)0, (int)0, (int)37, (void *)(buffer_f64 + 2), 0}});
  hash(buffer_f64, 57, 8, 1);
  hash(f9205332_B, 49, 8, 1);
  hash(f9205332_C, 46, 8, 1);
  report("f9205332", 2);
  fill(buffer_f64, 57, 8, 1, 0, 4);
  fill(f9205332_B, 49, 8, 1, 0, 4);
  fill(f9205332_C, 46, 8, 1, 0, 4);
  f9205332(&(struct f9205332_s){.more = &(struct f9205332_s){(int)-2, (int)-1, (int)-3, (int)20, (void *)(buffer_f64 + 0), 0}});
  hash(buffer_f64, 57, 8, 1);
  hash(f9205332_B, 49, 8, 1);
  hash(f9205332_C, 46, 8, 1);
  report("f9205332", 3);
  fill(buffer_f64, 57, 8, 1, 0, 5);
  fill(f9205332_B, 49, 8, 1, 0, 5);
  fill(f9205332_C, 46, 8, 1, 0, 5);
  f9205332(&(struct f9205332_s){.more = &(struct f9205332_s){(int)1, (int)1, (int)1, (int)20, (void *)(buffer_f64 + 0), 0}});
  hash(buffer_f64, 57, 8, 1);
  hash(f9205332_B, 49, 8, 1);
  hash(f9205332_C, 46, 8, 1);
  report("f9205332", 4);
  fill(buffer_f64, 57, 8, 1, 0, 6);
  fill(f9205332_B, 49, 8, 1, 0, 6);
  fill(f9205332_C, 46, 8, 1, 0, 6);
  f9205332(&(struct f9205332_s){.more = &(struct f9205332_s){(int)18, (int)38, (int)6, (int)22, (void *)(buffer_f64 + 0), 0}});
  hash(buffer_f64, 57, 8, 1);
  hash(f9205332_B, 49, 8, 1);
  hash(f9205332_C, 46, 8, 1);
  report("f9205332", 5);
  fill(buffer_f64, 57, 8, 1, 0, 7);
  fill(f9205332_B, 49, 8, 1, 0, 7);
  fill(f9205332_C, 46, 8, 1, 0, 7);
  f9205332(&(struct f9205332_s){.more = &(struct f9205332_s){(int)41, (int)32, (int)34, (int)33, (void *)(buffer_f64 + 2), 0}});
  hash(buffer_f64, 57, 8, 1);
  hash(f9205332_B, 49, 8, 1);
  hash(f9205332_C, 46, 8, 1);
  report("f9205332", 6);
  fill(buffer_f64, 57, 8, 1, 0, 8);
  fill(f9205332_B, 49, 8, 1, 0, 8);
  fill(f9205332_C, 46, 8, 1, 0, 8);
  f9205332(&(struct f9205332_s){.more = &(struct f9205332_s){(int)11, (int)14, (int)11, (int)35, (void *)(buffer_f64 + 9), 0}});
  hash(buffer_f64, 57, 8, 1);
  hash(f9205332_B, 49, 8, 1);
  hash(f9205332_C, 46, 8, 1);
  report("f9205332", 7);
  fill(buffer_f64, 57, 8, 1, 0, 9);
  fill(f9205332_B, 49, 8, 1, 0, 9);
  fill(f9205332_C, 46, 8, 1, 0, 9);
  f9205332(&(struct f9205332_s){.more = &(struct f9205332_s){(int)8, (int)4, (int)39, (int)2147483647, (void *)(buffer_f64 + 0), 0}});
  hash(buffer_f64, 57, 8, 1);
  hash(f9205332_B, 49, 8, 1);
  hash(f9205332_C, 46, 8, 1);
  report("f9205332", 8);
  return 0;
}
