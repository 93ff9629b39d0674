/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Marks of packing become copies, just before the AST is made: until then the tree has its own instances alone.
 *
 *   mark "pack 1 of S in .." - X   ->   extension { [p] -> tsr_pack0[i] } - sequence(
 *                                         tsr_pack0: band over the index in the buffer - leaf
 *                                         others:    X )
 *
 * A copy is named by an instance of S, so that it finds the address of its element in the way S does: that at the first row
 * and tile of rows (by row: at the first vector). Where the element doesn't depend on the loops over these, the instance
 * need not be in the domain of S, but one must be that differs from it in these loops alone: a copy reads nothing that the
 * original doesn't read while the SCoP runs. Elsewhere copies are named by instances in tiles, of all at p that read
 * the element the first. */
#include "ast/ast.h"
#include "tree/registers/registers.h"
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "tsr_pack"

#define MAX_TIMES 32

/* Register tiles of one shape, and when they run. */
struct timed {
  isl_set *tiles;
  isl_multi_aff *time; /* { S[i] -> [p, .., k, row, vector] } */
};

struct copy {
  struct tsr_pack pack;
  int depth;           /* of loops around its band */
  isl_set *tiles;      /* instances in register tiles below the mark */
  isl_multi_aff *time; /* of them all */
  struct timed part[MAX_TIMES];
  int n_part; /* while they are collected */
  isl_union_map *extension;
  isl_multi_union_pw_aff *band;
};

struct tsr_copies {
  struct tsr_scop *scop;
  struct copy copy[TSR_MAX_PACK];
  int n;
  bool in_tile; /* is the AST of a register tile being made? */
  bool failed;
};

void tsr_copies_free(struct tsr_copies *copies)
{
  for (int i = 0; copies && i < copies->n; i++) {
    isl_set_free(copies->copy[i].tiles);
    isl_multi_aff_free(copies->copy[i].time);
    isl_union_map_free(copies->copy[i].extension);
    isl_multi_union_pw_aff_free(copies->copy[i].band);
  }
  free(copies);
}

/* ---- what is copied ---- */

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

/* Is TIME, that of some part of the tiles, right for all of COPY's parts? In a part with one step isl writes a number for
 * the step: of other instances that says nothing. */
static bool is_right(const struct copy *copy, isl_multi_aff *time)
{
  isl_size n = time ? isl_multi_aff_dim(time, isl_dim_out) : 0;
  isl_aff *step = n >= 3 ? isl_multi_aff_get_at(time, (int)n - 3) : NULL;
  bool right = step && isl_aff_is_cst(step) == isl_bool_false;
  isl_aff_free(step);
  for (int i = 0; i < copy->n_part && right; i++)
    right = same_times(time, copy->part[i].time, copy->part[i].tiles);
  return right;
}

/* The copy's time: that of a part which is right for all, as isl writes times as they are in a part: where there is one row,
 * it is 0. False: there is none. */
static bool find_time(struct copy *copy)
{
  for (int i = 0; i < copy->n_part && !copy->time; i++)
    if (is_right(copy, copy->part[i].time))
      copy->time = isl_multi_aff_copy(copy->part[i].time);
  for (int i = 0; i < copy->n_part; i++) {
    isl_set_free(copy->part[i].tiles);
    isl_multi_aff_free(copy->part[i].time);
  }
  copy->n_part = 0;
  return copy->time != NULL;
}

/* The part of the register tile at NODE that belongs to the copy's statement. */
static isl_bool add_tile(isl_schedule_node *node, void *user)
{
  struct tsr_copies *copies = user;
  struct copy *copy = &copies->copy[copies->n];
  if (!tsr_node_is_mark(node, TSR_MARK_REGISTERS))
    return isl_bool_true;
  isl_set *domain = copies->scop->stmts[copy->pack.stmt].domain;
  isl_schedule_node *band = isl_schedule_node_get_child(node, 0);
  isl_space *space = isl_set_get_space(domain);
  isl_union_set *all = isl_schedule_node_get_domain(band);
  isl_set *part = isl_union_set_extract_set(all, isl_space_copy(space));
  isl_union_set_free(all);
  if (isl_set_is_empty(part) == isl_bool_false) {
    isl_multi_union_pw_aff *time = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(band);
    time = isl_multi_union_pw_aff_flat_range_product(time, isl_schedule_node_band_get_partial_schedule(band));
    copies->failed |= copy->n_part == MAX_TIMES;
    if (copy->n_part < MAX_TIMES)
      copy->part[copy->n_part++] = (struct timed){isl_set_copy(part), rows_of(time, isl_space_copy(space))};
    copy->tiles = copy->tiles ? isl_set_union(copy->tiles, isl_set_copy(part)) : isl_set_copy(part);
    isl_multi_union_pw_aff_free(time);
  }
  isl_space_free(space);
  isl_set_free(part);
  isl_schedule_node_free(band);
  return isl_bool_false;
}

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

/* Where the row and its tile (by row: the vector and its block) are in copy->time. */
static void free_positions(const struct copy *copy, int position[2])
{
  int last = (int)isl_multi_aff_dim(copy->time, isl_dim_out) - 1;
  position[0] = copy->pack.by_row ? last - 4 : last - 3;
  position[1] = copy->pack.by_row ? last : last - 1;
}

/* Does dimension POS of the instances of COPY move nothing but the free positions, with those of the loops around in which
 * they are blocked, and not the element? */
static bool is_free(const struct copy *copy, isl_map *element, int pos)
{
  isl_size n = isl_multi_aff_dim(copy->time, isl_dim_out);
  int position[2];
  free_positions(copy, position);
  if (isl_map_involves_dims(element, isl_dim_in, pos, 1) != isl_bool_false)
    return false;
  for (int i = copy->depth; i < n; i++) {
    isl_aff *row = isl_multi_aff_get_at(copy->time, i);
    bool moves = isl_aff_involves_dims(row, isl_dim_in, pos, 1) != isl_bool_false;
    isl_aff_free(row);
    if (moves && i != position[0] && i != position[1])
      return false;
  }
  return true;
}

/* DOMAIN, as if the free loops had no bounds. */
static isl_set *without_bounds(const struct copy *copy, isl_map *element, __isl_take isl_set *domain)
{
  isl_size n = isl_set_dim(domain, isl_dim_set);
  for (int i = 0; i < n; i++)
    if (is_free(copy, element, i))
      domain = isl_set_eliminate(domain, isl_dim_set, i, 1);
  return domain;
}

/* The times of COPY with 0 at the free positions. */
static isl_set *first_place(const struct copy *copy, __isl_take isl_space *space)
{
  int position[2];
  free_positions(copy, position);
  isl_set *first = isl_set_universe(space);
  return isl_set_fix_si(isl_set_fix_si(first, isl_dim_set, position[0], 0), isl_dim_set, position[1], 0);
}

/* AROUND, times of the loops around the copies: a convex set instead, if STMT has instances at all of its times. */
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

/* The instances that name the copies, for those p at which there are tiles. */
static isl_set *first_readers(struct copy *copy, struct tsr_scop *scop, isl_set *known)
{
  int position[2];
  free_positions(copy, position);
  isl_size n = isl_multi_aff_dim(copy->time, isl_dim_out);
  struct tsr_stmt *stmt = &scop->stmts[copy->pack.stmt];
  isl_map *element = stmt->access[copy->pack.access].relation;
  isl_set *tiles = isl_set_coalesce(isl_set_intersect_params(isl_set_copy(copy->tiles), isl_set_copy(known)));
  isl_map *time = isl_map_from_multi_aff(isl_multi_aff_copy(copy->time));
  isl_set *times = isl_set_coalesce(isl_set_apply(isl_set_copy(tiles), isl_map_copy(time)));
  isl_set *place = isl_set_preimage_multi_aff(first_place(copy, isl_set_get_space(times)), isl_multi_aff_copy(copy->time));
  isl_set *all = isl_set_intersect_params(isl_set_copy(stmt->domain), isl_set_copy(known));
  isl_set *readers = isl_set_intersect(without_bounds(copy, element, all), place);
  isl_set *around = isl_set_coalesce(isl_set_project_out(isl_set_copy(times), isl_dim_set, copy->depth, n - copy->depth));
  isl_map *prefix = isl_map_project_out(isl_map_copy(time), isl_dim_out, copy->depth, n - copy->depth);
  around = in_one_piece(around, stmt, prefix);
  readers = isl_set_coalesce(isl_set_intersect(readers, isl_set_apply(around, isl_map_reverse(prefix))));
  /* do they reach all that the tiles read? */
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
    isl_set_free(tiles);
    return readers;
  }
  isl_set_free(readers);
  times = first_times(times, position[0], position[1]);
  return isl_set_coalesce(isl_set_intersect(tiles, isl_set_apply(times, isl_map_reverse(time))));
}

/* The dimensions of copy->time that the copy's loops run over, outermost first; their number. */
static int loop_order(const struct copy *copy, int order[3])
{
  int last = (int)isl_multi_aff_dim(copy->time, isl_dim_out) - 1, n = 0;
  int lane = copy->pack.by_row ? last - 1 : last, reduction = last - 2;
  if (copy->pack.by_row)
    order[n++] = last - 3;
  order[n++] = copy->pack.inner_reduction ? lane : reduction;
  order[n++] = copy->pack.inner_reduction ? reduction : lane;
  return n;
}

static isl_id *copy_id(isl_ctx *ctx, int i)
{
  char name[32];
  snprintf(name, sizeof(name), PREFIX "%d", i);
  return isl_id_alloc(ctx, name, NULL);
}

/* The band and the extension of copy I, whose mark NODE is. */
static void make_copy(struct tsr_copies *copies, int i, isl_schedule_node *node, isl_set *known)
{
  struct copy *copy = &copies->copy[i];
  isl_ctx *ctx = isl_schedule_node_get_ctx(node);
  int order[3];
  copy->depth = isl_schedule_node_get_schedule_depth(node);
  isl_set *readers = first_readers(copy, copies->scop, known);
  isl_map *prefix = isl_map_from_multi_aff(isl_multi_aff_copy(copy->time));
  isl_size n = isl_map_dim(prefix, isl_dim_out);
  prefix = isl_map_project_out(prefix, isl_dim_out, copy->depth, n - copy->depth);
  prefix = isl_map_intersect_domain(prefix, readers);
  isl_map *extension = isl_map_set_tuple_id(isl_map_reverse(prefix), isl_dim_out, copy_id(ctx, i));
  copy->extension = isl_union_map_from_map(extension);
  int n_loop = loop_order(copy, order);
  isl_union_pw_aff_list *list = isl_union_pw_aff_list_alloc(ctx, n_loop);
  for (int k = 0; k < n_loop; k++) {
    isl_pw_aff *row = isl_pw_aff_from_aff(isl_multi_aff_get_at(copy->time, order[k]));
    row = isl_pw_aff_set_tuple_id(row, isl_dim_in, copy_id(ctx, i));
    list = isl_union_pw_aff_list_add(list, isl_union_pw_aff_from_pw_aff(row));
  }
  isl_space *space = isl_space_add_dims(isl_space_set_from_params(isl_set_get_space(known)), isl_dim_set, n_loop);
  copy->band = isl_multi_union_pw_aff_from_union_pw_aff_list(space, list);
}

struct marks {
  struct tsr_copies *copies;
  isl_set *known;
};

static isl_bool add_mark(isl_schedule_node *node, void *user)
{
  struct marks *marks = user;
  struct tsr_copies *copies = marks->copies;
  struct tsr_pack pack;
  if (!tsr_mark_pack(tsr_node_mark(node), copies->scop, &pack) || copies->n == TSR_MAX_PACK)
    return isl_bool_true;
  struct copy *copy = &copies->copy[copies->n];
  copy->pack = pack;
  isl_schedule_node *below = isl_schedule_node_get_child(node, 0);
  bool good = isl_schedule_node_foreach_descendant_top_down(below, add_tile, copies) >= 0 && copy->tiles;
  good = find_time(copy) && good;
  isl_schedule_node_free(below);
  copies->n++;
  if (good)
    make_copy(copies, copies->n - 1, node, marks->known);
  copies->failed |= !good;
  return isl_bool_ok(good);
}

/* ---- the tree ---- */

/* Is there no parallel loop at or below NODE? */
static isl_bool is_not_parallel(isl_schedule_node *node, void *user)
{
  (void)user;
  return isl_bool_ok(!tsr_node_is_for_threads(node));
}

/* The copies as a tree. PARALLEL: threads share them, as each fills a place of its own and nothing that is packed is written
 * meanwhile. */
static isl_schedule_node *graft_of(const struct copy *copy, struct tsr_scop *scop, bool parallel)
{
  isl_schedule_node *graft = isl_schedule_node_from_extension(isl_union_map_copy(copy->extension));
  graft = isl_schedule_node_child(graft, 0);
  graft = isl_schedule_node_insert_partial_schedule(graft, isl_multi_union_pw_aff_copy(copy->band));
  if (copy->pack.vector) {
    int n = isl_schedule_node_band_n_member(graft);
    graft = isl_schedule_node_child(isl_schedule_node_band_split(graft, n - 1), 0);
    graft = tsr_mark_insert_word(graft, TSR_MARK_VECTOR);
    graft = isl_schedule_node_parent(graft);
  }
  if (parallel && tsr_node_has_band_below(graft) != isl_bool_true && isl_schedule_node_band_n_member(graft) > 1)
    graft = isl_schedule_node_band_split(graft, 1);
  if (parallel && tsr_node_has_band_below(graft) == isl_bool_true && isl_schedule_node_band_n_member(graft) == 1) {
    graft = tsr_mark_insert(graft, scop, &(struct tsr_mark){.kind = TSR_MARK_PARALLEL, .number = TSR_MARK_OF_COPIES});
  }
  return isl_schedule_node_root(graft);
}

static isl_schedule_node *insert_copy(isl_schedule_node *node, void *user)
{
  struct tsr_copies *copies = user;
  struct tsr_pack pack;
  if (!tsr_mark_pack(tsr_node_mark(node), copies->scop, &pack))
    return node;
  for (int i = 0; i < copies->n; i++) {
    const struct copy *copy = &copies->copy[i];
    if (copy->pack.stmt != pack.stmt || copy->pack.access != pack.access)
      continue;
    isl_size depth = isl_schedule_node_get_tree_depth(node);
    node = isl_schedule_node_delete(node);
    bool parallel = isl_schedule_node_every_descendant(node, is_not_parallel, NULL) == isl_bool_false;
    node = isl_schedule_node_graft_before(node, graft_of(copy, copies->scop, parallel));
    return isl_schedule_node_ancestor(node, isl_schedule_node_get_tree_depth(node) - depth);
  }
  return node;
}

isl_schedule *tsr_tree_copies(isl_schedule *tree, struct tsr_scop *scop, struct tsr_copies **copies)
{
  struct tsr_copies *made = calloc(1, sizeof(*made));
  struct marks marks = {made, tsr_scop_telling(scop)};
  made->scop = scop;
  bool good = isl_schedule_foreach_schedule_node_top_down(tree, add_mark, &marks) >= 0 && !made->failed;
  if (good && made->n > 0)
    tree = isl_schedule_map_schedule_node_bottom_up(tree, insert_copy, made);
  isl_set_free(marks.known);
  *copies = made;
  if (good && made->n > 0)
    return tree;
  tsr_copies_free(made);
  *copies = NULL;
  return good ? tree : isl_schedule_free(tree);
}

/* ---- the AST ---- */

static void free_packed(void *user)
{
  struct tsr_packed *packed = user;
  for (int i = 0; i < packed->n; i++)
    isl_ast_expr_free(packed->item[i].index);
  free(packed);
}

/* The user node at hand: { S[i] -> [loops that isl has not dropped] }, and how many there would be with all loops. */
struct place {
  isl_ast_build *build;
  isl_map *schedule;
  int n_loop;
};

/* Is dimension POS of SCHEDULE's range ROW? */
static bool is_row(isl_map *schedule, isl_aff *row, int pos)
{
  isl_map *rows = isl_map_from_aff(isl_aff_copy(row));
  isl_map *same =
      isl_map_project_out(isl_map_copy(schedule), isl_dim_out, pos + 1, isl_map_dim(schedule, isl_dim_out) - pos - 1);
  same = isl_map_project_out(same, isl_dim_out, 0, pos);
  isl_bool is = isl_map_is_subset(same, rows);
  isl_map_free(same);
  isl_map_free(rows);
  return is == isl_bool_true;
}

/* The value of loop LOOP at PLACE, where it is ROW of the instance: its iterator, or, as isl drops loops that run once, what
 * ROW is there. */
static isl_pw_aff *value_of_loop(struct place *place, __isl_take isl_aff *row, int loop)
{
  isl_size n = isl_map_dim(place->schedule, isl_dim_out);
  int least = loop - (place->n_loop - n), pos = loop < n ? loop : n - 1;
  while (pos >= 0 && pos >= least && n != place->n_loop && !is_row(place->schedule, row, pos))
    pos--;
  if (pos < 0 || pos < least) {
    isl_pw_multi_aff *instance = isl_pw_multi_aff_from_map(isl_map_reverse(isl_map_copy(place->schedule)));
    return isl_pw_aff_pullback_pw_multi_aff(isl_pw_aff_from_aff(row), instance);
  }
  isl_aff_free(row);
  isl_local_space *space = isl_local_space_from_space(isl_space_range(isl_map_get_space(place->schedule)));
  return isl_pw_aff_from_aff(isl_aff_var_on_domain(space, isl_dim_set, pos));
}

/* The index of an element of the buffer of COPY, number I, at PLACE, a copy or an instance in a tile. */
static isl_ast_expr *index_expr(struct place *place, const struct copy *copy, int i, bool is_copy)
{
  const struct tsr_pack *pack = &copy->pack;
  int last = (int)isl_multi_aff_dim(copy->time, isl_dim_out) - 1, order[3];
  int row[3] = {last - 3, last - 2, pack->by_row ? last - 1 : last}; /* T2(t) - Q(k, row, vector) */
  loop_order(copy, order);
  isl_pw_aff *index = NULL;
  for (int dim = pack->by_row ? 0 : 1; dim < 3; dim++) {
    isl_aff *aff = isl_multi_aff_get_at(copy->time, row[dim]);
    int loop = row[dim];
    if (is_copy) {
      aff = isl_aff_set_tuple_id(aff, isl_dim_in, copy_id(isl_aff_get_ctx(aff), i));
      for (loop = 0; order[loop] != row[dim]; loop++)
        ;
      loop += copy->depth;
    }
    isl_pw_aff *value = value_of_loop(place, aff, loop);
    if (index)
      index = isl_pw_aff_scale_val(index, isl_val_int_from_si(isl_pw_aff_get_ctx(index), pack->size[dim]));
    index = index ? isl_pw_aff_add(index, value) : value;
  }
  return isl_ast_build_expr_from_pw_aff(place->build, index);
}

static void add_item(struct tsr_packed *packed, isl_ast_build *build, struct tsr_copies *copies, int i)
{
  const struct copy *copy = &copies->copy[i];
  int order[3];
  struct place place = {.build = build, .schedule = isl_map_from_union_map(isl_ast_build_get_schedule(build))};
  place.n_loop = packed->copy ? copy->depth + loop_order(copy, order) : (int)isl_multi_aff_dim(copy->time, isl_dim_out);
  packed->item[packed->n].number = i;
  packed->item[packed->n].pack = copy->pack;
  packed->item[packed->n++].index = index_expr(&place, copy, i, packed->copy);
  isl_map_free(place.schedule);
}

/* The callee of USER. */
static isl_id *callee(isl_ast_node *user)
{
  isl_ast_expr *call = isl_ast_node_user_get_expr(user), *name = isl_ast_expr_op_get_arg(call, 0);
  isl_id *id = isl_ast_expr_get_id(name);
  isl_ast_expr_free(call);
  isl_ast_expr_free(name);
  return id;
}

/* Is the user node at hand in a register tile of COPY's statement? That a tile was entered and not left doesn't tell: isl
 * doesn't leave a mark below which it finds nothing that runs. */
static bool is_in_tiles(const struct copy *copy, isl_ast_build *build)
{
  isl_set *here = isl_map_domain(isl_map_from_union_map(isl_ast_build_get_schedule(build)));
  isl_bool apart = isl_set_is_disjoint(here, copy->tiles);
  isl_set_free(here);
  return apart == isl_bool_false;
}

static isl_ast_node *annotate(isl_ast_node *node, isl_ast_build *build, void *user)
{
  struct tsr_copies *copies = user;
  struct tsr_packed *packed = calloc(1, sizeof(*packed));
  isl_id *id = callee(node);
  const char *name = isl_id_get_name(id);
  int stmt = tsr_scop_find_stmt(copies->scop, name);
  packed->copy = stmt < 0;
  for (int i = 0; i < copies->n; i++) {
    isl_id *own = copy_id(isl_ast_node_get_ctx(node), i);
    const struct copy *copy = &copies->copy[i];
    if (packed->copy ? own == id : copies->in_tile && copy->pack.stmt == stmt && is_in_tiles(copy, build))
      add_item(packed, build, copies, i);
    isl_id_free(own);
  }
  isl_id_free(id);
  if (packed->n == 0) {
    free_packed(packed);
    return node;
  }
  isl_id *note = isl_id_set_free_user(isl_id_alloc(isl_ast_node_get_ctx(node), "packed", packed), free_packed);
  return isl_ast_node_set_annotation(node, note);
}

static isl_stat enter_mark(isl_id *mark, isl_ast_build *build, void *user)
{
  struct tsr_copies *copies = user;
  (void)build;
  if (tsr_mark_is(tsr_id_mark(mark), TSR_MARK_REGISTERS))
    copies->in_tile = true;
  return isl_stat_ok;
}

static isl_ast_node *leave_mark(isl_ast_node *node, isl_ast_build *build, void *user)
{
  struct tsr_copies *copies = user;
  (void)build;
  if (tsr_mark_is(tsr_ast_mark(node), TSR_MARK_REGISTERS))
    copies->in_tile = false;
  return node;
}

isl_ast_build *tsr_copies_annotate(struct tsr_copies *copies, isl_ast_build *build)
{
  build = isl_ast_build_set_at_each_domain(build, annotate, copies);
  build = isl_ast_build_set_before_each_mark(build, enter_mark, copies);
  return isl_ast_build_set_after_each_mark(build, leave_mark, copies);
}

const struct tsr_packed *tsr_ast_packed(isl_ast_node *user)
{
  isl_id *note = tsr_ast_note(user);
  const struct tsr_packed *packed = note && !strcmp(isl_id_get_name(note), "packed") ? isl_id_get_user(note) : NULL;
  isl_id_free(note);
  return packed;
}
