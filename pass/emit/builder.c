/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What all new code is built with: blocks, names of the AST and their values, slots, calls, and what LLVM is told of
 * branches and loops. */
#include "emit/emitter.h"
#include <stdlib.h>
#include <string.h>

LLVMBasicBlockRef tsr_emit_block(struct tsr_emit *e, const char *name)
{
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInsertBlock(e->b));
  LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(e->llvm, function, name);
  tsr_blocks_add(&e->fresh, block);
  return block;
}

LLVMValueRef tsr_emit_number(struct tsr_emit *e, int64_t value)
{
  return LLVMConstInt(e->i64, (uint64_t)value, true);
}

void tsr_emit_bind(struct tsr_emit *e, const char *name, LLVMValueRef value)
{
  e->var = realloc(e->var, (e->n_var + 1) * sizeof(*e->var));
  memset(&e->var[e->n_var], 0, sizeof(*e->var));
  e->var[e->n_var].name = strdup(name);
  e->var[e->n_var++].value = value;
}

LLVMValueRef tsr_emit_variable(struct tsr_emit *e, const char *name)
{
  for (int i = e->n_var - 1; i >= 0; i--)
    if (!strcmp(e->var[i].name, name))
      return e->var[i].value;
  return LLVMGetUndef(e->i64); /* excluded by tsr_expr_fits */
}

void tsr_emit_unbind(struct tsr_emit *e, int n_var)
{
  for (; e->n_var > n_var; e->n_var--)
    free(e->var[e->n_var - 1].name);
}

LLVMValueRef tsr_emit_slot(struct tsr_emit *e, LLVMTypeRef type)
{
  struct tsr_model *m = e->m;
  m->slot = realloc(m->slot, (m->n_slot + 1) * sizeof(*m->slot));
  return m->slot[m->n_slot++] = LLVMBuildAlloca(e->b, type, "tsr.slot");
}

LLVMValueRef tsr_emit_frozen(struct tsr_emit *e, LLVMValueRef value)
{
  return tsr_is_well_defined(value) ? value : LLVMBuildFreeze(e->b, value, "");
}

LLVMValueRef tsr_emit_call(struct tsr_emit *e, const char *name, LLVMTypeRef result, LLVMValueRef *args, unsigned n)
{
  LLVMTypeRef types[8];
  for (unsigned i = 0; i < n; i++)
    types[i] = LLVMTypeOf(args[i]);
  LLVMTypeRef type = LLVMFunctionType(result, types, n, false);
  LLVMValueRef function = LLVMGetNamedFunction(e->m->module, name);
  if (!function)
    function = LLVMAddFunction(e->m->module, name, type);
  LLVMValueRef call = LLVMBuildCall2(e->b, type, function, args, n, "");
  unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", 8);
  LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(e->llvm, kind, 0));
  return call;
}

/* The condition of BRANCH is true as a rule: the odds that LLVM's vectoriser gives its own run-time checks. The blocks of
 * the original keep their weights, which are ratios. */
void tsr_emit_set_likely(struct tsr_emit *e, LLVMValueRef branch)
{
  static const char name[] = "branch_weights";
  LLVMTypeRef i32 = LLVMInt32TypeInContext(e->llvm);
  LLVMMetadataRef item[3] = {LLVMMDStringInContext2(e->llvm, name, sizeof(name) - 1),
                             LLVMValueAsMetadata(LLVMConstInt(i32, 127, false)),
                             LLVMValueAsMetadata(LLVMConstInt(i32, 1, false))};
  tsr_set_metadata(branch, "prof", tsr_md_node(e->llvm, item, 3));
}

/* { NAME } or { NAME, VALUE } */
static LLVMMetadataRef flag(struct tsr_emit *e, const char *name, LLVMMetadataRef value)
{
  LLVMMetadataRef item[2] = {LLVMMDStringInContext2(e->llvm, name, strlen(name)), value};
  return tsr_md_node(e->llvm, item, value ? 2 : 1);
}

LLVMMetadataRef tsr_emit_loop_id(struct tsr_emit *e, LLVMMetadataRef group, bool final)
{
  LLVMMetadataRef item[16];
  unsigned n = 0;
  item[n++] = flag(e, "llvm.loop.mustprogress", NULL);
  item[n++] = flag(e, TSR_LOOP_DONE, NULL);
  if (group)
    item[n++] = flag(e, "llvm.loop.parallel_accesses", group);
  if (final)
    item[n++] = flag(e, "llvm.loop.unroll.disable", NULL);
  if (group && e->vector_width) {
    LLVMValueRef width = LLVMConstInt(LLVMInt32TypeInContext(e->llvm), (unsigned)e->vector_width, false);
    item[n++] = flag(e, "llvm.loop.vectorize.width", LLVMValueAsMetadata(width));
  }
  if (e->blocks)
    item[n++] = flag(e, "llvm.licm.disable", NULL);
  for (unsigned i = 0; i < e->n_hint && n < 15; i++)
    item[n++] = e->hint[i];
  if (e->masked) { /* behind the user's hints: the last one counts */
    LLVMValueRef no = LLVMConstInt(LLVMInt1TypeInContext(e->llvm), 0, false);
    item[n++] = flag(e, "llvm.loop.vectorize.enable", LLVMValueAsMetadata(no));
  }
  return tsr_md_self_reference(e->llvm, item, n);
}
