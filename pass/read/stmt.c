/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks -> statements, scalars and raw accesses.
 *
 * 1. visit    every block of the run with its domain and the loops around it
 * 2. need     from the roots (stores, values used behind the SCoP) backwards: which instructions must be copied, and which
 *             values cross from block to block; those become zero-dimensional SCALAR arrays:
 *               a value v     one array, written by the statement of its block
 *               a phi p       one array written at the end of each predecessor, read in p's block; and one more of the
 *                             first kind if other blocks use p
 *             What can be computed anew from counters and invariants (tsr_can_remat) crosses nothing.
 * 3. split    a block is cut behind each store, so that each store is a statement of its own, unless a part needs a value
 * that was loaded in front of an earlier store to the same array, or shares too much work with it */
#include "pass.h"
#include <isl/id.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 12
#define MAX_INSTS 4000
#define MAX_STMTS 150
#define MAX_SHARED 4

struct blk {
  LLVMBasicBlockRef block;
  isl_set *domain;
  tsr_loop loops[MAX_DEPTH];
  int n_loop;
  struct tsr_scalar_write *write; /* at its end */
  int n_write;
  int first, n; /* its instructions in vals */
};

struct val {
  LLVMValueRef inst;
  int blk;
  enum tsr_role role;
  enum tsr_reason reason;
  bool needed;
  int out; /* SCALAR array of the value, -1 */
  int phi; /* SCALAR array of the phi, -1 */
};

struct reader {
  struct tsr_model *m;
  struct blk *blks;
  int n_blk;
  struct val *vals;
  int n_val;
  int *hash; /* open addressing: instruction -> index into vals, -1 empty */
  int n_hash;
};

static unsigned slot_of(struct reader *r, LLVMValueRef inst)
{
  unsigned at = (unsigned)(((uintptr_t)inst >> 4) * 2654435761u) % r->n_hash;
  while (r->hash[at] >= 0 && r->vals[r->hash[at]].inst != inst)
    at = (at + 1) % r->n_hash;
  return at;
}

static struct val *val_of(struct reader *r, LLVMValueRef inst)
{
  int i = r->hash[slot_of(r, inst)];
  return i < 0 ? NULL : &r->vals[i];
}

static int blk_of(struct reader *r, LLVMBasicBlockRef block)
{
  for (int i = 0; i < r->n_blk; i++)
    if (r->blks[i].block == block)
      return i;
  return -1;
}

static tsr_loop blk_loop(struct reader *r, int b)
{
  return tsr_loop_for(r->m->a, r->blks[b].block);
}

/* ---- 1. visit */

static bool visit_seq(struct reader *r, const struct tsr_seq *seq, isl_set *domain, tsr_loop *loops, int n_loop);

static bool visit(struct reader *r, const struct tsr_node *node, isl_set *domain, tsr_loop *loops, int n_loop)
{
  struct tsr_model *m = r->m;
  if (node->kind == TSR_NODE_BLOCK) {
    r->blks = realloc(r->blks, (r->n_blk + 1) * sizeof(*r->blks));
    struct blk *b = &r->blks[r->n_blk++];
    *b = (struct blk){.block = node->block, .domain = isl_set_copy(domain), .n_loop = n_loop};
    memcpy(b->loops, loops, n_loop * sizeof(*loops));
    return true;
  }
  if (node->kind == TSR_NODE_IF) {
    LLVMValueRef cond = LLVMGetCondition(LLVMGetBasicBlockTerminator(node->block));
    isl_set *yes = tsr_condition_set(m, cond, domain, node->loop);
    if (!yes)
      return tsr_model_reject(m, TSR_REASON_Condition, cond, NULL);
    isl_set *arm[2] = {isl_set_intersect(isl_set_copy(domain), isl_set_copy(yes)),
                       isl_set_subtract(isl_set_copy(domain), yes)};
    bool ok = true;
    for (int i = 0; i < 2; i++) {
      arm[i] = isl_set_coalesce(arm[i]);
      ok = ok && visit_seq(r, &node->body[i], arm[i], loops, n_loop);
      isl_set_free(arm[i]);
    }
    return ok;
  }
  if (node->opaque)
    return tsr_model_reject(m, node->reason, node->culprit, NULL);
  if (n_loop == MAX_DEPTH)
    return tsr_model_reject(m, TSR_REASON_Size, NULL, "loops nested too deep");
  isl_set *inner = tsr_loop_domain(m, node->loop, isl_set_copy(domain));
  if (!inner) {
    LLVMBasicBlockRef latch = tsr_loop_latch(node->loop);
    tsr_scev count = tsr_scev_backedge_count(m->a, node->loop);
    char *text = count ? tsr_scev_string(count) : NULL;
    tsr_model_reject(m, TSR_REASON_TripCount, LLVMGetBasicBlockTerminator(latch), text);
    free(text);
    return false;
  }
  loops[n_loop] = node->loop;
  bool ok = visit_seq(r, &node->body[0], inner, loops, n_loop + 1);
  isl_set_free(inner);
  return ok;
}

static bool visit_seq(struct reader *r, const struct tsr_seq *seq, isl_set *domain, tsr_loop *loops, int n_loop)
{
  for (int i = 0; i < seq->n; i++)
    if (!visit(r, seq->nodes[i], domain, loops, n_loop))
      return false;
  return true;
}

/* Does rejecting INST matter even if nobody needs its value? */
static bool has_effect(LLVMValueRef inst)
{
  LLVMOpcode op = LLVMGetInstructionOpcode(inst);
  if (op == LLVMLoad)
    return LLVMGetVolatile(inst) || LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic;
  return op == LLVMStore || op == LLVMCall || op == LLVMFence || op == LLVMAtomicRMW || op == LLVMAtomicCmpXchg ||
         op == LLVMAlloca || op == LLVMVAArg;
}

static bool list_instructions(struct reader *r)
{
  for (int b = 0; b < r->n_blk; b++) {
    r->blks[b].first = r->n_val;
    for (LLVMValueRef i = LLVMGetFirstInstruction(r->blks[b].block); i && !LLVMIsATerminatorInst(i);
         i = LLVMGetNextInstruction(i)) {
      struct val v = {.inst = i, .blk = b, .out = -1, .phi = -1};
      v.role = tsr_inst_role(r->m, i, &v.reason);
      if (v.role == TSR_ROLE_REJECT && has_effect(i))
        return tsr_model_reject(r->m, v.reason, i, NULL);
      if (r->n_val == MAX_INSTS)
        return tsr_model_reject(r->m, TSR_REASON_Size, i, NULL);
      r->vals = realloc(r->vals, (r->n_val + 1) * sizeof(*r->vals));
      r->vals[r->n_val++] = v;
    }
    r->blks[b].n = r->n_val - r->blks[b].first;
  }
  r->n_hash = 2 * r->n_val + 7;
  r->hash = malloc(r->n_hash * sizeof(*r->hash));
  memset(r->hash, -1, r->n_hash * sizeof(*r->hash));
  for (int i = 0; i < r->n_val; i++)
    r->hash[slot_of(r, r->vals[i].inst)] = i;
  return true;
}

/* ---- 2. need */

static int scalar_new(struct tsr_model *m, LLVMValueRef origin, bool is_phi)
{
  m->arrays = realloc(m->arrays, (m->n_array + 1) * sizeof(*m->arrays));
  struct tsr_array_info *a = &m->arrays[m->n_array];
  *a = (struct tsr_array_info){.kind = TSR_ARRAY_SCALAR, .origin = origin, .is_phi = is_phi};
  snprintf(a->name, sizeof(a->name), "%s%d", is_phi ? "phi" : "val", m->n_array);
  return m->n_array++;
}

static void write_add(struct blk *b, int array, LLVMValueRef value)
{
  b->write = realloc(b->write, (b->n_write + 1) * sizeof(*b->write));
  b->write[b->n_write++] = (struct tsr_scalar_write){array, value};
}

static bool need(struct reader *r, LLVMValueRef value, int b);

/* The array of PHI (which may stand in the exit block); its incoming values are needed at the ends of their blocks. */
static int phi_array(struct reader *r, LLVMValueRef phi)
{
  int array = scalar_new(r->m, phi, true);
  struct val *v = val_of(r, phi);
  if (v)
    v->phi = array;
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    int from = blk_of(r, LLVMGetIncomingBlock(phi, i));
    if (from < 0)
      continue;
    write_add(&r->blks[from], array, LLVMGetIncomingValue(phi, i));
    if (!need(r, LLVMGetIncomingValue(phi, i), from))
      return -1;
  }
  return array;
}

static bool need_in_block(struct reader *r, int index)
{
  struct val *v = &r->vals[index];
  if (v->needed)
    return true;
  v->needed = true;
  if (v->role == TSR_ROLE_REJECT)
    return tsr_model_reject(r->m, v->reason, v->inst, NULL);
  LLVMValueRef inst = v->inst;
  int b = v->blk;
  for (int i = 0; i < LLVMGetNumOperands(inst); i++)
    if (!need(r, LLVMGetOperand(inst, i), b))
      return false;
  return true;
}

static bool value_out(struct reader *r, int index)
{
  struct val *v = &r->vals[index];
  if (v->out >= 0)
    return true;
  v->out = scalar_new(r->m, v->inst, false);
  write_add(&r->blks[v->blk], v->out, v->inst);
  return need(r, v->inst, v->blk);
}

/* VALUE is used by a statement of block B. */
static bool need(struct reader *r, LLVMValueRef value, int b)
{
  struct tsr_model *m = r->m;
  if (!LLVMIsAInstruction(value) || !tsr_model_in_region(m, value) || tsr_can_remat(m, value, blk_loop(r, b), 0))
    return true;
  int index = r->hash[slot_of(r, value)];
  if (index < 0) /* a terminator's value: none is accepted */
    return tsr_model_reject(m, TSR_REASON_Instruction, value, NULL);
  struct val *v = &r->vals[index];
  if (v->role != TSR_ROLE_PHI)
    return v->blk == b ? need_in_block(r, index) : value_out(r, index);
  if (LLVMCountIncoming(value) == 1)
    return need(r, LLVMGetIncomingValue(value, 0), b);
  if (v->phi < 0 && phi_array(r, value) < 0)
    return false;
  return r->vals[index].blk == b || value_out(r, index);
}

static bool is_used_behind(struct reader *r, LLVMValueRef inst)
{
  for (LLVMUseRef u = LLVMGetFirstUse(inst); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    LLVMBasicBlockRef block = LLVMGetInstructionParent(user);
    /* phis of the exit are handled on their own */
    if (!tsr_blocks_have(&r->m->blocks, block) && !(block == r->m->exit && LLVMIsAPHINode(user)))
      return true;
  }
  return false;
}

/* A call that may set errno must run even if nobody uses its value; we'd drop it. */
static bool errno_calls_are_kept(struct reader *r)
{
  for (int i = 0; i < r->n_val; i++) {
    struct val *v = &r->vals[i];
    if (v->role == TSR_ROLE_PURE && !v->needed && LLVMIsACallInst(v->inst) && tsr_call_effects(v->inst).errno_write)
      return tsr_model_reject(r->m, TSR_REASON_Errno, v->inst, NULL);
  }
  return true;
}

static bool need_roots(struct reader *r)
{
  struct tsr_model *m = r->m;
  for (int i = 0; i < r->n_val; i++)
    if (r->vals[i].role == TSR_ROLE_STORE && !need_in_block(r, i))
      return false;
  for (int i = 0; i < r->n_val; i++)
    if (r->vals[i].role != TSR_ROLE_IGNORE && is_used_behind(r, r->vals[i].inst)) {
      if (r->vals[i].role == TSR_ROLE_REJECT)
        return tsr_model_reject(m, r->vals[i].reason, r->vals[i].inst, NULL);
      if (!value_out(r, i))
        return false;
      m->arrays[r->vals[i].out].live_out = true;
    }
  for (LLVMValueRef i = LLVMGetFirstInstruction(m->exit); i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
    enum tsr_reason reason;
    if (tsr_inst_role(m, i, &reason) == TSR_ROLE_REJECT)
      return tsr_model_reject(m, reason, i, NULL);
    int array = phi_array(r, i);
    if (array < 0)
      return false;
    m->arrays[array].live_out = true;
  }
  return true;
}

/* ---- 3. split */

/* A part of a block: the instructions that one or more of its roots need. */
struct part {
  bool *member; /* of the block's instructions */
  bool scalars; /* does it write the block's scalars? */
};

static void slice(struct reader *r, struct part *p, LLVMValueRef value, int b)
{
  struct val *v = LLVMIsAInstruction(value) ? val_of(r, value) : NULL;
  if (!v || tsr_can_remat(r->m, value, blk_loop(r, b), 0))
    return;
  if (v->role == TSR_ROLE_PHI) {
    if (LLVMCountIncoming(value) == 1)
      slice(r, p, LLVMGetIncomingValue(value, 0), b);
    return;
  }
  int at = v - r->vals - r->blks[b].first;
  if (v->blk != b || p->member[at])
    return;
  p->member[at] = true;
  for (int i = 0; i < LLVMGetNumOperands(value); i++)
    slice(r, p, LLVMGetOperand(value, i), b);
}

static LLVMValueRef base_of(struct tsr_model *m, LLVMValueRef access)
{
  LLVMValueRef pointer = LLVMGetOperand(access, LLVMIsAStoreInst(access) ? 1 : 0);
  tsr_scev s = tsr_scev_of(m->a, pointer);
  return s ? tsr_scev_pointer_base(m->a, s) : NULL;
}

/* Must P and Q (P's roots come first) be one statement? */
static bool must_merge(struct reader *r, struct blk *b, struct part *p, struct part *q)
{
  int shared = 0, last_store = -1;
  for (int i = 0; i < b->n; i++) {
    struct val *v = &r->vals[b->first + i];
    if (p->member[i] && q->member[i] && v->role == TSR_ROLE_PURE)
      shared += LLVMIsACallInst(v->inst) ? MAX_SHARED + 1 : 1;
    if (p->member[i] && v->role == TSR_ROLE_STORE)
      last_store = i;
  }
  if (shared > MAX_SHARED)
    return true;
  for (int i = 0; i < last_store; i++)
    for (int k = i + 1; q->member[i] && r->vals[b->first + i].role == TSR_ROLE_LOAD && k <= last_store; k++)
      if (p->member[k] && r->vals[b->first + k].role == TSR_ROLE_STORE) {
        LLVMValueRef x = base_of(r->m, r->vals[b->first + i].inst), y = base_of(r->m, r->vals[b->first + k].inst);
        if (!x || !y || x == y)
          return true;
      }
  return false;
}

static void merge_parts(struct reader *r, struct blk *b, struct part *parts, int *n)
{
  for (bool again = true; again;) {
    again = false;
    for (int i = 0; i < *n && !again; i++)
      for (int k = *n - 1; k > i && !again; k--) {
        if (!must_merge(r, b, &parts[i], &parts[k]))
          continue;
        for (int x = i + 1; x <= k; x++) {
          for (int j = 0; j < b->n; j++)
            parts[i].member[j] |= parts[x].member[j];
          parts[i].scalars |= parts[x].scalars;
          free(parts[x].member);
        }
        memmove(&parts[i + 1], &parts[k + 1], (*n - k - 1) * sizeof(*parts));
        *n -= k - i;
        again = true;
      }
  }
}

static void read_add(struct tsr_stmt_info *s, int array)
{
  for (int i = 0; i < s->n_read; i++)
    if (s->read[i] == array)
      return;
  s->read = realloc(s->read, (s->n_read + 1) * sizeof(*s->read));
  s->read[s->n_read++] = array;
}

/* VALUE, an operand in a statement of block B: which SCALAR arrays does it come from? */
static void reads_of(struct reader *r, struct tsr_stmt_info *s, LLVMValueRef value, int b)
{
  struct val *v = LLVMIsAInstruction(value) ? val_of(r, value) : NULL;
  if (!v || tsr_can_remat(r->m, value, blk_loop(r, b), 0))
    return;
  if (v->role == TSR_ROLE_PHI && LLVMCountIncoming(value) == 1)
    reads_of(r, s, LLVMGetIncomingValue(value, 0), b);
  else if (v->role == TSR_ROLE_PHI && v->blk == b)
    read_add(s, v->phi);
  else if (v->blk != b)
    read_add(s, v->out);
}

static bool access_add(struct reader *r, LLVMValueRef inst, int stmt);

static LLVMValueRef last_member(struct reader *r, struct blk *b, struct part *p)
{
  for (int i = b->n - 1; i >= 0; i--)
    if (p->member[i])
      return r->vals[b->first + i].inst;
  return NULL;
}

static bool stmt_add(struct reader *r, int b, struct part *p)
{
  struct tsr_model *m = r->m;
  struct blk *blk = &r->blks[b];
  if (m->n_stmt == MAX_STMTS)
    return tsr_model_reject(m, TSR_REASON_Size, last_member(r, blk, p), NULL);
  m->stmts = realloc(m->stmts, (m->n_stmt + 1) * sizeof(*m->stmts));
  struct tsr_stmt_info *s = &m->stmts[m->n_stmt];
  *s = (struct tsr_stmt_info){.block = blk->block, .n_loop = blk->n_loop, .domain = isl_set_copy(blk->domain)};
  s->loops = malloc((blk->n_loop + 1) * sizeof(*s->loops));
  memcpy(s->loops, blk->loops, blk->n_loop * sizeof(*s->loops));
  s->inst = malloc((blk->n + 1) * sizeof(*s->inst));
  for (int i = 0; i < blk->n; i++) {
    LLVMValueRef inst = r->vals[blk->first + i].inst;
    if (!p->member[i])
      continue;
    s->inst[s->n_inst++] = inst;
    for (int k = 0; k < LLVMGetNumOperands(inst); k++)
      reads_of(r, s, LLVMGetOperand(inst, k), b);
  }
  if (p->scalars) {
    s->write = blk->write;
    s->n_write = blk->n_write;
    blk->write = NULL;
    blk->n_write = 0;
    for (int i = 0; i < s->n_write; i++)
      reads_of(r, s, s->write[i].value, b);
  }
  m->n_stmt++;
  for (int i = 0; i < m->stmts[m->n_stmt - 1].n_inst; i++)
    if (!access_add(r, m->stmts[m->n_stmt - 1].inst[i], m->n_stmt - 1))
      return false;
  return true;
}

static bool split(struct reader *r, int b)
{
  struct blk *blk = &r->blks[b];
  struct part *parts = calloc(blk->n + 1, sizeof(*parts));
  int n = 0;
  for (int i = 0; i < blk->n; i++)
    if (r->vals[blk->first + i].role == TSR_ROLE_STORE) {
      parts[n].member = calloc(blk->n, sizeof(bool));
      slice(r, &parts[n++], r->vals[blk->first + i].inst, b);
    }
  if (blk->n_write) {
    parts[n].member = calloc(blk->n + 1, sizeof(bool));
    parts[n].scalars = true;
    for (int i = 0; i < blk->n_write; i++)
      slice(r, &parts[n], blk->write[i].value, b);
    n++;
  }
  merge_parts(r, blk, parts, &n);
  bool ok = true;
  for (int i = 0; i < n; i++) {
    ok = ok && stmt_add(r, b, &parts[i]);
    free(parts[i].member);
  }
  free(parts);
  return ok;
}

/* ---- raw accesses */

static int memory_array(struct tsr_model *m, LLVMValueRef base, int elem_size)
{
  for (int i = 0; i < m->n_array; i++)
    if (m->arrays[i].kind == TSR_ARRAY_MEMORY && m->arrays[i].base == base)
      return i;
  m->arrays = realloc(m->arrays, (m->n_array + 1) * sizeof(*m->arrays));
  struct tsr_array_info *a = &m->arrays[m->n_array];
  *a = (struct tsr_array_info){.kind = TSR_ARRAY_MEMORY, .base = base, .elem_size = elem_size};
  const struct tsr_invariant *item = tsr_invariant_of(m->invariants, base);
  char *source = !item ? tsr_source_name(base) : item->name ? strdup(item->name) : NULL;
  snprintf(a->name, sizeof(a->name), "%.20s_%d", source ? source : "A", m->n_array);
  free(source);
  for (char *c = a->name; *c; c++)
    if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_' || (c > a->name && *c >= '0' && *c <= '9')))
      *c = '_';
  return m->n_array++;
}

static bool access_add(struct reader *r, LLVMValueRef inst, int stmt)
{
  struct tsr_model *m = r->m;
  bool load = LLVMIsALoadInst(inst), store = LLVMIsAStoreInst(inst);
  if (!load && !store)
    return true;
  LLVMValueRef pointer = LLVMGetOperand(inst, load ? 0 : 1);
  tsr_loop loop = tsr_loop_for(m->a, LLVMGetInstructionParent(inst));
  tsr_scev s = tsr_scev_at(m->a, pointer, loop);
  LLVMValueRef base = s ? tsr_scev_pointer_base(m->a, s) : NULL;
  if (!base)
    return tsr_model_reject(m, TSR_REASON_Subscript, inst, NULL);
  if (tsr_model_in_region(m, base)) /* a proxy here: of a load that changes with the SCoP's outer loops */
    return tsr_model_reject(m, LLVMIsAPHINode(base) ? TSR_REASON_BasePointer : TSR_REASON_Rows, inst, NULL);
  isl_set *domain = m->stmts[stmt].domain;
  struct tsr_poly *bytes = tsr_pointer_poly(m, pointer, domain, loop);
  if (!bytes || !tsr_can_remat(m, pointer, loop, 0)) {
    char *text = tsr_scev_string(s);
    tsr_poly_free(bytes);
    tsr_model_reject(m, TSR_REASON_Subscript, inst, text);
    free(text);
    return false;
  }
  int size = tsr_type_store_size(m->module, load ? LLVMTypeOf(inst) : LLVMTypeOf(LLVMGetOperand(inst, 0)));
  int array = memory_array(m, base, size);
  m->arrays[array].written |= store;
  m->access = realloc(m->access, (m->n_access + 1) * sizeof(*m->access));
  m->access[m->n_access++] = (struct tsr_raw_access){
      .inst = inst, .array = array, .size = size, .offset = bytes, .stmt = stmt, .kind = load ? TSR_READ : TSR_MUST_WRITE};
  return true;
}

static struct reader reader_clear(struct reader r)
{
  for (int i = 0; i < r.n_blk; i++) {
    isl_set_free(r.blks[i].domain);
    free(r.blks[i].write);
  }
  free(r.blks);
  free(r.vals);
  free(r.hash);
  return (struct reader){0};
}

bool tsr_model_statements(struct tsr_model *m)
{
  struct reader r = {.m = m};
  tsr_loop loops[MAX_DEPTH];
  isl_set *all = tsr_params_universe(m);
  bool ok = true;
  for (int i = 0; ok && i < m->n_node; i++) {
    m->culprit_node = i;
    ok = visit(&r, m->nodes[i], all, loops, 0);
  }
  isl_set_free(all);
  bool stored = false;
  for (int b = 0; ok && b < r.n_blk; b++)
    ok = tsr_lift_block(m, r.blks[b].block, r.blks[b].domain, &stored);
  ok = ok && tsr_lift_before(m);
  ok = ok && list_instructions(&r) && need_roots(&r) && errno_calls_are_kept(&r);
  for (int b = 0; ok && b < r.n_blk; b++)
    ok = split(&r, b);
  reader_clear(r);
  return ok;
}
