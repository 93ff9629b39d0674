/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Running an AST, node by node, in 64-bit integers. Whatever C code made from the AST could not do safely stops the run:
 * an overflow, a division that isl promised to be exact and isn't, a negative dividend of pdiv.
 *
 *     for (c0 = init; cond; c0 += inc) body       the environment grows by c0 while the body runs
 *     mark "parallel" - for ...                   iterations are listed first and then run last to first; or the last one,
 *                                                 then the others as they are
 *     mark "doacross" - for p - for q             all are listed first; q goes outside, as far from the usual order as may
 *                                                 (doacross_runs.c)
 *     mark "preload" - for ...                    in order: whoever runs the instances makes all reads of an iteration first
 *     mark "lockstep 1x4" - for l ...             what is below runs once, each instance for all values of l (lane_runs.c)
 *     mark "registers ..", "edges: .." - for ...  the innermost loop runs as vectors
 * be user S(c0, 2 * c1)                          -> run->instance("S", { c0, 2 * c1 })
 */
#include "ast/ast_state.h"
#include "support/tuples.h"
#include <isl/id.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

static bool eval(struct tsr_run_state *s, isl_ast_expr *expr, int64_t *out);

bool tsr_run_fail(struct tsr_run_state *s)
{
  s->failed = true;
  return false;
}

/* ---- expressions ---- */

static bool eval_id(struct tsr_run_state *s, isl_ast_expr *expr, int64_t *out)
{
  isl_id *id = isl_ast_expr_get_id(expr);
  const char *name = isl_id_get_name(id);
  isl_id_free(id);
  if (!name)
    return tsr_run_stop(s, "the AST uses a variable without a name");
  for (struct tsr_binding *b = s->scope; b; b = b->outer) {
    if (!strcmp(b->name, name)) {
      *out = b->value;
      return true;
    }
  }
  int param = isl_set_find_dim_by_name(s->run->context, isl_dim_param, name);
  if (param < 0)
    return tsr_run_stop(s, "the AST uses '%s', which is neither an iterator in scope nor a parameter", name);
  *out = s->run->values[param];
  return true;
}

static bool eval_int(struct tsr_run_state *s, isl_ast_expr *expr, int64_t *out)
{
  isl_val *val = isl_ast_expr_get_val(expr);
  isl_bool fits = isl_bool_ok(isl_val_is_int(val) == isl_bool_true && isl_val_n_abs_num_chunks(val, sizeof(int64_t)) <= 1);
  uint64_t magnitude = 0;
  if (fits == isl_bool_true && isl_val_get_abs_num_chunks(val, sizeof(magnitude), &magnitude) < 0)
    fits = isl_bool_error;
  bool negative = isl_val_is_neg(val) == isl_bool_true;
  isl_val_free(val);
  if (fits < 0)
    return tsr_run_fail(s);
  if (!fits || magnitude > INT64_MAX)
    return tsr_run_stop(s, "the AST holds a constant of more than 64 bits");
  *out = negative ? -(int64_t)magnitude : (int64_t)magnitude;
  return true;
}

static int64_t floor_div(int64_t a, int64_t b)
{
  return a / b - (a % b < 0);
}

static bool divide(struct tsr_run_state *s, enum isl_ast_expr_op_type op, int64_t a, int64_t b, int64_t *out)
{
  bool quotient = op == isl_ast_expr_op_div || op == isl_ast_expr_op_fdiv_q || op == isl_ast_expr_op_pdiv_q;
  if (b <= 0)
    return tsr_run_stop(s, "the AST divides by %lld", (long long)b);
  if (op == isl_ast_expr_op_div && a % b)
    return tsr_run_stop(s, "the AST divides %lld by %lld as if that were exact", (long long)a, (long long)b);
  if ((op == isl_ast_expr_op_pdiv_q || op == isl_ast_expr_op_pdiv_r) && a < 0)
    return tsr_run_stop(s, "the AST takes %lld, dividend of %lld, for non-negative", (long long)a, (long long)b);
  *out = op == isl_ast_expr_op_fdiv_q ? floor_div(a, b) : quotient ? a / b : a % b;
  return true;
}

static bool calculate(struct tsr_run_state *s, enum isl_ast_expr_op_type op, int64_t a, int64_t b, int64_t *out)
{
  bool overflow = false;
  switch (op) {
  case isl_ast_expr_op_max:
    *out = a > b ? a : b;
    break;
  case isl_ast_expr_op_min:
    *out = a < b ? a : b;
    break;
  case isl_ast_expr_op_add:
    overflow = __builtin_add_overflow(a, b, out);
    break;
  case isl_ast_expr_op_sub:
    overflow = __builtin_sub_overflow(a, b, out);
    break;
  case isl_ast_expr_op_mul:
    overflow = __builtin_mul_overflow(a, b, out);
    break;
  case isl_ast_expr_op_eq:
    *out = a == b;
    break;
  case isl_ast_expr_op_le:
    *out = a <= b;
    break;
  case isl_ast_expr_op_lt:
    *out = a < b;
    break;
  case isl_ast_expr_op_ge:
    *out = a >= b;
    break;
  case isl_ast_expr_op_gt:
    *out = a > b;
    break;
  default:
    return divide(s, op, a, b, out);
  }
  return !overflow || tsr_run_stop(s, "the AST's arithmetic overflows 64 bits");
}

static bool eval_arg(struct tsr_run_state *s, isl_ast_expr *expr, int i, int64_t *out)
{
  isl_ast_expr *arg = isl_ast_expr_get_op_arg(expr, i);
  bool good = eval(s, arg, out);
  isl_ast_expr_free(arg);
  return good;
}

/* max and min take any number of arguments, the others two. */
static bool eval_fold(struct tsr_run_state *s, isl_ast_expr *expr, enum isl_ast_expr_op_type op, int64_t *out)
{
  isl_size n = isl_ast_expr_get_op_n_arg(expr);
  if (n < 0 || !eval_arg(s, expr, 0, out))
    return n < 0 ? tsr_run_fail(s) : false;
  for (int i = 1; i < n; i++) {
    int64_t right;
    if (!eval_arg(s, expr, i, &right) || !calculate(s, op, *out, right, out))
      return false;
  }
  return true;
}

static bool eval_op(struct tsr_run_state *s, isl_ast_expr *expr, int64_t *out)
{
  enum isl_ast_expr_op_type op = isl_ast_expr_get_op_type(expr);
  switch (op) {
  case isl_ast_expr_op_and:
  case isl_ast_expr_op_and_then:
    return eval_arg(s, expr, 0, out) && (!*out || eval_arg(s, expr, 1, out)) && (*out = !!*out, true);
  case isl_ast_expr_op_or:
  case isl_ast_expr_op_or_else:
    return eval_arg(s, expr, 0, out) && (*out || eval_arg(s, expr, 1, out)) && (*out = !!*out, true);
  case isl_ast_expr_op_minus:
    *out = 0;
    int64_t value;
    return eval_arg(s, expr, 0, &value) && calculate(s, isl_ast_expr_op_sub, 0, value, out);
  case isl_ast_expr_op_cond:
  case isl_ast_expr_op_select:
    return eval_arg(s, expr, 0, out) && eval_arg(s, expr, *out ? 1 : 2, out);
  case isl_ast_expr_op_error:
    return tsr_run_fail(s);
  case isl_ast_expr_op_call:
  case isl_ast_expr_op_access:
  case isl_ast_expr_op_member:
  case isl_ast_expr_op_address_of:
    return tsr_run_stop(s, "the AST calls or dereferences inside an expression");
  default:
    return eval_fold(s, expr, op, out);
  }
}

static bool eval(struct tsr_run_state *s, isl_ast_expr *expr, int64_t *out)
{
  switch (isl_ast_expr_get_type(expr)) {
  case isl_ast_expr_id:
    return eval_id(s, expr, out);
  case isl_ast_expr_int:
    return eval_int(s, expr, out);
  case isl_ast_expr_op:
    return eval_op(s, expr, out);
  default:
    return tsr_run_fail(s);
  }
}

bool tsr_run_value(struct tsr_run_state *s, isl_ast_expr *expr, int64_t *out)
{
  bool good = eval(s, expr, out);
  isl_ast_expr_free(expr);
  return good;
}

/* ---- nodes ---- */

bool tsr_run_arguments(struct tsr_run_state *s, isl_ast_node *user, int64_t *at, int *n)
{
  isl_ast_expr *expr = isl_ast_node_user_get_expr(user);
  *n = isl_ast_expr_get_op_n_arg(expr) - 1;
  bool good = isl_ast_expr_get_op_type(expr) == isl_ast_expr_op_call && *n >= 0 && *n < TSR_MAX_ARGS;
  good = good || tsr_run_stop(s, "the AST has a user node that is no call");
  for (int i = 0; good && i < *n; i++)
    good = eval_arg(s, expr, i + 1, &at[i]);
  isl_ast_expr_free(expr);
  return good;
}

bool tsr_run_iteration(struct tsr_run_state *s, isl_ast_node *body, struct tsr_binding *inner, int64_t value, int mark)
{
  inner->value = value;
  s->scope = inner;
  if (mark >= 0 && s->run->iteration)
    s->run->iteration(s->run->user, (enum tsr_loop_mark)mark, value);
  bool good = tsr_run_node(s, body, -1);
  s->scope = inner->outer;
  return good;
}

/* The values that the iterator INNER of LOOP takes, malloc'd; NULL on failure. */
static int64_t *list_iterations(struct tsr_run_state *s, isl_ast_node *loop, struct tsr_binding *inner, size_t *n)
{
  isl_ast_expr *cond = isl_ast_node_for_get_cond(loop), *inc = isl_ast_node_for_get_inc(loop);
  size_t room = 16;
  int64_t *list = malloc(room * sizeof(*list)), step = 0, more = 0;
  bool once = isl_ast_node_for_is_degenerate(loop) == isl_bool_true;
  bool good = (list || tsr_run_fail(s)) && tsr_run_value(s, isl_ast_node_for_get_init(loop), &inner->value);
  s->scope = inner;
  good = good && (once || eval(s, inc, &step));
  good = good && (once || step > 0 || tsr_run_stop(s, "the AST has a loop with step %lld", (long long)step));
  for (*n = 0; good;) {
    good = once ? (more = !*n, true) : eval(s, cond, &more);
    if (!good || !more)
      break;
    if (--s->run->fuel < 0) {
      isl_handle_error(s->ctx, isl_error_quota, "the AST runs too many loop iterations", __FILE__, __LINE__);
      good = tsr_run_fail(s);
      break;
    }
    int64_t *grown = *n < room ? list : realloc(list, (room *= 2) * sizeof(*list));
    good = grown || tsr_run_fail(s);
    list = grown ? grown : list;
    if (good)
      list[(*n)++] = inner->value;
    good = good && calculate(s, isl_ast_expr_op_add, inner->value, step, &inner->value);
  }
  s->scope = inner->outer;
  isl_ast_expr_free(cond);
  isl_ast_expr_free(inc);
  if (good)
    return list;
  free(list);
  return NULL;
}

int64_t *tsr_run_iterations(struct tsr_run_state *s, isl_ast_node *loop, struct tsr_binding *inner, size_t *n)
{
  struct tsr_lane_loop *lanes = s->lanes;
  int64_t *list = NULL;
  bool good = true;
  for (size_t i = 0; good && i < (lanes ? lanes->n : 1); i++) {
    size_t own = 0;
    if (lanes)
      lanes->binding->value = lanes->value[i];
    int64_t *other = list_iterations(s, loop, inner, &own);
    good = other != NULL;
    if (good && i > 0 && (own != *n || memcmp(list, other, own * sizeof(*list)) != 0))
      good = tsr_run_stop(s, "lanes run different iterations of a loop");
    if (good && i == 0) {
      list = other;
      other = NULL;
      *n = own;
    }
    free(other);
  }
  if (good)
    return list;
  free(list);
  return NULL;
}

/* All iterations LIST[0..N) of the loop around BODY, in the order of MARK or, if they are FREE, of loops for threads. */
static bool run_iterations(struct tsr_run_state *s, isl_ast_node *body, struct tsr_binding *inner, const int64_t *list,
                           size_t n, int mark, bool free)
{
  bool good = true;
  if (mark >= 0 && s->run->begin)
    s->run->begin(s->run->user, (enum tsr_loop_mark)mark, s->mark);
  for (size_t i = 0; good && i < n; i++) {
    int64_t value = list[!free ? i : s->run->order ? (i ? i - 1 : n - 1) : n - 1 - i];
    good = tsr_run_iteration(s, body, inner, value, mark);
  }
  if (mark >= 0 && s->run->end)
    s->run->end(s->run->user, (enum tsr_loop_mark)mark);
  return good;
}

/* The depth of the loop over ITERATOR */
static int depth_of(const char *iterator)
{
  return atoi(iterator + strcspn(iterator, "0123456789"));
}

/* In a kernel: is the loop over ITERATOR one of those that become threads? isl may have dropped the first of these. */
static bool is_of_threads(const struct tsr_run_state *s, const char *iterator)
{
  return depth_of(iterator) < s->mark->depth + s->mark->kernel.n;
}

static bool run_for(struct tsr_run_state *s, isl_ast_node *node, int mark)
{
  if (mark == TSR_LOOP_DOACROSS)
    return tsr_run_doacross(s, node);
  isl_ast_expr *iterator = isl_ast_node_for_get_iterator(node);
  isl_id *id = isl_ast_expr_get_id(iterator);
  struct tsr_binding inner = {.name = isl_id_get_name(id), .outer = s->scope};
  bool good = inner.name || tsr_run_fail(s);
  bool free_order = mark == TSR_LOOP_PARALLEL || mark == TSR_LOOP_THREADS;
  if (good && (tsr_mark_is(s->mark, TSR_MARK_KERNEL) || tsr_mark_is(s->mark, TSR_MARK_THREADS))) {
    free_order = is_of_threads(s, inner.name);
    mark = free_order ? mark : -1;
  }
  if (good && mark == TSR_LOOP_LOCKSTEP) {
    good = tsr_run_lockstep(s, node, inner.name);
  } else if (good && (mark >= 0 || !tsr_run_vectors(s, node, inner.name, &good))) {
    size_t n = 0;
    int64_t *list = tsr_run_iterations(s, node, &inner, &n);
    isl_ast_node *body = isl_ast_node_for_get_body(node);
    good = list && run_iterations(s, body, &inner, list, n, mark, free_order);
    isl_ast_node_free(body);
    free(list);
  }
  isl_id_free(id);
  isl_ast_expr_free(iterator);
  return good;
}

static bool run_if(struct tsr_run_state *s, isl_ast_node *node, int mark)
{
  int64_t holds = 0, other;
  for (size_t i = 0; i < (s->lanes ? s->lanes->n : 1); i++) {
    if (s->lanes)
      s->lanes->binding->value = s->lanes->value[i];
    if (!tsr_run_value(s, isl_ast_node_if_get_cond(node), i ? &other : &holds))
      return false;
    if (i && !other != !holds)
      return tsr_run_stop(s, "lanes run different branches");
  }
  if (!holds && isl_ast_node_if_has_else_node(node) != isl_bool_true)
    return true;
  isl_ast_node *child = holds ? isl_ast_node_if_get_then_node(node) : isl_ast_node_if_get_else_node(node);
  bool good = tsr_run_node(s, child, mark);
  isl_ast_node_free(child);
  return good;
}

static bool run_block(struct tsr_run_state *s, isl_ast_node *node, int mark)
{
  isl_ast_node_list *children = isl_ast_node_block_get_children(node);
  isl_size n = isl_ast_node_list_n_ast_node(children);
  bool good = n >= 0 || tsr_run_fail(s);
  for (int i = 0; good && i < n; i++) {
    isl_ast_node *child = isl_ast_node_list_get_ast_node(children, i);
    good = tsr_run_node(s, child, mark);
    isl_ast_node_free(child);
  }
  isl_ast_node_list_free(children);
  return good;
}

/* The values of all iterators in scope, which are named by the depths of their loops. */
static struct tsr_loop_values loops_around(const struct tsr_run_state *s)
{
  struct tsr_loop_values values = {0};
  for (const struct tsr_binding *b = s->scope; b; b = b->outer) {
    int depth = depth_of(b->name);
    if (depth >= 0 && depth < TSR_MOST_LOOPS) {
      values.known[depth] = true;
      values.value[depth] = b->value;
    }
  }
  return values;
}

/* How the loops below a mark run, plus 1; 0: as without it. */
static const int loop_of[TSR_N_MARK] = {
    [TSR_MARK_PARALLEL] = 1 + TSR_LOOP_PARALLEL, [TSR_MARK_DOACROSS] = 1 + TSR_LOOP_DOACROSS,
    [TSR_MARK_KERNEL] = 1 + TSR_LOOP_PARALLEL,   [TSR_MARK_THREADS] = 1 + TSR_LOOP_THREADS,
    [TSR_MARK_VECTOR] = 1 + TSR_LOOP_VECTOR,     [TSR_MARK_LOCKSTEP] = 1 + TSR_LOOP_LOCKSTEP,
    [TSR_MARK_PRELOAD] = 1 + TSR_LOOP_PRELOAD,   [TSR_MARK_STREAM] = 1 + TSR_LOOP_VECTOR};

static bool run_mark(struct tsr_run_state *s, isl_ast_node *node, int loop)
{
  const struct tsr_mark *mark = tsr_ast_mark(node);
  if (mark && loop_of[mark->kind])
    loop = tsr_mark_is(mark, TSR_MARK_KERNEL) && mark->kernel.n == 0 ? -1 : loop_of[mark->kind] - 1; /* one thread: none */
  const struct tsr_loop_values around = loops_around(s);
  if (mark && s->run->mark)
    s->run->mark(s->run->user, mark, &around);
  const struct tsr_run_state outer = *s;
  s->mark = mark;
  s->tile = tsr_mark_is(mark, TSR_MARK_REGISTERS) ? mark : s->tile;
  s->edges = tsr_mark_is(mark, TSR_MARK_EDGES) ? mark : s->edges;
  isl_ast_node *child = isl_ast_node_mark_get_node(node);
  bool good = tsr_run_node(s, child, loop);
  s->tile = outer.tile;
  s->edges = outer.edges;
  s->mark = outer.mark;
  if (mark && s->run->unmark)
    s->run->unmark(s->run->user, mark);
  isl_ast_node_free(child);
  return good;
}

bool tsr_run_node(struct tsr_run_state *s, isl_ast_node *node, int mark)
{
  enum isl_ast_node_type type = isl_ast_node_get_type(node);
  if (s->row && (type == isl_ast_node_for || type == isl_ast_node_user))
    return tsr_run_in_row(s, node);
  switch (type) {
  case isl_ast_node_for:
    return run_for(s, node, mark);
  case isl_ast_node_if:
    return run_if(s, node, mark);
  case isl_ast_node_block:
    return run_block(s, node, mark);
  case isl_ast_node_mark:
    return run_mark(s, node, mark);
  case isl_ast_node_user:
    return tsr_run_lanes(s, node);
  default:
    return tsr_run_fail(s);
  }
}

/* requires: as many values as the context has parameters.  guarantees: each instance was reported in execution order. */
isl_bool tsr_ast_run(isl_ast_node *ast, struct tsr_ast_run *run)
{
  struct tsr_run_state s = {.run = run, .ctx = isl_set_get_ctx(run->context)};
  bool good = tsr_run_node(&s, ast, -1);
  return s.failed ? isl_bool_error : isl_bool_ok(good);
}
