// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A buffer that a command asks for, in code that may call nothing of the library's: the nest stays as it is, which is an
// error.
// RUN: rm -rf %t && %split-file %s %t
// RUN: %not %clang -O2 -g -ffreestanding -fpass-plugin=%plugin -mllvm -tessera-commands=%t/commands -c %t/copy.c \
// RUN:   -o /dev/null -Rpass-missed=tessera -Rpass=tessera 2>&1 | %FileCheck %s
// CHECK: remark: loop nest not modelled: buffer that the new code would need can't be made; suggestion: allow calls of malloc
// CHECK-NOT: transformed
// CHECK: error: tessera: commands for 'copy.0' can't be obeyed: there is no code for this

//--- commands
copy:
  A.cache_local_at(i, B)
//--- copy.c
void copy(int n, int m, float A[restrict n][m], float B[restrict n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      A[i][j] = B[i][j] + B[i][m - 1 - j];
}
