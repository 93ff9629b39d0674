/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The machine that a function is compiled for: the row of its "target-cpu", with the vectors that its "target-features"
 * allow and its "prefer-vector-width" asks for.
 *
 * LLVM splits vectors of 64 bytes into halves on all of Intel's processors unless a function says that it needs them
 * ("min-legal-vector-width"), and doesn't make them of loops ("prefer-vector-width"): Skylake's clock drops when they are
 * used. That of its successors hardly does, and such vectors do twice the work; so functions with new code ask for them,
 * but for loops that wait for memory: of stores to several arrays that don't begin at a line, each such vector is in two
 * lines, and a core has few of these under way (an Emerald Rapids: four arrays in 139 ms, in halves of vectors in 95).
 *
 * And the library that new code may call. */
#include "pass.h"
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDE 64 /* bytes: the vectors that LLVM has to be asked for */
static const char legal[] = "min-legal-vector-width", preferred[] = "prefer-vector-width"; /* in bits */

/* The text attribute KEY of FUNCTION, NULL if it has none. Not terminated: *LENGTH. */
static const char *text_of(LLVMValueRef function, const char *key, unsigned *length)
{
  LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
  LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(function, at, key, (unsigned)strlen(key));
  *length = 0;
  return attribute ? LLVMGetStringAttributeValue(attribute, length) : NULL;
}

/* The number that the attribute KEY of FUNCTION is, 0 if it has none. */
static int number_of(LLVMValueRef function, const char *key)
{
  unsigned length;
  char digits[16] = "";
  const char *text = text_of(function, key, &length);
  if (text && length < sizeof(digits))
    memcpy(digits, text, length);
  return atoi(digits);
}

/* FUNCTION has the text attribute KEY. */
static void set_text(LLVMValueRef function, const char *key, const char *text)
{
  LLVMContextRef llvm = LLVMGetModuleContext(LLVMGetGlobalParent(function));
  LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                          LLVMCreateStringAttribute(llvm, key, (unsigned)strlen(key), text, (unsigned)strlen(text)));
}

/* Is NAME switched on (1) or off (-1) in FEATURES, a list such as "+avx,-avx2"? 0: nothing is said. What is said last
 * counts. */
static int feature(const char *features, unsigned length, const char *name)
{
  size_t n = strlen(name);
  int state = 0;
  for (const char *at = features, *end = features + length; at && at < end;) {
    const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma ? comma : end;
    if ((size_t)(stop - at) == n + 1 && !memcmp(at + 1, name, n))
      state = *at == '+' ? 1 : -1;
    at = comma ? comma + 1 : NULL;
  }
  return state;
}

/* The vectors of MACHINE */
static void set_vectors(struct tsr_machine *machine, int bytes, int registers)
{
  machine->vector_bytes = bytes;
  machine->vector_registers = registers;
}

/* x86: AVX-512 has 32 registers of 64 bytes, AVX 16 of 32, SSE 16 of 16. */
static void apply_features(struct tsr_machine *machine, const char *features, unsigned length)
{
  int avx512 = feature(features, length, "avx512f"), avx = feature(features, length, "avx");
  if (avx < 0)
    set_vectors(machine, 16, 16);
  else if (avx512 < 0 && machine->vector_bytes > 32)
    set_vectors(machine, 32, 16);
  else if (avx512 > 0 && machine->vector_bytes < 64)
    set_vectors(machine, 64, 32);
  else if (avx > 0 && machine->vector_bytes < 32)
    set_vectors(machine, 32, 16);
}

/* A virtual machine may hide its model behind an older name, but not what its code can use. */
static const char *model_of(const char *name, const char *features, unsigned length)
{
  return feature(features, length, "avx512fp16") > 0 ? "sapphirerapids" : name;
}

void tsr_target_machine(LLVMValueRef function, struct tsr_machine *machine)
{
  unsigned length;
  char name[64] = "";
  const char *text = text_of(function, "target-cpu", &length);
  if (text && length < sizeof(name))
    memcpy(name, text, length);
  text = text_of(function, "target-features", &length);
  tsr_machine_find(*name ? model_of(name, text, length) : NULL, machine);
  if (text)
    apply_features(machine, text, length);
  int bytes = number_of(function, preferred) / 8;
  if (bytes >= 16 && bytes < machine->vector_bytes)
    machine->vector_bytes = bytes;
}

/* The attribute NAME of FUNCTION; NULL: there is none. */
static LLVMAttributeRef text_attribute(LLVMValueRef function, const char *name)
{
  return LLVMGetStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name,
                                       (unsigned)strlen(name));
}

/* Let ATTRIBUTE be that called NAME of FUNCTION; NULL: there is none. */
static void set_attribute(LLVMValueRef function, const char *name, LLVMAttributeRef attribute)
{
  LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
  if (attribute)
    LLVMAddAttributeAtIndex(function, at, attribute);
  else
    LLVMRemoveStringAttributeAtIndex(function, at, name, (unsigned)strlen(name));
}

struct tsr_vectors tsr_target_vectors(LLVMValueRef function)
{
  return (struct tsr_vectors){text_attribute(function, legal), text_attribute(function, preferred)};
}

void tsr_target_set_vectors(LLVMValueRef function, struct tsr_vectors vectors)
{
  set_attribute(function, legal, vectors.legal);
  set_attribute(function, preferred, vectors.preferred);
}

void tsr_target_use_vectors(LLVMValueRef function, const struct tsr_machine *machine, bool streams)
{
  unsigned length;
  const char *features = text_of(function, "target-features", &length);
  if (!features || feature(features, length, "avx512f") <= 0 || machine->vector_bytes < WIDE)
    return;
  char bits[16];
  snprintf(bits, sizeof(bits), "%d", WIDE * 8);
  if (number_of(function, legal) < WIDE * 8)
    set_text(function, legal, bits);
  if (!streams && !number_of(function, preferred))
    set_text(function, preferred, bits);
}

bool tsr_library_is_known(LLVMModuleRef module)
{
  const char *triple = LLVMGetTarget(module);
  return strstr(triple, "linux") && !strstr(triple, "android") && LLVMPointerSize(LLVMGetModuleDataLayout(module)) == 8;
}

bool tsr_pack_is_possible(LLVMValueRef function)
{
  static const char *const not[] = {"no-builtins", "no-builtin-malloc", "no-builtin-free"};
  LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
  bool possible = tsr_library_is_known(LLVMGetGlobalParent(function));
  for (size_t i = 0; i < sizeof(not) / sizeof(*not); i++)
    possible &= !LLVMGetStringAttributeAtIndex(function, at, not[i], (unsigned)strlen(not[i]));
  return possible;
}

bool tsr_stream_is_possible(LLVMValueRef function)
{
  return !strncmp(LLVMGetTarget(LLVMGetGlobalParent(function)), "x86_64", 6);
}
