/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the value of a SCALAR comes from, if that is plain to see in the original schedule:
 *
 *   for i                     W: x = a[i]   writes in each iteration in which R runs,
 *     W                       V            does not write x,
 *     V                       R: b[i] = x  reads what W wrote in the same iteration.
 *     R
 *
 * Most scalars of a loop are like that. What is found here neither dataflow analysis nor a test for privacy need compute. */
#include "bridge.h"
#include <isl/id.h>
#include <isl/val.h>
#include <stdlib.h>

/* A statement's place: the iterator that each loop around runs through, and the loops themselves. */
struct seat {
  int leaf;    /* number of its leaf, from 1; 0: none, or not as simple as that */
  int n;       /* loops around */
  int *member; /* each by its number in the tree */
  int *dim;    /* .. and which iterator of the statement it is */
};

struct seats {
  struct tsr_scop *scop;
  struct seat *of; /* by statement */
  int n_member, n_leaf;
  int now; /* member at hand, from 0; for leaves: the number of it */
  bool odd;
};

/* The iterator that AFF is; -1: it is none. */
static int iterator_of(isl_aff *aff)
{
  isl_size n = isl_aff_dim(aff, isl_dim_in);
  int found = -1;
  for (int i = 0; i < n && found < 0; i++) {
    isl_val *value = isl_aff_get_coefficient_val(aff, isl_dim_in, i);
    if (isl_val_is_one(value) == isl_bool_true)
      found = i;
    isl_val_free(value);
  }
  if (found < 0)
    return -1;
  isl_aff *var = isl_aff_var_on_domain(isl_aff_get_domain_local_space(aff), isl_dim_set, found);
  isl_bool same = isl_aff_plain_is_equal(aff, var);
  isl_aff_free(var);
  return same == isl_bool_true ? found : -1;
}

static isl_stat take_aff(isl_set *domain, isl_aff *aff, void *user)
{
  isl_set_free(domain);
  *(int *)user = iterator_of(aff);
  isl_aff_free(aff);
  return isl_stat_ok;
}

static isl_stat take_time(isl_pw_aff *time, void *user)
{
  struct seats *seats = user;
  isl_id *id = isl_pw_aff_get_tuple_id(time, isl_dim_in);
  int dim = -1, stmt = id ? tsr_scop_find_stmt(seats->scop, isl_id_get_name(id)) : -1;
  isl_id_free(id);
  isl_stat ok = isl_pw_aff_n_piece(time) == 1 ? isl_pw_aff_foreach_piece(time, take_aff, &dim) : isl_stat_ok;
  isl_pw_aff_free(time);
  if (stmt < 0 || ok < 0)
    return isl_stat_error;
  struct seat *seat = &seats->of[stmt];
  int *member = realloc(seat->member, (seat->n + 1) * sizeof(int));
  seat->member = member ? member : seat->member;
  int *dims = realloc(seat->dim, (seat->n + 1) * sizeof(int));
  seat->dim = dims ? dims : seat->dim;
  if (!member || !dims)
    return isl_stat_error;
  member[seat->n] = seats->now;
  dims[seat->n++] = dim;
  return isl_stat_ok;
}

static isl_stat visit_band(struct seats *seats, isl_schedule_node *band)
{
  isl_multi_union_pw_aff *times = isl_schedule_node_band_get_partial_schedule(band);
  isl_size n = isl_multi_union_pw_aff_size(times);
  isl_stat ok = n < 0 ? isl_stat_error : isl_stat_ok;
  for (int i = 0; i < n && ok == isl_stat_ok; i++) {
    isl_union_pw_aff *row = isl_multi_union_pw_aff_get_at(times, i);
    seats->now = seats->n_member++;
    ok = isl_union_pw_aff_foreach_pw_aff(row, take_time, seats);
    isl_union_pw_aff_free(row);
  }
  isl_multi_union_pw_aff_free(times);
  return ok;
}

static isl_stat take_leaf(isl_set *domain, void *user)
{
  struct seats *seats = user;
  int stmt = tsr_scop_find_stmt(seats->scop, isl_set_get_tuple_name(domain));
  isl_set_free(domain);
  if (stmt < 0)
    return isl_stat_error;
  seats->odd |= seats->of[stmt].leaf != 0 || seats->now++ != 0; /* in several leaves, or not alone in one */
  seats->of[stmt].leaf = seats->n_leaf;
  return isl_stat_ok;
}

static isl_stat visit(struct seats *seats, __isl_take isl_schedule_node *node)
{
  isl_stat ok = isl_stat_ok;
  switch (isl_schedule_node_get_type(node)) {
  case isl_schedule_node_leaf: {
    isl_union_set *domain = isl_schedule_node_get_domain(node);
    seats->n_leaf++;
    seats->now = 0;
    ok = isl_union_set_foreach_set(domain, take_leaf, seats);
    isl_union_set_free(domain);
    break;
  }
  case isl_schedule_node_band:
    ok = visit_band(seats, node);
    break;
  case isl_schedule_node_domain:
  case isl_schedule_node_filter:
  case isl_schedule_node_sequence:
  case isl_schedule_node_mark:
    break;
  default:
    seats->odd = true;
  }
  isl_size n = isl_schedule_node_get_type(node) == isl_schedule_node_leaf ? 0 : isl_schedule_node_n_children(node);
  for (int i = 0; i < n && ok == isl_stat_ok && !seats->odd; i++)
    ok = visit(seats, isl_schedule_node_get_child(node, i));
  isl_schedule_node_free(node);
  return n < 0 ? isl_stat_error : ok;
}

/* Do A and B run in the same loops, by the same iterators? */
static bool sit_together(const struct seat *a, const struct seat *b)
{
  bool same = a->n == b->n;
  for (int i = 0; i < a->n && same; i++)
    same = a->member[i] == b->member[i] && a->dim[i] == b->dim[i] && a->dim[i] >= 0;
  return same;
}

/* Which access of STMT is its only write to ARRAY, a must write in all instances? -1: none. *WRITES: does it write at all?
 */
static int only_write(const struct tsr_stmt *stmt, int array, bool *writes)
{
  int found = -1, n = 0;
  for (int k = 0; k < stmt->n_access; k++)
    if (stmt->access[k].array == array && stmt->access[k].kind != TSR_READ) {
      n++;
      if (stmt->access[k].kind == TSR_MUST_WRITE && isl_map_plain_is_universe(stmt->access[k].relation) == isl_bool_true)
        found = k;
    }
  *writes = n > 0;
  return n == 1 ? found : -1;
}

/* Does statement W run wherever statement R does? */
static bool runs_with(const struct tsr_scop *scop, int w, int r)
{
  isl_set *writer = isl_set_reset_tuple_id(isl_set_copy(scop->stmts[w].domain));
  isl_set *reader = isl_set_reset_tuple_id(isl_set_copy(scop->stmts[r].domain));
  isl_bool with = isl_set_plain_is_equal(writer, reader);
  if (with == isl_bool_false)
    with = isl_set_is_subset(reader, writer);
  isl_set_free(writer);
  isl_set_free(reader);
  return with == isl_bool_true;
}

/* The last statement in front of R that writes ARRAY, if it does so in R's iterations: else -1. */
static int find_writer(const struct seats *seats, int r, int array, int *write)
{
  const struct tsr_scop *scop = seats->scop;
  int last = -1;
  for (int i = 0; i < scop->n_stmt; i++) {
    bool writes;
    int k = only_write(&scop->stmts[i], array, &writes);
    if (writes && seats->of[i].leaf < seats->of[r].leaf && (last < 0 || seats->of[i].leaf > seats->of[last].leaf)) {
      last = i;
      *write = k;
    }
  }
  return last >= 0 && *write >= 0 && sit_together(&seats->of[last], &seats->of[r]) && runs_with(scop, last, r) ? last : -1;
}

static isl_stat find_all(struct seats *seats, struct tsr_source *sources)
{
  struct tsr_scop *scop = seats->scop;
  isl_stat ok = visit(seats, isl_schedule_get_root(scop->schedule));
  for (int i = 0, at = 0; i < scop->n_stmt; i++)
    for (int k = 0; k < scop->stmts[i].n_access; k++, at++) {
      const struct tsr_access *access = &scop->stmts[i].access[k];
      sources[at] = (struct tsr_source){-1, -1};
      if (ok == isl_stat_ok && !seats->odd && seats->of[i].leaf && access->kind == TSR_READ &&
          scop->arrays[access->array].kind == TSR_ARRAY_SCALAR &&
          isl_map_plain_is_universe(access->relation) == isl_bool_true)
        sources[at].stmt = find_writer(seats, i, access->array, &sources[at].access);
    }
  return ok;
}

struct tsr_source *tsr_scop_sources(struct tsr_scop *scop)
{
  int n = 0;
  for (int i = 0; i < scop->n_stmt; i++)
    n += scop->stmts[i].n_access;
  struct seats seats = {.scop = scop, .of = calloc(scop->n_stmt + 1, sizeof(*seats.of))};
  struct tsr_source *sources = calloc(n + 1, sizeof(*sources));
  isl_stat ok = seats.of && sources ? find_all(&seats, sources) : isl_stat_error;
  for (int i = 0; seats.of && i < scop->n_stmt; i++) {
    free(seats.of[i].member);
    free(seats.of[i].dim);
  }
  free(seats.of);
  if (ok < 0) {
    free(sources);
    return NULL;
  }
  return sources;
}
