/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Panels become arrays: what the mark of a tree says is made so, before it is checked. J, k: the loops over panels and
 * steps.
 *
 *   mark "panel of A, N columns" - D(J, k) - X
 *   ->  D(J) - mark "allocate A_buffer" - seq(load A, D(k) - X', store A)         see cached_arrays.c
 *
 *   mark "panel of A, N columns" - mark "doacross" - D(J, k) - X
 *   ->  mark "doacross" - D(J) - mark "allocate A_buffer" - seq(load A, mark "steps" - D(k) - X', store A)
 *
 * In the second form moves are in no step: no other iteration of J touches what they move, so nobody waits for them.
 *
 * A must be used by iteration J in columns N * J <= j < N * J + N alone, for sure wherever it is. Otherwise the tree is
 * right as it is, with A where it is: the mark says no more than that somebody wished for this. */
#include "access/access.h"
#include "tree/cached_arrays.h"
#include "tree/tree.h"
#include <isl/aff.h>
#include <isl/map.h>
#include <stdlib.h>

/* { [J] -> A[i, .., j] : N J <= j < N J + N } */
static isl_map *elements_of(struct tsr_scop *scop, const struct tsr_panel *panel)
{
  const struct tsr_array *array = &scop->arrays[panel->array];
  isl_multi_aff *element = isl_multi_aff_identity_on_domain_space(isl_set_get_space(array->extent));
  isl_aff *column = isl_multi_aff_get_at(element, array->n_dim - 1);
  isl_multi_aff_free(element);
  column = isl_aff_floor(isl_aff_scale_down_ui(column, (unsigned)panel->columns));
  return isl_map_reverse(isl_map_from_aff(column));
}

/* Is each access to PANEL's array for sure, to one element of the panel J that LOOP { S -> [J] } says? */
static bool is_own(struct tsr_scop *scop, const struct tsr_panel *panel, isl_union_map *loop)
{
  isl_union_map *own = isl_union_map_apply_range(isl_union_map_copy(loop), isl_union_map_from_map(elements_of(scop, panel)));
  isl_bool good = isl_bool_true;
  for (int s = 0; s < scop->n_stmt; s++)
    for (int k = 0; k < scop->stmts[s].n_access && good == isl_bool_true; k++) {
      const struct tsr_access *access = &scop->stmts[s].access[k];
      if (access->array != panel->array)
        continue;
      isl_map *map = isl_map_intersect_domain(isl_map_copy(access->relation), isl_set_copy(scop->stmts[s].domain));
      map = isl_map_intersect_params(map, tsr_scop_common(scop));
      good = access->maybe || access->kind == TSR_MAY_WRITE ? isl_bool_false : isl_map_is_single_valued(map);
      isl_union_map *used = isl_union_map_from_map(map);
      if (good == isl_bool_true)
        good = isl_union_map_is_subset(used, own);
      isl_union_map_free(used);
    }
  isl_union_map_free(own);
  return good == isl_bool_true;
}

/* Below the mark NODE, which goes: the loop over steps, alone, with its mark if there is one, below that over panels. NULL:
 * there are none. */
static isl_schedule_node *find_steps(__isl_take isl_schedule_node *node, struct tsr_scop *scop)
{
  bool doacross = false;
  node = isl_schedule_node_delete(node);
  while (isl_schedule_node_get_type(node) == isl_schedule_node_mark) {
    doacross |= tsr_node_is_mark(node, TSR_MARK_DOACROSS);
    node = isl_schedule_node_child(node, 0);
  }
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band || isl_schedule_node_band_n_member(node) < 1 + doacross)
    return isl_schedule_node_free(node);
  if (isl_schedule_node_band_n_member(node) > 1)
    node = isl_schedule_node_band_split(node, 1);
  node = isl_schedule_node_child(node, 0);
  return doacross ? tsr_mark_insert(node, scop, &(struct tsr_mark){.kind = TSR_MARK_STEPS}) : node;
}

/* SCOP in the order of TREE, whose marks are known, with the panels of PANEL's array as one. NULL: that can't be. */
static struct tsr_program *make_array(struct tsr_scop *scop, isl_schedule *tree, const struct tsr_panel *panel)
{
  struct tsr_program *program = NULL;
  isl_schedule_node *root = isl_schedule_get_root(tree), *node = find_steps(isl_schedule_node_child(root, 0), scop);
  isl_union_map *loop = isl_schedule_node_get_prefix_schedule_union_map(node);
  if (node && is_own(scop, panel, loop)) {
    program = tsr_program_alloc(scop, isl_schedule_node_get_schedule(node));
    program = tsr_program_cache(program, node, panel->array, TSR_SPACE_HEAP, NULL);
  }
  isl_union_map_free(loop);
  isl_schedule_node_free(node);
  return program;
}

/* requires: a tree over SCOP's domain without extensions.  on failure: NULL, with isl's error where that is why. */
struct tsr_program *tsr_tree_panel_array(struct tsr_scop *scop, isl_schedule *tree)
{
  struct tsr_panel panel;
  struct tsr_program *program = NULL;
  tree = tsr_tree_adopt_marks(isl_schedule_copy(tree), scop);
  isl_schedule_node *root = isl_schedule_get_root(tree), *node = isl_schedule_node_child(root, 0);
  if (!scop->no_buffers && !scop->no_panels && tsr_mark_panel(tsr_node_mark(node), scop, &panel) &&
      scop->arrays[panel.array].kind == TSR_ARRAY_MEMORY && scop->arrays[panel.array].n_dim > 0)
    program = make_array(scop, tree, &panel);
  isl_schedule_node_free(node);
  isl_schedule_free(tree);
  return program;
}

static isl_schedule_node *drop_threads(isl_schedule_node *node, void *user)
{
  (void)user;
  bool is = tsr_node_is_for_threads(node) || tsr_node_is_mark(node, TSR_MARK_STEPS);
  return is ? isl_schedule_node_delete(node) : node;
}

/* TREE for one thread. */
static isl_schedule *without_threads(isl_schedule *tree)
{
  return isl_schedule_map_schedule_node_bottom_up(isl_schedule_copy(tree), drop_threads, NULL);
}

struct tsr_program *tsr_panel_array_alone(struct tsr_program *program, isl_schedule *with, isl_schedule *tree)
{
  isl_schedule *alone = without_threads(with);
  bool same = isl_schedule_plain_is_equal(alone, tree) == isl_bool_true;
  isl_schedule_free(alone);
  return same ? tsr_program_set_tree(tsr_program_copy(program), without_threads(program->tree)) : NULL;
}
