/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A run of sibling nodes -> a SCoP.
 *
 *   statements, scalars, raw accesses (stmt.c) -> subscripts (delinearise.c) -> isl objects, with the counters, which were
 *   parameters up to here, moved to dimensions:
 *
 *     [n, i0, i1] -> { : 0 <= i0 < n and .. }    ->    [n] -> { S0[i0, i1] : 0 <= i0 < n and .. }
 *
 * The original order becomes a schedule tree of the shape of the node tree. */
#include "pass.h"
#include <isl/constraint.h>
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool tsr_model_in_region(const struct tsr_model *m, LLVMValueRef value)
{
  return LLVMIsAInstruction(value) && tsr_blocks_have(&m->blocks, LLVMGetInstructionParent(value));
}

static void blocks_collect(struct tsr_blocks *blocks, const struct tsr_node *node)
{
  if (node->kind == TSR_NODE_BLOCK)
    tsr_blocks_add(blocks, node->block);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < node->body[k].n; i++)
      blocks_collect(blocks, node->body[k].nodes[i]);
}

/* ---- parameters */

/* What the types of the parameters say, in *KNOWN, and within that where nothing was violated, and 64-bit ones are moderate,
 * in *GOOD. Is there anything of that? */
static isl_bool find_parameters(struct tsr_model *m, isl_set **known, isl_set **good)
{
  isl_set *checked = tsr_params_universe(m);
  *known = tsr_params_universe(m);
  for (int i = 0; i < m->n_atom; i++)
    if (m->atoms[i].kind == TSR_ATOM_PARAM) {
      bool check = false;
      isl_set *range = tsr_param_range(m, i, &check);
      *known = isl_set_intersect(*known, isl_set_universe(isl_set_get_space(range))); /* every parameter is named */
      if (check)
        checked = isl_set_intersect(checked, range);
      else
        *known = isl_set_intersect(*known, range);
    }
  isl_set *all = isl_set_intersect(isl_set_copy(*known), checked);
  *good = isl_set_subtract(all, isl_set_copy(m->violated));
  *good = isl_set_coalesce(isl_set_remove_redundancies(*good));
  isl_bool empty = isl_set_is_empty(*good);
  *good = isl_set_gist_params(*good, isl_set_copy(*known));
  return isl_bool_not(empty);
}

/* context, and assumed: as they were for the same parameters with the same violated, if that is known. */
static bool finish_parameters(struct tsr_model *m)
{
  isl_set *known, *good;
  isl_bool any = isl_bool_true;
  struct tsr_text question = {0};
  tsr_say(&question, TSR_TOPIC_PARAMETERS);
  tsr_say_params(m, &question);
  tsr_say_again(m->answers, &question, m->violated);
  struct tsr_answer before;
  if (tsr_answers_find(m->answers, &question, &before)) {
    known = before.set[0];
    good = before.set[1];
  } else {
    any = find_parameters(m, &known, &good);
    if (any == isl_bool_true && isl_ctx_last_error(m->ctx) == isl_error_none)
      tsr_answers_keep(m->answers, &question, (struct tsr_answer){{known, good}});
  }
  tsr_text_clear(&question);
  isl_set_free(m->scop->context);
  isl_set_free(m->scop->assumed);
  m->scop->context = known;
  m->scop->assumed = good;
  if (any < 0)
    return tsr_model_reject(m, TSR_REASON_Isl, NULL, NULL);
  if (!any || isl_set_n_basic_set(good) > 6)
    return tsr_model_reject_condition(m, any ? good : m->violated);
  return true;
}

/* ---- counters: from parameters to dimensions */

static isl_map *counters_to_dims(struct tsr_model *m, isl_map *map, const struct tsr_stmt_info *s, enum isl_dim_type type)
{
  for (int i = 0; i < s->n_loop; i++) {
    const char *name = tsr_dim_name(m, s->loops[i]);
    int pos = isl_map_find_dim_by_name(map, isl_dim_param, name);
    if (pos < 0) {
      map = isl_map_insert_dims(map, type, i, 1);
      map = isl_map_set_dim_name(map, type, i, name);
    } else {
      map = isl_map_move_dims(map, type, i, isl_dim_param, pos, 1);
    }
  }
  return map;
}

/* What DOMAIN says beyond m->allowed, as it was before if that is known. */
static isl_set *find_right(struct tsr_model *m, isl_set *domain)
{
  struct tsr_text question = {0};
  tsr_say(&question, TSR_TOPIC_DOMAIN);
  tsr_say_again(m->answers, &question, domain);
  tsr_say_again(m->answers, &question, m->allowed);
  struct tsr_answer before;
  isl_set *right;
  if (tsr_answers_find(m->answers, &question, &before)) {
    right = before.set[0];
  } else {
    right = isl_set_coalesce(isl_set_gist(isl_set_copy(domain), isl_set_copy(m->allowed)));
    if (right && isl_ctx_last_error(m->ctx) == isl_error_none)
      tsr_answers_keep(m->answers, &question, (struct tsr_answer){{right}});
  }
  tsr_text_clear(&question);
  return right;
}

/* The domain of S, of which statements of one block have the same object, within m->allowed. */
static isl_set *right_domain(struct tsr_model *m, struct tsr_stmt_info *s)
{
  isl_set *right = NULL;
  for (struct tsr_stmt_info *t = m->stmts; t < m->stmts + m->n_stmt && !right; t++)
    if (t->domain == s->domain && t->known.right && t->known.allowed == m->allowed)
      right = isl_set_copy(t->known.right);
  if (!right)
    right = find_right(m, s->domain);
  isl_set_free(s->known.right);
  isl_set_free(s->known.allowed);
  s->known.right = isl_set_copy(right);
  s->known.allowed = isl_set_copy(m->allowed);
  return right;
}

static isl_set *stmt_domain(struct tsr_model *m, struct tsr_stmt_info *s)
{
  isl_map *map = isl_map_from_range(isl_set_from_params(right_domain(m, s)));
  return isl_map_range(counters_to_dims(m, map, s, isl_dim_out));
}

static isl_map *subscript_map(struct tsr_model *m, const struct tsr_stmt_info *s, struct tsr_poly **index, int n,
                              const char *name)
{
  isl_set *image = isl_set_universe(isl_space_set_alloc(m->ctx, 0, 0));
  for (int i = 0; i < n; i++)
    image = isl_set_flat_product(image, isl_set_from_pw_aff(tsr_poly_to_pw_aff(m, index[i])));
  image = isl_set_set_tuple_name(image, name);
  isl_map *map = counters_to_dims(m, isl_map_from_range(image), s, isl_dim_in);
  return isl_map_coalesce(map);
}

/* { S[] -> A[.., x] } -> { S[] -> A[.., y] : x <= y < x + WIDTH } */
static isl_map *widen(isl_map *map, int width)
{
  isl_size n = isl_map_dim(map, isl_dim_out);
  isl_map *shift = isl_map_identity(isl_space_map_from_set(isl_space_range(isl_map_get_space(map))));
  shift = isl_map_drop_constraints_involving_dims(shift, isl_dim_out, n - 1, 1);
  isl_map *all = isl_map_empty(isl_map_get_space(shift));
  for (int i = 0; i < width; i++) {
    isl_constraint *c = isl_constraint_alloc_equality(isl_local_space_from_space(isl_map_get_space(shift)));
    c = isl_constraint_set_coefficient_si(c, isl_dim_in, n - 1, 1);
    c = isl_constraint_set_coefficient_si(c, isl_dim_out, n - 1, -1);
    all = isl_map_union(all, isl_map_add_constraint(isl_map_copy(shift), isl_constraint_set_constant_si(c, i)));
  }
  isl_map_free(shift);
  return isl_map_coalesce(isl_map_apply_range(map, isl_map_coalesce(all)));
}

/* ---- arrays, statements, accesses */

static isl_set *array_extent(struct tsr_model *m, const struct tsr_array_info *a)
{
  isl_set *extent = isl_set_universe(isl_space_set_alloc(m->ctx, 0, a->rows ? 2 : 1));
  for (int i = 1; i < a->n_dim && !a->rows; i++) {
    isl_set *size = isl_set_from_pw_aff(tsr_poly_to_pw_aff(m, a->size[i - 1]));
    isl_set *range = isl_set_universe(isl_space_set_alloc(m->ctx, 0, 1));
    range = isl_set_lower_bound_si(range, isl_dim_set, 0, 0);
    isl_map *lt = isl_map_lex_lt(isl_space_set_alloc(m->ctx, 0, 1)); /* x < size */
    range = isl_set_intersect(range, isl_set_apply(size, isl_map_reverse(lt)));
    extent = isl_set_flat_product(extent, range);
  }
  return extent;
}

/* May PHI take a value that was there before the SCoP? */
static bool comes_from_outside(struct tsr_model *m, LLVMValueRef phi)
{
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
    if (!tsr_blocks_have(&m->blocks, LLVMGetIncomingBlock(phi, i)))
      return true;
  return false;
}

static bool add_arrays(struct tsr_model *m)
{
  for (int i = 0; i < m->n_array; i++) {
    struct tsr_array_info *a = &m->arrays[i];
    isl_set *extent = a->kind == TSR_ARRAY_MEMORY ? array_extent(m, a) : NULL;
    int size = a->kind == TSR_ARRAY_MEMORY ? a->elem_size : (int)tsr_type_alloc_size(m->module, LLVMTypeOf(a->origin));
    if (tsr_scop_add_array(m->scop, a->name, a->kind, size, extent) != i)
      return tsr_model_reject(m, TSR_REASON_Isl, NULL, NULL);
    if (a->kind == TSR_ARRAY_SCALAR) {
      m->scop->arrays[i].live_in = a->is_phi && comes_from_outside(m, a->origin);
      m->scop->arrays[i].live_out = a->live_out;
    }
  }
  return true;
}

/* { A[k] : FIRST <= k_D <= LAST } without bounds on the other subscripts. */
static isl_set *between(isl_set *all, int d, int64_t first, int64_t last)
{
  isl_ctx *ctx = isl_set_get_ctx(all);
  all = isl_set_lower_bound_val(all, isl_dim_set, d, isl_val_int_from_si(ctx, first));
  return isl_set_upper_bound_val(all, isl_dim_set, d, isl_val_int_from_si(ctx, last));
}

/* { [k] : FROM <= k < FROM + LENGTH } */
static isl_set *run_of(struct tsr_model *m, const struct tsr_poly *from, const struct tsr_poly *length)
{
  struct tsr_poly *end = tsr_poly_add(tsr_poly_copy(from), tsr_poly_copy(length));
  isl_space *space = isl_space_set_alloc(m->ctx, 0, 1);
  isl_set *first = isl_set_from_pw_aff(tsr_poly_to_pw_aff(m, from)),
          *limit = isl_set_from_pw_aff(tsr_poly_to_pw_aff(m, end));
  tsr_poly_free(end);
  isl_set *behind = isl_set_apply(first, isl_map_lex_le(isl_space_copy(space)));
  return isl_set_intersect(behind, isl_set_apply(limit, isl_map_lex_gt(space)));
}

/* The elements of a transfer, or of an access to an unknown one. */
static isl_map *elements_map(struct tsr_model *m, const struct tsr_stmt_info *s, const struct tsr_raw_access *access)
{
  struct tsr_array_info *a = &m->arrays[access->array];
  isl_set *image = isl_set_universe(isl_space_set_alloc(m->ctx, 0, 0));
  for (int i = 0; access->offset && i <= access->run; i++) {
    isl_set *one = i == access->run ? run_of(m, access->index[i], access->count)
                                    : isl_set_from_pw_aff(tsr_poly_to_pw_aff(m, access->index[i]));
    image = isl_set_flat_product(image, one);
  }
  isl_size n = isl_set_dim(image, isl_dim_set);
  image = isl_set_add_dims(image, isl_dim_set, a->n_dim - n);
  isl_set *extent = array_extent(m, a);
  if (access->bounded && a->n_dim == 1)
    image = between(image, 0, access->first, access->last);
  image = isl_set_set_tuple_name(isl_set_intersect(image, extent), a->name);
  return isl_map_coalesce(counters_to_dims(m, isl_map_from_range(image), s, isl_dim_in));
}

isl_map *tsr_model_element(struct tsr_model *m, int stmt, const struct tsr_raw_access *access)
{
  struct tsr_array_info *a = &m->arrays[access->array];
  if (!access->offset || access->length)
    return elements_map(m, &m->stmts[stmt], access);
  isl_map *map = subscript_map(m, &m->stmts[stmt], access->index, a->n_dim, a->name);
  return access->width > 1 ? widen(map, access->width) : map;
}

int tsr_array_place(const struct tsr_model *m, int array)
{
  int home = m->arrays[array].home;
  return home ? -home : array;
}

static isl_size add_scalar_access(struct tsr_model *m, int stmt, int array, enum tsr_access_kind kind)
{
  isl_map *map = m->arrays[array].home ? tsr_model_element(m, stmt, &m->access[m->arrays[array].home - 1])
                                       : subscript_map(m, &m->stmts[stmt], NULL, 0, m->arrays[array].name);
  return tsr_scop_add_access(m->scop, stmt, kind, map);
}

static bool is_arithmetic(LLVMValueRef inst)
{
  LLVMOpcode op = LLVMGetInstructionOpcode(inst);
  return op != LLVMLoad && op != LLVMStore && op != LLVMGetElementPtr && op != LLVMSExt && op != LLVMZExt;
}

/* Is write K the first of S to its place? The others are on other ways through S. */
static bool is_first_write(const struct tsr_model *m, const struct tsr_stmt_info *s, int k)
{
  for (int i = 0; i < k; i++)
    if (tsr_array_place(m, s->write[i].array) == tsr_array_place(m, s->write[k].array))
      return false;
  return true;
}

/* Is EDOM the only value that CALL gives errno? Then it doesn't matter which of several calls was the last one. */
static bool sets_one_errno(LLVMValueRef call)
{
  static const char *const domain[] = {"sqrt", "sqrtf", "acos", "acosf", "asin", "asinf"};
  size_t length;
  const char *name = LLVMGetValueName2(LLVMGetCalledValue(call), &length);
  bool is = false;
  for (size_t i = 0; i < sizeof(domain) / sizeof(*domain); i++)
    is |= length == strlen(domain[i]) && !memcmp(name, domain[i], length);
  return is;
}

/* May the statement set errno in a way that can't be told to the thread that runs the SCoP (emit/parallel.c)? Its inner
 * blocks aren't looked through. */
static bool keeps_errno(const struct tsr_model *m, const struct tsr_stmt_info *s)
{
  bool known = tsr_library_is_known(m->module);
  for (int i = 0; i < s->n_inst; i++)
    if (LLVMIsACallInst(s->inst[i]) && tsr_call_effects(s->inst[i]).errno_write && !(known && sets_one_errno(s->inst[i])))
      return true;
  return s->inner.n > 0;
}

/* May a call of the statement read a variable of its thread? */
static bool reads_own_thread(const struct tsr_stmt_info *s)
{
  for (int i = 0; i < s->n_inst; i++)
    if (LLVMIsACallInst(s->inst[i]) && !LLVMIsAIntrinsicInst(s->inst[i])) {
      struct tsr_call_effects fx = tsr_call_effects(s->inst[i]);
      if (fx.reads && !fx.only_arguments)
        return true;
    }
  return s->inner.n > 0;
}

#define SOME_TRIPS 50 /* of a statement's own loops */

/* Does INST run in a loop inside S? What S takes from a loop around it runs less often than S. */
static bool is_in_own_loop(struct tsr_model *m, const struct tsr_stmt_info *s, LLVMValueRef inst)
{
  tsr_loop loop = tsr_loop_for(m->a, LLVMGetInstructionParent(inst));
  return loop && !tsr_loop_contains(loop, s->block);
}

static bool add_statement(struct tsr_model *m, int i)
{
  struct tsr_stmt_info *s = &m->stmts[i];
  char name[16];
  snprintf(name, sizeof(name), "S%d", i);
  bool ok = tsr_scop_add_stmt(m->scop, name, stmt_domain(m, s)) == i;
  for (int k = 0; ok && k < s->n_read; k++)
    ok = add_scalar_access(m, i, s->read[k], TSR_READ) >= 0;
  for (int k = 0; ok && k < m->n_access; k++)
    if (m->access[k].stmt == i) {
      isl_map *map = tsr_model_element(m, i, &m->access[k]);
      isl_size at = tsr_scop_add_access(m->scop, i, m->access[k].kind, map);
      ok = at >= 0;
      if (ok)
        m->scop->stmts[i].access[at].wait = tsr_model_wait(m, i, &m->access[k]);
    }
  for (int k = 0; ok && k < s->n_write; k++)
    if (is_first_write(m, s, k))
      ok = add_scalar_access(m, i, s->write[k].array, TSR_MUST_WRITE) >= 0;
  if (!ok)
    return tsr_model_reject(m, TSR_REASON_Isl, NULL, NULL);
  struct tsr_stmt *stmt = &m->scop->stmts[i];
  stmt->weight = 0;
  for (int k = 0; k < s->n_inst; k++) {
    const char *file, *dir;
    unsigned line, column;
    bool repeated = is_in_own_loop(m, s, s->inst[k]);
    stmt->weight += is_arithmetic(s->inst[k]) * (repeated ? SOME_TRIPS : 1);
    if (tsr_location(tsr_inst_location(s->inst[k]), &file, &dir, &line, &column))
      stmt->line = line;
  }
  stmt->weight += !stmt->weight;
  stmt->vector_bytes = tsr_model_vector_bytes(m, i);
  stmt->lane_bytes = tsr_model_lane_bytes(m, i);
  stmt->latency = tsr_model_latency(m, i, &stmt->divisions);
  stmt->one_thread =
      (m->has_errno && keeps_errno(m, &m->stmts[i])) || (m->has_reading_call && reads_own_thread(&m->stmts[i]));
  return true;
}

/* ---- the original order */

static isl_union_set *node_domain(struct tsr_model *m, const struct tsr_node *node);

static isl_union_set *seq_domain(struct tsr_model *m, const struct tsr_seq *seq)
{
  isl_union_set *all = isl_union_set_empty_ctx(m->ctx);
  for (int i = 0; i < seq->n; i++)
    all = isl_union_set_union(all, node_domain(m, seq->nodes[i]));
  return all;
}

static isl_union_set *node_domain(struct tsr_model *m, const struct tsr_node *node)
{
  isl_union_set *all = isl_union_set_empty_ctx(m->ctx);
  if (node->kind == TSR_NODE_BLOCK)
    for (int i = 0; i < m->n_stmt; i++)
      if (m->stmts[i].block == node->block)
        all = isl_union_set_add_set(all, isl_set_copy(m->scop->stmts[i].domain));
  for (int k = 0; k < 2; k++)
    all = isl_union_set_union(all, seq_domain(m, &node->body[k]));
  return all;
}

static isl_schedule *join(isl_schedule *a, isl_schedule *b)
{
  if (!a)
    return b;
  return b ? isl_schedule_sequence(a, b) : a;
}

/* { S[.., i_d, ..] -> [i_d] } for all statements of DOMAIN; D is the loop's position. */
static isl_multi_union_pw_aff *loop_schedule(struct tsr_model *m, isl_union_set *domain, int d)
{
  isl_union_pw_aff *all = isl_union_pw_aff_empty(isl_union_set_get_space(domain));
  for (int i = 0; i < m->n_stmt; i++) {
    isl_set *set = isl_union_set_extract_set(domain, isl_set_get_space(m->scop->stmts[i].domain));
    if (isl_set_plain_is_empty(set) == isl_bool_false) {
      isl_local_space *space = isl_local_space_from_space(isl_set_get_space(set));
      isl_pw_aff *pa = isl_pw_aff_from_aff(isl_aff_var_on_domain(space, isl_dim_set, d));
      all = isl_union_pw_aff_add_pw_aff(all, pa);
    }
    isl_set_free(set);
  }
  isl_union_set_free(domain);
  return isl_multi_union_pw_aff_from_union_pw_aff(all);
}

static isl_schedule *seq_schedule(struct tsr_model *m, const struct tsr_seq *seq, int depth);

static isl_schedule *node_schedule(struct tsr_model *m, const struct tsr_node *node, int depth)
{
  if (node->kind == TSR_NODE_CHECK)
    return NULL;
  if (node->kind == TSR_NODE_IF || node->kind == TSR_NODE_DAG)
    return join(seq_schedule(m, &node->body[0], depth), seq_schedule(m, &node->body[1], depth));
  if (node->kind == TSR_NODE_LOOP) {
    isl_schedule *body = seq_schedule(m, &node->body[0], depth + 1);
    if (!body)
      return NULL;
    return isl_schedule_insert_partial_schedule(body, loop_schedule(m, isl_schedule_get_domain(body), depth));
  }
  isl_schedule *all = NULL;
  for (int i = 0; i < m->n_stmt; i++)
    if (m->stmts[i].block == node->block && isl_set_is_empty(m->scop->stmts[i].domain) == isl_bool_false) {
      isl_union_set *domain = isl_union_set_from_set(isl_set_copy(m->scop->stmts[i].domain));
      all = join(all, isl_schedule_from_domain(domain));
    }
  return all;
}

static isl_schedule *seq_schedule(struct tsr_model *m, const struct tsr_seq *seq, int depth)
{
  isl_schedule *all = NULL;
  for (int i = 0; i < seq->n; i++)
    all = join(all, node_schedule(m, seq->nodes[i], depth));
  return all;
}

LLVMValueRef tsr_model_access_to(struct tsr_model *m, int array)
{
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].array == array)
      return m->access[i].inst;
  return NULL;
}

/* ---- all of it */

bool tsr_model_make_scop(struct tsr_model *m)
{
  tsr_scop_free(m->scop);
  m->scop = tsr_scop_alloc(m->ctx, m->name);
  m->scop->no_buffers = !tsr_pack_is_possible(m->function);
  if (!finish_parameters(m) || !add_arrays(m))
    return false;
  isl_set_free(m->allowed);
  m->allowed = tsr_scop_common(m->scop);
  for (int i = 0; i < m->n_stmt; i++) {
    if (!add_statement(m, i))
      return false;
    tsr_model_reduction(m, i);
  }
  isl_schedule *all = NULL;
  for (int i = 0; i < m->n_node; i++)
    all = join(all, node_schedule(m, m->nodes[i], 0));
  if (!all)
    all = isl_schedule_from_domain(isl_union_set_empty_ctx(m->ctx));
  if (tsr_scop_set_schedule(m->scop, all) < 0 || tsr_scop_validate(m->scop) < 0)
    return tsr_model_reject(m, TSR_REASON_Isl, NULL, isl_ctx_last_error_msg(m->ctx));
  return true;
}

static bool build(struct tsr_model *m)
{
  /* What is cheap to find comes first, unless somebody wants to hear of the first thing that is in the way. */
  bool quiet = m->quiet = !m->opt->statistics && !tsr_remarks_are_wanted(m->function);
  m->is_read = tsr_model_statements(m);
  if (!m->is_read || (quiet && !(tsr_lift_survives(m) && tsr_lift_may_load(m))) || !tsr_model_elements(m) ||
      (quiet && (!tsr_model_errno(m) || (!m->exact && !tsr_model_aliases(m)))) || !tsr_model_delinearise(m) ||
      (quiet && !tsr_model_aliases(m)))
    return false;
  return tsr_model_make_scop(m) && tsr_model_rows(m) &&
         (quiet || (tsr_model_errno(m) && tsr_model_aliases(m) && tsr_lift_survives(m))) && tsr_model_reading_calls(m) &&
         tsr_lift_finish(m);
}

struct tsr_model *tsr_model_build(isl_ctx *ctx, struct tsr_analyses *a, const struct tsr_options *opt,
                                  const struct tsr_place *place, const char *name, bool exact)
{
  struct tsr_node **nodes = place->nodes;
  int n_node = place->n_node;
  struct tsr_model *m = calloc(1, sizeof(*m));
  *m = (struct tsr_model){.ctx = ctx,
                          .a = a,
                          .module = LLVMGetGlobalParent(place->function),
                          .function = place->function,
                          .opt = opt,
                          .invariants = place->invariants,
                          .answers = place->answers,
                          .exact = exact,
                          .nodes = nodes,
                          .n_node = n_node,
                          .name = strdup(name)};
  m->violated = isl_set_empty(isl_space_params_alloc(ctx, 0));
  for (int i = 0; i < n_node; i++)
    blocks_collect(&m->blocks, nodes[i]);
  LLVMBasicBlockRef first = nodes[0]->kind == TSR_NODE_LOOP ? tsr_loop_preheader(nodes[0]->loop) : nodes[0]->block;
  m->exit = nodes[n_node - 1]->next;
  if (!first || !m->exit) {
    const struct tsr_node *bad = nodes[n_node - 1];
    tsr_model_reject(m, bad->opaque ? bad->reason : TSR_REASON_Control, bad->culprit, NULL);
    return m;
  }
  m->entry = LLVMGetBasicBlockTerminator(first);
  if (!build(m)) {
    m->scop = tsr_scop_free(m->scop);
    if (m->reason == TSR_ACCEPTED)
      tsr_model_reject(m, TSR_REASON_Isl, NULL, isl_ctx_last_error_msg(ctx));
  }
  return m;
}

void tsr_stmt_clear(struct tsr_stmt_info *s)
{
  free(s->loops);
  free(s->inst);
  free(s->inner.block);
  free(s->read);
  free(s->write);
  isl_set_free(s->domain);
  isl_set_free(s->known.right);
  isl_set_free(s->known.allowed);
}

struct tsr_model *tsr_model_free(struct tsr_model *m)
{
  if (!m)
    return NULL;
  for (int i = 0; i < m->n_atom; i++) {
    isl_pw_aff_free(m->atoms[i].expr);
    free(m->atoms[i].name);
  }
  for (int i = 0; i < m->n_access; i++) {
    tsr_poly_free(m->access[i].offset);
    tsr_poly_free(m->access[i].length);
    tsr_poly_free(m->access[i].row);
    tsr_poly_free(m->access[i].count);
    for (int k = 0; m->access[i].index && k < m->arrays[m->access[i].array].n_dim; k++)
      tsr_poly_free(m->access[i].index[k]);
    free(m->access[i].index);
  }
  for (int i = 0; i < m->n_array; i++) {
    for (int k = 0; k < m->arrays[i].n_dim - 1; k++)
      tsr_poly_free(m->arrays[i].size[k]);
    free(m->arrays[i].size);
  }
  free(m->atoms);
  free(m->access);
  tsr_rows_clear(m);
  tsr_range_clear(m);
  tsr_lift_clear(m);
  free(m->arrays);
  for (int i = 0; i < m->n_stmt; i++)
    tsr_stmt_clear(&m->stmts[i]);
  free(m->stmts);
  free(m->blocks.block);
  free(m->errors.block);
  free(m->alias_pair);
  isl_ast_expr_free(m->condition);
  for (int i = 0; m->range && i < m->n_array; i++) {
    isl_ast_expr_free(m->range[i].lo);
    isl_ast_expr_free(m->range[i].hi);
    isl_ast_expr_free(m->range[i].head);
    isl_ast_expr_free(m->range[i].tail);
    isl_ast_expr_free(m->range[i].any);
    isl_ast_expr_free(m->range[i].first);
    isl_ast_expr_free(m->range[i].last);
  }
  free(m->range);
  free(m->detail);
  free(m->name);
  isl_set_free(m->violated);
  isl_set_free(m->allowed);
  tsr_scop_free(m->scop);
  free(m);
  return NULL;
}
