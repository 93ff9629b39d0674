/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A result as commands. What was commanded is repeated. Any other variant is the scheduler's tree and the rows that the
 * search took from there; where there is no row for a step, its tree, with all marks:
 *
 *   set_schedule("domain: .. child: ..")
 *   register_tiles()
 *   parallelize(outermost)
 *   vectorize()
 *   otherwise               the next variant, or the original order
 */
#include "commands/commands.h"
#include <isl/printer.h>
#include <stdlib.h>

/* SCHEDULE as text in quotes, in lines of their own. */
static void print_schedule(__isl_keep isl_schedule *schedule, FILE *out)
{
  isl_printer *printer = isl_printer_to_str(isl_schedule_get_ctx(schedule));
  printer = isl_printer_set_yaml_style(printer, ISL_YAML_STYLE_BLOCK);
  printer = isl_printer_print_schedule(printer, schedule);
  char *text = isl_printer_get_str(printer);
  isl_printer_free(printer);
  fputc('"', out);
  bool first = true;
  for (const char *at = text; at && *at; at++) {
    if (first)
      fputs("\n    ", out);
    first = *at == '\n';
    if (!first)
      fputc(*at == '"' ? '\'' : *at, out);
  }
  fputc('"', out);
  free(text);
}

/* Variant number N of RESULT from the original order on. */
static void print_variant(const struct tsr_result *result, int n, FILE *out)
{
  const struct tsr_variant *variant = &result->variant[n];
  bool known = variant->steps != NULL;
  if (!known || variant->schedule) {
    fputs("  set_schedule(", out);
    print_schedule(known ? variant->schedule : variant->tree, out);
    fputs(")\n", out);
  }
  bool more = variant->condition.threads || (variant->condition.sizes && n == 0) ||
              (variant->condition.gpu && result->n_variant > 1);
  fprintf(out, "%s%s", known ? variant->steps : "", more ? "  otherwise\n" : "");
}

void tsr_print_commands(struct tsr_scop *scop, const struct tsr_result *result, FILE *out)
{
  if (result->verdict != TSR_OK || !result->n_variant) {
    fprintf(out, "# %s is left as it is\n", scop->name);
    return;
  }
  fprintf(out, "%s:\n", scop->name);
  if (result->commanded) {
    fputs(result->commands ? result->commands : "", out);
    return;
  }
  for (int gpu = 1; gpu >= 0; gpu--)
    for (int i = 0; i < result->n_variant; i++)
      if (result->variant[i].condition.gpu == gpu)
        print_variant(result, i, out);
  fputs("  only\n  where_it_pays\n", out);
}
