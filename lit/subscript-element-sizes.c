// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields of several sizes, and one buffer accessed at two sizes: each access covers several elements of the smaller size.
//
// RUN: %clang -O2 -fno-strict-aliasing %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fno-strict-aliasing -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera %s -o %t 2>&1 \
// RUN:   | %FileCheck %s
// RUN: %t > %t.out
// RUN: diff %t.expected %t.out
// RUN: %clang -O2 -fno-strict-aliasing -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-tile-sizes=3 %s -o %t && %t > %t.out
// RUN: diff %t.expected %t.out

// CHECK-COUNT-6: loop nest transformed

#include <stdint.h>
#include <stdio.h>

struct item {
  int key;
  short flag[2];
  long value[3];
};

__attribute__((noinline)) void fields(struct item *a, int n)
{
  for (int i = 1; i < n; i++)
    for (int k = 0; k < 3; k++) {
      a[i].value[k] += a[i - 1].key;
      a[i].key += (int)a[i - 1].value[2 - k];
      a[i].flag[1] ^= a[i - 1].flag[0];
    }
}

/* each int is half of a long */
__attribute__((noinline)) void halves(long *a, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      ((int *)a)[i * n + j] += (int)a[j * n + i];
}

__attribute__((noinline)) void widen(int *a, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      *(long *)(a + 2 * (i * n + j)) = a[i * n + j];
}

/* elements that straddle two others */
__attribute__((noinline)) void straddle(int *a, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      *(long __attribute__((aligned(4))) *)(a + i + j) += a[n - i + j];
}

/* a row size in bytes */
__attribute__((noinline)) void pitch(char *a, long bytes, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      *(int *)(a + i * bytes + 4 * j) += *(int *)(a + j * bytes + 4 * i);
}

__attribute__((noinline)) void pitches(char *a, long bytes, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      *(long *)(a + i * bytes + 8 * j) += *(int *)(a + j * bytes + 4 * i);
}

static long memory[4000];

static void print(const char *name)
{
  uint64_t hash = 0;
  for (int i = 0; i < 4000; i++)
    hash = hash * 31 + (uint64_t)memory[i];
  printf("%s %lx\n", name, hash);
}

int main(void)
{
  for (int i = 0; i < 4000; i++)
    memory[i] = i % 23 * 0x10000000fl;
  for (int n = 0; n < 30; n += 7) {
    fields((struct item *)memory, n), print("fields");
    halves(memory, n), print("halves");
    widen((int *)memory, n), print("widen");
    straddle((int *)memory + n % 2, n), print("straddle");
    pitch((char *)memory, 120, n), pitch((char *)memory, 128, n), pitch((char *)memory, 8, n), print("pitch");
    pitch((char *)memory, 121 - 1, n), pitch((char *)(memory + 1000), -40, n), pitch((char *)memory, 0, n), print("pitch");
    pitches((char *)memory, 240, n), pitches((char *)memory, 16, n), print("pitches");
  }
}
