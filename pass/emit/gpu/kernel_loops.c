/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The loops of a kernel's dimensions. What has been checked is that one thread runs all of one iteration of a dimension;
 * where isl has made several loops of it, iterations may be in more than one of them:
 *
 *   for (c0 = 0; c0 <= n; c0++) S(c0)      S(n), T(n): the thread of n
 *   for (c0 = n; c0 <= m; c0++) T(c0)
 *
 * With one loop, threads count its iterations; with several, the iteration's own number says which thread it is. isl may
 * also have dropped a loop that runs once, whose number is known all the same (isl-bridge/ast/loop_numbers.c). */
#include "emit/gpu/gpu.h"
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

int tsr_emit_loop_depth(isl_ast_node *loop)
{
  char *name = tsr_emit_iterator_name(loop);
  int depth = atoi(name + strcspn(name, "0123456789"));
  free(name);
  return depth;
}

/* The step of LOOP; below 0: it isn't a number. */
static long step_of(isl_ast_node *loop)
{
  if (isl_ast_node_for_is_degenerate(loop) == isl_bool_true)
    return 1;
  isl_ast_expr *inc = isl_ast_node_for_get_inc(loop);
  isl_val *value = isl_ast_expr_get_type(inc) == isl_ast_expr_int ? isl_ast_expr_get_val(inc) : NULL;
  long step = value ? isl_val_get_num_si(value) : -1;
  isl_val_free(value);
  isl_ast_expr_free(inc);
  return step;
}

/* What find_number looks for. */
struct dropped {
  int depth;
  isl_ast_expr *number;
};

/* What look_at is about. */
struct look {
  const struct tsr_mark *kernel;
  struct tsr_kernel_loops *loops;
};

static void look_at(const struct look *look, isl_ast_node *node, unsigned around);

/* The same for NODE, which is taken. */
static void look_in(const struct look *look, __isl_take isl_ast_node *node, unsigned around)
{
  look_at(look, node, around);
  isl_ast_node_free(node);
}

static void look_at_loop(const struct look *look, isl_ast_node *node, unsigned around)
{
  int d = tsr_emit_loop_depth(node) - look->kernel->depth;
  if (d >= 0 && d < look->kernel->kernel.n && !(around >> d & 1)) {
    long step = step_of(node);
    bool first = look->loops->n[d]++ == 0;
    look->loops->step[d] = first || look->loops->step[d] == step ? step : -1;
    around |= 1u << d;
  }
  look_in(look, isl_ast_node_for_get_body(node), around);
}

/* The loops in NODE, which is in those AROUND. */
static void look_at(const struct look *look, isl_ast_node *node, unsigned around)
{
  isl_ast_node_list *list;
  switch (isl_ast_node_get_type(node)) {
  case isl_ast_node_for:
    look_at_loop(look, node, around);
    return;
  case isl_ast_node_if:
    look_in(look, isl_ast_node_if_get_then_node(node), around);
    if (isl_ast_node_if_has_else_node(node) == isl_bool_true)
      look_in(look, isl_ast_node_if_get_else_node(node), around);
    return;
  case isl_ast_node_block:
    list = isl_ast_node_block_get_children(node);
    for (int i = 0; i < isl_ast_node_list_n_ast_node(list); i++)
      look_in(look, isl_ast_node_list_get_ast_node(list, i), around);
    isl_ast_node_list_free(list);
    return;
  case isl_ast_node_mark:
    look_in(look, isl_ast_node_mark_get_node(node), around);
    return;
  default:
    for (int d = 0; d < look->kernel->kernel.n; d++)
      if (!(around >> d & 1)) {
        isl_ast_expr *number = tsr_ast_number(node, look->kernel->depth + d);
        look->loops->dropped[d] = true;
        look->loops->unknown[d] |= !number;
        isl_ast_expr_free(number);
      }
  }
}

void tsr_emit_kernel_loops(const struct tsr_mark *kernel, isl_ast_node *body, struct tsr_kernel_loops *loops)
{
  const struct look look = {kernel, loops};
  memset(loops, 0, sizeof(*loops));
  look_at(&look, body, 0);
}

/* The number of the first user node, in *USER. */
static isl_bool find_number(isl_ast_node *node, void *user)
{
  struct dropped *dropped = user;
  if (isl_ast_node_get_type(node) != isl_ast_node_user)
    return isl_bool_true;
  dropped->number = tsr_ast_number(node, dropped->depth);
  return isl_bool_error;
}

isl_ast_expr *tsr_emit_dropped_number(isl_ast_node *node, int depth)
{
  struct dropped dropped = {depth, NULL};
  isl_ast_node_foreach_descendant_top_down(node, find_number, &dropped);
  return dropped.number;
}

/* Does each thread know its iterations in all kernels of NODE, and phases of these? isl_bool_error, as isl's walk ends
 * there: no */
static isl_bool check_kernel(isl_ast_node *node, void *user)
{
  (void)user;
  const struct tsr_mark *mark = isl_ast_node_get_type(node) == isl_ast_node_mark ? tsr_ast_mark(node) : NULL;
  bool phase = tsr_mark_is(mark, TSR_MARK_THREADS);
  if (!phase && !tsr_mark_is(mark, TSR_MARK_KERNEL))
    return isl_bool_true;
  struct tsr_kernel_loops loops;
  isl_ast_node *body = isl_ast_node_mark_get_node(node);
  tsr_emit_kernel_loops(tsr_ast_mark(node), body, &loops);
  isl_ast_node_free(body);
  for (int d = 0; d < TSR_MAX_MAPPED; d++)
    if (phase ? loops.unknown[d] : loops.n[d] + loops.dropped[d] > 1 && (loops.unknown[d] || loops.step[d] < 1))
      return isl_bool_error;
  return isl_bool_ok(!phase && mark->kernel.n_size > 0);
}

bool tsr_gpu_knows_threads(isl_ast_node *ast)
{
  return isl_ast_node_foreach_descendant_top_down(ast, check_kernel, NULL) == isl_stat_ok;
}
