/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Does a tree keep what its marks promise (marks/marks.def)? A function for each kind, in a table; where there is none the
 * mark is refused. Relations that prove it are in the files of promises.h. */
#include "check/promises.h"
#include <isl/id.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The mark at NODE. */
struct promise {
  struct tsr_program *program;
  struct tsr_scop *scop; /* the program's */
  isl_schedule_node *node;
  const struct tsr_mark *mark;
  char **why;
};

/* Record the sentence, unless there is one, and return "not kept". */
__attribute__((format(printf, 2, 3))) static isl_bool fail(struct promise *promise, const char *format, ...)
{
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  if (!*promise->why)
    *promise->why = strdup(text);
  return isl_bool_false;
}

/* WRONG, static text: what is; NULL: nothing. */
static isl_bool verdict(struct promise *promise, const char *wrong)
{
  return wrong ? fail(promise, "%s", wrong) : isl_bool_true;
}

/* Is there a node around NODE that IS? */
static bool is_under(isl_schedule_node *node, bool (*is)(isl_schedule_node *node))
{
  bool found = false;
  node = isl_schedule_node_copy(node);
  while (!found && isl_schedule_node_has_parent(node) == isl_bool_true) {
    node = isl_schedule_node_parent(node);
    found = is(node);
  }
  isl_schedule_node_free(node);
  return found;
}

/* A mark for threads, of a CPU or a GPU? */
static bool is_parallel(isl_schedule_node *node)
{
  return tsr_node_is_for_threads(node) || tsr_node_is_mark(node, TSR_MARK_KERNEL);
}

/* .. of which iterations wait for each other? */
static bool is_doacross(isl_schedule_node *node)
{
  return tsr_node_is_mark(node, TSR_MARK_DOACROSS);
}

/* Does BAND run what belongs to the thread that runs the SCoP, be it by a copy of the original's statement? */
static isl_bool is_of_one_thread(struct promise *promise, isl_schedule_node *band)
{
  isl_bool is = isl_bool_false;
  isl_union_set *domain = isl_schedule_node_get_domain(band);
  for (int i = 0; i < promise->scop->n_stmt && is == isl_bool_false; i++) {
    struct tsr_stmt *stmt = &promise->scop->stmts[i];
    int number = tsr_stmt_original(promise->program, stmt);
    if (!stmt->one_thread && (number < 0 || !promise->program->original->stmts[number].one_thread))
      continue;
    isl_union_set *own = isl_union_set_from_set(isl_set_copy(stmt->domain));
    is = isl_bool_not(isl_union_set_is_disjoint(domain, own));
    isl_union_set_free(own);
  }
  isl_union_set_free(domain);
  return is;
}

/* The text of the mark, for people. */
static isl_bool fail_names(struct promise *promise, const char *what)
{
  char *text = tsr_mark_write(promise->mark);
  fail(promise, "a mark \"%s\" names what is no %s", text ? text : "?", what);
  free(text);
  return isl_bool_false;
}

/* ---- loops ---- */

/* The band of one member below the mark; NULL: there is none. */
static isl_schedule_node *loop_below(struct promise *promise)
{
  isl_schedule_node *band = isl_schedule_node_get_child(promise->node, 0);
  if (isl_schedule_node_get_type(band) == isl_schedule_node_band && isl_schedule_node_band_n_member(band) == 1)
    return band;
  if (band)
    fail(promise, "a mark that does not stand above a band of one member");
  return isl_schedule_node_free(band);
}

/* May the iterations of IT run at once, as far as arrays not flagged in APART (NULL: none) go? DOACROSS: as those wait. */
static isl_bool are_free(struct tsr_iterations *it, const bool *apart, bool doacross)
{
  isl_bool ok = isl_bool_true;
  for (int i = 0; i < it->scop->n_array && ok == isl_bool_true; i++)
    if (!apart || !apart[i])
      ok = it->scop->arrays[i].kind == TSR_ARRAY_SCALAR ? tsr_iterations_keep_scalar(it, i)
                                                        : isl_bool_not(tsr_iterations_share(it, i, doacross));
  return ok;
}

/* Is nothing in the way of threads for the loop of IT? What lives below it each has for itself. */
static isl_bool check_iterations(struct promise *promise, struct tsr_iterations *it)
{
  bool *apart = calloc(promise->scop->n_array + 1, sizeof(*apart));
  isl_bool ok = isl_bool_ok(apart != NULL);
  if (!ok || tsr_node_allocates(it->band, promise->scop, apart) < 0)
    ok = isl_bool_error;
  if (ok == isl_bool_true)
    ok = are_free(it, apart, false);
  free(apart);
  return ok;
}

static isl_bool check_parallel(struct promise *promise)
{
  struct tsr_iterations it = {0};
  isl_schedule_node *band = loop_below(promise);
  isl_bool ok = isl_bool_ok(band != NULL);
  if (ok == isl_bool_true && is_under(promise->node, is_parallel))
    ok = fail(promise, "a parallel loop inside of another");
  if (ok == isl_bool_true && tsr_iterations_init(&it, promise->program, band, 1) < 0)
    ok = isl_bool_error;
  if (ok == isl_bool_true) {
    ok = check_iterations(promise, &it);
    if (ok == isl_bool_true)
      ok = isl_bool_not(is_of_one_thread(promise, band));
    if (ok == isl_bool_false)
      fail(promise, "the iterations of a loop marked parallel depend on each other");
  }
  tsr_iterations_clear(&it);
  isl_schedule_node_free(band);
  return ok;
}

/* ---- doacross ---- */

/* Is NODE a band of N members? */
static bool is_band_of(isl_schedule_node *node, int n)
{
  return isl_schedule_node_get_type(node) == isl_schedule_node_band && isl_schedule_node_band_n_member(node) == n;
}

/* The marks of steps below a node. */
struct steps {
  isl_schedule_node *last;
  int n;
};

static isl_bool find_steps(isl_schedule_node *node, void *user)
{
  struct steps *steps = user;
  if (tsr_node_is_mark(node, TSR_MARK_STEPS)) {
    steps->n++;
    isl_schedule_node_free(steps->last);
    steps->last = isl_schedule_node_copy(node);
  }
  return isl_bool_true;
}

/* The band of one member below the only mark of steps below ROWS, as the next loop; NULL: there is none. */
static isl_schedule_node *find_columns(isl_schedule_node *rows)
{
  struct steps steps = {NULL, 0};
  isl_stat ok = isl_schedule_node_foreach_descendant_top_down(rows, find_steps, &steps);
  if (ok < 0 || steps.n != 1)
    return isl_schedule_node_free(steps.last);
  isl_schedule_node *band = isl_schedule_node_child(steps.last, 0);
  bool next =
      is_band_of(band, 1) && isl_schedule_node_get_schedule_depth(band) == isl_schedule_node_get_schedule_depth(rows) + 1;
  return next ? band : isl_schedule_node_free(band);
}

/* Is what IT, that of ROWS, runs beside COLUMNS nothing but moves, of what no other iteration of ROWS touches? OWN: buffers
 * that each has for itself. */
static isl_bool check_beside(struct promise *promise, struct tsr_iterations *it, isl_schedule_node *columns, const bool *own)
{
  isl_bool ok = isl_bool_true;
  isl_union_set *beside = isl_union_set_subtract(isl_union_set_copy(it->domain), isl_schedule_node_get_domain(columns));
  for (int i = 0; i < promise->scop->n_stmt && ok == isl_bool_true; i++) {
    const struct tsr_stmt *stmt = &promise->scop->stmts[i];
    isl_union_set *domain = isl_union_set_from_set(isl_set_copy(stmt->domain));
    isl_bool none = isl_union_set_is_disjoint(domain, beside);
    isl_union_set_free(domain);
    ok = none < 0 ? none : isl_bool_ok(none || stmt->kind == TSR_STMT_MOVE);
    for (int k = 0; k < stmt->n_access && ok == isl_bool_true && !none; k++)
      if (!own[stmt->access[k].array])
        ok = isl_bool_not(tsr_iterations_share(it, stmt->access[k].array, false));
  }
  isl_union_set_free(beside);
  return ok;
}

/* May the iterations of the loops ROWS, and COLUMNS in it below a mark of steps, wait for each other as those of a doacross
 * loop, and what is beside COLUMNS for nobody? */
static isl_bool check_rows(struct promise *promise, isl_schedule_node *rows)
{
  struct tsr_iterations all = {0}, both = {0};
  isl_schedule_node *columns = find_columns(rows);
  bool *own = calloc((size_t)promise->scop->n_array + 1, sizeof(*own));
  isl_bool ok = isl_bool_ok(columns != NULL);
  if (ok == isl_bool_true && (!own || tsr_node_allocates(rows, promise->scop, own) < 0 ||
                              tsr_iterations_init(&all, promise->program, rows, 1) < 0 ||
                              tsr_iterations_init_rows(&both, promise->program, rows, columns) < 0))
    ok = isl_bool_error;
  if (ok == isl_bool_true)
    ok = check_beside(promise, &all, columns, own);
  if (ok == isl_bool_true)
    ok = are_free(&both, own, true);
  free(own);
  tsr_iterations_clear(&all);
  tsr_iterations_clear(&both);
  isl_schedule_node_free(columns);
  return ok;
}

/* The same of BAND, of both. */
static isl_bool check_both(struct promise *promise, isl_schedule_node *band)
{
  struct tsr_iterations it = {0};
  isl_bool ok = tsr_iterations_init(&it, promise->program, band, 2) < 0 ? isl_bool_error : are_free(&it, NULL, true);
  tsr_iterations_clear(&it);
  return ok;
}

static isl_bool check_doacross(struct promise *promise)
{
  if (is_under(promise->node, is_parallel))
    return fail(promise, "a doacross loop inside of a parallel one");
  isl_schedule_node *band = isl_schedule_node_get_child(promise->node, 0);
  isl_bool ok = is_band_of(band, 2)   ? check_both(promise, band)
                : is_band_of(band, 1) ? check_rows(promise, band)
                                      : isl_bool_false;
  if (ok == isl_bool_true)
    ok = isl_bool_not(is_of_one_thread(promise, band));
  isl_schedule_node_free(band);
  return ok == isl_bool_false ? fail(promise, "iterations of a loop marked doacross depend on some that they don't wait for")
                              : ok;
}

/* Is the mark in a loop marked doacross? That one's check says the rest. */
static isl_bool check_steps(struct promise *promise)
{
  isl_schedule_node *node = isl_schedule_node_parent(isl_schedule_node_copy(promise->node));
  while (isl_schedule_node_has_parent(node) == isl_bool_true && !tsr_node_is_for_threads(node))
    node = isl_schedule_node_parent(node);
  bool in = tsr_node_is_mark(node, TSR_MARK_DOACROSS);
  node = in ? isl_schedule_node_child(node, 0) : node;
  in = in && is_band_of(node, 1);
  isl_schedule_node_free(node);
  return in ? isl_bool_true : fail(promise, "steps that aren't those of a doacross loop");
}

/* ---- kernels ---- */

/* May the iterations of member POS of BAND, in one iteration of those before it, run at once? Buffers that live below BAND
 * each has for itself. */
static isl_bool is_free_member(struct promise *promise, isl_schedule_node *band, int pos)
{
  struct tsr_iterations it = {0};
  bool *apart = calloc((size_t)promise->scop->n_array + 1, sizeof(*apart));
  isl_schedule_node *below = isl_schedule_node_get_child(band, 0);
  isl_stat known = apart ? tsr_node_allocates(below, promise->scop, apart) : isl_stat_error;
  isl_schedule_node_free(below);
  isl_schedule_node *rest = isl_schedule_node_copy(band);
  if (pos > 0)
    rest = isl_schedule_node_child(isl_schedule_node_band_split(rest, pos), 0);
  isl_bool ok =
      known < 0 || tsr_iterations_init(&it, promise->program, rest, 1) < 0 ? isl_bool_error : are_free(&it, apart, false);
  free(apart);
  tsr_iterations_clear(&it);
  isl_schedule_node_free(rest);
  return ok;
}

/* Does what is below NODE write no SCALAR array? */
static isl_bool writes_no_scalar(struct promise *promise, isl_schedule_node *node)
{
  isl_bool none = isl_bool_true;
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  for (int i = 0; i < promise->scop->n_stmt && none == isl_bool_true; i++) {
    const struct tsr_stmt *stmt = &promise->scop->stmts[i];
    bool writes = false;
    for (int k = 0; k < stmt->n_access; k++)
      writes |= stmt->access[k].kind != TSR_READ && promise->scop->arrays[stmt->access[k].array].kind == TSR_ARRAY_SCALAR;
    isl_union_set *own = writes ? isl_union_set_from_set(isl_set_copy(stmt->domain)) : NULL;
    none = writes ? isl_union_set_is_disjoint(domain, own) : isl_bool_true;
    isl_union_set_free(own);
  }
  isl_union_set_free(domain);
  return none;
}

/* Two iterations differ first in some member: it is that whose iterations must be free. */
static isl_bool check_kernel(struct promise *promise)
{
  int n = promise->mark->kernel.n;
  if (is_under(promise->node, is_parallel))
    return fail(promise, "a kernel inside of a parallel loop or of another kernel");
  isl_schedule_node *band = isl_schedule_node_get_child(promise->node, 0);
  isl_bool ok = isl_bool_not(is_of_one_thread(promise, band));
  if (ok == isl_bool_false)
    fail(promise, "a kernel with what belongs to the thread that runs the SCoP");
  if (ok == isl_bool_true && n == 0) {
    ok = writes_no_scalar(promise, band);
  } else if (ok == isl_bool_true) {
    ok = isl_bool_ok(isl_schedule_node_get_type(band) == isl_schedule_node_band &&
                     isl_schedule_node_band_n_member(band) == n);
    for (int i = 0; i < n && ok == isl_bool_true; i++)
      ok = is_free_member(promise, band, i);
  }
  isl_schedule_node_free(band);
  if (ok == isl_bool_true && promise->mark->kernel.n_size > 0) {
    ok = tsr_check_phases(promise->node);
    if (ok == isl_bool_false)
      return fail(promise, "a kernel of blocks runs something outside of phases of their threads");
  }
  return ok == isl_bool_false ? fail(promise, "threads of a kernel depend on each other, or on another one's scalars") : ok;
}

/* As of a kernel, after what is about blocks. */
static isl_bool check_threads(struct promise *promise)
{
  isl_bool ok = verdict(promise, tsr_check_threads(promise->program, promise->node));
  isl_schedule_node *band = isl_schedule_node_get_child(promise->node, 0);
  for (int i = 0; i < promise->mark->kernel.n && ok == isl_bool_true; i++) {
    ok = is_free_member(promise, band, i);
    if (ok == isl_bool_false)
      fail(promise, "threads of a phase depend on each other, or on another one's scalars");
  }
  isl_schedule_node_free(band);
  return ok;
}

static isl_bool check_unroll(struct promise *promise)
{
  return verdict(promise, tsr_check_unrolled(promise->program, promise->node));
}

static isl_bool check_vector(struct promise *promise)
{
  struct tsr_iterations it = {0};
  isl_schedule_node *band = loop_below(promise);
  isl_bool ok = isl_bool_ok(band != NULL);
  if (ok == isl_bool_true && tsr_node_has_band_below(band) != isl_bool_false)
    ok = fail(promise, "a vector mark on a loop that is not innermost");
  if (ok == isl_bool_true && tsr_iterations_init(&it, promise->program, band, 1) < 0)
    ok = isl_bool_error;
  bool *own = calloc(promise->scop->n_array + 1, sizeof(*own)); /* registers of an iteration: each lane has its own */
  if (ok == isl_bool_true && (!own || tsr_node_allocates(band, promise->scop, own) < 0))
    ok = isl_bool_error;
  for (int i = 0; i < promise->scop->n_array && ok == isl_bool_true; i++)
    if (promise->scop->arrays[i].kind == TSR_ARRAY_MEMORY &&
        !(own[i] && promise->scop->arrays[i].space == TSR_SPACE_REGISTERS))
      ok = isl_bool_not(tsr_iterations_share(&it, i, false));
  free(own);
  if (ok == isl_bool_false)
    fail(promise, "the iterations of a loop marked vector depend on each other");
  tsr_iterations_clear(&it);
  isl_schedule_node_free(band);
  return ok;
}

static isl_bool is_no_mark(isl_schedule_node *node, void *user)
{
  (void)user;
  return isl_bool_ok(isl_schedule_node_get_type(node) != isl_schedule_node_mark);
}

/* Is the mark below another one for lanes, or above any mark? */
static isl_bool is_among_marks(struct promise *promise, isl_schedule_node *band)
{
  isl_bool found = isl_bool_not(isl_schedule_node_every_descendant(band, is_no_mark, NULL));
  isl_schedule_node *node = isl_schedule_node_copy(promise->node);
  while (found == isl_bool_false && isl_schedule_node_has_parent(node) == isl_bool_true) {
    node = isl_schedule_node_parent(node);
    found = isl_bool_ok(tsr_node_is_mark(node, TSR_MARK_LOCKSTEP));
  }
  isl_schedule_node_free(node);
  return found;
}

/* Can all statements below BAND run for several lanes? */
static isl_bool have_lanes(struct promise *promise, isl_schedule_node *band)
{
  isl_bool ok = isl_bool_true;
  isl_union_set *domain = isl_schedule_node_get_domain(band);
  for (int i = 0; i < promise->scop->n_stmt && ok == isl_bool_true; i++) {
    if (promise->scop->stmts[i].lane_bytes)
      continue;
    isl_union_set *own = isl_union_set_from_set(isl_set_copy(promise->scop->stmts[i].domain));
    ok = isl_union_set_is_disjoint(domain, own);
    isl_union_set_free(own);
  }
  isl_union_set_free(domain);
  return ok;
}

static isl_bool check_lockstep(struct promise *promise)
{
  struct tsr_iterations it = {0};
  isl_schedule_node *band = loop_below(promise);
  isl_bool ok = isl_bool_ok(band != NULL);
  if (ok == isl_bool_true && is_among_marks(promise, band) != isl_bool_false)
    ok = fail(promise, "a mark of lanes around or inside of another mark");
  if (ok == isl_bool_true && have_lanes(promise, band) != isl_bool_true)
    ok = fail(promise, "a statement that can't run for several lanes");
  if (ok == isl_bool_true && tsr_iterations_init(&it, promise->program, band, 1) < 0)
    ok = isl_bool_error;
  if (ok == isl_bool_true) {
    ok = are_free(&it, NULL, false);
    if (ok == isl_bool_false)
      fail(promise, "the iterations of a loop of lanes depend on each other");
  }
  if (ok == isl_bool_true) {
    ok = tsr_iterations_are_alike(&it, promise->mark->lockstep.vectors * promise->mark->lockstep.lanes);
    if (ok == isl_bool_false)
      fail(promise, "a loop of lanes in which lanes are missing, are too many, or run something else");
  }
  tsr_iterations_clear(&it);
  isl_schedule_node_free(band);
  return ok;
}

/* Is STMT rare, as the original's statement that it performs, and are all its writes to SCALAR arrays? */
static bool is_rare(const struct promise *promise, const struct tsr_stmt *stmt)
{
  int number = tsr_stmt_original(promise->program, stmt);
  bool rare = stmt->rare && number >= 0 && promise->program->original->stmts[number].rare;
  for (int k = 0; k < stmt->n_access && rare; k++)
    rare = stmt->access[k].kind == TSR_READ || promise->scop->arrays[stmt->access[k].array].kind == TSR_ARRAY_SCALAR;
  return rare;
}

/* Which statements don't matter: they stay in their order. */
static isl_bool check_rare(struct promise *promise)
{
  isl_schedule_node *band = loop_below(promise);
  isl_schedule_node *below = band ? isl_schedule_node_get_child(band, 0) : NULL;
  isl_bool ok = isl_bool_ok(below != NULL);
  if (ok == isl_bool_true && isl_schedule_node_get_type(below) != isl_schedule_node_leaf)
    ok = fail(promise, "a loop of rare changes that has more in it than one statement");
  isl_union_set *domain = band ? isl_schedule_node_get_domain(band) : NULL;
  int n = 0;
  for (int i = 0; i < promise->scop->n_stmt && ok == isl_bool_true; i++) {
    isl_union_set *own = isl_union_set_from_set(isl_set_copy(promise->scop->stmts[i].domain));
    isl_bool apart = isl_union_set_is_disjoint(domain, own);
    isl_union_set_free(own);
    n += apart == isl_bool_false;
    if (apart < 0)
      ok = isl_bool_error;
    else if (!apart && (n > 1 || !is_rare(promise, &promise->scop->stmts[i])))
      ok = fail(promise, "a loop of rare changes with a statement that changes something always, or with several");
  }
  isl_union_set_free(domain);
  isl_schedule_node_free(below);
  isl_schedule_node_free(band);
  return ok;
}

/* { S -> A[e] } of the writes (or reads, in the order of accesses BEHIND one) of STMT to MEMORY arrays. */
static isl_union_map *memory_accesses(struct promise *promise, int stmt, bool writes, int behind)
{
  isl_union_map *all = isl_union_map_empty_ctx(promise->scop->ctx);
  const struct tsr_stmt *s = &promise->scop->stmts[stmt];
  for (int k = behind; k < s->n_access; k++)
    if (promise->scop->arrays[s->access[k].array].kind == TSR_ARRAY_MEMORY && (s->access[k].kind != TSR_READ) == writes)
      all =
          isl_union_map_add_map(all, isl_map_intersect_domain(isl_map_copy(s->access[k].relation), isl_set_copy(s->domain)));
  return all;
}

/* The first write of STMT; n_access: there is none. A SCALAR one: -1. */
static int first_write(struct promise *promise, int stmt)
{
  const struct tsr_stmt *s = &promise->scop->stmts[stmt];
  int first = s->n_access;
  for (int k = s->n_access - 1; k >= 0; k--)
    if (s->access[k].kind != TSR_READ) {
      if (promise->scop->arrays[s->access[k].array].kind == TSR_ARRAY_SCALAR)
        return -1;
      first = k;
    }
  return first;
}

/* Do reads READ { S -> A } and writes WRITTEN { T -> A } of the iterations of IT never meet in one iteration? */
static isl_bool never_meet(struct tsr_iterations *it, __isl_take isl_union_map *written, __isl_take isl_union_map *read)
{
  isl_union_map *pairs = isl_union_map_apply_range(written, isl_union_map_reverse(read));
  isl_union_map *same =
      isl_union_map_apply_range(isl_union_map_copy(it->time), isl_union_map_reverse(isl_union_map_copy(it->time)));
  pairs = isl_union_map_intersect(pairs, same);
  isl_bool none = isl_union_map_is_empty(pairs);
  isl_union_map_free(pairs);
  return none;
}

/* The statement of the leaf that is part I of BODY, a leaf or a sequence of filters of leaves, one statement each; -1: it is
 * none. */
static int stmt_of_part(struct promise *promise, __isl_keep isl_schedule_node *body, int i)
{
  bool sequence = isl_schedule_node_get_type(body) == isl_schedule_node_sequence;
  isl_schedule_node *leaf =
      sequence ? isl_schedule_node_grandchild(isl_schedule_node_copy(body), i, 0) : isl_schedule_node_copy(body);
  isl_union_set *domain = isl_schedule_node_get_domain(leaf);
  bool one = isl_schedule_node_get_type(leaf) == isl_schedule_node_leaf && isl_union_set_n_set(domain) == 1;
  isl_set *own = one ? isl_set_from_union_set(isl_union_set_copy(domain)) : NULL;
  int stmt = own ? tsr_scop_find_stmt(promise->scop, isl_set_get_tuple_name(own)) : -1;
  isl_set_free(own);
  isl_union_set_free(domain);
  isl_schedule_node_free(leaf);
  return stmt;
}

/* May all reads of an iteration below BODY come before its writes? */
static isl_bool reads_come_first(struct promise *promise, struct tsr_iterations *it, __isl_keep isl_schedule_node *body)
{
  bool sequence = isl_schedule_node_get_type(body) == isl_schedule_node_sequence;
  int n = sequence ? (int)isl_schedule_node_n_children(body) : 1;
  isl_union_map *written = isl_union_map_empty_ctx(promise->scop->ctx);
  isl_bool ok = isl_bool_true;
  for (int i = 0; i < n && ok == isl_bool_true; i++) {
    int stmt = stmt_of_part(promise, body, i), first = stmt < 0 ? -1 : first_write(promise, stmt);
    if (first < 0 || promise->scop->stmts[stmt].kind != TSR_STMT_COMPUTE) {
      ok = fail(promise, "a loop of preloads with what is no single statement, or writes scalars");
      break;
    }
    isl_union_map *own = memory_accesses(promise, stmt, true, 0);
    ok = never_meet(it, isl_union_map_copy(written), memory_accesses(promise, stmt, false, 0));
    if (ok == isl_bool_true)
      ok = never_meet(it, isl_union_map_copy(own), memory_accesses(promise, stmt, false, first));
    if (ok == isl_bool_false)
      fail(promise, "a loop of preloads in which a statement reads what the same iteration has written");
    written = isl_union_map_union(written, own);
  }
  isl_union_map_free(written);
  return ok;
}

static isl_bool check_preload(struct promise *promise)
{
  struct tsr_iterations it = {0};
  isl_schedule_node *band = loop_below(promise);
  isl_schedule_node *body = band ? isl_schedule_node_get_child(band, 0) : NULL;
  isl_bool ok = isl_bool_ok(body != NULL);
  if (ok == isl_bool_true && tsr_iterations_init(&it, promise->program, band, 1) < 0)
    ok = isl_bool_error;
  if (ok == isl_bool_true)
    ok = reads_come_first(promise, &it, body);
  tsr_iterations_clear(&it);
  isl_schedule_node_free(body);
  isl_schedule_node_free(band);
  return ok;
}

/* ---- tiles and buffers ---- */

static isl_bool check_registers(struct promise *promise)
{
  return verdict(promise, tsr_check_registers(promise->scop, promise->node, &promise->mark->tile));
}

static isl_bool check_edges(struct promise *promise)
{
  const struct tsr_edges *edges = &promise->mark->edges;
  const char *wrong = NULL;
  for (int i = 0; i < edges->n && !wrong; i++)
    wrong = tsr_check_edge(promise->scop, &edges->edge[i]);
  return verdict(promise, wrong);
}

/* What is packed is told by arrays and moves; the mark says which read was meant. */
static isl_bool check_pack(struct promise *promise)
{
  struct tsr_pack pack;
  return tsr_mark_pack(promise->mark, promise->scop, &pack) ? isl_bool_true : fail_names(promise, "read");
}

/* So it is of panels. */
static isl_bool check_panel(struct promise *promise)
{
  struct tsr_panel panel;
  return tsr_mark_panel(promise->mark, promise->scop, &panel) ? isl_bool_true : fail_names(promise, "array");
}

/* Does a mark of allocation name what there is? Lifetimes are the business of check_buffers.c. */
static isl_bool check_allocate(struct promise *promise)
{
  bool *named = calloc(promise->scop->n_array + 1, sizeof(*named));
  isl_bool ok = named ? isl_bool_ok(tsr_mark_arrays(promise->mark, promise->scop, named)) : isl_bool_error;
  free(named);
  return ok == isl_bool_false ? fail_names(promise, "buffer") : ok;
}

/* Is it a loop for vectors, of one statement, for which nobody waits? */
static isl_bool check_stream(struct promise *promise)
{
  isl_union_set *domain = isl_schedule_node_get_domain(promise->node);
  isl_size n = isl_union_set_n_set(domain);
  isl_union_set_free(domain);
  if (n > 1)
    return fail(promise, "a stream of several statements");
  if (is_under(promise->node, is_doacross))
    return fail(promise, "a stream for which other threads would wait");
  return n < 0 ? isl_bool_error : check_vector(promise);
}

/* ---- the table ---- */

static isl_bool promises_nothing(struct promise *promise)
{
  (void)promise;
  return isl_bool_true;
}

static isl_bool (*const check_of[TSR_N_MARK])(struct promise *promise) = {
    [TSR_MARK_PARALLEL] = check_parallel,     [TSR_MARK_DOACROSS] = check_doacross, [TSR_MARK_VECTOR] = check_vector,
    [TSR_MARK_REGISTERS] = check_registers,   [TSR_MARK_EDGES] = check_edges,       [TSR_MARK_PACK] = check_pack,
    [TSR_MARK_PANEL] = check_panel,           [TSR_MARK_LOCKSTEP] = check_lockstep, [TSR_MARK_ALLOCATE] = check_allocate,
    [TSR_MARK_KERNEL] = check_kernel,         [TSR_MARK_STRIPS] = promises_nothing, [TSR_MARK_ROWS] = promises_nothing,
    [TSR_MARK_INTERLEAVE] = promises_nothing, [TSR_MARK_CHAIN] = promises_nothing,  [TSR_MARK_THREADS] = check_threads,
    [TSR_MARK_UNROLL] = check_unroll,         [TSR_MARK_STEPS] = check_steps,       [TSR_MARK_RARE] = check_rare,
    [TSR_MARK_PRELOAD] = check_preload,       [TSR_MARK_STREAM] = check_stream};

isl_bool tsr_check_mark(struct tsr_program *program, isl_schedule_node *node, char **why)
{
  struct promise promise = {program, program->scop, node, tsr_node_mark(node), why};
  if (promise.mark && check_of[promise.mark->kind])
    return check_of[promise.mark->kind](&promise);
  char words[256] = "";
  for (int kind = 0, used = 0; kind < TSR_N_MARK; kind++)
    if (check_of[kind])
      used += snprintf(words + used, sizeof(words) - used, "%s%s", used ? ", " : "", tsr_mark_word(kind));
  isl_id *id = isl_schedule_node_mark_get_id(node);
  fail(&promise, "a mark that is none of %s: \"%s\"", words, id ? isl_id_get_name(id) : "?");
  isl_id_free(id);
  return isl_bool_false;
}
