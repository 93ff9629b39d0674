/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a SCoP knows of its parameters: all of it, without the ranges of types, and in one piece; anew when it assumes more.
 */
#include "bridge.h"
#include "check.h"

static bool is(__isl_take isl_set *set, const char *text, int pieces)
{
  isl_set *want = isl_set_read_from_str(isl_set_get_ctx(set), text);
  bool same = isl_set_is_equal(set, want) == isl_bool_true && isl_set_n_basic_set(set) == pieces;
  isl_set_free(want);
  isl_set_free(set);
  return same;
}

static void assume(struct tsr_scop *scop, const char *text)
{
  isl_set_free(scop->assumed);
  scop->assumed = isl_set_read_from_str(scop->ctx, text);
}

int main(void)
{
  isl_ctx *ctx = isl_ctx_alloc();
  struct tsr_scop *scop = tsr_scop_alloc(ctx, "known");
  isl_set_free(scop->context);
  scop->context = isl_set_read_from_str(ctx, "[n, m] -> { : -2147483648 <= n, m <= 2147483647 }");
  assume(scop, "[n, m] -> { : m >= n }");
  for (int i = 0; i < 2; i++) {
    CHECK(is(tsr_scop_known(scop), "[n, m] -> { : m >= n and -2147483648 <= n, m <= 2147483647 }", 1));
    CHECK(is(tsr_scop_telling(scop), "[n, m] -> { : m >= n }", 1));
    CHECK(is(tsr_scop_common(scop), "[n, m] -> { : m >= n }", 1));
  }
  /* `m >= 7` holds in both pieces, 2 n <= m in one */
  assume(scop, "[n, m] -> { : m >= 7 and (n <= 0 or (n >= 5 and 2n <= m)) }");
  CHECK(isl_set_n_basic_set(scop->assumed) == 2);
  isl_set *common = tsr_scop_common(scop), *telling = tsr_scop_telling(scop), *known = tsr_scop_known(scop);
  isl_set *both = isl_set_read_from_str(ctx, "[n, m] -> { : m >= 7 }");
  CHECK(isl_set_n_basic_set(common) == 1 && isl_set_n_basic_set(telling) == 2);
  CHECK(isl_set_is_subset(known, telling) == isl_bool_true && isl_set_is_subset(telling, common) == isl_bool_true);
  CHECK(isl_set_is_subset(common, both) == isl_bool_true);
  isl_set_free(common);
  isl_set_free(telling);
  isl_set_free(known);
  isl_set_free(both);
  tsr_scop_free(scop);
  isl_ctx_free(ctx);
  return check_report();
}
