/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Types of elements. */
#include <complex.h>
#include <stdbool.h>

#include "forms.h"

static _Alignas(64) unsigned char buf[2][40 * 40 * 16];

#define TYPED(NAME, TYPE)                                                                                                   \
  FORM void NAME(TYPE *a, TYPE *b, int n)                                                                                   \
  {                                                                                                                         \
    for (int i = 0; i < n; i++)                                                                                             \
      for (int j = 0; j < n; j++)                                                                                           \
        a[i * 40 + j] = a[i * 40 + j] * 3 + b[j * 40 + i];                                                                  \
  }

/* form: int8_t */
TYPED(form_i8, int8_t)

/* form: uint8_t */
TYPED(form_u8, uint8_t)

/* form: int16_t */
TYPED(form_i16, int16_t)

/* form: uint16_t */
TYPED(form_u16, uint16_t)

/* form: int32_t */
TYPED(form_i32, int32_t)

/* form: uint32_t */
TYPED(form_u32, uint32_t)

/* form: int64_t */
TYPED(form_i64, int64_t)

/* form: uint64_t */
TYPED(form_u64, uint64_t)

/* form: __int128 */
TYPED(form_i128, __int128)

/* form: _Float16 */
TYPED(form_half, _Float16)

/* form: float */
TYPED(form_float, float)

/* form: double */
TYPED(form_double, double)

/* form: _Complex float */
TYPED(form_complex_float, _Complex float)

/* form: long double */
TYPED(form_x87, long double)

typedef float float4 __attribute__((vector_size(16)));
/* form: vectors of four floats */
TYPED(form_vector, float4)

/* form: volatile */
TYPED(form_volatile, volatile double)

/* form: _Atomic */
TYPED(form_atomic, _Atomic int)

/* form: __bf16 */
FORM void form_bfloat(__bf16 *a, __bf16 *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] = b[j * 40 + i];
}

/* form: __bf16 to float */
FORM void form_bfloat_float(float *a, __bf16 *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] = a[i * 40 + j] * 2 + (float)b[j * 40 + i];
}

/* form: bool */
FORM void form_truth(bool *a, bool *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] = a[i * 40 + j] != b[j * 40 + i];
}

struct pixel {
  unsigned red : 5, green : 6, blue : 5;
};
/* form: bit-fields */
FORM void form_bitfields(struct pixel *a, struct pixel *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j].green += b[j * 40 + i].red;
}

/* form: float to double and back */
FORM void form_mixed(float *a, double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] = (float)(a[i * 40 + j] * b[j * 40 + i]);
}

/* form: 8-bit product, 32-bit sum */
FORM void form_widening(int *c, const int8_t *a, const int8_t *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * 40 + j] += a[i * 40 + k] * b[k * 40 + j];
}

/* form: bytes to float, table of 256 */
FORM void form_table(float *restrict a, const uint8_t *restrict b, const float *restrict table, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * 40 + j] += table[b[j * 40 + i]];
}

#define FILL(TYPE)                                                                                                          \
  for (int k = 0; k < 2; k++)                                                                                               \
    for (int i = 0; i < 40 * 40; i++)                                                                                       \
      ((TYPE *)buf[k])[i] = (TYPE)(i * (7 + k) % 11 + 1);

int main(void)
{
#define TRY(NAME, ARGS)                                                                                                     \
  do {                                                                                                                      \
    form_##NAME ARGS;                                                                                                       \
    show(#NAME, buf, sizeof(buf));                                                                                          \
  } while (0)
#define EACH(NAME, TYPE)                                                                                                    \
  memset(buf, 0, sizeof(buf));                                                                                              \
  FILL(TYPE);                                                                                                               \
  TRY(NAME, ((TYPE *)buf[0], (TYPE *)buf[1], 33));                                                                          \
  TRY(NAME, ((TYPE *)buf[0], (TYPE *)buf[1], 0));                                                                           \
  TRY(NAME, ((TYPE *)buf[0], (TYPE *)buf[1], 1));                                                                           \
  TRY(NAME, ((TYPE *)buf[0], (TYPE *)buf[0], 31));                                                                          \
  TRY(NAME, ((TYPE *)buf[0], (TYPE *)buf[0] + 3, 17))
  EACH(i8, int8_t);
  EACH(u8, uint8_t);
  EACH(i16, int16_t);
  EACH(u16, uint16_t);
  EACH(i32, int32_t);
  EACH(u32, uint32_t);
  EACH(i64, int64_t);
  EACH(u64, uint64_t);
  EACH(i128, __int128);
  EACH(half, _Float16);
  EACH(float, float);
  EACH(double, double);
  EACH(complex_float, _Complex float);
  memset(buf, 0, sizeof(buf));
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 40 * 40; i++)
      for (int l = 0; l < 4; l++)
        ((float4 *)buf[k])[i][l] = (float)(i * (7 + k) % 11 + l);
  TRY(vector, ((float4 *)buf[0], (float4 *)buf[1], 33));
  EACH(volatile, double);
  EACH(truth, bool);
  memset(buf, 0, sizeof(buf));
  FILL(int);
  TRY(atomic, ((_Atomic int *)buf[0], (_Atomic int *)buf[1], 33));
  TRY(bitfields, ((struct pixel *)buf[0], (struct pixel *)buf[1], 33));
  TRY(bitfields, ((struct pixel *)buf[0], (struct pixel *)buf[0] + 1, 33));
  FILL(uint16_t);
  TRY(bfloat, ((__bf16 *)buf[0], (__bf16 *)buf[1], 33));
  TRY(bfloat, ((__bf16 *)buf[0], (__bf16 *)buf[0] + 3, 33));
  memset(buf, 0, sizeof(buf));
  for (int i = 0; i < 40 * 40; i++)
    ((float *)buf[0])[i] = (float)(i % 7), ((uint16_t *)buf[1])[i] = (uint16_t)(0x3f80 + i % 64);
  TRY(bfloat_float, ((float *)buf[0], (__bf16 *)buf[1], 33));
  for (int i = 0; i < 40 * 40; i++)
    ((double *)buf[1])[i] = i % 5 / 4.0;
  TRY(mixed, ((float *)buf[0], (double *)buf[1], 33));
  TRY(mixed, ((float *)buf[0], (double *)buf[0], 0));
  memset(buf, 0, sizeof(buf));
  for (int i = 0; i < 2 * 40 * 40; i++)
    ((int8_t *)buf[1])[i] = (int8_t)(i * 37);
  TRY(widening, ((int *)buf[0], (int8_t *)buf[1], (int8_t *)buf[1] + 1600, 33));
  TRY(widening, ((int *)buf[0], (int8_t *)buf[0], (int8_t *)buf[1] + 1600, 17));
  for (int i = 0; i < 256; i++)
    ((float *)(buf[1] + 8000))[i] = (float)(i % 13);
  memset(buf[0], 0, sizeof(buf[0]));
  TRY(table, ((float *)buf[0], (uint8_t *)buf[1], (float *)(buf[1] + 8000), 33));
  return 0;
}
