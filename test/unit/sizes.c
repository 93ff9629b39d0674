/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From which sizes on new code runs: tests that the pipeline makes, and what they say of products of matrices. */
#include "ast/ast.h"
#include "scops.h"

static const char nest[] = "child: { schedule: \"[{ S[i, k, j] -> [(i)] }]\", "
                           "child: { schedule: \"[{ S[i, k, j] -> [(k)] }]\", "
                           "child: { schedule: \"[{ S[i, k, j] -> [(j)] }]\" } } }";

#define PRODUCT(DOMAIN)                                                                                                     \
  "array [l] -> { A[i, k] : 0 <= k < l }", "array [n] -> { B[k, j] : 0 <= j < n }",                                         \
      "array [n] -> { C[i, j] : 0 <= j < n }", DOMAIN, "read { S[i, k, j] -> A[i, k] }", "read { S[i, k, j] -> B[k, j] }",  \
      "read { S[i, k, j] -> C[i, j] }", "write { S[i, k, j] -> C[i, j] }"

/* for i < m, k < l, j < n: C[i][j] += A[i][k] * B[k][j] */
static struct tsr_scop *scop_product(isl_ctx *ctx)
{
  static const char *const lines[] = {"context [m, l, n] -> { : }",
                                      PRODUCT("stmt [m, l, n] -> { S[i, k, j] : 0 <= i < m and 0 <= k < l and 0 <= j < n }"),
                                      NULL};
  return scop_build(ctx, "product", lines, nest);
}

/* The same from row `first` to row `last`: its size is a difference of two parameters. */
static struct tsr_scop *scop_rows(isl_ctx *ctx)
{
  static const char *const lines[] = {
      "context [first, last, l, n] -> { : 0 <= first <= 9 }",
      PRODUCT("stmt [first, last, l, n] -> { S[i, k, j] : first <= i <= last and 0 <= k < l and 0 <= j < n }"), NULL};
  return scop_build(ctx, "rows", lines, nest);
}

/* The same for products of 4 x 4 by 4 x n. */
static struct tsr_scop *scop_few(isl_ctx *ctx)
{
  static const char *const lines[] = {
      "context [l, n] -> { : }", PRODUCT("stmt [l, n] -> { S[i, k, j] : 0 <= i < 1000000 and 0 <= k < 4 and 0 <= j < 4 }"),
      NULL};
  return scop_build(ctx, "few", lines, nest);
}

/* The result for SCOP, on a machine with long vectors, which its statements may use; FORCED: whatever it costs. */
static struct tsr_result *run(struct tsr_scop *scop, bool forced)
{
  struct tsr_options opt;
  tsr_options_init(&opt);
  opt.force = forced;
  tsr_machine_find("znver4", &scop->machine);
  for (int i = 0; i < scop->n_stmt; i++)
    scop->stmts[i].vector_bytes = scop->stmts[i].lane_bytes = 8, scop->stmts[i].latency = 4;
  return tsr_pipeline_run(scop, &opt, 0, TSR_STAGE_AST);
}

/* Products have a test of each of their sizes or of their product, and what it says is text. */
static void test_product(isl_ctx *ctx)
{
  struct tsr_scop *scop = scop_product(ctx);
  struct tsr_result *result = run(scop, false);
  struct tsr_sizes *sizes = result->sizes;
  CHECK(result->verdict == TSR_OK && sizes != NULL);
  bool asks = sizes->product > 1;
  CHECK(sizes->n == 3 && sizes->product <= 1 << 20);
  for (int i = 0; i < sizes->n; i++) {
    CHECK(sizes->least[i] >= 1 && sizes->least[i] < 200);
    asks |= sizes->least[i] > 1;
  }
  char *text = tsr_sizes_text(sizes);
  CHECK(asks && text && strstr(text, " >= "));
  free(text);
  tsr_result_free(result);
  tsr_scop_free(scop);
}

/* Who forces it has no test. */
static void test_forced(isl_ctx *ctx)
{
  struct tsr_scop *scop = scop_product(ctx);
  struct tsr_result *result = run(scop, true);
  CHECK(result->verdict == TSR_OK && !result->sizes);
  tsr_result_free(result);
  tsr_scop_free(scop);
}

/* Trip counts are asked for, not parameters. */
static void test_rows(isl_ctx *ctx)
{
  struct tsr_scop *scop = scop_rows(ctx);
  struct tsr_result *result = run(scop, false);
  struct tsr_sizes *sizes = result->sizes;
  bool difference = false;
  for (int i = 0; sizes && i < sizes->n; i++) {
    char *text = isl_ast_expr_to_C_str(sizes->size[i]);
    difference |= text && strstr(text, "last") && strstr(text, "first");
    free(text);
  }
  CHECK(result->verdict == TSR_OK && difference);
  tsr_result_free(result);
  tsr_scop_free(scop);
}

/* Loops of few, known iterations: it is known now that nothing is gained, or nothing is asked of them. */
static void test_few(isl_ctx *ctx)
{
  struct tsr_scop *scop = scop_few(ctx);
  struct tsr_result *result = run(scop, false);
  CHECK(result->verdict == TSR_UNPROFITABLE || !result->sizes);
  tsr_result_free(result);
  tsr_scop_free(scop);
}

/* What code costs grows with the trip counts of loops around others; an innermost one of as many iterations as a vector has
 * lanes may cost less than a shorter one. */
static void test_monotone(isl_ctx *ctx)
{
  struct tsr_scop *scop = scop_product(ctx);
  isl_ast_node *ast = tsr_ast_build(scop, scop->schedule);
  const double rate[] = {0.2};
  struct tsr_size_costs *costs = tsr_size_costs_read(scop, ast, rate, rate, 10, 0);
  CHECK(costs != NULL);
  const int64_t none[] = {0, 5, 5}, negative[] = {-3, 5, -7};
  CHECK(tsr_size_costs_at(costs, none) < 15 && tsr_size_costs_at(costs, negative) < 15);
  for (int which = 0; which < 2; which++) {
    int64_t size[] = {16, 16, 16};
    double last = 0;
    for (size[which] = 1; size[which] < 2000; size[which] *= 2) {
      double cost = tsr_size_costs_at(costs, size);
      CHECK(cost > last);
      last = cost;
    }
  }
  tsr_size_costs_free(costs);
  isl_ast_node_free(ast);
  tsr_scop_free(scop);
}

/* Vectors that look at arrays which may overlap cost more, by the pairs that a loop has, as far as these are unknown. */
static void test_overlaps(isl_ctx *ctx)
{
  struct tsr_scop *scop = scop_product(ctx);
  isl_ast_node *ast = tsr_ast_build(scop, scop->schedule);
  const double rate[] = {0.2};
  const int64_t size[] = {16, 16, 16}, one[] = {1, 1, 1};
  double cost[4], alone[4];
  for (int unknown = 0; unknown < 4; unknown++) {
    struct tsr_size_costs *costs = tsr_size_costs_read(scop, ast, rate, rate, 10, unknown);
    CHECK(costs != NULL);
    cost[unknown] = tsr_size_costs_at(costs, size);
    alone[unknown] = tsr_size_costs_at(costs, one);
    tsr_size_costs_free(costs);
  }
  CHECK(cost[0] < cost[1] && cost[1] < cost[2] && cost[2] == cost[3]);
  CHECK(alone[0] == alone[3]);
  isl_ast_node_free(ast);
  tsr_scop_free(scop);
}

int main(void)
{
  isl_ctx *ctx = isl_ctx_alloc();
  test_overlaps(ctx);
  test_product(ctx);
  test_forced(ctx);
  test_rows(ctx);
  test_few(ctx);
  test_monotone(ctx);
  isl_ctx_free(ctx);
  printf("%d checks\n", n_checks);
  return 0;
}
