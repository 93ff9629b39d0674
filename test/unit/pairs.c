/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What we ask in front of isl gives isl's answers: is a set empty, and which pairs does a schedule put in order? */
#include "ast/ast.h"
#include "check.h"
#include <isl/options.h>
#include <isl/val.h>
#include <isl/vec.h>

__isl_give isl_vec *__real_isl_basic_set_sample_vec(__isl_take isl_basic_set *set);
__isl_give isl_vec *isl_basic_set_sample_vec(__isl_take isl_basic_set *set);

static unsigned long state = 12345;

static int any(int low, int high)
{
  state = state * 6364136223846793005ul + 1442695040888963407ul;
  return low + (int)((state >> 33) % (unsigned long)(high - low + 1));
}

/* Is there no point, as isl's own search says, and as ours does? */
static void check_empty(isl_basic_set *set)
{
  isl_vec *mine = isl_basic_set_sample_vec(isl_basic_set_copy(set));
  isl_vec *theirs = __real_isl_basic_set_sample_vec(isl_basic_set_copy(set));
  CHECK((isl_vec_size(mine) == 0) == (isl_vec_size(theirs) == 0));
  if (isl_vec_size(mine) > 0) {
    isl_val *denominator = isl_vec_get_element_val(mine, 0);
    CHECK(isl_val_is_one(denominator) == isl_bool_true);
    isl_val_free(denominator);
  }
  isl_vec_free(mine);
  isl_vec_free(theirs);
  isl_basic_set_free(set);
}

/* Constraints A x + B y + C z + D >= 0 or = 0. */
static void check_random_sets(isl_ctx *ctx)
{
  for (int round = 0; round < 2000; round++) {
    char text[1024], *at = text;
    at += sprintf(at, "{ [x, y, z] : ");
    int n = any(1, 5);
    for (int i = 0; i < n; i++)
      at += sprintf(at, "%s%dx + %dy + %dz + %d %s 0", i ? " and " : "", any(-4, 4), any(-4, 4), any(-3, 3), any(-9, 9),
                    any(0, 3) ? ">=" : "=");
    sprintf(at, "%s }", any(0, 1) ? " and -5 <= x, y <= 5" : "");
    check_empty(isl_basic_set_read_from_str(ctx, text));
  }
}

static void check_sets(isl_ctx *ctx)
{
  static const char *const sets[] = {"{ [x, y] : 2x = 2y + 1 }",
                                     "{ [x, y] : 1 <= 3x <= 2 }",
                                     "{ [x, y] : 1 <= 3x - 5y <= 2 and 7 <= 3y <= 8 }",
                                     "{ [x, y] : 1 <= 3x + y <= 2 and 0 <= 2y <= 1 }",
                                     "{ [x, y] : x > y and y > x }",
                                     "{ [x, y, z] : 2x + 1 <= 2y <= 2x + 1 + z and z <= 0 }",
                                     "{ [x, y] : 8x <= y <= 8x + 7 and 5 <= y <= 6 }"};
  for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++)
    check_empty(isl_basic_set_read_from_str(ctx, sets[i]));
}

typedef isl_union_map *(*ordering)(isl_union_map *, isl_multi_union_pw_aff *);

static void check_order(isl_ctx *ctx, const char *pairs, const char *times)
{
  static const ordering mine[] = {tsr_pairs_before, tsr_pairs_after, tsr_pairs_at_once};
  static const ordering theirs[] = {isl_union_map_lex_lt_at_multi_union_pw_aff, isl_union_map_lex_gt_at_multi_union_pw_aff,
                                    isl_union_map_eq_at_multi_union_pw_aff};
  for (int i = 0; i < 3; i++) {
    isl_union_map *is = mine[i](isl_union_map_read_from_str(ctx, pairs), isl_multi_union_pw_aff_read_from_str(ctx, times));
    isl_union_map *want =
        theirs[i](isl_union_map_read_from_str(ctx, pairs), isl_multi_union_pw_aff_read_from_str(ctx, times));
    CHECK(isl_union_map_is_equal(is, want) == isl_bool_true);
    isl_union_map_free(is);
    isl_union_map_free(want);
  }
}

static void check_orders(isl_ctx *ctx)
{
  static const char pairs[] = "[n, m] -> { S[i, j] -> T[k] : 0 <= i, j, k < n and k <= i + j; "
                              "S[i, j] -> S[k, l] : 0 <= i, j, k, l < m and (i <= l or j + k = n); T[i] -> S[j, k] }";
  static const char *const times[] = {
      "[{ S[i, j] -> [(i)]; T[k] -> [(k)] }]", "[n] -> [{ S[i, j] -> [(2i - j + n)]; T[k] -> [(1 - k)] }]",
      "[m, n] -> [{ S[i, j] -> [(i)]; T[k] -> [(m)] }, { S[i, j] -> [(j + n)]; T[k] -> [(3k)] }]",
      "[n] -> [{ S[i, j] -> [(floor((i)/8))]; T[k] -> [(k - 8*floor((k)/8))] }, { S[i, j] -> [(j)]; T[k] -> [(k)] }]",
      "[n] -> [{ S[i, j] -> [(i)] : i > 3; S[i, j] -> [(2j)] : i <= 3; T[k] -> [(k)] }]"};
  for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
    check_order(ctx, pairs, times[i]);
}

/* As isl does, for times that are sums, and others. */
static void check_times(isl_ctx *ctx)
{
  static const char *const times[][2] = {{"{ S[i, j] -> [(i), (j)] }", "{ T[k] -> [(k), (0)] }"},
                                         {"{ S[i, j] -> [(0), (i), (1)] }", "{ T[k] -> [(0), (k), (0)] }"},
                                         {"{ S[i, j] -> [(0), (i), (1)] }", "{ T[k] -> [(1), (k), (0)] }"},
                                         {"{ S[i, j] -> [(2), (i)] }", "{ T[k] -> [(1), (k)] }"},
                                         {"{ S[i, j] -> [(2)] }", "{ T[k] -> [(2)] }"},
                                         {"[n] -> { S[i, j] -> [(n - i), (2j)] }", "[m] -> { T[k] -> [(k), (m)] }"},
                                         {"{ S[i, j] -> [(floor((i)/4)), (i)] }", "{ T[k] -> [(floor((k)/4)), (k)] }"}};
  for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
    isl_multi_aff *first = isl_multi_aff_read_from_str(ctx, times[i][0]);
    isl_multi_aff *second = isl_multi_aff_read_from_str(ctx, times[i][1]);
    isl_map *is = tsr_pairs_by_time(first, second);
    isl_map *want = isl_map_lex_lt_map(isl_map_from_multi_aff(first), isl_map_from_multi_aff(second));
    CHECK(isl_map_is_equal(is, want) == isl_bool_true);
    isl_map_free(is);
    isl_map_free(want);
  }
}

int main(void)
{
  isl_ctx *ctx = isl_ctx_alloc();
  check_sets(ctx);
  check_random_sets(ctx);
  check_orders(ctx);
  check_times(ctx);
  isl_ctx_free(ctx);
  return check_report();
}
