// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array of pointers to rows is rejected where its rows can't be checked: some may not be read, or they are swapped.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedRows
// CHECK: Function: {{ *}}some
// CHECK: Name: {{ *}}RejectedRows
// CHECK: Function: {{ *}}swapped

void some(double **restrict row, const int *restrict use, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (use[j])
        row[j][i] = 0;
}

void swapped(double **restrict row, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j++) {
      row[j][i] = 0;
      double *r = row[j];
      row[j] = row[j - 1];
      row[j - 1] = r;
    }
}
