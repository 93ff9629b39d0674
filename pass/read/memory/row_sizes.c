/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Row sizes: candidates, and chains of those that divide each other.
 *
 *   accesses n*m*i + m*j + k of A  ->  candidates m (2 votes), n*m (1)  ->  chain  m | n*m:  A[i][j][k], rows of m, planes
 * of n
 *
 * Where they don't, as in  s*i + t*j + k, planes have as many rows as fit: s / t, a parameter. */
#include "read/memory/subscripts.h"
#include <stdlib.h>
#include <string.h>

/* The coefficient of counter ATOM in P (of which it must be a linear factor): sum of coef * rest of monomial. */
static struct tsr_poly *stride_of(const struct tsr_poly *p, int atom)
{
  struct tsr_poly *stride = tsr_poly_const(0);
  for (int i = 0; stride && i < p->n; i++) {
    struct tsr_poly *t = tsr_poly_const(p->term[i].coef);
    int times = 0;
    for (int k = 0; k < p->term[i].degree; k++) {
      bool hit = p->term[i].atom[k] == atom && !times;
      times += hit;
      if (!hit)
        t = tsr_poly_mul(t, tsr_poly_atom(p->term[i].atom[k]));
    }
    stride = times ? tsr_poly_add(stride, t) : (tsr_poly_free(t), stride);
  }
  return stride;
}

/* The stride of a counter of loops with STEP, at DEPTH, or a part of one: 0. With a content if RAW. Takes SIZE. */
static void vote(struct candidate *list, int *n, struct tsr_poly *size, int64_t step, int depth, bool raw)
{
  int64_t content = size ? tsr_poly_content(size) : 0, value;
  if (raw && size && size->n && tsr_poly_degree(size) > 0)
    content = 1;
  if (size && size->n && tsr_poly_degree(size) > 0)
    size = tsr_poly_divide_exact(size, size->term[0].coef < 0 ? -content : content);
  else if (size && content)
    size = (tsr_poly_free(size), tsr_poly_const(content));
  if (!size || (tsr_poly_is_const(size, &value) && value <= 1)) {
    tsr_poly_free(size);
    return;
  }
  for (int i = 0; i < *n; i++)
    if (tsr_poly_equal(list[i].size, size)) {
      list[i].votes++;
      list[i].step = step < list[i].step ? step : list[i].step;
      if (depth && (!list[i].depth || depth < list[i].depth))
        list[i].depth = depth;
      tsr_poly_free(size);
      return;
    }
  if (*n == TSR_MAX_CANDIDATES)
    tsr_poly_free(size);
  else
    list[(*n)++] = (struct candidate){size, step, 1, depth};
}

/* The parameters of a term that has a counter: where one counter runs over several dimensions, A[i][i], its stride m + 1
 * hides the row size m. RAW: with the coefficient. NULL if there are none. */
static struct tsr_poly *parameter_part(struct tsr_model *m, const struct tsr_term *t, bool raw)
{
  struct tsr_poly *product = tsr_poly_const(raw ? llabs(t->coef) : 1);
  bool counter = false;
  for (int k = 0; k < t->degree; k++) {
    counter |= tsr_atom_is_counter(m, t->atom[k]);
    if (!tsr_atom_is_counter(m, t->atom[k]))
      product = tsr_poly_mul(product, tsr_poly_atom(t->atom[k]));
  }
  return counter && product && tsr_poly_degree(product) ? product : tsr_poly_free(product);
}

/* Most votes first, then the lowest degree. */
static int by_votes(const void *a, const void *b)
{
  const struct candidate *x = a, *y = b;
  if (x->votes != y->votes)
    return y->votes - x->votes;
  return tsr_poly_degree(x->size) - tsr_poly_degree(y->size);
}

/* By how much the counters of ATOM's loop change in an iteration; 1: nothing is known. */
static int64_t step_of(struct tsr_model *m, int atom)
{
  int64_t least = 0;
  LLVMValueRef phi =
      m->atoms[atom].kind == TSR_ATOM_DIM ? LLVMGetFirstInstruction(tsr_loop_header(m->atoms[atom].loop)) : NULL;
  for (; phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
    bool is_int = LLVMGetTypeKind(LLVMTypeOf(phi)) == LLVMIntegerTypeKind;
    tsr_scev s = is_int ? tsr_scev_of(m->a, phi) : NULL;
    int64_t step;
    if (s && tsr_scev_kind(s) == TSR_SCEV_ADDREC && tsr_scev_n_operand(s) == 2 &&
        tsr_scev_constant(tsr_scev_operand(s, 1), &step) && (!least || llabs(step) < least))
      least = llabs(step);
  }
  return least ? least : 1;
}

/* How many loops are around an iteration of ATOM's; 0: it isn't the counter of one */
static int depth_of(struct tsr_model *m, int atom)
{
  int depth = 0;
  for (tsr_loop loop = m->atoms[atom].kind == TSR_ATOM_DIM ? m->atoms[atom].loop : NULL; loop; loop = tsr_loop_parent(loop))
    depth++;
  return depth;
}

int tsr_candidates_collect(struct tsr_model *m, int array, struct candidate *list, bool raw)
{
  int n = 0;
  for (int i = 0; i < m->n_access; i++) {
    struct tsr_poly *p = m->access[i].offset;
    if (m->access[i].array != array || !p)
      continue;
    for (int atom = 0; atom < m->n_atom; atom++)
      if (tsr_atom_is_counter(m, atom)) {
        struct tsr_poly *stride = stride_of(p, atom);
        bool invariant = stride != NULL;
        for (int t = 0; stride && t < stride->n; t++)
          for (int k = 0; k < stride->term[t].degree; k++)
            invariant &= !tsr_atom_is_counter(m, stride->term[t].atom[k]);
        if (invariant)
          vote(list, &n, stride, step_of(m, atom), depth_of(m, atom), raw);
        else
          tsr_poly_free(stride);
      }
    for (int t = 0; t < p->n; t++)
      vote(list, &n, parameter_part(m, &p->term[t], raw), 0, 0, raw);
  }
  qsort(list, n, sizeof(*list), by_votes);
  return n;
}

/* Is A smaller than B as a product of sizes? */
static bool smaller(const struct tsr_poly *a, const struct tsr_poly *b)
{
  int64_t x, y;
  if (tsr_poly_degree(a) != tsr_poly_degree(b))
    return tsr_poly_degree(a) < tsr_poly_degree(b);
  if (tsr_poly_is_const(a, &x) && tsr_poly_is_const(b, &y))
    return x < y;
  return a->n < b->n;
}

struct tsr_poly *tsr_size_ratio(const struct tsr_poly *b, const struct tsr_poly *a)
{
  struct tsr_poly *q, *r;
  if (!tsr_poly_divide(tsr_poly_copy(b), a, &q, &r))
    return NULL;
  int64_t rest;
  bool exact = tsr_poly_is_const(r, &rest) && rest == 0;
  tsr_poly_free(r);
  return exact ? q : tsr_poly_free(q);
}

void tsr_candidates_add_parts(struct tsr_model *m, int array, struct candidate *list, int *n)
{
  int n_stride = 0;
  for (int i = 0; i < *n; i++)
    if (list[i].depth)
      list[n_stride++] = list[i];
    else
      tsr_poly_free(list[i].size);
  *n = n_stride;
  for (int i = 0; i < m->n_access; i++) {
    const struct tsr_poly *p = m->access[i].array == array ? m->access[i].offset : NULL;
    for (int t = 0; p && t < p->n && *n < TSR_MAX_CANDIDATES; t++) {
      struct tsr_term one = p->term[t];
      bool counter = false;
      int depth = 0; /* of what it is a part of */
      for (int k = 0; k < one.degree; k++)
        counter |= tsr_atom_is_counter(m, one.atom[k]);
      one.coef = 1;
      struct tsr_poly *size = counter || one.degree == 0 ? NULL : tsr_poly_term(&one);
      for (int k = 0; k < *n && size; k++) {
        struct tsr_poly *times = tsr_size_ratio(list[k].size, size);
        bool same = tsr_poly_equal(list[k].size, size);
        depth = times ? list[k].depth : depth;
        tsr_poly_free(times);
        size = same ? tsr_poly_free(size) : size;
      }
      if (size && depth)
        list[(*n)++] = (struct candidate){.size = size, .votes = 1, .depth = depth};
      else
        tsr_poly_free(size);
    }
  }
}

/* Insert SIZE if the chain stays one of multiples with affine ratios. */
static void chain_insert(struct chain *c, const struct tsr_poly *size)
{
  int at = 0;
  while (at < c->n && smaller(size, c->product[at]))
    at++;
  for (int side = 0; side < 2; side++) {
    const struct tsr_poly *big = side ? size : at ? c->product[at - 1] : NULL;
    const struct tsr_poly *small = side ? (at < c->n ? c->product[at] : NULL) : size;
    struct tsr_poly *q = big && small ? tsr_size_ratio(big, small) : NULL;
    bool ok = !big || !small || (q && tsr_poly_degree(q) <= 1);
    tsr_poly_free(q);
    if (!ok)
      return;
  }
  if (at == c->n && tsr_poly_degree(size) > 1)
    return; /* the innermost size must be affine */
  memmove(&c->product[at + 1], &c->product[at], (c->n - at) * sizeof(*c->product));
  c->product[at] = tsr_poly_copy(size);
  c->n++;
}

struct tsr_poly *tsr_chain_size(const struct chain *c, int level)
{
  if (c->ratio[level])
    return tsr_poly_copy(c->ratio[level]);
  return level + 1 < c->n ? tsr_size_ratio(c->product[level], c->product[level + 1]) : tsr_poly_copy(c->product[level]);
}

void tsr_chain_make(struct chain *c, const struct candidate *list, int n, int try)
{
  *c = (struct chain){0};
  if (try == 2 * n)
    return;
  chain_insert(c, list[try % n].size);
  for (int i = 0; try < n && i < n; i++)
    if (i != try)
      chain_insert(c, list[i].size);
}

/* Is stride A the larger one? A multiple is; else that of the outer loop. */
static bool is_outer(const struct candidate *a, const struct candidate *b)
{
  struct tsr_poly *up = tsr_size_ratio(a->size, b->size), *down = tsr_size_ratio(b->size, a->size);
  bool outer = up || (!down && a->depth && a->depth < b->depth);
  tsr_poly_free(up);
  tsr_poly_free(down);
  return outer;
}

void tsr_chain_make_loose(struct chain *c, const struct candidate *list, int n)
{
  int order[TSR_MAX_CANDIDATES];
  *c = (struct chain){0};
  for (int i = 0; i < n; i++) {
    int at = 0;
    if (tsr_poly_degree(list[i].size) == 0)
      continue;
    while (at < c->n && !is_outer(&list[i], &list[order[at]]))
      at++;
    memmove(&order[at + 1], &order[at], (c->n++ - at) * sizeof(*order));
    order[at] = i;
  }
  for (int i = 0; i < c->n; i++)
    c->product[i] = tsr_poly_copy(list[order[i]].size);
}

bool tsr_chain_find_ratios(struct tsr_model *m, struct chain *c)
{
  bool any = false;
  for (int i = 0; i + 1 < c->n; i++) {
    struct tsr_poly *exact = tsr_size_ratio(c->product[i], c->product[i + 1]);
    bool affine = exact && tsr_poly_degree(exact) <= 1;
    tsr_poly_free(exact);
    if (affine)
      continue;
    if (!tsr_poly_is_short(c->product[i]) || !tsr_poly_is_short(c->product[i + 1]))
      return false;
    c->ratio[i] = tsr_poly_atom(tsr_atom_ratio(m, c->product[i], c->product[i + 1]));
    any = true;
  }
  return any && tsr_poly_degree(c->product[c->n - 1]) <= 1;
}

void tsr_row_chain_clear(struct chain *c)
{
  for (int i = 0; i < c->n; i++) {
    tsr_poly_free(c->product[i]);
    tsr_poly_free(c->ratio[i]);
  }
  c->n = 0;
}

void tsr_candidate_divide(struct candidate *list, int *n, int at, int64_t step)
{
  struct candidate one = list[at];
  int64_t value;
  list[at] = list[--*n];
  one.size = tsr_poly_divide_exact(one.size, step);
  bool is_size = one.size && !(tsr_poly_is_const(one.size, &value) && value <= 1);
  for (int i = 0; i < *n && is_size; i++)
    is_size = !tsr_poly_equal(list[i].size, one.size);
  one.step = 1;
  if (is_size)
    list[(*n)++] = one;
  else
    tsr_poly_free(one.size);
}
