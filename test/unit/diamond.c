/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Concurrent start and wavefronts: the hyperplanes keep all dependences, have the face in their cone, are cut into tiles of
 * equal sizes, and all tiles at the face are on the first wavefronts; a wavefront's flags follow from the dependences.
 * Stencils come from test/scops. */
#include "ast/ast.h"
#include "check.h"
#include "sched/scheduler.h"
#include <isl/id.h>
#include <isl/options.h>
#include <isl/val.h>
#include <stdlib.h>

/* A SCoP, its dependences, and what our scheduler makes of it for threads. */
struct stencil {
  struct tsr_scop *scop;
  struct tsr_deps *deps;
  isl_union_map *all; /* flow, anti, output */
  isl_schedule *schedule;
};

static void stencil_read(struct stencil *s, isl_ctx *ctx, FILE *in, const char *path)
{
  struct tsr_options opt = {.parallel = true, .strategy = TSR_STRATEGY_PLUTO};
  char *error = NULL;
  s->scop = in ? tsr_scop_read(ctx, in, path, &error) : NULL;
  if (!CHECK(s->scop != NULL)) {
    fprintf(stderr, "%s: %s\n", path, error ? error : "can't be read");
    exit(1);
  }
  fclose(in);
  s->deps = tsr_deps_compute(s->scop);
  s->all = isl_union_map_union(isl_union_map_copy(s->deps->flow), isl_union_map_copy(s->deps->anti));
  s->all = isl_union_map_union(s->all, isl_union_map_copy(s->deps->output));
  s->schedule = tsr_schedule_compute(s->scop, s->deps, &opt, NULL, NULL);
  CHECK(s->schedule != NULL);
}

static void stencil_open(struct stencil *s, isl_ctx *ctx, const char *name)
{
  char path[256];
  snprintf(path, sizeof(path), "test/scops/%s.scop", name);
  stencil_read(s, ctx, fopen(path, "r"), path);
}

static void stencil_close(struct stencil *s)
{
  isl_schedule_free(s->schedule);
  isl_union_map_free(s->all);
  tsr_deps_free(s->deps);
  tsr_scop_free(s->scop);
}

static isl_bool find_mark(isl_schedule_node *node, void *user)
{
  isl_schedule_node **found = user;
  if (!*found && tsr_node_is_mark(node, TSR_MARK_CONCURRENT))
    *found = isl_schedule_node_get_child(node, 0);
  return isl_bool_true;
}

/* The band G below the mark of SCHEDULE, NULL if there is none. */
static isl_schedule_node *concurrent_band(isl_schedule *schedule)
{
  isl_schedule_node *found = NULL;
  isl_schedule_foreach_schedule_node_top_down(schedule, find_mark, &found);
  return found;
}

/* The outermost band of TREE. */
static isl_schedule_node *outer_band(isl_schedule *tree)
{
  isl_schedule_node *node = isl_schedule_get_root(tree);
  while (isl_schedule_node_get_type(node) != isl_schedule_node_band && isl_schedule_node_n_children(node) == 1)
    node = isl_schedule_node_child(node, 0);
  return node;
}

static isl_union_pw_aff *member(isl_schedule_node *band, int i)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(band);
  isl_union_pw_aff *upa = isl_multi_union_pw_aff_get_at(partial, i);
  isl_multi_union_pw_aff_free(partial);
  return upa;
}

/* Is there a pair of DEPS with t(S) > t(T)? */
static bool runs_back(isl_union_map *deps, isl_union_pw_aff *t)
{
  isl_union_map *back =
      isl_union_map_lex_gt_at_multi_union_pw_aff(isl_union_map_copy(deps), isl_multi_union_pw_aff_from_union_pw_aff(t));
  bool some = isl_union_map_is_empty(back) == isl_bool_false;
  isl_union_map_free(back);
  return some;
}

/* ---- the cone ---- */

/* Statements' functions, and lambda, which all share; 0 until known, -1 if they don't. */
struct cone {
  isl_union_pw_aff *face;
  long lambda;
  int n_stmt;
};

static isl_stat take_aff(isl_set *domain, isl_aff *aff, void *user)
{
  isl_set_free(domain);
  *(isl_aff **)user = aff;
  return isl_stat_ok;
}

static long coefficient(isl_aff *aff, enum isl_dim_type type, int i)
{
  isl_val *value = isl_aff_get_coefficient_val(aff, type, i);
  long v = isl_val_is_int(value) == isl_bool_true ? isl_val_get_num_si(value) : -1000;
  isl_val_free(value);
  return v;
}

/* Is SUM, of one statement, lambda times the face but for a constant? */
static isl_stat compare_with_face(isl_pw_aff *sum, void *user)
{
  struct cone *cone = user;
  isl_aff *a = NULL, *f = NULL;
  isl_pw_aff *face = isl_union_pw_aff_extract_pw_aff(cone->face, isl_pw_aff_get_space(sum));
  isl_pw_aff_foreach_piece(sum, take_aff, &a);
  isl_pw_aff_foreach_piece(face, take_aff, &f);
  CHECK(isl_pw_aff_n_piece(sum) == 1 && isl_pw_aff_n_piece(face) == 1);
  for (int i = 0; i < isl_aff_dim(a, isl_dim_in); i++) {
    long x = coefficient(a, isl_dim_in, i), y = coefficient(f, isl_dim_in, i);
    cone->lambda = y && !cone->lambda ? x / y : cone->lambda;
    if (x != cone->lambda * y)
      cone->lambda = -1;
  }
  for (int i = 0; i < isl_aff_dim(a, isl_dim_param); i++)
    CHECK(coefficient(a, isl_dim_param, i) == 0);
  cone->n_stmt++;
  isl_aff_free(a);
  isl_aff_free(f);
  isl_pw_aff_free(sum);
  isl_pw_aff_free(face);
  return isl_stat_ok;
}

/* The lambda for which the first two members of G add up to lambda times the first one of H. */
static long find_lambda(struct stencil *s, isl_schedule_node *g, isl_schedule_node *h)
{
  struct cone cone = {.face = member(h, 0)};
  isl_union_pw_aff *sum = isl_union_pw_aff_add(member(g, 0), member(g, 1));
  isl_union_pw_aff_foreach_pw_aff(sum, compare_with_face, &cone);
  CHECK(cone.n_stmt == s->scop->n_stmt);
  isl_union_pw_aff_free(sum);
  isl_union_pw_aff_free(cone.face);
  return cone.lambda;
}

/* All rows together, as many as the band has: the same by the scheduler's own rows. */
static void test_all_rows(struct stencil *s, int n)
{
  bool coincident[TSR_MAX_DIM];
  struct tsr_band band = {.coincident = coincident};
  struct tsr_policy *policy = tsr_policy_builtin(s->scop, "pluto");
  struct tsr_sched_input input = {.scop = s->scop, .domain = tsr_scop_domain(s->scop), .cond = s->deps->cond};
  input.cond_validity = s->deps->cond_validity;
  input.validity = input.coincidence = s->all;
  input.proximity = s->all;
  struct tsr_graph *graph = tsr_input_open(&input);
  CHECK(tsr_band_compute(graph, policy, &band) == isl_stat_ok && band.n == n);
  for (int m = 2; m <= n; m++) {
    CHECK(tsr_diamond_find(graph, &band, m) == isl_bool_true);
    long lambda = 0;
    for (int i = 0; i < graph->n_node; i++) {
      struct tsr_node *node = graph->node[i];
      int width = tsr_node_width(node), last = node->n_row - 1;
      CHECK(node->n_row == n + 1);
      for (int k = 1 + node->n_param; k < width; k++) {
        long sum = node->row[last * width + k], face = node->row[k];
        for (int r = 1; r < m; r++)
          sum += node->row[r * width + k];
        lambda = face && !lambda ? sum / face : lambda;
        CHECK(sum == lambda * face);
      }
    }
    CHECK(lambda > 0);
    for (int i = 0; i < graph->n_edge; i++)
      CHECK(!tsr_edge_may_be_negative(graph->edge[i], n));
    for (int i = 0; i < graph->n_node; i++)
      CHECK(tsr_node_truncate(graph->node[i], n) == isl_stat_ok);
  }
  CHECK(tsr_diamond_find(graph, &band, n + 1) == isl_bool_false);
  tsr_input_close(graph);
  tsr_policy_free(policy);
  isl_union_set_free(input.domain);
}

/* ---- tiles and wavefronts ---- */

static int sizes[] = {8, 16, 4};

static bool equal_members(struct stencil *s, __isl_take isl_union_pw_aff *a, __isl_take isl_union_pw_aff *b)
{
  isl_union_map *x = isl_union_map_from_union_pw_aff(a), *y = isl_union_map_from_union_pw_aff(b);
  x = isl_union_map_intersect_domain(x, tsr_scop_domain(s->scop));
  y = isl_union_map_intersect_domain(y, tsr_scop_domain(s->scop));
  bool equal = isl_union_map_is_equal(x, y) == isl_bool_true;
  isl_union_map_free(x);
  isl_union_map_free(y);
  return equal;
}

static isl_union_pw_aff *quotient(isl_union_pw_aff *upa, int size)
{
  return isl_union_pw_aff_floor(
      isl_union_pw_aff_scale_down_val(upa, isl_val_int_from_si(isl_union_pw_aff_get_ctx(upa), size)));
}

/* Which iterations of the outermost band of TREE run instances with t = 0? */
static isl_union_set *first_iterations(struct stencil *s, isl_schedule *tree)
{
  isl_union_set *first = isl_union_set_empty_ctx(s->scop->ctx);
  for (int i = 0; i < s->scop->n_stmt; i++)
    first = isl_union_set_add_set(first, isl_set_fix_si(isl_set_copy(s->scop->stmts[i].domain), isl_dim_set, 0, 0));
  isl_schedule_node *node = outer_band(tree);
  isl_union_map *map = isl_schedule_node_band_get_partial_schedule_union_map(node);
  isl_schedule_node_free(node);
  return isl_union_set_apply(first, map);
}

static bool start_at_once(struct stencil *s, isl_schedule *tree)
{
  isl_union_set *first = first_iterations(s, tree),
                *few = isl_union_set_read_from_str(s->scop->ctx, "{ [w] : -1 <= w <= 1 }");
  bool at_once = isl_union_set_is_subset(first, few) == isl_bool_true;
  isl_union_set_free(first);
  isl_union_set_free(few);
  return at_once;
}

/* TREE is a wavefront of the band at FROM: W(b_0 + b_1) - R(b_1, ...), and R's first member is coincident. */
static void check_wavefront(struct stencil *s, isl_schedule *tree, isl_schedule_node *from)
{
  isl_schedule_node *w = outer_band(tree), *r = isl_schedule_node_get_child(w, 0);
  int n = isl_schedule_node_band_n_member(from);
  CHECK(isl_schedule_node_band_n_member(w) == 1 && isl_schedule_node_get_type(r) == isl_schedule_node_band);
  CHECK(isl_schedule_node_band_n_member(r) == n - 1 && isl_schedule_node_band_get_permutable(r) == isl_bool_true);
  CHECK(equal_members(s, member(w, 0), isl_union_pw_aff_add(member(from, 0), member(from, 1))));
  for (int i = 1; i < n; i++)
    CHECK(equal_members(s, member(r, i - 1), member(from, i)));
  CHECK(isl_schedule_node_band_member_get_coincident(w, 0) == isl_bool_false);
  CHECK(isl_schedule_node_band_member_get_coincident(r, 0) == isl_bool_true);
  CHECK(tsr_band_is_parallel(r, s->scop, TSR_ANY_ARRAY, NULL) == isl_bool_true);
  CHECK(tsr_band_is_parallel(w, s->scop, TSR_ANY_ARRAY, NULL) == isl_bool_false);
  CHECK(tsr_check_schedule(s->scop, tree, NULL) == isl_bool_true);
  isl_schedule_node_free(r);
  isl_schedule_node_free(w);
}

static void test_stencil(isl_ctx *ctx, const char *name, int n, long lambda)
{
  struct stencil s;
  struct tsr_options opt = {.parallel = true, .force = true, .tile_sizes = sizes, .n_tile_sizes = 3};
  stencil_open(&s, ctx, name);
  isl_schedule_node *g = concurrent_band(s.schedule);
  if (!CHECK(g != NULL))
    exit(1);
  isl_schedule_node *h = isl_schedule_node_get_child(g, 0);
  CHECK(isl_schedule_node_band_n_member(g) == n && isl_schedule_node_band_n_member(h) == n);
  CHECK(isl_schedule_node_band_get_permutable(g) == isl_bool_true);
  for (int i = 0; i < n; i++)
    CHECK(!runs_back(s.all, member(g, i)));
  CHECK(find_lambda(&s, g, h) == lambda);
  test_all_rows(&s, n);

  isl_schedule *tiled = tsr_tree_tile(isl_schedule_copy(s.schedule), s.scop, &opt);
  isl_schedule_node *t = outer_band(tiled), *p = isl_schedule_node_get_child(t, 0);
  CHECK(isl_schedule_node_band_n_member(t) == n && isl_schedule_node_band_n_member(p) == n);
  for (int i = 0; i < n; i++) {
    CHECK(equal_members(&s, member(t, i), quotient(member(g, i), i < 2 ? 8 : 4)));
    CHECK(equal_members(&s, member(p, i), member(h, i)));
  }
  CHECK(tsr_check_schedule(s.scop, tiled, NULL) == isl_bool_true);
  isl_schedule *skewed = tsr_tree_wavefront(isl_schedule_copy(tiled), s.deps, &opt);
  check_wavefront(&s, skewed, t);
  CHECK(start_at_once(&s, skewed));

  isl_schedule *untiled = tsr_tree_interchange(isl_schedule_copy(s.schedule), s.scop, &opt);
  isl_schedule_node *b = outer_band(untiled);
  for (int i = 0; i < n; i++)
    CHECK(equal_members(&s, member(b, i), member(h, i)));
  CHECK(tsr_check_schedule(s.scop, untiled, NULL) == isl_bool_true);
  isl_schedule_node *const nodes[] = {g, h, t, p, b};
  for (size_t i = 0; i < sizeof(nodes) / sizeof(*nodes); i++)
    isl_schedule_node_free(nodes[i]);
  isl_schedule_free(tiled);
  isl_schedule_free(skewed);
  isl_schedule_free(untiled);
  stencil_close(&s);
}

/* seidel-2d: t doesn't carry (0, 1, 0), so that tiles at t = 0 wait for each other. Wavefronts start in a corner. */
static void test_seidel(isl_ctx *ctx)
{
  struct stencil s;
  struct tsr_options opt = {.parallel = true, .force = true, .tile_sizes = sizes, .n_tile_sizes = 3};
  stencil_open(&s, ctx, "seidel_2d");
  CHECK(concurrent_band(s.schedule) == NULL);
  isl_union_map *within = isl_union_map_read_from_str(ctx, "{ S0[t, i, j] -> S0[t, i + 1, j] }");
  within = isl_union_map_intersect(within, isl_union_map_copy(s.all));
  CHECK(isl_union_map_is_empty(within) == isl_bool_false);
  isl_union_map_free(within);
  for (int tile = 0; tile < 2; tile++) {
    isl_schedule *tree = tile ? tsr_tree_tile(isl_schedule_copy(s.schedule), s.scop, &opt)
                              : tsr_tree_interchange(isl_schedule_copy(s.schedule), s.scop, &opt);
    isl_schedule_node *from = outer_band(tree);
    isl_schedule *skewed = tsr_tree_wavefront(isl_schedule_copy(tree), s.deps, &opt);
    check_wavefront(&s, skewed, from);
    CHECK(!start_at_once(&s, skewed));
    isl_schedule_node_free(from);
    isl_schedule_free(skewed);
    isl_schedule_free(tree);
  }
  stencil_close(&s);
}

/* for (i < n) for (i <= t < i + steps): A[t + 1][i] = A[t][i - 1] + A[t][i + 1]. t carries all, but t is no bound. */
static void test_slanted(isl_ctx *ctx)
{
  static const char text[] = "scop: slanted\n"
                             "context: \"[n, steps] -> { : }\"\n"
                             "arrays: [ { name: A, kind: memory, element: 8, extent: \"{ A[t, i] }\" } ]\n"
                             "statements:\n"
                             "  - name: S\n"
                             "    domain: \"[n, steps] -> { S[t, i] : %s }\"\n"
                             "    accesses:\n"
                             "      - { read: \"{ S[t, i] -> A[t, i - 1] }\" }\n"
                             "      - { read: \"{ S[t, i] -> A[t, i + 1] }\" }\n"
                             "      - { write: \"{ S[t, i] -> A[t + 1, i] }\" }\n"
                             "schedule:\n"
                             "  domain: \"[n, steps] -> { S[t, i] : %s }\"\n"
                             "  child: { schedule: \"[{ S[t, i] -> [(t)] }, { S[t, i] -> [(i)] }]\" }\n";
  static const char *const domains[] = {"0 <= i < n and 0 <= t < steps", "0 <= i < n and i <= t < i + steps"};
  for (int k = 0; k < 2; k++) {
    struct stencil s;
    char buffer[2048];
    int length = snprintf(buffer, sizeof(buffer), text, domains[k], domains[k]);
    stencil_read(&s, ctx, fmemopen(buffer, (size_t)length, "r"), "slanted");
    isl_schedule_node *g = concurrent_band(s.schedule);
    CHECK((g != NULL) == (k == 0));
    isl_schedule_node_free(g);
    stencil_close(&s);
  }
}

/* What is no wavefront: without threads, with a coincident member, and where the dependences don't keep what a flag says. */
static void test_no_wavefront(isl_ctx *ctx)
{
  struct stencil s;
  struct tsr_options opt = {.parallel = true};
  stencil_open(&s, ctx, "jacobi_1d");
  for (int k = 0; k < 3; k++) {
    isl_schedule *tree = tsr_tree_interchange(isl_schedule_copy(s.schedule), s.scop, &opt);
    isl_schedule_node *band = outer_band(tree);
    if (k == 1)
      band = isl_schedule_node_band_member_set_coincident(band, 1, 1);
    if (k == 2) { /* (t, -t), flagged as permutable */
      isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(band);
      partial = isl_multi_union_pw_aff_set_at(partial, 1, isl_union_pw_aff_neg(isl_multi_union_pw_aff_get_at(partial, 0)));
      band = isl_schedule_node_insert_partial_schedule(isl_schedule_node_delete(band), partial);
      band = isl_schedule_node_band_set_permutable(band, 1);
    }
    isl_schedule_free(tree);
    tree = isl_schedule_node_get_schedule(band);
    opt.parallel = k != 0;
    isl_schedule *same = tsr_tree_wavefront(isl_schedule_copy(tree), s.deps, &opt);
    CHECK(isl_schedule_plain_is_equal(same, tree) == isl_bool_true);
    isl_schedule_node_free(band);
    isl_schedule_free(same);
    isl_schedule_free(tree);
  }
  stencil_close(&s);
}

/* Where no thread is asked for, or an outer loop is coincident, there are no such tiles. */
static void test_not_asked(isl_ctx *ctx)
{
  struct stencil s;
  stencil_open(&s, ctx, "gemm");
  CHECK(concurrent_band(s.schedule) == NULL);
  stencil_close(&s);
  stencil_open(&s, ctx, "jacobi_1d");
  struct tsr_options opt = {.strategy = TSR_STRATEGY_PLUTO};
  isl_schedule *sequential = tsr_schedule_compute(s.scop, s.deps, &opt, NULL, NULL);
  CHECK(concurrent_band(sequential) == NULL);
  isl_schedule_free(sequential);
  stencil_close(&s);
}

int main(void)
{
  isl_ctx *ctx = isl_ctx_alloc();
  test_stencil(ctx, "jacobi_1d", 2, 4);
  test_stencil(ctx, "jacobi_2d", 3, 4);
  test_stencil(ctx, "stencils/heat_3d", 4, 4);
  test_stencil(ctx, "fdtd_2d", 3, 2);
  test_seidel(ctx);
  test_slanted(ctx);
  test_no_wavefront(ctx);
  test_not_asked(ctx);
  isl_ctx_free(ctx);
  return check_report();
}
