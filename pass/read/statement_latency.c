/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long does an instance of a statement take to pass on what one before has written? The longest way through its
 * instructions, from loads of arrays that it writes itself, and from SCALAR arrays, to what it writes there:
 *
 *   y[i] = a * x[i] + b * ym1; ym1 = y[i]; xm1 = x[i]      ym1 -> fmuladd -> y, ym1: 4 cycles; xm1 passes nothing on
 *
 * Memory itself is left out. The numbers are those of current cores, roughly. */
#include "read/statement_traits.h"
#include <stdlib.h>

#define MAX_VALUES 256
#define SUM_LATENCY 4 /* of a floating-point sum or product */

enum { NO_WAY = -1 };

struct ways {
  struct tsr_model *m;
  int stmt;
  bool *source; /* by array: does it pass something on? */
  struct {
    LLVMValueRef value;
    int cycles;
  } seen[MAX_VALUES];
  int n;
};

/* Is INST one of the instructions that aren't pipelined? */
static bool is_division(LLVMValueRef inst)
{
  LLVMOpcode op = LLVMGetInstructionOpcode(inst);
  if (LLVMIsACallInst(inst))
    return LLVMGetIntrinsicID(LLVMGetCalledValue(inst)) == LLVMLookupIntrinsicID("llvm.sqrt", 9);
  return op == LLVMFDiv || op == LLVMFRem || op == LLVMSDiv || op == LLVMUDiv || op == LLVMSRem || op == LLVMURem;
}

/* Cycles of INST alone. */
static int cycles_of(LLVMValueRef inst)
{
  if (is_division(inst))
    return 13;
  if (LLVMIsAPHINode(inst))
    return 0;
  return LLVMGetInstructionOpcode(inst) == LLVMFNeg || tsr_is_quick(inst) ? 1 : SUM_LATENCY;
}

/* The SCALAR array that STMT reads VALUE from, -1: none. */
static int scalar_of(struct ways *w, LLVMValueRef value)
{
  struct tsr_stmt_info *s = &w->m->stmts[w->stmt];
  for (int i = 0; i < s->n_read; i++)
    if (w->m->arrays[s->read[i]].origin == value)
      return s->read[i];
  return -1;
}

/* The array that SCALAR array ARRAY lives in. */
static int home_of(struct ways *w, int array)
{
  int home = w->m->arrays[array].home;
  return home ? w->m->access[home - 1].array : array;
}

/* The array that INST accesses; -1: none. */
static int array_of(struct ways *w, LLVMValueRef inst)
{
  for (int i = 0; i < w->m->n_access; i++)
    if (w->m->access[i].inst == inst)
      return w->m->access[i].array;
  return -1;
}

/* Does STMT read a scalar that lives in ARRAY? That is what its next instance waits for, not other elements. */
static bool reads_home_in(struct ways *w, int array)
{
  struct tsr_stmt_info *s = &w->m->stmts[w->stmt];
  for (int i = 0; i < s->n_read; i++)
    if (w->m->arrays[s->read[i]].home && home_of(w, s->read[i]) == array)
      return true;
  return false;
}

/* The longest way to VALUE. */
static int way_to(struct ways *w, LLVMValueRef value)
{
  value = tsr_stmt_value(&w->m->stmts[w->stmt], value);
  if (!LLVMIsAInstruction(value))
    return NO_WAY;
  int scalar = scalar_of(w, value), longest = NO_WAY;
  if (scalar >= 0)
    return w->source[home_of(w, scalar)] ? 0 : NO_WAY;
  if (!tsr_model_in_region(w->m, value) || LLVMIsAPHINode(value))
    return NO_WAY;
  if (LLVMIsALoadInst(value)) {
    int array = array_of(w, value);
    return array >= 0 && w->source[array] && !reads_home_in(w, array) ? 0 : NO_WAY;
  }
  for (int i = 0; i < w->n; i++)
    if (w->seen[i].value == value)
      return w->seen[i].cycles;
  if (w->n == MAX_VALUES)
    return NO_WAY;
  int at = w->n++;
  w->seen[at].value = value;
  w->seen[at].cycles = NO_WAY;
  for (int i = 0; i < LLVMGetNumOperands(value); i++) {
    int way = way_to(w, LLVMGetOperand(value, i));
    longest = way > longest ? way : longest;
  }
  return w->seen[at].cycles = longest < 0 ? NO_WAY : longest + cycles_of(value);
}

/* The longest way to what the statement writes to ARRAY; *WRITTEN: does it write there? */
static int way_to_array(struct ways *w, int array, bool *written)
{
  struct tsr_stmt_info *s = &w->m->stmts[w->stmt];
  int longest = NO_WAY;
  *written = false;
  for (int i = 0; i < s->n_inst + s->n_write; i++) {
    bool scalar = i >= s->n_inst;
    LLVMValueRef inst = scalar ? NULL : s->inst[i];
    if (!scalar && (!LLVMIsAStoreInst(inst) || array_of(w, inst) != array))
      continue;
    if (scalar && home_of(w, s->write[i - s->n_inst].array) != array)
      continue;
    int way = way_to(w, scalar ? s->write[i - s->n_inst].value : LLVMGetOperand(inst, 0));
    *written = true;
    longest = way > longest ? way : longest;
  }
  return longest;
}

int tsr_model_latency(struct tsr_model *m, int stmt, int *divisions)
{
  struct tsr_stmt_info *s = &m->stmts[stmt];
  struct ways w = {.m = m, .stmt = stmt, .source = calloc(m->n_array + 1, sizeof(bool))};
  int longest = 0;
  bool changed = !s->inner.n, written;
  *divisions = 0;
  for (int i = 0; i < s->n_inst; i++)
    *divisions += is_division(s->inst[i]);
  for (int i = 0; i < m->n_array; i++)
    w.source[i] = true;
  while (changed) { /* what passes nothing on is no source */
    changed = false;
    longest = 0;
    for (int i = 0; i < m->n_array; i++) {
      w.n = 0;
      int way = w.source[i] ? way_to_array(&w, i, &written) : NO_WAY;
      changed |= w.source[i] && way < 0;
      w.source[i] &= way >= 0;
      longest = way > longest ? way : longest;
    }
  }
  free(w.source);
  return longest;
}

#define MAX_SUM_DEPTH 6

/* Is VALUE computed from a sum of constants that goes on in each iteration? */
static bool has_sum(struct tsr_model *m, LLVMValueRef value, int depth)
{
  struct tsr_exact_sum sum;
  if (!tsr_model_in_region(m, value) || depth == MAX_SUM_DEPTH || LLVMIsALoadInst(value))
    return false;
  if (LLVMIsAPHINode(value))
    return tsr_phi_is_sum(m, value, &sum);
  bool has = false;
  for (int i = 0; i < LLVMGetNumOperands(value) && !has; i++)
    has = has_sum(m, LLVMGetOperand(value, (unsigned)i), depth + 1);
  return has;
}

int tsr_model_original_wait(struct tsr_model *m, int stmt)
{
  const struct tsr_stmt_info *s = &m->stmts[stmt];
  bool has = false;
  for (int i = 0; i < s->n_inst && !has; i++)
    has = has_sum(m, s->inst[i], 0);
  return has ? SUM_LATENCY : 0;
}
