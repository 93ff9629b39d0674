/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Conditions of the AST.
 *
 * What a branch tells of a value holds in all code behind it, and LLVM uses that: under c % 2 = 0 it makes of c + 1 a
 * `c | 1` with the promise that no bit is lost. For alias analysis A[c | 1] under the condition and A[c + 1] beside it are
 * one element, and rightly so; but loop invariant code motion then keeps that element in a register during a loop further
 * in, and stores it behind that loop through either address: where c is odd, through the wrong one (a promise that breaks
 * makes an address another one, which LLVM 22 forgets). Bounds such as c <= 7, under which c + 8 is `c | 8`, do the same.
 *
 * So such a condition is on another variable of the loop of c, on 2c: (2c) % 4 = 0, 2c <= 14. Of 2c LLVM learns the same,
 * of c nothing. Conditions on the iterator of the innermost loop stay as they are: an address that changes with it isn't
 * kept in a register; and so do those that tell no bits: equations, under which c is a number, and comparisons with
 * parameters or of several iterators. */
#include "emit/emitter.h"
#include <isl/id.h>
#include <isl/val.h>
#include <string.h>

/* The variable that EXPR, an identifier, names; -1: none. */
static int find(struct tsr_emit *e, isl_ast_expr *expr)
{
  isl_id *id = isl_ast_expr_get_id(expr);
  int i = e->n_var - 1;
  while (i >= 0 && strcmp(e->var[i].name, isl_id_get_name(id)))
    i--;
  isl_id_free(id);
  return i;
}

/* What a comparison consists of. */
struct parts {
  bool other;     /* what twice can't do: quotients, minima, products of variables */
  bool variable;  /* something that isn't the iterator of a loop around: a parameter, a value of an iterator that has none */
  bool innermost; /* the iterator of the innermost loop */
  bool even_rest; /* .. % an even number, which is of bits */
  int n_iterator; /* of loops further out, how many times; the last one: */
  int iterator;
  int sign; /* of its coefficient */
};

/* Argument AT of EXPR, 0 if it isn't a constant. */
static long constant(isl_ast_expr *expr, int at)
{
  long result = 0;
  isl_ast_expr *arg = isl_ast_expr_op_get_arg(expr, at);
  if (isl_ast_expr_get_type(arg) == isl_ast_expr_int) {
    isl_val *val = isl_ast_expr_get_val(arg);
    result = isl_val_get_num_si(val);
    isl_val_free(val);
  }
  isl_ast_expr_free(arg);
  return result;
}

static void scan(struct tsr_emit *e, isl_ast_expr *expr, int sign, struct parts *parts);

/* Add the arguments of EXPR, an operation with SIGN in front, to PARTS. */
static void scan_operation(struct tsr_emit *e, isl_ast_expr *expr, int sign, struct parts *parts)
{
  enum isl_ast_expr_op_type type = isl_ast_expr_op_get_type(expr);
  int n = isl_ast_expr_op_get_n_arg(expr);
  long factor[2] = {constant(expr, 0), n > 1 ? constant(expr, 1) : 0};
  int of[2] = {sign, sign};
  if (type == isl_ast_expr_op_minus)
    of[0] = -sign;
  else if (type == isl_ast_expr_op_sub)
    of[1] = -sign;
  else if (type == isl_ast_expr_op_mul && (factor[0] || factor[1]))
    of[0] = of[1] = factor[0] < 0 || factor[1] < 0 ? -sign : sign;
  else if ((type == isl_ast_expr_op_pdiv_r || type == isl_ast_expr_op_zdiv_r) && factor[1])
    parts->even_rest |= factor[1] % 2 == 0;
  else if (type != isl_ast_expr_op_add)
    parts->other = true;
  for (int i = 0; i < n; i++)
    scan(e, isl_ast_expr_op_get_arg(expr, i), of[i > 0], parts);
}

/* Add EXPR, with SIGN in front, to PARTS. Takes EXPR. */
static void scan(struct tsr_emit *e, isl_ast_expr *expr, int sign, struct parts *parts)
{
  if (isl_ast_expr_get_type(expr) == isl_ast_expr_op) {
    scan_operation(e, expr, sign, parts);
  } else if (isl_ast_expr_get_type(expr) == isl_ast_expr_id) {
    int i = find(e, expr);
    bool is_counter = i >= 0 && e->var[i].header;
    parts->innermost |= i == e->n_var - 1;
    parts->variable |= !is_counter;
    if (is_counter) {
      parts->n_iterator++;
      parts->iterator = i;
      parts->sign = sign;
    }
  }
  isl_ast_expr_free(expr);
}

/* 2 c of variable I, the counter of a loop: a phi beside its own; tsr_emit_doubled_end gives it its next value. */
static LLVMValueRef doubled_counter(struct tsr_emit *e, int i)
{
  if (!e->var[i].doubled) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
    LLVMPositionBuilderBefore(e->b, LLVMGetFirstInstruction(e->var[i].header));
    e->var[i].doubled = LLVMBuildPhi(e->b, e->i64, "tsr.2c");
    LLVMPositionBuilderAtEnd(e->b, here);
  }
  return e->var[i].doubled;
}

/* 2 * EXPR, in which iterators of loops are their doubled counters. Takes EXPR. */
static LLVMValueRef twice(struct tsr_emit *e, isl_ast_expr *expr)
{
  LLVMValueRef two = LLVMConstInt(e->i64, 2, false), result, right;
  enum isl_ast_expr_op_type type = isl_ast_expr_op_error;
  if (isl_ast_expr_get_type(expr) == isl_ast_expr_op)
    type = isl_ast_expr_op_get_type(expr);
  int i = isl_ast_expr_get_type(expr) == isl_ast_expr_id ? find(e, expr) : -1;
  if (i >= 0 && e->var[i].header) {
    result = doubled_counter(e, i);
  } else if (type == isl_ast_expr_op_error) {
    result = LLVMBuildNSWMul(e->b, tsr_emit_expr(e, isl_ast_expr_copy(expr)), two, "");
  } else if (type == isl_ast_expr_op_minus) {
    result = LLVMBuildNSWNeg(e->b, twice(e, isl_ast_expr_op_get_arg(expr, 0)), "");
  } else if (type == isl_ast_expr_op_mul) {
    int factor = constant(expr, 0) ? 0 : 1;
    right = tsr_emit_expr(e, isl_ast_expr_op_get_arg(expr, factor));
    result = LLVMBuildNSWMul(e->b, twice(e, isl_ast_expr_op_get_arg(expr, !factor)), right, "");
  } else {
    result = twice(e, isl_ast_expr_op_get_arg(expr, 0));
    right = twice(e, isl_ast_expr_op_get_arg(expr, 1));
    result = type == isl_ast_expr_op_add   ? LLVMBuildNSWAdd(e->b, result, right, "")
             : type == isl_ast_expr_op_sub ? LLVMBuildNSWSub(e->b, result, right, "")
                                           : LLVMBuildSRem(e->b, result, right, "");
  }
  isl_ast_expr_free(expr);
  return result;
}

/* Could LLVM learn bits of an iterator from the comparison EXPR, and can it be kept from that? That an iterator from a
 * constant on isn't negative it knows anyway; a lower bound tells nothing else. */
static bool is_telling(struct tsr_emit *e, isl_ast_expr *expr)
{
  enum isl_ast_expr_op_type type = isl_ast_expr_op_get_type(expr);
  struct parts parts = {0};
  scan(e, isl_ast_expr_op_get_arg(expr, 0), 1, &parts);
  scan(e, isl_ast_expr_op_get_arg(expr, 1), -1, &parts);
  if (!parts.n_iterator || parts.innermost || parts.variable || parts.other)
    return false;
  if (parts.even_rest || type == isl_ast_expr_op_eq || parts.n_iterator > 1)
    return parts.even_rest;
  LLVMValueRef first = e->var[parts.iterator].first;
  bool is_lower = (type == isl_ast_expr_op_ge || type == isl_ast_expr_op_gt) == (parts.sign > 0);
  return !is_lower || !LLVMIsAConstantInt(first) || LLVMConstIntGetSExtValue(first) < 0;
}

LLVMValueRef tsr_emit_guard(struct tsr_emit *e, isl_ast_expr *expr)
{
  static const LLVMIntPredicate predicate[] = {
      [isl_ast_expr_op_eq] = LLVMIntEQ,  [isl_ast_expr_op_le] = LLVMIntSLE, [isl_ast_expr_op_lt] = LLVMIntSLT,
      [isl_ast_expr_op_ge] = LLVMIntSGE, [isl_ast_expr_op_gt] = LLVMIntSGT,
  };
  enum isl_ast_expr_op_type type = isl_ast_expr_op_error;
  if (isl_ast_expr_get_type(expr) == isl_ast_expr_op)
    type = isl_ast_expr_op_get_type(expr);
  LLVMValueRef all = NULL;
  switch (type) {
  case isl_ast_expr_op_and:
  case isl_ast_expr_op_and_then:
  case isl_ast_expr_op_or:
  case isl_ast_expr_op_or_else:
    all = tsr_emit_guard(e, isl_ast_expr_op_get_arg(expr, 0));
    for (int i = 1; i < isl_ast_expr_op_get_n_arg(expr); i++) {
      LLVMValueRef next = tsr_emit_guard(e, isl_ast_expr_op_get_arg(expr, i));
      all = type == isl_ast_expr_op_and || type == isl_ast_expr_op_and_then ? LLVMBuildAnd(e->b, all, next, "")
                                                                            : LLVMBuildOr(e->b, all, next, "");
    }
    break;
  case isl_ast_expr_op_eq:
  case isl_ast_expr_op_le:
  case isl_ast_expr_op_lt:
  case isl_ast_expr_op_ge:
  case isl_ast_expr_op_gt:
    if (is_telling(e, expr)) {
      LLVMValueRef left = twice(e, isl_ast_expr_op_get_arg(expr, 0));
      all = LLVMBuildICmp(e->b, predicate[type], left, twice(e, isl_ast_expr_op_get_arg(expr, 1)), "");
    }
    break;
  default:
    break;
  }
  if (all) {
    isl_ast_expr_free(expr);
    return all;
  }
  return tsr_emit_truth(e, expr);
}

void tsr_emit_doubled_end(struct tsr_emit *e, const struct tsr_for *loop, LLVMBasicBlockRef at)
{
  LLVMValueRef doubled = e->var[e->n_var - 1].doubled, two = LLVMConstInt(e->i64, 2, false);
  if (!doubled)
    return;
  LLVMBasicBlockRef end = LLVMGetInsertBlock(e->b);
  LLVMValueRef next = LLVMBuildNSWAdd(e->b, doubled, LLVMBuildNSWMul(e->b, loop->step, two, ""), "tsr.next2");
  LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(at));
  LLVMValueRef first = LLVMBuildNSWMul(e->b, loop->first, two, "");
  LLVMPositionBuilderAtEnd(e->b, end);
  LLVMAddIncoming(doubled, &first, &at, 1);
  LLVMAddIncoming(doubled, &next, &end, 1);
}
