/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of a number that are written one by one, behind all that is read:
 *
 *   t = a[i + k*n], c[i].re = .. t.re .. t.im, c[i].im = .. t.im .. t.re
 *
 * are statements of their own if what is read for the second isn't what the first one writes: another part of one number is
 * that, by its address; what is elsewhere in the array, b[i][k] where b[i][j] is written, is taken for that, until the
 * accesses of the model are known: where it isn't, the model is made again, with such statements as one. */
#include "read/control/control.h"
#include <isl/map.h>
#include <isl/set.h>
#include <stdlib.h>

#define MOST_BYTES 32 /* between parts of a number: four of 8 bytes, as far apart as lanes of register tiles may be */

/* The address of ACCESS, a load or store, and how many bytes there are; false: it is another access, or nothing is known. */
static bool place_of(struct tsr_model *m, LLVMValueRef access, tsr_scev *place, int64_t *size)
{
  bool load = LLVMIsALoadInst(access), store = LLVMIsAStoreInst(access);
  *place = load || store ? tsr_scev_of(m->a, LLVMGetOperand(access, store)) : NULL;
  *size = *place ? (int64_t)tsr_type_store_size(m->module, LLVMTypeOf(load ? access : LLVMGetOperand(access, 0))) : 0;
  return *place;
}

bool tsr_are_parts(struct tsr_model *m, LLVMValueRef store, LLVMValueRef other)
{
  tsr_scev place[2];
  int64_t size[2], bytes;
  return place_of(m, store, &place[0], &size[0]) && place_of(m, other, &place[1], &size[1]) &&
         tsr_scev_difference(m->a, place[0], place[1], &bytes) && bytes != 0 && llabs(bytes) <= MOST_BYTES;
}

/* LOAD and STORE are taken for accesses to different elements. */
static void note(struct tsr_model *m, LLVMValueRef load, LLVMValueRef store)
{
  for (int i = 0; i < m->n_parting; i++)
    if (m->parting[i].load == load && m->parting[i].store == store)
      return;
  m->parting = realloc(m->parting, (m->n_parting + 1) * sizeof(*m->parting));
  m->parting[m->n_parting++] = (struct tsr_parting){load, store};
}

bool tsr_parts_may_meet(struct tsr_model *m, LLVMValueRef load, LLVMValueRef store)
{
  tsr_scev place[2];
  int64_t size[2], bytes;
  if (!place_of(m, load, &place[0], &size[0]) || !place_of(m, store, &place[1], &size[1]))
    return true;
  if (tsr_scev_difference(m->a, place[0], place[1], &bytes))
    return bytes < size[1] && bytes > -size[0];
  if (m->together)
    return true;
  note(m, load, store);
  return false;
}

/* The access of INST; NULL: the model has none, or one at an unknown place. */
static struct tsr_raw_access *access_of(struct tsr_model *m, LLVMValueRef inst)
{
  for (int i = 0; i < m->n_access; i++)
    if (m->access[i].inst == inst && m->access[i].stmt >= 0)
      return m->access[i].index && m->access[i].offset ? &m->access[i] : NULL;
  return NULL;
}

bool tsr_parts_hold(struct tsr_model *m)
{
  bool hold = true;
  for (int i = 0; i < m->n_parting && hold; i++) {
    struct tsr_raw_access *load = access_of(m, m->parting[i].load), *store = access_of(m, m->parting[i].store);
    hold = load && store;
    if (!hold || load->array != store->array)
      continue;
    isl_map *both = isl_map_intersect(tsr_model_element(m, load->stmt, load), tsr_model_element(m, store->stmt, store));
    isl_set *where = isl_set_reset_tuple_id(isl_set_copy(m->scop->stmts[store->stmt].domain));
    both = isl_map_intersect_domain(both, where);
    both = isl_map_intersect_params(both, isl_set_copy(m->scop->assumed));
    hold = isl_map_is_empty(both) == isl_bool_true;
    isl_map_free(both);
  }
  return hold;
}
