/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tessera [OPTIONS] FILE.scop: any prefix of the pipeline on a dumped SCoP, without LLVM.
 *
 *   read SCoP -> dependences -> schedule -> tile -> profit -> check -> ast -> run -> print -> --time, --measure
 *                                            ^ or --schedule-file=FILE, a tree of the user's
 *
 * Exit status: 0 done, 1 a check, comparison or stage failed, 2 bad usage or input. */
#include "ast/ast.h"
#include "tree/transformations.h"
#include <errno.h>
#include <isl/options.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define VERSION "0.1.0"

enum print {
  PRINT_DEFAULT,
  PRINT_NONE,
  PRINT_TEXT,
  PRINT_TREE,
  PRINT_AST,
  PRINT_C,
  PRINT_DOT,
  PRINT_DEPS,
  PRINT_MACHINE,
  PRINT_CANDIDATES,
  PRINT_COMMANDS,
  N_PRINT
};
static const char *const print_names[N_PRINT] = {"default", "none", "text",    "tree",       "ast",     "c",
                                                 "dot",     "deps", "machine", "candidates", "commands"};

enum { OK, FAILED, USAGE };

struct tool {
  isl_ctx *ctx;
  struct tsr_options options;
  const char *file, *params, *schedule_file, *compare;
  int until; /* a tsr_stage, -1: not given */
  enum print print;
  long limit; /* instances of one run */
  bool help, version;
  bool time, measure;
  struct tsr_scop *scop;
  isl_schedule *user;         /* from schedule_file */
  struct tsr_program *packed; /* USER with packed operands or panels as arrays; NULL: it has none */
  struct tsr_result *result;
};

static int complain(const char *what, const char *text)
{
  fprintf(stderr, "tessera: %s%s%s\n", what, text ? " " : "", text ? text : "");
  return USAGE;
}

/* ---- the command line ---- */

static void print_help(void)
{
  puts("usage: tessera [options] FILE.scop        (- reads standard input)\n"
       "\n"
       "Runs the optimizer on a SCoP that was dumped with -tessera-dump or written by hand.\n"
       "\n"
       "  --until=STAGE           dependences, schedule, tile, profit, check, ast (default) or run\n"
       "  --print=WHAT            none, text, tree, ast, c, dot, deps, machine, candidates or commands; default: what STAGE "
       "produced\n"
       "  --params=n=7,m=3        run at these parameter values; default: many small ones\n"
       "  --limit=N               skip runs of more than N instances (default: 100000)\n"
       "  --schedule-file=FILE    check, print and run this schedule tree in place of ours\n"
       "  --compare=OTHER.scop    do both files mean the same?\n"
       "  --time                  milliseconds and isl operations of each stage, in a table at the end\n"
       "  --measure               what the schedule is like, a line of key=value pairs:\n"
       "                            accesses in loops; near: those of stride 0 or 1 in the innermost one;\n"
       "                            outer=coincident, concurrent, wavefront or none: can the outermost loops be\n"
       "                            parallel? (concurrent, with --parallel: tiles can, and all start at once)\n"
       "                            members of the largest permutable band;\n"
       "                            fallback=none, no-reordering or original: what the strategy's failure led to\n"
       "  --help, --version\n"
       "\n"
       "Options that the compiler plugin has too (those that concern compilation have no effect here):");
  tsr_options_help(stdout);
  puts("\nCommands of a schedule of your own (--commands=FILE):");
  tsr_rows_help(stdout);
}

static int parse_stage(struct tool *tool, const char *value)
{
  for (int i = 0; i < TSR_N_STAGE; i++)
    if (!strcmp(tsr_stage_name((enum tsr_stage)i), value))
      tool->until = i;
  if (tool->until >= 0)
    return OK;
  return complain("option 'until' needs one of dependences, schedule, tile, profit, check, ast, run, not", value);
}

static int parse_print(struct tool *tool, const char *value)
{
  for (int i = PRINT_NONE; i < N_PRINT; i++)
    if (!strcmp(print_names[i], value))
      tool->print = (enum print)i;
  if (tool->print != PRINT_DEFAULT)
    return OK;
  return complain("option 'print' needs one of none, text, tree, ast, c, dot, deps, machine, candidates, commands, not",
                  value);
}

static int parse_limit(struct tool *tool, const char *value)
{
  char *end;
  errno = 0;
  tool->limit = strtol(value, &end, 10);
  if (!*value || *end || errno || tool->limit < 1 || tool->limit > 100000000)
    return complain("option 'limit' needs a number from 1 to 100000000, not", value);
  return OK;
}

/* The value of option NAME when ARG is --NAME=value; or of --NAME, which then is NEXT and counted in *USED. */
static const char *option_value(const char *arg, const char *name, const char *next, int *used)
{
  size_t length = strlen(name);
  if (strncmp(arg, "--", 2) || strncmp(arg + 2, name, length))
    return NULL;
  if (arg[2 + length] == '=')
    return arg + 3 + length;
  *used += !arg[2 + length] && next;
  return arg[2 + length] ? NULL : next ? next : "";
}

/* One argument, and maybe NEXT. */
static int parse_argument(struct tool *tool, const char *arg, const char *next, int *used)
{
  const char *value;
  char *error = NULL;
  if (*arg != '-' || !strcmp(arg, "-")) {
    if (tool->file)
      return complain("expected one file, not also", arg);
    tool->file = arg;
    return OK;
  }
  if (!strcmp(arg, "--help") || !strcmp(arg, "-h"))
    return tool->help = true, OK;
  if (!strcmp(arg, "--version"))
    return tool->version = true, OK;
  if (!strcmp(arg, "--time"))
    return tool->time = true, OK;
  if (!strcmp(arg, "--measure"))
    return tool->measure = true, OK;
  if ((value = option_value(arg, "until", next, used)))
    return parse_stage(tool, value);
  if ((value = option_value(arg, "print", next, used)))
    return parse_print(tool, value);
  if ((value = option_value(arg, "limit", next, used)))
    return parse_limit(tool, value);
  if ((value = option_value(arg, "params", next, used)))
    return tool->params = value, OK;
  if ((value = option_value(arg, "schedule-file", next, used)))
    return tool->schedule_file = value, OK;
  if ((value = option_value(arg, "compare", next, used)))
    return tool->compare = value, OK;
  if (tsr_options_parse(&tool->options, arg, "\n", &error) == isl_stat_ok)
    return OK;
  complain(error, "; tessera's own are --until, --print, --params, --limit, --schedule-file, --compare, --time, --measure, "
                  "--help, --version");
  free(error);
  return USAGE;
}

static int parse_arguments(struct tool *tool, int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    int used = 0;
    if (parse_argument(tool, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &used) != OK)
      return USAGE;
    i += used;
  }
  if (!tool->file && !tool->help && !tool->version && tool->print != PRINT_MACHINE)
    return complain("expected a file; try --help", NULL);
  if (tool->params && tool->until >= 0 && tool->until != TSR_STAGE_RUN)
    return complain("option 'params' needs --until=run", NULL);
  if (tool->time && (tool->schedule_file || tool->compare))
    return complain("option 'time' needs a run of the stages, not", tool->compare ? "--compare" : "--schedule-file");
  if (tool->until < 0)
    tool->until = tool->params || tool->schedule_file ? TSR_STAGE_RUN : TSR_STAGE_AST;
  return OK;
}

/* ---- input ---- */

static FILE *open_input(const char *file)
{
  FILE *in = strcmp(file, "-") ? fopen(file, "r") : stdin;
  if (!in)
    fprintf(stderr, "tessera: %s: %s\n", file, strerror(errno));
  return in;
}

static void close_input(FILE *in)
{
  if (in != stdin)
    fclose(in);
}

static struct tsr_scop *read_scop(struct tool *tool, const char *file)
{
  char *error = NULL;
  FILE *in = open_input(file);
  struct tsr_scop *scop = in ? tsr_scop_read(tool->ctx, in, file, &error) : NULL;
  if (in)
    close_input(in);
  if (error)
    fprintf(stderr, "%s\n", error);
  free(error);
  return scop;
}

static isl_schedule *read_schedule(struct tool *tool, const char *file)
{
  char *error = NULL;
  FILE *in = open_input(file);
  isl_schedule *schedule = in ? tsr_schedule_read(tool->ctx, in, file, &error) : NULL;
  if (in)
    close_input(in);
  if (error)
    fprintf(stderr, "%s\n", error);
  free(error);
  return schedule ? tsr_tree_adopt_marks(schedule, tool->scop) : NULL;
}

/* "n=7,m=3" into VALUES, one for each parameter of the context. */
static int read_params(struct tool *tool, long *values)
{
  isl_size n = isl_set_dim(tool->scop->context, isl_dim_param);
  for (int i = 0; i < n; i++) {
    const char *name = isl_set_get_dim_name(tool->scop->context, isl_dim_param, i), *at = tool->params;
    size_t length = strlen(name);
    while (at && (strncmp(at, name, length) || at[length] != '='))
      at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL;
    char *end = NULL;
    errno = 0;
    values[i] = at ? strtol(at + length + 1, &end, 10) : 0;
    if (!at || end == at + length + 1 || (*end && *end != ',') || errno)
      return complain("option 'params' gives no integer for parameter", name);
  }
  for (const char *at = tool->params; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    char name[64];
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, "=,"), at);
    if (isl_set_find_dim_by_name(tool->scop->context, isl_dim_param, name) < 0)
      return complain("option 'params' names an unknown parameter:", name);
  }
  return OK;
}

/* Replace the numbers of *MACHINE as the options say. */
static int load_machine(struct tool *tool, struct tsr_machine *machine)
{
  char *error = NULL;
  if (!tool->options.machine || tsr_machine_load(tool->options.machine, machine, &error) == isl_stat_ok)
    return OK;
  complain(error, NULL);
  free(error);
  return USAGE;
}

/* ---- work ---- */

static int compare(struct tool *tool)
{
  char *why = NULL;
  struct tsr_scop *other = read_scop(tool, tool->compare);
  if (!other)
    return USAGE;
  isl_bool equal = tsr_scop_is_equal(tool->scop, other, &why);
  if (equal < 0)
    complain("the comparison failed:", isl_ctx_last_error_msg(tool->ctx));
  else
    printf("%s\n", equal ? "equal" : why);
  free(why);
  tsr_scop_free(other);
  return equal == isl_bool_true ? OK : FAILED;
}

/* The variant to print and run: that for a GPU, if there is one, else the first. */
static const struct tsr_variant *shown_variant(struct tool *tool)
{
  const struct tsr_result *r = tool->result;
  int last = r->n_variant - 1;
  return &r->variant[last > 0 && r->variant[last].condition.gpu ? last : 0];
}

/* The tree to print and run: the user's, or the furthest that the pipeline came. */
static isl_schedule *final_tree(struct tool *tool)
{
  struct tsr_result *r = tool->result;
  if (tool->user)
    return tool->user;
  if (tool->until == TSR_STAGE_SCHEDULE && r->schedule)
    return r->schedule;
  return r->n_variant ? shown_variant(tool)->tree : r->schedule ? r->schedule : tool->scop->schedule;
}

/* What runs, where that is more than the final tree; NULL: no more. */
static struct tsr_program *final_program(struct tool *tool)
{
  if (tool->user)
    return tool->packed;
  return tool->result && tool->result->n_variant ? tsr_variant_program(shown_variant(tool)) : NULL;
}

static isl_ast_node *final_ast(struct tool *tool)
{
  if (!tool->user && shown_variant(tool)->ast)
    return isl_ast_node_copy(shown_variant(tool)->ast);
  return tool->packed ? tsr_program_ast(tool->packed) : tsr_ast_build(tool->scop, final_tree(tool));
}

/* Run at the given parameter values, or at many. */
static int run(struct tool *tool)
{
  isl_ast_node *ast = final_ast(tool);
  isl_size n = isl_set_dim(tool->scop->context, isl_dim_param);
  long *values = calloc(n < 0 ? 1 : n + 1, sizeof(*values));
  char *why = NULL;
  int n_run = 1;
  isl_bool same = isl_bool_error;
  if (tool->params && read_params(tool, values) != OK) {
    isl_ast_node_free(ast);
    free(values);
    return USAGE;
  }
  struct tsr_program order = {.ref = 1, .original = tool->scop, .scop = tool->scop}, *program = &order;
  struct tsr_program *changed = final_program(tool);
  if (changed && (tool->packed || shown_variant(tool)->ast)) {
    program = changed;
    isl_ast_node_free(ast); /* it names the original's statements, as emission wants it */
    ast = tsr_ast_build(program->scop, program->scop->schedule);
  }
  if (ast && tool->params)
    same = tsr_interp_program(program, ast, values, tool->limit, &why);
  else if (ast)
    same = tsr_interp_sweep_program(program, ast, tool->limit, &n_run, &why);
  if (same < 0)
    complain("the run failed:", isl_ctx_last_error_msg(tool->ctx));
  else if (!same)
    printf("run: %s\n", why);
  else
    printf("run: same memory at %d parameter value%s\n", n_run, n_run == 1 ? "" : "s");
  isl_ast_node_free(ast);
  free(values);
  free(why);
  return same == isl_bool_true ? OK : FAILED;
}

/* The user's tree with its panels as an array; NULL: it has none, or that isn't legal. */
static struct tsr_program *find_panels(struct tool *tool)
{
  struct tsr_program *program = tsr_tree_panel_array(tool->scop, tool->user);
  enum tsr_relaxation relaxed = tool->options.relax_reductions ? TSR_RELAXED : TSR_STRICT;
  return program && tsr_check_program(program, relaxed, NULL) == isl_bool_true ? program : tsr_program_free(program);
}

static int check_user(struct tool *tool)
{
  char *why = NULL;
  tool->user = read_schedule(tool, tool->schedule_file);
  if (!tool->user)
    return USAGE;
  bool relaxed = tool->options.relax_reductions;
  tool->packed = tsr_tree_pack(tool->scop, tool->user);
  if (!tool->packed)
    tool->packed = find_panels(tool);
  isl_bool legal = tool->packed ? tsr_check_program(tool->packed, relaxed ? TSR_RELAXED : TSR_STRICT, &why)
                   : relaxed    ? tsr_check_schedule_relaxed(tool->scop, tool->user, &why)
                                : tsr_check_schedule(tool->scop, tool->user, &why);
  if (legal < 0)
    complain("the check failed:", isl_ctx_last_error_msg(tool->ctx));
  else
    printf("check: %s\n", legal ? "legal" : why);
  free(why);
  return legal == isl_bool_true ? OK : FAILED;
}

static int report_verdict(struct tool *tool)
{
  static const char *const names[] = {
      "ok", "unprofitable", "out of budget", "check failed", "bad influence tree or strategy", "commands refused", "error"};
  struct tsr_result *r = tool->result;
  if (r->trace && r->verdict != TSR_BAD_INFLUENCE)
    fputs(r->trace, stderr);
  if (r->verdict != TSR_OK || tool->until >= TSR_STAGE_PROFIT)
    fprintf(stderr, "%s: %s%s%s\n", tool->scop->name, names[r->verdict], r->why ? ": " : "", r->why ? r->why : "");
  if (tool->until == TSR_STAGE_PROFIT && r->profit.reason)
    printf("profit: %s, %g before, %g after: %s\n", r->profit.worth ? "worth it" : "not worth it", r->profit.before,
           r->profit.after, r->profit.reason);
  if (r->verdict == TSR_OK && r->sizes) {
    const struct tsr_sizes *of_large = r->variant[0].condition.sizes;
    char *sizes = tsr_sizes_text(r->sizes), *large = of_large ? tsr_sizes_text(of_large) : NULL;
    fprintf(stderr, "%s: runs where %s%s%s\n", tool->scop->name, sizes ? sizes : "?",
            large ? ", with tiles or lanes where " : "", large ? large : "");
    free(sizes);
    free(large);
  }
  if (r->no_gpu)
    fprintf(stderr, "%s: not on a GPU: %s\n", tool->scop->name, r->no_gpu);
  if (tool->until == TSR_STAGE_CHECK && r->verdict == TSR_OK)
    puts("check: legal");
  for (int i = 0; i < r->n_obeyed; i++)
    if (r->obeyed[i].left)
      fprintf(stderr, "%s: left out: %s\n", tool->scop->name, r->obeyed[i].left);
  if (r->n_obeyed && !r->commanded)
    return FAILED;
  return r->verdict == TSR_CHECK_FAILED || r->verdict >= TSR_BAD_INFLUENCE ? FAILED : OK;
}

/* ---- output ---- */

/* The AST as a C function of the parameters; a statement is a call. */
static void print_c(struct tool *tool, isl_ast_node *ast)
{
  isl_size n = isl_set_dim(tool->scop->context, isl_dim_param);
  isl_printer *printer = isl_printer_to_file(tool->ctx, stdout);
  isl_printer_free(isl_ast_node_print_macros(ast, printer));
  for (int i = 0; i < tool->scop->n_stmt; i++) {
    isl_size dims = isl_set_dim(tool->scop->stmts[i].domain, isl_dim_set);
    printf("void %s(", tool->scop->stmts[i].name);
    for (int k = 0; k < dims; k++)
      printf("%slong", k ? ", " : "");
    const char *text = tool->scop->stmts[i].text;
    bool quoted = text && !strstr(text, "*/");
    printf("%s);%s%s%s\n", dims > 0 ? "" : "void", quoted ? " /* " : "", quoted ? text : "", quoted ? " */" : "");
  }
  fputs("\nvoid kernel(", stdout);
  for (int i = 0; i < n; i++)
    printf("%slong %s", i ? ", " : "", isl_set_get_dim_name(tool->scop->context, isl_dim_param, i));
  printf("%s)\n{\n", n > 0 ? "" : "void");
  tsr_print_ast(ast, stdout);
  puts("}");
}

static enum print default_print(struct tool *tool)
{
  static const enum print of_stage[TSR_N_STAGE] = {PRINT_DEPS, PRINT_TREE, PRINT_TREE, PRINT_NONE,
                                                   PRINT_NONE, PRINT_AST,  PRINT_NONE};
  return of_stage[tool->until];
}

static int print_deps(struct tool *tool, enum print what)
{
  struct tsr_deps *deps =
      tool->options.relax_reductions ? tsr_deps_compute_relaxed(tool->scop) : tsr_deps_compute(tool->scop);
  if (!deps)
    return FAILED;
  if (what == PRINT_DOT)
    tsr_print_dot(tool->scop, deps, stdout);
  else
    tsr_deps_print(deps, stdout);
  tsr_deps_free(deps);
  return OK;
}

static int print_ast(struct tool *tool, enum print what)
{
  isl_ast_node *ast = final_ast(tool);
  if (ast && what == PRINT_C)
    print_c(tool, ast);
  else
    tsr_print_ast(ast, stdout);
  isl_ast_node_free(ast);
  return ast ? OK : FAILED;
}

/* What the search has compared, in the order in which it was tried. */
static int print_candidates(const struct tsr_result *r)
{
  if (r && r->before.cost > 0)
    printf("%12.4g  as it is\n", r->before.cost);
  for (int i = 0; r && i < r->n_candidate; i++)
    printf("%12.4g  %s%s\n", r->candidate[i].cost, r->candidate[i].what, i == r->taken ? "  (taken)" : "");
  return OK;
}

/* The SCoP; with what it has become, if that is another program. */
static int print_text(struct tool *tool)
{
  struct tsr_program *program = final_program(tool);
  isl_stat ok = program ? tsr_program_write(program, stdout) : tsr_scop_write(tool->scop, stdout);
  return ok == isl_stat_ok ? OK : FAILED;
}

static int print(struct tool *tool)
{
  enum print what = tool->print == PRINT_DEFAULT ? default_print(tool) : tool->print;
  switch (what) {
  case PRINT_TEXT:
    return print_text(tool);
  case PRINT_TREE:
    tsr_print_schedule(final_tree(tool), stdout);
    return OK;
  case PRINT_AST:
  case PRINT_C:
    return print_ast(tool, what);
  case PRINT_DOT:
  case PRINT_DEPS:
    return print_deps(tool, what);
  case PRINT_CANDIDATES:
    return print_candidates(tool->result);
  case PRINT_COMMANDS:
    if (tool->result)
      tsr_print_commands(tool->scop, tool->result, stdout);
    return tool->result ? OK : complain("a schedule file can't be printed as commands", NULL);
  default:
    return OK;
  }
}

/* ---- reports ---- */

static void report_time(struct tool *tool)
{
  struct tsr_result *r = tool->result;
  double seconds = 0;
  printf("%-12s %12s %12s\n", "stage", "ms", "operations");
  for (int i = 0; i <= (int)r->stage; i++) {
    seconds += r->cost[i].seconds;
    printf("%-12s %12.3f %12lu\n", tsr_stage_name((enum tsr_stage)i), 1e3 * r->cost[i].seconds, r->cost[i].operations);
  }
  printf("%-12s %12.3f %12lu\n", "total", 1e3 * seconds, r->operations);
}

static int report_measure(struct tool *tool)
{
  struct tsr_measure m;
  struct tsr_result *r = tool->result;
  isl_schedule *tree = final_tree(tool), *schedule = r && r->schedule ? r->schedule : tree;
  if (tsr_schedule_measure(tool->scop, schedule, tree, &m) < 0) {
    complain("the schedule can't be measured:", isl_ctx_last_error_msg(tool->ctx));
    return FAILED;
  }
  printf("accesses=%d near=%d outer=%s members=%d fallback=%s", m.accesses, m.near, tsr_outer_name(m.outer), m.members,
         r && r->fallback ? r->fallback : "none");
  if (r && r->profit.before > 0)
    printf(" predicted=%.3f", r->profit.after / r->profit.before);
  putchar('\n');
  return OK;
}

static int max(int a, int b)
{
  return a > b ? a : b;
}

/* The whole job on one file. */
static int work(struct tool *tool)
{
  struct tsr_machine machine;
  tsr_machine_find(NULL, &machine);
  tool->scop = tool->file ? read_scop(tool, tool->file) : NULL;
  if ((tool->file && !tool->scop) || load_machine(tool, tool->scop ? &tool->scop->machine : &machine) != OK)
    return USAGE;
  if (tool->print == PRINT_MACHINE) {
    tsr_machine_write(tool->scop ? &tool->scop->machine : &machine, stdout);
    return OK;
  }
  if (tool->compare)
    return compare(tool);
  int status = OK;
  if (tool->schedule_file) {
    status = check_user(tool);
  } else {
    struct tsr_options options = tool->options;
    options.budget = tsr_options_budget(&tool->options);
    tool->result = tsr_pipeline_run(tool->scop, &options, 0, (enum tsr_stage)tool->until);
    status = tool->result ? report_verdict(tool) : FAILED;
  }
  if (status == USAGE || (!tool->user && !tool->result))
    return status;
  status = max(status, print(tool));
  if (tool->until == TSR_STAGE_RUN)
    status = max(status, run(tool));
  if (tool->measure)
    status = max(status, report_measure(tool));
  if (tool->time)
    report_time(tool);
  return status;
}

/* CPU time of this thread. */
static double thread_seconds(void)
{
  struct timespec now;
  return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) ? 0 : (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
  tsr_pipeline_clock = &thread_seconds;
  struct tool tool = {.until = -1, .limit = 100000};
  tool.ctx = isl_ctx_alloc();
  isl_options_set_on_error(tool.ctx, ISL_ON_ERROR_CONTINUE);
  tsr_options_init(&tool.options);
  int status = parse_arguments(&tool, argc, argv);
  if (status == OK && tool.help)
    print_help();
  else if (status == OK && tool.version)
    puts("tessera " VERSION);
  else if (status == OK)
    status = work(&tool);
  tsr_result_free(tool.result);
  isl_schedule_free(tool.user);
  tsr_program_free(tool.packed);
  tsr_scop_free(tool.scop);
  tsr_options_clear(&tool.options);
  isl_ctx_free(tool.ctx);
  if (fflush(stdout) || ferror(stdout))
    return complain("standard output:", strerror(errno));
  return status;
}
