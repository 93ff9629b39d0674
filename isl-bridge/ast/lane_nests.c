/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What isl makes of a loop of lanes: a loop over all of them with anything inside whose bounds and conditions don't tell
 * lanes apart, and statements whose instances move from lane to lane by constants.
 *
 *   mark "lockstep 2x8"
 *     for (c2 = 0; c2 <= 15; c2 += 1) { S0(16 * c1 + c2); for (c3 = ..) S1(16 * c1 + c2, c3); }
 *
 * Conditions and several such loops may stand between the mark and its loop. */
#include "ast/ast.h"
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>
#include <string.h>

/* ---- instances ---- */

/* Add the ids in EXPR to SPACE. */
static isl_space *add_ids(isl_space *space, __isl_take isl_ast_expr *expr)
{
  if (isl_ast_expr_get_type(expr) == isl_ast_expr_id) {
    isl_id *id = isl_ast_expr_get_id(expr);
    if (isl_space_find_dim_by_name(space, isl_dim_param, isl_id_get_name(id)) < 0) {
      isl_size n = isl_space_dim(space, isl_dim_param);
      space = isl_space_set_dim_name(isl_space_add_dims(space, isl_dim_param, 1), isl_dim_param, n, isl_id_get_name(id));
    }
    isl_id_free(id);
  }
  isl_size n = isl_ast_expr_get_type(expr) == isl_ast_expr_op ? isl_ast_expr_op_get_n_arg(expr) : 0;
  for (int i = 0; i < n; i++)
    space = add_ids(space, isl_ast_expr_op_get_arg(expr, i));
  isl_ast_expr_free(expr);
  return space;
}

static isl_aff *aff_of(__isl_take isl_ast_expr *expr, isl_space *space);

static isl_aff *aff_of_op(isl_ast_expr *expr, isl_space *space)
{
  enum isl_ast_expr_op_type type = isl_ast_expr_op_get_type(expr);
  isl_size n = isl_ast_expr_op_get_n_arg(expr);
  bool known = type == isl_ast_expr_op_add || type == isl_ast_expr_op_sub || type == isl_ast_expr_op_mul;
  if (type == isl_ast_expr_op_minus)
    return isl_aff_neg(aff_of(isl_ast_expr_op_get_arg(expr, 0), space));
  if (!known || n != 2)
    return NULL;
  isl_aff *a = aff_of(isl_ast_expr_op_get_arg(expr, 0), space), *b = aff_of(isl_ast_expr_op_get_arg(expr, 1), space);
  bool product = a && b && (isl_aff_is_cst(a) == isl_bool_true || isl_aff_is_cst(b) == isl_bool_true);
  if (!a || !b || (type == isl_ast_expr_op_mul && !product)) {
    isl_aff_free(a);
    isl_aff_free(b);
    return NULL;
  }
  return type == isl_ast_expr_op_add   ? isl_aff_add(a, b)
         : type == isl_ast_expr_op_sub ? isl_aff_sub(a, b)
                                       : isl_aff_mul(a, b);
}

/* EXPR over the parameters of SPACE { [] }; NULL: it isn't affine. */
static isl_aff *aff_of(isl_ast_expr *expr, isl_space *space)
{
  isl_local_space *local = isl_local_space_from_space(isl_space_copy(space));
  isl_aff *aff = NULL;
  if (isl_ast_expr_get_type(expr) == isl_ast_expr_id) {
    isl_id *id = isl_ast_expr_get_id(expr);
    aff = isl_aff_var_on_domain(isl_local_space_copy(local), isl_dim_param,
                                isl_space_find_dim_by_name(space, isl_dim_param, isl_id_get_name(id)));
    isl_id_free(id);
  } else if (isl_ast_expr_get_type(expr) == isl_ast_expr_int) {
    aff = isl_aff_val_on_domain(isl_local_space_copy(local), isl_ast_expr_get_val(expr));
  } else if (isl_ast_expr_get_type(expr) == isl_ast_expr_op) {
    aff = aff_of_op(expr, space);
  }
  isl_local_space_free(local);
  isl_ast_expr_free(expr);
  return aff;
}

isl_multi_aff *tsr_ast_user_instance(isl_ast_node *user)
{
  isl_ast_expr *call = isl_ast_node_user_get_expr(user);
  isl_ast_expr *callee = isl_ast_expr_op_get_arg(call, 0);
  isl_ctx *ctx = isl_ast_expr_get_ctx(call);
  isl_size n = isl_ast_expr_op_get_n_arg(call) - 1;
  isl_id *name = isl_ast_expr_get_id(callee);
  isl_space *space = isl_space_set_alloc(ctx, 0, 0);
  for (int i = 0; i < n; i++)
    space = add_ids(space, isl_ast_expr_op_get_arg(call, i + 1));
  isl_aff_list *list = isl_aff_list_alloc(ctx, n);
  bool affine = n >= 0;
  for (int i = 0; i < n && affine; i++) {
    isl_aff *aff = aff_of(isl_ast_expr_op_get_arg(call, i + 1), space);
    affine = aff != NULL;
    list = affine ? isl_aff_list_add(list, aff) : list;
  }
  isl_space *range = isl_space_add_dims(isl_space_copy(space), isl_dim_set, n);
  range = isl_space_set_tuple_name(range, isl_dim_set, isl_id_get_name(name));
  isl_space *map = isl_space_map_from_domain_and_range(space, range);
  isl_id_free(name);
  isl_ast_expr_free(callee);
  isl_ast_expr_free(call);
  if (affine)
    return isl_multi_aff_from_aff_list(map, list);
  isl_space_free(map);
  isl_aff_list_free(list);
  return NULL;
}

isl_multi_aff *tsr_place_element(const struct tsr_access_place *place)
{
  if (place->n == 0)
    return NULL;
  isl_ctx *ctx = isl_ast_expr_get_ctx(place->index[0]);
  isl_space *space = isl_space_set_alloc(ctx, 0, 0);
  for (int i = 0; i < place->n; i++)
    space = add_ids(space, isl_ast_expr_copy(place->index[i]));
  isl_aff_list *list = isl_aff_list_alloc(ctx, place->n);
  bool affine = true;
  for (int i = 0; i < place->n && affine; i++) {
    isl_aff *aff = aff_of(isl_ast_expr_copy(place->index[i]), space);
    affine = aff != NULL;
    list = affine ? isl_aff_list_add(list, aff) : list;
  }
  isl_space *range = isl_space_add_dims(isl_space_copy(space), isl_dim_set, (unsigned)place->n);
  isl_space *map = isl_space_map_from_domain_and_range(space, range);
  if (affine)
    return isl_multi_aff_from_aff_list(map, list);
  isl_space_free(map);
  isl_aff_list_free(list);
  return NULL;
}

bool tsr_instance_step(isl_multi_aff *instance, const char *name, long step[TSR_MAX_DIM])
{
  isl_size n = isl_multi_aff_dim(instance, isl_dim_out);
  int pos = isl_multi_aff_find_dim_by_name(instance, isl_dim_param, name);
  bool good = n >= 0 && n <= TSR_MAX_DIM;
  for (int i = 0; i < n && good; i++) {
    isl_aff *aff = isl_multi_aff_get_aff(instance, i);
    isl_val *value = pos < 0 ? isl_val_zero(isl_aff_get_ctx(aff)) : isl_aff_get_coefficient_val(aff, isl_dim_param, pos);
    good = isl_val_is_int(value) == isl_bool_true && isl_val_cmp_si(value, 1 << 20) < 0 &&
           isl_val_cmp_si(value, -(1 << 20)) > 0;
    step[i] = good ? isl_val_get_num_si(value) : 0;
    isl_val_free(value);
    isl_aff_free(aff);
  }
  return good;
}

bool tsr_access_is_injective(isl_map *relation, const long along[TSR_MAX_DIM])
{
  long delta[TSR_MAX_DIM];
  struct tsr_step step = {.fixed = true};
  isl_size n = isl_map_dim(relation, isl_dim_out);
  bool moves = false;
  memcpy(step.delta, along, sizeof(step.delta));
  if (n < 0 || n > TSR_MAX_DIM || isl_map_is_single_valued(relation) != isl_bool_true ||
      !tsr_access_deltas(relation, &step, 1, delta))
    return false;
  for (int i = 0; i < n; i++)
    moves |= delta[i] != 0;
  return moves;
}

/* ---- nests ---- */

static isl_id *iterator_of(isl_ast_node *loop)
{
  isl_ast_expr *iterator = isl_ast_node_for_get_iterator(loop);
  isl_id *id = isl_ast_expr_get_id(iterator);
  isl_ast_expr_free(iterator);
  return id;
}

static bool is_number(__isl_take isl_ast_expr *expr, long value)
{
  isl_val *v = isl_ast_expr_get_type(expr) == isl_ast_expr_int ? isl_ast_expr_get_val(expr) : NULL;
  bool is = v && isl_val_cmp_si(v, value) == 0;
  isl_val_free(v);
  isl_ast_expr_free(expr);
  return is;
}

/* Does LOOP run from 0 to N - 1? */
static bool is_of_lanes(isl_ast_node *loop, int n)
{
  if (isl_ast_node_for_is_degenerate(loop) != isl_bool_false)
    return false;
  isl_ast_expr *cond = isl_ast_node_for_get_cond(loop);
  bool less = isl_ast_expr_op_get_type(cond) == isl_ast_expr_op_lt;
  bool all = is_number(isl_ast_node_for_get_init(loop), 0) && is_number(isl_ast_node_for_get_inc(loop), 1) &&
             is_number(isl_ast_expr_op_get_arg(cond, 1), less ? n : n - 1);
  isl_ast_expr_free(cond);
  return all;
}

static bool is_uniform(__isl_take isl_ast_node *node, isl_id *lane);

static bool is_user_good(isl_ast_node *user, isl_id *lane)
{
  long step[TSR_MAX_DIM];
  isl_multi_aff *instance = tsr_ast_user_instance(user);
  bool good = instance && tsr_instance_step(instance, isl_id_get_name(lane), step);
  isl_multi_aff_free(instance);
  return good;
}

static bool is_block_uniform(isl_ast_node *node, isl_id *lane)
{
  isl_ast_node_list *list = isl_ast_node_block_get_children(node);
  isl_size n = isl_ast_node_list_n_ast_node(list);
  bool good = n >= 0;
  for (int i = 0; i < n && good; i++)
    good = is_uniform(isl_ast_node_list_get_at(list, i), lane);
  isl_ast_node_list_free(list);
  return good;
}

static bool is_loop_uniform(isl_ast_node *loop, isl_id *lane)
{
  if (tsr_ast_expr_has(isl_ast_node_for_get_init(loop), lane))
    return false;
  if (isl_ast_node_for_is_degenerate(loop) == isl_bool_false &&
      (tsr_ast_expr_has(isl_ast_node_for_get_cond(loop), lane) || tsr_ast_expr_has(isl_ast_node_for_get_inc(loop), lane)))
    return false;
  return is_uniform(isl_ast_node_for_get_body(loop), lane);
}

/* Do bounds and conditions in NODE leave the iterator LANE alone? */
static bool is_uniform(isl_ast_node *node, isl_id *lane)
{
  bool good = false;
  switch (isl_ast_node_get_type(node)) {
  case isl_ast_node_for:
    good = is_loop_uniform(node, lane);
    break;
  case isl_ast_node_if:
    good = !tsr_ast_expr_has(isl_ast_node_if_get_cond(node), lane) && is_uniform(isl_ast_node_if_get_then_node(node), lane);
    if (good && isl_ast_node_if_has_else_node(node) == isl_bool_true)
      good = is_uniform(isl_ast_node_if_get_else_node(node), lane);
    break;
  case isl_ast_node_block:
    good = is_block_uniform(node, lane);
    break;
  case isl_ast_node_user:
    good = is_user_good(node, lane);
    break;
  default:
    break;
  }
  isl_ast_node_free(node);
  return good;
}

/* Is NODE, below a mark of N lanes, a loop over all of them, or are all in it? */
static bool is_good(__isl_take isl_ast_node *node, int n)
{
  bool good = false;
  enum isl_ast_node_type type = isl_ast_node_get_type(node);
  if (type == isl_ast_node_for) {
    isl_id *lane = iterator_of(node);
    good = is_of_lanes(node, n) && is_uniform(isl_ast_node_for_get_body(node), lane);
    isl_id_free(lane);
  } else if (type == isl_ast_node_if) {
    good = is_good(isl_ast_node_if_get_then_node(node), n);
    if (good && isl_ast_node_if_has_else_node(node) == isl_bool_true)
      good = is_good(isl_ast_node_if_get_else_node(node), n);
  } else if (type == isl_ast_node_block) {
    isl_ast_node_list *list = isl_ast_node_block_get_children(node);
    isl_size size = isl_ast_node_list_n_ast_node(list);
    good = size > 0;
    for (int i = 0; i < size && good; i++)
      good = is_good(isl_ast_node_list_get_at(list, i), n);
    isl_ast_node_list_free(list);
  }
  isl_ast_node_free(node);
  return good;
}

static isl_bool check_mark(isl_ast_node *node, void *user)
{
  bool *good = user;
  const struct tsr_mark *mark = tsr_ast_mark(node);
  if (tsr_mark_is(mark, TSR_MARK_LOCKSTEP))
    *good = *good && is_good(isl_ast_node_mark_get_node(node), mark->lockstep.vectors * mark->lockstep.lanes);
  return isl_bool_true;
}

bool tsr_lockstep_nests_are_good(isl_ast_node *ast)
{
  bool good = true;
  return isl_ast_node_foreach_descendant_top_down(ast, check_mark, &good) == isl_stat_ok && good;
}
