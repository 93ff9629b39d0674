// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Neighbours in rows and planes of any length, by offsets in one row of elements, which stay where they are at a border:
// one of two polynomials, that differ by a product of parameters. Also in a part of the planes, from lb to ub.
//
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -g -Rpass=tessera %s -c -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -DMAIN %s %t.o -o %t && %t
//
// REQUIRES: native-avx2
//
// CHECK: border-rows.c:23:{{.*}} loop nest transformed: {{.*}}runs where nx
// CHECK: border-rows.c:39:{{.*}} loop nest transformed:
#include <stdio.h>
#include <string.h>

#ifdef MAIN
#define F(NAME) NAME##_plain
#else
#define F(NAME) NAME
#endif

void F(step)(float *out, const float *in, int nx, int ny, int nz)
{
  for (int z = 0; z < nz; z++)
    for (int y = 0; y < ny; y++)
      for (int x = 0; x < nx; x++) {
        int c = x + y * nx + z * nx * ny;
        int w = x == 0 ? c : c - 1;
        int e = x == nx - 1 ? c : c + 1;
        int n = y == 0 ? c : c - nx;
        int s = y == ny - 1 ? c : c + nx;
        int b = z == 0 ? c : c - nx * ny;
        int t = z == nz - 1 ? c : c + nx * ny;
        out[c] = in[c] * 2 + in[n] * 3 + in[s] * 5 + in[e] * 7 + in[w] * 11 + in[t] * 13 + in[b] * 17;
      }
}

void F(part)(float *out, const float *in, int nx, int ny, int nz, int lb, int ub)
{
  for (int z = lb; z <= ub; z++)
    for (int y = 0; y < ny; y++)
      for (int x = 0; x < nx; x++) {
        int c = x + y * nx + z * nx * ny;
        int w = x == 0 ? c : c - 1;
        int s = y == ny - 1 ? c : c + nx;
        int b = z == 0 ? c : c - nx * ny;
        int t = z == nz - 1 ? c : c + nx * ny;
        out[c] = in[c] * 2 + in[s] * 5 + in[w] * 11 + in[t] * 13 + in[b] * 17;
      }
}

#ifdef MAIN
void step(float *out, const float *in, int nx, int ny, int nz);
void part(float *out, const float *in, int nx, int ny, int nz, int lb, int ub);

static float in[40000], out[2][40000];

int main(void)
{
  static const int sizes[][3] = {{0, 3, 3}, {1, 1, 1}, {64, 20, 3}, {33, 17, 5}, {100, 3, 1}, {21, 2, 2}, {300, 1, 4}, {20, 40, 2}};
  for (int i = 0; i < 40000; i++)
    in[i] = (float)(i * 37 % 101) / 7;
  for (unsigned k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
    int nx = sizes[k][0], ny = sizes[k][1], nz = sizes[k][2];
    memset(out, 0, sizeof(out));
    step(out[0], in, nx, ny, nz);
    step_plain(out[1], in, nx, ny, nz);
    for (int lb = 0; lb <= nz; lb++)
      for (int ub = -1; ub < nz; ub += 2) {
        part(out[0] + 20000, in, nx, ny, nz, lb, ub);
        part_plain(out[1] + 20000, in, nx, ny, nz, lb, ub);
      }
    /* what is read is what is written, one plane on */
    memcpy(out[0] + 30000, in, 40000);
    memcpy(out[1] + 30000, in, 40000);
    step(out[0] + 30001, out[0] + 30000, nx, ny > 3 ? 3 : ny, 2);
    step_plain(out[1] + 30001, out[1] + 30000, nx, ny > 3 ? 3 : ny, 2);
    if (memcmp(out[0], out[1], sizeof(out[0]))) {
      printf("differs: %d x %d x %d\n", nx, ny, nz);
      return 1;
    }
  }
  return 0;
}
#endif
