/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Marks of outer loops as lanes: what the checker refuses of trees that hold one, what isl may make of them. */
#include "scops.h"
#include <isl/options.h>

/* Lanes are four. */
#define FOURS "context [n] -> { : n >= 1 and n mod 4 = 0 }"

/* S: A[i][j] = f(A[i][j - 1], B[i][j]); the last is for any number of rows */
static const char *const rows[] = {
    FOURS,
    "array [n] -> { A[i, j] : 0 <= j < n }",
    "array [n] -> { B[i, j] : 0 <= j < n }",
    "stmt [n] -> { S[i, j] : 0 <= i < n and 1 <= j < n }",
    "read { S[i, j] -> A[i, j - 1] }",
    "read { S[i, j] -> B[i, j] }",
    "write { S[i, j] -> A[i, j] }",
    NULL,
};

static const char *const any_rows[] = {
    "context [n] -> { : n >= 1 }",           "array [n] -> { A[i, j] : 0 <= j < n }",
    "array [n] -> { B[i, j] : 0 <= j < n }", "stmt [n] -> { S[i, j] : 0 <= i < n and 1 <= j < n }",
    "read { S[i, j] -> A[i, j - 1] }",       "read { S[i, j] -> B[i, j] }",
    "write { S[i, j] -> A[i, j] }",          NULL,
};
static const char *const triangles[] = {
    FOURS,
    "array [n] -> { A[i, j] : 0 <= j < n }",
    "stmt [n] -> { S[i, j] : 0 <= i < n and i <= j < n }",
    "write { S[i, j] -> A[i, j] }",
    NULL,
};

/* Each row reads the one before it. */
static const char *const chained[] = {
    FOURS,
    "array [n] -> { A[i, j] : 0 <= j < n }",
    "stmt [n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }",
    "read { S[i, j] -> A[i - 1, j] }",
    "write { S[i, j] -> A[i, j] }",
    NULL,
};

/* u passes on what one element leaves: from row to row, as nobody sets it anew; from row to row, but as it is read alone. */
static const char *const carried[] = {
    FOURS,
    "array [n] -> { A[i, j] : 0 <= j < n }",
    "scalar u 8",
    "stmt [n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }",
    "read { S[i, j] -> u[] }",
    "write { S[i, j] -> A[i, j] }",
    "write { S[i, j] -> u[] }",
    NULL,
};
static const char *const read_alone[] = {
    FOURS,
    "array [n] -> { A[i, j] : 0 <= j < n }",
    "scalar u 8 in",
    "stmt [n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }",
    "read { S[i, j] -> u[] }",
    "write { S[i, j] -> A[i, j] }",
    NULL,
};

/* A value of its own in each instance; it is there after the SCoP, too. */
static const char *const fresh[] = {
    FOURS,
    "array [n] -> { A[i, j] : 0 <= j < n }",
    "scalar u 8",
    "stmt [n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }",
    "write { S[i, j] -> u[] }",
    "read { S[i, j] -> u[] }",
    "write { S[i, j] -> A[i, j] }",
    NULL,
};
static const char *const lives_on[] = {
    FOURS,
    "array [n] -> { A[i, j] : 0 <= j < n }",
    "scalar u 8 out",
    "stmt [n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }",
    "write { S[i, j] -> u[] }",
    "write { S[i, j] -> A[i, j] }",
    NULL,
};

static const char in_order[] = "child: { schedule: \"[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]\" }";

#define BAND(ROW) "{ schedule: \"[{ S[i, j] -> [(" ROW ")] }]\""
#define MARK(NAME) "child: { mark: \"" NAME "\", child: "

static const struct {
  const char *const *scop;
  const char *body, *why; /* part of the message; NULL: the tree is accepted */
} trees[] = {
    {rows, "child: " BAND("floor(i/4)") ", " MARK("lockstep 2x2") BAND("i mod 4") ", child: " BAND("j") " } } } }", NULL},
    {rows, MARK("lockstep 2x2") BAND("i mod 4") ", child: " BAND("floor(i/4)") ", child: " BAND("j") " } } } }", NULL},
    {rows, "child: " BAND("floor(i/4)") ", " MARK("lockstep 1x2") BAND("i mod 4") ", child: " BAND("j") " } } } }",
     "lanes are missing, are too many"},
    {rows, MARK("lockstep 2x2") BAND("i") ", child: " BAND("j") " } } }", "lanes are missing, are too many"},
    {rows, "child: " BAND("floor(i/4)") ", " MARK("lockstep 2x2") BAND("(i mod 4) - 1") ", child: " BAND("j") " } } } }",
     "lanes are missing, are too many"},
    {rows, "child: " BAND("i") ", child: " BAND("floor(j/4)") ", " MARK("lockstep 2x2") BAND("j mod 4") " } } } }",
     "depend on each other"},
    {rows,
     MARK("lockstep 2x2") "{ schedule: \"[{ S[i, j] -> [(i mod 4)] }, { S[i, j] -> [(i)] }]\", child: " BAND("j") " } } }",
     "band of one member"},
    {rows, "child: " BAND("floor(i/4)") ", " MARK("lockstep 2x2") BAND("i mod 4") ", " MARK("vector") BAND("j") " } } } } }",
     "another mark"},
    {rows,
     "child: " BAND("floor(i/4)") ", " MARK("lockstep 2x2") BAND("i mod 4") ", " MARK("lockstep 2x2")
         BAND("i mod 4") ", child: " BAND("j") " } } } } } }",
     "another mark"},
    {rows,
     "child: " BAND("floor(i/4)") ", " MARK("parallel") BAND("floor(i/2)") ", " MARK("lockstep 1x2")
         BAND("i mod 2") ", child: " BAND("j") " } } } } } }",
     NULL},
    {any_rows, "child: " BAND("floor(i/4)") ", " MARK("lockstep 2x2") BAND("i mod 4") ", child: " BAND("j") " } } } }",
     "lanes are missing"},
    {triangles, "child: " BAND("floor(i/4)") ", " MARK("lockstep 2x2") BAND("i mod 4") ", child: " BAND("j") " } } } }",
     "run something else"},
    {chained, "child: " BAND("floor(i/4)") ", " MARK("lockstep 2x2") BAND("i mod 4") ", child: " BAND("j") " } } } }",
     "depend on each other"},
    {chained, "child: " BAND("floor(j/4)") ", " MARK("lockstep 2x2") BAND("j mod 4") ", child: " BAND("i") " } } } }", NULL},
    {carried, "child: " BAND("floor(i/4)") ", " MARK("lockstep 2x2") BAND("i mod 4") ", child: " BAND("j") " } } } }",
     "depend on each other"},
    {read_alone, "child: " BAND("floor(i/4)") ", " MARK("lockstep 2x2") BAND("i mod 4") ", child: " BAND("j") " } } } }",
     NULL},
    {fresh, "child: " BAND("floor(i/4)") ", " MARK("lockstep 2x2") BAND("i mod 4") ", child: " BAND("j") " } } } }", NULL},
    {lives_on, "child: " BAND("floor(i/4)") ", " MARK("lockstep 2x2") BAND("i mod 4") ", child: " BAND("j") " } } } }",
     "depend on each other"},
};

static void check_tree(struct tsr_scop *scop, const char *body, const char *expected)
{
  char *why = NULL;
  isl_schedule *tree = scop_tree(scop, body);
  CHECK(tree);
  isl_bool legal = tsr_check_schedule(scop, tree, &why);
  if (legal != isl_bool_ok(!expected) || (expected && (!why || !strstr(why, expected)))) {
    fprintf(stderr, "%s\n  got %s, expected %s\n", body, why ? why : "legal", expected ? expected : "legal");
    CHECK(false);
  }
  n_checks++;
  free(why);
  isl_schedule_free(tree);
}

static void test_trees(isl_ctx *ctx)
{
  for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
    struct tsr_scop *scop = scop_build(ctx, "rows", trees[i].scop, in_order);
    scop->stmts[0].lane_bytes = 8;
    check_tree(scop, trees[i].body, trees[i].why);
    scop->stmts[0].lane_bytes = 0;
    if (!trees[i].why)
      check_tree(scop, trees[i].body, "can't run for several lanes");
    tsr_scop_free(scop);
  }
}

/* Is the loop of lanes in the AST of the tree BODY one that code can be made for? */
static bool is_good(isl_ctx *ctx, const char *const *description, const char *body)
{
  struct tsr_scop *scop = scop_build(ctx, "rows", description, in_order);
  isl_schedule *tree = scop_tree(scop, body);
  CHECK(tree);
  isl_ast_node *ast = tsr_ast_build(scop, tree);
  CHECK(ast);
  bool good = tsr_lockstep_nests_are_good(ast);
  isl_ast_node_free(ast);
  isl_schedule_free(tree);
  tsr_scop_free(scop);
  return good;
}

/* 8 rows; a triangle; n rows; rows of which some lanes run another way */
static const char *const eight[] = {"context [n] -> { : n >= 1 }", "array [n] -> { A[i, j] : 0 <= j < n }",
                                    "stmt [n] -> { S[i, j] : 0 <= i < 8 and 0 <= j < n }", "write { S[i, j] -> A[i, j] }",
                                    NULL};
static const char *const triangle[] = {"context [n] -> { : n >= 1 }", "array [n] -> { A[i, j] : 0 <= j < n }",
                                       "stmt [n] -> { S[i, j] : 0 <= i < 8 and i <= j < n }", "write { S[i, j] -> A[i, j] }",
                                       NULL};

static void test_asts(isl_ctx *ctx)
{
  static const char *const body =
      "child: " BAND("floor(i/4)") ", " MARK("lockstep 2x2") BAND("i mod 4") ", child: " BAND("j") " } } } }";
  CHECK(is_good(ctx, eight, body));
  CHECK(!is_good(ctx, any_rows, body));
  CHECK(!is_good(ctx, triangle, body));
  CHECK(!is_good(ctx, eight,
                 "child: " BAND("floor(i/2)") ", " MARK("lockstep 2x2") BAND("i mod 2") ", child: " BAND("j") " } } } }"));
}

int main(void)
{
  isl_ctx *ctx = isl_ctx_alloc();
  isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
  test_trees(ctx);
  test_asts(ctx);
  isl_ctx_free(ctx);
  printf("%d checks\n", n_checks);
  return 0;
}
