/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scalar evolution expressions as polynomials over the integers.
 *
 * A polynomial P stands for an expression of width w modulo 2^w: addition, multiplication and truncation are homomorphisms,
 * so nothing can go wrong there. Where an expression's number matters (extension, division, maximum, comparison, trip
 * count), P must lie in the range of the type at the points that evaluate it; where it doesn't, the SCoP's assumption is
 * violated:
 *
 *   zext_32(n - 1)   ->   n - 1,  violated += { domain and (n - 1 < 0 or n - 1 >= 2^32) }
 *
 * A few bits come from masks and remainders, which are meant to wrap:
 *
 *   zext_1(trunc_1(i))   ->   i mod 2,  of i & 1 or i % 2
 *
 * Loop counters are isl parameters here ("i0", "i1", ...) until memory/element_maps.c turns them into dimensions. */
#include "read/values/values.h"
#include <isl/val.h>

/* The atom for EXPR, which is taken; NULL if EXPR is. */
static struct tsr_poly *poly_expr(struct tsr_model *m, isl_pw_aff *expr)
{
  if (!expr)
    return NULL;
  return tsr_poly_atom(tsr_atom_new(m, (struct tsr_atom){.kind = TSR_ATOM_EXPR, .expr = expr}));
}

/* Do numbers of BITS bits come from masks rather than from variables? Larger masks than these are taken for variables: isl
 * can take too long with numbers modulo 2^16. */
static bool is_mask(unsigned bits)
{
  return bits < 8;
}

/* The number of BITS bits that P, which may be out of their range, stands for. Takes P. */
static struct tsr_poly *wrap(struct tsr_model *m, struct tsr_poly *p, unsigned bits, enum tsr_sign sign)
{
  int64_t all = INT64_C(1) << bits, half = sign == TSR_SIGNED ? all / 2 : 0;
  for (int i = 0; i < p->n; i++) { /* the same modulo 2^bits, in smaller numbers */
    int64_t rest = (p->term[i].coef % all + all) % all;
    p->term[i].coef = rest > all / 2 ? rest - all : rest;
  }
  isl_pw_aff *value = isl_pw_aff_add(tsr_poly_to_pw_aff(m, p), tsr_pw_aff_const(m, half));
  tsr_poly_free(p);
  value = isl_pw_aff_mod_val(value, isl_val_int_from_si(m->ctx, all));
  return poly_expr(m, isl_pw_aff_sub(value, tsr_pw_aff_const(m, half)));
}

/* STEP / BY if that is a polynomial; else NULL. Takes BY. */
static struct tsr_poly *ratio(const struct tsr_poly *step, struct tsr_poly *by)
{
  struct tsr_poly *times = NULL, *rest = NULL;
  int64_t sign = by && by->n > 0 && by->term[0].coef < 0 ? -1 : 1;
  by = tsr_poly_scale(by, sign);
  bool exact = by && by->n > 0 && tsr_poly_divide(tsr_poly_copy(step), by, &times, &rest) && rest->n == 0;
  tsr_poly_free(by);
  tsr_poly_free(rest);
  return exact ? tsr_poly_scale(times, sign) : tsr_poly_free(times);
}

/* {start, +, step} of a loop around the SCoP, from a header phi {s, +, t} of that loop: start + step/t * (phi - s). The phi
 * may have fewer bits, if none are lost. */
static struct tsr_poly *outer_addrec(struct tsr_model *m, tsr_scev s, isl_set *domain, tsr_loop loop)
{
  tsr_loop of = tsr_scev_loop(s);
  struct tsr_poly *step = tsr_poly_of(m, tsr_scev_operand(s, 1), TSR_MODULO, domain, loop);
  for (LLVMValueRef i = LLVMGetFirstInstruction(tsr_loop_header(of)); step && i && LLVMIsAPHINode(i);
       i = LLVMGetNextInstruction(i)) {
    tsr_scev p = LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind ? tsr_scev_of(m->a, i) : NULL;
    if (!p || tsr_scev_kind(p) != TSR_SCEV_ADDREC || tsr_scev_loop(p) != of || tsr_scev_n_operand(p) != 2)
      continue;
    bool narrow = tsr_scev_bits(m->a, p) < tsr_scev_bits(m->a, s);
    if (narrow && !tsr_scev_is_exact(m->a, p))
      continue;
    enum tsr_sign sign = narrow ? TSR_SIGNED : TSR_MODULO;
    struct tsr_poly *times = ratio(step, tsr_poly_of(m, tsr_scev_operand(p, 1), sign, domain, loop));
    struct tsr_poly *from = times ? tsr_poly_of(m, tsr_scev_operand(p, 0), sign, domain, loop) : NULL;
    struct tsr_poly *start = from ? tsr_poly_of(m, tsr_scev_operand(s, 0), TSR_MODULO, domain, loop) : NULL;
    if (start) {
      tsr_poly_free(step);
      return tsr_poly_add(start, tsr_poly_mul(times, tsr_poly_sub(tsr_poly_atom(tsr_atom_param(m, i)), from)));
    }
    tsr_poly_free(times);
    tsr_poly_free(from);
  }
  return tsr_poly_free(step);
}

/* {start, +, step}: start + step * counter */
static struct tsr_poly *addrec(struct tsr_model *m, tsr_scev s, isl_set *domain, tsr_loop loop)
{
  tsr_loop of = tsr_scev_loop(s);
  struct tsr_poly *counter = NULL;
  if (tsr_scev_n_operand(s) != 2)
    return NULL;
  if (!tsr_blocks_have(&m->blocks, tsr_loop_header(of)))
    return outer_addrec(m, s, domain, loop);
  if (!loop || !tsr_loop_contains_loop(of, loop))
    return NULL;
  counter = tsr_poly_atom(tsr_atom_dim(m, of));
  struct tsr_poly *start = tsr_poly_of(m, tsr_scev_operand(s, 0), TSR_MODULO, domain, loop);
  bool saved = m->in_factor;
  m->in_factor = true;
  struct tsr_poly *step = tsr_poly_of(m, tsr_scev_operand(s, 1), TSR_MODULO, domain, loop);
  m->in_factor = saved;
  return tsr_poly_add(start, tsr_poly_mul(step, counter));
}

/* max(c, p) as a factor, p of parameters alone, as Fortran's extents are: assumed to be p. NULL: it is none of these. */
static struct tsr_poly *factor_max(struct tsr_model *m, tsr_scev s, isl_set *domain, tsr_loop loop)
{
  int64_t least;
  if (!m->in_factor || tsr_scev_n_operand(s) != 2 || !tsr_scev_constant(tsr_scev_operand(s, 0), &least))
    return NULL;
  struct tsr_poly *p = tsr_poly_of(m, tsr_scev_operand(s, 1), TSR_SIGNED, domain, loop);
  isl_pw_aff *value = tsr_poly_to_pw_aff(m, p);
  for (int i = 0; p && i < p->n; i++)
    for (int k = 0; k < p->term[i].degree; k++)
      if (m->atoms[p->term[i].atom[k]].kind != TSR_ATOM_PARAM) {
        isl_pw_aff_free(value);
        return tsr_poly_free(p);
      }
  if (value && tsr_model_assume_not(m, isl_set_copy(domain), isl_pw_aff_lt_set(value, tsr_pw_aff_const(m, least))))
    return p;
  return tsr_poly_free(p);
}

/* A minimum or maximum of affine expressions */
static struct tsr_poly *extremum(struct tsr_model *m, tsr_scev s, enum tsr_scev_kind kind, isl_set *domain, tsr_loop loop)
{
  bool is_signed = kind == TSR_SCEV_SMAX || kind == TSR_SCEV_SMIN;
  bool is_max = kind == TSR_SCEV_SMAX || kind == TSR_SCEV_UMAX;
  isl_pw_aff *all = NULL;
  struct tsr_poly *simple = kind == TSR_SCEV_SMAX ? factor_max(m, s, domain, loop) : NULL;
  if (simple)
    return simple;
  for (unsigned i = 0; i < tsr_scev_n_operand(s); i++) {
    struct tsr_poly *p = tsr_poly_of(m, tsr_scev_operand(s, i), is_signed ? TSR_SIGNED : TSR_UNSIGNED, domain, loop);
    isl_pw_aff *one = tsr_poly_to_pw_aff(m, p);
    tsr_poly_free(p);
    if (!one)
      return isl_pw_aff_free(all), NULL;
    all = !all ? one : is_max ? isl_pw_aff_max(all, one) : isl_pw_aff_min(all, one);
  }
  return poly_expr(m, isl_pw_aff_coalesce(all));
}

/* A division of numbers without sign by a constant */
static struct tsr_poly *quotient(struct tsr_model *m, tsr_scev s, isl_set *domain, tsr_loop loop)
{
  int64_t divisor;
  if (!tsr_scev_constant(tsr_scev_operand(s, 1), &divisor) || divisor <= 0 || divisor > TSR_MAX_COEF)
    return NULL;
  struct tsr_poly *p = tsr_poly_of(m, tsr_scev_operand(s, 0), TSR_UNSIGNED, domain, loop);
  isl_pw_aff *value = tsr_poly_to_pw_aff(m, p);
  tsr_poly_free(p);
  if (!value)
    return NULL;
  return poly_expr(m, isl_pw_aff_floor(isl_pw_aff_scale_down_val(value, isl_val_int_from_si(m->ctx, divisor))));
}

/* X in ptrtoint(X), or in -1 * ptrtoint(X) if NEGATIVE; NULL else, or if the SCoP computes it. */
static LLVMValueRef pointer_in(struct tsr_model *m, tsr_scev s, bool negative)
{
  int64_t factor;
  if (negative) {
    if (tsr_scev_kind(s) != TSR_SCEV_MUL || tsr_scev_n_operand(s) != 2 ||
        !tsr_scev_constant(tsr_scev_operand(s, 0), &factor) || factor != -1)
      return NULL;
    s = tsr_scev_operand(s, 1);
  }
  if (tsr_scev_kind(s) != TSR_SCEV_PTRTOINT || tsr_scev_bits(m->a, s) != 64 ||
      tsr_scev_kind(tsr_scev_operand(s, 0)) != TSR_SCEV_UNKNOWN)
    return NULL;
  LLVMValueRef pointer = tsr_scev_value(tsr_scev_operand(s, 0));
  return tsr_model_in_region(m, pointer) ? NULL : pointer;
}

/* A sum in which pointers come in pairs, end - begin: each pair is a parameter. NULL if there is none. */
static struct tsr_poly *sum_of_distances(struct tsr_model *m, tsr_scev s, isl_set *domain, tsr_loop loop)
{
  struct tsr_poly *all = tsr_poly_const(0);
  LLVMValueRef end = NULL, begin = NULL;
  for (unsigned i = 0; i < tsr_scev_n_operand(s); i++) {
    tsr_scev one = tsr_scev_operand(s, i);
    LLVMValueRef plus = pointer_in(m, one, false), minus = pointer_in(m, one, true);
    if ((plus && end) || (minus && begin))
      return tsr_poly_free(all);
    end = plus ? plus : end;
    begin = minus ? minus : begin;
    if (!plus && !minus)
      all = tsr_poly_add(all, tsr_poly_of(m, one, TSR_MODULO, domain, loop));
  }
  return end && begin && all ? tsr_poly_add(all, tsr_poly_atom(tsr_atom_distance(m, end, begin))) : tsr_poly_free(all);
}

/* The sum of S's operands, or their product */
static struct tsr_poly *sum_or_product(struct tsr_model *m, tsr_scev s, bool sum, isl_set *domain, tsr_loop loop)
{
  struct tsr_poly *all = tsr_poly_const(sum ? 0 : 1);
  bool saved = m->in_factor;
  m->in_factor |= !sum;
  for (unsigned i = 0; all && i < tsr_scev_n_operand(s); i++) {
    struct tsr_poly *p = tsr_poly_of(m, tsr_scev_operand(s, i), TSR_MODULO, domain, loop);
    all = sum ? tsr_poly_add(all, p) : tsr_poly_mul(all, p);
  }
  m->in_factor = saved;
  return all;
}

/* Signed division and remainder by a constant, arithmetic shift, low-bit mask: what scalar evolution leaves alone when it
 * doesn't know the sign. C's division truncates: isl's tdiv. */
static struct tsr_poly *signed_quotient(struct tsr_model *m, LLVMValueRef value, isl_set *domain, tsr_loop loop)
{
  LLVMOpcode op = LLVMGetInstructionOpcode(value);
  if (op != LLVMSDiv && op != LLVMSRem && op != LLVMAShr && op != LLVMAnd)
    return NULL;
  LLVMValueRef by = LLVMGetOperand(value, 1);
  unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(value));
  if (!LLVMIsAConstantInt(by) || bits > 64)
    return NULL;
  int64_t c = LLVMConstIntGetSExtValue(by);
  if (op == LLVMAShr && (c < 0 || c > 30 || c >= bits))
    return NULL;
  c = op == LLVMAShr ? INT64_C(1) << c : op == LLVMAnd ? c + 1 : c;
  if (c <= 0 || c >= TSR_MAX_COEF || (op == LLVMAnd && (c & (c - 1))))
    return NULL;
  struct tsr_poly *p = tsr_poly_of(m, tsr_scev_at(m->a, LLVMGetOperand(value, 0), loop),
                                   op == LLVMAnd ? TSR_MODULO : TSR_SIGNED, domain, loop);
  if (p && tsr_poly_degree(p) > 1 && (op == LLVMAShr || op == LLVMSDiv)) /* a stride in bytes: without rest, by assumption */
    return tsr_poly_in_elements(m, p, (int)c, domain);
  isl_pw_aff *x = tsr_poly_to_pw_aff(m, p);
  tsr_poly_free(p);
  if (!x)
    return NULL;
  isl_val *v = isl_val_int_from_si(m->ctx, c);
  if (op == LLVMAnd)
    return poly_expr(m, isl_pw_aff_mod_val(x, v));
  if (op == LLVMAShr)
    return poly_expr(m, isl_pw_aff_floor(isl_pw_aff_scale_down_val(x, v)));
  isl_val_free(v);
  return poly_expr(m, op == LLVMSDiv ? isl_pw_aff_tdiv_q(x, tsr_pw_aff_const(m, c))
                                     : isl_pw_aff_tdiv_r(x, tsr_pw_aff_const(m, c)));
}

/* The most periods that the left side of a remainder spans: for (j - 1 + n) % n two. */
#define MOST_PERIODS 3

/* x - k n for k n <= x < (k + 1) n */
static isl_pw_aff *in_periods(isl_pw_aff *x, isl_pw_aff *n)
{
  isl_pw_aff *all = isl_pw_aff_copy(x), *rest = isl_pw_aff_copy(x);
  for (int k = 1; k < MOST_PERIODS; k++) {
    isl_pw_aff *end = isl_pw_aff_scale_val(isl_pw_aff_copy(n), isl_val_int_from_si(isl_pw_aff_get_ctx(n), k));
    isl_set *behind = isl_pw_aff_ge_set(isl_pw_aff_copy(x), end);
    rest = isl_pw_aff_sub(rest, isl_pw_aff_copy(n));
    all = isl_pw_aff_cond(isl_set_indicator_function(behind), isl_pw_aff_copy(rest), all);
  }
  isl_pw_aff_free(rest);
  return all;
}

/* x % n, as periodic borders have it: where 0 <= x < MOST_PERIODS * n. */
static struct tsr_poly *periodic(struct tsr_model *m, LLVMValueRef value, isl_set *domain, tsr_loop loop)
{
  LLVMOpcode op = LLVMGetInstructionOpcode(value);
  if ((op != LLVMSRem && op != LLVMURem) || LLVMIsAConstantInt(LLVMGetOperand(value, 1)))
    return NULL;
  isl_pw_aff *side[2];
  for (int i = 0; i < 2; i++) {
    struct tsr_poly *p = tsr_poly_of(m, tsr_scev_at(m->a, LLVMGetOperand(value, (unsigned)i), loop),
                                     op == LLVMSRem ? TSR_SIGNED : TSR_UNSIGNED, domain, loop);
    side[i] = tsr_poly_to_pw_aff(m, p);
    tsr_poly_free(p);
  }
  struct tsr_poly *rest = NULL;
  if (side[0] && side[1]) {
    isl_val *most = isl_val_int_from_si(m->ctx, MOST_PERIODS);
    isl_pw_aff *end = isl_pw_aff_scale_val(isl_pw_aff_copy(side[1]), most);
    isl_set *good =
        isl_set_intersect(isl_pw_aff_nonneg_set(isl_pw_aff_copy(side[0])), isl_pw_aff_lt_set(isl_pw_aff_copy(side[0]), end));
    if (isl_set_is_subset(domain, good) == isl_bool_true)
      rest = poly_expr(m, isl_pw_aff_coalesce(in_periods(side[0], side[1])));
    isl_set_free(good);
  }
  isl_pw_aff_free(side[0]);
  isl_pw_aff_free(side[1]);
  return rest;
}

/* Is P a sum of products of parameters? */
static bool is_of_parameters(const struct tsr_model *m, const struct tsr_poly *p)
{
  for (int i = 0; i < p->n; i++)
    for (int k = 0; k < p->term[i].degree; k++)
      if (m->atoms[p->term[i].atom[k]].kind != TSR_ATOM_PARAM)
        return false;
  return true;
}

/* c ? a : b of polynomials, as a neighbour's offset is at a border, or not: b + (c ? 1 : 0) * (a - b). NULL where that
 * difference isn't of parameters alone. Takes all. */
static struct tsr_poly *polynomial_choice(struct tsr_model *m, isl_set *yes, struct tsr_poly *a, struct tsr_poly *b)
{
  struct tsr_poly *way = a && b ? tsr_poly_sub(tsr_poly_copy(a), tsr_poly_copy(b)) : NULL, *chosen = NULL;
  if (way && is_of_parameters(m, way)) {
    struct tsr_poly *is = poly_expr(m, isl_pw_aff_coalesce(isl_set_indicator_function(isl_set_copy(yes))));
    chosen = tsr_poly_add(tsr_poly_copy(b), tsr_poly_mul(is, tsr_poly_copy(way)));
  }
  isl_set_free(yes);
  tsr_poly_free(way);
  tsr_poly_free(a);
  tsr_poly_free(b);
  return chosen;
}

/* c ? a : b, where scalar evolution sees no minimum or maximum. */
static struct tsr_poly *choice(struct tsr_model *m, LLVMValueRef value, isl_set *domain, tsr_loop loop)
{
  isl_set *yes = LLVMIsASelectInst(value) ? tsr_condition_set(m, LLVMGetOperand(value, 0), domain, loop) : NULL;
  struct tsr_poly *arm[2] = {NULL, NULL};
  isl_pw_aff *affine[2] = {NULL, NULL};
  if (!yes)
    return NULL;
  for (int i = 0; i < 2; i++) {
    isl_set *where = isl_set_copy(domain);
    where = i ? isl_set_subtract(where, isl_set_copy(yes)) : isl_set_intersect(where, isl_set_copy(yes));
    arm[i] = tsr_poly_of(m, tsr_scev_at(m->a, LLVMGetOperand(value, i + 1), loop), TSR_SIGNED, where, loop);
    affine[i] = tsr_poly_to_pw_aff(m, arm[i]);
    isl_set_free(where);
  }
  if (!affine[0] || !affine[1]) {
    isl_pw_aff_free(affine[0]);
    isl_pw_aff_free(affine[1]);
    return polynomial_choice(m, yes, arm[0], arm[1]);
  }
  tsr_poly_free(arm[0]);
  tsr_poly_free(arm[1]);
  return poly_expr(m, isl_pw_aff_coalesce(isl_pw_aff_cond(isl_set_indicator_function(yes), affine[0], affine[1])));
}

/* What VALUE, a late phi or counted in the loop OF, was BACK iterations ago, over parameters and counters; NULL: there is no
 * such expression. */
static isl_pw_aff *value_before(struct tsr_model *m, LLVMValueRef value, tsr_loop of, int back, isl_set *domain,
                                tsr_loop loop)
{
  LLVMValueRef start, before;
  if (!tsr_phi_is_late(m, value, &start, &before)) {
    struct tsr_poly *step = tsr_poly_of(m, tsr_counted_step(m, value, tsr_loop_header(of)), TSR_SIGNED, domain, loop);
    struct tsr_poly *now = tsr_poly_of(m, tsr_scev_of(m->a, value), TSR_MODULO, domain, loop);
    now = tsr_poly_add(now, tsr_poly_scale(step, -back));
    isl_pw_aff *was = tsr_poly_to_pw_aff(m, now);
    tsr_poly_free(now);
    return was;
  }
  isl_pw_aff *then = value_before(m, before, of, back + 1, domain, loop);
  struct tsr_poly *first = then ? tsr_poly_of(m, tsr_scev_at(m->a, start, loop), TSR_SIGNED, domain, loop) : NULL;
  isl_pw_aff *at_first = tsr_poly_to_pw_aff(m, first);
  tsr_poly_free(first);
  struct tsr_poly *number = tsr_poly_atom(tsr_atom_dim(m, of));
  isl_set *is_first = isl_pw_aff_eq_set(tsr_poly_to_pw_aff(m, number), tsr_pw_aff_const(m, back));
  tsr_poly_free(number);
  if (then && at_first)
    return isl_pw_aff_cond(isl_set_indicator_function(is_first), at_first, then);
  isl_set_free(is_first);
  isl_pw_aff_free(then);
  return isl_pw_aff_free(at_first);
}

/* The value of PHI, where LOOP is the innermost loop around, if it is late (tsr_phi_is_late); else NULL. */
static isl_pw_aff *late_value(struct tsr_model *m, LLVMValueRef phi, isl_set *domain, tsr_loop loop)
{
  LLVMValueRef start, before;
  tsr_loop of = tsr_loop_for(m->a, LLVMGetInstructionParent(phi));
  if (!LLVMIsAPHINode(phi) || !tsr_phi_is_late(m, phi, &start, &before) || !loop || !tsr_loop_contains_loop(of, loop))
    return NULL;
  return isl_pw_aff_coalesce(value_before(m, phi, of, 0, domain, loop));
}

/* What isl can express of VALUE, an instruction of the region that scalar evolution takes as it is. */
static struct tsr_poly *of_instruction(struct tsr_model *m, LLVMValueRef value, isl_set *domain, tsr_loop loop)
{
  if (LLVMIsASelectInst(value))
    return choice(m, value, domain, loop);
  if (LLVMIsAPHINode(value))
    return poly_expr(m, late_value(m, value, domain, loop));
  struct tsr_poly *quotient = signed_quotient(m, value, domain, loop);
  return quotient ? quotient : periodic(m, value, domain, loop);
}

/* x, if VALUE or what it stands for is x / -1, as Fortran has it for the trip count of a loop that runs down; else NULL. */
static tsr_scev negated(struct tsr_model *m, LLVMValueRef value, tsr_loop loop)
{
  const struct tsr_invariant *item = tsr_invariant_of(m->invariants, value);
  LLVMValueRef inst = item && item->is_pure ? item->member[0].inst : value;
  if (!LLVMIsAInstruction(inst) || LLVMGetInstructionOpcode(inst) != LLVMSDiv)
    return NULL;
  LLVMValueRef by = LLVMGetOperand(inst, 1);
  if (!LLVMIsAConstantInt(by) || LLVMGetIntTypeWidth(LLVMTypeOf(by)) > 64 || LLVMConstIntGetSExtValue(by) != -1)
    return NULL;
  return item ? item->address : tsr_scev_at(m->a, LLVMGetOperand(inst, 0), loop);
}

/* A value that scalar evolution takes as it is: a parameter, or arithmetic that isl can express. */
static struct tsr_poly *unknown(struct tsr_model *m, tsr_scev s, isl_set *domain, tsr_loop loop)
{
  LLVMValueRef value = tsr_scev_value(s);
  tsr_scev minus = negated(m, value, loop);
  if (minus)
    return tsr_poly_scale(tsr_poly_of(m, minus, TSR_SIGNED, domain, loop), -1);
  if (tsr_model_in_region(m, value) && !tsr_can_hoist(m, value, 0))
    return of_instruction(m, value, domain, loop);
  if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
    return NULL;
  if (!tsr_can_hoist(m, value, 0) || LLVMIsConstant(value))
    return NULL;
  return tsr_poly_atom(tsr_atom_param(m, value));
}

/* The parameter for all of S; NULL: S can't be computed in front of the SCoP. */
static struct tsr_poly *atom_scev(struct tsr_model *m, tsr_scev s)
{
  for (int i = 0; i < m->n_atom; i++)
    if (m->atoms[i].kind == TSR_ATOM_PARAM && m->atoms[i].scev == s)
      return tsr_poly_atom(i);
  if (!tsr_scev_can_hoist(m, s))
    return NULL;
  return tsr_poly_atom(
      tsr_atom_new(m, (struct tsr_atom){.kind = TSR_ATOM_PARAM, .scev = s, .name = tsr_atom_name(m, NULL, "p")}));
}

/* zext(n) of a parameter narrower than int, which C extends wherever it uses it, to one type or another: a parameter that is
 * never negative. NULL: S is something else. */
static struct tsr_poly *extended_param(struct tsr_model *m, tsr_scev s)
{
  tsr_scev narrow = tsr_scev_operand(s, 0);
  if (tsr_scev_kind(narrow) != TSR_SCEV_UNKNOWN || tsr_scev_bits(m->a, narrow) >= 32)
    return NULL;
  for (int i = 0; i < m->n_atom; i++) {
    if (m->atoms[i].kind == TSR_ATOM_PARAM && m->atoms[i].value == tsr_scev_value(narrow))
      return NULL; /* else the two would have nothing to do with each other */
    tsr_scev other = m->atoms[i].kind == TSR_ATOM_PARAM ? m->atoms[i].scev : NULL;
    if (other && tsr_scev_kind(other) == TSR_SCEV_ZEXT && tsr_scev_operand(other, 0) == narrow)
      return tsr_poly_atom(i);
  }
  return atom_scev(m, s);
}

struct tsr_poly *tsr_poly_invariant(struct tsr_model *m, tsr_scev s, enum tsr_sign sign, isl_set *domain)
{
  struct tsr_poly *p = s ? atom_scev(m, s) : NULL;
  return p && !tsr_poly_assume_in_range(m, p, tsr_scev_bits(m->a, s), sign, domain) ? tsr_poly_free(p) : p;
}

/* S modulo its width; NULL if it is no polynomial. */
static struct tsr_poly *convert(struct tsr_model *m, tsr_scev s, isl_set *domain, tsr_loop loop)
{
  int64_t value;
  struct tsr_poly *param;
  enum tsr_scev_kind kind = tsr_scev_kind(s);
  switch (kind) {
  case TSR_SCEV_CONSTANT:
    return tsr_scev_constant(s, &value) ? tsr_poly_const(value) : NULL;
  case TSR_SCEV_UNKNOWN:
    return unknown(m, s, domain, loop);
  case TSR_SCEV_ADD:
    for (unsigned i = 0; i < tsr_scev_n_operand(s); i++)
      if (pointer_in(m, tsr_scev_operand(s, i), false))
        return sum_of_distances(m, s, domain, loop);
    return sum_or_product(m, s, true, domain, loop);
  case TSR_SCEV_MUL:
    return sum_or_product(m, s, false, domain, loop);
  case TSR_SCEV_UDIV:
    return tsr_scev_constant(tsr_scev_operand(s, 1), &value) && value > TSR_MAX_COEF ? atom_scev(m, s)
                                                                                     : quotient(m, s, domain, loop);
  case TSR_SCEV_ADDREC:
    return addrec(m, s, domain, loop);
  case TSR_SCEV_SEXT:
    return tsr_poly_of(m, tsr_scev_operand(s, 0), TSR_SIGNED, domain, loop);
  case TSR_SCEV_ZEXT:
    param = extended_param(m, s);
    return param ? param : tsr_poly_of(m, tsr_scev_operand(s, 0), TSR_UNSIGNED, domain, loop);
  case TSR_SCEV_TRUNC:
    return tsr_poly_of(m, tsr_scev_operand(s, 0), TSR_MODULO, domain, loop);
  case TSR_SCEV_SMAX:
  case TSR_SCEV_UMAX:
  case TSR_SCEV_SMIN:
  case TSR_SCEV_UMIN:
    return extremum(m, s, kind, domain, loop);
  case TSR_SCEV_PTRTOINT:
  case TSR_SCEV_OTHER:
    break;
  }
  return NULL;
}

struct tsr_poly *tsr_poly_of(struct tsr_model *m, tsr_scev scev, enum tsr_sign sign, isl_set *domain, tsr_loop loop)
{
  int64_t value;
  if (!scev)
    return NULL;
  if (tsr_scev_constant(scev, &value)) { /* signed; as unsigned only if it isn't negative */
    unsigned bits = tsr_scev_bits(m->a, scev);
    if (sign == TSR_UNSIGNED && value < 0 && bits <= 48)
      value += INT64_C(1) << bits;
    return sign == TSR_UNSIGNED && value < 0 ? NULL : tsr_poly_const(value);
  }
  unsigned bits = tsr_scev_bits(m->a, scev);
  struct tsr_poly *p = convert(m, scev, domain, loop);
  if (!p)
    return m->take_data ? tsr_poly_data(m, scev, sign) : NULL;
  if (sign != TSR_MODULO && tsr_poly_degree(p) <= 1 && is_mask(bits) && !m->take_data &&
      !tsr_poly_is_in_range(m, p, bits, sign, domain))
    return wrap(m, p, bits, sign);
  return tsr_poly_assume_in_range(m, p, bits, sign, domain) ? p : tsr_poly_free(p);
}
