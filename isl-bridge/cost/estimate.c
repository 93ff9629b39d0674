/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Is it worth it? A tree's cost is the sum over its statements, each in its own nest of loops l_1 ... l_d, outermost first:
 *
 *   trips      N_l           of each loop, at the middle of the loops around it; parameters are large (1000)
 *   strides    access x l    does a step of l keep the element, go to the next one, or elsewhere? If there it doesn't
 *              leave the line, as a[i][2 k] does, it counts as that many steps to the next one, but for vectors
 *   footprint  f_g(l) = product over m >= l of N_m (elsewhere) times 1 + sum of N_m - 1 (next) / elements a line: the lines
 *              that the group g of accesses, one array and one vector of strides, touches in one run of loops l ... d
 *   misses     m_g = product over l of the same factors, but N_l where the sum of f(l + 1) does not fit into the cache: then
 *              what one iteration of l left there is gone when the next one comes; nothing for a group that a statement
 *              before, in the same loops, brings in
 *   cost = max(instances * issue, sum of misses(L1) * line(L2), sum of misses(L2) * line(L3), sum of misses(L3) *
 *          line(memory)) + runs of the innermost loop * overhead; to memory, lines that are written count twice
 *
 * Strips of time steps are skewed: there two loops may move one subscript, i - 2 t, and f is also no more than a box, the
 * product over subscripts of 1 + sum of (N_m - 1) * |step|.
 *
 * In a register tile an instance takes what its mark says. The innermost loop is a vector loop if its iterations are
 * independent and all strides are unit or zero. The numbers are cycles of a current core, roughly; those of the caches are
 * the machine's. Only ratios count. */
#include "cost/cost.h"
#include "model/thresholds.h"
#include <isl/id.h>
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LOOPS 32
#define MAX_GROUPS 64
#define MAX_MOVES 4 /* subscripts of arrays of which more is known than a stride */

/* Caches of the machine that count. For what is not touched in order, what is behind the second is as far away as memory.
 */
#define LEVELS 3

/* The accesses of one statement that touch the same lines, near enough. */
struct group {
  int array;
  enum tsr_stride stride[MAX_LOOPS];
  long near[MAX_LOOPS];            /* of a step elsewhere that is shorter than a line: how many elements? Else 0 */
  bool fixed;                      /* do the subscripts change by constants in all loops? */
  int n_dim;                       /* then how many are there, */
  long move[MAX_LOOPS][MAX_MOVES]; /* and by how much? */
  bool written;
  bool at_hand; /* has a statement before, in the same loops, brought its lines in? */
};

struct nest {
  int n_loop; /* loops that make more than one step, outermost first */
  double trips[MAX_LOOPS];
  struct tsr_step step[MAX_LOOPS];
  struct group group[MAX_GROUPS];
  int n_group;
  double instances;
  double issue; /* cycles to issue all of them, once the cost is known */
};

struct model {
  struct tsr_scop *scop;
  isl_set *parameters; /* one point */
  bool marked;         /* does the tree carry its marks? */
  double cost;
  double issue;    /* the same if no data is waited for */
  double *by_stmt; /* the cost of each statement, may be NULL */
  double *rate;    /* what an instance of each takes to issue, in most of them; may be NULL */
  double *beside;  /* replaced by that where it isn't in lanes or tiles; may be NULL */
  double instances;
  isl_schedule_node *band;            /* the innermost one above the leaf at hand; NULL: none */
  bool band_vector;                   /* is its last member a loop free of dependences? */
  struct group seen[MAX_GROUPS];      /* by statements in its loops so far */
  int n_seen, seen_loops;             /* seen_loops: how many strides they have */
  bool vector;                        /* of the leaf at hand: is its innermost loop free of dependences? */
  bool strips;                        /* are there strips of time steps? Their loops are skewed */
  bool panels;                        /* are there panels? */
  bool threads;                       /* may there be any? */
  int parallel_dim;                   /* of the leaf at hand: schedule dimension of its parallel loop, -1 for none */
  const struct tsr_mark *held_by;     /* of the leaf at hand: the mark of its register tile or its chains; NULL: none */
  int held_dim;                       /* first schedule dimension below that */
  struct tsr_pack pack[TSR_MAX_PACK]; /* the marks of packed operands around it */
  int n_pack;
  struct tsr_lockstep lockstep; /* of the leaf at hand: if it is in lanes of an outer loop, */
  int lane_dim;                 /* schedule dimension of that loop, else -1 */
  struct held {                 /* by statement: */
    bool tiled;                 /* is it in a register tile, or in lanes of an outer loop? Its other leaves are edges */
    double most, cost;          /* the most instances in one of its register tiles, and what all of them cost */
    double total, instances;    /* what all of its leaves cost together, and the instances counted in them */
    double rated;               /* the most instances of a leaf so far, for `rate` */
  } *held;
};

/* Do A and B touch the same lines, near enough, in the outermost N of the same loops? */
static bool is_same_group(const struct group *a, const struct group *b, int n)
{
  return a->array == b->array && !memcmp(a->stride, b->stride, n * sizeof(a->stride[0])) &&
         !memcmp(a->near, b->near, n * sizeof(a->near[0]));
}

/* Add GROUP to NEST unless its like is there. */
static void nest_add_group(struct nest *nest, const struct group *group)
{
  for (int g = 0; g < nest->n_group; g++) {
    struct group *old = &nest->group[g];
    if (is_same_group(old, group, nest->n_loop)) {
      old->written |= group->written;
      return;
    }
  }
  if (nest->n_group < MAX_GROUPS)
    nest->group[nest->n_group++] = *group;
}

/* How do the subscripts of RELATION, an access of GROUP, change in each of the N loops of STEP? */
static void group_find_moves(struct group *group, isl_map *relation, struct tsr_step *step, int n)
{
  long value[TSR_MAX_DIM];
  group->n_dim = isl_map_dim(relation, isl_dim_out);
  group->fixed = group->n_dim > 0 && group->n_dim <= MAX_MOVES;
  for (int l = 0; l < n && group->fixed; l++) {
    if (group->stride[l] == TSR_STRIDE_NONE)
      continue;
    group->fixed = step[l].fixed && tsr_access_deltas(relation, &step[l], 1, value);
    for (int d = 0; d < group->n_dim && group->fixed; d++)
      group->move[l][d] = labs(value[d]);
  }
}

/* Which steps of GROUP, whose moves are known, stay within LINE bytes in elements of SIZE bytes: a[i][2 k]? */
static void group_find_near(struct group *group, int line, int size, int n)
{
  int last = group->n_dim - 1;
  for (int l = 0; l < n && group->fixed; l++) {
    bool along = group->stride[l] == TSR_STRIDE_OTHER && group->move[l][last] * size < line;
    for (int d = 0; d < last && along; d++)
      along = group->move[l][d] == 0;
    group->near[l] = along ? group->move[l][last] : 0;
  }
}

/* Where ACCESS goes, for what its lines cost. A vector x[i * inc], an array X[i, p] of rows of inc elements, is taken for
 * one whose elements are neighbours: inc is 1 in nearly all calls, and what is gained only if it isn't costs all others
 * time. */
static isl_map *seen_relation(const struct tsr_scop *scop, const struct tsr_access *access)
{
  isl_set *extent = scop->arrays[access->array].extent;
  isl_map *seen = isl_map_copy(access->relation);
  isl_size n = isl_map_dim(seen, isl_dim_out);
  if (n < 2 || isl_set_involves_dims(extent, isl_dim_param, 0, isl_set_dim(extent, isl_dim_param)) != isl_bool_true)
    return seen;
  isl_map *last = isl_map_project_out(isl_map_copy(seen), isl_dim_out, 0, n - 1);
  isl_bool moves = isl_map_involves_dims(last, isl_dim_in, 0, isl_map_dim(last, isl_dim_in));
  isl_bool varies = isl_map_involves_dims(last, isl_dim_param, 0, isl_map_dim(last, isl_dim_param));
  isl_map_free(last);
  return moves == isl_bool_false && varies == isl_bool_true ? isl_map_project_out(seen, isl_dim_out, n - 1, 1) : seen;
}

/* Loop L of NEST goes innermost: its iterations are lanes. */
static void sink_loop(struct nest *nest, int l)
{
  double trips = nest->trips[l];
  struct tsr_step step = nest->step[l];
  for (; l < nest->n_loop - 1; l++) {
    nest->trips[l] = nest->trips[l + 1];
    nest->step[l] = nest->step[l + 1];
  }
  nest->trips[l] = trips;
  nest->step[l] = step;
}

/* Loops, trips and strides of the statement of ORDER; PARALLEL_LOOP: index of the loop at dimension parallel_dim. */
static void nest_compute(struct model *model, struct tsr_order *order, struct nest *nest, int *parallel_loop)
{
  struct tsr_step *step = nest->step;
  struct tsr_stmt *stmt = order->stmt;
  isl_set *times = isl_map_range(isl_map_copy(order->map));
  isl_size n = isl_set_dim(times, isl_dim_set);
  *nest = (struct nest){.instances = 1};
  *parallel_loop = -1;
  int lane_loop = -1;
  for (int pos = 0; pos < n && nest->n_loop < MAX_LOOPS; pos++) {
    double trips = tsr_times_trips(&times, pos);
    if (pos == model->parallel_dim)
      *parallel_loop = nest->n_loop;
    if (trips <= 1)
      continue;
    if (pos == model->lane_dim)
      lane_loop = nest->n_loop;
    nest->instances *= trips;
    tsr_step_init(&step[nest->n_loop], order, pos);
    nest->trips[nest->n_loop++] = trips;
  }
  isl_set_free(times);
  if (lane_loop >= 0)
    sink_loop(nest, lane_loop);
  for (int k = 0; k < stmt->n_access; k++) {
    struct group group = {.array = stmt->access[k].array, .written = stmt->access[k].kind != TSR_READ};
    if (model->scop->arrays[group.array].kind == TSR_ARRAY_SCALAR)
      continue;
    isl_map *seen = seen_relation(model->scop, &stmt->access[k]);
    for (int l = 0; l < nest->n_loop; l++)
      group.stride[l] = tsr_access_stride(seen, &step[l]);
    group_find_moves(&group, seen, step, nest->n_loop);
    isl_map_free(seen);
    group_find_near(&group, model->scop->machine.cache[0].line, model->scop->arrays[group.array].elem_size, nest->n_loop);
    nest_add_group(nest, &group);
  }
}

/* What NEST shares with the statements before it in the same loops, and what it adds for those behind it. */
static void share_groups(struct model *model, struct nest *nest)
{
  if (model->n_seen == 0)
    model->seen_loops = nest->n_loop;
  for (int g = 0; g < nest->n_group && nest->n_loop == model->seen_loops; g++) {
    struct group *group = &nest->group[g];
    for (int k = 0; k < model->n_seen && !group->at_hand; k++)
      group->at_hand = is_same_group(&model->seen[k], group, nest->n_loop);
    if (!group->at_hand && model->n_seen < MAX_GROUPS)
      model->seen[model->n_seen++] = *group;
  }
}

/* Lines of which PER_LINE elements fit into one: SPAN neighbours, in each of PLACES places. */
static double lines_of(double places, double span, double per_line)
{
  return places * (span > per_line ? span / per_line : 1);
}

/* The same, but loops that move one subscript together, such as i - 2 t, go over the sum of their steps, not the product: it
 * is that which strips and panels keep in a cache. */
static double box_of(struct nest *nest, struct group *group, double per_line, int first)
{
  double places = 1, span = 1;
  for (int d = 0; d < group->n_dim; d++) {
    span = 1;
    for (int l = first; l < nest->n_loop; l++)
      span += (double)group->move[l][d] * (nest->trips[l] - 1);
    places *= d < group->n_dim - 1 ? span : 1;
  }
  return lines_of(places, span, per_line);
}

/* Lines of LINE bytes that GROUP touches in one run of the loops FIRST, ... of NEST. */
static double footprint(struct model *model, struct nest *nest, struct group *group, int line, int first)
{
  double per_line = (double)line / model->scop->arrays[group->array].elem_size;
  double places = 1, span = 1; /* loops that go to the next elements move one window: a[i + j] */
  for (int l = first; l < nest->n_loop; l++) {
    if (group->stride[l] == TSR_STRIDE_ONE || group->near[l])
      span += (nest->trips[l] - 1) * (group->near[l] ? (double)group->near[l] : 1);
    else if (group->stride[l] == TSR_STRIDE_OTHER)
      places *= nest->trips[l];
  }
  double lines = lines_of(places, span, per_line);
  double box = group->fixed && (model->strips || model->panels) ? box_of(nest, group, per_line, first) : lines;
  return box < lines ? box : lines;
}

/* Do register tiles of vectors along rows, or chains, hold the leaf at hand? */
static bool walks_along_rows(const struct model *model)
{
  return tsr_mark_is(model->held_by, TSR_MARK_INTERLEAVE) ||
         (tsr_mark_is(model->held_by, TSR_MARK_REGISTERS) && model->held_by->tile.streams);
}

/* The cost of the lines that NEST brings into the cache LEVEL. From memory each is also written back. */
static double miss_cost(struct model *model, struct nest *nest, int level)
{
  const struct tsr_cache *cache = &model->scop->machine.cache[level], *second = &model->scop->machine.cache[1];
  bool far = level > 1;
  double cost = 0, again = 1; /* how often do the loops that keep their lines run? */
  int first = nest->n_loop;   /* the outermost one of these */
  for (; first > 0; first--) {
    double lines = 0;
    for (int g = 0; g < nest->n_group; g++)
      lines += footprint(model, nest, &nest->group[g], cache->line, first);
    if (lines * cache->line > cache->size)
      break;
  }
  for (int l = 0; l < first; l++)
    again *= nest->trips[l];
  for (int g = 0; g < nest->n_group; g++) {
    struct group *group = &nest->group[g];
    if (group->at_hand)
      continue;
    double lines = again * footprint(model, nest, group, cache->line, first);
    bool in_order = nest->n_loop == 0 || walks_along_rows(model) || group->stride[nest->n_loop - 1] != TSR_STRIDE_OTHER ||
                    group->near[nest->n_loop - 1];
    cost += lines * (!in_order               ? (far ? second : cache)->other_line
                     : far && group->written ? 2 * cache->next_line
                                             : cache->next_line);
  }
  return cost;
}

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

/* May READ get in some pair of NEXT { S[i] -> S[i + d] } what WRITE has written? Yes where NEXT is NULL. */
static bool may_follow(isl_map *next, struct tsr_access *write, struct tsr_access *read)
{
  if (!next)
    return true;
  isl_map *pairs = isl_map_apply_range(isl_map_copy(write->relation), isl_map_reverse(isl_map_copy(read->relation)));
  isl_bool never = isl_map_is_disjoint(next, pairs);
  isl_map_free(pairs);
  return never != isl_bool_true;
}

/* Does an instance of STMT wait for the one before it in the innermost loop: an accumulator or a recurrence? */
static bool is_chain(struct nest *nest, struct tsr_stmt *stmt)
{
  isl_map *next = next_instance(nest, stmt);
  bool is = false;
  for (int w = 0; w < stmt->n_access && !is; w++)
    for (int r = 0; r < stmt->n_access && !is; r++) {
      struct tsr_access *write = &stmt->access[w], *read = &stmt->access[r];
      if (write->kind == TSR_READ || read->kind != TSR_READ || write->array != read->array)
        continue;
      is = isl_map_dim(write->relation, isl_dim_out) == 0 ||
           (!isl_map_plain_is_equal(write->relation, read->relation) && may_follow(next, write, read));
      for (int g = 0; g < nest->n_group; g++)
        is = is || (nest->group[g].array == write->array && nest->group[g].stride[nest->n_loop - 1] == TSR_STRIDE_ZERO);
    }
  isl_map_free(next);
  return is;
}

/* Does READ get what WRITE has written one step of the innermost loop before, in all pairs of NEXT { S[i] -> S[i + d] }? */
static bool is_recurrence(isl_map *next, struct tsr_access *write, struct tsr_access *read)
{
  isl_map *pairs = isl_map_apply_range(isl_map_copy(write->relation), isl_map_reverse(isl_map_copy(read->relation)));
  isl_bool always = isl_map_is_subset(next, pairs);
  isl_map_free(pairs);
  return always == isl_bool_true;
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
  if (across && along)
    cost = tsr_issue_lanes(model->scop, stmt, across, inner ? along : NULL, &model->lockstep);
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

/* What access I of the statement of ORDER is in the tile at hand, of which ROW is a step to the next row. */
static struct tsr_operand operand_of(const struct model *model, struct tsr_order *order, int i, struct tsr_step *row)
{
  const struct tsr_register_tile *tile = &model->held_by->tile;
  isl_map *relation = order->stmt->access[i].relation;
  const struct tsr_pack *pack = pack_of(model, order->stmt, i);
  long elements = 0;
  if (is_folded(order->stmt, i))
    return (struct tsr_operand){.held = true};
  bool fixed = tsr_access_move(relation, tile->step, &elements);
  struct tsr_operand operand = {.by_row = !tile->streams && tsr_access_stride(relation, row) != TSR_STRIDE_ZERO,
                                .by_vector = tile->streams || !fixed || elements != 0,
                                .computed = pack && pack->by_row};
  bool next = pack || (fixed && (elements == 1 || elements == 0));
  operand.lie = next ? TSR_LANES_NEXT : tile->streams ? TSR_LANES_TRANSPOSED : TSR_LANES_APART;
  return operand;
}

/* Cycles for an instance of the statement of ORDER in the register tile at hand. Trees that people wrote come here before
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
  return cost < 0 ? tsr_issue_alone(order->stmt) : cost; /* what is not in registers goes to memory and back */
}

/* Cycles to issue one instance of the statement of ORDER. */
static double issue_cost(struct model *model, struct nest *nest, struct tsr_order *order)
{
  struct tsr_stmt *stmt = order->stmt;
  if (tsr_mark_is(model->held_by, TSR_MARK_REGISTERS))
    return tile_cost(model, order);
  if (model->held_by)
    return tsr_issue_chains(stmt, model->held_by->interleave.chains);
  if (model->lane_dim >= 0)
    return lockstep_cost(model, nest, stmt);
  double work = tsr_issue_alone(stmt);
  bool unit = true;
  int last = nest->n_loop - 1;
  double lanes = VECTOR_LANES;
  if (last < 0)
    return work;
  for (int i = 0; i < stmt->n_access; i++)
    if (stmt->access[i].kind == TSR_MAY_WRITE)
      lanes = GUARDED_LANES;
  for (int g = 0; g < nest->n_group; g++)
    unit &= nest->group[g].stride[last] != TSR_STRIDE_OTHER;
  if (model->vector)
    return unit ? work / lanes : work;
  double latency = model->scop->machine.fma_latency, known = recurrence_wait(nest, stmt);
  latency = known > latency ? known : latency; /* an instance may wait for the one before */
  return work < latency && is_chain(nest, stmt) ? latency : work;
}

/* Cycles for all instances of NEST; PARALLEL: the index of its parallel loop, or -1. */
static double nest_cost(struct model *model, struct nest *nest, struct tsr_order *order, int parallel)
{
  double cost = nest->instances * issue_cost(model, nest, order);
  nest->issue = cost;
  const struct tsr_machine *machine = &model->scop->machine;
  for (int c = 0; c < LEVELS && c < machine->n_cache; c++) {
    double lines = miss_cost(model, nest, c);
    cost = lines > cost ? lines : cost;
  }
  if (model->lane_dim >= 0 && nest->n_loop > 1)
    cost += nest->instances / nest->trips[nest->n_loop - 1] / nest->trips[nest->n_loop - 2] * LOOP_OVERHEAD;
  else if (nest->n_loop > 0 && !model->held_by)
    cost += nest->instances / nest->trips[nest->n_loop - 1] * LOOP_OVERHEAD;
  if (parallel < 0)
    return cost;
  double forks = 1, share = 1.0 / machine->cores + 0.5 / nest->trips[parallel]; /* of the slowest, half an iteration more */
  for (int l = 0; l < parallel; l++)
    forks *= nest->trips[l];
  return cost * (share < 1 ? share : 1) + forks * FORK_OVERHEAD;
}

static void add_cost(struct model *model, int stmt, double cost, double instances)
{
  model->cost += cost;
  if (model->by_stmt)
    model->by_stmt[stmt] += cost;
  model->instances += instances;
  model->held[stmt].total += cost;
  model->held[stmt].instances += instances;
}

static isl_stat add_statement(struct tsr_order *order, void *user)
{
  struct model *model = user;
  struct nest nest;
  int parallel_loop, stmt = (int)(order->stmt - model->scop->stmts);
  struct held *held = &model->held[stmt];
  if (isl_set_is_empty(order->domain) == isl_bool_false && (model->held_by || model->lane_dim >= 0) == held->tiled) {
    nest_compute(model, order, &nest, &parallel_loop);
    share_groups(model, &nest);
    double cost = nest_cost(model, &nest, order, model->threads ? parallel_loop : -1);
    model->issue += held->tiled ? 0 : nest.issue;
    if (model->rate && nest.instances > held->rated) {
      model->rate[stmt] = nest.issue / nest.instances;
      held->rated = nest.instances;
    }
    if (!held->tiled)
      add_cost(model, stmt, cost, nest.instances);
    else if (nest.instances > held->most)
      *held = (struct held){.tiled = true, .most = nest.instances, .cost = cost, .rated = held->rated};
  }
  return isl_stat_ok;
}

/* Instances of STMT, for the model's parameters. */
static double count_instances(struct model *model, struct tsr_stmt *stmt)
{
  isl_set *domain = isl_set_intersect_params(isl_set_copy(stmt->domain), isl_set_copy(model->parameters));
  isl_size n = isl_set_dim(domain, isl_dim_set);
  double instances = isl_set_is_empty(domain) == isl_bool_true ? 0 : 1;
  for (int pos = 0; pos < n && instances > 0; pos++)
    instances *= tsr_times_trips(&domain, pos);
  isl_set_free(domain);
  return instances;
}

/* All instances of a statement with register tiles cost what those in tiles do: the others are few. */
static void add_tiled(struct model *model)
{
  for (int i = 0; i < model->scop->n_stmt; i++) {
    struct held *held = &model->held[i];
    if (!held->tiled)
      continue;
    double instances = count_instances(model, &model->scop->stmts[i]);
    add_cost(model, i, held->most > 0 ? held->cost / held->most * instances : 0, instances);
  }
}

/* Trees for threads come in orders of their own: where loops depend on each other, trips at the middle of those around give
 * other numbers of instances in each. What is counted too often costs less in proportion. */
static void scale_costs(struct model *model)
{
  for (int i = 0; i < model->scop->n_stmt; i++) {
    struct held *held = &model->held[i];
    double instances = held->instances > 0 ? count_instances(model, &model->scop->stmts[i]) : 0;
    double over = held->instances > instances ? held->total * (1 - instances / held->instances) : 0;
    model->cost -= over;
    if (model->by_stmt)
      model->by_stmt[i] -= over;
  }
}

static isl_stat find_tiled(isl_set *set, void *user)
{
  struct model *model = user;
  int stmt = tsr_scop_find_stmt(model->scop, isl_set_get_tuple_name(set));
  if (stmt >= 0)
    model->held[stmt].tiled = true;
  isl_set_free(set);
  return isl_stat_ok;
}

/* ---- marks ---- */

static void note_held(struct model *model, int depth, const struct tsr_mark *mark)
{
  model->held_by = mark;
  model->held_dim = depth;
}

static void note_pack(struct model *model, int depth, const struct tsr_mark *mark)
{
  (void)depth;
  if (model->n_pack < TSR_MAX_PACK && tsr_mark_pack(mark, model->scop, &model->pack[model->n_pack]))
    model->n_pack++;
}

static void note_lanes(struct model *model, int depth, const struct tsr_mark *mark)
{
  model->lockstep = mark->lockstep;
  model->lane_dim = depth;
}

static void note_threads(struct model *model, int depth, const struct tsr_mark *mark)
{
  (void)mark;
  model->parallel_dim = depth;
}

/* What a mark tells of the leaves below it. HOLDS: it knows what their instances take. */
static const struct {
  bool holds;
  void (*note)(struct model *model, int depth, const struct tsr_mark *mark);
} of_mark[TSR_N_MARK] = {[TSR_MARK_REGISTERS] = {true, note_held},    [TSR_MARK_INTERLEAVE] = {true, note_held},
                         [TSR_MARK_PACK] = {false, note_pack},        [TSR_MARK_LOCKSTEP] = {true, note_lanes},
                         [TSR_MARK_PARALLEL] = {false, note_threads}, [TSR_MARK_DOACROSS] = {false, note_threads}};

/* Note the statements below the marks of register tiles and lanes, and other marks. */
static isl_bool find_tiles(isl_schedule_node *node, void *user)
{
  struct model *model = user;
  const struct tsr_mark *mark = tsr_node_mark(node);
  model->strips |= tsr_mark_is(mark, TSR_MARK_STRIPS);
  model->panels |= tsr_node_is_panels(node);
  if (!mark || !of_mark[mark->kind].holds)
    return isl_bool_true;
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  domain = isl_union_set_intersect_params(domain, isl_set_copy(model->parameters));
  isl_stat ok =
      isl_union_set_is_empty(domain) == isl_bool_true ? isl_stat_ok : isl_union_set_foreach_set(domain, find_tiled, model);
  isl_union_set_free(domain);
  return ok < 0 ? isl_bool_error : isl_bool_true;
}

/* Are the iterations of the innermost loop, that of the last member of BAND, independent? Marks tell it for MEMORY arrays.
 */
static bool is_vector_loop(struct model *model, isl_schedule_node *band)
{
  isl_size n = isl_schedule_node_band_n_member(band);
  bool below_mark = n == 1 && isl_schedule_node_get_parent_type(band) == isl_schedule_node_mark;
  isl_bool vector = isl_schedule_node_band_member_get_coincident(band, n - 1);
  if (vector != isl_bool_false || (model->marked && !below_mark))
    return vector == isl_bool_true;
  isl_schedule_node *last = isl_schedule_node_copy(band);
  if (n > 1)
    last = isl_schedule_node_child(isl_schedule_node_band_split(last, n - 1), 0);
  vector = tsr_band_is_parallel(last, model->scop, below_mark ? TSR_SCALARS : TSR_ANY_ARRAY, NULL);
  isl_schedule_node_free(last);
  return vector == isl_bool_true;
}

/* Find the vector and parallel loops above LEAF, and the band that it may share with the leaf before. */
static void find_marks(struct model *model, isl_schedule_node *leaf)
{
  isl_schedule_node *node = isl_schedule_node_copy(leaf);
  bool innermost = true;
  model->vector = false;
  model->held_by = NULL;
  model->n_pack = 0;
  model->parallel_dim = model->lane_dim = -1;
  while (isl_schedule_node_has_parent(node) == isl_bool_true) {
    node = isl_schedule_node_parent(node);
    enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
    if (type == isl_schedule_node_band && innermost) {
      innermost = false;
      if (!model->band || isl_schedule_node_is_equal(model->band, node) != isl_bool_true) {
        isl_schedule_node_free(model->band);
        model->band = isl_schedule_node_copy(node);
        model->band_vector = is_vector_loop(model, node);
        model->n_seen = 0;
      }
      model->vector = model->band_vector;
    }
    const struct tsr_mark *mark = tsr_node_mark(node);
    if (mark && of_mark[mark->kind].note)
      of_mark[mark->kind].note(model, isl_schedule_node_get_schedule_depth(node), mark);
  }
  if (innermost)
    model->n_seen = 0;
  isl_schedule_node_free(node);
}

static isl_stat add_leaf(isl_schedule_node *leaf, void *user)
{
  struct model *model = user;
  find_marks(model, leaf);
  return tsr_leaf_foreach_order(leaf, model->scop, isl_set_copy(model->parameters), add_statement, model);
}

/* All of TREE in MODEL, which the caller has set up; what it has of its own is freed. */
static isl_stat model_compute(struct model *model, isl_schedule *tree)
{
  struct tsr_scop *scop = model->scop;
  isl_schedule_node *root = isl_schedule_get_root(tree);
  model->held = calloc(scop->n_stmt + 1, sizeof(*model->held));
  isl_stat ok = model->held ? isl_schedule_node_foreach_descendant_top_down(root, find_tiles, model) : isl_stat_error;
  if (ok == isl_stat_ok)
    ok = tsr_node_foreach_leaf(root, add_leaf, model);
  if (ok == isl_stat_ok)
    add_tiled(model);
  if (ok == isl_stat_ok && model->threads)
    scale_costs(model);
  for (int i = 0; i < scop->n_stmt && model->beside && model->held; i++)
    model->beside[i] = model->held[i].tiled ? model->beside[i] : model->rate[i];
  free(model->held);
  isl_schedule_node_free(root);
  isl_schedule_node_free(model->band);
  isl_set_free(model->parameters);
  return ok;
}

/* What an instance of each statement takes, if it has no leaf. */
static void begin_rates(const struct tsr_scop *scop, double *rate)
{
  for (int i = 0; i < scop->n_stmt; i++)
    rate[i] = tsr_issue_alone(&scop->stmts[i]);
}

isl_stat tsr_tree_cost(struct tsr_scop *scop, isl_schedule *tree, bool marked, bool threads, struct tsr_estimate *estimate,
                       double *by_stmt)
{
  return tsr_tree_cost_and_rates(scop, tree, marked, threads, estimate, by_stmt, NULL);
}

isl_stat tsr_tree_cost_and_rates(struct tsr_scop *scop, isl_schedule *tree, bool marked, bool threads,
                                 struct tsr_estimate *estimate, double *by_stmt, double *rates)
{
  struct model model = {.lane_dim = -1,
                        .scop = scop,
                        .parameters = tsr_scop_typical(scop),
                        .marked = marked,
                        .by_stmt = by_stmt,
                        .threads = threads};
  if (by_stmt)
    memset(by_stmt, 0, scop->n_stmt * sizeof(*by_stmt));
  bool keep = tree == scop->schedule && !marked && !scop->kept.rate; /* for tsr_tree_rates */
  model.rate = keep ? calloc(scop->n_stmt + 1, sizeof(*model.rate)) : rates;
  model.beside = keep || !rates ? NULL : rates + scop->n_stmt;
  if (model.rate)
    begin_rates(scop, model.rate);
  isl_stat ok = model_compute(&model, tree);
  bool good = ok == isl_stat_ok;
  if (keep && good)
    scop->kept.rate = model.rate;
  else if (keep)
    free(model.rate);
  *estimate = (struct tsr_estimate){good ? model.cost : 0, good ? model.instances : 0, model.strips, good ? model.issue : 0,
                                    model.panels};
  return ok;
}

isl_stat tsr_tree_rates(struct tsr_scop *scop, isl_schedule *tree, bool marked, double *rate, double *beside)
{
  tsr_scop_renew(scop);
  if (tree == scop->schedule && !marked && !beside && scop->kept.rate) {
    memcpy(rate, scop->kept.rate, scop->n_stmt * sizeof(*rate));
    return isl_stat_ok;
  }
  struct model model = {.lane_dim = -1, .scop = scop, .parameters = tsr_scop_typical(scop), .marked = marked, .rate = rate};
  begin_rates(scop, rate);
  model.beside = beside;
  return model_compute(&model, tree);
}

const char tsr_not_lower[] = "the estimated cost is not lower";
static const char too_few[] = "too few iterations to gain from a transformation";

isl_bool tsr_profit_is_hopeless(struct tsr_scop *scop, const char **reason)
{
  double instances = 0;
  struct model model = {.scop = scop, .parameters = tsr_scop_typical(scop), .lane_dim = -1};
  bool known = scop->kept.typical && scop->kept.counted;
  for (int i = 0; i < scop->n_stmt && instances < MIN_INSTANCES && !known; i++)
    instances += count_instances(&model, &scop->stmts[i]);
  isl_set_free(model.parameters);
  *reason = too_few;
  if (isl_ctx_last_error(scop->ctx) != isl_error_none)
    return isl_bool_error;
  if (!known)
    scop->kept.few = instances < MIN_INSTANCES;
  scop->kept.counted = true;
  return isl_bool_ok(scop->kept.few);
}

/* What any change costs, with N_CHECK run-time checks. */
static double change_cost(int n_check)
{
  return 1000.0 + 100.0 * n_check;
}

bool tsr_profit_is_worth(double before, double after, int n_check)
{
  return after + change_cost(n_check) < MIN_GAIN * before;
}

bool tsr_profit_is_too_few(double instances)
{
  return instances < MIN_INSTANCES;
}

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

/* What it takes at least to issue an instance of STMT: alone, or in vectors unless there are NONE, whichever loop is
 * innermost; or in a register tile if it may be in one. Lanes of an outer loop apart. */
static double least_issue(struct model *model, struct tsr_stmt *stmt, bool none, bool tiled)
{
  double work = tsr_issue_alone(stmt), least = none ? work : work / VECTOR_LANES;
  int lanes = tiled && stmt->vector_bytes ? tile_lanes(model->scop) : 0;
  double tile = lanes ? 1.0 / (model->scop->machine.fma_units * lanes) : least;
  return tile < least ? tile : least;
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
    isl_map *seen = seen_relation(model->scop, &stmt->access[k]);
    bool known = tsr_access_touches(seen, nest->step, nest->trips, nest->n_loop, &touches, &rows);
    isl_map_free(seen);
    if (!known)
      continue;
    tiled &= stmt->access[k].kind == TSR_READ || (!touches.once && touches.unit);
    for (int c = 0; c < TSR_LEVELS && c < machine->n_cache; c++) {
      const struct tsr_cache *cache = &machine->cache[c];
      bool near = touches.divisor > 0 && touches.divisor * array->elem_size < cache->line;
      double lines = near ? lines_of(1, touches.elements, (double)cache->line / array->elem_size) : touches.elements;
      bool in_order = cache->next_line < cache->other_line && (near || !touches.once);
      double cost = lines * (in_order ? cache->next_line : cache->other_line), *most = &of->lines[k * TSR_LEVELS + c];
      *most = cost > *most ? cost : *most;
    }
  }
  return least_issue(model, stmt, nest->n_loop > 0 && rows.n == nest->n_loop, tiled);
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
      all += footprint(model, nest, &nest->group[g], cache->line, last);
    for (int k = 0; k < stmt->n_access && all * cache->line > cache->size; k++) {
      double cost = 0, *most = &of->lines[k * TSR_LEVELS + c];
      for (int g = 0; g < nest->n_group; g++) {
        struct group *group = &nest->group[g];
        bool in_order = group->stride[last] != TSR_STRIDE_OTHER || group->near[last];
        if (group->array == stmt->access[k].array)
          cost += nest->instances / nest->trips[last] * footprint(model, nest, group, cache->line, last) *
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
  nest_compute(&all->model, order, &nest, &parallel_loop);
  share_groups(&all->model, &nest);
  double before = nest_cost(&all->model, &nest, order, -1), issue = before;
  if (nest.n_loop > 0)
    issue = nest.instances * issue_cost(&all->model, &nest, order) +
            nest.instances / nest.trips[nest.n_loop - 1] * LOOP_OVERHEAD;
  double least = nest.instances * add_lines(&all->model, &nest, order->stmt, of);
  of->before += before;
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
  find_marks(&all->model, leaf);
  return tsr_leaf_foreach_order(leaf, all->model.scop, isl_set_copy(all->model.parameters), add_least, all);
}

isl_stat tsr_profit_least(struct tsr_scop *scop, struct tsr_least *of)
{
  /* marked: a loop without a mark is no vector loop, or costs less than if it were none. */
  struct least all = {{.scop = scop, .parameters = tsr_scop_typical(scop), .marked = true}, of};
  isl_schedule_node *root = isl_schedule_get_root(scop->schedule);
  isl_stat ok = tsr_node_foreach_leaf(root, add_least_leaf, &all);
  isl_schedule_node_free(root);
  isl_schedule_node_free(all.model.band);
  isl_set_free(all.model.parameters);
  return ok;
}

/* requires: CANDIDATE is a tree over SCOP's domain.  on failure: not worth it. */
struct tsr_profit tsr_profit_estimate(struct tsr_scop *scop, isl_schedule *candidate, int n_check, bool threads,
                                      struct tsr_estimate *before, struct tsr_estimate *after)
{
  struct tsr_profit profit = {.reason = "the cost could not be estimated"};
  if ((before->instances == 0 && tsr_tree_cost(scop, scop->schedule, false, threads, before, NULL) < 0) ||
      (after->instances == 0 && tsr_tree_cost(scop, candidate, true, threads, after, NULL) < 0))
    return profit;
  profit.before = before->cost;
  profit.after = after->cost + change_cost(n_check);
  bool caches_alone = after->strips || (after->panels && !threads);
  profit.worth = profit.after < (caches_alone ? MIN_GAIN_OF_STRIPS : MIN_GAIN) * profit.before;
  profit.worth = profit.worth && after->instances >= MIN_INSTANCES;
  if (after->instances < MIN_INSTANCES)
    profit.reason = too_few;
  else
    profit.reason = profit.worth ? "the estimated cost is lower" : tsr_not_lower;
  return profit;
}
