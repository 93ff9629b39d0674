/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A statement for several instances at once. Its data is computed as in copy.c, but on vectors where some operand differs
 * from lane to lane; addresses are those of the first lane. That lane may be one that the mask hides: then addresses are
 * computed without flags such as inbounds, which the original promises of its own instances alone. */
#include "vector.h"
#include "copy.h"
#include <stdlib.h>

static bool is_vector(LLVMValueRef value)
{
  return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind;
}

/* The model's access of the statement that INST is; -1: none. */
static int access_of(struct tsr_lanes *lanes, LLVMValueRef inst)
{
  struct tsr_model *m = lanes->e->m;
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].inst == inst && m->access[i].stmt == lanes->stmt)
      return i;
  return -1;
}

void tsr_lanes_init(struct tsr_lanes *lanes, struct tsr_emit *e, int stmt, unsigned n, const long *step)
{
  struct tsr_model *m = e->m;
  struct tsr_stmt_info *s = &m->stmts[stmt];
  *lanes = (struct tsr_lanes){.e = e, .stmt = stmt, .n = n, .step = step};
  lanes->move = calloc(m->n_access + 1, sizeof(*lanes->move));
  for (int i = 0; i < s->n_inst; i++)
    if (LLVMIsAStoreInst(s->inst[i]))
      lanes->store = s->inst[i];
  int store = access_of(lanes, lanes->store);
  isl_map *written = tsr_model_element(m, stmt, &m->access[store]);
  for (int i = 0; i < m->n_access; i++) {
    long elements = 0;
    if (m->access[i].stmt != stmt)
      continue;
    isl_map *element = tsr_model_element(m, stmt, &m->access[i]);
    bool fixed = tsr_access_move(element, step, &elements);
    lanes->move[i] = !fixed          ? TSR_LANES_OTHER
                     : elements == 0 ? TSR_LANES_EQUAL
                     : elements == 1 ? TSR_LANES_NEXT
                                     : TSR_LANES_OTHER;
    if (m->access[i].array == m->access[store].array && isl_map_plain_is_equal(element, written) == isl_bool_true)
      lanes->move[i] = TSR_LANES_HELD;
    isl_map_free(element);
  }
  isl_map_free(written);
}

void tsr_lanes_clear(struct tsr_lanes *lanes)
{
  free(lanes->move);
}

/* The counters of lane LANE. */
static LLVMValueRef *shifted(struct tsr_lanes *lanes, LLVMValueRef *counters, unsigned lane)
{
  int n = lanes->e->m->stmts[lanes->stmt].n_loop;
  LLVMValueRef *moved = malloc((n + 1) * sizeof(*moved));
  for (int i = 0; i < n; i++) {
    LLVMValueRef by = LLVMConstInt(lanes->e->i64, (uint64_t)lanes->step[i] * lane, true);
    moved[i] = lanes->step[i] ? LLVMBuildAdd(lanes->e->b, counters[i], by, "") : counters[i];
  }
  return moved;
}

/* One run of the statement. */
struct run {
  struct tsr_lanes *lanes;
  struct tsr_copy first; /* of the first lane */
  LLVMValueRef *counters, mask, held;
};

static struct run run_init(struct tsr_lanes *lanes, LLVMValueRef *counters, LLVMValueRef mask)
{
  struct tsr_stmt_info *s = &lanes->e->m->stmts[lanes->stmt];
  struct tsr_copy first = {.e = lanes->e, .s = s, .counters = counters, .no_flags = mask != NULL};
  return (struct run){.lanes = lanes, .first = first, .counters = counters, .mask = mask};
}

static void run_clear(struct run *run)
{
  free(run->first.map);
  free(run->first.local);
}

/* What LOAD, of another place in each lane, gives. */
static LLVMValueRef gather(struct run *run, LLVMValueRef load)
{
  struct tsr_lanes *lanes = run->lanes;
  struct tsr_emit *e = lanes->e;
  LLVMTypeRef type = LLVMTypeOf(load), i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMTypeRef item = run->mask ? LLVMTypeOf(LLVMGetOperand(load, 0)) : type;
  LLVMValueRef all = LLVMGetPoison(LLVMVectorType(item, lanes->n));
  for (unsigned lane = 0; lane < lanes->n; lane++) {
    LLVMValueRef *counters = shifted(lanes, run->counters, lane);
    struct run one = run_init(lanes, counters, run->mask);
    LLVMValueRef got = tsr_copy_resolve(&one.first, LLVMGetOperand(load, 0));
    if (!run->mask) {
      LLVMValueRef pointer = got;
      got = LLVMBuildLoad2(e->b, type, pointer, "");
      LLVMSetAlignment(got, LLVMGetAlignment(load));
      tsr_copy_annotate(e, load, got);
    }
    all = LLVMBuildInsertElement(e->b, all, got, LLVMConstInt(i32, lane, false), "");
    run_clear(&one);
    free(counters);
  }
  if (!run->mask)
    return all;
  all = tsr_vector_load(e->b, type, all, LLVMGetAlignment(load), lanes->n, run->mask);
  tsr_copy_annotate(e, load, all);
  return all;
}

static LLVMValueRef load_data(struct run *run, LLVMValueRef load)
{
  struct tsr_lanes *lanes = run->lanes;
  struct tsr_emit *e = lanes->e;
  LLVMValueRef made;
  switch (lanes->move[access_of(lanes, load)]) {
  case TSR_LANES_HELD:
    return run->held;
  case TSR_LANES_OTHER:
    return gather(run, load);
  case TSR_LANES_NEXT:
    made = tsr_vector_load(e->b, LLVMTypeOf(load), tsr_copy_resolve(&run->first, LLVMGetOperand(load, 0)),
                           LLVMGetAlignment(load), lanes->n, run->mask);
    break;
  default:
    made = tsr_copy_inst(&run->first, load);
  }
  tsr_copy_annotate(e, load, made);
  return made;
}

/* VALUE, data of the statement: a vector, or one number for all lanes. */
static LLVMValueRef data(struct run *run, LLVMValueRef value)
{
  struct tsr_copy *c = &run->first;
  LLVMValueRef operand[4], made;
  bool wide = false;
  if (!LLVMIsAInstruction(value) || !tsr_model_in_region(c->e->m, value))
    return value;
  for (int i = 0; i < c->n; i++)
    if (c->map[i].from == value)
      return c->map[i].to;
  if (LLVMIsALoadInst(value)) {
    made = load_data(run, value);
  } else {
    int n = LLVMIsACallInst(value) ? (int)LLVMGetNumArgOperands(value) : LLVMGetNumOperands(value);
    for (int i = 0; i < n; i++) {
      operand[i] = data(run, LLVMGetOperand(value, i));
      wide |= is_vector(operand[i]);
    }
    made = wide ? tsr_vector_op(c->e->b, value, operand, run->lanes->n) : tsr_copy_inst(c, value);
  }
  tsr_copy_bind(&c->map, &c->n, value, made);
  return made;
}

LLVMValueRef tsr_lanes_load(struct tsr_lanes *lanes, LLVMValueRef *counters, LLVMValueRef mask)
{
  struct run run = run_init(lanes, counters, mask);
  LLVMValueRef pointer = tsr_copy_resolve(&run.first, LLVMGetOperand(lanes->store, 1));
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(lanes->store, 0));
  LLVMValueRef made = tsr_vector_load(lanes->e->b, type, pointer, LLVMGetAlignment(lanes->store), lanes->n, mask);
  tsr_copy_annotate(lanes->e, lanes->store, made);
  run_clear(&run);
  return made;
}

void tsr_lanes_store(struct tsr_lanes *lanes, LLVMValueRef *counters, LLVMValueRef mask, LLVMValueRef value)
{
  struct run run = run_init(lanes, counters, mask);
  LLVMValueRef pointer = tsr_copy_resolve(&run.first, LLVMGetOperand(lanes->store, 1));
  LLVMValueRef made = tsr_vector_store(lanes->e->b, value, pointer, LLVMGetAlignment(lanes->store), mask);
  tsr_copy_annotate(lanes->e, lanes->store, made);
  run_clear(&run);
}

LLVMValueRef tsr_lanes_run(struct tsr_lanes *lanes, LLVMValueRef *counters, LLVMValueRef mask, LLVMValueRef held)
{
  struct run run = run_init(lanes, counters, mask);
  run.held = held;
  LLVMValueRef value = tsr_vector_splat(lanes->e->b, data(&run, LLVMGetOperand(lanes->store, 0)), lanes->n);
  run_clear(&run);
  return value;
}
