/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies back of many rows, which are joined: exactly theirs are stored, by few calls of the driver. */
#include "scenario.h"
#include "workload.h"

enum { CALL = 128 << 10, MORE_STAGING = 16 << 20, MOST = 50 << 20 };

static struct tsr_rt_module module = WORKLOAD_MODULE;
static unsigned char host[MOST], want[MOST], device[MOST]; /* DEVICE: what is in device memory */

/* The job at work, with a region for the first `bytes` of HOST */
static struct {
  struct tsr_rt_job *job;
  uint64_t device, bytes;
  int again; /* of rows to come: 0, 1, or 2: by turns */
  long pieces, rows;
} asked;

/* Copy bytes that are all different to the device. */
static void copy_in(uint64_t at, uint64_t row, uint64_t pitch, uint64_t rows)
{
  for (uint64_t i = 0; i < rows; i++)
    for (uint64_t k = i * pitch; k < i * pitch + row; k++)
      host[at + k] = device[at + k] = (unsigned char)(1 + (at + k) % 251);
  tsr_rt_copy_in(asked.job, asked.device + at, host + at, row, pitch, rows);
  for (uint64_t i = 0; i < rows; i++)
    memset(host + at + i * pitch, 0, row);
}

/* Begin a job with memory that is 0 on the host and something else on the device, where IN bytes from FIRST on have been
 * copied in. */
static void begin(uint64_t bytes, int again, uint64_t first, uint64_t in)
{
  memset(host, 0, bytes), memset(want, 0, bytes), memset(device, 255, bytes);
  asked.job = tsr_rt_begin(&module);
  asked.bytes = bytes;
  asked.again = again;
  asked.device = tsr_rt_array(asked.job, host, bytes);
  int64_t n = (int64_t)bytes;
  int value = 255;
  tsr_rt_launch(asked.job, FILL, (uint32_t[]){1, 1, 1}, (uint32_t[]){1, 1, 1}, 0, (void *[]){&asked.device, &n, &value});
  copy_in(first, in, in, 1);
  asked.pieces = scenario_driver()->calls("cuMemcpyDtoHAsync_v2");
  asked.rows = scenario_driver()->calls("cuMemcpy2DAsync_v2");
}

static void ask(uint64_t at, uint64_t row, uint64_t pitch, uint64_t rows)
{
  static int turn;
  int again = asked.again == 2 ? ++turn / 3 % 2 : asked.again;
  tsr_rt_copy_out(asked.job, host + at, asked.device + at, row, pitch, rows, again);
  for (uint64_t i = 0; i < rows; i++)
    memcpy(want + at + i * pitch, device + at + i * pitch, row);
}

static void ask_row(uint64_t at, uint64_t row)
{
  ask(at, row, row, 1);
}

/* Does the job store these rows and nothing else? */
static bool end_any(void)
{
  return tsr_rt_end(asked.job) && !memcmp(host, want, asked.bytes);
}

/* .. by as many calls of the driver for PIECES and for ROWS? */
static bool end(long pieces, long rows)
{
  return end_any() && scenario_driver()->calls("cuMemcpyDtoHAsync_v2") - asked.pieces == pieces &&
         scenario_driver()->calls("cuMemcpy2DAsync_v2") - asked.rows == rows;
}

/* Each comes in one call, whatever the order of its rows is. */
static void check_triangles(void)
{
  enum { SIDE = 300 };
  for (int again = 0; again <= 2; again++) {
    begin(SIDE * SIDE, again, 0, SIDE * SIDE);
    for (uint64_t i = 0; i < SIDE; i++) /* lower */
      ask_row(i * SIDE, i + 1);
    CHECK(end(1, 0));
    begin(SIDE * SIDE, again, 0, SIDE * SIDE);
    for (uint64_t i = 0; i < SIDE; i++) /* upper */
      ask_row(i * SIDE + i, SIDE - i);
    CHECK(end(1, 0));
    begin(SIDE * SIDE, again, 0, SIDE * SIDE);
    for (uint64_t i = SIDE; i-- > 0;) /* backwards, without its first and last bytes */
      ask_row(i * SIDE + 7, i / 2 + 1);
    CHECK(end(1, 0));
    begin(SIDE * SIDE, again, 0, SIDE * SIDE);
    for (uint64_t k = 0; k < SIDE; k++) { /* rows far from each other in turn, some of them twice */
      uint64_t i = k * 7 % SIDE;
      ask_row(i * SIDE, i + 1);
      ask_row(i * SIDE + i / 2, 1);
    }
    CHECK(end(1, 0));
  }
}

/* Several at once among single ones */
static void check_rows_among(void)
{
  for (int again = 0; again <= 1; again++) {
    begin(40000, again, 0, 40000);
    for (uint64_t i = 0; i < 20; i++) {
      ask_row(i * 1000, 5 + i);
      ask(i * 1000 + 100, 3, 10 + i, 20);
    }
    CHECK(end(1, 0));
  }
  begin(40000, 2, 0, 40000);
  for (uint64_t i = 0; i < 20; i++)
    ask(i * 1000 + 100, 3 + i % 2, 10 + i, 20);
  CHECK(end(1, 0));
}

/* Up to 16 copies are as many calls. */
static void check_few(void)
{
  for (uint64_t n = 15; n <= 18; n++) {
    begin(20000, 0, 0, 20000);
    for (uint64_t i = 0; i < n; i++)
      ask_row(i * 1000, i + 1);
    CHECK(end(n > 16 ? 1 : (long)n, 0));
  }
}

/* Two groups of rows, GAP bytes from each other */
static void ask_groups(uint64_t gap, int again)
{
  begin(40000 + gap, again, 0, 40000 + gap);
  for (uint64_t i = 0; i < 20; i++)
    ask_row(i * 1000, i + 1);
  uint64_t second = 19 * 1000 + 20 + gap;
  for (uint64_t i = 0; i < 20; i++)
    ask_row(second + i * 1000, i + 1);
}

/* What is between rows comes with them where that is cheaper than a call. */
static void check_wide_gaps(void)
{
  ask_groups(CALL, 0);
  CHECK(end(1, 0));
  ask_groups(CALL + 1, 0);
  CHECK(end(2, 0));
  ask_groups(CALL - 1, 1); /* rows that could go to their place at once count, too: the first one is of 1 byte */
  CHECK(end(1, 0));
  ask_groups(CALL, 1);
  CHECK(end(2, 0));
  begin(21 * (CALL + 100), 0, 0, 21 * (CALL + 100));
  for (uint64_t i = 0; i < 20; i++)
    ask_row(i * (CALL + 50), i + 1);
  CHECK(end(20, 0));
  begin(40 * CALL, 0, 0, 40 * CALL); /* rows in between two that are far from each other */
  ask_row(0, 8);
  ask_row(39 * CALL, 9);
  for (uint64_t i = 1; i < 39; i++)
    ask_row(i * CALL, i);
  CHECK(end(3, 0));
}

/* One copy of rows whose gaps are larger than a call is worth isn't fetched with them. */
static void check_gaps_within(void)
{
  begin(400000, 0, 0, 400000);
  for (uint64_t i = 0; i < 20; i++)
    ask_row(i * 100, i + 1);
  ask(2000, 1, 4000, 40);
  for (uint64_t i = 0; i < 20; i++)
    ask_row(200000 + i * 100, i + 1);
  CHECK(end(2, 1));
}

/* Long rows go to their place at once if they may. */
static void check_long_rows(void)
{
  for (int again = 0; again <= 1; again++) {
    begin(20 * 2 * CALL, again, 0, 20 * 2 * CALL);
    for (uint64_t i = 0; i < 20; i++)
      ask_row(i * 2 * CALL, 2 * CALL - 100 + i);
    CHECK(end(again ? 20 : 1, 0));
  }
}

/* Staging memory is bounded: from some row on each comes by itself. Long rows have more of it. */
static void check_bound(void)
{
  begin(200 * 250000, 0, 0, 200 * 250000);
  for (uint64_t i = 0; i < 200; i++)
    ask_row(i * 250000, 150000 + i);
  CHECK(end(1, 0));
  enum { COUNT = 400, GAP = 100000 };
  uint64_t bytes = 0, at = 0;
  begin((uint64_t)COUNT * (GAP + 2), 0, 0, (uint64_t)COUNT * (GAP + 2));
  for (uint64_t i = 0; i < COUNT; i++) {
    ask_row(at, 1 + i % 2);
    at += 1 + i % 2 + GAP;
    bytes += 1 + i % 2;
  }
  long gaps = (long)((MORE_STAGING + 3 * bytes) / GAP);
  CHECK(gaps > 16 && gaps < COUNT / 2);
  CHECK(end(COUNT - gaps, 0));
}

/* What was never copied in isn't read. */
static void check_unknown(void)
{
  begin(40000, 0, 0, 0);
  for (uint64_t i = 0; i < 30; i++)
    ask_row(i * 1000, i + 1);
  CHECK(end(30, 0));
  begin(40000, 0, 10000, 10000); /* rows 10 to 19 and before 20 */
  for (uint64_t i = 0; i < 30; i++)
    ask_row(i * 1000, i + 1);
  CHECK(end(20, 0));
  begin(40000, 0, 0, 15000); /* up to row 30, bit by bit, and what is of no use */
  copy_in(15000, 15000, 15000, 1);
  copy_in(35000, 100, 100, 1);
  copy_in(20000, 100, 100, 1);
  for (uint64_t i = 0; i < 30; i++)
    ask_row(i * 1000, i + 1);
  CHECK(end(1, 0));
  begin(40000, 0, 0, 0); /* rows that were copied in are known each by itself, at most */
  copy_in(0, 100, 1000, 40);
  for (uint64_t i = 0; i < 30; i++)
    ask_row(i * 1000, i + 1);
  CHECK(end(30, 1)); /* the 1 was to the device */
  begin(40000, 0, 0, 0);
  for (uint64_t i = 0; i < 20; i++) /* unknown gaps within */
    ask(i * 1000, 5 + i, 50, 10);
  CHECK(end(0, 20));
  begin(40000, 0, 0, 0);
  for (uint64_t i = 0, at = 0; i < 20; at += 9 * 50 + 5 + i, i++) /* .. and none between them */
    ask(at, 5 + i, 50, 10);
  CHECK(end(0, 20));
  begin(40000, 0, 0, 0);
  for (uint64_t i = 0; i < 20; i++) { /* .. each in front of a single row that touches */
    ask(i * 1000, 5 + i, 50, 10);
    ask_row(i * 1000 + 9 * 50 + 5 + i, 6);
  }
  CHECK(end(20, 20));
  begin(40000, 0, 0, 0);
  for (uint64_t i = 0; i < 20; i++) { /* .. and behind one */
    ask_row(i * 1000, 6);
    ask(i * 1000 + 6, 5 + i, 50, 10);
  }
  CHECK(end(20, 20));
}

/* A block that comes from an earlier job: what was copied to it then isn't known now. */
static void check_other_job(void)
{
  begin(40000, 0, 0, 40000);
  CHECK(end(0, 0));
  begin(40000, 0, 0, 0);
  for (uint64_t i = 0; i < 30; i++)
    ask_row(i * 1000, i + 1);
  CHECK(end(30, 0));
  CHECK(scenario_driver()->blocks() == 1);
}

/* Regions in turn: what lies in another one isn't joined. */
static void check_regions(void)
{
  enum { SIZE = 20000 };
  begin(2 * SIZE, 0, 0, SIZE);
  uint64_t other = tsr_rt_array(asked.job, host + SIZE, SIZE), first = asked.device;
  asked.device = other - SIZE;
  copy_in(SIZE, SIZE, SIZE, 1);
  asked.device = first;
  for (uint64_t i = 0; i < 15; i++)
    ask_row(i * 1000, i + 1);
  asked.device = other - SIZE;
  for (uint64_t i = 0; i < 15; i++)
    ask_row(SIZE + i * 1000, i + 1);
  asked.device = first;
  for (uint64_t i = 0; i < 15; i++)
    ask_row(i * 1000 + 500, i + 1);
  CHECK(end(3, 0));
}

static uint64_t below(uint64_t n)
{
  static uint64_t state = 88172645463325252u;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state % n;
}

/* Any rows in any order, any part of them known */
static void check_any(void)
{
  for (int round = 0; round < 400; round++) {
    uint64_t size = 100 + below(round % 10 ? 5000 : 500000), from = below(size), n = below(60);
    begin(size, (int)below(3), from, below(2) ? 0 : below(size - from) + 1);
    for (uint64_t i = 0; i < n; i++) {
      uint64_t at = below(size), row = 1 + below(below(2) ? 8 : size - at), pitch = row + below(20), rows = 1 + below(5);
      if (at + (rows - 1) * pitch + row <= size)
        ask(at, row, pitch, rows);
    }
    CHECK(end_any());
  }
}

static const struct scenario scenarios[] = {
    {"triangles", check_triangles, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"rows-among", check_rows_among, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"few", check_few, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"wide-gaps", check_wide_gaps, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"gaps-within", check_gaps_within, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"long-rows", check_long_rows, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"bound", check_bound, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"unknown", check_unknown, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"other-job", check_other_job, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"regions", check_regions, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"any", check_any, "fake", {"TSR_FAKE_STRICT=1"}, ""},
    {"any-unlocked", check_any, "unlocked", {"TSR_FAKE_STRICT=1"}, ""},
};

int main(int argc, char **argv)
{
  return scenario_main(argc, argv, scenarios, sizeof scenarios / sizeof *scenarios);
}
