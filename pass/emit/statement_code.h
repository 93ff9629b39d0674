/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One instance of a statement; what statement_code.c, vector/ and buffer/ share of it on its way into the new code. */
#ifndef TSR_COPY_H
#define TSR_COPY_H

#include "emit/emitter.h"

/* One instance of statement STMT at COUNTERS (i64, one a loop) */
void tsr_emit_stmt(struct tsr_emit *e, int stmt, LLVMValueRef *counters);

/* The guard of statement STMT, which has one, at COUNTERS: i1 */
LLVMValueRef tsr_emit_stmt_guard(struct tsr_emit *e, int stmt, LLVMValueRef *counters);

/* N statements of an iteration, all of whose loads come first */
struct tsr_emitted {
  int stmt;
  LLVMValueRef *counters;
};
void tsr_emit_stmts_preloaded(struct tsr_emit *e, const struct tsr_emitted *stmts, int n);

struct tsr_copy {
  struct tsr_emit *e;
  struct tsr_stmt_info *s;
  LLVMValueRef *counters; /* i64, by loop of the statement */
  bool no_flags;          /* the instance may be one that the original doesn't run: its addresses may be anywhere */
  struct tsr_binding {
    LLVMValueRef from, to;
  } *map; /* loaded scalars and copies of the statement's instructions */
  int n;
  struct tsr_binding *local; /* what was computed anew in the present block */
  int n_local;
  LLVMBasicBlockRef *block; /* copies of the inner blocks, then that of `meet` */
  LLVMValueRef *late;       /* by write of the statement: what goes to an array element once the inner blocks are left */
};

/* ---- seen_loads.c ---- */

/* What LOAD, of the original, has given to another statement of C's iteration, in the block at hand; NULL: nothing yet. */
LLVMValueRef tsr_copy_seen(const struct tsr_copy *c, LLVMValueRef load);
/* COPY, in the block at hand, is LOAD in C's iteration. */
void tsr_copy_see(const struct tsr_copy *c, LLVMValueRef load, LLVMValueRef copy);

/* ---- joined_counters.c ---- */

/* The address of INST, a load or store of the instance at hand, whose counters are parts of one; NULL: they aren't, or that
 * doesn't make it simpler. */
LLVMValueRef tsr_emit_joined_pointer(struct tsr_copy *c, LLVMValueRef inst);

/* Append to a map. */
void tsr_copy_bind(struct tsr_binding **map, int *n, LLVMValueRef from, LLVMValueRef to);
/* VALUE in this instance, at the builder's place. */
LLVMValueRef tsr_copy_resolve(struct tsr_copy *c, LLVMValueRef value);
/* A copy of INST with resolved operands. */
LLVMValueRef tsr_copy_inst(struct tsr_copy *c, LLVMValueRef inst);
/* The address of INST, a load or a store, in this instance. */
LLVMValueRef tsr_copy_pointer(struct tsr_copy *c, LLVMValueRef inst);
/* The same in a buffer, of an access that READS or doesn't, and what is known of that address; NULL: it isn't in one. */
LLVMValueRef tsr_copy_buffer(struct tsr_copy *c, LLVMValueRef inst, bool reads, unsigned *alignment);
/* VALUE goes to the SCALAR array ARRAY, in its home or its slot. */
void tsr_copy_store_scalar(struct tsr_copy *c, int array, LLVMValueRef value);
/* flat_blocks.c: the inner blocks as selects, behind the copy of the first block, which has no branch yet. False: nothing is
 * done, they need branches. */
bool tsr_copy_flat(struct tsr_copy *c);
/* rare_blocks.c: note what e->look asks of this instance, of a rare statement, in place of its changes. */
void tsr_copy_changes(struct tsr_copy *c);
/* Say of COPY, a load or store, what is known of array FROM accesses. */
void tsr_copy_annotate(struct tsr_emit *e, LLVMValueRef from, LLVMValueRef copy);

#endif
