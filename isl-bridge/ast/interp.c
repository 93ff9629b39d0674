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

/* ---- executing instances ---- */

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

/* For minima of another kind: an order that has little in common with that of VALUE, nor with its opposite. */
static uint64_t turn(uint64_t value)
{
  return ~(value << 1 | value >> 63);
}

/* OLD after one more step of a reduction: each is associative and commutative, two different ones don't commute. */
static uint64_t reduce(enum tsr_reduction reduction, uint64_t old, uint64_t value)
{
  switch (reduction) {
  case TSR_RED_MUL:
    return old * (value | 1);
  case TSR_RED_MIN:
    return old < value ? old : value;
  case TSR_RED_MAX:
    return old > value ? old : value;
  case TSR_RED_UMIN:
    return turn(old) < turn(value) ? old : value;
  case TSR_RED_UMAX:
    return turn(old) > turn(value) ? old : value;
  case TSR_RED_AND:
    return old & value;
  case TSR_RED_OR:
    return old | value;
  case TSR_RED_XOR:
    return old ^ value;
  default:
    return old + value;
  }
}

/* Two iterations of one marked loop may not touch an element of program memory that one of them writes. */
static bool check_touch(struct interp *in, const struct tsr_access *access, long element, int lane)
{
  static const enum tsr_mark_kind kinds[TSR_N_LOOP_MARK] = {TSR_MARK_PARALLEL, TSR_MARK_VECTOR, TSR_MARK_LOCKSTEP,
                                                            TSR_MARK_DOACROSS, TSR_MARK_THREADS};
  if (in->scop->arrays[access->array].kind == TSR_ARRAY_SCALAR)
    return true;
  for (int i = 0; i < TSR_N_LOOP_MARK; i++) {
    struct marked *m = &in->marked[i];
    struct touch *t = &m->touch[element];
    int64_t iteration = i == TSR_LOOP_LOCKSTEP ? lane : m->iteration;
    if (!m->open || i == TSR_LOOP_DOACROSS)
      continue;
    if (t->execution != m->execution)
      *t = (struct touch){.execution = m->execution, .iteration = iteration};
    t->several |= t->iteration != iteration;
    t->written |= access->kind != TSR_READ;
    char text[128];
    if (t->several && t->written) {
      tsr_message_set(in->why, "two iterations of a loop marked %s touch %s and one of them writes it",
                      tsr_mark_word(kinds[i]), tsr_symbolic_element(in, element, text));
      return false;
    }
  }
  return true;
}

/* What an instance has read so far. */
struct seen {
  uint64_t state;  /* a hash of its name and of all values read by earlier accesses */
  uint64_t folded; /* of the values that the present access reads, in any order */
  bool undefined;  /* was one of them undefined? */
  uint64_t old;    /* what a reduction is about to change: the only value that its read has read, */
  int n_old;       /* if that was one */
  bool old_undefined;
};

/* One access of an instance to one element, which the original calls element NAMED of NAMES. A may write happens in three of
 * four cases, as the hash decides. */
static void run_link(const struct link *link, const struct tsr_access *access, struct place place, struct interp *names,
                     long named, struct seen *seen)
{
  uint64_t *cell = place.value;
  bool *undefined = place.undefined;
  uint64_t value = tsr_hash_mix(seen->state, (uint64_t)link->access);
  value = tsr_hash_vector(value, tsr_tuples_vector(&names->elements, named), names->elements.tuple[named].n);
  bool relaxed = access->reduction != TSR_RED_NONE && access->reassoc;
  if (access->kind == TSR_READ) {
    seen->folded += relaxed ? 0 : tsr_hash_mix(value, *cell);
    seen->undefined |= !relaxed && *undefined;
    if (relaxed) {
      seen->old = *cell;
      seen->old_undefined = *undefined;
      seen->n_old++;
    }
    return;
  }
  bool elsewhere = relaxed && seen->n_old == 1; /* perhaps: a read from a buffer, a write to memory */
  uint64_t old = elsewhere ? seen->old : *cell;
  bool old_undefined = elsewhere ? seen->old_undefined : *undefined, keeps = access->kind == TSR_MAY_WRITE || relaxed;
  *undefined = seen->undefined || (keeps && old_undefined);
  if (access->kind == TSR_MAY_WRITE && (value >> 40 & 3) == 0)
    return;
  *cell = relaxed ? reduce(access->reduction, old, value) : value;
  *place.writer = link->instance;
}

/* The links of access K of INSTANCE: the first one in *FIRST, their number. */
static long links_of(const struct interp *in, long instance, int k, long *first)
{
  long i = in->first[instance], end = in->first[instance + 1], n = 0;
  while (i < end && in->link[i].access < k)
    i++;
  *first = i;
  while (i + n < end && in->link[i + n].access == k)
    n++;
  return n;
}

/* Which element of the original's, of *NAMES, is LINK's, that of an instance that performs ORIGIN? Through a buffer an
 * access must be to one element, as the original is, or a read of one of several, as data says, in the same order. -1: it
 * can't be said. */
static long name_of_link(struct interp *in, const struct link *link, long origin, struct interp **names)
{
  *names = in;
  int array = in->elements.tuple[link->element].tag;
  if (!in->base || in->scop->arrays[array].space == TSR_SPACE_PROGRAM)
    return link->element;
  long own, first, n = links_of(in->base, origin, link->access, &first);
  *names = in->base;
  bool reads = in->base->scop->stmts[in->base->instances.tuple[origin].tag].access[link->access].kind == TSR_READ;
  if (links_of(in, link->instance, link->access, &own) != n || (n != 1 && !reads))
    return -1;
  long rank = tsr_symbolic_rank(in, own, n, link->element);
  for (long i = first; i < first + n; i++)
    if (tsr_symbolic_rank(in->base, first, n, in->base->link[i].element) == rank)
      return in->base->link[i].element;
  return -1;
}

/* Has INSTANCE run already? */
static bool runs_again(struct interp *in, long instance)
{
  char text[128];
  if (!in->runs[instance]++)
    return false;
  tsr_message_set(in->why, "%s runs more than once", tsr_symbolic_instance(in, instance, text));
  return true;
}

/* The value that MOVE, an instance, reads goes where it writes. */
static bool run_move(struct interp *in, long move, const struct tsr_stmt *stmt)
{
  const struct link *from = &in->link[in->first[move]], *to = from + 1;
  char text[128];
  if (in->first[move + 1] - in->first[move] != 2 || from->access != 0) {
    tsr_message_set(in->why, "%s moves other than one element", tsr_symbolic_instance(in, move, text));
    return false;
  }
  for (int k = 0; k < 2; k++)
    if (!check_touch(in, &stmt->access[k], from[k].element, 0) || !tsr_symbolic_may_touch(in, stmt, k, from[k].element))
      return false;
  in->memory[to->element] = in->memory[from->element];
  in->undefined[to->element] = in->undefined[from->element];
  in->writer[to->element] = move;
  return true;
}

/* An instance that runs, beside others or alone. */
struct running {
  long instance, origin, next; /* NEXT: its next link */
  struct seen seen;
  struct position position;
};

/* Access K, to all its elements, of RUNNING, of STMT. */
static bool run_access(struct interp *in, struct running *running, const struct tsr_stmt *stmt, int k)
{
  const struct tsr_access *access = &stmt->access[k];
  struct seen *seen = &running->seen;
  struct interp *names;
  char text[128];
  long end = in->first[running->instance + 1], begin = running->next;
  for (seen->folded = 0; running->next < end && in->link[running->next].access == k; running->next++) {
    const struct link *link = &in->link[running->next];
    long named = name_of_link(in, link, running->origin, &names);
    if (named < 0) {
      tsr_message_set(in->why, "%s reads or writes several elements of a buffer at once",
                      tsr_symbolic_instance(in, running->instance, text));
      return false;
    }
    if (!check_touch(in, access, link->element, running->position.lane) ||
        !tsr_symbolic_may_touch(in, stmt, k, link->element))
      return false;
    in->exists[link->element] |= !in->base && access->kind != TSR_MAY_WRITE && !access->maybe;
    run_link(link, access, tsr_marked_place(in, stmt, k, link->element, &running->position), names, named, seen);
  }
  if (access->kind == TSR_READ && running->next > begin)
    seen->state = tsr_hash_mix(seen->state, seen->folded);
  return true;
}

/* Begin RUNNING, whose instance and position are known, of STMT. */
static bool start(struct interp *in, struct running *running, const struct tsr_stmt *stmt)
{
  char text[128];
  struct interp *base = in->base ? in->base : in;
  if (runs_again(in, running->instance))
    return false;
  if (stmt->kind != TSR_STMT_COMPUTE)
    return true;
  running->origin = in->base ? in->origin[running->instance] : running->instance;
  running->next = in->first[running->instance];
  if (running->origin < 0) {
    tsr_message_set(in->why, "%s performs no instance of the original", tsr_symbolic_instance(in, running->instance, text));
    return false;
  }
  const struct tsr_tuple *tuple = &base->instances.tuple[running->origin];
  uint64_t name = tsr_hash_name(base->scop->stmts[tuple->tag].name);
  running->seen.state = tsr_hash_vector(name, tsr_tuples_vector(&base->instances, running->origin), tuple->n);
  return true;
}

/* Execute RUNNING[0..N), of one statement, at once: each access of all of them before the next one. */
static bool run_all(struct interp *in, struct running *running, int n)
{
  const struct tsr_stmt *stmt = &in->scop->stmts[in->instances.tuple[running[0].instance].tag];
  bool good = true;
  for (int i = 0; i < n && good; i++)
    good = start(in, &running[i], stmt);
  if (stmt->kind == TSR_STMT_MOVE)
    for (int i = 0; i < n && good; i++)
      good = run_move(in, running[i].instance, stmt);
  for (int k = 0; k < stmt->n_access && stmt->kind == TSR_STMT_COMPUTE; k++)
    for (int i = 0; i < n && good; i++)
      good = run_access(in, &running[i], stmt, k);
  return good;
}

/* Execute INSTANCE. */
static bool run_instance(struct interp *in, long instance)
{
  struct running running = {.instance = instance};
  return run_all(in, &running, 1);
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
    stat = run_instance(in, stamp[i].instance) ? isl_stat_ok : isl_stat_error;
  free(stamp);
  return stat;
}

static bool on_together(void *user, const char *stmt, const int64_t *at, int n, int n_lane, const uint64_t *point)
{
  struct interp *in = user;
  int tag = tsr_scop_find_stmt(in->scop, stmt);
  struct running *running = calloc(n_lane + 1, sizeof(*running));
  bool good = tag >= 0 && running;
  for (int i = 0; i < n_lane && good; i++) {
    running[i].instance = tsr_tuples_find(&in->instances, tag, at + (size_t)i * n, n);
    running[i].position = (struct position){i, point != NULL, point ? point[i] : 0};
    good = running[i].instance >= 0;
  }
  if (good)
    good = run_all(in, running, n_lane);
  else
    tsr_message_set(in->why, "the AST runs an instance of %s outside of its domain", stmt);
  free(running);
  return good;
}

static bool on_instance(void *user, const char *stmt, const int64_t *at, int n)
{
  return on_together(user, stmt, at, n, 1, NULL);
}

/* ---- marks ---- */

static void on_begin(void *user, enum tsr_loop_mark loop, const struct tsr_mark *mark)
{
  tsr_marked_begin(user, loop, mark);
  if (loop == TSR_LOOP_DOACROSS)
    tsr_symbolic_begin_rows(user);
}

static void on_iteration(void *user, enum tsr_loop_mark mark, int64_t iterator)
{
  tsr_marked_iteration(user, mark, iterator);
}

static void on_end(void *user, enum tsr_loop_mark mark)
{
  tsr_marked_end(user, mark);
  if (mark == TSR_LOOP_DOACROSS)
    tsr_symbolic_end_rows(user);
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
  return tsr_ast_run(ast, &run);
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
