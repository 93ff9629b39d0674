/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Is there an integer point in a basic set? isl's answer first makes the set smaller, by unimodular transformations, and
 * looks for its recession cone where it isn't bounded; most of the sets that it is asked about here have parameters without
 * bounds. Linear programs tell nearly always: the set has no rational points, or a vertex is integer. They stand in front of
 * isl's own search (--wrap), which goes on where they don't tell. Which point is found makes no difference to what isl
 * computes from it. */
#include "support/support.h"
#include <isl/lp.h>
#include <isl/set.h>
#include <isl/val.h>
#include <isl/vec.h>
#include <stdint.h>

#define MAX_DIM 64

/* An isl_int, as small_integers.c says. */
typedef uint64_t number;

__isl_give isl_vec *__real_isl_basic_set_sample_vec(__isl_take isl_basic_set *set);
__isl_give isl_vec *__wrap_isl_basic_set_sample_vec(__isl_take isl_basic_set *set);

static number make(int x)
{
  return (number)x << 32 | 1;
}

/* Of the archive: the least value of F / DENOMINATOR over SET, and where. */
enum isl_lp_result isl_basic_set_solve_lp(__isl_keep isl_basic_set *set, int max, number *f, number *denominator,
                                          number *value, number *value_denominator, __isl_give isl_vec **at);
isl_bool isl_basic_set_contains(__isl_keep isl_basic_set *set, __isl_keep isl_vec *point);

/* Is POINT, its common denominator first, one of SET's integer points? */
static bool is_sample(isl_basic_set *set, isl_vec *point)
{
  isl_val *denominator = isl_vec_get_element_val(point, 0);
  bool integer = isl_val_is_one(denominator) == isl_bool_true;
  isl_val_free(denominator);
  return integer && isl_basic_set_contains(set, point) == isl_bool_true;
}

/* A vertex of SET where FACTOR times the sum of all N numbers is least, in *POINT if there is one, and what it is. */
static enum isl_lp_result find_vertex(isl_basic_set *set, isl_size n, int factor, isl_vec **point)
{
  number f[MAX_DIM + 1] = {make(0)}, denominator = make(1);
  for (int i = 1; i <= n; i++)
    f[i] = make(factor);
  *point = NULL;
  return isl_basic_set_solve_lp(set, 0, f, &denominator, NULL, NULL, point);
}

__isl_give isl_vec *__wrap_isl_basic_set_sample_vec(__isl_take isl_basic_set *set)
{
  static const int factors[] = {0, 1, -1};
  isl_size n = isl_basic_set_dim(set, isl_dim_all);
  if (sizeof(void *) != sizeof(number) || n < 2 || n >= MAX_DIM || isl_basic_set_dim(set, isl_dim_div) != 0)
    return __real_isl_basic_set_sample_vec(set);
  for (int i = 0; i < 3; i++) {
    isl_vec *point;
    enum isl_lp_result result = find_vertex(set, n, factors[i], &point);
    bool found = result == isl_lp_ok && point && is_sample(set, point);
    if (found || result == isl_lp_empty) {
      isl_ctx *ctx = isl_basic_set_get_ctx(set);
      isl_basic_set_free(set);
      if (found)
        return point;
      isl_vec_free(point);
      return isl_vec_alloc(ctx, 0);
    }
    isl_vec_free(point);
  }
  return __real_isl_basic_set_sample_vec(set);
}
