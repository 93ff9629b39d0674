/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the rows of transformations.def are made of. A row edits the tree in place, wherever the statement runs in the loops
 * that it names: from the root down to the first of these loops, and what is below that is the row's own. */
#ifndef TSR_ROWS_H
#define TSR_ROWS_H

#include "support/message.h"
#include "tree/transformations.h"
#include "tree/tree.h"

#define ROW(NAME, OF, SITES, HELP, ...)                                                                                     \
  struct tsr_program *tsr_row_##NAME(struct tsr_program *, const struct tsr_args *, char **);                               \
  struct tsr_program *tsr_every_##NAME(struct tsr_program *, const struct tsr_args *, char **);                             \
  isl_stat tsr_sites_##SITES(struct tsr_program *, tsr_site_fn, void *);
#include "tree/transformations.def"
#undef ROW

/* ---- every_nest.c -------------------------------------------------------------------------------------- */

/* TREE, of which some band says something if one can, by DEPS; MERGE as in tsr_schedule_flag. */
__isl_give isl_schedule *tsr_rows_flag(__isl_take isl_schedule *tree, __isl_keep struct tsr_scop *scop,
                                       struct tsr_deps *deps, bool merge);
/* What the ARGS of register_tiles ask for. */
struct tsr_register_sizes tsr_args_sizes(const struct tsr_args *args);

/* ---- loop_names.c -------------------------------------------------------------------------------------- */

/* Has the set or map of NODE, a filter, instances of STMT? True for other nodes. */
bool tsr_node_has_stmt(__isl_keep isl_schedule_node *node, __isl_keep struct tsr_scop *scop, int stmt);
/* Has a row given dimension I of PARTIAL, of a band, a name? */
bool tsr_member_has_name(__isl_keep isl_multi_union_pw_aff *partial, int i);
/* Is WANTED that name, or the one by depth? */
bool tsr_member_is_called(__isl_keep isl_schedule_node *node, int i, __isl_keep struct tsr_scop *scop, int stmt,
                          const char *wanted);
/* Insert a band of one member ROW, called NAME (NULL: by no name of its own), at NODE, and stand there. */
__isl_give isl_schedule_node *tsr_node_insert_loop(__isl_take isl_schedule_node *node, __isl_take isl_union_pw_aff *row,
                                                   const char *name);

/* ---- loop_edit.c: a row at work on loops of one statement ---------------------------------------------- */

struct tsr_edit {
  struct tsr_program *program; /* not owned */
  struct tsr_scop *scop;
  const struct tsr_args *args;
  int stmt;
  char **why;
  int found; /* in how many pieces? */
  bool failed;
  const char *left; /* static text: why pieces were left as they are; NULL: none was */
  int n_parallel;   /* marks for threads in the tree: the last one's number */
  void *user;
};
/* Gives what is in the place of NODE, a band of one member: one of the loops named in value[0] and value[1] if they are
 * loops, the outermost of them. NULL: *edit->why or isl says why. */
typedef isl_schedule_node *(*tsr_edit_fn)(__isl_take isl_schedule_node *node, struct tsr_edit *edit);
/* PROGRAM, edited by FN. */
__isl_give struct tsr_program *tsr_program_edit(__isl_take struct tsr_program *program, const struct tsr_args *args,
                                                tsr_edit_fn fn, void *user, char **why);
/* "S0" or, where one array is written, "by" of its source. */
const char *tsr_stmt_name(const struct tsr_edit *edit);
/* Set *edit->why, unless it is set. NULL, and NODE is freed. */
__attribute__((format(printf, 3, 4))) __isl_null isl_schedule_node *
tsr_edit_refuse(struct tsr_edit *edit, __isl_take isl_schedule_node *node, const char *format, ...);
/* Is the loop of NODE, a band of one member, marked, or unrolled? Then nothing may be put between mark and loop. */
bool tsr_loop_is_marked(__isl_keep isl_schedule_node *node);

/* Loops directly one inside of the other, which were taken out of the tree. */
#define TSR_MAX_CHAIN 16
struct tsr_chain {
  int n;
  isl_union_pw_aff *row[TSR_MAX_CHAIN];
  struct tsr_loop_name name[TSR_MAX_CHAIN];
  bool given[TSR_MAX_CHAIN]; /* by a row, not read off the loop? */
  int wanted[TSR_MAX_CHAIN]; /* which of the loops that the arguments name; -1: none */
};
/* Take the loops from the band of one member at NODE down to the last one of all that value[P] names, P < N_PARAM; the
 * result stands at what was below. NULL: there is something between them, or they aren't all there. */
__isl_give isl_schedule_node *tsr_chain_take(__isl_take isl_schedule_node *node, struct tsr_edit *edit, int n_param,
                                             struct tsr_chain *chain);
/* Put them in at NODE; the result stands at the outermost one. CHAIN is empty then. */
__isl_give isl_schedule_node *tsr_chain_put(__isl_take isl_schedule_node *node, struct tsr_chain *chain);
void tsr_chain_clear(struct tsr_chain *chain);
/* The loop of the chain called NAME; -1: none. */
int tsr_chain_find(const struct tsr_chain *chain, const char *name);
/* Add a loop at the end; takes ROW. */
void tsr_chain_add(struct tsr_chain *chain, __isl_take isl_union_pw_aff *row, const char *name, bool given);

/* ---- copy_tree.c: trees written anew ------------------------------------------------------------------- */

/* True: *TO, a leaf, has got what is to be in the place of FROM, and stands at its top. False: FROM is copied. */
typedef bool (*tsr_copy_fn)(__isl_keep isl_schedule_node *from, isl_schedule_node **to, void *user);
/* TO, a leaf, with a copy of the subtree at FROM, at its top; children of sequences without instances there are left out,
 * but not below an extension. FN (may be NULL) is asked about each node first. NULL: FROM has extensions. */
__isl_give isl_schedule_node *tsr_node_copy_subtree(__isl_keep isl_schedule_node *from, __isl_take isl_schedule_node *to,
                                                    tsr_copy_fn fn, void *user);
/* TREE, copied like that. */
__isl_give isl_schedule *tsr_tree_copy(__isl_keep isl_schedule *tree, tsr_copy_fn fn, void *user);

/* ---- loop_sites.c: where rows about loops may apply ---------------------------------------------------- */

/* A value of a site: a text, or a number where TEXT is NULL. */
struct tsr_site_value {
  int param;
  const char *text;
  long number;
};
/* Call FN with a site of STMT; the row is left to whoever called `sites`. */
isl_stat tsr_site_give(int stmt, const struct tsr_site_value *value, int n, tsr_site_fn fn, void *user);

#endif
