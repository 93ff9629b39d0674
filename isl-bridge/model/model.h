/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floor 2, model: options, the machine, the SCoP and its text form. The structs are in tessera.h. */
#ifndef TSR_MODEL_H
#define TSR_MODEL_H

#include "support/support.h"

/* ---- machine.c ----------------------------------------------------------------------------------------- */

/* All numbers, as a file that tsr_machine_load reads; all names of rows, separated by commas. */
void tsr_machine_write(const struct tsr_machine *machine, FILE *out);
void tsr_machine_names(FILE *out);

/* ---- scop.c -------------------------------------------------------------------------------------------- */

/* The same SCoP, with arrays and statements of its own. */
__isl_give struct tsr_scop *tsr_scop_copy(__isl_keep struct tsr_scop *scop);
/* Ids of marks, each of which is there once: of a SCoP and its copies. Filled by marks/marks.c. */
struct tsr_mark_table {
  int ref; /* as isl counts references */
  int n, room;
  isl_id **slot; /* NULL: free */
};
/* Remove all statements: others follow. */
void tsr_scop_drop_stmts(struct tsr_scop *scop);
/* Has SCOP scalars as arrays (tsr_array_is_expanded)? */
bool tsr_scop_has_expanded(__isl_keep struct tsr_scop *scop);
/* Does a statement of SCOP write, or may it, to ARRAY? */
bool tsr_scop_writes(__isl_keep const struct tsr_scop *scop, int array);
int tsr_scop_find_array(__isl_keep struct tsr_scop *scop, const char *name); /* -1 if absent */
/* Unions over all statements, intersected with the domains. KINDS is a mask of 1 << enum tsr_access_kind,
 * ARRAYS a mask of 1 << enum tsr_array_kind. */
__isl_give isl_union_set *tsr_scop_domain(__isl_keep struct tsr_scop *scop);
__isl_give isl_union_map *tsr_scop_accesses(__isl_keep struct tsr_scop *scop, unsigned kinds, unsigned arrays);
/* Access K of statement STMT alone, with itself kept apart: { [S[i, j] -> S_k[]] -> C[i, j] }. */
__isl_give isl_map *tsr_scop_tagged_access(__isl_keep struct tsr_scop *scop, int stmt, int k);
/* SCOP's schedule for the statements of SET alone: what isl computes of a schedule it computes for each leaf of it. */
__isl_give isl_schedule *tsr_scop_part_schedule(__isl_keep struct tsr_scop *scop, __isl_take isl_union_set *set);

/* ---- conditions.c: what holds whenever the transformed code runs --------------------------------------- */

/* Forget what is kept in SCOP of another context or other assumptions. */
void tsr_scop_renew(struct tsr_scop *scop);
/* { parameters : what holds whenever the transformed code runs }: context and assumed. */
__isl_give isl_set *tsr_scop_known(__isl_keep struct tsr_scop *scop);
/* The same without the ranges of types, which tell an analysis nothing but make every relation of it larger. */
__isl_give isl_set *tsr_scop_telling(__isl_keep struct tsr_scop *scop);
/* MAP, where what is known of the parameters that it has holds. */
__isl_give isl_map *tsr_scop_tell(__isl_keep struct tsr_scop *scop, __isl_take isl_map *map);

/* ---- text_*.c: YAML outside, isl notation inside ------------------------------------------------------- */

__isl_give struct tsr_scop *tsr_scop_read(isl_ctx *ctx, FILE *in, const char *filename, char **error);
/* Read a schedule tree alone, in isl's own YAML. */
__isl_give isl_schedule *tsr_schedule_read(isl_ctx *ctx, FILE *in, const char *filename, char **error);
/* Do A and B mean the same? Sets and relations as sets, schedules as order, names literally. WHY (may be NULL)
 * receives a malloc'd sentence about the first difference. */
isl_bool tsr_scop_is_equal(__isl_keep struct tsr_scop *a, __isl_keep struct tsr_scop *b, char **why);

#endif
