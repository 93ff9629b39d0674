/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What became of the nests of many modules, for scripts: remarks counted by name, one line a module in one file. */
#include "pass.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void tsr_tally_add(struct tsr_tally *tally, const char *name)
{
  int i = 0;
  while (i < tally->n && strcmp(tally->entry[i].name, name) != 0)
    i++;
  if (i == TSR_MAX_TALLY)
    return;
  tally->n += i == tally->n;
  tally->entry[i].name = name;
  tally->entry[i].n++;
}

bool tsr_tally_append(const struct tsr_tally *tally, const char *path, const char *source, unsigned long operations)
{
  char line[8192];
  int n = snprintf(line, sizeof(line), "%.4000s operations=%lu", source, operations);
  for (int i = 0; i < tally->n && n < (int)sizeof(line) - 100; i++)
    n += snprintf(line + n, sizeof(line) - n, " %.60s=%u", tally->entry[i].name, tally->entry[i].n);
  line[n++] = '\n';
  int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  bool ok = file >= 0 && write(file, line, n) == n;
  if (file >= 0)
    close(file);
  return ok;
}
