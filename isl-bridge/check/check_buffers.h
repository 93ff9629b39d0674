/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a transformed program makes the accesses of its original to memory; for the checker's own files. */
#ifndef TSR_CHECK_BUFFERS_H
#define TSR_CHECK_BUFFERS_H

#include "check/check.h"
#include "support/message.h"

/* For each access of each statement of the original { S[i] -> E[x] }: the instances of the program that make it. */
struct tsr_events {
  int *first;            /* by statement: of its accesses in `event` */
  isl_union_map **event; /* owned */
  int n;
};
isl_union_map **tsr_events_at(struct tsr_events *events, int stmt, int access);
__isl_null struct tsr_events *tsr_events_free(__isl_take struct tsr_events *events);
/* Those of PROGRAM, for parameters in KNOWN, if its buffers hold what they stand for and each write is stored as often as it
 * has to be. NULL: no, *WHY (malloc'd) says why; or isl failed. */
__isl_give struct tsr_events *tsr_program_events(__isl_keep struct tsr_program *program, __isl_keep isl_set *known,
                                                 char **why);

#endif
