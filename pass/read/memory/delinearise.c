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
 * Strides that aren't multiples of each other, s*i + t*j + k, are those of planes with at least s / t rows of t elements, by
 * assumption: what lies between isn't accessed.
 *
 * Several chains are tried, most votes first; the empty chain is the one-dimensional array. Whether a chain divides the
 * offsets of all accesses is known before any set is made. Where something has to be assumed, the chains of other arrays are
 * tried, too: diagonals alone, A[i][i + k], look like rows of one more element. */
#include "read/memory/subscripts.h"
#include <stdlib.h>

#define FEW_ELEMENTS 16

#define SOME_ITERATIONS 4

/* Some iterations of each loop that has so many in DOMAIN, which is taken: one over channels hasn't. */
static isl_set *late_iterations(struct tsr_model *m, isl_set *domain)
{
  for (int i = 0; i < m->n_atom; i++) {
    int pos = m->atoms[i].kind == TSR_ATOM_DIM ? isl_set_find_dim_by_name(domain, isl_dim_param, m->atoms[i].name) : -1;
    if (pos < 0 || isl_set_involves_dims(domain, isl_dim_param, pos, 1) != isl_bool_true)
      continue;
    isl_set *late = isl_set_lower_bound_si(isl_set_copy(domain), isl_dim_param, pos, SOME_ITERATIONS);
    bool none = isl_set_is_empty(late) != isl_bool_false;
    isl_set_free(none ? late : domain);
    domain = none ? domain : late;
  }
  return domain;
}

/* Is the model still right for some parameters with which statement STMT runs, and in more than the first iterations? WAS:
 * what was violated before. */
static bool can_run(struct tsr_model *m, int stmt, isl_set *was)
{
  isl_set *domain = m->stmts[stmt].domain;
  if (tsr_violated_is_long(m)) { /* what isn't violated now was not before; that takes less time to see */
    isl_set *late = late_iterations(m, isl_set_copy(domain));
    isl_bool none = tsr_set_is_within(m, late, m->violated);
    isl_set_free(late);
    if (none == isl_bool_false)
      return true;
  }
  isl_set *before = tsr_set_without(m, isl_set_copy(domain), was);
  before = tsr_relate_quotients(m, late_iterations(m, before));
  bool can = tsr_set_is_within(m, before, m->violated) == isl_bool_false || isl_set_is_empty(before) == isl_bool_true;
  isl_set_free(before);
  return can;
}

/* Is the model still right for some parameters, and with some of them for each statement that accesses ARRAY? */
static bool is_plausible(struct tsr_model *m, int array, isl_set *was)
{
  isl_set *all = isl_set_universe(isl_set_get_space(m->violated));
  isl_bool empty = tsr_set_is_within(m, all, m->violated);
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
    struct tsr_poly *size = assumed & 1u << level ? tsr_chain_size(c, level - 1) : NULL;
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
  if (!tsr_chain_divides(m, array, c))
    return false;
  isl_set *saved = isl_set_copy(m->violated);
  bool ok = true;
  for (int i = 0; ok && i < m->n_access; i++)
    if (m->access[i].array == array)
      ok = tsr_access_split(m, c, &m->access[i], &assumed);
  *stepped = ok ? find_stepped(m, array, c, assumed, list, n, step) : -1;
  if (ok && *stepped < 0 && (tsr_violated_is(m, saved) || is_plausible(m, array, saved))) {
    isl_set_free(saved);
    return true;
  }
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].array == array)
      tsr_access_clear(&m->access[i], c->n + 1);
  isl_set_free(m->violated);
  m->violated = saved;
  tsr_model_retry(m); /* an assumption was too complex: the next chain may do */
  return false;
}

/* The access to show where no subscripts of ARRAY are found: a product of counters first. */
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

/* C is what the accesses to ARRAY have been split by. */
static void keep_chain(struct tsr_model *m, int array, const struct chain *c)
{
  struct tsr_array_info *a = &m->arrays[array];
  a->n_dim = c->n + 1;
  a->size = malloc((c->n + 1) * sizeof(*a->size));
  for (int i = 0; i < c->n; i++)
    a->size[i] = tsr_chain_size(c, i);
  bool loose = false;
  for (int i = 0; i < c->n; i++)
    loose |= c->ratio[i] != NULL;
  a->pitch = loose ? malloc(c->n * sizeof(*a->pitch)) : NULL;
  for (int i = 0; i < c->n && loose; i++)
    a->pitch[i] = tsr_poly_copy(c->product[i]);
  for (int i = 0; i < m->n_access; i++) { /* bounds of an offset say little of several subscripts */
    bool unknown = m->access[i].array == array && !m->access[i].offset, bounded = c->n == 0 && m->access[i].bounded;
    a->unbounded |= unknown && !bounded && !tsr_data_split(m, c, &m->access[i]);
  }
}

/* Sizes are strides over their contents, or if RAW these themselves: 3*n for rows of n pixels of three channels. If BARE
 * nothing is changed: is there a chain that divides all offsets? */
static bool delinearise_by(struct tsr_model *m, int array, bool raw, bool bare)
{
  struct candidate list[TSR_MAX_CANDIDATES];
  int n = tsr_candidates_collect(m, array, list, raw);
  bool done = false;
  for (int try = 0; try <= 2 * n && !done; try++) {
    struct chain c;
    int stepped = -1;
    int64_t step;
    tsr_chain_make(&c, list, n, try);
    done = bare ? tsr_chain_divides(m, array, &c) : try_chain(m, array, &c, list, n, &stepped, &step);
    if (stepped >= 0) {
      tsr_candidate_divide(list, &n, stepped, step);
      try = -1;
    }
    if (done && !bare)
      keep_chain(m, array, &c);
    tsr_row_chain_clear(&c);
  }
  for (int i = 0; i < n; i++)
    tsr_poly_free(list[i].size);
  return done;
}

/* Subscripts by all strides, of which some aren't multiples of others. */
static bool delinearise_loose(struct tsr_model *m, int array, bool bare)
{
  struct candidate list[TSR_MAX_CANDIDATES];
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].array == array && (m->access[i].length || !m->access[i].offset))
      return false;
  if (m->arrays[array].rows)
    return false;
  int n = tsr_candidates_collect(m, array, list, true);
  tsr_candidates_add_parts(m, array, list, &n);
  struct chain c;
  int stepped;
  int64_t step;
  tsr_chain_make_loose(&c, list, n);
  bool done = c.n > 1 && tsr_chain_divides(m, array, &c);
  if (done && !bare) {
    done = tsr_chain_find_ratios(m, &c) && try_chain(m, array, &c, NULL, 0, &stepped, &step);
    if (done)
      keep_chain(m, array, &c);
  }
  tsr_row_chain_clear(&c);
  for (int i = 0; i < n; i++)
    tsr_poly_free(list[i].size);
  return done;
}

/* R[t, x]: as they are. */
static bool split_rows(struct tsr_model *m, int array)
{
  struct tsr_array_info *a = &m->arrays[array];
  bool again = a->size != NULL; /* it has been tried before, with other arrays in the way */
  a->n_dim = 2;
  a->size = again ? a->size : calloc(1, sizeof(*a->size));
  for (int i = 0; i < m->n_access; i++) {
    struct tsr_raw_access *access = &m->access[i];
    if (access->array != array)
      continue;
    if (again)
      tsr_access_clear(access, a->n_dim);
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

/* Take back how ARRAY is split, and what has been assumed since SAVED. */
static void undo(struct tsr_model *m, int array, isl_set *saved)
{
  struct tsr_array_info *a = &m->arrays[array];
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].array == array)
      tsr_access_clear(&m->access[i], a->n_dim);
  for (int i = 0; i < a->n_dim - 1; i++)
    tsr_poly_free(a->size[i]);
  free(a->size);
  a->size = NULL;
  for (int i = 0; i < a->n_dim - 1 && a->pitch; i++)
    tsr_poly_free(a->pitch[i]);
  free(a->pitch);
  a->pitch = NULL;
  a->n_dim = 0;
  isl_set_free(m->violated);
  m->violated = isl_set_copy(saved);
}

/* Have the strides of ARRAY contents: do elements of several parts lie side by side in its rows? */
static bool has_contents(struct tsr_model *m, int array)
{
  struct candidate list[TSR_MAX_CANDIDATES];
  int n = tsr_candidates_collect(m, array, list, true);
  bool has = false;
  for (int i = 0; i < n; i++) {
    has |= tsr_poly_degree(list[i].size) > 0 && tsr_poly_content(list[i].size) > 1;
    tsr_poly_free(list[i].size);
  }
  return has;
}

/* Is the model right with m->violated wherever it was with MORE, of parameters with which accesses to ARRAY happen? */
static bool assumes_less(struct tsr_model *m, int array, isl_set *more)
{
  bool less = true;
  int last = -1;
  for (int i = 0; i < m->n_access && less; i++) {
    if (m->access[i].array != array || m->access[i].stmt == last)
      continue;
    last = m->access[i].stmt;
    isl_set *runs = tsr_project_counters(m, isl_set_copy(m->stmts[last].domain));
    isl_set *bad = isl_set_intersect(isl_set_copy(m->violated), runs);
    less = isl_set_is_subset(bad, more) == isl_bool_true;
    isl_set_free(bad);
  }
  return less;
}

/* Subscripts for all accesses to ARRAY, by its own strides. If BARE nothing is changed: could there be any? Of complex
 * numbers in rows of ld, 2*i + 1 < 2*ld is assumed, not 2*i + 1 < ld: what follows from the other. */
static bool delinearise_own(struct tsr_model *m, int array, bool bare)
{
  isl_set *saved = isl_set_copy(m->violated);
  bool done = delinearise_by(m, array, false, bare);
  if (done && !bare && !tsr_violated_is(m, saved) && has_contents(m, array)) {
    isl_set *more = isl_set_copy(m->violated);
    undo(m, array, saved);
    bool raw = delinearise_by(m, array, true, false);
    bool less = raw && assumes_less(m, array, more);
    if (raw && !less)
      undo(m, array, saved);
    done = less || delinearise_by(m, array, false, false);
    isl_set_free(more);
  }
  isl_set_free(saved);
  return done || delinearise_by(m, array, true, bare);
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
  if (tsr_violated_is(m, saved))
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
    if ((a->n_dim == 2 && tsr_poly_equal(c.product[0], a->size[0])) || !tsr_chain_divides(m, array, &c))
      continue;
    if (own && !undone)
      undo(m, array, saved);
    undone = own;
    if (split_without(m, array, c.product[0], saved))
      return true;
  }
  return undone ? delinearise_own(m, array, false) : own;
}

/* Subscripts for all accesses to ARRAY. If BARE nothing is changed: could there be any? */
static bool delinearise(struct tsr_model *m, int array, bool bare)
{
  if (m->arrays[array].rows)
    return bare || split_rows(m, array);
  if (bare)
    return delinearise_own(m, array, true);
  isl_set *saved = isl_set_copy(m->violated);
  bool done = delinearise_own(m, array, false);
  if (!done || !tsr_violated_is(m, saved))
    done = split_as_others(m, array, saved);
  isl_set_free(saved);
  return done;
}

/* The offsets of the accesses to ARRAY, copied; NULL for others. */
static struct tsr_poly **save_offsets(struct tsr_model *m, int array)
{
  struct tsr_poly **saved = calloc(m->n_access + 1, sizeof(*saved));
  for (int i = 0; i < m->n_access; i++)
    saved[i] = m->access[i].array == array ? tsr_poly_copy(m->access[i].offset) : NULL;
  return saved;
}

/* Free SAVED, the offsets of ARRAY, which has them again if BACK. */
static void end_offsets(struct tsr_model *m, int array, struct tsr_poly **saved, bool back)
{
  for (int i = 0; i < m->n_access; i++)
    if (back && m->access[i].array == array) {
      tsr_poly_free(m->access[i].offset);
      m->access[i].offset = saved[i];
    } else {
      tsr_poly_free(saved[i]);
    }
  free(saved);
}

/* As delinearise, with products for which there is a parameter by that. What fails is undone, and so is what is BARE. */
static bool delinearise_folded(struct tsr_model *m, int array, bool bare)
{
  if (m->arrays[array].rows)
    return false;
  struct tsr_poly **saved = save_offsets(m, array);
  bool done = tsr_offsets_fold_products(m, array) && (delinearise(m, array, bare) || delinearise_loose(m, array, bare));
  end_offsets(m, array, saved, bare || !done);
  return done;
}

/* As delinearise, with one of the strides assumed to be 1. What fails, or is BARE, is undone. */
static bool delinearise_unit(struct tsr_model *m, int array, bool bare)
{
  int units[TSR_MAX_UNITS + 1];
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].array == array && (m->access[i].length || !m->access[i].offset))
      return false;
  int n = m->arrays[array].rows ? 0 : tsr_units_collect(m, array, units);
  bool done = false;
  for (int u = 0; u < n && !done; u++) {
    isl_set *saved = isl_set_copy(m->violated);
    struct tsr_poly **before = save_offsets(m, array);
    done = tsr_unit_assume(m, array, units[u], bare) && (delinearise(m, array, bare) || delinearise_loose(m, array, bare));
    end_offsets(m, array, before, bare || !done);
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
      products |= tsr_term_is_product(m, &p->term[t]); /* may get a name */
  }
  return plain || products || delinearise(m, array, true) || delinearise_loose(m, array, true) ||
         delinearise_folded(m, array, true) || delinearise_unit(m, array, true) ||
         (tsr_array_move_base(m, array) && (delinearise(m, array, true) || delinearise_loose(m, array, true)));
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
    if (left[i] && !delinearise(m, i, false) && !delinearise_loose(m, i, false) && !delinearise_folded(m, i, false) &&
        !delinearise_unit(m, i, false) &&
        !(tsr_array_move_base(m, i) && (delinearise(m, i, false) || delinearise_loose(m, i, false))) &&
        !(tsr_offsets_name_products(m, i) && delinearise(m, i, false)))
      done = tsr_model_reject(m, TSR_REASON_Subscript, worst_access(m, i), NULL);
  free(left);
  return done;
}
