/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floor 11, ast: AST generation, what the pass reads in an AST, and the interpreter, which runs the AST: what isl made of a
 * tree is what is tested. */
#ifndef TSR_AST_H
#define TSR_AST_H

#include "check/check.h"
#include "cost/cost.h"
#include "model/program.h"

/* ---- ast.c --------------------------------------------------------------------------------------------- */

/* The AST of TREE in the context of SCOP (context and assumed): user nodes are calls S(c0, ..., ck) whose arguments
 * are the iteration counts of the instance; mark nodes as in tessera.h. Marks "pack" and "panel" say nothing. */
__isl_give isl_ast_node *tsr_ast_build(__isl_keep struct tsr_scop *scop, __isl_keep isl_schedule *tree);

/* The same, with AT_DOMAIN for each user node. */
__isl_give isl_ast_node *tsr_ast_build_with(__isl_keep struct tsr_scop *scop, __isl_keep isl_schedule *tree,
                                            __isl_give isl_ast_node *(*at_domain)(__isl_take isl_ast_node *node,
                                                                                  __isl_keep isl_ast_build *build,
                                                                                  void *user),
                                            void *user);

/* Names of N iterators, by the depths of their loops: c0, c1, ..; cc0, cc1, .. if a parameter of CONTEXT begins with c, and
 * so on. */
__isl_give isl_id_list *tsr_ast_iterators(__isl_keep isl_set *context, int n);

/* ---- program_ast.c ----------------------------------------------------------------------------------------- */

/* The AST of PROGRAM, with struct tsr_instance at its user nodes. */
__isl_give isl_ast_node *tsr_program_ast(__isl_keep struct tsr_program *program);
/* That of TREE, of SCOP's own statements, with them where accesses are simpler than in the original. */
__isl_give isl_ast_node *tsr_scop_ast(__isl_keep struct tsr_scop *scop, __isl_keep isl_schedule *tree);

/* ---- plain_places.c ----------------------------------------------------------------------------------------- */

/* A flag a statement of SCOP: has it accesses of several forms, and is no leaf of TREE for all of its instances? Then some
 * may be simpler. None where loops are emitted in forms of their own. malloc'd; NULL: no memory. */
bool *tsr_tree_parted(__isl_keep struct tsr_scop *scop, __isl_keep isl_schedule *tree);
/* How many choices there are in the subscripts of access K of STMT; -1: it isn't one element. */
int tsr_place_choices(const struct tsr_stmt *stmt, int k);
/* Has access K of STMT, of one element, fewer than CHOICES at INSTANCES { [loops] -> S[i] }? Then its place there is in
 * *PLACE. */
bool tsr_place_simpler(const struct tsr_stmt *stmt, int k, int choices, __isl_keep isl_ast_build *build,
                       __isl_keep isl_map *instances, struct tsr_access_place *place);

/* ---- loop_numbers.c ---------------------------------------------------------------------------------------- */

#define TSR_MOST_NUMBERS 16
/* { S -> [iterations of the loops around, and of the kernel's] }, for all in kernels of TREE */
__isl_give isl_union_map *tsr_tree_kernel_times(__isl_keep isl_schedule *tree);
/* NODE, a user node, with the numbers of the iterations that it is in; TIMES: of its tree's */
__isl_give isl_ast_node *tsr_ast_add_numbers(__isl_take isl_ast_node *node, __isl_keep isl_ast_build *build,
                                             __isl_keep isl_union_map *times);
/* The annotation of USER without them; NULL: none */
__isl_give isl_id *tsr_ast_note(__isl_keep isl_ast_node *user);

/* ---- iteration.c --------------------------------------------------------------------------------------- */

/* By how much EXPR changes where the iterator ID goes on by 1, in *STEP. False: not by a constant, as far as that shows. */
bool tsr_ast_expr_step(__isl_keep isl_ast_expr *expr, __isl_keep isl_id *id, long *step);

/* ---- register_nests.c ---------------------------------------------------------------------------------- */

/* Can all of them in AST be read? */
bool tsr_register_nests_are_good(__isl_keep isl_ast_node *ast);

/* ---- lane_nests.c -------------------------------------------------------------------------------------- */

/* Can all loops under such marks in AST be run in lockstep: are bounds and conditions the same for all lanes? */
bool tsr_lockstep_nests_are_good(__isl_keep isl_ast_node *ast);

/* ---- size_costs.c: what code costs at any sizes ----------------------------------------------------------- */

struct tsr_size_costs;
/* The costs of AST, of SCOP, where an instance of each statement takes RATE in lanes, and BESIDE elsewhere (tsr_tree_rates),
 * and each run FIXED besides, in the units of struct tsr_profit; its vectors look first whether UNKNOWN pairs of arrays
 * overlap. NULL: there is something unknown in AST. */
__isl_give struct tsr_size_costs *tsr_size_costs_read(__isl_keep struct tsr_scop *scop, __isl_keep isl_ast_node *ast,
                                                      const double *rate, const double *beside, double fixed, int unknown);
__isl_null struct tsr_size_costs *tsr_size_costs_free(__isl_take struct tsr_size_costs *costs);
/* .. for values of the parameters of SCOP's context */
double tsr_size_costs_at(const struct tsr_size_costs *costs, const int64_t *parameters);
/* COSTS, those of an original, are rather too low from here on than too high: sums in innermost loops, which LLVM makes no
 * vectors of, don't look whether arrays overlap. With that in their cost tiles begin where they do gain. */
void tsr_size_costs_be_careful(struct tsr_size_costs *costs);
/* Are there loops of few, known iterations, which clang makes straight code of? */
bool tsr_size_costs_are_straight(const struct tsr_size_costs *costs);

/* The larger of two costs or sizes. */
static inline double tsr_larger(double a, double b)
{
  return a > b ? a : b;
}

/* ---- size_test.c: from which sizes on is it worth it? ----------------------------------------------------- */

enum tsr_size_verdict { TSR_SIZES_ALL, TSR_SIZES_SOME, TSR_SIZES_NONE };
/* So many bytes of arrays, as the product of all sizes tells, or each size by itself; 0: any. */
struct tsr_least_data {
  double product, each;
};
/* Where there are more BYTES than that, the original takes TIMES as long, beside new code, as with all data in the nearest
 * cache; by cache. 1, or 0: as long, or longer. */
struct tsr_cache_gain {
  double bytes[TSR_MAX_CACHE], times[TSR_MAX_CACHE];
  double across;   /* .. and that much longer, beyond the nearest cache, where each size is .. */
  int64_t several; /* .. at least that: its vectors lie across lines. 0: nothing is known of that */
  bool alone;      /* do they count where there is no gain else, too? */
};
/* At which sizes of SCOP does NEW cost no more than GAIN times what OLD does? At some: *SIZES is the test, else NULL. Where
 * that is for caches alone, there must be DATA; where it isn't, CACHES (NULL: nothing is known of them) add to it. ALIKE:
 * innermost loops are the same in both. */
enum tsr_size_verdict tsr_sizes_find(__isl_keep struct tsr_scop *scop, const struct tsr_size_costs *old,
                                     const struct tsr_size_costs *new, double gain, struct tsr_least_data data,
                                     const struct tsr_cache_gain *caches, bool alike, struct tsr_sizes **sizes);
__isl_null struct tsr_sizes *tsr_sizes_free(__isl_take struct tsr_sizes *sizes);
/* What NEW costs of OLD where each size of SIZES is at its least, or those that aren't large grow together until their
 * product is; 1: nothing is known of it. */
double tsr_sizes_ratio(__isl_keep struct tsr_scop *scop, const struct tsr_size_costs *old, const struct tsr_size_costs *new,
                       const struct tsr_sizes *sizes);

/* ---- worthwhile_sizes.c ------------------------------------------------------------------------------------ */

/* From which sizes on is VARIANT of RUN, which has its AST, worth it? *SIZES: the test, NULL: at all, or nothing is known.
 * False: never. */
bool tsr_run_find_sizes(struct tsr_run *run, const struct tsr_variant *variant, struct tsr_sizes **sizes);
/* What RUN's original costs at any sizes, and VARIANT, which has its AST. NULL: there is something unknown in it. */
__isl_give struct tsr_size_costs *tsr_run_original_costs(struct tsr_run *run);
__isl_give struct tsr_size_costs *tsr_run_variant_costs(struct tsr_run *run, const struct tsr_variant *variant);

/* ---- small_variant.c: loops alone for sizes at which tiles don't pay ----------------------------------------- */

/* SMALL, empty, as the cheapest tree without tiles that the search of RUN has seen, with its AST; not checked. False: there
 * is none, or none is of use where tiles run from result->sizes on, or isl's context has an error; it is to be cleared. */
bool tsr_run_make_small(struct tsr_run *run, struct tsr_variant *small);
/* What a variant for large sizes asks for, one for SMALL ones (NULL: no more than FRONT), and what is in front of both. */
struct tsr_small_sizes {
  struct tsr_sizes *front, *large, *small;
};
/* Is SMALL worth it in RUN at sizes below those at which LARGE, with the sizes of the result, is better than it and than the
 * original? Then *SIZES are these, which the caller frees. */
bool tsr_run_find_small_sizes(struct tsr_run *run, const struct tsr_variant *large, const struct tsr_variant *small,
                              struct tsr_small_sizes *sizes);
/* They become those of RUN's result, and the conditions of LARGE and SMALL, which is behind it. */
void tsr_run_set_small_sizes(struct tsr_run *run, struct tsr_variant *large, struct tsr_variant *small,
                             struct tsr_small_sizes *sizes);
void tsr_small_sizes_clear(struct tsr_small_sizes *sizes);
/* Is SMALL, which tsr_run_make_small has made, legal? */
bool tsr_run_check_small(struct tsr_run *run, const struct tsr_variant *small);

/* ---- gpu_variant.c ---------------------------------------------------------------------------------------- */

/* VARIANT of RUN, empty, as one for a GPU, with its AST; checked. False: there is none, and result->no_gpu says why, or
 * isl's context has an error; it is to be cleared. */
bool tsr_run_find_gpu(struct tsr_run *run, struct tsr_variant *variant);
/* What VARIANT copies, and what it saves on the CPU. False as above. */
bool tsr_run_find_transfers(struct tsr_run *run, struct tsr_variant *variant);

/* ---- interp.c: run without LLVM ------------------------------------------------------------------------ */

/* Execute the original order and then TREE's AST at the parameter values VALUES (one a parameter of
 * scop->context, in its order), with uninterpreted statements on symbolic values; compare final memory of all live-out
 * arrays. isl_bool_false: WHY says which element differs. More than LIMIT instances: error isl_error_quota. */
isl_bool tsr_interp_compare(__isl_keep struct tsr_scop *scop, __isl_keep isl_ast_node *ast, const long *values, long limit,
                            char **why);

/* The same for PROGRAM: original against AST, that of its tree, expanded. Each instance of the program must run once; what
 * was in a buffer before it was written is undefined. */
isl_bool tsr_interp_program(__isl_keep struct tsr_program *program, __isl_keep isl_ast_node *ast, const long *values,
                            long limit, char **why);

/* ---- small_parameters.c -------------------------------------------------------------------------------- */

/* The same at a few small parameter values that context and assumptions allow. *N_RUN receives at how many; WHY
 * names the values that differ. Values with more than LIMIT instances are left out. */
isl_bool tsr_interp_sweep(__isl_keep struct tsr_scop *scop, __isl_keep isl_ast_node *ast, long limit, int *n_run,
                          char **why);

isl_bool tsr_interp_sweep_program(__isl_keep struct tsr_program *program, __isl_keep isl_ast_node *ast, long limit,
                                  int *n_run, char **why);

#endif
