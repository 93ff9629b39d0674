/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* cache_local_at(i, A): what an iteration of loop i uses of array A is in a buffer meanwhile.
 *
 *   B(i) - X   ->   B(i) - mark "allocate A_buffer" - seq(load_A, X', store_A)        see cached_arrays.c
 *
 * S.private(i, A, B): each iteration of loop i has A and B for itself, and runs in any thread.
 *
 *   B(i) - X   ->   mark "parallel" - B(i) - mark "allocate A_buffer" - ..                see private_arrays.c
 *
 * S.compute_at(T, i): what an iteration of T's loop i reads of S's results is computed in front of it.
 *
 *   seq(S, B(i) - X)   ->   seq(S', B(i) - mark "allocate A_buffer" - seq(S_at, store_A, X'))      see fused_producers.c
 *
 * lane_panels(): what lanes of outer loops walk along is in buffers.      see lane_panels.c
 *
 * copy_inputs(): what is read again and again before it is overwritten is copied in front of all.     see copied_inputs.c
 *
 * overlapped_tiles(rows, columns): nests behind others in tiles, with what these read of the others computed in each tile.
 *
 *   seq(S, T, B(i, j) - X)   ->   B(t) - mark "allocate .." - seq(S_at, T_at, B(i, j) - X')      see overlapped_tiles.c
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

/* PROGRAM, of which *PLACE becomes the node below the loop called NAME around STMT. NULL: there is none, or several. */
static struct tsr_program *find_loop(__isl_take struct tsr_program *program, int stmt, const struct tsr_value *name,
                                     isl_schedule_node **place, char **why)
{
  struct tsr_value value = *name;
  struct tsr_args loop = {.row = tsr_row_find("reverse"), .stmt = stmt, .n = {1}, .value = {&value}}; /* a row of one loop */
  program = tsr_program_edit(program, &loop, note_loop, place, why);
  if (program && *place)
    program = tsr_program_set_tree(program, isl_schedule_node_get_schedule(*place));
  if (!program || !*place) {
    *place = isl_schedule_node_free(*place);
    return tsr_program_free(program);
  }
  *place = isl_schedule_node_child(*place, 0);
  return program;
}

struct tsr_program *tsr_row_cache_local_at(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  isl_schedule_node *place = NULL;
  program = find_loop(program, args->stmt, &args->value[0][0], &place, why);
  if (program)
    program = tsr_program_cache(program, place, args->value[1][0].index, TSR_SPACE_HEAP, why);
  isl_schedule_node_free(place);
  return program;
}

/* PROGRAM, where the arrays of ARGS are private in its loop around STMT. */
static struct tsr_program *privatise(__isl_take struct tsr_program *program, int stmt, const struct tsr_args *args,
                                     char **why)
{
  for (int k = 0; program && k < args->n[1]; k++) {
    isl_schedule_node *place = NULL;
    program = find_loop(program, stmt, &args->value[0][0], &place, why);
    if (program)
      program = tsr_program_privatise(program, place, args->value[1][k].index, why);
    isl_schedule_node_free(place);
  }
  return program;
}

struct tsr_program *tsr_row_private(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  program = privatise(program, args->stmt, args, why);
  return program ? tsr_row_parallelize(program, args, why) : NULL;
}

struct tsr_program *tsr_row_compute_at(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  isl_schedule_node *place = NULL;
  program = find_loop(program, args->value[0][0].index, &args->value[1][0], &place, why);
  if (program)
    program = tsr_program_compute_at(program, place, args->stmt, TSR_SPACE_HEAP, why);
  isl_schedule_node_free(place);
  return program;
}

/* PROGRAM, whose bands say what they are. */
static struct tsr_program *flag_bands(__isl_take struct tsr_program *program, const struct tsr_args *args)
{
  struct tsr_deps *own = args->deps ? NULL : tsr_deps_compute(program->scop), *deps = args->deps ? args->deps : own;
  isl_schedule *tree = deps ? tsr_rows_flag(isl_schedule_copy(program->tree), program->scop, deps, true) : NULL;
  tsr_deps_free(own);
  return tsr_program_set_tree(program, tree);
}

struct tsr_program *tsr_row_lane_panels(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  struct tsr_options defaults;
  tsr_options_init(&defaults);
  program = flag_bands(program, args);
  program = program ? tsr_program_lane_panels(program, args->opt ? args->opt : &defaults, why) : NULL;
  tsr_options_clear(&defaults);
  return program;
}

struct tsr_program *tsr_row_copy_inputs(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  struct tsr_options defaults;
  tsr_options_init(&defaults);
  program = tsr_program_copy_inputs(program, args->opt ? args->opt : &defaults, why);
  tsr_options_clear(&defaults);
  return program;
}

struct tsr_program *tsr_row_overlapped_tiles(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  program = flag_bands(program, args);
  int rows = args->n[0] ? (int)args->value[0][0].number : 0, columns = args->n[1] ? (int)args->value[1][0].number : 0;
  return program ? tsr_program_overlap(program, rows, columns, why) : NULL;
}
