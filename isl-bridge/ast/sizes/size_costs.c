/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What code costs at any sizes, small ones above all: an AST, read once, is a tree of its loops, of which each point of the
 * parameters has a number of cycles. The tree estimate (cost/estimate.c) is about large sizes; only the AST knows how much
 * of a tile is there, what is copied for it, and how often a loop is entered.
 *
 *   loop around loops    trips * (STEP_COST + body); where the body's loops depend on the iterator: at its first, its middle
 *                        and its last value; an innermost loop that adds to what the one before has stored waits for that
 *   innermost loop       ENTRY_COST + trips * rate, the rate of tsr_tree_rates; fewer trips than a vector has lanes are
 *                        scalar; instances that wait for each other overlap with those of the next runs, as far as the core
 *                        looks ahead
 *   register tile        whole: instances * rate; with fewer columns vector by vector, with fewer rows row by row, each of
 *                        which waits for its own additions; and in each case what is loaded and stored around it
 *   edge loop            vectors * EDGE_COST, times HOLES_OF_EDGE where others are between what they store
 *   loop in lanes        its body once, for all lanes
 *   chains               what tsr_issue_chains says
 *   rare changes         some iterations as they are, beside looking over all of them
 *   copy, move           COPY_COST, of a vector loop over the lanes
 *
 * Nothing is said about caches: small data is in the nearest. */
#include "ast/sizes/size_parts.h"
#include "model/thresholds.h"
#include <isl/id.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading an AST ---- */

static struct value *value_free(struct value *value)
{
  for (int i = 0; value && i < value->n_arg; i++)
    value_free(value->arg[i]);
  free(value);
  return NULL;
}

static struct part *part_free(struct part *part)
{
  if (!part)
    return NULL;
  part_free(part->body);
  part_free(part->other);
  part_free(part->next);
  part_free(part->reduction);
  part_free(part->row);
  part_free(part->vector);
  value_free(part->first);
  value_free(part->last);
  value_free(part->cond);
  free(part);
  return NULL;
}

/* The slot of NAME; below 0: it has none. */
static int find_slot(const struct tsr_size_costs *costs, const char *name)
{
  for (int i = costs->n_slot - 1; i >= 0; i--)
    if (!strcmp(costs->name[i], name))
      return i;
  return -1;
}

/* A new slot for NAME; below 0: there are too many. */
static int add_slot(struct tsr_size_costs *costs, const char *name)
{
  char *copy = costs->n_slot < MAX_SLOTS ? strdup(name) : NULL;
  costs->failed |= !copy;
  if (!copy)
    return -1;
  costs->name[costs->n_slot] = copy;
  return costs->n_slot++;
}

/* Leave the first N slots alone. */
static void drop_slots(struct tsr_size_costs *costs, int n)
{
  while (costs->n_slot > n)
    free(costs->name[--costs->n_slot]);
}

/* What EXPR, an id or a number, is in VALUE. */
static void read_atom(struct tsr_size_costs *costs, isl_ast_expr *expr, struct value *value)
{
  value->slot = -1;
  if (isl_ast_expr_get_type(expr) == isl_ast_expr_id) {
    isl_id *id = isl_ast_expr_get_id(expr);
    value->slot = find_slot(costs, isl_id_get_name(id));
    costs->failed |= value->slot < 0;
    isl_id_free(id);
    return;
  }
  isl_val *number = isl_ast_expr_get_val(expr);
  costs->failed |= isl_val_is_int(number) != isl_bool_true || isl_val_n_abs_num_chunks(number, sizeof(int32_t)) > 1;
  value->number = costs->failed ? 0 : isl_val_get_num_si(number);
  isl_val_free(number);
}

static struct value *read_value(struct tsr_size_costs *costs, __isl_take isl_ast_expr *expr)
{
  struct value *value = calloc(1, sizeof(*value));
  enum isl_ast_expr_type type = isl_ast_expr_get_type(expr);
  costs->failed |= !value || type == isl_ast_expr_error;
  if (!costs->failed && type == isl_ast_expr_op) {
    isl_size n = isl_ast_expr_op_get_n_arg(expr);
    value->op = isl_ast_expr_op_get_type(expr);
    costs->failed |= n < 1 || n > MAX_ARGS;
    for (int i = 0; i < n && !costs->failed; i++)
      value->arg[value->n_arg++] = read_value(costs, isl_ast_expr_op_get_arg(expr, i));
  } else if (!costs->failed) {
    read_atom(costs, expr, value);
  }
  isl_ast_expr_free(expr);
  return value;
}

static bool value_has(const struct value *value, int slot)
{
  bool has = value && value->n_arg == 0 && value->slot == slot;
  for (int i = 0; value && i < value->n_arg && !has; i++)
    has = value_has(value->arg[i], slot);
  return has;
}

/* Has anything in PART or behind it SLOT? */
static bool part_has(const struct part *part, int slot)
{
  return part && (value_has(part->first, slot) || value_has(part->last, slot) || value_has(part->cond, slot) ||
                  part_has(part->body, slot) || part_has(part->other, slot) || part_has(part->reduction, slot) ||
                  part_has(part->row, slot) || part_has(part->vector, slot) || part_has(part->next, slot));
}

/* Are there but instances in PART and behind it, some of them under conditions without SLOT, the iterator of the loop
 * around? These are tested in front of the loop. */
static bool is_leaf(const struct part *part, int slot)
{
  return !part || (is_leaf(part->next, slot) &&
                   (part->kind == PART_USER || (part->kind == PART_IF && !value_has(part->cond, slot) &&
                                                is_leaf(part->body, slot) && is_leaf(part->other, slot))));
}

static struct part *read_node(struct tsr_size_costs *costs, __isl_take isl_ast_node *node, const struct tsr_mark *mark);

/* The bounds of LOOP, whose iterator gets a slot. */
static void read_bounds(struct tsr_size_costs *costs, isl_ast_node *loop, struct part *part)
{
  part->first = read_value(costs, isl_ast_node_for_get_init(loop));
  part->step = 1;
  if (isl_ast_node_for_is_degenerate(loop) != isl_bool_true) {
    isl_ast_expr *cond = isl_ast_node_for_get_cond(loop), *step = isl_ast_node_for_get_inc(loop);
    struct value *by = read_value(costs, step);
    part->last = read_value(costs, isl_ast_expr_op_get_arg(cond, 1));
    part->step = by ? by->number : 0;
    costs->failed |= part->step < 1;
    if (!costs->failed && isl_ast_expr_op_get_type(cond) == isl_ast_expr_op_lt) {
      struct value *less = calloc(1, sizeof(*less)), *one = calloc(1, sizeof(*one));
      costs->failed |= !less || !one;
      if (!costs->failed) {
        *one = (struct value){.slot = -1, .number = 1};
        *less = (struct value){.op = isl_ast_expr_op_sub, .n_arg = 2, .arg = {part->last, one}};
        part->last = less;
      }
    }
    value_free(by);
    isl_ast_expr_free(cond);
  }
  isl_ast_expr *iterator = isl_ast_node_for_get_iterator(loop);
  isl_id *id = isl_ast_expr_get_id(iterator);
  part->slot = add_slot(costs, isl_id_get_name(id));
  isl_id_free(id);
  isl_ast_expr_free(iterator);
}

/* The bounds of LOOP in a part of their own; NULL: there is no loop. */
static struct part *read_range(struct tsr_size_costs *costs, isl_ast_node *loop, struct part *inside)
{
  struct part *part = loop ? calloc(1, sizeof(*part)) : NULL;
  costs->failed |= loop && !part;
  if (!part)
    return inside;
  part->kind = PART_LOOP;
  read_bounds(costs, loop, part);
  part->body = inside;
  return part;
}

/* The number of the statement, or -1 for a copy or a move, that USER is an instance of. */
static int find_user(struct tsr_size_costs *costs, isl_ast_node *user)
{
  isl_ast_expr *call = isl_ast_node_user_get_expr(user), *name = isl_ast_expr_op_get_arg(call, 0);
  isl_id *id = isl_ast_expr_get_id(name);
  int stmt = tsr_scop_find_stmt(costs->scop, isl_id_get_name(id));
  isl_id_free(id);
  isl_ast_expr_free(name);
  isl_ast_expr_free(call);
  return stmt;
}

/* Cycles to load and store a vector of what STMT writes, from each to the next lane by STEP; HOLES times as many where it
 * goes on by several elements. */
static double held_cost(const struct tsr_scop *scop, int stmt, const long *step, double holes)
{
  int write = stmt < 0 ? -1 : tsr_stmt_only_write(&scop->stmts[stmt]);
  const struct tsr_access *to = write < 0 ? NULL : &scop->stmts[stmt].access[write];
  long elements = 1;
  bool few = to && tsr_array_move(&scop->arrays[to->array], to->relation, step, &elements) && labs(elements) > 1;
  return EDGE_COST * (few ? holes : 1);
}

/* The register tile in LOOP. */
static void read_tile(struct tsr_size_costs *costs, isl_ast_node *loop, const struct tsr_mark *mark, struct part *part)
{
  struct tsr_register_nest nest;
  costs->failed |= !tsr_register_nest_read(loop, mark, &nest);
  if (costs->failed)
    return;
  struct part **at = &part->reduction;
  part->kind = PART_TILE;
  part->tile = mark->tile;
  int stmt = find_user(costs, nest.user);
  costs->failed |= stmt < 0;
  part->held = held_cost(costs->scop, stmt, mark->tile.step, HOLES_OF_TILE);
  int bytes = costs->scop->machine.vector_bytes;
  bool less = !mark->tile.streams && bytes > NARROW_VECTOR && bytes < WIDE_VECTOR;
  part->rate = stmt < 0 ? 0 : costs->rate[stmt] * (less ? SHORT_TILE_WORK : 1);
  for (int i = 0; i < nest.n_reduction; i++, at = &(*at)->body)
    if (!(*at = read_range(costs, nest.reduction[i], NULL)))
      break;
  part->row = read_range(costs, nest.row, NULL);
  part->vector = read_range(costs, nest.vector, NULL);
  part->ragged = nest.ragged != 0;
  tsr_register_nest_clear(&nest);
}

/* Is VALUE, which may be NULL, a number whatever the slots are? */
static bool is_known(const struct value *value)
{
  bool known = !value || value->n_arg > 0 || value->slot < 0;
  for (int i = 0; value && i < value->n_arg && known; i++)
    known = is_known(value->arg[i]);
  return known;
}

/* Users in the straight loops of PART, and behind it, wait where SLOT, that of the loop around, doesn't move what they
 * write.
 */
static void find_chained(struct part *part, int slot)
{
  for (; part; part = part->next) {
    part->chained |= part->kind == PART_USER && part->waits && !(part->moved >> slot & 1);
    find_chained(part->body, slot);
  }
}

/* Is there nothing but straight loops in PART and behind it? */
static bool all_straight(const struct part *part)
{
  return !part || (part->kind == PART_LOOP && part->straight && all_straight(part->next));
}

/* Tell LOOP, around an innermost loop with USER and what follows it, which of these stay at elements that they add to. */
static void note_stored(struct part *loop, const struct part *user)
{
  for (; user; user = user->next) {
    if (!(user->moved >> loop->slot & 1))
      loop->stored = tsr_larger(loop->stored, user->stored);
    note_stored(loop, user->body);
    note_stored(loop, user->other);
  }
}

/* Tell LOOP of USER, which is in it, and of what follows that. */
static void note_users(struct part *loop, const struct part *user)
{
  for (; user; user = user->next) {
    loop->issued += user->issued;
    if (loop->leaf && user->rate < user->each && user->lanes > loop->lanes)
      loop->lanes = user->lanes;
    if (user->kind == PART_IF) {
      note_users(loop, user->body);
      note_users(loop, user->other);
    }
  }
}

/* Is there an innermost loop in PART, or behind it, for which some instance stays at what it writes? */
static bool has_sums(const struct part *part)
{
  bool any = false;
  for (; part && !any; part = part->next) {
    any = has_sums(part->body) || has_sums(part->other);
    for (const struct part *user = part->leaf ? part->body : NULL; user && !any; user = user->next)
      any = user->kind == PART_USER && !(user->moved >> part->slot & 1);
  }
  return any;
}

/* What becomes of instances in the innermost loop PART. */
static void find_leaf(struct tsr_size_costs *costs, struct part *part)
{
  if (costs->failed)
    return;
  part->leaf = is_leaf(part->body, part->slot);
  part->moves = part_has(part->body, part->slot);
  part->straight = is_known(part->first) && is_known(part->last);
  for (struct part *inside = part->body; inside; inside = inside->next)
    part->straight &= inside->kind == PART_USER || inside->straight;
  int64_t none[MAX_SLOTS] = {0};
  part->straight = part->straight && tsr_part_trips(part, none) <= MOST_UNROLLED;
  costs->straight |= part->straight;
  if (!part->straight && !part->leaf && all_straight(part->body))
    find_chained(part->body, part->slot);
  for (struct part *loop = part->body; loop && !part->leaf; loop = loop->next)
    if (loop->leaf && !loop->straight)
      note_stored(part, loop->body);
  note_users(part, part->body);
}

/* Cycles of the users of the list PART, where each waits for the one before. */
static double one_by_one(const struct part *part)
{
  double cycles = 0;
  for (; part; part = part->next)
    cycles += part->kind == PART_USER ? part->alone : 0;
  return cycles;
}

static struct part *read_loop(struct tsr_size_costs *costs, isl_ast_node *loop, const struct tsr_mark *mark)
{
  struct part *part = calloc(1, sizeof(*part));
  int n = costs->n_slot;
  costs->failed |= !part;
  if (tsr_mark_is(mark, TSR_MARK_REGISTERS) && !costs->failed) {
    read_tile(costs, loop, mark, part);
  } else if (!costs->failed) {
    const struct tsr_edge_stmt *edge;
    isl_ast_node *user = NULL;
    bool lanes = tsr_mark_is(mark, TSR_MARK_LOCKSTEP);
    part->kind = lanes ? PART_LANES : PART_LOOP;
    read_bounds(costs, loop, part);
    if (tsr_mark_is(mark, TSR_MARK_EDGES) && tsr_edge_loop_read(loop, &mark->edges, &edge, &user)) {
      part->kind = PART_EDGE;
      part->lanes = edge->lanes;
      part->held = held_cost(costs->scop, tsr_scop_find_stmt(costs->scop, edge->stmt), edge->step, HOLES_OF_EDGE);
      isl_ast_node_free(user);
    } else {
      int around = costs->lanes;
      costs->lanes = lanes ? mark->lockstep.vectors * mark->lockstep.lanes : costs->lanes;
      part->body = read_node(costs, isl_ast_node_for_get_body(loop), tsr_mark_is(mark, TSR_MARK_EDGES) ? mark : NULL);
      costs->lanes = around;
      part->unsure = tsr_mark_is(mark, TSR_MARK_RARE) ? one_by_one(part->body) : 0;
      part->sums = lanes && has_sums(part->body);
      find_leaf(costs, part);
    }
  }
  drop_slots(costs, n);
  return part;
}

/* The slots that move what STMT writes in NODE, an instance of it, a bit each; all, where that isn't known. */
static uint64_t find_moved(struct tsr_size_costs *costs, isl_ast_node *node, const struct tsr_stmt *stmt)
{
  isl_ast_expr *call = isl_ast_node_user_get_expr(node);
  isl_size n = isl_ast_expr_op_get_n_arg(call);
  uint64_t moved = 0;
  bool failed = costs->failed;
  for (int d = 0; d + 1 < n && !costs->failed; d++) {
    struct value *value = read_value(costs, isl_ast_expr_op_get_arg(call, d + 1));
    bool writes = false;
    for (int k = 0; k < stmt->n_access && !writes; k++)
      writes = stmt->access[k].kind != TSR_READ &&
               isl_map_involves_dims(stmt->access[k].relation, isl_dim_in, d, 1) != isl_bool_false;
    for (int slot = 0; slot < costs->n_slot && writes; slot++)
      moved |= (uint64_t)value_has(value, slot) << slot;
    value_free(value);
  }
  isl_ast_expr_free(call);
  moved = costs->failed ? ~(uint64_t)0 : moved;
  costs->failed = failed;
  return moved;
}

/* Cycles from one sum of STMT, which adds to an element in memory, in vectors if VECTOR, to the next; 0: it does nothing
 * like that. */
static double find_stored(const struct tsr_size_costs *costs, const struct tsr_stmt *stmt, bool vector)
{
  double stored = 0;
  bool wide = vector && costs->scop->machine.vector_bytes >= WIDE_VECTOR;
  for (int i = 0; i < stmt->n_access; i++)
    if (stmt->access[i].kind == TSR_READ && stmt->access[i].reduction != TSR_RED_NONE &&
        costs->scop->arrays[stmt->access[i].array].kind == TSR_ARRAY_MEMORY)
      stored = tsr_larger(stored, stmt->access[i].wait + FORWARD +
                                      (wide && tsr_access_is_part(&stmt->access[i]) ? FORWARD_PARTS : 0));
  return stored;
}

/* Does STMT store to an array that short vectors below MARK load from? */
static bool is_mixed(const struct tsr_size_costs *costs, const struct tsr_stmt *stmt, const struct tsr_mark *mark)
{
  bool mixed = false;
  for (int i = 0; tsr_mark_is(mark, TSR_MARK_EDGES) && i < mark->edges.n; i++) {
    int edge = tsr_scop_find_stmt(costs->scop, mark->edges.edge[i].stmt);
    for (int k = 0; edge >= 0 && k < costs->scop->stmts[edge].n_access; k++)
      for (int l = 0; l < stmt->n_access; l++)
        mixed |= stmt->access[l].kind != TSR_READ && stmt->access[l].array == costs->scop->stmts[edge].access[k].array;
  }
  return mixed;
}

static bool has_memory(const struct tsr_scop *scop, const struct tsr_stmt *stmt)
{
  bool any = false;
  for (int k = 0; k < stmt->n_access; k++)
    any |= scop->arrays[stmt->access[k].array].kind == TSR_ARRAY_MEMORY;
  return any;
}

/* Does STMT add to an element of an array? */
static bool adds_up(const struct tsr_scop *scop, const struct tsr_stmt *stmt)
{
  bool adds = false;
  for (int w = 0; w < stmt->n_access; w++)
    for (int r = 0; r < stmt->n_access && stmt->access[w].kind == TSR_MUST_WRITE; r++)
      adds |= stmt->access[r].kind == TSR_READ && stmt->access[r].array == stmt->access[w].array &&
              scop->arrays[stmt->access[w].array].kind == TSR_ARRAY_MEMORY &&
              isl_map_plain_is_equal(stmt->access[r].relation, stmt->access[w].relation) == isl_bool_true;
  return adds;
}

/* Pairs of arrays of which STMT writes one, and touches the other. */
static int count_pairs(const struct tsr_scop *scop, const struct tsr_stmt *stmt)
{
  int n = 0;
  for (int w = 0; w < stmt->n_access; w++)
    for (int k = 0; k < stmt->n_access && stmt->access[w].kind != TSR_READ; k++) {
      int array = stmt->access[k].array;
      bool again = array == stmt->access[w].array || scop->arrays[array].kind != TSR_ARRAY_MEMORY ||
                   scop->arrays[stmt->access[w].array].kind != TSR_ARRAY_MEMORY;
      for (int l = 0; l < k; l++)
        again |= stmt->access[l].array == array;
      n += !again;
    }
  return n;
}

/* Does the innermost loop take COPY, a move, to another row of what it reads with each step? Parts of a number, the last
 * subscript then, are side by side. */
static bool walks_down(struct tsr_size_costs *costs, const struct tsr_instance *copy)
{
  bool failed = costs->failed, down = false;
  const struct tsr_access_place *from = copy->n > 0 ? &copy->place[0] : NULL;
  struct value *last = from && from->n > 0 ? read_value(costs, isl_ast_expr_copy(from->index[from->n - 1])) : NULL;
  for (int d = 0; from && d < from->n - 1 && costs->n_slot > costs->n_parameter; d++) {
    struct value *value = read_value(costs, isl_ast_expr_copy(from->index[d]));
    down |= value_has(value, costs->n_slot - 1) && (d < from->n - 2 || !is_known(last));
    value_free(value);
  }
  value_free(last);
  down = down && !costs->failed;
  costs->failed = failed;
  return down;
}

/* The instance of a statement, or a copy, that NODE, below MARK, is. */
static struct part *read_user(struct tsr_size_costs *costs, isl_ast_node *node, const struct tsr_mark *mark)
{
  struct part *part = calloc(1, sizeof(*part));
  costs->failed |= !part;
  if (!part)
    return NULL;
  part->kind = PART_USER;
  const struct tsr_instance *instance = tsr_ast_instance(node);
  bool copy = instance && instance->kind == TSR_STMT_MOVE;
  int stmt = find_user(costs, node);
  part->rate = copy && walks_down(costs, instance) ? ALONE_COPY_COST : COPY_COST;
  part->each = ALONE_COPY_COST;
  part->lanes = 4;
  if (!copy && stmt >= 0) {
    const struct tsr_stmt *s = &costs->scop->stmts[stmt];
    double work = tsr_issue_alone(s);
    part->alone = tsr_issue_one_by_one(s);
    part->each = costs->lanes > 1 ? costs->rate[stmt] * costs->lanes : work * SHORT_WORK;
    part->rate = costs->lanes > 1 ? part->each : costs->beside[stmt];
    if (costs->lanes == 1 && part->rate < MOST_OF_VECTOR * work && costs->scop->machine.vector_bytes < WIDE_VECTOR)
      part->rate *= SHORT_VECTOR_WORK;
    if (tsr_mark_is(mark, TSR_MARK_INTERLEAVE))
      part->rate = tsr_issue_chains(s, mark->interleave.chains);
    part->waits = costs->lanes == 1 && part->rate > work;
    part->registers = !has_memory(costs->scop, s);
    part->pairs = costs->unknown ? count_pairs(costs->scop, s) : 0;
    part->each *= part->waits ? WAITING_WORK : 1;
    part->each /= costs->lanes == 1 && tsr_stmt_has_parts(costs->scop, s) ? PARTS_AT_ONCE : 1;
    part->issued = work;
    part->summed = part->each;
    part->each += costs->lanes > 1 ? 0 : DIVISION_ALONE * s->divisions;
    part->each += is_mixed(costs, s, mark) ? MIXED_STORE : 0;
    part->stored = part->waits || costs->lanes > 1 ? 0 : find_stored(costs, s, part->rate < MOST_OF_VECTOR * work);
    part->moved = part->waits || part->stored > 0 ? find_moved(costs, node, s) : 0;
    if (costs->lanes > 1)
      part->moved = adds_up(costs->scop, s) ? find_moved(costs, node, s) : ~(uint64_t)0;
    part->lanes = s->vector_bytes ? costs->scop->machine.vector_bytes / s->vector_bytes : 4;
  } else {
    costs->failed |= !copy;
  }
  return part;
}

static struct part *read_if(struct tsr_size_costs *costs, isl_ast_node *node, const struct tsr_mark *mark)
{
  struct part *part = calloc(1, sizeof(*part));
  costs->failed |= !part;
  if (!part)
    return NULL;
  part->kind = PART_IF;
  part->cond = read_value(costs, isl_ast_node_if_get_cond(node));
  part->body = read_node(costs, isl_ast_node_if_get_then_node(node), mark);
  if (isl_ast_node_if_has_else_node(node) == isl_bool_true)
    part->other = read_node(costs, isl_ast_node_if_get_else_node(node), mark);
  return part;
}

static struct part *read_block(struct tsr_size_costs *costs, isl_ast_node *node, const struct tsr_mark *mark)
{
  isl_ast_node_list *list = isl_ast_node_block_get_children(node);
  isl_size n = isl_ast_node_list_n_ast_node(list);
  struct part *first = NULL, **at = &first;
  for (int i = 0; i < n && !costs->failed; i++) {
    *at = read_node(costs, isl_ast_node_list_get_ast_node(list, i), mark);
    while (*at)
      at = &(*at)->next;
  }
  isl_ast_node_list_free(list);
  return first;
}

/* What NODE, below MARK, is: a list of parts. */
static struct part *read_node(struct tsr_size_costs *costs, __isl_take isl_ast_node *node, const struct tsr_mark *mark)
{
  struct part *part = NULL;
  switch (isl_ast_node_get_type(node)) {
  case isl_ast_node_for:
    part = read_loop(costs, node, mark);
    break;
  case isl_ast_node_if:
    part = read_if(costs, node, mark);
    break;
  case isl_ast_node_block:
    part = read_block(costs, node, mark);
    break;
  case isl_ast_node_mark: {
    const struct tsr_mark *below = tsr_ast_mark(node);
    part = read_node(costs, isl_ast_node_mark_get_node(node), below ? below : mark);
    break;
  }
  case isl_ast_node_user:
    part = read_user(costs, node, mark);
    break;
  default:
    costs->failed = true;
  }
  isl_ast_node_free(node);
  return part;
}

static uint64_t slots_of(const struct value *value)
{
  uint64_t all = value && value->n_arg == 0 && value->slot >= 0 ? (uint64_t)1 << value->slot : 0;
  for (int i = 0; value && i < value->n_arg; i++)
    all |= slots_of(value->arg[i]);
  return all;
}

/* The slots on which depends what PART and what follows it cost; each of them notes its own. */
static uint64_t find_uses(struct part *part)
{
  uint64_t all = 0;
  for (; part; part = part->next) {
    part->uses = slots_of(part->first) | slots_of(part->last) | slots_of(part->cond) | find_uses(part->body) |
                 find_uses(part->other) | find_uses(part->reduction) | find_uses(part->row) | find_uses(part->vector);
    for (const struct part *range = part->reduction; range; range = range->body)
      part->uses &= ~((uint64_t)1 << range->slot);
    for (const struct part *range = part->row; range; range = range->body)
      part->uses &= ~((uint64_t)1 << range->slot);
    if (part->last || part->first)
      part->uses &= ~((uint64_t)1 << part->slot);
    all |= part->uses;
  }
  return all;
}

struct tsr_size_costs *tsr_size_costs_read(struct tsr_scop *scop, isl_ast_node *ast, const double *rate,
                                           const double *beside, double fixed, int unknown)
{
  struct tsr_size_costs *costs = calloc(1, sizeof(*costs));
  isl_size n = isl_set_dim(scop->context, isl_dim_param);
  if (!costs || n < 0 || n > MAX_SLOTS / 2 || !(costs->name = calloc(MAX_SLOTS, sizeof(*costs->name)))) {
    free(costs);
    return NULL;
  }
  costs->scop = scop;
  costs->rate = rate;
  costs->beside = beside;
  costs->fixed = fixed;
  costs->unknown = unknown;
  costs->lanes = 1;
  costs->fma_units = scop->machine.fma_units > 0 ? scop->machine.fma_units : 1;
  costs->fma_latency = scop->machine.fma_latency;
  costs->masked = scop->machine.vector_bytes > NARROW_VECTOR ? 1 : WITHOUT_MASKS;
  for (int i = 0; i < n; i++)
    add_slot(costs, isl_set_get_dim_name(scop->context, isl_dim_param, i));
  costs->n_parameter = n;
  costs->all = read_node(costs, isl_ast_node_copy(ast), NULL);
  if (costs->failed)
    return tsr_size_costs_free(costs);
  find_uses(costs->all);
  return costs;
}

struct tsr_size_costs *tsr_size_costs_free(struct tsr_size_costs *costs)
{
  if (!costs)
    return NULL;
  drop_slots(costs, 0);
  free(costs->name);
  part_free(costs->all);
  free(costs);
  return NULL;
}
