/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* isl AST -> blocks. A loop is rotated from the start, its bounds computed once in front of it:
 *
 *   at:     first, last; br first <= last, header, behind
 *   header: c = phi [first, at], [next, end of body]; body; next = c + step; br next <= last, header, behind
 *   behind: */
#include "pass.h"
#include <isl/id.h>
#include <stdlib.h>
#include <string.h>

LLVMBasicBlockRef tsr_emit_block(struct tsr_emit *e, const char *name)
{
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInsertBlock(e->b));
  LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(e->llvm, function, name);
  tsr_blocks_add(&e->fresh, block);
  return block;
}

static LLVMMetadataRef flag(struct tsr_emit *e, const char *name, LLVMMetadataRef value)
{
  LLVMMetadataRef item[2] = {LLVMMDStringInContext2(e->llvm, name, strlen(name)), value};
  return tsr_md_node(e->llvm, item, value ? 2 : 1);
}

LLVMMetadataRef tsr_emit_loop_id(struct tsr_emit *e, LLVMMetadataRef group, bool final)
{
  LLVMMetadataRef item[16];
  unsigned n = 0;
  item[n++] = flag(e, "llvm.loop.mustprogress", NULL);
  item[n++] = flag(e, TSR_LOOP_DONE, NULL);
  if (group)
    item[n++] = flag(e, "llvm.loop.parallel_accesses", group);
  if (final)
    item[n++] = flag(e, "llvm.loop.unroll.disable", NULL);
  for (unsigned i = 0; i < e->n_hint && n < 15; i++)
    item[n++] = e->hint[i];
  if (e->masked) { /* behind the user's hints: the last one counts */
    LLVMValueRef no = LLVMConstInt(LLVMInt1TypeInContext(e->llvm), 0, false);
    item[n++] = flag(e, "llvm.loop.vectorize.enable", LLVMValueAsMetadata(no));
  }
  return tsr_md_self_reference(e->llvm, item, n);
}

void tsr_emit_unbind(struct tsr_emit *e, int n_var)
{
  for (; e->n_var > n_var; e->n_var--)
    free(e->var[e->n_var - 1].name);
}

/* May accesses of LOOP, a vector loop, be marked as parallel? */
static bool may_be_marked(struct tsr_emit *e, const struct tsr_for *loop)
{
  return LLVMIsAConstantInt(loop->step) &&
         !tsr_iteration_is_ordered(e->m->scop, loop->body, loop->iterator, (long)LLVMConstIntGetSExtValue(loop->step));
}

/* Is an element that STMT accesses masked? */
static bool is_masked(struct tsr_emit *e, int stmt)
{
  bool masked = false;
  for (int i = 0; i < e->m->n_access && !masked; i++)
    masked = e->m->access[i].stmt == stmt && tsr_is_masked(e->m->a, e->m->access[i].inst);
  return masked;
}

void tsr_emit_loop(struct tsr_emit *e, const struct tsr_for *loop)
{
  bool vector = e->vector && may_be_marked(e, loop), chain = e->chain, masked = e->masked;
  LLVMMetadataRef outer = e->access_group;
  e->vector = e->chain = e->masked = false;
  e->access_group = vector ? tsr_md_distinct(e->llvm) : NULL;
  LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b);
  LLVMBasicBlockRef header = tsr_emit_block(e, "tsr.loop"), behind = tsr_emit_block(e, "tsr.behind");
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, loop->first, loop->last, ""), header, behind);
  LLVMPositionBuilderAtEnd(e->b, header);
  LLVMValueRef counter = LLVMBuildPhi(e->b, e->i64, "tsr.c");
  int n_var = e->n_var;
  tsr_emit_bind(e, loop->iterator, counter);
  e->var[n_var].header = header;
  e->var[n_var].first = loop->first;
  bool panel = tsr_emit_panel_begin(e, counter);
  if (loop->across)
    tsr_emit_doacross_wait(e, loop->across, counter);
  tsr_emit_ast(e, loop->body);
  if (loop->across)
    tsr_emit_doacross_tell(e, loop->across, counter);
  if (panel)
    tsr_emit_panel_end(e);
  tsr_emit_doubled_end(e, loop, at);
  tsr_emit_unbind(e, n_var);
  LLVMValueRef next = LLVMBuildNSWAdd(e->b, counter, loop->step, "tsr.next");
  LLVMBasicBlockRef end = LLVMGetInsertBlock(e->b);
  LLVMValueRef again = LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, next, loop->last, ""), header, behind);
  tsr_set_metadata(again, "llvm.loop", tsr_emit_loop_id(e, e->access_group, chain || e->edges));
  LLVMValueRef first = loop->first;
  LLVMAddIncoming(counter, &first, &at, 1);
  LLVMAddIncoming(counter, &next, &end, 1);
  LLVMPositionBuilderAtEnd(e->b, behind);
  e->access_group = outer;
  e->masked |= masked;
}

char *tsr_emit_iterator_name(isl_ast_node *node)
{
  isl_ast_expr *iterator = isl_ast_node_for_get_iterator(node);
  isl_id *id = isl_ast_expr_get_id(iterator);
  char *name = strdup(isl_id_get_name(id));
  isl_id_free(id);
  isl_ast_expr_free(iterator);
  return name;
}

void tsr_emit_bounds(struct tsr_emit *e, isl_ast_node *node, struct tsr_for *bounds)
{
  isl_ast_expr *cond = isl_ast_node_for_get_cond(node);
  bounds->first = tsr_emit_expr(e, isl_ast_node_for_get_init(node));
  bounds->last = tsr_emit_expr(e, isl_ast_expr_op_get_arg(cond, 1));
  if (isl_ast_expr_op_get_type(cond) == isl_ast_expr_op_lt)
    bounds->last = LLVMBuildNSWSub(e->b, bounds->last, LLVMConstInt(e->i64, 1, false), "");
  bounds->step = tsr_emit_expr(e, isl_ast_node_for_get_inc(node));
  isl_ast_expr_free(cond);
}

static void emit_for(struct tsr_emit *e, isl_ast_node *node)
{
  if (e->tile)
    tsr_emit_registers(e, node);
  if (e->tile || tsr_emit_transposed(e, node) || tsr_emit_packed_rows(e, node) || tsr_emit_edge(e, node))
    return;
  if (e->lockstep) {
    tsr_emit_lockstep(e, node);
    return;
  }
  if (e->lanes && tsr_emit_lane_loop(e, node))
    return;
  if (e->across) {
    tsr_emit_doacross_columns(e, node);
    return;
  }
  struct tsr_for loop = {.iterator = tsr_emit_iterator_name(node), .body = isl_ast_node_for_get_body(node)};
  if (isl_ast_node_for_is_degenerate(node) == isl_bool_true) {
    e->vector = e->parallel = e->chain = false;
    tsr_emit_bind(e, loop.iterator, tsr_emit_expr(e, isl_ast_node_for_get_init(node)));
    tsr_emit_ast(e, loop.body);
  } else {
    tsr_emit_bounds(e, node, &loop);
    tsr_emit_pack_prefetch(e, node, loop.first);
    bool parallel = e->parallel && !e->in_parallel;
    e->parallel = false;
    loop.doacross = parallel && e->doacross;
    loop.even = parallel && !loop.doacross && tsr_emit_is_even(e, node);
    if (parallel)
      tsr_emit_parallel(e, &loop);
    else
      tsr_emit_loop(e, &loop);
  }
  free(loop.iterator);
  isl_ast_node_free(loop.body);
}

static void emit_if(struct tsr_emit *e, isl_ast_node *node)
{
  bool vector = e->vector, parallel = e->parallel;
  LLVMValueRef cond = tsr_emit_guard(e, isl_ast_node_if_get_cond(node));
  bool both = isl_ast_node_if_has_else_node(node) == isl_bool_true;
  LLVMBasicBlockRef yes = tsr_emit_block(e, "tsr.then"), no = both ? tsr_emit_block(e, "tsr.else") : NULL;
  LLVMBasicBlockRef behind = tsr_emit_block(e, "tsr.endif");
  LLVMBuildCondBr(e->b, cond, yes, both ? no : behind);
  LLVMPositionBuilderAtEnd(e->b, yes);
  isl_ast_node *sub = isl_ast_node_if_get_then_node(node);
  tsr_emit_ast(e, sub);
  isl_ast_node_free(sub);
  LLVMBuildBr(e->b, behind);
  if (both) {
    e->vector = vector;
    e->parallel = parallel;
    LLVMPositionBuilderAtEnd(e->b, no);
    sub = isl_ast_node_if_get_else_node(node);
    tsr_emit_ast(e, sub);
    isl_ast_node_free(sub);
    LLVMBuildBr(e->b, behind);
  }
  LLVMPositionBuilderAtEnd(e->b, behind);
}

static void emit_block(struct tsr_emit *e, isl_ast_node *node)
{
  bool vector = e->vector, parallel = e->parallel;
  isl_ast_node_list *list = isl_ast_node_block_get_children(node);
  for (int i = 0; i < isl_ast_node_list_n_ast_node(list); i++) {
    isl_ast_node *sub = isl_ast_node_list_get_ast_node(list, i);
    e->vector = vector;
    e->parallel = parallel;
    tsr_emit_ast(e, sub);
    isl_ast_node_free(sub);
  }
  isl_ast_node_list_free(list);
}

static void emit_mark(struct tsr_emit *e, isl_ast_node *node)
{
  isl_id *id = isl_ast_node_mark_get_id(node);
  isl_ast_node *sub = isl_ast_node_mark_get_node(node);
  struct tsr_register_tile tile;
  struct tsr_edges edges;
  struct tsr_lockstep lockstep;
  bool panel = tsr_emit_panel_mark(e, isl_id_get_name(id));
  if (!strcmp(isl_id_get_name(id), TSR_MARK_VECTOR))
    e->vector = true;
  else if (tsr_mark_is_for_threads(isl_id_get_name(id)))
    tsr_emit_enter_parallel(e, id);
  else if (!strcmp(isl_id_get_name(id), TSR_MARK_CHAIN))
    e->chain = true;
  else if (tsr_ast_mark_is_registers(node, &tile))
    e->tile = &tile;
  else if (tsr_ast_mark_is_edges(node, &edges))
    e->edges = &edges;
  else if (tsr_ast_mark_is_lockstep(node, &lockstep))
    e->lockstep = &lockstep;
  tsr_emit_ast(e, sub);
  if (panel)
    tsr_emit_panel_unmark(e);
  e->vector = e->parallel = e->chain = false;
  e->edges = NULL;
  e->tile = NULL;
  e->lockstep = NULL;
  isl_ast_node_free(sub);
  isl_id_free(id);
}

int tsr_emit_stmt_of(struct tsr_emit *e, isl_ast_node *user)
{
  isl_ast_expr *call = isl_ast_node_user_get_expr(user), *name = isl_ast_expr_op_get_arg(call, 0);
  isl_id *id = isl_ast_expr_get_id(name);
  int stmt = tsr_scop_find_stmt(e->m->scop, isl_id_get_name(id));
  isl_id_free(id);
  isl_ast_expr_free(name);
  isl_ast_expr_free(call);
  return stmt;
}

int tsr_emit_counters(struct tsr_emit *e, isl_ast_node *node, LLVMValueRef **counters)
{
  isl_ast_expr *call = isl_ast_node_user_get_expr(node);
  isl_ast_expr *name = isl_ast_expr_op_get_arg(call, 0);
  isl_id *id = isl_ast_expr_get_id(name);
  int stmt = tsr_scop_find_stmt(e->m->scop, isl_id_get_name(id));
  int n = isl_ast_expr_op_get_n_arg(call) - 1;
  *counters = malloc((n + 1) * sizeof(**counters));
  for (int i = 0; i < n; i++)
    (*counters)[i] = tsr_emit_expr(e, isl_ast_expr_op_get_arg(call, i + 1));
  isl_id_free(id);
  isl_ast_expr_free(name);
  isl_ast_expr_free(call);
  return stmt;
}

static void emit_user(struct tsr_emit *e, isl_ast_node *node)
{
  LLVMValueRef *counters;
  if (e->lanes) {
    tsr_emit_lane_user(e, node);
    return;
  }
  int stmt = tsr_emit_counters(e, node, &counters);
  e->vector = e->parallel = e->chain = false;
  e->masked |= stmt >= 0 && is_masked(e, stmt);
  if (stmt < 0)
    tsr_emit_pack_copy(e, node, counters);
  else
    tsr_emit_stmt(e, stmt, counters);
  free(counters);
}

void tsr_emit_ast(struct tsr_emit *e, isl_ast_node *node)
{
  switch (isl_ast_node_get_type(node)) {
  case isl_ast_node_for:
    emit_for(e, node);
    break;
  case isl_ast_node_if:
    emit_if(e, node);
    break;
  case isl_ast_node_block:
    emit_block(e, node);
    break;
  case isl_ast_node_mark:
    emit_mark(e, node);
    break;
  case isl_ast_node_user:
    emit_user(e, node);
    break;
  case isl_ast_node_error:
    break;
  }
}
