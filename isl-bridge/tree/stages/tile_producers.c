/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which stages are computed in overlapped tiles: who reads them, and what that saves.
 *
 *   G: X = .. in ..,  H: Y = .. X ..,  C: .. X ..
 *
 * In tiles of C alone, H reads X from memory, and G is kept. To compute it twice is worth it where it reads little, of
 * arrays that the tiles read anyway, and computes little: if H has it in tiles of its own, nobody stores X any more. */
#include "access/access.h"
#include "model/thresholds.h"
#include "tree/stages/overlapped_tiles.h"
#include <isl/space.h>
#include <stdlib.h>

/* ---- readers ------------------------------------------------------------------------------------------------- */

/* Has STMT instances? Those of stages that run in tiles alone have none. */
static bool has_instances(const struct tsr_stmt *stmt)
{
  return isl_set_plain_is_empty(stmt->domain) == isl_bool_false;
}

/* Does statement NUMBER, of the program, come behind the tiled stage, in the original order? */
static bool is_behind(struct tsr_tiles *tiles, int number)
{
  const struct tsr_program *program = tiles->program;
  int own = tsr_stmt_original(program, &tiles->scop->stmts[number]);
  bool behind = own >= 0;
  for (int s = 0; s < tiles->scop->n_stmt && behind; s++)
    behind = !tiles->member[0].stage->has[s] || tsr_stmt_original(program, &tiles->scop->stmts[s]) < own;
  return behind;
}

/* { X[e] } that the tiled stage writes of ARRAY; NULL: nothing. */
static isl_set *tiled_writes(struct tsr_tiles *tiles, int array)
{
  isl_set *all = NULL;
  for (int s = 0; s < tiles->scop->n_stmt; s++)
    for (int k = 0; k < tiles->scop->stmts[s].n_access && tiles->member[0].stage->has[s]; k++) {
      const struct tsr_stmt *stmt = &tiles->scop->stmts[s];
      if (stmt->access[k].array != array || stmt->access[k].kind != TSR_MUST_WRITE)
        continue;
      isl_set *own = isl_set_apply(isl_set_copy(stmt->domain), isl_map_copy(stmt->access[k].relation));
      all = all ? isl_set_union(all, own) : own;
    }
  return all;
}

/* Are ELEMENTS of ARRAY, which are taken, overwritten by the tiled stage? */
static bool is_overwritten(struct tsr_tiles *tiles, int array, __isl_take isl_set *elements)
{
  isl_set *own = tiled_writes(tiles, array);
  bool is = own && isl_set_is_subset(elements, own) == isl_bool_true;
  isl_set_free(own);
  isl_set_free(elements);
  return is;
}

/* Does access K of statement NUMBER read only what the tiled stage has written before? */
static bool reads_tiled(struct tsr_tiles *tiles, int number, int k)
{
  const struct tsr_stmt *stmt = &tiles->scop->stmts[number];
  isl_set *read = isl_set_apply(isl_set_copy(stmt->domain), isl_map_copy(stmt->access[k].relation));
  bool is = is_overwritten(tiles, stmt->access[k].array, read);
  return is && is_behind(tiles, number);
}

/* { X[e] } that STAGE reads, or writes, of ARRAY; NULL: nothing. */
static isl_set *touched(struct tsr_tiles *tiles, const struct tsr_nest *stage, int array, bool reads)
{
  isl_set *all = NULL;
  for (int s = 0; s < tiles->scop->n_stmt; s++)
    for (int k = 0; k < tiles->scop->stmts[s].n_access && stage->has[s]; k++) {
      const struct tsr_stmt *stmt = &tiles->scop->stmts[s];
      if (stmt->access[k].array != array || (stmt->access[k].kind == TSR_READ) != reads)
        continue;
      isl_set *own = isl_set_apply(isl_set_copy(stmt->domain), isl_map_copy(stmt->access[k].relation));
      all = all ? isl_set_union(all, own) : own;
    }
  return all;
}

/* Does access K of statement NUMBER, a move into a buffer, read nothing that STAGE writes? Tiles move what is beyond that,
 * for parameters for which there is something. */
static bool moves_others(struct tsr_tiles *tiles, const struct tsr_nest *stage, int number, int k)
{
  const struct tsr_stmt *stmt = &tiles->scop->stmts[number];
  if (stmt->kind != TSR_STMT_MOVE)
    return false;
  isl_set *read = isl_set_apply(isl_set_copy(stmt->domain), isl_map_copy(stmt->access[k].relation));
  isl_set *written = touched(tiles, stage, stmt->access[k].array, false);
  bool apart = written && isl_set_is_disjoint(read, written) == isl_bool_true;
  isl_set_free(read);
  isl_set_free(written);
  return apart;
}

/* Who reads what STAGE writes to ARRAY, but that itself? */
struct readers {
  bool inside, outside;
};

static struct readers find_readers(struct tsr_tiles *tiles, const struct tsr_nest *stage, int array)
{
  struct readers readers = {false, false};
  for (int s = 0; s < tiles->scop->n_stmt; s++)
    for (int k = 0; k < tiles->scop->stmts[s].n_access && !stage->has[s]; k++) {
      const struct tsr_access *access = &tiles->scop->stmts[s].access[k];
      const struct tsr_member *reader = tsr_tiles_find(tiles, s);
      if (access->array != array || access->kind != TSR_READ || !has_instances(&tiles->scop->stmts[s]) ||
          moves_others(tiles, stage, s, k))
        continue;
      readers.inside |= reader != NULL;
      readers.outside |= reader ? reader->kept : !reads_tiled(tiles, s, k);
    }
  return readers;
}

/* ---- what it saves -------------------------------------------------------------------------------------------- */

/* Does a member of the tiles read ARRAY? */
static bool is_read(struct tsr_tiles *tiles, int array)
{
  bool read = false;
  for (int s = 0; s < tiles->scop->n_stmt && !read; s++)
    for (int k = 0; k < tiles->scop->stmts[s].n_access && !read && tsr_tiles_find(tiles, s); k++)
      read = tiles->scop->stmts[s].access[k].array == array && tiles->scop->stmts[s].access[k].kind == TSR_READ;
  return read;
}

/* Bytes of ELEMENTS, which are taken, of ARRAY. */
static double bytes_of(struct tsr_tiles *tiles, int array, __isl_take isl_set *elements)
{
  double bytes = elements ? tsr_set_points(tiles->scop, elements) * tiles->scop->arrays[array].elem_size : 0;
  isl_set_free(elements);
  return bytes;
}

/* Cycles to issue all of STMT, in vectors where it can be, or only LLVM may make some, with gathers say. */
static double work_of(struct tsr_tiles *tiles, const struct tsr_stmt *stmt)
{
  const struct tsr_machine *machine = &tiles->scop->machine;
  double lanes = stmt->vector_bytes ? machine->vector_bytes / stmt->vector_bytes : 1;
  for (int k = 0; k < stmt->n_access && !stmt->vector_bytes && !stmt->one_thread; k++)
    if (stmt->access[k].kind == TSR_MUST_WRITE)
      lanes = machine->vector_bytes / tiles->scop->arrays[stmt->access[k].array].elem_size / LANES_OF_OTHERS;
  return tsr_stmt_instances(tiles->scop, stmt) * tsr_issue_alone(stmt) / (lanes > 1 ? lanes : 1);
}

/* Is it worth computing STAGE again? That reads no more from memory, of arrays that the tiles don't read anyway, than what
 * it writes would be; and computes, in vectors at best, for no longer than what it writes takes to cross memory. What is
 * read behind the SCoP is stored in any case. */
static bool is_cheap(struct tsr_tiles *tiles, const struct tsr_nest *stage)
{
  const struct tsr_machine *machine = &tiles->scop->machine;
  const struct tsr_cache *last = &machine->cache[machine->n_cache - 1];
  double read = 0, written = 0, crossing = 0, work = 0;
  for (int a = 0; a < tiles->scop->n_array; a++) {
    isl_set *own = touched(tiles, stage, a, false);
    if (!own && !is_read(tiles, a))
      read += bytes_of(tiles, a, touched(tiles, stage, a, true));
    double bytes = bytes_of(tiles, a, own);
    written += bytes;
    crossing += bytes * (tiles->scop->arrays[a].live_out ? 1 : CROSSINGS);
  }
  for (int s = 0; s < tiles->scop->n_stmt; s++)
    work += stage->has[s] ? work_of(tiles, &tiles->scop->stmts[s]) : 0;
  return read <= written && work <= crossing * last->next_line / last->line;
}

bool tsr_tiles_want(struct tsr_tiles *tiles, struct tsr_member *m, const bool *written)
{
  bool any = false, good = true;
  for (int a = 0; a < tiles->scop->n_array && good; a++) {
    struct readers readers = {false, false};
    if (written[a])
      readers = find_readers(tiles, m->stage, a);
    any |= readers.inside;
    m->kept |= readers.outside;
    good = (readers.inside || !readers.outside) && !(written[a] && tiles->banned[a]);
  }
  return any && good && (!m->kept || is_cheap(tiles, m->stage));
}

/* ---- arrays that several stages write ------------------------------------------------------------------------ */

bool tsr_product_is_live(struct tsr_tiles *tiles, const struct tsr_product *p)
{
  return tiles->scop->arrays[p->cache.array].live_out &&
         !is_overwritten(tiles, p->cache.array, isl_map_range(isl_map_copy(p->writes)));
}

/* Does no statement of the tiled stage read of ARRAY what one in front of it writes? Reads are of what was there before. */
static bool reads_before(struct tsr_tiles *tiles, int array)
{
  bool written = false, good = true;
  for (int s = 0; s < tiles->scop->n_stmt && good; s++) {
    const struct tsr_stmt *stmt = &tiles->scop->stmts[s];
    bool writes = false;
    for (int k = 0; k < stmt->n_access && tiles->member[0].stage->has[s] && good; k++) {
      bool is = stmt->access[k].array == array;
      good = !is || stmt->access[k].kind != TSR_READ || !written;
      writes |= is && stmt->access[k].kind != TSR_READ;
    }
    written |= writes;
  }
  return good;
}

/* Do tiles compute P, which M has and others write besides, for themselves alone, as all those that write it? */
static bool is_whole(struct tsr_tiles *tiles, const struct tsr_member *m, const struct tsr_product *p)
{
  bool good = reads_before(tiles, p->cache.array);
  good = good && (m->kept || (!tsr_product_is_live(tiles, p) && isl_set_is_empty(m->rest) == isl_bool_true &&
                              isl_set_is_empty(p->lasting) == isl_bool_true));
  for (int s = 0; s < tiles->scop->n_stmt && good; s++)
    for (int k = 0; k < tiles->scop->stmts[s].n_access && good; k++) {
      const struct tsr_access *access = &tiles->scop->stmts[s].access[k];
      const struct tsr_member *writer = tsr_tiles_find(tiles, s);
      if (access->array == p->cache.array && access->kind != TSR_READ && has_instances(&tiles->scop->stmts[s]))
        good = writer && (!writer->producer || writer->kept == m->kept);
    }
  return good;
}

/* { [b] -> X[e] } that statement NUMBER of STAGE reads, or writes, of ARRAY; NULL: nothing. */
static isl_map *touches(struct tsr_tiles *tiles, const struct tsr_nest *stage, int number, int array, bool reads)
{
  const struct tsr_stmt *stmt = &tiles->scop->stmts[number];
  isl_map *all = NULL;
  for (int k = 0; k < stmt->n_access; k++) {
    if (stmt->access[k].array != array || (stmt->access[k].kind == TSR_READ) != reads)
      continue;
    isl_map *order = isl_map_reverse(tsr_nest_order(stage, tiles->scop, number));
    isl_map *own = isl_map_apply_range(order, isl_map_copy(stmt->access[k].relation));
    all = all ? isl_map_union(all, own) : own;
  }
  return all;
}

/* Does M, the first in the tiles that writes P's array, read there what no statement in front has written in the same
 * iteration? What was there before it is in no buffer. */
static bool is_exposed(struct tsr_tiles *tiles, const struct tsr_member *m, const struct tsr_product *p)
{
  bool exposed = false;
  isl_map *written = NULL;
  for (int s = 0; s < tiles->scop->n_stmt && !exposed && !p->again; s++) {
    if (!m->stage->has[s])
      continue;
    isl_map *read = touches(tiles, m->stage, s, p->cache.array, true);
    exposed = read && !(written && isl_map_is_subset(read, written) == isl_bool_true);
    isl_map_free(read);
    isl_map *own = touches(tiles, m->stage, s, p->cache.array, false);
    written = written && own ? isl_map_union(written, own) : own ? own : written;
  }
  isl_map_free(written);
  return exposed;
}

/* Does a statement write P's array that isn't of M's stage? */
static bool is_shared(struct tsr_tiles *tiles, const struct tsr_member *m, const struct tsr_product *p)
{
  for (int s = 0; s < tiles->scop->n_stmt; s++)
    for (int k = 0; k < tiles->scop->stmts[s].n_access && !m->stage->has[s]; k++) {
      const struct tsr_access *access = &tiles->scop->stmts[s].access[k];
      if (access->array == p->cache.array && access->kind != TSR_READ && has_instances(&tiles->scop->stmts[s]))
        return true;
    }
  return false;
}

bool tsr_tiles_are_whole(struct tsr_tiles *tiles)
{
  bool whole = true;
  for (int i = 1; i < tiles->n; i++)
    for (int k = 0; k < tiles->member[i].n_product; k++) {
      const struct tsr_product *p = &tiles->member[i].product[k];
      bool shared = is_shared(tiles, &tiles->member[i], p);
      if (!is_exposed(tiles, &tiles->member[i], p) && (!shared || is_whole(tiles, &tiles->member[i], p)))
        continue;
      tiles->banned[p->cache.array] = true;
      whole = false;
    }
  return whole;
}
