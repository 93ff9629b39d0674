/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floating point, as IEEE 754 and the hardware have it: NaNs of .f32 are 0x7fffffff, min and max leave a NaN out unless .NaN
 * says otherwise, and -0 is below +0. Approximations are as good as the host's functions, which the hardware's aren't,
 * except for rcp and rsqrt.approx.ftz.f64, which give the upper half only. Compiled with -frounding-math, without
 * contractions. */
#include "ptx.h"
#include <fenv.h>
#include <math.h>
#include <string.h>

#define QUIET_32 0x7fffffffu

/* ---- bits <-> numbers */

/* The .f32 in the lowest bits */
static inline float to_f32(uint64_t bits)
{
  uint32_t low = (uint32_t)bits;
  float x;
  memcpy(&x, &low, sizeof x);
  return x;
}

/* Its bits; all NaNs are one */
static inline uint64_t of_f32(float x)
{
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return x != x ? QUIET_32 : bits;
}

/* The .f64 that BITS are */
static inline double to_f64(uint64_t bits)
{
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Its bits; NaNs as they are */
static inline uint64_t of_f64(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

float ptx_half_to_float(uint16_t h)
{
  uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 0x3ff;
  if (exponent == 31)
    return to_f32(sign | 0x7f800000 | fraction << 13);
  if (exponent)
    return to_f32(sign | (exponent + 112) << 23 | fraction << 13);
  float x = (float)fraction * 0x1p-24f;
  return sign ? -x : x;
}

uint16_t ptx_double_to_half(double x, enum ptx_rounding rounding)
{
  uint16_t sign = signbit(x) ? 0x8000 : 0;
  double a = fabs(x);
  if (a != a)
    return 0x7fff;
  int exponent;
  frexp(a, &exponent);
  exponent = a == 0 || exponent < -13 ? -13 : exponent; /* of the last place: 2^(exponent - 11) */
  double scaled = ldexp(a, 11 - exponent), whole = floor(scaled), rest = scaled - whole;
  bool up = rounding == PTX_RN   ? rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0)
            : rounding == PTX_RZ ? false
            : rounding == PTX_RM ? sign && rest > 0
                                 : !sign && rest > 0;
  if (isinf(a))
    return sign | 0x7c00;
  double r = ldexp(whole + up, exponent - 11);
  if (r > 65504)
    return rounding == PTX_RN || up || a > 65504 * 2 ? (uint16_t)(sign | (up || rounding == PTX_RN ? 0x7c00 : 0x7bff))
                                                     : (uint16_t)(sign | 0x7bff);
  uint32_t bits = (uint32_t)ldexp(r, 24);
  if (r < 0x1p-14)
    return (uint16_t)(sign | bits);
  frexp(r, &exponent);
  return (uint16_t)(sign | (uint32_t)(exponent + 14) << 10 | ((uint32_t)ldexp(r, 11 - exponent) & 0x3ff));
}

/* The .f16 in the lowest bits */
static inline float to_f16(uint64_t bits)
{
  return ptx_half_to_float((uint16_t)bits);
}

/* X rounded to .f16: its bits */
static inline uint64_t of_f16(double x)
{
  return ptx_double_to_half(x, PTX_RN);
}

/* ---- operations */

typedef float f32;
typedef double f64;
typedef float f16;

/* A function NAME that makes each lane's EXPR, of A, B and C, the operands as numbers of type T */
#define OPERATION(NAME, T, OF, EXPR)                                                                                        \
  static void NAME(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)                                             \
  {                                                                                                                         \
    uint64_t *d = PTX_ROW(w, i->d);                                                                                         \
    const uint64_t *ra = PTX_ROW(w, i->s[0]), *rb = PTX_ROW(w, i->s[1]), *rc = PTX_ROW(w, i->s[2]);                         \
    PTX_EACH(mask, l, {                                                                                                     \
      T a = to_##T(ra[l]), b = to_##T(rb[l]), c = to_##T(rc[l]);                                                            \
      (void)a, (void)b, (void)c;                                                                                            \
      d[l] = OF(EXPR);                                                                                                      \
    })                                                                                                                      \
  }
#define TWO(NAME, EXPR32, EXPR64) OPERATION(NAME##_f32, f32, of_f32, EXPR32) OPERATION(NAME##_f64, f64, of_f64, EXPR64)

TWO(add, a + b, a + b)
TWO(sub, a - b, a - b)
TWO(mul, a *b, a *b)
TWO(div, a / b, a / b)
TWO(fma, fmaf(a, b, c), fma(a, b, c))
TWO(root, sqrtf(a), sqrt(a))
TWO(rcp, 1 / a, 1 / a)
TWO(rsqrt, (f32)(1 / sqrt((f64)a)), to_f64(of_f64(1 / sqrt(a)) & ~(uint64_t)0xffffffff))
OPERATION(rcp_approx_f64, f64, of_f64, to_f64(of_f64(1 / a) & ~(uint64_t)0xffffffff))
OPERATION(ex2_f32, f32, of_f32, (f32)exp2((f64)a))
OPERATION(lg2_f32, f32, of_f32, (f32)log2((f64)a))
OPERATION(sin_f32, f32, of_f32, (f32)sin((f64)a))
OPERATION(cos_f32, f32, of_f32, (f32)cos((f64)a))
OPERATION(tanh_f32, f32, of_f32, (f32)tanh((f64)a))
/* Signs are bits, of NaNs too. */
OPERATION(abs_f32, f32, , ra[l] & 0x7fffffff)
OPERATION(abs_f64, f64, , ra[l] & ~((uint64_t)1 << 63))
OPERATION(neg_f32, f32, , (uint32_t)ra[l] ^ 0x80000000)
OPERATION(neg_f64, f64, , ra[l] ^ (uint64_t)1 << 63)
OPERATION(copysign_f32, f32, , (ra[l] & 0x80000000) | (rb[l] & 0x7fffffff))
OPERATION(copysign_f64, f64, , (ra[l] & (uint64_t)1 << 63) | (rb[l] & ~((uint64_t)1 << 63)))
OPERATION(abs_f16, f16, , ra[l] & 0x7fff)
OPERATION(neg_f16, f16, , (ra[l] & 0xffff) ^ 0x8000)
OPERATION(add_f16, f16, of_f16, (f64)a + b)
OPERATION(sub_f16, f16, of_f16, (f64)a - b)
OPERATION(mul_f16, f16, of_f16, (f64)a *b)
OPERATION(fma_f16, f16, of_f16, (f64)a *b + c)

/* The smaller of A and B; a NaN only if both are one, or with .NaN one is */
#define LEAST(A, B) ((A) != (A) ? (B) : (B) != (B) ? (A) : (A) == (B) ? (signbit(A) ? (A) : (B)) : (A) < (B) ? (A) : (B))
#define MOST(A, B) ((A) != (A) ? (B) : (B) != (B) ? (A) : (A) == (B) ? (signbit(A) ? (B) : (A)) : (A) > (B) ? (A) : (B))
TWO(min, LEAST(a, b), LEAST(a, b))
TWO(max, MOST(a, b), MOST(a, b))
OPERATION(min_f16, f16, of_f16, LEAST(a, b))
OPERATION(max_f16, f16, of_f16, MOST(a, b))
TWO(min_nan, a != a ? a : b != b ? b : LEAST(a, b), a != a ? a : b != b ? b : LEAST(a, b))
TWO(max_nan, a != a ? a : b != b ? b : MOST(a, b), a != a ? a : b != b ? b : MOST(a, b))

/* ---- comparisons: with a NaN false, those with u true */

#define COMPARE(NAME, EXPR)                                                                                                 \
  OPERATION(NAME##_f32, f32, , EXPR) OPERATION(NAME##_f64, f64, , EXPR) OPERATION(NAME##_f16, f16, , EXPR)
COMPARE(eq, a == b)
COMPARE(ne, a<b || a> b)
COMPARE(lt, a < b)
COMPARE(le, a <= b)
COMPARE(gt, a > b)
COMPARE(ge, a >= b)
COMPARE(equ, !(a < b || a > b))
COMPARE(neu, a != b)
COMPARE(ltu, !(a >= b))
COMPARE(leu, !(a > b))
COMPARE(gtu, !(a <= b))
COMPARE(geu, !(a < b))
COMPARE(num, a == a && b == b)
COMPARE(nan, a != a || b != b)
OPERATION(finite_f32, f32, , isfinite(a) != 0)
OPERATION(finite_f64, f64, , isfinite(a) != 0)
OPERATION(infinite_f32, f32, , isinf(a) != 0)
OPERATION(infinite_f64, f64, , isinf(a) != 0)
OPERATION(number_f32, f32, , a == a)
OPERATION(number_f64, f64, , a == a)
OPERATION(notanumber_f32, f32, , a != a)
OPERATION(notanumber_f64, f64, , a != a)
OPERATION(normal_f32, f32, , isnormal(a) != 0)
OPERATION(normal_f64, f64, , isnormal(a) != 0)
OPERATION(subnormal_f32, f32, , fpclassify(a) == FP_SUBNORMAL)
OPERATION(subnormal_f64, f64, , fpclassify(a) == FP_SUBNORMAL)

/* ---- modifiers */

/* X, 0 with its sign if it is a denormal */
static uint64_t flushed(uint64_t bits)
{
  return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

/* X between 0 and 1; a NaN: 0 */
static uint64_t saturated(uint64_t bits, enum ptx_type type)
{
  double x = type == PTX_F64 ? to_f64(bits) : type == PTX_F16 ? to_f16(bits) : to_f32(bits);
  x = x > 0 ? x < 1 ? x : 1 : 0;
  return type == PTX_F64 ? of_f64(x) : type == PTX_F16 ? of_f16(x) : of_f32((float)x);
}

/* Operands copied to the scratch rows, flushed; the operation in its rounding mode; the result flushed and saturated */
void ptx_run_modified(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)
{
  static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
  struct ptx_inst inner = *i;
  bool flush = i->ftz && i->type == PTX_F32;
  for (uint32_t k = 0; flush && k < i->n; k++) {
    inner.s[k] = PTX_ROW_SCRATCH + k;
    PTX_EACH(mask, l, PTX_ROW(w, inner.s[k])[l] = flushed(PTX_ROW(w, i->s[k])[l]))
  }
  fesetround(modes[i->rounding]);
  i->inner(w, &inner, mask);
  fesetround(FE_TONEAREST);
  uint64_t *d = PTX_ROW(w, i->d);
  PTX_EACH(mask, l, {
    d[l] = i->sat ? saturated(d[l], i->type) : d[l];
    d[l] = flush ? flushed(d[l]) : d[l];
  })
}

/* ---- the table */

#define PAIR(NAME, OP, N)                                                                                                   \
  {NAME ".f32", OP##_f32, N},                                                                                               \
  {                                                                                                                         \
    NAME ".f64", OP##_f64, N                                                                                                \
  }
#define TRIPLE(NAME, OP, N)                                                                                                 \
  PAIR(NAME, OP, N),                                                                                                        \
  {                                                                                                                         \
    NAME ".f16", OP##_f16, N                                                                                                \
  }
const struct ptx_op ptx_float_ops[] = {
    TRIPLE("add", add, 2),
    TRIPLE("sub", sub, 2),
    TRIPLE("mul", mul, 2),
    TRIPLE("fma", fma, 3),
    {"mad.f32", fma_f32, 3},
    {"mad.f64", fma_f64, 3},
    PAIR("div", div, 2),
    {"div.approx.f32 div.full.f32", div_f32, 2},
    PAIR("sqrt", root, 1),
    {"sqrt.approx.f32", root_f32, 1},
    PAIR("rcp", rcp, 1),
    {"rcp.approx.f32", rcp_f32, 1},
    {"rcp.approx.f64", rcp_approx_f64, 1},
    PAIR("rsqrt.approx", rsqrt, 1),
    {"ex2.approx.f32", ex2_f32, 1},
    {"lg2.approx.f32", lg2_f32, 1},
    {"sin.approx.f32", sin_f32, 1},
    {"cos.approx.f32", cos_f32, 1},
    {"tanh.approx.f32", tanh_f32, 1},
    TRIPLE("abs", abs, 1),
    TRIPLE("neg", neg, 1),
    PAIR("copysign", copysign, 2),
    TRIPLE("min", min, 2),
    TRIPLE("max", max, 2),
    PAIR("min.NaN", min_nan, 2),
    PAIR("max.NaN", max_nan, 2),
    TRIPLE("setp.eq", eq, 2),
    TRIPLE("setp.ne", ne, 2),
    TRIPLE("setp.lt", lt, 2),
    TRIPLE("setp.le", le, 2),
    TRIPLE("setp.gt", gt, 2),
    TRIPLE("setp.ge", ge, 2),
    TRIPLE("setp.equ", equ, 2),
    TRIPLE("setp.neu", neu, 2),
    TRIPLE("setp.ltu", ltu, 2),
    TRIPLE("setp.leu", leu, 2),
    TRIPLE("setp.gtu", gtu, 2),
    TRIPLE("setp.geu", geu, 2),
    TRIPLE("setp.num", num, 2),
    TRIPLE("setp.nan", nan, 2),
    PAIR("testp.finite", finite, 1),
    PAIR("testp.infinite", infinite, 1),
    PAIR("testp.number", number, 1),
    PAIR("testp.notanumber", notanumber, 1),
    PAIR("testp.normal", normal, 1),
    PAIR("testp.subnormal", subnormal, 1),
    {NULL, NULL, 0},
};
