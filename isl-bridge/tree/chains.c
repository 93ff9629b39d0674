/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Interleaved chains, for Gauss-Seidel forms. B: an outermost permutable band of one statement of which every member carries
 * dependences, such as (t, t + i, 2t + i + j). Each of its innermost loops is one chain: an iteration waits for the value of
 * the one before. K iterations of m_0 run at once, so that K chains fill the time that each of them waits:
 *
 *   B(m_0, .., m_k)   ->   T(m_0 / K) - B(m_1, .., m_(k-1)) - C(m_k + c m_0) - mark "interleave K" - P(m_0 % K), unrolled
 *
 * Legal: no member of B decreases along a dependence, nor does T or C. With c = 1, C stays only where m_0 and m_k do, so
 * that points of P under one iteration of the loops around are independent of each other; with c = 0 they are if no
 * dependence says otherwise, and there is less skew.
 *
 * Only the iterations of T, B and C where all K points exist run like that, F. The others are cut off, loop by loop:
 *
 *   sequence - { T before F } - B(m_0, m_1, .., m_k)
 *            - { T in F } - T - sequence - { B before F } - B(m_1, .., m_(k-1)) - m_0 - m_k
 *                                        - { B in F } - B - sequence - { C before F } - m_0 - m_k
 *                                                                    - { C in F } - C - mark - P
 *                                                                    - { C behind F } - m_0 - m_k
 *                                        - { B behind F } - B(m_1, .., m_(k-1)) - m_0 - m_k
 *            - { T behind F } - the same with K / 2
 *            - { there is no F } - B(m_0, m_1, .., m_k)
 *
 * The last loop of each piece that is cut off has a mark "chain". The order of the pieces of a loop is that of the loop;
 * within the cut pieces m_0 and m_k may be exchanged, as the members of a permutable band. */
#include "tree/tree.h"
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

#define CHAINS 8 /* K */
/* In more arrays than that fewer chains run at once: the rows that they are at may share few places in the cache. */
#define FEW_ARRAYS 4
#define LEAST_CHAINS 4 /* K with up to twice as many arrays, and of what is left of m_0 */

/* One band. */
struct weave {
  struct tsr_scop *scop;
  struct tsr_stmt *stmt;
  isl_multi_union_pw_aff *member; /* m_0, .., m_k */
  int n;                          /* k + 1 */
  int skew;                       /* c */
  isl_union_map *order;           /* { S[i] -> [m_0, .., m_k] } */
};

/* ---- when a band can have chains ---- */

static bool may_interleave(isl_schedule_node *band)
{
  isl_size n = isl_schedule_node_band_n_member(band);
  isl_schedule_node *child = isl_schedule_node_get_child(band, 0);
  bool may = n > 1 && isl_schedule_node_get_type(child) == isl_schedule_node_leaf &&
             isl_schedule_node_get_schedule_depth(band) == 0 && isl_schedule_node_band_get_permutable(band) == isl_bool_true;
  for (int i = 0; i < n && may; i++)
    may = isl_schedule_node_band_member_get_coincident(band, i) == isl_bool_false;
  isl_schedule_node_free(child);
  return may;
}

/* The one statement at NODE, or NULL. */
static struct tsr_stmt *only_statement(isl_schedule_node *node, struct tsr_scop *scop)
{
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  struct tsr_stmt *stmt = NULL;
  if (isl_union_set_n_set(domain) == 1) {
    isl_set *set = isl_set_from_union_set(isl_union_set_copy(domain));
    int i = tsr_scop_find_stmt(scop, isl_set_get_tuple_name(set));
    stmt = i < 0 ? NULL : &scop->stmts[i];
    isl_set_free(set);
  }
  isl_union_set_free(domain);
  return stmt;
}

/* Does STMT wait for a value of its own, as far as is known? */
static double longest_wait(struct tsr_stmt *stmt)
{
  int most = 0;
  for (int i = 0; i < stmt->n_access; i++)
    most = stmt->access[i].wait > most ? stmt->access[i].wait : most;
  return most;
}

/* K for STMT; 0: none. */
static int count_chains(struct tsr_scop *scop, struct tsr_stmt *stmt)
{
  int n = 0;
  for (int array = 0; array < scop->n_array; array++) {
    bool touched = false;
    for (int i = 0; i < stmt->n_access; i++)
      touched |= stmt->access[i].array == array && scop->arrays[array].n_dim > 1;
    n += touched;
  }
  return n <= FEW_ARRAYS ? CHAINS : n <= 2 * FEW_ARRAYS ? LEAST_CHAINS : 0;
}

/* Is there a pair of OPEN, all that DEPS leaves open at the band, with the same m_1, .., m_k, so that K iterations of m_0
 * depend on each other? */
static bool needs_skew(struct weave *weave, isl_union_map *open)
{
  isl_multi_union_pw_aff *inner =
      isl_multi_union_pw_aff_drop_dims(isl_multi_union_pw_aff_copy(weave->member), isl_dim_set, 0, 1);
  isl_union_map *same = isl_union_map_eq_at_multi_union_pw_aff(isl_union_map_copy(open), inner);
  isl_bool none = isl_union_map_is_empty(same);
  isl_union_map_free(same);
  return none != isl_bool_true;
}

/* Is there a pair of OPEN with the same m_0, .., m_(k-1), so that iterations of an innermost loop wait for others of it? Not
 * where, for example, only every other one runs and needs the ones between, of another time. */
static bool has_chain(struct weave *weave, isl_union_map *open)
{
  isl_multi_union_pw_aff *outer =
      isl_multi_union_pw_aff_drop_dims(isl_multi_union_pw_aff_copy(weave->member), isl_dim_set, weave->n - 1, 1);
  isl_union_map *same = isl_union_map_eq_at_multi_union_pw_aff(isl_union_map_copy(open), outer);
  isl_bool none = isl_union_map_is_empty(same);
  isl_union_map_free(same);
  return none == isl_bool_false;
}

/* ---- F ---- */

/* { [T, b, .., C] -> [K T + p, b, .., C - c (K T + p)] } */
static isl_multi_aff *point_of(struct weave *weave, isl_space *space, int chains, int p)
{
  isl_local_space *local = isl_local_space_from_space(isl_space_copy(space));
  isl_multi_aff *point = isl_multi_aff_identity(isl_space_map_from_set(space));
  isl_aff *time = isl_aff_var_on_domain(local, isl_dim_set, 0);
  time = isl_aff_add_constant_si(isl_aff_scale_val(time, isl_val_int_from_si(isl_aff_get_ctx(time), chains)), p);
  isl_aff *skew = isl_aff_scale_val(isl_aff_copy(time), isl_val_int_from_si(isl_aff_get_ctx(time), weave->skew));
  isl_aff *last = isl_aff_sub(isl_multi_aff_get_at(point, weave->n - 1), skew);
  return isl_multi_aff_set_at(isl_multi_aff_set_at(point, 0, time), weave->n - 1, last);
}

/* F { [T, b, .., C] : all points exist } for the instances DOMAIN. */
static isl_set *full_iterations(struct weave *weave, isl_union_set *domain, int chains)
{
  isl_union_set *times = isl_union_set_apply(isl_union_set_copy(domain), isl_union_map_copy(weave->order));
  isl_set *set = isl_set_coalesce(isl_set_from_union_set(times)), *full = NULL;
  for (int p = 0; p < chains; p++) {
    isl_set *points = isl_set_preimage_multi_aff(isl_set_copy(set), point_of(weave, isl_set_get_space(set), chains, p));
    full = full ? isl_set_intersect(full, points) : points;
  }
  isl_set_free(set);
  return isl_set_coalesce(full);
}

/* ---- rows ---- */

/* floor(m_0 / K) */
static isl_union_pw_aff *row_tile(struct weave *weave, int chains)
{
  isl_union_pw_aff *time = isl_multi_union_pw_aff_get_at(weave->member, 0);
  isl_val *factor = isl_val_int_from_si(isl_union_pw_aff_get_ctx(time), chains);
  return isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(time, factor));
}

/* m_0 % K */
static isl_union_pw_aff *row_point(struct weave *weave, int chains)
{
  isl_union_pw_aff *tile = row_tile(weave, chains);
  isl_val *factor = isl_val_int_from_si(isl_union_pw_aff_get_ctx(tile), chains);
  return isl_union_pw_aff_sub(isl_multi_union_pw_aff_get_at(weave->member, 0), isl_union_pw_aff_scale_val(tile, factor));
}

/* Row L of T, B, .., C. */
static isl_union_pw_aff *row_of(struct weave *weave, int chains, int l)
{
  if (l == 0)
    return row_tile(weave, chains);
  isl_union_pw_aff *row = isl_multi_union_pw_aff_get_at(weave->member, l);
  isl_union_pw_aff *time = isl_multi_union_pw_aff_get_at(weave->member, 0);
  isl_val *skew = isl_val_int_from_si(isl_union_pw_aff_get_ctx(row), l == weave->n - 1 ? weave->skew : 0);
  return isl_union_pw_aff_add(row, isl_union_pw_aff_scale_val(time, skew));
}

/* { S[i] -> [T, b, ..] : the first N rows } */
static isl_union_map *rows_map(struct weave *weave, int chains, int n)
{
  isl_union_map *map = NULL;
  for (int l = 0; l < n; l++) {
    isl_union_map *row = isl_union_map_from_union_pw_aff(row_of(weave, chains, l));
    map = map ? isl_union_map_flat_range_product(map, row) : row;
  }
  return map;
}

/* ---- the tree ---- */

/* Insert ROW above the leaf NODE; the result stands at the leaf again. */
static isl_schedule_node *insert_row(isl_schedule_node *node, isl_union_pw_aff *row)
{
  node = isl_schedule_node_insert_partial_schedule(node, isl_multi_union_pw_aff_from_union_pw_aff(row));
  return isl_schedule_node_child(node, 0);
}

/* Put the loops that are left at row L in place of the leaf NODE, m_0 behind the rows of B. The result stands there. */
static isl_schedule_node *insert_plain(isl_schedule_node *node, struct weave *weave, int l)
{
  int rows = weave->n - l + (l > 0);
  for (int i = l; i < weave->n - 1; i++)
    node = insert_row(node, isl_multi_union_pw_aff_get_at(weave->member, i));
  if (l > 0)
    node = insert_row(node, isl_multi_union_pw_aff_get_at(weave->member, 0));
  node = isl_schedule_node_parent(insert_row(node, isl_multi_union_pw_aff_get_at(weave->member, weave->n - 1)));
  return isl_schedule_node_ancestor(tsr_mark_insert_word(node, TSR_MARK_CHAIN), rows - 1);
}

/* P below its mark in place of the leaf NODE. */
static isl_schedule_node *insert_points(isl_schedule_node *node, struct weave *weave, int chains)
{
  struct tsr_mark mark = {.kind = TSR_MARK_INTERLEAVE, .interleave = {chains}};
  node = isl_schedule_node_parent(insert_row(node, row_point(weave, chains)));
  node = isl_schedule_node_band_member_set_ast_loop_type(node, 0, isl_ast_loop_unroll);
  return tsr_mark_insert(node, weave->scop, &mark);
}

/* { [a, .., x] -> [a, .., y] : y < x }, of N dimensions */
static isl_map *earlier_in_last(isl_space *space, int n)
{
  isl_map *map = isl_map_universe(isl_space_map_from_set(space));
  for (int i = 0; i < n - 1; i++)
    map = isl_map_equate(map, isl_dim_in, i, isl_dim_out, i);
  return isl_map_order_gt(map, isl_dim_in, n - 1, isl_dim_out, n - 1);
}

/* The pieces of the instances at one loop. */
struct pieces {
  isl_union_set *before, *in, *behind;
};

/* Those of DOMAIN by what the first N rows have to do with FULL { [T, b, .., C] }. */
static struct pieces cut(struct weave *weave, isl_union_set *domain, isl_set *full, int chains, int n)
{
  struct pieces pieces;
  isl_set *part = isl_set_project_out(isl_set_copy(full), isl_dim_set, n, weave->n - n);
  isl_map *earlier = earlier_in_last(isl_set_get_space(part), n);
  isl_union_map *rows = isl_union_map_intersect_domain(rows_map(weave, chains, n), isl_union_set_copy(domain));
  isl_set *before = isl_set_subtract(isl_set_apply(isl_set_copy(part), earlier), isl_set_copy(part));
  isl_union_map *in = isl_union_map_intersect_range(isl_union_map_copy(rows), isl_union_set_from_set(part));
  isl_union_map *ahead = isl_union_map_intersect_range(rows, isl_union_set_from_set(before));
  pieces.in = isl_union_set_coalesce(isl_union_map_domain(in));
  pieces.before = isl_union_set_coalesce(isl_union_map_domain(ahead));
  pieces.behind = isl_union_set_subtract(isl_union_set_copy(domain), isl_union_set_copy(pieces.in));
  pieces.behind = isl_union_set_coalesce(isl_union_set_subtract(pieces.behind, isl_union_set_copy(pieces.before)));
  return pieces;
}

static isl_schedule_node *insert_tile(isl_schedule_node *node, struct weave *weave, int chains);

/* Put row L and what is below it in place of the leaf NODE, whose instances are in FULL as far as the rows around. */
static isl_schedule_node *insert_loops(isl_schedule_node *node, struct weave *weave, isl_set *full, int chains, int l)
{
  if (l == weave->n)
    return insert_points(node, weave, chains);
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  struct pieces pieces = cut(weave, domain, full, chains, l + 1);
  isl_union_set *piece[] = {pieces.before, pieces.in, pieces.behind};
  isl_union_set_list *filters = isl_union_set_list_alloc(isl_schedule_node_get_ctx(node), 3);
  int kind[3], n = 0;
  for (int i = 0; i < 3; i++)
    if (isl_union_set_is_empty(piece[i]) == isl_bool_false) {
      filters = isl_union_set_list_add(filters, isl_union_set_copy(piece[i]));
      kind[n++] = i;
    }
  node = isl_schedule_node_insert_sequence(node, filters);
  for (int i = 0; i < n; i++) {
    node = isl_schedule_node_grandchild(node, i, 0);
    if (kind[i] == 1)
      node = isl_schedule_node_parent(insert_loops(insert_row(node, row_of(weave, chains, l)), weave, full, chains, l + 1));
    else if (kind[i] == 2 && l == 0 && chains / 2 >= LEAST_CHAINS)
      node = insert_tile(node, weave, chains / 2);
    else
      node = insert_plain(node, weave, l);
    node = isl_schedule_node_ancestor(node, 2);
  }
  for (int i = 0; i < 3; i++)
    isl_union_set_free(piece[i]);
  isl_union_set_free(domain);
  return node;
}

/* The instances of NODE for parameters in SOME, then the others, each in a leaf of its own. The result stands at the first.
 */
static isl_schedule_node *split_parameters(isl_schedule_node *node, isl_set *some)
{
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  isl_union_set *others = isl_union_set_intersect_params(isl_union_set_copy(domain), isl_set_complement(isl_set_copy(some)));
  isl_union_set_list *filters = isl_union_set_list_from_union_set(isl_union_set_intersect_params(domain, some));
  node = isl_schedule_node_insert_sequence(node, isl_union_set_list_add(filters, others));
  return isl_schedule_node_grandchild(node, 0, 0);
}

/* Put the chains in place of the leaf NODE, or the loops as they were where there are none. */
static isl_schedule_node *insert_tile(isl_schedule_node *node, struct weave *weave, int chains)
{
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  isl_set *full = full_iterations(weave, domain, chains), *some = isl_set_params(isl_set_copy(full));
  isl_set *present = isl_union_set_params(domain);
  isl_bool all = isl_set_is_subset(present, some), none = isl_set_is_empty(some);
  if (none != isl_bool_false) {
    node = insert_plain(node, weave, 0);
  } else if (all == isl_bool_true || chains / 2 < LEAST_CHAINS) {
    node = insert_loops(node, weave, full, chains, 0);
  } else {
    /* There the rest of m_0 is simple enough for chains of its own. */
    node = insert_loops(split_parameters(node, isl_set_copy(some)), weave, full, chains, 0);
    node = isl_schedule_node_grandchild(isl_schedule_node_ancestor(node, 2), 1, 0);
    node = isl_schedule_node_ancestor(insert_plain(node, weave, 0), 2);
  }
  isl_set_free(present);
  isl_set_free(some);
  isl_set_free(full);
  return node;
}

/* ---- visit ---- */

struct search {
  struct tsr_scop *scop;
  isl_union_map *deps;
  bool force;
  bool found;
};

/* The band at NODE with chains, if it is worth to look at. */
static isl_schedule_node *interleave_band(isl_schedule_node *node, struct search *search)
{
  struct weave weave = {.scop = search->scop, .stmt = only_statement(node, search->scop), .skew = 0};
  int chains = weave.stmt ? count_chains(search->scop, weave.stmt) : 0;
  if (chains == 0 || (longest_wait(weave.stmt) == 0 && !search->force))
    return node;
  isl_union_map *open = tsr_node_open_dependences(node, search->deps);
  weave.member = isl_schedule_node_band_get_partial_schedule(node);
  weave.member = isl_multi_union_pw_aff_intersect_domain(weave.member, isl_schedule_node_get_domain(node));
  weave.n = isl_multi_union_pw_aff_size(weave.member);
  weave.order = isl_union_map_from_multi_union_pw_aff(isl_multi_union_pw_aff_copy(weave.member));
  if (has_chain(&weave, open)) {
    weave.skew = needs_skew(&weave, open);
    node = insert_tile(isl_schedule_node_cut(node), &weave, chains);
    search->found = true;
  }
  isl_union_map_free(open);
  isl_multi_union_pw_aff_free(weave.member);
  isl_union_map_free(weave.order);
  return node;
}

/* Top down, outermost bands only. */
static isl_schedule_node *visit(isl_schedule_node *node, struct search *search)
{
  enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
  if (type == isl_schedule_node_band)
    return may_interleave(node) ? interleave_band(node, search) : node;
  isl_size n = type == isl_schedule_node_mark ? 0 : isl_schedule_node_n_children(node);
  for (int i = 0; i < n; i++)
    node = isl_schedule_node_parent(visit(isl_schedule_node_child(node, i), search));
  return node;
}

/* requires: flags of SCHEDULE's bands are right, by DEPS, which relax nothing.  guarantees: legal if SCHEDULE is.
 * on failure: NULL. */
isl_schedule *tsr_tree_interleave(isl_schedule *schedule, struct tsr_scop *scop, struct tsr_deps *deps,
                                  const struct tsr_options *opt)
{
  struct search search = {.scop = scop, .force = opt->force};
  search.deps = isl_union_map_union(isl_union_map_copy(deps->flow), isl_union_map_copy(deps->anti));
  search.deps = isl_union_map_union(search.deps, isl_union_map_copy(deps->output));
  isl_schedule_node *root = isl_schedule_get_root(schedule);
  isl_schedule_free(schedule);
  root = visit(root, &search);
  schedule = search.found ? isl_schedule_node_get_schedule(root) : NULL;
  isl_schedule_node_free(root);
  isl_union_map_free(search.deps);
  return schedule;
}

/* ---- when ---- */

/* Of inner loops: parts of each chain run alone. */
#define LEAST_STEPS (4 * CHAINS)

/* Rows whose length is so many elements more than a multiple of a way of the nearest cache, or fewer, begin at the same
 * place there, for which it has few lines: what chains in neighbouring rows read and write isn't in it any more when it is
 * asked for again. So are those that are a little shorter. Sums over rectangles of 1024 and 2048 columns, of the original's
 * time (Zen 4): floats, 4 columns fewer 0.4, 2 fewer 1.1, as many 2.9, 2 more 3.7, 4 more 1.4, 5 more 0.7, 6 more 0.45;
 * doubles, 2 fewer 0.55, 1 fewer 1, 1 more 3.4, 3 more 1.25, 4 more 0.6. */
#define SAME_PLACE_FEWER 2
#define SAME_PLACE_MORE 4

struct range {
  struct tsr_scop *scop;
  isl_set *set;
};

/* { parameters : rows of ARRAY aren't at one place of the nearest cache, as far as it is known how long they are } */
static isl_set *rows_apart(const struct tsr_scop *scop, const struct tsr_array *array)
{
  const struct tsr_cache *cache = &scop->machine.cache[0];
  int way = cache->size / cache->ways, window = (SAME_PLACE_FEWER + SAME_PLACE_MORE + 1) * array->elem_size;
  isl_ctx *ctx = isl_set_get_ctx(array->extent);
  isl_bool known = isl_set_dim_has_upper_bound(array->extent, isl_dim_set, (unsigned)array->n_dim - 1);
  if (known != isl_bool_true || way <= window)
    return known < 0 ? NULL : isl_set_universe(isl_set_get_space(scop->context));
  isl_pw_aff *last = isl_set_dim_max(isl_set_copy(array->extent), array->n_dim - 1);
  isl_pw_aff *bytes = isl_pw_aff_add_constant_val(last, isl_val_int_from_si(ctx, 1 + SAME_PLACE_FEWER));
  bytes = isl_pw_aff_scale_val(bytes, isl_val_int_from_si(ctx, array->elem_size));
  bytes = isl_pw_aff_mod_val(bytes, isl_val_int_from_si(ctx, way));
  isl_set *domain = isl_pw_aff_domain(isl_pw_aff_copy(bytes));
  return isl_pw_aff_ge_set(bytes, isl_pw_aff_val_on_domain(domain, isl_val_int_from_si(ctx, window)));
}

static isl_bool add_range(isl_schedule_node *node, void *user)
{
  struct range *range = user;
  if (!tsr_node_is_mark(node, TSR_MARK_INTERLEAVE))
    return isl_bool_true;
  struct tsr_stmt *stmt = only_statement(node, range->scop);
  isl_size depth = stmt ? isl_set_dim(stmt->domain, isl_dim_set) : isl_size_error;
  for (int pos = 0; pos < depth; pos++)
    range->set = isl_set_intersect(range->set, tsr_domain_has_steps(stmt->domain, pos, pos ? LEAST_STEPS : CHAINS));
  for (int k = 0; stmt && k < stmt->n_access; k++) {
    const struct tsr_array *array = &range->scop->arrays[stmt->access[k].array];
    if (array->kind == TSR_ARRAY_MEMORY && array->n_dim > 1)
      range->set = isl_set_intersect(range->set, rows_apart(range->scop, array));
  }
  return isl_bool_ok(depth >= 0);
}

/* requires: TREE is one of tsr_tree_interleave's.  on failure: NULL. */
isl_set *tsr_interleave_range(struct tsr_scop *scop, isl_schedule *tree)
{
  struct range range = {scop, isl_set_universe(isl_set_get_space(scop->context))};
  isl_schedule_node *root = isl_schedule_get_root(tree);
  if (isl_schedule_node_every_descendant(root, add_range, &range) != isl_bool_true)
    range.set = isl_set_free(range.set);
  isl_schedule_node_free(root);
  return isl_set_coalesce(range.set);
}
