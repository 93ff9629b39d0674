// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More pairs of arrays that may overlap than are compared one by one: a loop over a table of their ranges does it. The new code
// runs where arrays are apart or adjacent, the original where two overlap, whichever they are; those that are only read may.
//
// RUN: %clang -O1 %s -DPLAIN -o %t.plain && %t.plain > %t.expected
// RUN: %source-ir %s | %tessera-opt -passes='tessera<force;only=stages>,verify' -o %t.ll
// RUN: %FileCheck %s < %t.ll
// RUN: sed 's/^tsr.new:.*/tsr.new:\n  store i32 1, ptr @is_new, align 4/' %t.ll > %t.seen.ll
// RUN: %clang -O2 -Wno-override-module %t.seen.ll -o %t && %t > %t.out
// RUN: diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -DPLAIN %s -o %t.fast && %t.fast > %t.out
// RUN: diff %t.expected %t.out

// CHECK-LABEL: define {{.*}}@stages
// CHECK: %tsr.ranges = alloca [16 x [3 x i128]]
// CHECK-COUNT-1: %tsr.apart = or i1
// CHECK-NOT: %tsr.apart{{[0-9]+}} = or i1
// CHECK-LABEL: define {{.*}}@main

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int is_new; // set where the new code begins

#define EIGHT(M, k) M(k##0) M(k##1) M(k##2) M(k##3) M(k##4) M(k##5) M(k##6) M(k##7)
#define PARAMETER(k) , int *a##k
#define ARGUMENT(k) , a[0x##k]
#define STAGE(k) for (int i = 1; i < n; i++) a0##k[i] = a1##k[i - 1] + a1##k[i] + k;

// Eight arrays are read, eight are written: 28 + 64 pairs.
__attribute__((noinline)) void stages(int n EIGHT(PARAMETER, 0) EIGHT(PARAMETER, 1))
{
  STAGE(0) STAGE(1) STAGE(2) STAGE(3) STAGE(4) STAGE(5) STAGE(6) STAGE(7)
}

enum { N = 40, ROOM = 16 * N + 8 };
static int room[ROOM];
static int *a[0x18];

static void show(int n, int expected)
{
  for (int i = 0; i < ROOM; i++)
    room[i] = i * i;
  is_new = 0;
  stages(n EIGHT(ARGUMENT, 0) EIGHT(ARGUMENT, 1));
  unsigned h = 0;
  for (int i = 0; i < ROOM; i++)
    h = h * 31 + room[i];
#ifdef PLAIN
  is_new = expected;
#endif
  printf("%d %x %s\n", n, h, is_new == expected ? "as expected" : is_new ? "new" : "old");
}

// Adjacent arrays: 0 .. 7 are written, 0x10 .. 0x17 read
static void place(void)
{
  for (int k = 0; k < 8; k++) {
    a[k] = room + 2 * k * N;
    a[0x10 + k] = room + (2 * k + 1) * N;
  }
}

int main(void)
{
  place();
  show(N, 1);
  show(7, 1);
  show(2, 1);
  place();
  for (int k = 0; k < 8; k++) // those that are read may be one
    a[0x10 + k] = a[0x10];
  show(N, 1);
  for (int k = 0; k < 8; k++) // each written one, a bit over the next or in it, whatever is there
    for (int shift = 1; shift < 2 * N - 2; shift += 13) {
      place();
      a[k] += shift;
      show(N, 0);
    }
  for (int k = 1; k < 8; k++) { // into the element that isn't written
    place();
    a[k] -= 1;
    show(N, 1);
  }
  place();
  a[3] = a[5];
  show(N, 0);
  place();
  a[0x17] = a[0];
  show(N, 0);
  // nothing is touched
  for (int k = 0; k < 0x18; k++)
    a[k] = (int *)(intptr_t)-8;
  show(1, 1);
  show(0, 1);
  show(-5, 1);
}
