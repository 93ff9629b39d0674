/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* edge-detector: a ring blur, then Roberts' filter back into the image: a cycle of stages. */
#define NAME "edge-detector"
#define MINI 16, 24
#define SMALL 64, 96
#define MEDIUM 512, 768
#define LARGE 2112, 3520
#define EXTRALARGE 4224, 7040
#define INPUTS(A) A(int, in, H, [W])
#define OUTPUTS(A) A(int, image, H, [W])
#define BUFFERS(A) A(int, ring, H, [W])
#include "pipeline.h"

PIPELINE
{
  BEGIN
  for (int i = 0; i < H; i++)
    for (int j = 0; j < W; j++)
      image[i][j] = in[i][j];
  for (int i = 0; i < H - 2; i++)
    for (int j = 0; j < W - 2; j++)
      ring[i][j] = (image[i][j] + image[i][j + 1] + image[i][j + 2] + image[i + 1][j] + image[i + 1][j + 2] +
                    image[i + 2][j] + image[i + 2][j + 1] + image[i + 2][j + 2]) /
                   8;
  for (int i = 0; i < H - 3; i++)
    for (int j = 1; j < W - 2; j++)
      image[i][j] = abs(ring[i][j] - ring[i + 1][j - 1]) + abs(ring[i + 1][j] - ring[i][j - 1]);
  END
}
