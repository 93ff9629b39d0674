/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rectangular tiling.  B: an outermost permutable band with at least two members and something to reuse.
 *
 *   B(i, j, k) - X   ->   T(i/s0, j/s1, k/s2) - P(i%s0, k%s2, j%s1) - X
 *
 * T keeps the order of B; the member that walks along rows becomes the innermost one of P and of X (innermost.c), or of B
 * where B is not tiled. Both keep the flags of B: a permutable band may be tiled, and a coincident member is coincident in
 * both.
 *
 * Where the scheduler has found tiles that can start at once, they are taken for T, with the first of the sizes for the
 * first two members: only tiles of equal sizes do start at once (sched/diamond.c). P is B: within a tile its order is kept.
 *
 *   mark "concurrent-start" - G(g, h, j) - B(t, i, j) - X   ->   T(g/s0, h/s0, j/s2) - B(t, i, j) - X */
#include "tree/tree.h"
#include <isl/ast_build.h>
#include <isl/options.h>
#include <isl/val.h>

static int tile_size(const struct tsr_options *opt, int member)
{
  if (!opt->n_tile_sizes)
    return TSR_DEFAULT_TILE;
  return opt->tile_sizes[member < opt->n_tile_sizes ? member : opt->n_tile_sizes - 1];
}

/* CONCURRENT: those of the first two members equal? */
static isl_multi_val *tile_sizes(isl_schedule_node *band, const struct tsr_options *opt, bool concurrent)
{
  isl_multi_val *sizes = isl_multi_val_zero(isl_schedule_node_band_get_space(band));
  isl_size n = isl_multi_val_size(sizes);
  for (int i = 0; i < n; i++)
    sizes = isl_multi_val_set_at(
        sizes, i, isl_val_int_from_si(isl_schedule_node_get_ctx(band), tile_size(opt, concurrent && i == 1 ? 0 : i)));
  return sizes;
}

isl_schedule_node *tsr_band_split_tiles(isl_schedule_node *node, isl_multi_val *sizes)
{
  isl_ctx *ctx = isl_schedule_node_get_ctx(node);
  isl_options_set_tile_scale_tile_loops(ctx, 0);
  isl_options_set_tile_shift_point_loops(ctx, 1);
  return isl_schedule_node_child(isl_schedule_node_band_tile(node, sizes), 0);
}

static isl_schedule_node *split_tiles(isl_schedule_node *node, const struct tsr_options *opt, bool concurrent)
{
  return tsr_band_split_tiles(node, tile_sizes(node, opt, concurrent));
}

/* NODE stands at B, below its mark and G. Make tiles of G if TILED, and take mark and G away. */
static isl_schedule_node *tile_concurrent(isl_schedule_node *node, const struct tsr_options *opt, bool tiled)
{
  node = isl_schedule_node_parent(node);
  node = tiled ? isl_schedule_node_parent(isl_schedule_node_delete(split_tiles(node, opt, true)))
               : isl_schedule_node_delete(node);
  node = isl_schedule_node_delete(isl_schedule_node_parent(node));
  return tiled ? isl_schedule_node_child(node, 0) : node;
}

/* Tile the band at NODE if it MAY be, CONCURRENT by the band above it, and put its best member innermost. Return the point
 * band, or what is in its place, and in *TILED whether there is a tile band above it. */
static isl_schedule_node *tile_band(isl_schedule_node *node, struct tsr_scop *scop, const struct tsr_options *opt, bool may,
                                    bool concurrent, bool *tiled)
{
  bool reuse = false;
  /* Strides are found on the band as it is: those of the point band are the same and dearer to compute. */
  int best = tsr_band_find_innermost(node, scop, &reuse);
  may = may && isl_schedule_node_band_get_permutable(node) == isl_bool_true &&
        isl_schedule_node_band_n_member(node) >= (opt->force ? 1 : 2);
  *tiled = may && (reuse || opt->force);
  if (concurrent)
    node = tile_concurrent(node, opt, *tiled);
  else if (*tiled)
    node = split_tiles(node, opt, false);
  return best < 0 ? node : tsr_band_sink_member(node, best);
}

/* What tree is asked for? */
struct plan {
  struct tsr_scop *scop;
  const struct tsr_options *opt;
  struct tsr_deps *deps;                  /* not NULL: with register tiles where there can be any */
  const struct tsr_register_sizes *sizes; /* of these */
  bool lockstep;                          /* with outer loops as lanes */
  bool found;                             /* is there a register tile, or such a loop? */
};

/* Top down; below a tiled band nothing is tiled again. */
static isl_schedule_node *tile_subtree(isl_schedule_node *node, struct plan *plan, bool may_tile)
{
  bool tile = false, registers = false;
  bool concurrent = tsr_node_is_mark(node, TSR_MARK_CONCURRENT);
  if (concurrent)
    node = isl_schedule_node_grandchild(node, 0, 0);
  if (isl_schedule_node_get_type(node) == isl_schedule_node_band) {
    if (plan->deps && !concurrent)
      node = tsr_band_registers(node, plan->scop, plan->deps, plan->sizes, &registers);
    if (plan->deps && !concurrent && !registers)
      node = tsr_band_strips(node, plan->scop, plan->deps, plan->opt, plan->sizes, &registers);
    if (plan->lockstep && !concurrent && !registers)
      node = tsr_band_lockstep(node, plan->scop, plan->opt, &registers);
    plan->found |= registers;
    if (registers)
      return node;
    node = tile_band(node, plan->scop, plan->opt, may_tile, concurrent, &tile);
  }
  isl_size n = isl_schedule_node_n_children(node);
  for (int i = 0; i < n; i++)
    node = isl_schedule_node_parent(tile_subtree(isl_schedule_node_child(node, i), plan, may_tile && !tile));
  return tile ? isl_schedule_node_parent(node) : node;
}

static isl_schedule *transform(isl_schedule *schedule, struct plan *plan, bool may_tile)
{
  isl_schedule_node *root = isl_schedule_get_root(schedule);
  isl_schedule_free(schedule);
  root = tile_subtree(root, plan, may_tile);
  schedule = isl_schedule_node_get_schedule(root);
  isl_schedule_node_free(root);
  return schedule;
}

/* requires: flags of SCHEDULE's bands are right.  guarantees: legal if SCHEDULE is.  on failure: NULL. */
isl_schedule *tsr_tree_tile(isl_schedule *schedule, struct tsr_scop *scop, const struct tsr_options *opt)
{
  struct plan plan = {.scop = scop, .opt = opt};
  return transform(schedule, &plan, true);
}

isl_schedule *tsr_tree_interchange(isl_schedule *schedule, struct tsr_scop *scop, const struct tsr_options *opt)
{
  struct plan plan = {.scop = scop, .opt = opt};
  return transform(schedule, &plan, false);
}

isl_schedule *tsr_tree_registers(isl_schedule *schedule, struct tsr_scop *scop, struct tsr_deps *deps,
                                 const struct tsr_options *opt, const struct tsr_register_sizes *sizes)
{
  struct plan plan = {.scop = scop, .opt = opt, .deps = deps, .sizes = sizes, .lockstep = true};
  if (opt->force) { /* no cost decides: loops that can be split are vector loops then */
    isl_schedule *split = tsr_tree_split(isl_schedule_copy(schedule), deps, false);
    plan.lockstep = split == NULL;
    isl_schedule_free(split);
  }
  schedule = transform(schedule, &plan, false);
  return plan.found ? schedule : isl_schedule_free(schedule);
}
