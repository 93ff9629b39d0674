/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "by_halide.h"
using namespace by_halide;

namespace
{
struct unsharp {
  ImageParam in{Float(32), 3};
  Pipeline pipeline;
  Var x, y, c, yo, yi;

  unsharp()
  {
    const float weight = 3, threshold = 0.001f;
    Func by, bx, sharp, out("unsharp");
    by(x, y, c) =
        (in(x, y - 2, c) + in(x, y + 2, c)) * 0.0625f + (in(x, y - 1, c) + in(x, y + 1, c)) * 0.25f + in(x, y, c) * 0.375f;
    bx(x, y, c) =
        (by(x - 2, y, c) + by(x + 2, y, c)) * 0.0625f + (by(x - 1, y, c) + by(x + 1, y, c)) * 0.25f + by(x, y, c) * 0.375f;
    sharp(x, y, c) = in(x, y, c) * (1 + weight) - bx(x, y, c) * weight;
    out(x, y, c) = select(abs(in(x, y, c) - bx(x, y, c)) < threshold, in(x, y, c), sharp(x, y, c));
    in.set_estimates(region({4256, 2832, 3}));
    out.set_estimate(x, 2, 4252).set_estimate(y, 2, 2828).set_estimate(c, 0, 3);
    if (by_hand()) {
      int n = lanes<float>();
      out.split(y, yo, yi, rows_of_strip).parallel(yo).vectorize(x, n);
      by.store_at(out, yo).compute_at(out, yi).vectorize(x, n);
    }
    pipeline = compile(out);
  }
} stages;
} // namespace

extern "C" void pipeline(int h, int w, float *in, float *out)
{
  if (h < 5 || w < 5)
    return;
  Buffer<float> from(in, w, h, 3), to(out, w, h, 3);
  to.crop(0, 2, w - 4);
  to.crop(1, 2, h - 4);
  stages.in.set(from);
  stages.pipeline.realize(to);
}
