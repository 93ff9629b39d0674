// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bound or base in memory is loaded in front of the nest; where a store of the nest overwrites it, the original runs.
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -gline-tables-only -Rpass=tessera %s -o %t 2>&1 \
// RUN:   | %FileCheck %s
// RUN: %t > %t.out
// RUN: diff %t.expected %t.out
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t && %t > %t.out
// RUN: diff %t.expected %t.out

// CHECK-COUNT-5: loop nest transformed

#include <stdio.h>
#include <string.h>

struct matrix {
  int *n, *m, *data;
};

__attribute__((noinline)) void scale(struct matrix *a)
{
  for (int i = 0; i < *a->n; i++)
    for (int j = 0; j < *a->m; j++)
      a->data[i * *a->m + j] = a->data[i * *a->m + j] & 1;
}

__attribute__((noinline)) void add(struct matrix *a, struct matrix *b)
{
  for (int i = 0; i < *a->n; i++)
    for (int j = 0; j < *a->m; j++)
      a->data[i * *a->m + j] ^= 1 & b->data[j * *b->m + i];
}

/* the first store comes before the loads of the second nest */
__attribute__((noinline)) void two(int *x, int *n, int *k)
{
  for (int i = 0; i < *n; i++)
    x[i] = i;
  for (int i = 0; i < *k; i++)
    x[i] += x[i + 1] % 2;
}

/* a local array that escapes behind the place where its pointer's proxy stands */
struct holder {
  double *p;
  int n;
};
__attribute__((noinline)) void hide(struct holder *h, double *p)
{
  h->p = p;
}
__attribute__((noinline)) double local(struct holder *h)
{
  double buf[40];
  for (int i = 0; i < 40; i++)
    buf[i] = i;
  hide(h, buf + 1);
  double sum = 0;
  for (int i = 0; i < h->n; i++)
    h->p[i] = buf[i] * 0.5 + 1;
  for (int i = 0; i < 40; i++)
    sum = sum * 0.5 + buf[i];
  return sum;
}

static int memory[4000];

static void print(const char *name)
{
  unsigned long hash = 0;
  for (int i = 0; i < 4000; i++)
    hash = hash * 31 + (unsigned)memory[i];
  printf("%s %lx\n", name, hash);
}

int main(void)
{
  for (int at = 0; at < 60; at++) {
    for (int i = 0; i < 4000; i++)
      memory[i] = i % 13;
    struct matrix a = {memory + at, memory + at * 7 % 60, memory + 10}, b = {memory, memory + 3, memory + 20 + at};
    *a.n = 5, *a.m = 4;
    scale(&a);
    print("scale");
    *a.n = 5, *a.m = 4, *b.m = 6;
    add(&a, &b);
    print("add");
    int *x = memory + 1000;
    x[at % 9] = 7, x[30 + at % 5] = 9;
    two(x, x + at % 9, x + 30 + at % 5);
    print("two");
  }
  struct holder h = {NULL, 39};
  printf("%a\n", local(&h));
}
