/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nests one behind the other as one loop over rows, iterations of their outermost loops, in which each is so many rows
 * behind the others as what it reads and overwrites asks for. What one leaves in the cache another finds there; nothing is
 * computed again, nothing is stored elsewhere, so that arrays may be written by several nests, in turn, and be seen by all.
 *
 *   seq(G: B(i, j) - X, H: B(i, j) - Y)   ->   mark "rows" - B(t / n) - seq(G: B(t % n, j) - X, H: B(t % n, j) - Y)
 *                                              with t = i of G, t = 2 i + 3 of H
 *
 * A nest g runs its row i at the time r_g i + s_g. Where its row i and row k of h, behind it, touch one element, and not
 * both read it, (i, k) in C,
 *
 *   r_h k + s_h >= r_g i + s_g        so s_h = max over g of s_g + max over C of r_g i - r_h k
 *
 * as at equal times nests run in their order; n times together are run nest by nest. r is what keeps r_g i - r_h k within
 * bounds: 2 for a nest of half as many rows. A group of nests ends where there is no such r, or where what its rows hold
 * between their first and their last use, of all arrays, is more than a part of the second cache. What
 * shares nothing with a group runs behind it, or in front of it if a member needs it, in groups of its own. What only copies
 * or sets an array begins none: memory is fastest in long runs (a copy and two filters behind it, of 2112 x 3520, take 8.0
 * ms, all row by row 8.8, the filters alone 7.6; beyond a cache of 260 MB 57, 39, 44).
 *
 * Loops around those over rows, as over the planes of an image, are of one group if what meets is in the same iteration of
 * them: they become those around the fused loop. */
#include "model/thresholds.h"
#include "support/message.h"
#include "support/support.h"
#include "tree/stages/outer_nests.h"
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdint.h>
#include <stdlib.h>

/* Rates are multiples of 1 / UNIT of that of a group's first nest: enough for halves and thirds of them. */
#define UNIT 144
/* Rows that a nest may be behind another one. */
#define FARTHEST 100000

/* What a nest touches of an array. */
struct touched {
  isl_map *reads, *writes;               /* { [b] -> A[e] }; either may be NULL */
  isl_map *reads_of_row, *writes_of_row; /* the same of [o, i], o loops around rows, once somebody has asked */
  bool counted;
  double bytes; /* of both together, once they are counted */
};

/* A group of nests, from the number `first` to below `end`, but for those in front of it. */
struct fusion {
  struct tsr_scop *scop;
  struct tsr_nests *nests;
  struct touched *touched;      /* by nest and array */
  bool *member, *front;         /* by nest */
  bool *left;                   /* .. is it in no group yet? */
  long *rate, *shift;           /* of members, in 1 / UNIT */
  int first, end, n;            /* n: members */
  int around;                   /* loops around those over rows */
  double (*trips)[TSR_MAX_DIM]; /* by nest and loop, once somebody has asked; else 0 */
};

static struct touched *touched_of(const struct fusion *f, int nest, int array)
{
  return &f->touched[nest * f->scop->n_array + array];
}

static bool fusion_init(struct fusion *f, struct tsr_scop *scop, struct tsr_nests *nests)
{
  size_t n = (size_t)nests->n + 1;
  *f = (struct fusion){.scop = scop,
                       .nests = nests,
                       .touched = calloc(n * (size_t)(scop->n_array + 1), sizeof(*f->touched)),
                       .member = calloc(n, sizeof(bool)),
                       .front = calloc(n, sizeof(bool)),
                       .left = calloc(n, sizeof(bool)),
                       .rate = calloc(n, sizeof(long)),
                       .shift = calloc(n, sizeof(long)),
                       .trips = calloc(n, sizeof(*f->trips))};
  if (!f->touched || !f->trips || !f->member || !f->front || !f->left || !f->rate || !f->shift)
    return false;
  for (int i = 0; i < nests->n; i++) {
    f->left[i] = true;
    for (int a = 0; a < scop->n_array; a++) {
      touched_of(f, i, a)->reads = tsr_nest_accesses(&nests->stage[i], scop, a, TSR_NEST_READS);
      touched_of(f, i, a)->writes = tsr_nest_accesses(&nests->stage[i], scop, a, TSR_NEST_WRITES);
    }
  }
  return true;
}

/* Loops around those over rows are AROUND from now on. */
static void set_around(struct fusion *f, int around)
{
  for (int i = 0; i < f->nests->n * f->scop->n_array && around != f->around; i++) {
    f->touched[i].reads_of_row = isl_map_free(f->touched[i].reads_of_row);
    f->touched[i].writes_of_row = isl_map_free(f->touched[i].writes_of_row);
  }
  f->around = around;
}

static void fusion_clear(struct fusion *f)
{
  for (int i = 0; f->touched && i < f->nests->n * f->scop->n_array; i++) {
    isl_map_free(f->touched[i].reads);
    isl_map_free(f->touched[i].writes);
    isl_map_free(f->touched[i].reads_of_row);
    isl_map_free(f->touched[i].writes_of_row);
  }
  free(f->touched);
  free(f->member);
  free(f->front);
  free(f->left);
  free(f->rate);
  free(f->shift);
  free(f->trips);
}

/* ---- which rows meet --------------------------------------------------------------------------------------------- */

/* { [o, i] -> A[e] } of MAP { [b] -> A[e] }, kept in *ROW; NULL for NULL. */
static isl_map *row_of(const struct fusion *f, isl_map *map, isl_map **row)
{
  isl_size n = map && !*row ? isl_map_dim(map, isl_dim_in) : 0;
  unsigned kept = (unsigned)f->around + 1;
  if (n > 0)
    *row = isl_map_coalesce(isl_map_project_out(isl_map_copy(map), isl_dim_in, kept, (unsigned)n - kept));
  return *row;
}

static isl_map *reads_of(const struct fusion *f, int nest, int array)
{
  struct touched *touched = touched_of(f, nest, array);
  return row_of(f, touched->reads, &touched->reads_of_row);
}

static isl_map *writes_of(const struct fusion *f, int nest, int array)
{
  struct touched *touched = touched_of(f, nest, array);
  return row_of(f, touched->writes, &touched->writes_of_row);
}

/* { [o, i, p, k] } where A and B { [o, i] -> A[e] }, either may be NULL, touch one element, added to PAIRS, NULL for none.
 */
static isl_set *add_pairs(__isl_take isl_set *pairs, isl_map *a, isl_map *b)
{
  if (!a || !b)
    return pairs;
  isl_map *both = isl_map_apply_range(isl_map_copy(a), isl_map_reverse(isl_map_copy(b)));
  isl_set *own = isl_set_flatten(isl_map_wrap(both));
  return pairs ? isl_set_union(pairs, own) : own;
}

/* { [o, i, p, k] } of rows of nests G and H in conflict over ARRAY, or if READ that both read; NULL: they don't share it so.
 */
static isl_set *pairs_of(const struct fusion *f, int g, int h, int array, bool read)
{
  if (read)
    return add_pairs(NULL, reads_of(f, g, array), reads_of(f, h, array));
  isl_set *pairs = add_pairs(NULL, writes_of(f, g, array), reads_of(f, h, array));
  pairs = add_pairs(pairs, reads_of(f, g, array), writes_of(f, h, array));
  return add_pairs(pairs, writes_of(f, g, array), writes_of(f, h, array));
}

/* Is o = p in all of PAIRS { [o, i, p, k] }? */
static bool are_aligned(const struct fusion *f, isl_set *pairs)
{
  isl_set *same = isl_set_universe(isl_set_get_space(pairs));
  for (int d = 0; d < f->around; d++)
    same = isl_set_equate(same, isl_dim_set, d, isl_dim_set, f->around + 1 + d);
  bool aligned = f->around == 0 || isl_set_is_subset(pairs, same) == isl_bool_true;
  isl_set_free(same);
  return aligned;
}

/* The most, or the least, of RG i - RH k over PAIRS { [o, i, p, k] }. False: there is no bound. */
static bool find_bound(const struct fusion *f, isl_set *pairs, long rg, long rh, bool most, long *bound)
{
  isl_local_space *space = isl_local_space_from_space(isl_set_get_space(pairs));
  isl_aff *difference = isl_aff_zero_on_domain(space);
  difference = isl_aff_set_coefficient_si(difference, isl_dim_in, f->around, (int)rg);
  difference = isl_aff_set_coefficient_si(difference, isl_dim_in, 2 * f->around + 1, (int)-rh);
  isl_val *value = most ? isl_set_max_val(pairs, difference) : isl_set_min_val(pairs, difference);
  bool known = isl_val_is_int(value) == isl_bool_true && isl_val_get_d(value) < (double)FARTHEST * UNIT &&
               isl_val_get_d(value) > -(double)FARTHEST * UNIT;
  *bound = known ? isl_val_get_num_si(value) : 0;
  isl_val_free(value);
  isl_aff_free(difference);
  return known;
}

/* What a rate of a nest makes of it beside others. */
struct fit {
  bool possible; /* can it be behind them? */
  bool near;     /* and does it stay near one of them? */
  long shift;
};

/* How nest H at RATE fits behind the members of F, by what READ says. */
static struct fit try_rate(const struct fusion *f, int h, long rate, bool read)
{
  struct fit fit = {.possible = true};
  bool any = false;
  for (int g = f->first; g < h && fit.possible; g++)
    for (int a = 0; a < f->scop->n_array && f->member[g] && fit.possible; a++) {
      isl_set *pairs = pairs_of(f, g, h, a, read);
      long most, least;
      if (!pairs || isl_set_is_empty(pairs) == isl_bool_true) {
        isl_set_free(pairs);
        continue;
      }
      fit.possible = are_aligned(f, pairs) && find_bound(f, pairs, f->rate[g], rate, true, &most);
      fit.near |= fit.possible && find_bound(f, pairs, f->rate[g], rate, false, &least);
      if (fit.possible && (!any || f->shift[g] + most > fit.shift))
        fit.shift = f->shift[g] + most;
      any = true;
      isl_set_free(pairs);
    }
  fit.possible &= any;
  return fit;
}

/* Let nest H be a member, if it can be one near others. */
static bool add_member(struct fusion *f, int h, bool read)
{
  static const int part[][2] = {{1, 1}, {2, 1}, {1, 2}, {4, 1}, {1, 4}, {3, 1}, {1, 3}};
  for (int g = h - 1; g >= f->first; g--)
    for (size_t i = 0; i < sizeof(part) / sizeof(*part) && f->member[g]; i++) {
      long rate = f->rate[g] * part[i][0];
      if (rate % part[i][1] != 0 || rate / part[i][1] > INT32_MAX / 2)
        continue;
      rate /= part[i][1];
      bool seen = false; /* was it tried for another member? */
      for (int k = g + 1; k < h && !seen; k++)
        for (size_t j = 0; j < sizeof(part) / sizeof(*part) && f->member[k] && !seen; j++)
          seen = f->rate[k] * part[j][0] == rate * part[j][1];
      struct fit fit = seen ? (struct fit){.possible = false} : try_rate(f, h, rate, read);
      if (!fit.possible || !fit.near)
        continue;
      f->member[h] = true;
      f->rate[h] = rate;
      f->shift[h] = fit.shift;
      return true;
    }
  return false;
}

/* ---- groups ------------------------------------------------------------------------------------------------------- */

/* Do nests G and H share an array; and does one of the two write it? */
static void find_shared(const struct fusion *f, int g, int h, bool *shares, bool *conflicts)
{
  *shares = *conflicts = false;
  for (int a = 0; a < f->scop->n_array; a++) {
    struct touched *one = touched_of(f, g, a), *other = touched_of(f, h, a);
    bool both = (one->reads || one->writes) && (other->reads || other->writes);
    *shares |= both;
    *conflicts |= both && (one->writes || other->writes);
  }
}

/* The same for H and any member of F. */
static void find_shared_by_any(const struct fusion *f, int h, bool *shares, bool *conflicts)
{
  *shares = *conflicts = false;
  for (int g = f->first; g < h; g++) {
    bool own = false, own_conflict = false;
    if (f->member[g])
      find_shared(f, g, h, &own, &own_conflict);
    *shares |= own;
    *conflicts |= own_conflict;
  }
}

/* Let run in front of F what nest H, which does or is a member, needs there of those that were passed over. */
static void put_in_front(struct fusion *f, int h)
{
  for (int g = h - 1; g > f->first; g--) {
    bool shares, conflicts;
    if (!f->left[g] || f->member[g] || f->front[g])
      continue;
    find_shared(f, g, h, &shares, &conflicts);
    if (conflicts) {
      f->front[g] = true;
      put_in_front(f, g);
    }
  }
}

/* Bytes of ARRAY that nest G touches, about. */
static double bytes_of(const struct fusion *f, int g, int array)
{
  struct touched *own = touched_of(f, g, array);
  isl_map *map[] = {own->reads, own->writes};
  for (int i = 0; i < 2 && !own->counted; i++) {
    isl_set *touched = map[i] ? isl_map_range(isl_map_copy(map[i])) : NULL;
    double bytes = touched ? tsr_set_points(f->scop, touched) * f->scop->arrays[array].elem_size : 0;
    own->bytes = bytes > own->bytes ? bytes : own->bytes;
    isl_set_free(touched);
  }
  own->counted = true;
  return own->bytes;
}

/* Rows that nest G has. */
static double rows_of(const struct fusion *f, int g)
{
  double rows = 1;
  for (int d = 0; d <= f->around; d++) {
    double *trips = &f->trips[g][d];
    *trips = *trips > 0 ? *trips : tsr_nest_trips(&f->nests->stage[g], f->scop, d);
    rows *= *trips;
  }
  return rows > 0 ? rows : 1;
}

/* The same while a first nest's row runs. */
static double bytes_of_row(const struct fusion *f, int g, int array)
{
  return bytes_of(f, g, array) / rows_of(f, g) / (double)f->rate[g] * UNIT;
}

/* Does what the members of F hold fit into the cache? Rows of an array from the first nest that touches them to the last. */
static bool do_rows_fit(const struct fusion *f, int end)
{
  const struct tsr_machine *machine = &f->scop->machine;
  double bytes = 0;
  for (int a = 0; a < f->scop->n_array; a++) {
    double most = 0;
    long first = 0, last = 0;
    bool any = false;
    for (int g = f->first; g < end; g++) {
      if (!f->member[g] || (!touched_of(f, g, a)->reads && !touched_of(f, g, a)->writes))
        continue;
      double own = bytes_of_row(f, g, a);
      most = own > most ? own : most;
      first = !any || f->shift[g] < first ? f->shift[g] : first;
      last = !any || f->shift[g] + f->rate[g] > last ? f->shift[g] + f->rate[g] : last;
      any = true;
    }
    bytes += most * (double)(last - first) / UNIT;
  }
  return bytes <= BUFFERS_OF_CACHE * machine->cache[machine->n_cache > 1 ? 1 : 0].size;
}

/* Has NEST loops in rows inside of AROUND others? */
static bool has_rows(const struct tsr_nest *nest, int around)
{
  return nest->n_loop > around + 1 || (nest->n_loop == around + 1 && tsr_node_has_band_below(nest->band) == isl_bool_true);
}

/* Find the group that begins with nest FIRST, of nests before number BEHIND, with AROUND loops around rows. */
static void find_group_around(struct fusion *f, int first, int behind, int around)
{
  set_around(f, around);
  for (int i = first; i < behind; i++)
    f->member[i] = f->front[i] = false;
  f->first = first;
  f->n = 1;
  f->member[first] = true;
  f->rate[first] = UNIT;
  f->shift[first] = 0;
  f->end = first + 1;
  int last = first;
  for (bool more = has_rows(&f->nests->stage[first], around); more && f->end < behind; f->end += more) {
    int h = f->end;
    bool shares, conflicts;
    find_shared_by_any(f, h, &shares, &conflicts);
    if (!f->left[h] || !shares)
      continue;
    more = has_rows(&f->nests->stage[h], around) && add_member(f, h, !conflicts);
    if (more && !do_rows_fit(f, h + 1))
      f->member[h] = more = false;
    f->n += more;
    last = more ? h : last;
    if (more)
      put_in_front(f, h);
  }
  f->end = last + 1;
}

/* Does NEST, of SCOP, only copy or set an array? */
static bool only_moves(const struct tsr_nest *nest, const struct tsr_scop *scop)
{
  bool moves = true;
  for (int s = 0; s < scop->n_stmt && moves; s++)
    moves = !nest->has[s] || (scop->stmts[s].weight <= 1 && scop->stmts[s].n_access <= 2);
  return moves;
}

/* Find the group that begins with nest FIRST, of nests before number BEHIND: that with the fewest loops around rows. */
static void find_group(struct fusion *f, int first, int behind)
{
  f->n = 1;
  f->end = (f->first = first) + 1;
  f->member[first] = true;
  f->front[first] = false;
  if (only_moves(&f->nests->stage[first], f->scop))
    return;
  for (int around = 0; f->n < 2 && (around == 0 || has_rows(&f->nests->stage[first], around)); around++)
    find_group_around(f, first, behind, around);
}

/* ---- the tree ----------------------------------------------------------------------------------------------------- */

/* What fuse() makes of one nest: when its blocks run, in the loops around, and what runs in one. */
struct part {
  isl_multi_union_pw_aff *time;
  isl_schedule *tree;
};

/* That of nest number G, of TREE: its row i runs at RATE i + SHIFT, in blocks of BLOCK times. */
static struct part take_part(const struct fusion *f, int g, isl_schedule *tree, long rate, long shift, int block)
{
  struct part part;
  const struct tsr_nest *nest = &f->nests->stage[g];
  isl_schedule *own = tsr_nest_schedule(nest, tree);
  isl_ctx *ctx = isl_schedule_get_ctx(own);
  isl_schedule_node *node = isl_schedule_get_root(own);
  isl_schedule_free(own);
  while (node && isl_schedule_node_get_type(node) != isl_schedule_node_band)
    node = isl_schedule_node_child(node, 0);
  if (nest->n_loop > f->around + 1)
    node = isl_schedule_node_band_split(node, f->around + 1);
  isl_bool coincident = isl_schedule_node_band_member_get_coincident(node, f->around);
  part.time = isl_multi_union_pw_aff_reset_tuple_id(isl_schedule_node_band_get_partial_schedule(node), isl_dim_set);
  isl_union_pw_aff *row = isl_multi_union_pw_aff_get_at(part.time, f->around);
  isl_union_set *domain = isl_union_pw_aff_domain(isl_union_pw_aff_copy(row));
  row = isl_union_pw_aff_scale_val(row, isl_val_int_from_si(ctx, rate));
  row = isl_union_pw_aff_add(row, isl_union_pw_aff_val_on_domain(domain, isl_val_int_from_si(ctx, shift)));
  node = isl_schedule_node_delete(node);
  if (block > 1) {
    isl_union_pw_aff *within = isl_union_pw_aff_mod_val(isl_union_pw_aff_copy(row), isl_val_int_from_si(ctx, block));
    node = isl_schedule_node_insert_partial_schedule(node, isl_multi_union_pw_aff_from_union_pw_aff(within));
    node = isl_schedule_node_band_member_set_coincident(node, 0, coincident == isl_bool_true);
    row = isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(row, isl_val_int_from_si(ctx, block)));
  }
  part.time = isl_multi_union_pw_aff_set_at(part.time, f->around, row);
  part.tree = isl_schedule_node_get_schedule(node);
  isl_schedule_node_free(node);
  return part;
}

/* The group of F, of TREE, in blocks of so many ROWS. */
static isl_schedule *fuse(const struct fusion *f, isl_schedule *tree, int rows)
{
  isl_schedule *all = NULL;
  isl_multi_union_pw_aff *time = NULL;
  long unit = 0;
  for (int g = f->first; g < f->end; g++)
    unit = f->member[g] ? tsr_common_divisor(f->rate[g], unit) : unit;
  for (int g = f->first; g < f->end; g++) {
    if (!f->member[g])
      continue;
    struct part part = take_part(f, g, tree, f->rate[g] / unit, f->shift[g] / unit, rows);
    time = time ? isl_multi_union_pw_aff_union_add(time, part.time) : part.time;
    all = all ? isl_schedule_sequence(all, part.tree) : part.tree;
  }
  all = isl_schedule_insert_partial_schedule(all, time);
  isl_schedule_node *node = isl_schedule_node_child(isl_schedule_get_root(all), 0);
  isl_schedule_free(all);
  node = isl_schedule_node_band_member_set_ast_loop_type(node, f->around, isl_ast_loop_atomic); /* one, with conditions */
  node = tsr_mark_insert_word(node, TSR_MARK_ROWS);
  all = isl_schedule_node_get_schedule(node);
  isl_schedule_node_free(node);
  return all;
}

static isl_schedule *add_to(__isl_take isl_schedule *made, __isl_take isl_schedule *own)
{
  return made ? isl_schedule_sequence(made, own) : own;
}

static isl_schedule *fuse_range(struct fusion *f, isl_schedule *tree, int rows, int first, int behind, bool *any);

/* MADE and behind it what is to run in front of the group of F, in groups of its own. The rest is left. */
static isl_schedule *add_front(struct fusion *f, isl_schedule *tree, int rows, bool *any, __isl_take isl_schedule *made)
{
  int first = f->first, end = f->end, n = 0;
  bool *later = calloc((size_t)f->nests->n + 1, sizeof(*later));
  for (int i = first; i < end && later; i++) {
    later[i] = f->left[i] && !f->member[i] && !f->front[i];
    f->left[i] = f->front[i];
    n += f->front[i];
  }
  if (n > 0)
    made = add_to(made, fuse_range(f, tree, rows, first + 1, end, any));
  for (int i = first; i < end && later; i++)
    f->left[i] = later[i];
  free(later);
  return made;
}

/* TREE of the nests from number FIRST to before BEHIND that are left, with all groups that there are, as fuse() makes them.
 * *ANY: is there one? */
static isl_schedule *fuse_range(struct fusion *f, isl_schedule *tree, int rows, int first, int behind, bool *any)
{
  isl_schedule *made = NULL;
  for (; first < behind; first++) {
    if (!f->left[first])
      continue;
    find_group(f, first, behind);
    *any |= f->n > 1;
    isl_schedule *own = f->n > 1 ? fuse(f, tree, rows) : tsr_nest_schedule(&f->nests->stage[first], tree);
    made = add_to(add_front(f, tree, rows, any, made), own);
  }
  return made;
}

/* All of TREE so. NULL: isl failed, or instances are outside of nests. */
static isl_schedule *fuse_all(struct fusion *f, isl_schedule *tree, int rows, bool *any)
{
  isl_schedule *made = fuse_range(f, tree, rows, 0, f->nests->n, any);
  isl_union_set *all = isl_schedule_get_domain(tree), *have = made ? isl_schedule_get_domain(made) : NULL;
  bool complete = isl_union_set_is_equal(all, have) == isl_bool_true;
  isl_union_set_free(all);
  isl_union_set_free(have);
  return complete ? made : isl_schedule_free(made);
}

/* requires: no marks.  guarantees: legal, if the order was; flags of loops in rows are as they were.  on failure: NULL, the
 * program goes. */
struct tsr_program *tsr_program_shift(struct tsr_program *program, int rows, char **why)
{
  struct tsr_nests nests;
  struct fusion f = {.touched = NULL};
  bool any = false;
  isl_schedule *made = NULL;
  bool known = tsr_nests_find(&nests, program) == isl_stat_ok && nests.n > 1;
  if (known && fusion_init(&f, program->scop, &nests))
    made = fuse_all(&f, program->tree, rows, &any);
  if (known)
    fusion_clear(&f);
  tsr_nests_clear(&nests);
  if (!made || !any) {
    tsr_message_set(why, "no nests one behind the other share rows that fit into a cache");
    isl_schedule_free(made);
    return tsr_program_free(program);
  }
  return tsr_program_set_tree(program, made);
}
