/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of buffer/ share: an element on its way into a buffer, and where buffers are. */
#ifndef TSR_KEPT_VALUES_H
#define TSR_KEPT_VALUES_H

#include "emit/buffer/buffer.h"

/* ---- kept_values.c -------------------------------------------------------------------------------------------------- */

/* The buffer of PLACE; NULL: it is none in memory. */
struct tsr_array_buffer *tsr_buffer_of(struct tsr_emit *e, const struct tsr_access_place *place);
/* The access of the model that access number ACCESS of statement STMT is; -1: none. What the statement reads by such an
 * ACCESS. */
int tsr_kept_access(const struct tsr_model *m, int stmt, int access);
LLVMValueRef tsr_kept_read(const struct tsr_model *m, int stmt, int access);
/* Is VALUE a load of statement STMT that all instances do from one element, which nothing writes? */
bool tsr_is_fixed_load(struct tsr_model *m, int stmt, LLVMValueRef value);
/* Note what buffer number NUMBER of the program holds, if it is a packed operand, which one access of
 * the original reads, and moves fill that read as this access does: the element, or what the statement makes of it and of
 * invariants alone, such as alpha * A[i][k], or of elements that are the same for all instances and that nothing writes; its
 * instances agree on that, too. */
void tsr_emit_kept_find(struct tsr_emit *e, int number);
/* How many elements the buffer at PLACE has in its last dimension; 0: that isn't a constant. */
int64_t tsr_emit_row_length(struct tsr_emit *e, const struct tsr_access_place *place);
/* By how many elements does PLACE go on, in its last dimension alone, with each iteration of ITERATOR? False: it doesn't go
 * on like that. */
bool tsr_place_step(const struct tsr_access_place *place, const char *iterator, long *elements);
/* Does it go on by 1 in dimension DIM, and stay in the others? */
bool tsr_place_is_iterator(const struct tsr_access_place *place, int dim, const char *iterator);

/* ---- kept_moves.c --------------------------------------------------------------------------------------------------- */

/* Where INSTANCE, of the user node at hand, a move, has its element: at an address of the original's, computed for an
 * instance at COUNTERS, which may be outside of the domain. *READ: the value that it is in BUFFER's statement; *INST: a load
 * or store of the original that goes there. */
LLVMValueRef tsr_emit_kept_source(struct tsr_emit *e, const struct tsr_array_buffer *buffer, LLVMValueRef *counters,
                                  LLVMValueRef *inst, LLVMValueRef *read);
/* LOAD of BUFFER's statement anew, for an instance at COUNTERS; NULL: it isn't one that all instances do from one element,
 * which nothing writes. */
LLVMValueRef tsr_emit_fixed_load(struct tsr_emit *e, const struct tsr_array_buffer *buffer, LLVMValueRef load,
                                 LLVMValueRef *counters);
/* The buffer that INSTANCE moves to, if it keeps a value of the original; else NULL. */
struct tsr_array_buffer *tsr_emit_kept_by(struct tsr_emit *e, const struct tsr_instance *instance);
/* The counters for tsr_emit_kept_source, of USER, a move by INSTANCE; the caller frees *ALL. */
LLVMValueRef *tsr_emit_kept_counters(struct tsr_emit *e, __isl_keep isl_ast_node *user, const struct tsr_instance *instance,
                                     LLVMValueRef **all);

/* ---- buffer_places.c ------------------------------------------------------------------------------------------------ */

#define TSR_BUFFER_LINE 64
LLVMValueRef tsr_buffer_at(struct tsr_emit *e, LLVMValueRef pointer, LLVMValueRef bytes);

#endif
