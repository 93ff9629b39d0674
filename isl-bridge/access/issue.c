/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cycles to issue an instance of a statement, all data at hand: for the estimate, and for those who look for shapes that it
 * takes for cheap. Code that runs instances at once, V vectors of L lanes in R rows, takes in one step
 *
 *   operations   those of vectors, R * V, and those of numbers that a row has alone, R, on so many units
 *   operands     each is loaded as often as it differs, by R rows and V vectors; one for all lanes is one load
 *
 *                  lanes are neighbours in memory       one load
 *                  they are rows of a matrix            that, and log2(L) shuffles
 *                  they are apart                       L loads alone
 *
 *   latency      what the next step waits for
 *   alone        what each lane computes for itself, such as calls
 *
 * the largest sum or wait counts, for R * V * L instances. */
#include "access/access.h"
#include "marks/marks.h"
#include "model/model.h"
#include "model/thresholds.h"
#include <isl/val.h>
#include <math.h>
#include <stdlib.h>

/* Accesses of STMT to memory: SCALAR arrays are in registers. */
static int count_accesses(const struct tsr_stmt *stmt)
{
  int n = 0;
  for (int i = 0; i < stmt->n_access; i++)
    n += isl_map_dim(stmt->access[i].relation, isl_dim_out) > 0;
  return n;
}

double tsr_issue_alone(const struct tsr_stmt *stmt)
{
  return (stmt->weight + count_accesses(stmt)) * ISSUE + stmt->alone;
}

double tsr_issue_one_by_one(const struct tsr_stmt *stmt)
{
  double alone = tsr_issue_alone(stmt);
  return alone < stmt->latency ? stmt->latency : alone;
}

double tsr_issue_chains(const struct tsr_stmt *stmt, int chains)
{
  int most = 0;
  for (int i = 0; i < stmt->n_access; i++)
    most = stmt->access[i].wait > most ? stmt->access[i].wait : most;
  double work = tsr_issue_alone(stmt), wait = (most + FORWARD) / chains;
  return work > wait ? work : wait;
}

bool tsr_access_is_part(const struct tsr_access *access)
{
  isl_size n = isl_map_dim(access->relation, isl_dim_out);
  isl_val *fixed = n > 1 ? isl_map_plain_get_val_if_fixed(access->relation, isl_dim_out, (unsigned)n - 1) : NULL;
  bool is = fixed && isl_val_is_int(fixed) == isl_bool_true;
  isl_val_free(fixed);
  return is;
}

bool tsr_stmt_has_parts(const struct tsr_scop *scop, const struct tsr_stmt *stmt)
{
  bool all = stmt->alone <= 0 && stmt->divisions == 0, several = false;
  for (int i = 0; i < stmt->n_access && all; i++) {
    const struct tsr_access *access = &stmt->access[i];
    bool memory = scop->arrays[access->array].kind == TSR_ARRAY_MEMORY && !access->home;
    all = memory || access->reduction == TSR_RED_NONE;
    if (!memory || !all)
      continue;
    all = tsr_access_is_part(access);
    for (int k = 0; k < i && all; k++)
      several |= stmt->access[k].array == access->array &&
                 isl_map_plain_is_equal(stmt->access[k].relation, access->relation) == isl_bool_false;
  }
  return all && several;
}

/* { [i] -> element } of the access RELATION, whatever the statement's name. */
static isl_map *without_name(isl_map *relation)
{
  return isl_map_reset_tuple_id(isl_map_copy(relation), isl_dim_in);
}

bool tsr_stmt_reads_beside(const struct tsr_scop *scop, const struct tsr_stmt *stmt, int i)
{
  bool found = false;
  isl_map *own = without_name(stmt->access[i].relation);
  isl_set *domain = isl_set_reset_tuple_id(isl_set_copy(stmt->domain));
  for (int s = 0; s < scop->n_stmt && !found; s++) {
    const struct tsr_stmt *other = &scop->stmts[s];
    isl_set *same = isl_set_reset_tuple_id(isl_set_copy(other->domain));
    bool beside = other != stmt && isl_set_plain_is_equal(domain, same) == isl_bool_true;
    for (int k = 0; k < other->n_access && beside && !found; k++) {
      if (other->access[k].array != stmt->access[i].array || other->access[k].kind != TSR_READ)
        continue;
      isl_map *its = without_name(other->access[k].relation);
      found = isl_map_plain_is_equal(own, its) == isl_bool_true;
      isl_map_free(its);
    }
    isl_set_free(same);
  }
  isl_map_free(own);
  isl_set_free(domain);
  return found;
}

int tsr_stmt_row_pitch(const struct tsr_scop *scop, const struct tsr_stmt *stmt, int i, const long along[TSR_MAX_DIM])
{
  const struct tsr_access *access = &stmt->access[i];
  const struct tsr_array *array = &scop->arrays[access->array];
  long elements, others;
  if (!tsr_array_move(array, access->relation, along, &elements) || elements == 0 || labs(elements) > TSR_MOST_PITCH)
    return 0;
  for (int k = 0; k < stmt->n_access && labs(elements) == 2; k++)
    if (stmt->access[k].array == access->array && stmt->access[k].kind == TSR_READ &&
        isl_map_plain_is_equal(stmt->access[k].relation, access->relation) == isl_bool_false &&
        tsr_array_move(array, stmt->access[k].relation, along, &others) && others == elements)
      return 1;
  return (int)labs(elements);
}

/* Numbers in a vector of the machine, of the widest that STMT accesses in memory. */
static double lanes_of(const struct tsr_scop *scop, const struct tsr_stmt *stmt)
{
  int widest = 1;
  for (int i = 0; i < stmt->n_access; i++) {
    const struct tsr_array *array = &scop->arrays[stmt->access[i].array];
    widest = array->kind == TSR_ARRAY_MEMORY && array->elem_size > widest ? (int)array->elem_size : widest;
  }
  return widest < scop->machine.vector_bytes ? (double)scop->machine.vector_bytes / widest : 1;
}

double tsr_issue_vectors(const struct tsr_scop *scop, const struct tsr_stmt *stmt, double held, double apart, double lanes)
{
  bool narrow = scop->machine.vector_bytes <= NARROW_VECTOR;
  double most = lanes_of(scop, stmt);
  lanes = lanes < most ? lanes : most;
  double alone = tsr_issue_alone(stmt) - held * ISSUE;
  double accesses = (count_accesses(stmt) - held) * ISSUE;
  double vectors = (alone - accesses + (accesses + apart) * (narrow ? NARROW_ACCESS : 1)) / lanes;
  return vectors < alone ? vectors : alone;
}

double tsr_issue_across(const struct tsr_scop *scop, const struct tsr_stmt *stmt, int accesses)
{
  const struct tsr_machine *machine = &scop->machine;
  double share = (double)machine->vector_bytes / machine->cache[0].line;
  return machine->vector_bytes <= NARROW_VECTOR ? 0 : accesses * ISSUE * (share < 1 ? share : 1) / lanes_of(scop, stmt);
}

/* ---- instances at once --------------------------------------------------------------------------------- */

static double log_2(int n)
{
  double log = 0;
  for (; n > 1; n /= 2)
    log++;
  return log;
}

/* A vector's share of LOAD or STORE */
static double width_of(const struct tsr_machine *machine)
{
  return machine->vector_bytes <= NARROW_VECTOR ? NARROW_LOAD : 1;
}

/* Loads of a step, of vectors of LANES lanes that OPERAND is, where one takes ONCE. */
static double vector_load(const struct tsr_operand *operand, int lanes, double once)
{
  int pitch = operand->pitch > 1 ? operand->pitch : 1;
  if (operand->lie == TSR_LANES_TRANSPOSED)
    return (pitch * once + SHUFFLE * (log_2(lanes) + log_2(pitch))) / (operand->shared ? 2 : 1);
  return operand->lie == TSR_LANES_NEXT     ? once
         : operand->lie == TSR_LANES_SPREAD ? operand->pitch * once + SHUFFLE * log_2(operand->pitch)
                                            : LANE * lanes;
}

/* What depends on row and vector, on the vector, or on the row: an operation each. What a statement has more than these is
 * of the row alone, unless it is in a buffer. */
double tsr_issue_tile(const struct tsr_machine *machine, const struct tsr_stmt *stmt, const struct tsr_register_tile *tile,
                      const struct tsr_operand *operand)
{
  int wide = 0, held = 0, rows = tile->rows, vectors = tile->vectors;
  bool computed = false, spread = false;
  double loads = 0, load = LOAD * width_of(machine);
  for (int i = 0; i < stmt->n_access; i++) {
    const struct tsr_operand *o = &operand[i];
    if (o->held || stmt->access[i].guard) /* guards are asked in front of a tile, bytes in vectors */
      continue;
    wide += o->by_vector;
    held += o->by_vector && !o->by_row ? vectors : 1;
    computed |= o->computed;
    spread |= o->by_vector && o->lie == TSR_LANES_SPREAD;
    loads += (o->by_row ? rows : 1) * (o->by_vector ? vectors * vector_load(o, tile->lanes, load) : load);
  }
  held += spread && stmt->weight > COMPLEX_PRODUCT * wide ? SPREAD_REGISTERS : 0;
  if (rows * vectors + held + machine->vector_registers / SPARE_OF > machine->vector_registers || wide == 0)
    return -1;
  double narrow = stmt->weight > wide && !computed ? stmt->weight - wide : 0;
  double cycles = (rows * vectors * wide + rows * narrow) / machine->fma_units + loads;
  return (cycles < machine->fma_latency ? machine->fma_latency : cycles) / (rows * vectors * tile->lanes);
}

double tsr_issue_held(const struct tsr_machine *machine, const struct tsr_register_tile *tile)
{
  return (LOAD + STORE) * width_of(machine) / tile->lanes;
}

/* Two loads a cycle: rows come one element after the other. */
double tsr_issue_strip(const struct tsr_machine *machine, const struct tsr_stmt *stmt, const struct tsr_register_tile *tile,
                       const struct tsr_operand *operand)
{
  double cycles = (double)tile->vectors * stmt->weight / machine->fma_units;
  for (int i = 0; i < stmt->n_access; i++)
    if (!operand[i].held)
      cycles += tile->vectors * vector_load(&operand[i], tile->lanes, LOAD / 2);
  if (tile->vectors + tile->lanes + 2 > machine->vector_registers)
    return -1;
  return (cycles < machine->fma_latency ? machine->fma_latency : cycles) / (tile->vectors * tile->lanes);
}

/* ---- lanes of an outer loop ---------------------------------------------------------------------------- */

/* Does ACCESS of STMT read what an instance before has written, in a register? Of elements that are HELD it is these alone.
 */
static bool is_carried(const struct tsr_stmt *stmt, const struct tsr_access *access, bool held)
{
  bool carried = false;
  for (int i = 0; i < stmt->n_access && access->kind == TSR_READ; i++)
    carried |= stmt->access[i].kind != TSR_READ && stmt->access[i].array == access->array &&
               (!held || isl_map_plain_is_equal(stmt->access[i].relation, access->relation) == isl_bool_true);
  return carried;
}

/* Does STMT write ARRAY in each lane elsewhere, but all along the innermost loop to one element, or more than once? Then the
 * lanes of all that it accesses there go one by one: what is in memory may be what it writes. */
static bool stays_in_memory(const struct tsr_stmt *stmt, int array, const enum tsr_stride *across,
                            const enum tsr_stride *along)
{
  int writes = 0;
  for (int i = 0; i < stmt->n_access && along; i++) {
    bool apart = stmt->access[i].array == array && stmt->access[i].kind != TSR_READ && across[i] == TSR_STRIDE_OTHER;
    writes += apart;
    if (apart && along[i] == TSR_STRIDE_ZERO)
      return true;
  }
  return writes > 1;
}

/* What the next instance waits for where what STMT adds up is in a register. */
static double held_latency(const struct tsr_machine *machine, const struct tsr_stmt *stmt)
{
  const struct tsr_access *write = NULL;
  double latency = machine->fma_latency;
  for (int i = 0; i < stmt->n_access; i++)
    write = stmt->access[i].kind != TSR_READ ? &stmt->access[i] : write;
  for (int i = 0; i < stmt->n_access; i++)
    if (write && stmt->access[i].wait && stmt->access[i].array == write->array &&
        isl_map_plain_is_equal(stmt->access[i].relation, write->relation) == isl_bool_true)
      latency = stmt->access[i].wait + 1;
  return latency < stmt->latency ? latency : stmt->latency;
}

/* How many operations of STMT are about numbers that are one for all lanes? */
static int count_narrow(const struct tsr_stmt *stmt, const enum tsr_stride *across)
{
  int n = 0;
  for (int i = 0; i < stmt->n_access; i++)
    n += stmt->access[i].kind == TSR_READ && across[i] == TSR_STRIDE_ZERO;
  return n > stmt->weight ? stmt->weight : n > 1 ? n - 1 : 0;
}

/* Sums in registers overlap with what is loaded for others; what is of no lane alone is computed once for all vectors. */
double tsr_issue_lanes(struct tsr_scop *scop, const struct tsr_stmt *stmt, const enum tsr_stride *across,
                       const enum tsr_stride *along, bool held, const struct tsr_lockstep *lockstep)
{
  double lanes = lockstep->lanes, work = (double)stmt->weight / scop->machine.fma_units + DIVISION * stmt->divisions;
  double loads = 0, once = 0, width = width_of(&scop->machine);
  for (int i = 0; i < stmt->n_access; i++) {
    const struct tsr_access *access = &stmt->access[i];
    if (scop->arrays[access->array].kind == TSR_ARRAY_SCALAR)
      continue;
    bool apart = across[i] == TSR_STRIDE_OTHER,
         in_memory = !held && apart && stays_in_memory(stmt, access->array, across, along);
    if ((!in_memory && is_carried(stmt, access, held)) || (held && access->kind != TSR_READ))
      continue;
    if (along && along[i] == TSR_STRIDE_ZERO &&
        !tsr_scop_writes(scop, access->array)) /* is loaded once, in front of the loop */
      continue;
    struct tsr_operand operand = {.by_vector = true, .lie = TSR_LANES_NEXT};
    if (held && across[i] == TSR_STRIDE_ZERO) {
      once += LOAD * width; /* by all vectors */
      continue;
    }
    if (apart)
      operand.lie = !in_memory && along && along[i] == TSR_STRIDE_ONE ? TSR_LANES_TRANSPOSED : TSR_LANES_APART;
    loads += vector_load(&operand, lockstep->lanes, (access->kind == TSR_READ ? LOAD : STORE) * width);
  }
  double narrow = held ? (double)count_narrow(stmt, across) / scop->machine.fma_units : 0;
  work = (work - narrow) * lockstep->vectors + narrow;
  loads = loads * lockstep->vectors + once;
  double cycles = !held ? work + loads : work > loads ? work : loads;
  cycles += stmt->alone * lanes * lockstep->vectors;
  double latency = held ? held_latency(&scop->machine, stmt) : stmt->latency;
  return (cycles < latency ? latency : cycles) / (lockstep->vectors * lanes);
}

/* What do lanes of loop L of the N at STRIDE, by loop and access, cost at least, with one of the loops FIRST, .. innermost?
 * Two of them can't write one element. */
static double least_across(struct tsr_scop *scop, const struct tsr_stmt *stmt, const enum tsr_stride *stride, int n, int l,
                           int first, const struct tsr_lockstep *lockstep)
{
  const enum tsr_stride *across = &stride[l * stmt->n_access];
  enum tsr_stride *along = calloc(stmt->n_access + 1, sizeof(*along));
  bool apart = along != NULL, held = false;
  for (int i = 0; along && i < stmt->n_access; i++) {
    bool memory = scop->arrays[stmt->access[i].array].kind == TSR_ARRAY_MEMORY;
    apart &= !memory || stmt->access[i].kind == TSR_READ || across[i] != TSR_STRIDE_ZERO;
    along[i] = TSR_STRIDE_OTHER;
    for (int k = first; k < n; k++) {
      along[i] = k != l && stride[k * stmt->n_access + i] == TSR_STRIDE_ONE ? TSR_STRIDE_ONE : along[i];
      held |= k != l && stmt->access[i].kind != TSR_READ && stride[k * stmt->n_access + i] == TSR_STRIDE_ZERO;
    }
  }
  double cost = apart ? tsr_issue_lanes(scop, stmt, across, along, held, lockstep) : HUGE_VAL;
  free(along);
  return cost;
}

double tsr_issue_lanes_least(struct tsr_scop *scop, const struct tsr_stmt *stmt, struct tsr_step *step, int n, bool held)
{
  int lanes = stmt->lane_bytes ? scop->machine.vector_bytes / stmt->lane_bytes : 0;
  struct tsr_lockstep best = {TSR_MAX_LANE_VECTORS, lanes < TSR_MAX_LANES ? lanes : TSR_MAX_LANES};
  double least = HUGE_VAL;
  if (lanes < 2)
    return least;
  enum tsr_stride *stride = calloc((size_t)n * stmt->n_access + 1, sizeof(*stride));
  for (int l = 0; stride && l < n; l++)
    for (int i = 0; i < stmt->n_access; i++)
      stride[l * stmt->n_access + i] = tsr_access_stride(stmt->access[i].relation, &step[l]);
  for (int l = 0; stride && l < n - held; l++) {
    double cost = least_across(scop, stmt, stride, n, l, held ? n - 1 : 0, &best);
    least = cost < least ? cost : least;
  }
  free(stride);
  return !stride ? 0 : least < LANES_WORTH_IT * tsr_issue_one_by_one(stmt) ? least : HUGE_VAL;
}
