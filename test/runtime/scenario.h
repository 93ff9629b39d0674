/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A test program of scenarios. The runtime opens its driver once a process, so each scenario has a process of its own: the
 * program runs itself again with the scenario's name, environment and driver, DIR/test/NAME ->
 * DIR/test/LIBRARY/libcuda.so.1. */
#ifndef TESSERA_SCENARIO_H
#define TESSERA_SCENARIO_H

#include "../unit/check.h"
#include "fake_driver.h"
#include "tessera_rt.h"
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_SETTINGS 4

/* "fake", "unlocked": it has no page-locked memory, "old": it lacks entry points, "none": a file that is no library, any
 * other name: nothing. */

struct scenario {
  const char *name;
  void (*run)(void);
  const char *library;                /* one of those above */
  const char *setting[MOST_SETTINGS]; /* NAME=VALUE */
  const char *said;                   /* on stderr: a line with this in it; "": nothing; NULL: the scenario looks itself */
};

/* The fake driver, which it opens if nobody has. */
static inline const struct fake_driver *scenario_driver(void)
{
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  const struct fake_driver *driver = library ? dlsym(library, "fake_driver") : NULL;
  if (!driver) {
    fprintf(stderr, "libcuda.so.1 isn't the fake one\n");
    exit(3);
  }
  return driver;
}

/* All that is in FILE, from its beginning on, in a buffer that the next call reuses */
static inline char *scenario_text(FILE *file)
{
  static char text[20000];
  fflush(file);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  return text;
}

/* How many lines TEXT has */
static inline int scenario_lines(const char *text)
{
  int n = 0;
  for (; *text; text++)
    n += *text == '\n';
  return n;
}

/* Become the scenario's process. */
static inline void scenario_become(const struct scenario *scenario, FILE *out, FILE *err)
{
  static char path[PATH_MAX], folder[PATH_MAX + 40];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  path[length < 0 ? 0 : length] = 0;
  char *copy = strdup(path);
  snprintf(folder, sizeof folder, "%s/driver-%s", dirname(copy), scenario->library);
  setenv("LD_LIBRARY_PATH", folder, 1);
  unsetenv("TESSERA_RT_TRACE");
  unsetenv("TESSERA_RT_DEVICE");
  for (int i = 0; i < MOST_SETTINGS && scenario->setting[i]; i++)
    putenv((char *)(size_t)scenario->setting[i]);
  dup2(fileno(out), STDOUT_FILENO);
  dup2(fileno(err), STDERR_FILENO);
  execl(path, path, scenario->name, (char *)NULL);
  _exit(127);
}

/* Run a scenario in a process of its own and take over its checks. */
static inline void scenario_run(const struct scenario *scenario)
{
  FILE *out = tmpfile(), *err = tmpfile();
  fflush(NULL);
  pid_t child = fork();
  if (child == 0)
    scenario_become(scenario, out, err);
  int status = -1, n = 0;
  waitpid(child, &status, 0);
  bool good = status == 0 && sscanf(scenario_text(out), "%d checks", &n) == 1;
  check_count += n;
  const char *said = scenario_text(err);
  const char *want = scenario->said;
  if (want)
    good = good && (*want ? strstr(said, want) && scenario_lines(said) == 1 : !*said);
  if (!check_that(good, __FILE__, __LINE__, scenario->name))
    fprintf(stderr, "status %d, stderr, where '%s' is expected:\n%s\n", status, want ? want : "anything", said);
  fclose(out);
  fclose(err);
}

/* The program's main: all scenarios, or the one that is named. */
static inline int scenario_main(int argc, char **argv, const struct scenario *scenarios, int n)
{
  for (int i = 0; i < n; i++) {
    if (argc < 2)
      scenario_run(&scenarios[i]);
    else if (!strcmp(argv[1], scenarios[i].name))
      scenarios[i].run();
  }
  return check_report();
}

#endif
