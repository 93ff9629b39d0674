/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A parallel loop.
 *
 *   enough work and not inside a parallel region?
 *     yes:  GOMP_parallel(outlined, data, 0, 0)
 *     no:   the loop as it is
 *
 * Where the plan has other code for one thread alone, both are asked in front of all (emit.c), of loops in the middle of
 * those around them, and a loop with little work is one of a team of one:  GOMP_parallel(outlined, data, enough ? 0 : 1, 0)
 *
 *   outlined, static:   each thread takes one contiguous part of the iterations
 *   outlined, dynamic:  threads ask for iterations with GOMP_loop_dynamic_start / _next (when the work isn't rectangular)
 *
 * The parallel part is first written in place and then moved out by LLVM's CodeExtractor, which makes the struct of captured
 * values, keeps debug information right and copies the target's attributes. Scalars whose values stay within an iteration
 * get a slot of their own in the outlined function. */
#include "pass.h"
#include <isl/id.h>
#include <stdlib.h>
#include <string.h>

/* Iterations times statement instances below which a team of threads costs more than it brings. */
#define MIN_WORK 100000.0

LLVMValueRef tsr_emit_call(struct tsr_emit *e, const char *name, LLVMTypeRef result, LLVMValueRef *args, unsigned n)
{
  LLVMTypeRef types[8];
  for (unsigned i = 0; i < n; i++)
    types[i] = LLVMTypeOf(args[i]);
  LLVMTypeRef type = LLVMFunctionType(result, types, n, false);
  LLVMValueRef function = LLVMGetNamedFunction(e->m->module, name);
  if (!function)
    function = LLVMAddFunction(e->m->module, name, type);
  LLVMValueRef call = LLVMBuildCall2(e->b, type, function, args, n, "");
  unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", 8);
  LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(e->llvm, kind, 0));
  return call;
}

static LLVMValueRef number(struct tsr_emit *e, int64_t value)
{
  return LLVMConstInt(e->i64, (uint64_t)value, true);
}

/* (last - first) / step + 1 */
static LLVMValueRef trip_count(struct tsr_emit *e, const struct tsr_for *loop)
{
  LLVMValueRef span = LLVMBuildSub(e->b, loop->last, loop->first, "");
  return LLVMBuildAdd(e->b, LLVMBuildSDiv(e->b, span, loop->step, ""), number(e, 1), "tsr.trips");
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

/* Private arrays, if there are any, in the iterations up to END of LOOP: those with the last one use the original. */
static void begin_part(struct tsr_emit *e, const struct tsr_for *loop, LLVMValueRef end)
{
  if (!loop->copies)
    return;
  LLVMValueRef before = LLVMBuildSub(e->b, trip_count(e, loop), number(e, 1), "");
  LLVMValueRef last = LLVMBuildAdd(e->b, loop->first, LLVMBuildMul(e->b, before, loop->step, ""), "");
  tsr_emit_private_part(e, LLVMBuildICmp(e->b, LLVMIntSGE, end, last, "tsr.haslast"));
}

/* first + id * part .. min(last, first + (id + 1) * part - step) */
static void emit_static(struct tsr_emit *e, const struct tsr_for *loop)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMValueRef team = LLVMBuildSExt(e->b, tsr_emit_call(e, "omp_get_num_threads", i32, NULL, 0), e->i64, "");
  LLVMValueRef id = LLVMBuildSExt(e->b, tsr_emit_call(e, "omp_get_thread_num", i32, NULL, 0), e->i64, "");
  LLVMValueRef trips = trip_count(e, loop);
  LLVMValueRef part =
      LLVMBuildSDiv(e->b, LLVMBuildAdd(e->b, trips, LLVMBuildSub(e->b, team, number(e, 1), ""), ""), team, "");
  part = LLVMBuildMul(e->b, part, loop->step, "");
  struct tsr_for mine = *loop;
  mine.first = LLVMBuildAdd(e->b, loop->first, LLVMBuildMul(e->b, id, part, ""), "");
  LLVMValueRef end = LLVMBuildSub(e->b, LLVMBuildAdd(e->b, mine.first, part, ""), loop->step, "");
  mine.last = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, end, loop->last, ""), end, loop->last, "");
  begin_part(e, loop, end);
  tsr_emit_loop(e, &mine);
}

/* Parts of a loop that each thread of a team may ask for: enough for an even end; of long loops fewer. */
enum { PARTS = 32, LONG_PARTS = 6 };

/* Neighbours in a line of memory, as a rule; most iterations of a part of a long loop. */
enum { NEIGHBOURS = 8, LONG_PART = 64 };

static LLVMValueRef limit(struct tsr_emit *e, LLVMIntPredicate keep, LLVMValueRef value, int64_t bound)
{
  return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, keep, value, number(e, bound), ""), value, number(e, bound), "");
}

/* How many iterations a thread asks for at a time. Neighbouring ones often write to one cache line: where each thread has
 * some dozens of them, it gets whole lines, so that few lines are shared with others, who are at work next to it. */
static LLVMValueRef chunk_size(struct tsr_emit *e, const struct tsr_for *loop)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMValueRef team = LLVMBuildSExt(e->b, tsr_emit_call(e, "omp_get_num_threads", i32, NULL, 0), e->i64, "");
  LLVMValueRef trips = trip_count(e, loop);
  LLVMValueRef least =
      limit(e, LLVMIntSGT, LLVMBuildSDiv(e->b, trips, LLVMBuildMul(e->b, team, number(e, PARTS), ""), ""), 1);
  LLVMValueRef lines = LLVMBuildSDiv(e->b, trips, LLVMBuildMul(e->b, team, number(e, LONG_PARTS), ""), "");
  lines = LLVMBuildAnd(e->b, limit(e, LLVMIntSLT, lines, LONG_PART), number(e, -NEIGHBOURS), "");
  return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSGT, lines, least, ""), lines, least, "");
}

static void emit_dynamic(struct tsr_emit *e, const struct tsr_for *loop)
{
  LLVMTypeRef i1 = LLVMInt1TypeInContext(e->llvm), i8 = LLVMInt8TypeInContext(e->llvm);
  LLVMValueRef from = LLVMBuildAlloca(e->b, e->i64, "tsr.from"), to = LLVMBuildAlloca(e->b, e->i64, "tsr.to");
  LLVMValueRef end = LLVMBuildAdd(e->b, loop->last, number(e, 1), "");
  LLVMValueRef args[6] = {loop->first, end, loop->step, chunk_size(e, loop), from, to};
  LLVMValueRef more = LLVMBuildTrunc(e->b, tsr_emit_call(e, "GOMP_loop_dynamic_start", i8, args, 6), i1, "");
  LLVMBasicBlockRef chunk = tsr_emit_block(e, "tsr.chunk"), done = tsr_emit_block(e, "tsr.done");
  LLVMBuildCondBr(e->b, more, chunk, done);
  LLVMPositionBuilderAtEnd(e->b, chunk);
  struct tsr_for mine = *loop;
  mine.first = LLVMBuildLoad2(e->b, e->i64, from, "");
  mine.last = LLVMBuildSub(e->b, LLVMBuildLoad2(e->b, e->i64, to, ""), number(e, 1), "");
  begin_part(e, loop, mine.last);
  tsr_emit_loop(e, &mine);
  more = LLVMBuildTrunc(e->b, tsr_emit_call(e, "GOMP_loop_dynamic_next", i8, &args[4], 2), i1, "");
  LLVMBuildCondBr(e->b, more, chunk, done);
  LLVMPositionBuilderAtEnd(e->b, done);
  tsr_emit_call(e, "GOMP_loop_end_nowait", LLVMVoidTypeInContext(e->llvm), NULL, 0);
}

/* Scalars used in the parallel part get slots of their own (the checker has shown that no value crosses iterations). */
static LLVMValueRef *private_slots(struct tsr_emit *e)
{
  LLVMValueRef *saved = calloc(e->m->n_array + 1, sizeof(*saved));
  for (int i = 0; i < e->m->n_array; i++) {
    struct tsr_array_info *a = &e->m->arrays[i];
    saved[i] = a->slot;
    if (a->kind == TSR_ARRAY_SCALAR && !a->home && e->private_array[i])
      a->slot = tsr_emit_slot(e, LLVMTypeOf(a->origin));
  }
  return saved;
}

/* ---- errno belongs to a thread. What calls in a team's loop give it, one value only, is told to the thread that came here:
 *
 *   told = 0
 *   outlined:  was = errno; errno = 0; the loop; if (errno) told = errno; errno = was
 *   if (told) errno = told */

static LLVMValueRef errno_place(struct tsr_emit *e)
{
  return tsr_emit_call(e, "__errno_location", LLVMPointerTypeInContext(e->llvm, 0), NULL, 0);
}

/* if (*FROM) *TO = *FROM */
static void tell_errno(struct tsr_emit *e, LLVMValueRef from, LLVMValueRef to)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMValueRef value = LLVMBuildLoad2(e->b, i32, from, "");
  LLVMBasicBlockRef set = tsr_emit_block(e, "tsr.errno"), behind = tsr_emit_block(e, "tsr.enderrno");
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, value, LLVMConstInt(i32, 0, false), ""), set, behind);
  LLVMPositionBuilderAtEnd(e->b, set);
  LLVMValueRef store = LLVMBuildStore(e->b, value, to);
  LLVMSetOrdering(store, LLVMAtomicOrderingMonotonic); /* several threads may */
  LLVMBuildBr(e->b, behind);
  LLVMPositionBuilderAtEnd(e->b, behind);
}

static void emit_share(struct tsr_emit *e, const struct tsr_for *loop)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMValueRef place = e->errno_slot ? errno_place(e) : NULL;
  LLVMValueRef was = place ? LLVMBuildLoad2(e->b, i32, place, "") : NULL;
  if (place)
    LLVMBuildStore(e->b, LLVMConstInt(i32, 0, false), place);
  if (loop->doacross)
    tsr_emit_doacross_rows(e, loop);
  else if (loop->even)
    emit_static(e, loop);
  else
    emit_dynamic(e, loop);
  if (!place)
    return;
  tell_errno(e, place, e->errno_slot);
  LLVMBuildStore(e->b, was, place);
}

/* LOOP by SIZE threads; 0: as many as there are. */
static void emit_team(struct tsr_emit *e, const struct tsr_for *loop, LLVMValueRef size)
{
  LLVMBasicBlockRef entry = tsr_emit_block(e, "tsr.team");
  if (e->errno_slot)
    LLVMBuildStore(e->b, LLVMConstInt(LLVMInt32TypeInContext(e->llvm), 0, false), e->errno_slot);
  LLVMBuildBr(e->b, entry);
  int first = e->fresh.n - 1;
  LLVMPositionBuilderAtEnd(e->b, entry);
  LLVMValueRef *saved = private_slots(e);
  LLVMValueRef buffer[TSR_MAX_PACK];
  memcpy(buffer, e->buffer, sizeof(buffer));
  tsr_emit_buffers_of_thread(e, loop->body);
  e->in_parallel = true;
  if (loop->copies)
    tsr_emit_private_begin(e);
  emit_share(e, loop);
  if (loop->copies)
    tsr_emit_private_end(e);
  e->in_parallel = false;
  for (int i = 0; i < e->m->n_array; i++)
    e->m->arrays[i].slot = saved[i];
  free(saved);
  memcpy(e->buffer, buffer, sizeof(buffer));
  LLVMBasicBlockRef behind = tsr_emit_block(e, "tsr.joined");
  LLVMBuildBr(e->b, behind);
  LLVMPositionBuilderAtEnd(e->b, behind);
  struct tsr_outline job = {.n = e->fresh.n - 1 - first, .team = true, .size = size};
  job.block = malloc(job.n * sizeof(*job.block));
  memcpy(job.block, e->fresh.block + first, job.n * sizeof(*job.block));
  e->m->outline = realloc(e->m->outline, (e->m->n_outline + 1) * sizeof(*e->m->outline));
  e->m->outline[e->m->n_outline++] = job;
  if (e->errno_slot)
    tell_errno(e, e->errno_slot, errno_place(e));
}

/* ---- how much work is it? In double, which neither traps nor wraps; inner loops at the middle of the outer ones. */

static LLVMValueRef work_of(struct tsr_emit *e, isl_ast_node *node);

/* Bind the iterator of the loop NODE to its middle. How often does it run? */
static LLVMValueRef bind_middle(struct tsr_emit *e, isl_ast_node *node)
{
  LLVMTypeRef real = LLVMDoubleTypeInContext(e->llvm);
  char *name = tsr_emit_iterator_name(node);
  LLVMValueRef first = tsr_emit_expr(e, isl_ast_node_for_get_init(node)), middle = first, trips = LLVMConstReal(real, 1);
  if (isl_ast_node_for_is_degenerate(node) != isl_bool_true) {
    isl_ast_expr *cond = isl_ast_node_for_get_cond(node);
    LLVMValueRef last = tsr_emit_expr(e, isl_ast_expr_op_get_arg(cond, 1));
    LLVMValueRef step = tsr_emit_expr(e, isl_ast_node_for_get_inc(node));
    isl_ast_expr_free(cond);
    middle = LLVMBuildSDiv(e->b, LLVMBuildAdd(e->b, first, last, ""), number(e, 2), "");
    trips = LLVMBuildSDiv(e->b, LLVMBuildAdd(e->b, LLVMBuildSub(e->b, last, first, ""), step, ""), step, "");
    LLVMValueRef none = LLVMBuildICmp(e->b, LLVMIntSLT, trips, number(e, 0), "");
    trips = LLVMBuildSIToFP(e->b, LLVMBuildSelect(e->b, none, number(e, 0), trips, ""), real, "");
  }
  tsr_emit_bind(e, name, middle);
  free(name);
  return trips;
}

static LLVMValueRef loop_work(struct tsr_emit *e, isl_ast_node *node)
{
  int n = e->n_var;
  LLVMValueRef trips = bind_middle(e, node);
  isl_ast_node *body = isl_ast_node_for_get_body(node);
  LLVMValueRef work = LLVMBuildFMul(e->b, trips, work_of(e, body), "");
  isl_ast_node_free(body);
  tsr_emit_unbind(e, n);
  return work;
}

static LLVMValueRef block_work(struct tsr_emit *e, isl_ast_node *node)
{
  isl_ast_node_list *list = isl_ast_node_block_get_children(node);
  LLVMValueRef sum = LLVMConstReal(LLVMDoubleTypeInContext(e->llvm), 0);
  for (int i = 0; i < isl_ast_node_list_n_ast_node(list); i++) {
    isl_ast_node *sub = isl_ast_node_list_get_ast_node(list, i);
    sum = LLVMBuildFAdd(e->b, sum, work_of(e, sub), "");
    isl_ast_node_free(sub);
  }
  isl_ast_node_list_free(list);
  return sum;
}

static LLVMValueRef work_of(struct tsr_emit *e, isl_ast_node *node)
{
  enum isl_ast_node_type type = isl_ast_node_get_type(node);
  if (type == isl_ast_node_for)
    return loop_work(e, node);
  if (type == isl_ast_node_block)
    return block_work(e, node);
  if (type != isl_ast_node_if && type != isl_ast_node_mark)
    return LLVMConstReal(LLVMDoubleTypeInContext(e->llvm), 1);
  isl_ast_node *sub = type == isl_ast_node_if ? isl_ast_node_if_get_then_node(node) : isl_ast_node_mark_get_node(node);
  LLVMValueRef work = work_of(e, sub);
  isl_ast_node_free(sub);
  return work;
}

static LLVMValueRef work_at(struct tsr_emit *e, const struct tsr_for *loop, LLVMValueRef point)
{
  int n = e->n_var;
  tsr_emit_bind(e, loop->iterator, point);
  LLVMValueRef work = work_of(e, loop->body);
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
  LLVMValueRef one = number(e, 1), zero = LLVMConstReal(real, 0);
  LLVMValueRef quarter = LLVMBuildSDiv(e->b, LLVMBuildSub(e->b, loop->last, loop->first, ""), number(e, 4), "tsr.quarter");
  LLVMBuildBr(e->b, body);
  LLVMPositionBuilderAtEnd(e->b, body);
  LLVMValueRef k = LLVMBuildPhi(e->b, e->i64, ""), most = LLVMBuildPhi(e->b, real, "tsr.most");
  LLVMAddIncoming(k, &one, &from, 1);
  LLVMAddIncoming(most, &zero, &from, 1);
  LLVMValueRef point = LLVMBuildAdd(e->b, loop->first, LLVMBuildMul(e->b, k, quarter, ""), "");
  LLVMValueRef work = work_at(e, loop, point);
  work = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOGT, work, most, ""), work, most, "");
  LLVMValueRef next = LLVMBuildAdd(e->b, k, one, ""), more = LLVMBuildICmp(e->b, LLVMIntSLE, next, number(e, 3), "");
  LLVMBasicBlockRef end = LLVMGetInsertBlock(e->b);
  behind = tsr_emit_block(e, "tsr.worked");
  LLVMBuildCondBr(e->b, more, body, behind);
  LLVMAddIncoming(k, &next, &end, 1);
  LLVMAddIncoming(most, &work, &end, 1);
  LLVMPositionBuilderAtEnd(e->b, behind);
  return work;
}

/* trips of LOOP * work of one iteration, in its middle if all are alike > MIN_WORK */
static LLVMValueRef is_enough(struct tsr_emit *e, const struct tsr_for *loop)
{
  LLVMTypeRef real = LLVMDoubleTypeInContext(e->llvm);
  LLVMValueRef trips = trip_count(e, loop), work;
  LLVMValueRef several = LLVMBuildICmp(e->b, LLVMIntSGT, trips, number(e, 1), "");
  if (e->m->opt->force)
    return several;
  if (loop->even)
    work = work_at(e, loop, LLVMBuildSDiv(e->b, LLVMBuildAdd(e->b, loop->first, loop->last, ""), number(e, 2), ""));
  else
    work = most_work(e, loop);
  work = LLVMBuildFMul(e->b, LLVMBuildSIToFP(e->b, trips, real, ""), work, "");
  return LLVMBuildAnd(e->b, several, LLVMBuildFCmp(e->b, LLVMRealOGT, work, LLVMConstReal(real, MIN_WORK), ""), "");
}

static LLVMValueRef is_inside_team(struct tsr_emit *e)
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
    LLVMValueRef enough = is_enough(e, &loop);
    free(loop.iterator);
    isl_ast_node_free(loop.body);
    return enough;
  }
  int n = e->n_var;
  bind_middle(e, node);
  LLVMValueRef any = any_in(e, isl_ast_node_for_get_body(node));
  tsr_emit_unbind(e, n);
  return any;
}

static LLVMValueRef any_in_mark(struct tsr_emit *e, isl_ast_node *node)
{
  isl_id *id = isl_ast_node_mark_get_id(node);
  isl_ast_node *sub = isl_ast_node_mark_get_node(node);
  bool threads = tsr_mark_is_for_threads(isl_id_get_name(id)) && isl_ast_node_get_type(sub) == isl_ast_node_for;
  isl_id_free(id);
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
  may = LLVMBuildAnd(e->b, may, LLVMBuildNot(e->b, is_inside_team(e), ""), "");
  return e->m->opt->force ? may : LLVMBuildAnd(e->b, may, any_is_enough(e, ast), "tsr.mayshare");
}

void tsr_emit_parallel(struct tsr_emit *e, const struct tsr_for *outer)
{
  struct tsr_for loop = *outer;
  /* opaque, so that at least one value is captured */
  loop.first = LLVMBuildFreeze(e->b, loop.first, "tsr.first");
  LLVMValueRef enough = is_enough(e, &loop);
  loop.copies = e->private_loop != NULL;
  if (loop.copies)
    enough = LLVMBuildAnd(e->b, enough, tsr_emit_private_fits(e), "");
  if (loop.doacross) {
    emit_team(e, &loop, tsr_emit_doacross_begin(e, trip_count(e, &loop), enough));
    return;
  }
  if (e->plan->alone != TSR_ALONE_SAME) { /* what is too little comes now and then: as a team of one */
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
    emit_team(e, &loop, LLVMBuildZExt(e->b, LLVMBuildNot(e->b, enough, ""), i32, "tsr.size"));
    return;
  }
  LLVMBasicBlockRef many = tsr_emit_block(e, "tsr.parallel"), one = tsr_emit_block(e, "tsr.sequential");
  LLVMBasicBlockRef behind = tsr_emit_block(e, "tsr.endparallel");
  LLVMBuildCondBr(e->b, LLVMBuildAnd(e->b, enough, LLVMBuildNot(e->b, is_inside_team(e), ""), ""), many, one);
  LLVMPositionBuilderAtEnd(e->b, many);
  emit_team(e, &loop, LLVMConstInt(LLVMInt32TypeInContext(e->llvm), 0, false));
  LLVMBuildBr(e->b, behind);
  LLVMPositionBuilderAtEnd(e->b, one);
  e->in_parallel = true;
  tsr_emit_loop(e, &loop);
  e->in_parallel = false;
  LLVMBuildBr(e->b, behind);
  LLVMPositionBuilderAtEnd(e->b, behind);
}

/* ---- what has a copy a thread: scalars and arrays that the checker accepted as private below the parallel mark. */

/* None yet, for the mark NUMBER. */
static struct tsr_private *add_private(struct tsr_emit *e, int number)
{
  e->private_of = realloc(e->private_of, (e->n_private + 1) * sizeof(*e->private_of));
  struct tsr_private *mark = &e->private_of[e->n_private++];
  *mark = (struct tsr_private){.number = number, .array = calloc(e->m->n_array + 1, sizeof(bool))};
  return mark;
}

/* For MARK, called NAME, above BAND. Where an array can't be copied the mark is as if it weren't there. */
static void find_private(struct tsr_emit *e, struct tsr_private *mark, isl_schedule_node *band, const char *name)
{
  bool *memory = calloc(e->m->n_array + 1, sizeof(*memory));
  if (!strcmp(name, TSR_MARK_DOACROSS))
    tsr_band_is_doacross(band, e->m->scop, mark->array);
  else if (tsr_private_read(name, e->m->scop, memory) && tsr_emit_private_find(e, mark, band, memory))
    tsr_band_is_parallel_apart(band, e->m->scop, memory, mark->array);
  else
    mark->number = -1;
  free(memory);
}

static isl_bool visit_mark(isl_schedule_node *node, void *user)
{
  struct tsr_emit *e = user;
  isl_id *id = NULL;
  if (isl_schedule_node_get_type(node) == isl_schedule_node_mark)
    id = isl_schedule_node_mark_get_id(node);
  if (!id || !tsr_mark_is_for_threads(isl_id_get_name(id))) {
    isl_id_free(id);
    return isl_bool_true;
  }
  isl_schedule_node *band = isl_schedule_node_get_child(node, 0);
  find_private(e, add_private(e, tsr_mark_number(id)), band, isl_id_get_name(id));
  isl_id_free(id);
  isl_schedule_node_free(band);
  return isl_bool_true;
}

void tsr_emit_find_private(struct tsr_emit *e, isl_schedule *tree)
{
  isl_schedule_foreach_schedule_node_top_down(tree, visit_mark, e);
  if (e->n_private)
    add_private(e, TSR_MARK_OF_COPIES);
}

void tsr_emit_enter_parallel(struct tsr_emit *e, isl_id *id)
{
  struct tsr_private *mark = NULL;
  for (int i = 0; i < e->n_private && !mark; i++)
    mark = e->private_of[i].number == tsr_mark_number(id) ? &e->private_of[i] : NULL;
  e->private_array = mark ? mark->array : NULL;
  e->parallel = mark != NULL;
  if (!e->in_parallel)
    e->private_loop = mark && mark->n_copy ? mark : NULL;
  e->doacross = e->parallel && !strcmp(isl_id_get_name(id), TSR_MARK_DOACROSS);
}

void tsr_emit_free_private(struct tsr_emit *e)
{
  for (int i = 0; i < e->n_private; i++) {
    free(e->private_of[i].array);
    tsr_emit_private_clear(&e->private_of[i]);
  }
  free(e->private_of);
}

/* call outlined(data)  ->  call GOMP_parallel(outlined, data, SIZE, 0) */
static void start_team(struct tsr_model *m, LLVMValueRef call, LLVMValueRef size)
{
  LLVMContextRef llvm = LLVMGetModuleContext(m->module);
  struct tsr_emit e = {.m = m, .llvm = llvm, .b = LLVMCreateBuilderInContext(llvm)};
  LLVMTypeRef i32 = LLVMInt32TypeInContext(llvm);
  LLVMPositionBuilderBefore(e.b, call);
  if (tsr_inst_location(call))
    LLVMSetCurrentDebugLocation2(e.b, tsr_inst_location(call));
  LLVMValueRef zero = LLVMConstInt(i32, 0, false);
  LLVMValueRef args[4] = {LLVMGetCalledValue(call), LLVMGetOperand(call, 0), size, zero};
  tsr_emit_call(&e, "GOMP_parallel", LLVMVoidTypeInContext(llvm), args, 4);
  LLVMInstructionEraseFromParent(call);
  LLVMDisposeBuilder(e.b);
}

void tsr_emit_finish(struct tsr_model *m)
{
  tsr_promote(m->function, m->slot, m->n_slot);
  for (int i = 0; i < m->n_outline; i++) {
    bool team = m->outline[i].team;
    LLVMValueRef call = tsr_outline(m->outline[i].block, m->outline[i].n, team ? "tsr.team" : "tsr.new");
    if (call && team)
      start_team(m, call, m->outline[i].size);
    m->broken |= team && !call;
    free(m->outline[i].block);
  }
  free(m->outline);
  free(m->slot);
  m->outline = NULL;
  m->slot = NULL;
}
