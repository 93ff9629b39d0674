/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Mutants of what marks say, and of the loops that they say it about: what the interpreter finds wrong, at any of some
 * sizes, the checker must refuse.
 *
 *   base     a SCoP and a legal tree with marks, of each kind that promises something; those of packing become arrays
 *   mutant   one to three changes of the tree's text: a number of a mark or a schedule is another one, a word is another one
 *            of its sort, a mark, or a sign, goes
 *
 * unit_mark_mutation [N [FIRST]]: N mutants from seed FIRST on; a table of what became of them. Where isl makes loops of a
 * legal tree that can't be emitted as what the mark says, nobody emits it: those are counted apart. */
#include "scops.h"
#include "check/check.h"
#include <ctype.h>
#include <isl/options.h>
#include <stdint.h>

enum { LIMIT = 6000, TEXT = 8192, BUDGET = 3000000 };

/* ---- bases ---- */

#define N "context [n] -> { : n >= 1 }"
#define MATRIX(A) "array [n] -> { " #A "[i, j] : 0 <= i < n and 0 <= j < n }"
#define CUBE "{ S[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }"

static const char *const product[] = {N,
                                      MATRIX(A),
                                      MATRIX(B),
                                      MATRIX(C),
                                      "stmt [n] -> " CUBE,
                                      "read { S[i, j, k] -> C[i, j] }",
                                      "read { S[i, j, k] -> A[i, k] }",
                                      "read { S[i, j, k] -> B[k, j] }",
                                      "write { S[i, j, k] -> C[i, j] }",
                                      NULL};
/* An operand is another part of what is written. */
static const char *const in_place[] = {N,
                                       MATRIX(B),
                                       "array [n] -> { C[i, j] : 0 <= i < 2n and 0 <= j < n }",
                                       "stmt [n] -> " CUBE,
                                       "read { S[i, j, k] -> C[i, j] }",
                                       "read [n] -> { S[i, j, k] -> C[k + n, j] }",
                                       "read { S[i, j, k] -> B[k, i] }",
                                       "write { S[i, j, k] -> C[i, j] }",
                                       NULL};
/* Rows of a recurrence; u is set anew in each instance. */
static const char *const rows[] = {"context [n] -> { : n >= 1 and n mod 4 = 0 }",
                                   MATRIX(A),
                                   MATRIX(B),
                                   "scalar u 8",
                                   "stmt [n] -> { S[i, j] : 0 <= i < n and 1 <= j < n }",
                                   "read { S[i, j] -> A[i, j - 1] }",
                                   "read { S[i, j] -> B[j, i] }",
                                   "write { S[i, j] -> u[] }",
                                   "read { S[i, j] -> u[] }",
                                   "write { S[i, j] -> A[i, j] }",
                                   NULL};
/* Column k of Q is done, then all columns of A behind it are changed. */
static const char *const columns[] = {N,
                                      MATRIX(A),
                                      MATRIX(Q),
                                      "stmt [n] -> { T[k, i] : 0 <= k < n and 0 <= i < n }",
                                      "read { T[k, i] -> A[i, k] }",
                                      "write { T[k, i] -> Q[i, k] }",
                                      "stmt [n] -> { U[k, j, i] : 0 <= k < j < n and 0 <= i < n }",
                                      "read { U[k, j, i] -> A[i, j] }",
                                      "read { U[k, j, i] -> Q[i, k] }",
                                      "write { U[k, j, i] -> A[i, j] }",
                                      NULL};
/* The same with no more of them than are in a panel: isl makes no loop of one iteration. */
static const char *const few_columns[] = {"context [n] -> { : 1 <= n <= 8 }",
                                          MATRIX(A),
                                          MATRIX(Q),
                                          "stmt [n] -> { T[k, i] : 0 <= k < n and 0 <= i < n }",
                                          "read { T[k, i] -> A[i, k] }",
                                          "write { T[k, i] -> Q[i, k] }",
                                          "stmt [n] -> { U[k, j, i] : 0 <= k < j < n and 0 <= i < n }",
                                          "read { U[k, j, i] -> A[i, j] }",
                                          "read { U[k, j, i] -> Q[i, k] }",
                                          "write { U[k, j, i] -> A[i, j] }",
                                          NULL};
/* Row i of s is filled, and read, by i; v by each. */
static const char *const sums[] = {N,
                                   MATRIX(A),
                                   MATRIX(s),
                                   "scalar v 8",
                                   "stmt [n] -> { T[i, j] : 0 <= i < n and 0 <= j < n }",
                                   "read { T[i, j] -> A[i, j] }",
                                   "write { T[i, j] -> s[i, j] }",
                                   "stmt [n] -> { V[i] : 0 <= i < n }",
                                   "read { V[i] -> s[i, 0] }",
                                   "write { V[i] -> v[] }",
                                   "stmt [n] -> { U[i, j] : 0 <= i < n and 0 <= j < n }",
                                   "read { U[i, j] -> s[i, j] }",
                                   "read { U[i, j] -> v[] }",
                                   "write { U[i, j] -> A[i, j] }",
                                   NULL};
/* T reads what S overwrites in the next iteration, and what it has written in the one before. */
static const char *const between[] = {N,
                                      MATRIX(A),
                                      MATRIX(B),
                                      "stmt [n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }",
                                      "read { S[i, j] -> B[i, j] }",
                                      "write { S[i, j] -> A[i, j] }",
                                      "stmt [n] -> { T[i, j] : 0 <= i < n and 1 <= j < n - 1 }",
                                      "read { T[i, j] -> A[i, j + 1] }",
                                      "read { T[i, j] -> A[i, j - 1] }",
                                      "write { T[i, j] -> B[i, j] }",
                                      NULL};
static const char *const stencil[] = {N,
                                      MATRIX(A),
                                      "stmt [n] -> { S[i, j] : 1 <= i < n and 1 <= j < n }",
                                      "read { S[i, j] -> A[i - 1, j] }",
                                      "read { S[i, j] -> A[i, j - 1] }",
                                      "write { S[i, j] -> A[i, j] }",
                                      NULL};

#define BOTH(T)                                                                                                             \
  "{ schedule: \"[{ S[i, j] -> [(" T ")]; T[i, j] -> [(" T ")] }]\", child: { sequence: [ { filter: \"{ S[i, j] }\" }, { "  \
  "filter: \"{ T[i, j] }\" } ] } }"
static const char by_both[] = "child: { schedule: \"[{ S[i, j] -> [(i)]; T[i, j] -> [(i)] }]\", child: " BOTH("j") " }";

/* R: a schedule of S[i, j, k] by rows separated by commas; B: of one row. M: a mark. */
#define S3 "S[i, j, k] -> "
#define B3(T) "{ schedule: \"[{ " S3 "[(" T ")] }]\", child: "
#define TILE(A, B, C) "{ schedule: \"[{ " S3 "[(" A ")] }, { " S3 "[(" B ")] }, { " S3 "[(" C ")] }]\" }"
#define M(TEXT) "{ mark: \"" TEXT "\", child: "
#define B2(T) "{ schedule: \"[{ S[i, j] -> [(" T ")] }]\", child: "
#define L2(T) "{ schedule: \"[{ S[i, j] -> [(" T ")] }]\" }"

static const char three[] =
    "child: { schedule: \"[{ S[i, j, k] -> [(k)] }, { S[i, j, k] -> [(i)] }, { S[i, j, k] -> [(j)] }]\" }";
static const char two[] = "child: { schedule: \"[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]\" }";
static const char by_columns[] =
    "child: { schedule: \"[{ T[k, i] -> [(k)]; U[k, j, i] -> [(k)] }]\", child: { sequence: [ { filter: \"{ T[k, i] }\" }, "
    "{ filter: \"{ U[k, j, i] }\" } ] } }";
static const char by_sums[] = "child: { schedule: \"[{ T[i, j] -> [(i)]; V[i] -> [(i)]; U[i, j] -> [(i)] }]\", child: { "
                              "sequence: [ { filter: \"{ T[i, j] }\" }, { filter: \"{ V[i] }\" }, { filter: \"{ U[i, j] "
                              "}\" } ] } }";

static const struct base {
  const char *name;
  const char *const *scop;
  const char *order, *body;
  long size[4];
} bases[] = {
    {"registers",
     product,
     three,
     B3("floor(i/2)") B3("floor(j/4)") M("registers 2x2x2 over 1 by [0,1,0]") TILE("k", "i mod 2", "j mod 4") " } } }",
     {1, 4, 7, 10}},
    {"registers",
     in_place,
     three,
     B3("k") B3("floor(i/2)") B3("floor(j/4)")
         M("registers 2x2x2 over 0 by [0,1,0]") "{ schedule: \"[{ " S3 "[(i mod 2)] }, { " S3 "[(j mod 4)] }]\" } } } } }",
     {1, 4, 7, 10}},
    {"along",
     product,
     three,
     B3("i") B3("floor(j/4)") M("registers 1x2x2 over 1 by [0,1,0] along [0,0,1]") TILE("k", "0", "j mod 4") " } } }",
     {1, 4, 7, 10}},
    {"by vector",
     product,
     three,
     B3("floor(i/4)") B3("floor(k/4)") B3("floor(j/4)") M("pack 2 of S in 1x4x4 by vector along neighbours")
         B3("floor(i/2)-2*floor(i/4)") M("registers 2x2x2 over 1 by [0,1,0]")
             TILE("k mod 4", "i mod 2", "j mod 4") " } } } } } }",
     {1, 5, 8, 10}},
    {"by row",
     product,
     three,
     B3("floor(i/4)") B3("floor(k/4)") M("pack 1 of S in 2x4x2 by row along reduction") B3("floor(j/4)")
         B3("floor(i/2)-2*floor(i/4)") M("registers 2x2x2 over 1 by [0,1,0]")
             TILE("k mod 4", "i mod 2", "j mod 4") " } } } } } }",
     {1, 5, 8, 10}},
    {"threads",
     product,
     three,
     M("parallel") B3("floor(i/4)") B3("floor(k/4)") M("pack 1 of S in 2x4x2 by row along reduction") B3("floor(j/4)")
         M("pack 2 of S in 1x4x4 by vector along neighbours") B3("floor(i/2)-2*floor(i/4)")
             M("registers 2x2x2 over 1 by [0,1,0]") TILE("k mod 4", "i mod 2", "j mod 4") " } } } } } } } }",
     {1, 5, 8, 10}},
    {"edges",
     product,
     three,
     B3("i") M("edges: S x4 by [0,1,0]") B3("k") "{ schedule: \"[{ " S3 "[(j)] }]\" } } } }",
     {1, 4, 7, 10}},
    {"edges",
     in_place,
     three,
     B3("k") M("edges: S x4 by [0,1,0]") B3("i") "{ schedule: \"[{ " S3 "[(j)] }]\" } } } }",
     {1, 4, 7, 10}},
    {"lanes", rows, two, B2("floor(i/4)") M("lockstep 2x2") B2("i mod 4") L2("j") " } } }", {4, 8, 12, 16}},
    {"lanes", rows, two, M("parallel") B2("floor(i/4)") M("lockstep 1x4") B2("i mod 4") L2("j") " } } } }", {4, 8, 12, 16}},
    {"panels",
     columns,
     by_columns,
     M("panel of A, 8 columns") "{ schedule: \"[{ T[k, i] -> [(floor(k/8))]; U[k, j, i] -> [(floor(j/8))] }, { T[k, i] -> "
                                "[(floor(k/4))]; U[k, j, i] -> [(floor(k/4))] }]\", child: { schedule: \"[{ T[k, i] -> "
                                "[(k)]; U[k, j, i] -> [(k)] }]\", child: { sequence: [ { filter: \"{ T[k, i] }\" }, { "
                                "filter: \"{ U[k, j, i] }\" } ] } } } }",
     {2, 7, 10, 17}},
    {"panels",
     columns,
     by_columns,
     M("panel of A, 8 columns") M("doacross") "{ schedule: \"[{ T[k, i] -> [(floor(k/8))]; U[k, j, i] -> [(floor(j/8))] }, "
                                              "{ T[k, i] -> [(floor(k/4))]; U[k, j, i] -> [(floor(k/4))] }]\", child: { "
                                              "schedule: \"[{ T[k, i] -> [(k)]; U[k, j, i] -> [(k)] }]\", child: { "
                                              "sequence: [ { filter: \"{ T[k, i] }\" }, { filter: \"{ U[k, j, i] }\" } ] } "
                                              "} } } }",
     {2, 7, 10, 17}},
    {"one panel",
     few_columns,
     by_columns,
     M("panel of A, 8 columns") "{ schedule: \"[{ T[k, i] -> [(floor(k/8))]; U[k, j, i] -> [(floor(j/8))] }, { T[k, i] -> "
                                "[(floor(k/4))]; U[k, j, i] -> [(floor(k/4))] }]\", child: { schedule: \"[{ T[k, i] -> "
                                "[(k)]; U[k, j, i] -> [(k)] }]\", child: { sequence: [ { filter: \"{ T[k, i] }\" }, { "
                                "filter: \"{ U[k, j, i] }\" } ] } } } }",
     {2, 4, 7, 8}},
    {"parallel",
     sums,
     by_sums,
     M("parallel") "{ schedule: \"[{ T[i, j] -> [(i)]; V[i] -> [(i)]; U[i, j] -> [(i)] }]\", child: { sequence: [ "
                   "{ filter: \"{ T[i, j] }\" }, { filter: \"{ V[i] }\" }, { filter: \"{ U[i, j] }\" } ] } } }",
     {1, 2, 4, 7}},
    {"doacross",
     stencil,
     two,
     M("doacross") "{ schedule: \"[{ S[i, j] -> [(floor(i/2))] }, { S[i, j] -> [(floor(j/2))] }]\", child: { schedule: \"[{ "
                   "S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]\" } } }",
     {2, 3, 6, 9}},
    {"preload",
     between,
     by_both,
     "{ schedule: \"[{ S[i, j] -> [(i)]; T[i, j] -> [(i)] }]\", child: " M("preload") BOTH("j+2") " } }",
     {1, 3, 5, 8}},
    {"vector", stencil, two, B2("i+j") M("vector") L2("j") " } }", {2, 3, 6, 9}},
    {"stream", stencil, two, B2("i+j") M("stream") L2("j") " } }", {2, 3, 6, 9}},
};
enum { N_BASE = sizeof(bases) / sizeof(bases[0]) };

/* ---- mutants ---- */

static uint64_t state;

/* A number below N_CHOICE (xorshift*). */
static int choose(int n_choice)
{
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (int)((state * 2685821657736338717u >> 33) % (unsigned)n_choice);
}

/* TEXT with LENGTH bytes at AT in place of OLD ones. */
static void splice(char text[TEXT], size_t at, size_t old, const char *with)
{
  char rest[TEXT];
  snprintf(rest, sizeof(rest), "%s", text + at + old);
  snprintf(text + at, TEXT - at, "%s%s", with, rest);
}

/* The position of the one chosen of those where IS holds; -1: nowhere. */
static long find_place(const char *text, bool (*is)(const char *text, size_t at))
{
  long found = -1;
  int n = 0;
  for (size_t i = 0; text[i]; i++)
    if (is(text, i) && choose(++n) == 0)
      found = (long)i;
  return found;
}

static bool is_number(const char *text, size_t at)
{
  return isdigit((unsigned char)text[at]) && (at == 0 || !isalnum((unsigned char)text[at - 1]) || text[at - 1] == 'x');
}

static bool is_mark(const char *text, size_t at)
{
  return !strncmp(text + at, "mark: \"", 7);
}

static bool is_row(const char *text, size_t at)
{
  return !strncmp(text + at, "[(", 2);
}

/* A number in a mark, or anywhere, is another one. */
static bool change_number(char text[TEXT])
{
  long at = find_place(text, is_number);
  char number[32];
  if (at < 0)
    return false;
  long old = strtol(text + at, NULL, 10), to;
  int digits = (int)strspn(text + at, "0123456789");
  switch (choose(5)) {
  case 0:
    to = old + 1;
    break;
  case 1:
    to = old - 1;
    break;
  case 2:
    to = 2 * old;
    break;
  case 3:
    to = old / 2;
    break;
  default:
    to = choose(9);
  }
  snprintf(number, sizeof(number), "%ld", to);
  splice(text, (size_t)at, (size_t)digits, number);
  return to != old;
}

/* Words of which one may be put for another. */
static const char *const words[][2] = {
    {"by row", "by vector"},
    {"by vector", "by row"},
    {"along reduction", "along row"},
    {"along reduction", "along neighbours"},
    {"along neighbours", "along vector"},
    {"along neighbours", "along reduction"},
    {"panel of A", "panel of Q"},
    {"parallel", "vector"},
    {"\"doacross\"", "\"parallel\""},
    {"\"vector\"", "\"parallel\""},
    {" mod ", "-2*"},
    {"(i)", "(-i)"},
    {"(j)", "(-j)"},
    {"(k)", "(-k)"},
    {"(i", "(j"},
    {"(j", "(k"},
    {"(k", "(i"},
    {"[0,1,0]", "[0,0,1]"},
    {"[0,1,0]", "[1,0,0]"},
    {"[0,1,0]", "[0,-1,0]"},
    {"[(k", "[(k+i"},
    {"T[k, i] }\" }, { filter: \"{ U[k, j, i]", "U[k, j, i] }\" }, { filter: \"{ T[k, i]"},
};

static bool change_word(char text[TEXT])
{
  int word = choose((int)(sizeof(words) / sizeof(words[0])));
  const char *at = text;
  long found = -1;
  int n = 0;
  while ((at = strstr(at, words[word][0]))) {
    if (choose(++n) == 0)
      found = at - text;
    at++;
  }
  if (found >= 0)
    splice(text, (size_t)found, strlen(words[word][0]), words[word][1]);
  return found >= 0;
}

/* A mark becomes one that says nothing. */
static bool drop_mark(char text[TEXT])
{
  long at = find_place(text, is_mark);
  if (at < 0)
    return false;
  splice(text, (size_t)at + 7, strcspn(text + at + 7, "\""), "strips");
  return true;
}

/* A mark becomes another, of those that stand above any loop. */
static bool change_mark(char text[TEXT])
{
  static const char *const marks[] = {"parallel",
                                      "vector",
                                      "lockstep 2x2",
                                      "edges: S x4 by [0,1,0]",
                                      "registers 2x2x2 over 1 by [0,1,0]",
                                      "panel of A, 8 columns"};
  long at = find_place(text, is_mark);
  if (at < 0)
    return false;
  splice(text, (size_t)at + 7, strcspn(text + at + 7, "\""), marks[choose((int)(sizeof(marks) / sizeof(marks[0])))]);
  return true;
}

/* A row is turned round, or moved. */
static bool change_row(char text[TEXT])
{
  static const char *const forms[] = {"[(-", "[(1+", "[(2*"};
  long at = find_place(text, is_row);
  if (at >= 0)
    splice(text, (size_t)at, 2, forms[choose(3)]);
  return at >= 0;
}

static bool mutate(char text[TEXT])
{
  switch (choose(12)) {
  case 0:
    return drop_mark(text);
  case 1:
    return change_mark(text);
  case 2:
    return change_row(text);
  case 3:
  case 4:
  case 5:
    return change_word(text);
  default:
    return change_number(text);
  }
}

/* ---- verdicts ---- */

/* By base: [legal][right]; trees that are none; given up; right only for who doesn't look at the loops. */
static struct {
  long verdict[2][2], none, given_up, not_emitted;
} count[N_BASE];

/* Is AST, of PROGRAM, or of SCOP if that is NULL, right at all sizes of BASE? */
static isl_bool interpret(struct tsr_scop *scop, struct tsr_program *program, const struct base *base, isl_ast_node *ast,
                          char **why)
{
  isl_bool same = isl_bool_true;
  for (int i = 0; i < 4 && same == isl_bool_true; i++) {
    free(*why);
    *why = NULL;
    same = program ? tsr_interp_program(program, ast, &base->size[i], LIMIT, why)
                   : tsr_interp_compare(scop, ast, &base->size[i], LIMIT, why);
  }
  return same;
}

/* What checker and interpreter say of the tree TEXT; FIRST: it is the base itself. */
static bool judge(struct tsr_scop *scop, int b, const char *text, bool first)
{
  char *refused = NULL, *wrong = NULL, *body = NULL;
  size_t size;
  FILE *out = open_memstream(&body, &size);
  fprintf(out, "child: %s", text);
  fclose(out);
  isl_schedule *tree = scop_tree(scop, body);
  free(body);
  struct tsr_program *program = tree ? tsr_tree_pack(scop, tree) : NULL; /* with packed operands as arrays, or panels */
  if (tree && !program)
    program = tsr_tree_panel_array(scop, tree);
  isl_bool legal = program ? tsr_check_program(program, TSR_STRICT, &refused)
                   : tree  ? tsr_check_schedule(scop, tree, &refused)
                           : isl_bool_error;
  isl_ast_node *ast = legal < 0 ? NULL
                      : program ? tsr_ast_build(program->scop, program->scop->schedule)
                                : tsr_ast_build(scop, tree);
  isl_bool same = ast ? interpret(scop, program, &bases[b], ast, &wrong) : isl_bool_error;
  bool emitted = ast && tsr_register_nests_are_good(ast) && tsr_lockstep_nests_are_good(ast), good = true;
  if (!tree)
    count[b].none++;
  else if (same < 0)
    count[b].given_up++;
  else if (legal && !same && !emitted)
    count[b].not_emitted++;
  else
    count[b].verdict[legal][same]++;
  good = !(legal == isl_bool_true && same == isl_bool_false && emitted) &&
         (!first || (legal == isl_bool_true && same == isl_bool_true));
  if (!good || getenv("SHOW"))
    fprintf(stderr, "%s: %s\n  checker: %s\n  interpreter: %s\n", bases[b].name, text, refused ? refused : "legal",
            wrong                   ? wrong
            : same == isl_bool_true ? "right"
                                    : isl_ctx_last_error_msg(scop->ctx));
  isl_ctx_reset_error(scop->ctx);
  isl_ast_node_free(ast);
  tsr_program_free(program);
  isl_schedule_free(tree);
  free(refused);
  free(wrong);
  return good;
}

/* Base B, and N_MUTANT mutants from SEED on; how many are judged wrongly. */
static int test_base(int b, long n_mutant, uint64_t seed)
{
  int n_wrong = 0;
  for (long i = 0; i <= n_mutant; i++) {
    isl_ctx *ctx = isl_ctx_alloc();
    isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
    struct tsr_scop *scop = scop_build(ctx, bases[b].name, bases[b].scop, bases[b].order);
    for (int s = 0; s < scop->n_stmt; s++)
      scop->stmts[s].vector_bytes = scop->stmts[s].lane_bytes = 8;
    char text[TEXT];
    snprintf(text, sizeof(text), "%s", bases[b].body);
    state = (seed + (uint64_t)i) * 0x9e3779b97f4a7c15u + (uint64_t)b + 1;
    int changes = i ? 1 + (choose(3) == 0) + (choose(6) == 0) : 0;
    for (int tries = 0; changes > 0 && tries < 20; tries++)
      changes -= mutate(text);
    tsr_budget_begin(ctx, BUDGET);
    n_wrong += !judge(scop, b, text, i == 0);
    tsr_budget_end(ctx);
    n_checks++;
    tsr_scop_free(scop);
    isl_ctx_free(ctx);
  }
  return n_wrong;
}

int main(int argc, char **argv)
{
  long n = argc > 1 ? strtol(argv[1], NULL, 10) : 20 * N_BASE, refused = 0, accepted = 0;
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  int n_wrong = 0;
  for (int b = 0; b < N_BASE; b++)
    n_wrong += test_base(b, n / N_BASE, seed);
  fprintf(stderr, "%-10s %15s %15s %15s %12s %10s %8s\n", "base", "wrong, refused", "right, accepted", "right, refused",
          "not emitted", "given up", "no tree");
  for (int b = 0; b < N_BASE; b++) {
    fprintf(stderr, "%-10s %15ld %15ld %15ld %12ld %10ld %8ld\n", bases[b].name, count[b].verdict[0][0],
            count[b].verdict[1][1], count[b].verdict[0][1], count[b].not_emitted, count[b].given_up, count[b].none);
    refused += count[b].verdict[0][0];
    accepted += count[b].verdict[1][1];
  }
  CHECK(n_wrong == 0);
  CHECK(refused > n / 5 && accepted > n / 20);
  printf("%d checks\n", n_checks);
  return 0;
}
