/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What no schedule can do without, by statement: lower_bound.c asks. */
#include "cost/nests.h"
#include "model/thresholds.h"
#include <math.h>
#include <stdlib.h>

/* Where tsr_profit_least is. */
struct least {
  struct model model;
  struct tsr_least *of;
};

/* The most lanes that register tiles of SCOP can have; 0: there are none. */
static int tile_lanes(const struct tsr_scop *scop)
{
  int most = 0;
  for (int i = 0; i < scop->n_stmt; i++) {
    int lanes = scop->stmts[i].vector_bytes ? scop->machine.vector_bytes / scop->stmts[i].vector_bytes : 0;
    most = lanes > most ? lanes : most;
  }
  return most > 1 ? most : 0;
}

/* Reads of STMT that some loop of NEST leaves where they are, and nothing writes: were that innermost, they would be kept.
 */
static double may_be_kept(const struct model *model, const struct nest *nest, const struct tsr_stmt *stmt)
{
  double n = 0;
  for (int k = 0; k < stmt->n_access; k++) {
    bool stays = false;
    for (int l = 0; l < nest->n_loop && !stays && !tsr_scop_writes(model->scop, stmt->access[k].array); l++) {
      struct tsr_step step = nest->step[l];
      stays = tsr_access_stride(stmt->access[k].relation, &step) == TSR_STRIDE_ZERO;
    }
    n += stays;
  }
  return n;
}

/* What it takes at least to issue an instance of STMT: alone, or in vectors unless there are NONE, whichever loop is
 * innermost; or in a register tile if it may be in one. Lanes of an outer loop apart. */
static double least_issue(struct model *model, const struct nest *nest, struct tsr_stmt *stmt, bool none, bool tiled)
{
  double work = tsr_issue_alone(stmt), least = work;
  if (!none)
    least = tsr_issue_vectors(model->scop, stmt, may_be_kept(model, nest, stmt), 0, VECTOR_LANES);
  int lanes = tiled && stmt->vector_bytes ? tile_lanes(model->scop) : 0;
  double tile = lanes ? 1.0 / (model->scop->machine.fma_units * lanes) : least;
  return tile < least ? tile : least;
}

/* May lanes of a loop of NEST write to ACCESS, in ARRAY, as register tiles can: close to each other, if not neighbours? */
static bool is_close(const struct nest *nest, const struct tsr_array *array, const struct tsr_access *access)
{
  long elements;
  bool close = false;
  for (int l = 0; l < nest->n_loop && !close; l++)
    close = nest->step[l].fixed && tsr_array_move(array, access->relation, nest->step[l].delta, &elements) &&
            elements != 0 && labs(elements) <= TSR_MOST_PITCH;
  return close;
}

/* What the lines that NEST's accesses can't do without cost at least, in OF->lines, and what it takes to issue an instance
 * of STMT. In register tiles it writes an element several times, and its neighbours. */
static double add_lines(struct model *model, struct nest *nest, struct tsr_stmt *stmt, struct tsr_least *of)
{
  const struct tsr_machine *machine = &model->scop->machine;
  bool tiled = true;
  struct tsr_span rows = {.n = 0};
  for (int k = 0; k < stmt->n_access && of->lines; k++) {
    struct tsr_touches touches;
    const struct tsr_array *array = &model->scop->arrays[stmt->access[k].array];
    if (array->kind == TSR_ARRAY_SCALAR)
      continue;
    isl_map *seen = tsr_access_seen(model->scop, &stmt->access[k]);
    bool known = tsr_access_touches(seen, nest->step, nest->trips, nest->n_loop, &touches, &rows);
    isl_map_free(seen);
    if (!known)
      continue;
    tiled &=
        stmt->access[k].kind == TSR_READ || (!touches.once && (touches.unit || is_close(nest, array, &stmt->access[k])));
    for (int c = 0; c < TSR_LEVELS && c < machine->n_cache; c++) {
      const struct tsr_cache *cache = &machine->cache[c];
      bool near = touches.divisor > 0 && touches.divisor * array->elem_size < cache->line;
      double lines = near ? tsr_lines_of(1, touches.elements, (double)cache->line / array->elem_size) : touches.elements;
      bool in_order = cache->next_line < cache->other_line && (near || !touches.once);
      double cost = lines * (in_order ? cache->next_line : cache->other_line), *most = &of->lines[k * TSR_LEVELS + c];
      *most = cost > *most ? cost : *most;
    }
  }
  return least_issue(model, nest, stmt, nest->n_loop > 0 && rows.n == nest->n_loop, tiled);
}

/* NEST's innermost loop stays as it is, whole, and stays innermost. What one run of it touches is gone from a cache that it
 * doesn't fit into when the next one comes, whatever the loops around are: note that in OF->lines. */
static void add_held_lines(struct model *model, struct nest *nest, struct tsr_stmt *stmt, struct tsr_least *of)
{
  const struct tsr_machine *machine = &model->scop->machine;
  int last = nest->n_loop - 1;
  for (int c = 0; c < TSR_LEVELS && c < machine->n_cache && of->lines; c++) {
    const struct tsr_cache *cache = &machine->cache[c];
    double all = 0;
    for (int g = 0; g < nest->n_group; g++)
      all += tsr_nest_footprint(model, nest, &nest->group[g], cache->line, last);
    for (int k = 0; k < stmt->n_access && all * cache->line > cache->size; k++) {
      double cost = 0, *most = &of->lines[k * TSR_LEVELS + c];
      for (int g = 0; g < nest->n_group; g++) {
        struct group *group = &nest->group[g];
        bool in_order = group->stride[last] != TSR_STRIDE_OTHER || group->near[last];
        if (group->array == stmt->access[k].array)
          cost += nest->instances / nest->trips[last] * tsr_nest_footprint(model, nest, group, cache->line, last) *
                  (in_order ? cache->next_line : cache->other_line);
      }
      *most = cost > *most ? cost : *most;
    }
  }
}

static isl_stat add_least(struct tsr_order *order, void *user)
{
  struct least *all = user;
  struct tsr_least *of = &all->of[order->stmt - all->model.scop->stmts];
  struct nest nest;
  int parallel_loop;
  if (isl_set_is_empty(order->domain) != isl_bool_false)
    return isl_stat_ok;
  tsr_nest_compute(&all->model, order, &nest, &parallel_loop);
  tsr_nest_share(&all->model, &nest, order);
  double before = tsr_nest_cost(&all->model, &nest, order, -1), issue = before;
  if (nest.n_loop > 0)
    issue = nest.instances * tsr_nest_issue(&all->model, &nest, order) +
            nest.instances / nest.trips[nest.n_loop - 1] * LOOP_OVERHEAD;
  struct nest whole = nest; /* with the loops of straight code, which touch elements, too */
  whole.n_loop += nest.n_straight;
  double least = nest.instances * add_lines(&all->model, &whole, order->stmt, of);
  double waits = nest.instances * order->stmt->original_wait; /* which new code doesn't */
  of->before += waits > before ? waits : before;
  of->several |= tsr_nest_has_forms(&nest) || tsr_nest_gets_registers(&all->model, &nest) || order->stmt->rare;
  of->instances += nest.instances;
  bool held = of->hold != TSR_HOLD_NONE && !all->model.vector;
  bool stays =
      held && of->hold == TSR_HOLD_ALONE && nest.n_loop <= 2 && nest.n_loop == isl_set_dim(order->domain, isl_dim_set);
  double lanes = of->lanes ? tsr_issue_lanes_least(all->model.scop, order->stmt, nest.step, nest.n_loop, held) : HUGE_VAL;
  if (nest.n_loop == 0 || stays)
    least = before;
  else if (held) {
    least = issue;
    if (lanes == HUGE_VAL)
      add_held_lines(&all->model, &nest, order->stmt, of);
  }
  of->least += nest.instances * lanes < least ? nest.instances * lanes : least;
  return isl_stat_ok;
}

static isl_stat add_least_leaf(isl_schedule_node *leaf, void *user)
{
  struct least *all = user;
  tsr_model_find_marks(&all->model, leaf);
  return tsr_leaf_foreach_order(leaf, all->model.scop, isl_set_copy(all->model.parameters), add_least, all);
}

isl_stat tsr_profit_least(struct tsr_scop *scop, struct tsr_least *of)
{
  /* marked: a loop without a mark is no vector loop, or costs less than if it were none. */
  struct least all = {{.scop = scop, .parameters = tsr_scop_typical(scop), .marked = true}, of};
  isl_schedule_node *root = isl_schedule_get_root(scop->schedule);
  isl_stat ok = tsr_node_foreach_leaf(root, add_least_leaf, &all);
  isl_schedule_node_free(root);
  tsr_model_enter_loop(&all.model);
  isl_schedule_node_free(all.model.node);
  isl_union_map_free(all.model.times);
  isl_set_free(all.model.parameters);
  return ok;
}
