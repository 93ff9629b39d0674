/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads, stores and transfers -> raw accesses.
 *
 *   x = a[2*i]                    array a, offset 16*i bytes
 *   a[idx[i]] = 0                 array a, offset unknown: any element may be written
 *   t += h[byte[i]]               array h, offset unknown, but from 0 to 255*8 bytes
 *   memcpy(a + i*n, b, 8*n)       array b, offset 0, length 8*n; then array a, offset 8*i*n, length 8*n
 *
 *   r[i][j] = 0                   array of rows r, row i, offset 8*j bytes (row_pointers.c)
 *
 * A unit with loops of its own (control/control_units.c) is one statement, executed once for all of their iterations: an
 * address that changes in these loops is unknown. Writes to unknown elements are may writes: each instance is ordered
 * against all other accesses to the array. */
#include "read/reader.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BOUND (INT64_C(1) << 20) /* of an unknown offset: what can be checked for overlap with hope */
#define TRANSFER_SIZE 8              /* of the elements of an array that is only transferred, at most */

/* The array with BASE, of ROWS or not; a new one of ELEM_SIZE if there is none. */
static int memory_array(struct tsr_model *m, LLVMValueRef base, int elem_size, bool rows)
{
  for (int i = 0; i < m->n_array; i++)
    if (m->arrays[i].kind == TSR_ARRAY_MEMORY && m->arrays[i].base == base && m->arrays[i].rows == rows)
      return i;
  m->arrays = realloc(m->arrays, (m->n_array + 1) * sizeof(*m->arrays));
  struct tsr_array_info *a = &m->arrays[m->n_array];
  *a = (struct tsr_array_info){.kind = TSR_ARRAY_MEMORY, .base = base, .elem_size = elem_size, .rows = rows};
  const struct tsr_invariant *item = tsr_invariant_of(m->invariants, base);
  char *source = !item ? tsr_source_name(base) : item->name ? strdup(item->name) : NULL;
  snprintf(a->name, sizeof(a->name), rows ? "%.20s_%d_rows" : "%.20s_%d", source ? source : "A", m->n_array);
  free(source);
  for (char *c = a->name; *c; c++)
    if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_' || (c > a->name && *c >= '0' && *c <= '9')))
      *c = '_';
  return m->n_array++;
}

/* An address in statement `stmt`. */
struct place {
  struct reader *r;
  LLVMValueRef inst, pointer;
  int stmt;
  tsr_loop loop, own; /* around the statement; around INST */
  tsr_scev scev;
};

/* Does the statement run once for several executions of its instruction at other addresses? */
static bool changes_inside(const struct place *p)
{
  tsr_loop outermost = p->own;
  if (p->own == p->loop)
    return false;
  while (tsr_loop_parent(outermost) != p->loop)
    outermost = tsr_loop_parent(outermost);
  return !tsr_scev_is_invariant(p->r->m->a, p->scev, outermost);
}

/* Bytes from the base; NULL if that is unknown. */
static struct tsr_poly *offset_of(const struct place *p)
{
  struct tsr_model *m = p->r->m;
  isl_set *domain = m->stmts[p->stmt].domain;
  if (changes_inside(p))
    return NULL;
  return p->own == p->loop ? tsr_pointer_poly(m, p->pointer, domain, p->loop)
                           : tsr_poly_of(m, tsr_scev_pointer_offset(m->a, p->scev), TSR_MODULO, domain, p->loop);
}

/* The address is no polynomial. False. */
static bool reject_subscript(const struct place *p)
{
  char *text = p->r->m->quiet ? NULL : tsr_scev_string(p->scev);
  tsr_model_reject(p->r->m, TSR_REASON_Subscript, p->inst, text);
  free(text);
  return false;
}

/* What was assumed since SAVED was the model's violated set is forgotten. Takes SAVED. */
static void forget(struct tsr_model *m, isl_set *saved)
{
  isl_set_free(m->violated);
  m->violated = saved;
  tsr_model_retry(m);
}

/* *FIRST <= BYTES <= *LAST by its type, and near enough to be checked for overlap? */
static bool find_bounds(struct tsr_model *m, tsr_scev bytes, int64_t *first, int64_t *last)
{
  return bytes && tsr_scev_signed_range(m->a, bytes, first, last) && *first >= -MAX_BOUND && *last <= MAX_BOUND;
}

bool tsr_offset_is_bounded(struct tsr_model *m, tsr_scev bytes)
{
  int64_t first, last;
  return find_bounds(m, bytes, &first, &last);
}

/* May the model have the access at an address that isn't known? */
static bool is_loose(const struct place *p)
{
  struct tsr_model *m = p->r->m;
  tsr_scev bytes = m->exact && m->gathers ? tsr_scev_pointer_offset(m->a, p->scev) : NULL;
  return !m->exact || (bytes && tsr_scev_is_data(m, bytes));
}

/* ACCESS may be to anything that its base leads to, or to what the type of a subscript allows. */
static bool make_unknown(const struct place *p, struct tsr_raw_access *access)
{
  struct tsr_model *m = p->r->m;
  tsr_scev bytes = tsr_scev_pointer_offset(m->a, p->scev);
  if (!is_loose(p))
    return reject_subscript(p);
  m->approximate = true;
  access->offset = tsr_poly_free(access->offset);
  access->length = tsr_poly_free(access->length);
  access->fixed = true;
  access->bounded = access->size && find_bounds(m, bytes, &access->first, &access->last);
  access->last += access->size - 1;
  if (access->kind == TSR_MUST_WRITE)
    access->kind = TSR_MAY_WRITE;
  return true;
}

/* ACCESS is one of the model's. */
static void add(struct tsr_model *m, struct tsr_raw_access access)
{
  m->access = realloc(m->access, (m->n_access + 1) * sizeof(*m->access));
  m->access[m->n_access++] = access;
}

#define POINTER_SIZE 8

/* The subscript, in pointers, of the element of a table that LOAD reads the address of a row from; *TABLE is its base. NULL:
 * it is none, or not known. */
static struct tsr_poly *row_of(const struct place *p, LLVMValueRef load, LLVMValueRef *table)
{
  struct tsr_model *m = p->r->m;
  enum tsr_reason reason;
  if (!LLVMIsALoadInst(load) || tsr_inst_role(m, load, &reason) != TSR_ROLE_LOAD)
    return NULL;
  LLVMValueRef pointer = LLVMGetOperand(load, 0);
  tsr_loop own = tsr_loop_for(m->a, LLVMGetInstructionParent(load));
  if (own && (!p->loop || !tsr_loop_contains_loop(own, p->loop)))
    return NULL;
  tsr_scev s = tsr_scev_at(m->a, pointer, own);
  *table = s ? tsr_scev_pointer_base(m->a, s) : NULL;
  if (!*table || tsr_model_in_region(m, *table) || !tsr_can_remat(m, pointer, own))
    return NULL;
  struct tsr_poly *bytes = tsr_pointer_poly(m, pointer, m->stmts[p->stmt].domain, own);
  if (bytes && tsr_poly_degree(bytes) > 1)
    bytes = tsr_poly_free(bytes);
  return bytes ? tsr_poly_divide_exact(bytes, POINTER_SIZE) : NULL;
}

/* Why can't an array begin at BASE, which the SCoP computes? */
static enum tsr_reason why_moving(LLVMValueRef base)
{
  return LLVMIsAPHINode(base)        ? TSR_REASON_BasePointer
         : LLVMIsAIntToPtrInst(base) ? TSR_REASON_IntegerAddress
                                     : TSR_REASON_Rows;
}

/* The range that a transfer of LENGTH (NULL: this is a load or store of SIZE bytes) touches at POINTER. */
static bool add_access(struct reader *r, LLVMValueRef inst, int stmt, LLVMValueRef pointer, int size, LLVMValueRef length,
                       bool store)
{
  struct tsr_model *m = r->m;
  struct tsr_stmt_info *s = &m->stmts[stmt];
  struct place p = {
      r, inst, pointer, stmt, tsr_loop_for(m->a, s->block), tsr_loop_for(m->a, LLVMGetInstructionParent(inst)), NULL};
  p.scev = tsr_scev_at(m->a, pointer, p.own);
  LLVMValueRef base = p.scev ? tsr_scev_pointer_base(m->a, p.scev) : NULL;
  if (!base)
    return tsr_model_reject(m, TSR_REASON_Subscript, inst, NULL);
  struct tsr_raw_access access = {.inst = inst, .size = size, .stmt = stmt, .kind = TSR_READ};
  if (tsr_model_in_region(m, base)) {
    access.row_load = base;
    access.row = row_of(&p, base, &base);
    if (!access.row) /* a proxy here: of a load that changes with the SCoP's outer loops */
      return tsr_model_reject(m, why_moving(base), inst, NULL);
  }
  isl_set *saved = isl_set_copy(m->violated);
  if (store)
    access.kind = LLVMGetInstructionParent(inst) == s->block && !s->guard ? TSR_MUST_WRITE : TSR_MAY_WRITE;
  access.array = memory_array(m, base, size ? size : TRANSFER_SIZE, access.row != NULL);
  m->arrays[access.array].written |= store;
  access.offset = offset_of(&p);
  access.fixed = !tsr_can_remat(m, pointer, p.loop);
  bool known = access.offset != NULL;
  if (known && length) {
    tsr_scev bytes = tsr_scev_at(m->a, length, p.own);
    bool constant = p.own == p.loop; /* in a loop of the statement's own it could change there */
    access.length = constant ? tsr_poly_of(m, bytes, TSR_UNSIGNED, s->domain, p.loop) : NULL;
    if (!access.length && constant && m->reason == TSR_ACCEPTED)
      access.length = tsr_poly_of(m, bytes, TSR_MODULO, s->domain, p.loop);
    known = access.length != NULL;
  }
  if (known && !(access.fixed && m->exact && !access.row)) {
    isl_set_free(saved);
    add(m, access);
    return true;
  }
  if (access.row)
    tsr_model_reject(m, TSR_REASON_Rows, inst, NULL);
  if ((!is_loose(&p) || access.row) && m->reason != TSR_ACCEPTED)
    isl_set_free(saved);
  else
    forget(m, saved);
  if (m->reason != TSR_ACCEPTED || !make_unknown(&p, &access)) {
    tsr_poly_free(access.offset);
    tsr_poly_free(access.length);
    tsr_poly_free(access.row);
    return false;
  }
  if (!store && !length && p.own == p.loop)
    tsr_data_offset_find(m, &access, pointer, p.loop);
  m->arrays[access.array].unbounded |= !access.bounded && !access.data;
  add(m, access);
  return true;
}

bool tsr_store_base_is_fixed(struct tsr_model *m, LLVMValueRef store)
{
  tsr_scev s = tsr_scev_at(m->a, LLVMGetOperand(store, 1), tsr_loop_for(m->a, LLVMGetInstructionParent(store)));
  LLVMValueRef base = s ? tsr_scev_pointer_base(m->a, s) : NULL;
  if (!base)
    return tsr_model_reject(m, TSR_REASON_Subscript, store, NULL);
  if (tsr_model_in_region(m, base) && !LLVMIsALoadInst(base))
    return tsr_model_reject(m, why_moving(base), store, NULL);
  return true;
}

bool tsr_reader_access(struct reader *r, LLVMValueRef inst, int stmt)
{
  LLVMModuleRef module = r->m->module;
  enum tsr_reason reason;
  if (LLVMIsALoadInst(inst))
    return add_access(r, inst, stmt, LLVMGetOperand(inst, 0), (int)tsr_type_store_size(module, LLVMTypeOf(inst)), NULL,
                      false);
  if (LLVMIsAStoreInst(inst))
    return add_access(r, inst, stmt, LLVMGetOperand(inst, 1),
                      (int)tsr_type_store_size(module, LLVMTypeOf(LLVMGetOperand(inst, 0))), NULL, true);
  if (tsr_inst_role(r->m, inst, &reason) != TSR_ROLE_TRANSFER)
    return true;
  LLVMValueRef length = LLVMGetOperand(inst, 2), from = LLVMGetOperand(inst, 1);
  if (LLVMGetTypeKind(LLVMTypeOf(from)) == LLVMPointerTypeKind && !add_access(r, inst, stmt, from, 0, length, false))
    return false;
  return add_access(r, inst, stmt, LLVMGetOperand(inst, 0), 0, length, true);
}
