/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Strides, and what instances of one statement have in common.
 *
 *   order   { S[i] -> [t0, ..., tn] }   all band members from the root to the leaf of S (leaf_orders.c)
 *   step    order . { t -> t + b e_pos } . order^-1  the next instance when only one loop moves on, b = 1 but where loop
 *                                                    t_pos only runs every which time, as in i % 2 = 0
 *   stride  deltas of access^-1 . step . access      constant for affine accesses and uniform steps
 *
 * The differences between two instances solve linear equations, with those of their divs as further unknowns: that is cheap
 * and mostly enough. What they leave open is asked of isl. */
#include "access/access.h"
#include "support/support.h"
#include <isl/ilp.h>
#include <isl/mat.h>
#include <isl/space.h>
#include <isl/val.h>
#include <string.h>

/* { S[i] -> S[i'] : ORDER(i') = ORDER(i) but for dimension POS, which is BY larger }. ORDER: { S[i] -> [t] } */
static isl_map *step_map(isl_map *order, int pos, int by)
{
  isl_multi_aff *next = isl_multi_aff_identity_on_domain_space(isl_space_range(isl_map_get_space(order)));
  isl_aff *moved = isl_aff_add_constant_si(isl_multi_aff_get_aff(next, pos), by);
  next = isl_multi_aff_set_aff(next, pos, moved);
  isl_map *step = isl_map_apply_range(isl_map_copy(order), isl_map_from_multi_aff(next));
  return isl_map_apply_range(step, isl_map_reverse(isl_map_copy(order)));
}

/* The constant value of dimension POS of DELTAS in *VALUE; false where there is none. */
static isl_bool fixed_value(isl_set *deltas, int pos, long *value)
{
  isl_val *v = isl_set_plain_get_val_if_fixed(deltas, isl_dim_set, pos);
  isl_bool is_int = isl_val_is_int(v);
  if (is_int == isl_bool_true)
    *value = isl_val_get_num_si(v);
  isl_val_free(v);
  return is_int;
}

/* The differences that MAP makes, as constants in VALUE where each dimension has one. *EMPTY: MAP is empty. */
static bool fixed_deltas(isl_map *map, long value[TSR_MAX_DIM], bool *empty)
{
  isl_set *deltas = isl_set_detect_equalities(isl_set_coalesce(isl_map_deltas(isl_map_copy(map))));
  isl_size n = isl_set_dim(deltas, isl_dim_set);
  bool fixed = n >= 0 && n <= TSR_MAX_DIM;
  *empty = isl_set_is_empty(deltas) != isl_bool_false;
  for (int i = 0; i < n && fixed && !*empty; i++)
    fixed = fixed_value(deltas, i, &value[i]) == isl_bool_true;
  isl_set_free(deltas);
  return fixed && !*empty;
}

/* ---- steps from equalities: what holds for both ends of a step with the same constant holds for its difference ---- */

#define MAX_COLUMNS 48
#define MAX_ROWS 32

/* Linear equations over the integers, solved in place: the differences of instances and divs are unknown. */
struct equations {
  int n_row;
  long row[MAX_ROWS][MAX_COLUMNS + 1]; /* unknowns: dimensions, then divs; the right-hand side */
};

/* An integer of the size that equations hold in *VALUE; false if it is none. */
static bool small_value(__isl_take isl_val *v, long *value)
{
  bool small = isl_val_is_int(v) == isl_bool_true && isl_val_cmp_si(v, 1 << 20) < 0 && isl_val_cmp_si(v, -(1 << 20)) > 0;
  *value = small ? isl_val_get_num_si(v) : 0;
  isl_val_free(v);
  return small;
}

/* Are A and B one function? Local spaces may differ. */
static bool is_same_aff(isl_aff *a, isl_aff *b)
{
  isl_aff *difference = isl_aff_sub(isl_aff_copy(a), isl_aff_copy(b));
  isl_bool zero = isl_aff_plain_is_zero(difference);
  isl_aff_free(difference);
  return zero == isl_bool_true;
}

/* The column of DIV among the *N of DIVS, a new one if it is not there. */
static int div_column(isl_aff **divs, int *n, __isl_take isl_aff *div)
{
  for (int i = 0; i < *n; i++)
    if (is_same_aff(divs[i], div)) {
      isl_aff_free(div);
      return i;
    }
  divs[*n] = div;
  return (*n)++;
}

/* Add a row: dimension K of TIME changes by BY. */
static bool equations_add_time(struct equations *e, isl_multi_aff *time, int k, int by, isl_aff **divs, int *n_div)
{
  long *row = e->row[e->n_row++];
  isl_aff *aff = isl_multi_aff_get_aff(time, k);
  isl_size n_in = isl_aff_dim(aff, isl_dim_in), n = isl_aff_dim(aff, isl_dim_div);
  bool fits = n_in >= 0 && n >= 0;
  for (int i = 0; i < n_in && fits; i++)
    fits = small_value(isl_aff_get_coefficient_val(aff, isl_dim_in, i), &row[i]);
  for (int i = 0; i < n && fits; i++) {
    long factor;
    fits = n_in + *n_div < MAX_COLUMNS && small_value(isl_aff_get_coefficient_val(aff, isl_dim_div, i), &factor);
    if (fits && factor)
      row[n_in + div_column(divs, n_div, isl_aff_get_div(aff, i))] += factor;
  }
  row[MAX_COLUMNS] = by;
  isl_aff_free(aff);
  return fits;
}

/* Add the rows that DOMAIN's equalities give; N_DIV columns are in use for divs. */
static bool equations_add_domain(struct equations *e, isl_basic_set *domain, int n_div)
{
  isl_size n_in = isl_basic_set_dim(domain, isl_dim_set), n = isl_basic_set_dim(domain, isl_dim_div);
  isl_mat *mat = isl_basic_set_equalities_matrix(domain, isl_dim_set, isl_dim_div, isl_dim_param, isl_dim_cst);
  isl_size n_row = isl_mat_rows(mat);
  bool fits = n_row >= 0 && e->n_row + n_row <= MAX_ROWS && n_in + n_div + n <= MAX_COLUMNS;
  for (int r = 0; r < n_row && fits; r++, e->n_row++)
    for (int c = 0; c < n_in + n && fits; c++)
      fits = small_value(isl_mat_get_element_val(mat, r, c), &e->row[e->n_row][c < n_in ? c : c + n_div]);
  isl_mat_free(mat);
  return fits;
}

/* The equations of a step of dimension POS of ORDER by BY. */
static bool equations_init(struct equations *e, struct tsr_order *order, int pos, int by)
{
  isl_aff *divs[MAX_COLUMNS];
  int n_div = 0;
  isl_size n = isl_multi_aff_size(order->time);
  bool fits = n >= 0 && n <= MAX_ROWS && isl_set_n_basic_set(order->domain) == 1;
  memset(e, 0, sizeof(*e));
  for (int k = 0; k < n && fits; k++)
    fits = equations_add_time(e, order->time, k, k == pos ? by : 0, divs, &n_div);
  if (fits) {
    isl_basic_set_list *list = isl_set_get_basic_set_list(order->domain);
    isl_basic_set *domain = isl_basic_set_list_get_at(list, 0);
    fits = equations_add_domain(e, domain, n_div);
    isl_basic_set_free(domain);
    isl_basic_set_list_free(list);
  }
  for (int i = 0; i < n_div; i++)
    isl_aff_free(divs[i]);
  return fits;
}

/* Clear unknown C of row TO with row FROM; false if the numbers grow too large. */
static bool equations_eliminate(struct equations *e, int from, int to, int c)
{
  long *a = e->row[from], *b = e->row[to], divisor = 0;
  long g = tsr_common_divisor(a[c], b[c]), x = a[c] / g, y = b[c] / g;
  for (int i = 0; i <= MAX_COLUMNS; i++) {
    long p, q;
    if (__builtin_mul_overflow(b[i], x, &p) || __builtin_mul_overflow(a[i], y, &q) || __builtin_sub_overflow(p, q, &b[i]))
      return false;
    divisor = tsr_common_divisor(b[i], divisor);
  }
  for (int i = 0; i <= MAX_COLUMNS && divisor > 1; i++)
    b[i] /= divisor;
  return true;
}

/* Each unknown that is the last of a row is in no other row then. The number of rows that aren't zero, -1: numbers grow too
 * large. */
static int equations_reduce(struct equations *e)
{
  int done = 0;
  /* Divs first: what is left then speaks of instances alone as far as possible. */
  for (int k = MAX_COLUMNS - 1; k >= 0; k--) {
    int pivot = done;
    while (pivot < e->n_row && !e->row[pivot][k])
      pivot++;
    if (pivot == e->n_row)
      continue;
    for (int i = 0; i <= MAX_COLUMNS; i++) {
      long swap = e->row[done][i];
      e->row[done][i] = e->row[pivot][i];
      e->row[pivot][i] = swap;
    }
    for (int r = 0; r < e->n_row; r++)
      if (r != done && e->row[r][k] && !equations_eliminate(e, done, r, k))
        return -1;
    done++;
  }
  return done;
}

/* The first N_VALUE unknowns in VALUE, if the equations determine them. *NONE: there is no integer solution. */
static bool equations_solve(struct equations *e, int n_value, long *value, bool *none)
{
  int done = equations_reduce(e);
  bool fixed = done >= 0;
  for (int r = done; fixed && r < e->n_row; r++)
    *none |= e->row[r][MAX_COLUMNS] != 0;
  for (int v = 0; v < n_value && fixed && !*none; v++) {
    int r = 0, others = 0;
    /* The row that determines V has no other unknown. */
    for (; r < done; r++) {
      others = 0;
      for (int i = 0; i < MAX_COLUMNS; i++)
        others += i != v && e->row[r][i] != 0;
      if (e->row[r][v] && !others)
        break;
    }
    fixed = r < done;
    if (fixed) {
      value[v] = e->row[r][MAX_COLUMNS] / e->row[r][v];
      *none |= e->row[r][MAX_COLUMNS] % e->row[r][v] != 0;
    }
  }
  return fixed || *none;
}

/* { [x] : dimension POS of ORDER moves on by BY from x to MOVE(x), and no other does }, of one piece. */
static isl_basic_set *moves_by(struct tsr_order *order, int pos, int by, isl_multi_aff *move)
{
  isl_size n = isl_multi_aff_size(order->time);
  isl_multi_aff *later = isl_multi_aff_pullback_multi_aff(isl_multi_aff_copy(order->time), isl_multi_aff_copy(move));
  isl_basic_set *from = isl_basic_set_universe(isl_set_get_space(order->domain));
  for (int k = 0; k < n; k++) {
    isl_aff *moved = isl_aff_sub(isl_multi_aff_get_aff(later, k), isl_multi_aff_get_aff(order->time, k));
    moved = isl_aff_add_constant_si(moved, k == pos ? -by : 0);
    from = isl_basic_set_intersect(from, isl_aff_zero_basic_set(moved));
  }
  isl_multi_aff_free(later);
  return from;
}

/* Is there no instance in ORDER from which dimension POS moves on by BY where the instance does by DELTA? */
static bool step_is_empty(struct tsr_order *order, int pos, int by, const long *delta)
{
  isl_multi_aff *move = isl_multi_aff_identity_on_domain_space(isl_set_get_space(order->domain));
  isl_size n_in = isl_multi_aff_size(move);
  for (int i = 0; i < n_in; i++)
    move = isl_multi_aff_set_aff(move, i, isl_aff_add_constant_si(isl_multi_aff_get_aff(move, i), (int)delta[i]));
  isl_basic_set *moves = moves_by(order, pos, by, move);
  isl_bool empty;
  if (isl_set_n_basic_set(order->domain) == 1) { /* isl_set_intersect would ask each time */
    isl_basic_set_list *list = isl_set_get_basic_set_list(order->domain);
    isl_basic_set *here = isl_basic_set_list_get_at(list, 0);
    isl_basic_set_list_free(list);
    isl_basic_set *there = isl_basic_set_preimage_multi_aff(isl_basic_set_copy(here), move);
    moves = isl_basic_set_intersect(moves, isl_basic_set_intersect(here, there));
    empty = isl_basic_set_is_empty(moves);
    isl_basic_set_free(moves);
  } else {
    isl_set *from =
        isl_set_intersect(isl_set_preimage_multi_aff(isl_set_copy(order->domain), move), isl_set_copy(order->domain));
    from = isl_set_intersect(from, isl_set_from_basic_set(moves));
    empty = isl_set_is_empty(from);
    isl_set_free(from);
  }
  return empty != isl_bool_false;
}

/* Find the step by equalities; false if they do not determine it. */
static bool step_solve(struct tsr_step *step)
{
  struct equations e;
  bool none = false;
  isl_size n_in = isl_set_dim(step->order->domain, isl_dim_set);
  if (!step->order->time || n_in < 0 || n_in > TSR_MAX_DIM)
    return false;
  if (!equations_init(&e, step->order, step->pos, step->by) || !equations_solve(&e, n_in, step->delta, &none))
    return false;
  step->empty = none || step_is_empty(step->order, step->pos, step->by, step->delta);
  step->fixed = !step->empty;
  return true;
}

static void step_find(struct tsr_step *step)
{
  if (step_solve(step))
    return;
  isl_map *map = step_map(step->order->map, step->pos, step->by);
  step->fixed = fixed_deltas(map, step->delta, &step->empty);
  isl_map_free(map);
}

static long stride_of(isl_set *times, int pos)
{
  long stride;
  return small_value(isl_set_get_stride(times, pos), &stride) && stride > 0 ? stride : 1;
}

long tsr_time_stride(isl_set *times, int pos)
{
  /* Strides come from divs, which most sets don't have: isl would compute an affine hull. */
  long stride = isl_set_involves_locals(times) == isl_bool_false ? 1 : stride_of(times, pos);
  isl_size n = isl_set_dim(times, isl_dim_set);
  if (stride == 1 || pos == n - 1)
    return stride;
  isl_set *outer = isl_set_project_out(isl_set_copy(times), isl_dim_set, pos + 1, n - pos - 1); /* may tie it to others */
  stride = stride_of(outer, pos);
  isl_set_free(outer);
  return stride;
}

void tsr_step_init_by(struct tsr_step *step, struct tsr_order *order, int pos, long by)
{
  *step = (struct tsr_step){.order = order, .pos = pos, .by = (int)by};
  step_find(step);
  if (by != 1 && step->empty)
    tsr_step_init(step, order, pos);
}

void tsr_step_init(struct tsr_step *step, struct tsr_order *order, int pos)
{
  tsr_step_init_by(step, order, pos, 1);
  if (!step->empty)
    return;
  isl_set *times = isl_map_range(isl_map_copy(order->map));
  long by = tsr_time_stride(times, pos);
  isl_set_free(times);
  if (by > 1) {
    *step = (struct tsr_step){.order = order, .pos = pos, .by = (int)by};
    step_find(step);
  }
}

/* Do the quotients of AFF stay along DELTA, as they are none of what changes there? */
static bool quotients_stay(isl_aff *aff, const long delta[TSR_MAX_DIM])
{
  isl_size n = isl_aff_dim(aff, isl_dim_in), n_div = isl_aff_dim(aff, isl_dim_div);
  bool stay = n_div >= 0;
  for (int k = 0; k < n_div && stay; k++) {
    isl_aff *quotient = isl_aff_get_div(aff, k);
    for (int i = 0; i < n && stay; i++)
      stay = !delta[i] || isl_aff_involves_dims(quotient, isl_dim_in, (unsigned)i, 1) == isl_bool_false;
    isl_aff_free(quotient);
  }
  return stay;
}

/* The difference of subscript POS of SUBSCRIPTS along DELTA in *VALUE; false where it is not a constant. */
static bool subscript_delta(isl_multi_aff *subscripts, int pos, const long delta[TSR_MAX_DIM], long *value)
{
  isl_aff *aff = isl_multi_aff_get_aff(subscripts, pos);
  isl_size n = isl_aff_dim(aff, isl_dim_in);
  bool fixed = quotients_stay(aff, delta);
  *value = 0;
  for (int i = 0; i < n && fixed; i++) {
    isl_val *factor = isl_aff_get_coefficient_val(aff, isl_dim_in, i);
    fixed = isl_val_is_int(factor) == isl_bool_true;
    *value += fixed ? isl_val_get_num_si(factor) * delta[i] : 0;
    isl_val_free(factor);
  }
  isl_aff_free(aff);
  return fixed;
}

/* What an access to A[k] does in a step in which the subscripts change by VALUE. */
static enum tsr_stride classify(const long value[TSR_MAX_DIM], int n)
{
  enum tsr_stride stride = TSR_STRIDE_ZERO;
  for (int i = 0; i < n; i++)
    if (value[i] != 0)
      stride = i == n - 1 && labs(value[i]) == 1 && stride == TSR_STRIDE_ZERO ? TSR_STRIDE_ONE : TSR_STRIDE_OTHER;
  return stride;
}

static isl_stat take_piece(isl_set *domain, isl_multi_aff *piece, void *user)
{
  isl_multi_aff **affine = user;
  isl_set_free(domain);
  isl_multi_aff_free(*affine);
  *affine = piece;
  return isl_stat_ok;
}

/* The subscripts of RELATION as one affine function of the iteration, where there are any; NULL where they are none. */
static isl_multi_aff *affine_subscripts(isl_map *relation)
{
  isl_pw_multi_aff *subscripts = NULL;
  isl_multi_aff *affine = NULL;
  if (isl_map_plain_is_single_valued(relation) == isl_bool_true)
    subscripts = isl_pw_multi_aff_from_map(isl_map_copy(relation));
  if (isl_pw_multi_aff_n_piece(subscripts) == 1)
    isl_pw_multi_aff_foreach_piece(subscripts, take_piece, &affine);
  isl_pw_multi_aff_free(subscripts);
  return affine;
}

/* Is the value of FORM, a row without a right-hand side, 0 by the reduced equations E? Changes FORM. */
static bool equations_imply_zero(struct equations *e, int n_row, const long *form)
{
  if (n_row < 0 || n_row >= MAX_ROWS)
    return false;
  memcpy(e->row[n_row], form, sizeof(e->row[n_row]));
  for (int r = 0; r < n_row; r++) {
    int last = MAX_COLUMNS - 1;
    while (last > 0 && !e->row[r][last])
      last--;
    if (e->row[n_row][last] && !equations_eliminate(e, r, n_row, last))
      return false;
  }
  for (int i = 0; i <= MAX_COLUMNS; i++)
    if (e->row[n_row][i])
      return false;
  return true;
}

/* The equations of two instances at SPACE { S[i] } with the same times in TIMES[0..N); false if there are none. */
static bool equations_same_time(struct equations *e, isl_space *space, isl_multi_union_pw_aff *const *times, int n)
{
  isl_aff *divs[MAX_COLUMNS];
  int n_div = 0;
  bool fits = true;
  memset(e, 0, sizeof(*e));
  for (int i = 0; i < n && fits; i++) {
    isl_multi_aff *time = tsr_prefix_time(times[i], space);
    isl_size n_row = isl_multi_aff_size(time);
    fits = n_row >= 0 && e->n_row + n_row < MAX_ROWS;
    for (int k = 0; k < n_row && fits; k++)
      fits = equations_add_time(e, time, k, 0, divs, &n_div);
    isl_multi_aff_free(time);
  }
  for (int i = 0; i < n_div; i++)
    isl_aff_free(divs[i]);
  return fits;
}

bool tsr_times_fix_element(isl_multi_union_pw_aff *const *times, int n, isl_map *relation)
{
  struct equations e;
  isl_space *space = isl_space_domain(isl_map_get_space(relation));
  for (int i = 0; i < n; i++)
    space = isl_space_align_params(space, isl_multi_union_pw_aff_get_space(times[i]));
  isl_multi_aff *subscripts = affine_subscripts(relation);
  isl_size n_in = isl_space_dim(space, isl_dim_set), n_out = isl_multi_aff_size(subscripts);
  bool fixed = subscripts && n_in >= 0 && n_in <= TSR_MAX_DIM && equations_same_time(&e, space, times, n);
  int n_row = fixed ? equations_reduce(&e) : -1;
  for (int k = 0; k < n_out && fixed; k++) {
    long form[MAX_COLUMNS + 1] = {0};
    isl_aff *aff = isl_multi_aff_get_aff(subscripts, k);
    fixed = isl_aff_dim(aff, isl_dim_div) == 0;
    for (int i = 0; i < n_in && fixed; i++)
      fixed = small_value(isl_aff_get_coefficient_val(aff, isl_dim_in, i), &form[i]);
    fixed = fixed && equations_imply_zero(&e, n_row, form);
    isl_aff_free(aff);
  }
  isl_multi_aff_free(subscripts);
  isl_space_free(space);
  return fixed;
}

bool tsr_time_has_step(isl_multi_union_pw_aff *time, isl_set *domain, int pos, const long *delta, int n)
{
  struct tsr_order order = {.domain = isl_set_align_params(isl_set_copy(domain), isl_multi_union_pw_aff_get_space(time))};
  struct tsr_step step = {.order = &order, .pos = pos, .by = 1};
  isl_space *space = isl_set_get_space(order.domain);
  order.time = tsr_prefix_time(time, space);
  bool same = isl_set_dim(domain, isl_dim_set) == n && step_solve(&step);
  for (int i = 0; i < n && same && !step.empty; i++)
    same = step.delta[i] == delta[i];
  isl_multi_aff_free(order.time);
  isl_set_free(order.domain);
  isl_space_free(space);
  return same;
}

/* The general case: the differences between the elements at both ends of STEP, in VALUE if they are constant. */
static bool general_deltas(isl_map *relation, const struct tsr_step *step, long value[TSR_MAX_DIM], bool *empty)
{
  isl_map *move = isl_map_apply_domain(step_map(step->order->map, step->pos, step->by), isl_map_copy(relation));
  move = isl_map_apply_range(move, isl_map_copy(relation));
  bool fixed = fixed_deltas(move, value, empty);
  isl_map_free(move);
  return fixed;
}

static enum tsr_stride stride_by_deltas(isl_map *relation, struct tsr_step *step)
{
  long value[TSR_MAX_DIM];
  bool empty, fixed = general_deltas(relation, step, value, &empty);
  return empty ? TSR_STRIDE_NONE : fixed ? classify(value, isl_map_dim(relation, isl_dim_out)) : TSR_STRIDE_OTHER;
}

bool tsr_access_constant_move(isl_map *relation, const struct tsr_step *step, long value[TSR_MAX_DIM])
{
  bool empty;
  return general_deltas(relation, step, value, &empty) && !empty;
}

bool tsr_access_move(isl_map *relation, const long delta[TSR_MAX_DIM], long *elements)
{
  isl_size n = isl_map_dim(relation, isl_dim_out);
  isl_multi_aff *subscripts = n <= TSR_MAX_DIM ? affine_subscripts(relation) : NULL;
  bool fixed = subscripts != NULL;
  *elements = 0;
  for (int i = 0; i < n && fixed; i++)
    fixed = subscript_delta(subscripts, i, delta, elements) && (i == n - 1 || *elements == 0);
  isl_multi_aff_free(subscripts);
  return fixed;
}

/* The size of dimension D of ARRAY; 0: it is no small constant. */
static long constant_size(const struct tsr_array *array, int d)
{
  isl_val *last = isl_set_dim_max_val(isl_set_copy(array->extent), d);
  long size = isl_val_is_int(last) == isl_bool_true && isl_val_cmp_si(last, 64) < 0 ? isl_val_get_num_si(last) + 1 : 0;
  isl_val_free(last);
  return size;
}

bool tsr_array_move(const struct tsr_array *array, isl_map *relation, const long delta[TSR_MAX_DIM], long *elements)
{
  isl_size n = isl_map_dim(relation, isl_dim_out);
  isl_multi_aff *subscripts = n >= 0 && n <= TSR_MAX_DIM ? affine_subscripts(relation) : NULL;
  bool fixed = subscripts != NULL;
  long size = 1, value;
  *elements = 0;
  for (int i = n - 1; i >= 0 && fixed; i--) {
    fixed = subscript_delta(subscripts, i, delta, &value) && (value == 0 || size > 0);
    *elements += fixed ? value * size : 0;
    size *= i > 0 && size > 0 ? constant_size(array, i) : 1;
  }
  isl_multi_aff_free(subscripts);
  return fixed;
}

bool tsr_access_deltas(isl_map *relation, const struct tsr_step *step, int n_step, long *delta)
{
  isl_size n = isl_map_dim(relation, isl_dim_out);
  isl_multi_aff *subscripts = n >= 0 && n <= TSR_MAX_DIM ? affine_subscripts(relation) : NULL;
  bool fixed = subscripts != NULL;
  for (int l = 0; l < n_step && fixed; l++)
    for (int i = 0; i < n && fixed; i++)
      fixed = step[l].fixed && subscript_delta(subscripts, i, step[l].delta, &delta[l * TSR_MAX_DIM + i]);
  isl_multi_aff_free(subscripts);
  return fixed;
}

enum tsr_stride tsr_access_stride(isl_map *relation, struct tsr_step *step)
{
  long value[TSR_MAX_DIM];
  if (step->empty)
    return TSR_STRIDE_NONE;
  bool fixed = step->fixed && tsr_access_deltas(relation, step, 1, value);
  return fixed ? classify(value, isl_map_dim(relation, isl_dim_out)) : stride_by_deltas(relation, step);
}
