/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A part of an array in a buffer while some loops run:
 *
 *   B(t) - X   ->   B(t) - mark "allocate P" - E - seq(In(e), X', Out(e))
 *
 * F(t) { [t] -> A[e] } is what X touches in an iteration t of the loops around. P is a box that each F(t) fits into; element
 * e of A is P[(e - m(t)) / s], m being the box's corner, and s what elements of F(t) are apart. A dimension of which F(t)
 * has no constant extent is kept whole, or, where it has no bounds, from the first element on that any F(t) has. In moves
 * what X reads of A into P, Out moves what X writes back; X' has P where X has A. (Tiramisu calls it cache_local_at;
 * footprints and boxes as in S. Verdoolaege et al., "Polyhedral parallel code generation for CUDA", TACO 2013, section 5.)
 *
 * What a buffer saves is neighbourhood: rows of A that are far apart are near each other in P. Whether somebody else writes
 * A meanwhile, the checker finds. */
#include "tree/cached_arrays.h"
#include "support/message.h"
#include <isl/fixed_box.h>
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/stride_info.h>
#include <isl/val.h>
#include <stdlib.h>

void tsr_cache_clear(struct tsr_cached *c)
{
  isl_union_set_free(c->domain);
  isl_union_map_free(c->prefix);
  isl_map_free(c->read);
  isl_map_free(c->written);
  isl_map_free(c->load);
  isl_map_free(c->store);
  isl_set_free(c->box);
  for (int d = 0; d < TSR_CACHE_DIM; d++)
    isl_aff_free(c->corner[d]);
  for (int d = 0; d < TSR_CACHE_DIM; d++)
    isl_val_free(c->stride[d]);
}

/* ---- which instances and elements ---- */

bool tsr_cache_is_meant(const struct tsr_cached *c, const struct tsr_stmt *stmt, int k)
{
  bool meant = stmt->access[k].array == c->array && (!c->only || (stmt == c->only && k == c->only_access));
  long s = stmt - c->scop->stmts;
  return meant && (!c->chosen || (s < c->n_chosen && c->chosen[s][k]));
}

/* Does STMT run below the node? *PART: but only some of its instances. */
isl_bool tsr_cache_runs_below(struct tsr_cached *c, const struct tsr_stmt *stmt, bool *part)
{
  isl_set *below = isl_union_set_extract_set(c->domain, isl_set_get_space(stmt->domain));
  isl_bool none = isl_set_is_empty(below);
  isl_bool all = none == isl_bool_false ? isl_set_is_subset(stmt->domain, below) : isl_bool_true;
  isl_set_free(below);
  *part = all == isl_bool_false;
  return all < 0 ? all : isl_bool_not(none);
}

/* Is access K of STMT one that a buffer can stand for? */
static bool is_plain(struct tsr_cached *c, const struct tsr_stmt *stmt, int k)
{
  isl_map *map = isl_map_intersect_domain(isl_map_copy(stmt->access[k].relation), isl_set_copy(stmt->domain));
  isl_bool one = isl_map_is_single_valued(map);
  isl_map_free(map);
  if (one == isl_bool_true && stmt->access[k].kind != TSR_MAY_WRITE)
    return true;
  tsr_message_set(c->why, "%s accesses several elements of %s at once, or only may write them", stmt->name,
                  c->scop->arrays[c->array].name);
  return false;
}

/* Can the array be cached, as far as statements go? */
bool tsr_cache_is_possible(struct tsr_cached *c)
{
  bool any = false;
  const struct tsr_array *array = &c->scop->arrays[c->array];
  if (array->kind != TSR_ARRAY_MEMORY || array->n_dim < 1 || array->n_dim > TSR_CACHE_DIM) {
    tsr_message_set(c->why, "%s is no array of 1 to %d dimensions", array->name, TSR_CACHE_DIM);
    return false;
  }
  for (int i = 0; i < c->scop->n_stmt; i++) {
    struct tsr_stmt *stmt = &c->scop->stmts[i];
    bool part;
    isl_bool below = tsr_cache_runs_below(c, stmt, &part);
    if (below < 0)
      return false;
    for (int k = 0; k < stmt->n_access && below; k++) {
      if (!tsr_cache_is_meant(c, stmt, k))
        continue;
      any = true;
      if (part)
        tsr_message_set(c->why, "some instances of %s, which uses %s, run elsewhere", stmt->name, array->name);
      if (part || !is_plain(c, stmt, k))
        return false;
    }
  }
  if (!any)
    tsr_message_set(c->why, "nothing there uses %s", array->name);
  return any;
}

/* { [t] -> A[e] } of the accesses of KINDS below the node; NULL: there are none. */
isl_map *tsr_cache_footprint(struct tsr_cached *c, unsigned kinds)
{
  isl_union_map *all = isl_union_map_empty_ctx(c->scop->ctx);
  for (int i = 0; i < c->scop->n_stmt; i++)
    for (int k = 0; k < c->scop->stmts[i].n_access; k++) {
      struct tsr_access *access = &c->scop->stmts[i].access[k];
      if (tsr_cache_is_meant(c, &c->scop->stmts[i], k) && kinds >> access->kind & 1)
        all = isl_union_map_add_map(
            all, isl_map_intersect_domain(isl_map_copy(access->relation), isl_set_copy(c->scop->stmts[i].domain)));
    }
  all = isl_union_map_intersect_domain(all, isl_union_set_copy(c->domain));
  all = isl_union_map_coalesce(isl_union_map_apply_domain(all, isl_union_map_copy(c->prefix)));
  if (isl_union_map_n_map(all) == 1)
    return isl_map_from_union_map(all);
  isl_union_map_free(all);
  return NULL;
}

/* ---- the box ---- */

/* Which dimension of the array is dimension I of the buffer? */
static int dimension_at(const struct tsr_cached *c, int i)
{
  int last = c->behind ? c->behind - 1 : c->n_dim - 1;
  return i < last ? i : i < c->n_dim - 1 ? i + 1 : last;
}

/* The values 0 .. (SIZE - 1) / S of dimension D, where elements of ONE { [t] -> [e] } are S apart, as is noted. */
static isl_set *strided_extent(struct tsr_cached *c, int d, isl_map *one, __isl_take isl_val *size)
{
  isl_stride_info *info = isl_map_get_range_stride_info(one, 0);
  isl_val *stride = isl_stride_info_get_stride(info);
  isl_stride_info_free(info);
  isl_val *last = isl_val_sub_ui(size, 1);
  if (isl_val_gt_si(stride, 1) == isl_bool_true) {
    c->stride[d] = isl_val_copy(stride);
    last = isl_val_floor(isl_val_div(last, isl_val_copy(stride)));
  }
  isl_val_free(stride);
  isl_set *extent = isl_set_lower_bound_si(isl_set_universe(isl_space_set_alloc(c->scop->ctx, 0, 1)), isl_dim_set, 0, 0);
  return isl_set_upper_bound_val(extent, isl_dim_set, 0, last);
}

static isl_stat take_piece(isl_set *set, isl_aff *aff, void *user)
{
  isl_aff **only = user;
  isl_set_free(set);
  isl_aff_free(*only);
  *only = aff;
  return isl_stat_ok;
}

/* The least of VALUES, of one dimension, on all of the domain SPACE { [t] }: one expression of parameters, whatever t is. 0
 * if it is a constant above that, or isn't one expression. */
static isl_aff *least_of(isl_set *values, __isl_take isl_space *space)
{
  isl_aff *aff = isl_aff_zero_on_domain(isl_local_space_from_space(space));
  isl_pw_aff *piecewise = isl_set_dim_min(isl_set_copy(values), 0);
  isl_aff *least = NULL;
  if (isl_pw_aff_n_piece(piecewise) == 1)
    isl_pw_aff_foreach_piece(piecewise, take_piece, &least);
  isl_pw_aff_free(piecewise);
  if (!least)
    return aff;
  isl_val *constant = isl_aff_get_constant_val(least);
  bool plain = isl_aff_is_cst(least) == isl_bool_true;
  if (isl_aff_dim(least, isl_dim_div) == 0 && !(plain && isl_val_is_nonneg(constant) == isl_bool_true)) {
    aff = isl_aff_set_constant_val(aff, isl_val_copy(constant));
    aff = isl_aff_align_params(aff, isl_aff_get_domain_space(least));
    least = isl_aff_align_params(least, isl_aff_get_domain_space(aff));
    for (int i = 0; i < isl_aff_dim(least, isl_dim_param); i++)
      aff = isl_aff_set_coefficient_val(aff, isl_dim_param, i, isl_aff_get_coefficient_val(least, isl_dim_param, i));
  }
  isl_val_free(constant);
  isl_aff_free(least);
  return aff;
}

/* { [e] : 0 <= e <= the greatest of VALUES }, of one dimension, if none is below 0; else anything. */
static isl_set *up_to_most(__isl_take isl_set *values)
{
  isl_set *hull = isl_set_from_basic_set(isl_set_simple_hull(values));
  isl_val *least = isl_set_dim_min_val(isl_set_copy(hull), 0);
  bool good = isl_val_is_int(least) == isl_bool_true && isl_val_is_nonneg(least) == isl_bool_true;
  isl_val_free(least);
  if (!good) {
    isl_space *space = isl_set_get_space(hull);
    isl_set_free(hull);
    return isl_set_universe(space);
  }
  isl_map *below = isl_map_lex_ge(isl_set_get_space(hull));
  return isl_set_coalesce(isl_set_lower_bound_si(isl_set_apply(hull, below), isl_dim_set, 0, 0));
}

/* { [e - m] : 0 <= e - m <= the most }, of one dimension, for ONE { [t] -> [e] }, and m, the same for all t, in *CORNER {
 * [t] -> [m] }; or anything. Takes TIMES, the space of t. */
static isl_set *from_least(isl_map *one, __isl_take isl_space *times, isl_aff **corner)
{
  isl_set *values = isl_map_range(isl_map_copy(one));
  *corner = least_of(values, times);
  isl_set_free(values);
  isl_map *back = isl_map_from_aff(isl_aff_neg(isl_aff_copy(*corner)));
  return up_to_most(isl_map_range(isl_map_sum(isl_map_reset_tuple_id(isl_map_copy(one), isl_dim_out), back)));
}

/* Add dimension D of the box around TOUCHED { [t] -> A[e] }: a constant extent, or all that the array has, or of which the
 * program says that it is touched. */
static bool add_dimension(struct tsr_cached *c, isl_map *touched, int d)
{
  isl_map *one = isl_map_project_out(isl_map_copy(touched), isl_dim_out, d + 1, c->n_dim - d - 1);
  one = isl_map_project_out(one, isl_dim_out, 0, d);
  isl_fixed_box *fixed = isl_map_get_range_simple_fixed_box_hull(one);
  isl_set *extent;
  if (isl_fixed_box_is_valid(fixed) == isl_bool_true) {
    isl_multi_val *size = isl_fixed_box_get_size(fixed);
    isl_multi_aff *offset = isl_fixed_box_get_offset(fixed);
    c->corner[d] = isl_multi_aff_get_at(offset, 0);
    extent = strided_extent(c, d, one, isl_multi_val_get_at(size, 0));
    isl_multi_val_free(size);
    isl_multi_aff_free(offset);
  } else {
    extent = isl_set_project_out(isl_set_copy(c->scop->arrays[c->array].extent), isl_dim_set, d + 1, c->n_dim - d - 1);
    extent = isl_set_reset_tuple_id(isl_set_project_out(extent, isl_dim_set, 0, d));
    isl_space *times = isl_space_domain(isl_map_get_space(touched));
    if (isl_set_dim_has_upper_bound(extent, isl_dim_set, 0) == isl_bool_false) {
      isl_set_free(extent);
      extent = from_least(one, times, &c->corner[d]);
    } else {
      c->corner[d] = isl_aff_zero_on_domain(isl_local_space_from_space(times));
    }
  }
  isl_fixed_box_free(fixed);
  isl_map_free(one);
  bool bounded = isl_set_dim_has_lower_bound(extent, isl_dim_set, 0) == isl_bool_true &&
                 isl_set_dim_has_upper_bound(extent, isl_dim_set, 0) == isl_bool_true;
  if (!bounded)
    tsr_message_set(c->why, "what is touched of %s has no bounds in dimension %d", c->scop->arrays[c->array].name, d);
  c->box = c->box ? isl_set_flat_product(c->box, extent) : extent;
  return bounded;
}

bool tsr_cache_find_box(struct tsr_cached *c)
{
  isl_map *touched = isl_map_copy(c->read ? c->read : c->written);
  if (c->read && c->written)
    touched = isl_map_union(touched, isl_map_copy(c->written));
  bool good = touched != NULL;
  for (int d = 0; d < c->n_dim && good; d++)
    good = add_dimension(c, touched, dimension_at(c, d));
  isl_map_free(touched);
  return good;
}

/* { [[t] -> A[e]] -> P[(e - m(t)) / s] }, for FOOTPRINT's space. */
isl_map *tsr_cache_to_buffer(struct tsr_cached *c, isl_map *footprint, const char *buffer)
{
  isl_space *space = isl_space_wrap(isl_map_get_space(footprint));
  isl_size depth = isl_map_dim(footprint, isl_dim_in);
  isl_map *all = NULL;
  for (int i = 0; i < c->n_dim; i++) {
    int d = dimension_at(c, i);
    isl_multi_aff *times = isl_multi_aff_domain_map(isl_map_get_space(footprint));
    isl_aff *corner = isl_aff_pullback_multi_aff(isl_aff_copy(c->corner[d]), times);
    isl_aff *at = isl_aff_var_on_domain(isl_local_space_from_space(isl_space_copy(space)), isl_dim_set, depth + d);
    at = isl_aff_sub(at, corner);
    if (c->stride[d])
      at = isl_aff_floor(isl_aff_scale_down_val(at, isl_val_copy(c->stride[d])));
    isl_map *one = isl_map_from_aff(at);
    all = all ? isl_map_flat_range_product(all, one) : one;
  }
  isl_space_free(space);
  return isl_map_set_tuple_name(all, isl_dim_out, buffer);
}

/* ---- the program ---- */

/* { S[i] -> [t] } of STMT, which runs below the node. */
static isl_map *time_of(struct tsr_cached *c, const struct tsr_stmt *stmt)
{
  isl_union_set *own = isl_union_set_from_set(isl_set_copy(stmt->domain));
  return isl_map_from_union_map(isl_union_map_intersect_domain(isl_union_map_copy(c->prefix), own));
}

/* Let the statements below the node use BUFFER, a name, by MAP { [[t] -> A[e]] -> P[b] }. */
struct tsr_program *tsr_cache_redirect(struct tsr_cached *c, __isl_take struct tsr_program *program, isl_map *map)
{
  for (int i = 0; i < c->scop->n_stmt && program; i++) {
    struct tsr_stmt *stmt = &c->scop->stmts[i];
    bool part;
    isl_bool below = tsr_cache_runs_below(c, stmt, &part);
    isl_map *time = below == isl_bool_true ? time_of(c, stmt) : NULL;
    for (int k = 0; k < stmt->n_access && below == isl_bool_true && program; k++)
      if (tsr_cache_is_meant(c, stmt, k)) {
        isl_map *both = isl_map_range_product(isl_map_copy(time), isl_map_copy(stmt->access[k].relation));
        both = isl_map_intersect_domain(both, isl_set_copy(stmt->domain));
        program = tsr_program_redirect(program, i, k, isl_map_coalesce(isl_map_apply_range(both, isl_map_copy(map))));
      }
    isl_map_free(time);
  }
  return program;
}

isl_schedule_node *tsr_cache_graft(isl_map *extension)
{
  isl_size n = isl_map_dim(extension, isl_dim_out);
  isl_space *space = isl_space_range(isl_map_get_space(extension));
  isl_multi_aff *order = isl_multi_aff_reset_tuple_id(isl_multi_aff_identity_on_domain_space(space), isl_dim_out);
  isl_schedule_node *node = isl_schedule_node_from_extension(isl_union_map_from_map(extension));
  node = isl_schedule_node_insert_partial_schedule(
      isl_schedule_node_child(node, 0), isl_multi_union_pw_aff_from_multi_pw_aff(isl_multi_pw_aff_from_multi_aff(order)));
  node = isl_schedule_node_band_set_permutable(node, 1);
  for (int d = 0; d < n; d++)
    node = isl_schedule_node_band_member_set_coincident(node, d, 1);
  if (n > 1)
    node = isl_schedule_node_child(isl_schedule_node_band_split(node, n - 1), 0);
  return isl_schedule_node_root(tsr_mark_insert_word(node, TSR_MARK_VECTOR));
}

/* A statement that moves the elements of FOOTPRINT { [t] -> A[e] }, INTO the buffer or out of it; and its extension, in
 * *GRAFT.
 */
void tsr_cache_make_move(struct tsr_cached *c, struct tsr_program *program, isl_map *footprint, isl_map *map, bool into,
                         struct tsr_added_stmt *move, isl_schedule_node **graft)
{
  *move =
      (struct tsr_added_stmt){.kind = TSR_STMT_MOVE, .n_access = 2, .access = calloc(2, sizeof(struct tsr_added_access))};
  char lead[64];
  snprintf(lead, sizeof(lead), "%s_%.40s", into ? "load" : "store", c->scop->arrays[c->array].name);
  tsr_program_new_name(program, lead, move->name, sizeof(move->name));
  isl_map *pairs = isl_set_identity(isl_map_wrap(isl_map_copy(footprint))); /* { [t -> A] -> [t -> A] } */
  isl_map *memory = isl_map_apply_range(isl_map_copy(pairs), isl_map_range_map(isl_map_copy(footprint)));
  isl_map *buffer = isl_map_apply_range(pairs, isl_map_copy(map));
  isl_map *sides[2] = {into ? memory : buffer, into ? buffer : memory};
  for (int k = 0; k < 2; k++) {
    isl_map *flat = isl_map_set_tuple_name(isl_map_flatten_domain(sides[k]), isl_dim_in, move->name);
    move->access[k] = (struct tsr_added_access){k ? TSR_MUST_WRITE : TSR_READ, flat};
  }
  *graft = tsr_cache_graft(isl_map_set_tuple_name(isl_map_copy(footprint), isl_dim_out, move->name));
}

isl_schedule_node *tsr_cache_allocate(isl_schedule_node *node, struct tsr_program *program, int buffer)
{
  const char *name = program ? program->scop->arrays[buffer].name : NULL;
  struct tsr_mark mark = {.kind = TSR_MARK_ALLOCATE, .buffers = {1, &name}};
  return name ? tsr_mark_insert(node, program->scop, &mark) : isl_schedule_node_free(node);
}

struct tsr_program *tsr_cache_extend(struct tsr_program *program, isl_schedule_node *node, struct tsr_added_stmt *added,
                                     int n)
{
  isl_schedule *tree = isl_schedule_node_get_schedule(node);
  isl_schedule_node_free(node);
  if (!program) {
    isl_schedule_free(tree);
    return NULL;
  }
  return tsr_program_extend(program, tree, added, n);
}

/* The buffer is array number BUFFER of PROGRAM: move, use it, move back. */
static struct tsr_program *insert_buffer(struct tsr_cached *c, __isl_take struct tsr_program *program,
                                         __isl_take isl_schedule_node *node, int buffer)
{
  isl_map *map = tsr_cache_to_buffer(c, c->read ? c->read : c->written, program->scop->arrays[buffer].name);
  struct tsr_added_stmt added[2];
  isl_schedule_node *graft;
  int n = 0;
  program = tsr_cache_redirect(c, program, map);
  node = tsr_cache_allocate(node, program, buffer);
  node = isl_schedule_node_child(node, 0);
  if (c->load && program) {
    tsr_cache_make_move(c, program, c->load, map, true, &added[n++], &graft);
    node = isl_schedule_node_graft_before(node, graft);
  }
  if (c->store && program) {
    tsr_cache_make_move(c, program, c->store, map, false, &added[n++], &graft);
    node = isl_schedule_node_graft_after(node, graft);
  }
  isl_map_free(map);
  return tsr_cache_extend(program, node, added, n);
}

struct tsr_program *tsr_program_cache(struct tsr_program *program, isl_schedule_node *node, int array, enum tsr_space space,
                                      char **why)
{
  struct tsr_cached c = {.array = array, .why = why};
  return tsr_cache_run(&c, program, node, space, NULL);
}

struct tsr_program *tsr_program_cache_as(struct tsr_program *program, isl_schedule_node *node, int array, int last,
                                         enum tsr_space space, char **why)
{
  struct tsr_cached c = {.array = array, .behind = last + 1, .why = why};
  return tsr_cache_run(&c, program, node, space, NULL);
}

/* requires: NODE is of PROGRAM's tree, which has no extensions.  on failure: NULL, the program goes. */
struct tsr_program *tsr_cache_run(struct tsr_cached *c, struct tsr_program *program, isl_schedule_node *node,
                                  enum tsr_space space, bool (*choose)(struct tsr_cached *c))
{
  int buffer = -1;
  c->program = program;
  c->scop = program->scop;
  c->n_dim = c->scop->arrays[c->array].n_dim;
  c->domain = isl_schedule_node_get_domain(node);
  c->prefix = isl_schedule_node_get_prefix_schedule_union_map(node);
  bool good = tsr_cache_is_possible(c);
  if (good) {
    c->read = tsr_cache_footprint(c, TSR_READS);
    c->written = tsr_cache_footprint(c, TSR_WRITES);
    good = (c->read || c->written) && tsr_cache_find_box(c);
    c->load = isl_map_copy(c->read);
    c->store = isl_map_copy(c->written);
  }
  if (good && choose)
    good = choose(c);
  struct tsr_program *result = NULL;
  if (good) {
    char lead[64];
    snprintf(lead, sizeof(lead), "%.50s_buffer", c->scop->arrays[c->array].name);
    result = tsr_program_add_array(tsr_program_copy(program), lead, space, c->scop->arrays[c->array].elem_size,
                                   isl_set_copy(c->box), &buffer);
    if (result)
      result = insert_buffer(c, result, isl_schedule_node_copy(node), buffer);
  }
  if (result) /* others are to find their loops in it */
    result = tsr_program_set_tree(result, isl_schedule_copy(result->scop->schedule));
  tsr_cache_clear(c);
  tsr_program_free(program);
  return result;
}
