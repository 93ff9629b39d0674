/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a model assumes of its parameters: their ranges, and that nothing happens for which it would be wrong.
 *
 *   domain { [n, i0] : 0 <= i0 < n }, bad { [n] : n > 100 }    ->    violated := violated or { [n] : n > 100 }
 *
 * A function has many nests that are alike, and a nest is looked at more than once: alone, with its neighbours, with other
 * guesses of array sizes. Each time the same questions come up, of sets over parameters of the same names. So the answers
 * are kept for all models of a module, with a question written down in full as a sequence of numbers: the names, ranges and
 * constraints in it. */
#include "pass.h"
#include <isl/constraint.h>
#include <isl/id.h>
#include <isl/mat.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

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
  return isl_set_intersect(set, isl_set_from_basic_set(box));
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

/* ---- questions and their answers */

enum { N_ANSWER = 256, N_TEXT = 16, MAX_WORDS = 4000 };

/* Numbers that say all there is to say. */
struct text {
  int64_t *word;
  int n, room;
  bool bad; /* something can't be said, or at too great a length */
};

struct tsr_answers {
  struct answer {
    struct text question; /* no words: none */
    isl_set *violated;    /* as it is then; NULL: nothing is added */
  } answer[N_ANSWER];
  struct {
    isl_set *set; /* is held, so that its address stands for it */
    struct text text;
  } said[N_TEXT];
  int next; /* of `said` to be replaced */
};

static void say(struct text *text, int64_t word)
{
  if (text->n == text->room && !text->bad) {
    int room = text->room ? 2 * text->room : 64;
    int64_t *more = room <= MAX_WORDS ? realloc(text->word, room * sizeof(*more)) : NULL;
    text->bad = !more;
    text->word = more ? more : text->word;
    text->room = more ? room : text->room;
  }
  if (!text->bad)
    text->word[text->n++] = word;
}

static void say_name(struct text *text, const char *name)
{
  size_t length = name ? strlen(name) : 0;
  text->bad |= !length;
  say(text, (int64_t)length);
  for (size_t i = 0; i < length; i += sizeof(int64_t)) {
    int64_t word = 0;
    memcpy(&word, name + i, length - i < sizeof(word) ? length - i : sizeof(word));
    say(text, word);
  }
}

/* Rows of MATRIX, which is taken. */
static void say_rows(struct text *text, __isl_take isl_mat *matrix)
{
  isl_size n = isl_mat_rows(matrix), width = isl_mat_cols(matrix);
  text->bad |= n < 0 || width < 0;
  say(text, n);
  for (int i = 0; i < n && !text->bad; i++)
    for (int k = 0; k < width && !text->bad; k++) {
      uint64_t chunk = 0;
      isl_val *value = isl_mat_get_element_val(matrix, i, k);
      int sign = isl_val_sgn(value);
      text->bad |= isl_val_n_abs_num_chunks(value, sizeof(chunk)) > 1 ||
                   (sign && isl_val_get_abs_num_chunks(value, sizeof(chunk), &chunk) < 0) || chunk > INT64_MAX;
      say(text, sign * (int64_t)chunk);
      isl_val_free(value);
    }
  isl_mat_free(matrix);
}

static isl_stat say_piece(isl_basic_set *piece, void *user)
{
  struct text *text = user;
  text->bad |= isl_basic_set_dim(piece, isl_dim_div) != 0;
  if (!text->bad) {
    say_rows(text, isl_basic_set_equalities_matrix(piece, isl_dim_param, isl_dim_cst, isl_dim_set, isl_dim_div));
    say_rows(text, isl_basic_set_inequalities_matrix(piece, isl_dim_param, isl_dim_cst, isl_dim_set, isl_dim_div));
  }
  isl_basic_set_free(piece);
  return text->bad ? isl_stat_error : isl_stat_ok;
}

/* SET, over parameters. */
static void say_set(struct text *text, isl_set *set)
{
  isl_size n = isl_set_dim(set, isl_dim_param), pieces = isl_set_n_basic_set(set);
  text->bad |= n < 0 || pieces < 0 || isl_set_is_params(set) != isl_bool_true;
  say(text, n);
  for (int i = 0; i < n && !text->bad; i++)
    say_name(text, isl_set_get_dim_name(set, isl_dim_param, i));
  say(text, pieces);
  if (!text->bad)
    isl_set_foreach_basic_set(set, say_piece, text);
}

/* The same for one that often comes up again. */
static void say_again(struct tsr_answers *all, struct text *text, isl_set *set)
{
  int at = 0;
  while (at < N_TEXT && all->said[at].set != set)
    at++;
  if (at == N_TEXT) {
    at = all->next;
    all->next = (all->next + 1) % N_TEXT;
    isl_set_free(all->said[at].set);
    all->said[at].set = isl_set_copy(set);
    all->said[at].text.n = 0;
    all->said[at].text.bad = false;
    say_set(&all->said[at].text, set);
  }
  text->bad |= all->said[at].text.bad;
  for (int i = 0; i < all->said[at].text.n && !text->bad; i++)
    say(text, all->said[at].text.word[i]);
}

/* The ranges of the parameters in the N sets of SET. Which of the names are counters is clear from the names. */
static void say_ranges(struct tsr_model *m, struct text *text, isl_set *const *set, int n)
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
    say_name(text, atom->name);
    say(text, checked);
    say(text, checked ? 0 : min);
    say(text, checked ? 0 : max);
  }
}

static struct text text_clear(struct text text)
{
  free(text.word);
  return (struct text){0};
}

/* Where the answer to QUESTION is, or would be; *KNOWN: it is there. */
static struct answer *answer_of(struct tsr_answers *all, const struct text *question, bool *known)
{
  uint64_t hash = 1469598103934665603u;
  for (int i = 0; i < question->n; i++)
    hash = (hash ^ (uint64_t)question->word[i]) * 1099511628211u;
  struct answer *answer = &all->answer[(hash ^ hash >> 32) % N_ANSWER];
  *known = answer->question.n && answer->question.n == question->n &&
           !memcmp(answer->question.word, question->word, question->n * sizeof(*question->word));
  return answer;
}

struct tsr_answers *tsr_answers_alloc(void)
{
  return calloc(1, sizeof(struct tsr_answers));
}

struct tsr_answers *tsr_answers_free(struct tsr_answers *all)
{
  for (int i = 0; all && i < N_ANSWER; i++) {
    all->answer[i].question = text_clear(all->answer[i].question);
    isl_set_free(all->answer[i].violated);
  }
  for (int i = 0; all && i < N_TEXT; i++) {
    all->said[i].text = text_clear(all->said[i].text);
    isl_set_free(all->said[i].set);
  }
  free(all);
  return NULL;
}

/* ---- assumptions */

#define MAX_VIOLATED 16

/* Are none of MEET, outside of m->violated, possible? */
static isl_bool is_violated(struct tsr_model *m, isl_set *meet)
{
  isl_bool all = isl_set_is_subset(meet, m->violated);
  if (all != isl_bool_false)
    return all;
  isl_set *possible = isl_set_align_params(isl_set_copy(meet), isl_set_get_space(m->violated));
  possible = tsr_within_types(m, possible);
  all = isl_set_is_subset(possible, m->violated);
  isl_set_free(possible);
  return all;
}

/* m->violated, with those of MEET, which are BAD and possible, added; NULL with *FAILED false: there are none of these. */
static isl_set *violated_with(struct tsr_model *m, __isl_take isl_set *meet, __isl_take isl_set *bad, bool *failed)
{
  isl_bool none = is_violated(m, meet);
  *failed = none < 0;
  if (none != isl_bool_false) {
    isl_set_free(meet);
    isl_set_free(bad);
    return NULL;
  }
  if (set_is_invariant(m, bad)) {
    isl_set_free(meet);
  } else {
    isl_set_free(bad);
    meet = isl_set_coalesce(isl_set_subtract(meet, isl_set_copy(m->violated)));
    bad = tsr_project_counters(m, meet);
  }
  bad = isl_set_coalesce(isl_set_union(isl_set_copy(m->violated), bad));
  *failed = !bad;
  return bad;
}

/* The same, if the answer isn't known. */
static isl_set *ask_violated(struct tsr_model *m, __isl_take isl_set *domain, __isl_take isl_set *meet,
                             __isl_take isl_set *bad, bool *failed)
{
  struct text question = {0};
  struct answer *answer = NULL;
  bool known = false;
  if (m->answers) {
    say_ranges(m, &question, (isl_set *[]){domain, bad, m->violated}, 3);
    say_again(m->answers, &question, domain);
    say_again(m->answers, &question, m->violated);
    say_set(&question, bad);
    answer = question.bad ? NULL : answer_of(m->answers, &question, &known);
  }
  isl_set_free(domain);
  *failed = false;
  if (known) {
    text_clear(question);
    isl_set_free(meet);
    isl_set_free(bad);
    return isl_set_copy(answer->violated);
  }
  isl_set *violated = violated_with(m, meet, bad, failed);
  if (!answer || *failed || isl_ctx_last_error(m->ctx) != isl_error_none) {
    text_clear(question);
    return violated;
  }
  text_clear(answer->question);
  isl_set_free(answer->violated);
  *answer = (struct answer){question, isl_set_copy(violated)};
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
  isl_size n = isl_set_n_basic_set(m->violated);
  if (n < 0)
    return tsr_model_reject(m, TSR_REASON_Isl, NULL, NULL);
  return n <= MAX_VIOLATED || tsr_model_reject_condition(m, m->violated);
}
