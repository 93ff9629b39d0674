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

#define PREFIX TSR_MARK_EDGES

/* ---- text ---- */

bool tsr_edges_read(const char *name, struct tsr_edges *edges)
{
  int used = 0;
  *edges = (struct tsr_edges){0};
  if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
    return false;
  for (name += strlen(PREFIX); *name; name += used) {
    struct tsr_edge_stmt *edge = &edges->edge[edges->n];
    used = 0;
    if (edges->n == TSR_MAX_EDGES || sscanf(name, "%*1[:,] %63s x%d by [%n", edge->stmt, &edge->lanes, &used) != 2 ||
        !used || edge->lanes < 2)
      return false;
    name += used;
    edge->n_dim = tsr_step_read(&name, edge->step);
    used = 1;
    if (*name != ']')
      return false;
    edges->n++;
  }
  return true;
}

static isl_id *edges_id(isl_ctx *ctx, const struct tsr_edges *edges)
{
  char name[4096];
  int at = snprintf(name, sizeof(name), PREFIX);
  for (int i = 0; i < edges->n; i++) {
    const struct tsr_edge_stmt *edge = &edges->edge[i];
    at += snprintf(name + at, sizeof(name) - at, "%s %s x%d", i ? "," : ":", edge->stmt, edge->lanes);
    at += tsr_step_print(name + at, sizeof(name) - at, "by", edge->step, edge->n_dim);
  }
  return isl_id_alloc(ctx, name, NULL);
}

bool tsr_node_is_edges(isl_schedule_node *node, struct tsr_edges *edges)
{
  if (isl_schedule_node_get_type(node) != isl_schedule_node_mark)
    return false;
  isl_id *id = isl_schedule_node_mark_get_id(node);
  bool is = id && tsr_edges_read(isl_id_get_name(id), edges);
  isl_id_free(id);
  return is;
}

/* ---- which statements ---- */

/* Does each access of FORM stay or go to the next element where the vector member goes on? */
static bool is_edge(struct tsr_register_band *band, const struct tsr_form *form, struct tsr_edge_stmt *edge)
{
  int v = band->roles.vector;
  const struct tsr_step *step = &form->step[v];
  const char *name = isl_set_get_tuple_name(form->stmt->domain);
  int lanes = form->stmt->vector_bytes ? band->scop->machine.vector_bytes / form->stmt->vector_bytes : 0;
  if (lanes < 2 || !step->fixed || step->empty || !form->next[v] || !name || strlen(name) >= sizeof(edge->stmt))
    return false;
  for (int i = 0; i < form->stmt->n_access; i++) {
    long elements;
    if (!tsr_access_move(form->stmt->access[i].relation, step->delta, &elements) || (elements != 0 && elements != 1))
      return false;
  }
  *edge = (struct tsr_edge_stmt){.lanes = lanes, .n_dim = (int)isl_set_dim(form->stmt->domain, isl_dim_set)};
  snprintf(edge->stmt, sizeof(edge->stmt), "%s", name);
  memcpy(edge->step, step->delta, sizeof(edge->step));
  return true;
}

isl_schedule_node *tsr_register_edges_insert(struct tsr_register_band *band, isl_schedule_node *node)
{
  struct tsr_edges edges = {.n = 0};
  for (int f = 0; f < band->n_form && edges.n < TSR_MAX_EDGES; f++)
    if (is_edge(band, &band->form[f], &edges.edge[edges.n]) && !tsr_edge_conflict(band->scop, &edges.edge[edges.n]))
      edges.n++;
  return isl_schedule_node_insert_mark(node, edges_id(isl_schedule_node_get_ctx(node), &edges));
}
