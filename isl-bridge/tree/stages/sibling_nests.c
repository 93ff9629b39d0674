/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nests that end a pipeline side by side, such as one for each colour, as one nest, so that tiles have them all:
 *
 *   seq(.. A: B(b) - X .. C: B'(b) - Y)  ->  seq(.. .. A + C: B''(b) - seq(A: X, C: Y))
 *
 * Both have the same iterations b, nobody else in the program reads what the first one writes, nobody behind it writes what
 * it touches, but the second one, and that in the same iteration. */
#include "tree/stages/outer_nests.h"
#include <isl/space.h>
#include <stdlib.h>

static bool has_access(const struct tsr_nest *stage, const struct tsr_scop *scop, int array, enum tsr_nest_accesses which)
{
  return (which != TSR_NEST_WRITES && tsr_nest_touches(stage, scop, array, true)) ||
         (which != TSR_NEST_READS && tsr_nest_touches(stage, scop, array, false));
}

/* Do the accesses ONE and OTHER { [b] -> A[e] }, either may be NULL and both are taken, meet nowhere, or if IN_STEP in the
 * same iterations? */
static bool are_apart(__isl_take isl_map *one, __isl_take isl_map *other, bool in_step)
{
  if (!one || !other) {
    isl_map_free(one);
    isl_map_free(other);
    return true;
  }
  isl_map *both = isl_map_apply_range(one, isl_map_reverse(other)); /* { [b] -> [b'] } */
  isl_map *allowed = in_step ? isl_map_identity(isl_map_get_space(both)) : isl_map_empty(isl_map_get_space(both));
  bool apart = isl_map_is_subset(both, allowed) == isl_bool_true;
  isl_map_free(both);
  isl_map_free(allowed);
  return apart;
}

/* May stage A run where C does, as far as ARRAY, which it touches, and stage K go, which is behind it? */
static bool may_pass(const struct tsr_nests *stages, int a, int k, bool in_step, struct tsr_scop *scop, int array)
{
  const struct tsr_nest *first = &stages->stage[a], *other = &stages->stage[k];
  return !has_access(first, scop, array, TSR_NEST_ANY) || !has_access(other, scop, array, TSR_NEST_WRITES) ||
         are_apart(tsr_nest_accesses(first, scop, array, TSR_NEST_ANY),
                   tsr_nest_accesses(other, scop, array, TSR_NEST_WRITES), in_step);
}

/* Does no stage read what stage A writes? */
static bool is_sink(const struct tsr_nests *stages, int a, const struct tsr_scop *scop)
{
  for (int array = 0; array < scop->n_array; array++)
    if (has_access(&stages->stage[a], scop, array, TSR_NEST_WRITES))
      for (int k = 0; k < stages->n; k++)
        if (k != a && has_access(&stages->stage[k], scop, array, TSR_NEST_READS))
          return false;
  return true;
}

/* May stage A run where C, behind it, does? */
static bool may_be_one(const struct tsr_nests *stages, int a, int c, struct tsr_scop *scop)
{
  const struct tsr_nest *first = &stages->stage[a], *last = &stages->stage[c];
  bool good = first->original && last->original && first->n_loop == last->n_loop && is_sink(stages, a, scop) &&
              isl_set_is_equal(first->iterations, last->iterations) == isl_bool_true;
  for (int array = 0; array < scop->n_array && good; array++) {
    good = !has_access(first, scop, array, TSR_NEST_ANY) || scop->arrays[array].kind == TSR_ARRAY_MEMORY;
    for (int k = a + 1; k < stages->n && good; k++)
      good = may_pass(stages, a, k, k == c, scop, array);
  }
  return good;
}

/* What runs below the band of STAGE, as a tree; *ROWS: the band's; *FLAGS: whether it is permutable, and coincident in each
 * member, of what came before and of it. */
static isl_schedule *take_apart(const struct tsr_nest *stage, isl_schedule *tree, isl_multi_union_pw_aff **rows, bool *flags)
{
  isl_schedule *own = tsr_nest_schedule(stage, tree);
  isl_schedule_node *node = isl_schedule_get_root(own);
  isl_schedule_free(own);
  while (node && isl_schedule_node_get_type(node) != isl_schedule_node_band)
    node = isl_schedule_node_child(node, 0);
  *rows = isl_schedule_node_band_get_partial_schedule(node);
  flags[0] &= isl_schedule_node_band_get_permutable(node) == isl_bool_true;
  for (int i = 0; i < stage->n_loop; i++)
    flags[i + 1] &= isl_schedule_node_band_member_get_coincident(node, i) == isl_bool_true;
  node = isl_schedule_node_delete(node);
  own = isl_schedule_node_get_schedule(node);
  isl_schedule_node_free(node);
  return own;
}

/* TREE, of stages A and C, as one nest. */
static isl_schedule *make_one(const struct tsr_nest *a, const struct tsr_nest *c, isl_schedule *tree)
{
  bool flags[TSR_MAX_DIM + 1];
  for (int i = 0; i <= TSR_MAX_DIM; i++)
    flags[i] = true;
  isl_multi_union_pw_aff *rows_a, *rows_c;
  isl_schedule *below_a = take_apart(a, tree, &rows_a, flags), *below_c = take_apart(c, tree, &rows_c, flags);
  isl_schedule *both = isl_schedule_sequence(below_a, below_c);
  rows_a = isl_multi_union_pw_aff_reset_tuple_id(rows_a, isl_dim_set);
  rows_c = isl_multi_union_pw_aff_reset_tuple_id(rows_c, isl_dim_set);
  both = isl_schedule_insert_partial_schedule(both, isl_multi_union_pw_aff_union_add(rows_a, rows_c));
  isl_schedule_node *band = isl_schedule_node_child(isl_schedule_get_root(both), 0);
  isl_schedule_free(both);
  band = isl_schedule_node_band_set_permutable(band, flags[0]);
  for (int i = 0; i < a->n_loop; i++)
    band = isl_schedule_node_band_member_set_coincident(band, i, flags[i + 1]);
  both = isl_schedule_node_get_schedule(band);
  isl_schedule_node_free(band);
  return both;
}

/* TREE with stages A and C as one, in C's place. NULL: there are instances outside of stages, or isl failed. */
static isl_schedule *join(const struct tsr_nests *stages, int a, int c, isl_schedule *tree)
{
  isl_schedule *made = NULL;
  for (int i = 0; i < stages->n; i++) {
    if (i == a)
      continue;
    isl_schedule *own =
        i == c ? make_one(&stages->stage[a], &stages->stage[c], tree) : tsr_nest_schedule(&stages->stage[i], tree);
    made = made ? isl_schedule_sequence(made, own) : own;
  }
  isl_union_set *all = isl_schedule_get_domain(tree), *have = isl_schedule_get_domain(made);
  bool complete = isl_union_set_is_equal(all, have) == isl_bool_true;
  isl_union_set_free(all);
  isl_union_set_free(have);
  return complete ? made : isl_schedule_free(made);
}

struct tsr_program *tsr_nests_join_siblings(struct tsr_program *program)
{
  bool any = true;
  while (program && any) {
    struct tsr_nests stages;
    isl_schedule *made = NULL;
    bool known = tsr_nests_find(&stages, program) == isl_stat_ok;
    for (int c = stages.n - 1; c > 0 && known && !made; c--)
      for (int a = c - 1; a >= 0 && !made; a--)
        if (may_be_one(&stages, a, c, program->scop))
          made = join(&stages, a, c, program->tree);
    tsr_nests_clear(&stages);
    any = made != NULL;
    if (any)
      program = tsr_program_set_tree(program, made);
  }
  return program;
}
