/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Mutants of transformed programs: whatever the interpreter finds wrong, at any of its parameter values, the checker must
 * refuse.
 *
 *   base     a file of test/programs; or rows of the table of transformations, then arrays in buffers, on a file of
 *            test/scops or a random SCoP; those that the checker accepts
 *   mutant   one or two changes (program_mutants.h)
 *
 * unit_program_mutation [N [FIRST]]: N mutants, of bases from seed FIRST on; then tables of what became of them are printed.
 * A failure prints the mutant as a file, what was changed and what is wrong. */
#include "check/check.h"
#include "program_mutants.h"
#include "tree/cached_arrays.h"
#include "tree/transformations.h"
#include <dirent.h>
#include <isl/options.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_FILE = 200, OF_A_BASE = 8, ROWS = 2, CACHES = 3, MOST_INSTANCES = 1200, BUDGET = 2000000 };

/* What became of mutants: by mutation, [accepted][right]; and those that are no programs, or were given up. */
static struct {
  long verdict[N_MUTATION][2][2], invalid, given_up, mutants, bases, no_base;
} count;

/* Names of files, sorted. */
struct files {
  const char *folder;
  char *name[MAX_FILE];
  int n;
};

static void list_files(struct files *files, const char *folder)
{
  struct dirent **entry;
  int found = scandir(folder, &entry, NULL, alphasort);
  *files = (struct files){.folder = folder};
  for (int i = 0; i < found; i++) {
    if (strstr(entry[i]->d_name, ".scop") && files->n < MAX_FILE)
      files->name[files->n++] = strdup(entry[i]->d_name);
    free(entry[i]);
  }
  if (found >= 0)
    free(entry);
}

static void free_files(struct files *files)
{
  for (int i = 0; i < files->n; i++)
    free(files->name[i]);
}

/* ---- bases ---- */

/* A file of FILES, the original in *SCOP. NULL: it is none. */
static struct tsr_program *read_file(isl_ctx *ctx, const struct files *files, int number, struct tsr_scop **scop)
{
  char path[512], *error = NULL;
  snprintf(path, sizeof(path), "%s/%s", files->folder, files->name[number]);
  FILE *in = fopen(path, "r");
  struct tsr_program *program = in ? tsr_program_read(ctx, in, path, scop, &error) : NULL;
  if (in)
    fclose(in);
  free(error);
  isl_ctx_reset_error(ctx);
  return program;
}

/* PROGRAM after NEXT, if that is right. Takes both. */
static struct tsr_program *if_right(struct tsr_program *program, struct tsr_program *next)
{
  isl_ctx *ctx = program->original->ctx;
  bool right = next && tsr_check_program(next, TSR_RELAXED, NULL) == isl_bool_true;
  isl_ctx_reset_error(ctx);
  tsr_program_free(right ? program : next);
  return right ? next : program;
}

/* Sites of a row: one of those that are seen is kept, each with the same chance. */
struct site_choice {
  struct random *r;
  int n;
  struct tsr_args *args;
};

static isl_stat choose_site(struct tsr_args *args, void *user)
{
  struct site_choice *choice = user;
  bool take = pick(choice->r, ++choice->n) == 0;
  tsr_args_free(take ? choice->args : args);
  choice->args = take ? args : choice->args;
  return isl_stat_ok;
}

/* PROGRAM after a random row of the table. */
static struct tsr_program *apply_row(struct random *r, struct tsr_program *program)
{
  int n_row = 0;
  char *why = NULL;
  while (tsr_row_at(n_row))
    n_row++;
  const struct tsr_row *row = tsr_row_at(pick(r, n_row));
  struct site_choice choice = {.r = r};
  row->sites(program, choose_site, &choice);
  if (!choice.args)
    return program;
  choice.args->row = row;
  struct tsr_program *next = row->apply(tsr_program_copy(program), choice.args, &why);
  tsr_args_free(choice.args);
  free(why);
  return if_right(program, next);
}

/* PROGRAM with some array, or buffer, in a buffer below some band. */
static struct tsr_program *apply_cache(struct random *r, struct tsr_program *program)
{
  struct mutant m = {.r = r, .tree = program->tree};
  isl_schedule_node *node = pick_node(&m, is_band);
  char *why = NULL;
  if (!node)
    return program;
  if (pick(r, 4))
    node = isl_schedule_node_child(node, 0);
  int array = pick(r, program->scop->n_array);
  struct tsr_program *next = tsr_program_cache(tsr_program_copy(program), node, array, TSR_SPACE_HEAP, &why);
  isl_schedule_node_free(node);
  free(why);
  return if_right(program, next);
}

/* The base of SEED, its original in *SCOP; NULL: there is none. */
static struct tsr_program *make_base(isl_ctx *ctx, struct random *r, uint64_t seed, const struct files files[2],
                                     struct tsr_scop **scop)
{
  make_scop(r, seed);
  int from = pick(r, 5);
  struct tsr_program *program;
  if (from < 2) {
    program = read_file(ctx, &files[0], pick(r, files[0].n), scop);
  } else if (from < 4) {
    program = read_file(ctx, &files[1], pick(r, files[1].n), scop);
  } else {
    *scop = read_scop(ctx, r);
    program = *scop ? tsr_program_alloc(*scop, isl_schedule_copy((*scop)->schedule)) : NULL;
  }
  for (int i = pick(r, ROWS + 1); i > 0 && program && from >= 2; i--)
    program = apply_row(r, program);
  for (int i = 0; i < CACHES && program && from >= 2; i++)
    program = apply_cache(r, program);
  isl_ctx_reset_error(ctx);
  if (program && (program->scop->n_stmt == 0 || tsr_check_program(program, TSR_RELAXED, NULL) != isl_bool_true))
    program = tsr_program_free(program);
  if (program && program->scop == program->original && pick(r, 4))
    program = tsr_program_free(program);
  return program;
}

/* ---- verdicts ---- */

/* Is PROGRAM right? *WHY says why not. */
static isl_bool interpret(struct tsr_program *program, char **why)
{
  int n_run = 0;
  isl_ast_node *ast = tsr_ast_build(program->scop, program->scop->schedule);
  isl_bool same = ast ? tsr_interp_sweep_program(program, ast, MOST_INSTANCES, &n_run, why) : isl_bool_error;
  isl_ast_node_free(ast);
  return same;
}

/* What checker and interpreter say of PROGRAM, a mutant by MUTATION, as LOG says. */
static void judge(struct tsr_program *program, int mutation, const char *log)
{
  char *refused = NULL, *wrong = NULL;
  isl_bool legal = tsr_check_program(program, TSR_RELAXED, &refused);
  isl_bool same = legal < 0 ? isl_bool_error : interpret(program, &wrong);
  if (legal < 0 || same < 0) {
    count.given_up++;
    if (getenv("SHOW"))
      fprintf(stderr, "given up (%d %d %s): %s", legal, same, isl_ctx_last_error_msg(program->original->ctx), log);
    isl_ctx_reset_error(program->original->ctx);
  } else {
    count.verdict[mutation][legal][same]++;
    if (getenv("SHOW") && !legal && same)
      fprintf(stderr, "right but refused: %s: %s", refused, log);
  }
  if (!CHECK(legal != isl_bool_true || same != isl_bool_false)) {
    tsr_program_write(program, stderr);
    fprintf(stderr, "%swrong: %s\n\n", log, wrong ? wrong : "?");
  }
  free(refused);
  free(wrong);
}

/* One mutant of BASE; was there one? */
static bool mutate(struct random *r, struct tsr_program *base)
{
  char *text = NULL;
  size_t size;
  struct mutant m;
  FILE *log = open_memstream(&text, &size);
  mutant_init(&m, r, base, log);
  int first = pick(r, N_MUTATION);
  bool good = mutations[first].apply(&m);
  if (good && pick(r, 4) == 0)
    mutations[pick(r, N_MUTATION)].apply(&m);
  fclose(log);
  struct tsr_program *program = mutant_program(&m);
  good = good && program;
  if (good && tsr_program_validate(program) < 0) {
    count.invalid++;
    good = false;
  }
  isl_ctx_reset_error(base->original->ctx);
  if (good) {
    count.mutants++;
    judge(program, first, text);
  }
  tsr_program_free(program);
  free(text);
  return good;
}

/* Mutants of the base of SEED. */
static void test_seed(uint64_t seed, const struct files files[2])
{
  struct random *r = malloc(sizeof(*r));
  isl_ctx *ctx = isl_ctx_alloc();
  struct tsr_scop *scop = NULL;
  isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
  tsr_budget_begin(ctx, BUDGET);
  struct tsr_program *base = make_base(ctx, r, seed, files, &scop);
  tsr_budget_end(ctx);
  count.bases += base != NULL;
  count.no_base += !base;
  int failures = check_failures;
  for (int i = 0, made = 0; i < 3 * OF_A_BASE && base && made < OF_A_BASE; i++) {
    tsr_budget_begin(ctx, BUDGET);
    made += mutate(r, base);
    tsr_budget_end(ctx);
  }
  if (check_failures > failures)
    fprintf(stderr, "seed %lu\n", (unsigned long)seed);
  tsr_program_free(base);
  tsr_scop_free(scop);
  isl_ctx_free(ctx);
  free(r);
}

static void print_counts(void)
{
  long sum[2][2] = {{0}};
  fprintf(stderr, "%-10s %16s %16s %16s %16s\n", "mutation", "wrong, refused", "right, accepted", "right, refused",
          "wrong, accepted");
  for (int i = 0; i <= N_MUTATION; i++) {
    long (*v)[2] = i < N_MUTATION ? count.verdict[i] : sum;
    fprintf(stderr, "%-10s %16ld %16ld %16ld %16ld\n", i < N_MUTATION ? mutations[i].name : "all", v[0][0], v[1][1], v[0][1],
            v[1][0]);
    for (int a = 0; a < 4 && i < N_MUTATION; a++)
      sum[a / 2][a % 2] += v[a / 2][a % 2];
  }
  fprintf(stderr, "%ld mutants of %ld bases; %ld are no programs, %ld given up; %ld seeds without a base\n", count.mutants,
          count.bases, count.invalid, count.given_up, count.no_base);
  long judged = sum[0][0] + sum[0][1] + sum[1][0] + sum[1][1];
  CHECK(sum[0][0] > judged / 3 && sum[1][1] > judged / 10);
}

int main(int argc, char **argv)
{
  struct files files[2];
  list_files(&files[0], "test/programs");
  list_files(&files[1], "test/scops");
  CHECK(files[0].n > 2 && files[1].n > 10);
  long n = argc > 1 ? strtol(argv[1], NULL, 10) : 400;
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  for (; count.mutants < n; seed++)
    test_seed(seed, files);
  print_counts();
  free_files(&files[0]);
  free_files(&files[1]);
  return check_report();
}
