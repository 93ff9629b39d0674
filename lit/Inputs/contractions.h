/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loop nests that fold into the elements of a matrix, T C, TA A and TB B. C is m x n or what is said, A m x l, B l x n;
 * their rows are ldc, lda, ldb elements apart. */
#ifndef T
#define T double
#endif
#ifndef TA
#define TA T
#endif
#ifndef TB
#define TB T
#endif

#define LIST int m, int n, int l, T *c, long ldc, TA *a, long lda, TB *b, long ldb
#define C(i, j) c[(i) * ldc + (j)]
#define A(i, j) a[(i) * lda + (j)]
#define B(i, j) b[(i) * ldb + (j)]
#define LOOP(i, n) for (int i = 0; i < n; i++)

/* All orders. */
FORM void form_ijk(LIST)
{
  LOOP(i, m) LOOP(j, n) LOOP(k, l) C(i, j) += A(i, k) * B(k, j);
}
FORM void form_ikj(LIST)
{
  LOOP(i, m) LOOP(k, l) LOOP(j, n) C(i, j) += A(i, k) * B(k, j);
}
FORM void form_jik(LIST)
{
  LOOP(j, n) LOOP(i, m) LOOP(k, l) C(i, j) += A(i, k) * B(k, j);
}
FORM void form_jki(LIST)
{
  LOOP(j, n) LOOP(k, l) LOOP(i, m) C(i, j) += A(i, k) * B(k, j);
}
FORM void form_kij(LIST)
{
  LOOP(k, l) LOOP(i, m) LOOP(j, n) C(i, j) += A(i, k) * B(k, j);
}
FORM void form_kji(LIST)
{
  LOOP(k, l) LOOP(j, n) LOOP(i, m) C(i, j) += A(i, k) * B(k, j);
}

/* Transposed operands: A is l x m, B n x l. */
FORM void form_tn(LIST)
{
  LOOP(i, m) LOOP(j, n) LOOP(k, l) C(i, j) += A(k, i) * B(k, j);
}
FORM void form_nt(LIST)
{
  LOOP(i, m) LOOP(j, n) LOOP(k, l) C(i, j) += A(i, k) * B(j, k);
}
FORM void form_tt(LIST)
{
  LOOP(i, m) LOOP(j, n) LOOP(k, l) C(i, j) += A(k, i) * B(j, k);
}
/* C is n x m */
FORM void form_into_transpose(LIST)
{
  LOOP(i, m) LOOP(j, n) LOOP(k, l) C(j, i) += A(i, k) * B(k, j);
}

/* Scaled, and with a sum in a register. */
FORM void form_scaled(LIST)
{
  LOOP(i, m) LOOP(j, n)
  {
    C(i, j) *= 3;
    LOOP(k, l) C(i, j) += 2 * A(i, k) * B(k, j);
  }
}
FORM void form_scaled_by_rows(LIST)
{
  LOOP(i, m)
  {
    LOOP(j, n) C(i, j) *= 3;
    LOOP(k, l) LOOP(j, n) C(i, j) += 2 * A(i, k) * B(k, j);
  }
}
FORM void form_sum(LIST)
{
  LOOP(i, m) LOOP(j, n)
  {
    T sum = 0;
    LOOP(k, l) sum += A(i, k) * B(k, j);
    C(i, j) = sum;
  }
}
FORM void form_set_first(LIST)
{
  LOOP(i, m) LOOP(j, n)
  {
    C(i, j) = 0;
    LOOP(k, l) C(i, j) += A(i, k) * B(k, j);
  }
}
FORM void form_difference(LIST)
{
  LOOP(i, m) LOOP(j, n) LOOP(k, l) C(i, j) -= A(i, k) * B(k, j);
}
FORM void form_reversed(LIST)
{
  for (int i = m - 1; i >= 0; i--)
    for (int j = n - 1; j >= 0; j--)
      for (int k = l - 1; k >= 0; k--)
        C(i, j) += A(i, k) * B(k, j);
}
FORM void form_even(LIST)
{
  for (int i = 0; i < m; i += 2)
    LOOP(j, n) for (int k = 1; k < l; k += 3) C(i, j) += A(i, k) * B(k, j);
}
FORM void form_shifted(LIST)
{
  for (int i = 1; i < m; i++)
    for (int j = 2; j < n - 1; j++)
      for (int k = 3; k < l; k++)
        C(i, j) += A(i - 1, k) * B(k - 2, j + 1);
}

/* Two statements in a band, one after another. */
FORM void form_two(LIST)
{
  LOOP(i, m) LOOP(j, n) LOOP(k, l)
  {
    C(i, j) += A(i, k) * B(k, j);
    C(i, j) += B(k, j) * 3;
  }
}
FORM void form_two_terms(LIST)
{
  LOOP(i, m) LOOP(j, n) LOOP(k, l) C(i, j) += A(i, k) * B(k, j) + A(i, k) * 3 - B(k, j);
}

/* Triangular: of n x n matrices with n the smallest of m, n, l. */
#define SQUARE int s = m < n ? m < l ? m : l : n < l ? n : l
FORM void form_syrk(LIST)
{
  SQUARE;
  LOOP(i, s) LOOP(k, l) for (int j = 0; j <= i; j++) C(i, j) += A(i, k) * A(j, k);
}
FORM void form_syr2k(LIST)
{
  SQUARE;
  LOOP(i, s) LOOP(k, s) for (int j = 0; j <= i; j++) C(i, j) += A(j, k) * B(i, k) + B(j, k) * A(i, k);
}
FORM void form_upper(LIST)
{
  SQUARE;
  LOOP(i, s) for (int j = i; j < s; j++) LOOP(k, l) C(i, j) += A(i, k) * B(k, j);
}
FORM void form_covariance(LIST)
{
  SQUARE;
  LOOP(i, s) for (int j = i; j < s; j++) LOOP(k, s) C(i, j) += A(k, i) * A(k, j);
}
FORM void form_symmetric(LIST)
{
  SQUARE;
  LOOP(i, s) for (int j = i; j < s; j++)
  {
    C(i, j) = 0;
    LOOP(k, s) C(i, j) += A(k, i) * A(k, j);
    C(j, i) = C(i, j);
  }
}
FORM void form_trmm(LIST)
{
  SQUARE;
  LOOP(i, s) LOOP(j, s)
  {
    for (int k = i + 1; k < s; k++)
      C(i, j) += A(k, i) * C(k, j);
    C(i, j) = 3 * C(i, j);
  }
}
FORM void form_trmm_other(LIST)
{
  SQUARE;
  LOOP(i, s) LOOP(j, s) for (int k = 0; k <= i; k++) C(i, j) += A(i, k) * B(k, j);
}
FORM void form_trmm_right(LIST)
{
  SQUARE;
  LOOP(i, s) LOOP(j, s) for (int k = j; k < s; k++) C(i, j) += A(i, k) * B(k, j);
}
/* Without divisions, which would make numbers of no meaning. */
FORM void form_lu(LIST)
{
  SQUARE;
  LOOP(i, s)
  {
    for (int j = 0; j < i; j++)
      for (int k = 0; k < j; k++)
        C(i, j) -= C(i, k) * C(k, j);
    for (int j = i; j < s; j++)
      for (int k = 0; k < i; k++)
        C(i, j) -= C(i, k) * C(k, j);
  }
}
FORM void form_lu_right_looking(LIST)
{
  SQUARE;
  LOOP(k, s) for (int i = k + 1; i < s; i++) for (int j = k + 1; j < s; j++) C(i, j) -= C(i, k) * C(k, j);
}
FORM void form_cholesky(LIST)
{
  SQUARE;
  LOOP(i, s) for (int j = 0; j <= i; j++) for (int k = 0; k < j; k++) C(i, j) -= C(i, k) * C(j, k);
}
FORM void form_in_place(LIST)
{
  SQUARE;
  LOOP(k, s) LOOP(i, s) LOOP(j, s) C(i, j) += C(i, k) * C(k, j);
}
FORM void form_in_place_ijk(LIST)
{
  SQUARE;
  LOOP(i, s) LOOP(j, s) LOOP(k, s) C(i, j) += C(i, k) * B(k, j);
}
FORM void form_row_above(LIST)
{
  for (int i = 1; i < m; i++)
    LOOP(j, n) LOOP(k, l) C(i, j) += A(i, k) * C(i - 1, j);
}
FORM void form_next_element(LIST)
{
  LOOP(i, m) for (int j = 0; j < n - 1; j++) LOOP(k, l) C(i, j) += A(i, k) * C(i, j + 1);
}

/* Other folds. */
FORM void form_least_sum(LIST)
{
  LOOP(i, m) LOOP(j, n) LOOP(k, l)
  {
    T x = A(i, k) + B(k, j);
    C(i, j) = x < C(i, j) ? x : C(i, j);
  }
}
FORM void form_greatest(LIST)
{
  LOOP(i, m) LOOP(j, n) LOOP(k, l)
  {
    T x = A(i, k) - B(k, j);
    C(i, j) = C(i, j) > x ? C(i, j) : x;
  }
}
FORM void form_shortest_paths(LIST)
{
  SQUARE;
  LOOP(k, s) LOOP(i, s) LOOP(j, s) C(i, j) = C(i, j) < C(i, k) + C(k, j) ? C(i, j) : C(i, k) + C(k, j);
}
FORM void form_product(LIST)
{
  LOOP(i, m) LOOP(j, n) LOOP(k, l) C(i, j) *= A(i, k) - B(k, j);
}
FORM void form_horner(LIST)
{
  LOOP(i, m) LOOP(j, n) LOOP(k, l) C(i, j) = C(i, j) * A(i, k) + B(k, j);
}
FORM void form_chosen(LIST)
{
  LOOP(i, m) LOOP(j, n) LOOP(k, l) C(i, j) += A(i, k) < B(k, j) ? A(i, k) : 3 * B(k, j);
}
FORM void form_counter(LIST)
{
  LOOP(i, m) LOOP(j, n) LOOP(k, l) C(i, j) += A(i, k) * B(k, j) + (T)(j - k);
}

/* Convolutions: A is 3 x 3, or a 5-long row for each k; B the picture. */
FORM void form_convolution(LIST)
{
  for (int i = 0; i < m && i < l - 2; i++)
    for (int j = 0; j < n - 2; j++)
      LOOP(p, 3) LOOP(q, 3) C(i, j) += A(p, q) * B(i + p, j + q);
}
FORM void form_channels(LIST)
{
  /* C[o][j] += A[o][r * 3 + q] * B[r][j + q] */
  int r = l / 3;
  LOOP(o, m) for (int j = 0; j < n - 2; j++) LOOP(p, r) LOOP(q, 3) C(o, j) += A(o, p * 3 + q) * B(p, j + q);
}
FORM void form_polynomials(LIST)
{
  LOOP(i, m) LOOP(j, n / 2) LOOP(k, n / 2) if (k < l) C(i, j + k) += A(i, k) * B(k, j);
}
FORM void form_diagonals(LIST)
{
  SQUARE;
  LOOP(i, s) for (int j = 0; j < s - i; j++) LOOP(k, s) C(i, i + j) += A(k, i) * B(k, i + j);
}
