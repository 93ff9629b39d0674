/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What lockstep_code.c and lockstep_statements.c share: statements that run for all lanes of an outer loop. */
#ifndef TSR_LOCKSTEP_STATEMENTS_H
#define TSR_LOCKSTEP_STATEMENTS_H

#include "emit/emitter.h"

/* An access of a statement to an array element. */
struct tsr_item {
  bool store;
  int access;                                                               /* of the model */
  LLVMValueRef value;                                                       /* in the original: what is loaded, or stored */
  LLVMValueRef inst;                                                        /* a load or store that goes there */
  int array;                                                                /* of the model; behind these: buffers */
  isl_map *element;                                                         /* { S[i] -> A[k] }, of the original */
  const struct tsr_access_place *place;                                     /* in a buffer; NULL: it is in memory */
  isl_multi_aff *at;                                                        /* of PLACE: { [] -> [k] }; NULL: not affine */
  enum tsr_lane_way { TSR_LANE_EQUAL, TSR_LANE_NEXT, TSR_LANE_APART } move; /* from lane to lane: 0 elements, 1, others */
  /* in an innermost loop: */
  enum tsr_item_way {
    TSR_ITEM_MEMORY,
    TSR_ITEM_NEW,    /* what `source` has stored in this iteration */
    TSR_ITEM_OLD,    /* what `source` has stored in the iteration before */
    TSR_ITEM_HELD,   /* an element that stays, in `now` of `source`, itself if it is a store */
    TSR_ITEM_COLUMN, /* a column of a block of as many iterations as there are lanes, which is transposed in registers */
  } way;
  bool backwards;          /* are columns in the order of falling addresses? */
  struct tsr_item *source; /* the only store to the array in the loop */
  LLVMValueRef *now, *old; /* of a source: slots, by vector; NULL: nobody needs them */
  LLVMValueRef *column;    /* by vector and iteration of the open block; else NULL */
};

/* A statement in lockstep. */
struct tsr_laned {
  struct tsr_emit *e;
  isl_ast_node *user; /* not owned */
  const char *loop;   /* the iterator of the innermost loop, not owned; NULL: there is none */
  int stmt;
  isl_multi_aff *instance;                    /* { [] -> S[i] } */
  long step[TSR_MAX_DIM], along[TSR_MAX_DIM]; /* in the next lane; in the next iteration of the innermost loop */
  struct tsr_item *item;                      /* in the order of execution */
  int n_item;
};

/* The loop over lanes at hand. */
struct tsr_lane_loop {
  struct tsr_lockstep shape;
  char *iterator;
  LLVMValueRef *slot; /* by array and vector: of SCALAR arrays that each lane has of its own; else NULL */
};

/* USER, in the innermost loop with the iterator LOOP (NULL: in none). */
void tsr_laned_init(struct tsr_laned *s, struct tsr_emit *e, isl_ast_node *user, const char *loop);
void tsr_laned_clear(struct tsr_laned *s);
/* Does ITEM of S go ahead by constantly many ELEMENTS, in one row of its array, in the next lane, or in the next iteration
 * of the innermost loop? */
bool tsr_item_across(struct tsr_laned *s, const struct tsr_item *item, long *elements);
bool tsr_item_along(struct tsr_laned *s, const struct tsr_item *item, long *elements);
/* Run it for the lanes of vector VECTOR, at ITERATION of the open block. */
void tsr_laned_run(struct tsr_laned *s, int vector, int iteration);
/* ITEM, from memory, for the lanes of VECTOR. */
LLVMValueRef tsr_laned_load(struct tsr_laned *s, struct tsr_item *item, int vector);
/* VALUE, a vector, goes to ITEM in the lanes of VECTOR. */
void tsr_laned_store(struct tsr_laned *s, struct tsr_item *item, int vector, LLVMValueRef value);
/* Load or store (VALUE NULL or not) the elements of ITEM from that of lane LANE on, as many as there are lanes. */
LLVMValueRef tsr_laned_row(struct tsr_laned *s, struct tsr_item *item, int lane, LLVMValueRef value);
/* Tell the cache that ITEM in lane LANE will be needed, if it is there. */
void tsr_laned_prefetch(struct tsr_laned *s, struct tsr_item *item, int lane);

#endif
