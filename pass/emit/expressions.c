/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* isl AST expressions -> IR. All arithmetic is on i64; tsr_expr_fits has shown before that it can't overflow when parameters
 * are below 2^31 in magnitude. The run-time condition itself is evaluated before that is known: there e->may_wrap is set and
 * no instruction promises anything (a wrapped part doesn't matter, another part of the condition is false then). */
#include "emit/emitter.h"
#include <isl/id.h>
#include <isl/val.h>
#include <stdio.h>
#include <string.h>

#define PARAM_LIMIT 2147483648.0
#define LIMIT 4e18 /* below 2^62 */

/* ---- emission */

/* The value of EXPR, an identifier */
static LLVMValueRef lookup(struct tsr_emit *e, isl_ast_expr *expr)
{
  isl_id *id = isl_ast_expr_get_id(expr);
  LLVMValueRef value = tsr_emit_variable(e, isl_id_get_name(id));
  isl_id_free(id);
  return value;
}

/* floor(a / b) for a constant b > 0: (a - (a < 0 ? b - 1 : 0)) / b */
static LLVMValueRef floor_div(struct tsr_emit *e, LLVMValueRef a, LLVMValueRef b)
{
  int64_t by = LLVMIsAConstantInt(b) ? LLVMConstIntGetSExtValue(b) : 0;
  if (by > 0 && !(by & (by - 1)))
    return LLVMBuildAShr(e->b, a, tsr_emit_number(e, __builtin_ctzll(by)), "");
  LLVMValueRef negative = LLVMBuildICmp(e->b, LLVMIntSLT, a, tsr_emit_number(e, 0), "");
  LLVMValueRef less = LLVMBuildSub(e->b, a, LLVMBuildSub(e->b, b, tsr_emit_number(e, 1), ""), "");
  return LLVMBuildSDiv(e->b, LLVMBuildSelect(e->b, negative, less, a, ""), b, "");
}

/* A if PRED holds for A and B, else B */
static LLVMValueRef pick(struct tsr_emit *e, LLVMIntPredicate pred, LLVMValueRef a, LLVMValueRef b)
{
  return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, pred, a, b, ""), a, b, "");
}

/* Where isl's conditions are constant they are numbers. */
static LLVMValueRef truth(struct tsr_emit *e, LLVMValueRef value)
{
  return LLVMTypeOf(value) == e->i64 ? LLVMBuildICmp(e->b, LLVMIntNE, value, tsr_emit_number(e, 0), "") : value;
}

/* A and B, combined as TYPE says */
static LLVMValueRef binary(struct tsr_emit *e, enum isl_ast_expr_op_type type, LLVMValueRef a, LLVMValueRef b)
{
  switch (type) {
  case isl_ast_expr_op_and:
  case isl_ast_expr_op_and_then:
    return LLVMBuildAnd(e->b, truth(e, a), truth(e, b), "");
  case isl_ast_expr_op_or:
  case isl_ast_expr_op_or_else:
    return LLVMBuildOr(e->b, truth(e, a), truth(e, b), "");
  case isl_ast_expr_op_max:
    return pick(e, LLVMIntSGT, a, b);
  case isl_ast_expr_op_min:
    return pick(e, LLVMIntSLT, a, b);
  case isl_ast_expr_op_add:
    return e->may_wrap ? LLVMBuildAdd(e->b, a, b, "") : LLVMBuildNSWAdd(e->b, a, b, "");
  case isl_ast_expr_op_sub:
    return e->may_wrap ? LLVMBuildSub(e->b, a, b, "") : LLVMBuildNSWSub(e->b, a, b, "");
  case isl_ast_expr_op_mul:
    return e->may_wrap ? LLVMBuildMul(e->b, a, b, "") : LLVMBuildNSWMul(e->b, a, b, "");
  case isl_ast_expr_op_div:
    return e->may_wrap ? LLVMBuildSDiv(e->b, a, b, "") : LLVMBuildExactSDiv(e->b, a, b, "");
  case isl_ast_expr_op_fdiv_q:
    return floor_div(e, a, b);
  case isl_ast_expr_op_pdiv_q:
    return LLVMBuildSDiv(e->b, a, b, "");
  case isl_ast_expr_op_pdiv_r:
  case isl_ast_expr_op_zdiv_r:
    return LLVMBuildSRem(e->b, a, b, "");
  case isl_ast_expr_op_eq:
    return LLVMBuildICmp(e->b, LLVMIntEQ, a, b, "");
  case isl_ast_expr_op_le:
    return LLVMBuildICmp(e->b, LLVMIntSLE, a, b, "");
  case isl_ast_expr_op_lt:
    return LLVMBuildICmp(e->b, LLVMIntSLT, a, b, "");
  case isl_ast_expr_op_ge:
    return LLVMBuildICmp(e->b, LLVMIntSGE, a, b, "");
  case isl_ast_expr_op_gt:
    return LLVMBuildICmp(e->b, LLVMIntSGT, a, b, "");
  default:
    return LLVMGetUndef(e->i64);
  }
}

/* EXPR, an operation, whose arguments are written first */
static LLVMValueRef operation(struct tsr_emit *e, isl_ast_expr *expr)
{
  enum isl_ast_expr_op_type type = isl_ast_expr_op_get_type(expr);
  LLVMValueRef all = tsr_emit_expr(e, isl_ast_expr_op_get_arg(expr, 0));
  if (type == isl_ast_expr_op_minus)
    return e->may_wrap ? LLVMBuildNeg(e->b, all, "") : LLVMBuildNSWNeg(e->b, all, "");
  if (type == isl_ast_expr_op_cond || type == isl_ast_expr_op_select) {
    LLVMValueRef yes = tsr_emit_expr(e, isl_ast_expr_op_get_arg(expr, 1));
    LLVMValueRef no = tsr_emit_expr(e, isl_ast_expr_op_get_arg(expr, 2));
    return LLVMBuildSelect(e->b, truth(e, all), yes, no, "");
  }
  for (int i = 1; i < isl_ast_expr_op_get_n_arg(expr); i++)
    all = binary(e, type, all, tsr_emit_expr(e, isl_ast_expr_op_get_arg(expr, i)));
  return all;
}

LLVMValueRef tsr_emit_expr(struct tsr_emit *e, isl_ast_expr *expr)
{
  LLVMValueRef result = LLVMGetUndef(e->i64);
  isl_val *val;
  switch (isl_ast_expr_get_type(expr)) {
  case isl_ast_expr_int:
    val = isl_ast_expr_get_val(expr);
    result = tsr_emit_number(e, isl_val_get_num_si(val));
    isl_val_free(val);
    break;
  case isl_ast_expr_id:
    result = lookup(e, expr);
    break;
  case isl_ast_expr_op:
    result = operation(e, expr);
    break;
  case isl_ast_expr_error:
    break;
  }
  isl_ast_expr_free(expr);
  return result;
}

LLVMValueRef tsr_emit_truth(struct tsr_emit *e, isl_ast_expr *expr)
{
  return truth(e, tsr_emit_expr(e, expr));
}

/* ---- how large can it get? */

struct bound {
  char name[64];
  double max;
};
struct bounds {
  struct tsr_model *m;
  struct bound var[64];
  int n;
  bool ok;
};

/* Something does not fit: 0, for the caller's convenience. */
static double too_large(struct bounds *s)
{
  s->ok = false;
  return 0;
}

static double magnitude(struct bounds *s, isl_ast_expr *expr);

/* The greatest magnitude of EXPR, an operation, with all arguments at theirs. */
static double op_magnitude(struct bounds *s, isl_ast_expr *expr)
{
  enum isl_ast_expr_op_type type = isl_ast_expr_op_get_type(expr);
  int n = isl_ast_expr_op_get_n_arg(expr);
  double arg[2] = {0, 0}, all = 0;
  for (int i = 0; i < n; i++) {
    double one = magnitude(s, isl_ast_expr_op_get_arg(expr, i));
    arg[i > 0] = one;
    all = one > all ? one : all;
  }
  switch (type) {
  case isl_ast_expr_op_add:
  case isl_ast_expr_op_sub:
    return n == 2 ? arg[0] + arg[1] : too_large(s);
  case isl_ast_expr_op_mul:
    return n == 2 ? arg[0] * arg[1] : too_large(s);
  case isl_ast_expr_op_fdiv_q:
    return arg[0] + arg[1] + 1;
  case isl_ast_expr_op_call:
  case isl_ast_expr_op_access:
  case isl_ast_expr_op_member:
  case isl_ast_expr_op_address_of:
  case isl_ast_expr_op_error:
    return too_large(s);
  default:
    return all;
  }
}

/* The greatest magnitude of EXPR. Takes EXPR. */
static double magnitude(struct bounds *s, isl_ast_expr *expr)
{
  double result = 0;
  enum isl_ast_expr_type type = isl_ast_expr_get_type(expr);
  if (type == isl_ast_expr_int) {
    isl_val *val = isl_ast_expr_get_val(expr);
    result = isl_val_get_d(val);
    result = result < 0 ? -result : result;
    isl_val_free(val);
  } else if (type == isl_ast_expr_id) {
    isl_id *id = isl_ast_expr_get_id(expr);
    result = -1;
    for (int i = s->n - 1; i >= 0 && result < 0; i--)
      if (!strcmp(s->var[i].name, isl_id_get_name(id)))
        result = s->var[i].max;
    isl_id_free(id);
    result = result < 0 ? too_large(s) : result;
  } else if (type == isl_ast_expr_op) {
    result = op_magnitude(s, expr);
  } else {
    too_large(s);
  }
  isl_ast_expr_free(expr);
  return result < LIMIT ? result : too_large(s);
}

/* NAME is at most MAX in magnitude from now on. */
static void bind(struct bounds *s, const char *name, double max)
{
  if (s->n == 64) {
    too_large(s);
    return;
  }
  snprintf(s->var[s->n].name, sizeof(s->var[s->n].name), "%s", name);
  s->var[s->n++].max = max;
}

static void check_node(struct bounds *s, isl_ast_node *node);

/* The loop NODE: its iterator and the step behind the last iteration fit, and so does the body. */
static void check_for(struct bounds *s, isl_ast_node *node)
{
  isl_ast_expr *iterator = isl_ast_node_for_get_iterator(node);
  isl_id *id = isl_ast_expr_get_id(iterator);
  int n = s->n;
  double max = magnitude(s, isl_ast_node_for_get_init(node));
  if (isl_ast_node_for_is_degenerate(node) == isl_bool_false) {
    isl_ast_expr *cond = isl_ast_node_for_get_cond(node);
    isl_bool shape = isl_ast_expr_get_type(cond) == isl_ast_expr_op;
    enum isl_ast_expr_op_type type = shape ? isl_ast_expr_op_get_type(cond) : isl_ast_expr_op_error;
    isl_ast_expr *left = shape ? isl_ast_expr_op_get_arg(cond, 0) : NULL;
    shape = shape && (type == isl_ast_expr_op_le || type == isl_ast_expr_op_lt) &&
            isl_ast_expr_is_equal(left, iterator) == isl_bool_true;
    double limit = shape ? magnitude(s, isl_ast_expr_op_get_arg(cond, 1)) : too_large(s);
    double step = magnitude(s, isl_ast_node_for_get_inc(node));
    max = (max > limit ? max : limit) + step + 1;
    isl_ast_expr_free(left);
    isl_ast_expr_free(cond);
  }
  bind(s, isl_id_get_name(id), max);
  isl_ast_node *body = isl_ast_node_for_get_body(node);
  check_node(s, body);
  isl_ast_node_free(body);
  s->n = n;
  isl_id_free(id);
  isl_ast_expr_free(iterator);
}

/* As check_node. Takes NODE. */
static isl_stat check_child(isl_ast_node *node, void *user)
{
  check_node(user, node);
  isl_ast_node_free(node);
  return isl_stat_ok;
}

/* The counters of an instance and its places in buffers fit, and it is one of a known statement. */
static void check_user(struct bounds *s, isl_ast_node *node)
{
  isl_ast_expr *call = isl_ast_node_user_get_expr(node);
  isl_ast_expr *name = isl_ast_expr_op_get_arg(call, 0);
  isl_id *id = isl_ast_expr_get_id(name);
  int stmt = tsr_scop_find_stmt(s->m->scop, isl_id_get_name(id));
  int n = isl_ast_expr_op_get_n_arg(call);
  const struct tsr_instance *instance = tsr_ast_instance(node);
  for (int i = 0; instance && i < instance->n; i++)
    for (int d = 0; d < instance->place[i].n; d++)
      magnitude(s, isl_ast_expr_copy(instance->place[i].index[d]));
  bool move = instance && instance->kind == TSR_STMT_MOVE, test = !strcmp(isl_id_get_name(id), TSR_SKIP_POINT);
  bool row = !strcmp(isl_id_get_name(id), TSR_COPIED_ROW);
  if (!move && !test && !row && (stmt < 0 || s->m->stmts[stmt].n_loop != n - 1))
    too_large(s);
  for (int i = 1; i < n; i++)
    magnitude(s, isl_ast_expr_op_get_arg(call, i));
  isl_id_free(id);
  isl_ast_expr_free(name);
  isl_ast_expr_free(call);
}

/* Does all arithmetic in NODE fit? Else S is no longer ok. */
static void check_node(struct bounds *s, isl_ast_node *node)
{
  isl_ast_node *sub;
  isl_ast_node_list *list;
  switch (isl_ast_node_get_type(node)) {
  case isl_ast_node_for:
    check_for(s, node);
    break;
  case isl_ast_node_if:
    magnitude(s, isl_ast_node_if_get_cond(node));
    check_child(isl_ast_node_if_get_then_node(node), s);
    if (isl_ast_node_if_has_else_node(node) == isl_bool_true)
      check_child(isl_ast_node_if_get_else_node(node), s);
    break;
  case isl_ast_node_block:
    list = isl_ast_node_block_get_children(node);
    isl_ast_node_list_foreach(list, check_child, s);
    isl_ast_node_list_free(list);
    break;
  case isl_ast_node_mark:
    sub = isl_ast_node_mark_get_node(node);
    check_child(sub, s);
    break;
  case isl_ast_node_user:
    check_user(s, node);
    break;
  case isl_ast_node_error:
    too_large(s);
  }
}

/* The ends of SPAN fit. */
static void check_span(struct bounds *s, const struct tsr_span_of_array *span)
{
  if (!span->any)
    return;
  magnitude(s, isl_ast_expr_copy(span->any));
  for (int d = 0; d < TSR_PLACE_DIM && span->first[d]; d++) {
    magnitude(s, isl_ast_expr_copy(span->first[d]));
    magnitude(s, isl_ast_expr_copy(span->last[d]));
  }
}

bool tsr_transfers_fit(struct tsr_model *m, const struct tsr_transfer *transfer, int n)
{
  struct bounds s = {.m = m, .ok = true};
  for (int i = 0; i < m->n_atom; i++)
    if (m->atoms[i].kind == TSR_ATOM_PARAM)
      bind(&s, m->atoms[i].name, PARAM_LIMIT);
  for (int i = 0; i < n; i++) {
    check_span(&s, &transfer[i].region);
    check_span(&s, &transfer[i].in);
    if (transfer[i].rows)
      check_node(&s, transfer[i].rows);
  }
  return s.ok;
}

bool tsr_expr_fits(struct tsr_model *m, isl_ast_node *ast)
{
  struct bounds s = {.m = m, .ok = true};
  for (int i = 0; i < m->n_atom; i++)
    if (m->atoms[i].kind == TSR_ATOM_PARAM)
      bind(&s, m->atoms[i].name, PARAM_LIMIT);
  if (m->condition)
    magnitude(&s, isl_ast_expr_copy(m->condition));
  for (int i = 0; i < m->n_lift; i++)
    if (m->lift[i].guard)
      magnitude(&s, isl_ast_expr_copy(m->lift[i].guard));
  for (int i = 0; m->range && i < m->n_array; i++)
    if (m->range[i].lo) {
      magnitude(&s, isl_ast_expr_copy(m->range[i].lo));
      magnitude(&s, isl_ast_expr_copy(m->range[i].hi));
      if (m->range[i].head)
        magnitude(&s, isl_ast_expr_copy(m->range[i].head));
      if (m->range[i].tail)
        magnitude(&s, isl_ast_expr_copy(m->range[i].tail));
    }
  if (ast)
    check_node(&s, ast);
  return s.ok;
}
