/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The page-locked buffer by way of which bytes come back: kept, grown, or done without. */
#include "scenario.h"
#include "workload.h"

enum { KIB = 1 << 10, MIB = 1 << 20, MOST = 70 * MIB };

static struct tsr_rt_module module = WORKLOAD_MODULE;
static char host[2][MOST];

/* Ask for BYTES that are VALUE, to come back to HOST[WHERE]. */
static struct tsr_rt_job *ask(int where, uint64_t bytes, int value)
{
  memset(host[where], 0, bytes + 1);
  struct tsr_rt_job *job = tsr_rt_begin(&module);
  uint64_t device = tsr_rt_array(job, host[where], bytes);
  int64_t n = (int64_t)bytes;
  tsr_rt_launch(job, FILL, (uint32_t[]){1, 1, 1}, (uint32_t[]){1, 1, 1}, 0, (void *[]){&device, &n, &value});
  tsr_rt_copy_out(job, host[where], device, bytes, bytes, 1, 0);
  return job;
}

/* Have they come? */
static bool came(int where, uint64_t bytes, int value)
{
  return host[where][0] == value && !memcmp(host[where], host[where] + 1, bytes - 1) && host[where][bytes] == 0;
}

static bool back(uint64_t bytes, int value)
{
  return tsr_rt_end(ask(0, bytes, value)) && came(0, bytes, value);
}

static long locked(void)
{
  return scenario_driver()->calls("cuMemHostAlloc");
}

static void check_kept(void)
{
  CHECK(locked() == 0);
  CHECK(tsr_rt_end(tsr_rt_begin(&module)) == 1 && locked() == 0); /* nothing comes back */
  CHECK(back(10, 1) && locked() == 1);
  CHECK(back(256 * KIB, 2) && locked() == 1);
  CHECK(back(256 * KIB + 1, 3) && locked() == 2);
  CHECK(back(512 * KIB, 4) && locked() == 2);
  CHECK(back(64 * MIB + 1, 7) && locked() == 2); /* too much */
  CHECK(back(33 * MIB, 5) && locked() == 3);
  CHECK(back(64 * MIB, 6) && locked() == 3);
  CHECK(back(100, 8) && locked() == 3);
  CHECK(scenario_driver()->buffers() == 1 && scenario_driver()->calls("cuMemFreeHost") == 2);
}

/* The driver has none; it isn't asked again. */
static void check_none(void)
{
  scenario_driver()->fail("cuMemHostAlloc", 1, 2);
  CHECK(back(100, 1) && locked() == 1);
  CHECK(back(MIB, 2) && locked() == 1);
  CHECK(scenario_driver()->failed() == 1 && scenario_driver()->buffers() == 0);
}

/* The driver has no more than it gave at first, which stays. */
static void check_no_more(void)
{
  CHECK(back(100, 1) && locked() == 1);
  scenario_driver()->fail("cuMemHostAlloc", 1, 2);
  CHECK(back(MIB, 2) && locked() == 2);
  CHECK(back(MIB, 3) && locked() == 2);
  CHECK(back(200, 4) && locked() == 2);
  CHECK(scenario_driver()->failed() == 1 && scenario_driver()->buffers() == 1);
}

/* The old buffer can't be freed: that is of no consequence. */
static void check_unfreed(void)
{
  CHECK(back(100, 1));
  scenario_driver()->fail("cuMemFreeHost", 1, 1);
  CHECK(back(MIB, 2) && back(100, 3) && locked() == 2);
  CHECK(scenario_driver()->failed() == 1 && scenario_driver()->buffers() == 2);
}

/* The driver lacks the entry points. */
static void check_unlocked(void)
{
  CHECK(back(100, 1) && back(MIB, 2) && back(100, 3));
  CHECK(locked() == 0);
}

/* A job begins and ends while another one waits for what comes to the buffer. */
static void meanwhile(void)
{
  struct tsr_rt_job *job = ask(1, 5 * MIB, 9);
  CHECK(tsr_rt_end(job) == 1 && came(1, 5 * MIB, 9));
}

static void check_two(void)
{
  for (int i = 0; i < 3; i++) {
    struct tsr_rt_job *job = ask(0, 1000, 5);
    scenario_driver()->before("cuStreamSynchronize", 2, meanwhile);
    CHECK(tsr_rt_end(job) == 1 && came(0, 1000, 5));
    CHECK(host[1][0] == 9);
    host[1][0] = 0;
    CHECK(locked() == 1 && scenario_driver()->buffers() == 1);
  }
  CHECK(back(5 * MIB, 6) && locked() == 2); /* alone, it has it */
}

/* A job that fails gives it back. */
static void check_failed(void)
{
  CHECK(back(100, 1) && locked() == 1);
  struct tsr_rt_job *job = ask(0, 200, 2);
  scenario_driver()->fail("cuMemcpyDtoHAsync_v2", 1, 1);
  CHECK(tsr_rt_end(job) == 0 && host[0][0] == 0);
  CHECK(back(MIB, 3) && locked() == 2 && scenario_driver()->buffers() == 1);
}

/* The device may still write to the buffer of a job that can't be waited for: nobody else gets it. */
static void check_unsettled(void)
{
  CHECK(back(100, 1) && locked() == 1);
  struct tsr_rt_job *job = ask(0, 200, 2), *other = ask(1, MIB, 3);
  scenario_driver()->fail("cuMemcpyDtoHAsync_v2", 1, 1);
  scenario_driver()->fail("cuStreamSynchronize", 2, 1);
  CHECK(tsr_rt_end(job) == 0 && host[0][0] == 0);
  CHECK(tsr_rt_end(other) == 1 && came(1, MIB, 3) && locked() == 1);
  CHECK(scenario_driver()->failed() == 2 && tsr_rt_begin(&module) == NULL);
}

static const struct scenario scenarios[] = {
    {"kept", check_kept, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"none", check_none, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"no-more", check_no_more, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"unfreed", check_unfreed, "fake", {NULL}, ""},
    {"unlocked", check_unlocked, "unlocked", {"TSR_FAKE_STRICT=1"}, ""},
    {"two", check_two, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"failed", check_failed, "fake", {"TSR_FAKE_STRICT=1"}, "cuMemcpyDtoHAsync_v2 says CUDA_ERROR_INVALID_VALUE (1)"},
    {"unsettled", check_unsettled, "fake", {NULL}, "cuMemcpyDtoHAsync_v2 says CUDA_ERROR_INVALID_VALUE (1)"},
};

int main(int argc, char **argv)
{
  return scenario_main(argc, argv, scenarios, sizeof scenarios / sizeof *scenarios);
}
