/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nests fused row by row (tree/stages/shifted_fusion.c): how far one is behind the others, at which rates, what can't be
 * fused; that checker and interpreter agree, that the estimate sees what it gains, and that the pipeline is never wrong
 * about why it stops, whatever its budget is. */
#include "ast/ast.h"
#include "scops.h"
#include "tree/transformations.h"

#define NESTS(CHILDREN) "child: { sequence: [ " CHILDREN " ] }"
#define NEST(S, I, J)                                                                                                       \
  "{ filter: \"{ " S "[" I ", " J "] }\", child: { schedule: \"[{ " S "[" I ", " J "] -> [" I "] }]\", "                    \
  "child: { schedule: \"[{ " S "[" I ", " J "] -> [" J "] }]\" } } }"
#define SQUARE(S) "stmt [n, m] -> { " S "[i, j] : 0 <= i < n and 0 <= j < m }"
#define ARRAY(A) "array [n, m] -> { " A "[i, j] : 0 <= j < m + 2 }"
#define FIVE_POINTS(S, A)                                                                                                   \
  "read { " S "[i, j] -> " A "[1 + i, 1 + j] }", "read { " S "[i, j] -> " A "[i, 1 + j] }",                                 \
      "read { " S "[i, j] -> " A "[2 + i, 1 + j] }", "read { " S "[i, j] -> " A "[1 + i, j] }",                             \
      "read { " S "[i, j] -> " A "[1 + i, 2 + j] }"
#define STEP(S, TO, FROM) SQUARE(S), FIVE_POINTS(S, FROM), "write { " S "[i, j] -> " TO "[1 + i, 1 + j] }"

/* Four steps of Jacobi's method, there and back. */
static const char *const there_and_back[] = {"context [n, m] -> { : n >= 0 and m >= 0 }",
                                             ARRAY("T"),
                                             ARRAY("V"),
                                             STEP("S", "T", "V"),
                                             STEP("U", "V", "T"),
                                             STEP("X", "T", "V"),
                                             STEP("Y", "V", "T"),
                                             NULL};
static const char four_nests[] =
    NESTS(NEST("S", "i", "j") ", " NEST("U", "i", "j") ", " NEST("X", "i", "j") ", " NEST("Y", "i", "j"));

/* Three filters, one behind the other, which could be in tiles with buffers, too. */
static const char *const filters[] = {"context [n, m] -> { : n >= 0 and m >= 0 }",
                                      ARRAY("A"),
                                      ARRAY("B"),
                                      ARRAY("C"),
                                      ARRAY("D"),
                                      STEP("S", "B", "A"),
                                      STEP("U", "C", "B"),
                                      STEP("X", "D", "C"),
                                      NULL};
static const char three_nests[] = NESTS(NEST("S", "i", "j") ", " NEST("U", "i", "j") ", " NEST("X", "i", "j"));

/* Half of the rows and columns, and back again; between, what has nothing to do with that. */
static const char *const half[] = {"context [n, m] -> { : n >= 0 and m >= 0 }",
                                   ARRAY("A"),
                                   ARRAY("B"),
                                   ARRAY("C"),
                                   ARRAY("D"),
                                   ARRAY("E"),
                                   SQUARE("S"),
                                   "read { S[i, j] -> A[i, j] }",
                                   "write { S[i, j] -> B[i, j] }",
                                   SQUARE("Z"),
                                   "write { Z[i, j] -> E[i, j] }",
                                   "stmt [n, m] -> { U[i, j] : 1 <= i and 2 i < n and 1 <= j and 2 j < m }",
                                   "read { U[i, j] -> B[2 i, 2 j] }",
                                   "read { U[i, j] -> B[2 i - 1, 2 j] }",
                                   "write { U[i, j] -> C[i, j] }",
                                   SQUARE("X"),
                                   "read { X[i, j] -> B[i, j] }",
                                   "read { X[i, j] -> C[o, p] : 2 o <= i <= 2 o + 1 and 2 p <= j <= 2 p + 1 }",
                                   "write { X[i, j] -> D[i, j] }",
                                   NULL};
static const char half_nests[] =
    NESTS(NEST("S", "i", "j") ", " NEST("Z", "i", "j") ", " NEST("U", "i", "j") ", " NEST("X", "i", "j"));

/* Two chains that have nothing to do with each other, in turns. */
static const char *const in_turns[] = {"context [n, m] -> { : n >= 0 and m >= 0 }",
                                       ARRAY("A"),
                                       ARRAY("B"),
                                       ARRAY("C"),
                                       ARRAY("D"),
                                       ARRAY("E"),
                                       ARRAY("F"),
                                       STEP("S", "B", "A"),
                                       STEP("U", "D", "C"),
                                       STEP("X", "E", "B"),
                                       STEP("Y", "F", "D"),
                                       NULL};

/* Two filters of one array, which both only read. */
static const char *const only_read[] = {"context [n, m] -> { : n >= 0 and m >= 0 }",
                                        ARRAY("A"),
                                        ARRAY("B"),
                                        ARRAY("C"),
                                        STEP("S", "B", "A"),
                                        STEP("U", "C", "A"),
                                        NULL};

/* What is read as it was before it is overwritten, five rows on. */
static const char *const overwritten[] = {"context [n, m] -> { : n >= 0 and m >= 0 }",
                                          ARRAY("A"),
                                          ARRAY("B"),
                                          SQUARE("S"),
                                          "read { S[i, j] -> A[i + 5, j] }",
                                          "write { S[i, j] -> B[i, j] }",
                                          SQUARE("U"),
                                          "read { U[i, j] -> B[i, j] }",
                                          "write { U[i, j] -> A[i, j] }",
                                          NULL};
/* Columns of what was computed by rows. */
static const char *const transposed[] = {"context [n, m] -> { : n >= 0 and m >= 0 }",
                                         ARRAY("A"),
                                         ARRAY("B"),
                                         SQUARE("S"),
                                         "write { S[i, j] -> A[i, j] }",
                                         SQUARE("U"),
                                         "read { U[i, j] -> A[j, i] }",
                                         "write { U[i, j] -> B[i, j] }",
                                         NULL};
static const char two_nests[] = NESTS(NEST("S", "i", "j") ", " NEST("U", "i", "j"));

/* The same as a chain, for planes that have nothing to do with each other. */
#define NEST_OF_PLANES(S)                                                                                                   \
  "{ filter: \"{ " S "[c, i, j] }\", child: { schedule: \"[{ " S "[c, i, j] -> [c] }]\", child: { schedule: "               \
  "\"[{ " S "[c, i, j] -> [i] }]\", child: { schedule: \"[{ " S "[c, i, j] -> [j] }]\" } } } }"
#define PLANES(S) "stmt [n, m] -> { " S "[c, i, j] : 0 <= c < 3 and 0 <= i < n and 0 <= j < m }"
#define ARRAY_OF_PLANES(A) "array [n, m] -> { " A "[c, i, j] : 0 <= i < n + 2 and 0 <= j < m + 2 }"
static const char *const planes[] = {"context [n, m] -> { : n >= 0 and m >= 0 }",
                                     ARRAY_OF_PLANES("A"),
                                     ARRAY_OF_PLANES("B"),
                                     ARRAY_OF_PLANES("C"),
                                     PLANES("S"),
                                     "read { S[c, i, j] -> A[c, i, j] }",
                                     "write { S[c, i, j] -> B[c, i, j] }",
                                     PLANES("U"),
                                     "read { U[c, i, j] -> B[c, i + 2, j] }",
                                     "write { U[c, i, j] -> C[c, i, j] }",
                                     NULL};
static const char plane_nests[] = NESTS(NEST_OF_PLANES("S") ", " NEST_OF_PLANES("U"));

/* SCOP, whose statements compute as much as WEIGHT says, row by row; NULL: it can't be. */
static struct tsr_program *shift(struct tsr_scop *scop, int weight, const char *wanted_why)
{
  int where;
  char *error = NULL, *why = NULL, number[] = "1", *one[] = {number};
  tsr_machine_find("znver4", &scop->machine);
  for (int i = 0; i < scop->n_stmt; i++)
    scop->stmts[i].weight = weight;
  struct tsr_args *args = tsr_args_bind(tsr_row_find("shifted_fusion"), scop, -1, one, 1, &where, &error);
  CHECK(args && !error);
  struct tsr_program *program = tsr_row_apply(tsr_program_alloc(scop, isl_schedule_copy(scop->schedule)), args, &why);
  CHECK(program ? !why : why && wanted_why && strstr(why, wanted_why));
  free(why);
  tsr_args_free(args);
  return program;
}

/* The band of the first loop over rows. */
static isl_bool find_rows(isl_schedule_node *node, void *user)
{
  isl_schedule_node **found = user;
  if (!*found && tsr_node_is_mark(node, TSR_MARK_ROWS))
    *found = isl_schedule_node_get_child(node, 0);
  return isl_bool_ok(!*found);
}

/* Does SCOP, of LINES and TREE, run its rows at TIMES, and as it did? */
static void test_times(isl_ctx *ctx, const char *name, const char *const *lines, const char *tree, const char *times)
{
  int n_run = 0;
  char *why = NULL;
  struct tsr_scop *scop = scop_build(ctx, name, lines, tree);
  struct tsr_program *program = shift(scop, 6, NULL);
  CHECK(program != NULL);
  CHECK(tsr_check_program(program, TSR_STRICT, &why) == isl_bool_true);
  isl_schedule_node *node = NULL;
  isl_schedule_foreach_schedule_node_top_down(program->tree, find_rows, &node);
  isl_union_map *got = isl_schedule_node_band_get_partial_schedule_union_map(node);
  isl_union_map *want = isl_union_map_read_from_str(ctx, times);
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  got = isl_union_map_intersect_domain(got, isl_union_set_copy(domain));
  want = isl_union_map_intersect_domain(want, domain);
  CHECK(isl_union_map_is_equal(got, want) == isl_bool_true);
  isl_ast_node *ast = tsr_ast_build(scop, program->tree);
  CHECK(tsr_interp_sweep_program(program, ast, 20000, &n_run, &why) == isl_bool_true && n_run > 0);
  isl_ast_node_free(ast);
  isl_union_map_free(got);
  isl_union_map_free(want);
  isl_schedule_node_free(node);
  tsr_program_free(program);
  tsr_scop_free(scop);
}

static isl_bool count_rows(isl_schedule_node *node, void *user)
{
  int *n = user;
  *n += tsr_node_is_mark(node, TSR_MARK_ROWS);
  return isl_bool_true;
}

/* What runs in front of a group is in groups, too. */
static void test_groups(isl_ctx *ctx)
{
  int n = 0;
  struct tsr_scop *scop = scop_build(ctx, "in_turns", in_turns, four_nests);
  struct tsr_program *program = shift(scop, 6, NULL);
  CHECK(isl_schedule_foreach_schedule_node_top_down(program->tree, count_rows, &n) == isl_stat_ok && n == 2);
  tsr_program_free(program);
  tsr_scop_free(scop);
}

static void test_refused(isl_ctx *ctx)
{
  struct tsr_scop *scop = scop_build(ctx, "transposed", transposed, two_nests);
  CHECK(!shift(scop, 6, "no nests one behind the other"));
  tsr_scop_free(scop);
  scop = scop_build(ctx, "planes", planes, plane_nests); /* one copies an array of which the other copies that copy */
  CHECK(!shift(scop, 1, "no nests one behind the other"));
  tsr_scop_free(scop);
  scop = scop_build(ctx, "wide", there_and_back, four_nests); /* rows that don't fit into a cache */
  isl_set *wide = isl_set_read_from_str(ctx, "[n, m] -> { : n >= 0 and m >= 10000000 }");
  scop->context = isl_set_intersect(scop->context, wide);
  CHECK(!shift(scop, 6, "that fit into a cache"));
  tsr_scop_free(scop);
}

/* Rows gain where arrays are larger than caches; that and where they don't says the test of sizes. */
static void test_gain(isl_ctx *ctx)
{
  struct tsr_options opt;
  tsr_options_init(&opt);
  struct tsr_scop *scop = scop_build(ctx, "there_and_back", there_and_back, four_nests);
  tsr_machine_find("znver4", &scop->machine);
  for (int i = 0; i < scop->n_stmt; i++)
    scop->stmts[i].vector_bytes = scop->stmts[i].lane_bytes = 8, scop->stmts[i].weight = 6;
  struct tsr_result *result = tsr_pipeline_run(scop, &opt, 0, TSR_STAGE_AST);
  CHECK(result->verdict == TSR_OK && result->n_variant == 1 && result->sizes != NULL);
  CHECK(strstr(result->variant[0].steps, "shifted_fusion()") && !result->variant[0].program);
  CHECK(result->profit.after < 0.8 * result->profit.before);
  tsr_result_free(result);
  tsr_options_clear(&opt);
  tsr_scop_free(scop);
}

/* Whatever the budget is, it is what the pipeline says has run out. isl loses what it has noted of its tableau
 * where that is in a lexicographic minimum (context_gbr_save). */
static void test_budgets(isl_ctx *ctx)
{
  struct tsr_options opt;
  leaks_are_counted(false);
  tsr_options_init(&opt);
  for (opt.budget = 20000; opt.budget < 1000000; opt.budget += opt.budget / 100) {
    struct tsr_scop *scop = scop_build(ctx, "filters", filters, three_nests);
    tsr_machine_find("znver4", &scop->machine);
    struct tsr_result *result = tsr_pipeline_run(scop, &opt, 0, TSR_STAGE_AST);
    CHECK(result->verdict == TSR_OK || result->verdict == TSR_BUDGET || result->verdict == TSR_UNPROFITABLE);
    tsr_result_free(result);
    tsr_scop_free(scop);
  }
  leaks_are_counted(true);
  tsr_options_clear(&opt);
}

int main(void)
{
  isl_ctx *ctx = isl_ctx_alloc();
  test_times(ctx, "there_and_back", there_and_back, four_nests,
             "{ S[i, j] -> [i]; U[i, j] -> [i + 1]; X[i, j] -> [i + 2]; Y[i, j] -> [i + 3] }");
  test_times(ctx, "half", half, half_nests, "{ S[i, j] -> [i]; U[i, j] -> [2 i]; X[i, j] -> [i] }");
  test_times(ctx, "overwritten", overwritten, two_nests, "{ S[i, j] -> [i]; U[i, j] -> [i] }");
  test_times(ctx, "planes", planes, plane_nests, "{ S[c, i, j] -> [c, i]; U[c, i, j] -> [c, i + 2] }");
  test_times(ctx, "in_turns", in_turns, four_nests, "{ S[i, j] -> [i]; X[i, j] -> [i + 1] }");
  test_times(ctx, "only_read", only_read, two_nests, "{ S[i, j] -> [i]; U[i, j] -> [i + 2] }");
  test_groups(ctx);
  test_refused(ctx);
  test_gain(ctx);
  test_budgets(ctx);
  isl_ctx_free(ctx);
  printf("%d checks\n", n_checks);
  return 0;
}
