/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When scalars may live in an array element: a sum, and changes of it that forbid it. When they may be loaded where they are
 * used. */
#include "ast/ast.h"
#include "scops.h"

#define N "0 <= i < n and 0 <= j < n"
#define K N " and 0 <= k < n"

/* for i, j { P: s = 0; for k: B: s += A[i][k] * A[k][j]; E: C[i][j] = s; }, with EXTRA[x] added to statement x. */
static struct tsr_scop *sum(isl_ctx *ctx, const char *const extra[3], const char *store)
{
  const char *const lines[] = {"context [n] -> { : n >= 0 }",
                               "array { A[i, j] } 8",
                               "array { C[i, j] } 8",
                               "scalar s 8",
                               "stmt [n] -> { P[i, j] : " N " }",
                               extra[0],
                               "write { P[i, j] -> s[] }",
                               "stmt [n] -> { B[i, j, k] : " K " }",
                               "read { B[i, j, k] -> s[] }",
                               "read { B[i, j, k] -> A[i, k] }",
                               extra[1],
                               "write { B[i, j, k] -> s[] }",
                               "stmt [n] -> { E[i, j] : " N " }",
                               "read { E[i, j] -> s[] }",
                               extra[2],
                               store,
                               NULL};
  return scop_build(ctx, "sum", lines,
                    "child: { schedule: \"[{ P[i, j] -> [(i)]; B[i, j, k] -> [(i)]; E[i, j] -> [(i)] }, "
                    "{ P[i, j] -> [(j)]; B[i, j, k] -> [(j)]; E[i, j] -> [(j)] }]\", child: { sequence: ["
                    "{ filter: \"{ P[i, j] }\" }, "
                    "{ filter: \"{ B[i, j, k] }\", child: { schedule: \"[{ B[i, j, k] -> [(k)] }]\" } }, "
                    "{ filter: \"{ E[i, j] }\" }] } }");
}

static const char *const in_place = "{ P[i, j] -> C[i, j]; B[i, j, k] -> C[i, j]; E[i, j] -> C[i, j] }";

/* May s live in C where HOME says, when the statements have the EXTRA accesses and E stores STORE? */
static bool can(isl_ctx *ctx, const char *const extra[3], const char *store, const char *home, bool live_out)
{
  struct tsr_scop *scop = sum(ctx, extra, store);
  bool web[3] = {false, false, true};
  isl_union_map *map = isl_union_map_read_from_str(ctx, home);
  scop->arrays[2].live_out = live_out;
  isl_bool result = tsr_scop_can_demote(scop, web, 1, map, NULL);
  CHECK(result != isl_bool_error);
  isl_union_map_free(map);
  tsr_scop_free(scop);
  return result == isl_bool_true;
}

/* for i { P: t = 0;  for k { X: FIRST;  for y: B: u += A[k][y];  L: t = u; }  E: C[i] = t; }: may t and u live in C? COPIES:
 * do X and L do nothing but copy? */
static bool can_both(isl_ctx *ctx, const char *first, const char *last, bool copies)
{
  const char *const lines[] = {"context [n] -> { : n >= 1 }",
                               "array { A[k, y] } 8",
                               "array { C[i] } 8",
                               "scalar t 8",
                               "scalar u 8",
                               "stmt [n] -> { P[i] : 0 <= i < n }",
                               "write { P[i] -> t[] }",
                               "stmt [n] -> { X[i, k] : 0 <= i < n and 0 <= k < n }",
                               first,
                               "write { X[i, k] -> u[] }",
                               "stmt [n] -> { B[i, k, y] : 0 <= i < n and 0 <= k < n and 0 <= y <= 2 }",
                               "read { B[i, k, y] -> u[] }",
                               "read { B[i, k, y] -> A[k, y] }",
                               "write { B[i, k, y] -> u[] }",
                               "stmt [n] -> { L[i, k] : 0 <= i < n and 0 <= k < n }",
                               last,
                               "write { L[i, k] -> t[] }",
                               "stmt [n] -> { E[i] : 0 <= i < n }",
                               "read { E[i] -> u[] }",
                               "write { E[i] -> C[i] }",
                               NULL};
  struct tsr_scop *scop =
      scop_build(ctx, "both", lines,
                 "child: { schedule: \"[{ P[i] -> [(i)]; X[i, k] -> [(i)]; B[i, k, y] -> [(i)]; L[i, k] -> [(i)]; "
                 "E[i] -> [(i)] }]\", child: { sequence: [{ filter: \"{ P[i] }\" }, "
                 "{ filter: \"{ X[i, k]; B[i, k, y]; L[i, k] }\", child: { schedule: \"[{ X[i, k] -> [(k)]; "
                 "B[i, k, y] -> [(k)]; L[i, k] -> [(k)] }]\", child: { sequence: [{ filter: \"{ X[i, k] }\" }, "
                 "{ filter: \"{ B[i, k, y] }\", child: { schedule: \"[{ B[i, k, y] -> [(y)] }]\" } }, "
                 "{ filter: \"{ L[i, k] }\" }] } } }, { filter: \"{ E[i] }\" }] } }");
  bool web[4] = {false, false, true, true}, copy[5] = {false, copies, false, copies, false};
  isl_union_map *home = isl_union_map_read_from_str(
      ctx, "{ P[i] -> C[i]; X[i, k] -> C[i]; B[i, k, y] -> C[i]; L[i, k] -> C[i]; E[i] -> C[i] }");
  isl_bool result = tsr_scop_can_demote(scop, web, 1, home, copy);
  CHECK(result != isl_bool_error);
  isl_union_map_free(home);
  tsr_scop_free(scop);
  return result == isl_bool_true;
}

/* for i { P: t = 0;  E: C[i] = t;  L: u = t;  for k: U: reads u and what USE says }: may t and u live in C, where COPIES
 * says that E and L do nothing but copy? */
static bool can_behind(isl_ctx *ctx, const char *use, bool copies)
{
  const char *const lines[] = {"context [n] -> { : n >= 1 }",
                               "array { A[k] } 8",
                               "array { C[i] } 8",
                               "scalar t 8",
                               "scalar u 8",
                               "stmt [n] -> { P[i] : 0 <= i < n }",
                               "write { P[i] -> t[] }",
                               "stmt [n] -> { E[i] : 0 <= i < n }",
                               "read { E[i] -> t[] }",
                               "write { E[i] -> C[i] }",
                               "stmt [n] -> { L[i] : 0 <= i < n }",
                               "read { L[i] -> t[] }",
                               "write { L[i] -> u[] }",
                               "stmt [n] -> { U[i, k] : 0 <= i < n and 0 <= k < n }",
                               "read { U[i, k] -> u[] }",
                               use,
                               NULL};
  struct tsr_scop *scop =
      scop_build(ctx, "behind", lines,
                 "child: { schedule: \"[{ P[i] -> [(i)]; E[i] -> [(i)]; L[i] -> [(i)]; U[i, k] -> [(i)] "
                 "}]\", child: { sequence: [{ filter: \"{ P[i] }\" }, { filter: \"{ E[i] }\" }, "
                 "{ filter: \"{ L[i] }\" }, { filter: \"{ U[i, k] }\", child: { schedule: \"[{ U[i, k] -> "
                 "[(k)] }]\" } }] } }");
  bool web[4] = {false, false, true, true}, copy[4] = {false, copies, copies, false};
  isl_union_map *home = isl_union_map_read_from_str(ctx, "{ P[i] -> C[i]; E[i] -> C[i]; L[i] -> C[i]; U[i, k] -> C[i] }");
  isl_bool result = tsr_scop_can_demote(scop, web, 1, home, copy);
  CHECK(result != isl_bool_error);
  isl_union_map_free(home);
  tsr_scop_free(scop);
  return result == isl_bool_true;
}

#define A_READ(S) "read { " S " -> A[i, j] }"

/* for i { L: s = A[i];  EXTRA;  for j: U: B[j, i] = s; BEHIND }: may U load s? */
static bool can_load(isl_ctx *ctx, const char *extra, const char *behind, const char *pairs)
{
  const char *const lines[] = {"context [n] -> { : n >= 0 }",
                               "array { A[i] } 8",
                               "array { B[i, j] } 8",
                               "scalar s 8",
                               "stmt [n] -> { L[i] : 0 <= i < n }",
                               "read { L[i] -> A[i] }",
                               "write { L[i] -> s[] }",
                               "stmt [n] -> { X[i] : 0 <= i < n }",
                               extra,
                               "stmt [n] -> { U[i, j] : 0 <= i < n and 0 <= j < n }",
                               "read { U[i, j] -> s[] }",
                               behind,
                               "write { U[i, j] -> B[j, i] }",
                               NULL};
  struct tsr_scop *scop = scop_build(ctx, "load", lines,
                                     "child: { schedule: \"[{ L[i] -> [(i)]; X[i] -> [(i)]; U[i, j] -> [(i)] }]\", "
                                     "child: { sequence: [{ filter: \"{ L[i] }\" }, { filter: \"{ X[i] }\" }, "
                                     "{ filter: \"{ U[i, j] }\", child: { schedule: \"[{ U[i, j] -> [(j)] }]\" } }] } }");
  isl_union_map *loads = isl_union_map_read_from_str(ctx, "[n] -> { L[i] -> A[i] : 0 <= i < n }");
  isl_union_map *pair = isl_union_map_read_from_str(ctx, pairs);
  isl_bool result = tsr_scop_can_reload(scop, 2, pair, loads);
  CHECK(result != isl_bool_error);
  isl_union_map_free(loads);
  isl_union_map_free(pair);
  tsr_scop_free(scop);
  return result == isl_bool_true;
}

static void test_loads(isl_ctx *ctx)
{
  static const char *const same = "[n] -> { L[i] -> U[i, j] : 0 <= i < n and 0 <= j < n }";
  static const char *const none = "read { U[i, j] -> A[j] }";
  CHECK(can_load(ctx, "read { X[i] -> A[i] }", none, same));
  /* Others may be written, and this one earlier or later, */
  CHECK(can_load(ctx, "write { X[i] -> A[i + 1] }", none, same));
  CHECK(can_load(ctx, "write { X[i] -> A[i - 1] }", none, same));
  CHECK(can_load(ctx, "read { X[i] -> A[i] }", "write { U[i, j] -> A[i + 1 + j] }", same));
  /* but not in between, nor by those that use it. */
  CHECK(!can_load(ctx, "write { X[i] -> A[i] }", none, same));
  CHECK(!can_load(ctx, "may { X[i] -> A[i] }", none, same));
  CHECK(!can_load(ctx, "may { X[i] -> A[0] }", none, same));
  CHECK(!can_load(ctx, "read { X[i] -> A[i] }", "write { U[i, j] -> A[i + j] }", same));
  /* The value must come from there: not from another iteration, nor from another statement. */
  CHECK(!can_load(ctx, "read { X[i] -> A[i] }", none, "[n] -> { L[0] -> U[i, j] : 0 <= i < n and 0 <= j < n }"));
  CHECK(!can_load(ctx, "write { X[i] -> s[] }", none, same));
}

int main(void)
{
  isl_ctx *ctx = isl_ctx_alloc();
  test_loads(ctx);
  /* E reads u, which L has copied to t since: the same value, if L does nothing but copy. */
  CHECK(can_both(ctx, "read { X[i, k] -> t[] }", "read { L[i, k] -> u[] }", true));
  CHECK(!can_both(ctx, "read { X[i, k] -> t[] }", "read { L[i, k] -> u[] }", false));
  /* Other values go round: each sum begins with the first one, or there is none to begin with. */
  CHECK(!can_both(ctx, "read { X[i, k] -> t[] }", "read { L[i, k] -> t[] }", true));
  CHECK(!can_both(ctx, "read { X[i, k] -> u[] }", "read { L[i, k] -> u[] }", true));
  /* A copy behind the store isn't followed by one, and need not be, as it has nothing to do; others could store last. */
  CHECK(can_behind(ctx, "read { U[i, k] -> A[k] }", true));
  CHECK(!can_behind(ctx, "read { U[i, k] -> A[k] }", false));
  CHECK(!can_behind(ctx, "write { U[i, k] -> C[i] }", true));
  CHECK(!can_behind(ctx, "write { U[i, k] -> C[k] }", true));
  static const char *const stored = "write { E[i, j] -> C[i, j] }";
  static const char *const plain[3] = {A_READ("P[i, j]"), A_READ("B[i, j, k]"), A_READ("E[i, j]")};
  CHECK(can(ctx, plain, stored, in_place, false));
  /* s = C[i][j] first: the value read is still the old one. */
  CHECK(can(ctx, (const char *const[]){"read { P[i, j] -> C[i, j] }", plain[1], plain[2]}, stored, in_place, false));
  /* Elements of C that aren't being summed up may be read, */
  CHECK(can(ctx, (const char *const[]){plain[0], "read { B[i, j, k] -> C[i, j - 1 - k] }", plain[2]}, stored, in_place,
            false));
  /* but not this one, neither by the sum nor by the store. */
  CHECK(!can(ctx, (const char *const[]){plain[0], "read { B[i, j, k] -> C[i, k] }", plain[2]}, stored, in_place, false));
  CHECK(!can(ctx, (const char *const[]){plain[0], plain[1], "read { E[i, j] -> C[i, j] }"}, stored, in_place, false));
  /* A sum may write other elements, but none that sums are in at other times: who reads a sum there might find that. */
  CHECK(
      can(ctx, (const char *const[]){plain[0], "write { B[i, j, k] -> C[i, -1 - j] }", plain[2]}, stored, in_place, false));
  CHECK(
      !can(ctx, (const char *const[]){plain[0], "write { B[i, j, k] -> C[i, j + 1] }", plain[2]}, stored, in_place, false));
  CHECK(!can(ctx, (const char *const[]){plain[0], "write { B[i, j, k] -> C[i, j - 1 - k] }", plain[2]}, stored, in_place,
             false));
  /* No other store in between; not even one that may not happen. */
  CHECK(!can(ctx, (const char *const[]){plain[0], "write { B[i, j, k] -> C[i, k] }", plain[2]}, stored, in_place, false));
  CHECK(!can(ctx, (const char *const[]){plain[0], "may { B[i, j, k] -> C[i, k] }", plain[2]}, stored, in_place, false));
  /* The element must be stored to in any case, and after the sum. */
  CHECK(!can(ctx, plain, "may { E[i, j] -> C[i, j] }", in_place, false));
  CHECK(!can(ctx, plain, "write { E[i, j] -> C[i, j - 1] }", in_place, false));
  CHECK(!can(ctx, plain, "write { E[i, j] -> C[0, 0] }", in_place, false));
  /* One element for all sums does as well as one for each; one for each addend doesn't. */
  CHECK(can(ctx, plain, "write { E[i, j] -> C[0, 0] }", "{ P[i, j] -> C[0, 0]; B[i, j, k] -> C[0, 0]; E[i, j] -> C[0, 0] }",
            false));
  CHECK(!can(ctx, plain, stored, "{ P[i, j] -> C[i, j]; B[i, j, k] -> C[i, k]; E[i, j] -> C[i, j] }", false));
  /* A place for some of the statements alone; a value that leaves the SCoP. */
  CHECK(!can(ctx, plain, stored, "{ P[i, j] -> C[i, j]; E[i, j] -> C[i, j] }", false));
  CHECK(!can(ctx, plain, stored, in_place, true));
  isl_ctx_free(ctx);
  printf("%d checks\n", n_checks);
  return 0;
}
