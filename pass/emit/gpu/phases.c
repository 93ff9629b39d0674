/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels of blocks. An iteration of a kernel's loops is a block; what that runs is in phases of its threads, for all of
 * which the code around phases is the same:
 *
 *   mark "threads 2 of 16x16" - for (y) for (x) X   ->   barrier; if (first <= id.y <= last && first <= id.x <= last) X
 *   mark "unroll 1 of 8" - for (c) X                ->   X with c = 0; X with c = 1; ..; each if that is an iteration
 *
 * A phase begins with a barrier, unless nothing that it accesses has been written since the last one, and nothing that it
 * writes has been accessed; arrays as a whole. In front of a loop and a branch what they access counts, too, as it may have
 * run already, and behind them what counted in front.
 */
#include "emit/buffer/array_buffers.h"
#include "emit/gpu/gpu.h"
#include <stdlib.h>
#include <string.h>

static bool is_of_blocks(const struct tsr_emit *e)
{
  return e->gpu && e->gpu->kernel && e->gpu->kernel->kernel.n_size > 0;
}

/* ---- what has been accessed ---- */

/* What note_access is about. */
struct notes {
  struct tsr_emit *e;
  bool *read, *written; /* by array of the program */
};

static void note(struct notes *notes, int array, bool write)
{
  const struct tsr_scop *scop = notes->e->program ? notes->e->program->scop : notes->e->m->scop;
  if (scop->arrays[array].kind != TSR_ARRAY_MEMORY || scop->arrays[array].space == TSR_SPACE_PRIVATE)
    return;
  notes->read[array] |= !write;
  notes->written[array] |= write;
}

/* The accesses of USER. */
static isl_bool note_user(isl_ast_node *user, void *data)
{
  struct notes *notes = data;
  if (isl_ast_node_get_type(user) != isl_ast_node_user)
    return isl_bool_true;
  const struct tsr_instance *instance = tsr_ast_instance(user);
  int number = instance ? instance->stmt : tsr_emit_stmt_of(notes->e, user);
  const struct tsr_stmt *stmt = number < 0 ? NULL : &notes->e->m->scop->stmts[number];
  for (int p = 0; instance && p < instance->n; p++) {
    const struct tsr_access_place *place = &instance->place[p];
    note(notes, place->array, stmt ? stmt->access[place->access].kind != TSR_READ : place->access == 1);
  }
  for (int k = 0; stmt && k < stmt->n_access; k++) {
    bool elsewhere = false;
    for (int p = 0; instance && p < instance->n; p++)
      elsewhere |= instance->place[p].access == k;
    if (!elsewhere)
      note(notes, stmt->access[k].array, stmt->access[k].kind != TSR_READ);
  }
  return isl_bool_true;
}

static int count_arrays(const struct tsr_emit *e)
{
  return e->program ? e->program->scop->n_array : e->m->scop->n_array;
}

/* Room for flags of reads and writes, none set. */
static struct notes notes_alloc(struct tsr_emit *e)
{
  size_t n = (size_t)count_arrays(e) + 1;
  return (struct notes){e, calloc(n, sizeof(bool)), calloc(n, sizeof(bool))};
}

static void notes_free(struct notes *notes)
{
  free(notes->read);
  free(notes->written);
}

void tsr_emit_begin_blocks(struct tsr_emit *e)
{
  struct notes notes = notes_alloc(e);
  e->gpu->read = notes.read;
  e->gpu->written = notes.written;
  e->gpu->shared = calloc((size_t)count_arrays(e) + 1, sizeof(*e->gpu->shared));
  e->gpu->life = calloc((size_t)count_arrays(e) + 1, sizeof(*e->gpu->life));
  e->gpu->part = e->gpu->n_part = 1;
}

void tsr_emit_end_blocks(struct tsr_emit *e)
{
  free(e->gpu->read);
  free(e->gpu->written);
  free(e->gpu->shared);
  free(e->gpu->life);
  e->gpu->read = e->gpu->written = NULL;
  e->gpu->shared = NULL;
}

bool *tsr_emit_enter_part(struct tsr_emit *e, isl_ast_node *node)
{
  if (!is_of_blocks(e) || e->gpu->phase)
    return NULL;
  struct notes notes = {e, e->gpu->read, e->gpu->written};
  isl_ast_node_foreach_descendant_top_down(node, note_user, &notes);
  size_t n = (size_t)count_arrays(e);
  bool *state = malloc(2 * n + 1);
  memcpy(state, e->gpu->read, n);
  memcpy(state + n, e->gpu->written, n);
  return state;
}

void tsr_emit_again(struct tsr_emit *e, const bool *state)
{
  size_t n = state ? (size_t)count_arrays(e) : 0;
  if (!n)
    return;
  memcpy(e->gpu->read, state, n);
  memcpy(e->gpu->written, state + n, n);
}

void tsr_emit_leave_part(struct tsr_emit *e, bool *state)
{
  tsr_emit_again(e, state);
  free(state);
}

/* All threads of the block wait for each other. */
static void barrier(struct tsr_emit *e)
{
  static const char name[] = "llvm.nvvm.barrier.cta.sync.aligned.all";
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->m->module, id, NULL, 0);
  LLVMValueRef number = LLVMConstInt(LLVMInt32TypeInContext(e->llvm), 0, false);
  LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->llvm, id, NULL, 0), function, &number, 1, "");
  memset(e->gpu->read, 0, (size_t)count_arrays(e));
  memset(e->gpu->written, 0, (size_t)count_arrays(e));
}

/* ---- phases ---- */

bool tsr_emit_reads_unwritten(struct tsr_emit *e, isl_ast_node *body, isl_ast_node **phase, int n)
{
  struct notes all = notes_alloc(e), reads = notes_alloc(e);
  isl_ast_node_foreach_descendant_top_down(body, note_user, &all);
  for (int i = 0; i < n; i++)
    isl_ast_node_foreach_descendant_top_down(phase[i], note_user, &reads);
  bool unwritten = true;
  for (int i = 0; i < count_arrays(e); i++)
    unwritten &= !(reads.read[i] && all.written[i]);
  notes_free(&all);
  notes_free(&reads);
  return unwritten;
}

void tsr_emit_wait(struct tsr_emit *e, isl_ast_node *body)
{
  struct notes own = notes_alloc(e);
  bool wait = false;
  int n = count_arrays(e);
  isl_ast_node_foreach_descendant_top_down(body, note_user, &own);
  for (int i = 0; i < n; i++)
    wait |= (own.read[i] && e->gpu->written[i]) || (own.written[i] && (e->gpu->read[i] || e->gpu->written[i]));
  if (wait)
    barrier(e);
  for (int i = 0; i < n; i++) {
    e->gpu->read[i] |= own.read[i];
    e->gpu->written[i] |= own.written[i];
  }
  notes_free(&own);
}

void tsr_emit_phase(struct tsr_emit *e, const struct tsr_mark *mark, isl_ast_node *body)
{
  if (!tsr_emit_is_loading(e)) {
    tsr_emit_wait(e, body);
    tsr_emit_due_loads(e, body);
  }
  e->gpu->phase = mark;
  e->gpu->phase_body = body;
  e->gpu->phase_mapped = 0;
  e->gpu->free = tsr_emit_may_be_free(e, mark, body);
  e->emit_node(e, body);
  e->gpu->phase = NULL;
}

void tsr_emit_where(struct tsr_emit *e, LLVMValueRef cond, const char *iterator, LLVMValueRef value, isl_ast_node *body)
{
  LLVMBasicBlockRef run = cond ? tsr_emit_block(e, "tsr.mine") : NULL,
                    behind = cond ? tsr_emit_block(e, "tsr.endmine") : NULL;
  if (cond) {
    LLVMBuildCondBr(e->b, cond, run, behind);
    LLVMPositionBuilderAtEnd(e->b, run);
  }
  int n_var = e->n_var;
  if (iterator)
    tsr_emit_bind(e, iterator, value);
  e->emit_node(e, body);
  tsr_emit_unbind(e, n_var);
  if (cond) {
    LLVMBuildBr(e->b, behind);
    LLVMPositionBuilderAtEnd(e->b, behind);
  }
}

/* VALUE as a number, in *NUMBER, if it is one */
static bool is_number(LLVMValueRef value, long *number)
{
  if (!LLVMIsAConstantInt(value))
    return false;
  *number = (long)LLVMConstIntGetSExtValue(value);
  return true;
}

LLVMValueRef tsr_emit_both(struct tsr_emit *e, LLVMValueRef a, LLVMValueRef b)
{
  return a && b ? LLVMBuildAnd(e->b, a, b, "") : a ? a : b;
}

/* i1: is VALUE, from 0 on and below SIZE, an iteration of LOOP? NULL: it is. */
LLVMValueRef tsr_emit_is_iteration(struct tsr_emit *e, const struct tsr_for *loop, LLVMValueRef value, long size)
{
  long first, last, step, at;
  bool known = is_number(value, &at);
  LLVMValueRef cond = NULL;
  if (!is_number(loop->first, &first) || first > (known ? at : 0))
    cond = LLVMBuildICmp(e->b, LLVMIntSLE, loop->first, value, "");
  if (!is_number(loop->last, &last) || last < (known ? at : size - 1))
    cond = tsr_emit_both(e, cond, LLVMBuildICmp(e->b, LLVMIntSLE, value, loop->last, ""));
  if (!is_number(loop->step, &step) || step > 1) {
    LLVMValueRef rest = LLVMBuildSRem(e->b, LLVMBuildSub(e->b, value, loop->first, ""), loop->step, "");
    cond = tsr_emit_both(e, cond, LLVMBuildICmp(e->b, LLVMIntEQ, rest, tsr_emit_number(e, 0), ""));
  }
  return cond;
}

/* LOOP's bounds from NODE. */
void tsr_emit_find_bounds(struct tsr_emit *e, isl_ast_node *node, struct tsr_for *loop)
{
  if (isl_ast_node_for_is_degenerate(node) == isl_bool_true) {
    loop->first = loop->last = tsr_emit_expr(e, isl_ast_node_for_get_init(node));
    loop->step = tsr_emit_number(e, 1);
  } else {
    tsr_emit_bounds(e, node, loop);
  }
}

/* The number of this thread in dimension LOOP of its block, i64 */
static LLVMValueRef thread_number(struct tsr_emit *e, int loop)
{
  return tsr_emit_special(e, "tid", e->gpu->phase->kernel.n_size - 1 - loop);
}

/* The loop NODE, number LOOP of the phase: the iteration of this thread, if it has one. */
static void phase_loop(struct tsr_emit *e, isl_ast_node *node, int loop)
{
  unsigned mapped = e->gpu->phase_mapped;
  struct tsr_for all = {.iterator = tsr_emit_iterator_name(node), .body = isl_ast_node_for_get_body(node)};
  tsr_emit_find_bounds(e, node, &all);
  LLVMValueRef own = thread_number(e, loop);
  e->gpu->phase_mapped |= 1u << loop;
  tsr_emit_where(e, tsr_emit_is_iteration(e, &all, own, e->gpu->phase->kernel.size[loop]), all.iterator, own, all.body);
  e->gpu->phase_mapped = mapped;
  free(all.iterator);
  isl_ast_node_free(all.body);
}

/* NODE, in iterations of the phase's loops that isl has dropped, as they run once: in the threads that have them. */
static void lone_threads(struct tsr_emit *e, isl_ast_node *node)
{
  unsigned mapped = e->gpu->phase_mapped;
  LLVMValueRef cond = NULL;
  for (int i = 0; i < e->gpu->phase->kernel.n; i++)
    if (!(mapped >> i & 1)) {
      LLVMValueRef number = tsr_emit_expr(e, tsr_emit_dropped_number(node, e->gpu->phase->depth + i));
      cond = tsr_emit_both(e, cond, LLVMBuildICmp(e->b, LLVMIntEQ, thread_number(e, i), number, ""));
    }
  e->gpu->phase_mapped = (1u << e->gpu->phase->kernel.n) - 1;
  tsr_emit_where(e, cond, NULL, NULL, node);
  e->gpu->phase_mapped = mapped;
}

/* The loop NODE, of SIZE iterations at most, one after the other. */
static void written_out(struct tsr_emit *e, isl_ast_node *node, int size)
{
  struct tsr_for all = {.iterator = tsr_emit_iterator_name(node), .body = isl_ast_node_for_get_body(node)};
  tsr_emit_find_bounds(e, node, &all);
  for (int i = 0; i < size; i++) {
    bool all_run = e->gpu->unroll->kernel.free && e->gpu->free;
    LLVMValueRef value = tsr_emit_number(e, i), cond = all_run ? NULL : tsr_emit_is_iteration(e, &all, value, size);
    if (cond && LLVMIsAConstantInt(cond) && LLVMConstIntGetZExtValue(cond) == 0)
      continue;
    tsr_emit_where(e, cond, all.iterator, value, all.body);
  }
  free(all.iterator);
  isl_ast_node_free(all.body);
}

bool tsr_emit_in_phase(struct tsr_emit *e, isl_ast_node *node)
{
  if (!is_of_blocks(e) || !e->gpu->phase)
    return false;
  bool loop = isl_ast_node_get_type(node) == isl_ast_node_for;
  int depth = loop ? tsr_emit_loop_depth(node) : 0;
  const struct tsr_mark *phase = e->gpu->phase, *unroll = e->gpu->unroll;
  if (e->gpu->phase_mapped != (1u << phase->kernel.n) - 1) {
    int number = depth - phase->depth;
    if (loop && number >= 0 && number < phase->kernel.n)
      phase_loop(e, node, number);
    else
      lone_threads(e, node);
    return true;
  }
  int number = loop && unroll ? depth - unroll->depth : -1;
  if (number < 0 || number >= unroll->kernel.n)
    return false;
  if (number > 0 || !tsr_emit_loads(e, node))
    written_out(e, node, unroll->kernel.size[number]);
  return true;
}

void tsr_emit_enter_unrolled(struct tsr_emit *e, const struct tsr_mark *mark)
{
  if (is_of_blocks(e))
    e->gpu->unroll = mark;
}

void tsr_emit_leave_unrolled(struct tsr_emit *e)
{
  if (e->gpu)
    e->gpu->unroll = NULL;
}
