/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floor 5, access: pure questions about a SCoP and a tree: strides, lines, trip counts, which loops are parallel. */
#ifndef TSR_ACCESS_H
#define TSR_ACCESS_H

#include "deps/deps.h"

/* ---- leaf_orders.c: when the instances of a statement run ---------------------------------------------- */

/* When the instances of one statement below a leaf run. */
struct tsr_order {
  struct tsr_stmt *stmt;
  isl_set *domain;     /* { S[i] } */
  isl_multi_aff *time; /* { S[i] -> [t] }: all band members around, NULL where they are not affine */
  isl_map *map;        /* { S[i] -> [t] : S[i] in domain } */
};
/* All members of PREFIX for instances at SPACE { S[i] }, where they are affine; else NULL. */
__isl_give isl_multi_aff *tsr_prefix_time(__isl_keep isl_multi_union_pw_aff *prefix, __isl_keep isl_space *space);
/* Call FN for each statement below LEAF, for parameters in PARAMETERS. */
isl_stat tsr_leaf_foreach_order(__isl_keep isl_schedule_node *leaf, struct tsr_scop *scop, __isl_take isl_set *parameters,
                                isl_stat (*fn)(struct tsr_order *order, void *user), void *user);

/* ---- strides.c ----------------------------------------------------------------------------------------- */

/* What one step of a loop does to the address of an access. */
enum tsr_stride {
  TSR_STRIDE_NONE,  /* the loop makes no step for this statement */
  TSR_STRIDE_ZERO,  /* the same element again */
  TSR_STRIDE_ONE,   /* the next or previous element of the last dimension */
  TSR_STRIDE_OTHER, /* anything else: another cache line as a rule */
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
/* The same, where most steps are known to be of BY. */
void tsr_step_init_by(struct tsr_step *step, struct tsr_order *order, int pos, long by);
/* Of the values of dimension POS of TIMES, those that follow each other where what is in front of it is the same differ by
 * this: 4 for rows such as 4 i + 3. */
long tsr_time_stride(__isl_keep isl_set *times, int pos);
/* How does the access RELATION { S[i] -> A[k] } move along STEP? */
enum tsr_stride tsr_access_stride(__isl_keep isl_map *relation, struct tsr_step *step);
/* By how much each subscript of RELATION changes in all of STEP, however it is written, in VALUE. False: not always alike.
 */
bool tsr_access_constant_move(__isl_keep isl_map *relation, const struct tsr_step *step, long value[TSR_MAX_DIM]);
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

/* ---- issue.c: cycles to issue an instance, all data at hand ---------------------------------------------- */

/* An access of a statement of which several instances run at once. */
struct tsr_operand {
  bool held;              /* is it in a register all the while? Then the rest is of no meaning */
  bool by_row, by_vector; /* does it differ by row, and by lane? */
  enum {
    TSR_LANES_NEXT,       /* lanes are neighbours in memory, or all one element */
    TSR_LANES_SPREAD,     /* they are `pitch` elements apart, a few */
    TSR_LANES_TRANSPOSED, /* they are rows of what the innermost loop walks along */
    TSR_LANES_APART
  } lie;
  int pitch;     /* of those spread, and along rows of those transposed; 1 */
  bool shared;   /* of those transposed: is it loaded once for this and for another statement that runs together with it? */
  bool computed; /* is what the statement makes of it alone there, too: in a buffer, by row? */
};
/* Is what ACCESS accesses a part of a number, of which the others lie beside it? */
bool tsr_access_is_part(const struct tsr_access *access);
/* Is all that STMT, of SCOP, touches in memory parts of numbers, of one of which it takes several? LLVM computes these at
 * once in straight code, unless they are sums in registers, which wait for themselves. */
bool tsr_stmt_has_parts(const struct tsr_scop *scop, const struct tsr_stmt *stmt);
/* How many elements of a row are loaded for each that access I of STMT reads, which goes on by a few elements in an instance
 * ALONG from the one before? 1 where both parts of complex numbers are read. 0: it doesn't go on, or by more. */
int tsr_stmt_row_pitch(const struct tsr_scop *scop, const struct tsr_stmt *stmt, int i, const long along[TSR_MAX_DIM]);
/* Does another statement of SCOP, which runs in the same iterations, read what access I of STMT reads? */
bool tsr_stmt_reads_beside(const struct tsr_scop *scop, const struct tsr_stmt *stmt, int i);
/* Alone, with nothing to wait for; in an innermost loop, where it may wait for the one before; in one of CHAINS that run at
 * once. */
double tsr_issue_alone(const struct tsr_stmt *stmt);
double tsr_issue_one_by_one(const struct tsr_stmt *stmt);
double tsr_issue_chains(const struct tsr_stmt *stmt, int chains);
/* One of many in a loop of vectors that LLVM makes, of at most LANES operations at once: HELD of its accesses are made once
 * for all, and APART cycles go to shuffles. No more than alone. */
double tsr_issue_vectors(__isl_keep const struct tsr_scop *scop, const struct tsr_stmt *stmt, double held, double apart,
                         double lanes);
/* What it takes more where nobody knows where lines begin, for ACCESSES that move: one that crosses two is two. Sums of
 * columns take 3.3 cycles for 64 bytes at any place, 2.3 where lines begin (Zen 4). Vectors of NARROW_VECTOR bytes: nothing.
 */
double tsr_issue_across(__isl_keep const struct tsr_scop *scop, const struct tsr_stmt *stmt, int accesses);
/* In a register tile of the rows, vectors and lanes of TILE, or in a strip of its vectors; OPERAND: by access. Below 0: the
 * registers are too few. */
double tsr_issue_tile(const struct tsr_machine *machine, const struct tsr_stmt *stmt, const struct tsr_register_tile *tile,
                      const struct tsr_operand *operand);
double tsr_issue_strip(const struct tsr_machine *machine, const struct tsr_stmt *stmt, const struct tsr_register_tile *tile,
                       const struct tsr_operand *operand);
/* .. to load what one number of a tile's run stands for, and to store it. */
double tsr_issue_held(const struct tsr_machine *machine, const struct tsr_register_tile *tile);
/* In lanes of an outer loop: ACROSS and ALONG say how its accesses move from lane to lane, and in the innermost loop; ALONG
 * NULL: there is none. HELD: what it writes stays in a register all along that loop (tsr_stmt_holds). */
double tsr_issue_lanes(__isl_keep struct tsr_scop *scop, const struct tsr_stmt *stmt, const enum tsr_stride *across,
                       const enum tsr_stride *along, bool held, const struct tsr_lockstep *lockstep);
/* No lanes of one of its loops STEP[0..N), of the original order, take less for it, whatever else is inside of that loop;
 * infinity: there are none that are worth it. HELD: the last loop stays innermost, and runs one by one. */
double tsr_issue_lanes_least(__isl_keep struct tsr_scop *scop, const struct tsr_stmt *stmt, struct tsr_step *step, int n,
                             bool held);

/* ---- held_elements.c ----------------------------------------------------------------------------------- */

/* May the only element that STMT writes stay in a register all along ALONG, a step of its innermost loop? It is one element
 * there, and no other access of STMT meets it. */
bool tsr_stmt_holds(__isl_keep struct tsr_scop *scop, const struct tsr_stmt *stmt, const struct tsr_step *along);

/* ---- cache_lines.c ------------------------------------------------------------------------------------- */

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

/* ---- stages.c ------------------------------------------------------------------------------------------ */

/* Does some statement read what another one in front of it writes to an array? */
bool tsr_scop_has_stages(__isl_keep const struct tsr_scop *scop);

/* ---- loose_accesses.c ---------------------------------------------------------------------------------- */

/* A relation { x -> A[e] }: one of the elements from `least` { x -> A[e] } on through `extent` more along `subscript`; -1:
 * it is that element. */
struct tsr_loose {
  isl_map *least;
  int subscript;
  long extent;
};
/* RELATION as that, to be cleared either way. isl_bool_false: it is none. OF (may be NULL): RELATION is a part of it, or of
 * what it is behind a function; if OF is of one element, so is RELATION. */
isl_bool tsr_access_loose(__isl_keep isl_map *relation, __isl_keep isl_map *of, struct tsr_loose *loose);
void tsr_loose_clear(struct tsr_loose *loose);
/* The element that is MORE from the least. */
__isl_give isl_map *tsr_loose_at(const struct tsr_loose *loose, long more);

/* ---- shapes.c: the shape of sets ----------------------------------------------------------------------- */

/* Is SET convex and without divisions? */
bool tsr_set_is_plain(__isl_keep isl_set *set);
/* { [p, t] -> [t - f(p)] } for f with t = f(p) in all of POINTS { [p, t] }; NULL if no affine f is found. */
__isl_give isl_aff *tsr_points_plane(__isl_keep isl_set *points);
/* Is member I of BAND one iterator of each of its statements, or a constant, plus one? */
bool tsr_member_is_plain(__isl_keep isl_schedule_node *band, int i);
/* { parameters : the loop at dimension POS of DOMAIN makes at least N steps } */
__isl_give isl_set *tsr_domain_has_steps(__isl_keep isl_set *domain, int pos, int n);

/* ---- trip_counts.c ------------------------------------------------------------------------------------- */

/* { parameters : one typical point }: sizes of which nothing is known are large. Found once. */
__isl_give isl_set *tsr_scop_typical(__isl_keep struct tsr_scop *scop);
/* How many values dimension POS of *TIMES has, which is then fixed at the middle one; *STRIDE apart. */
double tsr_times_trips(isl_set **times, int pos, long *stride);
/* Points of SET, instances of STMT, for typical parameters. */
double tsr_set_points(__isl_keep struct tsr_scop *scop, __isl_keep isl_set *set);
double tsr_stmt_instances(__isl_keep struct tsr_scop *scop, const struct tsr_stmt *stmt);
/* Iterations of member 0 of BAND, all together, for typical parameters. */
double tsr_band_trips(__isl_keep isl_schedule_node *band, __isl_keep struct tsr_scop *scop);

/* ---- order_loops.c -------------------------------------------------------------------------------------- */

struct tsr_order_loop {
  double trips;
  struct tsr_step step; /* but for its order; where there is more than one trip */
};
/* The loops of ORDER, one a dimension of its times, *N of them; NULL: isl failed. Valid until it is asked again. */
const struct tsr_order_loop *tsr_order_loops(struct tsr_scop *scop, struct tsr_order *order, int *n);

/* ---- access_forms.c: subscripts that are affine piece by piece ------------------------------------------ */

/* Is RELATION { S[i] -> A[e] } more than one affine function: in pieces, or with quotients? Is any access of SCOP? */
bool tsr_access_has_forms(__isl_keep isl_map *relation);
bool tsr_scop_has_forms(__isl_keep struct tsr_scop *scop);
/* How many forms has SUBSCRIPT, its pieces and quotients? 1: it is an affine function. */
int tsr_subscript_forms(__isl_keep isl_pw_aff *subscript);
/* How RELATION, of several forms, moves along STEP[0..N_STEP), in STRIDE: TSR_STRIDE_OTHER if not always alike. By how much,
 * as in tsr_access_deltas, in DELTA: in the form that most instances have, quotients by their slope, away from 0. ALIKE:
 * does it move by that in all forms, and does no step lead from one to another? False: it is no function. */
bool tsr_access_forms(__isl_keep struct tsr_scop *scop, __isl_keep isl_map *relation, struct tsr_step *step, int n_step,
                      long *delta, enum tsr_stride *stride, bool *alike);

/* ---- straight_loops.c: innermost loops of a few, known iterations ------------------------------------------ */

/* How many of the last members of the band at NODE are such loops, those below it having *ITERATIONS? That many more then.
 */
int tsr_band_straight_members(__isl_keep isl_schedule_node *node, long *iterations);
/* Are all bands below NODE such loops? *ITERATIONS: together. */
bool tsr_node_is_straight_below(__isl_keep isl_schedule_node *node, long *iterations);
/* How many of the innermost members around LEAF, of statements of SCOP, are? 0 if all are. */
int tsr_leaf_straight_members(__isl_keep isl_schedule_node *leaf, struct tsr_scop *scop);

/* ---- parallel_loops.c ---------------------------------------------------------------------------------- */

/* May iterations of member 0 of BAND run at once, as far as arrays of ARRAYS (mask) go, when SCALAR arrays whose every
 * value stays within one iteration are private? PRIVATE_OUT (may be NULL, size n_array) receives those. */
isl_bool tsr_band_is_parallel(__isl_keep isl_schedule_node *band, __isl_keep struct tsr_scop *scop, unsigned arrays,
                              bool *private_out);
/* .. may they run at once, statement by statement, as vectors do? Then what one leaves in memory is used by statements
 * behind it alone, and what it reads is overwritten by itself or by these. False where there are loops in its body. */
isl_bool tsr_band_is_forward(__isl_keep isl_schedule_node *band, __isl_keep struct tsr_scop *scop);
/* Would it be so if all reads of an iteration came before its writes, and may they? */
isl_bool tsr_band_is_preloadable(__isl_keep isl_schedule_node *band, __isl_keep struct tsr_scop *scop);
/* The MEMORY arrays of which two iterations of member 0 of BAND touch an element that one writes, or may do so, a flag an
 * array, in MEMORY. Is there any? */
isl_bool tsr_band_conflicts(__isl_keep isl_schedule_node *band, __isl_keep struct tsr_scop *scop, bool *memory);
/* As tsr_band_is_parallel, but what the loop leaves in SCALAR arrays may be written anew and read elsewhere. */
isl_bool tsr_band_is_lockstep(__isl_keep isl_schedule_node *band, __isl_keep struct tsr_scop *scop);
/* Do two iterations of the loop of member 0 of BAND, of SCOP's own schedule, in the same iteration of all loops around,
 * touch an element of a MEMORY array that one of them writes, by instances of STMTS, a mask over SCOP's statements, alone?
 * Or does one hand on a value in a SCALAR array? SOURCES (may be NULL) are those of SCOP. */
isl_bool tsr_band_has_conflict(__isl_keep isl_schedule_node *band, __isl_keep struct tsr_scop *scop, const bool *stmts,
                               const struct tsr_source *sources);
/* Does NODE have instances of a statement that other threads must not run? (parallel_loops.c) */
isl_bool tsr_node_is_of_one_thread(__isl_keep isl_schedule_node *node, __isl_keep struct tsr_scop *scop);

/* ---- innermost.c: which member should run innermost ---------------------------------------------------- */

/* The member of the band at NODE that should and may run innermost: unit strides, and coincident if possible. -1: no
 * reason to change anything. *REUSE: would tiles keep something in the cache - elements of an array of two dimensions that
 * some member reuses, or lines that the innermost loop walks across? */
int tsr_band_find_innermost(__isl_keep isl_schedule_node *node, __isl_keep struct tsr_scop *scop, bool *reuse);

#endif
