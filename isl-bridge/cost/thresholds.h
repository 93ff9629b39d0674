/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All numbers by which the search and the estimate decide, each with its reason. Costs are in cycles of a current core,
 * roughly; only their ratios count. */
#ifndef TSR_THRESHOLDS_H
#define TSR_THRESHOLDS_H

/* ---- what the estimate counts with --------------------------------------------------------------------- */

#define ISSUE 0.33         /* an operation: three are issued in a cycle */
#define VECTOR_LANES 8.0   /* as many of them at once in a vector loop */
#define GUARDED_LANES 2.0  /* the same where stores depend on data: many targets store lane by lane */
#define LOOP_OVERHEAD 20.0 /* one run of the innermost loop: a branch that isn't predicted, and the loop's set-up */
#define FORK_OVERHEAD 5e3  /* one run of a parallel loop: to wake a team of libgomp's */

/* ---- when a change is worth it ------------------------------------------------------------------------- */

/* With fewer instances than that no change is: what is checked at run time costs about as much. */
#define MIN_INSTANCES 1e4
/* Caches do better than predicted where little is reused: tiled transpositions are slower at 0.7. */
#define MIN_GAIN 0.65
/* Strips of time steps and panels keep the innermost loops as they are: what is predicted is about caches alone, and less
 * than true. */
#define MIN_GAIN_OF_STRIPS 0.8
/* A part that costs this much of the original in its best candidate is not worth a change. */
#define NO_GAIN 0.85

/* ---- which candidates are tried, and which wins ------------------------------------------------------------ */

/* A candidate in the original order is taken if it costs no more than this times the scheduler's best: the model can't tell
 * such two apart, and of the two it is the one that the programmer chose. Not where threads are asked for: the scheduler
 * looks for work for them. */
#define TIE 1.02
/* By default Feautrier's schedule is a candidate, too, if so much of the budget is left: it is found quickly, and where it
 * wins, it does so clearly. */
#define ENOUGH_LEFT 0.75
#define CLEARLY 0.9
/* Feautrier's schedule and panels improve on what is good already: of some 200 nests (the kernels, those of GSL and opus
 * that take longest) they won in none in which no other candidate cost less than this much of the original. But panels are
 * looked for, too, where issuing instances is no more than this of the cost, and the rest is waiting for caches. */
#define SOME_GAIN 0.9
#define FEW_ISSUES 0.3
/* Threads that leave no more than this of the cost have enough to do, for two cores: nothing better is looked for. Nor is it
 * where loops wait for each other block by block: a wavefront, which all threads wait for, only looks better. */
#define GOOD_FOR_THREADS 0.8
/* Another schedule must cost no more than this: it may take apart what is together on one core, and how loops that are not
 * innermost share lines, the model doesn't see. */
#define OTHER_FOR_THREADS 0.6
/* Loops further out, with private arrays, have more to do each time that threads meet than those further in, which the model
 * doesn't see: may it take them for dearer by this. */
#define AS_GOOD 2

/* ---- shares of the budget ---------------------------------------------------------------------------------- */

/* Until it is known that a change is worth it, a part of the budget must do: most that comes so far in vain is dear. */
#define SHARE_OF_CHOICE 0.33
/* Of what is left, for candidates without which there is a tree: the rest is for checks and the AST. */
#define SHARE_OF_TRIALS 0.6
/* Parallel loops further out, with private arrays, need not be found: this much of what is left. */
#define SHARE_OF_PRIVATE 0.25

#endif
