/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instances that the interpreter runs, on symbolic values: what they read is folded into a hash, of which they store others.
 *
 *   alone, or as lanes of one statement    each access of all of them before the next one
 *   in a loop that reads all first         they wait for the end of its iteration; then all reads are made, then the rest */
#include "ast/symbolic.h"
#include "support/message.h"
#include <isl/space.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- iterations that read all first ---- */

/* The accesses of RUNNING, of STMT, which READ or don't; BEFORE: what it has seen when it comes to each write. */
static bool run_kind(struct interp *in, struct running *running, const struct tsr_stmt *stmt, bool read, struct seen *before)
{
  bool good = true;
  for (int k = 0; k < stmt->n_access && good; k++) {
    bool reads = stmt->access[k].kind == TSR_READ;
    links_of(in, running->instance, k, &running->next);
    if (!reads && read)
      before[k] = running->seen;
    if (!reads && !read)
      running->seen = before[k];
    if (reads == read)
      good = run_access(in, running, stmt, k);
  }
  return good;
}

/* Execute the N instances INSTANCE, one behind the other, but for their reads, which come first. */
static bool run_reads_first(struct interp *in, const long *instance, int n)
{
  struct running *running = calloc((size_t)n + 1, sizeof(*running));
  struct seen **before = calloc((size_t)n + 1, sizeof(*before));
  bool good = running && before;
  for (int read = 1; read >= 0; read--)
    for (int i = 0; i < n && good; i++) {
      const struct tsr_stmt *stmt = &in->scop->stmts[in->instances.tuple[instance[i]].tag];
      running[i].instance = instance[i];
      if (read)
        before[i] = calloc((size_t)stmt->n_access + 1, sizeof(*before[i]));
      good = before[i] && (!read || start(in, &running[i], stmt));
      if (good && stmt->kind == TSR_STMT_MOVE) /* of a buffer: it is no statement of the original's */
        good = read || run_move(in, instance[i], stmt);
      else
        good = good && run_kind(in, &running[i], stmt, read, before[i]);
    }
  for (int i = 0; before && i < n; i++)
    free(before[i]);
  free(before);
  free(running);
  return good;
}

void tsr_preload_begin(struct interp *in)
{
  in->preloaded.open = true;
}

void tsr_preload_next(struct interp *in)
{
  struct preloaded *held = &in->preloaded;
  held->bad |= held->n > 0 && !held->bad && !run_reads_first(in, held->instance, held->n);
  held->n = 0;
}

void tsr_preload_end(struct interp *in)
{
  tsr_preload_next(in);
  in->preloaded.open = false;
}

/* INSTANCE waits for the end of its iteration. */
static bool hold(struct interp *in, long instance)
{
  struct preloaded *held = &in->preloaded;
  if (held->n == held->room) {
    int room = held->room ? 2 * held->room : 8;
    long *more = realloc(held->instance, (size_t)room * sizeof(*more));
    if (!more)
      return false;
    held->instance = more;
    held->room = room;
  }
  held->instance[held->n++] = instance;
  return !held->bad;
}

bool tsr_instances_run(struct interp *in, const long *instance, const struct position *position, int n)
{
  if (in->preloaded.open)
    return n == 1 && !position->in_tile && hold(in, *instance);
  struct running *running = calloc((size_t)n + 1, sizeof(*running));
  for (int i = 0; i < n && running; i++)
    running[i] = (struct running){.instance = instance[i], .position = position[i]};
  bool good = running && run_all(in, running, n);
  free(running);
  return good;
}
