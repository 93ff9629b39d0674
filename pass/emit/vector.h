/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instances of one statement in the lanes of vectors. */
#ifndef TSR_VECTOR_H
#define TSR_VECTOR_H

#include "pass.h"

/* How the accesses of one statement move from lane to lane. */
struct tsr_lanes {
  struct tsr_emit *e;
  int stmt;
  unsigned n;                      /* lanes */
  const long *step;                /* the instance of the next lane minus that of this one */
  const struct tsr_packed *packed; /* what comes from buffers; NULL: nothing */
  enum tsr_lane_move {
    TSR_LANES_EQUAL, /* one element for all lanes */
    TSR_LANES_NEXT,  /* the next element */
    TSR_LANES_OTHER, /* elsewhere */
    TSR_LANES_HELD,  /* what the statement writes, which is held in a register */
    TSR_LANES_PACKED /* and behind it: item 0, 1, .. of `packed` */
  } *
      move;                  /* by access of the model */
  LLVMValueRef value, store; /* what it writes; a store that goes there */
};
void tsr_lanes_init(struct tsr_lanes *lanes, struct tsr_emit *e, int stmt, unsigned n, const long *step,
                    const struct tsr_packed *packed);
void tsr_lanes_clear(struct tsr_lanes *lanes);
/* The elements that the instances from COUNTERS on write, before they do; those of lanes whose bit of MASK (NULL: all) is
 * not set are 0. */
LLVMValueRef tsr_lanes_load(struct tsr_lanes *lanes, LLVMValueRef *counters, LLVMValueRef mask);
void tsr_lanes_store(struct tsr_lanes *lanes, LLVMValueRef *counters, LLVMValueRef mask, LLVMValueRef value);
/* What the instances write, where HELD is there before. */
LLVMValueRef tsr_lanes_run(struct tsr_lanes *lanes, LLVMValueRef *counters, LLVMValueRef mask, LLVMValueRef held);

#endif
