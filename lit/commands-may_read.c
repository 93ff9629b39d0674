// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only a condition in the loop lets the program load is not loaded into a buffer: it need not exist. What it loads or
// stores anyway is.
// RUN: rm -rf %t && %split-file %s %t
// RUN: %not %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-commands=%t/maybe -c %t/some.c -o /dev/null \
// RUN:   2>&1 | %FileCheck %s
// CHECK: loads what the original may not touch
// RUN: %clang -O2 -g -fpass-plugin=%plugin -mllvm -tessera-commands=%t/sure -mllvm -tessera-dump=%t -c %t/some.c -o /dev/null \
// RUN:   -Rpass=tessera 2>&1 | %FileCheck %s --check-prefix=SURE
// SURE: loop nest transformed: as commanded
// RUN: %FileCheck %s --check-prefix=DUMP < %t/some.0.scop
// DUMP:      - read: "{ S0[i1, i2] -> M_{{[0-9]}}[i1, i2] }"
// DUMP-NEXT: - read: "{ S0[i1, i2] -> A_{{[0-9]}}[i1, i2] }"
// DUMP-NEXT:   maybe: true

//--- maybe
some:
  B.cache_local_at(i, A)
//--- sure
some:
  B.cache_local_at(i, M)
//--- some.c
void some(int n, const int (*restrict M)[8], const double (*restrict A)[8], double (*restrict B)[8]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 8; j++) {
      double x = 1;
      if (M[i][j] > 3)
        x = A[i][j] * 2;
      B[i][j] = x;
    }
}
