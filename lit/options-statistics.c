// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -tessera-statistics=FILE appends one line a module: its isl operations, and its remarks by name.
// RUN: rm -f %t.txt
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-statistics=%t.txt -c %s -o %t.o
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-statistics=%t.txt -c %s -o %t.o
// RUN: %FileCheck %s < %t.txt
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -tessera-statistics=%t.d/no/file -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=NOWHERE
// CHECK: options-statistics.c operations={{[0-9]+}} Modelled=1 Transformed=1 RejectedVolatile=1{{$}}
// CHECK-NEXT: options-statistics.c operations={{[0-9]+}} Modelled=1 Unprofitable=1 RejectedVolatile=1{{$}}
// CHECK-NOT: {{.}}
// NOWHERE: tessera: can't write {{.*}}no/file

void add(double *restrict a, const double *restrict b, int n)
{
  for (int i = 0; i < n; i++)
    a[i] += b[i];
}

void wait_for(volatile int *a, int n)
{
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
