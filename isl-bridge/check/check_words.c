/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is wrong with a program, as a sentence: the array, two instances with their lines, and parameters.
 *
 *   array A: S1[0, 2] of line 7 must run before S0[1, 1] of line 5 (n = 3) */
#include "check/checker.h"
#include <isl/point.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

isl_bool tsr_checker_fail(struct tsr_checker *checker, const char *format, ...)
{
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  if (!checker->why)
    checker->why = strdup(text);
  return isl_bool_false;
}

static void append_value(char *text, size_t size, isl_val *value)
{
  char *digits = isl_val_to_str(value);
  size_t used = strlen(text);
  snprintf(text + used, size - used, "%s", digits ? digits : "?");
  free(digits);
  isl_val_free(value);
}

/* "S[1, 2]" from the coordinates FIRST, ... of POINT. */
static void print_instance(char *text, size_t size, const char *name, isl_point *point, int first, int n)
{
  snprintf(text, size, "%s[", name);
  for (int i = 0; i < n; i++) {
    append_value(text, size, isl_point_get_coordinate_val(point, isl_dim_set, first + i));
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", i < n - 1 ? ", " : "");
  }
  size_t used = strlen(text);
  snprintf(text + used, size - used, "]");
}

/* " (n = 3, m = 0)", empty without parameters. */
static void print_parameters(char *text, size_t size, isl_map *pair, isl_point *point)
{
  isl_size n = isl_map_dim(pair, isl_dim_param);
  text[0] = 0;
  for (int i = 0; i < n; i++) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s = ", i ? ", " : " (", isl_map_get_dim_name(pair, isl_dim_param, i));
    append_value(text, size, isl_point_get_coordinate_val(point, isl_dim_param, i));
  }
  size_t used = strlen(text);
  snprintf(text + used, size - used, "%s", n > 0 ? ")" : "");
}

/* Append " of line 5" to the instance TEXT of statement NAME, if that is known. */
static void append_line(char *text, size_t size, struct tsr_scop *scop, const char *name)
{
  int stmt = tsr_scop_find_stmt(scop, name);
  size_t used = strlen(text);
  if (stmt >= 0 && scop->stmts[stmt].line)
    snprintf(text + used, size - used, " of line %d", scop->stmts[stmt].line);
}

struct pair_text {
  struct tsr_scop *scop;
  char first[128], second[128], parameters[256];
};

static isl_stat sample_pair(isl_map *map, void *user)
{
  struct pair_text *text = user;
  isl_point *point = isl_set_sample_point(isl_map_wrap(isl_map_copy(map)));
  isl_size n_in = isl_map_dim(map, isl_dim_in), n_out = isl_map_dim(map, isl_dim_out);
  if (!text->first[0] && isl_point_is_void(point) == isl_bool_false) {
    print_instance(text->first, sizeof(text->first), isl_map_get_tuple_name(map, isl_dim_in), point, 0, n_in);
    print_instance(text->second, sizeof(text->second), isl_map_get_tuple_name(map, isl_dim_out), point, n_in, n_out);
    append_line(text->first, sizeof(text->first), text->scop, isl_map_get_tuple_name(map, isl_dim_in));
    append_line(text->second, sizeof(text->second), text->scop, isl_map_get_tuple_name(map, isl_dim_out));
    print_parameters(text->parameters, sizeof(text->parameters), map, point);
  }
  isl_point_free(point);
  isl_map_free(map);
  return isl_stat_ok;
}

isl_bool tsr_checker_fail_pair(struct tsr_checker *checker, isl_union_map *violated, int array, const char *what)
{
  struct pair_text text = {.scop = checker->scop};
  isl_union_map_foreach_map(violated, sample_pair, &text);
  isl_union_map_free(violated);
  return tsr_checker_fail(checker, "array %s: %s %s %s%s", array < 0 ? "?" : checker->scop->arrays[array].name, text.first,
                          what, text.second, text.parameters);
}
