/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is left beside register tiles: loops with few iterations over what would have been vectors.
 *
 *   mark "edges: S0 x8 by [0,1,0], S2 x8 by [0,1,0]" - Q(k, i, j) - seq(S0, S1, S2)
 *
 *   for k
 *     for i
 *       S1(i, k)
 *       for j = 7 .. 23             // vectors of 8, the last one in part
 *         S0(i, j, k)
 *
 * The mark lists statements whose neighbouring instances may run at once. Where isl makes a loop of its own for one of them,
 * it runs as short vectors: a vectoriser that doesn't know that there are few iterations makes wide loops, narrower ones,
 * and others for what is left. */
#include "tree/registers/registers.h"
#include <isl/id.h>
#include <isl/val.h>
#include <string.h>

/* Does each access of FORM stay or go to the next element, or to one a few elements on, from one lane to the next, a guard
 * stay? Elements with others between are masked, by masks that cost nothing. */
bool tsr_form_is_edge(const struct tsr_register_band *band, const struct tsr_form *form, struct tsr_edge_stmt *edge)
{
  int v = band->roles.vector, way = tsr_roles_way(&band->roles);
  const struct tsr_machine *machine = &band->scop->machine;
  const struct tsr_step *step = &form->step[v];
  const char *name = isl_set_get_tuple_name(form->stmt->domain);
  int lanes = form->stmt->vector_bytes ? machine->vector_bytes / form->stmt->vector_bytes : 0;
  long most = machine->vector_bytes >= TSR_LEAST_FREE_MASK ? TSR_MOST_PITCH : 1;
  if (lanes < 2 || !step->fixed || step->empty || form->next[v] * way < 1 || form->next[v] * way > most || !name ||
      strlen(name) >= sizeof(edge->stmt))
    return false;
  for (int i = 0; i < form->stmt->n_access; i++) {
    const struct tsr_access *access = &form->stmt->access[i];
    long elements;
    if (!tsr_array_move(&band->scop->arrays[access->array], access->relation, step->delta, &elements) ||
        elements * way < 0 || elements * way > most || (elements != 0 && access->guard))
      return false;
  }
  *edge = (struct tsr_edge_stmt){.lanes = lanes, .n_dim = (int)isl_set_dim(form->stmt->domain, isl_dim_set)};
  snprintf(edge->stmt, sizeof(edge->stmt), "%s", name);
  for (int d = 0; d < TSR_MAX_DIM; d++)
    edge->step[d] = way * step->delta[d];
  return true;
}

isl_schedule_node *tsr_register_edges_insert(struct tsr_register_band *band, isl_schedule_node *node)
{
  struct tsr_mark mark = {.kind = TSR_MARK_EDGES};
  struct tsr_edges *edges = &mark.edges;
  for (int f = 0; f < band->n_form && edges->n < TSR_MAX_EDGES; f++)
    if (tsr_form_is_edge(band, &band->form[f], &edges->edge[edges->n]) &&
        !tsr_edge_conflict(band->scop, &edges->edge[edges->n]))
      edges->n++;
  return tsr_mark_insert(node, band->scop, &mark);
}
