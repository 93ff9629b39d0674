/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops of blocks for threads, around what is good on one core. B: a band of the schedule, X: what became of it in the tree.
 *
 * A member m of a permutable B, or its first one, is coincident, but where that went in X threads have too little to share:
 *
 *   X   ->   T(m / b) - X
 *
 * A permutable B of which every member carries dependences, as blocks of two sums of members, p and q:
 *
 *   X   ->   mark "doacross" - D(p / a, q / b) - X
 *
 * No member of B decreases along a dependence, so neither p nor q nor their blocks do: what (p, q) depends on is in blocks
 * that the mark waits for, or in its own, where X keeps its order. Which loops may have a mark is computed anew from the
 * accesses (parallel_loops.c). Unlike those of a wavefront, blocks that can run at once need neither the same amount of work
 * nor be many, and bounds stay simple: no sum of two quotients is in them.
 *
 * p and q: with register tiles, the members of rows and vectors, so that a block of the result stays with a thread for the
 * whole reduction; else, time steps and the dimension of strips (time_strips.c). Loops of blocks are whole in the AST. */
#include "tree/tree.h"
#include "tree/registers/registers.h"
#include <isl/space.h>
#include <isl/val.h>

/* Iterations of a coincident member; columns of register tiles; rows of a stencil. */
#define BLOCK 128
#define COLUMNS 192
#define ROWS 32

/* Insert a loop of blocks above NODE. */
static isl_schedule_node *insert_loop(isl_schedule_node *node, isl_union_pw_aff *block, bool coincident)
{
  node = isl_schedule_node_insert_partial_schedule(node, isl_multi_union_pw_aff_from_union_pw_aff(block));
  node = isl_schedule_node_band_member_set_coincident(node, 0, coincident);
  return isl_schedule_node_band_member_set_ast_loop_type(node, 0, isl_ast_loop_atomic);
}

/* Two directions of blocks. */
struct pair {
  isl_union_pw_aff *p, *q;
  int a, b;
};

/* SIZE, in whole tiles of N. */
static int whole(int size, int n)
{
  return (size + n - 1) / n * n;
}

/* The directions of the register tiles that the band at NODE can have, from where these begin. */
static bool find_tiles(isl_schedule_node *given, struct tsr_scop *scop, struct tsr_deps *deps, struct pair *pair)
{
  isl_schedule_node *node = isl_schedule_node_copy(given);
  isl_size depth = isl_schedule_node_get_schedule_depth(node), n = isl_schedule_node_band_n_member(node);
  struct tsr_register_band band = {.node = node, .scop = scop, .deps = deps, .depth = depth, .n = n};
  band.wish.most_row_block = TSR_ROWS_OF_THREADS;
  bool found = n <= MAX_MEMBERS - 2 && tsr_node_has_band_below(node) == isl_bool_false;
  if (found)
    node = tsr_register_band_place(node, &band, &found);
  found = found && band.roles.row >= 0;
  if (found) {
    isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
    pair->p = isl_multi_union_pw_aff_get_at(partial, band.roles.row);
    pair->q = isl_multi_union_pw_aff_get_at(partial, band.roles.vector);
    if (band.roles.skewed)
      pair->q = isl_union_pw_aff_add(pair->q, isl_union_pw_aff_copy(pair->p));
    pair->a = band.row_block;
    pair->b = whole(COLUMNS, band.tile.vectors * band.tile.lanes);
    isl_multi_union_pw_aff_free(partial);
  }
  tsr_register_band_clear(&band);
  isl_schedule_node_free(node);
  return found;
}

/* Those of time steps. */
static void find_steps(isl_schedule_node *node, struct tsr_scop *scop, struct pair *pair)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_size n = isl_multi_union_pw_aff_size(partial);
  tsr_strips_sizes(scop, n, &pair->a, &pair->b);
  pair->b = n > 3 ? pair->b : ROWS;
  pair->p = isl_multi_union_pw_aff_get_at(partial, 0);
  pair->q = isl_multi_union_pw_aff_get_at(partial, n > 3 ? 2 : 1);
  isl_multi_union_pw_aff_free(partial);
}

struct search {
  struct tsr_scop *scop;
  struct tsr_deps *deps;
  int n_doacross;
  bool found;
};

/* Put the loop of blocks of a coincident member of BAND, unless it is an innermost loop, above NODE. *DONE: is there one? */
static isl_schedule_node *share_member(isl_schedule_node *node, isl_schedule_node *band, struct search *search, bool *done)
{
  isl_size n = isl_schedule_node_band_n_member(band);
  bool any = isl_schedule_node_band_get_permutable(band) == isl_bool_true;
  for (int i = 0; i < n && !*done && (i == 0 || any); i++) {
    *done = isl_schedule_node_band_member_get_coincident(band, i) == isl_bool_true;
    if (*done && (n > 1 || tsr_node_has_band_below(band) == isl_bool_true)) {
      isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(band);
      node = insert_loop(node, tsr_block_of(isl_multi_union_pw_aff_get_at(partial, i), BLOCK), true);
      isl_multi_union_pw_aff_free(partial);
      search->found = true;
    }
  }
  return node;
}

/* Put a doacross loop of blocks of BAND above NODE, if one may be there. */
static isl_schedule_node *share_blocks(isl_schedule_node *node, isl_schedule_node *band, struct search *search)
{
  struct pair pair;
  if (tsr_node_is_of_one_thread(node, search->scop) != isl_bool_false)
    return node;
  if (!find_tiles(band, search->scop, search->deps, &pair))
    find_steps(band, search->scop, &pair);
  isl_union_pw_aff *p = tsr_block_of(pair.p, pair.a), *q = tsr_block_of(pair.q, pair.b);
  isl_space *space = isl_space_set_from_params(isl_space_params(isl_union_pw_aff_get_space(p)));
  space = isl_space_add_dims(space, isl_dim_set, 2);
  isl_union_pw_aff_list *list = isl_union_pw_aff_list_from_union_pw_aff(p);
  list = isl_union_pw_aff_list_add(list, q);
  isl_multi_union_pw_aff *both = isl_multi_union_pw_aff_from_union_pw_aff_list(space, list);
  isl_schedule_node *blocks = isl_schedule_node_insert_partial_schedule(isl_schedule_node_copy(node), both);
  for (int i = 0; i < 2; i++)
    blocks = isl_schedule_node_band_member_set_ast_loop_type(blocks, i, isl_ast_loop_atomic);
  if (tsr_band_is_doacross(blocks, search->scop, NULL) != isl_bool_true) {
    isl_schedule_node_free(blocks);
    return node;
  }
  isl_schedule_node_free(node);
  search->found = true;
  struct tsr_mark mark = {.kind = TSR_MARK_DOACROSS, .number = TSR_MARK_OF_DOACROSS + search->n_doacross++};
  return tsr_mark_insert(blocks, search->scop, &mark);
}

/* Are both nodes the same, but for what is below them? */
static bool is_same(isl_schedule_node *a, isl_schedule_node *b)
{
  enum isl_schedule_node_type type = isl_schedule_node_get_type(a);
  if (type != isl_schedule_node_get_type(b) || isl_schedule_node_n_children(a) != isl_schedule_node_n_children(b))
    return false;
  if (type != isl_schedule_node_band)
    return true;
  isl_multi_union_pw_aff *of_a = isl_schedule_node_band_get_partial_schedule(a);
  isl_multi_union_pw_aff *of_b = isl_schedule_node_band_get_partial_schedule(b);
  bool same = isl_multi_union_pw_aff_plain_is_equal(of_a, of_b) == isl_bool_true;
  isl_multi_union_pw_aff_free(of_a);
  isl_multi_union_pw_aff_free(of_b);
  return same;
}

/* Top down, NODE in the tree and FROM in the schedule: outermost bands that can be shared. */
static isl_schedule_node *visit(isl_schedule_node *node, isl_schedule_node *from, struct search *search)
{
  bool done = false;
  if (isl_schedule_node_get_type(from) == isl_schedule_node_band) {
    bool permutable = isl_schedule_node_band_get_permutable(from) == isl_bool_true;
    done = tsr_node_is_shared(node, search->scop) != isl_bool_false;
    if (!done)
      node = share_member(node, from, search, &done);
    if (!done && isl_schedule_node_band_n_member(from) > 2 && permutable) {
      node = share_blocks(node, from, search);
      done = true;
    }
  }
  isl_size n = done || !is_same(node, from) ? 0 : isl_schedule_node_n_children(from);
  for (int i = 0; i < n; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(from, i);
    node = isl_schedule_node_parent(visit(isl_schedule_node_child(node, i), child, search));
    isl_schedule_node_free(child);
  }
  return node;
}

/* requires: flags of SCHEDULE's bands are right, by DEPS.  guarantees: legal if TREE is.  on failure: NULL. */
isl_schedule *tsr_tree_share(isl_schedule *tree, isl_schedule *schedule, struct tsr_scop *scop, struct tsr_deps *deps)
{
  struct search search = {scop, deps, 0, false};
  isl_schedule_node *from = isl_schedule_get_root(schedule);
  isl_schedule_node *root = visit(isl_schedule_get_root(tree), from, &search);
  isl_schedule_node_free(from);
  isl_schedule_free(tree);
  tree = search.found ? isl_schedule_node_get_schedule(root) : NULL;
  isl_schedule_node_free(root);
  return tree;
}
