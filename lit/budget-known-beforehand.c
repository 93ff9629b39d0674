// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What there is no budget for is told before it is spent: dependences, by their pairs of accesses; the model of a loop that has
// none inside, by a small share, as it asks of three numbers modulo others if they are between parameters.
//
// RUN: %tessera --until=dependences --print=none --time --budget=1000 %S/../test/scops/gemm.scop 2>&1 | %FileCheck %s --check-prefix=PAIRS
// PAIRS: out of budget: a third of the budget of 1000 isl operations ran out in stage dependences
// PAIRS: {{^}}dependences {{.*}} 0{{$}}
//
// RUN: rm -f %t.txt && %clang -O3 -march=znver4 -fpass-plugin=%plugin -c %s -o %t.o -Rpass-missed=tessera -mllvm -tessera-statistics=%t.txt 2>&1 | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=LOOP --input-file=%t.txt
// CHECK: loop nest left as it is, the operation budget ran out; stage: model
// LOOP: operations={{[0-9]?[0-9]?[0-9]?[0-9]?[0-9]?[0-9]}} BudgetExhausted=1

double u[64][64][64], sum;
int start[3], end[3];

void checksum(void)
{
  double all = 0;
  for (int j = 1; j <= 1024; j++) {
    int q = j % 64 + 1;
    if (q >= start[0] && q <= end[0]) {
      int r = 3 * j % 64 + 1;
      if (r >= start[1] && r <= end[1]) {
        int s = 5 * j % 64 + 1;
        if (s >= start[2] && s <= end[2])
          all += u[s - start[2]][r - start[1]][q - start[0]];
      }
    }
  }
  sum = all;
}
