/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the pipelines share: arrays as the caller's or the function's own, data, and the driver.
 *
 * A pipeline file defines, as a kernel does, NAME and five data sets of (rows, columns), then its arrays, each as
 * A(type, name, outermost dimension, the others), and includes this file:
 *
 *   #define INPUTS(A) A(float, in, H, [W])
 *   #define OUTPUTS(A) A(float, out, H, [W])
 *   #define BUFFERS(A) A(float, blurred, H, [W])     what lies between
 *   #include "pipeline.h"
 *
 *   PIPELINE { BEGIN; ... loops ... END; }
 *
 * Buffers are the caller's; with -DTSR_LOCAL they are allocated and freed in the function. With -DTSR_FIXED=LARGE sizes are
 * constants; with -DTSR_ELSEWHERE another file has the function. One with other sizes than H, W defines SIZES, ARGUMENTS and
 * READ_SIZES itself; one whose inputs can't be any values defines PREPARE, which makes of the values that they have others.
 * Whatever is read is written before, so all forms have the same results. */
#ifndef TSR_PIPELINE_H
#define TSR_PIPELINE_H
#include "../kernels/common.h"

#ifndef SIZES
#define SIZES int h, int w
#define ARGUMENTS h, w
#define READ_SIZES int h = size[0], w = size[1]
#define H DIM(0, h)
#define W DIM(1, w)
#endif

#ifndef PREPARE
#define PREPARE
#endif

#define PARAMETER(type, name, rows, row) , type name[] row
#define ARGUMENT(type, name, rows, row) , name
#define MAKE(type, name, rows, row) void *name = make(rows, sizeof(type row));
#define FREE(type, name, rows, row) free(name);
#define LOCAL(type, name, rows, row) type(*name) row = malloc((size_t)(rows) * sizeof(type row));
#define COUNT(type, rows, row) (size_t)(rows) * (sizeof(type row) / sizeof(type))
#define GREATEST(type) _Generic((type)0, float: 1.0, uint8_t: 230.0, uint16_t: 930.0, default: 100.0)
#define FILL(type, name, rows, row)                                                                                         \
  for (size_t k = 0; k < COUNT(type, rows, row); k++)                                                                       \
    ((type *)name)[k] = (type)(value(k, #name[0] + sizeof #name) * GREATEST(type));
#define HASH(type, name, rows, row)                                                                                         \
  for (size_t k = 0; k < COUNT(type, rows, row); k++)                                                                       \
    _Generic((type)0, float: out_float, default: out_int)(((type *)name)[k]);

#ifdef TSR_LOCAL
#define SIGNATURE (SIZES INPUTS(PARAMETER) OUTPUTS(PARAMETER))
#define CALL (ARGUMENTS INPUTS(ARGUMENT) OUTPUTS(ARGUMENT))
#define BEGIN BUFFERS(LOCAL)
#define END BUFFERS(FREE)
#else
#define SIGNATURE (SIZES INPUTS(PARAMETER) OUTPUTS(PARAMETER) BUFFERS(PARAMETER))
#define CALL (ARGUMENTS INPUTS(ARGUMENT) OUTPUTS(ARGUMENT) BUFFERS(ARGUMENT))
#define BEGIN
#define END
#endif
#ifdef TSR_ELSEWHERE
#define PIPELINE __attribute__((unused)) static void in_c SIGNATURE
#else
#define PIPELINE NOINLINE void pipeline SIGNATURE
#endif

/* Index X within 0 .. n - 1, the nearest one. */
#define CLAMP(x, n) ((x) < 0 ? 0 : (x) > (n) - 1 ? (n) - 1 : (x))
#define LESS(a, b) ((a) < (b) ? (a) : (b))
#define MORE(a, b) ((a) > (b) ? (a) : (b))

PIPELINE;
#ifdef TSR_ELSEWHERE
void pipeline SIGNATURE;
#endif

NOINLINE static void init(SIZES INPUTS(PARAMETER))
{
  INPUTS(FILL)
  PREPARE
}

int main(int argc, char **argv)
{
  start(argc, argv);
  READ_SIZES;
  for (int k = 0; k < n_dims; k++)
    if (size[k] < 1)
      return finish();
  INPUTS(MAKE)
  OUTPUTS(MAKE)
#ifndef TSR_LOCAL
  BUFFERS(MAKE)
#endif
  MEASURE(init(ARGUMENTS INPUTS(ARGUMENT)), pipeline CALL);
  OUTPUTS(HASH)
#ifndef TSR_LOCAL
  BUFFERS(FREE)
#endif
  INPUTS(FREE)
  OUTPUTS(FREE)
  return finish();
}
#endif
