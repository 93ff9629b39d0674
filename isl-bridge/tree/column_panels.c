/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Panels: blocks of another direction around a nest whose outermost loop carries dependences. In the form of factorisations
 * by columns, where step k changes all columns behind it:
 *
 *   for k                            for panels J of columns
 *     column k is done                 for blocks of steps
 *     for j > k            ->            for k
 *       for i                              if k in J: column k is done
 *         A[i][j] -= ..                    for j > k in J: ..
 *
 * B(k): the outermost band, X: what is below, r: a row that no dependence goes against, p and s sizes.
 *
 *   B(k) - X   ->   D(r / p, k / s) - B(k) - X
 *
 * X keeps its order within a panel, and no instance needs one of a later panel. What step k touches of a panel stays in the
 * second cache for the next one ("left-looking", as opposed to "right-looking": J. Dongarra et al., "Numerical linear
 * algebra for high-performance computers", SIAM 1998, section 5.4). Threads can share the panels as a doacross loop: panel J
 * waits, block of steps by block of steps, for the one before.
 *
 * r comes from a schedule that fuses all statements: a member of its outermost band in another direction than k. Panels for
 * threads alone may also be blocks of the columns of the result, such as those of dynamic programming: then r is an iterator
 * of the original loops.
 *
 * An array of which a panel holds whole columns, A[i][j] with j / p = J for all accesses, gets a mark:
 *
 *   D - ..   ->   mark "panel of A, 64 columns" - D - ..
 *
 * Panel J of A is moved to an array of its own before its first step and back behind its last one, and is used there
 * (panel_arrays.c): its rows follow each other, as they don't in A, where each is in a page of its own, and where what is
 * fetched ahead of one row belongs to another panel, of another thread as a rule. Nobody else touches the panel meanwhile:
 * its elements have no other J. */
#include "tree/tree.h"
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* Columns of a panel: as many as some vectors have lanes, so that few of them are cut off; few enough for long columns to
 * fit into the second cache. Steps of a block: what a thread does before it tells others. */
#define COLUMNS 64
#define STEPS 16

/* Where panels are there for threads alone, innermost loops should be long. */
#define COLUMNS_OF_THREADS 256

/* The members of SCHEDULE's outermost band, around all statements, which is PERMUTABLE as asked, or else carries
 * dependences; NULL: there is none. */
static isl_multi_union_pw_aff *outermost(isl_schedule *schedule, bool permutable)
{
  isl_multi_union_pw_aff *rows = NULL;
  isl_schedule_node *root = isl_schedule_get_root(schedule), *node = isl_schedule_node_child(root, 0);
  if (isl_schedule_node_get_type(node) == isl_schedule_node_band &&
      (permutable ? isl_schedule_node_band_get_permutable(node) == isl_bool_true
                  : isl_schedule_node_band_member_get_coincident(node, 0) == isl_bool_false))
    rows = isl_schedule_node_band_get_partial_schedule(node);
  isl_schedule_node_free(node);
  return rows;
}

/* What ROWS has for STMT. */
static isl_pw_aff *row_of(isl_union_pw_aff *rows, struct tsr_stmt *stmt)
{
  isl_space *space = isl_space_align_params(isl_set_get_space(stmt->domain), isl_union_pw_aff_get_space(rows));
  return isl_union_pw_aff_extract_pw_aff(rows, isl_space_add_dims(isl_space_from_domain(space), isl_dim_out, 1));
}

/* The first statement with the most loops. */
static struct tsr_stmt *deepest(struct tsr_scop *scop)
{
  struct tsr_stmt *found = NULL;
  for (int s = 0; s < scop->n_stmt; s++)
    if (!found || isl_set_dim(scop->stmts[s].domain, isl_dim_set) > isl_set_dim(found->domain, isl_dim_set))
      found = &scop->stmts[s];
  return found;
}

/* Does ROW have one value only for each value of STEP, or STEP for each of ROW, in the instances of STMT? */
static bool is_along(isl_union_pw_aff *row, isl_union_pw_aff *step, struct tsr_stmt *stmt)
{
  isl_map *from = isl_map_intersect_domain(isl_map_from_pw_aff(row_of(step, stmt)), isl_set_copy(stmt->domain));
  isl_map *values = isl_map_apply_range(isl_map_reverse(from), isl_map_from_pw_aff(row_of(row, stmt)));
  isl_bool along = isl_map_is_single_valued(values);
  if (along == isl_bool_false)
    along = isl_map_is_injective(values);
  isl_map_free(values);
  return along != isl_bool_false;
}

/* Of the members ROWS of a permutable band, one with another direction than STEP for STMT; NULL: there is none. */
static isl_union_pw_aff *other_row(isl_multi_union_pw_aff *rows, isl_union_pw_aff *step, struct tsr_stmt *stmt)
{
  isl_union_pw_aff *other = NULL;
  isl_size n = isl_multi_union_pw_aff_size(rows);
  for (int i = 0; i < n && !other; i++) {
    isl_union_pw_aff *row = isl_multi_union_pw_aff_get_at(rows, i);
    if (is_along(row, step, stmt))
      isl_union_pw_aff_free(row);
    else
      other = row;
  }
  return other;
}

/* All loops fused that can be. Asked for the best tree, the original order and threads alike. */
static isl_schedule *fuse_all(struct tsr_scop *scop, struct tsr_deps *deps)
{
  struct tsr_options opt = {.strategy = TSR_STRATEGY_MAXFUSE};
  if (deps->fused)
    return isl_schedule_copy(deps->fused);
  isl_schedule *fused = tsr_schedule_compute(scop, deps, &opt, NULL, NULL);
  if (isl_ctx_last_error(scop->ctx) == isl_error_none)
    deps->fused = isl_schedule_copy(fused);
  return fused;
}

/* The direction of panels around TREE's outermost loop STEP; NULL: there is none. */
static isl_union_pw_aff *find_direction(isl_union_pw_aff *step, struct tsr_scop *scop, struct tsr_deps *deps)
{
  isl_schedule *fused = fuse_all(scop, deps);
  isl_multi_union_pw_aff *rows = fused ? outermost(fused, true) : NULL;
  isl_union_pw_aff *direction = rows ? other_row(rows, step, deepest(scop)) : NULL;
  isl_multi_union_pw_aff_free(rows);
  isl_schedule_free(fused);
  return direction;
}

/* The pairs of DEPS that go against ROWS. */
static isl_union_map *backward(struct tsr_deps *deps, isl_union_pw_aff *rows)
{
  isl_union_map *all = isl_union_map_union(isl_union_map_copy(deps->flow), isl_union_map_copy(deps->anti));
  all = isl_union_map_union(all, isl_union_map_copy(deps->output));
  all = isl_union_map_union(all, isl_union_map_copy(deps->scalar));
  return isl_union_map_lex_gt_at_multi_union_pw_aff(all,
                                                    isl_multi_union_pw_aff_from_union_pw_aff(isl_union_pw_aff_copy(rows)));
}

/* { S[i] -> i_D }, the same iterator of all statements of SCOP; NULL where one hasn't so many. */
static isl_union_pw_aff *iterator(struct tsr_scop *scop, int d)
{
  isl_union_pw_aff *rows = isl_union_pw_aff_empty(isl_space_params_alloc(scop->ctx, 0));
  for (int s = 0; s < scop->n_stmt && rows; s++) {
    isl_space *space = isl_set_get_space(scop->stmts[s].domain);
    bool has = d < (int)isl_space_dim(space, isl_dim_set);
    isl_aff *aff = has ? isl_aff_var_on_domain(isl_local_space_from_space(space), isl_dim_set, d) : NULL;
    isl_space_free(has ? NULL : space);
    rows = has ? isl_union_pw_aff_union_add(rows, isl_union_pw_aff_from_aff(aff)) : isl_union_pw_aff_free(rows);
  }
  return rows;
}

/* An iterator that no dependence goes against, and that of the deepest statement is the row STEP, or isn't, as SAME says;
 * NULL: there is none. */
static isl_union_pw_aff *find_iterator(isl_union_pw_aff *step, struct tsr_scop *scop, struct tsr_deps *deps, bool same)
{
  struct tsr_stmt *stmt = deepest(scop);
  isl_union_pw_aff *found = NULL;
  isl_pw_aff *own = stmt ? row_of(step, stmt) : NULL;
  for (int d = 0; own && d < (int)isl_set_dim(stmt->domain, isl_dim_set) && !found; d++) {
    isl_union_pw_aff *rows = iterator(scop, d);
    isl_pw_aff *its = rows ? row_of(rows, stmt) : NULL;
    isl_bool is = its ? isl_pw_aff_is_equal(its, own) : isl_bool_error;
    isl_union_map *wrong = is == isl_bool_ok(same) ? backward(deps, rows) : NULL;
    if (wrong && isl_union_map_is_empty(wrong) == isl_bool_true)
      found = isl_union_pw_aff_copy(rows);
    isl_union_map_free(wrong);
    isl_pw_aff_free(its);
    isl_union_pw_aff_free(rows);
  }
  isl_pw_aff_free(own);
  return found;
}

/* The direction of panels for threads, by iterators; NULL: there is none. *STEP becomes the iterator that it is of the
 * deepest statement: other statements may all be at its first step, from where isl would take them out of all loops. */
static isl_union_pw_aff *find_directions(isl_union_pw_aff **step, struct tsr_scop *scop, struct tsr_deps *deps)
{
  isl_union_pw_aff *spread = find_iterator(*step, scop, deps, true);
  isl_union_pw_aff *direction = spread ? find_iterator(*step, scop, deps, false) : NULL;
  isl_union_pw_aff_free(direction ? *step : spread);
  *step = direction ? spread : *step;
  return direction;
}

/* ---- panels of an array ---- */

#define LINE 64 /* bytes */

/* The column of ACCESS, of STMT, to a matrix: its last subscript. NULL: it isn't one. */
static isl_pw_aff *column_of(struct tsr_stmt *stmt, struct tsr_access *access)
{
  isl_map *map = isl_map_intersect_domain(isl_map_copy(access->relation), isl_set_copy(stmt->domain));
  isl_pw_aff *column = NULL;
  if (isl_map_dim(map, isl_dim_out) == 2 && isl_map_is_single_valued(map) == isl_bool_true) {
    isl_pw_multi_aff *element = isl_pw_multi_aff_from_map(isl_map_copy(map));
    column = isl_pw_aff_gist(isl_pw_multi_aff_get_pw_aff(element, 1), isl_set_copy(stmt->domain));
    isl_pw_multi_aff_free(element);
  }
  isl_map_free(map);
  return column;
}

/* All elements of ARRAY that are touched, or written if WRITTEN; NULL: not known for sure. */
static isl_set *elements_of(struct tsr_scop *scop, int array, bool written)
{
  isl_set *all = NULL;
  for (int s = 0; s < scop->n_stmt; s++)
    for (int i = 0; i < scop->stmts[s].n_access; i++) {
      struct tsr_access *access = &scop->stmts[s].access[i];
      if (access->array != array || (written && access->kind == TSR_READ))
        continue;
      if (access->kind == TSR_MAY_WRITE || access->maybe)
        return isl_set_free(all);
      isl_map *map = isl_map_intersect_domain(isl_map_copy(access->relation), isl_set_copy(scop->stmts[s].domain));
      isl_set *set = isl_map_range(map);
      all = all ? isl_set_union(all, set) : set;
    }
  return all ? isl_set_coalesce(isl_set_intersect_params(all, tsr_scop_telling(scop))) : NULL;
}

/* Are ELEMENTS { A[i, j] } all of some rows and columns that follow each other? */
static bool is_box(isl_set *elements)
{
  isl_set *plain = isl_set_reset_tuple_id(isl_set_copy(elements));
  isl_set *row = isl_set_coalesce(isl_set_project_out(isl_set_copy(plain), isl_dim_set, 1, 1));
  isl_set *column = isl_set_coalesce(isl_set_project_out(isl_set_copy(plain), isl_dim_set, 0, 1));
  bool good = tsr_set_is_plain(row) && tsr_set_is_plain(column);
  isl_set *box =
      isl_set_intersect(isl_set_insert_dims(row, isl_dim_set, 1, 1), isl_set_insert_dims(column, isl_dim_set, 0, 1));
  good = good && isl_set_is_equal(box, plain) == isl_bool_true;
  isl_set_free(box);
  isl_set_free(plain);
  return good;
}

/* One affine expression, whatever the parameters? */
static bool is_affine(isl_pw_aff *value)
{
  return value && isl_pw_aff_n_piece(value) == 1;
}

/* Are the elements of PANEL's array that are touched, or written if WRITTEN, all between some first and last subscripts,
 * each of them one affine expression? */
static bool is_simple(struct tsr_scop *scop, const struct tsr_panel *panel, bool written)
{
  isl_set *elements = elements_of(scop, panel->array, written);
  bool good = elements && is_box(elements);
  for (int d = 0; d < 2 && good; d++) {
    isl_pw_aff *first = isl_set_dim_min(isl_set_copy(elements), d), *last = isl_set_dim_max(isl_set_copy(elements), d);
    good = is_affine(first) && is_affine(last);
    isl_pw_aff_free(first);
    isl_pw_aff_free(last);
  }
  isl_set_free(elements);
  return good;
}

static bool can_hold(struct tsr_scop *scop, const struct tsr_panel *panel)
{
  const struct tsr_array *array = &scop->arrays[panel->array];
  return !scop->no_buffers && array->kind == TSR_ARRAY_MEMORY && array->n_dim == 2 &&
         panel->columns * array->elem_size % LINE == 0 && is_simple(scop, panel, false) && is_simple(scop, panel, true);
}

/* ROW of STMT, in units of its own: COLUMN, if both differ by a constant. Takes both, which may be NULL. */
static isl_pw_aff *aligned(__isl_take isl_pw_aff *row, __isl_take isl_pw_aff *column)
{
  isl_pw_aff *distance = isl_pw_aff_coalesce(isl_pw_aff_sub(isl_pw_aff_copy(column), row));
  bool good = distance && isl_pw_aff_n_piece(distance) == 1 && isl_pw_aff_is_cst(distance) == isl_bool_true;
  isl_pw_aff_free(distance);
  return good ? column : isl_pw_aff_free(column);
}

/* The row of DIRECTION for STMT in units of columns of ARRAY, or as it is if STMT doesn't use that; NULL: it can't be. */
static isl_pw_aff *align_stmt(isl_union_pw_aff *direction, struct tsr_stmt *stmt, int array)
{
  isl_pw_aff *row = row_of(direction, stmt), *all = NULL;
  bool good = true, any = false;
  for (int i = 0; i < stmt->n_access && good; i++) {
    if (stmt->access[i].array != array)
      continue;
    isl_pw_aff *column = column_of(stmt, &stmt->access[i]);
    good = column && (!all || isl_pw_aff_is_equal(column, all) == isl_bool_true);
    any = true;
    isl_pw_aff_free(all);
    all = column;
  }
  if (!any)
    return row;
  if (good)
    return aligned(row, all);
  isl_pw_aff_free(row);
  return isl_pw_aff_free(all);
}

static bool uses(struct tsr_stmt *stmt, int array)
{
  bool any = false;
  for (int i = 0; i < stmt->n_access; i++)
    any |= stmt->access[i].array == array;
  return any;
}

/* ROWS with those of STMT moved by DISTANCE. */
static isl_union_pw_aff *move(__isl_take isl_union_pw_aff *rows, struct tsr_stmt *stmt, __isl_take isl_val *distance)
{
  isl_pw_aff *row = row_of(rows, stmt);
  isl_set *domain = isl_set_universe(isl_pw_aff_get_domain_space(row));
  row = isl_pw_aff_add(row, isl_pw_aff_val_on_domain(domain, distance));
  isl_union_set *all = isl_union_set_from_set(isl_set_universe(isl_set_get_space(stmt->domain)));
  rows = isl_union_pw_aff_subtract_domain(rows, all);
  return isl_union_pw_aff_union_add(rows, isl_union_pw_aff_from_pw_aff(row));
}

/* How far ROWS are from DIRECTION for STMT; NULL: not by a constant. */
static isl_val *distance_of(isl_union_pw_aff *rows, isl_union_pw_aff *direction, struct tsr_stmt *stmt)
{
  isl_pw_aff *distance = isl_pw_aff_coalesce(isl_pw_aff_sub(row_of(rows, stmt), row_of(direction, stmt)));
  if (!distance || isl_pw_aff_n_piece(distance) != 1 || isl_pw_aff_is_cst(distance) != isl_bool_true) {
    isl_pw_aff_free(distance);
    return NULL;
  }
  isl_aff *constant = isl_pw_aff_as_aff(distance);
  isl_val *value = isl_aff_get_constant_val(constant);
  isl_aff_free(constant);
  return value;
}

/* ROWS, in units of columns of ARRAY where that is used, with those of the other statements moved by DISTANCE, too, so that
 * loops over columns begin together; but not where something needs a statement earlier. NULL: there are dependences
 * against any. */
static isl_union_pw_aff *move_others(__isl_take isl_union_pw_aff *rows, struct tsr_scop *scop, struct tsr_deps *deps,
                                     int array, __isl_take isl_val *distance)
{
  bool *moved = calloc(scop->n_stmt + 1, sizeof(*moved)), monotone = false;
  for (int s = 0; s < scop->n_stmt && moved; s++)
    if (!uses(&scop->stmts[s], array)) {
      rows = move(rows, &scop->stmts[s], isl_val_copy(distance));
      moved[s] = true;
    }
  for (bool changed = moved != NULL; changed && !monotone;) {
    isl_union_map *wrong = backward(deps, rows);
    isl_union_set *from = isl_union_map_domain(isl_union_map_copy(wrong));
    monotone = isl_union_map_is_empty(wrong) == isl_bool_true;
    changed = false;
    for (int s = 0; s < scop->n_stmt && !monotone; s++) {
      isl_set *its = isl_union_set_extract_set(from, isl_set_get_space(scop->stmts[s].domain));
      bool back = moved[s] && isl_set_is_empty(its) == isl_bool_false;
      isl_set_free(its);
      if (back)
        rows = move(rows, &scop->stmts[s], isl_val_neg(isl_val_copy(distance)));
      moved[s] &= !back;
      changed |= back;
    }
    isl_union_set_free(from);
    isl_union_map_free(wrong);
  }
  free(moved);
  isl_val_free(distance);
  return monotone ? rows : isl_union_pw_aff_free(rows);
}

/* DIRECTION in units of the columns of ARRAY; NULL if that is impossible. */
static isl_union_pw_aff *align_to(isl_union_pw_aff *direction, struct tsr_scop *scop, struct tsr_deps *deps, int array)
{
  isl_union_pw_aff *rows = isl_union_pw_aff_empty(isl_union_pw_aff_get_space(direction));
  for (int s = 0; s < scop->n_stmt && rows; s++) {
    isl_pw_aff *row = align_stmt(direction, &scop->stmts[s], array);
    rows = row ? isl_union_pw_aff_union_add(rows, isl_union_pw_aff_from_pw_aff(row)) : isl_union_pw_aff_free(rows);
  }
  isl_val *distance = rows ? distance_of(rows, direction, deepest(scop)) : NULL;
  return distance ? move_others(rows, scop, deps, array, distance) : isl_union_pw_aff_free(rows);
}

/* DIRECTION in units of the columns of an array that can have panels, *PANEL; as it is if there is none: array -1. */
static isl_union_pw_aff *align(__isl_take isl_union_pw_aff *direction, struct tsr_scop *scop, struct tsr_deps *deps,
                               struct tsr_panel *panel)
{
  *panel = (struct tsr_panel){.array = -1, .columns = COLUMNS};
  for (int a = 0; a < scop->n_array && panel->array < 0; a++) {
    struct tsr_panel one = {.array = a, .columns = COLUMNS};
    isl_union_pw_aff *rows = can_hold(scop, &one) ? align_to(direction, scop, deps, a) : NULL;
    if (rows) {
      isl_union_pw_aff_free(direction);
      direction = rows;
      *panel = one;
    }
  }
  return direction;
}

/* ---- trees ---- */

static isl_bool is_plain_node(isl_schedule_node *node, void *user)
{
  (void)user;
  return isl_bool_ok(isl_schedule_node_get_type(node) != isl_schedule_node_mark || tsr_node_is_mark(node, TSR_MARK_VECTOR));
}

/* Those of register tiles and the like have ways of their own to their operands. */
static bool has_other_marks(isl_schedule *tree)
{
  isl_schedule_node *root = isl_schedule_get_root(tree);
  bool others = isl_schedule_node_every_descendant(root, is_plain_node, NULL) != isl_bool_true;
  isl_schedule_node_free(root);
  return others;
}

/* requires: the flags of TREE's bands are right, by DEPS.  guarantees: legal if TREE is.  on failure: NULL. */
isl_schedule *tsr_tree_panels(isl_schedule *tree, struct tsr_scop *scop, struct tsr_deps *deps, bool threads)
{
  isl_multi_union_pw_aff *steps = has_other_marks(tree) ? NULL : outermost(tree, false);
  isl_union_pw_aff *step = steps && isl_multi_union_pw_aff_size(steps) == 1 ? isl_multi_union_pw_aff_get_at(steps, 0) : NULL;
  isl_multi_union_pw_aff_free(steps);
  isl_union_pw_aff *direction = step && threads ? find_directions(&step, scop, deps) : NULL;
  if (step && !direction)
    direction = find_direction(step, scop, deps);
  if (!direction) {
    isl_union_pw_aff_free(step);
    isl_schedule_free(tree);
    return NULL;
  }
  struct tsr_panel panel;
  direction = align(direction, scop, deps, &panel);
  int columns = threads && panel.array < 0 ? COLUMNS_OF_THREADS : COLUMNS;
  isl_space *space = isl_space_set_from_params(isl_space_params(isl_union_pw_aff_get_space(step)));
  isl_union_pw_aff_list *list = isl_union_pw_aff_list_from_union_pw_aff(tsr_block_of(direction, columns));
  list = isl_union_pw_aff_list_add(list, tsr_block_of(step, STEPS));
  isl_multi_union_pw_aff *blocks =
      isl_multi_union_pw_aff_from_union_pw_aff_list(isl_space_add_dims(space, isl_dim_set, 2), list);
  isl_schedule_node *root = isl_schedule_get_root(tree), *node = isl_schedule_node_child(root, 0);
  isl_schedule_free(tree);
  node = isl_schedule_node_insert_partial_schedule(node, blocks);
  node = isl_schedule_node_band_set_permutable(node, 1);
  for (int i = 0; i < 2; i++)
    node = isl_schedule_node_band_member_set_ast_loop_type(node, i, isl_ast_loop_atomic);
  if (panel.array >= 0) {
    panel.name = scop->arrays[panel.array].name;
    node = tsr_mark_insert(node, scop, &(struct tsr_mark){.kind = TSR_MARK_PANEL, .panel = panel});
  }
  tree = isl_schedule_node_get_schedule(node);
  isl_schedule_node_free(node);
  return tree;
}

bool tsr_node_is_panels(isl_schedule_node *node)
{
  return isl_schedule_node_get_type(node) == isl_schedule_node_band && isl_schedule_node_band_n_member(node) == 2 &&
         isl_schedule_node_band_get_permutable(node) == isl_bool_true &&
         isl_schedule_node_band_member_get_ast_loop_type(node, 0) == isl_ast_loop_atomic &&
         isl_schedule_node_band_member_get_ast_loop_type(node, 1) == isl_ast_loop_atomic;
}

isl_schedule *tsr_tree_share_panels(isl_schedule *tree, struct tsr_scop *scop)
{
  isl_schedule_node *root = isl_schedule_get_root(tree), *node = isl_schedule_node_child(root, 0);
  isl_schedule_free(tree);
  tree = NULL;
  struct tsr_panel panel;
  if (tsr_mark_panel(tsr_node_mark(node), scop, &panel))
    node = isl_schedule_node_child(node, 0);
  if (tsr_node_is_panels(node) && tsr_node_is_of_one_thread(node, scop) == isl_bool_false &&
      tsr_band_is_doacross(node, scop, NULL) == isl_bool_true) {
    node = tsr_mark_insert(node, scop, &(struct tsr_mark){.kind = TSR_MARK_DOACROSS, .number = TSR_MARK_OF_DOACROSS});
    tree = isl_schedule_node_get_schedule(node);
  }
  isl_schedule_node_free(node);
  return tree;
}

/* Less than two panels, and there is nothing to gain; and a buffer could be larger than the array. */
isl_set *tsr_panels_range(struct tsr_scop *scop, const struct tsr_panel *panel)
{
  isl_set *columns = elements_of(scop, panel->array, false);
  columns = isl_set_reset_tuple_id(isl_set_project_out(columns, isl_dim_set, 0, 1));
  isl_set *range = tsr_domain_has_steps(columns, 0, 2 * panel->columns);
  isl_set_free(columns);
  return isl_set_coalesce(range);
}
