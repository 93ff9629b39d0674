/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Named tuples, numbered: (tag, vector) <-> dense index. The interpreter numbers instances and array elements so. */
#ifndef TESSERA_TUPLES_H
#define TESSERA_TUPLES_H

#include <stddef.h>
#include <stdint.h>

struct tsr_tuple {
  int tag;   /* statement or array */
  int n;     /* length of the vector */
  size_t at; /* of the vector in data */
  long next; /* in the same bucket, -1: last */
};

struct tsr_tuples {
  struct tsr_tuple *tuple;
  long n_tuple, room;
  int64_t *data;
  size_t n_data, data_room;
  long *bucket;
  long n_bucket;
};

void tsr_tuples_clear(struct tsr_tuples *t);
const int64_t *tsr_tuples_vector(const struct tsr_tuples *t, long i);
/* The index of a tuple; -1 if it is none of T. */
long tsr_tuples_find(const struct tsr_tuples *t, int tag, const int64_t *vector, int n);
/* The index of a tuple, which is added if it is new; -1 without memory. */
long tsr_tuples_add(struct tsr_tuples *t, int tag, const int64_t *vector, int n);

/* Hashes that are the same on every machine. */
uint64_t tsr_hash_mix(uint64_t a, uint64_t b);
uint64_t tsr_hash_vector(uint64_t seed, const int64_t *vector, int n);
uint64_t tsr_hash_name(const char *name);

#endif
