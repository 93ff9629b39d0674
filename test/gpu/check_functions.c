/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libdevice's functions against the host's: at most the CUDA manual's errors and one place more, for ours, apart.  Usage:
 * FUNCTIONS.ptx */
#include "check.h"
#include <math.h>

enum { N = 2000 };

/* Representable numbers from X to Y, of doubles or floats */
static double apart_64(double x, double y)
{
  int64_t a, b;
  if (x == y || (x != x && y != y))
    return 0;
  memcpy(&a, &x, 8);
  memcpy(&b, &y, 8);
  return (a < 0) != (b < 0) ? 1e300 : fabs((double)(a - b));
}

/* .. of floats */
static double apart_32(float x, float y)
{
  int32_t a, b;
  if (x == y || (x != x && y != y))
    return 0;
  memcpy(&a, &x, 4);
  memcpy(&b, &y, 4);
  return (a < 0) != (b < 0) ? 1e300 : fabs((double)a - (double)b);
}

/* What the kernels do, of double .. */
static double pow17(double x)
{
  return pow(x, 1.7);
}

static double fmod37(double x)
{
  return fmod(x, 0.37);
}

/* .. and of float */
static double pow17f(double x)
{
  return pow(x, (double)1.7f);
}

static double fmod37f(double x)
{
  return fmod(x, (double)0.37f);
}

/* MOST: the largest error of double and of float, in places */
static void check_function(CUmodule m, const char *name, double (*f)(double), double (*g)(double), bool positive,
                           const int most[2])
{
  static double a[N], c[N];
  static float b[N], d[N];
  char what[200];
  double worst_64 = 0, worst_32 = 0;
  int n = N;
  for (int i = 0; i < N; i++) {
    double x = i < 200 ? (i - 100) * 1.0 : (double)rand() / RAND_MAX * 40 - 20;
    a[i] = positive ? fabs(x) : x;
    b[i] = (float)a[i];
  }
  a[0] = b[0] = INFINITY;
  a[1] = b[1] = NAN;
  CUdeviceptr da = to_device(a, sizeof a), db = to_device(b, sizeof b);
  CUresult code = launch(m, name, PAIR((N + 127) / 128, 1), PAIR(128, 1), 0, ARGS(&da, &db, &n));
  check(!code, name);
  NEED(cuMemcpyDtoH_v2(c, da, sizeof c));
  NEED(cuMemcpyDtoH_v2(d, db, sizeof d));
  for (int i = 0; i < N; i++) {
    worst_64 = fmax(worst_64, apart_64(c[i], f(a[i])));
    worst_32 = fmax(worst_32, apart_32(d[i], (float)g((double)b[i])));
  }
  snprintf(what, sizeof what, "%s: %g places of double, %g of float", name, worst_64, worst_32);
  check(worst_64 <= most[0] && worst_32 <= most[1], what);
  NEED(cuMemFree_v2(da));
  NEED(cuMemFree_v2(db));
}

int main(int argc, char **argv)
{
  if (argc != 2)
    return fprintf(stderr, "usage: %s FUNCTIONS.ptx\n", argv[0]), 2;
  start();
  CUmodule m = load(argv[1]);
#define CHECK(NAME, POSITIVE, MOST_64, MOST_32)                                                                             \
  check_function(m, "of_" #NAME, NAME, NAME, POSITIVE, (const int[2]){MOST_64, MOST_32})
  CHECK(exp, false, 2, 2);
  CHECK(log, true, 2, 2);
  CHECK(sin, false, 2, 2);
  CHECK(cos, false, 2, 2);
  CHECK(tan, false, 3, 4);
  CHECK(tanh, false, 2, 2);
  CHECK(exp2, false, 2, 2);
  CHECK(log2, true, 2, 2);
  CHECK(log10, true, 2, 3);
  CHECK(cbrt, false, 2, 2);
  CHECK(erf, false, 3, 3);
  CHECK(atan, false, 2, 2);
  CHECK(expm1, false, 2, 2);
  CHECK(log1p, true, 2, 2);
  check_function(m, "of_pow", pow17, pow17f, true, (const int[2]){2, 4});
  check_function(m, "of_fmod", fmod37, fmod37f, false, (const int[2]){0, 0});
  NEED(cuDevicePrimaryCtxRelease_v2(0));
  return finish();
}
