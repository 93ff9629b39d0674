// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes of words in another order, as some libraries of images have them: their addresses are integers.
//
// RUN: %remarks %s | %FileCheck %s

// CHECK: Name: {{ *}}RejectedIntegerAddress
// CHECK: Expression: {{.*}}(uintptr_t)(line + j) ^ 3
#include <stdint.h>

void invert(uint32_t *data, int w, int h, int pitch)
{
  for (int i = 0; i < h; i++) {
    uint8_t *line = (uint8_t *)(data + i * pitch);
    for (int j = 0; j < w; j++)
      *(uint8_t *)((uintptr_t)(line + j) ^ 3) = 255;
  }
}
