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
          tsr_rt_copy_in(job, device + 3, host + 13, row, pitch, rows);
          for (uint64_t i = 0; i < rows * pitch; i++)
            host[13 + i] = want[13 + i] = 100;
          tsr_rt_copy_out(job, host + 12, device + 2, row, pitch, rows, again);
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

/* The rows that check_merging's jobs ask for one by one */
static struct {
  unsigned char host[40000], want[40000];
  struct tsr_rt_job *job;
  uint64_t device;
  int again;
} asked;

static void begin_rows(int again)
{
  memset(&asked, 0, sizeof asked);
  asked.job = tsr_rt_begin(&module);
  asked.device = tsr_rt_array(asked.job, asked.host, sizeof asked.host);
  asked.again = again;
  int64_t n = sizeof asked.host;
  int value = 200;
  tsr_rt_launch(asked.job, FILL, one, one, 0, (void *[]){&asked.device, &n, &value});
}

static void ask_rows(uint64_t at, uint64_t row, uint64_t pitch, uint64_t rows)
{
  tsr_rt_copy_out(asked.job, asked.host + at, asked.device + at, row, pitch, rows, asked.again);
  for (uint64_t i = 0; i < rows; i++)
    memset(asked.want + at + i * pitch, 200, row);
}

static void ask_row(uint64_t at, uint64_t row)
{
  ask_rows(at, row, row, 1);
}

/* Does the job store these rows and nothing else, by as many calls of the driver for PIECES and for ROWS? */
static bool end_rows(long pieces, long rows)
{
  const struct fake_driver *driver = scenario_driver();
  long pieces_before = driver->calls("cuMemcpyDtoHAsync_v2"), rows_before = driver->calls("cuMemcpy2DAsync_v2");
  bool good = tsr_rt_end(asked.job) && !memcmp(asked.host, asked.want, sizeof asked.host);
  pieces_before += pieces, rows_before += rows;
  return good && driver->calls("cuMemcpyDtoHAsync_v2") == pieces_before &&
         driver->calls("cuMemcpy2DAsync_v2") == rows_before;
}

/* Rows that touch are one piece, whatever their lengths are. */
static void check_touching(int again)
{
  begin_rows(again);
  for (uint64_t i = 0; i < 4000; i++)
    ask_row(i * 8, 8);
  CHECK(end_rows(1, 0));
  begin_rows(again);
  for (uint64_t i = 0; i < 20; i++) /* a triangle without gaps */
    ask_row(i * (i + 1) / 2, i + 1);
  CHECK(end_rows(1, 0));
  begin_rows(again);
  for (uint64_t i = 0; i < 6; i++) { /* planes, with nothing asked for in between */
    ask_row(i * 30, 10);
    ask_row(0, 0);
    ask_row(i * 30 + 10, 10);
  }
  CHECK(end_rows(6, 0));
}

/* Equal rows at one distance are one copy of rows. */
static void check_gaps(int again)
{
  begin_rows(again);
  for (uint64_t i = 0; i < 4000; i++)
    ask_row(3 + i * 8, 5);
  CHECK(end_rows(0, 1));
  begin_rows(again);
  for (uint64_t i = 0; i < 6; i++)
    for (uint64_t j = 0; j < 7; j++) /* planes */
      ask_row(i * 100 + j * 10, 9);
  CHECK(end_rows(0, 6));
  begin_rows(again);
  for (uint64_t i = 0; i < 4; i++) {
    ask_row(i * 30, 4); /* the first of three, two of which come at once */
    ask_rows(i * 30 + 10, 4, 10, 2);
  }
  CHECK(end_rows(0, 1));
}

/* Rows that don't continue each other; where they are many, those that touch come in one piece all the same. */
static void check_separate(int again)
{
  begin_rows(again);
  for (uint64_t i = 0; i < 20; i++) /* triangles */
    ask_row(i * 22, i + 1);
  CHECK(end_rows(20, 0));
  begin_rows(again);
  for (uint64_t i = 0; i < 20; i++)
    ask_row(i * 22, 20 - i);
  CHECK(end_rows(20, 0));
  begin_rows(again);
  for (uint64_t i = 0; i < 9; i++) /* backwards, over each other, the same again */
    ask_row(800 - i * 10, 10);
  for (uint64_t i = 0; i < 9; i++)
    ask_row(1000 + i * 4, 5);
  for (uint64_t i = 0; i < 9; i++)
    ask_row(2000, 6);
  CHECK(end_rows(3, 0));
  begin_rows(again);
  ask_row(0, 4); /* the third row touches, so it begins another copy */
  ask_row(8, 4);
  ask_row(12, 4);
  ask_row(20, 4);
  CHECK(end_rows(0, 2));
  begin_rows(again);
  ask_row(0, 4); /* several at once, at another pitch than their distance from the one before */
  ask_rows(20, 4, 10, 2);
  ask_rows(50, 4, 10, 2);
  CHECK(end_rows(1, 2));
  begin_rows(again);
  for (int i = 0; i < 8; i++) { /* 0 0 0 1 1 0 1 0 */
    asked.again = i < 3 ? again : i < 5 || i == 6 ? !again : again;
    ask_row((uint64_t)i * 8, 5);
  }
  CHECK(end_rows(3, 2));
  begin_rows(again);
  for (int i = 0; i < 4; i++) { /* the same with rows that touch */
    asked.again = i < 2 ? again : !again;
    ask_row((uint64_t)i * 8, 8);
  }
  CHECK(end_rows(2, 0));
}

/* As far from each other on one side only */
static void check_sides(int again)
{
  begin_rows(again);
  for (uint64_t i = 0; i < 4; i++)
    tsr_rt_copy_out(asked.job, asked.host + i * 10, asked.device + i * 12, 6, 6, 1, again);
  for (uint64_t i = 0; i < 4; i++)
    tsr_rt_copy_out(asked.job, asked.host + 100 + i * 10, asked.device + 100, 10, 10, 1, again);
  for (uint64_t i = 0; i < 4; i++)
    memset(asked.want + i * 10, 200, 6), memset(asked.want + 100 + i * 10, 200, 10);
  CHECK(end_rows(8, 0));
}

static void check_merging(void)
{
  for (int again = 0; again <= 1; again++) {
    check_touching(again);
    check_gaps(again);
    check_separate(again);
    check_sides(again);
  }
}

/* Two regions that are as far from each other on the host as on the device: no copy is in both. */
static void check_neighbours(void)
{
  static _Alignas(256) unsigned char host[8192];
  struct tsr_rt_job *job = tsr_rt_begin(&module);
  uint64_t first = tsr_rt_array(job, host, 64), second = tsr_rt_array(job, host, 64);
  CHECK(second > first && second - first <= sizeof host - 64);
  tsr_rt_copy_out(job, host, first, 64, 64, 1, 0);
  tsr_rt_copy_out(job, host + (second - first), second, 64, 64, 1, 0);
  CHECK(tsr_rt_end(job) == 1);
  CHECK(scenario_driver()->calls("cuMemcpy2DAsync_v2") == 0 && scenario_driver()->calls("cuMemcpyDtoHAsync_v2") == 2);
  CHECK(host[0] == 0xa5 && host[63] == 0xa5 && host[64] == 0 && host[second - first + 63] == 0xa5);
}

/* A pitch that the driver's copies of rows don't take, and the widest that they take */
static void check_wide_pitch(void)
{
  const uint64_t pitch = 0x80000000;
  char *host = malloc(2 * pitch);
  CHECK(host != NULL);
  struct tsr_rt_job *job = tsr_rt_begin(&module);
  const struct fake_driver *driver = scenario_driver();
  uint64_t device = tsr_rt_array(job, host, pitch + 32);
  host[0] = 3, host[pitch + 7] = 4, host[8] = 5, host[pitch + 15] = 6, host[16] = 7, host[pitch + 16] = 8;
  tsr_rt_copy_in(job, device, host, 24, pitch, 2);
  host[0] = host[pitch + 7] = host[8] = host[pitch + 15] = host[16] = host[pitch + 16] = 0;
  tsr_rt_copy_out(job, host, device, 8, pitch, 2, 1);
  tsr_rt_copy_out(job, host + 8, device + 8, 8, 8, 1, 0);
  tsr_rt_copy_out(job, host + pitch + 8, device + pitch + 8, 8, 8, 1, 0);
  tsr_rt_copy_out(job, host + 16, device + 16, 2, 2, 1, 0);
  tsr_rt_copy_out(job, host + 16 + pitch - 1, device + 16 + pitch - 1, 2, 2, 1, 0);
  CHECK(tsr_rt_end(job) == 1);
  CHECK(host[0] == 3 && host[pitch + 7] == 4 && host[8] == 5 && host[pitch + 15] == 6);
  CHECK(host[16] == 7 && host[pitch + 16] == 8);
  CHECK(driver->calls("cuMemcpy2DAsync_v2") == 1 && driver->calls("cuMemcpyHtoDAsync_v2") == 2);
  CHECK(driver->calls("cuMemcpyDtoHAsync_v2") == 4);
  free(host);
}

static void check_nothing(void)
{
  struct tsr_rt_job *job = tsr_rt_begin(&module);
  char host[8] = "abc";
  CHECK(tsr_rt_array(job, host, 0) == 0);
  tsr_rt_copy_in(job, 0, NULL, 0, 9, 9);
  tsr_rt_copy_in(job, 0, NULL, 9, 9, 0);
  tsr_rt_copy_out(job, NULL, 0, 0, 0, 1, 0);
  tsr_rt_copy_out(job, NULL, 0, 1, 1, 0, 1);
  tsr_rt_launch(job, WILD, none, one, 0, NULL);
  CHECK(tsr_rt_end(job) == 1);
  CHECK(scenario_driver()->calls("cuLaunchKernel") == 0 && scenario_driver()->calls("cuMemAlloc_v2") == 0);
  CHECK(tsr_rt_end(NULL) == 0);
  CHECK(tsr_rt_array(NULL, host, 8) == 0);
  tsr_rt_copy_in(NULL, 1, host, 1, 1, 1);
  tsr_rt_copy_out(NULL, host, 1, 1, 1, 1, 0);
  tsr_rt_launch(NULL, WILD, one, one, 0, NULL);
  CHECK(!strcmp(host, "abc"));
}

/* Many regions, out of order, each found by its first and last byte and no further */
static void check_regions(void)
{
  enum { COUNT = 60, SIZE = 24, STEP = 40 };
  static unsigned char host[COUNT * STEP];
  uint64_t device[COUNT];
  for (int round = 0; round < 2; round++) { /* the second time, blocks are free in another order */
    memset(host, 0, sizeof host);
    struct tsr_rt_job *job = tsr_rt_begin(&module);
    for (int i = 0; i < COUNT; i++) {
      int at = i * 37 % COUNT;
      device[at] = tsr_rt_array(job, host + at * STEP, SIZE);
      int64_t n = SIZE;
      int value = at + 1;
      tsr_rt_launch(job, FILL, one, one, 0, (void *[]){&device[at], &n, &value});
    }
    for (int i = 0; i < COUNT; i++) {
      tsr_rt_copy_out(job, host + i * STEP, device[i], 1, 1, 1, 0);
      tsr_rt_copy_out(job, host + i * STEP + SIZE - 1, device[i] + SIZE - 1, 1, 1, 1, i % 2);
    }
    CHECK(tsr_rt_end(job) == 1);
    for (int i = 0; i < COUNT * STEP; i++)
      CHECK(host[i] == (i % STEP == 0 || i % STEP == SIZE - 1 ? i / STEP + 1 : 0));
  }
}

/* Every place on the host has the last bits of its address on the device, and all of a region is there. */
static void check_alignment(void)
{
  enum { PLACES = 2 * 256, MOST = 512 };
  static unsigned char host[PLACES + MOST], want[PLACES + MOST];
  const uint64_t sizes[] = {1, 8, 255, 256, 257, MOST};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (int at = 0; at < PLACES; at += 3) {
      memset(host, 1, sizeof host), memset(want, 1, sizeof want), memset(want + at, 2, sizes[s]);
      struct tsr_rt_job *job = tsr_rt_begin(&module);
      uint64_t device = tsr_rt_array(job, host + at, sizes[s]);
      int64_t n = (int64_t)sizes[s];
      int value = 2;
      CHECK(device && device % 256 == (uintptr_t)(host + at) % 256);
      tsr_rt_launch(job, FILL, one, one, 0, (void *[]){&device, &n, &value});
      tsr_rt_copy_out(job, host + at, device, sizes[s], sizes[s], 1, 0);
      CHECK(tsr_rt_end(job) == 1);
      CHECK(!memcmp(host, want, sizeof host));
    }
}

/* Regions may be of the same memory of the host's, or of parts of it; what is written in one isn't in another. */
static void check_overlap(void)
{
  double host[8] = {1, 2, 3, 4, 5, 6, 7, 8}, sum[7];
  const uint64_t all = sizeof host, part = sizeof sum;
  struct tsr_rt_job *job = tsr_rt_begin(&module);
  uint64_t a = tsr_rt_array(job, host, all), b = tsr_rt_array(job, host, all), c = tsr_rt_array(job, host + 1, part);
  uint64_t to = tsr_rt_array(job, sum, part);
  CHECK(a && b && c && to && a != b && b != c && a != c);
  tsr_rt_copy_in(job, a, host, all, all, 1);
  tsr_rt_copy_in(job, c, host + 1, part, part, 1);
  int64_t n = 7, bytes = sizeof host;
  int zero = 0;
  tsr_rt_launch(job, FILL, one, one, 0, (void *[]){&b, &bytes, &zero});
  tsr_rt_launch(job, ADD, (uint32_t[]){1, 1, 1}, (uint32_t[]){32, 1, 1}, 0, (void *[]){&a, &c, &to, &n});
  tsr_rt_copy_out(job, sum, to, part, part, 1, 0);
  tsr_rt_copy_out(job, host, b, 2 * sizeof *host, 2 * sizeof *host, 1, 0);
  CHECK(tsr_rt_end(job) == 1);
  for (int i = 0; i < 8; i++)
    CHECK(host[i] == (i < 2 ? 0 : i + 1));
  for (int i = 0; i < 7; i++)
    CHECK(sum[i] == 2 * i + 3);
}

/* What a job may not ask for; ASK does so on a job with a region of 16 bytes, at DEVICE, in the middle of HOST. */
static void refused(void (*ask)(struct tsr_rt_job *job, char *host, uint64_t device))
{
  char host[48] = {0};
  struct tsr_rt_job *job = tsr_rt_begin(&module);
  uint64_t device = tsr_rt_array(job, host + 16, 16);
  CHECK(device != 0);
  tsr_rt_copy_out(job, host + 16, device, 16, 16, 1, 0);
  ask(job, host, device);
  long launches = scenario_driver()->calls("cuLaunchKernel");
  tsr_rt_launch(job, NOTHING, one, one, 0, NULL);
  CHECK(scenario_driver()->calls("cuLaunchKernel") == launches);
  CHECK(tsr_rt_array(job, host, 4) == 0);
  CHECK(tsr_rt_end(job) == 0);
  for (size_t i = 0; i < sizeof host; i++)
    CHECK(host[i] == 0);
}

static void ask_before(struct tsr_rt_job *job, char *host, uint64_t device)
{
  tsr_rt_copy_in(job, device - 1, host + 15, 2, 2, 1);
}

static void ask_behind(struct tsr_rt_job *job, char *host, uint64_t device)
{
  tsr_rt_copy_out(job, host + 16, device, 17, 17, 1, 1);
}

/* It would continue the copy that was asked for before. */
static void ask_next(struct tsr_rt_job *job, char *host, uint64_t device)
{
  tsr_rt_copy_out(job, host + 32, device + 16, 1, 1, 1, 0);
}

static void ask_last_row(struct tsr_rt_job *job, char *host, uint64_t device)
{
  tsr_rt_copy_in(job, device, host + 16, 2, 5, 4);
}

static void ask_long_rows(struct tsr_rt_job *job, char *host, uint64_t device)
{
  tsr_rt_copy_in(job, device, host + 16, 3, 2, 2);
}

static void ask_too_many_rows(struct tsr_rt_job *job, char *host, uint64_t device)
{
  tsr_rt_copy_in(job, device, host + 16, 2, 1ull << 60, 17);
}

static void ask_no_address(struct tsr_rt_job *job, char *host, uint64_t device)
{
  (void)device;
  tsr_rt_copy_out(job, host + 16, 0, 4, 4, 1, 0);
}

static void ask_host_address(struct tsr_rt_job *job, char *host, uint64_t device)
{
  (void)device;
  tsr_rt_copy_in(job, (uintptr_t)(host + 16), host + 16, 4, 4, 1);
}

static void ask_two_regions(struct tsr_rt_job *job, char *host, uint64_t device)
{
  uint64_t other = tsr_rt_array(job, host, 48), first = other < device ? other : device;
  CHECK(other != 0);
  tsr_rt_copy_out(job, host, first, 1, other < device ? device - other : other - device, 2, 0);
}

static void ask_endless(struct tsr_rt_job *job, char *host, uint64_t device)
{
  (void)device;
  CHECK(tsr_rt_array(job, host, UINT64_MAX - 100) == 0);
}

static void ask_kernel(struct tsr_rt_job *job, char *host, uint64_t device)
{
  (void)host, (void)device;
  tsr_rt_launch(job, 7, one, one, 0, NULL);
}

static void ask_block(struct tsr_rt_job *job, char *host, uint64_t device)
{
  (void)host, (void)device;
  tsr_rt_launch(job, NOTHING, one, (uint32_t[]){1025, 1, 1}, 0, NULL);
}

static void ask_shared(struct tsr_rt_job *job, char *host, uint64_t device)
{
  (void)host, (void)device;
  tsr_rt_launch(job, SHARED, one, one, 300 * 1024, NULL);
}

static void ask_memory(struct tsr_rt_job *job, char *host, uint64_t device)
{
  (void)device;
  CHECK(tsr_rt_array(job, host + 40, 1ull << 40) == 0);
}

static void check_refusals(void)
{
  void (*const asks[])(struct tsr_rt_job *job, char *host, uint64_t device) = {
      ask_before,       ask_behind,      ask_next,    ask_last_row, ask_long_rows, ask_too_many_rows, ask_no_address,
      ask_host_address, ask_two_regions, ask_endless, ask_kernel,   ask_block,     ask_shared,        ask_memory};
  struct workload w;
  bool untouched;
  for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
    refused(asks[i]);
    CHECK(workload_run(&module, &w, (double)i, &untouched) == ON_GPU && workload_is_done(&w, (double)i));
  }
  CHECK(scenario_driver()->contexts() == 0);
}

/* A job with one region of BYTES bytes, wherever they are on the host: how often it asks the driver for memory */
static long allocations(uint64_t bytes)
{
  static char host[100000];
  static size_t at;
  at = (at + 77) % 256;
  long before = scenario_driver()->calls("cuMemAlloc_v2");
  struct tsr_rt_job *job = tsr_rt_begin(&module);
  CHECK(tsr_rt_array(job, host + at, bytes) != 0);
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
    {"merging", check_merging, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"neighbours", check_neighbours, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"wide-pitch", check_wide_pitch, "fake", {"TSR_FAKE_MEMORY=3000000000"}, ""},
    {"nothing", check_nothing, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"regions", check_regions, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"alignment", check_alignment, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"overlap", check_overlap, "fake", {"TSR_FAKE_STRICT=1"}, ""},
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
