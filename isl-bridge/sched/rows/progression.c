/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Progression (bastoul-cgo22, section IV-A.3; zinenko-cc18, section 3.3): the next row c of a statement is linearly
 * independent of its rows so far H. With R a basis of the null space of H,
 *
 *     c depends linearly on H   <=>   R c = 0
 *
 * because the row space of H is the orthogonal complement of its null space. R c = 0 is the region that the solver avoids,
 * of either sign: coefficients may be negative. Equalities of the domain count as rows of H: along them nothing moves. */
#include "sched/scheduler.h"
#include <isl/val.h>
#include <stdlib.h>

void tsr_needs_row(struct tsr_graph *graph, int missing, bool *needs_row)
{
  for (int i = 0; i < graph->n_node; i++)
    needs_row[i] = graph->node[i]->n_rest > 0 && graph->node[i]->n_rest >= missing;
}

static isl_stat forbid(struct tsr_problem *problem, int column)
{
  tsr_ilp_row(problem->ilp)[1 + column] = 1;
  return tsr_ilp_commit(problem->ilp, true);
}

isl_stat tsr_build_restrictions(struct tsr_problem *problem, bool coincident, bool non_negative)
{
  for (int i = 0; i < problem->graph->n_node; i++) {
    struct tsr_node *node = problem->graph->node[i];
    for (int k = 0; k < node->n; k++) {
      bool serial = coincident && k < 32 && node->serial >> k & 1;
      if ((serial || non_negative) && forbid(problem, tsr_column_iterator(node, k)) < 0)
        return isl_stat_error;
      if (serial && forbid(problem, tsr_column_iterator(node, k) + 1) < 0)
        return isl_stat_error;
    }
  }
  return isl_stat_ok;
}

/* Columns as in struct tsr_problem: pairs (-, +), the last iterator first. */
isl_stat tsr_build_progression(struct tsr_node *node, bool needed, struct tsr_region *region)
{
  int n = needed ? node->n_rest : 0, width = needed ? 2 * node->n : 0;
  *region = (struct tsr_region){node->column, n, width, calloc((size_t)n * width + 1, sizeof(long))};
  if (!region->data)
    return isl_stat_error;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < node->n; k++) {
      isl_val *value = isl_mat_get_element_val(node->rest, i, k);
      long *at = region->data + (size_t)i * width + 2 * (node->n - 1 - k);
      at[1] = isl_val_get_num_si(value);
      at[0] = -at[1];
      isl_val_free(value);
    }
  return isl_stat_ok;
}
