/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Steps between the levels of a pyramid, as ../pyramid.h has them; W and H are sizes of the finer level for `down`, of the
 * coarser one for `up`. */
#ifndef TSR_BY_HALIDE_PYRAMID_H
#define TSR_BY_HALIDE_PYRAMID_H
#include "by_halide.h"

namespace by_halide
{
/* A level, and the stage between it and its neighbour. */
struct level {
  Func half, all;
};

inline level down(Func from, Expr w, Expr h, Var x, Var y, Var c)
{
  level to;
  to.half(x, y, c) = (from(max(2 * x - 1, 0), y, c) + 2 * from(2 * x, y, c) + from(min(2 * x + 1, w - 1), y, c)) * 0.25f;
  to.all(x, y, c) =
      (to.half(x, max(2 * y - 1, 0), c) + 2 * to.half(x, 2 * y, c) + to.half(x, min(2 * y + 1, h - 1), c)) * 0.25f;
  return to;
}

inline level up(Func from, Expr w, Expr h, Var x, Var y, Var c)
{
  level to;
  to.half(x, y, c) = (from(x / 2, y, c) + from(min((x + 1) / 2, w - 1), y, c)) * 0.5f;
  to.all(x, y, c) = (to.half(x, y / 2, c) + to.half(x, min((y + 1) / 2, h - 1), c)) * 0.5f;
  return to;
}
} // namespace by_halide
#endif
