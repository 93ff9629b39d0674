/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In which iterations is an instance? isl drops a loop that runs once and puts its iterator's value in its place:
 *
 *   if (n >= 1) S(0, n - 1)           instead of for (c0 = n - 1; c0 <= n - 1; c0++) S(0, c0)
 *   for (c0 = n; c0 <= m; c0++) T(c0)
 *
 * A kernel has to know that S's iteration is n - 1, as it is the thread's (pass/emit/gpu/kernel_loops.c). So the user nodes
 * of trees with kernels have the numbers at them, and with these what else was there. They are the tree's: an AST's schedule
 * space lacks dimensions that isl has dropped, and ends where the outer iterators tell which instance it is. */
#include "ast/ast.h"
#include "tree/tree.h"
#include <isl/id.h>
#include <isl/space.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <stdlib.h>
#include <string.h>

static const char numbers_name[] = "numbers";

struct numbers {
  int n;
  isl_ast_expr *at[TSR_MOST_NUMBERS]; /* by depth; NULL: unknown, or there is a loop */
  isl_id *note;                       /* what was there; NULL: nothing */
};

static void free_numbers(void *user)
{
  struct numbers *numbers = user;
  for (int i = 0; i < numbers->n; i++)
    isl_ast_expr_free(numbers->at[i]);
  isl_id_free(numbers->note);
  free(numbers);
}

/* Is an iterator at DEPTH or inside of that in EXPR, which is taken? All other names are parameters of TIME. */
static bool needs_inner(__isl_take isl_ast_expr *expr, isl_map *time, int depth)
{
  bool needs = false;
  if (isl_ast_expr_get_type(expr) == isl_ast_expr_id) {
    isl_id *id = isl_ast_expr_get_id(expr);
    const char *name = isl_id_get_name(id);
    bool iterator = isl_map_find_dim_by_name(time, isl_dim_param, name) < 0;
    needs = iterator && atoi(name + strcspn(name, "0123456789")) >= depth;
    isl_id_free(id);
  }
  isl_size n = isl_ast_expr_get_type(expr) == isl_ast_expr_op ? isl_ast_expr_op_get_n_arg(expr) : 0;
  for (int i = 0; i < n && !needs; i++)
    needs = needs_inner(isl_ast_expr_op_get_arg(expr, i), time, depth);
  isl_ast_expr_free(expr);
  return needs;
}

/* The numbers of the instance at hand, by TIMES; those that are known where their own loop would be. */
static void add_numbers(struct numbers *numbers, isl_ast_build *build, isl_union_map *times)
{
  isl_union_map *instances = isl_union_map_reverse(isl_ast_build_get_schedule(build));
  isl_union_map *all = isl_union_map_apply_range(instances, isl_union_map_copy(times));
  isl_map *time = isl_union_map_n_map(all) == 1 ? isl_map_from_union_map(isl_union_map_copy(all)) : NULL;
  isl_union_map_free(all);
  if (time && isl_map_is_single_valued(time) == isl_bool_true) {
    isl_pw_multi_aff *number = isl_pw_multi_aff_from_map(isl_map_copy(time));
    isl_size n = isl_pw_multi_aff_dim(number, isl_dim_out);
    for (; numbers->n < n && numbers->n < TSR_MOST_NUMBERS; numbers->n++) {
      isl_ast_expr *expr = isl_ast_build_expr_from_pw_aff(build, isl_pw_multi_aff_get_at(number, numbers->n));
      bool inner = needs_inner(isl_ast_expr_copy(expr), time, numbers->n);
      numbers->at[numbers->n] = inner ? isl_ast_expr_free(expr) : expr;
    }
    isl_pw_multi_aff_free(number);
  }
  isl_map_free(time);
}

isl_ast_node *tsr_ast_add_numbers(isl_ast_node *node, isl_ast_build *build, isl_union_map *times)
{
  struct numbers *numbers = calloc(1, sizeof(*numbers));
  if (!numbers)
    return isl_ast_node_free(node);
  add_numbers(numbers, build, times);
  numbers->note = isl_ast_node_get_annotation(node);
  isl_id *all = isl_id_alloc(isl_ast_build_get_ctx(build), numbers_name, numbers);
  if (!all)
    free_numbers(numbers);
  return isl_ast_node_set_annotation(node, isl_id_set_free_user(all, free_numbers));
}

/* Add those of a kernel at NODE; where that is of blocks, of their threads, too. */
static isl_bool add_times(isl_schedule_node *node, void *user)
{
  isl_union_map **times = user;
  const struct tsr_mark *mark = tsr_node_mark(node);
  bool threads = tsr_mark_is(mark, TSR_MARK_THREADS), kernel = tsr_mark_is(mark, TSR_MARK_KERNEL);
  if (!(threads || kernel) || mark->kernel.n == 0 || (kernel && mark->kernel.n_size > 0))
    return isl_bool_true;
  isl_schedule_node *inside = isl_schedule_node_get_child(node, 0);
  isl_union_set *domain = isl_schedule_node_get_domain(inside);
  inside = isl_schedule_node_first_child(inside);
  isl_multi_union_pw_aff *time = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(inside);
  isl_union_map *own = isl_union_map_from_multi_union_pw_aff(isl_multi_union_pw_aff_reset_tuple_id(time, isl_dim_set));
  *times = isl_union_map_union(*times, isl_union_map_intersect_domain(own, domain));
  isl_schedule_node_free(inside);
  return isl_bool_false;
}

isl_union_map *tsr_tree_kernel_times(isl_schedule *tree)
{
  isl_union_map *times = isl_union_map_empty(isl_space_params_alloc(isl_schedule_get_ctx(tree), 0));
  if (isl_schedule_foreach_schedule_node_top_down(tree, add_times, &times) < 0)
    return isl_union_map_free(times);
  return times;
}

/* The numbers at USER, while it lives; NULL: none */
static const struct numbers *numbers_at(isl_ast_node *user)
{
  isl_id *note = isl_ast_node_get_annotation(user);
  const struct numbers *numbers = note && !strcmp(isl_id_get_name(note), numbers_name) ? isl_id_get_user(note) : NULL;
  isl_id_free(note);
  return numbers;
}

isl_id *tsr_ast_note(isl_ast_node *user)
{
  const struct numbers *numbers = numbers_at(user);
  return numbers ? isl_id_copy(numbers->note) : isl_ast_node_get_annotation(user);
}

isl_ast_expr *tsr_ast_number(isl_ast_node *user, int depth)
{
  const struct numbers *numbers = numbers_at(user);
  return numbers && depth < numbers->n ? isl_ast_expr_copy(numbers->at[depth]) : NULL;
}
