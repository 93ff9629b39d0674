/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Small SCoPs for the unit tests, built from isl's notation.
 *
 *   struct tsr_scop *scop = scop_gemm(ctx);
 *
 * A description is a list of lines: "context SET", "array SET ELEM_SIZE", "scalar NAME ELEM_SIZE [in] [out]",
 * "stmt SET", "read|write|may MAP" (an access of the last stmt; +reduction by "reduce MAP"), "rare" (it is so),
 * "schedule TREE". */
#ifndef TESSERA_TEST_SCOPS_H
#define TESSERA_TEST_SCOPS_H

#include "ast/ast.h"
#include <isl/schedule.h>
#include <stdlib.h>
#include <string.h>

static int n_checks;
#define CHECK(condition)                                                                                                    \
  do {                                                                                                                      \
    n_checks++;                                                                                                             \
    if (!(condition)) {                                                                                                     \
      fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                                        \
      exit(1);                                                                                                              \
    }                                                                                                                       \
  } while (0)

static inline void scop_add_scalar(struct tsr_scop *scop, const char *text)
{
  char name[64];
  int size = 8;
  sscanf(text, "%63s %d", name, &size);
  isl_size k = tsr_scop_add_array(scop, name, TSR_ARRAY_SCALAR, size, NULL);
  scop->arrays[k].live_in = strstr(text, " in") != NULL;
  scop->arrays[k].live_out = strstr(text, " out") != NULL;
}

static inline void scop_add_reduction(struct tsr_scop *scop, int stmt, const char *text)
{
  for (int i = 0; i < 2; i++) {
    isl_size k = tsr_scop_add_access(scop, stmt, i ? TSR_MUST_WRITE : TSR_READ, isl_map_read_from_str(scop->ctx, text));
    scop->stmts[stmt].access[k].reduction = TSR_RED_ADD;
    scop->stmts[stmt].access[k].reassoc = true;
  }
}

/* One line of a description. */
static inline void scop_add_line(struct tsr_scop *scop, const char *line)
{
  char key[32];
  int used = 0, last = scop->n_stmt - 1;
  sscanf(line, "%31s %n", key, &used);
  const char *rest = line + used;
  if (!strcmp(key, "context")) {
    isl_set_free(scop->context);
    scop->context = isl_set_read_from_str(scop->ctx, rest);
  } else if (!strcmp(key, "assumed")) {
    isl_set_free(scop->assumed);
    scop->assumed = isl_set_read_from_str(scop->ctx, rest);
  } else if (!strcmp(key, "array")) {
    isl_set *extent = isl_set_read_from_str(scop->ctx, rest);
    char *name = strdup(isl_set_get_tuple_name(extent));
    tsr_scop_add_array(scop, name, TSR_ARRAY_MEMORY, 8, extent);
    free(name);
  } else if (!strcmp(key, "scalar")) {
    scop_add_scalar(scop, rest);
  } else if (!strcmp(key, "stmt")) {
    isl_set *domain = isl_set_read_from_str(scop->ctx, rest);
    char *name = strdup(isl_set_get_tuple_name(domain));
    tsr_scop_add_stmt(scop, name, domain);
    free(name);
  } else if (!strcmp(key, "read")) {
    tsr_scop_add_access(scop, last, TSR_READ, isl_map_read_from_str(scop->ctx, rest));
  } else if (!strcmp(key, "guard")) {
    isl_size k = tsr_scop_add_access(scop, last, TSR_READ, isl_map_read_from_str(scop->ctx, rest));
    scop->stmts[last].access[k].guard = true;
  } else if (!strcmp(key, "write")) {
    tsr_scop_add_access(scop, last, TSR_MUST_WRITE, isl_map_read_from_str(scop->ctx, rest));
  } else if (!strcmp(key, "may")) {
    tsr_scop_add_access(scop, last, TSR_MAY_WRITE, isl_map_read_from_str(scop->ctx, rest));
  } else if (!strcmp(key, "rare")) {
    scop->stmts[last].rare = true;
  } else if (!strcmp(key, "reduce")) {
    scop_add_reduction(scop, last, rest);
  } else {
    fprintf(stderr, "scops.h: unknown line: %s\n", line);
    exit(1);
  }
}

/* A schedule tree over all domains of SCOP: BODY is the part below the domain node. */
static inline isl_schedule *scop_tree(struct tsr_scop *scop, const char *body)
{
  isl_union_set *domain = tsr_scop_domain(scop);
  char *text = isl_union_set_to_str(domain);
  size_t size = strlen(text) + strlen(body) + 64;
  char *tree = malloc(size);
  snprintf(tree, size, "{ domain: \"%s\"%s%s }", text, *body ? ", " : "", body);
  isl_schedule *schedule = isl_schedule_read_from_str(scop->ctx, tree);
  isl_union_set_free(domain);
  free(text);
  free(tree);
  return schedule;
}

static inline struct tsr_scop *scop_build(isl_ctx *ctx, const char *name, const char *const *lines, const char *body)
{
  struct tsr_scop *scop = tsr_scop_alloc(ctx, name);
  for (; *lines; lines++)
    scop_add_line(scop, *lines);
  tsr_scop_set_schedule(scop, scop_tree(scop, body));
  CHECK(tsr_scop_validate(scop) == isl_stat_ok);
  return scop;
}

/* for i, j { C[i][j] *= beta; for k: C[i][j] += A[i][k] * B[k][j]; } */
static inline struct tsr_scop *scop_gemm(isl_ctx *ctx)
{
  static const char *const lines[] = {
      "context [n] -> { : n >= 1 }",
      "array [n] -> { C[i, j] : 0 <= j < n }",
      "array [n] -> { A[i, j] : 0 <= j < n }",
      "array [n] -> { B[i, j] : 0 <= j < n }",
      "stmt [n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }",
      "read { S[i, j] -> C[i, j] }",
      "write { S[i, j] -> C[i, j] }",
      "stmt [n] -> { T[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }",
      "read { T[i, j, k] -> C[i, j] }",
      "read { T[i, j, k] -> A[i, k] }",
      "read { T[i, j, k] -> B[k, j] }",
      "write { T[i, j, k] -> C[i, j] }",
      NULL,
  };
  return scop_build(
      ctx, "gemm", lines,
      "child: { schedule: \"[{ S[i, j] -> [(i)]; T[i, j, k] -> [(i)] }, { S[i, j] -> [(j)]; T[i, j, k] -> [(j)] }]\", "
      "child: { sequence: [ { filter: \"{ S[i, j] }\" }, { filter: \"{ T[i, j, k] }\", "
      "child: { schedule: \"[{ T[i, j, k] -> [(k)] }]\" } } ] } }");
}

/* for t { for i: B[i] = A[i-1] + A[i] + A[i+1]; for i: A[i] = B[i-1] + B[i] + B[i+1]; } */
static inline struct tsr_scop *scop_jacobi_1d(isl_ctx *ctx)
{
  static const char *const lines[] = {
      "context [n, tsteps] -> { : n >= 4 and tsteps >= 1 }",
      "array { A[i] }",
      "array { B[i] }",
      "stmt [n, tsteps] -> { S[t, i] : 0 <= t < tsteps and 0 <= i < n - 2 }",
      "read { S[t, i] -> A[i] }",
      "read { S[t, i] -> A[i + 1] }",
      "read { S[t, i] -> A[i + 2] }",
      "write { S[t, i] -> B[i + 1] }",
      "stmt [n, tsteps] -> { T[t, i] : 0 <= t < tsteps and 0 <= i < n - 2 }",
      "read { T[t, i] -> B[i] }",
      "read { T[t, i] -> B[i + 1] }",
      "read { T[t, i] -> B[i + 2] }",
      "write { T[t, i] -> A[i + 1] }",
      NULL,
  };
  return scop_build(ctx, "jacobi_1d", lines,
                    "child: { schedule: \"[{ S[t, i] -> [(t)]; T[t, i] -> [(t)] }]\", child: { sequence: [ "
                    "{ filter: \"{ S[t, i] }\", child: { schedule: \"[{ S[t, i] -> [(i)] }]\" } }, "
                    "{ filter: \"{ T[t, i] }\", child: { schedule: \"[{ T[t, i] -> [(i)] }]\" } } ] } }");
}

/* for i { t = a[i]; b[i] = t * t; }   t is a SCALAR */
static inline struct tsr_scop *scop_temporary(isl_ctx *ctx)
{
  static const char *const lines[] = {
      "array { a[i] }",
      "array { b[i] }",
      "scalar t 8",
      "stmt [n] -> { S[i] : 0 <= i < n }",
      "read { S[i] -> a[i] }",
      "write { S[i] -> t[] }",
      "stmt [n] -> { T[i] : 0 <= i < n }",
      "read { T[i] -> t[] }",
      "write { T[i] -> b[i] }",
      NULL,
  };
  return scop_build(ctx, "temporary", lines,
                    "child: { schedule: \"[{ S[i] -> [(i)]; T[i] -> [(i)] }]\", child: { sequence: [ "
                    "{ filter: \"{ S[i] }\" }, { filter: \"{ T[i] }\" } ] } }");
}

/* for i: s[0] += a[i];  the sum may be reordered */
static inline struct tsr_scop *scop_sum(isl_ctx *ctx)
{
  static const char *const lines[] = {
      "array { a[i] }",        "array { s[i] }",          "stmt [n] -> { S[i] : 0 <= i < n }",
      "read { S[i] -> a[i] }", "reduce { S[i] -> s[0] }", NULL,
  };
  return scop_build(ctx, "sum", lines, "child: { schedule: \"[{ S[i] -> [(i)] }]\" }");
}

/* for i, j { for k > i: B[i][j] += A[k][i] * B[k][j]; B[i][j] *= alpha; } */
static inline struct tsr_scop *scop_trmm(isl_ctx *ctx)
{
  static const char *const lines[] = {
      "context [n, m] -> { : n >= 1 and m >= 1 }",
      "array [m] -> { A[i, j] : 0 <= j < m }",
      "array [n] -> { B[i, j] : 0 <= j < n }",
      "stmt [n, m] -> { S[i, j, k] : 0 <= i < m and 0 <= j < n and 0 <= k < m - 1 - i }",
      "read { S[i, j, k] -> B[i, j] }",
      "read { S[i, j, k] -> A[i + 1 + k, i] }",
      "read { S[i, j, k] -> B[i + 1 + k, j] }",
      "write { S[i, j, k] -> B[i, j] }",
      "stmt [n, m] -> { T[i, j] : 0 <= i < m and 0 <= j < n }",
      "read { T[i, j] -> B[i, j] }",
      "write { T[i, j] -> B[i, j] }",
      NULL,
  };
  return scop_build(
      ctx, "trmm", lines,
      "child: { schedule: \"[{ S[i, j, k] -> [(i)]; T[i, j] -> [(i)] }, { S[i, j, k] -> [(j)]; T[i, j] -> [(j)] }]\", "
      "child: { sequence: [ { filter: \"{ S[i, j, k] }\", child: { schedule: \"[{ S[i, j, k] -> [(k)] }]\" } }, "
      "{ filter: \"{ T[i, j] }\" } ] } }");
}

/* for i { x[i] = 0; for j: x[i] += A[i][j] * y[j]; z[i] = x[i]; }   x is memory: imperfect nest, streaming */
static inline struct tsr_scop *scop_imperfect(isl_ctx *ctx)
{
  static const char *const lines[] = {
      "array { x[i] }",
      "array [m] -> { A[i, j] : 0 <= j < m }",
      "array { y[i] }",
      "array { z[i] }",
      "stmt [n, m] -> { P[i] : 0 <= i < n }",
      "write { P[i] -> x[i] }",
      "stmt [n, m] -> { Q[i, j] : 0 <= i < n and 0 <= j < m }",
      "read { Q[i, j] -> x[i] }",
      "read { Q[i, j] -> A[i, j] }",
      "read { Q[i, j] -> y[j] }",
      "write { Q[i, j] -> x[i] }",
      "stmt [n, m] -> { R[i] : 0 <= i < n }",
      "read { R[i] -> x[i] }",
      "write { R[i] -> z[i] }",
      NULL,
  };
  return scop_build(
      ctx, "imperfect", lines,
      "child: { schedule: \"[{ P[i] -> [(i)]; Q[i, j] -> [(i)]; R[i] -> [(i)] }]\", child: { sequence: [ "
      "{ filter: \"{ P[i] }\" }, { filter: \"{ Q[i, j] }\", child: { schedule: \"[{ Q[i, j] -> [(j)] }]\" } }, "
      "{ filter: \"{ R[i] }\" } ] } }");
}

/* for i, j { acc = 0; for k: acc = acc + A[i][k] * B[k][j]; C[i][j] = acc; }   acc is a SCALAR */
static inline struct tsr_scop *scop_accumulator(isl_ctx *ctx)
{
  static const char *const lines[] = {
      "array [n] -> { C[i, j] : 0 <= j < n }",
      "array [n] -> { A[i, j] : 0 <= j < n }",
      "array [n] -> { B[i, j] : 0 <= j < n }",
      "scalar acc 8",
      "stmt [n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }",
      "write { S[i, j] -> acc[] }",
      "stmt [n] -> { T[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }",
      "read { T[i, j, k] -> acc[] }",
      "read { T[i, j, k] -> A[i, k] }",
      "read { T[i, j, k] -> B[k, j] }",
      "write { T[i, j, k] -> acc[] }",
      "stmt [n] -> { U[i, j] : 0 <= i < n and 0 <= j < n }",
      "read { U[i, j] -> acc[] }",
      "write { U[i, j] -> C[i, j] }",
      NULL,
  };
  return scop_build(ctx, "accumulator", lines,
                    "child: { schedule: \"[{ S[i, j] -> [(i)]; T[i, j, k] -> [(i)]; U[i, j] -> [(i)] }, "
                    "{ S[i, j] -> [(j)]; T[i, j, k] -> [(j)]; U[i, j] -> [(j)] }]\", child: { sequence: [ "
                    "{ filter: \"{ S[i, j] }\" }, { filter: \"{ T[i, j, k] }\", "
                    "child: { schedule: \"[{ T[i, j, k] -> [(k)] }]\" } }, { filter: \"{ U[i, j] }\" } ] } }");
}

/* for i: { for p: S: T[p] = A[i][p]; for p: U: B[i][p] = T[n - 1 - p] } */
static inline struct tsr_scop *scop_row(isl_ctx *ctx)
{
  static const char *const lines[] = {
      "context [n] -> { : n >= 1 }",
      "array { A[i, p] }",
      "array { B[i, p] }",
      "array { T[p] }",
      "stmt [n] -> { S[i, p] : 0 <= i < n and 0 <= p < n }",
      "read [n] -> { S[i, p] -> A[i, p] }",
      "write [n] -> { S[i, p] -> T[p] }",
      "stmt [n] -> { U[i, p] : 0 <= i < n and 0 <= p < n }",
      "read [n] -> { U[i, p] -> T[n - 1 - p] }",
      "write [n] -> { U[i, p] -> B[i, p] }",
      NULL,
  };
  return scop_build(ctx, "row", lines,
                    "child: { schedule: \"[{ S[i, p] -> [(i)]; U[i, p] -> [(i)] }]\", child: { sequence: [ "
                    "{ filter: \"{ S[i, p] }\", child: { schedule: \"[{ S[i, p] -> [(p)] }]\" } }, "
                    "{ filter: \"{ U[i, p] }\", child: { schedule: \"[{ U[i, p] -> [(p)] }]\" } } ] } }");
}

/* for t < 100 { for i < 1000: A[i + 1] = A[i] + A[i + 1] + A[i + 2]; B[999 - t] = A[t]; }   constants of all sizes */
static inline struct tsr_scop *scop_constants(isl_ctx *ctx)
{
  static const char *const lines[] = {
      "array { A[i] }",
      "array { B[i] }",
      "stmt { S[t, i] : 0 <= t < 100 and 0 <= i < 998 }",
      "read { S[t, i] -> A[i] }",
      "read { S[t, i] -> A[i + 1] }",
      "read { S[t, i] -> A[i + 2] }",
      "write { S[t, i] -> A[i + 1] }",
      "stmt { T[t] : 0 <= t < 100 }",
      "read { T[t] -> A[t] }",
      "write { T[t] -> B[999 - t] }",
      NULL,
  };
  return scop_build(ctx, "constants", lines,
                    "child: { schedule: \"[{ S[t, i] -> [(t)]; T[t] -> [(t)] }]\", child: { sequence: [ "
                    "{ filter: \"{ S[t, i] }\", child: { schedule: \"[{ S[t, i] -> [(i)] }]\" } }, "
                    "{ filter: \"{ T[t] }\" } ] } }");
}

/* The leak checker's, where there is one. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

/* Is what is allocated from here on to be freed, as far as the leak checker looks? */
static inline void leaks_are_counted(bool counted)
{
  if (counted && __lsan_enable)
    __lsan_enable();
  if (!counted && __lsan_disable)
    __lsan_disable();
}

#endif
