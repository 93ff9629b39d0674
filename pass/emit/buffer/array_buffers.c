/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the buffers of a transformed program are. Each is a dense array, the last subscript innermost,
 *
 *   element [i, j] of B with sizes [n, m]:   pointer + ((i * m) + j) * bytes
 *
 * and all of a thread's that live at the same time are one behind the other, each at a line of its own, in what is allocated
 * in front of the new code (buffer_memory.c); threads have theirs one behind the other, too. What is known of an original
 * array's address, and of its alignment, is not known of a buffer's. */
#include "emit/buffer/array_buffers.h"
#include "emit/buffer/kept_values.h"
#include <isl/id.h>
#include <isl/ilp.h>
#include <isl/schedule_node.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* The number of buffers of the plan's program. */
static int count_buffers(const struct tsr_program *program)
{
  return program ? program->scop->n_array - program->original->n_array : 0;
}

/* ---- can they be written? ---- */

/* What is_good_for_lanes works on. */
struct lane_buffers {
  const struct tsr_program *program;
  const bool *keeps; /* by array: does it hold a value of one read? */
};

/* The most elements from one lane's to the next one's (emit/vector/). */
#define MOST_APART 4

/* Can lanes that are STEP apart, of STMT's N_DIM dimensions, access what it has in buffers? The write goes on from lane to
 * lane.
 */
static bool may_be_lanes(const struct lane_buffers *b, const struct tsr_stmt *stmt, const long step[TSR_MAX_DIM])
{
  bool good = true;
  for (int k = 0; k < stmt->n_access && good; k++) {
    const struct tsr_access *access = &stmt->access[k];
    long elements = 0;
    if (access->array < b->program->original->n_array || b->keeps[access->array])
      continue;
    bool alike = !stmt->origin || isl_map_dim(stmt->origin, isl_dim_in) == isl_map_dim(stmt->origin, isl_dim_out);
    good = alike && !access->maybe && b->program->scop->arrays[access->array].space != TSR_SPACE_REGISTERS;
    if (good && access->kind != TSR_READ)
      good = tsr_access_move(access->relation, step, &elements) && elements >= 1 && elements <= MOST_APART;
  }
  return good;
}

/* Is NODE no mark of lanes whose statements have buffers that these can't access? */
static isl_bool is_good_for_lanes(isl_schedule_node *node, void *user)
{
  const struct lane_buffers *b = user;
  const struct tsr_mark *mark = tsr_node_mark(node);
  if (!tsr_mark_is(mark, TSR_MARK_REGISTERS) && !tsr_mark_is(mark, TSR_MARK_EDGES))
    return isl_bool_true;
  isl_bool good = isl_bool_true;
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  for (int i = 0; i < b->program->scop->n_stmt && good == isl_bool_true; i++) {
    const struct tsr_stmt *stmt = &b->program->scop->stmts[i];
    isl_set *own = isl_union_set_extract_set(domain, isl_set_get_space(stmt->domain));
    bool none = isl_set_is_empty(own) == isl_bool_true;
    isl_set_free(own);
    if (none)
      continue;
    if (mark->kind == TSR_MARK_REGISTERS)
      good = isl_bool_ok(may_be_lanes(b, stmt, mark->tile.step));
    for (int k = 0; mark->kind == TSR_MARK_EDGES && k < mark->edges.n && good; k++)
      if (!strcmp(mark->edges.edge[k].stmt, stmt->name))
        good = isl_bool_ok(may_be_lanes(b, stmt, mark->edges.edge[k].step));
  }
  isl_union_set_free(domain);
  return good;
}

/* Is array number ARRAY of M accessed by plain loads and stores of single elements alone, each whenever its statement runs?
 * Loads may have been in front of it (memory/scalar_reloads.c). */
static bool is_plain_array(struct tsr_model *m, int array)
{
  const struct tsr_array_info *a = &m->arrays[array];
  bool good = a->kind == TSR_ARRAY_MEMORY && !a->rows && !a->unbounded;
  for (int i = 0; i < m->n_access && good; i++) {
    const struct tsr_raw_access *access = &m->access[i];
    if (access->array != array || access->stmt < 0)
      continue;
    good = (LLVMIsALoadInst(access->inst) || LLVMIsAStoreInst(access->inst)) && access->size == a->elem_size &&
           !tsr_blocks_have(&m->stmts[access->stmt].inner, LLVMGetInstructionParent(access->inst)) &&
           !m->stmts[access->stmt].guard && access->width == 1 && access->offset;
  }
  return good;
}

/* The only type of loads and stores of single elements of array number ARRAY of M; NULL: there are others, or something else
 * accesses it. */
static LLVMTypeRef only_type(struct tsr_model *m, int array)
{
  LLVMTypeRef type = NULL;
  for (int i = 0; i < m->n_access; i++) {
    const struct tsr_raw_access *access = &m->access[i];
    if (access->array != array)
      continue;
    LLVMTypeRef own = LLVMIsALoadInst(access->inst)    ? LLVMTypeOf(access->inst)
                      : LLVMIsAStoreInst(access->inst) ? LLVMTypeOf(LLVMGetOperand(access->inst, 0))
                                                       : NULL;
    if (!own || access->width != 1 || (type && own != type))
      return NULL;
    type = own;
  }
  return type;
}

/* The type of what is in buffer number ARRAY of PROGRAM, one in REGISTERS: that of all accesses to the arrays that it is
 * used for. NULL: they differ. */
static LLVMTypeRef register_type(struct tsr_model *m, const struct tsr_program *program, int array)
{
  LLVMTypeRef type = NULL;
  for (int i = 0; i < program->scop->n_stmt; i++) {
    const struct tsr_stmt *stmt = &program->scop->stmts[i];
    int origin = tsr_stmt_original(program, stmt);
    for (int k = 0; k < stmt->n_access; k++) {
      if (stmt->access[k].array != array)
        continue;
      LLVMTypeRef own = origin < 0 ? NULL : only_type(m, program->original->stmts[origin].access[k].array);
      if (!own || (type && own != type))
        return NULL;
      type = own;
    }
  }
  return type;
}

/* Does statement number STMT of M compute VALUE, or get it as a scalar? Then what it is made of is as it was. */
static bool is_at_hand(const struct tsr_model *m, int stmt, LLVMValueRef value)
{
  const struct tsr_stmt_info *s = &m->stmts[stmt];
  bool found = false;
  for (int i = 0; i < s->n_inst && !found; i++)
    found = s->inst[i] == value;
  for (int i = 0; i < s->n_read && !found; i++)
    found = m->arrays[s->read[i]].origin == value;
  return found;
}

/* Is it known where access number K of STMT, to a buffer of PROGRAM's, goes there, up to a number that is at hand? */
static bool is_known_there(struct tsr_model *m, const struct tsr_program *program, const struct tsr_stmt *stmt, int k)
{
  int origin = tsr_stmt_original(program, stmt);
  int array = origin < 0 ? -1 : program->original->stmts[origin].access[k].array;
  bool known = true;
  for (int i = 0; i < m->n_access && stmt->access[k].array >= program->original->n_array; i++)
    if (m->access[i].array == array && m->access[i].stmt == origin)
      known &= m->access[i].offset || (m->access[i].index && is_at_hand(m, origin, m->access[i].data_value));
  return known;
}

bool tsr_array_buffers_can(struct tsr_model *m, const struct tsr_variant *variant)
{
  struct tsr_program *program = tsr_variant_program(variant);
  if (count_buffers(program) == 0)
    return true;
  bool good = !m->scop->no_buffers, *keeps = calloc(program->scop->n_array + 1, sizeof(*keeps));
  for (int i = program->original->n_array; i < program->scop->n_array && good; i++)
    keeps[i] = tsr_array_buffer_keeps(m, variant, i);
  struct lane_buffers lanes = {program, keeps};
  isl_schedule_node *root = isl_schedule_get_root(program->scop->schedule);
  good = good && isl_schedule_node_every_descendant(root, is_good_for_lanes, &lanes) == isl_bool_true;
  isl_schedule_node_free(root);
  for (int i = 0; i < program->scop->n_stmt && good; i++) {
    const struct tsr_stmt *stmt = &program->scop->stmts[i];
    for (int k = 0; k < stmt->n_access && stmt->kind == TSR_STMT_COMPUTE && good; k++)
      good = keeps[stmt->access[k].array] || is_known_there(m, program, stmt, k);
    for (int k = 0; k < stmt->n_access && stmt->kind == TSR_STMT_MOVE && good; k++)
      good = stmt->access[k].array >= program->original->n_array || (k == 0 && keeps[stmt->access[1].array]) ||
             is_plain_array(m, stmt->access[k].array);
  }
  free(keeps);
  for (int i = program->original->n_array; i < program->scop->n_array && good; i++)
    good = program->scop->arrays[i].space != TSR_SPACE_REGISTERS || register_type(m, program, i);
  return good || tsr_model_reject(m, TSR_REASON_Buffer, NULL, NULL);
}

/* ---- sizes ---- */

/* Is buffer number I one value of an iteration? */
static bool is_register(const struct tsr_emit *e, int i)
{
  const struct tsr_program *program = e->program;
  return program->scop->arrays[program->original->n_array + i].space == TSR_SPACE_REGISTERS;
}

/* Does buffer number I live in a GPU's blocks? */
static bool is_of_block(const struct tsr_emit *e, int i)
{
  const struct tsr_program *program = e->program;
  enum tsr_space space = program->scop->arrays[program->original->n_array + i].space;
  return space == TSR_SPACE_SHARED || space == TSR_SPACE_PRIVATE;
}

/* VALUE, or 0 if it is below that */
static LLVMValueRef at_least_none(struct tsr_emit *e, LLVMValueRef value)
{
  LLVMValueRef zero = tsr_emit_number(e, 0);
  return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSGT, value, zero, ""), value, zero, "");
}

/* BYTES in whole lines */
static LLVMValueRef in_lines(struct tsr_emit *e, LLVMValueRef bytes)
{
  LLVMValueRef line = tsr_emit_number(e, TSR_BUFFER_LINE);
  LLVMValueRef up = LLVMBuildAdd(e->b, bytes, tsr_emit_number(e, TSR_BUFFER_LINE - 1), "");
  return LLVMBuildMul(e->b, LLVMBuildUDiv(e->b, up, line, ""), line, "");
}

/* More bytes than this nobody has; so many of each buffer, of all threads, can be added up. */
#define MOST_BYTES (INT64_C(1) << 40)

/* A * B, neither of them below 0; *FITS (NULL: so far all is well) becomes: is that right, and no more than can be? */
static LLVMValueRef multiply(struct tsr_emit *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef *fits)
{
  static const char name[] = "llvm.umul.with.overflow";
  if (LLVMIsAConstantInt(a) && LLVMIsAConstantInt(b))
    return LLVMBuildMul(e->b, a, b, "");
  LLVMValueRef function =
      LLVMGetIntrinsicDeclaration(e->m->module, LLVMLookupIntrinsicID(name, sizeof(name) - 1), &e->i64, 1);
  LLVMValueRef both = LLVMBuildCall2(e->b, LLVMGlobalGetValueType(function), function, (LLVMValueRef[]){a, b}, 2, "");
  LLVMValueRef product = LLVMBuildExtractValue(e->b, both, 0, "");
  LLVMValueRef good = LLVMBuildNot(e->b, LLVMBuildExtractValue(e->b, both, 1, ""), "");
  good = LLVMBuildAnd(e->b, good, LLVMBuildICmp(e->b, LLVMIntULE, product, tsr_emit_number(e, MOST_BYTES), ""), "");
  *fits = *fits ? LLVMBuildAnd(e->b, *fits, good, "") : good;
  return product;
}

/* Strides and bytes of buffer number I, at the builder's place; *FITS as there. */
static LLVMValueRef find_sizes(struct tsr_emit *e, int i, LLVMValueRef *fits)
{
  struct tsr_program *program = e->program;
  int array = program->original->n_array + i;
  const struct tsr_array *a = &program->scop->arrays[array];
  isl_ast_expr *size[TSR_PLACE_DIM];
  bool may_wrap = e->may_wrap;
  tsr_buffer_sizes(program, array, size);
  tsr_emit_kept_find(e, i);
  LLVMValueRef stride = tsr_emit_number(e, e->array_buffer[i].bytes);
  e->may_wrap = true; /* nobody has seen how large these can get */
  for (int d = a->n_dim - 1; d >= 0; d--) {
    e->array_buffer[i].stride[d] = stride;
    stride = multiply(e, stride, at_least_none(e, tsr_emit_expr(e, size[d])), fits);
  }
  e->may_wrap = may_wrap;
  if (a->space == TSR_SPACE_STACK && *fits)
    *fits = LLVMBuildAnd(e->b, *fits, LLVMBuildICmp(e->b, LLVMIntULE, stride, tsr_emit_number(e, TSR_STACK_BYTES), ""), "");
  return in_lines(e, stride);
}

/* ---- offsets ---- */

/* Where buffers go: BYTES of each, NULL: it is none in memory, or it has a place. */
struct layout {
  struct tsr_emit *e;
  LLVMValueRef *bytes;
  bool *named; /* by array of the program */
};

/* Buffer number I begins at BEGIN. Where it ends */
static LLVMValueRef lay_out_one(struct layout *l, int i, LLVMValueRef begin)
{
  l->e->array_buffer[i].offset = begin;
  LLVMValueRef end = LLVMBuildAdd(l->e->b, begin, l->bytes[i], "tsr.size");
  l->bytes[i] = NULL;
  return end;
}

/* The later end */
static LLVMValueRef later(struct tsr_emit *e, LLVMValueRef a, LLVMValueRef b)
{
  return a == b ? a : LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntUGT, a, b, ""), a, b, "tsr.size");
}

/* The buffers that live below NODE, from BEGIN on, where all of them end. Of those below different children of a sequence
 * none is in use while another one is: they are in the same place. */
static LLVMValueRef lay_out(struct layout *l, __isl_take isl_schedule_node *node, LLVMValueRef begin)
{
  const struct tsr_program *program = l->e->program;
  const struct tsr_mark *mark = tsr_node_mark(node);
  if (tsr_mark_is(mark, TSR_MARK_ALLOCATE) && tsr_mark_arrays(mark, program->scop, l->named))
    for (int i = 0; i < l->e->n_array_buffer; i++)
      if (l->named[program->original->n_array + i] && l->bytes[i])
        begin = lay_out_one(l, i, begin);
  LLVMValueRef end = begin;
  isl_size n = isl_schedule_node_n_children(node);
  for (int i = 0; i < n; i++)
    end = later(l->e, end, lay_out(l, isl_schedule_node_get_child(node, i), begin));
  isl_schedule_node_free(node);
  return end;
}

LLVMValueRef tsr_array_buffers_find(struct tsr_emit *e, LLVMValueRef *fits)
{
  int n = count_buffers(e->program);
  e->array_bytes = *fits = NULL;
  if (n == 0)
    return NULL;
  e->array_buffer = calloc(n, sizeof(*e->array_buffer));
  e->n_array_buffer = n;
  struct layout l = {e, calloc(n, sizeof(*l.bytes)), calloc(e->program->scop->n_array + 1, sizeof(bool))};
  bool any = false;
  for (int i = 0; i < n; i++) {
    if (is_register(e, i))
      e->array_buffer[i].pointer = tsr_emit_slot(e, register_type(e->m, e->program, e->program->original->n_array + i));
    else if (!is_of_block(e, i))
      l.bytes[i] = find_sizes(e, i, fits);
    any |= l.bytes[i] != NULL;
  }
  LLVMValueRef all = lay_out(&l, isl_schedule_get_root(e->program->tree), tsr_emit_number(e, 0));
  for (int i = 0; i < n; i++) /* those that live all along: behind what has a place */
    if (l.bytes[i])
      all = lay_out_one(&l, i, all);
  free(l.bytes);
  free(l.named);
  return e->array_bytes = any ? all : NULL;
}

LLVMValueRef tsr_emit_thread_array(struct tsr_emit *e, int array)
{
  const struct tsr_array *a = &e->program->scop->arrays[array];
  uint64_t bytes = (uint64_t)a->elem_size;
  for (int d = 0; d < a->n_dim; d++) {
    isl_val *last = isl_set_dim_max_val(isl_set_copy(a->extent), d);
    bytes *= (uint64_t)isl_val_get_num_si(last) + 1;
    isl_val_free(last);
  }
  LLVMValueRef made = LLVMBuildAlloca(e->b, LLVMArrayType2(LLVMInt8TypeInContext(e->llvm), bytes), "tsr.own");
  LLVMSetAlignment(made, 16);
  return made;
}

void tsr_array_buffers_free(struct tsr_emit *e)
{
  free(e->array_buffer);
  e->array_buffer = NULL;
  e->n_array_buffer = 0;
  e->array_bytes = NULL;
}

/* ---- places ---- */

/* Which buffers, but for registers, begin their life in a part of the AST? */
struct lives {
  struct tsr_scop *scop;
  bool *begins, *named;
};

static isl_bool find_life(isl_ast_node *node, void *user)
{
  struct lives *lives = user;
  const struct tsr_mark *mark = tsr_ast_mark(node);
  if (tsr_mark_is(mark, TSR_MARK_ALLOCATE) && tsr_mark_arrays(mark, lives->scop, lives->named))
    for (int i = 0; i < lives->scop->n_array; i++)
      lives->begins[i] |= lives->named[i] && lives->scop->arrays[i].space != TSR_SPACE_REGISTERS;
  return isl_bool_true;
}

/* A flag an array of the program: does it live within BODY? malloc'd. */
static bool *find_lives(struct tsr_emit *e, isl_ast_node *body)
{
  struct tsr_scop *scop = e->program->scop;
  struct lives lives = {scop, calloc(scop->n_array + 1, sizeof(bool)), calloc(scop->n_array + 1, sizeof(bool))};
  isl_ast_node_foreach_descendant_top_down(body, find_life, &lives);
  free(lives.named);
  return lives.begins;
}

bool tsr_array_buffers_are_in(struct tsr_emit *e, isl_ast_node *body)
{
  if (e->n_array_buffer == 0)
    return false;
  bool any = false, *lives = find_lives(e, body);
  for (int i = 0; i < e->program->scop->n_array; i++)
    any |= lives[i];
  free(lives);
  return any;
}

void tsr_array_buffers_place(struct tsr_emit *e, LLVMValueRef first, isl_ast_node *body)
{
  bool *lives = body && e->n_array_buffer ? find_lives(e, body) : NULL;
  for (int i = 0; i < e->n_array_buffer; i++)
    if (!is_register(e, i) && (!lives || lives[e->program->original->n_array + i]))
      e->array_buffer[i].pointer = tsr_buffer_at(e, first, e->array_buffer[i].offset);
  free(lives);
}

LLVMValueRef *tsr_array_buffers_save(struct tsr_emit *e)
{
  LLVMValueRef *pointers = calloc(e->n_array_buffer + 1, sizeof(*pointers));
  for (int i = 0; i < e->n_array_buffer; i++)
    pointers[i] = e->array_buffer[i].pointer;
  return pointers;
}

void tsr_array_buffers_restore(struct tsr_emit *e, LLVMValueRef *pointers)
{
  for (int i = 0; i < e->n_array_buffer; i++)
    e->array_buffer[i].pointer = pointers[i];
  free(pointers);
}
