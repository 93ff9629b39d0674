/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What isl makes of a register tile: loops named by their depth, of which those that run once are missing.
 *
 *   mark "registers 4x2x8 over 1 by [0,1,0]"
 *     for c5 (reduction) - for c6 = 0 .. 3 (row) - for c7 = 0 .. 15 (vector) - S(..)
 *
 * The names tell a loop over vectors from one over rows, where one of them is missing: that of one row always is. Conditions
 * and several such nests may stand between the mark and the first loop, nothing but loops below it. */
#include "ast/ast.h"
#include <isl/id.h>
#include <isl/val.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static isl_id *iterator_of(isl_ast_node *loop)
{
  isl_ast_expr *iterator = isl_ast_node_for_get_iterator(loop);
  isl_id *id = isl_ast_expr_get_id(iterator);
  isl_ast_expr_free(iterator);
  return id;
}

/* Is LOOP the one of depth DEPTH? Iterators are named by depth. */
static bool is_of_depth(isl_ast_node *loop, int depth)
{
  isl_id *id = iterator_of(loop);
  const char *name = isl_id_get_name(id);
  bool is = atoi(name + strcspn(name, "0123456789")) == depth;
  isl_id_free(id);
  return is;
}

bool tsr_ast_expr_has(__isl_take isl_ast_expr *expr, isl_id *id)
{
  bool found = false;
  if (isl_ast_expr_get_type(expr) == isl_ast_expr_id) {
    isl_id *other = isl_ast_expr_get_id(expr);
    found = other == id;
    isl_id_free(other);
  }
  isl_size n = isl_ast_expr_get_type(expr) == isl_ast_expr_op ? isl_ast_expr_op_get_n_arg(expr) : 0;
  for (int i = 0; i < n && !found; i++)
    found = tsr_ast_expr_has(isl_ast_expr_op_get_arg(expr, i), id);
  isl_ast_expr_free(expr);
  return found;
}

/* The value of EXPR in *VALUE if it is a number. */
static bool is_number(__isl_take isl_ast_expr *expr, long *value)
{
  bool is = isl_ast_expr_get_type(expr) == isl_ast_expr_int;
  if (is) {
    isl_val *v = isl_ast_expr_get_val(expr);
    *value = isl_val_get_num_si(v);
    isl_val_free(v);
  }
  isl_ast_expr_free(expr);
  return is;
}

/* FIRST and LAST of LOOP, numbers, in steps of 1? */
static bool has_fixed_bounds(isl_ast_node *loop, long *first, long *last)
{
  long step = 0;
  if (!is_number(isl_ast_node_for_get_init(loop), first) || !is_number(isl_ast_node_for_get_inc(loop), &step) || step != 1)
    return false;
  isl_ast_expr *cond = isl_ast_node_for_get_cond(loop);
  bool less = isl_ast_expr_op_get_type(cond) == isl_ast_expr_op_lt;
  bool fixed = is_number(isl_ast_expr_op_get_arg(cond, 1), last);
  *last -= less;
  isl_ast_expr_free(cond);
  return fixed;
}

/* Do the bounds of LOOP, whose step is 1, leave the iterators of NEST's reductions alone? */
static bool is_independent(isl_ast_node *loop, struct tsr_register_nest *nest)
{
  long step = 0;
  bool independent = is_number(isl_ast_node_for_get_inc(loop), &step) && step == 1;
  for (int i = 0; i < nest->n_reduction && independent; i++) {
    isl_id *id = iterator_of(nest->reduction[i]);
    independent =
        !tsr_ast_expr_has(isl_ast_node_for_get_init(loop), id) && !tsr_ast_expr_has(isl_ast_node_for_get_cond(loop), id);
    isl_id_free(id);
  }
  return independent;
}

/* Do the bounds of LOOP leave the iterator of ROW, which may be NULL, alone? */
static bool is_apart(isl_ast_node *loop, isl_ast_node *row)
{
  isl_id *id = row ? iterator_of(row) : NULL;
  bool apart = !row || (!tsr_ast_expr_has(isl_ast_node_for_get_init(loop), id) &&
                        !tsr_ast_expr_has(isl_ast_node_for_get_cond(loop), id));
  isl_id_free(id);
  return apart;
}

/* Which way does EXPR go where ID goes up: 1, up or nowhere; -1, down or nowhere; 0: it stays. False: that isn't known. */
static bool find_way(__isl_take isl_ast_expr *expr, isl_id *id, int *way)
{
  enum isl_ast_expr_type type = isl_ast_expr_get_type(expr);
  bool known = true, has = tsr_ast_expr_has(isl_ast_expr_copy(expr), id);
  *way = 0;
  if (has && type == isl_ast_expr_id) {
    *way = 1;
  } else if (has) {
    enum isl_ast_expr_op_type op = type == isl_ast_expr_op ? isl_ast_expr_op_get_type(expr) : isl_ast_expr_op_error;
    isl_size n = isl_ast_expr_op_get_n_arg(expr);
    long factor = 1;
    known = op == isl_ast_expr_op_max || op == isl_ast_expr_op_min || op == isl_ast_expr_op_add ||
            op == isl_ast_expr_op_sub || op == isl_ast_expr_op_minus ||
            (op == isl_ast_expr_op_mul &&
             (is_number(isl_ast_expr_op_get_arg(expr, 0), &factor) || is_number(isl_ast_expr_op_get_arg(expr, 1), &factor)));
    for (int i = 0; i < n && known; i++) {
      int own;
      known = find_way(isl_ast_expr_op_get_arg(expr, i), id, &own);
      own *= (op == isl_ast_expr_op_minus || (op == isl_ast_expr_op_sub && i == 1) ? -1 : 1) * (factor < 0 ? -1 : 1);
      known = known && own * *way >= 0;
      *way = own ? own : *way;
    }
  }
  isl_ast_expr_free(expr);
  return known;
}

/* Does LOOP, whose step is 1, have more and more iterations the further the only reduction of NEST goes, 1, or fewer and
 * fewer, -1, always some of the others? 0: neither, or that isn't known. */
static int find_ragged(isl_ast_node *loop, struct tsr_register_nest *nest)
{
  long step = 0;
  int first, last;
  if (nest->n_reduction != 1 || !is_number(isl_ast_node_for_get_inc(loop), &step) || step != 1)
    return 0;
  isl_id *id = iterator_of(nest->reduction[0]);
  isl_ast_expr *cond = isl_ast_node_for_get_cond(loop);
  bool known =
      find_way(isl_ast_node_for_get_init(loop), id, &first) && find_way(isl_ast_expr_op_get_arg(cond, 1), id, &last);
  isl_ast_expr_free(cond);
  isl_id_free(id);
  return !known || first * last > 0 ? 0 : first ? -first : last;
}

/* Those from outside to inside of LOOP, all loops of one nest, in LOOPS; then the user node. */
static int collect(isl_ast_node *loop, isl_ast_node *loops[], int max, isl_ast_node **user)
{
  int n = 0;
  isl_ast_node *node = isl_ast_node_copy(loop);
  *user = NULL;
  while (isl_ast_node_get_type(node) == isl_ast_node_for && n < max) {
    loops[n++] = node;
    node = isl_ast_node_for_get_body(node);
  }
  if (isl_ast_node_get_type(node) == isl_ast_node_user)
    *user = node;
  else
    isl_ast_node_free(node);
  return n;
}

bool tsr_register_nest_read(isl_ast_node *loop, const struct tsr_mark *mark, struct tsr_register_nest *nest)
{
  const struct tsr_register_tile *tile = &mark->tile;
  isl_ast_node *loops[TSR_MAX_REDUCTION + 2];
  long first = 0, last = -1;
  *nest = (struct tsr_register_nest){.tile = *tile};
  int n = collect(loop, loops, TSR_MAX_REDUCTION + 2, &nest->user), n_point = 1;
  int depth_of_row = mark->depth + tile->n_reduction;
  n_point += n > 1 && is_of_depth(loops[n - 2], depth_of_row);
  nest->n_reduction = n < n_point ? n : n - n_point;
  memcpy(nest->reduction, loops, nest->n_reduction * sizeof(*loops));
  if (n >= n_point) {
    nest->row = n_point > 1 ? loops[n - 2] : NULL;
    nest->vector = loops[n - 1];
  }
  bool good =
      n >= n_point && nest->user && nest->n_reduction <= tile->n_reduction && is_of_depth(nest->vector, depth_of_row + 1);
  if (good) {
    bool fixed = nest->row && has_fixed_bounds(nest->row, &first, &last);
    nest->few = tile->rows > 1 && (!fixed || first != 0 || last != tile->rows - 1);
    good = (!nest->row || tile->rows > 1) && (!nest->few || !nest->row || is_independent(nest->row, nest));
  }
  for (int i = 1; i < nest->n_reduction && good; i++)
    good = has_fixed_bounds(nest->reduction[i], &first, &last) && first <= last;
  if (good) {
    bool fixed = has_fixed_bounds(nest->vector, &first, &last);
    nest->masked = !fixed || first != 0 || last != tile->vectors * tile->lanes - 1;
    bool alike = is_independent(nest->vector, nest);
    nest->ragged = nest->masked && !alike && !nest->few && !tile->streams && is_apart(nest->vector, nest->row)
                       ? find_ragged(nest->vector, nest)
                       : 0;
    good = !nest->masked || (!nest->few && (alike || nest->ragged));
  }
  if (!good)
    tsr_register_nest_clear(nest);
  return good;
}

void tsr_register_nest_clear(struct tsr_register_nest *nest)
{
  for (int i = 0; i < nest->n_reduction; i++)
    isl_ast_node_free(nest->reduction[i]);
  isl_ast_node_free(nest->row);
  isl_ast_node_free(nest->vector);
  isl_ast_node_free(nest->user);
  *nest = (struct tsr_register_nest){0};
}

/* Are NODE's nests below MARK good? */
static bool is_good(__isl_take isl_ast_node *node, const struct tsr_mark *mark)
{
  struct tsr_register_nest nest;
  bool good = false;
  switch (isl_ast_node_get_type(node)) {
  case isl_ast_node_for:
    good = tsr_register_nest_read(node, mark, &nest);
    if (good)
      tsr_register_nest_clear(&nest);
    break;
  case isl_ast_node_if:
    good = is_good(isl_ast_node_if_get_then_node(node), mark);
    if (good && isl_ast_node_if_has_else_node(node) == isl_bool_true)
      good = is_good(isl_ast_node_if_get_else_node(node), mark);
    break;
  case isl_ast_node_block: {
    isl_ast_node_list *list = isl_ast_node_block_get_children(node);
    isl_size n = isl_ast_node_list_n_ast_node(list);
    good = n > 0;
    for (int i = 0; i < n && good; i++)
      good = is_good(isl_ast_node_list_get_at(list, i), mark);
    isl_ast_node_list_free(list);
    break;
  }
  default:
    break;
  }
  isl_ast_node_free(node);
  return good;
}

static isl_bool check_mark(isl_ast_node *node, void *user)
{
  bool *good = user;
  const struct tsr_mark *mark = tsr_ast_mark(node);
  if (tsr_mark_is(mark, TSR_MARK_REGISTERS))
    *good = *good && is_good(isl_ast_node_mark_get_node(node), mark);
  return isl_bool_true;
}

bool tsr_register_nests_are_good(isl_ast_node *ast)
{
  bool good = true;
  return isl_ast_node_foreach_descendant_top_down(ast, check_mark, &good) == isl_stat_ok && good;
}
