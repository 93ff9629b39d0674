/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that a program keeps from one call of new code to the next: pages that were never touched before cost more than
 * what many a nest computes in them (a product of 500 x 500 complex numbers runs at half its speed where each call gets its
 * buffers from the system anew). Two functions, in each module that has such buffers; the linker takes one of each, for a
 * program or a shared library:
 *
 *   place: what is kept, or null                           header of what is handed out: its bytes
 *
 *   take(bytes, most):                                     give(memory, most):
 *     if bytes <= most                                       if memory is null: nothing
 *       kept = exchange(place, null)                         if its bytes > most: free it
 *       if kept has enough bytes: that                       else free(exchange(place, it))
 *       free(kept)
 *     malloc(bytes), may be null
 *
 * Exchanges are atomic: whoever takes has the memory for himself, other threads find none, and use malloc. A destructor
 * frees what is kept where the program ends or the library is unloaded. errno stays as it was. With sanitizers, which know
 * malloc and free, it is these. */
#include "emit/buffer/buffer.h"
#include "emit/emit.h"
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <string.h>

/* A change of what they do needs other names: objects that several versions have compiled are linked together. */
#define TAKE "__tessera_memory_take.1"
#define GIVE "__tessera_memory_give.1"

/* ---- calls ---- */

/* errno, and where it is. LLVM takes it for granted that malloc and free leave it alone: who keeps it does so by accesses
 * that LLVM leaves alone. */
static LLVMValueRef load_errno(struct tsr_emit *e, LLVMValueRef *place)
{
  *place = tsr_emit_call(e, "__errno_location", LLVMPointerTypeInContext(e->llvm, 0), NULL, 0);
  LLVMValueRef was = LLVMBuildLoad2(e->b, LLVMInt32TypeInContext(e->llvm), *place, "tsr.errno");
  LLVMSetVolatile(was, true);
  return was;
}

/* errno is WAS, at PLACE, again. */
static void store_errno(struct tsr_emit *e, LLVMValueRef was, LLVMValueRef place)
{
  LLVMSetVolatile(LLVMBuildStore(e->b, was, place), true);
}

#define MOST_MEGABYTES (1ul << 20)

/* Do tools watch FUNCTION that know of malloc and free, and would take what another thread has left for a race? */
static bool is_watched(LLVMValueRef function)
{
  static const char *const tools[] = {"sanitize_thread", "sanitize_memory", "sanitize_address", "sanitize_hwaddress"};
  bool any = false;
  for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++)
    any |= tsr_fn_has_attr(function, tools[i]);
  return any;
}

/* The most bytes that are kept; NULL: none. */
static LLVMValueRef most_bytes(struct tsr_emit *e)
{
  unsigned long megabytes = e->m->opt->keep_buffers < MOST_MEGABYTES ? e->m->opt->keep_buffers : MOST_MEGABYTES;
  return megabytes && !is_watched(e->m->function) ? tsr_emit_number(e, (int64_t)megabytes << 20) : NULL;
}

LLVMValueRef tsr_emit_memory_take(struct tsr_emit *e, LLVMValueRef bytes)
{
  LLVMTypeRef pointer = LLVMPointerTypeInContext(e->llvm, 0);
  LLVMValueRef memory, place, most = most_bytes(e);
  if (most) {
    memory = tsr_emit_call(e, TAKE, pointer, (LLVMValueRef[]){bytes, most}, 2);
  } else {
    LLVMValueRef was = load_errno(e, &place);
    memory = tsr_emit_call(e, "malloc", pointer, &bytes, 1);
    store_errno(e, was, place);
  }
  unsigned kind = LLVMGetEnumAttributeKindForName("noalias", 7);
  LLVMAddCallSiteAttribute(memory, LLVMAttributeReturnIndex, LLVMCreateEnumAttribute(e->llvm, kind, 0));
  return memory;
}

void tsr_emit_memory_give(struct tsr_emit *e, LLVMValueRef memory)
{
  LLVMTypeRef nothing = LLVMVoidTypeInContext(e->llvm);
  LLVMValueRef place, most = most_bytes(e);
  if (most) {
    tsr_emit_call(e, GIVE, nothing, (LLVMValueRef[]){memory, most}, 2);
    return;
  }
  LLVMValueRef was = load_errno(e, &place);
  tsr_emit_call(e, "free", nothing, &memory, 1);
  store_errno(e, was, place);
}

/* ---- functions ---- */

/* Nobody else accesses the place, so that it is as inaccessible to others as malloc's own. */
static const char code[] =
    "$__tessera_memory.1 = comdat any\n"
    "$__tessera_memory_take.1 = comdat any\n"
    "$__tessera_memory_give.1 = comdat any\n"
    "$__tessera_memory_free.1 = comdat any\n"
    "@__tessera_memory.1 = linkonce_odr hidden global ptr null, comdat, align 8\n"
    "@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }]\n"
    "    [{ i32, ptr, ptr } { i32 65535, ptr @__tessera_memory_free.1, ptr @__tessera_memory_free.1 }]\n"
    "declare ptr @__errno_location()\n"
    "declare ptr @malloc(i64)\n"
    "declare void @free(ptr)\n"
    "define linkonce_odr hidden ptr @__tessera_memory_take.1(i64 %bytes, i64 %most) #0 comdat {\n"
    "  %small = icmp ule i64 %bytes, %most\n"
    "  br i1 %small, label %look, label %fresh\n"
    "look:\n"
    "  %kept = atomicrmw xchg ptr @__tessera_memory.1, ptr null acq_rel, align 8\n"
    "  %none = icmp eq ptr %kept, null\n"
    "  br i1 %none, label %fresh, label %size\n"
    "size:\n"
    "  %has = load i64, ptr %kept, align 8\n"
    "  %enough = icmp uge i64 %has, %bytes\n"
    "  br i1 %enough, label %done, label %fresh\n"
    "fresh:\n"
    "  %old = phi ptr [ null, %0 ], [ null, %look ], [ %kept, %size ]\n"
    "  %place = call ptr @__errno_location() #1\n"
    "  %errno = load volatile i32, ptr %place, align 4\n"
    "  call void @free(ptr %old) #1\n"
    "  %all = add i64 %bytes, 16\n"
    "  %new = call ptr @malloc(i64 %all) #1\n"
    "  store volatile i32 %errno, ptr %place, align 4\n"
    "  %failed = icmp eq ptr %new, null\n"
    "  br i1 %failed, label %nothing, label %header\n"
    "header:\n"
    "  store i64 %bytes, ptr %new, align 8\n"
    "  br label %done\n"
    "done:\n"
    "  %memory = phi ptr [ %kept, %size ], [ %new, %header ]\n"
    "  %first = getelementptr inbounds i8, ptr %memory, i64 16\n"
    "  ret ptr %first\n"
    "nothing:\n"
    "  ret ptr null\n"
    "}\n"
    "define linkonce_odr hidden void @__tessera_memory_give.1(ptr %memory, i64 %most) #0 comdat {\n"
    "  %none = icmp eq ptr %memory, null\n"
    "  br i1 %none, label %done, label %size\n"
    "size:\n"
    "  %own = getelementptr inbounds i8, ptr %memory, i64 -16\n"
    "  %has = load i64, ptr %own, align 8\n"
    "  %small = icmp ule i64 %has, %most\n"
    "  br i1 %small, label %keep, label %drop\n"
    "keep:\n"
    "  %before = atomicrmw xchg ptr @__tessera_memory.1, ptr %own acq_rel, align 8\n"
    "  %first = icmp eq ptr %before, null\n"
    "  br i1 %first, label %done, label %drop\n"
    "drop:\n"
    "  %old = phi ptr [ %own, %size ], [ %before, %keep ]\n"
    "  %place = call ptr @__errno_location() #1\n"
    "  %errno = load volatile i32, ptr %place, align 4\n"
    "  call void @free(ptr %old) #1\n"
    "  store volatile i32 %errno, ptr %place, align 4\n"
    "  br label %done\n"
    "done:\n"
    "  ret void\n"
    "}\n"
    "define linkonce_odr hidden void @__tessera_memory_free.1() #2 comdat {\n"
    "  %kept = atomicrmw xchg ptr @__tessera_memory.1, ptr null acq_rel, align 8\n"
    "  call void @free(ptr %kept) #1\n"
    "  ret void\n"
    "}\n"
    "attributes #0 = { noinline nounwind willreturn uwtable\n"
    "  memory(argmem: readwrite, inaccessiblemem: readwrite, errnomem: readwrite) }\n"
    "attributes #1 = { nounwind }\n"
    "attributes #2 = { noinline nounwind uwtable }\n";

static bool is_declared(LLVMModuleRef module, const char *name)
{
  LLVMValueRef function = LLVMGetNamedFunction(module, name);
  return function && LLVMIsDeclaration(function);
}

char *tsr_kept_memory_define(LLVMModuleRef module)
{
  if (!is_declared(module, TAKE) && !is_declared(module, GIVE))
    return NULL;
  char *why = NULL;
  LLVMModuleRef own;
  LLVMContextRef llvm = LLVMGetModuleContext(module);
  LLVMBool nameless = LLVMContextShouldDiscardValueNames(llvm);
  LLVMMemoryBufferRef text = LLVMCreateMemoryBufferWithMemoryRange(code, sizeof(code) - 1, "tessera.memory", true);
  LLVMContextSetDiscardValueNames(llvm, false); /* text can't be read without */
  LLVMBool failed = LLVMParseIRInContext(llvm, text, &own, &why);
  LLVMContextSetDiscardValueNames(llvm, nameless);
  if (failed)
    return why;
  LLVMSetTarget(own, LLVMGetTarget(module));
  LLVMSetDataLayout(own, LLVMGetDataLayoutStr(module));
  return LLVMLinkModules2(module, own) ? strdup("their module can't be linked with this one") : NULL;
}
