/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows that say how a loop runs, and change no order:
 *
 *   parallelize(i)     B(i) - X          ->   mark "parallel" - B(i) - X
 *   vectorize(i, 8)    B(i) - leaf       ->   mark "vector" - B(i) - leaf        8 is a wish that LLVM gets with the loop
 *   rare_changes(i)    B(i) - leaf       ->   mark "rare" - B(i) - leaf
 *   preload(i)         B(i) - X          ->   mark "preload" - B(i) - X
 *   stream(i)          B(i) - leaf       ->   mark "stream" - B(i) - leaf
 *   doacross(i, j)     B(i) - B(j) - X   ->   mark "doacross" - B(i, j) - X
 *   gpu(i, j)          B(i) - B(j) - X   ->   mark "kernel 2" - B(i, j) - X
 *   unroll(i, 4)       B(i) - X          ->   B(i / 4) - B(i % 4), unrolled - X */
#include "tree/rows/rows.h"
#include <isl/id.h>
#include <isl/val.h>

/* NODE, a loop that has no mark yet, below MARK; NULL: it has. */
static __isl_give isl_schedule_node *put_mark(__isl_take isl_schedule_node *node, struct tsr_edit *edit,
                                              const struct tsr_mark *mark)
{
  if (tsr_loop_is_marked(node)) {
    struct tsr_loop_name loop = tsr_member_name(node, 0, edit->scop, edit->stmt);
    return tsr_edit_refuse(edit, node, "loop '%s' of %s is marked or unrolled already", loop.text, tsr_stmt_name(edit));
  }
  return tsr_mark_insert(node, edit->scop, mark);
}

/* The loop of NODE below a mark "parallel" of its own number. */
static __isl_give isl_schedule_node *parallelize(__isl_take isl_schedule_node *node, struct tsr_edit *edit)
{
  return put_mark(node, edit, &(struct tsr_mark){.kind = TSR_MARK_PARALLEL, .number = ++edit->n_parallel});
}

struct tsr_program *tsr_row_parallelize(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return tsr_program_edit(program, args, parallelize, NULL, why);
}

/* The loop of NODE below a mark "vector", whose number is the width, if it is innermost. */
static __isl_give isl_schedule_node *vectorize(__isl_take isl_schedule_node *node, struct tsr_edit *edit)
{
  if (tsr_node_has_band_below(node) != isl_bool_false) { /* but it may be in another piece of the statement */
    edit->found--;
    edit->left = "isn't innermost";
    return node;
  }
  int width = edit->args->n[1] ? (int)edit->args->value[1][0].number : 0;
  return put_mark(node, edit, &(struct tsr_mark){.kind = TSR_MARK_VECTOR, .number = width});
}

struct tsr_program *tsr_row_vectorize(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return tsr_program_edit(program, args, vectorize, NULL, why);
}

/* The loop of NODE below a mark of KIND, if it is innermost. */
static __isl_give isl_schedule_node *mark_innermost(__isl_take isl_schedule_node *node, struct tsr_edit *edit,
                                                    enum tsr_mark_kind kind)
{
  if (tsr_node_has_band_below(node) != isl_bool_false) {
    edit->found--;
    edit->left = "isn't innermost";
    return node;
  }
  return put_mark(node, edit, &(struct tsr_mark){.kind = kind});
}

static __isl_give isl_schedule_node *expect_rare(__isl_take isl_schedule_node *node, struct tsr_edit *edit)
{
  return mark_innermost(node, edit, TSR_MARK_RARE);
}

static __isl_give isl_schedule_node *preload(__isl_take isl_schedule_node *node, struct tsr_edit *edit)
{
  return mark_innermost(node, edit, TSR_MARK_PRELOAD);
}

static __isl_give isl_schedule_node *stream(__isl_take isl_schedule_node *node, struct tsr_edit *edit)
{
  return mark_innermost(node, edit, TSR_MARK_STREAM);
}

struct tsr_program *tsr_row_stream(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return tsr_program_edit(program, args, stream, NULL, why);
}

struct tsr_program *tsr_row_preload(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return tsr_program_edit(program, args, preload, NULL, why);
}

struct tsr_program *tsr_row_rare_changes(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return tsr_program_edit(program, args, expect_rare, NULL, why);
}

/* The loop over blocks keeps the name. */
static __isl_give isl_schedule_node *unroll(__isl_take isl_schedule_node *node, struct tsr_edit *edit)
{
  struct tsr_chain chain;
  int factor = (int)edit->args->value[1][0].number;
  char inner[2 * TSR_LOOP_NAME];
  isl_ctx *ctx = isl_schedule_node_get_ctx(node);
  node = tsr_chain_take(node, edit, 1, &chain);
  if (!node)
    return NULL;
  isl_union_pw_aff *block = tsr_block_of(isl_union_pw_aff_copy(chain.row[0]), factor);
  isl_union_pw_aff *start = isl_union_pw_aff_scale_val(isl_union_pw_aff_copy(block), isl_val_int_from_si(ctx, factor));
  isl_union_pw_aff *in = isl_union_pw_aff_sub(isl_union_pw_aff_copy(chain.row[0]), start);
  snprintf(inner, sizeof(inner), "%.50s_unrolled", chain.name[0].text);
  node = tsr_node_insert_loop(node, in, inner);
  node = isl_schedule_node_band_member_set_ast_loop_type(node, 0, isl_ast_loop_unroll);
  node = tsr_node_insert_loop(node, block, chain.name[0].text);
  tsr_chain_clear(&chain);
  return node;
}

struct tsr_program *tsr_row_unroll(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return tsr_program_edit(program, args, unroll, NULL, why);
}

/* The loops of CHAIN, which is empty then, as one band at NODE. */
static __isl_give isl_schedule_node *put_band(__isl_take isl_schedule_node *node, struct tsr_chain *chain)
{
  isl_multi_union_pw_aff *all = NULL;
  isl_ctx *ctx = isl_schedule_node_get_ctx(node);
  for (int i = 0; i < chain->n; i++) {
    isl_multi_union_pw_aff *one = isl_multi_union_pw_aff_from_union_pw_aff(isl_union_pw_aff_copy(chain->row[i]));
    all = all ? isl_multi_union_pw_aff_flat_range_product(all, one) : one;
  }
  for (int i = 0; i < chain->n; i++)
    if (chain->given[i])
      all = isl_multi_union_pw_aff_set_dim_id(all, isl_dim_set, (unsigned)i, isl_id_alloc(ctx, chain->name[i].text, NULL));
  tsr_chain_clear(chain);
  return isl_schedule_node_insert_partial_schedule(node, all);
}

/* Both loops become one band, which the mark is about. */
static __isl_give isl_schedule_node *doacross(__isl_take isl_schedule_node *node, struct tsr_edit *edit)
{
  struct tsr_chain chain;
  node = tsr_chain_take(node, edit, 2, &chain);
  if (node && chain.n != 2)
    node = tsr_edit_refuse(edit, node, "the loops of a doacross loop are directly one inside of the other");
  if (!node) {
    tsr_chain_clear(&chain);
    return NULL;
  }
  struct tsr_mark mark = {.kind = TSR_MARK_DOACROSS, .number = TSR_MARK_OF_DOACROSS + edit->n_parallel++};
  return tsr_mark_insert(put_band(node, &chain), edit->scop, &mark);
}

/* The same, of up to three loops, for a GPU. */
static __isl_give isl_schedule_node *make_kernel(__isl_take isl_schedule_node *node, struct tsr_edit *edit)
{
  struct tsr_chain chain = {.n = 0};
  int n = edit->args->n[0];
  if (n > TSR_MAX_MAPPED)
    return tsr_edit_refuse(edit, node, "too many loops: expected at most %d", TSR_MAX_MAPPED);
  node = tsr_chain_take(node, edit, 1, &chain);
  for (int i = 0; node && i < n; i++)
    if (chain.n != n || chain.wanted[i] != i)
      node =
          tsr_edit_refuse(edit, node, "a kernel is of loops directly one inside of the other, named from the outermost in");
  if (!node) {
    tsr_chain_clear(&chain);
    return NULL;
  }
  struct tsr_mark mark = {.kind = TSR_MARK_KERNEL, .kernel = {n}};
  return tsr_mark_insert(put_band(node, &chain), edit->scop, &mark);
}

struct tsr_program *tsr_row_gpu(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return tsr_program_edit(program, args, make_kernel, NULL, why);
}

struct tsr_program *tsr_row_doacross(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return tsr_program_edit(program, args, doacross, NULL, why);
}
