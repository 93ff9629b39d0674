/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What has a copy a thread: scalars and arrays that the checker accepted as private below the parallel mark. */
#include "emit/threads/threads.h"
#include <isl/id.h>
#include <stdlib.h>
#include <string.h>

/* None yet, for the mark NUMBER. */
static struct tsr_private *add_private(struct tsr_emit *e, int number)
{
  e->private_of = realloc(e->private_of, (e->n_private + 1) * sizeof(*e->private_of));
  struct tsr_private *mark = &e->private_of[e->n_private++];
  *mark = (struct tsr_private){.number = number, .array = calloc(e->m->n_array + 1, sizeof(bool))};
  return mark;
}

/* For MARK, which is IN_TREE above BAND. The checker has proved that copies are right; which scalars have some is found
 * here. Where an array can't be copied, or that isn't found, the mark is as if it weren't there. */
static void find_private(struct tsr_emit *e, struct tsr_private *mark, isl_schedule_node *band,
                         const struct tsr_mark *in_tree)
{
  bool *memory = calloc(e->m->n_array + 1, sizeof(*memory));
  isl_bool found = isl_bool_false;
  if (in_tree->kind == TSR_MARK_DOACROSS)
    found = tsr_band_is_doacross(band, e->m->scop, mark->array);
  else if (memory && tsr_mark_arrays(in_tree, e->m->scop, memory) && tsr_emit_private_find(e, mark, band, memory))
    found = tsr_band_is_parallel_apart(band, e->m->scop, TSR_ANY_ARRAY, memory, mark->array);
  if (found != isl_bool_true)
    mark->number = -1;
  free(memory);
}

/* If NODE is a parallel mark, find what has a copy a thread below it. */
static isl_bool visit_mark(isl_schedule_node *node, void *user)
{
  struct tsr_emit *e = user;
  const struct tsr_mark *mark = tsr_node_mark(node);
  if (!tsr_mark_is_for_threads(mark))
    return isl_bool_true;
  isl_schedule_node *band = isl_schedule_node_get_child(node, 0);
  find_private(e, add_private(e, mark->number), band, mark);
  isl_schedule_node_free(band);
  return isl_bool_true;
}

void tsr_emit_find_private(struct tsr_emit *e, isl_schedule *tree)
{
  isl_schedule_foreach_schedule_node_top_down(tree, visit_mark, e);
  if (e->n_private)
    add_private(e, TSR_MARK_OF_COPIES);
}

void tsr_emit_enter_parallel(struct tsr_emit *e, const struct tsr_mark *above)
{
  struct tsr_private *mark = NULL;
  for (int i = 0; i < e->n_private && !mark; i++)
    mark = e->private_of[i].number == above->number ? &e->private_of[i] : NULL;
  e->private_array = mark ? mark->array : NULL;
  e->parallel = mark != NULL;
  if (!e->in_parallel)
    e->private_loop = mark && mark->n_copy ? mark : NULL;
  e->doacross = e->parallel && above->kind == TSR_MARK_DOACROSS;
}

void tsr_emit_free_private(struct tsr_emit *e)
{
  for (int i = 0; i < e->n_private; i++) {
    free(e->private_of[i].array);
    tsr_emit_private_clear(&e->private_of[i]);
  }
  free(e->private_of);
}
