/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Square blocks transposed in registers. */
#include "emit/vector/vector.h"

/* In step d blocks of d by d elements are swapped. */
void tsr_transpose(struct tsr_emit *e, LLVMValueRef *row, unsigned n, unsigned parts)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMValueRef low[64], high[64];
  for (unsigned d = 1; d < n; d *= 2) {
    for (unsigned i = 0; i < n * parts; i++) { /* those of the second operand are numbered from n on */
      unsigned c = i / parts, part = i % parts;
      low[i] = LLVMConstInt(i32, (c & d ? n + c - d : c) * parts + part, false);
      high[i] = LLVMConstInt(i32, (c & d ? n + c : c + d) * parts + part, false);
    }
    LLVMValueRef first = LLVMConstVector(low, n * parts), second = LLVMConstVector(high, n * parts);
    for (unsigned r = 0; r < n; r++)
      if (!(r & d)) {
        LLVMValueRef a = row[r], b = row[r + d];
        row[r] = LLVMBuildShuffleVector(e->b, a, b, first, "");
        row[r + d] = LLVMBuildShuffleVector(e->b, a, b, second, "");
      }
  }
}
