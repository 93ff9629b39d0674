/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays: how their elements are named. */
#include "forms.h"

#define N 24
static double ga[N][N], gb[N][N], gc[N][N];
static double buf[4][40000];

/* form: global array, fixed size */
FORM void form_global(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      ga[i][j] = gb[j][i] + gc[i][j];
}

/* form: local array, fixed size */
FORM void form_local(double *out)
{
  double a[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = gb[j][i] + i;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      out[j * N + i] = a[i][j] * 2;
}

/* form: parameter a[][N] */
FORM void form_parameter(double a[][N], double b[][N], int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < N; j++)
      a[i][j] += b[i][N - 1 - j];
}

/* form: C99 variable-length array parameter a[n][m] */
FORM void form_vla(int n, int m, double a[n][m], double b[m][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] += b[j][i];
}

/* form: local variable-length array */
FORM void form_vla_local(int n, double *out)
{
  double a[n][n];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[j][i] = gb[i % N][0] + j;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      out[i * n + j] = a[i][j] + 1;
}

/* form: malloc'd pointer to rows, double (*a)[m] */
FORM void form_pointer_to_rows(int n, int m, double *out)
{
  double (*a)[m] = malloc(sizeof(double[n][m]));
  if (!a)
    return;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = i * 3 + j;
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      out[j * n + i] = a[i][j];
  free(a);
}

/* form: double *a, a[i*n+j] */
FORM void form_linear(double *a, double *b, double *c, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      c[i * n + j] = 0;
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

/* form: leading dimension, a[i*ld+j] */
FORM void form_leading(double *a, double *b, int n, int m, int lda, int ldb)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i * lda + j] += b[j * ldb + i];
}

/* form: leading dimension, size_t */
FORM void form_leading_size_t(double *a, double *b, size_t n, size_t m, size_t lda, size_t ldb)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++)
      a[i * lda + j] += b[j * ldb + i];
}

/* form: column-major a[i+j*ld] */
FORM void form_column_major(double *a, double *b, int n, int lda)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i + j * lda] += b[i * lda + j];
}

/* form: 3-D linear a[(i*m+j)*l+k] */
FORM void form_linear3(double *a, double *b, int n, int m, int l)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++)
        a[(i * m + j) * l + k] += b[(k * m + j) * n + i];
}

/* form: 3-D linear, expanded a[i*m*l+j*l+k] */
FORM void form_linear3_expanded(double *a, double *b, int n, int m, int l)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++)
        a[i * m * l + j * l + k] += b[k * m * n + j * n + i];
}

/* form: 4-D linear (NCHW) */
FORM void form_linear4(double *a, double *b, int n, int c, int h, int w)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < c; j++)
      for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
          a[((i * c + j) * h + y) * w + x] = b[((i * h + y) * w + x) * c + j];
}

/* form: row pointer from an offset, double *r = a + i*n */
FORM void form_row_pointer(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++) {
    double *r = a + i * n;
    for (int j = 0; j < n; j++)
      r[j] += b[j * n + i];
  }
}

/* form: sub-array behind a pointer offset */
FORM void form_sub_array(double *a, int n, int ld, int r, int c)
{
  double *block = a + (size_t)r * ld + c;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      block[j * ld + i] += block[(i + n) * ld + j];
}

struct complex {
  double re, im;
};
/* form: array of structs */
FORM void form_structs(struct complex *a, struct complex *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[i * n + j].re += b[j * n + i].re;
      a[i * n + j].im -= b[j * n + i].im;
    }
}

/* form: _Complex double */
FORM void form_complex(_Complex double *a, _Complex double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] += b[j * n + i];
}

/* form: interleaved channels img[(y*w+x)*3+c] */
FORM void form_channels(unsigned char *img, unsigned char *out, int w, int h)
{
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int c = 0; c < 3; c++)
        out[(c * h + y) * w + x] = 255 - img[(y * w + x) * 3 + c];
}

/* form: rows and planes at distances of their own a[k*plane+i*row+j] */
FORM void form_pitches(double *a, double *b, int n, int m, int row, int plane, int row_b, int plane_b)
{
  for (int k = 0; k < n; k++)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++)
        a[k * plane + i * row + j] += b[k * plane_b + j * row_b + i];
}

/* form: one loop over all elements, k / w and k % w */
FORM void form_flat_index(double *a, double *b, int h, int w)
{
  for (int k = 0; k < h * w; k++)
    a[k] += b[k / w] * 2 + b[k % w];
}

/* form: hand-made tiles, i = it; i < min(n, it + tile) */
FORM void form_hand_tiled(double *a, double *b, double *c, int n, int tile)
{
  for (int it = 0; it < n; it += tile)
    for (int jt = 0; jt < n; jt += tile)
      for (int i = it; i < (n < it + tile ? n : it + tile); i++)
        for (int j = jt; j < (n < jt + tile ? n : jt + tile); j++)
          a[i * n + j] += b[i * n + j] * c[j * n + i];
}

/* form: a thread's part of the rows, sizes by reference */
FORM void form_range(double *a, double *b, double *c, int *n, int from, int to)
{
  for (int i = from; i < to; i++)
    for (int j = 0; j < *n; j++) {
      double sum = 0;
      for (int k = 0; k < *n; k++)
        sum += b[i * *n + k] * c[k * *n + j];
      a[i * *n + j] = sum;
    }
}

/* form: neighbours by offsets that stay at borders, i == 0 ? c : c - w */
FORM void form_border_offsets(double *a, double *b, int h, int w)
{
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++) {
      int c = i * w + j, north = i == 0 ? c : c - w, east = j == w - 1 ? c : c + 1;
      a[c] += b[north] + b[east] * 2;
    }
}

/* form: planes of h*w elements a[i+h*w*k] */
FORM void form_flat_planes(double *a, double *b, int n, int h, int w)
{
  for (int k = 0; k < n; k++)
    for (int i = 0; i < h * w; i++)
      a[i + h * w * k] += b[k];
}

/* form: heads of n/heads elements, three rows side by side */
FORM void form_heads(double *a, double *b, int rows, int n, int heads)
{
  int size = n / heads;
  for (int t = 0; t < rows; t++)
    for (int h = 0; h < heads; h++)
      for (int i = 0; i < size; i++)
        a[t * n + h * size + i] += b[t * n * 3 + n * 2 + h * size + i] * b[t * n * 3 + n + h * size + i];
}

/* form: layer of an array, sizes in wider numbers */
FORM void form_layer(double *a, double *b, size_t rows, size_t columns, size_t layer)
{
  double *x = a + layer * rows * columns;
  int n = (int)rows, m = (int)columns;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      x[i * m + j] += b[j];
}

/* form: pointer that may be null */
FORM void form_null(double *a, double *b, double *bias, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] = b[j * n + i] + (bias ? bias[j] : 0);
}

/* form: sum of products of complex numbers in a structure */
FORM void form_complex_product(double (*a)[2], double (*b)[2], double (*c)[2], int n, int ld)
{
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++) {
        double re = a[i * ld + j][0] + b[i * ld + k][0] * c[k * ld + j][0] - b[i * ld + k][1] * c[k * ld + j][1];
        double im = a[i * ld + j][1] + b[i * ld + k][0] * c[k * ld + j][1] + b[i * ld + k][1] * c[k * ld + j][0];
        a[i * ld + j][0] = re;
        a[i * ld + j][1] = im;
      }
}

struct mixed {
  int key;
  double value[3];
};
/* form: struct with fields of several sizes */
FORM void form_mixed_struct(struct mixed *a, int n)
{
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++)
      a[i].value[k] += a[i].key;
}

struct grid {
  int n;
  double cell[N][N];
  double next[N][N];
};
/* form: arrays inside a struct */
FORM void form_in_struct(struct grid *g)
{
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      g->next[i][j] = g->cell[j][i - 1] + g->cell[j][i + 1];
}

/* form: bound in a struct, g->n */
FORM void form_bound_in_struct(struct grid *g)
{
  for (int i = 0; i < g->n; i++)
    for (int j = 0; j < g->n; j++)
      g->next[i][j] = g->cell[j][i] + 1;
}

struct matrix {
  int n, m;
  double *data;
};
/* form: struct with pointer and sizes */
FORM void form_matrix_struct(struct matrix *a, const struct matrix *b)
{
  for (int i = 0; i < a->n; i++)
    for (int j = 0; j < a->m; j++)
      a->data[i * a->m + j] += b->data[j * b->m + i];
}

/* form: struct with pointer and sizes, by value */
FORM void form_matrix_value(struct matrix a, struct matrix b)
{
  for (int i = 0; i < a.n; i++)
    for (int j = 0; j < a.m; j++)
      a.data[i * a.m + j] += b.data[j * b.m + i];
}

static double *gp, *gq;
static int gn;
/* form: global pointers and bound */
FORM void form_global_pointers(void)
{
  for (int i = 0; i < gn; i++)
    for (int j = 0; j < gn; j++)
      gp[i * gn + j] += gq[j * gn + i];
}

/* form: double **, rows */
FORM void form_rows(double **a, double **b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] += b[i][n - 1 - j];
}

/* form: double **, columns */
FORM void form_rows_transposed(double **a, double **b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] += b[j][i];
}

/* form: array of a few pointers, planes[c][i] */
FORM void form_planes(double *planes[3], int n, int w)
{
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++)
      planes[0][y * w + x] = planes[1][x * w + y] + planes[2][y * w + x];
}

/* form: pointer bumping, *p++ */
FORM void form_bump(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++) {
    double *p = a + i * n, *q = b + i;
    for (int j = 0; j < n; j++, q += n)
      *p++ += *q;
  }
}

/* form: pointer bumping over all rows */
FORM void form_bump_all(double *a, double *b, int n)
{
  double *p = a;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      *p++ += b[j * n + i];
}

/* form: pointer as induction variable */
FORM void form_pointer_loop(double *a, double *b, int n)
{
  for (double *p = a; p != a + n; p++)
    for (double *q = b; q < b + n; q++)
      *p += *q;
}

/* form: pointers to begin and end, p < end */
FORM void form_pointer_ends(double *a, double *b, int n)
{
  double *a_end = a + n, *b_end = b + n;
  for (double *p = a; p < a_end; p++)
    for (double *q = b; q < b_end; q++)
      *p += *q;
}

/* form: one buffer, two element sizes */
FORM void form_two_sizes(double *a, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      ((float *)a)[(i * n + j) * 2] = (float)a[(i + n) * n + j];
}

/* form: copy as memcpy in the loop */
FORM void form_memcpy(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    memcpy(a + i * n, b + i * n, n * sizeof(double));
}

/* form: memset in the loop */
FORM void form_memset(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++) {
    memset(a + i * n, 0, n * sizeof(double));
    for (int j = 0; j < n; j++)
      a[i * n + j] += b[j * n + i];
  }
}

/* form: two buffers in turn, a[t % 2][i] */
FORM void form_two_buffers(double (*a)[60], int n, int m)
{
  for (int t = 0; t < n; t++)
    for (int i = 1; i < m - 1; i++)
      a[(t + 1) % 2][i] = (a[t % 2][i - 1] + a[t % 2][i + 1]) * 0.5;
}

/* form: ring buffer, a[i & 7][j] */
FORM void form_ring(double (*a)[60], double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i & 7][j] += b[j * 40 + i];
}

/* form: struct assignment */
FORM void form_struct_copy(struct mixed *a, struct mixed *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] = b[j * n + i];
}

static _Thread_local double tl[N][N];
/* form: thread_local array */
FORM void form_thread_local(double *a)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      tl[i][j] = a[j * N + i] + tl[i][j];
}

/* form: subscript read from memory */
FORM void form_indirect(double *a, double *b, int *index, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] = b[index[j]];
}

/* form: subscript read from memory, restrict */
FORM void form_gather(double *restrict a, double *restrict b, int *restrict index, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[j * n + i] += b[index[i]];
}

/* form: histogram, subscripts of 8 bits */
FORM void form_histogram(int *count, unsigned char *image, double *a, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      count[image[i * n + j]]++;
      a[j * n + i] += i;
    }
}

/* form: sparse rows, restrict */
FORM void form_sparse(double *restrict y, const double *restrict x, const int *restrict row, const int *restrict column,
                      int n)
{
  for (int i = 0; i < n; i++) {
    for (int k = row[i]; k < row[i + 1]; k++)
      y[i] += x[column[k]];
    for (int j = 0; j < n; j++)
      y[(j + 1) * n + i] += y[i];
  }
}

/* form: product of counters */
FORM void form_product(double *a, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * j] += 1;
}

/* form: packed triangle a[i*(i+1)/2+j] */
FORM void form_packed(double *a, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      a[i * (i + 1) / 2 + j] += 1;
}

int main(void)
{
  static double *row[4][N];
  int n = 20, m = 17;
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < N; i++)
      row[k][i] = buf[k] + (k * i * 3 % N) * N; /* rows in no particular order */
  fill(ga[0], N * N), fill(gb[0], N * N), fill(gc[0], N * N), fill(tl[0], N * N);
#define TRY(NAME, ARGS)                                                                                                     \
  do {                                                                                                                      \
    for (int k = 0; k < 4; k++)                                                                                             \
      fill(buf[k], 40000);                                                                                                  \
    form_##NAME ARGS;                                                                                                       \
    show(#NAME, buf, sizeof(buf));                                                                                          \
  } while (0)
  double *a = buf[0], *b = buf[1], *c = buf[2];
  form_global();
  show("global", ga, sizeof(ga));
  TRY(local, (a));
  TRY(parameter, ((void *)a, (void *)b, n));
  TRY(vla, (n, m, (void *)a, (void *)b));
  TRY(vla, (n, m, (void *)a, (void *)(a + 3)));
  TRY(vla_local, (n, a));
  TRY(pointer_to_rows, (n, m, a));
  TRY(linear, (a, b, c, n));
  TRY(linear, (a, b, a + 1, n));
  TRY(leading, (a, b, n, m, 21, 30));
  TRY(leading, (a, a, n, m, 21, 30));
  TRY(leading, (a, b, n, m, 5, 2));
  TRY(leading_size_t, (a, b, n, m, 21, 30));
  TRY(column_major, (a, b, n, 33));
  TRY(linear3, (a, b, n, m, 7));
  TRY(linear3_expanded, (a, b, n, m, 7));
  TRY(linear4, (a, b, 3, 4, n, m));
  TRY(row_pointer, (a, b, n));
  TRY(row_pointer, (a, a + 7, n));
  TRY(sub_array, (a, n, 50, 3, 4));
  TRY(structs, ((void *)a, (void *)b, n));
  TRY(structs, ((void *)a, (void *)(a + 2), n));
  TRY(complex, ((void *)a, (void *)b, n));
  TRY(channels, ((void *)a, (void *)b, n, m));
  TRY(pitches, (a, b, n, m, 18, 310, 19, 330));
  TRY(pitches, (a, a, n, m, 18, 310, 19, 330));
  TRY(pitches, (a, b, n, m, 7, 90, 11, 40));
  int size = n;
  TRY(flat_index, (a, b, n, m));
  TRY(hand_tiled, (a, b, c, n, 5));
  TRY(hand_tiled, (a, b, a + 1, n, 16));
  TRY(range, (a, b, c, &size, 1, n - 2));
  TRY(border_offsets, (a, b, n, m));
  TRY(border_offsets, (a, a, n, m));
  TRY(flat_planes, (a, b, n, m, 5));
  TRY(heads, (a, b, n, 24, 4));
  TRY(heads, (a, b, n, 25, 4));
  TRY(layer, (a, b, (size_t)n, (size_t)m, 3));
  TRY(null, (a, b, c, n));
  TRY(null, (a, b, NULL, n));
  TRY(complex_product, ((void *)a, (void *)b, (void *)c, n, 21));
  TRY(complex_product, ((void *)a, (void *)(a + 6), (void *)c, n, 21));
  TRY(mixed_struct, ((void *)c, n));
  struct grid *g = (void *)a;
  TRY(in_struct, (g));
  fill(a, 40000);
  g->n = n;
  form_bound_in_struct(g);
  show("bound_in_struct", buf, sizeof(buf));
  struct matrix x = {n, m, a}, y = {n, n, b};
  TRY(matrix_struct, (&x, &y));
  TRY(matrix_value, (x, y));
  gp = a, gq = b, gn = n;
  TRY(global_pointers, ());
  TRY(rows, (row[0], row[1], n));
  TRY(rows, (row[0], row[0], n));
  TRY(rows_transposed, (row[0], row[1], n));
  TRY(rows_transposed, (row[0], row[0], n));
  TRY(planes, ((double *[]){a, b, c}, n, n));
  TRY(planes, ((double *[]){a, a + 1, c}, n, n));
  TRY(bump, (a, b, n));
  TRY(bump_all, (a, b, n));
  TRY(pointer_loop, (a, b, n));
  TRY(pointer_ends, (a, b, n));
  TRY(pointer_loop, (a, a + 3, n));
  TRY(pointer_ends, (a, a + 3, n));
  TRY(two_sizes, (c, n));
  TRY(memcpy, (a, b, n));
  TRY(memset, (a, b, n));
  TRY(two_buffers, ((void *)a, n, 50));
  TRY(ring, ((void *)a, b, n));
  TRY(ring, ((void *)a, a + 3, n));
  TRY(struct_copy, ((void *)a, (void *)b, n));
  form_thread_local(b);
  show("thread_local", tl, sizeof(tl));
  int index[N];
  for (int i = 0; i < N; i++)
    index[i] = i * 5 % N;
  TRY(indirect, (a, b, index, n));
  TRY(gather, (a, b, index, n));
  TRY(histogram, ((int *)c, (unsigned char *)b, a, n));
  TRY(histogram, ((int *)b, (unsigned char *)b, a, n));
  int from[N + 1];
  for (int i = 0; i <= N; i++)
    from[i] = i * i % 40;
  TRY(sparse, (a, b, from, index, n > 8 ? 8 : n));
  TRY(product, (a, n));
  TRY(packed, (a, n));
  return 0;
}
