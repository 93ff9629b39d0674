/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What has a copy a thread: scalars that the checker accepted as private below a mark for threads. */
#include "emit/threads/threads.h"
#include <isl/id.h>
#include <stdlib.h>
#include <string.h>

/* None yet, for the mark NUMBER. N arrays in all. */
static struct tsr_private *add_private(struct tsr_emit *e, int number, int n)
{
  e->private_of = realloc(e->private_of, (e->n_private + 1) * sizeof(*e->private_of));
  struct tsr_private *mark = &e->private_of[e->n_private++];
  *mark = (struct tsr_private){.number = number, .array = calloc((size_t)n + 1, sizeof(bool))};
  return mark;
}

/* For MARK, of KIND above BAND, a node of SCOP's tree. The checker has proved that copies are right; which scalars have some
 * is found here. Where that isn't found, the mark is as if it weren't there. */
static void find_private(struct tsr_scop *scop, struct tsr_private *mark, isl_schedule_node *band, enum tsr_mark_kind kind)
{
  bool *apart = calloc((size_t)scop->n_array + 1, sizeof(*apart));
  isl_bool found = isl_bool_false;
  if (kind == TSR_MARK_DOACROSS)
    found = tsr_band_is_doacross(band, scop, mark->array);
  else if (apart && tsr_node_allocates(band, scop, apart) == isl_stat_ok)
    found = tsr_band_is_parallel_apart(band, scop, TSR_ANY_ARRAY, apart, mark->array);
  if (found != isl_bool_true)
    mark->number = -1;
  free(apart);
}

/* What visit_mark works on. */
struct visit {
  struct tsr_emit *e;
  struct tsr_scop *scop;
};

/* If NODE is a mark for threads, find what has a copy a thread below it. */
static isl_bool visit_mark(isl_schedule_node *node, void *user)
{
  struct visit *visit = user;
  const struct tsr_mark *mark = tsr_node_mark(node);
  if (!tsr_mark_is_for_threads(mark))
    return isl_bool_true;
  isl_schedule_node *band = isl_schedule_node_get_child(node, 0);
  find_private(visit->scop, add_private(visit->e, mark->number, visit->scop->n_array), band, mark->kind);
  isl_schedule_node_free(band);
  return isl_bool_true;
}

void tsr_emit_find_private(struct tsr_emit *e, const struct tsr_variant *variant)
{
  struct visit visit = {e, variant->program ? variant->program->scop : e->m->scop};
  isl_schedule_foreach_schedule_node_top_down(variant->tree, visit_mark, &visit);
  if (e->n_private)
    add_private(e, TSR_MARK_OF_COPIES, visit.scop->n_array);
}

void tsr_emit_enter_parallel(struct tsr_emit *e, const struct tsr_mark *above)
{
  struct tsr_private *mark = NULL;
  for (int i = 0; i < e->n_private && !mark; i++)
    mark = e->private_of[i].number == above->number ? &e->private_of[i] : NULL;
  e->private_array = mark ? mark->array : NULL;
  e->parallel = mark != NULL;
  e->doacross = e->parallel && above->kind == TSR_MARK_DOACROSS;
}

void tsr_emit_free_private(struct tsr_emit *e)
{
  for (int i = 0; i < e->n_private; i++)
    free(e->private_of[i].array);
  free(e->private_of);
}
