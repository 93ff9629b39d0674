/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops whose stores go past the caches. A line that is stored as usual is fetched first, though none of it is read, and
 * pushes another one out: in a loop that waits for memory an array that is written costs as much as two that are read.
 * Stores of whole lines with the hint "nontemporal" do neither. LLVM's vectoriser makes none of them, as it knows nothing of
 * where lines begin, so that these loops are written here:
 *
 *   for i = first .. last - A[i] = f(i)
 *   ->
 *   if there is less data than caches hold
 *     the loop, for LLVM's vectoriser
 *   else
 *     for i up to A's next line - A[i] = f(i)
 *     for i, a line at a time   - A[i .. ] = f(i .. ), in vectors, with the hint
 *     for the rest              - A[i] = f(i)
 *
 * Parts of lines are stored as usual: each would be a transfer of its own. Stores with the hint are ordered by fences alone;
 * one comes behind the loops of the SCoP. */
#include "emit/vector/statement_lanes.h"
#include "emit/vector/vector.h"
#include <isl/val.h>
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

#define LINE 64 /* bytes that are written as a whole */

/* The loop at hand. */
struct streamed {
  struct tsr_emit *e;
  isl_ast_node *user;
  struct tsr_for bounds;
  long step[TSR_MAX_DIM]; /* from an instance to the one of the next iteration */
  struct tsr_lanes lanes;
  int64_t bytes; /* of an element */
};

/* Does ACCESS, the store of S's statement, go to the next element in each iteration? */
static bool writes_row(struct streamed *s, const struct tsr_raw_access *access)
{
  long elements = 0;
  isl_map *element = tsr_model_element(s->e->m, s->lanes.stmt, access);
  bool next = tsr_access_move(element, s->step, &elements) && elements == 1;
  isl_map_free(element);
  return next && s->bytes == access->size;
}

/* Does the statement read nothing but neighbours, or what is the same for all, of arrays, and write neighbours of a row
 * whose elements are aligned? The mark doesn't promise it. */
static bool is_line(struct streamed *s)
{
  struct tsr_model *m = s->e->m;
  const struct tsr_lanes *lanes = &s->lanes;
  const struct tsr_stmt_info *stmt = &m->stmts[lanes->stmt];
  bool good = lanes->store && LLVMIsAStoreInst(lanes->store) && lanes->written < 0 && lanes->n > 1 && stmt->n_read == 0 &&
              stmt->n_write == 0;
  bool row = false;
  for (int i = 0; i < m->n_access && good; i++) {
    if (m->access[i].stmt != lanes->stmt)
      continue;
    bool stored = m->access[i].inst == lanes->store;
    row |= stored && writes_row(s, &m->access[i]);
    good = stored || lanes->move[i] == TSR_LANES_EQUAL || lanes->move[i] == TSR_LANES_NEXT ||
           lanes->move[i] >= TSR_LANES_PLACED;
  }
  return good && row && (s->bytes & -s->bytes) == s->bytes && LLVMGetAlignment(lanes->store) >= (unsigned)s->bytes &&
         LINE % (s->bytes * lanes->n) == 0;
}

/* LOOP as one that can be streamed; false if it can't. */
static bool streamed_read(struct tsr_emit *e, isl_ast_node *loop, struct streamed *s)
{
  *s = (struct streamed){.e = e, .user = isl_ast_node_for_get_body(loop)};
  if (e->in_parallel || e->gpu || e->lanes || e->skip.test || !tsr_stream_is_possible(e->m->function) ||
      isl_ast_node_for_is_degenerate(loop) != isl_bool_false || isl_ast_node_get_type(s->user) != isl_ast_node_user)
    return false;
  const struct tsr_instance *instance = tsr_ast_instance(s->user);
  int stmt = instance && instance->kind != TSR_STMT_COMPUTE ? -1 : tsr_emit_stmt_of(e, s->user);
  isl_ast_expr *inc = isl_ast_node_for_get_inc(loop);
  isl_val *by = isl_ast_expr_get_val(inc);
  bool good = stmt >= 0 && isl_val_is_one(by) == isl_bool_true && e->m->scop->stmts[stmt].vector_bytes > 0;
  isl_val_free(by);
  isl_ast_expr_free(inc);
  s->bounds.iterator = tsr_emit_iterator_name(loop);
  isl_multi_aff *at = good ? tsr_ast_user_instance(s->user) : NULL;
  good = at && tsr_instance_step(at, s->bounds.iterator, s->step);
  isl_multi_aff_free(at);
  if (!good)
    return false;
  LLVMValueRef store;
  LLVMTypeRef type = LLVMTypeOf(tsr_vector_target(e->m, stmt, &store));
  s->bytes = (int64_t)LLVMABISizeOfType(LLVMGetModuleDataLayout(e->m->module), type);
  int64_t vector = e->m->scop->machine.vector_bytes < LINE ? e->m->scop->machine.vector_bytes : LINE;
  unsigned n = (unsigned)(vector / e->m->scop->stmts[stmt].vector_bytes);
  e->instance = instance;
  tsr_lanes_init(&s->lanes, e, stmt, n, s->step, NULL, s->bounds.iterator, false);
  s->lanes.streamed = true;
  e->instance = NULL;
  return is_line(s);
}

/* The loop from *AT on, by BY iterations as long as LIMIT is not passed: all lanes, or one by one. *AT becomes what is left.
 */
static void emit_part(struct streamed *s, LLVMValueRef *at, LLVMValueRef limit, int64_t by)
{
  struct tsr_emit *e = s->e;
  LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b), body = tsr_emit_block(e, by > 1 ? "tsr.lines" : "tsr.part");
  LLVMBasicBlockRef behind = tsr_emit_block(e, "tsr.behind");
  LLVMValueRef last = LLVMBuildNSWSub(e->b, limit, tsr_emit_number(e, by - 1), "");
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, *at, last, ""), body, behind);
  LLVMPositionBuilderAtEnd(e->b, behind);
  LLVMValueRef after = LLVMBuildPhi(e->b, e->i64, "tsr.c");
  LLVMPositionBuilderAtEnd(e->b, body);
  LLVMValueRef counter = LLVMBuildPhi(e->b, e->i64, "tsr.c");
  for (int64_t i = 0; i < by; i += by > 1 ? s->lanes.n : 1) {
    int n_var = e->n_var;
    LLVMValueRef *counters;
    tsr_emit_bind(e, s->bounds.iterator, i ? LLVMBuildNSWAdd(e->b, counter, tsr_emit_number(e, i), "") : counter);
    if (by > 1) {
      e->instance = tsr_ast_instance(s->user);
      tsr_emit_counters(e, s->user, &counters);
      tsr_lanes_store(&s->lanes, counters, NULL, tsr_lanes_run(&s->lanes, counters, NULL, NULL));
      free(counters);
      e->instance = NULL;
    } else {
      e->emit_node(e, s->user);
    }
    tsr_emit_unbind(e, n_var);
  }
  LLVMValueRef next = LLVMBuildNSWAdd(e->b, counter, tsr_emit_number(e, by), "");
  LLVMBasicBlockRef end = LLVMGetInsertBlock(e->b);
  LLVMValueRef again = LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, next, last, ""), body, behind);
  bool masked = e->masked;
  e->masked = true; /* no vectors of LLVM's: what is left are a few iterations */
  tsr_set_metadata(again, "llvm.loop", tsr_emit_loop_id(e, NULL, true));
  e->masked = masked;
  LLVMAddIncoming(counter, (LLVMValueRef[]){*at, next}, (LLVMBasicBlockRef[]){before, end}, 2);
  LLVMAddIncoming(after, (LLVMValueRef[]){*at, next}, (LLVMBasicBlockRef[]){before, end}, 2);
  LLVMPositionBuilderAtEnd(e->b, behind);
  *at = after;
}

/* The last iteration, from FIRST on, in front of one that begins a line, or the last of all */
static LLVMValueRef before_line(struct streamed *s, LLVMValueRef first, LLVMValueRef last)
{
  struct tsr_emit *e = s->e;
  int n_var = e->n_var;
  LLVMValueRef *counters;
  tsr_emit_bind(e, s->bounds.iterator, first);
  e->instance = tsr_ast_instance(s->user);
  tsr_emit_counters(e, s->user, &counters);
  LLVMValueRef address = LLVMBuildPtrToInt(e->b, tsr_lanes_address(&s->lanes, counters), e->i64, "");
  e->instance = NULL;
  free(counters);
  tsr_emit_unbind(e, n_var);
  LLVMValueRef over = LLVMBuildAnd(e->b, LLVMBuildNeg(e->b, address, ""), tsr_emit_number(e, LINE - 1), "");
  LLVMValueRef at = LLVMBuildAdd(e->b, first, LLVMBuildUDiv(e->b, over, tsr_emit_number(e, s->bytes), ""), "");
  at = LLVMBuildSub(e->b, at, tsr_emit_number(e, 1), "");
  return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, at, last, ""), at, last, "");
}

/* Is what the statement writes, in all of its instances, more than caches hold? i1 */
static LLVMValueRef is_much(struct streamed *s)
{
  struct tsr_emit *e = s->e;
  isl_ast_expr *size[TSR_PLACE_DIM];
  int stmt = s->lanes.stmt, n = tsr_written_sizes(e->m->scop, stmt, size);
  bool may_wrap = e->may_wrap;
  LLVMValueRef bytes = tsr_emit_number(e, s->bytes);
  e->may_wrap = true; /* nobody has seen how large these can get */
  for (int d = 0; d < n; d++)
    bytes = LLVMBuildMul(e->b, bytes, tsr_emit_expr(e, size[d]), "");
  e->may_wrap = may_wrap;
  return n == 0 ? LLVMConstNull(LLVMInt1TypeInContext(e->llvm))
                : LLVMBuildICmp(e->b, LLVMIntUGE, bytes, tsr_emit_number(e, e->m->scop->machine.stream_bytes), "tsr.much");
}

bool tsr_emit_streamed_loop(struct tsr_emit *e, isl_ast_node *loop)
{
  struct streamed s;
  bool good = streamed_read(e, loop, &s);
  if (good) {
    tsr_emit_bounds(e, loop, &s.bounds);
    LLVMBasicBlockRef lines = tsr_emit_block(e, "tsr.stream"), plain = tsr_emit_block(e, "tsr.cached");
    LLVMBasicBlockRef behind = tsr_emit_block(e, "tsr.behind");
    LLVMBuildCondBr(e->b, is_much(&s), lines, plain);
    LLVMPositionBuilderAtEnd(e->b, plain);
    s.bounds.body = s.user;
    e->vector = true;
    tsr_emit_loop(e, &s.bounds);
    LLVMBuildBr(e->b, behind);
    LLVMPositionBuilderAtEnd(e->b, lines);
    LLVMValueRef at = s.bounds.first;
    e->vector = e->chain = false;
    emit_part(&s, &at, before_line(&s, at, s.bounds.last), 1);
    emit_part(&s, &at, s.bounds.last, LINE / s.bytes);
    emit_part(&s, &at, s.bounds.last, 1);
    LLVMBuildBr(e->b, behind);
    LLVMPositionBuilderAtEnd(e->b, behind);
    e->streamed = true;
  }
  if (s.lanes.move)
    tsr_lanes_clear(&s.lanes);
  isl_ast_node_free(s.user);
  free(s.bounds.iterator);
  return good;
}

void tsr_emit_stream_fence(struct tsr_emit *e)
{
  static const char name[] = "llvm.x86.sse.sfence";
  if (!e->streamed)
    return;
  LLVMValueRef fence = LLVMGetIntrinsicDeclaration(e->m->module, LLVMLookupIntrinsicID(name, sizeof(name) - 1), NULL, 0);
  LLVMBuildCall2(e->b, LLVMGlobalGetValueType(fence), fence, NULL, 0, "");
  e->streamed = false;
}
