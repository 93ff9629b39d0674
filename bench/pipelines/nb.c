/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* nb: of one image a negative and a brighter one; each is filled by one stage, then changed in place by another. */
#define NAME "nb"
#define MINI 16, 24
#define SMALL 64, 96
#define MEDIUM 512, 768
#define LARGE 2112, 3520
#define EXTRALARGE 4224, 7040
#define INPUTS(A) A(float, in, H, [W][3])
#define OUTPUTS(A) A(float, negative, H, [W][3]) A(float, bright, H, [W][3])
#define BUFFERS(A)
#include "pipeline.h"
#define EACH                                                                                                                \
  for (int i = 0; i < H; i++)                                                                                               \
    for (int j = 0; j < W; j++)                                                                                             \
      for (int c = 0; c < 3; c++)

PIPELINE
{
  BEGIN
  EACH negative[i][j][c] = 1 - in[i][j][c];
  EACH bright[i][j][c] = 1.5f * in[i][j][c];
  EACH negative[i][j][c] = MORE(negative[i][j][c], 0);
  EACH bright[i][j][c] = LESS(bright[i][j][c], 1);
  END
}
