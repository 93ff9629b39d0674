/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A result as commands. What was commanded is repeated. Any other tree of loops and sequences is one set_schedule, and a
 * command for each mark:
 *
 *   D - B(i + j) - mark "parallel" - B(j)   ->   set_schedule("{ S[i, j] -> [i + j, j] }")
 *                                                S.parallelize(j)
 *
 * What other marks say has no command yet. */
#include "commands/commands.h"
#include "support/message.h"
#include <isl/id.h>
#include <isl/space.h>
#include <stdlib.h>
#include <string.h>

/* ---- can it be said? ----------------------------------------------------------------------------------- */

/* The commands that put marks; "private" puts those with private arrays. */
static const char *const row_of_mark[TSR_N_MARK] = {
    [TSR_MARK_PARALLEL] = "parallelize", [TSR_MARK_DOACROSS] = "doacross", [TSR_MARK_VECTOR] = "vectorize"};

/* Set *USER to a word for what has no command at NODE. */
static isl_bool find_unknown(__isl_keep isl_schedule_node *node, void *user)
{
  char **what = user;
  switch (isl_schedule_node_get_type(node)) {
  case isl_schedule_node_mark: {
    const struct tsr_mark *mark = tsr_node_mark(node);
    isl_id *id = isl_schedule_node_mark_get_id(node);
    if (!mark || !row_of_mark[mark->kind])
      tsr_message_set(what, "the mark '%s'", isl_id_get_name(id));
    isl_id_free(id);
    break;
  }
  case isl_schedule_node_band:
    for (int i = 0; i < isl_schedule_node_band_n_member(node); i++)
      if (isl_schedule_node_band_member_get_ast_loop_type(node, i) == isl_ast_loop_unroll)
        tsr_message_set(what, "an unrolled loop");
    break;
  case isl_schedule_node_set:
    tsr_message_set(what, "parts in no order");
    break;
  case isl_schedule_node_extension:
  case isl_schedule_node_expansion:
    tsr_message_set(what, "instances that were added");
    break;
  default:
    break;
  }
  return isl_bool_true;
}

/* ---- loops of the printed schedule by their values ----------------------------------------------------- */

/* The name, for `stmt`, of the loop that runs through `row`. */
struct lookup {
  struct tsr_scop *scop;
  int stmt;
  isl_pw_aff *row;
  bool last; /* of several loops of the same values, the innermost? */
  int depth;
  struct tsr_loop_name name;
  bool found;
};

/* Member I of BAND for the instances of STMT there. */
static __isl_give isl_pw_aff *row_of(__isl_keep isl_schedule_node *band, int i, struct tsr_scop *scop, int stmt)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(band);
  isl_union_pw_aff *row = isl_multi_union_pw_aff_get_at(partial, i);
  isl_space *space = isl_space_from_domain(isl_set_get_space(scop->stmts[stmt].domain));
  isl_pw_aff *own = isl_union_pw_aff_extract_pw_aff(row, isl_space_add_dims(space, isl_dim_out, 1));
  isl_union_set *here = isl_schedule_node_get_domain(band);
  isl_set *part = isl_union_set_extract_set(here, isl_set_get_space(scop->stmts[stmt].domain));
  isl_union_set_free(here);
  isl_union_pw_aff_free(row);
  isl_multi_union_pw_aff_free(partial);
  return isl_pw_aff_intersect_domain(own, part);
}

/* Look at the members of NODE, if it is a band. */
static isl_bool find_loop(__isl_keep isl_schedule_node *node, void *user)
{
  struct lookup *lookup = user;
  bool band = isl_schedule_node_get_type(node) == isl_schedule_node_band;
  for (int i = 0; band && i < isl_schedule_node_band_n_member(node) && (lookup->last || !lookup->found); i++) {
    isl_pw_aff *row = row_of(node, i, lookup->scop, lookup->stmt);
    if (isl_pw_aff_is_equal(row, lookup->row) == isl_bool_true) {
      lookup->found = true;
      lookup->name = tsr_member_name(node, i, lookup->scop, lookup->stmt);
      lookup->depth = (int)isl_schedule_node_get_schedule_depth(node) + i;
    }
    isl_pw_aff_free(row);
  }
  return isl_bool_true;
}

/* Is there a loop of that name at another depth? */
static isl_bool is_unique(__isl_keep isl_schedule_node *node, void *user)
{
  struct lookup *lookup = user;
  bool other = false;
  bool band = isl_schedule_node_get_type(node) == isl_schedule_node_band;
  for (int i = 0; band && i < isl_schedule_node_band_n_member(node); i++) {
    struct tsr_loop_name name = tsr_member_name(node, i, lookup->scop, lookup->stmt);
    int depth = (int)isl_schedule_node_get_schedule_depth(node) + i;
    other |= !strcmp(name.text, lookup->name.text) && depth != lookup->depth;
  }
  return isl_bool_ok(!other);
}

/* The name of the loop of TREE that LOOKUP is about: by depth, where another loop has its name. False: there is none. */
static bool look_up(__isl_keep isl_schedule *tree, struct lookup *lookup)
{
  isl_schedule_foreach_schedule_node_top_down(tree, find_loop, lookup);
  isl_pw_aff_free(lookup->row);
  isl_schedule_node *root = isl_schedule_get_root(tree);
  if (lookup->found && isl_schedule_node_every_descendant(root, is_unique, lookup) != isl_bool_true)
    snprintf(lookup->name.text, sizeof(lookup->name.text), "c%d", lookup->depth);
  isl_schedule_node_free(root);
  return lookup->found;
}

/* ---- marks --------------------------------------------------------------------------------------------- */

struct printer {
  struct tsr_scop *scop;
  isl_schedule *tree; /* what the printed schedule makes */
  FILE *out;          /* of the mark at hand */
  char *marks;        /* those so far: one command is for all pieces of a statement */
};

/* A statement at NODE. */
static int any_stmt(__isl_keep isl_schedule_node *node, struct tsr_scop *scop)
{
  int found = -1;
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  for (int i = scop->n_stmt - 1; i >= 0; i--) {
    isl_set *part = isl_union_set_extract_set(domain, isl_set_get_space(scop->stmts[i].domain));
    found = isl_set_plain_is_empty(part) == isl_bool_false ? i : found;
    isl_set_free(part);
  }
  isl_union_set_free(domain);
  return found;
}

/* The command that puts MARK above BAND. */
static void print_mark(struct printer *p, __isl_keep isl_schedule_node *band, const struct tsr_mark *mark)
{
  int stmt = any_stmt(band, p->scop);
  int n_private = mark->kind == TSR_MARK_PARALLEL ? mark->private_arrays.n : 0;
  const char *row = n_private > 0 ? "private" : row_of_mark[mark->kind];
  int n = mark->kind == TSR_MARK_DOACROSS ? 2 : 1;
  struct tsr_loop_name loop[2];
  for (int i = 0; i < n; i++) {
    struct lookup lookup = {.scop = p->scop, .stmt = stmt, .row = row_of(band, i, p->scop, stmt)};
    lookup.last = mark->kind == TSR_MARK_VECTOR;
    if (!look_up(p->tree, &lookup)) { /* it runs once */
      char *text = tsr_mark_write(mark);
      fprintf(p->out, "  # a loop of %s with the mark '%s' runs once\n", p->scop->stmts[stmt].name, text ? text : row);
      free(text);
      return;
    }
    loop[i] = lookup.name;
  }
  fprintf(p->out, "  %s.%s(%s%s%s", p->scop->stmts[stmt].name, row, loop[0].text, n > 1 ? ", " : "",
          n > 1 ? loop[1].text : "");
  for (int i = 0; i < n_private; i++)
    fprintf(p->out, ", %s", mark->private_arrays.name[i]);
  if (mark->kind == TSR_MARK_VECTOR && mark->number > 0)
    fprintf(p->out, ", %d", mark->number);
  fputs(")\n", p->out);
}

/* Add the command for the mark at NODE, unless it is there. */
static isl_bool visit_mark(__isl_keep isl_schedule_node *node, void *user)
{
  struct printer *p = user;
  char *text = NULL;
  size_t size;
  const struct tsr_mark *mark = tsr_node_mark(node);
  if (!mark)
    return isl_bool_true;
  isl_schedule_node *band = isl_schedule_node_get_child(node, 0);
  p->out = open_memstream(&text, &size);
  print_mark(p, band, mark);
  fclose(p->out);
  size_t used = p->marks ? strlen(p->marks) : 0;
  char *more = p->marks && strstr(p->marks, text) ? NULL : realloc(p->marks, used + size + 1);
  if (more) {
    strcpy(more + used, text);
    p->marks = more;
  }
  free(text);
  isl_schedule_node_free(band);
  return isl_bool_true;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

/* TREE as a schedule and marks. False: isl gave up. */
static bool print_tree(__isl_keep isl_schedule *tree, struct tsr_scop *scop, FILE *out)
{
  isl_union_set *domain = isl_schedule_get_domain(tree);
  isl_union_map *map = isl_union_map_intersect_domain(isl_schedule_get_map(tree), isl_union_set_copy(domain));
  isl_union_pw_multi_aff *rows = isl_union_pw_multi_aff_from_union_map(map);
  rows = isl_union_pw_multi_aff_gist(rows, isl_union_set_copy(domain));
  char *text = isl_union_pw_multi_aff_to_str(rows);
  isl_union_map *again = isl_union_map_from_union_pw_multi_aff(rows);
  isl_multi_union_pw_aff *times = isl_multi_union_pw_aff_from_union_map(again);
  struct printer p = {.scop = scop, .tree = tsr_schedule_from_rows(domain, times)};
  bool good = text && p.tree;
  if (good) {
    fprintf(out, "%s:\n  set_schedule(\"%s\")\n", scop->name, text);
    isl_schedule_foreach_schedule_node_top_down(tree, visit_mark, &p);
    fprintf(out, "%s  only\n", p.marks ? p.marks : "");
  }
  free(p.marks);
  isl_schedule_free(p.tree);
  free(text);
  return good;
}

void tsr_print_commands(struct tsr_scop *scop, const struct tsr_result *result, FILE *out)
{
  char *unknown = NULL;
  if (result->verdict != TSR_OK || !result->n_variant) {
    fprintf(out, "# %s is left as it is\n", scop->name);
    return;
  }
  if (result->commanded) {
    fprintf(out, "%s:\n", scop->name);
    fputs(result->commands ? result->commands : "", out);
    return;
  }
  isl_schedule_foreach_schedule_node_top_down(result->variant[0].tree, find_unknown, &unknown);
  if (!unknown && result->n_variant > 1)
    tsr_message_set(&unknown, "another tree on one thread");
  if (unknown)
    fprintf(out, "# %s: there is no command yet for %s\n", scop->name, unknown);
  else if (!print_tree(result->variant[0].tree, scop, out))
    fprintf(out, "# %s: isl can't write the schedule as a function\n", scop->name);
  free(unknown);
}
