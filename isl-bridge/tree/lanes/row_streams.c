/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops that may store past the caches what they write:
 *
 *   B(i) - S(i): A[.., i] = ..    ->    mark "stream" - B(i) - S(i)
 *
 * of one statement, in vectors, whose array nothing reads before all that the loops write of it is written: what is read
 * again soon should be in a cache. That there is more of it than caches hold is asked at run time, as is where its lines
 * begin (emit/vector/streamed_loops.c). */
#include "access/access.h"
#include "marks/marks.h"
#include "tree/tree.h"
#include <isl/ilp.h>
#include <isl/val.h>

/* Does anything in DOMAIN read ARRAY of SCOP? */
static bool is_read(const struct tsr_scop *scop, isl_union_set *domain, int array)
{
  bool read = false;
  for (int i = 0; i < scop->n_stmt && !read; i++) {
    bool own = false;
    for (int k = 0; k < scop->stmts[i].n_access; k++)
      own |= scop->stmts[i].access[k].array == array && scop->stmts[i].access[k].kind == TSR_READ;
    if (!own)
      continue;
    isl_set *here = isl_union_set_extract_set(domain, isl_set_get_space(scop->stmts[i].domain));
    read = isl_set_plain_is_empty(here) == isl_bool_false;
    isl_set_free(here);
  }
  return read;
}

/* How many loops around BAND's innermost one, that included, have something in them that reads ARRAY? */
static int loops_with_readers(const struct tsr_scop *scop, isl_schedule_node *band, int array)
{
  int shared = 0;
  isl_schedule_node *node = isl_schedule_node_copy(band);
  while (shared == 0 && node) {
    if (isl_schedule_node_get_type(node) == isl_schedule_node_band) {
      isl_union_set *domain = isl_schedule_node_get_domain(node);
      if (is_read(scop, domain, array))
        shared = isl_schedule_node_get_schedule_depth(node) + isl_schedule_node_band_n_member(node);
      isl_union_set_free(domain);
    }
    if (isl_schedule_node_has_parent(node) != isl_bool_true)
      break;
    node = isl_schedule_node_parent(node);
  }
  isl_schedule_node_free(node);
  return shared;
}

/* Is it known how much STMT writes by ACCESS, and is that not much? */
static bool is_small(const struct tsr_scop *scop, const struct tsr_stmt *stmt, const struct tsr_access *access)
{
  double much = scop->machine.stream_bytes, bytes = scop->arrays[access->array].elem_size;
  isl_set *written = isl_set_apply(isl_set_copy(stmt->domain), isl_map_copy(access->relation));
  for (int d = 0; d < isl_set_dim(written, isl_dim_set) && bytes < much; d++) {
    isl_val *last = isl_set_dim_max_val(isl_set_copy(written), d), *first = isl_set_dim_min_val(isl_set_copy(written), d);
    bool known = isl_val_is_int(last) == isl_bool_true && isl_val_is_int(first) == isl_bool_true;
    bytes *= known ? isl_val_get_d(last) - isl_val_get_d(first) + 1 : much;
    isl_val_free(last);
    isl_val_free(first);
  }
  isl_set_free(written);
  return bytes < much;
}

/* The loop that is asked about, a band. */
struct streamed {
  struct tsr_scop *scop;
  isl_schedule_node *band;
  bool good;
};

/* Does each iteration of the loops that ARRAY is read in, too, write all of it by ACCESS that others do? Then it is gone
 * from caches before somebody reads it. */
static bool is_far_from_readers(struct streamed *s, struct tsr_order *order, const struct tsr_access *access)
{
  int n, shared = loops_with_readers(s->scop, s->band, access->array);
  const struct tsr_order_loop *loop = tsr_order_loops(s->scop, order, &n);
  bool far = true;
  for (int l = 0; l < shared && l < n && far; l++) {
    struct tsr_step step = loop[l].step;
    step.order = order;
    far = loop[l].trips <= 1 || tsr_access_stride(access->relation, &step) == TSR_STRIDE_ZERO;
  }
  return far;
}

/* Does ACCESS go to the next element of a row in STEP, not to the one before, which TSR_STRIDE_ONE may be, too? */
static bool goes_on(const struct tsr_access *access, const struct tsr_step *step)
{
  long move[TSR_MAX_DIM];
  int n = (int)isl_map_dim(access->relation, isl_dim_out);
  bool on = n > 0 && n <= TSR_MAX_DIM && tsr_access_deltas(access->relation, step, 1, move) && move[n - 1] == 1;
  for (int d = 0; d < n - 1 && on; d++)
    on = move[d] == 0;
  return on;
}

/* Does the statement of ORDER write a row of such an array in the innermost loop? */
static isl_stat find_stride(struct tsr_order *order, void *user)
{
  struct streamed *s = user;
  int n;
  const struct tsr_order_loop *loop = tsr_order_loops(s->scop, order, &n);
  bool rows = false;
  for (int k = 0; k < order->stmt->n_access && n > 0; k++) {
    const struct tsr_access *access = &order->stmt->access[k];
    const struct tsr_array *array = &s->scop->arrays[access->array];
    if (access->kind == TSR_READ || array->kind != TSR_ARRAY_MEMORY)
      continue;
    struct tsr_step step = loop[n - 1].step;
    step.order = order;
    rows = access->kind == TSR_MUST_WRITE && array->space == TSR_SPACE_PROGRAM && !tsr_array_is_expanded(array) &&
           !is_small(s->scop, order->stmt, access) && goes_on(access, &step) && is_far_from_readers(s, order, access);
  }
  s->good &= rows && order->stmt->vector_bytes > 0 && !tsr_stmt_is_guarded(order->stmt);
  return isl_stat_ok;
}

/* May the innermost loop, the last member of BAND, be streamed? */
static bool may_stream(isl_schedule_node *band, struct tsr_scop *scop)
{
  struct streamed s = {scop, band, true};
  isl_union_set *domain = isl_schedule_node_get_domain(band);
  bool one = isl_union_set_n_set(domain) == 1;
  isl_union_set_free(domain);
  isl_schedule_node *leaf = isl_schedule_node_get_child(band, 0);
  one = one && isl_schedule_node_get_type(leaf) == isl_schedule_node_leaf &&
        tsr_leaf_foreach_order(leaf, scop, tsr_scop_typical(scop), find_stride, &s) == isl_stat_ok;
  isl_schedule_node_free(leaf);
  return one && s.good;
}

static isl_schedule_node *mark_band(isl_schedule_node *node, void *user)
{
  struct tsr_scop *scop = user;
  const struct tsr_mark *mark = tsr_node_mark(node);
  if (!tsr_mark_is(mark, TSR_MARK_VECTOR) || mark->number > 0) /* the width is a user's wish */
    return node;
  isl_schedule_node *band = isl_schedule_node_get_child(node, 0);
  bool good = may_stream(band, scop);
  isl_schedule_node_free(band);
  return good ? tsr_mark_insert_word(isl_schedule_node_delete(node), TSR_MARK_STREAM) : node;
}

isl_schedule *tsr_tree_mark_streams(isl_schedule *schedule, struct tsr_scop *scop)
{
  return tsr_tree_mark_each(schedule, scop, mark_band);
}
