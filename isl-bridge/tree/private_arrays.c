/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Private arrays: rows and the like that each iteration of a loop fills before it reads them, so that only their storage
 * keeps its iterations apart.
 *
 *   for r: { for p: sum[p] = ..sum[p]..;  for p: A[r][p] = sum[p] }
 *
 *   mark "parallel private sum" - B(r)     the thread that has the last iteration uses sum, the others copies of their own
 *
 * Array expansion (Feautrier, Dataflow analysis of array and scalar references, 1991) by threads instead of iterations; the
 * conditions are those of array privatisation (Tu and Padua, Automatic array privatization, 1993), its values behind the
 * loop those of the last iteration. With P the iterations of the loops around, t those of the loop itself:
 *
 *   time      { S -> [P, t] }
 *   covered   each read of an element follows, in the order within (P, t), a must write of the element in (P, t)
 *   last      { [P, t] : no [P, t'] with t' > t }, and the loop's iterations { [P, t] } are a polyhedron: loops made from
 *             one have no iterations that do nothing, so that their last one is that
 *   left      what is written in some (P, t) is, for sure, in the last iteration of P
 *   box       { elements } lie between first and last subscripts, each one affine expression over parameters
 *
 * Copies are no larger than TSR_PRIVATE_BYTES together, which only the running program knows: else, one thread runs the
 * loop. They start with no values, as nothing is read that isn't written before. Packed operands and panels become arrays of
 * their own: no array is used in both ways. All of this comes from the accesses, anew for each that asks (parallel_loops.c,
 * check.c).
 */
#include "tree/tree.h"
#include <isl/id.h>
#include <isl/space.h>
#include <stdlib.h>
#include <string.h>

/* The loop of member 0 of a band, and one array. */
struct region {
  struct tsr_scop *scop;
  int array;
  isl_union_set *domain;                       /* the instances that the loop runs */
  isl_union_map *time;                         /* { S -> [P, t] } */
  isl_union_map *inside;                       /* { S -> [..] }: the order within, the loop's own member included */
  isl_union_map *reads, *writes, *must_writes; /* { S -> A[k] } */
};

/* Does access K of STMT read only what an earlier access of the same instance has written? */
static bool is_covered_within(const struct tsr_stmt *stmt, int k)
{
  for (int j = 0; j < k; j++)
    if (stmt->access[j].kind == TSR_MUST_WRITE && stmt->access[j].array == stmt->access[k].array &&
        isl_map_is_subset(stmt->access[k].relation, stmt->access[j].relation) == isl_bool_true)
      return true;
  return false;
}

/* { S -> A[k] } by accesses of KINDS; no reads that are covered in their own instance. */
static isl_union_map *accesses(struct region *region, unsigned kinds)
{
  struct tsr_scop *scop = region->scop;
  isl_union_map *all = isl_union_map_empty_ctx(scop->ctx);
  for (int i = 0; i < scop->n_stmt; i++)
    for (int k = 0; k < scop->stmts[i].n_access; k++) {
      const struct tsr_access *access = &scop->stmts[i].access[k];
      if (access->array == region->array && (kinds >> access->kind & 1) &&
          !(access->kind == TSR_READ && is_covered_within(&scop->stmts[i], k)))
        all = isl_union_map_add_map(all, isl_map_copy(access->relation));
    }
  return isl_union_map_intersect_domain(all, isl_union_set_copy(region->domain));
}

static void region_init(struct region *region, isl_schedule_node *band, struct tsr_scop *scop, int array)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(band);
  isl_multi_union_pw_aff *member = tsr_member_schedule(partial, 0);
  isl_multi_union_pw_aff *prefix = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(band);
  region->scop = scop;
  region->array = array;
  region->domain = isl_union_set_intersect_params(isl_schedule_node_get_domain(band), tsr_scop_common(scop));
  if (isl_multi_union_pw_aff_size(prefix) > 0)
    member = isl_multi_union_pw_aff_flat_range_product(prefix, member);
  else
    isl_multi_union_pw_aff_free(prefix);
  member = isl_multi_union_pw_aff_reset_tuple_id(member, isl_dim_set);
  region->time = isl_union_map_from_multi_union_pw_aff(member);
  region->time = isl_union_map_intersect_domain(region->time, isl_union_set_copy(region->domain));
  region->inside = isl_schedule_node_get_subtree_schedule_union_map(band);
  region->reads = accesses(region, TSR_READS);
  region->writes = accesses(region, TSR_WRITES);
  region->must_writes = accesses(region, TSR_MUST_WRITES);
  isl_multi_union_pw_aff_free(partial);
}

static void region_clear(struct region *region)
{
  isl_union_set_free(region->domain);
  isl_union_map_free(region->time);
  isl_union_map_free(region->inside);
  isl_union_map_free(region->reads);
  isl_union_map_free(region->writes);
  isl_union_map_free(region->must_writes);
}

/* Is each read preceded by a must write of the element in the same iteration? */
static isl_bool is_covered(struct region *region)
{
  isl_union_set *readers = isl_union_map_domain(isl_union_map_copy(region->reads));
  isl_union_set *writers = isl_union_map_domain(isl_union_map_copy(region->must_writes));
  isl_union_map *of_reads = isl_union_map_intersect_domain(isl_union_map_copy(region->inside), readers);
  isl_union_map *of_writes = isl_union_map_intersect_domain(isl_union_map_copy(region->inside), writers);
  isl_union_map *after = isl_union_map_lex_gt_union_map(of_reads, of_writes);
  isl_union_map *together =
      isl_union_map_apply_range(isl_union_map_copy(region->time), isl_union_map_reverse(isl_union_map_copy(region->time)));
  after = isl_union_map_intersect(after, together);
  isl_union_map *given = isl_union_map_apply_range(after, isl_union_map_copy(region->must_writes));
  isl_bool covered = isl_union_map_is_subset(region->reads, given);
  isl_union_map_free(given);
  return covered;
}

/* { [P, t] -> [P, t'] : t' > t } */
static isl_map *later(isl_space *space)
{
  isl_size n = isl_space_dim(space, isl_dim_set);
  isl_map *map = isl_map_lex_lt(space);
  for (int i = 0; i + 1 < n; i++)
    map = isl_map_equate(map, isl_dim_in, i, isl_dim_out, i);
  return map;
}

/* What is left of { S -> [P, t] } as seen by one who takes S for rational. */
static isl_stat add_shadow(isl_map *map, void *user)
{
  isl_set **shadow = user;
  isl_size n = isl_map_dim(map, isl_dim_in);
  isl_set *both = isl_set_eliminate(isl_set_flatten(isl_map_wrap(map)), isl_dim_set, 0, n);
  *shadow = isl_set_union(*shadow, isl_set_project_out(both, isl_dim_set, 0, n));
  return isl_stat_non_null(*shadow);
}

/* Are ITERATIONS { [P, t] } all that bounds of loops, which are made by rational elimination, may have? */
static bool are_bounded(struct region *region, isl_set *iterations)
{
  isl_set *shadow = isl_set_empty(isl_set_get_space(iterations));
  bool good = tsr_set_is_plain(iterations) && isl_union_map_foreach_map(region->time, add_shadow, &shadow) >= 0 &&
              isl_set_is_subset(shadow, iterations) == isl_bool_true;
  isl_set_free(shadow);
  return good;
}

/* { [P, t] -> [P, t'] : [P, t'] is the last iteration }; NULL: iterations are no polyhedron, or there are none. */
static isl_map *to_last(struct region *region)
{
  isl_union_set *times = isl_union_map_range(isl_union_map_copy(region->time));
  if (isl_union_set_n_set(times) != 1) {
    isl_union_set_free(times);
    return NULL;
  }
  isl_set *all = isl_set_coalesce(isl_set_from_union_set(times));
  if (!are_bounded(region, all)) {
    isl_set_free(all);
    return NULL;
  }
  isl_space *space = isl_set_get_space(all);
  isl_map *same = isl_map_from_domain_and_range(isl_set_copy(all), isl_set_copy(all));
  for (int i = 0; i + 1 < isl_space_dim(space, isl_dim_set); i++)
    same = isl_map_equate(same, isl_dim_in, i, isl_dim_out, i);
  isl_map *ahead = isl_map_intersect_range(later(space), isl_set_copy(all));
  isl_set *last = isl_set_subtract(all, isl_map_domain(ahead));
  return isl_map_intersect_range(same, last);
}

/* Does the last iteration write, for sure, all that any does? */
static isl_bool is_left_by_last(struct region *region)
{
  isl_map *last = to_last(region);
  if (!last)
    return isl_ctx_last_error(region->scop->ctx) == isl_error_none ? isl_bool_false : isl_bool_error;
  isl_union_map *writes = isl_union_map_apply_domain(isl_union_map_copy(region->writes), isl_union_map_copy(region->time));
  isl_union_map *left =
      isl_union_map_apply_domain(isl_union_map_copy(region->must_writes), isl_union_map_copy(region->time));
  left = isl_union_map_apply_range(isl_union_map_from_map(last), left);
  isl_bool all = isl_union_map_is_subset(writes, left);
  isl_union_map_free(writes);
  isl_union_map_free(left);
  return all;
}

/* ---- the box of a copy ---------------------------------------------------------------------------------------- */

static isl_stat take_piece(isl_set *domain, isl_aff *aff, void *user)
{
  isl_aff **only = user;
  isl_set_free(domain);
  *only = aff;
  return isl_stat_ok;
}

/* Dimension D of ELEMENTS, its least or greatest value, if that is one affine expression; else NULL. */
static isl_aff *end_of(isl_set *elements, int d, bool least)
{
  isl_pw_aff *end = least ? isl_set_dim_min(isl_set_copy(elements), d) : isl_set_dim_max(isl_set_copy(elements), d);
  isl_aff *aff = NULL;
  if (end && isl_pw_aff_n_piece(end) == 1)
    isl_pw_aff_foreach_piece(end, take_piece, &aff);
  isl_pw_aff_free(end);
  return aff && isl_aff_dim(aff, isl_dim_div) == 0 ? aff : isl_aff_free(aff);
}

bool tsr_private_bounds(isl_schedule_node *band, struct tsr_scop *scop, int array, struct tsr_private_box *box)
{
  struct region region;
  *box = (struct tsr_private_box){.n_dim = scop->arrays[array].n_dim};
  region_init(&region, band, scop, array);
  isl_union_map *all = isl_union_map_union(accesses(&region, TSR_READS | TSR_WRITES), isl_union_map_copy(region.writes));
  isl_union_set *touched = isl_union_map_range(all);
  region_clear(&region);
  bool good = isl_union_set_n_set(touched) == 1 && box->n_dim > 0 && box->n_dim <= TSR_PRIVATE_DIM;
  isl_set *elements = good ? isl_set_coalesce(isl_set_from_union_set(touched)) : NULL;
  if (!good)
    isl_union_set_free(touched);
  isl_ast_build *build = isl_ast_build_from_context(tsr_scop_common(scop));
  for (int d = 0; d < box->n_dim && good; d++)
    for (int least = 0; least < 2 && good; least++) {
      isl_aff *end = end_of(elements, d, least);
      good = end != NULL;
      isl_ast_expr *expr = good ? isl_ast_build_expr_from_pw_aff(build, isl_pw_aff_from_aff(end)) : NULL;
      *(least ? &box->first[d] : &box->last[d]) = expr;
      good = expr != NULL;
    }
  isl_ast_build_free(build);
  isl_set_free(elements);
  if (!good)
    tsr_private_box_clear(box);
  return good;
}

void tsr_private_box_clear(struct tsr_private_box *box)
{
  for (int d = 0; d < TSR_PRIVATE_DIM; d++) {
    isl_ast_expr_free(box->first[d]);
    isl_ast_expr_free(box->last[d]);
  }
  *box = (struct tsr_private_box){0};
}

/* ---- which arrays? ---------------------------------------------------------------------------------------------- */

/* Is ARRAY read from a buffer of its own somewhere in the tree of NODE? */
static bool has_buffers(isl_schedule_node *node, struct tsr_scop *scop, int array)
{
  struct tsr_pack pack[TSR_MAX_PACK];
  struct tsr_panel panel;
  isl_schedule *tree = isl_schedule_node_get_schedule(node);
  isl_schedule_node *root = isl_schedule_get_root(tree), *child = isl_schedule_node_child(root, 0);
  bool has = tsr_mark_panel(tsr_node_mark(child), scop, &panel);
  int n = tsr_tree_packs(tree, scop, pack);
  for (int i = 0; i < n; i++)
    has |= scop->stmts[pack[i].stmt].access[pack[i].access].array == array;
  isl_schedule_node_free(child);
  isl_schedule_free(tree);
  return has || n >= TSR_MAX_PACK;
}

isl_bool tsr_band_array_is_private(isl_schedule_node *band, struct tsr_scop *scop, int array)
{
  struct region region;
  struct tsr_private_box box;
  const struct tsr_array *a = &scop->arrays[array];
  if (a->kind != TSR_ARRAY_MEMORY || a->n_dim < 1 || isl_schedule_node_get_type(band) != isl_schedule_node_band ||
      isl_schedule_node_band_n_member(band) < 1 || has_buffers(band, scop, array))
    return isl_bool_false;
  region_init(&region, band, scop, array);
  isl_bool is = isl_bool_not(isl_union_map_is_empty(region.must_writes));
  if (is == isl_bool_true)
    is = is_left_by_last(&region);
  if (is == isl_bool_true)
    is = is_covered(&region);
  region_clear(&region);
  if (is != isl_bool_true || !tsr_private_bounds(band, scop, array, &box))
    return is == isl_bool_true ? isl_bool_false : is;
  tsr_private_box_clear(&box);
  return isl_bool_true;
}
