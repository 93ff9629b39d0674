/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Addresses of accesses in a loop that runs over two counters at once.
 *
 * Where a short innermost loop has become a part of the one around it, c = K * a + b, an instance is at a = c / K, b = c %
 * K. Elements A[..][a][b] of rows of K are neighbours then, but K * (c / K) + c % K tells LLVM nothing: its vectors would
 * gather. Here that is c again. */
#include "emit/buffer/array_buffers.h"
#include "emit/statement_code.h"
#include "read/values/polynomials.h"

/* Two counters of a statement that are one. */
struct joined {
  int quotient, rest; /* their numbers */
  LLVMValueRef whole;
  int64_t divisor;
};

/* The constant by which VALUE divides, by INSTRUCTION; 0: it doesn't. */
static int64_t divisor_of(LLVMValueRef value, LLVMOpcode instruction)
{
  if (!LLVMIsAInstruction(value) || LLVMGetInstructionOpcode(value) != instruction)
    return 0;
  LLVMValueRef by = LLVMGetOperand(value, 1);
  return LLVMIsAConstantInt(by) ? LLVMConstIntGetSExtValue(by) : 0;
}

/* Is one of C's counters what division by a number leaves of another one? */
static bool find_joined(const struct tsr_copy *c, struct joined *j)
{
  for (int r = 0; r < c->s->n_loop; r++)
    for (int q = 0; q < c->s->n_loop; q++) {
      int64_t by = divisor_of(c->counters[r], LLVMSRem);
      if (by <= 1 || divisor_of(c->counters[q], LLVMSDiv) != by ||
          LLVMGetOperand(c->counters[r], 0) != LLVMGetOperand(c->counters[q], 0))
        continue;
      *j = (struct joined){q, r, LLVMGetOperand(c->counters[r], 0), by};
      return true;
    }
  return false;
}

/* Which counter of C's statement is atom number ATOM? -1: none. */
static int counter_of(const struct tsr_copy *c, int atom)
{
  const struct tsr_atom *at = &c->e->m->atoms[atom];
  for (int i = 0; i < c->s->n_loop && at->kind == TSR_ATOM_DIM; i++)
    if (c->s->loops[i] == at->loop)
      return i;
  return -1;
}

/* Which of J's two counters does TERM have? -1: none. False: it can't be written. */
static bool read_term(const struct tsr_copy *c, const struct tsr_term *term, const struct joined *j, int *which)
{
  *which = -1;
  for (int k = 0; k < term->degree; k++) {
    int counter = counter_of(c, term->atom[k]);
    const struct tsr_atom *atom = &c->e->m->atoms[term->atom[k]];
    if (counter < 0 && (atom->kind != TSR_ATOM_PARAM || !atom->bound))
      return false;
    if (counter >= 0 && (counter == j->quotient || counter == j->rest)) {
      if (term->degree > 1)
        return false;
      *which = counter;
    }
  }
  return true;
}

/* Are neighbours along J's loop as far apart in OFFSET wherever they are? By *STEP elements. */
static bool is_line(const struct tsr_copy *c, const struct tsr_poly *offset, const struct joined *j, int64_t *step)
{
  int64_t coef[2] = {0, 0};
  for (int i = 0; i < offset->n; i++) {
    int which;
    if (!read_term(c, &offset->term[i], j, &which))
      return false;
    if (which >= 0)
      coef[which == j->rest] = offset->term[i].coef;
  }
  *step = coef[1];
  return coef[1] != 0 && coef[0] % j->divisor == 0 && coef[0] / j->divisor == coef[1];
}

/* OFFSET in elements, where J's two counters are one, STEP apart */
static LLVMValueRef line_offset(struct tsr_copy *c, const struct tsr_poly *offset, const struct joined *j, int64_t step)
{
  struct tsr_emit *e = c->e;
  LLVMValueRef sum = tsr_emit_number(e, 0);
  for (int i = 0; i < offset->n; i++) {
    int which;
    if (!read_term(c, &offset->term[i], j, &which) || which >= 0)
      continue;
    LLVMValueRef term = tsr_emit_number(e, offset->term[i].coef);
    for (int k = 0; k < offset->term[i].degree; k++) {
      int atom = offset->term[i].atom[k], counter = counter_of(c, atom);
      LLVMValueRef value = counter >= 0 ? c->counters[counter] : LLVMBuildSExt(e->b, e->m->atoms[atom].value, e->i64, "");
      term = LLVMBuildMul(e->b, term, value, "");
    }
    sum = LLVMBuildAdd(e->b, sum, term, "");
  }
  return LLVMBuildAdd(e->b, sum, LLVMBuildMul(e->b, j->whole, tsr_emit_number(e, step), ""), "");
}

LLVMValueRef tsr_emit_joined_pointer(struct tsr_copy *c, LLVMValueRef inst)
{
  struct tsr_emit *e = c->e;
  struct joined j;
  if (e->gpu || !find_joined(c, &j))
    return NULL;
  for (int i = 0; i < e->m->n_access; i++) {
    const struct tsr_raw_access *access = &e->m->access[i];
    const struct tsr_array_info *a = &e->m->arrays[access->array];
    int64_t step;
    if (access->inst != inst || access->stmt < 0 || &e->m->stmts[access->stmt] != c->s)
      continue;
    if (!tsr_emit_is_element(e, i) || !is_line(c, access->offset, &j, &step))
      return NULL;
    LLVMValueRef bytes = LLVMBuildMul(e->b, line_offset(c, access->offset, &j, step), tsr_emit_number(e, a->elem_size), "");
    return LLVMBuildGEP2(e->b, LLVMInt8TypeInContext(e->llvm), a->base, &bytes, 1, "");
  }
  return NULL;
}
