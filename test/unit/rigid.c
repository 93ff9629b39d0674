/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is given up before dependences are known: nests that scalars bind to their loops, and only such. */
#include "bridge.h"
#include "scops.h"

#define NEST(EXTRA)                                                                                                         \
  "context [n] -> { : n >= 1 }", "array [n] -> { A[i, j] : 0 <= j < n }", "array { B[i] }", "scalar x 8", "scalar y 8",     \
      "stmt [n] -> { I[i] : 0 <= i < n }", "read { I[i] -> A[i, 0] }", "write { I[i] -> x[] }",                             \
      "stmt [n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }", EXTRA, "read { S[i, j] -> A[i, j] }",                          \
      "write { S[i, j] -> y[] }", "stmt [n] -> { T[i, j] : 0 <= i < n and 0 <= j < n }", "read { T[i, j] -> y[] }"

static const char body[] =
    "child: { schedule: \"[{ I[i] -> [(i)]; S[i, j] -> [(i)]; T[i, j] -> [(i)]; U[i] -> [(i)] }]\", "
    "child: { sequence: [ { filter: \"{ I[i] }\" }, { filter: \"{ S[i, j]; T[i, j] }\", "
    "child: { schedule: \"[{ S[i, j] -> [(j)]; T[i, j] -> [(j)] }]\", "
    "child: { sequence: [ { filter: \"{ S[i, j] }\" }, { filter: \"{ T[i, j] }\" } ] } } }, { filter: \"{ U[i] }\" } ] } }";

/* for i { I: x = A[i][0]; for j { S: y = f(x, A[i][j]); T: x = g(y); } U: B[i] = x; } */
static struct tsr_scop *scop_chain(isl_ctx *ctx)
{
  static const char *const lines[] = {
      NEST("read { S[i, j] -> x[] }"), "write { T[i, j] -> x[] }", "stmt [n] -> { U[i] : 0 <= i < n }",
      "read { U[i] -> x[] }",          "write { U[i] -> B[i] }",   NULL};
  return scop_build(ctx, "chain", lines, body);
}

/* The same, but S doesn't read what T wrote: A is walked down its columns, and loops could be exchanged. */
static struct tsr_scop *scop_no_chain(isl_ctx *ctx)
{
  static const char *const lines[] = {NEST("read { S[i, j] -> A[j, i] }"),
                                      "write { T[i, j] -> A[j, i] }",
                                      "stmt [n] -> { U[i] : 0 <= i < n }",
                                      "read { U[i] -> x[] }",
                                      "write { U[i] -> B[i] }",
                                      NULL};
  return scop_build(ctx, "no_chain", lines, body);
}

/* The same as the chain, but T runs in one iteration of j alone. */
static struct tsr_scop *scop_once(isl_ctx *ctx)
{
  static const char *const lines[] = {"context [n] -> { : n >= 1 }",
                                      "array [n] -> { A[i, j] : 0 <= j < n }",
                                      "array { B[i] }",
                                      "scalar x 8",
                                      "scalar y 8",
                                      "stmt [n] -> { I[i] : 0 <= i < n }",
                                      "read { I[i] -> A[i, 0] }",
                                      "write { I[i] -> x[] }",
                                      "stmt [n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }",
                                      "read { S[i, j] -> x[] }",
                                      "read { S[i, j] -> A[j, i] }",
                                      "write { S[i, j] -> y[] }",
                                      "stmt [n] -> { T[i, j] : 0 <= i < n and j = 0 }",
                                      "read { T[i, j] -> y[] }",
                                      "write { T[i, j] -> x[] }",
                                      "stmt [n] -> { U[i] : 0 <= i < n }",
                                      "read { U[i] -> x[] }",
                                      "write { U[i] -> B[i] }",
                                      NULL};
  return scop_build(ctx, "once", lines, body);
}

typedef struct tsr_scop *(*builder)(isl_ctx *);

/* Nothing is computed for a nest that can't be worth it. */
static void test_verdict(isl_ctx *ctx)
{
  struct tsr_scop *scop = scop_chain(ctx);
  struct tsr_options opt = {.budget = 4000000};
  struct tsr_result *result = tsr_pipeline_run(scop, &opt, 0, TSR_STAGE_AST);
  CHECK(result->verdict == TSR_UNPROFITABLE && result->stage == TSR_STAGE_PROFIT);
  CHECK(result->hopeless && !result->deps);
  tsr_result_free(result);
  opt.force = true;
  result = tsr_pipeline_run(scop, &opt, 0, TSR_STAGE_AST);
  CHECK(result->verdict == TSR_OK && result->deps);
  tsr_result_free(result);
  tsr_scop_free(scop);
}

/* What is called rigid isn't worth it by the whole pipeline, either. */
static void test_agreement(isl_ctx *ctx)
{
  static const struct {
    builder build;
    bool rigid;
  } scops[] = {{scop_chain, true},      {scop_no_chain, false},  {scop_once, false},
               {scop_gemm, false},      {scop_jacobi_1d, false}, {scop_trmm, false},
               {scop_temporary, false}, {scop_sum, false},       {scop_imperfect, false}};
  for (size_t i = 0; i < sizeof(scops) / sizeof(scops[0]); i++) {
    struct tsr_scop *scop = scops[i].build(ctx);
    struct tsr_options opt = {.budget = 4000000};
    CHECK(tsr_profit_is_rigid(scop, 0) == isl_bool_ok(scops[i].rigid));
    struct tsr_result *result = tsr_pipeline_run(scop, &opt, 0, TSR_STAGE_PROFIT);
    CHECK(!result->hopeless && (!scops[i].rigid || result->verdict == TSR_UNPROFITABLE));
    tsr_result_free(result);
    tsr_scop_free(scop);
  }
}

/* No candidate costs less than what is said to be the least. */
static void test_least(isl_ctx *ctx)
{
  struct tsr_scop *scop = scop_chain(ctx);
  struct tsr_options opt = {.budget = 4000000};
  struct tsr_least of[] = {{.hold = TSR_HOLD_NONE}, {.hold = TSR_HOLD_INNERMOST}, {.hold = TSR_HOLD_INNERMOST}, {0}};
  CHECK(tsr_profit_least(scop, of) == isl_stat_ok);
  struct tsr_result *result = tsr_pipeline_run(scop, &opt, 0, TSR_STAGE_PROFIT);
  for (int i = 0; i < 4; i++)
    CHECK(result->best && of[i].least <= result->best[i] && of[i].least <= of[i].before);
  CHECK(of[1].least > 0 && of[2].least > 0 && of[1].instances == 1e6);
  tsr_result_free(result);
  tsr_scop_free(scop);
}

int main(void)
{
  isl_ctx *ctx = isl_ctx_alloc();
  test_verdict(ctx);
  test_agreement(ctx);
  test_least(ctx);
  isl_ctx_free(ctx);
  printf("%d checks\n", n_checks);
  return 0;
}
