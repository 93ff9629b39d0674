/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The map of vector/: what others use of it. Instances of a statement in the lanes of vectors are in statement_lanes.h and
 * lockstep_statements.h. */
#ifndef TSR_VECTOR_H
#define TSR_VECTOR_H

#include "emit/emitter.h"

/* ---- transposition.c ------------------------------------------------------------------------------------------------ */

/* N rows of N elements of PARTS numbers each, in place: element c of row r goes to element r of row c. N is a power of two,
 * N times PARTS at most 64. */
void tsr_transpose(struct tsr_emit *e, LLVMValueRef *row, unsigned n, unsigned parts);

/* ---- register_code.c ------------------------------------------------------------------------------------------------ */

/* The nests of e->tile in the N_LOOP loops LOOPS, which are alike, but for their statements. */
void tsr_emit_registers(struct tsr_emit *e, isl_ast_node **loops, int n_loop);

/* ---- joined_tiles.c ------------------------------------------------------------------------------------------------- */

/* Those of LIST, the nodes of a block, from number AT on that are register tiles which may run together, if there are two.
 * Returns how many nodes that was. */
int tsr_emit_joined_tiles(struct tsr_emit *e, __isl_keep isl_ast_node_list *list, int at);

/* ---- guarded_tiles.c ----------------------------------------------------------------------------------------------- */

struct tsr_lanes;
/* Begin with NEST of LOOP, that of e->tile, for LANES' statement, which has a guard: the builder is left where all guards
 * hold. Returns the block in which to go on behind that. */
LLVMBasicBlockRef tsr_emit_tile_guards(struct tsr_emit *e, const struct tsr_register_nest *nest, struct tsr_lanes *lanes,
                                       __isl_keep isl_ast_node *loop);

/* ---- edge_code.c ---------------------------------------------------------------------------------------------------- */

/* LOOP as short vectors, if the mark of edges around allows it. */
bool tsr_emit_edge(struct tsr_emit *e, __isl_keep isl_ast_node *loop);

/* ---- lockstep_code.c ------------------------------------------------------------------------------------------------ */

/* LOOP, below e->lockstep, over all its lanes */
void tsr_emit_lockstep(struct tsr_emit *e, __isl_keep isl_ast_node *loop);
/* In e->lanes: LOOP, if it is one of statements alone; false: it isn't, nothing was emitted. A statement. */
bool tsr_emit_lane_loop(struct tsr_emit *e, __isl_keep isl_ast_node *loop);
void tsr_emit_lane_user(struct tsr_emit *e, __isl_keep isl_ast_node *user);

/* ---- streamed_loops.c ------------------------------------------------------------------------------------------------ */

/* LOOP, below a mark "stream", past the caches where there is much data; false: it can't be, nothing was emitted. */
bool tsr_emit_streamed_loop(struct tsr_emit *e, __isl_keep isl_ast_node *loop);
/* Let all that was stored so, since the last fence, be before what comes now */
void tsr_emit_stream_fence(struct tsr_emit *e);

#endif
