/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Is a mark "registers" justified? With p, the time of the loops around it, and x, that of its own row and vector:
 *
 *   the write w              two instances that write one element have the same x; two of the same p and x write one element
 *   an access with the same  these instances, too: it touches what w does
 *     subscripts
 *   any other access         { S -> T : w at S and it at T touch one element, at the same p } is empty
 *
 * What a point writes stays then between its first and its last instance with the point: it may be in a register. */
#include "check/promises.h"
#include <isl/constraint.h>
#include <isl/space.h>

/* { S -> T : WRITE at S and OTHER at T touch one element }, for instances in DOMAIN. */
static isl_union_map *meetings(struct tsr_access *write, struct tsr_access *other, isl_union_set *domain)
{
  isl_union_map *from = isl_union_map_from_map(isl_map_copy(write->relation));
  isl_union_map *to = isl_union_map_from_map(isl_map_copy(other->relation));
  from = isl_union_map_intersect_domain(from, isl_union_set_copy(domain));
  to = isl_union_map_intersect_domain(to, isl_union_set_copy(domain));
  return isl_union_map_apply_range(from, isl_union_map_reverse(to));
}

/* Do two instances in DOMAIN that write one element by WRITE run at the same POINT? */
static isl_bool is_own_in(struct tsr_access *write, isl_union_set *domain, isl_multi_union_pw_aff *point)
{
  isl_union_map *pairs = meetings(write, write, domain);
  isl_union_map *same =
      isl_union_map_eq_at_multi_union_pw_aff(isl_union_map_copy(pairs), isl_multi_union_pw_aff_copy(point));
  isl_bool own = isl_union_map_is_subset(pairs, same);
  isl_union_map_free(pairs);
  isl_union_map_free(same);
  return own;
}

/* The same of the tile's instances, DOMAIN. Of all instances of STMT, if that is so: that is more than asked for, but
 * without the divisions in DOMAIN; in a tile of which there is but one, isl may have put numbers in place of iterators. */
static isl_bool is_own(struct tsr_access *write, struct tsr_stmt *stmt, isl_union_set *domain, isl_multi_union_pw_aff *point)
{
  isl_union_set *all = isl_union_set_from_set(isl_set_copy(stmt->domain));
  isl_bool own = is_own_in(write, all, point);
  isl_union_set_free(all);
  return own == isl_bool_false ? is_own_in(write, domain, point) : own;
}

/* Do all instances in DOMAIN at one time of PREFIX and one POINT write one element by WRITE? */
static isl_bool is_one_in(struct tsr_access *write, isl_union_set *domain, isl_multi_union_pw_aff *prefix,
                          isl_multi_union_pw_aff *point)
{
  isl_union_map *pairs = isl_union_map_from_domain_and_range(isl_union_set_copy(domain), isl_union_set_copy(domain));
  pairs = isl_union_map_eq_at_multi_union_pw_aff(pairs, isl_multi_union_pw_aff_copy(prefix));
  pairs = isl_union_map_eq_at_multi_union_pw_aff(pairs, isl_multi_union_pw_aff_copy(point));
  isl_union_map *same = meetings(write, write, domain);
  isl_bool one = isl_union_map_is_subset(pairs, same);
  isl_union_map_free(pairs);
  isl_union_map_free(same);
  return one;
}

/* The same of the tile's instances, DOMAIN, of STMT; of any that there might be, if that is so, by linear equations as a
 * rule. */
static isl_bool is_one(struct tsr_access *write, struct tsr_stmt *stmt, isl_union_set *domain,
                       isl_multi_union_pw_aff *prefix, isl_multi_union_pw_aff *point)
{
  isl_multi_union_pw_aff *times[2] = {prefix, point};
  if (tsr_times_fix_element(times, 2, write->relation))
    return isl_bool_true;
  isl_union_set *all = isl_union_set_from_set(isl_set_universe(isl_set_get_space(stmt->domain)));
  isl_bool one = is_one_in(write, all, prefix, point);
  isl_union_set_free(all);
  return one == isl_bool_false ? is_one_in(write, domain, prefix, point) : one;
}

/* Does OTHER keep away from what WRITE touches at the same time of PREFIX? */
static isl_bool keeps_away(struct tsr_access *write, struct tsr_access *other, isl_union_set *domain,
                           isl_multi_union_pw_aff *prefix)
{
  if (other->array != write->array)
    return isl_bool_true;
  isl_union_map *pairs = meetings(write, other, domain);
  pairs = isl_union_map_eq_at_multi_union_pw_aff(pairs, isl_multi_union_pw_aff_copy(prefix));
  isl_bool none = isl_union_map_is_empty(pairs);
  isl_union_map_free(pairs);
  return none;
}

static isl_stat count_set(isl_set *set, void *user)
{
  isl_set **only = user;
  if (*only) {
    isl_set_free(set);
    return isl_stat_error;
  }
  *only = set;
  return isl_stat_ok;
}

/* The statement of DOMAIN, NULL if there is more than one. */
static struct tsr_stmt *only_statement(struct tsr_scop *scop, isl_union_set *domain)
{
  isl_set *only = NULL;
  bool one = isl_union_set_n_set(domain) == 1 && isl_union_set_foreach_set(domain, count_set, &only) == isl_stat_ok;
  int index = one ? tsr_scop_find_stmt(scop, isl_set_get_tuple_name(only)) : -1;
  isl_set_free(only);
  return index < 0 ? NULL : &scop->stmts[index];
}

/* Are row and vector of POINT { S -> x } within TILE? */
static isl_bool is_within(isl_union_map *point, const struct tsr_register_tile *tile)
{
  isl_set *points = isl_set_from_union_set(isl_union_map_range(isl_union_map_copy(point)));
  isl_set *tiles = isl_set_universe(isl_set_get_space(points));
  int size[2] = {tile->rows, tile->vectors * tile->lanes};
  for (int i = 0; i < 2; i++)
    tiles = isl_set_upper_bound_si(isl_set_lower_bound_si(tiles, isl_dim_set, i, 0), isl_dim_set, i, size[i] - 1);
  isl_bool within = isl_set_is_subset(points, tiles);
  isl_set_free(points);
  isl_set_free(tiles);
  return within;
}

/* Do neighbours along one member of TIME, BACK from the end, differ by STEP, of N dimensions? For instances in DOMAIN. */
static bool has_step(isl_multi_union_pw_aff *time, isl_union_set *domain, int back, const long *step, int n)
{
  isl_set *set = isl_set_from_union_set(isl_union_set_copy(domain));
  int at = (int)isl_multi_union_pw_aff_dim(time, isl_dim_out) - back;
  if (tsr_time_has_step(time, set, at, step, n)) {
    isl_set_free(set);
    return true;
  }
  isl_map *all = isl_map_from_union_map(isl_union_map_from_multi_union_pw_aff(isl_multi_union_pw_aff_copy(time)));
  all = isl_map_intersect_domain(all, set);
  isl_multi_aff *next = isl_multi_aff_identity_on_domain_space(isl_space_range(isl_map_get_space(all)));
  next = isl_multi_aff_set_aff(next, at, isl_aff_add_constant_si(isl_multi_aff_get_aff(next, at), 1));
  isl_map *pairs = isl_map_apply_range(isl_map_copy(all), isl_map_from_multi_aff(next));
  isl_set *deltas = isl_map_deltas(isl_map_apply_range(pairs, isl_map_reverse(all)));
  isl_set *expected = isl_set_universe(isl_set_get_space(deltas));
  isl_bool good = isl_bool_ok(isl_set_dim(deltas, isl_dim_set) == n);
  for (int i = 0; i < n && good == isl_bool_true; i++)
    expected = isl_set_fix_si(expected, isl_dim_set, i, (int)step[i]);
  if (good == isl_bool_true)
    good = isl_set_is_subset(deltas, expected);
  isl_set_free(deltas);
  isl_set_free(expected);
  return good == isl_bool_true;
}

/* Has STMT a guard? */
static bool has_guard(struct tsr_stmt *stmt)
{
  for (int i = 0; i < stmt->n_access; i++)
    if (stmt->access[i].guard)
      return true;
  return false;
}

/* The only write of STMT, NULL if there are others, or one that but a guard may let happen. */
static struct tsr_access *only_write(struct tsr_stmt *stmt)
{
  struct tsr_access *write = NULL;
  for (int i = 0; i < stmt->n_access; i++)
    if (stmt->access[i].kind != TSR_READ) {
      if (write || (stmt->access[i].kind != TSR_MUST_WRITE && !has_guard(stmt)))
        return NULL;
      write = &stmt->access[i];
    }
  return write;
}

/* Is the element of ACCESS, in instances in DOMAIN, one for each time of SLICE? */
static bool is_one_for_each(struct tsr_access *access, isl_union_set *domain, isl_multi_union_pw_aff *slice)
{
  if (tsr_times_fix_element(&slice, 1, access->relation))
    return true;
  isl_union_map *asked = isl_union_map_from_map(isl_map_copy(access->relation));
  asked = isl_union_map_intersect_domain(asked, isl_union_set_copy(domain));
  isl_union_map *when = isl_union_map_from_multi_union_pw_aff(isl_multi_union_pw_aff_copy(slice));
  asked = isl_union_map_apply_domain(asked, when);
  bool one = isl_union_map_is_single_valued(asked) == isl_bool_true;
  isl_union_map_free(asked);
  return one;
}

/* Do all lanes of STMT's instances, in DOMAIN, which run at TIME, ask the same guards? */
static bool share_guards(struct tsr_stmt *stmt, isl_union_set *domain, isl_multi_union_pw_aff *time)
{
  bool share = true;
  unsigned last = (unsigned)isl_multi_union_pw_aff_dim(time, isl_dim_out) - 1;
  isl_multi_union_pw_aff *slice = isl_multi_union_pw_aff_drop_dims(isl_multi_union_pw_aff_copy(time), isl_dim_out, last, 1);
  for (int i = 0; i < stmt->n_access && share; i++)
    share = !stmt->access[i].guard || is_one_for_each(&stmt->access[i], domain, slice);
  isl_multi_union_pw_aff_free(slice);
  return share;
}

/* Do all accesses of STMT but WRITE, and those to the same element, keep away from it? */
static bool all_keep_away(struct tsr_stmt *stmt, struct tsr_access *write, isl_union_set *domain,
                          isl_multi_union_pw_aff *prefix)
{
  for (int i = 0; i < stmt->n_access; i++) {
    struct tsr_access *other = &stmt->access[i];
    bool same = other->array == write->array && isl_map_plain_is_equal(other->relation, write->relation) == isl_bool_true;
    if (!same && keeps_away(write, other, domain, prefix) != isl_bool_true)
      return false;
  }
  return true;
}

/* Of STMT, whose instances in DOMAIN run at PREFIX, then at a POINT. */
static const char *check_accesses(struct tsr_stmt *stmt, isl_union_set *domain, isl_multi_union_pw_aff *prefix,
                                  isl_multi_union_pw_aff *point)
{
  struct tsr_access *write = only_write(stmt);
  if (!write)
    return "a register tile with other than one write";
  if (is_own(write, stmt, domain, point) != isl_bool_true)
    return "a register tile whose points write one element";
  if (is_one(write, stmt, domain, prefix, point) != isl_bool_true)
    return "a register tile with a point that writes several elements";
  if (!all_keep_away(stmt, write, domain, prefix))
    return "a register tile in which another access meets the element that is written";
  return NULL;
}

const char *tsr_check_registers(struct tsr_scop *scop, isl_schedule_node *node, const struct tsr_register_tile *tile)
{
  const char *why = "a register tile that does not stand above its band";
  isl_schedule_node *band = isl_schedule_node_get_child(node, 0);
  isl_union_set *domain = isl_schedule_node_get_domain(band);
  domain = isl_union_set_intersect_params(domain, tsr_scop_common(scop));
  struct tsr_stmt *stmt = only_statement(scop, domain);
  if (stmt && stmt->vector_bytes && isl_schedule_node_get_type(band) == isl_schedule_node_band &&
      isl_schedule_node_band_n_member(band) == tile->n_reduction + 2 && tsr_node_has_band_below(band) == isl_bool_false) {
    isl_multi_union_pw_aff *around = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(band);
    isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(band);
    isl_multi_union_pw_aff *time =
        isl_multi_union_pw_aff_flat_range_product(isl_multi_union_pw_aff_copy(around), isl_multi_union_pw_aff_copy(partial));
    partial = isl_multi_union_pw_aff_drop_dims(partial, isl_dim_out, 0, tile->n_reduction);
    isl_union_map *point = isl_union_map_from_multi_union_pw_aff(isl_multi_union_pw_aff_copy(partial));
    point = isl_union_map_intersect_domain(point, isl_union_set_copy(domain));
    why = check_accesses(stmt, domain, around, partial);
    if (!why && is_within(point, tile) != isl_bool_true)
      why = "a register tile with points outside of it";
    if (!why && !share_guards(stmt, domain, time))
      why = "a register tile whose lanes have other guards";
    if (!why && !has_step(time, domain, 1, tile->step, tile->n_dim))
      why = "a register tile whose vectors have another step";
    if (!why && tile->streams && !has_step(time, domain, 3, tile->along, tile->n_dim))
      why = "a register tile whose reduction has another step";
    isl_union_map_free(point);
    isl_multi_union_pw_aff_free(time);
    isl_multi_union_pw_aff_free(around);
    isl_multi_union_pw_aff_free(partial);
  }
  isl_union_set_free(domain);
  isl_schedule_node_free(band);
  return why;
}
