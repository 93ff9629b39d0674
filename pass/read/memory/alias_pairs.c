/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which arrays of a SCoP may overlap, as far as alias analysis and types know, and must be checked at run time?
 *
 * The range of an array with an unknown subscript is that of its object, where the base is one of known size. Else such an
 * array must be known to be apart from all others. */
#include "read/memory/memory.h"
#include <stdlib.h>

#define MAX_PAIR_CODE 64 /* pairs that are compared one by one, in straight code */
#define PAIRS_A_CHECK 16 /* .. more, in a loop: so many of them take the time that the estimate gives one in such code */

/* Is one of PAIR an array of rows? */
static bool is_of_rows(const struct tsr_model *m, const int pair[2])
{
  return m->arrays[pair[0]].rows || m->arrays[pair[1]].rows;
}

/* Pairs of M that are of rows, or not */
static int n_pair(const struct tsr_model *m, bool rows)
{
  int n = 0;
  for (int i = 0; i < m->n_alias_pair; i++)
    n += is_of_rows(m, m->alias_pair[i]) == rows;
  return n;
}

bool tsr_aliases_take_table(const struct tsr_model *m)
{
  return n_pair(m, false) > MAX_PAIR_CODE;
}

/* Arrays, but for rows, that must be checked */
static int n_checked(const struct tsr_model *m)
{
  bool *checked = calloc((size_t)m->n_array + 1, sizeof(*checked));
  int n = 0;
  for (int i = 0; i < m->n_alias_pair; i++)
    for (int k = 0; k < 2 && !is_of_rows(m, m->alias_pair[i]); k++)
      checked[m->alias_pair[i][k]] = true;
  for (int i = 0; i < m->n_array; i++)
    n += checked[i];
  free(checked);
  return n;
}

int tsr_alias_checks(const struct tsr_model *m)
{
  int rows = n_pair(m, true), others = m->n_alias_pair - rows, n = 0;
  for (int i = 0; i < m->n_array; i++)
    n += m->arrays[i].not_errno;
  return n + rows + (others > MAX_PAIR_CODE ? n_checked(m) + others / PAIRS_A_CHECK : others);
}

uint64_t tsr_array_bytes(struct tsr_model *m, int array)
{
  return tsr_object_size(m->module, m->arrays[array].base);
}

/* Is there a write to one of A and B that by its type may be to what an access to the other touches? */
static bool types_allow(struct tsr_model *m, int a, int b)
{
  for (int i = 0; i < m->n_access; i++)
    for (int k = 0; k < m->n_access && m->access[i].array == a; k++)
      if (m->access[k].array == b && (m->access[i].kind != TSR_READ || m->access[k].kind != TSR_READ) &&
          tsr_types_may_alias(m->a, m->access[i].inst, m->access[k].inst))
        return true;
  return false;
}

/* Can what A's pointers lead to overlap POINTER's object? Those of rows are values that are loaded. */
static bool leads_to(struct tsr_model *m, int a, LLVMValueRef pointer)
{
  bool may = !m->arrays[a].rows && tsr_may_alias(m->a, m->arrays[a].base, pointer);
  for (int i = 0; i < m->n_access && !may && m->arrays[a].rows; i++)
    may = m->access[i].array == a && tsr_may_alias(m->a, m->access[i].row_load, pointer);
  return may;
}

/* Can what A's and B's pointers lead to overlap? */
static bool bases_allow(struct tsr_model *m, int a, int b)
{
  if (tsr_is_expanded(m->arrays[a].base) || tsr_is_expanded(m->arrays[b].base))
    return false;
  bool may = !m->arrays[b].rows && leads_to(m, a, m->arrays[b].base);
  for (int i = 0; i < m->n_access && !may && m->arrays[b].rows; i++)
    may = m->access[i].array == b && leads_to(m, a, m->access[i].row_load);
  return may;
}

/* An access to ARRAY with an unknown subscript, if there is one; else any. */
static LLVMValueRef unknown_access_to(struct tsr_model *m, int array)
{
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].array == array && !m->access[i].offset)
      return m->access[i].inst;
  return tsr_model_access_to(m, array);
}

/* Are the pairs too many to be checked? */
static bool are_too_many(const struct tsr_model *m)
{
  return n_pair(m, true) > MAX_PAIR_CODE || (tsr_aliases_take_table(m) && n_checked(m) > TSR_MAX_OVERLAP_ROWS);
}

bool tsr_model_aliases(struct tsr_model *m)
{
  m->n_alias_pair = 0;
  for (int i = 0; i < m->n_array; i++) {
    for (int k = 0; k < i; k++) {
      struct tsr_array_info *a = &m->arrays[i], *b = &m->arrays[k];
      if (a->kind != TSR_ARRAY_MEMORY || b->kind != TSR_ARRAY_MEMORY || (!a->written && !b->written) ||
          !bases_allow(m, i, k) || !types_allow(m, i, k))
        continue;
      int unknown = a->unbounded && !tsr_array_bytes(m, i) ? i : b->unbounded && !tsr_array_bytes(m, k) ? k : -1;
      if (unknown >= 0)
        return tsr_model_reject(m, TSR_REASON_Indirect, unknown_access_to(m, unknown), NULL);
      m->alias_pair = realloc(m->alias_pair, (m->n_alias_pair + 1) * sizeof(*m->alias_pair));
      m->alias_pair[m->n_alias_pair][0] = i;
      m->alias_pair[m->n_alias_pair++][1] = k;
    }
    if (are_too_many(m))
      return tsr_model_reject(m, TSR_REASON_Alias, tsr_model_access_to(m, i), NULL);
  }
  return true;
}

/* May, by its type, access ACCESS be to what some call sets as errno? Front ends tell the type of that at the call. */
static bool type_is_errno(struct tsr_model *m, int access)
{
  for (int i = 0; i < m->blocks.n; i++)
    for (LLVMValueRef inst = LLVMGetFirstInstruction(m->blocks.block[i]); inst; inst = LLVMGetNextInstruction(inst))
      if (LLVMIsACallInst(inst) && tsr_call_effects(inst).errno_write &&
          tsr_may_be_errno(m->a, inst, m->access[access].inst))
        return true;
  return false;
}

/* Calls that may set errno are ordered against nothing: fine unless an access could be to errno, an int. Whether one is can
 * be seen at run time, where it is known how to ask for the place of errno. */
bool tsr_model_errno(struct tsr_model *m)
{
  bool known = tsr_library_is_known(m->module);
  for (int i = 0; m->has_errno && i < m->n_access; i++) {
    struct tsr_array_info *a = &m->arrays[m->access[i].array];
    if (a->not_errno || (a->elem_size > 4 && m->access[i].size) || tsr_is_identified_object(a->base) || !type_is_errno(m, i))
      continue;
    if (!known || a->rows || a->unbounded)
      return tsr_model_reject(m, TSR_REASON_Errno, m->access[i].inst, NULL);
    a->not_errno = true;
  }
  return true;
}

/* Calls that read memory are ordered against nothing: fine unless one could read from an array that is written. Of arrays of
 * rows, the pointers differ from one iteration to the next, and nothing is known. */
static bool is_apart_from_writes(struct tsr_model *m, LLVMValueRef call)
{
  for (int i = 0; i < m->n_array; i++) {
    struct tsr_array_info *a = &m->arrays[i];
    if (a->kind == TSR_ARRAY_MEMORY && a->written && !tsr_is_expanded(a->base) &&
        (a->rows || tsr_call_may_read(m->a, call, a->base)))
      return false;
  }
  return true;
}

bool tsr_model_reading_calls(struct tsr_model *m)
{
  for (int i = 0; m->has_reading_call && i < m->blocks.n; i++)
    for (LLVMValueRef inst = LLVMGetFirstInstruction(m->blocks.block[i]); inst; inst = LLVMGetNextInstruction(inst))
      if (LLVMIsACallInst(inst) && !LLVMIsAIntrinsicInst(inst) && tsr_call_effects(inst).reads &&
          !is_apart_from_writes(m, inst))
        return tsr_model_reject(m, TSR_REASON_CallReads, inst, NULL);
  return true;
}
