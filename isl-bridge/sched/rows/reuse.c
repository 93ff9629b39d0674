/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a statement's accesses can reuse, as directions (zinenko-cc18, sections 4.1, 4.2 and 4.4).
 *
 * With A the subscripts' coefficients of the iterators, rows 1 to m, two instances i and i + v of a statement touch
 *
 *     the same element                          iff  A v = 0                                     (temporal reuse)
 *     the same cache line, neighbouring places  iff  A_1 v = ... = A_(m-1) v = 0,  A_m v = h     (spatial reuse)
 *
 * with h small. Access completion leaves one direction of spatial reuse: N, the kernel of A_1 ... A_(m-1), and the
 * Hermite form (A_m N) U = (h 0 ... 0) give it as the first column of N U, and the others as all directions of temporal
 * reuse. The directions are constant, so the distance along them in a schedule row c is c . v: no Farkas multiplier is
 * needed, which is what makes this cheaper than relations on pairs of instances that share a line. For B[k][j] in loops i,
 * j, k: spatial (0, 1, 0), temporal (1, 0, 0).
 *
 * A last dimension of a few elements, such as the channels of a pixel, is no row of its own: subscripts x, c become 3 x + c.
 *
 * Access patterns are separated because every reference has directions of its own; references with the same coefficients
 * are one group, whose multiplicity is their number. */
#include "sched/scheduler.h"
#include <isl/ilp.h>
#include <isl/local_space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

void tsr_reuse_free(struct tsr_reuse *reuse, int n)
{
  for (int i = 0; i < n && reuse; i++) {
    isl_mat_free(reuse[i].access);
    free(reuse[i].spatial);
    free(reuse[i].temporal);
  }
  free(reuse);
}

/* The coefficients of the iterators in RELATION, m by n; NULL if it isn't an affine function. */
static isl_mat *access_matrix(isl_map *relation, int n)
{
  if (isl_map_is_single_valued(relation) != isl_bool_true)
    return NULL;
  isl_pw_multi_aff *function = isl_pw_multi_aff_from_map(isl_map_copy(relation));
  if (isl_pw_multi_aff_isa_multi_aff(function) != isl_bool_true) {
    isl_pw_multi_aff_free(function);
    return NULL;
  }
  isl_multi_aff *affine = isl_pw_multi_aff_as_multi_aff(function);
  isl_size m = isl_multi_aff_dim(affine, isl_dim_out);
  isl_mat *mat = isl_mat_alloc(isl_map_get_ctx(relation), m < 0 ? 0 : m, n);
  bool plain = true;
  for (int r = 0; r < m && plain; r++) {
    isl_aff *aff = isl_multi_aff_get_at(affine, r);
    plain = isl_aff_dim(aff, isl_dim_div) == 0;
    for (int i = 0; i < n && plain; i++) {
      isl_val *value = isl_aff_get_coefficient_val(aff, isl_dim_in, i);
      plain = isl_val_is_int(value) == isl_bool_true && isl_val_cmp_si(value, 1 << 20) <= 0 &&
              isl_val_cmp_si(value, -(1 << 20)) >= 0;
      mat = isl_mat_set_element_val(mat, r, i, value);
    }
    isl_aff_free(aff);
  }
  isl_multi_aff_free(affine);
  return plain ? mat : isl_mat_free(mat);
}

static long entry(isl_mat *mat, int row, int col)
{
  isl_val *value = isl_mat_get_element_val(mat, row, col);
  long number = isl_val_get_num_si(value);
  isl_val_free(value);
  return number;
}

/* The number of elements of the last dimension of ARRAY if it is a small constant, else 0. */
static long last_extent(const struct tsr_array *array, int line)
{
  isl_size n = isl_set_dim(array->extent, isl_dim_set);
  if (n < 2)
    return 0;
  isl_local_space *space = isl_local_space_from_space(isl_set_get_space(array->extent));
  isl_aff *last = isl_aff_var_on_domain(space, isl_dim_set, n - 1);
  isl_val *most = isl_set_max_val(array->extent, last);
  isl_aff_free(last);
  long size = isl_val_is_int(most) == isl_bool_true && isl_val_cmp_si(most, line) < 0 ? isl_val_get_num_si(most) + 1 : 0;
  isl_val_free(most);
  return size * array->elem_size < line ? size : 0;
}

/* Merge the last two rows of ACCESS where the last dimension of ARRAY is within a cache line. */
static isl_mat *merge_last(isl_mat *access, const struct tsr_array *array, int line)
{
  isl_size m = isl_mat_rows(access), n = isl_mat_cols(access);
  long size = m > 1 ? last_extent(array, line) : 0;
  for (int i = 0; i < n && size > 0; i++)
    access = isl_mat_set_element_si(access, m - 2, i, (int)(size * entry(access, m - 2, i) + entry(access, m - 1, i)));
  return size > 0 ? isl_mat_drop_rows(access, m - 1, 1) : access;
}

/* Column COL of MAT, N entries, into OUT. */
static void read_column(isl_mat *mat, int col, int n, long *out)
{
  for (int i = 0; i < n; i++)
    out[i] = entry(mat, i, col);
}

/* The directions of REUSE from its access; elements of SIZE bytes in lines of LINE. */
static isl_stat find_directions(struct tsr_reuse *reuse, int n, int size, int line)
{
  isl_ctx *ctx = isl_mat_get_ctx(reuse->access);
  isl_size m = isl_mat_rows(reuse->access);
  isl_mat *kernel =
      isl_mat_right_kernel(m > 1 ? isl_mat_drop_rows(isl_mat_copy(reuse->access), m - 1, 1) : isl_mat_alloc(ctx, 0, n));
  isl_size q = isl_mat_cols(kernel);
  if (m < 0 || q < 0) { /* isl gave up, or its budget ran out */
    isl_mat_free(kernel);
    return isl_stat_error;
  }
  isl_mat *last = isl_mat_alloc(ctx, 1, q), *u = NULL;
  for (int k = 0; k < q; k++) {
    long sum = 0;
    for (int i = 0; i < n && m > 0; i++)
      sum += entry(reuse->access, m - 1, i) * entry(kernel, i, k);
    last = isl_mat_set_element_si(last, 0, k, (int)sum);
  }
  last = isl_mat_left_hermite(last, 0, &u, NULL);
  long h = q > 0 ? labs(entry(last, 0, 0)) : 0;
  kernel = isl_mat_product(kernel, u);
  isl_mat_free(last);
  int first = h != 0;
  reuse->n_temporal = q - first;
  reuse->spatial = h > 0 && h * size < line ? calloc(n + 1, sizeof(long)) : NULL;
  reuse->temporal = calloc((size_t)n * reuse->n_temporal + 1, sizeof(long));
  if (!kernel || !reuse->temporal) {
    isl_mat_free(kernel);
    return isl_stat_error;
  }
  if (reuse->spatial)
    read_column(kernel, 0, n, reuse->spatial);
  for (int k = 0; k < reuse->n_temporal; k++)
    read_column(kernel, first + k, n, reuse->temporal + (size_t)k * n);
  isl_mat_free(kernel);
  return isl_stat_ok;
}

/* The group of NODE that an access to ARRAY by the coefficients ACCESS belongs to; NULL: a new one. */
static struct tsr_reuse *find_group(struct tsr_node *node, int array, isl_mat *access)
{
  isl_size m = isl_mat_rows(access);
  for (int g = 0; g < node->n_reuse; g++) {
    bool same = node->reuse[g].array == array && isl_mat_rows(node->reuse[g].access) == m;
    for (int r = 0; r < m && same; r++)
      for (int i = 0; i < node->n && same; i++)
        same = entry(node->reuse[g].access, r, i) == entry(access, r, i);
    if (same)
      return &node->reuse[g];
  }
  return NULL;
}

static isl_stat add_access(struct tsr_node *node, struct tsr_scop *scop, const struct tsr_access *access)
{
  const struct tsr_array *array = &scop->arrays[access->array];
  int line = scop->machine.cache[0].line;
  isl_mat *mat = access_matrix(access->relation, node->n);
  if (!mat)
    return isl_stat_ok;
  mat = merge_last(mat, array, line);
  struct tsr_reuse *group = find_group(node, access->array, mat);
  if (group) {
    group->multiplicity++;
    isl_mat_free(mat);
    return isl_stat_ok;
  }
  struct tsr_reuse *grown = realloc(node->reuse, sizeof(*grown) * (node->n_reuse + 1));
  if (!grown) {
    isl_mat_free(mat);
    return isl_stat_error;
  }
  node->reuse = grown;
  grown[node->n_reuse] = (struct tsr_reuse){.array = access->array, .multiplicity = 1, .access = mat};
  return find_directions(&grown[node->n_reuse++], node->n, array->elem_size, line);
}

isl_stat tsr_reuse_find(struct tsr_graph *graph, struct tsr_scop *scop)
{
  for (int i = 0; i < graph->n_node; i++) {
    struct tsr_node *node = graph->node[i];
    struct tsr_stmt *stmt = &scop->stmts[node->order];
    for (int k = 0; k < stmt->n_access; k++)
      if (scop->arrays[stmt->access[k].array].kind == TSR_ARRAY_MEMORY && node->n > 0 && node->n <= TSR_MAX_DIM &&
          add_access(node, scop, &stmt->access[k]) < 0)
        return isl_stat_error;
  }
  return isl_stat_ok;
}

/* ---- elements that two statements read ---- */

/* The first read of STMT that tells all of its instances apart by the element of ARRAY; -1: none. */
static int injective_read(struct tsr_stmt *stmt, int array, int n)
{
  for (int k = 0; k < stmt->n_access; k++) {
    if (stmt->access[k].kind != TSR_READ || stmt->access[k].array != array)
      continue;
    isl_mat *mat = access_matrix(stmt->access[k].relation, n);
    bool injective = mat && isl_mat_rank(mat) == n;
    isl_mat_free(mat);
    if (injective)
      return k;
  }
  return -1;
}

static isl_map *restrict_to(isl_map *relation, struct tsr_node *node)
{
  return isl_map_intersect_domain(isl_map_copy(relation), isl_set_copy(node->domain));
}

/* An edge from SRC to DST, whose accesses K and L read the same elements. */
static isl_stat add_read_edge(struct tsr_graph *graph, struct tsr_scop *scop, struct tsr_node *src, int k,
                              struct tsr_node *dst, int l)
{
  isl_map *from = restrict_to(scop->stmts[src->order].access[k].relation, src);
  isl_map *to = restrict_to(scop->stmts[dst->order].access[l].relation, dst);
  isl_map *pairs = isl_map_apply_range(from, isl_map_reverse(to));
  pairs = isl_map_align_params(isl_map_coalesce(pairs), isl_space_copy(graph->params));
  isl_bool empty = isl_map_is_empty(pairs);
  if (empty != isl_bool_false || isl_map_dim(pairs, isl_dim_param) != graph->n_param) {
    isl_map_free(pairs);
    return empty < 0 ? isl_stat_error : isl_stat_ok;
  }
  return tsr_graph_add_edge(graph, src, dst, pairs, TSR_EDGE_PROXIMITY, -1);
}

static bool are_close(struct tsr_graph *graph, struct tsr_node *a, struct tsr_node *b)
{
  for (int i = 0; i < graph->n_edge; i++) {
    struct tsr_edge *edge = graph->edge[i];
    if ((edge->kind & TSR_EDGE_PROXIMITY) && ((edge->src == a && edge->dst == b) || (edge->src == b && edge->dst == a)))
      return true;
  }
  return false;
}

isl_stat tsr_reuse_add_read_edges(struct tsr_graph *graph, struct tsr_scop *scop)
{
  for (int i = 0; i < graph->n_node; i++)
    for (int j = i + 1; j < graph->n_node; j++) {
      struct tsr_node *src = graph->node[i], *dst = graph->node[j];
      struct tsr_stmt *from = &scop->stmts[src->order], *to = &scop->stmts[dst->order];
      for (int k = 0; k < from->n_access && !are_close(graph, src, dst); k++) {
        int array = from->access[k].array;
        bool wanted = scop->arrays[array].kind == TSR_ARRAY_MEMORY && injective_read(from, array, src->n) == k;
        int l = wanted ? injective_read(to, array, dst->n) : -1;
        if (l >= 0 && add_read_edge(graph, scop, src, k, dst, l) < 0)
          return isl_stat_error;
      }
    }
  return isl_stat_ok;
}
