/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A defect of isl's parametric integer programming: where the context has two equal divs, it counts those that it shares
 * with the problem wrongly and swaps a div with one behind the last, outside of the array. The linker routes the call
 * through here (--wrap); it ends as an exhausted budget: nothing more can be done on this SCoP. */
#include <isl/ctx.h>
#include <isl/map.h>
#include "tessera.h"

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
