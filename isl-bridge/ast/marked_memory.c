/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where values are while marked parts of an AST run: not in memory alone.
 *
 *   parallel    of scalars that are written nothing is left to the next iteration, nor behind the loop
 *   doacross    scalars as there
 *   lockstep    a copy of each scalar for each lane, which goes with the loop
 *   registers   what a point of the tile writes is in a register, which is loaded when the point is first used and stored
 *               when the tile ends, to the element that it was loaded from
 *
 * What is not there is some number that nothing else has: who reads it has another result. */
#include "ast/symbolic.h"
#include "support/message.h"
#include <stdlib.h>
#include <string.h>

/* A value that is none. */
static uint64_t poison(long element, long salt)
{
  return tsr_hash_mix((uint64_t)element, 0x9e3779b97f4a7c15u + (uint64_t)salt);
}

static struct cell_state cell_of(const struct interp *in, long i)
{
  return (struct cell_state){in->memory[i], in->writer[i], in->undefined[i]};
}

static void set_cell(struct interp *in, long i, struct cell_state cell)
{
  in->memory[i] = cell.memory;
  in->writer[i] = cell.writer;
  in->undefined[i] = cell.undefined;
}

/* ---- scalars ---- */

/* What the iterations up to here of an open loop have left in scalars is lost. */
static void lose_scalars(struct interp *in)
{
  struct scalars *scalars = &in->scalars;
  for (int i = 0; i < scalars->n; i++)
    if (scalars->written[i])
      set_cell(in, scalars->element[i], (struct cell_state){poison(scalars->element[i], ++scalars->salt), -1, false});
}

/* Each of N lanes has copies of all scalars. False: no memory. */
static bool lanes_begin(struct interp *in, int n)
{
  struct scalars *scalars = &in->scalars;
  free(scalars->copy);
  scalars->copy = calloc((size_t)n * scalars->n + 1, sizeof(*scalars->copy));
  for (int k = 0; scalars->copy && k < n * scalars->n; k++)
    scalars->copy[k] = cell_of(in, scalars->element[k % scalars->n]);
  return scalars->copy != NULL;
}

static void lanes_end(struct interp *in)
{
  free(in->scalars.copy);
  in->scalars.copy = NULL;
  lose_scalars(in);
}

/* Which scalar is ELEMENT? -1: none. */
static int scalar_of(const struct interp *in, long element)
{
  int n = in->scop->arrays[in->elements.tuple[element].tag].kind == TSR_ARRAY_SCALAR ? in->scalars.n : 0;
  for (int i = 0; i < n; i++)
    if (in->scalars.element[i] == element)
      return i;
  return -1;
}

/* ---- loops ---- */

void tsr_marked_begin(struct interp *in, enum tsr_loop_mark loop, const struct tsr_mark *mark)
{
  in->marked[loop].execution++;
  if (loop != TSR_LOOP_VECTOR)
    memset(in->scalars.written, 0, in->scalars.n * sizeof(*in->scalars.written));
  if (loop == TSR_LOOP_LOCKSTEP && !lanes_begin(in, mark->lockstep.vectors * mark->lockstep.lanes))
    tsr_symbolic_fail(in, isl_error_alloc, "no memory for lanes");
}

/* Do iterations of LOOP keep what they leave in scalars to themselves? */
static bool keeps_scalars(enum tsr_loop_mark loop)
{
  return loop == TSR_LOOP_PARALLEL || loop == TSR_LOOP_DOACROSS || loop == TSR_LOOP_THREADS;
}

void tsr_marked_iteration(struct interp *in, enum tsr_loop_mark loop, int64_t iterator)
{
  in->marked[loop].open = true;
  in->marked[loop].iteration = iterator;
  if (keeps_scalars(loop))
    lose_scalars(in);
}

void tsr_marked_end(struct interp *in, enum tsr_loop_mark loop)
{
  in->marked[loop].open = false;
  if (keeps_scalars(loop))
    lose_scalars(in);
  if (loop == TSR_LOOP_LOCKSTEP)
    lanes_end(in);
}

/* ---- register tiles ---- */

/* The write that STMT keeps in a register; NULL: it has none. */
static const struct tsr_access *held_write(const struct tsr_stmt *stmt)
{
  for (int k = 0; k < stmt->n_access; k++)
    if (stmt->access[k].kind != TSR_READ)
      return &stmt->access[k];
  return NULL;
}

/* Is access K of STMT to what its write keeps in a register? */
static bool is_held(const struct tsr_stmt *stmt, int k)
{
  const struct tsr_access *write = held_write(stmt), *access = &stmt->access[k];
  return write && access->array == write->array &&
         isl_map_plain_is_equal(access->relation, write->relation) == isl_bool_true;
}

/* The register of POINT, which is loaded from ELEMENT if it is new; NULL: no memory. */
static struct held *held_at(struct interp *in, uint64_t point, long element)
{
  struct tile *tile = &in->tile;
  for (int i = 0; i < tile->n; i++)
    if (tile->held[i].point == point)
      return &tile->held[i];
  if (tile->n == tile->room) {
    int room = 2 * tile->room + 16;
    struct held *grown = realloc(tile->held, room * sizeof(*grown));
    if (!grown)
      return NULL;
    tile->held = grown;
    tile->room = room;
  }
  tile->held[tile->n] = (struct held){point, element, cell_of(in, element), false};
  return &tile->held[tile->n++];
}

/* ---- all of it ---- */

isl_stat tsr_marked_init(struct interp *in)
{
  long n = in->elements.n_tuple;
  struct scalars *scalars = &in->scalars;
  for (int i = 0; i < TSR_N_LOOP_MARK; i++)
    in->marked[i].touch = calloc(n + 1, sizeof(struct touch));
  int n_scalar = 0;
  for (long i = 0; i < n; i++)
    n_scalar += in->scop->arrays[in->elements.tuple[i].tag].kind == TSR_ARRAY_SCALAR;
  scalars->element = calloc((size_t)n_scalar + 1, sizeof(*scalars->element));
  scalars->written = calloc((size_t)n_scalar + 1, sizeof(*scalars->written));
  bool good = scalars->element && scalars->written;
  for (int i = 0; i < TSR_N_LOOP_MARK; i++)
    good &= in->marked[i].touch != NULL;
  for (long i = 0; i < n && good; i++)
    if (in->scop->arrays[in->elements.tuple[i].tag].kind == TSR_ARRAY_SCALAR)
      scalars->element[scalars->n++] = i;
  return good ? isl_stat_ok : isl_stat_error;
}

void tsr_marked_clear(struct interp *in)
{
  free(in->scalars.element);
  free(in->scalars.written);
  free(in->scalars.copy);
  free(in->tile.held);
  for (int i = 0; i < TSR_N_LOOP_MARK; i++)
    free(in->marked[i].touch);
}

void tsr_marked_tile(struct interp *in, bool open)
{
  struct tile *tile = &in->tile;
  for (int i = 0; i < tile->n && !open; i++)
    if (tile->held[i].written)
      set_cell(in, tile->held[i].element, tile->held[i].state);
  tile->n = 0;
  tile->open = open;
}

struct place tsr_marked_place(struct interp *in, const struct tsr_stmt *stmt, int k, long element,
                              const struct position *position)
{
  bool write = stmt->access[k].kind != TSR_READ;
  int scalar = scalar_of(in, element);
  if (scalar >= 0) {
    in->scalars.written[scalar] |= write;
    if (in->scalars.copy) {
      struct cell_state *copy = &in->scalars.copy[position->lane * in->scalars.n + scalar];
      return (struct place){&copy->memory, &copy->writer, &copy->undefined};
    }
  }
  struct held *held = in->tile.open && position->in_tile && is_held(stmt, k) ? held_at(in, position->point, element) : NULL;
  if (held) {
    held->written |= write;
    return (struct place){&held->state.memory, &held->state.writer, &held->state.undefined};
  }
  return (struct place){&in->memory[element], &in->writer[element], &in->undefined[element]};
}
