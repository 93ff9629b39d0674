/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The map of read/, IR to SCoP: what driver.c, report.c and emit/ use, and what all of read/ does. Sections are named after
 * the file that exports them, in flow order.
 *
 *   control/control_tree.c   a function as a tree of nodes
 *   values/invariant_loads.c loads that give one value all through a nest get one name
 *   scop_model.c             sibling nodes -> a model:
 *     control/               units of straight control flow with their domains -> statements
 *     values/                scalar evolution -> polynomials -> isl, under assumptions; what can be lifted out
 *     memory/                accesses -> arrays, elements, subscripts
 *   memory/scalar_*.c        fewer scalars that cross statements
 *
 * model_queries.c is below all of them; then values/, memory/, control/, and the files beside this one, each of which calls
 * those before it. Inside of read/ there are values/values.h, memory/memory.h, control/control.h. */
#ifndef TSR_READ_H
#define TSR_READ_H

#include "read/control/control_tree.h"
#include "read/scop_model.h"
#include "read/values/invariant_loads.h"
#include "read/values/polynomials.h"

/* ---- control/instance_bound.c ------------------------------------------------------------------------------- */

/* Statement instances of the sibling NODES, or more, for the parameters that the cost model assumes; in an EXACT model, or
 * one in which a loop without a trip count can only be a part of a statement. Infinite if they are not too few. */
double tsr_nodes_size(struct tsr_analyses *a, struct tsr_node *const *nodes, int n, bool exact);

/* ---- values/accept_list.c ------------------------------------------------------------------------------------- */

/* Is FUNCTION looked at? If not, and the user should know: *REASON is why (else TSR_ACCEPTED) and *WHAT, owned by LLVM or
 * static, names it. */
bool tsr_function_is_accepted(LLVMValueRef function, const struct tsr_options *opt, enum tsr_reason *reason,
                              const char **what);

/* ---- values/counted_phis.c -------------------------------------------------------------------------------------- */

/* Is PHI an induction variable start + step * counter, or that extended, whose step can be computed in front of the SCoP? */
bool tsr_phi_is_counter(struct tsr_model *m, LLVMValueRef phi, LLVMValueRef *start, tsr_scev *step);
/* The width of the counter that such a phi is the extension of, with a sign or without; 0: it is a counter itself. */
unsigned tsr_counter_bits(struct tsr_model *m, LLVMValueRef phi, bool *is_signed);
/* Is VALUE an integer start + step * k in iteration k of the loop of this HEADER, made of counters, casts and sums? */
bool tsr_is_counted(struct tsr_model *m, LLVMValueRef value, LLVMBasicBlockRef header);
/* Is PHI, an integer, *START in the first iteration of its loop, and in the others what *BEFORE, counted or another such phi
 * there, was one iteration before? */
bool tsr_phi_is_late(struct tsr_model *m, LLVMValueRef phi, LLVMValueRef *start, LLVMValueRef *before);
/* A floating-point number start + step * k in iteration k of its loop, at most MOST, of which nothing is ever rounded. */
struct tsr_exact_sum {
  double start, step;
  int64_t most;
};
/* Is PHI *SUM? */
bool tsr_phi_is_sum(struct tsr_model *m, LLVMValueRef phi, struct tsr_exact_sum *sum);

/* ---- values/answer_cache.c: what was asked before, for all models of a module: sets of one isl_ctx --------------- */

struct tsr_answers *tsr_answers_alloc(void);
struct tsr_answers *tsr_answers_free(struct tsr_answers *all);

/* ---- annotations.c: commands in the source ---------------------------------------------------------------------- */

/* Has MODULE functions annotated with commands? */
bool tsr_commands_are_in_source(LLVMModuleRef module);
/* Those of FUNCTION, a line each (malloc'd); NULL: none. */
char *tsr_commands_in_source(LLVMModuleRef module, LLVMValueRef function);

/* ---- scop_model.c ----------------------------------------------------------------------------------------------- */

/* What is to be modelled. */
struct tsr_place {
  LLVMValueRef function;
  const struct tsr_invariants *invariants; /* of the function */
  struct tsr_answers *answers;             /* of the module; may be NULL */
  struct tsr_node **nodes;                 /* siblings */
  int n_node;
  bool gathers; /* may even an exact model have accesses to elements that data tells? */
  enum tsr_apart apart;
};
/* Model the nodes of PLACE. Returns a model in any case; scop is NULL and reason set if it failed. EXACT: fail where
 * accesses or control flow could only be over-approximated. */
struct tsr_model *tsr_model_build(isl_ctx *ctx, struct tsr_analyses *a, const struct tsr_options *opt,
                                  const struct tsr_place *place, const char *name, bool exact);
struct tsr_model *tsr_model_free(struct tsr_model *m);
/* Does a statement in the deepest loops write several scalars that live in elements, as far as TSR_TOGETHER goes? */
bool tsr_model_has_joined_sums(const struct tsr_model *m);
/* Make m->scop anew from the tables. */
bool tsr_model_make_scop(struct tsr_model *m);

/* ---- model_queries.c -------------------------------------------------------------------------------------------- */

/* Append BLOCK, which is none of them yet. */
void tsr_blocks_add(struct tsr_blocks *blocks, LLVMBasicBlockRef block);
bool tsr_blocks_have(const struct tsr_blocks *blocks, LLVMBasicBlockRef block);
/* Is VALUE an instruction of the SCoP? */
bool tsr_model_in_region(const struct tsr_model *m, LLVMValueRef value);
/* Note a failure (the first one stays); false for the caller's convenience. */
bool tsr_model_reject(struct tsr_model *m, enum tsr_reason reason, LLVMValueRef culprit, const char *detail);
/* The condition for a correct model can't be checked: reason Assumptions, which shows CONDITION (kept). */
bool tsr_model_reject_condition(struct tsr_model *m, __isl_keep isl_set *condition);
/* Forget a failure: there is another way (not for errors of isl) */
void tsr_model_retry(struct tsr_model *m);
/* A function that doesn't exist: its calls are bases of arrays that scalars have been expanded to */
#define TSR_EXPANDED_BASE "tsr.expanded"
/* Is BASE one? Its array is nobody else's, holds nothing in front of the SCoP, and nothing behind. */
bool tsr_is_expanded(LLVMValueRef base);
/* The first load or store, NULL if there is none */
LLVMValueRef tsr_model_access_to(struct tsr_model *m, int array);
/* Where the values of SCALAR array ARRAY are: equal for those that share an element. */
int tsr_array_place(const struct tsr_model *m, int array);
/* Free what S owns. */
void tsr_stmt_clear(struct tsr_stmt_info *s);
/* What VALUE is in the instances of S: itself, or one of those that it is chosen from. */
LLVMValueRef tsr_stmt_value(const struct tsr_stmt_info *s, LLVMValueRef value);

/* ---- rare_statements.c -------------------------------------------------------------------------------------------------
 */

/* The value, one that S reads, that write W of S, which is rare, leaves there but where something changes: what it writes is
 * that, or a choice in which that is one. NULL: there is none. */
LLVMValueRef tsr_stmt_kept(const struct tsr_model *m, const struct tsr_stmt_info *s, int w);
/* `old` or, where `cond` is `when`, `other`, which has nothing to do with it: that is so where `other` is `largest` of both,
 * or the smallest, maybe where they are equal, too; `unordered`: and where one of them is no number. */
struct tsr_extreme {
  LLVMValueRef old, other, cond;
  bool when, largest, unordered;
};
/* Is write W of S, which is rare, an extreme of numbers, float or double? */
bool tsr_stmt_extreme(const struct tsr_model *m, const struct tsr_stmt_info *s, int w, struct tsr_extreme *extreme);

/* ---- of a finished model ---------------------------------------------------------------------------------------- */

/* memory/scalar_elements.c: find scalars that may live in an array element, and move them there: true; then the SCoP must be
 * made anew. */
bool tsr_model_demote(struct tsr_model *m);
/* memory/scalar_reloads.c: find a value that may be loaded where it is used, and do so: true; then as above. */
bool tsr_model_reload(struct tsr_model *m);
/* memory/expanded_scalars.c: sums that get an element of an array for each iteration of two loops. */
#define TSR_MAX_EXPANDED 8
struct tsr_expansion {
  int n;
  struct tsr_expanded {
    LLVMValueRef sum;     /* the phi, or the value that is read all along a loop */
    LLVMValueRef base;    /* of the array; stands for memory that new code allocates */
    LLVMValueRef store;   /* that the program doesn't have */
    LLVMValueRef before;  /* what it had in front of that; NULL: nothing in this block */
    LLVMValueRef columns; /* of a row, i64, in the SCoP; NULL: one */
    tsr_scev rows;        /* and the number of rows, but for the last one */
  } item[TSR_MAX_EXPANDED];
};
/* Put stores for sums of M, which keep their loops inside of others, into the IR; NULL: there are none. M stays right.
 * RIVALS: also for those that live in elements whose old values the nest reads; NULL if there are none of these. */
struct tsr_expansion *tsr_expansion_insert(struct tsr_model *m, bool rivals);
/* Does M, a finished model of the IR with ALL, have the sums in their elements, and nothing else? */
bool tsr_expansion_holds(const struct tsr_expansion *all, const struct tsr_model *m);
/* The IR as it was, but for new code, which has its own memory by now. NULL. */
struct tsr_expansion *tsr_expansion_erase(struct tsr_expansion *all);
/* independent_scops.c: does A use a value from in front of it that is computed in B, whose new code would not pass there?
 * Scalar evolution looks through the phis behind a loop, so parameters may be such values. */
bool tsr_model_takes_from(const struct tsr_model *a, const struct tsr_model *b);

/* ---- for emit/ -------------------------------------------------------------------------------------------------- */

/* memory/element_maps.c: { S -> A }, the element of ACCESS, for statement STMT inside of all loops around it. */
__isl_give isl_map *tsr_model_element(struct tsr_model *m, int stmt, const struct tsr_raw_access *access);
/* memory/alias_pairs.c: bytes of the object that ARRAY is, from its base on; 0: unknown. */
uint64_t tsr_array_bytes(struct tsr_model *m, int array);
/* .. can the arrays that may overlap be checked by a table only? Of so many rows at most. */
#define TSR_MAX_OVERLAP_ROWS 128
bool tsr_aliases_take_table(const struct tsr_model *m);
/* .. what the checks cost, in pairs that are compared one by one */
int tsr_alias_checks(const struct tsr_model *m);
/* values/condition_sets.c: what the way out of BLOCK depends on; NULL: nothing */
LLVMValueRef tsr_branch_condition(LLVMBasicBlockRef block);
#define TSR_SKIP_POINT "T"
/* control/zero_skips.c: { T[i..] -> [i..] }, the points at which SKIP is tested, and their order: loops that move along rows
 * of what is read go innermost. */
__isl_give isl_map *tsr_skip_order(struct tsr_model *m, const struct tsr_skip *skip);
/* values/lifts.c: the lifts (bits) that must be loaded before parameter ATOM can be computed. */
unsigned tsr_atom_needs(struct tsr_model *m, int atom);
/* statement_vectors.c: what a statement with vector_bytes writes, and to where *STORE, a store of the original, does. */
LLVMValueRef tsr_vector_target(struct tsr_model *m, int stmt, LLVMValueRef *store);

#endif
