/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Private arrays of parallel loops, as private_arrays.c of isl-bridge finds them.
 *
 *   fits = all copies together have at most TSR_PRIVATE_BYTES            in front of the loop; else: one thread
 *   copy = alloca                                                        in each thread
 *   own = is the last iteration of the loop in this part ? array : copy - first       in front of each part
 *   load array[i]  ->  load own[i]
 *
 * where `first` is the offset of the first element that the loop touches. Addresses are those of the original, as bytes from
 * the array's base, whatever they are made of; LLVM sees through the difference. Copies begin where they are as aligned as
 * the array. Where the model's accesses are more than plain loads and stores of elements the loop isn't shared. */
#include "emit/threads/threads.h"
#include <stdlib.h>

#define LINE 64

struct tsr_private_copy {
  int array;
  struct tsr_private_box box;
  LLVMValueRef first, bytes; /* i64: from the base to the first element; of all */
  LLVMValueRef copy;         /* of this thread: what the base would be */
  LLVMValueRef own;          /* .. in the part at hand: the base, or that; NULL: there is none */
};

/* Are all accesses to ARRAY plain ones? */
static bool is_possible(struct tsr_emit *e, int array)
{
  const struct tsr_array_info *a = &e->m->arrays[array];
  bool good = a->kind == TSR_ARRAY_MEMORY && a->base && !tsr_model_in_region(e->m, a->base) && !a->rows && !a->unbounded &&
              a->n_dim <= TSR_PRIVATE_DIM && !(LLVMIsAGlobalVariable(a->base) && LLVMIsThreadLocal(a->base));
  for (int i = 0; i < e->m->n_access && good; i++) {
    const struct tsr_raw_access *access = &e->m->access[i];
    if (access->array == array)
      good = (LLVMIsALoadInst(access->inst) || LLVMIsAStoreInst(access->inst)) && LLVMGetAlignment(access->inst) <= LINE &&
             (access->stmt < 0 || (access->size == a->elem_size && access->width == 1 && access->offset &&
                                   LLVMGetInstructionParent(access->inst) == e->m->stmts[access->stmt].block));
  }
  return good;
}

bool tsr_emit_private_find(struct tsr_emit *e, struct tsr_private *mark, isl_schedule_node *band, const bool *memory)
{
  bool good = true;
  for (int i = 0; i < e->m->n_array && good; i++) {
    struct tsr_private_box box;
    if (!memory[i])
      continue;
    good = is_possible(e, i) && tsr_private_bounds(band, e->m->scop, i, &box);
    if (!good)
      break;
    mark->copy = realloc(mark->copy, (mark->n_copy + 1) * sizeof(*mark->copy));
    mark->copy[mark->n_copy++] = (struct tsr_private_copy){.array = i, .box = box};
  }
  return good;
}

void tsr_emit_private_clear(struct tsr_private *mark)
{
  for (int i = 0; i < mark->n_copy; i++)
    tsr_private_box_clear(&mark->copy[i].box);
  free(mark->copy);
}

/* How many bytes from the base of COPY's array is the element with subscripts AT? */
static LLVMValueRef offset_of(struct tsr_emit *e, const struct tsr_private_copy *copy, isl_ast_expr *const *at)
{
  const struct tsr_array_info *a = &e->m->arrays[copy->array];
  LLVMValueRef sum = tsr_emit_expr(e, isl_ast_expr_copy(at[0]));
  if (a->pitch) {
    sum = tsr_emit_number(e, 0);
    for (int d = 0; d < copy->box.n_dim; d++) {
      LLVMValueRef index = tsr_emit_expr(e, isl_ast_expr_copy(at[d]));
      index = d + 1 < a->n_dim ? LLVMBuildMul(e->b, index, tsr_emit_size(e, a->pitch[d]), "") : index;
      sum = LLVMBuildAdd(e->b, sum, index, "");
    }
  }
  for (int d = 1; d < copy->box.n_dim && !a->pitch; d++) {
    sum = LLVMBuildMul(e->b, sum, tsr_emit_size(e, a->size[d - 1]), "");
    sum = LLVMBuildAdd(e->b, sum, tsr_emit_expr(e, isl_ast_expr_copy(at[d])), "");
  }
  return LLVMBuildMul(e->b, sum, tsr_emit_number(e, a->elem_size), "");
}

LLVMValueRef tsr_emit_private_fits(struct tsr_emit *e)
{
  struct tsr_private *mark = e->private_loop;
  LLVMValueRef fits = LLVMConstInt(LLVMInt1TypeInContext(e->llvm), 1, false), sum = tsr_emit_number(e, 0), most;
  most = tsr_emit_number(e, TSR_PRIVATE_BYTES);
  bool may_wrap = e->may_wrap;
  e->may_wrap = true; /* subscripts are of what the loop touches: if that is nothing, they may be anything */
  for (int i = 0; i < mark->n_copy; i++) {
    struct tsr_private_copy *copy = &mark->copy[i];
    copy->first = offset_of(e, copy, copy->box.first);
    LLVMValueRef span = LLVMBuildSub(e->b, offset_of(e, copy, copy->box.last), copy->first, "");
    copy->bytes = LLVMBuildAdd(e->b, span, tsr_emit_number(e, e->m->arrays[copy->array].elem_size), "tsr.bytes");
    fits = LLVMBuildAnd(e->b, fits, LLVMBuildICmp(e->b, LLVMIntULE, copy->bytes, most, ""), "");
    sum = LLVMBuildAdd(e->b, sum, copy->bytes, "");
  }
  e->may_wrap = may_wrap;
  fits = LLVMBuildAnd(e->b, fits, LLVMBuildICmp(e->b, LLVMIntULE, sum, most, ""), "tsr.fits");
  mark->fits = fits;
  for (int i = 0; i < mark->n_copy; i++)
    mark->copy[i].bytes = LLVMBuildSelect(e->b, fits, mark->copy[i].bytes, tsr_emit_number(e, 0), "");
  return fits;
}

/* POINTER as a number */
static LLVMValueRef address(struct tsr_emit *e, LLVMValueRef pointer)
{
  return LLVMBuildPtrToInt(e->b, pointer, e->i64, "");
}

/* The address OFFSET bytes behind POINTER */
static LLVMValueRef at_byte(struct tsr_emit *e, LLVMValueRef pointer, LLVMValueRef offset, const char *name)
{
  return LLVMBuildGEP2(e->b, LLVMInt8TypeInContext(e->llvm), pointer, &offset, 1, name);
}

/* A line more than its elements, so that the first one can be where in a line it is in the array. */
void tsr_emit_private_begin(struct tsr_emit *e)
{
  struct tsr_private *mark = e->private_loop;
  LLVMTypeRef i8 = LLVMInt8TypeInContext(e->llvm);
  for (int i = 0; i < mark->n_copy; i++) {
    struct tsr_private_copy *copy = &mark->copy[i];
    LLVMValueRef size = LLVMBuildAdd(e->b, copy->bytes, tsr_emit_number(e, LINE), "");
    LLVMValueRef room = LLVMBuildArrayAlloca(e->b, i8, size, "tsr.private");
    LLVMSetAlignment(room, LINE);
    LLVMValueRef in_line = LLVMBuildAdd(e->b, address(e, e->m->arrays[copy->array].base), copy->first, "");
    in_line = LLVMBuildAnd(e->b, in_line, tsr_emit_number(e, LINE - 1), "");
    copy->copy = at_byte(e, room, LLVMBuildSub(e->b, in_line, copy->first, ""), "");
  }
}

void tsr_emit_private_part(struct tsr_emit *e, LLVMValueRef last)
{
  struct tsr_private *mark = e->private_loop;
  last = LLVMBuildOr(e->b, last, LLVMBuildNot(e->b, mark->fits, ""), ""); /* a team of one may share parts, too */
  for (int i = 0; i < mark->n_copy; i++) {
    struct tsr_private_copy *copy = &mark->copy[i];
    copy->own = LLVMBuildSelect(e->b, last, e->m->arrays[copy->array].base, copy->copy, "tsr.own");
  }
}

void tsr_emit_private_end(struct tsr_emit *e)
{
  struct tsr_private *mark = e->private_loop;
  for (int i = 0; i < mark->n_copy; i++)
    mark->copy[i].own = NULL;
}

LLVMValueRef tsr_emit_private_pointer(struct tsr_emit *e, LLVMValueRef inst, LLVMValueRef pointer)
{
  struct tsr_private *mark = e->private_loop;
  if (!mark || !mark->n_copy || !mark->copy[0].own)
    return pointer;
  for (int i = 0; i < e->m->n_access; i++)
    for (int k = 0; e->m->access[i].inst == inst && k < mark->n_copy; k++)
      if (e->m->access[i].array == mark->copy[k].array) {
        LLVMValueRef base = e->m->arrays[mark->copy[k].array].base;
        LLVMValueRef offset = LLVMBuildSub(e->b, address(e, pointer), address(e, base), "");
        return at_byte(e, mark->copy[k].own, offset, "");
      }
  return pointer;
}
