/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every allocation of the host's memory that a process with two jobs makes fails once, in a process each. The linker puts
 * the functions of this file in front of the C library's. */
#include "scenario.h"
#include "workload.h"

enum { JOBS = 2, MOST_CALLS = 40 };

static long until_failure; /* 0: all succeed */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
int __real_atexit(void (*function)(void));
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
int __wrap_atexit(void (*function)(void));

static bool fails(void)
{
  return until_failure && !--until_failure;
}

void *__wrap_malloc(size_t bytes)
{
  return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t n, size_t bytes)
{
  return fails() ? NULL : __real_calloc(n, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
  return fails() ? NULL : __real_realloc(memory, bytes);
}

int __wrap_atexit(void (*function)(void))
{
  return fails() ? -1 : __real_atexit(function);
}

/* Does the NTH allocation fail, and what becomes of it? The exit status is 42 if there are fewer. */
static void run_case(long nth)
{
  static struct tsr_rt_module module = WORKLOAD_MODULE;
  FILE *said = tmpfile();
  int before = dup(STDERR_FILENO);
  dup2(fileno(said), STDERR_FILENO);
  until_failure = nth;
  enum workload_way way[JOBS];
  for (int i = 0; i < JOBS; i++) {
    struct workload w;
    bool untouched;
    way[i] = workload_run(&module, &w, i, &untouched);
    CHECK(untouched);
    CHECK(workload_is_done(&w, i));
  }
  bool failed = !until_failure;
  until_failure = 0;
  dup2(before, STDERR_FILENO);
  const char *text = scenario_text(said);
  bool told = strstr(text, "memory") && scenario_lines(text) == 1;
  /* Where the end's handler isn't registered, nothing else is different. */
  CHECK((way[0] == ON_GPU) + (way[1] == ON_GPU) == JOBS - told);
  CHECK(told ? failed : !*text);
  exit(check_failures ? 1 : failed ? told ? 0 : 41 : 42);
}

static void check_each(void)
{
  int n = 0, untold = 0, status = 0;
  while (status != 42 && n < MOST_CALLS) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
      run_case(++n);
    n++;
    waitpid(child, &status, 0);
    status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    untold += status == 41;
    CHECK(status == 0 || status == 41 || status == 42);
  }
  CHECK(n > 10 && n < MOST_CALLS);
  CHECK(untold == 1); /* atexit */
}

static const struct scenario scenarios[] = {
    {"each-allocation", check_each, "fake", {NULL}, ""},
    {"each-allocation-unlocked", check_each, "unlocked", {NULL}, ""}, /* that for what comes back, too */
};

int main(int argc, char **argv)
{
  return scenario_main(argc, argv, scenarios, sizeof scenarios / sizeof *scenarios);
}
