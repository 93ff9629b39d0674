/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What assumptions.c and scop_model.c ask again and again, and the answers: questions written down as numbers. */
#ifndef TSR_ANSWER_CACHE_H
#define TSR_ANSWER_CACHE_H

#include "read/read.h"

/* What a question is about; its first word. */
enum tsr_topic { TSR_TOPIC_VIOLATED, TSR_TOPIC_PARAMETERS, TSR_TOPIC_DOMAIN };

/* Numbers that say all there is to say of a question; no words at first. */
struct tsr_text {
  int64_t *word;
  int n, room;
  bool bad; /* something can't be said, or at too great a length: there is no answer, and none is kept */
};

#define TSR_N_ANSWER 2

struct tsr_answer {
  isl_set *set[TSR_N_ANSWER]; /* may be NULL */
};

void tsr_say(struct tsr_text *text, int64_t word);
void tsr_say_name(struct tsr_text *text, const char *name);
void tsr_say_set(struct tsr_text *text, __isl_keep isl_set *set); /* over parameters */
/* The same for a set that often comes up again. */
void tsr_say_again(struct tsr_answers *all, struct tsr_text *text, __isl_keep isl_set *set);
void tsr_text_clear(struct tsr_text *text);
/* Is it known what was answered to QUESTION? Then *ANSWER has sets of its own; else no sets. ALL may be NULL. */
bool tsr_answers_find(struct tsr_answers *all, const struct tsr_text *question, struct tsr_answer *answer);
/* Keep copies of the sets of ANSWER. Clears QUESTION. */
void tsr_answers_keep(struct tsr_answers *all, struct tsr_text *question, struct tsr_answer answer);

#endif
