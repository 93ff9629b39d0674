/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The invariant loads (invariant_loads.c) that a SCoP uses, its lifts: can each be loaded in front of it?
 *
 *   overwritten  no store of the SCoP may touch the location: proved, by types too, or checked at run time
 *   execution    the location can be loaded from in front of the SCoP: it is dereferenceable, or the original is known to
 *                execute the load, under a condition (`guard`) on parameters that are available by then. That knowledge
 *                comes from the model, which is right as long as nothing has been overwritten: so unless all of that is
 *                proved, only executions with all counters at 0 and no store in front count
 *   equality     a load in front of the SCoP that shares the proxy is compared with what the SCoP itself would load */
#include "read/values/values.h"
#include <isl/space.h>
#include <stdlib.h>

#define MAX_LIFTS 32
#define MAX_REACH 256

/* The lift of ITEM in M, a new one if there is none. */
static struct tsr_lift *lift_of(struct tsr_model *m, const struct tsr_invariant *item)
{
  for (int i = 0; i < m->n_lift; i++)
    if (m->lift[i].item == item)
      return &m->lift[i];
  m->lift = realloc(m->lift, (m->n_lift + 1) * sizeof(*m->lift));
  struct tsr_lift *lift = &m->lift[m->n_lift++];
  isl_set *none = isl_set_empty(isl_space_params_alloc(m->ctx, 0));
  *lift = (struct tsr_lift){.item = item, .runs = none, .runs_first = isl_set_copy(none)};
  return lift;
}

/* { : some counters } where all counters are 0 */
static isl_set *first_iteration(struct tsr_model *m, isl_set *domain)
{
  for (int i = 0; i < m->n_atom; i++)
    if (m->atoms[i].kind == TSR_ATOM_DIM) {
      int pos = isl_set_find_dim_by_name(domain, isl_dim_param, m->atoms[i].name);
      if (pos >= 0)
        domain = isl_set_fix_si(domain, isl_dim_param, pos, 0);
    }
  return domain;
}

bool tsr_lift_block(struct tsr_model *m, LLVMBasicBlockRef block, isl_set *domain, bool *stored)
{
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && m->invariants; i = LLVMGetNextInstruction(i)) {
    *stored |= LLVMIsAStoreInst(i) || (LLVMIsACallInst(i) && tsr_call_effects(i).writes);
    for (int k = 0; k < m->invariants->n; k++)
      for (int j = 0; j < m->invariants->item[k].n_member; j++) {
        const struct tsr_member *member = &m->invariants->item[k].member[j];
        if (member->inst != i)
          continue;
        for (int u = 0; u < member->n_use; u++)
          if (!tsr_blocks_have(&m->blocks, LLVMGetInstructionParent(member->use[u].user)) &&
              !tsr_blocks_have(&m->errors, LLVMGetInstructionParent(member->use[u].user)))
            return tsr_model_reject(m, TSR_REASON_Invariant, i, NULL);
        if (LLVMIsAPHINode(i)) /* of loads that are members too */
          continue;
        struct tsr_lift *lift = lift_of(m, &m->invariants->item[k]);
        isl_set *runs = tsr_set_without(m, isl_set_copy(domain), m->violated);
        lift->inside = i;
        unsigned align = LLVMIsALoadInst(i) ? LLVMGetAlignment(i) : 1;
        lift->align = !lift->align || align < lift->align ? align : lift->align;
        if (!*stored)
          lift->runs_first =
              isl_set_union(lift->runs_first, tsr_project_counters(m, first_iteration(m, isl_set_copy(runs))));
        lift->runs = isl_set_union(lift->runs, tsr_project_counters(m, runs));
      }
  }
  return true;
}

/* Does a condition among SEQ, or in it, branch at the end of BLOCK? */
static bool branches_at(const struct tsr_seq *seq, LLVMBasicBlockRef block)
{
  for (int i = 0; i < seq->n; i++)
    if ((seq->nodes[i]->kind == TSR_NODE_IF && seq->nodes[i]->block == block) ||
        branches_at(&seq->nodes[i]->body[0], block) || branches_at(&seq->nodes[i]->body[1], block))
      return true;
  return false;
}

/* Is INST part of the SCoP, or the branch of one of its conditions? */
static bool is_inside(const struct tsr_model *m, LLVMValueRef inst)
{
  const struct tsr_seq all = {m->nodes, m->n_node};
  return tsr_model_in_region(m, inst) || (LLVMIsATerminatorInst(inst) && branches_at(&all, LLVMGetInstructionParent(inst)));
}

struct reach {
  LLVMValueRef seen[MAX_REACH];
  int n;
};

/* Is S computed from VALUE itself? */
static bool scev_uses(tsr_scev s, LLVMValueRef value)
{
  if (tsr_scev_kind(s) == TSR_SCEV_UNKNOWN)
    return tsr_scev_value(s) == value;
  for (unsigned i = 0; i < tsr_scev_n_operand(s); i++)
    if (scev_uses(tsr_scev_operand(s, i), value))
      return true;
  return false;
}

/* Is a parameter computed from INST itself? It need not be used in the SCoP: another counter of the loop may be. */
static bool is_parameter(const struct tsr_model *m, LLVMValueRef inst)
{
  for (int i = 0; i < m->n_atom; i++) {
    const struct tsr_atom *atom = &m->atoms[i];
    if (atom->kind == TSR_ATOM_PARAM && (atom->value == inst || atom->pointer[0] == inst || atom->pointer[1] == inst ||
                                         (atom->scev && scev_uses(atom->scev, inst))))
      return true;
  }
  return false;
}

/* Does the SCoP use INST, or something that is computed from it? True if that is too hard to say. */
static bool reaches(struct tsr_model *m, struct reach *r, LLVMValueRef inst)
{
  for (int i = 0; i < r->n; i++)
    if (r->seen[i] == inst)
      return false;
  if (r->n == MAX_REACH || is_inside(m, inst) || is_parameter(m, inst))
    return true;
  r->seen[r->n++] = inst;
  for (LLVMUseRef u = LLVMGetFirstUse(inst); u; u = LLVMGetNextUse(u))
    if (reaches(m, r, LLVMGetUser(u)))
      return true;
  return false;
}

/* Is INST one of the loads in front of the SCoP? */
static bool is_before(const struct tsr_lift *lift, LLVMValueRef inst)
{
  for (int i = 0; i < lift->n_before; i++)
    if (lift->before[i] == inst)
      return true;
  return false;
}

bool tsr_lift_before(struct tsr_model *m)
{
  for (int k = 0; m->invariants && k < m->invariants->n; k++)
    for (int j = 0; j < m->invariants->item[k].n_member; j++) {
      const struct tsr_member *member = &m->invariants->item[k].member[j];
      struct reach r = {.n = 0};
      bool used = false;
      for (int u = 0; u < member->n_use && !used; u++)
        used = reaches(m, &r, member->use[u].user);
      if (!used || tsr_model_in_region(m, member->inst))
        continue;
      if (!tsr_dominates(m->a, member->inst, m->entry))
        return tsr_model_reject(m, TSR_REASON_Invariant, member->inst, NULL);
      struct tsr_lift *lift = lift_of(m, &m->invariants->item[k]);
      if (is_before(lift, member->inst))
        continue;
      lift->before = realloc(lift->before, (lift->n_before + 1) * sizeof(*lift->before));
      lift->before[lift->n_before++] = member->inst;
    }
  return m->n_lift <= MAX_LIFTS || tsr_model_reject(m, TSR_REASON_Size, NULL, NULL);
}

/* Could a store of the SCoP overwrite what LIFT loads? */
static bool may_change(const struct tsr_lift *lift)
{
  return lift->inside && !lift->item->is_call && !lift->item->is_pure;
}

/* Could ACCESS overwrite LIFT's location? */
static bool access_overwrites(struct tsr_model *m, const struct tsr_raw_access *access, const struct tsr_lift *lift)
{
  if (tsr_is_expanded(m->arrays[access->array].base))
    return false;
  for (int k = 0; access->kind != TSR_READ && k < lift->item->n_member; k++)
    if (LLVMIsALoadInst(lift->item->member[k].inst) && tsr_model_in_region(m, lift->item->member[k].inst) &&
        tsr_may_overwrite(m->a, access->inst, lift->item->member[k].inst))
      return true;
  return false;
}

bool tsr_lift_survives(struct tsr_model *m)
{
  for (int l = 0; l < m->n_lift; l++) {
    struct tsr_lift *lift = &m->lift[l];
    lift->apart = calloc(m->n_array + 1, sizeof(bool));
    LLVMValueRef base = tsr_scev_pointer_base(m->a, lift->item->address);
    for (int i = 0; may_change(lift) && i < m->n_access; i++) {
      int array = m->access[i].array;
      if (lift->apart[array] || !access_overwrites(m, &m->access[i], lift))
        continue;
      if (!base || m->arrays[array].base == base)
        return tsr_model_reject(m, TSR_REASON_Invariant, lift->inside, NULL);
      if (m->arrays[array].rows) /* the check of rows relies on what is lifted */
        return tsr_model_reject(m, TSR_REASON_Rows, m->access[i].inst, NULL);
      lift->apart[array] = true;
    }
  }
  return true;
}

/* Is LIFT's location kept by all that a check at run time can't see? *PROVED: none is needed. */
static bool is_kept(struct tsr_model *m, const struct tsr_lift *lift, bool *proved)
{
  if (!may_change(lift))
    return true;
  LLVMValueRef base = tsr_scev_pointer_base(m->a, lift->item->address);
  for (int i = 0; i < m->n_array; i++)
    *proved &= !lift->apart[i];
  if (m->has_errno && LLVMGetTypeKind(lift->item->type) != LLVMPointerTypeKind &&
      tsr_type_store_size(m->module, lift->item->type) <= 4 && !(base && tsr_is_identified_object(base)))
    return tsr_model_reject(m, TSR_REASON_Errno, lift->inside, NULL);
  return true;
}

unsigned tsr_value_needs(struct tsr_model *m, LLVMValueRef value)
{
  for (int i = 0; i < m->n_lift; i++)
    if (m->lift[i].item->proxy == value)
      return m->lift[i].n_before ? 0 : 1u << i;
  unsigned all = 0;
  for (int i = 0; tsr_model_in_region(m, value) && i < LLVMGetNumOperands(value); i++)
    all |= tsr_value_needs(m, LLVMGetOperand(value, i));
  return all;
}

/* The lifts (bits) whose loads S is computed from. */
static unsigned scev_needs(struct tsr_model *m, tsr_scev s)
{
  unsigned all = tsr_scev_kind(s) == TSR_SCEV_UNKNOWN ? tsr_value_needs(m, tsr_scev_value(s)) : 0;
  for (unsigned i = 0; i < tsr_scev_n_operand(s); i++)
    all |= scev_needs(m, tsr_scev_operand(s, i));
  return all;
}

unsigned tsr_atom_needs(struct tsr_model *m, int atom)
{
  struct tsr_atom *at = &m->atoms[atom];
  if (at->kind != TSR_ATOM_PARAM)
    return 0;
  if (at->pointer[0])
    return tsr_value_needs(m, at->pointer[0]) | tsr_value_needs(m, at->pointer[1]);
  if (at->scev)
    return scev_needs(m, at->scev);
  if (at->divisor)
    return tsr_atom_needs(m, at->factor[0]);
  if (at->over[0]) {
    unsigned all = 0;
    for (int k = 0; k < 2; k++)
      for (int t = 0; t < at->over[k]->n; t++)
        for (int d = 0; d < at->over[k]->term[t].degree; d++)
          all |= tsr_atom_needs(m, at->over[k]->term[t].atom[d]);
    return all;
  }
  return at->value ? tsr_value_needs(m, at->value) : tsr_atom_needs(m, at->factor[0]) | tsr_atom_needs(m, at->factor[1]);
}

/* Is LIFT's load known to run nowhere, so that no guard for it can be found? */
static bool never_runs(struct tsr_model *m, const struct tsr_lift *lift, bool proved)
{
  return may_change(lift) && isl_set_is_empty(proved ? lift->runs : lift->runs_first) == isl_bool_true &&
         !tsr_is_dereferenceable(m->a, lift->inside, m->entry);
}

/* Can POINTER be computed in front of the SCoP? */
static bool address_can_be_hoisted(struct tsr_model *m, LLVMValueRef pointer)
{
  if (!tsr_model_in_region(m, pointer))
    return true;
  if (!LLVMIsAGetElementPtrInst(pointer) || !address_can_be_hoisted(m, LLVMGetOperand(pointer, 0)))
    return false;
  for (int i = 1; i < LLVMGetNumOperands(pointer); i++)
    if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(pointer, i))) != LLVMIntegerTypeKind ||
        !tsr_can_hoist(m, LLVMGetOperand(pointer, i), 0))
      return false;
  return true;
}

/* Does something behind or in front of M use MEMBER? */
static bool is_used_outside(struct tsr_model *m, const struct tsr_member *member)
{
  for (int u = 0; u < member->n_use; u++) {
    LLVMBasicBlockRef block = LLVMGetInstructionParent(member->use[u].user);
    if (!tsr_blocks_have(&m->blocks, block) && !tsr_block_is_error(m->a, block))
      return true;
  }
  return false;
}

/* Is the value of MEMBER, outside of M, used in it without being known in front of it? */
static bool is_needed_late(struct tsr_model *m, const struct tsr_member *member)
{
  struct reach r = {.n = 0};
  bool used = false;
  if (member->n_use == 0 || tsr_dominates(m->a, member->inst, m->entry))
    return false;
  for (int u = 0; u < member->n_use && !used; u++)
    used = reaches(m, &r, member->use[u].user);
  return used;
}

/* Can INST, a member of ITEM in the SCoP, be computed in front of it? */
static bool can_be_hoisted(struct tsr_model *m, const struct tsr_invariant *item, LLVMValueRef inst)
{
  return item->is_pure ? tsr_can_hoist(m, inst, 0) : address_can_be_hoisted(m, LLVMGetOperand(inst, 0));
}

bool tsr_lift_screen(struct tsr_model *m)
{
  for (int k = 0; m->invariants && k < m->invariants->n; k++) {
    const struct tsr_invariant *item = &m->invariants->item[k];
    LLVMValueRef stays = NULL;
    bool any = false;
    for (int j = 0; j < item->n_member; j++) {
      LLVMValueRef inst = item->member[j].inst;
      if (!tsr_model_in_region(m, inst)) {
        if (m->n_node == 1 && is_needed_late(m, &item->member[j]))
          return tsr_model_reject(m, TSR_REASON_Invariant, inst, NULL);
        continue;
      }
      if (is_used_outside(m, &item->member[j]))
        return tsr_model_reject(m, TSR_REASON_Invariant, inst, NULL);
      if (LLVMIsAPHINode(inst) || can_be_hoisted(m, item, inst))
        any |= !LLVMIsAPHINode(inst);
      else
        stays = inst;
    }
    if (stays && !any)
      return tsr_model_reject(m, TSR_REASON_Invariant, stays, NULL);
  }
  return true;
}

/* RUNS, as a condition on parameters that need no other lift than those of DONE: for all values of the others in CONTEXT.
 * With the ranges in which it is calculated, as it is the first to be evaluated. */
static isl_set *guard_set(struct tsr_model *m, isl_set *context, isl_set *runs, unsigned done)
{
  isl_set *not = isl_set_subtract(isl_set_copy(context), isl_set_copy(runs));
  isl_set *range = tsr_params_universe(m);
  for (int i = 0; i < m->n_atom; i++) {
    if (m->atoms[i].kind != TSR_ATOM_PARAM)
      continue;
    bool checked;
    if (!(tsr_atom_needs(m, i) & ~done)) {
      range = isl_set_intersect(range, tsr_param_range(m, i, &checked));
      continue;
    }
    int pos = isl_set_find_dim_by_name(not, isl_dim_param, m->atoms[i].name);
    if (pos >= 0)
      not = isl_set_project_out(not, isl_dim_param, pos, 1);
  }
  return isl_set_coalesce(isl_set_subtract(range, not));
}

/* What types say of the parameters that are known by now. */
static isl_set *context_so_far(struct tsr_model *m)
{
  isl_set *context = tsr_params_universe(m);
  for (int i = 0; i < m->n_atom; i++) {
    bool checked = true;
    isl_set *range = m->atoms[i].kind == TSR_ATOM_PARAM ? tsr_param_range(m, i, &checked) : NULL;
    if (checked)
      isl_set_free(range);
    else
      context = isl_set_intersect(context, range);
  }
  return context;
}

/* The lifts that the parameters of SET need. */
static unsigned set_needs(struct tsr_model *m, isl_set *set)
{
  unsigned all = 0;
  for (int i = 0; i < m->n_atom; i++) {
    int pos = m->atoms[i].kind == TSR_ATOM_PARAM ? isl_set_find_dim_by_name(set, isl_dim_param, m->atoms[i].name) : -1;
    if (pos >= 0 && isl_set_involves_dims(set, isl_dim_param, pos, 1) != isl_bool_false)
      all |= tsr_atom_needs(m, i);
  }
  return all;
}

/* Has LIFT a guard, as far as is known, or may it turn out to need none? */
static bool may_be_loaded(struct tsr_model *m, const struct tsr_lift *lift)
{
  const struct tsr_invariant *item = lift->item;
  if (!lift->inside || item->is_call || item->is_pure || tsr_is_dereferenceable(m->a, lift->inside, m->entry))
    return true;
  for (int k = 0; k < item->n_member; k++) /* another load may stand for it */
    if (!tsr_model_in_region(m, item->member[k].inst) && tsr_dominates(m->a, item->member[k].inst, m->entry))
      return true;
  return false;
}

/* Could LIFT have a guard once those of DONE are loaded? If not PLAIN that is asked in full. */
static bool may_have_guard(struct tsr_model *m, const struct tsr_lift *lift, bool proved, unsigned done, bool plain)
{
  isl_set *runs = proved ? lift->runs : lift->runs_first;
  if (tsr_value_needs(m, LLVMGetOperand(lift->inside, 0)) & ~done)
    return false;
  if (!(set_needs(m, runs) & ~done))
    return true;
  if (plain)
    return false;
  isl_set *context = context_so_far(m), *guard = guard_set(m, context, runs, done);
  isl_bool never = isl_set_is_empty(guard);
  isl_set_free(context);
  isl_set_free(guard);
  return never != isl_bool_true;
}

/* Is there, as far as is known, an order in which all can be loaded? */
static bool may_be_ordered(struct tsr_model *m, bool proved)
{
  unsigned done = 0, all = 0;
  for (int i = 0; i < m->n_lift; i++) {
    all |= 1u << i;
    done |= may_be_loaded(m, &m->lift[i]) ? 1u << i : 0;
  }
  for (bool plain = true; done != all;) {
    unsigned before = done;
    for (int i = 0; i < m->n_lift && (plain || done == before); i++)
      if (!(done & 1u << i) && may_have_guard(m, &m->lift[i], proved, done, plain))
        done |= 1u << i;
    if (!plain && done == before)
      break;
    plain = done != before;
  }
  for (int i = 0; i < m->n_lift; i++)
    if (!(done & 1u << i))
      return tsr_model_reject(m, TSR_REASON_Invariant, m->lift[i].inside, NULL);
  return true;
}

bool tsr_lift_may_load(struct tsr_model *m)
{
  bool proved = true;
  for (int i = 0; i < m->n_lift; i++)
    for (int k = 0; k < m->n_array && may_change(&m->lift[i]); k++)
      proved &= !m->lift[i].apart[k];
  for (int i = 0; i < m->n_lift; i++)
    if (never_runs(m, &m->lift[i], proved))
      return tsr_model_reject(m, TSR_REASON_Invariant, m->lift[i].inside, NULL);
  return may_be_ordered(m, proved);
}

/* Can LIFT be loaded once those of DONE are? Then its guard is made. */
static bool can_load(struct tsr_model *m, struct tsr_lift *lift, bool proved, unsigned done)
{
  if (!lift->inside)
    return true;
  if (tsr_value_needs(m, LLVMGetOperand(lift->inside, 0)) & ~done)
    return false;
  if (lift->item->is_call || lift->item->is_pure || tsr_is_dereferenceable(m->a, lift->inside, m->entry))
    return true;
  isl_set *guard = guard_set(m, m->scop->context, proved ? lift->runs : lift->runs_first, done);
  isl_bool never = isl_set_is_empty(guard);
  if (never != isl_bool_false || isl_set_n_basic_set(guard) > 8) {
    isl_set_free(guard);
    return false;
  }
  lift->guard = tsr_ast_condition(m->scop, guard);
  return lift->guard || tsr_model_reject(m, TSR_REASON_Isl, NULL, NULL);
}

/* Is there a lift for each proxy that a parameter is? What scalar evolution has taken from elsewhere has none. */
static bool has_all_lifts(struct tsr_model *m)
{
  for (int k = 0; m->invariants && k < m->invariants->n; k++) {
    bool lifted = false;
    for (int i = 0; i < m->n_lift; i++)
      lifted |= m->lift[i].item == &m->invariants->item[k];
    if (!lifted && is_parameter(m, m->invariants->item[k].proxy))
      return tsr_model_reject(m, TSR_REASON_Invariant, m->invariants->item[k].member[0].inst, NULL);
  }
  return true;
}

bool tsr_lift_finish(struct tsr_model *m)
{
  bool proved = true;
  if (!tsr_incoming_hold(m) || !tsr_lift_before(m) || !has_all_lifts(m))
    return false;
  for (int i = 0; i < m->n_lift; i++) {
    LLVMValueRef inside = m->lift[i].inside;
    if (!m->lift[i].apart) /* found just now: no load of the SCoP's, which a store could change */
      m->lift[i].apart = calloc(m->n_array + 1, sizeof(bool));
    if (inside && !can_be_hoisted(m, m->lift[i].item, inside))
      return tsr_model_reject(m, TSR_REASON_Invariant, inside, NULL);
    if (!is_kept(m, &m->lift[i], &proved))
      return false;
  }
  unsigned done = 0;
  m->lift_order = malloc((m->n_lift + 1) * sizeof(*m->lift_order));
  for (int n = 0; n < m->n_lift; n++) {
    int next = -1;
    for (int i = 0; i < m->n_lift && next < 0; i++)
      if (!(done & 1u << i) && can_load(m, &m->lift[i], proved, done))
        next = i;
    if (next < 0) {
      int i = 0;
      while (done & 1u << i)
        i++;
      return tsr_model_reject(m, TSR_REASON_Invariant, m->lift[i].inside, NULL);
    }
    m->lift_order[n] = next;
    done |= 1u << next;
  }
  return true;
}

void tsr_lift_clear(struct tsr_model *m)
{
  for (int i = 0; i < m->n_lift; i++) {
    isl_set_free(m->lift[i].runs);
    isl_set_free(m->lift[i].runs_first);
    isl_ast_expr_free(m->lift[i].guard);
    free(m->lift[i].apart);
    free(m->lift[i].before);
  }
  free(m->lift);
  free(m->lift_order);
}
