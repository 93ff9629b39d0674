/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Register tiles.  B: a permutable band with nothing but leaves below; some statements of it add up, or fold in another way,
 * one element over some of its members. Of these members, by how the written element moves along them:
 *
 *   k  "reduction"  stays           i  "row"  goes elsewhere           j  "vector"  goes to the next one
 *
 *   B(.., i, j, k)  ->  O(..) - T1(i/mc, k/kc, j/nr) - T2(i%mc/mr) - seq(
 *                         full:    mark "registers .." - Q(k%kc, i%mr, j%nr)   all mr * nr points in each iteration of k
 *                         masked:  mark "registers .." - Q                     some of each row, the same ones for each k
 *                         rest:    Q                                           everything else, other statements too )
 *
 * What stands below a mark is emitted with the points of i and j as mr rows of vectors, which hold the written elements in
 * registers while k runs; that is the loop nest of a matrix product by hand (Goto and van de Geijn, Anatomy of
 * high-performance matrix multiplication, 2008, without its packing). Conditions, all proved here by isl, for one iteration
 * of the loops around Q: each point (i, j) writes an element of its own, no other access of the statement touches it.
 *
 * mr and nr: the cheapest that the machine's registers allow. kc: rows of nr and mr elements stay in the nearer half of the
 * second cache, mc: so does the part of an operand that all j share. */
#include "bridge.h"
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

#define MAX_MEMBERS 12
#define MAX_FORMS 16
#define MAX_PARTS (2 * MAX_FORMS + 1)
#define MAX_ROWS 12
#define MAX_VECTORS 8
#define MAX_MASKED_PIECES 6 /* of the masked part: more are not worth their code */

/* ---- marks ---- */

#define PREFIX TSR_MARK_REGISTERS " "

bool tsr_register_tile_read(const char *name, struct tsr_register_tile *tile)
{
  int used = 0, n = 0;
  *tile = (struct tsr_register_tile){0};
  if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
    return false;
  name += strlen(PREFIX);
  if (sscanf(name, "%dx%dx%d over %d by [%n", &tile->rows, &tile->vectors, &tile->lanes, &tile->n_reduction, &used) != 4 ||
      !used)
    return false;
  for (name += used; tile->n_dim < TSR_MAX_DIM && sscanf(name, "%ld%n", &tile->step[tile->n_dim], &n) == 1; tile->n_dim++) {
    name += n;
    name += *name == ',';
  }
  return sscanf(name, "] at %lf", &tile->cycles) == 1 && tile->n_reduction >= 0 && tile->rows > 0 && tile->vectors > 0 &&
         tile->lanes > 0;
}

static isl_id *mark_id(isl_ctx *ctx, const struct tsr_register_tile *tile)
{
  char name[512];
  int at = snprintf(name, sizeof(name), PREFIX "%dx%dx%d over %d by [", tile->rows, tile->vectors, tile->lanes,
                    tile->n_reduction);
  for (int i = 0; i < tile->n_dim; i++)
    at += snprintf(name + at, sizeof(name) - at, "%s%ld", i ? "," : "", tile->step[i]);
  snprintf(name + at, sizeof(name) - at, "] at %.3g", tile->cycles);
  return isl_id_alloc(ctx, name, NULL);
}

bool tsr_node_is_registers(isl_schedule_node *node, struct tsr_register_tile *tile)
{
  if (isl_schedule_node_get_type(node) != isl_schedule_node_mark)
    return false;
  isl_id *id = isl_schedule_node_mark_get_id(node);
  bool is = id && tsr_register_tile_read(isl_id_get_name(id), tile);
  isl_id_free(id);
  return is;
}

/* ---- which members, which sizes ---- */

/* The parts of a band's members. */
struct roles {
  int row, vector;
  bool skewed;        /* the vector member is its sum with the row: for subscripts such as i + j */
  unsigned reduction; /* bits */
};

/* One statement of the band. */
struct form {
  struct tsr_stmt *stmt;
  int write;           /* its only one */
  isl_multi_aff *time; /* { S[i] -> [t] } for the members around the band and its own */
  isl_set *domain;
  enum tsr_stride *stride[MAX_MEMBERS]; /* by member and access */
  bool next[MAX_MEMBERS];               /* does the written element go to its next neighbour? */
  struct tsr_step step[MAX_MEMBERS];    /* only `fixed` and `delta` are valid */
  bool usable;                          /* can it have register tiles in the band's roles? */
};

struct band {
  struct tsr_scop *scop;
  struct tsr_deps *deps;
  isl_schedule_node *node;
  int depth, n; /* schedule dimensions around it; its members */
  struct form form[MAX_FORMS];
  int n_form;
  bool failed;
  struct roles roles;
  struct tsr_register_tile tile;
  int row_block, reduction_block; /* mc; kc, 0: no blocks */
};

static void band_clear(struct band *band)
{
  for (int i = 0; i < band->n_form; i++) {
    isl_multi_aff_free(band->form[i].time);
    isl_set_free(band->form[i].domain);
    for (int m = 0; m < band->n; m++)
      free(band->form[i].stride[m]);
  }
}

/* The one write of STMT, which is a must write of an element that STMT reads by the same subscripts; -1 if there is none. */
static int find_fold(struct tsr_scop *scop, struct tsr_stmt *stmt)
{
  int write = -1;
  bool read = false;
  for (int i = 0; i < stmt->n_access; i++) {
    if (scop->arrays[stmt->access[i].array].kind != TSR_ARRAY_MEMORY || stmt->access[i].kind == TSR_MAY_WRITE)
      return -1;
    if (stmt->access[i].kind != TSR_MUST_WRITE)
      continue;
    if (write >= 0)
      return -1;
    write = i;
  }
  for (int i = 0; i < stmt->n_access && write >= 0; i++)
    read |= i != write && stmt->access[i].array == stmt->access[write].array &&
            isl_map_plain_is_equal(stmt->access[i].relation, stmt->access[write].relation) == isl_bool_true;
  return read ? write : -1;
}

/* Is access I of FORM the element that it folds into? */
static bool is_folded(const struct form *form, int i)
{
  struct tsr_access *access = &form->stmt->access[i], *write = &form->stmt->access[form->write];
  return access->array == write->array && isl_map_plain_is_equal(access->relation, write->relation) == isl_bool_true;
}

static isl_stat add_form(struct tsr_order *order, void *user)
{
  struct band *band = user;
  int write = order->stmt->vector_bytes && order->time ? find_fold(band->scop, order->stmt) : -1;
  if (write < 0 || band->n_form == MAX_FORMS || isl_set_dim(order->stmt->domain, isl_dim_set) > TSR_MAX_DIM)
    return isl_stat_ok;
  struct form *form = &band->form[band->n_form];
  *form = (struct form){.stmt = order->stmt, .write = write};
  for (int m = 0; m < band->n; m++) {
    long elements;
    tsr_step_init(&form->step[m], order, band->depth + m);
    form->stride[m] = calloc(order->stmt->n_access, sizeof(*form->stride[m]));
    for (int i = 0; i < order->stmt->n_access; i++)
      form->stride[m][i] = tsr_access_stride(order->stmt->access[i].relation, &form->step[m]);
    form->next[m] = form->step[m].fixed && !form->step[m].empty &&
                    tsr_access_move(order->stmt->access[write].relation, form->step[m].delta, &elements) && elements == 1;
    form->step[m].order = NULL;
  }
  form->time = isl_multi_aff_copy(order->time);
  form->domain = isl_set_copy(order->domain);
  band->n_form++;
  return isl_stat_ok;
}

static isl_stat add_leaf(isl_schedule_node *leaf, void *user)
{
  struct band *band = user;
  return tsr_leaf_foreach_order(leaf, band->scop, tsr_scop_telling(band->scop), add_form, band);
}

/* How does access I of FORM move along the row? Where the vector is their sum, a step of the row is one back of the vector
 * member. */
static enum tsr_stride row_stride(const struct form *form, const struct roles *roles, int i)
{
  const struct tsr_step *row = &form->step[roles->row], *vector = &form->step[roles->vector];
  long delta[TSR_MAX_DIM], elements;
  if (!roles->skewed || !row->fixed || !vector->fixed)
    return form->stride[roles->row][i];
  for (int d = 0; d < TSR_MAX_DIM; d++)
    delta[d] = row->delta[d] - vector->delta[d];
  bool fixed = tsr_access_move(form->stmt->access[i].relation, delta, &elements);
  return !fixed || (elements != 0 && elements != 1) ? TSR_STRIDE_OTHER : elements ? TSR_STRIDE_ONE : TSR_STRIDE_ZERO;
}

/* May FORM run with ROLES? Along the row some operand that is a vector must stay: that is what registers save. */
static bool form_takes(const struct band *band, const struct form *form, const struct roles *roles)
{
  int w = form->write;
  bool reuse = false;
  if (!form->next[roles->vector] || row_stride(form, roles, w) != TSR_STRIDE_OTHER || !roles->reduction)
    return false;
  for (int m = 0; m < band->n; m++) {
    bool reduction = roles->reduction >> m & 1;
    if (form->stride[m][w] == TSR_STRIDE_NONE && (reduction || m == roles->row || m == roles->vector))
      return false;
    if (reduction != (form->stride[m][w] == TSR_STRIDE_ZERO))
      return false;
  }
  for (int i = 0; i < form->stmt->n_access; i++)
    reuse |= !is_folded(form, i) && row_stride(form, roles, i) == TSR_STRIDE_ZERO &&
             form->stride[roles->vector][i] != TSR_STRIDE_ZERO;
  return reuse;
}

/* Cycles for one instance of FORM in tiles of ROWS rows of VECTORS vectors; below 0: the registers are too few. In one
 * iteration of k: operations that depend on i and j, rows * vectors, and on i alone, rows; loads by what they depend on, two
 * numbers or one vector a cycle, which comes from the second cache; lane by lane, and put together, where a step of j
 * doesn't go to the next element. */
static double form_cost(const struct band *band, const struct form *form, const struct roles *roles, int rows, int vectors,
                        int lanes)
{
  const struct tsr_machine *machine = &band->scop->machine;
  int wide = 0, held = 0;
  double loads = 0;
  for (int i = 0; i < form->stmt->n_access; i++) {
    if (is_folded(form, i))
      continue;
    bool by_row = row_stride(form, roles, i) != TSR_STRIDE_ZERO;
    bool by_vector = form->stride[roles->vector][i] != TSR_STRIDE_ZERO;
    long elements = 0;
    bool next = by_vector && tsr_access_move(form->stmt->access[i].relation, form->step[roles->vector].delta, &elements) &&
                elements == 1;
    wide += by_vector;
    held += by_vector && !by_row ? vectors : 1;
    loads += (by_row ? rows : 1) * (by_vector ? vectors * (next ? 1 : 1.5 * lanes) : 0.5);
  }
  if (rows * vectors + held + 1 > machine->vector_registers || wide == 0)
    return -1;
  double narrow = form->stmt->weight > wide ? form->stmt->weight - wide : 0;
  double cycles = (rows * vectors * wide + rows * narrow) / machine->fma_units + loads;
  if (cycles < machine->fma_latency)
    cycles = machine->fma_latency;
  return cycles / (rows * vectors * lanes);
}

/* Of two tiles that cost about the same, the smaller has fewer edges. */
#define SAME 0.98

/* The best tile for FORM in BAND's tile and roles if it costs less than *COST. */
static void try_roles(struct band *band, const struct form *form, const struct roles *roles, double *cost)
{
  int lanes = band->scop->machine.vector_bytes / form->stmt->vector_bytes;
  if (lanes < 2 || !form_takes(band, form, roles))
    return;
  for (int rows = 2; rows <= MAX_ROWS; rows++)
    for (int vectors = 1; vectors <= MAX_VECTORS; vectors++) {
      double this = form_cost(band, form, roles, rows, vectors, lanes);
      if (this < 0 || (*cost >= 0 && this >= SAME * *cost))
        continue;
      *cost = this;
      band->roles = *roles;
      band->tile.rows = rows;
      band->tile.vectors = vectors;
      band->tile.lanes = lanes;
      band->tile.cycles = this;
    }
}

/* How often the deepest statement that can be run so runs: the one that counts. */
static bool choose_roles(struct band *band)
{
  double cost = -1;
  isl_size deepest = 0;
  for (int f = 0; f < band->n_form; f++) {
    isl_size n = isl_set_dim(band->form[f].stmt->domain, isl_dim_set);
    deepest = n > deepest ? n : deepest;
  }
  for (int f = 0; f < band->n_form && cost < 0; f++) {
    struct form *form = &band->form[f];
    struct roles roles = {0};
    if (isl_set_dim(form->stmt->domain, isl_dim_set) < deepest)
      continue;
    for (int m = 0; m < band->n; m++)
      roles.reduction |= (unsigned)(form->stride[m][form->write] == TSR_STRIDE_ZERO) << m;
    for (roles.vector = 0; roles.vector < band->n; roles.vector++)
      for (roles.row = 0; roles.row < band->n; roles.row++)
        for (int skewed = 0; skewed < 2 && roles.row != roles.vector; skewed++) {
          roles.skewed = skewed;
          try_roles(band, form, &roles, &cost);
        }
  }
  return cost >= 0;
}

/* A power of two: elements of SIZE bytes, PER of them at a time, that fit into BYTES; at least 16. */
static int fitting(double bytes, double per, int size)
{
  int n = 16;
  while (n < 512 && 2 * n * per * size <= bytes)
    n *= 2;
  return n;
}

static void choose_blocks(struct band *band, const struct tsr_options *opt)
{
  const struct tsr_machine *machine = &band->scop->machine;
  struct tsr_register_tile *tile = &band->tile;
  double cache = machine->cache[machine->n_cache > 1 ? 1 : 0].size;
  int size = machine->vector_bytes / tile->lanes, n_reduction = __builtin_popcount(band->roles.reduction);
  band->reduction_block = n_reduction == 1 ? fitting(cache / 4, tile->rows + tile->vectors * tile->lanes, size) : 0;
  int deep = band->reduction_block ? band->reduction_block : 256;
  band->row_block = fitting(cache / 2, deep, size);
  if (opt->parallel && band->row_block > 64)
    band->row_block = 64;
  band->row_block = (band->row_block + tile->rows - 1) / tile->rows * tile->rows;
  tile->n_reduction = n_reduction;
}

/* ---- the tree ---- */

static isl_union_pw_aff *quotient(__isl_take isl_union_pw_aff *row, int size)
{
  isl_val *value = isl_val_int_from_si(isl_union_pw_aff_get_ctx(row), size);
  return isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(row, value));
}

static isl_union_pw_aff *remainder_of(__isl_take isl_union_pw_aff *row, int size)
{
  return isl_union_pw_aff_mod_val(row, isl_val_int_from_si(isl_union_pw_aff_get_ctx(row), size));
}

/* A band under construction. */
struct rows {
  isl_union_pw_aff *row[MAX_MEMBERS];
  bool coincident[MAX_MEMBERS];
  int n;
};

static void rows_add(struct rows *rows, __isl_take isl_union_pw_aff *row, bool coincident)
{
  rows->coincident[rows->n] = coincident;
  rows->row[rows->n++] = row;
}

/* Put the band of ROWS, which it takes, above NODE; nothing if it has none. */
static isl_schedule_node *insert_band(isl_schedule_node *node, struct rows *rows)
{
  if (rows->n == 0)
    return node;
  isl_space *space = isl_space_set_from_params(isl_space_params(isl_union_pw_aff_get_space(rows->row[0])));
  isl_union_pw_aff_list *list = isl_union_pw_aff_list_alloc(isl_schedule_node_get_ctx(node), rows->n);
  for (int i = 0; i < rows->n; i++)
    list = isl_union_pw_aff_list_add(list, rows->row[i]);
  space = isl_space_add_dims(space, isl_dim_set, rows->n);
  node = isl_schedule_node_insert_partial_schedule(node, isl_multi_union_pw_aff_from_union_pw_aff_list(space, list));
  node = isl_schedule_node_band_set_permutable(node, 1);
  for (int i = 0; i < rows->n; i++)
    node = isl_schedule_node_band_member_set_coincident(node, i, rows->coincident[i]);
  return node;
}

/* O - T1 - T2 - Q in place of NODE's band; the result stands at Q. */
static isl_schedule_node *insert_tiles(struct band *band, __isl_take isl_schedule_node *node)
{
  struct rows outer = {0}, blocks = {0}, tiles = {0}, points = {0};
  const struct roles *roles = &band->roles;
  const int nr = band->tile.vectors * band->tile.lanes;
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_union_pw_aff *row = NULL, *vector = NULL;
  bool coincident[MAX_MEMBERS];
  for (int m = 0; m < band->n; m++)
    coincident[m] = isl_schedule_node_band_member_get_coincident(node, m) == isl_bool_true;
  for (int m = 0; m < band->n; m++) {
    isl_union_pw_aff *member = isl_multi_union_pw_aff_get_at(partial, m);
    if (m == roles->row)
      row = member;
    else if (m == roles->vector)
      vector = member;
    else if (!(roles->reduction >> m & 1))
      rows_add(&outer, member, coincident[m]);
    else
      isl_union_pw_aff_free(member);
  }
  if (roles->skewed) {
    vector = isl_union_pw_aff_add(vector, isl_union_pw_aff_copy(row));
    coincident[roles->vector] = coincident[roles->vector] && coincident[roles->row];
  }
  rows_add(&blocks, quotient(isl_union_pw_aff_copy(row), band->row_block), coincident[roles->row]);
  row = remainder_of(row, band->row_block);
  for (int m = 0; m < band->n; m++)
    if (roles->reduction >> m & 1) {
      isl_union_pw_aff *member = isl_multi_union_pw_aff_get_at(partial, m);
      if (band->reduction_block) {
        rows_add(&blocks, quotient(isl_union_pw_aff_copy(member), band->reduction_block), coincident[m]);
        member = remainder_of(member, band->reduction_block);
      }
      rows_add(&points, member, coincident[m]);
    }
  isl_multi_union_pw_aff_free(partial);
  rows_add(&blocks, quotient(isl_union_pw_aff_copy(vector), nr), coincident[roles->vector]);
  rows_add(&tiles, quotient(isl_union_pw_aff_copy(row), band->tile.rows), coincident[roles->row]);
  rows_add(&points, remainder_of(row, band->tile.rows), coincident[roles->row]);
  rows_add(&points, remainder_of(vector, nr), coincident[roles->vector]);
  node = insert_band(isl_schedule_node_delete(node), &points);
  node = insert_band(node, &tiles);
  node = insert_band(node, &blocks);
  node = insert_band(node, &outer);
  for (int i = outer.n > 0 ? 3 : 2; i > 0; i--)
    node = isl_schedule_node_child(node, 0);
  return node;
}

/* ---- which instances ---- */

/* Dimensions of the schedule space down to Q. */
struct layout {
  int n, first;           /* all; the first of Q, whose last two are row and vector */
  isl_multi_aff *members; /* { [all of the new ones] -> [those of the old band and around it] } */
  isl_set *box;           /* { [new] : within blocks and tiles } */
};

/* X += FACTOR * dimension POS of SPACE's set */
static isl_aff *add_dim(__isl_take isl_aff *x, int pos, int factor)
{
  return isl_aff_add_coefficient_si(x, isl_dim_in, pos, factor);
}

static isl_set *bound(__isl_take isl_set *box, int pos, int size)
{
  box = isl_set_lower_bound_si(box, isl_dim_set, pos, 0);
  return isl_set_upper_bound_si(box, isl_dim_set, pos, size - 1);
}

static struct layout make_layout(struct band *band, __isl_take isl_space *old)
{
  struct layout layout = {0};
  const struct roles *roles = &band->roles;
  int n_reduction = band->tile.n_reduction, n_outer = band->n - 2 - n_reduction, nr = band->tile.vectors * band->tile.lanes;
  int blocks = band->depth + n_outer, n_blocks = band->reduction_block ? 3 : 2, tiles = blocks + n_blocks;
  layout.first = tiles + 1;
  layout.n = layout.first + n_reduction + 2;
  isl_space *space =
      isl_space_add_dims(isl_space_set_from_params(isl_space_params(isl_space_copy(old))), isl_dim_set, layout.n);
  isl_local_space *local = isl_local_space_from_space(isl_space_copy(space));
  isl_aff_list *list = isl_aff_list_alloc(isl_space_get_ctx(old), band->depth + band->n);
  layout.box = isl_set_universe(isl_space_copy(space));
  int outer = band->depth, reduction = layout.first, row = layout.n - 2, vector = layout.n - 1;
  for (int i = 0; i < band->depth + band->n; i++) {
    int m = i - band->depth;
    isl_aff *x = isl_aff_zero_on_domain(isl_local_space_copy(local));
    if (m < 0) {
      x = add_dim(x, i, 1);
    } else if (m == roles->row) {
      x = add_dim(add_dim(add_dim(x, blocks, band->row_block), tiles, band->tile.rows), row, 1);
      layout.box = bound(bound(layout.box, row, band->tile.rows), tiles, band->row_block / band->tile.rows);
    } else if (m == roles->vector) {
      x = add_dim(add_dim(x, tiles - 1, nr), vector, 1);
      if (roles->skewed)
        x = add_dim(add_dim(add_dim(x, blocks, -band->row_block), tiles, -band->tile.rows), row, -1);
      layout.box = bound(layout.box, vector, nr);
    } else if (roles->reduction >> m & 1) {
      x = add_dim(x, reduction, 1);
      if (band->reduction_block) {
        x = add_dim(x, blocks + 1, band->reduction_block);
        layout.box = bound(layout.box, reduction, band->reduction_block);
      }
      reduction++;
    } else {
      x = add_dim(x, outer++, 1);
    }
    list = isl_aff_list_add(list, x);
  }
  isl_local_space_free(local);
  layout.members = isl_multi_aff_from_aff_list(isl_space_map_from_domain_and_range(space, old), list);
  return layout;
}

static void layout_clear(struct layout *layout)
{
  isl_multi_aff_free(layout->members);
  isl_set_free(layout->box);
}

/* TIMES, of which trailing dimensions were dropped, with these free again within their bounds. */
static isl_set *refill(struct layout *layout, __isl_take isl_set *times)
{
  times = isl_set_add_dims(times, isl_dim_set, layout->n - (int)isl_set_dim(times, isl_dim_set));
  return isl_set_intersect(times, isl_set_copy(layout->box));
}

/* { [.., k] : TIMES has the points of ROW and, unless it is negative, of VECTOR } */
static isl_set *slices_with(struct layout *layout, isl_set *times, int row, int vector)
{
  isl_set *some = isl_set_fix_si(isl_set_copy(times), isl_dim_set, layout->n - 2, row);
  if (vector >= 0)
    some = isl_set_fix_si(some, isl_dim_set, layout->n - 1, vector);
  return isl_set_project_out(some, isl_dim_set, layout->n - 2, 2);
}

/* { [.., k] : all points of the tile are in TIMES }, which is convex: its corners tell. */
static isl_set *full_slices(struct band *band, struct layout *layout, isl_set *times)
{
  int row = band->tile.rows - 1, vector = band->tile.vectors * band->tile.lanes - 1;
  isl_set *full = isl_set_intersect(slices_with(layout, times, 0, 0), slices_with(layout, times, 0, vector));
  full = isl_set_intersect(full, slices_with(layout, times, row, 0));
  return isl_set_intersect(full, slices_with(layout, times, row, vector));
}

/* Those of TIMES in slices that are not FULL but have a point in each row, where all k of a tile have the same points. */
static isl_set *masked_times(struct band *band, struct layout *layout, isl_set *times, isl_set *full)
{
  int n_reduction = band->tile.n_reduction;
  isl_set *some = isl_set_intersect(slices_with(layout, times, 0, -1), slices_with(layout, times, band->tile.rows - 1, -1));
  some = isl_set_coalesce(isl_set_subtract(some, isl_set_copy(full)));
  if (isl_set_n_basic_set(some) > MAX_MASKED_PIECES) {
    isl_space *space = isl_set_get_space(times);
    isl_set_free(some);
    return isl_set_empty(space);
  }
  some = isl_set_intersect(refill(layout, some), isl_set_copy(times));
  isl_set *slices = refill(layout, isl_set_project_out(isl_set_copy(some), isl_dim_set, layout->n - 2, 2));
  isl_set *points = isl_set_project_out(isl_set_copy(some), isl_dim_set, layout->first, n_reduction);
  points = isl_set_insert_dims(points, isl_dim_set, layout->first, n_reduction);
  isl_set *missing = isl_set_subtract(isl_set_intersect(slices, points), isl_set_copy(some));
  missing = isl_set_project_out(missing, isl_dim_set, layout->first, n_reduction + 2);
  return isl_set_coalesce(isl_set_subtract(some, refill(layout, missing)));
}

/* What runs under one mark, or the rest. */
struct part {
  const struct form *form; /* NULL: the rest */
  isl_union_set *domain;
  bool masked;
};

struct parts {
  struct part part[MAX_PARTS];
  int n;
};

static void parts_clear(struct parts *parts)
{
  for (int i = 0; i < parts->n; i++)
    isl_union_set_free(parts->part[i].domain);
  parts->n = 0;
}

/* { x -> y : WRITE at x and OTHER at y access one element }, for instances in DOMAIN */
static isl_union_map *meetings(struct tsr_access *write, struct tsr_access *other, isl_set *domain)
{
  isl_map *from = isl_map_intersect_domain(isl_map_copy(write->relation), isl_set_copy(domain));
  isl_map *to = isl_map_intersect_domain(isl_map_copy(other->relation), isl_set_copy(domain));
  return isl_union_map_from_map(isl_map_apply_range(from, isl_map_reverse(to)));
}

/* Does each element that FORM writes belong to one row and vector of the band with members PARTIAL? */
static bool owns_elements(struct band *band, const struct form *form, isl_multi_union_pw_aff *partial)
{
  struct tsr_access *write = &form->stmt->access[form->write];
  isl_union_map *pairs = meetings(write, write, form->stmt->domain), *same = isl_union_map_copy(pairs);
  int member[2] = {band->roles.row, band->roles.vector};
  for (int i = 0; i < 2; i++)
    same = isl_union_map_eq_at_multi_union_pw_aff(same, tsr_member_schedule(partial, member[i]));
  isl_bool all = isl_union_map_is_subset(pairs, same);
  isl_union_map_free(pairs);
  isl_union_map_free(same);
  return all == isl_bool_true;
}

/* May the elements that FORM writes in PART stay in registers, during one run of what is below NODE, which stands at Q? No
 * other access may touch them there. */
static bool may_hold(const struct form *form, isl_set *part, isl_schedule_node *node)
{
  bool may = true;
  struct tsr_access *access = form->stmt->access;
  for (int i = 0; i < form->stmt->n_access && may; i++) {
    if (is_folded(form, i) || access[i].array != access[form->write].array)
      continue;
    isl_union_map *pairs = meetings(&access[form->write], &access[i], part);
    pairs = isl_union_map_eq_at_multi_union_pw_aff(pairs, isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(node));
    may = isl_union_map_is_empty(pairs) == isl_bool_true;
    isl_union_map_free(pairs);
  }
  return may;
}

static isl_aff *aff_quotient(__isl_take isl_aff *aff, int size)
{
  return isl_aff_floor(isl_aff_scale_down_ui(aff, (unsigned)size));
}

static isl_aff *aff_remainder(__isl_take isl_aff *aff, int size)
{
  isl_ctx *ctx = isl_aff_get_ctx(aff);
  return isl_aff_mod_val(aff, isl_val_int_from_si(ctx, size));
}

/* { S[i] -> [all of the new dimensions] }, with the divisions that the new bands have. */
static isl_multi_aff *new_time(struct band *band, const struct form *form, struct layout *layout)
{
  const struct roles *roles = &band->roles;
  const int nr = band->tile.vectors * band->tile.lanes, blocks = band->row_block;
  isl_space *space = isl_space_domain(isl_multi_aff_get_space(form->time));
  isl_aff_list *list = isl_aff_list_alloc(isl_space_get_ctx(space), layout->n);
  isl_aff *row = isl_multi_aff_get_aff(form->time, band->depth + roles->row);
  isl_aff *vector = isl_multi_aff_get_aff(form->time, band->depth + roles->vector);
  if (roles->skewed)
    vector = isl_aff_add(vector, isl_aff_copy(row));
  for (int i = 0; i < band->depth; i++)
    list = isl_aff_list_add(list, isl_multi_aff_get_aff(form->time, i));
  for (int m = 0; m < band->n; m++)
    if (m != roles->row && m != roles->vector && !(roles->reduction >> m & 1))
      list = isl_aff_list_add(list, isl_multi_aff_get_aff(form->time, band->depth + m));
  list = isl_aff_list_add(list, aff_quotient(isl_aff_copy(row), blocks));
  for (int m = 0; m < band->n && band->reduction_block; m++)
    if (roles->reduction >> m & 1)
      list = isl_aff_list_add(list, aff_quotient(isl_multi_aff_get_aff(form->time, band->depth + m), band->reduction_block));
  list = isl_aff_list_add(list, aff_quotient(isl_aff_copy(vector), nr));
  row = aff_remainder(row, blocks);
  list = isl_aff_list_add(list, aff_quotient(isl_aff_copy(row), band->tile.rows));
  for (int m = 0; m < band->n; m++)
    if (roles->reduction >> m & 1) {
      isl_aff *member = isl_multi_aff_get_aff(form->time, band->depth + m);
      list = isl_aff_list_add(list, band->reduction_block ? aff_remainder(member, band->reduction_block) : member);
    }
  list = isl_aff_list_add(list, aff_remainder(row, band->tile.rows));
  list = isl_aff_list_add(list, aff_remainder(vector, nr));
  isl_space *range = isl_space_domain(isl_multi_aff_get_space(layout->members));
  return isl_multi_aff_from_aff_list(isl_space_map_from_domain_and_range(space, range), list);
}

/* The instances of FORM at TIMES. */
static isl_set *instances_at(struct band *band, const struct form *form, struct layout *layout, __isl_take isl_set *times)
{
  isl_set *instances = isl_set_preimage_multi_aff(times, new_time(band, form, layout));
  instances = isl_set_intersect(instances, isl_set_copy(form->domain));
  return isl_set_gist_params(instances, tsr_scop_telling(band->scop));
}

/* Make a part of the instances of FORM at TIMES, and take these from *OTHERS, if there are any and it may be one. */
static void add_part(struct band *band, struct parts *parts, const struct form *form, struct layout *layout,
                     __isl_take isl_set *times, bool masked, isl_schedule_node *node, isl_set **others)
{
  if (isl_set_is_empty(times) != isl_bool_false) {
    isl_set_free(times);
    return;
  }
  isl_set *part = instances_at(band, form, layout, isl_set_copy(times));
  if (may_hold(form, part, node)) {
    parts->part[parts->n++] = (struct part){form, isl_union_set_from_set(part), masked};
    *others = isl_set_subtract(*others, times);
  } else {
    isl_set_free(part);
    isl_set_free(times);
  }
}

/* The times of FORM, if they are convex and without divisions; else NULL. */
static isl_set *plain_times(const struct form *form, struct layout *layout)
{
  isl_map *old =
      isl_map_intersect_domain(isl_map_from_multi_aff(isl_multi_aff_copy(form->time)), isl_set_copy(form->domain));
  isl_set *times = isl_set_preimage_multi_aff(isl_map_range(old), isl_multi_aff_copy(layout->members));
  times = isl_set_coalesce(isl_set_intersect(times, isl_set_copy(layout->box)));
  bool plain = isl_set_n_basic_set(times) == 1;
  if (plain) {
    isl_basic_set_list *list = isl_set_get_basic_set_list(times);
    isl_basic_set *only = isl_basic_set_list_get_at(list, 0);
    plain = isl_basic_set_dim(only, isl_dim_div) == 0;
    isl_basic_set_free(only);
    isl_basic_set_list_free(list);
  }
  if (!plain)
    times = isl_set_free(times);
  return times;
}

/* Which forms are usable? NODE stands at the old band. */
static void choose_forms(struct band *band, isl_schedule_node *node)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  for (int f = 0; f < band->n_form; f++) {
    struct form *form = &band->form[f];
    form->usable = form_takes(band, form, &band->roles) && owns_elements(band, form, partial);
  }
  isl_multi_union_pw_aff_free(partial);
}

/* The parts of FORM; *REST loses their instances. What is left of FORM is found by times, where it has no divisions. */
static void find_form_parts(struct band *band, struct parts *parts, const struct form *form, isl_schedule_node *node,
                            bool masked, isl_union_set **rest)
{
  struct layout layout = make_layout(band, isl_space_range(isl_multi_aff_get_space(form->time)));
  isl_set *times = plain_times(form, &layout);
  int n = parts->n;
  if (times) {
    isl_set *full = full_slices(band, &layout, times), *others = isl_set_copy(times);
    if (masked)
      add_part(band, parts, form, &layout, masked_times(band, &layout, times, full), true, node, &others);
    add_part(band, parts, form, &layout, refill(&layout, full), false, node, &others);
    others = instances_at(band, form, &layout, isl_set_coalesce(others));
    if (parts->n > n) {
      *rest = isl_union_set_subtract(*rest, isl_union_set_from_set(isl_set_universe(isl_set_get_space(others))));
      *rest = isl_union_set_union(*rest, isl_union_set_from_set(others));
    } else {
      isl_set_free(others);
    }
  }
  isl_set_free(times);
  layout_clear(&layout);
}

/* All parts, and the rest if there is one. NODE stands at Q. */
static void find_parts(struct band *band, struct parts *parts, isl_schedule_node *node, bool masked)
{
  isl_union_set *rest = isl_schedule_node_get_domain(node);
  for (int f = 0; f < band->n_form; f++)
    if (band->form[f].usable)
      find_form_parts(band, parts, &band->form[f], node, masked, &rest);
  if (parts->n == 0 || isl_union_set_is_empty(rest) == isl_bool_true)
    isl_union_set_free(rest);
  else
    parts->part[parts->n++] = (struct part){NULL, rest, false};
}

/* Is there one of PAIRS { S -> T } from A to B? */
static isl_bool leads_to(isl_union_map *pairs, const struct part *a, const struct part *b)
{
  pairs = isl_union_map_intersect_domain(isl_union_map_copy(pairs), isl_union_set_copy(a->domain));
  pairs = isl_union_map_intersect_range(pairs, isl_union_set_copy(b->domain));
  isl_bool none = isl_union_map_is_empty(pairs);
  isl_union_map_free(pairs);
  return isl_bool_not(none);
}

/* Sort PARTS by the dependences between them in one run of what is below NODE; false if they run in a circle. */
static bool sort_parts(struct band *band, struct parts *parts, isl_schedule_node *node)
{
  bool edge[MAX_PARTS][MAX_PARTS] = {{false}};
  struct parts sorted = {.n = 0};
  bool done[MAX_PARTS] = {false};
  isl_union_map *deps = isl_union_map_union(isl_union_map_copy(band->deps->flow), isl_union_map_copy(band->deps->anti));
  deps = isl_union_map_union(deps, isl_union_map_copy(band->deps->output));
  deps = isl_union_map_union(deps, isl_union_map_copy(band->deps->scalar));
  deps = tsr_node_open_dependences(node, deps);
  for (int i = 0; i < parts->n; i++)
    for (int j = 0; j < parts->n; j++)
      edge[i][j] = i != j && leads_to(deps, &parts->part[i], &parts->part[j]) != isl_bool_false;
  isl_union_map_free(deps);
  for (bool progress = true; progress;) {
    progress = false;
    for (int j = 0; j < parts->n && !progress; j++) {
      bool ready = !done[j];
      for (int i = 0; i < parts->n; i++)
        ready &= done[i] || !edge[i][j];
      if (!ready)
        continue;
      sorted.part[sorted.n++] = parts->part[j];
      done[j] = progress = true;
    }
  }
  bool all = sorted.n == parts->n;
  if (all)
    *parts = sorted;
  return all;
}

/* The sequence of PARTS, if there are two, in place of Q at NODE, with marks. */
static isl_schedule_node *insert_parts(struct band *band, isl_schedule_node *node, struct parts *parts)
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
    const struct form *form = parts->part[i].form;
    if (!form)
      continue;
    struct tsr_register_tile tile = band->tile;
    tile.n_dim = isl_set_dim(form->stmt->domain, isl_dim_set);
    memcpy(tile.step, form->step[band->roles.vector].delta, sizeof(tile.step));
    node = parts->n > 1 ? isl_schedule_node_grandchild(node, i, 0) : node;
    node = isl_schedule_node_insert_mark(node, mark_id(ctx, &tile));
    node = parts->n > 1 ? isl_schedule_node_parent(isl_schedule_node_parent(node)) : node;
  }
  return node;
}

/* The parts in an order that the dependences allow: with masked ones if possible. */
static bool order_parts(struct band *band, struct parts *parts, isl_schedule_node *node, bool masked)
{
  find_parts(band, parts, node, masked);
  if (parts->n > 0 && sort_parts(band, parts, node))
    return true;
  parts_clear(parts);
  return false;
}

isl_schedule_node *tsr_band_registers(isl_schedule_node *node, struct tsr_scop *scop, struct tsr_deps *deps,
                                      const struct tsr_options *opt, bool masked, bool *found)
{
  isl_size depth = isl_schedule_node_get_schedule_depth(node), n = isl_schedule_node_band_n_member(node);
  struct band band = {.scop = scop, .deps = deps, .depth = depth, .n = n};
  struct parts parts = {.n = 0};
  *found = false;
  if (n < 3 || n > MAX_MEMBERS - 2 || depth < 0 || isl_schedule_node_band_get_permutable(node) != isl_bool_true ||
      tsr_node_has_band_below(node) != isl_bool_false)
    return node;
  if (tsr_node_foreach_leaf(node, add_leaf, &band) == isl_stat_ok && choose_roles(&band)) {
    choose_blocks(&band, opt);
    choose_forms(&band, node);
    isl_schedule_node *tiled = insert_tiles(&band, isl_schedule_node_copy(node));
    bool outer = band.n > 2 + band.tile.n_reduction;
    *found = (masked && order_parts(&band, &parts, tiled, true)) || order_parts(&band, &parts, tiled, false);
    if (*found) {
      isl_schedule_node_free(node);
      node = isl_schedule_node_ancestor(insert_parts(&band, tiled, &parts), outer ? 3 : 2);
    } else {
      isl_schedule_node_free(tiled);
    }
  }
  parts_clear(&parts);
  band_clear(&band);
  return node;
}
