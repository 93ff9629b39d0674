/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every call of the driver that a process with three jobs makes fails once, in a process each, with each of several errors:
 * the job whose call it was fails, the CPU finds its memory as it was, and one line is said at most. The jobs are those of
 * workload.h, or have many rows and a flag in addition, which a kernel may set: then all of them come to nothing. */
#include "scenario.h"
#include "workload.h"
#include <errno.h>

enum { JOBS = 3, MOST_CALLS = 60 };

static const char *const entries[] = {
#define ENTRY(name, parameters) #name,
#include "cuda_driver.def"
#undef ENTRY
};

enum kind { PLAIN, WITH_ROWS, GIVEN_UP };

/* Rows of a triangle, whose other bytes are 3 */
enum { SIDE = 30 };
static unsigned char triangle[SIDE * SIDE];

/* What is in it? */
static bool triangle_is(int value)
{
  for (int i = 0; i < SIDE * SIDE; i++)
    if (triangle[i] != (i % SIDE <= i / SIDE ? value : 3))
      return false;
  return true;
}

/* Ask JOB for a triangle of 4, and give it up if that is its KIND. */
static void ask_triangle(struct tsr_rt_job *job, enum kind kind)
{
  uint64_t flag = tsr_rt_flag(job), device = tsr_rt_array(job, triangle, sizeof triangle);
  const uint32_t one[] = {1, 1, 1};
  int64_t n = sizeof triangle;
  int value = 4;
  tsr_rt_copy_in(job, device, triangle, sizeof triangle, sizeof triangle, 1);
  tsr_rt_launch(job, FILL, one, one, 0, (void *[]){&device, &n, &value});
  for (uint64_t i = 0; i < SIDE; i++)
    tsr_rt_copy_out(job, triangle + i * SIDE, device + i * SIDE, i + 1, i + 1, 1, i % 3 == 0);
  n = sizeof(uint32_t);
  if (kind == GIVEN_UP)
    tsr_rt_launch(job, FILL, one, one, 0, (void *[]){&flag, &n, &value});
}

/* As workload_run, with a job of that kind */
static enum workload_way run(enum kind kind, struct tsr_rt_module *module, struct workload *w, double seed, bool *untouched)
{
  if (kind == PLAIN)
    return workload_run(module, w, seed, untouched);
  workload_init(w, seed);
  memset(triangle, 3, sizeof triangle);
  struct tsr_rt_job *job = tsr_rt_begin(module);
  *untouched = true;
  if (job) {
    workload_ask(job, w);
    ask_triangle(job, kind);
    if (tsr_rt_end(job)) {
      *untouched = triangle_is(4);
      return ON_GPU;
    }
    *untouched = workload_is_untouched(w, seed) && triangle_is(3) && (kind == WITH_ROWS || w->d[0] == 7);
  }
  workload_host(w);
  return job ? FAILED : ON_CPU;
}

/* Entries whose failure no job notices: they give back, at the process's end, or there is another way */
static bool is_of_no_consequence(const char *entry)
{
  return strstr(entry, "Release") || strstr(entry, "Unload") || strstr(entry, "Destroy") || strstr(entry, "MemFree") ||
         strstr(entry, "MemHostAlloc");
}

/* Does the NTH call of ENTRY fail with CODE in jobs of KIND, and what becomes of it? Returns whether there is such a call,
 * in the exit status of the process that finds out. */
static void run_case(enum kind kind, const char *entry, long nth, cu_result code)
{
  static struct tsr_rt_module module = WORKLOAD_MODULE;
  check_failures = 0;
  FILE *said = tmpfile();
  int before = dup(STDERR_FILENO);
  dup2(fileno(said), STDERR_FILENO);
  const struct fake_driver *driver = scenario_driver();
  driver->fail(entry, nth, code);
  enum workload_way way[JOBS];
  bool untouched, all_untouched = true, all_done = true, kept_errno = true;
  for (int i = 0; i < JOBS; i++) {
    struct workload w;
    errno = 3;
    way[i] = run(kind, &module, &w, i, &untouched);
    kept_errno &= errno == 3;
    all_untouched &= untouched;
    all_done &= workload_is_done(&w, i);
  }
  dup2(before, STDERR_FILENO);
  int on_gpu = (way[0] == ON_GPU) + (way[1] == ON_GPU) + (way[2] == ON_GPU);
  int on_cpu = (way[0] == ON_CPU) + (way[1] == ON_CPU) + (way[2] == ON_CPU);
  bool failed = driver->failed() > 0, is_lost = failed && code >= 700;
  /* An error that is of no consequence isn't told, unless it is one that all later calls return, too. */
  bool is_noticed = failed && (is_lost || !is_of_no_consequence(entry));
  CHECK(all_untouched);
  CHECK(all_done);
  CHECK(kept_errno);
  CHECK(kind == GIVEN_UP ? on_gpu == 0 : (on_gpu == JOBS) == !is_noticed);
  CHECK(scenario_lines(scenario_text(said)) == (is_noticed && code != 100));
  if (strcmp(entry, "cuCtxPopCurrent_v2"))
    CHECK(driver->contexts() == 0 || is_lost);
  /* After an error that doesn't end all, the next job is on the device again. */
  if (is_noticed && code == 1 && strcmp(entry, "cuInit") && strcmp(entry, "cuDeviceGet") &&
      strcmp(entry, "cuDevicePrimaryCtxRetain") && strcmp(entry, "cuModuleLoadDataEx") &&
      strcmp(entry, "cuStreamSynchronize"))
    CHECK(kind == GIVEN_UP ? on_cpu <= 1 : on_gpu == JOBS - 1);
  if (is_lost)
    CHECK(way[2] != ON_GPU && tsr_rt_begin(&module) == NULL);
  if (check_failures)
    fprintf(stderr, "kind %d, %s, call %ld, error %d: ways %d %d %d, stderr:\n%s", kind, entry, nth, code, way[0], way[1],
            way[2], scenario_text(said));
  exit(check_failures ? 1 : failed ? 0 : 42);
}

/* All calls of ENTRY in jobs of KIND, one after the other */
static void check_entry(enum kind kind, const char *entry)
{
  const cu_result codes[] = {1, 2, 100, 500, 700, 999};
  for (size_t c = 0; c < sizeof codes / sizeof *codes; c++) {
    long n = 0;
    for (int status = 0; status == 0 && n < MOST_CALLS; n++) {
      fflush(NULL);
      pid_t child = fork();
      if (child == 0)
        run_case(kind, entry, n + 1, codes[c]);
      waitpid(child, &status, 0);
      CHECK(status == 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 42));
    }
    CHECK(n < MOST_CALLS);
    CHECK(n > 1 || is_of_no_consequence(entry)); /* at least one call was made, and failed */
  }
}

static void check_failures_of_all(enum kind kind)
{
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
    if (kind != GIVEN_UP || !strstr(entries[i], "HostAlloc")) /* nothing comes back */
      check_entry(kind, entries[i]);
}

static void check_plain(void)
{
  check_failures_of_all(PLAIN);
}

static void check_rows(void)
{
  check_failures_of_all(WITH_ROWS);
}

static void check_given_up(void)
{
  check_failures_of_all(GIVEN_UP);
}

/* Memory runs out in the middle: what is free is given back; a job that asks for too much leaves what it had. */
static void check_memory(void)
{
  static struct tsr_rt_module module = WORKLOAD_MODULE;
  static char large[6000];
  struct workload w;
  bool untouched;
  CHECK(workload_run(&module, &w, 1, &untouched) == ON_GPU);
  struct tsr_rt_job *job = tsr_rt_begin(&module);
  CHECK(tsr_rt_array(job, large, 3000) != 0);
  CHECK(tsr_rt_array(job, large + 3000, 3000) == 0);
  CHECK(tsr_rt_end(job) == 0);
  CHECK(scenario_driver()->blocks() == 0);
  CHECK(workload_run(&module, &w, 2, &untouched) == ON_GPU && workload_is_done(&w, 2));
}

/* A kernel that dies takes the device with it. */
static void check_wild(void)
{
  static struct tsr_rt_module module = WORKLOAD_MODULE;
  struct workload w;
  bool untouched;
  workload_init(&w, 5);
  struct tsr_rt_job *job = tsr_rt_begin(&module), *other = tsr_rt_begin(&module);
  workload_ask(job, &w);
  tsr_rt_launch(job, WILD, (uint32_t[]){1, 1, 1}, (uint32_t[]){1, 1, 1}, 0, NULL);
  CHECK(tsr_rt_end(job) == 0);
  CHECK(workload_is_untouched(&w, 5) && w.d[0] == 7);
  workload_ask(other, &w);
  CHECK(tsr_rt_end(other) == 0);
  CHECK(workload_is_untouched(&w, 5) && w.d[0] == 7);
  CHECK(workload_run(&module, &w, 6, &untouched) == ON_CPU && workload_is_done(&w, 6));
}

/* A kernel dies, and nothing comes back from the device. */
static void check_wild_alone(void)
{
  static struct tsr_rt_module module = WORKLOAD_MODULE;
  struct tsr_rt_job *job = tsr_rt_begin(&module);
  tsr_rt_launch(job, WILD, (uint32_t[]){1, 1, 1}, (uint32_t[]){1, 1, 1}, 0, NULL);
  CHECK(tsr_rt_end(job) == 0);
}

/* What may go to its place at once goes there last: where another copy fails it isn't written either. */
static void check_again_last(void)
{
  static struct tsr_rt_module module = WORKLOAD_MODULE;
  struct workload w;
  workload_init(&w, 5);
  struct tsr_rt_job *job = tsr_rt_begin(&module);
  workload_ask(job, &w); /* w.d is asked for first */
  CHECK(tsr_rt_end(job) == 0);
  CHECK(workload_is_untouched(&w, 5) && w.d[0] == 7);
}

static const struct scenario scenarios[] = {
    {"each-call", check_plain, "fake", {NULL}, ""},
    {"each-call-with-rows", check_rows, "fake", {NULL}, ""},
    {"each-call-given-up", check_given_up, "fake", {NULL}, ""},
    {"memory",
     check_memory,
     "fake",
     {"TSR_FAKE_MEMORY=5000", "TSR_FAKE_STRICT=1"},
     "OUT_OF_MEMORY (2): the GPU's memory doesn't"},
    {"wild-alone", check_wild_alone, "fake", {NULL}, "cuStreamSynchronize says CUDA_ERROR_ILLEGAL_ADDRESS (700)"},
    {"again-last", check_again_last, "fake", {"TSR_FAKE_FAIL=cuMemcpy2DAsync_v2:2:1"}, "cuMemcpy2DAsync_v2 says"},
    {"wild", check_wild, "fake", {NULL}, "cuStreamSynchronize says CUDA_ERROR_ILLEGAL_ADDRESS (700)"},
};

int main(int argc, char **argv)
{
  return scenario_main(argc, argv, scenarios, sizeof scenarios / sizeof *scenarios);
}
