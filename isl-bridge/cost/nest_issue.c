/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What it takes to issue the instances of a statement in its nest of loops: one by one, waiting for each other, in vectors,
 * or held by a mark; and with its lines, all that the nest costs. */
#include "cost/nests.h"
#include "model/thresholds.h"
#include <isl/space.h>
#include <stdlib.h>
#include <string.h>

/* { S[i] -> S[i + d] } for the step of the innermost loop of NEST; NULL: it isn't constant, or there are no such pairs. */
static isl_map *next_instance(struct nest *nest, struct tsr_stmt *stmt)
{
  struct tsr_step *step = &nest->step[nest->n_loop - 1];
  if (step->empty || !step->fixed)
    return NULL;
  isl_space *space = isl_space_map_from_set(isl_set_get_space(stmt->domain));
  isl_size n = isl_space_dim(space, isl_dim_in);
  isl_multi_aff *next = isl_multi_aff_identity(space);
  for (int i = 0; i < n; i++)
    next = isl_multi_aff_set_at(next, i, isl_aff_add_constant_si(isl_multi_aff_get_at(next, i), (int)step->delta[i]));
  isl_map *map = isl_map_intersect_domain(isl_map_from_multi_aff(next), isl_set_copy(stmt->domain));
  map = isl_map_intersect_range(map, isl_set_copy(stmt->domain));
  return isl_map_is_empty(map) == isl_bool_false ? map : isl_map_free(map);
}

/* Does READ get what WRITE has written one step of the innermost loop before, in all pairs of NEXT { S[i] -> S[i + d] }? */
static bool is_recurrence(isl_map *next, struct tsr_access *write, struct tsr_access *read)
{
  isl_map *pairs = isl_map_apply_range(isl_map_copy(write->relation), isl_map_reverse(isl_map_copy(read->relation)));
  isl_bool always = isl_map_is_subset(next, pairs);
  isl_map_free(pairs);
  return always == isl_bool_true;
}

/* What an instance waits for. */
enum chain {
  CHAIN_NONE,
  CHAIN_SUM,       /* an accumulator, which stays where it is */
  CHAIN_RECURRENCE /* what the instance before has left elsewhere */
};

/* Does an instance of STMT wait for the one before it in the innermost loop? What is read again because it may have been
 * written waits for nothing as long as it hasn't. */
static enum chain find_chain(struct nest *nest, struct tsr_stmt *stmt)
{
  isl_map *next = next_instance(nest, stmt);
  enum chain chain = CHAIN_NONE;
  for (int w = 0; w < stmt->n_access && chain != CHAIN_RECURRENCE; w++)
    for (int r = 0; r < stmt->n_access && chain != CHAIN_RECURRENCE; r++) {
      struct tsr_access *write = &stmt->access[w], *read = &stmt->access[r];
      if (write->kind == TSR_READ || read->kind != TSR_READ || write->array != read->array)
        continue;
      bool same = isl_map_plain_is_equal(write->relation, read->relation) == isl_bool_true;
      if (isl_map_dim(write->relation, isl_dim_out) == 0 ||
          (same && tsr_access_stride(write->relation, &nest->step[nest->n_loop - 1]) == TSR_STRIDE_ZERO))
        chain = CHAIN_SUM;
      else if (!same && (!next || is_recurrence(next, write, read)))
        chain = CHAIN_RECURRENCE;
    }
  isl_map_free(next);
  return chain;
}

/* Cycles that an instance of STMT waits for the one before it in the innermost loop: for elements of arrays, where each
 * does, or for whatever it is. */
static double recurrence_wait(struct nest *nest, struct tsr_stmt *stmt)
{
  int most = 0;
  for (int i = 0; i < stmt->n_access; i++)
    most = stmt->access[i].wait > most ? stmt->access[i].wait : most;
  if (most == 0)
    return stmt->latency;
  isl_map *next = next_instance(nest, stmt);
  most = 0;
  for (int w = 0; next && w < stmt->n_access; w++)
    for (int r = 0; r < stmt->n_access; r++) {
      struct tsr_access *write = &stmt->access[w], *read = &stmt->access[r];
      if (write->kind == TSR_MUST_WRITE && read->kind == TSR_READ && write->array == read->array && read->wait > most &&
          is_recurrence(next, write, read))
        most = read->wait;
    }
  isl_map_free(next);
  return most;
}

/* The same for one in lanes of NEST's innermost loop. */
static double lockstep_cost(struct model *model, struct nest *nest, struct tsr_stmt *stmt)
{
  int last = nest->n_loop - 1;
  enum tsr_stride *across = calloc(stmt->n_access + 1, sizeof(*across)), *along = calloc(stmt->n_access + 1, sizeof(*along));
  bool inner = last > 0 && nest->step[last - 1].pos > model->lane_dim;
  double cost = 0;
  for (int i = 0; across && along && i < stmt->n_access && last >= 0; i++) {
    across[i] = tsr_access_stride(stmt->access[i].relation, &nest->step[last]);
    along[i] = inner ? tsr_access_stride(stmt->access[i].relation, &nest->step[last - 1]) : TSR_STRIDE_OTHER;
  }
  bool held = inner && tsr_stmt_holds(model->scop, stmt, &nest->step[last - 1]);
  if (across && along)
    cost = tsr_issue_lanes(model->scop, stmt, across, inner ? along : NULL, held, &model->lockstep);
  free(across);
  free(along);
  return cost;
}

/* Which pack of MODEL has access I of STMT, or another one of the same element? NULL: none. */
static const struct tsr_pack *pack_of(const struct model *model, const struct tsr_stmt *stmt, int i)
{
  for (int p = 0; p < model->n_pack; p++) {
    const struct tsr_pack *pack = &model->pack[p];
    const struct tsr_access *access = &model->scop->stmts[pack->stmt].access[pack->access];
    if (&model->scop->stmts[pack->stmt] == stmt && access->array == stmt->access[i].array &&
        stmt->access[i].kind == TSR_READ &&
        isl_map_plain_is_equal(access->relation, stmt->access[i].relation) == isl_bool_true)
      return pack;
  }
  return NULL;
}

/* Is access I of STMT the element that it folds into, which a tile holds? */
static bool is_folded(const struct tsr_stmt *stmt, int i)
{
  for (int w = 0; w < stmt->n_access; w++)
    if (stmt->access[w].kind != TSR_READ && stmt->access[w].array == stmt->access[i].array &&
        isl_map_plain_is_equal(stmt->access[w].relation, stmt->access[i].relation) == isl_bool_true)
      return true;
  return false;
}

/* Do numbers, not bytes that say what these have said, guard STMT? Tiles ask them row by row in front of each step: that of
 * complex ones takes as long as the sums, so that tiles of these are not for elements a few apart. */
static bool asks_numbers(const struct tsr_scop *scop, const struct tsr_stmt *stmt)
{
  bool asks = false;
  for (int i = 0; i < stmt->n_access; i++)
    asks |= stmt->access[i].guard && scop->arrays[stmt->access[i].array].elem_size > 1;
  return asks;
}

/* What access I of the statement of ORDER is in the tile at hand, of which ROW is a step to the next row. */
static struct tsr_operand operand_of(const struct model *model, struct tsr_order *order, int i, struct tsr_step *row)
{
  const struct tsr_register_tile *tile = &model->held_by->tile;
  isl_map *relation = order->stmt->access[i].relation;
  const struct tsr_pack *pack = pack_of(model, order->stmt, i);
  long elements = 0;
  if (is_folded(order->stmt, i))
    return (struct tsr_operand){.held = true};
  bool fixed = tsr_array_move(&model->scop->arrays[order->stmt->access[i].array], relation, tile->step, &elements);
  struct tsr_operand operand = {.by_row = !tile->streams && tsr_access_stride(relation, row) != TSR_STRIDE_ZERO,
                                .by_vector = tile->streams || !fixed || elements != 0,
                                .computed = pack && pack->by_row};
  bool next = pack || (fixed && (elements == 1 || elements == 0));
  bool few = fixed && elements > 1 && elements <= TSR_MOST_PITCH;
  bool spread = few && !next && !tile->streams && !asks_numbers(model->scop, order->stmt);
  operand.lie = next ? TSR_LANES_NEXT : tile->streams ? TSR_LANES_TRANSPOSED : spread ? TSR_LANES_SPREAD : TSR_LANES_APART;
  operand.pitch = spread ? (int)elements : 1;
  if (operand.lie == TSR_LANES_TRANSPOSED) {
    int pitch = tsr_stmt_row_pitch(model->scop, order->stmt, i, tile->along);
    operand.pitch = pitch ? pitch : 1;
    operand.shared = tsr_stmt_reads_beside(model->scop, order->stmt, i);
  }
  return operand;
}

/* Steps of one run of the register tile at hand, of the statement of ORDER. */
static double steps_of_tile(const struct model *model, struct tsr_order *order)
{
  int n;
  double steps = 1;
  const struct tsr_order_loop *loop = tsr_order_loops(model->scop, order, &n);
  for (int l = 0; l < model->held_by->tile.n_reduction && model->held_dim + l < n; l++)
    steps *= loop[model->held_dim + l].trips > 1 ? loop[model->held_dim + l].trips : 1;
  return steps;
}

/* Cycles for an instance of the statement of ORDER in the register tile at hand, with its share of what is loaded in front
 * of the tile's steps and stored behind them. Trees that people wrote come here before
 * they are checked: what has no loop over rows, or other instances than the mark, is no tile. */
static double tile_cost(const struct model *model, struct tsr_order *order)
{
  const struct tsr_register_tile *tile = &model->held_by->tile;
  if (model->held_dim + tile->n_reduction >= isl_map_dim(order->map, isl_dim_out) ||
      tile->n_dim != isl_map_dim(order->map, isl_dim_in))
    return tsr_issue_alone(order->stmt);
  struct tsr_operand *operand = calloc(order->stmt->n_access + 1, sizeof(*operand));
  struct tsr_step row;
  if (!tile->streams)
    tsr_step_init(&row, order, model->held_dim + tile->n_reduction);
  for (int i = 0; operand && i < order->stmt->n_access; i++)
    operand[i] = operand_of(model, order, i, &row);
  double cost = -1;
  if (operand)
    cost = (tile->streams ? tsr_issue_strip : tsr_issue_tile)(&model->scop->machine, order->stmt, tile, operand);
  free(operand);
  cost += cost < 0 ? 0 : tsr_issue_held(&model->scop->machine, tile) / steps_of_tile(model, order);
  return cost < 0 ? tsr_issue_alone(order->stmt) : cost; /* what is not in registers goes to memory and back */
}

bool tsr_nest_has_forms(const struct nest *nest)
{
  bool several = false, apart = nest->n_loop == 0;
  for (int g = 0; g < nest->n_group && !apart; g++)
    if (nest->group[g].stride[nest->n_loop - 1] == TSR_STRIDE_OTHER) {
      several |= nest->group[g].several;
      apart |= nest->group[g].near[nest->n_loop - 1] < 1 || nest->group[g].near[nest->n_loop - 1] > MOST_INTERLEAVED;
    }
  return several && !apart;
}

bool tsr_nest_gets_registers(const struct model *model, const struct nest *nest)
{
  bool gets = false;
  for (int g = 0; g < nest->n_group; g++)
    gets |= nest->group[g].stays > 1 && model->scop->arrays[nest->group[g].array].checked;
  return gets;
}

static int count_parts(const struct parts *parts)
{
  return __builtin_popcount(parts->known) + parts->others;
}

/* What it takes one instance in a vector loop more to load and store elements that are a few apart, a[2 k]: LLVM makes
 * vectors of all that is between, unless a statement before in the loop has them, and shuffles; of what data says, lane by
 * lane, and so what is stored with holes, which nothing in the loop of MODEL fills. Below 0: some are further apart. */
static double interleaved_cost(const struct model *model, const struct nest *nest)
{
  double cost = 0;
  for (int g = 0; g < nest->n_group && cost >= 0; g++) {
    const struct group *group = &nest->group[g];
    long apart = group->near[nest->n_loop - 1];
    if (group->data) {
      cost += LANE;
      continue;
    }
    if (group->stride[nest->n_loop - 1] != TSR_STRIDE_OTHER)
      continue;
    bool stored = group->written && group->stays > group->held; /* again and again, each time with holes between */
    bool possible = apart > 0 && apart <= MOST_INTERLEAVED && !group->several && !stored;
    bool holes = group->written && model->writes && count_parts(&model->writes[group->array]) * group->filled < apart;
    double lanes = (double)model->scop->machine.vector_bytes / model->scop->arrays[group->array].elem_size;
    double between = (double)apart / (double)(group->filled < apart ? group->filled : apart);
    double once = (group->at_hand ? 0 : between * ISSUE) + SHUFFLE * (apart > 2 ? 2 : 1);
    cost = possible ? cost + (once + (holes ? LANE * lanes : 0)) / group->held : -1;
  }
  return cost;
}

/* Does the innermost loop of NEST, of the original, store every so many elements of a row, and touch other rows of that
 * array, too? As rows may overlap, LLVM tells apart at run time all that is stored, and finds that the elements of a row's
 * even numbers and those of its odd ones overlap: real and imaginary parts. Its vector loop never runs. */
static bool is_told_apart_in_vain(const struct nest *nest)
{
  int last = nest->n_loop - 1;
  bool vain = false;
  for (int g = 0; g < nest->n_group; g++)
    for (int h = 0; h < nest->n_group && nest->group[g].written && nest->group[g].near[last] > 1; h++)
      vain |= nest->group[g].near[last] <= MOST_INTERLEAVED && !nest->group[h].home &&
              nest->group[h].array == nest->group[g].array &&
              memcmp(nest->group[h].stride, nest->group[g].stride, nest->n_loop * sizeof(*nest->group[h].stride)) != 0;
  return vain;
}

/* Does STMT read from memory what it makes of what it has written there? */
static bool waits_for_memory(const struct tsr_stmt *stmt)
{
  bool waits = false;
  for (int i = 0; i < stmt->n_access; i++)
    waits |= stmt->access[i].wait > 0;
  return waits;
}

/* Does what STMT does in the innermost loop of NEST depend on data there? Guards that stay are asked in front of it. */
static bool asks_data(struct nest *nest, struct tsr_stmt *stmt)
{
  bool guarded = tsr_stmt_is_guarded(stmt), asks = false;
  for (int i = 0; i < stmt->n_access; i++) {
    struct tsr_access *access = &stmt->access[i];
    bool moves = access->guard && tsr_access_stride(access->relation, &nest->step[nest->n_loop - 1]) != TSR_STRIDE_ZERO;
    asks |= moves || (!guarded && (access->kind == TSR_MAY_WRITE || access->maybe));
  }
  return asks;
}

/* How many accesses of STMT move in the innermost loop of NEST? */
static int count_moving(struct nest *nest, struct tsr_stmt *stmt)
{
  int n = 0;
  for (int i = 0; i < stmt->n_access; i++)
    n += tsr_access_stride(stmt->access[i].relation, &nest->step[nest->n_loop - 1]) != TSR_STRIDE_ZERO;
  return n;
}

/* Is STMT a sum, or the like, in the innermost loop of NEST, in a register, of numbers that lie next to each other, in any
 * order? LLVM makes vectors of these, where nothing else is in the loop. */
static bool is_free_sum(const struct model *model, struct nest *nest, struct tsr_stmt *stmt)
{
  struct tsr_step *step = &nest->step[nest->n_loop - 1];
  bool sums = false, is = model->alone;
  for (int i = 0; i < stmt->n_access && is; i++) {
    struct tsr_access *access = &stmt->access[i];
    enum tsr_stride stride = tsr_access_stride(access->relation, step);
    bool folded = access->reduction != TSR_RED_NONE && access->reassoc && stride == TSR_STRIDE_ZERO &&
                  access->kind != TSR_MAY_WRITE && access->wait == 0;
    sums |= folded;
    is = folded || (access->reduction == TSR_RED_NONE && access->kind == TSR_READ && stride != TSR_STRIDE_OTHER);
  }
  return sums && is;
}

/* Cycles to see whether an instance of STMT changes anything, which doesn't wait for others: in vectors, or APART below 0,
 * of elements further apart, which are loaded one by one. Scalars are in registers. */
static double look_cost(const struct model *model, const struct nest *nest, const struct tsr_stmt *stmt, double apart,
                        double lanes)
{
  if (apart >= 0)
    return tsr_issue_vectors(model->scop, stmt, nest->held + nest->kept, apart, lanes);
  int loads = 0;
  for (int i = 0; i < stmt->n_access; i++)
    loads += model->scop->arrays[stmt->access[i].array].kind == TSR_ARRAY_MEMORY;
  return (stmt->weight + loads) * ISSUE;
}

/* Accesses of STMT to elements that it adds up, or folds into in another way, all along the innermost loop of NEST: in a
 * register, but in the original where the array may be another one as well. */
static int count_summed(const struct model *model, struct nest *nest, struct tsr_stmt *stmt)
{
  int n = 0, write = tsr_stmt_only_write(stmt);
  const struct tsr_access *to = write < 0 ? NULL : &stmt->access[write];
  if (!to || to->kind != TSR_MUST_WRITE || isl_map_dim(to->relation, isl_dim_out) == 0 ||
      (!model->marked && model->scop->arrays[to->array].checked) ||
      tsr_access_stride(to->relation, &nest->step[nest->n_loop - 1]) != TSR_STRIDE_ZERO)
    return 0;
  for (int i = 0; i < stmt->n_access; i++)
    n += stmt->access[i].array == to->array &&
         isl_map_plain_is_equal(stmt->access[i].relation, to->relation) == isl_bool_true;
  return n > 1 ? n : 0;
}

/* How many numbers LLVM computes at once of straight code in a vector loop of MODEL, where all that NEST touches lies side
 * by side there: rows of five doubles are four and one, .4 of the work. 1: that it doesn't. */
static double straight_lanes(const struct model *model, const struct nest *nest)
{
  int last = nest->n_loop + nest->n_straight - 1, wide = 0;
  if (nest->n_straight == 0 || nest->trips[last] < LEAST_TOGETHER)
    return 1;
  for (int g = 0; g < nest->n_group; g++) {
    const struct group *group = &nest->group[g];
    int size = model->scop->arrays[group->array].elem_size;
    if (group->data || group->several || group->stride[last] == TSR_STRIDE_OTHER)
      return 1;
    wide = size > wide ? size : wide;
  }
  long trips = (long)nest->trips[last], lanes = wide > 0 ? model->scop->machine.vector_bytes / wide : 0;
  return lanes > 0 ? (double)trips / (double)(trips / lanes + __builtin_popcountl((unsigned long)(trips % lanes))) : 1;
}

/* What is left of WAIT cycles, in which an instance of STMT only waits, once the other statements of its innermost loop have
 * gone on meanwhile. What several of them wait counts for each: such loops gain most from lanes, which cost less than is
 * said of them where there are divisions. */
static double wait_beside(const struct model *model, const struct tsr_stmt *stmt, double wait)
{
  if (!stmt->rare && model->work > 0)
    wait -= model->work - tsr_issue_alone(stmt);
  return wait > 0 ? wait : 0;
}

/* Cycles to issue one instance of the statement of ORDER. */
double tsr_nest_issue(struct model *model, struct nest *nest, struct tsr_order *order)
{
  struct tsr_stmt *stmt = order->stmt;
  if (tsr_mark_is(model->held_by, TSR_MARK_REGISTERS))
    return tile_cost(model, order);
  if (model->held_by)
    return tsr_issue_chains(stmt, model->held_by->interleave.chains);
  if (model->lane_dim >= 0)
    return lockstep_cost(model, nest, stmt);
  bool vector = tsr_model_is_vector(model, nest);
  double work = tsr_issue_alone(stmt) - nest->held * ISSUE;
  double lanes = model->guarded ? GUARDED_LANES : VECTOR_LANES;
  if (nest->n_loop == 0)
    return work;
  if (!model->marked && stmt->original_wait > 0)
    return work < stmt->original_wait ? stmt->original_wait : work;
  if (asks_data(nest, stmt))
    lanes = GUARDED_LANES;
  double apart = interleaved_cost(model, nest);
  if (apart >= 0 && vector && lanes == VECTOR_LANES)
    nest->across = tsr_issue_across(model->scop, stmt, count_moving(nest, stmt));
  if (!model->marked && vector && is_told_apart_in_vain(nest))
    return work / STRAIGHT_LANES;
  if (vector || is_free_sum(model, nest, stmt))
    return apart < 0 ? work / (vector ? straight_lanes(model, nest) : 1)
                     : tsr_issue_vectors(model->scop, stmt, nest->held + nest->kept, apart, lanes);
  work -= (nest->kept + nest->at_hand + count_summed(model, nest, stmt)) * ISSUE;
  /* An instance may wait for the one before, in a register for as long as is known. */
  double latency = model->scop->machine.fma_latency, known = recurrence_wait(nest, stmt);
  latency = known > latency || (known > 0 && !waits_for_memory(stmt)) ? known : latency;
  enum chain chain = work < latency ? find_chain(nest, stmt) : CHAIN_NONE;
  double at_once = tsr_stmt_has_parts(model->scop, stmt) ? PARTS_AT_ONCE : 1;
  double alone = chain == CHAIN_NONE ? work / at_once : work + wait_beside(model, stmt, latency - work);
  return model->rare ? look_cost(model, nest, stmt, apart, lanes) + RARE_SHARE * alone : alone;
}

/* Cycles of what takes COST at most, all together SUM, as these go on at once. */
static double overlapped(const struct tsr_machine *machine, double cost, double sum)
{
  return cost + machine->exposed * (sum - cost);
}

/* Cycles for all instances of NEST; PARALLEL: the index of its parallel loop, or -1. */
double tsr_nest_cost(struct model *model, struct nest *nest, struct tsr_order *order, int parallel)
{
  double cost = nest->instances * tsr_nest_issue(model, nest, order), sum = cost;
  nest->issue = cost;
  nest->near = 0;
  const struct tsr_machine *machine = &model->scop->machine;
  double lines = 0, enter = 0;
  if (model->lane_dim >= 0 && nest->n_loop > 1)
    enter = nest->instances / nest->trips[nest->n_loop - 1] / nest->trips[nest->n_loop - 2] * LOOP_OVERHEAD;
  else if (nest->n_loop > 0 && !model->held_by)
    enter = nest->instances / nest->trips[nest->n_loop - 1] * LOOP_OVERHEAD;
  nest->within[0] = cost + enter;
  for (int c = 0; c < TSR_MAX_CACHE; c++) {
    if (c >= LEVELS || c >= machine->n_cache) {
      nest->within[c + 1] = nest->within[c];
      continue;
    }
    lines = tsr_nest_misses(model, nest, c);
    nest->near = c == 0 ? lines : nest->near;
    nest->streams = lines > cost && nest->stored > STORED_OF_STREAMS * lines;
    cost = lines > cost ? lines : cost;
    sum += lines;
    nest->within[c + 1] = overlapped(machine, cost, sum) + enter;
  }
  double far = FAR_AS_DEAR * lines;
  nest->far = overlapped(machine, far > cost ? far : cost, sum + far - lines) + enter;
  cost = overlapped(machine, cost, sum) + enter;
  if (parallel < 0)
    return cost;
  double forks = 1, share = 1.0 / machine->cores + 0.5 / nest->trips[parallel]; /* of the slowest, half an iteration more */
  for (int l = 0; l < parallel; l++)
    forks *= nest->trips[l];
  double blocks = model->doacross && parallel + 1 < nest->n_loop ? nest->trips[parallel] * nest->trips[parallel + 1] : 0;
  share = share < 1 ? share : 1;
  return (cost + forks * blocks * BLOCK_OVERHEAD) * share + forks * FORK_OVERHEAD;
}
