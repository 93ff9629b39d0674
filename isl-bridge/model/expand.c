/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Extension nodes as statements of their own:
 *
 *   D(S) - B(t) - E({ [t] -> M[e] }) - seq(M - Q(e), S - P)
 *   ->
 *   D(S, M[t, e]) - B(S: t, M: t) - seq(M[t, e] - Q(e), S - P)
 *
 * isl answers no question about instances that an extension adds. So each of them becomes one of a statement M whose first
 * dimensions are the values of the band members around the node; then the tree has a domain at its root alone. Two passes:
 * the first one finds the statements, with { M[t, e] -> [t] } for the bands around, the second one builds the tree anew,
 * node by node. (S. Verdoolaege et al., "Schedule trees", IMPACT 2014, section 3, has the nodes.) */
#include "model/program.h"
#include <isl/id.h>
#include <isl/space.h>
#include <stdlib.h>
#include <string.h>

/* What one extension node adds of one tuple. */
struct added {
  isl_set *domain; /* { M[t, e] } */
  isl_map *old;    /* { M[t, e] -> M[e] } */
  isl_id *id;      /* M */
  int depth;       /* how many t */
};

struct expansion {
  struct added *added;
  int n, room;
  bool failed;
  isl_union_set *times; /* { [t] } that reach the extension node at hand */
};

static void expansion_clear(struct expansion *x)
{
  for (int i = 0; i < x->n; i++) {
    isl_set_free(x->added[i].domain);
    isl_map_free(x->added[i].old);
    isl_id_free(x->added[i].id);
  }
  free(x->added);
}

/* ---- finding statements ---- */

/* { M[t, e] -> M[e] } for MAP { [t] -> M[e] }. */
static isl_map *projection(isl_map *map, isl_id *id)
{
  isl_size depth = isl_map_dim(map, isl_dim_in);
  isl_space *space = isl_space_range(isl_map_get_space(map));
  isl_map *same = isl_map_identity(isl_space_map_from_set(isl_space_copy(space)));
  same = isl_map_insert_dims(isl_map_reset_tuple_id(same, isl_dim_in), isl_dim_in, 0, depth);
  isl_space_free(space);
  return isl_map_set_tuple_id(same, isl_dim_in, isl_id_copy(id));
}

static isl_stat add_statement(isl_map *map, void *user)
{
  struct expansion *x = user;
  if (x->n == x->room) {
    int room = 2 * x->room + 4;
    struct added *grown = realloc(x->added, room * sizeof(*grown));
    if (!grown) {
      isl_map_free(map);
      return isl_stat_error;
    }
    x->added = grown;
    x->room = room;
  }
  isl_id *id = isl_map_has_tuple_id(map, isl_dim_out) == isl_bool_true ? isl_map_get_tuple_id(map, isl_dim_out) : NULL;
  isl_size depth = isl_map_dim(map, isl_dim_in);
  if (!id || depth < 0) {
    isl_map_free(map);
    isl_id_free(id);
    return isl_stat_error;
  }
  isl_map *old = projection(map, id);
  map = isl_map_intersect_domain(map, isl_union_set_extract_set(x->times, isl_space_domain(isl_map_get_space(map))));
  isl_set *domain = isl_set_set_tuple_id(isl_set_flatten(isl_map_wrap(map)), isl_id_copy(id));
  x->added[x->n++] = (struct added){.domain = domain, .old = old, .id = id, .depth = depth};
  return isl_stat_ok;
}

/* { I[..] -> [t, v] } for what PREFIX { I[..] -> [t] } says of the bands around and BAND's members. */
static isl_union_map *prefix_with_band(isl_union_map *prefix, isl_schedule_node *band)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(band);
  if (isl_multi_union_pw_aff_size(partial) == 0) {
    isl_multi_union_pw_aff_free(partial);
    return prefix;
  }
  isl_union_map *own = isl_union_map_from_multi_union_pw_aff(isl_multi_union_pw_aff_reset_tuple_id(partial, isl_dim_set));
  return isl_union_map_flat_range_product(prefix, own);
}

/* { I -> [] } for INSTANCES. */
static isl_union_map *no_time(isl_union_set *instances)
{
  isl_union_map *map = isl_union_map_from_domain(isl_union_set_copy(instances));
  isl_union_set_free(instances);
  return map;
}

/* What the extension NODE adds, PREFIX { I -> [t] } being the instances there; with these. */
static isl_union_map *visit_extension(isl_schedule_node *node, isl_union_map *prefix, struct expansion *x)
{
  isl_union_map *extension = isl_schedule_node_extension_get_extension(node);
  x->times = isl_union_map_range(isl_union_map_copy(prefix));
  if (isl_union_map_foreach_map(extension, add_statement, x) < 0)
    x->failed = true;
  extension = isl_union_map_intersect_domain(extension, x->times);
  return isl_union_map_union(prefix, isl_union_map_reverse(extension));
}

/* Note what the extensions at and below NODE add. PREFIX: the instances that reach NODE, and their times so far. */
static void find_statements(isl_schedule_node *node, isl_union_map *prefix, struct expansion *x)
{
  isl_size n = isl_schedule_node_n_children(node);
  switch (isl_schedule_node_get_type(node)) {
  case isl_schedule_node_domain:
    isl_union_map_free(prefix);
    prefix = no_time(isl_schedule_node_domain_get_domain(node));
    break;
  case isl_schedule_node_filter:
    prefix = isl_union_map_intersect_domain(prefix, isl_schedule_node_filter_get_filter(node));
    break;
  case isl_schedule_node_band:
    prefix = prefix_with_band(prefix, node);
    break;
  case isl_schedule_node_extension:
    prefix = visit_extension(node, prefix, x);
    break;
  case isl_schedule_node_expansion:
  case isl_schedule_node_error:
    x->failed = true;
    break;
  default:
    break;
  }
  for (int i = 0; i < n && !x->failed; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(node, i);
    find_statements(child, isl_union_map_copy(prefix), x);
    isl_schedule_node_free(child);
  }
  isl_union_map_free(prefix);
}

/* ---- building the tree ---- */

/* How many statements extensions at and below NODE add. */
static int count_below(isl_schedule_node *node)
{
  int count = 0;
  if (isl_schedule_node_get_type(node) == isl_schedule_node_extension) {
    isl_union_map *extension = isl_schedule_node_extension_get_extension(node);
    count = isl_union_map_n_map(extension);
    isl_union_map_free(extension);
  }
  isl_size n = isl_schedule_node_n_children(node);
  for (int i = 0; i < n; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(node, i);
    count += count_below(child);
    isl_schedule_node_free(child);
  }
  return count;
}

/* { M[t, e] -> M[e] } of the added statements that are flagged in ABOVE, and { I -> I } for INSTANCES. */
static isl_union_pw_multi_aff *old_instances(struct expansion *x, const bool *above, isl_union_set *instances)
{
  isl_union_map *map = isl_union_set_identity(isl_union_set_copy(instances));
  for (int i = 0; i < x->n; i++)
    if (above[i])
      map = isl_union_map_union(map, isl_union_map_from_map(isl_map_copy(x->added[i].old)));
  return isl_union_pw_multi_aff_from_union_map(map);
}

struct builder {
  struct expansion *x;
  bool *above;          /* by added statement: is its extension node around the present one? */
  isl_union_set *plain; /* universes of the tuples at the old root */
  int next;             /* the first added statement that no visited node has added yet */
};

/* Member I of time t of statement A, { M[t, e] -> t_(depth + i) }. */
static isl_union_pw_aff *outer_time(const struct added *a, int at)
{
  isl_local_space *local = isl_local_space_from_space(isl_set_get_space(a->domain));
  isl_aff *aff = isl_aff_var_on_domain(local, isl_dim_set, at);
  return isl_union_pw_aff_from_pw_aff(isl_pw_aff_from_aff(aff));
}

/* PARTIAL with the names of members that the band OLD has. */
static isl_multi_union_pw_aff *named_like(__isl_take isl_multi_union_pw_aff *partial, isl_schedule_node *old)
{
  isl_space *names = isl_schedule_node_band_get_space(old);
  isl_size n = isl_multi_union_pw_aff_size(partial);
  for (int m = 0; m < n; m++)
    if (isl_space_has_dim_id(names, isl_dim_set, (unsigned)m) == isl_bool_true)
      partial =
          isl_multi_union_pw_aff_set_dim_id(partial, isl_dim_set, m, isl_space_get_dim_id(names, isl_dim_set, (unsigned)m));
  isl_space_free(names);
  return partial;
}

/* The partial schedule of the old band OLD, at DEPTH, for the new statements, of which [FIRST, LAST) are added below. */
static isl_multi_union_pw_aff *new_partial(struct builder *b, isl_schedule_node *old, int first, int last)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(old);
  isl_size n = isl_multi_union_pw_aff_size(partial), depth = isl_schedule_node_get_schedule_depth(old);
  bool any = false;
  for (int i = 0; i < b->x->n; i++)
    any |= b->above[i];
  if (any)
    partial = isl_multi_union_pw_aff_pullback_union_pw_multi_aff(partial, old_instances(b->x, b->above, b->plain));
  for (int m = 0; m < n; m++) {
    isl_union_pw_aff *member = isl_multi_union_pw_aff_get_at(partial, m);
    for (int i = first; i < last; i++)
      member = isl_union_pw_aff_union_add(member, outer_time(&b->x->added[i], depth + m));
    partial = isl_multi_union_pw_aff_set_at(partial, m, member);
  }
  return named_like(partial, old);
}

/* The instances of FILTER, old ones, as new ones; and all of the added statements [FIRST, LAST). */
static isl_union_set *new_filter(struct builder *b, isl_union_set *filter, int first, int last)
{
  isl_union_pw_multi_aff *old = old_instances(b->x, b->above, b->plain);
  filter = isl_union_set_preimage_union_pw_multi_aff(filter, old);
  for (int i = first; i < last; i++)
    filter = isl_union_set_add_set(filter, isl_set_universe(isl_set_get_space(b->x->added[i].domain)));
  return filter;
}

static isl_schedule_node *build(struct builder *b, isl_schedule_node *at, isl_schedule_node *old);

/* Insert a band like OLD at the leaf AT, and what is below. */
static isl_schedule_node *build_band(struct builder *b, isl_schedule_node *at, isl_schedule_node *old)
{
  int last = b->next + count_below(old);
  at = isl_schedule_node_insert_partial_schedule(at, new_partial(b, old, b->next, last));
  at = isl_schedule_node_band_set_permutable(at, isl_schedule_node_band_get_permutable(old) == isl_bool_true);
  isl_size n = isl_schedule_node_band_n_member(old);
  for (int m = 0; m < n; m++)
    at = isl_schedule_node_band_member_set_coincident(at, m,
                                                      isl_schedule_node_band_member_get_coincident(old, m) == isl_bool_true);
  return isl_schedule_node_band_set_ast_build_options(at, isl_schedule_node_band_get_ast_build_options(old));
}

/* The filters of the children of OLD, a set or sequence, as new ones. */
static isl_union_set_list *new_filters(struct builder *b, isl_schedule_node *old)
{
  isl_size n = isl_schedule_node_n_children(old);
  isl_union_set_list *list = isl_union_set_list_alloc(isl_schedule_node_get_ctx(old), n);
  int first = b->next;
  for (int i = 0; i < n; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(old, i);
    int last = first + count_below(child);
    list = isl_union_set_list_add(list, new_filter(b, isl_schedule_node_filter_get_filter(child), first, last));
    first = last;
    isl_schedule_node_free(child);
  }
  return list;
}

/* Build what is below child I of OLD at the leaf below child I of AT; back to AT. */
static isl_schedule_node *build_child(struct builder *b, isl_schedule_node *at, isl_schedule_node *old, int i)
{
  isl_schedule_node *child = isl_schedule_node_get_child(old, i);
  at = isl_schedule_node_child(at, i);
  enum isl_schedule_node_type type = isl_schedule_node_get_type(old);
  bool filter = type == isl_schedule_node_sequence || type == isl_schedule_node_set;
  if (filter) {
    child = isl_schedule_node_child(child, 0);
    at = isl_schedule_node_child(at, 0);
  }
  at = build(b, at, child);
  isl_schedule_node_free(child);
  return filter ? isl_schedule_node_grandparent(at) : isl_schedule_node_parent(at);
}

/* The extension OLD itself goes: below it, what it has added is there. */
static isl_schedule_node *build_extension(struct builder *b, isl_schedule_node *at, isl_schedule_node *old)
{
  isl_union_map *extension = isl_schedule_node_extension_get_extension(old);
  int first = b->next, n = isl_union_map_n_map(extension);
  isl_union_map_free(extension);
  for (int i = 0; i < n; i++)
    b->above[first + i] = true;
  b->next += n;
  isl_schedule_node *child = isl_schedule_node_get_child(old, 0);
  at = build(b, at, child);
  isl_schedule_node_free(child);
  for (int i = 0; i < n; i++)
    b->above[first + i] = false;
  return at;
}

/* A node like OLD, and all below it, at the leaf AT; the result stands at AT's place. */
static isl_schedule_node *build(struct builder *b, isl_schedule_node *at, isl_schedule_node *old)
{
  isl_size n = isl_schedule_node_n_children(old);
  switch (isl_schedule_node_get_type(old)) {
  case isl_schedule_node_leaf:
    return at;
  case isl_schedule_node_band:
    at = build_band(b, at, old);
    break;
  case isl_schedule_node_mark:
    at = isl_schedule_node_insert_mark(at, isl_schedule_node_mark_get_id(old));
    break;
  case isl_schedule_node_sequence:
    at = isl_schedule_node_insert_sequence(at, new_filters(b, old));
    break;
  case isl_schedule_node_set:
    at = isl_schedule_node_insert_set(at, new_filters(b, old));
    break;
  case isl_schedule_node_filter:
    at = isl_schedule_node_insert_filter(
        at, new_filter(b, isl_schedule_node_filter_get_filter(old), b->next, b->next + count_below(old)));
    return build_child(b, at, old, 0);
  case isl_schedule_node_context:
    at = isl_schedule_node_insert_context(at, isl_schedule_node_context_get_context(old));
    break;
  case isl_schedule_node_guard:
    at = isl_schedule_node_insert_guard(at, isl_schedule_node_guard_get_guard(old));
    break;
  case isl_schedule_node_extension:
    return build_extension(b, at, old);
  default:
    return isl_schedule_node_free(at);
  }
  for (int i = 0; i < n; i++)
    at = build_child(b, at, old, i);
  return at;
}

/* The root's domain and what X adds. */
static isl_union_set *whole_domain(isl_schedule_node *root, struct expansion *x)
{
  isl_union_set *all = isl_schedule_node_domain_get_domain(root);
  for (int i = 0; i < x->n; i++)
    all = isl_union_set_add_set(all, isl_set_copy(x->added[i].domain));
  return all;
}

static isl_schedule *rebuild(isl_schedule_node *root, struct expansion *x)
{
  struct builder b = {.x = x, .above = calloc(x->n + 1, sizeof(*b.above))};
  if (!b.above)
    return NULL;
  b.plain = isl_union_set_universe(isl_schedule_node_domain_get_domain(root));
  isl_schedule *schedule = isl_schedule_from_domain(whole_domain(root, x));
  isl_schedule_node *at = isl_schedule_node_child(isl_schedule_get_root(schedule), 0);
  isl_schedule_node *old = isl_schedule_node_get_child(root, 0);
  isl_schedule_free(schedule);
  at = build(&b, at, old);
  schedule = isl_schedule_node_get_schedule(at);
  isl_schedule_node_free(old);
  isl_schedule_node_free(at);
  isl_union_set_free(b.plain);
  free(b.above);
  return schedule;
}

/* requires: TREE begins with a domain; the tuples of its extensions have names of their own.
 * guarantees: no extension node; what was there runs in the same order.
 * on failure: NULL; an expansion node is one. */
isl_schedule *tsr_tree_expand(isl_schedule *tree)
{
  struct expansion x = {0};
  isl_schedule_node *root = isl_schedule_get_root(tree);
  isl_ctx *ctx = tree ? isl_schedule_get_ctx(tree) : NULL;
  isl_schedule_free(tree);
  if (!root)
    return NULL;
  find_statements(root, isl_union_map_empty_ctx(ctx), &x);
  if (x.failed && isl_ctx_last_error(ctx) == isl_error_none) /* else isl has given up before */
    isl_handle_error(ctx, isl_error_unsupported, "a tree with nodes that can't be expanded", __FILE__, __LINE__);
  isl_schedule *result = x.failed ? NULL : x.n == 0 ? isl_schedule_node_get_schedule(root) : rebuild(root, &x);
  expansion_clear(&x);
  isl_schedule_node_free(root);
  return result;
}
