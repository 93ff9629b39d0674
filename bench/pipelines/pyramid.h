/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sizes of the levels of a pyramid, and the ways from a level to the next coarser one, b, and back to the finer one, a: one
 * nest along the rows, one along the columns; both go through an array T of the sizes [rows of one][columns of the other].
 * Macros, as each level has a size of its own. X and Y stand for planes. */
#ifndef TSR_PYRAMID_H
#define TSR_PYRAMID_H
#define H0 H
#define W0 W
#define H1 ((H0 + 1) / 2)
#define W1 ((W0 + 1) / 2)
#define H2 ((H1 + 1) / 2)
#define W2 ((W1 + 1) / 2)
#define H3 ((H2 + 1) / 2)
#define W3 ((W2 + 1) / 2)
#define H4 ((H3 + 1) / 2)
#define W4 ((W3 + 1) / 2)
#define H5 ((H4 + 1) / 2)
#define W5 ((W4 + 1) / 2)
#define H6 ((H5 + 1) / 2)
#define W6 ((W5 + 1) / 2)
#define H7 ((H6 + 1) / 2)
#define W7 ((W6 + 1) / 2)
#define H8 ((H7 + 1) / 2)
#define W8 ((W7 + 1) / 2)
#define H9 ((H8 + 1) / 2)
#define W9 ((W8 + 1) / 2)

#define EACH(planes, rows, columns)                                                                                         \
  for (int c = 0; c < planes; c++)                                                                                          \
    for (int i = 0; i < rows; i++)                                                                                          \
      for (int j = 0; j < columns; j++)

/* T: H_a x W_b, TO: H_b x W_b, weights 1 2 1 */
#define DOWN(planes, from, T, to, a, b)                                                                                     \
  EACH(planes, H##a, W##b)                                                                                                  \
  T[c][i][j] = (from[c][i][MORE(2 * j - 1, 0)] + 2 * from[c][i][2 * j] + from[c][i][LESS(2 * j + 1, W##a - 1)]) * 0.25f;    \
  EACH(planes, H##b, W##b)                                                                                                  \
  to[c][i][j] = (T[c][MORE(2 * i - 1, 0)][j] + 2 * T[c][2 * i][j] + T[c][LESS(2 * i + 1, H##a - 1)][j]) * 0.25f;

/* T: H_b x W_a of FROM, halfway between its columns .. */
#define UP_ROWS(planes, from, T, a, b)                                                                                      \
  EACH(planes, H##b, W##a)                                                                                                  \
  T[c][i][j] = (from[c][i][j / 2] + from[c][i][LESS((j + 1) / 2, W##b - 1)]) * 0.5f;
/* .. and a point halfway between its rows. */
#define UP_POINT(T, b) ((T[c][i / 2][j] + T[c][LESS((i + 1) / 2, H##b - 1)][j]) * 0.5f)
#endif
