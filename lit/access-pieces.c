// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subscripts that have one form in most iterations and others at borders, or one for even and one for odd iterations: loops are
// taken apart, and addresses are computed from the form that subscripts have there. Filters with clamped and periodic borders,
// loops over taps inside of them, half and double resolution.
//
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -g -Rpass=tessera %s -o %t 2> %t.remarks && %t > %t.out && diff %t.expected %t.out
// RUN: %FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -tessera-force %s -o %t && %t > %t.out && diff %t.expected %t.out
// RUN: %clang -O1 -fpass-plugin=%plugin -mllvm -tessera-only=^clamped$ -S -emit-llvm %s -o %t.ll
// RUN: awk '/^[0-9]+:/ {block = ""} {block = block "\n" $0} /store.*access.group/ {print block; exit}' %t.ll | %FileCheck %s
#include <stdio.h>
#include <string.h>

#define LESS(a, b) ((a) < (b) ? (a) : (b))
#define CLAMP(x, n) ((x) < 0 ? 0 : (x) > (n) - 1 ? (n) - 1 : (x))
#define MIRROR(x, n) ((x) < 0 ? -(x) : (x) > (n) - 1 ? 2 * (n) - 2 - (x) : (x))
#define FORM(name) __attribute__((noinline)) static void name(int h, int w, float (*restrict a)[w], float (*restrict b)[w])
#define EACH                                                                                                                \
  for (int i = 0; i < h; i++)                                                                                               \
    for (int j = 0; j < w; j++)

// In the middle there is no choice left.
// CHECK-NOT: {{smax|smin|select}}
// CHECK: store float {{.*}} !llvm.access.group
// REMARK: :[[@LINE+3]]:3: remark: loop nest transformed: {{.*}} runs where w >=
FORM(clamped)
{
  EACH b[i][j] = a[i][CLAMP(j - 2, w)] + a[i][CLAMP(j - 1, w)] + a[i][j] + a[i][CLAMP(j + 1, w)] + a[i][CLAMP(j + 2, w)];
}

// REMARK: :[[@LINE+3]]:3: remark: loop nest transformed:
FORM(clamped_both)
{
  EACH b[i][j] = a[CLAMP(i - 1, h)][CLAMP(j - 1, w)] + a[i][CLAMP(j + 1, w)] + a[CLAMP(i + 1, h)][j];
}

// REMARK: :[[@LINE+3]]:3: remark: loop nest transformed:
FORM(periodic)
{
  EACH b[i][j] = a[i][j == 0 ? w - 1 : j - 1] + a[i][j] + a[i][j == w - 1 ? 0 : j + 1];
}

// REMARK: :[[@LINE+3]]:3: remark: loop nest transformed:
FORM(remainder)
{
  EACH b[i][j] = a[(i + 1) % h][(j + w - 1) % w] + a[i][(j + 1) % w];
}

// REMARK: :[[@LINE+3]]:3: remark: loop nest transformed:
FORM(threefold)
{
  EACH b[i][j] = a[i / 3][j / 3] + a[i][j];
}

// Loops over taps are unrolled by LLVM: the loop around them is taken apart.
// REMARK: :[[@LINE+3]]:3: remark: loop nest transformed:
FORM(taps)
{
  EACH
  {
    float s = 0;
    for (int y = -1; y <= 1; y++)
      for (int x = -1; x <= 1; x++)
        s += a[CLAMP(i + y, h)][CLAMP(j + x, w)] * (2 + x * y);
    b[i][j] = s;
  }
}

// REMARK: :[[@LINE+3]]:3: remark: loop nest transformed:
FORM(twice)
{
  EACH b[i][j] = 0.5f * a[i / 2][j / 2] + 0.5f * a[i / 2][LESS(j / 2 + 1, w - 1)];
}

// REMARK: :[[@LINE+3]]:3: remark: loop nest transformed:
FORM(half)
{
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w / 2; j++)
      b[i][j] = a[i][2 * j > 0 ? 2 * j - 1 : 0] + 2 * a[i][2 * j] + a[i][LESS(2 * j + 1, w - 2)];
}

// In place: the left neighbour is the new one, so that no loop is a vector loop.
FORM(recursive)
{
  EACH a[i][j] = a[i][CLAMP(j - 1, w)] * 0.5f + a[i][CLAMP(j + 1, w)] + b[i][j / 2];
}

// REMARK: :[[@LINE+3]]:3: remark: loop nest transformed:
FORM(mirrored)
{
  EACH b[i][j] = a[i][MIRROR(j - 2, w)] + a[i][j] + a[i][MIRROR(j + 1, w)];
}

enum { H = 80, W = 150 };
static float a[H * W], b[H * W];
typedef void (*form)(int, int, void *, void *);

static void run(const char *name, form f, int h, int w)
{
  for (int i = 0; i < H * W; i++)
    a[i] = (float)(i * 7919 % 1000) * 0.01f;
  memset(b, 0, sizeof(b));
  f(h, w, a, b);
  double s = 0, t = 0;
  for (int i = 0; i < H * W; i++) {
    s = s * 0.999 + b[i];
    t = t * 0.999 + a[i];
  }
  printf("%s %d %d: %.17g %.17g\n", name, h, w, s, t);
}

#define RUN(name) run(#name, (form)name, h, w);
#define MIRRORS                                                                                                             \
  if (w > 2)                                                                                                                \
    RUN(mirrored)
#define ALL RUN(clamped) RUN(clamped_both) RUN(periodic) RUN(remainder) RUN(threefold) RUN(taps) RUN(twice) RUN(half) RUN(recursive)

int main(void)
{
  for (int h = 0; h < 4; h++)
    for (int w = 0; w < 40; w++) {
      ALL MIRRORS
    }
  for (int h = 31; h < 34; h++)
    for (int w = 61; w < 67; w++) {
      ALL MIRRORS
    }
  int h = 79, w = 149;
  ALL MIRRORS
}
