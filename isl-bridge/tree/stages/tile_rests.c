/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is left to run behind overlapped tiles: iterations of stages that no tile has for sure, and that somebody needs. */
#include "tree/stages/overlapped_tiles.h"
#include <isl/space.h>
#include <stdlib.h>

/* { X[e] } what sure iterations of M read of ARRAY, or a little more, as tiles have it; NULL: M doesn't read it. */
static isl_set *sure_reads(struct tsr_tiles *tiles, const struct tsr_member *m, int array)
{
  isl_map *all = NULL;
  for (int s = 0; s < tiles->scop->n_stmt; s++)
    for (int k = 0; k < tiles->scop->stmts[s].n_access && m->stage->has[s]; k++) {
      const struct tsr_access *access = &tiles->scop->stmts[s].access[k];
      if (access->array != array || access->kind != TSR_READ)
        continue;
      isl_map *order = isl_map_reverse(tsr_nest_order(m->stage, tiles->scop, s));
      isl_map *read = isl_map_apply_range(order, isl_map_copy(access->relation));
      all = all ? isl_map_union(all, read) : read;
    }
  if (!all)
    return NULL;
  all = tsr_scop_tell(tiles->scop, all); /* as of footprints */
  isl_set *sure = isl_set_copy(m->producer ? m->sure : m->stage->iterations);
  return isl_set_apply(sure, isl_map_from_basic_map(isl_map_simple_hull(all)));
}

/* SET, which is taken, for parameters that there are, without saying so. */
static isl_set *without_conditions(struct tsr_tiles *tiles, __isl_take isl_set *set)
{
  set = isl_set_intersect_params(set, tsr_scop_known(tiles->scop));
  return isl_set_coalesce(isl_set_gist_params(set, tsr_scop_known(tiles->scop)));
}

/* Find what tiles run of member I for sure. What they run, box by box, is found by divisions by sizes of tiles; this isn't:
 * what is read by all iterations of the tiled stage, of stage after stage. */
static void find_sure(struct tsr_tiles *tiles, int i)
{
  struct tsr_member *m = &tiles->member[i];
  m->sure = isl_set_empty(isl_set_get_space(m->stage->iterations));
  for (int k = 0; k < m->n_product; k++)
    for (int r = 0; r < i; r++) {
      isl_set *read = sure_reads(tiles, &tiles->member[r], m->product[k].cache.array);
      if (read)
        m->sure = isl_set_union(m->sure, isl_set_apply(read, isl_map_reverse(isl_map_copy(m->product[k].writes))));
    }
  m->sure = without_conditions(tiles, isl_set_intersect(m->sure, isl_set_copy(m->stage->iterations)));
}

/* { X[e] } what rests of other members read of P, in memory */
static isl_set *rest_reads(struct tsr_tiles *tiles, const struct tsr_product *p)
{
  isl_set *read = isl_set_empty(isl_space_range(isl_map_get_space(p->writes)));
  for (int s = 0; s < tiles->scop->n_stmt; s++)
    for (int k = 0; k < tiles->scop->stmts[s].n_access; k++) {
      struct tsr_member *m = tsr_tiles_find(tiles, s);
      const struct tsr_access *access = &tiles->scop->stmts[s].access[k];
      if (access->array == p->cache.array && access->kind == TSR_READ && m && m->rest)
        read = isl_set_union(read, isl_map_range(tsr_member_rest(tiles, m, s, k)));
    }
  return isl_set_coalesce(read);
}

/* Does each iteration of M that a tile runs run in that one alone, and for sure? Then tiles may write where the original
 * does. */
static bool is_direct(const struct tsr_member *m)
{
  isl_map *sure = isl_map_intersect_range(isl_map_copy(m->runs), isl_set_copy(m->sure));
  bool direct = isl_map_is_injective(m->runs) == isl_bool_true && isl_map_is_subset(m->runs, sure) == isl_bool_true;
  isl_map_free(sure);
  return direct;
}

/* Do tiles leave nothing to run behind them, nor store anything of M, whose iterations all run in tiles if they are needed?
 * Or it is kept, and runs as it did. */
static void leave_nothing(struct tsr_member *m)
{
  m->rest = m->kept ? NULL : isl_set_empty(isl_set_get_space(m->stage->iterations));
  for (int k = 0; k < m->n_product; k++)
    m->product[k].lasting = isl_set_empty(isl_space_range(isl_map_get_space(m->product[k].writes)));
}

/* Is something that M computes read behind the SCoP? */
static bool is_live(struct tsr_tiles *tiles, const struct tsr_member *m)
{
  bool live = false;
  for (int k = 0; k < m->n_product; k++)
    live |= tsr_product_is_live(tiles, &m->product[k]);
  return live;
}

/* Find what tiles store of member I, and what runs behind them. If nobody behind the SCoP reads what it writes, tiles store
 * nothing, and the rest is what other rests need, which tiles may have had, too. Else they store what they have for sure, or
 * write it at once, and the rest is all else. */
static void find_rest(struct tsr_tiles *tiles, int i)
{
  struct tsr_member *m = &tiles->member[i];
  isl_set *needed = isl_set_empty(isl_set_get_space(m->stage->iterations));
  bool live = is_live(tiles, m), direct = live && is_direct(m);
  for (int k = 0; k < m->n_product; k++) {
    struct tsr_product *p = &m->product[k];
    isl_set *read = rest_reads(tiles, p);
    isl_set *sure = isl_set_apply(isl_set_copy(m->sure), isl_map_copy(p->writes));
    bool lives = tsr_product_is_live(tiles, p);
    p->direct = lives && direct;
    p->lasting = !live || p->direct ? isl_set_empty(isl_set_get_space(sure))
                 : lives            ? isl_set_copy(sure)
                                    : isl_set_coalesce(isl_set_intersect(isl_set_copy(read), isl_set_copy(sure)));
    isl_set_free(sure);
    needed = isl_set_union(needed, isl_set_apply(read, isl_map_reverse(isl_map_copy(p->writes))));
  }
  if (live) {
    isl_set_free(needed);
    needed = isl_set_subtract(isl_set_copy(m->stage->iterations), isl_set_copy(m->sure));
  }
  m->rest = without_conditions(tiles, needed);
}

/* The last members first. Where none computes what lives on there are no rests. */
void tsr_tiles_find_rests(struct tsr_tiles *tiles)
{
  bool any = false;
  for (int i = 1; i < tiles->n; i++)
    any |= !tiles->member[i].kept && is_live(tiles, &tiles->member[i]);
  for (int i = 1; i < tiles->n; i++) {
    if (any)
      find_sure(tiles, i);
    if (any && !tiles->member[i].kept)
      find_rest(tiles, i);
    else
      leave_nothing(&tiles->member[i]);
  }
}
