/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random SCoPs for the unit tests: one to three statements of one or two loops, on two arrays, one of which may be dead
 * behind it, and a scalar, as text. */
#ifndef TESSERA_RANDOM_SCOP_H
#define TESSERA_RANDOM_SCOP_H

#include "ast/ast.h"
#include "check.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

enum { MAX_STMT = 3, LIMIT = 3000 };

/* One random SCoP: its text, and what trees for it need to know. */
struct random {
  uint64_t state;
  char text[16384];
  size_t used;
  int n_stmt;
  int depth[MAX_STMT];
  const char *bounds[MAX_STMT];
};

static const char *const iterators[] = {"i", "j"};
static const char *const bounds[3][3] = {
    {"", "", ""},
    {"0 <= i < n", "0 <= i < m", "0 <= i < n and i mod 2 = 1"},
    {"0 <= i < n and 0 <= j < m", "0 <= j <= i < n", "0 <= i < 3 and i <= j < n"},
};

/* A number from 0 to N - 1 (a linear congruential generator: the same everywhere). */
static inline int pick(struct random *r, int n)
{
  r->state = r->state * 6364136223846793005u + 1442695040888963407u;
  return (int)((r->state >> 33) % (uint64_t)n);
}

/* Append to the text of R. */
__attribute__((format(printf, 2, 3))) static inline void add(struct random *r, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  int n = vsnprintf(r->text + r->used, sizeof(r->text) - r->used, format, args);
  va_end(args);
  r->used += (size_t)n < sizeof(r->text) - r->used ? (size_t)n : 0;
}

/* "S1[i, j]" */
static inline void add_tuple(struct random *r, int s)
{
  add(r, "S%d[%s%s%s]", s, r->depth[s] > 0 ? "i" : "", r->depth[s] > 1 ? ", " : "", r->depth[s] > 1 ? "j" : "");
}

/* An affine expression over the iterators of statement S, such as "i - 1". */
static inline void add_affine(struct random *r, int s)
{
  int constant = pick(r, 3) - 1;
  for (int d = 0; d < r->depth[s]; d++)
    add(r, "%d%s + ", pick(r, 4) == 0 ? -1 : pick(r, 3) > 0, iterators[d]);
  add(r, "%d", constant);
}

/* " - KIND: { S[i] -> A[...] }" on array A (1-d), B (2-d) or s (scalar); EXTRA is more of the mapping. */
static inline void add_access(struct random *r, int s, const char *kind, int array, const char *subscripts,
                              const char *extra)
{
  static const char *const names[] = {"A", "B", "s"};
  add(r, "      - { %s: \"{ ", kind);
  add_tuple(r, s);
  add(r, " -> %s[%s] }\"%s }\n", names[array], subscripts, extra);
}

/* The subscripts of an access to ARRAY into TEXT. */
static inline void make_subscripts(struct random *r, int s, int array, char text[256])
{
  size_t start = r->used;
  for (int d = 0; d < 2 - array + (array == 1) && array < 2; d++) {
    add(r, "%s", d ? ", " : "");
    add_affine(r, s);
    if (array == 0)
      break;
  }
  snprintf(text, 256, "%s", r->text + start);
  r->used = start;
  r->text[start] = 0;
}

/* Statement S: a domain, some reads and a write, or an update. */
static inline void add_stmt(struct random *r, int s)
{
  static const char *const reductions[] = {"add", "mul", "max"};
  char subscripts[256], extra[64];
  r->depth[s] = 1 + pick(r, 2);
  r->bounds[s] = bounds[r->depth[s]][pick(r, 3)];
  add(r, "  - name: S%d\n    domain: \"[n, m] -> { ", s);
  add_tuple(r, s);
  add(r, " : %s }\"\n    accesses:\n", r->bounds[s]);
  for (int k = pick(r, 3); k > 0; k--) {
    int array = pick(r, 3);
    make_subscripts(r, s, array, subscripts);
    add_access(r, s, "read", array, subscripts, "");
  }
  int array = pick(r, 3);
  make_subscripts(r, s, array, subscripts);
  bool reduce = pick(r, 4) == 0;
  int reduction = pick(r, 3);
  snprintf(extra, sizeof(extra), ", reduction: %s, reassoc: %s, exact: %s", reductions[reduction],
           pick(r, 3) ? "true" : "false", reduction > 0 ? "true" : "false");
  if (reduce)
    add_access(r, s, "read", array, subscripts, extra);
  add_access(r, s, !reduce && pick(r, 5) == 0 ? "may_write" : "write", array, subscripts, reduce ? extra : "");
}

/* The domain of a tree, and where its child begins. */
static inline void add_domain(struct random *r)
{
  add(r, "{ domain: \"[n, m] -> { ");
  for (int s = 0; s < r->n_stmt; s++) {
    add(r, "%s", s ? "; " : "");
    add_tuple(r, s);
    add(r, " : %s", r->bounds[s]);
  }
  add(r, " }\", child: ");
}

/* One band member over statements FIRST to LAST: ITERATOR if it is one, a random expression otherwise. */
static inline void add_member(struct random *r, int first, int last, const char *iterator)
{
  add(r, "schedule: \"[{ ");
  for (int s = first; s <= last; s++) {
    add(r, "%s", s > first ? "; " : "");
    add_tuple(r, s);
    add(r, " -> [(");
    if (iterator)
      add(r, "%s", *iterator == 'j' && r->depth[s] < 2 ? "0" : iterator);
    else
      add_affine(r, s);
    add(r, ")]");
  }
  add(r, " }]\"");
}

/* The original order of statement S below the loops already made. */
static inline void add_leaf(struct random *r, int s, bool outer_done)
{
  add(r, "{ filter: \"{ ");
  add_tuple(r, s);
  add(r, " }\"");
  for (int d = outer_done; d < r->depth[s]; d++) {
    add(r, ", child: { ");
    add_member(r, s, s, iterators[d]);
  }
  for (int d = outer_done; d < r->depth[s]; d++)
    add(r, " }");
  add(r, " }");
}

/* A sequence of all statements, in one outer loop or not; shuffled by starting at ROTATE. */
static inline void add_sequence(struct random *r, bool fused, int rotate)
{
  add(r, "{ ");
  if (fused) {
    add_member(r, 0, r->n_stmt - 1, "i");
    add(r, ", child: { ");
  }
  add(r, "sequence: [ ");
  for (int k = 0; k < r->n_stmt; k++) {
    add(r, "%s", k ? ", " : "");
    add_leaf(r, (k + rotate) % r->n_stmt, fused);
  }
  add(r, " ]%s }", fused ? " }" : "");
}

/* The text of the random SCoP number SEED. Nobody reads array A (DEAD 1) or B (2) behind it; 0: all are live. */
static inline void make_scop(struct random *r, uint64_t seed, int dead)
{
  *r = (struct random){.state = seed * 7919 + 17};
  static const char *const yes_no[] = {"false", "true"};
  add(r, "scop: random.%d\ncontext: \"[n, m] -> { : }\"\narrays:\n", (int)seed);
  add(r, "  - { name: A, kind: memory, element: 8, extent: \"{ A[i] }\", live_out: %s }\n", yes_no[dead != 1]);
  add(r, "  - { name: B, kind: memory, element: 8, extent: \"{ B[i, j] }\", live_out: %s }\n", yes_no[dead != 2]);
  add(r, "  - { name: s, kind: scalar, element: 8, live_in: %s, live_out: %s }\n", yes_no[pick(r, 2)], yes_no[pick(r, 2)]);
  add(r, "statements:\n");
  int n = 1 + pick(r, MAX_STMT);
  for (; r->n_stmt < n; r->n_stmt++)
    add_stmt(r, r->n_stmt);
  add(r, "schedule: ");
  add_domain(r);
  add_sequence(r, pick(r, 2), 0);
  add(r, " }\n");
}

/* TEXT as a file. */
static inline FILE *open_text(const char *text)
{
  return fmemopen((void *)(uintptr_t)text, strlen(text), "r");
}

/* The SCoP of R. */
static inline struct tsr_scop *read_scop(isl_ctx *ctx, struct random *r)
{
  char *error = NULL;
  FILE *in = open_text(r->text);
  struct tsr_scop *scop = tsr_scop_read(ctx, in, "random.scop", &error);
  if (!CHECK(scop != NULL))
    fprintf(stderr, "%s\n%s\n", error, r->text);
  free(error);
  fclose(in);
  return scop;
}

#endif
