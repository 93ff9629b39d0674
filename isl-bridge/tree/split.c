/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Index-set splitting. B: an innermost band whose last member t carries dependences, each of which begins or ends on one
 * hyperplane t = f(loops around, parameters).
 *
 *   B(p, t) - X   ->   B(p) - sequence - { t < f } - B(t) - X
 *                                      - { t = f } - X
 *                                      - { t > f } - B(t) - X
 *
 * The order of instances stays as it was. But whatever two iterations of t depended on each other, one of them is alone in
 * the piece in the middle: in the first and the last piece t carries nothing and may be a vector loop. That is what happens
 * in  path[i][j] = min(path[i][j], path[i][k] + path[k][j])  for t = j: the iteration j = k writes what the others read.
 *
 * For threads the same is done to a loop with loops inside: i in that example.
 *
 * Or each dependence leads from a time t to a time t' with t + t' = g: from one side of the middle to the other, as in
 * a[i] = a[n - 1 - i] + b[i].  Then the plane is 2 t = g, where there may be no instance.
 *
 * The hyperplane is an equality of the affine hull of those ends, as points [p, t]: for each dependence (a basic map) the
 * sources if they leave such an equality in the hull, else the targets. */
#include "tree/tree.h"
#include <isl/constraint.h>
#include <isl/space.h>
#include <isl/val.h>

/* More pieces of a dependence relation than that are left alone: planes are seldom among them, and each takes time. */
#define MAX_PIECES 32

/* Where the planes of one member are looked for. */
struct search {
  isl_union_map *time; /* { S[i] -> [p, t] } */
  isl_set *ends;       /* { [p, t] : an end of each dependence so far }, NULL: of none yet */
  isl_aff *plane;      /* { [p, t] -> [t - f(p)] }, NULL: there is none */
  int n;
};

/* { [p, t] } of INSTANCES; NULL if there are none. */
static isl_set *find_points(struct search *search, isl_union_set *instances)
{
  isl_union_set *times = isl_union_set_apply(instances, isl_union_map_copy(search->time));
  if (isl_union_set_is_empty(times) == isl_bool_false)
    return isl_set_from_union_set(times);
  isl_union_set_free(times);
  return NULL;
}

/* Does t stay the same in all instances of the statement of END? Then they are better put before or behind the loop. */
static bool is_fixed(struct search *search, isl_set *end)
{
  isl_set *all = find_points(search, isl_union_set_from_set(isl_set_universe(isl_set_get_space(end))));
  isl_aff *plane = all ? tsr_points_plane(all) : NULL;
  isl_set_free(all);
  isl_aff_free(plane);
  return plane != NULL;
}

/* Add END, the instances at one end of a dependence, if all ends are on one plane then. */
static bool add_end(struct search *search, isl_set *end)
{
  bool fixed = is_fixed(search, end);
  isl_set *points = find_points(search, isl_union_set_from_set(end));
  if (points && search->ends)
    points = isl_set_union(points, isl_set_copy(search->ends));
  isl_aff *plane = points && !fixed ? tsr_points_plane(points) : NULL;
  if (!plane) {
    isl_set_free(points);
    return false;
  }
  isl_set_free(search->ends);
  isl_aff_free(search->plane);
  search->ends = points;
  search->plane = plane;
  return true;
}

/* An error: there is no plane. */
static isl_stat add_piece(isl_basic_map *piece, void *user)
{
  struct search *search = user;
  isl_map *map = isl_map_from_basic_map(piece);
  bool added = ++search->n <= MAX_PIECES &&
               (add_end(search, isl_map_domain(isl_map_copy(map))) || add_end(search, isl_map_range(isl_map_copy(map))));
  isl_map_free(map);
  return added ? isl_stat_ok : isl_stat_error;
}

static isl_stat add_pieces(isl_map *map, void *user)
{
  isl_stat ok = isl_map_foreach_basic_map(map, add_piece, user);
  isl_map_free(map);
  return ok;
}

/* The plane of CARRIED { S -> T }, in the coordinates of TIME { S[i] -> [p, t] }; NULL if there is none. */
static isl_aff *carried_plane(isl_union_map *carried, isl_union_map *time)
{
  struct search search = {.time = time};
  if (isl_union_map_foreach_map(carried, add_pieces, &search) < 0)
    search.plane = isl_aff_free(search.plane);
  isl_set_free(search.ends);
  return search.plane;
}

/* { [p, s] : s = t + t' } for TIMES { [p, t] -> [p, t'] }. */
static isl_set *sums_of(isl_map *times)
{
  unsigned n = (unsigned)isl_map_dim(times, isl_dim_in);
  isl_set *both = isl_set_flatten(isl_map_wrap(times));
  isl_space *space = isl_set_get_space(both);
  isl_local_space *local = isl_local_space_from_space(isl_space_copy(space));
  isl_aff_list *list = isl_aff_list_alloc(isl_set_get_ctx(both), (int)n);
  for (unsigned i = 0; i + 1 < n; i++)
    list = isl_aff_list_add(list, isl_aff_var_on_domain(isl_local_space_copy(local), isl_dim_set, i));
  isl_aff *last = isl_aff_var_on_domain(isl_local_space_copy(local), isl_dim_set, 2 * n - 1);
  list = isl_aff_list_add(list, isl_aff_add(isl_aff_var_on_domain(local, isl_dim_set, n - 1), last));
  isl_space *range = isl_space_add_dims(isl_space_params(isl_space_copy(space)), isl_dim_set, n);
  isl_multi_aff *sum = isl_multi_aff_from_aff_list(isl_space_map_from_domain_and_range(space, range), list);
  return isl_set_apply(both, isl_map_from_multi_aff(sum));
}

/* { [p, t] -> [2 t - g(p)] } where CARRIED leads from times t to times g(p) - t, in the coordinates of TIME { S[i] -> [p, t]
 * }; NULL if it doesn't. */
static isl_aff *turning_plane(isl_union_map *carried, isl_union_map *time)
{
  isl_union_map *pairs = isl_union_map_apply_domain(isl_union_map_copy(carried), isl_union_map_copy(time));
  pairs = isl_union_map_apply_range(pairs, isl_union_map_copy(time));
  if (isl_union_map_n_map(pairs) != 1) {
    isl_union_map_free(pairs);
    return NULL;
  }
  isl_map *times = isl_map_coalesce(isl_map_from_union_map(pairs));
  bool few = isl_map_n_basic_map(times) <= MAX_PIECES && isl_map_dim(times, isl_dim_in) > 0;
  isl_set *sums = few ? sums_of(isl_map_copy(times)) : NULL;
  isl_aff *plane = sums ? tsr_points_plane(sums) : NULL;
  isl_set_free(sums);
  isl_map_free(times);
  if (!plane)
    return NULL;
  isl_multi_aff *twice = isl_multi_aff_identity_on_domain_space(isl_aff_get_domain_space(plane));
  int last = (int)isl_multi_aff_dim(twice, isl_dim_out) - 1;
  isl_aff *t = isl_multi_aff_get_at(twice, last);
  twice = isl_multi_aff_set_at(twice, last, isl_aff_add(isl_aff_copy(t), t));
  return isl_aff_pullback_multi_aff(plane, twice);
}

/* The instances of TIME { S[i] -> [p, t] } in PIECE { [p, t] }. */
static isl_union_set *find_instances(isl_union_map *time, isl_basic_set *piece)
{
  isl_union_set *times = isl_union_set_from_set(isl_set_from_basic_set(piece));
  isl_union_map *part = isl_union_map_intersect_range(isl_union_map_copy(time), times);
  return isl_union_set_coalesce(isl_union_map_domain(part));
}

/* Add FILTER to FILTERS unless it is empty. */
static isl_union_set_list *add_filter(isl_union_set_list *filters, isl_union_set *filter)
{
  if (isl_union_set_is_empty(filter) != isl_bool_true)
    return isl_union_set_list_add(filters, filter);
  isl_union_set_free(filter);
  return filters;
}

/* The band of one member at NODE, in pieces: below, on and above PLANE. TURN: there may be none on it. */
static isl_schedule_node *insert_pieces(isl_schedule_node *node, isl_union_map *time, isl_aff *plane, bool turn)
{
  isl_aff *zero = isl_aff_zero_on_domain(isl_aff_get_domain_local_space(plane));
  isl_union_set_list *filters = isl_union_set_list_alloc(isl_aff_get_ctx(plane), 3);
  isl_union_set *on = find_instances(time, isl_aff_eq_basic_set(isl_aff_copy(plane), isl_aff_copy(zero)));
  isl_bool none = isl_union_set_is_empty(on);
  filters = add_filter(filters, find_instances(time, isl_aff_lt_basic_set(isl_aff_copy(plane), isl_aff_copy(zero))));
  isl_size middle = isl_union_set_list_n_union_set(filters);
  filters = add_filter(filters, on);
  filters = add_filter(filters, find_instances(time, isl_aff_gt_basic_set(plane, zero)));
  if (none < 0 || (none && !turn) || isl_union_set_list_n_union_set(filters) < 2) {
    isl_union_set_list_free(filters);
    return node;
  }
  node = isl_schedule_node_insert_sequence(node, filters);
  if (none)
    return node;
  node = isl_schedule_node_delete(isl_schedule_node_grandchild(node, middle, 0));
  return isl_schedule_node_ancestor(node, 2);
}

/* The pairs of DEPS that the band of one member at NODE carries. */
static isl_union_map *carried_dependences(isl_schedule_node *node, isl_union_map *deps)
{
  isl_multi_union_pw_aff *member = isl_schedule_node_band_get_partial_schedule(node);
  return isl_union_map_coalesce(tsr_pairs_before(tsr_node_open_dependences(node, deps), member));
}

struct split {
  isl_union_map *deps;
  bool outer; /* loops with loops inside */
  bool found;
};

/* The loops of the pieces of the sequence at NODE carry nothing. */
static isl_schedule_node *flag_pieces(isl_schedule_node *node)
{
  isl_size n = isl_schedule_node_n_children(node);
  for (int i = 0; i < n; i++) {
    node = isl_schedule_node_grandchild(node, i, 0);
    if (isl_schedule_node_get_type(node) == isl_schedule_node_band && isl_schedule_node_band_n_member(node) == 1)
      node = isl_schedule_node_band_member_set_coincident(node, 0, 1);
    node = isl_schedule_node_ancestor(node, 2);
  }
  return node;
}

/* Split the band of one member at NODE. The result stands at the sequence, or at NODE where there is none. */
static isl_schedule_node *split_member(isl_schedule_node *node, struct split *split)
{
  isl_schedule_node *below = isl_schedule_node_first_child(isl_schedule_node_copy(node));
  isl_union_map *time = isl_schedule_node_get_prefix_schedule_relation(below);
  isl_union_map *carried = carried_dependences(node, split->deps);
  isl_aff *plane = carried_plane(carried, time);
  bool turn = !plane;
  if (turn)
    plane = turning_plane(carried, time);
  if (plane)
    node = insert_pieces(node, time, plane, turn);
  split->found |= isl_schedule_node_get_type(node) == isl_schedule_node_sequence;
  isl_union_map_free(carried);
  isl_union_map_free(time);
  isl_schedule_node_free(below);
  return node;
}

/* Split the last member of the band at NODE, if no band runs inside of it or, for threads, if some do. */
static isl_schedule_node *split_band(isl_schedule_node *node, void *user)
{
  struct split *split = user;
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band ||
      tsr_node_has_band_below(node) != isl_bool_ok(split->outer))
    return node;
  isl_size n = isl_schedule_node_band_n_member(node);
  if (n < 1 || isl_schedule_node_band_member_get_coincident(node, n - 1) != isl_bool_false)
    return node;
  isl_schedule_node *last = isl_schedule_node_copy(node);
  if (n > 1)
    last = isl_schedule_node_child(isl_schedule_node_band_split(last, n - 1), 0);
  last = split_member(last, split);
  if (isl_schedule_node_get_type(last) != isl_schedule_node_sequence) {
    isl_schedule_node_free(last);
    return node;
  }
  isl_schedule_node_free(node);
  last = split->outer ? flag_pieces(last) : last;
  return n > 1 ? isl_schedule_node_parent(last) : last;
}

isl_bool tsr_node_is_unmarked(isl_schedule_node *node, void *user)
{
  const struct tsr_mark *mark = tsr_node_mark(node);
  (void)user;
  return isl_bool_ok(!tsr_mark_is(mark, TSR_MARK_REGISTERS) && !tsr_mark_is(mark, TSR_MARK_LOCKSTEP) &&
                     !tsr_mark_is(mark, TSR_MARK_INTERLEAVE));
}

/* requires: SCHEDULE is legal by DEPS.  guarantees: the same order.  on failure: NULL. */
isl_schedule *tsr_tree_split(isl_schedule *schedule, struct tsr_deps *deps, bool outer)
{
  struct split split = {.deps = isl_union_map_union(isl_union_map_copy(deps->flow), isl_union_map_copy(deps->anti)),
                        .outer = outer};
  split.deps = isl_union_map_union(split.deps, isl_union_map_copy(deps->output));
  isl_schedule_node *root = isl_schedule_get_root(schedule);
  isl_schedule_free(schedule);
  if (isl_schedule_node_every_descendant(root, tsr_node_is_unmarked, NULL) == isl_bool_true)
    root = isl_schedule_node_map_descendant_bottom_up(root, split_band, &split);
  schedule = isl_schedule_node_get_schedule(root);
  isl_schedule_node_free(root);
  isl_union_map_free(split.deps);
  return split.found ? schedule : isl_schedule_free(schedule);
}
