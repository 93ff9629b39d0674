/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks of a GPU's threads: what marks "kernel .. of" and "threads" promise.
 *
 *   mark "kernel 1 of 8x32" - B(block) - .. - mark "threads 2 of 8x32" - B(y, x) - X
 *
 * All that a kernel of blocks runs is in phases of its threads. In a phase the value of (y, x) is the thread that runs an
 * instance; so it is below its block's sizes, and what belongs to a thread is subscripted by it first. Between two phases all
 * threads wait for each other, so that the order of the tree is that of the GPU, but for the threads of one phase, which are
 * checked as iterations that run at once (check_marks.c). What a block has for itself, in SHARED or PRIVATE arrays, lives
 * within its iteration, in all of its threads. */
#include "check/promises.h"
#include <isl/space.h>
#include <stdlib.h>
#include <string.h>

/* Are A and B about blocks of the same sizes? */
static bool have_same_sizes(const struct tsr_kernel *a, const struct tsr_kernel *b)
{
  return a->n_size == b->n_size && !memcmp(a->size, b->size, sizeof(a->size));
}

/* The mark of KIND around NODE; NULL: there is none. */
static const struct tsr_mark *mark_around(isl_schedule_node *node, enum tsr_mark_kind kind)
{
  const struct tsr_mark *mark = NULL;
  node = isl_schedule_node_copy(node);
  while (!mark && isl_schedule_node_has_parent(node) == isl_bool_true) {
    node = isl_schedule_node_parent(node);
    mark = tsr_node_is_mark(node, kind) ? tsr_node_mark(node) : NULL;
  }
  isl_schedule_node_free(node);
  return mark;
}

/* Is NODE no leaf outside of the phases of the kernel USER? */
static isl_bool is_in_phase(isl_schedule_node *node, void *user)
{
  const struct tsr_kernel *kernel = user;
  const struct tsr_mark *mark = tsr_node_mark(node);
  if (isl_schedule_node_get_type(node) == isl_schedule_node_leaf) {
    const struct tsr_mark *phase = mark_around(node, TSR_MARK_THREADS);
    return isl_bool_ok(phase != NULL);
  }
  return isl_bool_ok(!tsr_mark_is(mark, TSR_MARK_THREADS) || have_same_sizes(&mark->kernel, kernel));
}

isl_bool tsr_check_phases(isl_schedule_node *kernel)
{
  struct tsr_kernel sizes = tsr_node_mark(kernel)->kernel;
  return isl_schedule_node_every_descendant(kernel, is_in_phase, &sizes);
}

/* Is T, of { [P, t] }, from 0 to KERNEL's sizes? */
static isl_bool are_numbers(const struct tsr_iterations *it, const struct tsr_kernel *kernel)
{
  isl_union_set *all = isl_union_map_range(isl_union_map_copy(it->time));
  if (isl_union_set_is_empty(all) != isl_bool_false) {
    isl_union_set_free(all);
    return isl_bool_true;
  }
  isl_set *times = isl_set_from_union_set(all), *numbers = isl_set_universe(isl_set_get_space(times));
  for (int i = 0; i < kernel->n_size; i++) {
    numbers = isl_set_lower_bound_si(numbers, isl_dim_set, (unsigned)(it->n_around + i), 0);
    numbers = isl_set_upper_bound_si(numbers, isl_dim_set, (unsigned)(it->n_around + i), kernel->size[i] - 1);
  }
  isl_bool are = isl_set_is_subset(times, numbers);
  isl_set_free(times);
  isl_set_free(numbers);
  return are;
}

/* Are the first subscripts of accesses to PRIVATE ARRAY the numbers of their threads? */
static isl_bool are_own(struct tsr_iterations *it, int array)
{
  int n_dim = it->scop->arrays[array].n_dim;
  isl_union_map *all = tsr_iterations_accesses(it, array, TSR_READS | TSR_WRITES);
  isl_bool none = isl_union_map_is_empty(all);
  if (none != isl_bool_false || n_dim < it->n) {
    isl_union_map_free(all);
    return none;
  }
  all = isl_union_map_apply_domain(all, isl_union_map_copy(it->time));
  isl_map *map = isl_map_from_union_map(all), *same = isl_map_universe(isl_map_get_space(map));
  for (int i = 0; i < it->n; i++)
    same = isl_map_equate(same, isl_dim_in, it->n_around + i, isl_dim_out, i);
  isl_bool are = isl_map_is_subset(map, same);
  isl_map_free(map);
  isl_map_free(same);
  return are;
}

const char *tsr_check_threads(struct tsr_program *program, isl_schedule_node *node)
{
  const struct tsr_kernel *kernel = &tsr_node_mark(node)->kernel;
  const struct tsr_mark *around = mark_around(node, TSR_MARK_KERNEL);
  if (!around || !have_same_sizes(&around->kernel, kernel) || mark_around(node, TSR_MARK_THREADS))
    return "a phase of threads that isn't one of a kernel with blocks of their sizes";
  isl_schedule_node *band = isl_schedule_node_get_child(node, 0);
  struct tsr_iterations it = {0};
  const char *wrong = NULL;
  if (isl_schedule_node_get_type(band) != isl_schedule_node_band ||
      isl_schedule_node_band_n_member(band) != kernel->n_size)
    wrong = "a mark of threads above something else than a band of as many members as their block has sizes";
  else if (tsr_iterations_init(&it, program, band, kernel->n_size) < 0 || are_numbers(&it, kernel) != isl_bool_true)
    wrong = "threads that their block doesn't have";
  for (int i = 0; i < program->scop->n_array && !wrong; i++)
    if (program->scop->arrays[i].space == TSR_SPACE_PRIVATE && are_own(&it, i) != isl_bool_true)
      wrong = "a thread uses what belongs to another one";
  tsr_iterations_clear(&it);
  isl_schedule_node_free(band);
  return wrong;
}

const char *tsr_check_unrolled(struct tsr_program *program, isl_schedule_node *node)
{
  const struct tsr_kernel *kernel = &tsr_node_mark(node)->kernel;
  isl_schedule_node *band = isl_schedule_node_get_child(node, 0);
  struct tsr_iterations it = {0};
  const char *wrong = NULL;
  if (isl_schedule_node_get_type(band) != isl_schedule_node_band ||
      isl_schedule_node_band_n_member(band) != kernel->n_size)
    wrong = "a mark of loops to be written out above something else than a band of as many members as it has sizes";
  else if (tsr_iterations_init(&it, program, band, kernel->n_size) < 0 || are_numbers(&it, kernel) != isl_bool_true)
    wrong = "loops to be written out have more iterations than their mark says";
  tsr_iterations_clear(&it);
  isl_schedule_node_free(band);
  return wrong;
}

/* ---- what belongs to a block ---- */

struct block_arrays {
  struct tsr_scop *scop;
  bool *named, *lives; /* by array */
};

static bool is_of_block(const struct tsr_array *array)
{
  return array->space == TSR_SPACE_SHARED || array->space == TSR_SPACE_PRIVATE;
}

/* Flag the arrays that NODE allocates for blocks. */
static isl_bool flag_life(isl_schedule_node *node, void *user)
{
  struct block_arrays *blocks = user;
  if (!tsr_node_is_mark(node, TSR_MARK_ALLOCATE) || !tsr_mark_arrays(tsr_node_mark(node), blocks->scop, blocks->named))
    return isl_bool_true;
  const struct tsr_mark *kernel = mark_around(node, TSR_MARK_KERNEL);
  bool in_block = kernel && kernel->kernel.n_size > 0 && !mark_around(node, TSR_MARK_THREADS);
  for (int i = 0; i < blocks->scop->n_array; i++)
    if (blocks->named[i])
      blocks->lives[i] = in_block;
  return isl_bool_true;
}

const char *tsr_check_blocks(struct tsr_scop *scop, isl_schedule_node *root)
{
  bool any = false;
  for (int i = 0; i < scop->n_array; i++)
    any |= is_of_block(&scop->arrays[i]);
  if (!any)
    return NULL;
  struct block_arrays blocks = {scop, calloc((size_t)scop->n_array, 1), calloc((size_t)scop->n_array, 1)};
  const char *wrong = blocks.named && blocks.lives ? NULL : "no memory";
  if (!wrong && isl_schedule_node_foreach_descendant_top_down(root, flag_life, &blocks) < 0)
    wrong = "isl failed";
  for (int i = 0; i < scop->n_array && !wrong; i++)
    if (is_of_block(&scop->arrays[i]) && !blocks.lives[i])
      wrong = "an array of a block's that doesn't live in one";
  free(blocks.named);
  free(blocks.lives);
  return wrong;
}
