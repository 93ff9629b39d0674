/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which polynomials are known to be in the range of a type, as long as the model's violated set is what it was: several
 * accesses of a block share their subscripts. An entry says
 *
 *   in DOMAIN, outside of VIOLATED, P is a number of BITS bits with SIGN
 *
 * which stays true when VIOLATED grows. Where an attempt failed and the set is what it was before, nothing is known. Sets
 * are compared as objects, which the entries hold.
 *
 * And the greatest values of counters in some sets: the accesses of a block ask for the same ones. */
#include "read/values/values.h"
#include <stdlib.h>

enum { N_KNOWN = 64, N_GREATEST = 32 };

struct tsr_known {
  struct entry {
    struct tsr_poly *p;
    unsigned bits;
    enum tsr_sign sign;
    isl_set *domain, *violated;
  } entry[N_KNOWN];
  int n, next; /* next: to be replaced */
  struct greatest {
    isl_set *set;
    struct tsr_poly *p; /* may be NULL */
  } greatest[N_GREATEST];
  int n_greatest, next_greatest;
};

/* M's knowledge, to add to; NULL: out of memory. */
static struct tsr_known *known_of(struct tsr_model *m)
{
  if (!m->known)
    m->known = calloc(1, sizeof(*m->known));
  return m->known;
}

bool tsr_range_is_known(const struct tsr_model *m, const struct tsr_poly *p, unsigned bits, enum tsr_sign sign,
                        isl_set *domain)
{
  for (int i = 0; m->known && i < m->known->n; i++) {
    const struct entry *e = &m->known->entry[i];
    if (e->domain == domain && e->violated == m->violated && e->bits == bits && e->sign == sign && tsr_poly_equal(e->p, p))
      return true;
  }
  return false;
}

/* Free what E owns. */
static void entry_clear(struct entry *e)
{
  tsr_poly_free(e->p);
  isl_set_free(e->domain);
  isl_set_free(e->violated);
}

void tsr_range_note(struct tsr_model *m, const struct tsr_poly *p, unsigned bits, enum tsr_sign sign, isl_set *domain)
{
  struct tsr_known *known = known_of(m);
  if (!known)
    return;
  struct entry *e = &known->entry[known->next];
  if (known->n == N_KNOWN)
    entry_clear(e);
  else
    known->n++;
  known->next = (known->next + 1) % N_KNOWN;
  *e = (struct entry){tsr_poly_copy(p), bits, sign, isl_set_copy(domain), isl_set_copy(m->violated)};
}

void tsr_range_grow(struct tsr_model *m, isl_set *smaller)
{
  for (int i = 0; m->known && i < m->known->n; i++) {
    struct entry *e = &m->known->entry[i];
    if (e->violated != smaller)
      continue;
    isl_set_free(e->violated);
    e->violated = isl_set_copy(m->violated);
  }
}

bool tsr_greatest_is_known(const struct tsr_model *m, isl_set *set, struct tsr_poly **p)
{
  for (int i = 0; m->known && i < m->known->n_greatest; i++) {
    const struct greatest *g = &m->known->greatest[i];
    if (isl_set_plain_is_equal(g->set, set) == isl_bool_true) {
      *p = g->p ? tsr_poly_copy(g->p) : NULL;
      return true;
    }
  }
  return false;
}

void tsr_greatest_note(struct tsr_model *m, isl_set *set, const struct tsr_poly *p)
{
  struct tsr_known *known = set ? known_of(m) : NULL;
  if (!known)
    return;
  struct greatest *g = &known->greatest[known->next_greatest];
  if (known->n_greatest == N_GREATEST) {
    isl_set_free(g->set);
    tsr_poly_free(g->p);
  } else {
    known->n_greatest++;
  }
  known->next_greatest = (known->next_greatest + 1) % N_GREATEST;
  *g = (struct greatest){isl_set_copy(set), p ? tsr_poly_copy(p) : NULL};
}

void tsr_range_clear(struct tsr_model *m)
{
  for (int i = 0; m->known && i < m->known->n_greatest; i++) {
    isl_set_free(m->known->greatest[i].set);
    tsr_poly_free(m->known->greatest[i].p);
  }
  for (int i = 0; m->known && i < m->known->n; i++)
    entry_clear(&m->known->entry[i]);
  free(m->known);
  m->known = NULL;
}
