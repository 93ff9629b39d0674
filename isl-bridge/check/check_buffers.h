/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a transformed program makes the accesses of its original to memory; for the checker's own files. */
#ifndef TSR_CHECK_BUFFERS_H
#define TSR_CHECK_BUFFERS_H

#include "check/check.h"
#include "support/message.h"

/* ---- check_buffers.c ----------------------------------------------------------------------------------- */

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

/* ---- check_accesses.c: each access by itself, and the lives of buffers ------------------------------------ */

/* Instances that write a buffer. */
struct tsr_writers {
  isl_union_map *writes; /* { W[y] -> [[t] -> B[e]] } each life's elements apart; NULL: not asked for yet */
  isl_union_map *around; /* the same for hulls of the instances, the other way round */
  bool single;           /* does each write one element, and each element have one of them, as far as hulls tell? */
};
/* How long a buffer lives, and who writes it. */
struct tsr_life {
  isl_schedule_node *mark; /* "allocate": an iteration of the loops around it; NULL: as long as the program */
  isl_union_map *time;     /* { S[x] -> [t] } these loops; NULL: there are none */
  struct tsr_writers all, moves, computes; /* those of both kinds */
  bool filled;                             /* do moves write elements before others do, each once in a life? */
  isl_union_map *names; /* then { [[t] -> B[e]] -> A[x] }, what they write there, if no other elements have that; or NULL */
  isl_union_map *named; /* then the writes of computes as { W[y] -> A[x] } */
};

/* What a program's check works on. */
struct tsr_buffers {
  struct tsr_program *program;
  struct tsr_scop *scop, *original; /* the program's */
  isl_schedule_node *root;          /* of its tree, expanded */
  isl_set *known;
  struct tsr_events *events;
  struct tsr_life *life; /* by array */
  bool *value;       /* by array: a SCALAR one of statements that run again, which is proved as a buffer of one element is */
  isl_set **touched; /* by array of the original, what that touches for sure; NULL: not asked for yet */
  isl_union_map *fetched; /* { M[y] -> A[e] } what moves read, for hulls of their instances; NULL: not asked for yet */
  const char *wrong;      /* static text, set once */
  const char *name;       /* of the array or statement that is wrong */
};

/* Say WHAT is wrong with NAME; always an error's value. */
isl_stat tsr_buffers_wrong(struct tsr_buffers *b, const char *what, const char *name);
static inline bool tsr_is_buffer(const struct tsr_buffers *b, int array)
{
  return b->scop->arrays[array].space != TSR_SPACE_PROGRAM || b->value[array];
}
/* Access K of STMT, in its domain, where all is known: { S[x] -> A[e] }. */
__isl_give isl_map *tsr_relation_of(struct tsr_buffers *b, const struct tsr_stmt *stmt, int k);
/* { S'[x] -> S[i] } of STMT, in its domain. */
__isl_give isl_map *tsr_origin_of(struct tsr_buffers *b, const struct tsr_stmt *stmt);
/* What STMT's original accesses by its access K: { S'[x] -> A[e] }. */
__isl_give isl_map *tsr_original_relation(struct tsr_buffers *b, const struct tsr_stmt *stmt, int k);
/* That original's { S[i] -> A[e] }, if its instance is plainly a function of STMT's; NULL: it isn't. */
__isl_keep isl_map *tsr_original_function(const struct tsr_buffers *b, const struct tsr_stmt *stmt, int k);

/* Is each access one that the program may make: to memory that of the original, by a move to what the original touches; to
 * buffers where and while there is one, one element each? Finds the lives of buffers. */
isl_stat tsr_check_accesses(struct tsr_buffers *b);
void tsr_lives_free(struct tsr_buffers *b);

/* ---- check_sources.c ----------------------------------------------------------------------------------- */

/* Where values come from: { Z[x] -> M[y] } moves from the program's memory, { Z[x] -> W[y] } statements that compute. As a
 * statement may write several elements, W's id says by which access: its pointer is to that. */
struct tsr_sources {
  isl_union_map *moved, *computed;
};
__isl_give isl_id *tsr_source_id(const struct tsr_buffers *b, const struct tsr_stmt *stmt, int k);
/* The access of STMT that ID says; -1: none. */
int tsr_source_access(const struct tsr_stmt *stmt, __isl_keep isl_id *id);
/* Find who writes buffer ARRAY: b->life[array]. */
isl_stat tsr_find_writers(struct tsr_buffers *b, int array);
/* The sources of READS { Z[x] -> B[e] }, which are taken, of buffer ARRAY; to be cleared either way. Fails where somebody
 * reads what nobody has written in this life of a buffer, and says so. */
isl_stat tsr_find_sources(struct tsr_buffers *b, int array, __isl_take isl_map *reads, struct tsr_sources *sources);
void tsr_sources_clear(struct tsr_sources *s);

/* ---- check_buffer_order.c ------------------------------------------------------------------------------ */

/* Are two accesses to one element of a buffer, one of them a write, in some order? requires: its lives are known. */
isl_stat tsr_check_buffer_order(struct tsr_buffers *b);

#endif
