/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floor 7, tree: transformations of a schedule tree. Each takes a tree and gives another one, or NULL where
 * it doesn't apply. */
#ifndef TSR_TREE_H
#define TSR_TREE_H

#include "sched/sched.h"

/* ---- private_arrays.c ---------------------------------------------------------------------------------- */

/* PROGRAM, where each iteration of the loop around BELOW, the last member of a band, has ARRAY, of program->scop, for itself
 * (see the file). NULL: it can't have it, *WHY (malloc'd) says why, or isl failed. */
__isl_give struct tsr_program *tsr_program_privatise(__isl_take struct tsr_program *program,
                                                     __isl_keep isl_schedule_node *below, int array, char **why);
/* PROGRAM, where that is done in outermost loops that threads can share then. NULL: there are none, or isl failed. */
__isl_give struct tsr_program *tsr_program_private_arrays(__isl_take struct tsr_program *program);

/* ---- parallel_marks.c: parallel and vector marks ------------------------------------------------------- */

/* requires: SCHEDULE is legal.  guarantees: every mark is justified by the accesses.  on failure: NULL.
 * Marks for threads, on WHICH loops; for vectors; both, but the first only if OPT allows threads. */
__isl_give isl_schedule *tsr_tree_mark_threads(__isl_take isl_schedule *schedule, __isl_keep struct tsr_scop *scop,
                                               enum tsr_which which);
__isl_give isl_schedule *tsr_tree_mark_vectors(__isl_take isl_schedule *schedule, __isl_keep struct tsr_scop *scop);
/* The marks of other files: VISIT is called for each node, from the leaves up. NULL: it has changed nothing. */
__isl_give isl_schedule *tsr_tree_mark_each(__isl_take isl_schedule *schedule, __isl_keep struct tsr_scop *scop,
                                            isl_schedule_node *(*visit)(isl_schedule_node *node, void *scop));
__isl_give isl_schedule *tsr_tree_mark(__isl_take isl_schedule *schedule, __isl_keep struct tsr_scop *scop,
                                       const struct tsr_options *opt, enum tsr_which which);
/* Is the loop of member 0 of the band NODE worth a team of threads, and is it in no other one's? */
bool tsr_node_may_have_threads(__isl_keep isl_schedule_node *node, __isl_keep struct tsr_scop *scop);
/* The same, and may it be marked as parallel? */
bool tsr_node_is_loop_for_threads(__isl_keep isl_schedule_node *node, __isl_keep struct tsr_scop *scop);
/* Does all that is below NODE run in loops that may be marked as parallel? (parallel_marks.c) */
isl_bool tsr_node_is_shared(__isl_keep isl_schedule_node *node, __isl_keep struct tsr_scop *scop);

/* ---- tile.c -------------------------------------------------------------------------------------------- */

#define TSR_DEFAULT_TILE 32
/* Every outermost permutable band with at least two members:  B  ->  T - P  (see the file). */
__isl_give isl_schedule *tsr_tree_tile(__isl_take isl_schedule *schedule, __isl_keep struct tsr_scop *scop,
                                       const struct tsr_options *opt);
/* The band at NODE as a tile band of SIZES, its loops over tiles and in a tile from 0 on; the result stands at the point
 * band below. */
__isl_give isl_schedule_node *tsr_band_split_tiles(__isl_take isl_schedule_node *node, __isl_take isl_multi_val *sizes);
/* As tsr_tree_tile, but without tiles: only the order of the loops. */
__isl_give isl_schedule *tsr_tree_interchange(__isl_take isl_schedule *schedule, __isl_keep struct tsr_scop *scop,
                                              const struct tsr_options *opt);
/* What is asked of register tiles; 0: as it pays. */
struct tsr_register_sizes {
  int rows, vectors;  /* of a tile */
  int row_block;      /* rows of a block, mc; a multiple of a tile's, at least that */
  int most_row_block; /* the same, but only if it would be more */
  int sum_block;      /* steps of the sum in a block, kc, where it has one loop */
  bool bare;          /* without masked parts */
};
/* The same, but with register tiles of SIZES where there can be any: NULL if there are none. */
__isl_give isl_schedule *tsr_tree_registers(__isl_take isl_schedule *schedule, __isl_keep struct tsr_scop *scop,
                                            struct tsr_deps *deps, const struct tsr_options *opt,
                                            const struct tsr_register_sizes *sizes);

/* ---- time_strips.c ------------------------------------------------------------------------------------- */

/* Every outermost permutable band of at least three members without a coincident one:  B  ->  mark - T - B - P - O  (see
 * the file). NULL if there is none. The mark tells the cost model, and people, what it is about. */
__isl_give isl_schedule *tsr_tree_strips(__isl_take isl_schedule *schedule, __isl_keep struct tsr_scop *scop);
/* { parameters : strips may be worth it }: there are a few time steps, and arrays are more than TIMES as large as the cache
 * that strips are made for. */
__isl_give isl_set *tsr_strips_range(__isl_keep struct tsr_scop *scop, double times);
/* How many time steps make a strip of a band of N members, and how many iterations of its third member, if it has four, a
 * tile? (time_strips.c) */
void tsr_strips_sizes(__isl_keep struct tsr_scop *scop, int n, int *steps, int *rows);

/* ---- registers/packed_arrays.c ------------------------------------------------------------------------- */

/* FROM, whose packed operands, marks of its tree, are arrays that moves fill; NULL: there are none, or none that can be
 * arrays, as their statement's instances don't all run below the mark in tiles and edges of one shape. */
__isl_give struct tsr_program *tsr_program_pack(__isl_keep struct tsr_program *from);
/* The same for SCOP in the order of TREE. */
__isl_give struct tsr_program *tsr_tree_pack(__isl_keep struct tsr_scop *scop, __isl_keep isl_schedule *tree);

/* ---- chains.c ------------------------------------------------------------------------------------------ */

/* Every outermost permutable band of at least two members without a coincident one, around one statement:
 * B  ->  T - B - C - mark "interleave K" - P  (see the file). NULL if there is none, or, unless the options force
 * it, if nothing is known of how long an iteration waits for the one before. The K iterations of P, which are unrolled, are
 * independent of each other; the mark tells the cost model that there are K. */
__isl_give isl_schedule *tsr_tree_interleave(__isl_take isl_schedule *schedule, __isl_keep struct tsr_scop *scop,
                                             __isl_keep struct tsr_deps *deps, const struct tsr_options *opt);
/* { parameters : the chains of TREE may be worth it }: loops are not too short. */
__isl_give isl_set *tsr_interleave_range(__isl_keep struct tsr_scop *scop, __isl_keep isl_schedule *tree);

/* ---- wavefront.c --------------------------------------------------------------------------------------- */

/* Every outermost permutable band without a coincident member:  B  ->  W - R  (see the file), where that makes members
 * of R coincident. The same tree without opt->parallel. */
__isl_give isl_schedule *tsr_tree_wavefront(__isl_take isl_schedule *schedule, __isl_keep struct tsr_deps *deps,
                                            const struct tsr_options *opt);

/* ---- gpu_kernels.c ------------------------------------------------------------------------------------- */

/* SCHEDULE with marks "kernel": each instance is below one (see the file). Bands without parallel members become wavefronts
 * first. requires: OPT allows threads. NULL if no kernel has threads, or isl failed. */
__isl_give isl_schedule *tsr_tree_kernels(__isl_take isl_schedule *schedule, __isl_keep struct tsr_scop *scop,
                                          struct tsr_deps *deps, const struct tsr_options *opt);
/* Has TREE kernels? The same tree, where all that isn't in one is in some of one thread. */
bool tsr_tree_has_kernels(__isl_keep isl_schedule *tree);
__isl_give isl_schedule *tsr_tree_fill_kernels(__isl_take isl_schedule *tree, __isl_keep struct tsr_scop *scop);
/* Nanoseconds that TREE's kernels take, for typical parameters; *LONELY: of these in kernels of one thread. Below 0: isl
 * failed. */
double tsr_kernels_time(__isl_keep isl_schedule *tree, __isl_keep struct tsr_scop *scop, double *lonely);

/* ---- thread_blocks.c ----------------------------------------------------------------------------------- */

/* Of blocks of register tiles: two of them, and as many columns, fit into the second cache. */
#define TSR_ROWS_OF_THREADS 192
/* TREE, made of SCHEDULE, with loops of blocks that threads can share around what became of outermost bands (see the file).
 * NULL if there is none. */
__isl_give isl_schedule *tsr_tree_share(__isl_take isl_schedule *tree, __isl_keep isl_schedule *schedule,
                                        __isl_keep struct tsr_scop *scop, __isl_keep struct tsr_deps *deps);

/* ---- column_panels.c ----------------------------------------------------------------------------------- */

/* B(k) - X  ->  D(r / p, k / s) - B(k) - X  (see the file), B being the outermost band, of one member. NULL if there is no
 * r. THREADS: they are for threads alone. */
__isl_give isl_schedule *tsr_tree_panels(__isl_take isl_schedule *tree, __isl_keep struct tsr_scop *scop,
                                         struct tsr_deps *deps, bool threads);
/* { parameters : there are some panels }. */
__isl_give isl_set *tsr_panels_range(__isl_keep struct tsr_scop *scop, const struct tsr_panel *panel);
/* TREE with panels for threads: D below a mark "doacross". NULL if they can't have them, or if there are no panels. */
__isl_give isl_schedule *tsr_tree_share_panels(__isl_take isl_schedule *tree, __isl_keep struct tsr_scop *scop);
/* Are the loops at NODE those of panels? */
bool tsr_node_is_panels(__isl_keep isl_schedule_node *node);

/* ---- panel_arrays.c ------------------------------------------------------------------------------------ */

/* SCOP in the order of TREE, whose panels, a mark there, are those of an array of their own, which moves fill and bring
 * back; NULL: there are none, or they can't be. Then TREE alone will do. */
__isl_give struct tsr_program *tsr_tree_panel_array(__isl_keep struct tsr_scop *scop, __isl_keep isl_schedule *tree);
/* PROGRAM, which that is for the tree WITH, in the order of TREE, where WITH is the same but for threads; else NULL. */
__isl_give struct tsr_program *tsr_panel_array_alone(__isl_keep struct tsr_program *program, __isl_keep isl_schedule *with,
                                                     __isl_keep isl_schedule *tree);

/* ---- split.c ------------------------------------------------------------------------------------------- */

/* Every innermost loop, or if OUTER every loop around one, that carries dependences to or from one of its iterations alone:
 * B  ->  what is below that iteration, it, what is above (see the file). NULL if there is none, or if there are register
 * tiles. */
__isl_give isl_schedule *tsr_tree_split(__isl_take isl_schedule *schedule, __isl_keep struct tsr_deps *deps, bool outer);
/* Is NODE no mark of loops that are emitted in a form of their own? USER: not used */
isl_bool tsr_node_is_unmarked(__isl_keep isl_schedule_node *node, void *user);

/* ---- access_pieces.c ----------------------------------------------------------------------------------- */

/* The band of one member at NODE in parts in which accesses have one form, where they have several (see the file), and
 * *FOUND set: a sequence, at NODE's place. NAME: of the loop, NULL: none of its own. */
__isl_give isl_schedule_node *tsr_band_separate(__isl_take isl_schedule_node *node, __isl_keep struct tsr_scop *scop,
                                                const char *name, bool *found);
/* Every innermost loop like that. NULL if there is none, or if there are loops emitted in a form of their own. */
__isl_give isl_schedule *tsr_tree_separate(__isl_take isl_schedule *schedule, __isl_keep struct tsr_scop *scop);

/* ---- lanes/rare_changes.c ------------------------------------------------------------------------------ */

/* Every innermost loop of one statement that changes nothing as a rule:  B  ->  mark "rare" - B.  NULL: there is none. */
__isl_give isl_schedule *tsr_tree_mark_rare(__isl_take isl_schedule *schedule, __isl_keep struct tsr_scop *scop);

/* ---- lanes/row_streams.c ----------------------------------------------------------------------------------- */

/* Every innermost loop for vectors, of one statement, that writes rows of an array which nothing reads soon:  B  ->  mark
 * "stream" - B, in place of a mark "vector".  NULL: there is none. */
__isl_give isl_schedule *tsr_tree_mark_streams(__isl_take isl_schedule *schedule, __isl_keep struct tsr_scop *scop);

/* ---- lanes/preloads.c ---------------------------------------------------------------------------------- */

/* Every innermost loop that is one for vectors once its reads come first:  B  ->  mark "preload" - B.  NULL: there is none.
 */
__isl_give isl_schedule *tsr_tree_mark_preloads(__isl_take isl_schedule *schedule, __isl_keep struct tsr_scop *scop);

/* ---- distribute.c -------------------------------------------------------------------------------------- */

/* Every innermost loop of several statements, some of which have one iteration for given loops around:  B  ->  a loop for
 * these, then one for the others, where DEPS allow it (see the file). */
__isl_give isl_schedule *tsr_tree_distribute(__isl_take isl_schedule *schedule, __isl_keep struct tsr_deps *deps);

/* ---- distributed_nests.c ------------------------------------------------------------------------------- */

/* Bands around sequences:  B - sequence(S, T)  ->  sequence(B - S, B - T), as far out as DEPS allow it; loops in one another
 * that may change places are one band then. NULL: there is nothing to distribute, or isl failed. */
__isl_give isl_schedule *tsr_tree_distribute_nests(__isl_take isl_schedule *schedule, __isl_keep struct tsr_scop *scop,
                                                   __isl_keep struct tsr_deps *deps);

/* ---- lanes.c ------------------------------------------------------------------------------------------- */

/* Let neighbouring iterations of a coincident member of the band at NODE run in lockstep, and set *FOUND, if what is inside
 * of it waits for itself and that is worth it. The result stands at NODE's place. */
__isl_give isl_schedule_node *tsr_band_lockstep(__isl_take isl_schedule_node *node, struct tsr_scop *scop,
                                                const struct tsr_options *opt, bool *found);
/* The band at NODE as bands of its members before MEMBER, of that alone, at which the result stands, and behind it. */
__isl_give isl_schedule_node *tsr_band_isolate(__isl_take isl_schedule_node *node, int member);

#define TSR_MAX_PANEL_ARRAYS 4
/* Arrays that lanes of a member walk along, in each lane elsewhere, once for each iteration of a loop between: a sum in
 * registers needs them. In buffers with the dimension LAST, in which lanes are neighbours, behind the others, they have
 * lanes next to each other. */
struct tsr_lane_panel {
  int member; /* of the band */
  int lanes;
  int array[TSR_MAX_PANEL_ARRAYS], last[TSR_MAX_PANEL_ARRAYS], n;
};
/* Would the band at NODE be one for lanes with such buffers? Then *PANEL says which. */
bool tsr_band_find_panel(__isl_keep isl_schedule_node *node, struct tsr_scop *scop, const struct tsr_options *opt,
                         struct tsr_lane_panel *panel);
/* Is NODE below a mark "lockstep"? */
bool tsr_node_in_lockstep(__isl_keep isl_schedule_node *node);

/* ---- registers/: register tiles ------------------------------------------------------------------------ */

/* Put register tiles of SIZES into the band at NODE, and set *FOUND, if it can have any. The result stands at NODE's place.
 */
__isl_give isl_schedule_node *tsr_band_registers(__isl_take isl_schedule_node *node, __isl_keep struct tsr_scop *scop,
                                                 struct tsr_deps *deps, const struct tsr_register_sizes *sizes, bool *found);
/* The same for strips (register_strips.c), of the band's outermost member, whatever is below; of SIZES only `bare` counts.
 */
__isl_give isl_schedule_node *tsr_band_strips(__isl_take isl_schedule_node *node, struct tsr_scop *scop,
                                              struct tsr_deps *deps, const struct tsr_options *opt,
                                              const struct tsr_register_sizes *sizes, bool *found);

#endif
