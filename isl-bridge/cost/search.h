/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of the search share: search.c (trees), search_programs.c (programs with buffers). */
#ifndef TSR_SEARCH_H
#define TSR_SEARCH_H

#include "cost/cost.h"

/* From here on, candidates are WHAT, too, by STEP: commands, a line each; NULL: there are none for it.
 * Until tsr_search_leave. */
void tsr_search_enter(struct tsr_run *run, const char *what, const char *step);
void tsr_search_leave(struct tsr_run *run);
/* Note that what is being tried costs COST, and whether it is TAKEN. Without memory, nothing is noted. */
void tsr_search_note(struct tsr_run *run, double cost, bool taken);
/* STEPS and the commands for WHICH marks (malloc'd); NULL for NULL. */
char *tsr_search_add_marks(struct tsr_run *run, const char *steps, enum tsr_which which);
/* BY_STMT costs of the original's statements: the lowest of each so far is kept. Takes them (malloc'd). */
void tsr_search_keep_best(struct tsr_run *run, double *by_stmt);

/* ---- search_programs.c ---- */

/* Where a program with buffers costs less than *BEST, take it for the result, with marks for one thread and, where these are
 * allowed, for several. Is it so? */
bool tsr_search_programs(struct tsr_run *run, double *best);

#endif
