/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Making a linear problem smaller before it is solved.
 *
 *   zero        - a x - b y >= 0 with a, b > 0         ->   x = 0, y = 0, since all columns are >= 0
 *   substitute  x = f(columns before x), coefficient 1  ->   f in place of x, and f >= 0
 *
 * The lexicographic minimum is that of the columns in their order: a column that those before it determine has no say in it
 * and can be left out. (Were x in front of a column of f, leaving it out would change the minimum.) Coincident rows and most
 * cones of dependences come with such equalities; isl would substitute them with numbers of any size.
 *
 * Regions (see tsr_region) follow the substitution; they get wider where a column of another node comes in. */
#include "sched/rows/ilp.h"
#include <stdlib.h>
#include <string.h>

/* Entries beyond this are left to isl. */
#define LARGE (1L << 24)

/* The problem being reduced, all columns still in place. */
struct work {
  int width;
  struct tsr_ilp_rows rows[2];
  long *region; /* all rows of all regions, of `width` entries each, the constant 0 */
  int n_region_row;
  struct tsr_reduced *reduced;
  bool *is_gone; /* by column */
  long *largest; /* no entry in the rows is larger: by column, the constant's first */
};

static bool fits(const long *row, int width)
{
  for (int i = 0; i < width; i++)
    if (row[i] > LARGE || row[i] < -LARGE)
      return false;
  return true;
}

/* ROW += FACTOR * FORM, for the column COLUMN that FORM stands for. Is there any of it? */
static bool substitute(long *row, int width, int column, const long *form)
{
  long factor = row[1 + column];
  if (!factor)
    return false;
  row[1 + column] = 0;
  for (int i = 0; i < width; i++)
    row[i] += factor * form[i];
  return true;
}

/* Let LARGEST know of the entries of ROW. */
static void note_entries(long *largest, const long *row, int width)
{
  for (int i = 0; i < width; i++)
    largest[i] = labs(row[i]) > largest[i] ? labs(row[i]) : largest[i];
}

/* Could FORM be put in place of COLUMN without large numbers? */
static bool is_harmless(const struct work *work, int column, const long *form)
{
  long most = 0;
  for (int i = 0; i < work->width; i++)
    most = labs(form[i]) > most ? labs(form[i]) : most;
  return work->largest[1 + column] * most <= LARGE;
}

/* COLUMN is FORM from now on: in equalities and regions at once, in inequalities when substitute_all comes. */
static void eliminate(struct work *work, int column, const long *form)
{
  struct tsr_reduced *reduced = work->reduced;
  memcpy(reduced->form + (size_t)reduced->n_gone * work->width, form, sizeof(long) * work->width);
  reduced->gone[reduced->n_gone++] = column;
  work->is_gone[column] = true;
  for (int i = 0; i < work->rows[1].n; i++) {
    long *row = work->rows[1].data + (size_t)i * work->width;
    if (substitute(row, work->width, column, form))
      note_entries(work->largest, row, work->width);
  }
  for (int i = 0; i < work->n_region_row; i++)
    substitute(work->region + (size_t)i * work->width, work->width, column, form);
}

static bool is_in_region(const struct work *work, int column)
{
  for (int i = 0; i < work->n_region_row; i++)
    if (work->region[(size_t)i * work->width + 1 + column])
      return true;
  return false;
}

/* Solve equalities for their last columns. FORM: room for one. */
static void eliminate_equalities(struct work *work, long *form)
{
  memset(work->largest, 0, sizeof(long) * work->width);
  for (int kind = 0; kind < 2; kind++)
    for (int i = 0; i < work->rows[kind].n; i++)
      note_entries(work->largest, work->rows[kind].data + (size_t)i * work->width, work->width);
  for (int i = 0; i < work->rows[1].n; i++) {
    const long *row = work->rows[1].data + (size_t)i * work->width;
    int last = work->width - 1;
    while (last > 0 && !row[last])
      last--;
    if (last == 0 || (row[last] != 1 && row[last] != -1) || (row[0] && is_in_region(work, last - 1)))
      continue; /* (a region has no constants) */
    for (int k = 0; k < work->width; k++)
      form[k] = k == last ? 0 : -row[last] * row[k];
    if (is_harmless(work, last - 1, form))
      eliminate(work, last - 1, form);
  }
}

/* Columns that an inequality says are zero. */
static void eliminate_zeros(struct work *work, long *form)
{
  memset(form, 0, sizeof(long) * work->width);
  for (int i = 0; i < work->rows[0].n; i++) {
    const long *row = work->rows[0].data + (size_t)i * work->width;
    bool zero = row[0] == 0;
    for (int k = 1; k < work->width && zero; k++)
      zero = row[k] <= 0;
    for (int k = 1; k < work->width && zero; k++)
      if (row[k] && !work->is_gone[k - 1])
        eliminate(work, k - 1, form);
  }
}

/* Substitute the columns eliminated from number FROM on in all rows; some become the same, or trivial. What was eliminated
 * was not negative: that becomes a row. */
static isl_stat substitute_all(struct work *work, int from)
{
  struct tsr_reduced *reduced = work->reduced;
  isl_stat ok = isl_stat_ok;
  for (int kind = 0; kind < 2; kind++) {
    struct tsr_ilp_rows old = work->rows[kind];
    work->rows[kind] = (struct tsr_ilp_rows){0};
    for (int i = 0; i < old.n && ok == isl_stat_ok; i++) {
      long *row = old.data + (size_t)i * work->width;
      for (int g = from; g < reduced->n_gone && !reduced->infeasible; g++) {
        if (substitute(row, work->width, reduced->gone[g], reduced->form + (size_t)g * work->width))
          reduced->infeasible =
              !fits(row, work->width); /* nobody wants such coefficients; the next product could overflow */
      }
      ok = tsr_ilp_rows_add(&work->rows[kind], row, work->width, kind, &reduced->infeasible);
    }
    tsr_ilp_rows_free(&old);
  }
  long *row = calloc(work->width, sizeof(long));
  ok = row ? ok : isl_stat_error;
  for (int g = from; g < reduced->n_gone && ok == isl_stat_ok; g++) {
    memcpy(row, reduced->form + (size_t)g * work->width, sizeof(long) * work->width);
    for (int h = g + 1; h < reduced->n_gone; h++)
      substitute(row, work->width, reduced->gone[h], reduced->form + (size_t)h * work->width);
    ok = tsr_ilp_rows_add(&work->rows[0], row, work->width, false, &reduced->infeasible);
  }
  free(row);
  return ok;
}

static isl_stat copy_rows(struct work *work, const struct tsr_ilp *ilp)
{
  long *row = calloc(work->width, sizeof(long));
  isl_stat ok = row ? isl_stat_ok : isl_stat_error;
  for (int kind = 0; kind < 2; kind++)
    for (int i = 0; i < ilp->rows[kind].n && ok == isl_stat_ok; i++) {
      memcpy(row, ilp->rows[kind].data + (size_t)i * work->width, sizeof(long) * work->width);
      work->reduced->infeasible = work->reduced->infeasible || !fits(row, work->width);
      ok = tsr_ilp_rows_add(&work->rows[kind], row, work->width, kind, &work->reduced->infeasible);
    }
  free(row);
  return ok;
}

static isl_stat copy_regions(struct work *work, const struct tsr_region *region, int n_region)
{
  for (int i = 0; i < n_region; i++)
    work->n_region_row += region[i].n_row;
  work->region = calloc((size_t)work->n_region_row * work->width + 1, sizeof(long));
  long *at = work->region;
  for (int i = 0; i < n_region && at; i++)
    for (int r = 0; r < region[i].n_row; r++, at += work->width)
      memcpy(at + 1 + region[i].first, region[i].data + (size_t)r * region[i].n_col, sizeof(long) * region[i].n_col);
  return work->region ? isl_stat_ok : isl_stat_error;
}

/* ---- the columns that are left ---- */

/* ROW without its eliminated columns, into OUT. */
static void compress(const struct tsr_reduced *reduced, const long *row, long *out)
{
  out[0] = row[0];
  for (int k = 0; k < reduced->n_col; k++)
    out[1 + k] = row[1 + reduced->kept[k]];
}

static isl_stat finish_rows(struct work *work)
{
  struct tsr_reduced *reduced = work->reduced;
  long *out = calloc(reduced->n_col + 1, sizeof(long));
  isl_stat ok = out ? isl_stat_ok : isl_stat_error;
  for (int kind = 0; kind < 2; kind++)
    for (int i = 0; i < work->rows[kind].n && ok == isl_stat_ok; i++) {
      const long *row = work->rows[kind].data + (size_t)i * work->width;
      reduced->infeasible = reduced->infeasible || !fits(row, work->width);
      compress(reduced, row, out);
      ok = tsr_ilp_rows_add(&reduced->rows[kind], out, reduced->n_col + 1, kind, &reduced->infeasible);
    }
  free(out);
  return ok;
}

/* The region whose rows are the N at FROM, as narrow as can be. */
static isl_stat finish_region(struct work *work, const long *from, int n, struct tsr_region *region)
{
  struct tsr_reduced *reduced = work->reduced;
  int first = reduced->n_col, last = -1;
  long *all = calloc((size_t)n * (reduced->n_col + 1) + 1, sizeof(long));
  if (!all)
    return isl_stat_error;
  for (int r = 0; r < n; r++) {
    long *out = all + (size_t)r * (reduced->n_col + 1);
    compress(reduced, from + (size_t)r * work->width, out);
    reduced->infeasible = reduced->infeasible || !fits(out, reduced->n_col + 1);
    for (int k = 0; k < reduced->n_col; k++)
      if (out[1 + k]) {
        first = k < first ? k : first;
        last = k > last ? k : last;
      }
  }
  reduced->infeasible = reduced->infeasible || (n > 0 && last < 0); /* nothing is left that could be non-zero */
  region->first = last < 0 ? 0 : first;
  region->n_row = last < 0 ? 0 : n;
  region->n_col = last < 0 ? 0 : last - first + 1;
  region->data = calloc((size_t)region->n_row * region->n_col + 1, sizeof(long));
  for (int r = 0; r < region->n_row && region->data; r++)
    memcpy(region->data + (size_t)r * region->n_col, all + (size_t)r * (reduced->n_col + 1) + 1 + first,
           sizeof(long) * region->n_col);
  free(all);
  return region->data ? isl_stat_ok : isl_stat_error;
}

static isl_stat finish(struct work *work, int n_objective, const struct tsr_region *region, int n_region)
{
  struct tsr_reduced *reduced = work->reduced;
  for (int k = 0; k < work->width - 1; k++)
    if (!work->is_gone[k]) {
      reduced->n_objective += k < n_objective;
      reduced->kept[reduced->n_col++] = k;
    }
  if (finish_rows(work) < 0)
    return isl_stat_error;
  const long *at = work->region;
  for (int i = 0; i < n_region; i++) {
    if (finish_region(work, at, region[i].n_row, &reduced->region[reduced->n_region++]) < 0)
      return isl_stat_error;
    at += (size_t)region[i].n_row * work->width;
  }
  return isl_stat_ok;
}

isl_stat tsr_ilp_reduce(const struct tsr_ilp *ilp, int n_objective, const struct tsr_region *region, int n_region,
                        struct tsr_reduced *reduced)
{
  struct work work = {.width = ilp->width, .reduced = reduced};
  reduced->width = ilp->width;
  reduced->kept = calloc(ilp->width, sizeof(int));
  reduced->gone = calloc(ilp->width, sizeof(int));
  reduced->form = calloc((size_t)ilp->width * ilp->width, sizeof(long));
  reduced->region = calloc(n_region + 1, sizeof(struct tsr_region));
  work.is_gone = calloc(ilp->width, sizeof(bool));
  work.largest = calloc(ilp->width, sizeof(long));
  long *form = calloc(ilp->width, sizeof(long));
  isl_stat ok = isl_stat_error;
  if (reduced->kept && reduced->gone && reduced->form && reduced->region && work.is_gone && work.largest && form)
    ok = copy_rows(&work, ilp) < 0 ? isl_stat_error : copy_regions(&work, region, n_region);
  for (int before = -1; before < reduced->n_gone && ok == isl_stat_ok && !reduced->infeasible;) {
    before = reduced->n_gone;
    eliminate_zeros(&work, form);
    eliminate_equalities(&work, form);
    if (reduced->n_gone > before)
      ok = substitute_all(&work, before);
  }
  if (ok == isl_stat_ok && !reduced->infeasible)
    ok = finish(&work, n_objective, region, n_region);
  for (int kind = 0; kind < 2; kind++)
    tsr_ilp_rows_free(&work.rows[kind]);
  free(work.region);
  free(work.is_gone);
  free(work.largest);
  free(form);
  return ok;
}

void tsr_reduced_expand(const struct tsr_reduced *reduced, int n_col, long *x)
{
  for (int k = reduced->n_col - 1; k >= 0; k--) { /* a kept column never moves to the left */
    long value = x[k];
    x[k] = 0;
    x[reduced->kept[k]] = value;
  }
  for (int g = reduced->n_gone - 1; g >= 0; g--) {
    const long *form = reduced->form + (size_t)g * reduced->width;
    long value = form[0];
    for (int k = 0; k < n_col; k++)
      value += form[1 + k] * x[k];
    x[reduced->gone[g]] = value;
  }
}

void tsr_reduced_clear(struct tsr_reduced *reduced)
{
  for (int kind = 0; kind < 2; kind++)
    tsr_ilp_rows_free(&reduced->rows[kind]);
  for (int i = 0; i < reduced->n_region; i++)
    free(reduced->region[i].data);
  free(reduced->region);
  free(reduced->kept);
  free(reduced->gone);
  free(reduced->form);
}
