/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks of a GPU's threads: what marks "kernel .. of" and "threads" promise.
 *
 *   mark "kernel 1 of 8x32" - B(block) - .. - mark "threads 2 of 8x32" - B(y, x) - X
 *
 * All that a kernel of blocks runs is in phases of its threads. In a phase the value of (y, x) is the thread that runs an
 * instance; so it is below its block's sizes, and what belongs to a thread is subscripted by it first. Between two phases
 * all threads wait for each other, so that the order of the tree is that of the GPU, but for the threads of one phase, which
 * are checked as iterations that run at once (check_marks.c). What a block has for itself, in SHARED or PRIVATE arrays,
 * lives within its iteration, in all of its threads. */
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
  if (isl_schedule_node_get_type(band) != isl_schedule_node_band || isl_schedule_node_band_n_member(band) != kernel->n_size)
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

/* ---- loops that are written out ---- */

/* The schedule depth of what is below the band of the mark of KIND around NODE. */
static int depth_inside(isl_schedule_node *node, enum tsr_mark_kind kind)
{
  int depth = -1;
  node = isl_schedule_node_copy(node);
  while (depth < 0 && isl_schedule_node_has_parent(node) == isl_bool_true) {
    node = isl_schedule_node_parent(node);
    if (tsr_node_is_mark(node, kind))
      depth = isl_schedule_node_get_schedule_depth(node) + tsr_node_mark(node)->kernel.n;
  }
  isl_schedule_node_free(node);
  return depth;
}

/* Is each iteration of the N members of IT there at all times of a thread, if it is at one, in an iteration of a kernel?
 * THREAD: the depth of what is in a thread. N_THREAD: its numbers. KERNEL: the depth of what is in the kernel. */
static isl_bool are_there_alike(const struct tsr_iterations *it, int kernel, int thread, int n_thread)
{
  isl_union_set *all = isl_union_map_range(isl_union_map_copy(it->time));
  if (isl_union_set_n_set(all) != 1) {
    isl_union_set_free(all);
    return isl_bool_false;
  }
  isl_set *there = isl_set_from_union_set(all), *own = isl_set_copy(there), *times = isl_set_copy(there);
  int n_before = thread - n_thread - kernel, n_behind = it->n_around - thread;
  own = isl_set_project_out(own, isl_dim_set, (unsigned)thread, (unsigned)n_behind);
  own = isl_set_project_out(own, isl_dim_set, (unsigned)kernel, (unsigned)n_before);
  own = isl_set_insert_dims(own, isl_dim_set, (unsigned)kernel, (unsigned)n_before);
  own = isl_set_insert_dims(own, isl_dim_set, (unsigned)thread, (unsigned)n_behind);
  times = isl_set_project_out(times, isl_dim_set, (unsigned)it->n_around, (unsigned)it->n);
  times = isl_set_add_dims(times, isl_dim_set, (unsigned)it->n);
  own = isl_set_reset_tuple_id(own);
  times = isl_set_reset_tuple_id(times);
  there = isl_set_reset_tuple_id(there);
  own = isl_set_intersect(own, times);
  isl_bool alike = isl_set_is_subset(own, there);
  isl_set_free(own);
  isl_set_free(there);
  return alike;
}

/* { [P] -> A[e] } for P, the loops up to those of the kernel around NODE, of what ALL { S -> A[e] } says of its instances.
 */
static isl_union_map *in_kernel(isl_schedule_node *node, __isl_take isl_union_map *all)
{
  isl_schedule_node *at = isl_schedule_node_copy(node);
  while (!tsr_node_is_mark(at, TSR_MARK_KERNEL))
    at = isl_schedule_node_parent(at);
  at = isl_schedule_node_grandchild(at, 0, 0);
  isl_union_map *time = isl_schedule_node_get_prefix_schedule_union_map(at);
  isl_schedule_node_free(at);
  return isl_union_map_apply_domain(all, time);
}

/* Are the elements of ARRAY that anybody touches, in a kernel's iteration, some that the instances of IT below NODE touch,
 * if it runs some of these? */
static isl_bool are_touched(struct tsr_iterations *it, isl_schedule_node *node, int array)
{
  isl_union_map *all = isl_union_map_empty_ctx(it->scop->ctx);
  for (int i = 0; i < it->scop->n_stmt; i++)
    for (int k = 0; k < it->scop->stmts[i].n_access; k++)
      if (it->scop->stmts[i].access[k].array == array) {
        isl_map *map = isl_map_copy(it->scop->stmts[i].access[k].relation);
        map = isl_map_intersect_domain(map, isl_set_copy(it->scop->stmts[i].domain));
        all = isl_union_map_add_map(all, isl_map_intersect_params(map, tsr_scop_common(it->scop)));
      }
  all = in_kernel(node, all);
  isl_union_map *own = in_kernel(node, tsr_iterations_accesses(it, array, TSR_READS | TSR_WRITES));
  all = isl_union_map_intersect_domain(all, isl_union_map_domain(isl_union_map_copy(own)));
  isl_bool are = isl_union_map_is_subset(all, own);
  isl_union_map_free(all);
  isl_union_map_free(own);
  return are;
}

/* Does what is below the band of IT read SHARED and PRIVATE arrays alone, and write PRIVATE ones, *TOUCHED by array? */
static bool keeps_to_block(struct tsr_iterations *it, struct tsr_program *program, bool *touched)
{
  struct tsr_scop *scop = it->scop;
  bool good = true;
  for (int i = 0; i < scop->n_stmt && good; i++) {
    isl_union_set *own = isl_union_set_from_set(isl_set_copy(scop->stmts[i].domain));
    bool below = isl_union_set_is_disjoint(it->domain, own) != isl_bool_true;
    isl_union_set_free(own);
    for (int k = 0; k < scop->stmts[i].n_access && below; k++) {
      const struct tsr_access *access = &scop->stmts[i].access[k];
      const struct tsr_array *array = &scop->arrays[access->array];
      if (array->kind == TSR_ARRAY_SCALAR)
        good &= access->kind == TSR_READ;
      else
        good &= array->space == TSR_SPACE_PRIVATE || (array->space == TSR_SPACE_SHARED && access->kind == TSR_READ);
      touched[access->array] |= array->space == TSR_SPACE_PRIVATE && access->kind != TSR_READ;
    }
    int original = tsr_stmt_original(program, &scop->stmts[i]);
    good &= !below || (original >= 0 && scop->stmts[i].kind == TSR_STMT_COMPUTE &&
                       !program->original->stmts[original].one_thread && !scop->stmts[i].one_thread);
  }
  return good;
}

/* Is what NODE, a mark above the band of IT, says of iterations that aren't there so? */
static const char *check_free(struct tsr_iterations *it, struct tsr_program *program, isl_schedule_node *node)
{
  const struct tsr_mark *phase = mark_around(node, TSR_MARK_THREADS);
  int kernel = depth_inside(node, TSR_MARK_KERNEL), thread = depth_inside(node, TSR_MARK_THREADS);
  if (!phase || kernel < 0)
    return "loops to be written out freely outside of a phase of threads";
  bool *touched = calloc((size_t)it->scop->n_array + 1, sizeof(*touched));
  const char *wrong = touched ? NULL : "no memory";
  if (!wrong && !keeps_to_block(it, program, touched))
    wrong = "loops to be written out freely that do more than to compute what is a thread's own";
  if (!wrong && are_there_alike(it, kernel, thread, phase->kernel.n) != isl_bool_true)
    wrong = "loops to be written out freely of which iterations are missing at times";
  for (int i = 0; i < it->scop->n_array && !wrong; i++)
    if (touched[i] && are_touched(it, node, i) != isl_bool_true)
      wrong = "loops to be written out freely that others add to";
  free(touched);
  return wrong;
}

const char *tsr_check_unrolled(struct tsr_program *program, isl_schedule_node *node)
{
  const struct tsr_kernel *kernel = &tsr_node_mark(node)->kernel;
  isl_schedule_node *band = isl_schedule_node_get_child(node, 0);
  struct tsr_iterations it = {0};
  const char *wrong = NULL;
  if (isl_schedule_node_get_type(band) != isl_schedule_node_band || isl_schedule_node_band_n_member(band) != kernel->n_size)
    wrong = "a mark of loops to be written out above something else than a band of as many members as it has sizes";
  else if (tsr_iterations_init(&it, program, band, kernel->n_size) < 0 || are_numbers(&it, kernel) != isl_bool_true)
    wrong = "loops to be written out have more iterations than their mark says";
  else if (kernel->free)
    wrong = check_free(&it, program, node);
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
