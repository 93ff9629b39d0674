/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The text form of a SCoP, written and compared; text_read.c reads it. YAML holds the structure and isl's own
 * notation holds every set, relation and schedule tree:
 *
 *     scop: gemm.12                  file: gemm.c          line: 12
 *     context: "[n, m] -> { : n >= 0 }"                    assumed: "{ : }"      (buffers: none)
 *     arrays:
 *       - name: C   kind: memory   element: 8   extent: "[m] -> { C[i, j] : 0 <= j < m }"   live_in: true   live_out: true
 *         checked: true     (against others, at run time)
 *     statements:
 *       - name: S0   domain: "[n, m] -> { S0[i, j] : ... }"   line: 14   weight: 2   text: "C[i][j] *= beta"
 *         accesses:
 *           - read: "{ S0[i, j] -> C[i, j] }"     (or write, may_write)   reduction: add   reassoc: true   wait: 3
 *           - read: "{ S0[i, j] -> A[i, j] }"     maybe: true     (or guard: true)
 *     schedule:
 *       domain: "{ ... }"          isl's own schedule tree, see text_tree.c
 *       child: ...
 *
 * with one key a line. Lists keep their order: accesses are in execution order. */
#include "model/program.h"
#include "support/message.h"
#include "model/text.h"
#include <isl/printer.h>
#include <string.h>
#include <yaml.h>

/* ---- writing ---- */

/* Events go to the emitter as they are made; after a failure all calls do nothing. */
struct writer {
  yaml_emitter_t emitter;
  bool failed;
};

static void emit(struct writer *w, yaml_event_t *event, int made)
{
  if (!made || w->failed)
    w->failed = true;
  else if (!yaml_emitter_emit(&w->emitter, event))
    w->failed = true;
}

static void emit_scalar(struct writer *w, const char *text, yaml_scalar_style_t style)
{
  yaml_event_t event;
  if (w->failed)
    return;
  emit(w, &event,
       yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text, (int)strlen(text), 1, 1, style));
}

static void begin_map(struct writer *w)
{
  yaml_event_t event;
  if (!w->failed)
    emit(w, &event, yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_MAPPING_STYLE));
}

static void end_map(struct writer *w)
{
  yaml_event_t event;
  if (!w->failed)
    emit(w, &event, yaml_mapping_end_event_initialize(&event));
}

static void begin_list(struct writer *w, const char *key)
{
  yaml_event_t event;
  emit_scalar(w, key, YAML_PLAIN_SCALAR_STYLE);
  if (!w->failed)
    emit(w, &event, yaml_sequence_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_SEQUENCE_STYLE));
}

static void end_list(struct writer *w)
{
  yaml_event_t event;
  if (!w->failed)
    emit(w, &event, yaml_sequence_end_event_initialize(&event));
}

/* KEY: VALUE, where VALUE is a word of ours. */
static void put_word(struct writer *w, const char *key, const char *value)
{
  emit_scalar(w, key, YAML_PLAIN_SCALAR_STYLE);
  emit_scalar(w, value, YAML_PLAIN_SCALAR_STYLE);
}

static void put_number(struct writer *w, const char *key, int value)
{
  char text[16];
  snprintf(text, sizeof(text), "%d", value);
  put_word(w, key, text);
}

static void put_bool(struct writer *w, const char *key, bool value)
{
  put_word(w, key, value ? "true" : "false");
}

/* KEY: "VALUE", where VALUE is what isl printed and now ours to free. */
static void put_isl(struct writer *w, const char *key, char *value)
{
  w->failed |= !value;
  if (!value)
    return;
  emit_scalar(w, key, YAML_PLAIN_SCALAR_STYLE);
  emit_scalar(w, value, YAML_DOUBLE_QUOTED_SCALAR_STYLE);
  free(value);
}

/* The number of bytes of the UTF-8 sequence at TEXT, 0 if there is none. */
static int utf8_length(const unsigned char *text)
{
  int length = *text < 0x80 ? 1 : *text >> 5 == 6 ? 2 : *text >> 4 == 14 ? 3 : *text >> 3 == 30 ? 4 : 0;
  for (int i = 1; i < length; i++)
    if (text[i] >> 6 != 2)
      return 0;
  return length;
}

/* KEY: "VALUE", where VALUE comes from outside: bytes that are no UTF-8 become "?". */
static void put_text(struct writer *w, const char *key, const char *value)
{
  char *clean = strdup(value);
  w->failed |= !clean;
  for (char *c = clean; c && *c;) {
    int length = utf8_length((unsigned char *)c);
    if (!length)
      *c = '?';
    c += length ? length : 1;
  }
  emit_scalar(w, key, YAML_PLAIN_SCALAR_STYLE);
  if (clean)
    emit_scalar(w, clean, YAML_DOUBLE_QUOTED_SCALAR_STYLE);
  free(clean);
}

static void write_array(struct writer *w, const struct tsr_array *array)
{
  begin_map(w);
  put_word(w, "name", array->name);
  put_word(w, "kind", tsr_array_kind_names[array->kind]);
  put_number(w, "element", array->elem_size);
  put_isl(w, "extent", isl_set_to_str(array->extent));
  put_bool(w, "live_in", array->live_in);
  put_bool(w, "live_out", array->live_out);
  if (array->checked)
    put_bool(w, "checked", true);
  if (array->space != TSR_SPACE_PROGRAM)
    put_word(w, "space", tsr_space_names[array->space]);
  end_map(w);
}

static void write_access(struct writer *w, const struct tsr_access *access)
{
  begin_map(w);
  put_isl(w, tsr_access_kind_names[access->kind], isl_map_to_str(access->relation));
  if (access->maybe)
    put_bool(w, "maybe", true);
  if (access->guard)
    put_bool(w, "guard", true);
  if (access->reduction != TSR_RED_NONE)
    put_word(w, "reduction", tsr_reduction_names[access->reduction]);
  if (access->reassoc)
    put_bool(w, "reassoc", true);
  if (access->exact)
    put_bool(w, "exact", true);
  if (access->wait)
    put_number(w, "wait", access->wait);
  if (access->home)
    put_bool(w, "home", true);
  end_map(w);
}

/* The source's names of loops, if any are known. */
static void write_loops(struct writer *w, char *const *loops)
{
  if (!loops)
    return;
  begin_list(w, "loops");
  for (; *loops; loops++)
    emit_scalar(w, *loops, YAML_DOUBLE_QUOTED_SCALAR_STYLE);
  end_list(w);
}

static void write_stmt(struct writer *w, const struct tsr_stmt *stmt)
{
  begin_map(w);
  put_word(w, "name", stmt->name);
  if (stmt->kind != TSR_STMT_COMPUTE)
    put_word(w, "kind", tsr_stmt_kind_names[stmt->kind]);
  put_isl(w, "domain", isl_set_to_str(stmt->domain));
  if (stmt->origin)
    put_isl(w, "origin", isl_map_to_str(stmt->origin));
  if (stmt->line)
    put_number(w, "line", stmt->line);
  put_number(w, "weight", stmt->weight);
  if (stmt->vector_bytes)
    put_number(w, "vector-bytes", stmt->vector_bytes);
  if (stmt->lane_bytes)
    put_number(w, "lane-bytes", stmt->lane_bytes);
  if (stmt->latency)
    put_number(w, "latency", stmt->latency);
  if (stmt->divisions)
    put_number(w, "divisions", stmt->divisions);
  if (stmt->alone)
    put_number(w, "alone", stmt->alone);
  if (stmt->original_wait)
    put_number(w, "original-wait", stmt->original_wait);
  if (stmt->one_thread)
    put_bool(w, "one-thread", true);
  if (stmt->rare)
    put_bool(w, "rare", true);
  if (stmt->text)
    put_text(w, "text", stmt->text);
  write_loops(w, stmt->loops);
  begin_list(w, "accesses");
  for (int i = 0; i < stmt->n_access; i++)
    write_access(w, &stmt->access[i]);
  end_list(w);
  end_map(w);
}

/* SCHEDULE as isl prints it, malloc'd. */
static char *schedule_text(isl_schedule *schedule)
{
  isl_printer *printer = isl_printer_to_str(isl_schedule_get_ctx(schedule));
  printer = isl_printer_set_yaml_style(printer, ISL_YAML_STYLE_BLOCK);
  printer = isl_printer_print_schedule(printer, schedule);
  char *text = isl_printer_get_str(printer);
  isl_printer_free(printer);
  return text;
}

/* KEY: the mapping that the YAML text VALUE, ours to free, is. */
static void put_yaml(struct writer *w, const char *key, char *value)
{
  yaml_parser_t parser;
  bool more = value && yaml_parser_initialize(&parser);
  if (!more) {
    w->failed = true;
    free(value);
    return;
  }
  emit_scalar(w, key, YAML_PLAIN_SCALAR_STYLE);
  yaml_parser_set_input_string(&parser, (const unsigned char *)value, strlen(value));
  while (more && !w->failed) {
    yaml_event_t event;
    if (!yaml_parser_parse(&parser, &event)) {
      w->failed = true;
      break;
    }
    more = event.type != YAML_STREAM_END_EVENT;
    if (event.type >= YAML_ALIAS_EVENT)
      emit(w, &event, 1);
    else
      yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  free(value);
}

/* The arrays of SCOP from number FIRST on, and all its statements. */
static void put_arrays_and_stmts(struct writer *w, struct tsr_scop *scop, int first)
{
  begin_list(w, "arrays");
  for (int i = first; i < scop->n_array; i++)
    write_array(w, &scop->arrays[i]);
  end_list(w);
  begin_list(w, "statements");
  for (int i = 0; i < scop->n_stmt; i++)
    write_stmt(w, &scop->stmts[i]);
  end_list(w);
}

/* The keys of SCOP, of a mapping that has begun. */
static void put_scop(struct writer *w, struct tsr_scop *scop)
{
  put_text(w, "scop", scop->name);
  if (scop->file)
    put_text(w, "file", scop->file);
  if (strcmp(scop->machine.name, "generic"))
    put_text(w, "machine", scop->machine.name);
  if (scop->no_buffers)
    put_text(w, "buffers", "none");
  if (scop->commands)
    put_text(w, "commands", scop->commands);
  if (scop->line)
    put_number(w, "line", scop->line);
  put_isl(w, "context", isl_set_to_str(scop->context));
  put_isl(w, "assumed", isl_set_to_str(scop->assumed));
  put_arrays_and_stmts(w, scop, 0);
  put_yaml(w, "schedule", schedule_text(scop->schedule));
}

/* What PROGRAM has besides its original. */
static void put_transformed(struct writer *w, struct tsr_program *program)
{
  emit_scalar(w, "transformed", YAML_PLAIN_SCALAR_STYLE);
  begin_map(w);
  if (program->scop != program->original)
    put_arrays_and_stmts(w, program->scop, program->original->n_array);
  put_yaml(w, "tree", schedule_text(program->tree));
  end_map(w);
}

/* The first name that the text form can't hold, NULL if all are fine. */
static const char *unreadable_name(struct tsr_scop *scop)
{
  for (int i = 0; i < scop->n_array; i++)
    if (!tsr_name_is_valid(scop->arrays[i].name))
      return scop->arrays[i].name;
  for (int i = 0; i < scop->n_stmt; i++)
    if (!tsr_name_is_valid(scop->stmts[i].name))
      return scop->stmts[i].name;
  return NULL;
}

static isl_stat fail(isl_ctx *ctx, const char *why)
{
  isl_handle_error(ctx, isl_error_invalid, why, __FILE__, __LINE__);
  return isl_stat_error;
}

/* SCOP, and PROGRAM if it isn't NULL, as one document. */
static isl_stat write_document(struct tsr_scop *scop, struct tsr_program *program, FILE *out)
{
  struct writer w = {.failed = false};
  yaml_event_t event;
  if (!scop->schedule || unreadable_name(scop) || (program && unreadable_name(program->scop)))
    return fail(scop->ctx, "SCoP without a schedule or with a name that is no C identifier");
  if (!yaml_emitter_initialize(&w.emitter))
    return fail(scop->ctx, "no memory for the YAML emitter");
  yaml_emitter_set_output_file(&w.emitter, out);
  yaml_emitter_set_width(&w.emitter, -1);
  yaml_emitter_set_unicode(&w.emitter, 1);
  emit(&w, &event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING));
  emit(&w, &event, yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1));
  begin_map(&w);
  put_scop(&w, scop);
  if (program)
    put_transformed(&w, program);
  end_map(&w);
  if (!w.failed)
    emit(&w, &event, yaml_document_end_event_initialize(&event, 1));
  if (!w.failed)
    emit(&w, &event, yaml_stream_end_event_initialize(&event));
  yaml_emitter_delete(&w.emitter);
  if (w.failed || fflush(out))
    return fail(scop->ctx, "the SCoP could not be written");
  return isl_stat_ok;
}

/* requires: a valid SCoP.  guarantees: OUT holds text that tsr_scop_read accepts.  on failure: OUT holds part of it. */
isl_stat tsr_scop_write(struct tsr_scop *scop, FILE *out)
{
  return write_document(scop, NULL, out);
}

/* requires: a valid program.  guarantees: OUT holds text that tsr_program_read accepts.  on failure: OUT holds part of it.
 */
isl_stat tsr_program_write(struct tsr_program *program, FILE *out)
{
  return write_document(program->original, program, out);
}

/* ---- comparing ---- */

static isl_bool differ(char **why, const char *what, const char *name)
{
  tsr_message_set(why, "%s%s%s%s differ", what, name ? " of '" : "", name ? name : "", name ? "'" : "");
  return isl_bool_false;
}

static bool same_text(const char *a, const char *b)
{
  return a && b ? !strcmp(a, b) : a == b;
}

static isl_bool same_array(const struct tsr_array *a, const struct tsr_array *b, char **why)
{
  if (strcmp(a->name, b->name))
    return differ(why, "the names of arrays", NULL);
  if (a->kind != b->kind || a->elem_size != b->elem_size || a->live_in != b->live_in || a->live_out != b->live_out ||
      a->space != b->space || a->checked != b->checked)
    return differ(why, "kind, element size, liveness, checks or space", a->name);
  isl_bool equal = isl_set_is_equal(a->extent, b->extent);
  return equal == isl_bool_false ? differ(why, "the extents", a->name) : equal;
}

/* Are the relations of A and B equal on the domain of STMT? */
static isl_bool same_access(const struct tsr_stmt *stmt, const struct tsr_access *a, const struct tsr_access *b, char **why)
{
  if (a->kind != b->kind || a->array != b->array || a->maybe != b->maybe || a->guard != b->guard ||
      a->reduction != b->reduction || a->reassoc != b->reassoc || a->exact != b->exact || a->wait != b->wait ||
      a->home != b->home)
    return differ(why, "kind, array, reduction or wait of an access", stmt->name);
  isl_map *x = isl_map_intersect_domain(isl_map_copy(a->relation), isl_set_copy(stmt->domain));
  isl_map *y = isl_map_intersect_domain(isl_map_copy(b->relation), isl_set_copy(stmt->domain));
  isl_bool equal = isl_map_is_equal(x, y);
  isl_map_free(x);
  isl_map_free(y);
  return equal == isl_bool_false ? differ(why, "the access relations", stmt->name) : equal;
}

/* Are the source's names of loops the same? */
static bool same_loops(char *const *a, char *const *b)
{
  for (; a && b && *a && *b; a++, b++)
    if (strcmp(*a, *b))
      return false;
  return !(a && *a) == !(b && *b);
}

static isl_bool same_stmt(const struct tsr_stmt *a, const struct tsr_stmt *b, char **why)
{
  if (strcmp(a->name, b->name))
    return differ(why, "the names of statements", NULL);
  if (a->line != b->line || a->weight != b->weight || a->vector_bytes != b->vector_bytes || !same_text(a->text, b->text))
    return differ(why, "line, weight, vector-bytes or text", a->name);
  if (!same_loops(a->loops, b->loops))
    return differ(why, "the names of loops", a->name);
  if (a->lane_bytes != b->lane_bytes || a->latency != b->latency || a->divisions != b->divisions || a->alone != b->alone ||
      a->one_thread != b->one_thread || a->rare != b->rare || a->original_wait != b->original_wait)
    return differ(why, "lane-bytes, latency, divisions, alone, original-wait, one-thread or rare", a->name);
  if (a->n_access != b->n_access || a->kind != b->kind)
    return differ(why, "the kinds, or the numbers of accesses,", a->name);
  if (!a->origin != !b->origin || (a->origin && isl_map_is_equal(a->origin, b->origin) != isl_bool_true))
    return differ(why, "the origins", a->name);
  isl_bool equal = isl_set_is_equal(a->domain, b->domain);
  if (equal == isl_bool_false)
    return differ(why, "the domains", a->name);
  for (int i = 0; i < a->n_access && equal == isl_bool_true; i++)
    equal = same_access(a, &a->access[i], &b->access[i], why);
  return equal;
}

/* { S[i] -> [t] } */
static isl_union_map *time_stamps(isl_schedule *schedule)
{
  return isl_union_map_intersect_domain(isl_schedule_get_map(schedule), isl_schedule_get_domain(schedule));
}

/* { S -> T : SCHEDULE runs S before T } */
static isl_union_map *order(isl_schedule *schedule)
{
  isl_union_map *map = time_stamps(schedule);
  return isl_union_map_lex_lt_union_map(isl_union_map_copy(map), map);
}

/* Do A and B run the same instances in the same order? The domains are compared with the statements. */
static isl_bool same_order(isl_schedule *a, isl_schedule *b, char **why)
{
  isl_union_map *x = time_stamps(a), *y = time_stamps(b);
  isl_bool equal = isl_union_map_is_equal(x, y);
  isl_union_map_free(x);
  isl_union_map_free(y);
  if (equal)
    return equal;
  x = order(a);
  y = order(b);
  equal = isl_union_map_is_equal(x, y);
  isl_union_map_free(x);
  isl_union_map_free(y);
  return equal == isl_bool_false ? differ(why, "the schedules' orders", NULL) : equal;
}

/* Name, place, context and assumptions. */
static isl_bool same_head(struct tsr_scop *a, struct tsr_scop *b, char **why)
{
  if (!same_text(a->name, b->name) || !same_text(a->file, b->file) || a->line != b->line || a->no_buffers != b->no_buffers ||
      !same_text(a->commands, b->commands))
    return differ(why, "name, file, line, buffers or commands of the SCoPs", NULL);
  isl_bool equal = isl_set_is_equal(a->context, b->context);
  if (equal != isl_bool_true)
    return equal ? equal : differ(why, "the contexts", NULL);
  equal = isl_set_is_equal(a->assumed, b->assumed);
  return equal == isl_bool_false ? differ(why, "the assumptions", NULL) : equal;
}

isl_bool tsr_scop_is_equal(struct tsr_scop *a, struct tsr_scop *b, char **why)
{
  if (why)
    *why = NULL;
  isl_bool equal = same_head(a, b, why);
  if (equal == isl_bool_true && a->n_array != b->n_array)
    return differ(why, "the numbers of arrays", NULL);
  if (equal == isl_bool_true && a->n_stmt != b->n_stmt)
    return differ(why, "the numbers of statements", NULL);
  for (int i = 0; equal == isl_bool_true && i < a->n_array; i++)
    equal = same_array(&a->arrays[i], &b->arrays[i], why);
  for (int i = 0; equal == isl_bool_true && i < a->n_stmt; i++)
    equal = same_stmt(&a->stmts[i], &b->stmts[i], why);
  return equal == isl_bool_true ? same_order(a->schedule, b->schedule, why) : equal;
}

isl_bool tsr_program_is_equal(struct tsr_program *a, struct tsr_program *b, char **why)
{
  isl_bool equal = tsr_scop_is_equal(a->scop, b->scop, why);
  bool plain = a->scop == a->original && b->scop == b->original;
  return equal == isl_bool_true && plain ? same_order(a->tree, b->tree, why) : equal;
}
