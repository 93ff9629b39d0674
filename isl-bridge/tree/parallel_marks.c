/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parallel and vector marks. A mark needs a band of one member below it, so bands are split:
 *
 *   B(i, j) - B(k, l)   ->   mark "parallel" - B(i) - B(j) - B(k) - mark "vector" - B(l)
 *
 * Whether a loop may carry a mark is decided anew from the accesses (parallel_loops.c), whatever a coincident flag says. */
#include "tree/tree.h"
#include <isl/id.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* Is the loop of member 0 of the band at NODE worth a thread team? An innermost loop inside of others is not. */
static isl_bool has_parallel_work(isl_schedule_node *node)
{
  if (isl_schedule_node_get_schedule_depth(node) == 0 || isl_schedule_node_band_n_member(node) > 1)
    return isl_bool_true;
  return tsr_node_has_band_below(node);
}

/* Which marks? */
struct marks {
  struct tsr_scop *scop;
  enum tsr_which which;
  int n; /* parallel loops so far */
};

/* Is the loop of member 0 of the band at NODE free of dependences by ARRAYS, but for buffers that live for an iteration, or
 * REGISTERS alone? Threads have buffers of their own, lanes of vectors only registers. */
static bool is_parallel(isl_schedule_node *node, struct tsr_scop *scop, unsigned arrays, bool registers)
{
  if (scop->n_array == 0 || scop->arrays[scop->n_array - 1].space == TSR_SPACE_PROGRAM) /* buffers come last */
    return tsr_band_is_parallel(node, scop, arrays, NULL) == isl_bool_true;
  bool *own = calloc(scop->n_array, sizeof(*own));
  isl_bool parallel = isl_bool_error;
  bool known = own && tsr_node_allocates(node, scop, own) == isl_stat_ok;
  for (int i = 0; i < scop->n_array && known && registers; i++)
    own[i] = own[i] && scop->arrays[i].space == TSR_SPACE_REGISTERS;
  if (known)
    parallel = tsr_band_is_parallel_apart(node, scop, arrays, own, NULL);
  free(own);
  return parallel == isl_bool_true;
}

bool tsr_node_may_have_threads(isl_schedule_node *node, struct tsr_scop *scop)
{
  return has_parallel_work(node) == isl_bool_true && tsr_node_is_of_one_thread(node, scop) == isl_bool_false;
}

bool tsr_node_is_loop_for_threads(isl_schedule_node *node, struct tsr_scop *scop)
{
  return tsr_node_may_have_threads(node, scop) && isl_schedule_node_band_member_get_coincident(node, 0) == isl_bool_true &&
         is_parallel(node, scop, TSR_ANY_ARRAY, false);
}

static isl_schedule_node *mark_parallel(isl_schedule_node *node, struct marks *marks);

/* Iterations for each core, with fewer of which a loop isn't long: the last ones leave some without work. */
#define LONG_ENOUGH 4

static bool may_go_inside(isl_schedule_node *loop, const struct marks *marks)
{
  return marks->which == TSR_WHICH_INSIDE ||
         (marks->which == TSR_WHICH_LONG && tsr_band_trips(loop, marks->scop) < LONG_ENOUGH * marks->scop->machine.cores);
}

/* Put a mark above the loop of member 0 of the band at NODE, or above a loop inside of it if MARKS says so and one may. */
static isl_schedule_node *mark_loop(isl_schedule_node *node, struct marks *marks)
{
  int before = marks->n;
  if (isl_schedule_node_band_n_member(node) > 1)
    node = isl_schedule_node_band_split(node, 1);
  enum tsr_which which = marks->which;
  if (may_go_inside(node, marks)) {
    marks->which = TSR_WHICH_OUTERMOST;
    node = isl_schedule_node_parent(mark_parallel(isl_schedule_node_child(node, 0), marks));
    marks->which = which;
  }
  if (marks->n > before)
    return node;
  return tsr_mark_insert(node, marks->scop, &(struct tsr_mark){.kind = TSR_MARK_PARALLEL, .number = ++marks->n});
}

/* Mark a loop of the band at NODE: the outermost one that may run in parallel, or if there are some, one inside of it. */
static isl_schedule_node *mark_parallel_band(isl_schedule_node *node, struct marks *marks)
{
  isl_size n = isl_schedule_node_band_n_member(node);
  for (int i = 0; i < n; i++) {
    isl_schedule_node *rest = isl_schedule_node_copy(node);
    if (i > 0)
      rest = isl_schedule_node_child(isl_schedule_node_band_split(rest, i), 0);
    if (tsr_node_is_loop_for_threads(rest, marks->scop)) {
      isl_schedule_node_free(node);
      rest = mark_loop(rest, marks);
      return i > 0 ? isl_schedule_node_parent(rest) : rest;
    }
    isl_schedule_node_free(rest);
  }
  return node;
}

static isl_schedule_node *mark_parallel(isl_schedule_node *node, struct marks *marks)
{
  int before = marks->n;
  const struct tsr_mark *mark = tsr_node_mark(node);
  if (tsr_mark_is(mark, TSR_MARK_REGISTERS) || tsr_mark_is(mark, TSR_MARK_LOCKSTEP))
    return node;
  if (tsr_mark_is_for_threads(mark))
    ++marks->n;
  else if (isl_schedule_node_get_type(node) == isl_schedule_node_band)
    node = mark_parallel_band(node, marks);
  isl_size n = marks->n > before ? 0 : isl_schedule_node_n_children(node);
  for (int i = 0; i < n; i++)
    node = isl_schedule_node_parent(mark_parallel(isl_schedule_node_child(node, i), marks));
  return node;
}

static isl_bool leaf_is_shared(isl_schedule_node *node, void *user)
{
  (void)user;
  if (isl_schedule_node_get_type(node) != isl_schedule_node_leaf)
    return isl_bool_true;
  isl_schedule_node *at = isl_schedule_node_copy(node);
  bool shared = false;
  while (!shared && isl_schedule_node_has_parent(at) == isl_bool_true) {
    at = isl_schedule_node_parent(at);
    shared = tsr_node_is_for_threads(at);
  }
  isl_schedule_node_free(at);
  return isl_bool_ok(shared);
}

isl_bool tsr_node_is_shared(isl_schedule_node *node, struct tsr_scop *scop)
{
  struct marks marks = {scop, TSR_WHICH_OUTERMOST, 0};
  isl_schedule_node *marked = mark_parallel(isl_schedule_node_copy(node), &marks);
  isl_bool shared = isl_schedule_node_every_descendant(marked, leaf_is_shared, NULL);
  isl_schedule_node_free(marked);
  return shared;
}

static isl_bool parent_is_mark(isl_schedule_node *node)
{
  return isl_bool_ok(isl_schedule_node_get_parent_type(node) == isl_schedule_node_mark);
}

/* Is the band at NODE that of a register tile, which has its own vectors, or of what is left beside one: edges, in domains
 * that are dear to analyse? */
static bool is_at_registers(isl_schedule_node *node)
{
  isl_schedule_node *parent = isl_schedule_node_parent(isl_schedule_node_copy(node));
  bool is = tsr_node_is_mark(parent, TSR_MARK_REGISTERS) || tsr_node_is_mark(parent, TSR_MARK_EDGES);
  if (!is && isl_schedule_node_has_parent(parent) == isl_bool_true &&
      isl_schedule_node_get_parent_type(parent) == isl_schedule_node_sequence) {
    parent = isl_schedule_node_parent(parent);
    isl_size n = isl_schedule_node_n_children(parent);
    for (int i = 0; i < n && !is; i++) {
      isl_schedule_node *child = isl_schedule_node_grandchild(isl_schedule_node_copy(parent), i, 0);
      is = tsr_node_is_mark(child, TSR_MARK_REGISTERS);
      isl_schedule_node_free(child);
    }
  }
  isl_schedule_node_free(parent);
  return is;
}

/* Mark the last member of the band at NODE, if no band runs inside of it and it may be a vector. */
static isl_schedule_node *mark_vector_band(isl_schedule_node *node, void *user)
{
  struct tsr_scop *scop = user;
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band || tsr_node_has_band_below(node) != isl_bool_false)
    return node;
  if (is_at_registers(node) || tsr_node_in_lockstep(node))
    return node;
  isl_size n = isl_schedule_node_band_n_member(node);
  isl_schedule_node *last = isl_schedule_node_copy(node);
  if (n > 1)
    last = isl_schedule_node_child(isl_schedule_node_band_split(last, n - 1), 0);
  isl_bool parallel = isl_bool_not(parent_is_mark(last));
  if (parallel == isl_bool_true)
    parallel = isl_bool_ok(is_parallel(last, scop, TSR_MEMORY, true));
  if (parallel != isl_bool_true) {
    isl_schedule_node_free(last);
    return node;
  }
  isl_schedule_node_free(node);
  last = tsr_mark_insert_word(last, TSR_MARK_VECTOR);
  return n > 1 ? isl_schedule_node_parent(last) : last;
}

isl_schedule *tsr_tree_mark_threads(isl_schedule *schedule, struct tsr_scop *scop, enum tsr_which which)
{
  struct marks marks = {scop, which, 0};
  isl_schedule_node *root = isl_schedule_get_root(schedule);
  isl_schedule_free(schedule);
  root = mark_parallel(root, &marks);
  schedule = isl_schedule_node_get_schedule(root);
  isl_schedule_node_free(root);
  return schedule;
}

/* SCHEDULE as VISIT makes it, from the leaves up. */
static isl_schedule *visit_all(isl_schedule *schedule, struct tsr_scop *scop,
                               isl_schedule_node *(*visit)(isl_schedule_node *node, void *scop))
{
  isl_schedule_node *root = isl_schedule_get_root(schedule);
  root = isl_schedule_node_map_descendant_bottom_up(root, visit, scop);
  isl_schedule *made = isl_schedule_node_get_schedule(root);
  isl_schedule_node_free(root);
  return made;
}

isl_schedule *tsr_tree_mark_vectors(isl_schedule *schedule, struct tsr_scop *scop)
{
  isl_schedule *marked = visit_all(schedule, scop, mark_vector_band);
  isl_schedule_free(schedule);
  return marked;
}

isl_schedule *tsr_tree_mark_each(isl_schedule *schedule, struct tsr_scop *scop,
                                 isl_schedule_node *(*visit)(isl_schedule_node *node, void *scop))
{
  isl_schedule *marked = visit_all(schedule, scop, visit);
  if (isl_schedule_plain_is_equal(marked, schedule) != isl_bool_false)
    marked = isl_schedule_free(marked);
  isl_schedule_free(schedule);
  return marked;
}

isl_schedule *tsr_tree_mark(isl_schedule *schedule, struct tsr_scop *scop, const struct tsr_options *opt,
                            enum tsr_which which)
{
  if (opt->parallel)
    schedule = tsr_tree_mark_threads(schedule, scop, which);
  return tsr_tree_mark_vectors(schedule, scop);
}
