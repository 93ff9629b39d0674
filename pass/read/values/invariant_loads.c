/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads that give the same value all through a nest: bounds and base pointers in structures, references, globals, vectors.
 *
 *   for (i = 0; i < a->n; i++)              for (i = 0; i < p; i++)                    p, q: proxies
 *     for (j = 0; j < a->n; j++)     ->       for (j = 0; j < p; j++)
 *       a->data[i * a->n + j] += 1;             q[i * p + j] += 1;
 *
 * Scalar evolution knows no loop-invariant loads. So before a nest is modelled, the uses of such loads are replaced by a
 * proxy, an instruction without operands that stands in front of all of them (`freeze poison`: nobody knows anything of it).
 * The loads stay. Whether they may be hoisted is decided for each SCoP that uses a proxy (lifts.c).
 *
 * Behind emission all uses of proxies get their loads back (tsr_invariants_undo); new code never sees one. */
#include "read/values/invariant_loads.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ITEMS 200
#define MAX_ROUNDS 6

/* Does INST give the address of one thread_local variable? */
static bool is_thread_address(LLVMValueRef inst)
{
  size_t n;
  return LLVMIsACallInst(inst) && LLVMIsAFunction(LLVMGetCalledValue(inst)) &&
         !strncmp(LLVMGetValueName2(LLVMGetCalledValue(inst), &n), "llvm.threadlocal.address", 24);
}

/* A division by a constant: what scalar evolution calls unknown, and so variant where it stands in the loop. */
static bool is_pure_unknown(struct tsr_analyses *a, LLVMValueRef inst)
{
  LLVMOpcode op = LLVMGetInstructionOpcode(inst);
  if ((op != LLVMSDiv && op != LLVMSRem && op != LLVMAShr) || !LLVMIsAConstantInt(LLVMGetOperand(inst, 1)) ||
      LLVMGetIntTypeWidth(LLVMTypeOf(inst)) > 64)
    return false;
  tsr_scev s = tsr_scev_of(a, inst);
  return s && tsr_scev_kind(s) == TSR_SCEV_UNKNOWN;
}

/* Is TYPE that of a float or a double? */
static bool is_floating(LLVMTypeRef type)
{
  return LLVMGetTypeKind(type) == LLVMFloatTypeKind || LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
}

/* Is INST an ordinary load of an integer, a floating-point number or a pointer? */
static bool is_simple_load(LLVMValueRef inst)
{
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(inst));
  return LLVMIsALoadInst(inst) && !LLVMGetVolatile(inst) && LLVMGetOrdering(inst) == LLVMAtomicOrderingNotAtomic &&
         ((kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(inst)) <= 64) || is_floating(LLVMTypeOf(inst)) ||
          (kind == LLVMPointerTypeKind && !LLVMGetPointerAddressSpace(LLVMTypeOf(inst)))) &&
         !LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(inst, 0)));
}

/* Does COMPARE ask about VALUE and what is constant, an argument or behind a pointer that is one? */
static bool compares_with_fixed(LLVMValueRef compare, LLVMValueRef value)
{
  LLVMValueRef other = LLVMGetOperand(compare, LLVMGetOperand(compare, 0) == value);
  while (LLVMIsAFPExtInst(other) || is_simple_load(other))
    other = LLVMGetOperand(other, 0);
  return LLVMIsAConstant(other) || LLVMIsAArgument(other) || LLVMIsAFreezeInst(other);
}

/* Does VALUE go into an address or a branch, a floating-point number by a comparison? Only then is anything gained. */
static bool is_wanted(LLVMValueRef value, int depth)
{
  bool floating = is_floating(LLVMTypeOf(value));
  for (LLVMUseRef u = LLVMGetFirstUse(value); u && depth < 10; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    if (floating && !(LLVMIsAFCmpInst(user) && compares_with_fixed(user, value)) && !LLVMIsAFPExtInst(user))
      continue;
    if (floating && is_floating(LLVMTypeOf(user)) && is_wanted(user, depth + 1))
      return true;
    if (LLVMIsAGetElementPtrInst(user) || (LLVMIsABranchInst(user) && LLVMIsConditional(user)) ||
        (LLVMIsALoadInst(user) && LLVMGetOperand(user, 0) == value) ||
        (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == value))
      return true;
    bool number = LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMIntegerTypeKind;
    int deeper = LLVMIsAPHINode(user) ? depth + 3 : depth + 1; /* what is added to a counter is used by way of that */
    if (LLVMIsAInstruction(user) && number && !LLVMIsALoadInst(user) && is_wanted(user, deeper))
      return true;
  }
  return false;
}

/* Can an instruction like INST, no phi, be a member at all? */
static bool is_candidate(LLVMValueRef inst)
{
  switch (LLVMGetInstructionOpcode(inst)) {
  case LLVMLoad:
    return is_simple_load(inst);
  case LLVMCall:
    return is_thread_address(inst);
  case LLVMSDiv:
  case LLVMSRem:
  case LLVMAShr:
    return true;
  default:
    return false;
  }
}

/* The loop inside IN (NULL: the function) around BLOCK, the outermost one; NULL if BLOCK is outside of IN or of all of
 * these. */
static tsr_loop child_around(struct tsr_analyses *a, LLVMBasicBlockRef block, tsr_loop in)
{
  tsr_loop loop = tsr_loop_for(a, block);
  while (loop && loop != in && tsr_loop_parent(loop) != in)
    loop = tsr_loop_parent(loop);
  return loop == in ? NULL : loop;
}

/* What tsr_invariants_find looks at, in the order of the function. */
struct scope {
  tsr_loop in; /* NULL: all of the function */
  LLVMValueRef *inst;
  int n;
  LLVMValueRef *store;
  int n_store;
};

/* Does LOOP, in S, store to exactly ADDRESS; if ANYWHERE, to anything with its base? */
static bool is_stored_to(struct tsr_analyses *a, const struct scope *s, tsr_scev address, tsr_loop loop, bool anywhere)
{
  LLVMValueRef base = tsr_scev_pointer_base(a, address);
  for (int i = 0; i < s->n_store; i++) {
    if (!tsr_loop_contains(loop, LLVMGetInstructionParent(s->store[i])))
      continue;
    tsr_scev to = tsr_scev_of(a, LLVMGetOperand(s->store[i], 1));
    if (to == address || (anywhere && to && base && tsr_scev_pointer_base(a, to) == base))
      return true;
  }
  return false;
}

/* Do X and Y compute the same from their first operand? */
static bool is_same_operation(LLVMValueRef x, LLVMValueRef y)
{
  return LLVMGetInstructionOpcode(x) == LLVMGetInstructionOpcode(y) &&
         (LLVMIsALoadInst(x) || LLVMGetOperand(x, 1) == LLVMGetOperand(y, 1));
}

/* The item of loads like INST from ADDRESS, for the loops inside IN; NULL: there is none. */
static struct tsr_invariant *item_with(struct tsr_invariants *v, tsr_scev address, LLVMValueRef inst, tsr_loop in)
{
  for (int i = 0; i < v->n; i++)
    if (v->item[i].address == address && v->item[i].type == LLVMTypeOf(inst) && v->item[i].in == in &&
        is_same_operation(v->item[i].member[0].inst, inst))
      return &v->item[i];
  return NULL;
}

/* The item that INST is a member of; NULL: there is none. */
static struct tsr_invariant *item_of_member(struct tsr_invariants *v, LLVMValueRef inst)
{
  for (int i = 0; i < v->n; i++)
    for (int k = 0; k < v->item[i].n_member; k++)
      if (v->item[i].member[k].inst == inst)
        return &v->item[i];
  return NULL;
}

/* Of phis only those of loop headers: what leaves a loop must leave it as the load. */
static bool is_replaceable(struct tsr_analyses *a, LLVMValueRef user)
{
  tsr_loop loop = tsr_loop_for(a, LLVMGetInstructionParent(user));
  return !LLVMIsAPHINode(user) || (loop && tsr_loop_header(loop) == LLVMGetInstructionParent(user));
}

/* Another member at the end of the N in LIST: uses of INST become VALUE's. */
static void member_add(struct tsr_analyses *a, struct tsr_member **list, int *n, LLVMValueRef inst, LLVMValueRef value)
{
  tsr_scev_forget_value(a, inst);
  *list = realloc(*list, (*n + 1) * sizeof(**list));
  struct tsr_member *member = &(*list)[(*n)++];
  *member = (struct tsr_member){.inst = inst};
  for (LLVMUseRef u = LLVMGetFirstUse(inst), next; u; u = next) {
    LLVMValueRef user = LLVMGetUser(u);
    next = LLVMGetNextUse(u);
    while (next && LLVMGetUser(next) == user) /* another operand of the same user */
      next = LLVMGetNextUse(next);
    for (int i = 0; is_replaceable(a, user) && i < LLVMGetNumOperands(user); i++)
      if (LLVMGetOperand(user, i) == inst) {
        member->use = realloc(member->use, (member->n_use + 1) * sizeof(*member->use));
        member->use[member->n_use++] = (struct tsr_use){user, i};
      }
  }
  for (int i = 0; i < member->n_use; i++)
    LLVMSetOperand(member->use[i].user, member->use[i].operand, value);
}

/* Uses of MEMBER become its own again. */
static void member_undo(const struct tsr_member *member)
{
  for (int u = 0; u < member->n_use; u++)
    LLVMSetOperand(member->use[u].user, member->use[u].operand, member->inst);
}

/* The proxy: in front of everything in IN, or in the function. */
static LLVMValueRef proxy_new(LLVMValueRef function, LLVMTypeRef type, tsr_loop in)
{
  LLVMValueRef at = LLVMGetFirstInstruction(in ? tsr_loop_header(in) : LLVMGetEntryBasicBlock(function));
  while (LLVMIsAPHINode(at))
    at = LLVMGetNextInstruction(at);
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
  LLVMPositionBuilderBefore(b, at);
  LLVMValueRef proxy = LLVMBuildFreeze(b, LLVMGetPoison(type), "");
  LLVMDisposeBuilder(b);
  return proxy;
}

/* "a", or "a_8": the location by its base and offset. */
static char *location_name(struct tsr_analyses *a, tsr_scev address)
{
  LLVMValueRef base = tsr_scev_pointer_base(a, address);
  tsr_scev offset = tsr_scev_pointer_offset(a, address);
  int64_t bytes = 0;
  char *source = base ? tsr_source_name(base) : NULL, *name = NULL;
  if (source && offset && tsr_scev_constant(offset, &bytes) && bytes >= 0) {
    name = malloc(strlen(source) + 24);
    sprintf(name, bytes ? "%s_%d" : "%s", source, (int)bytes);
  }
  free(source);
  return name;
}

/* Is INST executed in each iteration of the loop around it? What is loaded under a condition on data is better left there:
 * it could hardly be loaded in front. */
static bool runs_each_time(struct tsr_analyses *a, LLVMValueRef inst)
{
  tsr_loop loop = tsr_loop_for(a, LLVMGetInstructionParent(inst));
  LLVMBasicBlockRef latch = loop ? tsr_loop_latch(loop) : NULL;
  return latch && tsr_dominates(a, inst, LLVMGetBasicBlockTerminator(latch));
}

/* INST becomes a member, of a new item unless ONLY_JOIN: true, if that can be and something is gained. */
static bool consider(struct tsr_invariants *v, struct tsr_analyses *a, const struct scope *s, LLVMValueRef inst,
                     bool only_join)
{
  tsr_loop in = s->in, child = child_around(a, LLVMGetInstructionParent(inst), in);
  if (only_join != !child || item_of_member(v, inst))
    return false;
  bool call = LLVMIsACallInst(inst), load = LLVMIsALoadInst(inst), pure = !call && !load;
  if (pure && !is_pure_unknown(a, inst))
    return false;
  tsr_scev address = tsr_scev_of(a, LLVMGetOperand(inst, 0));
  if (!address)
    return false;
  struct tsr_invariant *item = item_with(v, address, inst, in);
  if (!item) {
    bool floating = load && is_floating(LLVMTypeOf(inst));
    if (only_join || (floating && !runs_each_time(a, inst)) || v->n == MAX_ITEMS ||
        !tsr_scev_is_invariant(a, address, child) || !is_wanted(inst, 0) ||
        (load && is_stored_to(a, s, address, child, floating)))
      return false;
    if (!v->item) /* never moves: models point into it */
      v->item = malloc(MAX_ITEMS * sizeof(*v->item));
    item = &v->item[v->n++];
    *item = (struct tsr_invariant){.address = address, .type = LLVMTypeOf(inst), .in = in, .is_call = call, .is_pure = pure};
    item->name = pure ? NULL : location_name(a, address);
    item->proxy = proxy_new(LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst)), item->type, in);
  }
  member_add(a, &item->member, &item->n_member, inst, item->proxy);
  return true;
}

/* The item that PROXY stands for; NULL: there is none. */
static struct tsr_invariant *item_of_proxy(struct tsr_invariants *v, LLVMValueRef proxy)
{
  for (int i = 0; i < v->n; i++)
    if (v->item[i].proxy == proxy)
      return &v->item[i];
  return NULL;
}

/* May a call in LOOP change what is loaded? */
static bool has_calls(LLVMValueRef function, tsr_loop loop)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = tsr_loop_contains(loop, b) ? LLVMGetFirstInstruction(b) : NULL; i; i = LLVMGetNextInstruction(i))
      if (LLVMIsACallInst(i) && !LLVMIsAIntrinsicInst(i))
        return true;
  return false;
}

/* The same of what is computed from such loads, n * m: the phi's uses become those of a value that comes in and that is
 * there all the time, if scalar evolution says that the others are equal. */
static bool consider_equal(struct tsr_invariants *v, struct tsr_analyses *a, LLVMValueRef phi, tsr_loop loop)
{
  LLVMValueRef value = NULL;
  tsr_scev s = NULL;
  if (LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMIntegerTypeKind || !LLVMGetFirstUse(phi) || !is_wanted(phi, 0))
    return false;
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMValueRef one = LLVMGetIncomingValue(phi, i);
    tsr_scev same = tsr_scev_of(a, one);
    if (!same || (s && s != same))
      return false;
    s = same;
    if (!value && LLVMIsAInstruction(one) && tsr_dominates(a, one, phi))
      value = one;
  }
  if (value && has_calls(LLVMGetBasicBlockParent(LLVMGetInstructionParent(phi)), loop))
    return false;
  if (value)
    member_add(a, &v->same, &v->n_same, phi, value);
  return value != NULL;
}

/* Rotation makes a phi of the load in front of a loop and the one at its end, and others behind it, where they meet: the
 * same value. */
static bool consider_phi(struct tsr_invariants *v, struct tsr_analyses *a, LLVMValueRef phi)
{
  tsr_loop loop = tsr_loop_for(a, LLVMGetInstructionParent(phi));
  if (!loop || item_of_member(v, phi))
    return false;
  bool in_header = tsr_loop_header(loop) == LLVMGetInstructionParent(phi);
  struct tsr_invariant *item = NULL;
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMValueRef value = LLVMGetIncomingValue(phi, i);
    struct tsr_invariant *one = value == phi ? item : item_of_proxy(v, value);
    if (!one && !in_header) /* there they stay as they are */
      one = item_of_member(v, value);
    if (!one || (item && one != item))
      return in_header && consider_equal(v, a, phi, loop);
    item = one;
  }
  member_add(a, &item->member, &item->n_member, phi, item->proxy);
  return true;
}

/* Proxies come and go, but of what is looked at none does. */
static struct scope scope_of(LLVMValueRef function, tsr_loop in)
{
  struct scope s = {.in = in};
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = !in || tsr_loop_contains(in, b) ? LLVMGetFirstInstruction(b) : NULL; i;
         i = LLVMGetNextInstruction(i)) {
      bool store = LLVMIsAStoreInst(i);
      if (!store && !LLVMIsAPHINode(i) && !is_candidate(i))
        continue;
      LLVMValueRef **list = store ? &s.store : &s.inst;
      int *n = store ? &s.n_store : &s.n;
      if (*n % 64 == 0)
        *list = realloc(*list, (*n + 64) * sizeof(**list));
      (*list)[(*n)++] = i;
    }
  return s;
}

/* Has V been searched for what is invariant in the loops inside IN? It has from now on. */
static bool was_searched(struct tsr_invariants *v, tsr_loop in)
{
  for (int i = 0; i < v->n_searched; i++)
    if (v->searched[i] == in)
      return true;
  v->searched = realloc(v->searched, (v->n_searched + 1) * sizeof(*v->searched));
  v->searched[v->n_searched++] = in;
  return false;
}

void tsr_invariants_find(struct tsr_invariants *v, struct tsr_analyses *a, LLVMValueRef function, tsr_loop in)
{
  bool again = !was_searched(v, in);
  if (!again)
    return;
  struct scope s = scope_of(function, in);
  for (int round = 0; again && round < MAX_ROUNDS; round++) { /* a proxy may be in the address of the next */
    again = false;
    for (int join = 0; join < 2; join++) /* first loads in loops, then those beside them */
      for (int i = 0; i < s.n; i++)
        again |= LLVMIsAPHINode(s.inst[i]) ? v->n && consider_phi(v, a, s.inst[i]) : consider(v, a, &s, s.inst[i], join);
    if (again)
      tsr_scev_forget_loop(a, in);
  }
  free(s.inst);
  free(s.store);
}

void tsr_invariants_undo(struct tsr_invariants *v)
{
  for (int i = 0; i < v->n; i++)
    for (int k = 0; k < v->item[i].n_member; k++)
      member_undo(&v->item[i].member[k]);
  for (int i = v->n_same - 1; i >= 0; i--) /* the last first: its value may be the uses of one before */
    member_undo(&v->same[i]);
}

bool tsr_invariants_clear(struct tsr_invariants *v)
{
  bool unused = true;
  for (int i = v->n - 1; i >= 0; i--) {
    unused &= LLVMGetFirstUse(v->item[i].proxy) == NULL;
    if (!LLVMGetFirstUse(v->item[i].proxy))
      LLVMInstructionEraseFromParent(v->item[i].proxy);
    for (int k = 0; k < v->item[i].n_member; k++)
      free(v->item[i].member[k].use);
    free(v->item[i].member);
    free(v->item[i].name);
  }
  for (int i = 0; i < v->n_same; i++)
    free(v->same[i].use);
  free(v->same);
  free(v->item);
  free(v->searched);
  *v = (struct tsr_invariants){0};
  return unused;
}

const struct tsr_invariant *tsr_invariant_of(const struct tsr_invariants *v, LLVMValueRef proxy)
{
  for (int i = 0; v && i < v->n; i++)
    if (v->item[i].proxy == proxy)
      return &v->item[i];
  return NULL;
}
