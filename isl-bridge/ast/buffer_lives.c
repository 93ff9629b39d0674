/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a transformed program may touch while it is interpreted: elements of buffers that exist, while they live, and of the
 * program's memory those that the original touches. */
#include "ast/symbolic.h"
#include "support/message.h"
#include <stdlib.h>
#include <string.h>

static isl_stat add_existing(isl_point *point, void *user)
{
  struct interp *in = user;
  int64_t vector[TSR_SYMBOLIC_DIMS];
  int n = tsr_symbolic_vector(point, vector, TSR_SYMBOLIC_DIMS);
  long element = n < 0 ? -1 : tsr_tuples_find(&in->elements, in->array, vector, n);
  if (element >= 0)
    in->exists[element] = true;
  return n < 0 ? isl_stat_error : isl_stat_ok;
}

isl_stat tsr_symbolic_extents(struct interp *in)
{
  isl_stat ok = isl_stat_ok;
  for (in->array = 0; in->array < in->scop->n_array && ok == isl_stat_ok; in->array++) {
    const struct tsr_array *array = &in->scop->arrays[in->array];
    if (array->space == TSR_SPACE_PROGRAM)
      continue;
    isl_set *extent = isl_set_copy(array->extent);
    for (int d = 0; d < array->n_dim; d++)
      extent = isl_set_lower_bound_si(extent, isl_dim_set, d, 0);
    ok = tsr_symbolic_foreach_point(in, extent, add_existing);
  }
  return ok;
}

/* Which of the original's elements is ELEMENT, of the program's memory? -1: none that it touches. */
static long base_element(const struct interp *in, long element)
{
  const struct tsr_tuple *tuple = &in->elements.tuple[element];
  return tsr_tuples_find(&in->base->elements, tuple->tag, tsr_tuples_vector(&in->elements, element), tuple->n);
}

/* May STMT of a transformed program make its access K to ELEMENT? To memory only where the original touches it, stores only
 * where the original stores, moves only where it loads or stores for sure; to buffers only where and while there is one. */
bool tsr_symbolic_may_touch(struct interp *in, const struct tsr_stmt *stmt, int k, long element)
{
  if (!in->base)
    return true;
  const struct tsr_access *access = &stmt->access[k];
  int array = access->array;
  char text[128];
  const char *wrong = NULL;
  if (in->scop->arrays[array].space == TSR_SPACE_PROGRAM) {
    long own = base_element(in, element);
    if (own < 0)
      wrong = "is touched, but not by the original";
    else if (access->kind == TSR_MUST_WRITE && in->base->writer[own] < 0)
      wrong = "is stored to, but not by the original";
    else if (stmt->kind == TSR_STMT_MOVE && !in->base->exists[own])
      wrong = "is moved, but need not exist";
  } else if (!in->exists[element]) {
    wrong = "is none that the buffer has";
  } else if (in->life[array].marked && !in->life[array].open) {
    wrong = "is used outside of its lifetime";
  }
  if (wrong)
    tsr_message_set(in->why, "%s %s", tsr_symbolic_element(in, element, text), wrong);
  return !wrong;
}

/* Buffer ARRAY begins another life: what it held is gone. */
static void forget_buffer(struct interp *in, int array)
{
  long salt = ++in->lives;
  for (long i = 0; i < in->elements.n_tuple; i++) {
    if (in->elements.tuple[i].tag != array)
      continue;
    in->memory[i] = tsr_hash_mix((uint64_t)i, (uint64_t)salt);
    in->undefined[i] = true;
    in->writer[i] = -1;
    for (int m = 0; m < TSR_N_LOOP_MARK; m++)
      in->marked[m].touch[i] = (struct touch){0};
  }
}

/* Is AROUND the iteration in which LIFE began, as far as it is known? Then LIFE knows what both know. */
static bool goes_on(struct life *life, const struct tsr_loop_values *around)
{
  for (int d = 0; d < TSR_MOST_LOOPS; d++)
    if (life->around.known[d] && around->known[d] && life->around.value[d] != around->value[d])
      return false;
  for (int d = 0; d < TSR_MOST_LOOPS; d++)
    if (around->known[d]) {
      life->around.known[d] = true;
      life->around.value[d] = around->value[d];
    }
  return life->begun;
}

void tsr_symbolic_open(struct interp *in, const struct tsr_mark *mark, int open, const struct tsr_loop_values *around)
{
  if (!tsr_mark_is(mark, TSR_MARK_ALLOCATE))
    return;
  bool *array = calloc(in->scop->n_array + 1, sizeof(*array));
  if (array && tsr_mark_arrays(mark, in->scop, array))
    for (int i = 0; i < in->scop->n_array; i++) {
      struct life *life = &in->life[i];
      if (!array[i])
        continue;
      life->open += open;
      life->marked = true;
      if (around && !goes_on(life, around)) {
        life->begun = true;
        life->around = *around;
        forget_buffer(in, i);
      }
    }
  free(array);
}

/* ---- rows of doacross loops ---- */

void tsr_symbolic_begin_rows(struct interp *in)
{
  in->rows = (struct rows){.own = calloc(in->scop->n_array + 1, sizeof(bool))};
  for (int i = 0; i < in->scop->n_array && in->rows.own; i++)
    in->rows.own[i] = in->life[i].marked && !in->life[i].open;
}

/* The buffers, as they are, are those of ROW. */
static isl_stat save_row(struct interp *in, struct row_state *row)
{
  long n = in->elements.n_tuple;
  if (!row->cell) {
    row->cell = calloc((size_t)n + 1, sizeof(*row->cell));
    row->life = calloc((size_t)in->scop->n_array + 1, sizeof(*row->life));
  }
  for (long i = 0; row->cell && i < n; i++)
    row->cell[i] = (struct cell_state){in->memory[i], in->writer[i], in->undefined[i]};
  if (row->life)
    memcpy(row->life, in->life, (size_t)in->scop->n_array * sizeof(*row->life));
  return row->cell && row->life ? isl_stat_ok : isl_stat_error;
}

/* The buffers of ROW, or new ones, are there. */
static void load_row(struct interp *in, const struct row_state *row)
{
  for (long i = 0; row->cell && i < in->elements.n_tuple; i++)
    if (in->rows.own[in->elements.tuple[i].tag]) {
      in->memory[i] = row->cell[i].memory;
      in->writer[i] = row->cell[i].writer;
      in->undefined[i] = row->cell[i].undefined;
    }
  for (int i = 0; i < in->scop->n_array; i++)
    if (in->rows.own[i])
      in->life[i] = row->life ? row->life[i] : (struct life){.marked = true};
}

isl_stat tsr_symbolic_row(struct interp *in, size_t number)
{
  struct rows *rows = &in->rows;
  if (!rows->own)
    return isl_stat_error;
  if (number >= rows->n) {
    struct row_state *grown = realloc(rows->row, (number + 1) * sizeof(*grown));
    if (!grown)
      return isl_stat_error;
    rows->row = grown;
    while (rows->n <= number)
      rows->row[rows->n++] = (struct row_state){NULL, NULL};
  }
  if (rows->at && save_row(in, &rows->row[rows->at - 1]) < 0)
    return isl_stat_error;
  load_row(in, &rows->row[number]);
  rows->at = number + 1;
  return isl_stat_ok;
}

void tsr_symbolic_end_rows(struct interp *in)
{
  for (size_t i = 0; i < in->rows.n; i++) {
    free(in->rows.row[i].cell);
    free(in->rows.row[i].life);
  }
  free(in->rows.row);
  free(in->rows.own);
  in->rows = (struct rows){NULL};
}

/* ---- marks ---- */

/* Flag the buffers that a mark allocates, before the run. */
static isl_bool note_mark(isl_ast_node *node, void *user)
{
  tsr_symbolic_open(user, tsr_ast_mark(node), 0, NULL);
  return isl_bool_true;
}

isl_stat tsr_symbolic_note_marks(struct interp *in, isl_ast_node *ast)
{
  return isl_ast_node_foreach_descendant_top_down(ast, note_mark, in);
}
