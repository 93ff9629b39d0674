/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Influence constraint trees (bastoul-cgo22, section IV): what somebody wishes of a schedule, in order of preference.
 *
 *     root ─┬─ "fused"   dimension 0:  X[0].i == Y[0].i, Y[0].j == 0  ──  dimension 1: ...  ──  dimension 2: Y[2].j == 1
 *           └─ "vector"  dimension 0:  Y[0].j == 0                    ──  dimension 1: ...  ──  dimension 2: Y[2].j == 1
 *
 * A node at depth d restrains the coefficients of row d of every statement, and may relate them to those of earlier rows.
 * Children are the alternatives for the next row, the best first. The scheduler (algorithm1.c) walks down the tree as far
 * as the dependences allow and comes back where they don't; a wish is never more than that.
 *
 * Trees come from a file (influence_read.c) or from builders. */
#ifndef TESSERA_INFLUENCE_H
#define TESSERA_INFLUENCE_H

#include "sched/scheduler.h"

enum tsr_coefficient_kind { TSR_COEFFICIENT_CONSTANT, TSR_COEFFICIENT_PARAMETER, TSR_COEFFICIENT_ITERATOR };

/* factor * (a coefficient of row `dimension` of statement `stmt`) */
struct tsr_term {
  long factor;
  int stmt; /* index in the SCoP */
  int dimension;
  enum tsr_coefficient_kind kind;
  int index;       /* of the iterator */
  char *parameter; /* the parameter's name, owned */
};

/* constant + the sum of the terms; = 0 or >= 0 as a constraint, to be minimised (its absolute value) as an objective. */
struct tsr_form {
  long constant;
  struct tsr_term *term;
  int n_term;
  bool equality;
};

struct tsr_influence {
  char *name; /* for reports; may be NULL */
  int depth;  /* the row it is about; -1: the root, which is about none */
  struct tsr_form *constraint;
  int n_constraint;
  struct tsr_form *objective; /* before all others, the first one first */
  int n_objective;
  bool coincident;                             /* the row must be coincident */
  bool permutable;                             /* the row must be in one permutable band with the row before */
  struct tsr_influence *parent, *child, *next; /* first child, right sibling; children are owned */
};

/* Append a child to PARENT; NULL makes a root. NAME may be NULL. */
__isl_give struct tsr_influence *tsr_influence_add(struct tsr_influence *parent, const char *name);
__isl_null struct tsr_influence *tsr_influence_free(__isl_take struct tsr_influence *node);
/* A copy of NODE and all below, as the last child of PARENT. */
struct tsr_influence *tsr_influence_copy(struct tsr_influence *parent, const struct tsr_influence *node);
/* A new constraint (equality or >= 0) of NODE or objective, empty as yet; owned by NODE. */
struct tsr_form *tsr_influence_constrain(struct tsr_influence *node, bool equality);
struct tsr_form *tsr_influence_minimise(struct tsr_influence *node);
/* Add a term to FORM. PARAMETER is copied; for kind PARAMETER only. */
isl_stat tsr_form_add(struct tsr_form *form, long factor, int stmt, int dimension, enum tsr_coefficient_kind kind, int index,
                      const char *parameter);

/* Read a tree for SCOP from IN. The file:
 *
 *     scop: gemm.3                       # optional: for this SCoP alone; else for all
 *     branches:                          # the alternatives for the outermost dimension, the best first
 *       - name: fused                    # optional, for reports
 *         constraints:                   # on coefficients STATEMENT[DIMENSION].NAME, NAME an iterator, a parameter or 1
 *           - X[0].i == Y[0].i
 *           - Y.j == 0                   # no [DIMENSION]: the node's own
 *           - 2 X.i - 3 X.1 + 1 >= 0     # ==, <= and >=
 *         minimise: [Y.k]                # optional objectives: absolute values
 *         coincident: true               # optional meta-conditions
 *         permutable: true
 *         branches: [...]                # the alternatives for the next dimension
 *
 * *APPLIES (may be NULL): is it for SCOP? If not, NULL is returned without an error. Errors as for tsr_scop_read. */
__isl_give struct tsr_influence *tsr_influence_read(__isl_keep struct tsr_scop *scop, FILE *in, const char *filename,
                                                    bool *applies, char **error);
/* Is what is in IN well formed, whatever its names stand for? Errors as above. */
bool tsr_influence_check(isl_ctx *ctx, FILE *in, const char *filename, char **error);

/* The readers of a list of constraints and of one objective, for other files of wishes: into NODE, whose depth is the
 * largest [DIMENSION] that may be given; with depth -1 none may, and every coefficient is one of the row at hand. R->scop is
 * the SCoP. false after a refusal. VALUE may be NULL. */
struct tsr_reader;
struct yaml_node_s;
bool tsr_influence_read_constraints(struct tsr_reader *r, struct yaml_node_s *value, struct tsr_influence *node);
bool tsr_influence_read_objective(struct tsr_reader *r, struct yaml_node_s *text, struct tsr_influence *node);

/* ---- vector_tree.c: Algorithm 2 ---------------------------------------------------------------------------------- */

/* The wishes of a target whose loads and stores are fastest in vectors and next to each other: for each statement the
 * innermost dimensions in the order of a cost function (bastoul-cgo22, section V). */
struct tsr_vector_target {
  double weight[5];  /* w1 .. w5: vectorisable stores, vectorisable loads, short strides, their number, threads */
  double threads;    /* the thread limit L of a statement */
  int n_inner;       /* how many dimensions, from the innermost outwards, are asked for: 3 in the paper */
  int max_scenarios; /* 8 in the paper */
  bool coincident;   /* must the innermost dimension be coincident in the best variants? */
};
/* A tree for INPUT; NULL on failure. */
__isl_give struct tsr_influence *tsr_influence_vector(const struct tsr_sched_input *input,
                                                      const struct tsr_vector_target *target);

/* ---- fold_tree.c ------------------------------------------------------------------------------------------------ */

/* Wishes for folds over elements that INPUT's nest writes itself: an empty tree where there are none. NULL on failure. */
__isl_give struct tsr_influence *tsr_influence_folds(const struct tsr_sched_input *input);

/* ---- algorithm1.c ---------------------------------------------------------------------------------------------- */

/* What happened, for a remark: a line an event. */
struct tsr_trace {
  char *text;         /* malloc'd; NULL: nothing */
  unsigned fallbacks; /* a bit each: 1 << enum tsr_fallback */
  bool followed;      /* was a leaf of the tree reached? */
  int n_round, bound; /* rounds of the algorithm, and how many there can be at most */
};
/* Append a line to TRACE. */
__attribute__((format(printf, 2, 3))) void tsr_trace_say(struct tsr_trace *trace, const char *format, ...);
enum tsr_fallback {
  TSR_FALLBACK_PROGRESSION, /* line 12: an additional dimension, linearly dependent */
  TSR_FALLBACK_SIBLING,     /* line 16 */
  TSR_FALLBACK_PERMUTABLE,  /* line 21: a new band */
  TSR_FALLBACK_ANCESTOR,    /* line 25: back to an outer dimension */
  TSR_FALLBACK_COMPONENTS,  /* line 32: strongly connected components apart */
  TSR_FALLBACK_DROPPED      /* no branch is feasible */
};
/* A schedule of INPUT along TREE. Without a feasible branch: that of tsr_sched_compute. TRACE may be NULL; its text is the
 * caller's. */
__isl_give isl_schedule *tsr_sched_compute_influenced(const struct tsr_sched_input *input, const struct tsr_policy *policy,
                                                      struct tsr_influence *tree, struct tsr_trace *trace);

#endif
