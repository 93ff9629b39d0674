/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which iterations may run at once? With P, the iteration of all loops around a band, and t, that of its own:
 *
 *   writes, all  { [P, t] -> [P, A[e]] }   the footprints of iterations: what instances in them write, or touch
 *   shared       all^-1 . writes = { [P, t] -> [P, t'] : (P, t) writes an element that (P, t') touches }
 *
 *   parallel, vector, lockstep   shared is empty but for t' = t
 *   doacross, t = (p, q)         shared has neither p < p' with q > q', nor p > p' with q < q'
 *
 * A SCALAR array has a copy for each iteration. That is right where its values stay within one:
 *
 *   covered   each read follows, in the tree, a write of its own iteration
 *   inside    no read from outside of the loop gets, in the original order, a value that was written in it
 *
 * Lanes are alike where { [P, t, u] : S runs at time u below the band } has, for each S, P and u, all t or none. */
#include "check/checker.h"
#include "check/promises.h"
#include <isl/space.h>

isl_stat tsr_iterations_init(struct tsr_iterations *it, struct tsr_program *program, isl_schedule_node *node, int n)
{
  *it = (struct tsr_iterations){.scop = program->scop, .original = program->original, .n = n};
  isl_multi_union_pw_aff *own = isl_schedule_node_band_get_partial_schedule(node);
  isl_multi_union_pw_aff *prefix = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(node);
  isl_size n_member = isl_multi_union_pw_aff_size(own), n_around = isl_multi_union_pw_aff_size(prefix);
  it->band = isl_schedule_node_copy(node);
  it->n_around = n_around;
  own = isl_multi_union_pw_aff_drop_dims(own, isl_dim_set, n, n_member - n);
  own = isl_multi_union_pw_aff_reset_tuple_id(own, isl_dim_set);
  it->domain = isl_union_set_intersect_params(isl_schedule_node_get_domain(node), tsr_scop_common(program->scop));
  it->around = isl_schedule_node_get_prefix_schedule_union_map(node);
  it->iteration = n_around > 0 ? isl_multi_union_pw_aff_flat_range_product(prefix, own) : own;
  if (n_around <= 0)
    isl_multi_union_pw_aff_free(prefix);
  it->time = isl_union_map_from_multi_union_pw_aff(isl_multi_union_pw_aff_copy(it->iteration));
  it->time = isl_union_map_intersect_domain(it->time, isl_union_set_copy(it->domain));
  return it->time && it->around && it->domain ? isl_stat_ok : isl_stat_error;
}

isl_stat tsr_iterations_init_rows(struct tsr_iterations *it, struct tsr_program *program, isl_schedule_node *rows,
                                  isl_schedule_node *columns)
{
  isl_stat ok = tsr_iterations_init(it, program, columns, 1);
  it->n_around--;
  it->n++;
  isl_union_map_free(it->around);
  it->around = isl_schedule_node_get_prefix_schedule_union_map(rows);
  return it->around ? ok : isl_stat_error;
}

void tsr_iterations_clear(struct tsr_iterations *it)
{
  isl_schedule_node_free(it->band);
  isl_union_set_free(it->domain);
  isl_union_map_free(it->around);
  isl_multi_union_pw_aff_free(it->iteration);
  isl_union_map_free(it->time);
}

isl_union_map *tsr_iterations_accesses(struct tsr_iterations *it, int array, unsigned kinds)
{
  isl_union_map *all = isl_union_map_empty_ctx(it->scop->ctx);
  for (int i = 0; i < it->scop->n_stmt; i++)
    for (int k = 0; k < it->scop->stmts[i].n_access; k++) {
      const struct tsr_access *access = &it->scop->stmts[i].access[k];
      if (access->array == array && (kinds >> access->kind & 1))
        all = isl_union_map_add_map(all, isl_map_copy(access->relation));
    }
  return isl_union_map_intersect_domain(all, isl_union_set_copy(it->domain));
}

/* ---- MEMORY arrays ---- */

/* { [P, t] -> [P, A[e]] } of ACCESSES { S -> A[e] }, at least one. */
static isl_map *footprint(struct tsr_iterations *it, __isl_take isl_union_map *accesses)
{
  isl_union_map *prefix =
      isl_union_map_intersect_domain(isl_union_map_copy(it->around), isl_union_map_domain(isl_union_map_copy(accesses)));
  accesses = isl_union_map_range_product(prefix, accesses);
  accesses = isl_union_map_apply_domain(accesses, isl_union_map_copy(it->time));
  return isl_map_coalesce(isl_map_from_union_map(accesses));
}

/* Does SHARED { [P, t] -> [P, t'] } have a pair with t_A < t'_A and, if B is not negative, t_B > t'_B? */
static isl_bool has_pair(struct tsr_iterations *it, isl_map *shared, int a, int b)
{
  isl_map *pairs = isl_map_copy(shared);
  pairs = isl_map_order_lt(pairs, isl_dim_in, it->n_around + a, isl_dim_out, it->n_around + a);
  if (b >= 0)
    pairs = isl_map_order_gt(pairs, isl_dim_in, it->n_around + b, isl_dim_out, it->n_around + b);
  isl_bool none = isl_map_is_empty(pairs);
  isl_map_free(pairs);
  return isl_bool_not(none);
}

isl_bool tsr_iterations_share(struct tsr_iterations *it, int array, bool doacross)
{
  isl_union_map *writes = tsr_iterations_accesses(it, array, TSR_WRITES);
  isl_bool unwritten = isl_union_map_is_empty(writes);
  if (unwritten != isl_bool_false) {
    isl_union_map_free(writes);
    return isl_bool_not(unwritten);
  }
  isl_map *written = footprint(it, writes);
  isl_map *touched = footprint(it, tsr_iterations_accesses(it, array, TSR_READS | TSR_WRITES));
  isl_map *shared = isl_map_apply_range(isl_map_copy(written), isl_map_reverse(isl_map_copy(touched)));
  isl_bool share = has_pair(it, shared, 0, doacross ? 1 : -1);
  if (share == isl_bool_false) {
    isl_map *back = isl_map_reverse(shared);
    share = has_pair(it, back, 0, doacross ? 1 : -1);
    shared = back;
  }
  isl_map_free(shared);
  isl_map_free(written);
  isl_map_free(touched);
  return share;
}

/* ---- SCALAR arrays ---- */

/* Does each of READS, below the band, follow a must write to ARRAY in its own iteration? */
static isl_bool is_covered(struct tsr_iterations *it, int array, isl_union_set *reads)
{
  isl_union_set *writes = isl_union_map_domain(tsr_iterations_accesses(it, array, TSR_MUST_WRITES));
  isl_union_map *pairs = isl_union_map_from_domain_and_range(writes, isl_union_set_copy(reads));
  pairs = tsr_pairs_at_once(pairs, isl_multi_union_pw_aff_copy(it->iteration));
  isl_union_set *fed = isl_union_map_range(tsr_tree_order_forward(it->band, pairs, false));
  isl_union_set *others = isl_union_set_subtract(isl_union_set_copy(reads), fed);
  isl_bool covered = isl_union_set_is_empty(others);
  if (covered == isl_bool_false) { /* by all that is known? */
    others = isl_union_set_intersect_params(others, tsr_scop_known(it->scop));
    covered = isl_union_set_is_empty(others);
  }
  isl_union_set_free(others);
  return covered;
}

/* Does none of READS, outside of the loop, get a value that it writes to ARRAY, in the original order? A may write lets the
 * value before it through: then nothing that comes before a read may be written in the loop. */
static isl_bool is_inside(struct tsr_iterations *it, int array, isl_union_set *reads)
{
  isl_union_set *all = isl_union_set_empty_ctx(it->scop->ctx);
  bool exact = true;
  for (int i = 0; i < it->original->n_stmt; i++)
    for (int k = 0; k < it->original->stmts[i].n_access; k++) {
      const struct tsr_access *access = &it->original->stmts[i].access[k];
      if (access->array != array || access->kind == TSR_READ)
        continue;
      exact &= access->kind == TSR_MUST_WRITE;
      all = isl_union_set_add_set(all, isl_set_copy(it->original->stmts[i].domain));
    }
  all = isl_union_set_intersect_params(all, tsr_scop_common(it->scop));
  isl_union_map *flow = exact ? tsr_last_writes(it->original, all, reads) : tsr_ordered_pairs(it->original, all, reads);
  isl_union_set *sources = isl_union_map_domain(flow);
  isl_bool none = isl_union_set_is_disjoint(sources, it->domain);
  isl_union_set_free(sources);
  isl_union_set_free(all);
  return none;
}

isl_bool tsr_iterations_keep_scalar(struct tsr_iterations *it, int array)
{
  const struct tsr_array *a = &it->scop->arrays[array];
  isl_union_map *writes = tsr_iterations_accesses(it, array, TSR_WRITES);
  isl_bool keep = isl_union_map_is_empty(writes);
  isl_union_map_free(writes);
  if (keep != isl_bool_false)
    return keep;
  if (a->n_dim > 0 || a->live_out)
    return isl_bool_false;
  isl_union_set *reads = tsr_exposed_reads(it->scop, array);
  isl_union_set *within = isl_union_set_intersect(isl_union_set_copy(reads), isl_union_set_copy(it->domain));
  reads = isl_union_set_subtract(reads, isl_union_set_copy(it->domain));
  keep = isl_union_set_is_empty(within);
  if (keep == isl_bool_false)
    keep = is_covered(it, array, within);
  isl_bool unread = isl_union_set_is_empty(reads);
  if (keep == isl_bool_true && unread != isl_bool_true)
    keep = unread < 0 ? isl_bool_error : is_inside(it, array, reads);
  isl_union_set_free(within);
  isl_union_set_free(reads);
  return keep;
}

/* ---- lanes ---- */

/* What is_alike works on. */
struct lanes {
  int pos, n;
  bool alike;
};

/* Does MAP { S -> [P, t, u] } have, for each P and u, all of t = 0 .. n - 1, or none? */
static isl_stat are_all_there(isl_map *map, void *user)
{
  struct lanes *lanes = user;
  isl_set *times = isl_set_coalesce(isl_map_range(map));
  isl_set *all = isl_set_project_out(isl_set_copy(times), isl_dim_set, lanes->pos, 1);
  all = isl_set_insert_dims(all, isl_dim_set, lanes->pos, 1);
  all = isl_set_lower_bound_si(all, isl_dim_set, lanes->pos, 0);
  all = isl_set_upper_bound_si(all, isl_dim_set, lanes->pos, lanes->n - 1);
  isl_bool equal = isl_set_is_equal(all, times);
  lanes->alike &= equal == isl_bool_true;
  isl_set_free(all);
  isl_set_free(times);
  return equal < 0 ? isl_stat_error : isl_stat_ok;
}

isl_bool tsr_iterations_are_alike(struct tsr_iterations *it, int n)
{
  struct lanes lanes = {.pos = it->n_around, .n = n, .alike = true};
  isl_schedule_node *below = isl_schedule_node_get_child(it->band, 0);
  isl_union_map *inside = isl_schedule_node_get_subtree_schedule_union_map(below);
  isl_union_map *times = isl_union_map_flat_range_product(isl_union_map_copy(it->time), inside);
  isl_stat ok = isl_union_map_foreach_map(times, are_all_there, &lanes);
  isl_union_map_free(times);
  isl_schedule_node_free(below);
  return ok < 0 ? isl_bool_error : isl_bool_ok(lanes.alike);
}
