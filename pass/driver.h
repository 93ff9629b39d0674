/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What driver.c and discover.c share: the pass at work on one function of a module. */
#ifndef TSR_DRIVER_H
#define TSR_DRIVER_H

#include "emit/emit.h"
#include "pass.h"
#include "read/read.h"

struct driver {
  LLVMModuleRef module;
  const struct tsr_options *opt;
  struct tsr_clone *clone;
  struct tsr_device *device; /* kernels of the module; NULL: none are allowed */
  struct tsr_analyses *a;
  isl_ctx *ctx;
  unsigned long left, left_function; /* of the budgets */
  unsigned long left_expanded;       /* .. of what models with sums as arrays take, besides, in a function */
  unsigned long beside; /* what the plans for the nest at hand have taken that are not used: of such models, or of those
                           without, if the one that is used has such arrays */
  struct tsr_machine machine; /* that the function is compiled for */
  LLVMValueRef function, original;
  LLVMValueRef reported; /* the last culprit */
  tsr_loop exhausted;    /* the outermost loop of the last nest that ran out of budget */
  int n_nest;            /* of the run of nodes that was modelled last */
  bool pipeline;         /* is that a pipeline of stages? */
  bool pipeline_is_dead; /* .. in arrays that nobody needs behind it? */
  LLVMValueRef many;     /* the last function that has got more of the budget, for its many nests */
  LLVMValueRef split;    /* the last function in which a budget ran out for several nests */
  int n_scop;            /* in this function */
  bool all;              /* does someone want to know of all nests, not only of those that change? */
  struct tsr_invariants invariants;
  struct tsr_answers *answers;
  struct job {
    struct tsr_model *m;
    struct tsr_result *plan;
    LLVMMetadataRef location;
  } *jobs;
  int n_job;
  struct order {
    bool done;  /* in a SCoP of the function */
    char *left; /* else what was wrong in the last one */
  } *orders;    /* commands for the function, by their place in its list */
  int n_order;
  char *annotation; /* commands in the source, NULL: none */
  bool commanded;   /* were there commands for a SCoP of it? */
  struct tsr_tally tally;
};

/* discover.c: find the nests in SEQ that are worth a change: d->jobs. */
void tsr_driver_discover(struct driver *d, const struct tsr_seq *seq);
/* Are the iterations of NODES so few that nobody need know more of them? Whoever wants remarks gets all there is to say. */
bool tsr_driver_is_too_small(struct driver *d, struct tsr_node **nodes, int n, bool exact);
/* Find what is invariant in the loops inside LOOP: for those around it first, whose proxies stand in front of more. */
void tsr_driver_find_invariants(struct driver *d, tsr_loop loop);

#endif
