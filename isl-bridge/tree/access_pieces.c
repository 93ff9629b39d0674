/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops in pieces in which accesses have one form. Those to a[max(t - 1, 0)], a[min(t + 1, n - 1)], a[(t + 1) % n] change
 * their form at borders, those to a[t / 2] with each iteration: no vector can be loaded for some of them at once. R: the
 * iterations, in blocks of u, in which subscripts are affine in the block's number.
 *
 *   B(p, t) - X   ->   B(p) - sequence - { t in front of R } - B(t) - X
 *                                      - { t in R } - B(t / u) - sequence - { t % u = 0 } - X
 *                                                                         - ..
 *                                      - { t behind R } - B(t) - X
 *
 *   b[j] = a[max(j - 1, 0)]   ->   b[0] = a[0]; for (j = 1; ..) b[j] = a[j - 1]
 *   b[j] = a[j / 2]           ->   for (k = 0; k < n / 2; ..) { b[2 * k] = a[k]; b[2 * k + 1] = a[k]; } and the last one
 *
 * The order of instances stays as it was. (Separation of access patterns: O. Zinenko et al., CC 2018, section 4, who split
 * schedules for it. Index-set splitting: M. Griebl, P. Feautrier, C. Lengauer, "Index set splitting", IJPP 2000.)
 *
 * Loops inside of t, where they are straight code (straight_loops.c), count as one iteration: R is where all of theirs have
 * the usual form.
 *
 * u is the least common multiple of what quotients divide by. Of several forms of a subscript that is taken which most
 * iterations have, for each t % u its own. What has no form in most iterations is left alone. */
#include "model/thresholds.h"
#include "tree/rows/rows.h"
#include <isl/local_space.h>
#include <isl/space.h>
#include <isl/val.h>

#define MAX_ACCESSES 64
/* More forms of a subscript than that are left alone: borders are seldom among them, and each takes time. */
#define MAX_FORMS 16

/* What is known of the loop t of a band. */
struct forms {
  struct tsr_scop *scop;
  isl_union_map *time;           /* { S[i] -> [p, t] } of what runs in it */
  unsigned t;                    /* its dimension */
  isl_map *access[MAX_ACCESSES]; /* { [p, t] -> A[e] }, of those with several forms */
  int n;
  isl_set *runs[MAX_ACCESSES]; /* { [p, t] } of each statement */
  int n_runs;
  isl_set *irregular; /* { [p, t] } in which accesses in loops inside of t have some other form */
  int unroll;         /* u */
  isl_set *regular;   /* { [p, t / u] } of R */
};

static void forms_clear(struct forms *forms)
{
  isl_union_map_free(forms->time);
  for (int i = 0; i < forms->n; i++)
    isl_map_free(forms->access[i]);
  for (int i = 0; i < forms->n_runs; i++)
    isl_set_free(forms->runs[i]);
  isl_set_free(forms->irregular);
  isl_set_free(forms->regular);
}

/* ---- forms of a subscript ---------------------------------------------------------------------------------------- */

/* Those of one, each once. */
struct pieces {
  isl_aff *aff[MAX_FORMS];
  int n;
  bool many;
};

static isl_stat add_piece(isl_set *set, isl_aff *aff, void *user)
{
  struct pieces *p = user;
  bool seen = false;
  for (int i = 0; i < p->n && !seen; i++)
    seen = isl_aff_plain_is_equal(p->aff[i], aff) == isl_bool_true;
  p->many |= !seen && p->n == MAX_FORMS;
  if (seen || p->many)
    isl_aff_free(aff);
  else
    p->aff[p->n++] = aff;
  isl_set_free(set);
  return isl_stat_ok;
}

/* Is there a quotient in AFF in which dimension T is, or, if T is below 0, any? */
static bool divides(__isl_keep isl_aff *aff, int t)
{
  bool found = false;
  isl_size n = isl_aff_dim(aff, isl_dim_div);
  for (int i = 0; i < n && !found; i++) {
    isl_val *factor = isl_aff_get_coefficient_val(aff, isl_dim_div, i);
    isl_aff *div = isl_val_is_zero(factor) == isl_bool_false ? isl_aff_get_div(aff, i) : NULL;
    found = div && (t < 0 || isl_aff_involves_dims(div, isl_dim_in, (unsigned)t, 1) != isl_bool_false);
    isl_aff_free(div);
    isl_val_free(factor);
  }
  return found;
}

/* Where FUNCTION has the value of the form that it has most often, of those that don't divide by T. */
static __isl_give isl_set *find_most(struct tsr_scop *scop, __isl_keep isl_pw_aff *function, int t)
{
  struct pieces p = {.n = 0};
  double most = 0;
  isl_stat ok = isl_pw_aff_foreach_piece(function, add_piece, &p);
  isl_set *best = isl_pw_aff_domain(isl_pw_aff_copy(function));
  best = isl_set_subtract(best, isl_set_copy(best));
  for (int i = 0; i < p.n && ok == isl_stat_ok && !p.many; i++) {
    if (divides(p.aff[i], t))
      continue;
    isl_pw_aff *form = isl_pw_aff_from_aff(isl_aff_copy(p.aff[i]));
    isl_set *same = isl_set_coalesce(isl_pw_aff_eq_set(isl_pw_aff_copy(function), form));
    double points = tsr_set_points(scop, same);
    isl_set_free(points > most ? best : same);
    best = points > most ? same : best;
    most = points > most ? points : most;
  }
  for (int i = 0; i < p.n; i++)
    isl_aff_free(p.aff[i]);
  return best;
}

/* ---- which accesses ---------------------------------------------------------------------------------------------- */

/* Note where subscript D of SUBSCRIPTS { S[i] -> A[e] }, of one with TIME { S[i] -> [p, t] }, has some other form than the
 * usual one, if it has that for some t alone. */
static void add_irregular(struct forms *forms, isl_map *time, isl_pw_multi_aff *subscripts, int d)
{
  isl_pw_aff *function = isl_pw_aff_coalesce(isl_pw_multi_aff_get_at(subscripts, d));
  isl_set *all = isl_pw_aff_domain(isl_pw_aff_copy(function)), *usual = find_most(forms->scop, function, -1);
  isl_set *other = isl_set_coalesce(isl_set_apply(isl_set_subtract(isl_set_copy(all), usual), isl_map_copy(time)));
  other = isl_set_gist(other, isl_set_apply(all, isl_map_copy(time)));
  isl_pw_aff_free(function);
  if (isl_set_involves_dims(other, isl_dim_set, forms->t, 1) == isl_bool_false)
    isl_set_free(other);
  else
    forms->irregular = forms->irregular ? isl_set_union(forms->irregular, other) : other;
}

/* An access MAP { S[i] -> A[e] } that runs several times at TIME { S[i] -> [p, t] }, in loops inside. */
static void add_inner_access(struct forms *forms, isl_map *time, __isl_take isl_map *map)
{
  isl_pw_multi_aff *subscripts =
      isl_map_is_single_valued(map) == isl_bool_true ? isl_pw_multi_aff_from_map(map) : (isl_map_free(map), NULL);
  isl_size n = subscripts ? isl_pw_multi_aff_dim(subscripts, isl_dim_out) : 0;
  for (int d = 0; d < n; d++)
    add_irregular(forms, time, subscripts, d);
  isl_pw_multi_aff_free(subscripts);
}

/* The accesses of one statement, TIME { S[i] -> [p, t] }. */
static isl_stat add_accesses(isl_map *time, void *user)
{
  struct forms *forms = user;
  int number = tsr_scop_find_stmt(forms->scop, isl_map_get_tuple_name(time, isl_dim_in));
  if (number >= 0 && forms->n_runs < MAX_ACCESSES)
    forms->runs[forms->n_runs++] = isl_map_range(isl_map_copy(time));
  for (int k = 0; number >= 0 && k < forms->scop->stmts[number].n_access; k++) {
    const struct tsr_access *access = &forms->scop->stmts[number].access[k];
    if (!tsr_access_has_forms(access->relation) || forms->n == MAX_ACCESSES)
      continue;
    isl_map *map = isl_map_apply_domain(isl_map_copy(access->relation), isl_map_copy(time));
    if (isl_map_is_single_valued(map) == isl_bool_true) {
      forms->access[forms->n++] = isl_map_compute_divs(isl_map_coalesce(map));
      continue;
    }
    isl_map_free(map);
    map = isl_map_intersect_domain(isl_map_copy(access->relation), isl_map_domain(isl_map_copy(time)));
    add_inner_access(forms, time, map);
  }
  isl_map_free(time);
  return isl_stat_ok;
}

/* ---- u -------------------------------------------------------------------------------------------------------------- */

static long least_multiple(long a, long b)
{
  long x = a, y = b;
  while (y) {
    long rest = x % y;
    x = y;
    y = rest;
  }
  return a / x * b;
}

/* What iterations are in a block for those quotients that have been seen; 0: they have other quotients in them. */
struct quotients {
  unsigned t;
  long unroll;
};

static void add_quotient(struct quotients *q, __isl_take isl_aff *div)
{
  isl_size n = isl_aff_dim(div, isl_dim_div);
  for (int i = 0; i < n; i++) {
    isl_val *factor = isl_aff_get_coefficient_val(div, isl_dim_div, i);
    q->unroll = isl_val_is_zero(factor) == isl_bool_true ? q->unroll : 0;
    isl_val_free(factor);
  }
  isl_val *factor = isl_aff_get_coefficient_val(div, isl_dim_in, (int)q->t), *by = isl_val_get_den_val(factor);
  long number = isl_val_cmp_si(by, MOST_PIECES_UNROLLED) <= 0 ? isl_val_get_num_si(by) : 0;
  q->unroll = number ? least_multiple(q->unroll, number) : 0;
  isl_val_free(factor);
  isl_val_free(by);
  isl_aff_free(div);
}

static isl_stat add_quotients_of_set(isl_basic_set *set, void *user)
{
  struct quotients *q = user;
  isl_local_space *space = isl_basic_set_get_local_space(set);
  isl_size n = isl_local_space_dim(space, isl_dim_div);
  for (int i = 0; i < n && q->unroll; i++)
    add_quotient(q, isl_local_space_get_div(space, i));
  isl_local_space_free(space);
  isl_basic_set_free(set);
  return isl_stat_ok;
}

static isl_stat add_quotients(isl_set *set, isl_aff *aff, void *user)
{
  struct quotients *q = user;
  isl_size n = isl_aff_dim(aff, isl_dim_div);
  for (int i = 0; i < n && q->unroll; i++) {
    isl_val *factor = isl_aff_get_coefficient_val(aff, isl_dim_div, i);
    if (isl_val_is_zero(factor) == isl_bool_false)
      add_quotient(q, isl_aff_get_div(aff, i));
    isl_val_free(factor);
  }
  isl_stat ok = isl_set_foreach_basic_set(set, add_quotients_of_set, q);
  isl_set_free(set);
  isl_aff_free(aff);
  return ok;
}

static isl_stat add_quotients_of_function(isl_pw_aff *function, void *user)
{
  isl_stat ok = isl_pw_aff_foreach_piece(function, add_quotients, user);
  isl_pw_aff_free(function);
  return ok;
}

/* u for access I alone; 0: there is none. */
static long find_unroll(const struct forms *forms, int i)
{
  struct quotients q = {forms->t, 1};
  isl_pw_multi_aff *subscripts = isl_pw_multi_aff_from_map(isl_map_copy(forms->access[i]));
  isl_size n = isl_pw_multi_aff_dim(subscripts, isl_dim_out);
  for (int d = 0; d < n && q.unroll; d++)
    if (add_quotients_of_function(isl_pw_multi_aff_get_at(subscripts, d), &q) < 0)
      q.unroll = 0;
  isl_pw_multi_aff_free(subscripts);
  return n < 0 ? 0 : q.unroll;
}

/* Find u, and forget accesses that have none. */
static void find_unrolls(struct forms *forms)
{
  int n = 0;
  forms->unroll = 1;
  for (int i = 0; i < forms->n; i++) {
    long own = find_unroll(forms, i), all = own ? least_multiple(forms->unroll, own) : 0;
    if (all && all <= MOST_PIECES_UNROLLED) {
      forms->unroll = (int)all;
      forms->access[n++] = forms->access[i];
    } else {
      isl_map_free(forms->access[i]);
    }
  }
  forms->n = n;
}

/* ---- R ---------------------------------------------------------------------------------------------------------------- */

/* { [p, T] -> [p, u T + R] } */
static __isl_give isl_multi_aff *iteration_of_block(const struct forms *forms, __isl_take isl_space *space, int r)
{
  isl_multi_aff *to = isl_multi_aff_identity_on_domain_space(space);
  isl_val *by = isl_val_int_from_si(isl_multi_aff_get_ctx(to), forms->unroll);
  isl_aff *t = isl_aff_scale_val(isl_multi_aff_get_at(to, (int)forms->t), by);
  return isl_multi_aff_set_at(to, (int)forms->t, isl_aff_add_constant_si(t, r));
}

/* How many forms has a function, and does t make a difference to any? */
struct difference {
  unsigned t;
  bool varies;
  int n;
};

static isl_stat add_difference(isl_set *set, isl_aff *aff, void *user)
{
  struct difference *of = user;
  of->varies |= isl_aff_involves_dims(aff, isl_dim_in, of->t, 1) != isl_bool_false;
  of->n += divides(aff, (int)of->t) ? 2 : 1;
  isl_set_free(set);
  isl_aff_free(aff);
  return isl_stat_ok;
}

/* { [p, T] } where FUNCTION, a subscript, has the value of the form that it has most often; NULL: it has but one. */
static __isl_give isl_set *find_form(const struct forms *forms, __isl_take isl_pw_aff *function)
{
  struct difference of = {.t = forms->t};
  isl_pw_aff_foreach_piece(function, add_difference, &of);
  isl_set *usual = NULL;
  if (of.varies && of.n > 1) {
    usual = find_most(forms->scop, function, (int)forms->t);
    usual = isl_set_gist(usual, isl_pw_aff_domain(isl_pw_aff_copy(function)));
  }
  isl_pw_aff_free(function);
  return usual;
}

/* Restrict R to where access I has one form in iteration number R of each block. */
static void restrict_to_form(struct forms *forms, int i, int r)
{
  isl_space *space = isl_space_domain(isl_map_get_space(forms->access[i]));
  isl_map *access = isl_map_preimage_domain_multi_aff(isl_map_copy(forms->access[i]), iteration_of_block(forms, space, r));
  isl_pw_multi_aff *subscripts = isl_pw_multi_aff_from_map(isl_map_coalesce(access));
  isl_size n = isl_pw_multi_aff_dim(subscripts, isl_dim_out);
  for (int d = 0; d < n; d++) {
    isl_set *form = find_form(forms, isl_pw_aff_coalesce(isl_pw_multi_aff_get_at(subscripts, d)));
    if (form)
      forms->regular = isl_set_intersect(forms->regular, isl_set_reset_tuple_id(form));
  }
  isl_pw_multi_aff_free(subscripts);
}

/* Restrict R to blocks that statement I, of those that run, has iteration R of. */
static void restrict_to_runs(struct forms *forms, int i, int r)
{
  isl_multi_aff *to = iteration_of_block(forms, isl_set_get_space(forms->runs[i]), r);
  forms->regular = isl_set_intersect(forms->regular, isl_set_preimage_multi_aff(isl_set_copy(forms->runs[i]), to));
}

/* A part of R and how many blocks are in it. */
struct part {
  struct forms *forms;
  isl_set *best;
  double most;
};

static isl_stat find_largest(isl_basic_set *piece, void *user)
{
  struct part *part = user;
  isl_set *set = isl_set_from_basic_set(piece);
  double points = tsr_set_points(part->forms->scop, set);
  if (part->best && points <= part->most) {
    isl_set_free(set);
    return isl_stat_ok;
  }
  isl_set_free(part->best);
  part->best = set;
  part->most = points;
  return isl_stat_ok;
}

/* Has PIECE gaps along t? */
static isl_stat find_gaps(isl_basic_set *piece, void *user)
{
  struct forms *forms = user;
  bool gaps = false;
  isl_local_space *space = isl_basic_set_get_local_space(piece);
  isl_size n = isl_local_space_dim(space, isl_dim_div);
  for (int i = 0; i < n && !gaps; i++) {
    isl_aff *div = isl_local_space_get_div(space, i);
    gaps = isl_aff_involves_dims(div, isl_dim_in, forms->t, 1) != isl_bool_false;
    isl_aff_free(div);
  }
  isl_local_space_free(space);
  isl_basic_set_free(piece);
  return gaps || n < 0 ? isl_stat_error : isl_stat_ok;
}

/* { [p, t] -> [p, t / u] } */
static __isl_give isl_multi_aff *to_blocks(const struct forms *forms, __isl_take isl_space *space)
{
  isl_multi_aff *to = isl_multi_aff_identity_on_domain_space(space);
  isl_val *by = isl_val_int_from_si(isl_multi_aff_get_ctx(to), forms->unroll);
  isl_aff *block = isl_aff_floor(isl_aff_scale_down_val(isl_multi_aff_get_at(to, (int)forms->t), by));
  return isl_multi_aff_set_at(to, (int)forms->t, block);
}

/* { [p, T] } that have some of TIMES { [p, t] } */
static __isl_give isl_set *blocks_of(const struct forms *forms, __isl_take isl_set *times)
{
  return isl_set_apply(times, isl_map_from_multi_aff(to_blocks(forms, isl_set_get_space(times))));
}

/* Find R, one piece without gaps. False: there is none, or it has but few of the iterations. */
static bool find_regular(struct forms *forms)
{
  isl_set *all = NULL;
  for (int i = 0; i < forms->n_runs; i++)
    all = all ? isl_set_union(all, isl_set_copy(forms->runs[i])) : isl_set_copy(forms->runs[i]);
  forms->regular = isl_set_universe(isl_set_get_space(all));
  for (int r = 0; r < forms->unroll; r++) {
    for (int i = 0; i < forms->n; i++)
      restrict_to_form(forms, i, r);
    for (int i = 0; i < forms->n_runs && forms->unroll > 1; i++)
      restrict_to_runs(forms, i, r);
  }
  if (forms->irregular) {
    forms->regular = isl_set_intersect(forms->regular, isl_set_coalesce(blocks_of(forms, isl_set_copy(all))));
    forms->regular = isl_set_subtract(forms->regular, blocks_of(forms, isl_set_copy(forms->irregular)));
  }
  struct part part = {.forms = forms};
  forms->regular = isl_set_compute_divs(isl_set_coalesce(forms->regular));
  isl_stat ok = isl_set_foreach_basic_set(forms->regular, find_largest, &part);
  isl_set_free(forms->regular);
  forms->regular = part.best;
  bool good = ok == isl_stat_ok && part.best && isl_set_foreach_basic_set(part.best, find_gaps, forms) == isl_stat_ok;
  isl_set *in = good ? isl_set_intersect(isl_set_copy(part.best), isl_set_copy(all)) : NULL;
  if (good && forms->unroll > 1)
    good = part.most * forms->unroll >= LEAST_REGULAR * tsr_set_points(forms->scop, all);
  else if (good)
    good = tsr_set_points(forms->scop, in) >= LEAST_REGULAR * tsr_set_points(forms->scop, all) &&
           isl_set_is_subset(all, in) == isl_bool_false; /* else there is nothing to take apart */
  isl_set_free(in);
  isl_set_free(all);
  return good;
}

/* ---- the tree -------------------------------------------------------------------------------------------------------- */

/* { S[i] } of those that run at times WHERE { [p, t] }. */
static __isl_give isl_union_set *instances_at(const struct forms *forms, __isl_take isl_set *where)
{
  isl_union_map *part = isl_union_map_intersect_range(isl_union_map_copy(forms->time), isl_union_set_from_set(where));
  return isl_union_set_coalesce(isl_union_map_domain(part));
}

/* { [p, t] : (p, t / u) in BLOCKS } */
static __isl_give isl_set *times_of(const struct forms *forms, __isl_take isl_set *blocks)
{
  return isl_set_preimage_multi_aff(blocks, to_blocks(forms, isl_set_get_space(blocks)));
}

/* { [p, T] } in front of R, for the same p. */
static __isl_give isl_set *in_front(const struct forms *forms)
{
  isl_map *pairs = isl_map_universe(isl_space_map_from_set(isl_set_get_space(forms->regular)));
  for (unsigned d = 0; d < forms->t; d++)
    pairs = isl_map_equate(pairs, isl_dim_in, (int)d, isl_dim_out, (int)d);
  pairs = isl_map_order_lt(pairs, isl_dim_in, (int)forms->t, isl_dim_out, (int)forms->t);
  isl_set *front = isl_map_domain(isl_map_intersect_range(pairs, isl_set_copy(forms->regular)));
  return isl_set_subtract(front, isl_set_copy(forms->regular));
}

/* The band of one member at NODE, in whole blocks: a loop over them, iterations one after the other. NAME: of the loop, NULL
 * if it has none. */
static __isl_give isl_schedule_node *unroll(const struct forms *forms, __isl_take isl_schedule_node *node, const char *name)
{
  isl_bool coincident = isl_schedule_node_band_member_get_coincident(node, 0);
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_union_pw_aff *blocks = tsr_block_of(isl_multi_union_pw_aff_get_at(partial, 0), forms->unroll);
  isl_ctx *ctx = isl_schedule_node_get_ctx(node);
  isl_union_set_list *filters = isl_union_set_list_alloc(ctx, forms->unroll);
  for (int r = 0; r < forms->unroll; r++) {
    isl_space *space = isl_set_get_space(forms->regular);
    isl_set *where =
        isl_set_apply(isl_set_universe(isl_space_copy(space)), isl_map_from_multi_aff(iteration_of_block(forms, space, r)));
    filters = isl_union_set_list_add(filters, instances_at(forms, where));
  }
  isl_multi_union_pw_aff_free(partial);
  node = isl_schedule_node_delete(node);
  node = isl_schedule_node_insert_sequence(node, filters);
  node = tsr_node_insert_loop(node, blocks, name);
  return isl_schedule_node_band_member_set_coincident(node, 0, coincident == isl_bool_true);
}

/* The sequence of the three parts of the band at NODE, at which the result stands. */
static __isl_give isl_schedule_node *insert_parts(const struct forms *forms, __isl_take isl_schedule_node *node,
                                                  const char *name)
{
  isl_set *front = in_front(forms);
  isl_set *rest = isl_set_complement(isl_set_union(isl_set_copy(front), isl_set_copy(forms->regular)));
  isl_union_set *part[3] = {instances_at(forms, times_of(forms, front)),
                            instances_at(forms, times_of(forms, isl_set_copy(forms->regular))),
                            instances_at(forms, times_of(forms, rest))};
  isl_union_set_list *filters = isl_union_set_list_alloc(isl_schedule_node_get_ctx(node), 3);
  int regular = 0;
  for (int i = 0; i < 3; i++) {
    bool none = isl_union_set_is_empty(part[i]) != isl_bool_false;
    regular = i == 1 ? isl_union_set_list_n_union_set(filters) : regular;
    if (none)
      isl_union_set_free(part[i]);
    else
      filters = isl_union_set_list_add(filters, part[i]);
  }
  node = isl_schedule_node_insert_sequence(node, filters);
  if (forms->unroll > 1) {
    node = isl_schedule_node_grandchild(node, regular, 0);
    node = isl_schedule_node_ancestor(unroll(forms, node, name), 2);
  }
  return node;
}

isl_schedule_node *tsr_band_separate(isl_schedule_node *node, struct tsr_scop *scop, const char *name, bool *found)
{
  struct forms forms = {.scop = scop};
  isl_schedule_node *below = isl_schedule_node_first_child(isl_schedule_node_copy(node));
  forms.time = isl_union_map_intersect_domain(isl_schedule_node_get_prefix_schedule_relation(below),
                                              isl_schedule_node_get_domain(node));
  forms.t = (unsigned)isl_schedule_node_get_schedule_depth(node);
  isl_schedule_node_free(below);
  isl_stat ok = isl_union_map_foreach_map(forms.time, add_accesses, &forms);
  if (ok == isl_stat_ok)
    find_unrolls(&forms);
  if (ok == isl_stat_ok && (forms.n > 0 || forms.irregular) && forms.n_runs < MAX_ACCESSES && find_regular(&forms)) {
    node = insert_parts(&forms, node, name);
    *found = true;
  }
  forms_clear(&forms);
  return node;
}

/* ---- every innermost loop -------------------------------------------------------------------------------------------- */

struct separation {
  struct tsr_scop *scop;
  bool found;
};

/* Has any statement below NODE an access of several forms? */
static isl_stat has_forms(isl_set *set, void *user)
{
  struct tsr_scop *scop = user;
  int number = tsr_scop_find_stmt(scop, isl_set_get_tuple_name(set));
  bool any = false;
  isl_set_free(set);
  for (int k = 0; number >= 0 && k < scop->stmts[number].n_access && !any; k++)
    any = tsr_access_has_forms(scop->stmts[number].access[k].relation);
  return any ? isl_stat_error : isl_stat_ok;
}

static isl_bool is_no_mark(isl_schedule_node *node, void *user)
{
  (void)user;
  return isl_bool_ok(isl_schedule_node_get_type(node) != isl_schedule_node_mark);
}

/* May the band at NODE be several? Not below a mark for one, as moves have, nor where buffers live inside of it, whose marks
 * would be several. */
static bool may_be_several(isl_schedule_node *node)
{
  isl_schedule_node *above = isl_schedule_node_parent(isl_schedule_node_copy(node));
  const struct tsr_mark *mark = tsr_node_mark(above);
  isl_schedule_node_free(above);
  return (!mark || mark->kind == TSR_MARK_ALLOCATE) &&
         isl_schedule_node_every_descendant(node, is_no_mark, NULL) == isl_bool_true;
}

/* Separate the last member of the band at NODE that isn't straight code, if nothing else runs inside of it. */
static isl_schedule_node *separate_band(isl_schedule_node *node, void *user)
{
  struct separation *s = user;
  long iterations;
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band || !tsr_node_is_straight_below(node, &iterations) ||
      !may_be_several(node))
    return node;
  int n = (int)isl_schedule_node_band_n_member(node), n_straight = tsr_band_straight_members(node, &iterations);
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  bool any = n > n_straight && isl_union_set_foreach_set(domain, has_forms, s->scop) == isl_stat_error;
  bool found = false;
  isl_union_set_free(domain);
  if (!any)
    return node;
  isl_schedule_node *last = isl_schedule_node_copy(node);
  if (n_straight > 0)
    last = isl_schedule_node_band_split(last, n - n_straight);
  n -= n_straight;
  if (n > 1)
    last = isl_schedule_node_child(isl_schedule_node_band_split(last, n - 1), 0);
  last = tsr_band_separate(last, s->scop, NULL, &found);
  if (!found) {
    isl_schedule_node_free(last);
    return node;
  }
  s->found = true;
  isl_schedule_node_free(node);
  return n > 1 ? isl_schedule_node_parent(last) : last;
}

/* requires: SCHEDULE is legal.  guarantees: the same order.  on failure: NULL. */
isl_schedule *tsr_tree_separate(isl_schedule *schedule, struct tsr_scop *scop)
{
  struct separation s = {.scop = scop};
  isl_schedule_node *root = isl_schedule_get_root(schedule);
  isl_schedule_free(schedule);
  if (isl_schedule_node_every_descendant(root, tsr_node_is_unmarked, NULL) == isl_bool_true)
    root = isl_schedule_node_map_descendant_bottom_up(root, separate_band, &s);
  schedule = isl_schedule_node_get_schedule(root);
  isl_schedule_node_free(root);
  return s.found ? schedule : isl_schedule_free(schedule);
}
