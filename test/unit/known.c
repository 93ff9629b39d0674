/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a SCoP knows of its parameters: all of it, without the ranges of types, and in one piece; anew when it assumes more.
 * What has been found of a band is told again, of that one only. */
#include "ast/ast.h"
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

/* { C[i, j] += A[i, k] * B[k, j] } ends with j, whoever asks and how often; { C[i, j] } as it is does already. */
static void check_innermost(isl_ctx *ctx)
{
  struct tsr_scop *scop = tsr_scop_alloc(ctx, "bands");
  static const char *const relations[] = {"{ S[i, j, k] -> C[i, j] }", "{ S[i, j, k] -> B[k, j] }"};
  tsr_scop_add_array(scop, "B", TSR_ARRAY_MEMORY, 8, isl_set_read_from_str(ctx, "{ B[i, j] : 0 <= j < 500 }"));
  tsr_scop_add_array(scop, "C", TSR_ARRAY_MEMORY, 8, isl_set_read_from_str(ctx, "{ C[i, j] : 0 <= j < 500 }"));
  tsr_scop_add_stmt(scop, "S", isl_set_read_from_str(ctx, "{ S[i, j, k] : 0 <= i, j, k < 500 }"));
  for (int i = 0; i < 2; i++)
    tsr_scop_add_access(scop, 0, TSR_READ, isl_map_read_from_str(ctx, relations[i]));
  static const struct {
    const char *schedule;
    int innermost;
  } bands[] = {{"[{ S[i, j, k] -> [(i)] }, { S[i, j, k] -> [(j)] }, { S[i, j, k] -> [(k)] }]", 1},
               {"[{ S[i, j, k] -> [(i)] }, { S[i, j, k] -> [(k)] }, { S[i, j, k] -> [(j)] }]", -1}};
  for (int round = 0; round < 6; round++)
    for (int b = 0; b < 2; b++) {
      isl_schedule *schedule = isl_schedule_from_domain(isl_union_set_from_set(isl_set_copy(scop->stmts[0].domain)));
      isl_schedule_node *node = isl_schedule_node_child(isl_schedule_get_root(schedule), 0);
      node = isl_schedule_node_insert_partial_schedule(node, isl_multi_union_pw_aff_read_from_str(ctx, bands[b].schedule));
      node = isl_schedule_node_band_set_permutable(node, 1);
      bool reuse = false, again = false;
      if (round == 3)
        assume(scop, "[n] -> { : n > 0 }");
      CHECK(tsr_band_find_innermost(node, scop, &reuse) == bands[b].innermost);
      CHECK(tsr_band_find_innermost(node, scop, &again) == bands[b].innermost && reuse == again);
      isl_schedule_node_free(node);
      isl_schedule_free(schedule);
    }
  tsr_scop_free(scop);
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
  check_innermost(ctx);
  isl_ctx_free(ctx);
  return check_report();
}
