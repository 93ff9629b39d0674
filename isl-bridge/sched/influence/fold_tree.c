/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An influence tree for folds over elements that the nest itself writes, as in dynamic programming:
 *
 *   for i: for j: { T: A[i][j] = max(A[i][j], ..);  for k < j: U: A[i][j] = max(A[i][j], A[i][k] + A[k + 1][j]); }
 *
 * All updates of one element commute if their operator is exact, but the nest reads an element only when they are done. So k
 * may run outside of j: once A[i][k] is complete, all that it contributes to its row can be added, in a loop over
 * neighbours.
 *
 *   row 0 .. D - 3   U.j = 0                         j, along which the store moves to its neighbour, is innermost
 *   row D - 2        U.j = 0, T.j = U.k              k: the iterator that U's store doesn't move along; T finishes what U
 *                                                    begins with
 *   row D - 1        U.j = 1, all else 0             T is out of the innermost loop
 *
 * What U reads may be counted back from where it stores: A[i][j - k]. Then it is j - k that runs outside of j, so that row
 * D - 2 has -U.j = U.k. Where U reads only what is complete, such as the row before, there is nothing for T to wait for.
 * Other folds into the same array keep j innermost, too: the scheduler puts U behind those that U reads. */
#include "sched/influence/influence.h"

/* The part of one statement in such a nest. */
struct part {
  struct tsr_access *write; /* of its update */
  int vector, reduction;    /* iterators; -1: none */
  long unit;                /* elements that a step of `vector` moves the store by: 1 or -1 */
  long along, across; /* those that steps of `reduction` and `vector` move a read by that stays in the row of the store;
                         ALONG is 1 or -1, or 0: there is no such read */
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
    if (stmt->access[k].kind != TSR_READ && is_update(scop, &stmt->access[k]))
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

/* Does STMT, with PART, fold over elements of the array that it writes? Those of the row that it writes, in which case PART
 * says how the read moves, or others. */
static bool find_source(struct tsr_stmt *stmt, struct part *part)
{
  bool found = false;
  for (int k = 0; k < stmt->n_access && part->reduction >= 0 && !part->along; k++) {
    struct tsr_access *read = &stmt->access[k];
    long along, across;
    if (read->kind != TSR_READ || read->reduction != TSR_RED_NONE || read->array != part->write->array)
      continue;
    found = true;
    if (move_along(read->relation, part->reduction, &along) && (along == 1 || along == -1) &&
        move_along(read->relation, part->vector, &across) && across >= -1 && across <= 1) {
      part->along = along;
      part->across = across;
    }
  }
  return found;
}

/* The first statement of SCOP that folds over elements of the array that it writes, one of the row that it writes before
 * others; -1: there is none. */
static int find_fold(struct tsr_scop *scop, struct part *part)
{
  int found = -1;
  for (int i = 0; i < scop->n_stmt && !(found >= 0 && part->along); i++) {
    struct part own;
    if (find_part(scop, &scop->stmts[i], &own) && find_source(&scop->stmts[i], &own) && (found < 0 || own.along)) {
      *part = own;
      found = i;
    }
  }
  return found;
}

bool tsr_scop_has_folds(struct tsr_scop *scop)
{
  struct part part;
  return find_fold(scop, &part) >= 0;
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

/* A TIMES the coefficient of iterator I of STMT is B TIMES that of iterator J of OTHER in the row of NODE. */
static isl_stat tie(struct tsr_influence *node, long a, int stmt, int i, long b, int other, int j)
{
  struct tsr_form *form = tsr_influence_constrain(node, true);
  if (!form || tsr_form_add(form, a, stmt, node->depth, TSR_COEFFICIENT_ITERATOR, i, NULL) < 0)
    return isl_stat_error;
  return tsr_form_add(form, -b, other, node->depth, TSR_COEFFICIENT_ITERATOR, j, NULL);
}

/* What NODE, of row D of DEPTH, wants of STMT, which folds along PART. */
static isl_stat restrain_fold(struct tsr_scop *scop, struct tsr_influence *node, int stmt, const struct part *part, int d,
                              int depth)
{
  if (d == depth - 1)
    return fix_all(scop, node, stmt, part->vector);
  if (d == depth - 2 && part->across)
    return tie(node, part->along, stmt, part->vector, part->across, stmt, part->reduction);
  return fix(node, stmt, part->vector, 0);
}

/* What NODE, of row D of DEPTH, wants of the statements other than FOLD, with PART, that update the same array: of those
 * that are as deep the same, of the others that they finish what FOLD begins with. */
static isl_stat restrain_others(struct tsr_scop *scop, struct tsr_influence *node, int fold, const struct part *part, int d,
                                int depth)
{
  isl_stat ok = isl_stat_ok;
  for (int i = 0; i < scop->n_stmt && ok == isl_stat_ok; i++) {
    struct part other;
    int own = (int)isl_set_dim(scop->stmts[i].domain, isl_dim_set);
    if (i == fold || own > depth || !find_part(scop, &scop->stmts[i], &other) || other.write->array != part->write->array)
      continue;
    if (own == depth)
      ok = other.reduction >= 0 ? restrain_fold(scop, node, i, &other, d, depth) : isl_stat_ok;
    else if (part->along && d >= depth - 2)
      ok = d == depth - 1 ? fix_all(scop, node, i, -1)
                          : tie(node, part->along, i, other.vector, other.unit, fold, part->reduction);
  }
  return ok;
}

struct tsr_influence *tsr_influence_folds(const struct tsr_sched_input *input)
{
  struct part part;
  struct tsr_scop *scop = input->scop;
  int fold = find_fold(scop, &part);
  struct tsr_influence *root = tsr_influence_add(NULL, NULL), *node = root;
  isl_size depth = fold < 0 ? 0 : isl_set_dim(scop->stmts[fold].domain, isl_dim_set);
  isl_stat ok = root ? isl_stat_ok : isl_stat_error;
  for (int d = 0; d < depth && ok == isl_stat_ok; d++) {
    node = tsr_influence_add(node, d ? NULL : "folds by rows");
    ok = node ? restrain_fold(scop, node, fold, &part, d, depth) : isl_stat_error;
    if (ok == isl_stat_ok)
      ok = restrain_others(scop, node, fold, &part, d, depth);
  }
  return ok == isl_stat_ok ? root : tsr_influence_free(root);
}
