// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Minima and maxima are folds in whatever form they are written: in a scalar that is stored in the end, by a conditional
// store, over elements counted back from the one that is stored, or of the row before, by rows or by lengths. A conditional
// store that isn't one of the lesser or of the greater number keeps its order, and so does what else the scalar or the
// element is used for.
//
// RUN: %clang -O3 -gline-tables-only -march=x86-64-v4 -fpass-plugin=%plugin -Rpass=tessera -Rpass-missed=tessera -mllvm -tessera-only=fold_ \
// RUN:   -mllvm -tessera-machine=sapphirerapids -mllvm -tessera-print=ast -c -o /dev/null %s 2>&1 | %FileCheck %s
// RUN: %source-ir %s | %tessera-opt -passes='tessera<only=fold_sum;force>,verify' | %FileCheck %s --check-prefix=NSW
// RUN: %source-ir %s | sed 's/icmp slt i32/icmp samesign slt i32/' | %tessera-opt -passes='tessera<only=fold_store$;force>,verify' | %FileCheck %s --check-prefix=SIGN
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin %s -o %t.default && %t.default | diff %t.expected -
// RUN: %clang -O2 -march=x86-64-v2 -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t.v2 && %t.v2 | diff %t.expected -
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-position=late %s -o %t.late && %t.late | diff %t.expected -

// CHECK: tessera: fold_scalar
// CHECK: for (int [[J:c[0-9]+]] = [[K:c[0-9]+]]; [[J]] < [[I:c[0-9]+]]; [[J]] += 1)
// CHECK-NEXT: S{{[0-9]}}([[I]], [[J]], [[K]]);
// CHECK: remark: loop nest transformed
// CHECK: tessera: fold_sum
// CHECK: remark: loop nest transformed
// CHECK: tessera: fold_store
// CHECK: for (int [[J:c[0-9]+]] = [[K:c[0-9]+]];
// CHECK-NEXT: S{{[0-9]}}([[I:c[0-9]+]], [[J]], [[K]]);
// CHECK: remark: loop nest transformed
// CHECK: tessera: fold_store_greater
// CHECK: remark: loop nest transformed
// CHECK: tessera: fold_back
// CHECK: for (int [[J:c[0-9]+]] = [[K:c[0-9]+]];
// CHECK-NEXT: S{{[0-9]}}([[I:c[0-9]+]], [[J]], -[[K]] + [[J]]);
// CHECK: remark: loop nest transformed
// CHECK: tessera: fold_before
// CHECK: for (int [[J:c[0-9]+]] = [[K:c[0-9]+]];
// CHECK-NEXT: S{{[0-9]}}([[I:c[0-9]+]], [[J]], -[[K]] + [[J]]);
// CHECK: remark: loop nest transformed
// CHECK: tessera: fold_length
// CHECK: // vector
// CHECK-NEXT: for (int [[J:c[0-9]+]] = [[K:c[0-9]+]]; {{.*}}
// CHECK-NEXT: S{{[0-9]}}([[J]], -[[I:c[0-9]+]], [[K]]);
// CHECK: remark: loop nest transformed
// CHECK: fold_not_less
// CHECK: remark: loop nest left as it is
// CHECK: fold_counted
// CHECK-NOT: remark: loop nest transformed

// NSW-LABEL: define {{.*}}void @fold_sum
// NSW: tsr.loop:
// NSW-NOT: add nsw i32
// NSW: add i32
// NSW: store i32

// SIGN-LABEL: define {{.*}}void @fold_store(
// SIGN: [[LESS:%[0-9]+]] = icmp slt i32
// SIGN-NEXT: br i1 [[LESS]], label %tsr.inner

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline))

NOINLINE void fold_scalar(int n, const int *restrict rows, int cost[restrict n][n])
{
  for (int i = n - 1; i >= 0; i--) {
    cost[i][i] = 0;
    for (int j = i + 1; j < n; j++) {
      int best = INT_MAX;
      for (int k = i; k < j; k++) {
        int sum = cost[i][k] + cost[k + 1][j] + rows[i] * rows[k];
        best = sum < best ? sum : best;
      }
      cost[i][j] = best;
    }
  }
}

NOINLINE void fold_sum(int n, int count[restrict n][n])
{
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) {
      int sum = 1;
      for (int k = i + 1; k < j; k++)
        sum += count[i][k] * count[k][j];
      count[i][j] = sum;
    }
}

NOINLINE void fold_store(int n, const int *restrict rows, int cost[restrict n][n])
{
  for (int i = n - 1; i >= 0; i--) {
    cost[i][i] = 0;
    for (int j = i + 1; j < n; j++) {
      cost[i][j] = INT_MAX;
      for (int k = i; k < j; k++) {
        int sum = cost[i][k] + cost[k + 1][j] + rows[i] * rows[k];
        if (sum < cost[i][j])
          cost[i][j] = sum;
      }
    }
  }
}

NOINLINE void fold_store_greater(int n, unsigned cost[restrict n][n])
{
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++)
      for (int k = i; k < j; k++)
        if (!(cost[i][j] > cost[i][k] + cost[k + 1][j]))
          cost[i][j] = cost[i][k] + cost[k + 1][j];
}

NOINLINE void fold_back(int m, int n, const int *restrict gap, int score[restrict m][n])
{
  for (int i = 0; i < m; i++)
    for (int j = 1; j < n; j++)
      for (int k = 1; k <= j; k++) {
        int other = score[i][j - k] - gap[k];
        score[i][j] = score[i][j] > other ? score[i][j] : other;
      }
}

NOINLINE void fold_before(int m, int n, int gain[restrict m][n], int best[restrict m][n])
{
  for (int i = 1; i < m; i++)
    for (int j = 0; j < n; j++) {
      best[i][j] = best[i - 1][j];
      for (int k = 1; k <= j; k++) {
        int sum = best[i - 1][j - k] + gain[i][k];
        if (best[i][j] < sum)
          best[i][j] = sum;
      }
    }
}

// By lengths; the elements of one array are named along diagonals only.
NOINLINE void fold_length(int n, const int *restrict hits, int cost[restrict n + 2][n + 1], int weight[restrict n + 2][n + 1])
{
  for (int i = 1; i <= n + 1; i++)
    cost[i][i - 1] = weight[i][i - 1] = hits[i - 1];
  for (int length = 1; length <= n; length++)
    for (int i = 1; i <= n - length + 1; i++) {
      int j = i + length - 1;
      weight[i][j] = weight[i][j - 1] + hits[j];
      cost[i][j] = INT_MAX;
      for (int k = i; k <= j; k++) {
        int sum = cost[i][k - 1] + cost[k + 1][j] + weight[i][j];
        if (sum < cost[i][j])
          cost[i][j] = sum;
      }
    }
}

// The last one that is small enough, not the least.
NOINLINE void fold_not_less(int n, int limit, int cost[restrict n][n])
{
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++)
      for (int k = i; k < j; k++) {
        int sum = cost[i][k] + cost[k + 1][j];
        if (sum < limit)
          cost[i][j] = sum % 97;
      }
}

// How often was there a lesser one? That depends on the order.
NOINLINE void fold_counted(int n, int cost[restrict n][n], int count[restrict n][n])
{
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++)
      for (int k = i; k < j; k++) {
        int sum = cost[i][k] + cost[k + 1][j];
        if (sum < cost[i][j]) {
          cost[i][j] = sum;
          count[i][j]++;
        }
      }
}

static void fill(int *x, long n, int from, int to)
{
  for (long i = 0; i < n; i++)
    x[i] = (int)(i * 7 + i / 13 + i * i % 31) % (to - from) + from;
}

static void put(const char *name, const int *x, long n)
{
  unsigned long sum = 0;
  for (long i = 0; i < n; i++)
    sum = (sum ^ (unsigned)x[i]) * 1099511628211u;
  printf("%s %lx\n", name, sum);
}

int main(void)
{
  static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 97};
  for (unsigned s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
    int n = sizes[s], rows[100];
    long size = (long)n * n;
    int *x = malloc(size * sizeof(int)), *y = malloc(size * sizeof(int));
    fill(rows, 100, 1, 50);
    fill(x, size, 0, 90);
    fold_scalar(n, rows, (int(*)[n])x);
    put("scalar", x, size);
    fill(x, size, 0, 90);
    fold_store(n, rows, (int(*)[n])x);
    put("store", x, size);
    fill(x, size, 0, 9);
    fold_store_greater(n < 20 ? n : 20, (unsigned(*)[n < 20 ? n : 20])x);
    put("greater", x, size);
    fill(x, size, 0, 2);
    fold_sum(n < 20 ? n : 20, (int(*)[n < 20 ? n : 20])x);
    put("sum", x, size);
    fill(x, size, 0, 90);
    fold_back(n, n, rows, (int(*)[n])x);
    put("back", x, size);
    fill(x, size, 0, 90);
    fill(y, size, 0, 40);
    fold_before(n, n, (int(*)[n])y, (int(*)[n])x);
    put("before", x, size);
    fill(x, size, 0, 90);
    fold_not_less(n, 80, (int(*)[n])x);
    put("not less", x, size);
    fill(x, size, 0, 90);
    fill(y, size, 0, 1);
    fold_counted(n, (int(*)[n])x, (int(*)[n])y);
    put("counted", x, size);
    put("counts", y, size);
    int *cost = calloc((n + 2) * (n + 1), sizeof(int)), *weight = calloc((n + 2) * (n + 1), sizeof(int));
    fold_length(n, rows, (int(*)[n + 1])cost, (int(*)[n + 1])weight);
    put("length", cost, (n + 2) * (n + 1));
    free(cost);
    free(weight);
    free(x);
    free(y);
  }
}
