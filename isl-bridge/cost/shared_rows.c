/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What statements find in a cache as others, in loops of their own inside of the same outer loops, have brought it in:
 *
 *   for i: { for j: t[i][j] = .. v[i][j] ..;  for j: v[i-1][j] = .. t[i-1][j] .. }
 *
 * With c, the loops around both, s(x), the subscripts of access x where all loops are at 0, and m, by how much the innermost
 * of c that moves x moves it, the same for both,
 *
 *   distance(x, y) = |s(x) - s(y)| / m                       iterations of that loop from one to the other
 *   within(x, y)   = (distance(x, y) + 1) * bytes of c       that are touched from one to the other
 *
 * where an iteration of c touches so many bytes of all that is in it, as far as it has been seen. The lines of y are in each
 * cache of that size. Who writes to them first has them written back, once. */
#include "cost/nests.h"
#include <stdlib.h>
#include <string.h>

/* Loops around several leaves that count. */
#define MAX_SHARED 4

/* A leaf, or what it touches. */
struct passed_leaf {
  int common;                   /* schedule dimensions of loops around it and the leaf at hand */
  double bytes[MAX_SHARED + 1]; /* that it touches in one iteration of so many dimensions */
};

struct passed_group {
  struct group group;
  int leaf, n_loop, n_pos;
  int pos[MAX_LOOPS], by[MAX_LOOPS]; /* of its loops */
};

struct passed {
  struct passed_leaf *leaf;
  struct passed_group *group;
  int n_leaf, n_group;
  int n_path, child[MAX_PLACE], depth[MAX_PLACE]; /* of the leaf at hand: as which child, below which dimensions */
};

static void clear(struct passed *passed)
{
  free(passed->leaf);
  free(passed->group);
  passed->leaf = NULL;
  passed->group = NULL;
  passed->n_leaf = passed->n_group = 0;
}

void tsr_model_forget(struct model *model)
{
  if (model->passed)
    clear(model->passed);
  free(model->passed);
  model->passed = NULL;
}

/* Note where LEAF is in PASSED. *SIBLINGS: have loops around it others beside them, in a loop? What is in the same innermost
 * loop is nest_lines.c's business. */
static void note_path(struct passed *passed, isl_schedule_node *leaf, bool *siblings)
{
  isl_schedule_node *node = isl_schedule_node_copy(leaf);
  int n = isl_schedule_node_get_tree_depth(leaf);
  passed->n_path = n <= MAX_PLACE ? n : 0;
  int own = isl_schedule_node_get_schedule_depth(leaf);
  *siblings = false;
  for (int d = n - 1; d >= 0; d--) {
    int child = isl_schedule_node_get_child_position(node);
    node = isl_schedule_node_parent(node);
    int depth = isl_schedule_node_get_schedule_depth(node);
    *siblings |= depth > 0 && depth < own && isl_schedule_node_n_children(node) > 1;
    if (d < MAX_PLACE) {
      passed->child[d] = child;
      passed->depth[d] = depth;
    }
  }
  *siblings &= passed->n_path > 0;
  isl_schedule_node_free(node);
}

void tsr_model_pass_to(struct model *model, isl_schedule_node *leaf)
{
  struct passed old = {.n_path = 0}, *passed = model->passed;
  if (!passed)
    passed = model->passed = calloc(1, sizeof(*passed));
  else
    old = *passed;
  model->siblings = false;
  if (!passed)
    return;
  note_path(passed, leaf, &model->siblings);
  int common = 0, same = 0;
  while (same < old.n_path && same < passed->n_path && old.child[same] == passed->child[same])
    same++;
  if (same < old.n_path && same < passed->n_path)
    common = passed->depth[same];
  if (common == 0)
    clear(passed);
  for (int i = 0; i < passed->n_leaf; i++)
    passed->leaf[i].common = common < passed->leaf[i].common ? common : passed->leaf[i].common;
}

/* The stride that counts: to the next element, or one near it, or elsewhere? */
static enum tsr_stride stride_of(const struct group *group, int l)
{
  return group->near[l] ? TSR_STRIDE_ONE : group->stride[l];
}

/* How many of N loops, at POS, are in the outermost COMMON dimensions? */
static int loops_within(const int *pos, int n, int common)
{
  int count = 0;
  while (count < n && pos[count] < common)
    count++;
  return count;
}

/* By how much loop L, which goes on by BY, moves subscript D of GROUP in one time step. */
static double slope(const struct group *group, int l, int d, int by)
{
  return (double)group->move[l][d] / by;
}

/* Iterations of their innermost common loop that moves them from OLD to GROUP of NEST, of the same array, both placed; below
 * 0: they touch other elements, or in another order. */
static double distance_of(const struct passed_group *old, const struct group *group, const struct nest *nest, int common)
{
  const struct group *first = &old->group;
  int pos[MAX_LOOPS], n = nest->n_loop;
  double distance = 0;
  for (int l = 0; l < n; l++)
    pos[l] = nest->step[l].pos;
  int shared = loops_within(pos, n, common);
  if (old->n_loop != n || shared == 0 || loops_within(old->pos, n, common) != shared || first->n_dim != group->n_dim)
    return -1;
  for (int l = 0; l < n; l++)
    if (stride_of(first, l) != stride_of(group, l))
      return -1;
  for (int d = 0; d < group->n_dim; d++) {
    double apart = first->start[d] - group->start[d], step = 0;
    bool inside = false; /* do inner loops run over it? */
    for (int l = 0; l < shared; l++) {
      double own = slope(group, l, d, nest->step[l].by);
      if (own != slope(first, l, d, old->by[l]))
        return -1;
      step = own > 0 ? own : step;
    }
    for (int l = shared; l < n; l++)
      inside |= group->move[l][d] != 0;
    apart = apart < 0 ? -apart : apart;
    if (step == 0 && !inside && apart != 0)
      return -1;
    if (step > 0 && apart / step > distance)
      distance = apart / step;
  }
  return distance;
}

/* Bytes that one iteration of COMMON dimensions touches, as far as PASSED and LEAF, the one at hand, know. */
static double bytes_of(const struct passed *passed, const struct passed_leaf *leaf, int common)
{
  double bytes = leaf->bytes[common];
  for (int i = 0; i < passed->n_leaf; i++)
    bytes += passed->leaf[i].common >= common ? passed->leaf[i].bytes[common] : 0;
  return bytes;
}

/* Find what brings in the lines of GROUP. */
static void find_source(struct passed *passed, const struct passed_leaf *leaf, const struct nest *nest, struct group *group)
{
  struct passed_group *source = NULL;
  for (int i = 0; i < passed->n_group && group->placed; i++) {
    struct passed_group *old = &passed->group[i];
    int common = passed->leaf[old->leaf].common;
    if (old->group.array != group->array || common > MAX_SHARED)
      continue;
    double distance = distance_of(old, group, nest, common);
    double within = (distance + 1) * bytes_of(passed, leaf, common);
    if (distance < 0 || (group->within > 0 && within >= group->within))
      continue;
    group->within = within;
    source = old;
  }
  group->dirtied = source && group->written && !source->group.written;
  if (group->dirtied)
    source->group.written = true;
}

/* Add GROUP of NEST, of the last leaf, to what was passed. */
static bool add_group(struct passed *passed, const struct nest *nest, const struct group *group)
{
  struct passed_group *more = realloc(passed->group, (passed->n_group + 1) * sizeof(*more));
  if (!more)
    return false;
  passed->group = more;
  struct passed_group *own = &more[passed->n_group++];
  *own = (struct passed_group){.group = *group, .leaf = passed->n_leaf - 1, .n_loop = nest->n_loop};
  for (int l = 0; l < nest->n_loop; l++) {
    own->pos[l] = nest->step[l].pos;
    own->by[l] = nest->step[l].by;
  }
  return true;
}

void tsr_nest_share_rows(struct model *model, struct nest *nest)
{
  struct passed *passed = model->passed;
  struct passed_leaf leaf = {.common = MAX_LOOPS};
  int line = model->scop->machine.cache[0].line;
  for (int common = 1; common <= MAX_SHARED; common++) {
    int first = 0;
    while (first < nest->n_loop && nest->step[first].pos < common)
      first++;
    for (int g = 0; g < nest->n_group; g++)
      leaf.bytes[common] += line * tsr_nest_footprint(model, nest, &nest->group[g], line, first);
  }
  for (int g = 0; g < nest->n_group; g++)
    if (!nest->group[g].at_hand)
      find_source(passed, &leaf, nest, &nest->group[g]);
  struct passed_leaf *more = realloc(passed->leaf, (passed->n_leaf + 1) * sizeof(*more));
  if (!more)
    return;
  passed->leaf = more;
  more[passed->n_leaf++] = leaf;
  for (int g = 0; g < nest->n_group; g++)
    if (nest->group[g].placed && !add_group(passed, nest, &nest->group[g]))
      return;
}
