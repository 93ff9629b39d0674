/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* AST generation: isl's, with default options but for the loops around register tiles: these are one loop each for all that
 * runs in them, with conditions inside, where isl would make loops of their own for the tiles at each edge of each
 * statement. An iteration of theirs is long, and code small. The AST is built in the context of what is known when the
 * transformed code runs, so that conditions on parameters that the run-time check has settled do not appear again; but not
 * of the ranges of their types, which take isl most of the time and change nothing.
 *
 *   schedule tree  ->  for / if / block / mark / user nodes;  user: S(c0, c1 + c2, ...) */
#include "ast/ast.h"
#include <isl/aff.h>
#include <isl/id.h>
#include <isl/ilp.h>
#include <isl/val.h>
#include <string.h>

/* Of what is known, in a context: with more of them isl takes as long for each loop as for all of it. */
#define MAX_PIECES 2
/* Statements whose loop is separated from its first and last iterations: each of them may make two pieces more. */
#define MAX_SEPARATE 4

/* Let the mark at NODE know its depth. */
static isl_schedule_node *number_mark(isl_schedule_node *node, void *user)
{
  const struct tsr_mark *mark = tsr_node_mark(node);
  if (!mark)
    return node;
  struct tsr_mark deep = *mark;
  deep.depth = isl_schedule_node_get_schedule_depth(node);
  return tsr_mark_insert(isl_schedule_node_delete(node), user, &deep);
}

/* Does the for node LOOP run the loop of depth DEPTH? Iterators are named c0, c1, ... by depth. */
static isl_bool is_loop_of_depth(isl_ast_node *loop, isl_id_list *iterators, int depth)
{
  if (isl_ast_node_get_type(loop) != isl_ast_node_for || depth >= isl_id_list_size(iterators))
    return isl_bool_false;
  isl_ast_expr *iterator = isl_ast_node_for_get_iterator(loop);
  isl_id *id = isl_ast_expr_get_id(iterator), *want = isl_id_list_get_at(iterators, depth);
  isl_bool same = isl_bool_ok(id == want);
  isl_id_free(id);
  isl_id_free(want);
  isl_ast_expr_free(iterator);
  return same;
}

static isl_bool note_steps(isl_ast_node *node, void *user)
{
  bool *found = user;
  *found |= tsr_mark_is(tsr_ast_mark(node), TSR_MARK_STEPS);
  return isl_bool_not(isl_bool_ok(*found));
}

bool tsr_ast_has_steps(isl_ast_node *node)
{
  bool found = false;
  isl_ast_node_foreach_descendant_top_down(node, note_steps, &found);
  return found;
}

/* isl drops a loop that runs once, and may split one into several:
 *
 *   mark - for c1 (runs once) - for c2   ->   mark - for c2        mark - for c1   ->   mark - { for c1; S(n) }
 *
 * A parallel mark that is not directly above the loop that was marked goes; one of vectors, too, unless there are but parts
 * of that loop below it, from which first and last iterations may have been taken; one of two loops, too, unless there are
 * but conditions between them, or one mark of steps, above the second loop. */
static isl_bool leads_to_steps(isl_ast_node *node);

/* Is all that has a mark of steps in the block NODE one child, which leads to it? */
static isl_bool one_leads_to_steps(isl_ast_node *node)
{
  isl_ast_node_list *list = isl_ast_node_block_get_children(node);
  isl_size n = isl_ast_node_list_n_ast_node(list);
  int n_step = 0;
  isl_bool leads = isl_bool_true;
  for (int i = 0; i < n && leads == isl_bool_true; i++) {
    isl_ast_node *child = isl_ast_node_list_get_at(list, i);
    if (tsr_ast_has_steps(child)) {
      n_step++;
      leads = leads_to_steps(child);
    }
    isl_ast_node_free(child);
  }
  isl_ast_node_list_free(list);
  return leads == isl_bool_true ? isl_bool_ok(n_step == 1) : leads;
}

/* Is there one mark of steps in NODE, whichever of its parts run? */
static isl_bool leads_to_steps(isl_ast_node *node)
{
  enum isl_ast_node_type type = isl_ast_node_get_type(node);
  if (type == isl_ast_node_block)
    return one_leads_to_steps(node);
  if (type != isl_ast_node_mark && type != isl_ast_node_if)
    return isl_bool_false;
  if (tsr_mark_is(tsr_ast_mark(node), TSR_MARK_STEPS))
    return isl_bool_true;
  if (type == isl_ast_node_if && isl_ast_node_if_has_else_node(node) != isl_bool_false)
    return isl_bool_false;
  isl_ast_node *child = type == isl_ast_node_mark ? isl_ast_node_mark_get_node(node) : isl_ast_node_if_get_then_node(node);
  isl_bool leads = leads_to_steps(child);
  isl_ast_node_free(child);
  return leads;
}

static isl_bool is_doacross(isl_ast_node *loop, isl_id_list *iterators, int depth)
{
  isl_bool is = is_loop_of_depth(loop, iterators, depth);
  if (is != isl_bool_true)
    return is;
  isl_ast_node *node = isl_ast_node_for_get_body(loop);
  if (tsr_ast_has_steps(node)) {
    is = leads_to_steps(node);
    isl_ast_node_free(node);
    return is;
  }
  while (isl_ast_node_get_type(node) == isl_ast_node_if && isl_ast_node_if_has_else_node(node) == isl_bool_false) {
    isl_ast_node *then = isl_ast_node_if_get_then_node(node);
    isl_ast_node_free(node);
    node = then;
  }
  is = is_loop_of_depth(node, iterators, depth + 1);
  isl_ast_node_free(node);
  return is;
}

/* Is there nothing in NODE, below conditions and in blocks, but loops of depth DEPTH and single instances? Counts the loops.
 */
static isl_bool count_loops(isl_ast_node *node, isl_id_list *iterators, int depth, int *n)
{
  enum isl_ast_node_type type = isl_ast_node_get_type(node);
  if (type == isl_ast_node_user)
    return isl_bool_true;
  if (type == isl_ast_node_for) {
    ++*n;
    return is_loop_of_depth(node, iterators, depth);
  }
  if (type == isl_ast_node_mark)
    return isl_bool_false;
  isl_bool all = isl_bool_true;
  if (type == isl_ast_node_block) {
    isl_ast_node_list *list = isl_ast_node_block_get_children(node);
    isl_size n_child = isl_ast_node_list_n_ast_node(list);
    for (int i = 0; i < n_child && all == isl_bool_true; i++) {
      isl_ast_node *child = isl_ast_node_list_get_at(list, i);
      all = count_loops(child, iterators, depth, n);
      isl_ast_node_free(child);
    }
    isl_ast_node_list_free(list);
    return all;
  }
  for (int arm = 0; arm < 2 && all == isl_bool_true; arm++) {
    if (arm && isl_ast_node_if_has_else_node(node) != isl_bool_true)
      break;
    isl_ast_node *child = arm ? isl_ast_node_if_get_else_node(node) : isl_ast_node_if_get_then_node(node);
    all = count_loops(child, iterators, depth, n);
    isl_ast_node_free(child);
  }
  return all;
}

/* Is there a loop of depth DEPTH in NODE, and nothing else but parts of it that run once? */
static isl_bool is_over_vectors(isl_ast_node *node, isl_id_list *iterators, int depth)
{
  int n = 0;
  isl_bool all = count_loops(node, iterators, depth, &n);
  return all == isl_bool_true ? isl_bool_ok(n > 0) : all;
}

/* Does a mark stand where it belongs, above NODE, whose loop was that of depth DEPTH? Where there is none: anywhere. */
static isl_bool (*const is_above[TSR_N_MARK])(isl_ast_node *node, isl_id_list *iterators,
                                              int depth) = {[TSR_MARK_PARALLEL] = is_loop_of_depth,
                                                            [TSR_MARK_VECTOR] = is_over_vectors,
                                                            [TSR_MARK_STREAM] = is_over_vectors,
                                                            [TSR_MARK_DOACROSS] = is_doacross,
                                                            [TSR_MARK_STEPS] = is_loop_of_depth};

static isl_ast_node *drop_stray_mark(isl_ast_node *node, void *user)
{
  isl_id_list *iterators = user;
  const struct tsr_mark *mark = tsr_ast_mark(node);
  if (!mark || !is_above[mark->kind])
    return node;
  isl_ast_node *child = isl_ast_node_mark_get_node(node);
  if (is_above[mark->kind](child, iterators, mark->depth) == isl_bool_true) {
    isl_ast_node_free(child);
    return node;
  }
  isl_ast_node_free(node);
  return child;
}

/* Is NODE the band below a mark of KIND? */
static bool has_mark(isl_schedule_node *node, enum tsr_mark_kind kind)
{
  isl_schedule_node *parent = isl_schedule_node_parent(isl_schedule_node_copy(node));
  bool is = tsr_node_is_mark(parent, kind);
  isl_schedule_node_free(parent);
  return is;
}

struct times {
  isl_union_map *of;  /* { S -> [t] } */
  isl_union_set *all; /* { [t] } of the first set, NULL so far */
};

/* Has SET the times of those before it? */
static isl_stat compare_times(isl_set *set, void *user)
{
  struct times *times = user;
  isl_union_map *own = isl_union_map_intersect_domain(isl_union_map_copy(times->of), isl_union_set_from_set(set));
  isl_union_set *here = isl_union_map_range(own);
  if (!times->all) {
    times->all = here;
    return isl_stat_ok;
  }
  isl_bool same = isl_union_set_is_equal(times->all, here);
  isl_union_set_free(here);
  return same == isl_bool_true ? isl_stat_ok : isl_stat_error;
}

/* Do all statements of DOMAIN run in the same iterations of the loop BAND? */
static bool run_alike(isl_schedule_node *band, isl_union_set *domain)
{
  isl_schedule_node *below = isl_schedule_node_get_child(band, 0);
  struct times times = {isl_schedule_node_get_prefix_schedule_union_map(below), NULL};
  times.of = isl_union_map_intersect_domain(times.of, isl_union_set_copy(domain));
  bool alike = isl_union_set_foreach_set(domain, compare_times, &times) == isl_stat_ok;
  isl_schedule_node_free(below);
  isl_union_map_free(times.of);
  isl_union_set_free(times.all);
  return alike;
}

static isl_bool is_no_registers(isl_schedule_node *node, void *user)
{
  (void)user;
  return isl_bool_ok(!tsr_node_is_mark(node, TSR_MARK_REGISTERS));
}

/* Loops around register tiles aren't split, nor those that become threads of a kernel. */
static isl_schedule_node *keep_whole(isl_schedule_node *node, void *user)
{
  (void)user;
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band ||
      (!has_mark(node, TSR_MARK_KERNEL) && !has_mark(node, TSR_MARK_THREADS) && !has_mark(node, TSR_MARK_UNROLL) &&
       isl_schedule_node_every_descendant(node, is_no_registers, NULL) != isl_bool_false))
    return node;
  for (int i = 0; i < isl_schedule_node_band_n_member(node); i++)
    node = isl_schedule_node_band_member_set_ast_loop_type(node, i, isl_ast_loop_atomic);
  return node;
}

/* Is NODE the band of a loop for vectors, of a few statements that don't all run in all of its iterations? */
static bool is_guarded_vector(isl_schedule_node *node)
{
  if (isl_schedule_node_band_n_member(node) != 1 || !(has_mark(node, TSR_MARK_VECTOR) || has_mark(node, TSR_MARK_STREAM)))
    return false;
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  isl_size n = isl_union_set_n_set(domain);
  bool guarded = n > 1 && n <= MAX_SEPARATE && !run_alike(node, domain);
  isl_union_set_free(domain);
  return guarded;
}

/* Of such a loop the first and last iterations go in front of it and behind, without conditions in the rest. */
static isl_schedule_node *separate_vectors(isl_schedule_node *node, void *user)
{
  (void)user;
  if (isl_schedule_node_get_type(node) == isl_schedule_node_band && is_guarded_vector(node))
    node = isl_schedule_node_band_member_set_ast_loop_type(node, 0, isl_ast_loop_separate);
  return node;
}

/* Is NODE a loop for threads around a buffer's life, of which not all that it runs is in each iteration? isl would make two
 * loops of that, of which one goes on with what is in the other's buffer. */
static bool may_fall_apart(isl_schedule_node *node)
{
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band || !has_mark(node, TSR_MARK_PARALLEL))
    return false;
  isl_schedule_node *below = isl_schedule_node_get_child(node, 0);
  bool life = tsr_node_is_mark(below, TSR_MARK_ALLOCATE);
  isl_schedule_node_free(below);
  isl_union_set *domain = life ? isl_schedule_node_get_domain(node) : NULL;
  bool may = life && !run_alike(node, domain);
  isl_union_set_free(domain);
  return may;
}

/* What keep_together works on: a name for each loop. */
struct groups {
  int n;
};

/* An iteration of such a loop is one thing for what is around it. */
static isl_schedule_node *keep_together(isl_schedule_node *node, void *user)
{
  struct groups *groups = user;
  char name[32];
  if (!may_fall_apart(node))
    return node;
  snprintf(name, sizeof(name), "tsr_iteration%d", groups->n++);
  isl_id *id = isl_id_alloc(isl_schedule_node_get_ctx(node), name, NULL);
  return isl_schedule_node_parent(isl_schedule_node_group(isl_schedule_node_child(node, 0), id));
}

static isl_bool find_depth(isl_schedule_node *node, void *user)
{
  int *most = user;
  isl_size depth = isl_schedule_node_get_schedule_depth(node);
  if (isl_schedule_node_get_type(node) == isl_schedule_node_band)
    depth += isl_schedule_node_band_n_member(node);
  *most = depth > *most ? depth : *most;
  return isl_bool_ok(depth >= 0);
}

isl_id_list *tsr_ast_iterators(isl_set *context, int n)
{
  isl_ctx *ctx = isl_set_get_ctx(context);
  isl_size n_param = isl_set_dim(context, isl_dim_param);
  int n_letter = 1;
  char name[160];
  for (int i = 0; i < n_param; i++) {
    const char *param = isl_set_get_dim_name(context, isl_dim_param, i);
    int letters = param ? (int)strspn(param, "c") : 0;
    n_letter = letters >= n_letter && letters < 100 && param[letters] <= '9' ? letters + 1 : n_letter;
  }
  isl_id_list *list = isl_id_list_alloc(ctx, n);
  for (int i = 0; i < n; i++) {
    snprintf(name, sizeof(name), "%.*s%d", n_letter,
             "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc", i);
    list = isl_id_list_add(list, isl_id_alloc(ctx, name, NULL));
  }
  return list;
}

/* Those for each depth of TREE. */
static isl_id_list *make_iterators(isl_set *context, isl_schedule *tree)
{
  int n = 0;
  isl_schedule_foreach_schedule_node_top_down(tree, find_depth, &n);
  return tsr_ast_iterators(context, n);
}

/* requires: TREE is legal.  guarantees: runs every instance of its domain in the order of TREE; a parallel mark is directly
 * above the loop that it is about, a vector mark above the parts of it.  on failure: NULL. */
isl_ast_node *tsr_ast_build(struct tsr_scop *scop, isl_schedule *tree)
{
  return tsr_ast_build_with(scop, tree, NULL, NULL);
}

/* What annotates user nodes of a tree with kernels. */
struct in_kernels {
  isl_ast_node *(*at_domain)(isl_ast_node *node, isl_ast_build *build, void *user);
  void *user;
  isl_union_map *times;
};

static isl_ast_node *annotate_in_kernels(isl_ast_node *node, isl_ast_build *build, void *user)
{
  const struct in_kernels *in = user;
  node = in->at_domain ? in->at_domain(node, build, in->user) : node;
  return node ? tsr_ast_add_numbers(node, build, in->times) : NULL;
}

/* The same, with AT_DOMAIN for each user node. */
isl_ast_node *tsr_ast_build_with(struct tsr_scop *scop, isl_schedule *tree,
                                 isl_ast_node *(*at_domain)(isl_ast_node *node, isl_ast_build *build, void *user),
                                 void *user)
{
  isl_set *known = tsr_scop_telling(scop);
  if (isl_set_n_basic_set(known) > MAX_PIECES) {
    isl_set_free(known);
    known = tsr_scop_common(scop);
  }
  struct in_kernels in = {at_domain, user, NULL};
  struct groups groups = {0};
  tree = tsr_tree_adopt_marks(isl_schedule_copy(tree), scop);
  tree = isl_schedule_map_schedule_node_bottom_up(tree, separate_vectors, NULL);
  isl_id_list *iterators = make_iterators(known, tree);
  isl_ast_build *build = isl_ast_build_from_context(known);
  build = isl_ast_build_set_iterators(build, isl_id_list_copy(iterators));
  if ((in.times = tsr_tree_has_kernels(tree) ? tsr_tree_kernel_times(tree) : NULL))
    build = isl_ast_build_set_at_each_domain(build, annotate_in_kernels, &in);
  else if (at_domain)
    build = isl_ast_build_set_at_each_domain(build, at_domain, user);
  tree = isl_schedule_map_schedule_node_bottom_up(tree, number_mark, scop);
  tree = isl_schedule_map_schedule_node_bottom_up(tree, keep_whole, NULL);
  tree = isl_schedule_map_schedule_node_bottom_up(tree, keep_together, &groups);
  isl_ast_node *node = isl_ast_build_node_from_schedule(build, tree);
  node = isl_ast_node_map_descendant_bottom_up(node, drop_stray_mark, iterators);
  isl_ast_build_free(build);
  isl_id_list_free(iterators);
  isl_union_map_free(in.times);
  return node;
}

/* The least (END 0) or greatest (END 1) value of parameter POS in SET, which has one: finite? */
static bool has_end(isl_set *set, int pos, int end, isl_val **value)
{
  isl_aff *param = isl_aff_var_on_domain(isl_local_space_from_space(isl_set_get_space(set)), isl_dim_param, (unsigned)pos);
  *value = end ? isl_set_max_val(set, param) : isl_set_min_val(set, param);
  isl_aff_free(param);
  return isl_val_is_int(*value) == isl_bool_true;
}

/* { [n, m] : 0 <= n < m <= 9 }   ->   { [n, m] : 0 <= n <= 8 and 1 <= m <= 9 }; without the ends that CONTEXT has, too */
static isl_set *ends_of_params(isl_set *cond, isl_set *context)
{
  isl_set *both = isl_set_intersect(isl_set_copy(cond), isl_set_copy(context));
  isl_set *box = isl_set_universe(isl_set_get_space(both));
  isl_bool empty = isl_set_is_empty(both);
  int n = empty == isl_bool_false ? (int)isl_set_dim(both, isl_dim_param) : 0;
  if (empty < 0)
    box = isl_set_free(box);
  context = isl_set_align_params(isl_set_copy(context), isl_set_get_space(both));
  for (int i = 0; i < n; i++)
    for (int end = 0; end < 2; end++) {
      isl_val *value = NULL, *known = NULL;
      bool open = !has_end(context, i, end, &known); /* asked first: CONTEXT is a box as a rule */
      if (open && has_end(both, i, end, &value)) {
        isl_val *bound = isl_val_copy(value);
        box = end ? isl_set_upper_bound_val(box, isl_dim_param, (unsigned)i, bound)
                  : isl_set_lower_bound_val(box, isl_dim_param, (unsigned)i, bound);
      }
      if (open && !value) /* isl gave up: so does the condition */
        box = isl_set_free(box);
      isl_val_free(known);
      isl_val_free(value);
    }
  isl_set_free(context);
  isl_set_free(both);
  return box;
}

/* Ranges are asked for even where they follow from the rest: sums in the rest may wrap outside of them. */
isl_ast_expr *tsr_ast_condition(struct tsr_scop *scop, isl_set *cond)
{
  isl_set *context = isl_set_params(isl_set_copy(scop->context));
  cond = isl_set_params(cond);
  isl_set *box = ends_of_params(cond, context);
  bool any = isl_set_plain_is_universe(box) == isl_bool_false;
  isl_ast_build *build = isl_ast_build_from_context(isl_set_copy(context));
  isl_ast_expr *ranges = any ? isl_ast_build_expr_from_set(build, isl_set_copy(box)) : NULL;
  isl_ast_build_free(build);
  context = isl_set_intersect(context, box);
  cond = isl_set_gist(cond, isl_set_copy(context));
  cond = isl_set_coalesce(isl_set_remove_redundancies(isl_set_coalesce(cond)));
  if (ranges && isl_set_plain_is_universe(cond) == isl_bool_true) {
    isl_set_free(context);
    isl_set_free(cond);
    return ranges;
  }
  build = isl_ast_build_from_context(context);
  isl_ast_expr *expr = isl_ast_build_expr_from_set(build, cond);
  isl_ast_build_free(build);
  return any ? isl_ast_expr_and(ranges, expr) : expr;
}
