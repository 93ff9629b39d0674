/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Strips: register tiles without rows, for what runs over a matrix row by row.  B: the outermost loop of a nest with
 * anything below; some statements of it add up, or fold in another way, one element over the only loop inside of B. Each
 * waits there for the one before, as their order may not change. Several elements at a time do not.
 *
 *   B(i) - X   ->   T(i/nr) - seq(
 *                     rest:    Q(i%nr) - X              what goes before
 *                     masked:  mark "registers .." - Q(j, 0, i%nr)
 *                     full:    mark "registers .." - Q(j, 0, i%nr)   of one statement, all nr points in each j
 *                     rest:    Q(i%nr) - X              what goes behind )
 *
 * A vector has an element of each of some neighbouring rows; what it reads along rows is transposed in registers. Other
 * statements run on nr rows, too, before or after: they find the rows in the cache. Which of both, the dependences tell;
 * where they run in a circle, there are no strips. Conditions: as in register_tiles.c, for one iteration of the loops around
 * Q.
 *
 * Where rows go down in memory, lanes run against i, nr - 1 - i%nr. Where j begins at the diagonal, as loops that start at 0
 * have it, the rows of a strip are at another column each; j + i, or j - i, is in its place then ("tilt"):
 *
 *   for i for j: s[i] += a[i][i + j] * s[i + j]        e = j + i:   s[i] += a[i][e] * s[e] */
#include "tree/registers/registers.h"
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 16 /* of a strip: as many streams as a core fetches ahead; chains of as many as hide a latency */
#define MAX_VECTORS 4
#define MAX_LANES ROWS /* transposing more takes too much code */
#define MAX_REST 32

/* What access I of FORM is for vectors of rows. */
enum operand {
  FOLDED,     /* the element that is written */
  EQUAL,      /* one for all rows */
  NEXT,       /* neighbours */
  TRANSPOSED, /* rows of a matrix */
  OTHER
};

/* By how much the instance in the next lane of strips with ROLES is ahead in the column at hand. */
static void lane_step(const struct tsr_form *form, const struct tsr_roles *roles, long delta[TSR_MAX_DIM])
{
  for (int d = 0; d < TSR_MAX_DIM; d++)
    delta[d] = tsr_roles_way(roles) * (form->step[0].delta[d] - roles->tilt * form->step[1].delta[d]);
}

/* What access I of FORM is; *PITCH: how many elements of rows are loaded for each. */
static enum operand operand_of(const struct tsr_scop *scop, const struct tsr_form *form, const struct tsr_roles *roles,
                               int i, int *pitch)
{
  isl_map *relation = form->stmt->access[i].relation;
  long delta[TSR_MAX_DIM], row;
  *pitch = 1;
  if (tsr_form_is_folded(form, i))
    return FOLDED;
  if (!roles->tilt && form->stride[0][i] == TSR_STRIDE_ZERO)
    return EQUAL;
  lane_step(form, roles, delta);
  if (tsr_access_move(relation, delta, &row) && (row == 1 || (row == 0 && roles->tilt)))
    return row ? NEXT : EQUAL;
  int along = tsr_stmt_row_pitch(scop, form->stmt, i, form->step[1].delta);
  *pitch = along ? along : 1;
  return along ? TRANSPOSED : OTHER;
}

bool tsr_form_takes_strip(const struct tsr_scop *scop, const struct tsr_form *form, const struct tsr_roles *roles)
{
  int n_transposed = 0, w = form->write, pitch;
  const struct tsr_step *row = &form->step[0], *column = &form->step[1];
  if (!row->fixed || row->empty || !column->fixed || column->empty || form->next[0] * tsr_roles_way(roles) < 1 ||
      form->stride[1][w] != TSR_STRIDE_ZERO)
    return false;
  for (int i = 0; i < form->stmt->n_access; i++) {
    enum operand operand = operand_of(scop, form, roles, i, &pitch);
    if (operand == OTHER)
      return false;
    n_transposed += operand == TRANSPOSED;
  }
  return n_transposed > 0;
}

struct between {
  const struct tsr_scop *scop;
  const struct tsr_stmt *stmt;
  bool written; /* does another statement in the innermost loop of `stmt` write to memory? */
};

/* Does DOMAIN have instances of STMT? */
static bool has_stmt(isl_union_set *domain, const struct tsr_stmt *stmt)
{
  isl_set *part = isl_union_set_extract_set(domain, isl_set_get_space(stmt->domain));
  bool has = isl_set_plain_is_empty(part) == isl_bool_false;
  isl_set_free(part);
  return has;
}

static bool writes_memory(const struct tsr_scop *scop, const struct tsr_stmt *stmt)
{
  bool writes = false;
  for (int i = 0; i < stmt->n_access; i++)
    writes |= stmt->access[i].kind != TSR_READ && scop->arrays[stmt->access[i].array].kind == TSR_ARRAY_MEMORY;
  return writes;
}

static isl_stat find_writes(isl_schedule_node *leaf, void *user)
{
  struct between *between = user;
  isl_union_set *domain = isl_schedule_node_get_domain(leaf);
  bool own = has_stmt(domain, between->stmt);
  isl_union_set_free(domain);
  if (!own)
    return isl_stat_ok;
  isl_schedule_node *node = isl_schedule_node_copy(leaf);
  while (isl_schedule_node_get_type(node) != isl_schedule_node_band && isl_schedule_node_has_parent(node) == isl_bool_true)
    node = isl_schedule_node_parent(node);
  domain = isl_schedule_node_get_domain(node);
  for (int s = 0; s < between->scop->n_stmt; s++) {
    const struct tsr_stmt *other = &between->scop->stmts[s];
    between->written |= other != between->stmt && writes_memory(between->scop, other) && has_stmt(domain, other);
  }
  isl_union_set_free(domain);
  isl_schedule_node_free(node);
  return isl_stat_ok;
}

/* Does LLVM's own vectoriser reorder what FORM adds up? Not where in the original something else is written in between: for
 * all that LLVM knows as a rule, that may be the sum, which then is loaded and stored in each iteration. */
static bool is_reordered(const struct tsr_scop *scop, const struct tsr_form *form)
{
  const struct tsr_access *write = &form->stmt->access[form->write];
  struct between between = {.scop = scop, .stmt = form->stmt};
  if (write->reduction == TSR_RED_NONE || !write->reassoc)
    return false;
  isl_schedule_node *root = isl_schedule_get_root(scop->schedule);
  isl_stat ok = tsr_node_foreach_leaf(root, find_writes, &between);
  isl_schedule_node_free(root);
  return ok < 0 || !between.written;
}

/* Cycles for one instance of FORM in strips like TILE; below 0: the registers are too few. */
static double strip_cost(const struct tsr_register_band *band, const struct tsr_form *form,
                         const struct tsr_register_tile *tile)
{
  struct tsr_operand *operand = calloc(form->stmt->n_access + 1, sizeof(*operand));
  for (int i = 0; operand && i < form->stmt->n_access; i++) {
    int pitch;
    enum operand is = operand_of(band->scop, form, &band->roles, i, &pitch);
    operand[i] = (struct tsr_operand){.held = is == FOLDED,
                                      .by_vector = true,
                                      .lie = is == TRANSPOSED ? TSR_LANES_TRANSPOSED : TSR_LANES_NEXT,
                                      .pitch = pitch,
                                      .shared = is == TRANSPOSED && tsr_stmt_reads_beside(band->scop, form->stmt, i)};
  }
  double cost = operand ? tsr_issue_strip(&band->scop->machine, form->stmt, tile, operand) : -1;
  free(operand);
  return cost;
}

/* The tile for the first statement that takes strips; those with other lanes don't. */
static bool choose_strip(struct tsr_register_band *band, const struct tsr_options *opt)
{
  struct tsr_register_tile *tile = &band->tile;
  for (int f = 0; f < band->n_form; f++) {
    struct tsr_form *form = &band->form[f];
    int lanes = band->scop->machine.vector_bytes / form->stmt->vector_bytes;
    form->usable = form->usable && lanes >= 2 && lanes <= MAX_LANES && (!tile->lanes || lanes == tile->lanes) &&
                   (opt->force || !is_reordered(band->scop, form));
    int vectors = !form->usable ? 0 : ROWS / lanes < MAX_VECTORS ? ROWS / lanes : MAX_VECTORS;
    struct tsr_register_tile strip = {.rows = 1, .vectors = vectors, .lanes = lanes};
    form->usable = form->usable && strip_cost(band, form, &strip) >= 0;
    if (form->usable && !tile->lanes)
      *tile = strip;
  }
  tile->n_reduction = 1;
  tile->streams = true;
  return tile->lanes > 0;
}

isl_aff *tsr_strip_column(const struct tsr_register_band *band, const struct tsr_form *form)
{
  isl_aff *column = isl_multi_aff_get_aff(form->time, band->depth + 1);
  if (band->roles.tilt) {
    isl_aff *row = isl_multi_aff_get_aff(form->time, band->depth);
    column = (band->roles.tilt > 0 ? isl_aff_add : isl_aff_sub)(column, row);
  }
  return column;
}

isl_aff *tsr_strip_lane(const struct tsr_register_band *band, const struct tsr_form *form)
{
  const int nr = band->tile.vectors * band->tile.lanes;
  isl_aff *lane = isl_multi_aff_get_aff(form->time, band->depth);
  lane = isl_aff_mod_val(lane, isl_val_int_from_si(isl_set_get_ctx(form->domain), nr));
  return band->roles.backwards ? isl_aff_add_constant_si(isl_aff_neg(lane), nr - 1) : lane;
}

/* { S[i] -> [j, 0, i%nr] } of FORM, as a band's schedule. */
static isl_multi_union_pw_aff *point_schedule(struct tsr_register_band *band, const struct tsr_form *form)
{
  isl_ctx *ctx = isl_set_get_ctx(form->domain);
  isl_aff *member[3] = {tsr_strip_column(band, form), NULL, tsr_strip_lane(band, form)};
  member[1] = isl_aff_zero_on_domain(isl_aff_get_domain_local_space(member[0]));
  isl_space *space = isl_space_set_from_params(isl_space_params(isl_aff_get_domain_space(member[0])));
  isl_union_pw_aff_list *list = isl_union_pw_aff_list_alloc(ctx, 3);
  for (int i = 0; i < 3; i++)
    list = isl_union_pw_aff_list_add(list, isl_union_pw_aff_from_pw_aff(isl_pw_aff_from_aff(member[i])));
  return isl_multi_union_pw_aff_from_union_pw_aff_list(isl_space_add_dims(space, isl_dim_set, 3), list);
}

/* B(i) - X  ->  T(i/nr) - B(i%nr) - X; the result stands at the lower band. */
static isl_schedule_node *insert_strips(struct tsr_register_band *band, __isl_take isl_schedule_node *node)
{
  isl_ctx *ctx = isl_schedule_node_get_ctx(node);
  if (isl_schedule_node_band_n_member(node) > 1)
    node = isl_schedule_node_band_split(node, 1);
  isl_bool coincident = isl_schedule_node_band_member_get_coincident(node, 0);
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_space *space = isl_multi_union_pw_aff_get_space(partial);
  isl_union_pw_aff *row = isl_multi_union_pw_aff_get_at(partial, 0);
  isl_val *size = isl_val_int_from_si(ctx, band->tile.vectors * band->tile.lanes);
  isl_union_pw_aff *member[2] = {isl_union_pw_aff_mod_val(isl_union_pw_aff_copy(row), isl_val_copy(size))};
  member[1] = isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(row, size));
  isl_multi_union_pw_aff_free(partial);
  node = isl_schedule_node_delete(node);
  for (int i = 0; i < 2; i++) {
    isl_union_pw_aff_list *list = isl_union_pw_aff_list_from_union_pw_aff(member[i]);
    partial = isl_multi_union_pw_aff_from_union_pw_aff_list(isl_space_copy(space), list);
    node = isl_schedule_node_insert_partial_schedule(node, partial);
    node = isl_schedule_node_band_set_permutable(node, 1);
    node = isl_schedule_node_band_member_set_coincident(node, 0, coincident == isl_bool_true);
  }
  isl_space_free(space);
  return isl_schedule_node_child(node, 0);
}

/* The parts while they are sorted: tiles, then the rest by statement. */
struct strip_parts {
  struct tsr_part part[MAX_PARTS + MAX_REST];
  int n;
  bool leads[MAX_PARTS + MAX_REST][MAX_PARTS + MAX_REST];
  bool done[MAX_PARTS + MAX_REST];
};

static isl_stat add_rest(isl_set *set, void *user)
{
  struct strip_parts *all = user;
  if (all->n == MAX_PARTS + MAX_REST) {
    isl_set_free(set);
    return isl_stat_error;
  }
  all->part[all->n++] = (struct tsr_part){.domain = isl_union_set_from_set(set)};
  return isl_stat_ok;
}

static void find_order(struct tsr_register_band *band, struct strip_parts *all, isl_schedule_node *node)
{
  isl_union_map *open = tsr_node_open_deps(node, band->deps);
  for (int i = 0; i < all->n; i++)
    tsr_parts_lead(open, all->part, all->n, i, all->leads[i]);
  isl_union_map_free(open);
}

/* Has every part that leads to part J been done, or is it in SET? */
static bool is_ready(struct strip_parts *all, int j, const bool *set)
{
  bool ready = true;
  for (int i = 0; i < all->n; i++)
    ready &= !all->leads[i][j] || all->done[i] || set[i];
  return ready;
}

/* Those of the rest that can run now, as one part at the end of SORTED. */
static bool take_rest(struct strip_parts *all, struct tsr_parts *sorted)
{
  bool set[MAX_PARTS + MAX_REST] = {false}, changed = true;
  isl_union_set *domain = NULL;
  for (int j = 0; j < all->n; j++)
    set[j] = !all->done[j] && !all->part[j].form;
  while (changed) {
    changed = false;
    for (int j = 0; j < all->n; j++)
      if (set[j] && !is_ready(all, j, set)) {
        set[j] = false;
        changed = true;
      }
  }
  for (int j = 0; j < all->n; j++)
    if (set[j]) {
      isl_union_set *some = isl_union_set_copy(all->part[j].domain);
      domain = domain ? isl_union_set_union(domain, some) : some;
      all->done[j] = true;
    }
  if (domain)
    sorted->part[sorted->n++] = (struct tsr_part){.domain = domain};
  return domain != NULL;
}

/* The tiles that can run now, each a part at the end of SORTED. */
static bool take_tiles(struct strip_parts *all, struct tsr_parts *sorted)
{
  static const bool none[MAX_PARTS + MAX_REST] = {false};
  bool taken = false;
  for (int j = 0; j < all->n; j++)
    if (!all->done[j] && all->part[j].form && is_ready(all, j, none)) {
      sorted->part[sorted->n++] =
          (struct tsr_part){.form = all->part[j].form, .domain = isl_union_set_copy(all->part[j].domain)};
      all->done[j] = taken = true;
    }
  return taken;
}

/* Sort PARTS by the dependences in one run of what is below NODE, with its rest, the last of them, torn apart where they
 * want it; false if they run in a circle. */
static bool sort_parts(struct tsr_register_band *band, struct tsr_parts *parts, isl_schedule_node *node)
{
  struct strip_parts all = {.n = 0};
  struct tsr_parts sorted = {.n = 0};
  bool good = true;
  for (int i = 0; i < parts->n && good; i++) {
    if (parts->part[i].form)
      all.part[all.n++] =
          (struct tsr_part){.form = parts->part[i].form, .domain = isl_union_set_copy(parts->part[i].domain)};
    else
      good = isl_union_set_foreach_set(parts->part[i].domain, add_rest, &all) == isl_stat_ok;
  }
  if (good)
    find_order(band, &all, node);
  for (bool progress = good; progress && sorted.n < MAX_PARTS - MAX_FORMS;) {
    progress = take_rest(&all, &sorted);
    progress = take_tiles(&all, &sorted) || progress;
  }
  for (int i = 0; i < all.n; i++) {
    good &= all.done[i];
    isl_union_set_free(all.part[i].domain);
  }
  tsr_parts_clear(good ? parts : &sorted);
  if (good)
    *parts = sorted;
  return good;
}

/* The sequence of PARTS above the lower band, at NODE; tiles have their own bands, with marks. */
static isl_schedule_node *insert_parts(struct tsr_register_band *band, isl_schedule_node *node, struct tsr_parts *parts)
{
  isl_ctx *ctx = isl_schedule_node_get_ctx(node);
  isl_union_set_list *list = isl_union_set_list_alloc(ctx, parts->n);
  for (int i = 0; i < parts->n; i++)
    list = isl_union_set_list_add(list, isl_union_set_copy(parts->part[i].domain));
  if (parts->n > 1)
    node = isl_schedule_node_insert_sequence(node, list);
  else
    isl_union_set_list_free(list);
  for (int i = 0; i < parts->n; i++) {
    const struct tsr_form *form = parts->part[i].form;
    if (!form)
      continue;
    struct tsr_mark mark = {.kind = TSR_MARK_REGISTERS, .tile = band->tile};
    mark.tile.n_dim = isl_set_dim(form->stmt->domain, isl_dim_set);
    lane_step(form, &band->roles, mark.tile.step);
    memcpy(mark.tile.along, form->step[1].delta, sizeof(mark.tile.along));
    node = parts->n > 1 ? isl_schedule_node_grandchild(node, i, 0) : node;
    node = isl_schedule_node_insert_partial_schedule(isl_schedule_node_cut(node), point_schedule(band, form));
    node = isl_schedule_node_band_set_permutable(node, 1);
    node = tsr_mark_insert(node, band->scop, &mark);
    node = parts->n > 1 ? isl_schedule_node_parent(isl_schedule_node_parent(node)) : node;
  }
  return node;
}

/* Is one of PARTS a full strip? A few rows alone don't fill the lanes. */
static bool has_full(const struct tsr_parts *parts)
{
  bool full = false;
  for (int i = 0; i < parts->n; i++)
    full |= parts->part[i].form && !parts->part[i].masked;
  return full;
}

static bool order_parts(struct tsr_register_band *band, struct tsr_parts *parts, isl_schedule_node *node, bool masked)
{
  tsr_parts_find(band, parts, node, masked);
  if (has_full(parts) && sort_parts(band, parts, node))
    return true;
  tsr_parts_clear(parts);
  return false;
}

/* NODE, of BAND, whose forms are known, in strips with its roles if *FOUND. */
static isl_schedule_node *try_strips(struct tsr_register_band *band, __isl_take isl_schedule_node *node,
                                     const struct tsr_options *opt, bool bare, bool *found)
{
  struct tsr_parts parts = {.n = 0};
  tsr_register_forms_choose(band, node);
  band->tile = (struct tsr_register_tile){0};
  if (!choose_strip(band, opt))
    return node;
  bool masks = !bare && band->scop->machine.vector_bytes >= TSR_LEAST_MASKED;
  isl_schedule_node *strips = insert_strips(band, isl_schedule_node_copy(node));
  *found = (masks && order_parts(band, &parts, strips, true)) || order_parts(band, &parts, strips, false);
  isl_schedule_node_free(*found ? node : strips);
  node = *found ? isl_schedule_node_parent(insert_parts(band, strips, &parts)) : node;
  tsr_parts_clear(&parts);
  return node;
}

/* Lanes of rows, or along either diagonal, in both directions. */
#define N_OF_ROLES 6

static void set_roles(struct tsr_register_band *band, int i)
{
  static const int tilts[] = {0, 1, -1};
  band->roles.tilt = tilts[i / 2];
  band->roles.backwards = i % 2;
}

/* Of how many rows of matrices does a form of BAND, in strips with its roles, need elements at most? 0: there are no strips.
 */
static int most_transposed(const struct tsr_register_band *band)
{
  int most = 0, pitch;
  for (int f = 0; f < band->n_form; f++) {
    const struct tsr_form *form = &band->form[f];
    int n = 0;
    bool takes = tsr_form_takes_strip(band->scop, form, &band->roles);
    for (int i = 0; i < form->stmt->n_access && takes; i++)
      n += operand_of(band->scop, form, &band->roles, i, &pitch) == TRANSPOSED;
    most = n > most ? n : most;
  }
  return most;
}

isl_schedule_node *tsr_band_strips(isl_schedule_node *node, struct tsr_scop *scop, struct tsr_deps *deps,
                                   const struct tsr_options *opt, const struct tsr_register_sizes *sizes, bool *found)
{
  isl_size depth = isl_schedule_node_get_schedule_depth(node);
  struct tsr_register_band band = {.node = node, .scop = scop, .deps = deps, .depth = depth, .n = 2, .roles = {.row = -1}};
  *found = false;
  if (depth < 0 || depth + 2 > MAX_MEMBERS)
    return node;
  bool has_forms = tsr_register_band_find_forms(&band);
  int number[N_OF_ROLES], most = 0;
  for (int i = 0; i < N_OF_ROLES && has_forms; i++) {
    set_roles(&band, i);
    number[i] = most_transposed(&band);
    most = number[i] > most ? number[i] : most;
  }
  for (int n = 1; n <= most && !*found; n++)
    for (int i = 0; i < N_OF_ROLES && !*found; i++)
      if (number[i] == n) {
        set_roles(&band, i);
        node = try_strips(&band, node, opt, sizes->bare, found);
      }
  tsr_register_band_clear(&band);
  return node;
}
