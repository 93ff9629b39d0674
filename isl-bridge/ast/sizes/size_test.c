/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From which sizes on is new code faster than the original? The sizes of a SCoP are the trip counts of its loops,
 *
 *   e_1, .., e_n    affine in parameters, each with a parameter of its own, its pivot, by which a point of any sizes is
 * found
 *
 * and the answer is a test of a few compares:
 *
 *   e_1 >= t_1 and .. and e_n >= t_n and e_1 * .. * e_n >= K
 *
 * t_i: with the other sizes large, there is a gain from t_i on: a copy is used often enough, lanes are filled. Where several
 * sizes are at their least together, and there is none, all of them are raised. K: whichever sizes are at their least, the
 * others grow together until there is a gain: what each call costs is worth it. Sizes are tried in steps (`ladder`).
 *
 * Gain is what size_costs.c says of both codes. It knows no caches: where the new code is no faster by it at large sizes,
 * the gain is with caches, and what is asked is that small sizes lose no more than large ones. Where it is known how much
 * data there must be for that, K is no less than what the same share of the large sizes' product is, or each t_i that data
 * depends on no less than what makes it as much if all are alike. */
#include "ast/sizes/size_parts.h"
#include "cost/cost.h"
#include "model/thresholds.h"
#include "support/tuples.h"
#include <isl/aff.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

static const int ladder[] = {1,  2,  3,  4,  5,   6,   8,   10,  12,  16,  20,  24,
                             32, 48, 64, 96, 128, 192, 256, 384, 448, 512, 768, 1000};
enum { N_LADDER = sizeof(ladder) / sizeof(*ladder), MAX_PARAMETERS = 32, N_KNOWN = 512 };

/* What ratio_at has found for N sizes; N 0: nothing yet. */
struct known_ratio {
  int n;
  int64_t size[TSR_MAX_SIZES];
  double ratio;
};

struct search {
  struct tsr_scop *scop;
  const struct tsr_size_costs *old, *new;
  int n;                            /* sizes */
  isl_aff *size[TSR_MAX_SIZES];     /* over parameters */
  isl_pw_aff *whole[TSR_MAX_SIZES]; /* the least of that and others, which are large */
  int pivot[TSR_MAX_SIZES];         /* the parameter by which it is set, whose coefficient is 1 or -1 */
  int64_t large[TSR_MAX_SIZES];     /* its typical value */
  int64_t least[TSR_MAX_SIZES];     /* t */
  int n_parameter;                  /* of the SCoP's context */
  int64_t typical[MAX_PARAMETERS];  /* values of parameters */
  int64_t factor[TSR_MAX_SIZES][MAX_PARAMETERS], constant[TSR_MAX_SIZES];
  bool others;                         /* are there sizes that aren't among these? */
  double most;                         /* of the cost of the original, with which there is a gain */
  double data;                         /* the least product of sizes for other reasons */
  const struct tsr_cache_gain *caches; /* NULL: nothing is known, or asked */
  double bytes;                        /* of data where sizes are large; 0: not known yet */
  struct known_ratio *known;           /* N_KNOWN, by a hash of their sizes; NULL: nothing is kept */
};

/* ---- sizes ---- */

/* The number VALUE, which is taken, in *NUMBER; false: it is none that fits. */
static bool is_number(__isl_take isl_val *value, int64_t *number)
{
  bool is = isl_val_is_int(value) == isl_bool_true && isl_val_n_abs_num_chunks(value, sizeof(int32_t)) <= 1;
  *number = is ? isl_val_get_num_si(value) : 0;
  isl_val_free(value);
  return is;
}

/* The parameters that AFF has; *VALUE: what it is at typical ones. */
static int n_parameters(const struct search *search, isl_aff *aff, double *value)
{
  isl_size n = isl_aff_dim(aff, isl_dim_param);
  isl_val *constant = isl_aff_get_constant_val(aff);
  int found = 0;
  *value = isl_val_get_d(constant);
  isl_val_free(constant);
  for (int i = 0; i < n; i++) {
    isl_val *factor = isl_aff_get_coefficient_val(aff, isl_dim_param, i);
    const char *name = isl_aff_get_dim_name(aff, isl_dim_param, i);
    int p = name ? isl_set_find_dim_by_name(search->scop->context, isl_dim_param, name) : -1;
    found += isl_val_is_zero(factor) == isl_bool_false;
    *value += p >= 0 ? isl_val_get_d(factor) * (double)search->typical[p] : 0;
    isl_val_free(factor);
  }
  return found;
}

/* Which is the least of several, and of these the one that is least at typical parameters; of several the one with most
 * parameters. */
struct pieces {
  const struct search *search;
  isl_pw_aff *least;
  isl_aff *main;
  double value; /* at typical parameters */
  int n;        /* parameters */
};

static isl_stat take_piece(__isl_take isl_set *set, __isl_take isl_aff *aff, void *user)
{
  struct pieces *pieces = user;
  isl_set_free(set);
  isl_pw_aff *one = isl_pw_aff_from_aff(isl_aff_copy(aff));
  pieces->least = pieces->least ? isl_pw_aff_min(pieces->least, one) : one;
  double value;
  int n = n_parameters(pieces->search, aff, &value);
  if (pieces->main && (value > pieces->value || (value >= pieces->value && n <= pieces->n))) {
    isl_aff_free(aff);
    return isl_stat_ok;
  }
  isl_aff_free(pieces->main);
  pieces->main = aff;
  pieces->value = value;
  pieces->n = n;
  return isl_stat_ok;
}

enum { MAX_PIECES = 3 };

/* The affine functions that VALUE is the least of: all of them in *LEAST, and the one by which it is set. NULL: it has other
 * cases. */
static isl_aff *main_piece(const struct search *search, __isl_take isl_pw_aff *value, isl_pw_aff **least)
{
  struct pieces pieces = {.search = search};
  value = isl_pw_aff_coalesce(value);
  int n = isl_pw_aff_n_piece(value);
  if (n > 0 && n <= MAX_PIECES)
    isl_pw_aff_foreach_piece(value, take_piece, &pieces);
  if (n > 1 && pieces.least) {
    isl_pw_aff *same = isl_pw_aff_intersect_domain(isl_pw_aff_copy(pieces.least), isl_pw_aff_domain(isl_pw_aff_copy(value)));
    if (isl_pw_aff_is_equal(same, value) != isl_bool_true)
      pieces.main = isl_aff_free(pieces.main);
    isl_pw_aff_free(same);
  }
  isl_pw_aff_free(value);
  *least = pieces.main ? pieces.least : isl_pw_aff_free(pieces.least);
  return pieces.main;
}

/* How many values has dimension POS of DOMAIN, from its first to its last? In *WHOLE, and as main_piece. NULL: that has
 * cases. */
static isl_aff *size_of(const struct search *search, isl_set *domain, int pos, isl_pw_aff **whole)
{
  isl_size n = isl_set_dim(domain, isl_dim_set);
  isl_set *line = isl_set_project_out(isl_set_copy(domain), isl_dim_set, pos + 1, n - pos - 1);
  line = isl_set_reset_tuple_id(isl_set_project_out(line, isl_dim_set, 0, pos));
  isl_pw_aff *first_whole;
  isl_aff *last = main_piece(search, isl_set_dim_max(isl_set_copy(line), 0), whole);
  isl_aff *first = main_piece(search, isl_set_dim_min(line, 0), &first_whole);
  if (!last || !first || isl_pw_aff_n_piece(first_whole) != 1) {
    isl_aff_free(last);
    isl_aff_free(first);
    isl_pw_aff_free(first_whole);
    *whole = isl_pw_aff_free(*whole);
    return NULL;
  }
  *whole = isl_pw_aff_sub(isl_pw_aff_add_constant_val(*whole, isl_val_one(isl_set_get_ctx(domain))), first_whole);
  return isl_aff_add_constant_si(isl_aff_sub(last, first), 1);
}

/* The factors of SIZE as number AT of SEARCH's. False: they aren't whole numbers. */
static bool read_factors(struct search *search, isl_aff *size, int at)
{
  isl_size n = isl_aff_dim(size, isl_dim_param), divs = isl_aff_dim(size, isl_dim_div);
  bool whole = n >= 0 && divs == 0 && is_number(isl_aff_get_constant_val(size), &search->constant[at]);
  memset(search->factor[at], 0, sizeof(search->factor[at]));
  for (int i = 0; i < n && whole; i++) {
    const char *name = isl_aff_get_dim_name(size, isl_dim_param, i);
    int p = name ? isl_set_find_dim_by_name(search->scop->context, isl_dim_param, name) : -1;
    int64_t factor;
    whole = is_number(isl_aff_get_coefficient_val(size, isl_dim_param, i), &factor) && (factor == 0 || p >= 0);
    if (whole && factor)
      search->factor[at][p] = factor;
  }
  return whole;
}

static int64_t size_at(const struct search *search, int i, const int64_t *parameter)
{
  int64_t value = search->constant[i];
  for (int p = 0; p < search->n_parameter; p++)
    value += search->factor[i][p] * parameter[p];
  return value;
}

/* A parameter by which size number AT can be set, and that none of the sizes before has; of several the last. -1: none. */
static int find_pivot(const struct search *search, int at)
{
  int pivot = -1;
  for (int p = 0; p < search->n_parameter; p++) {
    bool own = search->factor[at][p] == 1 || search->factor[at][p] == -1;
    for (int i = 0; i < at; i++)
      own &= search->factor[i][p] == 0;
    pivot = own ? p : pivot;
  }
  return pivot;
}

static int n_factors(const struct search *search, int at)
{
  int n = 0;
  for (int p = 0; p < search->n_parameter; p++)
    n += search->factor[at][p] != 0;
  return n;
}

/* Make SIZE, the main piece of WHOLE, which are taken, one of SEARCH's if it has N parameters and is another one. */
static void add_size(struct search *search, __isl_take isl_aff *size, __isl_take isl_pw_aff *whole_size, int n)
{
  int at = search->n;
  bool whole = size && at < TSR_MAX_SIZES && read_factors(search, size, at);
  bool known = whole && n_factors(search, at) != n;
  for (int i = 0; i < at && whole; i++)
    known |= search->constant[i] == search->constant[at] &&
             !memcmp(search->factor[i], search->factor[at], sizeof(search->factor[at]));
  int pivot = whole && !known ? find_pivot(search, at) : -1;
  if (pivot >= 0) {
    search->size[at] = size;
    search->whole[at] = whole_size;
    search->pivot[at] = pivot;
    search->large[at] = size_at(search, at, search->typical);
    search->n++;
    return;
  }
  search->others |= !known;
  isl_aff_free(size);
  isl_pw_aff_free(whole_size);
}

#define MAX_FACTORS 3 /* parameters of a size */

/* The sizes of all loops; those of one parameter come first, so that others have their own. */
static void find_sizes(struct search *search)
{
  const struct tsr_scop *scop = search->scop;
  for (int s = 0; s < scop->n_stmt; s++)
    for (int d = 0; d < isl_set_dim(scop->stmts[s].domain, isl_dim_set); d++) {
      isl_pw_aff *whole;
      isl_aff *size = size_of(search, scop->stmts[s].domain, d, &whole);
      for (int n = 1; n <= MAX_FACTORS; n++)
        add_size(search, isl_aff_copy(size), isl_pw_aff_copy(whole), n);
      isl_aff_free(size);
      isl_pw_aff_free(whole);
    }
}

/* A typical value of each parameter. False: there is none. */
static bool find_typical(struct search *search)
{
  isl_set *point = tsr_scop_typical(search->scop);
  bool found = point != NULL;
  for (int p = 0; p < search->n_parameter && found; p++) {
    const char *name = isl_set_get_dim_name(search->scop->context, isl_dim_param, p);
    int at = isl_set_find_dim_by_name(point, isl_dim_param, name);
    search->typical[p] = ladder[N_LADDER - 1];
    if (at >= 0 && !is_number(isl_set_plain_get_val_if_fixed(point, isl_dim_param, at), &search->typical[p]))
      search->typical[p] = ladder[N_LADDER - 1];
  }
  isl_set_free(point);
  return found;
}

/* ---- gains ---- */

/* How many times as long does the original take at SIZE, as its data is in farther caches, beside new code? */
static double gain_of_caches(const struct search *search, const int64_t *size)
{
  double bytes = search->bytes, gain = 1;
  bool several = search->caches && search->caches->several > 0;
  for (int i = 0; i < search->n; i++) {
    bytes *= (double)size[i] / (double)search->large[i];
    several = several && size[i] >= search->caches->several;
  }
  for (int c = 0; search->caches && c < TSR_MAX_CACHE; c++)
    if (search->caches->times[c] > gain && bytes > search->caches->bytes[c])
      gain = search->caches->times[c];
  return several && bytes > ACROSS_A_CACHE * search->caches->bytes[0] ? gain * search->caches->across : gain;
}

static double compute_ratio(const struct search *search, const int64_t *size)
{
  int64_t parameter[MAX_PARAMETERS];
  memcpy(parameter, search->typical, sizeof(parameter));
  for (int i = 0; i < search->n; i++) { /* no other size before has its pivot */
    int p = search->pivot[i];
    parameter[p] = 0;
    parameter[p] = (size[i] - size_at(search, i, parameter)) * search->factor[i][p];
  }
  double old = tsr_size_costs_at(search->old, parameter), new = tsr_size_costs_at(search->new, parameter);
  return old > 0 ? new / old / gain_of_caches(search, size) : 1e9;
}

/* What the new code costs of the original at SIZE. The same sizes are tried again and again. */
static double ratio_at(const struct search *search, const int64_t *size)
{
  uint64_t hash = 1;
  for (int i = 0; i < search->n; i++)
    hash = tsr_hash_mix(hash, (uint64_t)size[i]);
  struct known_ratio *known = search->known ? &search->known[hash % N_KNOWN] : NULL;
  if (!known || search->n == 0)
    return compute_ratio(search, size);
  if (known->n != search->n || memcmp(known->size, size, search->n * sizeof(*size)) != 0) {
    known->n = search->n;
    memcpy(known->size, size, search->n * sizeof(*size));
    known->ratio = compute_ratio(search, size);
  }
  return known->ratio;
}

static bool has_gain(const struct search *search, const int64_t *size)
{
  return ratio_at(search, size) <= search->most;
}

/* The least step of the ladder from which on there is a gain, where sizes flagged in GROWS are that, if it is more than
 * their least, and others are AT. Below 0: there is none at the end of the ladder. */
static int first_gain(const struct search *search, unsigned grows, const int64_t *at)
{
  int64_t size[TSR_MAX_SIZES];
  int first = -1;
  for (int step = N_LADDER - 1; step >= 0; step--) {
    bool more = false;
    for (int i = 0; i < search->n; i++) {
      int64_t least = search->least[i], value = ladder[step] < search->large[i] ? ladder[step] : search->large[i];
      bool grown = grows >> i & 1;
      size[i] = grown ? (value > least ? value : least) : at[i];
      more |= grown && ladder[step] >= least;
    }
    if (!has_gain(search, size))
      return first;
    first = step;
    if (!more)
      break;
  }
  return first;
}

/* Raise the least sizes flagged in SMALL by a step. False: they are large. */
static bool raise_step(struct search *search, unsigned small)
{
  bool more = false;
  for (int i = 0; i < search->n; i++) {
    int next = 0;
    while (next < N_LADDER && ladder[next] <= search->least[i])
      next++;
    if (!(small >> i & 1) || next == N_LADDER || search->least[i] >= search->large[i])
      continue;
    search->least[i] = ladder[next] < search->large[i] ? ladder[next] : search->large[i];
    more = true;
  }
  return more;
}

/* Raise the least sizes flagged in SMALL until there is a gain with the others large. False: there is none. */
static bool raise_least(struct search *search, unsigned small)
{
  int64_t size[TSR_MAX_SIZES];
  do {
    for (int i = 0; i < search->n; i++)
      size[i] = small >> i & 1 ? search->least[i] : search->large[i];
    if (has_gain(search, size))
      return true;
  } while (raise_step(search, small));
  return false;
}

/* The product of sizes from which on there is a gain, where those flagged in SMALL are at their least and the others grow
 * together. */
static double product_of(const struct search *search, unsigned small)
{
  unsigned grows = ((1u << search->n) - 1) & ~small;
  int first = first_gain(search, grows, search->least);
  double product = 1;
  for (int i = 0; i < search->n; i++) {
    int64_t least = search->least[i], value = first < 0 ? search->large[i] : ladder[first];
    product *= (double)(grows >> i & 1 && value > least ? value : least);
  }
  return product;
}

/* The product of sizes from which on there is a gain, whichever sizes are at their least. Where that takes much more than
 * all sizes growing together, these are raised: else large products of few would be lost for the sake of skinny ones. */
static double find_product(struct search *search)
{
  double all = product_of(search, 0), most = all;
  for (unsigned small = 1; small + 1 < 1u << search->n; small++) {
    double product = product_of(search, small);
    while (product > MOST_OF_SKINNY * all && raise_step(search, small)) {
      all = product_of(search, 0);
      product = product_of(search, small);
    }
    most = product > most ? product : most;
  }
  return most > all ? most : all;
}

/* Is there a gain whichever sizes are at their least, with no product much larger than where all grow together? */
static bool is_enough(const struct search *search)
{
  double all = product_of(search, 0);
  for (unsigned small = 1; small + 1 < 1u << search->n; small++) {
    int64_t size[TSR_MAX_SIZES];
    for (int i = 0; i < search->n; i++)
      size[i] = small >> i & 1 ? search->least[i] : search->large[i];
    if (!has_gain(search, size) || product_of(search, small) > MOST_OF_SKINNY * all)
      return false;
  }
  return true;
}

#define MOST_LOWERED 3 /* sizes: that takes time */

/* Sizes were raised together: take single ones down again, the largest first, not below FIRST, as far as the others are
 * enough. */
static void lower_least(struct search *search, const int64_t *first)
{
  unsigned left = search->n <= MOST_LOWERED ? (1u << search->n) - 1 : 0;
  while (left) {
    int largest = -1, step = N_LADDER - 1;
    for (int i = 0; i < search->n; i++)
      if (left >> i & 1 && (largest < 0 || search->least[i] > search->least[largest]))
        largest = i;
    int64_t saved = search->least[largest];
    while (step >= 0 && ladder[step] >= saved)
      step--;
    bool lower = step >= 0 && ladder[step] >= first[largest];
    search->least[largest] = lower ? ladder[step] : saved;
    if (!lower || !is_enough(search)) {
      search->least[largest] = saved;
      left &= ~(1u << largest);
    }
  }
}

/* Find the least sizes. False: there is no gain. */
static bool find_least(struct search *search)
{
  int64_t found[TSR_MAX_SIZES];
  for (int i = 0; i < search->n; i++)
    search->least[i] = 1;
  for (int i = 0; i < search->n; i++) {
    int first = first_gain(search, 1u << i, search->large);
    if (first < 0)
      return false;
    search->least[i] = ladder[first] < search->large[i] ? ladder[first] : search->large[i];
  }
  memcpy(found, search->least, sizeof(found));
  for (unsigned small = 1; small + 1 < 1u << search->n; small++)
    if (!raise_least(search, small))
      return false;
  lower_least(search, found);
  return true;
}

/* ---- the test ---- */

/* The least product of SEARCH's sizes with which there are DATA bytes. */
static double product_with_data(const struct search *search, double data)
{
  double product = data / tsr_larger(tsr_size_data(search->scop), 1);
  for (int i = 0; i < search->n; i++)
    product *= (double)search->large[i];
  return product;
}

struct tsr_sizes *tsr_sizes_free(struct tsr_sizes *sizes)
{
  for (int i = 0; sizes && i < sizes->n; i++)
    isl_ast_expr_free(sizes->size[i]);
  for (int i = 0; sizes && i < sizes->n_limit; i++)
    isl_ast_expr_free(sizes->limit[i]);
  free(sizes);
  return NULL;
}

char *tsr_sizes_text(const struct tsr_sizes *sizes)
{
  char *text = NULL, *size[TSR_MAX_SIZES] = {NULL};
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  const char *between = "";
  for (int i = 0; i < sizes->n && out; i++) {
    size[i] = isl_ast_expr_to_C_str(sizes->size[i]);
    if (sizes->least[i] > 1)
      fprintf(out, "%s%s >= %ld", between, size[i] ? size[i] : "?", sizes->least[i]);
    between = sizes->least[i] > 1 ? " and " : between;
  }
  for (int i = 0; i < sizes->n && out && sizes->product > 0; i++) {
    bool sum = size[i] && strpbrk(size[i], "+-");
    fprintf(out, "%s%s%s%s", i ? " * " : between, sum ? "(" : "", size[i] ? size[i] : "?", sum ? ")" : "");
  }
  if (out && sizes->product > 0)
    fprintf(out, " >= %ld", sizes->product);
  for (int i = 0; i < sizes->n; i++)
    free(size[i]);
  if (out)
    fclose(out);
  return text;
}

/* Raise those of the least sizes that data depends on to what makes BYTES of it, if all sizes are alike. */
static void raise_for_data(struct search *search, double bytes)
{
  double all = bytes > 0 ? tsr_size_data(search->scop) : 0;
  for (int i = 0; i < search->n && all > bytes; i++) {
    int n = 0;
    while (n < N_LADDER - 1 && tsr_size_bytes_at(all, (double)search->large[i], ladder[n]) < bytes)
      n++;
    if (ladder[n] > search->least[i] && tsr_size_is_of_data(search->scop, search->size[i], all))
      search->least[i] = ladder[n];
  }
}

/* What is being added to a test. */
struct limits {
  struct tsr_sizes *sizes;
  isl_ast_build *build;
  isl_aff *main;
  long least;
};

/* AFF limits a size: at least as much is asked of it. Of the same limits the most counts. */
static isl_stat add_limit(__isl_take isl_set *set, __isl_take isl_aff *aff, void *user)
{
  struct limits *limits = user;
  struct tsr_sizes *sizes = limits->sizes;
  int at = sizes->n_limit;
  isl_set_free(set);
  if (isl_aff_plain_is_equal(aff, limits->main) == isl_bool_true) {
    isl_aff_free(aff);
    return isl_stat_ok;
  }
  isl_ast_expr *limit = isl_ast_build_expr_from_pw_aff(limits->build, isl_pw_aff_from_aff(aff));
  for (int i = 0; i < sizes->n_limit; i++)
    if (isl_ast_expr_is_equal(sizes->limit[i], limit) == isl_bool_true)
      at = i;
  if (at < sizes->n_limit && limits->least > sizes->least_limit[at])
    sizes->least_limit[at] = limits->least;
  if (at < sizes->n_limit || at == TSR_MAX_SIZES) {
    isl_ast_expr_free(limit);
    return isl_stat_ok;
  }
  sizes->limit[at] = limit;
  sizes->least_limit[at] = limits->least;
  sizes->n_limit++;
  return isl_stat_ok;
}

/* The test that SEARCH has found; NULL: none is needed. */
static struct tsr_sizes *make_test(struct search *search)
{
  struct tsr_sizes *sizes = calloc(1, sizeof(*sizes));
  double product = find_product(search), least = 1;
  double tested = tsr_larger(product < MAX_PRODUCT ? product : MAX_PRODUCT, search->data);
  isl_ast_build *build = isl_ast_build_from_context(isl_set_copy(search->scop->context));
  for (int i = 0; i < search->n && sizes; i++) {
    least *= (double)search->least[i];
    sizes->size[i] = isl_ast_build_expr_from_pw_aff(build, isl_pw_aff_copy(search->whole[i]));
    sizes->least[i] = search->least[i];
    sizes->n++;
    struct limits limits = {sizes, build, search->size[i], sizes->least[i]};
    if (sizes->least[i] > 1 && isl_pw_aff_n_piece(search->whole[i]) > 1)
      isl_pw_aff_foreach_piece(search->whole[i], add_limit, &limits);
  }
  isl_ast_build_free(build);
  if (sizes)
    sizes->product = tested > least ? (long)tested : 0;
  return least > 1 || tested > 1 ? sizes : tsr_sizes_free(sizes);
}

static void search_clear(struct search *search)
{
  for (int i = 0; i < search->n; i++) {
    isl_aff_free(search->size[i]);
    isl_pw_aff_free(search->whole[i]);
  }
  free(search->known);
}

enum tsr_size_verdict tsr_sizes_find(struct tsr_scop *scop, const struct tsr_size_costs *old,
                                     const struct tsr_size_costs *new, double gain, struct tsr_least_data data,
                                     const struct tsr_cache_gain *caches, bool alike, struct tsr_sizes **sizes)
{
  struct search search = {.scop = scop, .old = old, .new = new, .n_parameter = isl_set_dim(scop->context, isl_dim_param)};
  enum tsr_size_verdict verdict = TSR_SIZES_ALL;
  *sizes = NULL;
  if (search.n_parameter < 0 || search.n_parameter > MAX_PARAMETERS || !find_typical(&search))
    return verdict;
  find_sizes(&search);
  search.known = calloc(N_KNOWN, sizeof(*search.known));
  double at_large = ratio_at(&search, search.large);
  bool straight = !alike && tsr_size_costs_are_straight(old);
  if (caches && (at_large <= LEAST_GAIN_OF_SIZES || caches->alone) && search.n > 0) {
    search.caches = caches;
    search.bytes = tsr_size_data(scop);
    free(search.known);
    search.known = calloc(N_KNOWN, sizeof(*search.known));
    at_large = ratio_at(&search, search.large);
  }
  double most = straight ? LEAST_GAIN_OF_STRAIGHT : gain;
  search.most = at_large < most ? most : at_large * AS_LARGE;
  bool known = search.n == 0 && !search.others && tsr_size_costs_at(old, search.typical) < IN_CACHE;
  search.data = at_large > LEAST_GAIN_OF_SIZES && data.product > 0 ? product_with_data(&search, data.product) : 0;
  if ((straight && at_large > LEAST_GAIN_OF_STRAIGHT) || (known && at_large > LEAST_GAIN_OF_SIZES))
    verdict = TSR_SIZES_NONE;
  else if (search.n > 0 && find_least(&search)) {
    if (at_large > LEAST_GAIN_OF_SIZES)
      raise_for_data(&search, data.each);
    *sizes = make_test(&search);
  } else if (search.data > 1)
    verdict = TSR_SIZES_NONE;
  search_clear(&search);
  return *sizes ? TSR_SIZES_SOME : verdict;
}

/* Make SIZE what SIZES asks for: each at its least; those that are less than LARGE grow together until the product is. */
static void least_sizes(const struct tsr_sizes *sizes, const int64_t *large, int64_t *size)
{
  double product = 1;
  for (int i = 0; i < sizes->n; i++)
    product *= (double)(size[i] = sizes->least[i]);
  for (bool more = true; product < (double)sizes->product && more;) {
    more = false;
    product = 1;
    for (int i = 0; i < sizes->n; i++) {
      int64_t next = size[i] + size[i] / 8 + 1;
      size[i] = next < large[i] ? next : size[i];
      more |= next < large[i];
      product *= (double)size[i];
    }
  }
}

double tsr_sizes_ratio(struct tsr_scop *scop, const struct tsr_size_costs *old, const struct tsr_size_costs *new,
                       const struct tsr_sizes *sizes)
{
  struct search search = {.scop = scop, .old = old, .new = new, .n_parameter = isl_set_dim(scop->context, isl_dim_param)};
  int64_t size[TSR_MAX_SIZES];
  double ratio = 1;
  if (search.n_parameter < 0 || search.n_parameter > MAX_PARAMETERS || !find_typical(&search))
    return ratio;
  find_sizes(&search);
  if (search.n == sizes->n) {
    least_sizes(sizes, search.large, size);
    ratio = ratio_at(&search, size);
  }
  search_clear(&search);
  return ratio;
}
