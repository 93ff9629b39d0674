/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The map of emit/, AST to IR: what driver.c uses. What its files share is in emitter.h; vector/, buffer/ and threads/ have
 * a header each of what others use of them.
 *
 *   emit.c           versioning: the run-time condition (runtime_condition.c), lifts (lifted_loads.c), the AST, the original
 *     ast_walk.c     node by node: marks say who writes the next loop
 *       loop_code.c  a plain loop;  vector/  register tiles, their edges, lanes;  buffer/  copies;  threads/  teams
 *         statement_code.c   one instance of a statement
 *   builder.c, expressions.c, ast_values.c, hoisted_values.c   below all of them
 *
 * Bodies of loops are written through e->emit_node, so that no file calls one above it. */
#ifndef TSR_EMIT_H
#define TSR_EMIT_H

#include "read/read.h"

/* ---- emit.c --------------------------------------------------------------------------------------------------------- */

/* Could the code of PLAN be written? Checks everything that may fail, changes nothing. On failure m->reason is set. */
bool tsr_emit_can(struct tsr_model *m, const struct tsr_result *plan);
/* Can the buffers of PLAN's programs for the CPU be written? M is as before. */
bool tsr_emit_buffers_can(struct tsr_model *m, const struct tsr_result *plan);
/* Write it: versioned on the run-time condition. Can't fail after tsr_emit_can. */
void tsr_emit(struct tsr_model *m, const struct tsr_result *plan);

/* Why VARIANT, for a GPU, can't be written: static text; NULL: it can. */
const char *tsr_emit_gpu_obstacle(struct tsr_model *m, const struct tsr_variant *variant);
/* Behind tsr_emit of all SCoPs of a function: scalars become values, parallel parts functions, and what is new, too, unless
 * it will be APART_ALREADY from the original, with all of the function (tsr_clone_keeps_original). Is what is new in M in a
 * function of its own? */
bool tsr_emit_finish(struct tsr_model *m, bool apart_already);

/* ---- kept_memory.c -------------------------------------------------------------------------------------------------- */

/* Behind all code that is new in MODULE: define the functions that memory for its buffers is from, if it calls them. NULL;
 * or why that failed, malloc'd. */
char *tsr_kept_memory_define(LLVMModuleRef module);

/* ---- masked_elements.c ---------------------------------------------------------------------------------------------- */

/* Does INST load or store an element in a loop that is named by a mask of a few bits of a counter? */
bool tsr_is_masked(struct tsr_analyses *a, LLVMValueRef inst);
/* Does FUNCTION anywhere? FORBID: LLVM is not to vectorise the loops around, whatever their hints */
bool tsr_has_masked(struct tsr_analyses *a, LLVMValueRef function, bool forbid);

#endif
