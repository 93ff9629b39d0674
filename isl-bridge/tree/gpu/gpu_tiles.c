/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums of a GPU's threads in registers. Where each thread of a kernel adds up one element, its loads are as many as its
 * sums; with R rows and C columns of elements they are (R + C) / (R C) of them.
 *
 *   mark "kernel 2" - B(i, x) - B(k) - leaf
 *   ->
 *   mark "kernel 3" - B(i / R, x / (32 C), x % 32) - mark "allocate A_buffer"
 *     - seq(load_A, seq(W: B(k) - B(i % R, x / 32 % C) - leaf, others: B(i % R, x / 32 % C) - B(k) - leaf), store_A)
 *
 * A thread's columns are 32 apart, so that a warp reads neighbours. W are tiles that are all there: they are generated apart
 * (isl's option "isolate"), and their loops over points unrolled, so that the buffer has constant subscripts there, and LLVM
 * makes registers of it. Of others each element is added up by itself. Thread coarsening: V. Volkov, "Better performance at
 * lower occupancy", GTC 2010. */
#include "tree/cached_arrays.h"
#include "tree/gpu/gpu_sums.h"
#include "tree/tree.h"
#include "support/message.h"
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>

#define WARP 32 /* threads */

/* A kernel of two loops that can be tiled. */
struct tile {
  struct tsr_scop *scop;
  int rows, columns;
  int depth; /* of the loops around */
};

/* ---- the loops ---- */

/* floor(ROW / BY), ROW % BY */
static isl_union_pw_aff *part(isl_union_pw_aff *row, int by, bool rest)
{
  isl_val *value = isl_val_int_from_si(isl_union_pw_aff_get_ctx(row), by);
  row = isl_union_pw_aff_copy(row);
  return rest ? isl_union_pw_aff_mod_val(row, value) : isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(row, value));
}

/* { [o, a, b, l] -> [o, R a + r, 32 C b + 32 c + l] } */
static isl_multi_aff *point_in(struct tile *tile, isl_space *space, int r, int c, int l)
{
  isl_local_space *from = isl_local_space_from_space(isl_space_copy(space));
  isl_space *to = isl_space_add_dims(isl_space_drop_dims(isl_space_copy(space), isl_dim_set, 0, 3), isl_dim_set, 2);
  isl_multi_aff *all = isl_multi_aff_zero(isl_space_map_from_domain_and_range(isl_space_copy(space), to));
  for (int d = 0; d < tile->depth; d++)
    all = isl_multi_aff_set_aff(all, d, isl_aff_var_on_domain(isl_local_space_copy(from), isl_dim_set, (unsigned)d));
  isl_aff *row = isl_aff_var_on_domain(isl_local_space_copy(from), isl_dim_set, (unsigned)tile->depth);
  isl_aff *column = isl_aff_var_on_domain(from, isl_dim_set, (unsigned)tile->depth + 1);
  row = isl_aff_add_constant_si(isl_aff_scale_val(row, isl_val_int_from_si(tile->scop->ctx, tile->rows)), r);
  column = isl_aff_scale_val(column, isl_val_int_from_si(tile->scop->ctx, WARP * tile->columns));
  column = isl_aff_add_constant_si(column, WARP * c + l);
  all = isl_multi_aff_set_aff(all, tile->depth, row);
  return isl_multi_aff_set_aff(all, tile->depth + 1, column);
}

/* { [o, a, b, l] } of the tiles of POINTS { [o, i, x] }, convex, that are all there in each lane of a warp: their corners
 * are.
 */
static isl_set *whole_tiles(struct tile *tile, isl_set *points)
{
  isl_space *space = isl_space_add_dims(isl_set_get_space(points), isl_dim_set, 1);
  isl_set *whole = isl_set_universe(isl_space_copy(space));
  for (int corner = 0; corner < 4; corner++) {
    bool right = corner & 1, low = corner & 2;
    isl_multi_aff *at = point_in(tile, space, low ? tile->rows - 1 : 0, right ? tile->columns - 1 : 0, right ? WARP - 1 : 0);
    whole = isl_set_intersect(whole, isl_set_preimage_multi_aff(isl_set_copy(points), at));
  }
  isl_space_free(space);
  whole = isl_set_lower_bound_si(whole, isl_dim_set, (unsigned)tile->depth + 2, 0);
  return isl_set_upper_bound_si(whole, isl_dim_set, (unsigned)tile->depth + 2, WARP - 1);
}

/* Unroll all loops of the band at NODE. */
static isl_schedule_node *unroll(__isl_take isl_schedule_node *node)
{
  isl_size n = isl_schedule_node_band_n_member(node);
  for (int i = 0; i < n; i++)
    node = isl_schedule_node_band_member_set_ast_loop_type(node, i, isl_ast_loop_unroll);
  return node;
}

/* The band of points at NODE: below all others, and unrolled, for the instances in tiles of WHOLE { [o, a, b, l] }; above
 * them for others. */
static isl_schedule_node *split_points(__isl_take isl_schedule_node *node, isl_set *whole)
{
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  isl_union_map *time = isl_schedule_node_get_prefix_schedule_union_map(node);
  isl_union_set *inside = isl_union_set_apply(isl_union_set_from_set(isl_set_copy(whole)), isl_union_map_reverse(time));
  inside = isl_union_set_coalesce(isl_union_set_intersect(inside, isl_union_set_copy(domain)));
  isl_union_set *others = isl_union_set_coalesce(isl_union_set_subtract(domain, isl_union_set_copy(inside)));
  isl_union_set_list *filters = isl_union_set_list_from_union_set(inside);
  node = isl_schedule_node_insert_sequence(node, isl_union_set_list_add(filters, others));
  node = isl_schedule_node_band_sink(unroll(isl_schedule_node_grandchild(node, 0, 0)));
  return isl_schedule_node_ancestor(node, 2);
}

/* The mark at NODE, its band and what is below, tiled; WHOLE: the tiles that are all there. */
static isl_schedule_node *tile_kernel(struct tile *tile, __isl_take isl_schedule_node *node, isl_set *whole)
{
  node = isl_schedule_node_child(isl_schedule_node_delete(node), 0);
  node = isl_schedule_node_parent(node);
  isl_multi_union_pw_aff *own = isl_schedule_node_band_get_partial_schedule(node);
  isl_union_pw_aff *i = isl_multi_union_pw_aff_get_at(own, 0), *x = isl_multi_union_pw_aff_get_at(own, 1);
  isl_multi_union_pw_aff_free(own);
  isl_union_pw_aff *warp = part(x, WARP, false);
  isl_union_pw_aff *inside[2] = {part(i, tile->rows, true), part(warp, tile->columns, true)};
  isl_union_pw_aff *outside[3] = {part(i, tile->rows, false), part(x, WARP * tile->columns, false), part(x, WARP, true)};
  isl_union_pw_aff_free(i);
  isl_union_pw_aff_free(x);
  isl_union_pw_aff_free(warp);
  node = tsr_gpu_insert_band(isl_schedule_node_delete(node), inside, 2);
  node = tsr_gpu_insert_band(node, outside, 3);
  node = isl_schedule_node_parent(split_points(isl_schedule_node_child(node, 0), whole));
  return tsr_mark_insert(node, tile->scop, &(struct tsr_mark){.kind = TSR_MARK_KERNEL, .kernel = {3}});
}

/* ---- kernels ---- */

/* The kernels of TREE that have two loops and can be tiled are; their arrays in ARRAY, by number of the kernel. */
struct kernels {
  struct tile tile;
  int n, array[16];
  isl_set *whole[16]; /* as whole_tiles */
  int depth[16];      /* of their o */
  int next;           /* whose options are to be set */
};

static isl_schedule_node *tile_node(__isl_take isl_schedule_node *node, void *user)
{
  struct kernels *kernels = user;
  const struct tsr_mark *mark = tsr_node_mark(node);
  if (!tsr_mark_is(mark, TSR_MARK_KERNEL) || mark->kernel.n != 2 || kernels->n == 16)
    return node;
  struct tsr_gpu_sum sum;
  if (tsr_gpu_find_sum(&sum, kernels->tile.scop, node) && sum.next) {
    kernels->tile.depth = sum.depth;
    kernels->whole[kernels->n] = whole_tiles(&kernels->tile, sum.points);
    kernels->depth[kernels->n] = sum.depth;
    node = tile_kernel(&kernels->tile, node, kernels->whole[kernels->n]);
    kernels->array[kernels->n++] = sum.array;
  }
  tsr_gpu_clear_sum(&sum);
  return node;
}

/* ---- their buffers ---- */

/* What find_kernel looks for: the next kernel of three loops without a buffer. */
struct place {
  isl_schedule_node *below; /* what is below its band */
};

static isl_bool find_kernel(isl_schedule_node *node, void *user)
{
  struct place *place = user;
  const struct tsr_mark *mark = tsr_node_mark(node);
  if (!tsr_mark_is(mark, TSR_MARK_KERNEL) || place->below)
    return isl_bool_ok(!place->below && !tsr_mark_is(mark, TSR_MARK_KERNEL));
  isl_schedule_node *below = isl_schedule_node_grandchild(isl_schedule_node_copy(node), 0, 0);
  if (mark->kernel.n == 3 && !tsr_node_is_mark(below, TSR_MARK_ALLOCATE))
    place->below = below;
  else
    isl_schedule_node_free(below);
  return isl_bool_false;
}

/* Does NODE, a mark, stand above a kernel with a buffer? */
static bool is_tiled(isl_schedule_node *node)
{
  const struct tsr_mark *mark = tsr_node_mark(node);
  if (!tsr_mark_is(mark, TSR_MARK_KERNEL) || mark->kernel.n != 3)
    return false;
  isl_schedule_node *below = isl_schedule_node_grandchild(isl_schedule_node_copy(node), 0, 0);
  bool is = tsr_node_is_mark(below, TSR_MARK_ALLOCATE);
  isl_schedule_node_free(below);
  return is;
}

/* Does the band at NODE run moves alone? */
static bool is_of_moves(isl_schedule_node *node, const struct tsr_program *program)
{
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  bool moves = true;
  for (int s = 0; s < program->scop->n_stmt && moves; s++) {
    isl_union_set *own = isl_union_set_from_set(isl_set_copy(program->scop->stmts[s].domain));
    moves = program->scop->stmts[s].kind == TSR_STMT_MOVE || isl_union_set_is_disjoint(own, domain) == isl_bool_true;
    isl_union_set_free(own);
  }
  isl_union_set_free(domain);
  return moves;
}

/* Loops of moves are no loops for vectors here. */
static isl_schedule_node *drop_vectors(__isl_take isl_schedule_node *node, void *user)
{
  (void)user;
  return tsr_node_is_mark(node, TSR_MARK_VECTOR) ? isl_schedule_node_delete(node) : node;
}

/* What settle works on: the kernel that it is below. */
struct settled {
  struct kernels *kernels;
  const struct tsr_program *program;
  int at;
};

/* The loops of moves at NODE are unrolled in tiles that are all there. */
static isl_schedule_node *settle_moves(__isl_take isl_schedule_node *node, void *user)
{
  struct settled *settled = user;
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band || !is_of_moves(node, settled->program))
    return node;
  isl_size n = isl_schedule_node_band_n_member(node);
  isl_union_set *options =
      tsr_gpu_isolation(settled->kernels->whole[settled->at], isl_schedule_node_get_schedule_depth(node), n);
  node = isl_schedule_node_band_set_ast_build_options(node, options);
  for (int i = 0; i < n; i++)
    node = isl_schedule_node_band_member_set_isolate_ast_loop_type(node, i, isl_ast_loop_unroll);
  return node;
}

/* The kernel at NODE, a mark, if it is a tiled one: its whole tiles are apart. */
static isl_schedule_node *settle(__isl_take isl_schedule_node *node, void *user)
{
  struct settled *settled = user;
  struct kernels *kernels = settled->kernels;
  if (kernels->next == kernels->n || !is_tiled(node))
    return node;
  settled->at = kernels->next++;
  node = isl_schedule_node_grandchild(node, 0, 0);
  node = isl_schedule_node_map_descendant_bottom_up(node, drop_vectors, NULL);
  node = isl_schedule_node_map_descendant_bottom_up(node, settle_moves, settled);
  node = isl_schedule_node_parent(node);
  node = isl_schedule_node_band_set_ast_build_options(
      node, tsr_gpu_isolation(kernels->whole[settled->at], kernels->depth[settled->at], 3));
  return isl_schedule_node_parent(node);
}

#define MOST_ELEMENTS 4096 /* of a box around them; those that are used are what R and C say */

/* Has ARRAY, a buffer, few elements, whatever the parameters? */
static bool is_small(const struct tsr_array *array)
{
  double elements = 1;
  for (int d = 0; d < array->n_dim; d++) {
    isl_val *last = isl_set_dim_max_val(isl_set_copy(array->extent), d);
    elements *= isl_val_is_int(last) == isl_bool_true ? isl_val_get_d(last) + 1 : MOST_ELEMENTS + 1;
    isl_val_free(last);
  }
  return elements <= MOST_ELEMENTS;
}

/* PROGRAM, each of its N tiled kernels with a buffer for the elements of ARRAY that are its own. */
static struct tsr_program *add_buffers(__isl_take struct tsr_program *program, struct kernels *kernels, char **why)
{
  for (int i = 0; i < kernels->n && program; i++) {
    struct place place = {NULL};
    isl_schedule_foreach_schedule_node_top_down(program->tree, find_kernel, &place);
    if (!place.below)
      return tsr_program_free(program);
    program = tsr_program_cache(program, place.below, kernels->array[i], TSR_SPACE_STACK, why);
    isl_schedule_node_free(place.below);
    if (program && !is_small(&program->scop->arrays[program->scop->n_array - 1])) {
      tsr_message_set(why, "what a thread adds up is in no box of a few elements");
      program = tsr_program_free(program);
    }
  }
  if (!program)
    return NULL;
  struct settled settled = {.kernels = kernels, .program = program};
  isl_schedule *tree = isl_schedule_map_schedule_node_bottom_up(isl_schedule_copy(program->tree), settle, &settled);
  return tsr_program_set_tree(program, tree);
}

/* PROGRAM, whose kernels of two loops have ROWS and COLUMNS elements in each thread, where they add up elements of their
 * own. NULL: there are none, or isl failed. */
static struct tsr_program *tile_program(__isl_take struct tsr_program *program, int rows, int columns, char **why)
{
  struct kernels kernels = {.tile = {.scop = program->scop, .rows = rows, .columns = columns}};
  isl_schedule *tree = isl_schedule_map_schedule_node_bottom_up(isl_schedule_copy(program->tree), tile_node, &kernels);
  if (tree && kernels.n == 0)
    tsr_message_set(why, "no kernel of two loops adds up elements of its own from what several of its threads read");
  program = tsr_program_set_tree(program, tree);
  if (kernels.n == 0)
    return tsr_program_free(program);
  program = add_buffers(program, &kernels, why);
  for (int i = 0; i < kernels.n; i++)
    isl_set_free(kernels.whole[i]);
  return program;
}

/* Elements of a thread: 16 numbers of 8 bytes, with what is loaded for them, leave room for two blocks of 256 threads at
 * once in the registers of an SM, all GPUs since Kepler having 64 Ki of 4 bytes. */
#define ROWS 4
#define COLUMNS 4

/* requires: PROGRAM has its original's arrays and statements alone, and its bands their flags. */
struct tsr_program *tsr_program_kernels(struct tsr_program *program, struct tsr_deps *deps, const struct tsr_options *opt,
                                        int rows, int columns, int steps, char **why)
{
  isl_schedule *tree = tsr_tree_kernels(isl_schedule_copy(program->tree), program->scop, deps, opt);
  if (!tree) {
    tsr_message_set(why, "no loop has iterations that may run at once");
    return tsr_program_free(program);
  }
  program = tsr_program_set_tree(program, tree);
  bool asked = rows || columns || steps;
  if (!program || (asked && rows * columns == 1))
    return program;
  char *none = NULL;
  struct tsr_program *made = NULL;
  if (steps != 1)
    made = tsr_program_blocks(tsr_program_copy(program), rows, columns, steps, steps > 1 ? why : &none);
  if (!made && steps <= 1 && isl_ctx_last_error(program->scop->ctx) == isl_error_none)
    made = tile_program(tsr_program_copy(program), rows ? rows : ROWS, columns ? columns : COLUMNS, asked ? why : &none);
  free(none);
  if (!made && (asked || isl_ctx_last_error(program->scop->ctx) != isl_error_none))
    return tsr_program_free(program);
  if (made)
    tsr_program_free(program);
  return made ? made : program;
}
