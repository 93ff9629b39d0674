/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What code costs at a point of the parameters, by its parts (size_costs.c). What a loop costs is computed once for all
 * values of iterators around it that have nothing to do with it. */
#include "ast/sizes/size_parts.h"
#include "model/thresholds.h"
#include <string.h>

/* ---- values ---- */

/* A / B, rounded down; 0 where B is not positive. */
static int64_t floor_div(int64_t a, int64_t b)
{
  return b <= 0 ? 0 : a / b - (a % b < 0);
}

static int64_t apply(enum isl_ast_expr_op_type op, int64_t a, int64_t b)
{
  switch (op) {
  case isl_ast_expr_op_max:
    return a > b ? a : b;
  case isl_ast_expr_op_min:
    return a < b ? a : b;
  case isl_ast_expr_op_add:
    return (int64_t)((uint64_t)a + (uint64_t)b);
  case isl_ast_expr_op_sub:
    return (int64_t)((uint64_t)a - (uint64_t)b);
  case isl_ast_expr_op_mul:
    return (int64_t)((uint64_t)a * (uint64_t)b);
  case isl_ast_expr_op_div:
  case isl_ast_expr_op_fdiv_q:
  case isl_ast_expr_op_pdiv_q:
    return floor_div(a, b);
  case isl_ast_expr_op_pdiv_r:
  case isl_ast_expr_op_zdiv_r:
    return (int64_t)((uint64_t)a - (uint64_t)floor_div(a, b) * (uint64_t)b);
  case isl_ast_expr_op_eq:
    return a == b;
  case isl_ast_expr_op_le:
    return a <= b;
  case isl_ast_expr_op_lt:
    return a < b;
  case isl_ast_expr_op_ge:
    return a >= b;
  case isl_ast_expr_op_gt:
    return a > b;
  case isl_ast_expr_op_and:
  case isl_ast_expr_op_and_then:
    return a && b;
  case isl_ast_expr_op_or:
  case isl_ast_expr_op_or_else:
    return a || b;
  default:
    return 1;
  }
}

static int64_t value_at(const struct value *value, const int64_t *slot)
{
  if (value->n_arg == 0)
    return value->slot >= 0 ? slot[value->slot] : value->number;
  if (value->op == isl_ast_expr_op_minus)
    return -value_at(value->arg[0], slot);
  if (value->op == isl_ast_expr_op_cond || value->op == isl_ast_expr_op_select)
    return value->n_arg < 3 ? 0 : value_at(value->arg[value_at(value->arg[0], slot) ? 1 : 2], slot);
  int64_t all = value_at(value->arg[0], slot);
  for (int i = 1; i < value->n_arg; i++)
    all = apply(value->op, all, value_at(value->arg[i], slot));
  return all;
}

/* How often does the loop PART run? Its iterator is set to the middle. */
int64_t tsr_part_trips(const struct part *part, int64_t *slot)
{
  int64_t first = value_at(part->first, slot), last = part->last ? value_at(part->last, slot) : first;
  int64_t trips = last < first ? 0 : (last - first) / part->step + 1;
  slot[part->slot] = first + (trips - (trips > 0)) / 2 * part->step;
  return trips;
}

/* ---- asking for a point ---- */

static double parts_cost(const struct tsr_size_costs *costs, struct part *part, int64_t *slot);
static double loop_cost(const struct tsr_size_costs *costs, struct part *part, int64_t *slot);

/* The product over the loops from PART inwards. */
static double trips_inwards(const struct part *part, int64_t *slot)
{
  double trips = 1;
  for (; part; part = part->body)
    trips *= (double)tsr_part_trips(part, slot);
  return trips;
}

/* A run of the tile PART. */
static double tile_cost(const struct tsr_size_costs *costs, const struct part *part, int64_t *slot)
{
  const struct tsr_register_tile *tile = &part->tile;
  double steps = trips_inwards(part->reduction, slot), rows = trips_inwards(part->row, slot);
  int64_t columns = part->ragged   ? (int64_t)tile->vectors * tile->lanes
                    : part->vector ? tsr_part_trips(part->vector, slot)
                                   : 0;
  double vectors = (double)floor_div(columns + tile->lanes - 1, tile->lanes);
  if (steps <= 0 || rows <= 0 || vectors <= 0)
    return STEP_COST;
  bool masked = columns < (int64_t)tile->vectors * tile->lanes, few = rows < tile->rows;
  double whole = part->rate * tile->lanes; /* of a vector */
  if (!masked && !few)
    return TILE_COST + steps * rows * vectors * whole + rows * vectors * part->held;
  double runs = masked ? vectors : rows, at_once = masked ? rows : vectors;
  double step = tsr_larger(at_once * whole, MASKED_LATENCY * costs->fma_latency);
  return (masked ? costs->masked : 1) * runs * (TILE_COST + steps * step + at_once * part->held);
}

/* TRIPS instances of USER in the innermost loop LOOP, in vectors if there are enough of them. */
static double instances_cost(const struct part *loop, const struct part *user, double trips)
{
  if (user->waits) { /* runs overlap as far as the core looks ahead: sums with the next ones, else what is loaded, too */
    double issued = user->moved >> loop->slot & 1 ? loop->issued : user->summed;
    double ahead = 1 + LOOKAHEAD / (trips * issued / ISSUE + ENTRY_COST / ISSUE);
    return tsr_larger(trips * user->each, trips * user->rate / ahead);
  }
  return trips < loop->lanes || user->each < user->rate ? trips * user->each : trips * user->rate;
}

/* TRIPS instances of USER and of what follows it in the innermost loop LOOP. */
static double leaf_cost(const struct part *loop, const struct part *user, double trips, int64_t *slot)
{
  double cost = 0;
  for (; user; user = user->next)
    if (user->kind == PART_IF)
      cost += STEP_COST + leaf_cost(loop, value_at(user->cond, slot) ? user->body : user->other, trips, slot);
    else
      cost += instances_cost(loop, user, trips);
  return cost;
}

/* A run of the straight loop PART, which has others in it: what only hands on values is in registers. */
static double around_straight_cost(const struct tsr_size_costs *costs, struct part *part, double trips, int64_t *slot)
{
  double cost = 0;
  for (struct part *inside = part->body; inside; inside = inside->next)
    cost +=
        inside->kind != PART_USER ? loop_cost(costs, inside, slot) : inside->each * (inside->registers ? STRAIGHT_WORK : 1);
  return trips * cost;
}

/* A run of the straight loop PART, which has no other in it, TRIPS times: vectors, as the rate tells, but for chains. */
static double straight_cost(const struct part *part, double trips)
{
  double cost = 0;
  for (const struct part *user = part->body; user; user = user->next)
    cost += user->chained ? instances_cost(part, user, trips) : trips * user->rate;
  return cost;
}

/* A run of the loop PART, TRIPS times from FIRST on, whose body depends on the iterator: of many iterations the first, the
 * last, and some in between count for all. */
static double varying_cost(const struct tsr_size_costs *costs, struct part *part, int64_t first, int64_t trips,
                           int64_t *slot)
{
  enum { SAMPLES = 5 };
  int64_t samples = trips < SAMPLES ? trips : SAMPLES;
  double cost = 0;
  for (int64_t i = 0; i < samples; i++) {
    int64_t at = samples < trips ? (trips - 1) * i / (SAMPLES - 1) : i;
    bool end = i == 0 || i == samples - 1;
    double share = samples == trips ? 1 : end ? 1 : (double)(trips - 2) / (SAMPLES - 2);
    slot[part->slot] = first + at * part->step;
    cost += share * parts_cost(costs, part->body, slot);
  }
  return cost;
}

/* What the innermost loop PART takes before its TRIPS iterations. */
static double entry_cost(const struct tsr_size_costs *costs, const struct part *part, int64_t trips)
{
  int pairs = 0;
  for (const struct part *user = part->body; user; user = user->next)
    pairs += user->kind == PART_USER && trips >= user->lanes && !(costs->careful && user->waits) ? user->pairs : 0;
  return ENTRY_COST + OVERLAP_COST * (pairs < costs->unknown ? pairs : costs->unknown);
}

static double loop_cost(const struct tsr_size_costs *costs, struct part *part, int64_t *slot)
{
  int64_t trips = tsr_part_trips(part, slot);
  double cost = 0;
  if (trips <= 0)
    return STEP_COST;
  if (part->kind == PART_EDGE)
    return ENTRY_COST + part->held * (double)floor_div(trips + part->lanes - 1, part->lanes);
  if (part->kind == PART_LANES)
    return (part->sums ? 1 : LANES_COST) * parts_cost(costs, part->body, slot);
  if (part->straight)
    return part->leaf ? straight_cost(part, (double)trips) : around_straight_cost(costs, part, (double)trips, slot);
  if (part->leaf)
    return entry_cost(costs, part, trips) + leaf_cost(part, part->body, (double)trips, slot) +
           part->unsure * (trips < UNSURE_ITERATIONS ? (double)trips : UNSURE_ITERATIONS);
  cost = (double)trips * STEP_COST + (part->moves ? varying_cost(costs, part, value_at(part->first, slot), trips, slot)
                                                  : (double)trips * parts_cost(costs, part->body, slot));
  return tsr_larger(cost, (double)trips * part->stored / (1 + LOOKAHEAD * ISSUE / cost));
}

/* Is what PART has cost last what it costs at SLOT? If not, it is noted that the next cost is of these values. */
static bool is_seen(const struct tsr_size_costs *costs, struct part *part, const int64_t *slot)
{
  bool same = part->seen.there && part->seen.careful == costs->careful;
  int n = 0;
  for (uint64_t rest = part->uses; rest; rest &= rest - 1, n++) {
    int64_t value = slot[__builtin_ctzll(rest)];
    same &= part->seen.slot[n] == value;
    part->seen.slot[n] = value;
  }
  part->seen.there = true;
  part->seen.careful = costs->careful;
  return same;
}

/* What PART, a loop or tile, costs. */
static double part_cost(const struct tsr_size_costs *costs, struct part *part, int64_t *slot)
{
  bool may = __builtin_popcountll(part->uses) <= MAX_SEEN;
  if (may && is_seen(costs, part, slot))
    return part->seen.cost;
  double cost = part->kind == PART_TILE ? tile_cost(costs, part, slot) : loop_cost(costs, part, slot);
  part->seen.cost = cost;
  return cost;
}

/* What PART and what follows it cost. */
static double parts_cost(const struct tsr_size_costs *costs, struct part *part, int64_t *slot)
{
  double cost = 0;
  for (; part; part = part->next)
    switch (part->kind) {
    case PART_IF:
      cost += STEP_COST + parts_cost(costs, value_at(part->cond, slot) ? part->body : part->other, slot);
      break;
    case PART_USER:
      cost += part->each;
      break;
    default:
      cost += part_cost(costs, part, slot);
    }
  return cost;
}

void tsr_size_costs_be_careful(struct tsr_size_costs *costs)
{
  costs->careful = true;
}

bool tsr_size_costs_are_straight(const struct tsr_size_costs *costs)
{
  return costs->straight;
}

double tsr_size_costs_at(const struct tsr_size_costs *costs, const int64_t *parameters)
{
  int64_t slot[MAX_SLOTS] = {0};
  memcpy(slot, parameters, costs->n_parameter * sizeof(*slot));
  return costs->fixed + parts_cost(costs, costs->all, slot);
}
