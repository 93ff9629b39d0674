/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Strides, and the order of a band's members.
 *
 *   order   { S[i] -> [t0, ..., tn] }   all band members from the root to the leaf of S
 *   step    order . { t -> t + e_pos } . order^-1    the next instance when only one loop moves on
 *   stride  deltas of access^-1 . step . access      constant for affine accesses and uniform steps
 *
 * The loop with the fewest cache lines a step goes innermost. A permutable band without bands below may end with any
 * of its members; a coincident member, whose iterations share no element at all, may go below everything, each
 * statement getting a loop of its own.  For C[i][j] += A[i][k] * B[k][j]:
 *
 *   B(i, j, k) - X                   ->   B(i, k, j) - X
 *   B(i, j) - seq(S, B(k) - T)       ->   B(i) - seq(B(j) - S, B(k) - B(j) - T) */
#include "bridge.h"
#include <isl/constraint.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* Nothing hangs on a bound of this size: it is the range of a type. */
#define LARGE_BOUND (1 << 20)

isl_set *tsr_scop_known(struct tsr_scop *scop)
{
  isl_set *known = isl_set_intersect(isl_set_copy(scop->context), isl_set_copy(scop->assumed));
  return isl_set_coalesce(isl_set_params(known));
}

/* Add CONSTRAINT to *USER unless it bounds one parameter by a large constant. */
static isl_stat keep_telling(isl_constraint *constraint, void *user)
{
  isl_basic_set **kept = user;
  isl_val *bound = isl_constraint_get_constant_val(constraint);
  isl_size n = isl_constraint_dim(constraint, isl_dim_param);
  int involved = 0;
  for (int i = 0; i < n; i++)
    involved += isl_constraint_involves_dims(constraint, isl_dim_param, i, 1) == isl_bool_true;
  bool large = isl_val_cmp_si(bound, LARGE_BOUND) >= 0 || isl_val_cmp_si(bound, -LARGE_BOUND) <= 0;
  isl_val_free(bound);
  if (involved == 1 && large && isl_constraint_is_equality(constraint) == isl_bool_false)
    isl_constraint_free(constraint);
  else
    *kept = isl_basic_set_add_constraint(*kept, constraint);
  return isl_stat_ok;
}

isl_set *tsr_scop_telling(struct tsr_scop *scop)
{
  isl_set *known = isl_set_remove_redundancies(tsr_scop_known(scop));
  if (isl_set_n_basic_set(known) != 1)
    return known;
  isl_basic_set_list *list = isl_set_get_basic_set_list(known);
  isl_basic_set *all = isl_basic_set_list_get_at(list, 0);
  isl_basic_set *kept = isl_basic_set_universe(isl_basic_set_get_space(all));
  if (isl_basic_set_dim(all, isl_dim_div) == 0 &&
      isl_basic_set_foreach_constraint(all, keep_telling, &kept) == isl_stat_ok) {
    isl_set_free(known);
    known = isl_set_from_basic_set(kept);
  } else {
    isl_basic_set_free(kept);
  }
  isl_basic_set_free(all);
  isl_basic_set_list_free(list);
  return known;
}

isl_multi_union_pw_aff *tsr_member_schedule(isl_multi_union_pw_aff *partial, int i)
{
  return isl_multi_union_pw_aff_from_union_pw_aff(isl_multi_union_pw_aff_get_at(partial, i));
}

isl_stat tsr_node_foreach_leaf(isl_schedule_node *node, isl_stat (*fn)(isl_schedule_node *leaf, void *user), void *user)
{
  isl_size n = isl_schedule_node_n_children(node);
  if (n < 0)
    return isl_stat_error;
  if (n == 0)
    return fn(node, user);
  for (int i = 0; i < n; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(node, i);
    isl_stat ok = tsr_node_foreach_leaf(child, fn, user);
    isl_schedule_node_free(child);
    if (ok < 0)
      return isl_stat_error;
  }
  return isl_stat_ok;
}

static isl_bool is_no_band(isl_schedule_node *node, void *user)
{
  if (isl_schedule_node_is_equal(node, user) == isl_bool_true)
    return isl_bool_true;
  return isl_bool_ok(isl_schedule_node_get_type(node) != isl_schedule_node_band);
}

isl_bool tsr_node_has_band_below(isl_schedule_node *node)
{
  return isl_bool_not(isl_schedule_node_every_descendant(node, is_no_band, node));
}

/* { S[i] -> S[i'] : ORDER(i') = ORDER(i) but for dimension POS, which is one larger }. ORDER: { S[i] -> [t] } */
static isl_map *step_map(isl_map *order, int pos)
{
  isl_multi_aff *next = isl_multi_aff_identity_on_domain_space(isl_space_range(isl_map_get_space(order)));
  isl_aff *moved = isl_aff_add_constant_si(isl_multi_aff_get_aff(next, pos), 1);
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

/* ---- the order of one statement ---- */

static isl_stat take_aff(isl_set *domain, isl_aff *aff, void *user)
{
  isl_set_free(domain);
  *(isl_aff **)user = aff;
  return isl_stat_ok;
}

/* The function of the statement at SPACE in MEMBER, where it has one piece; else NULL. */
static isl_aff *member_aff(isl_union_pw_aff *member, isl_space *space)
{
  isl_aff *aff = NULL;
  isl_space *function = isl_space_add_dims(isl_space_from_domain(isl_space_copy(space)), isl_dim_out, 1);
  isl_pw_aff *pieces = isl_union_pw_aff_extract_pw_aff(member, function);
  if (isl_pw_aff_n_piece(pieces) == 1)
    isl_pw_aff_foreach_piece(pieces, take_aff, &aff);
  isl_pw_aff_free(pieces);
  return isl_aff_align_params(aff, isl_space_copy(space));
}

/* All members of PREFIX for instances at SPACE { S[i] }, where they are affine; else NULL. */
static isl_multi_aff *prefix_time(isl_multi_union_pw_aff *prefix, isl_space *space)
{
  isl_size n = isl_multi_union_pw_aff_size(prefix);
  isl_aff_list *list = isl_aff_list_alloc(isl_space_get_ctx(space), n > 0 ? n : 0);
  isl_space *range = isl_space_align_params(isl_multi_union_pw_aff_get_space(prefix), isl_space_copy(space));
  bool affine = n >= 0;
  for (int i = 0; i < n && affine; i++) {
    isl_union_pw_aff *member = isl_multi_union_pw_aff_get_at(prefix, i);
    isl_aff *aff = member_aff(member, space);
    affine = aff != NULL;
    list = affine ? isl_aff_list_add(list, aff) : list;
    isl_union_pw_aff_free(member);
  }
  if (affine)
    return isl_multi_aff_from_aff_list(isl_space_map_from_domain_and_range(isl_space_copy(space), range), list);
  isl_space_free(range);
  isl_aff_list_free(list);
  return NULL;
}

/* What tsr_leaf_foreach_order passes to each statement. */
struct leaf_orders {
  struct tsr_scop *scop;
  isl_multi_union_pw_aff *prefix;
  isl_stat (*fn)(struct tsr_order *order, void *user);
  void *user;
};

static isl_stat call_with_order(isl_set *domain, void *user)
{
  struct leaf_orders *orders = user;
  int index = tsr_scop_find_stmt(orders->scop, isl_set_get_tuple_name(domain));
  domain = isl_set_align_params(domain, isl_multi_union_pw_aff_get_space(orders->prefix));
  struct tsr_order order = {.stmt = index < 0 ? NULL : &orders->scop->stmts[index], .domain = domain};
  isl_space *space = isl_set_get_space(domain);
  order.time = prefix_time(orders->prefix, space);
  if (order.time) {
    order.map = isl_map_from_multi_aff(isl_multi_aff_copy(order.time));
  } else {
    isl_union_map *all = isl_union_map_from_multi_union_pw_aff(isl_multi_union_pw_aff_copy(orders->prefix));
    isl_space *range = isl_space_align_params(isl_multi_union_pw_aff_get_space(orders->prefix), isl_space_copy(space));
    order.map = isl_union_map_extract_map(all, isl_space_map_from_domain_and_range(isl_space_copy(space), range));
    isl_union_map_free(all);
  }
  isl_space_free(space);
  order.map = isl_map_intersect_domain(order.map, isl_set_copy(domain));
  isl_stat ok = order.stmt && order.map ? orders->fn(&order, orders->user) : isl_stat_error;
  isl_multi_aff_free(order.time);
  isl_map_free(order.map);
  isl_set_free(order.domain);
  return ok;
}

isl_stat tsr_leaf_foreach_order(isl_schedule_node *leaf, struct tsr_scop *scop, isl_set *parameters,
                                isl_stat (*fn)(struct tsr_order *order, void *user), void *user)
{
  isl_union_set *domain = isl_union_set_intersect_params(isl_schedule_node_get_domain(leaf), parameters);
  isl_multi_union_pw_aff *prefix = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(leaf);
  struct leaf_orders orders = {scop, prefix, fn, user};
  isl_stat ok = prefix ? isl_union_set_foreach_set(domain, call_with_order, &orders) : isl_stat_error;
  isl_multi_union_pw_aff_free(prefix);
  isl_union_set_free(domain);
  return ok;
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

/* Add the row of a step of dimension POS: how dimension K of TIME changes. */
static bool equations_add_time(struct equations *e, isl_multi_aff *time, int k, int pos, isl_aff **divs, int *n_div)
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
  row[MAX_COLUMNS] = k == pos;
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

/* The equations of a step of dimension POS of ORDER. */
static bool equations_init(struct equations *e, struct tsr_order *order, int pos)
{
  isl_aff *divs[MAX_COLUMNS];
  int n_div = 0;
  isl_size n = isl_multi_aff_size(order->time);
  bool fits = n >= 0 && n <= MAX_ROWS && isl_set_n_basic_set(order->domain) == 1;
  memset(e, 0, sizeof(*e));
  for (int k = 0; k < n && fits; k++)
    fits = equations_add_time(e, order->time, k, pos, divs, &n_div);
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

static long greatest_divisor(long a, long b)
{
  while (b) {
    long rest = a % b;
    a = b;
    b = rest;
  }
  return labs(a);
}

/* Clear unknown C of row TO with row FROM; false if the numbers grow too large. */
static bool equations_eliminate(struct equations *e, int from, int to, int c)
{
  long *a = e->row[from], *b = e->row[to], divisor = 0;
  long g = greatest_divisor(a[c], b[c]), x = a[c] / g, y = b[c] / g;
  for (int i = 0; i <= MAX_COLUMNS; i++) {
    long p, q;
    if (__builtin_mul_overflow(b[i], x, &p) || __builtin_mul_overflow(a[i], y, &q) || __builtin_sub_overflow(p, q, &b[i]))
      return false;
    divisor = greatest_divisor(b[i], divisor);
  }
  for (int i = 0; i <= MAX_COLUMNS && divisor > 1; i++)
    b[i] /= divisor;
  return true;
}

/* The first N_VALUE unknowns in VALUE, if the equations determine them. *NONE: there is no integer solution. */
static bool equations_solve(struct equations *e, int n_value, long *value, bool *none)
{
  int done = 0;
  bool fixed = true;
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
        return false;
    done++;
  }
  for (int r = done; r < e->n_row; r++)
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

/* Is there no instance in ORDER from which dimension POS makes a step by DELTA? */
static bool step_is_empty(struct tsr_order *order, int pos, const long *delta)
{
  isl_multi_aff *move = isl_multi_aff_identity_on_domain_space(isl_set_get_space(order->domain));
  isl_size n_in = isl_multi_aff_size(move), n = isl_multi_aff_size(order->time);
  for (int i = 0; i < n_in; i++)
    move = isl_multi_aff_set_aff(move, i, isl_aff_add_constant_si(isl_multi_aff_get_aff(move, i), (int)delta[i]));
  isl_set *from = isl_set_preimage_multi_aff(isl_set_copy(order->domain), isl_multi_aff_copy(move));
  isl_multi_aff *later = isl_multi_aff_pullback_multi_aff(isl_multi_aff_copy(order->time), move);
  from = isl_set_intersect(from, isl_set_copy(order->domain));
  for (int k = 0; k < n; k++) {
    isl_aff *moved = isl_aff_sub(isl_multi_aff_get_aff(later, k), isl_multi_aff_get_aff(order->time, k));
    moved = isl_aff_add_constant_si(moved, k == pos ? -1 : 0);
    from = isl_set_intersect(from, isl_set_from_basic_set(isl_aff_zero_basic_set(moved)));
  }
  isl_bool empty = isl_set_is_empty(from);
  isl_multi_aff_free(later);
  isl_set_free(from);
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
  if (!equations_init(&e, step->order, step->pos) || !equations_solve(&e, n_in, step->delta, &none))
    return false;
  step->empty = none || step_is_empty(step->order, step->pos, step->delta);
  step->fixed = !step->empty;
  return true;
}

void tsr_step_init(struct tsr_step *step, struct tsr_order *order, int pos)
{
  *step = (struct tsr_step){.order = order, .pos = pos};
  if (step_solve(step))
    return;
  isl_map *map = step_map(order->map, pos);
  step->fixed = fixed_deltas(map, step->delta, &step->empty);
  isl_map_free(map);
}

/* The difference of subscript POS of SUBSCRIPTS along DELTA in *VALUE; false where it is not a constant. */
static bool subscript_delta(isl_multi_aff *subscripts, int pos, const long delta[TSR_MAX_DIM], long *value)
{
  isl_aff *aff = isl_multi_aff_get_aff(subscripts, pos);
  isl_size n = isl_aff_dim(aff, isl_dim_in);
  bool fixed = isl_aff_dim(aff, isl_dim_div) == 0;
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

/* The subscripts of RELATION as one affine function of the iteration; NULL where they are none. */
static isl_multi_aff *affine_subscripts(isl_map *relation)
{
  isl_pw_multi_aff *subscripts = NULL;
  isl_multi_aff *affine = NULL;
  if (isl_map_plain_is_single_valued(relation) == isl_bool_true)
    subscripts = isl_pw_multi_aff_from_map(isl_map_copy(relation));
  if (isl_pw_multi_aff_n_piece(subscripts) == 1)
    affine = isl_pw_multi_aff_isa_multi_aff(subscripts) == isl_bool_true
                 ? isl_pw_multi_aff_as_multi_aff(isl_pw_multi_aff_copy(subscripts))
                 : NULL;
  isl_pw_multi_aff_free(subscripts);
  return affine;
}

/* The general case: the differences between the elements at both ends of STEP. */
static enum tsr_stride stride_by_deltas(isl_map *relation, struct tsr_step *step)
{
  long value[TSR_MAX_DIM];
  bool empty;
  isl_map *move = isl_map_apply_domain(step_map(step->order->map, step->pos), isl_map_copy(relation));
  move = isl_map_apply_range(move, isl_map_copy(relation));
  bool fixed = fixed_deltas(move, value, &empty);
  isl_map_free(move);
  return empty ? TSR_STRIDE_NONE : fixed ? classify(value, isl_map_dim(relation, isl_dim_out)) : TSR_STRIDE_OTHER;
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

/* A loop that carries a dependence cannot become a vector: worth most of a line a step. */
#define SERIAL_PENALTY 0.75

/* What is known about the loops of one band; loop N stands for the innermost loops below it. */
struct band_strides {
  struct tsr_scop *scop;
  isl_schedule_node *band;
  int depth;      /* schedule dimensions outside of the band */
  int n;          /* its members */
  int max_dim;    /* dimensions of the deepest statements below; only those count */
  double *cost;   /* cache lines a step, by loop: N + 1 */
  bool *has_step; /* does any statement move along this loop? N + 1 */
  bool *across;   /* is an array of two dimensions walked across its rows along this loop? N + 1 */
  bool reuse;     /* is an element of an array of two dimensions used again along some member? */
  bool serial;    /* does the innermost loop above the present leaf carry a dependence? */
};

static void add_access(struct band_strides *strides, struct tsr_access *access, struct tsr_step *step, int loop)
{
  struct tsr_array *array = &strides->scop->arrays[access->array];
  enum tsr_stride stride = tsr_access_stride(access->relation, step);
  if (array->kind == TSR_ARRAY_SCALAR || stride == TSR_STRIDE_NONE)
    return;
  if (stride == TSR_STRIDE_ONE)
    strides->cost[loop] += array->elem_size / 64.0;
  if (stride == TSR_STRIDE_OTHER)
    strides->cost[loop] += 1;
  strides->across[loop] |= stride == TSR_STRIDE_OTHER && array->n_dim >= 2;
  strides->reuse |= loop < strides->n && stride == TSR_STRIDE_ZERO && array->n_dim >= 2;
}

/* One statement and one loop: dimension POS of ORDER, loop LOOP of STRIDES. Does the statement move along it? */
static bool add_step(struct band_strides *strides, struct tsr_order *order, int pos, int loop)
{
  struct tsr_step step;
  tsr_step_init(&step, order, pos);
  strides->has_step[loop] |= !step.empty;
  for (int k = 0; !step.empty && k < order->stmt->n_access; k++)
    add_access(strides, &order->stmt->access[k], &step, loop);
  return !step.empty;
}

static isl_stat add_statement(struct tsr_order *order, void *user)
{
  struct band_strides *strides = user;
  isl_size n_dim = isl_map_dim(order->map, isl_dim_out);
  if (isl_set_dim(order->stmt->domain, isl_dim_set) != strides->max_dim || isl_set_is_empty(order->domain) != isl_bool_false)
    return isl_stat_ok;
  for (int m = 0; m < strides->n; m++)
    add_step(strides, order, strides->depth + m, m);
  bool moves = false;
  for (int pos = n_dim - 1; pos >= strides->depth && !moves; pos--)
    moves = add_step(strides, order, pos, strides->n);
  strides->cost[strides->n] += strides->serial ? SERIAL_PENALTY : 0;
  for (int m = 0; m < strides->n; m++)
    if (isl_schedule_node_band_member_get_coincident(strides->band, m) != isl_bool_true)
      strides->cost[m] += SERIAL_PENALTY;
  return isl_stat_ok;
}

/* Does the innermost band member above LEAF carry a dependence? */
static bool leaf_is_serial(isl_schedule_node *leaf)
{
  isl_schedule_node *node = isl_schedule_node_copy(leaf);
  while (isl_schedule_node_get_type(node) != isl_schedule_node_band && isl_schedule_node_has_parent(node) == isl_bool_true)
    node = isl_schedule_node_parent(node);
  bool serial = true;
  if (isl_schedule_node_get_type(node) == isl_schedule_node_band) {
    isl_size n = isl_schedule_node_band_n_member(node);
    serial = n < 1 || isl_schedule_node_band_member_get_coincident(node, n - 1) != isl_bool_true;
  }
  isl_schedule_node_free(node);
  return serial;
}

static isl_stat add_leaf(isl_schedule_node *leaf, void *user)
{
  struct band_strides *strides = user;
  strides->serial = leaf_is_serial(leaf);
  return tsr_leaf_foreach_order(leaf, strides->scop, tsr_scop_telling(strides->scop), add_statement, strides);
}

static isl_stat deepest(isl_set *set, void *user)
{
  int *max_dim = user;
  isl_size n = isl_set_dim(set, isl_dim_set);
  isl_set_free(set);
  if (n > *max_dim)
    *max_dim = n;
  return n < 0 ? isl_stat_error : isl_stat_ok;
}

static void strides_clear(struct band_strides *strides)
{
  free(strides->cost);
  free(strides->has_step);
  free(strides->across);
}

static isl_stat strides_compute(struct band_strides *strides, isl_schedule_node *node, struct tsr_scop *scop)
{
  isl_size depth = isl_schedule_node_get_schedule_depth(node), n = isl_schedule_node_band_n_member(node);
  if (depth < 0 || n < 0)
    return isl_stat_error;
  *strides = (struct band_strides){.scop = scop, .band = node, .depth = depth, .n = n};
  strides->cost = calloc(n + 1, sizeof(*strides->cost));
  strides->has_step = calloc(n + 1, sizeof(*strides->has_step));
  strides->across = calloc(n + 1, sizeof(*strides->across));
  if (!strides->cost || !strides->has_step || !strides->across)
    return isl_stat_error;
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  isl_stat ok = isl_union_set_foreach_set(domain, deepest, &strides->max_dim);
  isl_union_set_free(domain);
  return ok < 0 ? ok : tsr_node_foreach_leaf(node, add_leaf, strides);
}

/* May loop M of the band at NODE become innermost, whatever runs below it? (The flag alone does not tell: it leaves out
 * SCALAR arrays that would have to be private.) */
static isl_bool member_may_sink(isl_schedule_node *node, struct tsr_scop *scop, int m)
{
  if (isl_schedule_node_band_get_permutable(node) == isl_bool_true && tsr_node_has_band_below(node) == isl_bool_false)
    return isl_bool_true;
  if (isl_schedule_node_band_member_get_coincident(node, m) != isl_bool_true)
    return isl_bool_false;
  bool *private = calloc(scop->n_array + 1, sizeof(*private));
  isl_schedule_node *first = tsr_band_move_member(isl_schedule_node_copy(node), m, 0);
  isl_bool may = private ? tsr_band_is_parallel(first, scop, TSR_ANY_ARRAY, private) : isl_bool_error;
  for (int i = 0; may == isl_bool_true && i < scop->n_array; i++)
    may = isl_bool_ok(!private[i]);
  isl_schedule_node_free(first);
  free(private);
  return may;
}

int tsr_band_find_innermost(isl_schedule_node *node, struct tsr_scop *scop, bool *reuse)
{
  struct band_strides strides = {0};
  isl_stat ok = strides_compute(&strides, node, scop);
  int best = -1;
  double best_cost = ok == isl_stat_ok ? strides.cost[strides.n] : 0;
  for (int m = strides.n - 1; ok == isl_stat_ok && m >= 0; m--) {
    if (!strides.has_step[m] || strides.cost[m] > 0.9 * best_cost || member_may_sink(node, scop, m) != isl_bool_true)
      continue;
    best = m;
    best_cost = strides.cost[m];
  }
  *reuse = ok == isl_stat_ok && (strides.reuse || strides.across[best < 0 ? strides.n : best]);
  strides_clear(&strides);
  return best;
}

isl_schedule_node *tsr_band_move_member(isl_schedule_node *node, int from, int to)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_union_pw_aff_list *list = isl_multi_union_pw_aff_get_list(partial);
  isl_space *space = isl_multi_union_pw_aff_get_space(partial);
  isl_size n = isl_schedule_node_band_n_member(node);
  isl_bool permutable = isl_schedule_node_band_get_permutable(node);
  bool *coincident = calloc(n + 1, sizeof(*coincident));
  for (int i = 0; coincident && i < n; i++) {
    int old = i == to ? from : i - (i > to) + (i - (i > to) >= from);
    coincident[i] = isl_schedule_node_band_member_get_coincident(node, old) == isl_bool_true;
  }
  isl_union_pw_aff *moved = isl_union_pw_aff_list_get_at(list, from);
  list = isl_union_pw_aff_list_insert(isl_union_pw_aff_list_drop(list, from, 1), to, moved);
  isl_multi_union_pw_aff_free(partial);
  node = isl_schedule_node_delete(node);
  node = isl_schedule_node_insert_partial_schedule(node, isl_multi_union_pw_aff_from_union_pw_aff_list(space, list));
  node = isl_schedule_node_band_set_permutable(node, permutable == isl_bool_true);
  for (int i = 0; coincident && i < n; i++)
    node = isl_schedule_node_band_member_set_coincident(node, i, coincident[i]);
  free(coincident);
  return node;
}

isl_schedule_node *tsr_band_sink_member(isl_schedule_node *node, int pos)
{
  isl_size n = isl_schedule_node_band_n_member(node);
  node = tsr_band_move_member(node, pos, n - 1);
  if (tsr_node_has_band_below(node) != isl_bool_true)
    return node;
  if (n == 1)
    return isl_schedule_node_band_sink(node);
  node = isl_schedule_node_child(isl_schedule_node_band_split(node, n - 1), 0);
  return isl_schedule_node_parent(isl_schedule_node_band_sink(node));
}
