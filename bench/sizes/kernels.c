/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ordinary loops, over matrices of m x n, m x k and the like in row-major order, of which `run` has one timed:
 *
 *   -DKERNEL=NAME   which
 *   -DFORM=CALL     a function, called in a loop; its operands may overlap, as far as it knows
 *   -DFORM=BATCH    for each operand of a batch, in one function
 *   -DFORM=INLINED  a static helper, called in a loop that does other things, too
 *   -DM= -DN= -DK=  sizes that are known when this is compiled
 *   -DRUN=NAME      the name of the function that is made */
#define CALL 1
#define BATCH 2
#define INLINED 3
#if FORM == CALL
#define RESTRICT
#define HOW static __attribute__((noinline)) void
#else
#define RESTRICT restrict
#define HOW static void
#endif
#define ARGUMENTS int m, int n, int k, const double *RESTRICT a, const double *RESTRICT b, double *RESTRICT c
#define kernel(name)                                                                                                        \
  HOW name(ARGUMENTS);                                                                                                      \
  HOW name(ARGUMENTS)
#define each(i, n) for (int i = 0; i < n; i++)
/* ---- products ---- */

kernel(product_nn)
{
  each(i, m) each(p, k) each(j, n) c[i * n + j] += a[i * k + p] * b[p * n + j];
}

kernel(product_dot)
{
  each(i, m) each(j, n)
  {
    double sum = 0;
    each(p, k) sum += a[i * k + p] * b[p * n + j];
    c[i * n + j] = sum;
  }
}

kernel(product_nt)
{
  each(i, m) each(j, n) each(p, k) c[i * n + j] += a[i * k + p] * b[j * k + p];
}

kernel(product_tn)
{
  each(p, k) each(i, m) each(j, n) c[i * n + j] += a[p * m + i] * b[p * n + j];
}

kernel(syrk)
{
  each(i, m) each(p, k) each(j, i + 1) c[i * m + j] += a[i * k + p] * a[j * k + p];
}

kernel(trmm)
{
  each(i, m) each(j, n)
  {
    double sum = b[i * n + j];
    each(p, i) sum += a[i * m + p] * b[p * n + j];
    c[i * n + j] = sum;
  }
}

kernel(trsm)
{
  each(i, m) each(j, n)
  {
    c[i * n + j] = b[i * n + j];
    each(p, i) c[i * n + j] -= a[i * m + p] * c[p * n + j];
  }
}

kernel(distances)
{
  each(i, m) each(j, n)
  {
    double sum = 0;
    each(p, k) sum += (a[i * k + p] - b[j * k + p]) * (a[i * k + p] - b[j * k + p]);
    c[i * n + j] = sum;
  }
}

/* m products of n x k by k x n */
kernel(products)
{
  each(t, m) each(i, n) each(p, k) each(j, n) c[(t * n + i) * n + j] += a[(t * n + i) * k + p] * b[(t * k + p) * n + j];
}

/* m products of a matrix and a vector */
kernel(transforms)
{
  each(t, m) each(i, n) each(j, k) c[t * n + i] += a[i * k + j] * b[t * k + j];
}

/* C = A B, D = C A^T, all of m x m, as in a cosine transform */
kernel(cosine)
{
  double *d = c + m * m;
  each(i, m) each(j, m)
  {
    double sum = 0;
    each(p, m) sum += a[i * m + p] * b[p * m + j];
    d[i * m + j] = sum;
  }
  each(i, m) each(j, m)
  {
    double sum = 0;
    each(p, m) sum += d[i * m + p] * a[j * m + p];
    c[i * m + j] = sum;
  }
}

/* ---- matrices and vectors ---- */

kernel(gemv)
{
  each(i, m) each(j, n) c[i] += a[i * n + j] * b[j];
}

kernel(gemv_t)
{
  each(i, m) each(j, n) c[j] += a[i * n + j] * b[i];
}

kernel(atax)
{
  double *d = c + n;
  each(i, m)
  {
    d[i] = 0;
    each(j, n) d[i] += a[i * n + j] * b[j];
    each(j, n) c[j] += a[i * n + j] * d[i];
  }
}

kernel(ger)
{
  each(i, m) each(j, n) c[i * n + j] += a[i] * b[j];
}

kernel(row_sums)
{
  each(i, m) each(j, n) c[i] += a[i * n + j];
}

kernel(column_sums)
{
  each(j, n) each(i, m) c[j] += a[i * n + j];
}

kernel(transpose)
{
  each(i, m) each(j, n) c[j * m + i] = a[i * n + j];
}

kernel(chain)
{
  each(i, m) c[i] = a[i] + 0.5 * b[i];
  each(i, m) c[i] = c[i] * c[i] - a[i];
}

kernel(dot)
{
  each(t, k) each(i, m) c[t] += a[i] * b[i];
}

/* ---- filters and stencils ---- */

kernel(fir)
{
  each(i, m)
  {
    double sum = 0;
    each(p, k) sum += b[p] * a[i + p];
    c[i] = sum;
  }
}

kernel(convolution)
{
  each(i, m) each(j, n)
  {
    double sum = 0;
    each(p, k) each(q, k) sum += b[p * k + q] * a[(i + p) * (n + k) + j + q];
    c[i * n + j] = sum;
  }
}

kernel(jacobi_1d)
{
  double *d = c + m + 2;
  each(t, k)
  {
    for (int i = 1; i <= m; i++)
      d[i] = (c[i - 1] + c[i] + c[i + 1]) / 3;
    for (int i = 1; i <= m; i++)
      c[i] = (d[i - 1] + d[i] + d[i + 1]) / 3;
  }
}

kernel(jacobi_2d)
{
  double *d = c + (m + 2) * (n + 2);
  int w = n + 2;
  each(t, k)
  {
    for (int i = 1; i <= m; i++)
      for (int j = 1; j <= n; j++)
        d[i * w + j] = 0.2 * (c[i * w + j] + c[i * w + j - 1] + c[i * w + j + 1] + c[(i - 1) * w + j] + c[(i + 1) * w + j]);
    for (int i = 1; i <= m; i++)
      for (int j = 1; j <= n; j++)
        c[i * w + j] = 0.2 * (d[i * w + j] + d[i * w + j - 1] + d[i * w + j + 1] + d[(i - 1) * w + j] + d[(i + 1) * w + j]);
  }
}

kernel(seidel_2d)
{
  int w = n + 2;
  each(t, k) for (int i = 1; i <= m; i++) for (int j = 1; j <= n; j++) c[i * w + j] =
      0.2 * (c[i * w + j] + c[i * w + j - 1] + c[i * w + j + 1] + c[(i - 1) * w + j] + c[(i + 1) * w + j]);
}

/* ---- borders and resolutions ---- */

#define CLAMP(x, n) ((x) < 0 ? 0 : (x) > (n) - 1 ? (n) - 1 : (x))

kernel(clamped)
{
  each(i, m) each(j, n) c[i * n + j] = a[i * n + CLAMP(j - 1, n)] + 2 * a[i * n + j] + a[i * n + CLAMP(j + 1, n)];
}

kernel(periodic)
{
  each(i, m) each(j, n) c[i * n + j] = a[i * n + (j + n - 1) % n] + 2 * a[i * n + j] + a[i * n + (j + 1) % n];
}

kernel(blurred)
{
  each(i, m) each(j, n)
  {
    double sum = 0;
    for (int y = -1; y <= 1; y++)
      for (int x = -1; x <= 1; x++)
        sum += b[3 * y + x + 4] * a[CLAMP(i + y, m) * n + CLAMP(j + x, n)];
    c[i * n + j] = sum;
  }
}

kernel(halved)
{
  int w = (n + 1) / 2;
  each(i, m) each(j, w) c[i * w + j] =
      a[i * n + CLAMP(2 * j - 1, n)] + 2 * a[i * n + 2 * j] + a[i * n + CLAMP(2 * j + 1, n)];
}

kernel(doubled)
{
  int w = (n + 1) / 2;
  each(i, m) each(j, n) c[i * n + j] = a[i / 2 * w + j / 2] + a[i / 2 * w + CLAMP((j + 1) / 2, w)];
}

/* ---- others ---- */

kernel(shortest_paths)
{
  each(p, m) each(i, m) each(j, m)
  {
    double way = c[i * m + p] + c[p * m + j];
    c[i * m + j] = way < c[i * m + j] ? way : c[i * m + j];
  }
}

kernel(covariance)
{
  each(p, m) for (int q = p; q < m; q++)
  {
    double sum = 0;
    each(i, n) sum += a[i * m + p] * a[i * m + q];
    c[p * m + q] = c[q * m + p] = sum / n;
  }
}

/* ---- the run ---- */

void RUN(long times, int batch, int m_, int n_, int k_, const double *a, const double *b, double *c, long each_a,
         long each_b, long each_c)
{
#ifdef M
  const int m = M, n = N, k = K;
  (void)m_, (void)n_, (void)k_;
#else
  const int m = m_, n = n_, k = k_;
#endif
  for (long t = 0; t < times; t++) {
#if FORM == BATCH
    each(i, batch) KERNEL(m, n, k, a + i * each_a, b + i * each_b, c + i * each_c);
#else
    for (int i = 0; i < batch; i++) {
      KERNEL(m, n, k, a + i * each_a, b + i * each_b, c + i * each_c);
      __asm__ volatile("" ::: "memory");
    }
#endif
    __asm__ volatile("" ::: "memory");
  }
}
