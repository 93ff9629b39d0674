/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Register tiles.  B: a permutable band with nothing but leaves below; some statements of it add up, or fold in another way,
 * one element over some of its members. Of these members, by how the written element moves along them:
 *
 *   k  "reduction"  stays           i  "row"  goes elsewhere           j  "vector"  goes to the next one
 *
 *   B(.., i, j, k)  ->  O(..) - T1(i/mc, k/kc, j/nr) - T2(i%mc/mr) - seq(
 *                         full:    mark "registers .." - Q(k%kc, i%mr, j%nr)   all mr * nr points in each iteration of k
 *                         masked:  mark "registers .." - Q                     some of each row, the same ones for each k
 *                         rows:    mark "registers .." - Q                     all of some rows, the same ones for each k
 *                         rest:    Q                                           everything else, other statements too )
 *
 * What stands below a mark is emitted with the points of i and j as mr rows of vectors, which hold the written elements in
 * registers while k runs; that is the loop nest of a matrix product by hand (Goto and van de Geijn, Anatomy of
 * high-performance matrix multiplication, 2008; packed_operands.c has its packing). Conditions, all proved here by isl, for
 * one iteration of the loops around Q: each point (i, j) writes an element of its own, no other access of the statement
 * touches it.
 *
 * Where the written element goes to the one before it as j goes on, lanes run against j, nr - 1 - j%nr: what is in a vector
 * is next to each other in memory all the same. Tiles keep their order, so that j need not be coincident for that; what
 * isn't in tiles runs in front of all lanes of a row where it may not run in its own.
 *
 * mr and nr: the cheapest that the machine's registers allow. kc: kc rows of nr and mr elements of all operands take an
 * eighth of the second cache at most; mc: the parts of operands that all j share take three quarters. */
#include "tree/registers/registers.h"
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>
#include <string.h>

static isl_union_pw_aff *quotient(__isl_take isl_union_pw_aff *row, int size)
{
  isl_val *value = isl_val_int_from_si(isl_union_pw_aff_get_ctx(row), size);
  return isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(row, value));
}

static isl_union_pw_aff *remainder_of(__isl_take isl_union_pw_aff *row, int size)
{
  return isl_union_pw_aff_mod_val(row, isl_val_int_from_si(isl_union_pw_aff_get_ctx(row), size));
}

/* Everywhere in DOMAIN, which it takes. */
static isl_union_pw_aff *constant(__isl_take isl_union_set *domain, int value)
{
  isl_val *val = isl_val_int_from_si(isl_union_set_get_ctx(domain), value);
  return isl_union_pw_aff_val_on_domain(domain, val);
}

/* The lane of VECTOR, of SIZE of them: backwards, the first is the last one. What isn't in tiles may LEAD: it is in lane 0
 * then. */
static isl_union_pw_aff *lane_of(const struct tsr_register_band *band, __isl_take isl_union_pw_aff *vector, int size,
                                 bool lead)
{
  if (!band->roles.backwards)
    return remainder_of(vector, size);
  isl_union_set *all = isl_union_pw_aff_domain(isl_union_pw_aff_copy(vector));
  isl_union_pw_aff *lane = isl_union_pw_aff_sub(constant(isl_union_set_copy(all), size - 1), remainder_of(vector, size));
  if (lead) {
    isl_union_set *own = isl_union_set_empty(isl_union_set_get_space(all));
    for (int f = 0; f < band->n_form; f++)
      if (band->form[f].usable)
        own = isl_union_set_union(own, isl_union_set_from_set(isl_set_universe(isl_set_get_space(band->form[f].domain))));
    isl_union_pw_aff *first = constant(isl_union_set_subtract(isl_union_set_copy(all), isl_union_set_copy(own)), 0);
    lane = isl_union_pw_aff_union_add(isl_union_pw_aff_intersect_domain(lane, own), first);
  }
  isl_union_set_free(all);
  return lane;
}

/* A band under construction. */
struct rows {
  isl_union_pw_aff *row[MAX_MEMBERS];
  bool coincident[MAX_MEMBERS];
  int n;
};

static void rows_add(struct rows *rows, __isl_take isl_union_pw_aff *row, bool coincident)
{
  rows->coincident[rows->n] = coincident;
  rows->row[rows->n++] = row;
}

/* Put the band of ROWS, which it takes, above NODE; nothing if it has none. */
static isl_schedule_node *insert_band(isl_schedule_node *node, struct rows *rows, bool permutable)
{
  if (rows->n == 0)
    return node;
  isl_space *space = isl_space_set_from_params(isl_space_params(isl_union_pw_aff_get_space(rows->row[0])));
  isl_union_pw_aff_list *list = isl_union_pw_aff_list_alloc(isl_schedule_node_get_ctx(node), rows->n);
  for (int i = 0; i < rows->n; i++)
    list = isl_union_pw_aff_list_add(list, rows->row[i]);
  space = isl_space_add_dims(space, isl_dim_set, rows->n);
  node = isl_schedule_node_insert_partial_schedule(node, isl_multi_union_pw_aff_from_union_pw_aff_list(space, list));
  node = isl_schedule_node_band_set_permutable(node, permutable);
  for (int i = 0; i < rows->n; i++)
    node = isl_schedule_node_band_member_set_coincident(node, i, rows->coincident[i]);
  return node;
}

/* O - T1 - T2 - Q in place of NODE's band; the result stands at Q. LEAD: see lane_of. */
static isl_schedule_node *insert_tiles(struct tsr_register_band *band, __isl_take isl_schedule_node *node, bool lead)
{
  struct rows outer = {0}, blocks = {0}, tiles = {0}, points = {0};
  const struct tsr_roles *roles = &band->roles;
  const int nr = band->tile.vectors * band->tile.lanes;
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_union_pw_aff *row = NULL, *vector = NULL;
  bool coincident[MAX_MEMBERS];
  for (int m = 0; m < band->n; m++)
    coincident[m] = isl_schedule_node_band_member_get_coincident(node, m) == isl_bool_true;
  for (int m = 0; m < band->n; m++) {
    isl_union_pw_aff *member = isl_multi_union_pw_aff_get_at(partial, m);
    if (m == roles->row)
      row = member;
    else if (m == roles->vector)
      vector = member;
    else if (!(roles->reduction >> m & 1))
      rows_add(&outer, member, coincident[m]);
    else
      isl_union_pw_aff_free(member);
  }
  if (roles->skewed) {
    vector = isl_union_pw_aff_add(vector, isl_union_pw_aff_copy(row));
    coincident[roles->vector] = coincident[roles->vector] && coincident[roles->row];
  }
  rows_add(&blocks, quotient(isl_union_pw_aff_copy(row), band->row_block), coincident[roles->row]);
  row = remainder_of(row, band->row_block);
  for (int m = 0; m < band->n; m++)
    if (roles->reduction >> m & 1) {
      isl_union_pw_aff *member = isl_multi_union_pw_aff_get_at(partial, m);
      if (band->reduction_block) {
        rows_add(&blocks, quotient(isl_union_pw_aff_copy(member), band->reduction_block), coincident[m]);
        member = remainder_of(member, band->reduction_block);
      }
      rows_add(&points, member, coincident[m]);
    }
  isl_multi_union_pw_aff_free(partial);
  rows_add(&blocks, quotient(isl_union_pw_aff_copy(vector), nr), coincident[roles->vector]);
  rows_add(&tiles, quotient(isl_union_pw_aff_copy(row), band->tile.rows), coincident[roles->row]);
  rows_add(&points, remainder_of(row, band->tile.rows), coincident[roles->row]);
  rows_add(&points, lane_of(band, vector, nr, lead), coincident[roles->vector]);
  bool turned = roles->backwards && !coincident[roles->vector];
  node = insert_band(isl_schedule_node_delete(node), &points, !band->straight && !turned);
  node = insert_band(node, &tiles, true);
  node = insert_band(node, &blocks, true);
  node = insert_band(node, &outer, true);
  for (int i = outer.n > 0 ? 3 : 2; i > 0; i--)
    node = isl_schedule_node_child(node, 0);
  return node;
}

/* Sort PARTS by the dependences between them in one run of what is below NODE; false if they run in a circle. */
static bool sort_parts(struct tsr_register_band *band, struct tsr_parts *parts, isl_schedule_node *node)
{
  bool edge[MAX_PARTS][MAX_PARTS] = {{false}};
  struct tsr_parts sorted = {.n = 0};
  bool done[MAX_PARTS] = {false};
  isl_union_map *open = tsr_node_open_deps(node, band->deps);
  for (int i = 0; i < parts->n; i++)
    tsr_parts_lead(open, parts->part, parts->n, i, edge[i]);
  isl_union_map_free(open);
  for (bool progress = true; progress;) {
    progress = false;
    for (int j = 0; j < parts->n && !progress; j++) {
      bool ready = !done[j];
      for (int i = 0; i < parts->n; i++)
        ready &= done[i] || !edge[i][j];
      if (!ready)
        continue;
      sorted.part[sorted.n++] = parts->part[j];
      done[j] = progress = true;
    }
  }
  bool all = sorted.n == parts->n;
  if (all)
    *parts = sorted;
  return all;
}

/* The sequence of PARTS, if there are two, in place of Q at NODE, with marks. */
static isl_schedule_node *insert_parts(struct tsr_register_band *band, isl_schedule_node *node, struct tsr_parts *parts)
{
  isl_ctx *ctx = isl_schedule_node_get_ctx(node);
  isl_union_set_list *list = isl_union_set_list_alloc(ctx, parts->n);
  for (int i = 0; i < parts->n; i++)
    list = isl_union_set_list_add(list, isl_union_set_copy(parts->part[i].domain));
  if (parts->n > 1)
    node = isl_schedule_node_insert_sequence(node, list);
  else
    isl_union_set_list_free(list);
  for (int i = 0; i < parts->n; i++) {
    const struct tsr_form *form = parts->part[i].form;
    if (!form) {
      node = parts->n > 1 ? isl_schedule_node_grandchild(node, i, 0) : node;
      node = tsr_register_edges_insert(band, node);
      node = parts->n > 1 ? isl_schedule_node_ancestor(node, 2) : node;
      continue;
    }
    struct tsr_mark mark = {.kind = TSR_MARK_REGISTERS, .tile = band->tile};
    mark.tile.n_dim = isl_set_dim(form->stmt->domain, isl_dim_set);
    for (int d = 0; d < TSR_MAX_DIM; d++)
      mark.tile.step[d] = tsr_roles_way(&band->roles) * form->step[band->roles.vector].delta[d];
    node = parts->n > 1 ? isl_schedule_node_grandchild(node, i, 0) : node;
    node = tsr_mark_insert(node, band->scop, &mark);
    node = parts->n > 1 ? isl_schedule_node_parent(isl_schedule_node_parent(node)) : node;
  }
  return node;
}

/* The parts in an order that the dependences allow, of all kinds if possible. MASKS: may there be masks? */
static bool order_parts(struct tsr_register_band *band, struct tsr_parts *parts, isl_schedule_node *node, bool masks)
{
  for (int masked = masks; masked >= 0; masked--) {
    tsr_parts_find(band, parts, node, masked);
    if (parts->n > 0 && sort_parts(band, parts, node))
      return true;
    tsr_parts_clear(parts);
  }
  return false;
}

/* Do the points of NODE, which stands at Q, run in an order that the dependences allow? Lanes that run against their member
 * may not, where it isn't a matter of one iteration of those around them. Nor may what leads, where one instance of it waits
 * for another one: in BEFORE each is in its lane. NULL: nothing leads. */
static bool keeps_order(struct tsr_register_band *band, isl_schedule_node *node, isl_schedule_node *before)
{
  if (!band->roles.backwards)
    return true;
  isl_union_map *open = tsr_node_open_deps(node, band->deps);
  bool keeps = !before || tsr_band_orders(node, before, open);
  open = isl_union_map_lex_gt_at_multi_union_pw_aff(open, isl_schedule_node_band_get_partial_schedule(node));
  keeps = keeps && isl_union_map_is_empty(open) == isl_bool_true;
  isl_union_map_free(open);
  return keeps;
}

/* BAND, of NODE, becomes tiles with all that belongs to them if *FOUND. */
static isl_schedule_node *tile_band(struct tsr_register_band *band, __isl_take isl_schedule_node *node, bool *found)
{
  struct tsr_parts parts = {.n = 0};
  tsr_register_forms_choose(band, node);
  isl_schedule_node *tiled = insert_tiles(band, isl_schedule_node_copy(node), false);
  bool outer = band->n > 2 + band->tile.n_reduction, keeps = keeps_order(band, tiled, NULL);
  if (!keeps) {
    isl_schedule_node *leading = insert_tiles(band, isl_schedule_node_copy(node), true);
    keeps = keeps_order(band, leading, tiled);
    isl_schedule_node_free(tiled);
    tiled = leading;
  }
  *found =
      keeps && order_parts(band, &parts, tiled, !band->wish.bare && band->scop->machine.vector_bytes >= TSR_LEAST_MASKED);
  if (*found) {
    isl_schedule_node_free(node);
    node = isl_schedule_node_ancestor(insert_parts(band, tiled, &parts), 2);
    node = tsr_register_packs_insert(band, &parts, node);
    node = outer ? isl_schedule_node_parent(node) : node;
  } else {
    isl_schedule_node_free(tiled);
  }
  tsr_parts_clear(&parts);
  return node;
}

/* BAND without what was found in it, for NODE. */
static void begin_again(struct tsr_register_band *band, isl_schedule_node *node)
{
  struct tsr_register_band empty = {.node = node,
                                    .scop = band->scop,
                                    .deps = band->deps,
                                    .depth = band->depth,
                                    .n = band->n,
                                    .straight = band->straight,
                                    .wish = band->wish};
  tsr_register_band_clear(band);
  *band = empty;
}

/* Choose what tiles BAND gets, that of NODE. */
static bool choose(struct tsr_register_band *band, isl_schedule_node *node)
{
  return tsr_register_band_choose(band) && (!band->straight || tsr_band_keeps_sums(node, band));
}

/* Choose anew what tiles BAND gets, whose members have moved to where NODE has them. */
static bool choose_again(struct tsr_register_band *band, isl_schedule_node *node)
{
  begin_again(band, node);
  return choose(band, node);
}

isl_schedule_node *tsr_register_band_place(isl_schedule_node *node, struct tsr_register_band *band, bool *chosen)
{
  bool moved = false;
  *chosen = choose(band, node);
  if (*chosen)
    node = tsr_band_begin_at_zero(node, band, &moved);
  if (moved)
    *chosen = choose_again(band, node);
  if (*chosen)
    node = tsr_band_leave_diagonal(node, band, &moved);
  if (*chosen && moved)
    *chosen = choose_again(band, node);
  return node;
}

/* NODE, a band, in register tiles if *FOUND: as it is, or STRAIGHT. */
static isl_schedule_node *try_band(isl_schedule_node *node, struct tsr_register_band *band, bool straight, bool *found)
{
  bool moved = false, chosen;
  band->straight = straight;
  band->node = node;
  node = tsr_register_band_place(node, band, &chosen);
  if (chosen)
    node = tile_band(band, node, found);
  if (chosen && !*found) {
    node = tsr_band_align(node, band, &moved);
    if (moved) {
      begin_again(band, node);
      node = tsr_register_band_place(node, band, &chosen);
    }
    if (moved && chosen)
      node = tile_band(band, node, found);
  }
  return node;
}

/* NODE, the permutable band of BAND, in register tiles behind a skew, if *FOUND; else as it is. FREE: for the sake of
 * operands, and better than without, if there are any. */
static isl_schedule_node *try_skewed_band(__isl_take isl_schedule_node *node, struct tsr_register_band *band, bool free,
                                          bool *found)
{
  bool skewed = false;
  double cost = -1;
  begin_again(band, node);
  if (!tsr_register_band_find_forms(band) || !tsr_band_may_skew(band, free))
    return node;
  if (free) {
    begin_again(band, node);
    cost = tsr_register_band_choose(band) ? band->cost : -1;
  }
  isl_schedule_node *other = tsr_band_skew(isl_schedule_node_copy(node), band, free, cost, &skewed);
  if (skewed) {
    begin_again(band, other);
    other = try_band(other, band, false, found);
  }
  isl_schedule_node_free(*found ? node : other);
  return *found ? other : node;
}

isl_schedule_node *tsr_band_registers(isl_schedule_node *node, struct tsr_scop *scop, struct tsr_deps *deps,
                                      const struct tsr_register_sizes *sizes, bool *found)
{
  isl_size depth = isl_schedule_node_get_schedule_depth(node), n = isl_schedule_node_band_n_member(node);
  struct tsr_register_band band = {.node = node, .scop = scop, .deps = deps, .depth = depth, .n = n, .wish = *sizes};
  bool straight = false, permutable = isl_schedule_node_band_get_permutable(node) == isl_bool_true;
  *found = false;
  if (n < 3 || n > MAX_MEMBERS - 2 || depth < 0 || tsr_node_has_band_below(node) != isl_bool_false)
    return node;
  isl_schedule_node *other = tsr_band_straighten(isl_schedule_node_copy(node), scop, deps, &straight);
  if (straight)
    other = try_band(other, &band, true, found);
  if (*found) {
    isl_schedule_node_free(node);
    tsr_register_band_clear(&band);
    return other;
  }
  isl_schedule_node_free(other);
  if (permutable) {
    begin_again(&band, node);
    if (tsr_register_band_find_forms(&band) && tsr_band_may_skew(&band, true)) {
      node = try_skewed_band(node, &band, true, found);
      begin_again(&band, node);
    }
  }
  if (permutable && !*found)
    node = try_band(node, &band, false, found);
  if (permutable && !*found)
    node = try_skewed_band(node, &band, false, found);
  tsr_register_band_clear(&band);
  return node;
}
