/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Golden SCoPs: each test/scops/NAME.scop is a SCoP in text form, and its key "expect", which readers of SCoPs skip, says
 * what is to come out. To add a test is to add a file. Keys of expect, all optional, compared by meaning:
 *
 *   options: "force; tile-sizes=4"      for the pipeline whose outcome the other keys describe
 *   flow, anti, output, scalar, reduction: "{ S[i] -> S[i + 1] : ... }"      the dependences
 *   verdict: ok | unprofitable | unchanged | budget | check_failed
 *   schedule, tree: a schedule tree      the same order, after the scheduler or after tiling (the original if unchanged)
 *   band: "{ S[i] -> [i, 0] }"           the partial schedule of the outermost band
 *   coincident: 2                        that many leading members of the outermost band are coincident
 *   concurrent: 1                        that many bands of the schedule have tiles that can start at once
 *   parallel, vector: 1                  the tree holds that many marks
 *   registers: 2                         .. that many of register tiles
 *   lockstep: 1                          .. that many of outer loops as lanes
 *   legal, illegal: a list of schedule trees      what checker and interpreter think of them
 *
 * Whatever is expected: the file survives a round trip, and under each of several option sets the pipeline's tree
 * passes the checker and leaves the same memory as the original order at small parameter values. */
#include "ast/ast.h"
#include "ast/ast.h"
#include "model/text.h"
#include "check.h"
#include <dirent.h>
#include <isl/id.h>
#include <isl/options.h>
#include <stdlib.h>

enum { LIMIT = 20000 };

static const char *const option_sets[] = {"force",
                                          "force parallel tile-sizes=2",
                                          "force parallel tile-sizes=3,1,4",
                                          "force schedule=original parallel tile-sizes=2,3",
                                          "force schedule=pluto parallel tile-sizes=3,2",
                                          "force relax-reductions tile-sizes=3",
                                          "force relax-reductions schedule=pluto parallel tile-sizes=2,4"};

enum {
  OPTIONS,
  FLOW,
  ANTI,
  OUTPUT,
  SCALAR,
  REDUCTION,
  VERDICT,
  SCHEDULE,
  TREE,
  BAND,
  COINCIDENT,
  CONCURRENT,
  PARALLEL,
  VECTOR,
  REGISTERS,
  INTERLEAVE,
  LOCKSTEP,
  LEGAL,
  ILLEGAL,
  N_KEY
};
static const struct tsr_key keys[] = {[OPTIONS] = {"options", false},
                                      [FLOW] = {"flow", false},
                                      [ANTI] = {"anti", false},
                                      [OUTPUT] = {"output", false},
                                      [SCALAR] = {"scalar", false},
                                      [REDUCTION] = {"reduction", false},
                                      [VERDICT] = {"verdict", false},
                                      [SCHEDULE] = {"schedule", false},
                                      [TREE] = {"tree", false},
                                      [BAND] = {"band", false},
                                      [COINCIDENT] = {"coincident", false},
                                      [CONCURRENT] = {"concurrent", false},
                                      [PARALLEL] = {"parallel", false},
                                      [VECTOR] = {"vector", false},
                                      [REGISTERS] = {"registers", false},
                                      [INTERLEAVE] = {"interleave", false},
                                      [LOCKSTEP] = {"lockstep", false},
                                      [LEGAL] = {"legal", false},
                                      [ILLEGAL] = {"illegal", false}};
static const char *const verdict_names[] = {"ok", "unprofitable", "unchanged", "budget", "check_failed", "error"};

/* A test: the SCoP, its expectations, and what the pipeline made of it. */
struct golden {
  const char *path;
  bool relaxed; /* do the options at hand relax reductions? */
  bool exact;   /* did the pipeline relax exact ones? */
  struct tsr_scop *scop;
  struct tsr_reader reader;
  yaml_node_t *expect[N_KEY];
  struct tsr_result *result;
};

/* Count one claim about a file; a failure names the file and WHAT, and WHY if there is more to say. */
static bool claim(const struct golden *g, bool holds, const char *what, const char *why)
{
  check_count++;
  check_failures += !holds;
  if (!holds)
    fprintf(stderr, "%s: %s%s%s\n", g->path, what, why ? ": " : "", why ? why : "");
  return holds;
}

static struct tsr_scop *read_file(struct golden *g, isl_ctx *ctx)
{
  char *error = NULL;
  FILE *in = fopen(g->path, "r");
  struct tsr_scop *scop = in ? tsr_scop_read(ctx, in, g->path, &error) : NULL;
  claim(g, scop != NULL, "is readable", error);
  if (in)
    fclose(in);
  free(error);
  return scop;
}

static void test_round_trip(struct golden *g)
{
  char *error = NULL, *why = NULL;
  FILE *file = tmpfile();
  claim(g, tsr_scop_write(g->scop, file) == isl_stat_ok, "is writable", NULL);
  rewind(file);
  struct tsr_scop *again = tsr_scop_read(g->scop->ctx, file, "written", &error);
  if (claim(g, again != NULL, "what was written is readable", error))
    claim(g, tsr_scop_is_equal(g->scop, again, &why) == isl_bool_true, "survives a round trip", why);
  tsr_scop_free(again);
  free(error);
  free(why);
  fclose(file);
}

/* Do checker and interpreter accept PROGRAM, which has buffers? */
static void test_program(struct golden *g, struct tsr_program *program, const char *what)
{
  char *why = NULL, *ran = NULL;
  int n_run = 0;
  isl_bool checked = tsr_check_program(program, g->relaxed ? TSR_RELAXED : g->exact ? TSR_EXACT : TSR_STRICT, &why);
  claim(g, checked == isl_bool_true, "the checker accepts the program", why ? why : what);
  isl_ast_node *ast = tsr_ast_build(program->scop, program->scop->schedule); /* of its own statements, not the source's */
  isl_bool same = ast ? tsr_interp_sweep_program(program, ast, LIMIT, &n_run, &ran) : isl_bool_error;
  claim(g, same == isl_bool_true, "the program runs like the original", ran ? ran : what);
  claim(g, n_run > 0, "runs at some parameter values", what);
  isl_ast_node_free(ast);
  free(why);
  free(ran);
}

/* Do checker and interpreter both say LEGAL of TREE? */
static void test_tree(struct golden *g, isl_schedule *tree, bool legal, const char *what)
{
  char *why = NULL, *ran = NULL;
  int n_run = 0;
  isl_bool checked = g->relaxed ? tsr_check_schedule_relaxed(g->scop, tree, &why)
                     : g->exact ? tsr_check_schedule_exact(g->scop, tree, &why)
                                : tsr_check_schedule(g->scop, tree, &why);
  claim(g, checked == isl_bool_ok(legal), legal ? "the checker accepts" : "the checker refuses", why ? why : what);
  isl_ast_node *ast = tsr_ast_build(g->scop, tree);
  isl_bool same = ast ? tsr_interp_sweep(g->scop, ast, LIMIT, &n_run, &ran) : isl_bool_error;
  claim(g, same == isl_bool_ok(legal), legal ? "runs like the original" : "runs unlike the original", ran ? ran : what);
  claim(g, n_run > 0, "runs at some parameter values", what);
  isl_ast_node_free(ast);
  free(why);
  free(ran);
}

static struct tsr_result *run_pipeline(struct golden *g, const char *text, enum tsr_stage until)
{
  struct tsr_options options;
  char *error = NULL;
  tsr_options_init(&options);
  claim(g, tsr_options_parse(&options, text, " ;", &error) == isl_stat_ok, "options", error);
  struct tsr_result *result = tsr_pipeline_run(g->scop, &options, 0, until);
  g->relaxed = options.relax_reductions;
  g->exact = result->exact;
  tsr_options_clear(&options);
  free(error);
  return result;
}

/* What must hold of every SCoP. */
static void test_always(struct golden *g)
{
  test_round_trip(g);
  test_tree(g, g->scop->schedule, true, "the original order");
  for (size_t i = 0; i < sizeof(option_sets) / sizeof(option_sets[0]); i++) {
    struct tsr_result *result = run_pipeline(g, option_sets[i], TSR_STAGE_AST);
    claim(g, result->verdict == TSR_OK, option_sets[i], result->why);
    if (result->variant[0].program)
      test_program(g, result->variant[0].program, option_sets[i]);
    else if (claim(g, result->variant[0].tree, "has a tree", option_sets[i]))
      test_tree(g, result->variant[0].tree, true, option_sets[i]);
    tsr_result_free(result);
  }
}

/* ---- expectations ---- */

static void expect_relation(struct golden *g, int key, isl_union_map *map)
{
  if (!g->expect[key])
    return;
  const char *text = tsr_text_read_text(&g->reader, g->expect[key], keys[key].name);
  isl_union_map *want = isl_union_map_read_from_str(g->scop->ctx, text ? text : "");
  want = isl_union_map_intersect_params(want, isl_set_copy(g->scop->context));
  want = isl_union_map_intersect_params(want, isl_set_copy(g->scop->assumed));
  map = isl_union_map_intersect_params(isl_union_map_copy(map), isl_set_copy(g->scop->context));
  map = isl_union_map_intersect_params(map, isl_set_copy(g->scop->assumed));
  char *got = isl_union_map_to_str(map);
  claim(g, isl_union_map_is_equal(map, want) == isl_bool_true, keys[key].name, got);
  free(got);
  isl_union_map_free(map);
  isl_union_map_free(want);
}

/* { S -> T : S before T } */
static isl_union_map *order(isl_schedule *schedule)
{
  isl_union_map *map = isl_schedule_get_map(schedule);
  map = isl_union_map_intersect_domain(map, isl_schedule_get_domain(schedule));
  return isl_union_map_lex_lt_union_map(isl_union_map_copy(map), map);
}

static void expect_order(struct golden *g, int key, isl_schedule *schedule)
{
  if (!g->expect[key])
    return;
  isl_schedule *want = tsr_text_read_schedule(&g->reader, g->expect[key]);
  isl_union_map *a = order(want), *b = order(schedule);
  a = isl_union_map_intersect_params(a, isl_set_copy(g->scop->context));
  b = isl_union_map_intersect_params(b, isl_set_copy(g->scop->context));
  char *got = isl_schedule_to_str(schedule);
  claim(g, isl_union_map_is_equal(a, b) == isl_bool_true, keys[key].name, got);
  free(got);
  isl_union_map_free(a);
  isl_union_map_free(b);
  isl_schedule_free(want);
}

static void expect_number(struct golden *g, int key, int got)
{
  int want = 0;
  if (!g->expect[key])
    return;
  bool good = tsr_text_read_number(&g->reader, g->expect[key], keys[key].name, 0, &want);
  char text[64];
  snprintf(text, sizeof(text), "%d, expected %d", got, want);
  claim(g, good && got == want, keys[key].name, text);
}

/* The outermost band of SCHEDULE, or a node that is none. */
static isl_schedule_node *outermost_band(isl_schedule *schedule)
{
  isl_schedule_node *node = isl_schedule_get_root(schedule);
  while (isl_schedule_node_get_type(node) != isl_schedule_node_band && isl_schedule_node_n_children(node) == 1)
    node = isl_schedule_node_first_child(node);
  return node;
}

static int count_coincident(isl_schedule *schedule)
{
  isl_schedule_node *node = outermost_band(schedule);
  int n = 0;
  if (isl_schedule_node_get_type(node) == isl_schedule_node_band)
    while (n < isl_schedule_node_band_n_member(node) &&
           isl_schedule_node_band_member_get_coincident(node, n) == isl_bool_true)
      n++;
  isl_schedule_node_free(node);
  return n;
}

static void expect_band(struct golden *g, isl_schedule *schedule)
{
  if (!g->expect[BAND])
    return;
  const char *text = tsr_text_read_text(&g->reader, g->expect[BAND], "band");
  isl_union_map *want = isl_union_map_read_from_str(g->scop->ctx, text ? text : "");
  isl_schedule_node *node = outermost_band(schedule);
  isl_union_map *got = isl_schedule_node_get_type(node) == isl_schedule_node_band
                           ? isl_schedule_node_band_get_partial_schedule_union_map(node)
                           : isl_union_map_empty_ctx(g->scop->ctx);
  got = isl_union_map_intersect_domain(got, tsr_scop_domain(g->scop));
  want = isl_union_map_intersect_domain(want, tsr_scop_domain(g->scop));
  char *shown = isl_union_map_to_str(got);
  claim(g, isl_union_map_is_equal(got, want) == isl_bool_true, "band", shown);
  free(shown);
  isl_union_map_free(got);
  isl_union_map_free(want);
  isl_schedule_node_free(node);
}

struct count {
  enum tsr_mark_kind kind;
  int n;
};

static isl_bool count_mark(isl_schedule_node *node, void *user)
{
  struct count *count = user;
  count->n += tsr_node_is_mark(node, count->kind);
  return isl_bool_true;
}

static int count_marks(isl_schedule *tree, enum tsr_mark_kind kind)
{
  struct count count = {kind, 0};
  isl_schedule_foreach_schedule_node_top_down(tree, count_mark, &count);
  return count.n;
}

static void expect_trees(struct golden *g, int key)
{
  yaml_node_t *list = g->expect[key];
  if (!list || !claim(g, list->type == YAML_SEQUENCE_NODE, keys[key].name, "is a list"))
    return;
  for (yaml_node_item_t *item = list->data.sequence.items.start; item < list->data.sequence.items.top; item++) {
    char what[64];
    yaml_node_t *node = yaml_document_get_node(&g->reader.document, *item);
    isl_schedule *tree = tsr_text_read_schedule(&g->reader, node);
    snprintf(what, sizeof(what), "line %zu", node->start_mark.line + 1);
    if (tree)
      test_tree(g, tree, key == LEGAL, what);
    isl_schedule_free(tree);
  }
}

static void test_expected(struct golden *g)
{
  const char *options = g->expect[OPTIONS] ? tsr_text_read_text(&g->reader, g->expect[OPTIONS], "options") : "";
  struct tsr_result *r = g->result = run_pipeline(g, options ? options : "", TSR_STAGE_AST);
  if (r->hopeless) { /* a run that ends with the verdict computes all that leads to it */
    tsr_result_free(r);
    r = g->result = run_pipeline(g, options ? options : "", TSR_STAGE_PROFIT);
  }
  bool complete = r->deps && r->schedule && r->variant[0].tree;
  if (!claim(g, complete, "has results to compare", r->why)) {
    tsr_result_free(r);
    return;
  }
  isl_schedule *schedule = r->schedule, *tree = r->variant[0].tree;
  expect_relation(g, FLOW, r->deps->flow);
  expect_relation(g, ANTI, r->deps->anti);
  expect_relation(g, OUTPUT, r->deps->output);
  expect_relation(g, SCALAR, r->deps->scalar);
  expect_relation(g, REDUCTION, r->deps->reduction);
  expect_order(g, SCHEDULE, schedule);
  expect_order(g, TREE, tree);
  expect_band(g, schedule);
  expect_number(g, COINCIDENT, count_coincident(schedule));
  expect_number(g, CONCURRENT, count_marks(schedule, TSR_MARK_CONCURRENT));
  expect_number(g, PARALLEL, count_marks(tree, TSR_MARK_PARALLEL));
  expect_number(g, VECTOR, count_marks(tree, TSR_MARK_VECTOR));
  expect_number(g, REGISTERS, count_marks(tree, TSR_MARK_REGISTERS));
  expect_number(g, INTERLEAVE, count_marks(tree, TSR_MARK_INTERLEAVE));
  expect_number(g, LOCKSTEP, count_marks(tree, TSR_MARK_LOCKSTEP));
  int verdict = r->verdict;
  bool known = tsr_text_read_word(&g->reader, g->expect[VERDICT], "verdict", verdict_names, TSR_ERROR + 1, &verdict);
  claim(g, known && verdict == (int)r->verdict, "verdict", r->why ? r->why : verdict_names[r->verdict]);
  expect_trees(g, LEGAL);
  expect_trees(g, ILLEGAL);
  tsr_result_free(r);
}

/* Read the expectations of G again from its file, as YAML. */
static void read_expectations(struct golden *g, isl_ctx *ctx)
{
  char *error = NULL;
  FILE *in = fopen(g->path, "r");
  yaml_node_t *root = in ? tsr_reader_open(&g->reader, ctx, in, g->path, &error) : NULL;
  for (yaml_node_pair_t *pair = root ? root->data.mapping.pairs.start : NULL; root && pair < root->data.mapping.pairs.top;
       pair++) {
    yaml_node_t *key = yaml_document_get_node(&g->reader.document, pair->key);
    yaml_node_t *value = yaml_document_get_node(&g->reader.document, pair->value);
    if (key->type == YAML_SCALAR_NODE && !strcmp((const char *)key->data.scalar.value, "expect"))
      tsr_text_read_keys(&g->reader, value, "expect", keys, N_KEY, g->expect);
  }
  if (!error)
    test_expected(g);
  claim(g, !error, "expectations", error);
  tsr_reader_close(&g->reader);
  if (in)
    fclose(in);
  free(error);
}

static void test_file(const char *path)
{
  isl_ctx *ctx = isl_ctx_alloc();
  isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
  struct golden g = {.path = path, .scop = NULL};
  g.scop = read_file(&g, ctx);
  if (g.scop) {
    test_always(&g);
    read_expectations(&g, ctx);
  }
  tsr_scop_free(g.scop);
  isl_ctx_free(ctx);
}

static int is_scop(const struct dirent *entry)
{
  size_t length = strlen(entry->d_name);
  return length > 5 && !strcmp(entry->d_name + length - 5, ".scop");
}

/* With arguments: these files or folders. Without: test/scops. */
int main(int argc, char **argv)
{
  const char *standard[] = {"", "test/scops"};
  char **paths = argc > 1 ? argv : (char **)standard;
  for (int i = 1; i < (argc > 1 ? argc : 2); i++) {
    struct dirent **entry;
    int n = scandir(paths[i], &entry, is_scop, alphasort);
    if (n < 0)
      test_file(paths[i]);
    for (int k = 0; k < n; k++) {
      char path[1024];
      snprintf(path, sizeof(path), "%s/%s", paths[i], entry[k]->d_name);
      test_file(path);
      free(entry[k]);
    }
    if (n >= 0)
      free(entry);
    CHECK(n != 0);
  }
  return check_report();
}
