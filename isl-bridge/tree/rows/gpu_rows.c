/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* kernels(rows, columns, steps): all nests as kernels of a GPU, with so many elements of sums in each of their threads.
 *
 *   gpu_kernels.c   which loops become blocks and threads
 *   gpu_tiles.c     sums in registers; 1 row and 1 column: none
 *   gpu_blocks.c    threads that share what so many steps of a sum read; 1 step: none do */
#include "support/message.h"
#include "tree/cached_arrays.h"
#include "tree/rows/rows.h"
#include "tree/tree.h"

struct tsr_program *tsr_row_kernels(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  if (tsr_tree_has_kernels(program->tree)) {
    tsr_message_set(why, "there are kernels already");
    return tsr_program_free(program);
  }
  struct tsr_options opt;
  tsr_options_init(&opt);
  opt.parallel = true; /* loops may run at once */
  struct tsr_deps *own = args->deps ? NULL : tsr_deps_compute(program->scop), *deps = args->deps ? args->deps : own;
  int rows = args->n[0] ? (int)args->value[0][0].number : 0, columns = args->n[1] ? (int)args->value[1][0].number : 0;
  int steps = args->n[2] ? (int)args->value[2][0].number : 0;
  program = deps ? tsr_program_kernels(program, deps, &opt, rows, columns, steps, why) : tsr_program_free(program);
  tsr_deps_free(own);
  tsr_options_clear(&opt);
  return program;
}
