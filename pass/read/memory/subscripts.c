/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Offsets split by a chain of row sizes: the subscripts of loads and stores; of transfers, the elements or rows that they
 * are of. What is to be proved of a subscript is that it stays in its row; or that is assumed. */
#include "read/memory/subscripts.h"
#include <isl/constraint.h>
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

struct split {
  struct tsr_model *m;
  const struct chain *c;
  struct tsr_raw_access *access;
  struct tsr_poly *index[TSR_MAX_CANDIDATES + 1];
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
  isl_bool none = tsr_set_is_within(m, bad, m->violated);
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

/* Is P a sum of parameters and counters, without expressions of several pieces? */
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
  isl_bool none = tsr_set_is_within(m, bad, m->violated);
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
  struct tsr_poly *size = tsr_chain_size(s->c, level - 1);
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

static bool split_from(struct split *s, struct tsr_poly *p, int level);

/* Subscript Q of LEVEL, and REST split behind it, such that the model is still right for some parameters, if it was: else
 * nothing has been assumed. Takes REST. */
static bool split_at(struct split *s, const struct tsr_poly *q, struct tsr_poly *rest, int level)
{
  isl_set *saved = isl_set_copy(s->m->violated);
  bool done = tsr_poly_degree(q) <= 1 && (level == 0 || in_bounds(s, q, level));
  if (!done)
    tsr_poly_free(rest);
  done = done && split_from(s, rest, level + 1);
  if (s->may_assume && (!done || (isl_set_plain_is_universe(s->m->violated) == isl_bool_true &&
                                  isl_set_plain_is_universe(saved) == isl_bool_false))) {
    for (int i = level + 1; i <= s->c->n && done; i++)
      s->index[i] = tsr_poly_free(s->index[i]);
    done = false;
    isl_set_free(s->m->violated);
    s->m->violated = isl_set_copy(saved);
  }
  isl_set_free(saved);
  return done;
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
  for (int i = 0; i < 3 && s->m->reason == TSR_ACCEPTED; i++) {
    struct tsr_poly *q2 = tsr_poly_add(tsr_poly_copy(q), tsr_poly_const(shifts[i]));
    struct tsr_poly *r2 = tsr_poly_sub(tsr_poly_copy(r), tsr_poly_scale(tsr_poly_copy(by), shifts[i]));
    s->index[level] = q2;
    if (!q2)
      tsr_poly_free(r2);
    if (q2 && r2 && split_at(s, q2, r2, level)) {
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
    struct tsr_poly *size = tsr_chain_size(s->c, run - 1);
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

/* The transfer as one of run RUN; false: it is none. */
static bool split_run(struct split *s, int run)
{
  const struct tsr_poly *length = s->access->length;
  struct tsr_poly *n = run == s->c->n ? tsr_poly_copy(length) : tsr_size_ratio(length, s->c->product[run]);
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

/* Free the subscripts. */
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

bool tsr_chain_divides(struct tsr_model *m, int array, const struct chain *c)
{
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].array == array && !is_divided(m, c, &m->access[i]))
      return false;
  return true;
}

bool tsr_access_split(struct tsr_model *m, const struct chain *c, struct tsr_raw_access *access, unsigned *assumed)
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

bool tsr_data_split(struct tsr_model *m, const struct chain *c, struct tsr_raw_access *access)
{
  struct split s = {.m = m, .c = c, .access = access};
  if (!access->data || !split_from(&s, tsr_poly_copy(access->data), 0))
    return false;
  access->index = calloc(c->n + 1, sizeof(*access->index));
  memcpy(access->index, s.index, (c->n + 1) * sizeof(*access->index));
  if (tsr_data_is_outermost(m, access, c->n + 1))
    return true;
  tsr_access_clear(access, c->n + 1);
  return false;
}

void tsr_access_clear(struct tsr_raw_access *access, int n)
{
  for (int i = 0; access->index && i < n; i++)
    tsr_poly_free(access->index[i]);
  free(access->index);
  access->index = NULL;
  access->count = tsr_poly_free(access->count);
}
