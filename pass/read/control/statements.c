/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks -> statements, scalars and raw accesses.
 *
 * 1. control_units.c  every unit of the run with its domain and the loops around it
 * 2. needed_values.c  which instructions must be copied, and which values cross from unit to unit
 * 3. split    a unit is cut behind each store, so that each store is a statement of its own, unless a part needs a value
 *             that was loaded in front of an earlier store to the same array (but for parts of a number, number_parts.c),
 *             or shares too much work with it. Inner blocks
 *             with their branches are never cut, nor are they from the scalars that are written behind them. Where the model
 *             wants sums apart (memory/expanded_scalars.c), scalars that have no work in common are statements, too, and so
 *             is the store of one to an array that is there for it. */
#include "read/control/control.h"
#include "read/reader.h"
#include <stdlib.h>
#include <string.h>

#define MAX_STMTS 150
#define MAX_SHARED 4
#define MAX_APART 16

/* A part of a block: the instructions that one or more of its roots need. */
struct part {
  bool *member; /* of the block's instructions */
  bool tail;    /* does it write scalars of the unit, and hold its inner blocks? */
  bool *write;  /* .. by write of the unit: this one? NULL: all */
  bool copy;    /* is it but a store of what another part writes to a scalar? */
};

/* The entry of VALUE; NULL: it is no instruction of a unit. */
static struct val *val_of(struct reader *r, LLVMValueRef value)
{
  int i = LLVMIsAInstruction(value) ? tsr_reader_find(r, value) : -1;
  return i < 0 ? NULL : &r->vals[i];
}

/* Add to P, a part of unit B, the instructions that VALUE is computed from. */
static void slice(struct reader *r, struct part *p, LLVMValueRef value, int b)
{
  struct val *v = val_of(r, value);
  if (!v || tsr_can_remat(r->m, value, tsr_reader_loop(r, b)))
    return;
  if (v->role == TSR_ROLE_PHI && tsr_reader_forwards(r, value)) {
    slice(r, p, LLVMGetIncomingValue(value, 0), b);
    return;
  }
  if (v->role == TSR_ROLE_PHI && !v->inner)
    return;
  int at = v - r->vals - r->blks[b].first;
  if (v->blk != b || p->member[at])
    return;
  p->member[at] = true;
  for (int i = 0; i < LLVMGetNumOperands(value); i++)
    slice(r, p, LLVMGetOperand(value, i), b);
}

/* The pointer that the address of ACCESS is counted from; NULL: unknown. */
static LLVMValueRef base_of(struct tsr_model *m, LLVMValueRef access)
{
  LLVMValueRef pointer = LLVMGetOperand(access, LLVMIsAStoreInst(access) ? 1 : 0); /* a transfer's first: where it writes */
  tsr_scev s = tsr_scev_of(m->a, pointer);
  return s ? tsr_scev_pointer_base(m->a, s) : NULL;
}

/* Does PART write write K of its unit? */
static bool part_writes(const struct part *part, int k)
{
  return part->tail && (!part->write || part->write[k]);
}

/* The SCALAR array that VALUE, an operand in unit B, comes from; -1: none. */
static int source_of(struct reader *r, LLVMValueRef value, int b)
{
  struct val *v = val_of(r, value);
  if (!v || tsr_can_remat(r->m, value, tsr_reader_loop(r, b)))
    return -1;
  if (v->role == TSR_ROLE_PHI && tsr_reader_forwards(r, value))
    return source_of(r, LLVMGetIncomingValue(value, 0), b);
  return v->role == TSR_ROLE_PHI && v->blk == b && !v->inner ? v->phi : v->blk != b ? v->out : -1;
}

/* Does PART of unit B read SCALAR array ARRAY? */
static bool part_reads(struct reader *r, int b, const struct part *part, int array)
{
  const struct blk *blk = &r->blks[b];
  for (int i = 0; i < blk->n; i++)
    for (int k = 0; part->member[i] && k < LLVMGetNumOperands(r->vals[blk->first + i].inst); k++)
      if (source_of(r, LLVMGetOperand(r->vals[blk->first + i].inst, k), b) == array)
        return true;
  for (int k = 0; k < blk->n_write; k++)
    if (part_writes(part, k) && source_of(r, blk->write[k].value, b) == array)
      return true;
  return false;
}

/* Do P and Q, which both write scalars of unit B, write one value, or does Q, which comes later, read what P has written by
 * then? Scalars are read as they were in front of the unit. */
static bool share_scalars(struct reader *r, int b, const struct part *p, const struct part *q)
{
  const struct tsr_scalar_write *write = r->blks[b].write;
  for (int i = 0; i < r->blks[b].n_write; i++) {
    if (!part_writes(p, i))
      continue;
    if (part_reads(r, b, q, write[i].array))
      return true;
    for (int k = 0; k < r->blks[b].n_write; k++)
      if (part_writes(q, k) && write[k].value == write[i].value && !LLVMIsAConstant(write[i].value))
        return true;
  }
  return false;
}

/* The only store of PART of unit B; NULL: it has none, several or a transfer. */
static LLVMValueRef only_store(struct reader *r, int b, const struct part *part)
{
  LLVMValueRef store = NULL;
  for (int i = 0; i < r->blks[b].n; i++) {
    struct val *v = &r->vals[r->blks[b].first + i];
    if (!part->member[i] || !tsr_role_stores(v->role))
      continue;
    if (store || !LLVMIsAStoreInst(v->inst))
      return NULL;
    store = v->inst;
  }
  return store;
}

/* May LOAD, of Q, read in an iteration what STORE, of P, writes in it? PARTS: do they write parts of one number? */
static bool may_meet(struct tsr_model *m, LLVMValueRef load, LLVMValueRef store, bool parts)
{
  LLVMValueRef x = base_of(m, load), y = base_of(m, store);
  return !x || !y || (x == y && (!parts || tsr_parts_may_meet(m, load, store)));
}

/* Must P and Q (P's roots come first) be one statement? */
static bool must_merge(struct reader *r, int unit, struct part *p, struct part *q)
{
  if (p->copy || q->copy)
    return false;
  const struct blk *b = &r->blks[unit];
  int shared = 0, last_store = -1;
  for (int i = 0; i < b->n; i++) {
    struct val *v = &r->vals[b->first + i];
    bool cheap = LLVMGetInstructionOpcode(v->inst) == LLVMFNeg; /* of a conjugate: a - b and not a + b */
    if (p->member[i] && q->member[i] && v->role == TSR_ROLE_PURE && !cheap)
      shared += LLVMIsACallInst(v->inst) ? MAX_SHARED + 1 : 1;
    if (p->member[i] && tsr_role_stores(v->role))
      last_store = i;
  }
  if (shared > MAX_SHARED || (p->tail && q->tail && (shared > 0 || share_scalars(r, unit, p, q))))
    return true;
  LLVMValueRef first = only_store(r, unit, p), second = only_store(r, unit, q);
  bool parts = shared == 0 && first && second && tsr_are_parts(r->m, first, second);
  for (int i = 0; i < last_store; i++)
    for (int k = i + 1; q->member[i] && r->vals[b->first + i].role == TSR_ROLE_LOAD && k <= last_store; k++)
      if (p->member[k] && tsr_role_stores(r->vals[b->first + k].role) &&
          may_meet(r->m, r->vals[b->first + i].inst, r->vals[b->first + k].inst, parts))
        return true;
  return false;
}

/* Make one part of those that must be one statement, and of what is between them. */
static void merge_parts(struct reader *r, int unit, struct part *parts, int *n)
{
  const struct blk *b = &r->blks[unit];
  for (bool again = true; again;) {
    again = false;
    for (int i = 0; i < *n && !again; i++)
      for (int k = *n - 1; k > i && !again; k--) {
        if (!must_merge(r, unit, &parts[i], &parts[k]))
          continue;
        for (int x = i + 1; x <= k; x++) {
          for (int j = 0; j < b->n; j++)
            parts[i].member[j] |= parts[x].member[j];
          for (int j = 0; j < b->n_write && parts[x].tail && parts[x].write; j++)
            parts[x].write[j] |= part_writes(&parts[i], j);
          if (parts[x].tail) {
            free(parts[i].write);
            parts[i].write = parts[x].write;
          }
          parts[i].tail |= parts[x].tail;
          free(parts[x].member);
        }
        memmove(&parts[i + 1], &parts[k + 1], (*n - k - 1) * sizeof(*parts));
        *n -= k - i;
        again = true;
      }
  }
}

/* S reads SCALAR array ARRAY. */
static void read_add(struct tsr_stmt_info *s, int array)
{
  for (int i = 0; i < s->n_read; i++)
    if (s->read[i] == array)
      return;
  s->read = realloc(s->read, (s->n_read + 1) * sizeof(*s->read));
  s->read[s->n_read++] = array;
}

/* VALUE, an operand in a statement of block B: which SCALAR arrays does it come from? */
static void reads_of(struct reader *r, struct tsr_stmt_info *s, LLVMValueRef value, int b)
{
  struct val *v = val_of(r, value);
  if (!v || tsr_can_remat(r->m, value, tsr_reader_loop(r, b)))
    return;
  if (v->role == TSR_ROLE_PHI && tsr_reader_forwards(r, value))
    reads_of(r, s, LLVMGetIncomingValue(value, 0), b);
  else if (v->role == TSR_ROLE_PHI && v->blk == b && !v->inner)
    read_add(s, v->phi);
  else if (v->blk != b)
    read_add(s, v->out);
}

/* The last instruction of P; NULL: it has none. */
static LLVMValueRef last_member(struct reader *r, struct blk *b, struct part *p)
{
  for (int i = b->n - 1; i >= 0; i--)
    if (p->member[i])
      return r->vals[b->first + i].inst;
  return NULL;
}

/* The part P of unit B becomes a statement; false: an access can't be modelled. */
static bool stmt_add(struct reader *r, int b, struct part *p)
{
  struct tsr_model *m = r->m;
  struct blk *blk = &r->blks[b];
  if (m->n_stmt == MAX_STMTS)
    return tsr_model_reject(m, TSR_REASON_Size, last_member(r, blk, p), NULL);
  m->stmts = realloc(m->stmts, (m->n_stmt + 1) * sizeof(*m->stmts));
  struct tsr_stmt_info *s = &m->stmts[m->n_stmt];
  *s = (struct tsr_stmt_info){.block = blk->block, .n_loop = blk->n_loop, .domain = isl_set_copy(blk->domain)};
  s->loops = malloc((blk->n_loop + 1) * sizeof(*s->loops));
  memcpy(s->loops, blk->loops, blk->n_loop * sizeof(*s->loops));
  s->inst = malloc((blk->n + 1) * sizeof(*s->inst));
  for (int i = 0; i < blk->n; i++) {
    LLVMValueRef inst = r->vals[blk->first + i].inst;
    if (!p->member[i])
      continue;
    s->inst[s->n_inst++] = inst;
    for (int k = 0; k < LLVMGetNumOperands(inst); k++)
      reads_of(r, s, LLVMGetOperand(inst, k), b);
    if (p->copy)
      read_add(s, val_of(r, LLVMGetOperand(inst, 0))->out);
  }
  s->guard = blk->guard;
  s->guard_when = blk->guard_when;
  if (s->guard)
    reads_of(r, s, s->guard, b);
  if (p->tail && blk->control) {
    s->inner = blk->inner;
    s->meet = blk->meet;
    blk->inner = (struct tsr_blocks){0};
    for (int i = -1; i < s->inner.n; i++) {
      LLVMValueRef cond = tsr_branch_condition(i < 0 ? s->block : s->inner.block[i]);
      if (cond)
        reads_of(r, s, cond, b);
    }
  }
  if (p->tail) {
    s->write = malloc((blk->n_write + 1) * sizeof(*s->write));
    for (int i = 0; i < blk->n_write; i++)
      if (part_writes(p, i))
        s->write[s->n_write++] = blk->write[i];
    for (int i = 0; i < s->n_write; i++)
      reads_of(r, s, s->write[i].value, b);
  }
  m->n_stmt++;
  for (int i = 0; i < m->stmts[m->n_stmt - 1].n_inst; i++)
    if (!tsr_reader_access(r, m->stmts[m->n_stmt - 1].inst[i], m->n_stmt - 1))
      return false;
  return true;
}

/* A part of unit B that writes its scalars, ONLY: write number ONLY; else all, with what is behind its branch. */
static void slice_tail(struct reader *r, int b, struct part *p, int only)
{
  struct blk *blk = &r->blks[b];
  p->member = calloc(blk->n + 1, sizeof(bool));
  p->tail = true;
  if (only >= 0) {
    p->write = calloc(blk->n_write, sizeof(bool));
    p->write[only] = true;
  }
  for (int i = 0; i < blk->n_write; i++)
    if (part_writes(p, i))
      slice(r, p, blk->write[i].value, b);
  for (int i = -1; i < blk->inner.n && blk->control; i++) {
    LLVMValueRef cond = tsr_branch_condition(i < 0 ? blk->block : blk->inner.block[i]);
    if (cond)
      slice(r, p, cond, b);
  }
  for (int i = 0; i < blk->n; i++)
    if (r->vals[blk->first + i].inner && tsr_role_stores(r->vals[blk->first + i].role))
      slice(r, p, r->vals[blk->first + i].inst, b);
}

/* Does instruction I of unit B store one of its values, which it writes to a SCALAR array as well, to an array that is there
 * for that? */
static bool is_copy(struct reader *r, int b, int i)
{
  LLVMValueRef inst = r->vals[r->blks[b].first + i].inst, base = LLVMIsAStoreInst(inst) ? base_of(r->m, inst) : NULL;
  struct val *v = base && tsr_is_expanded(base) ? val_of(r, LLVMGetOperand(inst, 0)) : NULL;
  return v && v->blk == b && v->role != TSR_ROLE_PHI && v->out >= 0;
}

/* How many loops are around sums whose parts are statements of their own? */
static int depth_of_sums(const struct reader *r)
{
  int deep = TSR_DEEP - 1;
  for (int b = 0; b < r->n_blk; b++)
    deep = r->blks[b].n_loop >= TSR_DEEP ? TSR_DEEP : deep;
  return deep;
}

/* Unit B -> statements */
static bool split(struct reader *r, int b)
{
  struct blk *blk = &r->blks[b];
  if (blk->to && isl_set_is_empty(blk->domain) == isl_bool_true)
    return true;
  enum tsr_apart which = r->m->apart;
  bool apart = (which == TSR_APART_ALL || (which == TSR_APART_SUMS && blk->n_loop >= depth_of_sums(r))) && !blk->control &&
               blk->n_write <= MAX_APART;
  struct part *parts = calloc(blk->n + blk->n_write + 1, sizeof(*parts));
  int n = 0;
  for (int i = 0; i < blk->n; i++)
    if (tsr_role_stores(r->vals[blk->first + i].role) && !r->vals[blk->first + i].inner && !is_copy(r, b, i)) {
      parts[n].member = calloc(blk->n, sizeof(bool));
      slice(r, &parts[n++], r->vals[blk->first + i].inst, b);
    }
  for (int i = 0; i < blk->n_write && apart; i++)
    slice_tail(r, b, &parts[n++], i);
  if (!apart && (blk->n_write || blk->control))
    slice_tail(r, b, &parts[n++], -1);
  for (int i = 0; i < blk->n; i++)
    if (!r->vals[blk->first + i].inner && is_copy(r, b, i)) {
      parts[n] = (struct part){.member = calloc(blk->n, sizeof(bool)), .copy = true};
      parts[n++].member[i] = true;
    }
  merge_parts(r, b, parts, &n);
  bool ok = true;
  for (int i = 0; i < n; i++) {
    ok = ok && stmt_add(r, b, &parts[i]);
    free(parts[i].member);
    free(parts[i].write);
  }
  free(parts);
  return ok;
}

/* Free what R owns. */
static struct reader reader_clear(struct reader r)
{
  for (int i = 0; i < r.n_blk; i++) {
    isl_set_free(r.blks[i].domain);
    free(r.blks[i].write);
    free(r.blks[i].inner.block);
  }
  free(r.blks);
  free(r.vals);
  free(r.hash);
  return (struct reader){0};
}

/* Loads that an invariant stands for: what is certain to run, in the order in which it does; inner blocks may run, and
 * so may those behind a condition that is only tested later, or each time. */
static bool lift_loads(struct reader *r)
{
  bool stored = false, ok = true;
  for (int b = 0; ok && b < r->n_blk; b++) {
    struct blk *blk = &r->blks[b];
    isl_set *never = isl_set_empty(isl_set_get_space(blk->domain));
    ok = blk->to || tsr_lift_block(r->m, blk->block, blk->assumed || blk->guard ? never : blk->domain, &stored);
    for (int i = 0; ok && i < blk->inner.n; i++)
      ok = tsr_lift_block(r->m, blk->inner.block[i], never, &stored);
    isl_set_free(never);
  }
  return ok && tsr_lift_before(r->m);
}

bool tsr_model_statements(struct tsr_model *m)
{
  struct reader r = {.m = m};
  bool ok = tsr_reader_visit(&r) && lift_loads(&r) && tsr_reader_need(&r);
  for (int b = 0; ok && b < r.n_blk; b++)
    ok = split(&r, b);
  reader_clear(r);
  return ok;
}
