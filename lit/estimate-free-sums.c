// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums and maxima of integers, of numbers that lie next to each other, are vectors in the original, too, where they are in a
// register. Through memory they aren't, nor where the numbers are rows apart: there lanes are what pays. Conditions that a
// loop's iterator doesn't change are tested in front of it, and cost nothing in it at any size.
//
// RUN: %clang -O3 -march=znver4 -gline-tables-only -fpass-plugin=%plugin -Rpass=tessera -Rpass-missed=tessera -c -o /dev/null %s 2>&1 | %FileCheck %s

// CHECK: [[#@LINE+3]]:3: remark: loop nest left as it is
void in_register(int n, const int a[restrict n][n], int *restrict s)
{
  for (int i = 0; i < n; i++) {
    int best = 0;
    for (int j = 0; j < n; j++)
      best = a[i][j] > best ? a[i][j] : best;
    s[i] = best;
  }
}

// CHECK: [[#@LINE+3]]:3: remark: loop nest transformed
void rows_apart(int n, const int a[restrict n][n], int *restrict s)
{
  for (int i = 0; i < n; i++) {
    int best = 0;
    for (int j = 0; j < n; j++)
      best = a[j][i] > best ? a[j][i] : best;
    s[i] = best;
  }
}

// One of two folds is by rows, the other by columns: each runs in a part of the same loop.
// CHECK: [[#@LINE+3]]:3: remark: loop nest transformed{{.*}}runs where {{.*}} >= {{[0-9]?[0-9]}} [
void gaps(int m, int n, const int *restrict gap, int score[restrict m + 1][n + 1])
{
  for (int i = 1; i <= m; i++)
    for (int j = 1; j <= n; j++) {
      int best = 0;
      for (int k = 1; k <= i; k++)
        best = best > score[i - k][j] - gap[k] ? best : score[i - k][j] - gap[k];
      for (int k = 1; k <= j; k++)
        best = best > score[i][j - k] - gap[k] ? best : score[i][j - k] - gap[k];
      score[i][j] = best;
    }
}
