/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The loops of one statement: how often each runs, and where a step of it leads. The trees that the search compares have
 * most of them in common, and so have questions about one tree: what was found last is kept by the SCoP.
 *
 *   { S[i, j] -> [32 * floor(i / 32), j, i] : 0 <= i, j < 1000 }   ->   32 trips by 32, 1000 by 1, 32 by 1 */
#include "access/access.h"
#include <stdlib.h>

struct loops {
  int n;
  struct tsr_order_loop loop[];
};

/* Trips first, each with the loops around at their middle: TIMES loses them one by one. */
static struct loops *compute(struct tsr_order *order)
{
  isl_set *times = isl_map_range(isl_map_copy(order->map));
  isl_size n = isl_set_dim(times, isl_dim_set);
  struct loops *loops = n < 0 ? NULL : calloc(1, sizeof(*loops) + (size_t)n * sizeof(*loops->loop));
  for (int pos = 0; loops && pos < n; pos++) {
    struct tsr_order_loop *loop = &loops->loop[loops->n++];
    long stride;
    loop->trips = tsr_times_trips(&times, pos, &stride);
    if (loop->trips > 1)
      tsr_step_init_by(&loop->step, order, pos, stride);
  }
  isl_set_free(times);
  return loops;
}

const struct tsr_order_loop *tsr_order_loops(struct tsr_scop *scop, struct tsr_order *order, int *n)
{
  uint32_t hash = isl_map_get_hash(order->map);
  const struct loops *found = NULL;
  for (int i = 0; i < TSR_N_ORDERS && !found; i++)
    if (scop->kept.order[i].map && scop->kept.order[i].hash == hash &&
        isl_map_plain_is_equal(scop->kept.order[i].map, order->map) == isl_bool_true &&
        isl_set_plain_is_equal(scop->kept.order[i].domain, order->domain) == isl_bool_true)
      found = scop->kept.order[i].loops;
  if (!found) {
    int at = scop->kept.n_order++ % TSR_N_ORDERS;
    isl_map_free(scop->kept.order[at].map);
    isl_set_free(scop->kept.order[at].domain);
    free(scop->kept.order[at].loops);
    found = scop->kept.order[at].loops = compute(order);
    bool whole = isl_ctx_last_error(scop->ctx) == isl_error_none; /* else it may lack parts: not to be found again */
    scop->kept.order[at].map = whole ? isl_map_copy(order->map) : NULL;
    scop->kept.order[at].domain = whole ? isl_set_copy(order->domain) : NULL;
    scop->kept.order[at].hash = hash;
  }
  *n = found ? found->n : 0;
  return found ? found->loop : NULL;
}
