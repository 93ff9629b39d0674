/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A run of sibling nodes -> a SCoP.
 *
 *   statements, scalars, raw accesses (control/statements.c) -> subscripts (memory/delinearise.c) -> isl objects, with the
 * counters, which were parameters up to here, moved to dimensions:
 *
 *     [n, i0, i1] -> { : 0 <= i0 < n and .. }    ->    [n] -> { S0[i0, i1] : 0 <= i0 < n and .. }
 *
 * The original order becomes a schedule tree of the shape of the node tree. */
#include "read/control/control.h"
#include "read/statement_traits.h"
#include "read/values/answer_cache.h"
#include <isl/space.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Append the blocks in NODE. */
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
  *known = tsr_relate_quotients(m, *known);
  isl_set *all = isl_set_intersect(isl_set_copy(*known), checked);
  *good = tsr_set_without(m, all, m->violated);
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

/* { S[i..] } of the SCoP */
static isl_set *stmt_domain(struct tsr_model *m, struct tsr_stmt_info *s)
{
  isl_map *map = isl_map_from_range(isl_set_from_params(right_domain(m, s)));
  return isl_map_range(tsr_counters_to_dims(m, map, s, isl_dim_out));
}

/* ---- arrays, statements, accesses */

/* May PHI take a value that was there before the SCoP? */
static bool comes_from_outside(struct tsr_model *m, LLVMValueRef phi)
{
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
    if (!tsr_blocks_have(&m->blocks, LLVMGetIncomingBlock(phi, i)))
      return true;
  return false;
}

/* The arrays of the SCoP, those of the model in its order. */
static bool add_arrays(struct tsr_model *m)
{
  for (int i = 0; i < m->n_array; i++) {
    struct tsr_array_info *a = &m->arrays[i];
    isl_set *extent = a->kind == TSR_ARRAY_MEMORY ? tsr_array_extent(m, a) : NULL;
    int size = a->kind == TSR_ARRAY_MEMORY ? a->elem_size : (int)tsr_type_alloc_size(m->module, LLVMTypeOf(a->origin));
    if (tsr_scop_add_array(m->scop, a->name, a->kind, size, extent) != i)
      return tsr_model_reject(m, TSR_REASON_Isl, NULL, NULL);
    if (a->kind == TSR_ARRAY_SCALAR) {
      m->scop->arrays[i].live_in = a->is_phi && comes_from_outside(m, a->origin);
      m->scop->arrays[i].live_out = a->live_out;
    } else if (tsr_is_expanded(a->base)) {
      m->scop->arrays[i].live_in = m->scop->arrays[i].live_out = false;
    } else if (a->written) {
      m->scop->arrays[i].live_out = !tsr_model_is_dead_behind(m, i);
    }
  }
  return true;
}

/* An access to SCALAR array ARRAY, or to the element that it lives in. */
static isl_size add_scalar_access(struct tsr_model *m, int stmt, int array, enum tsr_access_kind kind)
{
  isl_map *map = m->arrays[array].home ? tsr_model_element(m, stmt, &m->access[m->arrays[array].home - 1])
                                       : tsr_subscript_map(m, &m->stmts[stmt], NULL, 0, m->arrays[array].name);
  isl_size at = tsr_scop_add_access(m->scop, stmt, kind, map);
  if (at >= 0)
    m->scop->stmts[stmt].access[at].home = m->arrays[array].home != 0;
  return at;
}

/* Does ACCESS, a read of S, load in front of the innermost loop around S what S takes from there? */
static bool is_loaded_in_front(const struct tsr_stmt_info *s, const struct tsr_raw_access *access)
{
  return access->kind == TSR_READ && s->n_loop > 0 &&
         !tsr_loop_contains(s->loops[s->n_loop - 1], LLVMGetInstructionParent(access->inst));
}

/* Does INST count as work? */
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

/* Does CALL set errno in a way that can't be told to the thread that runs the SCoP (emit/threads/team_loops.c), which knows
 * what it is only of those that aren't in INNER blocks? */
static bool keeps_errno(const struct tsr_model *m, LLVMValueRef call, bool inner)
{
  bool told = !inner && tsr_library_is_known(m->module) && sets_one_errno(call);
  return m->has_errno && !told && tsr_call_effects(call).errno_write;
}

/* May CALL read a variable of its thread? */
static bool reads_own_thread(const struct tsr_model *m, LLVMValueRef call)
{
  if (!m->has_reading_call || LLVMIsAIntrinsicInst(call))
    return false;
  struct tsr_call_effects fx = tsr_call_effects(call);
  return fx.reads && !fx.only_arguments;
}

static bool is_of_thread(const struct tsr_model *m, LLVMValueRef inst, bool inner)
{
  return LLVMIsACallInst(inst) && (keeps_errno(m, inst, inner) || reads_own_thread(m, inst));
}

/* Must the thread that runs the SCoP run S? */
static bool is_of_one_thread(const struct tsr_model *m, const struct tsr_stmt_info *s)
{
  bool found = false;
  for (int i = 0; i < s->n_inst && !found; i++)
    found = is_of_thread(m, s->inst[i], false);
  for (int i = 0; i < s->inner.n; i++)
    for (LLVMValueRef inst = LLVMGetFirstInstruction(s->inner.block[i]); inst && !found; inst = LLVMGetNextInstruction(inst))
      found = is_of_thread(m, inst, true);
  return found;
}

#define SOME_TRIPS 50 /* of a statement's own loops */

/* Does INST run in a loop inside S? What S takes from a loop around it runs less often than S. */
static bool is_in_own_loop(struct tsr_model *m, const struct tsr_stmt_info *s, LLVMValueRef inst)
{
  tsr_loop loop = tsr_loop_for(m->a, LLVMGetInstructionParent(inst));
  return loop && !tsr_loop_contains(loop, s->block);
}

/* Tell statement I what the source calls its loops. */
static void name_loops(struct tsr_model *m, int i)
{
  struct tsr_stmt *stmt = &m->scop->stmts[i];
  isl_size n = isl_set_dim(stmt->domain, isl_dim_set);
  for (int k = 0; k < n; k++) {
    char *name = tsr_loop_counter_name(m->a, m->stmts[i].loops[k]);
    if (name && tsr_name_is_valid(name))
      tsr_stmt_name_loop(stmt, k, name);
    free(name);
  }
}

/* Is ACCESS, one of S, under a condition that is not in S's domain, or in a loop of S's own? What was loaded in front of S
 * (memory/scalar_reloads.c) isn't. */
static bool is_conditional(const struct tsr_stmt_info *s, const struct tsr_raw_access *access)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(access->inst);
  return tsr_blocks_have(&s->inner, block) || (s->guard && block == s->block);
}

/* Is VALUE, of S, computed from WHAT, which S reads, by instructions of S? */
static bool comes_from(const struct tsr_stmt_info *s, LLVMValueRef value, LLVMValueRef what)
{
  bool own = false;
  value = tsr_stmt_value(s, value);
  for (int i = 0; i < s->n_inst; i++)
    own |= s->inst[i] == value;
  if (value == what || !own)
    return value == what;
  for (int i = 0; i < LLVMGetNumOperands(value) && !LLVMIsAPHINode(value); i++)
    if (comes_from(s, LLVMGetOperand(value, (unsigned)i), what))
      return true;
  return false;
}

/* Does the condition around S, one block, ask for what it reads as VALUE? */
static bool is_asked(const struct tsr_stmt_info *s, LLVMValueRef value)
{
  return s->guard && !s->inner.n && comes_from(s, s->guard, value);
}

/* Statement I of the SCoP, with its accesses and what the cost model wants to know of it. */
static bool add_statement(struct tsr_model *m, int i)
{
  struct tsr_stmt_info *s = &m->stmts[i];
  char name[16];
  snprintf(name, sizeof(name), "S%d", i);
  bool ok = tsr_scop_add_stmt(m->scop, name, stmt_domain(m, s)) == i;
  for (int k = 0; ok && k < s->n_read; k++) {
    isl_size at = add_scalar_access(m, i, s->read[k], TSR_READ);
    ok = at >= 0;
    if (ok)
      m->scop->stmts[i].access[at].guard = is_asked(s, m->arrays[s->read[k]].origin);
  }
  for (int k = 0; ok && k < m->n_access; k++)
    if (m->access[k].stmt == i) {
      isl_map *map = tsr_model_element(m, i, &m->access[k]);
      isl_size at = tsr_scop_add_access(m->scop, i, m->access[k].kind, map);
      ok = at >= 0;
      if (!ok)
        break;
      m->scop->stmts[i].access[at].maybe = m->access[k].kind == TSR_READ && is_conditional(s, &m->access[k]);
      m->scop->stmts[i].access[at].guard = m->access[k].kind == TSR_READ && is_asked(s, m->access[k].inst);
      m->scop->stmts[i].access[at].wait = tsr_model_wait(m, i, &m->access[k]);
      m->scop->stmts[i].access[at].home = is_loaded_in_front(s, &m->access[k]);
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
  name_loops(m, i);
  stmt->vector_bytes = tsr_model_vector_bytes(m, i);
  stmt->lane_bytes = tsr_model_lane_bytes(m, i, &stmt->alone);
  stmt->latency = tsr_model_latency(m, i, &stmt->divisions);
  stmt->original_wait = tsr_model_original_wait(m, i);
  stmt->one_thread = is_of_one_thread(m, &m->stmts[i]);
  stmt->rare = tsr_model_is_rare(m, i);
  return true;
}

/* ---- all of it */

/* Which loads are of elements that are there in any case? */
static void find_sure(struct tsr_model *m)
{
  tsr_scop_find_sure(m->scop);
  for (int k = 0; k < m->n_access; k++) {
    struct tsr_raw_access *access = &m->access[k];
    int at = access->stmt < 0 ? 0 : m->stmts[access->stmt].n_read;
    for (int i = 0; access->stmt >= 0 && i < k; i++)
      at += m->access[i].stmt == access->stmt;
    access->sure = access->stmt >= 0 && access->kind == TSR_READ && !m->scop->stmts[access->stmt].access[at].maybe;
  }
}

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
  find_sure(m);
  if (tsr_scop_set_schedule(m->scop, tsr_model_original_order(m)) < 0 || tsr_scop_validate(m->scop) < 0)
    return tsr_model_reject(m, TSR_REASON_Isl, NULL, isl_ctx_last_error_msg(m->ctx));
  return true;
}

/* Let the SCoP know which arrays are told apart at run time. */
static bool note_checked(struct tsr_model *m)
{
  for (int i = 0; i < m->n_alias_pair; i++)
    for (int k = 0; k < 2; k++)
      m->scop->arrays[m->alias_pair[i][k]].checked = true;
  return true;
}

/* All of it, from the nodes on; false: it can't be modelled. */
static bool build(struct tsr_model *m)
{
  /* What is cheap to find comes first, unless somebody wants to hear of the first thing that is in the way. */
  bool quiet = m->quiet = !m->opt->statistics && !tsr_remarks_are_wanted(m->function);
  m->is_read = tsr_model_statements(m);
  if (!m->is_read || (quiet && !(tsr_lift_survives(m) && tsr_lift_may_load(m))) || !tsr_model_elements(m) ||
      (quiet && (!tsr_model_errno(m) || (!m->exact && !tsr_model_aliases(m)))) || !tsr_model_delinearise(m) ||
      (quiet && !tsr_model_aliases(m)))
    return false;
  return tsr_model_make_scop(m) && (m->is_split = tsr_parts_hold(m)) && tsr_model_rows(m) &&
         (quiet || (tsr_model_errno(m) && tsr_model_aliases(m) && tsr_lift_survives(m))) && tsr_model_reading_calls(m) &&
         tsr_lift_finish(m) && tsr_skips_hold(m) && note_checked(m);
}

/* What an attempt to model a place is like. */
struct attempt {
  bool exact, together;           /* of the model */
  const struct tsr_model *before; /* that of the attempt before, with conditions that this one may not assume; NULL: none */
};

static struct tsr_model *build_as(isl_ctx *ctx, struct tsr_analyses *a, const struct tsr_options *opt,
                                  const struct tsr_place *place, const char *name, const struct attempt *attempt)
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
                          .exact = attempt->exact,
                          .gathers = attempt->exact && place->gathers,
                          .apart = place->apart,
                          .together = attempt->together,
                          .nodes = nodes,
                          .n_node = n_node,
                          .name = strdup(name)};
  m->violated = isl_set_empty(isl_space_params_alloc(ctx, 0));
  for (int i = 0; attempt->before && i < attempt->before->n_changing; i++)
    m->changing[m->n_changing++] = attempt->before->changing[i];
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

struct tsr_model *tsr_model_build(isl_ctx *ctx, struct tsr_analyses *a, const struct tsr_options *opt,
                                  const struct tsr_place *place, const char *name, bool exact)
{
  struct attempt attempt = {.exact = exact};
  struct tsr_model *m = build_as(ctx, a, opt, place, name, &attempt), *before = NULL;
  for (;;) {
    bool together = m->n_parting > 0 && !m->is_split && !attempt.together;
    if (!together && m->n_changing == (before ? before->n_changing : 0))
      break;
    tsr_model_free(before);
    before = m;
    attempt = (struct attempt){.exact = exact, .together = attempt.together || together, .before = before};
    isl_ctx_reset_error(ctx);
    m = build_as(ctx, a, opt, place, name, &attempt);
  }
  tsr_model_free(before);
  return m;
}

struct tsr_model *tsr_model_free(struct tsr_model *m)
{
  if (!m)
    return NULL;
  for (int i = 0; i < m->n_atom; i++) {
    isl_pw_aff_free(m->atoms[i].expr);
    free(m->atoms[i].name);
    for (int k = 0; k < 2; k++)
      tsr_poly_free(m->atoms[i].over[k]);
  }
  for (int i = 0; i < m->n_access; i++) {
    tsr_poly_free(m->access[i].offset);
    tsr_poly_free(m->access[i].length);
    tsr_poly_free(m->access[i].data);
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
    for (int k = 0; k < m->arrays[i].n_dim - 1 && m->arrays[i].pitch; k++)
      tsr_poly_free(m->arrays[i].pitch[k]);
    free(m->arrays[i].pitch);
  }
  tsr_expansion_erase(m->expansion);
  free(m->atoms);
  free(m->parting);
  free(m->access);
  tsr_rows_clear(m);
  tsr_range_clear(m);
  tsr_lift_clear(m);
  tsr_skips_clear(m);
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
  tsr_violated_clear(m);
  isl_set_free(m->allowed);
  tsr_scop_free(m->scop);
  free(m);
  return NULL;
}
