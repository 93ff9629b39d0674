/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What doacross_rows.c and doacross_progress.c share: how far a thread is. */
#ifndef TSR_DOACROSS_PROGRESS_H
#define TSR_DOACROSS_PROGRESS_H

#include "emit/threads/threads.h"

struct tsr_doacross {
  const char *rows;             /* their iterator */
  bool marked;                  /* is the loop over columns below a mark of steps? Others in a row are beside it */
  LLVMValueRef mine, before;    /* progress of this thread and of the one before */
  LLVMValueRef first, step;     /* of all rows */
  LLVMValueRef row, waited_for; /* of the present row: i64 */
};

/* Bytes from the begin of a thread's progress. */
enum { TSR_PROGRESS_ROW = 0, TSR_PROGRESS_COLUMN = 8 };

/* The address OFFSET bytes behind POINTER. */
LLVMValueRef tsr_progress_at(struct tsr_emit *e, LLVMValueRef pointer, LLVMValueRef offset);
/* Tell others that PROGRESS, at OFFSET, is VALUE. */
void tsr_progress_store(struct tsr_emit *e, LLVMValueRef value, LLVMValueRef progress, int offset);

#endif
