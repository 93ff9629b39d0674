/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums, or what they add up, that run along two members of a band at once.
 *
 *   for i for j for k < j: c[i][k - j] += b[i][j] * a[j][k]        e = k - j:   c[i][e] += b[i][j] * a[j][e + j]
 *
 * No member leaves the written element where it is, but a step of j and one of k does. With e in place of k the element is
 * one of e, whatever j is, so that j is a member along which it is summed up, and a tile holds it. Register tiles then are
 * those of any product. Which member becomes the sum is a matter of cost: the operands, too, are read by other subscripts.
 * (Where all k run, as in full convolutions, each tile has sums that begin and sums that end in it, at diagonals, and what
 * is left beside tiles would have to be in two parts, before and behind.)
 *
 *   for i for j for k < j: s[i][j] += b[i][k - j] * a[j][k]        e = k - j:   s[i][j] += b[i][e] * a[j][e + j]
 *
 * Here the sum stays along k, but b is another element for each of i, j and k, so that neither rows nor vectors share it.
 * With e in place of k there is one of it for all j. */
#include "model/thresholds.h"
#include "tree/registers/registers.h"

/* Does the element that FORM writes stay where it is when member K goes one step ahead and V goes SIGN steps, while neither
 * alone leaves it there? */
static bool stays_along(const struct tsr_form *form, int k, int v, int sign)
{
  const struct tsr_step *a = &form->step[k], *b = &form->step[v];
  long delta[TSR_MAX_DIM], elements;
  if (!a->fixed || a->empty || !b->fixed || b->empty || form->stride[k][form->write] == TSR_STRIDE_ZERO)
    return false;
  for (int d = 0; d < TSR_MAX_DIM; d++)
    delta[d] = a->delta[d] + sign * b->delta[d];
  return tsr_access_move(form->stmt->access[form->write].relation, delta, &elements) && elements == 0;
}

/* Does FORM add up along V, and is there an operand, another one for each step of K and V, that stays where K goes one step
 * ahead and V goes SIGN steps? */
static bool frees_along(const struct tsr_form *form, int k, int v, int sign)
{
  const struct tsr_step *a = &form->step[k], *b = &form->step[v];
  long delta[TSR_MAX_DIM], elements;
  bool frees = false;
  if (!a->fixed || a->empty || !b->fixed || b->empty || form->stride[k][form->write] == TSR_STRIDE_ZERO ||
      form->stride[v][form->write] != TSR_STRIDE_ZERO)
    return false;
  for (int d = 0; d < TSR_MAX_DIM; d++)
    delta[d] = a->delta[d] + sign * b->delta[d];
  for (int i = 0; i < form->stmt->n_access && !frees; i++)
    frees = form->stride[k][i] != TSR_STRIDE_ZERO && form->stride[v][i] != TSR_STRIDE_ZERO &&
            tsr_access_move(form->stmt->access[i].relation, delta, &elements) && elements == 0;
  return frees;
}

bool tsr_band_may_skew(const struct tsr_register_band *band, bool free)
{
  for (int f = 0; f < band->n_form; f++)
    for (int k = 0; k < band->n; k++)
      for (int v = 0; v < band->n; v++)
        for (int sign = -1; sign <= 1; sign += 2)
          if (k != v && (free ? frees_along(&band->form[f], k, v, sign) : stays_along(&band->form[f], k, v, sign)))
            return true;
  return false;
}

/* NODE's band with member V less SIGN times member K in place of V. */
static isl_schedule_node *skew(__isl_take isl_schedule_node *node, int k, int v, int sign)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_union_pw_aff *by = isl_multi_union_pw_aff_get_at(partial, k), *row = isl_multi_union_pw_aff_get_at(partial, v);
  row = sign > 0 ? isl_union_pw_aff_sub(row, by) : isl_union_pw_aff_add(row, by);
  partial = isl_multi_union_pw_aff_set_at(partial, v, row);
  isl_size n = isl_schedule_node_band_n_member(node);
  bool coincident[MAX_MEMBERS];
  for (int m = 0; m < n; m++)
    coincident[m] = isl_schedule_node_band_member_get_coincident(node, m) == isl_bool_true;
  node = isl_schedule_node_insert_partial_schedule(isl_schedule_node_delete(node), partial);
  node = isl_schedule_node_band_set_permutable(node, 1);
  for (int m = 0; m < n; m++)
    node = isl_schedule_node_band_member_set_coincident(node, m, m != v && coincident[m]);
  return node;
}

/* NODE's member V may move anyhow among the pairs OPEN: then it is flagged, where no pair is apart in it. False: it may not.
 */
static bool flag_member(isl_schedule_node **node, int v, isl_union_map *open)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(*node);
  isl_multi_union_pw_aff *member = tsr_member_schedule(partial, v);
  bool may = tsr_member_is_monotone(open, member) == isl_bool_true;
  if (may && tsr_member_is_coincident(open, member) == isl_bool_true)
    *node = isl_schedule_node_band_member_set_coincident(*node, v, 1);
  isl_multi_union_pw_aff_free(partial);
  isl_multi_union_pw_aff_free(member);
  return may;
}

/* The best so far. */
struct best {
  isl_schedule_node *node; /* NULL: none */
  double cost;             /* below 0: any is better */
};

/* Take NODE, the band of BAND skewed, for *BEST if its tiles are cheaper. */
static void try_skewed(struct best *best, __isl_take isl_schedule_node *node, const struct tsr_register_band *band)
{
  struct tsr_register_band own = {
      .node = node, .scop = band->scop, .deps = band->deps, .depth = band->depth, .n = band->n, .wish = band->wish};
  bool better = tsr_register_band_choose(&own) && (best->cost < 0 || own.cost < SAME_TILE * best->cost);
  if (better) {
    isl_schedule_node_free(best->node);
    best->node = node;
    best->cost = own.cost;
  } else {
    isl_schedule_node_free(node);
  }
  tsr_register_band_clear(&own);
}

isl_schedule_node *tsr_band_skew(isl_schedule_node *node, struct tsr_register_band *band, bool free, double cost,
                                 bool *skewed)
{
  struct best best = {.node = NULL, .cost = cost};
  isl_union_map *open = NULL;
  *skewed = false;
  for (int f = 0; f < band->n_form && !best.node; f++)
    for (int k = 0; k < band->n; k++)
      for (int v = 0; v < band->n; v++)
        for (int sign = -1; sign <= 1; sign += 2) {
          if (k == v || !(free ? frees_along(&band->form[f], k, v, sign) : stays_along(&band->form[f], k, v, sign)))
            continue;
          open = open ? open : tsr_node_open_deps(node, band->deps);
          isl_schedule_node *other = skew(isl_schedule_node_copy(node), k, v, sign);
          if (flag_member(&other, v, open))
            try_skewed(&best, other, band);
          else
            isl_schedule_node_free(other);
        }
  isl_union_map_free(open);
  if (!best.node)
    return node;
  isl_schedule_node_free(node);
  *skewed = true;
  return best.node;
}
