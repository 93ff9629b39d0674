/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The frame of rows about loops. From the root down along a statement: bands are taken apart on the way, and the first one
 * that the arguments name is given to the row; then the next piece of the statement.
 *
 *   sequence - filter - B(i, j) - X   ->   sequence - filter - B(i) - [what the row makes of B(j) - X] */
#include "tree/rows/rows.h"
#include <isl/id.h>
#include <stdlib.h>
#include <string.h>

const char *tsr_stmt_name(const struct tsr_edit *edit)
{
  return edit->scop->stmts[edit->stmt].name;
}

isl_schedule_node *tsr_edit_refuse(struct tsr_edit *edit, isl_schedule_node *node, const char *format, ...)
{
  if (edit->why && !*edit->why) {
    va_list args;
    va_start(args, format);
    *edit->why = tsr_message_text(format, args);
    va_end(args);
  }
  edit->failed = true;
  isl_schedule_node_free(node);
  return NULL;
}

bool tsr_loop_is_marked(isl_schedule_node *node)
{
  return isl_schedule_node_get_parent_type(node) == isl_schedule_node_mark ||
         isl_schedule_node_band_member_get_ast_loop_type(node, 0) == isl_ast_loop_unroll;
}

/* Do the members of the band at NODE belong together, for the sake of a mark? */
static bool is_whole(__isl_keep isl_schedule_node *node)
{
  return isl_schedule_node_get_parent_type(node) == isl_schedule_node_mark;
}

/* Is the loop of NODE one of those that the arguments name? */
static bool is_wanted(__isl_keep isl_schedule_node *node, struct tsr_edit *edit, int n_param)
{
  for (int p = 0; p < n_param; p++)
    for (int k = 0; k < edit->args->n[p]; k++)
      if (tsr_member_is_called(node, 0, edit->scop, edit->stmt, edit->args->value[p][k].text))
        return true;
  return false;
}

/* How many of the row's first parameters are loops? */
static int n_loop_params(const struct tsr_args *args)
{
  int n = 0;
  while (args->row->param[n].name && args->row->param[n].kind == TSR_PARAM_LOOP)
    n++;
  return n;
}

/* Edit what is at and below NODE, which runs the statement. */
static __isl_give isl_schedule_node *walk(__isl_take isl_schedule_node *node, struct tsr_edit *edit, tsr_edit_fn fn)
{
  if (isl_schedule_node_get_type(node) == isl_schedule_node_band) {
    if (isl_schedule_node_band_n_member(node) > 1 && !is_whole(node))
      node = isl_schedule_node_band_split(node, 1);
    if (isl_schedule_node_band_n_member(node) == 1 && is_wanted(node, edit, n_loop_params(edit->args))) {
      edit->found++;
      return fn(node, edit);
    }
  }
  isl_size n = isl_schedule_node_n_children(node);
  for (int i = 0; i < n && !edit->failed; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(node, i);
    bool has = tsr_node_has_stmt(child, edit->scop, edit->stmt);
    isl_schedule_node_free(child);
    if (has)
      node = isl_schedule_node_parent(walk(isl_schedule_node_child(node, i), edit, fn));
  }
  return node;
}

/* ---- what is asked for before anything changes --------------------------------------------------------- */

/* The number of NAME in NAMES; -1: it is none of them. */
static int find_name(const struct tsr_loop_name *names, int n, const char *name)
{
  for (int i = 0; i < n; i++)
    if (!strcmp(names[i].text, name))
      return i;
  return -1;
}

/* Complain that there is no loop NAME. */
static bool refuse_unknown(struct tsr_edit *edit, const struct tsr_loop_name *names, int n, const char *name)
{
  char list[1024] = "";
  size_t used = 0;
  for (int i = 0; i < n && used < sizeof(list); i++)
    used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", names[i].text);
  tsr_edit_refuse(edit, NULL, "%s has no loop '%s'; it has %s", tsr_stmt_name(edit), name, n ? list : "none");
  return false;
}

/* *USER: the most loops around anything, NODE included. */
static isl_bool find_depth(__isl_keep isl_schedule_node *node, void *user)
{
  int *most = user;
  int depth = (int)isl_schedule_node_get_schedule_depth(node);
  if (isl_schedule_node_get_type(node) == isl_schedule_node_band)
    depth += (int)isl_schedule_node_band_n_member(node);
  *most = depth > *most ? depth : *most;
  return isl_bool_true;
}

/* Is NAME that of a loop by its depth, and is there one so deep? */
static bool is_depth(__isl_keep isl_schedule *tree, const char *name)
{
  int most = 0;
  isl_schedule_foreach_schedule_node_top_down(tree, find_depth, &most);
  return !tsr_loop_name_is_free(name) && atoi(name + 1) < most;
}

/* Are the new names of ARGS new? */
static bool check_new(struct tsr_edit *edit, const struct tsr_loop_name *names, int n)
{
  const struct tsr_args *args = edit->args;
  const struct tsr_row *row = args->row;
  for (int p = 0; p < TSR_MAX_PARAM && row->param[p].name; p++)
    for (int k = 0; k < args->n[p] && row->param[p].kind == TSR_PARAM_NAME; k++) {
      const char *name = args->value[p][k].text;
      bool leaves = false;
      for (int q = 0; q < p; q++)
        for (int l = 0; l < args->n[q] && row->param[q].kind == TSR_PARAM_LOOP; l++)
          leaves |= !strcmp(args->value[q][l].text, name);
      if (find_name(names, n, name) >= 0 && !leaves) {
        tsr_edit_refuse(edit, NULL, "%s has a loop '%s' already", tsr_stmt_name(edit), name);
        return false;
      }
    }
  return true;
}

/* Are the loops of ARGS there, and is none of the new ones? */
static bool check_names(struct tsr_edit *edit)
{
  const struct tsr_row *row = edit->args->row;
  struct tsr_loop_name *names = NULL;
  isl_size n = tsr_stmt_loops(edit->program->tree, edit->scop, edit->stmt, &names);
  bool ok = n >= 0;
  for (int p = 0; p < TSR_MAX_PARAM && row->param[p].name; p++)
    for (int k = 0; k < edit->args->n[p] && ok && row->param[p].kind == TSR_PARAM_LOOP; k++) {
      const char *name = edit->args->value[p][k].text;
      if (find_name(names, n, name) < 0 && !is_depth(edit->program->tree, name))
        ok = refuse_unknown(edit, names, n, name);
    }
  ok = ok && check_new(edit, names, n);
  free(names);
  return ok;
}

/* Count the marks for threads in *USER. */
static isl_bool count_threads(__isl_keep isl_schedule_node *node, void *user)
{
  *(int *)user += tsr_node_is_for_threads(node);
  return isl_bool_true;
}

struct tsr_program *tsr_program_edit(struct tsr_program *program, const struct tsr_args *args, tsr_edit_fn fn, void *user,
                                     char **why)
{
  struct tsr_edit edit = {
      .program = program, .scop = program->scop, .args = args, .stmt = args->stmt, .why = why, .user = user};
  isl_schedule_foreach_schedule_node_top_down(program->tree, count_threads, &edit.n_parallel);
  if (!check_names(&edit))
    return tsr_program_free(program);
  isl_schedule_node *root = walk(isl_schedule_get_root(program->tree), &edit, fn);
  isl_schedule *tree = isl_schedule_node_get_schedule(root);
  isl_schedule_node_free(root);
  if (tree && !edit.found) {
    tsr_edit_refuse(&edit, NULL, "loop '%s' of %s %s", args->value[0][0].text, tsr_stmt_name(&edit),
                    edit.left ? edit.left : "is not where it was looked for");
    tree = isl_schedule_free(tree);
  }
  return tsr_program_set_tree(program, tree);
}

/* ---- chains -------------------------------------------------------------------------------------------- */

void tsr_chain_add(struct tsr_chain *chain, isl_union_pw_aff *row, const char *name, bool given)
{
  struct tsr_loop_name *to = &chain->name[chain->n];
  snprintf(to->text, sizeof(to->text), "%s", name);
  chain->given[chain->n] = given;
  chain->row[chain->n++] = row;
}

int tsr_chain_find(const struct tsr_chain *chain, const char *name)
{
  for (int i = 0; i < chain->n; i++)
    if (!strcmp(chain->name[i].text, name))
      return i;
  return -1;
}

void tsr_chain_clear(struct tsr_chain *chain)
{
  for (int i = 0; i < chain->n; i++)
    isl_union_pw_aff_free(chain->row[i]);
  chain->n = 0;
}

/* How many loops do the first N_PARAM parameters name? */
static int n_wanted(const struct tsr_args *args, int n_param)
{
  int n = 0;
  for (int p = 0; p < n_param; p++)
    n += args->n[p];
  return n;
}

/* What stands where a loop of the statement was looked for, in words. */
static const char *obstacle(__isl_keep isl_schedule_node *node)
{
  switch (isl_schedule_node_get_type(node)) {
  case isl_schedule_node_sequence:
  case isl_schedule_node_set:
    return "there are several statements between them: distribute first";
  case isl_schedule_node_leaf:
    return "they aren't one inside of the other";
  default:
    return "there is a marked loop between them: mark loops last";
  }
}

isl_schedule_node *tsr_chain_take(isl_schedule_node *node, struct tsr_edit *edit, int n_param, struct tsr_chain *chain)
{
  int missing = n_wanted(edit->args, n_param);
  chain->n = 0;
  while (node && missing > 0) {
    if (isl_schedule_node_get_type(node) != isl_schedule_node_band || chain->n == TSR_MAX_CHAIN) {
      node = tsr_edit_refuse(edit, node, "loops of %s: %s", tsr_stmt_name(edit), obstacle(node));
      break;
    }
    if (isl_schedule_node_band_n_member(node) > 1)
      node = isl_schedule_node_band_split(node, 1);
    struct tsr_loop_name name = tsr_member_name(node, 0, edit->scop, edit->stmt);
    if (tsr_loop_is_marked(node)) {
      node =
          tsr_edit_refuse(edit, node, "loop '%s' of %s is marked or unrolled: do that last", name.text, tsr_stmt_name(edit));
      break;
    }
    missing -= is_wanted(node, edit, n_param);
    isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
    tsr_chain_add(chain, isl_multi_union_pw_aff_get_at(partial, 0), name.text, tsr_member_has_name(partial, 0));
    isl_multi_union_pw_aff_free(partial);
    node = isl_schedule_node_delete(node);
  }
  if (!node)
    tsr_chain_clear(chain);
  return node;
}

isl_schedule_node *tsr_chain_put(isl_schedule_node *node, struct tsr_chain *chain)
{
  for (int i = chain->n - 1; i >= 0; i--)
    node = tsr_node_insert_loop(node, chain->row[i], chain->given[i] ? chain->name[i].text : NULL);
  chain->n = 0;
  return node;
}
