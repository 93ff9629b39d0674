/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Elements named by a mask of a few bits of a counter, as in a[j % 4]. LLVM 22's loop vectoriser takes j % 4 for j, after a
 * check that it forgets where it also has one that the wider j doesn't wrap: the vectors go beyond a[3]. So it is to leave
 * alone
 *
 *   new loops around such elements (emit/ast_walk.c): all of them, since the inner ones may vanish where they run once;
 *   loops that stay in a function that we change: our versions make LLVM specialise and simplify what it would have left.
 *
 * Nothing is lost by it: the check, where it isn't forgotten, is of a counter that stays below 4. */
#include "emit/emit.h"

#define WIDE_ENOUGH 8 /* bits */

bool tsr_is_masked(struct tsr_analyses *a, LLVMValueRef inst)
{
  int at = LLVMIsALoadInst(inst) ? 0 : LLVMIsAStoreInst(inst) ? 1 : -1;
  bool inside = at >= 0 && tsr_loop_for(a, LLVMGetInstructionParent(inst));
  tsr_scev s = inside ? tsr_scev_of(a, LLVMGetOperand(inst, at)) : NULL;
  return s && tsr_scev_has_narrow_counter(a, s, WIDE_ENOUGH);
}

bool tsr_has_masked(struct tsr_analyses *a, LLVMValueRef function, bool forbid)
{
  bool any = false;
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst)) {
      if (!tsr_is_masked(a, inst))
        continue;
      any = true;
      for (tsr_loop loop = forbid ? tsr_loop_for(a, block) : NULL; loop; loop = tsr_loop_parent(loop))
        tsr_loop_set_mark(loop, "llvm.loop.vectorize.enable");
    }
  return any;
}
