// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// zinenko-cc18, section 5.3, names 2mm, 3mm, gemver, mvt and symm as kernels that gain from spatial locality: in the innermost
// point loop every access has stride 0 or 1, and the outermost loop stays parallel. As in the paper, symm's temporary is an array.
// Clusters of equal depth are fused along reuse: gemver's update of A and the product with its transpose read and write A once.
//
// RUN: rm -rf %t && mkdir %t %t/2mm %t/3mm %t/gemver %t/mvt %t/symm
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^kernel -mllvm -tessera-dump=%t/2mm -c %S/../bench/kernels/2mm.c -o /dev/null
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^kernel -mllvm -tessera-dump=%t/3mm -c %S/../bench/kernels/3mm.c -o /dev/null
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^kernel -mllvm -tessera-dump=%t/gemver -c %S/../bench/kernels/gemver.c -o /dev/null
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^kernel -mllvm -tessera-dump=%t/mvt -c %S/../bench/kernels/mvt.c -o /dev/null
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-dump=%t/symm -c %s -o /dev/null
// RUN: %tessera --force --budget=0 --schedule=spatial --measure --print=none %t/2mm/kernel.0.scop | %FileCheck %s
// RUN: %tessera --force --budget=0 --schedule=spatial --measure --print=none %t/3mm/kernel.0.scop | %FileCheck %s
// RUN: %tessera --force --budget=0 --schedule=spatial --measure --print=none %t/gemver/kernel.0.scop | %FileCheck %s
// RUN: %tessera --force --budget=0 --schedule=spatial --measure --print=none %t/mvt/kernel.0.scop | %FileCheck %s
// RUN: %tessera --force --budget=0 --schedule=spatial --measure --print=none %t/symm/symm.0.scop | %FileCheck %s
// RUN: %tessera --force --budget=0 --schedule=spatial --until=schedule %t/gemver/kernel.0.scop | %FileCheck %s --check-prefix=GEMVER

// CHECK: accesses=[[N:[0-9]+]] near=[[N]] outer=coincident members={{[23]}} fallback=none

// GEMVER: sequence:
// GEMVER-NEXT: filter: "[p_0] -> { S0[i1, i2]; S1[i3, i4] }"
// GEMVER-NEXT: child:
// GEMVER-NEXT: schedule: "[p_0] -> [{ S0[i1, i2] -> [(i2)]; S1[i3, i4] -> [(i3)] }, { S0[i1, i2] -> [(i1)]; S1[i3, i4] -> [(i4)] }]"
// GEMVER-NEXT: permutable: 1
// GEMVER-NEXT: coincident: [ 1, 0 ]

void symm(int n, int m, double C[restrict n][m], double A[restrict n][n], double B[restrict n][m], double T[restrict n][m],
          double alpha, double beta)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      T[i][j] = 0;
      for (int k = 0; k < i; k++) {
        C[k][j] += alpha * B[i][j] * A[i][k];
        T[i][j] += B[k][j] * A[i][k];
      }
      C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * T[i][j];
    }
}
