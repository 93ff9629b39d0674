/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A statement for several instances at once. Its data is computed as in statement_code.c, but on vectors where some operand
 * differs from lane to lane; addresses are those of the first lane. That lane may be one that the mask hides: then addresses
 * are computed without flags such as inbounds, which the original promises of its own instances alone. Where that is not
 * enough, as an unsigned number that is less than the others' wraps before it becomes an address, they are those of a lane
 * that is there, less what is between the two. */
#include "emit/buffer/buffer.h"
#include "emit/buffer/kept_values.h"
#include "emit/statement_code.h"
#include "emit/vector/statement_lanes.h"
#include "emit/vector/vector.h"
#include <isl/aff.h>
#include <isl/space.h>
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

/* Is VALUE one number a lane? */
static bool is_vector(LLVMValueRef value)
{
  return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind;
}

/* The model's access of the statement that VALUE, a load or what a scalar held, is read by; -1: none. */
static int access_of(struct tsr_lanes *lanes, LLVMValueRef value)
{
  struct tsr_model *m = lanes->e->m;
  struct tsr_stmt_info *s = &m->stmts[lanes->stmt];
  for (int i = 0; i < s->n_read; i++)
    if (m->arrays[s->read[i]].origin == value)
      return m->arrays[s->read[i]].home - 1;
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].inst == value && m->access[i].stmt == lanes->stmt)
      return i;
  return -1;
}

/* How access ACCESS, as one of the statement, moves; WRITTEN: the element that the statement writes, in array ARRAY. */
static enum tsr_lane_move find_move(struct tsr_lanes *lanes, struct tsr_raw_access *access, int array, isl_map *written)
{
  const struct tsr_model *m = lanes->e->m;
  long elements = 0, next = 0, apart = 0;
  isl_map *element = tsr_model_element(lanes->e->m, lanes->stmt, access);
  bool fixed = tsr_access_move(element, lanes->step, &elements);
  const struct tsr_array *own = &m->scop->arrays[access->array];
  bool by_rows = lanes->along && tsr_array_move(own, element, lanes->along, &next) && next && labs(next) <= TSR_MOST_PITCH;
  bool few = tsr_array_move(own, element, lanes->step, &apart) && apart > 1 && apart <= TSR_MOST_PITCH;
  bool held = access->array == array && isl_map_plain_is_equal(element, written) == isl_bool_true;
  isl_map_free(element);
  if (held)
    return TSR_LANES_HELD;
  int place = tsr_emit_place_read(lanes->e, (int)(access - m->access));
  if (place >= 0)
    return TSR_LANES_PLACED + place;
  if (fixed && (elements == 0 || elements == 1))
    return elements ? TSR_LANES_NEXT : TSR_LANES_EQUAL;
  lanes->apart[access - m->access] = few ? (unsigned)apart : 0;
  lanes->next[access - m->access] = by_rows ? (int)next : 0;
  return few ? TSR_LANES_APART : by_rows ? TSR_LANES_ROWS : TSR_LANES_OTHER;
}

/* Is VALUE, of an address, anything but what instances that the original doesn't run have, too: sums and multiples? */
static bool is_bent(struct tsr_model *m, LLVMValueRef value, int depth)
{
  LLVMValueRef start;
  tsr_scev step;
  if (!LLVMIsAInstruction(value) || !tsr_model_in_region(m, value) || LLVMIsALoadInst(value) ||
      (LLVMIsAPHINode(value) && tsr_phi_is_counter(m, value, &start, &step)))
    return false;
  LLVMOpcode op = LLVMGetInstructionOpcode(value);
  bool plain = op == LLVMGetElementPtr || op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl ||
               op == LLVMSExt || (op == LLVMPHI && LLVMCountIncoming(value) == 1);
  bool bent = !plain || depth == 0;
  for (int i = 0; i < LLVMGetNumOperands(value) && !bent; i++)
    bent = is_bent(m, LLVMGetOperand(value, (unsigned)i), depth - 1);
  return bent;
}

#define MOST_DEPTH 16

/* Is the address of INST, a load or store, like that? */
static bool has_bent_address(struct tsr_model *m, LLVMValueRef inst)
{
  int pointer = LLVMIsALoadInst(inst) ? 0 : LLVMIsAStoreInst(inst) ? 1 : -1;
  return pointer >= 0 && is_bent(m, LLVMGetOperand(inst, (unsigned)pointer), MOST_DEPTH);
}

/* POINTER, to an element of TYPE in the lane that counters are of, in lane 0; elements are PITCH apart. */
static LLVMValueRef in_lane_0(struct tsr_lanes *lanes, LLVMValueRef pointer, LLVMTypeRef type, unsigned pitch)
{
  LLVMValueRef back = lanes->first ? LLVMBuildNeg(lanes->e->b, lanes->first, "") : NULL;
  if (back && pitch > 1)
    back = LLVMBuildMul(lanes->e->b, back, LLVMConstInt(lanes->e->i64, pitch, false), "");
  return back ? LLVMBuildGEP2(lanes->e->b, type, pointer, &back, 1, "") : pointer;
}

/* Is what access B of the statement reads the element behind that of A, in each instance? */
static bool is_behind(struct tsr_lanes *lanes, const struct tsr_raw_access *a, const struct tsr_raw_access *b)
{
  if (a->array != b->array)
    return false;
  isl_map *one = tsr_model_element(lanes->e->m, lanes->stmt, a), *other = tsr_model_element(lanes->e->m, lanes->stmt, b);
  isl_multi_aff *next = isl_multi_aff_identity_on_domain_space(isl_space_range(isl_map_get_space(one)));
  int last = (int)isl_multi_aff_dim(next, isl_dim_out) - 1;
  next = isl_multi_aff_set_aff(next, last, isl_aff_add_constant_si(isl_multi_aff_get_aff(next, last), 1));
  one = isl_map_apply_range(one, isl_map_from_multi_aff(next));
  bool behind = isl_map_is_equal(one, other) == isl_bool_true;
  isl_map_free(one);
  isl_map_free(other);
  return behind;
}

/* Is ACCESS of the model a load of the statement along a row, of one of two parts? */
static bool is_part_of_row(const struct tsr_lanes *lanes, int access)
{
  const struct tsr_raw_access *a = &lanes->e->m->access[access];
  return a->stmt == lanes->stmt && lanes->move[access] == TSR_LANES_ROWS && LLVMIsALoadInst(a->inst) &&
         abs(lanes->next[access]) == 2;
}

void tsr_lanes_leave_pairs(struct tsr_lanes *lanes)
{
  lanes->per_block = lanes->n;
  for (int i = 0; i < lanes->e->m->n_access; i++)
    lanes->other_part[i] = -1;
}

/* The access that reads the part behind the one that access I reads, of those not TAKEN; -1: there is none. */
static int find_other_part(struct tsr_lanes *lanes, int i, const bool *taken)
{
  struct tsr_model *m = lanes->e->m;
  for (int k = 0; k < m->n_access; k++)
    if (k != i && !taken[k] && is_part_of_row(lanes, k) && lanes->next[i] == lanes->next[k] &&
        LLVMTypeOf(m->access[i].inst) == LLVMTypeOf(m->access[k].inst) && is_behind(lanes, &m->access[i], &m->access[k]))
      return k;
  return -1;
}

/* Find the two parts of complex numbers, if all that moves by rows is in such a pair, and in one alone. */
static void find_pairs(struct tsr_lanes *lanes)
{
  struct tsr_model *m = lanes->e->m;
  bool *taken = calloc(m->n_access + 1, sizeof(*taken));
  int n_row = 0, n_part = 0;
  tsr_lanes_leave_pairs(lanes);
  for (int i = 0; i < m->n_access; i++) {
    n_row += lanes->move[i] == TSR_LANES_ROWS;
    int k = !taken[i] && is_part_of_row(lanes, i) ? find_other_part(lanes, i, taken) : -1;
    if (k < 0)
      continue;
    lanes->other_part[i] = k;
    taken[i] = taken[k] = true;
    n_part += 2;
  }
  free(taken);
  if (n_row > 0 && n_part == n_row)
    lanes->per_block = lanes->n / 2;
  else
    tsr_lanes_leave_pairs(lanes);
}

void tsr_lanes_init(struct tsr_lanes *lanes, struct tsr_emit *e, int stmt, unsigned n, const long *step, const long *along,
                    const char *iterator, bool aligned)
{
  struct tsr_model *m = e->m;
  struct tsr_stmt_info *s = &m->stmts[stmt];
  *lanes = (struct tsr_lanes){.e = e, .stmt = stmt, .n = n, .step = step, .along = along};
  lanes->iterator = iterator;
  lanes->guarded = s->guard != NULL;
  lanes->aligned = aligned;
  lanes->move = calloc(m->n_access + 1, sizeof(*lanes->move));
  lanes->block = calloc(m->n_access + 1, sizeof(*lanes->block));
  lanes->apart = calloc(m->n_access + 1, sizeof(*lanes->apart));
  lanes->next = calloc(m->n_access + 1, sizeof(*lanes->next));
  lanes->other_part = calloc(m->n_access + 1, sizeof(*lanes->other_part));
  lanes->value = tsr_vector_target(m, stmt, &lanes->store);
  int target = s->n_write ? m->arrays[s->write[0].array].home - 1 : access_of(lanes, lanes->store);
  isl_map *written = tsr_model_element(m, stmt, &m->access[target]);
  long elements = 0;
  const struct tsr_array *array = &m->scop->arrays[m->access[target].array];
  lanes->pitch = tsr_array_move(array, written, step, &elements) && elements > 1 ? (unsigned)elements : 1;
  lanes->written = tsr_emit_place_written(e);
  if (lanes->written >= 0)
    lanes->pitch = tsr_emit_place_steps(e, lanes->written, iterator, &elements) && elements > 1 ? (unsigned)elements : 1;
  lanes->bent = lanes->written < 0 && has_bent_address(m, lanes->store);
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].stmt == stmt) {
      lanes->move[i] = find_move(lanes, &m->access[i], m->access[target].array, written);
      lanes->bent |= has_bent_address(m, m->access[i].inst);
    }
  for (int i = 0; i < s->n_read; i++) {
    int home = m->arrays[s->read[i]].home - 1;
    lanes->move[home] = find_move(lanes, &m->access[home], m->access[target].array, written);
    lanes->bent |= has_bent_address(m, m->access[home].inst);
  }
  isl_map_free(written);
  find_pairs(lanes);
}

void tsr_lanes_clear(struct tsr_lanes *lanes)
{
  tsr_lanes_close_block(lanes);
  free(lanes->move);
  free(lanes->block);
  free(lanes->apart);
  free(lanes->next);
  free(lanes->other_part);
}

/* The counters of lane LANE, an i64. */
static LLVMValueRef *shifted(struct tsr_lanes *lanes, LLVMValueRef *counters, LLVMValueRef lane)
{
  LLVMBuilderRef b = lanes->e->b;
  int n = lanes->e->m->stmts[lanes->stmt].n_loop;
  LLVMValueRef *moved = malloc((n + 1) * sizeof(*moved));
  lane = lanes->first ? LLVMBuildSub(b, lane, lanes->first, "") : lane;
  for (int i = 0; i < n; i++) {
    LLVMValueRef step = LLVMConstInt(lanes->e->i64, (uint64_t)lanes->step[i], true);
    moved[i] = lanes->step[i] ? LLVMBuildAdd(b, counters[i], LLVMBuildMul(b, step, lane, ""), "") : counters[i];
  }
  return moved;
}

/* One run of the statement. */
struct run {
  struct tsr_lanes *lanes;
  struct tsr_copy first; /* of the first lane */
  LLVMValueRef *counters, mask, held;
};

/* A run of the instances from COUNTERS on, but for those that MASK (NULL: nothing) hides. */
static struct run run_init(struct tsr_lanes *lanes, LLVMValueRef *counters, LLVMValueRef mask)
{
  struct tsr_stmt_info *s = &lanes->e->m->stmts[lanes->stmt];
  struct tsr_copy first = {.e = lanes->e, .s = s, .counters = counters, .no_flags = mask != NULL};
  return (struct run){.lanes = lanes, .first = first, .counters = counters, .mask = mask};
}

/* Free what RUN owns. */
static void run_clear(struct run *run)
{
  free(run->first.map);
  free(run->first.local);
}

/* What is read in the original: TYPE at POINTER, aligned to ALIGN, as by FROM. */
struct source {
  LLVMTypeRef type;
  LLVMValueRef pointer, from;
  unsigned align;
};

/* Where the original reads VALUE, by ACCESS of the model. */
static struct source source_of(struct tsr_lanes *lanes, LLVMValueRef value, int access)
{
  LLVMValueRef store = lanes->e->m->access[access].inst;
  if (store == value) /* a load; else the home of a scalar, which may have been loaded from elsewhere */
    return (struct source){LLVMTypeOf(value), LLVMGetOperand(value, 0), value, LLVMGetAlignment(value)};
  return (struct source){LLVMTypeOf(value), LLVMGetOperand(store, 1), store, LLVMGetAlignment(store)};
}

/* SOURCE, of another place in each lane. */
static LLVMValueRef gather(struct run *run, const struct source *source)
{
  struct tsr_lanes *lanes = run->lanes;
  struct tsr_emit *e = lanes->e;
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm), item = run->mask ? LLVMTypeOf(source->pointer) : source->type;
  LLVMValueRef all = LLVMGetPoison(LLVMVectorType(item, lanes->n));
  for (unsigned lane = 0; lane < lanes->n; lane++) {
    LLVMValueRef *counters = shifted(lanes, run->counters, LLVMConstInt(e->i64, lane, false));
    struct run one = run_init(lanes, counters, run->mask);
    LLVMValueRef got = tsr_copy_pointer(&one.first, source->from);
    if (!run->mask) {
      got = LLVMBuildLoad2(e->b, source->type, got, "");
      LLVMSetAlignment(got, source->align);
      tsr_copy_annotate(e, source->from, got);
    }
    all = LLVMBuildInsertElement(e->b, all, got, LLVMConstInt(i32, lane, false), "");
    run_clear(&one);
    free(counters);
  }
  if (!run->mask)
    return all;
  all = tsr_vector_load(e->b, source->type, all, source->align, lanes->n, run->mask);
  tsr_copy_annotate(e, source->from, all);
  return all;
}

/* The N bits of MASK the other way round. */
static LLVMValueRef turned(struct tsr_emit *e, LLVMValueRef mask, unsigned n)
{
  LLVMValueRef from[64];
  for (unsigned i = 0; i < n; i++)
    from[i] = LLVMConstInt(LLVMInt32TypeInContext(e->llvm), n - 1 - i, false);
  return LLVMBuildShuffleVector(e->b, mask, LLVMGetPoison(LLVMTypeOf(mask)), LLVMConstVector(from, n), "");
}

/* For each lane, what the instance at COUNTERS, and those behind it along its row, read by ACCESS, or where that goes down
 * in memory, those behind it and that: N elements, but for those that MASK (NULL: nothing) hides, PITCH apart, malloc'd.
 * LANE: see tsr_lanes_open_block. */
static LLVMValueRef *load_rows(struct tsr_lanes *lanes, const struct source *source, int access, LLVMValueRef *counters,
                               LLVMValueRef *lane, unsigned pitch, LLVMValueRef mask)
{
  struct tsr_emit *e = lanes->e;
  int next = lanes->next[access], back = next < 0 ? (int)(lanes->per_block - 1) * next : 0;
  LLVMValueRef *row = malloc(lanes->n * sizeof(*row)), down = LLVMConstInt(e->i64, (uint64_t)back, true);
  for (unsigned i = 0; i < lanes->n; i++) {
    LLVMValueRef *moved = shifted(lanes, counters, lane ? lane[i] : LLVMConstInt(e->i64, i, false));
    struct run one = run_init(lanes, moved, NULL);
    one.first.no_flags = lane != NULL;
    LLVMValueRef pointer = tsr_copy_pointer(&one.first, source->from);
    pointer = back ? LLVMBuildGEP2(e->b, source->type, pointer, &down, 1, "") : pointer;
    row[i] = tsr_vector_load_apart(e->b, source->type, pointer, source->align, lanes->n, pitch, mask);
    tsr_copy_annotate(e, source->from, row[i]);
    run_clear(&one);
    free(moved);
  }
  return row;
}

/* The N vectors ROW the other way round. */
static void turn(LLVMValueRef *row, unsigned n)
{
  for (unsigned i = 0; i < n / 2; i++) {
    LLVMValueRef other = row[i];
    row[i] = row[n - 1 - i];
    row[n - 1 - i] = other;
  }
}

/* What VALUE, which access ACCESS reads, is in each iteration of the block from COUNTERS on, see tsr_lanes_open_block. Where
 * it goes down in memory, the last iteration's element is the first one of a vector. Parts of numbers have the others
 * between them. */
static void open_access(struct tsr_lanes *lanes, LLVMValueRef value, int access, LLVMValueRef *counters, LLVMValueRef *lane,
                        LLVMValueRef columns)
{
  struct source source = source_of(lanes, value, access);
  bool back = lanes->next[access] < 0;
  columns = back && columns ? turned(lanes->e, columns, lanes->n) : columns;
  LLVMValueRef *row = load_rows(lanes, &source, access, counters, lane, (unsigned)abs(lanes->next[access]), columns);
  tsr_transpose(lanes->e, row, lanes->n, 1);
  if (back)
    turn(row, lanes->n);
  lanes->block[access] = row;
}

/* Bit i / 2 of MASK, of N / 2 bits, for each of N lanes. */
static LLVMValueRef doubled(struct tsr_emit *e, LLVMValueRef mask, unsigned n)
{
  LLVMValueRef from[64];
  for (unsigned i = 0; i < n; i++)
    from[i] = LLVMConstInt(LLVMInt32TypeInContext(e->llvm), i / 2, false);
  return LLVMBuildShuffleVector(e->b, mask, LLVMGetPoison(LLVMTypeOf(mask)), LLVMConstVector(from, n), "");
}

/* The same of ACCESS, which reads the first parts of complex numbers, and of the other part. Half the rows, and the other
 * half, are transposed with both parts; tsr_lanes_run puts together what it needs of a column:
 *
 *   r0 i0 r1 i1      r0 i0 R0 I0       r0 R0 .. ..
 *   R0 I0 R1 I1  ->  r1 i1 R1 I1   ->  i0 I0 .. ..    with what the other half has of column 0 */
static void open_pair(struct tsr_lanes *lanes, int access, LLVMValueRef *counters, LLVMValueRef *lane, LLVMValueRef columns)
{
  struct tsr_emit *e = lanes->e;
  unsigned n = lanes->n, half = n / 2;
  bool back = lanes->next[access] < 0;
  struct source source = source_of(lanes, e->m->access[access].inst, access);
  columns = back && columns ? turned(e, columns, half) : columns;
  LLVMValueRef *row = load_rows(lanes, &source, access, counters, lane, 1, columns ? doubled(e, columns, n) : NULL);
  LLVMValueRef *again = malloc(n * sizeof(*again));
  for (unsigned i = 0; i < n; i += half) {
    tsr_transpose(e, row + i, half, 2);
    if (back)
      turn(row + i, half);
  }
  lanes->block[access] = row;
  lanes->block[lanes->other_part[access]] = memcpy(again, row, n * sizeof(*again));
}

/* What ACCESS reads in the iteration at hand of the open block. */
static LLVMValueRef of_block(struct tsr_lanes *lanes, int access)
{
  LLVMValueRef *row = lanes->block[access], from[64];
  if (lanes->per_block == lanes->n)
    return row[lanes->iteration];
  unsigned second = lanes->other_part[access] < 0;
  for (unsigned i = 0; i < lanes->n; i++)
    from[i] = LLVMConstInt(LLVMInt32TypeInContext(lanes->e->llvm), 2 * i + second, false);
  return LLVMBuildShuffleVector(lanes->e->b, row[lanes->iteration], row[lanes->per_block + (unsigned)lanes->iteration],
                                LLVMConstVector(from, lanes->n), "");
}

bool tsr_lanes_have_rows(struct tsr_lanes *lanes)
{
  bool have = false;
  for (int i = 0; i < lanes->e->m->n_access; i++)
    have |= lanes->move[i] == TSR_LANES_ROWS;
  return have && (lanes->n & (lanes->n - 1)) == 0 && lanes->n <= 64;
}

/* The load behind the one of ACCESS, where that is the first of two parts; NULL: it isn't. */
static LLVMValueRef load_behind(const struct tsr_lanes *lanes, int access)
{
  int other = lanes->other_part[access];
  return other < 0 ? NULL : lanes->e->m->access[other].inst;
}

/* The rows that OTHER has in the block at hand by the load of ACCESS of LANES, and with the same one for its other part, if
 * it has two, a copy; NULL: it has none. Second parts come with the first ones. */
static LLVMValueRef *rows_of(const struct tsr_lanes *other, const struct tsr_lanes *lanes, int access)
{
  const struct tsr_model *m = lanes->e->m;
  for (int i = 0; i < m->n_access; i++)
    if (other->block[i] && m->access[i].inst == m->access[access].inst &&
        load_behind(other, i) == load_behind(lanes, access)) {
      LLVMValueRef *row = malloc(other->n * sizeof(*row));
      return memcpy(row, other->block[i], other->n * sizeof(*row));
    }
  return NULL;
}

/* A first part, or what has no other one, of LANES has what OTHER has by the same loads. */
static void share_rows(struct tsr_lanes *lanes, const struct tsr_lanes *other)
{
  const struct tsr_model *m = lanes->e->m;
  bool pairs = lanes->per_block != lanes->n;
  for (int i = 0; i < m->n_access; i++) {
    int second = lanes->other_part[i];
    if (m->access[i].stmt != lanes->stmt || lanes->move[i] != TSR_LANES_ROWS || lanes->block[i] ||
        !LLVMIsALoadInst(m->access[i].inst) || (pairs && second < 0))
      continue;
    lanes->block[i] = rows_of(other, lanes, i);
    if (lanes->block[i] && pairs)
      lanes->block[second] = rows_of(other, lanes, i);
  }
}

void tsr_lanes_open_block(struct tsr_lanes *lanes, LLVMValueRef *counters, LLVMValueRef *lane, LLVMValueRef columns,
                          const struct tsr_lanes *other)
{
  struct tsr_model *m = lanes->e->m;
  struct tsr_stmt_info *s = &m->stmts[lanes->stmt];
  lanes->iteration = 0;
  for (int i = 0; i < s->n_read; i++) {
    int home = m->arrays[s->read[i]].home - 1;
    if (lanes->move[home] == TSR_LANES_ROWS)
      open_access(lanes, m->arrays[s->read[i]].origin, home, counters, lane, columns);
  }
  if (other)
    share_rows(lanes, other);
  for (int i = 0; i < m->n_access; i++)
    if (lanes->other_part[i] >= 0 && !lanes->block[i])
      open_pair(lanes, i, counters, lane, columns);
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].stmt == lanes->stmt && lanes->move[i] == TSR_LANES_ROWS && !lanes->block[i] &&
        LLVMIsALoadInst(m->access[i].inst))
      open_access(lanes, m->access[i].inst, i, counters, lane, columns);
}

void tsr_lanes_close_block(struct tsr_lanes *lanes)
{
  for (int i = 0; i < lanes->e->m->n_access; i++) {
    free(lanes->block[i]);
    lanes->block[i] = NULL;
  }
}

/* Where PLACE of the instance at hand, in a buffer, is in lane LANE. */
static LLVMValueRef placed_address(struct tsr_lanes *lanes, int place, unsigned lane, unsigned *alignment)
{
  struct tsr_emit *e = lanes->e;
  int n_var = e->n_var;
  if (lane > 0) {
    LLVMValueRef at = LLVMBuildAdd(e->b, tsr_emit_variable(e, lanes->iterator), LLVMConstInt(e->i64, lane, false), "");
    tsr_emit_bind(e, lanes->iterator, at);
  }
  LLVMValueRef address = tsr_emit_place_at(e, place, alignment);
  tsr_emit_unbind(e, n_var);
  return address;
}

/* The TYPE at PLACE of the instance at hand: one number for all lanes, neighbours, or lane by lane. */
static LLVMValueRef load_placed(struct run *run, int place, LLVMTypeRef type)
{
  struct tsr_lanes *lanes = run->lanes;
  struct tsr_emit *e = lanes->e;
  long elements = 0;
  unsigned alignment;
  bool steady = tsr_emit_place_steps(e, place, lanes->iterator, &elements) && (elements == 0 || elements == 1);
  LLVMValueRef made = NULL, pointer = placed_address(lanes, place, 0, &alignment);
  if (steady && elements == 0) {
    made = LLVMBuildLoad2(e->b, type, pointer, "tsr.element");
    LLVMSetAlignment(made, alignment);
  } else if (steady) {
    unsigned bytes = alignment * lanes->n;
    if (lanes->aligned && tsr_emit_place_begins_rows(e, place, lanes->iterator, lanes->n))
      alignment = bytes < TSR_BUFFER_LINE ? bytes : TSR_BUFFER_LINE;
    made = tsr_vector_load(e->b, type, pointer, alignment, lanes->n, run->mask);
  } else {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
    LLVMValueRef all = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(pointer), lanes->n));
    for (unsigned lane = 0; lane < lanes->n; lane++) {
      pointer = placed_address(lanes, place, lane, &alignment);
      all = LLVMBuildInsertElement(e->b, all, pointer, LLVMConstInt(i32, lane, false), "");
    }
    LLVMValueRef every = LLVMConstAllOnes(LLVMVectorType(LLVMInt1TypeInContext(e->llvm), lanes->n));
    made = tsr_vector_load(e->b, type, all, alignment, lanes->n, run->mask ? run->mask : every);
  }
  return tsr_emit_annotate_buffer(e, made);
}

/* VALUE, which the statement loads or reads from the home of a scalar by access ACCESS. */
static LLVMValueRef load_data(struct run *run, LLVMValueRef value, int access)
{
  struct tsr_lanes *lanes = run->lanes;
  struct tsr_emit *e = lanes->e;
  struct source source = source_of(lanes, value, access);
  enum tsr_lane_move move = lanes->move[access];
  if (move == TSR_LANES_HELD)
    return run->held;
  if (lanes->block[access])
    return of_block(lanes, access);
  if (move == TSR_LANES_OTHER || move == TSR_LANES_ROWS)
    return gather(run, &source);
  if (move >= TSR_LANES_PLACED)
    return load_placed(run, (int)(move - TSR_LANES_PLACED), source.type);
  LLVMValueRef made, pointer = tsr_copy_pointer(&run->first, source.from);
  if (move == TSR_LANES_NEXT || move == TSR_LANES_APART) {
    unsigned pitch = move == TSR_LANES_APART ? lanes->apart[access] : 1;
    pointer = in_lane_0(lanes, pointer, source.type, pitch);
    made = tsr_vector_load_apart(e->b, source.type, pointer, source.align, lanes->n, pitch, run->mask);
  } else {
    made = LLVMBuildLoad2(e->b, source.type, pointer, "");
    LLVMSetAlignment(made, source.align);
  }
  tsr_copy_annotate(e, source.from, made);
  return made;
}

/* VALUE, data of the statement: a vector, or one number for all lanes. */
static LLVMValueRef data(struct run *run, LLVMValueRef value)
{
  struct tsr_copy *c = &run->first;
  LLVMValueRef operand[4], made;
  bool wide = false;
  value = tsr_stmt_value(c->s, value);
  for (int i = 0; i < c->n; i++)
    if (c->map[i].from == value)
      return c->map[i].to;
  int access = access_of(run->lanes, value), place = tsr_emit_place_with_value(c->e, value);
  if (place >= 0) {
    made = load_placed(run, place, LLVMTypeOf(value));
    tsr_copy_bind(&c->map, &c->n, value, made);
    return made;
  }
  if (access < 0 && (!LLVMIsAInstruction(value) || !tsr_model_in_region(c->e->m, value)))
    return value;
  if (access >= 0) {
    made = load_data(run, value, access);
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

/* Where lane 0 of RUN writes, and how that is aligned. */
static LLVMValueRef written_at(struct run *run, unsigned *alignment)
{
  struct tsr_lanes *lanes = run->lanes;
  if (lanes->written >= 0)
    return placed_address(lanes, lanes->written, 0, alignment);
  *alignment = LLVMGetAlignment(lanes->store);
  return in_lane_0(lanes, tsr_copy_pointer(&run->first, lanes->store), LLVMTypeOf(lanes->value), lanes->pitch);
}

/* Say of MADE, a load or store there, what is known of that: a load may have no read of its own. */
static void annotate_written(struct tsr_lanes *lanes, LLVMValueRef made)
{
  if (lanes->written >= 0)
    tsr_emit_annotate_buffer(lanes->e, made);
  else
    tsr_copy_annotate(lanes->e, lanes->store, made);
}

/* The guard of RUN's statement as a byte in memory, the home of a scalar that access ACCESS reads. */
static LLVMValueRef load_guard(struct run *run, int access)
{
  struct tsr_lanes *lanes = run->lanes;
  struct tsr_emit *e = lanes->e;
  struct source source = source_of(lanes, run->first.s->guard, access);
  enum tsr_lane_move move = lanes->move[access];
  LLVMValueRef pointer = move >= TSR_LANES_PLACED ? placed_address(lanes, (int)(move - TSR_LANES_PLACED), 0, &source.align)
                                                  : tsr_copy_pointer(&run->first, source.from);
  LLVMValueRef made = LLVMBuildLoad2(e->b, LLVMInt8TypeInContext(e->llvm), pointer, "tsr.guard");
  LLVMSetAlignment(made, source.align);
  if (move >= TSR_LANES_PLACED)
    tsr_emit_annotate_buffer(e, made);
  else
    tsr_copy_annotate(e, source.from, made);
  return made;
}

LLVMValueRef tsr_lanes_guard(struct tsr_lanes *lanes, LLVMValueRef *counters)
{
  struct tsr_emit *e = lanes->e;
  struct run run = run_init(lanes, counters, NULL);
  const struct tsr_stmt_info *s = run.first.s;
  int access = access_of(lanes, s->guard);
  LLVMTypeRef byte = LLVMInt8TypeInContext(e->llvm);
  LLVMValueRef made = access >= 0 ? load_guard(&run, access) : LLVMBuildZExt(e->b, data(&run, s->guard), byte, "tsr.guard");
  run_clear(&run);
  return s->guard_when ? made : LLVMBuildNot(e->b, made, "");
}

LLVMValueRef tsr_lanes_load(struct tsr_lanes *lanes, LLVMValueRef *counters, LLVMValueRef mask)
{
  unsigned alignment;
  struct run run = run_init(lanes, counters, mask);
  LLVMTypeRef type = LLVMTypeOf(lanes->value);
  LLVMValueRef pointer = written_at(&run, &alignment);
  LLVMValueRef made = tsr_vector_load_apart(lanes->e->b, type, pointer, alignment, lanes->n, lanes->pitch, mask);
  annotate_written(lanes, made);
  run_clear(&run);
  return made;
}

void tsr_lanes_prefetch(struct tsr_lanes *lanes, LLVMValueRef *counters)
{
  struct run run = run_init(lanes, counters, NULL);
  unsigned alignment;
  bool placed = lanes->written >= 0;
  run.first.no_flags = true;
  LLVMValueRef pointer =
      placed ? placed_address(lanes, lanes->written, 0, &alignment) : tsr_copy_pointer(&run.first, lanes->store);
  tsr_vector_prefetch(lanes->e->b, pointer, true);
  run_clear(&run);
}

LLVMValueRef tsr_lanes_address(struct tsr_lanes *lanes, LLVMValueRef *counters)
{
  unsigned alignment;
  struct run run = run_init(lanes, counters, NULL);
  LLVMValueRef pointer = written_at(&run, &alignment);
  run_clear(&run);
  return pointer;
}

void tsr_lanes_store(struct tsr_lanes *lanes, LLVMValueRef *counters, LLVMValueRef mask, LLVMValueRef value)
{
  unsigned alignment;
  struct run run = run_init(lanes, counters, mask);
  LLVMValueRef pointer = written_at(&run, &alignment);
  LLVMValueRef made = tsr_vector_store_apart(lanes->e->b, value, pointer, alignment, lanes->pitch, mask);
  annotate_written(lanes, made);
  if (lanes->streamed) {
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMMetadataRef one = LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(lanes->e->llvm), 1, false));
    LLVMSetAlignment(made, (unsigned)LLVMABISizeOfType(LLVMGetModuleDataLayout(lanes->e->m->module), type));
    tsr_set_metadata(made, "nontemporal", LLVMMDNodeInContext2(lanes->e->llvm, &one, 1));
  }
  run_clear(&run);
}

LLVMValueRef tsr_lanes_run(struct tsr_lanes *lanes, LLVMValueRef *counters, LLVMValueRef mask, LLVMValueRef held)
{
  struct run run = run_init(lanes, counters, mask);
  run.held = held;
  LLVMValueRef value = tsr_vector_splat(lanes->e->b, data(&run, lanes->value), lanes->n);
  run_clear(&run);
  return value;
}
