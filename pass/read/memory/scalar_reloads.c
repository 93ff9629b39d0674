/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A value that is loaded in front of a loop for use inside it is loaded there instead, where nothing keeps the loop from
 * moving outwards (and where LLVM hoists it again if it stays):
 *
 *   P: t = alpha * A[i][k];  for j: R: C[i][j] += t * B[k][j]     ->     for j: R: C[i][j] += (alpha * A[i][k]) * B[k][j]
 *
 * P's instructions for t come first in R. They run where P has run, with the same operands, and load the same values
 * (tsr_scop_can_reload). */
#include "read/memory/memory.h"
#include <stdlib.h>
#include <string.h>

#define MAX_LOADS 2
#define MAX_OPERATIONS 4

/* How array `array` comes about: instructions of statement `writer`, in order. */
struct recipe {
  struct tsr_model *m;
  int array, writer;
  LLVMValueRef inst[MAX_LOADS + 2 * MAX_OPERATIONS + 4];
  int n, n_load, n_operation;
  bool divides;
};

/* Is INST arithmetic that costs less than to keep its value, or a division of floating-point numbers? */
static bool is_cheap(struct tsr_model *m, LLVMValueRef inst)
{
  enum tsr_reason reason;
  LLVMOpcode op = LLVMGetInstructionOpcode(inst);
  return op != LLVMCall && op != LLVMUDiv && op != LLVMSDiv && op != LLVMURem && op != LLVMSRem && op != LLVMFRem &&
         tsr_inst_role(m, inst, &reason) == TSR_ROLE_PURE;
}

/* Does S copy INST? */
static bool is_member(const struct tsr_stmt_info *s, LLVMValueRef inst)
{
  for (int i = 0; i < s->n_inst; i++)
    if (s->inst[i] == inst)
      return true;
  return false;
}

/* Can LOAD's address be computed anew? */
static bool has_free_address(const struct recipe *r, LLVMValueRef load)
{
  for (int i = 0; i < r->m->n_access; i++)
    if (r->m->access[i].inst == load && r->m->access[i].fixed)
      return false;
  return true;
}

/* Add what VALUE is made of, operands first. */
static bool recipe_add(struct recipe *r, LLVMValueRef value)
{
  struct tsr_stmt_info *s = &r->m->stmts[r->writer];
  if (!LLVMIsAInstruction(value) || !tsr_model_in_region(r->m, value) ||
      tsr_can_remat(r->m, value, tsr_loop_for(r->m->a, s->block)))
    return true;
  for (int i = 0; i < r->n; i++)
    if (r->inst[i] == value)
      return true;
  bool load = LLVMIsALoadInst(value);
  if (tsr_blocks_have(&s->inner, LLVMGetInstructionParent(value)) || !is_member(s, value) ||
      (!load && !is_cheap(r->m, value)))
    return false;
  if (load ? ++r->n_load > MAX_LOADS || !has_free_address(r, value) : ++r->n_operation > MAX_OPERATIONS)
    return false;
  for (int i = 0; i < LLVMGetNumOperands(value) && !load; i++)
    if (!recipe_add(r, LLVMGetOperand(value, i)))
      return false;
  r->divides |= LLVMGetInstructionOpcode(value) == LLVMFDiv;
  r->inst[r->n++] = value;
  return true;
}

/* Is INST in the recipe? */
static bool has_inst(const struct recipe *r, LLVMValueRef inst)
{
  for (int i = 0; i < r->n; i++)
    if (r->inst[i] == inst)
      return true;
  return false;
}

/* The only statement that writes ARRAY; -1 if there are more. */
static int writer_of(struct tsr_model *m, int array)
{
  int writer = -1;
  for (int i = 0; i < m->n_stmt; i++)
    for (int k = 0; k < m->stmts[i].n_write; k++)
      if (m->stmts[i].write[k].array == array) {
        if (writer >= 0)
          return -1;
        writer = i;
      }
  return writer;
}

/* Does BLOCK end with a condition that is assumed to hold (control/zero_skips.c)? */
static bool is_tested(const struct tsr_model *m, LLVMBasicBlockRef block)
{
  bool tested = false;
  for (int i = 0; i < m->n_skip; i++)
    tested |= m->skip[i].at.block == block;
  return tested;
}

/* Does statement S read ARRAY inside of more loops than WRITER is in, or behind a condition at WRITER's end? */
static bool is_reader(const struct recipe *r, const struct tsr_stmt_info *s)
{
  const struct tsr_stmt_info *w = &r->m->stmts[r->writer];
  for (int i = 0; i < s->n_read; i++)
    if (s->read[i] == r->array)
      return (s->n_loop > w->n_loop || (s->block != w->block && is_tested(r->m, w->block))) && s->n_loop >= w->n_loop &&
             !memcmp(s->loops, w->loops, w->n_loop * sizeof(*w->loops));
  return false;
}

/* Do all that use the array run but seldom beside statements in more loops? What is dear may be done anew there. */
static bool runs_seldom(const struct recipe *r)
{
  int most = 0, own = 0;
  for (int i = 0; i < r->m->n_stmt; i++) {
    int n = r->m->stmts[i].n_loop;
    most = n > most ? n : most;
    own = is_reader(r, &r->m->stmts[i]) && n > own ? n : own;
  }
  return own < most;
}

/* { P[i] -> R[i, j] } */
static isl_union_map *recipe_pairs(const struct recipe *r)
{
  struct tsr_model *m = r->m;
  isl_set *from = m->scop->stmts[r->writer].domain;
  isl_union_map *pairs = isl_union_map_empty_ctx(m->ctx);
  for (int i = 0; i < m->n_stmt; i++)
    if (is_reader(r, &m->stmts[i])) {
      isl_map *map = isl_map_from_domain_and_range(isl_set_copy(from), isl_set_copy(m->scop->stmts[i].domain));
      for (int d = 0; d < m->stmts[r->writer].n_loop; d++)
        map = isl_map_equate(map, isl_dim_in, d, isl_dim_out, d);
      pairs = isl_union_map_add_map(pairs, map);
    }
  return pairs;
}

/* { P[i] -> A[k] } */
static isl_union_map *recipe_loads(const struct recipe *r)
{
  struct tsr_model *m = r->m;
  isl_union_map *loads = isl_union_map_empty_ctx(m->ctx);
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].stmt == r->writer && has_inst(r, m->access[i].inst)) {
      isl_map *map = tsr_model_element(m, r->writer, &m->access[i]);
      map = isl_map_set_tuple_name(map, isl_dim_in, m->scop->stmts[r->writer].name);
      loads = isl_union_map_add_map(loads, isl_map_intersect_domain(map, isl_set_copy(m->scop->stmts[r->writer].domain)));
    }
  return loads;
}

/* ---- the change */

/* A copy of access AT for STMT, in front of all others. */
static void access_prepend(struct tsr_model *m, int at, int stmt)
{
  m->access = realloc(m->access, (m->n_access + 1) * sizeof(*m->access));
  memmove(m->access + 1, m->access, m->n_access * sizeof(*m->access));
  struct tsr_raw_access *from = &m->access[at + 1], *to = &m->access[0];
  int n_dim = m->arrays[from->array].n_dim;
  *to = *from;
  to->stmt = stmt;
  to->offset = tsr_poly_copy(from->offset);
  to->row = tsr_poly_copy(from->row);
  to->index = malloc((n_dim + 1) * sizeof(*to->index));
  for (int i = 0; i < n_dim; i++)
    to->index[i] = tsr_poly_copy(from->index[i]);
  m->n_access++;
  for (int i = 0; i < m->n_array; i++)
    m->arrays[i].home += m->arrays[i].home > 0;
}

/* STMT computes the value itself, and no longer reads the array. */
static void reader_change(const struct recipe *r, int stmt)
{
  struct tsr_model *m = r->m;
  struct tsr_stmt_info *s = &m->stmts[stmt];
  LLVMValueRef *inst = malloc((s->n_inst + r->n + 1) * sizeof(*inst));
  int n = 0;
  for (int i = 0; i < r->n; i++)
    if (!is_member(s, r->inst[i])) {
      inst[n++] = r->inst[i];
      for (int k = m->n_access - 1; LLVMIsALoadInst(r->inst[i]) && k >= 0; k--)
        if (m->access[k].inst == r->inst[i] && m->access[k].stmt == r->writer) {
          access_prepend(m, k, stmt);
          break;
        }
    }
  memcpy(inst + n, s->inst, s->n_inst * sizeof(*inst));
  free(s->inst);
  s->inst = inst;
  s->n_inst += n;
  n = 0;
  for (int i = 0; i < s->n_read; i++)
    if (s->read[i] != r->array)
      s->read[n++] = s->read[i];
  s->n_read = n;
  for (int i = 0; i < s->n_write; i++) /* what is made of the value may follow it now */
    m->arrays[s->write[i].array].tried = false;
}

/* The writer need not write what nobody reads; and not run if it does nothing else. */
static void writer_change(const struct recipe *r)
{
  struct tsr_model *m = r->m;
  struct tsr_stmt_info *s = &m->stmts[r->writer];
  for (int i = 0; i < m->n_stmt; i++)
    for (int k = 0; k < m->stmts[i].n_read; k++)
      if (m->stmts[i].read[k] == r->array)
        return;
  int n = 0;
  for (int i = 0; i < s->n_write; i++)
    if (s->write[i].array != r->array)
      s->write[n++] = s->write[i];
  s->n_write = n;
  bool idle = !n && !s->inner.n;
  for (int i = 0; i < s->n_inst; i++)
    idle &= !LLVMIsAStoreInst(s->inst[i]) && !LLVMIsACallInst(s->inst[i]);
  if (!idle)
    return;
  bool *drop = calloc(m->n_stmt + 1, sizeof(*drop));
  drop[r->writer] = true;
  tsr_model_drop_stmts(m, drop);
  free(drop);
}

/* Compute the value of ARRAY where it is used: true, if that can be. */
static bool try_array(struct tsr_model *m, int array)
{
  struct recipe r = {.m = m, .array = array, .writer = writer_of(m, array)};
  struct tsr_array_info *a = &m->arrays[array];
  int readers = 0;
  for (int i = 0; r.writer >= 0 && i < m->n_stmt; i++)
    readers += is_reader(&r, &m->stmts[i]);
  if (!readers || a->is_phi || a->live_out || a->home || !recipe_add(&r, a->origin) || !r.n_load ||
      (r.divides && !runs_seldom(&r)))
    return false;
  isl_union_map *pairs = recipe_pairs(&r), *loads = recipe_loads(&r);
  isl_bool can = tsr_scop_can_reload(m->scop, array, pairs, loads);
  isl_union_map_free(pairs);
  isl_union_map_free(loads);
  if (can != isl_bool_true)
    return false;
  for (int i = 0; i < m->n_stmt; i++)
    if (is_reader(&r, &m->stmts[i]))
      reader_change(&r, i);
  writer_change(&r);
  return true;
}

bool tsr_model_reload(struct tsr_model *m)
{
  for (int i = 0; i < m->n_array; i++)
    if (m->arrays[i].kind == TSR_ARRAY_SCALAR && !m->arrays[i].tried) {
      m->arrays[i].tried = true;
      if (try_array(m, i))
        return true;
    }
  return false;
}
