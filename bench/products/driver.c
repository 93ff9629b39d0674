/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ./a.out m n l rounds: Gflop/s of each implementation, a line a round:  clang polly tessera openblas peak
 * The implementations of one round run one after the other. Each runs until 50 ms have passed, at least once; the results of
 * the first three are compared bit for bit. "peak": independent fused multiply-adds on as many vectors as registers allow.
 */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void function(long m, long n, long l, REAL alpha, REAL *A, long lda, REAL *B, long ldb, REAL beta, REAL *C,
                      long ldc);
function product_clang, product_polly, product_tessera;

static void openblas(long m, long n, long l, REAL alpha, REAL *A, long lda, REAL *B, long ldb, REAL beta, REAL *C, long ldc)
{
  GEMM(CblasRowMajor, TA ? CblasTrans : CblasNoTrans, TB ? CblasTrans : CblasNoTrans, (int)m, (int)n, (int)l, alpha, A,
       (int)lda, B, (int)ldb, beta, C, (int)ldc);
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* others may use the core, too */
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double peak(void)
{
#ifndef WIDTH
#define WIDTH 16
#endif
  enum { LANES = WIDTH / sizeof(REAL), VECTORS = 10, STEPS = 4000000 };
  typedef REAL vector __attribute__((vector_size(WIDTH)));
  vector x[VECTORS], factor, sum;
  for (int l = 0; l < LANES; l++)
    factor[l] = (REAL)0.999, sum[l] = (REAL)(l + 1); /* no lane dies away to subnormal numbers, which are slow */
  for (int i = 0; i < VECTORS; i++)
    x[i] = factor;
  double begin = now();
  for (long step = 0; step < STEPS; step++)
    for (int i = 0; i < VECTORS; i++)
      x[i] = __builtin_elementwise_fma(x[i], factor, sum);
  double seconds = now() - begin;
  volatile REAL sink = 0;
  for (int i = 0; i < VECTORS; i++)
    sink += x[i][0];
  return 2.0 * LANES * VECTORS * STEPS / seconds * 1e-9;
}

int main(int argc, char **argv)
{
  static function *const all[] = {product_clang, product_polly, product_tessera, openblas};
  if (argc != 5)
    return 2;
  long m = atol(argv[1]), n = atol(argv[2]), l = atol(argv[3]), rounds = atol(argv[4]);
  long lda = TA ? m : l, ldb = TB ? l : n;
  REAL *A = malloc((size_t)(m * l) * sizeof(REAL)), *B = malloc((size_t)(l * n) * sizeof(REAL));
  REAL *C[3] = {NULL}, alpha = (REAL)1.5, beta = (REAL)0.5;
  for (long i = 0; i < m * l; i++)
    A[i] = (REAL)(i % 13) / 13;
  for (long i = 0; i < l * n; i++)
    B[i] = (REAL)(i % 7) / 7;
  for (int f = 0; f < 3; f++) {
    C[f] = calloc((size_t)(m * n), sizeof(REAL));
    all[f](m, n, l, alpha, A, lda, B, ldb, beta, C[f], n);
    if (memcmp(C[0], C[f], (size_t)(m * n) * sizeof(REAL)))
      printf("results of implementation %d differ\n", f);
  }
  for (long round = 0; round < rounds; round++) {
    for (int f = 0; f < 4; f++) {
      double begin = now(), seconds = 0;
      int runs = 0;
      for (; seconds < 0.05 || !runs; runs++, seconds = now() - begin)
        all[f](m, n, l, alpha, A, lda, B, ldb, beta, C[0], n);
      printf("%.3f ", 2e-9 * (double)m * (double)n * (double)l * runs / seconds);
    }
    printf("%.3f\n", peak());
  }
  return 0;
}
