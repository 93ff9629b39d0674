/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Buffers of packed operands: one allocation in front of the new code, freed behind it.
 *
 *   new:     memory = malloc(bytes of all buffers, of all threads if there are parallel loops)
 *            br memory != NULL, packed, old
 *   packed:  the AST: copies "buffer[index] = element", reads from buffer[index]
 *   last:    free(memory)
 *
 * Buffers begin at lines of 64 bytes. errno stays as it was. */
#include "emit/buffer/packed_values.h"
#include "emit/statement_code.h"
#include "emit/vector/statement_lanes.h"
#include <isl/id.h>
#include <isl/schedule_node.h>
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

#define LINE 64

bool tsr_library_is_known(LLVMModuleRef module)
{
  const char *triple = LLVMGetTarget(module);
  return strstr(triple, "linux") && !strstr(triple, "android") && LLVMPointerSize(LLVMGetModuleDataLayout(module)) == 8;
}

bool tsr_pack_is_possible(LLVMValueRef function)
{
  static const char *const not[] = {"no-builtins", "no-builtin-malloc", "no-builtin-free"};
  LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
  bool possible = tsr_library_is_known(LLVMGetGlobalParent(function));
  for (size_t i = 0; i < sizeof(not) / sizeof(*not); i++)
    possible &= !LLVMGetStringAttributeAtIndex(function, at, not[i], (unsigned)strlen(not[i]));
  return possible;
}

/* The access of the model that PACK is about: of a statement's accesses, the scalars that it reads come first, then those of
 * memory (read/model.c). -1: none. */
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

static bool is_number_type(LLVMTypeRef type)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  unsigned bits = kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
  return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind ||
         bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

/* The only use of VALUE, if it is an operation of PACK's statement that needs nothing else but what is invariant. */
static LLVMValueRef next_value(struct tsr_emit *e, const struct tsr_pack *pack, LLVMValueRef value)
{
  LLVMUseRef use = LLVMGetFirstUse(value);
  LLVMValueRef user = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
  if (!user || !LLVMIsAInstruction(user) || !tsr_vector_is_possible(user) || !is_number_type(LLVMTypeOf(user)) ||
      LLVMGetInstructionParent(user) != e->m->stmts[pack->stmt].block)
    return NULL;
  for (int i = 0; i < LLVMGetNumOperands(user); i++) {
    LLVMValueRef operand = LLVMGetOperand(user, i);
    if (operand != value && LLVMIsAInstruction(operand) && tsr_model_in_region(e->m, operand))
      return NULL;
  }
  return user;
}

/* What is to be kept in PACK's buffer: see pack.h. */
static LLVMValueRef find_value(struct tsr_emit *e, const struct tsr_pack *pack)
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

int64_t tsr_pack_element_size(struct tsr_emit *e, int number)
{
  LLVMTypeRef type = LLVMTypeOf(e->packed[number]);
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

/* Bytes of buffer NUMBER, in whole lines. */
static int64_t size_of(struct tsr_emit *e, int number)
{
  const struct tsr_pack *pack = &e->pack[number];
  int64_t bytes = tsr_pack_element_size(e, number) * pack->size[0] * pack->size[1] * pack->size[2];
  return (bytes + LINE - 1) / LINE * LINE;
}

static LLVMValueRef number(struct tsr_emit *e, int64_t value)
{
  return LLVMConstInt(e->i64, (uint64_t)value, true);
}

static LLVMValueRef add_bytes(struct tsr_emit *e, LLVMValueRef pointer, LLVMValueRef bytes)
{
  return LLVMBuildInBoundsGEP2(e->b, LLVMInt8TypeInContext(e->llvm), pointer, &bytes, 1, "tsr.buffer");
}

/* Let the buffers begin at FIRST. */
static void place_buffers(struct tsr_emit *e, LLVMValueRef first)
{
  int64_t at = 0;
  for (int i = 0; i < e->n_pack; i++) {
    e->buffer[i] = add_bytes(e, first, number(e, at));
    at += size_of(e, i);
  }
}

static int64_t size_of_all(struct tsr_emit *e)
{
  int64_t bytes = 0;
  for (int i = 0; i < e->n_pack; i++)
    bytes += size_of(e, i);
  return bytes;
}

/* What is known of the function's effects doesn't hold for calls of malloc and free. */
static void forget_effects(LLVMValueRef function)
{
  static const char *const stale[] = {"memory", "nofree"};
  for (size_t i = 0; i < sizeof(stale) / sizeof(*stale); i++) {
    unsigned kind = LLVMGetEnumAttributeKindForName(stale[i], strlen(stale[i]));
    LLVMRemoveEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
  }
}

static isl_bool is_not_parallel(isl_schedule_node *node, void *user)
{
  (void)user;
  if (isl_schedule_node_get_type(node) != isl_schedule_node_mark)
    return isl_bool_true;
  isl_id *id = isl_schedule_node_mark_get_id(node);
  bool parallel = tsr_mark_is_for_threads(isl_id_get_name(id));
  isl_id_free(id);
  return isl_bool_ok(!parallel);
}

/* Has the tree loops for threads? Other code must not need their library. */
static bool has_threads(struct tsr_emit *e)
{
  isl_schedule_node *root = isl_schedule_get_root(e->tree);
  isl_bool none = isl_schedule_node_every_descendant(root, is_not_parallel, NULL);
  isl_schedule_node_free(root);
  return none != isl_bool_true;
}

void tsr_emit_buffers(struct tsr_emit *e, LLVMBasicBlockRef old)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm), pointer = LLVMPointerTypeInContext(e->llvm, 0);
  e->n_pack = tsr_tree_packs(e->tree, e->m->scop, e->pack);
  tsr_emit_panel_find(e);
  if (e->n_pack == 0 && !e->panel)
    return;
  forget_effects(e->m->function);
  for (int i = 0; i < e->n_pack; i++)
    e->packed[i] = find_value(e, &e->pack[i]);
  LLVMValueRef bytes = number(e, size_of_all(e));
  if (e->panel)
    bytes = LLVMBuildAdd(e->b, bytes, tsr_emit_panel_bytes(e), "");
  if (has_threads(e)) {
    LLVMValueRef team = LLVMBuildZExt(e->b, tsr_emit_call(e, "omp_get_max_threads", i32, NULL, 0), e->i64, "");
    bytes = LLVMBuildMul(e->b, bytes, team, "");
  }
  bytes = LLVMBuildAdd(e->b, bytes, number(e, LINE), "tsr.bytes");
  LLVMValueRef place = tsr_emit_call(e, "__errno_location", pointer, NULL, 0);
  LLVMValueRef was = LLVMBuildLoad2(e->b, i32, place, "tsr.errno");
  e->memory = tsr_emit_call(e, "malloc", pointer, &bytes, 1);
  LLVMBuildStore(e->b, was, place);
  unsigned kind = LLVMGetEnumAttributeKindForName("noalias", 7);
  LLVMAddCallSiteAttribute(e->memory, LLVMAttributeReturnIndex, LLVMCreateEnumAttribute(e->llvm, kind, 0));
  LLVMBasicBlockRef packed = tsr_emit_block(e, "tsr.packed");
  tsr_emit_set_likely(e, LLVMBuildCondBr(e->b, LLVMBuildIsNotNull(e->b, e->memory, ""), packed, old));
  LLVMPositionBuilderAtEnd(e->b, packed);
  LLVMValueRef over = LLVMBuildNeg(e->b, LLVMBuildPtrToInt(e->b, e->memory, e->i64, ""), "");
  e->buffers = add_bytes(e, e->memory, LLVMBuildAnd(e->b, over, number(e, LINE - 1), ""));
  place_buffers(e, e->buffers);
}

struct found {
  bool filled[TSR_MAX_PACK]; /* which buffers? */
  bool used;                 /* some? Else threads share the copies. */
};

static isl_bool find_copy(isl_ast_node *node, void *user)
{
  struct found *found = user;
  const struct tsr_packed *packed = isl_ast_node_get_type(node) == isl_ast_node_user ? tsr_ast_packed(node) : NULL;
  if (packed && packed->copy)
    found->filled[packed->item[0].number] = true;
  found->used |= packed && !packed->copy;
  return isl_bool_true;
}

void tsr_emit_buffers_of_thread(struct tsr_emit *e, isl_ast_node *body)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMValueRef shared[TSR_MAX_PACK];
  struct found found = {.used = false};
  bool any = false;
  isl_ast_node_foreach_descendant_top_down(body, find_copy, &found);
  for (int i = 0; i < e->n_pack; i++)
    any |= found.filled[i];
  if (!any || !found.used)
    return;
  memcpy(shared, e->buffer, sizeof(shared));
  LLVMValueRef id = LLVMBuildZExt(e->b, tsr_emit_call(e, "omp_get_thread_num", i32, NULL, 0), e->i64, "");
  place_buffers(e, add_bytes(e, e->buffers, LLVMBuildMul(e->b, id, number(e, size_of_all(e)), "")));
  for (int i = 0; i < e->n_pack; i++)
    if (!found.filled[i])
      e->buffer[i] = shared[i];
}

LLVMValueRef tsr_emit_panel_buffer(struct tsr_emit *e, LLVMValueRef bytes)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMValueRef own = number(e, size_of_all(e));
  if (e->in_parallel) {
    LLVMValueRef id = LLVMBuildZExt(e->b, tsr_emit_call(e, "omp_get_thread_num", i32, NULL, 0), e->i64, "");
    own = LLVMBuildAdd(e->b, own, LLVMBuildMul(e->b, id, LLVMBuildAdd(e->b, own, bytes, ""), ""), "");
  }
  return add_bytes(e, e->buffers, own);
}

void tsr_emit_buffers_free(struct tsr_emit *e)
{
  bool none = e->n_pack == 0 && !e->panel;
  tsr_emit_panel_free(e);
  if (none)
    return;
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm), pointer = LLVMPointerTypeInContext(e->llvm, 0);
  LLVMValueRef place = tsr_emit_call(e, "__errno_location", pointer, NULL, 0);
  LLVMValueRef was = LLVMBuildLoad2(e->b, i32, place, "tsr.errno");
  tsr_emit_call(e, "free", LLVMVoidTypeInContext(e->llvm), &e->memory, 1);
  LLVMBuildStore(e->b, was, place);
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
  index = LLVMBuildNSWMul(e->b, index, number(e, tsr_pack_element_size(e, packed->item[i].number)), "");
  return add_bytes(e, e->buffer[packed->item[i].number], index);
}

LLVMValueRef tsr_emit_packed_load(struct tsr_emit *e, const struct tsr_packed *packed, int i, LLVMTypeRef type,
                                  unsigned lanes, LLVMValueRef mask)
{
  const struct tsr_pack *pack = &packed->item[i].pack;
  unsigned bytes = (unsigned)tsr_pack_element_size(e, packed->item[i].number),
           align = bytes * lanes < LINE ? bytes * lanes : LINE;
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
static LLVMValueRef computed(struct tsr_copy *c, LLVMValueRef value, LLVMValueRef from)
{
  if (value == from)
    return tsr_copy_resolve(c, from);
  for (int i = 0; i < LLVMGetNumOperands(value); i++) {
    LLVMValueRef operand = LLVMGetOperand(value, i);
    if (operand == from || (LLVMIsAInstruction(operand) && tsr_model_in_region(c->e->m, operand)))
      tsr_copy_bind(&c->map, &c->n, operand, computed(c, operand, from));
  }
  return tsr_copy_inst(c, value);
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
      LLVMBuildStore(e->b, computed(&c, e->packed[packed->item[0].number], read), tsr_pack_element(e, packed, 0));
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
    int64_t in_line = LINE / tsr_pack_element_size(e, packed->item[0].number);
    int n_var = e->n_var;
    char *iterator = tsr_emit_iterator_name(loop);
    LLVMValueRef ahead = LLVMBuildAdd(e->b, e->var[n_var - 1].value, number(e, ROWS_AHEAD), "");
    tsr_emit_bind(e, e->var[n_var - 1].name, ahead);
    for (int64_t i = 0; i < pack->size[2] && in_line > 0; i += in_line) {
      LLVMValueRef *counters, inst, read;
      tsr_emit_bind(e, iterator, LLVMBuildAdd(e->b, first, number(e, i), ""));
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
