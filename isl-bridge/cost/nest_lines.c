/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lines that a statement brings into caches, in its nest of loops (estimate.c has the equations). */
#include "cost/nests.h"
#include "model/thresholds.h"
#include <isl/space.h>
#include <isl/ilp.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

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
      old->home &= group->home;
      return;
    }
  }
  if (nest->n_group < MAX_GROUPS)
    nest->group[nest->n_group++] = *group;
}

/* How do the subscripts of RELATION, an access of GROUP, change in each loop of NEST? */
static void group_find_moves(struct group *group, isl_map *relation, const struct nest *nest)
{
  long value[TSR_MAX_DIM];
  int n = nest->n_loop;
  const struct tsr_step *step = nest->step;
  group->n_dim = isl_map_dim(relation, isl_dim_out);
  group->fixed = group->n_dim > 0 && group->n_dim <= MAX_MOVES;
  for (int l = 0; l < n && group->fixed; l++) {
    if (group->stride[l] == TSR_STRIDE_NONE)
      continue;
    group->fixed = step[l].fixed && tsr_access_deltas(relation, &step[l], 1, value);
    for (int d = 0; d < group->n_dim && group->fixed; d++) {
      group->move[l][d] = labs(value[d]);
      group->start[d] -= (double)value[d] * nest->at[l] / step[l].by;
    }
  }
}

/* The same, and strides in ALL loops of NEST, of RELATION that has several forms. False: it is no function. */
static bool group_find_forms(struct tsr_scop *scop, struct group *group, isl_map *relation, struct nest *nest, int all)
{
  int n = nest->n_loop;
  struct tsr_step *step = nest->step;
  long value[MAX_LOOPS * TSR_MAX_DIM];
  bool alike[MAX_LOOPS] = {false};
  group->n_dim = isl_map_dim(relation, isl_dim_out);
  if (!tsr_access_forms(scop, relation, step, all, value, group->stride, alike))
    return false;
  group->fixed = group->n_dim <= MAX_MOVES;
  for (int l = 0; l < n && group->fixed; l++) {
    group->fixed = step[l].fixed || step[l].empty;
    for (int d = 0; d < group->n_dim; d++)
      group->move[l][d] = labs(value[l * TSR_MAX_DIM + d]);
  }
  group->several = n == 0 || !alike[n - 1]; /* rows that are clamped are one for the innermost loop */
  return true;
}

/* Elements of dimension D of ARRAY, if that is a small constant, as of colours; else 0. */
static long size_of(const struct tsr_array *array, int d)
{
  isl_val *last = isl_set_dim_max_val(isl_set_copy(array->extent), d);
  bool is_small = isl_val_is_int(last) == isl_bool_true && isl_val_cmp_si(last, SHORT_ROW) < 0;
  long size = is_small ? isl_val_get_num_si(last) + 1 : 0;
  isl_val_free(last);
  return size;
}

/* By how many elements does step L of GROUP go on in ARRAY's memory, by its last dimension or small rows, if that is less
 * than MOST? Else 0. */
static long elements_moved(const struct tsr_array *array, const struct group *group, int l, long most)
{
  long moved = 0, row = 1;
  for (int d = group->n_dim - 1; d >= 0; d--) {
    if (group->move[l][d] && (!row || group->move[l][d] * row >= most))
      return 0;
    moved += group->move[l][d] * row;
    bool more = false;
    for (int k = 0; k < d && !more; k++)
      more = group->move[l][k] != 0;
    if (!more)
      break;
    row *= size_of(array, d);
  }
  return moved < most ? moved : 0;
}

/* Which steps of GROUP, whose moves are known, stay within LINE bytes: a[i][2 k], or a[i][k][0] of three? */
static void group_find_near(const struct tsr_array *array, struct group *group, int line, int n)
{
  for (int l = 0; l < n && group->fixed; l++)
    group->near[l] =
        group->stride[l] == TSR_STRIDE_OTHER ? elements_moved(array, group, l, (line - 1) / array->elem_size + 1) : 0;
}

/* Where ACCESS goes, for what its lines cost. A vector x[i * inc], an array X[i, p] of rows of inc elements, is taken for
 * one whose elements are neighbours: inc is 1 in nearly all calls, and what is gained only if it isn't costs all others
 * time. */
isl_map *tsr_access_seen(const struct tsr_scop *scop, const struct tsr_access *access)
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

/* SEEN, which has several forms, as an affine function if it has one of them for all instances of ORDER; else GROUP notes
 * that. */
static isl_map *form_at_hand(__isl_take isl_map *seen, struct tsr_order *order, struct group *group)
{
  seen = isl_map_coalesce(isl_map_intersect_domain(seen, isl_set_copy(order->domain)));
  isl_map *one = isl_map_gist_domain(isl_map_copy(seen), isl_set_copy(order->domain));
  group->several = tsr_access_has_forms(one);
  isl_map_free(group->several ? one : seen);
  return group->several ? seen : one;
}

/* SEEN, of a read of which data may say one subscript, as the least of its elements: data that lies side by side says much
 * the same, and a table of that size is at hand. GROUP notes it. */
static isl_map *as_data_says(__isl_take isl_map *seen, struct group *group)
{
  struct tsr_loose loose = {NULL, -1, 0};
  bool one = group->written || isl_map_n_basic_map(seen) != 1 || isl_map_plain_is_single_valued(seen) == isl_bool_true;
  group->data =
      !one && tsr_access_loose(seen, NULL, &loose) == isl_bool_true && loose.subscript >= 0 && loose.extent < DATA_AT_HAND;
  isl_map *least = group->data ? isl_map_copy(loose.least) : NULL;
  tsr_loose_clear(&loose);
  return least ? (isl_map_free(seen), least) : seen;
}

/* How many loops of NEST are of interest: those of straight code where vectors are made of it. */
static int n_of_interest(const struct model *model, const struct nest *nest)
{
  return nest->n_loop + (model->vector ? nest->n_straight : 0);
}

/* How GROUP stays in the straight code of NEST, where strides are known. */
static void group_find_held(const struct model *model, struct group *group, const struct nest *nest)
{
  bool apart = model->marked || !model->scop->arrays[group->array].checked;
  group->stays = 1;
  group->filled = 1;
  for (int l = nest->n_loop; l < n_of_interest(model, nest); l++) {
    group->stays *= group->stride[l] == TSR_STRIDE_ZERO ? nest->trips[l] : 1;
    group->filled *= group->stride[l] == TSR_STRIDE_ONE ? (long)nest->trips[l] : 1;
  }
  group->held = apart ? group->stays : 1;
}

/* The values of SET, which is taken, at a point of it, in VALUE[0..N). False: it has none. */
static bool values_at(__isl_take isl_set *set, double *value, int n)
{
  isl_point *point = isl_set_sample_point(set);
  bool known = isl_point_is_void(point) == isl_bool_false;
  for (int i = 0; i < n && known; i++) {
    isl_val *one = isl_point_get_coordinate_val(point, isl_dim_set, i);
    value[i] = isl_val_get_d(one);
    isl_val_free(one);
  }
  isl_point_free(point);
  return known;
}

/* Is what is read of ARRAY, at STRIDE along the innermost loop, loaded once, in front of it: is it one element there, which
 * nothing writes? */
static bool is_kept(const struct model *model, int array, enum tsr_stride stride)
{
  const struct tsr_scop *scop = model->scop;
  return stride == TSR_STRIDE_ZERO && (model->marked || !scop->arrays[array].checked) && !tsr_scop_writes(scop, array);
}

/* An instance of ORDER, of N times, as a set; where it is in the loops of NEST. NULL: there is none. */
static isl_set *place_nest(struct tsr_order *order, int n, struct nest *nest)
{
  double time[MAX_LOOPS];
  isl_set *one = isl_set_from_point(isl_set_sample_point(isl_set_copy(order->domain)));
  if (n > MAX_LOOPS || !values_at(isl_set_apply(isl_set_copy(one), isl_map_copy(order->map)), time, n))
    return isl_set_free(one);
  for (int l = 0; l < nest->n_loop; l++)
    nest->at[l] = time[nest->step[l].pos];
  return one;
}

/* Where GROUP, whose moves are known, is by SEEN { S[i] -> A[e] }, from INSTANCE on, NULL for unknown. */
static void group_find_start(struct group *group, isl_map *seen, isl_set *instance)
{
  double element[TSR_MAX_DIM];
  group->placed = instance && group->fixed && group->n_dim <= MAX_MOVES &&
                  values_at(isl_set_apply(isl_set_copy(instance), isl_map_copy(seen)), element, group->n_dim);
  for (int d = 0; d < group->n_dim && group->placed; d++)
    group->start[d] += element[d];
}

/* Loops, trips and strides of the statement of ORDER; PARALLEL_LOOP: index of the loop at dimension parallel_dim. */
void tsr_nest_compute(struct model *model, struct tsr_order *order, struct nest *nest, int *parallel_loop)
{
  struct tsr_step *step = nest->step;
  struct tsr_stmt *stmt = order->stmt;
  int n;
  const struct tsr_order_loop *loop = tsr_order_loops(model->scop, order, &n);
  *nest = (struct nest){.instances = 1, .once = n > model->straight && loop[n - model->straight - 1].trips <= 1};
  *parallel_loop = -1;
  int lane_loop = -1;
  for (int pos = 0; pos < n && nest->n_loop + nest->n_straight < MAX_LOOPS; pos++) {
    double trips = loop[pos].trips;
    if (pos == model->parallel_dim)
      *parallel_loop = nest->n_loop;
    if (trips <= 1)
      continue;
    if (pos == model->lane_dim)
      lane_loop = nest->n_loop;
    nest->instances *= trips;
    int l = nest->n_loop + nest->n_straight;
    step[l] = loop[pos].step;
    step[l].order = order;
    nest->trips[l] = trips;
    *(pos >= n - model->straight ? &nest->n_straight : &nest->n_loop) += 1;
  }
  if (lane_loop >= 0)
    sink_loop(nest, lane_loop);
  isl_set *instance = model->siblings && lane_loop < 0 ? place_nest(order, n, nest) : NULL;
  for (int k = 0; k < stmt->n_access; k++) {
    struct group group = {
        .array = stmt->access[k].array, .written = stmt->access[k].kind != TSR_READ, .home = stmt->access[k].home};
    if (model->scop->arrays[group.array].kind == TSR_ARRAY_SCALAR ||
        model->scop->arrays[group.array].space == TSR_SPACE_REGISTERS)
      continue;
    isl_map *seen = as_data_says(tsr_access_seen(model->scop, &stmt->access[k]), &group);
    if (tsr_access_has_forms(seen))
      seen = form_at_hand(seen, order, &group);
    if (!group.several || !group_find_forms(model->scop, &group, seen, nest, n_of_interest(model, nest))) {
      for (int l = 0; l < n_of_interest(model, nest); l++)
        group.stride[l] = tsr_access_stride(seen, &step[l]);
      group_find_moves(&group, seen, nest);
      group_find_start(&group, seen, instance);
    }
    /* quotients of one form in a buffer are where the tile begins */
    group.several &= model->scop->arrays[group.array].space == TSR_SPACE_PROGRAM || isl_map_n_basic_map(seen) > 1;
    isl_map_free(seen);
    group_find_held(model, &group, nest);
    nest->held += 1 - 1 / group.held;
    bool kept = nest->n_loop > 0 && is_kept(model, group.array, group.stride[nest->n_loop - 1]);
    bool in_register = nest->n_loop > 0 && group.home && !model->marked && group.stride[nest->n_loop - 1] == TSR_STRIDE_ZERO;
    if (!group.written && (kept || in_register))
      nest->kept += 1 / group.held;
    group_find_near(&model->scop->arrays[group.array], &group, model->scop->machine.cache[0].line, nest->n_loop);
    nest_add_group(nest, &group);
  }
  isl_set_free(instance);
}

void tsr_model_enter_loop(struct model *model)
{
  for (int i = 0; i < model->n_before; i++)
    isl_multi_aff_free(model->before[i].time);
  model->n_before = model->n_seen = 0;
}

/* Does STMT touch the element of ACCESS, of a statement that runs in the same loops, in the same iteration? */
static bool touches_same(const struct tsr_stmt *stmt, const struct tsr_access *access)
{
  bool same = false;
  for (int k = 0; k < stmt->n_access && !same; k++) {
    const struct tsr_access *other = &stmt->access[k];
    if (other->array != access->array || other->kind == TSR_MAY_WRITE ||
        isl_map_dim(other->relation, isl_dim_in) != isl_map_dim(access->relation, isl_dim_in))
      continue;
    isl_map *here = isl_map_reset_tuple_id(isl_map_copy(access->relation), isl_dim_in);
    isl_map *there = isl_map_reset_tuple_id(isl_map_copy(other->relation), isl_dim_in);
    same = isl_map_plain_is_equal(here, there) == isl_bool_true;
    isl_map_free(here);
    isl_map_free(there);
  }
  return same;
}

/* May LLVM find ARRAY's elements in registers that statements before in the innermost loop of MODEL have loaded, or stored?
 * Not if one of them stores to what may be the same memory. */
static bool may_stay(const struct model *model, int array)
{
  bool may = true;
  for (int i = 0; i < model->n_before && may; i++) {
    const struct tsr_stmt *stmt = model->before[i].stmt;
    for (int k = 0; k < stmt->n_access && may && !model->marked; k++) {
      const struct tsr_array *other = &model->scop->arrays[stmt->access[k].array];
      may = stmt->access[k].kind == TSR_READ || stmt->access[k].array == array || other->kind != TSR_ARRAY_MEMORY ||
            (!other->checked && !model->scop->arrays[array].checked);
    }
  }
  return may;
}

/* Has a statement before that of ORDER in the innermost loop of MODEL what ACCESS reads, in the same iteration? SAME: which
 * of them run at its times. */
static bool is_at_hand(const struct model *model, const struct tsr_access *access, const bool *same)
{
  bool at_hand = false;
  if (access->kind != TSR_READ || model->scop->arrays[access->array].kind != TSR_ARRAY_MEMORY)
    return false;
  for (int i = 0; i < model->n_before && !at_hand; i++)
    at_hand = same[i] && touches_same(model->before[i].stmt, access);
  return at_hand && may_stay(model, access->array);
}

/* Note the statement of ORDER for those behind it. Returns how many elements it reads in each iteration of NEST's innermost
 * loop that statements before it have at hand. */
static int share_loads(struct model *model, struct nest *nest, struct tsr_order *order)
{
  isl_multi_aff *time = isl_multi_aff_reset_tuple_id(isl_multi_aff_copy(order->time), isl_dim_in);
  struct tsr_step *step = &nest->step[nest->n_loop - 1];
  bool same[MAX_BEFORE] = {false}, any = false;
  int n = 0;
  for (int i = 0; i < model->n_before; i++)
    any |= same[i] = isl_multi_aff_plain_is_equal(model->before[i].time, time) == isl_bool_true;
  for (int k = 0; k < order->stmt->n_access && any; k++) {
    const struct tsr_access *access = &order->stmt->access[k];
    n += is_at_hand(model, access, same) && !is_kept(model, access->array, tsr_access_stride(access->relation, step));
  }
  if (model->n_before < MAX_BEFORE)
    model->before[model->n_before++] = (struct before){order->stmt, time};
  else
    isl_multi_aff_free(time);
  return n;
}

void tsr_nest_share(struct model *model, struct nest *nest, struct tsr_order *order)
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
  if (order->time && nest->n_loop > 0 && !model->held_by && model->lane_dim < 0)
    nest->at_hand = share_loads(model, nest, order);
}

/* Lines of which PER_LINE elements fit into one: SPAN neighbours, in each of PLACES places. */
double tsr_lines_of(double places, double span, double per_line)
{
  return places * (span > per_line ? span / per_line : 1);
}

/* The same, but loops that move one subscript together, such as i - 2 t or i + k, go over the sum of their steps, not the
 * product: it is that which strips and panels keep in a cache. */
static double box_of(struct nest *nest, struct group *group, double per_line, int first)
{
  double places = 1, span = 1;
  for (int d = 0; d < group->n_dim; d++) {
    span = 1;
    for (int l = first; l < nest->n_loop; l++)
      span += (double)group->move[l][d] * (nest->trips[l] - 1);
    places *= d < group->n_dim - 1 ? span : 1;
  }
  return tsr_lines_of(places, span, per_line);
}

/* Lines of LINE bytes that GROUP touches in one run of the loops FIRST, ... of NEST. */
double tsr_nest_footprint(struct model *model, struct nest *nest, struct group *group, int line, int first)
{
  double per_line = (double)line / model->scop->arrays[group->array].elem_size;
  double places = 1, span = 1; /* loops that go to the next elements move one window: a[i + j] */
  for (int l = first; l < nest->n_loop; l++) {
    if (group->stride[l] == TSR_STRIDE_ONE || group->near[l])
      span += (nest->trips[l] - 1) * (group->near[l] ? (double)group->near[l] : 1);
    else if (group->stride[l] == TSR_STRIDE_OTHER)
      places *= nest->trips[l];
  }
  double lines = tsr_lines_of(places, span, per_line);
  double box = group->fixed ? box_of(nest, group, per_line, first) : lines;
  return box < lines ? box : lines;
}

/* Do register tiles of vectors along rows, or chains, hold the leaf at hand? */
static bool walks_along_rows(const struct model *model)
{
  return tsr_mark_is(model->held_by, TSR_MARK_INTERLEAVE) ||
         (tsr_mark_is(model->held_by, TSR_MARK_REGISTERS) && model->held_by->tile.streams);
}

double tsr_nest_misses(struct model *model, struct nest *nest, int level)
{
  const struct tsr_cache *cache = &model->scop->machine.cache[level], *second = &model->scop->machine.cache[1];
  bool far = level > 1;
  nest->stored = 0;
  double cost = 0, again = 1; /* how often do the loops that keep their lines run? */
  int first = nest->n_loop;   /* the outermost one of these */
  for (; first > 0; first--) {
    double lines = 0;
    for (int g = 0; g < nest->n_group; g++)
      lines += tsr_nest_footprint(model, nest, &nest->group[g], cache->line, first);
    if (lines * cache->line > cache->size)
      break;
  }
  for (int l = 0; l < first; l++)
    again *= nest->trips[l];
  for (int g = 0; g < nest->n_group; g++) {
    struct group *group = &nest->group[g];
    bool near = group->within > 0 && group->within <= cache->size;
    if (group->at_hand || (near && !(far && group->dirtied)))
      continue;
    double lines = again * tsr_nest_footprint(model, nest, group, cache->line, first);
    if (model->past && group->written) { /* which nothing reads soon */
      cost += far ? lines * model->scop->machine.stream_line : 0;
      continue;
    }
    bool in_order = nest->n_loop == 0 || walks_along_rows(model) || group->stride[nest->n_loop - 1] != TSR_STRIDE_OTHER ||
                    group->near[nest->n_loop - 1];
    double each = !in_order                        ? (far ? second : cache)->other_line
                  : far && group->written && !near ? 2 * cache->next_line
                                                   : cache->next_line;
    cost += lines * each;
    nest->stored += group->written ? lines * each : 0;
  }
  return cost;
}
