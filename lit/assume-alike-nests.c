// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is assumed of a nest isn't taken for one that differs from it in the types of its parameters alone.
//
// RUN: %clang -O2 -g -S -o /dev/null -fpass-plugin=%plugin -Rpass-analysis=tessera %s 2>&1 | %FileCheck %s

void of_long(long n, long m, double a[n][m])
{
  // CHECK: alike-nests.c:[[@LINE+1]]:{{.*}} assuming {{.*}}2147483647 and {{.*}}2147483647
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      a[i][j] += 1.0;
}

void of_int(int n, int m, double a[n][m])
{
  // CHECK: alike-nests.c:[[@LINE+1]]:{{.*}} assuming {{.*}}-> {  :  }
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      a[i][j] += 1.0;
}

void of_long_again(long n, long m, double a[n][m])
{
  // CHECK: alike-nests.c:[[@LINE+1]]:{{.*}} assuming {{.*}}2147483647 and {{.*}}2147483647
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      a[i][j] += 1.0;
}
