/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In which iterations is an instance? isl drops a loop that runs once and puts its iterator's value in its place:
 *
 *   if (n >= 1) S(0, n - 1)           instead of for (c0 = n - 1; c0 <= n - 1; c0++) S(0, c0)
 *   for (c0 = n; c0 <= m; c0++) T(c0)
 *
 * A kernel has to know that S's iteration is n - 1, as it is the thread's (pass/emit/gpu/kernel_loops.c). So the user nodes
 * of trees with kernels have the numbers at them, and with these what else was there. Where the outer iterators tell which
 * instance it is, isl goes no deeper: then the tree says the rest. */
#include "ast/ast.h"
#include "tree/tree.h"
#include <isl/id.h>
#include <isl/local_space.h>
#include <isl/space.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <stdlib.h>
#include <string.h>

static const char numbers_name[] = "numbers";

struct numbers {
  int n;
  isl_ast_expr *at[TSR_MOST_NUMBERS]; /* by depth */
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

/* The numbers of the instance at hand that BUILD hasn't got to, by TIMES. */
static void add_others(struct numbers *numbers, isl_ast_build *build, isl_union_map *times)
{
  isl_union_map *instances = isl_union_map_reverse(isl_ast_build_get_schedule(build));
  isl_union_map *all = isl_union_map_apply_range(instances, isl_union_map_copy(times));
  isl_map *time = isl_union_map_n_map(all) == 1 ? isl_map_from_union_map(isl_union_map_copy(all)) : NULL;
  isl_union_map_free(all);
  if (time && isl_map_is_single_valued(time) == isl_bool_true) {
    isl_pw_multi_aff *number = isl_pw_multi_aff_from_map(isl_map_copy(time));
    isl_size n = isl_pw_multi_aff_dim(number, isl_dim_out);
    for (; numbers->n < n && numbers->n < TSR_MOST_NUMBERS; numbers->n++)
      numbers->at[numbers->n] = isl_ast_build_expr_from_pw_aff(build, isl_pw_multi_aff_get_at(number, numbers->n));
    isl_pw_multi_aff_free(number);
  }
  isl_map_free(time);
}

isl_ast_node *tsr_ast_add_numbers(isl_ast_node *node, isl_ast_build *build, isl_union_map *times)
{
  struct numbers *numbers = calloc(1, sizeof(*numbers));
  if (!numbers)
    return isl_ast_node_free(node);
  isl_space *space = isl_ast_build_get_schedule_space(build);
  isl_size depth = isl_space_dim(space, isl_dim_set);
  for (int i = 0; i < depth && i < TSR_MOST_NUMBERS; i++) {
    isl_local_space *domain = isl_local_space_from_space(isl_space_copy(space));
    isl_pw_aff *number = isl_pw_aff_var_on_domain(domain, isl_dim_set, (unsigned)i);
    numbers->at[numbers->n++] = isl_ast_build_expr_from_pw_aff(build, number);
  }
  isl_space_free(space);
  add_others(numbers, build, times);
  numbers->note = isl_ast_node_get_annotation(node);
  isl_id *all = isl_id_alloc(isl_ast_build_get_ctx(build), numbers_name, numbers);
  return isl_ast_node_set_annotation(node, isl_id_set_free_user(all, free_numbers));
}

/* Add those of a kernel at NODE. */
static isl_bool add_times(isl_schedule_node *node, void *user)
{
  isl_union_map **times = user;
  if (!tsr_node_is_mark(node, TSR_MARK_KERNEL) || tsr_node_mark(node)->kernel.n == 0)
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
