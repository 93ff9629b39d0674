/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* fuse(T, level): statement S, and what shares loops with it, runs in the loops of T from the outermost that they don't
 * share down to `level`. Where S has loops of these names on the outside, they are what is joined:
 *
 *   sequence - F_S - B(i, j) - X   ->   B(i) - sequence - F_S - B(j) - X              S.fuse(T, i)
 *            - F_T - B(i, k) - Y                        - F_T - B(k) - Y
 *
 * Else S runs where T runs its instance of the same counters, name by name or, where they have other names, one by one; S
 * keeps its own loops, of which what is left runs inside:
 *
 *   sequence - F_S - B(i, j) - X                       ->   B(i0 = i / 32) - sequence - F_S - B(i, j) - X
 *            - F_T - B(i0 = i / 32, i1 = i % 32) - Y                                  - F_T - B(i1) - Y
 *
 * The order of S and T stays, other statements may change places with S.
 *
 * shifted_fusion(rows): all nests, so many rows behind each other as they must be; see shifted_fusion.c. */
#include "tree/rows/rows.h"
#include "tree/stages/outer_nests.h"
#include <isl/id.h>
#include <isl/space.h>
#include <string.h>

/* One side: a child of the sequence, and its loops that are taken. */
struct side {
  int stmt, child;
  isl_union_set *filter;
  isl_schedule_node *rest; /* what is below the loops that were taken */
  struct tsr_chain chain;
};

struct fusion {
  struct tsr_edit edit;
  isl_schedule_node *at; /* the sequence */
  struct side side[2];   /* of S, of T */
  int depth;             /* loops that are joined */
};

/* Bands of one member, but for those under marks. */
static __isl_give isl_schedule_node *split_band(__isl_take isl_schedule_node *node, void *user)
{
  (void)user;
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band ||
      isl_schedule_node_get_parent_type(node) == isl_schedule_node_mark)
    return node;
  for (int i = isl_schedule_node_band_n_member(node) - 1; i > 0; i--)
    node = isl_schedule_node_band_split(node, i);
  return node;
}

/* The children of NODE that have instances of STMT: their number, the last in *CHILD. */
static int find_child(__isl_keep isl_schedule_node *node, struct tsr_scop *scop, int stmt, int *child)
{
  int found = 0;
  for (int i = 0; i < isl_schedule_node_n_children(node); i++) {
    isl_schedule_node *filter = isl_schedule_node_get_child(node, i);
    if (tsr_node_has_stmt(filter, scop, stmt)) {
      *child = i;
      found++;
    }
    isl_schedule_node_free(filter);
  }
  return found;
}

/* Find the sequence of which S and T are in different children, in *NODE, from there on. */
static bool find_sequence(struct fusion *f, isl_schedule_node **node)
{
  for (;;) {
    enum isl_schedule_node_type type = isl_schedule_node_get_type(*node);
    int child[2] = {0, 0};
    if (type == isl_schedule_node_leaf || type == isl_schedule_node_error)
      break;
    for (int k = 0; k < 2; k++)
      if (find_child(*node, f->edit.scop, f->side[k].stmt, &child[k]) != 1) {
        tsr_edit_refuse(&f->edit, NULL, "%s runs in several pieces", f->edit.scop->stmts[f->side[k].stmt].name);
        return false;
      }
    if (child[0] != child[1]) {
      f->side[0].child = child[0];
      f->side[1].child = child[1];
      return type == isl_schedule_node_sequence;
    }
    *node = isl_schedule_node_child(*node, child[0]);
  }
  tsr_edit_refuse(&f->edit, NULL, "they share all their loops");
  return false;
}

/* Take at most MOST loops of SIDE from its rest, up to the one called LAST (may be NULL). False: LAST isn't there. */
static bool take_loops(struct fusion *f, struct side *side, int most, const char *last)
{
  bool found = last == NULL;
  while (side->chain.n < most && isl_schedule_node_get_type(side->rest) == isl_schedule_node_band &&
         isl_schedule_node_band_n_member(side->rest) == 1 && !tsr_loop_is_marked(side->rest)) {
    struct tsr_loop_name name = tsr_member_name(side->rest, 0, f->edit.scop, side->stmt);
    isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(side->rest);
    isl_union_pw_aff *row = isl_multi_union_pw_aff_get_at(partial, 0);
    row = isl_union_pw_aff_intersect_domain(row, isl_union_set_copy(side->filter));
    tsr_chain_add(&side->chain, row, name.text, tsr_member_has_name(partial, 0));
    isl_multi_union_pw_aff_free(partial);
    found |= last && tsr_member_is_called(side->rest, 0, f->edit.scop, side->stmt, last);
    side->rest = isl_schedule_node_child(side->rest, 0);
    if (last && found)
      break;
  }
  return found;
}

/* Filter and rest of SIDE, with all its loops. */
static bool open_side(struct fusion *f, struct side *side)
{
  isl_schedule_node *filter = isl_schedule_node_get_child(f->at, side->child);
  side->filter = isl_schedule_node_filter_get_filter(filter);
  side->rest = isl_schedule_node_child(filter, 0);
  return side->rest != NULL;
}

/* Have the loops of S the names of those of T? */
static bool same_names(const struct tsr_chain *s, const struct tsr_chain *t)
{
  bool same = s->n == t->n;
  for (int i = 0; i < s->n && same; i++)
    same = !strcmp(s->name[i].text, t->name[i].text);
  return same;
}

/* ---- S where T is -------------------------------------------------------------------------------------- */

/* ROW as a function of STMT alone. */
static __isl_give isl_pw_aff *row_of(__isl_keep isl_union_pw_aff *row, struct tsr_scop *scop, int stmt)
{
  isl_space *space = isl_set_get_space(scop->stmts[stmt].domain);
  return isl_union_pw_aff_extract_pw_aff(row, isl_space_add_dims(isl_space_from_domain(space), isl_dim_out, 1));
}

/* The name of iterator DIM of T. */
static const char *iterator_name(const struct tsr_stmt *stmt, int dim)
{
  for (int i = 0; stmt->loops && stmt->loops[i]; i++)
    if (i == dim && *stmt->loops[i])
      return stmt->loops[i];
  return isl_set_get_dim_name(stmt->domain, isl_dim_set, (unsigned)dim);
}

/* { S[..] -> T[..] } by the loops of S. */
static __isl_give isl_multi_pw_aff *counters(struct fusion *f, const struct tsr_chain *loops)
{
  struct tsr_scop *scop = f->edit.scop;
  int s = f->side[0].stmt, t = f->side[1].stmt;
  isl_space *from = isl_set_get_space(scop->stmts[s].domain), *to = isl_set_get_space(scop->stmts[t].domain);
  from = isl_space_align_params(from, isl_space_copy(to));
  to = isl_space_align_params(to, isl_space_copy(from));
  isl_multi_pw_aff *all = isl_multi_pw_aff_zero(isl_space_map_from_domain_and_range(from, to));
  isl_size n = isl_multi_pw_aff_size(all);
  for (int i = 0; i < n; i++) {
    const char *name = iterator_name(&scop->stmts[t], i);
    int at = name ? tsr_chain_find(loops, name) : -1;
    at = at < 0 && i < loops->n ? i : at;
    if (at >= 0)
      all = isl_multi_pw_aff_set_at(all, i, row_of(loops->row[at], scop, s));
  }
  return all;
}

/* Add the loops around NODE to CHAIN, the outermost first, by the names that S has for them. */
static void add_outer(struct fusion *f, __isl_keep isl_schedule_node *node, struct tsr_chain *chain)
{
  if (isl_schedule_node_has_parent(node) != isl_bool_true)
    return;
  isl_schedule_node *parent = isl_schedule_node_parent(isl_schedule_node_copy(node));
  add_outer(f, parent, chain);
  isl_size n = isl_schedule_node_get_type(parent) == isl_schedule_node_band ? isl_schedule_node_band_n_member(parent) : 0;
  for (int i = 0; i < n && chain->n < TSR_MAX_CHAIN; i++) {
    isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(parent);
    tsr_chain_add(chain, isl_multi_union_pw_aff_get_at(partial, i),
                  tsr_member_name(parent, i, f->edit.scop, f->side[0].stmt).text, false);
    isl_multi_union_pw_aff_free(partial);
  }
  isl_schedule_node_free(parent);
}

/* The loops of S become those of T, with its own inside. */
static bool follow(struct fusion *f)
{
  struct side *s = &f->side[0], *t = &f->side[1];
  isl_schedule_node_free(s->rest);
  tsr_chain_clear(&s->chain);
  isl_union_set_free(s->filter);
  if (!open_side(f, s))
    return false;
  isl_schedule_node *all = isl_schedule_node_copy(s->rest);
  if (isl_union_set_n_set(s->filter) != 1) {
    isl_schedule_node_free(all);
    tsr_edit_refuse(&f->edit, NULL,
                    "other statements share loops with %s: distribute first, or give it loops like those of %s",
                    f->edit.scop->stmts[s->stmt].name, f->edit.scop->stmts[t->stmt].name);
    return false;
  }
  add_outer(f, f->at, &s->chain);
  take_loops(f, s, TSR_MAX_CHAIN, NULL);
  isl_multi_pw_aff *as = counters(f, &s->chain);
  tsr_chain_clear(&s->chain);
  for (int i = 0; i < t->chain.n; i++) {
    isl_pw_aff *row =
        isl_pw_aff_pullback_multi_pw_aff(row_of(t->chain.row[i], f->edit.scop, t->stmt), isl_multi_pw_aff_copy(as));
    tsr_chain_add(&s->chain, isl_union_pw_aff_from_pw_aff(row), t->chain.name[i].text, true);
  }
  isl_multi_pw_aff_free(as);
  isl_schedule_node_free(s->rest);
  s->rest = all;
  return true;
}

/* ---- the new tree -------------------------------------------------------------------------------------- */

/* TO with the joined loops, and what is left of both sides in them. */
static __isl_give isl_schedule_node *write_joined(struct fusion *f, __isl_take isl_schedule_node *to)
{
  struct side *s = &f->side[0], *t = &f->side[1];
  int first = s->child < t->child ? 0 : 1;
  for (int i = 0; i < t->chain.n; i++) {
    isl_union_pw_aff *row =
        isl_union_pw_aff_union_add(isl_union_pw_aff_copy(s->chain.row[i]), isl_union_pw_aff_copy(t->chain.row[i]));
    bool given = t->chain.given[i] || strcmp(s->chain.name[i].text, t->chain.name[i].text);
    to = isl_schedule_node_child(tsr_node_insert_loop(to, row, given ? t->chain.name[i].text : NULL), 0);
  }
  isl_union_set_list *filters = isl_union_set_list_from_union_set(isl_union_set_copy(f->side[first].filter));
  filters = isl_union_set_list_add(filters, isl_union_set_copy(f->side[1 - first].filter));
  to = isl_schedule_node_insert_sequence(to, filters);
  for (int k = 0; k < 2; k++) {
    to = isl_schedule_node_grandchild(to, k, 0);
    to = tsr_node_copy_subtree(f->side[k ? 1 - first : first].rest, to, NULL, NULL);
    to = isl_schedule_node_parent(isl_schedule_node_parent(to));
  }
  for (int i = 0; i < t->chain.n; i++)
    to = isl_schedule_node_parent(to);
  return to;
}

/* At the sequence: its other children, and both in one, in the place of T. */
static bool write_sequence(__isl_keep isl_schedule_node *from, isl_schedule_node **to, void *user)
{
  struct fusion *f = user;
  if (isl_schedule_node_is_equal(from, f->at) != isl_bool_true)
    return false;
  isl_size n = isl_schedule_node_n_children(from);
  isl_union_set_list *filters = isl_union_set_list_alloc(f->edit.scop->ctx, n);
  for (int i = 0; i < n; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(from, i);
    isl_union_set *filter = isl_schedule_node_filter_get_filter(child);
    isl_schedule_node_free(child);
    if (i == f->side[1].child)
      filter = isl_union_set_union(filter, isl_union_set_copy(f->side[0].filter));
    filters = i == f->side[0].child ? filters : isl_union_set_list_add(filters, isl_union_set_copy(filter));
    isl_union_set_free(filter);
  }
  *to = n > 2 ? isl_schedule_node_insert_sequence(*to, filters) : *to;
  if (n <= 2)
    isl_union_set_list_free(filters);
  for (int i = 0, k = 0; i < n; i++) {
    if (i == f->side[0].child)
      continue;
    isl_schedule_node *source = isl_schedule_node_grandchild(isl_schedule_node_copy(from), i, 0);
    *to = n > 2 ? isl_schedule_node_grandchild(*to, k++, 0) : *to;
    *to = i == f->side[1].child ? write_joined(f, *to) : tsr_node_copy_subtree(source, *to, NULL, NULL);
    *to = n > 2 ? isl_schedule_node_parent(isl_schedule_node_parent(*to)) : *to;
    isl_schedule_node_free(source);
  }
  return true;
}

/* ---- the row ------------------------------------------------------------------------------------------- */

/* Find what is to be joined. */
static bool prepare(struct fusion *f, __isl_keep isl_schedule *tree, const char *level)
{
  f->at = isl_schedule_node_child(isl_schedule_get_root(tree), 0);
  if (f->side[0].stmt == f->side[1].stmt) {
    tsr_edit_refuse(&f->edit, NULL, "a statement can't be fused with itself");
    return false;
  }
  if (!find_sequence(f, &f->at))
    return false;
  for (int k = 0; k < 2; k++)
    if (!open_side(f, &f->side[k]))
      return false;
  if (!take_loops(f, &f->side[1], TSR_MAX_CHAIN, level)) {
    tsr_edit_refuse(&f->edit, NULL, "%s has no loop '%s' directly inside of those that it shares with %s",
                    f->edit.scop->stmts[f->side[1].stmt].name, level, f->edit.scop->stmts[f->side[0].stmt].name);
    return false;
  }
  take_loops(f, &f->side[0], f->side[1].chain.n, NULL);
  return same_names(&f->side[0].chain, &f->side[1].chain) || follow(f);
}

struct tsr_program *tsr_row_fuse(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  struct fusion f = {.edit = {.program = program, .scop = program->scop, .args = args, .stmt = args->stmt, .why = why},
                     .side = {{.stmt = args->stmt}, {.stmt = args->value[0][0].index}}};
  isl_schedule *tree = isl_schedule_map_schedule_node_bottom_up(isl_schedule_copy(program->tree), split_band, NULL);
  isl_schedule *fused = prepare(&f, tree, args->value[1][0].text) ? tsr_tree_copy(tree, write_sequence, &f) : NULL;
  isl_schedule_free(tree);
  isl_schedule_node_free(f.at);
  for (int k = 0; k < 2; k++) {
    isl_union_set_free(f.side[k].filter);
    isl_schedule_node_free(f.side[k].rest);
    tsr_chain_clear(&f.side[k].chain);
  }
  return tsr_program_set_tree(program, fused);
}

struct tsr_program *tsr_row_shifted_fusion(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  struct tsr_deps *own = args->deps ? NULL : tsr_deps_compute(program->scop), *deps = args->deps ? args->deps : own;
  isl_schedule *tree = deps ? tsr_rows_flag(isl_schedule_copy(program->tree), program->scop, deps, true) : NULL;
  tsr_deps_free(own);
  program = tsr_program_set_tree(program, tree);
  int rows = args->n[0] ? (int)args->value[0][0].number : 1;
  return program ? tsr_program_shift(program, rows, why) : NULL;
}
