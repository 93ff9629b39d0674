// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -tessera-influence steers the compiler, too: the wish is fulfilled, and a remark says along which branch; a file that can't
// be used leaves the code as it was, with a remark that says where it is wrong.
//
// RUN: rm -rf %t && %split-file %s %t
// RUN: %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-tile-sizes=1 -mllvm -tessera-influence=%t/good.yaml -mllvm -tessera-print=schedule -Rpass-analysis=tessera -S %t/copy.c -o /dev/null 2>&1 | %FileCheck %s
// RUN: %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-influence=%t/bad.yaml -Rpass-missed=tessera -S %t/copy.c -o %t/bad.s 2>&1 | %FileCheck %s --check-prefix=BAD
// RUN: %clang -O2 -g -S %t/copy.c -o %t/without.s
// RUN: diff %t/bad.s %t/without.s

// CHECK: S0[i0, i1] -> [(i1)]
// CHECK-SAME: S0[i0, i1] -> [(i0)]
// CHECK: remark: steering: {{.*}}dimension 0, branch 'two': no row keeps the dependences; the next alternative;branch 'columns first' was followed to its end, 1 dimensions [-Rpass-analysis=tessera]

// BAD: copy.c:3:3: remark: loop nest left as it is, the influence tree or strategy can't be used: {{.*}}bad.yaml:4:9: in 'S7.i0 == 0': there is no statement 'S7'; expected one of S0; stage: schedule [-Rpass-missed=tessera]

//--- copy.c
void copy(double a[restrict 100][100], const double b[restrict 100][100])
{
  for (int i = 0; i < 100; i++)
    for (int j = 0; j < 100; j++)
      a[i][j] = b[i][j];
}
//--- good.yaml
branches:
  - name: two
    constraints:
      - 2 S0.i0 == 1
  - name: columns first
    constraints:
      - S0.i0 == 0
//--- bad.yaml
branches:
  - name: a
    constraints:
      - S7.i0 == 0
