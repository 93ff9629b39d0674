/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Strips of time steps, for stencils. B: an outermost permutable band of which every member carries dependences, such as
 * (t, 2t + i, 2t + j); O: the original tree, for the instances below B.
 *
 *   B(m_0, m_1, .., m_k) - X   ->   mark "strips" - T(m_0 / s, m_2 / r, .., m_(k-1) / r) - B(m_1) - P(m_0 % s) - O
 *
 * With rows of j and a strip of s time steps:
 *
 *   for each strip of s steps
 *     for each row i'                              // a row comes into the cache once a strip
 *       for each t of the strip
 *         for j: S0(t, i' - 2t, j)                 // whole rows, one statement after the other, as in the original
 *         for j: S1(t, i' - 2t - 1, j)
 *
 * Legal: no member of B decreases along a dependence, so none of T does; where T, m_1 and m_0 stay, O keeps its order. The
 * last dimension is neither tiled nor skewed, so that its loops stay as simple as the programmer wrote them. Those of O that
 * have one iteration for given loops around are left out. */
#include "tree/tree.h"
#include <isl/id.h>
#include <isl/ilp.h>
#include <isl/val.h>

/* Steps of a strip: beyond that little is gained. Where there is a dimension between the outermost and the innermost one,
 * its tiles move on with the steps, so that more of them would need larger tiles. */
#define STEPS 8
#define STEPS_OF_TILES 4
/* Of a tile in such a dimension: as many as fit into the cache together with the other steps. */
#define LEAST_ROWS 8
#define MOST_ROWS 32

/* Bytes of one row in each array of several dimensions. */
static double row_bytes(struct tsr_scop *scop)
{
  double bytes = 1;
  for (int i = 0; i < scop->n_array; i++) {
    struct tsr_array *array = &scop->arrays[i];
    if (array->kind != TSR_ARRAY_MEMORY || array->n_dim < 2)
      continue;
    isl_val *last = isl_set_dim_max_val(isl_set_copy(array->extent), array->n_dim - 1);
    double length = isl_val_is_int(last) == isl_bool_true ? isl_val_get_d(last) + 1 : tsr_profit_assumed_parameter();
    bytes += length * array->elem_size;
    isl_val_free(last);
  }
  return bytes;
}

/* Of the cache that strips are made for. */
static double cache_size(struct tsr_scop *scop)
{
  return scop->machine.cache[scop->machine.n_cache > 1].size;
}

static int tile_rows(struct tsr_scop *scop)
{
  double size = cache_size(scop), bytes = row_bytes(scop);
  int rows = MOST_ROWS;
  while (rows > LEAST_ROWS && rows * STEPS_OF_TILES * bytes > size)
    rows /= 2;
  return rows;
}

void tsr_strips_sizes(struct tsr_scop *scop, int n, int *steps, int *rows)
{
  *steps = n > 3 ? STEPS_OF_TILES : STEPS;
  *rows = n > 3 ? tile_rows(scop) : 1;
}

/* floor(MEMBER / SIZE) */
static isl_union_pw_aff *tile_of(isl_union_pw_aff *member, int size)
{
  isl_ctx *ctx = isl_union_pw_aff_get_ctx(member);
  return isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(member, isl_val_int_from_si(ctx, size)));
}

/* MEMBER - SIZE * floor(MEMBER / SIZE) */
static isl_union_pw_aff *rest_of(isl_union_pw_aff *member, int size)
{
  isl_val *factor = isl_val_int_from_si(isl_union_pw_aff_get_ctx(member), size);
  isl_union_pw_aff *tile = isl_union_pw_aff_scale_val(tile_of(isl_union_pw_aff_copy(member), size), factor);
  return isl_union_pw_aff_sub(member, tile);
}

/* ---- O ---- */

/* Does the one row MEMBER have one value for each iteration of the loops around NODE? */
static bool is_fixed(isl_schedule_node *node, isl_multi_union_pw_aff *member)
{
  isl_union_map *prefix = isl_schedule_node_get_prefix_schedule_relation(node);
  isl_union_map *row = isl_union_map_from_multi_union_pw_aff(isl_multi_union_pw_aff_copy(member));
  isl_union_set *times = isl_union_map_range(isl_union_map_flat_range_product(prefix, row));
  isl_set *points = isl_union_set_isa_set(times) == isl_bool_true ? isl_set_from_union_set(isl_union_set_copy(times)) : NULL;
  isl_aff *plane = points ? tsr_points_plane(points) : NULL;
  isl_union_set_free(times);
  isl_set_free(points);
  isl_aff_free(plane);
  return plane != NULL;
}

static isl_schedule_node *graft(isl_schedule_node *node, isl_schedule_node *from);

/* Insert the members of the band FROM that are no function of the loops around the leaf NODE, and what is below it. */
static isl_schedule_node *graft_band(isl_schedule_node *node, isl_schedule_node *from)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(from);
  partial = isl_multi_union_pw_aff_intersect_domain(partial, isl_schedule_node_get_domain(node));
  isl_size n = isl_multi_union_pw_aff_size(partial);
  int depth = 0;
  for (int i = 0; i < n; i++) {
    isl_multi_union_pw_aff *member = tsr_member_schedule(partial, i);
    if (is_fixed(node, member)) {
      isl_multi_union_pw_aff_free(member);
      continue;
    }
    node = isl_schedule_node_child(isl_schedule_node_insert_partial_schedule(node, member), 0);
    depth++;
  }
  isl_multi_union_pw_aff_free(partial);
  isl_schedule_node *child = isl_schedule_node_get_child(from, 0);
  node = isl_schedule_node_ancestor(graft(node, child), depth);
  isl_schedule_node_free(child);
  return node;
}

/* The filter of child I of FROM, as far as NODE has it; *EMPTY: does it have none of it? */
static isl_union_set *common_filter(isl_schedule_node *node, isl_schedule_node *from, int i, bool *empty)
{
  isl_schedule_node *child = isl_schedule_node_get_child(from, i);
  isl_union_set *filter = isl_schedule_node_filter_get_filter(child);
  isl_schedule_node_free(child);
  filter = isl_union_set_intersect(filter, isl_schedule_node_get_domain(node));
  *empty = isl_union_set_is_empty(filter) != isl_bool_false;
  return filter;
}

static isl_schedule_node *graft_grandchild(isl_schedule_node *node, isl_schedule_node *from, int i)
{
  isl_schedule_node *child = isl_schedule_node_grandchild(isl_schedule_node_copy(from), i, 0);
  node = graft(node, child);
  isl_schedule_node_free(child);
  return node;
}

/* Insert the children of the sequence FROM that have instances at NODE. */
static isl_schedule_node *graft_sequence(isl_schedule_node *node, isl_schedule_node *from)
{
  isl_size n = isl_schedule_node_n_children(from);
  isl_union_set_list *filters = isl_union_set_list_alloc(isl_schedule_node_get_ctx(node), n > 0 ? n : 0);
  int found = 0, last = 0;
  bool empty;
  for (int i = 0; i < n; i++) {
    isl_union_set *filter = common_filter(node, from, i, &empty);
    found += !empty;
    last = empty ? last : i;
    filters = empty ? filters : isl_union_set_list_add(filters, isl_union_set_copy(filter));
    isl_union_set_free(filter);
  }
  if (found < 2) {
    isl_union_set_list_free(filters);
    return found ? graft_grandchild(node, from, last) : node;
  }
  isl_schedule_node *whole = isl_schedule_node_copy(node);
  node = isl_schedule_node_insert_sequence(node, filters);
  found = 0;
  for (int i = 0; i < n; i++) {
    isl_union_set_free(common_filter(whole, from, i, &empty));
    if (empty)
      continue;
    node = graft_grandchild(isl_schedule_node_grandchild(node, found++, 0), from, i);
    node = isl_schedule_node_ancestor(node, 2);
  }
  isl_schedule_node_free(whole);
  return node;
}

/* Put the tree FROM, for the instances of the leaf NODE, in NODE's place. NULL where it has nodes of other kinds. */
static isl_schedule_node *graft(isl_schedule_node *node, isl_schedule_node *from)
{
  switch (isl_schedule_node_get_type(from)) {
  case isl_schedule_node_leaf:
    return node;
  case isl_schedule_node_band:
    return graft_band(node, from);
  case isl_schedule_node_sequence:
    return graft_sequence(node, from);
  default:
    return isl_schedule_node_free(node);
  }
}

/* ---- T, B, P ---- */

static bool may_have_strips(isl_schedule_node *band)
{
  isl_size n = isl_schedule_node_band_n_member(band);
  bool may = n > 2 && isl_schedule_node_band_get_permutable(band) == isl_bool_true;
  for (int i = 0; i < n && may; i++)
    may = isl_schedule_node_band_member_get_coincident(band, i) == isl_bool_false;
  return may;
}

/* Insert the one row MEMBER above NODE. */
static isl_schedule_node *insert_row(isl_schedule_node *node, isl_union_pw_aff *member)
{
  return isl_schedule_node_insert_partial_schedule(node, isl_multi_union_pw_aff_from_union_pw_aff(member));
}

/* The band at NODE in strips. */
static isl_schedule_node *make_strips(isl_schedule_node *node, struct tsr_scop *scop)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_size n = isl_multi_union_pw_aff_size(partial);
  int steps, rows;
  tsr_strips_sizes(scop, n, &steps, &rows);
  node = isl_schedule_node_cut(node);
  node = insert_row(node, rest_of(isl_multi_union_pw_aff_get_at(partial, 0), steps));
  node = insert_row(node, isl_multi_union_pw_aff_get_at(partial, 1));
  for (int i = n - 2; i >= 2; i--)
    node = insert_row(node, tile_of(isl_multi_union_pw_aff_get_at(partial, i), rows));
  node = insert_row(node, tile_of(isl_multi_union_pw_aff_get_at(partial, 0), steps));
  isl_multi_union_pw_aff_free(partial);
  isl_schedule_node *original = isl_schedule_get_root(scop->schedule);
  isl_schedule_node *tree = isl_schedule_node_get_child(original, 0);
  for (int i = 0; i < n; i++)
    node = isl_schedule_node_child(node, 0);
  node = isl_schedule_node_ancestor(graft(node, tree), n);
  isl_schedule_node_free(tree);
  isl_schedule_node_free(original);
  return tsr_mark_insert_word(node, TSR_MARK_STRIPS);
}

/* Top down, outermost bands only. */
static isl_schedule_node *visit(isl_schedule_node *node, struct tsr_scop *scop, bool *found)
{
  enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
  if (type == isl_schedule_node_band && may_have_strips(node)) {
    *found = true;
    return make_strips(node, scop);
  }
  isl_size n = type == isl_schedule_node_band || type == isl_schedule_node_mark ? 0 : isl_schedule_node_n_children(node);
  for (int i = 0; i < n; i++)
    node = isl_schedule_node_parent(visit(isl_schedule_node_child(node, i), scop, found));
  return node;
}

/* requires: flags of SCHEDULE's bands are right, by dependences that relax nothing.  guarantees: legal if SCHEDULE is.
 * on failure: NULL. */
isl_schedule *tsr_tree_strips(isl_schedule *schedule, struct tsr_scop *scop)
{
  bool found = false;
  isl_schedule_node *root = isl_schedule_get_root(schedule);
  isl_schedule_free(schedule);
  root = visit(root, scop, &found);
  schedule = found ? isl_schedule_node_get_schedule(root) : NULL;
  isl_schedule_node_free(root);
  return schedule;
}

/* ---- when ---- */

/* Of each dimension: arrays of that size fill the cache TIMES times. */
static int cached_length(struct tsr_scop *scop, int n_dim, double times)
{
  double bytes = 0, all = 0;
  int length = 0;
  for (int i = 0; i < scop->n_array; i++)
    bytes += scop->arrays[i].kind == TSR_ARRAY_MEMORY && scop->arrays[i].n_dim > 1 ? scop->arrays[i].elem_size : 0;
  for (; all <= times * cache_size(scop) && bytes > 0; length++) {
    all = bytes;
    for (int d = 0; d < n_dim; d++)
      all *= length + 1;
  }
  return length;
}

/* requires: a tree of SCOP has strips or panels.  guarantees: a function of the SCoP, its machine and TIMES.
 * on failure: NULL. */
isl_set *tsr_strips_range(struct tsr_scop *scop, double times)
{
  isl_size depth = 0;
  isl_set *range = isl_set_universe(isl_set_get_space(scop->context));
  for (int i = 0; i < scop->n_stmt; i++)
    depth =
        isl_set_dim(scop->stmts[i].domain, isl_dim_set) > depth ? isl_set_dim(scop->stmts[i].domain, isl_dim_set) : depth;
  int length = cached_length(scop, depth - 1, times);
  for (int i = 0; i < scop->n_stmt; i++)
    for (int pos = 0; pos < depth && isl_set_dim(scop->stmts[i].domain, isl_dim_set) == depth; pos++)
      range = isl_set_intersect(range, tsr_domain_has_steps(scop->stmts[i].domain, pos, pos ? length : STEPS_OF_TILES));
  return isl_set_coalesce(range);
}
