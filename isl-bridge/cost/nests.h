/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of the estimate share: one statement in its loops, and what is known of the tree around it. */
#ifndef TSR_NESTS_H
#define TSR_NESTS_H

#include "cost/cost.h"

#define MAX_LOOPS 32
#define MAX_GROUPS 64
#define MAX_BEFORE 16
#define MAX_MOVES 4 /* subscripts of arrays of which more is known than a stride */

/* Caches of the machine that count. For what is not touched in order, what is behind the second is as far away as memory.
 */
#define LEVELS 3

/* The accesses of one statement that touch the same lines, near enough. */
struct group {
  int array;
  enum tsr_stride stride[MAX_LOOPS];
  long near[MAX_LOOPS];            /* of a step elsewhere that is shorter than a line: how many elements? Else 0 */
  bool fixed;                      /* do the subscripts change by constants in all loops? */
  int n_dim;                       /* then how many are there, */
  long move[MAX_LOOPS][MAX_MOVES]; /* and by how much? */
  bool several; /* have they several forms in a run of the innermost loop? Moves are of the most frequent */
  bool written;
  bool home;    /* does the original have it in a register? */
  bool data;    /* a read of which data says one subscript; strides are those of the least */
  double stays; /* iterations of straight code in which it stays at an element */
  double held;  /* the same in a register: in the original only if the array is known to be apart from others */
  long filled;  /* iterations of it that go to the next element */
  bool at_hand; /* has a statement before, in the same loops, brought its lines in? */
  /* shared_rows.c: */
  bool placed;             /* is it known where it is, */
  double start[MAX_MOVES]; /* its subscripts, continued to where all loops are at 0? */
  double within; /* has one before, in other loops, brought them in? No more bytes have been touched since; 0: none has */
  bool dirtied;  /* and is it this one that writes to them first? */
};

struct nest {
  int n_loop; /* loops that make more than one step, outermost first */
  double trips[MAX_LOOPS];
  double at[MAX_LOOPS]; /* where the instance is that places its groups, if that is of interest */
  struct tsr_step step[MAX_LOOPS];
  struct group group[MAX_GROUPS];
  int n_group;
  int n_straight; /* loops of straight code, behind these in trips and step */
  double held;    /* accesses that an instance does without, as they are in registers, of straight code */
  double kept;    /* and reads that the innermost loop, if it is one for vectors, needs once: what it leaves alone */
  int at_hand;    /* and reads of what statements before it in that loop have in registers, if its instances go one by one */
  double instances;
  double issue;  /* cycles to issue all of them, once the cost is known */
  double across; /* cycles that an instance in a loop of whole vectors takes more where these lie across lines */
  double near;   /* cycles for its lines from the second cache, the same */
  double within[TSR_MAX_CACHE + 1], far; /* as in struct tsr_estimate, the same */
  double stored;                         /* cycles for lines that it writes, of the level asked for last */
  bool once;                             /* does the innermost loop, but for straight code, make one step? */
  bool streams;                          /* does it wait longest for memory, and not for what is read alone? */
};

struct passed; /* shared_rows.c: leaves before the one at hand */

/* Where a band is in a tree: as which child of each node above it. */
#define MAX_PLACE 64
struct band_place {
  int depth, straight;
  int child[MAX_PLACE];
};

struct model {
  struct tsr_scop *scop;
  isl_set *parameters; /* one point */
  bool marked;         /* does the tree carry its marks? */
  double cost;
  double issue;    /* the same if no data is waited for */
  double near;     /* what its lines from the second cache take, if all is there */
  double *by_stmt; /* the cost of each statement, may be NULL */
  double *rate;    /* what an instance of each takes to issue, in most of them; may be NULL */
  double *across;  /* .. what each takes more where vectors lie across lines; may be NULL */
  double *beside;  /* replaced by that where it isn't in lanes or tiles; may be NULL */
  double instances;
  bool has_band;           /* is there .. */
  struct band_place band;  /* .. the innermost one above the leaf at hand, but for straight code? Where? */
  bool band_vector;        /* is its last member a loop free of dependences? */
  isl_schedule_node *node; /* .. it */
  int around_vector;       /* is the loop around that one such a loop? Below 0: not asked yet */
  bool alone;              /* does it run one statement? */
  double work;             /* .. cycles to issue all that it runs, if no loop is inside of it; else 0 */
  struct parts {
    unsigned known;              /* bits: last subscripts that don't change */
    int others;                  /* accesses whose does */
  } *writes;                     /* .. what is written in it, by array; NULL: not known */
  isl_union_map *times;          /* in the original, if not: { S -> [t] } up to that loop; else NULL */
  bool guarded;                  /* is the statement at hand under a condition that iterations of that loop change? */
  struct group seen[MAX_GROUPS]; /* by statements in its loops so far */
  int n_seen, seen_loops;        /* seen_loops: how many strides they have */
  struct before {                /* statements in its innermost loop so far */
    const struct tsr_stmt *stmt;
    isl_multi_aff *time; /* { [i] -> [t] } */
  } before[MAX_BEFORE];
  int n_before;
  struct passed *passed;                 /* by those of other loops in the same outer ones; NULL: there are none so far */
  bool siblings;                         /* may there be some for the leaf at hand, or may it be one for others? */
  int straight;                          /* of the leaf at hand: so many of the innermost members are straight code */
  bool vector;                           /* of the leaf at hand: is its innermost loop free of dependences? */
  bool strips;                           /* are there strips of time steps? Their loops are skewed */
  bool rows;                             /* are there loops over rows of several nests? */
  bool several;                          /* does any access have several forms in a loop that is free of dependences, or
                                            is there a rare statement whose blocks all run? */
  bool panels;                           /* are there panels? */
  bool lanes, buffers;                   /* are there outer loops in lanes; are there buffers? */
  bool tiles;                            /* are there register tiles, or chains? */
  double within[TSR_MAX_CACHE + 1], far; /* as in struct tsr_estimate */
  double streamed;                       /* the cost of vector loops that wait for memory */
  bool threads;                          /* may there be any? */
  int parallel_dim;                      /* of the leaf at hand: schedule dimension of its parallel loop, -1 for none */
  bool doacross;                         /* .. whose iterations wait for each other, block by block of the next dimension? */
  const struct tsr_mark *held_by;        /* of the leaf at hand: the mark of its register tile or its chains; NULL: none */
  int held_dim;                          /* first schedule dimension below that */
  bool past;                             /* of the leaf at hand: are its stores past the caches? */
  bool passes;                           /* .. of any leaf? */
  bool rare;                             /* of the leaf at hand: are blocks of its instances that change nothing left out? */
  struct tsr_pack pack[TSR_MAX_PACK];    /* the marks of packed operands around it */
  int n_pack;
  struct tsr_lockstep lockstep; /* of the leaf at hand: if it is in lanes of an outer loop, */
  int lane_dim;                 /* schedule dimension of that loop, else -1 */
  struct held {                 /* by statement: */
    bool tiled;                 /* is it in a register tile, or in lanes of an outer loop? Its other leaves are edges */
    bool block; /* .. in a tile that doesn't walk along rows? What an edge of that takes isn't said by the original */
    double most, cost, issue; /* the most instances in one of its register tiles, what all of them cost, and to issue */
    double within[TSR_MAX_CACHE + 1], far;
    double total, instances; /* what all of its leaves cost together, and the instances counted in them */
    double rated;            /* the most instances of a leaf so far, for `rate` */
    double most_edge;        /* .. of an edge, for `beside` */
  } *held;
};

/* ---- shared_rows.c ---- */

/* LEAF is the next one of MODEL. */
void tsr_model_pass_to(struct model *model, __isl_keep isl_schedule_node *leaf);
/* What groups of NEST, of the leaf at hand, find in a cache, as leaves before have brought it in; and what it leaves. */
void tsr_nest_share_rows(struct model *model, struct nest *nest);
void tsr_model_forget(struct model *model);
/* Is the innermost loop of NEST, of the leaf at hand, free of dependences? (estimate.c) */
bool tsr_model_is_vector(struct model *model, const struct nest *nest);

/* ---- data_places.c ---- */

/* { A[e] } that statements of SCOP touch of ARRAY, or write to it if WRITTEN, or a hull of it; NULL: nothing. */
__isl_give isl_set *tsr_find_touched(const struct tsr_scop *scop, int array, bool written);

/* What ESTIMATE says, of a tree of SCOP: its cost with data in the smallest cache that holds all of it twice, if its size is
 * known; else as it is assumed to be. */
double tsr_estimate_there(struct tsr_scop *scop, const struct tsr_estimate *estimate);

/* ---- nest_lines.c ---- */

/* Where ACCESS goes, for what its lines cost. */
__isl_give isl_map *tsr_access_seen(const struct tsr_scop *scop, const struct tsr_access *access);
/* Loops, trips and strides of the statement of ORDER; PARALLEL_LOOP: index of the loop at dimension parallel_dim. */
void tsr_nest_compute(struct model *model, struct tsr_order *order, struct nest *nest, int *parallel_loop);
/* What NEST, of the statement of ORDER, shares with those before it in the same loops, and what it adds for those behind
 * it. */
void tsr_nest_share(struct model *model, struct nest *nest, struct tsr_order *order);
/* The leaf at hand of MODEL is in another innermost loop than the one before. */
void tsr_model_enter_loop(struct model *model);
/* Lines of which PER_LINE elements fit into one: SPAN neighbours, in each of PLACES places. */
double tsr_lines_of(double places, double span, double per_line);
/* Lines of LINE bytes that GROUP touches in one run of the loops FIRST, ... of NEST. */
double tsr_nest_footprint(struct model *model, struct nest *nest, struct group *group, int line, int first);
/* The cost of the lines that NEST brings into the cache LEVEL, and that of those it writes in NEST->stored. From memory each
 * of these is also written back. */
double tsr_nest_misses(struct model *model, struct nest *nest, int level);

/* ---- nest_issue.c ---- */

/* Is NEST's innermost loop, if it is free of dependences, no vector loop for accesses alone that have several forms in it?
 */
bool tsr_nest_has_forms(const struct nest *nest);
/* Are there elements that straight code in NEST holds in registers, if only arrays are known to be apart? */
bool tsr_nest_gets_registers(const struct model *model, const struct nest *nest);
/* Cycles to issue one instance of the statement of ORDER. */
double tsr_nest_issue(struct model *model, struct nest *nest, struct tsr_order *order);
/* Cycles for all instances of NEST; PARALLEL: the index of its parallel loop, or -1. */
double tsr_nest_cost(struct model *model, struct nest *nest, struct tsr_order *order, int parallel);

/* ---- estimate.c ---- */

/* Find the vector and parallel loops above LEAF, and the band that it may share with the leaf before. */
void tsr_model_find_marks(struct model *model, __isl_keep isl_schedule_node *leaf);

/* ---- profit.c ---- */

/* As how many does an instance of STMT count? */
double tsr_nest_weight(const struct tsr_stmt *stmt);

#endif
