/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Members of bands that count the elements of rows become two: where arrays are fields of one structure, subscripts are
 * numbers of its elements, and a schedule along these is short.
 *
 *   { S[i, j] -> [(256 i + j), (i)] : 0 <= j < 256 }   ->   { S[i, j] -> [(i), (j)] }
 *
 * The order is the same, without divisions to say which row it is and loops of one step inside. */
#include "model/thresholds.h"
#include "sched/sched.h"
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

/* One member of a band, as all statements see it. */
struct rows {
  struct tsr_scop *scop;
  isl_union_set *domain;
  long length;      /* of a row; 0: not known yet, below 0: they are no rows */
  long least, most; /* where in a row statements are */
  isl_union_pw_aff *row, *in_row;
};

/* The iterator of AFF with the largest coefficient, which goes to *LENGTH; below 0: AFF isn't that simple. */
static int find_row(isl_aff *aff, long *length)
{
  isl_size n = isl_aff_dim(aff, isl_dim_in), n_div = isl_aff_dim(aff, isl_dim_div);
  isl_val *denominator = isl_aff_get_denominator_val(aff);
  int found = n_div == 0 && isl_val_is_one(denominator) == isl_bool_true ? 0 : -1;
  isl_val_free(denominator);
  *length = 0;
  for (int i = 0; found >= 0 && i < n; i++) {
    isl_val *value = isl_aff_get_coefficient_val(aff, isl_dim_in, i);
    long c = isl_val_get_num_si(value);
    isl_val_free(value);
    if (c > *length) {
      *length = c;
      found = i;
    }
  }
  return found;
}

static isl_stat keep_piece(isl_set *domain, isl_aff *aff, void *user)
{
  isl_aff **kept = user;
  isl_set_free(domain);
  isl_aff_free(*kept);
  *kept = aff;
  return isl_stat_ok;
}

/* Take MEMBER { S[i] -> [f] } apart, of a statement. */
static isl_stat add_statement(isl_pw_aff *member, void *user)
{
  struct rows *rows = user;
  isl_set *domain = isl_union_set_extract_set(rows->domain, isl_space_domain(isl_pw_aff_get_space(member)));
  if (isl_set_plain_is_empty(domain) != isl_bool_false) { /* the band isn't about this statement */
    isl_set_free(domain);
    isl_pw_aff_free(member);
    return isl_stat_ok;
  }
  domain = isl_set_intersect_params(domain, tsr_scop_common(rows->scop));
  isl_aff *aff = NULL;
  if (isl_pw_aff_n_piece(member) == 1)
    isl_pw_aff_foreach_piece(member, keep_piece, &aff);
  long length = 0;
  int at = aff ? find_row(aff, &length) : -1;
  if (at < 0 || length < LEAST_ROW || (rows->length && rows->length != length)) {
    rows->length = -1;
  } else {
    isl_aff *in_row = isl_aff_set_coefficient_si(isl_aff_copy(aff), isl_dim_in, at, 0);
    isl_aff *row =
        isl_aff_var_on_domain(isl_local_space_from_space(isl_aff_get_domain_space(aff)), isl_dim_set, (unsigned)at);
    isl_val *least = isl_set_min_val(domain, in_row), *most = isl_set_max_val(domain, in_row);
    bool known = isl_val_is_int(least) == isl_bool_true && isl_val_is_int(most) == isl_bool_true;
    long low = known ? isl_val_get_num_si(least) : 0, high = known ? isl_val_get_num_si(most) : 0;
    rows->least = !rows->length || low < rows->least ? low : rows->least;
    rows->most = !rows->length || high > rows->most ? high : rows->most;
    rows->length = known && rows->most - rows->least < length ? length : -1;
    isl_val_free(least);
    isl_val_free(most);
    rows->row = isl_union_pw_aff_union_add(rows->row, isl_union_pw_aff_from_pw_aff(isl_pw_aff_from_aff(row)));
    rows->in_row = isl_union_pw_aff_union_add(rows->in_row, isl_union_pw_aff_from_pw_aff(isl_pw_aff_from_aff(in_row)));
  }
  isl_aff_free(aff);
  isl_set_free(domain);
  isl_pw_aff_free(member);
  return rows->length < 0 ? isl_stat_error : isl_stat_ok;
}

/* Is X the same as Y, up or down? */
static bool is_same(isl_union_pw_aff *x, isl_union_pw_aff *y)
{
  isl_union_pw_aff *down = isl_union_pw_aff_neg(isl_union_pw_aff_copy(x));
  bool same =
      isl_union_pw_aff_plain_is_equal(x, y) == isl_bool_true || isl_union_pw_aff_plain_is_equal(down, y) == isl_bool_true;
  isl_union_pw_aff_free(down);
  return same;
}

/* The node as it was, or, if it is a band that counts elements of rows, bands of one member each. */
static isl_schedule_node *take_apart(isl_schedule_node *node, void *user)
{
  struct rows *changed = user;
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
    return node;
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  isl_size n = isl_schedule_node_band_n_member(node);
  isl_union_pw_aff_list *all = isl_union_pw_aff_list_alloc(isl_schedule_node_get_ctx(node), n + 1);
  isl_union_pw_aff *done[2] = {NULL, NULL};
  for (int i = 0; i < n; i++) {
    isl_union_pw_aff *member = isl_multi_union_pw_aff_get_union_pw_aff(partial, i);
    isl_space *space = isl_union_set_get_space(domain);
    struct rows rows = {.scop = changed->scop,
                        .domain = domain,
                        .row = isl_union_pw_aff_empty(isl_space_copy(space)),
                        .in_row = isl_union_pw_aff_empty(space)};
    bool apart = !done[0] && isl_union_pw_aff_foreach_pw_aff(member, add_statement, &rows) == isl_stat_ok && rows.length > 0;
    if (apart) {
      done[0] = isl_union_pw_aff_copy(rows.row);
      done[1] = isl_union_pw_aff_copy(rows.in_row);
      all = isl_union_pw_aff_list_add(all, isl_union_pw_aff_copy(rows.row));
      all = isl_union_pw_aff_list_add(all, isl_union_pw_aff_copy(rows.in_row));
    } else if (!done[0] || (!is_same(member, done[0]) && !is_same(member, done[1]))) {
      all = isl_union_pw_aff_list_add(all, isl_union_pw_aff_copy(member));
    }
    isl_union_pw_aff_free(rows.row);
    isl_union_pw_aff_free(rows.in_row);
    isl_union_pw_aff_free(member);
  }
  isl_multi_union_pw_aff_free(partial);
  isl_union_set_free(domain);
  if (done[0]) {
    changed->length++;
    int more = (int)isl_union_pw_aff_list_n_union_pw_aff(all);
    node = isl_schedule_node_delete(node);
    for (int i = more - 1; i >= 0; i--)
      node = isl_schedule_node_insert_partial_schedule(
          node, isl_multi_union_pw_aff_from_union_pw_aff(isl_union_pw_aff_list_get_union_pw_aff(all, i)));
  }
  isl_union_pw_aff_free(done[0]);
  isl_union_pw_aff_free(done[1]);
  isl_union_pw_aff_list_free(all);
  return node;
}

isl_schedule *tsr_schedule_rows_apart(isl_schedule *tree, struct tsr_scop *scop, struct tsr_deps *deps)
{
  struct rows changed = {.scop = scop}; /* length: how many bands */
  isl_schedule *apart = isl_schedule_map_schedule_node_bottom_up(isl_schedule_copy(tree), take_apart, &changed);
  if (apart && changed.length == 0) {
    isl_schedule_free(apart);
    return tree;
  }
  isl_schedule_free(tree);
  return apart ? tsr_schedule_flag(apart, scop, deps, true) : NULL;
}
