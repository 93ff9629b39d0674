/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Versioning. Before and after, for a SCoP entered through the terminator `entry` of block B and left to block M:
 *
 *   B: ..; entry          B: ..; br sizes, checks, old             where the plan has a test of sizes; what follows up to
 *                         checks: br cond, new, old                J is a function of its own then
 *                         new: slots = initial scalars
 *   ..                    old: entry; ..; P: phis of M; br J         the original, untouched
 *   M: phis; ..           new: the AST; last: load live-out scalars; br J
 *                         J: phis [old value, P], [loaded, last]; br M'
 *                         M': ..
 *
 * Where a variant needs threads, or is for larger sizes than the next, new begins with a branch to it, or to the next one,
 * at last to old:
 *
 *   new:  br threads, V1, V2      V1: .. br end      V2: .. br end      end: ..
 *
 * Scalars live in allocas of the function's entry block; SROA turns them into values again. */
#include "emit/buffer/array_buffers.h"
#include "emit/buffer/buffer.h"
#include "emit/gpu/gpu.h"
#include "emit/threads/threads.h"
#include "emit/vector/vector.h"
#include <stdlib.h>
#include <string.h>

bool tsr_emit_can(struct tsr_model *m, const struct tsr_result *plan)
{
  const struct tsr_condition *condition = &plan->variant[0].condition;
  if (condition->when)
    m->scop->assumed = isl_set_intersect(m->scop->assumed, isl_set_copy(condition->when));
  for (int i = 0; i < plan->n_variant; i++)
    if (!tsr_array_buffers_can(m, &plan->variant[i]))
      return false;
  if (!tsr_condition_prepare(m) || !tsr_skips_prepare(m))
    return false;
  for (int i = 0; i < plan->n_variant; i++)
    if (!tsr_expr_fits(m, plan->variant[i].ast))
      return tsr_model_reject(m, TSR_REASON_Overflow, NULL, NULL);
  return true;
}

bool tsr_emit_buffers_can(struct tsr_model *m, const struct tsr_result *plan)
{
  enum tsr_reason reason = m->reason;
  bool can = true;
  for (int i = 0; i < plan->n_variant && can; i++)
    can = plan->variant[i].condition.gpu || tsr_array_buffers_can(m, &plan->variant[i]);
  m->reason = reason;
  return can;
}

/* A slot for each SCALAR array without a home, and one for errno where a team may set it. */
static void make_slots(struct tsr_emit *e)
{
  LLVMBasicBlockRef top = LLVMGetEntryBasicBlock(e->m->function);
  LLVMPositionBuilderBefore(e->b, LLVMGetFirstInstruction(top));
  for (int i = 0; i < e->m->n_array; i++)
    if (e->m->arrays[i].kind == TSR_ARRAY_SCALAR && !e->m->arrays[i].home)
      e->m->arrays[i].slot = tsr_emit_slot(e, LLVMTypeOf(e->m->arrays[i].origin));
  if (e->m->has_errno && e->n_private)
    e->errno_slot = LLVMBuildAlloca(e->b, LLVMInt32TypeInContext(e->llvm), "tsr.errno");
}

/* One alias scope for each memory array, and one for our buffers: inside the new code they are known not to overlap. */
static void make_scopes(struct tsr_emit *e)
{
  struct tsr_model *m = e->m;
  LLVMMetadataRef domain = tsr_md_alias_domain(e->llvm, "tessera");
  int n_scope = m->n_array + (e->n_array_buffer > 0), n = 0;
  LLVMMetadataRef *one = calloc(n_scope + 1, sizeof(*one)), *others = calloc(n_scope + 1, sizeof(*others));
  e->scope = calloc(n_scope + 1, sizeof(*e->scope));
  e->noalias = calloc(n_scope + 1, sizeof(*e->noalias));
  for (int i = 0; i < n_scope; i++)
    if (i == m->n_array || m->arrays[i].kind == TSR_ARRAY_MEMORY) {
      one[i] = tsr_md_alias_scope(e->llvm, domain, i == m->n_array ? "buffers" : m->arrays[i].name);
      e->scope[i] = tsr_md_node(e->llvm, &one[i], 1);
      tsr_emit_scope_decl(e->b, e->scope[i]);
      n++;
    }
  for (int i = 0; i < n_scope; i++) {
    int k = 0;
    for (int j = 0; j < n_scope; j++)
      if (j != i && one[j])
        others[k++] = one[j];
    if (one[i] && k)
      e->noalias[i] = tsr_md_node(e->llvm, others, k);
  }
  free(one);
  free(others);
}

/* The scalars' values from before the SCoP, by array: what phis take over the edges from OLD, the block of the entry branch.
 * NULL where there is none. */
static LLVMValueRef *find_initial(struct tsr_emit *e, LLVMBasicBlockRef old)
{
  LLVMValueRef *initial = calloc(e->m->n_array + 1, sizeof(LLVMValueRef));
  for (int i = 0; i < e->m->n_array; i++) {
    struct tsr_array_info *a = &e->m->arrays[i];
    for (unsigned k = 0; a->is_phi && k < LLVMCountIncoming(a->origin); k++)
      if (LLVMGetIncomingBlock(a->origin, k) == old)
        initial[i] = LLVMGetIncomingValue(a->origin, k);
  }
  return initial;
}

/* Takes INITIAL. */
static void store_initial(struct tsr_emit *e, LLVMValueRef *initial)
{
  for (int i = 0; i < e->m->n_array; i++)
    if (initial[i])
      LLVMBuildStore(e->b, initial[i], e->m->arrays[i].slot);
  free(initial);
}

/* Is BLOCK part of the original, from OLD on? */
static bool is_old(struct tsr_emit *e, LLVMBasicBlockRef block, LLVMBasicBlockRef old)
{
  return block == old || tsr_blocks_have(&e->m->blocks, block);
}

/* The block P: reached from the SCoP alone, holding the exit's phis; behind it a block of its own. */
static LLVMBasicBlockRef exit_phis(struct tsr_emit *e, LLVMBasicBlockRef old, LLVMBasicBlockRef *behind)
{
  LLVMBasicBlockRef exit = e->m->exit;
  LLVMBasicBlockRef *preds = NULL;
  unsigned n = 0;
  bool others = false;
  for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(exit)); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    if (!LLVMIsATerminatorInst(user))
      continue;
    LLVMBasicBlockRef from = LLVMGetInstructionParent(user);
    bool inside = is_old(e, from, old), seen = false;
    for (unsigned i = 0; i < n; i++)
      seen |= preds[i] == from;
    others |= !inside;
    if (inside && !seen) {
      preds = realloc(preds, (n + 1) * sizeof(*preds));
      preds[n++] = from;
    }
  }
  LLVMBasicBlockRef p = others ? tsr_split_edges(exit, preds, n) : exit;
  free(preds);
  if (others) {
    *behind = exit;
    return p;
  }
  LLVMValueRef first = LLVMGetFirstInstruction(exit);
  while (LLVMIsAPHINode(first))
    first = LLVMGetNextInstruction(first);
  *behind = tsr_split_before(first);
  return p;
}

/* In J: what ARRAY's origin is behind the SCoP. */
static void join_scalar(struct tsr_emit *e, struct tsr_array_info *a, LLVMBasicBlockRef p, LLVMBasicBlockRef last,
                        LLVMBasicBlockRef join, LLVMBasicBlockRef behind, struct tsr_blocks *inside)
{
  LLVMValueRef was = a->origin;
  LLVMBasicBlockRef home = LLVMGetInstructionParent(was);
  bool in_behind = home == behind && behind == e->m->exit; /* the exit had other predecessors: its phi stays */
  if (in_behind)
    for (unsigned i = 0; i < LLVMCountIncoming(a->origin); i++)
      if (LLVMGetIncomingBlock(a->origin, i) == join)
        was = LLVMGetIncomingValue(a->origin, i);
  LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(last));
  LLVMValueRef loaded = LLVMBuildLoad2(e->b, LLVMTypeOf(a->origin), a->slot, "");
  LLVMPositionBuilderBefore(e->b, LLVMGetFirstInstruction(join));
  LLVMValueRef phi = LLVMBuildPhi(e->b, LLVMTypeOf(a->origin), "tsr.out");
  LLVMAddIncoming(phi, &was, &p, 1);
  LLVMAddIncoming(phi, &loaded, &last, 1);
  if (in_behind) {
    for (unsigned i = 0; i < LLVMCountIncoming(a->origin); i++)
      if (LLVMGetIncomingBlock(a->origin, i) == join)
        LLVMSetOperand(a->origin, i, phi);
  } else {
    tsr_replace_uses_outside(was, phi, inside->block, inside->n, phi);
  }
}

/* The loop hints of the user's in SEQ, as many as there is room for. */
static void collect_hints(struct tsr_emit *e, const struct tsr_seq *seq)
{
  for (int i = 0; i < seq->n; i++) {
    if (seq->nodes[i]->kind == TSR_NODE_LOOP && e->n_hint < 8)
      tsr_md_loop_hints(seq->nodes[i]->loop, e->hint, &e->n_hint, 8);
    collect_hints(e, &seq->nodes[i]->body[0]);
    collect_hints(e, &seq->nodes[i]->body[1]);
  }
}

/* Free what E owns. */
static void emit_clear(struct tsr_emit *e)
{
  for (int i = 0; i < e->n_var; i++)
    free(e->var[i].name);
  free(e->var);
  free(e->fresh.block);
  tsr_emit_forget_seen(e);
  tsr_emit_free_private(e);
  LLVMDisposeBuilder(e->b);
}

/* The blocks from FIRST on of E are new code that runs but now and then. In a function of their own they leave the original
 * as it is: together, both would share its registers. Not where scalars come back, or other parts are to move out. */
static void move_out(struct tsr_emit *e, LLVMBasicBlockRef first)
{
  struct tsr_model *m = e->m;
  int at = 0;
  bool possible = m->n_outline == 0;
  for (int i = 0; i < m->n_array; i++)
    possible &= m->arrays[i].kind != TSR_ARRAY_SCALAR || !m->arrays[i].live_out;
  while (at < e->fresh.n && e->fresh.block[at] != first)
    at++;
  struct tsr_outline job = {.n = e->fresh.n - at};
  if (!possible || job.n <= 0)
    return;
  job.block = malloc(job.n * sizeof(*job.block));
  memcpy(job.block, e->fresh.block + at, job.n * sizeof(*job.block));
  m->outline = realloc(m->outline, (m->n_outline + 1) * sizeof(*m->outline));
  m->outline[m->n_outline++] = job;
}

/* The code of VARIANT, or a branch to OLD, other code, if there is no memory for its buffers. */
static void emit_variant(struct tsr_emit *e, const struct tsr_variant *variant, LLVMBasicBlockRef old)
{
  int first = e->fresh.n;
  e->variant = variant;
  e->program = tsr_variant_program(variant);
  tsr_emit_buffers(e, old);
  make_scopes(e);
  tsr_emit_ast(e, variant->ast);
  tsr_emit_stream_fence(e);
  tsr_emit_buffers_free(e);
  tsr_emit_expanded_use(e, first);
  free(e->scope);
  free(e->noalias);
}

/* The code of the plan's first N variants, one behind the other; where all of them need threads and there are none, a branch
 * to OLD. */
static void emit_variants(struct tsr_emit *e, int n, LLVMBasicBlockRef old)
{
  const struct tsr_result *plan = e->plan;
  LLVMBasicBlockRef end = NULL;
  for (int i = 0; i < n; i++) {
    const struct tsr_variant *variant = &plan->variant[i];
    LLVMBasicBlockRef other = NULL;
    if (!variant->condition.sizes && !variant->condition.threads)
      n = i + 1; /* it always runs: none behind it does */
    if (variant->condition.sizes) {
      other = i < n - 1 ? tsr_emit_block(e, "tsr.small") : NULL;
      end = other && !end ? tsr_emit_block(e, "tsr.endsizes") : end;
      tsr_emit_size_test(e, variant->condition.sizes, other ? other : old, false);
    } else if (variant->condition.threads) {
      LLVMValueRef threads = tsr_emit_may_use_threads(e, variant->ast);
      LLVMBasicBlockRef many = tsr_emit_block(e, "tsr.threads");
      other = i < n - 1 ? tsr_emit_block(e, "tsr.alone") : NULL;
      end = other && !end ? tsr_emit_block(e, "tsr.endthreads") : end;
      LLVMBuildCondBr(e->b, threads, many, other ? other : old);
      LLVMPositionBuilderAtEnd(e->b, many);
    }
    emit_variant(e, variant, other ? other : old);
    if (end) {
      LLVMBuildBr(e->b, end);
      LLVMPositionBuilderAtEnd(e->b, other ? other : end);
    }
  }
}

/* The code of all variants: that for a GPU, the last one, is tried first. */
static void emit_all_variants(struct tsr_emit *e, LLVMBasicBlockRef old)
{
  int n = e->plan->n_variant;
  const struct tsr_variant *last = &e->plan->variant[n - 1];
  if (!last->condition.gpu) {
    emit_variants(e, n, old);
    return;
  }
  LLVMBasicBlockRef end = tsr_emit_block(e, "tsr.done"), next = n > 1 ? tsr_emit_block(e, "tsr.cpu") : old;
  e->variant = last;
  e->program = tsr_variant_program(last);
  LLVMValueRef fits; /* those of blocks have constant sizes */
  tsr_array_buffers_find(e, &fits);
  make_scopes(e);
  tsr_emit_gpu(e, last, next, end);
  tsr_array_buffers_free(e);
  free(e->scope);
  free(e->noalias);
  if (n > 1) {
    LLVMPositionBuilderAtEnd(e->b, next);
    emit_variants(e, n - 1, old);
    LLVMBuildBr(e->b, end);
  }
  LLVMPositionBuilderAtEnd(e->b, end);
}

const char *tsr_emit_gpu_obstacle(struct tsr_model *m, const struct tsr_variant *variant)
{
  const char *why = NULL;
  bool fits = tsr_expr_fits(m, variant->ast) && tsr_transfers_fit(m, variant->transfer, variant->n_transfer);
  if (!tsr_array_buffers_can(m, variant))
    return "its buffers can't be made";
  if (!tsr_gpu_has_room(variant))
    return "its blocks have no room for what they share";
  if (!m->device)
    return "this compiler has no code for NVIDIA's GPUs";
  if (!tsr_gpu_knows_threads(variant->ast))
    return "its loops fall into parts of which each thread would have to run others";
  return fits ? (tsr_gpu_can_run(m, &why), why) : "its bounds are too large for 64-bit arithmetic";
}

bool tsr_emit_finish(struct tsr_model *m, bool apart_already)
{
  static void (*const finish[])(struct tsr_model *m, const struct tsr_outline *job, LLVMValueRef call) = {
      [TSR_OUTLINE_TEAM] = tsr_emit_team, [TSR_OUTLINE_KERNEL] = tsr_emit_launch};
  static const char *const name[] = {"tsr.new", "tsr.team", "tsr.kernel"};
  bool apart = false;
  tsr_promote(m->function, m->slot, m->n_slot);
  for (int i = 0; i < m->n_outline; i++) {
    const struct tsr_outline *job = &m->outline[i];
    if (apart_already && job->kind == TSR_OUTLINE_APART) {
      free(job->block);
      continue;
    }
    LLVMValueRef call = tsr_outline(job->block, (unsigned)job->n, name[job->kind]);
    if (call && job->kind != TSR_OUTLINE_APART)
      finish[job->kind](m, job, call);
    m->broken |= job->kind != TSR_OUTLINE_APART && !call;
    apart |= call && job->kind == TSR_OUTLINE_APART;
    free(job->block);
  }
  free(m->outline);
  free(m->slot);
  m->outline = NULL;
  m->slot = NULL;
  return apart;
}

void tsr_emit(struct tsr_model *m, const struct tsr_result *plan)
{
  const struct tsr_condition *condition = &plan->variant[0].condition;
  LLVMMetadataRef hints[8];
  struct tsr_emit e = {
      .m = m, .plan = plan, .llvm = LLVMGetModuleContext(m->module), .hint = hints, .emit_node = tsr_emit_ast};
  e.b = LLVMCreateBuilderInContext(e.llvm);
  e.i64 = LLVMInt64TypeInContext(e.llvm);
  collect_hints(&e, &(struct tsr_seq){m->nodes, m->n_node});
  e.location = tsr_inst_location(m->entry);
  tsr_emit_find_private(&e, &plan->variant[0]);
  make_slots(&e);
  if (e.location)
    LLVMSetCurrentDebugLocation2(e.b, e.location);

  LLVMBasicBlockRef b = LLVMGetInstructionParent(m->entry);
  LLVMBasicBlockRef old = tsr_split_before(m->entry);
  LLVMValueRef *initial = find_initial(&e, old); /* the edge from OLD to the exit may be split now */
  LLVMBasicBlockRef behind, p = exit_phis(&e, old, &behind);

  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(b));
  LLVMPositionBuilderAtEnd(e.b, b);
  tsr_emit_lifts(&e, old);
  LLVMBasicBlockRef first = NULL; /* of what moves out: checks, too, but for those that are about sizes */
  LLVMBasicBlockRef front = LLVMGetInsertBlock(e.b);
  if (plan->sizes) {
    tsr_emit_size_test(&e, plan->sizes, old, true);
    first = LLVMGetInsertBlock(e.b) != front && !condition->when ? LLVMGetInsertBlock(e.b) : NULL;
    if (first)
      tsr_emit_bind_parameters_anew(&e);
  }
  LLVMValueRef cond = tsr_emit_condition(&e, old);
  LLVMValueRef rows = tsr_emit_rows_condition(&e, old, cond);
  cond = tsr_emit_skip_tests(&e, old, rows ? rows : cond);
  LLVMBasicBlockRef fresh = tsr_emit_block(&e, "tsr.new");
  LLVMValueRef choice = LLVMBuildCondBr(e.b, cond, fresh, old);
  if (!condition->when) /* else it is not about what is usual */
    tsr_emit_set_likely(&e, choice);

  LLVMPositionBuilderAtEnd(e.b, fresh);
  store_initial(&e, initial);
  emit_all_variants(&e, old);
  LLVMBasicBlockRef last = LLVMGetInsertBlock(e.b);
  if (condition->when || plan->sizes)
    move_out(&e, first ? first : fresh);

  LLVMBasicBlockRef join = tsr_emit_block(&e, "tsr.join");
  LLVMBuildBr(e.b, join);
  LLVMPositionBuilderAtEnd(e.b, join);
  LLVMBuildBr(e.b, behind);
  tsr_redirect(LLVMGetBasicBlockTerminator(p), behind, join);
  for (LLVMValueRef i = LLVMGetFirstInstruction(behind); i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
    tsr_phi_replace_block(i, p, join);
  struct tsr_blocks inside = {0};
  for (int i = 0; i < m->blocks.n; i++)
    tsr_blocks_add(&inside, m->blocks.block[i]);
  for (int i = 0; i < m->errors.n; i++)
    tsr_blocks_add(&inside, m->errors.block[i]);
  tsr_blocks_add(&inside, old);
  tsr_blocks_add(&inside, p);
  for (int i = 0; i < m->n_array; i++)
    if (m->arrays[i].kind == TSR_ARRAY_SCALAR && m->arrays[i].live_out)
      join_scalar(&e, &m->arrays[i], p, last, join, behind, &inside);
  free(inside.block);
  tsr_emit_replace_proxies(&e);
  emit_clear(&e);
}
