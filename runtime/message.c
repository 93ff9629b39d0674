/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines on stderr. A failure -> "tessera: what happened: what to do; the CPU computes instead", once a process. */
#include "runtime.h"
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const struct {
  cu_result code;
  const char *name;
  enum tsr_fate fate;
  const char *advice;
} errors[] = {
#define ERROR(code, name, fate, advice) {code, "CUDA_ERROR_" #name, TSR_FATE_##fate, advice},
#include "cuda_errors.def"
#undef ERROR
};

/* Add what FORMAT and its arguments print. One byte is kept for the line's end. */
static void add(struct tsr_line *line, const char *format, va_list args)
{
  size_t room = sizeof line->text - 1 - line->length;
  int length = vsnprintf(line->text + line->length, room, format, args);
  if (length > 0)
    line->length += (size_t)length < room ? (size_t)length : room - 1;
}

void tsr_line_add(struct tsr_line *line, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  add(line, format, args);
  va_end(args);
}

/* A reader of stderr that is gone must not end the process: the signal is held back, and taken if it is ours. */
void tsr_line_put(struct tsr_line *line)
{
  for (size_t i = 0; i < line->length; i++)
    if (line->text[i] == '\n' || line->text[i] == '\r')
      line->text[i] = ' ';
  line->text[line->length++] = '\n';
  sigset_t broken, before, pending;
  sigemptyset(&broken);
  sigaddset(&broken, SIGPIPE);
  sigemptyset(&pending);
  sigpending(&pending);
  if (pthread_sigmask(SIG_BLOCK, &broken, &before))
    return;
  if (write(STDERR_FILENO, line->text, line->length) < 0 && errno == EPIPE && !sigismember(&pending, SIGPIPE))
    sigtimedwait(&broken, NULL, &(struct timespec){0});
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void tsr_tell(const char *format, ...)
{
  static atomic_bool told;
  if (atomic_exchange(&told, true))
    return;
  struct tsr_line line = {.length = 0};
  tsr_line_add(&line, "tessera: ");
  va_list args;
  va_start(args, format);
  add(&line, format, args);
  va_end(args);
  tsr_line_add(&line, "; the CPU computes instead");
  tsr_line_put(&line);
}

enum tsr_fate tsr_tell_error(const char *who, const char *entry, cu_result code, const char *detail)
{
  const char *between = *detail ? ": " : "";
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    if (errors[i].code != code)
      continue;
    if (errors[i].fate != TSR_FATE_NOBODY)
      tsr_tell("%s: %s says %s (%d)%s%s: %s", who, entry, errors[i].name, code, between, detail, errors[i].advice);
    return errors[i].fate;
  }
  tsr_tell("%s: %s says error %d%s%s: see whether nvidia-smi works, and TESSERA_RT_DEVICE=none leaves the GPU alone", who,
           entry, code, between, detail);
  return TSR_FATE_DEVICE;
}
