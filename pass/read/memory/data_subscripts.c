/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Subscripts that data says, beside others that are affine:
 *
 *   k = pick[i][j], from 0 to 6;  .. = a[k][i][j]     a may be read at [x][i][j], 0 <= x <= 6
 *
 * Such an access is one to an unknown element (raw_accesses.c), for all who need to know its address. Its offset has the
 * data as an atom; where the array's other accesses show how it is divided into rows, and that is part of the outermost
 * subscript alone, the relation has the others exactly. Nothing is assumed for that. */
#include "read/memory/subscripts.h"
#include <isl/val.h>
#include <stdlib.h>

#define MAX_DEPTH 12

/* The atom of P that is data; -1: none, or several. */
static int data_atom(struct tsr_model *m, const struct tsr_poly *p)
{
  int found = -1;
  for (int t = 0; t < p->n; t++)
    for (int k = 0; k < p->term[t].degree; k++) {
      int atom = p->term[t].atom[k];
      if (m->atoms[atom].kind != TSR_ATOM_DATA)
        continue;
      if (found >= 0 && found != atom)
        return -1;
      found = atom;
    }
  return found;
}

/* Are A and B the same number, of whatever width? One that is masked, as k & 3, is that of a narrow type, extended. */
static bool is_same_number(tsr_scev a, tsr_scev b)
{
  return a == b || (tsr_scev_kind(a) == TSR_SCEV_ZEXT && tsr_scev_kind(b) == TSR_SCEV_ZEXT &&
                    tsr_scev_operand(a, 0) == tsr_scev_operand(b, 0));
}

/* What VALUE is computed from, or itself, that scalar evolution takes for S in LOOP; NULL: nothing. */
static LLVMValueRef find_value(struct tsr_model *m, LLVMValueRef value, tsr_scev s, tsr_loop loop, int depth)
{
  LLVMValueRef found = NULL;
  if (!LLVMIsAInstruction(value) || !tsr_model_in_region(m, value) || LLVMIsAPHINode(value) || depth > MAX_DEPTH)
    return NULL;
  tsr_scev own = LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind ? tsr_scev_at(m->a, value, loop) : NULL;
  if (own && is_same_number(own, s))
    return value;
  for (int i = 0; i < LLVMGetNumOperands(value) && !found && !LLVMIsALoadInst(value); i++)
    found = find_value(m, LLVMGetOperand(value, i), s, loop, depth + 1);
  return found;
}

void tsr_data_offset_find(struct tsr_model *m, struct tsr_raw_access *access, LLVMValueRef pointer, tsr_loop loop)
{
  isl_set *saved = isl_set_copy(m->violated);
  m->take_data = true;
  struct tsr_poly *p = tsr_pointer_poly(m, pointer, m->stmts[access->stmt].domain, loop);
  m->take_data = false;
  int atom = p ? data_atom(m, p) : -1;
  LLVMValueRef value = atom < 0 ? NULL : find_value(m, pointer, m->atoms[atom].scev, loop, 0);
  if (value && tsr_violated_is(m, saved)) {
    access->data = p;
    access->data_value = value;
    access->data_first = m->atoms[atom].first;
  } else {
    tsr_poly_free(p);
  }
  isl_set_free(m->violated);
  m->violated = saved;
  tsr_model_retry(m);
}

bool tsr_data_is_outermost(struct tsr_model *m, const struct tsr_raw_access *access, int n_dim)
{
  int atom = data_atom(m, access->index[0]);
  bool good = atom >= 0;
  for (int t = 0; t < access->index[0]->n && good; t++) {
    const struct tsr_term *term = &access->index[0]->term[t];
    good = term->degree == 0 || term->atom[0] != atom || term->coef == 1;
  }
  for (int d = 1; d < n_dim && good; d++)
    good = data_atom(m, access->index[d]) < 0;
  return good;
}

isl_map *tsr_data_map(struct tsr_model *m, const struct tsr_stmt_info *s, const struct tsr_raw_access *access)
{
  const struct tsr_array_info *a = &m->arrays[access->array];
  const struct tsr_atom *atom = &m->atoms[data_atom(m, access->index[0])];
  isl_map *map = tsr_subscript_map(m, s, access->index, a->n_dim, a->name);
  int pos = isl_map_find_dim_by_name(map, isl_dim_param, atom->name);
  map = isl_map_lower_bound_val(map, isl_dim_param, pos, isl_val_int_from_si(m->ctx, atom->first));
  map = isl_map_upper_bound_val(map, isl_dim_param, pos, isl_val_int_from_si(m->ctx, atom->last));
  return isl_map_coalesce(isl_map_project_out(map, isl_dim_param, pos, 1));
}
