/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Running an AST without compiling it: the interpreter's inner half. */
#ifndef TESSERA_AST_RUN_H
#define TESSERA_AST_RUN_H

#include "ast/ast.h"
#include <stddef.h>
#include <stdint.h>

enum tsr_loop_mark {
  TSR_LOOP_PARALLEL,
  TSR_LOOP_VECTOR,
  TSR_LOOP_LOCKSTEP,
  TSR_LOOP_DOACROSS,
  TSR_LOOP_THREADS, /* of a block: inside of one for its kernel */
  TSR_N_LOOP_MARK,
  TSR_LOOP_PRELOAD = TSR_N_LOOP_MARK /* no iterations at once: nothing is noted of it */
};

/* The values of iterators, by the depth of their loops: those of loops that isl has dropped, as they run once, aren't known.
 */
enum { TSR_MOST_LOOPS = 32 };
struct tsr_loop_values {
  bool known[TSR_MOST_LOOPS];
  int64_t value[TSR_MOST_LOOPS];
};

/* What a run needs and whom it tells. Callbacks may be NULL but for instance. */
struct tsr_ast_run {
  isl_set *context;   /* whose parameters VALUES are for, in its order */
  const long *values; /* of the parameters */
  long fuel;          /* loop iterations that may still start */
  int order;          /* of loops under "parallel": 0: last to first; 1: the last one, then the others from the first */
  char **why;         /* receives a sentence about what is wrong with the AST */
  void *user;
  /* STMT is to run at AT[0..n-1]. False: stop, *why says what is wrong. */
  bool (*instance)(void *user, const char *stmt, const int64_t *at, int n);
  /* N_LANE instances of STMT, at AT[0..n-1], AT[n..2n-1], .., are to run at once: of a loop of lanes; or of a vector, of a
   * register tile if POINT says in which place of that each is. NULL, here: one after the other. */
  bool (*together)(void *user, const char *stmt, const int64_t *at, int n, int n_lane, const uint64_t *point);
  /* From here on, until the next one or the end of the loop, row NUMBER of a doacross loop runs: a part of it. */
  void (*row)(void *user, size_t number);
  /* What is below MARK begins, or goes on: isl may put several marks where there was one. AROUND: the loops that it is in.
   */
  void (*mark)(void *user, const struct tsr_mark *mark, const struct tsr_loop_values *around);
  void (*unmark)(void *user, const struct tsr_mark *mark); /* what is below it ends, or is interrupted */
  /* A loop under MARK begins; iteration ITERATOR of the innermost open loop with that mark begins; it ends. */
  void (*begin)(void *user, enum tsr_loop_mark loop, const struct tsr_mark *mark);
  void (*iteration)(void *user, enum tsr_loop_mark mark, int64_t iterator);
  void (*end)(void *user, enum tsr_loop_mark mark);
};

/* Run AST; loops under "parallel" run as `order` says, those under "doacross" column by column, lanes and vectors at once.
 * isl_bool_false:
 * stopped, *run->why is set; isl_bool_error: isl failed or the fuel ran out (isl_error_quota). */
isl_bool tsr_ast_run(__isl_keep isl_ast_node *ast, struct tsr_ast_run *run);

#endif
