/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floor 8, cost: the estimate, the lower bound and the search. */
#ifndef TSR_COST_H
#define TSR_COST_H

#include "tree/tree.h"

/* ---- estimate.c, profit.c: is it worth it? ------------------------------------------------------------- */

/* Compare the original order with CANDIDATE (tiled and marked): estimated trip counts, strides of the innermost
 * loops, reuse, number of run-time checks N_CHECK. BEFORE and AFTER: what they cost, on one core or, the candidate, with
 * THREADS; what is not known yet is computed. */
struct tsr_profit tsr_profit_estimate(__isl_keep struct tsr_scop *scop, __isl_keep isl_schedule *candidate, int n_check,
                                      bool threads, struct tsr_estimate *before, struct tsr_estimate *after);
/* The estimated cost of TREE in *ESTIMATE, and that of each statement in BY_STMT (may be NULL, size n_stmt). MARKED: does
 * TREE carry its marks? THREADS: are threads allowed, in whatever tree? */
isl_stat tsr_tree_cost(__isl_keep struct tsr_scop *scop, __isl_keep isl_schedule *tree, bool marked, bool threads,
                       struct tsr_estimate *estimate, double *by_stmt);
/* What an instance of each statement takes in TREE, in RATE (size n_stmt), where its innermost loop is long and all data at
 * hand: in a vector loop, lanes, a tile, or waiting for the one before. BESIDE (may be NULL): of statements in lanes or
 * tiles, what it takes elsewhere; it replaces RATE of all others. */
isl_stat tsr_tree_rates(__isl_keep struct tsr_scop *scop, __isl_keep isl_schedule *tree, bool marked, double *rate,
                        double *beside);
/* The same of SCOP's original, in RATE; and in ACROSS (size n_stmt) what an instance takes more as vectors lie across lines.
 */
isl_stat tsr_original_rates(__isl_keep struct tsr_scop *scop, double *rate, double *across);
/* As tsr_tree_cost, and in RATES (may be NULL, of 2 n_stmt) what tsr_tree_rates finds: RATE, and behind it BESIDE, which
 * stays where it is not replaced. */
isl_stat tsr_tree_cost_and_rates(__isl_keep struct tsr_scop *scop, __isl_keep isl_schedule *tree, bool marked, bool threads,
                                 struct tsr_estimate *estimate, double *by_stmt, double *rates);
/* Is a change from cost BEFORE to cost AFTER, with N_CHECK run-time checks, worth it? */
bool tsr_profit_is_worth(double before, double after, int n_check);
extern const char tsr_not_lower[]; /* why it is not */

/* ---- least_cost.c: what no schedule can do without ----------------------------------------------------- */

/* What holds a statement, whatever the schedule: its innermost loop stays, and is no vector loop; and nobody else shares its
 * MEMORY arrays. */
enum tsr_hold { TSR_HOLD_NONE, TSR_HOLD_INNERMOST, TSR_HOLD_ALONE };
#define TSR_LEVELS 2 /* caches that count: what is behind the second is as far away as memory */
struct tsr_least {
  enum tsr_hold hold; /* given */
  bool lanes;         /* given: may it run in lanes of an outer loop (lanes.c)? */
  double before;      /* the estimated cost of the original order, or more: nothing is known of vector loops */
  double least;       /* no schedule costs less, lines that statements may share apart */
  double instances;
  bool several;  /* has it accesses of several forms in a loop that could be a vector loop else, or elements that straight
                    code can have in registers once arrays are known to be apart, or changes it something but rarely? */
  double *lines; /* given, by access and level of caches: no schedule brings these lines in for less; 0: unknown */
};
/* OF, by statement of SCOP, of which all but `hold`, `lanes` and `lines` is 0. */
isl_stat tsr_profit_least(__isl_keep struct tsr_scop *scop, struct tsr_least *of);

/* ---- lower_bound.c ------------------------------------------------------------------------------------- */

/* Is no schedule of SCOP or of a part of it worth N_CHECK run-time checks, as scalars bind its statements to their loops, or
 * memory costs what it costs? Where that takes the cost of the original order, it is left in *BEFORE and, by statement,
 * in *BY_STMT (malloc'd), which are NULL or 0 before. */
isl_bool tsr_profit_is_rigid(__isl_keep struct tsr_scop *scop, int n_check, struct tsr_estimate *before, double **by_stmt);

/* ---- measure.c: what a schedule is like, for reports --------------------------------------------------- */

enum tsr_outer {
  TSR_OUTER_NONE,
  TSR_OUTER_WAVEFRONT,  /* the outermost bands are better than that, or permutable with at least two members */
  TSR_OUTER_CONCURRENT, /* the outermost bands are coincident outside, or have tiles that can start at once */
  TSR_OUTER_COINCIDENT, /* the outermost member of each outermost band is coincident */
};
const char *tsr_outer_name(enum tsr_outer outer); /* "none", "wavefront", "concurrent", "coincident" */
struct tsr_measure {
  int accesses;         /* to MEMORY arrays, in statements inside of loops */
  int near;             /* of these: the innermost loop keeps the element or goes to a neighbour in the last dimension */
  enum tsr_outer outer; /* can the outermost loops run in parallel? */
  int members;          /* of the largest permutable band */
};
/* Measure SCHEDULE's bands by their flags, and the strides of TREE's innermost loops: the same schedule, tiled or not. */
isl_stat tsr_schedule_measure(__isl_keep struct tsr_scop *scop, __isl_keep isl_schedule *schedule,
                              __isl_keep isl_schedule *tree, struct tsr_measure *measure);

/* ---- search.c -------------------------------------------------------------------------------------------- */

/* One run of the pipeline: what the stages need besides the result. */
struct tsr_run {
  struct tsr_scop *scop;
  const struct tsr_options *asked; /* the options */
  const struct tsr_options *opt;   /* those of the trees at hand: the options, or ONE_CORE */
  struct tsr_options one_core;     /* the options without threads */
  int n_check;
  enum tsr_stage until;                     /* the last one wanted */
  bool tiles_alone;                         /* are only overlapped tiles looked for? */
  enum { WITHOUT, FULL, MASKED } registers; /* register tiles: none; without masked parts; with them */
  struct tsr_trial choice;                  /* the part of the budget for finding a change that is worth it */
  bool panels;                              /* tsr_run_may_have_panels */
  struct tsr_estimate after;                /* of the tree for one thread */
  struct tsr_result *result;
  bool untiled;             /* is a tree without tiles tried? */
  bool sums;                /* has one with register tiles, or lanes, been tried? */
  isl_schedule *in_order;   /* the original order, with what its bands say of themselves; NULL: nobody has asked */
  struct tsr_variant plain; /* the cheapest of these, its tree, schedule, steps and rates; no tree: there is none */
  double plain_cost;
  isl_ast_node *original; /* that of the original order; NULL: not asked for yet */
  isl_schedule *bare;     /* the first variant's tree without marks, */
  char *steps;            /* and commands that make it of its schedule; NULL: not all of it can be said */
#define TSR_MAX_WORDS 8
  const char *word[TSR_MAX_WORDS]; /* what is being tried: strategy, form, .. */
  const char *step[TSR_MAX_WORDS]; /* by which command */
  int n_word;
  struct tsr_commands *commands; /* of the user's, for this SCoP (commands/commands.h); NULL: none */
};
/* Is it a pipeline whose stages gain in tiles, or each for itself? Others' schedules took 1.4 times as long as the stages
 * one after the other, of 23 for raw images of a sensor: the scheduler isn't asked. */
bool tsr_run_is_long_pipeline(const struct tsr_run *run);
/* Is it for the search to look for programs with buffers? */
bool tsr_search_may_have_programs(const struct tsr_run *run);
/* Find the result's variants and schedule, of all candidates those that cost least: a tree, and where that is for threads
 * perhaps another one for one thread. On failure there is no tree, or isl's context has an error. */
void tsr_run_choose_tree(struct tsr_run *run);
/* Would lanes, in the schedule, walk along panels? */
bool tsr_run_may_have_panels(struct tsr_run *run);
/* Is the tree for threads made from that which is best on one core? Where the options ask for something they get it. */
bool tsr_run_is_for_one_core(const struct tsr_run *run);

#endif
