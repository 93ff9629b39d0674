/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The whole pass, top to bottom:
 *
 *   clone the module, canonicalise the clone                        shim/clone.cpp
 *   each function: parse its control flow                           read/control/control_tree.c
 *     each maximal run of sibling nodes with a loop                 discover.c
 *       model                                                       read/
 *       plan: dependences, schedule, tile, profit, check, AST       isl-bridge
 *     all plans of the function: emit                               emit/
 *     bring the function back                                       shim/bring_back.cpp
 *
 * Everything that can fail happens on the clone, before the first change to the module. */
#include "driver.h"
#include <llvm-c/Analysis.h>
#include <isl/options.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function's models with sums as arrays have so many times the budget of its others: those of the four arms of reference
 * LAPACK's ztrmm from the left, of which each that isn't used costs 1 to 2.5 million operations. */
#define TIMES_EXPANDED 2

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

/* How many nests are about to be changed, if all of them run new code from some sizes on alone; else 0. */
static unsigned count_tests(const struct driver *d)
{
  bool all = !d->opt->gpu;
  for (int i = 0; i < d->n_job; i++)
    all &= d->jobs[i].plan->sizes != NULL;
  return all ? (unsigned)d->n_job : 0;
}

/* Write the code of all jobs. */
static void emit_jobs(struct driver *d)
{
  struct tsr_vectors vectors = tsr_target_vectors(d->function);
  bool apart = true, streams = true;
  for (int i = 0; i < d->n_job; i++)
    streams &= d->jobs[i].plan->profit.streams;
  tsr_target_use_vectors(d->function, &d->machine, streams);
  for (int i = 0; i < d->n_job; i++)
    mark_done(&(struct tsr_seq){d->jobs[i].m->nodes, d->jobs[i].m->n_node});
  order_jobs(d);
  /* Last first: what comes earlier in the function is replaced in the code of what comes later. */
  for (int i = d->n_job - 1; i >= 0; i--) {
    tsr_erase_lifetime_markers(d->jobs[i].m->blocks.block, d->jobs[i].m->blocks.n);
    tsr_emit(d->jobs[i].m, d->jobs[i].plan);
  }
  tsr_invariants_undo(&d->invariants);
  bool keeps = tsr_clone_keeps_original(d->clone, d->function, count_tests(d));
  for (int i = 0; i < d->n_job; i++)
    apart &= tsr_emit_finish(d->jobs[i].m, keeps);
  for (int i = 0; i < d->n_job; i++)
    d->jobs[i].m->expansion = tsr_expansion_erase(d->jobs[i].m->expansion);
  if (apart) /* new code has functions of its own, which keep what it asks for */
    tsr_target_set_vectors(d->function, vectors);
}

/* Is what was written a function that can take the original's place? Says so, or why not. */
static bool is_sound(struct driver *d)
{
  char *message = NULL;
  const char *why = NULL;
  bool clear = tsr_invariants_clear(&d->invariants);
  if (!clear || LLVMGetNamedFunction(LLVMGetGlobalParent(d->function), TSR_EXPANDED_BASE))
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
  if (!tsr_seq_has_loop(seq) || tsr_driver_is_too_small(d, seq->nodes, seq->n, true))
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
      tsr_driver_find_invariants(d, loop);
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

/* Bring FUNCTION back as it is if its flat loops have become rows. Did its original change? */
static bool bring_rows(struct driver *d, LLVMValueRef function)
{
  LLVMMetadataRef location;
  char *message = NULL;
  if (!tsr_clone_has_rows(d->clone, function, &location) || !tsr_clone_can_bring_back(d->clone, function))
    return false;
  if (!tsr_verify_function(function, &message)) {
    fprintf(stderr, "tessera: internal error: rows of a flat index are broken, the original is kept: %s\n",
            message ? message : "the verifier refuses them");
    free(message);
    return false;
  }
  tsr_tally_add(&d->tally, tsr_report_rows(d->original, location));
  tsr_analyses_forget(d->a, function);
  tsr_clone_bring_back(d->clone, function, 0);
  return true;
}

/* Discover, emit and bring back what is worth it in FUNCTION, of the clone. Did its original change? */
static bool run_function(struct driver *d, LLVMValueRef function)
{
  bool changed = false;
  unsigned long of_scop = tsr_options_budget(d->opt);
  d->function = function;
  d->original = tsr_clone_original(d->clone, function);
  d->n_scop = d->n_job = 0;
  d->left_function = of_scop ? of_scop + of_scop / 2 : ~0ul;
  d->left_expanded = of_scop ? TIMES_EXPANDED * d->left_function : ~0ul;
  select_machine(d, function);
  d->reported = NULL;
  d->exhausted = NULL;
  tsr_analyses_select(d->a, function);
  if (!d->all && !is_worthwhile(d, function))
    return bring_rows(d, function);
  tsr_clone_simplify_counters(function, d->a, d->all);
  tsr_analyses_select(d->a, function);
  struct tsr_tree *tree = tsr_tree_parse(d->a, function);
  bool candidate = has_candidate(d, tree);
  if (candidate)
    tsr_invariants_find(&d->invariants, d->a, function, NULL);
  if (candidate)
    find_invariants_of(d, tree);
  for (int i = 0; i < tree->n_root; i++)
    tsr_driver_discover(d, &tree->roots[i]);
  if (d->n_job) {
    bool masked = tsr_has_masked(d->a, function, false);
    emit_jobs(d);
    tsr_function_split_exits(function);
    tsr_analyses_forget(d->a, function);
    changed = is_sound(d);
    if (changed && masked) {
      tsr_analyses_select(d->a, function);
      tsr_has_masked(d->a, function, true);
      tsr_analyses_forget(d->a, function);
    }
    if (changed)
      tsr_clone_bring_back(d->clone, function, count_tests(d));
  }
  tsr_invariants_undo(&d->invariants); /* nothing to do if there was something to emit */
  tsr_invariants_clear(&d->invariants);
  for (int i = 0; i < d->n_job; i++) {
    tsr_result_free(d->jobs[i].plan);
    tsr_model_free(d->jobs[i].m);
  }
  tsr_tree_free(tree);
  return changed || (!d->n_job && bring_rows(d, function));
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

/* Has FUNCTION been through the pass, at all or at position WHEN? */
static bool is_finished(LLVMValueRef function, const char *when)
{
  return tsr_fn_has_text_attr(function, finished, "done") || tsr_fn_has_text_attr(function, finished, when);
}

/* FUNCTION has been through the pass, says HOW. */
static void finish(LLVMValueRef function, const char *how)
{
  LLVMContextRef llvm = LLVMGetModuleContext(LLVMGetGlobalParent(function));
  LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                          LLVMCreateStringAttribute(llvm, finished, strlen(finished), how, strlen(how)));
}

/* Tell the host if MODULE is broken. */
static void verify_module(LLVMModuleRef module)
{
  char *message = NULL;
  if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
    tsr_error(module, message);
  LLVMDisposeMessage(message);
}

/* Complain about commands for FUNCTION, whose nests have been looked at, that nobody has obeyed. */
static void check_orders(struct driver *d, LLVMValueRef function)
{
  size_t length;
  char text[1024],
      *place = d->opt->commands ? tsr_commands_place(d->opt->commands, LLVMGetValueName2(function, &length)) : NULL;
  for (int i = 0; i < d->n_order; i++) {
    if (!d->orders[i].done && d->orders[i].left)
      tsr_error(d->module, d->orders[i].left);
    free(d->orders[i].left);
  }
  if ((place || d->annotation) && !d->n_order && !d->commanded) {
    snprintf(text, sizeof(text), "%s: no loop nest of '%s' could be modelled", place ? place : "annotation",
             LLVMGetValueName2(function, &length));
    tsr_error(d->module, text);
  }
  free(place);
  d->n_order = 0;
  d->commanded = false;
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
  d->annotation = tsr_commands_in_source(d->module, original);
  bool done = run_function(d, function);
  check_orders(d, original);
  free(d->annotation);
  d->annotation = NULL;
  finish(original, done ? "done" : when);
  return done;
}

/* Append what became of the module to the file that the options ask for. */
static void write_statistics(struct driver *d)
{
  size_t n;
  unsigned long begin = d->opt->module_budget ? tsr_options_module_budget(d->opt) : ~0ul;
  if (!tsr_tally_append(&d->tally, d->opt->statistics, LLVMGetSourceFileName(d->module, &n), begin - d->left))
    fprintf(stderr, "tessera: can't write %s\n", d->opt->statistics);
}

/* Does someone want to know of all nests, not only of those that change? */
static bool wants_all(const struct tsr_options *opt, LLVMModuleRef module)
{
  LLVMValueRef any = LLVMGetFirstFunction(module);
  return opt->force || opt->gpu || opt->influence || opt->commands || opt->dump || opt->statistics ||
         opt->print != TSR_PRINT_NONE || tsr_commands_are_in_source(module) || (any && tsr_remarks_are_wanted(any));
}

/* Let functions with commands stay out of others in the clone, so that it is they that are transformed, while the clone is
 * prepared (BEGIN), and no longer. */
static void keep_commanded(struct driver *d, bool begin)
{
  const char name[] = "noinline", other[] = "alwaysinline";
  unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof(name) - 1);
  unsigned always = LLVMGetEnumAttributeKindForName(other, sizeof(other) - 1);
  LLVMAttributeIndex all = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
  bool source = tsr_commands_are_in_source(d->module);
  LLVMValueRef f = source || d->opt->commands ? LLVMGetFirstFunction(tsr_clone_module(d->clone)) : NULL;
  for (; f; f = LLVMGetNextFunction(f)) {
    size_t length;
    LLVMValueRef original = tsr_clone_original(d->clone, f);
    char *text = source && original ? tsr_commands_in_source(d->module, original) : NULL;
    char *place = !text && d->opt->commands ? tsr_commands_place(d->opt->commands, LLVMGetValueName2(f, &length)) : NULL;
    if ((text || place) && original && !LLVMGetEnumAttributeAtIndex(original, all, kind) &&
        !LLVMGetEnumAttributeAtIndex(original, all, always)) {
      if (begin)
        LLVMAddAttributeAtIndex(f, all, LLVMCreateEnumAttribute(LLVMGetModuleContext(d->module), kind, 0));
      else
        LLVMRemoveEnumAttributeAtIndex(f, all, kind);
    }
    free(text);
    free(place);
  }
}

/* Put the kernels' code into the module, or say why there is none. */
static void finish_device(struct driver *d)
{
  char *why = d->device ? tsr_device_finish(d->device) : NULL;
  if (why)
    fprintf(stderr, "tessera: no code for a GPU in this file, it uses the CPU: %s\n", why);
  free(why);
}

bool tsr_run(LLVMModuleRef module, const struct tsr_options *opt, enum tsr_when when, tsr_library library)
{
  bool wanted = when == TSR_WHEN_ASKED || opt->position == TSR_POSITION_BOTH ||
                (when == TSR_WHEN_EARLY) == (opt->position == TSR_POSITION_EARLY);
  const char *name = when == TSR_WHEN_EARLY ? "early" : when == TSR_WHEN_LATE ? "late" : "asked";
  if (opt->off || !wanted || !tsr_module_is_supported(module))
    return false;
  struct driver d = {.module = module, .opt = opt, .left = opt->module_budget ? tsr_options_module_budget(opt) : ~0ul};
  d.all = wants_all(opt, module);
  d.clone = tsr_clone_create(module, d.all);
  if (!d.clone)
    return false;
  d.device = opt->gpu && tsr_device_is_possible() ? tsr_device_create(d.clone) : NULL;
  d.a = tsr_analyses_create(library);
  keep_commanded(&d, true);
  char *error = tsr_clone_canonicalise(d.clone, d.a, when != TSR_WHEN_LATE, d.all);
  bool changed = false;
  if (error && d.device)
    tsr_device_finish(d.device);
  if (error) {
    fprintf(stderr, "tessera: internal error: can't prepare the module: %s\n", error);
    free(error);
    tsr_analyses_free(d.a);
    tsr_clone_free(d.clone);
    return false;
  }
  keep_commanded(&d, false);
  d.ctx = isl_ctx_alloc();
  d.answers = tsr_answers_alloc();
  isl_options_set_on_error(d.ctx, ISL_ON_ERROR_CONTINUE);
  LLVMValueRef next;
  for (LLVMValueRef f = LLVMGetFirstFunction(tsr_clone_module(d.clone)); f; f = next) {
    next = LLVMGetNextFunction(f);
    changed |= visit_function(&d, f, name);
  }
  finish_device(&d);
  char *why = changed ? tsr_kept_memory_define(module) : NULL;
  if (why)
    tsr_error(module, why);
  free(why);
  if (changed && opt->verify)
    verify_module(module);
  free(d.jobs);
  free(d.orders);
  tsr_answers_free(d.answers);
  isl_ctx_free(d.ctx);
  tsr_analyses_free(d.a);
  tsr_clone_free(d.clone);
  if (opt->statistics)
    write_statistics(&d);
  return changed;
}
