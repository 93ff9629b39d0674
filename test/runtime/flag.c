/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Jobs that a kernel may give up. */
#include "scenario.h"
#include "workload.h"
#include <errno.h>

static struct tsr_rt_module module = WORKLOAD_MODULE;

/* Have a kernel store VALUE in N bytes at ADDRESS. */
static void store(struct tsr_rt_job *job, uint64_t address, int64_t n, int value)
{
  tsr_rt_launch(job, FILL, (uint32_t[]){1, 1, 1}, (uint32_t[]){1, 1, 1}, 0, (void *[]){&address, &n, &value});
}

/* All that a workload's job asks for, W's d `again`, is done if GIVEN_UP isn't set, and nothing of it if it is. */
static void check_workload(bool given_up)
{
  struct workload w;
  workload_init(&w, 5);
  struct tsr_rt_job *job = tsr_rt_begin(&module);
  uint64_t flag = tsr_rt_flag(job);
  CHECK(flag && flag % 4 == 0);
  workload_ask(job, &w);
  CHECK(tsr_rt_flag(job) == flag);
  if (given_up)
    store(job, flag, 4, 1);
  CHECK(tsr_rt_end(job) == !given_up);
  if (given_up)
    CHECK(workload_is_untouched(&w, 5) && w.d[0] == 7);
  else
    CHECK(workload_is_done(&w, 5));
}

/* A job that is given up has no consequences: its block has a 0 for the next one, its module isn't refused. */
static void check_turns(void)
{
  errno = 8;
  for (int i = 0; i < 12; i++)
    check_workload(i % 3 == 1);
  CHECK(errno == 8);
  const struct fake_driver *driver = scenario_driver();
  CHECK(driver->calls("cuModuleLoadDataEx") == 1 && driver->calls("cuStreamCreate") == 1);
  CHECK(driver->calls("cuMemAlloc_v2") == 6);
  CHECK(driver->contexts() == 0);
}

/* Every one of its bits counts, and no byte beside them. */
static void check_bits(void)
{
  for (int byte = -1; byte < 5; byte++)
    for (int bit = 0; bit < 8; bit++) {
      char host[2] = "a";
      struct tsr_rt_job *job = tsr_rt_begin(&module);
      uint64_t flag = tsr_rt_flag(job), device = tsr_rt_array(job, host, 1);
      store(job, device, 1, 'b');
      if (byte >= 0 && byte < 4)
        store(job, flag + (uint64_t)byte, 1, 1 << bit);
      tsr_rt_copy_out(job, host, device, 1, 1, 1, 1);
      bool set = byte >= 0 && byte < 4;
      CHECK(tsr_rt_end(job) == !set && host[0] == (set ? 'a' : 'b'));
    }
}

/* Asked for behind kernels, set and cleared: what it is in the end counts. */
static void check_late(void)
{
  char host[2] = "a";
  for (int set = 0; set <= 1; set++) {
    struct tsr_rt_job *job = tsr_rt_begin(&module);
    uint64_t device = tsr_rt_array(job, host, 1);
    store(job, device, 1, 'b');
    tsr_rt_copy_out(job, host, device, 1, 1, 1, 0);
    uint64_t flag = tsr_rt_flag(job);
    store(job, flag, 4, !set);
    store(job, flag, 4, set);
    CHECK(tsr_rt_end(job) == !set);
    CHECK(host[0] == (set ? 'a' : 'b'));
    host[0] = 'a';
  }
}

/* Many rows, some of them `again` */
static void check_rows(void)
{
  enum { SIDE = 100 };
  static unsigned char host[SIDE * SIDE];
  for (int i = 0; i < 4; i++) {
    memset(host, 3, sizeof host);
    struct tsr_rt_job *job = tsr_rt_begin(&module);
    uint64_t flag = tsr_rt_flag(job), device = tsr_rt_array(job, host, sizeof host);
    tsr_rt_copy_in(job, device, host, sizeof host, sizeof host, 1);
    store(job, device, sizeof host, 4);
    store(job, flag, 4, i % 2);
    for (uint64_t row = 0; row < SIDE; row++)
      tsr_rt_copy_out(job, host + row * SIDE, device + row * SIDE, row + 1, row + 1, 1, row > SIDE / 2);
    CHECK(tsr_rt_end(job) == !(i % 2));
    for (int at = 0; at < SIDE * SIDE; at++)
      CHECK(host[at] == (i % 2 || at % SIDE > at / SIDE ? 3 : 4));
  }
}

/* A flag is all that there is. */
static void check_alone(void)
{
  struct tsr_rt_job *job = tsr_rt_begin(&module);
  CHECK(tsr_rt_flag(job) != 0);
  CHECK(tsr_rt_end(job) == 1);
  CHECK(tsr_rt_flag(NULL) == 0);
}

/* Jobs at once have one each. */
static void check_two(void)
{
  struct tsr_rt_job *one = tsr_rt_begin(&module), *two = tsr_rt_begin(&module);
  uint64_t first = tsr_rt_flag(one), second = tsr_rt_flag(two);
  CHECK(first && second && first != second);
  store(one, first, 4, 1);
  CHECK(tsr_rt_end(two) == 1);
  CHECK(tsr_rt_end(one) == 0);
}

/* A call of ENTRY that concerns the flag fails: so does the job, and the next one doesn't. */
static void check_failing(const char *entry, bool at_end)
{
  struct workload w;
  bool untouched;
  workload_init(&w, 5);
  struct tsr_rt_job *job = tsr_rt_begin(&module);
  long failed = scenario_driver()->failed();
  if (!at_end)
    scenario_driver()->fail(entry, 1, 1);
  uint64_t flag = tsr_rt_flag(job);
  CHECK(at_end ? flag != 0 : flag == 0);
  CHECK(tsr_rt_flag(job) == flag);
  workload_ask(job, &w);
  if (at_end)
    scenario_driver()->fail(entry, 1, 1);
  CHECK(tsr_rt_end(job) == 0 && workload_is_untouched(&w, 5));
  CHECK(scenario_driver()->failed() == failed + 1);
  CHECK(workload_run(&module, &w, 6, &untouched) == ON_GPU);
}

static void check_failures_of_it(void)
{
  check_failing("cuMemcpyHtoDAsync_v2", false);
  check_failing("cuCtxPushCurrent_v2", false);
  check_failing("cuCtxPopCurrent_v2", false);
  check_failing("cuMemcpyDtoHAsync_v2", true);
  check_failing("cuCtxPopCurrent_v2", true);
}

static void check_no_memory(void)
{
  check_failing("cuMemAlloc_v2", false);
}

/* A kernel gives the job up, then it dies: that is a failure. */
static void check_wild(void)
{
  struct tsr_rt_job *job = tsr_rt_begin(&module);
  store(job, tsr_rt_flag(job), 4, 1);
  tsr_rt_launch(job, WILD, (uint32_t[]){1, 1, 1}, (uint32_t[]){1, 1, 1}, 0, NULL);
  CHECK(tsr_rt_end(job) == 0);
  CHECK(tsr_rt_begin(&module) == NULL);
}

static void check_trace(void)
{
  FILE *said = tmpfile();
  int before = dup(STDERR_FILENO);
  dup2(fileno(said), STDERR_FILENO);
  check_workload(false);
  check_workload(true);
  dup2(before, STDERR_FILENO);
  char *text = scenario_text(said), *second = strchr(text, '\n');
  CHECK(scenario_lines(text) == 2 && second);
  CHECK(strstr(text, "; 1776 bytes in, 1104 out; ") && strstr(text, " to copy back\n"));
  CHECK(strstr(second, ", fill 1x1x1 of 1x1x1 2 times; 1776 bytes in, 0 out; ") != NULL);
  CHECK(strstr(second, " ms, given up by a kernel\n") != NULL);
  CHECK(!strstr(second, "failed") && !strstr(second, "to copy back"));
  fclose(said);
}

static const struct scenario scenarios[] = {
    {"turns", check_turns, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"bits", check_bits, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"late", check_late, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"rows", check_rows, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"alone", check_alone, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"two", check_two, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"failing", check_failures_of_it, "fake", {"TSR_FAKE_STRICT=1"}, "cuMemcpyHtoDAsync_v2 says CUDA_ERROR_INVALID_VALUE"},
    {"no-memory", check_no_memory, "fake", {"TSR_FAKE_STRICT=1"}, "cuMemAlloc_v2 says CUDA_ERROR_INVALID_VALUE (1)"},
    {"wild", check_wild, "fake", {NULL}, "CUDA_ERROR_ILLEGAL_ADDRESS (700)"},
    {"trace", check_trace, "fake", {"TSR_FAKE_STRICT=1", "TESSERA_RT_TRACE=1"}, ""},
};

int main(int argc, char **argv)
{
  return scenario_main(argc, argv, scenarios, sizeof scenarios / sizeof *scenarios);
}
