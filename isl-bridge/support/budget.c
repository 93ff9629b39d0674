/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One budget for all that isl does for a SCoP.
 *
 * isl counts its operations and stops at a limit, but an operation may take for ever: where coefficients grow (the lexmin of
 * a scheduling problem), single multiplications have thousands of digits. So work on large numbers is counted as well: the
 * linker routes the archive's calls of mp_int_mul, _div and _gcd through here (--wrap), and when their work exceeds the
 * budget the limit on operations falls to 1, so that isl stops at its next one. Nothing here depends on time: the same input
 * stops at the same place.
 *
 * The budget of a context is kept for the thread that works on it. */
#include "support/support.h"
#include <isl/options.h>

/* Bits of the factors multiplied, a word by a word, that count as one operation. */
#define WORK_PER_OPERATION 50000
#define WORK_PER_ENTRY 1500 /* of a row that is normalised */

/* Exported by the archive, not declared in a public header. */
isl_stat isl_ctx_next_operation(isl_ctx *ctx); /* counts one; isl_stat_error at the limit */
int mp_int_count_bits(void *number);
void __wrap_isl_seq_normalize(isl_ctx *ctx, void *row, unsigned length);
int __real_mp_int_mul(void *a, void *b, void *result);
int __real_mp_int_div(void *a, void *b, void *quotient, void *rest);
int __real_mp_int_gcd(void *a, void *b, void *result);
int __wrap_mp_int_mul(void *a, void *b, void *result);
int __wrap_mp_int_div(void *a, void *b, void *quotient, void *rest);
int __wrap_mp_int_gcd(void *a, void *b, void *result);

static _Thread_local struct {
  isl_ctx *ctx; /* NULL: nobody counts */
  double work, limit;
  unsigned long operations;
  unsigned long tried; /* operations that operations_used did */
} current __attribute__((tls_model("initial-exec")));

static void count(void *a, void *b)
{
  if (!current.ctx)
    return;
  double x = mp_int_count_bits(a) + 64, y = mp_int_count_bits(b) + 64;
  current.work += x * y;
  if (current.work > current.limit)
    isl_ctx_set_max_operations(current.ctx, 1);
}

int __wrap_mp_int_mul(void *a, void *b, void *result)
{
  count(a, b);
  return __real_mp_int_mul(a, b, result);
}

int __wrap_mp_int_div(void *a, void *b, void *quotient, void *rest)
{
  count(a, b);
  return __real_mp_int_div(a, b, quotient, rest);
}

int __wrap_mp_int_gcd(void *a, void *b, void *result)
{
  count(a, b);
  return __real_mp_int_gcd(a, b, result);
}

/* Each row of a tableau comes through here whenever it changes: the size of the problem counts, not only the number of
 * pivots. */
void __wrap_isl_seq_normalize(isl_ctx *ctx, void *row, unsigned length)
{
  if (current.ctx == ctx) {
    current.work += (double)length * WORK_PER_ENTRY;
    if (current.work > current.limit)
      isl_ctx_set_max_operations(ctx, 1);
  }
  tsr_row_normalize(ctx, row, length);
}

void tsr_budget_begin(isl_ctx *ctx, unsigned long operations)
{
  isl_ctx_reset_operations(ctx);
  isl_ctx_set_max_operations(ctx, operations);
  current.ctx = operations ? ctx : NULL;
  current.work = 0;
  current.operations = operations;
  current.tried = 0;
  current.limit = (double)operations * WORK_PER_OPERATION;
}

/* isl stops at a limit but doesn't tell how far it came; a limit that is just not reached does. Each that is not counts as
 * an operation, so the limit goes up by as many: what was left is left. isl's error stays. */
static unsigned long operations_used(isl_ctx *ctx)
{
  unsigned long low = 0, high = 1ul << 40, tried = 0, limit = isl_ctx_get_max_operations(ctx);
  int on_error = isl_options_get_on_error(ctx), line = isl_ctx_last_error_line(ctx);
  enum isl_error error = isl_ctx_last_error(ctx);
  const char *message = isl_ctx_last_error_msg(ctx), *file = isl_ctx_last_error_file(ctx);
  isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
  while (low < high) {
    unsigned long middle = low + (high - low) / 2;
    isl_ctx_set_max_operations(ctx, middle + tried + 1);
    if (isl_ctx_next_operation(ctx) < 0) {
      low = middle + 1;
    } else {
      high = middle;
      tried++;
    }
  }
  isl_ctx_set_max_operations(ctx, limit ? limit + tried : 0);
  isl_ctx_reset_error(ctx);
  if (error != isl_error_none)
    isl_handle_error(ctx, error, message, file, line);
  isl_options_set_on_error(ctx, on_error);
  low -= current.tried;
  current.tried += tried;
  return low;
}

double tsr_budget_share(isl_ctx *ctx)
{
  if (current.ctx != ctx || isl_ctx_last_error(ctx) != isl_error_none)
    return current.ctx != ctx ? 0 : 1;
  double share = ((double)operations_used(ctx) + current.work / WORK_PER_OPERATION) / (double)current.operations;
  if (share >= 1)
    isl_ctx_set_max_operations(ctx, 1);
  return share;
}

void tsr_budget_extend(isl_ctx *ctx, double share)
{
  if (current.ctx != ctx || isl_ctx_last_error(ctx) != isl_error_none)
    return;
  double more = share * (double)current.operations;
  isl_ctx_set_max_operations(ctx, isl_ctx_get_max_operations(ctx) + (unsigned long)more);
  current.limit += more * WORK_PER_OPERATION;
}

struct tsr_trial tsr_budget_begin_trial(isl_ctx *ctx, double share)
{
  struct tsr_trial trial = {0};
  if (current.ctx != ctx || isl_ctx_last_error(ctx) != isl_error_none)
    return trial;
  unsigned long used = operations_used(ctx) + current.tried;
  trial = (struct tsr_trial){isl_ctx_get_max_operations(ctx), current.tried, current.limit};
  if (used < trial.operations)
    isl_ctx_set_max_operations(ctx, used + (unsigned long)(share * (double)(trial.operations - used)) + 1);
  if (current.work < trial.work)
    current.limit = current.work + share * (trial.work - current.work);
  return trial;
}

struct tsr_trial tsr_budget_begin_reserve(isl_ctx *ctx, double share, unsigned long least)
{
  if (current.ctx == ctx && isl_ctx_last_error(ctx) == isl_error_none) {
    unsigned long limit = isl_ctx_get_max_operations(ctx), used = operations_used(ctx) + current.tried;
    double work = (double)least * WORK_PER_OPERATION, left = share * (current.limit - current.work);
    unsigned long rest = used < limit ? (unsigned long)(share * (double)(limit - used)) : 0;
    if (rest < least)
      isl_ctx_set_max_operations(ctx, isl_ctx_get_max_operations(ctx) + (unsigned long)((double)(least - rest) / share));
    if (left < work)
      current.limit += (work - left) / share;
  }
  return tsr_budget_begin_trial(ctx, share);
}

bool tsr_budget_end_trial(isl_ctx *ctx, struct tsr_trial trial)
{
  bool out = isl_ctx_last_error(ctx) == isl_error_quota;
  if (!trial.operations || current.ctx != ctx)
    return !out;
  if (out)
    isl_ctx_reset_error(ctx);
  isl_ctx_set_max_operations(ctx, trial.operations + current.tried - trial.tried);
  current.limit = trial.work;
  return !out;
}

unsigned long tsr_budget_used(isl_ctx *ctx)
{
  unsigned long work = current.ctx == ctx ? (unsigned long)(current.work / WORK_PER_OPERATION) : 0;
  return operations_used(ctx) + work;
}

unsigned long tsr_budget_end(isl_ctx *ctx)
{
  unsigned long used = tsr_budget_used(ctx);
  if (current.ctx == ctx)
    current.ctx = NULL;
  isl_ctx_set_max_operations(ctx, 0);
  isl_ctx_reset_error(ctx);
  return used;
}
