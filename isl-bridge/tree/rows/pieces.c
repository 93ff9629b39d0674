/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows that take a loop apart:
 *
 *   index_set_split(i, f, below, above)   B(i) - X   ->   sequence - { i < f } - B(below = i) - X
 *                                                                  - { i >= f } - B(above = i) - X
 *   distribute(i)    B(i) - X   ->   sequence - { statements before S } - B(i) - X
 *                                             - { S } - B(i) - X
 *                                             - { those behind it } - B(i) - X
 *   separate(i)      B(i) - X   ->   sequence - { in front } - B(i) - X      where accesses have one form in the middle:
 *                                             - { in the middle } - B(i) - X    see access_pieces.c
 *                                             - { behind it } - B(i) - X
 *
 * f is affine in parameters and in the loops around i. Without names both loops keep theirs. */
#include "tree/rows/rows.h"
#include <isl/id.h>
#include <isl/space.h>
#include <string.h>

/* ---- index-set splitting ------------------------------------------------------------------------------- */

/* Write the names of the loops around NODE to OUT, each with a comma behind it. */
static void print_outer(__isl_keep isl_schedule_node *node, struct tsr_edit *edit, FILE *out)
{
  if (isl_schedule_node_has_parent(node) != isl_bool_true)
    return;
  isl_schedule_node *parent = isl_schedule_node_parent(isl_schedule_node_copy(node));
  print_outer(parent, edit, out);
  bool band = isl_schedule_node_get_type(parent) == isl_schedule_node_band;
  for (int i = 0; band && i < isl_schedule_node_band_n_member(parent); i++)
    fprintf(out, "%s, ", tsr_member_name(parent, i, edit->scop, edit->stmt).text);
  isl_schedule_node_free(parent);
}

/* { [loops around, tsr_at] : tsr_at < EXPR } over the SCoP's parameters; NULL: isl can't read that. */
static __isl_give isl_set *read_side(__isl_keep isl_schedule_node *node, struct tsr_edit *edit, const char *expr)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  isl_set *context = edit->scop->context;
  isl_size n = isl_set_dim(context, isl_dim_param);
  fputc('[', out);
  for (int i = 0; i < n; i++)
    fprintf(out, "%s%s", i ? ", " : "", isl_set_get_dim_name(context, isl_dim_param, (unsigned)i));
  fputs("] -> { [", out);
  print_outer(node, edit, out);
  fprintf(out, "tsr_at] : tsr_at < (%s) }", expr);
  fclose(out);
  isl_set *side = isl_set_read_from_str(edit->scop->ctx, text);
  free(text);
  return side;
}

/* { S[i] : the loops around NODE and its own are in SIDE }; the others. */
static __isl_give isl_union_set_list *split_instances(__isl_keep isl_schedule_node *node, __isl_take isl_set *side)
{
  isl_schedule_node *below = isl_schedule_node_child(isl_schedule_node_copy(node), 0);
  isl_union_map *time = isl_schedule_node_get_prefix_schedule_relation(below);
  isl_schedule_node_free(below);
  isl_union_set *all = isl_union_map_domain(isl_union_map_copy(time));
  time = isl_union_map_intersect_range(time, isl_union_set_from_set(side));
  isl_union_set *first = isl_union_set_coalesce(isl_union_map_domain(time));
  isl_union_set *second = isl_union_set_coalesce(isl_union_set_subtract(all, isl_union_set_copy(first)));
  return isl_union_set_list_add(isl_union_set_list_from_union_set(first), second);
}

/* Is one of LIST empty? */
static bool has_empty(__isl_keep isl_union_set_list *list)
{
  bool found = false;
  for (int i = 0; i < isl_union_set_list_n_union_set(list); i++) {
    isl_union_set *set = isl_union_set_list_get_at(list, i);
    found |= isl_union_set_is_empty(set) != isl_bool_false;
    isl_union_set_free(set);
  }
  return found;
}

/* Call the loops below the children of the sequence at NODE as value[2] says. */
static __isl_give isl_schedule_node *name_pieces(__isl_take isl_schedule_node *node, struct tsr_edit *edit)
{
  for (int i = 0; i < edit->args->n[2]; i++) {
    node = isl_schedule_node_grandchild(node, i, 0);
    isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
    node = isl_schedule_node_delete(node);
    node = tsr_node_insert_loop(node, isl_multi_union_pw_aff_get_at(partial, 0), edit->args->value[2][i].text);
    isl_multi_union_pw_aff_free(partial);
    node = isl_schedule_node_parent(isl_schedule_node_parent(node));
  }
  return node;
}

/* The sequence of the loop below the value and the loop from there on. */
static __isl_give isl_schedule_node *split_index_set(__isl_take isl_schedule_node *node, struct tsr_edit *edit)
{
  const char *expr = edit->args->value[1][0].text;
  struct tsr_loop_name loop = tsr_member_name(node, 0, edit->scop, edit->stmt);
  if (tsr_loop_is_marked(node))
    return tsr_edit_refuse(edit, node, "loop '%s' of %s is marked or unrolled: do that last", loop.text,
                           tsr_stmt_name(edit));
  isl_set *side = read_side(node, edit, expr);
  if (!side) {
    isl_ctx_reset_error(edit->scop->ctx);
    return tsr_edit_refuse(edit, node, "'%s' is no affine expression over parameters and loops around '%s'", expr,
                           loop.text);
  }
  isl_union_set_list *filters = split_instances(node, side);
  if (has_empty(filters)) {
    isl_union_set_list_free(filters);
    return tsr_edit_refuse(edit, node, "all iterations of loop '%s' are on one side of %s", loop.text, expr);
  }
  return name_pieces(isl_schedule_node_insert_sequence(node, filters), edit);
}

/* PROGRAM without what has no instances any more. */
static struct tsr_program *tidy(struct tsr_program *program)
{
  isl_schedule *tree = program ? tsr_tree_copy(program->tree, NULL, NULL) : NULL;
  return tsr_program_set_tree(program, tree);
}

struct tsr_program *tsr_row_index_set_split(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return tidy(tsr_program_edit(program, args, split_index_set, NULL, why));
}

/* ---- separation of accesses ------------------------------------------------------------------------------ */

/* The loop at NODE in parts in which accesses have one form. */
static __isl_give isl_schedule_node *separate(__isl_take isl_schedule_node *node, struct tsr_edit *edit)
{
  struct tsr_loop_name loop = tsr_member_name(node, 0, edit->scop, edit->stmt);
  bool found = false;
  if (tsr_loop_is_marked(node))
    return tsr_edit_refuse(edit, node, "loop '%s' of %s is marked or unrolled: do that last", loop.text,
                           tsr_stmt_name(edit));
  node = tsr_band_separate(node, edit->scop, loop.text, &found);
  return found ? node
               : tsr_edit_refuse(edit, node,
                                 "no access of %s has a form in loop '%s' that most of its iterations have, and not all",
                                 tsr_stmt_name(edit), loop.text);
}

struct tsr_program *tsr_row_separate(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return tidy(tsr_program_edit(program, args, separate, NULL, why));
}

/* ---- distribution -------------------------------------------------------------------------------------- */

struct parts {
  struct tsr_edit *edit;
  isl_union_set *part[3]; /* { S[i] } without conditions: before the statement, it, behind it */
  bool behind;
};

/* Put the statement of SET where the leaf at hand is, unless it is somewhere already. */
static isl_stat add_set(__isl_take isl_set *set, void *user)
{
  struct parts *parts = user;
  isl_set *all = isl_set_universe(isl_set_get_space(set));
  isl_set_free(set);
  isl_union_set *mine = isl_union_set_from_set(all);
  for (int i = 0; i < 3; i++)
    if (isl_union_set_is_subset(mine, parts->part[i]) != isl_bool_false) {
      isl_union_set_free(mine);
      return isl_stat_ok;
    }
  int which = parts->behind ? 2 : 0;
  parts->part[which] = isl_union_set_union(parts->part[which], mine);
  return isl_stat_ok;
}

/* The statements of LEAF are before the statement until its own leaf has come. */
static isl_stat add_leaf(__isl_keep isl_schedule_node *leaf, void *user)
{
  struct parts *parts = user;
  isl_union_set *domain = isl_schedule_node_get_domain(leaf);
  parts->behind |= isl_union_set_is_disjoint(domain, parts->part[1]) == isl_bool_false;
  isl_stat ok = isl_union_set_foreach_set(domain, add_set, parts);
  isl_union_set_free(domain);
  return ok;
}

/* The sequence of the loop for what is in front of the statement, for it, and for what is behind it. */
static __isl_give isl_schedule_node *distribute(__isl_take isl_schedule_node *node, struct tsr_edit *edit)
{
  struct parts parts = {.edit = edit};
  struct tsr_loop_name loop = tsr_member_name(node, 0, edit->scop, edit->stmt);
  if (tsr_loop_is_marked(node))
    return tsr_edit_refuse(edit, node, "loop '%s' of %s is marked or unrolled: do that last", loop.text,
                           tsr_stmt_name(edit));
  for (int i = 0; i < 3; i++)
    parts.part[i] = isl_union_set_empty_ctx(edit->scop->ctx);
  isl_set *own = isl_set_universe(isl_set_get_space(edit->scop->stmts[edit->stmt].domain));
  parts.part[1] = isl_union_set_add_set(parts.part[1], own);
  isl_stat ok = tsr_node_foreach_leaf(node, add_leaf, &parts);
  isl_union_set_list *filters = isl_union_set_list_alloc(edit->scop->ctx, 3);
  for (int i = 0; i < 3; i++)
    if (isl_union_set_is_empty(parts.part[i]) == isl_bool_false)
      filters = isl_union_set_list_add(filters, parts.part[i]);
    else
      isl_union_set_free(parts.part[i]);
  if (ok < 0 || isl_union_set_list_n_union_set(filters) < 2) {
    isl_union_set_list_free(filters);
    return tsr_edit_refuse(edit, node, "%s is alone in loop '%s'", tsr_stmt_name(edit), loop.text);
  }
  return isl_schedule_node_insert_sequence(node, filters);
}

struct tsr_program *tsr_row_distribute(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return tidy(tsr_program_edit(program, args, distribute, NULL, why));
}
