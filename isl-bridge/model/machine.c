/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Machines: the rows of machines.def, and a file that changes some of their numbers. All keys are optional:
 *
 *     machine: mine            base: znver4             the row to start from; else that of the target
 *     cores: 8                 vector-bytes: 64         vector-registers: 32
 *     fma-units: 2             fma-latency: 4            exposed: 0.2
 *     stream-line: 6           stream-bytes: 33554432
 *     caches:                  the nearest first; a level that the base doesn't have starts as the one before
 *       - {size: 49152, ways: 12, line: 64, latency: 5, next-line: 2, other-line: 5}
 *     gpu: {base: sm_90, block-threads: 1024, block-shared: 49152, block-registers: 65536, thread-registers: 255,
 *           warp: 32, load-bytes: 16, weights: [5, 3, 1, 1, 1]}
 *
 * Each mapping is a table of fields, from which it is read and written. */
#include "support/message.h"
#include "model/model.h"
#include "model/text.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* w1 .. w5 of Section V of bastoul-cgo22. */
#define WEIGHTS {5, 3, 1, 1, 1}

static const struct tsr_gpu gpus[] = {
#define CPU(...)
#define ALIAS(...)
#define STREAMS(...)
#define GPU(NAME, THREADS, SHARED, REGISTERS, THREAD_REGISTERS, WARP, LOAD_BYTES)                                           \
  {NAME, THREADS, SHARED, REGISTERS, THREAD_REGISTERS, WARP, LOAD_BYTES, WEIGHTS},
#include "model/machines.def"
#undef CPU
#undef GPU
};

#define LEVEL(KIB, WAYS, LINE, LATENCY, ...) {(KIB) * 1024, WAYS, LINE, LATENCY, __VA_ARGS__}
#define CPU(NAME, BYTES, REGISTERS, UNITS, LATENCY, CORES, EXPOSED, ...)                                                    \
  {.name = NAME,                                                                                                            \
   .n_cache = sizeof((struct tsr_cache[]){__VA_ARGS__}) / sizeof(struct tsr_cache),                                         \
   .cache = {__VA_ARGS__},                                                                                                  \
   .vector_bytes = BYTES,                                                                                                   \
   .vector_registers = REGISTERS,                                                                                           \
   .fma_units = UNITS,                                                                                                      \
   .fma_latency = LATENCY,                                                                                                  \
   .cores = CORES,                                                                                                          \
   .exposed = EXPOSED},
#define GPU(...)
#define STREAMS(...)
static const struct tsr_machine cpus[] = {
#include "model/machines.def"
};
#undef CPU
#undef ALIAS

#define CPU(...)
#define ALIAS(NAME, ROW) {NAME, ROW},
#define STREAMS(...)
static const struct {
  const char *name, *row;
} aliases[] = {
#include "model/machines.def"
};

#undef ALIAS
#define ALIAS(...)
#define STREAMS(ROW, CYCLES, MIB) {ROW, CYCLES, (MIB) * 1024 * 1024},
static const struct {
  const char *row;
  double cycles;
  int bytes;
} streams[] = {
#include "model/machines.def"
};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static bool find_gpu(const char *name, struct tsr_gpu *gpu)
{
  for (int i = 0; i < COUNT(gpus); i++)
    if (!strcmp(gpus[i].name, name)) {
      *gpu = gpus[i];
      return true;
    }
  return false;
}

bool tsr_machine_find(const char *name, struct tsr_machine *machine)
{
  const char *row = name ? name : "";
  for (int i = 0; i < COUNT(aliases); i++)
    if (!strcmp(aliases[i].name, row))
      row = aliases[i].row;
  int found = COUNT(cpus) - 1;
  while (found >= 0 && strcmp(cpus[found].name, row))
    found--;
  *machine = cpus[found < 0 ? 0 : found];
  machine->gpu = gpus[0];
  for (int i = 0; i < COUNT(streams); i++)
    if (!strcmp(streams[i].row, machine->name)) {
      machine->stream_line = streams[i].cycles;
      machine->stream_bytes = streams[i].bytes;
    }
  if (found >= 0)
    snprintf(machine->name, sizeof(machine->name), "%s", name);
  return found >= 0;
}

void tsr_machine_names(FILE *out)
{
  for (int i = 0; i < COUNT(cpus); i++)
    fprintf(out, "%s%s", i ? ", " : "", cpus[i].name);
  for (int i = 0; i < COUNT(aliases); i++)
    fprintf(out, ", %s", aliases[i].name);
}

static void gpu_names(FILE *out)
{
  for (int i = 0; i < COUNT(gpus); i++)
    fprintf(out, "%s%s", i ? ", " : "", gpus[i].name);
}

/* What WRITE writes, malloc'd. */
static char *text_of(void (*write)(FILE *out))
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out) {
    write(out);
    fclose(out);
  }
  return text;
}

/* ---- fields ---- */

enum shape { WHOLE, POWER, CYCLES }; /* an int; one that is a power of two; a double */

struct field {
  const char *name;
  enum shape shape;
  size_t offset;
  int least, most;
};

static const struct field machine_fields[] = {
    {"cores", WHOLE, offsetof(struct tsr_machine, cores), 1, 65536},
    {"vector-bytes", POWER, offsetof(struct tsr_machine, vector_bytes), 8, 1024},
    {"vector-registers", WHOLE, offsetof(struct tsr_machine, vector_registers), 1, 1024},
    {"fma-units", WHOLE, offsetof(struct tsr_machine, fma_units), 1, 64},
    {"fma-latency", WHOLE, offsetof(struct tsr_machine, fma_latency), 1, 100},
    {"exposed", CYCLES, offsetof(struct tsr_machine, exposed), 0, 1},
    {"stream-line", CYCLES, offsetof(struct tsr_machine, stream_line), 0, 100000},
    {"stream-bytes", WHOLE, offsetof(struct tsr_machine, stream_bytes), 0, INT_MAX},
};
static const struct field cache_fields[] = {
    {"size", WHOLE, offsetof(struct tsr_cache, size), 1024, INT_MAX},
    {"ways", WHOLE, offsetof(struct tsr_cache, ways), 1, 1024},
    {"line", POWER, offsetof(struct tsr_cache, line), 8, 4096},
    {"latency", WHOLE, offsetof(struct tsr_cache, latency), 1, 10000},
    {"next-line", CYCLES, offsetof(struct tsr_cache, next_line), 0, 100000},
    {"other-line", CYCLES, offsetof(struct tsr_cache, other_line), 0, 100000},
};
static const struct field gpu_fields[] = {
    {"block-threads", WHOLE, offsetof(struct tsr_gpu, block_threads), 1, 65536},
    {"block-shared", WHOLE, offsetof(struct tsr_gpu, block_shared), 0, INT_MAX},
    {"block-registers", WHOLE, offsetof(struct tsr_gpu, block_registers), 1, INT_MAX},
    {"thread-registers", WHOLE, offsetof(struct tsr_gpu, thread_registers), 1, 65536},
    {"warp", POWER, offsetof(struct tsr_gpu, warp), 1, 1024},
    {"load-bytes", POWER, offsetof(struct tsr_gpu, load_bytes), 1, 1024},
};
#define MAX_FIELDS 12

/* The number that NODE, the value of FIELD, is. */
static bool read_number(struct tsr_reader *r, yaml_node_t *node, const struct field *field, double *out)
{
  static const char *const shapes[] = {"a whole number", "a power of two", "a number"};
  const char *text = tsr_text_read_text(r, node, field->name);
  char *end = NULL;
  if (!text)
    return false;
  *out = strtod(text, &end);
  bool good = strspn(text, "0123456789.") == strlen(text) && !*end && *out >= field->least && *out <= field->most;
  if (good && field->shape != CYCLES)
    good = *out == floor(*out) && !strchr(text, '.');
  if (good && field->shape == POWER)
    good = !((long)*out & ((long)*out - 1));
  return good || tsr_refuse(r, node, "'%s' is '%s'; expected %s from %d to %d", field->name, text, shapes[field->shape],
                            field->least, field->most);
}

/* Set those of the N FIELDS of OBJECT that have a VALUE. */
static bool read_fields(struct tsr_reader *r, const struct field *fields, int n, yaml_node_t **value, void *object)
{
  for (int i = 0; i < n; i++) {
    double number;
    if (!value[i])
      continue;
    if (!read_number(r, value[i], &fields[i], &number))
      return false;
    if (fields[i].shape == CYCLES)
      *(double *)((char *)object + fields[i].offset) = number;
    else
      *(int *)((char *)object + fields[i].offset) = (int)number;
  }
  return true;
}

/* Match NODE, a WHAT, against the names of FIELDS and of EXTRA: values in this order. */
static bool read_mapping(struct tsr_reader *r, yaml_node_t *node, const char *what, const struct field *fields, int n,
                         const char *const *extra, int n_extra, yaml_node_t **value)
{
  struct tsr_key keys[MAX_FIELDS];
  for (int i = 0; i < n + n_extra; i++)
    keys[i] = (struct tsr_key){i < n ? fields[i].name : extra[i - n], false};
  return tsr_text_read_keys(r, node, what, keys, n + n_extra, value);
}

/* ---- reading ---- */

/* Item I of the sequence NODE, NULL behind its end. */
static yaml_node_t *item(struct tsr_reader *r, yaml_node_t *node, int i)
{
  if (node->data.sequence.items.start + i >= node->data.sequence.items.top)
    return NULL;
  return yaml_document_get_node(&r->document, node->data.sequence.items.start[i]);
}

static bool read_caches(struct tsr_reader *r, yaml_node_t *node, struct tsr_machine *m)
{
  yaml_node_t *level;
  if (node->type != YAML_SEQUENCE_NODE || item(r, node, TSR_MAX_CACHE))
    return tsr_refuse(r, node, "'caches' is no list of at most %d levels; expected the nearest first", TSR_MAX_CACHE);
  for (int i = 0; (level = item(r, node, i)); i++) {
    yaml_node_t *value[MAX_FIELDS];
    if (i == m->n_cache) {
      m->cache[i] = m->cache[i - 1];
      m->n_cache++;
    }
    if (!read_mapping(r, level, "a cache", cache_fields, COUNT(cache_fields), NULL, 0, value) ||
        !read_fields(r, cache_fields, COUNT(cache_fields), value, &m->cache[i]))
      return false;
  }
  return true;
}

static bool read_weights(struct tsr_reader *r, yaml_node_t *node, struct tsr_gpu *gpu)
{
  static const struct field weight = {"weights", CYCLES, 0, 0, 1000000};
  double number[TSR_N_WEIGHT];
  if (node->type != YAML_SEQUENCE_NODE || !item(r, node, TSR_N_WEIGHT - 1) || item(r, node, TSR_N_WEIGHT))
    return tsr_refuse(r, node, "'weights' is no list of %d numbers; expected w1 to w%d", TSR_N_WEIGHT, TSR_N_WEIGHT);
  for (int i = 0; i < TSR_N_WEIGHT; i++)
    if (!read_number(r, item(r, node, i), &weight, &number[i]))
      return false;
  memcpy(gpu->weight, number, sizeof(number));
  return true;
}

static bool read_gpu(struct tsr_reader *r, yaml_node_t *node, struct tsr_gpu *gpu)
{
  enum { N = COUNT(gpu_fields) };
  static const char *const extra[] = {"base", "weights"};
  yaml_node_t *value[MAX_FIELDS];
  if (!read_mapping(r, node, "a GPU", gpu_fields, N, extra, 2, value))
    return false;
  const char *base = value[N] ? tsr_text_read_text(r, value[N], "base") : NULL;
  if (value[N] && !base)
    return false;
  if (base && !find_gpu(base, gpu)) {
    char *all = text_of(gpu_names);
    tsr_refuse(r, value[N], "unknown GPU '%s'; expected one of %s", base, all ? all : "");
    free(all);
    return false;
  }
  return read_fields(r, gpu_fields, N, value, gpu) && (!value[N + 1] || read_weights(r, value[N + 1], gpu));
}

/* The name of a table row: NODE, the value of "base". */
static bool read_base(struct tsr_reader *r, yaml_node_t *node, struct tsr_machine *m)
{
  const char *base = tsr_text_read_text(r, node, "base");
  if (!base || tsr_machine_find(base, m))
    return base;
  char *all = text_of(tsr_machine_names);
  tsr_refuse(r, node, "unknown machine '%s'; expected one of %s", base, all ? all : "");
  free(all);
  return false;
}

static bool read_machine(struct tsr_reader *r, yaml_node_t *root, struct tsr_machine *m)
{
  enum { N = COUNT(machine_fields), NAME = N, BASE, CACHES, GPU_PART, N_ALL };
  static const char *const extra[] = {"machine", "base", "caches", "gpu"};
  yaml_node_t *value[N_ALL];
  if (!read_mapping(r, root, "a machine", machine_fields, N, extra, N_ALL - N, value) ||
      (value[BASE] && !read_base(r, value[BASE], m)))
    return false;
  const char *name = value[NAME] ? tsr_text_read_text(r, value[NAME], "machine") : NULL;
  if (value[NAME] && !name)
    return false;
  if (name)
    snprintf(m->name, sizeof(m->name), "%s", name);
  return read_fields(r, machine_fields, N, value, m) && (!value[CACHES] || read_caches(r, value[CACHES], m)) &&
         (!value[GPU_PART] || read_gpu(r, value[GPU_PART], &m->gpu));
}

static isl_stat read_file(FILE *in, const char *filename, struct tsr_machine *machine, char **error)
{
  struct tsr_reader r;
  struct tsr_machine read = *machine;
  isl_ctx *ctx = isl_ctx_alloc();
  yaml_node_t *root = tsr_reader_open(&r, ctx, in, filename, error);
  bool good = root && read_machine(&r, root, &read);
  tsr_reader_close(&r);
  isl_ctx_free(ctx);
  if (good)
    *machine = read;
  return good ? isl_stat_ok : isl_stat_error;
}

isl_stat tsr_machine_load(const char *what, struct tsr_machine *machine, char **error)
{
  struct tsr_machine row;
  if (error)
    *error = NULL;
  if (tsr_machine_find(what, &row)) {
    *machine = row;
    return isl_stat_ok;
  }
  FILE *in = fopen(what, "r");
  if (!in) {
    char *all = text_of(tsr_machine_names);
    tsr_message_set(error, "option 'machine': %s: %s; expected a YAML file or one of %s", what, strerror(errno),
                    all ? all : "");
    free(all);
    return isl_stat_error;
  }
  isl_stat stat = read_file(in, what, machine, error);
  fclose(in);
  return stat;
}

/* ---- writing ---- */

static void write_fields(const struct field *fields, int n, const void *object, const char *between, FILE *out)
{
  for (int i = 0; i < n; i++) {
    const char *field = (const char *)object + fields[i].offset;
    if (fields[i].shape == CYCLES)
      fprintf(out, "%s%s: %.12g", i ? between : "", fields[i].name, *(const double *)field);
    else
      fprintf(out, "%s%s: %d", i ? between : "", fields[i].name, *(const int *)field);
  }
}

void tsr_machine_write(const struct tsr_machine *machine, FILE *out)
{
  fprintf(out, "machine: %s\n", machine->name);
  write_fields(machine_fields, COUNT(machine_fields), machine, "\n", out);
  fputs("\ncaches:\n", out);
  for (int i = 0; i < machine->n_cache; i++) {
    fputs("  - {", out);
    write_fields(cache_fields, COUNT(cache_fields), &machine->cache[i], ", ", out);
    fputs("}\n", out);
  }
  fputs("gpu:\n  ", out);
  write_fields(gpu_fields, COUNT(gpu_fields), &machine->gpu, "\n  ", out);
  fputs("\n  weights: [", out);
  for (int i = 0; i < TSR_N_WEIGHT; i++)
    fprintf(out, "%s%.12g", i ? ", " : "", machine->gpu.weight[i]);
  fputs("]\n", out);
}
