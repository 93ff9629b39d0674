/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of transformations: transformations.def, expanded. */
#include "tree/rows/rows.h"
#include <string.h>

#define LOOP(NAME) {NAME, TSR_PARAM_LOOP, TSR_COUNT_ONE, false, 0, 0}
#define LOOPS(NAME) {NAME, TSR_PARAM_LOOP, TSR_COUNT_EACH, false, 0, 0}
#define STMT(NAME) {NAME, TSR_PARAM_STMT, TSR_COUNT_ONE, false, 0, 0}
#define LOOP_OF_OTHER(NAME) {NAME, TSR_PARAM_OTHER, TSR_COUNT_ONE, false, 0, 0}
#define ARRAY(NAME) {NAME, TSR_PARAM_ARRAY, TSR_COUNT_ONE, false, 0, 0}
#define ARRAYS(NAME) {NAME, TSR_PARAM_ARRAY, TSR_COUNT_REST, false, 0, 0}
#define INT(NAME, LEAST, MOST_OF) {NAME, TSR_PARAM_INT, TSR_COUNT_ONE, false, LEAST, MOST_OF}
#define INTS(NAME, LEAST, MOST_OF) {NAME, TSR_PARAM_INT, TSR_COUNT_EACH, false, LEAST, MOST_OF}
#define MAYBE_INT(NAME, LEAST, MOST_OF) {NAME, TSR_PARAM_INT, TSR_COUNT_ONE, true, LEAST, MOST_OF}
#define AFFINE(NAME) {NAME, TSR_PARAM_AFFINE, TSR_COUNT_ONE, false, 0, 0}
#define MAP(NAME) {NAME, TSR_PARAM_MAP, TSR_COUNT_ONE, false, 0, 0}
#define CHOICE(NAME, WORDS) {NAME "|" WORDS, TSR_PARAM_CHOICE, TSR_COUNT_ONE, true, 0, 0}
#define NEW_NAMES(COUNT) {"name", TSR_PARAM_NAME, COUNT, true, 0, 0}

#define NO_PARAM {NULL, TSR_PARAM_LOOP, TSR_COUNT_ONE, false, 0, 0}

#define FN_STATEMENT(NAME) NULL
#define FN_PROGRAM(NAME) NULL
#define FN_EITHER(NAME) NULL
#define FN_EVERY(NAME) &tsr_every_##NAME
#define ROW(NAME, OF, SITES, HELP, ...)                                                                                     \
  {#NAME, HELP, TSR_OF_##OF, &tsr_row_##NAME, FN_##OF(NAME), &tsr_sites_##SITES, {__VA_ARGS__}},
static const struct tsr_row table[] = {
#include "tree/transformations.def"
};
#undef ROW
#define N_ROW ((int)(sizeof(table) / sizeof(table[0])))

const struct tsr_row *tsr_row_at(int i)
{
  return i >= 0 && i < N_ROW ? &table[i] : NULL;
}

const struct tsr_row *tsr_row_find(const char *name)
{
  for (int i = 0; i < N_ROW; i++)
    if (!strcmp(table[i].name, name))
      return &table[i];
  return NULL;
}

struct tsr_program *tsr_row_apply(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return (args->stmt < 0 && args->row->every ? args->row->every : args->row->apply)(program, args, why);
}

isl_stat tsr_row_sites(const struct tsr_row *row, struct tsr_program *program, tsr_site_fn fn, void *user)
{
  isl_stat ok = row->every ? tsr_site_give(-1, NULL, 0, fn, user) : isl_stat_ok;
  return ok == isl_stat_ok ? row->sites(program, fn, user) : ok;
}

/* "loop.., size.., [name..]" */
static void print_params(const struct tsr_row *row, FILE *out)
{
  for (int p = 0; p < TSR_MAX_PARAM && row->param[p].name; p++) {
    const struct tsr_param *param = &row->param[p];
    bool one = param->count == TSR_COUNT_ONE;
    int length = (int)strcspn(param->name, "|");
    fprintf(out, "%s%s%.*s%s%s", p ? ", " : "", param->optional ? "[" : "", length, param->name, one ? "" : "..",
            param->optional ? "]" : "");
  }
}

void tsr_rows_help(FILE *out)
{
  for (int i = 0; i < N_ROW; i++) {
    fprintf(out, "  %s%s(",
            table[i].of == TSR_OF_PROGRAM     ? ""
            : table[i].of == TSR_OF_STATEMENT ? "S."
                                              : "[S.]",
            table[i].name);
    print_params(&table[i], out);
    fprintf(out, ")  %s\n", table[i].help);
  }
}
