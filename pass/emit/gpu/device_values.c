/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values in kernels: which thread this is, and addresses in the GPU's memory. */
#include "emit/gpu/gpu.h"
#include <stdio.h>

static const char axis_name[TSR_MAX_MAPPED] = {'x', 'y', 'z'};

LLVMValueRef tsr_emit_special(struct tsr_emit *e, const char *what, int axis)
{
  char name[64];
  int length = snprintf(name, sizeof(name), "llvm.nvvm.read.ptx.sreg.%s.%c", what, axis_name[axis]);
  unsigned id = LLVMLookupIntrinsicID(name, (size_t)length);
  LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->m->module, id, NULL, 0);
  LLVMValueRef value = LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->llvm, id, NULL, 0), function, NULL, 0, "");
  return LLVMBuildZExt(e->b, value, e->i64, "");
}

LLVMValueRef tsr_emit_device_address(struct tsr_emit *e, int array, LLVMValueRef pointer)
{
  if (!e->gpu || !e->gpu->kernel)
    return pointer;
  LLVMValueRef delta = e->gpu->delta[array];
  pointer = LLVMBuildGEP2(e->b, LLVMInt8TypeInContext(e->llvm), pointer, &delta, 1, "tsr.device");
  return LLVMBuildAddrSpaceCast(e->b, pointer, LLVMPointerTypeInContext(e->llvm, TSR_GLOBAL_MEMORY), "");
}

LLVMValueRef tsr_emit_device_pointer(struct tsr_emit *e, LLVMValueRef inst, LLVMValueRef pointer)
{
  for (int i = 0; i < e->m->n_access; i++)
    if (e->m->access[i].inst == inst)
      return tsr_emit_device_address(e, e->m->access[i].array, pointer);
  return pointer; /* excluded by tsr_gpu_can_run */
}

static isl_bool is_no_loop(isl_ast_node *node, void *user)
{
  (void)user;
  return isl_ast_node_get_type(node) == isl_ast_node_for ? isl_bool_error : isl_bool_true;
}

bool tsr_emit_is_around_loops(struct tsr_emit *e, const struct tsr_for *loop)
{
  return e->gpu && e->gpu->kernel && isl_ast_node_foreach_descendant_top_down(loop->body, is_no_loop, NULL) != isl_stat_ok;
}
