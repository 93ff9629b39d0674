/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text to commands. A line each, or several with ; between them; what stands in parentheses may go over several lines.
 *
 *   file     =  { NAME ":" { command } }
 *   command  =  "only"  |  "where_it_pays"  |  "otherwise"  |  [ STMT "." ] ROW "(" [ arg { "," arg } ] ")"
 *   arg      =  text without a comma outside of brackets, or "text in quotes"
 *   #        begins a comment, up to the end of the line */
#include "commands/commands.h"
#include "support/message.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct tsr_commands *tsr_commands_free(struct tsr_commands *commands)
{
  for (int i = 0; commands && i < commands->n; i++) {
    struct tsr_section *section = &commands->section[i];
    for (int k = 0; k < section->n; k++) {
      struct tsr_command *command = &section->command[k];
      for (int a = 0; a < command->n_arg; a++)
        free(command->arg[a]);
      free(command->arg);
      free(command->arg_line);
      free(command->arg_column);
      free(command->stmt);
      free(command->row);
    }
    free(section->command);
    free(section->name);
  }
  if (commands) {
    free(commands->section);
    free(commands->source);
  }
  free(commands);
  return NULL;
}

/* Where the reader is. */
struct reader {
  const char *at;
  int line, column;
  const char *source;
  char **error;
  struct tsr_commands *out;
};

/* Say what is wrong at LINE and COLUMN; always false. */
__attribute__((format(printf, 4, 5))) static bool fail(struct reader *r, int line, int column, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  char *text = tsr_message_text(format, args);
  va_end(args);
  tsr_message_set(r->error, "%s:%d:%d: %s", r->source, line, column, text ? text : "out of memory");
  free(text);
  return false;
}

/* Go on by a character. */
static void step(struct reader *r)
{
  r->column = *r->at == '\n' ? 1 : r->column + 1;
  r->line += *r->at == '\n';
  r->at++;
}

/* Skip white space and comments; those with LINES between, too. */
static void skip(struct reader *r, bool lines)
{
  for (;;) {
    if (*r->at == '#')
      while (*r->at && *r->at != '\n')
        step(r);
    if (!isspace((unsigned char)*r->at) || (*r->at == '\n' && !lines))
      return;
    step(r);
  }
}

/* The letters of names of functions, SCoPs and statements; those with a dot in between. */
static bool is_letter(char c)
{
  return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

/* A word (malloc'd); NULL: there is none. */
static char *read_word(struct reader *r)
{
  const char *first = r->at;
  while (is_letter(*r->at))
    step(r);
  return r->at > first ? strndup(first, (size_t)(r->at - first)) : NULL;
}

/* A new section called NAME, which is its own from now on; NULL: out of memory. */
static struct tsr_section *add_section(struct reader *r, char *name, int line, int column)
{
  struct tsr_commands *out = r->out;
  struct tsr_section *more = realloc(out->section, (size_t)(out->n + 1) * sizeof(*more));
  if (!more) {
    free(name);
    return NULL;
  }
  out->section = more;
  out->section[out->n] = (struct tsr_section){.name = name, .line = line, .column = column};
  return &out->section[out->n++];
}

/* Give COMMAND one more argument, TEXT, its own from now on. */
static bool add_arg(struct tsr_command *command, char *text, int line, int column)
{
  size_t n = (size_t)command->n_arg + 1;
  char **arg = realloc(command->arg, n * sizeof(*arg));
  command->arg = arg ? arg : command->arg;
  int *lines = realloc(command->arg_line, n * sizeof(*lines));
  command->arg_line = lines ? lines : command->arg_line;
  int *columns = realloc(command->arg_column, n * sizeof(*columns));
  command->arg_column = columns ? columns : command->arg_column;
  if (!text || !arg || !lines || !columns) {
    free(text);
    return false;
  }
  arg[command->n_arg] = text;
  lines[command->n_arg] = line;
  columns[command->n_arg++] = column;
  return true;
}

/* A text in quotes. */
static bool read_quoted(struct reader *r, struct tsr_command *command)
{
  int line = r->line, column = r->column;
  step(r);
  const char *first = r->at;
  while (*r->at && *r->at != '"')
    step(r);
  if (!*r->at)
    return fail(r, line, column, "this quotation has no end");
  char *text = strndup(first, (size_t)(r->at - first));
  step(r);
  return add_arg(command, text, line, column);
}

/* A text up to a comma or ) outside of brackets. */
static bool read_plain(struct reader *r, struct tsr_command *command)
{
  int line = r->line, column = r->column, depth = 0;
  const char *first = r->at;
  while (*r->at && *r->at != '#' && *r->at != '"' && (depth > 0 || (*r->at != ',' && *r->at != ')'))) {
    depth += strchr("([{", *r->at) != NULL;
    depth -= strchr(")]}", *r->at) != NULL;
    step(r);
  }
  size_t length = (size_t)(r->at - first);
  while (length && isspace((unsigned char)first[length - 1]))
    length--;
  if (!length)
    return fail(r, line, column, "expected a value");
  return add_arg(command, strndup(first, length), line, column);
}

/* What stands between the parentheses. */
static bool read_args(struct reader *r, struct tsr_command *command)
{
  skip(r, true);
  if (*r->at == ')') {
    step(r);
    return true;
  }
  for (;;) {
    if (!(*r->at == '"' ? read_quoted(r, command) : read_plain(r, command)))
      return false;
    skip(r, true);
    if (*r->at == ')') {
      step(r);
      return true;
    }
    if (*r->at != ',')
      return fail(r, r->line, r->column, "expected ',' or ')'");
    step(r);
    skip(r, true);
  }
}

/* One more command of SECTION; NULL: out of memory. */
static struct tsr_command *add_command(struct tsr_section *section, int line, int column)
{
  struct tsr_command *more = realloc(section->command, (size_t)(section->n + 1) * sizeof(*more));
  if (!more)
    return NULL;
  section->command = more;
  struct tsr_command *command = &more[section->n++];
  *command = (struct tsr_command){.line = line, .column = column};
  return command;
}

/* The rest of a command that begins with WORD, ours to free. */
static bool read_command(struct reader *r, struct tsr_section *section, char *word, int line, int column)
{
  struct tsr_command *command = add_command(section, line, column);
  char *dot = strrchr(word, '.');
  if (!command) {
    free(word);
    return false;
  }
  command->row = strdup(dot ? dot + 1 : word);
  command->stmt = dot ? strndup(word, (size_t)(dot - word)) : NULL;
  free(word);
  if (!tsr_row_find(command->row)) {
    char names[1024] = "";
    size_t used = 0;
    for (int i = 0; tsr_row_at(i) && used < sizeof(names); i++)
      used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "", tsr_row_at(i)->name);
    return fail(r, line, column, "there is no command '%s'; expected one of %s, only, where_it_pays, or otherwise",
                command->row, names);
  }
  if (*r->at != '(')
    return fail(r, r->line, r->column, "expected '(' behind '%s'", command->row);
  step(r);
  return read_args(r, command);
}

/* Is WORD, which no parenthesis follows, one of those that stand alone? Then SECTION knows. */
static bool read_flag(struct tsr_section *section, const char *word, int line, int column)
{
  bool only = !strcmp(word, "only"), where = !strcmp(word, "where_it_pays"), otherwise = !strcmp(word, "otherwise");
  section->only |= only;
  section->where_it_pays |= where;
  return only || where || (otherwise && add_command(section, line, column));
}

/* A name and ':', or a command; then the end of the line, or ';'. SECTION is where commands go. */
static bool read_item(struct reader *r, struct tsr_section **section, bool annotation)
{
  int line = r->line, column = r->column;
  char *word = read_word(r);
  if (!word)
    return fail(r, line, column, "expected a command, or the name of a function and ':'");
  skip(r, false);
  if (*r->at == ':' && !annotation) {
    step(r);
    *section = add_section(r, word, line, column);
    return *section != NULL;
  }
  if (!*section) {
    free(word);
    return fail(r, line, column, "expected the name of a function and ':' above the first command");
  }
  if (*r->at != '(' && read_flag(*section, word, line, column)) {
    free(word);
  } else if (!read_command(r, *section, word, line, column)) {
    return false;
  }
  skip(r, false);
  if (*r->at && *r->at != '\n' && *r->at != ';')
    return fail(r, r->line, r->column, "expected the end of the line, or ';'");
  if (*r->at == ';')
    step(r);
  return true;
}

struct tsr_commands *tsr_commands_read(const char *text, const char *source, bool annotation, char **error)
{
  struct reader r = {.at = text, .line = 1, .column = 1, .source = source, .error = error};
  r.out = calloc(1, sizeof(*r.out));
  if (!r.out)
    return NULL;
  r.out->source = strdup(source);
  struct tsr_section *section = annotation ? add_section(&r, NULL, 1, 1) : NULL;
  for (skip(&r, true); *r.at; skip(&r, true))
    if (!read_item(&r, &section, annotation))
      return tsr_commands_free(r.out);
  return r.out;
}

/* All of FILE (malloc'd), NULL: it can't be read. */
static char *read_file(const char *file)
{
  FILE *in = fopen(file, "r");
  char *text = NULL;
  size_t size = 0, got = 0, n = 1;
  while (in && n) {
    char *more = realloc(text, size += 4096);
    if (!more)
      break;
    text = more;
    n = fread(text + got, 1, size - got - 1, in);
    got += n;
  }
  if (in && text && !ferror(in)) {
    text[got] = 0;
  } else {
    free(text);
    text = NULL;
  }
  if (in)
    fclose(in);
  return text;
}

struct tsr_commands *tsr_commands_load(const char *file, char **error)
{
  char *text = read_file(file);
  if (!text) {
    tsr_message_set(error, "command file '%s' can't be read: %s", file, strerror(errno));
    return NULL;
  }
  struct tsr_commands *commands = tsr_commands_read(text, file, false, error);
  free(text);
  return commands;
}

/* Are the commands in FILE well formed? *ERROR else. */
bool tsr_commands_check(const char *file, char **error)
{
  struct tsr_commands *commands = tsr_commands_load(file, error);
  bool good = commands != NULL;
  tsr_commands_free(commands);
  return good;
}

/* Is TEXT the number of a SCoP, or of one whose sums are arrays? */
static bool is_number(const char *text)
{
  size_t digits = strspn(text, "0123456789");
  return digits && (!text[digits] || !strcmp(text + digits, TSR_EXPANDED));
}

char *tsr_commands_place(const char *file, const char *function)
{
  char *place = NULL, *error = NULL;
  size_t length = strlen(function);
  struct tsr_commands *commands = tsr_commands_load(file, &error);
  for (int i = 0; commands && i < commands->n && !place; i++) {
    const struct tsr_section *section = &commands->section[i];
    const char *rest = strncmp(section->name, function, length) ? "?" : section->name + length;
    if (!*rest || (*rest == '.' && is_number(rest + 1)))
      tsr_message_set(&place, "%s:%d:%d", file, section->line, section->column);
  }
  tsr_commands_free(commands);
  free(error);
  return place;
}
