/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where rows about statements, arrays and sets of iterations may apply. */
#include "tree/rows/rows.h"
#include <string.h>

/* Each statement in the loops of each other one. */
isl_stat tsr_sites_fuse(struct tsr_program *program, tsr_site_fn fn, void *user)
{
  isl_stat ok = isl_stat_ok;
  int n = program->scop->n_stmt;
  for (int s = 0; s < n; s++)
    for (int t = 0; t < n && ok == isl_stat_ok; t++) {
      struct tsr_loop_name *names = NULL;
      isl_size n_loop = s == t ? 0 : tsr_stmt_loops(program->tree, program->scop, t, &names);
      for (int i = 0; i < n_loop && ok == isl_stat_ok; i++) {
        struct tsr_site_value value[] = {{0, program->scop->stmts[t].name, t}, {1, names[i].text, 0}};
        ok = tsr_site_give(s, value, 2, fn, user);
      }
      free(names);
    }
  return ok;
}

/* Each loop at each of VALUES. */
static isl_stat give_values(struct tsr_program *program, const char *const *values, int n_value, tsr_site_fn fn, void *user)
{
  isl_stat ok = isl_stat_ok;
  for (int s = 0; s < program->scop->n_stmt && ok == isl_stat_ok; s++) {
    struct tsr_loop_name *names = NULL;
    isl_size n = tsr_stmt_loops(program->tree, program->scop, s, &names);
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n_value && ok == isl_stat_ok; k++) {
        struct tsr_site_value value[] = {{0, names[i].text, 0}, {1, values[k], 0}};
        ok = tsr_site_give(s, value, 2, fn, user);
      }
    free(names);
  }
  return ok;
}

/* Behind the first iterations, and where a parameter is. */
isl_stat tsr_sites_index_set_split(struct tsr_program *program, tsr_site_fn fn, void *user)
{
  const char *values[4] = {"1", "3"};
  char half[128];
  int n = 2;
  if (isl_set_dim(program->scop->context, isl_dim_param) > 0) {
    values[n++] = isl_set_get_dim_name(program->scop->context, isl_dim_param, 0);
    snprintf(half, sizeof(half), "floor(%s/2)", values[2]);
    values[n++] = half;
  }
  return give_values(program, values, n, fn, user);
}

/* Each loop with each array. */
isl_stat tsr_sites_private(struct tsr_program *program, tsr_site_fn fn, void *user)
{
  isl_stat ok = isl_stat_ok;
  struct tsr_scop *scop = program->scop;
  for (int s = 0; s < scop->n_stmt && ok == isl_stat_ok; s++) {
    struct tsr_loop_name *names = NULL;
    isl_size n = tsr_stmt_loops(program->tree, scop, s, &names);
    for (int i = 0; i < n; i++)
      for (int a = 0; a < scop->n_array && ok == isl_stat_ok; a++) {
        struct tsr_site_value value[] = {{0, names[i].text, 0}, {1, scop->arrays[a].name, a}};
        if (scop->arrays[a].kind == TSR_ARRAY_MEMORY)
          ok = tsr_site_give(s, value, 2, fn, user);
      }
    free(names);
  }
  return ok;
}

/* { S[i0, i1] -> [..] }: iterators in another order, one turned, one skewed, as VARIANT says; (malloc'd). */
static char *variant(const struct tsr_stmt *stmt, int variant)
{
  char *text = NULL;
  size_t size;
  int n = (int)isl_set_dim(stmt->domain, isl_dim_set);
  FILE *out = open_memstream(&text, &size);
  fprintf(out, "{ %s[", stmt->name);
  for (int i = 0; i < n; i++)
    fprintf(out, "%sx%d", i ? ", " : "", i);
  fputs("] -> [", out);
  for (int i = 0; i < n; i++) {
    int at = variant == 0 ? n - 1 - i : i;
    fprintf(out, "%s%sx%d", i ? ", " : "", variant == 1 && i == n - 1 ? "-" : "", at);
    if (variant == 2 && i == n - 1 && n > 1)
      fputs(" + x0", out);
  }
  fputs("] }", out);
  fclose(out);
  return text;
}

isl_stat tsr_sites_set_schedule(struct tsr_program *program, tsr_site_fn fn, void *user)
{
  isl_stat ok = isl_stat_ok;
  for (int s = 0; s < program->scop->n_stmt; s++)
    for (int k = 0; k < 3 && ok == isl_stat_ok; k++) {
      char *text = variant(&program->scop->stmts[s], k);
      struct tsr_site_value value = {0, text, 0};
      if (text)
        ok = tsr_site_give(s, &value, 1, fn, user);
      free(text);
    }
  return ok;
}

/* The loops of each statement from the outermost to each other one, all of them in one row. */
isl_stat tsr_sites_nest(struct tsr_program *program, tsr_site_fn fn, void *user)
{
  isl_stat ok = isl_stat_ok;
  for (int s = 0; s < program->scop->n_stmt && ok == isl_stat_ok; s++) {
    struct tsr_site_value value[8];
    struct tsr_loop_name *names = NULL;
    isl_size n = tsr_stmt_loops(program->tree, program->scop, s, &names);
    for (int m = 1; m <= n && m <= 8 && ok == isl_stat_ok; m++) {
      value[m - 1] = (struct tsr_site_value){0, names[m - 1].text, 0};
      ok = tsr_site_give(s, value, m, fn, user);
    }
    free(names);
  }
  return ok;
}

/* The program. */
isl_stat tsr_sites_program(struct tsr_program *program, tsr_site_fn fn, void *user)
{
  (void)program;
  return tsr_site_give(-1, NULL, 0, fn, user);
}
