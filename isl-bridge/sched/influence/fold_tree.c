/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An influence tree for folds over elements that the nest itself writes, as in dynamic programming:
 *
 *   for i: for j: { T: A[i][j] = max(A[i][j], ..);  for k < j: U: A[i][j] = max(A[i][j], A[i][k] + A[k + 1][j]); }
 *
 * All updates of one element commute if their operator is exact, but the nest reads an element only when they are done. So k
 * may run outside of j: once A[i][k] is complete, all that it contributes to its row can be added, in a loop over
 * neighbours.
 *
 *   row 0 .. D - 2   U.j = 0                         j, along which the store moves to its neighbour, is innermost
 *   row D - 2        T.j = U.k, where k is the iterator that U's store doesn't move along: T finishes what U begins with
 *   row D - 1        U.j = 1, all else 0             T is out of the innermost loop */
#include "sched/influence/influence.h"

/* The part of one statement in such a nest. */
struct part {
  struct tsr_access *write; /* of its update */
  int vector, reduction;    /* iterators; -1: none */
  long unit;                /* elements that a step of `vector` moves the store by: 1 or -1 */
};

static bool is_update(struct tsr_scop *scop, const struct tsr_access *access)
{
  return access->exact && access->reassoc && access->reduction != TSR_RED_NONE &&
         scop->arrays[access->array].kind == TSR_ARRAY_MEMORY;
}

/* By how many elements does a step of ITERATOR move RELATION? False: elsewhere. */
static bool move_along(isl_map *relation, int iterator, long *elements)
{
  long delta[TSR_MAX_DIM] = {0};
  delta[iterator] = 1;
  return tsr_access_move(relation, delta, elements);
}

/* *PART of STMT; false: it has none. */
static bool find_part(struct tsr_scop *scop, struct tsr_stmt *stmt, struct part *part)
{
  isl_size n = isl_set_dim(stmt->domain, isl_dim_set);
  *part = (struct part){.vector = -1, .reduction = -1};
  for (int k = 0; k < stmt->n_access; k++)
    if (stmt->access[k].kind == TSR_MUST_WRITE && is_update(scop, &stmt->access[k]))
      part->write = &stmt->access[k];
  for (int i = 0; i < n && n <= TSR_MAX_DIM && part->write; i++) {
    long elements;
    if (!move_along(part->write->relation, i, &elements))
      continue;
    if (elements == 1 || elements == -1) {
      part->vector = i;
      part->unit = elements;
    } else if (elements == 0) {
      part->reduction = i;
    }
  }
  return part->write && part->vector >= 0;
}

/* Elements that a step of PART's reduction moves a read by which stays in the row that STMT writes, and where it is:
 * A[i][k]. 0: there is none. */
static long unit_of_reduction(struct tsr_stmt *stmt, const struct part *part)
{
  for (int k = 0; k < stmt->n_access && part->reduction >= 0; k++) {
    struct tsr_access *read = &stmt->access[k];
    long along, across;
    if (read->kind == TSR_READ && read->reduction == TSR_RED_NONE && read->array == part->write->array &&
        move_along(read->relation, part->reduction, &along) && (along == 1 || along == -1) &&
        move_along(read->relation, part->vector, &across) && across == 0)
      return along;
  }
  return 0;
}

/* The first statement of SCOP that folds over elements of the array that it writes; -1: there is none. */
static int find_fold(struct tsr_scop *scop, struct part *part, long *unit)
{
  for (int i = 0; i < scop->n_stmt; i++)
    if (find_part(scop, &scop->stmts[i], part) && (*unit = unit_of_reduction(&scop->stmts[i], part)) != 0)
      return i;
  return -1;
}

bool tsr_scop_has_folds(struct tsr_scop *scop)
{
  struct part part;
  long unit;
  return find_fold(scop, &part, &unit) >= 0;
}

/* Iterator I of STMT is VALUE in the row of NODE. */
static isl_stat fix(struct tsr_influence *node, int stmt, int i, long value)
{
  struct tsr_form *form = tsr_influence_constrain(node, true);
  if (!form)
    return isl_stat_error;
  form->constant = -value;
  return tsr_form_add(form, 1, stmt, node->depth, TSR_COEFFICIENT_ITERATOR, i, NULL);
}

static isl_stat fix_all(struct tsr_scop *scop, struct tsr_influence *node, int stmt, int one)
{
  isl_stat ok = isl_stat_ok;
  isl_size n = isl_set_dim(scop->stmts[stmt].domain, isl_dim_set);
  for (int i = 0; i < n && ok == isl_stat_ok; i++)
    ok = fix(node, stmt, i, i == one);
  return ok;
}

/* The statement OTHER finishes elements in the row in which STMT begins with them: one coefficient is UNIT, the other
 * OTHER_UNIT times the same number. */
static isl_stat join(struct tsr_influence *node, int stmt, int reduction, long unit, int other, int vector, long other_unit)
{
  struct tsr_form *form = tsr_influence_constrain(node, true);
  if (!form || tsr_form_add(form, unit, other, node->depth, TSR_COEFFICIENT_ITERATOR, vector, NULL) < 0)
    return isl_stat_error;
  return tsr_form_add(form, -other_unit, stmt, node->depth, TSR_COEFFICIENT_ITERATOR, reduction, NULL);
}

/* What NODE wants of the statements other than FOLD, with PART and UNIT, that update the same array. */
static isl_stat restrain_others(struct tsr_scop *scop, struct tsr_influence *node, int fold, const struct part *part,
                                long unit, bool last)
{
  isl_stat ok = isl_stat_ok;
  isl_size depth = isl_set_dim(scop->stmts[fold].domain, isl_dim_set);
  for (int i = 0; i < scop->n_stmt && ok == isl_stat_ok; i++) {
    struct part other;
    if (i == fold || isl_set_dim(scop->stmts[i].domain, isl_dim_set) >= depth || !find_part(scop, &scop->stmts[i], &other) ||
        other.write->array != part->write->array)
      continue;
    ok = last ? fix_all(scop, node, i, -1) : join(node, fold, part->reduction, unit, i, other.vector, other.unit);
  }
  return ok;
}

struct tsr_influence *tsr_influence_folds(const struct tsr_sched_input *input)
{
  struct part part;
  long unit;
  struct tsr_scop *scop = input->scop;
  int fold = find_fold(scop, &part, &unit);
  struct tsr_influence *root = tsr_influence_add(NULL, NULL), *node = root;
  isl_size depth = fold < 0 ? 0 : isl_set_dim(scop->stmts[fold].domain, isl_dim_set);
  isl_stat ok = root ? isl_stat_ok : isl_stat_error;
  for (int d = 0; d < depth && ok == isl_stat_ok; d++) {
    node = tsr_influence_add(node, d ? NULL : "folds by rows");
    bool last = d == depth - 1;
    ok = !node ? isl_stat_error : last ? fix_all(scop, node, fold, part.vector) : fix(node, fold, part.vector, 0);
    if (ok == isl_stat_ok && d >= depth - 2)
      ok = restrain_others(scop, node, fold, &part, unit, last);
  }
  return ok == isl_stat_ok ? root : tsr_influence_free(root);
}
