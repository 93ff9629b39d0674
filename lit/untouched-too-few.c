// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nests with few iterations are not even modelled, unless somebody wants to hear of them: the object is the same, and so are the
// remarks.
//
// RUN: %clang -O3 -fpass-plugin=%plugin -c %s -o %t.quiet.o
// RUN: %clang -O3 -fpass-plugin=%plugin -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: cmp %t.quiet.o %t.o
// RUN: rm -f %t.txt
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-statistics=%t.txt -c %s -o %t.o
// RUN: %FileCheck %s --check-prefix=STATISTICS < %t.txt

// CHECK: nest not modelled: volatile
// CHECK: nest left as it is: too few iterations to gain from a transformation
// CHECK: nest left as it is: too few iterations to gain from a transformation
// CHECK: nest transformed
// STATISTICS-DAG: RejectedVolatile=1
// STATISTICS-DAG: Unprofitable=2
// STATISTICS-DAG: Transformed=1

void wait_for(volatile int *a)
{
  for (int i = 0; i < 8; i++)
    a[i] = 0;
}

void scale(double *a, int n)
{
  if (n > 0)
    for (int i = 0; i < n - 3; i += 4)
      a[i] *= 2;
}

// The condition asks for a large m, but i goes no further than 20.
void add(double *restrict a, const double *restrict b, int m)
{
  for (int i = 0; i < 20; i++)
    if (m > 100000)
      a[i] += b[i];
}

// And here it makes many iterations.
void sum_columns(int n, double a[n][n], double *restrict s)
{
  if (n > 2000)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        s[j] += a[i][j];
}
