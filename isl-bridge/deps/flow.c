/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Value-based dataflow in the original order, by isl (P. Feautrier, "Dataflow analysis of array and scalar references",
 * 1991).
 *
 * For a schedule tree isl finds out how each leaf is scheduled, and analyses in terms of that. Where statements sit in plain
 * loops (leaf_positions.c) their iterators say the same: isl then only has to be told how many loops two of them share, and
 * which of them comes first there. */
#include "deps/deps.h"
#include <isl/flow.h>
#include <isl/space.h>
#include <stdlib.h>
#include <string.h>

/* One of the relations that take part. */
struct part {
  const struct tsr_positions *positions;
  isl_map *map; /* { S -> A } or { [S -> S_k[]] -> A } */
  int stmt;
  bool must, kill;
};

struct parts {
  struct tsr_scop *scop;
  const struct tsr_positions *positions;
  isl_space *space; /* all parameters */
  struct part *of;
  int n, first_source;
  isl_union_map *found;
};

/* The statement whose instances MAP { S -> A } or { [S -> S_k[]] -> A } is about. */
static int stmt_of(struct tsr_scop *scop, isl_map *map)
{
  isl_space *space = isl_space_domain(isl_map_get_space(map));
  if (isl_space_is_wrapping(space) == isl_bool_true)
    space = isl_space_domain(isl_space_unwrap(space));
  const char *name = space ? isl_space_get_tuple_name(space, isl_dim_set) : NULL; /* isl may have run out of budget */
  int stmt = name ? tsr_scop_find_stmt(scop, name) : -1;
  isl_space_free(space);
  return stmt;
}

/* What isl asks: twice the number of loops that both share, and one more if FIRST is the first in one iteration of them. */
static int level_before(void *first, void *second)
{
  const struct part *a = first, *b = second;
  return 2 * tsr_positions_shared(a->positions, a->stmt, b->stmt) +
         (tsr_positions_leaf(a->positions, a->stmt) < tsr_positions_leaf(b->positions, b->stmt));
}

/* Add those of MAPS to PARTS. False: isl must look at the tree, or failed. */
static bool add_parts(struct parts *parts, isl_union_map *maps, bool must, bool kill)
{
  isl_map_list *list = maps ? isl_union_map_get_map_list(maps) : NULL;
  isl_size n = maps ? isl_map_list_size(list) : 0;
  struct part *all = n < 0 ? NULL : realloc(parts->of, (parts->n + n + 1) * sizeof(*all));
  bool ok = all != NULL;
  parts->of = all ? all : parts->of;
  for (int i = 0; i < n && ok; i++) {
    isl_map *map = isl_map_align_params(isl_map_list_get_at(list, i), isl_space_copy(parts->space));
    int stmt = stmt_of(parts->scop, map);
    parts->of[parts->n++] = (struct part){parts->positions, map, stmt, must, kill};
    ok = stmt >= 0 && tsr_positions_are_in_order(parts->positions, stmt);
  }
  isl_map_list_free(list);
  return ok;
}

/* Add MAP { W -> R } from the part SOURCE unless that only hides others. */
static isl_stat take_dependence(isl_map *map, int must, void *source, void *user)
{
  struct parts *parts = user;
  (void)must;
  if (((struct part *)source)->kill)
    isl_map_free(map);
  else
    parts->found = isl_union_map_add_map(parts->found, map);
  return isl_stat_non_null(parts->found);
}

static isl_stat find_sources(struct parts *parts, struct part *sink)
{
  const char *array = isl_map_get_tuple_name(sink->map, isl_dim_out);
  int n = parts->n - parts->first_source;
  isl_access_info *info = isl_access_info_alloc(isl_map_copy(sink->map), sink, level_before, n);
  bool any = false;
  for (int i = parts->first_source; i < parts->n; i++) {
    struct part *source = &parts->of[i];
    if (strcmp(isl_map_get_tuple_name(source->map, isl_dim_out), array))
      continue;
    info = isl_access_info_add_source(info, isl_map_copy(source->map), source->must, source);
    any = true;
  }
  if (!any) {
    isl_access_info_free(info);
    return isl_stat_ok;
  }
  isl_flow *flow = isl_access_info_compute_flow(info);
  isl_stat ok = flow ? isl_flow_foreach(flow, take_dependence, parts) : isl_stat_error;
  isl_flow_free(flow);
  return ok;
}

static isl_stat add_in_front(isl_basic_map *piece, void *user)
{
  isl_map **all = user;
  *all = isl_map_union(isl_map_from_basic_map(piece), *all);
  return isl_stat_non_null(*all);
}

/* Add MAP, its pieces in opposite order. */
static isl_stat add_turned(isl_map *map, void *user)
{
  isl_union_map **all = user;
  isl_map *turned = isl_map_empty(isl_map_get_space(map));
  isl_stat ok = isl_map_foreach_basic_map(map, add_in_front, &turned);
  isl_map_free(map);
  *all = isl_union_map_add_map(*all, turned);
  return ok;
}

/* What coalescing makes of pieces depends on their order. Reads of neighbours, A[i - 1], A[i], A[i + 1], become the same
 * piece for flow, where isl finds the last one first, and for anti dependences if one of them is turned; else their union,
 * which a scheduler gets, has several times the pieces (lit/stencil-heat-3d.c). */
static isl_union_map *turn(__isl_take isl_union_map *maps)
{
  isl_union_map *all = isl_union_map_empty(isl_union_map_get_space(maps));
  if (isl_union_map_foreach_map(maps, add_turned, &all) < 0)
    all = isl_union_map_free(all);
  isl_union_map_free(maps);
  return all;
}

/* By what POSITIONS say. False: they don't say enough. */
static bool flow_by_seats(struct tsr_scop *scop, const struct tsr_positions *positions, const struct tsr_flow *flow,
                          isl_union_map **result)
{
  isl_union_map *const all[] = {flow->sinks, flow->must, flow->may, flow->kills};
  struct parts parts = {.scop = scop, .positions = positions, .space = isl_union_map_get_space(flow->sinks)};
  for (int i = 1; i < 4; i++)
    if (all[i])
      parts.space = isl_space_align_params(parts.space, isl_union_map_get_space(all[i]));
  bool ok = true;
  for (int i = 0; i < 4 && ok; i++) {
    ok = add_parts(&parts, all[i], i == 1 || i == 3, i == 3);
    parts.first_source = i ? parts.first_source : parts.n;
  }
  parts.found = ok ? isl_union_map_empty(isl_space_copy(parts.space)) : NULL;
  isl_stat found = isl_stat_ok;
  for (int i = 0; i < parts.first_source && ok && found == isl_stat_ok; i++)
    found = find_sources(&parts, &parts.of[i]);
  for (int i = 0; i < parts.n; i++)
    isl_map_free(parts.of[i].map);
  free(parts.of);
  isl_space_free(parts.space);
  if (found < 0)
    parts.found = isl_union_map_free(parts.found);
  *result = parts.found && flow->must ? turn(parts.found) : parts.found;
  return ok;
}

static isl_union_map *flow_by_tree(struct tsr_scop *scop, const struct tsr_flow *flow)
{
  isl_union_map *const all[] = {flow->sinks, flow->must, flow->may, flow->kills};
  isl_union_set *touched = isl_union_set_empty_ctx(scop->ctx);
  for (int i = 0; i < 4; i++)
    if (all[i])
      touched = isl_union_set_union(touched, isl_union_map_domain(isl_union_map_copy(all[i])));
  isl_schedule *schedule;
  if (flow->tagged) {
    isl_union_pw_multi_aff *tags = isl_union_map_domain_map_union_pw_multi_aff(isl_union_set_unwrap(touched));
    touched = isl_union_pw_multi_aff_domain(isl_union_pw_multi_aff_copy(tags));
    isl_union_set *plain = isl_union_map_domain(isl_union_set_unwrap(touched));
    schedule = isl_schedule_pullback_union_pw_multi_aff(tsr_scop_part_schedule(scop, plain), tags);
  } else {
    schedule = tsr_scop_part_schedule(scop, touched);
  }
  isl_union_access_info *info = isl_union_access_info_from_sink(isl_union_map_copy(flow->sinks));
  if (flow->must)
    info = isl_union_access_info_set_must_source(info, isl_union_map_copy(flow->must));
  if (flow->may)
    info = isl_union_access_info_set_may_source(info, isl_union_map_copy(flow->may));
  if (flow->kills)
    info = isl_union_access_info_set_kill(info, isl_union_map_copy(flow->kills));
  isl_union_flow *computed = isl_union_access_info_compute_flow(isl_union_access_info_set_schedule(info, schedule));
  isl_union_map *result = isl_union_flow_get_may_dependence(computed);
  isl_union_flow_free(computed);
  return result;
}

isl_union_map *tsr_scop_flow(struct tsr_scop *scop, const struct tsr_positions *positions, struct tsr_flow flow)
{
  isl_union_map *result = NULL;
  if (!positions || !flow_by_seats(scop, positions, &flow, &result))
    result = flow_by_tree(scop, &flow);
  isl_union_map *const all[] = {flow.sinks, flow.must, flow.may, flow.kills};
  for (int i = 0; i < 4; i++)
    isl_union_map_free(all[i]);
  return isl_union_map_coalesce(result);
}
