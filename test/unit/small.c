/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What stands in front of isl's own functions: arithmetic on small integers gives what the archive's gives, and blocks of
 * memory are apart and keep what is in them. */
#include "ast/ast.h"
#include "check.h"
#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/val.h>
#include <stdint.h>
#include <stdlib.h>

typedef uint64_t number;

void __real_isl_sioimath_mul(number *result, number a, number b);
void __real_isl_sioimath_add(number *result, number a, number b);
void __real_isl_seq_gcd(number *row, unsigned length, number *gcd);
void __real_isl_seq_normalize(isl_ctx *ctx, number *row, unsigned length);
void isl_sioimath_mul(number *result, number a, number b);
void isl_sioimath_add(number *result, number a, number b);
void isl_seq_gcd(number *row, unsigned length, number *gcd);
void *isl_malloc_or_die(isl_ctx *ctx, size_t size);
void *isl_calloc_or_die(isl_ctx *ctx, size_t n, size_t size);
void *isl_realloc_or_die(isl_ctx *ctx, void *old, size_t size);
int mp_int_compare(void *a, void *b);
void mp_int_free(void *number);

static number make(int32_t value)
{
  return (number)(uint32_t)value << 32 | 1;
}

static bool are_equal(number a, number b)
{
  return (a & 1) || (b & 1) ? a == b : !mp_int_compare((void *)a, (void *)b);
}

static void drop(number a)
{
  if (!(a & 1))
    mp_int_free((void *)a);
}

static void check_pair(number a, number b)
{
  number mine = 1, theirs = 1;
  isl_sioimath_mul(&mine, a, b);
  __real_isl_sioimath_mul(&theirs, a, b);
  CHECK(are_equal(mine, theirs));
  isl_sioimath_mul(&mine, a, b); /* what has been large may become small */
  CHECK(are_equal(mine, theirs));
  isl_sioimath_add(&mine, a, b);
  __real_isl_sioimath_add(&theirs, a, b);
  CHECK(are_equal(mine, theirs));
  drop(mine);
  drop(theirs);
}

static const int32_t values[] = {0,  1,     -1,     2,     -2,      3,          6,         -9,
                                 12, 46341, -46341, 65536, 1 << 30, -(1 << 30), INT32_MAX, -INT32_MAX};
#define N_VALUE (int)(sizeof(values) / sizeof(*values))
#define LENGTH 7

static void check_row(isl_ctx *ctx, const number *row)
{
  number mine[LENGTH], theirs[LENGTH], gcd = 1, real_gcd = 1;
  bool same = true;
  memcpy(mine, row, sizeof(mine));
  memcpy(theirs, row, sizeof(theirs));
  isl_seq_gcd(mine, LENGTH, &gcd);
  __real_isl_seq_gcd(theirs, LENGTH, &real_gcd);
  CHECK(are_equal(gcd, real_gcd));
  tsr_row_normalize(ctx, mine, LENGTH);
  __real_isl_seq_normalize(ctx, theirs, LENGTH);
  for (int i = 0; i < LENGTH; i++)
    same &= are_equal(mine[i], theirs[i]);
  CHECK(same);
}

/* Rows of multiples of some number, and one with a large number in it. */
static void check_rows(isl_ctx *ctx)
{
  unsigned random = 1;
  number row[LENGTH], large = 1;
  for (int round = 0; round < 2000; round++) {
    int32_t factor = values[round % N_VALUE];
    for (int i = 0; i < LENGTH; i++) {
      random = random * 1103515245 + 12345;
      int32_t by = (int32_t)(random >> 16) % 5 - 2;
      row[i] = make(factor > 1 << 28 || factor < -(1 << 28) ? factor * (by > 0) : factor * by);
    }
    check_row(ctx, row);
  }
  __real_isl_sioimath_mul(&large, make(INT32_MAX), make(6));
  for (int i = 0; i < LENGTH; i++)
    row[i] = make(i % 2 ? 5 : 7);
  row[LENGTH - 1] = large;
  number gcd = 1;
  isl_seq_gcd(row, LENGTH, &gcd);
  CHECK(gcd == make(1));
  for (int i = 0; i < LENGTH - 1; i++)
    row[i] = make(i % 2 ? 6 : 12);
  isl_seq_gcd(row, LENGTH, &gcd);
  CHECK(gcd == make(6));
  drop(large);
}

#define N_BLOCK 3000

static bool holds(const unsigned char *block, size_t size, int what)
{
  for (size_t i = 0; i < size; i++)
    if (block[i] != (unsigned char)what)
      return false;
  return true;
}

/* Blocks of all sizes come, grow, shrink and go. */
static void check_blocks(isl_ctx *ctx)
{
  static unsigned char *block[N_BLOCK];
  static size_t size[N_BLOCK];
  unsigned random = 7;
  bool good = true, aligned = true;
  for (int round = 0; round < 40000; round++) {
    random = random * 1103515245 + 12345;
    int i = (int)((random >> 8) % N_BLOCK), step = round % 4;
    size_t want = 1 + (random >> 16) % (step ? 200 : 2000);
    if (block[i] && step == 3) {
      free(block[i]);
      block[i] = NULL;
      continue;
    }
    if (block[i]) {
      block[i] = isl_realloc_or_die(ctx, block[i], want);
      good &= holds(block[i], size[i] < want ? size[i] : want, i);
    } else if (step == 1) {
      block[i] = isl_calloc_or_die(ctx, want, 1);
      good &= holds(block[i], want, 0);
    } else {
      block[i] = isl_malloc_or_die(ctx, want);
    }
    aligned &= !((uintptr_t)block[i] % 16);
    size[i] = want;
    memset(block[i], i, want);
  }
  for (int i = 0; i < N_BLOCK; i++) {
    good &= !block[i] || holds(block[i], size[i], i);
    free(block[i]);
  }
  CHECK(good);
  CHECK(aligned);
}

/* The C library's blocks go back to it, ours may be asked to grow by it, and no block comes when the budget is used up. */
static void check_limits(isl_ctx *ctx)
{
  char *text = malloc(10), *ours = isl_malloc_or_die(ctx, 10);
  text = realloc(text, 3000);
  memcpy(ours, "some text", 10);
  ours = realloc(ours, 5000);
  CHECK_TEXT(ours, "some text");
  free(text);
  free(ours);
  free(NULL);
  tsr_budget_begin(ctx, 2);
  for (int i = 0; i < 2; i++)
    free(isl_malloc_or_die(ctx, 16));
  CHECK(!isl_malloc_or_die(ctx, 16));
  CHECK(isl_ctx_last_error(ctx) == isl_error_quota);
  isl_ctx_reset_error(ctx);
  CHECK(!isl_calloc_or_die(ctx, 3, 16));
  tsr_budget_end(ctx);
}

/* A set that is an equality in its context: isl cuts a tableau that has no room for one more constraint. */
static void check_cut(isl_ctx *ctx)
{
  const char *const texts[] = {"[i, p, k] -> { : p >= 3 and k >= 0 and 2k <= -2 + p and i >= 0 and p >= 3 + i }",
                               "[k, p] -> { : p >= 3 and k >= 0 and p >= 2 + 2k }", "[p] -> { : p = 2 }"};
  for (int n = 0; n < 30; n++) {
    isl_set *set = isl_set_read_from_str(ctx, texts[n % 3]), *context = isl_set_read_from_str(ctx, "[p] -> { : p <= 3 }");
    isl_set *gist = isl_set_gist(isl_set_copy(set), isl_set_copy(context));
    gist = isl_set_intersect(gist, isl_set_copy(context));
    set = isl_set_intersect(set, context);
    CHECK(isl_set_is_equal(gist, set) == isl_bool_true);
    isl_set_free(gist);
    isl_set_free(set);
  }
}

int main(void)
{
  isl_ctx *ctx = isl_ctx_alloc();
  isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
  for (int i = 0; i < N_VALUE; i++)
    for (int k = 0; k < N_VALUE; k++)
      check_pair(make(values[i]), make(values[k]));
  check_rows(ctx);
  check_blocks(ctx);
  check_limits(ctx);
  check_cut(ctx);
  isl_ctx_free(ctx);
  return check_report();
}
