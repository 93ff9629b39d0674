/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The map of memory/: accesses -> arrays and subscripts, in the order in which scop_model.c calls them. That an access is
 * one at all is found by raw_accesses.c (reader.h). What is done to a finished model is in read.h. */
#ifndef TSR_MEMORY_H
#define TSR_MEMORY_H

#include "read/values/values.h"

/* ---- address_screen.c ------------------------------------------------------------------------------------------- */

/* Is there no access that can't be modelled, as far as is plain without sets? Where nobody wants to hear of what is: it need
 * not be what tsr_model_statements would meet first. */
bool tsr_model_screen(struct tsr_model *m);
/* Does COND, in LOOP, depend on what the SCoP loads or carries along? It is no set of its counters then. True only if that
 * is plain. */
bool tsr_condition_is_data(struct tsr_model *m, LLVMValueRef cond, tsr_loop loop);

/* ---- raw_accesses.c --------------------------------------------------------------------------------------------- */

/* BYTES, of an access whose subscript isn't known: is the type's range of it small enough to check for overlap? */
bool tsr_offset_is_bounded(struct tsr_model *m, tsr_scev bytes);

/* ---- data_subscripts.c -------------------------------------------------------------------------------------------- */

/* Find access->data of ACCESS, a read of POINTER in LOOP with an unknown offset, if it may have one. */
void tsr_data_offset_find(struct tsr_model *m, struct tsr_raw_access *access, LLVMValueRef pointer, tsr_loop loop);
/* Is the data in index[0] of ACCESS, of N_DIM subscripts, alone, and taken once? */
bool tsr_data_is_outermost(struct tsr_model *m, const struct tsr_raw_access *access, int n_dim);
/* The relation of ACCESS, of which that is true. */
__isl_give isl_map *tsr_data_map(struct tsr_model *m, const struct tsr_stmt_info *s, const struct tsr_raw_access *access);

/* ---- element_sizes.c: bytes -> elements ----------------------------------------------------------------------- */

bool tsr_model_elements(struct tsr_model *m);

/* ---- delinearise.c: raw accesses -> subscripts ------------------------------------------------------------------ */

bool tsr_model_delinearise(struct tsr_model *m);

/* ---- element_maps.c: subscripts -> relations -------------------------------------------------------------------- */

/* MAP with the counters of the loops around S, parameters so far, as dimensions of TYPE. */
__isl_give isl_map *tsr_counters_to_dims(struct tsr_model *m, __isl_take isl_map *map, const struct tsr_stmt_info *s,
                                         enum isl_dim_type type);
/* { S -> NAME[INDEX] }, N subscripts */
__isl_give isl_map *tsr_subscript_map(struct tsr_model *m, const struct tsr_stmt_info *s, struct tsr_poly **index, int n,
                                      const char *name);
/* { A[i..] : all inner subscripts are within their dimensions } */
__isl_give isl_set *tsr_array_extent(struct tsr_model *m, const struct tsr_array_info *a);

/* ---- row_pointers.c: can arrays of rows be checked to be arrays? -------------------------------------------------- */

bool tsr_model_rows(struct tsr_model *m);
void tsr_rows_clear(struct tsr_model *m);

/* ---- alias_pairs.c ------------------------------------------------------------------------------------------------ */

/* Is no access to where calls may set errno? */
bool tsr_model_errno(struct tsr_model *m);
/* Which arrays must be checked for overlap? */
bool tsr_model_aliases(struct tsr_model *m);
/* Does no call read what is written? At last: with all bases known */
bool tsr_model_reading_calls(struct tsr_model *m);

/* ---- dead_memory.c ------------------------------------------------------------------------------------------------ */

/* Can nobody read, behind the SCoP, what it leaves in ARRAY, of MEMORY? */
bool tsr_model_is_dead_behind(struct tsr_model *m, int array);

/* ---- scalar_elements.c -------------------------------------------------------------------------------------------- */

void tsr_model_drop_stmts(struct tsr_model *m, const bool *drop); /* a flag a statement */

#endif
