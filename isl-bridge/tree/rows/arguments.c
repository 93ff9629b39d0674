/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From texts to what a row is asked to do, and back. */
#include "tree/rows/rows.h"
#include <ctype.h>
#include <errno.h>
#include <string.h>

struct tsr_args *tsr_args_free(struct tsr_args *args)
{
  for (int p = 0; args && p < TSR_MAX_PARAM; p++) {
    for (int k = 0; k < args->n[p]; k++)
      free(args->value[p][k].text);
    free(args->value[p]);
  }
  free(args);
  return NULL;
}

/* ---- statements and arrays by name --------------------------------------------------------------------- */

/* Is NAME that of ARRAY, or that without the number that the pass adds? */
static bool is_array_name(const char *array, const char *name)
{
  size_t length = strlen(name);
  if (strncmp(array, name, length))
    return false;
  const char *rest = array + length;
  return !*rest || (*rest == '_' && rest[1] && !rest[1 + strspn(rest + 1, "0123456789")]);
}

/* The array called NAME among those for which WANTED, all if NULL; -1: none, -2: several. */
static int find_array(struct tsr_scop *scop, const char *name, const bool *wanted)
{
  int found = -1;
  for (int i = 0; i < scop->n_array; i++) {
    if (scop->arrays[i].kind != TSR_ARRAY_MEMORY || (wanted && !wanted[i]) || !is_array_name(scop->arrays[i].name, name))
      continue;
    if (!strcmp(scop->arrays[i].name, name))
      return i;
    found = found == -1 ? i : -2;
  }
  return found;
}

/* Does STMT write ARRAY, or maybe? */
static bool writes(const struct tsr_stmt *stmt, int array)
{
  for (int k = 0; k < stmt->n_access; k++)
    if (stmt->access[k].array == array && stmt->access[k].kind != TSR_READ)
      return true;
  return false;
}

/* "S0 (line 3), S1": statements that write ARRAY, all if it is -1. */
static void list_stmts(struct tsr_scop *scop, int array, char *text, size_t size)
{
  size_t used = 0;
  text[0] = 0;
  for (int i = 0; i < scop->n_stmt && used < size; i++) {
    const struct tsr_stmt *stmt = &scop->stmts[i];
    if (array >= 0 && !writes(stmt, array))
      continue;
    used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", stmt->name);
    for (int k = 0; k < stmt->n_access && array < 0 && used < size; k++)
      if (stmt->access[k].kind != TSR_READ && scop->arrays[stmt->access[k].array].kind == TSR_ARRAY_MEMORY)
        used += (size_t)snprintf(text + used, size - used, " (writes %s)", scop->arrays[stmt->access[k].array].name);
    if (stmt->line && used < size)
      used += (size_t)snprintf(text + used, size - used, " of line %d", stmt->line);
  }
}

int tsr_stmt_by_name(struct tsr_scop *scop, const char *name, char **error)
{
  char list[1024];
  int found = tsr_scop_find_stmt(scop, name);
  if (found >= 0)
    return found;
  int array = find_array(scop, name, NULL), n = 0;
  for (int i = 0; i < scop->n_stmt && array >= 0; i++)
    if (writes(&scop->stmts[i], array)) {
      found = i;
      n++;
    }
  if (n == 1)
    return found;
  list_stmts(scop, array < 0 ? -1 : n ? array : -1, list, sizeof(list));
  if (array == -2)
    tsr_message_set(error, "several arrays are called '%s'; there are statements %s", name, list);
  else if (n > 1)
    tsr_message_set(error, "several statements write '%s': %s", name, list);
  else
    tsr_message_set(error, "there is no statement '%s', nor one that writes such an array; there are %s", name, list);
  return array == -2 || n > 1 ? -2 : -1;
}

/* ---- one value ----------------------------------------------------------------------------------------- */

/* Is TEXT an identifier, with dots maybe? */
static bool is_word(const char *text)
{
  if (!isalpha((unsigned char)*text) && *text != '_')
    return false;
  for (; *text; text++)
    if (!isalnum((unsigned char)*text) && *text != '_' && *text != '.')
      return false;
  return true;
}

/* VALUE as an integer in the range of PARAM. */
static bool bind_int(const struct tsr_param *param, struct tsr_value *value, char **error)
{
  char *end;
  errno = 0;
  value->number = strtol(value->text, &end, 10);
  bool good = *value->text && !*end && !errno && value->number >= param->least && value->number <= param->most;
  if (!good)
    tsr_message_set(error, "'%s' is no %s: expected an integer from %ld to %ld", value->text, param->name, param->least,
                    param->most);
  return good;
}

/* VALUE as a MEMORY array. */
static bool bind_array(struct tsr_scop *scop, struct tsr_value *value, char **error)
{
  value->index = find_array(scop, value->text, NULL);
  if (value->index == -2)
    tsr_message_set(error, "several arrays are called '%s'", value->text);
  else if (value->index < 0)
    tsr_message_set(error, "there is no array '%s' in memory", value->text);
  return value->index >= 0;
}

/* VALUE as one of the words behind PARAM's name. */
static bool bind_choice(const struct tsr_param *param, struct tsr_value *value, char **error)
{
  const char *words = strchr(param->name, '|') + 1, *at = words;
  size_t length = strlen(value->text);
  for (value->number = 0; at; value->number++) {
    size_t own = strcspn(at, "|");
    if (own == length && !strncmp(at, value->text, length))
      return true;
    at = at[own] ? at + own + 1 : NULL;
  }
  tsr_message_set(error, "'%s': expected one of %s", value->text, words);
  return false;
}

/* VALUE as the name of a new loop. */
static bool bind_name(struct tsr_value *value, char **error)
{
  if (!is_word(value->text) || strlen(value->text) >= TSR_LOOP_NAME)
    tsr_message_set(error, "'%s' can't be the name of a loop: expected a short word", value->text);
  else if (!tsr_loop_name_is_free(value->text))
    tsr_message_set(error, "'%s' names a loop by its depth: expected another name", value->text);
  else
    return true;
  return false;
}

/* VALUE as what PARAM says. False: *ERROR says why not. */
static bool bind_value(const struct tsr_param *param, struct tsr_scop *scop, struct tsr_value *value, char **error)
{
  switch (param->kind) {
  case TSR_PARAM_LOOP:
  case TSR_PARAM_OTHER:
    if (!is_word(value->text))
      tsr_message_set(error, "'%s' is no %s: expected the name of a loop", value->text, param->name);
    return is_word(value->text);
  case TSR_PARAM_STMT:
    value->index = tsr_stmt_by_name(scop, value->text, error);
    return value->index >= 0;
  case TSR_PARAM_ARRAY:
    return bind_array(scop, value, error);
  case TSR_PARAM_INT:
    return bind_int(param, value, error);
  case TSR_PARAM_NAME:
    return bind_name(value, error);
  case TSR_PARAM_CHOICE:
    return bind_choice(param, value, error);
  case TSR_PARAM_AFFINE:
  case TSR_PARAM_MAP:
    break; /* isl reads it */
  }
  return true;
}

/* ---- all of them --------------------------------------------------------------------------------------- */

/* Is PARAM about a statement's loops? */
static bool is_of_loops(const struct tsr_param *param)
{
  return param->kind == TSR_PARAM_LOOP || param->kind == TSR_PARAM_OTHER || param->kind == TSR_PARAM_AFFINE ||
         param->kind == TSR_PARAM_NAME;
}

/* How many values does PARAM take of those that are LEFT, where there are N_LOOP for each loop? EVERY: nests are meant. */
static int n_values(const struct tsr_param *param, int n_loop, int left, bool every)
{
  if (every && is_of_loops(param))
    return 0;
  if (every && param->count == TSR_COUNT_EACH)
    return left;
  switch (param->count) {
  case TSR_COUNT_ONE:
    return 1;
  case TSR_COUNT_TWO:
    return 2;
  case TSR_COUNT_EACH:
    return n_loop;
  case TSR_COUNT_TWICE:
    return 2 * n_loop;
  case TSR_COUNT_REST:
    return left > 1 ? left : 1;
  }
  return 1;
}

/* How many of TEXT are words in front of all others? At least one. */
static int count_words(char *const *text, int n)
{
  int words = 0;
  while (words < n && is_word(text[words]))
    words++;
  return words > 1 ? words : 1;
}

/* "loop, size" */
static void list_params(const struct tsr_row *row, char *text, size_t size)
{
  size_t used = 0;
  text[0] = 0;
  for (int p = 0; row->param[p].name && used < size; p++)
    used += (size_t)snprintf(text + used, size - used, "%s%s%.*s%s%s", p ? ", " : "", row->param[p].optional ? "[" : "",
                             (int)strcspn(row->param[p].name, "|"), row->param[p].name,
                             row->param[p].count == TSR_COUNT_ONE ? "" : "..", row->param[p].optional ? "]" : "");
}

/* Complain about the number of values. */
static struct tsr_args *refuse_number(struct tsr_args *args, int n, char **error)
{
  char list[256];
  list_params(args->row, list, sizeof(list));
  tsr_message_set(error, "%s takes (%s), not %d value%s", args->row->name, list, n, n == 1 ? "" : "s");
  return tsr_args_free(args);
}

/* Value number K of ARGS is wrong. */
static struct tsr_args *refuse_value(struct tsr_args *args, int k, int *where)
{
  *where = k;
  return tsr_args_free(args);
}

struct tsr_args *tsr_args_bind(const struct tsr_row *row, struct tsr_scop *scop, int stmt, char *const *text, int n,
                               int *where, char **error)
{
  struct tsr_args *args = calloc(1, sizeof(*args));
  bool every = stmt < 0 && row->every;
  int used = 0, n_loop = row->param[0].name && row->param[0].count == TSR_COUNT_EACH ? count_words(text, n) : 1;
  *where = n;
  if (!args)
    return NULL;
  args->row = row;
  args->stmt = stmt;
  for (int p = 0; row->param[p].name && !((row->param[p].optional || every) && used == n); p++) {
    int want = n_values(&row->param[p], n_loop, n - used, every);
    if (want > n - used)
      return refuse_number(args, n, error);
    args->value[p] = calloc((size_t)want + 1, sizeof(*args->value[p]));
    for (int k = 0; k < want && args->value[p]; k++, used++) {
      args->value[p][args->n[p]++].text = strdup(text[used]);
      if (!bind_value(&row->param[p], scop, &args->value[p][k], error))
        return refuse_value(args, used, where);
    }
  }
  *where = used;
  return used == n ? args : refuse_number(args, n, error);
}

/* Are values of KIND written in quotes? */
static bool is_quoted(enum tsr_param_kind kind)
{
  return kind == TSR_PARAM_MAP;
}

void tsr_args_print(const struct tsr_args *args, struct tsr_scop *scop, FILE *out)
{
  const char *between = "";
  fprintf(out, "%s%s%s(", args->stmt < 0 ? "" : scop->stmts[args->stmt].name, args->stmt < 0 ? "" : ".", args->row->name);
  for (int p = 0; p < TSR_MAX_PARAM; p++)
    for (int k = 0; k < args->n[p]; k++) {
      const char *quote = is_quoted(args->row->param[p].kind) ? "\"" : "";
      fprintf(out, "%s%s%s%s", between, quote, args->value[p][k].text, quote);
      between = ", ";
    }
  fputc(')', out);
}
