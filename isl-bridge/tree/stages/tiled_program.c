/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program for overlapped tiles: copies of stages and moves in extension nodes in front of the point band, accesses in
 * buffers. See overlapped_tiles.c. */
#include "tree/rows/rows.h"
#include "tree/stages/overlapped_tiles.h"
#include <isl/space.h>
#include <stdlib.h>
#include <string.h>

/* Where access K of statement NUMBER goes in the tiles: { X -> A[e] } or { X -> P[b] }, with the parts { X -> [t] } and { X
 * -> S[i] } of X. Takes both. */
static isl_map *place(struct tsr_tiles *tiles, int number, int k, __isl_take isl_map *time, __isl_take isl_map *own)
{
  const struct tsr_stmt *stmt = &tiles->scop->stmts[number];
  isl_map *map = isl_map_apply_range(own, isl_map_copy(stmt->access[k].relation));
  struct tsr_product *from = tsr_tiles_product(tiles, stmt->access[k].array);
  if (!tsr_product_has_buffer(from))
    return isl_map_free(time), map;
  return isl_map_coalesce(isl_map_apply_range(isl_map_range_product(time, map), isl_map_copy(from->to_buffer)));
}

/* What the copy of a stage is made of. */
struct copy {
  struct tsr_tiles *tiles;
  struct tsr_program *program;
  struct tsr_member *member;
  struct tsr_added_stmt *added;
  int n;
  isl_union_map *extension;             /* { [t] -> S_at[i'] } */
  isl_union_pw_multi_aff *to_originals; /* { S_at[i'] -> S[i] }, for the order alone: as if the corner were at 0 */
};

/* { [[t] -> S_at[i']] -> S[i] } for MOVES { S_at[i'] -> S[i] }, of which b is 0 at the corner */
static isl_multi_aff *move_to_corner(struct copy *copy, __isl_keep isl_multi_aff *moves, int number)
{
  isl_space *times = isl_space_domain(isl_multi_aff_get_space(copy->member->corner));
  isl_space *at = isl_space_align_params(isl_space_domain(isl_multi_aff_get_space(moves)), isl_space_copy(times));
  times = isl_space_align_params(times, isl_space_copy(at));
  isl_space *pairs = isl_space_map_from_domain_and_range(times, at);
  isl_multi_aff *own = isl_multi_aff_range_map(isl_space_copy(pairs)), *time = isl_multi_aff_domain_map(pairs);
  isl_multi_aff *to = isl_multi_aff_pullback_multi_aff(isl_multi_aff_copy(moves), own);
  isl_multi_aff *corner = isl_multi_aff_pullback_multi_aff(isl_multi_aff_copy(copy->member->corner), time);
  for (int d = 0; d < copy->member->stage->n_loop; d++) {
    int i = copy->member->stage->iterator[number][d];
    if (i >= 0)
      to = isl_multi_aff_set_at(to, i, isl_aff_add(isl_multi_aff_get_at(to, i), isl_multi_aff_get_at(corner, d)));
  }
  isl_multi_aff_free(corner);
  return to;
}

/* Add S_at of statement NUMBER. */
static void copy_stmt(struct copy *copy, int number)
{
  struct tsr_scop *scop = copy->tiles->scop;
  const struct tsr_stmt *stmt = &scop->stmts[number];
  struct tsr_added_stmt *added = &copy->added[copy->n++];
  char lead[64];
  snprintf(lead, sizeof(lead), "%.40s_at", stmt->name);
  *added = (struct tsr_added_stmt){.kind = TSR_STMT_COMPUTE,
                                   .n_access = stmt->n_access,
                                   .access = calloc(stmt->n_access, sizeof(struct tsr_added_access))};
  tsr_program_new_name(copy->program, lead, added->name, sizeof(added->name));
  isl_multi_aff *moves = tsr_nest_moves(copy->member->stage, scop, number, added->name);
  isl_multi_aff *to = move_to_corner(copy, moves, number);
  isl_map *runs = tsr_member_runs(copy->tiles, copy->member, number);
  /* { [[t] -> S_at[i']] -> S[i] }, and of it those that run */
  isl_multi_aff *time = isl_multi_aff_domain_map(isl_space_unwrap(isl_space_domain(isl_multi_aff_get_space(to))));
  isl_map *both = isl_map_range_product(isl_map_from_multi_aff(time), isl_map_from_multi_aff(to));
  both = isl_map_intersect_range(both, isl_map_wrap(runs)); /* { [[t] -> S_at] -> [[t] -> S] } */
  isl_map *named = isl_map_flatten_domain(isl_map_copy(both));
  named = isl_map_set_tuple_name(named, isl_dim_in, added->name); /* { S_at[t, i'] -> [[t] -> S] } */
  isl_map *at = isl_map_range_factor_domain(isl_map_copy(named)), *own = isl_map_range_factor_range(named);
  for (int k = 0; k < stmt->n_access; k++)
    added->access[k] =
        (struct tsr_added_access){stmt->access[k].kind, place(copy->tiles, number, k, isl_map_copy(at), isl_map_copy(own))};
  added->origin = own;
  isl_map_free(at);
  copy->extension = isl_union_map_add_map(copy->extension, isl_set_unwrap(isl_map_domain(both)));
  copy->to_originals = isl_union_pw_multi_aff_add_pw_multi_aff(copy->to_originals, isl_pw_multi_aff_from_multi_aff(moves));
}

/* The tree for what COPY has, as a node to graft: that of the stage, of other statements. */
static isl_schedule_node *copy_tree(struct copy *copy)
{
  isl_schedule *own = tsr_nest_schedule(copy->member->stage, copy->tiles->program->tree);
  own = isl_schedule_pullback_union_pw_multi_aff(own, copy->to_originals);
  isl_schedule_node *root = isl_schedule_get_root(own), *from = isl_schedule_node_child(root, 0);
  isl_schedule_node *node = isl_schedule_node_child(isl_schedule_node_from_extension(copy->extension), 0);
  node = tsr_node_copy_subtree(from, node, NULL, NULL);
  isl_schedule_node_free(from);
  isl_schedule_free(own);
  return isl_schedule_node_root(node);
}

/* Moves for P, into its buffer or out of it, if there are any. */
static bool make_move(struct tsr_tiles *tiles, struct tsr_program *program, struct tsr_member *m, struct tsr_product *p,
                      bool into, struct tsr_added_stmt *added, isl_schedule_node **graft)
{
  isl_map *moved = NULL;
  isl_set *written = tsr_tiles_written(tiles, p->cache.array);
  if (into && tsr_map_reaches_beyond(p->cache.read, written)) {
    moved = tsr_tiles_footprint(tiles, p->cache.array, m->stage, true);
    moved = isl_map_subtract_range(moved, isl_set_copy(written));
  } else if (!into && isl_set_is_empty(p->lasting) == isl_bool_false) { /* by the first tile that has it */
    moved = isl_map_reverse(isl_map_lexmin(isl_map_reverse(isl_map_copy(m->runs))));
    moved = isl_map_apply_range(moved, isl_map_copy(p->writes));
    moved = isl_map_intersect_range(moved, isl_set_copy(p->lasting));
  }
  isl_set_free(written);
  moved = isl_map_coalesce(moved);
  bool any = moved && isl_map_is_empty(moved) == isl_bool_false;
  if (any)
    tsr_cache_make_move(&p->cache, program, moved, p->to_buffer, into, added, graft);
  isl_map_free(moved);
  return any;
}

/* Add the moves of the members from LAST to FIRST into their buffers, or out of them. The number of them. */
static int add_moves(struct tsr_tiles *tiles, struct tsr_program *program, int last, int first, bool into,
                     isl_schedule_node **node, struct tsr_added_stmt *added)
{
  int n = 0;
  isl_schedule_node *graft;
  for (int i = first; i >= last; i--)
    for (int k = 0; k < tiles->member[i].n_product; k++) {
      struct tsr_product *p = &tiles->member[i].product[k];
      if (p->held || p->direct || p->again || !make_move(tiles, program, &tiles->member[i], p, into, &added[n], &graft))
        continue;
      bool behind = !into && last == 0; /* the tiled stage itself is one of these members */
      *node = behind ? isl_schedule_node_graft_after(*node, graft) : isl_schedule_node_graft_before(*node, graft);
      n++;
    }
  return n;
}

/* Add what goes on in the tiles around NODE; the number of statements in ADDED. NAME[s] becomes the copy of statement s, or
 * itself (malloc'd). */
static int add_stages(struct tsr_tiles *tiles, struct tsr_program *program, isl_schedule_node **node,
                      struct tsr_added_stmt *added, char **name)
{
  int n = 0, last;
  isl_ctx *ctx = tiles->scop->ctx;
  for (int first = tiles->n - 1; first >= 0; first = last - 1) {
    for (last = first; last > 0 && tiles->member[last - 1].joined == first; last--)
      ;
    n += add_moves(tiles, program, last, first, true, node, added + n);
    for (int i = first; i >= last; i--) {
      struct tsr_member *m = &tiles->member[i];
      struct copy copy = {
          tiles, program, m, added + n, 0, isl_union_map_empty_ctx(ctx), isl_union_pw_multi_aff_empty_ctx(ctx)};
      for (int s = 0; s < tiles->scop->n_stmt; s++)
        if (m->stage->has[s]) {
          if (m->producer)
            copy_stmt(&copy, s);
          name[s] = strdup(m->producer ? copy.added[copy.n - 1].name : tiles->scop->stmts[s].name);
        }
      n += copy.n;
      if (m->producer) {
        *node = isl_schedule_node_graft_before(*node, copy_tree(&copy));
      } else {
        isl_union_map_free(copy.extension);
        isl_union_pw_multi_aff_free(copy.to_originals);
      }
    }
    n += add_moves(tiles, program, last, first, false, node, added + n);
  }
  return n;
}

/* P as a register: { [0] }, to which all elements go. */
static void hold(struct tsr_product *p)
{
  isl_space *space = isl_space_set_alloc(isl_map_get_ctx(p->writes), 0, 1);
  isl_set_free(p->cache.box);
  p->cache.box = isl_set_fix_si(isl_set_universe(space), isl_dim_set, 0, 0);
}

/* A buffer for each product. */
static struct tsr_program *add_buffers(struct tsr_tiles *tiles, __isl_take struct tsr_program *program)
{
  for (int i = tiles->n - 1; i > 0; i--)
    for (int k = 0; k < tiles->member[i].n_product && program; k++) {
      struct tsr_product *p = &tiles->member[i].product[k];
      const struct tsr_array *array = &tiles->scop->arrays[p->cache.array];
      char lead[64];
      if (p->direct || p->again)
        continue;
      snprintf(lead, sizeof(lead), "%.50s_%s", array->name, p->held ? "register" : "buffer");
      if (p->held)
        hold(p);
      isl_set *extent = isl_set_copy(p->cache.box);
      enum tsr_space space = p->held ? TSR_SPACE_REGISTERS : TSR_SPACE_HEAP;
      program = tsr_program_add_array(program, lead, space, array->elem_size, extent, &p->buffer);
      if (program && p->held) {
        isl_set *all = isl_set_universe(isl_space_wrap(isl_map_get_space(p->cache.written)));
        isl_set *at = isl_set_set_tuple_name(isl_set_copy(p->cache.box), program->scop->arrays[p->buffer].name);
        p->to_buffer = isl_map_from_domain_and_range(all, at);
      } else if (program)
        p->to_buffer = tsr_cache_to_buffer(&p->cache, p->cache.written, program->scop->arrays[p->buffer].name);
    }
  return program;
}

/* The statements of the tiled stage, with their reads in buffers. */
static struct tsr_program *redirect_tiled(struct tsr_tiles *tiles, __isl_take struct tsr_program *program)
{
  for (int s = 0; s < tiles->scop->n_stmt && program; s++)
    for (int k = 0; k < tiles->scop->stmts[s].n_access && program && tiles->member[0].stage->has[s]; k++) {
      if (tiles->scop->stmts[s].access[k].kind != TSR_READ ||
          !tsr_product_has_buffer(tsr_tiles_product(tiles, tiles->scop->stmts[s].access[k].array)))
        continue;
      isl_map *time = isl_map_reverse(tsr_member_runs(tiles, &tiles->member[0], s));
      isl_map *own = isl_set_identity(isl_set_copy(tiles->scop->stmts[s].domain));
      program = tsr_program_redirect(program, s, k, place(tiles, s, k, time, own));
    }
  return program;
}

/* The mark for all buffers around NODE; it stands below it then. */
static isl_schedule_node *allocate_all(struct tsr_tiles *tiles, struct tsr_program *program,
                                       __isl_take isl_schedule_node *node)
{
  const char **name = calloc(program->scop->n_array, sizeof(*name));
  int n = 0;
  for (int i = tiles->n - 1; i > 0 && name; i--)
    for (int k = 0; k < tiles->member[i].n_product; k++)
      if (!tiles->member[i].product[k].held && !tiles->member[i].product[k].direct && !tiles->member[i].product[k].again)
        name[n++] = program->scop->arrays[tiles->member[i].product[k].buffer].name;
  struct tsr_mark mark = {.kind = TSR_MARK_ALLOCATE, .buffers = {n, name}};
  if (n > 0)
    node = isl_schedule_node_child(tsr_mark_insert(node, program->scop, &mark), 0);
  free(name);
  return node;
}

/* TREE, of which the instances LATE come last. Takes both. */
static isl_schedule *order_last(__isl_take isl_schedule *tree, __isl_take isl_union_set *late)
{
  if (isl_union_set_is_empty(late) != isl_bool_false) {
    isl_union_set_free(late);
    return tree;
  }
  isl_schedule_node *node = isl_schedule_node_child(isl_schedule_get_root(tree), 0);
  isl_schedule_free(tree);
  node = isl_schedule_node_order_after(node, late);
  tree = isl_schedule_node_get_schedule(node);
  isl_schedule_node_free(node);
  return tree;
}

/* PROGRAM, in which the stages of TILES run by themselves only for what no tile needs and others do; behind the tiles, as
 * that may read what these have stored. */
static struct tsr_program *restrict_stages(struct tsr_tiles *tiles, __isl_take struct tsr_program *program)
{
  isl_set **domain = program ? calloc(program->scop->n_stmt, sizeof(*domain)) : NULL;
  isl_union_set *late = isl_union_set_empty_ctx(tiles->scop->ctx);
  for (int s = 0; s < tiles->scop->n_stmt && domain; s++) {
    struct tsr_member *m = tsr_tiles_find(tiles, s);
    if (!m || !m->producer || m->kept)
      continue;
    isl_map *order = isl_map_intersect_range(tsr_nest_order(m->stage, tiles->scop, s), isl_set_copy(m->rest));
    domain[s] = isl_set_coalesce(isl_map_domain(order));
    late = isl_union_set_add_set(late, isl_set_copy(domain[s]));
  }
  program = domain ? tsr_program_restrict(program, domain) : tsr_program_free(program);
  free(domain);
  if (!program) {
    isl_union_set_free(late);
    return NULL;
  }
  return tsr_program_set_tree(program, order_last(isl_schedule_copy(program->scop->schedule), late));
}

struct tsr_program *tsr_tiles_program(struct tsr_tiles *tiles, __isl_take isl_schedule_node *node)
{
  struct tsr_added_stmt *added = calloc(tiles->scop->n_stmt + 2 * (size_t)tiles->scop->n_array + 1, sizeof(*added));
  struct tsr_program *program = added ? add_buffers(tiles, tsr_program_copy(tiles->program)) : NULL;
  program = program ? redirect_tiled(tiles, program) : NULL;
  char **name = calloc(tiles->scop->n_stmt + 1, sizeof(*name));
  if (program && name) {
    node = allocate_all(tiles, program, node);
    int n = add_stages(tiles, program, &node, added, name);
    program = tsr_program_extend(program, isl_schedule_node_get_schedule(node), added, n);
  }
  isl_schedule_node_free(node);
  free(added);
  if (program && !name)
    program = tsr_program_free(program);
  if (program) {
    isl_schedule *tree = tsr_tiles_join_tree(tiles, program, isl_schedule_copy(program->scop->schedule), name);
    program = tsr_program_set_tree(program, tree);
  }
  for (int s = 0; s < tiles->scop->n_stmt && name; s++)
    free(name[s]);
  free(name);
  return restrict_stages(tiles, program);
}
