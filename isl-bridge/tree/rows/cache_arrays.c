/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* cache_local_at(i, A): what an iteration of loop i uses of array A is in a buffer meanwhile.
 *
 *   B(i) - X   ->   B(i) - mark "allocate A_buffer" - seq(load_A, X', store_A)        see cached_arrays.c
 *
 * From then on the program has statements of its own, the moves, which other rows can be about, too. */
#include "tree/cached_arrays.h"
#include "tree/rows/rows.h"
#include <string.h>

/* Note the place of the loop, which stays as it is. */
static isl_schedule_node *note_loop(isl_schedule_node *node, struct tsr_edit *edit)
{
  isl_schedule_node **place = edit->user;
  if (*place)
    return tsr_edit_refuse(edit, node, "%s runs in several pieces", tsr_stmt_name(edit));
  *place = isl_schedule_node_copy(node);
  return node;
}

struct tsr_program *tsr_row_cache_local_at(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  isl_schedule_node *place = NULL;
  program = tsr_program_edit(program, args, note_loop, &place, why);
  if (program && place)
    program = tsr_program_set_tree(program, isl_schedule_node_get_schedule(place));
  if (!program || !place) {
    isl_schedule_node_free(place);
    return tsr_program_free(program);
  }
  place = isl_schedule_node_child(place, 0);
  program = tsr_program_cache(program, place, args->value[1][0].index, TSR_SPACE_HEAP, why);
  isl_schedule_node_free(place);
  return program;
}
