/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* isl AST -> blocks, node by node: what a mark says of the next loop decides who writes it. Those get back here for the
 * bodies through e->emit_node. */
#include "emit/buffer/array_buffers.h"
#include "emit/buffer/buffer.h"
#include "emit/gpu/gpu.h"
#include "emit/statement_code.h"
#include "emit/threads/threads.h"
#include "emit/vector/vector.h"
#include <isl/id.h>
#include <stdlib.h>
#include <string.h>

/* Is an element that STMT accesses masked? */
static bool is_masked(struct tsr_emit *e, int stmt)
{
  bool masked = false;
  for (int i = 0; i < e->m->n_access && !masked; i++)
    masked = e->m->access[i].stmt == stmt && tsr_is_masked(e->m->a, e->m->access[i].inst);
  return masked;
}

/* The loop NODE, by whom the mark above it, or what it is a part of, says. */
static void emit_loop_as_said(struct tsr_emit *e, isl_ast_node *node)
{
  if (tsr_emit_in_kernel(e, node) || tsr_emit_pipelined(e, node))
    return;
  if (e->tile)
    tsr_emit_registers(e, &node, 1);
  if (e->stream) {
    if (tsr_emit_streamed_loop(e, node))
      return;
    e->vector = true;
  }
  if (e->tile || tsr_emit_transposed(e, node) || tsr_emit_packed_rows(e, node) || tsr_emit_packed_line(e, node) ||
      tsr_emit_edge(e, node))
    return;
  if (e->lockstep) {
    tsr_emit_lockstep(e, node);
    return;
  }
  if (e->lanes && tsr_emit_lane_loop(e, node))
    return;
  if (tsr_emit_is_columns(e)) {
    tsr_emit_doacross_columns(e, node);
    return;
  }
  struct tsr_for loop = {.iterator = tsr_emit_iterator_name(node), .body = isl_ast_node_for_get_body(node)};
  if (isl_ast_node_for_is_degenerate(node) == isl_bool_true) {
    int n_var = e->n_var;
    e->vector = e->parallel = e->chain = false;
    tsr_emit_bind(e, loop.iterator, tsr_emit_expr(e, isl_ast_node_for_get_init(node)));
    tsr_emit_ast(e, loop.body);
    tsr_emit_unbind(e, n_var);
  } else {
    tsr_emit_bounds(e, node, &loop);
    bool parallel = e->parallel && !e->in_parallel;
    e->parallel = false;
    loop.doacross = parallel && e->doacross;
    loop.even = parallel && !loop.doacross && tsr_emit_is_even(e, node);
    if (parallel)
      tsr_emit_parallel(e, &loop);
    else if (e->rare)
      tsr_emit_rare(e, &loop);
    else
      tsr_emit_loop(e, &loop);
  }
  free(loop.iterator);
  isl_ast_node_free(loop.body);
}

static void emit_for(struct tsr_emit *e, isl_ast_node *node)
{
  bool *state = e->gpu ? tsr_emit_enter_part(e, node) : NULL;
  emit_loop_as_said(e, node);
  tsr_emit_leave_part(e, state);
}

/* A branch; what waits for the next loop waits in both arms. */
static void emit_if(struct tsr_emit *e, isl_ast_node *node)
{
  bool vector = e->vector, parallel = e->parallel;
  int width = e->vector_width;
  LLVMValueRef cond = tsr_emit_guard(e, isl_ast_node_if_get_cond(node));
  bool both = isl_ast_node_if_has_else_node(node) == isl_bool_true;
  LLVMBasicBlockRef yes = tsr_emit_block(e, "tsr.then"), no = both ? tsr_emit_block(e, "tsr.else") : NULL;
  LLVMBasicBlockRef behind = tsr_emit_block(e, "tsr.endif");
  LLVMBuildCondBr(e->b, cond, yes, both ? no : behind);
  LLVMPositionBuilderAtEnd(e->b, yes);
  bool *state = e->gpu ? tsr_emit_enter_part(e, node) : NULL;
  isl_ast_node *sub = isl_ast_node_if_get_then_node(node);
  tsr_emit_ast(e, sub);
  isl_ast_node_free(sub);
  LLVMBuildBr(e->b, behind);
  if (both) {
    tsr_emit_again(e, state);
    e->vector = vector;
    e->vector_width = width;
    e->parallel = parallel;
    LLVMPositionBuilderAtEnd(e->b, no);
    sub = isl_ast_node_if_get_else_node(node);
    tsr_emit_ast(e, sub);
    isl_ast_node_free(sub);
    LLVMBuildBr(e->b, behind);
  }
  tsr_emit_leave_part(e, state);
  LLVMPositionBuilderAtEnd(e->b, behind);
}

/* The statements of an iteration whose reads come first: NODE runs one, or a list of them and nothing else. False: it is
 * something else, whose reads stay where they are. */
static bool emit_preloaded(struct tsr_emit *e, isl_ast_node *node)
{
  bool block = isl_ast_node_get_type(node) == isl_ast_node_block;
  isl_ast_node_list *list =
      block ? isl_ast_node_block_get_children(node) : isl_ast_node_list_from_ast_node(isl_ast_node_copy(node));
  int n = isl_ast_node_list_n_ast_node(list);
  bool plain = e->preload && !e->gpu && !e->lanes && !e->skip.test && n > 0;
  struct tsr_emitted *stmts = calloc((size_t)n + 1, sizeof(*stmts));
  for (int i = 0; i < n && plain; i++) {
    isl_ast_node *user = isl_ast_node_list_get_ast_node(list, i);
    plain = isl_ast_node_get_type(user) == isl_ast_node_user && !tsr_ast_instance(user);
    isl_ast_node_free(user);
  }
  for (int i = 0; i < n && plain; i++) {
    isl_ast_node *user = isl_ast_node_list_get_ast_node(list, i);
    stmts[i].stmt = tsr_emit_counters(e, user, &stmts[i].counters);
    e->masked |= stmts[i].stmt >= 0 && is_masked(e, stmts[i].stmt);
    isl_ast_node_free(user);
  }
  isl_ast_node_list_free(list);
  if (plain) {
    e->vector = e->parallel = e->chain = false;
    tsr_emit_stmts_preloaded(e, stmts, n);
  }
  for (int i = 0; i < n; i++)
    free(stmts[i].counters);
  free(stmts);
  return plain;
}

/* One child after the other; what waits for the next loop waits in each. */
static void emit_block(struct tsr_emit *e, isl_ast_node *node)
{
  bool vector = e->vector, parallel = e->parallel;
  int width = e->vector_width;
  isl_ast_node_list *list = isl_ast_node_block_get_children(node);
  tsr_emit_forget_seen(e);
  for (int i = 0; i < isl_ast_node_list_n_ast_node(list); i++) {
    int joined = tsr_emit_joined_tiles(e, list, i);
    if (joined) {
      i += joined - 1;
      continue;
    }
    isl_ast_node *sub = isl_ast_node_list_get_ast_node(list, i);
    e->vector = vector;
    e->vector_width = width;
    e->parallel = parallel;
    tsr_emit_ast(e, sub);
    isl_ast_node_free(sub);
  }
  tsr_emit_forget_seen(e);
  isl_ast_node_list_free(list);
}

static void enter_vector(struct tsr_emit *e, const struct tsr_mark *mark)
{
  e->vector = true;
  e->vector_width = mark->number;
}

static void enter_chain(struct tsr_emit *e, const struct tsr_mark *mark)
{
  (void)mark;
  e->chain = true;
}

static void enter_preload(struct tsr_emit *e, const struct tsr_mark *mark)
{
  (void)mark;
  e->preload = true;
}

static void leave_preload(struct tsr_emit *e)
{
  e->preload = false;
}

static void enter_rare(struct tsr_emit *e, const struct tsr_mark *mark)
{
  (void)mark;
  e->rare = true;
}

static void leave_rare(struct tsr_emit *e)
{
  e->rare = false;
}

static void enter_stream(struct tsr_emit *e, const struct tsr_mark *mark)
{
  (void)mark;
  e->stream = true;
}

static void leave_stream(struct tsr_emit *e)
{
  e->stream = false;
}

static void enter_steps(struct tsr_emit *e, const struct tsr_mark *mark)
{
  (void)mark;
  e->steps = true;
}

static void leave_steps(struct tsr_emit *e)
{
  e->steps = false;
}

static void enter_life(struct tsr_emit *e, const struct tsr_mark *mark)
{
  if (e->gpu)
    tsr_emit_thread_buffers(e, mark);
}

static void enter_registers(struct tsr_emit *e, const struct tsr_mark *mark)
{
  e->tile = mark;
}

static void enter_edges(struct tsr_emit *e, const struct tsr_mark *mark)
{
  e->edges = &mark->edges;
}

static void enter_lockstep(struct tsr_emit *e, const struct tsr_mark *mark)
{
  e->lockstep = &mark->lockstep;
}

/* What a mark says of the loops below it, on this target; NULL: nothing. */
static const struct {
  void (*enter)(struct tsr_emit *e, const struct tsr_mark *mark);
  void (*leave)(struct tsr_emit *e);
} on_mark[TSR_N_MARK] = {[TSR_MARK_PARALLEL] = {tsr_emit_enter_parallel, NULL},
                         [TSR_MARK_DOACROSS] = {tsr_emit_enter_parallel, NULL},
                         [TSR_MARK_ALLOCATE] = {enter_life, NULL},
                         [TSR_MARK_VECTOR] = {enter_vector, NULL},
                         [TSR_MARK_REGISTERS] = {enter_registers, NULL},
                         [TSR_MARK_EDGES] = {enter_edges, NULL},
                         [TSR_MARK_STEPS] = {enter_steps, leave_steps},
                         [TSR_MARK_LOCKSTEP] = {enter_lockstep, NULL},
                         [TSR_MARK_CHAIN] = {enter_chain, NULL},
                         [TSR_MARK_RARE] = {enter_rare, leave_rare},
                         [TSR_MARK_PRELOAD] = {enter_preload, leave_preload},
                         [TSR_MARK_STREAM] = {enter_stream, leave_stream},
                         [TSR_MARK_UNROLL] = {tsr_emit_enter_unrolled, tsr_emit_leave_unrolled}};

/* What the mark NODE says of the loops below holds until they are written. */
static void emit_mark(struct tsr_emit *e, isl_ast_node *node)
{
  const struct tsr_mark *mark = tsr_ast_mark(node);
  isl_ast_node *sub = isl_ast_node_mark_get_node(node);
  if (mark && on_mark[mark->kind].enter)
    on_mark[mark->kind].enter(e, mark);
  if (e->gpu && tsr_mark_is(mark, TSR_MARK_KERNEL))
    tsr_emit_kernel(e, mark, sub);
  else if (e->gpu && tsr_mark_is(mark, TSR_MARK_THREADS))
    tsr_emit_phase(e, mark, sub);
  else
    tsr_emit_ast(e, sub);
  if (mark && on_mark[mark->kind].leave)
    on_mark[mark->kind].leave(e);
  e->vector = e->parallel = e->chain = false;
  e->vector_width = 0;
  e->edges = NULL;
  e->tile = NULL;
  e->lockstep = NULL;
  isl_ast_node_free(sub);
}

/* An instance of a statement, or a move. */
static void emit_user(struct tsr_emit *e, isl_ast_node *node)
{
  LLVMValueRef *counters;
  if (e->skip.test) {
    tsr_emit_skip_test(e, node);
    return;
  }
  if (e->gpu && e->gpu->rows) {
    tsr_emit_copied_row(e, node);
    return;
  }
  if (tsr_emit_in_kernel(e, node))
    return;
  if (e->lanes) {
    tsr_emit_lane_user(e, node);
    return;
  }
  e->instance = tsr_ast_instance(node);
  e->vector = e->parallel = e->chain = false;
  if (e->instance && e->instance->kind == TSR_STMT_MOVE) {
    tsr_emit_moved(e, node);
    e->instance = NULL;
    return;
  }
  int stmt = tsr_emit_counters(e, node, &counters);
  e->masked |= stmt >= 0 && is_masked(e, stmt);
  tsr_emit_stmt(e, stmt, counters);
  e->instance = NULL;
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
    if (!emit_preloaded(e, node))
      emit_block(e, node);
    break;
  case isl_ast_node_mark:
    emit_mark(e, node);
    break;
  case isl_ast_node_user:
    if (!emit_preloaded(e, node))
      emit_user(e, node);
    break;
  case isl_ast_node_error:
    break;
  }
}
