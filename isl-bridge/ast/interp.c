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
#include "ast/ast.h"
#include "ast/ast_run.h"
#include "support/message.h"
#include "support/tuples.h"
#include <isl/point.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Unbounded accesses (over-approximations) are taken for accesses to this window of each dimension. */
enum { WINDOW_LEAST = -4, WINDOW_MOST = 24 };

/* ---- the model at fixed parameters ---- */

struct link {
  long instance;
  int access;
  long element;
};

/* A conflict check: who touched an element in the loop execution EXECUTION. */
struct touch {
  unsigned long execution;
  int64_t iteration;
  bool several; /* iterations */
  bool written;
};

/* An execution of marked loops; at most one is open for each mark. */
struct marked {
  bool open;
  unsigned long execution;
  int64_t iteration;
  struct touch *touch; /* by element */
};

/* Of a loop with private arrays, which runs backwards: its first iteration is the last one, which uses the arrays; each
 * other one a copy of them that nobody has written. */
struct copies {
  bool *array; /* by array: is it private in the loop that runs? */
  long begun;  /* iterations of that */
  bool any;    /* is one? */
  struct cell_state {
    uint64_t memory;
    long writer;
    bool undefined;
  } *left; /* [element] by the last iteration */
};

/* A buffer of packed elements: element + 1 (0: none yet), and its value at the time of the copy. */
struct buffer {
  long n;
  struct cell {
    long element;
    uint64_t value;
  } *cell;
};

struct interp {
  struct tsr_scop *scop;
  const long *values;
  long limit;
  char **why;
  struct tsr_tuples instances, elements;
  struct link *link; /* sorted by instance, then access, then element */
  long n_link, link_room;
  long *first; /* [instance] its first link; [n] = n_link */
  /* of one run: */
  uint64_t *memory; /* [element] */
  long *writer;     /* [element] the instance that wrote it last, -1: none */
  bool *undefined;  /* [element] does it hold, or depend on, a value that nobody wrote? */
  int *runs;        /* [instance] how often it ran */
  struct marked marked[TSR_N_LOOP_MARK];
  struct buffer buffer[TSR_MAX_PACK];
  struct copies copies;
  int array; /* take_element: its array; what it found */
  long found;
  /* what the listing callbacks work on: */
  int stmt, access;
  int64_t *time; /* [instance][n_time] the original time stamps */
  int n_time;
};

static isl_stat fail(struct interp *in, enum isl_error error, const char *why)
{
  isl_handle_error(in->scop->ctx, error, why, __FILE__, __LINE__);
  return isl_stat_error;
}

/* "S(1, 2)" or "A[1, 2]" into TEXT. */
static const char *name_tuple(const struct tsr_tuples *t, long i, const char *name, const char *brackets, char text[128])
{
  size_t used = (size_t)snprintf(text, 128, "%s%c", name, brackets[0]);
  for (int k = 0; k < t->tuple[i].n && used < 100; k++)
    used += (size_t)snprintf(text + used, 128 - used, "%s%lld", k ? ", " : "", (long long)tsr_tuples_vector(t, i)[k]);
  if (used < 127)
    snprintf(text + used, 128 - used, "%c", brackets[1]);
  return text;
}

static const char *name_instance(struct interp *in, long i, char text[128])
{
  if (i < 0)
    return "nobody";
  return name_tuple(&in->instances, i, in->scop->stmts[in->instances.tuple[i].tag].name, "()", text);
}

static const char *name_element(struct interp *in, long i, char text[128])
{
  return name_tuple(&in->elements, i, in->scop->arrays[in->elements.tuple[i].tag].name, "[]", text);
}

/* SET, a set or wrapped relation, at the parameter values, without parameters. */
static isl_set *fix_params(struct interp *in, isl_set *set)
{
  isl_size n = isl_set_dim(in->scop->context, isl_dim_param);
  for (int i = 0; i < n; i++) {
    const char *name = isl_set_get_dim_name(in->scop->context, isl_dim_param, i);
    int at = name ? isl_set_find_dim_by_name(set, isl_dim_param, name) : -1;
    if (at < 0)
      continue;
    set = isl_set_fix_val(set, isl_dim_param, at, isl_val_int_from_si(in->scop->ctx, in->values[i]));
    set = isl_set_project_out(set, isl_dim_param, at, 1);
  }
  return set;
}

/* Call FN on each point of SET at the parameter values. */
static isl_stat foreach_point(struct interp *in, isl_set *set, isl_stat (*fn)(isl_point *point, void *user))
{
  set = fix_params(in, set);
  isl_size n_param = isl_set_dim(set, isl_dim_param);
  isl_bool bounded = isl_set_is_bounded(set);
  isl_stat stat = isl_stat_error;
  if (n_param > 0)
    fail(in, isl_error_invalid, "a parameter is missing in the context of the SCoP");
  else if (n_param == 0 && bounded == isl_bool_false)
    fail(in, isl_error_invalid, "an unbounded domain cannot be interpreted");
  else if (n_param == 0 && bounded == isl_bool_true)
    stat = isl_set_foreach_point(set, fn, in);
  isl_set_free(set);
  return stat;
}

/* The coordinates of POINT, freed, at most MAX; their number or -1. */
static int point_vector(isl_point *point, int64_t *vector, int max)
{
  isl_multi_val *values = isl_point_get_multi_val(point);
  isl_size n = isl_multi_val_size(values);
  isl_point_free(point);
  for (int i = 0; i < n && n <= max; i++) {
    isl_val *val = isl_multi_val_get_at(values, i);
    vector[i] = isl_val_get_num_si(val);
    isl_val_free(val);
  }
  isl_multi_val_free(values);
  return n <= max ? n : -1;
}

enum { MAX_DIMS = 64 };

static isl_stat add_instance(isl_point *point, void *user)
{
  struct interp *in = user;
  int64_t vector[MAX_DIMS];
  int n = point_vector(point, vector, MAX_DIMS);
  if (n < 0 || tsr_tuples_add(&in->instances, in->stmt, vector, n) < 0)
    return isl_stat_error;
  return in->instances.n_tuple <= in->limit ? isl_stat_ok : fail(in, isl_error_quota, "too many instances to interpret");
}

static isl_stat add_link(isl_point *point, void *user)
{
  struct interp *in = user;
  const struct tsr_access *access = &in->scop->stmts[in->stmt].access[in->access];
  int64_t vector[MAX_DIMS];
  int n = point_vector(point, vector, MAX_DIMS), n_in = n - in->scop->arrays[access->array].n_dim;
  if (n < 0 || in->n_link >= 64 * in->limit)
    return fail(in, isl_error_quota, "too many accesses to interpret");
  long instance = tsr_tuples_find(&in->instances, in->stmt, vector, n_in);
  long element = tsr_tuples_add(&in->elements, access->array, vector + n_in, n - n_in);
  if (in->n_link == in->link_room) {
    long room = 2 * in->link_room + 64;
    struct link *grown = realloc(in->link, room * sizeof(*grown));
    in->link = grown ? grown : in->link;
    in->link_room = grown ? room : in->link_room;
  }
  if (instance < 0 || element < 0 || in->n_link == in->link_room)
    return isl_stat_error;
  in->link[in->n_link++] = (struct link){instance, in->access, element};
  return isl_stat_ok;
}

static isl_stat add_time(isl_point *point, void *user)
{
  struct interp *in = user;
  int64_t vector[2 * MAX_DIMS];
  int n = point_vector(point, vector, 2 * MAX_DIMS);
  long instance = n < 0 ? -1 : tsr_tuples_find(&in->instances, in->stmt, vector, n - in->n_time);
  if (instance < 0)
    return isl_stat_error;
  memcpy(in->time + instance * in->n_time, vector + n - in->n_time, in->n_time * sizeof(*vector));
  return isl_stat_ok;
}

/* { S[i] -> A[k] } of one access, restricted to what exists, and to the window if that is unbounded. */
static isl_set *access_points(struct interp *in, const struct tsr_stmt *stmt, const struct tsr_access *access)
{
  isl_map *map = isl_map_intersect_domain(isl_map_copy(access->relation), isl_set_copy(stmt->domain));
  isl_set *set = fix_params(in, isl_map_wrap(isl_map_copy(map)));
  isl_bool bounded = isl_set_is_bounded(set);
  isl_set_free(set);
  if (bounded == isl_bool_false) {
    isl_size n = isl_map_dim(map, isl_dim_out);
    map = isl_map_intersect_range(map, isl_set_copy(in->scop->arrays[access->array].extent));
    for (int i = 0; i < n; i++) {
      map = isl_map_lower_bound_si(map, isl_dim_out, i, WINDOW_LEAST);
      map = isl_map_upper_bound_si(map, isl_dim_out, i, WINDOW_MOST);
    }
  }
  return isl_map_wrap(map);
}

static int compare_links(const void *a, const void *b)
{
  const struct link *x = a, *y = b;
  if (x->instance != y->instance)
    return x->instance < y->instance ? -1 : 1;
  if (x->access != y->access)
    return x->access < y->access ? -1 : 1;
  return x->element < y->element ? -1 : x->element > y->element;
}

/* Fill instances, elements and links. */
static isl_stat list_model(struct interp *in)
{
  struct tsr_scop *scop = in->scop;
  for (in->stmt = 0; in->stmt < scop->n_stmt; in->stmt++) {
    struct tsr_stmt *stmt = &scop->stmts[in->stmt];
    if (foreach_point(in, isl_set_copy(stmt->domain), add_instance) < 0)
      return isl_stat_error;
    for (in->access = 0; in->access < stmt->n_access; in->access++)
      if (foreach_point(in, access_points(in, stmt, &stmt->access[in->access]), add_link) < 0)
        return isl_stat_error;
  }
  long n = in->instances.n_tuple;
  in->first = calloc(n + 1, sizeof(*in->first));
  in->memory = calloc(in->elements.n_tuple + 1, sizeof(*in->memory));
  in->writer = calloc(in->elements.n_tuple + 1, sizeof(*in->writer));
  in->undefined = calloc(in->elements.n_tuple + 1, sizeof(*in->undefined));
  in->runs = calloc(n + 1, sizeof(*in->runs));
  for (int i = 0; i < TSR_N_LOOP_MARK; i++)
    in->marked[i].touch = calloc(in->elements.n_tuple + 1, sizeof(struct touch));
  in->copies.array = calloc(scop->n_array + 1, sizeof(*in->copies.array));
  in->copies.left = calloc(in->elements.n_tuple + 1, sizeof(*in->copies.left));
  bool touches = in->copies.array && in->copies.left;
  for (int i = 0; i < TSR_N_LOOP_MARK; i++)
    touches &= in->marked[i].touch != NULL;
  if (!in->first || !in->memory || !in->writer || !in->undefined || !in->runs || !touches)
    return fail(in, isl_error_alloc, "no memory to interpret the SCoP");
  if (in->n_link)
    qsort(in->link, in->n_link, sizeof(*in->link), compare_links);
  for (long i = 0; i < in->n_link; i++)
    in->first[in->link[i].instance + 1]++;
  for (long i = 0; i < n; i++)
    in->first[i + 1] += in->first[i];
  return isl_stat_ok;
}

static void interp_clear(struct interp *in)
{
  tsr_tuples_clear(&in->instances);
  tsr_tuples_clear(&in->elements);
  free(in->link);
  free(in->first);
  free(in->memory);
  free(in->writer);
  free(in->undefined);
  free(in->runs);
  for (int i = 0; i < TSR_MAX_PACK; i++)
    free(in->buffer[i].cell);
  for (int i = 0; i < TSR_N_LOOP_MARK; i++)
    free(in->marked[i].touch);
  free(in->copies.array);
  free(in->copies.left);
  free(in->time);
}

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
static bool check_touch(struct interp *in, const struct tsr_access *access, long element)
{
  static const char *const names[] = {TSR_MARK_PARALLEL, TSR_MARK_VECTOR, TSR_MARK_LOCKSTEP};
  if (in->scop->arrays[access->array].kind == TSR_ARRAY_SCALAR)
    return true;
  for (int i = 0; i < TSR_N_LOOP_MARK; i++) {
    struct marked *m = &in->marked[i];
    struct touch *t = &m->touch[element];
    if (!m->open || (i == TSR_LOOP_PARALLEL && in->copies.any && in->copies.array[access->array]))
      continue;
    if (t->execution != m->execution)
      *t = (struct touch){.execution = m->execution, .iteration = m->iteration};
    t->several |= t->iteration != m->iteration;
    t->written |= access->kind != TSR_READ;
    char text[128];
    if (t->several && t->written) {
      tsr_message_set(in->why, "two iterations of a loop marked %s touch %s and one of them writes it", names[i],
                      name_element(in, element, text));
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
};

/* One access of an instance to one element. A may write happens in three of four cases, as the hash decides. */
static void run_link(struct interp *in, const struct link *link, const struct tsr_access *access, struct seen *seen)
{
  uint64_t *cell = &in->memory[link->element];
  bool *undefined = &in->undefined[link->element];
  uint64_t value = tsr_hash_mix(seen->state, (uint64_t)link->access);
  value = tsr_hash_vector(value, tsr_tuples_vector(&in->elements, link->element), in->elements.tuple[link->element].n);
  bool relaxed = access->reduction != TSR_RED_NONE && access->reassoc;
  if (access->kind == TSR_READ) {
    seen->folded += relaxed ? 0 : tsr_hash_mix(value, *cell);
    seen->undefined |= !relaxed && *undefined;
    return;
  }
  bool keeps = access->kind == TSR_MAY_WRITE || relaxed;
  *undefined = seen->undefined || (keeps && *undefined);
  if (access->kind == TSR_MAY_WRITE && (value >> 40 & 3) == 0)
    return;
  *cell = relaxed ? reduce(access->reduction, *cell, value) : value;
  in->writer[link->element] = link->instance;
}

/* Execute INSTANCE: its accesses in their order, all elements of one access at once. */
static bool run_instance(struct interp *in, long instance)
{
  const struct tsr_tuple *tuple = &in->instances.tuple[instance];
  const struct tsr_stmt *stmt = &in->scop->stmts[tuple->tag];
  uint64_t name = tsr_hash_name(stmt->name);
  struct seen seen = {.state = tsr_hash_vector(name, tsr_tuples_vector(&in->instances, instance), tuple->n)};
  char text[128];
  if (in->runs[instance]++) {
    tsr_message_set(in->why, "%s runs more than once", name_instance(in, instance, text));
    return false;
  }
  for (long i = in->first[instance]; i < in->first[instance + 1];) {
    const struct tsr_access *access = &stmt->access[in->link[i].access];
    int k = in->link[i].access;
    for (seen.folded = 0; i < in->first[instance + 1] && in->link[i].access == k; i++) {
      if (!check_touch(in, access, in->link[i].element))
        return false;
      run_link(in, &in->link[i], access, &seen);
    }
    if (access->kind == TSR_READ)
      seen.state = tsr_hash_mix(seen.state, seen.folded);
  }
  return true;
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

/* Time stamps of the instances of statement in->stmt, from MAP { S[i] -> [t] }; a callback. */
static isl_stat add_times(isl_map *map, void *user)
{
  struct interp *in = user;
  const char *name = isl_map_get_tuple_name(map, isl_dim_in);
  in->stmt = name ? tsr_scop_find_stmt(in->scop, name) : -1;
  isl_size n_time = isl_map_dim(map, isl_dim_out);
  if (!in->time && n_time >= 0) {
    in->n_time = n_time;
    in->time = calloc(in->instances.n_tuple * n_time + 1, sizeof(*in->time));
  }
  if (in->stmt < 0 || n_time < 0 || n_time != in->n_time || !in->time) {
    isl_map_free(map);
    return isl_stat_error;
  }
  return foreach_point(in, isl_map_wrap(map), add_time);
}

/* Run all instances in the order of the SCoP's own schedule. */
static isl_stat run_original(struct interp *in)
{
  isl_union_map *map = isl_union_map_intersect_domain(isl_schedule_get_map(in->scop->schedule), tsr_scop_domain(in->scop));
  isl_stat stat = isl_union_map_foreach_map(map, add_times, in);
  long n = in->instances.n_tuple;
  struct stamp *stamp = calloc(n + 1, sizeof(*stamp));
  isl_union_map_free(map);
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

static bool on_instance(void *user, const char *stmt, const int64_t *at, int n)
{
  struct interp *in = user;
  int tag = tsr_scop_find_stmt(in->scop, stmt);
  long instance = tag < 0 ? -1 : tsr_tuples_find(&in->instances, tag, at, n);
  if (instance >= 0)
    return run_instance(in, instance);
  tsr_message_set(in->why, "the AST runs an instance of %s outside of its domain", stmt);
  return false;
}

static isl_stat take_element(isl_point *point, void *user)
{
  struct interp *in = user;
  int64_t vector[MAX_DIMS];
  int n = point_vector(point, vector, MAX_DIMS);
  in->found = n < 0 ? -1 : tsr_tuples_find(&in->elements, in->array, vector, n);
  return isl_stat_ok;
}

/* The element that PACK's access reads at AT, be that an instance or not; -1: none that any instance reads. */
static long element_at(struct interp *in, const struct tsr_pack *pack, const int64_t *at, int n)
{
  const struct tsr_access *access = &in->scop->stmts[pack->stmt].access[pack->access];
  isl_map *relation = isl_map_copy(access->relation);
  for (int i = 0; i < n; i++)
    relation = isl_map_fix_val(relation, isl_dim_in, i, isl_val_int_from_si(in->scop->ctx, at[i]));
  in->found = -1;
  in->array = access->array;
  return foreach_point(in, isl_map_range(relation), take_element) < 0 ? -1 : in->found;
}

/* The same for an instance. */
static long element_of(struct interp *in, const struct tsr_pack *pack, const int64_t *at, int n)
{
  long instance = tsr_tuples_find(&in->instances, pack->stmt, at, n);
  for (long i = instance < 0 ? in->n_link : in->first[instance]; i < in->n_link && in->link[i].instance == instance; i++)
    if (in->link[i].access == pack->access)
      return in->link[i].element;
  return -1;
}

/* Element INDEX of buffer NUMBER: a copy fills it, a reader expects the element that it would read otherwise, unchanged. */
static bool on_packed(void *user, const struct tsr_pack *pack, int number, int64_t index, bool copy, const int64_t *at,
                      int n)
{
  struct interp *in = user;
  struct buffer *b = &in->buffer[number];
  char text[128];
  if (!b->cell) {
    b->n = pack->size[0] * pack->size[1] * pack->size[2];
    b->cell = calloc(b->n, sizeof(*b->cell));
  }
  if (!b->cell || index < 0 || index >= b->n) {
    tsr_message_set(in->why, "the AST uses element %lld of a buffer of %ld", (long long)index, b->n);
    return false;
  }
  long element = copy ? element_at(in, pack, at, n) : element_of(in, pack, at, n);
  if (element < 0) {
    tsr_message_set(in->why, "element %lld of a buffer is none that the SCoP reads", (long long)index);
    return false;
  }
  if (copy)
    b->cell[index] = (struct cell){element + 1, in->memory[element]};
  if (b->cell[index].element == element + 1 && b->cell[index].value == in->memory[element])
    return true;
  tsr_message_set(in->why, "element %lld of a buffer isn't %s", (long long)index, name_element(in, element, text));
  return false;
}

/* ---- private arrays ---- */

static void copies_begin(struct interp *in, const char *mark)
{
  struct copies *copies = &in->copies;
  copies->begun = 0;
  copies->any = mark && strcmp(mark, TSR_MARK_PARALLEL) != 0 && tsr_private_read(mark, in->scop, copies->array);
}

/* Is element I one of those? */
static bool is_copied(struct interp *in, long i)
{
  return in->copies.array[in->elements.tuple[i].tag];
}

/* The next iteration has values of its own. */
static void copies_next(struct interp *in)
{
  struct copies *copies = &in->copies;
  long n = copies->any ? in->elements.n_tuple : 0;
  copies->begun++;
  for (long i = 0; i < n && copies->begun == 2; i++)
    copies->left[i] = (struct cell_state){in->memory[i], in->writer[i], in->undefined[i]};
  for (long i = 0; i < n && copies->begun >= 2; i++)
    if (is_copied(in, i)) {
      in->memory[i] = tsr_hash_mix((uint64_t)i, (uint64_t)copies->begun);
      in->writer[i] = -1;
      in->undefined[i] = false;
    }
}

static void copies_end(struct interp *in)
{
  struct copies *copies = &in->copies;
  for (long i = 0; copies->any && copies->begun >= 2 && i < in->elements.n_tuple; i++)
    if (is_copied(in, i)) {
      in->memory[i] = copies->left[i].memory;
      in->writer[i] = copies->left[i].writer;
      in->undefined[i] = copies->left[i].undefined;
    }
  copies->any = false;
}

static void on_begin(void *user, enum tsr_loop_mark mark, const char *name)
{
  struct interp *in = user;
  in->marked[mark].execution++;
  if (mark == TSR_LOOP_PARALLEL)
    copies_begin(in, name);
}

static void on_iteration(void *user, enum tsr_loop_mark mark, int64_t iterator)
{
  struct interp *in = user;
  in->marked[mark].open = true;
  in->marked[mark].iteration = iterator;
  if (mark == TSR_LOOP_PARALLEL)
    copies_next(in);
}

static void on_end(void *user, enum tsr_loop_mark mark)
{
  struct interp *in = user;
  in->marked[mark].open = false;
  if (mark == TSR_LOOP_PARALLEL)
    copies_end(in);
}

static isl_bool run_tree(struct interp *in, isl_ast_node *ast)
{
  struct tsr_ast_run run = {.context = in->scop->context,
                            .values = in->values,
                            .fuel = 64 * in->limit + 4096,
                            .why = in->why,
                            .user = in,
                            .instance = on_instance,
                            .packed = on_packed,
                            .begin = on_begin,
                            .iteration = on_iteration,
                            .end = on_end};
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

/* Did every instance run, and does each element that lives on hold what the ORIGINAL order left, if that was defined? */
static isl_bool compare(struct interp *in, const struct outcome *original)
{
  char element[128], now[128], then[128];
  for (long i = 0; i < in->instances.n_tuple; i++) {
    if (in->runs[i])
      continue;
    tsr_message_set(in->why, "%s does not run", name_instance(in, i, now));
    return isl_bool_false;
  }
  for (long i = 0; i < in->elements.n_tuple; i++) {
    bool lives = in->scop->arrays[in->elements.tuple[i].tag].live_out && !original->undefined[i];
    if (!lives || in->memory[i] == original->memory[i])
      continue;
    tsr_message_set(in->why, "%s differs at the end: written last by %s, in the original order by %s",
                    name_element(in, i, element), name_instance(in, in->writer[i], now),
                    name_instance(in, original->writer[i], then));
    return isl_bool_false;
  }
  return isl_bool_true;
}

/* Do the values satisfy what the AST was made for? */
static isl_bool are_values_allowed(struct interp *in)
{
  isl_set *known = isl_set_intersect(isl_set_copy(in->scop->context), isl_set_copy(in->scop->assumed));
  known = fix_params(in, known);
  isl_bool empty = isl_set_is_empty(known);
  isl_set_free(known);
  return isl_bool_not(empty);
}

static isl_bool run_both(struct interp *in, isl_ast_node *ast)
{
  isl_bool allowed = are_values_allowed(in);
  if (allowed == isl_bool_false)
    fail(in, isl_error_invalid, "the parameter values contradict the context or the assumptions");
  if (allowed != isl_bool_true || list_model(in) < 0)
    return isl_bool_error;
  reset_memory(in);
  if (run_original(in) < 0)
    return isl_bool_error;
  struct outcome original = {NULL, NULL, NULL};
  isl_bool same = isl_bool_error;
  if (outcome_copy(&original, in)) {
    reset_memory(in);
    same = run_tree(in, ast);
  }
  if (same == isl_bool_true)
    same = compare(in, &original);
  outcome_clear(&original);
  return same;
}

/* requires: one value a parameter of the context, satisfying context and assumptions.
 * on failure: isl_bool_error, with isl_error_quota when more than LIMIT instances would run. */
isl_bool tsr_interp_compare(struct tsr_scop *scop, isl_ast_node *ast, const long *values, long limit, char **why)
{
  struct interp in = {.scop = scop, .values = values, .limit = limit, .why = why};
  if (why)
    *why = NULL;
  isl_bool same = run_both(&in, ast);
  interp_clear(&in);
  return same;
}
