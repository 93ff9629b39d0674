/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Does a buffer of packed operands hold what its readers would read? With P, the iteration of the loops around the mark, and
 * x = (t, k, v), the place in the buffer that an instance in a register tile reads:
 *
 *   by vector   t = 0                          k, v: reduction and vector of the tile
 *   by row      t: of the loop around the tile   k, v: reduction and row
 *
 *   place     { S -> [P, x] } of the instances in register tiles below the mark: x is within the buffer
 *   element   { [P, x] -> A[e] : an instance at (P, x) reads e } is a function: by linear equations, as a rule, else by
 *             asking isl
 *   unspoilt  { [P] -> A[e] } written below the mark, and read at some (P, x), have nothing in common
 *   next      where copies along k, or v, are vectors: element(P, x + 1 there) is the next one in memory
 *
 * The access is a plain one, so that what is copied may be loaded, and no other mark packs it. What is copied does not
 * depend on row and its block (by row: vector and its block), which are below the mark. */
#include "check/promises.h"
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/space.h>
#include <string.h>

/* What is known of one mark. */
struct packed {
  struct tsr_scop *scop;
  const struct tsr_pack *pack;
  isl_schedule_node *mark;
  int depth;             /* of P */
  isl_union_map *around; /* { S -> [P] } */
  bool exact;            /* do instances count, not expressions alone? That is slower, for what those don't prove */
  isl_union_map *place;  /* then, { S -> [P, x] } so far */
  bool any;              /* is there a tile? */
  isl_multi_aff *time;   /* the same as one expression a dimension, NULL: it is none, or there is no tile yet */
  bool linear;           /* is that, so far, right for all tiles? */
  bool fixed;            /* do P and x fix the element, by linear equations? */
  const char *wrong;
};

/* { S -> [x] } of the instances in the tile whose band is at TILE; NULL: it has no such loops. */
static isl_multi_union_pw_aff *place_in(struct packed *p, isl_schedule_node *tile)
{
  isl_multi_union_pw_aff *around = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(tile);
  isl_multi_union_pw_aff *own = isl_schedule_node_band_get_partial_schedule(tile), *x = NULL;
  isl_size n = isl_multi_union_pw_aff_size(around);
  bool row = p->pack->by_row;
  if (n >= 0 && isl_multi_union_pw_aff_size(own) == 3 && n - (row ? 2 : 1) >= p->depth) {
    x = isl_multi_union_pw_aff_flat_range_product(tsr_member_schedule(own, 0), tsr_member_schedule(own, row ? 1 : 2));
    if (row)
      x = isl_multi_union_pw_aff_flat_range_product(tsr_member_schedule(around, n - 1), x);
    x = isl_multi_union_pw_aff_reset_tuple_id(x, isl_dim_set);
  }
  isl_multi_union_pw_aff_free(around);
  isl_multi_union_pw_aff_free(own);
  return x;
}

/* Is the buffer large enough for all places { S -> [x] }? */
static bool are_within(struct packed *p, isl_union_map *places)
{
  isl_set *used = isl_set_from_union_set(isl_union_map_range(isl_union_map_copy(places)));
  isl_set *buffer = isl_set_universe(isl_set_get_space(used));
  int first = p->pack->by_row ? 0 : 1;
  for (int d = first; d < 3; d++) {
    buffer = isl_set_lower_bound_si(buffer, isl_dim_set, d - first, 0);
    buffer = isl_set_upper_bound_si(buffer, isl_dim_set, d - first, (int)p->pack->size[d] - 1);
  }
  isl_bool within = isl_set_is_subset(used, buffer);
  isl_set_free(used);
  isl_set_free(buffer);
  return within == isl_bool_true;
}

/* Are A and B the same for the instances in DOMAIN? isl writes the rows of a tile of one row as 0. */
static bool agree(isl_multi_aff *a, isl_multi_aff *b, isl_union_set *domain)
{
  isl_bool same = a ? isl_multi_aff_plain_is_equal(a, b) : isl_bool_false;
  if (a && same == isl_bool_false) {
    isl_set *part = isl_union_set_extract_set(domain, isl_space_domain(isl_multi_aff_get_space(a)));
    isl_map *first = isl_map_intersect_domain(isl_map_from_multi_aff(isl_multi_aff_copy(a)), part);
    isl_map *second = isl_map_from_multi_aff(isl_multi_aff_copy(b));
    same = isl_map_is_subset(first, second);
    isl_map_free(first);
    isl_map_free(second);
  }
  return same == isl_bool_true;
}

/* Note whether X { S -> [x] }, of one more tile with the instances DOMAIN, goes by the same expressions as those before it.
 */
static void note_time(struct packed *p, isl_schedule_node *node, isl_multi_union_pw_aff *x, isl_union_set *domain)
{
  isl_multi_union_pw_aff *times[2] = {isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(node), x};
  isl_space *space = isl_set_get_space(p->scop->stmts[p->pack->stmt].domain);
  isl_multi_union_pw_aff *all = isl_multi_union_pw_aff_copy(x);
  if (p->depth > 0)
    all = isl_multi_union_pw_aff_flat_range_product(isl_multi_union_pw_aff_copy(times[0]), all);
  space = isl_space_align_params(space, isl_multi_union_pw_aff_get_space(all));
  isl_multi_aff *time = tsr_prefix_time(all, space);
  if (!p->time && p->linear) {
    p->time = isl_multi_aff_copy(time);
    p->fixed = tsr_times_fix_element(times, 2, p->scop->stmts[p->pack->stmt].access[p->pack->access].relation);
  }
  p->linear = p->linear && agree(time, p->time, domain);
  isl_multi_aff_free(time);
  isl_multi_union_pw_aff_free(all);
  isl_multi_union_pw_aff_free(times[0]);
  isl_space_free(space);
}

/* Add the instances that the register tile at NODE, a mark, has of the statement. */
static isl_bool add_tile(isl_schedule_node *node, void *user)
{
  struct packed *p = user;
  if (p->wrong || !tsr_mark_is(tsr_node_mark(node), TSR_MARK_REGISTERS))
    return isl_bool_ok(!p->wrong);
  isl_schedule_node *band = isl_schedule_node_get_child(node, 0);
  isl_union_set *domain = isl_schedule_node_get_domain(band);
  domain = isl_union_set_intersect(domain, isl_union_set_from_set(isl_set_copy(p->scop->stmts[p->pack->stmt].domain)));
  domain = isl_union_set_intersect_params(domain, tsr_scop_common(p->scop));
  if (isl_union_set_is_empty(domain) == isl_bool_false) {
    bool is_band = isl_schedule_node_get_type(band) == isl_schedule_node_band;
    isl_multi_union_pw_aff *x = is_band ? place_in(p, band) : NULL;
    if (x) {
      note_time(p, p->mark, x, domain);
      isl_union_map *places = isl_union_map_from_multi_union_pw_aff(x);
      if (p->exact)
        places = isl_union_map_intersect_domain(places, isl_union_set_copy(domain));
      p->any = true;
      if (!are_within(p, places))
        p->wrong = "a packed operand beyond its buffer";
      if (p->exact) {
        places = isl_union_map_flat_range_product(isl_union_map_copy(p->around), places);
        p->place = isl_union_map_union(p->place, places);
      } else {
        isl_union_map_free(places);
      }
    } else {
      p->wrong = "a packed operand of other tiles than in registers, or of a mark inside of their loops";
    }
  }
  isl_union_set_free(domain);
  isl_schedule_node_free(band);
  return isl_bool_false;
}

/* Does ELEMENT { [P, x] -> A[e] } go to the next element where dimension POS of [P, x] goes on by 1? */
static bool goes_next(isl_map *element, int pos)
{
  isl_space *space = isl_space_domain(isl_map_get_space(element));
  isl_multi_aff *step = isl_multi_aff_identity_on_domain_space(space);
  step = isl_multi_aff_set_aff(step, pos, isl_aff_add_constant_si(isl_multi_aff_get_aff(step, pos), 1));
  isl_map *moves = isl_map_apply_range(isl_map_reverse(isl_map_copy(element)), isl_map_from_multi_aff(step));
  isl_set *deltas = isl_map_deltas(isl_map_apply_range(moves, isl_map_copy(element)));
  isl_size n = isl_set_dim(deltas, isl_dim_set);
  isl_set *next = isl_set_universe(isl_set_get_space(deltas));
  for (int i = 0; i < n; i++)
    next = isl_set_fix_si(next, isl_dim_set, (unsigned)i, i == n - 1);
  isl_bool good = isl_set_is_subset(deltas, next);
  isl_set_free(deltas);
  isl_set_free(next);
  return n > 0 && good == isl_bool_true;
}

/* Does nothing below the mark NODE write what ELEMENT { [P, x] -> A[e] } has at the same P? */
static bool is_unspoilt(struct packed *p, isl_schedule_node *node, isl_map *element)
{
  int array = p->scop->stmts[p->pack->stmt].access[p->pack->access].array;
  isl_union_map *writes = isl_union_map_empty_ctx(p->scop->ctx);
  for (int s = 0; s < p->scop->n_stmt; s++)
    for (int k = 0; k < p->scop->stmts[s].n_access; k++)
      if (p->scop->stmts[s].access[k].array == array && p->scop->stmts[s].access[k].kind != TSR_READ)
        writes = isl_union_map_add_map(writes, isl_map_copy(p->scop->stmts[s].access[k].relation));
  isl_union_set *domain = isl_union_set_intersect_params(isl_schedule_node_get_domain(node), tsr_scop_common(p->scop));
  writes = isl_union_map_intersect_domain(writes, domain);
  isl_bool none = isl_union_map_is_empty(writes);
  if (none == isl_bool_false) {
    isl_size n = isl_map_dim(element, isl_dim_in);
    isl_map *held = isl_map_project_out(isl_map_copy(element), isl_dim_in, (unsigned)p->depth, (unsigned)(n - p->depth));
    writes = isl_union_map_apply_domain(writes, isl_union_map_copy(p->around));
    isl_union_map *all = isl_union_map_from_map(held);
    none = isl_union_map_is_disjoint(writes, all);
    isl_union_map_free(all);
  }
  isl_union_map_free(writes);
  return none == isl_bool_true;
}

/* { [P, x] -> A[e] }, of the instances that there are or, if that isn't exact, of any. */
static isl_map *elements_of(struct packed *p)
{
  isl_map *relation = isl_map_copy(p->scop->stmts[p->pack->stmt].access[p->pack->access].relation);
  if (!p->exact)
    return isl_map_apply_range(isl_map_reverse(isl_map_from_multi_aff(isl_multi_aff_copy(p->time))), relation);
  isl_union_map *reads = isl_union_map_apply_domain(isl_union_map_from_map(relation), isl_union_map_copy(p->place));
  return isl_map_coalesce(isl_map_from_union_map(reads));
}

/* Check what the buffer of the mark NODE holds. */
static const char *check_elements(struct packed *p, isl_schedule_node *node)
{
  isl_map *element = elements_of(p);
  int k = p->depth + p->pack->by_row;
  const char *wrong = NULL;
  if (!(p->linear && p->fixed) && isl_map_is_single_valued(element) != isl_bool_true)
    wrong = "a packed operand with two elements at one place";
  else if (!is_unspoilt(p, node, element))
    wrong = "a packed operand that is written while its buffer is in use";
  else if ((p->pack->inner_reduction && !goes_next(element, k)) || (p->pack->vector && !goes_next(element, k + 1)))
    wrong = "a packed operand that is copied along what are no neighbours in memory";
  isl_map_free(element);
  return wrong;
}

/* What is_only works on. */
struct others {
  struct tsr_scop *scop;
  const struct tsr_pack *pack;
  int n;
};

/* Count the marks that pack the same operand. */
static isl_bool count_mark(isl_schedule_node *node, void *user)
{
  struct others *others = user;
  struct tsr_pack pack;
  if (tsr_mark_pack(tsr_node_mark(node), others->scop, &pack))
    others->n += pack.stmt == others->pack->stmt && pack.access == others->pack->access;
  return isl_bool_true;
}

/* Is the mark NODE the only one in its tree that packs this operand? */
static bool is_only(struct packed *p, isl_schedule_node *node)
{
  struct others others = {p->scop, p->pack, 0};
  isl_schedule_node *root = isl_schedule_node_root(isl_schedule_node_copy(node));
  isl_stat ok = isl_schedule_node_foreach_descendant_top_down(root, count_mark, &others);
  isl_schedule_node_free(root);
  return ok == isl_stat_ok && others.n == 1;
}

/* What is wrong with P's tiles and what the buffer holds for them, by instances if EXACT. */
static const char *check_all(struct packed *p, bool exact)
{
  p->exact = exact;
  p->wrong = NULL;
  p->any = false;
  isl_schedule_node *below = isl_schedule_node_get_child(p->mark, 0);
  isl_stat ok = isl_schedule_node_foreach_descendant_top_down(below, add_tile, p);
  isl_schedule_node_free(below);
  if (p->wrong)
    return p->wrong;
  if (ok < 0 || !p->any)
    return "a packed operand that no register tile reads";
  if (!exact && !(p->linear && p->fixed))
    return "a packed operand of tiles in different places";
  return check_elements(p, p->mark);
}

/* Expressions alone prove it as a rule: what holds for any instances does so for those that there are. */
const char *tsr_check_pack(struct tsr_scop *scop, isl_schedule_node *node, const struct tsr_pack *pack)
{
  struct packed p = {
      .scop = scop, .pack = pack, .mark = node, .depth = isl_schedule_node_get_schedule_depth(node), .linear = true};
  const struct tsr_access *access = &scop->stmts[pack->stmt].access[pack->access];
  if (access->kind != TSR_READ || access->maybe || scop->no_buffers ||
      isl_map_is_single_valued(access->relation) != isl_bool_true)
    return "a packed operand that isn't one element, read for sure";
  if (!is_only(&p, node))
    return "an operand that is packed twice";
  p.around = isl_schedule_node_get_prefix_schedule_union_map(node);
  p.place = isl_union_map_empty_ctx(scop->ctx);
  const char *wrong = check_all(&p, false);
  if (wrong)
    wrong = check_all(&p, true);
  isl_multi_aff_free(p.time);
  isl_union_map_free(p.around);
  isl_union_map_free(p.place);
  return wrong;
}
