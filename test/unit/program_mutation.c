/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Mutants of transformed programs: whatever the interpreter finds wrong, at any of its parameter values, the checker must
 * refuse.
 *
 *   base     a file of test/programs; or rows of the table of transformations, then statements recomputed, then arrays in
 *            buffers, on a file of test/scops or a random SCoP; those that the checker accepts
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

enum { MAX_FILE = 200, OF_A_BASE = 8, ROWS = 2, CACHES = 3, RECOMPUTED = 12, MOST_INSTANCES = 1200, BUDGET = 2000000 };

/* What became of mutants: by mutation, [accepted][right]; and those that are no programs, or were given up. */
static struct {
  long verdict[N_MUTATION][2][2], invalid, given_up, mutants, bases, no_base, recomputed;
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
  if (program && tsr_program_adopt_marks(program) < 0)
    program = tsr_program_free(program);
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

/* The read K of statement S comes from buffer P { P[i] }, into which a copy of W writes instance i's value of its access L.
 * False: it isn't one element. */
static bool read_copy(struct mutant *m, int s, int k, int w, int l, const char *p)
{
  struct tsr_access *access = &m->scop->stmts[s].access[k];
  struct tsr_stmt *writer = &m->scop->stmts[w];
  isl_map *write = isl_map_intersect_domain(isl_map_copy(writer->access[l].relation), isl_set_copy(writer->domain));
  isl_map *from = isl_map_apply_range(isl_map_copy(access->relation), isl_map_reverse(write));
  from = isl_map_intersect_domain(from, isl_set_copy(m->scop->stmts[s].domain));
  if (isl_map_is_single_valued(from) != isl_bool_true) {
    isl_map_free(from);
    return false;
  }
  isl_map_free(access->relation);
  access->relation = isl_map_set_tuple_name(from, isl_dim_out, p);
  access->array = tsr_scop_find_array(m->scop, p);
  return true;
}

/* Another statement than S that writes ARRAY last of its accesses, for sure; -1: there is none. */
static int find_producer(struct mutant *m, int s, int array)
{
  int start = pick(m->r, m->scop->n_stmt);
  for (int i = 0; i < m->scop->n_stmt; i++) {
    int w = (start + i) % m->scop->n_stmt;
    struct tsr_stmt *stmt = &m->scop->stmts[w];
    int l = stmt->n_access - 1;
    if (w != s && l >= 0 && stmt->kind == TSR_STMT_COMPUTE && stmt->access[l].kind == TSR_MUST_WRITE &&
        stmt->access[l].array == array && m->scop->arrays[array].space == TSR_SPACE_PROGRAM)
      return w;
  }
  return -1;
}

/* Some statement is recomputed by a copy, for what some other reads of it: before -> after
 *
 *   W: X[..] = ..; R: .. = X[..]   ->   W_copy: P[i] = ..; W: X[..] = ..; R: .. = P[..] */
static bool recompute(struct mutant *m)
{
  int s = pick_stmt(m, false), k = m->scop->stmts[s].n_access ? pick(m->r, m->scop->stmts[s].n_access) : -1;
  struct tsr_access *read = k < 0 ? NULL : &m->scop->stmts[s].access[k];
  int w = read && read->kind == TSR_READ ? find_producer(m, s, read->array) : -1;
  if (w < 0)
    return false;
  int l = m->scop->stmts[w].n_access - 1, size = m->scop->arrays[read->array].elem_size, copy = add_copy(m, w);
  isl_set *extent = isl_set_reset_tuple_id(isl_set_copy(m->scop->stmts[w].domain));
  isl_size p = tsr_scop_add_array(m->scop, "recomputed", TSR_ARRAY_MEMORY, size, extent);
  if (p < 0 || copy < 0)
    return false;
  m->scop->arrays[p].space = TSR_SPACE_HEAP;
  m->scop->arrays[p].live_in = m->scop->arrays[p].live_out = false;
  struct tsr_stmt *stmt = &m->scop->stmts[copy];
  isl_map *same = isl_map_identity(isl_space_map_from_set(isl_set_get_space(stmt->domain)));
  isl_map_free(stmt->access[l].relation);
  stmt->access[l].relation = isl_map_set_tuple_name(same, isl_dim_out, "recomputed");
  stmt->access[l].array = (int)p;
  return read_copy(m, s, k, w, l, "recomputed") && place_stmt(m, copy, true);
}

/* PROGRAM where something is recomputed, somewhere. */
static struct tsr_program *apply_recompute(struct random *r, struct tsr_program *program)
{
  struct mutant m;
  FILE *log = fopen("/dev/null", "w");
  mutant_init(&m, r, program, log);
  bool good = recompute(&m);
  fclose(log);
  struct tsr_program *next = mutant_program(&m);
  if (good && next && tsr_program_validate(next) == isl_stat_ok) {
    next = if_right(program, next);
    count.recomputed += next != program;
    return next;
  }
  isl_ctx_reset_error(program->original->ctx);
  tsr_program_free(next);
  return program;
}

/* The base of SEED, its original in *SCOP; NULL: there is none. */
static struct tsr_program *make_base(isl_ctx *ctx, struct random *r, uint64_t seed, const struct files files[2],
                                     struct tsr_scop **scop)
{
  make_scop(r, seed, (int)(seed % 5));
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
  for (int i = pick(r, 4) ? RECOMPUTED : 0; i > 0 && program && from >= 2 && program->scop->n_stmt; i--)
    program = apply_recompute(r, program);
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

/* Is PROGRAM right? *WHY says why not. An error, too, where isl makes loops that can't be emitted as what a mark says. */
static isl_bool interpret(struct tsr_program *program, char **why)
{
  int n_run = 0;
  isl_ast_node *ast = tsr_ast_build(program->scop, program->scop->schedule);
  isl_bool same = ast ? tsr_interp_sweep_program(program, ast, MOST_INSTANCES, &n_run, why) : isl_bool_error;
  if (same == isl_bool_false && !tsr_lockstep_nests_are_good(ast))
    same = isl_bool_error;
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
  fprintf(stderr, "%ld mutants of %ld bases; %ld are no programs, %ld given up; %ld seeds without a base; %ld recomputed\n",
          count.mutants, count.bases, count.invalid, count.given_up, count.no_base, count.recomputed);
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
