/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fusion after tiling (J. Zhao and P. Di, MICRO 2020, Algorithms 1 and 2): the nest behind others is tiled, what each of its
 * tiles reads of them is computed in front of it, into buffers of the tile's size.
 *
 *   seq(G: X[..] = .. in .., H: Y[..] = .. X .., B - C: .. Y ..)
 *   ->
 *   B(t) - mark "allocate P, Q" - E - seq(G_at(t, b), H_at(t, b), B(b) - C')
 *
 * A stage is a nest: all statements below an outermost band, of which the iterations are called b here.
 *
 * N(t) { [t] -> [b] }    the extension schedule of a stage: a box around the iterations that write what the tile t reads, of
 *                        those that there are. Box by box, from C back to the first producer: exact footprints of chains of
 *                        stages have many pieces, and cost more to find than the corners of a box cost to compute
 * G_at(t, b)             from the corner of N(t) on: loops begin at 0
 * F(t) { [t] -> X[e] }   what is read of X in tile t; P is a box around it, of constant size
 * In, Out                moves into a buffer of what G doesn't write of F(t), and out of it of what must be in X itself,
 *                        which what nobody reads behind the SCoP needn't. Where no two tiles run the same of G, that is
 *                        written to X at once, without a buffer
 *
 * A stage is taken into the tile if all that read its results are there, it may be computed again, and, unless tiles of some
 * size are asked for, these compute no more than MOST_OVERLAP times its iterations, and the buffers fit into the cache. One
 * that others read, too, is if to compute it costs less than to read what it has written: it runs by itself as well, unless
 * those others take it into tiles of their own. Of several stages that write one array all are taken, or none. What isn't
 * may be the last of some stages in its turn. */
#include "model/thresholds.h"
#include "support/message.h"
#include "tree/stages/overlapped_tiles.h"
#include <isl/fixed_box.h>
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void member_clear(struct tsr_member *m)
{
  isl_map_free(m->runs);
  isl_multi_aff_free(m->corner);
  isl_set_free(m->sure);
  isl_set_free(m->rest);
  for (int i = 0; i < m->n_product; i++) {
    tsr_cache_clear(&m->product[i].cache);
    isl_map_free(m->product[i].writes);
    isl_map_free(m->product[i].to_buffer);
    isl_set_free(m->product[i].lasting);
  }
  free(m->product);
}

static void tiles_clear(struct tsr_tiles *tiles)
{
  for (int i = 0; i < tiles->n; i++)
    member_clear(&tiles->member[i]);
  free(tiles->member);
  isl_set_free(tiles->times);
  tiles->member = NULL;
  tiles->n = 0;
  tiles->times = NULL;
  tiles->bytes = 0;
  tiles->large = false;
}

static struct tsr_member *add_member(struct tsr_tiles *tiles, const struct tsr_member *m)
{
  struct tsr_member *more = realloc(tiles->member, (tiles->n + 1) * sizeof(*more));
  if (!more)
    return NULL;
  tiles->member = more;
  tiles->member[tiles->n] = *m;
  return &tiles->member[tiles->n++];
}

/* ---- which stages -------------------------------------------------------------------------------------------- */

/* The constant extent of dimension D of MAP's range, and its corner { [t] -> [m] }. False: there is none. */
static bool find_extent(isl_map *map, int d, isl_aff **corner, double *extent)
{
  isl_size n = isl_map_dim(map, isl_dim_out);
  isl_map *one = isl_map_project_out(isl_map_copy(map), isl_dim_out, d + 1, n - d - 1);
  one = isl_map_project_out(one, isl_dim_out, 0, d);
  isl_fixed_box *fixed = isl_map_get_range_simple_fixed_box_hull(one);
  bool valid = isl_fixed_box_is_valid(fixed) == isl_bool_true;
  if (valid) {
    isl_multi_val *size = isl_fixed_box_get_size(fixed);
    isl_multi_aff *offset = isl_fixed_box_get_offset(fixed);
    isl_val *value = isl_multi_val_get_at(size, 0);
    valid = isl_val_is_int(value) == isl_bool_true && isl_val_cmp_si(value, INT32_MAX) < 0;
    *extent = valid ? isl_val_get_d(value) : 0;
    *corner = valid ? isl_multi_aff_get_at(offset, 0) : NULL;
    isl_val_free(value);
    isl_multi_val_free(size);
    isl_multi_aff_free(offset);
  }
  isl_fixed_box_free(fixed);
  isl_map_free(one);
  return valid;
}

/* MAP { [t] -> [b] } where b is from CORNER { [t] -> [m] } on within EXTENT in dimension D. */
static isl_map *bound(__isl_take isl_map *map, int d, isl_aff *corner, double extent)
{
  isl_multi_aff *times = isl_multi_aff_domain_map(isl_map_get_space(map));
  isl_aff *first = isl_aff_pullback_multi_aff(isl_aff_copy(corner), times);
  isl_space *pairs = isl_space_wrap(isl_map_get_space(map));
  unsigned at = isl_map_dim(map, isl_dim_in) + d;
  isl_aff *i = isl_aff_var_on_domain(isl_local_space_from_space(pairs), isl_dim_set, at);
  isl_aff *last = isl_aff_add_constant_si(isl_aff_copy(first), (int)extent - 1);
  isl_set *box = isl_set_from_basic_set(isl_aff_ge_basic_set(isl_aff_copy(i), first));
  box = isl_set_intersect(box, isl_set_from_basic_set(isl_aff_le_basic_set(i, last)));
  return isl_map_intersect(map, isl_set_unwrap(box));
}

/* N(t) and its corner, around NEEDED { [t] -> [b] }. *VOLUME: iterations of a full tile; 0: it isn't known. */
static bool find_box(struct tsr_tiles *tiles, struct tsr_member *m, isl_map *needed, double *volume)
{
  isl_size n = isl_map_dim(needed, isl_dim_out);
  if (n < 0 || isl_map_is_empty(needed) != isl_bool_false)
    return false;
  m->runs = isl_map_from_domain_and_range(isl_set_copy(tiles->times), isl_set_copy(m->stage->iterations));
  m->runs = isl_map_align_params(m->runs, isl_map_get_space(needed));
  isl_map *aligned = isl_map_align_params(isl_map_copy(needed), isl_map_get_space(m->runs));
  m->corner = isl_multi_aff_zero(isl_map_get_space(aligned));
  *volume = 1;
  for (int d = 0; d < n; d++) {
    isl_aff *corner;
    double extent = 0;
    bool valid = find_extent(aligned, d, &corner, &extent);
    *volume *= extent;
    if (!valid)
      continue;
    m->runs = bound(m->runs, d, corner, extent);
    m->corner = isl_multi_aff_set_at(m->corner, d, corner);
  }
  isl_map_free(aligned);
  return m->runs && m->corner;
}

/* The box of the buffer for P, which is around that of OTHER, NULL allowed, of the same array, too; and its bytes. False: it
 * isn't of constant size. */
static bool find_buffer(struct tsr_member *m, struct tsr_product *p, const struct tsr_product *other, int elem_size,
                        double *bytes)
{
  char *why = NULL;
  p->cache.written = isl_map_apply_range(isl_map_copy(m->runs), isl_map_copy(p->writes));
  if (other)
    p->cache.written = isl_map_coalesce(isl_map_union(p->cache.written, isl_map_copy(other->cache.written)));
  p->cache.why = &why;
  bool good = tsr_cache_find_box(&p->cache);
  p->cache.why = NULL;
  free(why);
  *bytes = elem_size;
  for (int d = 0; d < p->cache.n_dim && good; d++) {
    isl_val *most = isl_set_dim_max_val(isl_set_copy(p->cache.box), d); /* not finite where sizes are parameters */
    good = isl_val_is_int(most) == isl_bool_true;
    *bytes *= good ? isl_val_get_d(most) + 1 : 0;
    isl_val_free(most);
  }
  return good;
}

/* Bytes of the second cache, or of the only one. */
static double second_cache(const struct tsr_machine *machine)
{
  return machine->cache[machine->n_cache > 1 ? 1 : 0].size;
}

/* Does each iteration of STAGE read of ARRAY only what it writes itself, by WRITES { [b] -> X[e] }? A recurrence would need
 * all that was before. */
static bool reads_own_iteration(struct tsr_tiles *tiles, const struct tsr_nest *stage, int array, isl_map *writes)
{
  isl_map *read = tsr_nest_accesses(stage, tiles->scop, array, TSR_NEST_READS);
  bool own = !read || isl_map_is_subset(read, writes) == isl_bool_true;
  isl_map_free(read);
  return own;
}

/* Add the iterations of M's stage that write what the tiles read of ARRAY to *NEEDED { [t] -> [b] }. False: it can't be
 * computed in tiles. */
static bool add_product(struct tsr_tiles *tiles, struct tsr_member *m, int array, isl_map **needed)
{
  struct tsr_product *more = realloc(m->product, (m->n_product + 1) * sizeof(*more));
  if (!more)
    return false;
  m->product = more;
  struct tsr_product *p = &m->product[m->n_product++];
  *p = (struct tsr_product){.writes = isl_map_coalesce(tsr_nest_accesses(m->stage, tiles->scop, array, TSR_NEST_WRITES))};
  int n_dim = tiles->scop->arrays[array].n_dim;
  p->cache = (struct tsr_cached){.program = tiles->program, .scop = tiles->scop, .array = array, .n_dim = n_dim};
  if (n_dim < 1 || n_dim > TSR_CACHE_DIM || isl_map_is_injective(p->writes) != isl_bool_true ||
      !reads_own_iteration(tiles, m->stage, array, p->writes))
    return false;
  p->cache.read = tsr_tiles_footprint(tiles, array, m->stage, false);
  isl_map *own =
      p->cache.read ? isl_map_apply_range(isl_map_copy(p->cache.read), isl_map_reverse(isl_map_copy(p->writes))) : NULL;
  *needed = *needed && own ? isl_map_union(*needed, own) : own ? own : *needed;
  return true;
}

/* Find boxes for all of M. False: tiles would have to compute too much, or to keep too much. */
static bool find_boxes(struct tsr_tiles *tiles, struct tsr_member *m, isl_map *needed, double *bytes)
{
  double volume;
  if (!find_box(tiles, m, needed, &volume) || volume <= 0)
    return false;
  if (!tiles->asked && volume * tiles->n_tile > MOST_OVERLAP * tsr_set_points(tiles->scop, m->stage->iterations)) {
    tiles->overlapping = true;
    return false;
  }
  *bytes = 0;
  for (int i = 0; i < m->n_product; i++) {
    double own;
    struct tsr_product *p = &m->product[i];
    struct tsr_product *other = tsr_tiles_product(tiles, p->cache.array);
    if (!find_buffer(m, p, other, tiles->scop->arrays[p->cache.array].elem_size, &own))
      return false;
    *bytes += other ? 0 : own; /* it hardly gets larger */
  }
  bool fits = tiles->asked || tiles->bytes + *bytes <= BUFFERS_OF_CACHE * second_cache(&tiles->scop->machine);
  tiles->large |= !fits;
  return fits;
}

/* Take STAGE into the tiles, if that may be good. */
static void add_producer(struct tsr_tiles *tiles, const struct tsr_nest *stage)
{
  struct tsr_member m = {.stage = stage, .producer = true};
  bool *written = calloc(tiles->scop->n_array + 1, sizeof(*written));
  bool good = written && tsr_nest_is_repeatable(stage, tiles->scop, written) && tsr_tiles_want(tiles, &m, written);
  isl_map *needed = NULL;
  double bytes = 0;
  for (int a = 0; a < tiles->scop->n_array && good; a++)
    good = !written[a] || add_product(tiles, &m, a, &needed);
  good = good && needed && find_boxes(tiles, &m, needed, &bytes);
  isl_map_free(needed);
  free(written);
  for (int i = 0; i < m.n_product && good; i++) {
    struct tsr_product *other = tsr_tiles_product(tiles, m.product[i].cache.array);
    if (other)
      other->again = true;
  }
  if (!good || !add_member(tiles, &m))
    member_clear(&m);
  else
    tiles->bytes += bytes;
}

/* ---- which nests ------------------------------------------------------------------------------------------------ */

/* Has loop D of NEST values from 0 to below SIZE alone, however large all else is? */
static bool is_within(const struct tsr_nest *nest, int d, int size)
{
  isl_val *last = isl_set_dim_max_val(isl_set_copy(nest->iterations), d);
  isl_val *first = isl_set_dim_min_val(isl_set_copy(nest->iterations), d);
  bool is =
      isl_val_is_int(last) == isl_bool_true && isl_val_cmp_si(last, size) < 0 && isl_val_is_nonneg(first) == isl_bool_true;
  isl_val_free(last);
  isl_val_free(first);
  return is;
}

/* Tiles of a nest. */
struct shape {
  int n;                   /* loops that are cut, from the outermost on */
  int size[TSR_MAX_DIM];   /* of each loop; those that aren't cut are within that, */
  bool whole[TSR_MAX_DIM]; /* and some that are */
};

/* Tiles of NEST of ROWS x COLUMNS of the innermost loops, but for short ones, and 1 of those around; of short ones, as over
 * colours, all if PLANES. What is within a tile inside of all that is cut isn't. */
static struct shape find_shape(const struct tsr_nest *nest, int rows, int columns, bool planes)
{
  const int wanted[] = {columns, rows};
  struct shape shape = {.n = nest->n_loop};
  int used = 0;
  for (int d = nest->n_loop - 1; d >= 0; d--) {
    bool inside = d > 0 && shape.n == d + 1;
    bool is_short = (inside || (planes && used >= 2)) && is_within(nest, d, SHORT_LOOP);
    shape.whole[d] = is_short;
    shape.size[d] = is_short ? SHORT_LOOP : used < 2 ? wanted[used] : 1;
    used += !is_short;
    shape.n -= inside && (is_short || is_within(nest, d, shape.size[d]));
  }
  return shape;
}

/* The tiles of NEST as a band, of the loops that are cut; it stands at the point band below. */
static isl_schedule_node *cut(const struct tsr_nest *nest, const struct shape *shape)
{
  isl_multi_val *sizes = isl_multi_val_zero(isl_schedule_node_band_get_space(nest->band));
  for (int d = 0; d < nest->n_loop; d++)
    sizes = isl_multi_val_set_at(sizes, d, isl_val_int_from_si(isl_multi_val_get_ctx(sizes), shape->size[d]));
  isl_schedule_node *node = tsr_band_split_tiles(isl_schedule_node_copy(nest->band), sizes);
  if (shape->n == nest->n_loop)
    return node;
  node = isl_schedule_node_band_split(isl_schedule_node_parent(node), shape->n);
  return isl_schedule_node_delete(isl_schedule_node_child(node, 0)); /* loops of one iteration */
}

/* May STAGE be tiled? */
static bool may_be_tiled(const struct tsr_nest *stage)
{
  bool good = stage->n_loop > 0 && isl_schedule_node_band_get_permutable(stage->band) == isl_bool_true;
  for (int i = 0; i < stage->n_loop && good; i++)
    good = isl_schedule_node_band_member_get_coincident(stage->band, i) == isl_bool_true;
  return good;
}

/* Let STAGE be the tiled one, in tiles of SHAPE. */
static bool set_tiled(struct tsr_tiles *tiles, const struct tsr_nest *stage, const struct shape *shape)
{
  isl_ctx *ctx = tiles->scop->ctx;
  isl_multi_aff *to = isl_multi_aff_identity_on_domain_space(isl_set_get_space(stage->iterations));
  tiles->n_tile = tsr_set_points(tiles->scop, stage->iterations);
  for (int d = 0; d < stage->n_loop; d++) {
    isl_val *size = isl_val_int_from_si(ctx, shape->size[d]);
    tiles->n_tile /= d < shape->n && !shape->whole[d] ? shape->size[d] : tsr_nest_trips(stage, tiles->scop, d);
    to = isl_multi_aff_set_at(to, d, isl_aff_floor(isl_aff_scale_down_val(isl_multi_aff_get_at(to, d), size)));
  }
  to = isl_multi_aff_drop_dims(to, isl_dim_out, shape->n, stage->n_loop - shape->n);
  isl_map *time = isl_map_intersect_domain(isl_map_from_multi_aff(to), isl_set_copy(stage->iterations)); /* { [b] -> [t] } */
  struct tsr_member m = {.stage = stage, .runs = isl_map_reverse(time)};
  tiles->times = isl_set_coalesce(isl_map_domain(isl_map_copy(m.runs)));
  if (tiles->times && add_member(tiles, &m))
    return true;
  member_clear(&m);
  return false;
}

/* Find what goes into tiles of SHAPE of stage number I, with what is left to run behind them; what TILES had before is
 * forgotten. False: nothing, or isl failed. */
static bool collect(struct tsr_tiles *tiles, const struct tsr_nests *stages, int i, const struct shape *shape)
{
  bool good = true, whole = false;
  memset(tiles->banned, false, tiles->scop->n_array * sizeof(*tiles->banned));
  while (good && !whole) {
    tiles_clear(tiles);
    good = set_tiled(tiles, &stages->stage[i], shape);
    for (int k = i - 1; k >= 0 && good && !tiles->large; k--)
      add_producer(tiles, &stages->stage[k]);
    good = good && tiles->n > 1;
    if (good)
      tsr_tiles_find_rests(tiles);
    whole = good && tsr_tiles_are_whole(tiles);
  }
  return good;
}

/* Bytes of ARRAY's elements that lie side by side at a point: of all its channels. */
static double bytes_of_channels(const struct tsr_array *array)
{
  double bytes = array->elem_size;
  for (int d = array->n_dim - 1; d > 0; d--) {
    isl_val *most = isl_set_dim_max_val(isl_set_copy(array->extent), d);
    bool few = isl_val_is_int(most) == isl_bool_true && isl_val_cmp_si(most, SHORT_LOOP) < 0;
    bytes *= few ? isl_val_get_d(most) + 1 : 1;
    isl_val_free(most);
    if (!few)
      break;
  }
  return bytes;
}

/* Bytes of buffers that an iteration of a tile may need: as if each array that is dead behind the SCoP had one. */
static double bytes_of_point(const struct tsr_scop *scop)
{
  double bytes = 0;
  for (int a = 0; a < scop->n_array; a++)
    bytes += scop->arrays[a].live_out ? 0 : bytes_of_channels(&scop->arrays[a]);
  return bytes;
}

/* Do buffers for tiles of ROWS x COLUMNS fit into the cache? */
static bool do_fit(const struct tsr_scop *scop, double rows, double columns)
{
  return rows * columns * bytes_of_point(scop) <= BUFFERS_OF_CACHE * second_cache(&scop->machine);
}

/* Does a stage read what another one writes to ARRAY? */
static bool is_handed_on(const struct tsr_nests *stages, const struct tsr_scop *scop, int array)
{
  for (int i = 0; i < stages->n; i++)
    for (int k = 0; k < stages->n; k++)
      if (i != k && tsr_nest_touches(&stages->stage[i], scop, array, false) &&
          tsr_nest_touches(&stages->stage[k], scop, array, true))
        return true;
  return false;
}

/* Columns that are good: long rows where what one stage writes and another reads must be in memory, too, and where few
 * stages write little. */
static int guess_columns(const struct tsr_nests *stages, const struct tsr_scop *scop)
{
  bool kept = false;
  for (int a = 0; a < scop->n_array && !kept; a++)
    kept = scop->arrays[a].live_out && is_handed_on(stages, scop, a);
  int columns = kept ? LONG_COLUMNS : TILE_COLUMNS;
  while (!kept && columns < MOST_COLUMNS && do_fit(scop, MOST_ROWS, 2.0 * columns))
    columns *= 2;
  return columns;
}

/* Rows that may do. */
static int guess_rows(struct tsr_scop *scop, int columns)
{
  int rows = MOST_ROWS;
  while (rows > LEAST_ROWS && !do_fit(scop, rows, columns))
    rows /= 2;
  return rows;
}

/* Is the outermost loop of STAGE, around two others, a short one? */
static bool has_planes(const struct tsr_nest *stage)
{
  return stage->n_loop > 2 && is_within(stage, 0, SHORT_LOOP);
}

/* Find tiles of ROWS x COLUMNS of stage number I, or as many rows as do where those are 0, of all PLANES or of one; *SHAPE
 * is theirs. False: there are none. */
static bool find_tiles(struct tsr_tiles *tiles, const struct tsr_nests *stages, int i, int rows, int columns, bool planes,
                       struct shape *shape)
{
  bool good = false;
  int width = columns ? columns : guess_columns(stages, tiles->scop);
  for (int size = rows ? rows : guess_rows(tiles->scop, width); size >= (rows ? rows : LEAST_ROWS); size /= 2) {
    *shape = find_shape(&stages->stage[i], size, width, planes);
    good = collect(tiles, stages, i, shape);
    if (!tiles->large)
      break;
  }
  return good;
}

/* PROGRAM with tiles of stage number I, if that has any. NULL: it hasn't, or isl failed. Those of all planes are tried where
 * those of one would compute too much again, as what belongs to all of them. */
static struct tsr_program *try_stage(struct tsr_program *program, const struct tsr_nests *stages, int i, int rows,
                                     int columns)
{
  struct tsr_tiles tiles[2];
  struct shape shape[2];
  struct tsr_program *made = NULL;
  bool good[2] = {false, false}, possible = may_be_tiled(&stages->stage[i]) && stages->stage[i].original;
  for (int planes = 0; planes < 2; planes++) {
    tiles[planes] = (struct tsr_tiles){.program = program,
                                       .scop = program->scop,
                                       .asked = rows || columns,
                                       .banned = calloc(program->scop->n_array + 1, sizeof(bool))};
    bool other = !planes || (tiles[0].overlapping && has_planes(&stages->stage[i]));
    if (tiles[planes].banned && possible && other)
      good[planes] = find_tiles(&tiles[planes], stages, i, rows, columns, planes, &shape[planes]);
  }
  int best = good[1] && (!good[0] || tiles[1].n > tiles[0].n);
  if (good[best]) {
    tsr_tiles_join(&tiles[best]);
    made = tsr_tiles_program(&tiles[best], cut(&stages->stage[i], &shape[best]));
  }
  for (int planes = 0; planes < 2; planes++) {
    tiles_clear(&tiles[planes]);
    free(tiles[planes].banned);
  }
  return made;
}

/* Were tiles of STAGE tried, by statement of the original? They are TRIED now. Copies that tiles have of others are none of
 * these. */
static bool was_tried(const struct tsr_program *program, const struct tsr_nest *stage, bool *tried)
{
  bool was = false;
  for (int s = 0; s < program->scop->n_stmt; s++) {
    bool own = stage->has[s] && !program->scop->stmts[s].origin;
    int number = own ? tsr_stmt_original(program, &program->scop->stmts[s]) : -1;
    was |= number >= 0 && tried[number];
    if (number >= 0)
      tried[number] = true;
  }
  return was;
}

/* requires: bands say whether they are permutable, and which members are coincident; no marks.  guarantees: see above.  on
 * failure: NULL, the program goes. */
struct tsr_program *tsr_program_overlap(struct tsr_program *program, int rows, int columns, char **why)
{
  bool found = false, any = true, *tried = program ? calloc(program->original->n_stmt + 1, sizeof(*tried)) : NULL;
  program = tsr_nests_join_siblings(program);
  while (program && tried && any) {
    struct tsr_nests stages;
    struct tsr_program *made = NULL;
    bool known = tsr_nests_find(&stages, program) == isl_stat_ok;
    for (int i = stages.n - 1; i > 0 && known && !made; i--)
      if (!was_tried(program, &stages.stage[i], tried))
        made = try_stage(program, &stages, i, rows, columns);
    tsr_nests_clear(&stages);
    any = made != NULL;
    found |= any;
    if (any) {
      tsr_program_free(program);
      program = made;
    }
  }
  free(tried);
  if (program && !found)
    tsr_message_set(why, "no nest reads what others compute for it alone, in loops that can be tiled");
  return found ? program : tsr_program_free(program);
}
