/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instances of one statement in the lanes of vectors. */
#ifndef TSR_STATEMENT_LANES_H
#define TSR_STATEMENT_LANES_H

#include "emit/emitter.h"

/* How the accesses of one statement move from lane to lane. */
struct tsr_lanes {
  struct tsr_emit *e;
  int stmt;
  unsigned n;           /* lanes */
  const long *step;     /* the instance of the next lane minus that of this one */
  const long *along;    /* the instance in the next iteration of the innermost reduction minus this one; NULL: unknown */
  const char *iterator; /* of the loop over lanes: places in buffers move with it */
  bool aligned;         /* does it begin at a multiple of `n`? */
  bool bent;            /* are addresses computed in ways that are right for instances of the original alone? */
  LLVMValueRef first;   /* i64: the lane that counters are of; NULL: lane 0 */
  enum tsr_lane_move {
    TSR_LANES_EQUAL, /* one element for all lanes */
    TSR_LANES_NEXT,  /* the next element */
    TSR_LANES_APART, /* a few elements ahead, always as many: `apart` of the access */
    TSR_LANES_ROWS,  /* elsewhere, but the next element, or the one before, in the next iteration of the innermost reduction
                      */
    TSR_LANES_OTHER, /* elsewhere */
    TSR_LANES_HELD,  /* what the statement writes, which is held in a register */
    TSR_LANES_PLACED /* and behind it: place 0, 1, .. of the instance at hand, in a buffer */
  } *
      move;                  /* by access of the model */
  unsigned *apart;           /* by access of the model */
  int *next;                 /* by access of the model: elements that one that moves by rows goes on there, or down */
  LLVMValueRef value, store; /* what it writes; a store that goes there */
  int written;               /* the place of the instance at hand, in a buffer, where that is; -1: where the store goes */
  bool guarded;              /* has the statement a guard, which is one for all lanes? */
  bool streamed;             /* does it store past the caches, where a vector is aligned? */
  unsigned pitch;            /* elements from what a lane writes to what the next one does */
  LLVMValueRef **block;      /* by access of the model, one that moves by rows: its vectors in an open block, else NULL */
  int *other_part;           /* by access of the model: of the first part of complex rows, the access of the other one; -1 */
  unsigned per_block;        /* iterations of a block: `n`, or where rows are of complex numbers, half as many */
  int iteration;             /* of the open block */
};
void tsr_lanes_init(struct tsr_lanes *lanes, struct tsr_emit *e, int stmt, unsigned n, const long *step, const long *along,
                    const char *iterator, bool aligned);
void tsr_lanes_clear(struct tsr_lanes *lanes);
/* The guard of the instances at COUNTERS, in all lanes: a byte whose lowest bit says whether they do anything. For
 * statements that have one. */
LLVMValueRef tsr_lanes_guard(struct tsr_lanes *lanes, LLVMValueRef *counters);
/* The elements that the instances from COUNTERS on write, before they do; those of lanes whose bit of MASK (NULL: all) is
 * not set are 0. */
LLVMValueRef tsr_lanes_load(struct tsr_lanes *lanes, LLVMValueRef *counters, LLVMValueRef mask);
/* Have those that the instances from COUNTERS on will write fetched, if there are any: these may be outside of the domain.
 */
void tsr_lanes_prefetch(struct tsr_lanes *lanes, LLVMValueRef *counters);
/* Where the first of the instances from COUNTERS on writes */
LLVMValueRef tsr_lanes_address(struct tsr_lanes *lanes, LLVMValueRef *counters);
void tsr_lanes_store(struct tsr_lanes *lanes, LLVMValueRef *counters, LLVMValueRef mask, LLVMValueRef value);
/* Does some access move by rows, so that blocks of iterations are worth it? */
bool tsr_lanes_have_rows(struct tsr_lanes *lanes);
/* Blocks of LANES are of `n` iterations, whatever rows they have. */
void tsr_lanes_leave_pairs(struct tsr_lanes *lanes);
/* Open a block, `per_block` iterations of the innermost reduction from COUNTERS on: read what accesses that move by rows
 * need in all of them, so many elements of each of `n` rows, and transpose it. tsr_lanes_run uses that of `iteration`, which
 * the caller counts up. LANE (NULL: its number): whose row a lane reads, as i64; only rows that the original reads are read.
 * COLUMNS (NULL: all): a bit for each iteration that there is; nothing is read for others. What OTHER (NULL: none), for the
 * same instances of another statement, has by the same loads, is there. */
void tsr_lanes_open_block(struct tsr_lanes *lanes, LLVMValueRef *counters, LLVMValueRef *lane, LLVMValueRef columns,
                          const struct tsr_lanes *other);
void tsr_lanes_close_block(struct tsr_lanes *lanes);
/* What the instances write, where HELD is there before. */
LLVMValueRef tsr_lanes_run(struct tsr_lanes *lanes, LLVMValueRef *counters, LLVMValueRef mask, LLVMValueRef held);

#endif
