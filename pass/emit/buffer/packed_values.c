/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is kept in the buffers of packed operands: the copies "buffer[index] = element", reads from buffer[index]. */
#include "emit/buffer/packed_values.h"
#include "emit/statement_code.h"
#include <stdlib.h>

/* The access of the model that PACK is about: of a statement's accesses, the scalars that it reads come first, then those of
 * memory (read/scop_model.c). -1: none. */
static int access_of(struct tsr_emit *e, const struct tsr_pack *pack)
{
  struct tsr_model *m = e->m;
  struct tsr_stmt_info *s = &m->stmts[pack->stmt];
  int left = pack->access - s->n_read;
  if (left < 0)
    return m->arrays[s->read[pack->access]].home - 1;
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].stmt == pack->stmt && left-- == 0)
      return i;
  return -1;
}

int tsr_pack_of(struct tsr_emit *e, const struct tsr_packed *packed, int access)
{
  struct tsr_raw_access *raw = e->m->access;
  for (int i = 0; packed && i < packed->n; i++) {
    const struct tsr_pack *pack = &packed->item[i].pack;
    int own = access_of(e, pack);
    if (raw[own].array != raw[access].array || raw[own].size != raw[access].size)
      continue;
    isl_map *a = tsr_model_element(e->m, pack->stmt, &raw[own]), *b = tsr_model_element(e->m, pack->stmt, &raw[access]);
    bool same = isl_map_plain_is_equal(a, b) == isl_bool_true;
    isl_map_free(a);
    isl_map_free(b);
    if (same)
      return i;
  }
  return -1;
}

/* What the statement of PACK reads by ACCESS of the model. */
static LLVMValueRef read_by(struct tsr_emit *e, const struct tsr_pack *pack, int access)
{
  struct tsr_model *m = e->m;
  struct tsr_stmt_info *s = &m->stmts[pack->stmt];
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

/* Is VALUE a load of PACK's statement that all instances do from one element, which nothing writes? */
static bool is_fixed_load(struct tsr_emit *e, const struct tsr_pack *pack, LLVMValueRef value)
{
  bool fixed = false;
  for (int i = 0; i < e->m->n_access && LLVMIsALoadInst(value) && !fixed; i++) {
    const struct tsr_raw_access *access = &e->m->access[i];
    if (access->inst != value || access->stmt != pack->stmt || e->m->arrays[access->array].written)
      continue;
    isl_map *element = tsr_model_element(e->m, pack->stmt, access);
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

/* The only use of VALUE in PACK's statement, if it is an operation that needs nothing else but what is invariant. */
static LLVMValueRef next_value(struct tsr_emit *e, const struct tsr_pack *pack, LLVMValueRef value)
{
  const struct tsr_stmt_info *s = &e->m->stmts[pack->stmt];
  LLVMValueRef user = NULL;
  for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef one = LLVMGetUser(use);
    bool member = LLVMIsAInstruction(one) && is_member(s, one);
    if (stands_for(s, one, value) || (member && user)) /* who uses it by way of a phi isn't looked for */
      return NULL;
    user = member ? one : user;
  }
  if (!user || !tsr_vector_is_possible(user) || !is_number_type(LLVMTypeOf(user)) ||
      tsr_blocks_have(&s->inner, LLVMGetInstructionParent(user)))
    return NULL;
  for (int i = 0; i < LLVMGetNumOperands(user); i++) {
    LLVMValueRef operand = LLVMGetOperand(user, i);
    if (operand != value && LLVMIsAInstruction(operand) && tsr_model_in_region(e->m, operand) &&
        !is_fixed_load(e, pack, operand))
      return NULL;
  }
  return user;
}

LLVMValueRef tsr_pack_value(struct tsr_emit *e, const struct tsr_pack *pack)
{
  LLVMValueRef value = read_by(e, pack, access_of(e, pack));
  struct tsr_packed one = {.n = 1};
  int n = 0;
  one.item[0].pack = *pack;
  for (int i = 0; i < e->m->n_access; i++)
    n += e->m->access[i].stmt == pack->stmt && tsr_pack_of(e, &one, i) == 0;
  if (n > 1) /* as several values */
    return value;
  for (LLVMValueRef next = next_value(e, pack, value); next; next = next_value(e, pack, value))
    value = next;
  return value;
}

int tsr_pack_with_value(struct tsr_emit *e, const struct tsr_packed *packed, LLVMValueRef value)
{
  for (int i = 0; packed && i < packed->n; i++)
    if (e->packed[packed->item[i].number] == value)
      return i;
  return -1;
}

/* COPY reads or writes a buffer. */
LLVMValueRef tsr_pack_annotate(struct tsr_emit *e, LLVMValueRef access)
{
  int buffers = e->m->n_array;
  tsr_set_metadata(access, "alias.scope", e->scope[buffers]);
  if (e->noalias[buffers])
    tsr_set_metadata(access, "noalias", e->noalias[buffers]);
  if (e->access_group)
    tsr_set_metadata(access, "llvm.access.group", e->access_group);
  return access;
}

/* Where item I of PACKED is. */
LLVMValueRef tsr_pack_element(struct tsr_emit *e, const struct tsr_packed *packed, int i)
{
  LLVMValueRef index = tsr_emit_expr(e, isl_ast_expr_copy(packed->item[i].index));
  index = LLVMBuildNSWMul(e->b, index, tsr_emit_number(e, tsr_pack_element_size(e, packed->item[i].number)), "");
  return tsr_buffer_at(e, e->buffer[packed->item[i].number], index);
}

LLVMValueRef tsr_emit_packed_load(struct tsr_emit *e, const struct tsr_packed *packed, int i, LLVMTypeRef type,
                                  unsigned lanes, LLVMValueRef mask)
{
  const struct tsr_pack *pack = &packed->item[i].pack;
  unsigned bytes = (unsigned)tsr_pack_element_size(e, packed->item[i].number),
           align = bytes * lanes < TSR_BUFFER_LINE ? bytes * lanes : TSR_BUFFER_LINE;
  LLVMValueRef made, element = tsr_pack_element(e, packed, i);
  if (pack->by_row) {
    made = LLVMBuildLoad2(e->b, type, element, "tsr.element");
    LLVMSetAlignment(made, bytes);
  } else {
    made = tsr_vector_load(e->b, type, element, align, lanes, mask);
  }
  return tsr_pack_annotate(e, made);
}

/* The value VALUE of PACK's statement, of which FROM is loaded: a chain of operations with one operand that is not
 * invariant. */
static LLVMValueRef computed(struct tsr_copy *c, const struct tsr_pack *pack, LLVMValueRef value, LLVMValueRef from)
{
  if (value == from)
    return tsr_copy_resolve(c, from);
  if (is_fixed_load(c->e, pack, value))
    return tsr_pack_fixed(c->e, pack, value, c->counters);
  for (int i = 0; i < LLVMGetNumOperands(value); i++) {
    LLVMValueRef operand = LLVMGetOperand(value, i);
    if (operand == from || (LLVMIsAInstruction(operand) && tsr_model_in_region(c->e->m, operand)))
      tsr_copy_bind(&c->map, &c->n, operand, computed(c, pack, operand, from));
  }
  return tsr_copy_inst(c, value);
}

LLVMValueRef tsr_pack_fixed(struct tsr_emit *e, const struct tsr_pack *pack, LLVMValueRef load, LLVMValueRef *counters)
{
  if (!is_fixed_load(e, pack, load))
    return NULL;
  struct tsr_copy c = {.e = e, .s = &e->m->stmts[pack->stmt], .counters = counters, .no_flags = true};
  LLVMValueRef made = LLVMBuildLoad2(e->b, LLVMTypeOf(load), tsr_copy_pointer(&c, load), "");
  LLVMSetAlignment(made, LLVMGetAlignment(load));
  tsr_copy_annotate(e, load, made);
  free(c.map);
  free(c.local);
  return made;
}

LLVMValueRef tsr_pack_source(struct tsr_emit *e, const struct tsr_pack *pack, LLVMValueRef *counters, LLVMValueRef *inst,
                             LLVMValueRef *read)
{
  int access = access_of(e, pack);
  struct tsr_copy c = {.e = e, .s = &e->m->stmts[pack->stmt], .counters = counters, .no_flags = true};
  *inst = e->m->access[access].inst;
  *read = read_by(e, pack, access);
  LLVMValueRef pointer = tsr_copy_pointer(&c, *inst);
  free(c.map);
  free(c.local);
  return pointer;
}

void tsr_emit_pack_copy(struct tsr_emit *e, isl_ast_node *user, LLVMValueRef *counters)
{
  const struct tsr_packed *packed = tsr_ast_packed(user);
  const struct tsr_pack *pack = &packed->item[0].pack;
  struct tsr_copy c = {.e = e, .s = &e->m->stmts[pack->stmt], .counters = counters};
  LLVMValueRef inst, read, pointer = tsr_pack_source(e, pack, counters, &inst, &read);
  LLVMValueRef value = LLVMBuildLoad2(e->b, LLVMTypeOf(read), pointer, "");
  LLVMSetAlignment(value, LLVMGetAlignment(inst));
  tsr_copy_annotate(e, inst, value);
  tsr_copy_bind(&c.map, &c.n, read, value);
  LLVMValueRef store =
      LLVMBuildStore(e->b, computed(&c, pack, e->packed[packed->item[0].number], read), tsr_pack_element(e, packed, 0));
  LLVMSetAlignment(store, (unsigned)tsr_pack_element_size(e, packed->item[0].number));
  tsr_pack_annotate(e, store);
  free(c.map);
  free(c.local);
}

#define ROWS_AHEAD 16

void tsr_emit_pack_prefetch(struct tsr_emit *e, isl_ast_node *loop, LLVMValueRef first)
{
  isl_ast_node *user = isl_ast_node_for_get_body(loop);
  const struct tsr_packed *packed = isl_ast_node_get_type(user) == isl_ast_node_user ? tsr_ast_packed(user) : NULL;
  if (packed && packed->copy && packed->item[0].pack.vector && e->n_var > 0) {
    const struct tsr_pack *pack = &packed->item[0].pack;
    int64_t in_line = TSR_BUFFER_LINE / tsr_pack_element_size(e, packed->item[0].number);
    int n_var = e->n_var;
    char *iterator = tsr_emit_iterator_name(loop);
    LLVMValueRef ahead = LLVMBuildAdd(e->b, e->var[n_var - 1].value, tsr_emit_number(e, ROWS_AHEAD), "");
    tsr_emit_bind(e, e->var[n_var - 1].name, ahead);
    for (int64_t i = 0; i < pack->size[2] && in_line > 0; i += in_line) {
      LLVMValueRef *counters, inst, read;
      tsr_emit_bind(e, iterator, LLVMBuildAdd(e->b, first, tsr_emit_number(e, i), ""));
      tsr_emit_counters(e, user, &counters);
      tsr_vector_prefetch(e->b, tsr_pack_source(e, pack, counters, &inst, &read), false);
      free(counters);
      tsr_emit_unbind(e, n_var + 1);
    }
    tsr_emit_unbind(e, n_var);
    free(iterator);
  }
  isl_ast_node_free(user);
}
