/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Marks of register tiles: what the checker refuses of trees that hold one. */
#include "cost/cost.h"
#include "model/thresholds.h"
#include "scops.h"
#include <isl/options.h>
#include <math.h>

/* S: C[i][j] += A[i][k] * B[k][j]; T: a copy of D after it. */
static const char *const product[] = {
    "context [n] -> { : n >= 1 }",
    "array [n] -> { C[i, j] : 0 <= j < n }",
    "array [n] -> { A[i, j] : 0 <= j < n }",
    "array [n] -> { B[i, j] : 0 <= j < n }",
    "stmt [n] -> { S[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }",
    "read { S[i, j, k] -> C[i, j] }",
    "read { S[i, j, k] -> A[i, k] }",
    "read { S[i, j, k] -> B[k, j] }",
    "write { S[i, j, k] -> C[i, j] }",
    NULL,
};

/* S: the real part of a product of complex matrices. */
static const char *const parts[] = {
    "context [n] -> { : n >= 1 }",
    "array [n] -> { C[i, j, p] : 0 <= j < n and 0 <= p <= 1 }",
    "array [n] -> { A[i, j, p] : 0 <= j < n and 0 <= p <= 1 }",
    "array [n] -> { B[i, j, p] : 0 <= j < n and 0 <= p <= 1 }",
    "stmt [n] -> { S[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }",
    "read { S[i, j, k] -> C[i, j, 0] }",
    "read { S[i, j, k] -> A[i, k, 0] }",
    "read { S[i, j, k] -> A[i, k, 1] }",
    "read { S[i, j, k] -> B[k, j, 0] }",
    "read { S[i, j, k] -> B[k, j, 1] }",
    "write { S[i, j, k] -> C[i, j, 0] }",
    NULL,
};

/* The same in place, from columns that it writes. */
static const char *const parts_in_place[] = {
    "context [n] -> { : n >= 1 }",
    "array [n] -> { C[i, j, p] : 0 <= j < n and 0 <= p <= 1 }",
    "stmt [n] -> { S[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }",
    "read { S[i, j, k] -> C[i, j, 0] }",
    "read { S[i, j, k] -> C[i, k, 0] }",
    "read { S[i, j, k] -> C[k, j, 1] }",
    "write { S[i, j, k] -> C[i, j, 0] }",
    NULL,
};

/* The element that is written is another at each k. */
static const char *const spread[] = {
    "context [n] -> { : n >= 1 }",
    "array [n] -> { C[i, j, k] : 0 <= j < n and 0 <= k < n }",
    "stmt [n] -> { S[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }",
    "read { S[i, j, k] -> C[i, j, k] }",
    "write { S[i, j, k] -> C[i, j, k] }",
    NULL,
};

/* In place: C[i][j] += C[i][k] * C[k][j], k outermost. */
static const char *const in_place[] = {
    "context [n] -> { : n >= 1 }",
    "array [n] -> { C[i, j] : 0 <= j < n }",
    "stmt [n] -> { S[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }",
    "read { S[i, j, k] -> C[i, j] }",
    "read { S[i, j, k] -> C[i, k] }",
    "read { S[i, j, k] -> C[k, j] }",
    "write { S[i, j, k] -> C[i, j] }",
    NULL,
};

static const char *const may_write[] = {
    "context [n] -> { : n >= 1 }",
    "array [n] -> { C[i, j] : 0 <= j < n }",
    "stmt [n] -> { S[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }",
    "read { S[i, j, k] -> C[i, j] }",
    "may { S[i, j, k] -> C[i, j] }",
    NULL,
};

/* What says whether an instance does anything is one for all j, or for all of i; or moves with j; or is what is written. */
static const char *const guarded[] = {
    "context [n] -> { : n >= 1 }",           "array [n] -> { C[i, j] : 0 <= j < n }",
    "array [n] -> { G[i, j] : 0 <= j < n }", "stmt [n] -> { S[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }",
    "guard { S[i, j, k] -> G[i, k] }",       "read { S[i, j, k] -> C[i, j] }",
    "may { S[i, j, k] -> C[i, j] }",         NULL,
};

static const char *const guarded_lanes[] = {
    "context [n] -> { : n >= 1 }",
    "array [n] -> { C[i, j] : 0 <= j < n }",
    "array [n] -> { G[i, j] : 0 <= j < n }",
    "stmt [n] -> { S[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }",
    "guard { S[i, j, k] -> G[i, k] }",
    "guard { S[i, j, k] -> G[k, j] }",
    "read { S[i, j, k] -> C[i, j] }",
    "may { S[i, j, k] -> C[i, j] }",
    NULL,
};

static const char *const guarded_by_itself[] = {
    "context [n] -> { : n >= 1 }",
    "array [n] -> { C[i, j] : 0 <= j < n }",
    "stmt [n] -> { S[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }",
    "guard { S[i, j, k] -> C[i, k] }",
    "read { S[i, j, k] -> C[i, j] }",
    "may { S[i, j, k] -> C[i, j] }",
    NULL,
};

static const char *const two_writes[] = {
    "context [n] -> { : n >= 1 }",           "array [n] -> { C[i, j] : 0 <= j < n }",
    "array [n] -> { D[i, j] : 0 <= j < n }", "stmt [n] -> { S[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }",
    "read { S[i, j, k] -> C[i, j] }",        "write { S[i, j, k] -> C[i, j] }",
    "write { S[i, j, k] -> D[i, j] }",       NULL,
};

static const char in_order[] =
    "child: { schedule: \"[{ S[i, j, k] -> [(k)] }, { S[i, j, k] -> [(i)] }, { S[i, j, k] -> [(j)] "
    "}]\" }";

/* Trees with a mark: MARK above the band POINTS, below the band AROUND. */
static const struct {
  const char *const *scop;
  const char *around, *mark, *points;
  const char *why; /* part of the message; NULL: the tree is accepted */
} trees[] = {
    {product, "floor(i/2)|floor(j/4)", "registers 2x2x2 over 1 by [0,1,0]", "k|i mod 2|j mod 4", NULL},
    {product, "floor(i/2)|floor(j/4)|floor(k/3)", "registers 2x2x2 over 1 by [0,1,0]", "k mod 3|i mod 2|j mod 4", NULL},
    {product, "floor(i/2)|floor(j/4)|k", "registers 2x2x2 over 0 by [0,1,0]", "i mod 2|j mod 4", NULL},
    {product, "floor(i/2)|floor((i+j)/4)", "registers 2x2x2 over 1 by [0,1,0]", "k|i mod 2|(i+j) mod 4", NULL},
    {product, "floor(i/2)|floor(j/4)", "registers 2x2x2 over 1 by [1,0,0]", "k|i mod 2|j mod 4", "another step"},
    {product, "floor(i/2)|floor(j/4)", "registers 2x2x2 over 1 by [0,2,0]", "k|i mod 2|j mod 4", "another step"},
    {product, "floor(i/2)|floor(j/4)", "registers 2x2x2 over 1 by [0,-1,0]", "k|i mod 2|j mod 4", "another step"},
    {product, "floor(i/2)|floor(j/4)", "registers 2x2x2 over 1 by [0,1]", "k|i mod 2|j mod 4", "another step"},
    {product, "floor(i/2)|floor(j/4)", "registers 2x2x2 over 1 by [0,1,0,0]", "k|i mod 2|j mod 4", "another step"},
    {product, "floor(i/2)|floor(j/4)", "registers 1x2x2 over 1 by [0,1,0]", "k|i mod 2|j mod 4", "outside"},
    {product, "floor(i/2)|floor(j/4)", "registers 2x1x2 over 1 by [0,1,0]", "k|i mod 2|j mod 4", "outside"},
    {product, "floor(j/4)", "registers 2x2x2 over 1 by [0,1,0]", "k|i|j mod 4", "outside"},
    {product, "floor(i/2)|floor(j/4)", "registers 2x2x2 over 1 by [0,1,0]", "k|(i mod 2) - 1|j mod 4", "outside"},
    {product, "floor(i/2)|floor(j/4)", "registers 2x2x2 over 2 by [0,1,0]", "k|i mod 2|j mod 4", "stand above"},
    {product, "floor(i/2)|floor(j/4)", "registers 2x2x2 over 0 by [0,1,0]", "k|i mod 2|j mod 4", "stand above"},
    /* one row, along another member */
    {product, "i|floor(j/4)", "registers 1x2x2 over 1 by [0,1,0] along [0,0,1]", "k|0|j mod 4", NULL},
    {product, "i|floor(j/4)", "registers 1x2x2 over 1 by [0,1,0] along [0,0,2]", "k|0|j mod 4", "reduction has another"},
    {product, "i|floor(j/4)", "registers 1x2x2 over 1 by [0,1,0] along [0,0,-1]", "k|0|j mod 4", "reduction has another"},
    {product, "i|floor(j/4)", "registers 1x2x2 over 1 by [0,1,0] along [0,1,0]", "k|0|j mod 4", "reduction has another"},
    {product, "i|floor(j/4)", "registers 1x2x2 over 1 by [0,1,0] along [0,0,1]", "-k|0|j mod 4", "reduction has another"},
    {product, "i|floor(j/4)", "registers 1x2x2 over 1 by [0,1,0] along [0,0,1]", "k|0|j mod 8", "outside"},
    {product, "floor(j/4)", "registers 1x2x2 over 1 by [0,1,0] along [0,0,1]", "k|0|j mod 4", "several elements"},
    {product, "i|floor(j/4)", "registers 1x2x2 over 1 by [0,1,0] along [0,0,1]", "k|j mod 4", "stand above"},
    /* rows of k share elements */
    {product, "i|floor(k/2)|floor(j/4)", "registers 2x2x2 over 0 by [0,1,0]", "k mod 2|j mod 4", "write one element"},
    {product, "i|floor(j/2)|floor(k/4)", "registers 2x2x2 over 0 by [0,0,1]", "j mod 2|k mod 4", "write one element"},
    {spread, "floor(i/2)|floor(j/4)", "registers 2x2x2 over 1 by [0,1,0]", "k|i mod 2|j mod 4", "several elements"},
    {spread, "floor(i/2)|floor(j/4)|k", "registers 2x2x2 over 0 by [0,1,0]", "i mod 2|j mod 4", NULL},
    {in_place, "k|floor(i/2)|floor(j/4)", "registers 2x2x2 over 0 by [0,1,0]", "i mod 2|j mod 4", "meets the element"},
    {may_write, "floor(i/2)|floor(j/4)", "registers 2x2x2 over 1 by [0,1,0]", "k|i mod 2|j mod 4", "one write"},
    {two_writes, "floor(i/2)|floor(j/4)", "registers 2x2x2 over 1 by [0,1,0]", "k|i mod 2|j mod 4", "one write"},
    {guarded, "floor(i/2)|floor(j/4)", "registers 2x2x2 over 1 by [0,1,0]", "k|i mod 2|j mod 4", NULL},
    {guarded, "floor(k/3)|floor(i/2)|floor(j/4)", "registers 2x2x2 over 1 by [0,1,0]", "k mod 3|i mod 2|j mod 4", NULL},
    {guarded, "floor(j/2)|floor(i/4)", "registers 2x2x2 over 1 by [1,0,0]", "k|j mod 2|i mod 4", "other guards"},
    {guarded_lanes, "floor(i/2)|floor(j/4)", "registers 2x2x2 over 1 by [0,1,0]", "k|i mod 2|j mod 4", "other guards"},
    {guarded_by_itself, "floor(i/2)|floor(j/4)|k", "registers 2x2x2 over 0 by [0,1,0]", "i mod 2|j mod 4",
     "meets the element"},
};

/* The partial schedule of members MEMBERS, separated by |. */
static char *partial(const char *members)
{
  char *text = calloc(1, 1024), *copy = strdup(members), *at = text;
  at += sprintf(at, "[");
  for (char *member = strtok(copy, "|"); member; member = strtok(NULL, "|"))
    at += sprintf(at, "%s{ S[i, j, k] -> [(%s)] }", at == text + 1 ? "" : ", ", member);
  sprintf(at, "]");
  free(copy);
  return text;
}

static void check_tree(struct tsr_scop *scop, const char *body, const char *expected)
{
  char *why = NULL;
  isl_schedule *tree = scop_tree(scop, body);
  CHECK(tree);
  isl_bool legal = tsr_check_schedule(scop, tree, &why);
  if (legal != isl_bool_ok(!expected) || (expected && (!why || !strstr(why, expected)))) {
    fprintf(stderr, "%s\n  got %s, expected %s\n", body, why ? why : "legal", expected ? expected : "legal");
    CHECK(false);
  }
  n_checks++;
  free(why);
  isl_schedule_free(tree);
}

static void test_trees(isl_ctx *ctx)
{
  for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
    struct tsr_scop *scop = scop_build(ctx, "product", trees[i].scop, in_order);
    char *around = partial(trees[i].around), *points = partial(trees[i].points), body[2048];
    snprintf(body, sizeof(body), "child: { schedule: \"%s\", child: { mark: \"%s\", child: { schedule: \"%s\" } } }", around,
             trees[i].mark, points);
    check_tree(scop, body, "stand above"); /* not a statement for vectors */
    scop->stmts[0].vector_bytes = 8;
    check_tree(scop, body, trees[i].why);
    free(around);
    free(points);
    tsr_scop_free(scop);
  }
}

/* Marks of edges above a band of i, k, j. */
static const struct {
  const char *const *scop;
  const char *mark, *why;
} edges[] = {
    {product, "edges", NULL},
    {product, "edges: S x4 by [0,1,0]", NULL},
    {product, "edges: T x4 by [0,1,0]", "can't be a vector"},
    {product, "edges: S x4 by [0,1]", "can't be a vector"},
    {product, "edges: S x4 by [0,0,1]", "aren't vectors"}, /* one element for all */
    {product, "edges: S x4 by [0,-1,0]", "aren't vectors"},
    {product, "edges: S x4 by [0,4,0]", NULL}, /* a few elements on */
    {product, "edges: S x4 by [0,5,0]", "aren't vectors"},
    {parts, "edges: S x4 by [0,1,0]", NULL},
    {parts, "edges: S x4 by [0,2,0]", NULL},
    {parts, "edges: S x4 by [0,3,0]", "aren't vectors"}, /* six elements on */
    {parts_in_place, "edges: S x4 by [0,1,0]", "meets the element"},
    {product, "edges: S x4 by [1,0,0]", "aren't vectors"},
    {in_place, "edges: S x4 by [0,1,0]", "meets the element"},
    {may_write, "edges: S x4 by [0,1,0]", "can't be a vector"},
    {two_writes, "edges: S x4 by [0,1,0]", "can't be a vector"},
    {guarded, "edges: S x4 by [0,1,0]", NULL},
    {guarded_lanes, "edges: S x4 by [0,1,0]", "aren't vectors"},
    {guarded_by_itself, "edges: S x4 by [0,1,0]", "meets the element"},
};

static void test_edges(isl_ctx *ctx)
{
  for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++) {
    struct tsr_scop *scop = scop_build(ctx, "product", edges[i].scop, in_order);
    char *points = partial("i|k|j"), body[1024];
    snprintf(body, sizeof(body), "child: { mark: \"%s\", child: { schedule: \"%s\" } }", edges[i].mark, points);
    if (edges[i].why)
      check_tree(scop, body, "can't be a vector");
    scop->stmts[0].vector_bytes = 8;
    check_tree(scop, body, edges[i].why);
    free(points);
    tsr_scop_free(scop);
  }
}

/* The loop of an AST of PLACE { S[i, j, k] -> [t] }, below a mark of edges, that runs S: are its iterations lanes by
 * [0,1,0]? */
static void test_edge_loop(isl_ctx *ctx, const char *place, bool expected)
{
  isl_union_map *schedule = isl_union_map_read_from_str(ctx, place);
  isl_ast_build *build = isl_ast_build_alloc(ctx);
  isl_ast_node *node = isl_ast_build_node_from_schedule_map(build, schedule), *user = NULL;
  struct tsr_edges all = {1, {{.stmt = "S", .lanes = 8, .n_dim = 3, .step = {0, 1, 0}}}};
  const struct tsr_edge_stmt *edge;
  CHECK(tsr_edge_loop_read(node, &all, &edge, &user) == expected && !!user == expected && !!edge == expected);
  isl_ast_node_free(user);
  isl_ast_node_free(node);
  isl_ast_build_free(build);
}

static void test_edge_loops(isl_ctx *ctx)
{
  test_edge_loop(ctx, "{ S[3, j, 5] -> [j] : 0 <= j < 100 }", true);
  test_edge_loop(ctx, "{ S[3, j, 5] -> [j + 7] : 0 <= j < 100 }", true);
  test_edge_loop(ctx, "{ T[3, j, 5] -> [j] : 0 <= j < 100 }", false);
  test_edge_loop(ctx, "{ S[3, j, 5] -> [-j] : 0 <= j < 100 }", false);
  test_edge_loop(ctx, "{ S[3, j, 5] -> [j] : 0 <= j < 100 and j mod 2 = 0 }", false);
  test_edge_loop(ctx, "{ S[3, j, j] -> [j] : 0 <= j < 100 }", false);
  test_edge_loop(ctx, "{ S[3, 5, k] -> [k] : 0 <= k < 100 }", false);
  test_edge_loop(ctx, "{ S[i, j, 5] -> [i, j] : 0 <= i < 100 and 0 <= j < 100 }", false);
  test_edge_loop(ctx, "{ S[3, j, 5] -> [i] : 0 <= i < 100 and j = floor(i/2) }", false);
}

/* Marks at wrong places. */
static void test_places(isl_ctx *ctx)
{
  static const char *const bodies[] = {
      /* above a sequence, with a band below its own */
      "child: { mark: \"registers 2x2x2 over 1 by [0,1,0]\", child: { sequence: [ { filter: \"{ S[i, j, k] : i < 2 "
      "}\", "
      "child: { schedule: \"[{ S[i, j, k] -> [(k)] }, { S[i, j, k] -> [(i)] }, { S[i, j, k] -> [(j)] }]\" } }, { filter: "
      "\"{ "
      "S[i, j, k] : i >= 2 }\", child: { schedule: \"[{ S[i, j, k] -> [(k)] }, { S[i, j, k] -> [(i)] }, { S[i, j, k] -> "
      "[(j)] }]\" } } ] } }",
      "child: { schedule: \"[{ S[i, j, k] -> [(floor(i/2))] }, { S[i, j, k] -> [(floor(j/4))] }]\", child: { mark: "
      "\"registers 2x2x2 over 0 by [0,1,0]\", child: { schedule: \"[{ S[i, j, k] -> [(i mod 2)] }, { S[i, j, k] -> [(j "
      "mod 4)] }]\", child: { schedule: \"[{ S[i, j, k] -> [(k)] }]\" } } } }",
  };
  struct tsr_scop *scop = scop_build(ctx, "product", product, in_order);
  scop->stmts[0].vector_bytes = 8;
  for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
    check_tree(scop, bodies[i], "stand above");
  tsr_scop_free(scop);
}

/* Trees with a mark of packing PACK between AROUND and the bands BETWEEN (separated by /; : stands for a division), which
 * stand around a register tile of POINTS. */
static const struct {
  const char *const *scop;
  const char *around, *pack, *between, *points;
  const char *why; /* as above */
} packs[] = {
    {product, "floor(i/8)|floor(k/4)|floor(j/4)", "pack 2 of S in 1x4x4 by vector along neighbours",
     "floor(i:2)-4*floor(i:8)", "k mod 4|i mod 2|j mod 4", NULL},
    {product, "floor(i/8)|floor(k/4)", "pack 1 of S in 4x4x2 by row along reduction", "floor(j:4)/floor(i:2)-4*floor(i:8)",
     "k mod 4|i mod 2|j mod 4", NULL},
    /* too small for vectors, for the reduction, for the tiles of rows; unlimited */
    {product, "floor(i/8)|floor(k/4)|floor(j/4)", "pack 2 of S in 1x4x3 by vector along neighbours",
     "floor(i:2)-4*floor(i:8)", "k mod 4|i mod 2|j mod 4", "is used beyond its elements"},
    {product, "floor(i/8)|floor(k/4)|floor(j/4)", "pack 2 of S in 1x3x4 by vector along neighbours",
     "floor(i:2)-4*floor(i:8)", "k mod 4|i mod 2|j mod 4", "is used beyond its elements"},
    {product, "floor(i/8)|floor(k/4)", "pack 1 of S in 3x4x2 by row along reduction", "floor(j:4)/floor(i:2)-4*floor(i:8)",
     "k mod 4|i mod 2|j mod 4", "is used beyond its elements"},
    {product, "floor(i/8)|floor(j/4)", "pack 2 of S in 1x9x4 by vector along neighbours", "floor(i:2)-4*floor(i:8)",
     "k|i mod 2|j mod 4", "is used beyond its elements"},
    /* of another role; a block of k left out */
    {product, "floor(i/8)|floor(k/4)|floor(j/4)", "pack 1 of S in 1x4x4 by vector along neighbours",
     "floor(i:2)-4*floor(i:8)", "k mod 4|i mod 2|j mod 4", "reads from a buffer what was fetched from another element"},
    {product, "floor(i/8)|floor(j/4)", "pack 2 of S in 1x4x4 by vector along neighbours",
     "floor(k:4)/floor(i:2)-4*floor(i:8)", "k mod 4|i mod 2|j mod 4", "is written in no order"},
    {product, "floor(i/8)|floor(k/4)", "pack 2 of S in 4x4x2 by row along row", "floor(j:4)/floor(i:2)-4*floor(i:8)",
     "k mod 4|i mod 2|j mod 4", "reads from a buffer what was fetched from another element"},
    /* below the loop over the vector's blocks; along other loops */
    {product, "floor(i/8)|floor(k/4)|floor(j/4)", "pack 1 of S in 4x4x2 by row along row", "floor(i:2)-4*floor(i:8)",
     "k mod 4|i mod 2|j mod 4", "is read where nobody has written it in this life"},
    {product, "floor(i/8)|floor(k/4)", "pack 1 of S in 4x4x2 by row along neighbours", "floor(j:4)/floor(i:2)-4*floor(i:8)",
     "k mod 4|i mod 2|j mod 4", NULL},
    {product, "floor(i/8)|floor(k/4)|floor(j/4)", "pack 2 of S in 1x4x4 by vector along reduction",
     "floor(i:2)-4*floor(i:8)", "k mod 4|i mod 2|j mod 4", NULL},
    {product, "floor(i/8)|floor(k/4)|floor(j/4)", "pack 2 of S in 1x4x4 by vector along vector", "floor(i:2)-4*floor(i:8)",
     "k mod 4|i mod 2|j mod 4", NULL},
    {in_place, "floor(i/8)|floor(k/4)|floor(j/4)", "pack 2 of S in 1x4x4 by vector along neighbours",
     "floor(i:2)-4*floor(i:8)", "k mod 4|i mod 2|j mod 4", "another access meets the element that is written"},
    /* no such access, a write, no such statement, no such role */
    {product, "floor(i/8)|floor(k/4)|floor(j/4)", "pack 4 of S in 1x4x4 by vector along neighbours",
     "floor(i:2)-4*floor(i:8)", "k mod 4|i mod 2|j mod 4", "names what is no read"},
    {product, "floor(i/8)|floor(k/4)|floor(j/4)", "pack 3 of S in 1x4x4 by vector along neighbours",
     "floor(i:2)-4*floor(i:8)", "k mod 4|i mod 2|j mod 4", "names what is no read"},
    {product, "floor(i/8)|floor(k/4)|floor(j/4)", "pack 2 of T in 1x4x4 by vector along neighbours",
     "floor(i:2)-4*floor(i:8)", "k mod 4|i mod 2|j mod 4", "names what is no read"},
    {product, "floor(i/8)|floor(k/4)|floor(j/4)", "pack 2 of S in 2x4x4 by vector along neighbours",
     "floor(i:2)-4*floor(i:8)", "k mod 4|i mod 2|j mod 4", "a mark that is none of"},
    {product, "floor(i/8)|floor(k/4)|floor(j/4)", "pack 2 of S in 1x4x4 by column along neighbours",
     "floor(i:2)-4*floor(i:8)", "k mod 4|i mod 2|j mod 4", "a mark that is none of"},
};

/* Is the program that the tree of BODY stands for right, its packed operands being arrays? */
static void check_packs(struct tsr_scop *scop, const char *body, const char *expected)
{
  char *why = NULL;
  isl_schedule *tree = scop_tree(scop, body);
  CHECK(tree);
  struct tsr_program *program = tsr_tree_pack(scop, tree);
  isl_bool legal = program ? tsr_check_program(program, TSR_STRICT, &why) : tsr_check_schedule(scop, tree, &why);
  const char *got = why ? why : program ? "packed" : "as it was";
  if (legal != isl_bool_ok(!why) || !strstr(got, expected)) {
    fprintf(stderr, "%s\n  got %s, expected %s\n", body, got, expected);
    CHECK(false);
  }
  n_checks++;
  free(why);
  tsr_program_free(program);
  isl_schedule_free(tree);
}

static void test_packs(isl_ctx *ctx)
{
  for (size_t i = 0; i < sizeof(packs) / sizeof(packs[0]); i++) {
    struct tsr_scop *scop = scop_build(ctx, "product", packs[i].scop, in_order);
    char body[4096], *at = body, *end = NULL, *members = partial(packs[i].around), *bands = strdup(packs[i].between);
    scop->stmts[0].vector_bytes = 8;
    at += sprintf(at, "child: { schedule: \"%s\", child: { mark: \"%s\", ", members, packs[i].pack);
    free(members);
    int n = 2;
    for (char *band = strtok_r(bands, "/", &end); band; band = strtok_r(NULL, "/", &end), n++) {
      for (char *c = strchr(band, ':'); c; c = strchr(c, ':'))
        *c = '/';
      members = partial(band);
      at += sprintf(at, "child: { schedule: \"%s\", ", members);
      free(members);
    }
    members = partial(packs[i].points);
    at += sprintf(at, "child: { mark: \"registers 2x2x2 over 1 by [0,1,0]\", child: { schedule: \"%s\" } }", members);
    free(members);
    for (int k = 0; k < n; k++)
      at += sprintf(at, " }");
    check_packs(scop, body, packs[i].why ? packs[i].why : "packed");
    free(bands);
    tsr_scop_free(scop);
  }
}

/* What an instance takes in a tree of SCOP with MARK between the bands AROUND and POINTS. */
static double rate_of(struct tsr_scop *scop, const char *around, const char *mark, const char *points)
{
  char *above = partial(around), *below = partial(points), body[2048];
  double rate = -1;
  snprintf(body, sizeof(body), "child: { schedule: \"%s\", child: { mark: \"%s\", child: { schedule: \"%s\" } } }", above,
           mark, below);
  isl_schedule *tree = tsr_tree_adopt_marks(scop_tree(scop, body), scop);
  CHECK(tree && tsr_tree_rates(scop, tree, true, &rate, NULL) == isl_stat_ok);
  isl_schedule_free(tree);
  free(above);
  free(below);
  return rate;
}

/* The estimate sees a tile's rows, vectors and operands in the tree; of marks that can't be, no more than statements. */
static void test_rates(isl_ctx *ctx)
{
  static const struct tsr_operand operand[] = {
      {.held = true}, {.by_row = true, .lie = TSR_LANES_NEXT}, {.by_vector = true, .lie = TSR_LANES_NEXT}, {.held = true}};
  static const char *const wrong[] = {"registers 2x2x2 over 7 by [0,1,0]", "registers 2x2x2 over 1 by [0,1]",
                                      "registers 2x2x2 over 1 by [0,1,0,0]", "registers 2x99x2 over 1 by [0,1,0]"};
  struct tsr_scop *scop = scop_build(ctx, "product", product, in_order);
  struct tsr_stmt *stmt = &scop->stmts[0];
  struct tsr_register_tile tile = {.rows = 2, .vectors = 2, .lanes = 2}, large = {.rows = 4, .vectors = 2, .lanes = 2};
  stmt->vector_bytes = 8;
  stmt->weight = 2;
  double held = tsr_issue_held(&scop->machine, &tile) / ASSUMED_PARAMETER; /* for each step of k */
  double small_rate = tsr_issue_tile(&scop->machine, stmt, &tile, operand) + held;
  double large_rate = tsr_issue_tile(&scop->machine, stmt, &large, operand) + held;
  CHECK(small_rate > 0 && large_rate > 0 && large_rate < small_rate);
  CHECK(fabs(rate_of(scop, "floor(i/2)|floor(j/4)", "registers 2x2x2 over 1 by [0,1,0]", "k|i mod 2|j mod 4") - small_rate) <
        1e-9);
  CHECK(fabs(rate_of(scop, "floor(i/4)|floor(j/4)", "registers 4x2x2 over 1 by [0,1,0]", "k|i mod 4|j mod 4") - large_rate) <
        1e-9);
  for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
    CHECK(rate_of(scop, "floor(i/2)|floor(j/4)", wrong[i], "k|i mod 2|j mod 4") == tsr_issue_alone(stmt));
  CHECK(isl_ctx_last_error(ctx) == isl_error_none);
  tsr_scop_free(scop);
}

int main(void)
{
  isl_ctx *ctx = isl_ctx_alloc();
  isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
  test_trees(ctx);
  test_places(ctx);
  test_edges(ctx);
  test_edge_loops(ctx);
  test_packs(ctx);
  test_rates(ctx);
  isl_ctx_free(ctx);
  printf("%d checks\n", n_checks);
  return 0;
}
