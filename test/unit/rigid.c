/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is given up before dependences are known: nests that scalars bind to their loops, or that wait for memory in any
 * order, and only such. */
#include "ast/ast.h"
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

/* for i { I; for j S; U; } */
static const char fold_body[] = "child: { schedule: \"[{ I[i] -> [(i)]; S[i, j] -> [(i)]; U[i] -> [(i)] }]\", "
                                "child: { sequence: [ { filter: \"{ I[i] }\" }, { filter: \"{ S[i, j] }\", "
                                "child: { schedule: \"[{ S[i, j] -> [(j)] }]\" } }, { filter: \"{ U[i] }\" } ] } }";

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

/* for i, j { B[i][j] = A[i][j] + 1; }, but READ and WRITTEN */
static struct tsr_scop *scop_copy(isl_ctx *ctx, const char *read, const char *written)
{
  const char *const lines[] = {"context [n] -> { : n >= 1 }",
                               "array [n] -> { A[i, j] : 0 <= j < 16 n }",
                               "array [n] -> { B[i, j] : 0 <= j < 16 n }",
                               "stmt [n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }",
                               read,
                               written,
                               NULL};
  return scop_build(ctx, "copy", lines,
                    "child: { schedule: \"[{ S[i, j] -> [(i)] }]\", child: { schedule: \"[{ S[i, j] -> [(j)] }]\" } }");
}

/* Lines that have to be brought in, in order. */
static struct tsr_scop *scop_stream(isl_ctx *ctx)
{
  return scop_copy(ctx, "read { S[i, j] -> A[i, j] }", "write { S[i, j] -> B[i, j] }");
}

/* Loops could be exchanged. */
static struct tsr_scop *scop_columns(isl_ctx *ctx)
{
  return scop_copy(ctx, "read { S[i, j] -> A[j, i] }", "write { S[i, j] -> B[j, i] }");
}

/* Tiles could help. */
static struct tsr_scop *scop_transposed(isl_ctx *ctx)
{
  return scop_copy(ctx, "read { S[i, j] -> A[j, i] }", "write { S[i, j] -> B[i, j] }");
}

/* Another line for each instance, in any order. */
static struct tsr_scop *scop_strided(isl_ctx *ctx)
{
  return scop_copy(ctx, "read { S[i, j] -> A[j, 16 i] }", "write { S[i, j] -> B[j, 16 i] }");
}

/* Loops could be exchanged: then some instances share a line. */
static struct tsr_scop *scop_near(isl_ctx *ctx)
{
  return scop_copy(ctx, "read { S[i, j] -> A[j, 2 i] }", "write { S[i, j] -> B[j, 2 i] }");
}

/* for i, j { I: x = 0; for k: S: x = f(x, A[i][2 k], A[i][2 k + 1], B[j][2 k], B[j][2 k + 1]); U: C[i][j] = x; }, in whose
 * innermost loop neither memory nor lanes are faster than what has to be computed. */
static struct tsr_scop *scop_pairs(isl_ctx *ctx)
{
  static const char *const lines[] = {"context [n] -> { : n >= 1 }",
                                      "array [n] -> { A[i, j] : 0 <= j < 2 n }",
                                      "array [n] -> { B[i, j] : 0 <= j < 2 n }",
                                      "array [n] -> { C[i, j] : 0 <= j < n }",
                                      "scalar x 8",
                                      "stmt [n] -> { I[i, j] : 0 <= i < n and 0 <= j < n }",
                                      "write { I[i, j] -> x[] }",
                                      "stmt [n] -> { S[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }",
                                      "read { S[i, j, k] -> x[] }",
                                      "read { S[i, j, k] -> A[i, 2 k] }",
                                      "read { S[i, j, k] -> A[i, 2 k + 1] }",
                                      "read { S[i, j, k] -> B[j, 2 k] }",
                                      "read { S[i, j, k] -> B[j, 2 k + 1] }",
                                      "write { S[i, j, k] -> x[] }",
                                      "stmt [n] -> { U[i, j] : 0 <= i < n and 0 <= j < n }",
                                      "read { U[i, j] -> x[] }",
                                      "write { U[i, j] -> C[i, j] }",
                                      NULL};
  struct tsr_scop *scop =
      scop_build(ctx, "pairs", lines,
                 "child: { schedule: \"[{ I[i, j] -> [(i)]; S[i, j, k] -> [(i)]; U[i, j] -> [(i)] }]\", "
                 "child: { schedule: \"[{ I[i, j] -> [(j)]; S[i, j, k] -> [(j)]; U[i, j] -> [(j)] }]\", "
                 "child: { sequence: [ { filter: \"{ I[i, j] }\" }, { filter: \"{ S[i, j, k] }\", "
                 "child: { schedule: \"[{ S[i, j, k] -> [(k)] }]\" } }, { filter: \"{ U[i, j] }\" } ] } } }");
  for (int i = 0; i < scop->n_stmt; i++)
    scop->stmts[i].lane_bytes = 8;
  scop->stmts[1].weight = 8;
  return scop;
}

/* for i, j { I: x = 0; for k: S: x = f(x, A[k][i], B[k][j]); U: C[i][j] = x; }: each run of k brings in more lines than the
 * first cache holds, and k stays as it is. */
static struct tsr_scop *scop_far(isl_ctx *ctx)
{
  static const char *const lines[] = {"context [n] -> { : n >= 1 }",
                                      "array [n] -> { A[i, j] : 0 <= j < n }",
                                      "array [n] -> { B[i, j] : 0 <= j < n }",
                                      "array [n] -> { C[i, j] : 0 <= j < n }",
                                      "scalar x 8",
                                      "stmt [n] -> { I[i, j] : 0 <= i < n and 0 <= j < n }",
                                      "write { I[i, j] -> x[] }",
                                      "stmt [n] -> { S[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }",
                                      "read { S[i, j, k] -> x[] }",
                                      "read { S[i, j, k] -> A[k, i] }",
                                      "read { S[i, j, k] -> B[k, j] }",
                                      "write { S[i, j, k] -> x[] }",
                                      "stmt [n] -> { U[i, j] : 0 <= i < n and 0 <= j < n }",
                                      "read { U[i, j] -> x[] }",
                                      "write { U[i, j] -> C[i, j] }",
                                      NULL};
  return scop_build(ctx, "far", lines,
                    "child: { schedule: \"[{ I[i, j] -> [(i)]; S[i, j, k] -> [(i)]; U[i, j] -> [(i)] }]\", "
                    "child: { schedule: \"[{ I[i, j] -> [(j)]; S[i, j, k] -> [(j)]; U[i, j] -> [(j)] }]\", "
                    "child: { sequence: [ { filter: \"{ I[i, j] }\" }, { filter: \"{ S[i, j, k] }\", "
                    "child: { schedule: \"[{ S[i, j, k] -> [(k)] }]\" } }, { filter: \"{ U[i, j] }\" } ] } } }");
}

/* for i { I: x = A[0][i]; for j: S: x = f(x, A[j][i]); U: B[i] = x; }: what I reads of A doesn't help S. */
static struct tsr_scop *scop_column(isl_ctx *ctx)
{
  static const char *const lines[] = {"context [n] -> { : n >= 1 }",
                                      "array [n] -> { A[i, j] : 0 <= j < n }",
                                      "array { B[i] }",
                                      "scalar x 8",
                                      "stmt [n] -> { I[i] : 0 <= i < n }",
                                      "read { I[i] -> A[0, i] }",
                                      "write { I[i] -> x[] }",
                                      "stmt [n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }",
                                      "read { S[i, j] -> x[] }",
                                      "read { S[i, j] -> A[j, i] }",
                                      "write { S[i, j] -> x[] }",
                                      "stmt [n] -> { U[i] : 0 <= i < n }",
                                      "read { U[i] -> x[] }",
                                      "write { U[i] -> B[i] }",
                                      NULL};
  return scop_build(ctx, "column", lines, fold_body);
}

/* for i { I: x = ..; for j: S: x = f(x, A[j][i]); U: .. = x; }: S is held in its innermost loop, but iterations of i may run
 * in lanes. FIRST and LAST: what I reads, and what U writes. */
static struct tsr_scop *scop_lanes(isl_ctx *ctx, const char *first, const char *last)
{
  const char *const lines[] = {"context [n] -> { : n >= 1 }",
                               "array [n] -> { A[i, j] : 0 <= j < n }",
                               "array { B[i] }",
                               "array { C[i] }",
                               "scalar x 4",
                               "scalar y 4 in out",
                               "stmt [n] -> { I[i] : 0 <= i < n }",
                               first,
                               "write { I[i] -> x[] }",
                               "stmt [n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }",
                               "read { S[i, j] -> x[] }",
                               "read { S[i, j] -> A[j, i] }",
                               "write { S[i, j] -> x[] }",
                               "stmt [n] -> { U[i] : 0 <= i < n }",
                               "read { U[i] -> x[] }",
                               last,
                               NULL};
  struct tsr_scop *scop = scop_build(ctx, "lanes", lines, fold_body);
  for (int i = 0; i < scop->n_stmt; i++)
    scop->stmts[i].lane_bytes = 4;
  scop->stmts[1].weight = 2;
  return scop;
}

/* One fold for each row. */
static struct tsr_scop *scop_rows(isl_ctx *ctx)
{
  return scop_lanes(ctx, "read { I[i] -> C[i] }", "write { U[i] -> B[i] }");
}

/* One fold for all of them: the next row goes on with what this one has found. */
static struct tsr_scop *scop_fold(isl_ctx *ctx)
{
  return scop_lanes(ctx, "read { I[i] -> y[] }", "write { U[i] -> y[] }");
}

/* for i, j: A[i][j] = f(A[i][j], Y[j][..]), of rows of inc elements, which may be any number. */
static struct tsr_scop *scop_by_column(isl_ctx *ctx, const char *read)
{
  const char *const lines[] = {"context [n, inc, p] -> { : n >= 1 and 0 <= p < inc }",
                               "array [n] -> { A[i, j] : 0 <= j < n }",
                               "array [inc] -> { Y[i, j] : 0 <= j < inc }",
                               "stmt [n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }",
                               read,
                               "read { S[i, j] -> A[i, j] }",
                               "write { S[i, j] -> A[i, j] }",
                               NULL};
  return scop_build(ctx, "by_column", lines,
                    "child: { schedule: \"[{ S[i, j] -> [(i)] }]\", child: { schedule: \"[{ S[i, j] -> [(j)] }]\" } }");
}

/* A vector y[p + j * inc]. */
static struct tsr_scop *scop_vector(isl_ctx *ctx)
{
  return scop_by_column(ctx, "read [p] -> { S[i, j] -> Y[j, p] }");
}

/* The first column of a matrix: tiles bring in its lines once. */
static struct tsr_scop *scop_first_column(isl_ctx *ctx)
{
  return scop_by_column(ctx, "read { S[i, j] -> Y[j, 0] }");
}

static struct tsr_scop *scop_several(isl_ctx *ctx)
{
  return scop_copy(ctx, "read { S[i, j] -> A[j, i] }", "write { S[i, j] -> B[j, o] : 2 i <= o <= 2 i + 1 }");
}

/* Neighbours along the other diagonal, where loops are skewed. */
static struct tsr_scop *scop_diagonals(isl_ctx *ctx)
{
  return scop_copy(ctx, "read { S[i, j] -> A[i + j, j] }", "write { S[i, j] -> B[i + j, j] }");
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

/* What is called rigid isn't worth it by the whole pipeline, either; of the rest, some is. */
static void test_agreement(isl_ctx *ctx)
{
  static const struct {
    builder build;
    bool rigid, worth;
  } scops[] = {{scop_chain, true, false},
               {scop_no_chain, false, true},
               {scop_once, false, false},
               {scop_gemm, false, true},
               {scop_jacobi_1d, true, false /* vector loops already */},
               {scop_trmm, false, true},
               {scop_temporary, true, false /* too small */},
               {scop_sum, true, false /* in any order: vectors already */},
               {scop_imperfect, false, false},
               {scop_stream, true, false},
               {scop_columns, false, true},
               {scop_transposed, false, false},
               {scop_strided, true, false},
               {scop_several, true, false},
               {scop_diagonals, false, true},
               {scop_near, false, true},
               {scop_pairs, true, false},
               {scop_far, true, false},
               {scop_column, true, false},
               {scop_vector, true, false /* taken for neighbours */},
               {scop_first_column, false, true},
               {scop_rows, false, true},
               {scop_fold, true, false}};
  for (size_t i = 0; i < sizeof(scops) / sizeof(scops[0]); i++) {
    struct tsr_scop *scop = scops[i].build(ctx);
    struct tsr_options opt = {.budget = 4000000};
    struct tsr_estimate before = {0};
    double *by_stmt = NULL;
    CHECK(tsr_profit_is_rigid(scop, 0, &before, &by_stmt) == isl_bool_ok(scops[i].rigid));
    CHECK((by_stmt != NULL) == (before.instances > 0));
    free(by_stmt);
    struct tsr_estimate cost;
    CHECK(tsr_tree_cost(scop, scop->schedule, false, false, &cost, NULL) == isl_stat_ok);
    CHECK(cost.issue > 0 && cost.issue <= cost.cost); /* a bound for whatever brings data nearer */
    struct tsr_result *result = tsr_pipeline_run(scop, &opt, 0, TSR_STAGE_PROFIT);
    CHECK(!result->hopeless && result->verdict == (scops[i].worth ? TSR_OK : TSR_UNPROFITABLE));
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

/* The sizes of loops are assumed before leading dimensions that they must fit into, whatever their order. */
static void test_sizes(isl_ctx *ctx)
{
  const char *const lines[] = {"context [ld, m, n] -> { : m + n <= ld }", "array [ld] -> { A[i, j] : 0 <= j < ld }",
                               "stmt [ld, m, n] -> { S[i, j] : 0 <= i < m and 0 <= j < n }",
                               "write [m] -> { S[i, j] -> A[j, m + i] }", NULL};
  struct tsr_scop *scop =
      scop_build(ctx, "sizes", lines,
                 "child: { schedule: \"[{ S[i, j] -> [(i)] }]\", child: { schedule: \"[{ S[i, j] -> [(j)] }]\" } }");
  CHECK(scop != NULL);
  double line[TSR_LEVELS];
  struct tsr_least of = {.lines = line};
  CHECK(tsr_profit_least(scop, &of) == isl_stat_ok && of.instances == 1e6);
  tsr_scop_free(scop);
}

/* Nor do the lines of a statement alone. */
static void test_lines(isl_ctx *ctx)
{
  static const struct {
    builder build;
    double read, written; /* lines of 64 bytes of 8-byte elements */
  } scops[] = {{scop_stream, 1e6 / 8, 1e6 / 8}, {scop_columns, 1e6 / 8, 1e6 / 8}, {scop_transposed, 1e6 / 8, 1e6 / 8},
               {scop_strided, 1e6, 1e6},        {scop_several, 1e6 / 8, 1e6},     {scop_diagonals, 1e6 / 8, 1e6 / 8},
               {scop_near, 1e6 / 8, 1e6 / 8}};
  for (size_t i = 0; i < sizeof(scops) / sizeof(scops[0]); i++) {
    struct tsr_scop *scop = scops[i].build(ctx);
    const struct tsr_cache *cache = scop->machine.cache;
    struct tsr_options opt = {.budget = 4000000};
    double lines[2 * TSR_LEVELS] = {0}, read = scops[i].read, written = scops[i].written;
    struct tsr_least of = {.lines = lines};
    CHECK(cache[0].line == 64 && tsr_profit_least(scop, &of) == isl_stat_ok);
    CHECK(lines[0] == read * (read == 1e6 ? cache[0].other_line : cache[0].next_line));
    CHECK(lines[TSR_LEVELS + 1] == written * (written == 1e6 ? cache[1].other_line : cache[1].next_line));
    struct tsr_result *result = tsr_pipeline_run(scop, &opt, 0, TSR_STAGE_PROFIT);
    CHECK(result->best && of.least <= result->best[0]);
    for (int c = 0; c < TSR_LEVELS; c++)
      CHECK(lines[c] + lines[TSR_LEVELS + c] <= result->best[0]);
    tsr_result_free(result);
    tsr_scop_free(scop);
  }
}

int main(void)
{
  isl_ctx *ctx = isl_ctx_alloc();
  test_verdict(ctx);
  test_agreement(ctx);
  test_least(ctx);
  test_lines(ctx);
  test_sizes(ctx);
  isl_ctx_free(ctx);
  printf("%d checks\n", n_checks);
  return 0;
}
