/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of the search share: search.c (trees), search_threads.c (trees for threads), search_streams.c
 * (stores past the caches), search_programs.c (programs with buffers). */
#ifndef TSR_SEARCH_H
#define TSR_SEARCH_H

#include "cost/cost.h"

/* What the row of name ROW makes of TREE (may be NULL) of the original, by DEPS, with the arguments VALUE[0..N), and in
 * *STEP the command for that, a line (malloc'd). NULL: it can't. */
__isl_give struct tsr_program *tsr_search_apply(struct tsr_run *run, __isl_keep isl_schedule *tree, struct tsr_deps *deps,
                                                const char *row, const char *const *value, int n, char **step);
/* The same of the program FROM (may be NULL). */
__isl_give struct tsr_program *tsr_search_go_on(struct tsr_run *run, __isl_take struct tsr_program *from,
                                                struct tsr_deps *deps, const char *row, const char *const *value, int n,
                                                char **step);
/* What TREE costs, as estimated, with threads if they are allowed; the lowest cost of each statement so far is kept. RATES
 * (may be NULL, of 2 n_stmt): as in struct tsr_variant, but -1 where an instance beside tiles takes what it did. */
isl_stat tsr_search_cost(struct tsr_run *run, __isl_keep isl_schedule *tree, struct tsr_estimate *estimate, double *rates);
/* Take SCHEDULE and its transformed tree, BARE with WHICH marks, for the result if they cost less than *BEST. */
void tsr_search_try(struct tsr_run *run, __isl_take isl_schedule *schedule, __isl_take isl_schedule *bare,
                    enum tsr_which which, double *best);
/* The same for all forms of SCHEDULE, which comes from STRATEGY. */
void tsr_search_try_schedule(struct tsr_run *run, __isl_take isl_schedule *schedule, const char *strategy, double *best);

/* From here on, candidates are WHAT, too, by STEP: commands, a line each; NULL: there are none for it.
 * Until tsr_search_leave. */
void tsr_search_enter(struct tsr_run *run, const char *what, const char *step);
void tsr_search_leave(struct tsr_run *run);
/* Note that what is being tried costs COST, and whether it is TAKEN. Without memory, nothing is noted. */
void tsr_search_note(struct tsr_run *run, double cost, bool taken);
/* The commands for the best so far, but for marks (malloc'd). NULL: there are none. */
char *tsr_search_steps(struct tsr_run *run);
/* STEPS and the commands for WHICH marks (malloc'd); NULL for NULL. */
char *tsr_search_add_marks(struct tsr_run *run, const char *steps, enum tsr_which which);
/* BY_STMT costs of the original's statements: the lowest of each so far is kept. Takes them (malloc'd). */
void tsr_search_keep_best(struct tsr_run *run, double *by_stmt);

/* ---- search_threads.c ---- */

/* With the best tree for one core as the result: find that for threads. Where it is another one, the first is the last
 * variant. */
void tsr_search_threads(struct tsr_run *run);

/* ---- search_streams.c ---- */

/* Let loops of the result's only variant, on one thread, store past the caches, if that is cheaper or, on a
 * processor that may gain by it, all is forced. */
void tsr_search_streams(struct tsr_run *run);

/* ---- search_programs.c ---- */

/* Does a statement of SCOP add up in a loop inside of two others? */
bool tsr_scop_has_inner_sums(const struct tsr_scop *scop);

/* May there be buffers, as far as the options and RUN's code go? Who asks for a strategy gets the tree that it makes. */
bool tsr_search_may_have_buffers(const struct tsr_run *run);
/* PROGRAM (may be NULL), of SCHEDULE by STEPS (malloc'd), with marks: take it as the variant for threads if it costs less
 * than LIMIT. */
void tsr_search_try_threads(struct tsr_run *run, __isl_take struct tsr_program *program, isl_schedule *schedule, char *steps,
                            double limit);
/* A program with buffers, for which everything but marks for threads is there. NULL: there is none. */
struct tsr_choice *tsr_search_find_program(struct tsr_run *run);
/* The best tree with what outer loops in lanes walk along in buffers. NULL: there is nothing of that. */
struct tsr_choice *tsr_search_find_panels(struct tsr_run *run);
/* Sums in register tiles, for which what they read is copied before it is overwritten. NULL: there is nothing of that. */
struct tsr_choice *tsr_search_find_copies(struct tsr_run *run);
struct tsr_choice *tsr_choice_free(struct tsr_choice *choice);
/* Is CHOICE (may be NULL) worth it, whatever else there may be? */
bool tsr_choice_is_clear(struct tsr_run *run, const struct tsr_choice *choice);
/* Where CHOICE (may be NULL) costs less than *BEST, take it for the result, with marks for one thread and, where these are
 * allowed, for several. Is it so? */
bool tsr_search_take_program(struct tsr_run *run, struct tsr_choice *choice, double *best);

#endif
