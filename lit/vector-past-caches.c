// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that write rows of large arrays store whole lines past the caches: what they write isn't fetched first. Only where
// that much is written, which is asked at run time, and where nothing in the nest reads it; what is in front of the first line
// and behind the last one is stored as usual. A fence is behind it all.
//
// RUN: echo '{base: znver4, stream-bytes: 256}' > %t.yaml
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -g -fpass-plugin=%plugin -mllvm -tessera-machine=%t.yaml -Rpass=tessera -Rpass-missed=tessera %s -o %t 2> %t.remarks
// RUN: %t > %t.out && diff %t.expected %t.out
// RUN: %FileCheck %s --input-file=%t.remarks
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-machine=%t.yaml -S -emit-llvm %s -o %t.ll
// RUN: %FileCheck %s --check-prefix=IR --input-file=%t.ll
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force -mllvm -tessera-machine=%t.yaml %s -o %t && %t > %t.out
// RUN: diff %t.expected %t.out
//
// By command, also where it isn't known to be faster; not where iterations depend on each other.
// RUN: echo 'five: S0.stream(j)' > %t.commands
// RUN: %clang -O3 -g -fpass-plugin=%plugin -mllvm -tessera-commands=%t.commands -S -emit-llvm %s -o %t.ll
// RUN: %FileCheck %s --check-prefix=COMMAND --input-file=%t.ll
// RUN: %clang -O3 -march=x86-64 -fpass-plugin=%plugin -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=OTHER
// RUN: echo 'twice: S0.stream(j)' > %t.commands
// RUN: %not %clang -O3 -g -fpass-plugin=%plugin -mllvm -tessera-commands=%t.commands -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=WRONG
// OTHER-NOT: !nontemporal
// WRONG: error: {{.*}}depend on each other
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// IR-LABEL: define {{.*}}@five
// IR: store <{{[0-9]+}} x float> {{.*}}, align 64, {{.*}}!nontemporal
// IR: @llvm.x86.sse.sfence()
// COMMAND-LABEL: define {{.*}}@five
// COMMAND: !nontemporal
// CHECK: :[[@LINE+3]]:3: remark: loop nest transformed: {{.*}}, stores past the caches where there is much data in 1
__attribute__((noinline)) static void five(int h, int w, float (*restrict to)[w], float (*restrict from)[w])
{
  for (int i = 1; i < h - 1; i++)
    for (int j = 1; j < w - 1; j++)
      to[i][j] = from[i][j] + from[i][j - 1] + from[i][j + 1] + from[i - 1][j] + from[i + 1][j];
}

// Halves of lines at rows' ends, elements of other sizes, values of which each fills but a part of a vector.
// CHECK: :[[@LINE+3]]:3: remark: loop nest transformed: {{.*}}, stores past the caches
__attribute__((noinline)) static void narrow(int h, int w, uint8_t (*restrict to)[w], float (*restrict from)[w])
{
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++)
      to[i][j] = (uint8_t)(from[i][j] * 3.0f);
}

// CHECK: :[[@LINE+3]]:3: remark: loop nest transformed: {{.*}}, stores past the caches
__attribute__((noinline)) static void scaled(int h, int w, double (*restrict to)[w], double (*restrict from)[w], double by)
{
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++)
      to[i][j] = from[i][j] * by;
}

// Rows that are written from their ends on, columns, and rows with gaps are loops as usual, whoever asks for more.
// RUN: echo 'mirrored: S0.stream(j)' > %t.commands && echo 'down: S0.stream(i)' >> %t.commands
// RUN: echo 'gaps: S0.stream(j)' >> %t.commands && echo 'backwards: S0.stream(j)' >> %t.commands
// RUN: %clang -O3 -g -fpass-plugin=%plugin -mllvm -tessera-machine=%t.yaml -mllvm -tessera-commands=%t.commands %s -o %t
// RUN: %t > %t.out && diff %t.expected %t.out
// CHECK-NOT: :[[@LINE+3]]:3: remark: {{.*}}stores past the caches
__attribute__((noinline)) static void mirrored(int h, int w, float (*restrict to)[w], float (*restrict from)[w])
{
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++)
      to[i][w - 1 - j] = from[i][j] * 3;
}

__attribute__((noinline)) static void backwards(int h, int w, float (*restrict to)[w], float (*restrict from)[w])
{
  for (int i = 0; i < h; i++)
    for (int j = w - 1; j >= 0; j--)
      to[i][j] = from[i][j] * 5;
}

__attribute__((noinline)) static void down(int h, int w, float (*restrict to)[w], float (*restrict from)[w])
{
  for (int j = 0; j < w; j++)
    for (int i = 0; i < h; i++)
      to[i][j] = from[i][j] * 7;
}

__attribute__((noinline)) static void gaps(int h, int w, float (*restrict to)[w][2], float (*restrict from)[w][2])
{
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++)
      to[i][j][1] = from[i][j][0] * 9;
}

// What is read again stays in a cache.
// CHECK-NOT: :[[@LINE+3]]:3: remark: {{.*}}stores past the caches
__attribute__((noinline)) static void updated(int h, int w, float (*restrict to)[w], float (*restrict from)[w])
{
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++)
      to[i][j] += from[i][j];
}

// WRONG-NOT: transformed
__attribute__((noinline)) static void twice(int h, int w, float (*restrict to)[w])
{
  for (int i = 0; i < h; i++)
    for (int j = 1; j < w; j++)
      to[i][j] += to[i][j - 1];
}

#define MOST (67 * 140)
static float from[MOST + 20];
static double wide[MOST + 20], wider[MOST + 20];
static float to[MOST + 20];
static uint8_t bytes[MOST + 20];

static double sum(int n)
{
  double all = 0;
  for (int i = 0; i < n; i++) {
    all += (to[i] + 2 * wider[i] + 3 * bytes[i]) * (i % 13 + 1);
    to[i] = (float)(i % 5);
    wider[i] = bytes[i] = (uint8_t)(i % 3);
  }
  return all;
}

int main(void)
{
  static const int size[] = {0, 1, 2, 3, 15, 16, 17, 31, 33, 48, 64, 65, 67};
  enum { N = sizeof(size) / sizeof(*size) };
  for (int i = 0; i < MOST + 20; i++) {
    from[i] = (float)(i % 83) / 3;
    wide[i] = from[i] * 2;
  }
  for (int a = 0; a < N; a++)
    for (int b = 0; b < N; b++)
      for (int at = 0; at < 18; at += 1 + (a != b) * 4) {
        int h = size[a], w = 2 * size[b];
        five(h, w, (void *)(to + at), (void *)from);
        narrow(h, w, (void *)(bytes + at), (void *)(from + 1));
        scaled(h, w, (void *)(wider + at), (void *)wide, 1.25);
        printf("%d %d %d %.17g", h, w, at, sum(MOST + 20));
        mirrored(h, w, (void *)(to + at), (void *)from);
        printf(" %.17g", sum(MOST + 20));
        backwards(h, w, (void *)(to + at), (void *)from);
        printf(" %.17g", sum(MOST + 20));
        down(h, w, (void *)(to + at), (void *)from);
        printf(" %.17g", sum(MOST + 20));
        gaps(h, w / 2, (void *)(to + at), (void *)from);
        printf(" %.17g", sum(MOST + 20));
        updated(h, w, (void *)(to + at), (void *)from);
        twice(h, w, (void *)(to + at));
        printf(" %.17g\n", sum(MOST + 20));
      }
  return 0;
}
