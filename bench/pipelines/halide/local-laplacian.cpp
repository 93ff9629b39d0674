/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pyramid.h"
using namespace by_halide;

namespace
{
constexpr int last = 5, n_bright = 8;

struct local_laplacian {
  ImageParam rgb{Float(32), 3};
  Param<int> h, w;
  Pipeline pipeline;
  Var x, y, c, yo, yi;

  local_laplacian()
  {
    const float alpha = 1.0f / (n_bright - 1), beta = 1;
    Expr rows[last + 1] = {h}, columns[last + 1] = {w};
    Func remap, gray("gray"), g[last + 1], i[last + 1], l[last + 1], o[last + 1], own, out("local_laplacian");
    level g_lower[last + 1], i_lower[last + 1], g_upper[last + 1], o_upper[last + 1];
    Expr at = (x - n_bright * 256) / 256.0f;
    remap(x) = alpha * at * exp(-at * at * 0.5f);
    i[0](x, y, c) = 0.299f * rgb(x, y, 0) + 0.587f * rgb(x, y, 1) + 0.114f * rgb(x, y, 2);
    Expr bright = clamp(cast<int>(i[0](x, y, 0) * ((n_bright - 1) * 256)), 0, (n_bright - 1) * 256 - 1);
    g[0](x, y, c) = beta * (i[0](x, y, 0) - c * alpha) + c * alpha + remap(bright - 256 * c + n_bright * 256);
    for (int k = 1; k <= last; k++) {
      rows[k] = (rows[k - 1] + 1) / 2;
      columns[k] = (columns[k - 1] + 1) / 2;
      g_lower[k] = down(g[k - 1], columns[k - 1], rows[k - 1], x, y, c);
      i_lower[k] = down(i[k - 1], columns[k - 1], rows[k - 1], x, y, c);
      g[k] = g_lower[k].all;
      i[k] = i_lower[k].all;
    }
    l[last] = g[last];
    for (int k = last - 1; k >= 0; k--) {
      g_upper[k] = up(g[k + 1], columns[k + 1], rows[k + 1], x, y, c);
      l[k](x, y, c) = g[k](x, y, c) - g_upper[k].all(x, y, c);
    }
    for (int k = last; k >= 0; k--) {
      Expr level = i[k](x, y, 0) * (n_bright - 1), b = clamp(cast<int>(level), 0, n_bright - 2);
      Expr taken = (1 - (level - b)) * l[k](x, y, b) + (level - b) * l[k](x, y, b + 1);
      if (k < last)
        o_upper[k] = up(o[k + 1], columns[k + 1], rows[k + 1], x, y, c);
      o[k](x, y, c) = k < last ? taken + o_upper[k].all(x, y, 0) : taken;
    }
    out(x, y, c) = o[0](x, y, 0) * (rgb(x, y, c) + 0.01f) / (i[0](x, y, 0) + 0.01f);
    rgb.set_estimates(region({2560, 1536, 3}));
    out.set_estimates(region({2560, 1536, 3}));
    h.set_estimate(1536);
    w.set_estimate(2560);
    if (by_hand()) {
      int n = lanes<float>();
      remap.compute_root();
      i[0].compute_root().parallel(y, 32, TailStrategy::GuardWithIf).vectorize(x, n, TailStrategy::GuardWithIf);
      for (int k = 1; k <= last; k++) {
        i[k].compute_root().parallel(y, 32, TailStrategy::GuardWithIf).vectorize(x, n, TailStrategy::GuardWithIf);
        g[k].compute_root().reorder_storage(x, c, y).reorder(x, c, y).bound(c, 0, n_bright);
        g[k].split(y, yo, yi, 8, TailStrategy::GuardWithIf).parallel(yo).vectorize(x, n, TailStrategy::GuardWithIf);
      }
      g_lower[1].half.compute_at(g[1], c).vectorize(x, n, TailStrategy::GuardWithIf);
      for (int k = 1; k <= last; k++)
        o[k].compute_root().parallel(y, 32, TailStrategy::GuardWithIf).vectorize(x, n, TailStrategy::GuardWithIf);
      out.reorder(c, x, y).bound(c, 0, 3).unroll(c).split(y, yo, yi, 64, TailStrategy::GuardWithIf).parallel(yo);
      out.vectorize(x, n, TailStrategy::GuardWithIf);
      o[0].compute_at(out, yi).vectorize(x, n, TailStrategy::GuardWithIf);
    }
    pipeline = compile(out);
  }
} stages;
} // namespace

extern "C" void pipeline(int h, int w, float *rgb, float *out)
{
  Buffer<float> from(rgb, w, h, 3), to(out, w, h, 3);
  stages.rgb.set(from);
  stages.h.set(h);
  stages.w.set(w);
  stages.pipeline.realize(to);
}
