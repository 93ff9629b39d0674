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
#include "tree/gpu_sums.h"
#include "support/message.h"
#include <isl/id.h>
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 16   /* threads of a block along y, and along x */
#define VECTOR 16 /* bytes that a thread loads at once, at most */
#define MOST_KERNELS 8
#define MOST_SHARED (48 << 10) /* bytes of a block, on any GPU */

static const struct tsr_mark phase_mark = {.kind = TSR_MARK_THREADS, .kernel = {2, 2, {SIDE, SIDE}}};

/* The sizes of a kernel's tiles, and where the whole ones are. */
struct block {
  int rows, columns, steps; /* of a thread; of a sum at a time */
  int vector;               /* columns of a thread that follow each other */
  int depth;                /* of the loops around the kernel */
  int array;                /* whose elements are added up */
  long shared;              /* bytes of a block, so far */
  isl_set *points;          /* { [o, i, x] } */
};

/* What is being made. */
struct blocks {
  struct tsr_scop *scop;
  int rows, columns, steps; /* 0: as it pays */
  int n;
  struct block block[MOST_KERNELS];
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

/* X at NODE  ->  mark "unroll N of .." - B(INSIDE) - X, taking the N rows, with values below SIZE; those that are 0 are left
 * out, but for one. */
static isl_schedule_node *insert_written_out(__isl_take isl_schedule_node *node, struct tsr_scop *scop,
                                             isl_union_pw_aff **inside, const int *size, int n)
{
  struct tsr_mark mark = {.kind = TSR_MARK_UNROLL};
  isl_union_pw_aff *row[TSR_MAX_MAPPED];
  for (int i = 0; i < n; i++) {
    if (size[i] > 1 || (i == n - 1 && mark.kernel.n == 0)) {
      mark.kernel.size[mark.kernel.n] = size[i];
      row[mark.kernel.n++] = inside[i];
    } else {
      isl_union_pw_aff_free(inside[i]);
    }
  }
  mark.kernel.n_size = mark.kernel.n;
  return tsr_mark_insert(tsr_gpu_insert_band(node, row, mark.kernel.n), scop, &mark);
}

/* X at NODE  ->  mark "threads" - B(THREAD) - B(INSIDE) - X, taking the rows; those inside, N, are written out. */
static isl_schedule_node *insert_phase(__isl_take isl_schedule_node *node, struct tsr_scop *scop, isl_union_pw_aff **thread,
                                       isl_union_pw_aff **inside, const int *size, int n)
{
  node = insert_written_out(node, scop, inside, size, n);
  node = tsr_gpu_insert_band(node, thread, 2);
  return tsr_mark_insert(node, scop, &phase_mark);
}

/* ---- the tree ---- */

/* The rows of the kernel's band, i and x. */
struct rows {
  isl_union_pw_aff *i, *x;
};

/* X at NODE as a phase, with a thread's elements innermost: below STEP, which is taken, unless that is NULL. */
static isl_schedule_node *make_phase(__isl_take isl_schedule_node *node, struct blocks *blocks, const struct block *block,
                                     const struct rows *rows, __isl_take isl_union_pw_aff *step)
{
  int wide = block->vector * SIDE;
  isl_union_pw_aff *thread[2] = {part(rows->i, block->rows, SIDE), part(rows->x, block->vector, SIDE)};
  isl_union_pw_aff *inside[3] = {part(rows->i, 1, block->rows), part(rows->x, wide, block->columns / block->vector),
                                 part(rows->x, 1, block->vector)};
  const int size[3] = {block->rows, block->columns / block->vector, block->vector};
  node = insert_written_out(node, blocks->scop, inside, size, 3);
  if (step) {
    node = isl_schedule_node_insert_partial_schedule(node, isl_multi_union_pw_aff_from_union_pw_aff(step));
    node = isl_schedule_node_band_set_permutable(node, 1);
  }
  node = tsr_gpu_insert_band(node, thread, 2);
  return tsr_mark_insert(node, blocks->scop, &phase_mark);
}

/* B(.., k) at NODE, above a leaf  ->  B(..) - B(k / steps) - P: B(k % steps) - leaf */
static isl_schedule_node *block_steps(__isl_take isl_schedule_node *node, struct blocks *blocks, const struct block *block,
                                      const struct rows *rows)
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
static isl_schedule_node *make_phases(__isl_take isl_schedule_node *node, struct blocks *blocks, const struct block *block,
                                      const struct rows *rows)
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
static isl_schedule_node *block_kernel(__isl_take isl_schedule_node *node, struct blocks *blocks, const struct block *block)
{
  node = isl_schedule_node_delete(node);
  isl_multi_union_pw_aff *own = isl_schedule_node_band_get_partial_schedule(node);
  struct rows rows = {isl_multi_union_pw_aff_get_at(own, 0), isl_multi_union_pw_aff_get_at(own, 1)};
  isl_multi_union_pw_aff_free(own);
  node = make_phases(isl_schedule_node_delete(node), blocks, block, &rows);
  isl_union_pw_aff *outside[2] = {part(rows.i, SIDE * block->rows, 0), part(rows.x, SIDE * block->columns, 0)};
  isl_union_pw_aff_free(rows.i);
  isl_union_pw_aff_free(rows.x);
  node = tsr_gpu_insert_band(node, outside, 2);
  return tsr_mark_insert(node, blocks->scop, &(struct tsr_mark){.kind = TSR_MARK_KERNEL, .kernel = phase_mark.kernel});
}

/* Elements of a thread, by their bytes: 64 registers of it, and with what is loaded for them about 128, so that two blocks
 * fit in the registers of an SM. Steps at a time: so that what is shared is a few KiB, and the loads of the next ones have
 * registers to wait in. Of 8 x 8, 8 x 4 and 4 x 4 floats the first is the fastest from n = 1500 on (an H200, n = 2048: 50,
 * 42 and 29 TFLOP/s), others below, as there are more blocks of them. Of doubles, which take a GPU's units twice as long, 4
 * x 4 are nearly as fast (n = 2048: 17 of 18), and much faster below. */
static void choose_sizes(const struct blocks *blocks, struct block *block)
{
  int bytes = blocks->scop->arrays[block->array].elem_size;
  block->rows = blocks->rows ? blocks->rows : bytes <= 4 ? 8 : 4;
  block->columns = blocks->columns ? blocks->columns : bytes <= 4 ? 8 : 4;
  block->steps = blocks->steps ? blocks->steps : 16;
  block->vector = VECTOR / bytes;
  while (block->vector > 1 && block->columns % block->vector)
    block->vector /= 2;
}

static isl_schedule_node *block_node(__isl_take isl_schedule_node *node, void *user)
{
  struct blocks *blocks = user;
  struct tsr_gpu_sum sum;
  if (blocks->n < MOST_KERNELS && tsr_gpu_find_sum(&sum, blocks->scop, node)) {
    struct block *block = &blocks->block[blocks->n];
    *block = (struct block){.depth = sum.depth, .array = sum.array};
    choose_sizes(blocks, block);
    isl_schedule_node *made = block_kernel(isl_schedule_node_copy(node), blocks, block);
    if (made) {
      isl_schedule_node_free(node);
      node = made;
      block->points = isl_set_copy(sum.points);
      blocks->n++;
    }
    tsr_gpu_clear_sum(&sum);
  } else if (blocks->n < MOST_KERNELS) {
    tsr_gpu_clear_sum(&sum);
  }
  return node;
}

/* ---- buffers ---- */

/* How the box of a buffer is spread over threads, and how the buffer is laid out. */
struct layout {
  enum tsr_space space;
  isl_multi_aff *thread; /* { box[b] -> [y, x] } */
  isl_multi_aff *inside; /* { box[b] -> [..] }: what one thread moves, in its order, */
  int size[3];           /* from 0 on, below these */
  isl_multi_aff *place;  /* { box[b] -> [p] } */
  isl_set *extent;       /* { [p] } */
};

static void layout_clear(struct layout *layout)
{
  isl_multi_aff_free(layout->thread);
  isl_multi_aff_free(layout->inside);
  isl_multi_aff_free(layout->place);
  isl_set_free(layout->extent);
}

/* floor(AFF / BY) % OF, without the rest if OF is 0; AFF is taken */
static isl_aff *part_of(__isl_take isl_aff *aff, int by, int of)
{
  isl_ctx *ctx = isl_aff_get_ctx(aff);
  if (by > 1)
    aff = isl_aff_floor(isl_aff_scale_down_val(aff, isl_val_int_from_si(ctx, by)));
  return of ? isl_aff_mod_val(aff, isl_val_int_from_si(ctx, of)) : aff;
}

/* { box[b] -> [row] } for the N of ROW, which are taken. */
static isl_multi_aff *join(isl_aff **row, int n)
{
  isl_multi_aff *all = isl_multi_aff_from_aff(row[0]);
  for (int i = 1; i < n; i++)
    all = isl_multi_aff_flat_range_product(all, isl_multi_aff_from_aff(row[i]));
  return all;
}

/* The elements in dimension D of C's box; 0: nobody knows how many, or too many. */
static int size_of(const struct tsr_cached *c, int d)
{
  isl_val *last = isl_set_dim_max_val(isl_set_copy(c->box), d);
  int size =
      isl_val_is_int(last) == isl_bool_true && isl_val_cmp_si(last, 1 << 16) < 0 ? (int)isl_val_get_num_si(last) + 1 : 0;
  isl_val_free(last);
  return size;
}

/* Coordinate D of a box of N dimensions. */
static isl_aff *coordinate(isl_ctx *ctx, int n, int d)
{
  isl_space *space = isl_space_set_tuple_name(isl_space_set_alloc(ctx, 0, (unsigned)n), isl_dim_set, "box");
  return isl_aff_var_on_domain(isl_local_space_from_space(space), isl_dim_set, (unsigned)d);
}

/* { [p] : 0 <= p < SIZE } */
static isl_set *box_of(isl_ctx *ctx, const int *size, int n)
{
  isl_set *box = isl_set_universe(isl_space_set_alloc(ctx, 0, (unsigned)n));
  for (int d = 0; d < n; d++)
    box = isl_set_upper_bound_si(isl_set_lower_bound_si(box, isl_dim_set, (unsigned)d, 0), isl_dim_set, (unsigned)d,
                                 size[d] - 1);
  return box;
}

/* Add floor(DIMENSION D / BY), which has N values, to what a thread moves, in its order. False: there is no room. */
static bool add_inside(const struct tsr_cached *c, int d, int by, int n, isl_aff **inside, int *size, int *n_inside)
{
  if (n <= 1)
    return true;
  if (*n_inside == TSR_MAX_MAPPED)
    return false;
  size[*n_inside] = n;
  inside[(*n_inside)++] = part_of(coordinate(c->scop->ctx, c->n_dim, d), by, 0);
  return true;
}

/* Shared by the block: neighbours in the array are moved by neighbours in a warp, all of it where rows are long enough, rows
 * by other threads, and what is further away by the same ones. Dimension INNER is the buffer's last one. False: it has no
 * constant size, or too many dimensions. */
static bool lay_out_shared(const struct tsr_cached *c, int inner, struct layout *layout)
{
  isl_ctx *ctx = c->scop->ctx;
  int n = c->n_dim, size[TSR_CACHE_DIM] = {0}, padded[TSR_CACHE_DIM], n_place = 0, n_inside = 0;
  isl_aff *place[TSR_CACHE_DIM], *inside[TSR_MAX_MAPPED];
  long elements = 1;
  for (int d = 0; d < n; d++) {
    size[d] = size_of(c, d);
    elements *= size[d];
    if (elements <= 0 || elements > MOST_SHARED)
      return false;
  }
  bool good = true;
  memset(layout, 0, sizeof(*layout));
  int wide = size[n - 1] > SIDE ? 2 : 1, high = SIDE / wide; /* a warp has two rows of threads */
  for (int d = 0; d < n && good; d++) {
    int by = d < n - 2 ? 1 : d < n - 1 ? high : wide * SIDE;
    good = add_inside(c, d, by, (size[d] + by - 1) / by, inside, layout->size, &n_inside);
  }
  if (good && n_inside == 0) {
    layout->size[0] = 1;
    inside[n_inside++] = part_of(coordinate(ctx, n, n - 1), wide * SIDE, 0);
  }
  if (!good) {
    for (int i = 0; i < n_inside; i++)
      isl_aff_free(inside[i]);
    return false;
  }
  for (int d = 0; d < n; d++)
    if (d != inner) {
      padded[n_place] = size[d];
      place[n_place++] = coordinate(ctx, n, d);
    }
  padded[n_place] = size[inner] + (inner < n - 1 ? VECTOR / c->scop->arrays[c->array].elem_size : 0);
  place[n_place] = coordinate(ctx, n, inner);
  isl_aff *y = part_of(coordinate(ctx, n, n - 1), SIDE, wide);
  if (n > 1) {
    isl_aff *row = part_of(coordinate(ctx, n, n - 2), 1, high);
    y = isl_aff_add(y, isl_aff_scale_val(row, isl_val_int_from_si(ctx, wide)));
  }
  isl_aff *thread[2] = {y, part_of(coordinate(ctx, n, n - 1), 1, SIDE)};
  layout->space = TSR_SPACE_SHARED;
  layout->thread = join(thread, 2);
  layout->inside = join(inside, n_inside);
  layout->place = join(place, n);
  layout->extent = box_of(ctx, padded, n);
  return true;
}

/* Each element a thread's, in its registers. False: the box isn't one of a block's rows and columns. */
static bool lay_out_private(const struct tsr_cached *c, const struct block *block, struct layout *layout)
{
  isl_ctx *ctx = c->scop->ctx;
  int row = -1, column = -1, n = c->n_dim;
  for (int d = 0; d < n; d++) {
    int size = size_of(c, d);
    if (size == SIDE * block->columns && d == n - 1)
      column = d;
    else if (size == SIDE * block->rows && row < 0)
      row = d;
    else if (size != 1)
      return false;
  }
  if (row < 0 || column < 0)
    return false;
  int wide = block->vector * SIDE, size[4] = {SIDE, SIDE, block->rows, block->columns};
  isl_aff *thread[2] = {part_of(coordinate(ctx, n, row), block->rows, SIDE),
                        part_of(coordinate(ctx, n, column), block->vector, SIDE)};
  isl_aff *inside[3] = {part_of(coordinate(ctx, n, row), 1, block->rows), part_of(coordinate(ctx, n, column), wide, 0),
                        part_of(coordinate(ctx, n, column), 1, block->vector)};
  isl_aff *own = isl_aff_scale_val(isl_aff_copy(inside[1]), isl_val_int_from_si(ctx, block->vector));
  isl_aff *place[4] = {isl_aff_copy(thread[0]), isl_aff_copy(thread[1]), isl_aff_copy(inside[0]),
                       isl_aff_add(own, isl_aff_copy(inside[2]))};
  *layout = (struct layout){TSR_SPACE_PRIVATE, join(thread, 2),
                            join(inside, 3),   {block->rows, block->columns / block->vector, block->vector},
                            join(place, 4),    box_of(ctx, size, 4)};
  return true;
}

/* ROW of LAYOUT, { box[b] -> [..] }, as one for statement NAME; entry I of it. */
static isl_union_pw_aff *row_for(isl_multi_aff *row, int i, const char *name)
{
  isl_aff *aff =
      isl_aff_set_tuple_id(isl_multi_aff_get_at(row, i), isl_dim_in, isl_id_alloc(isl_multi_aff_get_ctx(row), name, NULL));
  return isl_union_pw_aff_from_aff(aff);
}

/* A move of the elements of FOOTPRINT { [t] -> A[e] }, INTO the buffer or out of it, its instances being { M[t, b] }, as a
 * phase in *GRAFT. BOX: { [[t] -> A[e]] -> box[b] } */
static void make_move(struct tsr_cached *c, struct tsr_program *program, isl_map *footprint, isl_map *box,
                      const struct layout *layout, const char *buffer, bool into, struct tsr_added_stmt *move,
                      isl_schedule_node **graft)
{
  char lead[64];
  *move =
      (struct tsr_added_stmt){.kind = TSR_STMT_MOVE, .n_access = 2, .access = calloc(2, sizeof(struct tsr_added_access))};
  snprintf(lead, sizeof(lead), "%s_%.40s", into ? "load" : "store", c->scop->arrays[c->array].name);
  tsr_program_new_name(program, lead, move->name, sizeof(move->name));
  isl_map *pairs = isl_map_intersect_domain(isl_map_copy(box), isl_map_wrap(isl_map_copy(footprint)));
  isl_map *memory = isl_map_uncurry(isl_map_range_reverse(isl_map_curry(pairs))); /* { [[t] -> box[b]] -> A[e] } */
  isl_map *extension = isl_set_unwrap(isl_map_domain(isl_map_copy(memory)));
  isl_map *place = isl_map_set_tuple_name(isl_map_from_multi_aff(isl_multi_aff_copy(layout->place)), isl_dim_out, buffer);
  place = isl_map_apply_range(isl_map_range_map(isl_map_copy(extension)), place); /* { [[t] -> box[b]] -> P[p] } */
  isl_map *sides[2] = {into ? memory : place, into ? place : memory};
  for (int k = 0; k < 2; k++) {
    isl_map *flat = isl_map_set_tuple_name(isl_map_flatten_domain(sides[k]), isl_dim_in, move->name);
    move->access[k] = (struct tsr_added_access){k ? TSR_MUST_WRITE : TSR_READ, flat};
  }
  extension = isl_map_set_tuple_name(extension, isl_dim_out, move->name);
  isl_schedule_node *node = isl_schedule_node_from_extension(isl_union_map_from_map(extension));
  isl_union_pw_aff *thread[2] = {row_for(layout->thread, 0, move->name), row_for(layout->thread, 1, move->name)}, *inside[3];
  isl_size n = isl_multi_aff_dim(layout->inside, isl_dim_out);
  for (int i = 0; i < n; i++)
    inside[i] = row_for(layout->inside, i, move->name);
  node = insert_phase(isl_schedule_node_child(node, 0), program->scop, thread, inside, layout->size, n);
  *graft = isl_schedule_node_root(node);
}

/* PROGRAM with a buffer for C's array below NODE. */
static struct tsr_program *add_buffer(struct tsr_cached *c, __isl_take struct tsr_program *program, isl_schedule_node *node,
                                      const struct layout *layout)
{
  char lead[64];
  int buffer = -1;
  const struct tsr_array *array = &c->scop->arrays[c->array];
  snprintf(lead, sizeof(lead), "%.50s_%s", array->name, layout->space == TSR_SPACE_SHARED ? "shared" : "private");
  program = tsr_program_add_array(program, lead, layout->space, array->elem_size, isl_set_copy(layout->extent), &buffer);
  if (!program)
    return NULL;
  const char *name = program->scop->arrays[buffer].name;
  isl_map *box = tsr_cache_to_buffer(c, c->read ? c->read : c->written, "box");
  isl_map *place = isl_map_set_tuple_name(isl_map_from_multi_aff(isl_multi_aff_copy(layout->place)), isl_dim_out, name);
  isl_map *map = isl_map_apply_range(isl_map_copy(box), place);
  struct tsr_added_stmt added[2];
  isl_schedule_node *graft;
  int n = 0;
  program = tsr_cache_redirect(c, program, map);
  node = tsr_cache_allocate(isl_schedule_node_copy(node), program, buffer);
  node = isl_schedule_node_child(node, 0);
  for (int into = 1; into >= 0 && program; into--) {
    isl_map *footprint = into ? c->read : c->written;
    if (!footprint)
      continue;
    make_move(c, program, footprint, box, layout, program->scop->arrays[buffer].name, into, &added[n++], &graft);
    node = into ? isl_schedule_node_graft_before(node, graft) : isl_schedule_node_graft_after(node, graft);
  }
  isl_map_free(map);
  isl_map_free(box);
  isl_schedule *tree = isl_schedule_node_get_schedule(node);
  isl_schedule_node_free(node);
  if (!program) {
    isl_schedule_free(tree);
    return NULL;
  }
  program = tsr_program_extend(program, tree, added, n);
  return program ? tsr_program_set_tree(program, isl_schedule_copy(program->scop->schedule)) : NULL;
}

/* The innermost dimension of a buffer for C's array: that along which a thread's rows or columns follow each other. */
static int inner_dimension(const struct tsr_cached *c, const struct block *block)
{
  for (int d = c->n_dim - 1; d >= 0; d--) {
    int size = size_of(c, d);
    if (size == SIDE * block->columns || size == SIDE * block->rows)
      return d;
  }
  return c->n_dim - 1;
}

/* PROGRAM with a buffer for ARRAY in SPACE at NODE, or as it is, where there can't be one. ONLY: for access number
 * ONLY_ACCESS of statement number ONLY alone; below 0: for all. */
static struct tsr_program *cache(__isl_take struct tsr_program *program, isl_schedule_node *node, int array, int only,
                                 int only_access, enum tsr_space space, const struct block *block, bool *done)
{
  char *why = NULL;
  struct tsr_cached c = {.program = program, .scop = program->scop, .array = array, .why = &why};
  struct layout layout = {0};
  c.only = only < 0 ? NULL : &c.scop->stmts[only];
  c.only_access = only_access;
  c.n_dim = c.scop->arrays[array].n_dim;
  c.domain = isl_schedule_node_get_domain(node);
  c.prefix = isl_schedule_node_get_prefix_schedule_union_map(node);
  bool good = tsr_cache_is_possible(&c);
  if (good) {
    c.read = tsr_cache_footprint(&c, TSR_READS);
    c.written = tsr_cache_footprint(&c, TSR_WRITES);
    good = (space == TSR_SPACE_PRIVATE ? c.written != NULL : c.read && !c.written) && tsr_cache_find_box(&c);
  }
  for (int d = 0; d < c.n_dim && good; d++)
    good = !c.stride[d];
  if (good)
    good = space == TSR_SPACE_PRIVATE ? lay_out_private(&c, block, &layout)
                                      : lay_out_shared(&c, inner_dimension(&c, block), &layout);
  *done = good;
  struct tsr_program *result = good ? add_buffer(&c, tsr_program_copy(program), node, &layout) : tsr_program_copy(program);
  layout_clear(&layout);
  tsr_cache_clear(&c);
  tsr_program_free(program);
  free(why);
  return result;
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
static struct tsr_program *hold_sums(__isl_take struct tsr_program *program, const struct block *block, int i, char **why)
{
  bool done = false;
  isl_schedule_node *node = find_below(program, is_of_blocks, i);
  program = node ? cache(program, node, block->array, -1, 0, TSR_SPACE_PRIVATE, block, &done) : tsr_program_free(program);
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
      cache(tsr_program_copy(program), node, array, stmt, access, TSR_SPACE_SHARED, &blocks->block[kernel], done);
  isl_schedule_node_free(node);
  long bytes = more && *done ? bytes_of(&more->scop->arrays[more->scop->n_array - 1]) : 0;
  if (blocks->block[kernel].shared + bytes > MOST_SHARED) {
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
static isl_set *whole_tiles(const struct block *block)
{
  isl_set *whole = NULL;
  for (int corner = 0; corner < 4; corner++) {
    isl_space *space = isl_set_get_space(block->points);
    isl_multi_aff *at = isl_multi_aff_identity_on_domain_space(isl_space_copy(space));
    int side[2] = {SIDE * block->rows, SIDE * block->columns};
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
static isl_set *whole_steps(isl_schedule_node *node, const struct block *block)
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
  const int size[] = {SIDE, SIDE, block->steps, block->rows, block->columns / block->vector, block->vector};
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
