/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The interpreter: its arithmetic against isl's own evaluation, and each thing that it must notice in an AST. That it
 * agrees with the checker on whole SCoPs is for the golden tests. */
#include "ast/ast.h"
#include "ast/ast_run.h"
#include "check.h"
#include <isl/id.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/val.h>
#include <stdlib.h>

/* ---- arithmetic ---- */

/* Piecewise quasi-affine functions of n and m, in the notation of isl. */
static const char *const functions[] = {
    "n + 2m - 3",
    "-n",
    "floor(n/3)",
    "floor((n + 2m)/5)",
    "n mod 4",
    "(2n + m) mod 7",
    "n - 3*floor(n/3) + m",
    "min(n, m)",
    "max(n, 2m - 1)",
    "min(max(n, 0), m)",
    "max(n, m) - min(n, floor(m/2))",
};

static const char *const conditions[] = {
    "n >= m",
    "n > 2m and m >= 0",
    "n mod 3 = 0",
    "n mod 3 = 1 or m mod 2 = 0",
    "n = m or n = -m",
    "exists e : n = 4e + m and e >= 0",
    "n < m or (m < 0 and n > 3)",
    "false",
    "true",
};

struct result {
  int64_t at[8];
  int n;
  int calls;
};

static bool record(void *user, const char *stmt, const int64_t *at, int n)
{
  struct result *result = user;
  (void)stmt;
  result->calls++;
  result->n = n;
  for (int i = 0; i < n && i < 8; i++)
    result->at[i] = at[i];
  return true;
}

static isl_ast_node *call(isl_ctx *ctx, isl_ast_expr *arg)
{
  isl_ast_expr_list *args = isl_ast_expr_list_from_ast_expr(arg);
  isl_ast_expr *name = isl_ast_expr_from_id(isl_id_alloc(ctx, "S", NULL));
  return isl_ast_node_user_from_expr(isl_ast_expr_call(name, args));
}

/* Run S(ARG) at n, m; the value of ARG. */
static int64_t evaluate(isl_ctx *ctx, isl_ast_expr *arg, long n, long m, isl_bool *status, char **why)
{
  struct result result = {{0}, 0, 0};
  long values[] = {n, m};
  struct tsr_ast_run run = {.context = isl_set_read_from_str(ctx, "[n, m] -> { : }"),
                            .values = values,
                            .fuel = 100,
                            .why = why,
                            .user = &result,
                            .instance = record};
  isl_ast_node *node = call(ctx, arg);
  *status = tsr_ast_run(node, &run);
  isl_ast_node_free(node);
  isl_set_free(run.context);
  return result.at[0];
}

static isl_point *params_point(isl_ctx *ctx, long n, long m)
{
  char text[64];
  snprintf(text, sizeof(text), "[n, m] -> { : n = %ld and m = %ld }", n, m);
  return isl_set_sample_point(isl_set_read_from_str(ctx, text));
}

static void test_functions(isl_ctx *ctx)
{
  isl_ast_build *build = isl_ast_build_from_context(isl_set_read_from_str(ctx, "[n, m] -> { : }"));
  for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
    char text[128];
    snprintf(text, sizeof(text), "[n, m] -> { [(%s)] }", functions[i]);
    isl_pw_aff *function = isl_pw_aff_read_from_str(ctx, text);
    isl_ast_expr *expr = isl_ast_build_expr_from_pw_aff(build, isl_pw_aff_copy(function));
    for (long n = -7; n < 8; n += 2)
      for (long m = -5; m < 6; m += 2) {
        isl_bool status;
        char *why = NULL;
        int64_t got = evaluate(ctx, isl_ast_expr_copy(expr), n, m, &status, &why);
        isl_val *want = isl_pw_aff_eval(isl_pw_aff_copy(function), params_point(ctx, n, m));
        CHECK(status == isl_bool_true && !why);
        CHECK(isl_val_cmp_si(want, got) == 0);
        isl_val_free(want);
        free(why);
      }
    isl_ast_expr_free(expr);
    isl_pw_aff_free(function);
  }
  isl_ast_build_free(build);
}

static void test_conditions(isl_ctx *ctx)
{
  isl_ast_build *build = isl_ast_build_from_context(isl_set_read_from_str(ctx, "[n, m] -> { : }"));
  for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
    char text[128];
    snprintf(text, sizeof(text), "[n, m] -> { : %s }", conditions[i]);
    isl_set *set = isl_set_read_from_str(ctx, text);
    isl_ast_expr *expr = isl_ast_build_expr_from_set(build, isl_set_copy(set));
    for (long n = -7; n < 8; n++)
      for (long m = -3; m < 4; m++) {
        isl_bool status;
        char *why = NULL;
        int64_t got = evaluate(ctx, isl_ast_expr_copy(expr), n, m, &status, &why);
        isl_set *point = isl_set_from_point(params_point(ctx, n, m));
        CHECK(status == isl_bool_true && isl_set_is_subset(point, set) == isl_bool_ok(got != 0));
        isl_set_free(point);
        free(why);
      }
    isl_ast_expr_free(expr);
    isl_set_free(set);
  }
  isl_ast_build_free(build);
}

static isl_ast_expr *number(isl_ctx *ctx, const char *digits)
{
  return isl_ast_expr_from_val(isl_val_read_from_str(ctx, digits));
}

/* An AST that no C code could follow is refused with a reason. */
static void test_arithmetic_faults(isl_ctx *ctx)
{
  const struct {
    isl_ast_expr *expr;
    const char *why;
  } faults[] = {
      {isl_ast_expr_div(number(ctx, "7"), number(ctx, "2")), "the AST divides 7 by 2 as if that were exact"},
      {isl_ast_expr_pdiv_q(number(ctx, "-7"), number(ctx, "2")), "the AST takes -7, dividend of 2, for non-negative"},
      {isl_ast_expr_pdiv_r(number(ctx, "-7"), number(ctx, "2")), "the AST takes -7, dividend of 2, for non-negative"},
      {isl_ast_expr_div(number(ctx, "7"), number(ctx, "0")), "the AST divides by 0"},
      {isl_ast_expr_mul(number(ctx, "4294967296"), number(ctx, "4294967296")), "the AST's arithmetic overflows 64 bits"},
      {isl_ast_expr_add(number(ctx, "9223372036854775807"), number(ctx, "1")), "the AST's arithmetic overflows 64 bits"},
      {number(ctx, "9223372036854775808"), "the AST holds a constant of more than 64 bits"},
      {number(ctx, "36893488147419103232"), "the AST holds a constant of more than 64 bits"},
      {isl_ast_expr_from_id(isl_id_alloc(ctx, "q", NULL)),
       "the AST uses 'q', which is neither an iterator in scope nor a parameter"},
  };
  for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
    isl_bool status;
    char *why = NULL;
    evaluate(ctx, faults[i].expr, 0, 0, &status, &why);
    CHECK(status == isl_bool_false);
    CHECK_TEXT(why, faults[i].why);
    free(why);
  }
  isl_bool status;
  CHECK(evaluate(ctx, number(ctx, "-9223372036854775807"), 0, 0, &status, NULL) == -INT64_MAX && status == isl_bool_true);
}

/* What is not needed is not evaluated. */
static void test_short_circuit(isl_ctx *ctx)
{
  isl_bool status;
  isl_ast_expr *bad = isl_ast_expr_div(number(ctx, "1"), number(ctx, "0"));
  isl_ast_expr *expr = isl_ast_expr_and_then(number(ctx, "0"), isl_ast_expr_copy(bad));
  CHECK(evaluate(ctx, expr, 0, 0, &status, NULL) == 0 && status == isl_bool_true);
  expr = isl_ast_expr_or_else(number(ctx, "2"), bad);
  CHECK(evaluate(ctx, expr, 0, 0, &status, NULL) == 1 && status == isl_bool_true);
}

/* ---- SCoPs ---- */

/* for (i = 0; i < n; i++) S: A[i + 1] = f(A[i]), or with another read relation. */
static struct tsr_scop *chain(isl_ctx *ctx, const char *read, enum tsr_reduction reduction, bool reassoc)
{
  struct tsr_scop *scop = tsr_scop_alloc(ctx, "chain");
  isl_set_free(scop->context);
  scop->context = isl_set_read_from_str(ctx, "[n] -> { : n <= 50 }");
  tsr_scop_add_array(scop, "A", TSR_ARRAY_MEMORY, 8, isl_set_read_from_str(ctx, "{ A[i] }"));
  tsr_scop_add_stmt(scop, "S", isl_set_read_from_str(ctx, "[n] -> { S[i] : 0 <= i < n }"));
  tsr_scop_add_access(scop, 0, TSR_READ, isl_map_read_from_str(ctx, read));
  const char *write = reduction ? read : "{ S[i] -> A[i + 1] }";
  tsr_scop_add_access(scop, 0, TSR_MUST_WRITE, isl_map_read_from_str(ctx, write));
  for (int i = 0; i < 2; i++) {
    scop->stmts[0].access[i].reduction = reduction;
    scop->stmts[0].access[i].reassoc = reassoc;
  }
  const char *tree = "{ domain: \"[n] -> { S[i] : 0 <= i < n }\", child: { schedule: \"[{ S[i] -> [(i)] }]\" } }";
  CHECK(tsr_scop_set_schedule(scop, isl_schedule_read_from_str(ctx, tree)) == isl_stat_ok);
  return scop;
}

/* The AST of "domain: DOMAIN, child: CHILD". */
static isl_ast_node *ast_of(isl_ctx *ctx, const char *domain, const char *child)
{
  char text[512];
  snprintf(text, sizeof(text), "{ domain: \"[n] -> { S[i] : %s }\", child: { %s } }", domain, child);
  isl_schedule *schedule = isl_schedule_read_from_str(ctx, text);
  isl_ast_build *build = isl_ast_build_alloc(ctx);
  isl_ast_node *ast = isl_ast_build_node_from_schedule(build, schedule);
  isl_ast_build_free(build);
  CHECK(ast != NULL);
  return ast;
}

static void compare(struct tsr_scop *scop, isl_ast_node *ast, long n, isl_bool same, const char *why)
{
  char *got = NULL;
  CHECK(tsr_interp_compare(scop, ast, &n, 40, &got) == same);
  CHECK_TEXT(got, why);
  free(got);
  isl_ast_node_free(ast);
}

#define FORWARD "schedule: \"[{ S[i] -> [(i)] }]\""
#define BACKWARD "schedule: \"[{ S[i] -> [(-i)] }]\""
#define TILED "schedule: \"[{ S[i] -> [(floor(i/4))] }]\", child: { schedule: \"[{ S[i] -> [(i)] }]\" }"
#define MARKED(mark) "mark: \"" mark "\", child: { schedule: \"[{ S[i] -> [(i)] }]\" }"
#define ACROSS(p, q) "mark: \"doacross\", child: { schedule: \"[{ S[i] -> [(" p ")] }, { S[i] -> [(" q ")] }]\" }"
#define ALL "0 <= i < n"

static void test_orders(isl_ctx *ctx)
{
  struct tsr_scop *scop = chain(ctx, "{ S[i] -> A[i] }", TSR_RED_NONE, false);
  compare(scop, ast_of(ctx, ALL, FORWARD), 7, isl_bool_true, NULL);
  compare(scop, ast_of(ctx, ALL, TILED), 11, isl_bool_true, NULL);
  compare(scop, ast_of(ctx, ALL, FORWARD), -3, isl_bool_true, NULL);
  compare(scop, ast_of(ctx, ALL, BACKWARD), 2, isl_bool_false,
          "A[2] differs at the end: written last by S(1), in the original order by S(1)");
  compare(scop, ast_of(ctx, "0 <= i < n and i != 4", FORWARD), 7, isl_bool_false, "S(4) does not run");
  compare(scop, ast_of(ctx, "0 <= i <= n", FORWARD), 7, isl_bool_false,
          "the AST runs an instance of S outside of its domain");
  isl_ast_node *once = ast_of(ctx, ALL, FORWARD);
  isl_ast_node_list *twice = isl_ast_node_list_from_ast_node(isl_ast_node_copy(once));
  twice = isl_ast_node_list_add(twice, once);
  compare(scop, isl_ast_node_block_from_children(twice), 7, isl_bool_false, "S(0) runs more than once");
  tsr_scop_free(scop);
}

static void test_marks(isl_ctx *ctx)
{
  struct tsr_scop *carried = chain(ctx, "{ S[i] -> A[i] }", TSR_RED_NONE, false);
  struct tsr_scop *independent = chain(ctx, "{ S[i] -> A[-1] }", TSR_RED_NONE, false);
  compare(independent, ast_of(ctx, ALL, MARKED("parallel")), 9, isl_bool_true, NULL);
  compare(independent, ast_of(ctx, ALL, MARKED("vector")), 9, isl_bool_true, NULL);
  compare(independent, ast_of(ctx, ALL, MARKED("anything")), 9, isl_bool_true, NULL);
  compare(carried, ast_of(ctx, ALL, MARKED("anything")), 9, isl_bool_true, NULL);
  compare(carried, ast_of(ctx, ALL, MARKED("vector")), 9, isl_bool_false,
          "two iterations of a loop marked vector touch A[1] and one of them writes it");
  compare(carried, ast_of(ctx, ALL, MARKED("parallel")), 9, isl_bool_false,
          "two iterations of a loop marked parallel touch A[8] and one of them writes it");
  compare(carried, ast_of(ctx, ALL, ACROSS("floor(i/4)", "i")), 9, isl_bool_true, NULL);
  compare(independent, ast_of(ctx, ALL, ACROSS("floor(i/4)", "i mod 4")), 9, isl_bool_true, NULL);
  compare(carried, ast_of(ctx, ALL, ACROSS("floor(i/4)", "i mod 4")), 9, isl_bool_false,
          "A[5] differs at the end: written last by S(4), in the original order by S(4)");
  tsr_scop_free(carried);
  tsr_scop_free(independent);
}

static void test_reductions(isl_ctx *ctx)
{
  for (int op = TSR_RED_ADD; op <= TSR_RED_XOR; op++) {
    struct tsr_scop *scop = chain(ctx, "{ S[i] -> A[0] }", (enum tsr_reduction)op, true);
    compare(scop, ast_of(ctx, ALL, BACKWARD), 9, isl_bool_true, NULL);
    compare(scop, ast_of(ctx, "0 <= i < n and i != 3", BACKWARD), 9, isl_bool_false, "S(3) does not run");
    tsr_scop_free(scop);
  }
  struct tsr_scop *scop = chain(ctx, "{ S[i] -> A[0] }", TSR_RED_ADD, false);
  compare(scop, ast_of(ctx, ALL, BACKWARD), 2, isl_bool_false,
          "A[0] differs at the end: written last by S(0), in the original order by S(1)");
  tsr_scop_free(scop);
}

static void check_error(struct tsr_scop *scop, long n, enum isl_error error)
{
  isl_ast_node *ast = ast_of(scop->ctx, ALL, FORWARD);
  CHECK(tsr_interp_compare(scop, ast, &n, 40, NULL) == isl_bool_error);
  CHECK(isl_ctx_last_error(scop->ctx) == error);
  isl_ctx_reset_error(scop->ctx);
  isl_ast_node_free(ast);
}

static void test_errors(isl_ctx *ctx)
{
  struct tsr_scop *scop = chain(ctx, "{ S[i] -> A[i] }", TSR_RED_NONE, false);
  check_error(scop, 41, isl_error_quota);
  check_error(scop, 51, isl_error_invalid);
  isl_ast_node *endless = ast_of(ctx, "0 <= i < n + 1000000000", FORWARD);
  compare(scop, endless, 3, isl_bool_error, NULL);
  CHECK(isl_ctx_last_error(ctx) == isl_error_quota);
  isl_ctx_reset_error(ctx);
  isl_set_free(scop->context);
  scop->context = isl_set_read_from_str(ctx, "{ : }");
  check_error(scop, 3, isl_error_invalid);
  tsr_scop_free(scop);
}

static void test_sweep(isl_ctx *ctx)
{
  struct tsr_scop *scop = chain(ctx, "{ S[i] -> A[i] }", TSR_RED_NONE, false);
  int n_run = 0;
  char *why = NULL;
  isl_ast_node *ast = ast_of(ctx, ALL, FORWARD);
  CHECK(tsr_interp_sweep(scop, ast, 40, &n_run, &why) == isl_bool_true && n_run == 6 && !why);
  CHECK(tsr_interp_sweep(scop, ast, 4, &n_run, &why) == isl_bool_true && n_run == 4 && !why);
  isl_set_free(scop->assumed);
  scop->assumed = isl_set_read_from_str(ctx, "[n] -> { : n = 13 or n = 29 }");
  CHECK(tsr_interp_sweep(scop, ast, 40, &n_run, &why) == isl_bool_true && n_run == 1 && !why);
  isl_ast_node_free(ast);
  ast = ast_of(ctx, ALL, BACKWARD);
  CHECK(tsr_interp_sweep(scop, ast, 40, &n_run, &why) == isl_bool_false && n_run == 1);
  CHECK(why && !strncmp(why, "n = 13: A[", 10));
  free(why);
  isl_ast_node_free(ast);
  tsr_scop_free(scop);
}

int main(void)
{
  isl_ctx *ctx = isl_ctx_alloc();
  isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
  test_functions(ctx);
  test_conditions(ctx);
  test_arithmetic_faults(ctx);
  test_short_circuit(ctx);
  test_orders(ctx);
  test_marks(ctx);
  test_reductions(ctx);
  test_errors(ctx);
  test_sweep(ctx);
  isl_ctx_free(ctx);
  return check_report();
}
