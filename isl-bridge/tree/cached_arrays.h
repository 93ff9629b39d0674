/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies of parts of arrays; see cached_arrays.c. */
#ifndef TSR_CACHED_ARRAYS_H
#define TSR_CACHED_ARRAYS_H

#include "model/program.h"
#include "tree/tree.h"

/* PROGRAM, where what the subtree at NODE, of PROGRAM's tree, touches of ARRAY (of program->scop) in one iteration of the
 * loops around NODE is in a buffer in SPACE while it runs. NULL: it can't be, *WHY (malloc'd) says why, or isl failed. */
__isl_give struct tsr_program *tsr_program_cache(__isl_take struct tsr_program *program, __isl_keep isl_schedule_node *node,
                                                 int array, enum tsr_space space, char **why);

#endif
