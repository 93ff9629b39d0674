/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A transformed program is a SCoP again: what is to run, and for each of its instances the original one that it performs.
 *
 *     original   the SCoP as it was modelled: never changed
 *     scop       what is to run: context, assumptions and machine are the original's; statements and arrays as below. It is
 *                the original itself as long as nothing but the order has changed
 *     tree       the order. It may have extension nodes, as zhao-di-micro20 draws them (Fig. 5); the schedule of SCOP is
 *                the same tree with these expanded into statements, so that all that asks about SCoPs can ask about a
 *                program
 *
 * Every instance of every statement runs exactly once. Statements:
 *
 *     COMPUTE    origin { S'[t, i] -> S[i] }, single-valued. It does what its original does, access by access: there are as
 *                many, of the same kinds, in the same order. Several instances may have one origin: it is recomputed. An
 *                access may be to another array than the original's: a buffer
 *     MOVE       one read and then one must write, each of one element: the value goes there unchanged. No origin
 *     BARRIER    no access: threads wait for each other. No origin
 *
 * Arrays of the original are in SPACE_PROGRAM. The others live for one iteration of a node of the tree: the mark "allocate
 * A, .." stands above what an array A is used in; what it holds is undefined whenever the mark's subtree begins. No such
 * mark: it lives as long as the program. Marks of one name below each other are wrong.
 *
 * Source of the idea: array expansion and contraction as in Feautrier, "Array expansion", ICS 1988; extension nodes: S.
 * Verdoolaege et al., "Schedule trees", IMPACT 2014. */
#ifndef TSR_PROGRAM_H
#define TSR_PROGRAM_H

#include "model/model.h"

/* ORIGINAL in the order of TREE, a tree over its domain without extensions. */
__isl_give struct tsr_program *tsr_program_alloc(struct tsr_scop *original, __isl_take isl_schedule *tree);
__isl_give struct tsr_program *tsr_program_copy(__isl_keep struct tsr_program *program);
__isl_null struct tsr_program *tsr_program_free(__isl_take struct tsr_program *program);

/* The program that runs SCOP, of which the arrays begin with ORIGINAL's, in the order of TREE. */
__isl_give struct tsr_program *tsr_program_from_scop(struct tsr_scop *original, __isl_take struct tsr_scop *scop,
                                                     __isl_take isl_schedule *tree);
/* The same program in the order of TREE, which has the same instances: those of the statements and of PROGRAM's extensions.
 */
__isl_give struct tsr_program *tsr_program_set_tree(__isl_take struct tsr_program *program, __isl_take isl_schedule *tree);

/* A program with one more array in SPACE, of EXTENT { [i, j] : .. }, whose name begins with NAME; *ARRAY (may be NULL): its
 * index in program->scop. */
__isl_give struct tsr_program *tsr_program_add_array(__isl_take struct tsr_program *program, const char *name,
                                                     enum tsr_space space, int elem_size, __isl_take isl_set *extent,
                                                     int *array);

/* A statement that an extension node adds. */
struct tsr_added_stmt {
  char name[64]; /* the tuple name of the extension: from tsr_program_new_name */
  enum tsr_stmt_kind kind;
  isl_map *origin; /* COMPUTE: { NAME[t, e] -> S[i] }; else NULL. t: the values of all band members around the node,
                      outermost first; e: the dimensions of the extension's own tuple */
  int n_access;
  struct tsr_added_access {
    enum tsr_access_kind kind;
    isl_map *relation; /* { NAME[t, e] -> A[k] } */
  } *access;           /* owned */
};
/* PROGRAM in the order of TREE, whose extension nodes add the statements ADDED[0..N) to what PROGRAM's tree has. Takes what
 * they own. */
__isl_give struct tsr_program *tsr_program_extend(__isl_take struct tsr_program *program, __isl_take isl_schedule *tree,
                                                  struct tsr_added_stmt *added, int n);
/* PROGRAM, where access ACCESS of COMPUTE statement STMT, both as numbers in program->scop, goes along RELATION { S'[..] ->
 * B[k] } instead. */
__isl_give struct tsr_program *tsr_program_redirect(__isl_take struct tsr_program *program, int stmt, int access,
                                                    __isl_take isl_map *relation);
/* PROGRAM, where statement I has the instances DOMAIN[I] alone, unless that is NULL; in the order of its schedule, without
 * extensions. Takes all sets of DOMAIN, of which there are as many as statements. */
__isl_give struct tsr_program *tsr_program_restrict(__isl_take struct tsr_program *program, isl_set **domain);
/* TREE without extension nodes { [t] -> M[e] }: their instances are those of statements M[t, e] instead. */
__isl_give isl_schedule *tsr_tree_expand(__isl_take isl_schedule *tree);

/* A name that no statement or array of PROGRAM has, beginning with LEAD, at NAME. */
void tsr_program_new_name(__isl_keep struct tsr_program *program, const char *lead, char *name, size_t size);

/* Is PROGRAM well formed: as said above, as far as it can be seen without asking whether it is right? isl_stat_error with
 * isl's message otherwise. */
isl_stat tsr_program_validate(__isl_keep struct tsr_program *program);

/* ---- text_*.c: a SCoP's text form with a key more, `transformed:`, a mapping of
 *
 *     arrays       the buffers; as arrays, with space: heap, stack, registers, shared or private
 *     statements   all of the program's; as statements, with kind: move or barrier, origin: "{ S1[t, i] -> S[i] }"
 *     tree         the order; extension nodes are allowed
 *
 * Without arrays and statements only the order is another one. ---- */

isl_stat tsr_program_write(__isl_keep struct tsr_program *program, FILE *out);
/* The program, whose original is *SCOP, the caller's. A file without `transformed:`: the original, in its own order. */
__isl_give struct tsr_program *tsr_program_read(isl_ctx *ctx, FILE *in, const char *filename, struct tsr_scop **scop,
                                                char **error);
/* Do A and B, of equal originals, have the same arrays, statements and order? As tsr_scop_is_equal. */
isl_bool tsr_program_is_equal(__isl_keep struct tsr_program *a, __isl_keep struct tsr_program *b, char **why);

#endif
