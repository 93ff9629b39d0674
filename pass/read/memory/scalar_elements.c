/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scalars that the program stores to an array in the end go to live in that element from the start:
 *
 *   P: phi = 0     B: phi' = phi + a*b     E: C[i][j] = phi''      ->      P: C[i][j] = 0     B: C[i][j] = C[i][j] + a*b
 *
 * All SCALAR arrays that are copies of one value form a web. Whether the element may stand in for all of them is decided on
 * the SCoP (tsr_scop_can_demote); here the web is found, and what has become a copy of an element to itself is dropped. */
#include "read/memory/memory.h"
#include <stdlib.h>
#include <string.h>

#define MAX_WEB 16

/* The array of S's reads that VALUE comes from unchanged, -1 if there is none. */
static int copied_array(const struct tsr_model *m, const struct tsr_stmt_info *s, LLVMValueRef value)
{
  for (;;) {
    for (int i = 0; i < s->n_read; i++)
      if (m->arrays[s->read[i]].origin == value)
        return s->read[i];
    if (!LLVMIsAPHINode(value) || LLVMCountIncoming(value) != 1)
      return -1;
    value = LLVMGetIncomingValue(value, 0);
  }
}

struct web {
  struct tsr_model *m;
  int store;  /* index into m->access */
  int writer; /* the statement of the store */
  bool *in;   /* by array */
  int n;
  bool lean; /* without values that others than copies need, too: they stay, and what copies them is a statement */
};

/* Does a statement compute something from SCALAR array ARRAY, rather than copy it? */
static bool is_computed_from(const struct tsr_model *m, int array)
{
  bool found = false;
  for (int i = 0; i < m->n_stmt && !found; i++) {
    const struct tsr_stmt_info *s = &m->stmts[i];
    bool reads = false, copies = s->n_write > 0 && s->n_inst == 0;
    for (int k = 0; k < s->n_read; k++)
      reads |= s->read[k] == array;
    for (int k = 0; k < s->n_write; k++)
      copies &= copied_array(m, s, s->write[k].value) >= 0;
    found = reads && !copies;
  }
  return found;
}

/* ARRAY is in the web. */
static void web_add(struct web *w, int array)
{
  w->n += !w->in[array];
  w->in[array] = true;
}

/* Write K of S goes to the web: what it copies belongs there, and what else gets the same value. Sums that are to come apart
 * may begin alike. */
static void web_follow(struct web *w, const struct tsr_stmt_info *s, int k)
{
  int from = copied_array(w->m, s, s->write[k].value);
  if (from >= 0 && !(w->lean && !w->m->arrays[from].is_phi && is_computed_from(w->m, from)))
    web_add(w, from);
  if (w->m->apart && LLVMIsAConstant(s->write[k].value))
    return;
  for (int i = 0; i < s->n_write; i++)
    if (s->write[i].value == s->write[k].value && s->write[i].from == s->write[k].from)
      web_add(w, s->write[i].array);
}

/* All that copies lead to, from what is in the web. */
static void web_grow(struct web *w)
{
  for (int before = 0; before != w->n && w->n <= MAX_WEB;) {
    before = w->n;
    for (int i = 0; i < w->m->n_stmt; i++)
      for (int k = 0; k < w->m->stmts[i].n_write; k++)
        if (w->in[w->m->stmts[i].write[k].array])
          web_follow(w, &w->m->stmts[i], k);
  }
}

/* Has SCALAR array ARRAY no other values than copies of the web's? */
static bool is_copy_of_web(const struct web *w, int array)
{
  bool any = false;
  for (int i = 0; i < w->m->n_stmt; i++) {
    const struct tsr_stmt_info *s = &w->m->stmts[i];
    for (int k = 0; k < s->n_write; k++) {
      if (s->write[k].array != array)
        continue;
      int from = s->n_inst == 0 && !s->inner.n ? copied_array(w->m, s, s->write[k].value) : -1;
      if (from < 0 || !w->in[from])
        return false;
      any = true;
    }
  }
  return any;
}

/* What gets nothing but the web's values belongs to it, too. */
static void web_grow_on(struct web *w)
{
  for (int before = -1; before != w->n && w->n <= MAX_WEB;) {
    before = w->n;
    for (int i = 0; i < w->m->n_array; i++)
      if (w->m->arrays[i].kind == TSR_ARRAY_SCALAR && !w->in[i] && is_copy_of_web(w, i))
        web_add(w, i);
  }
}

/* Does S read the web? */
static bool stmt_reads(const struct web *w, const struct tsr_stmt_info *s)
{
  for (int i = 0; i < s->n_read; i++)
    if (w->in[s->read[i]])
      return true;
  return false;
}

/* Does S write to the web? */
static bool stmt_writes(const struct web *w, const struct tsr_stmt_info *s)
{
  for (int i = 0; i < s->n_write; i++)
    if (w->in[s->write[i].array])
      return true;
  return false;
}

/* Does S write one value to all of the web that it writes? Through inner blocks there are several ways: one array is enough.
 */
static bool writes_one_value(const struct web *w, const struct tsr_stmt_info *s)
{
  for (int i = 0; i < s->n_write; i++)
    for (int k = 0; k < i; k++)
      if (w->in[s->write[i].array] && w->in[s->write[k].array] && s->write[i].array != s->write[k].array &&
          (s->inner.n || s->write[i].value != s->write[k].value))
        return false;
  return true;
}

/* Are all loops around the store around S, too, so that its address can be computed there? */
static bool is_inside(const struct tsr_stmt_info *store, const struct tsr_stmt_info *s)
{
  return s->n_loop >= store->n_loop && !memcmp(s->loops, store->loops, store->n_loop * sizeof(*s->loops));
}

/* Does a statement of the store's block that comes after it read what the web holds before the block writes the web again?
 * It would find there what has been stored, which may be another value. */
static bool is_read_after_store(const struct web *w)
{
  const struct tsr_model *m = w->m;
  const struct tsr_stmt_info *store = &m->stmts[w->writer];
  int from = copied_array(m, store, LLVMGetOperand(m->access[w->store].inst, 0));
  if (from >= 0 && w->in[from])
    return false;
  for (int i = w->writer + 1; i < m->n_stmt; i++) {
    const struct tsr_stmt_info *s = &m->stmts[i];
    if (s->block != store->block || s->n_loop != store->n_loop || s->inner.n || store->inner.n || s->guard || store->guard)
      return false;
    if (stmt_reads(w, s))
      return true;
    if (stmt_writes(w, s))
      return false;
  }
  return false;
}

/* Could the element hold the web's values, wherever these are read and written? */
static bool web_is_sound(const struct web *w)
{
  struct tsr_model *m = w->m;
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(m->access[w->store].inst, 0));
  for (int i = 0; i < m->n_array; i++)
    if (w->in[i] && (LLVMTypeOf(m->arrays[i].origin) != type || m->arrays[i].home || m->arrays[i].live_out))
      return false;
  for (int i = 0; i < m->n_stmt; i++) {
    const struct tsr_stmt_info *s = &m->stmts[i];
    bool reads = stmt_reads(w, s), writes = stmt_writes(w, s);
    if ((reads || writes) && (!is_inside(&m->stmts[w->writer], s) || !writes_one_value(w, s)))
      return false;
  }
  return w->n <= MAX_WEB && !is_read_after_store(w);
}

/* { S[..] -> A[..] }: the element of the store, for each statement that accesses the web. */
static isl_union_map *web_home(const struct web *w)
{
  struct tsr_model *m = w->m;
  isl_union_map *home = isl_union_map_empty_ctx(m->ctx);
  for (int i = 0; i < m->n_stmt; i++)
    if (stmt_reads(w, &m->stmts[i]) || stmt_writes(w, &m->stmts[i])) {
      isl_map *map = tsr_model_element(m, i, &m->access[w->store]);
      map = isl_map_set_tuple_name(map, isl_dim_in, m->scop->stmts[i].name);
      home = isl_union_map_add_map(home, isl_map_intersect_domain(map, isl_set_copy(m->scop->stmts[i].domain)));
    }
  return home;
}

/* ---- what becomes of the statements */

/* Is VALUE, in S, what the element holds already? */
static bool is_held(const struct web *w, const struct tsr_stmt_info *s, LLVMValueRef value)
{
  struct tsr_model *m = w->m;
  int from = copied_array(m, s, value);
  if (from >= 0)
    return w->in[from];
  const struct tsr_raw_access *store = &m->access[w->store];
  for (int i = 0; i < m->n_access; i++) {
    struct tsr_raw_access *a = &m->access[i];
    if (a->stmt < 0 || a->inst != value || a->array != store->array || a->size != store->size || &m->stmts[a->stmt] != s ||
        !LLVMIsALoadInst(value) || !a->offset)
      continue;
    for (int k = 0; k < m->arrays[a->array].n_dim; k++)
      if (!tsr_poly_equal(a->index[k], store->index[k]))
        return false;
    return true;
  }
  return false;
}

/* Does write K of S copy what an element has got before to that element? */
static bool is_copied_home(const struct tsr_model *m, const struct tsr_stmt_info *s, int k)
{
  int from = copied_array(m, s, s->write[k].value), home = m->arrays[s->write[k].array].home;
  return home && from >= 0 && m->arrays[from].home == home;
}

/* Does S, now that the web is in place, do nothing but store to the element what it holds? */
static bool is_idle(const struct web *w, const struct tsr_stmt_info *s)
{
  LLVMValueRef store = w->m->access[w->store].inst;
  if (s->inner.n || s->n_inst > 2)
    return false;
  for (int i = 0; i < s->n_inst; i++) {
    LLVMValueRef value = s->inst[i] == store ? LLVMGetOperand(store, 0) : s->inst[i];
    if (s->inst[i] != store && !LLVMIsALoadInst(value))
      return false;
    if (!is_held(w, s, value))
      return false;
  }
  for (int i = 0; i < s->n_write; i++)
    if (!is_copied_home(w->m, s, i) && (!w->in[s->write[i].array] || !is_held(w, s, s->write[i].value)))
      return false;
  return s->n_inst || s->n_write;
}

/* Does the SCoP allow it? */
static bool web_can_move(const struct web *w)
{
  isl_union_map *home = web_home(w);
  bool *copies = calloc(w->m->n_stmt + 1, sizeof(*copies));
  bool expanded = tsr_is_expanded(w->m->arrays[w->m->access[w->store].array].base); /* whose store is there for its place */
  for (int i = 0; i < w->m->n_stmt && copies; i++)
    copies[i] = (w->m->stmts[i].n_inst == 0 ? stmt_writes(w, &w->m->stmts[i]) : expanded && i == w->writer) &&
                is_idle(w, &w->m->stmts[i]);
  isl_bool can = tsr_scop_can_demote(w->m->scop, w->in, w->m->access[w->store].array, home, copies);
  isl_union_map_free(home);
  free(copies);
  return can == isl_bool_true;
}

/* One write a way is enough. */
static void drop_double_writes(struct tsr_model *m, struct tsr_stmt_info *s)
{
  int n = 0;
  for (int i = 0; i < s->n_write; i++) {
    bool seen = false;
    for (int k = 0; k < n; k++)
      seen |= tsr_array_place(m, s->write[k].array) == tsr_array_place(m, s->write[i].array) &&
              s->write[k].from == s->write[i].from;
    if (!seen)
      s->write[n++] = s->write[i];
  }
  s->n_write = n;
}

void tsr_model_drop_stmts(struct tsr_model *m, const bool *drop)
{
  int *at = malloc((m->n_stmt + 1) * sizeof(*at)), n = 0;
  for (int i = 0; i < m->n_stmt; i++) {
    at[i] = drop[i] ? -1 : n;
    if (drop[i])
      tsr_stmt_clear(&m->stmts[i]);
    else
      m->stmts[n++] = m->stmts[i];
  }
  m->n_stmt = n;
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].stmt >= 0)
      m->access[i].stmt = at[m->access[i].stmt];
  free(at);
}

/* The web lives in the element from now on. */
static void web_move(struct web *w)
{
  struct tsr_model *m = w->m;
  bool *drop = calloc(m->n_stmt + 1, sizeof(*drop));
  for (int i = 0; i < m->n_stmt; i++)
    drop[i] = is_idle(w, &m->stmts[i]);
  for (int i = 0; i < m->n_array; i++)
    if (w->in[i])
      m->arrays[i].home = w->store + 1;
  for (int i = 0; i < m->n_stmt; i++)
    drop_double_writes(m, &m->stmts[i]);
  tsr_model_drop_stmts(m, drop);
  free(drop);
}

/* ---- candidates: stores of statements that read a scalar of their type */

/* Does the statement of access STORE read what is in the element before, C[i][j] += s? It would find s there. */
static bool reads_its_element(const struct tsr_model *m, const struct tsr_raw_access *store)
{
  for (int i = 0; i < m->n_access; i++) {
    const struct tsr_raw_access *a = &m->access[i];
    bool same = a->stmt == store->stmt && a->kind == TSR_READ && a->array == store->array && a->width == store->width &&
                a->offset && !a->length && store->offset && !store->length;
    for (int k = 0; k < m->arrays[store->array].n_dim && same; k++)
      same = tsr_poly_equal(a->index[k], store->index[k]);
    if (same)
      return true;
  }
  return false;
}

/* Is ACCESS a store that hasn't been tried? */
static bool is_candidate(const struct tsr_model *m, int access)
{
  const struct tsr_raw_access *a = &m->access[access];
  return a->stmt >= 0 && a->kind == TSR_MUST_WRITE && !a->tried && !a->fixed && LLVMIsAStoreInst(a->inst);
}

/* Could scalar ARRAY go with a store that hasn't been tried? */
static bool has_other_store(struct tsr_model *m, int array)
{
  struct web w = {.m = m, .in = calloc(m->n_array + 1, sizeof(bool))};
  bool found = false;
  for (int i = 0; i < m->n_access && !found; i++) {
    const struct tsr_stmt_info *s =
        is_candidate(m, i) && !reads_its_element(m, &m->access[i]) ? &m->stmts[m->access[i].stmt] : NULL;
    for (int k = 0; s && k < s->n_read && !found; k++)
      if (m->arrays[s->read[k]].kind == TSR_ARRAY_SCALAR) {
        memset(w.in, 0, m->n_array * sizeof(bool));
        w = (struct web){.m = m, .store = i, .writer = m->access[i].stmt, .in = w.in};
        web_add(&w, s->read[k]);
        web_grow(&w);
        found = w.in[array] && web_is_sound(&w);
      }
  }
  free(w.in);
  return found;
}

/* Does S read SCALAR array ARRAY? */
static bool stmt_reads_array(const struct tsr_stmt_info *s, int array)
{
  for (int i = 0; i < s->n_read; i++)
    if (s->read[i] == array)
      return true;
  return false;
}

/* What else binds statements as the web does, by array: scalars that no element can hold. */
static bool *others_find(const struct web *w)
{
  struct tsr_model *m = w->m;
  bool *others = calloc(m->n_array + 1, sizeof(*others)), *seen = calloc(m->n_array + 1, sizeof(*seen));
  for (int i = 0; i < m->n_stmt; i++)
    for (int k = 0; k < m->stmts[i].n_write && stmt_writes(w, &m->stmts[i]); k++) {
      int array = m->stmts[i].write[k].array;
      if (!seen[array] && !w->in[array] && m->arrays[array].kind == TSR_ARRAY_SCALAR && !m->arrays[array].home)
        others[array] = !has_other_store(m, array);
      seen[array] = true;
    }
  free(seen);
  return others;
}

/* Does a scalar of OTHERS go from statement FROM to statement TO? */
static bool are_bound(const struct tsr_stmt_info *from, const struct tsr_stmt_info *to, const bool *others)
{
  for (int i = 0; i < from->n_write; i++)
    if (others[from->write[i].array] && stmt_reads_array(to, from->write[i].array))
      return true;
  return false;
}

/* Does another scalar go along with the web, from each statement that writes it to each that reads it? The parts of a
 * complex sum do. Then nothing is free to move without the web either. */
static bool web_is_vain(const struct web *w)
{
  const struct tsr_model *m = w->m;
  bool *others = others_find(w), vain = true;
  for (int i = 0; i < m->n_stmt && vain; i++)
    for (int k = 0; k < m->stmts[i].n_write && vain; k++)
      for (int r = 0; r < m->n_stmt && vain && w->in[m->stmts[i].write[k].array]; r++)
        if (stmt_reads_array(&m->stmts[r], m->stmts[i].write[k].array))
          vain = are_bound(&m->stmts[i], &m->stmts[r], others);
  free(others);
  return vain;
}

/* Move the web of ARRAY, which the statement of STORE reads, to the element stored to, LEAN or not: true, if that can be. */
static bool try_web(struct tsr_model *m, int store, int array, bool lean)
{
  struct web w = {.m = m, .store = store, .writer = m->access[store].stmt, .in = calloc(m->n_array + 1, sizeof(bool))};
  w.lean = lean;
  web_add(&w, array);
  web_grow(&w);
  if (tsr_is_expanded(m->arrays[m->access[store].array].base))
    web_grow_on(&w);
  bool found = web_is_sound(&w) && !web_is_vain(&w) && web_can_move(&w);
  if (found)
    web_move(&w);
  free(w.in);
  return found;
}

/* The same for all stores that are there for the sake of such a scalar, if EXPANDED; else for the others. */
static bool try_stores(struct tsr_model *m, bool expanded)
{
  for (int i = 0; i < m->n_access; i++) {
    struct tsr_raw_access *a = &m->access[i];
    if (!is_candidate(m, i) || tsr_is_expanded(m->arrays[a->array].base) != expanded)
      continue;
    a->tried = true;
    if (reads_its_element(m, a))
      continue;
    struct tsr_stmt_info *s = &m->stmts[a->stmt];
    for (int k = 0; k < s->n_read; k++)
      if (m->arrays[s->read[k]].kind == TSR_ARRAY_SCALAR &&
          (try_web(m, i, s->read[k], false) || (expanded && try_web(m, i, s->read[k], true))))
        return true;
  }
  return false;
}

bool tsr_model_demote(struct tsr_model *m)
{
  return try_stores(m, true) || try_stores(m, false);
}
