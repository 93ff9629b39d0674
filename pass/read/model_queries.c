/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What every file of read/ asks of a model or says of it, whatever there is of it by then: is a value computed in the SCoP,
 * where does an array live, why can't it be modelled? */
#include "read/read.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sets of blocks */

/* Which bit of `seen` is BLOCK's? */
static unsigned bit_of(LLVMBasicBlockRef block)
{
  uintptr_t address = (uintptr_t)block;
  return (address >> 4 ^ address >> 12) & 255;
}

void tsr_blocks_add(struct tsr_blocks *blocks, LLVMBasicBlockRef block)
{
  blocks->seen[bit_of(block) / 64] |= UINT64_C(1) << bit_of(block) % 64;
  blocks->block = realloc(blocks->block, (blocks->n + 1) * sizeof(*blocks->block));
  blocks->block[blocks->n++] = block;
}

bool tsr_blocks_have(const struct tsr_blocks *blocks, LLVMBasicBlockRef block)
{
  if (!(blocks->seen[bit_of(block) / 64] >> bit_of(block) % 64 & 1))
    return false;
  for (int i = 0; i < blocks->n; i++)
    if (blocks->block[i] == block)
      return true;
  return false;
}

bool tsr_model_in_region(const struct tsr_model *m, LLVMValueRef value)
{
  return LLVMIsAInstruction(value) && tsr_blocks_have(&m->blocks, LLVMGetInstructionParent(value));
}

/* ---- why not */

bool tsr_model_reject(struct tsr_model *m, enum tsr_reason reason, LLVMValueRef culprit, const char *detail)
{
  if (m->reason == TSR_ACCEPTED) {
    m->reason = reason;
    m->culprit = culprit;
    m->detail = detail ? strdup(detail) : NULL;
  }
  return false;
}

void tsr_model_retry(struct tsr_model *m)
{
  if (m->reason == TSR_REASON_Isl)
    return;
  m->reason = TSR_ACCEPTED;
  m->culprit = NULL;
  free(m->detail);
  m->detail = NULL;
}

/* CONDITION over the names of the source, where they are known. */
static isl_set *with_source_names(struct tsr_model *m, isl_set *condition)
{
  for (int i = 0; i < m->n_atom; i++) {
    struct tsr_atom *atom = &m->atoms[i];
    if (atom->kind != TSR_ATOM_PARAM || !atom->value)
      continue;
    char *name = tsr_source_name(atom->value);
    int pos = isl_set_find_dim_by_name(condition, isl_dim_param, atom->name);
    if (pos >= 0 && tsr_name_is_valid(name) && isl_set_find_dim_by_name(condition, isl_dim_param, name) < 0)
      condition = isl_set_set_dim_name(condition, isl_dim_param, pos, name);
    free(name);
  }
  return condition;
}

/* A set is worth showing only as far as it is readable. */
#define MAX_SHOWN 160

bool tsr_model_reject_condition(struct tsr_model *m, isl_set *condition)
{
  if (m->quiet)
    return tsr_model_reject(m, TSR_REASON_Assumptions, NULL, NULL);
  isl_set *renamed = with_source_names(m, isl_set_copy(condition));
  char *text = isl_set_to_str(renamed), shown[MAX_SHOWN + 4];
  bool all = text && strlen(text) <= MAX_SHOWN;
  snprintf(shown, sizeof(shown), "%.*s%s", MAX_SHOWN, text ? text : "?", all ? "" : "...");
  free(text);
  isl_set_free(renamed);
  return tsr_model_reject(m, TSR_REASON_Assumptions, NULL, shown);
}

/* ---- tables */

bool tsr_is_expanded(LLVMValueRef base)
{
  size_t length;
  LLVMValueRef f = base && LLVMIsACallInst(base) ? LLVMGetCalledValue(base) : NULL;
  return f && LLVMIsAFunction(f) && !strcmp(LLVMGetValueName2(f, &length), TSR_EXPANDED_BASE);
}

LLVMValueRef tsr_model_access_to(struct tsr_model *m, int array)
{
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].array == array)
      return m->access[i].inst;
  return NULL;
}

int tsr_array_place(const struct tsr_model *m, int array)
{
  int home = m->arrays[array].home;
  return home ? -home : array;
}

LLVMValueRef tsr_stmt_value(const struct tsr_stmt_info *s, LLVMValueRef value)
{
  for (int i = 0; i < s->n_same; i++)
    if (s->same[i].phi == value)
      return tsr_stmt_value(s, s->same[i].value);
  return value;
}

void tsr_stmt_clear(struct tsr_stmt_info *s)
{
  free(s->loops);
  free(s->inst);
  free(s->inner.block);
  free(s->read);
  free(s->write);
  free(s->same);
  isl_set_free(s->domain);
  isl_set_free(s->known.right);
  isl_set_free(s->known.allowed);
}

bool tsr_model_has_joined_sums(const struct tsr_model *m)
{
  bool joined = false;
  int deep = TSR_DEEP - 1;
  for (int i = 0; i < m->n_stmt; i++)
    deep = m->stmts[i].n_loop >= TSR_DEEP ? TSR_DEEP : deep;
  for (int i = 0; i < m->n_stmt; i++) {
    int first = 0;
    for (int k = 0; k < m->stmts[i].n_write && m->stmts[i].n_loop >= deep; k++) {
      int home = m->arrays[m->stmts[i].write[k].array].home;
      joined |= home && first && home != first;
      first = first ? first : home;
    }
  }
  return joined;
}
