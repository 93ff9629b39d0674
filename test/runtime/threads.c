/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads with jobs at once, and children of fork(). */
#include "scenario.h"
#include "workload.h"
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 8, ROUNDS = 40 };

static struct tsr_rt_module modules[2] = {WORKLOAD_MODULE, WORKLOAD_MODULE};
static atomic_int n_gpu;

/* ROUNDS workloads; returns how many came out wrong. */
static void *work(void *argument)
{
  intptr_t wrong = 0, self = (intptr_t)argument;
  for (int i = 0; i < ROUNDS; i++) {
    struct workload w;
    bool untouched;
    double seed = (double)(self * ROUNDS + i);
    n_gpu += workload_run(&modules[(self + i) % 2], &w, seed, &untouched) == ON_GPU;
    wrong += !untouched || !workload_is_done(&w, seed);
  }
  return (void *)wrong;
}

/* All threads' workloads; returns how many were on the device. */
static int run_threads(void)
{
  pthread_t thread[THREADS];
  n_gpu = 0;
  for (intptr_t i = 0; i < THREADS; i++)
    CHECK(pthread_create(&thread[i], NULL, work, (void *)i) == 0);
  for (int i = 0; i < THREADS; i++) {
    void *wrong;
    pthread_join(thread[i], &wrong);
    CHECK(!wrong);
  }
  return n_gpu;
}

static void check_threads(void)
{
  CHECK(run_threads() == THREADS * ROUNDS);
  const struct fake_driver *driver = scenario_driver();
  CHECK(driver->calls("cuInit") == 1 && driver->calls("cuDevicePrimaryCtxRetain") == 1);
  CHECK(driver->calls("cuModuleLoadDataEx") == 2);
  CHECK(driver->calls("cuStreamCreate") <= THREADS);
  CHECK(driver->calls("cuMemAlloc_v2") <= 5 * THREADS);
}

/* The device has memory for one or two at a time: jobs fail, results are right. */
static void check_little_memory(void)
{
  CHECK(run_threads() > 0);
}

static void check_loss(void)
{
  CHECK(run_threads() < THREADS * ROUNDS);
  CHECK(tsr_rt_begin(&modules[0]) == NULL);
}

/* Does a child of fork() end with status 0 after RUN, by END: exit or _exit? */
static bool child_does(int (*run)(void), void (*end)(int))
{
  int status = -1;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0)
    end(run());
  return waitpid(child, &status, 0) == child && status == 0;
}

static int child_has_none(void)
{
  struct workload w;
  bool untouched;
  return workload_run(&modules[0], &w, 4, &untouched) != ON_CPU || !workload_is_done(&w, 4);
}

static int child_has_its_own(void)
{
  struct workload w;
  bool untouched;
  return workload_run(&modules[0], &w, 4, &untouched) != ON_GPU || !workload_is_done(&w, 4) ||
         !child_does(child_has_none, exit);
}

static void check_fork(void)
{
  CHECK(child_does(child_has_its_own, exit));
  struct tsr_rt_job *job = tsr_rt_begin(&modules[0]);
  CHECK(job != NULL);
  CHECK(child_does(child_has_none, exit));
  CHECK(tsr_rt_end(job) == 1);
  CHECK(child_does(child_has_none, exit));
}

/* A child frees nothing of the device when it ends; its parent does. */
static void check_fork_end(void)
{
  struct workload w;
  bool untouched;
  CHECK(workload_run(&modules[0], &w, 1, &untouched) == ON_GPU);
  CHECK(child_does(child_has_none, exit));
}

/* Children while threads work, whose locks they inherit: ours, and those of a sanitizer, which waits for them at exit */
static void check_fork_among_threads(void)
{
  pthread_t thread[2];
  for (intptr_t i = 0; i < 2; i++)
    CHECK(pthread_create(&thread[i], NULL, work, (void *)i) == 0);
  struct workload w;
  bool untouched;
  workload_run(&modules[0], &w, 1, &untouched);
  for (int i = 0; i < 20; i++)
    CHECK(child_does(child_has_none, _exit));
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
}

static void *begin_only(void *unused)
{
  (void)unused;
  return tsr_rt_begin(&modules[0]);
}

/* The process ends while a thread has a job: nothing is freed beneath it. */
static void check_end_with_job(void)
{
  static void *job;
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, begin_only, NULL) == 0);
  pthread_join(thread, &job);
  CHECK(job != NULL);
}

/* Work in a handler of the process's end */
static void late_work(void)
{
  struct workload w;
  bool untouched;
  if (workload_run(&modules[0], &w, 9, &untouched) != ON_CPU || !workload_is_done(&w, 9))
    fprintf(stderr, "late work isn't done\n");
}

static void check_late(void)
{
  CHECK(atexit(late_work) == 0);
  check_threads();
}

static const struct scenario scenarios[] = {
    {"threads", check_threads, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"little-memory", check_little_memory, "fake", {"TSR_FAKE_STRICT=1", "TSR_FAKE_MEMORY=6000"}, NULL},
    {"loss", check_loss, "fake", {"TSR_FAKE_FAIL=cuLaunchKernel:500:719"}, "CUDA_ERROR_LAUNCH_FAILED (719)"},
    {"fork", check_fork, "fake", {NULL}, ""},
    {"fork-among-threads", check_fork_among_threads, "fake", {NULL}, ""},
    {"fork-end", check_fork_end, "fake", {"TSR_FAKE_STRICT=1"}, "left are 1 contexts, 1 streams, 1 modules, 5 blocks"},
    {"end-with-job",
     check_end_with_job,
     "fake",
     {"TSR_FAKE_STRICT=1"},
     "left are 1 contexts, 1 streams, 1 modules, 0 blocks"},
    {"late", check_late, "fake", {"TSR_FAKE_STRICT=1"}, ""},
};

int main(int argc, char **argv)
{
  return scenario_main(argc, argv, scenarios, sizeof scenarios / sizeof *scenarios);
}
