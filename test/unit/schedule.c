/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The whole pipeline on small SCoPs: what comes out is legal, and is what one would hope for. */
#include "scops.h"

typedef struct tsr_scop *(*builder)(isl_ctx *);

static struct tsr_result *run(struct tsr_scop *scop, bool force, bool parallel, enum tsr_strategy strategy)
{
  struct tsr_options opt = {.force = force, .parallel = parallel, .strategy = strategy, .budget = 4000000};
  struct tsr_result *result = tsr_pipeline_run(scop, &opt, 0, TSR_STAGE_AST);
  CHECK(result);
  if (getenv("SHOW")) {
    printf("---- %s force %d parallel %d strategy %d: verdict %d in %s: %s (%s: %g -> %g)\n", scop->name, force, parallel,
           strategy, result->verdict, tsr_stage_name(result->stage), result->why ? result->why : "",
           result->profit.reason ? result->profit.reason : "", result->profit.before, result->profit.after);
    tsr_deps_print(result->deps, stdout);
    tsr_print_schedule(result->schedule, stdout);
    tsr_print_schedule(result->tree, stdout);
    tsr_print_ast(result->ast, stdout);
  }
  return result;
}

int main(void)
{
  static const builder builders[] = {scop_gemm, scop_jacobi_1d, scop_temporary, scop_sum, scop_trmm, scop_imperfect};
  isl_ctx *ctx = isl_ctx_alloc();
  for (size_t i = 0; i < sizeof(builders) / sizeof(builders[0]); i++)
    for (int variant = 0; variant < 4; variant++) {
      struct tsr_scop *scop = builders[i](ctx);
      struct tsr_result *result = run(scop, true, variant & 1, variant & 2 ? TSR_STRATEGY_ORIGINAL : TSR_STRATEGY_ISL);
      CHECK(result->verdict == TSR_OK || result->verdict == TSR_UNCHANGED);
      tsr_result_free(result);
      tsr_scop_free(scop);
    }
  isl_ctx_free(ctx);
  printf("%d checks\n", n_checks);
  return 0;
}
