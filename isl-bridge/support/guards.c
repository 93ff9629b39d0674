/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Defects of isl. The linker routes calls through here (--wrap).
 *
 * One of its parametric integer programming: where the context has two equal divs, it counts those that it shares with the
 * problem wrongly and swaps a div with one behind the last, outside of the array. The call ends as an exhausted budget:
 * nothing more can be done on this SCoP. */
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>
#include "support/support.h"

__isl_give isl_basic_map *__real_isl_basic_map_swap_div(__isl_take isl_basic_map *bmap, int a, int b);
__isl_give isl_basic_map *__wrap_isl_basic_map_swap_div(__isl_take isl_basic_map *bmap, int a, int b);

__isl_give isl_basic_map *__wrap_isl_basic_map_swap_div(__isl_take isl_basic_map *bmap, int a, int b)
{
  isl_size n = isl_basic_map_dim(bmap, isl_dim_div);
  if (n < 0 || (a >= 0 && a < n && b >= 0 && b < n))
    return __real_isl_basic_map_swap_div(bmap, a, b);
  isl_ctx_set_max_operations(isl_basic_map_get_ctx(bmap), 1);
  return bmap;
}

/* A defect of isl's AST generation, where it looks for loops whose statements have one stride and different offsets:
 * statements that no parameter values have in common with the one they are compared to have no difference at all, and isl
 * takes the offset of nothing for 0. Then they run earlier or later than the schedule says. All of nothing is congruent
 * modulo 1, which tells isl that there is no such stride. */
isl_stat __real_isl_set_dim_residue_class_val(__isl_keep isl_set *set, int pos, __isl_give isl_val **modulo,
                                              __isl_give isl_val **residue);
isl_stat __wrap_isl_set_dim_residue_class_val(__isl_keep isl_set *set, int pos, __isl_give isl_val **modulo,
                                              __isl_give isl_val **residue);

isl_stat __wrap_isl_set_dim_residue_class_val(__isl_keep isl_set *set, int pos, __isl_give isl_val **modulo,
                                              __isl_give isl_val **residue)
{
  isl_bool empty = isl_set_is_empty(set);
  if (empty != isl_bool_true)
    return empty < 0 ? isl_stat_error : __real_isl_set_dim_residue_class_val(set, pos, modulo, residue);
  isl_ctx *ctx = isl_set_get_ctx(set);
  *modulo = isl_val_one(ctx);
  *residue = isl_val_zero(ctx);
  return *modulo && *residue ? isl_stat_ok : isl_stat_error;
}
