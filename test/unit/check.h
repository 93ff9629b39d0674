/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What every unit test uses: CHECK(condition) counts, says where and what failed, and goes on; CHECK_TEXT compares
 * two strings and shows both; `return check_report();` ends main with "N checks" or the number of failures. */
#ifndef TESSERA_CHECK_H
#define TESSERA_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int check_count, check_failures;

static inline bool check_that(bool holds, const char *file, int line, const char *what)
{
  check_count++;
  if (!holds) {
    check_failures++;
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
  }
  return holds;
}

static inline bool check_text(const char *got, const char *want, const char *file, int line)
{
  bool same = got && want ? !strcmp(got, want) : got == want;
  check_that(same, file, line, "the texts are equal");
  if (!same)
    fprintf(stderr, "  got:  %s\n  want: %s\n", got ? got : "(none)", want ? want : "(none)");
  return same;
}

static inline int check_report(void)
{
  if (check_failures)
    printf("%d of %d checks failed\n", check_failures, check_count);
  else
    printf("%d checks\n", check_count);
  return check_failures != 0;
}

#define CHECK(condition) check_that((condition), __FILE__, __LINE__, #condition)
#define CHECK_TEXT(got, want) check_text((got), (want), __FILE__, __LINE__)

#endif
