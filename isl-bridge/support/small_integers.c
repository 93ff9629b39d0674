/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arithmetic on isl's small integers, which nearly all are.
 *
 * An isl_int of the archive (IMath with small integers) is a word:
 *
 *   63           32 31       1 0
 *   |    value     |    0    |1|      -2^31 < value < 2^31
 *   |       mp_int *         |0|      any other
 *
 * What isl's elimination spends its time on stands in front of the archive's own functions here (--wrap), for words of the
 * first kind; results are the same. All else goes on to the archive. Where pointers are shorter, numbers look otherwise. */
#include "support/support.h"
#include <stdint.h>

typedef uint64_t number;

void __real_isl_sioimath_mul(number *result, number a, number b);
void __real_isl_sioimath_add(number *result, number a, number b);
void __real_isl_seq_gcd(number *row, unsigned length, number *gcd);
void __real_isl_seq_normalize(isl_ctx *ctx, number *row, unsigned length);
void __wrap_isl_sioimath_mul(number *result, number a, number b);
void __wrap_isl_sioimath_add(number *result, number a, number b);
void __wrap_isl_seq_gcd(number *row, unsigned length, number *gcd);

static inline bool is_small(number x)
{
  return sizeof(void *) == sizeof(number) && (x & 1);
}

static inline int32_t value(number x)
{
  return (int32_t)(x >> 32);
}

static inline number make(int64_t x)
{
  return (number)x << 32 | 1;
}

/* May X be written as a small integer? */
static inline bool fits(int64_t x)
{
  return (uint64_t)(x + INT32_MAX) <= 2 * (uint64_t)INT32_MAX;
}

void __wrap_isl_sioimath_mul(number *result, number a, number b)
{
  if (is_small(a & b & *result)) {
    int64_t x = (int64_t)value(a) * value(b);
    if (fits(x)) {
      *result = make(x);
      return;
    }
  }
  __real_isl_sioimath_mul(result, a, b);
}

void __wrap_isl_sioimath_add(number *result, number a, number b)
{
  if (is_small(a & b & *result)) {
    int64_t x = (int64_t)value(a) + value(b);
    if (fits(x)) {
      *result = make(x);
      return;
    }
  }
  __real_isl_sioimath_add(result, a, b);
}

/* The greatest common divisor of ROW: 0 if all of it is 0, -1 if not all of it is small. */
static int64_t row_gcd(const number *row, unsigned length)
{
  uint32_t gcd = 0;
  number small = 1;
  for (unsigned i = 0; i < length; i++) {
    small &= row[i];
    uint32_t a = value(row[i]) < 0 ? -(uint32_t)value(row[i]) : (uint32_t)value(row[i]);
    if (!is_small(small))
      return -1;
    if (!a)
      continue;
    for (uint32_t rest; gcd; a = gcd, gcd = rest)
      rest = a % gcd;
    gcd = a;
    if (gcd == 1)
      return 1;
  }
  return gcd;
}

void __wrap_isl_seq_gcd(number *row, unsigned length, number *gcd)
{
  int64_t small = is_small(*gcd) ? row_gcd(row, length) : -1;
  if (small < 0)
    __real_isl_seq_gcd(row, length, gcd);
  else
    *gcd = make(small);
}

void tsr_row_normalize(isl_ctx *ctx, void *numbers, unsigned length)
{
  number *row = numbers;
  int64_t gcd = row_gcd(row, length);
  if (gcd < 0) {
    __real_isl_seq_normalize(ctx, row, length);
    return;
  }
  if (gcd > 1)
    for (unsigned i = 0; i < length; i++)
      row[i] = make(value(row[i]) / gcd);
}
