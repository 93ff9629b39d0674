// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program keeps memory of its buffers from one use to the next: allocated once, it serves all later uses that need no more,
// at most of the megabytes that the option says; two threads never have the same; where there is none, the original runs;
// errno stays as it was. It is freed where the program ends, or the shared library is unloaded.
//
// DEFINE: %{options} = -mllvm -tessera-force -mllvm -tessera-keep-buffers=32 -mllvm -tessera-expand=always -mllvm -tessera-only=product
//
// RUN: %source-ir %s | %tessera-opt -passes='tessera<only=product;force;keep-buffers=32>' -S | %FileCheck %s --check-prefix=IR
// IR-DAG: @__tessera_memory.1 = linkonce_odr hidden global ptr null, comdat
// IR-DAG: @llvm.global_dtors = appending global {{.*}} @__tessera_memory_free.1
// IR: [[MEMORY:%.*]] = call noalias ptr @__tessera_memory_take.1(i64 {{.*}}, i64 33554432)
// IR: call void @__tessera_memory_give.1(ptr [[MEMORY]], i64 33554432)
// IR: define linkonce_odr hidden ptr @__tessera_memory_take.1(
//
// No functions, and no place, where nothing has such buffers.
// RUN: %source-ir %s | %tessera-opt -passes='tessera<only=main;force>' -S | %FileCheck %s --check-prefix=NONE
// RUN: %source-ir %s | %tessera-opt -passes='tessera<force;keep-buffers=0>' -S | %FileCheck %s --check-prefix=NONE
// Nor with sanitizers, which know malloc and free.
// RUN: %source-ir %s -fsanitize=thread | %tessera-opt -passes='tessera<only=product;force>' -S | %FileCheck %s --check-prefixes=NONE,WATCHED
// NONE-NOT: __tessera_memory
// WATCHED: call noalias ptr @malloc(
// WATCHED-NOT: __tessera_memory
//
// Two objects share one place.
// RUN: %clang -O2 -DALLOCATOR -c %s -o %t.allocator.o
// RUN: %clang -O2 -march=x86-64-v3 -fpass-plugin=%plugin %{options} -DOTHER -c %s -o %t.other.o
// RUN: %clang -O2 -march=x86-64-v3 -fpass-plugin=%plugin %{options} -c %s -o %t.o
// RUN: %clang %t.o %t.other.o %t.allocator.o -o %t && %t | %FileCheck %s
// CHECK: first: 1 allocated, 0 freed
// CHECK: later: 1 allocated, 0 freed
// CHECK: smaller, from the other file: 1 allocated, 0 freed
// CHECK: larger: 2 allocated, 1 freed
// CHECK: smaller again: 2 allocated, 1 freed
// CHECK: too large to be kept: 3 allocated, 2 freed
// CHECK: threads: 0 are wrong
// CHECK: kept: right
// CHECK: no memory for a larger one: {{[0-9]+}} allocated, {{[0-9]+}} freed{{$}}
// CHECK: none left: right
// CHECK: at the end: 0 open
//
// RUN: %clang -O2 -march=x86-64-v3 -fPIC -shared -fpass-plugin=%plugin %{options} -DOTHER %s -o %t.so
// RUN: %clang -O2 -DLOADS %s %t.allocator.o -o %t.loads && %t.loads %t.so | %FileCheck %s --check-prefix=LOADED
// LOADED: loaded: 1 allocated, 0 freed
// LOADED: unloaded: 1 allocated, 1 freed

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int refuse, allocated, freed;

#ifdef ALLOCATOR
void *__libc_malloc(size_t size);
void __libc_free(void *p);
size_t malloc_usable_size(void *p);

int refuse, allocated, freed;

enum { LEAST = 1 << 15 }; /* less isn't for buffers here */

void *malloc(size_t size)
{
  if (size < LEAST)
    return __libc_malloc(size);
  errno = ENOMEM;
  if (refuse)
    return NULL;
  __atomic_add_fetch(&allocated, 1, __ATOMIC_RELAXED);
  return __libc_malloc(size);
}

void free(void *p)
{
  if (p && malloc_usable_size(p) >= LEAST)
    __atomic_add_fetch(&freed, 1, __ATOMIC_RELAXED);
  errno = EINVAL;
  __libc_free(p);
}

__attribute__((destructor(101))) static void tell(void)
{
  printf("at the end: %d open\n", allocated - freed);
}

#elif defined(LOADS)

int main(int argc, char **argv)
{
  static double c[300 * 300], a[300 * 300], b[300 * 300];
  void *library = dlopen(argv[argc - 1], RTLD_NOW);
  void (*product)(int, double *, double *, double *) = library ? dlsym(library, "product_of_other") : NULL;
  if (!product)
    return 1;
  allocated = freed = 0;
  product(300, c, a, b);
  product(300, c, a, b);
  printf("loaded: %d allocated, %d freed\n", allocated, freed);
  dlclose(library);
  printf("unloaded: %d allocated, %d freed\n", allocated, freed);
  return 0;
}

#else

#ifdef OTHER
#define PRODUCT product_of_other
#else
#define PRODUCT product
#endif

__attribute__((noinline)) void PRODUCT(int n, double (*restrict c)[n], double (*restrict a)[n], double (*restrict b)[n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0; /* an array of all sums is one of the buffers */
      for (int k = 0; k < n; k++)
        sum += a[i][k] * b[k][j];
      c[i][j] = 0.5 * sum + 2 * c[i][j];
    }
}

#ifndef OTHER

void product_of_other(int n, double (*restrict c)[n], double (*restrict a)[n], double (*restrict b)[n]);

/* Not inlined, not optimised: as it is written. */
__attribute__((noinline, optnone)) static void plain(int n, double *c, double *a, double *b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = 0.5 * sum + 2 * c[i * n + j];
    }
}

enum { N = 130, LARGE = 2200, ROUNDS = 20 };

static double *fill(int n, double step)
{
  double *x = malloc((size_t)n * n * sizeof(*x));
  for (int i = 0; i < n * n; i++)
    x[i] = i % 17 * step - 1;
  return x;
}

static double *x, *y, *expected;

/* Products in a thread: how many are wrong. */
static void *run(void *wrong)
{
  double *c = fill(N, 0);
  for (int r = 0; r < ROUNDS; r++) {
    for (int i = 0; i < N * N; i++)
      c[i] = 1;
    product(N, (void *)c, (void *)x, (void *)y);
    *(int *)wrong += memcmp(c, expected, N * N * sizeof(*c)) != 0;
  }
  free(c);
  return NULL;
}

static void tell(const char *what)
{
  printf("%s: %d allocated, %d freed%s\n", what, allocated, freed, errno == 77 ? "" : ", errno is lost");
}

int main(void)
{
  double *c = fill(LARGE, 0);
  int wrong[3] = {0};
  pthread_t thread[3];
  x = fill(LARGE, 0.25);
  y = fill(LARGE, 0.5);
  expected = fill(N, 0);
  for (int i = 0; i < N * N; i++)
    expected[i] = 1;
  plain(N, expected, x, y);
  allocated = freed = 0;
  errno = 77;
  product(N, (void *)c, (void *)x, (void *)y);
  tell("first");
  for (int r = 0; r < 5; r++)
    product(N, (void *)c, (void *)x, (void *)y);
  tell("later");
  product_of_other(N - 30, (void *)c, (void *)x, (void *)y);
  tell("smaller, from the other file");
  product(2 * N, (void *)c, (void *)x, (void *)y);
  tell("larger");
  product(N, (void *)c, (void *)x, (void *)y);
  tell("smaller again");
  product(LARGE, (void *)c, (void *)x, (void *)y);
  tell("too large to be kept");
  for (int i = 0; i < 3; i++)
    pthread_create(&thread[i], NULL, run, &wrong[i]);
  for (int i = 0; i < 3; i++)
    pthread_join(thread[i], NULL);
  printf("threads: %d are wrong\n", wrong[0] + wrong[1] + wrong[2]);
  errno = 77;
  refuse = 1;
  for (int i = 0; i < N * N; i++)
    c[i] = 1;
  product(N, (void *)c, (void *)x, (void *)y);
  printf("kept: %s\n", memcmp(c, expected, N * N * sizeof(*c)) ? "wrong" : "right");
  for (int i = 0; i < N * N; i++)
    c[i] = 1;
  product(4 * N, (void *)c, (void *)x, (void *)y);
  tell("no memory for a larger one");
  for (int i = 0; i < N * N; i++)
    c[i] = 1;
  product(N, (void *)c, (void *)x, (void *)y);
  printf("none left: %s\n", memcmp(c, expected, N * N * sizeof(*c)) ? "wrong" : "right");
  return 0; /* what was allocated before is not counted, and stays */
}
#endif
#endif
