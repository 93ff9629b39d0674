/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What control_units.c, needed_values.c, statements.c and memory/raw_accesses.c share: the blocks of a run on their way to
 * statements. */
#ifndef TSR_READER_H
#define TSR_READER_H

#include "read/memory/memory.h"

#define TSR_MAX_DEPTH 12

/* A unit of straight control flow: the basic block `block`, and if its branch depends on data, the blocks behind it up to
 * `meet`, where all its paths come together. */
struct blk {
  LLVMBasicBlockRef block;
  struct tsr_blocks inner; /* in topological order; empty: the branch at the end of `block` is not ours */
  LLVMBasicBlockRef meet;
  LLVMBasicBlockRef to; /* not NULL: only the edge from `block` to here, for what phis take over it */
  bool assumed;         /* is it behind a condition that is assumed to hold (zero_skips.c)? */
  LLVMValueRef guard;   /* a condition on data around the innermost loop that it is in; NULL: there is none */
  bool guard_when;      /* .. what it has to be */
  bool control;         /* does some statement need the branches and what is in `inner`? */
  isl_set *domain;
  tsr_loop loops[TSR_MAX_DEPTH];
  int n_loop;
  struct tsr_scalar_write *write; /* at the ends of its blocks */
  int n_write;
  int first, n; /* its instructions in vals */
};

struct val {
  LLVMValueRef inst;
  int blk;
  bool inner; /* in one of the blocks behind the branch? */
  enum tsr_role role;
  enum tsr_reason reason;
  bool needed;
  int out; /* SCALAR array of the value, -1 */
  int phi; /* SCALAR array of the phi, -1 */
};

struct reader {
  struct tsr_model *m;
  struct blk *blks;
  int n_blk;
  struct val *vals;
  int n_val;
  int *hash; /* open addressing: instruction -> index into vals, -1 empty */
  int n_hash;
};

/* control_units.c */
bool tsr_reader_visit(struct reader *r);                  /* m's nodes -> blks, vals */
int tsr_reader_find(struct reader *r, LLVMValueRef inst); /* index into vals, -1 if it is none */
/* The unit that control is in when it leaves FROM for TO: index into blks, -1. */
int tsr_reader_blk(struct reader *r, LLVMBasicBlockRef from, LLVMBasicBlockRef to);
tsr_loop tsr_reader_loop(struct reader *r, int b); /* the innermost around */
/* memory/raw_accesses.c */
/* Could STORE go to the same base all through the SCoP, or to rows? Else M is rejected. */
bool tsr_store_base_is_fixed(struct tsr_model *m, LLVMValueRef store);
/* What INST, a load, store or transfer of statement STMT, accesses; nothing if it is none of these. */
bool tsr_reader_access(struct reader *r, LLVMValueRef inst, int stmt);
/* needed_values.c */
/* Does PHI, one of vals, only pass a value on? Not if that leaves the inner blocks of a unit. */
bool tsr_reader_forwards(struct reader *r, LLVMValueRef phi);
bool tsr_reader_need(struct reader *r); /* which vals are needed, and SCALAR arrays for those that cross blks */

#endif
