/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A register tile of a statement with a guard (read/control/zero_skips.c), which in each step is one for all lanes of a row.
 *
 *   at:     all = true; for each step and row: all &= guard; br all, tile, some
 *   tile:   the tile as if there were no guard; br behind
 *   some:   its loops one by one, lanes in short vectors where the guard holds (edge_code.c); br behind
 *
 * What a guard hides is neither read nor written. As a rule it hides nothing (emit/skip_tests.c): to ask costs a byte for
 * each step of a row, which is a loop that LLVM makes vectors of. */
#include "emit/vector/statement_lanes.h"
#include "emit/vector/vector.h"
#include <isl/id.h>
#include <stdlib.h>
#include <string.h>

struct guards {
  struct tsr_emit *e;
  const struct tsr_register_nest *nest;
  struct tsr_lanes *lanes;
  char *row, *vector; /* iterators; ROW NULL: there is one row */
};

/* ALL, a byte whose lowest bit counts, and the guard of the row and the step that are bound. */
static LLVMValueRef ask(struct guards *g, LLVMValueRef all)
{
  struct tsr_emit *e = g->e;
  int n_var = e->n_var;
  struct tsr_for bounds;
  LLVMValueRef *counters;
  tsr_emit_bounds(e, g->nest->vector, &bounds);
  tsr_emit_bind(e, g->vector, bounds.first);
  tsr_emit_counters(e, g->nest->user, &counters);
  LLVMValueRef both = LLVMBuildAnd(e->b, all, tsr_lanes_guard(g->lanes, counters), "tsr.all");
  tsr_emit_unbind(e, n_var);
  free(counters);
  return both;
}

static LLVMValueRef ask_steps(struct guards *g, int level, LLVMValueRef all);

/* The same of LOOP's iterations, or of the steps from LEVEL on in them. */
static LLVMValueRef ask_loop(struct guards *g, isl_ast_node *loop, int level, LLVMValueRef all)
{
  struct tsr_emit *e = g->e;
  struct tsr_for bounds;
  int n_var = e->n_var;
  tsr_emit_bounds(e, loop, &bounds);
  LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b), header = tsr_emit_block(e, "tsr.ask");
  LLVMBasicBlockRef behind = tsr_emit_block(e, "tsr.behind");
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, bounds.first, bounds.last, ""), header, behind);
  LLVMPositionBuilderAtEnd(e->b, behind);
  LLVMValueRef after = LLVMBuildPhi(e->b, LLVMTypeOf(all), "tsr.all");
  LLVMPositionBuilderAtEnd(e->b, header);
  LLVMValueRef counter = LLVMBuildPhi(e->b, e->i64, "tsr.c"), before = LLVMBuildPhi(e->b, LLVMTypeOf(all), "tsr.all");
  char *name = tsr_emit_iterator_name(loop);
  tsr_emit_bind(e, name, counter);
  free(name);
  LLVMValueRef made = ask_steps(g, level, before);
  tsr_emit_unbind(e, n_var);
  LLVMValueRef next = LLVMBuildNSWAdd(e->b, counter, bounds.step, "tsr.next"), first = bounds.first;
  LLVMBasicBlockRef end = LLVMGetInsertBlock(e->b);
  LLVMValueRef again = LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, next, bounds.last, ""), header, behind);
  tsr_set_metadata(again, "llvm.loop", tsr_emit_loop_id(e, NULL, false));
  LLVMAddIncoming(counter, &first, &at, 1);
  LLVMAddIncoming(counter, &next, &end, 1);
  LLVMAddIncoming(before, &all, &at, 1);
  LLVMAddIncoming(before, &made, &end, 1);
  LLVMAddIncoming(after, &all, &at, 1);
  LLVMAddIncoming(after, &made, &end, 1);
  LLVMPositionBuilderAtEnd(e->b, behind);
  return after;
}

/* The same of all steps from LEVEL on, and all rows in each of them, which are written out where a tile has all of them. */
static LLVMValueRef ask_steps(struct guards *g, int level, LLVMValueRef all)
{
  struct tsr_emit *e = g->e;
  if (level < g->nest->n_reduction)
    return ask_loop(g, g->nest->reduction[level], level + 1, all);
  if (!g->row || level > g->nest->n_reduction)
    return ask(g, all);
  if (g->nest->few)
    return ask_loop(g, g->nest->row, level + 1, all);
  for (int row = 0; row < g->nest->tile.rows; row++) {
    int n_var = e->n_var;
    tsr_emit_bind(e, g->row, tsr_emit_number(e, row));
    all = ask(g, all);
    tsr_emit_unbind(e, n_var);
  }
  return all;
}

/* LOOP, that of NEST, one by one but for lanes. */
static void emit_some(struct tsr_emit *e, const struct tsr_register_nest *nest, isl_ast_node *loop)
{
  struct tsr_edges edges = {.n = 1, .edge = {{.lanes = nest->tile.lanes, .n_dim = nest->tile.n_dim}}};
  isl_ast_expr *call = isl_ast_node_user_get_expr(nest->user), *callee = isl_ast_expr_op_get_arg(call, 0);
  isl_id *id = isl_ast_expr_get_id(callee);
  snprintf(edges.edge[0].stmt, sizeof(edges.edge[0].stmt), "%s", isl_id_get_name(id));
  isl_id_free(id);
  isl_ast_expr_free(callee);
  isl_ast_expr_free(call);
  memcpy(edges.edge[0].step, nest->tile.step, sizeof(edges.edge[0].step));
  const struct tsr_edges *outer = e->edges;
  const struct tsr_mark *tile = e->tile;
  e->edges = &edges;
  e->tile = NULL;
  e->emit_node(e, loop);
  e->edges = outer;
  e->tile = tile;
}

LLVMBasicBlockRef tsr_emit_tile_guards(struct tsr_emit *e, const struct tsr_register_nest *nest, struct tsr_lanes *lanes,
                                       isl_ast_node *loop)
{
  struct guards g = {.e = e, .nest = nest, .lanes = lanes, .vector = tsr_emit_iterator_name(nest->vector)};
  g.row = nest->row ? tsr_emit_iterator_name(nest->row) : NULL;
  LLVMTypeRef byte = LLVMInt8TypeInContext(e->llvm);
  LLVMValueRef all = ask_steps(&g, 0, LLVMConstInt(byte, 1, false));
  LLVMBasicBlockRef tile = tsr_emit_block(e, "tsr.tile"), some = tsr_emit_block(e, "tsr.some");
  LLVMBasicBlockRef behind = tsr_emit_block(e, "tsr.behind");
  LLVMValueRef are = LLVMBuildTrunc(e->b, all, LLVMInt1TypeInContext(e->llvm), "");
  tsr_emit_set_likely(e, LLVMBuildCondBr(e->b, are, tile, some));
  LLVMPositionBuilderAtEnd(e->b, some);
  const struct tsr_instance *instance = e->instance;
  emit_some(e, nest, loop);
  e->instance = instance;
  LLVMBuildBr(e->b, behind);
  LLVMPositionBuilderAtEnd(e->b, tile);
  free(g.row);
  free(g.vector);
  return behind;
}
