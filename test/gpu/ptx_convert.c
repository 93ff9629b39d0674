/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* mov and cvt. A conversion goes through the widest type of its kind:
 *
 *     integer -> integer     extended from FROM, then cut (or clamped, .sat) to TYPE
 *     integer -> float       in the rounding mode
 *     float -> integer       rounded to a whole number, then clamped to TYPE; a NaN as PTX has it
 *     float -> float         rounded to a whole number (.rni ..), or to TYPE in the rounding mode */
#include "ptx.h"
#include <fenv.h>
#include <math.h>
#include <string.h>

__extension__ typedef __int128 s128;

void ptx_run_move(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)
{
  uint64_t *d = PTX_ROW(w, i->d);
  const uint64_t *a = PTX_ROW(w, i->s[0]);
  PTX_EACH(mask, l, d[l] = a[l])
}

void ptx_run_pack(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)
{
  unsigned bits = 8 * ptx_type_size(i->type) / i->n;
  uint64_t all = ~(uint64_t)0 >> (64 - bits);
  PTX_EACH(mask, l, {
    uint64_t value = 0;
    for (int k = 0; k < i->n; k++)
      value |= (PTX_ROW(w, i->v[k])[l] & all) << (bits * (unsigned)k);
    PTX_ROW(w, i->d)[l] = value;
  })
}

void ptx_run_unpack(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)
{
  unsigned bits = 8 * ptx_type_size(i->type) / i->n;
  uint64_t all = ~(uint64_t)0 >> (64 - bits);
  PTX_EACH(mask, l, {
    uint64_t value = PTX_ROW(w, i->s[0])[l];
    for (int k = 0; k < i->n; k++)
      PTX_ROW(w, i->v[k])[l] = value >> (bits * (unsigned)k) & all;
  })
}

/* The lowest bytes of BITS, as many as TYPE has, extended as its sign says */
static uint64_t extended(uint64_t bits, enum ptx_type type)
{
  unsigned shift = 64 - 8 * ptx_type_size(type);
  return ptx_type_is_signed(type) ? (uint64_t)((int64_t)(bits << shift) >> shift) : bits << shift >> shift;
}

/* X within the range of TYPE */
static uint64_t clamped(s128 x, enum ptx_type type)
{
  unsigned bits = 8 * ptx_type_size(type);
  s128 most = ((s128)1 << (ptx_type_is_signed(type) ? bits - 1 : bits)) - 1,
       least = ptx_type_is_signed(type) ? -most - 1 : 0;
  return (uint64_t)(x < least ? least : x > most ? most : x);
}

/* ---- floats */

/* The number that BITS are in TYPE */
static double to_double(uint64_t bits, enum ptx_type type)
{
  double x;
  float f;
  uint32_t low = type == PTX_BF16 ? (uint32_t)bits << 16 : (uint32_t)bits;
  memcpy(&x, &bits, sizeof x);
  memcpy(&f, &low, sizeof f);
  return type == PTX_F64 ? x : type == PTX_F16 ? (double)ptx_half_to_float((uint16_t)bits) : (double)f;
}

/* X as a whole number, in the rounding mode */
static double whole(double x, enum ptx_rounding rounding)
{
  switch (rounding) {
  case PTX_RZ:
    return trunc(x);
  case PTX_RM:
    return floor(x);
  case PTX_RP:
    return ceil(x);
  default:
    return nearbyint(x);
  }
}

/* The bits of X, which the mode of the environment rounds to F */
static uint64_t float_bits(float f)
{
  uint32_t low;
  memcpy(&low, &f, sizeof low);
  return f != f ? 0x7fffffff : low;
}

/* F -> the upper half of its bits, rounded */
static uint64_t to_bf16(float f, enum ptx_rounding rounding)
{
  uint32_t bits = (uint32_t)float_bits(f);
  if (f != f)
    return 0x7fff;
  bits += rounding == PTX_RN ? 0x7fff + (bits >> 16 & 1) : 0;
  return bits >> 16;
}

/* X as TYPE */
static uint64_t of_double(double x, enum ptx_type type, enum ptx_rounding rounding)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  if (type == PTX_F64)
    return bits;
  if (type == PTX_F16)
    return ptx_double_to_half(x, rounding);
  float f = (float)x;
  return type == PTX_BF16 ? to_bf16(f, rounding) : float_bits(f);
}

/* cvt from float to integer */
static uint64_t float_to_integer(const struct ptx_inst *i, uint64_t bits)
{
  double x = to_double(bits, i->from);
  unsigned width = 8 * ptx_type_size(i->type);
  if (x != x)
    return i->from == PTX_F64 || width == 64 ? (uint64_t)1 << (width - 1) : 0;
  x = whole(i->ftz && fabs(x) < 0x1p-126 ? 0 : x, i->rounding);
  return clamped(x >= 0x1p65 ? (s128)1 << 65 : x <= -0x1p65 ? -((s128)1 << 65) : (s128)x, i->type);
}

/* cvt from integer to float */
static uint64_t integer_to_float(const struct ptx_inst *i, uint64_t bits)
{
  uint64_t value = extended(bits, i->from);
  bool sign = ptx_type_is_signed(i->from);
  if (i->type == PTX_F32)
    return float_bits(sign ? (float)(int64_t)value : (float)value);
  return of_double(sign ? (double)(int64_t)value : (double)value, i->type, i->rounding);
}

/* cvt between floats */
static uint64_t float_to_float(const struct ptx_inst *i, uint64_t bits)
{
  double x = to_double(bits, i->from);
  if (i->ftz && i->from == PTX_F32 && fabs(x) < 0x1p-126)
    x = copysign(0, x);
  if (i->integral)
    x = whole(x, i->rounding);
  if (i->sat)
    x = x > 0 ? x < 1 ? x : 1 : 0;
  if (x != x && i->type == i->from && i->type == PTX_F64)
    return bits;
  uint64_t r = of_double(x, i->type, i->integral ? PTX_RN : i->rounding);
  return i->ftz && i->type == PTX_F32 && !(r & 0x7f800000) ? r & 0x80000000 : r;
}

void ptx_run_convert(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)
{
  static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
  uint64_t *d = PTX_ROW(w, i->d);
  const uint64_t *a = PTX_ROW(w, i->s[0]);
  bool from_float = ptx_type_is_float(i->from), to_float = ptx_type_is_float(i->type);
  if (!from_float && !to_float && !i->sat) {
    PTX_EACH(mask, l, d[l] = extended(extended(a[l], i->from), i->type))
    return;
  }
  bool other = i->rounding && !i->integral;
  if (other)
    fesetround(modes[i->rounding]);
  if (from_float && to_float)
    PTX_EACH(mask, l, d[l] = float_to_float(i, a[l]))
  else if (from_float)
    PTX_EACH(mask, l, d[l] = float_to_integer(i, a[l]))
  else if (to_float)
    PTX_EACH(mask, l, d[l] = integer_to_float(i, a[l]))
  else if (ptx_type_is_signed(i->from))
    PTX_EACH(mask, l, d[l] = clamped((int64_t)extended(a[l], i->from), i->type))
  else
    PTX_EACH(mask, l, d[l] = clamped((s128)extended(a[l], i->from), i->type))
  if (other)
    fesetround(FE_TONEAREST);
}

/* ---- two values in one register */

/* Both halves of operand number K -> scratch rows; HIGH: the upper one */
static void take_half(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask, int k, bool high)
{
  unsigned shift = high ? 8 * ptx_type_size(i->type) : 0;
  const uint64_t *from = PTX_ROW(w, i->s[k]);
  uint64_t *to = PTX_ROW(w, PTX_ROW_SCRATCH + k);
  PTX_EACH(mask, l, to[l] = from[l] >> shift)
}

/* LOW and the scratch result -> d, one beside the other */
static void join_halves(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask, const uint64_t *low)
{
  unsigned bits = 8 * ptx_type_size(i->type);
  uint64_t all = ~(uint64_t)0 >> (64 - bits), *high = PTX_ROW(w, PTX_ROW_SCRATCH + 3), *d = PTX_ROW(w, i->d);
  PTX_EACH(mask, l, d[l] = (low[l] & all) | (high[l] & all) << bits)
}

/* Comparisons have a predicate for each half. */
void ptx_run_packed(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)
{
  struct ptx_inst inner = *i;
  uint64_t low[PTX_LANES], *out = PTX_ROW(w, PTX_ROW_SCRATCH + 3);
  inner.d = PTX_ROW_SCRATCH + 3;
  for (int half = 0; half < 2; half++) {
    for (int k = 0; k < i->n; k++) {
      take_half(w, i, mask, k, half);
      inner.s[k] = PTX_ROW_SCRATCH + (uint32_t)k;
    }
    i->inner(w, &inner, mask);
    if (!half)
      memcpy(low, out, sizeof low);
  }
  if (i->d2 == PTX_ROW_SINK) {
    join_halves(w, i, mask, low);
    return;
  }
  PTX_EACH(mask, l, {
    PTX_ROW(w, i->d2)[l] = out[l];
    PTX_ROW(w, i->d)[l] = low[l];
  })
}

void ptx_run_convert_two(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)
{
  struct ptx_inst inner = *i;
  uint64_t low[PTX_LANES];
  inner.d = PTX_ROW_SCRATCH + 3;
  inner.s[0] = i->s[1];
  ptx_run_convert(w, &inner, mask);
  memcpy(low, PTX_ROW(w, inner.d), sizeof low);
  inner.s[0] = i->s[0];
  ptx_run_convert(w, &inner, mask);
  join_halves(w, i, mask, low);
}
