/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libcuda.so.1 -> struct tsr_driver, a pointer for each line of cuda_driver.def. The library stays open: the driver has
 * threads. */
#include "runtime.h"
#include <dlfcn.h>
#include <string.h>

static const struct {
  const char *name;
  size_t offset; /* of the pointer in struct tsr_driver */
  bool optional;
} entries[] = {
#define ENTRY(name, parameters) {#name, offsetof(struct tsr_driver, name), false},
#define OPTIONAL_ENTRY(name, parameters) {#name, offsetof(struct tsr_driver, name), true},
#include "cuda_driver.def"
#undef ENTRY
};

bool tsr_driver_open(struct tsr_driver *cu)
{
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    dlerror(); /* frees its text */
    return false;
  }
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    void *symbol = dlsym(library, entries[i].name);
    if (!symbol) {
      dlerror();
      if (entries[i].optional)
        continue;
      tsr_tell("libcuda.so.1 has no %s: update the driver", entries[i].name);
      return false;
    }
    memcpy((char *)cu + entries[i].offset, &symbol, sizeof symbol);
  }
  return true;
}
