/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where rows about loops may apply, with a few values of their parameters each: every statement and loop of it, or pair of
 * loops, in a program. Of statements in one loop each is named: the row may be about more of its loops. */
#include "tree/rows/rows.h"
#include <string.h>

isl_stat tsr_site_give(int stmt, const struct tsr_site_value *value, int n, tsr_site_fn fn, void *user)
{
  struct tsr_args *args = calloc(1, sizeof(*args));
  if (!args)
    return isl_stat_error;
  args->stmt = stmt;
  for (int i = 0; i < n; i++) {
    int p = value[i].param;
    struct tsr_value *more = realloc(args->value[p], (args->n[p] + 1) * sizeof(*more));
    char number[32];
    if (!more)
      continue;
    args->value[p] = more;
    snprintf(number, sizeof(number), "%ld", value[i].number);
    more[args->n[p]++] = (struct tsr_value){
        .text = strdup(value[i].text ? value[i].text : number), .number = value[i].number, .index = (int)value[i].number};
  }
  return fn(args, user);
}

/* An enumeration at work. */
struct sites {
  struct tsr_program *program;
  tsr_site_fn fn;
  void *user;
  const long *numbers; /* to try; may be NULL */
  int n_number;
};

/* Sites of STMT with LOOP, and OTHER if it isn't NULL, and each of the numbers. */
static isl_stat give_numbers(struct sites *sites, int stmt, const char *loop, const char *other)
{
  isl_stat ok = isl_stat_ok;
  for (int k = 0; k < (sites->numbers ? sites->n_number : 1) && ok == isl_stat_ok; k++) {
    struct tsr_site_value value[3] = {{0, loop, 0}};
    int n = 1;
    if (other)
      value[n++] = (struct tsr_site_value){1, other, 0};
    if (sites->numbers) {
      value[n] = (struct tsr_site_value){n, NULL, sites->numbers[k]};
      n++;
    }
    ok = tsr_site_give(stmt, value, n, sites->fn, sites->user);
  }
  return ok;
}

/* Sites of every statement with each of its loops, or each PAIR of them, the outer one first. */
static isl_stat give_loops(struct sites *sites, bool pair)
{
  isl_stat ok = isl_stat_ok;
  struct tsr_scop *scop = sites->program->scop;
  for (int s = 0; s < scop->n_stmt && ok == isl_stat_ok; s++) {
    struct tsr_loop_name *names = NULL;
    isl_size n = tsr_stmt_loops(sites->program->tree, scop, s, &names);
    for (int i = 0; i < n && ok == isl_stat_ok; i++) {
      if (!pair)
        ok = give_numbers(sites, s, names[i].text, NULL);
      for (int k = i + 1; k < n && pair && ok == isl_stat_ok; k++)
        ok = give_numbers(sites, s, names[i].text, names[k].text);
    }
    free(names);
  }
  return ok;
}

static const long sizes[] = {2, 3, 32}, distances[] = {-2, -1, 1, 2}, factors[] = {-1, 1, 2}, widths[] = {2, 4};
#define N(LIST) ((int)(sizeof(LIST) / sizeof((LIST)[0])))

isl_stat tsr_sites_split(struct tsr_program *program, tsr_site_fn fn, void *user)
{
  struct sites sites = {program, fn, user, sizes, N(sizes)};
  return give_loops(&sites, false);
}

isl_stat tsr_sites_shift(struct tsr_program *program, tsr_site_fn fn, void *user)
{
  struct sites sites = {program, fn, user, distances, N(distances)};
  return give_loops(&sites, false);
}

isl_stat tsr_sites_skew(struct tsr_program *program, tsr_site_fn fn, void *user)
{
  struct sites sites = {program, fn, user, factors, N(factors)};
  return give_loops(&sites, true);
}

isl_stat tsr_sites_unroll(struct tsr_program *program, tsr_site_fn fn, void *user)
{
  struct sites sites = {program, fn, user, widths, N(widths)};
  return give_loops(&sites, false);
}

isl_stat tsr_sites_loop(struct tsr_program *program, tsr_site_fn fn, void *user)
{
  struct sites sites = {program, fn, user, NULL, 0};
  return give_loops(&sites, false);
}

isl_stat tsr_sites_loops(struct tsr_program *program, tsr_site_fn fn, void *user)
{
  struct sites sites = {program, fn, user, NULL, 0};
  return give_loops(&sites, true);
}

/* Tiles of two or three loops after each other, of few iterations and of many. */
isl_stat tsr_sites_tile(struct tsr_program *program, tsr_site_fn fn, void *user)
{
  isl_stat ok = isl_stat_ok;
  for (int s = 0; s < program->scop->n_stmt && ok == isl_stat_ok; s++) {
    struct tsr_loop_name *names = NULL;
    isl_size n = tsr_stmt_loops(program->tree, program->scop, s, &names);
    for (int from = 0; from < n; from++)
      for (int m = 1; m <= 3 && from + m <= n; m++)
        for (int size = 0; size < N(sizes) && ok == isl_stat_ok; size++) {
          struct tsr_site_value value[6];
          for (int i = 0; i < m; i++) {
            value[i] = (struct tsr_site_value){0, names[from + i].text, 0};
            value[m + i] = (struct tsr_site_value){1, NULL, sizes[(size + i) % N(sizes)]};
          }
          ok = tsr_site_give(s, value, 2 * m, fn, user);
        }
    free(names);
  }
  return ok;
}
