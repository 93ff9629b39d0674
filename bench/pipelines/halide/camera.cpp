/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "by_halide.h"
using namespace by_halide;

namespace
{
struct camera {
  ImageParam raw{UInt(16), 2};
  Param<int> h, w;
  Pipeline pipeline;
  Var x, y, c, xi, yo, yi, z;

  Expr mean(Expr a, Expr b)
  {
    return cast<int16_t>((cast<int32_t>(a) + b + 1) >> 1);
  }

  Expr apart(Expr a, Expr b)
  {
    return absd(a, b);
  }

  Expr smoother(Expr a, Expr b, Expr d, Expr e)
  {
    return select(apart(a, b) < apart(d, e), mean(a, b), mean(d, e));
  }

  /* Half planes as the pixels of twice as many rows and columns */
  void interleave(Func to, Func p00, Func p01, Func p10, Func p11)
  {
    Expr even = select(x % 2 == 0, p00(x / 2, y / 2), p01(x / 2, y / 2));
    Expr odd = select(x % 2 == 0, p10(x / 2, y / 2), p11(x / 2, y / 2));
    to(x, y) = select(y % 2 == 0, even, odd);
  }

  Expr correct(int a, int b, int d, int e, Func red, Func green, Func blue)
  {
    /* C's division, which rounds towards zero */
    Expr sum = a * cast<int32_t>(red(x, y)) + b * cast<int32_t>(green(x, y)) + d * cast<int32_t>(blue(x, y)) + e;
    return cast<int16_t>((sum + select(sum < 0, 255, 0)) >> 8);
  }

  camera()
  {
    Func curve("curve"), clean("clean"), plane("plane"), fixed("fixed"), out("camera");
    Func g_r, g_b, r_gr, b_gr, r_gb, b_gb, r_b, b_r, red, green, blue;
    Expr level = pow(x / 1023.0f, 1 / 2.2f);
    curve(x) = cast<uint8_t>(255 * select(level < 0.5f, 2 * level * level, 1 - 2 * (1 - level) * (1 - level)));
    /* vectors may reach beyond the image, in elements that nothing needs */
    auto in = [&](Expr x, Expr y) { return raw(clamp(x, 0, w - 1), clamp(y, 0, h - 1)); };
    Expr up = in(x, select(y < 2, y, y - 2)), under = in(x, select(y < h - 2, y + 2, y));
    Expr left = in(select(x < 2, x, x - 2), y), right = in(select(x < w - 2, x + 2, x), y);
    clean(x, y) = cast<int16_t>(min(in(x, y), max(max(up, under), max(left, right))));
    plane(x, y, z) =
        mux(z, {clean(2 * x, 2 * y), clean(2 * x + 1, 2 * y), clean(2 * x, 2 * y + 1), clean(2 * x + 1, 2 * y + 1)});
    Func gr, r, b, gb;
    gr(x, y) = plane(x, y, 0);
    r(x, y) = plane(x, y, 1);
    b(x, y) = plane(x, y, 2);
    gb(x, y) = plane(x, y, 3);
    g_r(x, y) = smoother(gr(x + 1, y), gr(x, y), gb(x, y - 1), gb(x, y));
    g_b(x, y) = smoother(gb(x, y), gb(x - 1, y), gr(x, y), gr(x, y + 1));
    r_gr(x, y) = gr(x, y) - mean(g_r(x, y), g_r(x - 1, y)) + mean(r(x - 1, y), r(x, y));
    b_gr(x, y) = gr(x, y) - mean(g_b(x, y), g_b(x, y - 1)) + mean(b(x, y), b(x, y - 1));
    r_gb(x, y) = gb(x, y) - mean(g_r(x, y), g_r(x, y + 1)) + mean(r(x, y), r(x, y + 1));
    b_gb(x, y) = gb(x, y) - mean(g_b(x, y), g_b(x + 1, y)) + mean(b(x, y), b(x + 1, y));
    r_b(x, y) = select(apart(r(x, y), r(x - 1, y + 1)) < apart(r(x, y + 1), r(x - 1, y)),
                       g_b(x, y) - mean(g_r(x, y), g_r(x - 1, y + 1)) + mean(r(x, y), r(x - 1, y + 1)),
                       g_b(x, y) - mean(g_r(x, y + 1), g_r(x - 1, y)) + mean(r(x, y + 1), r(x - 1, y)));
    b_r(x, y) = select(apart(b(x, y), b(x + 1, y - 1)) < apart(b(x, y - 1), b(x + 1, y)),
                       g_r(x, y) - mean(g_b(x, y), g_b(x + 1, y - 1)) + mean(b(x, y), b(x + 1, y - 1)),
                       g_r(x, y) - mean(g_b(x, y - 1), g_b(x + 1, y)) + mean(b(x, y - 1), b(x + 1, y)));
    interleave(red, r_gr, r, r_b, r_gb);
    interleave(green, gr, g_r, g_b, gb);
    interleave(blue, b_gr, b_r, b, b_gb);
    fixed(x, y, c) = mux(c, {correct(416, -106, -52, 1200, red, green, blue), correct(-50, 360, -54, 800, red, green, blue),
                             correct(-20, -130, 406, 600, red, green, blue)});
    out(c, x, y) = curve(clamp(cast<int32_t>(fixed(x, y, c)), 0, 1023));
    raw.set_estimates(region({2592, 1968}));
    out.set_estimate(c, 0, 3).set_estimate(x, 4, 2584).set_estimate(y, 4, 1960);
    h.set_estimate(1968);
    w.set_estimate(2592);
    if (by_hand()) {
      int n = 2 * lanes<int32_t>();
      curve.compute_root();
      out.bound(c, 0, 3).reorder(c, x, y).split(y, yo, yi, rows_of_strip);
      out.tile(x, yi, x, yi, xi, y, 2 * n, 2).vectorize(xi).unroll(y).unroll(c).parallel(yo);
      clean.compute_at(out, yi).store_at(out, yo).vectorize(x, 2 * n, TailStrategy::GuardWithIf);
      plane.compute_at(out, yi).store_at(out, yo).reorder_storage(x, z, y).reorder(z, x, y).bound(z, 0, 4);
      plane.vectorize(x, n, TailStrategy::RoundUp).unroll(z);
      for (Func f : {g_r, g_b})
        f.compute_at(out, yi).store_at(out, yo).vectorize(x, n, TailStrategy::RoundUp);
      for (Func f : {r_gr, b_gr, r_gb, b_gb, r_b, b_r})
        f.compute_at(out, x).vectorize(x, n, TailStrategy::RoundUp);
      for (Func f : {red, green, blue})
        f.compute_at(out, x).bound_extent(x, 2 * n).bound_extent(y, 2).vectorize(x).unroll(y);
      fixed.compute_at(out, x).bound_extent(x, 2 * n).bound_extent(y, 2).vectorize(x).unroll(y).bound(c, 0, 3).unroll(c);
    }
    pipeline = compile(out);
  }
} stages;
} // namespace

extern "C" void pipeline(int h, int w, uint16_t *raw, uint8_t *out)
{
  int rows = 2 * (h / 2) - 8, columns = 2 * (w / 2) - 8;
  if (rows < 1 || columns < 1)
    return;
  Buffer<uint16_t> from(raw, w, h);
  Buffer<uint8_t> to(out, 3, w, h);
  to.crop(1, 4, columns);
  to.crop(2, 4, rows);
  stages.raw.set(from);
  stages.h.set(h);
  stages.w.set(w);
  stages.pipeline.realize(to);
}
