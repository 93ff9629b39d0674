/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floor 6, sched: from dependences to a schedule. scheduler.h has what the files of our own scheduler share; rows/ makes one
 * row of a schedule, influence/ steers it. */
#ifndef TSR_SCHED_H
#define TSR_SCHED_H

#include "access/access.h"
#include "marks/marks.h"

/* ---- schedule.c: the scheduler interface --------------------------------------------------------------- */

/* A new schedule tree over the same domain, legal by DEPS; bands carry isl's permutable and coincident
 * flags; with opt->parallel our scheduler's may carry the mark TSR_CONCURRENT_START. Strategy "isl" and "default": isl's
 * scheduler; "pluto": ours (sched/); "original": the original tree, with flags computed from DEPS. With opt->influence ours
 * works along that tree, unless the strategy is "original" or the file is for another SCoP. *TRACE (may be NULL; malloc'd,
 * else NULL): how the influence tree was followed, a line an event; when NULL is returned because the file can't be used,
 * why. *FALLBACK (may be NULL; static text): what the schedule comes from where the strategy found none, "no-reordering"
 * (the same without live-range reordering) or "original"; NULL if it found one. */
__isl_give isl_schedule *tsr_schedule_compute(__isl_keep struct tsr_scop *scop, __isl_keep struct tsr_deps *deps,
                                              const struct tsr_options *opt, char **trace, const char **fallback);

/* TREE, of which the bands say what DEPS allow: are they permutable, and which members are coincident? MERGE: chains of
 * bands of one member that may be interchanged become one band. On failure: NULL. */
__isl_give isl_schedule *tsr_schedule_flag(__isl_take isl_schedule *tree, __isl_keep struct tsr_scop *scop,
                                           __isl_keep struct tsr_deps *deps, bool merge);

/* ---- rows_apart.c -------------------------------------------------------------------------------------- */

/* TREE, where members that count the elements of rows are two, with flags by DEPS. NULL: isl failed. */
__isl_give isl_schedule *tsr_schedule_rows_apart(__isl_take isl_schedule *tree, __isl_keep struct tsr_scop *scop,
                                                 __isl_keep struct tsr_deps *deps);

/* ---- constants.c: large constants as parameters, for the scheduler ------------------------------------- */

#define TSR_MAX_CONSTANTS 8
struct tsr_constants {
  int n;
  long value[TSR_MAX_CONSTANTS]; /* increasing */
};
isl_stat tsr_constants_find(struct tsr_constants *constants, __isl_keep isl_union_set *domain);
__isl_give isl_union_map *tsr_constants_abstract_map(struct tsr_constants *constants, __isl_take isl_union_map *map);
__isl_give isl_union_set *tsr_constants_abstract_set(struct tsr_constants *constants, __isl_take isl_union_set *set);
__isl_give isl_set *tsr_constants_context(struct tsr_constants *constants, __isl_take isl_set *context);
/* SCHEDULE, a tree of the scheduler's over abstracted domains, as a tree over DOMAIN. */
__isl_give isl_schedule *tsr_constants_concretise(struct tsr_constants *constants, __isl_take isl_schedule *schedule,
                                                  __isl_take isl_union_set *domain);

/* ---- influence/fold_tree.c ----------------------------------------------------------------------------- */

/* Does a statement of SCOP fold, by an exact operator, over elements of the array that it updates? */
bool tsr_scop_has_folds(__isl_keep struct tsr_scop *scop);

#endif
