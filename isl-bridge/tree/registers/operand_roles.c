/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which members of a band are row, vector and reductions, how large are the tiles?
 *
 * Each statement that folds is looked at by how its accesses move along each member; the deepest one decides. Of the tiles
 * that leave enough registers the cheapest is taken, the smaller one of two that cost the same. */
#include "tree/registers/registers.h"
#include "model/thresholds.h"
#include <isl/ilp.h>
#include <isl/val.h>
#include <limits.h>
#include <stdlib.h>

#define MAX_ROWS 12
#define MAX_VECTORS 8
#define MAX_LANES 64

void tsr_register_band_clear(struct tsr_register_band *band)
{
  for (int i = 0; i < band->n_form; i++) {
    isl_multi_aff_free(band->form[i].time);
    isl_set_free(band->form[i].domain);
    for (int m = 0; m < band->n; m++)
      free(band->form[i].stride[m]);
    free(band->form[i].written);
  }
}

/* The one write of STMT, of an element that STMT reads by the same subscripts; -1 if there is none. */
static int find_fold(struct tsr_scop *scop, struct tsr_stmt *stmt)
{
  int write = tsr_stmt_only_write(stmt);
  bool read = false, memory = true;
  for (int i = 0; i < stmt->n_access && write >= 0; i++) {
    memory &= scop->arrays[stmt->access[i].array].kind == TSR_ARRAY_MEMORY;
    read |= i != write && stmt->access[i].array == stmt->access[write].array &&
            isl_map_plain_is_equal(stmt->access[i].relation, stmt->access[write].relation) == isl_bool_true;
  }
  return read && memory ? write : -1;
}

bool tsr_form_is_folded(const struct tsr_form *form, int i)
{
  struct tsr_access *access = &form->stmt->access[i], *write = &form->stmt->access[form->write];
  return access->array == write->array && isl_map_plain_is_equal(access->relation, write->relation) == isl_bool_true;
}

/* Does a statement below the band write the array of ACCESS? */
static bool is_written(struct tsr_register_band *band, isl_union_set *domain, const struct tsr_access *access)
{
  bool written = false;
  for (int s = 0; s < band->scop->n_stmt && !written; s++) {
    struct tsr_stmt *stmt = &band->scop->stmts[s];
    bool writes = false;
    for (int i = 0; i < stmt->n_access; i++)
      writes |= stmt->access[i].kind != TSR_READ && stmt->access[i].array == access->array;
    if (!writes)
      continue;
    isl_set *part = isl_union_set_extract_set(domain, isl_set_get_space(stmt->domain));
    written = isl_set_is_empty(part) != isl_bool_true;
    isl_set_free(part);
  }
  return written;
}

/* The difference between the greatest and the least value of dimension POS of TIMES, plus 1; LONG_MAX: no bound is known. */
static long extent_of(isl_set *times, int pos)
{
  isl_val *most = isl_set_dim_max_val(isl_set_copy(times), pos), *least = isl_set_dim_min_val(isl_set_copy(times), pos);
  isl_val *extent = isl_val_sub(most, least);
  long n = isl_val_is_int(extent) == isl_bool_true && isl_val_cmp_si(extent, 1 << 30) < 0 ? isl_val_get_num_si(extent) + 1
                                                                                          : LONG_MAX;
  isl_val_free(extent);
  return n;
}

static isl_stat add_form(struct tsr_order *order, void *user)
{
  struct tsr_register_band *band = user;
  int write = order->stmt->vector_bytes && order->time ? find_fold(band->scop, order->stmt) : -1;
  if (write < 0 || band->n_form == MAX_FORMS || isl_set_dim(order->stmt->domain, isl_dim_set) > TSR_MAX_DIM ||
      isl_multi_aff_dim(order->time, isl_dim_out) != band->depth + band->n)
    return isl_stat_ok;
  struct tsr_form *form = &band->form[band->n_form];
  *form = (struct tsr_form){.stmt = order->stmt, .write = write};
  for (int m = 0; m < band->n; m++) {
    long elements;
    tsr_step_init(&form->step[m], order, band->depth + m);
    form->stride[m] = calloc(order->stmt->n_access, sizeof(*form->stride[m]));
    for (int i = 0; i < order->stmt->n_access; i++)
      form->stride[m][i] = tsr_access_stride(order->stmt->access[i].relation, &form->step[m]);
    if (form->step[m].fixed && !form->step[m].empty &&
        tsr_array_move(&band->scop->arrays[order->stmt->access[write].array], order->stmt->access[write].relation,
                       form->step[m].delta, &elements))
      form->next[m] = labs(elements) <= TSR_MOST_PITCH ? (int)elements : 0;
    form->step[m].order = NULL;
  }
  isl_set *times = isl_set_apply(isl_set_copy(order->domain), isl_map_from_multi_aff(isl_multi_aff_copy(order->time)));
  for (int m = 0; m < band->n; m++)
    form->extent[m] = extent_of(times, band->depth + m);
  isl_set_free(times);
  isl_union_set *domain = isl_schedule_node_get_domain(band->node);
  form->written = calloc(order->stmt->n_access, sizeof(*form->written));
  for (int i = 0; i < order->stmt->n_access; i++)
    form->written[i] = is_written(band, domain, &order->stmt->access[i]);
  isl_union_set_free(domain);
  form->time = isl_multi_aff_copy(order->time);
  form->domain = isl_set_copy(order->domain);
  band->n_form++;
  return isl_stat_ok;
}

/* Those of the statements below LEAF that have a time in all members. */
static isl_stat add_leaf(isl_schedule_node *leaf, void *user)
{
  struct tsr_register_band *band = user;
  return tsr_leaf_foreach_order(leaf, band->scop, tsr_scop_common(band->scop), add_form, band);
}

enum tsr_stride tsr_form_row_stride(const struct tsr_form *form, const struct tsr_roles *roles, int i)
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

bool tsr_form_takes(const struct tsr_register_band *band, const struct tsr_form *form, const struct tsr_roles *roles)
{
  int w = form->write;
  bool reuse = false, guarded = tsr_stmt_is_guarded(form->stmt);
  if (roles->row < 0)
    return !guarded && tsr_form_takes_strip(band->scop, form, roles);
  if (guarded && (roles->skewed || __builtin_popcount(roles->reduction) != 1))
    return false;
  for (int i = 0; i < form->stmt->n_access; i++)
    if (form->stmt->access[i].guard && form->stride[roles->vector][i] != TSR_STRIDE_ZERO)
      return false;
  if (form->next[roles->vector] * tsr_roles_way(roles) <= 0 || tsr_form_row_stride(form, roles, w) != TSR_STRIDE_OTHER ||
      !roles->reduction)
    return false;
  for (int m = 0; m < band->n; m++) {
    bool reduction = roles->reduction >> m & 1;
    if (form->stride[m][w] == TSR_STRIDE_NONE && (reduction || m == roles->row || m == roles->vector))
      return false;
    if (reduction != (form->stride[m][w] == TSR_STRIDE_ZERO))
      return false;
  }
  for (int i = 0; i < form->stmt->n_access; i++)
    reuse |= !tsr_form_is_folded(form, i) && tsr_form_row_stride(form, roles, i) == TSR_STRIDE_ZERO &&
             form->stride[roles->vector][i] != TSR_STRIDE_ZERO;
  return reuse;
}

/* Sizes with few small divisors make the bounds of blocks of tiles, in whole cache lines, long. */
static bool is_smooth(int size)
{
  return size != 5 && size != 7 && size != 10 && size != 11;
}

/* May a tile have SIZE rows or vectors where WISH, unless it is 0, are asked for? */
static bool may_be(int size, int wish)
{
  return wish ? size == wish : is_smooth(size);
}

/* What the accesses of FORM are in tiles with ROLES, malloc'd. From a buffer there are only neighbours, and what depends on
 * the row alone is there already. */
static struct tsr_operand *find_operands(const struct tsr_register_band *band, const struct tsr_form *form,
                                         const struct tsr_roles *roles)
{
  struct tsr_operand *operand = calloc(form->stmt->n_access + 1, sizeof(*operand));
  for (int i = 0; operand && i < form->stmt->n_access; i++) {
    bool row_pack = false;
    long elements = 0;
    operand[i].held = tsr_form_is_folded(form, i);
    if (operand[i].held)
      continue;
    operand[i].by_row = tsr_form_row_stride(form, roles, i) != TSR_STRIDE_ZERO;
    operand[i].by_vector = form->stride[roles->vector][i] != TSR_STRIDE_ZERO;
    bool packed = tsr_form_packs(band, form, roles, i, &row_pack);
    bool own = !packed && tsr_array_move(&band->scop->arrays[form->stmt->access[i].array], form->stmt->access[i].relation,
                                         form->step[roles->vector].delta, &elements);
    long pitch = own ? elements * tsr_roles_way(roles) : packed;
    operand[i].lie = pitch == 1 ? TSR_LANES_NEXT : pitch > 1 && pitch <= TSR_MOST_PITCH ? TSR_LANES_SPREAD : TSR_LANES_APART;
    operand[i].pitch = operand[i].lie == TSR_LANES_SPREAD ? (int)pitch : 1;
    operand[i].computed = packed && row_pack;
  }
  return operand;
}

/* SET's values of dimensions A and B: { [a, b] }. */
static isl_set *two_dimensions(isl_set *set, int a, int b)
{
  isl_set *two = isl_set_copy(set);
  for (int d = (int)isl_set_dim(set, isl_dim_set) - 1; d >= 0; d--)
    if (d != a && d != b)
      two = isl_set_project_out(two, isl_dim_set, (unsigned)d, 1);
  return two;
}

/* Do the sums of FORM, over one member, end or begin elsewhere for other values of member M: at a diagonal? */
static bool has_diagonal(const struct tsr_register_band *band, const struct tsr_form *form, const struct tsr_roles *roles,
                         int m)
{
  if (__builtin_popcount(roles->reduction) != 1)
    return false;
  isl_set *times = isl_set_apply(isl_set_intersect_params(isl_set_copy(form->domain), tsr_scop_telling(band->scop)),
                                 isl_map_from_multi_aff(isl_multi_aff_copy(form->time)));
  isl_set *own = two_dimensions(times, band->depth + __builtin_ctz(roles->reduction), band->depth + m);
  isl_set *all =
      isl_set_intersect(isl_set_insert_dims(isl_set_project_out(isl_set_copy(own), isl_dim_set, 0, 1), isl_dim_set, 0, 1),
                        isl_set_insert_dims(isl_set_project_out(isl_set_copy(own), isl_dim_set, 1, 1), isl_dim_set, 1, 1));
  isl_bool box = isl_set_is_subset(all, own);
  isl_set_free(times);
  isl_set_free(own);
  isl_set_free(all);
  return box == isl_bool_false;
}

/* Cycles for an instance of FORM, for each column of a tile: of those at a diagonal, as much of all as there are columns in
 * a tile to those of the matrix, each waits for the one before, unless short vectors run there. */
static double diagonal_cost(struct tsr_register_band *band, const struct tsr_form *form, const struct tsr_roles *roles)
{
  struct tsr_edge_stmt edge;
  struct tsr_roles before = band->roles;
  band->roles = *roles;
  bool slow = has_diagonal(band, form, roles, roles->vector) &&
              (form->next[roles->vector] * tsr_roles_way(roles) > 1 || !tsr_form_is_edge(band, form, &edge));
  band->roles = before;
  return slow ? tsr_issue_one_by_one(form->stmt) / ASSUMED_PARAMETER : 0;
}

/* The best tile for FORM in BAND's tile and roles if it costs less than *COST. */
static void try_roles(struct tsr_register_band *band, const struct tsr_form *form, const struct tsr_roles *roles,
                      double *cost)
{
  int lanes = band->scop->machine.vector_bytes / form->stmt->vector_bytes;
  if (lanes < 2 || lanes > MAX_LANES || !tsr_form_takes(band, form, roles))
    return;
  struct tsr_operand *operand = find_operands(band, form, roles);
  double diagonal = diagonal_cost(band, form, roles);
  for (int rows = 2; operand && rows <= MAX_ROWS; rows++)
    for (int vectors = 1; vectors <= MAX_VECTORS; vectors++) {
      struct tsr_register_tile tile = {.rows = rows, .vectors = vectors, .lanes = lanes};
      bool may = may_be(rows, band->wish.rows) && may_be(vectors, band->wish.vectors);
      double this = may ? tsr_issue_tile(&band->scop->machine, form->stmt, &tile, operand) : -1;
      if (this < 0 || (*cost >= 0 && this + diagonal * vectors * lanes >= SAME_TILE * *cost))
        continue;
      this += diagonal * vectors * lanes;
      *cost = this;
      band->roles = *roles;
      band->tile = tile;
    }
  free(operand);
}

/* The roles that suit the deepest statements best, the first of them that can have any: it runs most often. */
static bool choose_roles(struct tsr_register_band *band)
{
  double cost = -1;
  isl_size deepest = 0;
  for (int f = 0; f < band->n_form; f++) {
    isl_size n = isl_set_dim(band->form[f].stmt->domain, isl_dim_set);
    deepest = n > deepest ? n : deepest;
  }
  for (int f = 0; f < band->n_form && cost < 0; f++) {
    struct tsr_form *form = &band->form[f];
    struct tsr_roles roles = {0};
    if (isl_set_dim(form->stmt->domain, isl_dim_set) < deepest)
      continue;
    for (int m = 0; m < band->n; m++)
      roles.reduction |= (unsigned)(form->stride[m][form->write] == TSR_STRIDE_ZERO) << m;
    for (int skewed = 0; skewed < 2; skewed++)
      for (roles.vector = 0; roles.vector < band->n; roles.vector++)
        for (roles.row = band->n - 1; roles.row >= 0; roles.row--) {
          if (roles.row == roles.vector)
            continue;
          roles.backwards = form->next[roles.vector] < 0;
          roles.skewed = skewed;
          try_roles(band, form, &roles, &cost);
        }
  }
  band->cost = cost;
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

/* How many operands of BAND's forms are packed by rows and by vectors, at least one of each: blocks hold parts of all. */
static void count_packs(const struct tsr_register_band *band, int *by_rows, int *by_vectors)
{
  *by_rows = *by_vectors = 0;
  for (int f = 0; f < band->n_form; f++)
    for (int i = 0; i < band->form[f].stmt->n_access && band->form[f].usable; i++) {
      bool by_row;
      if (tsr_form_packs(band, &band->form[f], &band->roles, i, &by_row) && !tsr_form_repeats(&band->form[f], i))
        ++*(by_row ? by_rows : by_vectors);
    }
  if (*by_rows == 0)
    *by_rows = 1;
  if (*by_vectors == 0)
    *by_vectors = 1;
}

static void choose_blocks(struct tsr_register_band *band)
{
  const struct tsr_machine *machine = &band->scop->machine;
  struct tsr_register_tile *tile = &band->tile;
  double cache = machine->cache[machine->n_cache > 1 ? 1 : 0].size;
  int size = machine->vector_bytes / tile->lanes, n_reduction = __builtin_popcount(band->roles.reduction), by_rows,
      by_vectors;
  count_packs(band, &by_rows, &by_vectors);
  int elements = by_rows * tile->rows + by_vectors * tile->vectors * tile->lanes;
  band->reduction_block = n_reduction == 1 ? fitting(cache / 8, elements, size) : 0;
  if (band->reduction_block && band->wish.sum_block)
    band->reduction_block = band->wish.sum_block;
  int deep = band->reduction_block ? band->reduction_block : 256;
  band->row_block = (int)(0.75 * cache / deep / size / by_rows);
  if (band->row_block < 16)
    band->row_block = 16;
  if (band->wish.most_row_block > 0 && band->row_block > band->wish.most_row_block)
    band->row_block = band->wish.most_row_block;
  if (band->wish.row_block)
    band->row_block = band->wish.row_block;
  band->row_block = (band->row_block + tile->rows - 1) / tile->rows * tile->rows;
  tile->n_reduction = n_reduction;
}

bool tsr_register_band_find_forms(struct tsr_register_band *band)
{
  if (!band->has_forms)
    band->has_forms = tsr_node_foreach_leaf(band->node, add_leaf, band) == isl_stat_ok && band->n_form > 0;
  return band->has_forms;
}

bool tsr_register_band_choose(struct tsr_register_band *band)
{
  if (!tsr_register_band_find_forms(band) || !choose_roles(band))
    return false;
  choose_blocks(band);
  return true;
}
