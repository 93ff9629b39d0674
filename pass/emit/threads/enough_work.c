/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Is there enough work in a parallel loop for a team of threads, and do all its iterations take the same time? */
#include "emit/threads/threads.h"
#include <isl/id.h>
#include <stdlib.h>
#include <string.h>

/* Iterations times statement instances below which a team of threads costs more than it brings. */
#define MIN_WORK 100000.0

LLVMValueRef tsr_emit_trip_count(struct tsr_emit *e, const struct tsr_for *loop)
{
  LLVMValueRef span = LLVMBuildSub(e->b, loop->last, loop->first, "");
  return LLVMBuildAdd(e->b, LLVMBuildSDiv(e->b, span, loop->step, ""), tsr_emit_number(e, 1), "tsr.trips");
}

/* Does every domain have bounds on each counter alone? */
static bool is_rectangular(struct tsr_model *m)
{
  for (int i = 0; i < m->scop->n_stmt; i++)
    if (isl_set_is_box(m->scop->stmts[i].domain) != isl_bool_true)
      return false;
  return true;
}

/* Is NAME, or if that is NULL any iterator, in EXPR, which is taken? */
static bool has_iterator(struct tsr_emit *e, __isl_take isl_ast_expr *expr, const char *name)
{
  bool has = false;
  if (isl_ast_expr_get_type(expr) == isl_ast_expr_id) {
    isl_id *id = isl_ast_expr_get_id(expr);
    has = name ? !strcmp(isl_id_get_name(id), name)
               : isl_set_find_dim_by_name(e->m->scop->context, isl_dim_param, isl_id_get_name(id)) < 0;
    isl_id_free(id);
  }
  isl_size n = isl_ast_expr_get_type(expr) == isl_ast_expr_op ? isl_ast_expr_op_get_n_arg(expr) : 0;
  for (int i = 0; i < n && !has; i++)
    has = has_iterator(e, isl_ast_expr_op_get_arg(expr, i), name);
  isl_ast_expr_free(expr);
  return has;
}

/* Is NAME, or if that is NULL any iterator, in the bounds of LOOP? */
static bool bounds_have(struct tsr_emit *e, isl_ast_node *loop, const char *name)
{
  if (isl_ast_node_for_is_degenerate(loop) == isl_bool_true)
    return has_iterator(e, isl_ast_node_for_get_init(loop), name);
  isl_ast_expr *cond = isl_ast_node_for_get_cond(loop);
  bool have =
      has_iterator(e, isl_ast_node_for_get_init(loop), name) || has_iterator(e, isl_ast_expr_op_get_arg(cond, 1), name);
  isl_ast_expr_free(cond);
  return have;
}

struct share {
  struct tsr_emit *e;
  const char *iterator;
};

/* Does what NODE runs, or not, not depend on the iterator? */
static isl_bool is_even(isl_ast_node *node, void *user)
{
  struct share *share = user;
  enum isl_ast_node_type type = isl_ast_node_get_type(node);
  if (type == isl_ast_node_for && bounds_have(share->e, node, share->iterator))
    return isl_bool_error;
  if (type == isl_ast_node_if && has_iterator(share->e, isl_ast_node_if_get_cond(node), share->iterator))
    return isl_bool_error;
  return isl_bool_true;
}

/* Work differs where bounds inside do, and at the rims of domains that aren't boxes or of wavefronts, where it may be none.
 */
bool tsr_emit_is_even(struct tsr_emit *e, isl_ast_node *node)
{
  if (is_rectangular(e->m) && !bounds_have(e, node, NULL))
    return true;
  char *iterator = tsr_emit_iterator_name(node);
  struct share share = {e, iterator};
  isl_ast_node *body = isl_ast_node_for_get_body(node);
  bool even = isl_ast_node_foreach_descendant_top_down(body, is_even, &share) == isl_stat_ok;
  isl_ast_node_free(body);
  free(iterator);
  return even;
}

/* ---- how much work is it? In double, which neither traps nor wraps; inner loops at the middle of the outer ones. */

LLVMValueRef tsr_emit_bind_middle(struct tsr_emit *e, isl_ast_node *node)
{
  LLVMTypeRef real = LLVMDoubleTypeInContext(e->llvm);
  char *name = tsr_emit_iterator_name(node);
  LLVMValueRef first = tsr_emit_expr(e, isl_ast_node_for_get_init(node)), middle = first, trips = LLVMConstReal(real, 1);
  if (isl_ast_node_for_is_degenerate(node) != isl_bool_true) {
    isl_ast_expr *cond = isl_ast_node_for_get_cond(node);
    LLVMValueRef last = tsr_emit_expr(e, isl_ast_expr_op_get_arg(cond, 1));
    if (isl_ast_expr_op_get_type(cond) == isl_ast_expr_op_lt)
      last = LLVMBuildSub(e->b, last, tsr_emit_number(e, 1), "");
    LLVMValueRef step = tsr_emit_expr(e, isl_ast_node_for_get_inc(node));
    isl_ast_expr_free(cond);
    middle = LLVMBuildSDiv(e->b, LLVMBuildAdd(e->b, first, last, ""), tsr_emit_number(e, 2), "");
    trips = LLVMBuildSDiv(e->b, LLVMBuildAdd(e->b, LLVMBuildSub(e->b, last, first, ""), step, ""), step, "");
    LLVMValueRef none = LLVMBuildICmp(e->b, LLVMIntSLT, trips, tsr_emit_number(e, 0), "");
    trips = LLVMBuildSIToFP(e->b, LLVMBuildSelect(e->b, none, tsr_emit_number(e, 0), trips, ""), real, "");
  }
  tsr_emit_bind(e, name, middle);
  free(name);
  return trips;
}

/* Trips of the loop NODE times the work of its body */
static LLVMValueRef loop_work(struct tsr_emit *e, isl_ast_node *node)
{
  int n = e->n_var;
  LLVMValueRef trips = tsr_emit_bind_middle(e, node);
  isl_ast_node *body = isl_ast_node_for_get_body(node);
  LLVMValueRef work = LLVMBuildFMul(e->b, trips, tsr_emit_work(e, body), "");
  isl_ast_node_free(body);
  tsr_emit_unbind(e, n);
  return work;
}

/* The sum over the children of NODE */
static LLVMValueRef block_work(struct tsr_emit *e, isl_ast_node *node)
{
  isl_ast_node_list *list = isl_ast_node_block_get_children(node);
  LLVMValueRef sum = LLVMConstReal(LLVMDoubleTypeInContext(e->llvm), 0);
  for (int i = 0; i < isl_ast_node_list_n_ast_node(list); i++) {
    isl_ast_node *sub = isl_ast_node_list_get_ast_node(list, i);
    sum = LLVMBuildFAdd(e->b, sum, tsr_emit_work(e, sub), "");
    isl_ast_node_free(sub);
  }
  isl_ast_node_list_free(list);
  return sum;
}

LLVMValueRef tsr_emit_work(struct tsr_emit *e, isl_ast_node *node)
{
  enum isl_ast_node_type type = isl_ast_node_get_type(node);
  if (type == isl_ast_node_for)
    return loop_work(e, node);
  if (type == isl_ast_node_block)
    return block_work(e, node);
  if (type != isl_ast_node_if && type != isl_ast_node_mark)
    return LLVMConstReal(LLVMDoubleTypeInContext(e->llvm), 1);
  isl_ast_node *sub = type == isl_ast_node_if ? isl_ast_node_if_get_then_node(node) : isl_ast_node_mark_get_node(node);
  LLVMValueRef work = tsr_emit_work(e, sub);
  isl_ast_node_free(sub);
  return work;
}

/* The work of the iteration of LOOP at POINT */
static LLVMValueRef work_at(struct tsr_emit *e, const struct tsr_for *loop, LLVMValueRef point)
{
  int n = e->n_var;
  tsr_emit_bind(e, loop->iterator, point);
  LLVMValueRef work = tsr_emit_work(e, loop->body);
  tsr_emit_unbind(e, n);
  return work;
}

/* The most work of an iteration of LOOP, of three: in a wavefront the one in the middle may be empty.
 *
 *   most = 0;  for (k = 1; k <= 3; k++) most = max(most, work at first + k * (last - first) / 4) */
static LLVMValueRef most_work(struct tsr_emit *e, const struct tsr_for *loop)
{
  LLVMTypeRef real = LLVMDoubleTypeInContext(e->llvm);
  LLVMBasicBlockRef from = LLVMGetInsertBlock(e->b), body = tsr_emit_block(e, "tsr.work"), behind;
  LLVMValueRef one = tsr_emit_number(e, 1), zero = LLVMConstReal(real, 0);
  LLVMValueRef quarter =
      LLVMBuildSDiv(e->b, LLVMBuildSub(e->b, loop->last, loop->first, ""), tsr_emit_number(e, 4), "tsr.quarter");
  LLVMBuildBr(e->b, body);
  LLVMPositionBuilderAtEnd(e->b, body);
  LLVMValueRef k = LLVMBuildPhi(e->b, e->i64, ""), most = LLVMBuildPhi(e->b, real, "tsr.most");
  LLVMAddIncoming(k, &one, &from, 1);
  LLVMAddIncoming(most, &zero, &from, 1);
  LLVMValueRef point = LLVMBuildAdd(e->b, loop->first, LLVMBuildMul(e->b, k, quarter, ""), "");
  LLVMValueRef work = work_at(e, loop, point);
  work = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOGT, work, most, ""), work, most, "");
  LLVMValueRef next = LLVMBuildAdd(e->b, k, one, ""),
               more = LLVMBuildICmp(e->b, LLVMIntSLE, next, tsr_emit_number(e, 3), "");
  LLVMBasicBlockRef end = LLVMGetInsertBlock(e->b);
  behind = tsr_emit_block(e, "tsr.worked");
  LLVMBuildCondBr(e->b, more, body, behind);
  LLVMAddIncoming(k, &next, &end, 1);
  LLVMAddIncoming(most, &work, &end, 1);
  LLVMPositionBuilderAtEnd(e->b, behind);
  return work;
}

LLVMValueRef tsr_emit_is_enough(struct tsr_emit *e, const struct tsr_for *loop)
{
  LLVMTypeRef real = LLVMDoubleTypeInContext(e->llvm);
  LLVMValueRef trips = tsr_emit_trip_count(e, loop), work;
  LLVMValueRef several = LLVMBuildICmp(e->b, LLVMIntSGT, trips, tsr_emit_number(e, 1), "");
  if (e->m->opt->force)
    return several;
  if (loop->even)
    work = work_at(e, loop, LLVMBuildSDiv(e->b, LLVMBuildAdd(e->b, loop->first, loop->last, ""), tsr_emit_number(e, 2), ""));
  else
    work = most_work(e, loop);
  work = LLVMBuildFMul(e->b, LLVMBuildSIToFP(e->b, trips, real, ""), work, "");
  return LLVMBuildAnd(e->b, several, LLVMBuildFCmp(e->b, LLVMRealOGT, work, LLVMConstReal(real, MIN_WORK), ""), "");
}

LLVMValueRef tsr_emit_is_inside_team(struct tsr_emit *e)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  return LLVMBuildICmp(e->b, LLVMIntNE, tsr_emit_call(e, "omp_in_parallel", i32, NULL, 0), LLVMConstInt(i32, 0, false), "");
}

static LLVMValueRef any_is_enough(struct tsr_emit *e, isl_ast_node *node);

/* The same for NODE, which is taken. */
static LLVMValueRef any_in(struct tsr_emit *e, __isl_take isl_ast_node *node)
{
  LLVMValueRef any = any_is_enough(e, node);
  isl_ast_node_free(node);
  return any;
}

/* .. a loop, below a mark that is for THREADS or not */
static LLVMValueRef any_in_loop(struct tsr_emit *e, isl_ast_node *node, bool threads)
{
  if (threads && isl_ast_node_for_is_degenerate(node) != isl_bool_true) {
    struct tsr_for loop = {.iterator = tsr_emit_iterator_name(node), .body = isl_ast_node_for_get_body(node)};
    tsr_emit_bounds(e, node, &loop);
    LLVMValueRef enough = tsr_emit_is_enough(e, &loop);
    free(loop.iterator);
    isl_ast_node_free(loop.body);
    return enough;
  }
  int n = e->n_var;
  tsr_emit_bind_middle(e, node);
  LLVMValueRef any = any_in(e, isl_ast_node_for_get_body(node));
  tsr_emit_unbind(e, n);
  return any;
}

/* .. a mark */
static LLVMValueRef any_in_mark(struct tsr_emit *e, isl_ast_node *node)
{
  isl_ast_node *sub = isl_ast_node_mark_get_node(node);
  bool threads = tsr_mark_is_for_threads(tsr_ast_mark(node)) && isl_ast_node_get_type(sub) == isl_ast_node_for;
  LLVMValueRef any = threads ? any_in_loop(e, sub, true) : any_is_enough(e, sub);
  isl_ast_node_free(sub);
  return any;
}

/* i1: is there a parallel loop in NODE that has enough to do, in the middle of the loops around it? */
static LLVMValueRef any_is_enough(struct tsr_emit *e, isl_ast_node *node)
{
  LLVMValueRef any = LLVMConstInt(LLVMInt1TypeInContext(e->llvm), 0, false);
  switch (isl_ast_node_get_type(node)) {
  case isl_ast_node_for:
    return any_in_loop(e, node, false);
  case isl_ast_node_mark:
    return any_in_mark(e, node);
  case isl_ast_node_if:
    any = any_in(e, isl_ast_node_if_get_then_node(node));
    if (isl_ast_node_if_has_else_node(node) == isl_bool_true)
      any = LLVMBuildOr(e->b, any, any_in(e, isl_ast_node_if_get_else_node(node)), "");
    return any;
  case isl_ast_node_block: {
    isl_ast_node_list *list = isl_ast_node_block_get_children(node);
    for (int i = 0; i < isl_ast_node_list_n_ast_node(list); i++)
      any = LLVMBuildOr(e->b, any, any_in(e, isl_ast_node_list_get_ast_node(list, i)), "");
    isl_ast_node_list_free(list);
    return any;
  }
  default:
    return any;
  }
}

LLVMValueRef tsr_emit_may_use_threads(struct tsr_emit *e, isl_ast_node *ast)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMValueRef threads = tsr_emit_call(e, "omp_get_max_threads", i32, NULL, 0);
  LLVMValueRef may = LLVMBuildICmp(e->b, LLVMIntSGT, threads, LLVMConstInt(i32, 1, false), "");
  may = LLVMBuildAnd(e->b, may, LLVMBuildNot(e->b, tsr_emit_is_inside_team(e), ""), "");
  return e->m->opt->force ? may : LLVMBuildAnd(e->b, may, any_is_enough(e, ast), "tsr.mayshare");
}
