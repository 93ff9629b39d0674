/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What base_pointers.c, delinearise.c, offset_products.c, row_sizes.c, subscripts.c and unit_strides.c share: row sizes on
 * their way from strides to subscripts. */
#ifndef TSR_SUBSCRIPTS_H
#define TSR_SUBSCRIPTS_H

#include "read/memory/memory.h"

#define TSR_MAX_CANDIDATES 8
#define TSR_MAX_UNITS 4

struct candidate {
  struct tsr_poly *size;
  int64_t step; /* least of the loops whose counters have this stride, 0: it isn't one of a counter */
  int votes;
  int depth; /* of the outermost loop with such a counter, from 1; 0: there is none */
};

struct chain {
  struct tsr_poly *product[TSR_MAX_CANDIDATES]; /* outermost (largest) first */
  struct tsr_poly *ratio[TSR_MAX_CANDIDATES];   /* of one that the next doesn't divide: how often it fits; else NULL */
  int n;
};

/* row_sizes.c: candidates in LIST, room for TSR_MAX_CANDIDATES, for the rows of ARRAY, most votes first: how many? RAW:
 * strides with their contents. */
int tsr_candidates_collect(struct tsr_model *m, int array, struct candidate *list, bool raw);
/* Keep those of the *N in LIST that are strides of counters as they stand, and add what offsets have without a counter and
 * what is a part of one of them: C beside 3*C, where three rows lie side by side. */
void tsr_candidates_add_parts(struct tsr_model *m, int array, struct candidate *list, int *n);
/* The chain of attempt TRY among N candidates: first each candidate joined by all others that fit, then each alone, then
 * none. */
void tsr_chain_make(struct chain *c, const struct candidate *list, int n, int try);
/* All N candidates, whether or not one divides the other: those of outer loops first. */
void tsr_chain_make_loose(struct chain *c, const struct candidate *list, int n);
/* The ratios of C, which tsr_chain_make_loose has made: false where they can't be calculated, or C needs none. */
bool tsr_chain_find_ratios(struct tsr_model *m, struct chain *c);
void tsr_row_chain_clear(struct chain *c);
/* Candidate AT of the *N in LIST over STEP, if that is a size. */
void tsr_candidate_divide(struct candidate *list, int *n, int at, int64_t step);
/* B / A if exact. */
struct tsr_poly *tsr_size_ratio(const struct tsr_poly *b, const struct tsr_poly *a);
/* The size of dimension LEVEL + 1, which subscript LEVEL + 1 must stay below. */
struct tsr_poly *tsr_chain_size(const struct chain *c, int level);
/* subscripts.c */
/* Does C divide the offsets of all accesses to ARRAY? */
bool tsr_chain_divides(struct tsr_model *m, int array, const struct chain *c);
/* ASSUMED: levels, as in struct split. */
bool tsr_access_split(struct tsr_model *m, const struct chain *c, struct tsr_raw_access *access, unsigned *assumed);
/* The same of access->data, where that can be proved: are index and so relation of ACCESS known but for one subscript? */
bool tsr_data_split(struct tsr_model *m, const struct chain *c, struct tsr_raw_access *access);
void tsr_access_clear(struct tsr_raw_access *access, int n);
/* unit_strides.c */
/* The parameters that multiply a counter in a subscript of ARRAY, the likeliest to be 1 first. */
int tsr_units_collect(struct tsr_model *m, int array, int *units);
bool tsr_unit_assume(struct tsr_model *m, int array, int atom, bool bare);
/* offset_products.c: a product of two parameters? */
bool tsr_term_is_product(struct tsr_model *m, const struct tsr_term *t);
/* Terms of offsets of ARRAY without a counter that multiply two parameters, as k*ld in the inner loops of a nest whose outer
 * loop k isn't part of the SCoP: each product becomes a parameter of its own. Was there one? */
bool tsr_offsets_name_products(struct tsr_model *m, int array);
/* Replace h*w in the offsets of ARRAY where the product is a parameter, because a loop runs so often: for rows of so many
 * elements. Was there one? */
bool tsr_offsets_fold_products(struct tsr_model *m, int array);
/* base_pointers.c: a base that is nearer to the accesses to ARRAY, whose offsets have products of parameters from the one it
 * has. False: there is none, and nothing has changed. */
bool tsr_array_move_base(struct tsr_model *m, int array);

#endif
