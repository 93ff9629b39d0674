/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Array expansion (P. Feautrier, "Array expansion", ICS 1988): a scalar that a loop adds up, or reads all along, gets an
 * element of its own for each iteration of the two loops around, or of one.
 *
 *   for j                                                          for j
 *     for i                                                          for i
 *       s = 0                                                          E[j][i] = 0
 *       for k                                       ->                 for k
 *         s += A[i][k] * B[j][k]                                         E[j][i] += A[i][k] * B[j][k]
 *       C[j][i] = alpha * s + beta * C[j][i]                           C[j][i] = alpha * E[j][i] + beta * C[j][i]
 *
 * One s for all i and j keeps the loop over k inside of both. With E nothing but the sum itself orders the instances: the
 * three statements get loops of their own, and the sum register tiles. C can't be E: its old value is still needed.
 *
 *   for j                                                          for j
 *     for k = m - 1 .. 0                                             for k = m - 1 .. 0
 *       t = alpha * B[j][k]                                            E[j][k] = alpha * B[j][k]
 *       B[j][k] = t * A[k][k]                       ->                 B[j][k] = E[j][k] * A[k][k]
 *       for i = k + 1 ..                                               for i = k + 1 ..
 *         B[j][i] += t * A[k][i]                                         B[j][i] += E[j][k] * A[k][i]
 *
 * Here t can't be computed again where it is used, as what it comes from is overwritten.
 *
 *   for i                                                          for i
 *     s = 0                                                          E[i] = 0
 *     for k                                       ->                 for k
 *       s += A[i][k] * x[k]                                            E[i] += A[i][k] * x[k]
 *     y[i] = alpha * s + beta * y[i]                                 y[i] = alpha * E[i] + beta * y[i]
 *
 * With one loop around, that of rows which sums run along: several rows are summed up at once then (register_strips.c).
 *
 * The nest is modelled once more, with a store in it that the program doesn't have: at the end of the loop over i, or of the
 * block that computes t,
 *
 *       E[j][i] = s
 *
 * Then E[j][i] is where scalar_elements.c finds that s may live, and the store itself has nothing left to do. To all that
 * comes behind, scheduler, search, checker, emission, E is an array like any other. Its base is a call of a function that
 * doesn't exist; new code has memory of its own in its place (emit/buffer/expanded_arrays.c), and the original gets rid of
 * store and call again (tsr_expansion_erase).
 *
 *   rows      iterations of j, which are the same in all iterations of what is around; where there is no j, those of i
 *   columns   iterations of i, at most: of an affine number the greater one of those at both ends of j; the model has to
 *             prove that i stays below (memory/delinearise.c), or to check it at run time
 *
 * Loops further out use the same E again. */
#include "read/memory/memory.h"
#include <stdlib.h>
#include <string.h>

/* ---- expressions of scalar evolution as instructions ---- */

struct maker {
  struct tsr_model *m;
  LLVMBuilderRef b;
  LLVMTypeRef i64;
};

/* S, whose operands are known in front of the SCoP, at the builder's place; NULL: they aren't, or it is none of the few
 * kinds that numbers of iterations have. */
static LLVMValueRef make(struct maker *k, tsr_scev s)
{
  enum tsr_scev_kind kind = tsr_scev_kind(s);
  LLVMTypeRef type = LLVMIntTypeInContext(LLVMGetModuleContext(k->m->module), tsr_scev_bits(k->m->a, s));
  int64_t value = 0;
  if (kind == TSR_SCEV_CONSTANT)
    return tsr_scev_constant(s, &value) ? LLVMConstInt(type, (uint64_t)value, true) : NULL;
  if (kind == TSR_SCEV_UNKNOWN)
    return tsr_model_in_region(k->m, tsr_scev_value(s)) ? NULL : tsr_scev_value(s);
  LLVMValueRef all = tsr_scev_n_operand(s) > 0 ? make(k, tsr_scev_operand(s, 0)) : NULL;
  if (kind == TSR_SCEV_SEXT || kind == TSR_SCEV_ZEXT || kind == TSR_SCEV_TRUNC)
    return !all                    ? NULL
           : kind == TSR_SCEV_SEXT ? LLVMBuildSExt(k->b, all, type, "")
           : kind == TSR_SCEV_ZEXT ? LLVMBuildZExt(k->b, all, type, "")
                                   : LLVMBuildTrunc(k->b, all, type, "");
  for (unsigned i = 1; i < tsr_scev_n_operand(s) && all; i++) {
    LLVMValueRef next = make(k, tsr_scev_operand(s, i));
    bool known = next && (kind == TSR_SCEV_ADD || kind == TSR_SCEV_MUL || kind == TSR_SCEV_SMAX || kind == TSR_SCEV_UMAX);
    LLVMIntPredicate more = kind == TSR_SCEV_SMAX ? LLVMIntSGT : LLVMIntUGT;
    all = !known                 ? NULL
          : kind == TSR_SCEV_ADD ? LLVMBuildAdd(k->b, all, next, "")
          : kind == TSR_SCEV_MUL ? LLVMBuildMul(k->b, all, next, "")
                                 : LLVMBuildSelect(k->b, LLVMBuildICmp(k->b, more, all, next, ""), all, next, "");
  }
  return all;
}

/* The greatest value of COUNT, how often the latch of a loop in OUTER is passed, at the builder's place; NULL: not known. */
static LLVMValueRef make_greatest(struct maker *k, tsr_scev count, tsr_loop outer)
{
  int64_t step = 0;
  if (tsr_scev_kind(count) != TSR_SCEV_ADDREC)
    return make(k, count);
  tsr_scev last = tsr_scev_backedge_count(k->m->a, outer);
  if (tsr_scev_loop(count) != outer || tsr_scev_n_operand(count) != 2 || !last ||
      !tsr_scev_constant(tsr_scev_operand(count, 1), &step))
    return NULL;
  LLVMValueRef first = make(k, tsr_scev_operand(count, 0));
  if (step <= 0 || !first)
    return first;
  LLVMValueRef turns = make(k, last);
  LLVMTypeRef type = LLVMTypeOf(first);
  if (!turns || LLVMGetIntTypeWidth(LLVMTypeOf(turns)) != LLVMGetIntTypeWidth(type))
    return NULL;
  return LLVMBuildAdd(k->b, first, LLVMBuildMul(k->b, turns, LLVMConstInt(type, (uint64_t)step, true), ""), "");
}

/* COUNT + 1, of 64 bits */
static LLVMValueRef one_more(struct maker *k, LLVMValueRef count)
{
  if (!count || LLVMGetIntTypeWidth(LLVMTypeOf(count)) > 64)
    return NULL;
  LLVMValueRef wide = LLVMGetIntTypeWidth(LLVMTypeOf(count)) < 64 ? LLVMBuildZExt(k->b, count, k->i64, "") : count;
  return LLVMBuildAdd(k->b, wide, LLVMConstInt(k->i64, 1, false), "");
}

/* How many iterations LOOP has behind it, of 64 bits, at the builder's place, from the widest of its counters by ones; NULL:
 * it has none. */
static LLVMValueRef make_counter(struct maker *k, tsr_loop loop)
{
  LLVMValueRef best = NULL, start = NULL;
  int64_t best_step = 0;
  LLVMBasicBlockRef header = tsr_loop_header(loop), latch = tsr_loop_latch(loop);
  for (LLVMValueRef phi = LLVMGetFirstInstruction(header); phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
    int64_t step;
    bool number = LLVMGetTypeKind(LLVMTypeOf(phi)) == LLVMIntegerTypeKind && LLVMCountIncoming(phi) == 2;
    tsr_scev s = number ? tsr_scev_of(k->m->a, phi) : NULL;
    if (!s || tsr_scev_kind(s) != TSR_SCEV_ADDREC || tsr_scev_loop(s) != loop || tsr_scev_n_operand(s) != 2 ||
        !tsr_scev_constant(tsr_scev_operand(s, 1), &step) || (step != 1 && step != -1) ||
        LLVMGetIntTypeWidth(LLVMTypeOf(phi)) > 64 ||
        (best && LLVMGetIntTypeWidth(LLVMTypeOf(best)) >= LLVMGetIntTypeWidth(LLVMTypeOf(phi))))
      continue;
    best = phi;
    best_step = step;
    start = LLVMGetIncomingValue(phi, LLVMGetIncomingBlock(phi, 0) == latch);
  }
  if (!best)
    return NULL;
  LLVMValueRef from = best_step > 0 ? best : start, less = best_step > 0 ? start : best;
  LLVMValueRef count = LLVMIsNull(less) ? from : LLVMBuildSub(k->b, from, less, "");
  return LLVMGetIntTypeWidth(LLVMTypeOf(count)) < 64 ? LLVMBuildZExt(k->b, count, k->i64, "") : count;
}

/* ---- candidates ---- */

/* The phi behind LOOP that takes VALUE out of it; NULL: none, or several. */
static LLVMValueRef leaving(struct tsr_model *m, tsr_loop loop, LLVMValueRef value)
{
  LLVMValueRef found = NULL;
  for (LLVMUseRef u = LLVMGetFirstUse(value); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    if (tsr_loop_contains(loop, LLVMGetInstructionParent(user)) || user == found)
      continue;
    if (found || !LLVMIsAPHINode(user) || LLVMCountIncoming(user) != 1 || !tsr_model_in_region(m, user))
      return NULL;
    found = user;
  }
  return found;
}

/* VALUE, or what it becomes where it meets other ways around the loop that gave it. */
static LLVMValueRef merged(tsr_loop around, LLVMValueRef value)
{
  for (;;) {
    LLVMUseRef use = LLVMGetFirstUse(value);
    LLVMValueRef user = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
    if (!user || !LLVMIsAPHINode(user) || !tsr_loop_contains(around, LLVMGetInstructionParent(user)) ||
        LLVMGetInstructionParent(user) == tsr_loop_header(around))
      return value;
    value = user;
  }
}

/* Is a number of TYPE one that all that is made of loops can hold: vectors, buffers? */
static bool is_plain_type(LLVMTypeRef type)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  unsigned bits = kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
  return kind == LLVMDoubleTypeKind || kind == LLVMFloatTypeKind || bits == 32 || bits == 64;
}

/* Does the sum A, which lives in an element of the program's, add up what it reads of the same array in its loop? Then the
 * element holds too early what others of the nest still need the old value of: B := A B, row by row. */
static bool is_in_the_way(struct tsr_model *m, const struct tsr_array_info *a)
{
  tsr_loop loop = tsr_loop_for(m->a, LLVMGetInstructionParent(a->origin));
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].stmt >= 0 && m->access[i].array == m->access[a->home - 1].array && m->access[i].kind == TSR_READ &&
        tsr_loop_contains(loop, LLVMGetInstructionParent(m->access[i].inst)))
      return true;
  return false;
}

/* Does STMT add to an element, or fold into one in another way, by one operation or several: c = (c + x) + y? */
static bool adds_up(const struct tsr_stmt *stmt)
{
  bool guarded = tsr_stmt_is_guarded(stmt);
  for (int k = 0; k < stmt->n_access; k++)
    for (int i = 0; i < stmt->n_access; i++)
      if (stmt->access[k].reduction != TSR_RED_NONE ||
          ((stmt->access[k].kind == TSR_MUST_WRITE || (stmt->access[k].kind == TSR_MAY_WRITE && guarded)) &&
           stmt->access[i].kind == TSR_READ && stmt->access[i].array == stmt->access[k].array &&
           isl_map_plain_is_equal(stmt->access[i].relation, stmt->access[k].relation) == isl_bool_true))
        return true;
  return false;
}

/* Does a statement with loops inside of those around BLOCK, of M, read SCALAR array ARRAY, which BLOCK writes, and add up in
 * them? */
static bool is_read_inside(const struct tsr_model *m, int array, LLVMBasicBlockRef block)
{
  int depth = -1;
  bool found = false;
  for (int i = 0; i < m->n_stmt; i++)
    for (int k = 0; k < m->stmts[i].n_write && m->stmts[i].block == block; k++)
      depth = m->stmts[i].write[k].array == array ? m->stmts[i].n_loop : depth;
  for (int i = 0; i < m->n_stmt && depth >= 0; i++)
    for (int k = 0; k < m->stmts[i].n_read && m->stmts[i].n_loop > depth && !found; k++)
      found = m->stmts[i].read[k] == array && adds_up(&m->scop->stmts[i]);
  return found;
}

/* Is VALUE the guard of a statement of M? */
static bool is_guard(const struct tsr_model *m, LLVMValueRef value)
{
  bool found = false;
  for (int i = 0; i < m->n_stmt; i++)
    found |= m->stmts[i].guard == value;
  return found;
}

/* The loop of M around the loop AROUND; NULL: there is none. */
static tsr_loop outer_of(const struct tsr_model *m, tsr_loop around)
{
  tsr_loop outer = around ? tsr_loop_parent(around) : NULL;
  return outer && tsr_blocks_have(&m->blocks, tsr_loop_header(outer)) ? outer : NULL;
}

/* Has a statement of M as many loops as register tiles need? */
static bool is_deep(const struct tsr_model *m)
{
  bool deep = false;
  for (int i = 0; i < m->n_stmt; i++)
    deep |= m->stmts[i].n_loop >= 3;
  return deep;
}

/* What of SCALAR array A, of an instruction in the loop *AROUND, is read in loops inside of that; NULL: it isn't. */
static LLVMValueRef value_of(struct tsr_model *m, const struct tsr_array_info *a, tsr_loop *around)
{
  if (a->kind != TSR_ARRAY_SCALAR || a->is_phi || a->live_out || !LLVMIsAInstruction(a->origin) ||
      !(is_plain_type(LLVMTypeOf(a->origin)) || is_guard(m, a->origin)))
    return NULL;
  LLVMBasicBlockRef block = LLVMGetInstructionParent(a->origin);
  *around = tsr_loop_for(m->a, block);
  if (LLVMIsAPHINode(a->origin) && (LLVMCountIncoming(a->origin) < 2 || (*around && tsr_loop_header(*around) == block)))
    return NULL;
  bool good = (outer_of(m, *around) || (*around && is_deep(m))) && tsr_loop_latch(*around) &&
              is_read_inside(m, (int)(a - m->arrays), block);
  return good ? a->origin : NULL;
}

/* By how many elements is access I of STMT, of memory, further on in the next iteration of loop L? False: that isn't known,
 * or it isn't always so. */
static bool moves_along(const struct tsr_model *m, const struct tsr_stmt *stmt, int i, int l, long *elements)
{
  long delta[TSR_MAX_DIM] = {0};
  delta[l] = 1;
  const struct tsr_array *array = &m->scop->arrays[stmt->access[i].array];
  return array->kind == TSR_ARRAY_MEMORY && tsr_array_move(array, stmt->access[i].relation, delta, elements);
}

/* Is what SCALAR array A of M adds up in the inner one of two loops along a row of a matrix, be it of complex numbers,
 * another one in each iteration of the outer one? */
static bool runs_along_rows(const struct tsr_model *m, const struct tsr_array_info *a)
{
  int array = (int)(a - m->arrays);
  bool found = false;
  for (int s = 0; s < m->n_stmt; s++) {
    const struct tsr_stmt *stmt = &m->scop->stmts[s];
    bool sums = false;
    for (int k = 0; k < m->stmts[s].n_read && m->stmts[s].n_loop == 2 && !stmt->rare; k++)
      sums |= m->stmts[s].read[k] == array && adds_up(stmt);
    for (int i = 0; i < stmt->n_access && sums && !found; i++) {
      long along, across;
      found = stmt->access[i].kind == TSR_READ && moves_along(m, stmt, i, 1, &along) && along != 0 &&
              labs(along) <= TSR_MOST_PITCH && !(moves_along(m, stmt, i, 0, &across) && labs(across) <= TSR_MOST_PITCH);
    }
  }
  return found;
}

/* What SCALAR array A, a phi of a loop, hands on at the end of an iteration of the loop around that one; NULL: it isn't a
 * sum that loops around could have elements for. */
static LLVMValueRef result_of(struct tsr_model *m, const struct tsr_array_info *a, tsr_loop *around)
{
  if (a->kind != TSR_ARRAY_SCALAR || !a->is_phi || a->live_out || LLVMCountIncoming(a->origin) != 2 ||
      !is_plain_type(LLVMTypeOf(a->origin)))
    return NULL;
  LLVMBasicBlockRef block = LLVMGetInstructionParent(a->origin);
  tsr_loop loop = tsr_loop_for(m->a, block);
  *around = loop && tsr_loop_header(loop) == block ? tsr_loop_parent(loop) : NULL;
  LLVMBasicBlockRef latch = *around ? tsr_loop_latch(loop) : NULL;
  if (!latch || !tsr_loop_latch(*around) || !(outer_of(m, *around) || runs_along_rows(m, a)))
    return NULL;
  LLVMValueRef next = LLVMGetIncomingValue(a->origin, LLVMGetIncomingBlock(a->origin, 1) == latch);
  LLVMValueRef out = LLVMIsAInstruction(next) ? leaving(m, loop, next) : NULL;
  LLVMValueRef result = out ? merged(*around, out) : NULL;
  LLVMValueRef end = LLVMGetBasicBlockTerminator(tsr_loop_latch(*around));
  return result && tsr_dominates(m->a, result, end) ? result : NULL;
}

/* ---- the store ---- */

/* A pointer that is known to be none of the program's, made at the beginning of the function. */
static LLVMValueRef make_base(struct tsr_model *m)
{
  LLVMContextRef llvm = LLVMGetModuleContext(m->module);
  LLVMTypeRef type = LLVMFunctionType(LLVMPointerTypeInContext(llvm, 0), NULL, 0, false);
  LLVMValueRef f = LLVMGetNamedFunction(m->module, TSR_EXPANDED_BASE);
  if (!f) {
    static const struct {
      const char *name;
      LLVMAttributeIndex at;
    } attribute[] = {{"noalias", LLVMAttributeReturnIndex},
                     {"nounwind", (LLVMAttributeIndex)LLVMAttributeFunctionIndex},
                     {"willreturn", (LLVMAttributeIndex)LLVMAttributeFunctionIndex}};
    f = LLVMAddFunction(m->module, TSR_EXPANDED_BASE, type);
    for (size_t i = 0; i < sizeof(attribute) / sizeof(*attribute); i++) {
      unsigned kind = LLVMGetEnumAttributeKindForName(attribute[i].name, strlen(attribute[i].name));
      LLVMAddAttributeAtIndex(f, attribute[i].at, LLVMCreateEnumAttribute(llvm, kind, 0));
    }
  }
  LLVMBuilderRef b = LLVMCreateBuilderInContext(llvm);
  LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(m->function)));
  LLVMValueRef base = LLVMBuildCall2(b, type, f, NULL, 0, "");
  LLVMDisposeBuilder(b);
  return base;
}

/* Erase those instructions between FIRST (NULL: from the beginning of the block) and END that nobody uses, last first. */
static void erase_unused(LLVMValueRef first, LLVMValueRef end)
{
  for (LLVMValueRef at = LLVMGetPreviousInstruction(end), before; at && at != first; at = before) {
    before = LLVMGetPreviousInstruction(at);
    if (!LLVMGetFirstUse(at) && !LLVMIsAStoreInst(at))
      LLVMInstructionEraseFromParent(at);
  }
}

/* The element of X for the iteration at hand of the loop AROUND and of OUTER, the one around that, which may be NULL, at the
 * builder's place; X's sizes are noted. NULL: it can't be told. */
static LLVMValueRef make_place(struct maker *k, struct tsr_expanded *x, tsr_loop around, tsr_loop outer)
{
  tsr_scev inner_count = tsr_scev_backedge_count(k->m->a, around),
           outer_count = outer ? tsr_scev_backedge_count(k->m->a, outer) : NULL;
  x->rows = outer ? outer_count : inner_count;
  if (!inner_count || !x->rows)
    return NULL;
  LLVMValueRef rows = one_more(k, make(k, x->rows));
  x->columns = rows && outer ? one_more(k, make_greatest(k, inner_count, outer)) : NULL;
  LLVMValueRef row = rows && (x->columns || !outer) ? make_counter(k, outer ? outer : around) : NULL;
  LLVMValueRef column = row && outer ? make_counter(k, around) : NULL;
  return column ? LLVMBuildNSWAdd(k->b, LLVMBuildNSWMul(k->b, row, x->columns, ""), column, "") : outer ? NULL : row;
}

/* Add the store of RESULT at the end of BLOCK, which is in AROUND. False: there is none, nothing has changed. */
static bool add_store(struct tsr_expanded *x, struct tsr_model *m, LLVMValueRef result, tsr_loop around,
                      LLVMBasicBlockRef block)
{
  LLVMContextRef llvm = LLVMGetModuleContext(m->module);
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block), before = LLVMGetPreviousInstruction(end);
  struct maker k = {m, LLVMCreateBuilderInContext(llvm), LLVMInt64TypeInContext(llvm)};
  LLVMPositionBuilderBefore(k.b, end);
  *x = (struct tsr_expanded){.before = before};
  LLVMValueRef at = make_place(&k, x, around, outer_of(m, around));
  if (at) {
    x->base = make_base(m);
    x->store = LLVMBuildStore(k.b, result, LLVMBuildGEP2(k.b, LLVMTypeOf(result), x->base, &at, 1, ""));
  }
  erase_unused(before, end);
  LLVMDisposeBuilder(k.b);
  return at != NULL;
}

/* Is there a store of RESULT in ALL, which may be NULL? Sums in several loops, of which a condition chooses one, have one
 * result. */
static bool is_stored(const struct tsr_expansion *all, LLVMValueRef result)
{
  bool stored = false;
  for (int i = 0; all && i < all->n; i++)
    stored |= LLVMGetOperand(all->item[i].store, 0) == result;
  return stored;
}

struct tsr_expansion *tsr_expansion_insert(struct tsr_model *m, bool rivals)
{
  struct tsr_expansion *all = NULL;
  bool any = false;
  for (int i = 0; i < m->n_array && !m->scop->no_buffers; i++) {
    tsr_loop around;
    LLVMValueRef result = result_of(m, &m->arrays[i], &around);
    LLVMValueRef value = result ? NULL : value_of(m, &m->arrays[i], &around);
    LLVMBasicBlockRef block = result ? tsr_loop_latch(around) : value ? LLVMGetInstructionParent(value) : NULL;
    result = result ? result : value;
    if (result && m->arrays[i].home && !(rivals && is_in_the_way(m, &m->arrays[i])))
      continue;
    any |= result && m->arrays[i].home;
    if (!result || is_stored(all, result) || (all && all->n == TSR_MAX_EXPANDED))
      continue;
    if (!all)
      all = calloc(1, sizeof(*all));
    if (!all)
      return NULL;
    struct tsr_expanded *x = &all->item[all->n];
    if (add_store(x, m, result, around, block)) {
      x->sum = m->arrays[i].origin;
      all->n++;
    }
  }
  return all && all->n && any == rivals ? all : tsr_expansion_erase(all);
}

/* Does X's sum live in its element, in M, so that nothing is left of the store? */
static bool is_home(const struct tsr_expanded *x, const struct tsr_model *m)
{
  for (int i = 0; i < m->n_array; i++) {
    const struct tsr_array_info *a = &m->arrays[i];
    const struct tsr_raw_access *home = a->kind == TSR_ARRAY_SCALAR && a->home ? &m->access[a->home - 1] : NULL;
    if (a->kind == TSR_ARRAY_SCALAR && a->origin == x->sum)
      return home && home->inst == x->store && home->stmt < 0;
  }
  return false;
}

bool tsr_expansion_holds(const struct tsr_expansion *all, const struct tsr_model *m)
{
  for (int i = 0; i < all->n; i++)
    if (!is_home(&all->item[i], m))
      return false;
  return true;
}

struct tsr_expansion *tsr_expansion_erase(struct tsr_expansion *all)
{
  for (int i = all ? all->n - 1 : -1; i >= 0; i--) {
    struct tsr_expanded *x = &all->item[i];
    LLVMValueRef end = LLVMGetNextInstruction(x->store), f = LLVMGetCalledValue(x->base);
    LLVMInstructionEraseFromParent(x->store);
    erase_unused(x->before, end);
    if (!LLVMGetFirstUse(x->base))
      LLVMInstructionEraseFromParent(x->base);
    if (!LLVMGetFirstUse(f))
      LLVMDeleteFunction(f);
  }
  free(all);
  return NULL;
}
