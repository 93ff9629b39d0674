/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What was asked before, and the answers. A function has many nests that are alike, and a nest is looked at more than once:
 * alone, with its neighbours, with other guesses of array sizes. Each time the same questions come up, of sets over
 * parameters of the same names. So the answers are kept for all models of a module, with a question written down in full as
 * a sequence of numbers: the names, ranges and constraints in it. */
#include "read/values/answer_cache.h"
#include <isl/mat.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* Of the archive, where a set is a map. What only looks at a set may put its pieces in another order, in all that share the
 * object. */
__isl_give isl_map *isl_map_dup(__isl_keep isl_map *map);

enum { N_ANSWER = 1024, N_TEXT = 16, MAX_WORDS = 4000 };

struct tsr_answers {
  struct answer {
    struct tsr_text question; /* no words: none */
    struct tsr_answer answer;
  } answer[N_ANSWER];
  struct {
    isl_set *set; /* is held, so that its address stands for it */
    struct tsr_text text;
  } said[N_TEXT];
  int next; /* of `said` to be replaced */
};

void tsr_say(struct tsr_text *text, int64_t word)
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

void tsr_say_name(struct tsr_text *text, const char *name)
{
  size_t length = name ? strlen(name) : 0;
  text->bad |= !length;
  tsr_say(text, (int64_t)length);
  for (size_t i = 0; i < length; i += sizeof(int64_t)) {
    int64_t word = 0;
    memcpy(&word, name + i, length - i < sizeof(word) ? length - i : sizeof(word));
    tsr_say(text, word);
  }
}

/* Rows of MATRIX, which is taken. */
static void say_rows(struct tsr_text *text, __isl_take isl_mat *matrix)
{
  isl_size n = isl_mat_rows(matrix), width = isl_mat_cols(matrix);
  text->bad |= n < 0 || width < 0;
  tsr_say(text, n);
  for (int i = 0; i < n && !text->bad; i++)
    for (int k = 0; k < width && !text->bad; k++) {
      uint64_t chunk = 0;
      isl_val *value = isl_mat_get_element_val(matrix, i, k);
      int sign = isl_val_sgn(value);
      text->bad |= isl_val_n_abs_num_chunks(value, sizeof(chunk)) > 1 ||
                   (sign && isl_val_get_abs_num_chunks(value, sizeof(chunk), &chunk) < 0) || chunk > INT64_MAX;
      if (!text->bad)
        tsr_say(text, sign * (int64_t)chunk);
      isl_val_free(value);
    }
  isl_mat_free(matrix);
}

/* The constraints of PIECE, which is taken; it must have no existentials. */
static isl_stat say_piece(isl_basic_set *piece, void *user)
{
  struct tsr_text *text = user;
  text->bad |= isl_basic_set_dim(piece, isl_dim_div) != 0;
  if (!text->bad) {
    say_rows(text, isl_basic_set_equalities_matrix(piece, isl_dim_param, isl_dim_cst, isl_dim_set, isl_dim_div));
    say_rows(text, isl_basic_set_inequalities_matrix(piece, isl_dim_param, isl_dim_cst, isl_dim_set, isl_dim_div));
  }
  isl_basic_set_free(piece);
  return text->bad ? isl_stat_error : isl_stat_ok;
}

/* SET, over parameters. */
void tsr_say_set(struct tsr_text *text, isl_set *set)
{
  isl_size n = isl_set_dim(set, isl_dim_param), pieces = isl_set_n_basic_set(set);
  text->bad |= n < 0 || pieces < 0 || isl_set_is_params(set) != isl_bool_true;
  tsr_say(text, n);
  for (int i = 0; i < n && !text->bad; i++)
    tsr_say_name(text, isl_set_get_dim_name(set, isl_dim_param, i));
  tsr_say(text, pieces);
  if (!text->bad)
    isl_set_foreach_basic_set(set, say_piece, text);
}

/* The same for one that often comes up again. */
void tsr_say_again(struct tsr_answers *all, struct tsr_text *text, isl_set *set)
{
  if (!all) {
    text->bad = true;
    return;
  }
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
    tsr_say_set(&all->said[at].text, set);
  }
  text->bad |= all->said[at].text.bad;
  for (int i = 0; i < all->said[at].text.n && !text->bad; i++)
    tsr_say(text, all->said[at].text.word[i]);
}

/* Free what TEXT owns. */
static struct tsr_text text_clear(struct tsr_text text)
{
  free(text.word);
  return (struct tsr_text){0};
}

void tsr_text_clear(struct tsr_text *text)
{
  *text = text_clear(*text);
}

/* Free what ANSWER owns. */
static struct tsr_answer answer_clear(struct tsr_answer answer)
{
  for (int i = 0; i < TSR_N_ANSWER; i++)
    isl_set_free(answer.set[i]);
  return (struct tsr_answer){0};
}

/* Sets of its own, which share nothing: what isl does to one of them says nothing of the other. */
static struct tsr_answer answer_copy(const struct tsr_answer *answer)
{
  struct tsr_answer copy;
  for (int i = 0; i < TSR_N_ANSWER; i++)
    copy.set[i] = answer->set[i] ? (isl_set *)isl_map_dup((isl_map *)answer->set[i]) : NULL;
  return copy;
}

/* Where the answer to QUESTION is, or would be. */
static struct answer *place_of(struct tsr_answers *all, const struct tsr_text *question)
{
  uint64_t hash = 1469598103934665603u;
  for (int i = 0; i < question->n; i++)
    hash = (hash ^ (uint64_t)question->word[i]) * 1099511628211u;
  return &all->answer[(hash ^ hash >> 32) % N_ANSWER];
}

bool tsr_answers_find(struct tsr_answers *all, const struct tsr_text *question, struct tsr_answer *answer)
{
  *answer = (struct tsr_answer){0};
  if (!all || question->bad || !question->n)
    return false;
  const struct answer *at = place_of(all, question);
  bool same =
      at->question.n == question->n && !memcmp(at->question.word, question->word, question->n * sizeof(*question->word));
  if (same)
    *answer = answer_copy(&at->answer);
  return same;
}

void tsr_answers_keep(struct tsr_answers *all, struct tsr_text *question, struct tsr_answer answer)
{
  struct answer *at = all && !question->bad && question->n ? place_of(all, question) : NULL;
  if (at) {
    text_clear(at->question);
    answer_clear(at->answer);
    *at = (struct answer){*question, answer_copy(&answer)};
    *question = (struct tsr_text){0};
  }
  tsr_text_clear(question);
}

struct tsr_answers *tsr_answers_alloc(void)
{
  return calloc(1, sizeof(struct tsr_answers));
}

struct tsr_answers *tsr_answers_free(struct tsr_answers *all)
{
  for (int i = 0; all && i < N_ANSWER; i++) {
    all->answer[i].question = text_clear(all->answer[i].question);
    answer_clear(all->answer[i].answer);
  }
  for (int i = 0; all && i < N_TEXT; i++) {
    all->said[i].text = text_clear(all->said[i].text);
    isl_set_free(all->said[i].set);
  }
  free(all);
  return NULL;
}
