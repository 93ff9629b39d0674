/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Accesses of more than one form: a[max(i - 1, 0)], a[i / 2], a[(i + 1) % n]. Their subscripts are affine piece by piece, or
 * with quotients. */
#include "access/access.h"
#include <isl/val.h>
#include <string.h>

static isl_bool is_without_divs(isl_basic_map *map, void *user)
{
  (void)user;
  isl_size n = isl_basic_map_dim(map, isl_dim_div);
  return n < 0 ? isl_bool_error : isl_bool_ok(n == 0);
}

bool tsr_access_has_forms(isl_map *relation)
{
  if (isl_map_n_basic_map(relation) != 1 || isl_map_plain_is_single_valued(relation) != isl_bool_true)
    return true; /* i / 2 is { [i] -> [e] : i - 1 <= 2 e <= i }, too */
  isl_basic_map_list *list = isl_map_get_basic_map_list(relation);
  isl_bool plain = isl_basic_map_list_every(list, is_without_divs, NULL);
  isl_basic_map_list_free(list);
  return plain == isl_bool_false;
}

bool tsr_scop_has_forms(struct tsr_scop *scop)
{
  for (int i = 0; i < scop->n_stmt; i++)
    for (int k = 0; k < scop->stmts[i].n_access; k++)
      if (tsr_access_has_forms(scop->stmts[i].access[k].relation))
        return true;
  return false;
}

/* The quotients of AFF, { [p, t] -> [e] }. */
static int count_quotients(isl_aff *aff)
{
  int n = 0;
  isl_size n_div = isl_aff_dim(aff, isl_dim_div);
  for (int i = 0; i < n_div; i++) {
    isl_val *factor = isl_aff_get_coefficient_val(aff, isl_dim_div, i);
    n += isl_val_is_zero(factor) == isl_bool_false;
    isl_val_free(factor);
  }
  return n;
}

static isl_stat add_piece(isl_set *domain, isl_aff *aff, void *user)
{
  int *n = user;
  *n += 1 + count_quotients(aff);
  isl_set_free(domain);
  isl_aff_free(aff);
  return isl_stat_ok;
}

int tsr_subscript_forms(isl_pw_aff *subscript)
{
  int n = 0;
  return isl_pw_aff_foreach_piece(subscript, add_piece, &n) < 0 || n == 0 ? 1 : n;
}

/* ---- the form that most instances have ------------------------------------------------------------------------- */

/* By how much AFF changes in STEP, quotients by their share of it: 1/2 for i / 2. */
static double slope_of(isl_aff *aff, const struct tsr_step *step)
{
  double slope = 0;
  isl_size n = isl_aff_dim(aff, isl_dim_in), n_div = isl_aff_dim(aff, isl_dim_div);
  for (int i = 0; i < n; i++) {
    isl_val *factor = isl_aff_get_coefficient_val(aff, isl_dim_in, i);
    slope += isl_val_get_d(factor) * (double)step->delta[i];
    isl_val_free(factor);
  }
  for (int i = 0; i < n_div; i++) {
    isl_val *factor = isl_aff_get_coefficient_val(aff, isl_dim_div, i);
    isl_aff *div = isl_val_is_zero(factor) == isl_bool_false ? isl_aff_get_div(aff, i) : NULL;
    slope += div ? isl_val_get_d(factor) * slope_of(div, step) : 0;
    isl_aff_free(div);
    isl_val_free(factor);
  }
  return slope;
}

/* Do quotients in AFF change by the same number in each STEP? floor(x + n) = floor(x) + n */
static bool is_even(isl_aff *aff, const struct tsr_step *step)
{
  bool even = true;
  isl_size n_div = isl_aff_dim(aff, isl_dim_div);
  for (int i = 0; i < n_div && even; i++) {
    isl_val *factor = isl_aff_get_coefficient_val(aff, isl_dim_div, i);
    isl_aff *div = isl_val_is_zero(factor) == isl_bool_false ? isl_aff_get_div(aff, i) : NULL;
    double slope = div ? slope_of(div, step) : 0;
    even = !div || (slope == (double)(long)slope && is_even(div, step));
    isl_aff_free(div);
    isl_val_free(factor);
  }
  return even;
}

/* The forms of an access along some steps. */
struct steps {
  struct tsr_scop *scop;
  const struct tsr_step *step;
  const struct tsr_order *order; /* of the steps */
  int n, n_dim;
  double most; /* points of the form that most instances have */
  long *delta; /* .. and how subscripts change there */
  enum tsr_stride *stride;
  bool *alike;
  bool first, divided; /* is there a quotient? */
};

/* What FORM does in step L: its subscripts change by DELTA. *EVEN: always by that? */
static void find_delta(const struct tsr_step *step, isl_multi_aff *form, int n_dim, long delta[TSR_MAX_DIM], bool *even)
{
  *even = step->fixed;
  for (int i = 0; i < n_dim; i++) {
    isl_aff *aff = isl_multi_aff_get_at(form, i);
    double slope = step->fixed ? slope_of(aff, step) : 0;
    long whole = (long)slope;
    *even = *even && is_even(aff, step);
    delta[i] = slope == (double)whole ? whole : slope < 0 ? whole - 1 : whole + 1;
    isl_aff_free(aff);
  }
}

/* The stride of a step by DELTA. */
static enum tsr_stride stride_of(const long *delta, int n_dim)
{
  enum tsr_stride stride = TSR_STRIDE_ZERO;
  for (int i = 0; i < n_dim; i++)
    if (delta[i])
      stride = i == n_dim - 1 && (delta[i] == 1 || delta[i] == -1) && stride == TSR_STRIDE_ZERO ? TSR_STRIDE_ONE
                                                                                                : TSR_STRIDE_OTHER;
  return stride;
}

/* May STEP lead out of PIECE? */
static bool leads_out(const struct tsr_step *step, isl_set *piece)
{
  isl_size n = isl_set_dim(piece, isl_dim_set);
  bool may = !step->fixed;
  for (int i = 0; i < n && !may; i++)
    may = step->delta[i] && isl_set_involves_dims(piece, isl_dim_set, (unsigned)i, 1) != isl_bool_false;
  return may;
}

static isl_stat add_form(isl_set *domain, isl_multi_aff *form, void *user)
{
  struct steps *steps = user;
  double points = tsr_set_points(steps->scop, domain);
  bool more = steps->first || points > steps->most;
  if (steps->n > 0)
    domain = isl_set_gist(domain, isl_set_copy(steps->order->domain));
  for (int l = 0; l < steps->n; l++) {
    long delta[TSR_MAX_DIM], *best = &steps->delta[l * TSR_MAX_DIM];
    bool even, same = true;
    find_delta(&steps->step[l], form, steps->n_dim, delta, &even);
    for (int i = 0; i < steps->n_dim; i++) {
      same &= delta[i] == best[i];
      best[i] = more ? delta[i] : best[i];
    }
    bool alike = even && !leads_out(&steps->step[l], domain) && (same || steps->first);
    steps->alike[l] = alike && (steps->first || steps->alike[l]);
    if (!alike)
      steps->stride[l] = TSR_STRIDE_OTHER;
    else if (steps->first)
      steps->stride[l] = stride_of(delta, steps->n_dim);
  }
  for (int i = 0; i < steps->n_dim; i++) {
    isl_aff *aff = isl_multi_aff_get_at(form, i);
    steps->divided |= count_quotients(aff) > 0;
    isl_aff_free(aff);
  }
  steps->most = more ? points : steps->most;
  steps->first = false;
  isl_set_free(domain);
  isl_multi_aff_free(form);
  return isl_stat_ok;
}

/* RELATION and ORDER where parameters have the typical values that ORDER's domain gives them, and without these: forms are
 * found much sooner. *FLAT: to be cleared. */
static isl_map *take_typical(isl_map *relation, const struct tsr_order *order, struct tsr_order *flat)
{
  isl_map *here = isl_map_intersect_domain(isl_map_copy(relation), isl_set_copy(order->domain));
  isl_set *domain = isl_set_align_params(isl_set_copy(order->domain), isl_map_get_space(here));
  isl_map *map = isl_map_align_params(isl_map_copy(order->map), isl_map_get_space(here));
  *flat = (struct tsr_order){.stmt = order->stmt,
                             .domain = isl_set_project_out(domain, isl_dim_param, 0, isl_set_dim(domain, isl_dim_param)),
                             .map = isl_map_project_out(map, isl_dim_param, 0, isl_map_dim(map, isl_dim_param))};
  return isl_map_coalesce(isl_map_project_out(here, isl_dim_param, 0, isl_map_dim(here, isl_dim_param)));
}

bool tsr_access_forms(struct tsr_scop *scop, isl_map *relation, struct tsr_step *step, int n_step, long *delta,
                      enum tsr_stride *stride, bool *alike)
{
  isl_size n = isl_map_dim(relation, isl_dim_out);
  struct tsr_order flat = {.domain = NULL};
  isl_map *here = n_step > 0 ? take_typical(relation, step[0].order, &flat) : isl_map_copy(relation);
  struct steps steps = {scop, step, &flat, n_step, n, 0, delta, stride, alike, true, false};
  bool good = n >= 1 && n <= TSR_MAX_DIM && isl_map_is_single_valued(here) == isl_bool_true;
  if (good) {
    isl_pw_multi_aff *forms = isl_pw_multi_aff_from_map(isl_map_copy(here));
    good = isl_pw_multi_aff_foreach_piece(forms, add_form, &steps) == isl_stat_ok && !steps.first;
    isl_pw_multi_aff_free(forms);
  }
  for (int l = 0; l < n_step && good; l++) {
    struct tsr_step own = step[l];
    own.order = &flat;
    /* loops around may tie quotients down: i - 64 (i / 64) goes on by 1 in a tile of 64 */
    long *move = &delta[l * TSR_MAX_DIM], value[TSR_MAX_DIM];
    if (steps.divided && stride[l] == TSR_STRIDE_OTHER && tsr_access_constant_move(here, &own, value)) {
      memcpy(move, value, n * sizeof(*move));
      stride[l] = stride_of(value, n);
      alike[l] = true;
    }
    stride[l] = step[l].empty ? TSR_STRIDE_NONE : stride[l];
  }
  isl_map_free(here);
  isl_map_free(flat.map);
  isl_set_free(flat.domain);
  return good;
}
