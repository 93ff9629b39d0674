/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Break valid schedules, access relations and assumptions in every way that matters, and see each rejected.
 *
 * For every SCoP of scops.h, the original tree, the scheduler's tree and its tiled form are accepted. Then each of these
 * trees is broken at each of its nodes: a band member reversed, swapped with the next, shifted for one statement; a child of
 * a sequence moved to the front; instances dropped; a mark put where it may not be. What the oracle finds to change memory
 * at small parameters must be rejected, with a sentence. */
#include "oracle.h"
#include <isl/id.h>
#include <isl/options.h>
#include <isl/space.h>

typedef struct tsr_scop *(*builder)(isl_ctx *);

static int n_rejected, n_accepted;

/* CHECKED and what the oracle says must agree in the direction that matters. */
static void judge(struct oracle *oracle, isl_schedule *tree, const char *what)
{
  char *why = NULL;
  isl_bool legal = tsr_check_schedule(oracle->scop, tree, &why);
  bool agrees = oracle_agrees(oracle, tree);
  if (legal == isl_bool_true && !agrees) {
    fprintf(stderr, "%s, %s: accepted, but changes memory\n", oracle->scop->name, what);
    isl_schedule_dump(tree);
  }
  CHECK(legal >= 0);
  CHECK(legal == isl_bool_false || agrees);
  CHECK(legal == isl_bool_true ? !why : why && strlen(why) > 10);
  if (legal == isl_bool_true)
    n_accepted++;
  else
    n_rejected++;
  if (getenv("SHOW"))
    printf("%s, %s: %s%s\n", oracle->scop->name, what, legal ? "accepted" : "rejected: ", why ? why : "");
  free(why);
  isl_schedule_free(tree);
}

static isl_schedule *to_tree(isl_schedule_node *node)
{
  isl_schedule *tree = isl_schedule_node_get_schedule(node);
  isl_schedule_node_free(node);
  return tree;
}

/* Replace the band at NODE by one with the members of LIST; the result stands there. */
static isl_schedule_node *replace_members(isl_schedule_node *node, isl_union_pw_aff_list *list)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_space *space = isl_space_params(isl_multi_union_pw_aff_get_space(partial));
  space = isl_space_add_dims(isl_space_set_from_params(space), isl_dim_set, isl_union_pw_aff_list_size(list));
  isl_multi_union_pw_aff_free(partial);
  node = isl_schedule_node_delete(isl_schedule_node_copy(node));
  return isl_schedule_node_insert_partial_schedule(node, isl_multi_union_pw_aff_from_union_pw_aff_list(space, list));
}

static isl_schedule *with_members(isl_schedule_node *node, isl_union_pw_aff_list *list)
{
  return to_tree(replace_members(node, list));
}

static isl_union_pw_aff_list *members(isl_schedule_node *node)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_union_pw_aff_list *list = isl_multi_union_pw_aff_get_list(partial);
  isl_multi_union_pw_aff_free(partial);
  return list;
}

/* t -> -t */
static void reverse_member(struct oracle *oracle, isl_schedule_node *node, int i)
{
  isl_union_pw_aff_list *list = members(node);
  isl_union_pw_aff *member = isl_union_pw_aff_neg(isl_union_pw_aff_list_get_at(list, i));
  judge(oracle, with_members(node, isl_union_pw_aff_list_set_at(list, i, member)), "a reversed band member");
}

/* (t, u) -> (u, t) */
static void swap_members(struct oracle *oracle, isl_schedule_node *node, int i)
{
  judge(oracle, with_members(node, isl_union_pw_aff_list_swap(members(node), i, i + 1)), "two band members swapped");
}

/* t -> t + by, for one statement alone */
static void shift_member(struct oracle *oracle, isl_schedule_node *node, int i, int stmt, int by)
{
  isl_union_pw_aff_list *list = members(node);
  isl_union_pw_aff *member = isl_union_pw_aff_list_get_at(list, i);
  isl_union_set *here = isl_union_pw_aff_domain(isl_union_pw_aff_copy(member));
  isl_union_set *one = isl_union_set_from_set(isl_set_copy(oracle->scop->stmts[stmt].domain));
  isl_val *value = isl_val_int_from_si(oracle->scop->ctx, by);
  isl_union_pw_aff *moved =
      isl_union_pw_aff_val_on_domain(isl_union_set_intersect(isl_union_set_copy(here), isl_union_set_copy(one)), value);
  isl_union_pw_aff *still =
      isl_union_pw_aff_val_on_domain(isl_union_set_subtract(here, one), isl_val_zero(oracle->scop->ctx));
  member = isl_union_pw_aff_add(member, isl_union_pw_aff_union_add(moved, still));
  judge(oracle, with_members(node, isl_union_pw_aff_list_set_at(list, i, member)),
        "a band member shifted for one statement");
}

/* t -> floor(t / 2): two iterations become one, without an order inside */
static void blur_member(struct oracle *oracle, isl_schedule_node *node, int i)
{
  isl_union_pw_aff_list *list = members(node);
  isl_union_pw_aff *member = isl_union_pw_aff_list_get_at(list, i);
  member = isl_union_pw_aff_scale_down_val(member, isl_val_int_from_si(oracle->scop->ctx, 2));
  list = isl_union_pw_aff_list_set_at(list, i, isl_union_pw_aff_floor(member));
  judge(oracle, with_members(node, list), "iterations blurred into one");
}

static void drop_band(struct oracle *oracle, isl_schedule_node *node)
{
  judge(oracle, to_tree(isl_schedule_node_delete(isl_schedule_node_copy(node))), "a band dropped");
}

static void break_band(struct oracle *oracle, isl_schedule_node *node)
{
  isl_size n = isl_schedule_node_band_n_member(node);
  for (int i = 0; i < n; i++) {
    reverse_member(oracle, node, i);
    blur_member(oracle, node, i);
    if (i + 1 < n)
      swap_members(oracle, node, i);
    for (int s = 0; s < oracle->scop->n_stmt; s++)
      shift_member(oracle, node, i, s, (i + s) % 2 ? 1 : -1);
  }
  drop_band(oracle, node);
}

/* Marks: an accepted parallel loop must give the same memory backward, too. */
static void mark_band(struct oracle *oracle, isl_schedule_node *node, enum tsr_mark_kind kind)
{
  isl_size n = isl_schedule_node_band_n_member(node);
  for (int i = 0; i < n; i++) {
    isl_schedule_node *at = isl_schedule_node_copy(node);
    if (i > 0)
      at = isl_schedule_node_child(isl_schedule_node_band_split(at, i), 0);
    if (i < n - 1)
      at = isl_schedule_node_band_split(at, 1);
    isl_union_pw_aff_list *list = members(at);
    list = isl_union_pw_aff_list_set_at(list, 0, isl_union_pw_aff_neg(isl_union_pw_aff_list_get_at(list, 0)));
    isl_schedule *backward = with_members(at, list);
    at = tsr_mark_insert_word(at, kind);
    isl_schedule *tree = to_tree(at);
    isl_bool legal = tsr_check_schedule(oracle->scop, tree, NULL);
    if (legal == isl_bool_true && kind == TSR_MARK_PARALLEL)
      CHECK(oracle_agrees(oracle, backward));
    isl_schedule_free(backward);
    judge(oracle, tree, tsr_mark_word(kind));
  }
}

static int doacross[2]; /* rejected, accepted */

/* P and Q, in place of the band at NODE, as a doacross loop: if accepted, the same memory column by column, too. */
static void judge_doacross(struct oracle *oracle, isl_schedule_node *node, isl_union_pw_aff *p, isl_union_pw_aff *q)
{
  isl_union_pw_aff_list *rows = isl_union_pw_aff_list_add(isl_union_pw_aff_list_from_union_pw_aff(p), q);
  isl_schedule *columns = with_members(node, isl_union_pw_aff_list_swap(isl_union_pw_aff_list_copy(rows), 0, 1));
  isl_schedule *tree = to_tree(tsr_mark_insert_word(replace_members(node, rows), TSR_MARK_DOACROSS));
  bool legal = tsr_check_schedule(oracle->scop, tree, NULL) == isl_bool_true;
  CHECK(!legal || oracle_agrees(oracle, columns));
  doacross[legal]++;
  isl_schedule_free(columns);
  judge(oracle, tree, "doacross");
}

/* (t, u); (t / 2, t % 2), whose rows wait for all of the one before */
static void mark_doacross(struct oracle *oracle, isl_schedule_node *node)
{
  isl_size n = isl_schedule_node_band_n_member(node);
  isl_union_pw_aff_list *list = members(node);
  isl_union_pw_aff *first = isl_union_pw_aff_list_get_at(list, 0);
  isl_val *two = isl_val_int_from_si(oracle->scop->ctx, 2);
  isl_union_pw_aff *half =
      isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(isl_union_pw_aff_copy(first), isl_val_copy(two)));
  if (n == 1)
    judge_doacross(oracle, node, half, isl_union_pw_aff_mod_val(isl_union_pw_aff_copy(first), two));
  else if (n == 2)
    judge_doacross(oracle, node, half, isl_union_pw_aff_list_get_at(list, 1));
  if (n == 2)
    judge_doacross(oracle, node, isl_union_pw_aff_copy(first), isl_union_pw_aff_list_get_at(list, 1));
  isl_union_pw_aff_free(first);
  isl_union_pw_aff_list_free(list);
  if (n != 1)
    isl_val_free(two);
  if (n > 2)
    isl_union_pw_aff_free(half);
}

/* Move each child of the sequence at NODE to its front. */
static void break_sequence(struct oracle *oracle, isl_schedule_node *node)
{
  isl_size n = isl_schedule_node_n_children(node);
  for (int i = 1; i < n; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(node, i);
    isl_union_set *filter = isl_schedule_node_filter_get_filter(child);
    isl_schedule_node_free(child);
    judge(oracle, to_tree(isl_schedule_node_order_before(isl_schedule_node_copy(node), filter)),
          "a child of a sequence moved to its front");
  }
}

/* Keep the instances that WHERE leaves, by a filter at NODE. */
static void drop_instances(struct oracle *oracle, isl_schedule_node *node)
{
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  isl_union_set *first = isl_union_set_lexmin(isl_union_set_copy(domain));
  isl_union_set *rest = isl_union_set_subtract(domain, first);
  isl_schedule_node *filtered = isl_schedule_node_insert_filter(isl_schedule_node_copy(node), rest);
  isl_schedule *tree = to_tree(filtered);
  CHECK(tsr_check_schedule(oracle->scop, tree, NULL) == isl_bool_false);
  judge(oracle, tree, "instances dropped by a filter");
}

static void break_tree(struct oracle *oracle, isl_schedule_node *node)
{
  enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
  if (type == isl_schedule_node_band) {
    break_band(oracle, node);
    mark_band(oracle, node, TSR_MARK_PARALLEL);
    mark_band(oracle, node, TSR_MARK_VECTOR);
    mark_doacross(oracle, node);
    drop_instances(oracle, node);
  }
  if (type == isl_schedule_node_sequence)
    break_sequence(oracle, node);
  isl_size n = isl_schedule_node_n_children(node);
  for (int i = 0; i < n; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(node, i);
    break_tree(oracle, child);
    isl_schedule_node_free(child);
  }
}

/* A valid tree: accepted. */
static void accept(struct oracle *oracle, isl_schedule *tree, const char *what)
{
  char *why = NULL;
  isl_bool legal = tsr_check_schedule(oracle->scop, tree, &why);
  if (legal != isl_bool_true) {
    fprintf(stderr, "%s, %s: %s\n", oracle->scop->name, what, why ? why : "error");
    isl_schedule_dump(tree);
  }
  CHECK(legal == isl_bool_true);
  CHECK(oracle_agrees(oracle, tree));
}

/* A valid tree: accepted; all broken forms of it: judged. */
static void break_valid(struct oracle *oracle, __isl_take isl_schedule *tree, const char *what)
{
  accept(oracle, tree, what);
  isl_schedule_node *root = isl_schedule_get_root(tree);
  break_tree(oracle, root);
  isl_schedule_node_free(root);
  isl_schedule_free(tree);
}

static void break_scop(struct tsr_scop *scop, const char *parameters)
{
  int sizes[] = {2};
  struct tsr_options opt = {.force = true, .tile_sizes = sizes, .n_tile_sizes = 1};
  struct oracle *oracle = oracle_alloc(scop, parameters);
  struct tsr_deps *deps = tsr_deps_compute(scop);
  break_valid(oracle, isl_schedule_copy(scop->schedule), "original");
  for (int strategy = TSR_STRATEGY_ISL; strategy <= TSR_STRATEGY_SPATIAL; strategy++) {
    opt.strategy = strategy;
    isl_schedule *schedule = tsr_schedule_compute(scop, deps, &opt, NULL, NULL);
    accept(oracle, schedule, "scheduled");
    opt.parallel = true;
    isl_schedule *tiled =
        tsr_tree_mark(tsr_tree_tile(isl_schedule_copy(schedule), scop, &opt), scop, &opt, TSR_WHICH_OUTERMOST);
    accept(oracle, tiled, "tiled and marked");
    if (strategy == TSR_STRATEGY_ISL)
      break_valid(oracle, tiled, "tiled and marked");
    else
      isl_schedule_free(tiled);
    isl_schedule_free(schedule);
    opt.parallel = false;
  }
  isl_schedule *fewer = isl_schedule_copy(scop->schedule);
  isl_union_set *domain = tsr_scop_domain(scop);
  fewer =
      isl_schedule_intersect_domain(fewer, isl_union_set_subtract(isl_union_set_copy(domain), isl_union_set_lexmax(domain)));
  CHECK(tsr_check_schedule(scop, fewer, NULL) == isl_bool_false);
  isl_schedule_free(fewer);
  tsr_deps_free(deps);
  oracle_free(oracle);
}

/* Move each access by one element: the schedule of the unbroken SCoP must be legal for the broken one, or be rejected. */
static void break_accesses(struct tsr_scop *scop, const char *parameters)
{
  struct tsr_options opt = {.force = true};
  struct tsr_deps *deps = tsr_deps_compute(scop);
  isl_schedule *schedule = tsr_schedule_compute(scop, deps, &opt, NULL, NULL);
  tsr_deps_free(deps);
  for (int s = 0; s < scop->n_stmt; s++)
    for (int k = 0; k < scop->stmts[s].n_access; k++) {
      struct tsr_access *access = &scop->stmts[s].access[k];
      isl_size n = isl_map_dim(access->relation, isl_dim_out);
      for (int d = 0; d < n; d++)
        for (int by = -1; by <= 1; by += 2) {
          isl_map *old = isl_map_copy(access->relation);
          isl_space *space = isl_space_range(isl_map_get_space(old));
          isl_multi_aff *shift = isl_multi_aff_identity_on_domain_space(space);
          isl_aff *aff = isl_aff_add_constant_si(isl_multi_aff_get_aff(shift, d), by);
          access->relation =
              isl_map_apply_range(access->relation, isl_map_from_multi_aff(isl_multi_aff_set_aff(shift, d, aff)));
          struct oracle *oracle = oracle_alloc(scop, parameters);
          judge(oracle, isl_schedule_copy(schedule), "an access moved by one element");
          oracle_free(oracle);
          isl_map_free(access->relation);
          access->relation = old;
        }
    }
  isl_schedule_free(schedule);
}

/* for i: A[i + k] = A[i], under the assumption that the two halves do not meet: any order is legal. Without: not. */
static void break_assumption(isl_ctx *ctx)
{
  static const char *const lines[] = {
      "context [n, k] -> { : k >= 0 }",
      "assumed [n, k] -> { : k >= n }",
      "array { A[i] }",
      "stmt [n, k] -> { S[i] : 0 <= i < n }",
      "read [n, k] -> { S[i] -> A[i] }",
      "write [n, k] -> { S[i] -> A[i + k] }",
      NULL,
  };
  char *why = NULL;
  struct tsr_scop *scop = scop_build(ctx, "shifted_copy", lines, "child: { schedule: \"[{ S[i] -> [(i)] }]\" }");
  isl_schedule *backward = scop_tree(scop, "child: { schedule: \"[{ S[i] -> [(-i)] }]\" }");
  isl_schedule *parallel = scop_tree(scop, "child: { mark: \"parallel\", child: { schedule: \"[{ S[i] -> [(i)] }]\" } }");
  CHECK(tsr_check_schedule(scop, backward, NULL) == isl_bool_true);
  CHECK(tsr_check_schedule(scop, parallel, NULL) == isl_bool_true);
  isl_set_free(scop->assumed);
  scop->assumed = isl_set_read_from_str(ctx, "[n, k] -> { : k >= n - 1 }");
  CHECK(tsr_check_schedule(scop, backward, &why) == isl_bool_false);
  CHECK(why && strstr(why, "A:") && strstr(why, "S["));
  free(why);
  CHECK(tsr_check_schedule(scop, parallel, NULL) == isl_bool_false);
  isl_schedule_free(backward);
  isl_schedule_free(parallel);
  tsr_scop_free(scop);
}

/* Live ranges may be exchanged, but not torn; and what lives in or out stays in its place. */
static void break_live_ranges(isl_ctx *ctx)
{
  struct tsr_scop *scop = scop_temporary(ctx);
  const char *const backward = "child: { schedule: \"[{ S[i] -> [(-i)]; T[i] -> [(-i)] }]\", child: { sequence: [ "
                               "{ filter: \"{ S[i] }\" }, { filter: \"{ T[i] }\" } ] } }";
  const char *const torn = "child: { sequence: [ { filter: \"{ S[i] }\", child: { schedule: \"[{ S[i] -> [(i)] }]\" } }, "
                           "{ filter: \"{ T[i] }\", child: { schedule: \"[{ T[i] -> [(i)] }]\" } } ] }";
  isl_schedule *tree = scop_tree(scop, backward);
  CHECK(tsr_check_schedule(scop, tree, NULL) == isl_bool_true);
  scop->arrays[2].live_out = true;
  CHECK(tsr_check_schedule(scop, tree, NULL) == isl_bool_false);
  scop->arrays[2].live_out = false;
  isl_schedule_free(tree);
  tree = scop_tree(scop, torn);
  CHECK(tsr_check_schedule(scop, tree, NULL) == isl_bool_false);
  isl_schedule_free(tree);
  tsr_scop_free(scop);
}

/* Nodes and marks that the checker must not let pass. */
static void break_nodes(isl_ctx *ctx)
{
  static const char *const bodies[] = {
      "child: { mark: \"parallel\", child: { schedule: \"[{ S[i] -> [(i)] }]\" } }",
      "child: { mark: \"vector\", child: { schedule: \"[{ S[i] -> [(i)] }]\" } }",
      "child: { mark: \"skipped\", child: { schedule: \"[{ S[i] -> [(i)] }]\" } }",
      "child: { mark: \"vector\", child: { sequence: [ { filter: \"{ S[i] : i < 5 }\" }, { filter: \"{ S[i] : i >= 5 }\" } "
      "] } }",
      "child: { context: \"[n] -> { [] : n >= 10 }\", child: { schedule: \"[{ S[i] -> [(i)] }]\" } }",
      "child: { sequence: [ { filter: \"{ S[i] : i < 5 }\", child: { schedule: \"[{ S[i] -> [(i)] }]\" } }, "
      "{ filter: \"{ S[i] : i > 5 }\", child: { schedule: \"[{ S[i] -> [(i)] }]\" } } ] }",
      "child: { set: [ { filter: \"{ S[i] : i < 5 }\", child: { schedule: \"[{ S[i] -> [(i)] }]\" } }, "
      "{ filter: \"{ S[i] : i >= 5 }\", child: { schedule: \"[{ S[i] -> [(i)] }]\" } } ] }",
  };
  struct tsr_scop *scop = scop_sum(ctx);
  for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
    char *why = NULL;
    isl_schedule *tree = scop_tree(scop, bodies[i]);
    CHECK(tree);
    CHECK(tsr_check_schedule(scop, tree, &why) == isl_bool_false);
    CHECK(why);
    if (getenv("SHOW"))
      printf("%s\n", why);
    free(why);
    isl_schedule_free(tree);
  }
  tsr_scop_free(scop);
}

int main(void)
{
  static const struct {
    builder build;
    const char *parameters;
  } scops[] = {{scop_gemm, "[n] -> { : n = 2 }"},
               {scop_jacobi_1d, "[n, tsteps] -> { : n = 5 and tsteps = 2 }"},
               {scop_temporary, "[n] -> { : n = 4 }"},
               {scop_sum, "[n] -> { : n = 4 }"},
               {scop_trmm, "[n, m] -> { : n = 2 and m = 3 }"},
               {scop_accumulator, "[n] -> { : n = 2 }"},
               {scop_imperfect, "[n, m] -> { : n = 2 and m = 2 }"},
               {scop_row, "[n] -> { : n = 2 }"}};
  isl_ctx *ctx = isl_ctx_alloc();
  isl_options_set_on_error(ctx, ISL_ON_ERROR_ABORT);
  for (size_t i = 0; i < sizeof(scops) / sizeof(scops[0]); i++) {
    struct tsr_scop *scop = scops[i].build(ctx);
    break_scop(scop, scops[i].parameters);
    break_accesses(scop, scops[i].parameters);
    tsr_scop_free(scop);
  }
  break_assumption(ctx);
  break_live_ranges(ctx);
  break_nodes(ctx);
  CHECK(n_rejected > 150 && n_accepted > 150);
  CHECK(doacross[false] > 10 && doacross[true] > 5);
  isl_ctx_free(ctx);
  if (getenv("SHOW"))
    printf("%d accepted, %d rejected; doacross: %d, %d\n", n_accepted, n_rejected, doacross[true], doacross[false]);
  printf("%d checks\n", n_checks);
  return 0;
}
