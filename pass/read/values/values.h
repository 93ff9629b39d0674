/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The map of values/: scalar evolution -> polynomials -> isl, and what has to be assumed for that. Polynomials themselves
 * are in polynomials.h, invariant loads in invariant_loads.h.
 *
 *   scev_polynomials.c, pointer_offsets.c and condition_sets.c call each other: a select's value depends on a condition, a
 *   condition on values and on distances of pointers, and these on values. Nothing else here goes round. */
#ifndef TSR_VALUES_H
#define TSR_VALUES_H

#include "read/read.h"

/* ---- atoms.c ------------------------------------------------------------------------------------------------------ */

/* All values of parameters and counters */
__isl_give isl_set *tsr_params_universe(struct tsr_model *m);
/* The atom for VALUE, an integer that can be computed in front of the SCoP */
int tsr_atom_param(struct tsr_model *m, LLVMValueRef value);
/* The atom for the product of two parameters; below 2^31 in magnitude by assumption. */
int tsr_atom_product(struct tsr_model *m, int a, int b);
/* The atom for parameter ATOM / DIVISOR, without rest by assumption; for the bytes from pointer B to pointer A. */
int tsr_atom_quotient(struct tsr_model *m, int atom, int divisor);
int tsr_atom_distance(struct tsr_model *m, LLVMValueRef a, LLVMValueRef b);
/* The atom for A / B, rounded down, both over parameters and tsr_poly_is_short: 0 where one is negative or B is 0. */
int tsr_atom_ratio(struct tsr_model *m, const struct tsr_poly *a, const struct tsr_poly *b);
/* Is P, over parameters, calculated in 64 bits for all values that parameters may have? */
bool tsr_poly_is_short(const struct tsr_poly *p);
/* The atom for the counter of LOOP, and its name. */
int tsr_atom_dim(struct tsr_model *m, tsr_loop loop);
const char *tsr_dim_name(struct tsr_model *m, tsr_loop loop);
/* Does ATOM change from iteration to iteration, or may it? */
bool tsr_atom_is_counter(struct tsr_model *m, int atom);
/* ATOM becomes one of the model's: its index. */
int tsr_atom_new(struct tsr_model *m, struct tsr_atom atom);
/* A readable and unique C identifier: the source name where there is one, else STEM and a number. */
char *tsr_atom_name(struct tsr_model *m, LLVMValueRef value, const char *stem);
__isl_give isl_pw_aff *tsr_pw_aff_const(struct tsr_model *m, int64_t value);
/* NULL if some term has a degree above 1. */
__isl_give isl_pw_aff *tsr_poly_to_pw_aff(struct tsr_model *m, const struct tsr_poly *p);

/* ---- assumptions.c: ranges of parameters, and what is assumed of them -------------------------------------------- */

unsigned tsr_param_bits(struct tsr_model *m, int index); /* of the type of a parameter */
/* The values of parameter ATOM for which we calculate; *CHECKED: is that less than its type allows? */
__isl_give isl_set *tsr_param_range(struct tsr_model *m, int atom, bool *checked);
/* SET without the values that the types of its parameters exclude. Takes SET. */
__isl_give isl_set *tsr_within_types(struct tsr_model *m, __isl_take isl_set *set);
__isl_give isl_set *tsr_project_counters(struct tsr_model *m, __isl_take isl_set *set); /* takes SET */
/* Note that the model is wrong where DOMAIN meets BAD; both are taken and range over parameters and counters. */
bool tsr_model_assume_not(struct tsr_model *m, __isl_take isl_set *domain, __isl_take isl_set *bad);
struct tsr_text;
/* All parameters of M and their limits, as part of a question. */
void tsr_say_params(struct tsr_model *m, struct tsr_text *text);

/* ---- param_quotients.c: parameters that are others divided by a number ----------------------------------------------- */

struct tsr_quotient {
  int of; /* (parameter OF + PLUS) / DIVISOR; what that leaves is from LEAST to DIVISOR - 1 */
  int64_t plus, divisor, least;
};
/* Is parameter INDEX the quotient of another one? */
bool tsr_param_quotient(struct tsr_model *m, int index, struct tsr_quotient *q);
/* SET, where the parameters that it has are the quotients that they are. */
__isl_give isl_set *tsr_relate_quotients(struct tsr_model *m, __isl_take isl_set *set);

/* ---- violated_pieces.c: m->violated, or what it was before, VIOLATED, may have many pieces ---------------------------- */

/* SET but for VIOLATED */
__isl_give isl_set *tsr_set_without(struct tsr_model *m, __isl_take isl_set *set, __isl_keep isl_set *violated);
/* Is SET within VIOLATED? */
isl_bool tsr_set_is_within(struct tsr_model *m, __isl_keep isl_set *set, __isl_keep isl_set *violated);
/* m->violated, of which BAD is no part, and BAD */
__isl_give isl_set *tsr_violated_join(struct tsr_model *m, __isl_take isl_set *bad);
/* Is m->violated still BEFORE? */
bool tsr_violated_is(struct tsr_model *m, __isl_keep isl_set *before);
/* Has m->violated many pieces? */
bool tsr_violated_is_long(struct tsr_model *m);
/* Can m->violated be tested at run time? */
isl_bool tsr_violated_is_simple(struct tsr_model *m);
void tsr_violated_clear(struct tsr_model *m);

/* ---- known_ranges.c: what is known to be in the range of a type ---------------------------------------------------- */

enum tsr_sign { TSR_MODULO, TSR_SIGNED, TSR_UNSIGNED };
/* Is P a number of BITS bits, with SIGN, wherever DOMAIN and not m->violated? False: that isn't known. */
bool tsr_range_is_known(const struct tsr_model *m, const struct tsr_poly *p, unsigned bits, enum tsr_sign sign,
                        __isl_keep isl_set *domain);
/* Note that it is. */
void tsr_range_note(struct tsr_model *m, const struct tsr_poly *p, unsigned bits, enum tsr_sign sign,
                    __isl_keep isl_set *domain);
void tsr_range_grow(struct tsr_model *m, __isl_keep isl_set *smaller); /* m->violated was SMALLER */
/* The greatest value in SET { [i] }, by what was noted of it: a copy in *P, NULL if that isn't one case. False: nothing was.
 */
bool tsr_greatest_is_known(const struct tsr_model *m, __isl_keep isl_set *set, struct tsr_poly **p);
void tsr_greatest_note(struct tsr_model *m, __isl_keep isl_set *set, const struct tsr_poly *p);
void tsr_range_clear(struct tsr_model *m);

/* ---- product_bounds.c: bounds of products of counters and parameters ------------------------------------------------ */

/* *LO <= P <= *HI wherever DOMAIN (over parameters and counters), under assumptions that go to m->violated; over parameters
 * alone. False, and both NULL: they aren't known. */
bool tsr_poly_bounds(struct tsr_model *m, const struct tsr_poly *p, __isl_keep isl_set *domain, __isl_give isl_pw_aff **lo,
                     __isl_give isl_pw_aff **hi);

/* ---- value_ranges.c ------------------------------------------------------------------------------------------------- */

/* Larger coefficients and divisors are not calculated with. */
#define TSR_MAX_COEF (INT64_C(1) << 31)
/* Is P, of degree 1, known to be a number of BITS bits? */
bool tsr_poly_is_in_range(struct tsr_model *m, const struct tsr_poly *p, unsigned bits, enum tsr_sign sign,
                          __isl_keep isl_set *domain);
/* P as a number of BITS bits: true if it is in range, or assumed to be. */
bool tsr_poly_assume_in_range(struct tsr_model *m, const struct tsr_poly *p, unsigned bits, enum tsr_sign sign,
                              __isl_keep isl_set *domain);

/* ---- hoistable.c ---------------------------------------------------------------------------------------------------- */

/* How many operands of VALUE, an instruction, does the SCoP compute? */
int tsr_operands_inside(struct tsr_model *m, LLVMValueRef value);
/* Can VALUE be computed in front of the SCoP, whether or not the SCoP would have computed it? DEPTH 0. */
bool tsr_can_hoist(struct tsr_model *m, LLVMValueRef value, int depth);
/* Can the number S be computed in front of the SCoP (tsr_emit_scev)? Nothing in it traps. */
bool tsr_scev_can_hoist(struct tsr_model *m, tsr_scev s);

/* ---- whole_elements.c ----------------------------------------------------------------------------------------------- */

/* BYTES / SIZE; parameters in terms that are no multiple of SIZE are assumed to be. NULL if that can't be. Takes BYTES. */
struct tsr_poly *tsr_poly_in_elements(struct tsr_model *m, struct tsr_poly *bytes, int size, __isl_keep isl_set *domain);

/* ---- scev_polynomials.c --------------------------------------------------------------------------------------------- */

/* SCEV as an integer, at a point with DOMAIN inside LOOP: equal modulo its width, or as a signed or unsigned number,
 * under assumptions that go to m->violated. NULL if it is no polynomial. */
struct tsr_poly *tsr_poly_of(struct tsr_model *m, tsr_scev scev, enum tsr_sign sign, __isl_keep isl_set *domain,
                             tsr_loop loop);
/* A parameter for SCEV, all of it, if SCEV can be computed in front of the SCoP; else NULL. */
struct tsr_poly *tsr_poly_invariant(struct tsr_model *m, tsr_scev scev, enum tsr_sign sign, __isl_keep isl_set *domain);

/* ---- data_atoms.c --------------------------------------------------------------------------------------------------- */

/* Is a part of S computed from data of the SCoP, so that it is no polynomial, whatever is assumed? True only if that is
 * plain. */
bool tsr_scev_is_data(struct tsr_model *m, tsr_scev s);
/* S, which is no polynomial, as an atom of its own, if it is data within bounds; NULL: it isn't. */
struct tsr_poly *tsr_poly_data(struct tsr_model *m, tsr_scev s, enum tsr_sign sign);
/* Has P such an atom? */
bool tsr_poly_has_data(const struct tsr_model *m, const struct tsr_poly *p);

/* ---- pointer_offsets.c ---------------------------------------------------------------------------------------------- */

/* Bytes between POINTER, the address of an access that is executed, and its base; NULL if that is no polynomial. */
struct tsr_poly *tsr_pointer_poly(struct tsr_model *m, LLVMValueRef pointer, __isl_keep isl_set *domain, tsr_loop loop);
/* Bytes from pointer B to pointer A, which may be NULL. */
struct tsr_poly *tsr_pointer_distance(struct tsr_model *m, tsr_scev a, tsr_scev b, __isl_keep isl_set *domain,
                                      tsr_loop loop);

/* ---- condition_sets.c ----------------------------------------------------------------------------------------------- */

/* Where the i1 COND holds, at a point with DOMAIN inside LOOP; NULL if not affine. */
__isl_give isl_set *tsr_condition_set(struct tsr_model *m, LLVMValueRef cond, __isl_keep isl_set *domain, tsr_loop loop);
/* Where BRANCH, a branch or switch at a point with DOMAIN inside LOOP, takes its successor I; NULL if not affine. */
__isl_give isl_set *tsr_edge_set(struct tsr_model *m, LLVMValueRef branch, unsigned i, __isl_keep isl_set *domain,
                                 tsr_loop loop);
/* Where BRANCH takes its first successor, if what it depends on doesn't change in the SCoP, affine or not: its condition is
 * a parameter, 0 or -1. NULL: it isn't so. */
__isl_give isl_set *tsr_invariant_edge(struct tsr_model *m, LLVMValueRef branch);
/* Is COND FAILED at no point with DOMAIN inside LOOP? Assumed to be so, for a comparison with a product of a counter and a
 * parameter; false: it can't be. */
bool tsr_condition_assume_not(struct tsr_model *m, LLVMValueRef cond, bool failed, __isl_keep isl_set *domain,
                              tsr_loop loop);
/* Does PRED compare numbers without sign? */
bool tsr_predicate_is_unsigned(LLVMIntPredicate pred);

/* ---- accept_list.c: the list of what is modelled -------------------------------------------------------------------- */

/* TRANSFER: memset, memcpy, memmove. */
enum tsr_role {
  TSR_ROLE_IGNORE,
  TSR_ROLE_PURE,
  TSR_ROLE_LOAD,
  TSR_ROLE_STORE,
  TSR_ROLE_TRANSFER,
  TSR_ROLE_PHI,
  TSR_ROLE_REJECT
};
static inline bool tsr_role_stores(enum tsr_role role)
{
  return role == TSR_ROLE_STORE || role == TSR_ROLE_TRANSFER;
}
enum tsr_role tsr_inst_role(struct tsr_model *m, LLVMValueRef inst, enum tsr_reason *reason);
/* Can VALUE be computed anew at any statement inside LOOP from counters and invariants alone? */
bool tsr_can_remat(struct tsr_model *m, LLVMValueRef value, tsr_loop loop);

/* ---- counted_phis.c ------------------------------------------------------------------------------------------------- */

/* The step of VALUE, start + step * k, an integer of a loop with this HEADER, which can be computed for a smaller k, too,
 * from counters and what the SCoP doesn't change; NULL: it is another one. */
tsr_scev tsr_counted_step(struct tsr_model *m, LLVMValueRef value, LLVMBasicBlockRef header);

/* ---- lifts.c -------------------------------------------------------------------------------------------------------- */

/* The lifts (bits) whose loads VALUE, a parameter or an address, is computed from. */
unsigned tsr_value_needs(struct tsr_model *m, LLVMValueRef value);

#endif
