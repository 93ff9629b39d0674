/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* PTX text -> module:
 *
 *     .version, .target            checked
 *     .global, .const              a region of device memory each, initialised
 *     .shared                      placed when all is read: those that .funcs use, then a kernel's own, then the dynamic one
 *     .func, .entry                rows and local memory of their own; numbers within the function until all is read:
 *
 *     rows of a kernel             special | func 1 | func 2 | .. | the kernel's
 *     local memory of a thread               func 1 | func 2 | .. | the kernel's */
#include "ptx.h"
#include <stdlib.h>
#include <string.h>

bool ptx_grow(void *array, int n, int *size, size_t element)
{
  if (n < *size)
    return true;
  int more = *size ? *size * 2 : 16;
  void *old, *grown;
  memcpy(&old, array, sizeof old);
  grown = realloc(old, (size_t)more * element);
  if (!grown)
    return false;
  memcpy(array, &grown, sizeof grown);
  *size = more;
  return true;
}

/* ---- variables */

/* VALUE, at least, as a multiple of ALIGN */
static uint64_t align_up(uint64_t value, uint64_t align)
{
  return align ? (value + align - 1) / align * align : value;
}

/* A symbol of the innermost scope */
static bool add_symbol(struct ptx_parser *p, const char *name, enum ptx_symbol_kind kind, uint64_t value, uint64_t size)
{
  if (!ptx_grow(&p->symbol, p->n_symbol, &p->size_symbol, sizeof *p->symbol))
    return ptx_fail(&p->t, PTX_OUT_OF_MEMORY, "no memory");
  p->symbol[p->n_symbol++] = (struct ptx_symbol){strdup(name), kind, value, size};
  return true;
}

/* Forgets the symbols from number N on. */
static void end_scope(struct ptx_parser *p, int n)
{
  while (p->n_symbol > n)
    free(p->symbol[--p->n_symbol].name);
}

struct ptx_symbol *ptx_symbol_find(struct ptx_parser *p, const char *name)
{
  for (int i = p->n_symbol - 1; i >= 0; i--)
    if (p->symbol[i].kind != PTX_SYM_RANGE && !strcmp(p->symbol[i].name, name))
      return &p->symbol[i];
  return NULL;
}

struct declared {
  char name[1024];
  uint64_t align, size; /* SIZE of all, 0 for [] */
  unsigned element;
};

/* `[.align N] .TYPE [.ptr ..] NAME {[N]}`, from behind the space on */
static bool parse_declared(struct ptx_parser *p, struct declared *d)
{
  struct ptx_text *t = &p->t;
  *d = (struct declared){.align = 0};
  uint64_t n = 1;
  for (; t->word[0] == '.';) {
    bool pointer = ptx_is(t, ".ptr");
    if (ptx_accept(t, ".align")) {
      uint64_t align = ptx_number(t);
      d->align = d->align ? d->align : align;
    } else if (ptx_is(t, ".v2") || ptx_is(t, ".v4")) {
      n = (uint64_t)(t->word[2] - '0');
      ptx_next(t);
    } else {
      enum ptx_type type = ptx_type_of(t->word + 1);
      d->element = type ? ptx_type_size(type) : d->element;
      ptx_next(t);
    }
    if (pointer)
      d->align = d->element; /* what follows is that of the memory it points to */
  }
  if (!d->element)
    return ptx_fail(t, PTX_INVALID_PTX, "the type of '%s'", t->word);
  memcpy(d->name, t->word, sizeof d->name);
  ptx_next(t);
  d->align = d->align ? d->align : d->element * n;
  for (; ptx_accept(t, "["); ptx_expect(t, "]"))
    n = ptx_is(t, "]") ? 0 : n * ptx_number(t);
  d->size = n * d->element;
  return !p->m->code;
}

/* One number of an initialiser, with the address of a variable perhaps */
static uint64_t parse_initial(struct ptx_parser *p)
{
  struct ptx_text *t = &p->t;
  bool generic = ptx_accept(t, "generic") && ptx_expect(t, "(");
  struct ptx_symbol *s = ptx_symbol_find(p, t->word);
  uint64_t value;
  if (s && s->kind == PTX_SYM_ADDRESS) {
    value = s->value;
    ptx_next(t);
  } else {
    value = ptx_number(t);
  }
  if (generic)
    ptx_expect(t, ")");
  if (s && ptx_accept(t, "+"))
    value += ptx_number(t);
  return value;
}

/* What stands behind '=', into REGION */
static bool parse_initialiser(struct ptx_parser *p, struct ptx_region *region, unsigned element)
{
  struct ptx_text *t = &p->t;
  uint64_t at = 0;
  int depth = 0;
  do {
    while (ptx_accept(t, "{"))
      depth++;
    if (!ptx_is(t, "}")) {
      uint64_t value = parse_initial(p);
      if (at + element > region->size)
        return ptx_fail(t, PTX_INVALID_PTX, "too long an initialiser");
      memcpy(region->data + at, &value, element);
      at += element;
    }
    while (ptx_accept(t, "}"))
      depth--;
  } while (ptx_accept(t, ",") && !p->m->code);
  return depth == 0 || ptx_fail(t, PTX_INVALID_PTX, "an initialiser without end");
}

/* A .global or .const variable */
static bool parse_global(struct ptx_parser *p, bool constant, bool external)
{
  struct declared d;
  struct ptx_module *m = p->m;
  if (!parse_declared(p, &d))
    return false;
  if (external)
    return ptx_fail(&p->t, PTX_INVALID_PTX, "%s is defined nowhere", d.name);
  struct ptx_region *r = ptx_region_new(p->memory, d.size, constant);
  struct ptx_region **all = realloc(m->region, (size_t)(m->n_region + 1) * sizeof *all);
  m->region = all ? all : m->region;
  if (!r || !all)
    return ptx_fail(&p->t, PTX_OUT_OF_MEMORY, "no memory");
  m->region[m->n_region++] = r;
  memset(r->data, 0, r->size);
  memset(r->valid, 1, r->size);
  if (ptx_accept(&p->t, "=") && !parse_initialiser(p, r, d.element))
    return false;
  return add_symbol(p, d.name, PTX_SYM_ADDRESS, r->base, d.size) && ptx_expect(&p->t, ";");
}

/* A .shared variable of a module or function */
static bool parse_shared(struct ptx_parser *p)
{
  struct declared d;
  struct ptx_module *m = p->m;
  if (!parse_declared(p, &d))
    return false;
  struct ptx_variable *all = realloc(m->variable, (size_t)(m->n_variable + 1) * sizeof *all);
  if (!all)
    return ptx_fail(&p->t, PTX_OUT_OF_MEMORY, "no memory");
  m->variable = all;
  m->variable[m->n_variable] = (struct ptx_variable){.size = d.size, .align = d.align, .dynamic = !d.size};
  return add_symbol(p, d.name, PTX_SYM_SHARED, (uint64_t)m->n_variable++, d.size) && ptx_expect(&p->t, ";");
}

/* A .local variable, or a .param one that isn't a kernel's: a piece of the function's local memory */
static bool parse_local(struct ptx_parser *p, struct ptx_formal *formal)
{
  struct declared d;
  if (!parse_declared(p, &d))
    return false;
  uint64_t at = align_up(p->f->local, d.align);
  p->f->local = at + d.size;
  if (formal)
    *formal = (struct ptx_formal){at, d.size};
  return add_symbol(p, d.name, PTX_SYM_LOCAL, at, d.size);
}

/* `.reg .TYPE NAME<N>, NAME, ..;` */
static bool parse_registers(struct ptx_parser *p)
{
  struct ptx_text *t = &p->t;
  ptx_next(t);
  do {
    char name[sizeof t->word];
    memcpy(name, t->word, sizeof name);
    uint64_t n = 1;
    bool range = ptx_next(t) && ptx_accept(t, "<");
    if (range) {
      n = ptx_number(t);
      ptx_expect(t, ">");
    }
    if (n > 1u << 20)
      return ptx_fail(t, PTX_INVALID_PTX, "%s: too many registers", name);
    if (!add_symbol(p, name, range ? PTX_SYM_RANGE : PTX_SYM_REGISTER, PTX_ROWS + p->f->rows, n))
      return false;
    p->f->rows += (uint32_t)n;
  } while (ptx_accept(t, ","));
  return ptx_expect(t, ";");
}

/* ---- functions */

int ptx_label_find(struct ptx_parser *p, const char *name)
{
  for (int i = 0; i < p->n_label; i++)
    if (!strcmp(p->label[i].name, name))
      return i;
  if (!ptx_grow(&p->label, p->n_label, &p->size_label, sizeof *p->label))
    return -1;
  p->label[p->n_label] = (struct ptx_label){strdup(name), -1, -1};
  return p->n_label++;
}

/* `NAME: ` in front of an instruction, or of .branchtargets */
static bool parse_label(struct ptx_parser *p)
{
  struct ptx_text *t = &p->t;
  int label = ptx_label_find(p, t->word);
  if (label < 0 || p->label[label].pc >= 0 || p->label[label].table >= 0)
    return ptx_fail(t, PTX_INVALID_PTX, "the label %s, once more", t->word);
  ptx_next(t);
  ptx_next(t);
  if (!ptx_accept(t, ".branchtargets")) {
    p->label[label].pc = p->m->n_inst;
    return true;
  }
  struct ptx_table *all = realloc(p->m->table, (size_t)(p->m->n_table + 1) * sizeof *all);
  if (!all)
    return ptx_fail(t, PTX_OUT_OF_MEMORY, "no memory");
  p->m->table = all;
  struct ptx_table *table = &all[p->m->n_table];
  *table = (struct ptx_table){.n = 0};
  p->label[label].table = p->m->n_table++;
  int size = 0;
  do {
    if (!ptx_grow(&table->target, table->n, &size, sizeof *table->target))
      return ptx_fail(t, PTX_OUT_OF_MEMORY, "no memory");
    table->target[table->n++] = ptx_label_find(p, t->word);
    ptx_next(t);
  } while (ptx_accept(t, ","));
  return ptx_expect(t, ";");
}

/* A statement of a body that is no block */
static bool parse_statement(struct ptx_parser *p)
{
  struct ptx_text *t = &p->t;
  if (ptx_accept(t, ".reg"))
    return parse_registers(p);
  if (ptx_accept(t, ".local") || ptx_accept(t, ".param"))
    return parse_local(p, NULL) && ptx_expect(t, ";");
  if (ptx_accept(t, ".shared"))
    return parse_shared(p);
  if (ptx_accept(t, ".global") || ptx_is(t, ".const"))
    return parse_global(p, ptx_accept(t, ".const"), false);
  if (ptx_is(t, ".loc") || ptx_is(t, ".file"))
    return ptx_skip_line(t), true;
  if (ptx_accept(t, ".pragma"))
    return ptx_next(t) && ptx_expect(t, ";");
  return ptx_is_label(t) ? parse_label(p) : ptx_parse_instruction(p);
}

/* From behind '{' to behind its '}' */
static bool parse_block(struct ptx_parser *p)
{
  int scope = p->n_symbol;
  while (!ptx_accept(&p->t, "}")) {
    bool good = ptx_accept(&p->t, "{") ? parse_block(p) : parse_statement(p);
    if (!good || p->m->code)
      return false;
    if (!p->t.word[0])
      return ptx_fail(&p->t, PTX_INVALID_PTX, "the end within a function");
  }
  end_scope(p, scope);
  return true;
}

/* `(.param .., ..)` */
static bool parse_formals(struct ptx_parser *p)
{
  struct ptx_text *t = &p->t;
  struct ptx_function *f = p->f;
  uint64_t at = 0;
  while (ptx_accept(t, ".param")) {
    struct ptx_formal *all = realloc(f->formal, (size_t)(f->n_formal + 1) * sizeof *all);
    struct declared d;
    if (!all)
      return ptx_fail(t, PTX_OUT_OF_MEMORY, "no memory");
    f->formal = all;
    if (f->entry) {
      if (!parse_declared(p, &d))
        return false;
      at = align_up(at, d.align);
      f->formal[f->n_formal++] = (struct ptx_formal){at, d.size};
      if (!add_symbol(p, d.name, PTX_SYM_ADDRESS, PTX_PARAM + at, d.size))
        return false;
      at += d.size;
    } else if (!parse_local(p, &f->formal[f->n_formal++])) {
      return false;
    }
    ptx_accept(t, ",");
  }
  return ptx_expect(t, ")");
}

/* `.maxntid 16, 16, 1` and the like */
static void parse_limits(struct ptx_parser *p)
{
  struct ptx_text *t = &p->t;
  while (t->word[0] == '.') {
    bool threads = ptx_is(t, ".maxntid") || ptx_is(t, ".reqntid");
    bool none = ptx_is(t, ".noreturn") || ptx_is(t, ".noinline") || ptx_is(t, ".explicitcluster");
    ptx_next(t);
    if (none)
      continue;
    uint64_t product = ptx_number(t);
    while (ptx_accept(t, ","))
      product *= ptx_number(t);
    if (threads)
      p->f->max_threads = (uint32_t)product;
  }
}

/* Labels -> instructions */
static bool resolve_labels(struct ptx_parser *p)
{
  struct ptx_function *f = p->f;
  for (int i = 0; i < p->n_label; i++)
    if (p->label[i].pc < 0 && p->label[i].table < 0)
      return ptx_fail(&p->t, PTX_INVALID_PTX, "no label %s in %s", p->label[i].name, f->name);
  for (int i = f->first; i < f->end; i++) {
    struct ptx_inst *inst = &p->m->inst[i];
    if (inst->flow == PTX_BRANCH)
      inst->target = p->label[inst->target].pc;
    else if (inst->flow == PTX_TABLE)
      inst->target = p->label[inst->target].table;
  }
  for (int i = 0; i < p->n_label; i++)
    if (p->label[i].table >= 0)
      for (int k = 0; k < p->m->table[p->label[i].table].n; k++)
        p->m->table[p->label[i].table].target[k] = p->label[p->m->table[p->label[i].table].target[k]].pc;
  for (int i = 0; i < p->n_label; i++)
    free(p->label[i].name);
  p->n_label = 0;
  return true;
}

/* From behind .func or .entry on */
static bool parse_function(struct ptx_parser *p, bool entry)
{
  struct ptx_text *t = &p->t;
  struct ptx_module *m = p->m;
  struct ptx_function **all = realloc(m->function, (size_t)(m->n_function + 1) * sizeof *all);
  struct ptx_function *f = calloc(1, sizeof *f);
  m->function = all ? all : m->function;
  if (!f || !all)
    return free(f), ptx_fail(t, PTX_OUT_OF_MEMORY, "no memory");
  m->function[m->n_function++] = p->f = f;
  *f = (struct ptx_function){.entry = entry, .first = m->n_inst, .module = m};
  int scope = p->n_symbol;
  p->size_constant = 0;
  if (ptx_accept(t, "(") && (!ptx_accept(t, ".param") || !parse_local(p, &f->result) || !ptx_expect(t, ")")))
    return ptx_fail(t, PTX_INVALID_PTX, "the result of a function");
  f->name = strdup(t->word);
  ptx_next(t);
  if (ptx_accept(t, "(") && !parse_formals(p))
    return false;
  parse_limits(p);
  if (!ptx_accept(t, ";")) {
    if (!ptx_expect(t, "{") || !parse_block(p))
      return false;
    f->defined = true;
  }
  f->end = m->n_inst;
  end_scope(p, scope);
  return resolve_labels(p);
}

/* ---- modules */

/* `.version 7.8` */
static bool parse_version(struct ptx_parser *p, int newest)
{
  int major = 0, minor = 0;
  if (sscanf(p->t.word, "%d.%d", &major, &minor) != 2)
    return ptx_fail(&p->t, PTX_INVALID_PTX, "the version '%s'", p->t.word);
  if (10 * major + minor > newest)
    return ptx_fail(&p->t, PTX_UNSUPPORTED_VERSION, "version %d.%d, newer than the driver's %d.%d", major, minor,
                    newest / 10, newest % 10);
  return ptx_next(&p->t);
}

/* `.target sm_80, ..` */
static bool parse_target(struct ptx_parser *p, int sm)
{
  int target = 0;
  char only = 0;
  sscanf(p->t.word, "sm_%d%c", &target, &only);
  if (target > sm || (only == 'a' && target != sm))
    return ptx_fail(&p->t, PTX_INVALID_PTX, "for %s, this device is sm_%d", p->t.word, sm);
  return ptx_skip_line(&p->t), true;
}

/* `{ .. }` of debug information */
static bool skip_section(struct ptx_parser *p)
{
  while (!ptx_accept(&p->t, "}"))
    if (!ptx_next(&p->t))
      return false;
  return true;
}

/* What stands outside functions; nothing: the end */
static bool parse_item(struct ptx_parser *p, int newest, int sm)
{
  struct ptx_text *t = &p->t;
  bool external = false;
  for (; ptx_is(t, ".visible") || ptx_is(t, ".extern") || ptx_is(t, ".weak") || ptx_is(t, ".common"); ptx_next(t))
    external |= ptx_is(t, ".extern");
  if (ptx_accept(t, ".version"))
    return parse_version(p, newest);
  if (ptx_accept(t, ".target"))
    return parse_target(p, sm);
  if (ptx_is(t, ".address_size") || ptx_is(t, ".file") || ptx_is(t, ".loc"))
    return ptx_skip_line(t), true;
  if (ptx_accept(t, ".section"))
    return skip_section(p);
  if (ptx_accept(t, ".shared"))
    return parse_shared(p);
  if (ptx_accept(t, ".global"))
    return parse_global(p, false, external);
  if (ptx_accept(t, ".const"))
    return parse_global(p, true, external);
  if (ptx_accept(t, ".func"))
    return parse_function(p, false);
  if (ptx_accept(t, ".entry"))
    return parse_function(p, true);
  return ptx_accept(t, ";") || ptx_fail(t, PTX_INVALID_PTX, "'%s' outside a function", t->word);
}

struct ptx_module *ptx_module_parse(const char *text, int version, int sm, struct ptx_memory *memory)
{
  struct ptx_module *m = calloc(1, sizeof *m);
  if (!m)
    return NULL;
  m->text = strdup(text);
  struct ptx_parser p = {.t = {.at = m->text, .line = 1, .module = m}, .m = m, .memory = memory};
  ptx_next(&p.t);
  if (!ptx_is(&p.t, ".version"))
    ptx_fail(&p.t, PTX_INVALID_PTX, "no .version");
  while (!m->code && p.t.word[0] && parse_item(&p, version, sm))
    ;
  if (!m->code)
    ptx_module_link(&p);
  end_scope(&p, 0);
  for (int i = 0; i < p.n_label; i++)
    free(p.label[i].name);
  free(p.symbol);
  free(p.label);
  return m;
}

struct ptx_module *ptx_module_free(struct ptx_module *module, struct ptx_memory *memory)
{
  for (int i = 0; i < module->n_function; i++) {
    free(module->function[i]->name);
    free(module->function[i]->formal);
    free(module->function[i]->constant);
    free(module->function[i]->constant_row);
    free(module->function[i]);
  }
  for (int i = 0; i < module->n_region; i++)
    ptx_region_free(memory, module->region[i]);
  for (int i = 0; i < module->n_table; i++)
    free(module->table[i].target);
  for (int i = 0; i < module->n_call; i++)
    free(module->call[i].name);
  free(module->near);
  free(module->region);
  free(module->function);
  free(module->variable);
  free(module->table);
  free(module->call);
  free(module->inst);
  free(module->text);
  free(module);
  return NULL;
}

struct ptx_function *ptx_module_entry(struct ptx_module *module, const char *name)
{
  for (int i = 0; i < module->n_function; i++)
    if (module->function[i]->entry && module->function[i]->defined && !strcmp(module->function[i]->name, name))
      return module->function[i];
  return NULL;
}

const char *ptx_module_line(const struct ptx_module *module, int line, char *buffer, size_t size)
{
  const char *at = module->text;
  for (; line > 1 && at; line--)
    at = (at = strchr(at, '\n')) ? at + 1 : NULL;
  at = at ? at + strspn(at, " \t") : "";
  size_t n = strcspn(at, "\n"), out = 0;
  for (size_t i = 0; i < n && out + 1 < size; i++)
    if (at[i] != '\t' || (out && buffer[out - 1] != ' '))
      buffer[out++] = at[i] == '\t' ? ' ' : at[i];
  buffer[out] = 0;
  return buffer;
}
