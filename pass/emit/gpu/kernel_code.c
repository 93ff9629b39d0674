/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels. The loops below a mark "kernel" are those of a grid of threads: each runs every total-th iteration from its own
 * on, so that grids of any size do all of it. Of kernels of blocks (phases.c) each block runs one iteration of a loop, as
 * there are as many, unless how many there are depends on one around.
 *
 *   mark "kernel 2" - for (i) for (j) X   ->   host:    grid, block = as many threads as iterations; tsr_rt_launch(..)
 *                                              kernel:  for (i += id.y; ..; i += total.y) for (j += id.x; ..) X
 *
 * The last of the loops is x. Where isl has made several of one, see kernel_loops.c; where it has dropped one, as it runs
 * once, the thread of number 0 there runs what is inside. The code is first written in place and then moved out by LLVM's
 * CodeExtractor, with a struct of all that it captures; that is what the kernel gets (shim/device_module.cpp). */
#include "emit/buffer/array_buffers.h"
#include "emit/gpu/gpu.h"
#include <isl/id.h>
#include <stdlib.h>
#include <string.h>

/* Threads of a block along x, y, z, by the number of loops: whole warps along x. */
static const unsigned block_size[TSR_MAX_MAPPED + 1][TSR_MAX_MAPPED] = {{1, 1, 1}, {256, 1, 1}, {32, 8, 1}, {32, 4, 2}};
/* Blocks along one axis, at most: a GPU's limit along y and z. */
#define MOST_BLOCKS 65535

/* ---- on the host ---- */

/* [3 x i32] in the function's entry block */
static LLVMValueRef make_triple(struct tsr_emit *e, const char *name)
{
  LLVMBuilderRef b = LLVMCreateBuilderInContext(e->llvm);
  LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(e->m->function)));
  LLVMValueRef triple = LLVMBuildAlloca(b, LLVMArrayType2(LLVMInt32TypeInContext(e->llvm), TSR_MAX_MAPPED), name);
  LLVMDisposeBuilder(b);
  return triple;
}

static void set_triple(struct tsr_emit *e, LLVMValueRef triple, int at, LLVMValueRef value)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMValueRef index = tsr_emit_number(e, at);
  LLVMBuildStore(e->b, LLVMBuildIntCast2(e->b, value, i32, false, ""), LLVMBuildGEP2(e->b, i32, triple, &index, 1, ""));
}

/* Blocks for TRIPS iterations, i64, of each of the loops of a kernel of blocks: one for each, and where there are SEVERAL
 * loops one more, as what is left is often one more iteration. A grid that is too large the driver refuses. */
static LLVMValueRef own_blocks(struct tsr_emit *e, LLVMValueRef trips, bool several)
{
  LLVMValueRef one = tsr_emit_number(e, 1), most = tsr_emit_number(e, INT32_MAX);
  LLVMValueRef n = LLVMBuildAdd(e->b, trips, tsr_emit_number(e, several), "");
  n = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSGT, n, most, ""), most, n, "");
  return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, n, one, ""), one, n, "tsr.blocks");
}

/* Blocks of SIZE for TRIPS iterations, i64: from 1 to MOST_BLOCKS */
static LLVMValueRef blocks_for(struct tsr_emit *e, LLVMValueRef trips, unsigned size)
{
  LLVMValueRef one = tsr_emit_number(e, 1), most = tsr_emit_number(e, MOST_BLOCKS);
  LLVMValueRef n = LLVMBuildAdd(e->b, trips, tsr_emit_number(e, size - 1), "");
  n = LLVMBuildSDiv(e->b, n, tsr_emit_number(e, size), "");
  n = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, n, one, ""), one, n, "");
  return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSGT, n, most, ""), most, n, "tsr.blocks");
}

/* The sizes of MARK's grid and blocks, for BODY. */
static void set_sizes(struct tsr_emit *e, const struct tsr_mark *mark, isl_ast_node *body, LLVMValueRef grid,
                      LLVMValueRef block)
{
  int n = mark->kernel.n, n_size = mark->kernel.n_size;
  for (int axis = 0; axis < TSR_MAX_MAPPED; axis++) {
    unsigned size = n_size == 0 ? block_size[n][axis] : axis < n_size ? (unsigned)mark->kernel.size[n_size - 1 - axis] : 1;
    int loop = n - 1 - axis;
    bool several = axis < n && e->gpu->loops.n[loop] + e->gpu->loops.dropped[loop] > 1;
    LLVMValueRef trips = axis < n ? tsr_emit_trips_at(e, body, mark->depth + loop) : NULL, blocks = tsr_emit_number(e, 1);
    if (trips)
      blocks = n_size ? own_blocks(e, trips, several) : blocks_for(e, trips, size);
    set_triple(e, grid, axis, blocks);
    set_triple(e, block, axis, tsr_emit_number(e, size));
  }
}

/* ---- in the kernel ---- */

/* Which thread of how many is this, for each loop of the kernel? Of BLOCKS: which block? */
static void find_thread(struct tsr_emit *e, int n, bool blocks)
{
  for (int i = 0; i < n; i++) {
    int axis = n - 1 - i;
    if (blocks) {
      e->gpu->id[i] = tsr_emit_special(e, "ctaid", axis);
      e->gpu->total[i] = tsr_emit_special(e, "nctaid", axis);
      continue;
    }
    LLVMValueRef size = tsr_emit_special(e, "ntid", axis);
    LLVMValueRef id = LLVMBuildNSWMul(e->b, tsr_emit_special(e, "ctaid", axis), size, "");
    e->gpu->id[i] = LLVMBuildNSWAdd(e->b, id, tsr_emit_special(e, "tid", axis), "tsr.id");
    e->gpu->total[i] = LLVMBuildNSWMul(e->b, tsr_emit_special(e, "nctaid", axis), size, "tsr.total");
  }
}

/* SCALAR arrays that are written have a slot in each thread (the checker has shown that no value goes to another one). */
static LLVMValueRef *thread_slots(struct tsr_emit *e)
{
  LLVMValueRef *saved = calloc(e->m->n_array + 1, sizeof(*saved));
  bool *written = calloc(e->m->n_array + 1, sizeof(*written));
  for (int s = 0; s < e->m->n_stmt; s++)
    for (int k = 0; k < e->m->stmts[s].n_write; k++)
      written[e->m->stmts[s].write[k].array] = true;
  for (int i = 0; i < e->m->n_array; i++) {
    struct tsr_array_info *a = &e->m->arrays[i];
    saved[i] = a->slot;
    if (a->kind == TSR_ARRAY_SCALAR && !a->home && written[i])
      a->slot = tsr_emit_slot(e, LLVMTypeOf(a->origin));
  }
  free(written);
  return saved;
}

void tsr_emit_kernel(struct tsr_emit *e, const struct tsr_mark *mark, isl_ast_node *body)
{
  LLVMValueRef grid = make_triple(e, "tsr.grid"), block = make_triple(e, "tsr.block");
  tsr_emit_kernel_loops(mark, body, &e->gpu->loops);
  set_sizes(e, mark, body, grid, block);
  LLVMBasicBlockRef entry = tsr_emit_block(e, "tsr.kernel");
  LLVMValueRef last = LLVMBuildBr(e->b, entry);
  int first = e->fresh.n - 1;
  LLVMPositionBuilderAtEnd(e->b, entry);
  LLVMValueRef *saved = thread_slots(e);
  find_thread(e, mark->kernel.n, mark->kernel.n_size > 0);
  e->gpu->kernel = mark;
  e->gpu->entry = entry;
  e->gpu->mapped = 0;
  tsr_emit_begin_blocks(e);
  tsr_emit_first_zeros(e, body);
  e->emit_node(e, body);
  tsr_emit_end_blocks(e);
  e->gpu->kernel = NULL;
  for (int i = 0; i < e->m->n_array; i++)
    e->m->arrays[i].slot = saved[i];
  free(saved);
  LLVMBasicBlockRef behind = tsr_emit_block(e, "tsr.launched");
  LLVMBuildBr(e->b, behind);
  struct tsr_outline job = {
      .n = e->fresh.n - 1 - first, .kind = TSR_OUTLINE_KERNEL, .job = e->gpu->job, .grid = grid, .threads = block};
  job.block = malloc(job.n * sizeof(*job.block));
  memcpy(job.block, e->fresh.block + first, job.n * sizeof(*job.block));
  e->m->outline = realloc(e->m->outline, (e->m->n_outline + 1) * sizeof(*e->m->outline));
  e->m->outline[e->m->n_outline++] = job;
  LLVMPositionBuilderBefore(e->b, last);
  tsr_capture_globals(job.block, (unsigned)job.n, e->b);
  LLVMPositionBuilderAtEnd(e->b, behind);
}

/* All bits of the kernel's loops */
static unsigned all_loops(struct tsr_emit *e)
{
  return (1u << e->gpu->kernel->kernel.n) - 1;
}

/* Loop number LOOP of the kernel begins at FIRST: how many of its iterations are before this thread's first one? */
static LLVMValueRef find_turn(struct tsr_emit *e, LLVMValueRef first, int loop)
{
  LLVMValueRef id = e->gpu->id[loop], total = e->gpu->total[loop], zero = tsr_emit_number(e, 0);
  if (e->gpu->loops.n[loop] + e->gpu->loops.dropped[loop] <= 1)
    return id;
  LLVMValueRef step = tsr_emit_number(e, e->gpu->loops.step[loop]);
  if (e->gpu->loops.step[loop] > 1) { /* first / step, downwards */
    LLVMValueRef rest = LLVMBuildSRem(e->b, first, step, "");
    LLVMValueRef below = LLVMBuildZExt(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, rest, zero, ""), e->i64, "");
    first = LLVMBuildSub(e->b, LLVMBuildSDiv(e->b, first, step, ""), below, "");
  }
  LLVMValueRef turn = LLVMBuildSRem(e->b, LLVMBuildSub(e->b, id, first, ""), total, "");
  LLVMValueRef behind = LLVMBuildICmp(e->b, LLVMIntSLT, turn, zero, "");
  return LLVMBuildSelect(e->b, behind, LLVMBuildAdd(e->b, turn, total, ""), turn, "tsr.turn");
}

/* Is one of the kernel's loops around in EXPR, which is taken? */
static bool depends_on_loops(struct tsr_emit *e, __isl_take isl_ast_expr *expr)
{
  bool depends = false;
  if (isl_ast_expr_get_type(expr) == isl_ast_expr_id) {
    isl_id *id = isl_ast_expr_get_id(expr);
    for (int i = 0; i < e->gpu->kernel->kernel.n && !depends; i++)
      depends = (e->gpu->mapped >> i & 1) && e->gpu->iterator[i] && !strcmp(e->gpu->iterator[i], isl_id_get_name(id));
    isl_id_free(id);
  }
  isl_size n = isl_ast_expr_get_type(expr) == isl_ast_expr_op ? isl_ast_expr_op_get_n_arg(expr) : 0;
  for (int i = 0; i < n && !depends; i++)
    depends = depends_on_loops(e, isl_ast_expr_op_get_arg(expr, i));
  isl_ast_expr_free(expr);
  return depends;
}

/* Are there as many blocks as iterations of the loop NODE? Not where how many there are differs from block to block. */
static bool has_own_blocks(struct tsr_emit *e, isl_ast_node *node)
{
  return e->gpu->kernel->kernel.n_size > 0 && !depends_on_loops(e, isl_ast_node_for_get_init(node)) &&
         (isl_ast_node_for_is_degenerate(node) == isl_bool_true || !depends_on_loops(e, isl_ast_node_for_get_cond(node)));
}

/* The loop NODE, number LOOP of the kernel: the iterations of this thread. */
static void thread_loop(struct tsr_emit *e, isl_ast_node *node, int loop)
{
  unsigned mapped = e->gpu->mapped;
  struct tsr_for mine = {.iterator = tsr_emit_iterator_name(node), .body = isl_ast_node_for_get_body(node)};
  if (isl_ast_node_for_is_degenerate(node) == isl_bool_true) {
    mine.first = mine.last = tsr_emit_expr(e, isl_ast_node_for_get_init(node));
    mine.step = tsr_emit_number(e, 1);
  } else {
    tsr_emit_bounds(e, node, &mine);
  }
  LLVMValueRef turn = find_turn(e, mine.first, loop);
  mine.first = LLVMBuildAdd(e->b, mine.first, LLVMBuildMul(e->b, turn, mine.step, ""), "tsr.first");
  mine.step = LLVMBuildMul(e->b, e->gpu->total[loop], mine.step, "tsr.step");
  bool once = has_own_blocks(e, node);
  mine.blocks = e->gpu->kernel->kernel.n_size > 0;
  e->gpu->mapped |= 1u << loop;
  e->gpu->iterator[loop] = mine.iterator;
  int part = e->gpu->part;
  e->gpu->part = ++e->gpu->n_part;
  if (once)
    tsr_emit_where(e, LLVMBuildICmp(e->b, LLVMIntSLE, mine.first, mine.last, ""), mine.iterator, mine.first, mine.body);
  else
    tsr_emit_loop(e, &mine);
  e->gpu->part = part;
  e->gpu->mapped = mapped;
  e->gpu->iterator[loop] = NULL;
  free(mine.iterator);
  isl_ast_node_free(mine.body);
}

/* i1: does this thread run NODE, which is inside of loop number LOOP, which isl has dropped there? */
static LLVMValueRef is_mine(struct tsr_emit *e, isl_ast_node *node, int loop)
{
  LLVMValueRef turn = e->gpu->id[loop];
  if (e->gpu->loops.n[loop] > 0)
    turn = find_turn(e, tsr_emit_expr(e, tsr_emit_dropped_number(node, e->gpu->kernel->depth + loop)), loop);
  return LLVMBuildICmp(e->b, LLVMIntEQ, turn, tsr_emit_number(e, 0), "");
}

/* NODE, which is inside of loops that isl has dropped: for one thread of each. */
static void lone_thread(struct tsr_emit *e, isl_ast_node *node)
{
  unsigned mapped = e->gpu->mapped;
  LLVMValueRef first = NULL;
  for (int i = 0; i < e->gpu->kernel->kernel.n; i++)
    if (!(mapped >> i & 1)) {
      LLVMValueRef is = is_mine(e, node, i);
      first = first ? LLVMBuildAnd(e->b, first, is, "") : is;
    }
  LLVMBasicBlockRef one = tsr_emit_block(e, "tsr.one"), behind = tsr_emit_block(e, "tsr.endone");
  LLVMBuildCondBr(e->b, first, one, behind);
  LLVMPositionBuilderAtEnd(e->b, one);
  bool *state = tsr_emit_enter_part(e, node);
  e->gpu->mapped = all_loops(e);
  e->emit_node(e, node);
  e->gpu->mapped = mapped;
  tsr_emit_leave_part(e, state);
  LLVMBuildBr(e->b, behind);
  LLVMPositionBuilderAtEnd(e->b, behind);
}

bool tsr_emit_in_kernel(struct tsr_emit *e, isl_ast_node *node)
{
  if (!e->gpu || !e->gpu->kernel)
    return false;
  if (e->gpu->mapped == all_loops(e))
    return tsr_emit_in_phase(e, node);
  if (isl_ast_node_get_type(node) == isl_ast_node_for) {
    int loop = tsr_emit_loop_depth(node) - e->gpu->kernel->depth;
    if (loop >= 0 && loop < e->gpu->kernel->kernel.n) {
      thread_loop(e, node, loop);
      return true;
    }
  }
  lone_thread(e, node);
  return true;
}

/* In each part of the kernel anew: what is a register in one place may be an array in another. Where isl has made several
 * marks of one, they are in one part. */
void tsr_emit_thread_buffers(struct tsr_emit *e, const struct tsr_mark *mark)
{
  struct tsr_program *program = e->program;
  bool *named = calloc((size_t)program->scop->n_array + 1, sizeof(*named));
  bool known = named && e->gpu && e->gpu->kernel && tsr_mark_arrays(mark, program->scop, named);
  LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
  for (int i = program->original->n_array; i < program->scop->n_array && known; i++)
    if (named[i] && e->gpu->life[i] != e->gpu->part) {
      e->gpu->life[i] = e->gpu->part;
      LLVMValueRef first = LLVMGetFirstInstruction(e->gpu->entry);
      if (first)
        LLVMPositionBuilderBefore(e->b, first);
      else
        LLVMPositionBuilderAtEnd(e->b, e->gpu->entry);
      enum tsr_space space = program->scop->arrays[i].space;
      bool of_block = space == TSR_SPACE_SHARED || space == TSR_SPACE_PRIVATE;
      e->array_buffer[i - program->original->n_array].pointer =
          of_block ? tsr_emit_block_array(e, i) : tsr_emit_thread_array(e, i);
    }
  LLVMPositionBuilderAtEnd(e->b, here);
  free(named);
}

/* ---- behind the emission of all SCoPs ---- */

void tsr_emit_launch(struct tsr_model *m, const struct tsr_outline *job, LLVMValueRef call)
{
  LLVMContextRef llvm = LLVMGetModuleContext(m->module);
  struct tsr_emit e = {.m = m, .llvm = llvm, .b = LLVMCreateBuilderInContext(llvm), .i64 = LLVMInt64TypeInContext(llvm)};
  LLVMTypeRef pointer = LLVMPointerTypeInContext(llvm, 0);
  LLVMValueRef data = LLVMGetOperand(call, 0);
  int number = tsr_device_add(m->device, LLVMGetCalledValue(call), LLVMGetAllocatedType(data));
  LLVMPositionBuilderBefore(e.b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(m->function)));
  LLVMValueRef list = LLVMBuildAlloca(e.b, pointer, "tsr.args");
  LLVMPositionBuilderBefore(e.b, call);
  if (tsr_inst_location(call))
    LLVMSetCurrentDebugLocation2(e.b, tsr_inst_location(call));
  LLVMBuildStore(e.b, data, list);
  LLVMValueRef none = LLVMConstInt(LLVMInt32TypeInContext(llvm), 0, false);
  LLVMValueRef args[] = {job->job, tsr_emit_number(&e, number), job->grid, job->threads, none, list};
  tsr_emit_call(&e, "tsr_rt_launch", LLVMVoidTypeInContext(llvm), args, 6);
  LLVMInstructionEraseFromParent(call);
  LLVMDisposeBuilder(e.b);
}
