/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Can a statement run for several instances at once, in the lanes of vectors? Accept-list: one block that stores one
 * element, computed lane by lane from loaded elements and from what the SCoP doesn't change. Addresses are not looked at:
 * the lanes' are known from the access relations. A condition on data around the statement's loop is one for all lanes.
 * Loops with hints of the user's are left to LLVM. */
#include "read/statement_traits.h"

#define MAX_VALUES 256 /* of one statement */

/* Cycles of what lanes compute one after the other, roughly. */
enum { INTEGER_DIVISION = 8, CALL = 30 };

/* Has a loop around S hints of the user's? */
static bool has_hints(const struct tsr_stmt_info *s)
{
  LLVMMetadataRef hints[1];
  unsigned n = 0;
  for (int i = 0; i < s->n_loop && n == 0; i++)
    tsr_md_loop_hints(s->loops[i], hints, &n, 1);
  return n > 0;
}

/* Bytes of a number of TYPE, 0 for a condition; -1: not for vectors. */
static int bytes_of(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMFloatTypeKind:
    return 4;
  case LLVMDoubleTypeKind:
    return 8;
  case LLVMIntegerTypeKind: {
    unsigned width = LLVMGetIntTypeWidth(type);
    return width == 1 ? 0 : width == 8 || width == 16 || width == 32 || width == 64 ? (int)width / 8 : -1;
  }
  default:
    return -1;
  }
}

/* The same of the widest of several numbers, that a call returns. */
static int bytes_of_all(LLVMTypeRef type)
{
  int bytes = -1;
  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
    return bytes_of(LLVMGetElementType(type));
  if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
    return bytes_of(type);
  for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
    int own = bytes_of(LLVMStructGetTypeAtIndex(type, i));
    if (own <= 0)
      return -1;
    bytes = own > bytes ? own : bytes;
  }
  return bytes;
}

/* Is ACCESS one to a whole element of an ordinary array, by its statement's guard alone? */
static bool is_plain(struct tsr_model *m, const struct tsr_raw_access *access)
{
  struct tsr_array_info *array = &m->arrays[access->array];
  bool done = access->kind != TSR_MAY_WRITE || (access->stmt >= 0 && m->stmts[access->stmt].guard);
  return done && access->offset && access->width == 1 && !access->row_load && !array->rows &&
         access->size == array->elem_size;
}

/* Is INST, of STMT, an access to a whole element of an ordinary array? */
static bool is_plain_access(struct tsr_model *m, int stmt, LLVMValueRef inst)
{
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].inst == inst && m->access[i].stmt == stmt)
      return is_plain(m, &m->access[i]);
  return false;
}

/* Does SCALAR array ARRAY live in an element of an ordinary array? */
static bool has_plain_home(struct tsr_model *m, int array)
{
  int home = m->arrays[array].home;
  return home && is_plain(m, &m->access[home - 1]);
}

/* Is VALUE one that STMT reads from the home of a scalar, or from any scalar where LANES? */
static bool is_from_scalar(struct tsr_model *m, int stmt, LLVMValueRef value, bool lanes)
{
  struct tsr_stmt_info *s = &m->stmts[stmt];
  for (int i = 0; i < s->n_read; i++)
    if (m->arrays[s->read[i]].origin == value)
      return m->arrays[s->read[i]].home ? has_plain_home(m, s->read[i]) : lanes;
  return false;
}

/* The data of one statement, each value looked at once. */
struct data {
  struct tsr_model *m;
  int stmt;
  bool lanes; /* may scalars be anywhere? */
  int bytes;  /* of the widest number so far */
  LLVMValueRef seen[MAX_VALUES];
  int n;
};

/* Can VALUE be computed for vectors? */
static bool is_possible(struct data *d, LLVMValueRef value)
{
  value = tsr_stmt_value(&d->m->stmts[d->stmt], value);
  int own = d->lanes ? bytes_of_all(LLVMTypeOf(value)) : bytes_of(LLVMTypeOf(value));
  d->bytes = own > d->bytes ? own : d->bytes;
  if (own < 0)
    return false;
  if (!LLVMIsAInstruction(value) || !tsr_model_in_region(d->m, value) || is_from_scalar(d->m, d->stmt, value, d->lanes))
    return true;
  for (int i = 0; i < d->n; i++)
    if (d->seen[i] == value)
      return true;
  if (d->n == MAX_VALUES)
    return false;
  d->seen[d->n++] = value;
  if (d->lanes && LLVMIsAPHINode(value) && LLVMCountIncoming(value) == 1) /* of a loop's value behind it */
    return is_possible(d, LLVMGetIncomingValue(value, 0));
  if (LLVMIsALoadInst(value))
    return is_plain_access(d->m, d->stmt, value);
  bool several = bytes_of(LLVMTypeOf(value)) < 0; /* which calls alone have */
  if ((several || !tsr_vector_is_possible(value)) && !(d->lanes && tsr_vector_is_alone(value)))
    return false;
  int n = LLVMIsACallInst(value) ? (int)LLVMGetNumArgOperands(value) : LLVMGetNumOperands(value);
  for (int i = 0; i < n; i++)
    if (!is_possible(d, LLVMGetOperand(value, i)))
      return false;
  return true;
}

LLVMValueRef tsr_vector_target(struct tsr_model *m, int stmt, LLVMValueRef *store)
{
  struct tsr_stmt_info *s = &m->stmts[stmt];
  LLVMValueRef value = s->n_write ? s->write[0].value : NULL;
  *store = s->n_write ? m->access[m->arrays[s->write[0].array].home - 1].inst : NULL;
  for (int i = 0; i < s->n_inst && !s->n_write; i++)
    if (LLVMIsAStoreInst(s->inst[i])) {
      *store = s->inst[i];
      value = LLVMGetOperand(*store, 0);
    }
  return value;
}

/* Does STMT write one element, once? */
static bool has_one_target(struct tsr_model *m, int stmt)
{
  struct tsr_stmt_info *s = &m->stmts[stmt];
  int n_store = 0;
  for (int i = 0; i < s->n_inst; i++) {
    n_store += LLVMIsAStoreInst(s->inst[i]) != NULL;
    if (LLVMIsAStoreInst(s->inst[i]) && !is_plain_access(m, stmt, s->inst[i]))
      return false;
  }
  for (int i = 0; i < s->n_write; i++)
    if (!has_plain_home(m, s->write[i].array) || s->write[i].value != s->write[0].value ||
        tsr_array_place(m, s->write[i].array) != tsr_array_place(m, s->write[0].array))
      return false;
  return n_store + (s->n_write > 0) == 1;
}

/* Does STMT read ARRAY, which it writes numbers of TYPE to, as numbers of TYPE only? They are the same in a register then.
 */
static bool has_one_type(struct tsr_model *m, int stmt, int array, LLVMTypeRef type)
{
  struct tsr_stmt_info *s = &m->stmts[stmt];
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].stmt == stmt && m->access[i].array == array && LLVMIsALoadInst(m->access[i].inst) &&
        LLVMTypeOf(m->access[i].inst) != type)
      return false;
  for (int i = 0; i < s->n_read; i++) {
    struct tsr_array_info *scalar = &m->arrays[s->read[i]];
    if (m->access[scalar->home - 1].array == array && LLVMTypeOf(scalar->origin) != type)
      return false;
  }
  return true;
}

int tsr_model_vector_bytes(struct tsr_model *m, int stmt)
{
  struct tsr_stmt_info *s = &m->stmts[stmt];
  LLVMValueRef store;
  struct data data = {.m = m, .stmt = stmt};
  if (s->inner.n || has_hints(s) || !has_one_target(m, stmt))
    return 0;
  for (int i = 0; i < s->n_read; i++)
    if (!has_plain_home(m, s->read[i]))
      return 0;
  for (int i = 0; i < s->n_inst; i++)
    if (LLVMIsACallInst(s->inst[i]) && !tsr_vector_is_possible(s->inst[i]))
      return 0;
  LLVMValueRef value = tsr_vector_target(m, stmt, &store);
  int array = -1;
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].inst == store)
      array = m->access[i].array;
  bool possible = has_one_type(m, stmt, array, LLVMTypeOf(value)) && is_possible(&data, value) &&
                  (!s->guard || is_possible(&data, s->guard));
  return possible ? data.bytes : 0;
}

/* Can all that STMT reads from scalars be in lanes, if each has one of its own? */
static bool has_lane_reads(struct data *d)
{
  struct tsr_stmt_info *s = &d->m->stmts[d->stmt];
  bool good = true;
  for (int i = 0; i < s->n_read && good; i++) {
    struct tsr_array_info *a = &d->m->arrays[s->read[i]];
    int bytes = bytes_of(LLVMTypeOf(a->origin));
    good = bytes > 0 && (!a->home || has_plain_home(d->m, s->read[i]));
    d->bytes = bytes > d->bytes ? bytes : d->bytes;
  }
  return good;
}

/* .. and all that it writes to them? */
static bool has_lane_writes(struct data *d)
{
  struct tsr_stmt_info *s = &d->m->stmts[d->stmt];
  bool good = true;
  for (int i = 0; i < s->n_write && good; i++) {
    struct tsr_array_info *a = &d->m->arrays[s->write[i].array];
    good = bytes_of(LLVMTypeOf(s->write[i].value)) > 0 && LLVMTypeOf(s->write[i].value) == LLVMTypeOf(a->origin) &&
           (!a->home || has_plain_home(d->m, s->write[i].array)) && is_possible(d, s->write[i].value);
  }
  return good;
}

/* Cycles of INST, if each lane computes it for itself. Who divides by a constant multiplies. */
static int cycles_alone(LLVMValueRef inst)
{
  if (tsr_vector_is_possible(inst) || (LLVMIsABinaryOperator(inst) && LLVMIsAConstantInt(LLVMGetOperand(inst, 1))))
    return 0;
  return LLVMIsACallInst(inst) ? CALL : LLVMIsABinaryOperator(inst) ? INTEGER_DIVISION : 0;
}

int tsr_model_lane_bytes(struct tsr_model *m, int stmt, int *alone)
{
  struct tsr_stmt_info *s = &m->stmts[stmt];
  struct data d = {.m = m, .stmt = stmt, .lanes = true};
  int cycles = 0;
  bool good = !s->inner.n && !s->guard && !has_hints(s) && has_lane_reads(&d) && has_lane_writes(&d);
  for (int i = 0; i < s->n_inst && good; i++) {
    LLVMValueRef inst = s->inst[i];
    if (LLVMIsAStoreInst(inst))
      good = is_plain_access(m, stmt, inst) && bytes_of(LLVMTypeOf(LLVMGetOperand(inst, 0))) > 0 &&
             is_possible(&d, LLVMGetOperand(inst, 0));
    else if (LLVMIsALoadInst(inst))
      good = is_plain_access(m, stmt, inst) && bytes_of(LLVMTypeOf(inst)) > 0;
    else if (LLVMIsACallInst(inst))
      good = tsr_vector_is_possible(inst) || tsr_vector_is_alone(inst);
    cycles += cycles_alone(inst);
  }
  *alone = good ? cycles : 0;
  return good ? d.bytes : 0;
}
