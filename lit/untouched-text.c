// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that search, sort and format leave the object as it is.
//
// RUN: %clang -O3 -c %s -o %t.plain.o
// RUN: %clang -O3 -fpass-plugin=%plugin -Rpass=tessera -c %s -o %t.o 2>&1 | %count 0
// RUN: cmp %t.plain.o %t.o
// RUN: %clang -O2 -g -c %s -o %t.plain.o
// RUN: %clang -O2 -g -fpass-plugin=%plugin -c %s -o %t.o
// RUN: cmp %t.plain.o %t.o

#include <ctype.h>
#include <stdio.h>
#include <string.h>

int words(const char *text)
{
  int n = 0, inside = 0;
  for (; *text; text++) {
    if (!isspace((unsigned char)*text) && !inside)
      n++;
    inside = !isspace((unsigned char)*text);
  }
  return n;
}

void sort(const char **list, int n)
{
  for (int i = 1; i < n; i++) {
    const char *item = list[i];
    int k = i;
    for (; k > 0 && strcmp(list[k - 1], item) > 0; k--)
      list[k] = list[k - 1];
    list[k] = item;
  }
}

unsigned crc(const unsigned char *data, unsigned long n)
{
  unsigned c = ~0u;
  while (n--) {
    c ^= *data++;
    for (int k = 0; k < 8; k++)
      c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
  }
  return ~c;
}

void hex(const unsigned char *data, int n)
{
  static int lines;
  for (int i = 0; i < n; i += 16, lines++) {
    printf("%4d: ", lines);
    for (int k = i; k < i + 16 && k < n; k++)
      printf("%02x%s", data[k], k % 4 == 3 ? " " : "");
    puts("");
  }
}
