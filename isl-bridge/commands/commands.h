/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floor 10, commands: users' schedules, the text form of the table of transformations (tree/transformations.h), after Table
 * II of baghdadi-cgo19:
 *
 *     blur:                                        # a function, or a SCoP's name
 *       by.tile(i, j, 32, 256, i0, j0, i1, j1)     # a statement by the array that it writes, or as in dumps: S2
 *       by.parallelize(i0)
 *       only                                       # no vector loops but those that are commanded
 *       where_it_pays                              # the original runs at sizes at which the estimate says no
 *       otherwise                                  # where there are no threads, or there is too little work for them, or
 *                                                  # with where_it_pays, at sizes at which what is above doesn't pay:
 *       by.vectorize(j)                            # from the original order on again; no command: that order
 *
 * Commands start from the original order, one after the other, and each is checked: what it gives is legal, or it is refused
 * with the reason. Nothing else is searched for. */
#ifndef TSR_COMMANDS_H
#define TSR_COMMANDS_H

#include "check/check.h"
#include "cost/cost.h"
#include "tree/transformations.h"

/* ---- commands_read.c: from text ------------------------------------------------------------------------ */

/* One command: STMT.ROW(ARG, ..), at LINE and COLUMN. */
struct tsr_command {
  char *stmt; /* NULL: none is named */
  char *row;  /* NULL: "otherwise", another variant begins */
  char **arg;
  int *arg_line, *arg_column;
  int n_arg;
  int line, column;
};
/* The commands under one name. */
struct tsr_section {
  char *name; /* NULL: of an annotation, for the SCoPs of its function */
  int line, column;
  bool only, where_it_pays;
  struct tsr_command *command;
  int n;
};
struct tsr_commands {
  char *source; /* the file, or what stands for it in messages */
  struct tsr_section *section;
  int n;
};
/* Read TEXT, which came from SOURCE. ANNOTATION: there are no names above commands. NULL: *ERROR (malloc'd) says where and
 * what is wrong. */
__isl_give struct tsr_commands *tsr_commands_read(const char *text, const char *source, bool annotation, char **error);
__isl_give struct tsr_commands *tsr_commands_load(const char *file, char **error);
__isl_null struct tsr_commands *tsr_commands_free(__isl_take struct tsr_commands *commands);

/* ---- obey.c -------------------------------------------------------------------------------------------- */

/* The commands for SCOP: those of its own, and those of the file of OPT. NULL: none, or *ERROR (malloc'd) is what is wrong.
 */
__isl_give struct tsr_commands *tsr_commands_of(__isl_keep struct tsr_scop *scop, const struct tsr_options *opt,
                                                char **error);
/* Does one of COMMANDS name a statement of SCOP, or none? If not, RESULT's list says of each why it is left. */
bool tsr_commands_fit(const struct tsr_commands *commands, __isl_keep struct tsr_scop *scop, struct tsr_result *result);
/* RESULT's variants, and its list of commands, from what COMMANDS make of SCOP's original order. DEPS: for reasons. False:
 * *WHY (malloc'd) is why, or isl's error. */
bool tsr_commands_obey(const struct tsr_commands *commands, __isl_keep struct tsr_scop *scop, const struct tsr_options *opt,
                       __isl_keep struct tsr_deps *deps, struct tsr_result *result, char **why);

/* ---- explain.c: why a program is refused --------------------------------------------------------------- */

/* A dependence that a loop with a mark in TREE carries, as a sentence: statements, lines, an example. NULL: there is none.
 */
char *tsr_explain_marks(__isl_keep isl_schedule *tree, __isl_keep struct tsr_scop *scop, __isl_keep struct tsr_deps *deps);

#endif
