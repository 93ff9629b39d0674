/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Packed operands become arrays: what the marks of a tree say is made so, before it is checked.
 *
 *   mark "pack 1 of S in KxN by vector" - X
 *   ->  mark "allocate A_packed" - extension { [p] -> load_A[i] } - sequence(
 *         load_A: band over the subscripts of A_packed - leaf     A_packed[k, v] = A[i]
 *         others: X, where S reads A_packed[k, v] )
 *
 * With T the time of an instance, of all loops up to those of its register tile, the element of the array is
 *
 *   by vector   [k, v]      k, v: the loops of the tile over the reduction and the vector
 *   by row      [t, k, r]   t: the loop around the tile; k, r: those over the reduction and the row
 *
 * A move is named by an instance of S, so that it finds its element in the way S does: that at the first row and tile of
 * rows (by row: at the first vector). Where the element doesn't depend on the loops over these, the instance need not be in
 * the domain of S, but one must be that differs from it in these loops alone: a move loads nothing that the original doesn't
 * load while the SCoP runs. Elsewhere moves are named by instances in tiles, of all at p that read the element the first. */
#include "tree/cached_arrays.h"
#include "tree/registers/registers.h"
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* Tiles and edges below one mark: of one form there are eight at most (MAX_PARTS), in each loop that is split around them.
 */
#define MAX_TIMES 32

/* Loops of one shape below the mark, and when their instances run. */
struct timed {
  isl_set *instances;
  isl_multi_aff *time; /* { S[i] -> [p, .., k, row, vector] } */
};

struct packed {
  struct tsr_scop *scop; /* of the program without packed operands */
  isl_set *known;
  struct tsr_pack pack;
  int depth;           /* of loops around the mark */
  isl_set *instances;  /* of S, below it */
  isl_multi_aff *time; /* of them all */
  isl_set *readers;    /* those that name the moves */
  struct timed part[MAX_TIMES];
  int n_part; /* while they are collected */
  bool failed;
};

static void packed_clear(struct packed *p)
{
  for (int i = 0; i < p->n_part; i++) {
    isl_set_free(p->part[i].instances);
    isl_multi_aff_free(p->part[i].time);
  }
  p->n_part = 0;
  p->instances = isl_set_free(p->instances);
  p->time = isl_multi_aff_free(p->time);
  p->readers = isl_set_free(p->readers);
}

/* ---- when instances run ---- */

static isl_stat take_row(isl_set *set, isl_aff *row, void *user)
{
  isl_aff **only = user;
  isl_set_free(set);
  isl_aff_free(*only);
  *only = row;
  return isl_stat_ok;
}

/* TIME for the statement of SPACE, on all of SPACE; NULL where that isn't one expression a dimension. */
static isl_multi_aff *rows_of(isl_multi_union_pw_aff *time, __isl_take isl_space *space)
{
  isl_multi_pw_aff *parts = isl_multi_union_pw_aff_extract_multi_pw_aff(time, space);
  isl_size n = isl_multi_pw_aff_dim(parts, isl_dim_out);
  isl_aff_list *list = isl_aff_list_alloc(isl_multi_pw_aff_get_ctx(parts), n);
  for (int i = 0; i < n; i++) {
    isl_pw_aff *row = isl_multi_pw_aff_get_at(parts, i);
    isl_aff *only = NULL;
    if (isl_pw_aff_n_piece(row) == 1)
      isl_pw_aff_foreach_piece(row, take_row, &only);
    list = isl_aff_list_add(list, only);
    isl_pw_aff_free(row);
  }
  isl_space *all = isl_multi_pw_aff_get_space(parts);
  isl_multi_pw_aff_free(parts);
  return isl_multi_aff_from_aff_list(all, list);
}

/* Are A and B, times of instances, the same in PART? */
static bool same_times(isl_multi_aff *a, isl_multi_aff *b, isl_set *part)
{
  isl_bool same = isl_multi_aff_plain_is_equal(a, b);
  if (same == isl_bool_false) {
    isl_map *first = isl_map_intersect_domain(isl_map_from_multi_aff(isl_multi_aff_copy(a)), isl_set_copy(part));
    isl_map *second = isl_map_intersect_domain(isl_map_from_multi_aff(isl_multi_aff_copy(b)), isl_set_copy(part));
    same = isl_map_is_equal(first, second);
    isl_map_free(first);
    isl_map_free(second);
  }
  return same == isl_bool_true;
}

/* Is TIME, that of some part, right for all of P's parts? In a part with one step isl writes a number for the step: of other
 * instances that says nothing. */
static bool is_right(const struct packed *p, isl_multi_aff *time)
{
  isl_size n = time ? isl_multi_aff_dim(time, isl_dim_out) : 0;
  isl_aff *step = n >= 3 ? isl_multi_aff_get_at(time, (int)n - 3) : NULL;
  bool right = step && isl_aff_is_cst(step) == isl_bool_false;
  isl_aff_free(step);
  for (int i = 0; i < p->n_part && right; i++)
    right = p->part[i].time && same_times(time, p->part[i].time, p->part[i].instances);
  return right;
}

/* The time of all instances: that of a part which is right for all, as isl writes times as they are in a part: where there
 * is one row, it is 0. False: there is none. */
static bool find_time(struct packed *p)
{
  for (int i = 0; i < p->n_part && !p->time; i++)
    if (is_right(p, p->part[i].time))
      p->time = isl_multi_aff_copy(p->part[i].time);
  return p->time != NULL;
}

/* Does a statement with instances in SPACE run at the leaf LEAF? */
static bool has_instances(isl_schedule_node *leaf, isl_space *space)
{
  isl_union_set *domain = isl_schedule_node_get_universe_domain(leaf);
  isl_set *own = isl_union_set_extract_set(domain, isl_space_copy(space));
  bool has = isl_set_is_empty(own) != isl_bool_true;
  isl_set_free(own);
  isl_union_set_free(domain);
  return has;
}

/* The statement's instances in the loops of a tile, or of an edge, at NODE; anywhere else there must be none. */
static isl_bool add_part(isl_schedule_node *node, void *user)
{
  struct packed *p = user;
  isl_space *space = isl_set_get_space(p->scop->stmts[p->pack.stmt].domain);
  if (!tsr_node_is_mark(node, TSR_MARK_REGISTERS) && !tsr_node_is_mark(node, TSR_MARK_EDGES)) {
    p->failed |= isl_schedule_node_get_type(node) == isl_schedule_node_leaf && has_instances(node, space);
    isl_space_free(space);
    return isl_bool_true;
  }
  isl_schedule_node *band = isl_schedule_node_get_child(node, 0);
  isl_union_set *all = isl_schedule_node_get_domain(band);
  isl_set *part = isl_union_set_extract_set(all, isl_space_copy(space));
  isl_union_set_free(all);
  bool is_band = isl_schedule_node_get_type(band) == isl_schedule_node_band;
  if (isl_set_is_empty(part) == isl_bool_false) {
    p->failed |= !is_band || p->n_part == MAX_TIMES;
    if (!p->failed) {
      isl_multi_union_pw_aff *time = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(band);
      time = isl_multi_union_pw_aff_flat_range_product(time, isl_schedule_node_band_get_partial_schedule(band));
      p->part[p->n_part++] = (struct timed){isl_set_copy(part), rows_of(time, isl_space_copy(space))};
      isl_multi_union_pw_aff_free(time);
    }
  }
  isl_space_free(space);
  isl_set_free(part);
  isl_schedule_node_free(band);
  return isl_bool_false;
}

/* Note the statement's instances, if all of them run below the mark NODE. */
static bool find_instances(struct packed *p, isl_schedule_node *node)
{
  isl_set *domain = isl_set_copy(p->scop->stmts[p->pack.stmt].domain);
  isl_union_set *below = isl_schedule_node_get_domain(node);
  isl_set *own = isl_union_set_extract_set(below, isl_set_get_space(domain));
  p->instances = isl_set_intersect_params(domain, isl_set_copy(p->known));
  isl_bool all = isl_set_is_subset(p->instances, own);
  isl_set_free(own);
  isl_union_set_free(below);
  return all == isl_bool_true;
}

/* ---- what is moved ---- */

/* TIMES of which, for all that agree but at positions A and B, those alone stay that come first there. */
static isl_set *first_times(__isl_take isl_set *times, int a, int b)
{
  isl_map *map = isl_map_from_domain(times);
  map = isl_map_move_dims(map, isl_dim_out, 0, isl_dim_in, b, 1);
  map = isl_map_move_dims(map, isl_dim_out, 0, isl_dim_in, a, 1);
  map = isl_map_lexmin(map);
  map = isl_map_move_dims(map, isl_dim_in, a, isl_dim_out, 0, 1);
  map = isl_map_move_dims(map, isl_dim_in, b, isl_dim_out, 0, 1);
  return isl_map_domain(map);
}

/* Where the row and its tile (by row: the vector and its block) are in p->time. */
static void free_positions(const struct packed *p, int position[2])
{
  int last = (int)isl_multi_aff_dim(p->time, isl_dim_out) - 1;
  position[0] = p->pack.by_row ? last - 4 : last - 3;
  position[1] = p->pack.by_row ? last : last - 1;
}

/* Does dimension POS of the instances move nothing but the free positions, with those of the loops around in which they are
 * blocked, and not the element? */
static bool is_free(const struct packed *p, isl_map *element, int pos)
{
  isl_size n = isl_multi_aff_dim(p->time, isl_dim_out);
  int position[2];
  free_positions(p, position);
  if (isl_map_involves_dims(element, isl_dim_in, pos, 1) != isl_bool_false)
    return false;
  for (int i = p->depth; i < n; i++) {
    isl_aff *row = isl_multi_aff_get_at(p->time, i);
    bool moves = isl_aff_involves_dims(row, isl_dim_in, pos, 1) != isl_bool_false;
    isl_aff_free(row);
    if (moves && i != position[0] && i != position[1])
      return false;
  }
  return true;
}

/* DOMAIN, as if the free loops had no bounds. */
static isl_set *without_bounds(const struct packed *p, isl_map *element, __isl_take isl_set *domain)
{
  isl_size n = isl_set_dim(domain, isl_dim_set);
  for (int i = 0; i < n; i++)
    if (is_free(p, element, i))
      domain = isl_set_eliminate(domain, isl_dim_set, i, 1);
  return domain;
}

/* The times with 0 at the free positions. */
static isl_set *first_place(const struct packed *p, __isl_take isl_space *space)
{
  int position[2];
  free_positions(p, position);
  isl_set *first = isl_set_universe(space);
  return isl_set_fix_si(isl_set_fix_si(first, isl_dim_set, position[0], 0), isl_dim_set, position[1], 0);
}

/* AROUND, times of the loops around the moves: a convex set instead, if STMT has instances at all of its times. */
static isl_set *in_one_piece(__isl_take isl_set *around, struct tsr_stmt *stmt, isl_map *prefix)
{
  if (isl_set_n_basic_set(around) < 2)
    return around;
  isl_set *hull = isl_set_from_basic_set(isl_set_simple_hull(isl_set_copy(around)));
  isl_set *all = isl_set_apply(isl_set_copy(stmt->domain), isl_map_copy(prefix));
  bool inside = isl_set_is_subset(hull, all) == isl_bool_true;
  isl_set_free(all);
  isl_set_free(inside ? around : hull);
  return inside ? hull : around;
}

/* The instances that name the moves, for those p at which there are any. */
static isl_set *first_readers(struct packed *p)
{
  int position[2];
  free_positions(p, position);
  isl_size n = isl_multi_aff_dim(p->time, isl_dim_out);
  struct tsr_stmt *stmt = &p->scop->stmts[p->pack.stmt];
  isl_map *element = stmt->access[p->pack.access].relation;
  isl_set *some = isl_set_coalesce(isl_set_intersect_params(isl_set_copy(p->instances), isl_set_copy(p->known)));
  isl_map *time = isl_map_from_multi_aff(isl_multi_aff_copy(p->time));
  isl_set *times = isl_set_coalesce(isl_set_apply(isl_set_copy(some), isl_map_copy(time)));
  isl_set *place = isl_set_preimage_multi_aff(first_place(p, isl_set_get_space(times)), isl_multi_aff_copy(p->time));
  isl_set *all = isl_set_intersect_params(isl_set_copy(stmt->domain), isl_set_copy(p->known));
  isl_set *readers = isl_set_intersect(without_bounds(p, element, all), place);
  isl_set *around = isl_set_coalesce(isl_set_project_out(isl_set_copy(times), isl_dim_set, p->depth, n - p->depth));
  isl_map *prefix = isl_map_project_out(isl_map_copy(time), isl_dim_out, p->depth, n - p->depth);
  around = in_one_piece(around, stmt, prefix);
  readers = isl_set_coalesce(isl_set_intersect(readers, isl_set_apply(around, isl_map_reverse(prefix))));
  /* do they reach all that is read? */
  isl_set *reached = isl_set_apply(isl_set_copy(readers), isl_map_copy(time)), *needed = isl_set_copy(times);
  for (int i = 1; i >= 0; i--) {
    reached = isl_set_project_out(reached, isl_dim_set, position[i], 1);
    needed = isl_set_project_out(needed, isl_dim_set, position[i], 1);
  }
  isl_bool all_reached = isl_set_is_subset(needed, reached);
  isl_set_free(reached);
  isl_set_free(needed);
  if (all_reached == isl_bool_true) {
    isl_map_free(time);
    isl_set_free(times);
    isl_set_free(some);
    return readers;
  }
  isl_set_free(readers);
  times = first_times(times, position[0], position[1]);
  return isl_set_coalesce(isl_set_intersect(some, isl_set_apply(times, isl_map_reverse(time))));
}

/* ---- the array and its moves ---- */

/* The dimensions of p->time that the array's subscripts are. */
static int subscripts(const struct packed *p, int row[3])
{
  int last = (int)isl_multi_aff_dim(p->time, isl_dim_out) - 1, n = 0;
  if (p->pack.by_row)
    row[n++] = last - 3;
  row[n++] = last - 2;
  row[n++] = p->pack.by_row ? last - 1 : last;
  return n;
}

/* { S[i] -> A_packed[..] } */
static isl_map *place_of(const struct packed *p, const char *name)
{
  int row[3], n = subscripts(p, row);
  isl_map *all = NULL;
  for (int d = 0; d < n; d++) {
    isl_map *one = isl_map_from_aff(isl_multi_aff_get_at(p->time, row[d]));
    all = all ? isl_map_flat_range_product(all, one) : one;
  }
  return isl_map_set_tuple_name(all, isl_dim_out, name);
}

/* { [i, ..] : as large as the pack says } */
static isl_set *extent_of(const struct packed *p)
{
  int first = p->pack.by_row ? 0 : 1;
  isl_set *box = isl_set_universe(isl_space_set_alloc(p->scop->ctx, 0, (unsigned)(3 - first)));
  for (int d = first; d < 3; d++) {
    box = isl_set_lower_bound_si(box, isl_dim_set, (unsigned)(d - first), 0);
    box = isl_set_upper_bound_si(box, isl_dim_set, (unsigned)(d - first), (int)p->pack.size[d] - 1);
  }
  return box;
}

/* The statement's reads of the element go to the array along PLACE. */
static struct tsr_program *redirect(struct packed *p, __isl_take struct tsr_program *program, isl_map *place)
{
  const struct tsr_stmt *stmt = &p->scop->stmts[p->pack.stmt];
  const struct tsr_access *packed = &stmt->access[p->pack.access];
  for (int k = 0; k < stmt->n_access && program; k++)
    if (stmt->access[k].array == packed->array && stmt->access[k].kind == TSR_READ && !stmt->access[k].maybe &&
        isl_map_plain_is_equal(stmt->access[k].relation, packed->relation) == isl_bool_true)
      program = tsr_program_redirect(program, p->pack.stmt, k, isl_map_copy(place));
  return program;
}

/* MAP { S[i] -> .. } for the move NAME's instances [t, i], t being the loops around the mark. */
static isl_map *for_move(const struct packed *p, __isl_take isl_map *map, const char *name)
{
  map = isl_map_reset_tuple_id(map, isl_dim_in);
  map = isl_map_insert_dims(map, isl_dim_in, 0, (unsigned)p->depth);
  return isl_map_set_tuple_name(map, isl_dim_in, name);
}

/* The dimensions of p->time that the moves' loops run over, outermost first; their number. */
static int loop_order(const struct packed *p, int order[3])
{
  int last = (int)isl_multi_aff_dim(p->time, isl_dim_out) - 1, n = 0;
  int lane = p->pack.by_row ? last - 1 : last, reduction = last - 2;
  if (p->pack.by_row)
    order[n++] = last - 3;
  order[n++] = p->pack.inner_reduction ? lane : reduction;
  order[n++] = p->pack.inner_reduction ? reduction : lane;
  return n;
}

/* The loops over EXTENSION { [p] -> NAME[i] } as a tree. PARALLEL: threads share them, as each fills a place of its own and
 * nothing that is packed is written meanwhile. */
static isl_schedule_node *graft_of(const struct packed *p, __isl_take isl_map *extension, bool parallel)
{
  int order[3], n = loop_order(p, order);
  isl_ctx *ctx = p->scop->ctx;
  isl_id *id = isl_map_get_tuple_id(extension, isl_dim_out);
  isl_union_pw_aff_list *list = isl_union_pw_aff_list_alloc(ctx, n);
  for (int k = 0; k < n; k++) {
    isl_pw_aff *row = isl_pw_aff_from_aff(isl_multi_aff_get_at(p->time, order[k]));
    row = isl_pw_aff_set_tuple_id(row, isl_dim_in, isl_id_copy(id));
    list = isl_union_pw_aff_list_add(list, isl_union_pw_aff_from_pw_aff(row));
  }
  isl_id_free(id);
  isl_space *space = isl_space_add_dims(isl_space_set_from_params(isl_set_get_space(p->known)), isl_dim_set, (unsigned)n);
  isl_multi_union_pw_aff *band = isl_multi_union_pw_aff_from_union_pw_aff_list(space, list);
  isl_schedule_node *graft = isl_schedule_node_from_extension(isl_union_map_from_map(extension));
  graft = isl_schedule_node_insert_partial_schedule(isl_schedule_node_child(graft, 0), band);
  if (p->pack.vector) {
    graft = isl_schedule_node_child(isl_schedule_node_band_split(graft, n - 1), 0);
    graft = isl_schedule_node_parent(tsr_mark_insert_word(graft, TSR_MARK_VECTOR));
  }
  if (parallel && tsr_node_has_band_below(graft) != isl_bool_true && isl_schedule_node_band_n_member(graft) > 1)
    graft = isl_schedule_node_band_split(graft, 1);
  if (parallel && tsr_node_has_band_below(graft) == isl_bool_true && isl_schedule_node_band_n_member(graft) == 1)
    graft = tsr_mark_insert(graft, p->scop, &(struct tsr_mark){.kind = TSR_MARK_PARALLEL, .number = TSR_MARK_OF_COPIES});
  return isl_schedule_node_root(graft);
}

/* ---- all marks ---- */

/* What becomes of one mark. */
struct replaced {
  struct tsr_pack pack;
  char array[64];
  isl_map *extension;
  struct packed packed;
};

struct packs {
  struct tsr_scop *scop; /* without them */
  struct tsr_program *program;
  isl_set *known;
  struct replaced item[TSR_MAX_PACK];
  struct tsr_added_stmt move[TSR_MAX_PACK];
  int n;
};

/* The element that P packs { S[i] -> A[e] }. */
static isl_map *element_of(const struct packed *p)
{
  return p->scop->stmts[p->pack.stmt].access[p->pack.access].relation;
}

/* Are the moves of P named by the same instances as those of OTHER (may be NULL), of the same statement and time? */
static bool has_same_readers(const struct packed *p, const struct packed *other)
{
  bool same = other && other->readers && other->depth == p->depth && other->pack.by_row == p->pack.by_row;
  isl_size n = isl_map_dim(element_of(p), isl_dim_in);
  for (int i = 0; i < n && same; i++)
    same = is_free(p, element_of(p), i) == is_free(other, element_of(other), i);
  return same;
}

/* The array, its move and its extension, of the mark that ITEM is about. LIKE: as in add_mark. */
static void make_array(struct packs *packs, struct replaced *item, const struct packed *like)
{
  struct packed *p = &item->packed;
  const struct tsr_array *array = &p->scop->arrays[p->scop->stmts[p->pack.stmt].access[p->pack.access].array];
  struct tsr_added_stmt *move = &packs->move[packs->n];
  char lead[64];
  int number = -1;
  snprintf(lead, sizeof(lead), "%.50s_packed", array->name);
  packs->program = tsr_program_add_array(packs->program, lead, TSR_SPACE_HEAP, array->elem_size, extent_of(p), &number);
  if (!packs->program)
    return;
  snprintf(item->array, sizeof(item->array), "%s", packs->program->scop->arrays[number].name);
  isl_map *place = place_of(p, item->array);
  packs->program = redirect(p, packs->program, place);
  *move = (struct tsr_added_stmt){.kind = TSR_STMT_MOVE, .n_access = 2, .access = calloc(2, sizeof(*move->access))};
  snprintf(lead, sizeof(lead), "load_%.50s", item->array);
  tsr_program_new_name(packs->program, lead, move->name, sizeof(move->name));
  isl_map *from = isl_map_copy(element_of(p));
  move->access[0] = (struct tsr_added_access){TSR_READ, for_move(p, from, move->name)};
  move->access[1] = (struct tsr_added_access){TSR_MUST_WRITE, for_move(p, place, move->name)};
  p->readers = has_same_readers(p, like) ? isl_set_copy(like->readers) : first_readers(p);
  isl_size n = isl_multi_aff_dim(p->time, isl_dim_out);
  isl_map *prefix = isl_map_from_multi_aff(isl_multi_aff_copy(p->time));
  prefix =
      isl_map_intersect_domain(isl_map_project_out(prefix, isl_dim_out, p->depth, n - p->depth), isl_set_copy(p->readers));
  item->extension = isl_map_set_tuple_name(isl_map_reverse(prefix), isl_dim_out, move->name);
  packs->n++;
}

/* What is known of a mark above NODE that is about the same statement as PACK, with nothing but marks and bands between: the
 * same instances, which run at the same time, are below both. NULL: there is none. */
static const struct packed *find_like(const struct packs *packs, isl_schedule_node *node, const struct tsr_pack *pack)
{
  const struct packed *like = NULL;
  isl_schedule_node *above = isl_schedule_node_parent(isl_schedule_node_copy(node));
  enum isl_schedule_node_type type = isl_schedule_node_get_type(above);
  while (!like && (type == isl_schedule_node_mark || type == isl_schedule_node_band)) {
    struct tsr_pack other;
    bool is = tsr_mark_pack(tsr_node_mark(above), packs->scop, &other) && other.stmt == pack->stmt;
    for (int i = 0; i < packs->n && is && !like; i++)
      like = packs->item[i].pack.stmt == other.stmt && packs->item[i].pack.access == other.access ? &packs->item[i].packed
                                                                                                  : NULL;
    above = isl_schedule_node_parent(above);
    type = isl_schedule_node_get_type(above);
  }
  isl_schedule_node_free(above);
  return like;
}

/* Do the moves of OTHER bring in all that P is about, to where P's instances look for it: elements of one array that two
 * statements read in the same iterations, such as the parts of a complex number? */
static bool brings_in(const struct packed *other, const struct packed *p)
{
  const struct tsr_pack *a = &other->pack, *b = &p->pack;
  if (!other->readers || a->by_row != b->by_row || memcmp(a->size, b->size, sizeof(a->size)) != 0 ||
      other->depth != p->depth ||
      other->scop->stmts[a->stmt].access[a->access].array != p->scop->stmts[b->stmt].access[b->access].array)
    return false;
  isl_multi_aff *time = isl_multi_aff_reset_tuple_id(isl_multi_aff_copy(p->time), isl_dim_in);
  isl_multi_aff *its_time = isl_multi_aff_reset_tuple_id(isl_multi_aff_copy(other->time), isl_dim_in);
  isl_map *element = isl_map_reset_tuple_id(isl_map_copy(element_of(p)), isl_dim_in);
  isl_map *its_element = isl_map_reset_tuple_id(isl_map_copy(element_of(other)), isl_dim_in);
  isl_set *all = isl_set_reset_tuple_id(isl_set_copy(p->instances));
  isl_set *its = isl_set_reset_tuple_id(isl_set_copy(other->instances));
  bool brings = isl_multi_aff_plain_is_equal(time, its_time) == isl_bool_true &&
                isl_map_plain_is_equal(element, its_element) == isl_bool_true &&
                isl_set_is_subset(all, its) == isl_bool_true;
  isl_multi_aff_free(time);
  isl_multi_aff_free(its_time);
  isl_map_free(element);
  isl_map_free(its_element);
  isl_set_free(all);
  isl_set_free(its);
  return brings;
}

/* The array of PACKS, of a mark above NODE with nothing but marks between, that has all that P, of the mark at NODE, is
 * about. NULL: there is none. */
static const struct replaced *find_twin(const struct packs *packs, isl_schedule_node *node, const struct packed *p)
{
  const struct replaced *twin = NULL;
  isl_schedule_node *above = isl_schedule_node_parent(isl_schedule_node_copy(node));
  while (!twin && isl_schedule_node_get_type(above) == isl_schedule_node_mark) {
    struct tsr_pack other;
    bool is = tsr_mark_pack(tsr_node_mark(above), packs->scop, &other);
    for (int i = 0; i < packs->n && is && !twin; i++)
      if (packs->item[i].pack.stmt == other.stmt && packs->item[i].pack.access == other.access &&
          brings_in(&packs->item[i].packed, p))
        twin = &packs->item[i];
    above = isl_schedule_node_parent(above);
  }
  isl_schedule_node_free(above);
  return twin;
}

/* Note when the instances of P's statement below NODE run, if all of them are there. */
static bool find_times(struct packed *p, isl_schedule_node *node)
{
  isl_schedule_node *below = isl_schedule_node_get_child(node, 0);
  bool good = isl_schedule_node_foreach_descendant_top_down(below, add_part, p) >= 0 && !p->failed;
  isl_schedule_node_free(below);
  return good && find_time(p) && find_instances(p, node);
}

static isl_bool add_mark(isl_schedule_node *node, void *user)
{
  struct packs *packs = user;
  struct tsr_pack pack;
  struct tsr_scop *scop = packs->program ? packs->scop : NULL;
  if (!scop || !tsr_mark_pack(tsr_node_mark(node), scop, &pack) || packs->n == TSR_MAX_PACK)
    return isl_bool_ok(scop != NULL);
  struct replaced *item = &packs->item[packs->n];
  *item = (struct replaced){.pack = pack, .packed = {.scop = scop, .known = packs->known, .pack = pack}};
  struct packed *p = &item->packed;
  p->depth = (int)isl_schedule_node_get_schedule_depth(node);
  const struct packed *like = find_like(packs, node, &pack);
  if (like) {
    p->instances = isl_set_copy(like->instances);
    p->time = isl_multi_aff_copy(like->time);
  }
  bool known = like || find_times(p, node);
  const struct replaced *twin = known ? find_twin(packs, node, p) : NULL;
  isl_map *place = twin ? place_of(p, twin->array) : NULL;
  if (twin)
    packs->program = redirect(p, packs->program, place);
  else if (known)
    make_array(packs, item, like);
  isl_map_free(place);
  if (twin || !known)
    packed_clear(p);
  return isl_bool_ok(packs->program != NULL);
}

static isl_bool is_not_parallel(isl_schedule_node *node, void *user)
{
  (void)user;
  return isl_bool_ok(!tsr_node_is_for_threads(node));
}

/* NODE, or if it is a mark of PACKS, the array's life in its place. */
static isl_schedule_node *insert_moves(isl_schedule_node *node, void *user)
{
  struct packs *packs = user;
  struct tsr_pack pack;
  if (!tsr_mark_pack(tsr_node_mark(node), packs->scop, &pack))
    return node;
  for (int i = 0; i < packs->n; i++) {
    struct replaced *item = &packs->item[i];
    if (item->pack.stmt != pack.stmt || item->pack.access != pack.access)
      continue;
    isl_size depth = isl_schedule_node_get_tree_depth(node);
    node = isl_schedule_node_delete(node);
    bool parallel = isl_schedule_node_every_descendant(node, is_not_parallel, NULL) == isl_bool_false;
    node = tsr_cache_allocate(node, packs->program, tsr_scop_find_array(packs->program->scop, item->array));
    isl_schedule_node *graft = graft_of(&item->packed, isl_map_copy(item->extension), parallel);
    node = isl_schedule_node_graft_before(isl_schedule_node_child(node, 0), graft);
    return isl_schedule_node_ancestor(node, isl_schedule_node_get_tree_depth(node) - depth);
  }
  return isl_schedule_node_delete(node);
}

static void packs_free(struct packs *packs)
{
  for (int i = 0; i < TSR_MAX_PACK; i++) {
    isl_map_free(packs->item[i].extension);
    packed_clear(&packs->item[i].packed);
  }
  isl_set_free(packs->known);
  free(packs);
}

static isl_bool is_no_pack(isl_schedule_node *node, void *user)
{
  (void)user;
  return isl_bool_ok(!tsr_node_is_mark(node, TSR_MARK_PACK));
}

/* FROM in the order of TREE, its own with marks that are known, with its packed operands as arrays; as tsr_program_pack. */
static struct tsr_program *pack_all(struct tsr_program *from, isl_schedule *tree)
{
  struct packs *packs = calloc(1, sizeof(*packs));
  if (!packs)
    return NULL;
  packs->scop = from->scop;
  packs->program = tsr_program_copy(from);
  packs->known = tsr_scop_telling(from->scop);
  isl_stat ok = isl_schedule_foreach_schedule_node_top_down(tree, add_mark, packs);
  if (packs->n > 0) {
    isl_schedule *packed = isl_schedule_map_schedule_node_bottom_up(isl_schedule_copy(tree), insert_moves, packs);
    packs->program = tsr_program_extend(packs->program, packed, packs->move, packs->n);
  } else {
    packs->program = tsr_program_free(packs->program);
  }
  struct tsr_program *program = ok == isl_stat_ok ? packs->program : tsr_program_free(packs->program);
  packs_free(packs);
  return program;
}

/* requires: a tree without extensions.  on failure: NULL, with isl's error where that is why. */
struct tsr_program *tsr_program_pack(struct tsr_program *from)
{
  isl_schedule *tree = from->scop == from->original ? from->tree : from->scop->schedule;
  tree = from->original->no_buffers ? NULL : tsr_tree_adopt_marks(isl_schedule_copy(tree), from->scop);
  isl_schedule_node *root = isl_schedule_get_root(tree);
  isl_bool none = isl_schedule_node_every_descendant(root, is_no_pack, NULL);
  isl_schedule_node_free(root);
  struct tsr_program *program = none == isl_bool_false ? pack_all(from, tree) : NULL;
  isl_schedule_free(tree);
  return program;
}

struct tsr_program *tsr_tree_pack(struct tsr_scop *scop, isl_schedule *tree)
{
  struct tsr_program *program = tsr_program_alloc(scop, isl_schedule_copy(tree));
  struct tsr_program *packed = program ? tsr_program_pack(program) : NULL;
  tsr_program_free(program);
  return packed;
}
