/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Is a SCoP a pipeline of stages? */
#include "access/access.h"
#include "model/thresholds.h"

/* Does some statement read what another one in front of it writes to ARRAY? */
static bool is_passed_on(const struct tsr_scop *scop, int array)
{
  bool written = false;
  for (int s = 0; s < scop->n_stmt; s++) {
    bool writes = false;
    for (int k = 0; k < scop->stmts[s].n_access; k++) {
      const struct tsr_access *access = &scop->stmts[s].access[k];
      if (access->array == array && access->kind == TSR_READ && written)
        return true;
      writes |= access->array == array && access->kind == TSR_MUST_WRITE;
    }
    written |= writes;
  }
  return false;
}

bool tsr_scop_has_stages(const struct tsr_scop *scop)
{
  bool has = false;
  for (int a = 0; a < scop->n_array && !has; a++)
    has = scop->arrays[a].kind == TSR_ARRAY_MEMORY && is_passed_on(scop, a);
  return has;
}

/* Arrays that stages pass on to others, of those that may be read behind SCOP or, if DEAD, of the others. */
static int n_passed_on(const struct tsr_scop *scop, bool dead)
{
  int n = 0;
  for (int a = 0; a < scop->n_array; a++)
    n += scop->arrays[a].kind == TSR_ARRAY_MEMORY && scop->arrays[a].live_out != dead && is_passed_on(scop, a);
  return n;
}

bool tsr_scop_passes_on(const struct tsr_scop *scop)
{
  return n_passed_on(scop, true) + n_passed_on(scop, false) > 1;
}

/* Scalars that have elements are passed on within a nest: they make no pipeline. */
static int n_expanded(const struct tsr_scop *scop)
{
  int n = 0;
  for (int a = 0; a < scop->n_array; a++)
    n += tsr_array_is_expanded(&scop->arrays[a]) && is_passed_on(scop, a);
  return n;
}

bool tsr_scop_is_pipeline(const struct tsr_scop *scop)
{
  return n_passed_on(scop, true) - n_expanded(scop) > 1;
}

static isl_bool count_nest(isl_schedule_node *node, void *user)
{
  int *n = user;
  bool band = isl_schedule_node_get_type(node) == isl_schedule_node_band;
  *n += band;
  return isl_bool_ok(!band);
}

bool tsr_scop_is_long_pipeline(const struct tsr_scop *scop)
{
  int n = 0;
  if (scop->n_stmt <= MANY_STAGES)
    return false;
  if (tsr_scop_is_pipeline(scop))
    return true;
  isl_schedule_node *root = isl_schedule_get_root(scop->schedule);
  isl_stat ok = isl_schedule_node_foreach_descendant_top_down(root, count_nest, &n);
  isl_schedule_node_free(root);
  return ok == isl_stat_ok && n > MANY_NESTS && tsr_scop_passes_on(scop);
}
