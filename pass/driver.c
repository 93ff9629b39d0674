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
#include <llvm-c/Analysis.h>
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
  struct tsr_machine machine;        /* that the function is compiled for */
  LLVMValueRef function, original;
  LLVMValueRef reported; /* the last culprit */
  tsr_loop exhausted;    /* the outermost loop of the last nest that ran out of budget */
  int n_scop;            /* in this function */
  bool all;              /* does someone want to know of all nests, not only of those that change? */
  struct tsr_invariants invariants;
  struct tsr_answers *answers;
  struct job {
    struct tsr_model *m;
    struct tsr_result *plan;
    LLVMMetadataRef location;
  } *jobs;
  int n_job;
  struct tsr_tally tally;
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
  if (d->opt->print == TSR_PRINT_TREE && plan->alone_tree) {
    fprintf(stderr, "# on one thread\n");
    tsr_print_schedule(plan->alone_tree, stderr);
  }
  if (d->opt->print == TSR_PRINT_AST && plan->ast)
    tsr_print_ast(plan->ast, stderr);
  if (d->opt->print == TSR_PRINT_AST && plan->alone_ast) {
    fprintf(stderr, "/* on one thread */\n");
    tsr_print_ast(plan->alone_ast, stderr);
  }
}

/* What the next step may use: of the SCoP's budget, of one and a half for a function, of the module's. 0: no limit. */
static unsigned long allowance(struct driver *d)
{
  unsigned long least = tsr_options_budget(d->opt);
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

/* A modelled SCoP: is it worth a change, and can the change be written? Takes M. False: fall back. */
static bool plan_scop(struct driver *d, struct tsr_model *m, enum chance chance)
{
  struct tsr_options opt = *d->opt;
  opt.budget = allowance(d);
  if (has_thread_local(m))
    opt.parallel = false; /* such a variable belongs to a thread */
  if (d->opt->dump)
    dump(d, m);
  struct tsr_result *plan = tsr_pipeline_run(m->scop, &opt, m->n_alias_pair, TSR_STAGE_AST);
  spend(d, plan->operations);
  if (d->opt->print != TSR_PRINT_NONE)
    print(d, m, plan);
  enum tsr_verdict verdict = plan->verdict;
  if (verdict != TSR_OK && verdict != TSR_BAD_INFLUENCE && chance != CHANCE_LAST &&
      (verdict != TSR_UNPROFITABLE || chance == CHANCE_INSIDE || part_may_gain(d, m, plan))) {
    tsr_result_free(plan);
    tsr_model_free(m);
    return false;
  }
  tsr_tally_add(&d->tally, tsr_report_modelled(m, d->original));
  if (plan->trace && verdict != TSR_BAD_INFLUENCE)
    tsr_report_influence(m, d->original, plan->trace);
  if (verdict == TSR_OK && can_emit(d, m, plan)) {
    d->jobs = realloc(d->jobs, (d->n_job + 1) * sizeof(*d->jobs));
    d->jobs[d->n_job++] = (struct job){m, plan, tsr_node_location(m->nodes[0])};
    return true;
  }
  if (verdict != TSR_OK && (verdict != TSR_BUDGET || is_news(d, m->nodes[0])))
    tsr_tally_add(&d->tally, tsr_report_left(m, d->original, plan));
  tsr_result_free(plan);
  tsr_model_free(m);
  return verdict == TSR_UNPROFITABLE || verdict == TSR_BAD_INFLUENCE;
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

static struct tsr_model *build(struct driver *d, struct tsr_node **nodes, int n, bool exact)
{
  const struct tsr_place place = {d->function, &d->invariants, d->answers, nodes, n};
  char name[256];
  size_t length;
  snprintf(name, sizeof(name), "%.200s.%d", LLVMGetValueName2(d->function, &length), d->n_scop);
  isl_ctx_reset_error(d->ctx);
  tsr_budget_begin(d->ctx, allowance(d));
  struct tsr_model *m = tsr_model_build(d->ctx, d->a, d->opt, &place, name, exact);
  if (!m->scop && isl_ctx_last_error(d->ctx) == isl_error_quota)
    m->out_of_budget = true;
  spend(d, tsr_budget_end(d->ctx));
  for (int i = 0; i < d->n_job && m->scop; i++)
    if (tsr_model_takes_from(m, d->jobs[i].m) || tsr_model_takes_from(d->jobs[i].m, m)) {
      m->scop = tsr_scop_free(m->scop);
      tsr_model_reject(m, TSR_REASON_Invariant, NULL, NULL);
    }
  if (m->scop && !has_too_few(d, m))
    reduce_scalars(d, m);
  if (m->scop)
    m->scop->machine = d->machine;
  d->n_scop += m->scop != NULL;
  return m;
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

static void discover(struct driver *d, const struct tsr_seq *seq);

/* Is code planned for something inside LOOP? */
static bool has_job_inside(struct driver *d, tsr_loop loop)
{
  for (int i = 0; i < d->n_job; i++)
    if (tsr_loop_contains(loop, d->jobs[i].m->blocks.block[0]))
      return true;
  return false;
}

/* Find what is invariant in the loops inside LOOP: for those around it first, whose proxies stand in front of more. */
static void find_invariants(struct driver *d, tsr_loop loop)
{
  if (!loop || has_job_inside(d, loop))
    return;
  find_invariants(d, tsr_loop_parent(loop));
  tsr_invariants_find(&d->invariants, d->a, d->function, loop);
}

/* Could the nest be modelled with over-approximations? */
static bool may_approximate(const struct tsr_model *m)
{
  return !m->out_of_budget && !m->is_read &&
         (m->reason == TSR_REASON_Subscript || m->reason == TSR_REASON_Condition || m->reason == TSR_REASON_TripCount ||
          m->reason == TSR_REASON_Switch);
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

/* Are the iterations of NODES so few that nobody need know more of them? Whoever wants remarks gets all there is to say. */
static bool is_too_small(struct driver *d, struct tsr_node **nodes, int n, bool exact)
{
  return !d->all && tsr_profit_is_too_few(tsr_nodes_size(d->a, nodes, n, exact));
}

/* The node at NODES alone, over-approximated: is there anything to gain? What can be modelled exactly, as EXACT was not, is
 * inside of it, if anywhere. */
static bool discover_approximate(struct driver *d, struct tsr_node **nodes, struct tsr_model *exact)
{
  if (is_too_small(d, nodes, 1, false))
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
      find_invariants(d, node->loop);
    discover(d, &node->body[0]);
    discover(d, &node->body[1]);
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

/* NODES[0..n): the first and the last have loops. Model all of them as one SCoP, else the parts that can be. */
static void discover_run(struct driver *d, struct tsr_node **nodes, int n)
{
  while (n > 0 && !tsr_node_has_loop(nodes[0]))
    nodes++, n--;
  while (n > 0 && !tsr_node_has_loop(nodes[n - 1]))
    n--;
  if (!n)
    return;
  if (is_too_small(d, nodes, n, true)) {
    tsr_tally_add(&d->tally, "Unprofitable");
    return;
  }
  struct tsr_model *m = build(d, nodes, n, true);
  if (m->scop) {
    int loops = 0;
    for (int i = 0; i < n; i++)
      loops += tsr_node_has_loop(nodes[i]);
    if (!plan_scop(d, m, loops == 1 ? CHANCE_LAST : CHANCE_PARTS) && loops > 1)
      for (int i = 0; i < n; i++)
        discover_run(d, &nodes[i], 1);
    return;
  }
  int bad = culprit_node(m);
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
  tsr_model_free(m);
}

static void discover(struct driver *d, const struct tsr_seq *seq)
{
  discover_run(d, seq->nodes, seq->n);
}

/* The originals that stay beside our loops: inlined somewhere else, they are not to be transformed again. */
static void mark_done(const struct tsr_seq *seq)
{
  for (int i = 0; i < seq->n; i++) {
    if (seq->nodes[i]->kind == TSR_NODE_LOOP)
      tsr_loop_set_mark(seq->nodes[i]->loop, TSR_LOOP_DONE);
    mark_done(&seq->nodes[i]->body[0]);
    mark_done(&seq->nodes[i]->body[1]);
  }
}

/* Can what A is about define a value for what B is about? */
static bool comes_before(struct driver *d, const struct job *a, const struct job *b)
{
  return tsr_dominates(d->a, LLVMGetBasicBlockTerminator(a->m->nodes[0]->block),
                       LLVMGetBasicBlockTerminator(b->m->nodes[0]->block));
}

/* Nests are found in the order in which parts of the function were understood: a broken arm of a branch ends before the
 * sequence that the branch is in. */
static void order_jobs(struct driver *d)
{
  for (int n = 0; n < d->n_job; n++) {
    int first = n;
    for (int i = n + 1; i < d->n_job; i++)
      if (comes_before(d, &d->jobs[i], &d->jobs[first]))
        first = i;
    struct job job = d->jobs[first];
    memmove(&d->jobs[n + 1], &d->jobs[n], (first - n) * sizeof(job));
    d->jobs[n] = job;
  }
}

static void emit_jobs(struct driver *d)
{
  tsr_target_use_vectors(d->function, &d->machine);
  for (int i = 0; i < d->n_job; i++)
    mark_done(&(struct tsr_seq){d->jobs[i].m->nodes, d->jobs[i].m->n_node});
  order_jobs(d);
  /* Last first: what comes earlier in the function is replaced in the code of what comes later. */
  for (int i = d->n_job - 1; i >= 0; i--) {
    tsr_erase_lifetime_markers(d->jobs[i].m->blocks.block, d->jobs[i].m->blocks.n);
    tsr_emit(d->jobs[i].m, d->jobs[i].plan);
  }
  tsr_invariants_undo(&d->invariants);
  for (int i = 0; i < d->n_job; i++)
    tsr_emit_finish(d->jobs[i].m);
}

/* Is what was written a function that can take the original's place? Says so, or why not. */
static bool is_sound(struct driver *d)
{
  char *message = NULL;
  const char *why = NULL;
  if (!tsr_invariants_clear(&d->invariants))
    why = "a value that stands for another is left in it";
  else if (!tsr_verify_function(d->function, &message))
    why = message ? message : "the verifier refuses it";
  for (int i = 0; i < d->n_job && !why; i++)
    why = d->jobs[i].m->broken ? "outlining failed" : NULL;
  if (!why && !tsr_clone_can_bring_back(d->clone, d->function))
    why = "it refers to something that the module doesn't have";
  if (why)
    fprintf(stderr, "tessera: internal error: the code for a function is broken, the original is kept: %s\n", why);
  for (int i = 0; i < d->n_job; i++)
    if (why)
      tsr_tally_add(&d->tally, tsr_report_broken(d->original, d->jobs[i].location, why));
    else
      tsr_tally_add(&d->tally, tsr_report_transformed(d->original, d->jobs[i].location, d->jobs[i].plan));
  free(message);
  return !why;
}

/* The machine that FUNCTION is compiled for, with what the options change. */
static void select_machine(struct driver *d, LLVMValueRef function)
{
  tsr_target_machine(function, &d->machine);
  if (d->opt->machine) /* that it can be read is known */
    tsr_machine_load(d->opt->machine, &d->machine, NULL);
}

/* Is there a call in NODES that writes, which no model has, whatever else it finds? */
static bool has_writing_call(const struct tsr_seq *nodes)
{
  bool found = false;
  for (int i = 0; i < nodes->n && !found; i++) {
    const struct tsr_node *node = nodes->nodes[i];
    LLVMValueRef inst = node->kind == TSR_NODE_BLOCK ? LLVMGetFirstInstruction(node->block) : NULL;
    for (; inst && !found; inst = LLVMGetNextInstruction(inst))
      found = LLVMIsACallInst(inst) && !LLVMIsAIntrinsicInst(inst) && tsr_call_effects(inst).writes;
    found = found || has_writing_call(&node->body[0]) || has_writing_call(&node->body[1]);
  }
  return found;
}

/* Is there a loop that could be modelled, in a part of SEQ that is not too small? */
static bool has_candidate_in(struct driver *d, const struct tsr_seq *seq)
{
  if (!tsr_seq_has_loop(seq) || is_too_small(d, seq->nodes, seq->n, true))
    return false;
  for (int i = 0; i < seq->n; i++) {
    const struct tsr_node *node = seq->nodes[i];
    if (node->kind == TSR_NODE_LOOP && !node->opaque && (d->all || !has_writing_call(&node->body[0])))
      return true;
    if (has_candidate_in(d, &node->body[0]) || has_candidate_in(d, &node->body[1]))
      return true;
  }
  return false;
}

/* .. in the function of TREE? */
static bool has_candidate(struct driver *d, const struct tsr_tree *tree)
{
  for (int i = 0; i < tree->n_root; i++)
    if (has_candidate_in(d, &tree->roots[i]))
      return true;
  return false;
}

/* Find what is invariant in the loops around the roots of TREE that have something to model. */
static void find_invariants_of(struct driver *d, const struct tsr_tree *tree)
{
  tsr_loop last = NULL;
  for (int i = 0; i < tree->n_root; i++) {
    tsr_loop loop = d->all || tsr_seq_has_candidate(&tree->roots[i]) ? tsr_seq_loop(&tree->roots[i]) : NULL;
    if (loop && loop != last)
      find_invariants(d, loop);
    last = loop ? loop : last;
  }
}

/* Is there anything to model in FUNCTION, as far as can be told before its counters are simplified? */
static bool is_worthwhile(struct driver *d, LLVMValueRef function)
{
  struct tsr_tree *tree = tsr_tree_parse(d->a, function);
  bool worthwhile = has_candidate(d, tree);
  tsr_tree_free(tree);
  return worthwhile;
}

static bool run_function(struct driver *d, LLVMValueRef function)
{
  bool changed = false;
  unsigned long of_scop = tsr_options_budget(d->opt);
  d->function = function;
  d->original = tsr_clone_original(d->clone, function);
  d->n_scop = d->n_job = 0;
  d->left_function = of_scop ? of_scop + of_scop / 2 : ~0ul;
  select_machine(d, function);
  d->reported = NULL;
  d->exhausted = NULL;
  tsr_analyses_select(d->a, function);
  if (!d->all && !is_worthwhile(d, function))
    return false;
  tsr_clone_simplify_counters(function, d->a, d->all);
  tsr_analyses_select(d->a, function);
  struct tsr_tree *tree = tsr_tree_parse(d->a, function);
  bool candidate = has_candidate(d, tree);
  if (candidate)
    tsr_invariants_find(&d->invariants, d->a, function, NULL);
  if (candidate)
    find_invariants_of(d, tree);
  for (int i = 0; i < tree->n_root; i++)
    discover(d, &tree->roots[i]);
  if (d->n_job) {
    bool masked = tsr_has_masked(d->a, function, false);
    emit_jobs(d);
    tsr_analyses_forget(d->a, function);
    changed = is_sound(d);
    if (changed && masked) {
      tsr_analyses_select(d->a, function);
      tsr_has_masked(d->a, function, true);
      tsr_analyses_forget(d->a, function);
    }
    if (changed)
      tsr_clone_bring_back(d->clone, function);
  }
  tsr_invariants_undo(&d->invariants); /* nothing to do if there was something to emit */
  tsr_invariants_clear(&d->invariants);
  for (int i = 0; i < d->n_job; i++) {
    tsr_result_free(d->jobs[i].plan);
    tsr_model_free(d->jobs[i].m);
  }
  tsr_tree_free(tree);
  return changed;
}

/* FUNCTION must stay as it is: one remark for each of its nests. */
static void report_untouched(struct driver *d, LLVMValueRef function, enum tsr_reason reason, const char *what)
{
  tsr_loop loop[64];
  tsr_analyses_select(d->a, function);
  unsigned n = tsr_loops_top(d->a, loop, 64);
  for (unsigned i = 0; i < n; i++)
    tsr_tally_add(&d->tally, tsr_report_untouched(tsr_clone_original(d->clone, function), loop[i], reason, what));
}

static const char *const finished = "tessera";

static bool is_finished(LLVMValueRef function, const char *when)
{
  return tsr_fn_has_text_attr(function, finished, "done") || tsr_fn_has_text_attr(function, finished, when);
}

static void finish(LLVMValueRef function, const char *how)
{
  LLVMContextRef llvm = LLVMGetModuleContext(LLVMGetGlobalParent(function));
  LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                          LLVMCreateStringAttribute(llvm, finished, strlen(finished), how, strlen(how)));
}

static void verify_module(LLVMModuleRef module)
{
  char *message = NULL;
  if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
    tsr_error(module, message);
  LLVMDisposeMessage(message);
}

/* FUNCTION, of the clone, from its acceptance to its mark. Did its original change? */
static bool visit_function(struct driver *d, LLVMValueRef function, const char *when)
{
  enum tsr_reason reason;
  const char *what;
  LLVMValueRef original = tsr_clone_original(d->clone, function);
  if (!original || LLVMIsDeclaration(function) || is_finished(original, when) || tsr_clone_was_inlined(d->clone, function))
    return false;
  if (!tsr_clone_is_candidate(d->clone, function)) {
    finish(original, when);
    return false;
  }
  if (!tsr_function_is_accepted(function, d->opt, &reason, &what)) {
    if (reason != TSR_ACCEPTED) {
      report_untouched(d, function, reason, what);
      finish(original, "done");
    }
    return false;
  }
  bool done = run_function(d, function);
  finish(original, done ? "done" : when);
  return done;
}

/* Append what became of the module to the file that the options ask for. */
static void write_statistics(struct driver *d)
{
  size_t n;
  unsigned long begin = d->opt->module_budget ? d->opt->module_budget : ~0ul;
  if (!tsr_tally_append(&d->tally, d->opt->statistics, LLVMGetSourceFileName(d->module, &n), begin - d->left))
    fprintf(stderr, "tessera: can't write %s\n", d->opt->statistics);
}

static bool wants_all(const struct tsr_options *opt, LLVMModuleRef module)
{
  LLVMValueRef any = LLVMGetFirstFunction(module);
  return opt->force || opt->influence || opt->dump || opt->statistics || opt->print != TSR_PRINT_NONE ||
         (any && tsr_remarks_are_wanted(any));
}

bool tsr_run(LLVMModuleRef module, const struct tsr_options *opt, enum tsr_when when, tsr_library library)
{
  bool wanted = when == TSR_WHEN_ASKED || opt->position == TSR_POSITION_BOTH ||
                (when == TSR_WHEN_EARLY) == (opt->position == TSR_POSITION_EARLY);
  const char *name = when == TSR_WHEN_EARLY ? "early" : when == TSR_WHEN_LATE ? "late" : "asked";
  if (opt->off || !wanted || !tsr_module_is_supported(module))
    return false;
  struct driver d = {.module = module, .opt = opt, .left = opt->module_budget ? opt->module_budget : ~0ul};
  d.all = wants_all(opt, module);
  d.clone = tsr_clone_create(module, d.all);
  if (!d.clone)
    return false;
  d.a = tsr_analyses_create(library);
  char *error = tsr_clone_canonicalise(d.clone, d.a, when != TSR_WHEN_LATE, d.all);
  bool changed = false;
  if (error) {
    fprintf(stderr, "tessera: internal error: can't prepare the module: %s\n", error);
    free(error);
    tsr_analyses_free(d.a);
    tsr_clone_free(d.clone);
    return false;
  }
  d.ctx = isl_ctx_alloc();
  d.answers = tsr_answers_alloc();
  isl_options_set_on_error(d.ctx, ISL_ON_ERROR_CONTINUE);
  LLVMValueRef next;
  for (LLVMValueRef f = LLVMGetFirstFunction(tsr_clone_module(d.clone)); f; f = next) {
    next = LLVMGetNextFunction(f);
    changed |= visit_function(&d, f, name);
  }
  if (changed && opt->verify)
    verify_module(module);
  free(d.jobs);
  tsr_answers_free(d.answers);
  isl_ctx_free(d.ctx);
  tsr_analyses_free(d.a);
  tsr_clone_free(d.clone);
  if (opt->statistics)
    write_statistics(&d);
  return changed;
}
