/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads that nobody waits for. Where a phase of a block moves from memory into what its threads share, or own, each thread
 * has all of its loads under way before it stores the first value; what isn't there it loads from a place with zeros, so
 * that there are no branches.
 *
 * In a loop around such phases and others, values are loaded an iteration ahead, and wait in registers:
 *
 *   for (k) { load A[k] -> S; use S }   ->   r = A[first]; for (k) { S = r; if (k < last) r = A[k + 1]; use S }
 *
 * Nobody writes A meanwhile: the loop is within an iteration of the kernel, and its own phases don't (looked at here). */
#include "emit/buffer/array_buffers.h"
#include "emit/buffer/kept_values.h"
#include "emit/gpu/gpu.h"
#include <stdlib.h>
#include <string.h>

/* A move in loops that are written out, in one iteration of these. */
struct point {
  LLVMValueRef cond; /* i1: is it there? NULL: yes */
  int at[TSR_MAX_MAPPED];
  LLVMValueRef moved;
};

/* Those loops, one directly in the other. */
struct nest {
  int n, n_point;
  isl_ast_node *loop[TSR_MAX_MAPPED]; /* owned */
  isl_ast_node *user;                 /* owned */
  char *iterator[TSR_MAX_MAPPED];
  struct point *point;
};

static void nest_clear(struct nest *nest)
{
  for (int i = 0; i < nest->n; i++) {
    isl_ast_node_free(nest->loop[i]);
    free(nest->iterator[i]);
  }
  isl_ast_node_free(nest->user);
  free(nest->point);
}

/* Is NODE the outermost of the loops of UNROLL around nothing but a move from memory into a buffer? It is NEST; to be
 * cleared. */
static bool find_loads(const struct tsr_mark *unroll, isl_ast_node *node, struct nest *nest)
{
  *nest = (struct nest){0};
  for (node = isl_ast_node_copy(node); isl_ast_node_get_type(node) == isl_ast_node_for && nest->n < unroll->kernel.n;) {
    nest->iterator[nest->n] = tsr_emit_iterator_name(node);
    nest->loop[nest->n++] = node;
    if (tsr_emit_loop_depth(node) != unroll->depth + nest->n - 1)
      return false;
    node = isl_ast_node_for_get_body(node);
  }
  nest->user = node;
  const struct tsr_instance *instance = isl_ast_node_get_type(node) == isl_ast_node_user ? tsr_ast_instance(node) : NULL;
  return nest->n == unroll->kernel.n && instance && instance->kind == TSR_STMT_MOVE && !instance->place[0].buffer;
}

/* Add the points of NEST in loops from number LOOP on, in iteration AT of those around, where COND holds. */
static void find_points(struct tsr_emit *e, struct nest *nest, int loop, int *at, LLVMValueRef cond)
{
  if (loop >= nest->n || loop >= TSR_MAX_MAPPED) {
    struct point *point = &nest->point[nest->n_point++];
    point->cond = cond;
    memcpy(point->at, at, sizeof(point->at));
    return;
  }
  struct tsr_for all = {0};
  tsr_emit_find_bounds(e, nest->loop[loop], &all);
  int size = e->gpu->unroll->kernel.size[loop];
  for (at[loop] = 0; at[loop] < size; at[loop]++) {
    LLVMValueRef value = tsr_emit_number(e, at[loop]), own = tsr_emit_is_iteration(e, &all, value, size);
    int n_var = e->n_var;
    tsr_emit_bind(e, nest->iterator[loop], value);
    find_points(e, nest, loop + 1, at, tsr_emit_both(e, cond, own));
    tsr_emit_unbind(e, n_var);
  }
}

/* ---- loops whose loads are an iteration ahead ---- */

struct tsr_early_loads {
  isl_ast_node **phase; /* what is below the marks of phases of loads, owned */
  int n;
  const struct tsr_mark **mark;
  bool load;          /* are they about to load, for another iteration, or to store? */
  bool due;           /* are the loads of the next iteration yet to be written? */
  LLVMValueRef *slot; /* in which values wait, in their order */
  int n_slot, at;
  const struct tsr_for *loop;
};

/* Is BODY, of a phase, one of those loads? */
static bool is_early(const struct tsr_early_loads *early, isl_ast_node *body)
{
  for (int i = 0; early && i < early->n; i++)
    if (early->phase[i] == body)
      return true;
  return false;
}

/* The slot for the next value, of TYPE if it is a new one */
static LLVMValueRef next_slot(struct tsr_emit *e, struct tsr_early_loads *early, LLVMTypeRef type)
{
  if (early->at == early->n_slot) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
    LLVMValueRef first = LLVMGetFirstInstruction(e->gpu->entry);
    LLVMPositionBuilderBefore(e->b, first);
    early->slot = realloc(early->slot, (size_t)(early->n_slot + 1) * sizeof(*early->slot));
    early->slot[early->n_slot++] = LLVMBuildAlloca(e->b, type, "tsr.early");
    LLVMPositionBuilderAtEnd(e->b, here);
  }
  return early->slot[early->at++];
}

/* Store what POINT has moved, where it is there. */
static void store_moved(struct tsr_emit *e, const struct tsr_instance *instance, const struct point *point)
{
  LLVMBasicBlockRef some = point->cond ? tsr_emit_block(e, "tsr.store") : NULL, behind = NULL;
  if (some) {
    behind = tsr_emit_block(e, "tsr.endstore");
    LLVMBuildCondBr(e->b, point->cond, some, behind);
    LLVMPositionBuilderAtEnd(e->b, some);
  }
  tsr_emit_store_moved(e, instance, point->moved);
  if (some) {
    LLVMBuildBr(e->b, behind);
    LLVMPositionBuilderAtEnd(e->b, behind);
  }
}

/* All loads of NEST, then all stores; or, of EARLY, which isn't NULL, one of these. */
static void emit_loads(struct tsr_emit *e, struct nest *nest, struct tsr_early_loads *early)
{
  int at[TSR_MAX_MAPPED] = {0}, n = 1;
  for (int i = 0; i < nest->n; i++)
    n *= e->gpu->unroll->kernel.size[i];
  nest->point = calloc((size_t)n, sizeof(*nest->point));
  find_points(e, nest, 0, at, NULL);
  const struct tsr_instance *instance = tsr_ast_instance(nest->user);
  for (int store = early && !early->load; store < (early && early->load ? 1 : 2); store++)
    for (int p = 0; p < nest->n_point; p++) {
      struct point *point = &nest->point[p];
      int n_var = e->n_var;
      for (int i = 0; i < nest->n; i++)
        tsr_emit_bind(e, nest->iterator[i], tsr_emit_number(e, point->at[i]));
      if (!store)
        point->moved = tsr_emit_load_moved(e, instance, point->cond);
      if (!store && early)
        LLVMBuildStore(e->b, point->moved, next_slot(e, early, LLVMTypeOf(point->moved)));
      if (store && early) {
        LLVMValueRef slot = next_slot(e, early, NULL);
        point->moved = LLVMBuildLoad2(e->b, LLVMGetAllocatedType(slot), slot, "");
      }
      if (store)
        store_moved(e, instance, point);
      tsr_emit_unbind(e, n_var);
    }
}

bool tsr_emit_loads(struct tsr_emit *e, isl_ast_node *node)
{
  struct nest nest;
  bool are = find_loads(e->gpu->unroll, node, &nest);
  if (are)
    emit_loads(e, &nest, is_early(e->gpu->early, e->gpu->phase_body) ? e->gpu->early : NULL);
  nest_clear(&nest);
  return are;
}

/* ---- is a loop one of those? ---- */

/* What counts in a phase: instances, and nests of loads. */
struct contents {
  int users, nests;
  bool others; /* marks of another kind, or loops that are written out around something else */
};

static isl_bool count_contents(isl_ast_node *node, void *user)
{
  struct contents *contents = user;
  contents->users += isl_ast_node_get_type(node) == isl_ast_node_user;
  if (isl_ast_node_get_type(node) != isl_ast_node_mark)
    return isl_bool_true;
  const struct tsr_mark *mark = tsr_ast_mark(node);
  struct nest nest = {0};
  isl_ast_node *body = isl_ast_node_mark_get_node(node);
  if (tsr_mark_is(mark, TSR_MARK_UNROLL) && find_loads(mark, body, &nest))
    contents->nests++;
  else
    contents->others = true;
  nest_clear(&nest);
  isl_ast_node_free(body);
  return isl_bool_true;
}

/* Add the phases of loads that NODE, which is taken, begins with. False: behind them there is something else. */
static bool add_phases(struct tsr_early_loads *early, __isl_take isl_ast_node *node)
{
  bool more = false;
  if (isl_ast_node_get_type(node) == isl_ast_node_block) {
    isl_ast_node_list *list = isl_ast_node_block_get_children(node);
    more = true;
    for (int i = 0; more && i < isl_ast_node_list_n_ast_node(list); i++)
      more = add_phases(early, isl_ast_node_list_get_ast_node(list, i));
    isl_ast_node_list_free(list);
  } else if (isl_ast_node_get_type(node) == isl_ast_node_mark) {
    const struct tsr_mark *mark = tsr_ast_mark(node);
    isl_ast_node *body = isl_ast_node_mark_get_node(node);
    if (tsr_mark_is(mark, TSR_MARK_ALLOCATE)) {
      more = add_phases(early, isl_ast_node_copy(body));
    } else if (tsr_mark_is(mark, TSR_MARK_THREADS)) {
      struct contents contents = {0};
      isl_ast_node_foreach_descendant_top_down(body, count_contents, &contents);
      more = contents.users == contents.nests && !contents.others;
      if (more) {
        early->phase = realloc(early->phase, (size_t)(early->n + 1) * sizeof(isl_ast_node *));
        early->mark = realloc(early->mark, (size_t)(early->n + 1) * sizeof(*early->mark));
        early->mark[early->n] = mark;
        early->phase[early->n++] = isl_ast_node_copy(body);
      }
    }
    isl_ast_node_free(body);
  }
  isl_ast_node_free(node);
  return more;
}

/* ---- loops ---- */

/* The loads of EARLY with the loop's iterator = VALUE, unless that is behind its end */
static void load_for(struct tsr_emit *e, struct tsr_early_loads *early, LLVMValueRef value)
{
  LLVMBasicBlockRef some = tsr_emit_block(e, "tsr.ahead"), behind = tsr_emit_block(e, "tsr.endahead");
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, value, early->loop->last, ""), some, behind);
  LLVMPositionBuilderAtEnd(e->b, some);
  int n_var = e->n_var;
  tsr_emit_bind(e, early->loop->iterator, value);
  early->load = true;
  early->at = 0;
  for (int i = 0; i < early->n; i++)
    tsr_emit_phase(e, early->mark[i], early->phase[i]);
  early->load = false;
  early->at = 0;
  tsr_emit_unbind(e, n_var);
  LLVMBuildBr(e->b, behind);
  LLVMPositionBuilderAtEnd(e->b, behind);
}

bool tsr_emit_is_loading(const struct tsr_emit *e)
{
  return e->gpu->early && e->gpu->early->load;
}

void tsr_emit_due_loads(struct tsr_emit *e, isl_ast_node *body)
{
  struct tsr_early_loads *early = e->gpu->early;
  if (!early || !early->due || early->load || is_early(early, body))
    return;
  early->due = false;
  LLVMValueRef now = tsr_emit_variable(e, early->loop->iterator);
  load_for(e, early, LLVMBuildNSWAdd(e->b, now, early->loop->step, "tsr.next"));
}

bool tsr_emit_pipelined(struct tsr_emit *e, isl_ast_node *node)
{
  if (!e->gpu || !e->gpu->kernel || e->gpu->kernel->kernel.n_size == 0 || e->gpu->phase || e->gpu->early ||
      isl_ast_node_for_is_degenerate(node) == isl_bool_true)
    return false;
  struct tsr_early_loads early = {.due = true};
  struct tsr_for loop = {.iterator = tsr_emit_iterator_name(node), .body = isl_ast_node_for_get_body(node)};
  bool others = !add_phases(&early, isl_ast_node_copy(loop.body)), good = others && early.n > 0;
  if (good && tsr_emit_reads_unwritten(e, loop.body, early.phase, early.n)) {
    tsr_emit_bounds(e, node, &loop);
    early.loop = &loop;
    for (int i = 0; i < early.n; i++)
      tsr_emit_wait(e, early.phase[i]);
    free(tsr_emit_enter_part(e, node));
    e->gpu->early = &early;
    load_for(e, &early, loop.first);
    tsr_emit_loop(e, &loop);
    e->gpu->early = NULL;
  } else {
    good = false;
  }
  for (int i = 0; i < early.n; i++)
    isl_ast_node_free(early.phase[i]);
  free(early.phase);
  free(early.mark);
  free(early.slot);
  free(loop.iterator);
  isl_ast_node_free(loop.body);
  return good;
}
