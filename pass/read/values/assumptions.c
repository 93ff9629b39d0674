/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a model assumes of its parameters: their ranges, and that nothing happens for which it would be wrong.
 *
 *   domain { [n, i0] : 0 <= i0 < n }, bad { [n] : n > 100 }    ->    violated := violated or { [n] : n > 100 } */
#include "read/values/answer_cache.h"
#include "read/values/values.h"
#include <isl/constraint.h>
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>

#define RANGE (INT64_C(1) << 31)

/* ---- ranges of parameters */

unsigned tsr_param_bits(struct tsr_model *m, int index)
{
  struct tsr_atom *atom = &m->atoms[index];
  return atom->value ? LLVMGetIntTypeWidth(LLVMTypeOf(atom->value)) : atom->scev ? tsr_scev_bits(m->a, atom->scev) : 64;
}

/* The range of the type of parameter INDEX, or for 64 bits the range in which we calculate. Must that be checked? */
static bool param_limits(struct tsr_model *m, int index, int64_t *min, int64_t *max)
{
  const struct tsr_atom *atom = &m->atoms[index];
  unsigned bits = tsr_param_bits(m, index);
  int64_t lo, hi;
  tsr_scev s = atom->value ? tsr_scev_of(m->a, atom->value) : atom->scev;
  bool checked = true;
  *min = bits < 32 ? -(INT64_C(1) << (bits - 1)) : -RANGE;
  *max = -*min - 1;
  *min = atom->over[0] ? 0 : *min;
  if (s && tsr_scev_signed_range(m->a, s, &lo, &hi)) {
    checked = lo < *min || hi > *max;
    *min = lo > *min ? lo : *min;
    *max = hi < *max ? hi : *max;
  }
  return checked;
}

isl_set *tsr_param_range(struct tsr_model *m, int index, bool *checked)
{
  int64_t min, max;
  *checked = param_limits(m, index, &min, &max);
  isl_set *set = tsr_params_universe(m);
  set = isl_set_add_dims(set, isl_dim_param, 1);
  set = isl_set_set_dim_id(set, isl_dim_param, 0, isl_id_alloc(m->ctx, m->atoms[index].name, NULL));
  set = isl_set_lower_bound_val(set, isl_dim_param, 0, isl_val_int_from_si(m->ctx, min));
  return isl_set_upper_bound_val(set, isl_dim_param, 0, isl_val_int_from_si(m->ctx, max));
}

isl_set *tsr_within_types(struct tsr_model *m, isl_set *set)
{
  isl_basic_set *box = isl_basic_set_universe(isl_set_get_space(set));
  for (int i = 0; i < m->n_atom; i++) {
    int64_t limit[2];
    int pos = m->atoms[i].kind == TSR_ATOM_PARAM ? isl_set_find_dim_by_name(set, isl_dim_param, m->atoms[i].name) : -1;
    if (pos < 0 || param_limits(m, i, &limit[0], &limit[1]))
      continue;
    for (int k = 0; k < 2; k++) {
      isl_constraint *c = isl_constraint_alloc_inequality(isl_local_space_from_space(isl_set_get_space(set)));
      c = isl_constraint_set_coefficient_si(c, isl_dim_param, pos, k ? -1 : 1);
      c = isl_constraint_set_constant_val(c, isl_val_int_from_si(m->ctx, k ? limit[1] : -limit[0]));
      box = isl_basic_set_add_constraint(box, c);
    }
  }
  return tsr_relate_quotients(m, isl_set_intersect(set, isl_set_from_basic_set(box)));
}

/* ---- counters */

/* Only parameters, no counters? */
static bool set_is_invariant(struct tsr_model *m, isl_set *set)
{
  for (int i = 0; i < m->n_atom; i++)
    if (m->atoms[i].kind == TSR_ATOM_DIM) {
      int pos = isl_set_find_dim_by_name(set, isl_dim_param, m->atoms[i].name);
      if (pos >= 0 && isl_set_involves_dims(set, isl_dim_param, pos, 1) != isl_bool_false)
        return false;
    }
  return true;
}

isl_set *tsr_project_counters(struct tsr_model *m, isl_set *set)
{
  for (int i = 0; i < m->n_atom; i++)
    if (m->atoms[i].kind == TSR_ATOM_DIM) {
      int pos = isl_set_find_dim_by_name(set, isl_dim_param, m->atoms[i].name);
      if (pos >= 0)
        set = isl_set_project_out(set, isl_dim_param, pos, 1);
    }
  return set;
}

/* The ranges of the parameters in the N sets of SET. Which of the names are counters is clear from the names. */
static void say_ranges(struct tsr_model *m, struct tsr_text *text, isl_set *const *set, int n)
{
  for (int i = 0; i < m->n_atom; i++) {
    const struct tsr_atom *atom = &m->atoms[i];
    bool used = false;
    for (int k = 0; k < n && !used && atom->kind == TSR_ATOM_PARAM; k++)
      used = isl_set_find_dim_by_name(set[k], isl_dim_param, atom->name) >= 0;
    if (!used)
      continue;
    int64_t min, max;
    bool checked = param_limits(m, i, &min, &max);
    tsr_say_name(text, atom->name);
    tsr_say(text, checked);
    tsr_say(text, checked ? 0 : min);
    tsr_say(text, checked ? 0 : max);
  }
}

void tsr_say_params(struct tsr_model *m, struct tsr_text *text)
{
  for (int i = 0; i < m->n_atom; i++)
    if (m->atoms[i].kind == TSR_ATOM_PARAM) {
      int64_t min, max;
      bool checked = param_limits(m, i, &min, &max);
      tsr_say_name(text, m->atoms[i].name);
      tsr_say(text, checked);
      tsr_say(text, min);
      tsr_say(text, max);
      struct tsr_quotient quotient;
      if (!tsr_param_quotient(m, i, &quotient))
        continue;
      tsr_say_name(text, m->atoms[quotient.of].name);
      tsr_say(text, quotient.plus);
      tsr_say(text, quotient.divisor);
      tsr_say(text, quotient.least);
    }
}

/* ---- assumptions */

/* Are none of MEET, outside of m->violated, possible? */
static isl_bool is_violated(struct tsr_model *m, isl_set *meet)
{
  isl_bool all = tsr_set_is_within(m, meet, m->violated);
  if (all != isl_bool_false)
    return all;
  isl_set *possible = isl_set_align_params(isl_set_copy(meet), isl_set_get_space(m->violated));
  possible = tsr_within_types(m, possible);
  all = tsr_set_is_within(m, possible, m->violated);
  isl_set_free(possible);
  return all;
}

/* What happens in a domain that is BAD, piece by piece. */
struct part {
  struct tsr_model *m;
  isl_set *domain, *bad;
  isl_basic_set *bounds; /* of the piece at hand: what counters take part in */
  isl_set *all;
};

/* C, which is taken, is one of the bounds of the piece if a counter takes part in it. */
static isl_stat keep_bound(isl_constraint *c, void *user)
{
  struct part *p = user;
  bool counter = isl_constraint_dim(c, isl_dim_div) != 0;
  for (int i = 0; i < p->m->n_atom && !counter; i++)
    if (p->m->atoms[i].kind == TSR_ATOM_DIM) {
      int at = isl_set_find_dim_by_name(p->domain, isl_dim_param, p->m->atoms[i].name);
      counter = at >= 0 && isl_constraint_involves_dims(c, isl_dim_param, at, 1) != isl_bool_false;
    }
  if (counter)
    p->bounds = isl_basic_set_add_constraint(p->bounds, c);
  else
    isl_constraint_free(c);
  return p->bounds ? isl_stat_ok : isl_stat_error;
}

/* Add the parameters for which something in PIECE of the domain is bad. Takes PIECE. */
static isl_stat add_violations(isl_basic_set *piece, void *user)
{
  struct part *p = user;
  p->bounds = isl_basic_set_universe(isl_basic_set_get_space(piece));
  isl_stat ok = isl_basic_set_foreach_constraint(piece, keep_bound, p);
  isl_set *bad = isl_set_intersect(isl_set_from_basic_set(piece), isl_set_copy(p->bad));
  isl_set *runs = tsr_project_counters(p->m, isl_set_from_basic_set(p->bounds));
  bad = isl_set_gist(tsr_project_counters(p->m, bad), runs);
  p->all = isl_set_union(p->all, bad);
  return ok;
}

/* { parameters : something in DOMAIN is BAD }, where all loops run: one condition, such as m <= ld, is assumed in place of
 * one for each loop that may be empty. */
static isl_set *violations(struct tsr_model *m, isl_set *domain, isl_set *bad)
{
  struct part p = {.m = m, .domain = domain, .bad = bad, .all = isl_set_empty(isl_space_params_alloc(m->ctx, 0))};
  bool ok = isl_set_foreach_basic_set(domain, add_violations, &p) >= 0;
  return ok ? p.all : isl_set_free(p.all);
}

#define PLAUSIBLE (INT64_C(1) << 28) /* a parameter beyond is that of an overflow */

/* Does C hold for no parameters within +-PLAUSIBLE? */
static bool is_implausible(isl_constraint *c, isl_size n)
{
  isl_val *sum = isl_val_zero(isl_constraint_get_ctx(c));
  for (int i = 0; i < n; i++)
    sum = isl_val_add(sum, isl_val_abs(isl_constraint_get_coefficient_val(c, isl_dim_param, i)));
  isl_val *rest = isl_constraint_get_constant_val(c);
  rest = isl_constraint_is_equality(c) == isl_bool_true ? isl_val_abs(rest) : isl_val_neg(rest);
  sum = isl_val_mul(sum, isl_val_int_from_si(isl_constraint_get_ctx(c), PLAUSIBLE));
  bool is = isl_val_gt(rest, sum) == isl_bool_true;
  isl_val_free(sum);
  isl_val_free(rest);
  return is;
}

struct widened {
  isl_set *all;
  isl_constraint *found;
};

/* C, which is taken, is what was looked for if it takes an enormous parameter. */
static isl_stat find_implausible(isl_constraint *c, void *user)
{
  struct widened *w = user;
  isl_size n = isl_constraint_dim(c, isl_dim_param);
  if (n < 0 || w->found || isl_constraint_dim(c, isl_dim_div) != 0 || !is_implausible(c, n))
    isl_constraint_free(c);
  else
    w->found = c;
  return n < 0 ? isl_stat_error : isl_stat_ok;
}

/* Add PIECE, which is taken: all that its implausible constraint holds for, if it has one. */
static isl_stat widen_piece(isl_basic_set *piece, void *user)
{
  struct widened *w = user;
  w->found = NULL;
  isl_stat ok = isl_basic_set_foreach_constraint(piece, find_implausible, w);
  if (w->found) {
    isl_space *space = isl_basic_set_get_space(piece);
    isl_basic_set_free(piece);
    piece = isl_basic_set_add_constraint(isl_basic_set_universe(space), w->found);
  }
  w->all = isl_set_union(w->all, isl_set_from_basic_set(piece));
  return ok;
}

/* BAD, over parameters, but a piece that takes an enormous parameter (an overflow) is no longer bound to the other
 * conditions under which it matters: fewer pieces, and less to test. */
static isl_set *widen_implausible(__isl_take isl_set *bad)
{
  struct widened w = {.all = isl_set_empty(isl_set_get_space(bad))};
  bool ok = isl_set_foreach_basic_set(bad, widen_piece, &w) >= 0;
  isl_set_free(bad);
  return ok ? w.all : isl_set_free(w.all);
}

/* m->violated, with those of MEET, which are BAD and possible, added; NULL with *FAILED false: there are none of these. */
static isl_set *violated_with(struct tsr_model *m, isl_set *domain, __isl_take isl_set *meet, __isl_take isl_set *bad,
                              bool *failed)
{
  isl_bool none = is_violated(m, meet);
  *failed = none < 0;
  if (none != isl_bool_false) {
    isl_set_free(meet);
    isl_set_free(bad);
    return NULL;
  }
  isl_set_free(meet);
  if (!set_is_invariant(m, bad)) {
    isl_set *all = violations(m, domain, bad);
    isl_set_free(bad);
    bad = all;
  }
  bad = tsr_violated_join(m, widen_implausible(bad));
  *failed = !bad;
  return bad;
}

/* The same, if the answer isn't known. */
static isl_set *ask_violated(struct tsr_model *m, __isl_take isl_set *domain, __isl_take isl_set *meet,
                             __isl_take isl_set *bad, bool *failed)
{
  struct tsr_text question = {0};
  if (m->answers) {
    tsr_say(&question, TSR_TOPIC_VIOLATED);
    say_ranges(m, &question, (isl_set *[]){domain, bad, m->violated}, 3);
    tsr_say_again(m->answers, &question, domain);
    tsr_say_again(m->answers, &question, m->violated);
    tsr_say_set(&question, bad);
  }
  *failed = false;
  struct tsr_answer known;
  if (tsr_answers_find(m->answers, &question, &known)) {
    tsr_text_clear(&question);
    isl_set_free(domain);
    isl_set_free(meet);
    isl_set_free(bad);
    return known.set[0];
  }
  isl_set *violated = violated_with(m, domain, meet, bad, failed);
  isl_set_free(domain);
  if (*failed || isl_ctx_last_error(m->ctx) != isl_error_none)
    tsr_text_clear(&question);
  else
    tsr_answers_keep(m->answers, &question, (struct tsr_answer){{violated}});
  return violated;
}

bool tsr_model_assume_not(struct tsr_model *m, isl_set *domain, isl_set *bad)
{
  isl_set *meet = isl_set_intersect(isl_set_copy(domain), isl_set_copy(bad)); /* most are empty, and so seen at once */
  isl_bool empty = isl_set_is_empty(meet);
  bool failed = empty < 0;
  if (empty != isl_bool_false) {
    isl_set_free(domain);
    isl_set_free(bad);
    isl_set_free(meet);
    return !failed || tsr_model_reject(m, TSR_REASON_Isl, NULL, NULL);
  }
  isl_set *violated = ask_violated(m, domain, meet, bad, &failed);
  if (!violated)
    return !failed || tsr_model_reject(m, TSR_REASON_Isl, NULL, NULL);
  isl_set *smaller = m->violated;
  m->violated = violated;
  tsr_range_grow(m, smaller);
  isl_set_free(smaller);
  isl_bool simple = tsr_violated_is_simple(m);
  if (simple < 0)
    return tsr_model_reject(m, TSR_REASON_Isl, NULL, NULL);
  return simple || tsr_model_reject_condition(m, m->violated);
}
