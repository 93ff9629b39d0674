/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* baryon: a dense contraction of lattice QCD: blocks of three quarks, of all colours antisymmetrised, at each point of a
 * slice, summed over the slice with the source's weights; complex numbers as two arrays. */
#define NAME "baryon"
#define MINI 3, 4, 10
#define SMALL 6, 6, 40
#define MEDIUM 12, 12, 200
#define LARGE 12, 12, 4096
#define EXTRALARGE 24, 12, 8192
#define SIZES int n, int m, int l
#define ARGUMENTS n, m, l
#define READ_SIZES int n = size[0], m = size[1], l = size[2]
#define N DIM(0, n) /* sources */
#define M DIM(1, m) /* colours and spins of a quark */
#define L DIM(2, l) /* points */
#define COMPLEX(A, name, n, row) A(float, name##_re, n, row) A(float, name##_im, n, row)
#define INPUTS(A) COMPLEX(A, up, M, [3][L]) COMPLEX(A, strange, M, [3][L]) COMPLEX(A, source, N, [L])
#define OUTPUTS(A) COMPLEX(A, block, N, [M][M])
#define BUFFERS(A) COMPLEX(A, pair, M, [3][L]) COMPLEX(A, point, M, [M][L])
#include "pipeline.h"

PIPELINE
{
  BEGIN
  /* two quarks, of the colours that a third isn't: d = u[a] s[b] - u[b] s[a] */
  for (int i = 0; i < M; i++)
    for (int x = 0; x < L; x++) {
      pair_re[i][0][x] = up_re[i][1][x] * strange_re[i][2][x] - up_im[i][1][x] * strange_im[i][2][x] -
                         (up_re[i][2][x] * strange_re[i][1][x] - up_im[i][2][x] * strange_im[i][1][x]);
      pair_im[i][0][x] = up_re[i][1][x] * strange_im[i][2][x] + up_im[i][1][x] * strange_re[i][2][x] -
                         (up_re[i][2][x] * strange_im[i][1][x] + up_im[i][2][x] * strange_re[i][1][x]);
      pair_re[i][1][x] = up_re[i][2][x] * strange_re[i][0][x] - up_im[i][2][x] * strange_im[i][0][x] -
                         (up_re[i][0][x] * strange_re[i][2][x] - up_im[i][0][x] * strange_im[i][2][x]);
      pair_im[i][1][x] = up_re[i][2][x] * strange_im[i][0][x] + up_im[i][2][x] * strange_re[i][0][x] -
                         (up_re[i][0][x] * strange_im[i][2][x] + up_im[i][0][x] * strange_re[i][2][x]);
      pair_re[i][2][x] = up_re[i][0][x] * strange_re[i][1][x] - up_im[i][0][x] * strange_im[i][1][x] -
                         (up_re[i][1][x] * strange_re[i][0][x] - up_im[i][1][x] * strange_im[i][0][x]);
      pair_im[i][2][x] = up_re[i][0][x] * strange_im[i][1][x] + up_im[i][0][x] * strange_re[i][1][x] -
                         (up_re[i][1][x] * strange_im[i][0][x] + up_im[i][1][x] * strange_re[i][0][x]);
    }
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++)
      for (int x = 0; x < L; x++) {
        point_re[i][j][x] = point_im[i][j][x] = 0;
        for (int c = 0; c < 3; c++) {
          point_re[i][j][x] += pair_re[i][c][x] * up_re[j][c][x] - pair_im[i][c][x] * up_im[j][c][x];
          point_im[i][j][x] += pair_re[i][c][x] * up_im[j][c][x] + pair_im[i][c][x] * up_re[j][c][x];
        }
      }
  for (int s = 0; s < N; s++)
    for (int i = 0; i < M; i++)
      for (int j = 0; j < M; j++) {
        block_re[s][i][j] = block_im[s][i][j] = 0;
        for (int x = 0; x < L; x++) {
          block_re[s][i][j] += source_re[s][x] * point_re[i][j][x] - source_im[s][x] * point_im[i][j][x];
          block_im[s][i][j] += source_re[s][x] * point_im[i][j][x] + source_im[s][x] * point_re[i][j][x];
        }
      }
  END
}
