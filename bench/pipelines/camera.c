/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* camera: a raw image of a Bayer sensor to colours: hot pixels suppressed, missing colours interpolated along edges, colours
 * corrected by a matrix, a curve looked up. */
#define NAME "camera"
#define MINI 16, 24
#define SMALL 64, 96
#define MEDIUM 512, 768
#define LARGE 1968, 2592
#define EXTRALARGE 3936, 5184
#define H2 (H / 2) /* of a plane of one colour: rows g r / b g */
#define W2 (W / 2)
/* clang-format off */
#define INPUTS(A) A(uint16_t, raw, H, [W])
#define OUTPUTS(A) A(uint8_t, out, H, [W][3])
#define HALF(A, name) A(int16_t, name, H2, [W2 + 1])
#define FULL(A, name) A(int16_t, name, H, [W])
#define BUFFERS(A)                                                                                                          \
  FULL(A, clean)                                                                                                            \
  HALF(A, gr) HALF(A, r) HALF(A, b) HALF(A, gb) HALF(A, g_r) HALF(A, g_b) HALF(A, r_gr) HALF(A, b_gr) HALF(A, r_gb)         \
      HALF(A, b_gb) HALF(A, r_b) HALF(A, b_r) FULL(A, red) FULL(A, green) FULL(A, blue) FULL(A, red1) FULL(A, green1)       \
          FULL(A, blue1) A(uint8_t, curve, 1024, )
/* clang-format on */
#include "pipeline.h"
#define MEAN(a, b) (((a) + (b) + 1) >> 1)
#define APART(a, b) abs((a) - (b))
#define SMOOTHER(a, b, c, d) (APART(a, b) < APART(c, d) ? MEAN(a, b) : MEAN(c, d))
#define EACH_HALF(edge)                                                                                                     \
  for (int i = edge; i < H2 - edge; i++)                                                                                    \
    for (int j = edge; j < W2 - edge; j++)
#define EACH                                                                                                                \
  for (int i = 4; i < 2 * H2 - 4; i++)                                                                                      \
    for (int j = 4; j < 2 * W2 - 4; j++)
#define INTERLEAVE(to, p00, p01, p10, p11)                                                                                  \
  EACH_HALF(2)                                                                                                              \
  {                                                                                                                         \
    to[2 * i][2 * j] = p00[i][j];                                                                                           \
    to[2 * i][2 * j + 1] = p01[i][j];                                                                                       \
    to[2 * i + 1][2 * j] = p10[i][j];                                                                                       \
    to[2 * i + 1][2 * j + 1] = p11[i][j];                                                                                   \
  }
#define CORRECT(to, a, b, c, d) EACH to[i][j] = (a * red[i][j] + b * green[i][j] + c * blue[i][j] + d) / 256;
#define LOOK_UP(k, from) EACH out[i][j][k] = curve[from[i][j] < 0 ? 0 : from[i][j] > 1023 ? 1023 : from[i][j]];

PIPELINE
{
  BEGIN
  for (int x = 0; x < 1024; x++) {
    float y = powf(x / 1023.0f, 1 / 2.2f);
    curve[x] = (uint8_t)(255 * (y < 0.5f ? 2 * y * y : 1 - 2 * (1 - y) * (1 - y)));
  }
  for (int i = 0; i < H; i++)
    for (int j = 0; j < W; j++) {
      int up = raw[i < 2 ? i : i - 2][j], down = raw[i < H - 2 ? i + 2 : i][j];
      int left = raw[i][j < 2 ? j : j - 2], right = raw[i][j < W - 2 ? j + 2 : j];
      int most = MORE(MORE(up, down), MORE(left, right));
      clean[i][j] = LESS(raw[i][j], most);
    }
  EACH_HALF(0) gr[i][j] = clean[2 * i][2 * j];
  EACH_HALF(0) r[i][j] = clean[2 * i][2 * j + 1];
  EACH_HALF(0) b[i][j] = clean[2 * i + 1][2 * j];
  EACH_HALF(0) gb[i][j] = clean[2 * i + 1][2 * j + 1];
  EACH_HALF(1) g_r[i][j] = SMOOTHER(gr[i][j + 1], gr[i][j], gb[i - 1][j], gb[i][j]);
  EACH_HALF(1) g_b[i][j] = SMOOTHER(gb[i][j], gb[i][j - 1], gr[i][j], gr[i + 1][j]);
  EACH_HALF(2) r_gr[i][j] = gr[i][j] - MEAN(g_r[i][j], g_r[i][j - 1]) + MEAN(r[i][j - 1], r[i][j]);
  EACH_HALF(2) b_gr[i][j] = gr[i][j] - MEAN(g_b[i][j], g_b[i - 1][j]) + MEAN(b[i][j], b[i - 1][j]);
  EACH_HALF(2) r_gb[i][j] = gb[i][j] - MEAN(g_r[i][j], g_r[i + 1][j]) + MEAN(r[i][j], r[i + 1][j]);
  EACH_HALF(2) b_gb[i][j] = gb[i][j] - MEAN(g_b[i][j], g_b[i][j + 1]) + MEAN(b[i][j], b[i][j + 1]);
  EACH_HALF(2)
  r_b[i][j] = APART(r[i][j], r[i + 1][j - 1]) < APART(r[i + 1][j], r[i][j - 1])
                  ? g_b[i][j] - MEAN(g_r[i][j], g_r[i + 1][j - 1]) + MEAN(r[i][j], r[i + 1][j - 1])
                  : g_b[i][j] - MEAN(g_r[i + 1][j], g_r[i][j - 1]) + MEAN(r[i + 1][j], r[i][j - 1]);
  EACH_HALF(2)
  b_r[i][j] = APART(b[i][j], b[i - 1][j + 1]) < APART(b[i - 1][j], b[i][j + 1])
                  ? g_r[i][j] - MEAN(g_b[i][j], g_b[i - 1][j + 1]) + MEAN(b[i][j], b[i - 1][j + 1])
                  : g_r[i][j] - MEAN(g_b[i - 1][j], g_b[i][j + 1]) + MEAN(b[i - 1][j], b[i][j + 1]);
  INTERLEAVE(red, r_gr, r, r_b, r_gb)
  INTERLEAVE(green, gr, g_r, g_b, gb)
  INTERLEAVE(blue, b_gr, b_r, b, b_gb)
  CORRECT(red1, 416, -106, -52, 1200)
  CORRECT(green1, -50, 360, -54, 800)
  CORRECT(blue1, -20, -130, 406, 600)
  LOOK_UP(0, red1)
  LOOK_UP(1, green1)
  LOOK_UP(2, blue1)
  END
}
