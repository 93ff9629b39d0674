/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One run of the pipeline, for its parts alone. */
#ifndef TSR_PIPELINE_H
#define TSR_PIPELINE_H

#include "bridge.h"

/* What the stages need besides the result. */
struct tsr_run {
  struct tsr_scop *scop;
  const struct tsr_options *asked; /* the options */
  const struct tsr_options *opt;   /* those of the trees at hand: the options, or ONE_CORE */
  struct tsr_options one_core;     /* the options without threads */
  int n_check;
  enum { WITHOUT, FULL, MASKED } registers; /* register tiles: none; without masked parts; with them */
  struct tsr_estimate after;                /* of the tree for one thread */
  struct tsr_result *result;
  isl_schedule *bare; /* the result's tree without marks */
};

/* choose.c: find the result's tree and schedule, of all candidates those that cost least. On failure there is no tree, or
 * isl's context has an error. */
void tsr_run_choose_tree(struct tsr_run *run);
/* Is the tree for threads made from that which is best on one core? Where the options ask for something they get it. */
bool tsr_run_is_for_one_core(const struct tsr_run *run);

#endif
