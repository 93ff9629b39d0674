/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nests as stages: what runs in which iteration of a nest's outermost band. */
#include "tree/stages/outer_nests.h"
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* What find_stage works on. */
struct finder {
  struct tsr_nests *stages;
  struct tsr_program *program;
  int *n_nest; /* by statement: in how many nests is it? */
};

/* ---- iterators -------------------------------------------------------------------------------------------------- */

static isl_stat take_value(isl_set *domain, isl_aff *aff, void *user)
{
  isl_aff **value = user;
  isl_set_free(domain);
  isl_aff_free(*value);
  *value = aff;
  return isl_stat_ok;
}

/* What ROW says of STMT. */
static isl_pw_aff *row_of(isl_union_pw_aff *row, const struct tsr_stmt *stmt)
{
  isl_space *space = isl_space_from_domain(isl_set_get_space(stmt->domain));
  return isl_union_pw_aff_extract_pw_aff(row, isl_space_add_dims(space, isl_dim_out, 1));
}

/* The value of member D of BAND for STMT, where it is affine; NULL: it isn't. */
static isl_aff *loop_value(isl_schedule_node *band, int d, const struct tsr_stmt *stmt)
{
  isl_multi_union_pw_aff *rows = isl_schedule_node_band_get_partial_schedule(band);
  isl_union_pw_aff *row = isl_multi_union_pw_aff_get_at(rows, d);
  isl_pw_aff *own = row_of(row, stmt);
  isl_aff *value = NULL;
  if (isl_pw_aff_n_piece(own) == 1)
    isl_pw_aff_foreach_piece(own, take_value, &value);
  isl_pw_aff_free(own);
  isl_union_pw_aff_free(row);
  isl_multi_union_pw_aff_free(rows);
  return value;
}

/* The iterator that VALUE is up to a constant; -1: none. */
static int iterator_of(isl_aff *value)
{
  int found = -1, n_moving = 0;
  isl_size n = isl_aff_dim(value, isl_dim_in), n_param = isl_aff_dim(value, isl_dim_param);
  bool plain = isl_aff_dim(value, isl_dim_div) == 0;
  for (int i = 0; i < n && plain; i++) {
    isl_val *factor = isl_aff_get_coefficient_val(value, isl_dim_in, i);
    bool moving = isl_val_is_zero(factor) == isl_bool_false;
    plain = !moving || isl_val_is_one(factor) == isl_bool_true;
    n_moving += moving;
    found = moving ? i : found;
    isl_val_free(factor);
  }
  if (plain)
    plain = isl_aff_involves_dims(value, isl_dim_param, 0, n_param) == isl_bool_false;
  isl_val *constant = isl_aff_get_constant_val(value);
  plain = plain && isl_val_is_int(constant) == isl_bool_true;
  isl_val_free(constant);
  return plain && n_moving == 1 ? found : -1;
}

/* An iterator of a statement. */
struct iterator {
  const struct tsr_stmt *stmt;
  int i;
  isl_schedule_node *band; /* but in this one */
};

static isl_bool row_is_free(isl_union_pw_aff *row, const struct iterator *it)
{
  isl_pw_aff *own = row_of(row, it->stmt);
  isl_bool involved = isl_pw_aff_involves_dims(own, isl_dim_in, it->i, 1);
  isl_pw_aff_free(own);
  isl_union_pw_aff_free(row);
  return isl_bool_not(involved);
}

/* Does NODE, if it is one below the band, say nothing of the iterator? */
static isl_bool is_free(isl_schedule_node *node, void *user)
{
  const struct iterator *it = user;
  isl_bool free = isl_bool_true;
  if (isl_schedule_node_is_equal(node, it->band) == isl_bool_true)
    return isl_bool_true;
  if (isl_schedule_node_get_type(node) == isl_schedule_node_band) {
    isl_multi_union_pw_aff *rows = isl_schedule_node_band_get_partial_schedule(node);
    for (int d = 0; d < isl_schedule_node_band_n_member(node) && free == isl_bool_true; d++)
      free = row_is_free(isl_multi_union_pw_aff_get_at(rows, d), it);
    isl_multi_union_pw_aff_free(rows);
  } else if (isl_schedule_node_get_type(node) == isl_schedule_node_filter) {
    isl_union_set *filter = isl_schedule_node_filter_get_filter(node);
    isl_set *own = isl_union_set_extract_set(filter, isl_set_get_space(it->stmt->domain));
    isl_bool empty = isl_set_is_empty(own);
    free = empty == isl_bool_false ? isl_bool_not(isl_set_involves_dims(own, isl_dim_set, it->i, 1)) : empty;
    isl_set_free(own);
    isl_union_set_free(filter);
  }
  return free;
}

/* Find the iterators of all loops of STAGE; false: not all have one. */
static bool find_iterators(struct tsr_nest *stage, struct tsr_scop *scop)
{
  for (int s = 0; s < scop->n_stmt; s++)
    for (int d = 0; d < stage->n_loop && stage->has[s]; d++) {
      isl_aff *value = loop_value(stage->band, d, &scop->stmts[s]);
      struct iterator it = {&scop->stmts[s], value ? iterator_of(value) : -1, stage->band};
      isl_aff_free(value);
      if (it.i < 0 || isl_schedule_node_every_descendant(stage->band, is_free, &it) != isl_bool_true)
        return false;
      stage->iterator[s][d] = it.i;
    }
  return true;
}

/* ---- stages ------------------------------------------------------------------------------------------------------ */

static void stage_clear(struct tsr_nest *stage)
{
  isl_schedule_node_free(stage->band);
  isl_set_free(stage->iterations);
  free(stage->has);
  free(stage->iterator);
}

void tsr_nests_clear(struct tsr_nests *stages)
{
  for (int i = 0; i < stages->n; i++)
    stage_clear(&stages->stage[i]);
  free(stages->stage);
  *stages = (struct tsr_nests){0};
}

bool tsr_nest_touches(const struct tsr_nest *stage, const struct tsr_scop *scop, int array, bool reads)
{
  for (int s = 0; s < scop->n_stmt; s++)
    for (int k = 0; k < scop->stmts[s].n_access && stage->has[s]; k++)
      if (scop->stmts[s].access[k].array == array && (scop->stmts[s].access[k].kind == TSR_READ) == reads)
        return true;
  return false;
}

isl_map *tsr_nest_order(const struct tsr_nest *stage, struct tsr_scop *scop, int number)
{
  isl_union_map *order = isl_schedule_node_band_get_partial_schedule_union_map(stage->band);
  order = isl_union_map_intersect_domain(order, isl_union_set_from_set(isl_set_copy(scop->stmts[number].domain)));
  return isl_map_reset_tuple_id(isl_map_from_union_map(order), isl_dim_out);
}

isl_map *tsr_nest_accesses(const struct tsr_nest *stage, struct tsr_scop *scop, int array, enum tsr_nest_accesses which)
{
  isl_map *all = NULL;
  for (int s = 0; s < scop->n_stmt; s++)
    for (int k = 0; k < scop->stmts[s].n_access && stage->has[s]; k++) {
      const struct tsr_access *access = &scop->stmts[s].access[k];
      if (access->array != array || (which != TSR_NEST_ANY && (access->kind == TSR_READ) != (which == TSR_NEST_READS)))
        continue;
      isl_map *own = isl_map_apply_range(isl_map_reverse(tsr_nest_order(stage, scop, s)), isl_map_copy(access->relation));
      all = all ? isl_map_union(all, own) : own;
    }
  return all;
}

/* What add_stmt works on. */
struct members {
  struct finder *finder;
  struct tsr_nest *stage;
};

/* Is STMT a statement of the original, with all its instances? Those that run behind tiles, of others, are few. */
static bool is_original(const struct tsr_program *program, const struct tsr_stmt *stmt)
{
  int number = stmt->origin ? -1 : tsr_stmt_original(program, stmt);
  return number >= 0 && isl_set_is_equal(stmt->domain, program->original->stmts[number].domain) == isl_bool_true;
}

static isl_stat add_stmt(isl_set *set, void *user)
{
  struct members *m = user;
  struct tsr_scop *scop = m->finder->program->scop;
  int number = tsr_scop_find_stmt(scop, isl_set_get_tuple_name(set));
  isl_bool none = isl_set_is_empty(set);
  isl_set_free(set);
  if (number < 0 || none != isl_bool_false)
    return none == isl_bool_true ? isl_stat_ok : isl_stat_error;
  m->finder->n_nest[number]++;
  m->stage->has[number] = true;
  m->stage->original &= is_original(m->finder->program, &scop->stmts[number]);
  isl_set *own = isl_map_range(tsr_nest_order(m->stage, scop, number));
  m->stage->iterations = m->stage->iterations ? isl_set_union(m->stage->iterations, own) : own;
  return isl_stat_non_null(m->stage->iterations);
}

static isl_bool find_stage(isl_schedule_node *node, void *user)
{
  struct finder *finder = user;
  struct tsr_nests *stages = finder->stages;
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
    return isl_bool_ok(isl_schedule_node_get_type(node) != isl_schedule_node_mark);
  struct tsr_scop *scop = finder->program->scop;
  struct tsr_nest *more = realloc(stages->stage, (stages->n + 1) * sizeof(*more));
  if (!more)
    return isl_bool_error;
  stages->stage = more;
  struct tsr_nest *stage = &stages->stage[stages->n++];
  *stage = (struct tsr_nest){.band = isl_schedule_node_copy(node),
                             .n_loop = isl_schedule_node_band_n_member(node),
                             .has = calloc(scop->n_stmt + 1, sizeof(bool)),
                             .original = true,
                             .iterator = calloc(scop->n_stmt + 1, sizeof(*stage->iterator))};
  if (!stage->has || !stage->iterator || stage->n_loop > TSR_MAX_DIM)
    return isl_bool_error;
  struct members members = {finder, stage};
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  isl_stat ok = isl_union_set_foreach_set(domain, add_stmt, &members);
  isl_union_set_free(domain);
  stage->iterations = isl_set_coalesce(stage->iterations);
  if (ok == isl_stat_ok && (!stage->original || !find_iterators(stage, scop)))
    memset(stage->iterator, -1, scop->n_stmt * sizeof(*stage->iterator));
  return ok < 0 ? isl_bool_error : isl_bool_false;
}

/* Forget nests without instances, and those of statements that are in several. */
static void drop_parts(struct tsr_nests *stages, const struct finder *finder)
{
  int n = 0;
  for (int i = 0; i < stages->n; i++) {
    bool whole = stages->stage[i].iterations != NULL;
    for (int s = 0; s < finder->program->scop->n_stmt && whole; s++)
      whole = !stages->stage[i].has[s] || finder->n_nest[s] == 1;
    if (whole)
      stages->stage[n++] = stages->stage[i];
    else
      stage_clear(&stages->stage[i]);
  }
  stages->n = n;
}

isl_stat tsr_nests_find(struct tsr_nests *stages, struct tsr_program *program)
{
  *stages = (struct tsr_nests){0};
  struct finder finder = {stages, program, calloc(program->scop->n_stmt + 1, sizeof(int))};
  isl_schedule_node *root = isl_schedule_get_root(program->tree);
  isl_stat ok = finder.n_nest ? isl_schedule_node_foreach_descendant_top_down(root, find_stage, &finder) : isl_stat_error;
  isl_schedule_node_free(root);
  if (ok == isl_stat_ok)
    drop_parts(stages, &finder);
  free(finder.n_nest);
  return ok;
}

isl_multi_aff *tsr_nest_moves(const struct tsr_nest *stage, struct tsr_scop *scop, int number, const char *name)
{
  const struct tsr_stmt *stmt = &scop->stmts[number];
  isl_multi_aff *moves = isl_multi_aff_identity_on_domain_space(isl_set_get_space(stmt->domain));
  for (int d = 0; d < stage->n_loop; d++) {
    int i = stage->iterator[number][d];
    isl_aff *value = i < 0 ? NULL : loop_value(stage->band, d, stmt);
    if (!value)
      continue;
    isl_val *constant = isl_aff_get_constant_val(value);
    isl_aff *at = isl_aff_add_constant_val(isl_multi_aff_get_at(moves, i), isl_val_neg(constant));
    moves = isl_multi_aff_set_at(moves, i, at);
    isl_aff_free(value);
  }
  return isl_multi_aff_set_tuple_name(moves, isl_dim_in, name);
}

double tsr_nest_trips(const struct tsr_nest *stage, struct tsr_scop *scop, int d)
{
  isl_set *values = isl_set_project_out(isl_set_copy(stage->iterations), isl_dim_set, d + 1, stage->n_loop - d - 1);
  values = isl_set_project_out(values, isl_dim_set, 0, d);
  double trips = tsr_set_points(scop, values);
  isl_set_free(values);
  return trips;
}

isl_schedule *tsr_nest_schedule(const struct tsr_nest *stage, isl_schedule *tree)
{
  return isl_schedule_intersect_domain(isl_schedule_copy(tree), isl_schedule_node_get_domain(stage->band));
}

/* Does somebody behind statement NUMBER, but for those of STAGE, write to ARRAY? */
static bool is_written_behind(const struct tsr_nest *stage, const struct tsr_scop *scop, int number, int array)
{
  for (int s = number + 1; s < scop->n_stmt; s++)
    for (int k = 0; k < scop->stmts[s].n_access && !stage->has[s]; k++)
      if (scop->stmts[s].access[k].array == array && scop->stmts[s].access[k].kind != TSR_READ)
        return true;
  return false;
}

/* Does statement NUMBER, of STAGE, read SCALAR array ARRAY only where an earlier one of STAGE has written it in the same
 * iteration? */
static bool is_set_before(const struct tsr_nest *stage, struct tsr_scop *scop, int number, int array)
{
  isl_set *reads = isl_map_range(tsr_nest_order(stage, scop, number));
  for (int s = 0; s < number; s++)
    for (int k = 0; k < scop->stmts[s].n_access && stage->has[s]; k++)
      if (scop->stmts[s].access[k].array == array && scop->stmts[s].access[k].kind == TSR_MUST_WRITE)
        reads = isl_set_subtract(reads, isl_map_range(tsr_nest_order(stage, scop, s)));
  bool set = isl_set_is_empty(reads) == isl_bool_true;
  isl_set_free(reads);
  return set;
}

/* Is SCALAR array ARRAY a value within an iteration of STAGE, which nobody else knows? */
static bool is_own_scalar(const struct tsr_nest *stage, struct tsr_scop *scop, int array)
{
  bool own = scop->arrays[array].kind == TSR_ARRAY_SCALAR && !scop->arrays[array].live_out;
  for (int s = 0; s < scop->n_stmt && own; s++)
    for (int k = 0; k < scop->stmts[s].n_access && own; k++)
      if (scop->stmts[s].access[k].array == array)
        own = stage->has[s] && (scop->stmts[s].access[k].kind != TSR_READ || is_set_before(stage, scop, s, array));
  return own;
}

/* Can what STMT does be done again, of a stage that writes arrays as WRITTEN says? What is read of these is in buffers. */
static bool is_repeatable(const struct tsr_nest *stage, struct tsr_scop *scop, int number, const bool *written)
{
  const struct tsr_stmt *stmt = &scop->stmts[number];
  bool good = stmt->kind == TSR_STMT_COMPUTE && !stmt->origin && !stmt->one_thread;
  for (int k = 0; k < stmt->n_access && good; k++) {
    const struct tsr_access *access = &stmt->access[k];
    bool memory = scop->arrays[access->array].kind == TSR_ARRAY_MEMORY;
    good = (memory || is_own_scalar(stage, scop, access->array)) && access->kind != TSR_MAY_WRITE;
    if (access->kind == TSR_READ)
      good = good && (!memory || written[access->array] || !is_written_behind(stage, scop, number, access->array));
  }
  return good;
}

bool tsr_nest_is_repeatable(const struct tsr_nest *stage, struct tsr_scop *scop, bool *written)
{
  bool good = stage->original;
  for (int s = 0; s < scop->n_stmt; s++)
    for (int k = 0; k < scop->stmts[s].n_access && stage->has[s]; k++) {
      const struct tsr_access *access = &scop->stmts[s].access[k];
      written[access->array] |= access->kind != TSR_READ && scop->arrays[access->array].kind == TSR_ARRAY_MEMORY;
    }
  for (int s = 0; s < scop->n_stmt && good; s++)
    good = !stage->has[s] || is_repeatable(stage, scop, s, written);
  return good;
}
