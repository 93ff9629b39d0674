/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a program reads of arrays before it overwrites them, copied in front of it:
 *
 *   X   ->   mark "allocate P" - E - seq(In(e), X')   ->   the scheduler's tree of In and X'
 *
 *   B := B A, A triangular, column by column from the last one on:
 *
 *     for j down: for k < j: for i: B[j][i] += A[j][k] * B[k][i]
 *
 * Column k is read before it becomes another one. That alone keeps the columns in their order, and each of them walks along
 * all of B in front of it. X' reads P, which nothing overwrites: what is left are the sums, in any order of i and j, so that
 * these can have register tiles. (Array renaming by a copy: anti-dependences end where a value has a place of its own; P.
 * Feautrier, "Array expansion", ICS 1988, for reads whose source is what the array held.)
 *
 * A read is copied where nothing that runs before it writes what it reads, other instances do so later, and it reads
 * elements again: a copy costs as much as to read each once. Other such reads of the same arrays are copied with it. */
#include "support/message.h"
#include "tree/cached_arrays.h"
#include <stdlib.h>

struct inputs {
  struct tsr_scop *scop;
  struct tsr_positions *positions;
  bool **chosen; /* for each statement, of its accesses: are they to be copied? */
  bool *again;   /* for each array: is an element read several times? */
};

/* { S -> A } of access K of STMT */
static isl_map *accessed(const struct tsr_stmt *stmt, int k)
{
  return isl_map_intersect_domain(isl_map_copy(stmt->access[k].relation), isl_set_copy(stmt->domain));
}

/* Does STMT write what its access K reads, at once? */
static isl_bool is_own(const struct tsr_stmt *stmt, int k)
{
  isl_bool own = isl_bool_false;
  for (int w = 0; w < stmt->n_access && own == isl_bool_false; w++)
    if (stmt->access[w].kind != TSR_READ && stmt->access[w].array == stmt->access[k].array)
      own = isl_map_is_subset(stmt->access[k].relation, stmt->access[w].relation);
  return own;
}

/* Does a statement write what access K of STMT, which is at hand, reads, and none does so before? */
static isl_bool is_input(const struct inputs *in, const struct tsr_stmt *stmt, int k)
{
  isl_union_map *writes = isl_union_map_empty_ctx(in->scop->ctx);
  for (int s = 0; s < in->scop->n_stmt; s++)
    for (int w = 0; w < in->scop->stmts[s].n_access; w++)
      if (in->scop->stmts[s].access[w].kind != TSR_READ && in->scop->stmts[s].access[w].array == stmt->access[k].array)
        writes = isl_union_map_add_map(writes, accessed(&in->scop->stmts[s], w));
  isl_map *read = accessed(stmt, k);
  isl_union_set *both = isl_union_map_range(isl_union_map_copy(writes));
  both = isl_union_set_intersect(both, isl_union_set_from_set(isl_map_range(isl_map_copy(read))));
  isl_bool apart = isl_union_set_is_empty(both);
  isl_union_set_free(both);
  if (apart != isl_bool_false) {
    isl_union_map_free(writes);
    isl_map_free(read);
    return isl_bool_not(apart);
  }
  struct tsr_flow flow = {.sinks = isl_union_map_from_map(read), .may = writes};
  isl_union_map *sources = tsr_scop_flow(in->scop, in->positions, flow);
  isl_bool input = sources ? isl_union_map_is_empty(sources) : isl_bool_error;
  isl_union_map_free(sources);
  return input;
}

/* Does no other instance of STMT read by access K what one does? */
static isl_bool is_injective(const struct tsr_stmt *stmt, int k)
{
  isl_map *map = accessed(stmt, k);
  isl_bool injective = isl_map_is_injective(map);
  isl_map_free(map);
  return injective;
}

/* Choose the reads that are copied. False: there are none, or isl failed. */
static bool choose(struct inputs *in)
{
  bool any = false;
  for (int s = 0; s < in->scop->n_stmt; s++) {
    const struct tsr_stmt *stmt = &in->scop->stmts[s];
    for (int k = 0; k < stmt->n_access; k++) {
      const struct tsr_array *array = &in->scop->arrays[stmt->access[k].array];
      if (stmt->access[k].kind != TSR_READ || array->kind != TSR_ARRAY_MEMORY || array->n_dim < 1)
        continue;
      isl_bool own = is_own(stmt, k), input = own == isl_bool_false ? is_input(in, stmt, k) : isl_bool_false;
      if (own < 0 || input < 0)
        return false;
      isl_bool again = input ? isl_bool_not(is_injective(stmt, k)) : isl_bool_false;
      if (again < 0)
        return false;
      in->chosen[s][k] = input;
      in->again[stmt->access[k].array] |= again;
      any |= again;
    }
  }
  return any;
}

static bool inputs_init(struct inputs *in, struct tsr_scop *scop)
{
  *in = (struct inputs){.scop = scop,
                        .positions = tsr_positions_find(scop),
                        .chosen = calloc((size_t)scop->n_stmt + 1, sizeof(*in->chosen)),
                        .again = calloc((size_t)scop->n_array + 1, sizeof(*in->again))};
  bool good = in->positions && in->chosen && in->again;
  for (int s = 0; s < scop->n_stmt && good; s++) {
    in->chosen[s] = calloc((size_t)scop->stmts[s].n_access + 1, sizeof(**in->chosen));
    good = in->chosen[s] != NULL;
  }
  return good;
}

static void inputs_clear(struct inputs *in)
{
  for (int s = 0; s < in->scop->n_stmt && in->chosen; s++)
    free(in->chosen[s]);
  free(in->chosen);
  free(in->again);
  tsr_positions_free(in->positions);
}

/* PROGRAM, with what is CHOSEN of ARRAY, in its first N_STMT statements, in a buffer that is filled in front of all. */
static struct tsr_program *copy_array(__isl_take struct tsr_program *program, int array, bool **chosen, int n_stmt,
                                      char **why)
{
  struct tsr_cached cache = {.array = array, .chosen = chosen, .n_chosen = n_stmt, .why = why};
  isl_schedule_node *root = isl_schedule_get_root(program->tree);
  isl_schedule_node *top = isl_schedule_node_child(isl_schedule_node_copy(root), 0);
  program = tsr_cache_run(&cache, program, top, TSR_SPACE_HEAP, NULL);
  isl_schedule_node_free(top);
  isl_schedule_node_free(root);
  return program;
}

/* PROGRAM in the order that the scheduler finds for it. */
static struct tsr_program *reschedule(__isl_take struct tsr_program *program, const struct tsr_options *opt)
{
  struct tsr_options plain = *opt;
  plain.influence = plain.strategy_file = NULL;
  plain.strategy = TSR_STRATEGY_DEFAULT;
  struct tsr_deps *deps = tsr_deps_compute(program->scop);
  isl_schedule *tree = deps ? tsr_schedule_compute(program->scop, deps, &plain, NULL, NULL) : NULL;
  tsr_deps_free(deps);
  return tsr_program_set_tree(program, tree);
}

struct tsr_program *tsr_program_copy_inputs(struct tsr_program *program, const struct tsr_options *opt, char **why)
{
  struct inputs in;
  bool good = inputs_init(&in, program->scop) && choose(&in);
  if (!good && isl_ctx_last_error(program->scop->ctx) == isl_error_none)
    tsr_message_set(why, "nothing is read again and again before it is overwritten");
  int n_array = program->scop->n_array, n_stmt = program->scop->n_stmt;
  struct tsr_program *copied = good ? tsr_program_copy(program) : NULL;
  for (int a = 0; a < n_array && copied; a++)
    if (in.again[a])
      copied = copy_array(copied, a, in.chosen, n_stmt, why);
  inputs_clear(&in);
  tsr_program_free(program);
  return copied ? reschedule(copied, opt) : NULL;
}
