/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Outer loops as lanes: the loops below a mark "lockstep VxL" are made once, each statement runs for all V * L lanes.
 *
 *   for lane: { S0; for c: { S1; S2 } }   ->   S0 <all lanes>; for c: { S1 <all lanes>; S2 <all lanes> }
 *
 * In an innermost loop without conditions, with w the only store to array A in it, whose element is another one in each
 * iteration:
 *
 *   a load of A, that of w in this iteration (w comes first), or in the one before: it comes from a register, which is
 *   loaded in front of the loop
 *
 * Where the element of w is one for all iterations, and all other accesses of A are those of its statement and touch others,
 * it is in a register all along the loop, loaded in front of it and stored behind it.
 *
 * Other lanes write other elements. Where an access goes to the next (or previous) element from iteration to iteration, but
 * elsewhere from lane to lane, L iterations are a block: rows of L elements are loaded, a vector for each lane, and
 * transposed in registers; stores are transposed, too, at the end of the block. That is right for
 *
 *   a load of A, if nothing in the loop writes A, or other elements, or w writes that element later: in this iteration or
 *   in the next
 *   the store w, if all loads of A come from registers or are such ones
 *
 *   at:     br first <= last, begin, behind
 *   begin:  old = what the first iteration reads; br last - first >= L - 1, block, rest
 *   block:  c = phi; L iterations; br last - (c + L) >= L - 1, block, rest
 *   rest:   c = phi; br c <= last, one, behind;   one: c = phi; an iteration; br c + 1 <= last, one, behind */
#include "emit/vector/lockstep_statements.h"
#include "emit/vector/vector.h"
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STATEMENTS 32

struct loop {
  struct tsr_emit *e;
  char *name; /* of its iterator */
  struct tsr_laned s[MAX_STATEMENTS];
  int n;
  bool blocks;
};

/* ---- what comes from registers ---- */

/* { [] -> [k] } of AT, where the iterator NAME is BACK less. */
static isl_map *shifted(isl_multi_aff *at, const char *name, int back)
{
  isl_size n = isl_multi_aff_dim(at, isl_dim_out);
  long step[TSR_MAX_DIM];
  if (!tsr_instance_step(at, name, step))
    return NULL;
  at = isl_multi_aff_copy(at);
  for (int d = 0; d < n; d++)
    at = isl_multi_aff_set_aff(at, d, isl_aff_add_constant_si(isl_multi_aff_get_aff(at, d), (int)-step[d] * back));
  return isl_map_from_multi_aff(at);
}

/* { [] -> A[k] } of ITEM, of statement S, BACK iterations before; NULL: it isn't known. */
static isl_map *place_of(struct tsr_laned *s, struct tsr_item *item, int back)
{
  if (item->place)
    return item->at && s->loop ? shifted(item->at, s->loop, back) : NULL;
  isl_multi_aff *instance = isl_multi_aff_copy(s->instance);
  isl_size n = isl_multi_aff_dim(instance, isl_dim_out);
  for (int i = 0; i < n; i++) {
    isl_aff *aff = isl_aff_add_constant_si(isl_multi_aff_get_aff(instance, i), (int)-s->along[i] * back);
    instance = isl_multi_aff_set_aff(instance, i, aff);
  }
  return isl_map_apply_range(isl_map_from_multi_aff(instance), isl_map_copy(item->element));
}

/* Does ITEM of S go where SOURCE of W does BACK iterations before? */
static bool meets(struct tsr_laned *s, struct tsr_item *item, struct tsr_laned *w, struct tsr_item *source, int back)
{
  isl_map *a = place_of(s, item, 0), *b = place_of(w, source, back);
  isl_bool equal = isl_bool_ok(a && b && !item->place == !source->place && isl_map_is_equal(a, b) == isl_bool_true);
  isl_map_free(a);
  isl_map_free(b);
  return equal == isl_bool_true;
}

/* The only store of LOOP to ARRAY, and its statement; NULL: there is none, or several. *N: how many. */
static struct tsr_item *only_store(struct loop *loop, int array, struct tsr_laned **of, int *n)
{
  struct tsr_item *store = NULL;
  *n = 0;
  for (int i = 0; i < loop->n; i++)
    for (int k = 0; k < loop->s[i].n_item; k++) {
      struct tsr_item *item = &loop->s[i].item[k];
      if (!item->store || item->array != array)
        continue;
      store = item;
      *of = &loop->s[i];
      ++*n;
    }
  return *n == 1 ? store : NULL;
}

/* Does ITEM of S go to the next element in the next iteration, *BACKWARDS: to the previous one, but elsewhere in the next
 * lane? */
static bool is_column(struct tsr_laned *s, struct tsr_item *item)
{
  long elements = 0;
  bool column = item->move == TSR_LANE_APART && tsr_item_along(s, item, &elements) && (elements == 1 || elements == -1);
  item->backwards = elements < 0;
  return column;
}

/* Does ITEM of S touch one element in all iterations? */
static bool stays(struct tsr_laned *s, struct tsr_item *item)
{
  long elements = 0;
  return tsr_item_along(s, item, &elements) && elements == 0;
}

/* Does ITEM of S touch another element in each iteration? */
static bool is_injective(struct tsr_laned *s, struct tsr_item *item)
{
  long step[TSR_MAX_DIM];
  bool moves = false;
  if (!item->place)
    return tsr_access_is_injective(item->element, s->along);
  isl_size n =
      item->at && s->loop && tsr_instance_step(item->at, s->loop, step) ? isl_multi_aff_dim(item->at, isl_dim_out) : 0;
  for (int d = 0; d < n; d++)
    moves |= step[d] != 0;
  return moves;
}

/* Is the element of the store SOURCE of W, to its array the only one in LOOP, in a register all along? No other statement
 * touches the array; what W loads of it is that element, or never. (Elements that the original tells apart are at different
 * places of a buffer as long as it holds both.) */
static bool is_held(struct loop *loop, struct tsr_laned *w, struct tsr_item *source)
{
  int array = source->array;
  struct tsr_scop *scop = loop->e->m->scop;
  if (!stays(w, source))
    return false;
  isl_set *domain = isl_set_intersect_params(isl_set_copy(scop->stmts[w->stmt].domain), tsr_scop_common(scop));
  bool held = true;
  for (int i = 0; i < loop->n && held; i++)
    for (int k = 0; k < loop->s[i].n_item && held; k++) {
      struct tsr_item *item = &loop->s[i].item[k];
      if (item->array != array || item == source)
        continue;
      bool same = &loop->s[i] == w && meets(w, item, w, source, 0);
      held = same ? item < source && LLVMTypeOf(item->value) == LLVMTypeOf(source->value)
                  : &loop->s[i] == w && tsr_accesses_keep_apart(source->element, item->element, domain, w->along);
    }
  isl_set_free(domain);
  return held;
}

/* Which stores of LOOP go to elements that stay in registers? */
static void find_held(struct loop *loop)
{
  for (int i = 0; i < loop->n; i++)
    for (int k = 0; k < loop->s[i].n_item; k++) {
      struct tsr_item *item = &loop->s[i].item[k];
      struct tsr_laned *of = NULL;
      int n_store, array = item->array;
      if (item->store && only_store(loop, array, &of, &n_store) == item && is_held(loop, of, item)) {
        item->way = TSR_ITEM_HELD;
        item->source = item;
      }
    }
}

/* Where does the load ITEM of S get its value from? */
static void find_way(struct loop *loop, struct tsr_laned *s, struct tsr_item *item)
{
  struct tsr_laned *w = NULL;
  int n_store;
  struct tsr_item *source = only_store(loop, item->array, &w, &n_store);
  bool held = source && source->way == TSR_ITEM_HELD;
  if (held && s == w && meets(s, item, w, source, 0)) {
    item->way = TSR_ITEM_HELD;
    item->source = source;
    return;
  }
  if ((n_store == 0 || held) && is_column(s, item))
    item->way = TSR_ITEM_COLUMN;
  if (held)
    return;
  if (!source || LLVMTypeOf(source->value) != LLVMTypeOf(item->value) || !is_injective(w, source))
    return;
  bool behind = w < s || (w == s && source < item);
  item->source = source;
  if (behind && meets(s, item, w, source, 0))
    item->way = TSR_ITEM_NEW;
  else if (meets(s, item, w, source, 1))
    item->way = TSR_ITEM_OLD;
  else if (((!behind && meets(s, item, w, source, 0)) || meets(s, item, w, source, -1)) && is_column(s, item))
    item->way = TSR_ITEM_COLUMN;
}

/* May the store ITEM of S wait until the end of the block? What columns read is written later. */
static bool may_wait(struct loop *loop, struct tsr_laned *s, struct tsr_item *item)
{
  struct tsr_laned *of;
  int array = item->array, n_store;
  bool may = only_store(loop, array, &of, &n_store) == item && is_column(s, item);
  for (int i = 0; i < loop->n && may; i++)
    for (int k = 0; k < loop->s[i].n_item && may; k++) {
      struct tsr_item *other = &loop->s[i].item[k];
      may = other->store || other->array != array || other->way != TSR_ITEM_MEMORY;
    }
  return may;
}

/* Where does each load of LOOP get its value from, and which stores wait? */
static void find_ways(struct loop *loop)
{
  find_held(loop);
  for (int i = 0; i < loop->n; i++)
    for (int k = 0; k < loop->s[i].n_item; k++)
      if (!loop->s[i].item[k].store)
        find_way(loop, &loop->s[i], &loop->s[i].item[k]);
  for (int i = 0; i < loop->n; i++)
    for (int k = 0; k < loop->s[i].n_item; k++) {
      struct tsr_item *item = &loop->s[i].item[k];
      if (item->store && item->way != TSR_ITEM_HELD && may_wait(loop, &loop->s[i], item))
        item->way = TSR_ITEM_COLUMN;
      loop->blocks |= item->way == TSR_ITEM_COLUMN;
    }
}

/* A slot a vector for numbers of the type of VALUE. */
static LLVMValueRef *make_slots(struct tsr_emit *e, LLVMValueRef value)
{
  LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(value), (unsigned)e->lanes->shape.lanes);
  LLVMValueRef *slot = malloc(e->lanes->shape.vectors * sizeof(*slot));
  for (int v = 0; v < e->lanes->shape.vectors; v++)
    slot[v] = tsr_emit_slot(e, type);
  return slot;
}

/* What ITEM of S loads in all lanes, in SLOT. */
static void load_slots(struct tsr_laned *s, struct tsr_item *item, LLVMValueRef *slot)
{
  struct tsr_emit *e = s->e;
  for (int v = 0; v < e->lanes->shape.vectors; v++) {
    LLVMValueRef value = tsr_laned_load(s, item, v);
    LLVMBuildStore(e->b, tsr_vector_splat(e->b, value, (unsigned)e->lanes->shape.lanes), slot[v]);
  }
}

/* In front of the loop, at its first iteration: slots for what comes from registers, and what is there before. */
static void fill_slots(struct loop *loop)
{
  struct tsr_emit *e = loop->e;
  for (int i = 0; i < loop->n; i++)
    for (int k = 0; k < loop->s[i].n_item; k++) {
      struct tsr_item *item = &loop->s[i].item[k];
      if (item->way != TSR_ITEM_NEW && item->way != TSR_ITEM_OLD && item->way != TSR_ITEM_HELD)
        continue;
      if (!item->source->now)
        item->source->now = make_slots(e, item->value);
      if (item->way == TSR_ITEM_HELD && !item->store)
        load_slots(&loop->s[i], item, item->source->now);
      if (item->way != TSR_ITEM_OLD || item->source->old)
        continue;
      item->source->old = make_slots(e, item->value);
      load_slots(&loop->s[i], item, item->source->old);
    }
}

/* Behind the loop, the iterator at its first iteration: what was held goes to memory. */
static void store_held(struct loop *loop)
{
  struct tsr_emit *e = loop->e;
  for (int i = 0; i < loop->n; i++)
    for (int k = 0; k < loop->s[i].n_item; k++) {
      struct tsr_item *item = &loop->s[i].item[k];
      for (int v = 0; v < e->lanes->shape.vectors && item->store && item->way == TSR_ITEM_HELD; v++)
        tsr_laned_store(&loop->s[i], item, v, LLVMBuildLoad2(e->b, LLVMGetAllocatedType(item->now[v]), item->now[v], ""));
    }
}

/* ---- iterations ---- */

/* One iteration, at the iterator's value at hand. */
static void emit_iteration(struct loop *loop, int iteration)
{
  struct tsr_emit *e = loop->e;
  int vectors = e->lanes->shape.vectors;
  for (int i = 0; i < loop->n; i++)
    for (int v = 0; v < vectors; v++)
      tsr_laned_run(&loop->s[i], v, iteration);
  for (int i = 0; i < loop->n; i++)
    for (int k = 0; k < loop->s[i].n_item; k++) {
      struct tsr_item *item = &loop->s[i].item[k];
      for (int v = 0; v < vectors && item->old; v++)
        LLVMBuildStore(e->b, LLVMBuildLoad2(e->b, LLVMGetAllocatedType(item->now[v]), item->now[v], ""), item->old[v]);
    }
}

/* In how many iterations is it needed what the cache is told of now? Time enough to come from memory. */
#define AHEAD 16

/* Does ITEM of S go to another row in the next iteration? Such rows are too far apart for the core to see them coming. */
static bool is_far(struct tsr_laned *s, struct tsr_item *item)
{
  long elements = 0;
  return item->way == TSR_ITEM_MEMORY && item->move == TSR_LANE_NEXT && !item->place && !tsr_item_along(s, item, &elements);
}

/* Of accesses to one array the last alone: others are near. */
static bool is_last(struct loop *loop, int stmt, int at)
{
  int array = loop->s[stmt].item[at].array;
  for (int i = stmt; i < loop->n; i++)
    for (int k = i == stmt ? at + 1 : 0; k < loop->s[i].n_item; k++)
      if (loop->s[i].item[k].array == array && is_far(&loop->s[i], &loop->s[i].item[k]))
        return false;
  return true;
}

/* What will be needed AHEAD iterations from COUNTER. */
static void prefetch(struct loop *loop, LLVMValueRef counter)
{
  struct tsr_emit *e = loop->e;
  int n_var = e->n_var, lanes = e->lanes->shape.lanes;
  tsr_emit_bind(e, loop->name, LLVMBuildAdd(e->b, counter, tsr_emit_number(e, AHEAD), ""));
  for (int i = 0; i < loop->n; i++)
    for (int k = 0; k < loop->s[i].n_item; k++)
      for (int v = 0; v < e->lanes->shape.vectors && is_far(&loop->s[i], &loop->s[i].item[k]) && is_last(loop, i, k); v++)
        tsr_laned_prefetch(&loop->s[i], &loop->s[i].item[k], (v + 1) * lanes - 1);
  tsr_emit_unbind(e, n_var);
}

/* The iterator is COUNTER + OFFSET. */
static void bind_iterator(struct loop *loop, LLVMValueRef counter, int offset)
{
  tsr_emit_bind(loop->e, loop->name, LLVMBuildNSWAdd(loop->e->b, counter, tsr_emit_number(loop->e, offset), ""));
}

/* The rows of ITEM of S, in a block that begins at iteration COUNTER: all columns are loaded, or stored. */
static void move_rows(struct loop *loop, struct tsr_laned *s, struct tsr_item *item, LLVMValueRef counter)
{
  struct tsr_emit *e = loop->e;
  int n_var = e->n_var, lanes = e->lanes->shape.lanes;
  LLVMValueRef row[64];
  bind_iterator(loop, counter, item->backwards ? lanes - 1 : 0);
  for (int v = 0; v < e->lanes->shape.vectors; v++) {
    LLVMValueRef *column = item->column + v * lanes;
    for (int i = 0; i < lanes; i++)
      row[i] = item->store ? column[item->backwards ? lanes - 1 - i : i] : tsr_laned_row(s, item, v * lanes + i, NULL);
    tsr_transpose(e, row, (unsigned)lanes, 1);
    for (int i = 0; i < lanes; i++)
      if (item->store)
        tsr_laned_row(s, item, v * lanes + i, row[i]);
      else
        column[item->backwards ? lanes - 1 - i : i] = row[i];
  }
  tsr_emit_unbind(e, n_var);
}

/* The rows of all columns that are stored, or of all that are loaded. */
static void move_all_rows(struct loop *loop, LLVMValueRef counter, bool store)
{
  for (int i = 0; i < loop->n; i++)
    for (int k = 0; k < loop->s[i].n_item; k++)
      if (loop->s[i].item[k].way == TSR_ITEM_COLUMN && loop->s[i].item[k].store == store)
        move_rows(loop, &loop->s[i], &loop->s[i].item[k], counter);
}

/* The iterations from COUNTER on, as many as there are lanes. */
static void emit_block(struct loop *loop, LLVMValueRef counter)
{
  struct tsr_emit *e = loop->e;
  int lanes = e->lanes->shape.lanes, n_var = e->n_var;
  for (int i = 0; i < loop->n; i++)
    for (int k = 0; k < loop->s[i].n_item; k++)
      if (loop->s[i].item[k].way == TSR_ITEM_COLUMN)
        loop->s[i].item[k].column = calloc((size_t)e->lanes->shape.vectors * lanes, sizeof(LLVMValueRef));
  move_all_rows(loop, counter, false);
  for (int iteration = 0; iteration < lanes; iteration++) {
    prefetch(loop, LLVMBuildAdd(e->b, counter, tsr_emit_number(e, iteration), ""));
    bind_iterator(loop, counter, iteration);
    emit_iteration(loop, iteration);
    tsr_emit_unbind(e, n_var);
  }
  move_all_rows(loop, counter, true);
  for (int i = 0; i < loop->n; i++)
    for (int k = 0; k < loop->s[i].n_item; k++) {
      free(loop->s[i].item[k].column);
      loop->s[i].item[k].column = NULL;
    }
}

/* { COUNTER : N more iterations are there up to LAST } */
static LLVMValueRef has_more(struct tsr_emit *e, LLVMValueRef counter, LLVMValueRef last, int n)
{
  if (n == 1)
    return LLVMBuildICmp(e->b, LLVMIntSLE, counter, last, "");
  return LLVMBuildICmp(e->b, LLVMIntSGE, LLVMBuildSub(e->b, last, counter, ""), tsr_emit_number(e, n - 1), "");
}

/* All of N iterations at a time from FIRST up to LAST, behind which the builder is left; the first that is left over. */
static LLVMValueRef emit_steps(struct loop *loop, LLVMValueRef first, LLVMValueRef last, int n)
{
  struct tsr_emit *e = loop->e;
  LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b), header = tsr_emit_block(e, n > 1 ? "tsr.block" : "tsr.one");
  LLVMBasicBlockRef behind = tsr_emit_block(e, "tsr.behind");
  LLVMBuildCondBr(e->b, has_more(e, first, last, n), header, behind);
  LLVMPositionBuilderAtEnd(e->b, behind);
  LLVMValueRef left = LLVMBuildPhi(e->b, e->i64, "tsr.c");
  LLVMPositionBuilderAtEnd(e->b, header);
  LLVMValueRef counter = LLVMBuildPhi(e->b, e->i64, "tsr.c");
  int n_var = e->n_var;
  if (n > 1) {
    emit_block(loop, counter);
  } else {
    prefetch(loop, counter);
    tsr_emit_bind(e, loop->name, counter);
    emit_iteration(loop, 0);
    tsr_emit_unbind(e, n_var);
  }
  LLVMValueRef next = LLVMBuildNSWAdd(e->b, counter, tsr_emit_number(e, n), "tsr.next");
  LLVMBasicBlockRef end = LLVMGetInsertBlock(e->b);
  LLVMValueRef again = LLVMBuildCondBr(e->b, has_more(e, next, last, n), header, behind);
  tsr_set_metadata(again, "llvm.loop", tsr_emit_loop_id(e, NULL, loop->blocks));
  LLVMAddIncoming(counter, &first, &at, 1);
  LLVMAddIncoming(counter, &next, &end, 1);
  LLVMAddIncoming(left, &first, &at, 1);
  LLVMAddIncoming(left, &next, &end, 1);
  LLVMPositionBuilderAtEnd(e->b, behind);
  return left;
}

/* ---- loops ---- */

/* The statements of BODY, if there is nothing else. */
static bool read_body(struct loop *loop, isl_ast_node *body)
{
  if (isl_ast_node_get_type(body) == isl_ast_node_user) {
    tsr_laned_init(&loop->s[loop->n++], loop->e, body, loop->name);
    return true;
  }
  if (isl_ast_node_get_type(body) != isl_ast_node_block)
    return false;
  isl_ast_node_list *list = isl_ast_node_block_get_children(body);
  isl_size n = isl_ast_node_list_n_ast_node(list);
  bool good = n >= 0;
  for (int i = 0; i < n && good; i++) {
    isl_ast_node *node = isl_ast_node_list_get_at(list, i);
    good = loop->n < MAX_STATEMENTS && isl_ast_node_get_type(node) == isl_ast_node_user && read_body(loop, node);
    isl_ast_node_free(node);
  }
  isl_ast_node_list_free(list);
  return good;
}

/* Is the step of the loop NODE 1? */
static bool has_unit_step(isl_ast_node *node)
{
  isl_ast_expr *step = isl_ast_node_for_get_inc(node);
  isl_val *value = isl_ast_expr_get_type(step) == isl_ast_expr_int ? isl_ast_expr_get_val(step) : NULL;
  bool one = value && isl_val_is_one(value) == isl_bool_true;
  isl_ast_expr_free(step);
  isl_val_free(value);
  return one;
}

/* All of LOOP, with the bounds of NODE: blocks first where there are columns, then what is left. */
static void emit_loop(struct loop *loop, isl_ast_node *node)
{
  struct tsr_emit *e = loop->e;
  struct tsr_for bounds;
  int n_var = e->n_var;
  tsr_emit_bounds(e, node, &bounds);
  LLVMBasicBlockRef begin = tsr_emit_block(e, "tsr.lanes"), behind = tsr_emit_block(e, "tsr.behind");
  LLVMBuildCondBr(e->b, has_more(e, bounds.first, bounds.last, 1), begin, behind);
  LLVMPositionBuilderAtEnd(e->b, begin);
  find_ways(loop);
  tsr_emit_bind(e, loop->name, bounds.first);
  fill_slots(loop);
  tsr_emit_unbind(e, n_var);
  LLVMValueRef left = bounds.first;
  if (loop->blocks)
    left = emit_steps(loop, left, bounds.last, e->lanes->shape.lanes);
  emit_steps(loop, left, bounds.last, 1);
  tsr_emit_bind(e, loop->name, bounds.first);
  store_held(loop);
  tsr_emit_unbind(e, n_var);
  LLVMBuildBr(e->b, behind);
  LLVMPositionBuilderAtEnd(e->b, behind);
}

bool tsr_emit_lane_loop(struct tsr_emit *e, isl_ast_node *node)
{
  if (isl_ast_node_for_is_degenerate(node) == isl_bool_true || !has_unit_step(node))
    return false;
  struct loop *loop = calloc(1, sizeof(*loop));
  loop->e = e;
  loop->name = tsr_emit_iterator_name(node);
  isl_ast_node *body = isl_ast_node_for_get_body(node);
  bool good = read_body(loop, body);
  if (good)
    emit_loop(loop, node);
  for (int i = 0; i < loop->n; i++)
    tsr_laned_clear(&loop->s[i]);
  isl_ast_node_free(body);
  free(loop->name);
  free(loop);
  return good;
}

void tsr_emit_lane_user(struct tsr_emit *e, isl_ast_node *user)
{
  struct tsr_laned s;
  tsr_laned_init(&s, e, user, NULL);
  for (int v = 0; v < e->lanes->shape.vectors; v++)
    tsr_laned_run(&s, v, 0);
  tsr_laned_clear(&s);
}

/* Slots for the SCALAR arrays that USER writes: each lane has its own. */
static isl_bool add_slots(isl_ast_node *user, void *data)
{
  struct tsr_emit *e = data;
  if (isl_ast_node_get_type(user) != isl_ast_node_user)
    return isl_bool_true;
  isl_multi_aff *instance = tsr_ast_user_instance(user);
  int stmt = tsr_scop_find_stmt(e->m->scop, isl_multi_aff_get_tuple_name(instance, isl_dim_out));
  isl_multi_aff_free(instance);
  const struct tsr_stmt_info *s = &e->m->stmts[stmt];
  for (int i = 0; i < s->n_write; i++) {
    struct tsr_array_info *a = &e->m->arrays[s->write[i].array];
    LLVMValueRef *at = e->lanes->slot + (size_t)s->write[i].array * e->lanes->shape.vectors;
    if (a->home || *at)
      continue;
    LLVMValueRef *slot = make_slots(e, a->origin);
    memcpy(at, slot, e->lanes->shape.vectors * sizeof(*slot));
    free(slot);
  }
  return isl_bool_true;
}

void tsr_emit_lockstep(struct tsr_emit *e, isl_ast_node *node)
{
  const struct tsr_lockstep *mark = e->lockstep;
  struct tsr_lane_loop lanes = {.shape = *mark, .iterator = tsr_emit_iterator_name(node)};
  lanes.slot = calloc((size_t)e->m->n_array * mark->vectors + 1, sizeof(*lanes.slot));
  e->lanes = &lanes;
  e->lockstep = NULL;
  isl_ast_node *body = isl_ast_node_for_get_body(node);
  isl_ast_node_foreach_descendant_top_down(body, add_slots, e);
  e->emit_node(e, body);
  isl_ast_node_free(body);
  e->lanes = NULL;
  e->lockstep = mark;
  free(lanes.slot);
  free(lanes.iterator);
}
