/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Commands at work: from the original order on, row by row; after each the checker is asked. */
#include "commands/commands.h"
#include "support/message.h"
#include <stdlib.h>
#include <string.h>

/* ---- which commands are for a SCoP --------------------------------------------------------------------- */

/* Is SECTION for SCOP: by its name, or by that of its function, which is the same but for ".3"? */
static bool is_for(const struct tsr_section *section, struct tsr_scop *scop)
{
  if (!section->name || !strcmp(section->name, scop->name))
    return true;
  const char *dot = strrchr(scop->name, '.');
  size_t length = dot && dot[1] && !dot[1 + strspn(dot + 1, "0123456789")] ? (size_t)(dot - scop->name) : 0;
  return length && strlen(section->name) == length && !strncmp(section->name, scop->name, length);
}

/* Is SECTION for all of a function, so that some of its commands may be about other SCoPs? */
static bool is_of_function(const struct tsr_section *section, struct tsr_scop *scop)
{
  return !section->name || strcmp(section->name, scop->name) != 0;
}

/* COMMANDS, those for SCOP in front: first its function's, then its own. NULL if there are none. */
static struct tsr_commands *keep_own(struct tsr_commands *commands, struct tsr_scop *scop)
{
  int n = 0;
  for (int own = 0; own < 2; own++)
    for (int i = n; commands && i < commands->n; i++)
      if (is_for(&commands->section[i], scop) && is_of_function(&commands->section[i], scop) == !own) {
        struct tsr_section section = commands->section[i];
        memmove(&commands->section[n + 1], &commands->section[n], (size_t)(i - n) * sizeof(section));
        commands->section[n++] = section;
      }
  return n ? commands : tsr_commands_free(commands);
}

struct tsr_commands *tsr_commands_of(struct tsr_scop *scop, const struct tsr_options *opt, char **error)
{
  struct tsr_commands *commands = NULL;
  if (opt->commands)
    commands = keep_own(tsr_commands_load(opt->commands, error), scop);
  char source[320];
  snprintf(source, sizeof(source), "annotation of '%s'", scop->name);
  if (!commands && !*error && scop->commands)
    commands = tsr_commands_read(scop->commands, source, true, error);
  return commands;
}

/* Is COMMAND about SCOP? Else *ERROR says that it has no such statement. */
static bool names_stmt(const struct tsr_commands *commands, const struct tsr_command *command, struct tsr_scop *scop,
                       char **error)
{
  char *why = NULL;
  int stmt = command->stmt ? tsr_stmt_by_name(scop, command->stmt, &why) : 0;
  if (stmt < 0)
    tsr_message_set(error, "%s:%d:%d: %s", commands->source, command->line, command->column, why);
  free(why);
  return stmt != -1;
}

/* Note in RESULT that a command was obeyed, or, WHY (taken), left to another SCoP. */
static bool note(struct tsr_result *result, char *why)
{
  struct tsr_obeyed *more = realloc(result->obeyed, (size_t)(result->n_obeyed + 1) * sizeof(*more));
  if (!more) {
    free(why);
    return false;
  }
  result->obeyed = more;
  more[result->n_obeyed++] = (struct tsr_obeyed){why};
  return true;
}

bool tsr_commands_fit(const struct tsr_commands *commands, struct tsr_scop *scop, struct tsr_result *result)
{
  bool any = false;
  for (int i = 0; i < commands->n && !any; i++) {
    const struct tsr_section *section = &commands->section[i];
    if (!is_for(section, scop))
      continue;
    any = !is_of_function(section, scop) || !section->n;
    for (int k = 0; k < section->n && !any; k++) {
      if (!section->command[k].row)
        continue;
      char *error = NULL;
      any = names_stmt(commands, &section->command[k], scop, &error);
      note(result, error);
    }
  }
  for (int i = 0; i < result->n_obeyed && any; i++)
    free(result->obeyed[i].left);
  result->n_obeyed = any ? 0 : result->n_obeyed;
  return any;
}

/* ---- one command --------------------------------------------------------------------------------------- */

struct orders {
  const struct tsr_commands *commands;
  struct tsr_scop *scop;
  const struct tsr_options *opt;
  struct tsr_deps *deps;
  struct tsr_result *result;
  struct tsr_program *program;
  bool only;              /* no vector loops but those that are commanded */
  int n_obeyed;           /* commands of the variant at hand */
  struct tsr_deps *exact; /* once they were asked for: those that operations on integers leave */
  FILE *text;             /* what was obeyed */
  char **why;
};

/* Say that COMMAND is refused at LINE and COLUMN. Takes REASON. */
static bool refuse(struct orders *orders, const struct tsr_command *command, int line, int column, char *reason)
{
  tsr_message_set(orders->why, "%s:%d:%d: %s%s%s: %s", orders->commands->source, line, column,
                  command->stmt ? command->stmt : "", command->stmt ? "." : "", command->row,
                  reason ? reason : "isl gave up");
  free(reason);
  return false;
}

/* Say that COMMAND is refused. Takes REASON. */
static bool refuse_here(struct orders *orders, const struct tsr_command *command, char *reason)
{
  return refuse(orders, command, command->line, command->column, reason);
}

/* Is PROGRAM legal? If only because operations on integers are exact, the result says so. */
static isl_bool check(struct orders *orders, struct tsr_program *program, char **why)
{
  if (orders->opt->relax_reductions)
    return tsr_check_program(program, TSR_RELAXED, why);
  isl_bool legal = tsr_check_program(program, TSR_STRICT, why);
  if (legal != isl_bool_false || tsr_check_program(program, TSR_EXACT, NULL) != isl_bool_true)
    return legal;
  free(*why);
  *why = NULL;
  orders->result->exact = true;
  return isl_bool_true;
}

/* Is NODE no mark for threads? */
static isl_bool is_for_one_thread(__isl_keep isl_schedule_node *node, void *user)
{
  (void)user;
  return isl_bool_ok(!tsr_node_is_for_threads(node));
}

/* Are there loops for threads in TREE? */
static bool has_threads(__isl_keep isl_schedule *tree)
{
  isl_schedule_node *root = isl_schedule_get_root(tree);
  bool has = isl_schedule_node_every_descendant(root, is_for_one_thread, NULL) == isl_bool_false;
  isl_schedule_node_free(root);
  return has;
}

/* Is what COMMAND made of the program, NEXT, allowed and legal? Says why not. */
static bool judge(struct orders *orders, const struct tsr_command *command, struct tsr_program *next)
{
  char *why = NULL;
  if (has_threads(next->tree) && !orders->opt->parallel)
    return refuse_here(orders, command, strdup("threads aren't allowed here; give -tessera-parallel and link with -lgomp"));
  if (tsr_tree_has_kernels(next->tree) && !orders->opt->gpu)
    return refuse_here(orders, command, strdup("a GPU isn't allowed here; give -tessera-gpu and link with -ltessera_rt"));
  isl_bool legal = check(orders, next, &why);
  if (legal == isl_bool_true)
    return true;
  bool asked = legal == isl_bool_false && next->scop == next->original;
  char *pair =
      asked && why && !strncmp(why, "the iterations", 14) ? tsr_explain_marks(next->tree, orders->scop, orders->deps) : NULL;
  char *all = NULL;
  tsr_message_set(&all, "not legal: %s%s%s", why ? why : "it can't be checked", pair ? ": " : "", pair ? pair : "");
  free(why);
  free(pair);
  return refuse_here(orders, command, all);
}

/* The row and arguments of COMMAND; NULL: says why not. */
static struct tsr_args *bind(struct orders *orders, const struct tsr_command *command, int stmt)
{
  char *error = NULL;
  int where = -1;
  const struct tsr_row *row = tsr_row_find(command->row);
  if (!command->stmt && row->of == TSR_OF_STATEMENT)
    refuse_here(orders, command, strdup("expected a statement and '.' in front of it"));
  else if (command->stmt && row->of == TSR_OF_PROGRAM)
    refuse_here(orders, command, strdup("it is about the whole nest: expected no statement in front of it"));
  else {
    struct tsr_args *args = tsr_args_bind(row, orders->program->scop, stmt, command->arg, command->n_arg, &where, &error);
    if (args)
      return args;
    bool placed = where >= 0 && where < command->n_arg;
    refuse(orders, command, placed ? command->arg_line[where] : command->line,
           placed ? command->arg_column[where] : command->column, error);
  }
  return NULL;
}

/* The dependences of the SCoP as the commands so far take them; NULL: isl gave up. */
static struct tsr_deps *deps_of(struct orders *orders)
{
  if (!orders->result->exact || orders->opt->relax_reductions)
    return orders->deps;
  if (!orders->exact)
    orders->exact = tsr_deps_compute_exact(orders->scop);
  return orders->exact;
}

/* Do what COMMAND says. */
static bool obey(struct orders *orders, const struct tsr_command *command, int stmt)
{
  char *why = NULL;
  struct tsr_args *args = bind(orders, command, stmt);
  if (!args)
    return false;
  args->opt = orders->opt;
  args->deps = orders->program->scop == orders->scop ? deps_of(orders) : NULL;
  struct tsr_program *next = tsr_row_apply(tsr_program_copy(orders->program), args, &why);
  if (!next || !judge(orders, command, next)) {
    tsr_args_free(args);
    if (!next)
      return refuse_here(orders, command, why);
    tsr_program_free(next);
    return false;
  }
  fputs("  ", orders->text);
  tsr_args_print(args, orders->scop, orders->text);
  fputc('\n', orders->text);
  tsr_args_free(args);
  tsr_program_free(orders->program);
  orders->program = next;
  return true;
}

/* ---- all of them --------------------------------------------------------------------------------------- */

/* The statement called NAME: one of the original's, which have the same numbers in the program; or a move of the program's.
 */
static int find_stmt(struct orders *orders, const char *name, char **error)
{
  int own = tsr_scop_find_stmt(orders->program->scop, name);
  return own >= 0 ? own : tsr_stmt_by_name(orders->scop, name, error);
}

/* Vector marks on innermost loops, unless the commands say "only". */
static struct tsr_program *fill_in(struct orders *orders, __isl_take struct tsr_program *program)
{
  if (tsr_tree_has_kernels(program->tree))
    return tsr_program_set_tree(program, tsr_tree_fill_kernels(isl_schedule_copy(program->tree), program->scop));
  return orders->only
             ? program
             : tsr_program_set_tree(program, tsr_tree_mark_vectors(isl_schedule_copy(program->tree), program->scop));
}

/* What was commanded so far is a variant. False: isl gave up. */
static bool end_variant(struct orders *orders)
{
  struct tsr_program *program = fill_in(orders, orders->program);
  struct tsr_variant *variant = &orders->result->variant[orders->result->n_variant];
  variant->tree = program ? isl_schedule_copy(program->tree) : NULL;
  variant->condition.gpu = program && tsr_tree_has_kernels(program->tree);
  variant->condition.threads = false;
  orders->result->n_variant += variant->tree != NULL;
  if (program && program->scop != orders->scop)
    variant->program = tsr_program_copy(program);
  tsr_program_free(program);
  orders->program = NULL;
  orders->n_obeyed = 0;
  return variant->tree != NULL;
}

/* What comes behind COMMAND, "otherwise", is for where the threads, or the GPU, of what comes before are none; where both
 * are for one thread, for sizes at which only that pays. */
static bool begin_other(struct orders *orders, const struct tsr_command *command)
{
  struct tsr_command named = *command;
  named.row = "otherwise";
  int n = orders->result->n_variant;
  bool gpu = tsr_tree_has_kernels(orders->program->tree), before = n && orders->result->variant[0].condition.gpu;
  if (n > before || (gpu && n))
    return refuse_here(orders, &named, strdup("there is one already"));
  bool threads = has_threads(orders->program->tree);
  if (!gpu && !threads && !orders->result->where_it_pays)
    return refuse_here(orders, &named,
                       strdup("there are no loops for threads, or for a GPU, in front of it, and no where_it_pays"));
  if (!end_variant(orders))
    return false;
  orders->result->variant[n].condition.threads = threads;
  orders->program = tsr_program_alloc(orders->scop, isl_schedule_copy(orders->scop->schedule));
  fputs("  otherwise\n", orders->text);
  return orders->program != NULL;
}

/* Obey COMMAND of SECTION, as far as it is about the SCoP. */
static bool obey_one(struct orders *orders, const struct tsr_section *section, const struct tsr_command *command)
{
  char *error = NULL;
  if (!command->row)
    return begin_other(orders, command) && note(orders->result, NULL);
  bool own = command->stmt && tsr_scop_find_stmt(orders->program->scop, command->stmt) >= 0;
  bool mine = own || names_stmt(orders->commands, command, orders->scop, &error);
  if (error && (mine || !is_of_function(section, orders->scop))) {
    *orders->why = error;
    return false;
  }
  if (!mine)
    return note(orders->result, error);
  orders->n_obeyed++;
  int stmt = command->stmt ? find_stmt(orders, command->stmt, NULL) : -1;
  return obey(orders, command, stmt) && note(orders->result, NULL);
}

/* The variant for a GPU comes last in RESULT, though it is the first to be tried. */
static void move_gpu_last(struct tsr_result *result)
{
  struct tsr_variant first = result->variant[0];
  int n = result->n_variant;
  if (n < 2 || !first.condition.gpu)
    return;
  memmove(&result->variant[0], &result->variant[1], (size_t)(n - 1) * sizeof(first));
  result->variant[n - 1] = first;
}

/* requires: tsr_commands_fit. guarantees: legal programs, every mark of them checked. on failure: false and *WHY. */
bool tsr_commands_obey(const struct tsr_commands *commands, struct tsr_scop *scop, const struct tsr_options *opt,
                       struct tsr_deps *deps, struct tsr_result *result, char **why)
{
  size_t size;
  struct orders orders = {.commands = commands, .scop = scop, .opt = opt, .deps = deps, .result = result, .why = why};
  orders.program = tsr_program_alloc(scop, isl_schedule_copy(scop->schedule));
  orders.text = open_memstream(&result->commands, &size);
  bool ok = orders.program && orders.text;
  for (int i = 0; i < commands->n; i++)
    if (is_for(&commands->section[i], scop)) {
      orders.only |= commands->section[i].only;
      result->where_it_pays |= commands->section[i].where_it_pays;
    }
  for (int i = 0; i < commands->n && ok; i++)
    for (int k = 0; k < commands->section[i].n && ok && is_for(&commands->section[i], scop); k++)
      ok = obey_one(&orders, &commands->section[i], &commands->section[i].command[k]);
  if (orders.text) {
    fputs(orders.only ? "  only\n" : "", orders.text);
    fputs(result->where_it_pays ? "  where_it_pays\n" : "", orders.text);
    fclose(orders.text);
  }
  tsr_deps_free(orders.exact);
  if (ok && !(result->n_variant && !orders.n_obeyed)) /* else the original order it is */
    ok = end_variant(&orders);
  move_gpu_last(result);
  tsr_program_free(orders.program);
  return ok;
}
