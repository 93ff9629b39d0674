// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feautrier's step schedules nussinov by rows such as 4 j + 3, of which only every fourth value is there. The cost model once took
// them all for iterations, found the loops inside of the middle one empty, and expected eleven times the speed of what is slower.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-only=^kernel -mllvm -tessera-dump=%t -c %S/../bench/kernels/nussinov.c -o /dev/null
// RUN: %tessera --schedule=feautrier --budget=0 --measure --print=none %t/kernel.0.scop 2>&1 | %FileCheck %s

// CHECK: unprofitable
