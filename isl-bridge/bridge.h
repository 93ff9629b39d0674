/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of this folder share with each other and with nobody else. */
#ifndef TESSERA_BRIDGE_H
#define TESSERA_BRIDGE_H

#include "tessera.h"

/* ---- constants.c: large constants as parameters, for the scheduler ------------------------------------------ */

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

/* ---- steps.c: strides ------------------------------------------------------------------------------------- */

/* What one step of a loop does to the address of an access. */
enum tsr_stride {
  TSR_STRIDE_NONE,  /* the loop makes no step for this statement */
  TSR_STRIDE_ZERO,  /* the same element again */
  TSR_STRIDE_ONE,   /* the next or previous element of the last dimension */
  TSR_STRIDE_OTHER, /* anything else: another cache line as a rule */
};

/* When the instances of one statement below a leaf run. */
struct tsr_order {
  struct tsr_stmt *stmt;
  isl_set *domain;     /* { S[i] } */
  isl_multi_aff *time; /* { S[i] -> [t] }: all band members around, NULL where they are not affine */
  isl_map *map;        /* { S[i] -> [t] : S[i] in domain } */
};
/* One step of one loop, for one statement. */
struct tsr_step {
  struct tsr_order *order; /* not owned */
  int pos;                 /* the loop's dimension of t */
  int by;                  /* how far it moves on: 1, or more where times in between have no instances: 2 for i % 2 = 0 */
  bool empty;              /* does no instance have a next one when only this loop moves on? */
  bool fixed;              /* is the difference S[i'] - S[i] to the next one a constant? */
  long delta[TSR_MAX_DIM]; /* then which? */
};
/* The step of dimension POS of ORDER, which must outlive it. */
void tsr_step_init(struct tsr_step *step, struct tsr_order *order, int pos);
/* Of the values of dimension POS of TIMES, those that follow each other where what is in front of it is the same differ by
 * this: 4 for rows such as 4 i + 3. */
long tsr_time_stride(__isl_keep isl_set *times, int pos);
/* How does the access RELATION { S[i] -> A[k] } move along STEP? */
enum tsr_stride tsr_access_stride(__isl_keep isl_map *relation, struct tsr_step *step);
/* By how much each subscript of RELATION changes in STEP[0..N_STEP): subscript i
 * along step l in DELTA[l * TSR_MAX_DIM + i]. False where one isn't constant. */
bool tsr_access_deltas(__isl_keep isl_map *relation, const struct tsr_step *step, int n_step, long *delta);
/* Do all instances with the same times in TIMES[0..N) touch the same element by RELATION { S[i] -> A[k] }? False where
 * linear equations don't tell. */
bool tsr_times_fix_element(__isl_keep isl_multi_union_pw_aff *const *times, int n, __isl_keep isl_map *relation);
/* Do instances of DOMAIN { S[i] } that are neighbours in dimension POS of TIME, if there are any, differ by DELTA, of N
 * dimensions? False where linear equations don't tell. */
bool tsr_time_has_step(__isl_keep isl_multi_union_pw_aff *time, __isl_keep isl_set *domain, int pos, const long *delta,
                       int n);

/* ---- order.c: the order of a band's members ------------------------------------------------------------------ */

/* Forget what is kept in SCOP of another context or other assumptions. */
void tsr_scop_renew(struct tsr_scop *scop);

/* All members of PREFIX for instances at SPACE { S[i] }, where they are affine; else NULL. */
__isl_give isl_multi_aff *tsr_prefix_time(__isl_keep isl_multi_union_pw_aff *prefix, __isl_keep isl_space *space);
/* Call FN for each statement below LEAF, for parameters in PARAMETERS. */
isl_stat tsr_leaf_foreach_order(__isl_keep isl_schedule_node *leaf, struct tsr_scop *scop, __isl_take isl_set *parameters,
                                isl_stat (*fn)(struct tsr_order *order, void *user), void *user);

/* The member of the band at NODE that should and may run innermost: unit strides, and coincident if possible. -1: no
 * reason to change anything. *REUSE: would tiles keep something in the cache - elements of an array of two dimensions that
 * some member reuses, or lines that the innermost loop walks across? */
int tsr_band_find_innermost(__isl_keep isl_schedule_node *node, __isl_keep struct tsr_scop *scop, bool *reuse);
/* Move member FROM of the band at NODE to position TO; flags move with their members. */
__isl_give isl_schedule_node *tsr_band_move_member(__isl_take isl_schedule_node *node, int from, int to);
/* Move member POS of the band at NODE (one that tsr_band_find_innermost returned) below everything. The result stands at
 * NODE's place. */
__isl_give isl_schedule_node *tsr_band_sink_member(__isl_take isl_schedule_node *node, int pos);

/* Call FN on every leaf below NODE. Stops at the first error. */
isl_stat tsr_node_foreach_leaf(__isl_keep isl_schedule_node *node,
                               isl_stat (*fn)(__isl_keep isl_schedule_node *leaf, void *user), void *user);
/* Is NODE a mark of this NAME? */
bool tsr_node_is_mark(__isl_keep isl_schedule_node *node, const char *name);
/* Is there a band strictly below NODE? */
isl_bool tsr_node_has_band_below(__isl_keep isl_schedule_node *node);
/* .. "parallel" or "doacross"? (mark.c) */
bool tsr_node_is_for_threads(__isl_keep isl_schedule_node *node);
/* Does all that is below NODE run in loops that may be marked as parallel? (mark.c) */
isl_bool tsr_node_is_shared(__isl_keep isl_schedule_node *node, __isl_keep struct tsr_scop *scop);
/* How many time steps make a strip of a band of N members, and how many iterations of its third member, if it has four, a
 * tile? (strips.c) */
void tsr_strips_sizes(__isl_keep struct tsr_scop *scop, int n, int *steps, int *rows);
/* Does NODE have instances of a statement that other threads must not run? (mark.c) */
isl_bool tsr_node_is_of_one_thread(__isl_keep isl_schedule_node *node, __isl_keep struct tsr_scop *scop);
/* Member I of a band's PARTIAL schedule as a schedule of one dimension. */
__isl_give isl_multi_union_pw_aff *tsr_member_schedule(__isl_keep isl_multi_union_pw_aff *partial, int i);
/* { parameters : what holds whenever the transformed code runs }: context and assumed. */
__isl_give isl_set *tsr_scop_known(__isl_keep struct tsr_scop *scop);
/* The same without the ranges of types, which tell an analysis nothing but make every relation of it larger. */
__isl_give isl_set *tsr_scop_telling(__isl_keep struct tsr_scop *scop);

/* SCOP's schedule for the statements of SET alone: what isl computes of a schedule it computes for each leaf of it. */
__isl_give isl_schedule *tsr_scop_part_schedule(__isl_keep struct tsr_scop *scop, __isl_take isl_union_set *set);

/* ---- seats.c ------------------------------------------------------------------------------------------------ */

/* Where the statements of a SCoP sit in its schedule (seats.c). */
struct tsr_seats;
/* The caller frees it, before SCOP. NULL: isl failed, or out of memory. */
struct tsr_seats *tsr_seats_find(struct tsr_scop *scop);
struct tsr_seats *tsr_seats_free(struct tsr_seats *seats);
/* The number of STMT's leaf, from 1, in the order in which leaves run in one iteration of the loops that they share; 0: it
 * is in none, or in several, or the tree isn't plain. */
int tsr_seats_leaf(const struct tsr_seats *seats, int stmt);
/* Do the loops around STMT, from the outside, run through its iterators, from the first? */
bool tsr_seats_are_in_order(const struct tsr_seats *seats, int stmt);
/* How many loops around A, from the outside, are around B, too? -1: one isn't by an iterator of each. */
int tsr_seats_shared(const struct tsr_seats *seats, int a, int b);
/* Do A and B, of leaves, run in the same loops, by the same iterators? */
bool tsr_seats_in_same_loops(const struct tsr_seats *seats, int a, int b);
/* { S -> T : S runs before T } in SPACE, whose first dimensions are the iterators of S, and of T; without their domains.
 * NULL: not to be said by comparing iterators. */
__isl_give isl_map *tsr_seats_before(const struct tsr_seats *seats, int s, int t, __isl_take isl_space *space);

/* ---- flow.c ------------------------------------------------------------------------------------------------- */

/* Relations { S -> A }, all but SINKS possibly NULL. */
struct tsr_flow {
  isl_union_map *sinks;
  isl_union_map *must, *may; /* sources */
  isl_union_map *kills;      /* no sources, but what lies before them is none any more */
  bool tagged;               /* { [S -> S_k[]] -> A } */
};
/* { W -> R : R, a sink, may get its value from W, in the original order }. Takes the relations. SEATS, of SCOP, may be NULL.
 */
__isl_give isl_union_map *tsr_scop_flow(struct tsr_scop *scop, const struct tsr_seats *seats, struct tsr_flow flow);

/* ---- writers.c ---------------------------------------------------------------------------------------------- */

/* The write that gives a read its value: that of ACCESS of STMT in the same iteration. STMT -1: not known. */
struct tsr_source {
  int stmt, access;
};
/* Where reads of SCALAR arrays get their values from in the original schedule, as far as that is plain to see (writers.c):
 * one for each access of each statement, in their order. The caller frees it. NULL: out of memory. */
struct tsr_source *tsr_scop_sources(struct tsr_scop *scop, const struct tsr_seats *seats);

/* ---- mark.c ------------------------------------------------------------------------------------------------- */

/* Do two iterations of the loop of member 0 of BAND, of SCOP's own schedule, in the same iteration of all loops around,
 * touch an element of a MEMORY array that one of them writes, by instances of STMTS, a mask over SCOP's statements, alone?
 * Or does one hand on a value in a SCALAR array? SOURCES (may be NULL) are those of SCOP. */
isl_bool tsr_band_has_conflict(__isl_keep isl_schedule_node *band, __isl_keep struct tsr_scop *scop, const bool *stmts,
                               const struct tsr_source *sources);

/* ---- pairs.c ----------------------------------------------------------------------------------------------- */

/* Those of PAIRS { S -> T } whose S comes before (after, with) T by TIMES, in lexicographic order.
 * requires: TIMES has all instances of PAIRS, as those below its node. */
__isl_give isl_union_map *tsr_pairs_before(__isl_take isl_union_map *pairs, __isl_take isl_multi_union_pw_aff *times);
__isl_give isl_union_map *tsr_pairs_after(__isl_take isl_union_map *pairs, __isl_take isl_multi_union_pw_aff *times);
__isl_give isl_union_map *tsr_pairs_at_once(__isl_take isl_union_map *pairs, __isl_take isl_multi_union_pw_aff *times);
/* { S -> T } where the time FIRST of S comes before SECOND of T, for any S and T. */
__isl_give isl_map *tsr_pairs_by_time(__isl_keep isl_multi_aff *first, __isl_keep isl_multi_aff *second);

/* ---- schedule.c -------------------------------------------------------------------------------------------- */

/* The pairs of DEPS that a band at NODE may violate: those whose ends the loops around leave in one iteration. */
__isl_give isl_union_map *tsr_node_open_dependences(__isl_keep isl_schedule_node *node, __isl_keep isl_union_map *deps);
/* Are the ends of every pair of OPEN in one iteration of MEMBER? */
isl_bool tsr_member_is_coincident(__isl_keep isl_union_map *open, __isl_keep isl_multi_union_pw_aff *member);

/* ---- tile.c ------------------------------------------------------------------------------------------------ */

/* As tsr_tree_tile, but without tiles: only the order of the loops. */
__isl_give isl_schedule *tsr_tree_interchange(__isl_take isl_schedule *schedule, __isl_keep struct tsr_scop *scop,
                                              const struct tsr_options *opt);

/* The same, but with register tiles where there can be any, with masked parts if MASKED: NULL if there are none. In blocks
 * of at most about ROWS; 0: as many as fit into the cache. */
__isl_give isl_schedule *tsr_tree_registers(__isl_take isl_schedule *schedule, __isl_keep struct tsr_scop *scop,
                                            struct tsr_deps *deps, const struct tsr_options *opt, bool masked, int rows);

/* ---- strips.c ---------------------------------------------------------------------------------------------- */

/* { parameters : the loop at dimension POS of DOMAIN makes at least N steps } */
__isl_give isl_set *tsr_domain_has_steps(__isl_keep isl_set *domain, int pos, int n);

/* ---- threads.c --------------------------------------------------------------------------------------------- */

/* floor(MEMBER / SIZE) */
__isl_give isl_union_pw_aff *tsr_block_of(__isl_take isl_union_pw_aff *member, int size);

/* ---- panels.c ---------------------------------------------------------------------------------------------- */

/* Are the loops at NODE those of panels? */
bool tsr_node_is_panels(__isl_keep isl_schedule_node *node);
/* Is NODE a mark of a panel? Then *PANEL is it. */
bool tsr_node_is_panel(__isl_keep isl_schedule_node *node, __isl_keep struct tsr_scop *scop, struct tsr_panel *panel);
/* Does the subtree below the mark NODE of PANEL keep what the mark promises? As tsr_check_registers. */
const char *tsr_check_panel(__isl_keep struct tsr_scop *scop, __isl_keep isl_schedule_node *node,
                            const struct tsr_panel *panel);

/* ---- interleave.c ------------------------------------------------------------------------------------------ */

/* Is NODE a mark of interleaved chains? Then *CHAINS run at once, and an instance takes *CYCLES, as estimated. */
bool tsr_node_is_interleave(__isl_keep isl_schedule_node *node, int *chains, double *cycles);

/* ---- sched/fold_tree.c ------------------------------------------------------------------------------------- */

/* Does a statement of SCOP fold, by an exact operator, over elements of the array that it updates? */
bool tsr_scop_has_folds(__isl_keep struct tsr_scop *scop);

/* ---- split.c ----------------------------------------------------------------------------------------------- */

/* { [p, t] -> [t - f(p)] } for f with t = f(p) in all of POINTS { [p, t] }; NULL if no affine f is found. */
__isl_give isl_aff *tsr_points_plane(__isl_keep isl_set *points);

/* ---- registers/ ------------------------------------------------------------------------------------------- */

/* Put register tiles into the band at NODE, and set *FOUND, if it can have any. MASKED, ROWS: as in tsr_tree_registers. The
 * result stands at NODE's place. */
__isl_give isl_schedule_node *tsr_band_registers(__isl_take isl_schedule_node *node, __isl_keep struct tsr_scop *scop,
                                                 struct tsr_deps *deps, bool masked, int rows, bool *found);
/* The same for strips (registers/strips.c), of the band's outermost member, whatever is below. */
__isl_give isl_schedule_node *tsr_band_strips(__isl_take isl_schedule_node *node, struct tsr_scop *scop,
                                              struct tsr_deps *deps, const struct tsr_options *opt, bool masked,
                                              bool *found);
/* Is NODE a mark of a register tile? Then *TILE is it. */
bool tsr_node_is_registers(__isl_keep isl_schedule_node *node, struct tsr_register_tile *tile);

/* ---- lockstep.c ------------------------------------------------------------------------------------------- */

/* Let neighbouring iterations of a coincident member of the band at NODE run in lockstep, and set *FOUND, if what is inside
 * of it waits for itself and that is worth it. The result stands at NODE's place. */
__isl_give isl_schedule_node *tsr_band_lockstep(__isl_take isl_schedule_node *node, struct tsr_scop *scop,
                                                const struct tsr_options *opt, bool *found);
bool tsr_node_is_lockstep(__isl_keep isl_schedule_node *node, struct tsr_lockstep *lockstep);
/* Is NODE below such a mark? */
bool tsr_node_in_lockstep(__isl_keep isl_schedule_node *node);
/* Does the subtree below the mark NODE of LOCKSTEP keep what the mark promises? As tsr_check_registers. */
const char *tsr_check_lockstep(__isl_keep struct tsr_scop *scop, __isl_keep isl_schedule_node *node,
                               const struct tsr_lockstep *lockstep);
/* Cycles for one instance of STMT in lockstep: ACROSS and ALONG say how its accesses move from lane to lane, and in the
 * innermost loop; ALONG NULL: there is none. */
double tsr_lockstep_cost(__isl_keep struct tsr_scop *scop, const struct tsr_stmt *stmt, const enum tsr_stride *across,
                         const enum tsr_stride *along, const struct tsr_lockstep *lockstep);
/* No lanes of one of its loops STEP[0..N), of the original order, take less for it, whatever else is inside of that loop;
 * infinity: there are none that are worth it. HELD: the last loop stays innermost, and runs one by one. */
double tsr_lockstep_least(__isl_keep struct tsr_scop *scop, const struct tsr_stmt *stmt, struct tsr_step *step, int n,
                          bool held);

/* ---- walk.c: the order of instances in a tree -------------------------------------------------------------- */

/* Those of PAIRS { S -> T } where S runs before T in the tree at ROOT; MAYBE: or in no order with it. */
__isl_give isl_union_map *tsr_tree_order_forward(__isl_keep isl_schedule_node *root, __isl_take isl_union_map *pairs,
                                                 bool maybe);
/* Some of those of PAIRS { S -> T } where S does not run before T in the tree at ROOT, if there are any. */
__isl_give isl_union_map *tsr_tree_order_backward(__isl_keep isl_schedule_node *root, __isl_take isl_union_map *pairs);
/* Does TREE run all instances in the original order of SCOP? */
isl_bool tsr_tree_is_original_order(__isl_keep isl_schedule *tree, __isl_keep struct tsr_scop *scop);

/* ---- registers/parts.c ------------------------------------------------------------------------------------- */

/* Is SET convex and without divisions? */
bool tsr_set_is_plain(__isl_keep isl_set *set);

/* ---- registers/check.c: an independent check of marks of register tiles ---------------------------------------- */

/* Does the subtree below the mark NODE of TILE keep what the mark promises? NULL: yes; else static text: what is wrong. */
const char *tsr_check_registers(__isl_keep struct tsr_scop *scop, __isl_keep isl_schedule_node *node,
                                const struct tsr_register_tile *tile);

/* ---- registers/edges.c: what is left beside register tiles ------------------------------------------------- */

/* Is NODE a mark of edges? Then *EDGES is it. */
bool tsr_node_is_edges(__isl_keep isl_schedule_node *node, struct tsr_edges *edges);
/* registers/check.c: is what EDGE promises so? As tsr_check_registers. */
const char *tsr_check_edge(__isl_keep struct tsr_scop *scop, const struct tsr_edge_stmt *edge);

/* ---- registers/pack.c: packed operands ------------------------------------------------------------------------ */

/* Is NODE a mark of packing? Then *PACK is it. */
bool tsr_node_is_pack(__isl_keep isl_schedule_node *node, __isl_keep struct tsr_scop *scop, struct tsr_pack *pack);
/* Does the subtree below the mark NODE of PACK keep what the mark promises? As tsr_check_registers. */
const char *tsr_check_pack(__isl_keep struct tsr_scop *scop, __isl_keep isl_schedule_node *node,
                           const struct tsr_pack *pack);

/* ---- registers/copies.c: from marks to copies ------------------------------------------------------------------ */

/* The copies of a tree, while its AST is made. */
struct tsr_copies;
/* TREE with a copy of each operand in front of the subtree of its mark, which goes. *COPIES: NULL if there are none; freed
 * by tsr_copies_free once the AST is made. */
__isl_give isl_schedule *tsr_tree_copies(__isl_take isl_schedule *tree, __isl_keep struct tsr_scop *scop,
                                         struct tsr_copies **copies);
/* Let BUILD annotate user nodes for tsr_ast_packed. */
__isl_give isl_ast_build *tsr_copies_annotate(struct tsr_copies *copies, __isl_take isl_ast_build *build);
void tsr_copies_free(struct tsr_copies *copies);

/* ---- profit.c ---------------------------------------------------------------------------------------------- */

/* The estimated cost of TREE in *ESTIMATE, and that of each statement in BY_STMT (may be NULL, size n_stmt). MARKED: does
 * TREE carry its marks? THREADS: are threads allowed, in whatever tree? */
isl_stat tsr_tree_cost(__isl_keep struct tsr_scop *scop, __isl_keep isl_schedule *tree, bool marked, bool threads,
                       struct tsr_estimate *estimate, double *by_stmt);
/* Iterations of member 0 of BAND, all together, for typical parameters. */
double tsr_band_trips(__isl_keep isl_schedule_node *band, __isl_keep struct tsr_scop *scop);
/* What holds a statement, whatever the schedule: its innermost loop stays, and is no vector loop; and nobody else shares its
 * MEMORY arrays. */
enum tsr_hold { TSR_HOLD_NONE, TSR_HOLD_INNERMOST, TSR_HOLD_ALONE };
#define TSR_LEVELS 2 /* caches that count: what is behind the second is as far away as memory */
struct tsr_least {
  enum tsr_hold hold; /* given */
  bool lanes;         /* given: may it run in lanes of an outer loop (lockstep.c)? */
  double before;      /* the estimated cost of the original order, or more: nothing is known of vector loops */
  double least;       /* no schedule costs less, lines that statements may share apart */
  double instances;
  double *lines; /* given, by access and level of caches: no schedule brings these lines in for less; 0: unknown */
};
/* OF, by statement of SCOP, of which all but `hold`, `lanes` and `lines` is 0. */
isl_stat tsr_profit_least(__isl_keep struct tsr_scop *scop, struct tsr_least *of);
/* Is a change from cost BEFORE to cost AFTER, with N_CHECK run-time checks, worth it? */
bool tsr_profit_is_worth(double before, double after, int n_check);
extern const char tsr_not_lower[]; /* why it is not */

/* ---- lines.c ----------------------------------------------------------------------------------------------- */

#define TSR_MAX_SPAN 32
/* Independent vectors, each with a leading 1 where the later ones have 0. */
struct tsr_span {
  double vector[TSR_MAX_SPAN][TSR_MAX_SPAN];
  int lead[TSR_MAX_SPAN];
  int n;
};
/* Add VECTOR of N numbers that are STRIDE apart to SPAN; false: it depends on those that are there. */
bool tsr_span_add(struct tsr_span *span, const long *vector, int n, int stride);
/* What an access touches at least, in whatever order. */
struct tsr_touches {
  double elements;
  long divisor; /* of the steps between those that differ in the last subscript alone; 0: none do */
  bool unit;    /* may they be neighbours of each other in a loop? */
  bool once;    /* is each of them touched once? */
};
/* For the access RELATION in N_LOOP loops with these TRIPS and STEPS. Directions along which it doesn't stay at an element
 * or go to its neighbours are added to ROWS. False: nothing is known. */
bool tsr_access_touches(__isl_keep isl_map *relation, const struct tsr_step *step, const double *trips, int n_loop,
                        struct tsr_touches *touches, struct tsr_span *rows);

/* ---- rigid.c ----------------------------------------------------------------------------------------------- */

/* Is no schedule of SCOP or of a part of it worth N_CHECK run-time checks, as scalars bind its statements to their loops, or
 * memory costs what it costs? Where that takes the cost of the original order, it is left in *BEFORE and, by statement,
 * in *BY_STMT (malloc'd), which are NULL or 0 before. */
isl_bool tsr_profit_is_rigid(__isl_keep struct tsr_scop *scop, int n_check, struct tsr_estimate *before, double **by_stmt);

/* ---- small.c ----------------------------------------------------------------------------------------------- */

/* Divide the LENGTH numbers of ROW by their greatest common divisor, as isl_seq_normalize does. */
void tsr_row_normalize(isl_ctx *ctx, void *row, unsigned length);

#endif
