/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* May panels of a matrix be used from a buffer? With J, the value of the first loop below the mark, which is the outermost
 * one, of N columns each, in that iteration:
 *
 *   own       { S -> A[i, j] } is a subset of { S -> A[i, j] : N J(S) <= j < N J(S) + N } for all accesses: no iteration
 *             needs a panel of another one, so each may be copied when its iteration begins and back when it ends
 *   touched   all elements that are accessed, and
 *   written   those that are written, are all of some rows and columns: what is copied is what is there, and what is copied
 *             back is what the original stores. All of them are accessed for sure */
#include "check/promises.h"
#include <isl/aff.h>
#include <isl/set.h>

#define LINE 64 /* bytes: buffers of panels, one behind the other, share none */

/* The first loop below the mark NODE, { S -> [J] }; NULL: there is none. */
static isl_union_map *panel_loop(isl_schedule_node *node)
{
  isl_union_map *loop = NULL;
  isl_schedule_node *band = isl_schedule_node_get_child(node, 0);
  while (isl_schedule_node_get_type(band) == isl_schedule_node_mark)
    band = isl_schedule_node_child(band, 0);
  if (isl_schedule_node_get_type(band) == isl_schedule_node_band && isl_schedule_node_band_n_member(band) > 0) {
    isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(band);
    isl_multi_union_pw_aff *first = isl_multi_union_pw_aff_reset_tuple_id(tsr_member_schedule(partial, 0), isl_dim_set);
    loop = isl_union_map_from_multi_union_pw_aff(first);
    isl_multi_union_pw_aff_free(partial);
  }
  isl_schedule_node_free(band);
  return loop;
}

/* { [J] -> A[i, j] : N J <= j < N J + N } */
static isl_map *panel_elements(struct tsr_scop *scop, const struct tsr_panel *panel)
{
  isl_space *space = isl_set_get_space(scop->arrays[panel->array].extent);
  isl_multi_aff *element = isl_multi_aff_identity_on_domain_space(space);
  isl_aff *column = isl_multi_aff_get_at(element, 1);
  column = isl_aff_floor(isl_aff_scale_down_ui(column, (unsigned)panel->columns));
  isl_multi_aff_free(element);
  return isl_map_reverse(isl_map_from_aff(column));
}

/* Is each access to PANEL's array, by an instance that runs in iteration J of LOOP, to columns of panel J? */
static isl_bool is_own(struct tsr_scop *scop, const struct tsr_panel *panel, isl_union_map *loop)
{
  isl_bool own = isl_bool_true;
  isl_union_map *allowed =
      isl_union_map_apply_range(isl_union_map_copy(loop), isl_union_map_from_map(panel_elements(scop, panel)));
  for (int s = 0; s < scop->n_stmt; s++)
    for (int k = 0; k < scop->stmts[s].n_access && own == isl_bool_true; k++) {
      const struct tsr_access *access = &scop->stmts[s].access[k];
      if (access->array != panel->array)
        continue;
      isl_map *map = isl_map_intersect_domain(isl_map_copy(access->relation), isl_set_copy(scop->stmts[s].domain));
      isl_union_map *used = isl_union_map_from_map(isl_map_intersect_params(map, tsr_scop_common(scop)));
      own = isl_union_map_is_subset(used, allowed);
      isl_union_map_free(used);
    }
  isl_union_map_free(allowed);
  return own;
}

/* { A[i, j] } that accesses of KINDS touch; NULL: some only may. */
static isl_set *elements(struct tsr_scop *scop, int array, unsigned kinds)
{
  isl_set *all = isl_set_empty(isl_set_get_space(scop->arrays[array].extent));
  for (int s = 0; s < scop->n_stmt; s++)
    for (int k = 0; k < scop->stmts[s].n_access; k++) {
      const struct tsr_access *access = &scop->stmts[s].access[k];
      if (access->array != array || !(kinds >> access->kind & 1))
        continue;
      isl_map *map = isl_map_intersect_domain(isl_map_copy(access->relation), isl_set_copy(scop->stmts[s].domain));
      isl_bool sure = access->maybe || access->kind == TSR_MAY_WRITE ? isl_bool_false : isl_map_is_single_valued(map);
      all = isl_set_union(all, isl_map_range(map));
      if (sure != isl_bool_true)
        return isl_set_free(all);
    }
  return isl_set_coalesce(isl_set_intersect_params(all, tsr_scop_telling(scop)));
}

/* Are ELEMENTS, which may be NULL, all of some rows and columns, each in one piece? */
static isl_bool are_rows_and_columns(__isl_take isl_set *elements)
{
  if (!elements)
    return isl_bool_false;
  isl_set *box = isl_set_universe(isl_set_get_space(elements));
  isl_bool good = isl_bool_true;
  for (int d = 0; d < 2; d++) {
    isl_set *ends = isl_set_coalesce(isl_set_project_out(isl_set_copy(elements), isl_dim_set, 1 - d, 1));
    if (good == isl_bool_true)
      good = isl_bool_ok(tsr_set_is_plain(ends));
    ends = isl_set_insert_dims(ends, isl_dim_set, 1 - d, 1);
    box = isl_set_intersect(box, isl_set_set_tuple_id(ends, isl_set_get_tuple_id(elements)));
  }
  if (good == isl_bool_true)
    good = isl_set_is_subset(box, elements);
  isl_set_free(box);
  isl_set_free(elements);
  return good;
}

const char *tsr_check_panel(struct tsr_scop *scop, isl_schedule_node *node, const struct tsr_panel *panel)
{
  const struct tsr_array *array = &scop->arrays[panel->array];
  if (isl_schedule_node_get_tree_depth(node) != 1)
    return "a panel of an array that isn't above the outermost loops";
  if (scop->no_buffers || array->kind != TSR_ARRAY_MEMORY || array->n_dim != 2 || panel->columns < 1 ||
      (long)panel->columns * array->elem_size % LINE != 0)
    return "a panel of what is no matrix, or not in whole lines";
  isl_union_map *loop = panel_loop(node);
  const char *wrong = NULL;
  if (!loop)
    wrong = "a panel of an array that isn't above the outermost loops";
  else if (is_own(scop, panel, loop) != isl_bool_true)
    wrong = "a panel of an array of which other panels are used, too";
  else if (are_rows_and_columns(elements(scop, panel->array, TSR_READS | TSR_WRITES)) != isl_bool_true ||
           are_rows_and_columns(elements(scop, panel->array, TSR_WRITES)) != isl_bool_true)
    wrong = "a panel of an array whose elements aren't all of some rows and columns";
  isl_union_map_free(loop);
  return wrong;
}
