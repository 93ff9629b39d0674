/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How many instances may a run of nodes have? An upper bound at a glance, before anything is modelled: every block counts
 * for as many statements as it may be split into, every loop for
 *
 *   for (i = 0; i < 8; i++)               8           what scalar evolution knows as the most
 *   for (i = 0; i < n; i++)               1000        parameters are what the cost model assumes them to be
 *   for (i = 0; i < 4 * n + j; i++)       5000        sums, products, .. of them, all taken as positive
 *   for (i = 0; i < n * m; i++)           1000        products of parameters are parameters of the model, too
 *   for (i = m; i < n; i++)               1000        what is taken away isn't negative
 *
 * Infinite where the model may assume more: trip counts that aren't known, conditions that could make it choose larger
 * parameters, loops that can't be modelled; and as soon as there are so many that a change could be worth it. */
#include "read/control/control.h"
#include <math.h>

static double trips_of(struct tsr_analyses *a, tsr_loop loop, int depth);

/* The lesser of two */
static double least_of(double a, double b)
{
  return a < b ? a : b;
}

/* The greater of two */
static double most_of(double a, double b)
{
  return a > b ? a : b;
}

/* The magnitude of VALUE, of which the type is all that is known. */
static double value_size(struct tsr_analyses *a, tsr_scev s)
{
  int64_t min, max;
  double assumed = tsr_profit_assumed_parameter();
  if (!tsr_scev_signed_range(a, s, &min, &max))
    return INFINITY;
  if ((double)max < assumed)
    return fabs((double)max);
  return (double)min > assumed ? (double)min : assumed;
}

#define MAX_DEPTH 12

/* Does S change in no loop? */
static bool is_parametric(tsr_scev s, int depth)
{
  enum tsr_scev_kind kind = tsr_scev_kind(s);
  bool is = kind != TSR_SCEV_ADDREC && kind != TSR_SCEV_OTHER && depth <= MAX_DEPTH;
  for (unsigned i = 0; is && i < tsr_scev_n_operand(s); i++)
    is = is_parametric(tsr_scev_operand(s, i), depth + 1);
  return is;
}

static double scev_size(struct tsr_analyses *a, tsr_scev s, int depth);

/* The magnitude of S, a product: the model has a parameter for each product of parameters that is left when sums are
 * multiplied out, which it assumes to be as large as any other. */
static double product_size(struct tsr_analyses *a, tsr_scev s, int depth)
{
  double all = 1, assumed = tsr_profit_assumed_parameter(), parameter = 0;
  for (unsigned i = 0; i < tsr_scev_n_operand(s); i++) {
    tsr_scev factor = tsr_scev_operand(s, i);
    double one = scev_size(a, factor, depth + 1);
    if (tsr_scev_kind(factor) == TSR_SCEV_CONSTANT || !is_parametric(factor, depth + 1))
      all *= one;
    else if (!parameter)
      parameter = one;
    else
      parameter = most_of(parameter, assumed) / assumed * most_of(one, assumed);
  }
  return parameter > 0 ? all * parameter : all;
}

/* The magnitude of S for assumed parameters. */
static double scev_size(struct tsr_analyses *a, tsr_scev s, int depth)
{
  int64_t value;
  double all = 0, first = 0;
  enum tsr_scev_kind kind = s ? tsr_scev_kind(s) : TSR_SCEV_OTHER;
  if (depth > MAX_DEPTH || kind == TSR_SCEV_OTHER)
    return INFINITY;
  if (kind == TSR_SCEV_CONSTANT)
    return tsr_scev_constant(s, &value) ? fabs((double)value) : INFINITY;
  if (kind == TSR_SCEV_UNKNOWN)
    return value_size(a, s);
  if (kind == TSR_SCEV_MUL)
    return product_size(a, s, depth);
  for (unsigned i = 0; i < tsr_scev_n_operand(s); i++) {
    double one = scev_size(a, tsr_scev_operand(s, i), depth + 1);
    first = i ? first : one;
    switch (kind) {
    case TSR_SCEV_ADD:
      all += one;
      break;
    case TSR_SCEV_ADDREC:
      all += i ? one * trips_of(a, tsr_scev_loop(s), depth + 1) : one;
      break;
    case TSR_SCEV_UDIV:
      all = i && one >= 1 && tsr_scev_kind(tsr_scev_operand(s, 1)) == TSR_SCEV_CONSTANT ? first / one : first;
      break;
    default: /* extensions, minima, maxima */
      all = one > all ? one : all;
    }
  }
  return all;
}

/* What an expression may be for assumed parameters. */
struct span {
  double low, high;
};

static const struct span anything = {-INFINITY, INFINITY};

/* S, a value of which the range is all that is known. */
static struct span value_span(struct tsr_analyses *a, tsr_scev s)
{
  int64_t min, max;
  double assumed = tsr_profit_assumed_parameter();
  if (!tsr_scev_signed_range(a, s, &min, &max))
    return anything;
  double high = (double)min > assumed ? (double)min : least_of((double)max, assumed);
  return (struct span){least_of(most_of((double)min, 0), high), high};
}

/* The sums */
static struct span span_add(struct span x, struct span y)
{
  return (struct span){x.low + y.low, x.high + y.high};
}

/* The products */
static struct span span_mul(struct span x, struct span y)
{
  struct span all = {INFINITY, -INFINITY};
  for (int i = 0; i < 4; i++) {
    double u = i & 1 ? x.low : x.high, v = i & 2 ? y.low : y.high, product = u == 0 || v == 0 ? 0 : u * v;
    all = (struct span){least_of(all.low, product), most_of(all.high, product)};
  }
  return all;
}

static struct span scev_span(struct tsr_analyses *a, tsr_scev s, int depth);

/* {start, +, step}, in LOOP or after it. */
static struct span addrec_span(struct tsr_analyses *a, tsr_scev s, int depth)
{
  if (tsr_scev_n_operand(s) != 2)
    return anything;
  struct span start = scev_span(a, tsr_scev_operand(s, 0), depth + 1),
              step = scev_span(a, tsr_scev_operand(s, 1), depth + 1);
  return span_add(start, span_mul(step, (struct span){0, trips_of(a, tsr_scev_loop(s), depth + 1)}));
}

/* What S may be for assumed parameters. */
static struct span scev_span(struct tsr_analyses *a, tsr_scev s, int depth)
{
  int64_t value;
  enum tsr_scev_kind kind = s ? tsr_scev_kind(s) : TSR_SCEV_OTHER;
  if (depth > MAX_DEPTH)
    return anything;
  switch (kind) {
  case TSR_SCEV_CONSTANT:
    return tsr_scev_constant(s, &value) ? (struct span){(double)value, (double)value} : anything;
  case TSR_SCEV_UNKNOWN:
    return value_span(a, s);
  case TSR_SCEV_ADDREC:
    return addrec_span(a, s, depth);
  case TSR_SCEV_ADD:
  case TSR_SCEV_SMAX:
  case TSR_SCEV_SMIN:
  case TSR_SCEV_SEXT:
    break;
  case TSR_SCEV_MUL: /* by a constant: another product may be a parameter of its own */
    if (tsr_scev_n_operand(s) == 2 && tsr_scev_kind(tsr_scev_operand(s, 0)) == TSR_SCEV_CONSTANT)
      break;
    return anything;
  default: { /* unsigned: what is negative there isn't assumed to happen */
    double size = scev_size(a, s, depth);
    return (struct span){kind == TSR_SCEV_TRUNC ? -size : 0, size};
  }
  }
  struct span all = {0, 0};
  for (unsigned i = 0; i < tsr_scev_n_operand(s); i++) {
    struct span one = scev_span(a, tsr_scev_operand(s, i), depth + 1);
    if (!i)
      all = one;
    else if (kind == TSR_SCEV_ADD)
      all = span_add(all, one);
    else if (kind == TSR_SCEV_MUL)
      all = span_mul(all, one);
    else if (kind == TSR_SCEV_SMAX)
      all = (struct span){most_of(all.low, one.low), most_of(all.high, one.high)};
    else
      all = (struct span){least_of(all.low, one.low), least_of(all.high, one.high)};
  }
  return all;
}

/* The number of iterations of LOOP, or more. */
static double trips_of(struct tsr_analyses *a, tsr_loop loop, int depth)
{
  double most = tsr_loop_max_trips(a, loop);
  if (most > 0 && most <= tsr_profit_assumed_parameter())
    return most;
  tsr_scev count = tsr_scev_backedge_count(a, loop);
  double size = scev_size(a, count, depth + 1), high = scev_span(a, count, depth + 1).high;
  /* Where there is none for assumed parameters the model takes larger ones. */
  return (high >= 0 && high < size ? high : size) + 1;
}

/* By how much may the model have to raise parameters above what it assumes, for COND to hold? */
static double raise_for(struct tsr_analyses *a, LLVMValueRef cond, int depth)
{
  double most = 1;
  if (!LLVMIsAInstruction(cond)) /* an argument isn't affine, but a parameter itself */
    return LLVMIsAConstantInt(cond) || LLVMIsAArgument(cond) ? 1 : INFINITY;
  if (depth > 4)
    return INFINITY;
  LLVMOpcode op = LLVMGetInstructionOpcode(cond);
  if (op != LLVMICmp && op != LLVMAnd && op != LLVMOr && op != LLVMXor && op != LLVMSelect)
    return 1; /* nor are comparisons of floating-point numbers and what else there may be */
  for (int i = 0; i < LLVMGetNumOperands(cond); i++) {
    LLVMValueRef operand = LLVMGetOperand(cond, i);
    double one = op == LLVMICmp ? scev_size(a, tsr_scev_of(a, operand), 0) / tsr_profit_assumed_parameter()
                                : raise_for(a, operand, depth + 1);
    most = one > most ? one : most;
  }
  return most;
}

/* Into how many statements may BLOCK be split? One a store, one for its scalars and what is behind its branch. */
static double block_size(LLVMBasicBlockRef block)
{
  double stores = 1;
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
    stores += LLVMIsAStoreInst(i) || (LLVMIsACallInst(i) && tsr_call_effects(i).writes);
  return stores;
}

/* May a statement of LOOP be `rare` (read/rare_statements.c)? A phi of it is chosen to be what it was. */
static bool may_be_rare(tsr_loop loop)
{
  LLVMValueRef phi = LLVMGetFirstInstruction(tsr_loop_header(loop));
  bool may = false;
  for (; phi && LLVMIsAPHINode(phi) && !may; phi = LLVMGetNextInstruction(phi))
    for (unsigned i = 0; i < LLVMCountIncoming(phi) && !may; i++) {
      LLVMValueRef next = LLVMGetIncomingValue(phi, i);
      may = LLVMIsASelectInst(next) && (LLVMGetOperand(next, 1) == phi || LLVMGetOperand(next, 2) == phi);
    }
  return may;
}

#define NESTED 2 /* so many loops go as far as one parameter, as a rule */

double tsr_nodes_size(struct tsr_analyses *a, struct tsr_node *const *nodes, int n, bool exact)
{
  double all = 0;
  for (int i = 0; i < n; i++) {
    const struct tsr_node *node = nodes[i];
    double inside = 0;
    for (int k = 0; k < 2; k++)
      inside += tsr_nodes_size(a, node->body[k].nodes, node->body[k].n, exact);
    if (node->kind == TSR_NODE_BLOCK)
      all += block_size(node->block);
    else if (node->kind == TSR_NODE_LOOP && (node->opaque || exact || !tsr_loop_has_no_domain(a, node->loop)))
      all += node->opaque
                 ? INFINITY
                 : inside * trips_of(a, node->loop, 0) * (may_be_rare(node->loop) ? tsr_profit_weight_of_rare() : 1);
    else if (node->kind == TSR_NODE_LOOP)
      all += inside;
    else if (node->kind == TSR_NODE_CHECK)
      return INFINITY;
    else if (tsr_node_has_loop(node) && node->kind != TSR_NODE_IF)
      return INFINITY;
    else if (tsr_node_has_loop(node))
      all += (inside + 1) * pow(raise_for(a, tsr_branch_condition(node->block), 0), NESTED);
    else
      all += inside + 1;
    if (!tsr_profit_is_too_few(all))
      return INFINITY;
  }
  return all;
}
