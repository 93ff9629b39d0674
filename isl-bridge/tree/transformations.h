/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of transformations: transformations.def, one row each. A row takes a program, a statement and values of its
 * parameters, and gives another program, or NULL and a sentence that says why not. Programs are never half changed.
 *
 * A row that is about loops names a statement and loops around it; whatever else runs in these loops goes along. Where the
 * statement runs in several pieces, as after index_set_split, each piece that has the loops is transformed.
 *
 * Rows don't ask whether what they give is legal: the checker does (check/check.h).
 *
 * Names of loops, for statement S: the one that a row gave it; else that of S's iterator k where the loop runs through
 * k, k + 1, -k or so: in the source if stmt->loops says so, else in the domain; else c3 for a loop inside of three others,
 * as in printed ASTs. A loop by an iterator can be called as in the domain, too, and every loop by its depth. The tree
 * itself carries those that rows gave: as names of the dimensions of bands, which isl keeps but doesn't print. */
#ifndef TSR_TRANSFORMATIONS_H
#define TSR_TRANSFORMATIONS_H

#include "model/program.h"

#define TSR_LOOP_NAME 64 /* bytes for the name of a loop */

enum tsr_param_kind {
  TSR_PARAM_LOOP,   /* a loop around the statement */
  TSR_PARAM_STMT,   /* another statement */
  TSR_PARAM_OTHER,  /* a loop around that one */
  TSR_PARAM_ARRAY,  /* a MEMORY array */
  TSR_PARAM_INT,    /* an integer from `least` to `most` */
  TSR_PARAM_AFFINE, /* an affine expression over parameters and loops */
  TSR_PARAM_MAP,    /* a relation, or a whole schedule tree, in isl's notation */
  TSR_PARAM_CHOICE, /* one of some words */
  TSR_PARAM_NAME    /* for a loop that the row makes */
};

/* How many values does a parameter have? */
enum tsr_param_count {
  TSR_COUNT_ONE,
  TSR_COUNT_EACH,  /* one for each loop: as many as the first such parameter, whose values are all words in front */
  TSR_COUNT_TWICE, /* two for each loop */
  TSR_COUNT_TWO,
  TSR_COUNT_REST /* all that are left, at least one */
};

struct tsr_param {
  const char *name; /* for people; NULL behind the last one. Of a CHOICE, behind it "|" and the words between more of them */
  enum tsr_param_kind kind;
  enum tsr_param_count count;
  bool optional; /* may it be left out, with all behind it? */
  long least, most;
};

struct tsr_row;
#define TSR_MAX_PARAM 6
/* A value: its text, and what that means. */
struct tsr_value {
  char *text;
  long number; /* of an INT; of a CHOICE, which of the words, from 0 on */
  int index;   /* of a STMT or an ARRAY, in the program's SCoP */
};
/* What a row is asked to do: value[p][k] is value k of parameter p, of n[p]. */
struct tsr_deps;
struct tsr_args {
  const struct tsr_row *row;
  int stmt; /* in the program's SCoP; -1: none is named */
  int n[TSR_MAX_PARAM];
  struct tsr_value *value[TSR_MAX_PARAM];
  const struct tsr_options *opt; /* of whoever asks, not owned; NULL: the defaults */
  struct tsr_deps *deps;         /* those of the program's SCoP, not owned; NULL: the row finds out */
};

/* Takes ARGS, of which `row` is yet to be set, each time that it's called. An error ends the enumeration. */
typedef isl_stat (*tsr_site_fn)(__isl_take struct tsr_args *args, void *user);

/* A row. apply: requires bound ARGS; guarantees a program with the same instances; on failure NULL, and *WHY (malloc'd), or
 * isl's error. sites: call FN with places where the row may apply, with some values of its parameters that are worth a
 * try. */
struct tsr_row {
  const char *name;
  const char *help;                                                          /* one line */
  enum { TSR_OF_STATEMENT, TSR_OF_PROGRAM, TSR_OF_EITHER, TSR_OF_EVERY } of; /* does it need a statement? */
  struct tsr_program *(*apply)(__isl_take struct tsr_program *program, const struct tsr_args *args, char **why);
  struct tsr_program *(*every)(__isl_take struct tsr_program *program, const struct tsr_args *args,
                               char **why); /* or NULL */
  isl_stat (*sites)(__isl_keep struct tsr_program *program, tsr_site_fn fn, void *user);
  struct tsr_param param[TSR_MAX_PARAM + 1];
};

/* ---- transformations.c: the table ---------------------------------------------------------------------- */

/* Row I of the table, NULL behind the last one; the row called NAME, NULL if there is none. */
const struct tsr_row *tsr_row_at(int i);
const struct tsr_row *tsr_row_find(const char *name);
/* What ARGS' row makes of PROGRAM: apply or, without a statement, every. */
__isl_give struct tsr_program *tsr_row_apply(__isl_take struct tsr_program *program, const struct tsr_args *args,
                                             char **why);
/* The sites of ROW, and of EVERY the one without a statement. */
isl_stat tsr_row_sites(const struct tsr_row *row, __isl_keep struct tsr_program *program, tsr_site_fn fn, void *user);
/* Print the rows as they are commanded: parameters and what each does. */
void tsr_rows_help(FILE *out);

/* ---- arguments.c: values of parameters ----------------------------------------------------------------- */

/* Values TEXT[0..N) for ROW and STMT (-1: none) of SCOP. NULL: *ERROR (malloc'd) says what is wrong, *WHERE which of them,
 * N if there are too few, or -1: no single one. Whether a loop is there is asked for later. */
__isl_give struct tsr_args *tsr_args_bind(const struct tsr_row *row, __isl_keep struct tsr_scop *scop, int stmt,
                                          char *const *text, int n, int *where, char **error);
__isl_null struct tsr_args *tsr_args_free(__isl_take struct tsr_args *args);
/* The statement called NAME, or the only one that writes array NAME, with or without the number that dumps add to it. -1:
 * there is none; -2: there are several; *ERROR says so. */
int tsr_stmt_by_name(__isl_keep struct tsr_scop *scop, const char *name, char **error);
/* Is NAME one that rows may give a loop? c3 and the like aren't. */
bool tsr_loop_name_is_free(const char *name);
/* ARGS as text: "S0.tile(i, j, 32, 32)". */
void tsr_args_print(const struct tsr_args *args, __isl_keep struct tsr_scop *scop, FILE *out);

/* ---- loop_names.c: the loops around a statement -------------------------------------------------------- */

struct tsr_loop_name {
  char text[TSR_LOOP_NAME];
};
/* The names of the loops around statement STMT in TREE, outermost first, each once; (malloc'd) in *NAMES. */
isl_size tsr_stmt_loops(__isl_keep isl_schedule *tree, __isl_keep struct tsr_scop *scop, int stmt,
                        struct tsr_loop_name **names);
/* The name of member I of the band at NODE, for statement STMT. */
struct tsr_loop_name tsr_member_name(__isl_keep isl_schedule_node *node, int i, __isl_keep struct tsr_scop *scop, int stmt);

/* ---- set_schedule.c ------------------------------------------------------------------------------------ */

/* A tree over DOMAIN of loops and sequences, in the order of ROWS. Takes both. */
__isl_give isl_schedule *tsr_schedule_from_rows(__isl_take isl_union_set *domain, __isl_take isl_multi_union_pw_aff *rows);

#endif
