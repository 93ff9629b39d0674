/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the runtime declares of the driver (cuda_driver.h, .def, cuda_errors.def) against CUDA's own header: a difference is
 * an error of compilation. Built where there is a cuda.h. */
#include "cuda_driver.h"
#include <cuda.h>
#include <stdio.h>

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)

SAME(TSR_CU_SUCCESS, CUDA_SUCCESS);
SAME(TSR_CU_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);
SAME(TSR_CU_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING);
SAME(TSR_CU_FUNC_MAX_DYNAMIC_SHARED, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(TSR_CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BUFFER);
SAME(TSR_CU_JIT_ERROR_LOG_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME(TSR_CU_MEMORY_HOST, CU_MEMORYTYPE_HOST);
SAME(TSR_CU_MEMORY_DEVICE, CU_MEMORYTYPE_DEVICE);

#define ERROR(code, name, fate, advice) SAME(code, CUDA_ERROR_##name);
#include "cuda_errors.def"
#undef ERROR

#define SAME_PLACE(ours, theirs)                                                                                            \
  SAME(offsetof(struct cu_rows, ours), offsetof(CUDA_MEMCPY2D, theirs));                                                    \
  SAME(sizeof((struct cu_rows){.width = 0}.ours), sizeof((CUDA_MEMCPY2D){.Height = 0}.theirs))
#define SAME_SIDE(ours, theirs)                                                                                             \
  SAME_PLACE(ours.x, theirs##XInBytes);                                                                                     \
  SAME_PLACE(ours.y, theirs##Y);                                                                                            \
  SAME_PLACE(ours.memory, theirs##MemoryType);                                                                              \
  SAME_PLACE(ours.host, theirs##Host);                                                                                      \
  SAME_PLACE(ours.device, theirs##Device);                                                                                  \
  SAME_PLACE(ours.array, theirs##Array);                                                                                    \
  SAME_PLACE(ours.pitch, theirs##Pitch)
SAME_SIDE(from, src);
SAME_SIDE(to, dst);
SAME_PLACE(width, WidthInBytes);
SAME_PLACE(height, Height);
SAME(sizeof(struct cu_rows), sizeof(CUDA_MEMCPY2D));
SAME(sizeof(cu_result), sizeof(CUresult));
SAME(sizeof(cu_option), sizeof(CUjit_option));
SAME(sizeof(cu_attribute), sizeof(CUfunction_attribute));

/* From here on, the entry points' parameters are spelt with CUDA's types. */
#define cu_result CUresult
#define cu_device CUdevice
#define cu_attribute CUfunction_attribute
#define cu_option CUjit_option
#define cu_address CUdeviceptr
#define cu_context CUcontext
#define cu_module CUmodule
#define cu_function CUfunction
#define cu_stream CUstream
#define cu_rows CUDA_MEMCPY2D
#define ENTRY(name, parameters)                                                                                             \
  typedef cu_result type_of_##name parameters;                                                                              \
  _Static_assert(__builtin_types_compatible_p(type_of_##name, __typeof__(name)), #name);
#include "cuda_driver.def"
#undef ENTRY

enum {
#define ERROR(code, name, fate, advice) ERROR_##name,
#include "cuda_errors.def"
#define ENTRY(name, parameters) ENTRY_##name,
#include "cuda_driver.def"
  N_DECLARED
};

int main(void)
{
  printf("%d checks\n", N_DECLARED);
}
