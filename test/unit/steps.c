/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What linear equations tell of instances at one time, and of neighbours: true only where isl would say so, too. */
#include "ast/ast.h"
#include "check.h"
#include <isl/options.h>
#include <isl/space.h>

/* Is it so for all pairs, by isl? */
static bool is_fixed(isl_ctx *ctx, const char *const *time, int n, isl_map *relation)
{
  isl_set *domain = isl_set_universe(isl_space_domain(isl_map_get_space(relation)));
  isl_union_map *pairs = isl_union_map_from_map(isl_map_from_domain_and_range(isl_set_copy(domain), domain));
  for (int i = 0; i < n; i++)
    pairs = isl_union_map_eq_at_multi_union_pw_aff(pairs, isl_multi_union_pw_aff_read_from_str(ctx, time[i]));
  isl_map *same = isl_map_apply_range(isl_map_copy(relation), isl_map_reverse(isl_map_copy(relation)));
  isl_union_map *all = isl_union_map_from_map(same);
  isl_bool fixed = isl_union_map_is_subset(pairs, all);
  isl_union_map_free(pairs);
  isl_union_map_free(all);
  return fixed == isl_bool_true;
}

static const struct element {
  const char *time[2], *relation;
  bool known; /* by equations? */
} elements[] = {
    {{"[{ S[i, j] -> [(i)] }]", "[{ S[i, j] -> [(j)] }]"}, "{ S[i, j] -> A[i, j] }", true},
    {{"[{ S[i, j] -> [(i + j)] }]", "[{ S[i, j] -> [(i - j)] }]"}, "{ S[i, j] -> A[i, j] }", true},
    {{"[{ S[i, j] -> [(i + j)] }]", "[{ S[i, j] -> [(2i + 2j)] }]"}, "{ S[i, j] -> A[i, j] }", false},
    {{"[{ S[i, j] -> [(i + j)] }]", "[{ S[i, j] -> [(2i + 2j)] }]"}, "{ S[i, j] -> A[i + j] }", true},
    {{"[{ S[i, j] -> [(floor(i/384))] }, { S[i, j] -> [(floor(i/4) - 96*floor(i/384))] }]", "[{ S[i, j] -> [(i mod 4)] }]"},
     "{ S[i, j] -> A[i] }",
     true},
    {{"[{ S[i, j] -> [(floor(i/384))] }]", "[{ S[i, j] -> [(i mod 4)] }]"}, "{ S[i, j] -> A[i] }", false},
    {{"[{ S[i, j] -> [(i mod 4)] }]", "[{ S[i, j] -> [(i mod 3)] }]"}, "{ S[i, j] -> A[i] }", false},
    {{"[{ S[i, j] -> [(floor(i/2))] }]", "[{ S[i, j] -> [(floor((i + 1)/2))] }]"},
     "{ S[i, j] -> A[i] }",
     false}, /* though so */
    {{"[p] -> [{ S[i, j] -> [(i + p)] }]", "[q] -> [{ S[i, j] -> [(j - q)] }]"},
     "[r, p] -> { S[i, j] -> A[i + r, j + p] }",
     true},
    {{"[p] -> [{ S[i, j] -> [(floor((i + p)/4))] }]", "[q, p] -> [{ S[i, j] -> [((i + p) mod 4)] }]"},
     "[q] -> { S[i, j] -> A[i] }",
     true},
    {{"[p] -> [{ S[i, j] -> [(floor((i + p)/4))] }]", "[q, p] -> [{ S[i, j] -> [((i + q) mod 4)] }]"},
     "[q] -> { S[i, j] -> A[i] }",
     false},
    {{"[{ S[i, j] -> [(i)] : i >= 0; S[i, j] -> [(-i)] : i < 0 }]", "[{ S[i, j] -> [(j)] }]"}, "{ S[i, j] -> A[i] }", false},
    {{"[{ S[i, j] -> [(i)] }]", "[{ S[i, j] -> [(j)] }]"}, "{ S[i, j] -> A[k] : i <= k <= i + 1 }", false},
};

static void check_elements(isl_ctx *ctx)
{
  for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++) {
    isl_multi_union_pw_aff *times[2];
    for (int k = 0; k < 2; k++)
      times[k] = isl_multi_union_pw_aff_read_from_str(ctx, elements[i].time[k]);
    isl_map *relation = isl_map_read_from_str(ctx, elements[i].relation);
    bool known = tsr_times_fix_element(times, 2, relation);
    CHECK(known == elements[i].known);
    CHECK(!known || is_fixed(ctx, elements[i].time, 2, relation));
    CHECK(isl_ctx_last_error(ctx) == isl_error_none);
    for (int k = 0; k < 2; k++)
      isl_multi_union_pw_aff_free(times[k]);
    isl_map_free(relation);
  }
}

static const struct neighbours {
  const char *time, *domain;
  int pos;
  long delta[2];
  bool known;
} neighbours[] = {
    {"[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]", "{ S[i, j] : 0 <= i, j < 9 }", 0, {1, 0}, true},
    {"[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]", "{ S[i, j] : 0 <= i, j < 9 }", 0, {0, 1}, false},
    {"[{ S[i, j] -> [(i)] }, { S[i, j] -> [(i + j)] }]", "{ S[i, j] : 0 <= i, j < 9 }", 0, {1, -1}, true},
    {"[{ S[i, j] -> [(2i)] }, { S[i, j] -> [(j)] }]", "{ S[i, j] : 0 <= i, j < 9 }", 0, {7, 7}, true}, /* there are none */
    {"[{ S[i, j] -> [(floor(i/48))] }, { S[i, j] -> [(floor(i/4) - 12*floor(i/48))] }, { S[i, j] -> [(i mod 4)] }, "
     "{ S[i, j] -> [(j)] }]",
     "{ S[i, j] : 0 <= i, j < 99 }",
     1,
     {4, 0},
     true},
    {"[{ S[i, j] -> [(floor(i/48))] }, { S[i, j] -> [(i mod 4)] }, { S[i, j] -> [(j)] }]",
     "{ S[i, j] : 0 <= i, j < 99 }",
     0,
     {48, 0},
     false},
};

static void check_neighbours(isl_ctx *ctx)
{
  for (size_t i = 0; i < sizeof(neighbours) / sizeof(neighbours[0]); i++) {
    const struct neighbours *n = &neighbours[i];
    isl_multi_union_pw_aff *time = isl_multi_union_pw_aff_read_from_str(ctx, n->time);
    isl_set *domain = isl_set_read_from_str(ctx, n->domain);
    CHECK(tsr_time_has_step(time, domain, n->pos, n->delta, 2) == n->known);
    CHECK(!tsr_time_has_step(time, domain, n->pos, n->delta, 1));
    isl_multi_union_pw_aff_free(time);
    isl_set_free(domain);
  }
  CHECK(isl_ctx_last_error(ctx) == isl_error_none);
}

static const struct moving {
  const char *time, *domain, *relation;
  int pos, by;
  enum tsr_stride stride;
} moving[] = {
    {"[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]", "{ S[i, j] : 0 <= i, j < 9 }", "{ S[i, j] -> A[i, j] }", 1, 1,
     TSR_STRIDE_ONE},
    {"[{ S[i, j] -> [(i)] }, { S[i, j] -> [(2j)] }]", "{ S[i, j] : 0 <= i, j < 9 }", "{ S[i, j] -> A[i, j] }", 1, 2,
     TSR_STRIDE_ONE},
    {"[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]", "{ S[i, j] : 0 <= i, j < 9 and (i + j) mod 2 = 0 }",
     "{ S[i, j] -> A[i, j] }", 1, 2, TSR_STRIDE_OTHER},
    {"[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]", "{ S[i, j] : 0 <= i, j < 9 and (i + j) mod 2 = 0 }",
     "{ S[i, j] -> A[i, j] }", 0, 1, TSR_STRIDE_NONE}, /* it doesn't move on alone, but runs each time */
    {"[{ S[i, j] -> [(j)] }, { S[i, j] -> [(i)] }]", "[n] -> { S[i, j] : 0 <= i, j < n and (i + n) mod 4 = 0 }",
     "[n] -> { S[i, j] -> A[j, i] }", 1, 4, TSR_STRIDE_OTHER},
    {"[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]", "{ S[i, j] : 0 <= i < 9 and j = 3 }", "{ S[i, j] -> A[i, j] }", 1, 1,
     TSR_STRIDE_NONE},
};

static void check_strides(isl_ctx *ctx)
{
  for (size_t i = 0; i < sizeof(moving) / sizeof(moving[0]); i++) {
    const struct moving *m = &moving[i];
    isl_multi_union_pw_aff *time = isl_multi_union_pw_aff_read_from_str(ctx, m->time);
    struct tsr_order order = {.domain = isl_set_read_from_str(ctx, m->domain)};
    struct tsr_step step;
    isl_space *space = isl_set_get_space(order.domain);
    isl_map *relation = isl_map_intersect_domain(isl_map_read_from_str(ctx, m->relation), isl_set_copy(order.domain));
    order.time = tsr_prefix_time(time, space);
    order.map = isl_map_intersect_domain(isl_map_from_multi_aff(isl_multi_aff_copy(order.time)), isl_set_copy(order.domain));
    tsr_step_init(&step, &order, m->pos);
    CHECK(step.by == m->by);
    CHECK(tsr_access_stride(relation, &step) == m->stride);
    isl_map_free(relation);
    isl_map_free(order.map);
    isl_multi_aff_free(order.time);
    isl_set_free(order.domain);
    isl_space_free(space);
    isl_multi_union_pw_aff_free(time);
  }
  CHECK(isl_ctx_last_error(ctx) == isl_error_none);
}

/* Rows of I and tiles of J, N by M of them, as SCOP knows them: asked anew, or kept. */
static void check_loops_of(isl_ctx *ctx, struct tsr_scop *scop, int n, int m)
{
  char domain[96];
  snprintf(domain, sizeof(domain), "{ S[i, j] : 0 <= i < %d and 0 <= j < %d }", n, m);
  isl_map *time = isl_map_read_from_str(ctx, "{ S[i, j] -> [i, 32 * floor(j/32), j] }");
  struct tsr_order order = {.domain = isl_set_read_from_str(ctx, domain)};
  order.map = isl_map_intersect_domain(time, isl_set_copy(order.domain));
  int n_loop = 0;
  const struct tsr_order_loop *loop = tsr_order_loops(scop, &order, &n_loop);
  CHECK(loop && n_loop == 3);
  if (loop && n_loop == 3) {
    CHECK(loop[0].trips == n && loop[1].trips == (m + 31) / 32 && loop[2].trips == (m < 32 ? m : 32));
    CHECK(n == 1 || (loop[0].step.by == 1 && loop[0].step.fixed && loop[0].step.delta[0] == 1));
    CHECK(m <= 32 || (loop[1].step.by == 32 && loop[1].step.empty)); /* j has to move on, too */
    CHECK(m == 1 || (loop[2].step.by == 1 && loop[2].step.delta[1] == 1));
  }
  isl_map_free(order.map);
  isl_set_free(order.domain);
}

static void check_loops(isl_ctx *ctx)
{
  struct tsr_scop *scop = tsr_scop_alloc(ctx, "f");
  for (int twice = 0; twice < 2; twice++)
    for (int n = 1; n < 10; n++)
      for (int m = 32; m < 32 * 12; m += 32)
        check_loops_of(ctx, scop, n, m);
  tsr_scop_free(scop);
  CHECK(isl_ctx_last_error(ctx) == isl_error_none);
}

int main(void)
{
  isl_ctx *ctx = isl_ctx_alloc();
  isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
  check_elements(ctx);
  check_neighbours(ctx);
  check_strides(ctx);
  check_loops(ctx);
  isl_ctx_free(ctx);
  return check_report();
}
