/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Jobs that succeed, and those that ask for what isn't possible. */
#include "scenario.h"
#include "workload.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>

static struct tsr_rt_module module = WORKLOAD_MODULE;
static const uint32_t one[3] = {1, 1, 1}, none[3] = {1, 0, 1};

static void check_work(void)
{
  struct workload w;
  bool untouched;
  errno = 77;
  for (int i = 0; i < 3; i++) {
    CHECK(workload_run(&module, &w, i, &untouched) == ON_GPU);
    CHECK(workload_is_done(&w, i));
  }
  CHECK(errno == 77);
  const struct fake_driver *driver = scenario_driver();
  CHECK(driver->contexts() == 0);
  CHECK(driver->calls("cuInit") == 1 && driver->calls("cuDevicePrimaryCtxRetain") == 1);
  CHECK(driver->calls("cuModuleLoadDataEx") == 1);
  CHECK(driver->calls("cuStreamCreate") == 1);
  CHECK(driver->calls("cuModuleGetFunction") == 4);
  CHECK(driver->calls("cuFuncSetAttribute") == 1);
  CHECK(driver->calls("cuMemAlloc_v2") == 5);
  CHECK(driver->calls("cuMemFree_v2") == 0);
  CHECK(driver->calls("cuMemcpy2DAsync_v2") == 2 * 3);
}

/* Rows of every length and distance: exactly theirs are stored. */
static void check_rows(void)
{
  enum { SIZE = 120 };
  for (uint64_t row = 0; row <= 5; row++)
    for (uint64_t pitch = row; pitch <= 9; pitch++)
      for (uint64_t rows = 0; rows <= 4; rows++)
        for (int again = 0; again <= 1; again++) {
          unsigned char host[SIZE], want[SIZE];
          for (int i = 0; i < SIZE; i++)
            host[i] = want[i] = (unsigned char)i;
          struct tsr_rt_job *job = tsr_rt_begin(&module);
          uint64_t device = tsr_rt_array(job, host + 10, SIZE - 20);
          int64_t n = SIZE - 20;
          int value = 200;
          tsr_rt_launch(job, FILL, one, one, 0, (void *[]){&device, &n, &value});
          tsr_rt_copy_in(job, host + 13, row, pitch, rows);
          for (uint64_t i = 0; i < rows * pitch; i++)
            host[13 + i] = want[13 + i] = 100;
          tsr_rt_copy_out(job, host + 12, row, pitch, rows, again);
          CHECK(tsr_rt_end(job) == 1);
          for (uint64_t i = 0; i < rows; i++)
            for (uint64_t j = 0; j < row; j++) {
              uint64_t at = 12 + i * pitch + j, from = at - 13;
              bool copied_in = at >= 13 && from / (pitch ? pitch : 1) < rows && from % (pitch ? pitch : 1) < row;
              want[at] = copied_in ? (unsigned char)at : 200;
            }
          CHECK(!memcmp(host, want, SIZE));
        }
}

/* A pitch that the driver's copies of rows don't take */
static void check_wide_pitch(void)
{
  const uint64_t pitch = 0x80000000;
  char *host = malloc(2 * pitch);
  CHECK(host != NULL);
  struct tsr_rt_job *job = tsr_rt_begin(&module);
  const struct fake_driver *driver = scenario_driver();
  CHECK(tsr_rt_array(job, host, pitch + 8) != 0);
  host[0] = 3, host[pitch + 7] = 4;
  tsr_rt_copy_in(job, host, 8, pitch, 2);
  host[0] = host[pitch + 7] = 0;
  tsr_rt_copy_out(job, host, 8, pitch, 2, 1);
  CHECK(tsr_rt_end(job) == 1);
  CHECK(host[0] == 3 && host[pitch + 7] == 4);
  CHECK(driver->calls("cuMemcpy2DAsync_v2") == 0 && driver->calls("cuMemcpyHtoDAsync_v2") == 2);
  free(host);
}

static void check_nothing(void)
{
  struct tsr_rt_job *job = tsr_rt_begin(&module);
  char host[8] = "abc";
  CHECK(tsr_rt_array(job, host, 0) == 0);
  tsr_rt_copy_in(job, NULL, 0, 9, 9);
  tsr_rt_copy_in(job, NULL, 9, 9, 0);
  tsr_rt_copy_out(job, NULL, 0, 0, 1, 0);
  tsr_rt_copy_out(job, NULL, 1, 1, 0, 1);
  tsr_rt_launch(job, WILD, none, one, 0, NULL);
  CHECK(tsr_rt_end(job) == 1);
  CHECK(scenario_driver()->calls("cuLaunchKernel") == 0 && scenario_driver()->calls("cuMemAlloc_v2") == 0);
  CHECK(tsr_rt_end(NULL) == 0);
  CHECK(tsr_rt_array(NULL, host, 8) == 0);
  tsr_rt_copy_in(NULL, host, 1, 1, 1);
  tsr_rt_copy_out(NULL, host, 1, 1, 1, 0);
  tsr_rt_launch(NULL, WILD, one, one, 0, NULL);
  CHECK(!strcmp(host, "abc"));
}

/* Many regions, out of order, each found by its first and last byte and no further */
static void check_regions(void)
{
  enum { COUNT = 60, SIZE = 24, STEP = 40 };
  static unsigned char host[COUNT * STEP];
  struct tsr_rt_job *job = tsr_rt_begin(&module);
  for (int i = 0; i < COUNT; i++) {
    int at = i * 37 % COUNT;
    uint64_t device = tsr_rt_array(job, host + at * STEP, SIZE);
    int64_t n = SIZE;
    int value = at + 1;
    tsr_rt_launch(job, FILL, one, one, 0, (void *[]){&device, &n, &value});
  }
  for (int i = 0; i < COUNT; i++) {
    tsr_rt_copy_out(job, host + i * STEP, 1, 1, 1, 0);
    tsr_rt_copy_out(job, host + i * STEP + SIZE - 1, 1, 1, 1, i % 2);
  }
  CHECK(tsr_rt_end(job) == 1);
  for (int i = 0; i < COUNT * STEP; i++)
    CHECK(host[i] == (i % STEP == 0 || i % STEP == SIZE - 1 ? i / STEP + 1 : 0));
}

/* What a job may not ask for; ASK does so on a job with a region of 16 bytes in the middle of HOST. */
static void refused(void (*ask)(struct tsr_rt_job *job, char *host))
{
  char host[48] = {0};
  struct tsr_rt_job *job = tsr_rt_begin(&module);
  CHECK(tsr_rt_array(job, host + 16, 16) != 0);
  tsr_rt_copy_out(job, host + 16, 16, 16, 1, 0);
  ask(job, host);
  long launches = scenario_driver()->calls("cuLaunchKernel");
  tsr_rt_launch(job, NOTHING, one, one, 0, NULL);
  CHECK(scenario_driver()->calls("cuLaunchKernel") == launches);
  CHECK(tsr_rt_array(job, host, 4) == 0);
  CHECK(tsr_rt_end(job) == 0);
  for (size_t i = 0; i < sizeof host; i++)
    CHECK(host[i] == 0);
}

static void ask_before(struct tsr_rt_job *job, char *host)
{
  tsr_rt_copy_in(job, host + 15, 2, 2, 1);
}

static void ask_behind(struct tsr_rt_job *job, char *host)
{
  tsr_rt_copy_out(job, host + 16, 17, 17, 1, 1);
}

static void ask_last_row(struct tsr_rt_job *job, char *host)
{
  tsr_rt_copy_in(job, host + 16, 2, 5, 4);
}

static void ask_long_rows(struct tsr_rt_job *job, char *host)
{
  tsr_rt_copy_in(job, host + 16, 3, 2, 2);
}

static void ask_too_many_rows(struct tsr_rt_job *job, char *host)
{
  tsr_rt_copy_in(job, host + 16, 2, 1ull << 60, 17);
}

static void ask_overlap_above(struct tsr_rt_job *job, char *host)
{
  CHECK(tsr_rt_array(job, host + 31, 4) == 0);
}

static void ask_overlap_below(struct tsr_rt_job *job, char *host)
{
  CHECK(tsr_rt_array(job, host + 10, 7) == 0);
}

static void ask_endless(struct tsr_rt_job *job, char *host)
{
  CHECK(tsr_rt_array(job, host, UINT64_MAX - 100) == 0);
}

static void ask_kernel(struct tsr_rt_job *job, char *host)
{
  (void)host;
  tsr_rt_launch(job, 7, one, one, 0, NULL);
}

static void ask_block(struct tsr_rt_job *job, char *host)
{
  (void)host;
  tsr_rt_launch(job, NOTHING, one, (uint32_t[]){1025, 1, 1}, 0, NULL);
}

static void ask_shared(struct tsr_rt_job *job, char *host)
{
  (void)host;
  tsr_rt_launch(job, SHARED, one, one, 300 * 1024, NULL);
}

static void ask_memory(struct tsr_rt_job *job, char *host)
{
  CHECK(tsr_rt_array(job, host + 40, 1ull << 40) == 0);
}

static void check_refusals(void)
{
  void (*const asks[])(struct tsr_rt_job *job, char *host) = {
      ask_before,        ask_behind,  ask_last_row, ask_long_rows, ask_too_many_rows, ask_overlap_above,
      ask_overlap_below, ask_endless, ask_kernel,   ask_block,     ask_shared,        ask_memory};
  struct workload w;
  bool untouched;
  for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
    refused(asks[i]);
    CHECK(workload_run(&module, &w, (double)i, &untouched) == ON_GPU && workload_is_done(&w, (double)i));
  }
  CHECK(scenario_driver()->contexts() == 0);
}

/* A job with one region of BYTES bytes: how often it asks the driver for memory */
static long allocations(uint64_t bytes)
{
  static char host[100000];
  long before = scenario_driver()->calls("cuMemAlloc_v2");
  struct tsr_rt_job *job = tsr_rt_begin(&module);
  CHECK(tsr_rt_array(job, host, bytes) != 0);
  CHECK(tsr_rt_end(job) == 1);
  return scenario_driver()->calls("cuMemAlloc_v2") - before;
}

/* 100000 bytes of device memory */
static void check_cache(void)
{
  tsr_rt_end(tsr_rt_begin(&module));
  const struct fake_driver *driver = scenario_driver();
  CHECK(allocations(40000) == 1);
  CHECK(allocations(40000) == 0);
  CHECK(allocations(20500) == 0);
  CHECK(allocations(15000) == 1);
  CHECK(allocations(12000) == 0);
  CHECK(allocations(30000) == 0);
  CHECK(driver->blocks() == 2 && driver->calls("cuMemFree_v2") == 0);
  CHECK(allocations(90000) == 2); /* the first fails, what is free is given back */
  CHECK(driver->blocks() == 1 && driver->calls("cuMemFree_v2") == 2);
  CHECK(allocations(50000) == 0);
}

static void check_trace(void)
{
  struct workload w;
  bool untouched;
  FILE *said = tmpfile();
  int before = dup(STDERR_FILENO);
  dup2(fileno(said), STDERR_FILENO);
  workload_run(&module, &w, 1, &untouched);
  struct tsr_rt_job *job = tsr_rt_begin(&module);
  for (int i = 0; i < 30; i++)
    tsr_rt_launch(job, i < 20 || i % 2 ? NOTHING : SHARED, one, one, 64 * 1024, NULL);
  CHECK(tsr_rt_end(job) == 1);
  job = tsr_rt_begin(&module);
  tsr_rt_launch(job, MISSING, one, one, 0, NULL);
  CHECK(tsr_rt_end(job) == 0);
  dup2(before, STDERR_FILENO);
  char *text = scenario_text(said);
  CHECK(scenario_lines(text) == 4);
  CHECK(strstr(text,
               "tessera: work.c: add 4x1x1 of 32x1x1, scale 1x2x1 of 8x4x1, shared 1x1x1 of 1x1x1, fill 1x1x1 of 1x1x1; "
               "1776 bytes in, 1104 out; ") == text);
  CHECK(
      strstr(text, "\ntessera: work.c: nothing 1x1x1 of 1x1x1 20 times, shared 1x1x1 of 1x1x1, nothing 1x1x1 of 1x1x1, ") !=
      NULL);
  CHECK(strstr(text, ", 3 more; 0 bytes in, 0 out; ") != NULL);
  CHECK(strstr(text, " to copy back\n") != NULL);
  CHECK(strstr(text, "\ntessera: work.c: cuModuleGetFunction says CUDA_ERROR_NOT_FOUND (500): ") != NULL);
  CHECK(strstr(text, "\ntessera: work.c: no kernel; 0 bytes in, 0 out; ") != NULL);
  CHECK(strstr(text, " ms, failed\n") != NULL);
  CHECK(tsr_rt_begin(&module) == NULL); /* a module that lacks a kernel isn't asked for it again */
  fclose(said);
}

/* A thread that is cancelled while it has a job finishes the calls that it is in, the trace's write among them. */
static void *cancelled(void *unused)
{
  (void)unused;
  struct workload w;
  bool untouched;
  pthread_cancel(pthread_self());
  bool good = workload_run(&module, &w, 3, &untouched) == ON_GPU && workload_is_done(&w, 3);
  return good ? &module : NULL;
}

static void check_cancel(void)
{
  pthread_t thread;
  void *result = NULL;
  CHECK(pthread_create(&thread, NULL, cancelled, NULL) == 0);
  pthread_join(thread, &result);
  CHECK(result == &module);
}

/* Nobody reads stderr: no signal ends the process, and none is left. */
static void check_broken_stderr(void)
{
  int ends[2];
  sigset_t pending;
  CHECK(pipe(ends) == 0);
  close(ends[0]);
  int before = dup(STDERR_FILENO);
  dup2(ends[1], STDERR_FILENO);
  errno = 5;
  CHECK(tsr_rt_end(tsr_rt_begin(&module)) == 1);
  CHECK(errno == 5);
  dup2(before, STDERR_FILENO);
  CHECK(sigpending(&pending) == 0 && !sigismember(&pending, SIGPIPE));
}

static const struct scenario scenarios[] = {
    {"work", check_work, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"work-zero-trace", check_work, "fake", {"TSR_FAKE_STRICT=1", "TESSERA_RT_TRACE=0"}, ""},
    {"rows", check_rows, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"wide-pitch", check_wide_pitch, "fake", {"TSR_FAKE_MEMORY=3000000000"}, ""},
    {"nothing", check_nothing, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"regions", check_regions, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"refusals",
     check_refusals,
     "fake",
     {"TSR_FAKE_STRICT=1"},
     "tessera: work.c: a copy from or to none of the job's arrays: "},
    {"cache", check_cache, "fake", {"TSR_FAKE_STRICT=1", "TSR_FAKE_MEMORY=100000"}, ""},
    {"trace", check_trace, "fake", {"TSR_FAKE_STRICT=1", "TESSERA_RT_TRACE=1"}, ""},
    {"cancel", check_cancel, "fake", {"TSR_FAKE_STRICT=1", "TESSERA_RT_TRACE=1"}, "tessera: work.c: add 4x1x1"},
    {"broken-stderr", check_broken_stderr, "fake", {"TESSERA_RT_TRACE=1"}, ""},
};

int main(int argc, char **argv)
{
  return scenario_main(argc, argv, scenarios, sizeof scenarios / sizeof *scenarios);
}
