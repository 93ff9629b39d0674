/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* multigrid: a V-cycle for Poisson's equation in the plane: four levels, four Jacobi steps before, at the bottom and behind.
 */
#define NAME "multigrid"
#define MINI 16, 24
#define SMALL 64, 96
#define MEDIUM 512, 768
#define LARGE 2048, 2048
#define EXTRALARGE 4096, 4096
#define H0 H
#define W0 W
#define H1 (H0 / 2)
#define W1 (W0 / 2)
#define H2 (H1 / 2)
#define W2 (W1 / 2)
#define H3 (H2 / 2)
#define W3 (W2 / 2)
#define GRID(A, name, a) A(float, name##a, H##a + 2, [W##a + 2])
#define INPUTS(A) GRID(A, f, 0) A(float, guess, H + 2, [W + 2])
#define OUTPUTS(A) GRID(A, v, 0)
#define LEVEL(A, a) GRID(A, f, a) GRID(A, v, a) GRID(A, t, a) GRID(A, r, a)
#define BUFFERS(A) GRID(A, t, 0) GRID(A, r, 0) LEVEL(A, 1) LEVEL(A, 2) LEVEL(A, 3)
#include "pipeline.h"
#define EACH(a, begin, behind)                                                                                              \
  for (int i = begin; i < H##a + 2 - behind; i++)                                                                           \
    for (int j = begin; j < W##a + 2 - behind; j++)
#define BESIDE(v) (v[i - 1][j] + v[i + 1][j] + v[i][j - 1] + v[i][j + 1])
#define JACOBI(to, from, a)                                                                                                 \
  EACH(a, 1, 1) to##a[i][j] = from##a[i][j] + 0.2f * (f##a[i][j] - 4 * from##a[i][j] + BESIDE(from##a));
#define SMOOTH(a) JACOBI(t, v, a) JACOBI(v, t, a) JACOBI(t, v, a) JACOBI(v, t, a)
#define ZERO(v, a) EACH(a, 0, 0) v##a[i][j] = 0;
#define DOWN(a, b)                                                                                                          \
  SMOOTH(a)                                                                                                                 \
  EACH(a, 1, 1) r##a[i][j] = f##a[i][j] - 4 * v##a[i][j] + BESIDE(v##a);                                                    \
  EACH(b, 1, 1)                                                                                                             \
  f##b[i][j] = (4 * r##a[2 * i][2 * j] + r##a[2 * i - 1][2 * j] + r##a[2 * i + 1][2 * j] + r##a[2 * i][2 * j - 1] +         \
                r##a[2 * i][2 * j + 1]) *                                                                                   \
               0.5f;
#define UP(a, b)                                                                                                            \
  EACH(a, 1, 1)                                                                                                             \
  v##a[i][j] +=                                                                                                             \
      (v##b[i / 2][j / 2] + v##b[(i + 1) / 2][j / 2] + v##b[i / 2][(j + 1) / 2] + v##b[(i + 1) / 2][(j + 1) / 2]) * 0.25f;  \
  SMOOTH(a)

PIPELINE
{
  BEGIN
  EACH(0, 0, 0) v0[i][j] = guess[i][j];
  EACH(0, 0, 0) t0[i][j] = guess[i][j];
  ZERO(r, 0)
  ZERO(v, 1)
  ZERO(t, 1)
  ZERO(r, 1)
  ZERO(v, 2)
  ZERO(t, 2)
  ZERO(r, 2)
  ZERO(v, 3)
  ZERO(t, 3)
  DOWN(0, 1)
  DOWN(1, 2)
  DOWN(2, 3)
  SMOOTH(3)
  UP(2, 3)
  UP(1, 2)
  UP(0, 1)
  END
}
