/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The atoms that polynomials are made of: parameters, loop counters and quasi-affine expressions, each once, with a name;
 * and polynomials of degree 1 as isl has them.
 *
 * Loop counters are isl parameters here ("i0", "i1", ...) until memory/element_maps.c turns them into dimensions. */
#include "read/values/values.h"
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

isl_set *tsr_params_universe(struct tsr_model *m)
{
  return isl_set_universe(isl_space_params_alloc(m->ctx, 0));
}

int tsr_atom_new(struct tsr_model *m, struct tsr_atom atom)
{
  m->atoms = realloc(m->atoms, (m->n_atom + 1) * sizeof(*m->atoms));
  m->atoms[m->n_atom] = atom;
  return m->n_atom++;
}

/* Is NAME that of an atom? */
static bool name_is_taken(struct tsr_model *m, const char *name)
{
  for (int i = 0; i < m->n_atom; i++)
    if (m->atoms[i].name && !strcmp(m->atoms[i].name, name))
      return true;
  return false;
}

char *tsr_atom_name(struct tsr_model *m, LLVMValueRef value, const char *stem)
{
  char name[40];
  const struct tsr_invariant *item = tsr_invariant_of(m->invariants, value);
  char *source = item ? (item->name ? strdup(item->name) : NULL) : value ? tsr_source_name(value) : NULL;
  if (!source && value && LLVMIsAICmpInst(value)) /* a flag goes by the name of what is compared */
    source = tsr_source_name(LLVMGetOperand(value, 0));
  snprintf(name, sizeof(name), "%.24s", source ? source : stem);
  free(source);
  for (char *c = name; *c; c++)
    if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_' || (c > name && *c >= '0' && *c <= '9')))
      *c = '_';
  /* counters are i0, i1, ..; isl's own iterators c0, c1, ..: keep away from both */
  bool clash = !strcmp(name, stem) || !tsr_name_is_valid(name) ||
               ((*name == 'i' || *name == 'c') && name[1] >= '0' && name[1] <= '9');
  char *result = malloc(64);
  snprintf(result, 64, clash ? "%s_%d" : "%s", name, m->n_atom);
  if (!clash && name_is_taken(m, result))
    snprintf(result, 64, "%s_%d", name, m->n_atom);
  return result;
}

int tsr_atom_param(struct tsr_model *m, LLVMValueRef value)
{
  for (int i = 0; i < m->n_atom; i++)
    if (m->atoms[i].kind == TSR_ATOM_PARAM && m->atoms[i].value == value)
      return i;
  return tsr_atom_new(m, (struct tsr_atom){.kind = TSR_ATOM_PARAM, .value = value, .name = tsr_atom_name(m, value, "p")});
}

int tsr_atom_product(struct tsr_model *m, int a, int b)
{
  for (int i = 0; i < m->n_atom; i++)
    if (m->atoms[i].kind == TSR_ATOM_PARAM && !m->atoms[i].value && !m->atoms[i].pointer[0] && !m->atoms[i].divisor &&
        !m->atoms[i].scev && !m->atoms[i].over[0] && m->atoms[i].factor[0] == a && m->atoms[i].factor[1] == b)
      return i;
  return tsr_atom_new(
      m, (struct tsr_atom){.kind = TSR_ATOM_PARAM, .factor = {a, b}, .name = tsr_atom_name(m, NULL, "product")});
}

int tsr_atom_quotient(struct tsr_model *m, int atom, int divisor)
{
  for (int i = 0; i < m->n_atom; i++)
    if (m->atoms[i].kind == TSR_ATOM_PARAM && m->atoms[i].divisor == divisor && m->atoms[i].factor[0] == atom)
      return i;
  return tsr_atom_new(
      m, (struct tsr_atom){
             .kind = TSR_ATOM_PARAM, .divisor = divisor, .factor = {atom}, .name = tsr_atom_name(m, NULL, "stride")});
}

bool tsr_poly_is_short(const struct tsr_poly *p)
{
  bool is = p->n <= 2;
  for (int t = 0; t < p->n; t++) /* a parameter is below 2^31 in magnitude */
    is &= p->term[t].degree < 2 ? p->term[t].coef > -TSR_MAX_COEF && p->term[t].coef < TSR_MAX_COEF
                                : p->term[t].degree == 2 && p->term[t].coef == 1;
  return is;
}

int tsr_atom_ratio(struct tsr_model *m, const struct tsr_poly *a, const struct tsr_poly *b)
{
  for (int i = 0; i < m->n_atom; i++)
    if (m->atoms[i].over[0] && tsr_poly_equal(m->atoms[i].over[0], a) && tsr_poly_equal(m->atoms[i].over[1], b))
      return i;
  return tsr_atom_new(m, (struct tsr_atom){.kind = TSR_ATOM_PARAM,
                                           .over = {tsr_poly_copy(a), tsr_poly_copy(b)},
                                           .name = tsr_atom_name(m, NULL, "rows")});
}

int tsr_atom_distance(struct tsr_model *m, LLVMValueRef a, LLVMValueRef b)
{
  for (int i = 0; i < m->n_atom; i++)
    if (m->atoms[i].kind == TSR_ATOM_PARAM && m->atoms[i].pointer[0] == a && m->atoms[i].pointer[1] == b)
      return i;
  return tsr_atom_new(m,
                      (struct tsr_atom){.kind = TSR_ATOM_PARAM, .pointer = {a, b}, .name = tsr_atom_name(m, NULL, "bytes")});
}

int tsr_atom_dim(struct tsr_model *m, tsr_loop loop)
{
  for (int i = 0; i < m->n_atom; i++)
    if (m->atoms[i].kind == TSR_ATOM_DIM && m->atoms[i].loop == loop)
      return i;
  char *name = malloc(16);
  snprintf(name, 16, "i%d", m->n_atom);
  return tsr_atom_new(m, (struct tsr_atom){.kind = TSR_ATOM_DIM, .loop = loop, .name = name});
}

const char *tsr_dim_name(struct tsr_model *m, tsr_loop loop)
{
  int atom = tsr_atom_dim(m, loop); /* may move the table */
  return m->atoms[atom].name;
}

isl_pw_aff *tsr_pw_aff_const(struct tsr_model *m, int64_t value)
{
  return isl_pw_aff_val_on_domain(tsr_params_universe(m), isl_val_int_from_si(m->ctx, value));
}

/* ATOM as isl has it */
static isl_pw_aff *atom_to_pw_aff(struct tsr_model *m, int atom)
{
  struct tsr_atom *at = &m->atoms[atom];
  if (at->kind == TSR_ATOM_EXPR)
    return isl_pw_aff_copy(at->expr);
  isl_id *id = isl_id_alloc(m->ctx, at->name, NULL);
  isl_space *space = isl_space_add_param_id(isl_space_params_alloc(m->ctx, 0), isl_id_copy(id));
  return isl_pw_aff_from_aff(isl_aff_param_on_domain_space_id(space, id));
}

/* Has P, of degree 1, an atom that is an expression with pieces? */
static bool has_expr(struct tsr_model *m, const struct tsr_poly *p)
{
  for (int i = 0; i < p->n; i++)
    if (p->term[i].degree && m->atoms[p->term[i].atom[0]].kind == TSR_ATOM_EXPR)
      return true;
  return false;
}

/* P, of degree 1, without such an atom: one piece. Its parameters are in the order that isl_pw_aff_add gives them. */
static isl_pw_aff *linear_to_pw_aff(struct tsr_model *m, const struct tsr_poly *p)
{
  isl_space *space = isl_space_params_alloc(m->ctx, 0);
  for (int i = p->n - 1; i >= 0; i--)
    if (p->term[i].degree)
      space = isl_space_add_param_id(space, isl_id_alloc(m->ctx, m->atoms[p->term[i].atom[0]].name, NULL));
  isl_aff *sum = isl_aff_zero_on_domain_space(space);
  for (int i = p->n - 1, pos = 0; i >= 0; i--) {
    isl_val *coef = isl_val_int_from_si(m->ctx, p->term[i].coef);
    sum = p->term[i].degree ? isl_aff_set_coefficient_val(sum, isl_dim_param, pos++, coef)
                            : isl_aff_set_constant_val(sum, coef);
  }
  return isl_pw_aff_from_aff(sum);
}

isl_pw_aff *tsr_poly_to_pw_aff(struct tsr_model *m, const struct tsr_poly *p)
{
  if (!p || tsr_poly_degree(p) > 1)
    return NULL;
  if (!has_expr(m, p))
    return linear_to_pw_aff(m, p);
  isl_pw_aff *sum = tsr_pw_aff_const(m, 0);
  for (int i = 0; i < p->n; i++) {
    isl_pw_aff *t = tsr_pw_aff_const(m, p->term[i].coef);
    if (p->term[i].degree)
      t = isl_pw_aff_mul(t, atom_to_pw_aff(m, p->term[i].atom[0]));
    sum = isl_pw_aff_add(sum, t);
  }
  return sum;
}

bool tsr_atom_is_counter(struct tsr_model *m, int atom)
{
  return m->atoms[atom].kind != TSR_ATOM_PARAM;
}
