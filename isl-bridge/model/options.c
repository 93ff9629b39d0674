/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Options. options.def is expanded once, into a table of
 *
 *     name | kind | where its field is | where its length (INTS) or file name (WORD) is | default | allowed | help
 *
 * and everything here walks that table: no option is named in this file. A value is first parsed into a
 * struct parsed (which may fail) and then moved into the options (which may not), so a bad value changes nothing. */
#include "model/model.h"
#include "support/message.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <regex.h>
#include <stddef.h>
#include <string.h>

enum kind { FLAG, INTS, TEXT, COUNT, CHOICE, WORD, REGEX };

struct option {
  const char *name;
  enum kind kind;
  size_t field;
  size_t length; /* of the int that counts an INTS field, of the file name of a WORD field; 0 for other kinds */
  const char *value;
  const char *allowed;
  const char *help;
};

#define LENGTH_FLAG(field) 0
#define LENGTH_INTS(field) offsetof(struct tsr_options, n_##field)
#define LENGTH_TEXT(field) 0
#define LENGTH_COUNT(field) 0
#define LENGTH_CHOICE(field) 0
#define LENGTH_WORD(field) offsetof(struct tsr_options, field##_file)
#define LENGTH_REGEX(field) 0
#define OPT(NAME, KIND, FIELD, DEFAULT, ALLOWED, HELP)                                                                      \
  {NAME, KIND, offsetof(struct tsr_options, FIELD), LENGTH_##KIND(FIELD), DEFAULT, ALLOWED, HELP},
static const struct option table[] = {
#include "model/options.def"
};
#undef OPT
#define N_OPTION ((int)(sizeof(table) / sizeof(table[0])))

/* Enum fields are written through an unsigned int. */
_Static_assert(sizeof(enum tsr_print) == sizeof(unsigned) && sizeof(enum tsr_position) == sizeof(unsigned) &&
                   sizeof(enum tsr_strategy) == sizeof(unsigned) && sizeof(enum tsr_expand) == sizeof(unsigned),
               "enums are not of int size");

/* A value of any kind, not yet in the options. */
struct parsed {
  bool flag;
  unsigned choice;
  unsigned long count;
  char *text;
  int *ints;
  int n_ints;
};

static bool parse_flag(const char *value, struct parsed *out)
{
  static const char *const words[] = {"", "true", "on", "1", "false", "off", "0"};
  for (int i = 0; i < 7; i++) {
    if (strcmp(value, words[i]))
      continue;
    out->flag = i < 4;
    return true;
  }
  return false;
}

static bool parse_count(const char *value, struct parsed *out)
{
  char *end;
  errno = 0;
  out->count = strtoul(value, &end, 10);
  return isdigit((unsigned char)*value) && !*end && !errno;
}

/* Also with x between them: LLVM takes apart what stands in -passes at each comma. */
static bool parse_ints(const char *value, struct parsed *out)
{
  size_t room = 1;
  for (const char *c = value; *c; c++)
    room += *c == ',' || *c == 'x';
  out->ints = malloc(room * sizeof(int));
  for (const char *at = value; out->ints; at++) {
    char *end;
    errno = 0;
    long number = strtol(at, &end, 10);
    if (!isdigit((unsigned char)*at) || errno || number < 1 || number > INT_MAX || (*end && *end != ',' && *end != 'x'))
      break;
    out->ints[out->n_ints++] = (int)number;
    if (!*end)
      return true;
    at = end;
  }
  free(out->ints);
  return false;
}

static bool parse_choice(const char *value, const char *allowed, struct parsed *out)
{
  size_t length = strlen(value);
  for (const char *word = allowed; word; out->choice++) {
    size_t width = strcspn(word, "|");
    if (width == length && !strncmp(word, value, width))
      return true;
    word = word[width] ? word + width + 1 : NULL;
  }
  return false;
}

static bool parse_text(const char *value, struct parsed *out)
{
  out->text = *value ? strdup(value) : NULL;
  return out->text;
}

/* The last word stands for a file. */
static bool parse_word(const char *value, const char *allowed, struct parsed *out)
{
  unsigned last = 0;
  for (const char *c = allowed; *c; c++)
    last += *c == '|';
  if (parse_choice(value, allowed, out) && out->choice < last)
    return true;
  FILE *file = *value ? fopen(value, "r") : NULL;
  if (!file)
    return false;
  fclose(file);
  out->choice = last;
  return parse_text(value, out);
}

static bool parse_regex(const char *value, struct parsed *out)
{
  regex_t regex;
  if (regcomp(&regex, value, REG_EXTENDED | REG_NOSUB))
    return false;
  regfree(&regex);
  return parse_text(value, out);
}

static bool parse_value(const struct option *option, const char *value, struct parsed *out)
{
  switch (option->kind) {
  case FLAG:
    return parse_flag(value, out);
  case INTS:
    return parse_ints(value, out);
  case TEXT:
    return parse_text(value, out);
  case COUNT:
    return parse_count(value, out);
  case CHOICE:
    return parse_choice(value, option->allowed, out);
  case WORD:
    return parse_word(value, option->allowed, out);
  case REGEX:
    return parse_regex(value, out);
  }
  return false;
}

/* Move VALUE into OPT, dropping what was there. */
static void store(struct tsr_options *opt, const struct option *option, const struct parsed *value)
{
  void *field = (char *)opt + option->field;
  switch (option->kind) {
  case FLAG:
    *(bool *)field = value->flag;
    break;
  case INTS:
    free(*(int **)field);
    *(int **)field = value->ints;
    *(int *)((char *)opt + option->length) = value->n_ints;
    break;
  case TEXT:
  case REGEX:
    free(*(char **)field);
    *(char **)field = value->text;
    break;
  case COUNT:
    *(unsigned long *)field = value->count;
    break;
  case WORD:
    free(*(char **)((char *)opt + option->length));
    *(char **)((char *)opt + option->length) = value->text;
    *(unsigned *)field = value->choice;
    break;
  case CHOICE:
    *(unsigned *)field = value->choice;
    break;
  }
}

void tsr_options_init(struct tsr_options *opt)
{
  memset(opt, 0, sizeof(*opt));
  for (int i = 0; i < N_OPTION; i++) {
    struct parsed value = {0};
    if (*table[i].value && parse_value(&table[i], table[i].value, &value))
      store(opt, &table[i], &value);
  }
}

void tsr_options_clear(struct tsr_options *opt)
{
  static const struct parsed none;
  for (int i = 0; i < N_OPTION; i++)
    store(opt, &table[i], &none);
}

/* The number of single-letter edits between A and B (Levenshtein), for names of less than 64 letters. */
static size_t edit_distance(const char *a, const char *b)
{
  size_t row[64], length = strlen(b);
  if (length >= 64)
    return SIZE_MAX;
  for (size_t j = 0; j <= length; j++)
    row[j] = j;
  for (size_t i = 0; a[i]; i++) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < length; j++) {
      size_t best = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      best = best < row[j] + 1 ? best : row[j] + 1;
      row[j + 1] = best < diagonal + 1 ? best : diagonal + 1;
    }
  }
  return row[length];
}

/* The option that was probably meant by NAME, NULL if nothing is near. */
static const char *nearest(const char *name)
{
  const char *best = NULL;
  size_t distance = strlen(name) / 3 + 1;
  for (int i = 0; i < N_OPTION; i++) {
    size_t d = edit_distance(table[i].name, name);
    if (d > distance || (d == distance && best))
      continue;
    distance = d;
    best = table[i].name;
  }
  return best;
}

static void unknown_option(const char *name, char **error)
{
  char names[1024] = "";
  size_t used = 0;
  for (int i = 0; i < N_OPTION && used < sizeof(names); i++)
    used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "", table[i].name);
  const char *near = nearest(name);
  tsr_message_set(error, "unknown option '%s': allowed are %s%s%s%s", name, names, near ? " (did you mean '" : "",
                  near ? near : "", near ? "'?)" : "");
}

isl_stat tsr_options_set(struct tsr_options *opt, const char *name, const char *value, char **error)
{
  if (error)
    *error = NULL;
  for (int i = 0; i < N_OPTION; i++) {
    struct parsed parsed = {0};
    if (strcmp(table[i].name, name))
      continue;
    if (!parse_value(&table[i], value ? value : "", &parsed)) {
      tsr_message_set(error, "option '%s' needs %s%s, not '%s'", name, strchr(table[i].allowed, '|') ? "one of " : "",
                      table[i].allowed, value ? value : "");
      return isl_stat_error;
    }
    store(opt, &table[i], &parsed);
    return isl_stat_ok;
  }
  unknown_option(name, error);
  return isl_stat_error;
}

/* Set the option that ITEM, "name" or "name=value" with or without leading dashes, spells. ITEM is changed. */
static isl_stat set_item(struct tsr_options *opt, char *item, char **error)
{
  static const char prefix[] = "tessera-";
  if (*item == '-') {
    item += strspn(item, "-") > 1 ? 2 : 1;
    if (!strncmp(item, prefix, sizeof(prefix) - 1))
      item += sizeof(prefix) - 1;
  }
  char *value = strchr(item, '=');
  if (value)
    *value++ = 0;
  return tsr_options_set(opt, item, value, error);
}

isl_stat tsr_options_parse(struct tsr_options *opt, const char *text, const char *separators, char **error)
{
  isl_stat stat = isl_stat_ok;
  char *copy = strdup(text), *rest = NULL;
  if (error)
    *error = NULL;
  if (!copy)
    return isl_stat_error;
  for (char *item = strtok_r(copy, separators, &rest); item && stat == isl_stat_ok;
       item = strtok_r(NULL, separators, &rest)) {
    item += strspn(item, " \t\r\n");
    for (size_t end = strlen(item); end && isspace((unsigned char)item[end - 1]); end--)
      item[end - 1] = 0;
    if (*item)
      stat = set_item(opt, item, error);
  }
  free(copy);
  return stat;
}

void tsr_options_help(FILE *out)
{
  for (int i = 0; i < N_OPTION; i++) {
    char spelled[128];
    snprintf(spelled, sizeof(spelled), "%s%s%s", table[i].name, table[i].kind == FLAG ? "" : "=",
             table[i].kind == FLAG ? "" : table[i].allowed);
    fprintf(out, "  %-42s %s", spelled, table[i].help);
    if (*table[i].value)
      fprintf(out, " (default: %s)", table[i].value);
    fputc('\n', out);
  }
}

unsigned long tsr_options_budget(const struct tsr_options *opt)
{
  return (1ul + opt->parallel + 4ul * opt->gpu) * opt->budget;
}

unsigned long tsr_options_module_budget(const struct tsr_options *opt)
{
  return (1ul + 4ul * opt->gpu) * opt->module_budget;
}
