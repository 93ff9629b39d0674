/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Marks: the text of each kind and back, texts that are none, one id for one mark, what names stand for. */
#include "cost/cost.h"
#include "scops.h"
#include "tree/tree.h"
#include <isl/id.h>
#include <isl/options.h>

/* ---- text ---- */

static const char *const texts[] = {
    "parallel",
    "doacross",
    "steps",
    "vector",
    "registers 4x2x8 over 3 by [0,-1,12]",
    "registers 1x1x2 over 0 by [1]",
    "registers 1x2x8 over 1 by [1,0] along [0,-1]",
    "registers 4x2x8 over 1 by [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]",
    "edges",
    "edges: S x8 by [0,1]",
    "edges: S x8 by [0,1], T2 x16 by [-1,0,3]",
    "pack 2 of S in 1x4x16 by vector along neighbours",
    "pack 0 of S_3 in 1x4x16 by vector along vector",
    "pack 1 of S in 24x256x4 by row along reduction",
    "pack 1 of S in 24x256x4 by row along row",
    "panel of A, 48 columns",
    "lockstep 2x8",
    "lockstep 1x2",
    "allocate P",
    "allocate P, Q",
    "strips",
    "rows",
    "interleave 4",
    "chain",
    "concurrent-start",
    "rare",
    "preload",
    "stream",
    "kernel 0",
    "kernel 3",
    "kernel 2 of 16x16",
    "kernel 1 of 8x32",
    "threads 1 of 256",
    "threads 3 of 2x4x32",
    "unroll 1 of 8",
    "unroll 3 of 8x2x4 free",
};

static const char *const broken[] = {
    "",
    " ",
    "nothing",
    "parallelly",
    "parallel ",
    "parallel A",
    "allocate A,",
    "allocate A, ",
    "allocate A,B",
    "allocate A B",
    "allocate , A",
    "rare 3",
    "preload A",
    "stream 2",
    "doacross 1",
    "steps of A",
    "vector ",
    "vectors",
    "strips 3",
    "rows 3",
    "chain: 1",
    "concurrent",
    "concurrent-start 1",
    "registers",
    "registers ",
    "registers 4x2x8",
    "registers 4x2x8 over 1",
    "registers 4x2x8 over 1 by [0,1,0",
    "registers 4x2x8 over 1 by [0,1,0] at",
    "registers 4x2x8 over 1 by [0,1,0] at 1",
    "registers 4x2x8 over 1 by [0,x,0]",
    "registers 4x2x8 over 1 by [0,1,0] ",
    "registers 4x2x8 over 1 by [0,1,]",
    "registers 0x2x8 over 1 by [0,1,0]",
    "registers 4x0x8 over 1 by [0,1,0]",
    "registers 4x2x0 over 1 by [0,1,0]",
    "registers -4x2x8 over 1 by [0,1,0]",
    "registers 4x2x8 over -1 by [0,1,0]",
    "registers 4x2 over 1 by [0,1,0]",
    "registers 4x2x8 over x by [0,1,0]",
    "registers 4x2x99999999999 over 1 by [0,1,0]",
    "registers 4x2x8 over 1 by [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]",
    "registers 1x2x8 over 1 by [1,0] along at 1",
    "registers 1x2x8 over 1 by [1,0] along [0,1 at 1",
    "registers 1x2x8 over 1 by [1,0] along [0,1,0]",
    "registers 1x2x8 over 1 by [1,0] along [1]",
    "registers 1x2x8 over 0 by [1,0] along [0,1]",
    "registers 1x2x8 over 1 along [0,1] by [1,0]",
    "edge",
    "edges:",
    "edges: ",
    "edges S x8 by [0,1]",
    "edges: S",
    "edges: S x8",
    "edges: S x1 by [0,1]",
    "edges: S x8 by [0,1",
    "edges: S x8 by [0,1],",
    "edges: S x8 by [0,1]; T x8 by [0,1]",
    "edges: S x8 by [0,1] at 1",
    "edges over 3: S x8 by [0,1]",
    "edges: S234567890123456789012345678901234567890123456789012345678901234567890 x8 by [0,1]",
    "pack",
    "pack 2 of S",
    "pack -1 of S in 1x4x16 by vector along neighbours",
    "pack 2 of S in 2x4x16 by vector along neighbours",
    "pack 2 of S in 1x4 by vector along neighbours",
    "pack 2 of S in 1x4x0 by vector along neighbours",
    "pack 2 of S in 1x4x99999 by vector along neighbours",
    "pack 2 of S in 1x4x16 by column along neighbours",
    "pack 2 of S in 1x4x16 by vector along row",
    "pack 2 of S in 1x4x16 by row along vector",
    "pack 2 of S in 1x4x16 by vector along neighbours too",
    "panel",
    "panel of A",
    "panel of A, 0 columns",
    "panel of A, 48",
    "panel of A, 48 columns ",
    "panel of A B, 48 columns",
    "panel of , 48 columns",
    "lockstep",
    "lockstep ",
    "lockstep 2",
    "lockstep 2x",
    "lockstep 2x4x8",
    "lockstep 2x4 ",
    "lockstep 0x4",
    "lockstep 5x4",
    "lockstep -1x4",
    "lockstep 1x1",
    "lockstep 1x3",
    "lockstep 1x32",
    "lockstep ax4",
    "allocate",
    "allocate ",
    "allocate P,",
    "allocate P Q",
    "kernel",
    "kernel -1",
    "kernel 4",
    "kernel 2 x",
    "kernel 0 of 16",
    "kernel 2 of",
    "kernel 2 of 16x",
    "kernel 2 of 0x16",
    "kernel 2 of 2x2x2x2",
    "kernel 2 of 16x16 free",
    "threads 2",
    "threads 0 of 16",
    "threads 2 of 16",
    "threads 2 of 16x16 free",
    "unroll 2 of 4x4 freely",
    "unroll 2 of 4x4free",
    "interleave",
    "interleave 0",
    "interleave 4 at ",
    "interleave 4 cycles",
};

#define N_TEXT (sizeof(texts) / sizeof(*texts))

static void test_texts(void)
{
  bool seen[TSR_N_MARK] = {false};
  for (size_t i = 0; i < N_TEXT; i++) {
    struct tsr_mark *mark = tsr_mark_read(texts[i]);
    char *again = mark ? tsr_mark_write(mark) : NULL;
    bool same = again && !strcmp(again, texts[i]);
    if (!same)
      fprintf(stderr, "\"%s\": %s\n", texts[i], again ? again : "is not read");
    CHECK(same);
    if (mark)
      seen[mark->kind] = true;
    free(again);
    free(mark);
  }
  for (int kind = 0; kind < TSR_N_MARK; kind++)
    CHECK(seen[kind]);
  for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
    struct tsr_mark *mark = tsr_mark_read(broken[i]);
    if (mark)
      fprintf(stderr, "is read: \"%s\"\n", broken[i]);
    CHECK(!mark);
    free(mark);
  }
}

/* What is read is what was meant. */
static void test_payloads(void)
{
  struct tsr_mark *mark = tsr_mark_read("registers 4x2x8 over 3 by [0,-1,12]");
  CHECK(mark->tile.rows == 4 && mark->tile.vectors == 2 && mark->tile.lanes == 8 && mark->tile.n_reduction == 3);
  CHECK(mark->tile.n_dim == 3 && mark->tile.step[0] == 0 && mark->tile.step[1] == -1 && mark->tile.step[2] == 12);
  CHECK(!mark->tile.streams);
  free(mark);
  mark = tsr_mark_read("registers 1x2x8 over 1 by [1,0] along [0,-1]");
  CHECK(mark->tile.streams && mark->tile.n_dim == 2 && mark->tile.step[0] == 1 && mark->tile.along[0] == 0);
  CHECK(mark->tile.along[1] == -1);
  free(mark);
  mark = tsr_mark_read("edges: S x8 by [0,1], T2 x16 by [-1,0,3]");
  const struct tsr_edge_stmt *edge = mark->edges.edge;
  CHECK(mark->edges.n == 2 && !strcmp(edge[0].stmt, "S") && edge[0].lanes == 8 && edge[0].n_dim == 2);
  CHECK(edge[0].step[1] == 1 && !strcmp(edge[1].stmt, "T2") && edge[1].lanes == 16 && edge[1].n_dim == 3);
  CHECK(edge[1].step[0] == -1 && edge[1].step[2] == 3);
  free(mark);
  mark = tsr_mark_read("pack 1 of S in 24x256x4 by row along reduction");
  CHECK(mark->pack.access == 1 && !strcmp(mark->pack.name, "S") && mark->pack.by_row && mark->pack.inner_reduction);
  CHECK(!mark->pack.vector && mark->pack.size[0] == 24 && mark->pack.size[1] == 256 && mark->pack.size[2] == 4);
  free(mark);
  mark = tsr_mark_read("allocate A, B_1, C");
  CHECK(mark->buffers.n == 3 && !strcmp(mark->buffers.name[1], "B_1"));
  CHECK(!strcmp(mark->buffers.name[2], "C"));
  free(mark);
}

/* ---- ids ---- */

static void test_ids(isl_ctx *ctx)
{
  struct tsr_scop *scop = scop_gemm(ctx), *copy = tsr_scop_copy(scop);
  isl_id *id[2 * N_TEXT + 1] = {NULL};
  int n = 0;
  for (size_t i = 0; i < N_TEXT; i++)
    for (int number = 0; number < 2; number++) {
      struct tsr_mark *mark = tsr_mark_read(texts[i]);
      mark->number = number;
      id[n] = tsr_mark_id(scop, mark);
      isl_id *again = tsr_mark_id(copy, mark); /* a program's SCoP shares them */
      CHECK(id[n] && id[n] == again && !strcmp(isl_id_get_name(id[n]), texts[i]));
      const struct tsr_mark *what = tsr_id_mark(id[n]);
      CHECK(what && what->kind == mark->kind && what->number == number && what->depth == 0);
      for (int k = 0; k < n; k++)
        CHECK(id[k] != id[n]);
      mark->depth = 3; /* as in an AST */
      isl_id *deep = tsr_mark_id(scop, mark);
      CHECK(deep != id[n++] && tsr_id_mark(deep)->depth == 3 && tsr_id_mark(deep)->number == number);
      isl_id_free(deep);
      isl_id_free(again);
      free(mark);
    }
  /* Words without a mark of their own are the same as what isl has of the name. */
  isl_id *word = isl_id_alloc(ctx, "vector", NULL), *none = isl_id_alloc(ctx, "registers", NULL);
  const struct tsr_mark vector = {.kind = TSR_MARK_VECTOR};
  isl_id *own = tsr_mark_id(scop, &vector);
  CHECK(word == own && tsr_mark_is(tsr_id_mark(word), TSR_MARK_VECTOR) && !tsr_id_mark(none));
  isl_id_free(own);
  isl_id_free(word);
  isl_id_free(none);
  /* They outlive the SCoP. */
  tsr_scop_free(scop);
  tsr_scop_free(copy);
  for (int i = 0; i < n; i++) {
    CHECK(tsr_id_mark(id[i]) != NULL);
    isl_id_free(id[i]);
  }
}

/* A mark says what its text says: trees that are made, and made of their text, are the same. */
static void test_made(isl_ctx *ctx)
{
  struct tsr_scop *scop = scop_gemm(ctx);
  struct tsr_mark mark = {.kind = TSR_MARK_INTERLEAVE, .interleave = {4}};
  isl_id *id = tsr_mark_id(scop, &mark);
  CHECK(!strcmp(isl_id_get_name(id), "interleave 4") && tsr_id_mark(id)->interleave.chains == 4);
  isl_id_free(id);
  tsr_scop_free(scop);
}

/* ---- trees ---- */

static void test_trees(isl_ctx *ctx)
{
  static const char *const body = "child: { mark: \"lockstep 2x8\", child: { mark: \"vector\", child: { mark: \"lockstep\", "
                                  "child: { schedule: \"[{ S[i, j] -> [(i)]; T[i, j, k] -> [(i)] }]\" } } } }";
  struct tsr_scop *scop = scop_gemm(ctx);
  isl_schedule *read = scop_tree(scop, body), *other = scop_tree(scop, body);
  isl_schedule_node *node = isl_schedule_node_child(isl_schedule_get_root(read), 0);
  CHECK(!tsr_node_mark(node)); /* only a text yet */
  isl_schedule_node_free(node);
  read = tsr_tree_adopt_marks(read, scop);
  other = tsr_tree_adopt_marks(other, scop);
  CHECK(isl_schedule_plain_is_equal(read, other) == isl_bool_true);
  node = isl_schedule_node_child(isl_schedule_get_root(read), 0);
  CHECK(tsr_node_is_mark(node, TSR_MARK_LOCKSTEP) && tsr_node_mark(node)->lockstep.lanes == 8);
  node = isl_schedule_node_child(node, 0);
  CHECK(tsr_node_is_mark(node, TSR_MARK_VECTOR) && !tsr_node_is_for_threads(node));
  node = isl_schedule_node_child(node, 0);
  CHECK(!tsr_node_mark(node)); /* "lockstep" alone is none */
  node = isl_schedule_node_child(node, 0);
  CHECK(!tsr_node_mark(node) && !tsr_node_is_mark(node, TSR_MARK_PARALLEL));
  isl_schedule_node_free(node);
  isl_schedule_free(read);
  isl_schedule_free(other);
  tsr_scop_free(scop);
}

/* ---- what they promise ---- */

#define CHANGES                                                                                                             \
  "array { A[i] }", "array { C[i] }", "scalar x 8 in out", "scalar y 8 out",                                                \
      "stmt { S[j, i] : 0 <= j < 9 and 0 <= i < 9 }", "read { S[j, i] -> x[] }", "read { S[j, i] -> A[i + j] }",            \
      "write { S[j, i] -> x[] }"
#define MARKED "child: { mark: \"rare\", child: { schedule: \"[{ "

/* Blocks of iterations are left out where the only statement of an innermost loop is rare, and nowhere else. */
static void test_rare(isl_ctx *ctx)
{
  static const char *const good[] = {CHANGES, "write { S[j, i] -> y[] }", "rare", NULL},
                           *const often[] = {CHANGES, "write { S[j, i] -> y[] }", NULL},
                           *const stores[] = {CHANGES, "write { S[j, i] -> C[i] }", "rare", NULL},
                           *const two[] = {CHANGES,
                                           "rare",
                                           "stmt { T[j, i] : 0 <= j < 9 and 0 <= i < 9 }",
                                           "read { T[j, i] -> x[] }",
                                           "write { T[j, i] -> y[] }",
                                           "rare",
                                           NULL};
  static const char in_order[] = "child: { schedule: \"[{ S[j, i] -> [(j)] }, { S[j, i] -> [(i)] }]\" }";
  static const char one_by_one[] = "child: { schedule: \"[{ S[j, i] -> [(9 j + i)]; T[j, i] -> [(9 j + i)] }]\", child: { "
                                   "sequence: [ { filter: \"{ S[j, i] }\" }, { filter: \"{ T[j, i] }\" } ] } }";
  static const char inner[] = "child: { schedule: \"[{ S[j, i] -> [(j)] }]\", " MARKED "S[j, i] -> [(i)] }]\" } } }";
  static const char both[] = MARKED "S[j, i] -> [(9 j + i)]; T[j, i] -> [(9 j + i)] }]\", child: { sequence: [ { filter: "
                                    "\"{ S[j, i] }\" }, { filter: \"{ T[j, i] }\" } ] } } }";
  static const struct {
    const char *const *scop;
    const char *body;
    bool good;
  } claims[] = {{good, inner, true},
                {good, "child: { schedule: \"[{ S[j, i] -> [(9 j + i)] }]\" }", true},
                {good, MARKED "S[j, i] -> [(j)] }]\", child: { schedule: \"[{ S[j, i] -> [(i)] }]\" } } }", false},
                {good, MARKED "S[j, i] -> [(j)] }, { S[j, i] -> [(i)] }]\" } }", false},
                {often, inner, false},
                {stores, inner, false},
                {two, both, false}};
  for (size_t i = 0; i < sizeof(claims) / sizeof(*claims); i++) {
    char *why = NULL;
    struct tsr_scop *scop = scop_build(ctx, "f", claims[i].scop, claims[i].scop == two ? one_by_one : in_order);
    isl_schedule *tree = scop_tree(scop, claims[i].body);
    CHECK(tsr_check_schedule(scop, tree, &why) == isl_bool_ok(claims[i].good));
    free(why);
    why = NULL;
    isl_schedule *marked = tsr_tree_mark_rare(isl_schedule_copy(scop->schedule), scop);
    CHECK((marked != NULL) == (claims[i].scop == good || claims[i].scop == stores));
    CHECK(!marked || tsr_check_schedule(scop, marked, &why) == isl_bool_ok(claims[i].scop == good));
    isl_schedule_free(marked);
    isl_schedule_free(tree);
    tsr_scop_free(scop);
    free(why);
  }
}

#define LOADED "child: { mark: \"preload\", child: { schedule: \"[{ "

/* Reads come first where no statement reads what the same iteration has written. */
static void test_preload(isl_ctx *ctx)
{
  static const char *const good[] = {"array { A[i] }",
                                     "array { B[i] }",
                                     "stmt { S[i] : 0 <= i < 9 }",
                                     "read { S[i] -> B[i] }",
                                     "write { S[i] -> A[i] }",
                                     "stmt { T[i] : 0 <= i < 9 }",
                                     "read { T[i] -> A[i + 1] }",
                                     "write { T[i] -> B[i] }",
                                     NULL};
  static const char *const passes[] = {"array { A[i] }",
                                       "array { B[i] }",
                                       "stmt { S[i] : 0 <= i < 9 }",
                                       "write { S[i] -> A[i] }",
                                       "stmt { T[i] : 0 <= i < 9 }",
                                       "read { T[i] -> A[i] }",
                                       "read { T[i] -> A[i + 1] }",
                                       "write { T[i] -> B[i] }",
                                       NULL};
  static const char *const itself[] = {"array { A[i] }",
                                       "array { B[i] }",
                                       "stmt { S[i] : 0 <= i < 9 }",
                                       "write { S[i] -> A[8 - i] }",
                                       "read { S[i] -> A[i] }",
                                       "write { S[i] -> B[i] }",
                                       NULL};
  static const char *const scalar[] = {"array { A[i] }",        "scalar x 8 out",        "stmt { S[i] : 0 <= i < 9 }",
                                       "read { S[i] -> A[i] }", "write { S[i] -> x[] }", NULL};
  static const char two[] = "S[i] -> [(i)]; T[i] -> [(i)] }]\", child: { sequence: [ { filter: \"{ S[i] }\" }, { filter: "
                            "\"{ T[i] }\" } ] } }";
  static const char one[] = "S[i] -> [(i)] }]\" }";
  static const struct {
    const char *const *scop;
    const char *loop;
    bool legal, marked;
  } claims[] = {
      {good, two, true, true}, {passes, two, false, false}, {itself, one, false, false}, {scalar, one, false, false}};
  for (size_t i = 0; i < sizeof(claims) / sizeof(*claims); i++) {
    char *why = NULL, order[512], body[512];
    snprintf(order, sizeof(order), "child: { schedule: \"[{ %s", claims[i].loop);
    snprintf(body, sizeof(body), LOADED "%s }", claims[i].loop);
    struct tsr_scop *scop = scop_build(ctx, "f", claims[i].scop, order);
    isl_schedule *tree = scop_tree(scop, body);
    CHECK(tsr_check_schedule(scop, tree, &why) == isl_bool_ok(claims[i].legal));
    static const long none[1];
    char *wrong = NULL; /* the interpreter finds the same, but for the SCALAR array, which lanes would share */
    isl_ast_node *ast = tsr_ast_build(scop, tree);
    isl_bool same = tsr_interp_compare(scop, ast, none, 1000, &wrong);
    CHECK(same == isl_bool_ok(claims[i].legal || claims[i].scop == scalar));
    CHECK((wrong != NULL) == (same == isl_bool_false));
    free(wrong);
    isl_ast_node_free(ast);
    isl_schedule *marked = tsr_tree_mark_preloads(isl_schedule_copy(scop->schedule), scop);
    CHECK((marked != NULL) == claims[i].marked);
    isl_schedule_free(marked);
    isl_schedule_free(tree);
    tsr_scop_free(scop);
    free(why);
  }
}

#define STREAMED "child: { mark: \"stream\", child: { schedule: \"[{ "

/* Stores go past the caches in loops for vectors of one statement, for which no other thread waits. */
static void test_stream(isl_ctx *ctx)
{
  static const char *const copy[] = {"array { A[i, j] }",
                                     "array { B[i, j] }",
                                     "stmt { S[i, j] : 0 <= i < 9 and 0 <= j < 9 }",
                                     "read { S[i, j] -> B[i, j] }",
                                     "write { S[i, j] -> A[i, j] }",
                                     NULL};
  static const char *const again[] = {"array { A[i, j] }", "stmt { S[i, j] : 0 <= i < 9 and 0 <= j < 9 }",
                                      "read { S[i, j] -> A[i, j + 1] }", "write { S[i, j] -> A[i, j] }", NULL};
  static const char *const both[] = {"array { A[i, j] }",
                                     "array { B[i, j] }",
                                     "stmt { S[i, j] : 0 <= i < 9 and 0 <= j < 9 }",
                                     "write { S[i, j] -> A[i, j] }",
                                     "stmt { T[i, j] : 0 <= i < 9 and 0 <= j < 9 }",
                                     "write { T[i, j] -> B[i, j] }",
                                     NULL};
  static const char rows[] = "child: { schedule: \"[{ S[i, j] -> [(i)] }]\", " STREAMED "S[i, j] -> [(j)] }]\" } } }";
  static const char whole[] = STREAMED "S[i, j] -> [(i)] }]\", child: { schedule: \"[{ S[i, j] -> [(j)] }]\" } } }";
  static const char waits[] = "child: { mark: \"doacross\", child: { schedule: \"[{ S[i, j] -> [(i)] }, { S[i, j] -> "
                              "[(floor(j/3))] }]\", " STREAMED "S[i, j] -> [(j)] }]\" } } } }";
  static const char at_once[] = "child: { mark: \"parallel\", child: { schedule: \"[{ S[i, j] -> [(i)] }]\", " STREAMED
                                "S[i, j] -> [(j)] }]\" } } } }";
  static const char of_two[] = STREAMED "S[i, j] -> [(9 i + j)]; T[i, j] -> [(9 i + j)] }]\", child: { sequence: [ { "
                                        "filter: \"{ S[i, j] }\" }, { filter: \"{ T[i, j] }\" } ] } } }";
  static const char in_order[] = "child: { schedule: \"[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]\" }";
  static const char one_by_one[] = "child: { schedule: \"[{ S[i, j] -> [(9 i + j)]; T[i, j] -> [(9 i + j)] }]\", child: { "
                                   "sequence: [ { filter: \"{ S[i, j] }\" }, { filter: \"{ T[i, j] }\" } ] } }";
  static const struct {
    const char *const *scop;
    const char *body;
    bool good;
  } claims[] = {{copy, rows, true},    {copy, whole, false}, {copy, waits, false},
                {copy, at_once, true}, {again, rows, false}, {both, of_two, false}};
  for (size_t i = 0; i < sizeof(claims) / sizeof(*claims); i++) {
    char *why = NULL;
    struct tsr_scop *scop = scop_build(ctx, "f", claims[i].scop, claims[i].scop == both ? one_by_one : in_order);
    isl_schedule *tree = scop_tree(scop, claims[i].body);
    CHECK(tsr_check_schedule(scop, tree, &why) == isl_bool_ok(claims[i].good));
    isl_schedule_free(tree);
    tsr_scop_free(scop);
    free(why);
  }
}

/* Which loops are worth it: that write rows of an array which nothing reads, of which there is much. */
static void test_which_streams(isl_ctx *ctx)
{
  static const struct {
    const char *write, *read;
    int least;
    bool marked;
  } claims[] = {{"write { S[i, j] -> A[i, j] }", "read { S[i, j] -> B[j, i] }", 8 * 81, true},
                {"write { S[i, j] -> A[i, j] }", "read { S[i, j] -> B[j, i] }", 8 * 81 + 1, false},
                {"write { S[i, j] -> A[j, i] }", "read { S[i, j] -> B[i, j] }", 0, false},
                {"write { S[i, j] -> A[i, j] }", "read { S[i, j] -> A[i, j] }", 0, false}};
  for (size_t i = 0; i < sizeof(claims) / sizeof(*claims); i++) {
    const char *const lines[] = {"array { A[i, j] : 0 <= i < 9 and 0 <= j < 9 }",
                                 "array { B[i, j] : 0 <= i < 9 and 0 <= j < 9 }",
                                 "stmt { S[i, j] : 0 <= i < 9 and 0 <= j < 9 }",
                                 claims[i].read,
                                 claims[i].write,
                                 NULL};
    struct tsr_scop *scop =
        scop_build(ctx, "f", lines, "child: { schedule: \"[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]\" }");
    scop->stmts[0].vector_bytes = 8;
    scop->machine.stream_bytes = claims[i].least;
    isl_schedule *vectors = tsr_tree_mark_vectors(isl_schedule_copy(scop->schedule), scop);
    isl_schedule *marked = tsr_tree_mark_streams(vectors, scop);
    CHECK((marked != NULL) == claims[i].marked);
    isl_schedule_free(marked);
    tsr_scop_free(scop);
  }
}

/* ---- names ---- */

static void test_names(isl_ctx *ctx)
{
  struct tsr_scop *scop = scop_gemm(ctx);
  isl_size buffer = tsr_scop_add_array(scop, "P", TSR_ARRAY_MEMORY, 8, isl_set_read_from_str(ctx, "{ P[i] }"));
  isl_size other = tsr_scop_add_array(scop, "Q", TSR_ARRAY_MEMORY, 8, isl_set_read_from_str(ctx, "{ Q[i] }"));
  scop->arrays[buffer].space = TSR_SPACE_HEAP;
  scop->arrays[other].space = TSR_SPACE_STACK;
  static const struct {
    const char *text;
    bool good;
  } claims[] = {
      {"parallel", false}, {"allocate Q, P", true}, {"allocate P, D", false}, {"allocate A", false}, {"vector", false}};
  bool array[8];
  for (size_t i = 0; i < sizeof(claims) / sizeof(*claims); i++) {
    struct tsr_mark *mark = tsr_mark_read(claims[i].text);
    CHECK(tsr_mark_arrays(mark, scop, array) == claims[i].good);
    CHECK(i != 1 || (array[buffer] && array[other] && !array[tsr_scop_find_array(scop, "A")]));
    free(mark);
  }
  struct tsr_pack pack;
  struct tsr_panel panel;
  struct tsr_mark *mark = tsr_mark_read("pack 2 of T in 1x4x16 by vector along neighbours");
  CHECK(tsr_mark_pack(mark, scop, &pack) && pack.stmt == 1 && !tsr_mark_panel(mark, scop, &panel));
  mark->pack.access = 3; /* a write */
  CHECK(!tsr_mark_pack(mark, scop, &pack) && !tsr_mark_pack(NULL, scop, &pack));
  free(mark);
  mark = tsr_mark_read("panel of A, 48 columns");
  CHECK(tsr_mark_panel(mark, scop, &panel) && panel.array == tsr_scop_find_array(scop, "A") && panel.columns == 48);
  mark->panel.name = "D";
  CHECK(!tsr_mark_panel(mark, scop, &panel));
  free(mark);
  tsr_scop_free(scop);
}

int main(void)
{
  isl_ctx *ctx = isl_ctx_alloc();
  isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
  test_texts();
  test_payloads();
  test_ids(ctx);
  test_made(ctx);
  test_trees(ctx);
  test_rare(ctx);
  test_preload(ctx);
  test_stream(ctx);
  test_which_streams(ctx);
  test_names(ctx);
  isl_ctx_free(ctx);
  printf("%d checks\n", n_checks);
  return 0;
}
