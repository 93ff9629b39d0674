/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of buffer/ share: an element on its way into a buffer, and where buffers are. */
#ifndef TSR_PACKED_VALUES_H
#define TSR_PACKED_VALUES_H

#include "emit/buffer/buffer.h"

/* e->packed[NUMBER] is what is kept in that buffer: the element, or what the statement makes of it and of invariants alone,
 * such as alpha * A[i][k], or of elements that are the same for all instances and that nothing writes; its instances agree
 * on that, too. Its bytes: */
int64_t tsr_pack_element_size(struct tsr_emit *e, int number);
/* The address of the element that an instance at COUNTERS, which may be outside of the domain, would read; *READ: the value
 * that it is in the statement; *INST: a load or store of the original that goes there. */
LLVMValueRef tsr_pack_source(struct tsr_emit *e, const struct tsr_pack *pack, LLVMValueRef *counters, LLVMValueRef *inst,
                             LLVMValueRef *read);
/* LOAD of PACK's statement anew, for an instance at COUNTERS; NULL: it isn't one that all instances do from one element,
 * which nothing writes. */
LLVMValueRef tsr_pack_fixed(struct tsr_emit *e, const struct tsr_pack *pack, LLVMValueRef load, LLVMValueRef *counters);
/* Where item I of PACKED is, in the scope of its user node. */
LLVMValueRef tsr_pack_element(struct tsr_emit *e, const struct tsr_packed *packed, int i);
/* ACCESS, a load or store, is one of a buffer: say so. The same. */
LLVMValueRef tsr_pack_annotate(struct tsr_emit *e, LLVMValueRef access);

#define TSR_BUFFER_LINE 64
int64_t tsr_buffers_size(struct tsr_emit *e);
/* Let the buffers begin at FIRST. */
void tsr_buffers_place(struct tsr_emit *e, LLVMValueRef first);
LLVMValueRef tsr_buffer_at(struct tsr_emit *e, LLVMValueRef pointer, LLVMValueRef bytes);
/* What is to be kept in PACK's buffer: see above. */
LLVMValueRef tsr_pack_value(struct tsr_emit *e, const struct tsr_pack *pack);

/* buffer_places.c: the buffer for a panel of BYTES, of the present thread */
LLVMValueRef tsr_emit_panel_buffer(struct tsr_emit *e, LLVMValueRef bytes);
/* panel_buffers.c: has e->variant->tree panels that can be in a buffer? Then there is e->panel. How many bytes, at the
 * builder's place */
void tsr_emit_panel_find(struct tsr_emit *e);
LLVMValueRef tsr_emit_panel_bytes(struct tsr_emit *e);
void tsr_emit_panel_free(struct tsr_emit *e);

#endif
