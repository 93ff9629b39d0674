// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array is dead behind a SCoP if it is allocated in the function, its address goes nowhere, and nobody reads it before it is
// allocated again.
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-dump=%t -c %s -o /dev/null
// RUN: grep -A6 'name: a_' %t/freed.0.scop | %FileCheck %s --check-prefix=DEAD
// RUN: grep -A6 'name: a_' %t/each_time.0.scop | %FileCheck %s --check-prefix=DEAD
// RUN: grep -A6 'name: a_' %t/stack.0.scop | %FileCheck %s --check-prefix=DEAD
// RUN: grep -A6 'name: a_' %t/given.0.scop | %FileCheck %s --check-prefix=LIVE
// RUN: grep -A6 'name: a_' %t/read_behind.0.scop | %FileCheck %s --check-prefix=LIVE
// RUN: grep -A6 'name: a_' %t/told.0.scop | %FileCheck %s --check-prefix=LIVE
// RUN: grep -A6 'name: a_' %t/stored.0.scop | %FileCheck %s --check-prefix=LIVE
// RUN: grep -A6 'name: a_' %t/returned.0.scop | %FileCheck %s --check-prefix=LIVE
// RUN: grep -A6 'name: a_' %t/next_time.0.scop | %FileCheck %s --check-prefix=LIVE
// DEAD: live_out: false
// LIVE: live_out: true
#include <stdlib.h>
#define FILL                                                                                                                \
  for (int i = 0; i < n; i++)                                                                                               \
    a[i] = in[i] * 2;                                                                                                       \
  for (int i = 1; i < n; i++)                                                                                               \
    out[i] = a[i] + a[i - 1];
void use(void *);
extern float *kept;

void freed(int n, float *restrict in, float *restrict out)
{
  float *restrict a = malloc(n * sizeof(float));
  if (!a)
    return;
  FILL
  free(a);
}

void each_time(int n, int times, float *restrict in, float *restrict out)
{
  for (int t = 0; t < times; t++) {
    float *restrict a = malloc(n * sizeof(float));
    FILL
    use(out);
    free(a);
  }
}

void stack(int n, float *restrict in, float *restrict out)
{
  float a[1000];
  FILL
}

void given(int n, float *restrict in, float *restrict out, float *restrict a)
{
  FILL
}

float read_behind(int n, float *restrict in, float *restrict out)
{
  float *restrict a = malloc(n * sizeof(float));
  FILL
  use(out);
  float last = a[n / 2];
  free(a);
  return last;
}

void told(int n, float *restrict in, float *restrict out)
{
  float *restrict a = malloc(n * sizeof(float));
  FILL
  use(a);
  free(a);
}

void stored(int n, float *restrict in, float *restrict out)
{
  float *restrict a = malloc(n * sizeof(float));
  FILL
  kept = a;
}

float *returned(int n, float *restrict in, float *restrict out)
{
  float *restrict a = malloc(n * sizeof(float));
  FILL
  return a;
}

void next_time(int n, int times, float *restrict in, float *restrict out)
{
  float *restrict a = calloc(n, sizeof(float));
  for (int t = 0; t < times; t++) {
    for (int i = 1; i < n; i++)
      out[i] = a[i] + a[i - 1];
    for (int i = 0; i < n; i++)
      a[i] = in[i] * 2;
    use(out);
  }
  free(a);
}
