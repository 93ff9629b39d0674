/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Coincidence (Lim and Lam's space partition; bastoul-cgo22, section IV-A.2): for every pair s -> t
 *
 *     phi_T(t, p) - phi_S(s, p) = 0
 *
 * so that the loop of this row carries nothing and its iterations are independent. */
#include "sched/scheduler.h"

isl_stat tsr_build_coincidence(struct tsr_problem *problem, unsigned kinds)
{
  for (int i = 0; i < problem->graph->n_edge; i++) {
    struct tsr_edge *edge = problem->graph->edge[i];
    if ((edge->kind & kinds) && tsr_problem_add_zero_edge(problem, edge) < 0)
      return isl_stat_error;
  }
  return isl_stat_ok;
}
