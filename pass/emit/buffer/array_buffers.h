/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The buffers of a transformed program: arrays of its SCoP that the original doesn't have. */
#ifndef TSR_ARRAY_BUFFERS_H
#define TSR_ARRAY_BUFFERS_H

#include "emit/emitter.h"

/* ---- array_buffers.c ------------------------------------------------------------------------------------------------ */

/* Can the code of PLAN's program be written, as far as buffers go? On failure m->reason is set. */
bool tsr_array_buffers_can(struct tsr_model *m, const struct tsr_variant *variant);
/* kept_values.c: is array number ARRAY of VARIANT's program a packed operand: values of the original that one access reads,
 * and that moves fetch as it does? */
bool tsr_array_buffer_keeps(struct tsr_model *m, const struct tsr_variant *variant, int array);
/* Find the buffers of the variant's program; how many bytes a thread needs of the heap, i64 at the builder's place. NULL:
 * none. *FITS: is that a number that can be, i1? NULL: it is. */
LLVMValueRef tsr_array_buffers_find(struct tsr_emit *e, LLVMValueRef *fits);
/* Let them begin at FIRST, which a thread has for itself. Only those that live within BODY, a part of the AST, unless it is
 * NULL. */
void tsr_array_buffers_place(struct tsr_emit *e, LLVMValueRef first, __isl_keep isl_ast_node *body);
/* Buffer number ARRAY of the program, of constant sizes, on a thread's stack at the builder's place */
LLVMValueRef tsr_emit_thread_array(struct tsr_emit *e, int array);
/* Where they are now, malloc'd; there they are again. */
LLVMValueRef *tsr_array_buffers_save(struct tsr_emit *e);
void tsr_array_buffers_restore(struct tsr_emit *e, LLVMValueRef *pointers);
/* Does BODY begin the life of one? */
bool tsr_array_buffers_are_in(struct tsr_emit *e, __isl_keep isl_ast_node *body);
void tsr_array_buffers_free(struct tsr_emit *e);

/* ---- dead_places.c -------------------------------------------------------------------------------------------------- */

/* Memory of the function's own that nobody reads any more, as long as the variant's program runs, or behind it: a pointer,
 * which may be null; *BYTES: how many, i64, at the builder's place. NULL: there is none. */
LLVMValueRef tsr_dead_place_find(struct tsr_emit *e, LLVMValueRef *bytes);

/* ---- moved_elements.c ----------------------------------------------------------------------------------------------- */

/* The number of the original's that says where the element that INST accesses, which is in a buffer, is there; *FIRST: its
 * least. NULL: subscripts alone do. READS: INST is a load, or a store in whose element a scalar lives that is read. */
LLVMValueRef tsr_emit_place_data(struct tsr_emit *e, LLVMValueRef inst, bool reads, int64_t *first);
/* Where the element that INST, a load or store of the instance at hand, accesses is in a buffer; NULL: it isn't. MORE: by
 * how much that number is above its least, NULL without one. ALIGNMENT (may be NULL) receives what is known of that address.
 */
LLVMValueRef tsr_emit_placed_element(struct tsr_emit *e, LLVMValueRef inst, bool reads, LLVMValueRef more,
                                     unsigned *alignment);
/* Can the address of access number I of the model be computed from subscripts: of single elements, in rows of one array? */
bool tsr_emit_is_element(struct tsr_emit *e, int i);
/* The address of INST, a load or store of the instance at hand, by subscripts that are simpler than the original's; NULL:
 * they aren't, or it is no access of single elements. */
LLVMValueRef tsr_emit_simpler_pointer(struct tsr_emit *e, LLVMValueRef inst);
/* Where what INST accesses, of the instance at hand, is in a buffer; NULL: it isn't. Not owned. */
const struct tsr_access_place *tsr_emit_place_of(struct tsr_emit *e, LLVMValueRef inst, bool reads);
/* The address of PLACE, in a buffer, without what data says of it */
LLVMValueRef tsr_emit_place_address(struct tsr_emit *e, const struct tsr_access_place *place);
/* Is what INST accesses, of the instance at hand, in a buffer? */
bool tsr_emit_is_placed(struct tsr_emit *e, LLVMValueRef inst, bool reads);
/* What INSTANCE, a move, moves; 0 where COND, i1, doesn't hold (NULL: it does), for which it must be from a GPU's memory */
LLVMValueRef tsr_emit_load_moved(struct tsr_emit *e, const struct tsr_instance *instance, LLVMValueRef cond);
/* .. which is VALUE, to where it goes */
void tsr_emit_store_moved(struct tsr_emit *e, const struct tsr_instance *instance, LLVMValueRef value);
/* The move that INSTANCE is */
void tsr_emit_move(struct tsr_emit *e, const struct tsr_instance *instance);

#endif
