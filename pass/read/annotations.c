/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Commands in the source: __attribute__((annotate("tessera: by.tile(..)"))) on a function. clang keeps what is annotated in
 *
 *   @llvm.global.annotations = [{ ptr @f, ptr @.text, ptr @.file, i32 line, ptr args }, ..] */
#include "read/read.h"
#include <stdlib.h>
#include <string.h>

static const char lead[] = "tessera:";

/* The text of entry I of ANNOTATIONS if it begins as ours do, without that; *LENGTH. */
static const char *text_of(LLVMValueRef annotations, unsigned i, size_t *length)
{
  LLVMValueRef entry = LLVMGetOperand(annotations, i);
  LLVMValueRef global = LLVMGetNumOperands(entry) > 1 ? LLVMGetOperand(entry, 1) : NULL;
  LLVMValueRef string = global && LLVMIsAGlobalVariable(global) ? LLVMGetInitializer(global) : NULL;
  if (!string || !LLVMIsAConstantDataSequential(string) || !LLVMIsConstantString(string))
    return NULL;
  const char *text = LLVMGetAsString(string, length);
  while (*length && !text[*length - 1])
    --*length;
  size_t skip = sizeof(lead) - 1;
  if (*length < skip || strncmp(text, lead, skip) != 0)
    return NULL;
  *length -= skip;
  return text + skip;
}

/* The list of MODULE; NULL: nothing is annotated. */
static LLVMValueRef find_annotations(LLVMModuleRef module)
{
  LLVMValueRef global = LLVMGetNamedGlobal(module, "llvm.global.annotations");
  LLVMValueRef list = global ? LLVMGetInitializer(global) : NULL;
  return list && LLVMIsAConstantArray(list) ? list : NULL;
}

bool tsr_commands_are_in_source(LLVMModuleRef module)
{
  size_t length;
  LLVMValueRef list = find_annotations(module);
  for (int i = 0; list && i < LLVMGetNumOperands(list); i++)
    if (text_of(list, (unsigned)i, &length))
      return true;
  return false;
}

char *tsr_commands_in_source(LLVMModuleRef module, LLVMValueRef function)
{
  char *all = NULL;
  LLVMValueRef list = find_annotations(module);
  for (int i = 0; list && i < LLVMGetNumOperands(list); i++) {
    size_t length, used = all ? strlen(all) : 0;
    const char *text = text_of(list, (unsigned)i, &length);
    if (!text || LLVMGetOperand(LLVMGetOperand(list, (unsigned)i), 0) != function)
      continue;
    char *more = realloc(all, used + length + 2);
    if (!more)
      break;
    all = more;
    memcpy(all + used, text, length);
    memcpy(all + used + length, "\n", 2);
  }
  return all;
}
