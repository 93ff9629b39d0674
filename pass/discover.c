/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The nests of a function that are worth a change, and what is to become of them:
 *
 *   discover       each maximal run of sibling nodes with a loop; what can't be modelled or isn't worth it is looked at part
 *                  by part, node by node, then loop by loop from outside in
 *     build        model                                          read/
 *     plan_scop    dependences, schedule, tile, profit, check, AST    isl-bridge
 *
 * A plan whose code can be written is a job of the driver's. */
#include "driver.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Write the SCoP of M to a file of its name in the folder that the options ask for. */
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

/* What the options ask to be shown of VARIANT, number N. */
static void print_variant(struct driver *d, const struct tsr_variant *variant, int n)
{
  if (d->opt->print == TSR_PRINT_TREE) {
    fputs(variant->condition.gpu ? "# on a GPU\n" : n ? "# on one thread\n" : "", stderr);
    tsr_print_schedule(variant->tree, stderr);
  }
  if (d->opt->print == TSR_PRINT_AST && variant->ast) {
    fputs(variant->condition.gpu ? "/* on a GPU */\n" : n ? "/* on one thread */\n" : "", stderr);
    tsr_print_ast(variant->ast, stderr);
  }
}

/* What the options ask to be shown of PLAN, on standard error. */
static void print(struct driver *d, struct tsr_model *m, struct tsr_result *plan)
{
  if (d->opt->print != TSR_PRINT_COMMANDS) /* which can be fed back */
    fprintf(stderr, "tessera: %s\n", m->scop->name);
  if (d->opt->print == TSR_PRINT_SCHEDULE && plan->schedule)
    tsr_print_schedule(plan->schedule, stderr);
  if (d->opt->print == TSR_PRINT_COMMANDS)
    tsr_print_commands(m->scop, plan, stderr);
  for (int i = 0; i < plan->n_variant; i++)
    print_variant(d, &plan->variant[i], i);
}

/* Nests that the budget of a SCoP is meant for. */
#define NESTS 12
/* More nests than that, as one SCoP, may use one part of so many of their function's budget. */
#define SHARE_OF_ALL 3
/* Each nest beyond NESTS gives its function so much more of a SCoP's budget. */
#define EACH_MORE 60

/* A SCoP's budget does for so many stages of a pipeline that may do without arrays, whose tiles are proved at once: one for
 * raw images of a sensor, of 25 nests and as many arrays, takes 5 million operations. */
#define STAGES 5

/* The same where all arrays stay: what is fused row by row is found sooner. 41 nests of an interpolation take 8 million. */
#define ROWS 12

/* The model of a loop that has none inside may use one part of so many of what its function has left. Of 216 of TSVC, NAS's
 * benchmarks and two libraries half took 453 operations, the dearest 17,073 and, but for these, one 3.5 million in vain: it
 * asks of three numbers modulo others if they are between parameters. */
#define SHARE_OF_LOOP 20
/* Part of a SCoP's budget that writing a plan's code has in any case: enough for the complex solves of ctrsm and ztrsm. */
#define SHARE_OF_CODE 6

/* AMOUNT of the budget, in which so many are to be transformed, as it is for the nests at hand: who wants their code whether
 * or not it pays waits for it. */
static unsigned long scaled(const struct driver *d, unsigned long amount, unsigned nests)
{
  bool more = (unsigned)d->n_nest > nests && amount < ULONG_MAX / (unsigned)d->n_nest;
  return more ? amount * (unsigned)d->n_nest / nests : amount;
}

/* Has the pipeline at hand, worth as much as its stages, more than the function's budget? */
static bool has_own_budget(const struct driver *d)
{
  return d->pipeline && d->n_nest > NESTS;
}

/* What the next step may use: of the SCoP's budget, of one and a half for a function, of the module's. 0: no limit. */
static unsigned long allowance(struct driver *d)
{
  unsigned long least = tsr_options_budget(d->opt);
  bool pipeline = has_own_budget(d);
  if (least && d->left_function < least && !pipeline)
    least = d->left_function;
  least = pipeline ? scaled(d, least, d->pipeline_is_dead ? STAGES : ROWS) : d->opt->force ? scaled(d, least, NESTS) : least;
  if (d->opt->module_budget && (!least || d->left < least))
    least = d->left;
  return least;
}

/* USED operations are gone. */
static void spend(struct driver *d, unsigned long used)
{
  d->left = used < d->left ? d->left - used : 1;
  if (d->opt->force && d->n_nest > NESTS)
    used = used / (unsigned)d->n_nest * NESTS;
  d->left_function = used < d->left_function ? d->left_function - used : 1;
}

/* As many OPERATIONS more are LEFT. */
static void give_back(unsigned long *left, unsigned long operations)
{
  if (*left < ~0ul - operations)
    *left += operations;
}

/* PLAN, for M, is used: what it took, and what others for the nest did, doesn't count against the function's other nests.
 * What is spent in vain is bounded. */
static void refund(struct driver *d, const struct tsr_model *m, const struct tsr_result *plan)
{
  if (has_own_budget(d))
    return; /* most of that was never the function's */
  give_back(m->expansion ? &d->left_expanded : &d->left_function, plan->operations);
  give_back(m->expansion ? &d->left_function : &d->left_expanded, d->beside);
}

/* Is the base of an array a thread_local variable? */
static bool has_thread_local(struct tsr_model *m)
{
  for (int i = 0; i < m->n_array; i++)
    if (m->arrays[i].base && LLVMIsAGlobalVariable(m->arrays[i].base) && LLVMIsThreadLocal(m->arrays[i].base))
      return true;
  return false;
}

/* Is it the first time that a budget runs out in the nest of NODE? One remark a nest. */
static bool is_news(struct driver *d, const struct tsr_node *node)
{
  tsr_loop outermost = node->loop;
  while (outermost && tsr_loop_parent(outermost))
    outermost = tsr_loop_parent(outermost);
  bool news = !outermost || outermost != d->exhausted;
  d->exhausted = outermost;
  return news;
}

/* A budget has run out at STAGE, in the nest of NODE. */
static void report_budget(struct driver *d, const struct tsr_node *node, const char *stage)
{
  if (is_news(d, node))
    tsr_tally_add(&d->tally, tsr_report_budget(d->original, node, stage));
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
    report_budget(d, m->nodes[0], "emit");
  else if (!ok)
    tsr_tally_add(&d->tally, tsr_report_rejected(m, d->original, m->nodes[0]));
  return ok;
}

/* PLAN for all of M is not worth it: could one for a single node of M be? */
static bool part_may_gain(struct driver *d, struct tsr_model *m, struct tsr_result *plan)
{
  bool *stmts = calloc(m->scop->n_stmt + 1, sizeof(*stmts));
  bool may = false;
  tsr_budget_begin(d->ctx, allowance(d));
  for (int i = 0; i < m->n_node && !may; i++) {
    for (int s = 0; s < m->scop->n_stmt; s++)
      stmts[s] = tsr_node_contains(m->nodes[i], m->stmts[s].block);
    may = tsr_result_may_gain(plan, m->scop, stmts);
  }
  spend(d, tsr_budget_end(d->ctx));
  free(stmts);
  return may;
}

/* What is there to fall back on? Parts of the SCoP; nothing; what is inside of it, which can be modelled exactly. */
enum chance { CHANCE_PARTS, CHANCE_LAST, CHANCE_INSIDE };

/* Note which of the commands for the function PLAN has obeyed. */
static void note_orders(struct driver *d, const struct tsr_result *plan)
{
  if (plan->n_obeyed > d->n_order) {
    struct order *more = realloc(d->orders, (size_t)plan->n_obeyed * sizeof(*more));
    if (!more)
      return;
    memset(more + d->n_order, 0, (size_t)(plan->n_obeyed - d->n_order) * sizeof(*more));
    d->orders = more;
    d->n_order = plan->n_obeyed;
  }
  for (int i = 0; i < plan->n_obeyed; i++) {
    struct order *order = &d->orders[i];
    order->done |= !plan->obeyed[i].left;
    free(order->left);
    order->left = order->done ? NULL : strdup(plan->obeyed[i].left);
  }
}

/* Commands for the SCoP of M weren't obeyed, as PLAN says, or its code can't be written: the user must know. */
static void report_disobeyed(struct driver *d, struct tsr_model *m, const struct tsr_result *plan)
{
  char text[1024];
  if (plan->verdict == TSR_BAD_COMMANDS) {
    tsr_error(d->module, plan->why);
    return;
  }
  snprintf(text, sizeof(text), "commands for '%s' can't be obeyed: %s", m->scop->name,
           plan->verdict == TSR_OK ? "there is no code for this; -Rpass-missed=tessera says why"
           : plan->why             ? plan->why
                                   : "isl failed");
  tsr_error(d->module, text);
}

/* M, of several nests, is no SCoP, or one that PLAN (may be NULL) can't be used for: it is split at NODE. One remark a
 * function of those that are for want of budget. */
static void report_split(struct driver *d, struct tsr_model *m, const struct tsr_node *node, const struct tsr_result *plan)
{
  bool budget = plan ? plan->verdict == TSR_BUDGET : m->out_of_budget;
  if (m->reason == TSR_REASON_Done || (budget && d->split == d->function))
    return;
  d->split = budget ? d->function : d->split;
  tsr_report_split(m, d->original, node, plan);
}

#define MAX_REDUCTIONS 8

/* Fewer scalars that cross statements of M, as far as a part of the budget goes. */
static void reduce_scalars(struct driver *d, struct tsr_model *m)
{
  bool moved = true;
  for (int i = 0; i < MAX_REDUCTIONS && moved && m->scop; i++) {
    unsigned long all = allowance(d);
    tsr_budget_begin(d->ctx, all ? all / 8 + 1 : 0);
    moved = tsr_model_demote(m) || tsr_model_reload(m);
    spend(d, tsr_budget_end(d->ctx));
    if (!moved)
      return;
    tsr_budget_begin(d->ctx, allowance(d));
    if (!tsr_model_make_scop(m)) {
      m->out_of_budget = isl_ctx_last_error(d->ctx) == isl_error_quota;
      m->scop = tsr_scop_free(m->scop);
    }
    spend(d, tsr_budget_end(d->ctx));
  }
}

/* Is it plain that M is too small to gain? Then its scalars make no difference. */
static bool has_too_few(struct driver *d, struct tsr_model *m)
{
  const char *reason;
  if (d->all)
    return false;
  tsr_budget_begin(d->ctx, allowance(d));
  bool few = tsr_profit_is_hopeless(m->scop, &reason) == isl_bool_true;
  spend(d, tsr_budget_end(d->ctx));
  return few;
}

/* The model of NODES, called NAME, within the budgets; its scop is NULL if there is none. APART: its sums are. */
static struct tsr_model *build_as(struct driver *d, const char *name, struct tsr_node **nodes, int n, bool exact,
                                  enum tsr_apart apart)
{
  const struct tsr_place place = {d->function, &d->invariants, d->answers, nodes, n, exact && n > 1, apart};
  isl_ctx_reset_error(d->ctx);
  d->n_nest = 0;
  for (int i = 0; i < n; i++)
    d->n_nest += tsr_node_has_loop(nodes[i]);
  bool alone = !d->opt->force && n == 1 && nodes[0]->kind == TSR_NODE_LOOP && !tsr_seq_has_loop(&nodes[0]->body[0]);
  unsigned long all = allowance(d);
  tsr_budget_begin(d->ctx, alone && all ? all / SHARE_OF_LOOP + 1 : all);
  struct tsr_model *m = tsr_model_build(d->ctx, d->a, d->opt, &place, name, exact);
  m->device = d->device;
  if (!m->scop && isl_ctx_last_error(d->ctx) == isl_error_quota)
    m->out_of_budget = true;
  spend(d, tsr_budget_end(d->ctx));
  for (int i = 0; i < d->n_job && m->scop; i++)
    if (tsr_model_takes_from(m, d->jobs[i].m) || tsr_model_takes_from(d->jobs[i].m, m)) {
      m->scop = tsr_scop_free(m->scop);
      tsr_model_reject(m, TSR_REASON_Invariant, NULL, "a value that another nest computes");
    }
  if (m->scop && !has_too_few(d, m))
    reduce_scalars(d, m);
  if (m->scop)
    m->scop->machine = d->machine;
  return m;
}

/* The same, called by the function and a number. */
static struct tsr_model *build(struct driver *d, struct tsr_node **nodes, int n, bool exact)
{
  char name[256];
  size_t length;
  snprintf(name, sizeof(name), "%.200s.%d", LLVMGetValueName2(d->function, &length), d->n_scop);
  struct tsr_model *m = build_as(d, name, nodes, n, exact, TSR_TOGETHER);
  struct tsr_model *apart =
      m->scop && tsr_model_has_joined_sums(m) ? build_as(d, name, nodes, n, exact, TSR_APART_SUMS) : NULL;
  if (apart && apart->scop) {
    tsr_model_free(m);
    m = apart;
  } else {
    tsr_model_free(apart);
  }
  d->n_scop += m->scop != NULL;
  return m;
}

/* ---- sums as arrays (read/memory/expanded_scalars.c) ---- */

/* M with some of its sums as arrays, and what is planned for that. */
struct expanded {
  struct tsr_model *m; /* has the expansion; NULL: there is no such model */
  struct tsr_result *plan;
};

/* Free what X has. */
static void expanded_clear(struct expanded *x)
{
  tsr_result_free(x->plan);
  tsr_model_free(x->m); /* and with it what of the IR is there for it */
  *x = (struct expanded){.m = NULL};
}

/* May sums of M become arrays, of a model called NAME: does the user leave it to us what becomes of M, or command it? */
static bool may_expand(struct driver *d, const struct tsr_model *m, const char *name)
{
  const struct tsr_options *opt = d->opt;
  char *place = opt->commands ? tsr_commands_place(opt->commands, name) : NULL;
  bool may = !opt->commands || place;
  free(place);
  return may && !opt->gpu && opt->expand != TSR_EXPAND_NEVER && m->exact && !m->approximate && !d->annotation &&
         !opt->influence && !opt->strategy_file && !opt->relax_reductions && !opt->n_tile_sizes;
}

/* Is PLAN what the user asks for, whatever it costs, by commands or options? */
static bool is_asked(const struct tsr_options *opt, const struct tsr_result *plan)
{
  return plan && (opt->commands || (opt->expand == TSR_EXPAND_ALWAYS && plan->verdict == TSR_OK));
}

/* Are there panels in an array of their own? */
static bool has_panels(const struct tsr_result *plan)
{
  bool any = false;
  for (int i = 0; i < plan->n_variant; i++)
    any |= plan->variant[i].panels;
  return any;
}

/* The plan for M with OPT. Where arrays would have to be in buffers that can't be written, as some of their accesses are of
 * another kind, one in which they stay where they are. */
static struct tsr_result *plan_model(struct driver *d, struct tsr_options *opt, struct tsr_model *m)
{
  struct tsr_result *plan = NULL;
  for (bool again = true; again;) {
    tsr_result_free(plan);
    opt->budget = allowance(d);
    plan = tsr_pipeline_run(m->scop, opt, tsr_alias_checks(m), TSR_STAGE_AST);
    spend(d, plan->operations);
    bool can = plan->verdict != TSR_OK || tsr_emit_buffers_can(m, plan), panels = !can && has_panels(plan);
    again = panels || (!can && !plan->commanded && !m->scop->no_programs);
    m->scop->no_panels |= panels;
    m->scop->no_programs |= again && !panels;
    m->scop->no_buffers |= again && !panels && plan->variant[0].packed;
  }
  return plan;
}

/* The model of M's nodes, called NAME, with EXPANSION, which it gets, and a plan for it, if there is one. */
static struct expanded plan_expanded(struct driver *d, const struct tsr_options *opt, struct tsr_model *m, const char *name,
                                     struct tsr_expansion *expansion)
{
  struct expanded x = {.m = build_as(d, name, m->nodes, m->n_node, true, TSR_APART_ALL)};
  x.m->expansion = expansion;
  if (x.m->scop && tsr_expansion_holds(expansion, x.m)) {
    struct tsr_options own = *opt;
    if (d->opt->dump)
      dump(d, x.m);
    x.plan = plan_model(d, &own, x.m);
  }
  return x;
}

/* What there is of it, with OPT; nothing if there is no gain to be seen. RIVALS: only if some of the sums live in elements
 * of the program's, and these, too. The function's other nests keep their budget. */
static struct expanded expand(struct driver *d, const struct tsr_options *opt, struct tsr_model *m, bool rivals)
{
  char name[300];
  struct expanded x = {.m = NULL};
  snprintf(name, sizeof(name), "%.255s" TSR_EXPANDED, m->name);
  struct tsr_expansion *expansion = may_expand(d, m, name) && !has_too_few(d, m) ? tsr_expansion_insert(m, rivals) : NULL;
  if (!expansion)
    return x;
  unsigned long left = d->left_function;
  d->left_function = d->left_expanded;
  x = plan_expanded(d, opt, m, name, expansion);
  d->left_expanded = d->left_function;
  d->left_function = left;
  bool good = x.plan && tsr_result_is_better(x.plan, NULL);
  d->beside += x.plan ? x.plan->operations : 0;
  if (!good && !is_asked(opt, x.plan))
    expanded_clear(&x);
  return x;
}

/* X, which may be nothing, or rivals in its place if they are better. The IR has the arrays of one model alone, so that X is
 * planned anew if they aren't. */
static struct expanded or_rivals(struct driver *d, const struct tsr_options *opt, struct tsr_model *m, struct expanded x)
{
  bool there = x.m != NULL;
  x.m = tsr_model_free(x.m);
  struct expanded rivals = expand(d, opt, m, true);
  bool better = rivals.m && (!there || tsr_result_is_better(rivals.plan, x.plan));
  expanded_clear(&x);
  if (!better)
    expanded_clear(&rivals);
  return better || !there ? rivals : expand(d, opt, m, false);
}

/* The plan for *M with OPT, which becomes the model that it is of. */
static struct tsr_result *make_plan(struct driver *d, struct tsr_options *opt, struct tsr_model **m)
{
  d->beside = 0;
  struct expanded x = expand(d, opt, *m, false);
  struct tsr_result *plan = NULL;
  bool clear = is_asked(opt, x.plan) || (x.plan && tsr_result_is_clear(x.plan));
  if (!clear) {
    plan = plan_model(d, opt, *m);
    bool lanes =
        plan->n_variant && plan->variant[0].program; /* of such sums in panels: register tiles may be better still */
    bool settled = tsr_result_is_clear(plan) && tsr_result_has_tiles(plan) && !lanes;
    if (!plan->commanded && !settled && !(x.m && tsr_result_has_tiles(x.plan)))
      x = or_rivals(d, opt, *m, x);
  }
  if (plan && !is_asked(opt, x.plan) && !(x.m && tsr_result_is_better(x.plan, plan))) {
    expanded_clear(&x);
    return plan;
  }
  d->beside = plan ? plan->operations : 0;
  tsr_result_free(plan);
  tsr_model_free(*m);
  *m = x.m;
  return x.plan;
}

/* Drop PLAN's variant for a GPU where its code can't be written. */
static void review_gpu(struct tsr_model *m, struct tsr_result *plan)
{
  const struct tsr_variant *last = plan->n_variant ? &plan->variant[plan->n_variant - 1] : NULL;
  const char *why = last && last->condition.gpu ? tsr_emit_gpu_obstacle(m, last) : NULL;
  if (why)
    tsr_result_drop_gpu(plan, why);
}

/* Can PLAN's code be written? A part of a SCoP's budget is there for that, whatever the function has left: what the plan
 * took would be in vain else. */
static bool is_used(struct driver *d, struct tsr_model *m, struct tsr_result *plan)
{
  unsigned long least = tsr_options_budget(d->opt) / SHARE_OF_CODE, left = d->left_function,
                more = least > left ? least - left : 0;
  give_back(&d->left_function, more);
  bool can = can_emit(d, m, plan);
  d->left_function = d->left_function > more ? d->left_function - more : 1;
  if (can)
    refund(d, m, plan);
  return can;
}

/* A modelled SCoP: is it worth a change, and can the change be written? Takes M. False: fall back. */
static bool plan_scop(struct driver *d, struct tsr_model *m, enum chance chance)
{
  struct tsr_options opt = *d->opt;
  if (has_thread_local(m))
    opt.parallel = opt.gpu = false; /* such a variable belongs to a thread */
  if (d->annotation)
    m->scop->commands = strdup(d->annotation);
  if (d->opt->dump)
    dump(d, m);
  struct tsr_result *plan = make_plan(d, &opt, &m);
  review_gpu(m, plan);
  if (d->opt->print != TSR_PRINT_NONE)
    print(d, m, plan);
  enum tsr_verdict verdict = plan->verdict;
  note_orders(d, plan);
  d->commanded |= plan->commanded || plan->verdict == TSR_BAD_COMMANDS;
  bool wrong = verdict == TSR_BAD_INFLUENCE || verdict == TSR_BAD_COMMANDS || (plan->commanded && verdict != TSR_OK);
  if (verdict != TSR_OK && !wrong && chance != CHANCE_LAST &&
      (verdict != TSR_UNPROFITABLE || chance == CHANCE_INSIDE || part_may_gain(d, m, plan))) {
    if (chance == CHANCE_PARTS)
      report_split(d, m, m->nodes[0], plan);
    tsr_result_free(plan);
    tsr_model_free(m);
    return false;
  }
  tsr_tally_add(&d->tally, tsr_report_modelled(m, d->original));
  tsr_report_candidates(m, d->original, plan);
  if (plan->no_gpu)
    tsr_tally_add(&d->tally, tsr_report_no_gpu(m, d->original, plan->no_gpu));
  if (plan->trace && verdict != TSR_BAD_INFLUENCE)
    tsr_report_influence(m, d->original, plan->trace);
  if (verdict == TSR_OK && is_used(d, m, plan)) {
    d->jobs = realloc(d->jobs, (d->n_job + 1) * sizeof(*d->jobs));
    d->jobs[d->n_job++] = (struct job){m, plan, tsr_node_location(m->nodes[0])};
    return true;
  }
  if (plan->commanded || verdict == TSR_BAD_COMMANDS)
    report_disobeyed(d, m, plan);
  if (verdict != TSR_OK && (verdict != TSR_BUDGET || is_news(d, m->nodes[0])))
    tsr_tally_add(&d->tally, tsr_report_left(m, d->original, plan));
  tsr_result_free(plan);
  tsr_model_free(m);
  return verdict == TSR_UNPROFITABLE || wrong;
}

/* Which node is to blame? -1 if that isn't known. */
static int culprit_node(struct tsr_model *m)
{
  if (m->culprit && LLVMIsAInstruction(m->culprit))
    for (int i = 0; i < m->n_node; i++)
      if (tsr_node_contains(m->nodes[i], LLVMGetInstructionParent(m->culprit)))
        return i;
  return m->n_node == 1 ? 0 : -1;
}

/* Is code planned for something inside LOOP? */
static bool has_job_inside(struct driver *d, tsr_loop loop)
{
  for (int i = 0; i < d->n_job; i++)
    if (tsr_loop_contains(loop, d->jobs[i].m->blocks.block[0]))
      return true;
  return false;
}

void tsr_driver_find_invariants(struct driver *d, tsr_loop loop)
{
  if (!loop || has_job_inside(d, loop))
    return;
  tsr_driver_find_invariants(d, tsr_loop_parent(loop));
  tsr_invariants_find(&d->invariants, d->a, d->function, loop);
}

/* Could the nest be modelled with over-approximations? */
static bool may_approximate(const struct tsr_model *m)
{
  return !m->out_of_budget && !m->is_read &&
         (m->reason == TSR_REASON_Subscript || m->reason == TSR_REASON_Condition || m->reason == TSR_REASON_TripCount ||
          m->reason == TSR_REASON_Exit || m->reason == TSR_REASON_Switch);
}

/* Is VALUE, of a SCoP, computed from what is loaded in it? */
static bool depends_on_load(const struct tsr_model *m, LLVMValueRef value, int depth)
{
  if (!tsr_model_in_region(m, value) || LLVMIsAPHINode(value) || depth > 8)
    return false;
  bool found = LLVMIsALoadInst(value);
  for (int i = 0; i < LLVMGetNumOperands(value) && !found; i++)
    found = depends_on_load(m, LLVMGetOperand(value, i), depth + 1);
  return found;
}

bool tsr_driver_is_too_small(struct driver *d, struct tsr_node **nodes, int n, bool exact)
{
  return !d->all && tsr_profit_is_too_few(tsr_nodes_size(d->a, nodes, n, exact));
}

/* The node at NODES alone, over-approximated: is there anything to gain? What can be modelled exactly, as EXACT was not, is
 * inside of it, if anywhere. */
static bool discover_approximate(struct driver *d, struct tsr_node **nodes, struct tsr_model *exact)
{
  if (tsr_driver_is_too_small(d, nodes, 1, false))
    return false;
  struct tsr_model *m = build(d, nodes, 1, false);
  if (m->scop && m->approximate)
    return plan_scop(d, m, CHANCE_INSIDE);
  LLVMValueRef bad = m->reason == TSR_REASON_Indirect ? m->culprit : NULL; /* says more? */
  if (bad && depends_on_load(m, LLVMGetOperand(bad, LLVMIsAStoreInst(bad) ? 1 : 0), 0)) {
    tsr_model_retry(exact);
    tsr_model_reject(exact, m->reason, m->culprit, NULL);
  }
  tsr_model_free(m);
  return false;
}

/* The node at NODES alone can't be modelled: say why, and look inside. */
static void descend(struct driver *d, struct tsr_node **nodes, struct tsr_model *m)
{
  struct tsr_node *node = nodes[0];
  if (may_approximate(m) && discover_approximate(d, nodes, m))
    return;
  bool loops = d->all ? tsr_seq_has_loop(&node->body[0]) || tsr_seq_has_loop(&node->body[1])
                      : tsr_seq_has_candidate(&node->body[0]) || tsr_seq_has_candidate(&node->body[1]);
  if (loops) {
    if (node->kind == TSR_NODE_LOOP)
      tsr_driver_find_invariants(d, node->loop);
    tsr_driver_discover(d, &node->body[0]);
    tsr_driver_discover(d, &node->body[1]);
  }
  /* One remark a nest: what an inner loop has been rejected for isn't repeated for those around it, and an IF is no loop. */
  if (node->kind != TSR_NODE_LOOP || (m->culprit && m->culprit == d->reported) || m->reason == TSR_REASON_Done ||
      tsr_seq_has_done(&node->body[0]))
    return; /* nor is there anything new to say of code of ours */
  d->reported = m->culprit;
  if (m->out_of_budget)
    report_budget(d, node, "model");
  else
    tsr_tally_add(&d->tally, tsr_report_rejected(m, d->original, node));
}

/* Is COND a truth value, rather than a comparison of numbers? Then there is an assumption of neither outcome. */
static bool is_flag(LLVMValueRef cond)
{
  if (!LLVMIsAICmpInst(cond))
    return true;
  bool equal = LLVMGetICmpPredicate(cond) == LLVMIntEQ || LLVMGetICmpPredicate(cond) == LLVMIntNE;
  return equal && LLVMIsNull(LLVMGetOperand(cond, 1));
}

/* Is NODE a choice, by a flag, between loops in both arms? One SCoP would gain nothing from what is in the other arm, and
 * be estimated for one of them alone. */
static bool chooses_between_loops(const struct tsr_node *node)
{
  return node->kind == TSR_NODE_IF && tsr_seq_has_loop(&node->body[0]) && tsr_seq_has_loop(&node->body[1]) &&
         is_flag(tsr_branch_condition(node->block));
}

/* The node of SEQ that has loops; NULL: there are several, or none. */
static const struct tsr_node *only_nest(const struct tsr_seq *seq)
{
  const struct tsr_node *found = NULL;
  for (int i = 0; i < seq->n; i++)
    if (tsr_node_has_loop(seq->nodes[i])) {
      if (found)
        return NULL;
      found = seq->nodes[i];
    }
  return found;
}

/* Is there such a choice in NODE, behind nothing but other conditions? */
static bool leads_to_choice(const struct tsr_node *node)
{
  if (!node || node->kind != TSR_NODE_IF)
    return false;
  bool first = tsr_seq_has_loop(&node->body[0]);
  return chooses_between_loops(node) ||
         (first != tsr_seq_has_loop(&node->body[1]) && leads_to_choice(only_nest(&node->body[!first])));
}

/* A SCoP of N nests has come to nothing, before which LEFT was left of the function's budget: where code is wanted whether
 * or not it pays, its parts find that again. */
static void try_again(struct driver *d, unsigned long left, int n)
{
  if (d->opt->force && n > NESTS)
    d->left_function = left;
}

/* Many NODES as one SCoP may use a part of the function's budget, so that there is some for each alone if that comes to
 * nothing, and a half of that again, as none of them may be worth anything alone. What is kept for the parts. */
static unsigned long keep_for_parts(struct driver *d, struct tsr_node **nodes, int n)
{
  int loops = 0;
  for (int i = 0; i < n; i++)
    loops += tsr_node_has_loop(nodes[i]);
  unsigned long share = d->left_function / SHARE_OF_ALL, kept = d->left_function - share;
  if (d->opt->force || loops <= NESTS)
    return 0;
  d->left_function = share + share / 2;
  return kept;
}

/* LOOPS parts get what was KEPT of LEFT, and what is left of their share; once in a function, as many of them, some more. */
static void go_on_with_parts(struct driver *d, unsigned long left, unsigned long kept, int loops)
{
  unsigned long again = left / SHARE_OF_ALL / 2, more = tsr_options_budget(d->opt) / EACH_MORE * (unsigned)(loops - NESTS);
  if (!kept)
    return;
  d->left_function = kept + (d->left_function > again ? d->left_function - again : 0);
  d->left_function += d->many == d->function ? 0 : more;
  d->many = d->function;
}

static void discover_run(struct driver *d, struct tsr_node **nodes, int n);

/* M of NODES[0..n), as one SCoP, can't be modelled: what can? */
static void discover_parts(struct driver *d, struct tsr_node **nodes, int n, struct tsr_model *m)
{
  int bad = culprit_node(m);
  if (n > 1)
    report_split(d, m, nodes[bad < 0 ? 0 : bad], NULL);
  if (bad < 0) {
    for (int i = 0; i < n; i++)
      discover_run(d, &nodes[i], 1);
  } else if (n == 1) {
    descend(d, nodes, m);
  } else {
    discover_run(d, nodes, bad);
    discover_run(d, nodes + bad, 1);
    discover_run(d, nodes + bad + 1, n - bad - 1);
  }
}

/* NODES[0..n): the first and the last have loops. Model all of them as one SCoP, else the parts that can be. */
static void discover_run(struct driver *d, struct tsr_node **nodes, int n)
{
  while (n > 0 && !tsr_node_has_loop(nodes[0]))
    nodes++, n--;
  while (n > 0 && !tsr_node_has_loop(nodes[n - 1]))
    n--;
  if (!n)
    return;
  if (tsr_driver_is_too_small(d, nodes, n, true)) {
    tsr_tally_add(&d->tally, "Unprofitable");
    return;
  }
  if (n == 1 && leads_to_choice(nodes[0])) {
    tsr_driver_discover(d, &nodes[0]->body[0]);
    tsr_driver_discover(d, &nodes[0]->body[1]);
    return;
  }
  unsigned long left = d->left_function, kept = keep_for_parts(d, nodes, n);
  d->pipeline = false;
  struct tsr_model *m = build(d, nodes, n, true);
  int loops = d->n_nest;
  bool modelled = m->scop != NULL;
  d->pipeline_is_dead = modelled && tsr_scop_is_pipeline(m->scop);
  d->pipeline = d->pipeline_is_dead || (modelled && tsr_scop_is_long_pipeline(m->scop));
  bool done = modelled && (plan_scop(d, m, loops == 1 ? CHANCE_LAST : CHANCE_PARTS) || loops == 1);
  go_on_with_parts(d, left, kept, loops);
  if (done)
    return;
  try_again(d, left, loops);
  for (int i = 0; i < n && modelled; i++)
    discover_run(d, &nodes[i], 1);
  if (modelled)
    return;
  discover_parts(d, nodes, n, m);
  tsr_model_free(m);
}

void tsr_driver_discover(struct driver *d, const struct tsr_seq *seq)
{
  discover_run(d, seq->nodes, seq->n);
}
