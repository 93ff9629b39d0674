/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Listing a SCoP at fixed parameters: instances, elements, accesses, times and origins, point by point. */
#include "ast/symbolic.h"
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* Unbounded accesses (over-approximations) are taken for accesses to this window of each dimension. */
enum { WINDOW_LEAST = -4, WINDOW_MOST = 24 };

isl_stat tsr_symbolic_fail(struct interp *in, enum isl_error error, const char *why)
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

const char *tsr_symbolic_instance(struct interp *in, long i, char text[128])
{
  if (i < 0)
    return "nobody";
  return name_tuple(&in->instances, i, in->scop->stmts[in->instances.tuple[i].tag].name, "()", text);
}

const char *tsr_symbolic_element(struct interp *in, long i, char text[128])
{
  return name_tuple(&in->elements, i, in->scop->arrays[in->elements.tuple[i].tag].name, "[]", text);
}

/* SET, a set or wrapped relation, at the parameter values, without parameters. */
isl_set *tsr_symbolic_fix(struct interp *in, isl_set *set)
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
isl_stat tsr_symbolic_foreach_point(struct interp *in, isl_set *set, isl_stat (*fn)(isl_point *point, void *user))
{
  set = tsr_symbolic_fix(in, set);
  isl_size n_param = isl_set_dim(set, isl_dim_param);
  isl_bool bounded = isl_set_is_bounded(set);
  isl_stat stat = isl_stat_error;
  if (n_param > 0)
    tsr_symbolic_fail(in, isl_error_invalid, "a parameter is missing in the context of the SCoP");
  else if (n_param == 0 && bounded == isl_bool_false)
    tsr_symbolic_fail(in, isl_error_invalid, "an unbounded domain cannot be interpreted");
  else if (n_param == 0 && bounded == isl_bool_true)
    stat = isl_set_foreach_point(set, fn, in);
  isl_set_free(set);
  return stat;
}

/* The coordinates of POINT, freed, at most MAX; their number or -1. */
int tsr_symbolic_vector(isl_point *point, int64_t *vector, int max)
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

static isl_stat add_instance(isl_point *point, void *user)
{
  struct interp *in = user;
  int64_t vector[TSR_SYMBOLIC_DIMS];
  int n = tsr_symbolic_vector(point, vector, TSR_SYMBOLIC_DIMS);
  if (n < 0 || tsr_tuples_add(&in->instances, in->stmt, vector, n) < 0)
    return isl_stat_error;
  return in->instances.n_tuple <= in->limit ? isl_stat_ok
                                            : tsr_symbolic_fail(in, isl_error_quota, "too many instances to interpret");
}

static isl_stat add_link(isl_point *point, void *user)
{
  struct interp *in = user;
  const struct tsr_access *access = &in->scop->stmts[in->stmt].access[in->access];
  int64_t vector[TSR_SYMBOLIC_DIMS];
  int n = tsr_symbolic_vector(point, vector, TSR_SYMBOLIC_DIMS), n_in = n - in->scop->arrays[access->array].n_dim;
  if (n < 0 || in->n_link >= 64 * in->limit)
    return tsr_symbolic_fail(in, isl_error_quota, "too many accesses to interpret");
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
  int64_t vector[2 * TSR_SYMBOLIC_DIMS];
  int n = tsr_symbolic_vector(point, vector, 2 * TSR_SYMBOLIC_DIMS);
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
  isl_set *set = tsr_symbolic_fix(in, isl_map_wrap(isl_map_copy(map)));
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
isl_stat tsr_symbolic_list(struct interp *in)
{
  struct tsr_scop *scop = in->scop;
  for (in->stmt = 0; in->stmt < scop->n_stmt; in->stmt++) {
    struct tsr_stmt *stmt = &scop->stmts[in->stmt];
    if (tsr_symbolic_foreach_point(in, isl_set_copy(stmt->domain), add_instance) < 0)
      return isl_stat_error;
    for (in->access = 0; in->access < stmt->n_access; in->access++)
      if (tsr_symbolic_foreach_point(in, access_points(in, stmt, &stmt->access[in->access]), add_link) < 0)
        return isl_stat_error;
  }
  long n = in->instances.n_tuple;
  in->first = calloc(n + 1, sizeof(*in->first));
  in->memory = calloc(in->elements.n_tuple + 1, sizeof(*in->memory));
  in->writer = calloc(in->elements.n_tuple + 1, sizeof(*in->writer));
  in->undefined = calloc(in->elements.n_tuple + 1, sizeof(*in->undefined));
  in->runs = calloc(n + 1, sizeof(*in->runs));
  in->life = calloc(scop->n_array + 1, sizeof(*in->life));
  in->exists = calloc(in->elements.n_tuple + 1, sizeof(*in->exists));
  bool marked = tsr_marked_init(in) == isl_stat_ok;
  if (!in->first || !in->memory || !in->writer || !in->undefined || !in->runs || !in->life || !in->exists || !marked)
    return tsr_symbolic_fail(in, isl_error_alloc, "no memory to interpret the SCoP");
  if (in->n_link)
    qsort(in->link, in->n_link, sizeof(*in->link), compare_links);
  for (long i = 0; i < in->n_link; i++)
    in->first[in->link[i].instance + 1]++;
  for (long i = 0; i < n; i++)
    in->first[i + 1] += in->first[i];
  return isl_stat_ok;
}

void tsr_symbolic_clear(struct interp *in)
{
  tsr_tuples_clear(&in->instances);
  tsr_tuples_clear(&in->elements);
  free(in->link);
  free(in->first);
  free(in->memory);
  free(in->writer);
  free(in->undefined);
  free(in->runs);
  tsr_marked_clear(in);
  free(in->time);
  free(in->origin);
  free(in->life);
  free(in->exists);
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
  return tsr_symbolic_foreach_point(in, isl_map_wrap(map), add_time);
}

isl_stat tsr_symbolic_times(struct interp *in, isl_schedule *schedule)
{
  isl_union_map *map = isl_union_map_intersect_domain(isl_schedule_get_map(schedule), tsr_scop_domain(in->scop));
  isl_stat stat = isl_union_map_foreach_map(map, add_times, in);
  isl_union_map_free(map);
  return stat;
}

/* ---- origins ---- */

static isl_stat add_origin(isl_point *point, void *user)
{
  struct interp *in = user;
  int64_t vector[2 * TSR_SYMBOLIC_DIMS];
  int n = tsr_symbolic_vector(point, vector, 2 * TSR_SYMBOLIC_DIMS), n_in = in->n_time;
  long instance = n < 0 ? -1 : tsr_tuples_find(&in->instances, in->stmt, vector, n_in);
  if (instance < 0)
    return isl_stat_error;
  in->origin[instance] = tsr_tuples_find(&in->base->instances, in->array, vector + n_in, n - n_in);
  return isl_stat_ok;
}

isl_stat tsr_symbolic_origins(struct interp *in, struct tsr_program *program)
{
  long n = in->instances.n_tuple;
  in->origin = malloc((n + 1) * sizeof(*in->origin));
  if (!in->origin)
    return isl_stat_error;
  for (long i = 0; i < n; i++) {
    const struct tsr_tuple *tuple = &in->instances.tuple[i];
    int number = tsr_stmt_original(program, &in->scop->stmts[tuple->tag]);
    const int64_t *vector = tsr_tuples_vector(&in->instances, i);
    in->origin[i] = number < 0 ? -1 : tsr_tuples_find(&in->base->instances, number, vector, tuple->n);
  }
  for (in->stmt = 0; in->stmt < in->scop->n_stmt; in->stmt++) {
    struct tsr_stmt *stmt = &in->scop->stmts[in->stmt];
    if (!stmt->origin)
      continue;
    in->array = tsr_stmt_original(program, stmt);
    in->n_time = isl_set_dim(stmt->domain, isl_dim_set);
    isl_map *origin = isl_map_intersect_domain(isl_map_copy(stmt->origin), isl_set_copy(stmt->domain));
    if (tsr_symbolic_foreach_point(in, isl_map_wrap(origin), add_origin) < 0)
      return isl_stat_error;
  }
  return isl_stat_ok;
}

/* Is element A of IN in front of B, by their subscripts? */
static bool is_before(const struct interp *in, long a, long b)
{
  const int64_t *x = tsr_tuples_vector(&in->elements, a), *y = tsr_tuples_vector(&in->elements, b);
  int n = in->elements.tuple[a].n, d = 0;
  while (d < n && x[d] == y[d])
    d++;
  return d < n && x[d] < y[d];
}

long tsr_symbolic_rank(const struct interp *in, long first, long n, long element)
{
  long rank = 0;
  for (long i = first; i < first + n; i++)
    rank += is_before(in, in->link[i].element, element);
  return rank;
}
