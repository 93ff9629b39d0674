/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What size_costs.c reads of an AST, of which size_points.c tells the cost at a point. */
#ifndef TSR_SIZE_PARTS_H
#define TSR_SIZE_PARTS_H

#include "ast/ast.h"
#include "cost/cost.h"

#define MAX_SLOTS 64
#define MAX_ARGS 8
#define MAX_SEEN 8

/* An expression over slots: parameters first, in the order of the SCoP's context, then iterators. */
struct value {
  enum isl_ast_expr_op_type op; /* if there are arguments */
  int n_arg;
  struct value *arg[MAX_ARGS];
  int slot; /* without arguments: below 0: NUMBER */
  int64_t number;
};

enum part_kind { PART_LOOP, PART_TILE, PART_EDGE, PART_LANES, PART_IF, PART_USER };

/* A node of the AST, and what follows it in a block. */
struct part {
  enum part_kind kind;
  struct part *body, *other, *next;
  struct value *first, *last, *cond;
  int64_t step;
  int slot;
  bool straight;    /* of a loop: is it unrolled, as a few, known iterations are? */
  bool leaf, moves; /* of a loop: is there none in it; do conditions and bounds in it have its iterator? */
  double each;      /* of a user: cycles of an instance alone, */
  double issued;    /* of these: to issue it; of a loop: its instances, once each */
  double summed;    /* of a user: to issue it where it adds to a number in a register */
  double alone;     /* of a user: where it waits for the one before, */
  double unsure;    /* and of all in a loop of rare changes */
  double rate;      /* of one of many */
  bool waits;       /* for the one before */
  double stored;  /* where it doesn't, but adds to an element in memory: cycles to the next sum; of a loop around: 0, or the
                   * most of an innermost loop in it, for which it stays at these elements */
  uint64_t moved; /* if it does either, or is in lanes: by which slots does the element move that it writes? A bit each */
  bool sums;      /* of a loop of lanes: are there sums in registers in it? */
  bool registers; /* does it touch no element of an array? */
  bool chained;   /* does it wait in straight loops, and in the one around them? Then these are no vectors */
  int lanes;      /* of an innermost loop: that must be there for a vector; of edges and lanes */
  int pairs;      /* of a user: of arrays, one of them written */
  double held;    /* of a tile or an edge: to load and store a vector of what it writes */
  struct tsr_register_tile tile;
  struct part *reduction, *row, *vector; /* of a tile: one loop in the other; ROW may be NULL */
  bool ragged;   /* have its steps more and more lanes, or fewer and fewer? All are computed each time */
  uint64_t uses; /* the slots that its cost depends on, a bit each */
  struct {       /* what that was last, at their values; of a loop or tile that depends on few */
    bool there, careful;
    int64_t slot[MAX_SEEN];
    double cost;
  } seen;
};

struct tsr_size_costs {
  struct tsr_scop *scop;
  const double *rate, *beside;
  char **name; /* of slots */
  int n_slot, n_parameter;
  struct part *all;
  double fixed;  /* of each run */
  double masked; /* what vectors of fewer elements than they have lanes take, of those under masks */
  int unknown;   /* pairs of arrays that may overlap, which vectors have to look at first */
  bool straight; /* are there loops of few, known iterations? */
  bool careful;  /* do sums that wait for themselves not look at these? */
  bool failed;   /* there is something in the AST that isn't known here */
  int lanes;     /* of the loop of lanes around the part at hand, 1: none */
  int fma_units, fma_latency;
};

/* How often does the loop PART run at SLOT, where its iterator is set to the middle? */
int64_t tsr_part_trips(const struct part *part, int64_t *slot);

/* ---- size_data.c ---- */

/* Bytes of the arrays of SCOP that are in memory, at typical sizes. */
double tsr_size_data(struct tsr_scop *scop);
/* Do elements that SCOP accesses in memory depend on SIZE, of arrays that make up much of ALL bytes? */
bool tsr_size_is_of_data(struct tsr_scop *scop, isl_aff *size, double all);
/* Bytes of arrays that have ALL where sizes are LARGE, if these are SIZE instead: all dimensions that there can be shrink.
 */
double tsr_size_bytes_at(double all, double large, double size);

#endif
