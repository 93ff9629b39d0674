/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How many elements does an access touch at least, whatever the order of its statement's loops? With a column for each
 * loop, by how much one step of it changes the subscripts:
 *
 *   a[i + j][2 k]       1 1 0        rank 2: elements >= trips of the loops in an independent set of columns,
 *                       0 0 2        here those of k and the larger of i and j
 *
 *   neighbours in a loop (unit)      only if the last row's greatest common divisor is 1; where that doesn't change, as for
 *                                    the real parts of complex numbers, the one before may have them
 *   each element once                only if all columns are independent
 *   the same or a neighbour in the   only if all rows are 0 along the loop, but the last one of those that
 *   same loop as other accesses      may have neighbours: all rows together must have a lower rank than loops
 *
 * All of that holds for every invertible combination of the loops, too. */
#include "access/access.h"
#include <math.h>
#include <stdlib.h>

static long gcd(long a, long b)
{
  while (b) {
    long rest = a % b;
    a = b;
    b = rest;
  }
  return labs(a);
}

#define NOISE 1e-9

bool tsr_span_add(struct tsr_span *span, const long *vector, int n, int stride)
{
  double rest[TSR_MAX_SPAN], largest = 0, scale = 0;
  int lead = 0;
  if (n > TSR_MAX_SPAN || span->n == TSR_MAX_SPAN)
    return false;
  for (int i = 0; i < n; i++) {
    rest[i] = (double)vector[i * stride];
    scale += fabs(rest[i]);
  }
  for (int k = 0; k < span->n; k++) {
    double factor = rest[span->lead[k]];
    for (int i = 0; i < n; i++)
      rest[i] -= factor * span->vector[k][i];
  }
  for (int i = 0; i < n; i++)
    if (fabs(rest[i]) > largest) {
      largest = fabs(rest[i]);
      lead = i;
    }
  if (largest <= NOISE * scale)
    return false;
  for (int i = 0; i < n; i++)
    span->vector[span->n][i] = rest[i] / rest[lead];
  span->lead[span->n++] = lead;
  return true;
}

/* An access to several elements in one instance: those of the next one are elsewhere, as the cost model has it. */
static void touch_several(const double *trips, int n_loop, struct tsr_touches *touches, struct tsr_span *rows)
{
  *touches = (struct tsr_touches){.elements = 1, .once = true};
  for (int l = 0; l < n_loop; l++) {
    long row[TSR_MAX_SPAN] = {0};
    touches->elements *= trips[l];
    if (l < TSR_MAX_SPAN) {
      row[l] = 1;
      tsr_span_add(rows, row, n_loop, 1);
    }
  }
}

/* The last of N_ROW subscripts that a loop changes, by DELTA; none is: the last one. */
static int last_row(const long *delta, int n_row, int n_loop)
{
  for (int k = n_row - 1; k >= 0; k--)
    for (int l = 0; l < n_loop; l++)
      if (delta[l * TSR_MAX_DIM + k])
        return k;
  return n_row > 0 ? n_row - 1 : 0;
}

bool tsr_access_touches(isl_map *relation, const struct tsr_step *step, const double *trips, int n_loop,
                        struct tsr_touches *touches, struct tsr_span *rows)
{
  isl_size n_row = isl_map_dim(relation, isl_dim_out);
  if (isl_map_is_single_valued(relation) == isl_bool_false) {
    touch_several(trips, n_loop, touches, rows);
    return true;
  }
  long *delta = calloc((size_t)n_loop * TSR_MAX_DIM + 1, sizeof(*delta)), divisor = 0;
  bool *done = calloc(n_loop + 1, sizeof(*done));
  bool known = delta && done && tsr_access_deltas(relation, step, n_loop, delta);
  struct tsr_span columns = {.n = 0};
  int last = known ? last_row(delta, n_row, n_loop) : 0;
  *touches = (struct tsr_touches){.elements = 1};
  for (int i = 0; i < n_loop && known; i++) { /* those with most iterations first: the product is the largest */
    int next = -1;
    for (int l = 0; l < n_loop; l++)
      if (!done[l] && (next < 0 || trips[l] > trips[next]))
        next = l;
    done[next] = true;
    if (tsr_span_add(&columns, &delta[next * TSR_MAX_DIM], n_row, 1))
      touches->elements *= trips[next];
    divisor = n_row > 0 ? gcd(delta[next * TSR_MAX_DIM + last], divisor) : 0;
  }
  touches->divisor = divisor;
  touches->unit = divisor == 1;
  touches->once = columns.n == n_loop;
  for (int k = 0; k <= last - touches->unit && k < n_row && known; k++)
    tsr_span_add(rows, &delta[k], n_loop, TSR_MAX_DIM);
  free(delta);
  free(done);
  return known;
}
