/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Is a SCoP a pipeline of stages? */
#include "access/access.h"

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

bool tsr_scop_is_pipeline(const struct tsr_scop *scop)
{
  int n = 0;
  for (int a = 0; a < scop->n_array; a++)
    n += scop->arrays[a].kind == TSR_ARRAY_MEMORY && !scop->arrays[a].live_out && is_passed_on(scop, a);
  return n > 1;
}
