/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A run of an AST under way: what ast_run.c and lane_runs.c share. */
#ifndef TSR_AST_STATE_H
#define TSR_AST_STATE_H

#include "ast/ast_run.h"
#include "support/message.h"
#include <stddef.h>

enum { TSR_MAX_ARGS = 64 };

/* The iterators in scope, innermost first; lives on the stack of the loops that run. */
struct tsr_binding {
  const char *name;
  int64_t value;
  struct tsr_binding *outer;
};

/* Lanes that run in lockstep: what is below their loop runs once, with all values of its iterator. */
struct tsr_lane_loop {
  struct tsr_binding *binding;
  const int64_t *value;
  size_t n;
};

struct tsr_run_state {
  struct tsr_ast_run *run;
  isl_ctx *ctx;
  struct tsr_binding *scope;
  const struct tsr_mark *mark;         /* the last one, which holds for the next loop */
  const struct tsr_mark *tile, *edges; /* register tile, or edges, that the run is in; NULL: none */
  struct tsr_run_row *row;             /* of a doacross loop, of which some part runs; NULL: else, and in that part */
  struct tsr_lane_loop *lanes;         /* NULL: none */
  bool failed;                         /* isl's doing, or out of fuel: an error, not a verdict */
};

/* The AST is wrong; always false. */
#define tsr_run_stop(s, ...) (tsr_message_set((s)->run->why, __VA_ARGS__), false)
/* An error; always false. */
bool tsr_run_fail(struct tsr_run_state *s);

/* ---- ast_run.c: all return false after tsr_run_stop or tsr_run_fail ------------------------------------------ */

/* Run NODE. MARK, an enum tsr_loop_mark, applies to the next loops below, -1: none. */
bool tsr_run_node(struct tsr_run_state *s, __isl_keep isl_ast_node *node, int mark);
/* Evaluate EXPR and free it. */
bool tsr_run_value(struct tsr_run_state *s, __isl_take isl_ast_expr *expr, int64_t *out);
/* The arguments of USER's call go to AT, how many to *N. */
bool tsr_run_arguments(struct tsr_run_state *s, __isl_keep isl_ast_node *user, int64_t *at, int *n);
/* The values that the iterator INNER of LOOP takes, malloc'd; NULL on failure. They don't depend on what the body does. */
int64_t *tsr_run_iterations(struct tsr_run_state *s, __isl_keep isl_ast_node *loop, struct tsr_binding *inner, size_t *n);
/* One iteration of the loop around BODY, whose iterator is INNER, at VALUE. */
bool tsr_run_iteration(struct tsr_run_state *s, __isl_keep isl_ast_node *body, struct tsr_binding *inner, int64_t value,
                       int mark);

/* ---- lane_runs.c: instances that run at once ------------------------------------------------------------------- */

/* All lanes of the loop NODE, with ITERATOR, below a mark of lanes. */
bool tsr_run_lockstep(struct tsr_run_state *s, __isl_keep isl_ast_node *node, const char *iterator);
/* The instances of USER in all lanes, or the only one. */
bool tsr_run_lanes(struct tsr_run_state *s, __isl_keep isl_ast_node *user);
/* Does LOOP, with ITERATOR, run as vectors, of a register tile or of an edge? Then run it, and set *GOOD. */
bool tsr_run_vectors(struct tsr_run_state *s, __isl_keep isl_ast_node *loop, const char *iterator, bool *good);

/* ---- doacross_runs.c: rows that wait ------------------------------------------------------------------------------ */

/* Two loops below a mark "doacross", NODE the outer one. */
bool tsr_run_doacross(struct tsr_run_state *s, __isl_keep isl_ast_node *node);
/* NODE, a loop or an instance, as far as it is of the part of s->row that runs. */
bool tsr_run_in_row(struct tsr_run_state *s, __isl_keep isl_ast_node *node);

#endif
