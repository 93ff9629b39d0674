/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Wavefronts: threads for a band whose loops all carry dependences. B: an outermost permutable band of at least two members,
 * none of them coincident; of tiles if there are some, else of instances.
 *
 *   B(b_0, ..., b_(k-1)) - X   ->   W(b_0 + b_1) - R(b_1, ..., b_(k-1)) - X
 *
 * Every b_i keeps all dependences, so a sum does, and so does R below it. A dependence within one iteration of W changes
 * neither b_0 nor b_1, as no difference is negative and both add up to 0: b_1 is coincident. That is not taken for granted
 * but computed from the dependences, and where no member of R is, B stays. The sum of all members would make all of R
 * coincident, but one loop is enough for threads: the others keep what a thread has in its cache, and the loops of W and R
 * stay simple. */
#include "tree/tree.h"

/* The band at NODE with the sum of its first two members in place of the first one. */
static isl_schedule_node *replace_first(isl_schedule_node *node)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_union_pw_aff *sum =
      isl_union_pw_aff_add(isl_multi_union_pw_aff_get_at(partial, 0), isl_multi_union_pw_aff_get_at(partial, 1));
  partial = isl_multi_union_pw_aff_set_at(partial, 0, sum);
  node = isl_schedule_node_insert_partial_schedule(isl_schedule_node_delete(node), partial);
  return isl_schedule_node_band_set_permutable(node, 1);
}

/* Flag the members of the band at NODE by the dependences DEPS; *N_COINCIDENT: how many are coincident? */
static isl_schedule_node *flag_members(isl_schedule_node *node, isl_union_map *deps, int *n_coincident)
{
  isl_union_map *open = tsr_node_open_dependences(node, deps);
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_size n = isl_schedule_node_band_n_member(node);
  for (int i = 0; i < n; i++) {
    isl_multi_union_pw_aff *member = tsr_member_schedule(partial, i);
    isl_bool coincident = tsr_member_is_coincident(open, member);
    node = isl_schedule_node_band_member_set_coincident(node, i, coincident == isl_bool_true);
    *n_coincident += coincident == isl_bool_true;
    isl_multi_union_pw_aff_free(member);
  }
  isl_multi_union_pw_aff_free(partial);
  isl_union_map_free(open);
  return node;
}

static bool has_coincident_member(isl_schedule_node *band)
{
  isl_size n = isl_schedule_node_band_n_member(band);
  for (int i = 0; i < n; i++)
    if (isl_schedule_node_band_member_get_coincident(band, i) == isl_bool_true)
      return true;
  return false;
}

/* The band at NODE as a wavefront. *DONE: is it? */
static isl_schedule_node *skew_band(isl_schedule_node *node, isl_union_map *deps, bool *done)
{
  isl_size n = isl_schedule_node_band_n_member(node);
  int n_coincident = 0;
  if (n < 2 || isl_schedule_node_band_get_permutable(node) != isl_bool_true)
    return node;
  isl_schedule_node *skewed = isl_schedule_node_band_split(replace_first(isl_schedule_node_copy(node)), 1);
  skewed = isl_schedule_node_parent(flag_members(isl_schedule_node_child(skewed, 0), deps, &n_coincident));
  *done = n_coincident > 0;
  isl_schedule_node_free(*done ? node : skewed);
  return *done ? skewed : node;
}

/* Top down; below a wavefront or a band with a coincident member nothing is skewed. */
static isl_schedule_node *skew_subtree(isl_schedule_node *node, isl_union_map *deps)
{
  bool done = false;
  if (isl_schedule_node_get_type(node) == isl_schedule_node_band) {
    done = has_coincident_member(node);
    node = done ? node : skew_band(node, deps, &done);
  }
  isl_size n = isl_schedule_node_n_children(node);
  for (int i = 0; i < n && !done; i++)
    node = isl_schedule_node_parent(skew_subtree(isl_schedule_node_child(node, i), deps));
  return node;
}

/* requires: flags of SCHEDULE's bands are right.  guarantees: legal if SCHEDULE is; coincident flags of new bands follow
 * from DEPS.  on failure: NULL. */
isl_schedule *tsr_tree_wavefront(isl_schedule *schedule, struct tsr_deps *deps, const struct tsr_options *opt)
{
  if (!opt->parallel)
    return schedule;
  isl_union_map *all = isl_union_map_union(isl_union_map_copy(deps->flow), isl_union_map_copy(deps->anti));
  all = isl_union_map_union(all, isl_union_map_copy(deps->output));
  if (deps->relaxed)
    all = isl_union_map_union(all, isl_union_map_copy(deps->reduction));
  isl_schedule_node *root = skew_subtree(isl_schedule_get_root(schedule), all);
  isl_schedule_free(schedule);
  schedule = isl_schedule_node_get_schedule(root);
  isl_schedule_node_free(root);
  isl_union_map_free(all);
  return schedule;
}
