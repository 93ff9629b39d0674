/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Outer loops as lanes of vectors, for nests whose inner loops wait for themselves: each value of a recurrence needs the one
 * before it, but those of neighbouring rows (columns, ..) don't need each other.  i: a coincident member of a band; X: what
 * is inside of it, whose innermost loops carry dependences, or go from row to row.
 *
 *   B(i) - X   ->   seq( full:  T(i/nl) - mark "lockstep VxL" - Q(i%nl) - X      nl = V * L
 *                        rest:  B(i) - X )
 *
 * The mark says that the nl iterations of Q may run at once: code for X is made once, each statement for all of them, in V
 * vectors of L lanes. Conditions, for a tile of Q in one iteration of all loops around:
 *
 *   MEMORY   two iterations of Q don't touch one element, unless both read
 *   SCALAR   what one iteration of Q reads it has written before, and nobody outside of Q reads what Q has written
 *   full     each instance in the tile has its like in all iterations of Q: no lane does what the original doesn't
 *
 * Updates keep their order, so that results are the same bit for bit. The band's last coincident member is taken: what is
 * inside of it is as small as it can be. */
#include "model/thresholds.h"
#include "tree/tree.h"
#include <isl/id.h>
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FORMS 32
#define MAX_COPIES 512 /* of statements: of V vectors, for as many iterations as there are lanes */
/* .. and of what each lane computes for itself: LLVM schedules a block of 64 x 80 of that for minutes. */
#define MAX_ALONE 1024

bool tsr_node_in_lockstep(isl_schedule_node *node)
{
  bool found = false;
  node = isl_schedule_node_copy(node);
  while (!found && isl_schedule_node_has_parent(node) == isl_bool_true) {
    node = isl_schedule_node_parent(node);
    found = tsr_node_is_mark(node, TSR_MARK_LOCKSTEP);
  }
  isl_schedule_node_free(node);
  return found;
}

/* ---- one statement below the band ---- */

struct form {
  struct tsr_stmt *stmt;
  isl_set *domain;
  isl_multi_aff *time;             /* { S[i] -> [t] } before */
  struct tsr_step step;            /* of the member; `order` is not valid */
  enum tsr_stride *across, *along; /* by access; ALONG: of the innermost loop, NULL: there is none inside of the member */
  int n_loop;                      /* around it */
  bool held;                       /* does what it writes stay in a register all along that loop? */
  bool again;                      /* are there loops between the member and that one, no loop of a few, known iterations, so
                                    * that much of what is read is read again? */
};

struct band {
  struct tsr_scop *scop;
  int pos; /* of the member among the schedule dimensions */
  struct form form[MAX_FORMS];
  int n_form;
  struct tsr_lockstep lockstep;
};

static void band_clear(struct band *band)
{
  for (int i = 0; i < band->n_form; i++) {
    isl_set_free(band->form[i].domain);
    isl_multi_aff_free(band->form[i].time);
    free(band->form[i].across);
    free(band->form[i].along);
  }
}

/* How all accesses of FORM move along STEP. */
static enum tsr_stride *strides_of(const struct form *form, struct tsr_step *step)
{
  enum tsr_stride *stride = calloc(form->stmt->n_access + 1, sizeof(*stride));
  for (int i = 0; i < form->stmt->n_access; i++)
    stride[i] = tsr_access_stride(form->stmt->access[i].relation, step);
  return stride;
}

/* Has the loop at POS of ORDER few, known iterations, so that it is no loop in the end? */
static bool is_straight(struct tsr_order *order, int pos)
{
  isl_set *times = isl_map_range(isl_map_copy(order->map));
  isl_val *most = isl_set_dim_max_val(isl_set_copy(times), pos), *least = isl_set_dim_min_val(times, pos);
  isl_val *extent = isl_val_sub(most, least);
  bool few = isl_val_is_int(extent) == isl_bool_true && isl_val_cmp_si(extent, MOST_UNROLLED) < 0;
  isl_val_free(extent);
  return few;
}

/* One statement more; an error where it can't run in lockstep. */
static isl_stat add_form(struct tsr_order *order, void *user)
{
  struct band *band = user;
  isl_size n = isl_map_dim(order->map, isl_dim_out);
  bool usable = order->stmt->lane_bytes && order->time && band->n_form < MAX_FORMS && n > band->pos &&
                isl_set_dim(order->domain, isl_dim_set) <= TSR_MAX_DIM && isl_set_is_empty(order->domain) == isl_bool_false;
  if (!usable)
    return isl_stat_error;
  struct form *form = &band->form[band->n_form];
  *form = (struct form){.stmt = order->stmt};
  tsr_step_init(&form->step, order, band->pos);
  if (!form->step.fixed || form->step.empty || form->step.by != 1)
    return isl_stat_error;
  form->across = strides_of(form, &form->step);
  struct tsr_step inner = {.empty = true};
  for (int pos = n - 1; pos > band->pos && inner.empty; pos--) {
    tsr_step_init(&inner, order, pos);
    form->again = pos > band->pos + 1;
  }
  form->along = inner.empty ? NULL : strides_of(form, &inner);
  form->n_loop = isl_set_dim(order->domain, isl_dim_set);
  form->again = form->again && !is_straight(order, inner.pos);
  form->held = form->along && tsr_stmt_holds(band->scop, form->stmt, &inner);
  form->step.order = NULL;
  form->domain = isl_set_copy(order->domain);
  form->time = isl_multi_aff_copy(order->time);
  band->n_form++;
  return isl_stat_ok;
}

static isl_stat add_leaf(isl_schedule_node *leaf, void *user)
{
  struct band *band = user;
  return tsr_leaf_foreach_order(leaf, band->scop, tsr_scop_common(band->scop), add_form, band);
}

/* ---- is it worth it? ---- */

/* Cycles for an iteration of all innermost loops, one by one, or in lockstep; where there are sums in registers, of the
 * deepest ones: others run once for all of a sum. */
static double band_cost(const struct band *band, const struct tsr_lockstep *lockstep)
{
  double cost = 0;
  int deepest = 0;
  for (int i = 0; i < band->n_form; i++)
    deepest = band->form[i].held && band->form[i].n_loop > deepest ? band->form[i].n_loop : deepest;
  for (int i = 0; i < band->n_form; i++) {
    const struct form *form = &band->form[i];
    if (form->along && form->n_loop >= deepest)
      cost += lockstep ? tsr_issue_lanes(band->scop, form->stmt, form->across, form->along, form->held, lockstep)
                       : tsr_issue_one_by_one(form->stmt);
  }
  return cost;
}

/* May the member run innermost as well, as a vector loop that streams along rows? Where lanes are neighbours in memory or
 * share an element, and nothing but MEMORY links statements, innermost.c puts it there. Not where a sum is in registers in
 * place of being loaded and stored all along, and what it adds up, a panel of as many columns as there are lanes, is read
 * again by the next one. */
static bool may_sink(const struct band *band)
{
  bool may = true;
  for (int i = 0; i < band->n_form; i++)
    may &= !(band->form[i].held && band->form[i].again);
  for (int i = 0; i < band->n_form && may; i++)
    for (int k = 0; k < band->form[i].stmt->n_access; k++)
      may &= band->form[i].across[k] != TSR_STRIDE_OTHER &&
             band->scop->arrays[band->form[i].stmt->access[k].array].kind == TSR_ARRAY_MEMORY;
  return may;
}

/* Is there something that LLVM's own vectoriser adds up in another order, along rows? */
static bool is_reordered(const struct band *band)
{
  bool found = false;
  for (int i = 0; i < band->n_form; i++)
    for (int k = 0; k < band->form[i].stmt->n_access; k++) {
      const struct tsr_access *access = &band->form[i].stmt->access[k];
      found |= access->reduction != TSR_RED_NONE && access->reassoc;
    }
  return found;
}

/* Does each statement in an innermost loop go from row to row in it? Then that loop is no good one for vectors, even if it
 * is parallel. */
static bool is_across_rows(const struct band *band)
{
  bool all = true;
  for (int i = 0; i < band->n_form; i++) {
    const struct form *form = &band->form[i];
    bool any = !form->along;
    for (int k = 0; k < form->stmt->n_access && !any; k++)
      any = form->along[k] == TSR_STRIDE_OTHER;
    all &= any;
  }
  return all;
}

/* What a lane computes for itself, about: in statements with calls, or with accesses that are neither neighbours nor rows
 * that are transposed, all that addresses may depend on. */
static int count_alone(const struct band *band)
{
  int n = 0;
  for (int i = 0; i < band->n_form; i++) {
    const struct form *form = &band->form[i];
    bool apart = false;
    for (int k = 0; k < form->stmt->n_access; k++)
      apart |= form->across[k] == TSR_STRIDE_OTHER && !(form->along && form->along[k] == TSR_STRIDE_ONE);
    n += apart || form->stmt->alone ? (int)form->stmt->weight + form->stmt->n_access : 0;
  }
  return n;
}

/* Do so many lanes at once leave code of moderate size? */
static bool is_moderate(const struct band *band, int lanes)
{
  return lanes * band->n_form <= MAX_COPIES && lanes * count_alone(band) <= MAX_ALONE;
}

/* The cost of what is taken: as many vectors of LANES as pay, each time that they are doubled; or as are CHEAPEST. */
static double try_vectors(struct band *band, int lanes, bool cheapest)
{
  double least = 0;
  band->lockstep = (struct tsr_lockstep){0, lanes};
  for (int vectors = 1; vectors <= TSR_MAX_LANE_VECTORS && is_moderate(band, vectors * lanes); vectors *= 2) {
    double cost = band_cost(band, &(struct tsr_lockstep){vectors, lanes});
    if (band->lockstep.vectors && cost > (cheapest ? 1 : LANES_WORTH_CODE) * least)
      continue;
    band->lockstep.vectors = vectors;
    least = cost;
  }
  return least;
}

/* As many vectors as pay; false: none do. */
static bool choose_vectors(struct band *band, bool force)
{
  int bytes = 1;
  for (int i = 0; i < band->n_form; i++)
    bytes = band->form[i].stmt->lane_bytes > bytes ? band->form[i].stmt->lane_bytes : bytes;
  int lanes = band->scop->machine.vector_bytes / bytes;
  lanes = lanes < TSR_MAX_LANES ? lanes : TSR_MAX_LANES;
  double alone = band_cost(band, NULL), least = lanes < 2 ? 0 : try_vectors(band, lanes, false);
  if (lanes < 2 || !band->lockstep.vectors || may_sink(band) || (!force && is_reordered(band)))
    return false;
  return force || least < LANES_WORTH_IT * alone || try_vectors(band, lanes, true) < LANES_WORTH_IT * alone;
}

/* ---- where ---- */

struct inner {
  int serial, parallel; /* innermost loops */
  bool coincident;      /* may a loop that isn't innermost run in lockstep? */
};

static isl_bool look_inside(isl_schedule_node *node, void *user)
{
  struct inner *inner = user;
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
    return isl_bool_true;
  isl_size n = isl_schedule_node_band_n_member(node);
  bool innermost = tsr_node_has_band_below(node) == isl_bool_false;
  for (int i = 0; i < n - innermost; i++)
    inner->coincident |= isl_schedule_node_band_member_get_coincident(node, i) == isl_bool_true;
  bool parallel = isl_schedule_node_band_member_get_coincident(node, n - 1) == isl_bool_true;
  inner->parallel += innermost && parallel;
  inner->serial += innermost && !parallel;
  return isl_bool_true;
}

/* The member of the band at NODE to run in lockstep; -1: none. *BESIDE: there are parallel innermost loops, too. */
static int find_member(isl_schedule_node *node, bool *beside)
{
  isl_size n = isl_schedule_node_band_n_member(node);
  int member = n - 1;
  bool innermost = tsr_node_has_band_below(node) == isl_bool_false;
  struct inner inner = {0};
  if (innermost && isl_schedule_node_band_member_get_coincident(node, n - 1) == isl_bool_true)
    return -1;
  if (!innermost) {
    isl_schedule_node *below = isl_schedule_node_get_child(node, 0);
    isl_stat ok = isl_schedule_node_foreach_descendant_top_down(below, look_inside, &inner);
    isl_schedule_node_free(below);
    *beside = inner.parallel > 0;
    if (ok < 0 || inner.coincident || inner.serial == 0)
      return -1;
  }
  while (member >= 0 && isl_schedule_node_band_member_get_coincident(node, member) != isl_bool_true)
    member--;
  return innermost && member == n - 1 ? -1 : member;
}

/* ---- which instances ---- */

/* { S[i] -> S[i'] } of FORM: i' is i in the lane LANE of its tile of SIZE. */
static isl_multi_aff *to_lane(const struct form *form, int pos, int size, int lane)
{
  isl_multi_aff *moved = isl_multi_aff_identity_on_domain_space(isl_set_get_space(form->domain));
  isl_ctx *ctx = isl_set_get_ctx(form->domain);
  isl_size n = isl_multi_aff_dim(moved, isl_dim_out);
  for (int i = 0; i < n; i++) {
    if (!form->step.delta[i])
      continue;
    isl_aff *own = isl_aff_mod_val(isl_multi_aff_get_aff(form->time, pos), isl_val_int_from_si(ctx, size));
    isl_aff *by = isl_aff_add_constant_si(isl_aff_neg(own), lane);
    by = isl_aff_scale_val(by, isl_val_int_from_si(ctx, form->step.delta[i]));
    moved = isl_multi_aff_set_aff(moved, i, isl_aff_add(isl_multi_aff_get_aff(moved, i), by));
  }
  return moved;
}

/* Those of INSTANCES of FORM whose like is in PIECE, of its domain, in all lanes of their tile of SIZE. */
static isl_set *accompanied(const struct form *form, isl_set *piece, int pos, int size, __isl_take isl_set *instances)
{
  for (int lane = 1; lane < size - 1; lane++) {
    isl_set *like = isl_set_preimage_multi_aff(isl_set_copy(piece), to_lane(form, pos, size, lane));
    if (isl_set_is_subset(instances, like) == isl_bool_true)
      isl_set_free(like);
    else
      instances = isl_set_intersect(instances, like);
  }
  return instances;
}

/* Instances of FORM whose like isn't there in all lanes of their tile. Of a piece of a domain it is there in all if it is in
 * the first and in the last, but for what comes every so many lanes. */
static isl_set *lonely(const struct form *form, int pos, int size)
{
  isl_set *others = isl_set_copy(form->domain);
  isl_basic_set_list *pieces = isl_set_get_basic_set_list(form->domain);
  isl_size n = isl_basic_set_list_n_basic_set(pieces);
  for (int i = 0; i < n; i++) {
    isl_basic_set *basic = isl_basic_set_list_get_at(pieces, i);
    bool convex = isl_basic_set_dim(basic, isl_dim_div) == 0;
    isl_set *piece = isl_set_from_basic_set(basic);
    isl_set *first = isl_set_preimage_multi_aff(isl_set_copy(piece), to_lane(form, pos, size, 0));
    isl_set *last = isl_set_preimage_multi_aff(isl_set_copy(piece), to_lane(form, pos, size, size - 1));
    isl_set *both = isl_set_intersect(first, last);
    others = isl_set_subtract(others, convex ? both : accompanied(form, piece, pos, size, both));
    isl_set_free(piece);
  }
  isl_basic_set_list_free(pieces);
  return others;
}

/* { S[i] -> [p, i/SIZE] } of FORM: which tile an instance is in. */
static isl_multi_aff *tile_of(const struct form *form, int pos, int size)
{
  isl_ctx *ctx = isl_set_get_ctx(form->domain);
  isl_size n = isl_multi_aff_dim(form->time, isl_dim_out);
  isl_multi_aff *tile = isl_multi_aff_drop_dims(isl_multi_aff_copy(form->time), isl_dim_out, pos + 1, n - pos - 1);
  isl_aff *row = isl_aff_scale_down_val(isl_multi_aff_get_aff(tile, pos), isl_val_int_from_si(ctx, size));
  return isl_multi_aff_set_aff(tile, pos, isl_aff_floor(row));
}

/* The tiles that instances of DOMAIN, of FORM, are in, and those of SET. */
static isl_set *add_tiles(const struct band *band, const struct form *form, __isl_take isl_set *domain,
                          __isl_take isl_set *set)
{
  int size = band->lockstep.vectors * band->lockstep.lanes;
  isl_set *tiles = isl_set_apply(domain, isl_map_from_multi_aff(tile_of(form, band->pos, size)));
  return set ? isl_set_union(set, tiles) : tiles;
}

/* The instances in tiles of which all lanes have all instances, in *FULL, and the others, in *REST: by the very divisions
 * that the bands make, so that isl finds them again in the loops. */
static void find_full(struct band *band, isl_union_set **full, isl_union_set **rest)
{
  int size = band->lockstep.vectors * band->lockstep.lanes;
  isl_set *tiles = NULL, *partial = NULL;
  for (int i = 0; i < band->n_form; i++) {
    tiles = add_tiles(band, &band->form[i], isl_set_copy(band->form[i].domain), tiles);
    partial = add_tiles(band, &band->form[i], lonely(&band->form[i], band->pos, size), partial);
  }
  tiles = isl_set_coalesce(isl_set_subtract(isl_set_coalesce(tiles), isl_set_coalesce(partial)));
  *full = *rest = isl_union_set_empty_ctx(band->scop->ctx);
  isl_union_set_copy(*full);
  for (int i = 0; i < band->n_form; i++) {
    const struct form *form = &band->form[i];
    isl_set *own = isl_set_preimage_multi_aff(isl_set_copy(tiles), tile_of(form, band->pos, size));
    own = isl_set_coalesce(isl_set_intersect(own, isl_set_copy(form->domain)));
    isl_set *others = isl_set_coalesce(isl_set_subtract(isl_set_copy(form->domain), isl_set_copy(own)));
    *full = isl_union_set_union(*full, isl_union_set_from_set(own));
    *rest = isl_union_set_union(*rest, isl_union_set_from_set(others));
  }
  isl_set_free(tiles);
}

/* ---- the tree ---- */

static isl_schedule_node *insert_row(isl_schedule_node *node, isl_union_pw_aff *row)
{
  node = isl_schedule_node_insert_partial_schedule(node, isl_multi_union_pw_aff_from_union_pw_aff(row));
  node = isl_schedule_node_band_set_permutable(node, 1);
  return isl_schedule_node_band_member_set_coincident(node, 0, 1);
}

/* B(i) - X  ->  T(i/SIZE) - Q(i%SIZE) - X; the result stands at Q. */
static isl_schedule_node *insert_tiles(__isl_take isl_schedule_node *node, int size)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_union_pw_aff *row = isl_multi_union_pw_aff_get_at(partial, 0);
  isl_val *by = isl_val_int_from_si(isl_schedule_node_get_ctx(node), size);
  isl_multi_union_pw_aff_free(partial);
  node = isl_schedule_node_delete(node);
  node = insert_row(node, isl_union_pw_aff_mod_val(isl_union_pw_aff_copy(row), isl_val_copy(by)));
  node = insert_row(node, isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(row, by)));
  return isl_schedule_node_child(node, 0);
}

/* ROW as a band of its own at each leaf below NODE. */
static isl_schedule_node *insert_below(__isl_take isl_schedule_node *node, isl_union_pw_aff *row)
{
  if (isl_schedule_node_get_type(node) == isl_schedule_node_leaf)
    return insert_row(node, isl_union_pw_aff_copy(row));
  isl_size n = isl_schedule_node_n_children(node);
  for (int i = 0; i < n; i++)
    node = isl_schedule_node_parent(insert_below(isl_schedule_node_child(node, i), row));
  return node;
}

/* What is beside the lanes, the band at NODE with what is below: a few iterations, of which those of a sum go innermost,
 * unless scalars go from one statement to another: one by one each would wait for itself, all along. */
static isl_schedule_node *sink_rest(const struct band *band, __isl_take isl_schedule_node *node)
{
  bool held = false, memory = true;
  for (int i = 0; i < band->n_form; i++) {
    held |= band->form[i].held;
    for (int k = 0; k < band->form[i].stmt->n_access; k++)
      memory &= band->scop->arrays[band->form[i].stmt->access[k].array].kind == TSR_ARRAY_MEMORY;
  }
  if (!held || !memory)
    return node;
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_union_pw_aff *row = isl_multi_union_pw_aff_get_at(partial, 0);
  isl_multi_union_pw_aff_free(partial);
  node = insert_below(isl_schedule_node_delete(node), row);
  isl_union_pw_aff_free(row);
  return node;
}

/* The band at NODE, of the member alone, in lockstep as far as tiles are full. NULL where none is. */
static isl_schedule_node *insert_lockstep(struct band *band, __isl_take isl_schedule_node *node)
{
  isl_union_set *full, *rest;
  find_full(band, &full, &rest);
  isl_bool none = isl_union_set_is_empty(full), all = isl_union_set_is_empty(rest);
  bool parts = none == isl_bool_false && all == isl_bool_false;
  if (parts) {
    node = isl_schedule_node_insert_sequence(node, isl_union_set_list_add(isl_union_set_list_from_union_set(full), rest));
    node = isl_schedule_node_grandparent(sink_rest(band, isl_schedule_node_grandchild(node, 1, 0)));
    node = isl_schedule_node_grandchild(node, 0, 0);
  } else {
    isl_union_set_free(full);
    isl_union_set_free(rest);
  }
  if (none != isl_bool_false || all < 0)
    return isl_schedule_node_free(node);
  node = insert_tiles(node, band->lockstep.vectors * band->lockstep.lanes);
  node = tsr_mark_insert(node, band->scop, &(struct tsr_mark){.kind = TSR_MARK_LOCKSTEP, .lockstep = band->lockstep});
  return isl_schedule_node_ancestor(node, parts ? 3 : 1);
}

/* Find the statements below the band at NODE, and *MEMBER, which may run in lockstep; false: none may. */
static bool find_band(struct band *band, isl_schedule_node *node, const struct tsr_options *opt, int *member)
{
  bool beside = false;
  *member = find_member(node, &beside);
  band->pos = isl_schedule_node_get_schedule_depth(node) + *member;
  return *member >= 0 && tsr_node_foreach_leaf(node, add_leaf, band) == isl_stat_ok &&
         (!beside || opt->force || is_across_rows(band));
}

isl_schedule_node *tsr_band_isolate(isl_schedule_node *node, int member)
{
  isl_size n = isl_schedule_node_band_n_member(node);
  if (member > 0)
    node = isl_schedule_node_child(isl_schedule_node_band_split(node, member), 0);
  return member < n - 1 ? isl_schedule_node_band_split(node, 1) : node;
}

isl_schedule_node *tsr_band_lockstep(isl_schedule_node *node, struct tsr_scop *scop, const struct tsr_options *opt,
                                     bool *found)
{
  struct band band = {.scop = scop};
  int member;
  *found = false;
  if (find_band(&band, node, opt, &member) && choose_vectors(&band, opt->force)) {
    isl_schedule_node *new = tsr_band_isolate(isl_schedule_node_copy(node), member);
    bool independent = tsr_band_is_lockstep(new, scop) == isl_bool_true;
    new = independent ? insert_lockstep(&band, new) : isl_schedule_node_free(new);
    *found = new != NULL;
    if (*found) {
      isl_schedule_node_free(node);
      node = isl_schedule_node_ancestor(new, member > 0 ? 1 : 0);
    } else {
      isl_schedule_node_free(new);
    }
  }
  band_clear(&band);
  return node;
}

/* ---- what lanes walk along (lane_panels.c) ---- */

/* The dimension of the array of ACCESS in which lanes that are STEP apart are neighbours, if there is one alone in which
 * they differ; else -1. */
static int lane_dimension(const struct tsr_access *access, const struct tsr_step *step)
{
  isl_size n = isl_map_dim(access->relation, isl_dim_out);
  int found = -1, n_other = 0;
  for (int d = 0; d < n; d++) {
    isl_map *one = isl_map_project_out(isl_map_copy(access->relation), isl_dim_out, (unsigned)d + 1, (unsigned)(n - d - 1));
    long elements = 0;
    one = isl_map_project_out(one, isl_dim_out, 0, (unsigned)d);
    if (!tsr_access_move(one, step->delta, &elements) || (elements != 0 && elements != 1))
      n_other++;
    else if (elements == 1 && found >= 0)
      n_other++;
    else if (elements == 1)
      found = d;
    isl_map_free(one);
  }
  return n_other ? -1 : found;
}

/* Note the arrays that the sum of FORM walks along, in each lane elsewhere, again and again: in PANEL. */
static void note_walks(const struct band *band, struct form *form, struct tsr_lane_panel *panel)
{
  for (int i = 0; i < form->stmt->n_access; i++) {
    const struct tsr_access *access = &form->stmt->access[i];
    int d = access->kind == TSR_READ && band->scop->arrays[access->array].kind == TSR_ARRAY_MEMORY &&
                    band->scop->arrays[access->array].space == TSR_SPACE_PROGRAM && form->along[i] != TSR_STRIDE_ZERO
                ? lane_dimension(access, &form->step)
                : -1;
    bool known = d < 0 || panel->n == TSR_MAX_PANEL_ARRAYS;
    for (int k = 0; k < panel->n && !known; k++)
      known = panel->array[k] == access->array;
    if (!known) {
      panel->array[panel->n] = access->array;
      panel->last[panel->n++] = d;
    }
  }
}

/* Take what is in PANEL's buffers for what it will be: lanes are neighbours. */
static void expect_panel(struct form *form, const struct tsr_lane_panel *panel)
{
  for (int i = 0; i < form->stmt->n_access; i++)
    for (int k = 0; k < panel->n; k++)
      if (form->stmt->access[i].array == panel->array[k] && form->across[i] != TSR_STRIDE_ZERO) {
        form->across[i] = TSR_STRIDE_ONE;
        if (form->along && form->along[i] == TSR_STRIDE_ONE)
          form->along[i] = TSR_STRIDE_OTHER;
      }
}

bool tsr_band_find_panel(isl_schedule_node *node, struct tsr_scop *scop, const struct tsr_options *opt,
                         struct tsr_lane_panel *panel)
{
  struct band band = {.scop = scop};
  *panel = (struct tsr_lane_panel){.n = 0};
  bool found = find_band(&band, node, opt, &panel->member);
  for (int i = 0; i < band.n_form && found; i++)
    if (band.form[i].held && band.form[i].again)
      note_walks(&band, &band.form[i], panel);
  for (int i = 0; i < band.n_form && found; i++)
    expect_panel(&band.form[i], panel);
  found = found && panel->n > 0 && choose_vectors(&band, opt->force);
  panel->lanes = band.lockstep.vectors * band.lockstep.lanes;
  band_clear(&band);
  return found;
}
