/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From the roots (stores, values used behind the SCoP) backwards: which instructions must be copied, and which values cross
 * from unit to unit; those become zero-dimensional SCALAR arrays:
 *
 *   a value v     one array, written by the statement of its unit
 *   a phi p       one array written at the end of each predecessor, read in p's unit; and one more of the first kind if
 *                 other units use p
 *
 * A phi inside of a unit, where paths of its inner blocks meet, is copied as a phi. What can be computed anew from counters
 * and invariants (tsr_can_remat) crosses nothing. */
#include "read/reader.h"
#include <stdio.h>
#include <stdlib.h>

/* A new SCALAR array, for ORIGIN */
static int scalar_new(struct tsr_model *m, LLVMValueRef origin, bool is_phi)
{
  m->arrays = realloc(m->arrays, (m->n_array + 1) * sizeof(*m->arrays));
  struct tsr_array_info *a = &m->arrays[m->n_array];
  *a = (struct tsr_array_info){.kind = TSR_ARRAY_SCALAR, .origin = origin, .is_phi = is_phi};
  snprintf(a->name, sizeof(a->name), "%s%d", is_phi ? "phi" : "val", m->n_array);
  return m->n_array++;
}

/* B writes VALUE to ARRAY when control leaves its block FROM. */
static void write_add(struct blk *b, int array, LLVMValueRef value, LLVMBasicBlockRef from)
{
  for (int i = 0; i < b->n_write; i++)
    if (b->write[i].array == array && b->write[i].from == from)
      return;
  b->write = realloc(b->write, (b->n_write + 1) * sizeof(*b->write));
  b->write[b->n_write++] = (struct tsr_scalar_write){array, value, from};
}

static bool need(struct reader *r, LLVMValueRef value, int b);
static bool need_in_block(struct reader *r, int index);

/* The inner blocks of unit B matter: their stores, or the way through them. */
static bool need_control(struct reader *r, int b)
{
  if (r->blks[b].control || !r->blks[b].inner.n)
    return true;
  r->blks[b].control = true;
  for (int i = -1; i < r->blks[b].inner.n; i++) {
    LLVMValueRef cond = tsr_branch_condition(i < 0 ? r->blks[b].block : r->blks[b].inner.block[i]);
    if (cond && !need(r, cond, b))
      return false;
  }
  for (int i = r->blks[b].first; i < r->blks[b].first + r->blks[b].n; i++)
    if (r->vals[i].inner && tsr_role_stores(r->vals[i].role) && !need_in_block(r, i))
      return false;
  return true;
}

/* The array of PHI (which may stand in the exit block); its incoming values are needed at the ends of their blocks. */
static int phi_array(struct reader *r, LLVMValueRef phi)
{
  int array = scalar_new(r->m, phi, true);
  int index = tsr_reader_find(r, phi);
  if (index >= 0)
    r->vals[index].phi = array;
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    int from = tsr_reader_blk(r, LLVMGetIncomingBlock(phi, i), LLVMGetInstructionParent(phi));
    if (from < 0)
      continue;
    write_add(&r->blks[from], array, LLVMGetIncomingValue(phi, i), LLVMGetIncomingBlock(phi, i));
    if (!need(r, LLVMGetIncomingValue(phi, i), from) || !need_control(r, from))
      return -1;
  }
  return array;
}

/* Instruction INDEX must be copied, with what it is computed from. False: that can't be. */
static bool need_in_block(struct reader *r, int index)
{
  struct val *v = &r->vals[index];
  if (v->needed)
    return true;
  v->needed = true;
  if (v->role == TSR_ROLE_REJECT)
    return tsr_model_reject(r->m, v->reason, v->inst, NULL);
  LLVMValueRef inst = v->inst;
  int b = v->blk;
  for (int i = 0; i < LLVMGetNumOperands(inst); i++)
    if (!need(r, LLVMGetOperand(inst, i), b))
      return false;
  return true;
}

/* The value of INDEX is used in another unit: it has a SCALAR array. */
static bool value_out(struct reader *r, int index)
{
  struct val *v = &r->vals[index];
  if (v->out >= 0)
    return true;
  if (v->inner) /* it doesn't dominate what follows */
    return tsr_model_reject(r->m, TSR_REASON_Control, v->inst, NULL);
  v->out = scalar_new(r->m, v->inst, false);
  write_add(&r->blks[v->blk], v->out, v->inst, r->blks[v->blk].block);
  return need(r, v->inst, v->blk);
}

/* VALUE is used by a statement of block B. */
static bool need(struct reader *r, LLVMValueRef value, int b)
{
  struct tsr_model *m = r->m;
  if (!LLVMIsAInstruction(value) || !tsr_model_in_region(m, value) || tsr_can_remat(m, value, tsr_reader_loop(r, b)))
    return true;
  int index = tsr_reader_find(r, value);
  if (index < 0) /* a terminator's value: none is accepted */
    return tsr_model_reject(m, TSR_REASON_Instruction, value, NULL);
  struct val *v = &r->vals[index];
  if (v->role != TSR_ROLE_PHI)
    return v->blk == b ? need_in_block(r, index) : value_out(r, index);
  if (tsr_reader_forwards(r, value))
    return need(r, LLVMGetIncomingValue(value, 0), b);
  if (v->inner)
    return v->blk == b ? need_in_block(r, index) : value_out(r, index);
  if (v->phi < 0 && phi_array(r, value) < 0)
    return false;
  return r->vals[index].blk == b || value_out(r, index);
}

/* Is INST used behind the SCoP, phis of its exit excepted? */
static bool is_used_behind(struct reader *r, LLVMValueRef inst)
{
  for (LLVMUseRef u = LLVMGetFirstUse(inst); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    LLVMBasicBlockRef block = LLVMGetInstructionParent(user);
    /* phis of the exit are handled on their own; where the program ends nothing is left to do */
    if (!tsr_blocks_have(&r->m->blocks, block) && !tsr_blocks_have(&r->m->errors, block) &&
        !(block == r->m->exit && LLVMIsAPHINode(user)))
      return true;
  }
  return false;
}

/* A call that may set errno must run even if nobody uses its value; we'd drop it. */
static bool errno_calls_are_kept(struct reader *r)
{
  for (int i = 0; i < r->n_val; i++) {
    struct val *v = &r->vals[i];
    if (v->role == TSR_ROLE_PURE && !v->needed && LLVMIsACallInst(v->inst) && tsr_call_effects(v->inst).errno_write)
      return tsr_model_reject(r->m, TSR_REASON_Errno, v->inst, NULL);
  }
  return true;
}

bool tsr_reader_forwards(struct reader *r, LLVMValueRef phi)
{
  if (LLVMCountIncoming(phi) != 1)
    return false;
  int from = tsr_reader_find(r, LLVMGetIncomingValue(phi, 0)), to = tsr_reader_find(r, phi);
  return from < 0 || !r->vals[from].inner || r->vals[from].blk == r->vals[to].blk;
}

/* Unit B stores something: its condition is needed there. */
static bool need_guard(struct reader *r, int b)
{
  LLVMValueRef guard = r->blks[b].guard;
  return !guard || need(r, guard, b);
}

/* A unit behind a condition of data around a loop only stores; what else it passes on would have to be chosen from. */
static bool guards_suffice(struct reader *r)
{
  for (int b = 0; b < r->n_blk; b++)
    if (r->blks[b].guard && r->blks[b].n_write)
      return tsr_model_reject(r->m, TSR_REASON_Condition, r->blks[b].guard, NULL);
  return true;
}

bool tsr_reader_need(struct reader *r)
{
  struct tsr_model *m = r->m;
  for (int i = 0; i < r->n_val; i++)
    if (tsr_role_stores(r->vals[i].role) &&
        (!(r->vals[i].inner ? need_control(r, r->vals[i].blk) : need_in_block(r, i)) || !need_guard(r, r->vals[i].blk)))
      return false;
  for (int i = 0; i < r->n_val; i++)
    if (r->vals[i].role != TSR_ROLE_IGNORE && is_used_behind(r, r->vals[i].inst)) {
      if (r->vals[i].role == TSR_ROLE_REJECT)
        return tsr_model_reject(m, r->vals[i].reason, r->vals[i].inst, NULL);
      if (!value_out(r, i))
        return false;
      m->arrays[r->vals[i].out].live_out = true;
    }
  for (LLVMValueRef i = LLVMGetFirstInstruction(m->exit); i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
    enum tsr_reason reason;
    if (tsr_inst_role(m, i, &reason) == TSR_ROLE_REJECT)
      return tsr_model_reject(m, reason, i, NULL);
    int array = phi_array(r, i);
    if (array < 0)
      return false;
    m->arrays[array].live_out = true;
  }
  return guards_suffice(r) && errno_calls_are_kept(r);
}
