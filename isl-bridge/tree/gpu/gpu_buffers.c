/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Buffers of a GPU's blocks: how what is in one is spread over the block's threads, how it is laid out, and the phases of
 * moves that fill it and write it back (gpu_blocks.c). Boxes and moves are as in cached_arrays.c, but for instances of
 * moves, which are numbered by places in the box: so a band over them can say which thread has which. */
#include "tree/cached_arrays.h"
#include "tree/gpu/gpu_sums.h"
#include "support/message.h"
#include <isl/id.h>
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

const struct tsr_mark tsr_gpu_phase = {.kind = TSR_MARK_THREADS, .kernel = {2, 2, {TSR_GPU_SIDE, TSR_GPU_SIDE}, false}};

/* ---- phases ---- */

isl_schedule_node *tsr_gpu_insert_written_out(__isl_take isl_schedule_node *node, struct tsr_scop *scop,
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
  node = tsr_gpu_insert_written_out(node, scop, inside, size, n);
  node = tsr_gpu_insert_band(node, thread, 2);
  return tsr_mark_insert(node, scop, &tsr_gpu_phase);
}

/* ---- layouts ---- */

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
    if (elements <= 0 || elements > TSR_GPU_SHARED)
      return false;
  }
  bool good = true;
  memset(layout, 0, sizeof(*layout));
  int wide = size[n - 1] > TSR_GPU_SIDE ? 2 : 1, high = TSR_GPU_SIDE / wide; /* a warp has two rows of threads */
  for (int d = 0; d < n && good; d++) {
    int by = d < n - 2 ? 1 : d < n - 1 ? high : wide * TSR_GPU_SIDE;
    good = add_inside(c, d, by, (size[d] + by - 1) / by, inside, layout->size, &n_inside);
  }
  if (good && n_inside == 0) {
    layout->size[0] = 1;
    inside[n_inside++] = part_of(coordinate(ctx, n, n - 1), wide * TSR_GPU_SIDE, 0);
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
  padded[n_place] = size[inner] + (inner < n - 1 ? TSR_GPU_VECTOR / c->scop->arrays[c->array].elem_size : 0);
  place[n_place] = coordinate(ctx, n, inner);
  isl_aff *y = part_of(coordinate(ctx, n, n - 1), TSR_GPU_SIDE, wide);
  if (n > 1) {
    isl_aff *row = part_of(coordinate(ctx, n, n - 2), 1, high);
    y = isl_aff_add(y, isl_aff_scale_val(row, isl_val_int_from_si(ctx, wide)));
  }
  isl_aff *thread[2] = {y, part_of(coordinate(ctx, n, n - 1), 1, TSR_GPU_SIDE)};
  layout->space = TSR_SPACE_SHARED;
  layout->thread = join(thread, 2);
  layout->inside = join(inside, n_inside);
  layout->place = join(place, n);
  layout->extent = box_of(ctx, padded, n);
  return true;
}

/* Each element a thread's, in its registers. False: the box isn't one of a block's rows and columns. */
static bool lay_out_private(const struct tsr_cached *c, const struct tsr_gpu_block *block, struct layout *layout)
{
  isl_ctx *ctx = c->scop->ctx;
  int row = -1, column = -1, n = c->n_dim;
  for (int d = 0; d < n; d++) {
    int size = size_of(c, d);
    if (size == TSR_GPU_SIDE * block->columns && d == n - 1)
      column = d;
    else if (size == TSR_GPU_SIDE * block->rows && row < 0)
      row = d;
    else if (size != 1)
      return false;
  }
  if (row < 0 || column < 0)
    return false;
  int wide = block->vector * TSR_GPU_SIDE, size[4] = {TSR_GPU_SIDE, TSR_GPU_SIDE, block->rows, block->columns};
  isl_aff *thread[2] = {part_of(coordinate(ctx, n, row), block->rows, TSR_GPU_SIDE),
                        part_of(coordinate(ctx, n, column), block->vector, TSR_GPU_SIDE)};
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
  program = tsr_cache_extend(program, node, added, n);
  return program ? tsr_program_set_tree(program, isl_schedule_copy(program->scop->schedule)) : NULL;
}

/* The innermost dimension of a buffer for C's array: that along which a thread's rows or columns follow each other. */
static int inner_dimension(const struct tsr_cached *c, const struct tsr_gpu_block *block)
{
  for (int d = c->n_dim - 1; d >= 0; d--) {
    int size = size_of(c, d);
    if (size == TSR_GPU_SIDE * block->columns || size == TSR_GPU_SIDE * block->rows)
      return d;
  }
  return c->n_dim - 1;
}

struct tsr_program *tsr_gpu_cache(__isl_take struct tsr_program *program, isl_schedule_node *node, int array, int only,
                                  int only_access, enum tsr_space space, const struct tsr_gpu_block *block, bool *done)
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
