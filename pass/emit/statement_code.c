/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One instance of a statement: load its scalars, copy its instructions, store its scalars. One with inner blocks is a copy
 * of that part of the control flow, with all its branches; scalars are stored at the ends of the blocks that lead out.
 *
 * An operand of a copied instruction is, in this order: invariant; a copy made before or a scalar just loaded; the only
 * value of a one-armed phi; computed anew from counters (tsr_can_remat). An instance runs exactly where the original did, so
 * flags such as nsw and inbounds stay true; what is said about iterations (access groups, alias scopes) doesn't. Where
 * updates of a reduction have changed places, partial results aren't those of the original: what is said about them goes,
 * too. */
#include "emit/buffer/array_buffers.h"
#include "emit/buffer/buffer.h"
#include "emit/gpu/gpu.h"
#include "emit/statement_code.h"
#include "emit/threads/threads.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>

void tsr_copy_bind(struct tsr_binding **map, int *n, LLVMValueRef from, LLVMValueRef to)
{
  *map = realloc(*map, (*n + 1) * sizeof(**map));
  (*map)[*n].from = from;
  (*map)[(*n)++].to = to;
}

/* The number of the iteration of PHI's loop, BACK iterations ago */
static LLVMValueRef count_before(struct tsr_copy *c, LLVMValueRef phi, int back)
{
  LLVMValueRef count = NULL;
  tsr_loop loop = tsr_loop_for(c->e->m->a, LLVMGetInstructionParent(phi));
  for (int i = 0; i < c->s->n_loop; i++)
    if (c->s->loops[i] == loop)
      count = c->counters[i];
  return back ? LLVMBuildSub(c->e->b, count, tsr_emit_number(c->e, back), "") : count;
}

/* start + step * counter, BACK iterations ago; of a narrower type, extended */
static LLVMValueRef counter_value(struct tsr_copy *c, LLVMValueRef phi, int back)
{
  struct tsr_emit *e = c->e;
  LLVMValueRef start = NULL, count = count_before(c, phi, back);
  tsr_scev step = NULL;
  tsr_phi_is_counter(e->m, phi, &start, &step);
  start = tsr_copy_resolve(c, start);
  LLVMTypeRef type = LLVMTypeOf(phi);
  bool pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
  LLVMTypeRef number = pointer ? e->i64 : type;
  if (LLVMGetIntTypeWidth(number) < 64)
    count = LLVMBuildTrunc(e->b, count, number, "");
  LLVMValueRef scale = LLVMBuildIntCast2(e->b, tsr_emit_scev(e, step), number, true, "");
  LLVMValueRef offset = LLVMBuildMul(e->b, count, scale, "");
  if (pointer)
    return LLVMBuildGEP2(e->b, LLVMInt8TypeInContext(e->llvm), start, &offset, 1, "");
  LLVMValueRef value = LLVMBuildAdd(e->b, start, offset, "");
  bool is_signed;
  unsigned bits = tsr_counter_bits(e->m, phi, &is_signed);
  if (!bits)
    return value;
  value = LLVMBuildTrunc(e->b, value, LLVMIntTypeInContext(e->llvm, bits), "");
  return LLVMBuildIntCast2(e->b, value, type, is_signed, "");
}

/* What VALUE, counted (tsr_is_counted), was BACK iterations ago */
static LLVMValueRef counted_before(struct tsr_copy *c, LLVMValueRef value, int back)
{
  if (!tsr_model_in_region(c->e->m, value))
    return value;
  if (LLVMIsAPHINode(value))
    return counter_value(c, value, back);
  LLVMValueRef copy = tsr_clone_inst(value, false);
  for (int i = 0; i < LLVMGetNumOperands(value); i++)
    LLVMSetOperand(copy, (unsigned)i, counted_before(c, LLVMGetOperand(value, (unsigned)i), back));
  LLVMInsertIntoBuilder(c->e->b, copy);
  return copy;
}

/* What VALUE, late or counted, was BACK iterations ago */
static LLVMValueRef value_before(struct tsr_copy *c, LLVMValueRef value, int back)
{
  LLVMValueRef start, before;
  if (!tsr_phi_is_late(c->e->m, value, &start, &before))
    return counted_before(c, value, back);
  LLVMValueRef count = count_before(c, value, back), then = value_before(c, before, back + 1);
  LLVMValueRef first = LLVMBuildICmp(c->e->b, LLVMIntEQ, count, tsr_emit_number(c->e, 0), "");
  return LLVMBuildSelect(c->e->b, first, tsr_copy_resolve(c, start), then, "");
}

/* start + step * counter as a floating-point number of PHI's type; nothing is rounded */
static LLVMValueRef sum_value(struct tsr_copy *c, LLVMValueRef phi, const struct tsr_exact_sum *sum)
{
  LLVMTypeRef type = LLVMTypeOf(phi);
  LLVMValueRef count = count_before(c, phi, 0);
  if (sum->most <= INT32_MAX) /* of which all targets have vectors */
    count = LLVMBuildTrunc(c->e->b, count, LLVMInt32TypeInContext(c->e->llvm), "");
  count = LLVMBuildSIToFP(c->e->b, count, type, "");
  LLVMValueRef way = LLVMBuildFMul(c->e->b, count, LLVMConstReal(type, sum->step), "");
  return LLVMBuildFAdd(c->e->b, way, LLVMConstReal(type, sum->start), "");
}

/* PHI, whose value is known from counters, or is the only one that comes in */
static LLVMValueRef phi_value(struct tsr_copy *c, LLVMValueRef phi)
{
  LLVMValueRef start, before;
  tsr_scev step;
  struct tsr_exact_sum sum;
  if (tsr_phi_is_counter(c->e->m, phi, &start, &step))
    return counter_value(c, phi, 0);
  if (tsr_phi_is_late(c->e->m, phi, &start, &before))
    return value_before(c, phi, 0);
  if (tsr_phi_is_sum(c->e->m, phi, &sum))
    return sum_value(c, phi, &sum);
  return tsr_copy_resolve(c, LLVMGetIncomingValue(phi, 0));
}

LLVMValueRef tsr_copy_buffer(struct tsr_copy *c, LLVMValueRef inst, bool reads, unsigned *alignment)
{
  int64_t first;
  LLVMValueRef data = tsr_emit_place_data(c->e, inst, reads, &first), more = NULL;
  if (data) {
    more = LLVMBuildIntCast2(c->e->b, tsr_copy_resolve(c, data), c->e->i64, true, "");
    more = LLVMBuildNSWSub(c->e->b, more, tsr_emit_number(c->e, first), "");
  }
  return tsr_emit_placed_element(c->e, inst, reads, more, alignment);
}

#define MAX_COUNTED_DEPTH 6

/* Is VALUE made of counters and constants alone, and so constant in a loop that is unrolled? */
static bool is_counted(struct tsr_model *m, LLVMValueRef value, int depth)
{
  LLVMValueRef start;
  tsr_scev step;
  if (LLVMIsConstant(value))
    return true;
  if (!LLVMIsAInstruction(value) || !tsr_model_in_region(m, value) || depth > MAX_COUNTED_DEPTH)
    return false;
  if (LLVMIsAPHINode(value))
    return tsr_phi_is_counter(m, value, &start, &step);
  bool counted = !LLVMIsALoadInst(value) && !LLVMIsACallInst(value);
  for (int i = 0; i < LLVMGetNumOperands(value) && counted; i++)
    counted = is_counted(m, LLVMGetOperand(value, i), depth + 1);
  return counted;
}

/* COPY, of INST, where that is a * b + c in one step or two, as the target likes: in one where it can be one. LLVM makes two
 * of it where a and b are constants, as in a loop that is unrolled here and isn't there, and results would differ in their
 * last bit. */
static void settle_fusion(struct tsr_copy *c, LLVMValueRef copy, LLVMValueRef inst)
{
  if (tsr_is_fmuladd(inst) && is_counted(c->e->m, LLVMGetOperand(inst, 0), 0) &&
      is_counted(c->e->m, LLVMGetOperand(inst, 1), 0) &&
      tsr_target_fuses(LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst))))
    tsr_fuse(copy);
}

LLVMValueRef tsr_copy_inst(struct tsr_copy *c, LLVMValueRef inst)
{
  static const char *const stale[] = {"alias.scope", "noalias", "llvm.access.group", "llvm.mem.parallel_loop_access",
                                      "DIAssignID"};
  if (c->e->gpu && c->e->gpu->kernel && tsr_gpu_is_sqrt(inst))
    return tsr_emit_device_sqrt(c->e, inst, tsr_copy_resolve(c, LLVMGetOperand(inst, 0)));
  LLVMValueRef copy = tsr_clone_inst(inst, !c->no_flags);
  int n = LLVMGetNumOperands(inst), pointer = LLVMIsALoadInst(inst) ? 0 : LLVMIsAStoreInst(inst) ? 1 : -1;
  unsigned alignment = 0;
  LLVMValueRef buffer = pointer < 0 ? NULL : tsr_copy_buffer(c, inst, pointer == 0, &alignment);
  for (int i = 0; i < n; i++)
    LLVMSetOperand(copy, i,
                   i != pointer ? tsr_copy_resolve(c, LLVMGetOperand(inst, i))
                   : buffer     ? buffer
                                : tsr_copy_pointer(c, inst));
  if (buffer) { /* what is known of the matrix's address, and of its type, says nothing of this one */
    LLVMSetAlignment(copy, alignment);
    if (c->e->program)
      tsr_set_metadata(copy, "tbaa", NULL);
  }
  for (size_t i = 0; i < sizeof(stale) / sizeof(*stale); i++)
    tsr_set_metadata(copy, stale[i], NULL);
  if (!LLVMIsASelectInst(copy)) /* a select's weights are a ratio; other profiles are counts, which the original keeps */
    tsr_set_metadata(copy, "prof", NULL);
  LLVMInsertIntoBuilder(c->e->b, copy);
  settle_fusion(c, copy, inst);
  if (tsr_inst_location(inst)) /* the builder has set its own */
    LLVMInstructionSetDebugLoc(copy, tsr_inst_location(inst));
  return copy;
}

LLVMValueRef tsr_copy_resolve(struct tsr_copy *c, LLVMValueRef value)
{
  struct tsr_model *m = c->e->m;
  value = tsr_stmt_value(c->s, value);
  if (!LLVMIsAInstruction(value))
    return value;
  for (int i = 0; i < c->n; i++)
    if (c->map[i].from == value)
      return c->map[i].to;
  for (int i = 0; i < c->n_local; i++)
    if (c->local[i].from == value)
      return c->local[i].to;
  if (!tsr_model_in_region(m, value))
    return value;
  LLVMValueRef result = LLVMIsAPHINode(value) ? phi_value(c, value) : tsr_copy_inst(c, value);
  tsr_copy_bind(&c->local, &c->n_local, value, result);
  return result;
}

LLVMValueRef tsr_copy_pointer(struct tsr_copy *c, LLVMValueRef inst)
{
  LLVMValueRef simpler = tsr_emit_simpler_pointer(c->e, inst);
  simpler = simpler ? simpler : tsr_emit_joined_pointer(c, inst);
  LLVMValueRef pointer = simpler ? simpler : tsr_copy_resolve(c, LLVMGetOperand(inst, LLVMIsALoadInst(inst) ? 0 : 1));
  return tsr_emit_device_pointer(c->e, inst, pointer);
}

/* Alias scopes and the access group of the loop around, for a copied load or store. */
void tsr_copy_annotate(struct tsr_emit *e, LLVMValueRef from, LLVMValueRef copy)
{
  for (int i = 0; i < e->m->n_access; i++) {
    if (e->m->access[i].inst != from)
      continue;
    bool reads = LLVMGetTypeKind(LLVMTypeOf(copy)) != LLVMVoidTypeKind, buffer = tsr_emit_is_placed(e, from, reads);
    int array = buffer ? e->m->n_array : e->m->access[i].array;
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

/* Does the statement at hand update an array element by a reduction that may have been reordered? */
static bool is_reordered(struct tsr_copy *c)
{
  struct tsr_model *m = c->e->m;
  struct tsr_stmt *stmt = &m->scop->stmts[c->s - m->stmts];
  bool found = false;
  for (int i = 0; i < stmt->n_access; i++)
    found = found || (stmt->access[i].reduction != TSR_RED_NONE && stmt->access[i].reassoc);
  return found && c->e->plan->deps->relaxed;
}

/* COPY, an instruction of a reordered update, sees other partial results than the original did. */
static void forget_order(LLVMValueRef copy)
{
  static const char *const stale[] = {"range", "nofpclass", "noundef"};
  if (LLVMIsALoadInst(copy)) {
    for (size_t i = 0; i < sizeof(stale) / sizeof(*stale); i++)
      tsr_set_metadata(copy, stale[i], NULL);
    return;
  }
  LLVMOpcode op = LLVMGetInstructionOpcode(copy);
  if (op == LLVMAdd || op == LLVMSub || op == LLVMMul) {
    LLVMSetNSW(copy, false);
    LLVMSetNUW(copy, false);
  }
  if (op == LLVMOr)
    LLVMSetIsDisjoint(copy, false);
  if (op == LLVMSelect)
    LLVMSetICmpSameSign(LLVMGetOperand(copy, 0), false);
  if (LLVMCanValueUseFastMathFlags(copy))
    tsr_fast_math_allow_nan_inf(copy);
}

/* VALUE of the statement, where a buffer of the instance at hand keeps it; else NULL. */
static LLVMValueRef kept_value(struct tsr_copy *c, LLVMValueRef value)
{
  unsigned alignment;
  int place = tsr_emit_place_with_value(c->e, value);
  if (place < 0)
    return NULL;
  LLVMValueRef pointer = tsr_emit_place_at(c->e, place, &alignment);
  LLVMValueRef made = LLVMBuildLoad2(c->e->b, LLVMTypeOf(value), pointer, "tsr.kept");
  LLVMSetAlignment(made, alignment);
  return tsr_emit_annotate_buffer(c->e, made);
}

/* Load or store the SCALAR array ARRAY in its home, the element that an access of the original has the address of. */
static LLVMValueRef access_home(struct tsr_copy *c, int array, LLVMValueRef value)
{
  struct tsr_emit *e = c->e;
  struct tsr_array_info *a = &e->m->arrays[array];
  unsigned alignment = 0;
  LLVMValueRef store = e->m->access[a->home - 1].inst, buffer = tsr_copy_buffer(c, store, !value, &alignment);
  LLVMValueRef pointer = buffer ? buffer : tsr_copy_pointer(c, store);
  LLVMValueRef made =
      value ? LLVMBuildStore(e->b, value, pointer) : LLVMBuildLoad2(e->b, LLVMTypeOf(a->origin), pointer, "");
  LLVMSetAlignment(made, buffer ? alignment : LLVMGetAlignment(store));
  tsr_copy_annotate(e, store, made);
  return made;
}

/* What SCALAR array ARRAY holds, from its home or its slot */
static LLVMValueRef load_scalar(struct tsr_copy *c, int array)
{
  struct tsr_array_info *a = &c->e->m->arrays[array];
  LLVMValueRef kept = kept_value(c, a->origin);
  if (kept)
    return kept;
  return a->home ? access_home(c, array, NULL) : LLVMBuildLoad2(c->e->b, LLVMTypeOf(a->origin), a->slot, "");
}

void tsr_copy_store_scalar(struct tsr_copy *c, int array, LLVMValueRef value)
{
  if (c->e->m->arrays[array].home)
    access_home(c, array, value);
  else
    LLVMBuildStore(c->e->b, value, c->e->m->arrays[array].slot);
}

/* The copy of BLOCK, or of `meet`. */
static LLVMBasicBlockRef copied_block(struct tsr_copy *c, LLVMBasicBlockRef block, LLVMBasicBlockRef head)
{
  for (int i = 0; i < c->s->inner.n; i++)
    if (c->s->inner.block[i] == block)
      return c->block[i];
  return block == c->s->block ? head : c->block[c->s->inner.n];
}

/* Is there a copy of INST already? */
static bool is_bound(const struct tsr_copy *c, LLVMValueRef inst)
{
  bool bound = false;
  for (int i = 0; i < c->n && !bound; i++)
    bound = c->map[i].from == inst;
  return bound;
}

/* LOAD of the statement; if SHARED, as other statements of its iteration have it. */
static LLVMValueRef copy_load(struct tsr_copy *c, LLVMValueRef load, bool shared)
{
  shared &= !tsr_emit_is_placed(c->e, load, true);
  LLVMValueRef seen = shared ? tsr_copy_seen(c, load) : NULL;
  if (seen)
    return seen;
  LLVMValueRef copy = tsr_copy_inst(c, load);
  tsr_copy_annotate(c->e, load, copy);
  if (shared)
    tsr_copy_see(c, load, copy);
  return copy;
}

/* The instructions of BLOCK, those from elsewhere with the first; phis get their values later. */
static void copy_block(struct tsr_copy *c, LLVMBasicBlockRef block)
{
  bool reordered = is_reordered(c);
  c->n_local = 0;
  for (int i = 0; i < c->s->n_inst; i++) {
    LLVMValueRef inst = c->s->inst[i];
    LLVMBasicBlockRef home = LLVMGetInstructionParent(inst);
    if (home != block && !(block == c->s->block && !tsr_blocks_have(&c->s->inner, home)))
      continue;
    if (is_bound(c, inst))
      continue;
    LLVMValueRef kept = kept_value(c, inst);
    if (kept) {
      tsr_copy_bind(&c->map, &c->n, inst, kept);
      continue;
    }
    bool phi = LLVMIsAPHINode(inst);
    LLVMValueRef copy = phi                     ? LLVMBuildPhi(c->e->b, LLVMTypeOf(inst), "")
                        : LLVMIsALoadInst(inst) ? copy_load(c, inst, !reordered)
                                                : tsr_copy_inst(c, inst);
    tsr_copy_bind(&c->map, &c->n, inst, copy);
    if (LLVMIsAStoreInst(inst))
      tsr_copy_annotate(c->e, inst, copy);
    if (reordered && LLVMIsAStoreInst(inst) && LLVMIsAInstruction(LLVMGetOperand(copy, 0)))
      forget_order(LLVMGetOperand(copy, 0));
    if (reordered && LLVMIsALoadInst(inst))
      forget_order(copy);
  }
}

/* What is written when control leaves BLOCK. In front of inner blocks nothing goes to an array element: they may read it. */
static void store_scalars(struct tsr_copy *c, LLVMBasicBlockRef block)
{
  struct tsr_stmt_info *s = c->s;
  LLVMValueRef *value = calloc(s->n_write + 1, sizeof(*value));
  for (int i = 0; i < s->n_write; i++)
    if (s->write[i].from == block)
      value[i] = tsr_copy_resolve(c, s->write[i].value);
  for (int i = 0; i < s->n_write; i++) {
    if (value[i] && c->e->m->arrays[s->write[i].array].home && s->inner.n)
      c->late[i] = value[i];
    else if (value[i])
      tsr_copy_store_scalar(c, s->write[i].array, value[i]);
    if (value[i] && c->e->m->arrays[s->write[i].array].home && LLVMIsAInstruction(value[i]) && is_reordered(c))
      forget_order(value[i]);
  }
  free(value);
}

/* Does BLOCK end an iteration of a loop that is copied as a whole? */
static bool is_latch(struct tsr_copy *c, LLVMBasicBlockRef block)
{
  tsr_loop loop = tsr_loop_for(c->e->m->a, block);
  return loop && tsr_loop_latch(loop) == block && tsr_blocks_have(&c->s->inner, tsr_loop_header(loop));
}

/* The branch or switch at the end of BLOCK. */
static void copy_branch(struct tsr_copy *c, LLVMBasicBlockRef block, LLVMBasicBlockRef head)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block), cond = tsr_branch_condition(block);
  LLVMValueRef to = cond ? tsr_copy_resolve(c, cond) : NULL, copy = tsr_clone_inst(end, true);
  tsr_set_metadata(copy, "DIAssignID", NULL);
  if (!is_latch(c, block))
    tsr_set_metadata(copy, "llvm.loop", NULL);
  if (to)
    LLVMSetOperand(copy, 0, to);
  if (to && to != cond && LLVMIsAICmpInst(to) && is_reordered(c))
    LLVMSetICmpSameSign(to, false);
  for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
    LLVMSetSuccessor(copy, i, copied_block(c, LLVMGetSuccessor(end, i), head));
  LLVMInsertIntoBuilder(c->e->b, copy);
  if (tsr_inst_location(end))
    LLVMInstructionSetDebugLoc(copy, tsr_inst_location(end));
}

/* The values of phis that were copied, on all edges. */
static void finish_phis(struct tsr_copy *c, LLVMBasicBlockRef head)
{
  for (int i = 0; i < c->s->n_inst; i++) {
    LLVMValueRef phi = c->s->inst[i], copy = LLVMIsAPHINode(phi) ? tsr_copy_resolve(c, phi) : NULL;
    for (unsigned k = 0; copy && k < LLVMCountIncoming(phi); k++) {
      LLVMBasicBlockRef from = copied_block(c, LLVMGetIncomingBlock(phi, k), head);
      LLVMPositionBuilderBefore(c->e->b, LLVMGetBasicBlockTerminator(from));
      c->n_local = 0;
      LLVMValueRef value = NULL;
      for (unsigned j = 0; j < k; j++) /* edges from one block carry one value */
        if (LLVMGetIncomingBlock(copy, j) == from)
          value = LLVMGetIncomingValue(copy, j);
      if (!value)
        value = tsr_copy_resolve(c, LLVMGetIncomingValue(phi, k));
      LLVMAddIncoming(copy, &value, &from, 1);
    }
  }
}

/* The late value of write I, where the inner blocks have met: for a phi one of each edge that leads there. */
static LLVMValueRef late_value(struct tsr_copy *c, int i, LLVMBasicBlockRef head)
{
  struct tsr_stmt_info *s = c->s;
  struct tsr_array_info *a = &c->e->m->arrays[s->write[i].array];
  if (!a->is_phi)
    return c->late[i];
  LLVMValueRef phi = LLVMBuildPhi(c->e->b, LLVMTypeOf(a->origin), "");
  for (int b = -1; b < s->inner.n; b++) {
    LLVMBasicBlockRef block = b < 0 ? s->block : s->inner.block[b], from = copied_block(c, block, head);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block), value = NULL;
    for (int k = 0; k < s->n_write; k++)
      if (s->write[k].array == s->write[i].array && s->write[k].from == block)
        value = c->late[k];
    for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
      if (LLVMGetSuccessor(end, k) == s->meet)
        LLVMAddIncoming(phi, &value, &from, 1);
  }
  return phi;
}

/* What goes to array elements, where the inner blocks have met. */
static void store_late(struct tsr_copy *c, LLVMBasicBlockRef head)
{
  struct tsr_stmt_info *s = c->s;
  LLVMValueRef *value = calloc(s->n_write + 1, sizeof(*value));
  for (int i = 0; i < s->n_write; i++) {
    bool first = c->late[i] != NULL;
    for (int k = 0; k < i; k++)
      first &= s->write[k].array != s->write[i].array;
    value[i] = first ? late_value(c, i, head) : NULL;
  }
  c->n_local = 0;
  for (int i = 0; i < s->n_write; i++)
    if (value[i])
      access_home(c, s->write[i].array, value[i]);
  free(value);
}

/* Behind the copy of the first block: its branch, and the inner blocks. The builder goes on where they meet. */
static void copy_inner(struct tsr_copy *c)
{
  struct tsr_stmt_info *s = c->s;
  LLVMBasicBlockRef head = LLVMGetInsertBlock(c->e->b);
  c->block = malloc((s->inner.n + 1) * sizeof(*c->block));
  for (int i = 0; i <= s->inner.n; i++)
    c->block[i] = tsr_emit_block(c->e, i < s->inner.n ? "tsr.inner" : "tsr.meet");
  copy_branch(c, s->block, head);
  for (int i = 0; i < s->inner.n; i++) {
    LLVMPositionBuilderAtEnd(c->e->b, c->block[i]);
    copy_block(c, s->inner.block[i]);
    store_scalars(c, s->inner.block[i]);
    copy_branch(c, s->inner.block[i], head);
  }
  finish_phis(c, head);
  LLVMPositionBuilderAtEnd(c->e->b, c->block[s->inner.n]);
  store_late(c, head);
  free(c->block);
}

/* Copy what VALUE is computed from, of the statement's instructions, operands first. */
static void copy_slice(struct tsr_copy *c, LLVMValueRef value)
{
  bool member = false;
  value = tsr_stmt_value(c->s, value);
  for (int i = 0; i < c->s->n_inst; i++)
    member |= c->s->inst[i] == value;
  if (!member || is_bound(c, value))
    return;
  for (int i = 0; i < LLVMGetNumOperands(value); i++)
    copy_slice(c, LLVMGetOperand(value, (unsigned)i));
  LLVMValueRef kept = kept_value(c, value);
  LLVMValueRef copy = kept ? kept : LLVMIsALoadInst(value) ? copy_load(c, value, !is_reordered(c)) : tsr_copy_inst(c, value);
  tsr_copy_bind(&c->map, &c->n, value, copy);
}

/* Where the condition around the statement's loop holds, go on in another block; the result is where the others meet. */
static LLVMBasicBlockRef copy_guard(struct tsr_copy *c)
{
  LLVMBasicBlockRef yes = tsr_emit_block(c->e, "tsr.guarded"), behind = tsr_emit_block(c->e, "tsr.unguarded");
  copy_slice(c, c->s->guard);
  LLVMValueRef cond = tsr_copy_resolve(c, c->s->guard);
  LLVMBuildCondBr(c->e->b, cond, c->s->guard_when ? yes : behind, c->s->guard_when ? behind : yes);
  LLVMPositionBuilderAtEnd(c->e->b, yes);
  return behind;
}

/* C is statement STMT at COUNTERS, with its scalars. */
static void begin_copy(struct tsr_copy *c, struct tsr_emit *e, int stmt, LLVMValueRef *counters)
{
  *c = (struct tsr_copy){.e = e, .s = &e->m->stmts[stmt], .counters = counters};
  c->late = calloc(c->s->n_write + 1, sizeof(*c->late));
  for (int i = 0; i < c->s->n_read; i++)
    tsr_copy_bind(&c->map, &c->n, e->m->arrays[c->s->read[i]].origin, load_scalar(c, c->s->read[i]));
}

/* What there is no copy of yet, and what it writes. */
static void finish_copy(struct tsr_copy *c)
{
  struct tsr_emit *e = c->e;
  LLVMBasicBlockRef behind = c->s->guard && c->s->guard != e->asked ? copy_guard(c) : NULL;
  copy_block(c, c->s->block);
  if (e->look)
    tsr_copy_changes(c);
  else
    store_scalars(c, c->s->block);
  if (c->s->inner.n && (is_reordered(c) || !tsr_copy_flat(c)))
    copy_inner(c);
  if (behind) {
    LLVMBuildBr(e->b, behind);
    LLVMPositionBuilderAtEnd(e->b, behind);
  }
  free(c->map);
  free(c->local);
  free(c->late);
}

LLVMValueRef tsr_emit_stmt_guard(struct tsr_emit *e, int stmt, LLVMValueRef *counters)
{
  struct tsr_copy c;
  begin_copy(&c, e, stmt, counters);
  copy_slice(&c, c.s->guard);
  LLVMValueRef guard = tsr_copy_resolve(&c, c.s->guard);
  free(c.map);
  free(c.local);
  free(c.late);
  return guard;
}

void tsr_emit_stmt(struct tsr_emit *e, int stmt, LLVMValueRef *counters)
{
  struct tsr_copy c;
  begin_copy(&c, e, stmt, counters);
  finish_copy(&c);
}

void tsr_emit_stmts_preloaded(struct tsr_emit *e, const struct tsr_emitted *stmts, int n)
{
  struct tsr_copy *c = calloc((size_t)n + 1, sizeof(*c));
  for (int i = 0; i < n; i++) {
    begin_copy(&c[i], e, stmts[i].stmt, stmts[i].counters);
    for (int k = 0; k < c[i].s->n_inst && !c[i].s->guard; k++)
      if (LLVMIsALoadInst(c[i].s->inst[k]) && !tsr_blocks_have(&c[i].s->inner, LLVMGetInstructionParent(c[i].s->inst[k])))
        copy_slice(&c[i], c[i].s->inst[k]);
  }
  for (int i = 0; i < n; i++)
    finish_copy(&c[i]);
  free(c);
}
