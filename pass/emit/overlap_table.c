/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Many pairs of arrays that may overlap, checked by a loop over a table on the stack. A row is an array: the bytes
 * [begin, end) that it touches, and with which of the rows above it that must have nothing in common, a bit each. No order
 * of the rows is needed; control leaves for the original at the first pair that overlaps.
 *
 *   at:     table[..] = {begin, end, with}; br row
 *   row:    i = phi 1, next; begin, end, with = table[i]; br more
 *   more:   k = phi 0, k + 1; left = phi with, left >> 1; br left == 0, next, pair
 *   pair:   ok = (left & 1) == 0 | end <= table[k].begin | table[k].end <= begin; br ok, again, OLD
 *   again:  br more
 *   next:   i + 1; br i + 1 < n, row, behind
 *   behind: */
#include "emit/emitter.h"
#include <stdlib.h>

enum column { BEGIN, END, WITH, N_COLUMN };

struct overlap_table {
  struct tsr_emit *e;
  LLVMTypeRef i128, row;
  LLVMValueRef table;
  int *array; /* of each row */
  int n;
};

/* The row of ARRAY, a new one if there is none. */
static int row_of(struct overlap_table *t, int array)
{
  for (int i = 0; i < t->n; i++)
    if (t->array[i] == array)
      return i;
  t->array[t->n] = array;
  return t->n++;
}

/* The address of COLUMN of row ROW */
static LLVMValueRef cell(struct overlap_table *t, LLVMValueRef row, enum column column)
{
  LLVMValueRef at[2] = {row, tsr_emit_number(t->e, column)};
  return LLVMBuildInBoundsGEP2(t->e->b, t->row, t->table, at, 2, "");
}

static LLVMValueRef load_cell(struct overlap_table *t, LLVMValueRef row, enum column column)
{
  return LLVMBuildLoad2(t->e->b, t->i128, cell(t, row, column), "");
}

/* Store the rows; the pairs of M without rows that are pointed to are those to be checked. */
static void fill(struct overlap_table *t, LLVMValueRef (*range)[2])
{
  struct tsr_emit *e = t->e;
  struct tsr_model *m = e->m;
  uint64_t with[TSR_MAX_OVERLAP_ROWS][2] = {{0}};
  for (int i = 0; i < m->n_alias_pair; i++) {
    int a = m->alias_pair[i][0], b = m->alias_pair[i][1];
    if (m->arrays[a].rows || m->arrays[b].rows)
      continue;
    int row = row_of(t, a), other = row_of(t, b), low = row < other ? row : other;
    with[row + other - low][low / 64] |= UINT64_C(1) << low % 64;
  }
  LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b);
  LLVMPositionBuilderBefore(e->b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(m->function)));
  t->table = LLVMBuildAlloca(e->b, LLVMArrayType2(t->row, (uint64_t)t->n), "tsr.ranges");
  LLVMPositionBuilderAtEnd(e->b, at);
  for (int i = 0; i < t->n; i++) {
    LLVMValueRef row = tsr_emit_number(e, i);
    LLVMBuildStore(e->b, range[t->array[i]][0], cell(t, row, BEGIN));
    LLVMBuildStore(e->b, range[t->array[i]][1], cell(t, row, END));
    LLVMBuildStore(e->b, LLVMConstIntOfArbitraryPrecision(t->i128, 2, with[i]), cell(t, row, WITH));
  }
}

/* A phi that is VALUE when control comes from FROM */
static LLVMValueRef phi_of(struct tsr_emit *e, LLVMValueRef value, LLVMBasicBlockRef from)
{
  LLVMValueRef phi = LLVMBuildPhi(e->b, LLVMTypeOf(value), "");
  LLVMAddIncoming(phi, &value, &from, 1);
  return phi;
}

/* End the block at hand: back to HEADER, whose PHI then is VALUE, while COND; else on to BEHIND. COND NULL: always. */
static void go_back(struct tsr_emit *e, LLVMBasicBlockRef header, LLVMValueRef phi, LLVMValueRef value, LLVMValueRef cond,
                    LLVMBasicBlockRef behind)
{
  LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b);
  unsigned n_hint = e->n_hint;
  e->n_hint = 0; /* those are of the user's loops */
  LLVMValueRef branch = cond ? LLVMBuildCondBr(e->b, cond, header, behind) : LLVMBuildBr(e->b, header);
  tsr_set_metadata(branch, "llvm.loop", tsr_emit_loop_id(e, NULL, true));
  LLVMAddIncoming(phi, &value, &at, 1);
  e->n_hint = n_hint;
}

/* Row I with those above it: on in NEXT, or to OLD. */
static void check_row(struct overlap_table *t, LLVMValueRef i, LLVMBasicBlockRef next, LLVMBasicBlockRef old)
{
  struct tsr_emit *e = t->e;
  LLVMBasicBlockRef row = LLVMGetInsertBlock(e->b), more = tsr_emit_block(e, "tsr.more");
  LLVMBasicBlockRef pair = tsr_emit_block(e, "tsr.pair"), again = tsr_emit_block(e, "tsr.again");
  LLVMValueRef begin = load_cell(t, i, BEGIN), end = load_cell(t, i, END), with = load_cell(t, i, WITH);
  LLVMValueRef one = LLVMConstInt(t->i128, 1, false), none = LLVMConstNull(t->i128);
  LLVMBuildBr(e->b, more);
  LLVMPositionBuilderAtEnd(e->b, more);
  LLVMValueRef k = phi_of(e, tsr_emit_number(e, 0), row), left = phi_of(e, with, row);
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, left, none, ""), next, pair);
  LLVMPositionBuilderAtEnd(e->b, pair);
  LLVMValueRef unrelated = LLVMBuildICmp(e->b, LLVMIntEQ, LLVMBuildAnd(e->b, left, one, ""), none, "");
  LLVMValueRef before = LLVMBuildICmp(e->b, LLVMIntSLE, end, load_cell(t, k, BEGIN), "");
  LLVMValueRef behind = LLVMBuildICmp(e->b, LLVMIntSLE, load_cell(t, k, END), begin, "");
  LLVMValueRef apart = LLVMBuildOr(e->b, before, behind, "tsr.apart");
  tsr_emit_set_likely(e, LLVMBuildCondBr(e->b, LLVMBuildOr(e->b, unrelated, apart, ""), again, old));
  LLVMPositionBuilderAtEnd(e->b, again);
  LLVMValueRef rest = LLVMBuildLShr(e->b, left, one, "");
  LLVMAddIncoming(left, &rest, &again, 1);
  go_back(e, more, k, LLVMBuildAdd(e->b, k, tsr_emit_number(e, 1), ""), NULL, NULL);
}

void tsr_emit_overlap_table(struct tsr_emit *e, LLVMValueRef (*range)[2], LLVMBasicBlockRef old)
{
  struct overlap_table t = {.e = e, .i128 = LLVMIntTypeInContext(e->llvm, 128)};
  t.row = LLVMArrayType2(t.i128, N_COLUMN);
  t.array = calloc((size_t)e->m->n_array + 1, sizeof(*t.array));
  fill(&t, range);
  LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b), row = tsr_emit_block(e, "tsr.row");
  LLVMBasicBlockRef next = tsr_emit_block(e, "tsr.next"), behind = tsr_emit_block(e, "tsr.checked");
  LLVMBuildBr(e->b, row);
  LLVMPositionBuilderAtEnd(e->b, row);
  LLVMValueRef i = phi_of(e, tsr_emit_number(e, 1), at);
  check_row(&t, i, next, old);
  LLVMPositionBuilderAtEnd(e->b, next);
  LLVMValueRef following = LLVMBuildAdd(e->b, i, tsr_emit_number(e, 1), "");
  go_back(e, row, i, following, LLVMBuildICmp(e->b, LLVMIntSLT, following, tsr_emit_number(e, t.n), ""), behind);
  LLVMPositionBuilderAtEnd(e->b, behind);
  free(t.array);
}
