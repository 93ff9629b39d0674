/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Offsets -> subscripts.
 *
 * An access to element  m*i + j  of an array is A[i][j] if its rows have m elements and 0 <= j < m wherever the access
 * happens. Row sizes are not read off types (LLVM may erase those) but off the strides of all accesses to the array:
 *
 *   candidates   each counter's stride, over its content: m, n*m, 1000, ...; a stride votes once an access; where that
 *                leads nowhere, the strides themselves. A constant one of a loop with a step, 4 of a[i], .., a[i + 3] for
 *                i += 4, is one of rows only where nothing has to be assumed for that; else it is divided by the step. So
 *                are a few elements that no counter runs over: *p and p[n] for p += 2
 *   chain        S_1 | S_2 | ..: products of the sizes of the inner dimensions, innermost first
 *   subscripts   P = q_k*S_k + r,  r = q_{k-1}*S_{k-1} + r', ...  by polynomial division
 *   proof        0 <= q_l < S_{l+1}/S_l over the domain of each access; constants may move by one row to get there.
 *                For parametric sizes what can't be proved is assumed (and checked at run time).
 *
 * Several chains are tried, most votes first; the empty chain is the one-dimensional array. Whether a chain divides the
 * offsets of all accesses is known before any set is made. Where something has to be assumed, the chains of other arrays are
 * tried, too: diagonals alone, A[i][i + k], look like rows of one more element. */
#include "pass.h"
#include <isl/constraint.h>
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CANDIDATES 8
#define FEW_ELEMENTS 16

struct candidate {
  struct tsr_poly *size;
  int64_t step; /* least of the loops whose counters have this stride, 0: it isn't one of a counter */
  int votes;
};

struct chain {
  struct tsr_poly *product[MAX_CANDIDATES]; /* outermost (largest) first */
  int n;
};

/* The coefficient of counter ATOM in P (of which it must be a linear factor): sum of coef * rest of monomial. */
static struct tsr_poly *stride_of(const struct tsr_poly *p, int atom)
{
  struct tsr_poly *stride = tsr_poly_const(0);
  for (int i = 0; stride && i < p->n; i++) {
    struct tsr_poly *t = tsr_poly_const(p->term[i].coef);
    int times = 0;
    for (int k = 0; k < p->term[i].degree; k++) {
      bool hit = p->term[i].atom[k] == atom && !times;
      times += hit;
      if (!hit)
        t = tsr_poly_mul(t, tsr_poly_atom(p->term[i].atom[k]));
    }
    stride = times ? tsr_poly_add(stride, t) : (tsr_poly_free(t), stride);
  }
  return stride;
}

/* The stride of a counter of loops with STEP, or a part of one: 0. With a content if RAW. Takes SIZE. */
static void vote(struct candidate *list, int *n, struct tsr_poly *size, int64_t step, bool raw)
{
  int64_t content = size ? tsr_poly_content(size) : 0, value;
  if (raw && size && size->n && tsr_poly_degree(size) > 0)
    content = 1;
  if (size && size->n && tsr_poly_degree(size) > 0)
    size = tsr_poly_divide_exact(size, size->term[0].coef < 0 ? -content : content);
  else if (size && content)
    size = (tsr_poly_free(size), tsr_poly_const(content));
  if (!size || (tsr_poly_is_const(size, &value) && value <= 1)) {
    tsr_poly_free(size);
    return;
  }
  for (int i = 0; i < *n; i++)
    if (tsr_poly_equal(list[i].size, size)) {
      list[i].votes++;
      list[i].step = step < list[i].step ? step : list[i].step;
      tsr_poly_free(size);
      return;
    }
  if (*n == MAX_CANDIDATES)
    tsr_poly_free(size);
  else
    list[(*n)++] = (struct candidate){size, step, 1};
}

static bool is_counter(struct tsr_model *m, int atom)
{
  return m->atoms[atom].kind != TSR_ATOM_PARAM;
}

/* The parameters of a term that has a counter: where one counter runs over several dimensions, A[i][i], its stride m + 1
 * hides the row size m. NULL if there are none. */
static struct tsr_poly *parameter_part(struct tsr_model *m, const struct tsr_term *t)
{
  struct tsr_poly *product = tsr_poly_const(1);
  bool counter = false;
  for (int k = 0; k < t->degree; k++) {
    counter |= is_counter(m, t->atom[k]);
    if (!is_counter(m, t->atom[k]))
      product = tsr_poly_mul(product, tsr_poly_atom(t->atom[k]));
  }
  return counter && product && tsr_poly_degree(product) ? product : tsr_poly_free(product);
}

static int by_votes(const void *a, const void *b)
{
  const struct candidate *x = a, *y = b;
  if (x->votes != y->votes)
    return y->votes - x->votes;
  return tsr_poly_degree(x->size) - tsr_poly_degree(y->size);
}

/* By how much the counters of ATOM's loop change in an iteration; 1: nothing is known. */
static int64_t step_of(struct tsr_model *m, int atom)
{
  int64_t least = 0;
  LLVMValueRef phi =
      m->atoms[atom].kind == TSR_ATOM_DIM ? LLVMGetFirstInstruction(tsr_loop_header(m->atoms[atom].loop)) : NULL;
  for (; phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
    bool is_int = LLVMGetTypeKind(LLVMTypeOf(phi)) == LLVMIntegerTypeKind;
    tsr_scev s = is_int ? tsr_scev_of(m->a, phi) : NULL;
    int64_t step;
    if (s && tsr_scev_kind(s) == TSR_SCEV_ADDREC && tsr_scev_n_operand(s) == 2 &&
        tsr_scev_constant(tsr_scev_operand(s, 1), &step) && (!least || llabs(step) < least))
      least = llabs(step);
  }
  return least ? least : 1;
}

static int collect(struct tsr_model *m, int array, struct candidate *list, bool raw)
{
  int n = 0;
  for (int i = 0; i < m->n_access; i++) {
    struct tsr_poly *p = m->access[i].offset;
    if (m->access[i].array != array || !p)
      continue;
    for (int atom = 0; atom < m->n_atom; atom++)
      if (is_counter(m, atom)) {
        struct tsr_poly *stride = stride_of(p, atom);
        bool invariant = stride != NULL;
        for (int t = 0; stride && t < stride->n; t++)
          for (int k = 0; k < stride->term[t].degree; k++)
            invariant &= !is_counter(m, stride->term[t].atom[k]);
        if (invariant)
          vote(list, &n, stride, step_of(m, atom), raw);
        else
          tsr_poly_free(stride);
      }
    for (int t = 0; t < p->n; t++)
      vote(list, &n, parameter_part(m, &p->term[t]), 0, raw);
  }
  qsort(list, n, sizeof(*list), by_votes);
  return n;
}

/* Is A smaller than B as a product of sizes? */
static bool smaller(const struct tsr_poly *a, const struct tsr_poly *b)
{
  int64_t x, y;
  if (tsr_poly_degree(a) != tsr_poly_degree(b))
    return tsr_poly_degree(a) < tsr_poly_degree(b);
  if (tsr_poly_is_const(a, &x) && tsr_poly_is_const(b, &y))
    return x < y;
  return a->n < b->n;
}

/* B / A if exact. */
static struct tsr_poly *ratio(const struct tsr_poly *b, const struct tsr_poly *a)
{
  struct tsr_poly *q, *r;
  if (!tsr_poly_divide(tsr_poly_copy(b), a, &q, &r))
    return NULL;
  int64_t rest;
  bool exact = tsr_poly_is_const(r, &rest) && rest == 0;
  tsr_poly_free(r);
  return exact ? q : tsr_poly_free(q);
}

/* Insert SIZE if the chain stays one of multiples with affine ratios. */
static void chain_insert(struct chain *c, const struct tsr_poly *size)
{
  int at = 0;
  while (at < c->n && smaller(size, c->product[at]))
    at++;
  for (int side = 0; side < 2; side++) {
    const struct tsr_poly *big = side ? size : at ? c->product[at - 1] : NULL;
    const struct tsr_poly *small = side ? (at < c->n ? c->product[at] : NULL) : size;
    struct tsr_poly *q = big && small ? ratio(big, small) : NULL;
    bool ok = !big || !small || (q && tsr_poly_degree(q) <= 1);
    tsr_poly_free(q);
    if (!ok)
      return;
  }
  if (at == c->n && tsr_poly_degree(size) > 1)
    return; /* the innermost size must be affine */
  memmove(&c->product[at + 1], &c->product[at], (c->n - at) * sizeof(*c->product));
  c->product[at] = tsr_poly_copy(size);
  c->n++;
}

/* The size of dimension LEVEL + 1, which subscript LEVEL + 1 must stay below. */
static struct tsr_poly *size_of(const struct chain *c, int level)
{
  return level + 1 < c->n ? ratio(c->product[level], c->product[level + 1]) : tsr_poly_copy(c->product[level]);
}

struct split {
  struct tsr_model *m;
  const struct chain *c;
  struct tsr_raw_access *access;
  struct tsr_poly *index[MAX_CANDIDATES + 1];
  bool may_assume;
  unsigned assumed; /* levels: for which something had to be */
  bool bare;        /* only the polynomials matter: all that is to be proved is taken as true */
};

/* Is the access outside of BAD of LEVEL, proved or, if that will do, assumed? Takes BAD. */
static bool never(struct split *s, isl_set *bad, int level)
{
  struct tsr_model *m = s->m;
  isl_set *domain = isl_set_copy(m->stmts[s->access->stmt].domain), *was = m->violated;
  if (s->may_assume) {
    bool may = tsr_model_assume_not(m, domain, bad);
    s->assumed |= m->violated != was ? 1u << level : 0;
    return may;
  }
  bad = isl_set_intersect(bad, domain);
  isl_bool none = isl_set_is_subset(bad, m->violated);
  isl_set_free(bad);
  return none == isl_bool_true;
}

/* SET with ATOM among its parameters, *POS says where. Takes SET. */
static isl_set *with_atom(struct tsr_model *m, isl_set *set, int atom, int *pos)
{
  *pos = isl_set_find_dim_by_name(set, isl_dim_param, m->atoms[atom].name);
  if (*pos >= 0)
    return set;
  *pos = isl_set_dim(set, isl_dim_param);
  set = isl_set_add_dims(set, isl_dim_param, 1);
  return isl_set_set_dim_id(set, isl_dim_param, *pos, isl_id_alloc(m->ctx, m->atoms[atom].name, NULL));
}

static bool is_affine(struct tsr_model *m, const struct tsr_poly *p)
{
  for (int i = 0; i < p->n; i++)
    if (p->term[i].degree > 1 || (p->term[i].degree && m->atoms[p->term[i].atom[0]].kind == TSR_ATOM_EXPR))
      return false;
  return true;
}

/* Is P a sum of counters of the loops around STMT, and of a constant, none of them taken away? They aren't negative. */
static bool is_count(struct tsr_model *m, const struct tsr_stmt_info *stmt, const struct tsr_poly *p)
{
  for (int i = 0; i < p->n; i++) {
    bool counts = p->term[i].coef > 0;
    if (counts && p->term[i].degree) {
      const struct tsr_atom *atom = &m->atoms[p->term[i].atom[0]];
      counts = false;
      for (int k = 0; k < stmt->n_loop && !counts; k++)
        counts = atom->kind == TSR_ATOM_DIM && atom->loop == stmt->loops[k];
    }
    if (!counts)
      return false;
  }
  return true;
}

/* Is P >= 0, an affine one, wherever the access happens and the model is right? Where not is one constraint more than
 * those of the domain. */
static bool is_proved(struct split *s, const struct tsr_poly *p)
{
  struct tsr_model *m = s->m;
  if (is_count(m, &m->stmts[s->access->stmt], p))
    return true;
  isl_set *bad = isl_set_copy(m->stmts[s->access->stmt].domain);
  int pos;
  for (int i = 0; i < p->n; i++)
    if (p->term[i].degree)
      bad = with_atom(m, bad, p->term[i].atom[0], &pos);
  isl_constraint *c = isl_constraint_alloc_inequality(isl_local_space_from_space(isl_set_get_space(bad)));
  c = isl_constraint_set_constant_si(c, -1);
  for (int i = 0; i < p->n; i++) {
    isl_val *less = isl_val_neg(isl_val_int_from_si(m->ctx, p->term[i].coef));
    if (!p->term[i].degree) {
      c = isl_constraint_set_constant_val(c, isl_val_sub_ui(less, 1));
      continue;
    }
    bad = with_atom(m, bad, p->term[i].atom[0], &pos);
    c = isl_constraint_set_coefficient_val(c, isl_dim_param, pos, less);
  }
  bad = isl_set_add_constraint(bad, c);
  isl_bool none = isl_set_is_subset(bad, m->violated);
  isl_set_free(bad);
  return none == isl_bool_true;
}

/* 0 <= Q < SIZE, both affine, proved. */
static bool is_proved_within(struct split *s, const struct tsr_poly *q, const struct tsr_poly *size)
{
  struct tsr_poly *rest = is_proved(s, q) ? tsr_poly_sub(tsr_poly_copy(size), tsr_poly_copy(q)) : NULL;
  rest = tsr_poly_sub(rest, tsr_poly_const(1));
  bool within = rest && is_proved(s, rest);
  tsr_poly_free(rest);
  return within;
}

/* 0 <= Q < size of its dimension, for LEVEL >= 1. */
static bool in_bounds(struct split *s, const struct tsr_poly *q, int level)
{
  struct tsr_model *m = s->m;
  if (tsr_poly_degree(q) > 1)
    return false;
  if (s->bare)
    return true;
  struct tsr_poly *size = size_of(s->c, level - 1);
  if (level == s->c->n) /* the last of the elements accessed */
    size = tsr_poly_sub(size, tsr_poly_const(s->access->width - 1));
  if (!s->may_assume && size && is_affine(m, q) && is_affine(m, size)) {
    bool within = is_proved_within(s, q, size);
    tsr_poly_free(size);
    return within;
  }
  isl_pw_aff *value = tsr_poly_to_pw_aff(m, q), *limit = tsr_poly_to_pw_aff(m, size);
  tsr_poly_free(size);
  isl_set *bad = isl_pw_aff_ge_set(isl_pw_aff_copy(value), limit);
  isl_pw_aff *zero = isl_pw_aff_sub(isl_pw_aff_copy(value), isl_pw_aff_copy(value));
  bad = isl_set_union(bad, isl_pw_aff_lt_set(value, zero));
  return never(s, bad, level);
}

/* Split P from LEVEL on; takes P. */
static bool split_from(struct split *s, struct tsr_poly *p, int level)
{
  if (level == s->c->n) {
    bool ok = tsr_poly_degree(p) <= 1 && (level == 0 || in_bounds(s, p, level));
    s->index[level] = ok ? p : tsr_poly_free(p);
    return ok;
  }
  struct tsr_poly *q, *r;
  const struct tsr_poly *by = s->c->product[level];
  if (!tsr_poly_divide(p, by, &q, &r))
    return false;
  static const int shifts[] = {0, -1, 1};
  for (int i = 0; i < (s->may_assume ? 1 : 3); i++) {
    struct tsr_poly *q2 = tsr_poly_add(tsr_poly_copy(q), tsr_poly_const(shifts[i]));
    struct tsr_poly *r2 = tsr_poly_sub(tsr_poly_copy(r), tsr_poly_scale(tsr_poly_copy(by), shifts[i]));
    s->index[level] = q2;
    bool ok = q2 && r2 && tsr_poly_degree(q2) <= 1 && (level == 0 || in_bounds(s, q2, level));
    if (!ok)
      tsr_poly_free(r2);
    if (ok && split_from(s, r2, level + 1)) {
      tsr_poly_free(q);
      tsr_poly_free(r);
      return true;
    }
    s->index[level] = tsr_poly_free(q2);
  }
  tsr_poly_free(q);
  tsr_poly_free(r);
  return false;
}

/* ---- transfers: some elements of one row, or whole rows
 *
 *   memset(a + i*m + 1, 0, k)   A[i][1 + x], 0 <= x < k        run 1, length k, if 1 + k <= m
 *   memset(a, 0, n*m)           A[x][*], 0 <= x < n            run 0, length n */

#define MAX_ELEMENTS (INT64_C(1) << 40)
#define MAX_ROWS (INT64_C(1) << 28) /* times the size of a row: does not wrap */

/* 0 <= LENGTH <= its limit, and FROM + LENGTH <= size of dimension RUN >= 1. */
static bool run_in_bounds(struct split *s, const struct tsr_poly *from, const struct tsr_poly *length, int run)
{
  struct tsr_model *m = s->m;
  if (s->bare)
    return true;
  int64_t most = run == s->c->n ? MAX_ELEMENTS : MAX_ROWS;
  isl_pw_aff *n = tsr_poly_to_pw_aff(m, length), *zero = isl_pw_aff_sub(isl_pw_aff_copy(n), isl_pw_aff_copy(n));
  isl_val *limit = isl_val_int_from_si(m->ctx, most);
  isl_pw_aff *high = isl_pw_aff_val_on_domain(isl_pw_aff_domain(isl_pw_aff_copy(n)), limit);
  isl_set *bad = isl_pw_aff_lt_set(isl_pw_aff_copy(n), zero);
  bad = isl_set_union(bad, isl_pw_aff_gt_set(n, high));
  if (run) {
    struct tsr_poly *size = size_of(s->c, run - 1);
    struct tsr_poly *end = tsr_poly_add(tsr_poly_copy(from), tsr_poly_copy(length));
    isl_pw_aff *last = tsr_poly_to_pw_aff(m, end), *first = tsr_poly_to_pw_aff(m, from);
    isl_pw_aff *none = isl_pw_aff_sub(isl_pw_aff_copy(first), isl_pw_aff_copy(first));
    bad = isl_set_union(bad, isl_pw_aff_gt_set(last, tsr_poly_to_pw_aff(m, size)));
    bad = isl_set_union(bad, isl_pw_aff_lt_set(first, none));
    tsr_poly_free(size);
    tsr_poly_free(end);
  }
  return never(s, bad, run);
}

/* The offset as index[0 .. RUN], nothing left over. */
static bool split_offset(struct split *s, int run)
{
  struct tsr_poly *rest = tsr_poly_copy(s->access->offset), *q;
  for (int level = 0; rest && level <= run; level++) {
    bool last = level == s->c->n;
    bool ok = last || tsr_poly_divide(rest, s->c->product[level], &q, &rest);
    s->index[level] = ok ? (last ? rest : q) : NULL;
    rest = !ok || last ? NULL : rest;
    if (!s->index[level] || tsr_poly_degree(s->index[level]) > 1 ||
        (level && level < run && !in_bounds(s, s->index[level], level))) {
      tsr_poly_free(rest);
      return false;
    }
  }
  bool exact = !rest || !rest->n;
  tsr_poly_free(rest);
  return exact;
}

static bool split_run(struct split *s, int run)
{
  const struct tsr_poly *length = s->access->length;
  struct tsr_poly *n = run == s->c->n ? tsr_poly_copy(length) : ratio(length, s->c->product[run]);
  bool ok = n && tsr_poly_degree(n) <= 1 && split_offset(s, run) && run_in_bounds(s, s->index[run], n, run);
  if (ok) {
    s->access->count = n;
    s->access->run = run;
    return true;
  }
  for (int i = 0; i <= run; i++)
    s->index[i] = tsr_poly_free(s->index[i]);
  tsr_poly_free(n);
  return false;
}

/* A row or a part of it, then whole rows; what can be proved before what must be assumed. */
static bool transfer_split(struct split *s)
{
  for (int run = s->c->n; run >= 0; run--)
    if (split_run(s, run))
      return true;
  return false;
}

static void split_clear(struct split *s)
{
  for (int i = 0; i <= s->c->n; i++)
    s->index[i] = tsr_poly_free(s->index[i]);
}

/* Does C divide the offset of ACCESS, whatever must be proved for it? */
static bool is_divided(struct tsr_model *m, const struct chain *c, const struct tsr_raw_access *access)
{
  if (!access->offset)
    return true;
  struct tsr_raw_access copy = *access; /* a transfer's count is left in it */
  struct split s = {.m = m, .c = c, .access = &copy, .bare = true};
  bool is = access->length ? transfer_split(&s) : split_from(&s, tsr_poly_copy(access->offset), 0);
  if (is) {
    split_clear(&s);
    tsr_poly_free(access->length ? copy.count : NULL);
  }
  return is;
}

/* Does C divide the offsets of all accesses to ARRAY? */
static bool divides(struct tsr_model *m, int array, const struct chain *c)
{
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].array == array && !is_divided(m, c, &m->access[i]))
      return false;
  return true;
}

/* ASSUMED: levels, as in struct split. */
static bool access_split(struct tsr_model *m, const struct chain *c, struct tsr_raw_access *access, unsigned *assumed)
{
  if (!access->offset)
    return true;
  for (int assume = 0; assume < 2; assume++) {
    struct split s = {.m = m, .c = c, .access = access, .may_assume = assume};
    if (access->length ? !transfer_split(&s) : !split_from(&s, tsr_poly_copy(access->offset), 0))
      continue;
    *assumed |= s.assumed;
    access->index = calloc(c->n + 1, sizeof(*access->index));
    memcpy(access->index, s.index, (c->n + 1) * sizeof(*access->index));
    return true;
  }
  return false;
}

static void access_clear(struct tsr_raw_access *access, int n)
{
  for (int i = 0; access->index && i < n; i++)
    tsr_poly_free(access->index[i]);
  free(access->index);
  access->index = NULL;
  access->count = tsr_poly_free(access->count);
}

#define SOME_ITERATIONS 4

/* Some iterations of all loops, if DOMAIN has so many. Takes DOMAIN. */
static isl_set *late_iterations(struct tsr_model *m, isl_set *domain)
{
  isl_set *late = isl_set_copy(domain);
  for (int i = 0; i < m->n_atom; i++) {
    int pos = m->atoms[i].kind == TSR_ATOM_DIM ? isl_set_find_dim_by_name(late, isl_dim_param, m->atoms[i].name) : -1;
    if (pos >= 0 && isl_set_involves_dims(late, isl_dim_param, pos, 1) == isl_bool_true)
      late = isl_set_lower_bound_si(late, isl_dim_param, pos, SOME_ITERATIONS);
  }
  bool none = isl_set_is_empty(late) != isl_bool_false;
  isl_set_free(none ? late : domain);
  return none ? domain : late;
}

/* Is the model still right for some parameters with which statement STMT runs, and in more than the first iterations? WAS:
 * what was violated before. */
static bool can_run(struct tsr_model *m, int stmt, isl_set *was)
{
  isl_set *before = isl_set_subtract(isl_set_copy(m->stmts[stmt].domain), isl_set_copy(was));
  before = late_iterations(m, before);
  bool can = isl_set_is_subset(before, m->violated) == isl_bool_false || isl_set_is_empty(before) == isl_bool_true;
  isl_set_free(before);
  return can;
}

/* Is the model still right for some parameters, and with some of them for each statement that accesses ARRAY? */
static bool is_plausible(struct tsr_model *m, int array, isl_set *was)
{
  isl_set *all = isl_set_universe(isl_set_get_space(m->violated));
  isl_bool empty = isl_set_is_subset(all, m->violated);
  isl_set_free(all);
  int last = -1;
  for (int i = 0; i < m->n_access && empty == isl_bool_false; i++) {
    if (m->access[i].array != array || m->access[i].stmt == last)
      continue;
    last = m->access[i].stmt;
    if (!can_run(m, last, was))
      return false;
  }
  return empty == isl_bool_false;
}

/* Does P change with some counter? */
static bool has_counter(struct tsr_model *m, const struct tsr_poly *p)
{
  bool has = false;
  for (int t = 0; t < p->n && !has; t++)
    for (int k = 0; k < p->term[t].degree && !has; k++) {
      const struct tsr_atom *atom = &m->atoms[p->term[t].atom[k]];
      has = atom->kind == TSR_ATOM_DIM;
      for (int i = 0; i < m->n_atom && atom->kind == TSR_ATOM_EXPR && !has; i++) {
        int pos =
            m->atoms[i].kind == TSR_ATOM_DIM ? isl_pw_aff_find_dim_by_name(atom->expr, isl_dim_param, m->atoms[i].name) : -1;
        has = pos >= 0 && isl_pw_aff_involves_dims(atom->expr, isl_dim_param, pos, 1) != isl_bool_false;
      }
    }
  return has;
}

/* Does a counter run over dimension LEVEL of ARRAY, as its accesses are split? */
static bool is_run_over(struct tsr_model *m, int array, int level)
{
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].array == array && m->access[i].index &&
        (!m->access[i].index[level] || has_counter(m, m->access[i].index[level])))
      return true;
  return false;
}

/* The candidate of N that is the size of what is below a dimension of C among ASSUMED, whose size is a constant, and has a
 * step, which is left in *STEP; -1: there is none. */
static int find_stepped(struct tsr_model *m, int array, const struct chain *c, unsigned assumed,
                        const struct candidate *list, int n, int64_t *step)
{
  for (int level = 1; level <= c->n; level++) {
    struct tsr_poly *size = assumed & 1u << level ? size_of(c, level - 1) : NULL;
    bool constant = size && tsr_poly_is_const(size, step);
    tsr_poly_free(size);
    for (int i = 0; i < n && constant; i++) {
      if (!tsr_poly_equal(list[i].size, c->product[level - 1]))
        continue;
      if (*step > FEW_ELEMENTS || is_run_over(m, array, level))
        *step = list[i].step;
      if (*step > 1)
        return i;
    }
  }
  return -1;
}

/* *STEPPED: the candidate among N for whose *STEP it fails, -1: for another reason, or not. */
static bool try_chain(struct tsr_model *m, int array, const struct chain *c, const struct candidate *list, int n,
                      int *stepped, int64_t *step)
{
  unsigned assumed = 0;
  if (!divides(m, array, c))
    return false;
  isl_set *saved = isl_set_copy(m->violated);
  bool ok = true;
  for (int i = 0; ok && i < m->n_access; i++)
    if (m->access[i].array == array)
      ok = access_split(m, c, &m->access[i], &assumed);
  *stepped = ok ? find_stepped(m, array, c, assumed, list, n, step) : -1;
  if (ok && *stepped < 0 && (isl_set_is_equal(m->violated, saved) == isl_bool_true || is_plausible(m, array, saved))) {
    isl_set_free(saved);
    return true;
  }
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].array == array)
      access_clear(&m->access[i], c->n + 1);
  isl_set_free(m->violated);
  m->violated = saved;
  tsr_model_retry(m); /* an assumption was too complex: the next chain may do */
  return false;
}

static LLVMValueRef worst_access(struct tsr_model *m, int array)
{
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].array == array && m->access[i].offset && tsr_poly_degree(m->access[i].offset) > 1)
      return m->access[i].inst;
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].array == array)
      return m->access[i].inst;
  return NULL;
}

/* The chain of attempt TRY among N candidates: first each candidate joined by all others that fit, then each alone, then
 * none. */
static void chain_make(struct chain *c, const struct candidate *list, int n, int try)
{
  c->n = 0;
  if (try == 2 * n)
    return;
  chain_insert(c, list[try % n].size);
  for (int i = 0; try < n && i < n; i++)
    if (i != try)
      chain_insert(c, list[i].size);
}

/* Candidate AT of the *N in LIST over STEP, if that is a size. */
static void divide_candidate(struct candidate *list, int *n, int at, int64_t step)
{
  struct candidate one = list[at];
  int64_t value;
  list[at] = list[--*n];
  one.size = tsr_poly_divide_exact(one.size, step);
  bool is_size = one.size && !(tsr_poly_is_const(one.size, &value) && value <= 1);
  for (int i = 0; i < *n && is_size; i++)
    is_size = !tsr_poly_equal(list[i].size, one.size);
  one.step = 1;
  if (is_size)
    list[(*n)++] = one;
  else
    tsr_poly_free(one.size);
}

/* C is what the accesses to ARRAY have been split by. */
static void keep_chain(struct tsr_model *m, int array, const struct chain *c)
{
  struct tsr_array_info *a = &m->arrays[array];
  a->n_dim = c->n + 1;
  a->size = malloc((c->n + 1) * sizeof(*a->size));
  for (int i = 0; i < c->n; i++)
    a->size[i] = size_of(c, i);
  for (int i = 0; i < m->n_access; i++) /* what is known of an offset says little of several subscripts */
    a->unbounded |= m->access[i].array == array && !m->access[i].offset && c->n > 0;
}

/* Sizes are strides over their contents, or if RAW these themselves: 3*n for rows of n pixels of three channels. If BARE
 * nothing is changed: is there a chain that divides all offsets? */
static bool delinearise_by(struct tsr_model *m, int array, bool raw, bool bare)
{
  struct candidate list[MAX_CANDIDATES];
  int n = collect(m, array, list, raw);
  bool done = false;
  for (int try = 0; try <= 2 * n && !done; try++) {
    struct chain c;
    int stepped = -1;
    int64_t step;
    chain_make(&c, list, n, try);
    done = bare ? divides(m, array, &c) : try_chain(m, array, &c, list, n, &stepped, &step);
    if (stepped >= 0) {
      divide_candidate(list, &n, stepped, step);
      try = -1;
    }
    if (done && !bare)
      keep_chain(m, array, &c);
    for (int i = 0; i < c.n; i++)
      tsr_poly_free(c.product[i]);
  }
  for (int i = 0; i < n; i++)
    tsr_poly_free(list[i].size);
  return done;
}

/* R[t, x]: as they are. */
static bool split_rows(struct tsr_model *m, int array)
{
  struct tsr_array_info *a = &m->arrays[array];
  a->n_dim = 2;
  a->size = calloc(1, sizeof(*a->size));
  for (int i = 0; i < m->n_access; i++) {
    struct tsr_raw_access *access = &m->access[i];
    if (access->array != array)
      continue;
    if (tsr_poly_degree(access->offset) > 1 || (access->length && tsr_poly_degree(access->length) > 1))
      return tsr_model_reject(m, TSR_REASON_Rows, access->inst, NULL);
    access->index = calloc(2, sizeof(*access->index));
    access->index[0] = tsr_poly_copy(access->row);
    access->index[1] = tsr_poly_copy(access->offset);
    access->run = 1;
    access->count = tsr_poly_copy(access->length);
  }
  return true;
}

static bool delinearise_own(struct tsr_model *m, int array, bool bare)
{
  return delinearise_by(m, array, false, bare) || delinearise_by(m, array, true, bare);
}

/* Take back how ARRAY is split, and what has been assumed since SAVED. */
static void undo(struct tsr_model *m, int array, isl_set *saved)
{
  struct tsr_array_info *a = &m->arrays[array];
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].array == array)
      access_clear(&m->access[i], a->n_dim);
  for (int i = 0; i < a->n_dim - 1; i++)
    tsr_poly_free(a->size[i]);
  free(a->size);
  a->size = NULL;
  a->n_dim = 0;
  isl_set_free(m->violated);
  m->violated = isl_set_copy(saved);
}

/* Split ARRAY into rows of SIZE, if nothing has to be assumed for that beyond SAVED. */
static bool split_without(struct tsr_model *m, int array, struct tsr_poly *size, isl_set *saved)
{
  struct chain c = {.product = {size}, .n = 1};
  int stepped = -1;
  int64_t step;
  if (!try_chain(m, array, &c, NULL, 0, &stepped, &step))
    return false;
  keep_chain(m, array, &c);
  if (isl_set_is_equal(m->violated, saved) == isl_bool_true)
    return true;
  undo(m, array, saved);
  return false;
}

/* ARRAY has no rows, or some for which more is assumed than in SAVED: give it those of another array instead, if that needs
 * nothing. False: it has none. */
static bool split_as_others(struct tsr_model *m, int array, isl_set *saved)
{
  struct tsr_array_info *a = &m->arrays[array];
  bool own = a->n_dim > 0, undone = false;
  for (int i = 0; i < m->n_array && (a->n_dim == 2 || !own || undone); i++) {
    struct tsr_array_info *other = &m->arrays[i];
    struct chain c = {.n = 1};
    if (i == array || other->kind != TSR_ARRAY_MEMORY || other->rows || other->n_dim != 2)
      continue;
    c.product[0] = other->size[0];
    if ((a->n_dim == 2 && tsr_poly_equal(c.product[0], a->size[0])) || !divides(m, array, &c))
      continue;
    if (own && !undone)
      undo(m, array, saved);
    undone = own;
    if (split_without(m, array, c.product[0], saved))
      return true;
  }
  return undone ? delinearise_own(m, array, false) : own;
}

static bool delinearise(struct tsr_model *m, int array, bool bare)
{
  if (m->arrays[array].rows)
    return bare || split_rows(m, array);
  if (bare)
    return delinearise_own(m, array, true);
  isl_set *saved = isl_set_copy(m->violated);
  bool done = delinearise_own(m, array, false);
  if (!done || isl_set_is_equal(m->violated, saved) == isl_bool_false)
    done = split_as_others(m, array, saved);
  isl_set_free(saved);
  return done;
}

/* A product of two parameters? */
static bool is_product(struct tsr_model *m, const struct tsr_term *t)
{
  return t->degree == 2 && !is_counter(m, t->atom[0]) && !is_counter(m, t->atom[1]);
}

/* Terms without a counter that multiply two parameters, as k*ld in the inner loops of a nest whose outer loop k isn't part
 * of the SCoP: each product becomes a parameter of its own. Was there one? */
static bool name_products(struct tsr_model *m, int array)
{
  bool any = false;
  if (m->arrays[array].rows)
    return false;
  for (int i = 0; i < m->n_access; i++) {
    struct tsr_raw_access *access = &m->access[i];
    for (int t = 0; access->array == array && access->offset && t < access->offset->n; t++) {
      struct tsr_term term = access->offset->term[t];
      if (!is_product(m, &term))
        continue;
      struct tsr_term one = term;
      one.degree = 1;
      one.atom[0] = tsr_atom_product(m, term.atom[0], term.atom[1]);
      access->offset = tsr_poly_add(access->offset, tsr_poly_term(&one));
      term.coef = -term.coef;
      access->offset = tsr_poly_add(access->offset, tsr_poly_term(&term));
      any = true;
      t = -1;
    }
  }
  return any;
}

/* ---- strides that are parameters: elements side by side
 *
 *   s*i + t*j   ->   i + t*j,   violated += { s != 1 }
 *
 * The unit-stride version of what may have any stride, a[i * incx + j * ld]. Of several strides the one that lies first in
 * memory is tried first, that of the first dimension of a descriptor, then the one that fewer accesses have. */

#define MAX_UNITS 4

/* P with parameter ATOM as 1. */
static struct tsr_poly *with_unit(const struct tsr_poly *p, int atom)
{
  struct tsr_poly *all = tsr_poly_const(0);
  for (int i = 0; i < p->n && all; i++) {
    struct tsr_term t = p->term[i];
    t.degree = 0;
    for (int k = 0; k < p->term[i].degree; k++)
      if (p->term[i].atom[k] != atom)
        t.atom[t.degree++] = p->term[i].atom[k];
    all = tsr_poly_add(all, tsr_poly_term(&t));
  }
  return all;
}

/* Where the parameter ATOM, or what it is a part of, is read from: bytes from a base. */
static int64_t place_of(struct tsr_model *m, int atom)
{
  const struct tsr_atom *a = &m->atoms[atom];
  int64_t at = INT64_MAX;
  if (a->divisor)
    return place_of(m, a->factor[0]);
  const struct tsr_invariant *item = a->value ? tsr_invariant_of(m->invariants, a->value) : NULL;
  if (item && !item->is_pure && !item->is_call && item->address)
    tsr_scev_constant(tsr_scev_pointer_offset(m->a, item->address), &at);
  return at;
}

/* Does the parameter ATOM multiply a counter in P? */
static bool is_stride(struct tsr_model *m, const struct tsr_poly *p, int atom)
{
  for (int t = 0; p && t < p->n; t++) {
    bool counter = false, found = false;
    for (int k = 0; k < p->term[t].degree; k++) {
      counter |= is_counter(m, p->term[t].atom[k]);
      found |= p->term[t].atom[k] == atom;
    }
    if (counter && found)
      return true;
  }
  return false;
}

/* In how many accesses is the parameter ATOM a stride? In many it is the size of a row. */
static int n_strides(struct tsr_model *m, int atom)
{
  int n = 0;
  for (int i = 0; i < m->n_access; i++)
    n += is_stride(m, m->access[i].offset, atom);
  return n;
}

/* Should A be tried before B? */
static bool unit_comes_first(struct tsr_model *m, int a, int b)
{
  int64_t x = place_of(m, a), y = place_of(m, b);
  int u = n_strides(m, a), v = n_strides(m, b);
  return x != y ? x < y : u <= v;
}

/* The parameters that multiply a counter in a subscript of ARRAY, the likeliest to be 1 first. */
static int collect_units(struct tsr_model *m, int array, int *units)
{
  int n = 0;
  for (int i = 0; i < m->n_access; i++) {
    const struct tsr_poly *p = m->access[i].array == array ? m->access[i].offset : NULL;
    for (int t = 0; p && t < p->n; t++)
      for (int k = 0; k < p->term[t].degree; k++) {
        int atom = p->term[t].atom[k], at = 0;
        bool known = is_counter(m, atom) || !is_stride(m, p, atom);
        for (int u = 0; u < n; u++)
          known |= units[u] == atom;
        if (known || n == MAX_UNITS)
          continue;
        while (at < n && unit_comes_first(m, units[at], atom))
          at++;
        memmove(&units[at + 1], &units[at], (n - at) * sizeof(*units));
        units[at] = atom;
        n++;
      }
  }
  return n;
}

static bool assume_is_one(struct tsr_model *m, int stmt, int atom)
{
  struct tsr_poly *p = tsr_poly_atom(atom);
  isl_set *other = isl_pw_aff_ne_set(tsr_poly_to_pw_aff(m, p), tsr_pw_aff_const(m, 1));
  tsr_poly_free(p);
  return tsr_model_assume_not(m, isl_set_copy(m->stmts[stmt].domain), other);
}

static bool assume_unit(struct tsr_model *m, int array, int atom, bool bare)
{
  for (int i = 0; i < m->n_access; i++) {
    if (m->access[i].array != array || !m->access[i].offset)
      continue;
    if (!bare && !assume_is_one(m, m->access[i].stmt, atom))
      return false;
    struct tsr_poly *before = m->access[i].offset;
    m->access[i].offset = with_unit(before, atom);
    tsr_poly_free(before);
    if (!m->access[i].offset)
      return false;
  }
  return true;
}

/* As delinearise, with one of the strides assumed to be 1. What fails, or is BARE, is undone. */
static bool delinearise_unit(struct tsr_model *m, int array, bool bare)
{
  int units[MAX_UNITS + 1];
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].array == array && (m->access[i].length || !m->access[i].offset))
      return false;
  int n = m->arrays[array].rows ? 0 : collect_units(m, array, units);
  bool done = false;
  for (int u = 0; u < n && !done; u++) {
    isl_set *saved = isl_set_copy(m->violated);
    struct tsr_poly **before = calloc(m->n_access, sizeof(*before));
    for (int i = 0; i < m->n_access; i++)
      before[i] = m->access[i].array == array ? tsr_poly_copy(m->access[i].offset) : NULL;
    done = assume_unit(m, array, units[u], bare) && delinearise(m, array, bare);
    for (int i = 0; i < m->n_access && (bare || !done); i++)
      if (before[i]) {
        tsr_poly_free(m->access[i].offset);
        m->access[i].offset = before[i];
        before[i] = NULL;
      }
    for (int i = 0; i < m->n_access; i++)
      tsr_poly_free(before[i]);
    free(before);
    if (done) {
      isl_set_free(saved);
      break;
    }
    isl_set_free(m->violated);
    m->violated = saved;
    tsr_model_retry(m);
  }
  return done;
}

/* The same for what is plain without any set: could the offsets of ARRAY be divided into subscripts? */
static bool may_delinearise(struct tsr_model *m, int array)
{
  bool plain = true, products = false;
  if (m->arrays[array].kind != TSR_ARRAY_MEMORY)
    return true;
  for (int i = 0; i < m->n_access; i++) {
    const struct tsr_poly *p = m->access[i].array == array ? m->access[i].offset : NULL;
    plain &= !p || (tsr_poly_degree(p) <= 1 && !m->access[i].length);
    for (int t = 0; p && t < p->n; t++)
      products |= is_product(m, &p->term[t]); /* may get a name */
  }
  return plain || products || delinearise(m, array, true) || delinearise_unit(m, array, true);
}

bool tsr_model_delinearise(struct tsr_model *m)
{
  for (int i = 0; i < m->n_array && m->quiet; i++)
    if (!may_delinearise(m, i))
      return tsr_model_reject(m, TSR_REASON_Subscript, worst_access(m, i), NULL);
  /* What has no rows of its own comes last: it may be like the others. */
  bool *left = calloc(m->n_array + 1, sizeof(*left)), done = left != NULL;
  for (int i = 0; i < m->n_array && done; i++)
    left[i] = m->arrays[i].kind == TSR_ARRAY_MEMORY && !delinearise(m, i, false);
  for (int i = 0; i < m->n_array && done; i++)
    if (left[i] && !delinearise(m, i, false) && !delinearise_unit(m, i, false) &&
        !(name_products(m, i) && delinearise(m, i, false)))
      done = tsr_model_reject(m, TSR_REASON_Subscript, worst_access(m, i), NULL);
  free(left);
  return done;
}
