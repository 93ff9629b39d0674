/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The map of buffer/: what others use of it. */
#ifndef TSR_BUFFER_H
#define TSR_BUFFER_H

#include "emit/emitter.h"

/* ---- buffer_memory.c ------------------------------------------------------------------------------------------------ */

/* Allocate the buffers of e->variant->tree, if it has any, or go to OLD; leaves the builder in another block; free them */
void tsr_emit_buffers(struct tsr_emit *e, LLVMBasicBlockRef old);
void tsr_emit_buffers_free(struct tsr_emit *e);

/* ---- kept_memory.c -------------------------------------------------------------------------------------------------- */

/* BYTES of memory, i64, that nobody else has, where malloc might put it; null: there is none */
LLVMValueRef tsr_emit_memory_take(struct tsr_emit *e, LLVMValueRef bytes);
/* MEMORY, from there or null, is needed no longer */
void tsr_emit_memory_give(struct tsr_emit *e, LLVMValueRef memory);

/* ---- expanded_arrays.c ---------------------------------------------------------------------------------------------- */

/* BYTES, i64, and the memory for the arrays of the model's expansion behind them, or go to OLD if they are too large; leaves
 * the builder in another block. There must be an expansion. */
LLVMValueRef tsr_emit_expanded_bytes(struct tsr_emit *e, LLVMValueRef bytes, LLVMBasicBlockRef old);
/* Where they are, once there is memory */
void tsr_emit_expanded_place(struct tsr_emit *e);
/* From block number FIRST of the new ones on, they are used there */
void tsr_emit_expanded_use(struct tsr_emit *e, int first);

/* ---- buffer_places.c ------------------------------------------------------------------------------------------------ */

/* In a parallel region, of a loop with BODY: buffers whose life begins in it are those of the present thread */
void tsr_emit_buffers_of_thread(struct tsr_emit *e, __isl_keep isl_ast_node *body);

/* ---- kept_values.c -------------------------------------------------------------------------------------------------- */

/* Which place of e->instance, in a buffer, stands for ACCESS of the model, a read? -1: none */
int tsr_emit_place_read(struct tsr_emit *e, int access);
/* The place of the instance at hand where it writes, in a buffer in memory; -1: it writes elsewhere. */
int tsr_emit_place_written(struct tsr_emit *e);
/* .. is one of a buffer that holds VALUE, computed from what the access reads? */
int tsr_emit_place_with_value(struct tsr_emit *e, LLVMValueRef value);
/* How place number PLACE of e->instance goes on from one iteration of ITERATOR to the next: by *ELEMENTS, its others
 * staying. False: otherwise. */
bool tsr_emit_place_steps(struct tsr_emit *e, int place, const char *iterator, long *elements);
/* Are its rows of multiples of N elements, and is ITERATOR its last subscript? */
bool tsr_emit_place_begins_rows(struct tsr_emit *e, int place, const char *iterator, unsigned n);
/* ACCESS, a load or store, is one of a buffer: say so. The same. */
LLVMValueRef tsr_emit_annotate_buffer(struct tsr_emit *e, LLVMValueRef access);

/* ---- moved_elements.c ----------------------------------------------------------------------------------------------- */

/* The address of place number PLACE of e->instance, without what data says of it; alignment of what is there */
LLVMValueRef tsr_emit_place_at(struct tsr_emit *e, int place, unsigned *alignment);

/* ---- kept_moves.c --------------------------------------------------------------------------------------------------- */

/* The move that USER is */
void tsr_emit_moved(struct tsr_emit *e, __isl_keep isl_ast_node *user);
/* Where LOOP, from FIRST on, moves neighbours to neighbours in a buffer, in an iteration of the loop around: have the
 * elements fetched that a later iteration moves. */
void tsr_emit_kept_prefetch(struct tsr_emit *e, __isl_keep isl_ast_node *loop, LLVMValueRef first);

/* ---- blocked_packing.c ---------------------------------------------------------------------------------------------- */

/* LOOP, if it and the only loop in it move to a buffer against the order of memory: blocks are transposed. False: it is
 * another loop, nothing was emitted */
bool tsr_emit_transposed(struct tsr_emit *e, __isl_keep isl_ast_node *loop);
/* LOOP, if it and the only two loops in it move to a buffer [t][k][r] of few r: in blocks. False: it is another loop,
 * nothing was emitted */
bool tsr_emit_packed_rows(struct tsr_emit *e, __isl_keep isl_ast_node *loop);

/* LOOP, if it moves neighbours to neighbours in a buffer: vectors. False: it is another loop, nothing was emitted */
bool tsr_emit_packed_line(struct tsr_emit *e, __isl_keep isl_ast_node *loop);

#endif
