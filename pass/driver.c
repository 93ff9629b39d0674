/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The whole pass, top to bottom:
 *
 *   clone the module, canonicalise the clone                        shim/clone.cpp
 *   each function: parse its control flow                           read/region.c
 *     each maximal run of sibling nodes with a loop: model          read/
 *       plan: dependences, schedule, tile, profit, check, AST       isl-bridge
 *     all plans of the function: emit                               emit/
 *     bring the function back                                       shim/clone.cpp
 *
 * Everything that can fail happens on the clone, before the first change to the module. */
#include "pass.h"
#include <isl/options.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct driver {
  LLVMModuleRef module;
  const struct tsr_options *opt;
  struct tsr_clone *clone;
  struct tsr_analyses *a;
  isl_ctx *ctx;
  unsigned long left, left_function; /* of the budgets */
  LLVMValueRef function, original;
  LLVMValueRef reported; /* the last culprit */
  int n_scop;            /* in this function */
  struct job {
    struct tsr_model *m;
    struct tsr_result *plan;
  } *jobs;
  int n_job;
};

static void dump(struct driver *d, struct tsr_model *m)
{
  char path[4096];
  snprintf(path, sizeof(path), "%s/%s.scop", d->opt->dump, m->scop->name);
  FILE *out = fopen(path, "w");
  if (!out || tsr_scop_write(m->scop, out) < 0)
    fprintf(stderr, "tessera: can't write %s: does the folder exist?\n", path);
  if (out)
    fclose(out);
}

static void print(struct driver *d, struct tsr_model *m, struct tsr_result *plan)
{
  fprintf(stderr, "tessera: %s\n", m->scop->name);
  if (d->opt->print == TSR_PRINT_SCHEDULE && plan->schedule)
    tsr_print_schedule(plan->schedule, stderr);
  if (d->opt->print == TSR_PRINT_TREE && plan->tree)
    tsr_print_schedule(plan->tree, stderr);
  if (d->opt->print == TSR_PRINT_AST && plan->ast)
    tsr_print_ast(plan->ast, stderr);
}

/* What the next step may use: of the SCoP's budget, of one and a half for a function, of the module's. 0: no limit. */
static unsigned long allowance(struct driver *d)
{
  unsigned long least = d->opt->budget;
  if (least && d->left_function < least)
    least = d->left_function;
  if (d->opt->module_budget && (!least || d->left < least))
    least = d->left;
  return least;
}

static void spend(struct driver *d, unsigned long used)
{
  d->left = used < d->left ? d->left - used : 1;
  d->left_function = used < d->left_function ? d->left_function - used : 1;
}

static bool has_thread_local(struct tsr_model *m)
{
  for (int i = 0; i < m->n_array; i++)
    if (m->arrays[i].base && LLVMIsAGlobalVariable(m->arrays[i].base) && LLVMIsThreadLocal(m->arrays[i].base))
      return true;
  return false;
}

/* Can the code for PLAN be written? Says why not. */
static bool can_emit(struct driver *d, struct tsr_model *m, struct tsr_result *plan)
{
  isl_ctx_reset_error(d->ctx);
  tsr_budget_begin(d->ctx, allowance(d));
  bool ok = tsr_emit_can(m, plan);
  bool out = isl_ctx_last_error(d->ctx) == isl_error_quota;
  spend(d, tsr_budget_end(d->ctx));
  if (!ok && out)
    tsr_report_budget(d->original, m->nodes[0], "emit");
  else if (!ok)
    tsr_report_rejected(m, d->original, m->nodes[0]);
  return ok;
}

/* A modelled SCoP: is it worth a change, and can the change be written? Takes M. */
static enum tsr_verdict plan_scop(struct driver *d, struct tsr_model *m, bool last_chance)
{
  struct tsr_options opt = *d->opt;
  opt.budget = allowance(d);
  if (m->has_errno || has_thread_local(m))
    opt.parallel = false; /* errno and thread_local variables belong to a thread */
  if (d->opt->dump)
    dump(d, m);
  struct tsr_result *plan = tsr_pipeline_run(m->scop, &opt, m->n_alias_pair, TSR_STAGE_AST);
  spend(d, plan->operations);
  if (d->opt->print != TSR_PRINT_NONE)
    print(d, m, plan);
  enum tsr_verdict verdict = plan->verdict;
  if (verdict != TSR_OK && !last_chance) {
    tsr_result_free(plan);
    tsr_model_free(m);
    return verdict;
  }
  tsr_report_modelled(m, d->original);
  if (verdict != TSR_OK || can_emit(d, m, plan))
    tsr_report_result(m, d->original, plan);
  else
    verdict = TSR_ERROR;
  if (verdict == TSR_OK) {
    d->jobs = realloc(d->jobs, (d->n_job + 1) * sizeof(*d->jobs));
    d->jobs[d->n_job++] = (struct job){m, plan};
    return verdict;
  }
  tsr_result_free(plan);
  tsr_model_free(m);
  return verdict;
}

static struct tsr_model *build(struct driver *d, struct tsr_node **nodes, int n)
{
  char name[256];
  size_t length;
  snprintf(name, sizeof(name), "%.200s.%d", LLVMGetValueName2(d->function, &length), d->n_scop);
