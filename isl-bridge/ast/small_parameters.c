/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Running a SCoP at many small parameter values. Each parameter has a few candidates, counted from the least value that
 * context and assumptions allow; all their combinations are tried, or a fixed sample of them if there are too many:
 *
 *     [n, m] -> { : n >= 3 }     n: 3 4 5 8 10    m: 0 1 2 5 7 -3 */
#include "ast/ast.h"
#include "support/message.h"
#include <isl/ilp.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

enum { N_STEP = 6, MAX_COMBINATIONS = 48 };
static const long steps[N_STEP] = {5, 1, 0, 2, 7, -3};

/* The least value of parameter POS in KNOWN; 0 if there is none or it is no small number. */
static long least_value(isl_set *known, int pos)
{
  isl_set *values = isl_set_from_params(isl_set_copy(known));
  values = isl_set_move_dims(values, isl_dim_set, 0, isl_dim_param, pos, 1);
  values = isl_set_project_out_all_params(values);
  isl_val *least = isl_set_dim_min_val(values, 0);
  long value = isl_val_is_int(least) == isl_bool_true ? isl_val_get_num_si(least) : 0;
  isl_val_free(least);
  return value > -1000 && value < 1000 ? value : 0;
}

/* Is the parameter point VALUES in KNOWN? */
static isl_bool is_allowed(isl_set *known, const long *values, int n)
{
  isl_set *at = isl_set_copy(known);
  for (int i = 0; i < n; i++)
    at = isl_set_fix_si(at, isl_dim_param, i, (int)values[i]);
  isl_bool empty = isl_set_is_empty(at);
  isl_set_free(at);
  return isl_bool_not(empty);
}

/* Put "n = 5, m = 7: " before the sentence in *WHY. */
static void add_values(struct tsr_scop *scop, const long *values, int n, char **why)
{
  char *text = NULL, *sentence = *why;
  size_t size = 0;
  FILE *out = sentence ? open_memstream(&text, &size) : NULL;
  if (!out)
    return;
  for (int i = 0; i < n; i++)
    fprintf(out, "%s%s = %ld", i ? ", " : "", isl_set_get_dim_name(scop->context, isl_dim_param, i), values[i]);
  fprintf(out, "%s%s", n ? ": " : "", sentence);
  fclose(out);
  free(sentence);
  *why = text;
}

/* Compare at VALUES. What is too large to run counts as right, but not in *N_RUN. */
static isl_bool run_at(struct tsr_program *program, isl_ast_node *ast, const long *values, int n, long limit, int *n_run,
                       char **why)
{
  char *sentence = NULL;
  struct tsr_scop *scop = program->original;
  isl_bool same = tsr_interp_program(program, ast, values, limit, &sentence);
  if (same < 0 && isl_ctx_last_error(scop->ctx) == isl_error_quota) {
    isl_ctx_reset_error(scop->ctx);
    free(sentence);
    return isl_bool_true;
  }
  ++*n_run;
  if (same == isl_bool_false)
    add_values(scop, values, n, &sentence);
  if (why)
    *why = sentence;
  else
    free(sentence);
  return same;
}

/* Some point of KNOWN, for a SCoP whose conditions no combination meets. */
static isl_bool sample(isl_set *known, long *values, int n)
{
  isl_set *set = isl_set_move_dims(isl_set_from_params(isl_set_copy(known)), isl_dim_set, 0, isl_dim_param, 0, n);
  isl_point *point = isl_set_sample_point(set);
  isl_bool is_void = isl_point_is_void(point);
  for (int i = 0; i < n && is_void == isl_bool_false; i++) {
    isl_val *val = isl_point_get_coordinate_val(point, isl_dim_set, i);
    values[i] = isl_val_get_num_si(val);
    isl_val_free(val);
  }
  isl_point_free(point);
  return isl_bool_not(is_void);
}

static isl_bool sweep(struct tsr_program *program, isl_ast_node *ast, isl_set *known, long limit, int *n_run, char **why)
{
  struct tsr_scop *scop = program->original;
  isl_size n = isl_set_dim(scop->context, isl_dim_param);
  long *values = calloc(n < 0 ? 1 : 2 * n + 1, sizeof(*values)), *least = values + (n < 0 ? 0 : n);
  isl_bool same = n < 0 || !values ? isl_bool_error : isl_bool_true;
  unsigned long combinations = 1, tried = 0, stride = 1;
  for (int i = 0; i < n; i++) {
    combinations = combinations > 1000000 ? combinations : combinations * N_STEP;
    least[i] = least_value(known, i);
  }
  if (combinations > MAX_COMBINATIONS)
    stride = combinations / MAX_COMBINATIONS | 1;
  for (unsigned long k = 0; k < combinations && same == isl_bool_true; k += stride) {
    unsigned long digits = k;
    for (int i = 0; i < n; i++, digits = digits / N_STEP + (i % 8 == 7 ? k : 0))
      values[i] = least[i] + steps[digits % N_STEP];
    isl_bool allowed = is_allowed(known, values, n);
    tried += allowed == isl_bool_true;
    same = allowed == isl_bool_true ? run_at(program, ast, values, n, limit, n_run, why) : isl_bool_not(allowed);
  }
  if (same == isl_bool_true && !tried) {
    isl_bool found = sample(known, values, n);
    same = found == isl_bool_true ? run_at(program, ast, values, n, limit, n_run, why) : isl_bool_not(found);
  }
  free(values);
  return same;
}

/* requires: parameters only in the context.  guarantees: the same values in every run of the same SCoP.
 * on failure: isl_bool_error; what exceeds LIMIT is skipped, no failure. */
isl_bool tsr_interp_sweep_program(struct tsr_program *program, isl_ast_node *ast, long limit, int *n_run, char **why)
{
  struct tsr_scop *scop = program->original;
  isl_set *known = isl_set_intersect(isl_set_copy(scop->context), isl_set_copy(scop->assumed));
  known = isl_set_align_params(known, isl_set_get_space(scop->context));
  int on_error = isl_options_get_on_error(scop->ctx);
  *n_run = 0;
  if (why)
    *why = NULL;
  isl_options_set_on_error(scop->ctx, ISL_ON_ERROR_CONTINUE);
  isl_bool same = sweep(program, ast, known, limit, n_run, why);
  isl_options_set_on_error(scop->ctx, on_error);
  isl_set_free(known);
  return same;
}

isl_bool tsr_interp_sweep(struct tsr_scop *scop, isl_ast_node *ast, long limit, int *n_run, char **why)
{
  struct tsr_program program = {.ref = 1, .original = scop, .scop = scop};
  return tsr_interp_sweep_program(&program, ast, limit, n_run, why);
}
