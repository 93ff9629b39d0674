/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where scalars get their values from, as far as that is plain to see, and that live ranges are those of isl's analysis. */
#include "ast/ast.h"
#include "scops.h"
#include <isl/flow.h>
#include <isl/options.h>

#define IN_ORDER                                                                                                            \
  "child: { schedule: \"[{ W[i] -> [(i)]; V[i] -> [(i)]; R[i] -> [(i)] }]\", "                                              \
  "child: { sequence: [ { filter: \"{ W[i] }\" }, { filter: \"{ V[i] }\" }, { filter: \"{ R[i] }\" } ] } }"
#define READ_FIRST                                                                                                          \
  "child: { schedule: \"[{ W[i] -> [(i)]; V[i] -> [(i)]; R[i] -> [(i)] }]\", "                                              \
  "child: { sequence: [ { filter: \"{ R[i] }\" }, { filter: \"{ W[i] }\" }, { filter: \"{ V[i] }\" } ] } }"
#define BACKWARDS                                                                                                           \
  "child: { schedule: \"[{ W[i] -> [(i)]; V[i] -> [(i)]; R[i] -> [(-i)] }]\", "                                             \
  "child: { sequence: [ { filter: \"{ W[i] }\" }, { filter: \"{ V[i] }\" }, { filter: \"{ R[i] }\" } ] } }"
#define TWO_LOOPS                                                                                                           \
  "child: { sequence: [ { filter: \"{ W[i]; V[i] }\", child: { schedule: \"[{ W[i] -> [(i)]; V[i] -> [(i)] }]\", "          \
  "child: { sequence: [ { filter: \"{ W[i] }\" }, { filter: \"{ V[i] }\" } ] } } }, "                                       \
  "{ filter: \"{ R[i] }\", child: { schedule: \"[{ R[i] -> [(i)] }]\" } } ] }"

/* for i { W: x = A[i]; V: y or x = B[i]; R: C[i] = x; } with the domain of W and what V writes. */
static struct tsr_scop *scop_of(isl_ctx *ctx, const char *writer, const char *other, const char *written, const char *body)
{
  const char *const lines[] = {"context [n] -> { : n >= 1 }",
                               "array { A[i] }",
                               "array { B[i] }",
                               "array { C[i] }",
                               "scalar x 8",
                               "scalar y 8",
                               writer,
                               "read { W[i] -> A[i] }",
                               "write { W[i] -> x[] }",
                               other,
                               "read { V[i] -> B[i] }",
                               written,
                               "stmt [n] -> { R[i] : 0 <= i < n }",
                               "read { R[i] -> x[] }",
                               "write { R[i] -> C[i] }",
                               NULL};
  return scop_build(ctx, "sources", lines, body);
}

/* The flow of scalars, by isl alone. */
static isl_union_map *flow_of(struct tsr_scop *scop)
{
  isl_union_map *reads = tsr_scop_accesses(scop, 1u << TSR_READ, 1u << TSR_ARRAY_SCALAR);
  isl_union_map *writes = tsr_scop_accesses(scop, 1u << TSR_MUST_WRITE, 1u << TSR_ARRAY_SCALAR);
  isl_union_access_info *info = isl_union_access_info_from_sink(reads);
  info = isl_union_access_info_set_must_source(info, writes);
  info = isl_union_access_info_set_schedule(info, isl_schedule_copy(scop->schedule));
  isl_union_flow *flow = isl_union_access_info_compute_flow(info);
  isl_union_map *result = isl_union_flow_get_must_dependence(flow);
  isl_union_flow_free(flow);
  return isl_union_map_intersect_params(result, tsr_scop_common(scop));
}

/* R's read is access 12 of all, counted by statements: its source must be SOURCE. Takes SCOP. */
static void check_source(struct tsr_scop *scop, int source)
{
  CHECK(scop != NULL);
  struct tsr_positions *positions = tsr_positions_find(scop);
  struct tsr_source *sources = tsr_scop_sources(scop, positions);
  tsr_positions_free(positions);
  CHECK(sources != NULL);
  int at = scop->stmts[0].n_access + scop->stmts[1].n_access;
  CHECK(sources[at].stmt == source);
  CHECK(source < 0 || scop->stmts[source].access[sources[at].access].kind == TSR_MUST_WRITE);
  free(sources);
  struct tsr_deps *deps = tsr_deps_compute(scop);
  CHECK(deps != NULL);
  isl_union_map *ours = isl_union_map_factor_domain(isl_union_map_copy(deps->cond)), *theirs = flow_of(scop);
  CHECK(isl_union_map_is_equal(ours, theirs) == isl_bool_true);
  isl_union_map_free(ours);
  isl_union_map_free(theirs);
  tsr_deps_free(deps);
  tsr_scop_free(scop);
}

/* Statements that name their parameters in different orders have dependences, too. */
static void check_order_of_parameters(isl_ctx *ctx)
{
  const char *const lines[] = {"context [n] -> { : n >= 1 }",
                               "array { A[i] }",
                               "scalar x 8",
                               "stmt [m, k, n] -> { W[i] : 0 <= i < n and m > k }",
                               "read { W[i] -> A[i] }",
                               "write { W[i] -> x[] }",
                               "stmt [n] -> { V[i] : 0 <= i < n }",
                               "read { V[i] -> A[i] }",
                               "stmt [k, m, n] -> { R[i] : 0 <= i < n and m > k }",
                               "read { R[i] -> x[] }",
                               NULL};
  struct tsr_scop *scop = scop_build(ctx, "orders", lines, IN_ORDER);
  CHECK(scop != NULL);
  struct tsr_deps *deps = tsr_deps_compute(scop);
  CHECK(deps != NULL);
  CHECK(isl_union_map_is_empty(deps->cond_validity) == isl_bool_false);
  CHECK(isl_ctx_last_error(ctx) == isl_error_none);
  tsr_deps_free(deps);
  tsr_scop_free(scop);
}

/* Wherever the budget ends, dependences do, too. isl itself then loses what it has noted of its tableau (context_gbr_save,
 * in find_solutions of isl_tab_pip.c). */
static void check_budgets(isl_ctx *ctx)
{
  struct tsr_scop *scop = scop_of(ctx, "stmt [n] -> { W[i] : 0 <= i < n }", "stmt [n] -> { V[i] : 0 <= i < n and i > 5 }",
                                  "write { V[i] -> x[] }", IN_ORDER);
  CHECK(scop != NULL);
  isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
  leaks_are_counted(false);
  bool done = false;
  for (unsigned long budget = 1; !done && budget < 20000; budget += 3) {
    isl_ctx_reset_error(ctx);
    isl_ctx_reset_operations(ctx);
    isl_ctx_set_max_operations(ctx, budget);
    struct tsr_deps *deps = tsr_deps_compute(scop);
    done = isl_ctx_last_error(ctx) == isl_error_none;
    isl_ctx_set_max_operations(ctx, 0);
    CHECK(done == (deps != NULL));
    tsr_deps_free(deps);
  }
  leaks_are_counted(true);
  CHECK(done);
  tsr_scop_free(scop);
}

int main(void)
{
  isl_ctx *ctx = isl_ctx_alloc();
  const char *all = "stmt [n] -> { W[i] : 0 <= i < n }", *few = "stmt [n] -> { W[i] : 0 < i < n }";
  const char *other = "stmt [n] -> { V[i] : 0 <= i < n }", *rare = "stmt [n] -> { V[i] : 0 <= i < n and i > 5 }";
  check_source(scop_of(ctx, all, other, "write { V[i] -> y[] }", IN_ORDER), 0);
  check_source(scop_of(ctx, few, other, "write { V[i] -> y[] }", IN_ORDER), -1);
  check_source(scop_of(ctx, all, other, "write { V[i] -> x[] }", IN_ORDER), 1);
  check_source(scop_of(ctx, all, rare, "write { V[i] -> x[] }", IN_ORDER), -1);
  check_source(scop_of(ctx, all, other, "write { V[i] -> y[] }", READ_FIRST), -1);
  check_source(scop_of(ctx, all, other, "write { V[i] -> y[] }", BACKWARDS), -1);
  check_source(scop_of(ctx, all, other, "write { V[i] -> y[] }", TWO_LOOPS), -1);
  check_order_of_parameters(ctx);
  check_budgets(ctx);
  isl_ctx_free(ctx);
  printf("%d checks\n", n_checks);
  return 0;
}
