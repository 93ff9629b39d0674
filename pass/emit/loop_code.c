/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A loop is rotated from the start, its bounds computed once in front of it:
 *
 *   at:     first, last; br first <= last, header, behind
 *   header: c = phi [first, at], [next, end of body]; body; next = c + step; br next <= last, header, behind
 *   behind:
 *
 * Where all statements of its body have one guard, the same one in all iterations, that is asked in front of header. */
#include "emit/buffer/buffer.h"
#include "emit/gpu/gpu.h"
#include "emit/statement_code.h"
#include "emit/threads/threads.h"
#include <stdlib.h>

/* May accesses of LOOP, a vector loop, be marked as parallel? */
static bool may_be_marked(struct tsr_emit *e, const struct tsr_for *loop)
{
  return LLVMIsAConstantInt(loop->step) &&
         !tsr_iteration_is_ordered(e->m->scop, loop->body, loop->iterator, (long)LLVMConstIntGetSExtValue(loop->step));
}

/* The first of the statements that LOOP runs, where all have its guard, which stays; NULL: they haven't. */
static isl_ast_node *find_guarded(struct tsr_emit *e, const struct tsr_for *loop)
{
  if (e->asked || e->gpu || e->lanes || e->edges || e->tile || e->skip.test || !LLVMIsAConstantInt(loop->step) ||
      !tsr_iteration_keeps_guards(e->m->scop, loop->body, loop->iterator, (long)LLVMConstIntGetSExtValue(loop->step)))
    return NULL;
  bool block = isl_ast_node_get_type(loop->body) == isl_ast_node_block, same = true;
  isl_ast_node_list *list =
      block ? isl_ast_node_block_get_children(loop->body) : isl_ast_node_list_from_ast_node(isl_ast_node_copy(loop->body));
  isl_ast_node *first = isl_ast_node_list_get_ast_node(list, 0);
  const struct tsr_stmt_info *s = &e->m->stmts[tsr_emit_stmt_of(e, first)];
  for (int i = 1; i < isl_ast_node_list_n_ast_node(list); i++) {
    isl_ast_node *node = isl_ast_node_list_get_ast_node(list, i);
    const struct tsr_stmt_info *other = &e->m->stmts[tsr_emit_stmt_of(e, node)];
    same &= other->guard == s->guard && other->guard_when == s->guard_when;
    isl_ast_node_free(node);
  }
  isl_ast_node_list_free(list);
  return same && s->guard ? first : isl_ast_node_free(first);
}

/* The builder, in front of the first iteration of LOOP, goes on to HEADER if the guard of USER, which is taken, holds there,
 * else to BEHIND. */
static void ask_guard(struct tsr_emit *e, const struct tsr_for *loop, __isl_take isl_ast_node *user,
                      LLVMBasicBlockRef header, LLVMBasicBlockRef behind)
{
  LLVMValueRef *counters;
  int n_var = e->n_var;
  tsr_emit_bind(e, loop->iterator, loop->first);
  int stmt = tsr_emit_counters(e, user, &counters);
  LLVMValueRef guard = tsr_emit_stmt_guard(e, stmt, counters);
  bool when = e->m->stmts[stmt].guard_when;
  tsr_emit_unbind(e, n_var);
  free(counters);
  isl_ast_node_free(user);
  e->asked = e->m->stmts[stmt].guard;
  LLVMBuildCondBr(e->b, guard, when ? header : behind, when ? behind : header);
}

void tsr_emit_loop(struct tsr_emit *e, const struct tsr_for *loop)
{
  isl_ast_node *guarded = find_guarded(e, loop);
  bool vector = e->vector && may_be_marked(e, loop), chain = e->chain, masked = e->masked;
  LLVMMetadataRef outer = e->access_group;
  int width = vector ? e->vector_width : 0;
  e->vector = e->chain = e->masked = false;
  e->vector_width = 0;
  e->access_group = vector ? tsr_md_distinct(e->llvm) : NULL;
  LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b);
  LLVMBasicBlockRef header = tsr_emit_block(e, "tsr.loop"), behind = tsr_emit_block(e, "tsr.behind");
  LLVMBasicBlockRef begin = guarded ? tsr_emit_block(e, "tsr.ask") : header;
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, loop->first, loop->last, ""), begin, behind);
  if (guarded) {
    LLVMPositionBuilderAtEnd(e->b, begin);
    ask_guard(e, loop, guarded, header, behind);
    at = LLVMGetInsertBlock(e->b);
  }
  LLVMPositionBuilderAtEnd(e->b, header);
  LLVMValueRef counter = LLVMBuildPhi(e->b, e->i64, "tsr.c");
  int n_var = e->n_var;
  tsr_emit_bind(e, loop->iterator, counter);
  e->var[n_var].header = header;
  e->var[n_var].first = loop->first;
  if (loop->across)
    tsr_emit_doacross_wait(e, loop->across, counter);
  e->emit_node(e, loop->body);
  if (loop->across)
    tsr_emit_doacross_tell(e, loop->across, counter);
  tsr_emit_doubled_end(e, loop, at);
  tsr_emit_unbind(e, n_var);
  LLVMValueRef next = LLVMBuildNSWAdd(e->b, counter, loop->step, "tsr.next");
  LLVMBasicBlockRef end = LLVMGetInsertBlock(e->b);
  LLVMValueRef again = LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, next, loop->last, ""), header, behind);
  e->vector_width = width;
  bool whole = chain || e->edges || tsr_emit_is_around_loops(e, loop);
  e->blocks = loop->blocks;
  tsr_set_metadata(again, "llvm.loop", tsr_emit_loop_id(e, e->access_group, whole));
  e->blocks = false;
  e->vector_width = 0;
  LLVMValueRef first = loop->first;
  LLVMAddIncoming(counter, &first, &at, 1);
  LLVMAddIncoming(counter, &next, &end, 1);
  LLVMPositionBuilderAtEnd(e->b, behind);
  e->access_group = outer;
  e->asked = guarded ? NULL : e->asked;
  e->masked |= masked;
}
