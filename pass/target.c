/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The machine that a function is compiled for: the row of its "target-cpu", with the vectors that its "target-features"
 * allow and its "prefer-vector-width" asks for. */
#include "pass.h"
#include <stdlib.h>
#include <string.h>

/* The text attribute KEY of FUNCTION, NULL if it has none. Not terminated: *LENGTH. */
static const char *text_of(LLVMValueRef function, const char *key, unsigned *length)
{
  LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
  LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(function, at, key, (unsigned)strlen(key));
  *length = 0;
  return attribute ? LLVMGetStringAttributeValue(attribute, length) : NULL;
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

void tsr_target_machine(LLVMValueRef function, struct tsr_machine *machine)
{
  unsigned length;
  char name[64] = "", width[16] = "";
  const char *text = text_of(function, "target-cpu", &length);
  if (text && length < sizeof(name))
    memcpy(name, text, length);
  tsr_machine_find(*name ? name : NULL, machine);
  text = text_of(function, "target-features", &length);
  if (text)
    apply_features(machine, text, length);
  text = text_of(function, "prefer-vector-width", &length);
  if (text && length < sizeof(width))
    memcpy(width, text, length);
  int bytes = atoi(width) / 8;
  if (bytes >= 16 && bytes < machine->vector_bytes)
    machine->vector_bytes = bytes;
}
