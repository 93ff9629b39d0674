// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields of one structure are one array, and the shortest way along it is to count its elements: loops over rows and columns are
// the same order, and need no divisions. The same bit for bit.
//
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -tessera-print=ast %s -c -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -ffp-contract=off -DMAIN %s %t.o -o %t && %t
// CHECK: for (int c0 = 0; c0 <= 255; c0 += 1)
// CHECK: for (int c1 = 0; c1 <= 255; c1 += 1)
// CHECK-NOT: % 256
// CHECK: S0(c1, c0)
#include <stdio.h>
#include <string.h>

#ifdef MAIN
#define F(NAME) NAME##_plain
#else
#define F(NAME) NAME
#endif

struct fields {
  float a[100];
  int gap[3];
  float aa[256][256], bb[256][256], cc[256][256];
};
#ifdef MAIN
struct fields g;
#else
extern struct fields g;
#endif

/* Down the columns. */
void F(columns)(void)
{
  for (int i = 0; i < 256; i++)
    for (int j = 0; j < 256; j++)
      g.aa[j][i] = g.aa[j][i] + g.bb[j][i] * g.cc[j][i];
}

#ifdef MAIN
void columns(void);
static struct fields before;

int main(void)
{
  float *all = (float *)&g;
  for (size_t i = 0; i < sizeof(g) / sizeof(float); i++)
    all[i] = (float)(i % 37);
  before = g;
  columns();
  struct fields after = g;
  g = before;
  columns_plain();
  return memcmp(&g, &after, sizeof(g)) != 0;
}
#endif
