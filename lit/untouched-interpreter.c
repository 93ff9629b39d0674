// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An interpreter with computed gotos and variable arguments leaves the object as it is.
//
// RUN: %clang -O3 -c %s -o %t.plain.o
// RUN: %clang -O3 -fpass-plugin=%plugin -Rpass=tessera -c %s -o %t.o 2>&1 | %count 0
// RUN: cmp %t.plain.o %t.o
// RUN: %clang -O2 -g -c %s -o %t.plain.o
// RUN: %clang -O2 -g -fpass-plugin=%plugin -c %s -o %t.o
// RUN: cmp %t.plain.o %t.o

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

static jmp_buf failure;

int run(const unsigned char *code, int *stack)
{
  static const void *const op[] = {&&push, &&add, &&jump, &&stop};
  int top = 0;
  goto *op[*code];
push:
  stack[top++] = code[1];
  code += 2;
  goto *op[*code];
add:
  top--;
  stack[top - 1] += stack[top];
  goto *op[*++code];
jump:
  if (top < 0)
    longjmp(failure, 1);
  code += stack[--top] ? code[1] : 2;
  goto *op[*code];
stop:
  return stack[0];
}

int sum(int n, ...)
{
  int total = 0;
  va_list list;
  va_start(list, n);
  for (int i = 0; i < n; i++)
    total += va_arg(list, int);
  va_end(list);
  return total;
}

int guarded(const unsigned char **programs, int n, int *stack)
{
  volatile int done = 0;
  if (setjmp(failure))
    return done;
  for (int i = 0; i < n; i++) {
    printf("%d\n", run(programs[i], stack));
    done = done + 1;
  }
  return done;
}
