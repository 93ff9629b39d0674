/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counting isl's operations. isl stops at a limit but doesn't tell how far it came; a limit that is just not reached does. */
#include "tessera.h"
#include <isl/options.h>

/* Exported by the archive, not declared in a public header: counts one operation, isl_stat_error at the limit. */
isl_stat isl_ctx_next_operation(isl_ctx *ctx);

unsigned long tsr_operations_used(isl_ctx *ctx)
{
  unsigned long low = 0, high = 1ul << 40;
  int on_error = isl_options_get_on_error(ctx);
  isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
  while (low < high) {
    unsigned long middle = low + (high - low) / 2;
    isl_ctx_set_max_operations(ctx, middle + 1);
    if (isl_ctx_next_operation(ctx) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  isl_ctx_set_max_operations(ctx, 0);
  isl_ctx_reset_error(ctx);
  isl_options_set_on_error(ctx, on_error);
  return low;
}
