/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is kept in buffers from which statements read, and how places there go on. Where all that a buffer is for is one
 * access of a statement, it holds what the statement makes of its element. */
#include "emit/buffer/array_buffers.h"
#include "emit/buffer/kept_values.h"
#include <isl/id.h>
#include <isl/ilp.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* The access of the model that access number ACCESS of statement STMT is: of a statement's accesses, the scalars that it
 * reads come first, then those of memory (read/scop_model.c). -1: none. */
int tsr_kept_access(const struct tsr_model *m, int stmt, int access)
{
  struct tsr_stmt_info *s = &m->stmts[stmt];
  int left = access - s->n_read;
  if (left < 0)
    return m->arrays[s->read[access]].home - 1;
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].stmt == stmt && left-- == 0)
      return i;
  return -1;
}

/* Are accesses OWN and OTHER of the model, of statement STMT, to one element? */
static bool is_same(struct tsr_model *m, int stmt, int own, int other)
{
  struct tsr_raw_access *raw = m->access;
  if (raw[own].array != raw[other].array || raw[own].size != raw[other].size)
    return false;
  isl_map *a = tsr_model_element(m, stmt, &raw[own]), *b = tsr_model_element(m, stmt, &raw[other]);
  bool same = isl_map_plain_is_equal(a, b) == isl_bool_true;
  isl_map_free(a);
  isl_map_free(b);
  return same;
}

/* The buffer of PLACE; NULL: it is none in memory. */
struct tsr_array_buffer *tsr_buffer_of(struct tsr_emit *e, const struct tsr_access_place *place)
{
  int number = e->program && place->buffer ? place->array - e->program->original->n_array : -1;
  return number >= 0 && number < e->n_array_buffer ? &e->array_buffer[number] : NULL;
}

int tsr_emit_place_read(struct tsr_emit *e, int access)
{
  const struct tsr_instance *instance = e->instance;
  for (int i = 0; instance && instance->kind == TSR_STMT_COMPUTE && i < instance->n; i++) {
    const struct tsr_access_place *place = &instance->place[i];
    if (!tsr_buffer_of(e, place) || e->m->scop->stmts[instance->stmt].access[place->access].kind != TSR_READ)
      continue;
    int own = tsr_kept_access(e->m, instance->stmt, place->access);
    if (own >= 0 && is_same(e->m, instance->stmt, own, access))
      return i;
  }
  return -1;
}

int tsr_emit_place_written(struct tsr_emit *e)
{
  const struct tsr_instance *instance = e->instance;
  for (int i = 0; instance && instance->kind == TSR_STMT_COMPUTE && i < instance->n; i++) {
    const struct tsr_access_place *place = &instance->place[i];
    if (tsr_buffer_of(e, place) && e->m->scop->stmts[instance->stmt].access[place->access].kind != TSR_READ)
      return i;
  }
  return -1;
}

int tsr_emit_place_with_value(struct tsr_emit *e, LLVMValueRef value)
{
  for (int i = 0; e->instance && e->instance->kind == TSR_STMT_COMPUTE && i < e->instance->n; i++) {
    const struct tsr_array_buffer *buffer = tsr_buffer_of(e, &e->instance->place[i]);
    if (buffer && buffer->kept == value && buffer->stmt == e->instance->stmt)
      return i;
  }
  return -1;
}

/* What statement STMT reads by ACCESS of the model. */
LLVMValueRef tsr_kept_read(const struct tsr_model *m, int stmt, int access)
{
  struct tsr_stmt_info *s = &m->stmts[stmt];
  for (int i = 0; i < s->n_read; i++)
    if (m->arrays[s->read[i]].home - 1 == access)
      return m->arrays[s->read[i]].origin;
  return m->access[access].inst;
}

/* Is TYPE one of numbers that vectors and buffers may hold? */
static bool is_number_type(LLVMTypeRef type)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  unsigned bits = kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
  return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind ||
         bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

/* Does S copy INST? */
static bool is_member(const struct tsr_stmt_info *s, LLVMValueRef inst)
{
  for (int i = 0; i < s->n_inst; i++)
    if (s->inst[i] == inst)
      return true;
  return false;
}

/* Is VALUE a load of statement STMT that all instances do from one element, which nothing writes? */
bool tsr_is_fixed_load(struct tsr_model *m, int stmt, LLVMValueRef value)
{
  bool fixed = false;
  for (int i = 0; i < m->n_access && LLVMIsALoadInst(value) && !fixed; i++) {
    const struct tsr_raw_access *access = &m->access[i];
    if (access->inst != value || access->stmt != stmt || m->arrays[access->array].written)
      continue;
    isl_map *element = tsr_model_element(m, stmt, access);
    unsigned n = (unsigned)isl_map_dim(element, isl_dim_in);
    fixed = isl_map_involves_dims(element, isl_dim_in, 0, n) == isl_bool_false &&
            isl_map_is_single_valued(element) == isl_bool_true;
    isl_map_free(element);
  }
  return fixed;
}

/* Is PHI what VALUE goes by in S? */
static bool stands_for(const struct tsr_stmt_info *s, LLVMValueRef phi, LLVMValueRef value)
{
  bool same = false;
  for (int i = 0; i < s->n_same; i++)
    same |= s->same[i].phi == phi && s->same[i].value == value;
  return same;
}

/* The only use of VALUE in statement STMT, if it is an operation that needs nothing else but what is invariant. */
static LLVMValueRef next_value(struct tsr_model *m, int stmt, LLVMValueRef value)
{
  const struct tsr_stmt_info *s = &m->stmts[stmt];
  LLVMValueRef user = NULL;
  for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef one = LLVMGetUser(use);
    bool member = LLVMIsAInstruction(one) && is_member(s, one);
    if (stands_for(s, one, value) || (member && user)) /* who uses it by way of a phi isn't looked for */
      return NULL;
    user = member ? one : user;
  }
  if (!user || !tsr_vector_is_possible(user) || !is_number_type(LLVMTypeOf(user)) || s->guard ||
      tsr_blocks_have(&s->inner, LLVMGetInstructionParent(user)))
    return NULL;
  for (int i = 0; i < LLVMGetNumOperands(user); i++) {
    LLVMValueRef operand = LLVMGetOperand(user, i);
    if (operand != value && LLVMIsAInstruction(operand) && tsr_model_in_region(m, operand) &&
        !tsr_is_fixed_load(m, stmt, operand))
      return NULL;
  }
  return user;
}

/* What a buffer for ACCESS of statement STMT holds. */
static LLVMValueRef value_of(struct tsr_model *m, int stmt, int access)
{
  int own = tsr_kept_access(m, stmt, access), n = 0;
  LLVMValueRef value = tsr_kept_read(m, stmt, own);
  for (int i = 0; i < m->n_access; i++)
    n += m->access[i].stmt == stmt && is_same(m, stmt, own, i);
  if (n > 1) /* as several values */
    return value;
  for (LLVMValueRef next = next_value(m, stmt, value); next; next = next_value(m, stmt, value))
    value = next;
  return value;
}

/* Do moves alone write array number ARRAY of the program, all of which read as one access of the original does, and is it
 * read by that alone? Then that is *ACCESS of the statement that is returned; -1: no. */
static int find_reader(struct tsr_program *program, int array, int *access)
{
  const struct tsr_scop *scop = program->scop;
  int reader = -1, skip;
  for (int i = 0; i < scop->n_stmt; i++) {
    const struct tsr_stmt *stmt = &scop->stmts[i];
    if (stmt->kind != TSR_STMT_MOVE || stmt->access[1].array != array)
      continue;
    int own, like = tsr_move_like(program, stmt, &own, &skip);
    if (like < 0 || (reader >= 0 && (like != reader || own != *access)))
      return -1;
    reader = like;
    *access = own;
  }
  for (int i = 0; i < scop->n_stmt && reader >= 0; i++)
    for (int k = 0; k < scop->stmts[i].n_access; k++) {
      const struct tsr_stmt *stmt = &scop->stmts[i];
      bool moved = stmt->kind == TSR_STMT_MOVE && k == 1;
      if (stmt->access[k].array == array && !moved && tsr_stmt_original(program, stmt) != reader)
        return -1;
    }
  return reader;
}

/* Bytes of a number of VALUE's type. */
static int64_t bytes_of(LLVMValueRef value)
{
  LLVMTypeRef type = LLVMTypeOf(value);
  switch (LLVMGetTypeKind(type)) {
  case LLVMDoubleTypeKind:
    return 8;
  case LLVMFloatTypeKind:
    return 4;
  case LLVMIntegerTypeKind:
    return LLVMGetIntTypeWidth(type) / 8;
  default:
    return 2;
  }
}

/* What array number ARRAY of VARIANT's program holds, a packed operand, which is read by *ACCESS of statement *STMT of M
 * alone; NULL: elements of arrays, and *STMT -1, or what no vector may hold. */
static LLVMValueRef find_kept(struct tsr_model *m, const struct tsr_variant *variant, int array, int *stmt, int *access)
{
  *access = -1;
  *stmt = variant->packed ? find_reader(variant->packed, array, access) : -1;
  LLVMValueRef value = *stmt >= 0 && tsr_kept_access(m, *stmt, *access) >= 0 ? value_of(m, *stmt, *access) : NULL;
  return value && is_number_type(LLVMTypeOf(value)) ? value : NULL;
}

bool tsr_array_buffer_keeps(struct tsr_model *m, const struct tsr_variant *variant, int array)
{
  int stmt, access;
  return find_kept(m, variant, array, &stmt, &access) != NULL;
}

void tsr_emit_kept_find(struct tsr_emit *e, int number)
{
  struct tsr_array_buffer *buffer = &e->array_buffer[number];
  int array = e->program->original->n_array + number;
  buffer->kept = find_kept(e->m, e->variant, array, &buffer->stmt, &buffer->access);
  buffer->bytes = buffer->kept ? bytes_of(buffer->kept) : e->program->scop->arrays[array].elem_size;
}

int64_t tsr_emit_row_length(struct tsr_emit *e, const struct tsr_access_place *place)
{
  const struct tsr_array *array = &e->program->scop->arrays[place->array];
  isl_set *row = isl_set_project_out(isl_set_copy(array->extent), isl_dim_set, 0, (unsigned)array->n_dim - 1);
  bool constant = isl_set_involves_dims(row, isl_dim_param, 0, (unsigned)isl_set_dim(row, isl_dim_param)) == isl_bool_false;
  isl_val *last = isl_set_dim_max_val(row, 0);
  int64_t length = constant && isl_val_is_int(last) == isl_bool_true ? isl_val_get_num_si(last) + 1 : 0;
  isl_val_free(last);
  return length;
}

LLVMValueRef tsr_emit_annotate_buffer(struct tsr_emit *e, LLVMValueRef access)
{
  int buffers = e->m->n_array;
  tsr_set_metadata(access, "alias.scope", e->scope[buffers]);
  if (e->noalias[buffers])
    tsr_set_metadata(access, "noalias", e->noalias[buffers]);
  if (e->access_group)
    tsr_set_metadata(access, "llvm.access.group", e->access_group);
  return access;
}

/* ---- how places move ---- */

/* By how much PLACE moves in each dimension with each iteration of ITERATOR. False: that isn't constant. */
static bool find_steps(const struct tsr_access_place *place, const char *iterator, long step[TSR_MAX_DIM])
{
  isl_multi_aff *element = place->loose < 0 ? tsr_place_element(place) : NULL;
  bool known = element && tsr_instance_step(element, iterator, step);
  isl_multi_aff_free(element);
  return known;
}

bool tsr_place_step(const struct tsr_access_place *place, const char *iterator, long *elements)
{
  long step[TSR_MAX_DIM];
  bool known = place->n > 0 && find_steps(place, iterator, step);
  for (int d = 0; d < place->n - 1 && known; d++)
    known = step[d] == 0;
  *elements = known ? step[place->n - 1] : 0;
  return known;
}

bool tsr_place_is_iterator(const struct tsr_access_place *place, int dim, const char *iterator)
{
  long step[TSR_MAX_DIM];
  bool is = find_steps(place, iterator, step);
  for (int d = 0; d < place->n && is; d++)
    is = step[d] == (d == dim);
  return is;
}

bool tsr_emit_place_steps(struct tsr_emit *e, int place, const char *iterator, long *elements)
{
  return tsr_place_step(&e->instance->place[place], iterator, elements);
}

bool tsr_emit_place_begins_rows(struct tsr_emit *e, int place, const char *iterator, unsigned n)
{
  const struct tsr_access_place *at = &e->instance->place[place];
  isl_ast_expr *last = at->index[at->n - 1];
  isl_id *id = isl_ast_expr_get_type(last) == isl_ast_expr_id ? isl_ast_expr_get_id(last) : NULL;
  int64_t length = tsr_emit_row_length(e, at); /* 0: it isn't known */
  bool begins = id && !strcmp(isl_id_get_name(id), iterator) && length > 0 && length % n == 0;
  isl_id_free(id);
  return begins;
}
