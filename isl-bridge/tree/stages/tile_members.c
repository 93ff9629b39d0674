/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Questions about what is in overlapped tiles: members, what they run and read, and their products. */
#include "tree/stages/overlapped_tiles.h"
#include <isl/space.h>
#include <stdlib.h>

struct tsr_member *tsr_tiles_find(struct tsr_tiles *tiles, int stmt)
{
  for (int i = 0; i < tiles->n; i++)
    if (tiles->member[i].stage->has[stmt])
      return &tiles->member[i];
  return NULL;
}

isl_map *tsr_member_runs(struct tsr_tiles *tiles, const struct tsr_member *m, int number)
{
  isl_map *order = tsr_nest_order(m->stage, tiles->scop, number);
  return isl_map_apply_range(isl_map_copy(m->runs), isl_map_reverse(order));
}

isl_map *tsr_tiles_footprint(struct tsr_tiles *tiles, int array, const struct tsr_nest *own, bool exact)
{
  isl_map *all = NULL;
  for (int s = 0; s < tiles->scop->n_stmt; s++)
    for (int k = 0; k < tiles->scop->stmts[s].n_access; k++) {
      struct tsr_stmt *stmt = &tiles->scop->stmts[s];
      struct tsr_member *member = tsr_tiles_find(tiles, s);
      if (stmt->access[k].array != array || stmt->access[k].kind != TSR_READ || own->has[s] || !member)
        continue;
      isl_map *read = isl_map_apply_range(tsr_member_runs(tiles, member, s), isl_map_copy(stmt->access[k].relation));
      all = all ? isl_map_union(all, read) : read;
    }
  if (!all)
    return NULL;
  /* at borders that are clamped a hull needs to know how sizes go together */
  all = tsr_scop_tell(tiles->scop, all);
  return exact ? isl_map_coalesce(all) : isl_map_from_basic_map(isl_map_simple_hull(all));
}

struct tsr_product *tsr_tiles_product(struct tsr_tiles *tiles, int array)
{
  for (int i = 0; i < tiles->n; i++)
    for (int k = 0; k < tiles->member[i].n_product; k++)
      if (tiles->member[i].product[k].cache.array == array && !tiles->member[i].product[k].again)
        return &tiles->member[i].product[k];
  return NULL;
}

isl_set *tsr_tiles_written(struct tsr_tiles *tiles, int array)
{
  isl_set *all = NULL;
  for (int i = 0; i < tiles->n; i++)
    for (int k = 0; k < tiles->member[i].n_product; k++)
      if (tiles->member[i].product[k].cache.array == array) {
        isl_set *own = isl_map_range(isl_map_copy(tiles->member[i].product[k].writes));
        all = all ? isl_set_union(all, own) : own;
      }
  return all;
}

isl_map *tsr_member_rest(struct tsr_tiles *tiles, const struct tsr_member *m, int number, int k)
{
  isl_map *order = isl_map_intersect_range(tsr_nest_order(m->stage, tiles->scop, number), isl_set_copy(m->rest));
  isl_map *relation = isl_map_copy(tiles->scop->stmts[number].access[k].relation);
  return isl_map_intersect_domain(relation, isl_map_domain(order));
}

bool tsr_map_reaches_beyond(isl_map *map, isl_set *set)
{
  isl_set *all = map ? isl_map_range(isl_map_copy(map)) : NULL;
  bool beyond = all && isl_set_is_subset(all, set) == isl_bool_false;
  isl_set_free(all);
  return beyond;
}
