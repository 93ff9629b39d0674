/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What violates a model, piece by piece, where there is much of it.
 *
 * A pipeline of stages has a few conditions for each array that has a size of its own, each of them a halfspace,
 *
 *   { 2q > p + 1 } or { 2q < p - 1 } or { 2r > q + 1 } or ..
 *
 * To subtract these one by one, to ask whether they contain a set, and to coalesce them takes time that grows with the
 * square of their number, and worse. What isn't violated is one convex set, `within`; the other pieces, if any, are few. */
#include "read/values/values.h"
#include <isl/constraint.h>
#include <isl/space.h>
#include <isl/val.h>
#include <isl/id.h>
#include <stdlib.h>
#include <string.h>

#define FEW_PIECES 16   /* up to here they are taken as isl has them; more than so many must be halfspaces */
#define MOST_PIECES 256 /* conditions at run time */

#define MOST_PARAMS 128

/* Parameters, a bit each */
struct params {
  uint64_t bit[MOST_PARAMS / 64];
};

struct tsr_violated {
  isl_set *of, *others;
  struct limit { /* one of the constraints of `within`, and what it is about */
    isl_constraint *c;
    struct params params;
  } limit[MOST_PIECES];
  int n;
};

static bool params_meet(struct params a, struct params b)
{
  return (a.bit[0] & b.bit[0]) || (a.bit[1] & b.bit[1]);
}

static bool params_contain(struct params all, struct params some)
{
  return !(some.bit[0] & ~all.bit[0]) && !(some.bit[1] & ~all.bit[1]);
}

static void params_join(struct params *all, struct params more)
{
  all->bit[0] |= more.bit[0];
  all->bit[1] |= more.bit[1];
}

/* The complement of C, which is taken, an inequality: -c - 1 >= 0. */
static isl_constraint *complement(__isl_take isl_constraint *c)
{
  isl_constraint *other = isl_constraint_alloc_inequality(isl_constraint_get_local_space(c));
  isl_size n = isl_constraint_dim(c, isl_dim_param);
  for (int i = 0; i < n; i++) {
    isl_val *factor = isl_val_neg(isl_constraint_get_coefficient_val(c, isl_dim_param, i));
    other = isl_constraint_set_coefficient_val(other, isl_dim_param, i, factor);
  }
  isl_val *rest = isl_val_sub_ui(isl_val_neg(isl_constraint_get_constant_val(c)), 1);
  isl_constraint_free(c);
  return isl_constraint_set_constant_val(other, rest);
}

/* PIECE as an inequality over parameters; NULL: it is more than that, or isl has failed. */
static isl_constraint *halfspace(__isl_keep isl_basic_set *piece)
{
  isl_size n = isl_basic_set_n_constraint(piece), divs = isl_basic_set_dim(piece, isl_dim_div);
  isl_constraint_list *list = n == 1 && divs == 0 ? isl_basic_set_get_constraint_list(piece) : NULL;
  isl_constraint *c = list ? isl_constraint_list_get_at(list, 0) : NULL;
  isl_constraint_list_free(list);
  return c && isl_constraint_is_equality(c) == isl_bool_false ? c : isl_constraint_free(c);
}

/* PIECE, which is taken, is one of those of the struct tsr_violated at USER. */
static isl_stat add_piece(__isl_take isl_basic_set *piece, void *user)
{
  struct tsr_violated *v = user;
  isl_constraint *c = v->n < MOST_PIECES ? halfspace(piece) : NULL;
  if (!c) {
    v->others = isl_set_union(v->others, isl_set_from_basic_set(piece));
    return v->others ? isl_stat_ok : isl_stat_error;
  }
  isl_basic_set_free(piece);
  struct limit *limit = &v->limit[v->n++];
  limit->c = complement(c);
  isl_size n = isl_constraint_dim(limit->c, isl_dim_param);
  for (int i = 0; i < n; i++)
    if (isl_constraint_involves_dims(limit->c, isl_dim_param, i, 1) == isl_bool_true)
      limit->params.bit[i / 64] |= UINT64_C(1) << i % 64;
  return n < 0 ? isl_stat_error : isl_stat_ok;
}

void tsr_violated_clear(struct tsr_model *m)
{
  for (int i = 0; m->pieces && i < m->pieces->n; i++)
    isl_constraint_free(m->pieces->limit[i].c);
  if (m->pieces) {
    isl_set_free(m->pieces->of);
    isl_set_free(m->pieces->others);
  }
  free(m->pieces);
  m->pieces = NULL;
}

/* The pieces of VIOLATED; NULL: they are few, or isl has failed. */
static const struct tsr_violated *pieces_of(struct tsr_model *m, __isl_keep isl_set *violated)
{
  isl_size params = isl_set_dim(violated, isl_dim_param);
  if (isl_set_n_basic_set(violated) <= FEW_PIECES || params < 0 || params > MOST_PARAMS)
    return NULL;
  if (m->pieces && m->pieces->of == violated)
    return m->pieces;
  tsr_violated_clear(m);
  struct tsr_violated *v = m->pieces = calloc(1, sizeof(*v));
  if (!v)
    return NULL;
  v->of = isl_set_copy(violated);
  v->others = isl_set_empty(isl_set_get_space(violated));
  if (isl_set_foreach_basic_set(violated, add_piece, v) >= 0)
    return v;
  tsr_violated_clear(m);
  return NULL;
}

/* Which parameters of V does SET say something about? */
static struct params params_of(const struct tsr_violated *v, __isl_keep isl_set *set)
{
  struct params all = {{0}};
  isl_size n = isl_set_dim(v->of, isl_dim_param);
  for (int i = 0; i < n; i++) {
    isl_id *id = isl_set_get_dim_id(v->of, isl_dim_param, i);
    int at = isl_set_find_dim_by_id(set, isl_dim_param, id);
    isl_id_free(id);
    if (at >= 0 && isl_set_involves_dims(set, isl_dim_param, at, 1) != isl_bool_false)
      all.bit[i / 64] |= UINT64_C(1) << i % 64;
  }
  return all;
}

/* SET, which is taken, within those limits of V that are about nothing but PARAMS. */
static isl_set *limited(const struct tsr_violated *v, __isl_take isl_set *set, struct params params)
{
  isl_basic_set *within = isl_basic_set_universe(isl_set_get_space(v->of));
  for (int i = 0; i < v->n; i++)
    if (params_contain(params, v->limit[i].params))
      within = isl_basic_set_add_constraint(within, isl_constraint_copy(v->limit[i].c));
  return isl_set_intersect(set, isl_set_from_basic_set(within));
}

isl_set *tsr_set_without(struct tsr_model *m, __isl_take isl_set *set, __isl_keep isl_set *violated)
{
  const struct tsr_violated *v = pieces_of(m, violated);
  if (!v)
    return isl_set_subtract(set, isl_set_copy(violated));
  struct params all;
  memset(&all, -1, sizeof(all));
  set = limited(v, set, all);
  return isl_set_is_empty(v->others) == isl_bool_true ? set : isl_set_subtract(set, isl_set_copy(v->others));
}

/* What PARAMS are tied to by limits of V, one after the other, and PARAMS */
static struct params params_tied(const struct tsr_violated *v, struct params params)
{
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < v->n; i++)
      if (params_meet(params, v->limit[i].params) && !params_contain(params, v->limit[i].params)) {
        params_join(&params, v->limit[i].params);
        more = true;
      }
  }
  return params;
}

/* Most often the limits of the parameters that a set is about suffice to see that nothing of it is left; what these have
 * nothing to do with can't change that. */
isl_bool tsr_set_is_within(struct tsr_model *m, __isl_keep isl_set *set, __isl_keep isl_set *violated)
{
  const struct tsr_violated *v = pieces_of(m, violated);
  if (!v)
    return isl_set_is_subset(set, violated);
  struct params params = params_of(v, set);
  isl_bool none = isl_bool_false;
  for (int k = 0; k < 2 && none == isl_bool_false; k++) {
    isl_set *left = limited(v, isl_set_copy(set), k ? params_tied(v, params) : params);
    none = isl_set_is_subset(left, v->others);
    isl_set_free(left);
  }
  return none;
}

/* Pieces that are new, of what is violated already. */
struct pieces {
  struct tsr_model *m;
  isl_set *all;
  isl_basic_set *fresh; /* one of them */
};

/* Is OLD about all parameters that FRESH is about? Both have the same. */
static bool is_about(__isl_keep isl_basic_set *old, __isl_keep isl_basic_set *fresh)
{
  isl_size n = isl_basic_set_dim(old, isl_dim_param);
  for (int i = 0; i < n; i++)
    if (isl_basic_set_involves_dims(fresh, isl_dim_param, i, 1) == isl_bool_true &&
        isl_basic_set_involves_dims(old, isl_dim_param, i, 1) == isl_bool_false)
      return false;
  return true;
}

/* OLD, which is taken, is kept if it isn't a part of the new piece. */
static isl_stat keep_old(__isl_take isl_basic_set *old, void *user)
{
  struct pieces *p = user;
  isl_bool part = is_about(old, p->fresh) ? isl_basic_set_is_subset(old, p->fresh) : isl_bool_false;
  if (part == isl_bool_false)
    p->all = isl_set_union(p->all, isl_set_from_basic_set(old));
  else
    isl_basic_set_free(old);
  return part < 0 ? isl_stat_error : isl_stat_ok;
}

/* Add PIECE, which is taken, if there are such parameters; parts of it are dropped. */
static isl_stat add_fresh(__isl_take isl_basic_set *piece, void *user)
{
  struct pieces *p = user;
  isl_set *possible = tsr_within_types(p->m, isl_set_from_basic_set(isl_basic_set_copy(piece)));
  isl_bool none = isl_set_is_empty(possible);
  isl_set_free(possible);
  isl_set *before = p->all;
  isl_constraint *half = none == isl_bool_false ? halfspace(piece) : NULL;
  p->fresh = piece;
  if (half) {
    p->all = isl_set_empty(isl_set_get_space(before));
    if (isl_set_foreach_basic_set(before, keep_old, p) < 0)
      none = isl_bool_error;
    isl_set_free(before);
  }
  isl_constraint_free(half);
  if (none == isl_bool_false)
    p->all = isl_set_union(p->all, isl_set_from_basic_set(piece));
  else
    isl_basic_set_free(piece);
  return none < 0 ? isl_stat_error : isl_stat_ok;
}

isl_set *tsr_violated_join(struct tsr_model *m, __isl_take isl_set *bad)
{
  isl_size n = isl_set_n_basic_set(m->violated), more = isl_set_n_basic_set(bad);
  if (n < 0 || more < 0 || n + more <= FEW_PIECES)
    return isl_set_coalesce(isl_set_union(isl_set_copy(m->violated), bad));
  isl_space *all = isl_space_align_params(isl_set_get_space(m->violated), isl_set_get_space(bad));
  struct pieces p = {.m = m, .all = isl_set_align_params(isl_set_copy(m->violated), isl_space_copy(all))};
  bad = isl_set_align_params(bad, all);
  bool ok = isl_set_foreach_basic_set(bad, add_fresh, &p) >= 0;
  isl_set_free(bad);
  return ok ? p.all : isl_set_free(p.all);
}

bool tsr_violated_is_long(struct tsr_model *m)
{
  return isl_set_n_basic_set(m->violated) > FEW_PIECES;
}

/* It only grows, into another object; to compare many pieces takes long. */
bool tsr_violated_is(struct tsr_model *m, __isl_keep isl_set *before)
{
  if (m->violated == before || tsr_violated_is_long(m))
    return m->violated == before;
  return isl_set_is_equal(m->violated, before) == isl_bool_true;
}

/* Add PIECE, which is taken, to the number at USER if it isn't a halfspace. */
static isl_stat count_other(__isl_take isl_basic_set *piece, void *user)
{
  isl_constraint *c = halfspace(piece);
  *(int *)user += !c;
  isl_constraint_free(c);
  isl_basic_set_free(piece);
  return isl_stat_ok;
}

isl_bool tsr_violated_is_simple(struct tsr_model *m)
{
  isl_size n = isl_set_n_basic_set(m->violated);
  int others = 0;
  if (n < 0)
    return isl_bool_error;
  if (n > FEW_PIECES && isl_set_foreach_basic_set(m->violated, count_other, &others) < 0)
    return isl_bool_error;
  return n <= MOST_PIECES && others <= FEW_PIECES ? isl_bool_true : isl_bool_false;
}
