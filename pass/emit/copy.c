/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One instance of a statement: load its scalars, copy its instructions, store its scalars.
 *
 * An operand of a copied instruction is, in this order: invariant; a copy made before or a scalar just loaded; the only
 * value of a one-armed phi; computed anew from counters (tsr_can_remat). An instance runs exactly where the original did, so
 * flags such as nsw and inbounds stay true; what is said about iterations (access groups, alias scopes) doesn't. */
#include "pass.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>

struct copy {
  struct tsr_emit *e;
  struct tsr_stmt_info *s;
  LLVMValueRef *counters;
  struct {
    LLVMValueRef from, to;
  } *map;
  int n;
};

static void bind(struct copy *c, LLVMValueRef from, LLVMValueRef to)
{
  c->map = realloc(c->map, (c->n + 1) * sizeof(*c->map));
  c->map[c->n].from = from;
  c->map[c->n++].to = to;
}

static LLVMValueRef resolve(struct copy *c, LLVMValueRef value);

/* start + step * counter, or start + step * by * counter */
static LLVMValueRef counter_value(struct copy *c, LLVMValueRef phi)
{
  struct tsr_emit *e = c->e;
  LLVMValueRef start = NULL, by = NULL, count = NULL;
  int64_t step = 0;
  tsr_phi_is_counter(e->m, phi, &start, &step, &by);
  tsr_loop loop = tsr_loop_for(e->m->a, LLVMGetInstructionParent(phi));
  for (int i = 0; i < c->s->n_loop; i++)
    if (c->s->loops[i] == loop)
      count = c->counters[i];
  start = resolve(c, start);
  LLVMTypeRef type = LLVMTypeOf(phi);
  bool pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
  LLVMTypeRef number = pointer ? e->i64 : type;
  if (LLVMGetIntTypeWidth(number) < 64)
    count = LLVMBuildTrunc(e->b, count, number, "");
  LLVMValueRef scale = LLVMConstInt(number, (uint64_t)step, true);
  if (by)
    scale = LLVMBuildMul(e->b, LLVMBuildIntCast2(e->b, by, number, true, ""), scale, "");
  LLVMValueRef offset = LLVMBuildMul(e->b, count, scale, "");
  if (pointer)
    return LLVMBuildGEP2(e->b, LLVMInt8TypeInContext(e->llvm), start, &offset, 1, "");
  return LLVMBuildAdd(e->b, start, offset, "");
}

static LLVMValueRef copy_inst(struct copy *c, LLVMValueRef inst)
{
  static const char *const stale[] = {"alias.scope", "noalias", "llvm.access.group", "llvm.mem.parallel_loop_access",
                                      "DIAssignID"};
  LLVMValueRef copy = tsr_clone_inst(inst, true);
  int n = LLVMGetNumOperands(inst);
  for (int i = 0; i < n; i++)
    LLVMSetOperand(copy, i, resolve(c, LLVMGetOperand(inst, i)));
  for (size_t i = 0; i < sizeof(stale) / sizeof(*stale); i++)
    tsr_set_metadata(copy, stale[i], NULL);
  LLVMInsertIntoBuilder(c->e->b, copy);
  if (tsr_inst_location(inst)) /* the builder has set its own */
    LLVMInstructionSetDebugLoc(copy, tsr_inst_location(inst));
  return copy;
}

static LLVMValueRef resolve(struct copy *c, LLVMValueRef value)
{
  struct tsr_model *m = c->e->m;
  if (!LLVMIsAInstruction(value))
    return value;
  for (int i = 0; i < c->n; i++)
    if (c->map[i].from == value)
      return c->map[i].to;
  if (!tsr_model_in_region(m, value))
    return value;
  LLVMValueRef result;
  LLVMValueRef start, by;
  int64_t step;
  if (!LLVMIsAPHINode(value))
    result = copy_inst(c, value);
  else if (tsr_phi_is_counter(m, value, &start, &step, &by))
    result = counter_value(c, value);
  else
    result = resolve(c, LLVMGetIncomingValue(value, 0));
  bind(c, value, result);
  return result;
}

/* Alias scopes and the access group of the loop around, for a copied load or store. */
static void annotate(struct tsr_emit *e, LLVMValueRef from, LLVMValueRef copy)
{
  for (int i = 0; i < e->m->n_access; i++) {
    if (e->m->access[i].inst != from)
      continue;
    int array = e->m->access[i].array;
    if (e->scope[array]) {
      tsr_set_metadata(copy, "alias.scope", e->scope[array]);
      if (e->noalias[array])
        tsr_set_metadata(copy, "noalias", e->noalias[array]);
    }
    if (e->access_group)
      tsr_set_metadata(copy, "llvm.access.group", e->access_group);
    return;
  }
}

void tsr_emit_stmt(struct tsr_emit *e, int stmt, LLVMValueRef *counters)
{
  struct tsr_model *m = e->m;
  struct copy c = {.e = e, .s = &m->stmts[stmt], .counters = counters};
  for (int i = 0; i < c.s->n_read; i++) {
    struct tsr_array_info *a = &m->arrays[c.s->read[i]];
    bind(&c, a->origin, LLVMBuildLoad2(e->b, LLVMTypeOf(a->origin), a->slot, ""));
  }
  for (int i = 0; i < c.s->n_inst; i++) {
    LLVMValueRef inst = c.s->inst[i], copy = copy_inst(&c, inst);
    bind(&c, inst, copy);
    if (LLVMIsALoadInst(inst) || LLVMIsAStoreInst(inst))
      annotate(e, inst, copy);
  }
  LLVMValueRef *value = malloc((c.s->n_write + 1) * sizeof(*value));
  for (int i = 0; i < c.s->n_write; i++)
    value[i] = resolve(&c, c.s->write[i].value);
  for (int i = 0; i < c.s->n_write; i++)
    LLVMBuildStore(e->b, value[i], m->arrays[c.s->write[i].array].slot);
  free(value);
  free(c.map);
}
