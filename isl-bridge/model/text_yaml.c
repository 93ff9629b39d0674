/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the readers of text share: a YAML document, refusals with their place, and the values that leaves can have.
 * Every read_* takes a node and the key it stands under; on failure it says so once and returns false or NULL. */
#include "support/message.h"
#include "model/text.h"
#include <ctype.h>
#include <errno.h>
#include <isl/options.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

/* Words that isl's parser reads as an operator wherever a name could stand; it ignores their case. */
static const char *const isl_keywords[] = {"exists",   "and",   "or",     "implies", "not",  "infty",
                                           "infinity", "nan",   "min",    "max",     "rat",  "true",
                                           "false",    "ceild", "floord", "mod",     "ceil", "floor"};

bool tsr_name_is_valid(const char *name)
{
  if (!name || (!isalpha((unsigned char)*name) && *name != '_'))
    return false;
  for (const char *c = name; *c; c++)
    if (!isalnum((unsigned char)*c) && *c != '_')
      return false;
  for (int i = 0; i < (int)(sizeof(isl_keywords) / sizeof(isl_keywords[0])); i++)
    if (!strcasecmp(name, isl_keywords[i]))
      return false;
  return true;
}

/* Say what is wrong at NODE (at MARK); always false. */
bool tsr_refuse_at(struct tsr_reader *r, yaml_mark_t mark, const char *format, ...)
{
  va_list args;
  r->refused = true;
  va_start(args, format);
  char *text = tsr_message_text(format, args);
  va_end(args);
  tsr_message_set(r->error, "%s:%zu:%zu: %s", r->filename, mark.line + 1, mark.column + 1, text ? text : "no memory");
  free(text);
  return false;
}

/* ---- scalars ---- */

/* The text of NODE, the value of KEY; NULL if it isn't one line or block of text. Owned by the document. */
const char *tsr_text_read_text(struct tsr_reader *r, yaml_node_t *node, const char *key)
{
  if (node->type != YAML_SCALAR_NODE) {
    tsr_refuse(r, node, "'%s' is a list or mapping; expected text", key);
    return NULL;
  }
  const char *text = (const char *)node->data.scalar.value;
  if (strlen(text) == node->data.scalar.length && *text)
    return text;
  tsr_refuse(r, node, "'%s' is empty or holds a zero byte; expected text", key);
  return NULL;
}

bool tsr_text_read_number(struct tsr_reader *r, yaml_node_t *node, const char *key, int least, int *out)
{
  const char *text = node ? tsr_text_read_text(r, node, key) : NULL;
  if (!text)
    return !node;
  char *end;
  errno = 0;
  long number = strtol(text, &end, 10);
  if (!isdigit((unsigned char)*text) || *end || errno || number < least || number > INT_MAX)
    return tsr_refuse(r, node, "'%s' is '%s'; expected a whole number from %d up", key, text, least);
  *out = (int)number;
  return true;
}

/* The index of NODE's text in WORDS; *OUT keeps its value when NODE is absent. */
bool tsr_text_read_word(struct tsr_reader *r, yaml_node_t *node, const char *key, const char *const *words, int n, int *out)
{
  const char *text = node ? tsr_text_read_text(r, node, key) : NULL;
  if (!text)
    return !node;
  char all[128] = "";
  for (int i = 0; i < n; i++) {
    if (!strcmp(text, words[i])) {
      *out = i;
      return true;
    }
    snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i ? ", " : "", words[i]);
  }
  return tsr_refuse(r, node, "'%s' is '%s'; expected one of %s", key, text, all);
}

bool tsr_text_read_bool(struct tsr_reader *r, yaml_node_t *node, const char *key, bool *out)
{
  static const char *const words[] = {"false", "true"};
  int index = *out;
  bool good = tsr_text_read_word(r, node, key, words, 2, &index);
  *out = index;
  return good;
}

/* A C identifier that no earlier WHAT has; FOUND is the index of an earlier one or -1. */
bool tsr_text_check_name(struct tsr_reader *r, yaml_node_t *node, const char *name, const char *what, int found)
{
  if (!tsr_name_is_valid(name))
    return tsr_refuse(r, node, "%s name '%s' is not valid; expected letters, digits and _, no digit first, no word of isl's",
                      what, name);
  if (found >= 0)
    return tsr_refuse(r, node, "%s '%s' appears twice; expected distinct names", what, name);
  return true;
}

/* ---- isl objects ---- */

/* isl's parser recurses at each bracket; no SCoP nests this deep. */
static bool is_too_deep(const char *text)
{
  int depth = 0;
  for (; *text && depth < 100; text++)
    depth += strchr("([{", *text) ? 1 : strchr(")]}", *text) ? -1 : 0;
  return *text;
}

/* A stream over the text of NODE, the value of KEY; NULL if it is no text or nested too deeply. */
isl_stream *tsr_text_open_stream(struct tsr_reader *r, yaml_node_t *node, const char *key)
{
  const char *text = tsr_text_read_text(r, node, key);
  return text && !is_too_deep(text) ? isl_stream_new_str(r->ctx, text) : NULL;
}

/* Was all of STREAM read, and without an error? Frees it and resets isl's error. */
bool tsr_text_close_stream(struct tsr_reader *r, isl_stream *stream, const void *object, yaml_node_t *node, const char *key,
                           const char *example)
{
  bool good = object && isl_stream_is_empty(stream);
  isl_stream_free(stream);
  isl_ctx_reset_error(r->ctx);
  return good || tsr_refuse(r, node, "'%s' is not in isl's notation; expected such as %s", key, example);
}

isl_set *tsr_text_read_set(struct tsr_reader *r, yaml_node_t *node, const char *key, const char *example)
{
  isl_stream *stream = tsr_text_open_stream(r, node, key);
  isl_set *set = stream ? isl_stream_read_set(stream) : NULL;
  return tsr_text_close_stream(r, stream, set, node, key, example) ? set : isl_set_free(set);
}

isl_map *tsr_text_read_map(struct tsr_reader *r, yaml_node_t *node, const char *key, const char *example)
{
  isl_stream *stream = tsr_text_open_stream(r, node, key);
  isl_map *map = stream ? isl_stream_read_map(stream) : NULL;
  return tsr_text_close_stream(r, stream, map, node, key, example) ? map : isl_map_free(map);
}

/* ---- mappings ---- */

/* Match the mapping NODE, a WHAT, against KEYS: value[i] is the value of keys[i], NULL if absent. */
bool tsr_text_read_keys(struct tsr_reader *r, yaml_node_t *node, const char *what, const struct tsr_key *keys, int n,
                        yaml_node_t **value)
{
  char all[160] = "";
  for (int i = 0; i < n; i++) {
    value[i] = NULL;
    snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i ? ", " : "", keys[i].name);
  }
  if (node->type != YAML_MAPPING_NODE)
    return tsr_refuse(r, node, "%s is not a mapping; expected the keys %s", what, all);
  for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
    yaml_node_t *key = yaml_document_get_node(&r->document, pair->key);
    const char *name = key->type == YAML_SCALAR_NODE ? (const char *)key->data.scalar.value : "(no text)";
    int i = 0;
    while (i < n && strcmp(keys[i].name, name))
      i++;
    if (i == n)
      return tsr_refuse(r, key, "unknown key '%s' in %s; expected %s", name, what, all);
    if (value[i])
      return tsr_refuse(r, key, "key '%s' appears twice in %s; expected once", name, what);
    value[i] = yaml_document_get_node(&r->document, pair->value);
  }
  for (int i = 0; i < n; i++)
    if (keys[i].required && !value[i])
      return tsr_refuse(r, node, "key '%s' is missing in %s; expected %s", keys[i].name, what, all);
  return true;
}

/* ---- the document ---- */

yaml_node_t *tsr_reader_open(struct tsr_reader *r, isl_ctx *ctx, FILE *in, const char *filename, char **error)
{
  yaml_parser_t parser;
  yaml_mark_t start = {0};
  *r = (struct tsr_reader){.ctx = ctx, .filename = filename, .error = error, .on_error = isl_options_get_on_error(ctx)};
  isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
  if (error)
    *error = NULL;
  if (!yaml_parser_initialize(&parser)) {
    tsr_refuse_at(r, start, "no memory for the YAML parser");
    return NULL;
  }
  yaml_parser_set_input_file(&parser, in);
  bool good = yaml_parser_load(&parser, &r->document);
  if (!good)
    tsr_refuse_at(r, parser.problem_mark, "not YAML: %s; expected YAML", parser.problem ? parser.problem : "no memory");
  yaml_parser_delete(&parser);
  if (!good)
    memset(&r->document, 0, sizeof(r->document));
  yaml_node_t *root = good ? yaml_document_get_root_node(&r->document) : NULL;
  if (good && !root)
    tsr_refuse_at(r, start, "the file is empty; expected a YAML mapping");
  return root;
}

/* A refusal leaves isl's error at invalid, as after any other failure. */
void tsr_reader_close(struct tsr_reader *r)
{
  yaml_document_delete(&r->document);
  if (r->refused)
    isl_handle_error(r->ctx, isl_error_invalid, "the file is not valid", __FILE__, __LINE__);
  isl_options_set_on_error(r->ctx, r->on_error);
}
