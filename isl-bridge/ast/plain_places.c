/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Accesses whose subscripts are simpler where they are made than in the original: in a loop of t >= 1 a[max(t - 1, 0)] is
 * a[t - 1]. Which form they have there isl tells; the pass computes the address from that. Where it is as the original has
 * it, the original's own address is used. */
#include "ast/ast.h"
#include <isl/id.h>
#include <isl/val.h>
#include <stdlib.h>

/* What of STMT runs in a leaf: all of it? */
struct whole {
  struct tsr_scop *scop;
  bool *whole;
};

static isl_stat find_whole(isl_set *set, void *user)
{
  struct whole *w = user;
  int stmt = tsr_scop_find_stmt(w->scop, isl_set_get_tuple_name(set));
  if (stmt >= 0)
    w->whole[stmt] |= isl_set_plain_is_equal(set, w->scop->stmts[stmt].domain) == isl_bool_true;
  isl_set_free(set);
  return isl_stat_ok;
}

static isl_stat find_whole_in_leaf(isl_schedule_node *leaf, void *user)
{
  isl_union_set *domain = isl_schedule_node_get_domain(leaf);
  isl_stat ok = isl_union_set_foreach_set(domain, find_whole, user);
  isl_union_set_free(domain);
  return ok;
}

bool *tsr_tree_parted(struct tsr_scop *scop, isl_schedule *tree)
{
  struct whole w = {scop, calloc(scop->n_stmt + 1, sizeof(bool))};
  isl_schedule_node *root = isl_schedule_get_root(tree);
  bool plain = isl_schedule_node_every_descendant(root, tsr_node_is_unmarked, NULL) == isl_bool_true;
  if (w.whole && plain && tsr_scop_has_forms(scop))
    tsr_node_foreach_leaf(root, find_whole_in_leaf, &w);
  isl_schedule_node_free(root);
  for (int i = 0; i < scop->n_stmt && w.whole; i++) {
    bool forms = false;
    for (int k = 0; k < scop->stmts[i].n_access && plain && !w.whole[i]; k++)
      forms |= tsr_access_has_forms(scop->stmts[i].access[k].relation);
    w.whole[i] = forms; /* from here on: those that it is about */
  }
  return w.whole;
}

/* Choices and quotients in EXPR, as tsr_subscript_forms counts them, less 1. */
static int count_choices(__isl_take isl_ast_expr *expr)
{
  bool op = isl_ast_expr_get_type(expr) == isl_ast_expr_op;
  enum isl_ast_expr_op_type type = op ? isl_ast_expr_op_get_type(expr) : isl_ast_expr_op_error;
  isl_size n = op ? isl_ast_expr_op_get_n_arg(expr) : 0;
  bool sum = type == isl_ast_expr_op_add || type == isl_ast_expr_op_sub || type == isl_ast_expr_op_mul ||
             type == isl_ast_expr_op_minus;
  bool choice = type == isl_ast_expr_op_cond || type == isl_ast_expr_op_select;
  int found = op && !sum ? 1 : 0;
  for (int i = choice ? 1 : 0; i < n; i++) /* whatever the condition is */
    found += count_choices(isl_ast_expr_op_get_arg(expr, i));
  isl_ast_expr_free(expr);
  return found;
}

/* One form that is FUNCTION wherever that is defined. */
struct one_form {
  isl_pw_aff *function;
  isl_set *domain;
  isl_aff *found; /* NULL: none was */
};

static isl_stat try_form(isl_set *piece, isl_aff *aff, void *user)
{
  struct one_form *one = user;
  isl_set_free(piece);
  isl_set *same =
      one->found ? NULL : isl_pw_aff_eq_set(isl_pw_aff_copy(one->function), isl_pw_aff_from_aff(isl_aff_copy(aff)));
  bool all = same && isl_set_is_subset(one->domain, same) == isl_bool_true;
  isl_set_free(same);
  if (all)
    one->found = aff;
  else
    isl_aff_free(aff);
  return isl_stat_ok;
}

/* SUBSCRIPT, by one form if it has the value of one of its forms everywhere. */
static __isl_give isl_pw_aff *simplify(__isl_take isl_pw_aff *subscript)
{
  if (isl_pw_aff_n_piece(subscript) < 2)
    return subscript;
  struct one_form one = {subscript, isl_pw_aff_domain(isl_pw_aff_copy(subscript)), NULL};
  isl_pw_aff_foreach_piece(subscript, try_form, &one);
  isl_set_free(one.domain);
  if (!one.found)
    return subscript;
  isl_pw_aff_free(subscript);
  return isl_pw_aff_from_aff(one.found);
}

int tsr_place_choices(const struct tsr_stmt *stmt, int k)
{
  isl_map *relation = isl_map_intersect_domain(isl_map_copy(stmt->access[k].relation), isl_set_copy(stmt->domain));
  isl_size n = isl_map_dim(relation, isl_dim_out);
  int choices = 0;
  if (n <= 0 || n > TSR_PLACE_DIM || isl_map_is_single_valued(relation) != isl_bool_true) {
    isl_map_free(relation);
    return -1;
  }
  isl_pw_multi_aff *element = isl_pw_multi_aff_from_map(relation);
  for (int d = 0; d < n && element; d++) {
    isl_pw_aff *subscript = isl_pw_aff_coalesce(isl_pw_multi_aff_get_at(element, d));
    choices += tsr_subscript_forms(subscript) - 1;
    isl_pw_aff_free(subscript);
  }
  isl_pw_multi_aff_free(element);
  return choices;
}

bool tsr_place_simpler(const struct tsr_stmt *stmt, int k, int choices, isl_ast_build *build, isl_map *instances,
                       struct tsr_access_place *place)
{
  const struct tsr_access *access = &stmt->access[k];
  isl_size n = isl_map_dim(access->relation, isl_dim_out);
  int after = 0;
  *place = (struct tsr_access_place){.access = k, .array = access->array, .loose = -1};
  isl_map *here = isl_map_intersect_domain(isl_map_copy(access->relation), isl_set_copy(stmt->domain));
  here = isl_map_apply_range(isl_map_copy(instances), here);
  isl_pw_multi_aff *element = isl_pw_multi_aff_from_map(here);
  for (; place->n < n && element && after < choices; place->n++) {
    isl_pw_aff *own = simplify(isl_pw_aff_coalesce(isl_pw_multi_aff_get_at(element, place->n)));
    place->index[place->n] = isl_ast_build_expr_from_pw_aff(build, own);
    after += count_choices(isl_ast_expr_copy(place->index[place->n]));
  }
  isl_pw_multi_aff_free(element);
  if (place->n == n && place->index[n - 1] && after < choices)
    return true;
  while (place->n > 0)
    isl_ast_expr_free(place->index[--place->n]);
  return false;
}
