/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* PTX text -> words: names with the dots of opcodes and the % of registers in them, numbers, single characters. Comments,
 * blanks and strings' quotes go. */
#include "ptx.h"
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool ptx_fail(struct ptx_text *t, enum ptx_code code, const char *format, ...)
{
  struct ptx_module *m = t->module;
  if (!m->code) {
    va_list args;
    va_start(args, format);
    int n = snprintf(m->error, sizeof m->error, "line %d: ", t->word_line);
    vsnprintf(m->error + n, sizeof m->error - (size_t)n, format, args);
    va_end(args);
    m->code = code;
  }
  t->at = "";
  t->word[0] = 0;
  return false;
}

/* Blanks and comments */
static void skip_blanks(struct ptx_text *t)
{
  for (; *t->at; t->at++) {
    if (*t->at == '\n') {
      t->line++;
    } else if (t->at[0] == '/' && t->at[1] == '/') {
      t->at += strcspn(t->at, "\n") - 1;
    } else if (t->at[0] == '/' && t->at[1] == '*') {
      const char *end = strstr(t->at + 2, "*/");
      for (end = end ? end + 1 : t->at + strlen(t->at) - 1; t->at < end; t->at++)
        t->line += *t->at == '\n';
    } else if (!isspace((unsigned char)*t->at)) {
      return;
    }
  }
}

/* Is C part of a word? */
static bool in_word(char c)
{
  return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '%';
}

bool ptx_next(struct ptx_text *t)
{
  skip_blanks(t);
  t->word_line = t->line;
  size_t n = 0;
  if (*t->at == '"') {
    n = strcspn(++t->at, "\"\n");
    t->word[0] = '"';
    t->word[1] = 0;
    t->at += n + (t->at[n] == '"');
    return true;
  }
  while (in_word(t->at[n]) || (n && t->at[n] == ':' && t->at[n + 1] == ':')) /* ld.shared::cta */
    n += t->at[n] == ':' ? 2 : 1;
  n = n ? n : *t->at != 0;
  if (n >= sizeof t->word)
    return ptx_fail(t, PTX_INVALID_PTX, "a name of %zu characters", n);
  memcpy(t->word, t->at, n);
  t->word[n] = 0;
  t->at += n;
  return n > 0;
}

bool ptx_is(const struct ptx_text *t, const char *word)
{
  return !strcmp(t->word, word);
}

bool ptx_accept(struct ptx_text *t, const char *word)
{
  return ptx_is(t, word) && (ptx_next(t), true);
}

bool ptx_expect(struct ptx_text *t, const char *word)
{
  return ptx_accept(t, word) || ptx_fail(t, PTX_INVALID_PTX, "'%s' where '%s' should be", t->word, word);
}

bool ptx_is_label(const struct ptx_text *t)
{
  return in_word(t->word[0]) && t->at[strspn(t->at, " \t")] == ':';
}

void ptx_skip_line(struct ptx_text *t)
{
  if (t->line == t->word_line)
    t->at += strcspn(t->at, "\n");
  ptx_next(t);
}

uint64_t ptx_number(struct ptx_text *t)
{
  bool negative = ptx_accept(t, "-");
  char *end = NULL;
  const char *w = t->word;
  if (!isdigit((unsigned char)w[0]))
    return ptx_fail(t, PTX_INVALID_PTX, "'%s' where a number should be", w);
  uint64_t value;
  if (w[0] == '0' && strchr("fFdD", w[1]) && w[1])
    value = strtoull(w + 2, &end, 16);
  else if (w[0] == '0' && (w[1] == 'b' || w[1] == 'B'))
    value = strtoull(w + 2, &end, 2);
  else
    value = strtoull(w, &end, 0);
  end += *end == 'U';
  if (*end)
    return ptx_fail(t, PTX_INVALID_PTX, "the number %s", w);
  ptx_next(t);
  return negative ? -value : value;
}
