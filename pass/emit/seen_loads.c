/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads that several statements of an iteration share, as the two numbers of a complex one do:
 *
 *   S: y[0] -= a * x[0] - b * x[1];  T: y[1] -= a * x[1] + b * x[0]        one load of x[0] and one of x[1] in the original
 *
 * Each statement copies what it needs, and loads x anew: behind a store to y, of which LLVM may not know that it isn't x.
 * What a load of the original gave in one statement it gives in all, wherever they run, as long as dependences are kept: so
 * those in one block take what the first one has loaded. */
#include "emit/statement_code.h"
#include <stdlib.h>
#include <string.h>

#define MAX_SEEN 64
#define MAX_COUNTERS 16
#define MAX_DEPTH 4

struct tsr_seen {
  LLVMBasicBlockRef block; /* where they are */
  int n;
  struct seen {
    LLVMValueRef load, value; /* of the original, and its copy */
    const struct tsr_stmt_info *s;
    LLVMValueRef counter[MAX_COUNTERS];
  } item[MAX_SEEN];
};

/* Are A and B one number? */
static bool is_same(LLVMValueRef a, LLVMValueRef b, int depth)
{
  if (a == b)
    return true;
  if (depth == 0 || !LLVMIsAInstruction(a) || !LLVMIsAInstruction(b) || LLVMTypeOf(a) != LLVMTypeOf(b) ||
      LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b))
    return false;
  LLVMOpcode op = LLVMGetInstructionOpcode(a);
  bool same = op == LLVMAdd || op == LLVMSub || op == LLVMMul;
  for (int i = 0; i < 2 && same; i++)
    same = is_same(LLVMGetOperand(a, (unsigned)i), LLVMGetOperand(b, (unsigned)i), depth - 1);
  return same;
}

/* Are the instances of C and of ITEM those of one iteration of the original's loops? */
static bool is_of_iteration(const struct tsr_copy *c, const struct seen *item)
{
  bool same = c->s->n_loop == item->s->n_loop;
  for (int l = 0; l < c->s->n_loop && same; l++)
    same = c->s->loops[l] == item->s->loops[l] && is_same(c->counters[l], item->counter[l], MAX_DEPTH);
  return same;
}

LLVMValueRef tsr_copy_seen(const struct tsr_copy *c, LLVMValueRef load)
{
  const struct tsr_seen *seen = c->e->seen;
  LLVMValueRef found = NULL;
  if (!seen || seen->block != LLVMGetInsertBlock(c->e->b))
    return NULL;
  for (int i = 0; i < seen->n && !found; i++)
    if (seen->item[i].load == load && is_of_iteration(c, &seen->item[i]))
      found = seen->item[i].value;
  return found;
}

void tsr_copy_see(const struct tsr_copy *c, LLVMValueRef load, LLVMValueRef copy)
{
  struct tsr_emit *e = c->e;
  LLVMBasicBlockRef block = LLVMGetInsertBlock(e->b);
  if (c->s->n_loop > MAX_COUNTERS || c->s->n_same > 0 || c->no_flags)
    return;
  e->seen = e->seen ? e->seen : calloc(1, sizeof(*e->seen));
  if (!e->seen)
    return;
  if (e->seen->block != block)
    e->seen->n = 0;
  e->seen->block = block;
  if (e->seen->n == MAX_SEEN)
    return;
  struct seen *item = &e->seen->item[e->seen->n++];
  *item = (struct seen){.load = load, .value = copy, .s = c->s};
  if (c->s->n_loop > 0)
    memcpy(item->counter, c->counters, (size_t)c->s->n_loop * sizeof(*item->counter));
}

void tsr_emit_forget_seen(struct tsr_emit *e)
{
  free(e->seen);
  e->seen = NULL;
}
