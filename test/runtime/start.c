/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When is a GPU started? What is asked of it adds up till it is worth that; then it stays so. */
#include "scenario.h"
#include "workload.h"
#include <errno.h>
#include <string.h>

static struct tsr_rt_module module = WORKLOAD_MODULE, other = WORKLOAD_MODULE;

/* Starting takes about 220 ms, more of a long text; of a second file only its text counts. */
static void check_turns(void)
{
  errno = 5;
  for (int i = 0; i < 20; i++)
    CHECK(!tsr_rt_pays(&module, 10e6));
  const struct fake_driver *driver = scenario_driver();
  CHECK(driver == NULL || driver->calls("cuInit") == 0); /* asking starts nothing */
  CHECK(tsr_rt_pays(&module, 20e6 + 5e3 * (double)strlen(module.ptx)));
  CHECK(!tsr_rt_pays(&module, 1)); /* what was paid for once isn't there any more */
  CHECK(tsr_rt_end(tsr_rt_begin(&module)) == 1);
  CHECK(tsr_rt_pays(&module, 1)); /* it runs */
  CHECK(!tsr_rt_pays(&other, 1));
  CHECK(tsr_rt_pays(&other, 1e4 * (double)strlen(other.ptx)));
  CHECK(tsr_rt_end(tsr_rt_begin(&other)) == 1 && tsr_rt_pays(&other, 1));
  CHECK(errno == 5);
}

/* A job that is long enough doesn't wait for others. */
static void check_long(void)
{
  CHECK(tsr_rt_pays(&module, 1e12));
}

static void check_at_once(void)
{
  CHECK(tsr_rt_pays(&module, 1));
}

static void check_later(void)
{
  CHECK(!tsr_rt_pays(&module, 999e6) && tsr_rt_pays(&module, 2e6));
}

static void check_odd(void)
{
  errno = 7;
  CHECK(!tsr_rt_pays(&module, 1e6) && errno == 7);
}

static const struct scenario scenarios[] = {
    {"turns", check_turns, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"long", check_long, "fake", {NULL}, ""},
    {"at-once", check_at_once, "fake", {"TESSERA_RT_START=0"}, ""},
    {"later", check_later, "fake", {"TESSERA_RT_START=1000"}, ""},
    {"odd", check_odd, "fake", {"TESSERA_RT_START=soon"}, "TESSERA_RT_START is 'soon': give it milliseconds, 0 or more"},
    {"below-zero", check_odd, "fake", {"TESSERA_RT_START=-1"}, "TESSERA_RT_START is '-1': give it milliseconds, 0 or more"},
};

int main(int argc, char **argv)
{
  return scenario_main(argc, argv, scenarios, sizeof scenarios / sizeof *scenarios);
}
