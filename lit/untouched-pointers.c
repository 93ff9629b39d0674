// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over lists and hash tables leave the object as it is.
//
// RUN: %clang -O3 -c %s -o %t.plain.o
// RUN: %clang -O3 -fpass-plugin=%plugin -Rpass=tessera -c %s -o %t.o 2>&1 | %count 0
// RUN: cmp %t.plain.o %t.o
// RUN: %clang -O2 -g -c %s -o %t.plain.o
// RUN: %clang -O2 -g -fpass-plugin=%plugin -c %s -o %t.o
// RUN: cmp %t.plain.o %t.o

#include <stdlib.h>
#include <string.h>

struct node {
  struct node *next;
  const char *key;
  int value;
};

static struct node *table[64];

static unsigned hash(const char *key)
{
  unsigned h = 5381;
  while (*key)
    h = h * 33 + (unsigned char)*key++;
  return h % 64;
}

int *find(const char *key)
{
  for (struct node *n = table[hash(key)]; n; n = n->next)
    if (!strcmp(n->key, key))
      return &n->value;
  struct node *fresh = malloc(sizeof(*fresh));
  if (!fresh)
    return NULL;
  *fresh = (struct node){table[hash(key)], key, 0};
  table[hash(key)] = fresh;
  return &fresh->value;
}

void clear(void)
{
  for (int i = 0; i < 64; i++) {
    for (struct node *n = table[i], *next; n; n = next) {
      next = n->next;
      free(n);
    }
    table[i] = NULL;
  }
}
