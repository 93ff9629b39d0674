/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums over several loops, in their own order.
 *
 *   for i for j for k for y for x: s[i][j] += a[k][i + y][j + x] * b[k][y][x]
 *
 * One element is added to in the order of (k, y, x). A band in which all may change places has to have rows such as k, 2k +
 * y and 6k + 2y + x, and is free to have i + 2k + y for one of them. Register tiles need no such band: rows, vectors and
 * what is outside of blocks take no part in any dependence, so that they may be anywhere; sums stay as they are, innermost.
 *
 *   B(i + 2k + y, k, -i, j, 6k + 2y + x)   ->   B'(i, j, k, y, x)     i, j coincident; k, y, x as in the original */
#include "tree/registers/registers.h"
#include <isl/id.h>
#include <isl/space.h>

/* The only statement below NODE; NULL: there are several. */
static struct tsr_stmt *only_stmt(isl_schedule_node *node, struct tsr_scop *scop)
{
  struct tsr_stmt *only = NULL;
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  int n = 0;
  for (int s = 0; s < scop->n_stmt; s++) {
    isl_set *part = isl_union_set_extract_set(domain, isl_set_get_space(scop->stmts[s].domain));
    if (isl_set_plain_is_empty(part) == isl_bool_false) {
      only = &scop->stmts[s];
      n++;
    }
    isl_set_free(part);
  }
  isl_union_set_free(domain);
  return n == 1 ? only : NULL;
}

/* Flag in TAKEN the iterators of STMT that the loops around NODE run over, one each. False: they are others. */
static bool find_taken(isl_schedule_node *node, const struct tsr_stmt *stmt, bool taken[TSR_MAX_DIM])
{
  isl_multi_union_pw_aff *prefix = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(node);
  isl_size n = isl_multi_union_pw_aff_size(prefix), n_dim = isl_set_dim(stmt->domain, isl_dim_set);
  isl_space *space = isl_set_get_space(stmt->domain);
  isl_multi_aff *time = n > 0 ? tsr_prefix_time(prefix, space) : NULL;
  isl_space_free(space);
  isl_multi_union_pw_aff_free(prefix);
  bool good = n == 0 || time;
  for (int i = 0; i < n && good; i++) {
    isl_aff *row = isl_multi_aff_get_at(time, i);
    int one = -1, found = 0;
    for (int d = 0; d < n_dim; d++)
      if (isl_aff_involves_dims(row, isl_dim_in, d, 1) == isl_bool_true) {
        one = d;
        found++;
      }
    good = found <= 1 && isl_aff_dim(row, isl_dim_div) == 0;
    if (found == 1)
      taken[one] = true;
    isl_aff_free(row);
  }
  isl_multi_aff_free(time);
  return good;
}

/* The iterators of STMT, flagged in WANTED, as rows: { S[i] -> [i_a, i_b, ..] }. */
static isl_multi_union_pw_aff *rows_of(const struct tsr_stmt *stmt, const bool wanted[TSR_MAX_DIM])
{
  isl_multi_union_pw_aff *rows = NULL;
  isl_size n = isl_set_dim(stmt->domain, isl_dim_set);
  for (int d = 0; d < n; d++) {
    if (!wanted[d])
      continue;
    isl_local_space *space = isl_local_space_from_space(isl_set_get_space(stmt->domain));
    isl_union_pw_aff *row = isl_union_pw_aff_from_pw_aff(isl_pw_aff_from_aff(isl_aff_var_on_domain(space, isl_dim_set, d)));
    isl_multi_union_pw_aff *one = isl_multi_union_pw_aff_from_union_pw_aff(row);
    rows = rows ? isl_multi_union_pw_aff_flat_range_product(rows, one) : one;
  }
  return rows;
}

static int count(const bool flag[TSR_MAX_DIM])
{
  int n = 0;
  for (int d = 0; d < TSR_MAX_DIM; d++)
    n += flag[d];
  return n;
}

/* Flag in APART those of the iterators LEFT that no pair of OPEN connects; false: the others aren't in order. */
static bool find_apart(const struct tsr_stmt *stmt, isl_union_map *open, const bool left[TSR_MAX_DIM],
                       bool apart[TSR_MAX_DIM])
{
  bool sum[TSR_MAX_DIM] = {false};
  isl_size n = isl_set_dim(stmt->domain, isl_dim_set);
  for (int d = 0; d < n; d++) {
    bool own[TSR_MAX_DIM] = {false};
    own[d] = left[d];
    isl_multi_union_pw_aff *row = left[d] ? rows_of(stmt, own) : NULL;
    apart[d] = row && tsr_member_is_coincident(open, row) == isl_bool_true;
    sum[d] = left[d] && !apart[d];
    isl_multi_union_pw_aff_free(row);
  }
  isl_multi_union_pw_aff *sums = count(sum) > 1 && count(apart) > 0 ? rows_of(stmt, sum) : NULL;
  bool good = sums && tsr_member_is_monotone(open, sums) == isl_bool_true;
  isl_multi_union_pw_aff_free(sums);
  return good;
}

/* NODE, a band, with rows that are iterators of STMT: APART, then the others of LEFT. */
static isl_schedule_node *insert_straight(__isl_take isl_schedule_node *node, const struct tsr_stmt *stmt,
                                          const bool left[TSR_MAX_DIM], const bool apart[TSR_MAX_DIM])
{
  bool sum[TSR_MAX_DIM];
  for (int d = 0; d < TSR_MAX_DIM; d++)
    sum[d] = left[d] && !apart[d];
  int n = count(apart);
  node = isl_schedule_node_delete(node);
  node = isl_schedule_node_insert_partial_schedule(
      node, isl_multi_union_pw_aff_flat_range_product(rows_of(stmt, apart), rows_of(stmt, sum)));
  for (int i = 0; i < n; i++)
    node = isl_schedule_node_band_member_set_coincident(node, i, 1);
  return node;
}

isl_schedule_node *tsr_band_straighten(isl_schedule_node *node, struct tsr_scop *scop, struct tsr_deps *deps, bool *straight)
{
  bool taken[TSR_MAX_DIM] = {false}, left[TSR_MAX_DIM] = {false}, apart[TSR_MAX_DIM] = {false};
  isl_size n = isl_schedule_node_band_n_member(node);
  int n_sum = 0;
  *straight = false;
  for (int i = 0; i < n; i++)
    n_sum += isl_schedule_node_band_member_get_coincident(node, i) != isl_bool_true;
  struct tsr_stmt *stmt = n_sum > 1 ? only_stmt(node, scop) : NULL;
  isl_size n_dim = stmt ? isl_set_dim(stmt->domain, isl_dim_set) : 0;
  if (n_dim < n || n_dim > TSR_MAX_DIM || !find_taken(node, stmt, taken))
    return node;
  for (int d = 0; d < n_dim; d++)
    left[d] = !taken[d];
  if (count(left) != n)
    return node;
  isl_union_map *open = tsr_node_open_deps(node, deps);
  *straight = find_apart(stmt, open, left, apart);
  isl_union_map_free(open);
  return *straight ? insert_straight(node, stmt, left, apart) : node;
}

bool tsr_band_keeps_sums(isl_schedule_node *node, const struct tsr_register_band *band)
{
  bool keeps = true;
  for (int m = 0; m < band->n; m++)
    keeps &= (band->roles.reduction >> m & 1) || isl_schedule_node_band_member_get_coincident(node, m) == isl_bool_true;
  return keeps;
}
