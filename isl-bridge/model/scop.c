/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The SCoP model: construction, destruction, well-formedness and the unions that every later stage starts from.
 *
 *   scop = context, assumed                    sets of parameters
 *          arrays   A_k   { A[i, j] }           what may be accessed
 *          stmts    S_k   { S[i, j] : ... }     with accesses { S[i, j] -> A[..] } in execution order
 *          schedule       a schedule tree over the union of the domains: the original order
 */
#include "model/model.h"
#include <isl/id.h>
#include <isl/space.h>
#include <stdlib.h>
#include <string.h>

struct tsr_scop *tsr_scop_alloc(isl_ctx *ctx, const char *name)
{
  struct tsr_scop *scop = calloc(1, sizeof(*scop));
  if (!scop)
    return NULL;
  scop->kept.marks = calloc(1, sizeof(*scop->kept.marks));
  if (!scop->kept.marks) {
    free(scop);
    return NULL;
  }
  scop->kept.marks->ref = 1;
  scop->ctx = ctx;
  scop->name = strdup(name);
  tsr_machine_find(NULL, &scop->machine);
  scop->context = isl_set_universe(isl_space_params_alloc(ctx, 0));
  scop->assumed = isl_set_copy(scop->context);
  return scop;
}

static void array_clear(struct tsr_array *array)
{
  free(array->name);
  isl_set_free(array->extent);
}

static void stmt_clear(struct tsr_stmt *stmt)
{
  for (int i = 0; i < stmt->n_access; i++)
    isl_map_free(stmt->access[i].relation);
  free(stmt->access);
  for (int i = 0; stmt->loops && stmt->loops[i]; i++)
    free(stmt->loops[i]);
  free(stmt->loops);
  free(stmt->name);
  free(stmt->text);
  isl_set_free(stmt->domain);
  isl_map_free(stmt->origin);
}

static void mark_table_free(struct tsr_mark_table *table)
{
  if (!table || --table->ref > 0)
    return;
  for (int i = 0; i < table->room; i++)
    isl_id_free(table->slot[i]);
  free(table->slot);
  free(table);
}

struct tsr_scop *tsr_scop_free(struct tsr_scop *scop)
{
  if (!scop)
    return NULL;
  for (int i = 0; i < scop->n_array; i++)
    array_clear(&scop->arrays[i]);
  for (int i = 0; i < scop->n_stmt; i++)
    stmt_clear(&scop->stmts[i]);
  free(scop->arrays);
  free(scop->stmts);
  isl_schedule_free(scop->schedule);
  isl_set_free(scop->context);
  isl_set_free(scop->assumed);
  isl_set_free(scop->kept.context);
  isl_set_free(scop->kept.assumed);
  isl_set_free(scop->kept.known);
  isl_set_free(scop->kept.telling);
  isl_set_free(scop->kept.common);
  isl_set_free(scop->kept.typical);
  free(scop->kept.rate);
  isl_schedule_free(scop->kept.costed);
  free(scop->kept.cost);
  for (int i = 0; i < TSR_N_INNERMOST; i++)
    isl_schedule_node_free(scop->kept.innermost[i].band);
  for (int i = 0; i < TSR_N_ORDERS; i++) {
    isl_map_free(scop->kept.order[i].map);
    isl_set_free(scop->kept.order[i].domain);
    free(scop->kept.order[i].loops);
  }
  mark_table_free(scop->kept.marks);
  free(scop->name);
  free(scop->file);
  free(scop->commands);
  free(scop);
  return NULL;
}

isl_stat tsr_stmt_name_loop(struct tsr_stmt *stmt, int dim, const char *name)
{
  int n = 0;
  while (stmt->loops && stmt->loops[n])
    n++;
  if (dim >= n) {
    char **more = realloc(stmt->loops, (size_t)(dim + 2) * sizeof(*more));
    if (!more)
      return isl_stat_error;
    stmt->loops = more;
    for (int i = n; i < dim + 2; i++)
      more[i] = i <= dim ? strdup("") : NULL;
  }
  free(stmt->loops[dim]);
  stmt->loops[dim] = strdup(name);
  return stmt->loops[dim] ? isl_stat_ok : isl_stat_error;
}

static void stmt_copy(struct tsr_stmt *stmt, const struct tsr_stmt *old)
{
  *stmt = *old;
  stmt->name = strdup(old->name);
  stmt->text = old->text ? strdup(old->text) : NULL;
  stmt->loops = NULL;
  for (int i = 0; old->loops && old->loops[i]; i++)
    tsr_stmt_name_loop(stmt, i, old->loops[i]);
  stmt->domain = isl_set_copy(old->domain);
  stmt->origin = isl_map_copy(old->origin);
  stmt->access = calloc(old->n_access + 1, sizeof(*stmt->access));
  stmt->n_access = stmt->access ? old->n_access : 0;
  for (int k = 0; k < stmt->n_access; k++) {
    stmt->access[k] = old->access[k];
    stmt->access[k].relation = isl_map_copy(old->access[k].relation);
  }
}

struct tsr_scop *tsr_scop_copy(struct tsr_scop *original)
{
  struct tsr_scop *scop = tsr_scop_alloc(original->ctx, original->name);
  if (!scop)
    return NULL;
  isl_set_free(scop->context);
  isl_set_free(scop->assumed);
  mark_table_free(scop->kept.marks);
  scop->kept.marks = original->kept.marks;
  scop->kept.marks->ref++;
  scop->file = original->file ? strdup(original->file) : NULL;
  scop->line = original->line;
  scop->context = isl_set_copy(original->context);
  scop->assumed = isl_set_copy(original->assumed);
  scop->conditions = original->conditions;
  if (original->kept.context == original->context && original->kept.assumed == original->assumed) {
    scop->kept.context = isl_set_copy(original->kept.context);
    scop->kept.assumed = isl_set_copy(original->kept.assumed);
    scop->kept.known = isl_set_copy(original->kept.known);
    scop->kept.telling = isl_set_copy(original->kept.telling);
    scop->kept.common = isl_set_copy(original->kept.common);
    scop->kept.typical = isl_set_copy(original->kept.typical);
  }
  scop->schedule = isl_schedule_copy(original->schedule);
  scop->machine = original->machine;
  scop->no_buffers = original->no_buffers;
  scop->no_panels = original->no_panels;
  scop->commands = original->commands ? strdup(original->commands) : NULL;
  scop->arrays = calloc(original->n_array + 1, sizeof(*scop->arrays));
  scop->stmts = calloc(original->n_stmt + 1, sizeof(*scop->stmts));
  if (!scop->arrays || !scop->stmts)
    return tsr_scop_free(scop);
  for (int i = 0; i < original->n_array; i++) {
    struct tsr_array *array = &scop->arrays[scop->n_array++];
    *array = original->arrays[i];
    array->name = strdup(array->name);
    array->extent = isl_set_copy(array->extent);
  }
  for (int i = 0; i < original->n_stmt; i++)
    stmt_copy(&scop->stmts[scop->n_stmt++], &original->stmts[i]);
  return scop;
}

void tsr_scop_drop_stmts(struct tsr_scop *scop)
{
  for (int i = 0; i < scop->n_stmt; i++)
    stmt_clear(&scop->stmts[i]);
  scop->n_stmt = 0;
}

isl_size tsr_scop_add_array(struct tsr_scop *scop, const char *name, enum tsr_array_kind kind, int elem_size,
                            isl_set *extent)
{
  if (!extent)
    extent = isl_set_universe(isl_space_set_alloc(scop->ctx, 0, 0));
  extent = isl_set_set_tuple_name(extent, name);
  isl_size n_dim = isl_set_dim(extent, isl_dim_set);
  struct tsr_array *grown = realloc(scop->arrays, (scop->n_array + 1) * sizeof(*grown));
  if (grown)
    scop->arrays = grown;
  if (n_dim < 0 || !grown) {
    isl_set_free(extent);
    return isl_size_error;
  }
  scop->arrays[scop->n_array] = (struct tsr_array){.name = strdup(name),
                                                   .kind = kind,
                                                   .n_dim = n_dim,
                                                   .elem_size = elem_size,
                                                   .extent = extent,
                                                   .live_in = kind == TSR_ARRAY_MEMORY,
                                                   .live_out = kind == TSR_ARRAY_MEMORY};
  return scop->n_array++;
}

isl_size tsr_scop_add_stmt(struct tsr_scop *scop, const char *name, isl_set *domain)
{
  domain = isl_set_set_tuple_name(domain, name);
  struct tsr_stmt *grown = realloc(scop->stmts, (scop->n_stmt + 1) * sizeof(*grown));
  if (grown)
    scop->stmts = grown;
  if (!domain || !grown) {
    isl_set_free(domain);
    return isl_size_error;
  }
  scop->kept.typical = isl_set_free(scop->kept.typical);
  scop->stmts[scop->n_stmt] = (struct tsr_stmt){.name = strdup(name), .domain = domain, .weight = 1};
  return scop->n_stmt++;
}

isl_size tsr_scop_add_access(struct tsr_scop *scop, int stmt, enum tsr_access_kind kind, isl_map *relation)
{
  struct tsr_stmt *s = &scop->stmts[stmt];
  const char *name = isl_map_get_tuple_name(relation, isl_dim_out);
  int array = name ? tsr_scop_find_array(scop, name) : -1;
  relation = isl_map_set_tuple_name(relation, isl_dim_in, s->name);
  struct tsr_access *grown = realloc(s->access, (s->n_access + 1) * sizeof(*grown));
  if (grown)
    s->access = grown;
  if (!relation || array < 0 || !grown) {
    isl_map_free(relation);
    return isl_size_error;
  }
  s->access[s->n_access] = (struct tsr_access){.kind = kind, .array = array, .relation = relation};
  return s->n_access++;
}

isl_stat tsr_scop_set_schedule(struct tsr_scop *scop, isl_schedule *schedule)
{
  isl_schedule_free(scop->schedule);
  scop->schedule = schedule;
  return isl_stat_non_null(schedule);
}

int tsr_scop_find_array(struct tsr_scop *scop, const char *name)
{
  for (int i = 0; i < scop->n_array; i++)
    if (!strcmp(scop->arrays[i].name, name))
      return i;
  return -1;
}

bool tsr_scop_writes(const struct tsr_scop *scop, int array)
{
  for (int i = 0; i < scop->n_stmt; i++)
    for (int k = 0; k < scop->stmts[i].n_access; k++)
      if (scop->stmts[i].access[k].array == array && scop->stmts[i].access[k].kind != TSR_READ)
        return true;
  return false;
}

bool tsr_scop_has_expanded(struct tsr_scop *scop)
{
  bool has = false;
  for (int i = 0; i < scop->n_array; i++)
    has |= tsr_array_is_expanded(&scop->arrays[i]);
  return has;
}

int tsr_scop_find_stmt(struct tsr_scop *scop, const char *name)
{
  for (int i = 0; i < scop->n_stmt; i++)
    if (!strcmp(scop->stmts[i].name, name))
      return i;
  return -1;
}

static isl_stat invalid(struct tsr_scop *scop, const char *why)
{
  if (isl_ctx_last_error(scop->ctx) == isl_error_none) /* else isl has given up before */
    isl_handle_error(scop->ctx, isl_error_invalid, why, __FILE__, __LINE__);
  return isl_stat_error;
}

/* One access: both tuples named after existing objects of the right dimension. */
static isl_stat access_validate(struct tsr_scop *scop, struct tsr_stmt *stmt, struct tsr_access *access)
{
  if (access->array < 0 || access->array >= scop->n_array)
    return invalid(scop, "access to an array that does not exist");
  const char *in = isl_map_get_tuple_name(access->relation, isl_dim_in);
  const char *out = isl_map_get_tuple_name(access->relation, isl_dim_out);
  if (!in || !out || strcmp(in, stmt->name) || strcmp(out, scop->arrays[access->array].name))
    return invalid(scop, "access relation with a wrong tuple name");
  if (isl_map_dim(access->relation, isl_dim_in) != isl_set_dim(stmt->domain, isl_dim_set))
    return invalid(scop, "access relation with a wrong number of iteration dimensions");
  if (isl_map_dim(access->relation, isl_dim_out) != scop->arrays[access->array].n_dim)
    return invalid(scop, "access relation with a wrong number of subscripts");
  return isl_stat_ok;
}

/* Is SCHEDULED the union of the statements' domains? */
static isl_bool has_all(struct tsr_scop *scop, isl_union_set *scheduled)
{
  isl_bool equal = isl_bool_true;
  isl_size n = 0;
  for (int i = 0; i < scop->n_stmt && equal == isl_bool_true; i++) {
    isl_set *domain = scop->stmts[i].domain;
    isl_set *part = isl_union_set_extract_set(scheduled, isl_set_get_space(domain));
    equal = isl_set_plain_is_equal(part, domain);
    if (equal == isl_bool_false)
      equal = isl_set_is_equal(part, domain);
    n += isl_set_plain_is_empty(part) == isl_bool_false;
    isl_set_free(part);
  }
  return equal == isl_bool_true ? isl_bool_ok(n == isl_union_set_n_set(scheduled)) : equal;
}

isl_stat tsr_scop_validate(struct tsr_scop *scop)
{
  if (!scop->schedule)
    return invalid(scop, "SCoP without a schedule");
  for (int i = 0; i < scop->n_stmt; i++)
    for (int j = 0; j < scop->stmts[i].n_access; j++)
      if (access_validate(scop, &scop->stmts[i], &scop->stmts[i].access[j]) < 0)
        return isl_stat_error;
  isl_union_set *scheduled = isl_schedule_get_domain(scop->schedule);
  isl_bool equal = has_all(scop, scheduled);
  isl_union_set_free(scheduled);
  if (equal < 0)
    return isl_stat_error;
  return equal ? isl_stat_ok : invalid(scop, "the schedule's domain is not the union of the statements' domains");
}

isl_union_set *tsr_scop_domain(struct tsr_scop *scop)
{
  isl_union_set *domain = isl_union_set_empty_ctx(scop->ctx);
  for (int i = 0; i < scop->n_stmt; i++)
    domain = isl_union_set_add_set(domain, isl_set_copy(scop->stmts[i].domain));
  return domain;
}

/* { S[i] -> [S[i] -> S_k[]] }, to prefix an access relation with its tag. */
static isl_map *tag_map(struct tsr_scop *scop, struct tsr_stmt *stmt, int k)
{
  char name[32];
  snprintf(name, sizeof(name), "_%d", k);
  char *full = malloc(strlen(stmt->name) + sizeof(name));
  sprintf(full, "%s%s", stmt->name, name);
  isl_space *tag = isl_space_set_tuple_name(isl_space_set_alloc(scop->ctx, 0, 0), isl_dim_set, full);
  free(full);
  isl_set *universe = isl_set_universe(tag);
  isl_map *map = isl_map_from_domain_and_range(isl_set_copy(stmt->domain), universe);
  return isl_map_reverse(isl_map_domain_map(map));
}

/* Access K of STMT, of an instance that there is. */
static isl_map *access_map(struct tsr_stmt *stmt, int k)
{
  return isl_map_intersect_domain(isl_map_copy(stmt->access[k].relation), isl_set_copy(stmt->domain));
}

isl_map *tsr_scop_tagged_access(struct tsr_scop *scop, int stmt, int k)
{
  struct tsr_stmt *s = &scop->stmts[stmt];
  return isl_map_apply_domain(access_map(s, k), tag_map(scop, s, k));
}

isl_union_map *tsr_scop_accesses(struct tsr_scop *scop, unsigned kinds, unsigned arrays)
{
  isl_union_map *all = isl_union_map_empty_ctx(scop->ctx);
  for (int i = 0; i < scop->n_stmt; i++)
    for (int k = 0; k < scop->stmts[i].n_access; k++) {
      struct tsr_access *access = &scop->stmts[i].access[k];
      if (kinds >> access->kind & 1 && arrays >> scop->arrays[access->array].kind & 1)
        all = isl_union_map_add_map(all, access_map(&scop->stmts[i], k));
    }
  return all;
}

isl_schedule *tsr_scop_part_schedule(struct tsr_scop *scop, isl_union_set *set)
{
  return isl_schedule_intersect_domain(isl_schedule_copy(scop->schedule), isl_union_set_universe(set));
}

bool tsr_stmt_is_guarded(const struct tsr_stmt *stmt)
{
  bool guarded = false;
  for (int i = 0; i < stmt->n_access; i++)
    guarded |= stmt->access[i].guard;
  return guarded;
}

int tsr_stmt_only_write(const struct tsr_stmt *stmt)
{
  int write = -1, n = 0;
  for (int i = 0; i < stmt->n_access; i++)
    if (stmt->access[i].kind != TSR_READ) {
      write = i;
      n++;
    }
  bool done = n == 1 && (stmt->access[write].kind == TSR_MUST_WRITE || tsr_stmt_is_guarded(stmt));
  return done ? write : -1;
}

/* { A[e] } of ARRAY, all elements that are loaded or stored for sure. */
static isl_set *touched(struct tsr_scop *scop, int array)
{
  isl_set *all = isl_set_empty(isl_set_get_space(scop->arrays[array].extent));
  for (int i = 0; i < scop->n_stmt; i++)
    for (int k = 0; k < scop->stmts[i].n_access; k++) {
      const struct tsr_access *access = &scop->stmts[i].access[k];
      if (access->array == array && access->kind != TSR_MAY_WRITE && !access->maybe &&
          isl_map_is_single_valued(access->relation) == isl_bool_true)
        all = isl_set_union(all, isl_map_range(access_map(&scop->stmts[i], k)));
    }
  return isl_set_coalesce(all);
}

void tsr_scop_find_sure(struct tsr_scop *scop)
{
  isl_set *context = tsr_scop_common(scop);
  isl_set **there = calloc(scop->n_array + 1, sizeof(*there)); /* by array, as far as it is asked for */
  for (int i = 0; i < scop->n_stmt && there; i++)
    for (int k = 0; k < scop->stmts[i].n_access; k++) {
      struct tsr_access *access = &scop->stmts[i].access[k];
      if (!access->maybe || scop->arrays[access->array].kind != TSR_ARRAY_MEMORY)
        continue;
      if (!there[access->array]) /* what is found to be in it adds nothing to it */
        there[access->array] = touched(scop, access->array);
      isl_set *needed = isl_set_intersect_params(isl_map_range(access_map(&scop->stmts[i], k)), isl_set_copy(context));
      access->maybe = isl_set_is_subset(needed, there[access->array]) != isl_bool_true;
      isl_set_free(needed);
    }
  for (int i = 0; i < scop->n_array && there; i++)
    isl_set_free(there[i]);
  free(there);
  isl_set_free(context);
}
