/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bridge.h"
struct tsr_profit tsr_profit_estimate(struct tsr_scop *scop, isl_schedule *candidate, int n_check,
                                      const struct tsr_options *opt)
{
  (void)scop;
  (void)candidate;
  (void)n_check;
  (void)opt;
  return (struct tsr_profit){.worth = true, .before = 1, .after = 1, .reason = "no model"};
}
