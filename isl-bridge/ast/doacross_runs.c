/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops for threads that wait for each other, in a run of an AST: rows p and columns q, column by column.
 *
 *   mark "doacross" - for p - X - for q                                    X: conditions
 *   mark "doacross" - for p - X - { F, mark "steps" - for q, B }           X: conditions and marks; F, B: what is beside the
 * steps
 *
 * A row is what p runs in one iteration. It runs in parts, each of which goes from p down to what it is about: F, a column,
 * or B. F comes as early and B as late as may be, or as it stands there, as `order` says. */
#include "ast/ast_state.h"
#include <isl/id.h>
#include <stdlib.h>

enum part { FRONT, COLUMN, BEHIND };

struct tsr_run_row {
  enum part part;  /* that runs */
  bool passed;     /* is the part at hand behind the columns? */
  int64_t value;   /* of q, of the column that runs */
  int64_t *column; /* all of them; NULL: none */
  size_t n, next;
  bool marked; /* is the loop over columns below a mark of steps? */
  struct tsr_binding outer, inner;
  isl_id *id; /* of inner */
};

/* The loop NODE over the columns of ROW: list them, or run one. */
static bool run_columns_loop(struct tsr_run_state *s, struct tsr_run_row *row, isl_ast_node *node)
{
  row->passed = true;
  if (row->part == BEHIND)
    return true;
  if (row->part == FRONT) {
    isl_ast_expr *iterator = isl_ast_node_for_get_iterator(node);
    row->id = isl_ast_expr_get_id(iterator);
    isl_ast_expr_free(iterator);
    row->inner = (struct tsr_binding){.name = isl_id_get_name(row->id), .outer = s->scope};
    row->column = row->inner.name ? tsr_run_iterations(s, node, &row->inner, &row->n) : NULL;
    return row->column != NULL;
  }
  isl_ast_node *body = isl_ast_node_for_get_body(node);
  s->row = NULL; /* what is in it are other loops */
  bool good = tsr_run_iteration(s, body, &row->inner, row->value, TSR_LOOP_DOACROSS);
  s->row = row;
  isl_ast_node_free(body);
  return good;
}

bool tsr_run_in_row(struct tsr_run_state *s, isl_ast_node *node)
{
  struct tsr_run_row *row = s->row;
  bool loop = isl_ast_node_get_type(node) == isl_ast_node_for;
  if (loop && (!row->marked || tsr_mark_is(s->mark, TSR_MARK_STEPS)))
    return run_columns_loop(s, row, node);
  if (row->part == COLUMN || row->passed != (row->part == BEHIND))
    return true;
  s->row = NULL;
  bool good = tsr_run_node(s, node, -1);
  s->row = row;
  return good;
}

/* PART of ROW, number NUMBER, whose loop has BODY. */
static bool run_part(struct tsr_run_state *s, struct tsr_run_row *row, size_t number, isl_ast_node *body, enum part part)
{
  if (s->run->row)
    s->run->row(s->run->user, number);
  row->part = part;
  row->passed = false;
  s->row = row;
  s->scope = &row->outer;
  bool good = tsr_run_node(s, body, -1);
  s->scope = row->outer.outer;
  s->row = NULL;
  return good;
}

/* The next column of all ROWS, and whether there is one. */
static bool find_column(const struct tsr_run_row *rows, size_t n, int64_t *column)
{
  bool more = false;
  for (size_t i = 0; i < n; i++)
    if (rows[i].next < rows[i].n && (!more || rows[i].column[rows[i].next] <= *column)) {
      *column = rows[i].column[rows[i].next];
      more = true;
    }
  return more;
}

/* Column by column, rows in their order. */
static bool run_columns(struct tsr_run_state *s, struct tsr_run_row *rows, size_t n, isl_ast_node *body)
{
  bool good = true, early = s->run->order != 0;
  for (size_t i = 0; i < n && good; i++)
    good = run_part(s, &rows[i], i, body, FRONT);
  for (int64_t column = 0; good && find_column(rows, n, &column);)
    for (size_t i = 0; i < n && good; i++)
      if (rows[i].next < rows[i].n && rows[i].column[rows[i].next] == column) {
        rows[i].value = column;
        good = run_part(s, &rows[i], i, body, COLUMN);
        if (good && ++rows[i].next == rows[i].n && early)
          good = run_part(s, &rows[i], i, body, BEHIND);
      }
  for (size_t i = n; i > 0 && good; i--)
    if (!early || rows[i - 1].n == 0)
      good = run_part(s, &rows[i - 1], i - 1, body, BEHIND);
  return good;
}

/* requires: NODE is as tsr_ast_build leaves it. */
bool tsr_run_doacross(struct tsr_run_state *s, isl_ast_node *node)
{
  isl_ast_expr *iterator = isl_ast_node_for_get_iterator(node);
  isl_id *id = isl_ast_expr_get_id(iterator);
  struct tsr_binding outer = {.name = isl_id_get_name(id), .outer = s->scope};
  size_t n = 0;
  int64_t *list = outer.name ? tsr_run_iterations(s, node, &outer, &n) : NULL;
  isl_ast_node *body = isl_ast_node_for_get_body(node);
  struct tsr_run_row *rows = calloc(n + 1, sizeof(*rows));
  bool good = list && rows, marked = tsr_ast_has_steps(body);
  for (size_t i = 0; good && i < n; i++) {
    rows[i] = (struct tsr_run_row){.marked = marked, .outer = outer};
    rows[i].outer.value = list[i];
  }
  if (good && s->run->begin)
    s->run->begin(s->run->user, TSR_LOOP_DOACROSS, s->mark);
  bool begun = good;
  good = good && run_columns(s, rows, n, body);
  if (begun && s->run->end)
    s->run->end(s->run->user, TSR_LOOP_DOACROSS);
  s->scope = outer.outer;
  for (size_t i = 0; rows && i < n; i++) {
    free(rows[i].column);
    isl_id_free(rows[i].id);
  }
  bool failed = !outer.name || !rows;
  free(rows);
  free(list);
  isl_ast_node_free(body);
  isl_id_free(id);
  isl_ast_expr_free(iterator);
  return good || (failed && tsr_run_fail(s));
}
