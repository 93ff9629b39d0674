/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a statement computes, asked by scop_model.c alone: reductions.c, statement_vectors.c, store_latency.c,
 * statement_latency.c and rare_statements.c. */
#ifndef TSR_STATEMENT_TRAITS_H
#define TSR_STATEMENT_TRAITS_H

#include "read/read.h"

/* reductions.c: mark the accesses of m->scop's statement STMT if it is a reduction. */
void tsr_model_reduction(struct tsr_model *m, int stmt);
/* statement_vectors.c: bytes of the widest number in a version of statement STMT for vectors of instances; 0: there is none.
 */
int tsr_model_vector_bytes(struct tsr_model *m, int stmt);
/* And of one in which each lane has scalars of its own, and which may write several elements; *ALONE: cycles of what each
 * lane computes for itself, 0: of nothing. */
int tsr_model_lane_bytes(struct tsr_model *m, int stmt, int *alone);
/* store_latency.c: does INST, on integers, take one cycle? */
bool tsr_is_quick(LLVMValueRef inst);
/* Cycles from what READ, an access of statement STMT, reads to what the statement stores to the same array,
 * on the longest way; 0: there is none, or it isn't known. */
int tsr_model_wait(struct tsr_model *m, int stmt, const struct tsr_raw_access *read);
/* statement_latency.c: cycles on the way from what statement STMT of an instance before has written to what it makes of
 * that; 0: there is no such way. *DIVISIONS: instructions that aren't pipelined. */
int tsr_model_latency(struct tsr_model *m, int stmt, int *divisions);

/* Cycles that an instance of statement STMT waits in the original for a number that is computed anew from counters. */
int tsr_model_original_wait(struct tsr_model *m, int stmt);
/* rare_statements.c: is statement STMT rare (tessera.h)? */
bool tsr_model_is_rare(struct tsr_model *m, int stmt);

#endif
