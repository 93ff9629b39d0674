/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops beside register tiles, of one statement each, with few iterations: vectors that start where the loop does.
 *
 *   at:     br first <= last, header, behind
 *   header: c = phi; mask = lanes <= last - c; a vector of the statement; c += lanes; br c <= last, header, behind
 *
 * Where masks are no part of the target, all but the last vector run without, then single iterations. What has a guard,
 * which is one for all lanes, is asked in front of it all, if there is an instance. */
#include "emit/vector/statement_lanes.h"
#include "emit/vector/vector.h"
#include <stdlib.h>

#define LEAST_MASKED 64 /* bytes of the vectors of targets on which a mask is free */

/* { lanes from COUNTER on : not behind LAST } */
static LLVMValueRef make_mask(struct tsr_emit *e, unsigned n, LLVMValueRef counter, LLVMValueRef last)
{
  LLVMValueRef lane[64], left = LLVMBuildSub(e->b, LLVMBuildAdd(e->b, last, tsr_emit_number(e, 1), ""), counter, "");
  for (unsigned i = 0; i < n; i++)
    lane[i] = tsr_emit_number(e, i);
  return LLVMBuildICmp(e->b, LLVMIntSGT, tsr_vector_splat(e->b, left, n), LLVMConstVector(lane, n), "tsr.mask");
}

/* The instances of USER in all lanes of a vector, but for what MASK (NULL: nothing) hides. */
static void emit_vector(struct tsr_emit *e, struct tsr_lanes *lanes, isl_ast_node *user, LLVMValueRef mask)
{
  LLVMValueRef *counters;
  tsr_emit_counters(e, user, &counters);
  LLVMValueRef held = tsr_lanes_load(lanes, counters, mask);
  tsr_lanes_store(lanes, counters, mask, tsr_lanes_run(lanes, counters, mask, held));
  free(counters);
}

/* The loop from BOUNDS->first on, by STEP, as long as the iterator and MORE are not behind BOUNDS->last; LANES NULL: one by
 * one. The builder is left in what follows; the iterator there. */
static LLVMValueRef emit_loop(struct tsr_emit *e, const struct tsr_for *bounds, struct tsr_lanes *lanes, isl_ast_node *user,
                              bool masked)
{
  int64_t step = lanes ? lanes->n : 1, more = lanes && !masked ? step - 1 : 0;
  LLVMValueRef limit = more ? LLVMBuildNSWSub(e->b, bounds->last, tsr_emit_number(e, more), "") : bounds->last;
  LLVMValueRef first = bounds->first;
  LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b), header = tsr_emit_block(e, "tsr.edge"),
                    behind = tsr_emit_block(e, "tsr.behind");
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, first, limit, ""), header, behind);
  LLVMPositionBuilderAtEnd(e->b, behind);
  LLVMValueRef after = LLVMBuildPhi(e->b, e->i64, "tsr.c");
  LLVMPositionBuilderAtEnd(e->b, header);
  LLVMValueRef counter = LLVMBuildPhi(e->b, e->i64, "tsr.c");
  int n_var = e->n_var;
  tsr_emit_bind(e, bounds->iterator, counter);
  if (lanes)
    emit_vector(e, lanes, user, masked ? make_mask(e, lanes->n, counter, bounds->last) : NULL);
  else
    e->emit_node(e, user);
  tsr_emit_unbind(e, n_var);
  LLVMValueRef next = LLVMBuildNSWAdd(e->b, counter, tsr_emit_number(e, step), "tsr.next");
  LLVMBasicBlockRef end = LLVMGetInsertBlock(e->b);
  LLVMValueRef again = LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, next, limit, ""), header, behind);
  bool masked_elements = e->masked;
  e->masked = true; /* no vectors of its own: what is left of them is less than one */
  tsr_set_metadata(again, "llvm.loop", tsr_emit_loop_id(e, NULL, true));
  e->masked = masked_elements;
  LLVMAddIncoming(counter, &first, &at, 1);
  LLVMAddIncoming(counter, &next, &end, 1);
  LLVMAddIncoming(after, &first, &at, 1);
  LLVMAddIncoming(after, &next, &end, 1);
  LLVMPositionBuilderAtEnd(e->b, behind);
  return after;
}

/* If BOUNDS have an iteration, and LANES' guard, that of USER, lets it do anything: the builder is left there. Returns the
 * block in which to go on otherwise. */
static LLVMBasicBlockRef emit_guard(struct tsr_emit *e, const struct tsr_for *bounds, struct tsr_lanes *lanes,
                                    isl_ast_node *user)
{
  LLVMBasicBlockRef ask = tsr_emit_block(e, "tsr.ask"), run = tsr_emit_block(e, "tsr.guarded");
  LLVMBasicBlockRef behind = tsr_emit_block(e, "tsr.unguarded");
  LLVMValueRef *counters;
  int n_var = e->n_var;
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, bounds->first, bounds->last, ""), ask, behind);
  LLVMPositionBuilderAtEnd(e->b, ask);
  tsr_emit_bind(e, bounds->iterator, bounds->first);
  tsr_emit_counters(e, user, &counters);
  LLVMValueRef does = LLVMBuildTrunc(e->b, tsr_lanes_guard(lanes, counters), LLVMInt1TypeInContext(e->llvm), "");
  tsr_emit_unbind(e, n_var);
  free(counters);
  LLVMBuildCondBr(e->b, does, run, behind);
  LLVMPositionBuilderAtEnd(e->b, run);
  return behind;
}

bool tsr_emit_edge(struct tsr_emit *e, isl_ast_node *loop)
{
  const struct tsr_edge_stmt *edge;
  isl_ast_node *user;
  struct tsr_lanes lanes;
  struct tsr_for bounds = {0};
  if (!e->edges || !tsr_edge_loop_read(loop, e->edges, &edge, &user))
    return false;
  tsr_emit_bounds(e, loop, &bounds);
  bounds.iterator = tsr_emit_iterator_name(loop);
  e->instance = tsr_ast_instance(user);
  tsr_lanes_init(&lanes, e, tsr_emit_stmt_of(e, user), (unsigned)edge->lanes, edge->step, NULL, bounds.iterator, false);
  bool masked = e->m->scop->machine.vector_bytes >= LEAST_MASKED;
  LLVMBasicBlockRef behind = lanes.guarded ? emit_guard(e, &bounds, &lanes, user) : NULL;
  bounds.first = emit_loop(e, &bounds, &lanes, user, masked);
  if (!masked)
    emit_loop(e, &bounds, NULL, user, false);
  if (behind) {
    LLVMBuildBr(e->b, behind);
    LLVMPositionBuilderAtEnd(e->b, behind);
  }
  e->instance = NULL;
  tsr_lanes_clear(&lanes);
  free(bounds.iterator);
  isl_ast_node_free(user);
  return true;
}
