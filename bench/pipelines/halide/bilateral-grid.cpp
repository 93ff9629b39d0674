/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "by_halide.h"
using namespace by_halide;

namespace
{
constexpr int cell = 8, levels = 12; /* as in the C file */

struct bilateral_grid {
  ImageParam in{Float(32), 2};
  Param<int> h, w;
  Pipeline pipeline;
  Var x, y, z, c;

  Expr five(Expr a, Expr b, Expr d, Expr e, Expr f)
  {
    return a + 4 * b + 6 * d + 4 * e + f;
  }

  bilateral_grid()
  {
    Func grid("grid"), gz("gz"), gx("gx"), gy("gy"), at("at"), out("bilateral");
    RDom r(0, cell, 0, cell);
    /* cell (x, y) of the grid, without its borders, has pixels around (cell * x, cell * y) */
    Expr px = x * cell + r.x - cell / 2, py = y * cell + r.y - cell / 2;
    Expr there = px >= 0 && px < w && py >= 0 && py < h;
    Expr pixel = in(clamp(px, 0, w - 1), clamp(py, 0, h - 1));
    Expr level = 2 + cast<int>(min(pixel, 1.0f) * (levels - 2) + 0.5f);
    grid(c, z, x, y) = 0.0f;
    grid(c, clamp(level, 0, levels + 4), x, y) += select(there, select(c == 0, pixel, 1.0f), 0.0f);
    gz(c, z, x, y) =
        five(grid(c, z - 2, x, y), grid(c, z - 1, x, y), grid(c, z, x, y), grid(c, z + 1, x, y), grid(c, z + 2, x, y));
    gx(c, z, x, y) = five(gz(c, z, x - 2, y), gz(c, z, x - 1, y), gz(c, z, x, y), gz(c, z, x + 1, y), gz(c, z, x + 2, y));
    gy(c, z, x, y) = five(gx(c, z, x, y - 2), gx(c, z, x, y - 1), gx(c, z, x, y), gx(c, z, x, y + 1), gx(c, z, x, y + 2));
    Expr place = min(in(x, y), 1.0f) * (levels - 2), zi = clamp(cast<int>(place), 0, levels - 2);
    Expr fz = place - zi, fy = (y % cell) / cast<float>(cell), fx = (x % cell) / cast<float>(cell);
    auto corner = [&](int dx, int dy) {
      return gy(c, zi + 2, x / cell + dx, y / cell + dy) * (1 - fz) + gy(c, zi + 3, x / cell + dx, y / cell + dy) * fz;
    };
    at(c, x, y) =
        (corner(0, 0) * (1 - fx) + corner(1, 0) * fx) * (1 - fy) + (corner(0, 1) * (1 - fx) + corner(1, 1) * fx) * fy;
    out(x, y) = at(0, x, y) / at(1, x, y);
    in.set_estimates(region({1536, 2560}));
    out.set_estimates(region({1536, 2560}));
    h.set_estimate(2560);
    w.set_estimate(1536);
    if (by_hand()) {
      gz.compute_root().reorder_storage(c, x, z, y).bound(c, 0, 2).reorder(c, z, x, y).parallel(y).vectorize(x, 8).unroll(c);
      grid.reorder_storage(c, x, z, y).bound(c, 0, 2).compute_at(gz, y);
      grid.update().reorder(c, r.x, r.y, x, y).unroll(c);
      gx.compute_root().reorder_storage(c, x, z, y).bound(c, 0, 2).reorder(c, x, z, y).parallel(y).vectorize(x, 8).unroll(c);
      gy.compute_root().reorder_storage(c, x, z, y).bound(c, 0, 2).reorder(c, x, z, y).parallel(y).vectorize(x, 8).unroll(c);
      out.parallel(y).vectorize(x, 8);
    }
    pipeline = compile(out);
  }
} stages;
} // namespace

extern "C" void pipeline(int h, int w, float *in, float *out)
{
  Buffer<float> from(in, w, h), to(out, w, h);
  stages.in.set(from);
  stages.h.set(h);
  stages.w.set(w);
  stages.pipeline.realize(to);
}
