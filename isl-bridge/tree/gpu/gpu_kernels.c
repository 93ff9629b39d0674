/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels of a GPU. From the root down to the first band with parallel members, all loops run on the host:
 *
 *   B(t, i, j, k) - X   ->   B(t) - mark "kernel 2" - B(i, j) - B(k) - X          i, j parallel
 *   B(i, k, j) - X      ->   mark "kernel 2" - B(i, j) - B(k) - X                 where B is permutable, k not parallel
 *   B(i) - seq(B(j) - X, Y)   ->   seq(mark "kernel 2" - B(j, i) - X, mark "kernel 1" - B(i) - Y)     where that takes less
 * time
 *
 * At most three loops become dimensions of grids and blocks. The last one is the threads' x, neighbours in a warp: of the
 * parallel members it is that along which most accesses go to the next element, so that a warp's are one transaction. What
 * has no parallel loop at all is a kernel of one thread, so that its data can stay where it is.
 *
 * Whether members are parallel is decided anew from the accesses (parallel_loops.c). Mapping of outer parallel loops to
 * blocks and threads: S. Verdoolaege et al., "Polyhedral parallel code generation for CUDA", TACO 2013, section 4. */
#include "tree/tree.h"
#include <isl/union_set.h>
#include <isl/val.h>

/* ---- which member is x? ---- */

struct walkers {
  struct tsr_scop *scop;
  int depth;     /* of the loops around the band */
  int n;         /* its members that may be mapped */
  double *leaps; /* by member: accesses that leap from line to line, less those that go to the next element, weighted */
};

/* Count how ORDER's accesses move along each member. */
static isl_stat count_moves(struct tsr_order *order, void *user)
{
  struct walkers *walkers = user;
  if (!order->time)
    return isl_stat_ok;
  isl_size depth = isl_multi_aff_dim(order->time, isl_dim_out);
  for (int m = 0; m < walkers->n; m++) {
    struct tsr_step step;
    tsr_step_init(&step, order, walkers->depth + m);
    for (int k = 0; !step.empty && k < order->stmt->n_access; k++) {
      const struct tsr_access *access = &order->stmt->access[k];
      enum tsr_stride stride = tsr_access_stride(access->relation, &step);
      if (walkers->scop->arrays[access->array].kind == TSR_ARRAY_MEMORY)
        walkers->leaps[m] += depth * (stride == TSR_STRIDE_OTHER ? 1 : stride == TSR_STRIDE_ONE ? -1 : 0);
    }
  }
  return isl_stat_ok;
}

static isl_stat count_moves_in(isl_schedule_node *leaf, void *user)
{
  struct walkers *walkers = user;
  return tsr_leaf_foreach_order(leaf, walkers->scop, tsr_scop_common(walkers->scop), count_moves, walkers);
}

#define MOST_MEMBERS 16 /* of a band that are looked at */

/* The one of the first N members of the band at NODE that shall be x: on equal terms the last. */
static int find_x(isl_schedule_node *node, struct tsr_scop *scop, int n)
{
  double leaps[MOST_MEMBERS] = {0};
  struct walkers walkers = {scop, isl_schedule_node_get_schedule_depth(node), n, leaps};
  int best = n - 1;
  if (n < 2 || tsr_node_foreach_leaf(node, count_moves_in, &walkers) < 0)
    return best;
  for (int m = n - 1; m >= 0; m--)
    best = leaps[m] < leaps[best] ? m : best;
  return best;
}

/* ---- members of a band ---- */

/* Is member POS of the band at NODE parallel, in one iteration of those before it? */
static bool is_parallel(isl_schedule_node *node, struct tsr_scop *scop, int pos)
{
  isl_schedule_node *rest = isl_schedule_node_copy(node);
  if (pos > 0)
    rest = isl_schedule_node_child(isl_schedule_node_band_split(rest, pos), 0);
  isl_bool parallel = tsr_band_is_parallel(rest, scop, TSR_ANY_ARRAY, NULL);
  isl_schedule_node_free(rest);
  return parallel == isl_bool_true;
}

/* In a permutable band, coincident members first. */
static isl_schedule_node *bring_forward(isl_schedule_node *node)
{
  isl_size n = isl_schedule_node_band_n_member(node);
  int first = 0;
  if (isl_schedule_node_band_get_permutable(node) != isl_bool_true)
    return node;
  for (int i = 0; i < n; i++)
    if (isl_schedule_node_band_member_get_coincident(node, i) == isl_bool_true) {
      if (i > first)
        node = tsr_band_move_member(node, i, first);
      first++;
    }
  return node;
}

/* How many members of the band at NODE follow each other from *FIRST on that are parallel? 0: none is. */
static int find_parallel(isl_schedule_node *node, struct tsr_scop *scop, int *first)
{
  isl_size n = isl_schedule_node_band_n_member(node);
  n = n > MOST_MEMBERS ? MOST_MEMBERS : n;
  int n_parallel = 0;
  for (*first = 0; *first < n && !is_parallel(node, scop, *first); ++*first)
    ;
  while (*first + n_parallel < n && is_parallel(node, scop, *first + n_parallel))
    n_parallel++;
  return n_parallel;
}

/* ---- kernels ---- */

static isl_schedule_node *insert_kernel(isl_schedule_node *node, struct tsr_scop *scop, int n)
{
  return tsr_mark_insert(node, scop, &(struct tsr_mark){.kind = TSR_MARK_KERNEL, .kernel = {n}});
}

/* NODE stands at a band of which the first N members are parallel: a kernel of some of them. */
static isl_schedule_node *map_members(isl_schedule_node *node, struct tsr_scop *scop, int n)
{
  int x = find_x(node, scop, n), n_mapped = n < TSR_MAX_MAPPED ? n : TSR_MAX_MAPPED;
  if (x != n_mapped - 1)
    node = tsr_band_move_member(node, x, n_mapped - 1);
  if (isl_schedule_node_band_n_member(node) > n_mapped)
    node = isl_schedule_node_band_split(node, n_mapped);
  return insert_kernel(node, scop, n_mapped);
}

/* What is being made. */
struct kernels {
  struct tsr_scop *scop;
  bool sink;      /* do parallel loops around several nests go inside of them? */
  int n_parallel; /* kernels with threads */
};

static isl_schedule_node *map_subtree(isl_schedule_node *node, struct kernels *kernels);

/* The children of NODE, each with kernels of its own. */
static isl_schedule_node *map_children(isl_schedule_node *node, struct kernels *kernels)
{
  isl_size n = isl_schedule_node_n_children(node);
  for (int i = 0; i < n; i++)
    node = isl_schedule_node_parent(map_subtree(isl_schedule_node_child(node, i), kernels));
  return node;
}

/* B(i) - B(j) - X  ->  B(i, j) - X, at NODE. */
static isl_schedule_node *join_child(isl_schedule_node *node)
{
  isl_multi_union_pw_aff *own = isl_schedule_node_band_get_partial_schedule(node);
  node = isl_schedule_node_delete(node);
  isl_multi_union_pw_aff *child = isl_schedule_node_band_get_partial_schedule(node);
  own = isl_multi_union_pw_aff_reset_tuple_id(own, isl_dim_set);
  child = isl_multi_union_pw_aff_reset_tuple_id(child, isl_dim_set);
  return isl_schedule_node_insert_partial_schedule(isl_schedule_node_delete(node),
                                                   isl_multi_union_pw_aff_flat_range_product(own, child));
}

/* Is what is directly below the band at NODE of TYPE? */
static bool is_above(isl_schedule_node *node, enum isl_schedule_node_type type)
{
  isl_schedule_node *child = isl_schedule_node_get_child(node, 0);
  bool is = isl_schedule_node_get_type(child) == type;
  isl_schedule_node_free(child);
  return is;
}

/* The band at NODE, all of whose members are parallel, with those of bands directly below. */
static isl_schedule_node *join_parallel(isl_schedule_node *node, struct tsr_scop *scop)
{
  int first, n = isl_schedule_node_band_n_member(node);
  while (n < TSR_MAX_MAPPED && is_above(node, isl_schedule_node_band)) {
    isl_schedule_node *joined = join_child(isl_schedule_node_copy(node));
    int n_joined = find_parallel(joined, scop, &first);
    if (first > 0 || n_joined <= n) {
      isl_schedule_node_free(joined);
      return node;
    }
    isl_schedule_node_free(node);
    node = joined;
    n = n_joined;
    if (n < isl_schedule_node_band_n_member(node)) /* what isn't parallel is inside, as it was */
      return node;
  }
  return node;
}

/* The band at NODE: its first parallel members, or those of bands below. */
static isl_schedule_node *map_band(isl_schedule_node *node, struct kernels *kernels)
{
  int first, n = find_parallel(node, kernels->scop, &first);
  isl_schedule_node *other = bring_forward(isl_schedule_node_copy(node));
  int first_other, n_other = find_parallel(other, kernels->scop, &first_other);
  if (n_other > n || (n_other == n && first_other < first)) {
    isl_schedule_node_free(node);
    node = other;
    n = n_other;
    first = first_other;
  } else {
    isl_schedule_node_free(other);
  }
  if (n == 0)
    return map_children(node, kernels);
  if (first == 0 && n == isl_schedule_node_band_n_member(node)) {
    if (kernels->sink && n < TSR_MAX_MAPPED && is_above(node, isl_schedule_node_sequence))
      return map_subtree(isl_schedule_node_band_sink(node), kernels);
    node = join_parallel(node, kernels->scop);
    n = find_parallel(node, kernels->scop, &first);
  }
  kernels->n_parallel++;
  if (first == 0)
    return map_members(node, kernels->scop, n);
  node = isl_schedule_node_child(isl_schedule_node_band_split(node, first), 0);
  return isl_schedule_node_parent(map_members(node, kernels->scop, n));
}

/* NODE with kernels; what has no parallel loop is one kernel of one thread. The result stands at NODE's place. */
static isl_schedule_node *map_subtree(isl_schedule_node *node, struct kernels *kernels)
{
  enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
  bool root = type == isl_schedule_node_domain || type == isl_schedule_node_context || type == isl_schedule_node_filter;
  int before = kernels->n_parallel;
  isl_schedule_node *was = isl_schedule_node_copy(node);
  node = type == isl_schedule_node_band ? map_band(node, kernels) : map_children(node, kernels);
  if (kernels->n_parallel > before || root) {
    isl_schedule_node_free(was);
    return node;
  }
  isl_schedule_node_free(node);
  return insert_kernel(was, kernels->scop, 0);
}

/* mark "concurrent-start" - G - B  ->  B: G is about tiles alone. */
static isl_schedule_node *drop_tiles(isl_schedule_node *node, void *user)
{
  (void)user;
  return tsr_node_is_mark(node, TSR_MARK_CONCURRENT) ? isl_schedule_node_delete(isl_schedule_node_delete(node)) : node;
}

/* SCHEDULE with kernels, parallel loops going inside if SINK. NULL: none has threads. */
static isl_schedule *map_tree(isl_schedule *schedule, struct tsr_scop *scop, bool sink)
{
  struct kernels kernels = {.scop = scop, .sink = sink};
  isl_schedule_node *root = map_subtree(isl_schedule_get_root(schedule), &kernels);
  isl_schedule *tree = isl_schedule_node_get_schedule(root);
  isl_schedule_node_free(root);
  return kernels.n_parallel > 0 ? tree : isl_schedule_free(tree);
}

isl_schedule *tsr_tree_kernels(isl_schedule *schedule, struct tsr_scop *scop, struct tsr_deps *deps,
                               const struct tsr_options *opt)
{
  double lonely;
  schedule = isl_schedule_map_schedule_node_bottom_up(schedule, drop_tiles, NULL);
  schedule = tsr_tree_wavefront(schedule, deps, opt);
  isl_schedule *outside = map_tree(schedule, scop, false), *inside = outside ? map_tree(schedule, scop, true) : NULL;
  isl_schedule_free(schedule);
  if (inside && tsr_kernels_time(inside, scop, &lonely) < tsr_kernels_time(outside, scop, &lonely)) {
    isl_schedule_free(outside);
    return inside;
  }
  isl_schedule_free(inside);
  return outside;
}

/* ---- kernels of a user's ---- */

static isl_bool is_no_kernel(isl_schedule_node *node, void *user)
{
  (void)user;
  return isl_bool_ok(!tsr_node_is_mark(node, TSR_MARK_KERNEL));
}

bool tsr_tree_has_kernels(isl_schedule *tree)
{
  isl_schedule_node *root = isl_schedule_get_root(tree);
  isl_bool none = isl_schedule_node_every_descendant(root, is_no_kernel, NULL);
  isl_schedule_node_free(root);
  return none == isl_bool_false;
}

/* What is below NODE, in kernels; what isn't in one yet in kernels of one thread, as large as can be. */
static isl_schedule_node *fill(isl_schedule_node *node, struct tsr_scop *scop)
{
  enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
  bool root = type == isl_schedule_node_domain || type == isl_schedule_node_context || type == isl_schedule_node_filter;
  if (tsr_node_is_mark(node, TSR_MARK_KERNEL))
    return node;
  if (!root && isl_schedule_node_every_descendant(node, is_no_kernel, NULL) == isl_bool_true)
    return insert_kernel(node, scop, 0);
  isl_size n = isl_schedule_node_n_children(node);
  for (int i = 0; i < n; i++)
    node = isl_schedule_node_parent(fill(isl_schedule_node_child(node, i), scop));
  return node;
}

isl_schedule *tsr_tree_fill_kernels(isl_schedule *tree, struct tsr_scop *scop)
{
  isl_schedule_node *root = fill(isl_schedule_get_root(tree), scop);
  isl_schedule_free(tree);
  tree = isl_schedule_node_get_schedule(root);
  isl_schedule_node_free(root);
  return tree;
}

/* ---- how long would it take? ----
 *
 *   launches * LAUNCH + instances * INSTANCE / min(threads of a launch, AT_ONCE), over all kernels
 *
 * Rough: it tells schedules with many threads in few launches from others, and what has none. The numbers are those of
 * pass/emit/gpu/gpu_work.c, measured. */
#define LAUNCH 4000.0    /* ns */
#define INSTANCE 500.0   /* ns: of one instance after the other in one thread */
#define AT_ONCE 200000.0 /* threads */

/* What add_kernel adds up. */
struct times {
  struct tsr_scop *scop;
  double all, lonely; /* ns; of that in kernels of one thread */
};

/* How many different values TIME has for the instances below NODE, for typical parameters: loop by loop, those inside at the
 * middle of those around them. */
static double values_of(isl_schedule_node *node, struct tsr_scop *scop, __isl_take isl_multi_union_pw_aff *time)
{
  isl_size n = isl_multi_union_pw_aff_size(time);
  if (n < 1) {
    isl_multi_union_pw_aff_free(time);
    return 1;
  }
  isl_union_set *domain = isl_union_set_intersect_params(isl_schedule_node_get_domain(node), tsr_scop_typical(scop));
  time = isl_multi_union_pw_aff_reset_tuple_id(time, isl_dim_set);
  isl_union_set *all = isl_union_set_apply(domain, isl_union_map_from_multi_union_pw_aff(time));
  if (isl_union_set_n_set(all) != 1) {
    isl_union_set_free(all);
    return 1;
  }
  isl_set *times = isl_set_from_union_set(all);
  double values = 1;
  long stride;
  for (int i = 0; i < n; i++)
    values *= tsr_times_trips(&times, i, &stride);
  isl_set_free(times);
  return values < 1 ? 1 : values;
}

/* Instances below NODE. */
static double instances_of(isl_schedule_node *node, struct tsr_scop *scop)
{
  double n = 0;
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  for (int i = 0; i < scop->n_stmt; i++) {
    isl_set *own = isl_union_set_extract_set(domain, isl_set_get_space(scop->stmts[i].domain));
    n += isl_set_is_empty(own) == isl_bool_false ? tsr_set_points(scop, own) : 0;
    isl_set_free(own);
  }
  isl_union_set_free(domain);
  return n;
}

static isl_bool add_kernel(isl_schedule_node *node, void *user)
{
  struct times *times = user;
  const struct tsr_mark *mark = tsr_node_mark(node);
  if (!tsr_mark_is(mark, TSR_MARK_KERNEL))
    return isl_bool_true;
  isl_multi_union_pw_aff *around = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(node);
  double launches = values_of(node, times->scop, isl_multi_union_pw_aff_copy(around)), threads = 1;
  if (mark->kernel.n > 0) {
    isl_schedule_node *band = isl_schedule_node_get_child(node, 0);
    isl_multi_union_pw_aff *own = isl_schedule_node_band_get_partial_schedule(band);
    around = isl_multi_union_pw_aff_flat_range_product(around, own);
    threads = values_of(node, times->scop, isl_multi_union_pw_aff_copy(around)) / launches;
    isl_schedule_node_free(band);
  }
  isl_multi_union_pw_aff_free(around);
  threads = threads < 1 ? 1 : threads > AT_ONCE ? AT_ONCE : threads;
  double time = launches * LAUNCH + instances_of(node, times->scop) * INSTANCE / threads;
  times->all += time;
  times->lonely += mark->kernel.n == 0 ? time : 0;
  return isl_bool_false;
}

double tsr_kernels_time(isl_schedule *tree, struct tsr_scop *scop, double *lonely)
{
  struct times times = {.scop = scop};
  isl_stat ok = isl_schedule_foreach_schedule_node_top_down(tree, add_kernel, &times);
  *lonely = times.lonely;
  return ok < 0 ? -1 : times.all;
}
