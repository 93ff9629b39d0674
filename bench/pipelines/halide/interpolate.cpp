/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pyramid.h"
using namespace by_halide;

namespace
{
constexpr int last = 9;

struct interpolate {
  ImageParam in{Float(32), 3};
  Param<int> h, w;
  Pipeline pipeline;
  Var x, y, c, yo, yi;

  interpolate()
  {
    Expr rows[last + 1] = {h}, columns[last + 1] = {w};
    Func d[last + 1], o[last + 1], out("interpolate");
    level lower[last + 1], upper[last + 1];
    d[0](x, y, c) = in(x, y, c) * select(c < 3, in(x, y, 3), 1.0f);
    for (int k = 1; k <= last; k++) {
      rows[k] = (rows[k - 1] + 1) / 2;
      columns[k] = (columns[k - 1] + 1) / 2;
      lower[k] = down(d[k - 1], columns[k - 1], rows[k - 1], x, y, c);
      d[k] = lower[k].all;
    }
    o[last] = d[last];
    for (int k = last - 1; k >= 0; k--) {
      upper[k] = up(o[k + 1], columns[k + 1], rows[k + 1], x, y, c);
      o[k](x, y, c) = d[k](x, y, c) + (1 - d[k](x, y, 3)) * upper[k].all(x, y, c);
    }
    out(x, y, c) = select(c < 3, o[0](x, y, c) / o[0](x, y, 3), 1.0f);
    in.set_estimates(region({1536, 2560, 4}));
    out.set_estimates(region({1536, 2560, 4}));
    h.set_estimate(2560);
    w.set_estimate(1536);
    if (by_hand()) {
      int n = lanes<float>();
      for (int k = 1; k <= last; k++) {
        int vector = k < 7 ? n : 4; /* the coarsest have few columns */
        d[k].compute_root().reorder(x, c, y).bound(c, 0, 4).split(y, yo, yi, 8, TailStrategy::GuardWithIf).parallel(yo);
        d[k].vectorize(x, vector, TailStrategy::GuardWithIf);
        lower[k].half.compute_at(d[k], c).vectorize(x, vector, TailStrategy::GuardWithIf);
      }
      for (int k = 1; k < last; k++) {
        int vector = k < 7 ? n : 4;
        o[k].compute_root().reorder(x, c, y).bound(c, 0, 4).split(y, yo, yi, 8, TailStrategy::GuardWithIf).parallel(yo);
        o[k].vectorize(x, vector, TailStrategy::GuardWithIf);
        upper[k].half.store_at(o[k], yo).compute_at(o[k], yi).vectorize(x, vector, TailStrategy::GuardWithIf);
      }
      out.reorder(x, c, y).bound(c, 0, 4).unroll(c).split(y, yo, yi, 16, TailStrategy::GuardWithIf).parallel(yo);
      out.vectorize(x, n, TailStrategy::GuardWithIf);
      upper[0].half.store_at(out, yo).compute_at(out, yi).vectorize(x, n, TailStrategy::GuardWithIf);
      o[0].compute_at(out, yi).vectorize(x, n, TailStrategy::GuardWithIf);
    }
    pipeline = compile(out);
  }
} stages;
} // namespace

extern "C" void pipeline(int h, int w, float *in, float *out)
{
  Buffer<float> from(in, w, h, 4), to(out, w, h, 4);
  stages.in.set(from);
  stages.h.set(h);
  stages.w.set(w);
  stages.pipeline.realize(to);
}
