/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A hash table with chains:
 *
 *     bucket[hash % n_bucket] -> tuple i -> tuple j -> -1          tuple i: tag, data[at .. at + n - 1], next
 */
#include "support/tuples.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

uint64_t tsr_hash_mix(uint64_t a, uint64_t b)
{
  uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 29)) * 0x94d049bb133111ebu;
  return x ^ (x >> 32);
}

uint64_t tsr_hash_vector(uint64_t seed, const int64_t *vector, int n)
{
  for (int i = 0; i < n; i++)
    seed = tsr_hash_mix(seed, (uint64_t)vector[i]);
  return tsr_hash_mix(seed, (uint64_t)n);
}

uint64_t tsr_hash_name(const char *name)
{
  uint64_t hash = 0x9e3779b97f4a7c15u;
  for (; *name; name++)
    hash = tsr_hash_mix(hash, (unsigned char)*name);
  return hash;
}

void tsr_tuples_clear(struct tsr_tuples *t)
{
  free(t->tuple);
  free(t->data);
  free(t->bucket);
}

const int64_t *tsr_tuples_vector(const struct tsr_tuples *t, long i)
{
  return t->data + t->tuple[i].at;
}

static bool is_same(const int64_t *a, const int64_t *b, int n)
{
  return !n || !memcmp(a, b, n * sizeof(*a));
}

long tsr_tuples_find(const struct tsr_tuples *t, int tag, const int64_t *vector, int n)
{
  long i = t->n_bucket ? t->bucket[tsr_hash_vector((uint64_t)tag, vector, n) % (uint64_t)t->n_bucket] : -1;
  while (i >= 0 && (t->tuple[i].tag != tag || t->tuple[i].n != n || !is_same(tsr_tuples_vector(t, i), vector, n)))
    i = t->tuple[i].next;
  return i;
}

static void tuples_link(struct tsr_tuples *t, long i)
{
  const struct tsr_tuple *tuple = &t->tuple[i];
  uint64_t hash = tsr_hash_vector((uint64_t)tuple->tag, tsr_tuples_vector(t, i), tuple->n);
  long *head = &t->bucket[hash % (uint64_t)t->n_bucket];
  t->tuple[i].next = *head;
  *head = i;
}

/* Make room for one more tuple of N numbers. */
static bool tuples_grow(struct tsr_tuples *t, int n)
{
  if (t->n_data + n > t->data_room) {
    size_t room = 2 * t->data_room + n + 64;
    int64_t *data = realloc(t->data, room * sizeof(*data));
    if (!data)
      return false;
    t->data = data;
    t->data_room = room;
  }
  if (t->n_tuple < t->room)
    return true;
  long room = 2 * t->room + 64;
  struct tsr_tuple *tuple = realloc(t->tuple, room * sizeof(*tuple));
  t->tuple = tuple ? tuple : t->tuple;
  long *bucket = tuple ? realloc(t->bucket, room * sizeof(*bucket)) : NULL;
  if (!bucket)
    return false;
  t->bucket = bucket;
  t->n_bucket = t->room = room;
  memset(bucket, 0xff, room * sizeof(*bucket));
  for (long i = 0; i < t->n_tuple; i++)
    tuples_link(t, i);
  return true;
}

long tsr_tuples_add(struct tsr_tuples *t, int tag, const int64_t *vector, int n)
{
  long i = tsr_tuples_find(t, tag, vector, n);
  if (i >= 0)
    return i;
  if (!tuples_grow(t, n))
    return -1;
  i = t->n_tuple++;
  t->tuple[i] = (struct tsr_tuple){.tag = tag, .n = n, .at = t->n_data};
  if (n)
    memcpy(t->data + t->n_data, vector, n * sizeof(*vector));
  t->n_data += n;
  tuples_link(t, i);
  return i;
}
