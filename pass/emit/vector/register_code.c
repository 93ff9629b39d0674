/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A register tile: rows x vectors of elements are loaded, folded over all reductions, and stored.
 *
 *   at:     br first <= last, load, behind
 *   load:   masks; held = elements; br header
 *   header: k = phi; held = phi [elements], [folded]; for each row and vector: folded = statement(held); br header, store
 *   store:  elements = held; br behind
 *
 * Inner reductions have constant bounds and run at least once: their loops need no test in front.
 *
 * Where operands move by rows from lane to lane, the innermost reduction runs in blocks of as many iterations as there are
 * lanes, half as many where rows are of complex numbers, then one by one:
 *
 *   at:     br last - first >= lanes - 1, header, rest
 *   header: k = phi, held = phi; for each row and vector: rows are read and transposed, `lanes` iterations; br header, rest
 *   rest:   k = phi, held = phi; br k <= last, the loop above, behind
 *
 * With vectors so long that many iterations may be left they are a block, too: rows are read under a mask, what else is read
 * in iterations that there are not is that of the last one, and what they compute is dropped.
 *
 * A masked tile runs vector by vector, and only those vectors that have a lane in some row: where there are but few columns,
 * a whole tile would be mostly empty.
 *
 *   for v = min of first lanes / lanes .. max of last lanes / lanes: the same with the vector v of each row alone
 *
 * So does one with few rows, row by row.
 *
 * Where tiles of several statements run over the same rows, one after the other, these run in one loop: what they read
 * alike, such as complex numbers for real and imaginary parts of sums, is read, and transposed, once.
 *
 * A ragged tile, whose steps have more and more lanes, or fewer and fewer, runs as a whole: each step has masks of its own,
 * under which operands are loaded and sums take what is added; those of the step with the most lanes say which elements are
 * loaded and stored. */
#include "emit/vector/statement_lanes.h"
#include "emit/vector/vector.h"
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* One of the statements of a tile. */
struct member {
  isl_ast_node *user;
  struct tsr_lanes lanes;
  LLVMValueRef *held; /* by row and vector */
};

struct tile {
  struct tsr_emit *e;
  struct tsr_register_nest *nest;
  struct member *member;
  int n_member;
  isl_ast_node *user;        /* of the one at hand */
  struct tsr_lanes *lanes;   /* the same */
  char *row, *vector;        /* iterators */
  int rows, vectors;         /* at a time */
  bool blocks;               /* does the innermost reduction run in blocks? */
  LLVMValueRef one_row;      /* that at hand where rows are run one by one; else NULL */
  LLVMValueRef column;       /* the first lane of the vector at hand where they are run one by one; else NULL */
  LLVMValueRef *held, *mask; /* by row and vector, what the statement at hand holds; MASK NULL: none */
  LLVMValueRef *first;       /* the same: the first lane that the mask doesn't hide; NULL: lane 0 will do */
};

/* Statement K of the tile is the one at hand. */
static void use(struct tile *t, int k)
{
  t->user = t->member[k].user;
  t->lanes = &t->member[k].lanes;
  t->held = t->member[k].held;
  t->e->instance = tsr_ast_instance(t->user);
}

/* The iterator of rows, if there is one, is ROW. */
static void bind_row(struct tile *t, int row)
{
  if (t->row)
    tsr_emit_bind(t->e, t->row, t->one_row ? t->one_row : tsr_emit_number(t->e, row));
}

/* The first lane of VECTOR among those of a row */
static LLVMValueRef column_of(struct tile *t, int vector)
{
  return t->column ? t->column : tsr_emit_number(t->e, (int64_t)vector * t->nest->tile.lanes);
}

/* Bind row and vector; tsr_emit_unbind when done. */
static void bind_place(struct tile *t, int row, int vector)
{
  bind_row(t, row);
  tsr_emit_bind(t->e, t->vector, column_of(t, vector));
}

/* The counters of ROW and VECTOR, whose iterators are bound, as these and others say: of a lane that is there. */
static void find_counters(struct tile *t, int row, int vector, LLVMValueRef **counters)
{
  int n_var = t->e->n_var;
  t->lanes->first = t->first ? t->first[row * t->vectors + vector] : NULL;
  if (t->lanes->first)
    tsr_emit_bind(t->e, t->vector, LLVMBuildAdd(t->e->b, column_of(t, vector), t->lanes->first, ""));
  tsr_emit_counters(t->e, t->user, counters);
  tsr_emit_unbind(t->e, n_var);
}

/* The first and the last lane of ROW. */
static void lane_bounds(struct tile *t, int row, struct tsr_for *bounds)
{
  int n_var = t->e->n_var;
  bind_row(t, row);
  tsr_emit_bounds(t->e, t->nest->vector, bounds);
  tsr_emit_unbind(t->e, n_var);
}

/* { lanes of vector VECTOR : within the bounds of the loop over them, for row ROW }: numbers are compared, not vectors
 * computed, and by "greater", which is one instruction without masks of their own */
static LLVMValueRef make_mask(struct tile *t, int row, int vector)
{
  struct tsr_emit *e = t->e;
  unsigned n = t->lanes->n;
  struct tsr_for bounds;
  LLVMValueRef lane[64];
  lane_bounds(t, row, &bounds);
  for (unsigned i = 0; i < n; i++)
    lane[i] = tsr_emit_number(e, i);
  LLVMValueRef lanes = LLVMConstVector(lane, n), column = column_of(t, vector), one = tsr_emit_number(e, 1);
  LLVMValueRef before = LLVMBuildSub(e->b, LLVMBuildSub(e->b, bounds.first, column, ""), one, "");
  LLVMValueRef behind = LLVMBuildAdd(e->b, LLVMBuildSub(e->b, bounds.last, column, ""), one, "");
  LLVMValueRef low = LLVMBuildICmp(e->b, LLVMIntSGT, lanes, tsr_vector_splat(e->b, before, n), "");
  LLVMValueRef high = LLVMBuildICmp(e->b, LLVMIntSGT, tsr_vector_splat(e->b, behind, n), lanes, "");
  return LLVMBuildAnd(e->b, low, high, "tsr.mask");
}

/* The lesser or the greater of A and B; A may be NULL. */
static LLVMValueRef extreme(struct tsr_emit *e, LLVMIntPredicate less, LLVMValueRef a, LLVMValueRef b)
{
  return a ? LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, less, a, b, ""), a, b, "") : b;
}

/* The first lane of vector VECTOR that is within these bounds, if there is one. */
static LLVMValueRef first_lane(struct tile *t, int row, int vector)
{
  struct tsr_emit *e = t->e;
  struct tsr_for bounds;
  lane_bounds(t, row, &bounds);
  LLVMValueRef lane = LLVMBuildSub(e->b, bounds.first, column_of(t, vector), ""),
               last = tsr_emit_number(e, (int64_t)t->lanes->n - 1);
  return extreme(e, LLVMIntSLT, extreme(e, LLVMIntSGT, lane, tsr_emit_number(e, 0)), last);
}

/* The masks for the iterators that are bound. In a ragged tile all rows have the same lanes. */
static void make_masks(struct tile *t)
{
  for (int row = 0; row < t->rows && t->mask; row++)
    for (int vector = 0; vector < t->vectors; vector++) {
      int at = row * t->vectors + vector, same = t->nest->ragged && row > 0 ? vector : -1;
      t->mask[at] = same >= 0 ? t->mask[same] : make_mask(t, row, vector);
      if (t->first)
        t->first[at] = same >= 0 ? t->first[same] : first_lane(t, row, vector);
    }
}

/* What is held, HELD before, after the statement; of lanes that a step of a ragged tile lacks, HELD. */
static LLVMValueRef run_place(struct tile *t, LLVMValueRef *counters, LLVMValueRef mask, LLVMValueRef held)
{
  LLVMValueRef made = tsr_lanes_run(t->lanes, counters, mask, held);
  return t->nest->ragged ? LLVMBuildSelect(t->e->b, mask, made, held, "tsr.held") : made;
}

/* Call for each row and vector of the statement at hand. PREFETCH: what the next tile of rows will load. */
enum action { LOAD, PREFETCH, RUN, STORE };
static void for_each_own_place(struct tile *t, enum action action)
{
  struct tsr_emit *e = t->e;
  for (int row = 0; row < t->rows; row++)
    for (int vector = 0; vector < t->vectors; vector++) {
      int at = row * t->vectors + vector, n_var = e->n_var;
      LLVMValueRef *counters;
      bind_place(t, action == PREFETCH ? row + t->rows : row, vector);
      find_counters(t, row, vector, &counters);
      LLVMValueRef mask = t->mask ? t->mask[at] : NULL;
      if (action == LOAD)
        t->held[at] = tsr_lanes_load(t->lanes, counters, mask);
      else if (action == PREFETCH)
        tsr_lanes_prefetch(t->lanes, counters);
      else if (action == RUN)
        t->held[at] = run_place(t, counters, mask, t->held[at]);
      else
        tsr_lanes_store(t->lanes, counters, mask, t->held[at]);
      tsr_emit_unbind(e, n_var);
      free(counters);
    }
}

/* The same for all statements. */
static void for_each_place(struct tile *t, enum action action)
{
  for (int k = 0; k < t->n_member; k++) {
    use(t, k);
    for_each_own_place(t, action);
  }
}

/* Whose row each lane reads, in LANE: its own, or where a mask hides it, the nearest one that it does not hide. */
static void rows_of_lanes(struct tile *t, LLVMValueRef *lane)
{
  struct tsr_emit *e = t->e;
  struct tsr_for bounds;
  lane_bounds(t, 0, &bounds);
  LLVMValueRef first = LLVMBuildSub(e->b, bounds.first, t->column, ""),
               last = LLVMBuildSub(e->b, bounds.last, t->column, "");
  for (unsigned i = 0; i < t->lanes->n; i++)
    lane[i] = extreme(e, LLVMIntSLT, extreme(e, LLVMIntSGT, tsr_emit_number(e, i), first), last);
}

/* { iterations of a block from COUNTER on : not behind LAST } */
static LLVMValueRef columns_of_block(struct tile *t, LLVMValueRef counter, LLVMValueRef last)
{
  struct tsr_emit *e = t->e;
  unsigned n = t->lanes->per_block;
  LLVMValueRef column[64];
  for (unsigned i = 0; i < n; i++)
    column[i] = tsr_emit_number(e, i);
  LLVMValueRef most = tsr_vector_splat(e->b, LLVMBuildSub(e->b, last, counter, ""), n);
  return LLVMBuildICmp(e->b, LLVMIntSLE, LLVMConstVector(column, n), most, "tsr.columns");
}

/* Iteration COUNTER of the reduction NAME in the open block, at place AT. LAST (NULL: COUNTER exists): the last one that
 * exists. */
static void emit_block_iteration(struct tile *t, const char *name, LLVMValueRef counter, LLVMValueRef last, int at)
{
  struct tsr_emit *e = t->e;
  int n_var = e->n_var;
  LLVMValueRef *counters, mask = t->mask ? t->mask[at] : NULL;
  tsr_emit_bind(e, name, last ? extreme(e, LLVMIntSLT, counter, last) : counter);
  find_counters(t, at / t->vectors, at % t->vectors, &counters);
  LLVMValueRef made = tsr_lanes_run(t->lanes, counters, mask, t->held[at]);
  if (last)
    made = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, counter, last, ""), made, t->held[at], "");
  t->held[at] = made;
  tsr_emit_unbind(e, n_var);
  free(counters);
}

/* One block of iterations from COUNTER on of the reduction NAME, up to LAST (NULL: all), of row ROW and vector VECTOR. */
static void emit_block_place(struct tile *t, const char *name, LLVMValueRef counter, LLVMValueRef last, int row, int vector)
{
  struct tsr_emit *e = t->e;
  int at = row * t->vectors + vector, n_var = e->n_var;
  LLVMValueRef lane[64], *counters, mask = t->mask ? t->mask[at] : NULL;
  if (mask)
    rows_of_lanes(t, lane);
  bind_place(t, row, vector);
  tsr_emit_bind(e, name, counter);
  LLVMValueRef columns = last ? columns_of_block(t, counter, last) : NULL;
  for (int k = 0; k < t->n_member; k++) {
    use(t, k);
    find_counters(t, row, vector, &counters);
    tsr_lanes_open_block(t->lanes, counters, mask ? lane : NULL, columns, k ? &t->member[0].lanes : NULL);
    free(counters);
  }
  for (int i = 0; i < (int)t->lanes->per_block; i++)
    for (int k = 0; k < t->n_member; k++) {
      use(t, k);
      t->lanes->iteration = i;
      emit_block_iteration(t, name, LLVMBuildNSWAdd(e->b, counter, tsr_emit_number(e, i), ""), last, at);
    }
  for (int k = 0; k < t->n_member; k++)
    tsr_lanes_close_block(&t->member[k].lanes);
  tsr_emit_unbind(e, n_var);
}

/* The same for all places. */
static void emit_block(struct tile *t, const char *name, LLVMValueRef counter, LLVMValueRef last)
{
  for (int row = 0; row < t->rows; row++)
    for (int vector = 0; vector < t->vectors; vector++)
      emit_block_place(t, name, counter, last, row, vector);
}

/* A phi for what is held at each place by each statement, with what comes from AT. */
static LLVMValueRef *held_phis(struct tile *t, LLVMBasicBlockRef at)
{
  int n = t->rows * t->vectors;
  LLVMValueRef *phi = malloc((size_t)t->n_member * n * sizeof(*phi));
  for (int i = 0; i < t->n_member * n; i++) {
    LLVMValueRef *held = &t->member[i / n].held[i % n];
    phi[i] = LLVMBuildPhi(t->e->b, LLVMTypeOf(*held), "tsr.held");
    LLVMAddIncoming(phi[i], held, &at, 1);
  }
  return phi;
}

/* What is held at each place comes from END, too. */
static void add_held(struct tile *t, LLVMValueRef *phi, LLVMBasicBlockRef end)
{
  int n = t->rows * t->vectors;
  for (int i = 0; i < t->n_member * n; i++)
    LLVMAddIncoming(phi[i], &t->member[i / n].held[i % n], &end, 1);
}

/* What is held at each place is PHI there. */
static void hold(struct tile *t, LLVMValueRef *phi)
{
  int n = t->rows * t->vectors;
  for (int k = 0; k < t->n_member; k++)
    memcpy(t->member[k].held, phi + (size_t)k * n, n * sizeof(*phi));
}

/* The blocks of the reduction NAME with BOUNDS, the innermost one. The builder is left in what follows, where the first
 * iteration that is left is *BEGIN. */
static void emit_blocks(struct tile *t, const char *name, const struct tsr_for *bounds, LLVMValueRef *begin)
{
  struct tsr_emit *e = t->e;
  LLVMValueRef lanes = tsr_emit_number(e, t->lanes->per_block), most = tsr_emit_number(e, (int64_t)t->lanes->per_block - 1),
               first = bounds->first;
  LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b), header = tsr_emit_block(e, "tsr.block");
  LLVMBasicBlockRef rest = tsr_emit_block(e, "tsr.rest");
  LLVMValueRef left = LLVMBuildSub(e->b, bounds->last, first, "");
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSGE, left, most, ""), header, rest);
  LLVMPositionBuilderAtEnd(e->b, rest);
  *begin = LLVMBuildPhi(e->b, e->i64, "tsr.c");
  LLVMAddIncoming(*begin, &first, &at, 1);
  LLVMValueRef *after = held_phis(t, at);
  LLVMPositionBuilderAtEnd(e->b, header);
  LLVMValueRef counter = LLVMBuildPhi(e->b, e->i64, "tsr.c");
  LLVMValueRef *phi = held_phis(t, at);
  hold(t, phi);
  emit_block(t, name, counter, NULL);
  LLVMValueRef next = LLVMBuildNSWAdd(e->b, counter, lanes, "tsr.next");
  LLVMBasicBlockRef end = LLVMGetInsertBlock(e->b);
  left = LLVMBuildSub(e->b, bounds->last, next, "");
  LLVMValueRef again = LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSGE, left, most, ""), header, rest);
  tsr_set_metadata(again, "llvm.loop", tsr_emit_loop_id(e, NULL, true));
  LLVMAddIncoming(counter, &first, &at, 1);
  LLVMAddIncoming(counter, &next, &end, 1);
  LLVMAddIncoming(*begin, &next, &end, 1);
  add_held(t, phi, end);
  add_held(t, after, end);
  hold(t, after);
  free(phi);
  free(after);
  LLVMPositionBuilderAtEnd(e->b, rest);
}

static void emit_reduction(struct tile *t, int level, const struct tsr_for *bounds);

/* Vectors shorter than this leave few iterations, and may have no masked loads of small numbers. */
#define LEAST_COLUMNS_MASKED 64

/* The innermost reduction, which has BOUNDS, by blocks and one by one. */
static void emit_by_blocks(struct tile *t, int level, const struct tsr_for *bounds)
{
  struct tsr_emit *e = t->e;
  struct tsr_for rest = *bounds;
  char *name = tsr_emit_iterator_name(t->nest->reduction[level]);
  t->blocks = false;
  emit_blocks(t, name, bounds, &rest.first);
  LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b), one = tsr_emit_block(e, "tsr.one"),
                    done = tsr_emit_block(e, "tsr.behind");
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, rest.first, bounds->last, ""), one, done);
  LLVMPositionBuilderAtEnd(e->b, done);
  LLVMValueRef *phi = held_phis(t, at);
  LLVMPositionBuilderAtEnd(e->b, one);
  if (e->m->scop->machine.vector_bytes >= LEAST_COLUMNS_MASKED)
    emit_block(t, name, rest.first, bounds->last);
  else
    emit_reduction(t, level, &rest);
  LLVMBasicBlockRef end = LLVMGetInsertBlock(e->b);
  LLVMBuildBr(e->b, done);
  LLVMPositionBuilderAtEnd(e->b, done);
  add_held(t, phi, end);
  hold(t, phi);
  free(phi);
  free(name);
  t->blocks = true;
}

/* The loops from reduction LEVEL on, with BOUNDS. */
static void emit_reduction(struct tile *t, int level, const struct tsr_for *bounds)
{
  struct tsr_emit *e = t->e;
  if (level == t->nest->n_reduction) {
    if (t->nest->ragged)
      make_masks(t);
    for_each_place(t, RUN);
    return;
  }
  if (t->blocks && level == t->nest->n_reduction - 1) {
    emit_by_blocks(t, level, bounds);
    return;
  }
  int n_var = e->n_var;
  LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b), header = tsr_emit_block(e, "tsr.loop");
  LLVMBuildBr(e->b, header);
  LLVMPositionBuilderAtEnd(e->b, header);
  LLVMValueRef counter = LLVMBuildPhi(e->b, e->i64, "tsr.c");
  LLVMValueRef *phi = held_phis(t, at);
  hold(t, phi);
  char *name = tsr_emit_iterator_name(t->nest->reduction[level]);
  tsr_emit_bind(e, name, counter);
  free(name);
  struct tsr_for inner;
  if (level + 1 < t->nest->n_reduction)
    tsr_emit_bounds(e, t->nest->reduction[level + 1], &inner);
  emit_reduction(t, level + 1, &inner);
  tsr_emit_unbind(e, n_var);
  LLVMValueRef next = LLVMBuildNSWAdd(e->b, counter, bounds->step, "tsr.next"), first = bounds->first;
  LLVMBasicBlockRef end = LLVMGetInsertBlock(e->b), behind = tsr_emit_block(e, "tsr.behind");
  LLVMValueRef again = LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, next, bounds->last, ""), header, behind);
  tsr_set_metadata(again, "llvm.loop", tsr_emit_loop_id(e, NULL, true));
  LLVMAddIncoming(counter, &first, &at, 1);
  LLVMAddIncoming(counter, &next, &end, 1);
  add_held(t, phi, end);
  free(phi);
  LLVMPositionBuilderAtEnd(e->b, behind);
}

/* The first iteration of all reductions stands for all, where they don't matter; of a ragged tile, the one with most lanes.
 */
static void bind_first(struct tile *t, const struct tsr_for *outermost)
{
  LLVMValueRef most = t->nest->ragged > 0 ? outermost->last : outermost->first;
  for (int i = 0; i < t->nest->n_reduction; i++) {
    char *name = tsr_emit_iterator_name(t->nest->reduction[i]);
    tsr_emit_bind(t->e, name, i ? tsr_emit_expr(t->e, isl_ast_node_for_get_init(t->nest->reduction[i])) : most);
    free(name);
  }
}

/* The tile at hand: load, fold over all reductions, store. */
static void emit_tile(struct tile *t)
{
  struct tsr_emit *e = t->e;
  struct tsr_register_nest *nest = t->nest;
  LLVMBasicBlockRef behind = NULL;
  struct tsr_for outermost = {0};
  int n_var = e->n_var;
  if (nest->n_reduction > 0) {
    tsr_emit_bounds(e, nest->reduction[0], &outermost);
    LLVMBasicBlockRef load = tsr_emit_block(e, "tsr.tile");
    behind = tsr_emit_block(e, "tsr.behind");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, outermost.first, outermost.last, ""), load, behind);
    LLVMPositionBuilderAtEnd(e->b, load);
  }
  bind_first(t, &outermost);
  make_masks(t);
  for_each_place(t, LOAD);
  if (behind && t->row && !t->mask && !t->one_row)
    for_each_place(t, PREFETCH);
  tsr_emit_unbind(e, n_var);
  emit_reduction(t, 0, &outermost);
  bind_first(t, &outermost);
  if (t->nest->ragged)
    make_masks(t);
  for_each_place(t, STORE);
  tsr_emit_unbind(e, n_var);
  if (behind) {
    LLVMBuildBr(e->b, behind);
    LLVMPositionBuilderAtEnd(e->b, behind);
  }
}

/* The vectors of a masked tile, one by one. */
static void emit_vectors(struct tile *t)
{
  struct tsr_emit *e = t->e;
  LLVMValueRef first = NULL, last = NULL, lanes = tsr_emit_number(e, t->nest->tile.lanes);
  for (int row = 0; row < t->rows; row++) {
    struct tsr_for bounds;
    lane_bounds(t, row, &bounds);
    first = extreme(e, LLVMIntSLT, first, bounds.first);
    last = extreme(e, LLVMIntSGT, last, bounds.last);
  }
  LLVMValueRef begin = LLVMBuildMul(e->b, LLVMBuildSDiv(e->b, first, lanes, ""), lanes, "tsr.column");
  LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b), header = tsr_emit_block(e, "tsr.vector");
  LLVMBasicBlockRef behind = tsr_emit_block(e, "tsr.behind");
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, begin, last, ""), header, behind);
  LLVMPositionBuilderAtEnd(e->b, header);
  t->column = LLVMBuildPhi(e->b, e->i64, "tsr.column");
  emit_tile(t);
  LLVMValueRef next = LLVMBuildNSWAdd(e->b, t->column, lanes, "tsr.next");
  LLVMBasicBlockRef end = LLVMGetInsertBlock(e->b);
  LLVMValueRef again = LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, next, last, ""), header, behind);
  tsr_set_metadata(again, "llvm.loop", tsr_emit_loop_id(e, NULL, true));
  LLVMAddIncoming(t->column, &begin, &at, 1);
  LLVMAddIncoming(t->column, &next, &end, 1);
  LLVMPositionBuilderAtEnd(e->b, behind);
}

/* The rows of a tile with few of them, one by one. */
static void emit_rows(struct tile *t)
{
  struct tsr_emit *e = t->e;
  struct tsr_for bounds;
  if (!t->row) { /* there is one */
    emit_tile(t);
    return;
  }
  tsr_emit_bounds(e, t->nest->row, &bounds);
  LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b), header = tsr_emit_block(e, "tsr.row");
  LLVMBasicBlockRef behind = tsr_emit_block(e, "tsr.behind");
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, bounds.first, bounds.last, ""), header, behind);
  LLVMPositionBuilderAtEnd(e->b, header);
  t->one_row = LLVMBuildPhi(e->b, e->i64, "tsr.row");
  emit_tile(t);
  LLVMValueRef next = LLVMBuildNSWAdd(e->b, t->one_row, bounds.step, "tsr.next");
  LLVMBasicBlockRef end = LLVMGetInsertBlock(e->b);
  LLVMValueRef again = LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, next, bounds.last, ""), header, behind);
  tsr_set_metadata(again, "llvm.loop", tsr_emit_loop_id(e, NULL, true));
  LLVMAddIncoming(t->one_row, &bounds.first, &at, 1);
  LLVMAddIncoming(t->one_row, &next, &end, 1);
  LLVMPositionBuilderAtEnd(e->b, behind);
}

/* Does the innermost reduction run in blocks? Steps of 1 are what `along` tells of; of several rows, each has its mask. */
static bool has_blocks(struct tile *t)
{
  const struct tsr_register_nest *nest = t->nest;
  if (nest->n_reduction == 0 || nest->n_reduction < nest->tile.n_reduction || (nest->masked && t->rows > 1) ||
      !tsr_lanes_have_rows(t->lanes))
    return false;
  isl_ast_expr *step = isl_ast_node_for_get_inc(nest->reduction[nest->n_reduction - 1]);
  isl_val *value = isl_ast_expr_get_val(step);
  bool one = isl_val_is_one(value) == isl_bool_true;
  isl_ast_expr_free(step);
  isl_val_free(value);
  return one;
}

/* T's statements, of LOOPS, alike, with TILE. */
static void enter_members(struct tile *t, isl_ast_node **loops, const struct tsr_mark *mark)
{
  const struct tsr_register_tile *tile = &mark->tile;
  t->member = calloc(t->n_member, sizeof(*t->member));
  for (int k = 0; k < t->n_member; k++) {
    struct tsr_register_nest nest;
    struct member *member = &t->member[k];
    tsr_register_nest_read(loops[k], mark, &nest);
    member->user = isl_ast_node_copy(nest.user);
    member->held = calloc(tile->rows * tile->vectors, sizeof(*member->held));
    t->e->instance = tsr_ast_instance(member->user);
    tsr_lanes_init(&member->lanes, t->e, tsr_emit_stmt_of(t->e, member->user), (unsigned)tile->lanes, tile->step,
                   tile->streams ? tile->along : NULL, t->vector, true);
    tsr_register_nest_clear(&nest);
  }
  for (int k = 1; k < t->n_member; k++)
    if (t->member[k].lanes.per_block != t->member[0].lanes.per_block)
      for (int i = 0; i < t->n_member; i++)
        tsr_lanes_leave_pairs(&t->member[i].lanes);
  use(t, 0);
}

static void leave_members(struct tile *t)
{
  t->e->instance = NULL;
  for (int k = 0; k < t->n_member; k++) {
    tsr_lanes_clear(&t->member[k].lanes);
    isl_ast_node_free(t->member[k].user);
    free(t->member[k].held);
  }
  free(t->member);
}

void tsr_emit_registers(struct tsr_emit *e, isl_ast_node **loops, int n_loop)
{
  struct tsr_register_nest nest;
  const struct tsr_mark *mark = e->tile;
  const struct tsr_register_tile *tile = &mark->tile;
  if (!tsr_register_nest_read(loops[0], mark, &nest)) /* tsr_register_nests_are_good */
    return;
  int n = tile->rows * tile->vectors;
  struct tile t = {.e = e, .nest = &nest, .n_member = n_loop};
  t.row = nest.row ? tsr_emit_iterator_name(nest.row) : NULL;
  t.vector = tsr_emit_iterator_name(nest.vector);
  t.rows = nest.few ? 1 : tile->rows;
  t.vectors = nest.masked && !nest.ragged ? 1 : tile->vectors;
  t.mask = nest.masked ? calloc(n, sizeof(*t.mask)) : NULL;
  enter_members(&t, loops, mark);
  bool bent = false;
  for (int k = 0; k < n_loop; k++)
    bent |= t.member[k].lanes.bent;
  t.first = nest.masked && bent ? calloc(n, sizeof(*t.first)) : NULL;
  t.blocks = has_blocks(&t);
  LLVMBasicBlockRef behind = t.lanes->guarded ? tsr_emit_tile_guards(e, &nest, t.lanes, loops[0]) : NULL;
  e->tile = NULL;
  if (nest.masked && !nest.ragged)
    emit_vectors(&t);
  else if (nest.few)
    emit_rows(&t);
  else
    emit_tile(&t);
  if (behind) {
    LLVMBuildBr(e->b, behind);
    LLVMPositionBuilderAtEnd(e->b, behind);
  }
  e->tile = mark;
  leave_members(&t);
  free(t.row);
  free(t.vector);
  free(t.mask);
  free(t.first);
  tsr_register_nest_clear(&nest);
}
