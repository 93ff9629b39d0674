/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions that expressions.py writes, on the interpreter and on the host: test/gpu/run compiles this file with the one
 * it has written, "expressions.gen.c".  Usage: EXPRESSIONS.ptx */
#include "check.h"
#include "expressions.gen.c"

enum { N = 200, N_FUNCTION = sizeof functions / sizeof *functions };
static struct input in[N];
static unsigned long out[N], want[N];

/* xorshift */
static unsigned long draw(void)
{
  static unsigned long state = 88172645463325252;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/* Anything, small numbers more often than others */
static unsigned long value(void)
{
  unsigned long x = draw();
  return x & 3 ? x >> (draw() & 63) : draw();
}

/* Whole numbers, fractions, special ones */
static double real(void)
{
  static const double special[] = {0,    -0.0, 1, -1, 0.5, 1e30, -1e-30, 1e300, 1e-310, __builtin_inf(), -__builtin_inf(),
                                   1e-42};
  double x = (double)(long)value() * (draw() & 1 ? 1 : -0x1p-20);
  return draw() % 8 ? x : special[draw() % (sizeof special / sizeof *special)];
}

int main(int argc, char **argv)
{
  char name[100];
  int n = N;
  start();
  CUmodule m = load(argv[argc - 1]);
  for (int i = 0; i < N; i++)
    in[i] = (struct input){value(),
                           (long)value(),
                           real(),
                           real(),
                           (float)real(),
                           (float)real(),
                           (unsigned)value(),
                           (unsigned)value(),
                           (int)value(),
                           (int)value(),
                           (short)value(),
                           (unsigned short)value(),
                           (unsigned char)value(),
                           (signed char)value()};
  CUdeviceptr din = to_device(in, sizeof in), dout;
  NEED(cuMemAlloc_v2(&dout, sizeof out));
  for (int k = 0; k < N_FUNCTION; k++) {
    snprintf(name, sizeof name, "f%d", k);
    CUresult code = launch(m, name, PAIR((N + 63) / 64, 1), PAIR(64, 1), 0, ARGS(&din, &dout, &n));
    NEED(cuMemcpyDtoH_v2(out, dout, sizeof out));
    for (gpu_x = 0; gpu_x < N; gpu_x++)
      functions[k](in, want, N);
    int i = 0;
    while (i < N && out[i] == want[i])
      i++;
    snprintf(name, sizeof name, "function f%d: %d, at %d", k, code, i);
    check(!code && i == N, name);
  }
  NEED(cuDevicePrimaryCtxRelease_v2(0));
  return finish();
}
