/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading schedule trees. A tree is a mapping in the shape that isl itself prints and reads:
 *
 *     node = one of  domain | context | guard | filter | extension : "isl text"
 *                    mark : name
 *                    schedule : "[{ S[i] -> [(i)] }, ...]"  with permutable: 0|1, coincident: [0|1, ...], options: "{ ... }"
 *                    contraction : "{ ... }"  with expansion : "{ ... }"
 *                    sequence | set : [ node with filter, ... ]
 *            and     child : node
 *
 * isl's parser doesn't survive every malformed tree and doesn't say where an error is, so the tree is checked here,
 * leaf by leaf, printed again on one line, { domain: "...", child: { ... } }, and only that is given to isl. */
#include "support/message.h"
#include "model/text.h"
#include <isl/union_map.h>
#include <string.h>

enum { MAX_DEPTH = 100, MAX_NODES = 100000 };

enum {
  DOMAIN,
  CONTEXT,
  GUARD,
  FILTER,
  EXTENSION,
  MARK,
  SCHEDULE,
  CONTRACTION,
  SEQUENCE,
  SET,
  LAST_TYPE = SET,
  PERMUTABLE,
  COINCIDENT,
  OPTIONS,
  EXPANSION,
  CHILD,
  N_KEY
};
static const struct tsr_key keys[] = {
    [DOMAIN] = {"domain", false},     [CONTEXT] = {"context", false},         [GUARD] = {"guard", false},
    [FILTER] = {"filter", false},     [EXTENSION] = {"extension", false},     [MARK] = {"mark", false},
    [SCHEDULE] = {"schedule", false}, [CONTRACTION] = {"contraction", false}, [SEQUENCE] = {"sequence", false},
    [SET] = {"set", false},           [PERMUTABLE] = {"permutable", false},   [COINCIDENT] = {"coincident", false},
    [OPTIONS] = {"options", false},   [EXPANSION] = {"expansion", false},     [CHILD] = {"child", false}};

/* A tree on its way from YAML to isl's text. */
struct tree {
  struct tsr_reader *reader;
  FILE *out;
  int n_node; /* printed so far: an alias may repeat a node without end */
};

static bool print_node(struct tree *t, yaml_node_t *node, int depth);

/* KEY: "TEXT", on one line. */
static bool print_text(struct tree *t, yaml_node_t *node, int key)
{
  const char *text = tsr_text_read_text(t->reader, node, keys[key].name);
  if (!text)
    return false;
  if (strpbrk(text, "\"\\"))
    return tsr_refuse(t->reader, node, "'%s' holds a quote or backslash; expected neither", keys[key].name);
  fprintf(t->out, "%s: \"", keys[key].name);
  for (; *text; text++)
    fputc((unsigned char)*text < ' ' ? ' ' : *text, t->out);
  fputs("\"", t->out);
  return true;
}

static void *read_object(isl_stream *stream, int key)
{
  switch (key) {
  case CONTEXT:
  case GUARD:
    return isl_stream_read_set(stream);
  case DOMAIN:
  case FILTER:
  case OPTIONS:
    return isl_stream_read_union_set(stream);
  default:
    return isl_stream_read_union_map(stream);
  }
}

static void free_object(void *object, int key)
{
  switch (key) {
  case CONTEXT:
  case GUARD:
    isl_set_free(object);
    break;
  case DOMAIN:
  case FILTER:
  case OPTIONS:
    isl_union_set_free(object);
    break;
  default:
    isl_union_map_free(object);
    break;
  }
}

/* A set or relation: isl must be able to read it. */
static bool print_object(struct tree *t, yaml_node_t *node, int key)
{
  isl_stream *stream = tsr_text_open_stream(t->reader, node, keys[key].name);
  void *object = stream ? read_object(stream, key) : NULL;
  const char *example = key == EXTENSION || key == EXPANSION ? "\"{ [i] -> S[i] }\"" : "\"[n] -> { S[i] : 0 <= i < n }\"";
  bool good = tsr_text_close_stream(t->reader, stream, object, node, keys[key].name, example);
  free_object(object, key);
  return good && print_text(t, node, key);
}

/* A quasi-affine function: the members of a band, or a contraction. N_MEMBER may be NULL. */
static bool print_function(struct tree *t, yaml_node_t *node, int key, isl_size *n_member)
{
  const char *text = tsr_text_read_text(t->reader, node, keys[key].name);
  isl_multi_union_pw_aff *band = NULL;
  isl_union_pw_multi_aff *contraction = NULL;
  isl_ctx *ctx = t->reader->ctx;
  if (text && key == SCHEDULE)
    band = isl_multi_union_pw_aff_read_from_str(ctx, text);
  else if (text)
    contraction = isl_union_pw_multi_aff_read_from_str(ctx, text);
  bool good = band || contraction;
  if (band)
    *n_member = isl_multi_union_pw_aff_dim(band, isl_dim_set);
  isl_multi_union_pw_aff_free(band);
  isl_union_pw_multi_aff_free(contraction);
  isl_ctx_reset_error(ctx);
  if (!good)
    return tsr_refuse(t->reader, node, "'%s' is not in isl's notation; expected such as %s", keys[key].name,
                      key == SCHEDULE ? "\"[{ S[i] -> [(i)] }]\"" : "\"{ S[i] -> T[] }\"");
  return print_text(t, node, key);
}

static bool print_flag(struct tree *t, yaml_node_t *node, int key)
{
  static const char *const words[] = {"0", "1"};
  int value = 0;
  bool good = tsr_text_read_word(t->reader, node, keys[key].name, words, 2, &value);
  fprintf(t->out, "%d", value);
  return good;
}

/* The rest of a band node: permutable, coincident, options. */
static bool print_band(struct tree *t, yaml_node_t **value)
{
  isl_size n_member = 0, n_flag = 0;
  if (!print_function(t, value[SCHEDULE], SCHEDULE, &n_member))
    return false;
  if (value[PERMUTABLE]) {
    fputs(", permutable: ", t->out);
    if (!print_flag(t, value[PERMUTABLE], PERMUTABLE))
      return false;
  }
  yaml_node_t *list = value[COINCIDENT];
  if (list && list->type != YAML_SEQUENCE_NODE)
    return tsr_refuse(t->reader, list, "'coincident' is not a list; expected a 0 or 1 for each band member");
  for (yaml_node_item_t *item = list ? list->data.sequence.items.start : NULL; list && item < list->data.sequence.items.top;
       item++) {
    fputs(n_flag++ ? ", " : ", coincident: [ ", t->out);
    if (!print_flag(t, yaml_document_get_node(&t->reader->document, *item), COINCIDENT))
      return false;
  }
  if (list && n_flag != n_member)
    return tsr_refuse(t->reader, list, "'coincident' has %d items; expected %d, one for each band member", n_flag, n_member);
  fputs(n_flag ? " ]" : "", t->out);
  if (value[OPTIONS])
    fputs(", ", t->out);
  return !value[OPTIONS] || print_object(t, value[OPTIONS], OPTIONS);
}

/* The children of a sequence or set, each with its filter. */
static bool print_children(struct tree *t, yaml_node_t *list, int key, int depth)
{
  if (list->type != YAML_SEQUENCE_NODE || list->data.sequence.items.start == list->data.sequence.items.top)
    return tsr_refuse(t->reader, list, "'%s' is not a list of nodes; expected items such as \"- filter: ...\"",
                      keys[key].name);
  fprintf(t->out, "%s: [ ", keys[key].name);
  for (yaml_node_item_t *item = list->data.sequence.items.start; item < list->data.sequence.items.top; item++) {
    yaml_node_t *value[N_KEY], *child = yaml_document_get_node(&t->reader->document, *item);
    if (!tsr_text_read_keys(t->reader, child, "a schedule node", keys, N_KEY, value))
      return false;
    if (!value[FILTER])
      return tsr_refuse(t->reader, child, "a child of '%s' is not a filter; expected \"filter: ...\" first", keys[key].name);
    fputs(item > list->data.sequence.items.start ? ", " : "", t->out);
    if (!print_node(t, child, depth))
      return false;
  }
  fputs(" ]", t->out);
  return true;
}

static bool print_type(struct tree *t, yaml_node_t **value, int type, int depth)
{
  switch (type) {
  case MARK:
    return print_text(t, value[type], type);
  case SCHEDULE:
    return print_band(t, value);
  case SEQUENCE:
  case SET:
    return print_children(t, value[type], type, depth);
  case CONTRACTION:
    if (!print_function(t, value[type], type, NULL))
      return false;
    fputs(", ", t->out);
    return print_object(t, value[EXPANSION], EXPANSION);
  default:
    return print_object(t, value[type], type);
  }
}

/* Is each key in VALUE one that goes with a node of type TYPE? */
static bool check_company(struct tsr_reader *r, yaml_node_t *node, yaml_node_t **value, int type)
{
  for (int i = 0; i < N_KEY; i++) {
    bool fits = i == type || (type == SCHEDULE && (i == PERMUTABLE || i == COINCIDENT || i == OPTIONS)) ||
                (type == CONTRACTION && i == EXPANSION) || (i == CHILD && type != SEQUENCE && type != SET);
    if (value[i] && !fits)
      return tsr_refuse(r, value[i], "'%s' beside '%s'; expected one node a mapping, the next under 'child'", keys[i].name,
                        keys[type].name);
  }
  if (type == CONTRACTION && !value[EXPANSION])
    return tsr_refuse(r, node, "'contraction' without 'expansion'; expected both");
  return true;
}

static bool print_node(struct tree *t, yaml_node_t *node, int depth)
{
  yaml_node_t *value[N_KEY];
  int type = 0;
  if (depth > MAX_DEPTH || ++t->n_node > MAX_NODES)
    return tsr_refuse(t->reader, node, "the schedule tree is too large; expected at most %d levels and %d nodes", MAX_DEPTH,
                      MAX_NODES);
  if (!tsr_text_read_keys(t->reader, node, "a schedule node", keys, N_KEY, value))
    return false;
  while (type <= LAST_TYPE && !value[type])
    type++;
  if (type > LAST_TYPE || (type == DOMAIN) != (depth == 0))
    return tsr_refuse(t->reader, node, "a schedule node of no type or at a wrong place; expected domain at the root only");
  if (!check_company(t->reader, node, value, type))
    return false;
  fputs("{ ", t->out);
  if (!print_type(t, value, type, depth + 1))
    return false;
  if (value[CHILD]) {
    fputs(", child: ", t->out);
    if (!print_node(t, value[CHILD], depth + 1))
      return false;
  }
  fputs(" }", t->out);
  return true;
}

isl_schedule *tsr_text_read_schedule(struct tsr_reader *r, yaml_node_t *node)
{
  char *text = NULL;
  size_t size = 0;
  struct tree t = {.reader = r, .out = open_memstream(&text, &size)};
  bool good = t.out && print_node(&t, node, 0);
  good = t.out && !fclose(t.out) && good;
  isl_schedule *schedule = good ? isl_schedule_read_from_str(r->ctx, text) : NULL;
  isl_ctx_reset_error(r->ctx);
  if (!schedule)
    tsr_refuse(r, node, "isl refuses the schedule tree; expected filters and bands over its domain");
  free(text);
  return schedule;
}

/* on failure: NULL; *ERROR says where and why; isl's error is invalid. */
isl_schedule *tsr_schedule_read(isl_ctx *ctx, FILE *in, const char *filename, char **error)
{
  struct tsr_reader r;
  yaml_node_t *root = tsr_reader_open(&r, ctx, in, filename, error);
  isl_schedule *schedule = root ? tsr_text_read_schedule(&r, root) : NULL;
  tsr_reader_close(&r);
  return schedule;
}
