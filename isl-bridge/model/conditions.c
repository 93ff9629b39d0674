/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What holds whenever the transformed code runs: a SCoP's context and its assumptions, as sets of parameters, computed once.
 */
#include "model/model.h"
#include <isl/constraint.h>
#include <isl/space.h>
#include <isl/val.h>

/* Nothing hangs on a bound of this size: it is the range of a type. */
#define LARGE_BOUND (1 << 20)

/* Sets that are held keep their addresses for themselves. */
void tsr_scop_renew(struct tsr_scop *scop)
{
  if (scop->kept.context == scop->context && scop->kept.assumed == scop->assumed)
    return;
  isl_set_free(scop->kept.context);
  isl_set_free(scop->kept.assumed);
  scop->kept.known = isl_set_free(scop->kept.known);
  scop->kept.telling = isl_set_free(scop->kept.telling);
  scop->kept.common = isl_set_free(scop->kept.common);
  scop->kept.typical = isl_set_free(scop->kept.typical);
  free(scop->kept.rate);
  scop->kept.rate = NULL;
  scop->kept.costed = isl_schedule_free(scop->kept.costed);
  for (int i = 0; i < TSR_N_INNERMOST; i++)
    scop->kept.innermost[i].band = isl_schedule_node_free(scop->kept.innermost[i].band);
  scop->kept.context = isl_set_copy(scop->context);
  scop->kept.assumed = isl_set_copy(scop->assumed);
}

isl_set *tsr_scop_known(struct tsr_scop *scop)
{
  tsr_scop_renew(scop);
  if (!scop->kept.known) {
    isl_set *known = isl_set_intersect(isl_set_copy(scop->context), isl_set_copy(scop->assumed));
    scop->kept.known = isl_set_coalesce(isl_set_params(known));
  }
  return isl_set_copy(scop->kept.known);
}

/* Add CONSTRAINT to *USER unless it bounds one parameter by a large constant. */
static isl_stat keep_telling(isl_constraint *constraint, void *user)
{
  isl_basic_set **kept = user;
  isl_val *bound = isl_constraint_get_constant_val(constraint);
  isl_size n = isl_constraint_dim(constraint, isl_dim_param);
  int involved = 0;
  for (int i = 0; i < n; i++)
    involved += isl_constraint_involves_dims(constraint, isl_dim_param, i, 1) == isl_bool_true;
  bool large = isl_val_cmp_si(bound, LARGE_BOUND) >= 0 || isl_val_cmp_si(bound, -LARGE_BOUND) <= 0;
  isl_val_free(bound);
  if (involved >= 1 && large && isl_constraint_is_equality(constraint) == isl_bool_false)
    isl_constraint_free(constraint);
  else
    *kept = isl_basic_set_add_constraint(*kept, constraint);
  return isl_stat_ok;
}

/* Add CONSTRAINT, which is taken, to *USER if it is an equality. */
static isl_stat keep_equality(__isl_take isl_constraint *constraint, void *user)
{
  isl_basic_set **kept = user;
  if (isl_constraint_is_equality(constraint) == isl_bool_true)
    *kept = isl_basic_set_add_constraint(*kept, constraint);
  else
    isl_constraint_free(constraint);
  return isl_stat_ok;
}

/* More conditions than that are no help. Each stage of a pipeline whose arrays have sizes of their own has a few, which
 * relate these to the next ones; whatever is made is tested against all of them, and hardly anything depends on one
 * (blending, interpolate: 23 and 16 times the operations for the AST). */
#define MANY_CONDITIONS 12

/* KNOWN, or where it is many conditions of one piece, only the equalities among them: more is possible then. Domains are
 * simplified by what is left, so that must hold wherever it did: the first answer for SCOP stays. */
static isl_set *drop_many(struct tsr_scop *scop, __isl_take isl_set *known)
{
  if (isl_set_n_basic_set(known) != 1)
    return known;
  isl_basic_set_list *list = isl_set_get_basic_set_list(known);
  isl_basic_set *all = isl_basic_set_list_get_at(list, 0);
  isl_basic_set_list_free(list);
  if (scop->conditions == TSR_CONDITIONS_UNKNOWN)
    scop->conditions = isl_basic_set_n_constraint(all) > MANY_CONDITIONS ? TSR_CONDITIONS_MANY : TSR_CONDITIONS_FEW;
  if (isl_basic_set_dim(all, isl_dim_div) == 0 && scop->conditions == TSR_CONDITIONS_MANY) {
    isl_basic_set *kept = isl_basic_set_universe(isl_basic_set_get_space(all));
    bool ok = isl_basic_set_foreach_constraint(all, keep_equality, &kept) == isl_stat_ok;
    isl_set_free(known);
    known = ok ? isl_set_from_basic_set(kept) : (isl_basic_set_free(kept), NULL);
  }
  isl_basic_set_free(all);
  return known;
}

/* KNOWN without bounds that tell nothing. */
static isl_set *drop_ranges(__isl_take isl_set *known)
{
  if (isl_set_n_basic_set(known) != 1)
    return known;
  isl_basic_set_list *list = isl_set_get_basic_set_list(known);
  isl_basic_set *all = isl_basic_set_list_get_at(list, 0);
  isl_basic_set *kept = isl_basic_set_universe(isl_basic_set_get_space(all));
  if (isl_basic_set_dim(all, isl_dim_div) == 0 &&
      isl_basic_set_foreach_constraint(all, keep_telling, &kept) == isl_stat_ok) {
    isl_set_free(known);
    known = isl_set_from_basic_set(kept);
  } else {
    isl_basic_set_free(kept);
  }
  isl_basic_set_free(all);
  isl_basic_set_list_free(list);
  return known;
}

/* What keep_about works on. */
struct about {
  const bool *involved; /* by parameter */
  isl_basic_set *kept;
};

/* Keep CONSTRAINT, which is taken, if one of its parameters is involved. */
static isl_stat keep_about(__isl_take isl_constraint *constraint, void *user)
{
  struct about *about = user;
  isl_size n = isl_constraint_dim(constraint, isl_dim_param);
  bool any = false;
  for (int i = 0; i < n && !any; i++)
    any = about->involved[i] && isl_constraint_involves_dims(constraint, isl_dim_param, i, 1) == isl_bool_true;
  return any ? keep_telling(constraint, &about->kept) : (isl_constraint_free(constraint), isl_stat_ok);
}

isl_map *tsr_scop_tell(struct tsr_scop *scop, isl_map *map)
{
  isl_set *known = isl_set_remove_redundancies(tsr_scop_known(scop));
  isl_basic_set_list *list = isl_set_get_basic_set_list(known);
  if (isl_set_n_basic_set(known) == 1) {
    isl_basic_set *all = isl_basic_set_list_get_at(list, 0);
    map = isl_map_align_params(map, isl_set_get_space(known));
    isl_size n = isl_map_dim(map, isl_dim_param);
    bool *involved = calloc(n < 0 ? 1 : n + 1, sizeof(*involved));
    for (int i = 0; i < n && involved; i++)
      involved[i] = isl_map_involves_dims(map, isl_dim_param, i, 1) != isl_bool_false;
    /* in the order of the map's parameters */
    isl_basic_set *aligned = isl_basic_set_align_params(all, isl_space_params(isl_map_get_space(map)));
    struct about about = {involved, isl_basic_set_universe(isl_basic_set_get_space(aligned))};
    if (involved && isl_basic_set_dim(aligned, isl_dim_div) == 0 &&
        isl_basic_set_foreach_constraint(aligned, keep_about, &about) == isl_stat_ok)
      map = isl_map_intersect_params(map, isl_set_from_basic_set(isl_basic_set_copy(about.kept)));
    isl_basic_set_free(about.kept);
    isl_basic_set_free(aligned);
    free(involved);
  }
  isl_basic_set_list_free(list);
  isl_set_free(known);
  return map;
}

isl_set *tsr_scop_telling(struct tsr_scop *scop)
{
  tsr_scop_renew(scop);
  if (!scop->kept.telling)
    scop->kept.telling = drop_many(scop, drop_ranges(isl_set_remove_redundancies(tsr_scop_known(scop))));
  return isl_set_copy(scop->kept.telling);
}

isl_set *tsr_scop_common(struct tsr_scop *scop)
{
  tsr_scop_renew(scop);
  if (!scop->kept.common) {
    isl_set *known = isl_set_remove_redundancies(tsr_scop_known(scop));
    if (isl_set_n_basic_set(known) > 1)
      known = isl_set_from_basic_set(isl_set_unshifted_simple_hull(known));
    scop->kept.common = drop_many(scop, drop_ranges(known));
  }
  return isl_set_copy(scop->kept.common);
}
