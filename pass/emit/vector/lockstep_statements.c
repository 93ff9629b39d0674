/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A statement for all lanes of an outer loop. As in statement_code.c: scalars are loaded, instructions run in their order,
 * scalars are stored; but each for all lanes of a vector at once. That is right since lanes share no element of memory that
 * one of them writes, and no scalar. All lanes are instances that the original runs, so flags stay true. */
#include "emit/buffer/array_buffers.h"
#include "emit/statement_code.h"
#include "emit/vector/lockstep_statements.h"
#include <stdlib.h>

/* Is VALUE one number a lane, or several in a struct? */
static bool is_vector(LLVMValueRef value)
{
  LLVMTypeRef type = LLVMTypeOf(value);
  if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
    type = LLVMStructGetTypeAtIndex(type, 0);
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

/* ---- what it accesses ---- */

/* Does PLACE go ahead by ELEMENTS in its last dimension alone where the iterator NAME does by 1? AT is its element. */
static bool place_moves(isl_multi_aff *at, const char *name, long *elements)
{
  long step[TSR_MAX_DIM];
  isl_size n = at ? isl_multi_aff_dim(at, isl_dim_out) : 0;
  bool good = n > 0 && tsr_instance_step(at, name, step);
  for (int d = 0; d < n - 1 && good; d++)
    good = step[d] == 0;
  *elements = good ? step[n - 1] : 0;
  return good;
}

bool tsr_item_across(struct tsr_laned *s, const struct tsr_item *item, long *elements)
{
  return item->place ? place_moves(item->at, s->e->lanes->iterator, elements)
                     : tsr_access_move(item->element, s->step, elements);
}

bool tsr_item_along(struct tsr_laned *s, const struct tsr_item *item, long *elements)
{
  return item->place ? s->loop && place_moves(item->at, s->loop, elements)
                     : tsr_access_move(item->element, s->along, elements);
}

/* Append to what S accesses: VALUE, where ACCESS of the model goes, as INST does. */
static void add_item(struct tsr_laned *s, int access, bool store, LLVMValueRef value, LLVMValueRef inst)
{
  long elements = 0;
  struct tsr_item item = {.store = store,
                          .access = access,
                          .value = value,
                          .inst = inst,
                          .move = TSR_LANE_APART,
                          .array = s->e->m->access[access].array,
                          .place = tsr_emit_place_of(s->e, inst, !store)};
  if (item.place) {
    item.array = s->e->m->n_array + item.place->array;
    item.at = item.place->loose < 0 ? tsr_place_element(item.place) : NULL;
  }
  item.element = tsr_model_element(s->e->m, s->stmt, &s->e->m->access[access]);
  item.element = isl_map_set_tuple_name(item.element, isl_dim_in, s->e->m->scop->stmts[s->stmt].name);
  if (tsr_item_across(s, &item, &elements) && (elements == 0 || elements == 1))
    item.move = elements ? TSR_LANE_NEXT : TSR_LANE_EQUAL;
  s->item = realloc(s->item, (s->n_item + 1) * sizeof(*s->item));
  s->item[s->n_item++] = item;
}

/* The access of the model that INST makes in STMT; -1: none. */
static int access_of(struct tsr_model *m, int stmt, LLVMValueRef inst)
{
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].inst == inst && m->access[i].stmt == stmt)
      return i;
  return -1;
}

/* Is write K of S the first one of its value to its place? */
static bool is_first_write(struct tsr_model *m, struct tsr_stmt_info *s, int k)
{
  bool first = true;
  for (int i = 0; i < k; i++)
    first &= s->write[i].value != s->write[k].value ||
             tsr_array_place(m, s->write[i].array) != tsr_array_place(m, s->write[k].array);
  return first;
}

void tsr_laned_init(struct tsr_laned *s, struct tsr_emit *e, isl_ast_node *user, const char *loop)
{
  struct tsr_model *m = e->m;
  *s = (struct tsr_laned){.e = e, .user = user, .loop = loop, .instance = tsr_ast_user_instance(user)};
  s->stmt = tsr_scop_find_stmt(m->scop, isl_multi_aff_get_tuple_name(s->instance, isl_dim_out));
  tsr_instance_step(s->instance, e->lanes->iterator, s->step);
  if (loop)
    tsr_instance_step(s->instance, loop, s->along);
  struct tsr_stmt_info *info = &m->stmts[s->stmt];
  e->instance = tsr_ast_instance(user);
  for (int i = 0; i < info->n_read; i++) {
    struct tsr_array_info *a = &m->arrays[info->read[i]];
    if (a->home)
      add_item(s, a->home - 1, false, a->origin, m->access[a->home - 1].inst);
  }
  for (int i = 0; i < info->n_inst; i++) {
    LLVMValueRef inst = info->inst[i];
    if (LLVMIsALoadInst(inst))
      add_item(s, access_of(m, s->stmt, inst), false, inst, inst);
    else if (LLVMIsAStoreInst(inst))
      add_item(s, access_of(m, s->stmt, inst), true, LLVMGetOperand(inst, 0), inst);
  }
  for (int i = 0; i < info->n_write; i++) {
    struct tsr_array_info *a = &m->arrays[info->write[i].array];
    if (a->home && is_first_write(m, info, i))
      add_item(s, a->home - 1, true, info->write[i].value, m->access[a->home - 1].inst);
  }
  e->instance = NULL;
}

void tsr_laned_clear(struct tsr_laned *s)
{
  for (int i = 0; i < s->n_item; i++) {
    isl_map_free(s->item[i].element);
    isl_multi_aff_free(s->item[i].at);
    free(s->item[i].now);
    free(s->item[i].old);
    free(s->item[i].column);
  }
  free(s->item);
  isl_multi_aff_free(s->instance);
}

/* ---- memory ---- */

/* The counters of lane LANE. */
static LLVMValueRef *counters_of(struct tsr_laned *s, int lane)
{
  LLVMValueRef *counters;
  int n_var = s->e->n_var;
  tsr_emit_bind(s->e, s->e->lanes->iterator, tsr_emit_number(s->e, lane));
  tsr_emit_counters(s->e, s->user, &counters);
  tsr_emit_unbind(s->e, n_var);
  return counters;
}

/* Where ITEM is in lane LANE, and what is known of that address. NO_FLAGS: of an instance that there may not be. */
static LLVMValueRef pointer_of(struct tsr_laned *s, struct tsr_item *item, int lane, bool no_flags, unsigned *alignment)
{
  struct tsr_emit *e = s->e;
  LLVMValueRef *counters = counters_of(s, lane);
  int n_var = e->n_var;
  struct tsr_copy c = {.e = e, .s = &e->m->stmts[s->stmt], .counters = counters, .no_flags = no_flags};
  tsr_emit_bind(e, e->lanes->iterator, tsr_emit_number(e, lane));
  e->instance = tsr_ast_instance(s->user);
  *alignment = LLVMGetAlignment(item->inst);
  LLVMValueRef pointer =
      item->place ? tsr_copy_buffer(&c, item->inst, !item->store, alignment) : tsr_copy_pointer(&c, item->inst);
  e->instance = NULL;
  tsr_emit_unbind(e, n_var);
  free(c.map);
  free(c.local);
  free(counters);
  return pointer;
}

/* Say of MADE, which accesses ITEM, what is known of that. */
static void annotate(struct tsr_laned *s, struct tsr_item *item, LLVMValueRef made)
{
  s->e->instance = tsr_ast_instance(s->user);
  tsr_copy_annotate(s->e, item->inst, made);
  s->e->instance = NULL;
}

LLVMValueRef tsr_laned_row(struct tsr_laned *s, struct tsr_item *item, int lane, LLVMValueRef value)
{
  struct tsr_emit *e = s->e;
  unsigned align, lanes = (unsigned)e->lanes->shape.lanes;
  LLVMValueRef pointer = pointer_of(s, item, lane, false, &align);
  LLVMValueRef made = value ? tsr_vector_store(e->b, value, pointer, align, NULL)
                            : tsr_vector_load(e->b, LLVMTypeOf(item->value), pointer, align, lanes, NULL);
  annotate(s, item, made);
  return made;
}

void tsr_laned_prefetch(struct tsr_laned *s, struct tsr_item *item, int lane)
{
  unsigned align;
  tsr_vector_prefetch(s->e->b, pointer_of(s, item, lane, true, &align), item->store);
}

/* The number of ITEM in lane LANE: loaded, or VALUE stored. */
static LLVMValueRef access_one(struct tsr_laned *s, struct tsr_item *item, int lane, LLVMValueRef value)
{
  struct tsr_emit *e = s->e;
  unsigned align;
  LLVMValueRef pointer = pointer_of(s, item, lane, false, &align);
  LLVMValueRef made =
      value ? LLVMBuildStore(e->b, value, pointer) : LLVMBuildLoad2(e->b, LLVMTypeOf(item->value), pointer, "");
  LLVMSetAlignment(made, align);
  annotate(s, item, made);
  return made;
}

LLVMValueRef tsr_laned_load(struct tsr_laned *s, struct tsr_item *item, int vector)
{
  struct tsr_emit *e = s->e;
  int lanes = e->lanes->shape.lanes;
  if (item->move == TSR_LANE_NEXT)
    return tsr_laned_row(s, item, vector * lanes, NULL);
  if (item->move == TSR_LANE_EQUAL)
    return access_one(s, item, vector * lanes, NULL);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMValueRef all = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(item->value), (unsigned)lanes));
  for (int i = 0; i < lanes; i++)
    all = LLVMBuildInsertElement(e->b, all, access_one(s, item, vector * lanes + i, NULL),
                                 LLVMConstInt(i32, (unsigned)i, false), "");
  return all;
}

void tsr_laned_store(struct tsr_laned *s, struct tsr_item *item, int vector, LLVMValueRef value)
{
  struct tsr_emit *e = s->e;
  int lanes = e->lanes->shape.lanes;
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  if (item->move == TSR_LANE_NEXT) {
    tsr_laned_row(s, item, vector * lanes, value);
    return;
  }
  for (int i = 0; i < lanes; i++) {
    LLVMValueRef one = LLVMBuildExtractElement(e->b, value, LLVMConstInt(i32, (unsigned)i, false), "");
    access_one(s, item, vector * lanes + i, one);
  }
}

/* ---- one run ---- */

struct run {
  struct tsr_laned *s;
  struct tsr_copy first; /* of the vector's first lane */
  int vector, iteration;
};

/* VALUE in all lanes */
static LLVMValueRef wide(struct run *run, LLVMValueRef value)
{
  return tsr_vector_splat(run->s->e->b, value, (unsigned)run->s->e->lanes->shape.lanes);
}

/* What ITEM loads in this run: from a column, a register or memory */
static LLVMValueRef load_item(struct run *run, struct tsr_item *item)
{
  struct tsr_emit *e = run->s->e;
  if (item->way == TSR_ITEM_COLUMN && item->column)
    return item->column[run->vector * e->lanes->shape.lanes + run->iteration];
  if (item->way != TSR_ITEM_NEW && item->way != TSR_ITEM_OLD && item->way != TSR_ITEM_HELD)
    return tsr_laned_load(run->s, item, run->vector);
  LLVMValueRef slot = item->way == TSR_ITEM_OLD ? item->source->old[run->vector] : item->source->now[run->vector];
  return LLVMBuildLoad2(e->b, LLVMGetAllocatedType(slot), slot, "");
}

/* VALUE goes where ITEM stores in this run. */
static void store_item(struct run *run, struct tsr_item *item, LLVMValueRef value)
{
  struct tsr_emit *e = run->s->e;
  value = wide(run, value);
  if (item->now)
    LLVMBuildStore(e->b, value, item->now[run->vector]);
  if (item->way == TSR_ITEM_COLUMN && item->column)
    item->column[run->vector * e->lanes->shape.lanes + run->iteration] = value;
  else if (item->way != TSR_ITEM_HELD)
    tsr_laned_store(run->s, item, run->vector, value);
}

/* VALUE, data of the statement: a vector, or one number for all lanes. */
static LLVMValueRef data(struct run *run, LLVMValueRef value)
{
  struct tsr_copy *c = &run->first;
  LLVMValueRef operand[4], made;
  bool any = false;
  value = tsr_stmt_value(c->s, value);
  for (int i = 0; i < c->n; i++)
    if (c->map[i].from == value)
      return c->map[i].to;
  if (!LLVMIsAInstruction(value) || !tsr_model_in_region(c->e->m, value))
    return value;
  if (LLVMIsAPHINode(value) && LLVMCountIncoming(value) == 1)
    return data(run, LLVMGetIncomingValue(value, 0));
  int n = LLVMIsACallInst(value) ? (int)LLVMGetNumArgOperands(value) : LLVMGetNumOperands(value);
  for (int i = 0; i < n; i++) {
    operand[i] = data(run, LLVMGetOperand(value, i));
    any |= is_vector(operand[i]);
  }
  made = any ? tsr_vector_op(c->e->b, value, operand, (unsigned)c->e->lanes->shape.lanes) : tsr_copy_inst(c, value);
  tsr_copy_bind(&c->map, &c->n, value, made);
  return made;
}

/* The slot of SCALAR array ARRAY for the lanes of VECTOR; NULL: there is one for all lanes. */
static LLVMValueRef slot_of(struct tsr_emit *e, int array, int vector)
{
  return e->lanes->slot[array * e->lanes->shape.vectors + vector];
}

/* What the statement reads from slots: one a lane, or one for all. */
static void load_scalars(struct run *run)
{
  struct tsr_copy *c = &run->first;
  struct tsr_emit *e = c->e;
  for (int i = 0; i < c->s->n_read; i++) {
    struct tsr_array_info *a = &e->m->arrays[c->s->read[i]];
    if (a->home)
      continue;
    LLVMValueRef slot = slot_of(e, c->s->read[i], run->vector);
    LLVMValueRef made = slot ? LLVMBuildLoad2(e->b, LLVMGetAllocatedType(slot), slot, "")
                             : LLVMBuildLoad2(e->b, LLVMTypeOf(a->origin), a->slot, "");
    tsr_copy_bind(&c->map, &c->n, a->origin, made);
  }
}

/* All values before the first of them is written. */
static void store_scalars(struct run *run)
{
  struct tsr_copy *c = &run->first;
  struct tsr_emit *e = c->e;
  LLVMValueRef *value = calloc(c->s->n_write + 1, sizeof(*value));
  for (int i = 0; i < c->s->n_write; i++)
    value[i] = data(run, c->s->write[i].value);
  for (int i = 0; i < c->s->n_write; i++) {
    LLVMValueRef slot = slot_of(e, c->s->write[i].array, run->vector);
    if (slot && !e->m->arrays[c->s->write[i].array].home)
      LLVMBuildStore(e->b, wide(run, value[i]), slot);
  }
  free(value);
}

void tsr_laned_run(struct tsr_laned *s, int vector, int iteration)
{
  struct tsr_emit *e = s->e;
  LLVMValueRef *counters = counters_of(s, vector * e->lanes->shape.lanes);
  struct run run = {.s = s, .vector = vector, .iteration = iteration};
  run.first = (struct tsr_copy){.e = e, .s = &e->m->stmts[s->stmt], .counters = counters};
  load_scalars(&run);
  for (int i = 0; i < s->n_item; i++) {
    struct tsr_item *item = &s->item[i];
    if (item->store)
      store_item(&run, item, data(&run, item->value));
    else
      tsr_copy_bind(&run.first.map, &run.first.n, item->value, load_item(&run, item));
  }
  store_scalars(&run);
  free(run.first.map);
  free(run.first.local);
  free(counters);
}
