/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The text of marks: the word of its row in marks.def, then what the two functions of its payload write and read.
 *
 *   {.kind = TSR_MARK_LOCKSTEP, .lockstep = {2, 8}}   <->   "lockstep 2x8"
 *
 * Only what is written is read: nothing more, nothing else between words than is written there. Numbers are written with
 * as many digits as people want to see; so what a mark says is what its text says (marks.c). */
#include "marks/marks.h"
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- words and numbers ---- */

/* What is left to read, and room for the names of a list. */
struct text {
  char *at;
  const char **name;
};

/* Move behind WORD, if that comes next. */
static bool take(struct text *text, const char *word)
{
  size_t length = strlen(word);
  bool is = !strncmp(text->at, word, length);
  text->at += is ? length : 0;
  return is;
}

/* A number without spaces before it, from FIRST on. */
static bool take_long(struct text *text, long first, long *value)
{
  char *end = text->at;
  if (isdigit((unsigned char)*text->at) || *text->at == '-')
    *value = strtol(text->at, &end, 10);
  bool is = end != text->at && *value >= first;
  text->at = end;
  return is;
}

/* WORD and a number from FIRST on. */
static bool take_int(struct text *text, const char *word, int first, int *value)
{
  long number = 0;
  bool is = take(text, word) && take_long(text, first, &number) && number <= INT_MAX;
  *value = is ? (int)number : 0;
  return is;
}

/* A name, then WORD, or the end of the text if that is empty. The name gets an end of its own. */
static bool take_name(struct text *text, const char *word, const char **name)
{
  char *first = text->at;
  size_t length = strcspn(first, " ,");
  text->at += length;
  if (length == 0 || (*word ? !take(text, word) : *text->at != 0))
    return false;
  first[length] = 0;
  *name = first;
  return true;
}

/* ---- lists ---- */

static void write_names(FILE *out, const struct tsr_array_names *list)
{
  for (int i = 0; i < list->n; i++)
    fprintf(out, "%s%s", i ? ", " : "", list->name[i]);
}

/* "A, B", at least one. */
static bool read_names(struct text *text, struct tsr_array_names *list)
{
  bool more = true, good = true;
  list->name = text->name;
  while (more && good) {
    more = text->at[strcspn(text->at, " ,")] != 0;
    good = take_name(text, more ? ", " : "", &text->name[list->n++]);
  }
  return good;
}

static void write_step(FILE *out, const char *what, const long *step, int n)
{
  fprintf(out, " %s [", what);
  for (int i = 0; i < n; i++)
    fprintf(out, "%s%ld", i ? "," : "", step[i]);
  fputs("]", out);
}

/* " WHAT [1,0,..]"; their number in *N. */
static bool read_step(struct text *text, const char *what, long *step, int *n)
{
  if (!take(text, " ") || !take(text, what) || !take(text, " ["))
    return false;
  *n = 0;
  if (take(text, "]"))
    return true;
  do
    if (*n == TSR_MAX_DIM || !take_long(text, LONG_MIN, &step[(*n)++]))
      return false;
  while (take(text, ","));
  return take(text, "]");
}

/* ---- payloads, as in marks.def ---- */

static void write_none(FILE *out, const struct tsr_mark *mark)
{
  (void)out;
  (void)mark;
}

static bool read_none(struct text *text, struct tsr_mark *mark)
{
  (void)text;
  (void)mark;
  return true;
}

static void write_buffers(FILE *out, const struct tsr_mark *mark)
{
  fputs(" ", out);
  write_names(out, &mark->buffers);
}

static bool read_buffers(struct text *text, struct tsr_mark *mark)
{
  return take(text, " ") && read_names(text, &mark->buffers);
}

static void write_tile(FILE *out, const struct tsr_mark *mark)
{
  const struct tsr_register_tile *tile = &mark->tile;
  fprintf(out, " %dx%dx%d over %d", tile->rows, tile->vectors, tile->lanes, tile->n_reduction);
  write_step(out, "by", tile->step, tile->n_dim);
  if (tile->streams)
    write_step(out, "along", tile->along, tile->n_dim);
}

static bool read_tile(struct text *text, struct tsr_mark *mark)
{
  struct tsr_register_tile *tile = &mark->tile;
  int n_along = 0;
  if (!take_int(text, " ", 1, &tile->rows) || !take_int(text, "x", 1, &tile->vectors) ||
      !take_int(text, "x", 1, &tile->lanes) || !take_int(text, " over ", 0, &tile->n_reduction) ||
      !read_step(text, "by", tile->step, &tile->n_dim))
    return false;
  tile->streams = !strncmp(text->at, " along", strlen(" along"));
  if (tile->streams &&
      (!read_step(text, "along", tile->along, &n_along) || n_along != tile->n_dim || tile->n_reduction == 0))
    return false;
  return true;
}

static void write_edges(FILE *out, const struct tsr_mark *mark)
{
  for (int i = 0; i < mark->edges.n; i++) {
    const struct tsr_edge_stmt *edge = &mark->edges.edge[i];
    fprintf(out, "%s %s x%d", i ? "," : ":", edge->stmt, edge->lanes);
    write_step(out, "by", edge->step, edge->n_dim);
  }
}

static bool read_edges(struct text *text, struct tsr_mark *mark)
{
  struct tsr_edges *edges = &mark->edges;
  for (bool first = true; *text->at; first = false) {
    struct tsr_edge_stmt *edge = &edges->edge[edges->n];
    const char *name;
    if (edges->n == TSR_MAX_EDGES || !take(text, first ? ": " : ", ") || !take_name(text, " ", &name) ||
        strlen(name) >= sizeof(edge->stmt) || !take_int(text, "x", 2, &edge->lanes) ||
        !read_step(text, "by", edge->step, &edge->n_dim))
      return false;
    strcpy(edge->stmt, name);
    edges->n++;
  }
  return true;
}

/* What an operand is packed by, and along what it is copied. */
static const char *role_of(const struct tsr_pack *pack)
{
  return pack->by_row ? "row" : "vector";
}

static void write_pack(FILE *out, const struct tsr_mark *mark)
{
  const struct tsr_pack *pack = &mark->pack;
  fprintf(out, " %d of %s in %ldx%ldx%ld by %s along %s", pack->access, pack->name, pack->size[0], pack->size[1],
          pack->size[2], role_of(pack),
          pack->inner_reduction ? "reduction"
          : pack->vector        ? "neighbours"
                                : role_of(pack));
}

#define MOST_IN_BUFFER (1 << 16) /* in a direction */

static bool read_pack(struct text *text, struct tsr_mark *mark)
{
  struct tsr_pack *pack = &mark->pack;
  pack->stmt = -1;
  bool good = take_int(text, " ", 0, &pack->access) && take(text, " of ") && take_name(text, " ", &pack->name);
  for (int i = 0; i < 3 && good; i++)
    good = take(text, i ? "x" : "in ") && take_long(text, 1, &pack->size[i]) && pack->size[i] <= MOST_IN_BUFFER;
  if (!good || !take(text, " by "))
    return false;
  pack->by_row = take(text, "row");
  if (!pack->by_row && (!take(text, "vector") || pack->size[0] != 1))
    return false;
  if (!take(text, " along "))
    return false;
  pack->inner_reduction = take(text, "reduction");
  pack->vector = !pack->inner_reduction && take(text, "neighbours");
  return pack->inner_reduction || pack->vector || take(text, role_of(pack));
}

static void write_panel(FILE *out, const struct tsr_mark *mark)
{
  fprintf(out, " of %s, %d columns", mark->panel.name, mark->panel.columns);
}

static bool read_panel(struct text *text, struct tsr_mark *mark)
{
  mark->panel.array = -1;
  return take(text, " of ") && take_name(text, ", ", &mark->panel.name) && take_int(text, "", 1, &mark->panel.columns) &&
         take(text, " columns");
}

static void write_lockstep(FILE *out, const struct tsr_mark *mark)
{
  fprintf(out, " %dx%d", mark->lockstep.vectors, mark->lockstep.lanes);
}

static bool read_lockstep(struct text *text, struct tsr_mark *mark)
{
  struct tsr_lockstep *lockstep = &mark->lockstep;
  return take_int(text, " ", 1, &lockstep->vectors) && take_int(text, "x", 2, &lockstep->lanes) &&
         lockstep->vectors <= TSR_MAX_LANE_VECTORS && lockstep->lanes <= TSR_MAX_LANES &&
         (lockstep->lanes & (lockstep->lanes - 1)) == 0;
}

static void write_interleave(FILE *out, const struct tsr_mark *mark)
{
  fprintf(out, " %d", mark->interleave.chains);
}

static bool read_interleave(struct text *text, struct tsr_mark *mark)
{
  return take_int(text, " ", 1, &mark->interleave.chains);
}

static void write_kernel(FILE *out, const struct tsr_mark *mark)
{
  fprintf(out, " %d", mark->kernel.n);
  for (int i = 0; i < mark->kernel.n_size; i++)
    fprintf(out, "%s%d", i ? "x" : " of ", mark->kernel.size[i]);
  if (mark->kernel.free)
    fputs(" free", out);
}

static bool read_kernel(struct text *text, struct tsr_mark *mark)
{
  struct tsr_kernel *kernel = &mark->kernel;
  bool phase = mark->kind != TSR_MARK_KERNEL;
  if (!take_int(text, " ", phase, &kernel->n) || kernel->n > TSR_MAX_MAPPED)
    return false;
  bool good = kernel->n > 0 || *text->at == 0;
  for (; good && *text->at == (kernel->n_size ? 'x' : ' ') && kernel->n_size < TSR_MAX_MAPPED; kernel->n_size++)
    good = take_int(text, kernel->n_size ? "x" : " of ", 1, &kernel->size[kernel->n_size]);
  kernel->free = good && mark->kind == TSR_MARK_UNROLL && take(text, " free");
  return good && (!phase || kernel->n_size == kernel->n);
}

/* ---- marks ---- */

static const struct row {
  const char *word;
  void (*write)(FILE *out, const struct tsr_mark *mark);
  bool (*read)(struct text *text, struct tsr_mark *mark);
} rows[TSR_N_MARK] = {
#define TSR_MARK(name, word, payload, what, promise) {word, write_##payload, read_##payload},
#include "marks/marks.def"
#undef TSR_MARK
};

const char *tsr_mark_word(enum tsr_mark_kind kind)
{
  return rows[kind].word;
}

char *tsr_mark_write(const struct tsr_mark *mark)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  fputs(rows[mark->kind].word, out);
  rows[mark->kind].write(out, mark);
  if (fclose(out) == 0)
    return text;
  free(text);
  return NULL;
}

/* The kind that the first word of TEXT names; TSR_N_MARK: none. */
static int kind_of(const char *text)
{
  size_t length = strcspn(text, " :");
  int kind = 0;
  while (kind < TSR_N_MARK && (strlen(rows[kind].word) != length || strncmp(rows[kind].word, text, length) != 0))
    kind++;
  return kind;
}

/* Is the word of KIND a mark's whole text? */
static bool may_stand_alone(int kind)
{
  char end = 0;
  const char *name;
  struct text nothing = {&end, &name};
  struct tsr_mark mark = {.kind = kind};
  return rows[kind].read(&nothing, &mark);
}

const struct tsr_mark *tsr_mark_of_word(const char *text)
{
  static const struct tsr_mark words[TSR_N_MARK] = {
#define TSR_MARK(name, word, payload, what, promise) {.kind = TSR_MARK_##name},
#include "marks/marks.def"
#undef TSR_MARK
  };
  int kind = kind_of(text);
  return kind < TSR_N_MARK && !strcmp(text, rows[kind].word) && may_stand_alone(kind) ? &words[kind] : NULL;
}

/* In one piece: the mark, room for as many names as TEXT may list, and a copy of TEXT, which the names are parts of. */
struct tsr_mark *tsr_mark_read(const char *text)
{
  size_t n_name = 1, kind = kind_of(text);
  for (const char *at = text; *at; at++)
    n_name += *at == ',';
  if (kind == TSR_N_MARK)
    return NULL;
  struct tsr_mark *mark = malloc(sizeof(*mark) + n_name * sizeof(char *) + strlen(text) + 1);
  if (!mark)
    return NULL;
  *mark = (struct tsr_mark){.kind = kind};
  struct text rest = {.name = (const char **)(mark + 1)};
  rest.at = strcpy((char *)(rest.name + n_name), text) + strlen(rows[kind].word);
  if (rows[kind].read(&rest, mark) && !*rest.at)
    return mark;
  free(mark);
  return NULL;
}
