/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The checker stands alone: this program is linked from the floors support/, model/, marks/, deps/, access/ and check/ and
 * nothing else (test/CMakeLists.txt). So no transformation, and no predicate that one of them asks, can take part in the
 * proof of what it made; a call of one would be an undefined symbol here. */
#include "check/check.h"
#include "scops.h"

/* for i: for j: A[i][j] = A[i - 1][j] */
static const char *const copies[] = {
    "context [n] -> { : n >= 1 }",
    "array [n] -> { A[i, j] : 0 <= j < n }",
    "stmt [n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }",
    "read { S[i, j] -> A[i - 1, j] }",
    "write { S[i, j] -> A[i, j] }",
    NULL,
};

static const char in_order[] = "child: { schedule: \"[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]\" }";

/* The rows of a tree, and whether it is legal. */
static const struct {
  const char *body;
  bool legal;
} trees[] = {
    {"child: { schedule: \"[{ S[i, j] -> [(j)] }, { S[i, j] -> [(i)] }]\" }", true},
    {"child: { schedule: \"[{ S[i, j] -> [(-i)] }, { S[i, j] -> [(j)] }]\" }", false},
    {"child: { mark: \"parallel\", child: { schedule: \"[{ S[i, j] -> [(j)] }]\", child: { schedule: \"[{ S[i, j] -> [(i)] "
     "}]\" } } }",
     true},
    {"child: { mark: \"parallel\", child: { schedule: \"[{ S[i, j] -> [(i)] }]\", child: { schedule: \"[{ S[i, j] -> [(j)] "
     "}]\" } } }",
     false},
    {"child: { mark: \"unheard of\", child: { schedule: \"[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]\" } }", false},
};

int main(void)
{
  isl_ctx *ctx = isl_ctx_alloc();
  struct tsr_scop *scop = scop_build(ctx, "copies", copies, in_order);
  for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
    char *why = NULL;
    isl_schedule *tree = scop_tree(scop, trees[i].body);
    isl_bool legal = tsr_check_schedule(scop, tree, &why);
    CHECK(legal == isl_bool_ok(trees[i].legal) && !why == trees[i].legal);
    isl_schedule_free(tree);
    free(why);
  }
  tsr_scop_free(scop);
  isl_ctx_free(ctx);
  printf("%d checks\n", n_checks);
  return 0;
}
