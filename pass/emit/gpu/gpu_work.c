/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Is there enough work for a GPU, and how large are grids? All of it at run time, in double, which neither traps nor wraps;
 * loops inside of others at the middle of these.
 *
 *   CPU   instances * what one takes there, as estimated
 *   GPU   START + bytes / LINK + launches * (LAUNCH + instances of one * INSTANCE / its threads) */
#include "emit/gpu/gpu.h"
#include "emit/threads/threads.h"

/* Nanoseconds, but for the last ones: of a job, and of a launch; bytes a nanosecond to the GPU and back, from pageable
 * memory; cycles a nanosecond of a CPU. Measured with an H200: jobs of a few bytes take 27 to 38 us; 2000 launches in a
 * row 3.4 us each; copies of 1 to 2 GiB run at 8 bytes a nanosecond there, 13 back, smaller ones of some MB at 10. */
#define START 30000.0
#define LAUNCH 4000.0
#define LINK 8.0
#define CLOCK 3.0
/* Nanoseconds of one instance after the other in one thread, and how many threads run at once. Measured with an H200, where
 * few threads run: cholesky, whose neighbours are far apart, 1100; nussinov 630, optimal chains of products 520, gramschmidt
 * 380. Where many run, memory sets the pace: of a triad's instances it does 175 a nanosecond. */
#define INSTANCE 500.0
#define AT_ONCE 200000.0

static LLVMValueRef real(struct tsr_emit *e, double value)
{
  return LLVMConstReal(LLVMDoubleTypeInContext(e->llvm), value);
}

/* ---- what is to be found in an AST ---- */

/* A question about an AST: how long its kernels take, or the trips of loops at a depth. */
struct question {
  bool time;
  int depth;
};

static LLVMValueRef answer(struct tsr_emit *e, isl_ast_node *node, const struct question *question);

/* Two parts of a block: times add up, of trips the most count; NULL: nothing. */
static LLVMValueRef join(struct tsr_emit *e, const struct question *question, LLVMValueRef a, LLVMValueRef b)
{
  if (!a || !b)
    return a ? a : b;
  if (question->time)
    return LLVMBuildFAdd(e->b, a, b, "");
  return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOGT, a, b, ""), a, b, "");
}

/* The same for NODE, which is taken. */
static LLVMValueRef answer_in(struct tsr_emit *e, __isl_take isl_ast_node *node, const struct question *question)
{
  LLVMValueRef value = answer(e, node, question);
  isl_ast_node_free(node);
  return value;
}

static LLVMValueRef answer_for_block(struct tsr_emit *e, isl_ast_node *node, const struct question *question)
{
  LLVMValueRef all = NULL;
  isl_ast_node_list *list = isl_ast_node_block_get_children(node);
  for (int i = 0; i < isl_ast_node_list_n_ast_node(list); i++)
    all = join(e, question, all, answer_in(e, isl_ast_node_list_get_ast_node(list, i), question));
  isl_ast_node_list_free(list);
  return all;
}

/* A loop: of trips its own, if it is one of those asked for. */
static LLVMValueRef answer_for_loop(struct tsr_emit *e, isl_ast_node *node, const struct question *question)
{
  int n = e->n_var;
  LLVMValueRef trips = tsr_emit_bind_middle(e, node), inside = NULL;
  if (question->time || tsr_emit_loop_depth(node) != question->depth)
    inside = answer_in(e, isl_ast_node_for_get_body(node), question);
  else
    inside = trips;
  tsr_emit_unbind(e, n);
  return question->time && inside ? LLVMBuildFMul(e->b, trips, inside, "") : inside;
}

/* Nanoseconds of a launch of the kernel BODY, below MARK */
static LLVMValueRef time_of_launch(struct tsr_emit *e, const struct tsr_mark *mark, __isl_take isl_ast_node *body)
{
  LLVMValueRef threads = real(e, 1), one = real(e, 1), most = real(e, AT_ONCE);
  for (int i = 0; i < mark->kernel.n; i++) {
    struct question trips = {.depth = mark->depth + i};
    LLVMValueRef own = answer(e, body, &trips);
    threads = own ? LLVMBuildFMul(e->b, threads, own, "") : threads;
  }
  for (int i = 0; i < mark->kernel.n_size; i++)
    threads = LLVMBuildFMul(e->b, threads, real(e, mark->kernel.size[i]), "");
  threads = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOLT, threads, one, ""), one, threads, "");
  threads = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOGT, threads, most, ""), most, threads, "");
  LLVMValueRef time = LLVMBuildFMul(e->b, tsr_emit_work(e, body), real(e, INSTANCE), "");
  isl_ast_node_free(body);
  return LLVMBuildFAdd(e->b, LLVMBuildFDiv(e->b, time, threads, ""), real(e, LAUNCH), "");
}

static LLVMValueRef answer(struct tsr_emit *e, isl_ast_node *node, const struct question *question)
{
  LLVMValueRef value;
  switch (isl_ast_node_get_type(node)) {
  case isl_ast_node_for:
    return answer_for_loop(e, node, question);
  case isl_ast_node_block:
    return answer_for_block(e, node, question);
  case isl_ast_node_mark:
    if (question->time && tsr_mark_is(tsr_ast_mark(node), TSR_MARK_KERNEL))
      return time_of_launch(e, tsr_ast_mark(node), isl_ast_node_mark_get_node(node));
    return answer_in(e, isl_ast_node_mark_get_node(node), question);
  case isl_ast_node_if:
    value = answer_in(e, isl_ast_node_if_get_then_node(node), question);
    if (isl_ast_node_if_has_else_node(node) == isl_bool_true)
      value = join(e, question, value, answer_in(e, isl_ast_node_if_get_else_node(node), question));
    return value;
  default:
    return NULL;
  }
}

LLVMValueRef tsr_emit_trips_at(struct tsr_emit *e, isl_ast_node *body, int depth)
{
  struct question question = {.depth = depth};
  LLVMValueRef trips = answer(e, body, &question);
  return trips ? LLVMBuildFPToSI(e->b, trips, e->i64, "tsr.trips") : tsr_emit_number(e, 1);
}

/* ---- what does it save? ---- */

/* Elements of SPAN, of array number ARRAY, as bytes, in double: as far as its outermost subscripts tell */
static LLVMValueRef bytes_of(struct tsr_emit *e, int array, const struct tsr_span_of_array *span)
{
  const struct tsr_array_info *a = &e->m->arrays[array];
  LLVMTypeRef type = LLVMDoubleTypeInContext(e->llvm);
  LLVMValueRef first = tsr_emit_expr(e, isl_ast_expr_copy(span->first[0])),
               last = tsr_emit_expr(e, isl_ast_expr_copy(span->last[0]));
  LLVMValueRef n = LLVMBuildAdd(e->b, LLVMBuildSub(e->b, last, first, ""), tsr_emit_number(e, 1), "");
  n = LLVMBuildFMul(e->b, LLVMBuildSIToFP(e->b, n, type, ""), real(e, a->elem_size), "");
  for (int d = 1; d < a->n_dim; d++)
    n = LLVMBuildFMul(e->b, n, LLVMBuildSIToFP(e->b, tsr_emit_size(e, a->size[d - 1]), type, ""), "");
  return n;
}

LLVMValueRef tsr_emit_gpu_saves(struct tsr_emit *e, const struct tsr_variant *variant)
{
  struct question time = {.time = true};
  LLVMValueRef cpu = tsr_emit_work(e, variant->original), gpu = answer(e, variant->ast, &time);
  cpu = LLVMBuildFMul(e->b, cpu, real(e, variant->cycles / CLOCK), "tsr.cpu");
  gpu = LLVMBuildFAdd(e->b, gpu ? gpu : real(e, 0), real(e, START), "");
  for (int i = 0; i < e->m->n_array; i++) {
    const struct tsr_transfer *transfer = &variant->transfer[i];
    const struct tsr_span_of_array *span[2] = {&transfer->in, transfer->rows ? &transfer->region : NULL};
    for (int k = 0; k < 2; k++)
      if (span[k] && span[k]->any)
        gpu = LLVMBuildFAdd(e->b, gpu, LLVMBuildFMul(e->b, bytes_of(e, i, span[k]), real(e, 1 / LINK), ""), "tsr.gpu");
  }
  return LLVMBuildFSub(e->b, cpu, gpu, "tsr.saves");
}
