/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* May one believe what scalar evolution says of the values that come into a SCoP, where a proxy p stands for loads
 * (invariant_loads.c)?
 *
 *   do { f(); i++; } while (i < a->n);       i = max(1, p), if each of these loads gave p
 *   for (j = 0; j < i; j++) ..               the SCoP
 *
 *   for (k = 0; k < m; k++) {                s = {0, +, p}, if each of these loads gave p
 *     s += a->n;
 *     for (j = 0; j < s; j++) ..             the SCoP
 *   }
 *
 * Before the SCoP is entered the newest value of each load that it takes something from is compared with the others
 * (tsr_lift_before). That is enough where operands alone lead from the load to the value, or over the start of a counter of
 * a loop around the SCoP: it was loaded in front of that loop. It is not where a load decided how often a loop outside ran,
 * which way was taken, or was added up, nor where what was computed from a load comes round a loop outside. */
#include "read/read.h"

#define MAX_VALUES 256

struct incoming {
  struct tsr_model *m;
  tsr_loop around; /* the SCoP, NULL: none */
  LLVMValueRef seen[MAX_VALUES];
  int n;
};

/* Is S computed from a proxy? */
static bool has_proxy(struct tsr_model *m, tsr_scev s)
{
  if (tsr_scev_kind(s) == TSR_SCEV_UNKNOWN)
    return tsr_invariant_of(m->invariants, tsr_scev_value(s)) != NULL;
  for (unsigned i = 0; i < tsr_scev_n_operand(s); i++)
    if (has_proxy(m, tsr_scev_operand(s, i)))
      return true;
  return false;
}

/* A phi of whose value scalar evolution knows something that involves a proxy: is it a counter of a loop around the SCoP
 * with steps that don't? */
static bool is_plain_counter(struct incoming *in, LLVMValueRef phi)
{
  tsr_loop loop = tsr_loop_for(in->m->a, LLVMGetInstructionParent(phi));
  if (!loop || tsr_loop_header(loop) != LLVMGetInstructionParent(phi) || !in->around ||
      !tsr_loop_contains_loop(loop, in->around))
    return false;
  tsr_scev s = tsr_scev_of(in->m->a, phi);
  if (tsr_scev_kind(s) != TSR_SCEV_ADDREC)
    return true; /* the loads on its edges are members like any other */
  for (unsigned i = 1; i < tsr_scev_n_operand(s); i++)
    if (has_proxy(in->m, tsr_scev_operand(s, i)))
      return false;
  return true;
}

/* Has operand number OPERAND of USER another value in place of a phi outside of the SCoP? Its loads aren't compared. */
static bool was_phi_outside(struct incoming *in, LLVMValueRef user, unsigned operand)
{
  const struct tsr_invariants *v = in->m->invariants;
  for (int i = 0; i < v->n_same; i++)
    for (int u = 0; u < v->same[i].n_use && !tsr_model_in_region(in->m, v->same[i].inst); u++)
      if (v->same[i].use[u].user == user && v->same[i].use[u].operand == operand)
        return true;
  return false;
}

/* Is VALUE, from outside, what scalar evolution says? */
static bool holds(struct incoming *in, LLVMValueRef value)
{
  if (!LLVMIsAInstruction(value) || tsr_model_in_region(in->m, value) || tsr_invariant_of(in->m->invariants, value))
    return true;
  for (int i = 0; i < in->n; i++)
    if (in->seen[i] == value)
      return true;
  tsr_scev s = tsr_scev_at(in->m->a, value, in->around);
  if (!s || (!has_proxy(in->m, s) && (LLVMIsAPHINode(value) || tsr_scev_bits(in->m->a, s) > 1)))
    return true; /* scalar evolution knows no comparisons: these are read by condition_sets.c */
  if (in->n == MAX_VALUES || (LLVMIsAPHINode(value) && !is_plain_counter(in, value)))
    return false;
  in->seen[in->n++] = value;
  for (int i = 0; i < LLVMGetNumOperands(value); i++)
    if (was_phi_outside(in, value, (unsigned)i) || !holds(in, LLVMGetOperand(value, i)))
      return false;
  return true;
}

/* Are all operands of INST what scalar evolution says? */
static bool operands_hold(struct incoming *in, LLVMValueRef inst)
{
  for (int i = 0; i < LLVMGetNumOperands(inst); i++)
    if (was_phi_outside(in, inst, (unsigned)i) || !holds(in, LLVMGetOperand(inst, i)))
      return tsr_model_reject(in->m, TSR_REASON_Invariant, inst, NULL);
  return true;
}

/* The branches of SEQ's conditions are not all in blocks of the SCoP. */
static bool conditions_hold(struct incoming *in, const struct tsr_seq *seq)
{
  for (int i = 0; i < seq->n; i++) {
    const struct tsr_node *node = seq->nodes[i];
    if ((node->kind == TSR_NODE_IF && !operands_hold(in, LLVMGetBasicBlockTerminator(node->block))) ||
        !conditions_hold(in, &node->body[0]) || !conditions_hold(in, &node->body[1]))
      return false;
  }
  return true;
}

bool tsr_incoming_hold(struct tsr_model *m)
{
  if (!m->invariants || !m->invariants->n)
    return true;
  struct incoming in = {.m = m, .around = tsr_loop_for(m->a, LLVMGetInstructionParent(m->entry))};
  for (int i = 0; i < m->n_atom; i++)
    if (m->atoms[i].value && !holds(&in, m->atoms[i].value))
      return tsr_model_reject(m, TSR_REASON_Invariant, m->atoms[i].value, NULL);
  for (int b = 0; b < m->blocks.n; b++)
    for (LLVMValueRef i = LLVMGetFirstInstruction(m->blocks.block[b]); i; i = LLVMGetNextInstruction(i))
      if (!operands_hold(&in, i))
        return false;
  return conditions_hold(&in, &(struct tsr_seq){m->nodes, m->n_node});
}
