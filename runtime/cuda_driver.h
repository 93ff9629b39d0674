/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The part of CUDA's driver API that the runtime uses, declared here so that no toolkit is needed to build it. The names
 * aren't cuda.h's, so that a test can include both and compare them (test/runtime/cuda_names.c). */
#ifndef TSR_CUDA_DRIVER_H
#define TSR_CUDA_DRIVER_H

#include <stddef.h>

typedef int cu_result;
typedef int cu_device;
typedef int cu_attribute;              /* of a function */
typedef int cu_option;                 /* of the JIT compiler */
typedef unsigned long long cu_address; /* of the device's memory */
typedef struct cu_context_s *cu_context;
typedef struct cu_module_s *cu_module;
typedef struct cu_function_s *cu_function;
typedef struct cu_stream_s *cu_stream;

/* Of the results, those that the runtime decides on; cuda_errors.def has those that it explains. */
enum { TSR_CU_SUCCESS = 0, TSR_CU_OUT_OF_MEMORY = 2 };

enum { TSR_CU_STREAM_NON_BLOCKING = 1 };
enum { TSR_CU_FUNC_MAX_DYNAMIC_SHARED = 8 };
enum { TSR_CU_JIT_ERROR_LOG = 5, TSR_CU_JIT_ERROR_LOG_BYTES = 6 };
enum { TSR_CU_MEMORY_HOST = 1, TSR_CU_MEMORY_DEVICE = 2 };

/* One side of a copy of rows: which member is the address, `memory` says. */
struct cu_side {
  size_t x, y;
  int memory;
  void *host;
  cu_address device;
  void *array;
  size_t pitch;
};

/* CUDA_MEMCPY2D: HEIGHT rows of WIDTH bytes */
typedef struct cu_rows {
  struct cu_side from, to;
  size_t width, height;
} cu_rows;

/* The entry points, as tsr_driver_open found them; an optional one is NULL where the driver lacks it. */
struct tsr_driver {
#define ENTRY(name, parameters) cu_result(*name) parameters;
#include "cuda_driver.def"
#undef ENTRY
};

#endif
