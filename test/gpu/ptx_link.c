/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is only known when all of a module is read: which function a call means, where functions have their rows and local
 * memory, where shared variables lie. */
#include "ptx.h"
#include <stdlib.h>
#include <string.h>

/* The function of that name that has a body; -1: none */
static int find_defined(const struct ptx_module *m, const char *name)
{
  for (int i = 0; i < m->n_function; i++)
    if (m->function[i]->defined && !strcmp(m->function[i]->name, name))
      return i;
  return -1;
}

/* How deep the calls of function K go; -1: too deep, or without end. DEPTH: what is known, 0: nothing, -1: K is being looked
 * at. */
static int call_depth(const struct ptx_module *m, int k, int *depth)
{
  if (depth[k])
    return depth[k];
  int most = 0;
  depth[k] = -1;
  for (int i = m->function[k]->first; i < m->function[k]->end; i++) {
    int callee = m->inst[i].flow == PTX_CALL ? call_depth(m, m->call[m->inst[i].target].function, depth) : 0;
    if (callee < 0)
      return -1;
    most = callee > most ? callee : most;
  }
  return depth[k] = most < PTX_DEPTH ? most + 1 : -1;
}

/* No call comes back to the function it is in. */
static bool check_depth(struct ptx_parser *p)
{
  struct ptx_module *m = p->m;
  int *depth = calloc((size_t)m->n_function + 1, sizeof *depth), bad = -1;
  for (int k = 0; depth && k < m->n_function && bad < 0; k++)
    bad = call_depth(m, k, depth) < 0 ? k : -1;
  free(depth);
  return bad < 0 ||
         ptx_fail(&p->t, PTX_INVALID_PTX, "%s is recursive, or calls too deep: not known here", m->function[bad]->name);
}

/* Names -> functions; offsets within their local memory -> within the thread's */
static bool link_calls(struct ptx_parser *p)
{
  struct ptx_module *m = p->m;
  for (int i = 0; i < m->n_call; i++)
    if ((m->call[i].function = find_defined(m, m->call[i].name)) < 0)
      return ptx_fail(&p->t, PTX_INVALID_PTX, "%s is called but defined nowhere", m->call[i].name);
  if (!check_depth(p))
    return false;
  for (int k = 0; k < m->n_function; k++) {
    struct ptx_function *f = m->function[k];
    for (int i = f->first; i < f->end; i++) {
      if (m->inst[i].flow != PTX_CALL)
        continue;
      struct ptx_call *call = &m->call[m->inst[i].target];
      struct ptx_function *g = m->function[call->function];
      if (call->n != g->n_formal || (call->result.size && call->result.size != g->result.size))
        return ptx_fail(&p->t, PTX_INVALID_PTX, "a call of %s doesn't fit", g->name);
      for (int a = 0; a < call->n; a++) {
        call->arg[a].from += f->local_base;
        call->arg[a].to = g->local_base + g->formal[a].offset;
      }
      call->result.from = g->local_base + g->result.offset;
      call->result.to += f->local_base;
    }
  }
  return true;
}

/* Rows of F, from ROW on in place of 0 */
static void move_rows(struct ptx_module *m, struct ptx_function *f, uint32_t row)
{
  f->row_base = row;
  for (int i = f->first; i < f->end; i++) {
    struct ptx_inst *inst = &m->inst[i];
    uint32_t *all[] = {&inst->guard, &inst->d, &inst->d2};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
      *all[k] += *all[k] >= PTX_ROWS ? row : 0;
    for (size_t k = 0; k < sizeof inst->s / sizeof *inst->s; k++)
      inst->s[k] += inst->s[k] >= PTX_ROWS ? row : 0;
    for (int k = 0; k < PTX_VECTOR; k++)
      inst->v[k] += inst->v[k] >= PTX_ROWS ? row : 0;
  }
  for (int i = 0; i < f->n_constant; i++)
    f->constant_row[i] += row;
}

/* Functions first, kernels share what comes behind them */
static void place_functions(struct ptx_module *m)
{
  uint32_t rows = 0;
  uint64_t local = 0;
  for (int entry = 0; entry < 2; entry++)
    for (int k = 0; k < m->n_function; k++) {
      struct ptx_function *f = m->function[k];
      if (f->entry != entry)
        continue;
      f->local_base = (local + 15) / 16 * 16;
      move_rows(m, f, rows);
      if (!entry) {
        rows += f->rows;
        local = f->local_base + f->local;
      }
    }
}

/* Puts the shared variables that F uses behind AT, unless they are somewhere: where they end */
static uint64_t place_shared(struct ptx_module *m, const struct ptx_function *f, uint64_t at)
{
  for (int v = 0; v < m->n_variable; v++)
    m->variable[v].placed &= m->variable[v].of_func;
  for (int i = 0; i < f->n_constant; i++) {
    struct ptx_variable *v = f->constant[i].variable >= 0 ? &m->variable[f->constant[i].variable] : NULL;
    if (!v || v->dynamic || v->placed)
      continue;
    v->address = (at + v->align - 1) / v->align * v->align;
    at = v->address + v->size;
    v->placed = true;
    v->of_func |= !f->entry;
  }
  return at;
}

/* The values of F's constants */
static void settle_constants(struct ptx_module *m, struct ptx_function *f, uint64_t dynamic_at)
{
  for (int i = 0; i < f->n_constant; i++) {
    struct ptx_constant *c = &f->constant[i];
    if (c->variable == -2)
      c->value += PTX_LOCAL + f->local_base;
    else if (c->variable >= 0)
      c->value += PTX_SHARED + (m->variable[c->variable].dynamic ? dynamic_at : m->variable[c->variable].address);
  }
}

/* Does a .func use dynamic shared memory, which then has to begin at one place for all kernels? */
static bool func_uses_dynamic(const struct ptx_module *m)
{
  for (int k = 0; k < m->n_function; k++)
    for (int i = 0; !m->function[k]->entry && i < m->function[k]->n_constant; i++)
      if (m->function[k]->constant[i].variable >= 0 && m->variable[m->function[k]->constant[i].variable].dynamic)
        return true;
  return false;
}

/* Shared memory: that of functions, then each kernel's own */
static bool link_shared(struct ptx_parser *p)
{
  struct ptx_module *m = p->m;
  uint64_t common = 0, most = 0;
  for (int k = 0; k < m->n_function; k++)
    common = m->function[k]->entry ? common : place_shared(m, m->function[k], common);
  for (int k = 0; k < m->n_function; k++) {
    struct ptx_function *f = m->function[k];
    if (!f->entry)
      continue;
    f->static_shared = place_shared(m, f, common);
    f->dynamic_at = (f->static_shared + 15) / 16 * 16;
    most = f->dynamic_at > most ? f->dynamic_at : most;
    if (f->static_shared > PTX_STATIC_SHARED)
      return ptx_fail(&p->t, PTX_INVALID_PTX, "%s uses %llu bytes of static shared memory, more than %u", f->name,
                      (unsigned long long)f->static_shared, PTX_STATIC_SHARED);
  }
  for (int k = 0; k < m->n_function; k++) {
    struct ptx_function *f = m->function[k];
    place_shared(m, f, common); /* again: kernels share variables */
    f->dynamic_at = func_uses_dynamic(m) ? most : f->dynamic_at;
    settle_constants(m, f, f->dynamic_at);
  }
  return true;
}

bool ptx_module_link(struct ptx_parser *p)
{
  struct ptx_module *m = p->m;
  m->near = calloc((size_t)m->n_inst + 1, sizeof *m->near);
  if (!m->near)
    return ptx_fail(&p->t, PTX_OUT_OF_MEMORY, "no memory");
  for (int i = 0; i < m->n_inst; i++)
    m->inst[i].near = &m->near[i];
  place_functions(m);
  return link_calls(p) && link_shared(p);
}
