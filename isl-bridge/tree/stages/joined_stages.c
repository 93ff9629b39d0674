/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stages in a tile that share their loops: those one behind the other that run in the same box, if each iteration reads of
 * the others only what the same iteration of them has written.
 *
 *   sequence - F_G - B(b) - X_G     ->   F_G + F_H - B(b) - mark "allocate R" - sequence - F_G - X_G
 *            - F_H - B(b) - X_H                                                          - F_H - X_H
 *
 * What only these write and read, an element an iteration, and nobody else behind, is in a buffer of one element, for the
 * iteration: a register. */
#include "tree/rows/rows.h"
#include "tree/stages/overlapped_tiles.h"
#include <isl/space.h>
#include <stdlib.h>
#include <string.h>

/* ---- which -------------------------------------------------------------------------------------------------- */

/* Does statement NUMBER, of M, in each iteration touch of P, by access K, only what the same iteration of P's stage writes?
 */
static bool is_in_step(struct tsr_tiles *tiles, const struct tsr_member *m, int number, int k, const struct tsr_product *p)
{
  isl_map *order = tsr_nest_order(m->stage, tiles->scop, number);
  isl_map *read = isl_map_apply_range(isl_map_reverse(order), isl_map_copy(tiles->scop->stmts[number].access[k].relation));
  isl_map *from = isl_map_apply_range(read, isl_map_reverse(isl_map_copy(p->writes))); /* { [b] -> [b'] } */
  isl_map *same = isl_map_identity(isl_map_get_space(from));
  bool in_step = isl_map_is_subset(from, same) == isl_bool_true;
  isl_map_free(from);
  isl_map_free(same);
  return in_step;
}

/* Have all statements of M loops whose values are iterators? Then those of the copy begin at 0, as those of tiles do. */
static bool begins_at_0(struct tsr_tiles *tiles, const struct tsr_member *m)
{
  for (int s = 0; s < tiles->scop->n_stmt; s++)
    if (m->stage->has[s] && m->producer && m->stage->iterator[s][0] < 0)
      return false;
  return true;
}

/* Does each iteration of member I touch, of what the members from LEADER on in front of it write to ARRAY, only what the
 * same iteration of these writes? By access K of statement NUMBER. */
static bool keeps_step(struct tsr_tiles *tiles, int i, int leader, int number, int k)
{
  bool good = true;
  for (int owner = i + 1; owner <= leader && good; owner++)
    for (int p = 0; p < tiles->member[owner].n_product && good; p++)
      if (tiles->member[owner].product[p].cache.array == tiles->scop->stmts[number].access[k].array)
        good = is_in_step(tiles, &tiles->member[i], number, k, &tiles->member[owner].product[p]);
  return good;
}

/* May member I run in the loops of those in front of it, from LEADER on? */
static bool may_join(struct tsr_tiles *tiles, int i, int leader)
{
  struct tsr_member *m = &tiles->member[i], *first = &tiles->member[leader];
  bool good = m->stage->n_loop == first->stage->n_loop && begins_at_0(tiles, m) && begins_at_0(tiles, first) &&
              isl_map_is_equal(m->runs, first->runs) == isl_bool_true;
  for (int s = 0; s < tiles->scop->n_stmt && good; s++)
    for (int k = 0; k < tiles->scop->stmts[s].n_access && m->stage->has[s] && good; k++)
      good = keeps_step(tiles, i, leader, s, k);
  return good;
}

/* Is P's array written by one stage in the tiles, but for the tiled one? */
static bool is_alone(struct tsr_tiles *tiles, const struct tsr_product *p)
{
  bool alone = true;
  for (int i = 0; i < tiles->n; i++)
    for (int k = 0; k < tiles->member[i].n_product; k++)
      alone &= &tiles->member[i].product[k] == p || tiles->member[i].product[k].cache.array != p->cache.array;
  return alone;
}

/* Is P one element for an iteration of the loops that its stage shares? */
static bool is_held(struct tsr_tiles *tiles, const struct tsr_member *m, const struct tsr_product *p)
{
  isl_set *written = isl_map_range(isl_map_copy(p->writes));
  bool held = !p->direct && !p->again && is_alone(tiles, p) && isl_set_is_empty(p->lasting) == isl_bool_true &&
              isl_map_is_single_valued(p->writes) == isl_bool_true && !tsr_map_reaches_beyond(p->cache.read, written);
  isl_set_free(written);
  for (int s = 0; s < tiles->scop->n_stmt && held; s++)
    for (int k = 0; k < tiles->scop->stmts[s].n_access && held; k++) {
      const struct tsr_access *access = &tiles->scop->stmts[s].access[k];
      struct tsr_member *reader = tsr_tiles_find(tiles, s);
      if (access->array == p->cache.array && access->kind == TSR_READ)
        held = reader && reader->joined == m->joined && is_in_step(tiles, reader, s, k, p);
    }
  return held;
}

void tsr_tiles_join(struct tsr_tiles *tiles)
{
  int leader = tiles->n - 1;
  for (int i = tiles->n - 1; i >= 0; i--) {
    if (i != leader && !may_join(tiles, i, leader))
      leader = i;
    tiles->member[i].joined = leader;
  }
  for (int i = 0; i < tiles->n; i++)
    for (int k = 0; k < tiles->member[i].n_product; k++)
      tiles->member[i].product[k].held = is_held(tiles, &tiles->member[i], &tiles->member[i].product[k]);
}

/* ---- the tree ------------------------------------------------------------------------------------------------ */

/* What the hook is about. */
struct joining {
  struct tsr_tiles *tiles;
  struct tsr_program *program;
  char *const *name;
};

/* The member of which the filter at NODE has a statement, its copy or itself; -1: none. */
static int member_of(struct joining *j, isl_schedule_node *node)
{
  isl_union_set *filter = isl_schedule_node_filter_get_filter(node);
  int found = -1;
  for (int s = 0; s < j->tiles->scop->n_stmt && found < 0; s++) {
    int number = j->name[s] ? tsr_scop_find_stmt(j->program->scop, j->name[s]) : -1;
    if (number < 0)
      continue;
    isl_set *own = isl_union_set_extract_set(filter, isl_set_get_space(j->program->scop->stmts[number].domain));
    if (isl_set_is_empty(own) == isl_bool_false)
      found = (int)(tsr_tiles_find(j->tiles, s) - j->tiles->member);
    isl_set_free(own);
  }
  isl_union_set_free(filter);
  return found;
}

/* The members of the children of the sequence at NODE (malloc'd); NULL: it isn't that of the tiles. */
static int *members_of(struct joining *j, isl_schedule_node *node)
{
  isl_size n = isl_schedule_node_n_children(node);
  int *member = calloc((size_t)n + 1, sizeof(*member));
  bool producer = false, tiled = false;
  for (int i = 0; i < n && member; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(node, i);
    member[i] = member_of(j, child);
    producer |= member[i] > 0;
    tiled |= member[i] == 0;
    isl_schedule_node_free(child);
  }
  if (producer && tiled)
    return member;
  free(member);
  return NULL;
}

/* The mark for what members joined to LEADER hold above NODE, which stands below it then, if they hold something. */
static isl_schedule_node *hold(struct joining *j, int leader, __isl_take isl_schedule_node *node)
{
  const char **name = calloc(j->program->scop->n_array, sizeof(*name));
  int n = 0;
  for (int i = 0; i < j->tiles->n && name; i++)
    for (int k = 0; k < j->tiles->member[i].n_product; k++)
      if (j->tiles->member[i].joined == leader && j->tiles->member[i].product[k].held)
        name[n++] = j->program->scop->arrays[j->tiles->member[i].product[k].buffer].name;
  struct tsr_mark mark = {.kind = TSR_MARK_ALLOCATE, .buffers = {n, name}};
  if (n > 0)
    node = isl_schedule_node_child(tsr_mark_insert(node, j->program->scop, &mark), 0);
  free(name);
  return node;
}

/* The rows of bands of the children FIRST .. LAST of NODE, and which of them are coincident in all. */
static isl_multi_union_pw_aff *common_rows(isl_schedule_node *node, int first, int last, bool *coincident)
{
  isl_multi_union_pw_aff *all = NULL;
  for (int i = first; i <= last; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(node, i);
    isl_union_set *filter = isl_schedule_node_filter_get_filter(child);
    isl_schedule_node *band = isl_schedule_node_child(child, 0);
    isl_multi_union_pw_aff *own = isl_schedule_node_band_get_partial_schedule(band);
    own = isl_multi_union_pw_aff_reset_tuple_id(own, isl_dim_set);
    own = isl_multi_union_pw_aff_intersect_domain(own, filter);
    for (int d = 0; d < isl_schedule_node_band_n_member(band); d++)
      coincident[d] &= isl_schedule_node_band_member_get_coincident(band, d) == isl_bool_true;
    isl_schedule_node_free(band);
    all = all ? isl_multi_union_pw_aff_union_add(all, own) : own;
  }
  return all;
}

/* TO, a leaf, with the nests of the children FIRST .. LAST of FROM in the same loops; it stands at their top. */
static isl_schedule_node *join(struct joining *j, isl_schedule_node *from, int first, int last, int leader,
                               __isl_take isl_schedule_node *to)
{
  bool coincident[TSR_MAX_DIM];
  memset(coincident, true, sizeof(coincident));
  to = isl_schedule_node_insert_partial_schedule(to, common_rows(from, first, last, coincident));
  to = isl_schedule_node_band_set_permutable(to, 1);
  for (int d = 0; d < isl_schedule_node_band_n_member(to); d++)
    to = isl_schedule_node_band_member_set_coincident(to, d, coincident[d]);
  to = hold(j, leader, isl_schedule_node_child(to, 0));
  int depth = isl_schedule_node_get_tree_depth(to);
  isl_union_set_list *filters = isl_union_set_list_alloc(j->tiles->scop->ctx, last - first + 1);
  for (int i = first; i <= last; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(from, i);
    filters = isl_union_set_list_add(filters, isl_schedule_node_filter_get_filter(child));
    isl_schedule_node_free(child);
  }
  to = last > first ? isl_schedule_node_insert_sequence(to, filters) : (isl_union_set_list_free(filters), to);
  for (int i = first; i <= last; i++) {
    isl_schedule_node *rest = isl_schedule_node_grandchild(isl_schedule_node_copy(from), i, 0); /* the band */
    rest = isl_schedule_node_child(rest, 0);
    to = last > first ? isl_schedule_node_grandchild(to, i - first, 0) : to;
    to = tsr_node_copy_subtree(rest, to, NULL, NULL);
    to = isl_schedule_node_ancestor(to, isl_schedule_node_get_tree_depth(to) - depth);
    isl_schedule_node_free(rest);
  }
  return to;
}

/* Is the child of the filter at NODE a band? */
static bool has_band(isl_schedule_node *node, int child)
{
  isl_schedule_node *below = isl_schedule_node_grandchild(isl_schedule_node_copy(node), child, 0);
  bool is = isl_schedule_node_get_type(below) == isl_schedule_node_band;
  isl_schedule_node_free(below);
  return is;
}

/* The last of the children of the sequence FROM of N that are joined to FIRST. */
static int last_joined(struct joining *j, isl_schedule_node *from, const int *member, int n, int first)
{
  int last = first;
  while (member[first] >= 0 && last + 1 < n && member[last + 1] >= 0 && has_band(from, last + 1) &&
         j->tiles->member[member[last + 1]].joined == j->tiles->member[member[first]].joined)
    last++;
  return last;
}

static bool join_children(isl_schedule_node *from, isl_schedule_node **to, void *user)
{
  struct joining *j = user;
  int *member = isl_schedule_node_get_type(from) == isl_schedule_node_sequence ? members_of(j, from) : NULL;
  if (!member)
    return false;
  isl_size n = isl_schedule_node_n_children(from);
  isl_union_set_list *filters = isl_union_set_list_alloc(j->tiles->scop->ctx, n);
  int n_group = 0;
  for (int i = 0; i < n; i++) {
    isl_union_set *all = NULL;
    for (int last = last_joined(j, from, member, n, i), first = i; first <= last; first++, i = last) {
      isl_schedule_node *child = isl_schedule_node_get_child(from, first);
      isl_union_set *own = isl_schedule_node_filter_get_filter(child);
      all = all ? isl_union_set_union(all, own) : own;
      isl_schedule_node_free(child);
    }
    filters = isl_union_set_list_add(filters, all);
    n_group++;
  }
  *to = n_group > 1 ? isl_schedule_node_insert_sequence(*to, filters) : (isl_union_set_list_free(filters), *to);
  int depth = isl_schedule_node_get_tree_depth(*to);
  for (int i = 0, group = 0; i < n; i++, group++) {
    int last = last_joined(j, from, member, n, i);
    *to = n_group > 1 ? isl_schedule_node_grandchild(*to, group, 0) : *to;
    if (member[i] >= 0 && has_band(from, i)) {
      *to = join(j, from, i, last, j->tiles->member[member[i]].joined, *to);
    } else {
      isl_schedule_node *rest = isl_schedule_node_grandchild(isl_schedule_node_copy(from), i, 0);
      *to = tsr_node_copy_subtree(rest, *to, NULL, NULL);
      isl_schedule_node_free(rest);
    }
    *to = isl_schedule_node_ancestor(*to, isl_schedule_node_get_tree_depth(*to) - depth);
    i = last;
  }
  free(member);
  return true;
}

isl_schedule *tsr_tiles_join_tree(struct tsr_tiles *tiles, struct tsr_program *program, isl_schedule *tree,
                                  char *const *name)
{
  struct joining j = {tiles, program, name};
  isl_schedule *joined = tsr_tree_copy(tree, join_children, &j);
  isl_schedule_free(tree);
  return joined;
}
