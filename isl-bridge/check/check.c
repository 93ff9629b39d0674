/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The independent legality checker: a walk of the tree, from its root to what marks promise, then proofs of what it leaves
 * in memory.
 *
 *   tree      it runs each instance of the program once: filters share them out, bands place all, nothing else cuts
 *   marks     promise what is so (check_marks.c)
 *   buffers   hold what they stand for (check_buffers.c)
 *   memory    conflicting accesses run in the original order (check_order.c); values of scalars reach the same readers
 *             (check_scalars.c)
 *
 * All of this for parameters in context and assumed only. */
#include "check/checker.h"
#include "check/promises.h"
#include <stdlib.h>

/* Are all of LEFT, instances at NODE, in SEEN, those of its children, by FILTERS? If these take whole statements: all that
 * there might be are in them. */
static isl_bool are_shared_out(isl_schedule_node *node, isl_union_set *left, isl_union_set *seen, isl_union_set *filters)
{
  isl_union_set *all = isl_schedule_node_get_universe_domain(node);
  isl_bool shared = isl_union_set_is_subset(all, filters);
  isl_union_set_free(all);
  return shared == isl_bool_false ? isl_union_set_is_subset(left, seen) : shared;
}

/* Do the children of the sequence or set at NODE share out its instances, each to one? */
static isl_bool check_filters(struct tsr_checker *checker, isl_schedule_node *node)
{
  isl_union_set *left = isl_union_set_intersect_params(isl_schedule_node_get_domain(node), isl_set_copy(checker->known));
  isl_size n = isl_schedule_node_n_children(node);
  isl_bool ok = isl_bool_ok(n >= 0);
  isl_union_set *seen = isl_union_set_empty_ctx(checker->now->ctx), *filters = isl_union_set_copy(seen);
  for (int i = 0; i < n && ok == isl_bool_true; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(node, i);
    isl_union_set *whole = isl_schedule_node_filter_get_filter(child);
    isl_union_set *filter = isl_union_set_intersect(isl_union_set_copy(whole), isl_union_set_copy(left));
    isl_schedule_node_free(child);
    if (isl_union_set_is_disjoint(filter, seen) != isl_bool_true)
      ok = tsr_checker_fail(checker, "some instances are executed by two children of a sequence or set");
    seen = isl_union_set_union(seen, filter);
    filters = isl_union_set_union(filters, whole);
  }
  if (ok == isl_bool_true && are_shared_out(node, left, seen, filters) != isl_bool_true)
    ok = tsr_checker_fail(checker, "some instances are executed by no child of a sequence or set");
  isl_union_set_free(left);
  isl_union_set_free(seen);
  isl_union_set_free(filters);
  return ok;
}

/* Does the filter at NODE, not one of a sequence or set, keep all instances? */
static isl_bool check_lone_filter(struct tsr_checker *checker, isl_schedule_node *node)
{
  enum isl_schedule_node_type parent = isl_schedule_node_get_parent_type(node);
  if (parent == isl_schedule_node_sequence || parent == isl_schedule_node_set)
    return isl_bool_true;
  isl_union_set *domain = isl_union_set_intersect_params(isl_schedule_node_get_domain(node), isl_set_copy(checker->known));
  isl_union_set *filter = isl_schedule_node_filter_get_filter(node);
  isl_bool all = isl_union_set_is_subset(domain, filter);
  isl_union_set_free(domain);
  isl_union_set_free(filter);
  return all == isl_bool_false ? tsr_checker_fail(checker, "a filter drops instances") : all;
}

/* Does the band at NODE place every instance? Most place all that there might be. */
static isl_bool check_band(struct tsr_checker *checker, isl_schedule_node *node)
{
  isl_union_set *domain = isl_schedule_node_get_universe_domain(node);
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_union_set *placed = isl_multi_union_pw_aff_domain(partial);
  isl_bool all = isl_union_set_is_subset(domain, placed);
  if (all == isl_bool_false) {
    isl_union_set_free(domain);
    domain = isl_union_set_intersect_params(isl_schedule_node_get_domain(node), isl_set_copy(checker->known));
    all = isl_union_set_is_subset(domain, placed);
  }
  isl_union_set_free(domain);
  isl_union_set_free(placed);
  return all == isl_bool_false ? tsr_checker_fail(checker, "a band does not place all instances") : all;
}

/* Does a context or guard node restrict the parameters no more than is known? */
static isl_bool check_condition(struct tsr_checker *checker, isl_schedule_node *node)
{
  if (isl_schedule_node_get_schedule_depth(node) != 0)
    return tsr_checker_fail(checker, "a context or guard node below a band is not supported");
  isl_bool context = isl_bool_ok(isl_schedule_node_get_type(node) == isl_schedule_node_context);
  isl_set *set = context ? isl_schedule_node_context_get_context(node) : isl_schedule_node_guard_get_guard(node);
  set = isl_set_params(set);
  isl_set *known = tsr_scop_known(checker->now);
  isl_bool holds = isl_set_is_subset(known, set);
  isl_set_free(known);
  isl_set_free(set);
  return holds == isl_bool_false ? tsr_checker_fail(checker, "a context or guard node assumes what is not known") : holds;
}

static isl_bool check_node(isl_schedule_node *node, void *user)
{
  struct tsr_checker *checker = user;
  switch (isl_schedule_node_get_type(node)) {
  case isl_schedule_node_domain:
  case isl_schedule_node_leaf:
    return isl_bool_true;
  case isl_schedule_node_sequence:
  case isl_schedule_node_set:
    return check_filters(checker, node);
  case isl_schedule_node_filter:
    return check_lone_filter(checker, node);
  case isl_schedule_node_band:
    return check_band(checker, node);
  case isl_schedule_node_context:
  case isl_schedule_node_guard:
    return check_condition(checker, node);
  case isl_schedule_node_mark:
    return tsr_check_mark(checker->program, node, &checker->why);
  case isl_schedule_node_extension:
    return tsr_checker_fail(checker, "extension nodes are not supported");
  case isl_schedule_node_expansion:
    return tsr_checker_fail(checker, "expansion nodes are not supported");
  case isl_schedule_node_error:
    break;
  }
  return isl_bool_error;
}

/* Does the tree start from exactly the instances of the SCoP? */
static isl_bool check_domain(struct tsr_checker *checker)
{
  if (isl_schedule_node_get_type(checker->root) != isl_schedule_node_domain)
    return tsr_checker_fail(checker, "the tree does not start with a domain");
  isl_union_set *expected = isl_union_set_intersect_params(tsr_scop_domain(checker->now), isl_set_copy(checker->known));
  isl_union_set *domain = isl_schedule_node_domain_get_domain(checker->root);
  domain = isl_union_set_intersect_params(domain, isl_set_copy(checker->known));
  isl_bool equal = isl_union_set_is_equal(expected, domain);
  isl_union_set_free(expected);
  isl_union_set_free(domain);
  return equal == isl_bool_false ? tsr_checker_fail(checker, "the tree does not execute exactly the instances of the SCoP")
                                 : equal;
}

/* requires: a well-formed program.  guarantees: isl_bool_true only for programs that leave the same final memory as the
 * original. on failure: isl_bool_error. */
static isl_bool check(struct tsr_program *program, int relaxed, char **why)
{
  bool same = program->scop == program->original;
  struct tsr_scop *scop = program->original;
  struct tsr_checker checker = {
      .program = program, .scop = scop, .now = program->scop, .known = tsr_scop_common(scop), .relaxed = relaxed};
  isl_bool legal = isl_bool_error;
  if (tsr_program_adopt_marks(program) == isl_stat_ok) {
    checker.root = isl_schedule_get_root(same ? program->tree : program->scop->schedule);
    legal = check_domain(&checker);
  }
  if (legal == isl_bool_true)
    legal = isl_schedule_node_every_descendant(checker.root, check_node, &checker);
  const char *wrong = legal == isl_bool_true ? tsr_check_blocks(program->scop, checker.root) : NULL;
  if (wrong)
    legal = tsr_checker_fail(&checker, "%s", wrong);
  if (legal == isl_bool_true && !same) {
    checker.events = tsr_program_events(program, checker.known, &checker.why);
    legal = checker.events ? isl_bool_true : checker.why ? isl_bool_false : isl_bool_error;
  }
  if (legal == isl_bool_true)
    legal = tsr_check_memory(&checker);
  struct tsr_events *events = checker.events;
  checker.events = NULL; /* scalars are used by the original's instances alone */
  for (int i = 0; i < scop->n_array && legal == isl_bool_true; i++)
    if (scop->arrays[i].kind == TSR_ARRAY_SCALAR)
      legal = tsr_check_scalar(&checker, i);
  tsr_events_free(events);
  isl_schedule_node_free(checker.root);
  isl_set_free(checker.known);
  if (why)
    *why = checker.why;
  else
    free(checker.why);
  return legal;
}

isl_bool tsr_check_program(struct tsr_program *program, enum tsr_relaxation relaxed, char **why)
{
  return check(program, relaxed, why);
}

/* SCOP in the order of TREE. */
static isl_bool check_tree(struct tsr_scop *scop, isl_schedule *tree, enum tsr_relaxation relaxed, char **why)
{
  struct tsr_program program = {.ref = 1, .original = scop, .scop = scop, .tree = isl_schedule_copy(tree)};
  isl_bool legal = check(&program, relaxed, why);
  isl_schedule_free(program.tree);
  return legal;
}

isl_bool tsr_check_schedule(struct tsr_scop *scop, isl_schedule *tree, char **why)
{
  return check_tree(scop, tree, TSR_STRICT, why);
}

isl_bool tsr_check_schedule_relaxed(struct tsr_scop *scop, isl_schedule *tree, char **why)
{
  return check_tree(scop, tree, TSR_RELAXED, why);
}

isl_bool tsr_check_schedule_exact(struct tsr_scop *scop, isl_schedule *tree, char **why)
{
  return check_tree(scop, tree, TSR_EXACT, why);
}
