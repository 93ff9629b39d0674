/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* equake: a step of an earthquake's waves through a mesh: the product of a sparse symmetric matrix of 3 x 3 blocks, of which
 * one half is stored, with the displacements; then the displacements and velocities of the next step. */
#define NAME "equake"
#define MINI 30
#define SMALL 300
#define MEDIUM 3000
#define LARGE 30000
#define EXTRALARGE 300000
#define SIZES int n
#define ARGUMENTS n
#define READ_SIZES int n = size[0]
#define N DIM(0, n) /* nodes */
#define M 14        /* blocks of a node, at most */
#define ALL (N * M)
#define MESH(A) A(double, a, ALL, [3][3]) A(int, column, ALL, ) A(int, first, N + 1, )
#define POINTS(A) A(double, now_at, N, [3]) A(double, before, N, [3]) A(double, load, N, [3])
#define INPUTS(A) MESH(A) POINTS(A) A(double, mass, N, [3]) A(double, damping, N, [3])
#define OUTPUTS(A) A(double, next, N, [3]) A(double, velocity, N, [3])
#define BUFFERS(A) A(double, force, N, [3])
/* Node I has a block of its own, then those of some nodes behind it. */
#define PREPARE                                                                                                             \
  first[0] = 0;                                                                                                             \
  for (int i = 0; i < N; i++) {                                                                                             \
    int k = first[i], more = column[k] % M, gap = 1 + column[k] / 4;                                                        \
    column[k++] = i;                                                                                                        \
    for (int to = i + gap; more > 0 && to < N; more--, to += gap)                                                           \
      column[k++] = to;                                                                                                     \
    first[i + 1] = k;                                                                                                       \
  }
#include "pipeline.h"
#define STEP 0.0024
#define EACH                                                                                                                \
  for (int i = 0; i < N; i++)                                                                                               \
    for (int j = 0; j < 3; j++)

PIPELINE
{
  BEGIN
  EACH force[i][j] = 0;
  for (int i = 0; i < N; i++) {
    int k = first[i], end = first[i + 1];
    double sum0 = a[k][0][0] * now_at[i][0] + a[k][0][1] * now_at[i][1] + a[k][0][2] * now_at[i][2];
    double sum1 = a[k][1][0] * now_at[i][0] + a[k][1][1] * now_at[i][1] + a[k][1][2] * now_at[i][2];
    double sum2 = a[k][2][0] * now_at[i][0] + a[k][2][1] * now_at[i][1] + a[k][2][2] * now_at[i][2];
    k++;
    while (k < end) {
      int to = column[k];
      sum0 += a[k][0][0] * now_at[to][0] + a[k][0][1] * now_at[to][1] + a[k][0][2] * now_at[to][2];
      sum1 += a[k][1][0] * now_at[to][0] + a[k][1][1] * now_at[to][1] + a[k][1][2] * now_at[to][2];
      sum2 += a[k][2][0] * now_at[to][0] + a[k][2][1] * now_at[to][1] + a[k][2][2] * now_at[to][2];
      force[to][0] += a[k][0][0] * now_at[i][0] + a[k][1][0] * now_at[i][1] + a[k][2][0] * now_at[i][2];
      force[to][1] += a[k][0][1] * now_at[i][0] + a[k][1][1] * now_at[i][1] + a[k][2][1] * now_at[i][2];
      force[to][2] += a[k][0][2] * now_at[i][0] + a[k][1][2] * now_at[i][1] + a[k][2][2] * now_at[i][2];
      k++;
    }
    force[i][0] += sum0;
    force[i][1] += sum1;
    force[i][2] += sum2;
  }
  EACH next[i][j] = -STEP * STEP * force[i][j];
  EACH next[i][j] += 2.0 * mass[i][j] * now_at[i][j] - (mass[i][j] - STEP / 2.0 * damping[i][j]) * before[i][j];
  EACH next[i][j] += STEP * STEP * load[i][j];
  EACH next[i][j] /= mass[i][j] + STEP / 2.0 * damping[i][j];
  EACH velocity[i][j] = 0.5 / STEP * (next[i][j] - before[i][j]);
  END
}
