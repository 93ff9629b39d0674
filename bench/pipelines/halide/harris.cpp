/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "by_halide.h"
using namespace by_halide;

namespace
{
struct harris {
  ImageParam rgb{Float(32), 3};
  Pipeline pipeline;
  Var x, y, yo, yi;

  Expr sum(Func f)
  {
    return f(x - 1, y - 1) + f(x, y - 1) + f(x + 1, y - 1) + f(x - 1, y) + f(x, y) + f(x + 1, y) + f(x - 1, y + 1) +
           f(x, y + 1) + f(x + 1, y + 1);
  }

  harris()
  {
    Func gray, ix, iy, ixx, iyy, ixy, sxx, syy, sxy, det, trace, out("harris");
    gray(x, y) = 0.299f * rgb(x, y, 0) + 0.587f * rgb(x, y, 1) + 0.114f * rgb(x, y, 2);
    iy(x, y) = (gray(x - 1, y + 1) - gray(x - 1, y - 1) + 2 * (gray(x, y + 1) - gray(x, y - 1)) + gray(x + 1, y + 1) -
                gray(x + 1, y - 1)) /
               12;
    ix(x, y) = (gray(x + 1, y - 1) - gray(x - 1, y - 1) + 2 * (gray(x + 1, y) - gray(x - 1, y)) + gray(x + 1, y + 1) -
                gray(x - 1, y + 1)) /
               12;
    ixx(x, y) = ix(x, y) * ix(x, y);
    iyy(x, y) = iy(x, y) * iy(x, y);
    ixy(x, y) = ix(x, y) * iy(x, y);
    sxx(x, y) = sum(ixx);
    syy(x, y) = sum(iyy);
    sxy(x, y) = sum(ixy);
    det(x, y) = sxx(x, y) * syy(x, y) - sxy(x, y) * sxy(x, y);
    trace(x, y) = sxx(x, y) + syy(x, y);
    out(x, y) = det(x, y) - 0.04f * trace(x, y) * trace(x, y);
    rgb.set_estimates(region({4256, 2832, 3}));
    out.set_estimates(region({4252, 2828}, 2));
    if (by_hand()) {
      int n = lanes<float>();
      out.split(y, yo, yi, rows_of_strip).parallel(yo).vectorize(x, n);
      gray.store_at(out, yo).compute_at(out, yi).vectorize(x, n);
      ix.store_at(out, yo).compute_at(out, yi).vectorize(x, n);
      iy.store_at(out, yo).compute_at(out, yi).vectorize(x, n);
      ix.compute_with(iy, x);
    }
    pipeline = compile(out);
  }
} stages;
} // namespace

extern "C" void pipeline(int h, int w, float *rgb, float *out)
{
  if (h < 5 || w < 5)
    return;
  Buffer<float> from(rgb, w, h, 3), to(out, w, h);
  to.crop(0, 2, w - 4);
  to.crop(1, 2, h - 4);
  stages.rgb.set(from);
  stages.pipeline.realize(to);
}
