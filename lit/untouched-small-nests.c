// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nests that are too small to gain leave the object as it is, also where they are inlined.
//
// RUN: %clang -O3 -c %s -o %t.plain.o
// RUN: %clang -O3 -fpass-plugin=%plugin -Rpass=tessera -c %s -o %t.o 2>&1 | %count 0
// RUN: cmp %t.plain.o %t.o
// RUN: %clang -O2 -g -c %s -o %t.plain.o
// RUN: %clang -O2 -g -fpass-plugin=%plugin -c %s -o %t.o
// RUN: cmp %t.plain.o %t.o

struct matrix {
  double at[3][3];
};

static struct matrix product(struct matrix a, struct matrix b)
{
  struct matrix c = {{{0}}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        c.at[i][j] += a.at[i][k] * b.at[k][j];
  return c;
}

struct matrix cube(struct matrix a)
{
  return product(product(a, a), a);
}

double norm(const struct matrix *m)
{
  double sum = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      sum += m->at[i][j] * m->at[i][j];
  return sum;
}

static const char *const names[] = {"one", "two", "three"};
static const int values[] = {1, 2, 3};

const char *name(int value)
{
  for (int i = 0; i < 3; i++)
    if (values[i] == value)
      return names[i];
  return "none";
}
