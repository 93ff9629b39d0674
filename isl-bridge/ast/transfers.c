/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What goes between the host's memory and a GPU's. With T = { A[i, .., j] } what the SCoP accesses of an array, R what it
 * reads, E what it reads before it writes it, and W what it surely writes, at given parameters:
 *
 *   region     from lexmin(T) to lexmax(T), in the order of memory: in one object, so all of it may be read
 *   copied in  from lexmin(E) to lexmax(E)
 *   copied out exactly W, row by row: { [i, ..] -> [j] : first(i, ..) <= j <= last(i, ..) }, which must be W
 *
 * The original stores no other byte of the host's memory: another thread may do so at the same time. So what only may be
 * written, or has holes in its rows, can't come from a GPU; nor can what is only perhaps read, as it need not exist. */
#include "ast/ast.h"
#include <isl/flow.h>
#include <isl/id.h>
#include <isl/space.h>
#include <stdlib.h>

#define MOST_PIECES 16 /* of an end */

/* What is asked of one array. */
struct ends {
  struct tsr_scop *scop;
  const struct tsr_program *program; /* that runs; NULL: SCOP's statements alone */
  isl_set *context;
  isl_ast_build *build;
};

/* { A[k] } of accesses of KINDS to ARRAY. *SURE: they happen, and no more may */
static isl_set *elements(struct ends *ends, int array, unsigned kinds, bool *sure)
{
  struct tsr_scop *scop = ends->scop;
  isl_set *all = isl_set_empty(isl_set_get_space(scop->arrays[array].extent));
  for (int s = 0; s < scop->n_stmt; s++)
    for (int k = 0; k < scop->stmts[s].n_access; k++) {
      const struct tsr_access *access = &scop->stmts[s].access[k];
      if (access->array != array || !(kinds >> access->kind & 1))
        continue;
      isl_map *map = isl_map_intersect_domain(isl_map_copy(access->relation), isl_set_copy(scop->stmts[s].domain));
      bool one = access->kind == TSR_MUST_WRITE || isl_map_is_single_valued(map) == isl_bool_true;
      *sure &= one && !access->maybe && access->kind != TSR_MAY_WRITE;
      all = isl_set_union(all, isl_map_range(map));
    }
  return isl_set_coalesce(isl_set_intersect_params(all, isl_set_copy(ends->context)));
}

/* { S -> A[k] } of accesses of KINDS to ARRAY */
static isl_union_map *accesses(struct ends *ends, int array, unsigned kinds)
{
  isl_union_map *all = isl_union_map_empty_ctx(ends->scop->ctx);
  for (int s = 0; s < ends->scop->n_stmt; s++)
    for (int k = 0; k < ends->scop->stmts[s].n_access; k++) {
      const struct tsr_stmt *stmt = &ends->scop->stmts[s];
      if (stmt->access[k].array == array && kinds >> stmt->access[k].kind & 1)
        all = isl_union_map_add_map(
            all, isl_map_intersect_domain(isl_map_copy(stmt->access[k].relation), isl_set_copy(stmt->domain)));
    }
  return isl_union_map_intersect_params(all, isl_set_copy(ends->context));
}

/* Do moves of the program read ARRAY? They may do so before anything is written that the original reads. */
static bool is_moved(struct ends *ends, int array)
{
  const struct tsr_scop *scop = ends->program ? ends->program->scop : NULL;
  for (int s = 0; scop && s < scop->n_stmt; s++)
    for (int k = 0; k < scop->stmts[s].n_access; k++)
      if (scop->stmts[s].kind == TSR_STMT_MOVE && scop->stmts[s].access[k].array == array &&
          scop->stmts[s].access[k].kind == TSR_READ)
        return true;
  return false;
}

/* Those of READ { A[k] }, which is taken, that no earlier instance has written: what a SCoP gets from outside of it. */
static isl_set *exposed(struct ends *ends, int array, __isl_take isl_set *read)
{
  isl_union_map *reads = accesses(ends, array, TSR_READS), *writes = accesses(ends, array, TSR_MUST_WRITES);
  isl_union_set *touched = isl_union_map_domain(isl_union_map_copy(reads));
  touched = isl_union_set_union(touched, isl_union_map_domain(isl_union_map_copy(writes)));
  isl_union_access_info *info = isl_union_access_info_from_sink(reads);
  info = isl_union_access_info_set_must_source(info, writes);
  info = isl_union_access_info_set_schedule(info, tsr_scop_part_schedule(ends->scop, touched));
  isl_union_flow *flow = isl_union_access_info_compute_flow(info);
  isl_union_set *elements = isl_union_map_range(isl_union_flow_get_must_no_source(flow));
  isl_union_flow_free(flow);
  isl_union_set *all = isl_union_set_intersect(isl_union_set_from_set(isl_set_copy(read)), elements);
  isl_set *some = isl_union_set_extract_set(all, isl_set_get_space(read));
  isl_union_set_free(all);
  isl_set_free(read);
  return isl_set_coalesce(some);
}

/* The subscripts of END, one element for the parameters that have any, which are ANY, in EXPR. */
static bool subscripts_of(struct ends *ends, __isl_take isl_pw_multi_aff *end, isl_set *any, isl_ast_expr **expr)
{
  isl_size n = isl_pw_multi_aff_dim(end, isl_dim_out);
  bool good = n > 0 && n <= TSR_PLACE_DIM;
  for (int d = 0; d < n && good; d++) {
    isl_pw_aff *at = isl_pw_aff_coalesce(isl_pw_multi_aff_get_at(end, d));
    at = isl_pw_aff_gist_params(at, isl_set_intersect(isl_set_copy(ends->context), isl_set_copy(any)));
    isl_size n_piece = isl_pw_aff_n_piece(at);
    good = n_piece > 0 && n_piece <= MOST_PIECES;
    expr[d] = good ? isl_ast_build_expr_from_pw_aff(ends->build, isl_pw_aff_copy(at)) : NULL;
    good = expr[d] != NULL;
    isl_pw_aff_free(at);
  }
  isl_pw_multi_aff_free(end);
  return good;
}

/* The ends of TOUCHED, which is taken, in SPAN; without any element it stays as it is. */
static bool find_span(struct ends *ends, __isl_take isl_set *touched, struct tsr_span_of_array *span)
{
  isl_bool empty = isl_set_is_empty(touched);
  if (empty != isl_bool_false) {
    isl_set_free(touched);
    return empty == isl_bool_true;
  }
  isl_set *any = isl_set_coalesce(isl_set_params(isl_set_copy(touched)));
  isl_set *told = isl_set_gist_params(isl_set_copy(any), isl_set_copy(ends->context));
  span->any = isl_ast_build_expr_from_set(ends->build, told);
  bool good = span->any && subscripts_of(ends, isl_set_lexmin_pw_multi_aff(isl_set_copy(touched)), any, span->first) &&
              subscripts_of(ends, isl_set_lexmax_pw_multi_aff(isl_set_copy(touched)), any, span->last);
  isl_set_free(any);
  isl_set_free(touched);
  return good;
}

/* { [j] -> [j'] : j' >= j }, or <= */
static isl_map *beside(isl_map *rows, bool above)
{
  isl_space *space = isl_space_map_from_set(isl_space_range(isl_map_get_space(rows)));
  isl_map *all = isl_map_universe(space);
  return above ? isl_map_order_le(all, isl_dim_in, 0, isl_dim_out, 0) : isl_map_order_ge(all, isl_dim_in, 0, isl_dim_out, 0);
}

/* The AST that runs tsr_row(i, .., first, last) for the rows of WRITTEN, which is taken. NULL: rows have holes, or isl
 * failed.
 */
static isl_ast_node *find_rows(struct ends *ends, __isl_take isl_set *written)
{
  isl_size n = isl_set_dim(written, isl_dim_set);
  isl_map *rows = isl_map_from_range(isl_set_reset_tuple_id(written)), *all;
  rows = isl_map_move_dims(rows, isl_dim_in, 0, isl_dim_out, 0, (unsigned)(n - 1));
  isl_map *first = isl_map_lexmin(isl_map_copy(rows)), *last = isl_map_lexmax(isl_map_copy(rows));
  all = isl_map_apply_range(isl_map_copy(first), beside(rows, true));
  all = isl_map_intersect(all, isl_map_apply_range(isl_map_copy(last), beside(rows, false)));
  isl_bool whole = isl_map_is_subset(all, rows);
  isl_map_free(all);
  isl_map_free(rows);
  isl_set *domain = isl_set_flatten(isl_map_wrap(isl_map_flat_range_product(first, last)));
  if (whole != isl_bool_true) {
    isl_set_free(domain);
    return NULL;
  }
  domain = isl_set_set_tuple_name(isl_set_coalesce(domain), TSR_COPIED_ROW);
  isl_map *order = isl_map_reset_tuple_id(isl_set_identity(domain), isl_dim_out);
  isl_id_list *iterators = tsr_ast_iterators(ends->context, (int)n + 1);
  isl_ast_build *build = isl_ast_build_set_iterators(isl_ast_build_copy(ends->build), iterators);
  isl_ast_node *ast = isl_ast_build_node_from_schedule_map(build, isl_union_map_from_map(order));
  isl_ast_build_free(build);
  return ast;
}

/* What ARRAY needs. *WHY: what is in the way, static text; NULL: isl. */
static bool find_transfer(struct ends *ends, int array, struct tsr_transfer *transfer, const char **why)
{
  bool sure = true;
  isl_set *read = elements(ends, array, TSR_READS, &sure);
  isl_set *written = elements(ends, array, TSR_WRITES, &sure);
  if (!sure) {
    *why = "is only perhaps accessed, or in places that nobody knows";
    isl_set_free(read);
    isl_set_free(written);
    return false;
  }
  bool seen = ends->scop->arrays[array].live_out && isl_set_is_empty(written) == isl_bool_false;
  transfer->again = isl_set_is_empty(read) == isl_bool_true;
  bool good = find_span(ends, isl_set_coalesce(isl_set_union(isl_set_copy(read), isl_set_copy(written))), &transfer->region);
  bool filled = !is_moved(ends, array) && isl_set_is_disjoint(read, written) == isl_bool_false;
  isl_set *first = filled ? exposed(ends, array, isl_set_copy(read)) : isl_set_copy(read);
  good = good && (!ends->scop->arrays[array].live_in || find_span(ends, isl_set_copy(first), &transfer->in));
  isl_set_free(first);
  if (!good)
    *why = "has no ends that are plain to see";
  if (good && seen) {
    transfer->rows = find_rows(ends, isl_set_copy(written));
    good = transfer->rows != NULL;
    *why = "is written with holes in its rows, and all between them must stay as it is";
  }
  isl_set_free(read);
  isl_set_free(written);
  return good;
}

bool tsr_transfers_find(struct tsr_scop *scop, const struct tsr_program *program, struct tsr_transfer *transfer, int *array,
                        const char **why)
{
  isl_set *context = tsr_scop_common(scop);
  struct ends ends = {scop, program, context, isl_ast_build_from_context(isl_set_copy(context))};
  bool good = true;
  for (*array = 0; *array < scop->n_array && good; ++*array)
    if (scop->arrays[*array].kind == TSR_ARRAY_MEMORY)
      good = find_transfer(&ends, *array, &transfer[*array], why);
  *array -= !good;
  isl_ast_build_free(ends.build);
  isl_set_free(context);
  return good && isl_ctx_last_error(scop->ctx) == isl_error_none;
}

static void span_clear(struct tsr_span_of_array *span)
{
  isl_ast_expr_free(span->any);
  for (int d = 0; d < TSR_PLACE_DIM; d++) {
    isl_ast_expr_free(span->first[d]);
    isl_ast_expr_free(span->last[d]);
  }
}

struct tsr_transfer *tsr_transfers_free(struct tsr_transfer *transfer, int n)
{
  for (int i = 0; transfer && i < n; i++) {
    span_clear(&transfer[i].region);
    span_clear(&transfer[i].in);
    isl_ast_node_free(transfer[i].rows);
  }
  free(transfer);
  return NULL;
}
