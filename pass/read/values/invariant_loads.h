/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads that give the same value all through a nest, and what of that a SCoP uses. */
#ifndef TSR_INVARIANT_LOADS_H
#define TSR_INVARIANT_LOADS_H

#include "read/scop_model.h"

/* ---- invariant_loads.c: of a function ------------------------------------------------------------------------- */

/* Loads from one address (or calls that give the address of one thread_local variable) and what stands for them. */
struct tsr_invariant {
  LLVMValueRef proxy; /* has no operands; uses of the loads are its uses until tsr_invariants_undo */
  tsr_scev address;
  LLVMTypeRef type;
  tsr_loop in;  /* the proxy stands in front of everything in there; NULL: in the function */
  bool is_call; /* of llvm.threadlocal.address */
  bool is_pure; /* arithmetic, not a load: `address` is its first operand */
  char *name;   /* of the location, may be NULL */
  struct tsr_member {
    LLVMValueRef inst;
    struct tsr_use {
      LLVMValueRef user;
      unsigned operand;
    } *use;
    int n_use;
  } *member;
  int n_member;
};
struct tsr_invariants {
  struct tsr_invariant *item;
  int n;
  struct tsr_member *same; /* phis of one value that is computed from proxies; it has their uses till then, too */
  int n_same;
  tsr_loop *searched;
  int n_searched;
};
/* Find loads in the loops inside IN (NULL: in FUNCTION) whose address these loops don't change, and replace their uses. Call
 * it before anything inside IN is modelled: what is known of counters and trip counts there is forgotten. Once for each IN:
 * nothing more is found later. */
void tsr_invariants_find(struct tsr_invariants *v, struct tsr_analyses *a, LLVMValueRef function, tsr_loop in);
/* Give all uses their loads back. */
void tsr_invariants_undo(struct tsr_invariants *v);
/* Erase the proxies and empty V. Was none of them used any more? */
bool tsr_invariants_clear(struct tsr_invariants *v);
/* What PROXY stands for; NULL if it is no proxy. */
const struct tsr_invariant *tsr_invariant_of(const struct tsr_invariants *v, LLVMValueRef proxy);

/* ---- lifts.c: of a SCoP ----------------------------------------------------------------------------------------- */

/* An invariant that a SCoP uses. */
struct tsr_lift {
  const struct tsr_invariant *item;
  LLVMValueRef inside;  /* a load in the SCoP: its location is loaded from in front of it; NULL: there is none */
  LLVMValueRef *before; /* loads in front of the SCoP whose values it uses: must be equal */
  int n_before;
  unsigned align;
  isl_set *runs, *runs_first; /* [n] -> { : } where a load in the SCoP is executed; before any store, all counters 0 */
  isl_ast_expr *guard;        /* the condition to load; NULL: always possible */
  bool *apart;                /* by array: to be checked at run time that its stores don't touch the location */
  /* emission */
  LLVMValueRef pointer, loaded, value;
};
/* Can all members in the SCoP be lifted, as far as the code alone tells? */
bool tsr_lift_screen(struct tsr_model *m);
/* In this order: for each block of the SCoP in program order, *STORED false at first and kept between calls; then once.
 * DOMAIN is exact: a load in a block that is executed under a condition which DOMAIN doesn't show must not be counted on. */
bool tsr_lift_block(struct tsr_model *m, LLVMBasicBlockRef block, __isl_keep isl_set *domain, bool *stored);
bool tsr_lift_before(struct tsr_model *m);
/* When accesses are known: could a store overwrite one, and a check at run time not exclude that? */
bool tsr_lift_survives(struct tsr_model *m);
/* Behind that: could a condition be found for each of them under which it can be loaded, as far as is plain by now? */
bool tsr_lift_may_load(struct tsr_model *m);
/* When parameters are known, too: can all be hoisted? Orders them. */
bool tsr_lift_finish(struct tsr_model *m);
void tsr_lift_clear(struct tsr_model *m);

/* ---- incoming_values.c -------------------------------------------------------------------------------------------- */

/* Is what scalar evolution says of values from outside right if the lifts' loads are equal? Rejects M if not. */
bool tsr_incoming_hold(struct tsr_model *m);

#endif
