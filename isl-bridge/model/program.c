/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs whose statements are those of the original SCoP: another order of them. See the header. */
#include "model/program.h"
#include <stdlib.h>

struct tsr_program *tsr_program_alloc(struct tsr_scop *original, isl_schedule *tree)
{
  struct tsr_program *program = tree ? calloc(1, sizeof(*program)) : NULL;
  if (!program) {
    isl_schedule_free(tree);
    return NULL;
  }
  *program = (struct tsr_program){.ref = 1, .original = original, .scop = original, .tree = tree};
  return program;
}

struct tsr_program *tsr_program_copy(struct tsr_program *program)
{
  if (program)
    program->ref++;
  return program;
}

struct tsr_program *tsr_program_free(struct tsr_program *program)
{
  if (!program || --program->ref > 0)
    return NULL;
  isl_schedule_free(program->tree);
  free(program);
  return NULL;
}

struct tsr_program *tsr_program_set_tree(struct tsr_program *program, isl_schedule *tree)
{
  if (!program || !tree) {
    isl_schedule_free(tree);
    return tsr_program_free(program);
  }
  struct tsr_program *other = tsr_program_alloc(program->original, tree);
  tsr_program_free(program);
  return other;
}
