// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of what a structure holds, l.h * l.w, in a loop's condition and in subscripts: rotation makes phis of them, which
// are the same value all the time.
//
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -g -Rpass=tessera -Rpass-missed=tessera -Rpass-analysis=tessera %s -c -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -march=x86-64-v3 -DMAIN %s %t.o -o %t && %t
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force %s -c -o %t.o
// RUN: %clang -O2 -DMAIN %s %t.o -o %t && %t
//
// REQUIRES: native-avx2
//
// CHECK: invariant-products.c:[[#@LINE+22]]:3: remark: loop nest modelled: {{.*}}product
// CHECK: remark: loop nest transformed: {{.*}}in lanes
#include <stdio.h>
#include <string.h>

#ifdef MAIN
#define F(NAME) NAME##_plain
#else
#define F(NAME) NAME
#endif

typedef struct {
  int batch, c, h, w;
  float *output;
} layer;
typedef struct {
  float *input;
} network;

/* The mean of each channel */
void F(mean)(const layer l, network net)
{
  for (int b = 0; b < l.batch; ++b)
    for (int k = 0; k < l.c; ++k) {
      int at = k + b * l.c;
      l.output[at] = 0;
      for (int i = 0; i < l.h * l.w; ++i)
        l.output[at] += net.input[i + l.h * l.w * (k + b * l.c)];
      l.output[at] /= l.h * l.w;
    }
}

/* The same by a pointer. */
void F(by_pointer)(const layer *l, float *input)
{
  for (int k = 0; k < l->c; ++k)
    for (int i = 0; i < l->h * l->w; ++i)
      l->output[k] += input[i + l->h * l->w * k];
}

#ifdef MAIN
void mean(const layer l, network net);
void by_pointer(const layer *l, float *input);

int main(void)
{
  static float input[40000], out[2][600];
  static const int size[] = {0, 1, 3, 8, 16, 17, 33};
  int wrong = 0;
  for (int i = 0; i < 40000; i++)
    input[i] = (float)(i * 7919 % 1000) / 8;
  for (int t = 0; t < 7 * 7 * 7; t++) {
    layer l = {.batch = t % 3, .c = size[t % 7], .h = size[t / 7 % 7], .w = size[t / 49]};
    for (int k = 0; k < 2; k++) {
      memset(out[k], 0, sizeof(out[k]));
      l.output = out[k];
      if (l.batch * l.c * l.h * l.w <= 40000)
        (k ? mean_plain : mean)(l, (network){input});
      l.output += 300;
      if (l.c * l.h * l.w <= 40000)
        (k ? by_pointer_plain : by_pointer)(&l, input);
    }
    wrong += memcmp(out[0], out[1], sizeof(out[0])) != 0;
  }
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
#endif
