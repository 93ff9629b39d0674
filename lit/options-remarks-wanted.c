// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is looked at only because somebody wants remarks makes no difference for the code: functions whose loops all have
// calls aren't even cloned without remarks, nor are counters simplified in those that are too small.
//
// RUN: %clang -O3 -S -fpass-plugin=%plugin %s -o %t.quiet.s
// RUN: %clang -O3 -S -fpass-plugin=%plugin -Rpass=tessera -Rpass-missed=tessera %s -o %t.s 2>&1 | \
// RUN:   %FileCheck %s
// RUN: cmp %t.quiet.s %t.s
#define N 1000

void say(int);
double a[N][N], b[N][N], c[N][N];

void alone(void)
{
  for (int i = 0; i < N; i++)
    // CHECK-DAG: [[@LINE+1]]:{{.*}}not modelled: call of a function that may do anything
    for (int j = 0; j < N; j++)
      say(i + j);
}

void small(void)
{
  // CHECK-DAG: [[@LINE+1]]:{{.*}}left as it is: too few iterations
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      a[i][j] = b[j][i] + 1;
}

// A candidate once it is inlined: then it makes no call.
static void product(int loud)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++) {
        if (loud)
          say(k);
        a[i][j] += b[i][k] * c[k][j];
      }
}

// CHECK-DAG: loop nest transformed
void quiet(void)
{
  product(0);
}

struct bound {
  int n, m;
};

// The nests inside the loops with a call are looked for what is invariant one after the other.
void several(const struct bound *restrict p, double *restrict x, double *restrict y)
{
  for (int k = 0; k < p->n; k++) {
    say(k);
    for (int i = 0; i < p->m; i++)
      for (int j = 0; j < p->m; j++)
        x[i * p->m + j] += y[j * p->m + i];
    say(-k);
    for (int i = 0; i < p->m; i++)
      for (int j = 0; j < p->m; j++)
        y[i * p->m + j] += x[j * p->m + i] * x[i * p->m + j];
  }
}
