/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A value that is loaded in front of a loop for use inside it is loaded there instead, where nothing keeps the loop from
 * moving outwards (and where LLVM hoists it again if it stays):
 *
 *   P: t = alpha * A[i][k];  for j: R: C[i][j] += t * B[k][j]     ->     for j: R: C[i][j] += (alpha * A[i][k]) * B[k][j]
 *
 * P's instructions for t come first in R. They run where P has run, with the same operands, and load the same values
 * (tsr_scop_can_reload). Where parameters choose one of several ways in which a value comes about, what uses it becomes as
 * many statements, each for the parameters of one way:
 *
 *   if (up) P: t = A[i][k]; else Q: t = A[k][i];    R: C[i][j] += t * B[k][j]
 *                  ->    up: R: C[i][j] += A[i][k] * B[k][j]    !up: R': C[i][j] += A[k][i] * B[k][j] */
#include "read/memory/memory.h"
#include <stdlib.h>
#include <string.h>

#define MAX_LOADS 2
#define MAX_OPERATIONS 4
#define MAX_WAYS 4

/* How array `array` comes about: instructions of statement `writer`, in order. */
struct recipe {
  struct tsr_model *m;
  int array, writer;
  LLVMValueRef value; /* which is what is written */
  isl_set *where;     /* for which parameters; NULL: for all */
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
  value = tsr_stmt_value(s, value);
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

/* Does S, which is in WRITER's loops and no others, run only where more is so, or where WRITER's last instruction says so
 * (control/zero_skips.c)? */
static bool is_behind_condition(const struct tsr_model *m, int writer, int s)
{
  LLVMBasicBlockRef block = m->stmts[writer].block;
  for (int i = 0; i < m->n_skip; i++)
    if (!m->skip[i].often && m->skip[i].at.block == block && m->stmts[s].block != block)
      return true;
  isl_set *all = isl_set_reset_tuple_id(isl_set_copy(m->scop->stmts[writer].domain));
  isl_set *own = isl_set_reset_tuple_id(isl_set_copy(m->scop->stmts[s].domain));
  bool same = isl_set_is_equal(all, own) != isl_bool_false;
  isl_set_free(all);
  isl_set_free(own);
  return !same;
}

/* Does S read ARRAY? */
static bool reads(const struct tsr_stmt_info *s, int array)
{
  bool any = false;
  for (int i = 0; i < s->n_read; i++)
    any |= s->read[i] == array;
  return any;
}

/* Does statement STMT read the array inside of more loops than the writer is in, or behind a condition at its end? */
static bool is_reader(const struct recipe *r, int stmt)
{
  const struct tsr_stmt_info *w = &r->m->stmts[r->writer], *s = &r->m->stmts[stmt];
  return reads(s, r->array) && s->n_loop >= w->n_loop && !memcmp(s->loops, w->loops, w->n_loop * sizeof(*w->loops)) &&
         (s->n_loop > w->n_loop || is_behind_condition(r->m, r->writer, stmt));
}

/* Do all that use the array run but seldom beside statements in more loops? What is dear may be done anew there. */
static bool runs_seldom(const struct recipe *r)
{
  int most = 0, own = 0;
  for (int i = 0; i < r->m->n_stmt; i++) {
    int n = r->m->stmts[i].n_loop;
    most = n > most ? n : most;
    own = is_reader(r, i) && n > own ? n : own;
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
    if (is_reader(r, i)) {
      isl_map *map = isl_map_from_domain_and_range(isl_set_copy(from), isl_set_copy(m->scop->stmts[i].domain));
      for (int d = 0; d < m->stmts[r->writer].n_loop; d++)
        map = isl_map_equate(map, isl_dim_in, d, isl_dim_out, d);
      pairs = isl_union_map_add_map(pairs, map);
    }
  return r->where ? isl_union_map_intersect_params(pairs, isl_set_copy(r->where)) : pairs;
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
  return r->where ? isl_union_map_intersect_params(loads, isl_set_copy(r->where)) : loads;
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
  to->length = tsr_poly_copy(from->length);
  to->count = tsr_poly_copy(from->count);
  to->index = from->index ? calloc(n_dim + 1, sizeof(*to->index)) : NULL;
  for (int i = 0; i < n_dim && from->index; i++)
    to->index[i] = tsr_poly_copy(from->index[i]);
  m->n_access++;
  for (int i = 0; i < m->n_array; i++)
    m->arrays[i].home += m->arrays[i].home > 0;
}

/* PHI is VALUE for all instances of S. */
static void add_same(struct tsr_stmt_info *s, LLVMValueRef phi, LLVMValueRef value)
{
  s->same = realloc(s->same, (s->n_same + 1) * sizeof(*s->same));
  s->same[s->n_same++] = (struct tsr_same){phi, value};
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
  if (m->arrays[r->array].origin != r->value)
    add_same(s, m->arrays[r->array].origin, r->value);
  for (int i = 0; i < m->stmts[r->writer].n_same; i++)
    add_same(s, m->stmts[r->writer].same[i].phi, m->stmts[r->writer].same[i].value);
  for (int i = 0; i < s->n_write; i++) /* what is made of the value may follow it now */
    m->arrays[s->write[i].array].tried = false;
}

/* STMT, a writer, need not write ARRAY, which nobody reads. Does it do nothing else? */
static bool writer_change(struct tsr_model *m, int stmt, int array)
{
  struct tsr_stmt_info *s = &m->stmts[stmt];
  int n = 0;
  for (int i = 0; i < s->n_write; i++)
    if (s->write[i].array != array)
      s->write[n++] = s->write[i];
  s->n_write = n;
  bool idle = !n && !s->inner.n;
  for (int i = 0; i < s->n_inst; i++)
    idle &= !LLVMIsAStoreInst(s->inst[i]) && !LLVMIsACallInst(s->inst[i]);
  return idle;
}

/* Nobody reads ARRAY: it isn't written, and what does nothing else doesn't run. */
static void drop_writes(struct tsr_model *m, int array)
{
  bool *drop = calloc(m->n_stmt + 1, sizeof(*drop));
  bool is_read = false;
  for (int i = 0; i < m->n_stmt; i++)
    is_read |= reads(&m->stmts[i], array);
  for (int i = 0; i < m->n_stmt && !is_read; i++)
    for (int k = 0; k < m->stmts[i].n_write; k++)
      if (m->stmts[i].write[k].array == array) {
        drop[i] = writer_change(m, i, array);
        break;
      }
  tsr_model_drop_stmts(m, drop);
  free(drop);
}

/* A copy of N items of SIZE bytes, and room for one more. */
static void *copy_of(const void *from, int n, size_t size)
{
  void *to = malloc(((size_t)n + 1) * size);
  if (n > 0)
    memcpy(to, from, (size_t)n * size);
  return to;
}

/* Another statement like STMT, right behind it. */
static void stmt_double(struct tsr_model *m, int stmt)
{
  m->stmts = realloc(m->stmts, (m->n_stmt + 1) * sizeof(*m->stmts));
  memmove(&m->stmts[stmt + 2], &m->stmts[stmt + 1], (m->n_stmt - stmt - 1) * sizeof(*m->stmts));
  m->n_stmt++;
  struct tsr_stmt_info *from = &m->stmts[stmt], *to = &m->stmts[stmt + 1];
  *to = *from;
  to->inner.block = copy_of(from->inner.block, from->inner.n, sizeof(*from->inner.block));
  to->loops = copy_of(from->loops, from->n_loop, sizeof(*from->loops));
  to->inst = copy_of(from->inst, from->n_inst, sizeof(*from->inst));
  to->read = copy_of(from->read, from->n_read, sizeof(*from->read));
  to->write = copy_of(from->write, from->n_write, sizeof(*from->write));
  to->same = copy_of(from->same, from->n_same, sizeof(*from->same));
  to->domain = isl_set_copy(from->domain);
  to->known.right = to->known.allowed = NULL;
  for (int i = 0; i < m->n_access; i++)
    m->access[i].stmt += m->access[i].stmt > stmt;
  for (int i = m->n_access - 1, left = i; left >= 0; left--, i--)
    if (m->access[i].stmt == stmt) {
      access_prepend(m, i, stmt + 1);
      i++;
    }
}

/* ---- which arrays ---- */

/* The ways in which ARRAY comes about in WAY, MAX_WAYS of them, up to conditions; their number, 0: too many. */
static int find_ways(struct tsr_model *m, int array, struct recipe *way)
{
  int n = 0;
  for (int i = 0; i < m->n_stmt; i++) {
    int own = 0;
    for (int k = 0; k < m->stmts[i].n_write; k++) {
      if (m->stmts[i].write[k].array != array)
        continue;
      if (n == MAX_WAYS || own++)
        return 0;
      way[n++] = (struct recipe){.m = m, .array = array, .writer = i, .value = m->stmts[i].write[k].value};
    }
  }
  return n;
}

/* Say for which parameters each of N WAYs is the one. Do parameters alone say so for all that read the array? */
static bool find_conditions(struct recipe *way, int n)
{
  struct tsr_model *m = way->m;
  isl_union_map *flow = tsr_scop_scalar_flow(m->scop, way->array);
  bool good = flow != NULL;
  for (int i = 0; i < n; i++) {
    isl_set *writer = m->scop->stmts[way[i].writer].domain;
    isl_union_map *own =
        isl_union_map_intersect_domain(isl_union_map_copy(flow), isl_union_set_from_set(isl_set_copy(writer)));
    way[i].where = isl_set_coalesce(isl_union_map_params(isl_union_map_copy(own)));
    isl_union_set *fed = isl_union_map_range(own), *all = isl_union_set_empty_ctx(m->ctx);
    for (int k = 0; k < m->n_stmt; k++)
      if (reads(&m->stmts[k], way->array))
        all = isl_union_set_add_set(all, isl_set_copy(m->scop->stmts[k].domain));
    all = isl_union_set_intersect_params(all, isl_set_intersect(tsr_scop_common(m->scop), isl_set_copy(way[i].where)));
    good = good && isl_union_set_is_equal(all, fed) == isl_bool_true;
    isl_union_set_free(all);
    isl_union_set_free(fed);
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++)
      good = good && isl_set_is_disjoint(way[i].where, way[k].where) == isl_bool_true;
  isl_union_map_free(flow);
  return good;
}

/* Can what WAY is about be loaded and computed where it is used? ALONE: there is no other way. */
static bool can_reload(struct recipe *way, bool alone)
{
  struct tsr_model *m = way->m;
  for (int i = 0; i < m->n_stmt; i++)
    if (!alone && reads(&m->stmts[i], way->array) && !is_reader(way, i))
      return false;
  if (!recipe_add(way, way->value) || (alone && !way->n_load) || (way->divides && !runs_seldom(way)))
    return false;
  isl_union_map *pairs = recipe_pairs(way), *loads = recipe_loads(way);
  isl_bool can = tsr_scop_can_reload(m->scop, way->array, pairs, loads);
  isl_union_map_free(pairs);
  isl_union_map_free(loads);
  return can == isl_bool_true;
}

/* All that reads the array does it in one of N WAYs. */
static void apply(struct recipe *way, int n)
{
  struct tsr_model *m = way->m;
  bool *reader = calloc(m->n_stmt + 1, sizeof(*reader));
  for (int i = 0; i < m->n_stmt; i++)
    reader[i] = is_reader(way, i);
  for (int i = m->n_stmt - 1; i >= 0; i--) {
    if (!reader[i])
      continue;
    for (int k = 1; k < n; k++) {
      stmt_double(m, i);
      for (int l = 0; l < n; l++)
        way[l].writer += way[l].writer > i;
    }
    for (int k = 0; k < n; k++) {
      if (way[k].where)
        m->stmts[i + k].domain = isl_set_intersect(m->stmts[i + k].domain, isl_set_copy(way[k].where));
      reader_change(&way[k], i + k);
    }
  }
  free(reader);
  drop_writes(m, way->array);
}

/* Compute the value of ARRAY where it is used: true, if that can be. */
static bool try_array(struct tsr_model *m, int array)
{
  struct recipe way[MAX_WAYS];
  struct tsr_array_info *a = &m->arrays[array];
  int n = a->live_out || a->home ? 0 : find_ways(m, array, way), readers = 0;
  for (int i = 0; n > 0 && i < m->n_stmt; i++)
    readers += is_reader(way, i);
  bool good = readers > 0 && (n > 1 ? find_conditions(way, n) : !a->is_phi);
  for (int i = 0; i < n && good; i++)
    good = can_reload(&way[i], n == 1);
  if (good)
    apply(way, n);
  for (int i = 0; i < n; i++)
    isl_set_free(way[i].where);
  return good;
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
