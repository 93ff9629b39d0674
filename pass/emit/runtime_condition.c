/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The run-time condition: the model's assumptions about parameters, and no overlap between arrays that may alias.
 *
 * An array A[i][j].. with rows of S elements touches the bytes  [base + (lo*S + head)*size, base + (hi*S + tail + 1)*size),
 * lo and hi the least and greatest i of all accesses (parametric), head and tail the least j there and the greatest one here
 * (where they are easily found, else 0 and S - 1); inner subscripts are within their rows by assumption. Two arrays are
 * apart if one ends where or before the other begins. Products of parameters may exceed 64 bits: this is calculated in 128.
 * All parts are evaluated and combined by `and`; none can trap. Where there are too many pairs, a loop checks them behind
 * what else there is (overlap_table.c).
 *
 * In front of it all comes the test of sizes, where the plan has one: it is cheap, and where loops are short it is all. */
#include "emit/emitter.h"
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>

/* { [i..] : the first N subscripts of an access to ARRAY } */
static isl_set *outermost(struct tsr_model *m, int array, int n)
{
  isl_set *all = isl_set_empty(isl_space_set_alloc(m->ctx, 0, n));
  for (int s = 0; s < m->scop->n_stmt; s++)
    for (int k = 0; k < m->scop->stmts[s].n_access; k++) {
      struct tsr_access *a = &m->scop->stmts[s].access[k];
      if (a->array != array)
        continue;
      isl_map *map = isl_map_intersect_domain(isl_map_copy(a->relation), isl_set_copy(m->scop->stmts[s].domain));
      isl_set *touched = isl_set_reset_tuple_id(isl_map_range(map));
      touched = isl_set_project_out(touched, isl_dim_set, n, m->arrays[array].n_dim - n);
      all = isl_set_union(all, touched);
    }
  return isl_set_coalesce(isl_set_remove_divs(all));
}

#define MAX_PIECES 16 /* of a bound */
#define MAX_PARTS 8   /* of what is touched */

/* The least and the greatest element of TOUCHED, a set of one dimension; false if that takes too many cases. Takes TOUCHED.
 */
static bool bounds_prepare(struct tsr_model *m, int array, isl_set *touched, isl_ast_build *build, isl_set *context,
                           isl_ast_expr **least, isl_ast_expr **greatest)
{
  touched = isl_set_intersect_params(touched, isl_set_copy(context));
  if (isl_set_n_basic_set(touched) > MAX_PARTS) { /* the least of so many takes ages to find */
    isl_set_free(touched);
    return tsr_model_reject(m, TSR_REASON_Bounds, tsr_model_access_to(m, array), NULL);
  }
  isl_pw_aff *lo = isl_set_dim_min(isl_set_copy(touched), 0);
  isl_pw_aff *hi = isl_set_dim_max(touched, 0);
  isl_size n_lo = lo ? isl_pw_aff_n_piece(lo) : -1, n_hi = hi ? isl_pw_aff_n_piece(hi) : -1;
  bool ok = n_lo >= 0 && n_hi >= 0 && n_lo <= MAX_PIECES && n_hi <= MAX_PIECES;
  if (ok) {
    lo = isl_pw_aff_gist_params(isl_pw_aff_coalesce(lo), isl_set_copy(context));
    hi = isl_pw_aff_gist_params(isl_pw_aff_coalesce(hi), isl_set_copy(context));
    if (n_lo == 0 || n_hi == 0) { /* never accessed: any range will do */
      isl_pw_aff_free(lo);
      isl_pw_aff_free(hi);
      *least = isl_ast_expr_from_val(isl_val_zero(m->ctx));
      *greatest = isl_ast_expr_from_val(isl_val_zero(m->ctx));
      return true;
    }
    *least = isl_ast_build_expr_from_pw_aff(build, lo);
    *greatest = isl_ast_build_expr_from_pw_aff(build, hi);
    return (*least && *greatest) || tsr_model_reject(m, TSR_REASON_Isl, NULL, NULL);
  }
  isl_pw_aff_free(lo);
  isl_pw_aff_free(hi);
  return tsr_model_reject(m, TSR_REASON_Bounds, tsr_model_access_to(m, array), NULL);
}

#define FEW_PARTS 4 /* of what is touched: so many have their ends looked at more closely */

/* The second subscript of END, the first or last of what is touched; NULL if that takes too many cases. */
static isl_ast_expr *inner_end(__isl_take isl_set *end, bool last, isl_ast_build *build, isl_set *context)
{
  isl_pw_aff *inner = last ? isl_set_dim_max(end, 1) : isl_set_dim_min(end, 1);
  isl_size n = isl_pw_aff_n_piece(inner);
  if (n < 1 || n > MAX_PIECES) {
    isl_pw_aff_free(inner);
    return NULL;
  }
  return isl_ast_build_expr_from_pw_aff(build, isl_pw_aff_gist_params(isl_pw_aff_coalesce(inner), isl_set_copy(context)));
}

/* The ends of ARRAY's range within their rows, where they are easily found. */
static void ends_prepare(struct tsr_model *m, int array, isl_ast_build *build, isl_set *context)
{
  struct tsr_range *range = &m->range[array];
  if (m->arrays[array].n_dim < 2)
    return;
  isl_set *touched = isl_set_intersect_params(outermost(m, array, 2), isl_set_copy(context));
  if (isl_set_n_basic_set(touched) <= FEW_PARTS && isl_set_is_empty(touched) == isl_bool_false) {
    range->head = inner_end(isl_set_lexmin(isl_set_copy(touched)), false, build, context);
    range->tail = inner_end(isl_set_lexmax(isl_set_copy(touched)), true, build, context);
  }
  isl_set_free(touched);
}

/* What ARRAY touches, as m->range has it; false if it can't be told at run time. */
static bool range_prepare(struct tsr_model *m, int array, isl_ast_build *build, isl_set *context)
{
  struct tsr_range *range = &m->range[array];
  if (range->lo)
    return true;
  if (m->arrays[array].unbounded) {
    if (!tsr_array_bytes(m, array))
      return tsr_model_reject(m, TSR_REASON_Indirect, tsr_model_access_to(m, array), NULL);
    range->lo = isl_ast_expr_from_val(isl_val_zero(m->ctx));
    range->hi = isl_ast_expr_from_val(isl_val_zero(m->ctx));
    return true;
  }
  if (!m->arrays[array].rows) {
    bool ok = bounds_prepare(m, array, outermost(m, array, 1), build, context, &range->lo, &range->hi);
    if (ok)
      ends_prepare(m, array, build, context);
    return ok;
  }
  struct tsr_rows *rows = &m->rows[array];
  isl_set *any = isl_set_params(isl_set_intersect_params(isl_set_copy(rows->table), isl_set_copy(context)));
  any = isl_set_gist_params(isl_set_coalesce(any), isl_set_copy(context));
  range->any = isl_ast_build_expr_from_set(build, any);
  return (range->any || tsr_model_reject(m, TSR_REASON_Isl, NULL, NULL)) &&
         bounds_prepare(m, array, isl_set_copy(rows->range), build, context, &range->lo, &range->hi) &&
         bounds_prepare(m, array, isl_set_copy(rows->table), build, context, &range->first, &range->last);
}

bool tsr_condition_prepare(struct tsr_model *m)
{
  if (!m->range)
    m->range = calloc(m->n_array + 1, sizeof(*m->range));
  if (isl_set_plain_is_universe(m->scop->assumed) != isl_bool_true && !m->condition) {
    m->condition = tsr_ast_condition(m->scop, isl_set_copy(m->scop->assumed));
    if (!m->condition)
      return tsr_model_reject(m, TSR_REASON_Isl, NULL, isl_ctx_last_error_msg(m->ctx));
  }
  /* Of many conditions the ranges of arrays depend on few: what all code is simplified by will do. */
  bool many = m->scop->conditions == TSR_CONDITIONS_MANY;
  isl_set *context =
      many ? tsr_scop_common(m->scop) : isl_set_intersect(isl_set_copy(m->scop->context), isl_set_copy(m->scop->assumed));
  isl_ast_build *build = isl_ast_build_from_context(isl_set_copy(context));
  bool ok = true;
  for (int i = 0; ok && i < m->n_alias_pair; i++)
    for (int k = 0; ok && k < 2; k++)
      ok = range_prepare(m, m->alias_pair[i][k], build, context);
  for (int i = 0; i < m->n_lift; i++)
    for (int k = 0; ok && k < m->n_array; k++)
      ok = !m->lift[i].apart[k] || range_prepare(m, k, build, context);
  for (int k = 0; ok && k < m->n_array; k++)
    ok = !(m->arrays[k].not_errno || (m->arrays[k].rows && m->arrays[k].written)) || range_prepare(m, k, build, context);
  isl_ast_build_free(build);
  isl_set_free(context);
  return ok;
}

struct wide {
  struct tsr_emit *e;
  LLVMTypeRef i128;
};

/* VALUE, of 64 bits, in 128 */
static LLVMValueRef widen(struct wide *w, LLVMValueRef value)
{
  return LLVMBuildSExt(w->e->b, value, w->i128, "");
}

/* A polynomial over parameters, in 128 bits. */
static LLVMValueRef poly_value(struct wide *w, const struct tsr_poly *p)
{
  struct tsr_emit *e = w->e;
  LLVMValueRef sum = LLVMConstInt(w->i128, 0, true);
  for (int i = 0; i < p->n; i++) {
    LLVMValueRef t = LLVMConstInt(w->i128, (uint64_t)p->term[i].coef, true);
    for (int k = 0; k < p->term[i].degree; k++) {
      LLVMValueRef value = e->m->atoms[p->term[i].atom[k]].value;
      t = LLVMBuildMul(e->b, t, widen(w, LLVMBuildSExt(e->b, value, e->i64, "")), "");
    }
    sum = LLVMBuildAdd(e->b, sum, t, "");
  }
  return sum;
}

/* First byte and the byte behind the last of ARRAY; of the whole object if a subscript is unknown. */
static void byte_range(struct wide *w, int array, LLVMValueRef out[2])
{
  struct tsr_emit *e = w->e;
  struct tsr_array_info *a = &e->m->arrays[array];
  struct tsr_range *range = &e->m->range[array];
  LLVMValueRef inner = LLVMConstInt(w->i128, a->elem_size, true); /* bytes of what the second subscript counts */
  LLVMValueRef row = a->pitch ? LLVMBuildMul(e->b, inner, poly_value(w, a->pitch[0]), "") : NULL;
  for (int i = 1; i < a->n_dim - 1 && !a->pitch; i++)
    inner = LLVMBuildMul(e->b, inner, poly_value(w, a->size[i]), "");
  if (a->pitch) /* of three dimensions at least */
    inner = LLVMBuildMul(e->b, inner, poly_value(w, a->pitch[1]), "");
  else
    row = a->n_dim > 1 ? LLVMBuildMul(e->b, inner, poly_value(w, a->size[0]), "") : inner;
  LLVMValueRef base = LLVMBuildZExt(e->b, LLVMBuildPtrToInt(e->b, tsr_emit_frozen(e, a->base), e->i64, ""), w->i128, "");
  if (a->unbounded) {
    out[0] = base;
    out[1] = LLVMBuildAdd(e->b, base, LLVMConstInt(w->i128, tsr_array_bytes(e->m, array), false), "tsr.end");
    return;
  }
  LLVMValueRef lo = widen(w, tsr_emit_expr(e, isl_ast_expr_copy(range->lo))), one = LLVMConstInt(w->i128, 1, true);
  LLVMValueRef hi = widen(w, tsr_emit_expr(e, isl_ast_expr_copy(range->hi)));
  hi = range->tail ? hi : LLVMBuildAdd(e->b, hi, one, "");
  out[0] = LLVMBuildAdd(e->b, base, LLVMBuildMul(e->b, lo, row, ""), "tsr.begin");
  out[1] = LLVMBuildAdd(e->b, base, LLVMBuildMul(e->b, hi, row, ""), "tsr.end");
  if (range->head) {
    LLVMValueRef head = widen(w, tsr_emit_expr(e, isl_ast_expr_copy(range->head)));
    out[0] = LLVMBuildAdd(e->b, out[0], LLVMBuildMul(e->b, head, inner, ""), "tsr.begin");
  }
  if (range->tail) {
    LLVMValueRef tail = widen(w, tsr_emit_expr(e, isl_ast_expr_copy(range->tail)));
    tail = LLVMBuildAdd(e->b, tail, one, "");
    out[1] = LLVMBuildAdd(e->b, out[1], LLVMBuildMul(e->b, tail, inner, ""), "tsr.end");
  }
}

/* A and B; A may be NULL. */
static LLVMValueRef and(struct tsr_emit *e, LLVMValueRef a, LLVMValueRef b)
{
  return a ? LLVMBuildAnd(e->b, a, b, "") : b;
}

/* Does one of the ranges A and B end where or before the other begins? */
static LLVMValueRef are_apart(struct tsr_emit *e, LLVMValueRef a[2], LLVMValueRef b[2])
{
  LLVMValueRef before = LLVMBuildICmp(e->b, LLVMIntSLE, a[1], b[0], "");
  LLVMValueRef behind = LLVMBuildICmp(e->b, LLVMIntSLE, b[1], a[0], "");
  return LLVMBuildOr(e->b, before, behind, "tsr.apart");
}

/* Are A and B equal, bit for bit? */
static LLVMValueRef are_same(struct tsr_emit *e, LLVMValueRef a, LLVMValueRef b)
{
  LLVMTypeRef type = LLVMTypeOf(a);
  bool floating = LLVMGetTypeKind(type) == LLVMFloatTypeKind || LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
  LLVMTypeRef bits = floating ? LLVMIntTypeInContext(e->llvm, LLVMGetTypeKind(type) == LLVMFloatTypeKind ? 32 : 64) : type;
  return LLVMBuildICmp(e->b, LLVMIntEQ, LLVMBuildBitCast(e->b, a, bits, ""), LLVMBuildBitCast(e->b, b, bits, ""),
                       "tsr.same");
}

/* ALL, and: what was loaded in front is what the SCoP would load, from first to last. */
static LLVMValueRef lift_condition(struct wide *w, struct tsr_lift *lift, LLVMValueRef (*range)[2], LLVMValueRef all)
{
  struct tsr_emit *e = w->e;
  for (int i = 0; i < lift->n_before; i++) {
    LLVMValueRef other = i ? tsr_emit_frozen(e, lift->before[i]) : lift->loaded;
    if (other)
      all = and(e, all, are_same(e, lift->value, other));
  }
  LLVMValueRef own[2] = {NULL, NULL};
  for (int k = 0; k < e->m->n_array; k++) {
    if (!lift->apart[k])
      continue;
    if (!own[0]) {
      uint64_t size = tsr_type_store_size(e->m->module, lift->item->type);
      own[0] = LLVMBuildZExt(e->b, LLVMBuildPtrToInt(e->b, lift->pointer, e->i64, ""), w->i128, "");
      own[1] = LLVMBuildAdd(e->b, own[0], LLVMConstInt(w->i128, size, false), "");
    }
    if (!range[k][0])
      byte_range(w, k, range[k]);
    all = and(e, all, are_apart(e, own, range[k]));
  }
  return all;
}

/* ALL, and: the arrays A and B are apart. RANGE: by array, NULL if not calculated yet. */
static LLVMValueRef pair_condition(struct wide *w, int a, int b, LLVMValueRef (*range)[2], LLVMValueRef all)
{
  const int array[2] = {a, b};
  for (int k = 0; k < 2; k++)
    if (!range[array[k]][0])
      byte_range(w, array[k], range[array[k]]);
  return and(w->e, all, are_apart(w->e, range[a], range[b]));
}

/* ALL, and: no array that could be is where errno is. */
static LLVMValueRef errno_condition(struct wide *w, LLVMValueRef (*range)[2], LLVMValueRef all)
{
  struct tsr_emit *e = w->e;
  LLVMValueRef own[2] = {NULL, NULL};
  for (int k = 0; k < e->m->n_array; k++) {
    if (!e->m->arrays[k].not_errno)
      continue;
    if (!own[0]) {
      LLVMValueRef place = tsr_emit_call(e, "__errno_location", LLVMPointerTypeInContext(e->llvm, 0), NULL, 0);
      own[0] = LLVMBuildZExt(e->b, LLVMBuildPtrToInt(e->b, place, e->i64, ""), w->i128, "");
      own[1] = LLVMBuildAdd(e->b, own[0], LLVMConstInt(w->i128, sizeof(int), false), "");
    }
    if (!range[k][0])
      byte_range(w, k, range[k]);
    all = and(e, all, are_apart(e, own, range[k]));
  }
  return all;
}

/* A, at most LIMIT, a number. Of an int it is found before that is extended: where the original has one that is known not
 * to be negative, LLVM would keep both. */
static LLVMValueRef least(struct tsr_emit *e, LLVMValueRef a, int64_t limit)
{
  LLVMValueRef from = LLVMIsASExtInst(a) ? LLVMGetOperand(a, 0) : a;
  bool narrow = LLVMGetIntTypeWidth(LLVMTypeOf(from)) == 32 && limit <= INT32_MAX;
  from = narrow ? from : a;
  LLVMValueRef most = LLVMConstInt(LLVMTypeOf(from), (uint64_t)limit, true);
  LLVMValueRef value = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, from, most, ""), from, most, "");
  return narrow ? LLVMBuildSExt(e->b, value, e->i64, "") : value;
}

/* Go on in a new block if COND holds, else in OLD. The branch */
static LLVMValueRef go_on(struct tsr_emit *e, LLVMValueRef cond, const char *name, LLVMBasicBlockRef old)
{
  LLVMBasicBlockRef next = tsr_emit_block(e, name);
  LLVMValueRef branch = LLVMBuildCondBr(e->b, cond, next, old);
  LLVMPositionBuilderAtEnd(e->b, next);
  return branch;
}

/* The product of SIZE, of N factors, or LIMIT if that is less: no factor and no product of some need be more, so that none
 * wraps. */
static LLVMValueRef product_of(struct tsr_emit *e, LLVMValueRef *size, int n, int64_t limit)
{
  LLVMValueRef product = NULL;
  for (int i = 0; i < n; i++) {
    LLVMValueRef factor = least(e, size[i], limit);
    product = product ? least(e, LLVMBuildMul(e->b, product, factor, ""), limit) : factor;
  }
  return product;
}

/* Go on in a new block if COND holds, else in OTHER; that is part of TEST, if it isn't NULL. */
static void go_on_in_test(struct tsr_emit *e, LLVMValueRef cond, const char *name, LLVMBasicBlockRef other,
                          LLVMMetadataRef test)
{
  LLVMValueRef branch = go_on(e, cond, name, other);
  if (test)
    tsr_set_metadata(branch, TSR_SIZE_TEST, test);
}

void tsr_emit_size_test(struct tsr_emit *e, const struct tsr_sizes *sizes, LLVMBasicBlockRef other, bool first)
{
  LLVMValueRef all = NULL, size[TSR_MAX_SIZES];
  LLVMMetadataRef test = first ? tsr_md_self_reference(e->llvm, NULL, 0) : NULL;
  e->may_wrap = true;
  for (int i = 0; i < sizes->n_limit; i++) {
    LLVMValueRef limit = tsr_emit_expr(e, isl_ast_expr_copy(sizes->limit[i]));
    all = and(e, all, LLVMBuildICmp(e->b, LLVMIntSGE, limit, tsr_emit_number(e, sizes->least_limit[i]), "tsr.limit"));
  }
  if (all)
    go_on_in_test(e, all, "tsr.limits", other, test);
  all = NULL;
  for (int i = 0; i < sizes->n; i++) {
    size[i] = tsr_emit_expr(e, isl_ast_expr_copy(sizes->size[i]));
    if (sizes->least[i] > 1)
      all = and(e, all, LLVMBuildICmp(e->b, LLVMIntSGE, size[i], tsr_emit_number(e, sizes->least[i]), "tsr.long"));
  }
  if (all)
    go_on_in_test(e, all, "tsr.sizes", other, test);
  if (sizes->product > 0) {
    LLVMValueRef product = product_of(e, size, sizes->n, sizes->product), enough = tsr_emit_number(e, sizes->product);
    LLVMValueRef is_enough = LLVMBuildICmp(e->b, LLVMIntSGE, product, enough, "tsr.enough");
    go_on_in_test(e, is_enough, "tsr.checks", other, test);
  }
  e->may_wrap = false;
}

/* The ranges of all arrays that are checked by a table, which aren't rows, in RANGE. */
static void table_ranges(struct wide *w, LLVMValueRef (*range)[2])
{
  struct tsr_model *m = w->e->m;
  for (int i = 0; i < m->n_alias_pair; i++)
    for (int k = 0; k < 2; k++) {
      int array = m->alias_pair[i][k];
      if (!m->arrays[m->alias_pair[i][0]].rows && !m->arrays[m->alias_pair[i][1]].rows && !range[array][0])
        byte_range(w, array, range[array]);
    }
}

LLVMValueRef tsr_emit_condition(struct tsr_emit *e, LLVMBasicBlockRef old)
{
  struct tsr_model *m = e->m;
  struct wide w = {.e = e, .i128 = LLVMIntTypeInContext(e->llvm, 128)};
  LLVMValueRef all = NULL;
  e->may_wrap = true;
  if (m->condition)
    all = tsr_emit_truth(e, isl_ast_expr_copy(m->condition));
  LLVMValueRef(*range)[2] = calloc(m->n_array + 1, sizeof(*range));
  bool table = tsr_aliases_take_table(m);
  for (int i = 0; i < m->n_alias_pair && !table; i++) {
    int a = m->alias_pair[i][0], b = m->alias_pair[i][1];
    if (!m->arrays[a].rows && !m->arrays[b].rows)
      all = pair_condition(&w, a, b, range, all);
  }
  for (int i = 0; i < m->n_lift; i++)
    all = lift_condition(&w, &m->lift[i], range, all);
  all = errno_condition(&w, range, all);
  if (table) {
    table_ranges(&w, range);
    if (all)
      go_on(e, all, "tsr.overlaps", old);
    tsr_emit_overlap_table(e, range, old);
    all = NULL;
  }
  free(range);
  e->may_wrap = false;
  return all ? all : LLVMConstInt(LLVMInt1TypeInContext(e->llvm), 1, false);
}

/* ---- arrays of rows
 *
 *   at:      br first <= last, load, behind
 *   load:    p = table[first]; br walk
 *   walk:    t, least, greatest, previous, up, down = phi; more = t + step <= last; br more, next, behind
 *   next:    p = table[t + step]; up &= previous + size <= p; down &= p + size <= previous; br walk
 *   behind:  least, greatest, up | down */

struct walk {
  LLVMValueRef t, least, greatest, previous, up, down;
};

/* The address of row T of ARRAY, loaded from its table, in 128 bits */
static LLVMValueRef load_row(struct wide *w, int array, LLVMValueRef t)
{
  struct tsr_emit *e = w->e;
  LLVMTypeRef pointer = LLVMPointerTypeInContext(e->llvm, 0);
  LLVMValueRef address = LLVMBuildGEP2(e->b, pointer, tsr_emit_frozen(e, e->m->arrays[array].base), &t, 1, "");
  LLVMValueRef row = LLVMBuildLoad2(e->b, pointer, address, "tsr.row");
  unsigned align = 8;
  for (int i = 0; i < e->m->n_access; i++)
    if (e->m->access[i].array == array && LLVMGetAlignment(e->m->access[i].row_load) < align)
      align = LLVMGetAlignment(e->m->access[i].row_load);
  LLVMSetAlignment(row, align);
  row = LLVMBuildFreeze(e->b, row, "");
  return LLVMBuildZExt(e->b, LLVMBuildPtrToInt(e->b, row, e->i64, ""), w->i128, "");
}

/* A phi that is VALUE when control comes from FROM */
static LLVMValueRef phi_of(struct tsr_emit *e, LLVMValueRef value, LLVMBasicBlockRef from)
{
  LLVMValueRef phi = LLVMBuildPhi(e->b, LLVMTypeOf(value), "");
  LLVMAddIncoming(phi, &value, &from, 1);
  return phi;
}

/* One step of the walk; W->t is the row's subscript. */
static struct walk walk_step(struct wide *w, int array, const struct walk *at, LLVMValueRef t, LLVMValueRef size)
{
  LLVMBuilderRef b = w->e->b;
  LLVMValueRef p = load_row(w, array, t);
  struct walk to = {.t = t, .previous = p};
  to.least = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSLT, p, at->least, ""), p, at->least, "");
  to.greatest = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSGT, p, at->greatest, ""), p, at->greatest, "");
  LLVMValueRef up = LLVMBuildICmp(b, LLVMIntSLE, LLVMBuildAdd(b, at->previous, size, ""), p, "");
  LLVMValueRef down = LLVMBuildICmp(b, LLVMIntSLE, LLVMBuildAdd(b, p, size, ""), at->previous, "");
  to.up = LLVMBuildAnd(b, at->up, up, "");
  to.down = LLVMBuildAnd(b, at->down, down, "");
  return to;
}

/* The bytes that the rows of ARRAY are in, and whether the rows are apart. */
static LLVMValueRef walk_rows(struct wide *w, int array, LLVMValueRef out[2])
{
  struct tsr_emit *e = w->e;
  struct tsr_range *range = &e->m->range[array];
  LLVMValueRef bytes = LLVMConstInt(w->i128, e->m->arrays[array].elem_size, true), one = LLVMConstInt(w->i128, 1, true);
  LLVMValueRef lo = widen(w, tsr_emit_expr(e, isl_ast_expr_copy(range->lo)));
  LLVMValueRef hi = LLVMBuildAdd(e->b, widen(w, tsr_emit_expr(e, isl_ast_expr_copy(range->hi))), one, "");
  LLVMValueRef size = LLVMBuildMul(e->b, LLVMBuildSub(e->b, hi, lo, ""), bytes, "");
  LLVMValueRef first = tsr_emit_expr(e, isl_ast_expr_copy(range->first));
  LLVMValueRef last = tsr_emit_expr(e, isl_ast_expr_copy(range->last));
  LLVMValueRef yes = LLVMConstInt(LLVMInt1TypeInContext(e->llvm), 1, false);
  LLVMValueRef step = LLVMConstInt(e->i64, (uint64_t)e->m->rows[array].step, true);
  LLVMValueRef nowhere = LLVMBuildShl(e->b, one, LLVMConstInt(w->i128, 100, false), ""),
               zero = LLVMConstInt(w->i128, 0, true);
  LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b), load = tsr_emit_block(e, "tsr.row"), walk = tsr_emit_block(e, "tsr.walk");
  LLVMBasicBlockRef next = tsr_emit_block(e, "tsr.next"), behind = tsr_emit_block(e, "tsr.rows");
  /* Where nothing of the table is loaded its bounds are anything. */
  LLVMValueRef any = tsr_emit_truth(e, isl_ast_expr_copy(range->any)),
               ordered = LLVMBuildICmp(e->b, LLVMIntSLE, first, last, "");
  ordered = LLVMBuildSelect(e->b, any, ordered, LLVMConstInt(LLVMInt1TypeInContext(e->llvm), 0, false), "");
  LLVMBuildCondBr(e->b, ordered, load, behind);
  LLVMPositionBuilderAtEnd(e->b, load);
  LLVMValueRef p = load_row(w, array, first);
  LLVMBuildBr(e->b, walk);
  LLVMPositionBuilderAtEnd(e->b, walk);
  struct walk now = {phi_of(e, first, load), phi_of(e, p, load),   phi_of(e, p, load),
                     phi_of(e, p, load),     phi_of(e, yes, load), phi_of(e, yes, load)};
  LLVMValueRef t = LLVMBuildAdd(e->b, now.t, step, "");
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, t, last, ""), next, behind);
  LLVMPositionBuilderAtEnd(e->b, next);
  struct walk then = walk_step(w, array, &now, t, size);
  LLVMBuildBr(e->b, walk);
  LLVMValueRef *from = (LLVMValueRef *)&then, *to = (LLVMValueRef *)&now;
  for (size_t i = 0; i < sizeof(now) / sizeof(*to); i++)
    LLVMAddIncoming(to[i], &from[i], &next, 1);
  LLVMPositionBuilderAtEnd(e->b, behind);
  LLVMValueRef least = phi_of(e, nowhere, at), greatest = phi_of(e, zero, at), up = phi_of(e, yes, at),
               down = phi_of(e, yes, at);
  LLVMAddIncoming(least, &now.least, &walk, 1);
  LLVMAddIncoming(greatest, &now.greatest, &walk, 1);
  LLVMAddIncoming(up, &now.up, &walk, 1);
  LLVMAddIncoming(down, &now.down, &walk, 1);
  out[0] = LLVMBuildAdd(e->b, least, LLVMBuildMul(e->b, lo, bytes, ""), "tsr.begin");
  out[1] = LLVMBuildAdd(e->b, greatest, LLVMBuildMul(e->b, hi, bytes, ""), "tsr.end");
  return LLVMBuildOr(e->b, up, down, "tsr.ordered");
}

LLVMValueRef tsr_emit_rows_condition(struct tsr_emit *e, LLVMBasicBlockRef old, LLVMValueRef cond)
{
  struct tsr_model *m = e->m;
  struct wide w = {.e = e, .i128 = LLVMIntTypeInContext(e->llvm, 128)};
  if (!m->rows)
    return NULL;
  LLVMBasicBlockRef begin = tsr_emit_block(e, "tsr.tables");
  LLVMBuildCondBr(e->b, cond, begin, old);
  LLVMPositionBuilderAtEnd(e->b, begin);
  LLVMValueRef(*range)[2] = calloc(m->n_array + 1, sizeof(*range)), all = NULL;
  for (int i = 0; i < m->n_array; i++)
    if (m->arrays[i].rows && m->range[i].lo) {
      LLVMValueRef ordered = walk_rows(&w, i, range[i]);
      all = m->arrays[i].written ? and(e, all, ordered) : all;
    }
  for (int i = 0; i < m->n_alias_pair; i++) {
    int a = m->alias_pair[i][0], b = m->alias_pair[i][1];
    if (m->arrays[a].rows || m->arrays[b].rows)
      all = pair_condition(&w, a, b, range, all);
  }
  free(range);
  return all ? all : LLVMConstInt(LLVMInt1TypeInContext(e->llvm), 1, false);
}
