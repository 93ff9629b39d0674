/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The text form: what is written reads back equal, each difference is seen, and each broken file (a good one with
 * one piece replaced) gets its one message. */
#include "ast/ast.h"
#include "check.h"
#include <isl/options.h>
#include <stdlib.h>

static const char good[] = "scop: gemm.12\n"
                           "file: gemm.c\n"
                           "line: 12\n"
                           "context: \"[n, m] -> { : n >= 0 }\"\n"
                           "assumed: \"[m] -> { : m <= 1000 }\"\n"
                           "arrays:\n"
                           "  - name: C\n"
                           "    kind: memory\n"
                           "    element: 8\n"
                           "    extent: \"[m] -> { C[i, j] : 0 <= j < m }\"\n"
                           "  - name: s\n"
                           "    kind: scalar\n"
                           "    element: 4\n"
                           "    live_out: true\n"
                           "statements:\n"
                           "  - name: S0\n"
                           "    domain: \"[n, m] -> { S0[i, j] : 0 <= i < n and 0 <= j < m }\"\n"
                           "    line: 14\n"
                           "    weight: 2\n"
                           "    text: \"C[i][j] *= s; // \\\"x\\\": #\\u00e9\"\n"
                           "    accesses:\n"
                           "      - read: \"{ S0[i, j] -> C[i, j] }\"\n"
                           "        reduction: mul\n"
                           "        reassoc: true\n"
                           "      - read: \"{ S0[i, j] -> s[] }\"\n"
                           "      - write: \"{ S0[i, j] -> C[i, j] }\"\n"
                           "        reduction: mul\n"
                           "        reassoc: true\n"
                           "  - name: S1\n"
                           "    domain: \"[n] -> { S1[i] : 0 <= i < n }\"\n"
                           "    accesses:\n"
                           "      - may_write: \"{ S1[i] -> s[] }\"\n"
                           "schedule:\n"
                           "  domain: \"[n, m] -> { S0[i, j] : 0 <= i < n and 0 <= j < m; S1[i] : 0 <= i < n }\"\n"
                           "  child:\n"
                           "    schedule: \"[{ S0[i, j] -> [(i)]; S1[i] -> [(i)] }]\"\n"
                           "    child:\n"
                           "      sequence:\n"
                           "      - filter: \"{ S0[i, j] }\"\n"
                           "        child:\n"
                           "          schedule: \"[{ S0[i, j] -> [(j)] }]\"\n"
                           "      - filter: \"{ S1[i] }\"\n"
                           "expect: { any: thing }\n";

/* GOOD with the first FROM replaced by TO, malloc'd. */
static char *altered(const char *from, const char *to)
{
  const char *at = strstr(good, from);
  if (!CHECK(at != NULL))
    abort();
  char *text = malloc(sizeof(good) + strlen(to));
  sprintf(text, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
  return text;
}

static struct tsr_scop *read_text(isl_ctx *ctx, const char *text, char **error)
{
  FILE *in = tmpfile();
  fputs(text, in);
  rewind(in);
  struct tsr_scop *scop = tsr_scop_read(ctx, in, "f.scop", error);
  fclose(in);
  return scop;
}

/* What SCOP is written as, malloc'd. */
static char *written(struct tsr_scop *scop)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  CHECK(tsr_scop_write(scop, out) == isl_stat_ok);
  fclose(out);
  return text;
}

static void check_round_trip(struct tsr_scop *scop)
{
  char *error = NULL, *why = NULL, *text = written(scop);
  struct tsr_scop *again = read_text(scop->ctx, text, &error);
  CHECK_TEXT(error, NULL);
  CHECK(again && tsr_scop_is_equal(scop, again, &why) == isl_bool_true);
  CHECK_TEXT(why, NULL);
  char *second = again ? written(again) : NULL;
  CHECK_TEXT(second, text);
  tsr_scop_free(again);
  free(error);
  free(why);
  free(text);
  free(second);
}

static void test_good(isl_ctx *ctx)
{
  char *error = NULL;
  struct tsr_scop *scop = read_text(ctx, good, &error);
  CHECK_TEXT(error, NULL);
  if (!CHECK(scop != NULL))
    return;
  CHECK_TEXT(scop->name, "gemm.12");
  CHECK_TEXT(scop->file, "gemm.c");
  CHECK(scop->line == 12 && scop->n_array == 2 && scop->n_stmt == 2);
  CHECK(scop->arrays[0].live_in && scop->arrays[0].live_out && scop->arrays[0].n_dim == 2);
  CHECK(!scop->arrays[1].live_in && scop->arrays[1].live_out && scop->arrays[1].n_dim == 0);
  CHECK(scop->stmts[0].line == 14 && scop->stmts[0].weight == 2 && scop->stmts[1].weight == 1);
  CHECK_TEXT(scop->stmts[0].text, "C[i][j] *= s; // \"x\": #\xc3\xa9");
  const struct tsr_access *access = scop->stmts[0].access;
  CHECK(scop->stmts[0].n_access == 3 && access[0].kind == TSR_READ && access[0].reduction == TSR_RED_MUL);
  CHECK(access[0].reassoc && access[1].array == 1 && !access[1].reassoc && access[2].kind == TSR_MUST_WRITE);
  CHECK(scop->stmts[1].access[0].kind == TSR_MAY_WRITE);
  CHECK_TEXT(isl_set_get_dim_name(scop->context, isl_dim_param, 0), "n");
  check_round_trip(scop);
  tsr_scop_free(scop);
}

/* A SCoP without parameters, statements or lists is one too. */
static void test_small(isl_ctx *ctx)
{
  char *error = NULL;
  struct tsr_scop *scop = read_text(ctx, "scop: x\nstatements: []\nschedule: { domain: \"{ }\" }\n", &error);
  CHECK_TEXT(error, NULL);
  CHECK(scop && !scop->n_stmt && !scop->file);
  if (scop)
    check_round_trip(scop);
  tsr_scop_free(scop);
}

/* Names that need quotes in YAML, a file name that is no UTF-8, a parameter that nothing uses. */
static void test_built(isl_ctx *ctx)
{
  struct tsr_scop *scop = tsr_scop_alloc(ctx, "true: #[x]\n\ty");
  isl_set_free(scop->context);
  scop->context = isl_set_read_from_str(ctx, "[p, q] -> { : }");
  scop->file = strdup("dir with: colon/'f'.c");
  CHECK(tsr_scop_add_array(scop, "null", TSR_ARRAY_SCALAR, 8, NULL) == 0);
  CHECK(tsr_scop_add_stmt(scop, "yes", isl_set_read_from_str(ctx, "[q] -> { yes[i] : exists e : i = 2e and 0 <= i < q }")) ==
        0);
  CHECK(tsr_scop_add_access(scop, 0, TSR_MUST_WRITE, isl_map_read_from_str(ctx, "{ yes[i] -> null[] }")) == 0);
  isl_schedule *schedule = isl_schedule_from_domain(tsr_scop_domain(scop));
  isl_union_map *map = isl_union_map_read_from_str(ctx, "{ yes[i] -> [-i] }");
  schedule = isl_schedule_insert_partial_schedule(schedule, isl_multi_union_pw_aff_from_union_map(map));
  CHECK(tsr_scop_set_schedule(scop, schedule) == isl_stat_ok);
  check_round_trip(scop);
  free(scop->file);
  scop->file = strdup("caf\xe9.c");
  char *text = written(scop);
  CHECK(strstr(text, "file: \"caf?.c\"\n") != NULL);
  free(text);
  FILE *out = tmpfile();
  strcpy(scop->arrays[0].name, "mod");
  CHECK(tsr_scop_write(scop, out) == isl_stat_error);
  isl_ctx_reset_error(ctx);
  fclose(out);
  tsr_scop_free(scop);
}

/* Changes of meaning, and what the comparison calls them; NULL: no change. */
static const struct {
  const char *from, *to, *why;
} changes[] = {
    {"0 <= j < m; S1", "0 < j + 1 and j < m; S1", NULL},
    {"S0[i, j] -> [(i)]", "S0[i, j] -> [(2i)]", "the schedules' orders differ"},
    {"[(i)]; S1[i] -> [(i)]", "[(3i + 1)]; S1[i] -> [(3i + 1)]", NULL},
    {"[(i)]; S1[i] -> [(i)]", "[(-i)]; S1[i] -> [(-i)]", "the schedules' orders differ"},
    {"\"{ S1[i] -> s[] }\"", "\"{ S1[i] -> s[] : i >= 0 }\"", NULL},
    {"gemm.12", "gemm.13", "name, file, line, buffers or commands of the SCoPs differ"},
    {"line: 12", "line: 13", "name, file, line, buffers or commands of the SCoPs differ"},
    {"file: gemm.c\n", "", "name, file, line, buffers or commands of the SCoPs differ"},
    {"n >= 0", "n > 0", "the contexts differ"},
    {"m <= 1000", "m <= 999", "the assumptions differ"},
    {"kind: memory", "kind: scalar", "kind, element size, liveness, checks or space of 'C' differ"},
    {"live_out: true", "live_out: true\n    checked: true", "kind, element size, liveness, checks or space of 's' differ"},
    {"live_out: true", "live_out: false", "kind, element size, liveness, checks or space of 's' differ"},
    {"C[i, j] : 0 <= j < m }", "C[i, j] : 0 <= j <= m }", "the extents of 'C' differ"},
    {"weight: 2", "weight: 3", "line, weight, vector-bytes or text of 'S0' differ"},
    {"weight: 2", "weight: 2\n    vector-bytes: 4", "line, weight, vector-bytes or text of 'S0' differ"},
    {"weight: 2", "weight: 2\n    vector-bytes: 0", NULL},
    {"    text: \"C", "    loops: [ \"i\", k ]\n    text: \"C", "the names of loops of 'S0' differ"},
    {"scop: ", "commands: \"S0.reverse(i)\"\nscop: ", "name, file, line, buffers or commands of the SCoPs differ"},
    {"text: \"C", "text: \"D", "line, weight, vector-bytes or text of 'S0' differ"},
    {"may_write:", "write:", "kind, array, reduction or wait of an access of 'S1' differ"},
    {"reassoc: true", "reassoc: false", "kind, array, reduction or wait of an access of 'S0' differ"},
    {"S0[i, j] -> C[i, j]", "S0[i, j] -> C[j, i]", "the access relations of 'S0' differ"},
    {"      - read: \"{ S0[i, j] -> s[] }\"\n", "", "the kinds, or the numbers of accesses, of 'S0' differ"},
};

static void test_equality(isl_ctx *ctx)
{
  struct tsr_scop *scop = read_text(ctx, good, NULL);
  for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
    char *error = NULL, *why = NULL, *text = altered(changes[i].from, changes[i].to);
    struct tsr_scop *other = read_text(ctx, text, &error);
    CHECK_TEXT(error, NULL);
    CHECK(other && tsr_scop_is_equal(scop, other, &why) == isl_bool_ok(!changes[i].why));
    CHECK_TEXT(why, changes[i].why);
    if (other)
      check_round_trip(other);
    tsr_scop_free(other);
    free(error);
    free(why);
    free(text);
  }
  tsr_scop_free(scop);
}

static const struct {
  const char *from, *to, *message;
} broken[] = {
    {"scop: gemm.12\n", "",
     "f.scop:1:1: key 'scop' is missing in a SCoP; expected scop, file, machine, buffers, commands, line, context, assumed, "
     "arrays, "
     "statements, "
     "schedule, transformed, expect"},
    {"scop: gemm.12", "scop:", "f.scop:1:6: 'scop' is empty or holds a zero byte; expected text"},
    {"scop: gemm.12", "scop: [a]", "f.scop:1:7: 'scop' is a list or mapping; expected text"},
    {"scop: gemm.12", "scope: gemm.12",
     "f.scop:1:1: unknown key 'scope' in a SCoP; expected scop, file, machine, buffers, commands, line, context, assumed, "
     "arrays, "
     "statements, "
     "schedule, transformed, expect"},
    {"scop: gemm.12", "scop: gemm.12\nscop: again", "f.scop:2:1: key 'scop' appears twice in a SCoP; expected once"},
    {"scop: gemm.12", "[1]: 2",
     "f.scop:1:1: unknown key '(no text)' in a SCoP; expected scop, file, machine, buffers, commands, line, context, "
     "assumed, arrays, "
     "statements, "
     "schedule, transformed, expect"},
    {"scop: gemm.12", "scop: \"a\\0b\"", "f.scop:1:7: 'scop' is empty or holds a zero byte; expected text"},
    {"scop: gemm.12", "scop: \"a", "f.scop:4:11: not YAML: did not find expected key; expected YAML"},
    {"scop: gemm.12", "\tscop: a", "f.scop:1:1: not YAML: found character that cannot start any token; expected YAML"},
    {"scop: gemm.12", "- scop", "f.scop:2:1: not YAML: did not find expected '-' indicator; expected YAML"},
    {"scop: gemm.12", "scop: \xff", "f.scop:1:1: not YAML: invalid leading UTF-8 octet; expected YAML"},
    {"line: 12", "line: -3", "f.scop:3:7: 'line' is '-3'; expected a whole number from 0 up"},
    {"line: 12", "line: 99999999999", "f.scop:3:7: 'line' is '99999999999'; expected a whole number from 0 up"},
    {"line: 12", "line: twelve", "f.scop:3:7: 'line' is 'twelve'; expected a whole number from 0 up"},
    {"[n, m] -> { : n >= 0 }", "[n, m] -> { : n >= 0 ",
     "f.scop:4:10: 'context' is not in isl's notation; expected such as \"[n] -> { : n > 0 }\""},
    {"[n, m] -> { : n >= 0 }", "[n, m] -> { [i] : n >= 0 }",
     "f.scop:4:10: 'context' has dimensions; expected a condition on parameters only"},
    {"[n, m] -> { : n >= 0 }",
     "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((",
     "f.scop:4:10: 'context' is not in isl's notation; expected such as \"[n] -> { : n > 0 }\""},
    {"arrays:\n", "arrays: none\nxarrays:\n",
     "f.scop:7:1: unknown key 'xarrays' in a SCoP; expected scop, file, machine, buffers, commands, line, context, assumed, "
     "arrays, "
     "statements, "
     "schedule, transformed, expect"},
    {"  - name: C\n", "  - nome: C\n",
     "f.scop:7:5: unknown key 'nome' in an array; expected name, kind, element, extent, live_in, live_out, checked, space"},
    {"  - name: C\n", "  - name: 2C\n",
     "f.scop:7:11: array name '2C' is not valid; expected letters, digits and _, no digit first, no word of isl's"},
    {"  - name: C\n", "  - name: Max\n",
     "f.scop:7:11: array name 'Max' is not valid; expected letters, digits and _, no digit first, no word of isl's"},
    {"  - name: s\n", "  - name: C\n", "f.scop:11:11: array 'C' appears twice; expected distinct names"},
    {"kind: memory", "kind: global", "f.scop:8:11: 'kind' is 'global'; expected one of memory, scalar"},
    {"    element: 8\n", "",
     "f.scop:7:5: key 'element' is missing in an array; expected name, kind, element, extent, live_in, live_out, checked, "
     "space"},
    {"element: 8", "element: 0", "f.scop:9:14: 'element' is '0'; expected a whole number from 1 up"},
    {"{ C[i, j] : 0 <= j < m }", "{ D[i, j] : 0 <= j < m }",
     "f.scop:10:13: 'extent' is not a set of C[...]; expected \"{ C[...] : ... }\""},
    {"{ C[i, j] : 0 <= j < m }", "{ C[C[i] -> C[j]] : 0 <= j < m }",
     "f.scop:10:13: 'extent' is not a set of C[...]; expected \"{ C[...] : ... }\""},
    {"{ C[i, j] : 0 <= j < m }", "{ C[i, j] : 0 <= j < m } and",
     "f.scop:10:13: 'extent' is not in isl's notation; expected such as \"[n] -> { S[i] : 0 <= i < n }\""},
    {"{ C[i, j] : 0 <= j < m }", "{ C[i, j] -> C[j] }",
     "f.scop:10:13: 'extent' is not in isl's notation; expected such as \"[n] -> { S[i] : 0 <= i < n }\""},
    {"live_out: true", "live_out: 1", "f.scop:14:15: 'live_out' is '1'; expected one of false, true"},
    {"  - name: S1\n", "  - name: S0\n", "f.scop:29:11: statement 'S0' appears twice; expected distinct names"},
    {"  - name: S0\n", "  - name: S-0\n",
     "f.scop:16:11: statement name 'S-0' is not valid; expected letters, digits and _, no digit first, no word of isl's"},
    {"{ S0[i, j] : 0 <= i < n and 0 <= j < m }", "{ S1[i, j] : 0 <= i < n and 0 <= j < m }",
     "f.scop:17:13: 'domain' is not a set of S0[...]; expected \"{ S0[...] : ... }\""},
    {"{ S0[i, j] : 0 <= i < n and 0 <= j < m }", "{ S0[i, j] : 0 <= i < n and 0 <= j < m; S2[] }",
     "f.scop:17:13: 'domain' is not in isl's notation; expected such as \"[n] -> { S[i] : 0 <= i < n }\""},
    {"{ S0[i, j] : 0 <= i < n and 0 <= j < m }", "{ S0[i, j] : 0 <= i * j < n }",
     "f.scop:17:13: 'domain' is not in isl's notation; expected such as \"[n] -> { S[i] : 0 <= i < n }\""},
    {"{ S0[i, j] : 0 <= i < n and 0 <= j < m }", "{ : 0 <= n }",
     "f.scop:17:13: 'domain' is not a set of S0[...]; expected \"{ S0[...] : ... }\""},
    {"weight: 2", "weight: 0", "f.scop:19:13: 'weight' is '0'; expected a whole number from 1 up"},
    {"weight: 2", "weight: 2\n    vector-bytes: wide",
     "f.scop:20:19: 'vector-bytes' is 'wide'; expected a whole number from 0 up"},
    {"    accesses:\n", "    accesses: { }\n    xaccesses:\n",
     "f.scop:22:5: unknown key 'xaccesses' in a statement; expected name, kind, origin, domain, line, weight, vector-bytes, "
     "lane-bytes, "
     "latency, "
     "divisions, alone, original-wait, one-thread, rare, text, "
     "loops, accesses"},
    {"- read: \"{ S0[i, j] -> C[i, j] }\"", "- reads: \"{ S0[i, j] -> C[i, j] }\"",
     "f.scop:22:9: unknown key 'reads' in an access; expected read, may_write, write, maybe, guard, reduction, reassoc, "
     "exact, "
     "wait, home"},
    {"- read: \"{ S0[i, j] -> C[i, j] }\"\n",
     "- write: \"{ S0[i, j] -> C[i, j] }\"\n        read: \"{ S0[i, j] -> C[i, j] }\"\n",
     "f.scop:22:9: an access has none or several of read, write, may_write; expected one"},
    {"- read: \"{ S0[i, j] -> C[i, j] }\"\n", "- may_write: \"{ S0[i, j] -> C[i, j] }\"\n        maybe: true\n",
     "f.scop:23:16: only a read has 'maybe'; a write is a may_write"},
    {"- read: \"{ S0[i, j] -> C[i, j] }\"\n", "- may_write: \"{ S0[i, j] -> C[i, j] }\"\n        guard: true\n",
     "f.scop:23:16: only a read can be a guard"},
    {"- read: \"{ S0[i, j] -> C[i, j] }\"\n        reduction", "- reduction",
     "f.scop:22:9: an access has none or several of read, write, may_write; expected one"},
    {"- read: \"{ S0[i, j] -> C[i, j] }\"", "- read: \"{ S1[i, j] -> C[i, j] }\"",
     "f.scop:22:15: the relation starts at 'S1'; expected the statement 'S0'"},
    {"- read: \"{ S0[i, j] -> C[i, j] }\"", "- read: \"{ S0[i, j] -> B[i, j] }\"",
     "f.scop:22:15: the relation ends at 'B'; expected an array of this file"},
    {"- read: \"{ S0[i, j] -> C[i, j] }\"", "- read: \"{ S0[i] -> C[i, i] }\"",
     "f.scop:22:15: the relation has 1 dimensions of 'S0'; expected 2"},
    {"- read: \"{ S0[i, j] -> C[i, j] }\"", "- read: \"{ S0[i, j] -> C[i] }\"",
     "f.scop:22:15: the relation has 1 subscripts of 'C'; expected 2"},
    {"- read: \"{ S0[i, j] -> C[i, j] }\"", "- read: \"{ S0[i, j] -> [i, j] }\"",
     "f.scop:22:15: the relation ends at ''; expected an array of this file"},
    {"- read: \"{ S0[i, j] -> C[i, j] }\"", "- read: \"{ S0[i, j] }\"",
     "f.scop:22:15: the relation starts at ''; expected the statement 'S0'"},
    {"- read: \"{ S0[i, j] -> C[i, j] }\"", "- read: { a: b }", "f.scop:22:15: 'read' is a list or mapping; expected text"},
    {"reduction: mul", "reduction: sub",
     "f.scop:23:20: 'reduction' is 'sub'; expected one of none, add, mul, min, max, and, or, xor, umin, umax"},
    {"reassoc: true", "reassoc: yes", "f.scop:24:18: 'reassoc' is 'yes'; expected one of false, true"},
    {"S1[i] : 0 <= i < n }\"\n  child", "S1[i] : 0 <= i <= n }\"\n  child",
     "f.scop:34:3: the schedule's domain is not that of the statements; expected the same instances"},
    {"S1[i] : 0 <= i < n }\"\n  child", "S2[i] : 0 <= i < n }\"\n  child",
     "f.scop:34:3: the schedule's domain is not that of the statements; expected the same instances"},
    {"  child:\n    schedule", "  child:\n    schedules",
     "f.scop:36:5: unknown key 'schedules' in a schedule node; expected domain, context, guard, filter, extension, mark, "
     "schedule, contraction, sequence, set, permutable, coincident, options, expansion, child"},
    {"[{ S0[i, j] -> [(j)] }]", "[{ S0[i, j] -> [(0)] }]",
     "f.scop:34:3: the schedule leaves the order of some instances open; expected a total order"},
    {"[{ S0[i, j] -> [(j)] }]", "[{ S0[i, j] -> [(j) }]",
     "f.scop:41:21: 'schedule' is not in isl's notation; expected such as \"[{ S[i] -> [(i)] }]\""},
    {"[{ S0[i, j] -> [(j)] }]", "[{ S5[i, j] -> [(j)] }]",
     "f.scop:34:3: the schedule's filters or bands leave out instances; expected all of them"},
    {"      - filter: \"{ S1[i] }\"\n", "",
     "f.scop:34:3: the schedule's filters or bands leave out instances; expected all of them"},
    {"schedule:\n", "schedules:\n",
     "f.scop:33:1: unknown key 'schedules' in a SCoP; expected scop, file, machine, buffers, commands, line, context, "
     "assumed, "
     "arrays, "
     "statements, "
     "schedule, transformed, expect"},
    {"schedule:\n", "schedule:\nschedule: x\n",
     "f.scop:35:9: not YAML: mapping values are not allowed in this context; expected YAML"},
    {"schedule:\n", "schedule:\n  child: { leaf: 1 }\n",
     "f.scop:36:3: key 'child' appears twice in a schedule node; expected once"},
    {"sequence:\n", "set: []\n      sequence:\n",
     "f.scop:38:12: 'set' beside 'sequence'; expected one node a mapping, the next under 'child'"},
    {"sequence:\n", "mark: m\n      sequence:\n",
     "f.scop:40:7: 'sequence' beside 'mark'; expected one node a mapping, the next under 'child'"},
    {"sequence:\n", "sequence: []\n      child:\n",
     "f.scop:40:7: 'child' beside 'sequence'; expected one node a mapping, the next under 'child'"},
    {"      - filter: \"{ S1[i] }\"\n", "      - mark: m\n",
     "f.scop:42:9: a child of 'sequence' is not a filter; expected \"filter: ...\" first"},
    {"      - filter: \"{ S1[i] }\"\n", "      - filter: \"{ S1[i\"\n",
     "f.scop:42:17: 'filter' is not in isl's notation; expected such as \"[n] -> { S[i] : 0 <= i < n }\""},
    {"      - filter: \"{ S1[i] }\"\n", "      - filter: \"{ S1[i] }\"\n        child: { extension: \"{ [i] -> X[i] }\" }\n",
     "f.scop:34:3: the schedule has an extension node; expected the original order"},
    {"      - filter: \"{ S1[i] }\"\n", "      - filter: \"{ S1[i] }\"\n        child: { mark: \"a\\\"b\" }\n",
     "f.scop:43:24: 'mark' holds a quote or backslash; expected neither"},
    {"      - filter: \"{ S1[i] }\"\n", "      - filter: \"{ S1[i] }\"\n        child: { domain: \"{ S1[i] }\" }\n",
     "f.scop:43:16: a schedule node of no type or at a wrong place; expected domain at the root only"},
    {"      - filter: \"{ S1[i] }\"\n",
     "      - filter: \"{ S1[i] }\"\n        child: { expansion: \"{ S1[i] -> S1[i] }\" }\n",
     "f.scop:43:16: a schedule node of no type or at a wrong place; expected domain at the root only"},
    {"      - filter: \"{ S1[i] }\"\n", "      - filter: \"{ S1[i] }\"\n        child: &a { mark: x, child: *a }\n",
     "f.scop:43:16: the schedule tree is too large; expected at most 100 levels and 100000 nodes"},
    {"      - filter: \"{ S1[i] }\"\n", "      - filter: \"{ S1[i] }\"\n        child: { 0: 0 }\n",
     "f.scop:43:18: unknown key '0' in a schedule node; expected domain, context, guard, filter, extension, mark, schedule, "
     "contraction, sequence, set, permutable, coincident, options, expansion, child"},
    {"    child:\n      sequence", "    permutable: 2\n    child:\n      sequence",
     "f.scop:37:17: 'permutable' is '2'; expected one of 0, 1"},
    {"    child:\n      sequence", "    coincident: 1\n    child:\n      sequence",
     "f.scop:37:17: 'coincident' is not a list; expected a 0 or 1 for each band member"},
    {"    child:\n      sequence", "    coincident: [ 1, 0 ]\n    child:\n      sequence",
     "f.scop:37:17: 'coincident' has 2 items; expected 1, one for each band member"},
    {"    child:\n      sequence", "    options: \"{ atomic[0] \"\n    child:\n      sequence",
     "f.scop:37:14: 'options' is not in isl's notation; expected such as \"[n] -> { S[i] : 0 <= i < n }\""},
    {"    child:\n      sequence", "    filter: \"{ S0[i, j] }\"\n    child:\n      sequence",
     "f.scop:36:15: 'schedule' beside 'filter'; expected one node a mapping, the next under 'child'"},
};

static void check_refused(isl_ctx *ctx, const char *text, const char *message)
{
  char *error = NULL;
  CHECK(!read_text(ctx, text, &error));
  CHECK_TEXT(error, message);
  CHECK(isl_ctx_last_error(ctx) == isl_error_invalid);
  isl_ctx_reset_error(ctx);
  free(error);
  CHECK(!read_text(ctx, text, NULL));
  isl_ctx_reset_error(ctx);
}

static void test_broken(isl_ctx *ctx)
{
  check_refused(ctx, "", "f.scop:1:1: the file is empty; expected a YAML mapping");
  check_refused(ctx, "# nothing\n", "f.scop:1:1: the file is empty; expected a YAML mapping");
  check_refused(ctx, "int main(void) {}\n",
                "f.scop:1:1: a SCoP is not a mapping; expected the keys scop, file, machine, buffers, commands, line, "
                "context, assumed, arrays, "
                "statements, schedule, transformed, expect");
  check_refused(ctx, "&a [*a]\n",
                "f.scop:1:1: a SCoP is not a mapping; expected the keys scop, file, machine, buffers, commands, line, "
                "context, assumed, arrays, "
                "statements, schedule, transformed, expect");
  check_refused(ctx, "a: *b\n", "f.scop:1:4: not YAML: found undefined alias; expected YAML");
  for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
    char *text = altered(broken[i].from, broken[i].to);
    check_refused(ctx, text, broken[i].message);
    free(text);
  }
}

/* However a good file is cut off or damaged: a SCoP or a message, never neither. */
static void test_damaged(isl_ctx *ctx)
{
  char text[sizeof(good)];
  for (size_t i = 0; i < 2 * sizeof(good); i += 3) {
    memcpy(text, good, sizeof(good));
    text[i / 2] = i % 2 ? 0 : "}\"[:-\n0j"[i / 2 % 8];
    char *error = NULL;
    struct tsr_scop *scop = read_text(ctx, text, &error);
    CHECK(!scop == !!error);
    tsr_scop_free(scop);
    free(error);
    isl_ctx_reset_error(ctx);
  }
}

static void test_names(void)
{
  static const char *const bad[] = {"", "1a", "a.b", "a-b", "min", "MAX", "Floor", "and", "nan", "a b", "\xc3\xa9"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
    CHECK(!tsr_name_is_valid(bad[i]));
  CHECK(!tsr_name_is_valid(NULL));
  CHECK(tsr_name_is_valid("_") && tsr_name_is_valid("A1_b") && tsr_name_is_valid("mind") && tsr_name_is_valid("N"));
}

int main(void)
{
  isl_ctx *ctx = isl_ctx_alloc();
  isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
  test_good(ctx);
  test_small(ctx);
  test_built(ctx);
  test_equality(ctx);
  test_broken(ctx);
  test_damaged(ctx);
  test_names();
  isl_ctx_free(ctx);
  return check_report();
}
