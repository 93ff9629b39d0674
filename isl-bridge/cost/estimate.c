/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a tree costs. That is the sum over its statements, each in its own nest of loops l_1 ... l_d, outermost first:
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
 * Two loops may move one subscript, as i - 2 t in skewed strips of time steps, or i + k where k runs from i on: f is also no
 * more than a box, the product over subscripts of 1 + sum of (N_m - 1) * |step|.
 *
 * Innermost loops of few, known iterations are straight code (access/straight_loops.c): no loops here, but what an access
 * that stays in them takes is divided by their iterations, as it is in a register. Not so in the original where the array is
 * one that must be told apart from others at run time: clang stores to it, and loads, each time.
 *
 * In a register tile an instance takes what its mark says. The innermost loop is a vector loop if its iterations are
 * independent and all strides are unit or zero. The numbers are cycles of a current core, roughly; those of the caches are
 * the machine's. Only ratios count. */
#include "cost/nests.h"
#include "model/thresholds.h"
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* Add to MODEL what WITHIN and FAR say, SHARE of it. */
static void add_levels(struct model *model, const double *within, double far, double share)
{
  for (int c = 0; c <= TSR_MAX_CACHE; c++)
    model->within[c] += share * within[c];
  model->far += share * far;
}

static void add_cost(struct model *model, int stmt, double cost, double instances)
{
  model->cost += cost;
  if (model->by_stmt)
    model->by_stmt[stmt] += cost;
  model->instances += instances * tsr_nest_weight(&model->scop->stmts[stmt]);
  model->held[stmt].total += cost;
  model->held[stmt].instances += instances;
}

/* Does STMT run in some iterations only of its innermost loop, in the original, as conditions say, and load there? In new
 * code it has loops of its own. What loads nothing is computed in all iterations of vectors, and selected. */
static bool is_guarded(const struct model *model, const struct tsr_stmt *stmt)
{
  bool loads = false;
  for (int k = 0; k < stmt->n_access; k++)
    loads |= stmt->access[k].kind == TSR_READ && model->scop->arrays[stmt->access[k].array].kind == TSR_ARRAY_MEMORY;
  if (!model->times || !loads)
    return false;
  isl_union_set *domain = isl_union_set_from_set(isl_set_copy(stmt->domain));
  isl_union_map *own = isl_union_map_intersect_domain(isl_union_map_copy(model->times), domain);
  isl_union_set *here = isl_union_map_range(own), *all = isl_union_map_range(isl_union_map_copy(model->times));
  isl_bool always = isl_union_set_is_subset(all, here);
  isl_union_set_free(here);
  isl_union_set_free(all);
  return always == isl_bool_false;
}

/* What an instance of statement STMT takes to issue in the original; 0: that isn't known. */
static double original_rate(struct tsr_scop *scop, int stmt)
{
  struct tsr_estimate all = {0};
  bool known = scop->kept.rate || tsr_tree_cost(scop, scop->schedule, false, false, &all, NULL) == isl_stat_ok;
  return known && scop->kept.rate ? scop->kept.rate[stmt] : 0;
}

/* What an instance of the statement of ORDER takes at the leaf at hand, an edge of its register tiles. It does no less than
 * in the original, and may wait as long. */
static void note_edge(struct model *model, struct tsr_order *order)
{
  struct nest nest;
  int parallel_loop, stmt = (int)(order->stmt - model->scop->stmts);
  struct held *held = &model->held[stmt];
  tsr_nest_compute(model, order, &nest, &parallel_loop);
  tsr_nest_share(model, &nest, order);
  if (nest.instances <= held->most_edge)
    return;
  double here = tsr_nest_issue(model, &nest, order), original = original_rate(model->scop, stmt);
  held->most_edge = nest.instances;
  model->beside[stmt] = here > original ? here : original;
}

static isl_stat add_statement(struct tsr_order *order, void *user)
{
  struct model *model = user;
  struct nest nest;
  int parallel_loop, stmt = (int)(order->stmt - model->scop->stmts);
  struct held *held = &model->held[stmt];
  if (isl_set_is_empty(order->domain) != isl_bool_false)
    return isl_stat_ok;
  bool here = model->held_by || model->lane_dim >= 0;
  if (held->block && !here && model->beside)
    note_edge(model, order);
  if (here == held->tiled) {
    model->guarded = is_guarded(model, order->stmt);
    tsr_nest_compute(model, order, &nest, &parallel_loop);
    tsr_nest_share(model, &nest, order);
    if (!held->tiled && model->siblings)
      tsr_nest_share_rows(model, &nest);
    double cost = tsr_nest_cost(model, &nest, order, model->threads ? parallel_loop : -1);
    model->issue += held->tiled ? 0 : nest.issue;
    model->near += held->tiled ? 0 : nest.near;
    model->streamed += model->vector && !held->tiled && nest.streams ? cost : 0;
    model->several |= (model->vector && tsr_nest_has_forms(&nest)) || (order->stmt->rare && !model->rare);
    if (model->rate && nest.instances > held->rated) {
      model->rate[stmt] = nest.issue / nest.instances;
      if (model->across)
        model->across[stmt] = nest.across;
      held->rated = nest.instances;
    }
    if (!held->tiled) {
      add_cost(model, stmt, cost, nest.instances);
      add_levels(model, nest.within, nest.far, 1);
    } else if (nest.instances > held->most) {
      held->most = nest.instances;
      held->cost = cost;
      held->issue = nest.issue;
      memcpy(held->within, nest.within, sizeof(held->within));
      held->far = nest.far;
    }
  }
  return isl_stat_ok;
}

/* All instances of a statement with register tiles cost what those in tiles do: the others are few. */
static void add_tiled(struct model *model)
{
  for (int i = 0; i < model->scop->n_stmt; i++) {
    struct held *held = &model->held[i];
    if (!held->tiled)
      continue;
    double instances = tsr_stmt_instances(model->scop, &model->scop->stmts[i]);
    add_cost(model, i, held->most > 0 ? held->cost / held->most * instances : 0, instances);
    model->issue += held->most > 0 ? held->issue / held->most * instances : 0;
    add_levels(model, held->within, held->far, held->most > 0 ? instances / held->most : 0);
  }
}

/* Trees for threads come in orders of their own: where loops depend on each other, trips at the middle of those around give
 * other numbers of instances in each. What is counted too often costs less in proportion. */
static void scale_costs(struct model *model)
{
  for (int i = 0; i < model->scop->n_stmt; i++) {
    struct held *held = &model->held[i];
    double instances = held->instances > 0 ? tsr_stmt_instances(model->scop, &model->scop->stmts[i]) : 0;
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
  if (stmt >= 0) {
    model->held[stmt].tiled = true;
    model->held[stmt].block |= tsr_mark_is(model->held_by, TSR_MARK_REGISTERS) && !model->held_by->tile.streams;
  }
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
  model->parallel_dim = depth;
  model->doacross = tsr_mark_is(mark, TSR_MARK_DOACROSS);
}

static void note_rare(struct model *model, int depth, const struct tsr_mark *mark)
{
  (void)depth;
  (void)mark;
  model->rare = true;
}

static void note_stream(struct model *model, int depth, const struct tsr_mark *mark)
{
  (void)depth;
  (void)mark;
  model->past = true;
}

/* What a mark tells of the leaves below it. HOLDS: it knows what their instances take. */
static const struct {
  bool holds;
  void (*note)(struct model *model, int depth, const struct tsr_mark *mark);
} of_mark[TSR_N_MARK] = {[TSR_MARK_REGISTERS] = {true, note_held},    [TSR_MARK_INTERLEAVE] = {true, note_held},
                         [TSR_MARK_PACK] = {false, note_pack},        [TSR_MARK_LOCKSTEP] = {true, note_lanes},
                         [TSR_MARK_PARALLEL] = {false, note_threads}, [TSR_MARK_DOACROSS] = {false, note_threads},
                         [TSR_MARK_RARE] = {false, note_rare},        [TSR_MARK_STREAM] = {false, note_stream}};

/* Note the statements below the marks of register tiles and lanes, and other marks. */
static isl_bool find_tiles(isl_schedule_node *node, void *user)
{
  struct model *model = user;
  const struct tsr_mark *mark = tsr_node_mark(node);
  model->strips |= tsr_mark_is(mark, TSR_MARK_STRIPS);
  model->rows |= tsr_mark_is(mark, TSR_MARK_ROWS);
  model->tiles |= tsr_mark_is(mark, TSR_MARK_REGISTERS) || tsr_mark_is(mark, TSR_MARK_INTERLEAVE);
  model->panels |= tsr_node_is_panels(node);
  model->lanes |= tsr_mark_is(mark, TSR_MARK_LOCKSTEP);
  model->buffers |= tsr_mark_is(mark, TSR_MARK_ALLOCATE);
  model->passes |= tsr_mark_is(mark, TSR_MARK_STREAM);
  if (!mark || !of_mark[mark->kind].holds)
    return isl_bool_true;
  model->held_by = mark;
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  domain = isl_union_set_intersect_params(domain, isl_set_copy(model->parameters));
  isl_stat ok =
      isl_union_set_is_empty(domain) == isl_bool_true ? isl_stat_ok : isl_union_set_foreach_set(domain, find_tiled, model);
  isl_union_set_free(domain);
  return ok < 0 ? isl_bool_error : isl_bool_true;
}

/* Are the iterations of the innermost loop, that of the last member of BAND, independent, or is the original a loop that
 * LLVM makes vectors of? Marks tell it for MEMORY arrays. */
static bool is_vector_loop(struct model *model, isl_schedule_node *band)
{
  isl_size n = isl_schedule_node_band_n_member(band);
  bool below_mark = n == 1 && isl_schedule_node_get_parent_type(band) == isl_schedule_node_mark;
  isl_bool vector = isl_schedule_node_band_member_get_coincident(band, n - 1);
  if (vector != isl_bool_false || (model->marked && !below_mark))
    return vector == isl_bool_true;
  isl_schedule_node *last = isl_schedule_node_parent(isl_schedule_node_copy(band));
  bool preloaded = below_mark && tsr_node_is_mark(last, TSR_MARK_PRELOAD);
  isl_schedule_node_free(last);
  if (preloaded)
    return tsr_band_is_preloadable(band, model->scop) == isl_bool_true;
  last = isl_schedule_node_copy(band);
  if (n > 1)
    last = isl_schedule_node_child(isl_schedule_node_band_split(last, n - 1), 0);
  vector = tsr_band_is_parallel(last, model->scop, below_mark ? TSR_SCALARS : TSR_ANY_ARRAY, NULL);
  if (vector == isl_bool_false && !model->marked)
    vector = tsr_band_is_forward(last, model->scop);
  isl_schedule_node_free(last);
  return vector == isl_bool_true;
}

/* The band of the loop around that of BAND's last member; NULL: there is none. */
static isl_schedule_node *band_around(__isl_keep isl_schedule_node *band)
{
  isl_size n = isl_schedule_node_band_n_member(band);
  isl_schedule_node *node = isl_schedule_node_copy(band);
  if (n > 1)
    return isl_schedule_node_band_split(node, n - 1);
  do {
    if (isl_schedule_node_has_parent(node) != isl_bool_true)
      return isl_schedule_node_free(node);
    node = isl_schedule_node_parent(node);
  } while (isl_schedule_node_get_type(node) != isl_schedule_node_band);
  return node;
}

bool tsr_model_is_vector(struct model *model, const struct nest *nest)
{
  if (!nest->once || !model->vector)
    return model->vector;
  if (model->around_vector < 0) {
    isl_schedule_node *around = band_around(model->node);
    model->around_vector = around && is_vector_loop(model, around);
    isl_schedule_node_free(around);
  }
  return model->around_vector > 0;
}

/* The band at NODE without its last *STRAIGHT members; all of it: false, and *STRAIGHT is less by that many. */
static bool cut_straight(isl_schedule_node **node, int *straight)
{
  int n = (int)isl_schedule_node_band_n_member(*node);
  if (*straight >= n) {
    *straight -= n;
    return false;
  }
  if (*straight > 0)
    *node = isl_schedule_node_band_split(*node, n - *straight);
  *straight = 0;
  return true;
}

/* Is the band at NODE, of which all but the last STRAIGHT members count, the one noted in MODEL? It is noted then. A tree is
 * walked once: where a node is in it says which it is. */
static bool is_noted(struct model *model, isl_schedule_node *node, int straight)
{
  struct band_place place = {.depth = isl_schedule_node_get_tree_depth(node), .straight = straight};
  isl_schedule_node *at = isl_schedule_node_copy(node);
  for (int d = place.depth - 1; d >= 0; d--) {
    int child = isl_schedule_node_get_child_position(at);
    if (d < MAX_PLACE)
      place.child[d] = child;
    at = isl_schedule_node_parent(at);
  }
  isl_schedule_node_free(at);
  bool same = place.depth <= MAX_PLACE && model->has_band && !memcmp(&place, &model->band, sizeof(place));
  model->has_band = true;
  model->band = place;
  return same;
}

static isl_stat add_work(isl_set *set, void *user)
{
  struct model *model = user;
  int i = tsr_scop_find_stmt(model->scop, isl_set_get_tuple_name(set));
  const struct tsr_stmt *stmt = i < 0 ? NULL : &model->scop->stmts[i];
  model->work += !stmt || stmt->rare || tsr_stmt_is_guarded(stmt) ? 0 : tsr_issue_alone(stmt);
  isl_set_free(set);
  return isl_stat_ok;
}

/* An access by RELATION writes to PARTS: one of known number, such as the real ones of complex numbers, or another one. */
static void note_part(struct parts *parts, isl_map *relation)
{
  isl_size n = isl_map_dim(relation, isl_dim_out);
  isl_val *part = n > 0 ? isl_map_plain_get_val_if_fixed(relation, isl_dim_out, (unsigned)n - 1) : NULL;
  if (part && isl_val_is_int(part) == isl_bool_true && isl_val_cmp_si(part, 0) >= 0 && isl_val_cmp_si(part, 32) < 0)
    parts->known |= 1u << isl_val_get_num_si(part);
  else
    parts->others++;
  isl_val_free(part);
}

static isl_stat add_writes(isl_set *set, void *user)
{
  struct model *model = user;
  int i = tsr_scop_find_stmt(model->scop, isl_set_get_tuple_name(set));
  const struct tsr_stmt *stmt = i < 0 ? NULL : &model->scop->stmts[i];
  for (int k = 0; stmt && k < stmt->n_access; k++)
    if (stmt->access[k].kind != TSR_READ)
      note_part(&model->writes[stmt->access[k].array], stmt->access[k].relation);
  isl_set_free(set);
  return isl_stat_ok;
}

/* Those of NODE, if it is a leaf: one statement may have several in a loop. */
static isl_bool add_writes_of_leaf(isl_schedule_node *node, void *user)
{
  if (isl_schedule_node_get_type(node) != isl_schedule_node_leaf)
    return isl_bool_true;
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  isl_stat ok = isl_union_set_foreach_set(domain, add_writes, user);
  isl_union_set_free(domain);
  return ok < 0 ? isl_bool_error : isl_bool_true;
}

/* When statements run in the loops up to the innermost one, that of BAND, whether there is but one in that, what all of them
 * take, and where they write. */
static void note_times(struct model *model, isl_schedule_node *band)
{
  isl_union_set *all = isl_schedule_node_get_domain(band);
  model->alone = isl_union_set_n_set(all) == 1;
  model->work = 0;
  if (tsr_node_has_band_below(band) == isl_bool_false)
    isl_union_set_foreach_set(all, add_work, model);
  if (model->writes) {
    memset(model->writes, 0, model->scop->n_array * sizeof(*model->writes));
    isl_schedule_node_foreach_descendant_top_down(band, add_writes_of_leaf, model);
  }
  model->times = isl_union_map_free(model->times);
  if (!model->marked && !model->alone) {
    isl_schedule_node *below = isl_schedule_node_get_child(band, 0);
    all = isl_union_set_intersect_params(all, tsr_scop_common(model->scop));
    model->times = isl_schedule_node_get_prefix_schedule_union_map(below);
    model->times = isl_union_map_intersect_domain(model->times, isl_union_set_copy(all));
    isl_schedule_node_free(below);
  }
  isl_union_set_free(all);
}

/* Find the vector and parallel loops above LEAF, and the band that it may share with the leaf before. */
void tsr_model_find_marks(struct model *model, isl_schedule_node *leaf)
{
  isl_schedule_node *node = isl_schedule_node_copy(leaf);
  bool innermost = true;
  model->vector = model->rare = model->past = false;
  model->held_by = NULL;
  model->n_pack = 0;
  model->parallel_dim = model->lane_dim = -1;
  model->straight = tsr_leaf_straight_members(leaf, model->scop); /* but for those with register tiles */
  int straight = model->straight;
  while (isl_schedule_node_has_parent(node) == isl_bool_true) {
    node = isl_schedule_node_parent(node);
    enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
    if (type == isl_schedule_node_band && innermost) {
      int members = straight;
      if (!cut_straight(&node, &straight))
        continue;
      innermost = false;
      if (!is_noted(model, node, members)) {
        model->band_vector = is_vector_loop(model, node);
        isl_schedule_node_free(model->node);
        model->node = isl_schedule_node_copy(node);
        model->around_vector = -1;
        note_times(model, node);
        tsr_model_enter_loop(model);
      }
      model->vector = model->band_vector;
    }
    const struct tsr_mark *mark = tsr_node_mark(node);
    if (mark && of_mark[mark->kind].note)
      of_mark[mark->kind].note(model, isl_schedule_node_get_schedule_depth(node), mark);
  }
  if (innermost)
    tsr_model_enter_loop(model);
  model->straight = model->held_by || model->lane_dim >= 0 ? 0 : model->straight;
  isl_schedule_node_free(node);
}

static isl_stat add_leaf(isl_schedule_node *leaf, void *user)
{
  struct model *model = user;
  tsr_model_find_marks(model, leaf);
  tsr_model_pass_to(model, leaf);
  return tsr_leaf_foreach_order(leaf, model->scop, isl_set_copy(model->parameters), add_statement, model);
}

/* All of TREE in MODEL, which the caller has set up; what it has of its own is freed. */
static isl_stat model_compute(struct model *model, isl_schedule *tree)
{
  struct tsr_scop *scop = model->scop;
  isl_schedule_node *root = isl_schedule_get_root(tree);
  model->held = calloc(scop->n_stmt + 1, sizeof(*model->held));
  model->writes = calloc(scop->n_array + 1, sizeof(*model->writes));
  isl_stat ok =
      model->held && model->writes ? isl_schedule_node_foreach_descendant_top_down(root, find_tiles, model) : isl_stat_error;
  if (ok == isl_stat_ok)
    ok = tsr_node_foreach_leaf(root, add_leaf, model);
  if (ok == isl_stat_ok)
    add_tiled(model);
  if (ok == isl_stat_ok && model->threads)
    scale_costs(model);
  for (int i = 0; i < scop->n_stmt && model->beside && model->held; i++)
    model->beside[i] = model->held[i].tiled ? model->beside[i] : model->rate[i];
  free(model->held);
  free(model->writes);
  tsr_model_forget(model);
  tsr_model_enter_loop(model);
  model->node = isl_schedule_node_free(model->node);
  isl_schedule_node_free(root);
  isl_union_map_free(model->times);
  isl_set_free(model->parameters);
  return ok;
}

/* Cycles for pages of SCOP's arrays that are dead behind it, the function's own: they are fresh, and there only if somebody
 * writes them. */
static double fresh_pages(struct tsr_scop *scop)
{
  double cycles = 0;
  for (int a = 0; a < scop->n_array; a++) {
    const struct tsr_array *array = &scop->arrays[a];
    bool own = array->kind == TSR_ARRAY_MEMORY && !array->live_out && array->space == TSR_SPACE_PROGRAM && array->n_dim > 0;
    isl_set *written = own ? tsr_find_touched(scop, a, true) : NULL;
    double bytes = written ? tsr_set_points(scop, written) * array->elem_size : 0;
    cycles += bytes > FRESH_BYTES ? bytes / 4096 * FRESH_PAGE : 0;
    isl_set_free(written);
  }
  return cycles;
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

/* What is known of a marked tree on one core: by statement, its cost, its rate, and the same beside tiles, -1: there is
 * nothing beside them. */
struct costs {
  struct tsr_estimate estimate;
  double by_stmt[];
};

/* What is known of TREE; NULL: nothing. The tree that is at hand is asked about several times. */
static const struct costs *find_costs(const struct tsr_scop *scop, isl_schedule *tree)
{
  return tree && scop->kept.costed == tree ? scop->kept.cost : NULL;
}

/* Keep what COSTS, which are taken, say of TREE. */
static void keep_costs(struct tsr_scop *scop, isl_schedule *tree, struct costs *costs)
{
  isl_schedule_free(scop->kept.costed);
  free(scop->kept.cost);
  scop->kept.costed = isl_schedule_copy(tree);
  scop->kept.cost = costs;
}

/* The estimate of TREE. */
static isl_stat estimate_tree(struct model *model, isl_schedule *tree, struct tsr_estimate *estimate)
{
  struct tsr_scop *scop = model->scop;
  if (model->by_stmt)
    memset(model->by_stmt, 0, scop->n_stmt * sizeof(*model->by_stmt));
  if (model->rate)
    begin_rates(scop, model->rate);
  isl_stat ok = model_compute(model, tree);
  bool good = ok == isl_stat_ok;
  if (good)
    model->cost += fresh_pages(scop) / (model->threads ? scop->machine.cores : 1);
  *estimate = (struct tsr_estimate){.cost = good ? model->cost : 0,
                                    .instances = good ? model->instances : 0,
                                    .strips = model->strips,
                                    .rows = model->rows,
                                    .issue = good ? model->issue : 0,
                                    .near = good ? model->near : 0,
                                    .far = good ? model->far : 0,
                                    .panels = model->panels,
                                    .lanes = model->lanes && model->buffers,
                                    .past = model->passes,
                                    .several = model->several,
                                    .tiles = model->tiles,
                                    .streams = model->streamed > 0.5 * model->cost};
  if (good)
    memcpy(estimate->within, model->within, sizeof(estimate->within));
  estimate->there = model->threads ? estimate->cost : tsr_estimate_there(scop, estimate);
  return ok;
}

/* What is known of TREE, marked, on one core. NULL: isl failed. */
static const struct costs *costs_of(struct tsr_scop *scop, isl_schedule *tree)
{
  tsr_scop_renew(scop);
  const struct costs *known = find_costs(scop, tree);
  if (known)
    return known;
  size_t n = scop->n_stmt;
  struct costs *costs = calloc(1, sizeof(*costs) + (3 * n + 1) * sizeof(*costs->by_stmt));
  if (!costs)
    return NULL;
  struct model model = {.lane_dim = -1,
                        .scop = scop,
                        .parameters = tsr_scop_typical(scop),
                        .marked = true,
                        .by_stmt = costs->by_stmt,
                        .rate = costs->by_stmt + n,
                        .beside = costs->by_stmt + 2 * n};
  for (size_t i = 0; i < n; i++)
    model.beside[i] = -1;
  isl_stat ok = estimate_tree(&model, tree, &costs->estimate);
  if (ok < 0 || isl_ctx_last_error(scop->ctx) != isl_error_none) { /* what was found may lack parts: not to be kept */
    free(costs);
    return NULL;
  }
  keep_costs(scop, tree, costs);
  return costs;
}

isl_stat tsr_tree_cost_and_rates(struct tsr_scop *scop, isl_schedule *tree, bool marked, bool threads,
                                 struct tsr_estimate *estimate, double *by_stmt, double *rates)
{
  size_t n = scop->n_stmt * sizeof(double);
  if (marked && !threads) {
    const struct costs *costs = costs_of(scop, tree);
    *estimate = costs ? costs->estimate : (struct tsr_estimate){0};
    if (by_stmt)
      memset(by_stmt, 0, n);
    if (costs && by_stmt)
      memcpy(by_stmt, costs->by_stmt, n);
    if (costs && rates)
      memcpy(rates, costs->by_stmt + scop->n_stmt, 2 * n);
    return costs ? isl_stat_ok : isl_stat_error;
  }
  struct model model = {.lane_dim = -1,
                        .scop = scop,
                        .parameters = tsr_scop_typical(scop),
                        .marked = marked,
                        .by_stmt = by_stmt,
                        .threads = threads};
  bool keep = tree == scop->schedule && !marked && !scop->kept.rate; /* for tsr_tree_rates */
  model.rate = keep ? calloc(2 * (size_t)scop->n_stmt + 1, sizeof(*model.rate)) : rates;
  model.across = keep && model.rate ? model.rate + scop->n_stmt : NULL;
  model.beside = keep || !rates ? NULL : rates + scop->n_stmt;
  isl_stat ok = estimate_tree(&model, tree, estimate);
  if (keep && ok == isl_stat_ok)
    scop->kept.rate = model.rate;
  else if (keep)
    free(model.rate);
  return ok;
}

isl_stat tsr_tree_rates(struct tsr_scop *scop, isl_schedule *tree, bool marked, double *rate, double *beside)
{
  tsr_scop_renew(scop);
  const struct costs *costs = marked ? costs_of(scop, tree) : NULL;
  if (marked && !costs)
    return isl_stat_error;
  const double *known = marked ? costs->by_stmt + scop->n_stmt : tree == scop->schedule && !beside ? scop->kept.rate : NULL;
  if (known)
    memcpy(rate, known, scop->n_stmt * sizeof(*rate));
  for (int i = 0; known && beside && i < scop->n_stmt; i++)
    beside[i] = known[scop->n_stmt + i] >= 0 ? known[scop->n_stmt + i] : beside[i];
  if (known)
    return isl_stat_ok;
  struct model model = {.lane_dim = -1, .scop = scop, .parameters = tsr_scop_typical(scop), .marked = marked, .rate = rate};
  begin_rates(scop, rate);
  model.beside = beside;
  return model_compute(&model, tree);
}

isl_stat tsr_original_rates(struct tsr_scop *scop, double *rate, double *across)
{
  struct tsr_estimate all = {0};
  tsr_scop_renew(scop);
  if (!scop->kept.rate && tsr_tree_cost(scop, scop->schedule, false, false, &all, NULL) < 0)
    return isl_stat_error;
  for (int i = 0; i < scop->n_stmt && scop->kept.rate; i++) {
    rate[i] = scop->kept.rate[i];
    across[i] = scop->kept.rate[scop->n_stmt + i];
  }
  return scop->kept.rate ? isl_stat_ok : isl_stat_error;
}
