/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How much data there is at which sizes. */
#include "ast/sizes/size_parts.h"
#include "model/thresholds.h"
#include <isl/aff.h>
#include <isl/set.h>

/* Elements of ARRAY that SCOP accesses, at typical sizes: those of the access that has most. */
static double elements_of(struct tsr_scop *scop, int array)
{
  double most = 0;
  for (int s = 0; s < scop->n_stmt; s++)
    for (int k = 0; k < scop->stmts[s].n_access; k++)
      if (scop->stmts[s].access[k].array == array) {
        isl_map *access =
            isl_map_intersect_domain(isl_map_copy(scop->stmts[s].access[k].relation), isl_set_copy(scop->stmts[s].domain));
        isl_set *elements = isl_map_range(access);
        most = tsr_larger(most, tsr_set_points(scop, elements));
        isl_set_free(elements);
      }
  return most;
}

double tsr_size_data(struct tsr_scop *scop)
{
  double bytes = 0;
  for (int a = 0; a < scop->n_array; a++)
    if (scop->arrays[a].kind != TSR_ARRAY_SCALAR)
      bytes += elements_of(scop, a) * scop->arrays[a].elem_size;
  return bytes;
}

/* Do ELEMENTS depend on SIZE? */
static bool depend_on(isl_set *elements, isl_aff *size)
{
  bool found = false;
  elements = isl_set_gist_params(isl_set_copy(elements), isl_set_params(isl_set_copy(elements)));
  for (int p = 0; p < isl_aff_dim(size, isl_dim_param) && !found; p++) {
    bool involved = isl_aff_involves_dims(size, isl_dim_param, p, 1) == isl_bool_true;
    const char *name = isl_aff_get_dim_name(size, isl_dim_param, p);
    int own = involved ? isl_set_find_dim_by_name(elements, isl_dim_param, name) : -1;
    found = own >= 0 && isl_set_involves_dims(elements, isl_dim_param, own, 1) == isl_bool_true;
  }
  isl_set_free(elements);
  return found;
}

bool tsr_size_is_of_data(struct tsr_scop *scop, isl_aff *size, double all)
{
  bool found = false;
  for (int a = 0; a < scop->n_array && !found; a++) {
    if (scop->arrays[a].kind == TSR_ARRAY_SCALAR || elements_of(scop, a) * scop->arrays[a].elem_size < MUCH_OF_DATA * all)
      continue;
    for (int s = 0; s < scop->n_stmt; s++)
      for (int k = 0; k < scop->stmts[s].n_access && !found; k++) {
        if (scop->stmts[s].access[k].array != a)
          continue;
        isl_set *elements =
            isl_set_apply(isl_set_copy(scop->stmts[s].domain), isl_map_copy(scop->stmts[s].access[k].relation));
        found = depend_on(elements, size);
        isl_set_free(elements);
      }
  }
  return found;
}

double tsr_size_bytes_at(double all, double large, double size)
{
  for (double left = all / sizeof(double); left >= large && large > 1; left /= large)
    all *= size / large;
  return all;
}
