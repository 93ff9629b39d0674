/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The affine form of Farkas' lemma: f0 + fp . p + fx . x is non-negative on a non-empty polyhedron { A x + B p + c >= 0 }
 * iff it is a non-negative combination of the polyhedron's constraints and a non-negative constant. isl eliminates the
 * multipliers (isl_set_coefficients), what is left is a cone in (f0, fp, fx).
 *
 * An edge S -> T with S != T has a cone over (k, d, c_S, c_T); the ends of an edge S -> S have the same row, so that its
 * distance c . (t - s) is known from the differences alone: a cone over (k, d, c), of half the size. Existentials are
 * projected out over the rationals first: the cone is exact for the larger set, so what holds on it holds. */
#include "sched/scheduler.h"
#include <isl/val.h>
#include <stdlib.h>

struct tsr_cone *tsr_cone_free(struct tsr_cone *cone)
{
  if (!cone || --cone->references > 0)
    return NULL;
  free(cone->eq);
  free(cone->ineq);
  free(cone);
  return NULL;
}

static bool is_large(isl_val *value)
{
  return isl_val_cmp_si(value, 1L << 40) > 0 || isl_val_cmp_si(value, -(1L << 40)) < 0;
}

/* MAT as numbers; NULL and isl's error set if one is too large. */
static long *read_matrix(isl_mat *mat, int *n_row, int width)
{
  isl_size n = isl_mat_rows(mat);
  long *data = n < 0 ? NULL : calloc((size_t)n * width + 1, sizeof(long));
  for (int i = 0; data && i < n; i++)
    for (int j = 0; j < width; j++) {
      isl_val *value = isl_mat_get_element_val(mat, i, j);
      bool large = is_large(value);
      data[(size_t)i * width + j] = large ? 0 : isl_val_get_num_si(value);
      isl_val_free(value);
      if (large) {
        free(data);
        isl_die(isl_mat_get_ctx(mat), isl_error_unsupported, "a dependence has too large coefficients", return NULL);
        return NULL;
      }
    }
  *n_row = n;
  return data;
}

static struct tsr_cone *cone_from_coefficients(isl_basic_set *coefficients, int width)
{
  struct tsr_cone *cone = calloc(1, sizeof(*cone));
  isl_mat *eq = isl_basic_set_equalities_matrix(coefficients, isl_dim_set, isl_dim_param, isl_dim_cst, isl_dim_div);
  isl_mat *ineq = isl_basic_set_inequalities_matrix(coefficients, isl_dim_set, isl_dim_param, isl_dim_cst, isl_dim_div);
  if (cone && eq && ineq) {
    cone->references = 1;
    cone->width = width;
    cone->eq = read_matrix(eq, &cone->n_eq, width);
    cone->ineq = cone->eq ? read_matrix(ineq, &cone->n_ineq, width) : NULL;
  }
  isl_mat_free(eq);
  isl_mat_free(ineq);
  return cone && cone->ineq ? cone : tsr_cone_free(cone);
}

isl_stat tsr_edge_prepare(struct tsr_edge *edge)
{
  if (edge->cone)
    return isl_stat_ok;
  isl_map *map = isl_map_remove_divs(isl_map_copy(edge->map));
  isl_set *pairs = edge->src == edge->dst ? isl_map_deltas(map) : isl_map_wrap(map);
  pairs = isl_set_coalesce(isl_set_remove_divs(pairs));
  isl_size n = isl_set_dim(pairs, isl_dim_set), n_param = isl_set_dim(pairs, isl_dim_param);
  if (n < 0 || n_param < 0) {
    isl_set_free(pairs);
    return isl_stat_error;
  }
  isl_basic_set *coefficients = isl_set_coefficients(pairs);
  edge->cone = cone_from_coefficients(coefficients, 1 + n_param + n);
  isl_basic_set_free(coefficients);
  return edge->cone ? isl_stat_ok : isl_stat_error;
}

/* The sign of f . point, for a row f of a cone; -1 if the product is too large to tell. */
static int sign_of(const long *f, const long *point, int width)
{
  long sum = 0;
  for (int i = 0; i < width; i++) {
    long product;
    if (__builtin_mul_overflow(f[i], point[i], &product) || __builtin_add_overflow(sum, product, &sum))
      return -1;
  }
  return sum > 0 ? 1 : sum < 0 ? -1 : 0;
}

static bool contains(const struct tsr_cone *cone, const long *point)
{
  for (int i = 0; i < cone->n_eq; i++)
    if (sign_of(cone->eq + (size_t)i * cone->width, point, cone->width))
      return false;
  for (int i = 0; i < cone->n_ineq; i++)
    if (sign_of(cone->ineq + (size_t)i * cone->width, point, cone->width) < 0)
      return false;
  return true;
}

/* Is SIGN times the distance along EDGE in row R known to be -W or more? */
static bool is_at_least(struct tsr_edge *edge, int r, int sign, long w)
{
  if (tsr_edge_prepare(edge) < 0)
    return false;
  long point[1 + 3 * TSR_MAX_DIM + 64];
  struct tsr_node *src = edge->src, *dst = edge->dst;
  int width = edge->cone->width, at = 0, n_shared = 1 + src->n_param;
  const long *s = src->row + r * tsr_node_width(src), *t = dst->row + r * tsr_node_width(dst);
  if (width > (int)(sizeof(point) / sizeof(*point)))
    return false;
  for (; at < n_shared; at++)
    point[at] = sign * (t[at] - s[at]);
  for (int i = 0; src != dst && i < src->n; i++)
    point[at++] = -sign * s[n_shared + i];
  for (int i = 0; i < dst->n; i++)
    point[at++] = sign * t[n_shared + i];
  point[0] += w;
  return contains(edge->cone, point);
}

bool tsr_edge_may_be_negative(struct tsr_edge *edge, int r)
{
  return !is_at_least(edge, r, 1, 0);
}

bool tsr_edge_may_be_positive(struct tsr_edge *edge, int r)
{
  return !is_at_least(edge, r, -1, 0);
}

bool tsr_edge_is_short(struct tsr_edge *edge, int r, long w)
{
  return is_at_least(edge, r, 1, w) && is_at_least(edge, r, -1, w);
}

/* A distance of more iterations than this is no reuse that a common loop could catch. */
#define SHORT_DISTANCE 3

bool tsr_graph_has_short_edge(struct tsr_graph *graph, int first)
{
  for (int i = 0; i < graph->n_edge; i++) {
    struct tsr_edge *edge = graph->edge[i];
    bool is_short = edge->kind & TSR_EDGE_PROXIMITY;
    for (int r = first; r < edge->src->n_row && is_short; r++)
      is_short = tsr_edge_is_short(edge, r, SHORT_DISTANCE);
    if (is_short)
      return true;
  }
  return false;
}
