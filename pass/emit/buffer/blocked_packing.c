/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Packing in blocks.
 *
 * Against the order of memory: neighbours in the buffer are rows apart, neighbours in memory are rows of the buffer apart.
 * Instead of one element at a time, which a vectoriser would scatter, G x G elements are loaded, transposed and stored.
 *
 *   for a = .. - for b = .. - copy(a, b)      source(a, b + 1) is next to source(a, b), buffer(a + 1, b) next to buffer(a,
 * b)
 *
 *   for a, G at a time:  for b, G at a time:  load G vectors along b; transpose; store G vectors along a
 *                        for b: for each of the G of a: copy(a, b)
 *   for a: for b: copy(a, b)
 *
 * With the order of memory, but for few neighbours at a time: the rows of a register tile, in the buffer next to those of
 * the next step of the reduction, which in memory are far away. Along the reduction as such, each step would wait for a line
 * of its own. Of BLOCK steps the tiles are copied in turn: as many places in memory are read in sequence, and a tile's lines
 * of the buffer are written as a whole. A whole tile's number of rows is a constant.
 *
 *   for tile - for k - for row - copy        for k, BLOCK at a time: for tile: for k in the block: for row: copy
 *
 * With the order of memory in both: a row of the buffer, all of its vectors written out; of shorter rows, those that the
 * bits of their length say. Left to LLVM, these loops would be calls of memcpy, of a few elements each. */
#include "emit/buffer/array_buffers.h"
#include "emit/buffer/kept_values.h"
#include "emit/statement_code.h"
#include "emit/vector/vector.h"
#include <isl/id.h>
#include <isl/val.h>
#include <stdlib.h>

/* The two loops. */
struct pair {
  struct tsr_emit *e;
  isl_ast_node *inner, *user;
  char *a, *b; /* iterators */
  const struct tsr_instance *move;
  const struct tsr_array_buffer *buffer;
  unsigned group; /* G */
};

/* A loop under construction: from FIRST to LAST. */
struct walk {
  LLVMValueRef counter, last;
  LLVMBasicBlockRef header, behind;
  int64_t step;
};

/* VALUE + BY */
static LLVMValueRef add(struct tsr_emit *e, LLVMValueRef value, int64_t by)
{
  return LLVMBuildNSWAdd(e->b, value, tsr_emit_number(e, by), "");
}

/* Begin the body; in it, and behind walk_end, WALK->counter is the counter. STEP iterations at a time, while all are there.
 */
static void walk_begin(struct tsr_emit *e, struct walk *walk, LLVMValueRef first, LLVMValueRef last, int64_t step)
{
  LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b);
  walk->header = tsr_emit_block(e, "tsr.copies");
  walk->behind = tsr_emit_block(e, "tsr.behind");
  walk->step = step;
  walk->last = add(e, last, 1 - step);
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, first, walk->last, ""), walk->header, walk->behind);
  LLVMPositionBuilderAtEnd(e->b, walk->behind);
  LLVMValueRef end = LLVMBuildPhi(e->b, e->i64, "tsr.c");
  LLVMAddIncoming(end, &first, &at, 1);
  LLVMPositionBuilderAtEnd(e->b, walk->header);
  walk->counter = LLVMBuildPhi(e->b, e->i64, "tsr.c");
  LLVMAddIncoming(walk->counter, &first, &at, 1);
}

/* The next iteration; the builder is left behind the loop. */
static void walk_end(struct tsr_emit *e, struct walk *walk)
{
  LLVMValueRef next = add(e, walk->counter, walk->step), end = LLVMGetFirstInstruction(walk->behind);
  LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b);
  LLVMValueRef again =
      LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, next, walk->last, ""), walk->header, walk->behind);
  tsr_set_metadata(again, "llvm.loop", tsr_emit_loop_id(e, NULL, true));
  LLVMAddIncoming(walk->counter, &next, &at, 1);
  LLVMAddIncoming(end, &next, &at, 1);
  LLVMPositionBuilderAtEnd(e->b, walk->behind);
  walk->counter = end;
}

/* The iterators of P are A and B. */
static void bind(struct pair *p, LLVMValueRef a, LLVMValueRef b)
{
  tsr_emit_bind(p->e, p->a, a);
  tsr_emit_bind(p->e, p->b, b);
}

/* One element, at A and B. */
static void copy_one(struct pair *p, LLVMValueRef a, LLVMValueRef b)
{
  int n_var = p->e->n_var;
  bind(p, a, b);
  tsr_emit_moved(p->e, p->user);
  tsr_emit_unbind(p->e, n_var);
}

/* VALUE, computed from READ and invariants, in each lane of WIDE, which holds READ. */
static LLVMValueRef computed(struct pair *p, LLVMValueRef value, LLVMValueRef read, LLVMValueRef wide)
{
  if (value == read)
    return wide;
  if (LLVMIsALoadInst(value)) {
    LLVMValueRef *all, *counters = tsr_emit_kept_counters(p->e, p->user, p->move, &all);
    LLVMValueRef fixed = tsr_emit_fixed_load(p->e, p->buffer, value, counters);
    free(all);
    return fixed;
  }
  LLVMValueRef operand[4];
  int n = LLVMIsACallInst(value) ? (int)LLVMGetNumArgOperands(value) : LLVMGetNumOperands(value);
  for (int i = 0; i < n; i++) {
    operand[i] = LLVMGetOperand(value, i);
    if (operand[i] == read || (LLVMIsAInstruction(operand[i]) && tsr_model_in_region(p->e->m, operand[i])))
      operand[i] = computed(p, operand[i], read, wide);
  }
  return tsr_vector_op(p->e->b, value, operand, p->group);
}

/* G x G elements from A and B on. */
static void copy_block(struct pair *p, LLVMValueRef a, LLVMValueRef b)
{
  struct tsr_emit *e = p->e;
  LLVMValueRef row[64], inst, read = NULL;
  int n_var = e->n_var;
  for (unsigned i = 0; i < p->group; i++) {
    bind(p, add(e, a, i), b);
    LLVMValueRef *all, *counters = tsr_emit_kept_counters(e, p->user, p->move, &all);
    LLVMValueRef pointer = tsr_emit_kept_source(e, p->buffer, counters, &inst, &read);
    row[i] = tsr_vector_load(e->b, LLVMTypeOf(read), pointer, LLVMGetAlignment(inst), p->group, NULL);
    tsr_copy_annotate(e, inst, row[i]);
    tsr_emit_unbind(e, n_var);
    free(all);
  }
  tsr_transpose(e, row, p->group, 1);
  for (unsigned i = 0; i < p->group; i++) {
    bind(p, a, add(e, b, i));
    LLVMValueRef element = tsr_emit_place_address(e, &p->move->place[1]);
    LLVMValueRef made = computed(p, p->buffer->kept, read, row[i]);
    tsr_emit_annotate_buffer(e, tsr_vector_store(e->b, made, element, (unsigned)p->buffer->bytes, NULL));
    tsr_emit_unbind(e, n_var);
  }
}

/* Do the bounds of INNER leave the iterator of LOOP alone? */
static bool is_rectangular(isl_ast_node *loop, isl_ast_node *inner)
{
  isl_ast_expr *iterator = isl_ast_node_for_get_iterator(loop);
  isl_id *id = isl_ast_expr_get_id(iterator);
  bool alone =
      !tsr_ast_expr_has(isl_ast_node_for_get_init(inner), id) && !tsr_ast_expr_has(isl_ast_node_for_get_cond(inner), id);
  isl_id_free(id);
  isl_ast_expr_free(iterator);
  return alone;
}

/* Does LOOP run more than once, by steps of 1? */
static bool has_unit_step(isl_ast_node *loop)
{
  if (isl_ast_node_for_is_degenerate(loop) != isl_bool_false)
    return false;
  isl_ast_expr *step = isl_ast_node_for_get_inc(loop);
  isl_val *value = isl_ast_expr_get_val(step);
  bool unit = isl_val_is_one(value) == isl_bool_true;
  isl_val_free(value);
  isl_ast_expr_free(step);
  return unit;
}

/* Does PLACE go to the next element with each iteration of ITERATOR? */
static bool is_next(const struct tsr_access_place *place, const char *iterator)
{
  long elements = 0;
  return tsr_place_step(place, iterator, &elements) && elements == 1;
}

/* The pair that LOOP is the outer one of; false if it is none. */
static bool pair_read(struct tsr_emit *e, isl_ast_node *loop, struct pair *p)
{
  *p = (struct pair){.e = e, .inner = isl_ast_node_for_get_body(loop)};
  if (isl_ast_node_get_type(p->inner) != isl_ast_node_for)
    return false;
  p->user = isl_ast_node_for_get_body(p->inner);
  p->move = isl_ast_node_get_type(p->user) == isl_ast_node_user ? tsr_ast_instance(p->user) : NULL;
  p->buffer = tsr_emit_kept_by(e, p->move);
  if (!p->buffer || !has_unit_step(loop) || !has_unit_step(p->inner) || !is_rectangular(loop, p->inner))
    return false;
  p->a = tsr_emit_iterator_name(loop);
  p->b = tsr_emit_iterator_name(p->inner);
  int64_t lanes = e->m->scop->machine.vector_bytes / p->buffer->bytes, n = tsr_emit_row_length(e, &p->move->place[1]);
  for (p->group = 1; 2 * p->group <= lanes && 2 * p->group <= n && p->group < 32;)
    p->group *= 2;
  return p->group >= 4 && is_next(&p->move->place[0], p->b) && is_next(&p->move->place[1], p->a) &&
         !is_next(&p->move->place[0], p->a);
}

/* Free what P owns. */
static void pair_clear(struct pair *p)
{
  isl_ast_node_free(p->inner);
  isl_ast_node_free(p->user);
  free(p->a);
  free(p->b);
}

bool tsr_emit_transposed(struct tsr_emit *e, isl_ast_node *loop)
{
  struct pair p;
  struct tsr_for a, b;
  struct walk outer, inner;
  if (!pair_read(e, loop, &p)) {
    pair_clear(&p);
    return false;
  }
  tsr_emit_bounds(e, loop, &a);
  tsr_emit_bounds(e, p.inner, &b);
  walk_begin(e, &outer, a.first, a.last, p.group);
  walk_begin(e, &inner, b.first, b.last, p.group);
  copy_block(&p, outer.counter, inner.counter);
  walk_end(e, &inner);
  walk_begin(e, &inner, inner.counter, b.last, 1);
  for (unsigned i = 0; i < p.group; i++)
    copy_one(&p, add(e, outer.counter, i), inner.counter);
  walk_end(e, &inner);
  walk_end(e, &outer);
  walk_begin(e, &outer, outer.counter, a.last, 1);
  walk_begin(e, &inner, b.first, b.last, 1);
  copy_one(&p, outer.counter, inner.counter);
  walk_end(e, &inner);
  walk_end(e, &outer);
  pair_clear(&p);
  return true;
}

/* Steps of the reduction at a time; rows of a tile, above which a loop is as good. */
enum { BLOCK = 16, MAX_ROWS = 16 };

/* The three loops, the outermost excepted. */
struct rows {
  isl_ast_node *step, *row, *user;
  char *names[3]; /* iterators, the outermost first */
  int64_t n_row;  /* of a whole tile */
  bool alike;     /* have all steps of a tile the same rows? */
};

/* The loop with unit step that is all of LOOP's body; NULL if it is something else. */
static isl_ast_node *loop_in(isl_ast_node *loop)
{
  isl_ast_node *body = loop ? isl_ast_node_for_get_body(loop) : NULL;
  if (body && isl_ast_node_get_type(body) == isl_ast_node_for && has_unit_step(body))
    return body;
  isl_ast_node_free(body);
  return NULL;
}

/* The loops that LOOP is the outermost of; false if they are others. */
static bool rows_read(struct tsr_emit *e, isl_ast_node *loop, struct rows *r)
{
  *r = (struct rows){.step = has_unit_step(loop) ? loop_in(loop) : NULL};
  r->row = loop_in(r->step);
  r->user = r->row ? isl_ast_node_for_get_body(r->row) : NULL;
  const struct tsr_instance *move =
      r->user && isl_ast_node_get_type(r->user) == isl_ast_node_user ? tsr_ast_instance(r->user) : NULL;
  if (!tsr_emit_kept_by(e, move) || move->place[1].n != 3)
    return false;
  isl_ast_node *loops[3] = {loop, r->step, r->row};
  for (int i = 0; i < 3; i++)
    r->names[i] = tsr_emit_iterator_name(loops[i]);
  r->n_row = tsr_emit_row_length(e, &move->place[1]);
  for (int i = 0; i < 3; i++)
    if (!tsr_place_is_iterator(&move->place[1], i, r->names[i]))
      return false;
  r->alike = is_rectangular(r->step, r->row);
  return r->n_row > 0 && r->n_row <= MAX_ROWS;
}

/* Free what R owns. */
static void rows_clear(struct rows *r)
{
  isl_ast_node_free(r->step);
  isl_ast_node_free(r->row);
  isl_ast_node_free(r->user);
  for (int i = 0; i < 3; i++)
    free(r->names[i]);
}

/* One element, of row ROW. */
static void copy_element(struct tsr_emit *e, struct rows *r, LLVMValueRef row)
{
  int n_var = e->n_var;
  tsr_emit_bind(e, r->names[2], row);
  tsr_emit_moved(e, r->user);
  tsr_emit_unbind(e, n_var);
}

/* The rows of the step at hand, ROWS, all of them if WHOLE. */
static void copy_rows(struct tsr_emit *e, struct rows *r, const struct tsr_for *rows, bool whole)
{
  struct walk row;
  for (int64_t i = 0; whole && i < r->n_row; i++)
    copy_element(e, r, add(e, rows->first, i));
  if (whole)
    return;
  walk_begin(e, &row, rows->first, rows->last, 1);
  copy_element(e, r, row.counter);
  walk_end(e, &row);
}

static void copy_either(struct tsr_emit *e, struct rows *r, LLVMValueRef first, LLVMValueRef last);

/* The steps FIRST to LAST of the tile at hand, whose rows are ROWS; NULL: each step has rows of its own. */
static void copy_steps(struct tsr_emit *e, struct rows *r, LLVMValueRef first, LLVMValueRef last, const struct tsr_for *rows,
                       bool whole)
{
  struct walk step;
  int n_var = e->n_var;
  walk_begin(e, &step, first, last, 1);
  tsr_emit_bind(e, r->names[1], step.counter);
  if (rows)
    copy_rows(e, r, rows, whole);
  else
    copy_either(e, r, first, last);
  tsr_emit_unbind(e, n_var);
  walk_end(e, &step);
}

/* What copy_rows does for the step at hand, or, unless rows differ from step to step, copy_steps for FIRST to LAST: all
 * rows, or those that there are. */
static void copy_either(struct tsr_emit *e, struct rows *r, LLVMValueRef first, LLVMValueRef last)
{
  struct tsr_for rows;
  tsr_emit_bounds(e, r->row, &rows);
  LLVMBasicBlockRef whole = tsr_emit_block(e, "tsr.rows"), part = tsr_emit_block(e, "tsr.part");
  LLVMBasicBlockRef behind = tsr_emit_block(e, "tsr.behind");
  LLVMValueRef all = LLVMBuildICmp(e->b, LLVMIntEQ, rows.last, add(e, rows.first, r->n_row - 1), "");
  LLVMBuildCondBr(e->b, all, whole, part);
  for (int i = 0; i < 2; i++) {
    LLVMPositionBuilderAtEnd(e->b, i ? part : whole);
    if (r->alike)
      copy_steps(e, r, first, last, &rows, i == 0);
    else
      copy_rows(e, r, &rows, i == 0);
    LLVMBuildBr(e->b, behind);
  }
  LLVMPositionBuilderAtEnd(e->b, behind);
}

/* The steps FIRST to LAST of the tile TILE. */
static void copy_tile(struct tsr_emit *e, struct rows *r, LLVMValueRef tile, LLVMValueRef first, LLVMValueRef last)
{
  int n_var = e->n_var;
  tsr_emit_bind(e, r->names[0], tile);
  if (!first) { /* steps of its own */
    struct tsr_for step;
    tsr_emit_bounds(e, r->step, &step);
    first = step.first;
    last = step.last;
  }
  if (r->alike)
    copy_either(e, r, first, last);
  else
    copy_steps(e, r, first, last, NULL, false);
  tsr_emit_unbind(e, n_var);
}

/* All tiles, from BOUNDS->first on, that have the same steps: a block of steps of each in turn. */
static void copy_blocks(struct tsr_emit *e, struct rows *r, const struct tsr_for *bounds)
{
  struct walk blocks, tiles;
  struct tsr_for step;
  tsr_emit_bounds(e, r->step, &step);
  walk_begin(e, &blocks, step.first, add(e, step.last, BLOCK - 1), BLOCK);
  LLVMValueRef last = add(e, blocks.counter, BLOCK - 1);
  last = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, last, step.last, ""), last, step.last, "");
  walk_begin(e, &tiles, bounds->first, bounds->last, 1);
  copy_tile(e, r, tiles.counter, blocks.counter, last);
  walk_end(e, &tiles);
  walk_end(e, &blocks);
}

bool tsr_emit_packed_rows(struct tsr_emit *e, isl_ast_node *loop)
{
  struct rows r;
  struct tsr_for tile;
  struct walk tiles;
  if (!rows_read(e, loop, &r) || e->parallel) {
    rows_clear(&r);
    return false;
  }
  tsr_emit_bounds(e, loop, &tile);
  if (is_rectangular(loop, r.step)) {
    copy_blocks(e, &r, &tile);
  } else {
    walk_begin(e, &tiles, tile.first, tile.last, 1);
    copy_tile(e, &r, tiles.counter, NULL, NULL);
    walk_end(e, &tiles);
  }
  rows_clear(&r);
  return true;
}

/* ---- whole rows ---- */

/* No more vectors than this are written out: a tile has 4 or 5 in a row, and twice as many where they are shorter. A choice.
 */
#define MOST_VECTORS 16

/* Neighbours that go to neighbours. */
struct line {
  struct tsr_emit *e;
  isl_ast_node *user;
  char *iterator;
  const struct tsr_instance *move;
  const struct tsr_array_buffer *buffer;
  int64_t n;      /* elements of a row of the buffer */
  unsigned lanes; /* of a vector */
};

/* The line that LOOP moves; false if it is none. */
static bool line_read(struct tsr_emit *e, isl_ast_node *loop, struct line *l)
{
  *l = (struct line){.e = e, .user = isl_ast_node_for_get_body(loop)};
  l->move = isl_ast_node_get_type(l->user) == isl_ast_node_user ? tsr_ast_instance(l->user) : NULL;
  l->buffer = tsr_emit_kept_by(e, l->move);
  if (!l->buffer || !has_unit_step(loop))
    return false;
  l->iterator = tsr_emit_iterator_name(loop);
  l->n = tsr_emit_row_length(e, &l->move->place[1]);
  int64_t most = e->m->scop->machine.vector_bytes / l->buffer->bytes;
  for (l->lanes = 1; 2 * l->lanes <= most && 2 * l->lanes <= l->n;)
    l->lanes *= 2;
  return l->lanes > 1 && l->n <= MOST_VECTORS * l->lanes && is_next(&l->move->place[0], l->iterator) &&
         is_next(&l->move->place[1], l->iterator);
}

/* VALUE, computed from READ and invariants, in each of N lanes of WIDE, which holds READ. */
static LLVMValueRef line_value(struct line *l, LLVMValueRef read, LLVMValueRef wide, unsigned n)
{
  struct pair p = {.e = l->e, .user = l->user, .move = l->move, .buffer = l->buffer, .group = n};
  return computed(&p, l->buffer->kept, read, wide);
}

/* N elements from AT on. */
static void move_vector(struct line *l, LLVMValueRef at, unsigned n)
{
  struct tsr_emit *e = l->e;
  int n_var = e->n_var;
  LLVMValueRef inst, read, *all;
  tsr_emit_bind(e, l->iterator, at);
  if (n == 1) {
    tsr_emit_moved(e, l->user);
  } else {
    LLVMValueRef *counters = tsr_emit_kept_counters(e, l->user, l->move, &all);
    LLVMValueRef pointer = tsr_emit_kept_source(e, l->buffer, counters, &inst, &read);
    LLVMValueRef wide = tsr_vector_load(e->b, LLVMTypeOf(read), pointer, LLVMGetAlignment(inst), n, NULL);
    tsr_copy_annotate(e, inst, wide);
    LLVMValueRef element = tsr_emit_place_address(e, &l->move->place[1]), made = line_value(l, read, wide, n);
    tsr_emit_annotate_buffer(e, tsr_vector_store(e->b, made, element, (unsigned)l->buffer->bytes, NULL));
    free(all);
  }
  tsr_emit_unbind(e, n_var);
}

/* COUNT elements from FIRST on. */
static void move_row(struct line *l, LLVMValueRef first, int64_t count)
{
  unsigned n = l->lanes;
  for (int64_t i = 0; i < count; i += n) {
    while (i + n > count)
      n /= 2;
    move_vector(l, add(l->e, first, i), n);
  }
}

/* The elements from FIRST to LAST, fewer than a row has: as many as each bit of their number says. */
static void move_some(struct line *l, LLVMValueRef first, LLVMValueRef last)
{
  struct tsr_emit *e = l->e;
  LLVMValueRef count = LLVMBuildSub(e->b, add(e, last, 1), first, ""), at = first, zero = tsr_emit_number(e, 0);
  LLVMBasicBlockRef some = tsr_emit_block(e, "tsr.some"), none = tsr_emit_block(e, "tsr.behind");
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSGT, count, zero, ""), some, none);
  LLVMPositionBuilderAtEnd(e->b, some);
  int64_t part = 1;
  while (2 * part < l->n)
    part *= 2;
  for (; part > 0; part /= 2) {
    LLVMBasicBlockRef from = LLVMGetInsertBlock(e->b), to = tsr_emit_block(e, "tsr.some");
    LLVMBasicBlockRef behind = tsr_emit_block(e, "tsr.behind");
    LLVMValueRef bit = LLVMBuildAnd(e->b, count, tsr_emit_number(e, part), "");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, bit, zero, ""), to, behind);
    LLVMPositionBuilderAtEnd(e->b, to);
    move_row(l, at, part);
    LLVMValueRef next = add(e, at, part);
    to = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, behind);
    LLVMPositionBuilderAtEnd(e->b, behind);
    LLVMValueRef phi = LLVMBuildPhi(e->b, e->i64, "tsr.c");
    LLVMAddIncoming(phi, (LLVMValueRef[]){at, next}, (LLVMBasicBlockRef[]){from, to}, 2);
    at = phi;
  }
  LLVMBuildBr(e->b, none);
  LLVMPositionBuilderAtEnd(e->b, none);
}

bool tsr_emit_packed_line(struct tsr_emit *e, isl_ast_node *loop)
{
  struct line l;
  struct tsr_for bounds = {0};
  bool good = line_read(e, loop, &l) && !e->parallel;
  if (good) {
    tsr_emit_bounds(e, loop, &bounds);
    tsr_emit_kept_prefetch(e, loop, bounds.first);
    LLVMBasicBlockRef whole = tsr_emit_block(e, "tsr.row"), part = tsr_emit_block(e, "tsr.part");
    LLVMBasicBlockRef behind = tsr_emit_block(e, "tsr.behind");
    LLVMValueRef all = LLVMBuildICmp(e->b, LLVMIntEQ, bounds.last, add(e, bounds.first, l.n - 1), "");
    LLVMBuildCondBr(e->b, all, whole, part);
    LLVMPositionBuilderAtEnd(e->b, whole);
    move_row(&l, bounds.first, l.n);
    LLVMBuildBr(e->b, behind);
    LLVMPositionBuilderAtEnd(e->b, part);
    move_some(&l, bounds.first, bounds.last);
    LLVMBuildBr(e->b, behind);
    LLVMPositionBuilderAtEnd(e->b, behind);
  }
  isl_ast_node_free(l.user);
  free(l.iterator);
  return good;
}
