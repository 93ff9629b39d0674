/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A sentence for a person, as every function with an `error` or `why` out-parameter returns it: malloc'd text,
 * stored only if the caller wants it and only if none is there yet, so that the first cause wins. */
#ifndef TESSERA_MESSAGE_H
#define TESSERA_MESSAGE_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* The text that FORMAT and its arguments print, malloc'd; NULL without memory. */
__attribute__((format(printf, 1, 0))) static inline char *tsr_message_text(const char *format, va_list args)
{
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char *text = length < 0 ? NULL : malloc((size_t)length + 1);
  if (text)
    vsnprintf(text, (size_t)length + 1, format, args);
  return text;
}

/* Store a message in *WHERE unless WHERE is NULL or *WHERE is set already. */
__attribute__((format(printf, 2, 3))) static inline void tsr_message_set(char **where, const char *format, ...)
{
  if (!where || *where)
    return;
  va_list args;
  va_start(args, format);
  *where = tsr_message_text(format, args);
  va_end(args);
}

#endif
