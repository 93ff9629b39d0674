/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Register tiles along rows that run together: several statements, one behind the other, with the same loops, which write
 * elements of their own, such as sums of real and of imaginary parts, or two sums over one matrix.
 *
 *   mark "registers .." - for k - for v - S(k, v)            for k
 *   mark "registers .." - for k - for v - T(k, v)    ->        vectors of S, vectors of T
 *
 * What both read is read, and transposed, once. */
#include "emit/vector/vector.h"
#include <stdlib.h>
#include <string.h>

static bool are_equal(__isl_take isl_ast_expr *one, __isl_take isl_ast_expr *other)
{
  bool equal = isl_ast_expr_is_equal(one, other) == isl_bool_true;
  isl_ast_expr_free(one);
  isl_ast_expr_free(other);
  return equal;
}

/* Have loops A and B the same iterator, and run for the same values of it? */
static bool run_alike(isl_ast_node *a, isl_ast_node *b)
{
  isl_bool once = isl_ast_node_for_is_degenerate(a);
  return once == isl_ast_node_for_is_degenerate(b) &&
         are_equal(isl_ast_node_for_get_iterator(a), isl_ast_node_for_get_iterator(b)) &&
         are_equal(isl_ast_node_for_get_init(a), isl_ast_node_for_get_init(b)) &&
         (once || (are_equal(isl_ast_node_for_get_cond(a), isl_ast_node_for_get_cond(b)) &&
                   are_equal(isl_ast_node_for_get_inc(a), isl_ast_node_for_get_inc(b))));
}

/* Are the elements of accesses A and B those of the same iterations? */
static bool touch_the_same(const struct tsr_access *a, const struct tsr_access *b)
{
  isl_map *one = isl_map_reset_tuple_id(isl_map_copy(a->relation), isl_dim_in);
  isl_map *other = isl_map_reset_tuple_id(isl_map_copy(b->relation), isl_dim_in);
  bool same = a->array == b->array && isl_map_plain_is_equal(one, other) == isl_bool_true;
  isl_map_free(one);
  isl_map_free(other);
  return same;
}

/* Is access I of STMT what its write TO holds? */
static bool is_held(const struct tsr_stmt *stmt, const struct tsr_access *to, int i)
{
  return stmt->access[i].array == to->array &&
         isl_map_plain_is_equal(stmt->access[i].relation, to->relation) == isl_bool_true;
}

/* Does what A reads of arrays that A or B write, but for what it holds, B read in the same iterations? */
static bool reads_alike(const struct tsr_stmt *a, const struct tsr_access *to, const struct tsr_stmt *b,
                        const struct tsr_access *other)
{
  for (int i = 0; i < a->n_access; i++) {
    bool alike = (a->access[i].array != to->array && a->access[i].array != other->array) || is_held(a, to, i);
    for (int k = 0; k < b->n_access && !alike; k++)
      alike = b->access[k].kind == TSR_READ && !is_held(b, other, k) && touch_the_same(&a->access[i], &b->access[k]);
    if (!alike)
      return false;
  }
  return true;
}

/* May A and B, tiles of which run for the same iterations, do so at once? What a tile writes, it doesn't read elsewhere in
 * these iterations, as has been checked; so the other one doesn't, if it reads nothing but the same. */
static bool are_independent(const struct tsr_stmt *a, const struct tsr_stmt *b)
{
  int first = tsr_stmt_only_write(a), second = tsr_stmt_only_write(b);
  if (a == b || first < 0 || second < 0)
    return false;
  const struct tsr_access *to = &a->access[first], *other = &b->access[second];
  isl_set *one = isl_map_range(isl_map_copy(to->relation)), *its = isl_map_range(isl_map_copy(other->relation));
  bool apart = to->array != other->array || isl_set_is_disjoint(one, its) == isl_bool_true;
  isl_set_free(one);
  isl_set_free(its);
  return apart && reads_alike(a, to, b, other) && reads_alike(b, other, a, to);
}

/* Are the instances of USER and OTHER of the same iterations? */
static bool have_equal_arguments(isl_ast_node *user, isl_ast_node *other)
{
  isl_ast_expr *a = isl_ast_node_user_get_expr(user), *b = isl_ast_node_user_get_expr(other);
  isl_size n = isl_ast_expr_op_get_n_arg(a);
  bool equal = n == isl_ast_expr_op_get_n_arg(b);
  for (int i = 1; i < n && equal; i++)
    equal = are_equal(isl_ast_expr_op_get_arg(a, i), isl_ast_expr_op_get_arg(b, i));
  isl_ast_expr_free(a);
  isl_ast_expr_free(b);
  return equal;
}

/* Does the nest in LOOP, below MARK, run a statement of the model, no guard in front of it? Then that is *STMT. */
static bool read_plain(struct tsr_emit *e, isl_ast_node *loop, const struct tsr_mark *mark, struct tsr_register_nest *nest,
                       const struct tsr_stmt **stmt)
{
  if (isl_ast_node_get_type(loop) != isl_ast_node_for || !tsr_register_nest_read(loop, mark, nest))
    return false;
  *stmt = tsr_ast_instance(nest->user) ? NULL : &e->m->scop->stmts[tsr_emit_stmt_of(e, nest->user)];
  bool plain = *stmt && !tsr_stmt_is_guarded(*stmt);
  if (!plain)
    tsr_register_nest_clear(nest);
  return plain;
}

static bool have_one_shape(const struct tsr_register_tile *a, const struct tsr_register_tile *b)
{
  return a->rows == b->rows && a->vectors == b->vectors && a->lanes == b->lanes && a->n_reduction == b->n_reduction &&
         a->n_dim == b->n_dim && a->streams == b->streams && !memcmp(a->step, b->step, sizeof(a->step)) &&
         !memcmp(a->along, b->along, sizeof(a->along));
}

/* May the tile in ONE, below MARK, and that in OTHER, below ALSO, which follows it, run in one loop? Each sum is in the
 * order that it had. */
static bool may_join(struct tsr_emit *e, isl_ast_node *one, const struct tsr_mark *mark, isl_ast_node *other,
                     const struct tsr_mark *also)
{
  struct tsr_register_nest a, b;
  const struct tsr_stmt *first, *second;
  if (!mark->tile.streams || mark->depth != also->depth || !have_one_shape(&mark->tile, &also->tile) ||
      !read_plain(e, one, mark, &a, &first))
    return false;
  bool good = read_plain(e, other, also, &b, &second);
  if (good) {
    good = have_equal_arguments(a.user, b.user) && are_independent(first, second) && a.n_reduction == b.n_reduction &&
           !a.row == !b.row && run_alike(a.vector, b.vector) && (!a.row || run_alike(a.row, b.row));
    for (int i = 0; i < a.n_reduction && good; i++)
      good = run_alike(a.reduction[i], b.reduction[i]);
    tsr_register_nest_clear(&b);
  }
  tsr_register_nest_clear(&a);
  return good;
}

/* The mark of a register tile that NODE is, NULL: it is none, or has something else below. *LOOP, which the caller frees. */
static const struct tsr_mark *tile_of(__isl_take isl_ast_node *node, isl_ast_node **loop)
{
  const struct tsr_mark *mark = isl_ast_node_get_type(node) == isl_ast_node_mark ? tsr_ast_mark(node) : NULL;
  mark = tsr_mark_is(mark, TSR_MARK_REGISTERS) ? mark : NULL;
  *loop = mark ? isl_ast_node_mark_get_node(node) : NULL;
  isl_ast_node_free(node);
  return mark;
}

#define MOST_JOINED 4

int tsr_emit_joined_tiles(struct tsr_emit *e, isl_ast_node_list *list, int at)
{
  isl_ast_node *loop[MOST_JOINED];
  int n = 0;
  const struct tsr_mark *mark = e->gpu || e->skip.test ? NULL : tile_of(isl_ast_node_list_get_at(list, at), &loop[0]);
  for (n = mark ? 1 : 0; mark && n < MOST_JOINED && at + n < isl_ast_node_list_n_ast_node(list); n++) {
    const struct tsr_mark *also = tile_of(isl_ast_node_list_get_at(list, at + n), &loop[n]);
    bool joins = also != NULL;
    for (int k = 0; k < n && joins; k++)
      joins = may_join(e, loop[k], mark, loop[n], also);
    if (!joins) {
      isl_ast_node_free(loop[n]);
      break;
    }
  }
  if (n > 1) {
    e->tile = mark;
    tsr_emit_registers(e, loop, n);
    e->vector = e->parallel = e->chain = false;
    e->tile = NULL;
  }
  for (int i = 0; i < n; i++)
    isl_ast_node_free(loop[i]);
  return n > 1 ? n : 0;
}
