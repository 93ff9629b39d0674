/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The map of buffer/: what others use of it. */
#ifndef TSR_BUFFER_H
#define TSR_BUFFER_H

#include "emit/emitter.h"

/* ---- buffer_memory.c ------------------------------------------------------------------------------------------------ */

/* Allocate the buffers of e->variant->tree, if it has any, or go to OLD; leaves the builder in another block; free them */
void tsr_emit_buffers(struct tsr_emit *e, LLVMBasicBlockRef old);
void tsr_emit_buffers_free(struct tsr_emit *e);

/* ---- expanded_arrays.c ---------------------------------------------------------------------------------------------- */

/* BYTES, i64, and the memory for the arrays of the model's expansion behind them, or go to OLD if they are too large; leaves
 * the builder in another block. There must be an expansion. */
LLVMValueRef tsr_emit_expanded_bytes(struct tsr_emit *e, LLVMValueRef bytes, LLVMBasicBlockRef old);
/* Where they are, once there is memory */
void tsr_emit_expanded_place(struct tsr_emit *e);
/* From block number FIRST of the new ones on, they are used there */
void tsr_emit_expanded_use(struct tsr_emit *e, int first);

/* ---- buffer_places.c ------------------------------------------------------------------------------------------------ */

/* In a parallel region, of a loop with BODY: let e->buffer be those of the present thread, but for buffers that were filled
 * in front of it, for all threads */
void tsr_emit_buffers_of_thread(struct tsr_emit *e, __isl_keep isl_ast_node *body);

/* ---- packed_values.c ------------------------------------------------------------------------------------------------ */

/* The item of PACKED, which may be NULL, that stands for ACCESS of the model; -1: none */
int tsr_pack_of(struct tsr_emit *e, const struct tsr_packed *packed, int access);
/* The item whose buffer holds VALUE, computed from such an access */
int tsr_pack_with_value(struct tsr_emit *e, const struct tsr_packed *packed, LLVMValueRef value);
/* Item I of PACKED as number or vector of TYPE, as its role has it */
LLVMValueRef tsr_emit_packed_load(struct tsr_emit *e, const struct tsr_packed *packed, int i, LLVMTypeRef type,
                                  unsigned lanes, LLVMValueRef mask);
/* USER is a copy into a buffer; COUNTERS of the instance that it is named by */
void tsr_emit_pack_copy(struct tsr_emit *e, __isl_keep isl_ast_node *user, LLVMValueRef *counters);
/* Where LOOP, from FIRST on, copies neighbours into a buffer, in an iteration of the loop around: have the elements fetched
 * that a later iteration copies. */
void tsr_emit_pack_prefetch(struct tsr_emit *e, __isl_keep isl_ast_node *loop, LLVMValueRef first);

/* ---- blocked_packing.c ---------------------------------------------------------------------------------------------- */

/* LOOP, if it and the only loop in it copy into a buffer against the order of memory: blocks are transposed. False: it is
 * another loop, nothing was emitted */
bool tsr_emit_transposed(struct tsr_emit *e, __isl_keep isl_ast_node *loop);
/* LOOP, if it and the only two loops in it copy the rows of register tiles into a buffer, with the order of memory: in
 * blocks. False: it is another loop, nothing was emitted */
bool tsr_emit_packed_rows(struct tsr_emit *e, __isl_keep isl_ast_node *loop);

/* ---- panel_buffers.c ------------------------------------------------------------------------------------------------ */

/* MARK, of which the code comes next, is that of the panel; its end */
void tsr_emit_panel_mark(struct tsr_emit *e, const struct tsr_mark *mark);
void tsr_emit_panel_unmark(struct tsr_emit *e);
/* In the loop of panels: the one of number COUNTER goes into the buffer, and out of it. False: it is another loop */
bool tsr_emit_panel_begin(struct tsr_emit *e, LLVMValueRef counter);
void tsr_emit_panel_end(struct tsr_emit *e);
/* Is ARRAY in the buffer now? */
bool tsr_emit_panel_holds(struct tsr_emit *e, int array);
/* Of the buffer's elements, in bytes */
unsigned tsr_emit_panel_alignment(struct tsr_emit *e);
/* Where the element that INST, a load or store of the original, accesses is in the buffer; NULL: it isn't */
LLVMValueRef tsr_emit_panel_element(struct tsr_emit *e, LLVMValueRef inst, LLVMValueRef *counters);

#endif
