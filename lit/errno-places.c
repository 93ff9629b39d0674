// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that may set errno beside an array that might be where errno is: seen at run time. Where it is there, all is as before.
//
// RUN: %clang -O1 -fmath-errno %s -o %t.plain -lm && %t.plain > %t.expected
// RUN: %clang -O2 -fmath-errno -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -gline-tables-only \
// RUN:   -Rpass=tessera -Rpass-missed=tessera %s -o %t -lm 2>&1 | %FileCheck %s
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %source-ir -fmath-errno %s | %tessera-opt -passes='tessera<force;only=test_roots>,verify' | %FileCheck %s --check-prefix=IR
// RUN: %clang -O2 -fmath-errno -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-only=^test_ -gline-tables-only \
// RUN:   -Rpass=tessera -Rpass-missed=tessera -c %s -o %t.o --target=x86_64-linux-android -nostdinc -DBARE 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=UNKNOWN

// CHECK: loop nest transformed
// UNKNOWN: call that sets errno beside an access that may read it
// IR: call ptr @__errno_location()
#ifdef BARE
float sqrtf(float);
#else
#include <errno.h>
#include <math.h>
#include <stdio.h>
#endif

__attribute__((noinline)) void test_roots(int n, int *out, const float *in)
{
  for (int i = 0; i < n; i++)
    out[i] = (int)sqrtf(in[i]);
}

#ifndef BARE
int main(void)
{
  float in[40];
  int out[40] = {0}, seen = 0;
  for (int i = 0; i < 40; i++)
    in[i] = i * i;
  errno = 7;
  test_roots(40, out, in);
  printf("%d %d\n", errno, out[39]);
  in[5] = -1;
  out[5] = 0;
  test_roots(5, out, in);
  printf("%d\n", errno);
  in[0] = -1;
  in[1] = 9;
  for (int shift = 0; shift < 2; shift++) { // an element of it is errno: the last store to it counts
    int *place = &errno;
    errno = 0;
    test_roots(1, place, in + shift);
    seen = errno;
    printf("%d\n", shift ? seen : seen != 0);
  }
}
#endif
