/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Running a SCoP without compiling it, on symbolic values, in the original order and in that of an AST. At fixed
 * parameters everything is listed beforehand, from the model alone:
 *
 *     instances   0: S0(0, 0)   1: S0(0, 1)  ...      each with its links, by access
 *     elements    0: C[0, 0]    1: A[0, 0]   ...
 *     links       instance, access, element            the access relations, point by point
 *
 * so that memory is one array of 64-bit values, indexed by element. The value of an element is at first the hash of its
 * name; an instance folds what it reads into a hash of its own name and stores hashes of that. Two orders leave the same
 * memory iff every value that survives was computed from the same values all the way back (but for hash collisions).
 * What depends on a value that nobody wrote, in an array that isn't live-in, is undefined and not compared.
 * The original order comes from sorting the instances by the schedule's time stamps: no AST is involved in it. */
#include "ast/symbolic.h"
#include "support/message.h"
#include <isl/point.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void reset_memory(struct interp *in)
{
  for (long i = 0; i < in->elements.n_tuple; i++) {
    const struct tsr_tuple *element = &in->elements.tuple[i];
    in->memory[i] =
        tsr_hash_vector(tsr_hash_name(in->scop->arrays[element->tag].name), tsr_tuples_vector(&in->elements, i), element->n);
    in->writer[i] = -1;
    in->undefined[i] = !in->scop->arrays[element->tag].live_in;
  }
  memset(in->runs, 0, in->instances.n_tuple * sizeof(*in->runs));
  for (int i = 0; i < in->scop->n_array; i++)
    in->life[i] = (struct life){.open = 0};
}

/* ---- the two orders ---- */

/* A time stamp for sorting; LENGTH numbers. */
struct stamp {
  long instance;
  const int64_t *time;
  int length;
};

static int compare_stamps(const void *a, const void *b)
{
  const struct stamp *x = a, *y = b;
  for (int i = 0; i < x->length; i++)
    if (x->time[i] != y->time[i])
      return x->time[i] < y->time[i] ? -1 : 1;
  return x->instance < y->instance ? -1 : 1;
}

/* Run all instances in the order of the SCoP's own schedule. */
static isl_stat run_original(struct interp *in)
{
  isl_stat stat = tsr_symbolic_times(in, in->scop->schedule);
  long n = in->instances.n_tuple;
  struct stamp *stamp = calloc(n + 1, sizeof(*stamp));
  if (stat < 0 || !stamp) {
    free(stamp);
    return isl_stat_error;
  }
  for (long i = 0; i < n; i++)
    stamp[i] = (struct stamp){i, in->time + i * in->n_time, in->n_time};
  qsort(stamp, n, sizeof(*stamp), compare_stamps);
  for (long i = 0; i < n && stat == isl_stat_ok; i++)
    stat = tsr_instances_run(in, &stamp[i].instance, &(struct position){0}, 1) ? isl_stat_ok : isl_stat_error;
  free(stamp);
  return stat;
}

static bool on_together(void *user, const char *stmt, const int64_t *at, int n, int n_lane, const uint64_t *point)
{
  struct interp *in = user;
  int tag = tsr_scop_find_stmt(in->scop, stmt);
  long *instance = calloc((size_t)n_lane + 1, sizeof(*instance));
  struct position *position = calloc((size_t)n_lane + 1, sizeof(*position));
  bool good = tag >= 0 && instance && position;
  for (int i = 0; i < n_lane && good; i++) {
    instance[i] = tsr_tuples_find(&in->instances, tag, at + (size_t)i * n, n);
    position[i] = (struct position){i, point != NULL, point ? point[i] : 0};
    good = instance[i] >= 0;
  }
  if (good)
    good = tsr_instances_run(in, instance, position, n_lane);
  else
    tsr_message_set(in->why, "the AST runs an instance of %s outside of its domain", stmt);
  free(instance);
  free(position);
  return good;
}

static bool on_instance(void *user, const char *stmt, const int64_t *at, int n)
{
  return on_together(user, stmt, at, n, 1, NULL);
}

/* ---- marks ---- */

static void on_begin(void *user, enum tsr_loop_mark loop, const struct tsr_mark *mark)
{
  struct interp *in = user;
  if (loop == TSR_LOOP_PRELOAD) {
    tsr_preload_begin(in);
    return;
  }
  tsr_marked_begin(in, loop, mark);
  if (loop == TSR_LOOP_DOACROSS)
    tsr_symbolic_begin_rows(in);
}

static void on_iteration(void *user, enum tsr_loop_mark mark, int64_t iterator)
{
  if (mark == TSR_LOOP_PRELOAD)
    tsr_preload_next(user);
  else
    tsr_marked_iteration(user, mark, iterator);
}

static void on_end(void *user, enum tsr_loop_mark mark)
{
  struct interp *in = user;
  if (mark == TSR_LOOP_PRELOAD) {
    tsr_preload_end(in);
    return;
  }
  tsr_marked_end(in, mark);
  if (mark == TSR_LOOP_DOACROSS)
    tsr_symbolic_end_rows(in);
}

static void on_row(void *user, size_t number)
{
  struct interp *in = user;
  if (tsr_symbolic_row(in, number) < 0)
    tsr_symbolic_fail(in, isl_error_alloc, "no memory for the buffers of rows");
}

static void on_mark(void *user, const struct tsr_mark *mark, const struct tsr_loop_values *around)
{
  tsr_symbolic_open(user, mark, 1, around);
  if (tsr_mark_is(mark, TSR_MARK_REGISTERS))
    tsr_marked_tile(user, true);
}

static void on_unmark(void *user, const struct tsr_mark *mark)
{
  tsr_symbolic_open(user, mark, -1, NULL);
  if (tsr_mark_is(mark, TSR_MARK_REGISTERS))
    tsr_marked_tile(user, false);
}

static isl_bool run_tree(struct interp *in, isl_ast_node *ast, int order)
{
  struct tsr_ast_run run = {.context = in->scop->context,
                            .values = in->values,
                            .fuel = 64 * in->limit + 4096,
                            .order = order,
                            .why = in->why,
                            .user = in,
                            .instance = on_instance,
                            .together = on_together,
                            .row = on_row,
                            .mark = on_mark,
                            .unmark = on_unmark,
                            .begin = on_begin,
                            .iteration = on_iteration,
                            .end = on_end};
  if (in->base && tsr_symbolic_note_marks(in, ast) < 0)
    return isl_bool_error;
  in->preloaded = (struct preloaded){0};
  isl_bool ran = tsr_ast_run(ast, &run);
  bool bad = in->preloaded.bad;
  free(in->preloaded.instance);
  in->preloaded = (struct preloaded){0};
  return ran == isl_bool_true ? isl_bool_ok(!bad) : ran;
}

/* What a run left behind. */
struct outcome {
  uint64_t *memory;
  long *writer;
  bool *undefined;
};

static bool outcome_copy(struct outcome *out, const struct interp *in)
{
  size_t n = in->elements.n_tuple;
  out->memory = malloc((n + 1) * sizeof(*out->memory));
  out->writer = malloc((n + 1) * sizeof(*out->writer));
  out->undefined = malloc((n + 1) * sizeof(*out->undefined));
  if (!out->memory || !out->writer || !out->undefined)
    return false;
  memcpy(out->memory, in->memory, n * sizeof(*out->memory));
  memcpy(out->writer, in->writer, n * sizeof(*out->writer));
  memcpy(out->undefined, in->undefined, n * sizeof(*out->undefined));
  return true;
}

static void outcome_clear(struct outcome *out)
{
  free(out->memory);
  free(out->writer);
  free(out->undefined);
}

/* Did every instance run? */
static bool all_ran(struct interp *in)
{
  char text[128];
  for (long i = 0; i < in->instances.n_tuple; i++) {
    if (in->runs[i])
      continue;
    tsr_message_set(in->why, "%s does not run", tsr_symbolic_instance(in, i, text));
    return false;
  }
  return true;
}

/* Does each element that lives on hold what the ORIGINAL order of BASE left, if that was defined? */
static isl_bool compare(struct interp *in, struct interp *base, const struct outcome *original)
{
  char element[128], now[128], then[128];
  if (!all_ran(in))
    return isl_bool_false;
  for (long i = 0; i < base->elements.n_tuple; i++) {
    const struct tsr_tuple *tuple = &base->elements.tuple[i];
    long k = tsr_tuples_find(&in->elements, tuple->tag, tsr_tuples_vector(&base->elements, i), tuple->n);
    bool lives = base->scop->arrays[tuple->tag].live_out && !original->undefined[i];
    bool same = k < 0 ? original->writer[i] < 0 : in->memory[k] == original->memory[i];
    if (!lives || same)
      continue;
    tsr_message_set(in->why, "%s differs at the end: written last by %s, in the original order by %s",
                    tsr_symbolic_element(base, i, element), tsr_symbolic_instance(in, k < 0 ? -1 : in->writer[k], now),
                    tsr_symbolic_instance(base, original->writer[i], then));
    return isl_bool_false;
  }
  return isl_bool_true;
}

/* Run AST, in each order that loops for threads may have, and compare what that leaves with ORIGINAL, of BASE. */
static isl_bool run_orders(struct interp *in, struct interp *base, isl_ast_node *ast, const struct outcome *original)
{
  isl_bool same = isl_bool_true;
  for (int order = 0; order < 2 && same == isl_bool_true; order++) {
    reset_memory(in);
    same = run_tree(in, ast, order);
    if (same == isl_bool_true)
      same = compare(in, base, original);
    if (in->marked[TSR_LOOP_PARALLEL].execution == 0)
      break;
  }
  return same;
}

/* Do the values satisfy what the AST was made for? */
static isl_bool are_values_allowed(struct interp *in)
{
  isl_set *known = isl_set_intersect(isl_set_copy(in->scop->context), isl_set_copy(in->scop->assumed));
  known = tsr_symbolic_fix(in, known);
  isl_bool empty = isl_set_is_empty(known);
  isl_set_free(known);
  return isl_bool_not(empty);
}

/* Run what BASE lists in its own order: *ORIGINAL is what that leaves. */
static isl_bool run_base(struct interp *base, struct outcome *original)
{
  isl_bool allowed = are_values_allowed(base);
  if (allowed == isl_bool_false)
    tsr_symbolic_fail(base, isl_error_invalid, "the parameter values contradict the context or the assumptions");
  if (allowed != isl_bool_true || tsr_symbolic_list(base) < 0)
    return isl_bool_error;
  reset_memory(base);
  return run_original(base) < 0 || !outcome_copy(original, base) ? isl_bool_error : isl_bool_true;
}

/* requires: one value a parameter of the context, satisfying context and assumptions.
 * on failure: isl_bool_error, with isl_error_quota when more than LIMIT instances would run. */
isl_bool tsr_interp_compare(struct tsr_scop *scop, isl_ast_node *ast, const long *values, long limit, char **why)
{
  struct interp in = {.scop = scop, .values = values, .limit = limit, .why = why};
  struct outcome original = {NULL, NULL, NULL};
  if (why)
    *why = NULL;
  isl_bool same = run_base(&in, &original);
  if (same == isl_bool_true)
    same = run_orders(&in, &in, ast, &original);
  outcome_clear(&original);
  tsr_symbolic_clear(&in);
  return same;
}

/* As tsr_interp_compare. */
isl_bool tsr_interp_program(struct tsr_program *program, isl_ast_node *ast, const long *values, long limit, char **why)
{
  if (program->scop == program->original)
    return tsr_interp_compare(program->scop, ast, values, limit, why);
  struct interp base = {.scop = program->original, .values = values, .limit = limit, .why = why};
  struct interp in = {.scop = program->scop, .values = values, .limit = limit, .why = why, .base = &base};
  struct outcome original = {NULL, NULL, NULL};
  if (why)
    *why = NULL;
  isl_bool same = run_base(&base, &original);
  if (same == isl_bool_true &&
      (tsr_symbolic_list(&in) < 0 || tsr_symbolic_origins(&in, program) < 0 || tsr_symbolic_extents(&in) < 0))
    same = isl_bool_error;
  if (same == isl_bool_true)
    same = run_orders(&in, &base, ast, &original);
  outcome_clear(&original);
  tsr_symbolic_clear(&in);
  tsr_symbolic_clear(&base);
  return same;
}
