/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading a SCoP from its text form (drawn in text_write.c). Each mapping is matched against a table of its keys into an
 * array of value nodes
 *
 *     keys[]  { "name", required } ...     ->    value[]   the node of each key, NULL if absent
 *
 * and the values are read in the order that the model needs: arrays before the accesses that name them. Whatever is
 * wrong is said once, with the line and column of the node that is wrong and what was expected there. */
#include "model/program.h"
#include "model/text.h"
#include <isl/space.h>
#include <string.h>

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

const char *const tsr_access_kind_names[] = {"read", "may_write", "write"};
const char *const tsr_reduction_names[] = {"none", "add", "mul", "min", "max", "and", "or", "xor", "umin", "umax"};
const char *const tsr_array_kind_names[] = {"memory", "scalar"};
const char *const tsr_space_names[] = {"program", "heap", "stack", "registers", "shared", "private"};
const char *const tsr_stmt_kind_names[] = {"compute", "move", "barrier"};

/* A condition on parameters only; OUT keeps its value when NODE is absent. */
static bool read_condition(struct tsr_reader *r, yaml_node_t *node, const char *key, isl_set **out)
{
  isl_set *set = node ? tsr_text_read_set(r, node, key, "\"[n] -> { : n > 0 }\"") : NULL;
  if (!set)
    return !node;
  isl_set_free(*out);
  *out = set;
  return isl_set_is_params(set) || tsr_refuse(r, node, "'%s' has dimensions; expected a condition on parameters only", key);
}

/* { NAME[...] : ... }, flat; NULL with a message otherwise. */
static isl_set *read_tuple(struct tsr_reader *r, yaml_node_t *node, const char *key, const char *name)
{
  isl_set *set = tsr_text_read_set(r, node, key, "\"[n] -> { S[i] : 0 <= i < n }\"");
  if (!set)
    return NULL;
  const char *tuple = isl_set_is_params(set) || !isl_set_has_tuple_name(set) ? NULL : isl_set_get_tuple_name(set);
  if (tuple && !strcmp(tuple, name) && !isl_set_is_wrapping(set))
    return set;
  tsr_refuse(r, node, "'%s' is not a set of %s[...]; expected \"{ %s[...] : ... }\"", key, name, name);
  return isl_set_free(set);
}

/* Call READ on each item of the list NODE, which may be absent; STMT is passed through. */
static bool read_list(struct tsr_reader *r, yaml_node_t *node, const char *key,
                      bool (*read)(struct tsr_reader *r, yaml_node_t *node, int stmt), int stmt)
{
  if (!node)
    return true;
  if (node->type != YAML_SEQUENCE_NODE)
    return tsr_refuse(r, node, "'%s' is not a list; expected items that start with '-'", key);
  for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++)
    if (!read(r, yaml_document_get_node(&r->document, *item), stmt))
      return false;
  return true;
}

static bool read_array(struct tsr_reader *r, yaml_node_t *node, int stmt)
{
  enum { NAME, KIND, ELEMENT, EXTENT, LIVE_IN, LIVE_OUT, CHECKED, SPACE, N };
  static const struct tsr_key keys[] = {[NAME] = {"name", true},        [KIND] = {"kind", true},
                                        [ELEMENT] = {"element", true},  [EXTENT] = {"extent", false},
                                        [LIVE_IN] = {"live_in", false}, [LIVE_OUT] = {"live_out", false},
                                        [CHECKED] = {"checked", false}, [SPACE] = {"space", false}};
  yaml_node_t *value[N];
  int kind = 0, size = 0, space = TSR_SPACE_PROGRAM;
  (void)stmt;
  if (!tsr_text_read_keys(r, node, "an array", keys, N, value))
    return false;
  const char *name = tsr_text_read_text(r, value[NAME], "name");
  if (!name || !tsr_text_check_name(r, value[NAME], name, "array", tsr_scop_find_array(r->scop, name)) ||
      !tsr_text_read_word(r, value[KIND], "kind", tsr_array_kind_names, LENGTH(tsr_array_kind_names), &kind) ||
      !tsr_text_read_number(r, value[ELEMENT], "element", 1, &size) ||
      !tsr_text_read_word(r, value[SPACE], "space", tsr_space_names, LENGTH(tsr_space_names), &space))
    return false;
  if (r->transformed != (space != TSR_SPACE_PROGRAM))
    return tsr_refuse(r, node, "an array of the original is in space 'program', a buffer in another one");
  isl_set *extent = value[EXTENT] ? read_tuple(r, value[EXTENT], "extent", name) : NULL;
  if (value[EXTENT] && !extent)
    return false;
  isl_size index = tsr_scop_add_array(r->scop, name, (enum tsr_array_kind)kind, size, extent);
  if (index >= 0)
    r->scop->arrays[index].space = (enum tsr_space)space;
  return index >= 0 && tsr_text_read_bool(r, value[LIVE_IN], "live_in", &r->scop->arrays[index].live_in) &&
         tsr_text_read_bool(r, value[LIVE_OUT], "live_out", &r->scop->arrays[index].live_out) &&
         tsr_text_read_bool(r, value[CHECKED], "checked", &r->scop->arrays[index].checked);
}

/* Does MAP, at NODE, go from the tuple of STMT to the tuple of an array, both with the right number of dimensions? */
static bool check_relation(struct tsr_reader *r, yaml_node_t *node, const struct tsr_stmt *stmt, isl_map *map)
{
  const char *in = isl_map_has_tuple_name(map, isl_dim_in) ? isl_map_get_tuple_name(map, isl_dim_in) : NULL;
  const char *out = isl_map_has_tuple_name(map, isl_dim_out) ? isl_map_get_tuple_name(map, isl_dim_out) : NULL;
  if (!in || strcmp(in, stmt->name) || isl_map_domain_is_wrapping(map))
    return tsr_refuse(r, node, "the relation starts at '%s'; expected the statement '%s'", in ? in : "", stmt->name);
  int array = out && !isl_map_range_is_wrapping(map) ? tsr_scop_find_array(r->scop, out) : -1;
  if (array < 0)
    return tsr_refuse(r, node, "the relation ends at '%s'; expected an array of this file", out ? out : "");
  isl_size n_in = isl_map_dim(map, isl_dim_in), n_stmt = isl_set_dim(stmt->domain, isl_dim_set);
  if (n_in != n_stmt)
    return tsr_refuse(r, node, "the relation has %d dimensions of '%s'; expected %d", n_in, in, n_stmt);
  isl_size n_out = isl_map_dim(map, isl_dim_out);
  if (n_out != r->scop->arrays[array].n_dim)
    return tsr_refuse(r, node, "the relation has %d subscripts of '%s'; expected %d", n_out, out,
                      r->scop->arrays[array].n_dim);
  return true;
}

static bool read_access(struct tsr_reader *r, yaml_node_t *node, int stmt)
{
  enum { READ, MAY_WRITE, MUST_WRITE, MAYBE, GUARD, REDUCTION, REASSOC, EXACT, WAIT, HOME, N };
  static const struct tsr_key keys[] = {[READ] = {"read", false},        [MAY_WRITE] = {"may_write", false},
                                        [MUST_WRITE] = {"write", false}, [MAYBE] = {"maybe", false},
                                        [GUARD] = {"guard", false},      [REDUCTION] = {"reduction", false},
                                        [REASSOC] = {"reassoc", false},  [EXACT] = {"exact", false},
                                        [WAIT] = {"wait", false},        [HOME] = {"home", false}};
  yaml_node_t *value[N];
  if (!tsr_text_read_keys(r, node, "an access", keys, N, value))
    return false;
  int kind = value[READ] ? TSR_READ : value[MAY_WRITE] ? TSR_MAY_WRITE : TSR_MUST_WRITE;
  if (!value[READ] + !value[MAY_WRITE] + !value[MUST_WRITE] != 2)
    return tsr_refuse(r, node, "an access has none or several of read, write, may_write; expected one");
  yaml_node_t *where = value[READ] ? value[READ] : value[MAY_WRITE] ? value[MAY_WRITE] : value[MUST_WRITE];
  isl_map *map = tsr_text_read_map(r, where, tsr_access_kind_names[kind], "\"{ S[i] -> A[i] }\"");
  if (!map || !check_relation(r, where, &r->scop->stmts[stmt], map)) {
    isl_map_free(map);
    return false;
  }
  isl_size index = tsr_scop_add_access(r->scop, stmt, (enum tsr_access_kind)kind, map);
  if (index < 0)
    return false;
  struct tsr_access *access = &r->scop->stmts[stmt].access[index];
  int reduction = TSR_RED_NONE;
  bool good =
      tsr_text_read_word(r, value[REDUCTION], "reduction", tsr_reduction_names, LENGTH(tsr_reduction_names), &reduction);
  access->reduction = (enum tsr_reduction)reduction;
  if (value[MAYBE] && kind != TSR_READ)
    return tsr_refuse(r, value[MAYBE], "only a read has 'maybe'; a write is a may_write");
  if (value[GUARD] && kind != TSR_READ)
    return tsr_refuse(r, value[GUARD], "only a read can be a guard");
  return good && tsr_text_read_bool(r, value[MAYBE], "maybe", &access->maybe) &&
         tsr_text_read_bool(r, value[GUARD], "guard", &access->guard) &&
         tsr_text_read_bool(r, value[REASSOC], "reassoc", &access->reassoc) &&
         tsr_text_read_bool(r, value[EXACT], "exact", &access->exact) &&
         tsr_text_read_bool(r, value[HOME], "home", &access->home) &&
         tsr_text_read_number(r, value[WAIT], "wait", 0, &access->wait);
}

/* What statement INDEX of a transformed program is: KIND and ORIGIN, which may be NULL. */
static bool read_origin(struct tsr_reader *r, yaml_node_t *kind, yaml_node_t *origin, int index)
{
  struct tsr_stmt *stmt = &r->scop->stmts[index];
  int number = TSR_STMT_COMPUTE;
  if ((kind || origin) && !r->transformed)
    return tsr_refuse(r, kind ? kind : origin, "only statements of a transformed program have a kind or an origin");
  if (!tsr_text_read_word(r, kind, "kind", tsr_stmt_kind_names, LENGTH(tsr_stmt_kind_names), &number))
    return false;
  stmt->kind = (enum tsr_stmt_kind)number;
  stmt->origin = origin ? tsr_text_read_map(r, origin, "origin", "\"{ S1[t, i] -> S[i] }\"") : NULL;
  return !origin || stmt->origin;
}

/* The source's name of the next loop of STMT. */
static bool read_loop(struct tsr_reader *r, yaml_node_t *node, int stmt)
{
  struct tsr_stmt *s = &r->scop->stmts[stmt];
  int n = 0;
  while (s->loops && s->loops[n])
    n++;
  bool text = node->type == YAML_SCALAR_NODE;
  if (!text || n == isl_set_dim(s->domain, isl_dim_set))
    return tsr_refuse(r, node, "'loops' has more names than '%s' has iterators, or what is none; expected one each",
                      s->name);
  return tsr_stmt_name_loop(s, n, (const char *)node->data.scalar.value) == isl_stat_ok;
}

static bool read_stmt(struct tsr_reader *r, yaml_node_t *node, int unused)
{
  enum {
    NAME,
    KIND,
    ORIGIN,
    DOMAIN,
    LINE,
    WEIGHT,
    VECTOR,
    LANE,
    LATENCY,
    DIVISIONS,
    ALONE,
    ORIGINAL_WAIT,
    ONE_THREAD,
    RARE,
    TEXT,
    LOOPS,
    ACCESSES,
    N
  };
  static const struct tsr_key keys[] = {[NAME] = {"name", true},
                                        [DOMAIN] = {"domain", true},
                                        [LINE] = {"line", false},
                                        [WEIGHT] = {"weight", false},
                                        [VECTOR] = {"vector-bytes", false},
                                        [LANE] = {"lane-bytes", false},
                                        [LATENCY] = {"latency", false},
                                        [DIVISIONS] = {"divisions", false},
                                        [ALONE] = {"alone", false},
                                        [ONE_THREAD] = {"one-thread", false},
                                        [TEXT] = {"text", false},
                                        [ACCESSES] = {"accesses", false},
                                        [KIND] = {"kind", false},
                                        [ORIGIN] = {"origin", false},
                                        [LOOPS] = {"loops", false},
                                        [RARE] = {"rare", false},
                                        [ORIGINAL_WAIT] = {"original-wait", false}};
  yaml_node_t *value[N];
  (void)unused;
  if (!tsr_text_read_keys(r, node, "a statement", keys, N, value))
    return false;
  const char *name = tsr_text_read_text(r, value[NAME], "name");
  if (!name || !tsr_text_check_name(r, value[NAME], name, "statement", tsr_scop_find_stmt(r->scop, name)))
    return false;
  isl_set *domain = read_tuple(r, value[DOMAIN], "domain", name);
  isl_size index = domain ? tsr_scop_add_stmt(r->scop, name, domain) : isl_size_error;
  if (index < 0)
    return false;
  struct tsr_stmt *stmt = &r->scop->stmts[index];
  const char *text = value[TEXT] ? tsr_text_read_text(r, value[TEXT], "text") : NULL;
  stmt->text = text ? strdup(text) : NULL;
  return !text == !value[TEXT] && tsr_text_read_number(r, value[LINE], "line", 0, &stmt->line) &&
         tsr_text_read_number(r, value[WEIGHT], "weight", 1, &stmt->weight) &&
         tsr_text_read_number(r, value[VECTOR], "vector-bytes", 0, &stmt->vector_bytes) &&
         tsr_text_read_number(r, value[LANE], "lane-bytes", 0, &stmt->lane_bytes) &&
         tsr_text_read_number(r, value[LATENCY], "latency", 0, &stmt->latency) &&
         tsr_text_read_number(r, value[DIVISIONS], "divisions", 0, &stmt->divisions) &&
         tsr_text_read_number(r, value[ALONE], "alone", 0, &stmt->alone) &&
         tsr_text_read_number(r, value[ORIGINAL_WAIT], "original-wait", 0, &stmt->original_wait) &&
         tsr_text_read_bool(r, value[ONE_THREAD], "one-thread", &stmt->one_thread) &&
         tsr_text_read_bool(r, value[RARE], "rare", &stmt->rare) && read_origin(r, value[KIND], value[ORIGIN], index) &&
         read_list(r, value[LOOPS], "loops", read_loop, index) &&
         read_list(r, value[ACCESSES], "accesses", read_access, index);
}

/* ---- the whole ---- */

static isl_bool is_no_extension(isl_schedule_node *node, void *user)
{
  (void)user;
  return isl_schedule_node_get_type(node) == isl_schedule_node_extension ? isl_bool_error : isl_bool_true;
}

/* Does every instance of SCHEDULED have a place, and its own? */
static bool check_order(struct tsr_reader *r, yaml_node_t *node, isl_schedule *schedule, isl_union_set *scheduled)
{
  isl_union_map *map = isl_union_map_intersect_domain(isl_schedule_get_map(schedule), isl_union_set_copy(scheduled));
  isl_bool total = isl_union_map_is_injective(map);
  isl_union_set *ordered = isl_union_map_domain(map);
  isl_bool whole = isl_union_set_is_subset(scheduled, ordered);
  isl_union_set_free(ordered);
  if (whole != isl_bool_true)
    return tsr_refuse(r, node, "the schedule's filters or bands leave out instances; expected all of them");
  return total == isl_bool_true ||
         tsr_refuse(r, node, "the schedule leaves the order of some instances open; expected a total order");
}

/* The original order: every instance of every statement at a place of its own. */
static bool read_schedule(struct tsr_reader *r, yaml_node_t *node)
{
  isl_schedule *schedule = tsr_text_read_schedule(r, node);
  if (!schedule)
    return false;
  tsr_scop_set_schedule(r->scop, schedule);
  isl_union_set *domain = tsr_scop_domain(r->scop), *scheduled = isl_schedule_get_domain(schedule);
  bool good = true;
  if (isl_union_set_is_equal(domain, scheduled) != isl_bool_true)
    good = tsr_refuse(r, node, "the schedule's domain is not that of the statements; expected the same instances");
  else if (isl_schedule_foreach_schedule_node_top_down(schedule, is_no_extension, NULL) < 0)
    good = tsr_refuse(r, node, "the schedule has an extension node; expected the original order");
  else
    good = check_order(r, node, schedule, scheduled);
  isl_union_set_free(domain);
  isl_union_set_free(scheduled);
  return good;
}

/* Append the parameters of SPACE that CONTEXT lacks. */
static isl_set *add_params(isl_set *context, isl_space *space)
{
  isl_space *all = isl_space_align_params(isl_space_params(space), isl_set_get_space(context));
  return isl_set_align_params(context, all);
}

/* Let the context name every parameter, so that it lists them all in one order. */
static void complete_context(struct tsr_scop *scop)
{
  scop->context = add_params(scop->context, isl_set_get_space(scop->assumed));
  for (int i = 0; i < scop->n_array; i++)
    scop->context = add_params(scop->context, isl_set_get_space(scop->arrays[i].extent));
  for (int i = 0; i < scop->n_stmt; i++) {
    struct tsr_stmt *stmt = &scop->stmts[i];
    scop->context = add_params(scop->context, isl_set_get_space(stmt->domain));
    for (int j = 0; j < stmt->n_access; j++)
      scop->context = add_params(scop->context, isl_map_get_space(stmt->access[j].relation));
  }
}

/* The root mapping. "expect" is the tests' own. */
static bool read_scop(struct tsr_reader *r, yaml_node_t *root, yaml_node_t **transformed)
{
  enum {
    SCOP,
    FILE_NAME,
    MACHINE,
    BUFFERS,
    COMMANDS,
    LINE,
    CONTEXT,
    ASSUMED,
    ARRAYS,
    STATEMENTS,
    SCHEDULE,
    TRANSFORMED,
    EXPECT,
    N
  };
  static const struct tsr_key keys[] = {[SCOP] = {"scop", true},          [FILE_NAME] = {"file", false},
                                        [MACHINE] = {"machine", false},   [BUFFERS] = {"buffers", false},
                                        [COMMANDS] = {"commands", false}, [LINE] = {"line", false},
                                        [CONTEXT] = {"context", false},   [ASSUMED] = {"assumed", false},
                                        [ARRAYS] = {"arrays", false},     [STATEMENTS] = {"statements", true},
                                        [SCHEDULE] = {"schedule", true},  [TRANSFORMED] = {"transformed", false},
                                        [EXPECT] = {"expect", false}};
  yaml_node_t *value[N];
  if (!tsr_text_read_keys(r, root, "a SCoP", keys, N, value))
    return false;
  const char *name = tsr_text_read_text(r, value[SCOP], "scop");
  const char *file = value[FILE_NAME] ? tsr_text_read_text(r, value[FILE_NAME], "file") : NULL;
  r->scop = name ? tsr_scop_alloc(r->ctx, name) : NULL;
  if (!r->scop || !file != !value[FILE_NAME])
    return false;
  r->scop->file = file ? strdup(file) : NULL;
  const char *buffers = value[BUFFERS] ? tsr_text_read_text(r, value[BUFFERS], "buffers") : "";
  r->scop->no_buffers = buffers && !strcmp(buffers, "none");
  if (buffers && *buffers && !r->scop->no_buffers)
    return tsr_refuse(r, value[BUFFERS], "'buffers' is either 'none' or missing");
  const char *commands = value[COMMANDS] ? tsr_text_read_text(r, value[COMMANDS], "commands") : NULL;
  r->scop->commands = commands ? strdup(commands) : NULL;
  const char *machine = value[MACHINE] ? tsr_text_read_text(r, value[MACHINE], "machine") : NULL;
  if (machine) /* a name that isn't in the table is the default, as for a target */
    tsr_machine_find(machine, &r->scop->machine);
  if (!buffers || !machine != !value[MACHINE] || !commands != !value[COMMANDS] ||
      !tsr_text_read_number(r, value[LINE], "line", 0, &r->scop->line) ||
      !read_condition(r, value[CONTEXT], "context", &r->scop->context) ||
      !read_condition(r, value[ASSUMED], "assumed", &r->scop->assumed) ||
      !read_list(r, value[ARRAYS], "arrays", read_array, -1) ||
      !read_list(r, value[STATEMENTS], "statements", read_stmt, -1) || !read_schedule(r, value[SCHEDULE]))
    return false;
  complete_context(r->scop);
  *transformed = value[TRANSFORMED];
  return true;
}

/* The program that NODE, `transformed:`, makes of the SCoP that was read; NULL with a message otherwise. */
static struct tsr_program *read_transformed(struct tsr_reader *r, yaml_node_t *node)
{
  enum { ARRAYS, STATEMENTS, TREE, N };
  static const struct tsr_key keys[] = {
      [ARRAYS] = {"arrays", false}, [STATEMENTS] = {"statements", false}, [TREE] = {"tree", true}};
  yaml_node_t *value[N];
  struct tsr_scop *original = r->scop;
  if (!tsr_text_read_keys(r, node, "a transformed program", keys, N, value))
    return NULL;
  isl_schedule *tree = tsr_text_read_schedule(r, value[TREE]);
  if (!value[ARRAYS] && !value[STATEMENTS])
    return tsr_program_alloc(original, tree);
  struct tsr_scop *scop = tsr_scop_copy(original);
  if (scop && value[STATEMENTS])
    tsr_scop_drop_stmts(scop);
  r->scop = scop;
  r->transformed = true;
  bool good = scop && tree && read_list(r, value[ARRAYS], "arrays", read_array, -1) &&
              read_list(r, value[STATEMENTS], "statements", read_stmt, -1);
  r->scop = original;
  r->transformed = false;
  if (good)
    return tsr_program_from_scop(original, scop, tree);
  tsr_scop_free(scop);
  isl_schedule_free(tree);
  return NULL;
}

/* guarantees: the SCoP is valid, its schedule is a total order, its context names every parameter.
 * on failure: NULL; *ERROR says where and why; isl's error is invalid. */
struct tsr_scop *tsr_scop_read(isl_ctx *ctx, FILE *in, const char *filename, char **error)
{
  struct tsr_reader r;
  yaml_node_t *root = tsr_reader_open(&r, ctx, in, filename, error), *transformed;
  if (root && (!read_scop(&r, root, &transformed) || tsr_scop_validate(r.scop) < 0)) {
    tsr_refuse(&r, root, "the SCoP could not be built; isl failed");
    r.scop = tsr_scop_free(r.scop);
  }
  tsr_reader_close(&r);
  return r.scop;
}

/* guarantees: as tsr_scop_read; the program is well formed.  on failure: NULL, *SCOP too; as tsr_scop_read. */
struct tsr_program *tsr_program_read(isl_ctx *ctx, FILE *in, const char *filename, struct tsr_scop **scop, char **error)
{
  struct tsr_reader r;
  struct tsr_program *program = NULL;
  yaml_node_t *root = tsr_reader_open(&r, ctx, in, filename, error), *transformed = NULL;
  if (root && read_scop(&r, root, &transformed) && tsr_scop_validate(r.scop) == isl_stat_ok)
    program =
        transformed ? read_transformed(&r, transformed) : tsr_program_alloc(r.scop, isl_schedule_copy(r.scop->schedule));
  if (root && (!program || tsr_program_validate(program) < 0)) {
    const char *why = isl_ctx_last_error_msg(ctx);
    tsr_refuse(&r, root, "the program could not be built: %s", why ? why : "isl failed");
    program = tsr_program_free(program);
    r.scop = tsr_scop_free(r.scop);
  }
  tsr_reader_close(&r);
  *scop = r.scop;
  return program;
}
