/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Do the values of SCALAR arrays reach the same readers as before? Where their accesses have changed places, live ranges may
 * have been exchanged, but none may be torn. With flow = { W -> R : R reads what W wrote }, originally:
 *
 *   order      W still runs before R
 *   untorn     no other write runs between them
 *   incoming   a read of the value from before the SCoP runs before all writes
 *   outgoing   the last write is still the last one
 *
 * The flow is carried down the tree, and looked at where the tree splits it. */
#include "check/checker.h"

/* The accesses to one SCALAR array, and what is read where in the original order. */
struct values {
  int array;
  isl_union_set *writes; /* { W[i] } must writes */
  isl_union_set *reads;  /* { R[i] } but those that follow a write of the same instance */
  isl_union_map *flow;   /* { W -> R : R reads what W wrote }, originally */
};

static void values_clear(struct values *values)
{
  isl_union_set_free(values->writes);
  isl_union_set_free(values->reads);
  isl_union_map_free(values->flow);
}

isl_union_set *tsr_exposed_reads(struct tsr_scop *scop, int array)
{
  isl_union_set *reads = isl_union_set_empty_ctx(scop->ctx);
  for (int i = 0; i < scop->n_stmt; i++) {
    struct tsr_stmt *stmt = &scop->stmts[i];
    for (int k = 0; k < stmt->n_access; k++) {
      if (stmt->access[k].array != array)
        continue;
      if (stmt->access[k].kind == TSR_MUST_WRITE)
        break;
      if (stmt->access[k].kind == TSR_READ)
        reads = isl_union_set_add_set(reads, isl_set_copy(stmt->domain));
    }
  }
  return isl_union_set_intersect_params(reads, tsr_scop_common(scop));
}

static isl_union_map *product(isl_union_set *from, isl_union_set *to)
{
  return isl_union_map_from_domain_and_range(isl_union_set_copy(from), isl_union_set_copy(to));
}

isl_union_map *tsr_last_writes(struct tsr_scop *scop, isl_union_set *writes, isl_union_set *reads)
{
  isl_union_map *time = isl_union_map_intersect_domain(isl_schedule_get_map(scop->schedule), isl_union_set_copy(writes));
  isl_union_map *read_write = isl_union_map_reverse(tsr_ordered_pairs(scop, writes, reads));
  isl_union_map *last = isl_union_map_lexmax(isl_union_map_apply_range(read_write, isl_union_map_copy(time)));
  last = isl_union_map_apply_range(last, isl_union_map_reverse(time));
  return isl_union_map_reverse(isl_union_map_coalesce(last));
}

static void values_compute(struct tsr_checker *checker, int array, struct values *values)
{
  values->array = array;
  values->writes = isl_union_map_domain(tsr_checker_accesses(checker, TSR_MUST_WRITES, array));
  values->reads = tsr_exposed_reads(checker->scop, array);
  values->flow = tsr_last_writes(checker->scop, values->writes, values->reads);
}

/* Is there no pair W -> V that runs in this order, or in none, in the tree to check? */
static isl_bool check_none_forward(struct tsr_checker *checker, struct values *values, isl_union_map *pairs,
                                   const char *what)
{
  isl_union_map *forward = tsr_tree_order_forward(checker->root, pairs, true);
  isl_bool none = isl_union_map_is_empty(forward);
  if (none == isl_bool_false)
    return tsr_checker_fail_pair(checker, forward, values->array, what);
  isl_union_map_free(forward);
  return none;
}

/* { W -> V : V not W, in one iteration of all loops of PREFIX }, from the pairs of two sets of instances. */
static isl_union_map *same_iteration(isl_union_set *from, isl_union_set *to, isl_multi_union_pw_aff *prefix)
{
  isl_union_map *pairs = product(from, to);
  if (isl_multi_union_pw_aff_size(prefix) > 0)
    pairs = isl_union_map_eq_at_multi_union_pw_aff(pairs, isl_multi_union_pw_aff_copy(prefix));
  return tsr_without_identity(pairs);
}

/* Does no other write V run between W and R, for all pairs W -> R of FLOW? Their ends, and so V, are below NODE in one
 * iteration of all loops of PREFIX. */
static isl_bool check_untorn(struct tsr_checker *checker, struct values *values, isl_schedule_node *node,
                             __isl_take isl_union_map *flow, isl_multi_union_pw_aff *prefix)
{
  isl_bool none = isl_union_map_is_empty(flow);
  if (none != isl_bool_false) {
    isl_union_map_free(flow);
    return none;
  }
  isl_union_set *sources = isl_union_map_domain(isl_union_map_copy(flow));
  isl_union_set *sinks = isl_union_map_range(isl_union_map_copy(flow));
  isl_union_set *here = isl_union_set_intersect(isl_schedule_node_get_domain(node), isl_union_set_copy(values->writes));
  isl_union_map *after = tsr_tree_order_forward(node, same_iteration(sources, here, prefix), true);
  isl_union_map *ahead = tsr_tree_order_forward(node, same_iteration(here, sinks, prefix), true);
  isl_union_set_free(sources);
  isl_union_set_free(sinks);
  isl_union_set_free(here);
  isl_union_map *torn = isl_union_map_intersect(isl_union_map_apply_range(after, ahead), flow);
  none = isl_union_map_is_empty(torn);
  if (none == isl_bool_false)
    return tsr_checker_fail_pair(checker, torn, values->array, "writes a value that is overwritten before it is read by");
  isl_union_map_free(torn);
  return none;
}

/* The same for the band at NODE: what its members separate is checked, what they leave together comes back in *FLOW. */
static isl_bool check_band_flow(struct tsr_checker *checker, struct values *values, isl_schedule_node *node,
                                isl_union_map **flow)
{
  isl_multi_union_pw_aff *prefix = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(node);
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_size n = isl_multi_union_pw_aff_size(partial);
  isl_bool ok = isl_bool_ok(n >= 0);
  for (int i = 0; i < n && ok == isl_bool_true; i++) {
    isl_multi_union_pw_aff *member = tsr_member_schedule(partial, i);
    isl_union_map *apart =
        isl_union_map_lex_lt_at_multi_union_pw_aff(isl_union_map_copy(*flow), isl_multi_union_pw_aff_copy(member));
    *flow = isl_union_map_eq_at_multi_union_pw_aff(*flow, isl_multi_union_pw_aff_copy(member));
    ok = check_untorn(checker, values, node, apart, prefix);
    prefix = isl_multi_union_pw_aff_flat_range_product(prefix, member);
  }
  isl_multi_union_pw_aff_free(partial);
  isl_multi_union_pw_aff_free(prefix);
  return ok;
}

/* Walk down the tree with those live ranges that are still in one piece; check each where it is split. */
static isl_bool check_flow(struct tsr_checker *checker, struct values *values, isl_schedule_node *node,
                           __isl_take isl_union_map *flow)
{
  isl_bool ok = isl_bool_ok(isl_union_map_is_empty(flow) == isl_bool_false);
  if (ok != isl_bool_true) {
    isl_union_map_free(flow);
    return isl_bool_true;
  }
  if (isl_schedule_node_get_type(node) == isl_schedule_node_band)
    ok = check_band_flow(checker, values, node, &flow);
  isl_size n = isl_schedule_node_n_children(node);
  isl_union_map *apart = isl_union_map_copy(flow);
  for (int i = 0; i < n && ok == isl_bool_true; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(node, i);
    isl_union_map *within = isl_union_map_copy(flow);
    if (isl_schedule_node_get_type(child) == isl_schedule_node_filter) {
      isl_union_set *filter = isl_schedule_node_filter_get_filter(child);
      within = isl_union_map_intersect_domain(within, isl_union_set_copy(filter));
      within = isl_union_map_intersect_range(within, filter);
    }
    apart = isl_union_map_subtract(apart, isl_union_map_copy(within));
    ok = check_flow(checker, values, child, within);
    isl_schedule_node_free(child);
  }
  isl_union_map_free(flow);
  if (ok != isl_bool_true) {
    isl_union_map_free(apart);
    return ok;
  }
  isl_multi_union_pw_aff *prefix = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(node);
  ok = check_untorn(checker, values, node, apart, prefix);
  isl_multi_union_pw_aff_free(prefix);
  return ok;
}

/* Does every write still run before its readers? */
static isl_bool check_flow_order(struct tsr_checker *checker, struct values *values)
{
  isl_union_map *violated = tsr_tree_order_backward(checker->root, isl_union_map_copy(values->flow));
  isl_bool none = isl_union_map_is_empty(violated);
  if (none == isl_bool_false)
    return tsr_checker_fail_pair(checker, violated, values->array, "must write before");
  isl_union_map_free(violated);
  return none;
}

/* Do the reads of the value from before the SCoP still get it? */
static isl_bool check_incoming(struct tsr_checker *checker, struct values *values)
{
  isl_union_set *fed = isl_union_map_range(isl_union_map_copy(values->flow));
  isl_union_set *incoming = isl_union_set_subtract(isl_union_set_copy(values->reads), fed);
  isl_union_map *pairs = tsr_without_identity(product(values->writes, incoming));
  isl_union_set_free(incoming);
  return check_none_forward(checker, values, pairs, "overwrites the incoming value before");
}

/* Does the same write remain the last one? */
static isl_bool check_outgoing(struct tsr_checker *checker, struct values *values)
{
  isl_union_set *overwritten = isl_union_map_domain(tsr_ordered_pairs(checker->scop, values->writes, values->writes));
  isl_union_set *last = isl_union_set_subtract(isl_union_set_copy(values->writes), overwritten);
  isl_union_map *pairs = tsr_without_identity(product(last, values->writes));
  isl_union_set_free(last);
  return check_none_forward(checker, values, pairs, "writes the final value but runs before");
}

/* Do all values of SCALAR array ARRAY reach the same readers in both orders? */
static isl_bool check_values(struct tsr_checker *checker, int array)
{
  struct tsr_array *a = &checker->scop->arrays[array];
  struct values values = {0};
  values_compute(checker, array, &values);
  isl_bool same = check_flow_order(checker, &values);
  if (same == isl_bool_true)
    same = check_flow(checker, &values, checker->root, isl_union_map_copy(values.flow));
  if (same == isl_bool_true && a->live_in)
    same = check_incoming(checker, &values);
  if (same == isl_bool_true && a->live_out)
    same = check_outgoing(checker, &values);
  values_clear(&values);
  return same;
}

/* Is the SCALAR array ARRAY accessed in the same order, or do at least its values stay where they were? */
isl_bool tsr_check_scalar(struct tsr_checker *checker, int array)
{
  isl_union_map *violated = tsr_tree_order_backward(checker->root, tsr_checker_conflicts(checker, array));
  isl_bool same = isl_union_map_is_empty(violated);
  if (same != isl_bool_false) {
    isl_union_map_free(violated);
    return same;
  }
  isl_union_map *may = tsr_checker_accesses(checker, 1u << TSR_MAY_WRITE, array);
  isl_bool exact = isl_union_map_is_empty(may);
  isl_union_map_free(may);
  if (exact != isl_bool_true)
    return tsr_checker_fail_pair(checker, violated, array, "must run before");
  isl_union_map_free(violated);
  return check_values(checker, array);
}
