/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Integers, bits and predicates. Sums, products and bitwise operations need no types: bits above a type's width are
 * anything, in operands as in results. */
#include "ptx.h"

typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;

/* A function NAME that makes each lane's EXPR, of A, B, C and E, the operands' values */
#define OPERATION(NAME, T, EXPR)                                                                                            \
  static void NAME(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)                                             \
  {                                                                                                                         \
    uint64_t *d = PTX_ROW(w, i->d);                                                                                         \
    const uint64_t *ra = PTX_ROW(w, i->s[0]), *rb = PTX_ROW(w, i->s[1]), *rc = PTX_ROW(w, i->s[2]);                         \
    PTX_EACH(mask, l, {                                                                                                     \
      T a = (T)ra[l], b = (T)rb[l], c = (T)rc[l];                                                                           \
      (void)a, (void)b, (void)c;                                                                                            \
      d[l] = (uint64_t)(EXPR);                                                                                              \
    })                                                                                                                      \
  }
/* .. for all types, for signed and for unsigned ones */
#define SIGNED(NAME, EXPR) OPERATION(NAME##_s16, s16, EXPR) OPERATION(NAME##_s32, s32, EXPR) OPERATION(NAME##_s64, s64, EXPR)
#define UNSIGNED(NAME, EXPR)                                                                                                \
  OPERATION(NAME##_u16, u16, EXPR) OPERATION(NAME##_u32, u32, EXPR) OPERATION(NAME##_u64, u64, EXPR)
#define BOTH(NAME, EXPR) SIGNED(NAME, EXPR) UNSIGNED(NAME, EXPR)

/* ---- of all widths at once */

OPERATION(add, u64, a + b)
OPERATION(sub, u64, a - b)
OPERATION(mul_lo, u64, a *b)
OPERATION(mad_lo, u64, a *b + c)
OPERATION(neg, u64, -a)
OPERATION(and, u64, a &b)
OPERATION(or, u64, a | b)
OPERATION(xor, u64, a ^ b)
OPERATION(not, u64, ~a)
OPERATION(not_pred, u64, !(a & 1))
OPERATION(select, u64, c & 1 ? a : b)
OPERATION(cnot_32, u32, !a)
OPERATION(cnot_64, u64, !a)

/* ---- by type */

/* 0 and the least number by -1 have no quotient: the hardware gives all ones, and what wraps. */
#define DIVIDE(T, A, B) ((B) == 0 ? (T) - 1 : (T) - 1 < 0 && (B) == (T) - 1 ? (T)(0 - (u64)(A)) : (T)((A) / (B)))
#define REST(T, A, B) ((B) == 0 ? (A) : (T) - 1 < 0 && (B) == (T) - 1 ? (T)0 : (T)((A) % (B)))
OPERATION(div_s16, s16, DIVIDE(s16, a, b))
OPERATION(div_u16, u16, b ? a / b : 0xffff)
OPERATION(div_s32, s32, DIVIDE(s32, a, b))
OPERATION(div_u32, u32, b ? a / b : ~0u)
OPERATION(div_s64, s64, DIVIDE(s64, a, b))
OPERATION(div_u64, u64, b ? a / b : ~(u64)0)
OPERATION(rem_s16, s16, REST(s16, a, b))
OPERATION(rem_u16, u16, b ? a % b : a)
OPERATION(rem_s32, s32, REST(s32, a, b))
OPERATION(rem_u32, u32, b ? a % b : a)
OPERATION(rem_s64, s64, REST(s64, a, b))
OPERATION(rem_u64, u64, b ? a % b : a)
BOTH(min, a < b ? a : b)
BOTH(max, a > b ? a : b)
SIGNED(abs, a < 0 ? 0 - (u64)a : (u64)a)

__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

OPERATION(mul_hi_s16, s16, ((s32)a * b) >> 16)
OPERATION(mul_hi_u16, u16, ((u32)a * b) >> 16)
OPERATION(mul_hi_s32, s32, ((s64)a * b) >> 32)
OPERATION(mul_hi_u32, u32, ((u64)a * b) >> 32)
OPERATION(mul_hi_s64, s64, ((s128)a * b) >> 64)
OPERATION(mul_hi_u64, u64, ((u128)a * b) >> 64)
OPERATION(mad_hi_s32, s32, (u64)(((s64)a * b) >> 32) + (u64)c)
OPERATION(mad_hi_u32, u32, (((u64)a * b) >> 32) + c)
OPERATION(mad_hi_s64, s64, (u64)(((s128)a * b) >> 64) + (u64)c)
OPERATION(mad_hi_u64, u64, (u64)(((u128)a * b) >> 64) + c)
OPERATION(mul_wide_s16, s16, (s32)a *b)
OPERATION(mul_wide_u16, u16, (u32)a *b)
OPERATION(mul_wide_s32, s32, (s64)a *b)
OPERATION(mul_wide_u32, u32, (u64)a *b)
OPERATION(mad_wide_s16, s16, (u64)((s64)a * b) + rc[l])
OPERATION(mad_wide_u16, u16, (u64)a *b + rc[l])
OPERATION(mad_wide_s32, s32, (u64)((s64)a * b) + rc[l])
OPERATION(mad_wide_u32, u32, (u64)a *b + rc[l])

/* Shifts by a width or more give 0 or the sign. The number of bits is a u32 whatever the type. */
#define SHIFT(NAME, T, EXPR_SHORT, LONG) OPERATION(NAME, T, (u32)rb[l] < 8 * sizeof(T) ? EXPR_SHORT : (LONG))
SHIFT(shl_16, u16, (u64)a << (u32)rb[l], 0)
SHIFT(shl_32, u32, (u64)a << (u32)rb[l], 0)
SHIFT(shl_64, u64, a << (u32)rb[l], 0)
SHIFT(shr_u16, u16, (u64)a >> (u32)rb[l], 0)
SHIFT(shr_u32, u32, (u64)a >> (u32)rb[l], 0)
SHIFT(shr_u64, u64, a >> (u32)rb[l], 0)
SHIFT(shr_s16, s16, (s64)a >> (u32)rb[l], a < 0 ? -1 : 0)
SHIFT(shr_s32, s32, (s64)a >> (u32)rb[l], a < 0 ? -1 : 0)
SHIFT(shr_s64, s64, a >> (u32)rb[l], a < 0 ? -1 : 0)

/* ---- bits */

/* HIGH:LOW shifted, one half of it; BY at most 32 */
static u32 funnel_left(u32 low, u32 high, u32 by)
{
  return (u32)(((u64)high << 32 | low) << by >> 32);
}

/* .. to the right */
static u32 funnel_right(u32 low, u32 high, u32 by)
{
  return (u32)(((u64)high << 32 | low) >> by);
}

OPERATION(shf_l_wrap, u32, funnel_left(a, b, c & 31))
OPERATION(shf_r_wrap, u32, funnel_right(a, b, c & 31))
OPERATION(shf_l_clamp, u32, funnel_left(a, b, c < 32 ? c : 32))
OPERATION(shf_r_clamp, u32, funnel_right(a, b, c < 32 ? c : 32))
OPERATION(popc_32, u32, (u64)__builtin_popcount(a))
OPERATION(popc_64, u64, (u64)__builtin_popcountll(a))
OPERATION(clz_32, u32, (u64)(a ? __builtin_clz(a) : 32))
OPERATION(clz_64, u64, (u64)(a ? __builtin_clzll(a) : 64))

/* The lowest BITS bits of A the other way round */
static u64 reversed(u64 a, int bits)
{
  u64 r = 0;
  for (int k = 0; k < bits; k++)
    r |= (a >> k & 1) << (bits - 1 - k);
  return r;
}

OPERATION(brev_32, u32, reversed(a, 32))
OPERATION(brev_64, u64, reversed(a, 64))

/* N bits of A from FIRST on; of a signed A, the sign repeated above them */
static u64 extracted(u64 a, u32 first, u32 n, u32 bits, bool sign)
{
  first &= 0xff;
  n &= 0xff;
  u32 last = first + n - 1 < bits - 1 ? first + n - 1 : bits - 1;
  bool negative = sign && n && a >> last & 1;
  u64 r = negative ? ~(u64)0 : 0;
  for (u32 k = 0; k < n && k < bits; k++) {
    u64 bit = first + k < bits ? a >> (first + k) & 1 : negative;
    r = (r & ~((u64)1 << k)) | bit << k;
  }
  return r;
}

/* B with the lowest N bits of A in it from FIRST on */
static u64 inserted(u64 a, u64 b, u32 first, u32 n, u32 bits)
{
  first &= 0xff;
  n &= 0xff;
  for (u32 k = 0; k < n && first + k < bits; k++)
    b = (b & ~((u64)1 << (first + k))) | (a >> k & 1) << (first + k);
  return b;
}

/* The place of the highest bit that differs from the sign, all ones: none; AMOUNT: how far it is from the top */
static u64 found(u64 a, int bits, bool sign)
{
  if (sign && a >> (bits - 1) & 1)
    a = ~a;
  for (int k = bits - 1; k >= 0; k--)
    if (a >> k & 1)
      return (u64)k;
  return ~(u64)0;
}

OPERATION(bfe_u32, u32, extracted(a, b, c, 32, false))
OPERATION(bfe_s32, u32, extracted(a, b, c, 32, true))
OPERATION(bfe_u64, u64, extracted(a, (u32)b, (u32)c, 64, false))
OPERATION(bfe_s64, u64, extracted(a, (u32)b, (u32)c, 64, true))
OPERATION(bfi_32, u32, inserted(a, b, c, (u32)PTX_ROW(w, i->s[3])[l], 32))
OPERATION(bfi_64, u64, inserted(a, b, (u32)c, (u32)PTX_ROW(w, i->s[3])[l], 64))
OPERATION(bfind_u32, u32, found(a, 32, false))
OPERATION(bfind_s32, u32, found(a, 32, true))
OPERATION(bfind_u64, u64, found(a, 64, false))
OPERATION(bfind_s64, u64, found(a, 64, true))
OPERATION(sad_s32, s32, (a < b ? (u64)((s64)b - a) : (u64)((s64)a - b)) + (u64)c)
OPERATION(sad_u32, u32, (u64)(a < b ? b - a : a - b) + c)

/* Four of the eight bytes of HIGH:LOW, as the nibbles of SELECTOR say; a nibble's highest bit: the byte's sign all over */
static u64 permuted(u32 low, u32 high, u32 selector)
{
  u64 all = (u64)high << 32 | low, r = 0;
  for (int k = 0; k < 4; k++) {
    u32 nibble = selector >> (4 * k) & 15;
    u64 byte = all >> (8 * (nibble & 7)) & 0xff;
    if (nibble & 8)
      byte = byte & 0x80 ? 0xff : 0;
    r |= byte << (8 * k);
  }
  return r;
}

OPERATION(prmt, u32, permuted(a, b, c))

/* A function of three values, bit by bit: LUT has the eight results */
static u64 looked_up(u32 a, u32 b, u32 c, u32 lut)
{
  u32 r = 0;
  for (int k = 0; k < 32; k++)
    r |= (lut >> ((a >> k & 1) << 2 | (b >> k & 1) << 1 | (c >> k & 1)) & 1) << k;
  return r;
}

OPERATION(lop3, u32, looked_up(a, b, c, (u32)PTX_ROW(w, i->s[3])[l]))

/* ---- with carry: sums of two parts and the carry flag, which is 0 or 1 */

/* VALUE, and what is above it goes to the carry flag */
#define CARRYING(NAME, T, WIDE, EXPR)                                                                                       \
  static void NAME(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)                                             \
  {                                                                                                                         \
    uint64_t *d = PTX_ROW(w, i->d), *carry = PTX_ROW(w, PTX_ROW_CARRY);                                                     \
    const uint64_t *ra = PTX_ROW(w, i->s[0]), *rb = PTX_ROW(w, i->s[1]), *rc = PTX_ROW(w, i->s[2]);                         \
    PTX_EACH(mask, l, {                                                                                                     \
      WIDE a = (T)ra[l], b = (T)rb[l], c = (T)rc[l], cc = carry[l];                                                         \
      (void)c, (void)cc;                                                                                                    \
      WIDE r = (EXPR);                                                                                                      \
      d[l] = (uint64_t)r;                                                                                                   \
      carry[l] = (uint64_t)(r >> (8 * sizeof(T)) & 1);                                                                      \
    })                                                                                                                      \
  }
#define HIGH(X, T) ((X) >> (8 * sizeof(T)))
#define CARRIES(T, WIDE)                                                                                                    \
  CARRYING(add_cc_##T, T, WIDE, a + b)                                                                                      \
  CARRYING(addc_cc_##T, T, WIDE, a + b + cc)                                                                                \
  CARRYING(sub_cc_##T, T, WIDE, a - b)                                                                                      \
  CARRYING(subc_cc_##T, T, WIDE, a - b - cc)                                                                                \
  CARRYING(mad_lo_cc_##T, T, WIDE, (WIDE)(T)(a * b) + c)                                                                    \
  CARRYING(mad_hi_cc_##T, T, WIDE, HIGH(a *b, T) + c)                                                                       \
  CARRYING(madc_lo_cc_##T, T, WIDE, (WIDE)(T)(a * b) + c + cc)                                                              \
  CARRYING(madc_hi_cc_##T, T, WIDE, HIGH(a *b, T) + c + cc)
CARRIES(u32, u64)
CARRIES(u64, u128)
OPERATION(addc, u64, a + b + PTX_ROW(w, PTX_ROW_CARRY)[l])
OPERATION(subc, u64, a - b - PTX_ROW(w, PTX_ROW_CARRY)[l])
OPERATION(madc_lo, u64, a *b + c + PTX_ROW(w, PTX_ROW_CARRY)[l])
OPERATION(madc_hi_u32, u32, (((u64)a * b) >> 32) + c + PTX_ROW(w, PTX_ROW_CARRY)[l])
OPERATION(madc_hi_u64, u64, (u64)(((u128)a * b) >> 64) + c + PTX_ROW(w, PTX_ROW_CARRY)[l])

/* ---- comparisons */

BOTH(eq, a == b)
BOTH(ne, a != b)
BOTH(lt, a < b)
BOTH(le, a <= b)
BOTH(gt, a > b)
BOTH(ge, a >= b)

#define SIX(NAME, OP, N)                                                                                                    \
  {NAME ".s16", OP##_s16, N}, {NAME ".u16", OP##_u16, N}, {NAME ".s32", OP##_s32, N}, {NAME ".u32", OP##_u32, N},           \
      {NAME ".s64", OP##_s64, N},                                                                                           \
  {                                                                                                                         \
    NAME ".u64", OP##_u64, N                                                                                                \
  }
#define FOUR(NAME, OP, N)                                                                                                   \
  {NAME ".s32", OP##_s32, N}, {NAME ".u32", OP##_u32, N}, {NAME ".s64", OP##_s64, N},                                       \
  {                                                                                                                         \
    NAME ".u64", OP##_u64, N                                                                                                \
  }
#define CARRY(NAME, OP, N)                                                                                                  \
  {NAME ".u32 " NAME ".s32", OP##_u32, N},                                                                                  \
  {                                                                                                                         \
    NAME ".u64 " NAME ".s64", OP##_u64, N                                                                                   \
  }
#define ALL(NAME) NAME ".s16 " NAME ".u16 " NAME ".s32 " NAME ".u32 " NAME ".s64 " NAME ".u64"
#define BITS(NAME) NAME ".b16 " NAME ".b32 " NAME ".b64"

const struct ptx_op ptx_integer_ops[] = {
    {ALL("add"), add, 2},
    {ALL("sub"), sub, 2},
    {ALL("mul.lo"), mul_lo, 2},
    {ALL("mad.lo"), mad_lo, 3},
    {ALL("neg"), neg, 1},
    {BITS("and") " and.pred", and, 2},
    {BITS("or") " or.pred", or, 2},
    {BITS("xor") " xor.pred", xor, 2},
    {BITS("not"), not, 1},
    {"not.pred", not_pred, 1},
    {"cnot.b32", cnot_32, 1},
    {"cnot.b64", cnot_64, 1},
    {ALL("selp") " " BITS("selp") " selp.f16 selp.f32 selp.f64", select, 3},
    SIX("div", div, 2),
    SIX("rem", rem, 2),
    SIX("min", min, 2),
    SIX("max", max, 2),
    {"abs.s16", abs_s16, 1},
    {"abs.s32", abs_s32, 1},
    {"abs.s64", abs_s64, 1},
    SIX("mul.hi", mul_hi, 2),
    FOUR("mad.hi", mad_hi, 3),
    {"mul.wide.s16", mul_wide_s16, 2},
    {"mul.wide.u16", mul_wide_u16, 2},
    {"mul.wide.s32", mul_wide_s32, 2},
    {"mul.wide.u32", mul_wide_u32, 2},
    {"mad.wide.s16", mad_wide_s16, 3},
    {"mad.wide.u16", mad_wide_u16, 3},
    {"mad.wide.s32", mad_wide_s32, 3},
    {"mad.wide.u32", mad_wide_u32, 3},
    {"shl.b16", shl_16, 2},
    {"shl.b32", shl_32, 2},
    {"shl.b64", shl_64, 2},
    {"shr.u16 shr.b16", shr_u16, 2},
    {"shr.u32 shr.b32", shr_u32, 2},
    {"shr.u64 shr.b64", shr_u64, 2},
    {"shr.s16", shr_s16, 2},
    {"shr.s32", shr_s32, 2},
    {"shr.s64", shr_s64, 2},
    {"shf.l.wrap.b32", shf_l_wrap, 3},
    {"shf.r.wrap.b32", shf_r_wrap, 3},
    {"shf.l.clamp.b32", shf_l_clamp, 3},
    {"shf.r.clamp.b32", shf_r_clamp, 3},
    {"popc.b32", popc_32, 1},
    {"popc.b64", popc_64, 1},
    {"clz.b32", clz_32, 1},
    {"clz.b64", clz_64, 1},
    {"brev.b32", brev_32, 1},
    {"brev.b64", brev_64, 1},
    FOUR("bfe", bfe, 3),
    {"bfi.b32", bfi_32, 4},
    {"bfi.b64", bfi_64, 4},
    FOUR("bfind", bfind, 1),
    {"sad.s32", sad_s32, 3},
    {"sad.u32", sad_u32, 3},
    {"prmt.b32", prmt, 3},
    {"lop3.b32", lop3, 4},
    CARRY("add.cc", add_cc, 2),
    CARRY("addc.cc", addc_cc, 2),
    CARRY("sub.cc", sub_cc, 2),
    CARRY("subc.cc", subc_cc, 2),
    CARRY("mad.lo.cc", mad_lo_cc, 3),
    {"mad.hi.cc.u32", mad_hi_cc_u32, 3},
    {"mad.hi.cc.u64", mad_hi_cc_u64, 3},
    CARRY("madc.lo.cc", madc_lo_cc, 3),
    {"madc.hi.cc.u32", madc_hi_cc_u32, 3},
    {"madc.hi.cc.u64", madc_hi_cc_u64, 3},
    {"addc.u32 addc.s32 addc.u64 addc.s64", addc, 2},
    {"subc.u32 subc.s32 subc.u64 subc.s64", subc, 2},
    {"madc.lo.u32 madc.lo.s32 madc.lo.u64 madc.lo.s64", madc_lo, 3},
    {"madc.hi.u32", madc_hi_u32, 3},
    {"madc.hi.u64", madc_hi_u64, 3},
    {"setp.eq.b16", eq_u16, 2},
    {"setp.eq.b32", eq_u32, 2},
    {"setp.eq.b64", eq_u64, 2},
    {"setp.ne.b16", ne_u16, 2},
    {"setp.ne.b32", ne_u32, 2},
    {"setp.ne.b64", ne_u64, 2},
    SIX("setp.eq", eq, 2),
    SIX("setp.ne", ne, 2),
    SIX("setp.lt", lt, 2),
    SIX("setp.le", le, 2),
    SIX("setp.gt", gt, 2),
    SIX("setp.ge", ge, 2),
    {"setp.lo.u32", lt_u32, 2},
    {"setp.ls.u32", le_u32, 2},
    {"setp.hi.u32", gt_u32, 2},
    {"setp.hs.u32", ge_u32, 2},
    {NULL, NULL, 0},
};
