/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* C := beta C + alpha op(A) op(B), plain loops in the order that ORDER names; op transposes where TA or TB is set. REAL: the
 * type; NAME: of the function. Leading dimensions as in BLAS, rows contiguous. */
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define A_IK (TA ? A[k * lda + i] : A[i * lda + k])
#define B_KJ (TB ? B[j * ldb + k] : B[k * ldb + j])
#define FOR_i for (long i = 0; i < m; i++)
#define FOR_j for (long j = 0; j < n; j++)
#define FOR_k for (long k = 0; k < l; k++)
#define ORDER_ijk FOR_i FOR_j FOR_k
#define ORDER_ikj FOR_i FOR_k FOR_j
#define ORDER_jik FOR_j FOR_i FOR_k
#define ORDER_jki FOR_j FOR_k FOR_i
#define ORDER_kij FOR_k FOR_i FOR_j
#define ORDER_kji FOR_k FOR_j FOR_i

void NAME(long m, long n, long l, REAL alpha, REAL *A, long lda, REAL *B, long ldb, REAL beta, REAL *C, long ldc)
{
  FOR_i FOR_j C[i * ldc + j] *= beta;
  CAT(ORDER_, ORDER) C[i * ldc + j] += alpha * A_IK * B_KJ;
}
