/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Transformed programs: the text form, the expansion of extension nodes, checker and interpreter. Each file of test/programs
 * says in its first line, behind "# expect: ", what becomes of it:
 *
 *     same                      it is right, as interpreter and checker say
 *     same if relaxed: WORDS    the checker, in these words, accepts it only if reductions are relaxed
 *     same but refused by WORDS the interpreter finds nothing wrong; the checker refuses it, in these words
 *     differs                   it is wrong, as both say
 *     differs: WORDS            the checker in these words
 *     refused WORDS             it is no program, in these words */
#include "ast/ast.h"
#include "check.h"
#include "tree/cached_arrays.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* A check with something to say. */
#define CHECK_MESSAGE(condition, message)                                                                                   \
  (CHECK(condition) || (fprintf(stderr, "  %s\n", (message) ? (message) : "(no message)"), false))

/* The first line of FILE, behind "# expect: ". */
static void read_expectation(FILE *file, char *expect, int size)
{
  static const char lead[] = "# expect: ";
  CHECK(fgets(expect, size, file) && !strncmp(expect, lead, strlen(lead)));
  memmove(expect, expect + strlen(lead), strlen(expect) - strlen(lead) + 1);
  expect[strcspn(expect, "\n")] = 0;
}

/* PROGRAM, written and read again, is the same. */
static void check_round_trip(isl_ctx *ctx, struct tsr_program *program, const char *path)
{
  char *why = NULL, *error = NULL, *text = NULL;
  size_t size = 0;
  struct tsr_scop *scop = NULL;
  FILE *out = open_memstream(&text, &size);
  CHECK(tsr_program_write(program, out) == isl_stat_ok);
  fclose(out);
  FILE *in = fmemopen(text, size, "r");
  struct tsr_program *again = tsr_program_read(ctx, in, path, &scop, &error);
  fclose(in);
  CHECK_MESSAGE(again != NULL, error);
  CHECK_MESSAGE(tsr_scop_is_equal(program->original, scop, &why) == isl_bool_true, why);
  CHECK_MESSAGE(tsr_program_is_equal(program, again, &why) == isl_bool_true, why);
  tsr_program_free(again);
  tsr_scop_free(scop);
  free(text);
}

/* Does PROGRAM leave the same memory as its original? */
static bool runs_alike(struct tsr_program *program, char **why)
{
  int n_run = 0;
  isl_ast_node *ast = tsr_ast_build(program->scop, program->scop->schedule);
  CHECK(ast != NULL);
  isl_bool same = tsr_interp_sweep_program(program, ast, 20000, &n_run, why);
  CHECK(same >= 0 && n_run > 0);
  isl_ast_node_free(ast);
  return same;
}

/* Does what the checker says of PROGRAM agree with EXPECT? */
static void check_verdict(struct tsr_program *program, const char *expect, const char *path)
{
  char *why = NULL;
  bool same = !strncmp(expect, "same", 4), relaxed = !strncmp(expect, "same if relaxed", 15);
  const char *words = strstr(expect, "refused by ") ? strstr(expect, "refused by ") + 11
                      : strstr(expect, ": ")        ? strstr(expect, ": ") + 2
                                                    : NULL;
  isl_bool right = tsr_check_program(program, TSR_STRICT, &why);
  CHECK_MESSAGE(right == isl_bool_ok(same && !words), why ? why : path);
  bool said = !words || (why && strstr(why, words));
  if (!CHECK_MESSAGE(said, why))
    fprintf(stderr, "  %s\n", path);
  free(why);
  why = NULL;
  right = tsr_check_program(program, TSR_RELAXED, &why);
  CHECK_MESSAGE(right == isl_bool_ok(same && (!words || relaxed)), why ? why : path);
  free(why);
}

static void check_file(isl_ctx *ctx, const char *path)
{
  char expect[200], *error = NULL, *why = NULL;
  FILE *file = fopen(path, "r");
  struct tsr_scop *scop = NULL;
  CHECK(file != NULL);
  read_expectation(file, expect, sizeof(expect));
  rewind(file);
  struct tsr_program *program = tsr_program_read(ctx, file, path, &scop, &error);
  fclose(file);
  if (!strncmp(expect, "refused ", 8)) {
    CHECK_MESSAGE(!program && error && strstr(error, expect + 8), error ? error : path);
    isl_ctx_reset_error(ctx);
  } else if (CHECK_MESSAGE(program != NULL, error)) {
    CHECK(tsr_program_adopt_marks(program) == isl_stat_ok);
    check_round_trip(ctx, program, path);
    bool same = runs_alike(program, &why);
    if (!CHECK_MESSAGE(same == !strncmp(expect, "same", 4), why))
      fprintf(stderr, "  %s\n", path);
    check_verdict(program, expect, path);
  }
  free(error);
  free(why);
  tsr_program_free(program);
  tsr_scop_free(scop);
}

/* A program that shares its SCoP with its original, and one that doesn't any more. */
static void check_copies(isl_ctx *ctx)
{
  char *error = NULL;
  struct tsr_scop *scop;
  FILE *file = fopen("test/scops/gemm.scop", "r");
  struct tsr_program *program = tsr_program_read(ctx, file, "gemm.scop", &scop, &error);
  fclose(file);
  CHECK_MESSAGE(program && program->scop == scop, error);
  struct tsr_program *other = tsr_program_copy(program);
  int array = -1;
  other =
      tsr_program_add_array(other, "A", TSR_SPACE_HEAP, 8, isl_set_read_from_str(ctx, "{ [i, j] : 0 <= i < 4 }"), &array);
  CHECK(other && other != program && program->scop == scop && other->scop != scop);
  CHECK(array == scop->n_array && !strcmp(other->scop->arrays[array].name, "A1"));
  CHECK(!other->scop->arrays[array].live_in && other->scop->arrays[array].space == TSR_SPACE_HEAP);
  CHECK(tsr_program_validate(other) == isl_stat_ok && tsr_program_validate(program) == isl_stat_ok);
  isl_map *to_buffer = isl_map_read_from_str(ctx, "{ S1[i, k, j] -> A1[i mod 4, k] }");
  other = tsr_program_redirect(other, 1, 1, to_buffer);
  CHECK(other && other->scop->stmts[1].access[1].array == array && scop->stmts[1].access[1].array == 1);
  CHECK(tsr_program_redirect(other, 1, 7, isl_map_read_from_str(ctx, "{ S1[i, k, j] -> A1[i mod 4, k] }")) == NULL);
  tsr_program_free(program);
  tsr_scop_free(scop);
}

/* What check_cached works on. */
struct caching {
  struct tsr_program *program;
  const char *path;
  int n_made, n_right, n_private;
};

/* The loop of NODE around a buffer's life is one for threads. */
static isl_schedule_node *share_loop(__isl_take isl_schedule_node *node, void *user)
{
  (void)user;
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
    return node;
  isl_schedule_node *below = isl_schedule_node_get_child(node, 0);
  bool around = tsr_node_is_mark(below, TSR_MARK_ALLOCATE);
  isl_schedule_node_free(below);
  return around ? tsr_mark_insert_word(node, TSR_MARK_PARALLEL) : node;
}

/* PROGRAM where each iteration of the loop around BELOW has ARRAY for itself, and runs in any thread; as tsr_program_cache.
 */
static struct tsr_program *privatise(__isl_take struct tsr_program *program, isl_schedule_node *below, int array, char **why)
{
  program = tsr_program_privatise(program, below, array, why);
  if (!program)
    return NULL;
  isl_schedule *tree = isl_schedule_copy(program->tree);
  return tsr_program_set_tree(program, isl_schedule_map_schedule_node_bottom_up(tree, share_loop, NULL));
}

/* Each array in a buffer below the loop around BELOW, or PRIVATE to its iterations: what comes out is accepted by the
 * checker if the memory is the same, and refused or the same else. */
static void check_cached_at(struct caching *caching, isl_schedule_node *below, bool private)
{
  for (int a = 0; a < caching->program->scop->n_array; a++) {
    char *why = NULL, *wrong = NULL, *different = NULL;
    struct tsr_program *cached = tsr_program_copy(caching->program);
    cached = private ? privatise(cached, below, a, &why) : tsr_program_cache(cached, below, a, TSR_SPACE_HEAP, &why);
    if (cached) {
      caching->n_made++;
      CHECK_MESSAGE(tsr_program_validate(cached) == isl_stat_ok, caching->path);
      isl_bool right = tsr_check_program(cached, TSR_STRICT, &wrong);
      bool same = runs_alike(cached, &different);
      if (!CHECK_MESSAGE(right >= 0 && (right == isl_bool_false || same), different ? different : "an error"))
        fprintf(stderr, "  %s, array %d\n", caching->path, a);
      caching->n_right += right == isl_bool_true;
      caching->n_private += private && right == isl_bool_true;
    } else {
      CHECK_MESSAGE(why != NULL, caching->path);
    }
    tsr_program_free(cached);
    free(why);
    free(wrong);
    free(different);
  }
}

/* The same for the loops of the band NODE. */
static isl_bool check_cached(isl_schedule_node *node, void *user)
{
  struct caching *caching = user;
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
    return isl_bool_true;
  isl_schedule_node *below = isl_schedule_node_get_child(node, 0);
  check_cached_at(caching, below, false);
  isl_schedule_node_free(below);
  below = isl_schedule_node_copy(node);
  if (isl_schedule_node_band_n_member(below) > 1)
    below = isl_schedule_node_band_split(below, 1);
  below = isl_schedule_node_child(below, 0);
  check_cached_at(caching, below, true);
  isl_schedule_node_free(below);
  return isl_bool_true;
}

static int is_scop(const struct dirent *entry)
{
  return strstr(entry->d_name, ".scop") != NULL;
}

/* check_cached for all bands of all of test/scops. */
static void check_caches(isl_ctx *ctx)
{
  struct dirent **entry;
  int n = scandir("test/scops", &entry, is_scop, alphasort), n_made = 0, n_right = 0, n_private = 0;
  CHECK(n > 10);
  for (int i = 0; i < n; i++) {
    char path[512], *error = NULL;
    struct tsr_scop *scop = NULL;
    snprintf(path, sizeof(path), "test/scops/%s", entry[i]->d_name);
    FILE *file = fopen(path, "r");
    struct caching caching = {tsr_program_read(ctx, file, path, &scop, &error), path, 0, 0, 0};
    fclose(file);
    CHECK_MESSAGE(caching.program != NULL, error);
    isl_schedule_node *root = isl_schedule_get_root(caching.program->tree);
    isl_schedule_node_foreach_descendant_top_down(root, check_cached, &caching);
    isl_schedule_node_free(root);
    n_made += caching.n_made;
    n_right += caching.n_right;
    n_private += caching.n_private;
    if (getenv("VERBOSE"))
      printf("%s: %d caches, %d right, %d private\n", path, caching.n_made, caching.n_right, caching.n_private);
    tsr_program_free(caching.program);
    tsr_scop_free(scop);
    free(error);
    free(entry[i]);
  }
  free(entry);
  CHECK(n_made > 50 && n_right > n_made / 2);
}

int main(void)
{
  isl_ctx *ctx = isl_ctx_alloc();
  struct dirent **entry;
  int n = scandir("test/programs", &entry, NULL, alphasort);
  CHECK(n > 2);
  for (int i = 0; i < n; i++) {
    char path[512];
    snprintf(path, sizeof(path), "test/programs/%s", entry[i]->d_name);
    if (strstr(entry[i]->d_name, ".scop"))
      check_file(ctx, path);
    free(entry[i]);
  }
  free(entry);
  check_copies(ctx);
  check_caches(ctx);
  isl_ctx_free(ctx);
  return check_report();
}
