/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Validity (bastoul-cgo22, equation 1): for every edge S -> T and every pair s -> t of it
 *
 *     phi_T(t, p) - phi_S(s, p) >= 0 */
#include "sched/scheduler.h"

isl_stat tsr_build_validity(struct tsr_problem *problem, unsigned kinds, unsigned zero)
{
  for (int i = 0; i < problem->graph->n_edge; i++) {
    struct tsr_edge *edge = problem->graph->edge[i];
    if ((edge->kind & kinds) && !(edge->kind & zero) && tsr_problem_add_edge(problem, edge, 1, TSR_SLACK_NONE, 0) < 0)
      return isl_stat_error;
  }
  return isl_stat_ok;
}
