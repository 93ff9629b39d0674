/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows that change the values that loops run through:
 *
 *   shift(i, 2)       B(i) - X          ->   B(i + 2, for instances of the statement; i, for others) - X
 *   scale(i, 2)       B(i) - X          ->   B(2 i, for instances of the statement; i, for others) - X
 *   reverse(i)        B(i) - X          ->   B(-i) - X
 *   skew(i, j, 2)     B(i) - B(j) - X   ->   B(i) - B(j + 2 i) - X
 *   wavefront(i, j)   B(i) - B(j) - X   ->   B(i + j) - B(j) - X */
#include "tree/rows/rows.h"
#include <isl/val.h>

/* ROW in place of the band at NODE. Flags of bands are no longer known. */
static __isl_give isl_schedule_node *replace(__isl_take isl_schedule_node *node, __isl_take isl_union_pw_aff *row)
{
  isl_multi_union_pw_aff *old = isl_schedule_node_band_get_partial_schedule(node);
  enum isl_ast_loop_type type = isl_schedule_node_band_member_get_ast_loop_type(node, 0);
  isl_multi_union_pw_aff *partial = isl_multi_union_pw_aff_set_at(old, 0, row);
  node = isl_schedule_node_insert_partial_schedule(isl_schedule_node_delete(node), partial);
  return isl_schedule_node_band_member_set_ast_loop_type(node, 0, type);
}

/* The row of the band of one member at NODE. */
static __isl_give isl_union_pw_aff *row_of(__isl_keep isl_schedule_node *node)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_union_pw_aff *row = isl_multi_union_pw_aff_get_at(partial, 0);
  isl_multi_union_pw_aff_free(partial);
  return row;
}

/* The row plus the distance, for the statement alone. */
static __isl_give isl_schedule_node *shift(__isl_take isl_schedule_node *node, struct tsr_edit *edit)
{
  isl_union_pw_aff *row = row_of(node);
  isl_set *all = isl_set_universe(isl_set_get_space(edit->scop->stmts[edit->stmt].domain));
  isl_union_set *mine =
      isl_union_set_intersect(isl_union_pw_aff_domain(isl_union_pw_aff_copy(row)), isl_union_set_from_set(all));
  isl_val *by = isl_val_int_from_si(isl_schedule_node_get_ctx(node), edit->args->value[1][0].number);
  return replace(node, isl_union_pw_aff_union_add(row, isl_union_pw_aff_val_on_domain(mine, by)));
}

struct tsr_program *tsr_row_shift(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return tsr_program_edit(program, args, shift, NULL, why);
}

/* The row times the factor, for the statement alone. */
static __isl_give isl_schedule_node *scale(__isl_take isl_schedule_node *node, struct tsr_edit *edit)
{
  isl_union_pw_aff *row = row_of(node);
  isl_space *space = isl_set_get_space(edit->scop->stmts[edit->stmt].domain);
  isl_union_set *mine = isl_union_set_from_set(isl_set_universe(space));
  isl_union_pw_aff *others = isl_union_pw_aff_subtract_domain(isl_union_pw_aff_copy(row), isl_union_set_copy(mine));
  isl_val *factor = isl_val_int_from_si(isl_schedule_node_get_ctx(node), edit->args->value[1][0].number);
  row = isl_union_pw_aff_scale_val(isl_union_pw_aff_intersect_domain(row, mine), factor);
  return replace(node, isl_union_pw_aff_union_add(row, others));
}

struct tsr_program *tsr_row_scale(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return tsr_program_edit(program, args, scale, NULL, why);
}

/* The row times -1. */
static __isl_give isl_schedule_node *reverse(__isl_take isl_schedule_node *node, struct tsr_edit *edit)
{
  (void)edit;
  return replace(node, isl_union_pw_aff_neg(row_of(node)));
}

struct tsr_program *tsr_row_reverse(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return tsr_program_edit(program, args, reverse, NULL, why);
}

/* Add FACTOR times loop FROM to loop TO of the chain of two loops that the arguments name. */
static __isl_give isl_schedule_node *add_loop(__isl_take isl_schedule_node *node, struct tsr_edit *edit, bool inner,
                                              long factor)
{
  struct tsr_chain chain;
  isl_ctx *ctx = isl_schedule_node_get_ctx(node);
  node = tsr_chain_take(node, edit, 2, &chain);
  if (!node)
    return NULL;
  int to = inner ? chain.n - 1 : 0, from = inner ? 0 : chain.n - 1;
  isl_union_pw_aff *more =
      isl_union_pw_aff_scale_val(isl_union_pw_aff_copy(chain.row[from]), isl_val_int_from_si(ctx, factor));
  chain.row[to] = isl_union_pw_aff_add(chain.row[to], more);
  chain.given[to] = true;
  return tsr_chain_put(node, &chain);
}

/* The inner row plus a multiple of the outer one. */
static __isl_give isl_schedule_node *skew(__isl_take isl_schedule_node *node, struct tsr_edit *edit)
{
  return add_loop(node, edit, true, edit->args->value[2][0].number);
}

struct tsr_program *tsr_row_skew(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return tsr_program_edit(program, args, skew, NULL, why);
}

/* The outer row plus the inner one. */
static __isl_give isl_schedule_node *wavefront(__isl_take isl_schedule_node *node, struct tsr_edit *edit)
{
  return add_loop(node, edit, false, 1);
}

struct tsr_program *tsr_row_wavefront(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return tsr_program_edit(program, args, wavefront, NULL, why);
}
