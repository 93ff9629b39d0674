/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows that put loops in blocks or in another order:
 *
 *   tile(i, j, 32, 8, i0, j0, i1, j1)   B(i) - B(j) - X   ->   B(i / 32) - B(j / 8) - B(i % 32) - B(j % 8) - X
 *   split(i, 32, i0, i1)                B(i) - X          ->   B(i / 32) - B(i % 32) - X
 *   interchange(i, k)                   B(i) - B(j) - B(k) - X   ->   B(k) - B(j) - B(i) - X
 *
 * Without names the new loops of i are i0 and i1. */
#include "tree/rows/rows.h"
#include <isl/val.h>
#include <string.h>

/* i % SIZE, from 0. */
static __isl_give isl_union_pw_aff *in_block(__isl_take isl_union_pw_aff *row, int size)
{
  isl_ctx *ctx = isl_union_pw_aff_get_ctx(row);
  isl_union_pw_aff *block = tsr_block_of(isl_union_pw_aff_copy(row), size);
  return isl_union_pw_aff_sub(row, isl_union_pw_aff_scale_val(block, isl_val_int_from_si(ctx, size)));
}

/* Add loop I of FROM over blocks of SIZE (END 0), or in one (END 1), to CHAIN, called NAME; NULL: by the loop's own name and
 * END. */
static void add_block(struct tsr_chain *chain, const struct tsr_chain *from, int i, int size, int end, const char *name)
{
  char own[2 * TSR_LOOP_NAME];
  snprintf(own, sizeof(own), "%.60s%d", from->name[i].text, end);
  isl_union_pw_aff *row = isl_union_pw_aff_copy(from->row[i]);
  tsr_chain_add(chain, end ? in_block(row, size) : tsr_block_of(row, size), name ? name : own, true);
}

/* The chain of loops that value[0] names, with sizes in value[1] and, maybe, names in value[2]. */
static __isl_give isl_schedule_node *tile_chain(__isl_take isl_schedule_node *node, struct tsr_edit *edit)
{
  const struct tsr_args *args = edit->args;
  struct tsr_chain old, tiles = {.n = 0};
  int n = args->n[0];
  node = tsr_chain_take(node, edit, 1, &old);
  for (int i = 0; node && i < n; i++)
    if (old.n != n || (strcmp(old.name[i].text, args->value[0][i].text) && tsr_loop_name_is_free(args->value[0][i].text)))
      node = tsr_edit_refuse(edit, node, "tiles are of loops directly one inside of the other, named from the outermost in");
  for (int end = 0; node && end < 2; end++)
    for (int i = 0; i < n; i++)
      add_block(&tiles, &old, i, (int)args->value[1][i].number, end, args->n[2] ? args->value[2][end * n + i].text : NULL);
  tsr_chain_clear(&old);
  return node ? tsr_chain_put(node, &tiles) : NULL;
}

struct tsr_program *tsr_row_tile(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  if (2 * args->n[0] > TSR_MAX_CHAIN) {
    tsr_message_set(why, "too many loops: expected at most %d", TSR_MAX_CHAIN / 2);
    return tsr_program_free(program);
  }
  return tsr_program_edit(program, args, tile_chain, NULL, why);
}

struct tsr_program *tsr_row_split(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return tsr_program_edit(program, args, tile_chain, NULL, why);
}

/* The first and the last loop of the chain change places. */
static __isl_give isl_schedule_node *interchange(__isl_take isl_schedule_node *node, struct tsr_edit *edit)
{
  struct tsr_chain chain;
  node = tsr_chain_take(node, edit, 2, &chain);
  if (!node)
    return NULL;
  int last = chain.n - 1;
  isl_union_pw_aff *row = chain.row[0];
  struct tsr_loop_name name = chain.name[0];
  bool given = chain.given[0];
  chain.row[0] = chain.row[last];
  chain.name[0] = chain.name[last];
  chain.given[0] = chain.given[last];
  chain.row[last] = row;
  chain.name[last] = name;
  chain.given[last] = given;
  return tsr_chain_put(node, &chain);
}

struct tsr_program *tsr_row_interchange(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return tsr_program_edit(program, args, interchange, NULL, why);
}
