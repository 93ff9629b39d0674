/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random composition of the table of transformations: on random SCoPs and on those of test/scops up to six rows, one after
 * the other, each at a site and with values that the row itself proposes. Each step is refused with a reason, by the row or
 * by the checker, or gives a program that leaves the same memory when it is interpreted.
 *
 * unit_compose [FIRST LAST]: the seeds to try. A failure prints the SCoP as a file, the steps and the tree. */
#include "check/check.h"
#include "random_scop.h"
#include "tree/transformations.h"
#include <dirent.h>
#include <isl/options.h>
#include <stdlib.h>

enum { STEPS = 6, MAX_FILE = 200, BUDGET = 400000 };

/* What became of the steps. */
static struct {
  long refused, illegal, good, given_up, quotients, by_row[64];
} count;

/* Sites of a row: one of those that are seen is kept, each with the same chance. */
struct choice {
  struct random *r;
  int n;
  struct tsr_args *args;
};

/* Keep ARGS in place of the choice so far, as chance says. */
static isl_stat choose(struct tsr_args *args, void *user)
{
  struct choice *choice = user;
  bool take = pick(choice->r, ++choice->n) == 0;
  tsr_args_free(take ? choice->args : args);
  choice->args = take ? args : choice->args;
  return isl_stat_ok;
}

/* A sequence of steps at work. */
struct sequence {
  struct random *r;
  struct tsr_scop *scop;
  struct tsr_program *program;
  FILE *log;
  char *text;
  size_t size;
};

/* Show SCoP, steps and TREE. */
static void report(struct sequence *s, isl_schedule *tree, const char *why)
{
  fflush(s->log);
  tsr_scop_write(s->scop, stderr);
  fprintf(stderr, "%s\n", s->text);
  tsr_print_schedule(tree, stderr);
  fprintf(stderr, "%s\n\n", why ? why : "isl failed");
}

/* Does isl's state say that the budget is used up? Then the step is none. */
static bool is_out(isl_ctx *ctx)
{
  bool out = isl_ctx_last_error(ctx) == isl_error_quota;
  count.given_up += out;
  return out;
}

/* Is NODE no band with a loop that is to be kept whole, nor one of a kernel, which are? */
static isl_bool is_split(isl_schedule_node *node, void *user)
{
  bool whole = tsr_node_is_mark(node, TSR_MARK_KERNEL);
  (void)user;
  if (isl_schedule_node_get_type(node) == isl_schedule_node_band)
    for (int i = 0; i < isl_schedule_node_band_n_member(node); i++)
      whole |= isl_schedule_node_band_member_get_ast_loop_type(node, i) == isl_ast_loop_atomic;
  return isl_bool_ok(!whole);
}

/* Is WHY that isl takes the bound of a loop that it is to keep whole for non-negative, where the loop may be empty? Emitted
 * code divides with sign, so that the loop runs once at most there, and what is inside of it doesn't. */
static bool is_quotient(isl_schedule *tree, const char *why)
{
  isl_schedule_node *root = isl_schedule_get_root(tree);
  bool is =
      why && strstr(why, "for non-negative") && isl_schedule_node_every_descendant(root, is_split, NULL) == isl_bool_false;
  isl_schedule_node_free(root);
  count.quotients += is;
  return is;
}

/* Is NEXT, which the checker has let through, right? */
static void run(struct sequence *s, struct tsr_program *next)
{
  int n_run = 0;
  char *why = NULL;
  /* the program's own statements, which tsr_program_ast() would name as the source does */
  isl_schedule *tree = next->scop == next->original ? next->tree : next->scop->schedule;
  isl_ast_node *ast = tsr_ast_build(next->scop, tree);
  isl_bool same = ast ? tsr_interp_sweep_program(next, ast, LIMIT, &n_run, &why) : isl_bool_error;
  bool done = (same < 0 && is_out(s->scop->ctx)) || (same == isl_bool_false && is_quotient(next->tree, why));
  if (!done && !CHECK(same == isl_bool_true))
    report(s, next->tree, why);
  isl_ast_node_free(ast);
  free(why);
}

/* One random row at a random site. */
static void step(struct sequence *s)
{
  int n_row = 0;
  char *why = NULL;
  while (tsr_row_at(n_row))
    n_row++;
  int number = pick(s->r, n_row);
  const struct tsr_row *row = tsr_row_at(number);
  struct choice choice = {.r = s->r};
  tsr_row_sites(row, s->program, choose, &choice);
  if (!choice.args)
    return;
  choice.args->row = row;
  tsr_args_print(choice.args, s->program->scop, s->log);
  struct tsr_program *next = tsr_row_apply(tsr_program_copy(s->program), choice.args, &why);
  tsr_args_free(choice.args);
  if (!next) {
    bool out = is_out(s->scop->ctx);
    count.refused += !out;
    if (!out && !CHECK(why != NULL))
      report(s, s->program->tree, NULL);
    fprintf(s->log, "  # refused: %s\n", why);
    free(why);
    return;
  }
  free(why);
  why = NULL;
  isl_bool legal = tsr_check_program(next, TSR_STRICT, &why);
  if (!(legal < 0 && is_out(s->scop->ctx)) && !CHECK(legal >= 0 && (legal || why)))
    report(s, next->tree, why);
  fprintf(s->log, "%s%s\n", legal == isl_bool_true ? "" : "  # not legal: ", legal == isl_bool_true ? "" : why);
  free(why);
  count.illegal += legal == isl_bool_false;
  if (legal != isl_bool_true) {
    tsr_program_free(next);
    return;
  }
  count.good++;
  count.by_row[number]++;
  tsr_program_free(s->program);
  s->program = next;
  run(s, next);
}

/* Let SCOP's statements have versions for vectors, on a machine that has some, in one of two cases. */
static void allow_vectors(struct random *r, struct tsr_scop *scop)
{
  if (pick(r, 2))
    return;
  tsr_machine_find("znver4", &scop->machine);
  for (int i = 0; i < scop->n_stmt; i++)
    scop->stmts[i].vector_bytes = scop->stmts[i].lane_bytes = 8;
}

/* Up to STEPS random rows for SCOP. */
static void compose(struct random *r, struct tsr_scop *scop)
{
  allow_vectors(r, scop);
  struct sequence s = {.r = r, .scop = scop, .program = tsr_program_alloc(scop, isl_schedule_copy(scop->schedule))};
  s.log = open_memstream(&s.text, &s.size);
  for (int i = 0; i < STEPS; i++) {
    tsr_budget_begin(scop->ctx, BUDGET);
    step(&s);
    tsr_budget_end(scop->ctx);
  }
  tsr_program_free(s.program);
  fclose(s.log);
  free(s.text);
}

/* The names of test/scops, sorted. */
static int list_files(char *file[MAX_FILE])
{
  int n = 0;
  struct dirent **entry;
  int found = scandir("test/scops", &entry, NULL, alphasort);
  for (int i = 0; i < found; i++) {
    if (strstr(entry[i]->d_name, ".scop") && n < MAX_FILE)
      file[n++] = strdup(entry[i]->d_name);
    free(entry[i]);
  }
  if (found >= 0)
    free(entry);
  return n;
}

/* The SCoP of file NAME; NULL: it can't be read. */
static struct tsr_scop *read_file(isl_ctx *ctx, const char *name)
{
  char path[512], *error = NULL;
  snprintf(path, sizeof(path), "test/scops/%s", name);
  FILE *in = fopen(path, "r");
  struct tsr_scop *scop = in ? tsr_scop_read(ctx, in, path, &error) : NULL;
  if (in)
    fclose(in);
  free(error);
  return scop;
}

/* An even seed is a random SCoP, an odd one a file. */
static void test_seed(uint64_t seed, char *const *file, int n_file)
{
  struct random *r = malloc(sizeof(*r));
  isl_ctx *ctx = isl_ctx_alloc();
  isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
  make_scop(r, seed, (int)(seed % 5));
  struct tsr_scop *scop = seed % 2 && n_file ? read_file(ctx, file[seed / 2 % (uint64_t)n_file]) : read_scop(ctx, r);
  if (scop)
    compose(r, scop);
  tsr_scop_free(scop);
  isl_ctx_free(ctx);
  free(r);
}

int main(int argc, char **argv)
{
  char *file[MAX_FILE];
  int n_file = list_files(file);
  uint64_t first = argc > 2 ? strtoull(argv[1], NULL, 10) : 0, last = argc > 2 ? strtoull(argv[2], NULL, 10) : 300;
  for (uint64_t seed = first; seed <= last; seed++) {
    int failures = check_failures;
    test_seed(seed, file, n_file);
    if (check_failures > failures)
      fprintf(stderr, "seed %lu\n", (unsigned long)seed);
  }
  for (int i = 0; i < n_file; i++)
    free(file[i]);
  fprintf(stderr,
          "steps: %ld good, %ld refused by rows, %ld by the checker, %ld given up, %ld with quotients of less than 0\n",
          count.good, count.refused, count.illegal, count.given_up, count.quotients);
  for (int i = 0; tsr_row_at(i) && argc > 2; i++)
    fprintf(stderr, "  %s: %ld\n", tsr_row_at(i)->name, count.by_row[i]);
  return check_report();
}
