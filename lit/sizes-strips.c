// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What strips of time steps gain is of caches alone: where all arrays fit into the first one, the original runs. How many time
// steps there are tells nothing of that, nor does an array that has an element for each of them.
//
// RUN: %clang -O2 -march=sapphirerapids -gline-tables-only -fpass-plugin=%plugin -Rpass=tessera -c %s -o %t.o 2>&1 | %FileCheck %s
//
// In short vectors instructions take longer than lines from the second cache: there, all arrays must be larger than that, which
// may be larger than the 512 KB that are assumed.
// RUN: %clang -O2 -march=x86-64-v3 -gline-tables-only -fpass-plugin=%plugin -Rpass=tessera -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=SHORT
//
// Commands that say the same ask for the same.
// RUN: %clang -O2 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -tessera-print=commands -c %s -o %t.1.o 2> %t.commands
// RUN: %clang -O2 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -tessera-commands=%t.commands -c %s -o %t.2.o && cmp %t.1.o %t.2.o

// SHORT: [[@LINE+4]]:3: remark: loop nest transformed: {{.*}}; runs where {{(p_0 >= [1-9] and )?}}p_2 >= 384 and p_4 >= 384 [
// CHECK: [[@LINE+3]]:3: remark: loop nest transformed: {{.*}}; runs where {{(p_0 >= [1-9] and )?}}p_2 >= {{[1-9][0-9]+}} and p_4 >= {{48|64|96}} [
void smooth(int steps, int m, int n, double *restrict a, double *restrict b)
{
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i <= m; i++)
      for (int j = 1; j <= n; j++)
        b[i * (n + 2) + j] =
            0.2 * (a[i * (n + 2) + j] + a[i * (n + 2) + j - 1] + a[i * (n + 2) + j + 1] + a[(i - 1) * (n + 2) + j] + a[(i + 1) * (n + 2) + j]);
    for (int i = 1; i <= m; i++)
      for (int j = 1; j <= n; j++)
        a[i * (n + 2) + j] =
            0.2 * (b[i * (n + 2) + j] + b[i * (n + 2) + j - 1] + b[i * (n + 2) + j + 1] + b[(i - 1) * (n + 2) + j] + b[(i + 1) * (n + 2) + j]);
  }
}

// CHECK: [[@LINE+3]]:3: remark: loop nest transformed: {{.*}}; runs where {{(p_0 >= [1-9] and )?}}p_2 >= {{48|64|96}} and p_4 - 1 >= {{48|64|96}} [
void waves(int steps, int m, int n, double ex[restrict m][n], double ey[restrict m][n], double hz[restrict m][n], double edge[restrict steps])
{
  for (int t = 0; t < steps; t++) {
    for (int j = 0; j < n; j++)
      ey[0][j] = edge[t];
    for (int i = 1; i < m; i++)
      for (int j = 0; j < n; j++)
        ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
    for (int i = 0; i < m; i++)
      for (int j = 1; j < n; j++)
        ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
    for (int i = 0; i < m - 1; i++)
      for (int j = 0; j < n - 1; j++)
        hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
}
