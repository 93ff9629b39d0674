/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks of a GPU's threads that share what they read. Where each thread of a kernel adds up elements of its own, rows and
 * columns of them read the same; so a block loads that once, some steps of the sum at a time, into memory that its threads
 * share, and each thread has R rows and C columns of elements in registers.
 *
 *   mark "kernel 2" - B(i, x) - B(k) - leaf
 *   ->
 *   mark "kernel 2 of 16x16" - B(i / 16 R, x / 16 C) - mark "allocate S_private"
 *     - seq(P: load_S,
 *           B(k / steps) - mark "allocate A_shared, B_shared" - seq(P: load_A, P: load_B, P: B(k % steps) - B(r, c) - leaf),
 *           P: store_S)
 *
 * P is a phase of all threads, mark "threads 2 of 16x16" - B(y, x); the code has them wait between phases that need it. A
 * thread's rows follow each other, so do as many of its columns as are in 16 bytes, which it loads at once; columns of
 * neighbours in a warp are then next to each other, and no two of their loads are from one bank of memory at a time. Where a
 * buffer has the dimensions of its array in another order, so that a thread's rows follow each other, its rows are 16 bytes
 * longer, so that what neighbours store goes to different banks.
 *
 * Tiles that are all there are generated apart from others (isl's option "isolate"), and so are blocks of steps. Shared
 * memory and tiles of registers: V. Volkov and J. Demmel, "Benchmarking GPUs to tune dense linear algebra", SC 2008; moves
 * into shared memory and their boxes: S. Verdoolaege et al., "Polyhedral parallel code generation for CUDA", TACO 2013. */
#include "tree/cached_arrays.h"
#include "tree/gpu/gpu_sums.h"
#include "support/message.h"
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

#define MOST_KERNELS 8

/* What is being made. */
struct blocks {
  struct tsr_scop *scop;
  int rows, columns, steps; /* 0: as it pays */
  int n;
  struct tsr_gpu_block block[MOST_KERNELS];
  int next; /* whose options are to be set */
};

/* ---- rows of bands ---- */

/* floor(ROW / BY) % OF, or without the rest if OF is 0; ROW is kept */
static isl_union_pw_aff *part(isl_union_pw_aff *row, int by, int of)
{
  isl_ctx *ctx = isl_union_pw_aff_get_ctx(row);
  row = isl_union_pw_aff_copy(row);
  if (by > 1)
    row = isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(row, isl_val_int_from_si(ctx, by)));
  return of ? isl_union_pw_aff_mod_val(row, isl_val_int_from_si(ctx, of)) : row;
}

/* ---- the tree ---- */

/* The rows of the kernel's band, i and x. */
struct rows {
  isl_union_pw_aff *i, *x;
};

/* X at NODE as a phase, with a thread's elements innermost: below STEP, which is taken, unless that is NULL. */
static isl_schedule_node *make_phase(__isl_take isl_schedule_node *node, struct blocks *blocks,
                                     const struct tsr_gpu_block *block, const struct rows *rows,
                                     __isl_take isl_union_pw_aff *step)
{
  int wide = block->vector * TSR_GPU_SIDE;
  isl_union_pw_aff *thread[2] = {part(rows->i, block->rows, TSR_GPU_SIDE), part(rows->x, block->vector, TSR_GPU_SIDE)};
  isl_union_pw_aff *inside[3] = {part(rows->i, 1, block->rows), part(rows->x, wide, block->columns / block->vector),
                                 part(rows->x, 1, block->vector)};
  const int size[3] = {block->rows, block->columns / block->vector, block->vector};
  node = tsr_gpu_insert_written_out(node, blocks->scop, inside, size, 3);
  if (step) {
    node = isl_schedule_node_insert_partial_schedule(node, isl_multi_union_pw_aff_from_union_pw_aff(step));
    node = isl_schedule_node_band_set_permutable(node, 1);
  }
  node = tsr_gpu_insert_band(node, thread, 2);
  return tsr_mark_insert(node, blocks->scop, &tsr_gpu_phase);
}

/* B(.., k) at NODE, above a leaf  ->  B(..) - B(k / steps) - P: B(k % steps) - leaf */
static isl_schedule_node *block_steps(__isl_take isl_schedule_node *node, struct blocks *blocks,
                                      const struct tsr_gpu_block *block, const struct rows *rows)
{
  isl_size n = isl_schedule_node_band_n_member(node);
  if (n > 1)
    node = isl_schedule_node_child(isl_schedule_node_band_split(node, n - 1), 0);
  isl_multi_union_pw_aff *own = isl_schedule_node_band_get_partial_schedule(node);
  isl_union_pw_aff *k = isl_multi_union_pw_aff_get_at(own, 0);
  isl_multi_union_pw_aff_free(own);
  node = make_phase(isl_schedule_node_delete(node), blocks, block, rows, part(k, 1, block->steps));
  node = isl_schedule_node_insert_partial_schedule(node, isl_multi_union_pw_aff_from_union_pw_aff(part(k, block->steps, 0)));
  node = isl_schedule_node_band_set_permutable(node, 1);
  isl_union_pw_aff_free(k);
  return n > 1 ? isl_schedule_node_parent(node) : node;
}

/* X at NODE, below the kernel's band, in phases; NULL: it has a form for which there are none. */
static isl_schedule_node *make_phases(__isl_take isl_schedule_node *node, struct blocks *blocks,
                                      const struct tsr_gpu_block *block, const struct rows *rows)
{
  isl_schedule_node *child;
  enum isl_schedule_node_type below;
  switch (isl_schedule_node_get_type(node)) {
  case isl_schedule_node_leaf:
    return make_phase(node, blocks, block, rows, NULL);
  case isl_schedule_node_sequence:
    for (int i = 0; i < isl_schedule_node_n_children(node); i++) {
      node = make_phases(isl_schedule_node_grandchild(node, i, 0), blocks, block, rows);
      node = isl_schedule_node_grandparent(node);
    }
    return node;
  case isl_schedule_node_band:
    child = isl_schedule_node_get_child(node, 0);
    below = isl_schedule_node_get_type(child);
    isl_schedule_node_free(child);
    if (below == isl_schedule_node_leaf)
      return block_steps(node, blocks, block, rows);
    return isl_schedule_node_parent(make_phases(isl_schedule_node_child(node, 0), blocks, block, rows));
  default:
    return isl_schedule_node_free(node);
  }
}

/* The mark at NODE, its band and what is below. NULL: they have another form. */
static isl_schedule_node *block_kernel(__isl_take isl_schedule_node *node, struct blocks *blocks,
                                       const struct tsr_gpu_block *block)
{
  node = isl_schedule_node_delete(node);
  isl_multi_union_pw_aff *own = isl_schedule_node_band_get_partial_schedule(node);
  struct rows rows = {isl_multi_union_pw_aff_get_at(own, 0), isl_multi_union_pw_aff_get_at(own, 1)};
  isl_multi_union_pw_aff_free(own);
  node = make_phases(isl_schedule_node_delete(node), blocks, block, &rows);
  isl_union_pw_aff *outside[2] = {part(rows.i, TSR_GPU_SIDE * block->rows, 0),
                                  part(rows.x, TSR_GPU_SIDE * block->columns, 0)};
  isl_union_pw_aff_free(rows.i);
  isl_union_pw_aff_free(rows.x);
  node = tsr_gpu_insert_band(node, outside, 2);
  return tsr_mark_insert(node, blocks->scop, &(struct tsr_mark){.kind = TSR_MARK_KERNEL, .kernel = tsr_gpu_phase.kernel});
}

/* Elements of a thread, by their bytes: 64 registers of it, and with what is loaded for them about 128, so that two blocks
 * fit in the registers of an SM. Steps at a time: so that what is shared is a few KiB, and the loads of the next ones have
 * registers to wait in. Of 8 x 8, 8 x 4 and 4 x 4 floats the first is the fastest from n = 1500 on (an H200, n = 2048: 50,
 * 42 and 29 TFLOP/s), others below, as there are more blocks of them. Of doubles, which take a GPU's units twice as long, 4
 * x 4 are nearly as fast (n = 2048: 17 of 18), and much faster below. */
static void choose_sizes(const struct blocks *blocks, struct tsr_gpu_block *block)
{
  int bytes = blocks->scop->arrays[block->array].elem_size;
  block->rows = blocks->rows ? blocks->rows : bytes <= 4 ? 8 : 4;
  block->columns = blocks->columns ? blocks->columns : bytes <= 4 ? 8 : 4;
  block->steps = blocks->steps ? blocks->steps : 16;
  block->vector = TSR_GPU_VECTOR / bytes;
  while (block->vector > 1 && block->columns % block->vector)
    block->vector /= 2;
}

static isl_schedule_node *block_node(__isl_take isl_schedule_node *node, void *user)
{
  struct blocks *blocks = user;
  if (blocks->n == MOST_KERNELS)
    return node;
  struct tsr_gpu_sum sum;
  if (tsr_gpu_find_sum(&sum, blocks->scop, node)) {
    struct tsr_gpu_block *block = &blocks->block[blocks->n];
    *block = (struct tsr_gpu_block){.depth = sum.depth, .array = sum.array};
    choose_sizes(blocks, block);
    isl_schedule_node *made = block_kernel(isl_schedule_node_copy(node), blocks, block);
    if (made) {
      isl_schedule_node_free(node);
      node = made;
      block->points = isl_set_copy(sum.points);
      blocks->n++;
    }
  }
  tsr_gpu_clear_sum(&sum);
  return node;
}

/* ---- where buffers go ---- */

/* Is NODE a band directly below a mark of KIND? */
static bool is_band_of(isl_schedule_node *node, enum tsr_mark_kind kind)
{
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
    return false;
  isl_schedule_node *parent = isl_schedule_node_parent(isl_schedule_node_copy(node));
  bool is = tsr_node_is_mark(parent, kind);
  isl_schedule_node_free(parent);
  return is;
}

/* Is what is below NODE, a band, a mark of KIND? */
static bool is_over(isl_schedule_node *node, enum tsr_mark_kind kind)
{
  isl_schedule_node *child = isl_schedule_node_get_child(node, 0);
  bool is = tsr_node_is_mark(child, kind);
  isl_schedule_node_free(child);
  return is;
}

/* Is NODE the band of a kernel of blocks? */
static bool is_of_blocks(isl_schedule_node *node)
{
  bool is = is_band_of(node, TSR_MARK_KERNEL);
  isl_schedule_node *parent = is ? isl_schedule_node_parent(isl_schedule_node_copy(node)) : NULL;
  is = is && tsr_node_mark(parent)->kernel.n_size > 0;
  isl_schedule_node_free(parent);
  return is;
}

/* Is NODE a loop over blocks of steps? */
static bool is_of_steps(isl_schedule_node *node)
{
  return isl_schedule_node_get_type(node) == isl_schedule_node_band && !is_band_of(node, TSR_MARK_KERNEL) &&
         !is_band_of(node, TSR_MARK_THREADS) && (is_over(node, TSR_MARK_ALLOCATE) || is_over(node, TSR_MARK_THREADS));
}

/* What find_place looks for: number N of the bands that IS says. */
struct place {
  bool (*is)(isl_schedule_node *node);
  int n;
  isl_schedule_node *node;
};

static isl_bool find_place(isl_schedule_node *node, void *user)
{
  struct place *place = user;
  if (!place->node && place->is(node) && place->n-- == 0)
    place->node = isl_schedule_node_copy(node);
  return isl_bool_ok(!place->node);
}

/* The node below band number N of PROGRAM's for which IS holds; NULL: there are fewer. */
static isl_schedule_node *find_below(struct tsr_program *program, bool (*is)(isl_schedule_node *node), int n)
{
  struct place place = {is, n, NULL};
  isl_schedule_foreach_schedule_node_top_down(program->tree, find_place, &place);
  return place.node ? isl_schedule_node_child(place.node, 0) : NULL;
}

/* The kernel, by its number, that NODE is in. */
static int kernel_of(struct tsr_program *program, isl_schedule_node *node)
{
  isl_schedule_node *band = isl_schedule_node_copy(node);
  while (band && !is_of_blocks(band))
    band =
        isl_schedule_node_has_parent(band) == isl_bool_true ? isl_schedule_node_parent(band) : isl_schedule_node_free(band);
  int number = -1;
  for (int i = 0; band && number < 0; i++) {
    isl_schedule_node *below = find_below(program, is_of_blocks, i), *own = isl_schedule_node_get_child(band, 0);
    number = !below ? MOST_KERNELS : isl_schedule_node_is_equal(below, own) == isl_bool_true ? i : -1;
    isl_schedule_node_free(below);
    isl_schedule_node_free(own);
  }
  isl_schedule_node_free(band);
  return number;
}

/* PROGRAM, whose kernel number I has its sums in registers. */
static struct tsr_program *hold_sums(__isl_take struct tsr_program *program, const struct tsr_gpu_block *block, int i,
                                     char **why)
{
  bool done = false;
  isl_schedule_node *node = find_below(program, is_of_blocks, i);
  program =
      node ? tsr_gpu_cache(program, node, block->array, -1, 0, TSR_SPACE_PRIVATE, block, &done) : tsr_program_free(program);
  isl_schedule_node_free(node);
  if (program && !done) {
    tsr_message_set(why, "what a block adds up is in no box of its rows and columns");
    program = tsr_program_free(program);
  }
  return program;
}

/* Bytes of ARRAY, a buffer of constant size. */
static long bytes_of(const struct tsr_array *array)
{
  long bytes = array->elem_size;
  for (int d = 0; d < array->n_dim; d++) {
    isl_val *last = isl_set_dim_max_val(isl_set_copy(array->extent), d);
    bytes *= isl_val_get_num_si(last) + 1;
    isl_val_free(last);
  }
  return bytes;
}

/* PROGRAM, where what ACCESS of statement number STMT (below 0: whoever does) reads of ARRAY in the loop over blocks of
 * steps number P is shared; *DONE: or as it was, as that can't be, or there is no room. */
static struct tsr_program *share(__isl_take struct tsr_program *program, int p, int array, int stmt, int access,
                                 struct blocks *blocks, bool *done)
{
  isl_schedule_node *node = find_below(program, is_of_steps, p);
  int kernel = kernel_of(program, node);
  *done = false;
  if (kernel < 0 || kernel >= blocks->n) {
    isl_schedule_node_free(node);
    return program;
  }
  struct tsr_program *more =
      tsr_gpu_cache(tsr_program_copy(program), node, array, stmt, access, TSR_SPACE_SHARED, &blocks->block[kernel], done);
  isl_schedule_node_free(node);
  long bytes = more && *done ? bytes_of(&more->scop->arrays[more->scop->n_array - 1]) : 0;
  if (blocks->block[kernel].shared + bytes > TSR_GPU_SHARED) {
    *done = false;
    tsr_program_free(more);
    return program;
  }
  blocks->block[kernel].shared += bytes;
  tsr_program_free(program);
  return more;
}

/* PROGRAM, where blocks share what they read in loops over blocks of steps: of an array as a whole or, if it is read in
 * several places far from each other, of each. */
static struct tsr_program *share_reads(__isl_take struct tsr_program *program, struct blocks *blocks)
{
  isl_schedule_node *node;
  bool done;
  for (int p = 0; program && (node = find_below(program, is_of_steps, p)); p++) {
    isl_schedule_node_free(node);
    for (int a = 0; a < blocks->scop->n_array && program; a++) {
      program = share(program, p, a, -1, 0, blocks, &done);
      for (int s = 0; program && !done && s < program->scop->n_stmt; s++) /* moves are added behind them */
        for (int k = 0; program && k < program->scop->stmts[s].n_access; k++)
          if (program->scop->stmts[s].kind == TSR_STMT_COMPUTE && program->scop->stmts[s].access[k].array == a &&
              program->scop->stmts[s].access[k].kind == TSR_READ) {
            bool one;
            program = share(program, p, a, s, k, blocks, &one);
          }
    }
  }
  return program;
}

/* ---- options ---- */

/* { [o, a, b] } of the tiles of BLOCK that are all there: their corners are. */
static isl_set *whole_tiles(const struct tsr_gpu_block *block)
{
  isl_set *whole = NULL;
  for (int corner = 0; corner < 4; corner++) {
    isl_space *space = isl_set_get_space(block->points);
    isl_multi_aff *at = isl_multi_aff_identity_on_domain_space(isl_space_copy(space));
    int side[2] = {TSR_GPU_SIDE * block->rows, TSR_GPU_SIDE * block->columns};
    for (int m = 0; m < 2; m++) {
      isl_aff *aff = isl_multi_aff_get_at(at, block->depth + m);
      aff = isl_aff_scale_val(aff, isl_val_int_from_si(isl_space_get_ctx(space), side[m]));
      aff = isl_aff_add_constant_si(aff, corner >> m & 1 ? side[m] - 1 : 0);
      at = isl_multi_aff_set_at(at, block->depth + m, aff);
    }
    isl_space_free(space);
    isl_set *there = isl_set_preimage_multi_aff(isl_set_copy(block->points), at);
    whole = whole ? isl_set_intersect(whole, there) : there;
  }
  return whole;
}

/* { [o, a, b, .., k] } of the blocks of steps at NODE, the loop over them, that are all there, as are their tiles. NULL:
 * there are none, or they aren't known. */
static isl_set *whole_steps(isl_schedule_node *node, const struct tsr_gpu_block *block)
{
  isl_size depth = isl_schedule_node_get_schedule_depth(node) + 1;
  isl_schedule_node *leaf = isl_schedule_node_copy(node);
  while (isl_schedule_node_has_children(leaf) == isl_bool_true)
    leaf = isl_schedule_node_child(leaf, isl_schedule_node_n_children(leaf) - 1);
  isl_union_map *time = isl_schedule_node_get_prefix_schedule_union_map(leaf);
  isl_union_set *all = isl_union_set_apply(isl_schedule_node_get_domain(leaf), time);
  isl_schedule_node_free(leaf);
  isl_set *times = isl_union_set_n_set(all) == 1 ? isl_set_from_union_set(all) : NULL;
  if (!times) {
    isl_union_set_free(all);
    return NULL;
  }
  const int size[] = {TSR_GPU_SIDE, TSR_GPU_SIDE, block->steps, block->rows, block->columns / block->vector, block->vector};
  static const int side_of_all[] = {0, 1, 2, 0, 1, 1}; /* y, x, step, row, and two of columns */
  int last[6], side_of[6], n = 0;
  for (int i = 0; i < 6; i++)
    if (i < 3 || size[i] > 1 || (i == 5 && block->rows == 1 && block->columns == 1)) {
      last[n] = size[i] - 1;
      side_of[n++] = side_of_all[i];
    }
  if (isl_set_dim(times, isl_dim_set) != depth + n)
    return isl_set_free(times);
  isl_set *whole = NULL;
  for (int corner = 0; corner < 8; corner++) {
    isl_set *there = isl_set_copy(times);
    for (int i = 0; i < n; i++)
      there = isl_set_fix_si(there, isl_dim_set, (unsigned)(depth + i), corner >> side_of[i] & 1 ? last[i] : 0);
    there = isl_set_project_out(there, isl_dim_set, (unsigned)depth, (unsigned)n);
    whole = whole ? isl_set_intersect(whole, there) : there;
  }
  isl_set_free(times);
  return isl_set_reset_tuple_id(isl_set_coalesce(whole));
}

/* X at NODE, of a kernel's iteration  ->  B(0) - X: WHOLE tiles are apart, as are their blocks of steps: so there are two of
 * all phases, and not one more for each of a tile's edges. */
static isl_schedule_node *set_apart(__isl_take isl_schedule_node *node, isl_set *whole)
{
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  isl_space *space = isl_space_set_from_params(isl_space_params_alloc(isl_schedule_node_get_ctx(node), 0));
  isl_multi_val *zero = isl_multi_val_zero(isl_space_add_dims(space, isl_dim_set, 1));
  node = isl_schedule_node_insert_partial_schedule(node, isl_multi_union_pw_aff_multi_val_on_domain(domain, zero));
  int depth = isl_schedule_node_get_schedule_depth(node);
  return isl_schedule_node_band_set_ast_build_options(node, tsr_gpu_isolation(whole, depth, 1));
}

/* Whole tiles of the kernel at NODE, its band, are apart. */
static isl_schedule_node *settle_tiles(__isl_take isl_schedule_node *node, void *user)
{
  struct blocks *blocks = user;
  if (blocks->next == blocks->n || !is_of_blocks(node))
    return node;
  isl_set *whole = whole_tiles(&blocks->block[blocks->next++]);
  node = isl_schedule_node_parent(set_apart(isl_schedule_node_child(node, 0), whole));
  isl_set_free(whole);
  return node;
}

/* So are whole blocks of steps in them, if NODE is a loop over such. */
static isl_schedule_node *settle_steps(__isl_take isl_schedule_node *node, void *user)
{
  struct blocks *blocks = user;
  if (blocks->next < blocks->n && is_of_blocks(node))
    blocks->next++;
  isl_set *whole = blocks->next < blocks->n && is_of_steps(node) ? whole_steps(node, &blocks->block[blocks->next]) : NULL;
  if (!whole)
    return node;
  isl_size depth = isl_schedule_node_get_schedule_depth(node), n = isl_schedule_node_band_n_member(node);
  node = isl_schedule_node_band_set_ast_build_options(node, tsr_gpu_isolation(whole, depth, n));
  isl_set_free(whole);
  return node;
}

/* ---- iterations that aren't there ----
 *
 * In tiles at edges, a thread's loops over its elements would have a condition for each of them. They need none where what
 * is missing is missing in all steps, and all that is read is shared: then what is computed for it is nobody's. */

/* Does what is below NODE access SHARED and PRIVATE arrays alone? */
static bool reads_shared(isl_schedule_node *node, const struct tsr_scop *scop)
{
  bool good = true;
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  for (int i = 0; i < scop->n_stmt && good; i++) {
    isl_union_set *own = isl_union_set_from_set(isl_set_copy(scop->stmts[i].domain));
    bool below = isl_union_set_is_disjoint(domain, own) == isl_bool_false;
    isl_union_set_free(own);
    good = !below || scop->stmts[i].kind == TSR_STMT_COMPUTE;
    for (int k = 0; k < scop->stmts[i].n_access && below && good; k++) {
      const struct tsr_array *array = &scop->arrays[scop->stmts[i].access[k].array];
      good = array->kind == TSR_ARRAY_SCALAR || array->space == TSR_SPACE_SHARED || array->space == TSR_SPACE_PRIVATE;
    }
  }
  isl_union_set_free(domain);
  return good;
}

/* Are the elements of a thread below NODE, a mark of loops to be written out, the same in all steps? FIRST: the depth of
 * what is in the kernel; the thread's loops are right in front of those of THREAD. */
static bool are_steady(isl_schedule_node *node, int first, int thread)
{
  int depth = isl_schedule_node_get_schedule_depth(node), n = tsr_node_mark(node)->kernel.n;
  isl_schedule_node *below = isl_schedule_node_grandchild(isl_schedule_node_copy(node), 0, 0);
  isl_union_map *time = isl_schedule_node_get_prefix_schedule_union_map(below);
  isl_union_set *all = isl_union_set_apply(isl_schedule_node_get_domain(below), time);
  isl_schedule_node_free(below);
  if (isl_union_set_n_set(all) != 1) {
    isl_union_set_free(all);
    return false;
  }
  isl_set *there = isl_set_reset_tuple_id(isl_set_from_union_set(all)), *own = isl_set_copy(there);
  int steps[2][2] = {{first, thread - 2 - first}, {thread, depth - thread}};
  for (int i = 1; i >= 0; i--) {
    own = isl_set_project_out(own, isl_dim_set, (unsigned)steps[i][0], (unsigned)steps[i][1]);
    own = isl_set_insert_dims(own, isl_dim_set, (unsigned)steps[i][0], (unsigned)steps[i][1]);
  }
  isl_set *times = isl_set_project_out(isl_set_copy(there), isl_dim_set, (unsigned)depth, (unsigned)n);
  times = isl_set_add_dims(times, isl_dim_set, (unsigned)n);
  own = isl_set_intersect(own, times);
  bool steady = isl_set_is_subset(own, there) == isl_bool_true;
  isl_set_free(own);
  isl_set_free(there);
  return steady;
}

/* Mark what is so at NODE. */
static isl_schedule_node *set_free(__isl_take isl_schedule_node *node, void *user)
{
  struct tsr_scop *scop = user;
  if (!tsr_node_is_mark(node, TSR_MARK_UNROLL) || !reads_shared(node, scop))
    return node;
  int first = -1, thread = -1;
  isl_schedule_node *at = isl_schedule_node_copy(node);
  while (first < 0 && isl_schedule_node_has_parent(at) == isl_bool_true) {
    at = isl_schedule_node_parent(at);
    int inside = isl_schedule_node_get_schedule_depth(at) + 2;
    if (tsr_node_is_mark(at, TSR_MARK_THREADS))
      thread = inside;
    if (tsr_node_is_mark(at, TSR_MARK_KERNEL))
      first = inside;
  }
  isl_schedule_node_free(at);
  if (first < 0 || thread < 0 || !are_steady(node, first, thread))
    return node;
  struct tsr_mark mark = *tsr_node_mark(node);
  mark.kernel.free = true;
  return tsr_mark_insert(isl_schedule_node_delete(node), scop, &mark);
}

/* Is NODE no mark of loops of a loop over steps that aren't written out freely? */
static isl_bool is_steady(isl_schedule_node *node, void *user)
{
  (void)user;
  if (!tsr_node_is_mark(node, TSR_MARK_UNROLL) || tsr_node_mark(node)->kernel.free)
    return isl_bool_true;
  isl_schedule_node *parent = isl_schedule_node_parent(isl_schedule_node_copy(node));
  bool moves = is_band_of(parent, TSR_MARK_THREADS); /* directly below threads: there are no steps */
  isl_schedule_node_free(parent);
  return isl_bool_ok(moves);
}

struct tsr_program *tsr_program_blocks(struct tsr_program *program, int rows, int columns, int steps, char **why)
{
  struct blocks blocks = {.scop = program->scop, .rows = rows, .columns = columns, .steps = steps};
  isl_schedule *tree = isl_schedule_map_schedule_node_bottom_up(isl_schedule_copy(program->tree), block_node, &blocks);
  if (tree && blocks.n == 0)
    tsr_message_set(why, "no kernel of two loops adds up elements of its own from what several of its threads read");
  program = tsr_program_set_tree(program, tree);
  for (int i = 0; i < blocks.n && program; i++)
    program = hold_sums(program, &blocks.block[i], i, why);
  program = program && blocks.n > 0 ? share_reads(program, &blocks) : tsr_program_free(program);
  if (program) {
    tree = isl_schedule_map_schedule_node_bottom_up(isl_schedule_copy(program->tree), set_free, program->scop);
    isl_schedule_node *root = isl_schedule_get_root(tree);
    bool steady = isl_schedule_node_every_descendant(root, is_steady, NULL) == isl_bool_true;
    isl_schedule_node_free(root);
    if (!steady && steps == 0) { /* conditions take longer than what is shared saves */
      tsr_message_set(why, "which elements a step adds to isn't the same in all steps, or it reads what isn't shared");
      tree = isl_schedule_free(tree);
    }
    tree = tree ? isl_schedule_map_schedule_node_bottom_up(tree, settle_tiles, &blocks) : NULL;
    blocks.next = 0;
    tree = tree ? isl_schedule_map_schedule_node_bottom_up(tree, settle_steps, &blocks) : NULL;
    program = tsr_program_set_tree(program, tree);
  }
  for (int i = 0; i < blocks.n; i++)
    isl_set_free(blocks.block[i].points);
  return program;
}
