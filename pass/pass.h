/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The LLVM half of Tessera: read/ turns IR into a SCoP, emit/ turns an isl AST back into IR, driver.c shows the whole flow.
 * Sections are named after the file that exports them, in flow order.
 *
 *   function -> tree of nodes (region.c) -> runs of siblings -> tsr_model (read/) -> tsr_pipeline_run (isl-bridge)
 *            -> versioned IR (emit/)
 */
#ifndef TSR_PASS_H
#define TSR_PASS_H

#include "shim/shim.h"
#include "tessera.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- driver.c ----------------------------------------------------------------------------------------- */

enum tsr_when { TSR_WHEN_EARLY, TSR_WHEN_LATE, TSR_WHEN_ASKED };
/* The whole pass on one module: clone, canonicalise, model, plan, emit, bring back. Did MODULE change? */
bool tsr_run(LLVMModuleRef module, const struct tsr_options *opt, enum tsr_when when, tsr_library library);

/* ---- target.c ----------------------------------------------------------------------------------------------- */

/* *MACHINE: what FUNCTION is compiled for. */
void tsr_target_machine(LLVMValueRef function, struct tsr_machine *machine);
/* New code is about to be written into FUNCTION: where LLVM would split the vectors of MACHINE, FUNCTION asks for them. */
void tsr_target_use_vectors(LLVMValueRef function, const struct tsr_machine *machine);

/* ---- report.c: reasons and remarks ------------------------------------------------------------------------ */

enum tsr_reason {
  TSR_ACCEPTED,
#define REASON(NAME, TEXT, HINT) TSR_REASON_##NAME,
#include "reasons.def"
#undef REASON
  TSR_N_REASON
};
struct tsr_node;
struct tsr_model;
/* Each returns the remark's name. */
const char *tsr_report_rejected(struct tsr_model *m, LLVMValueRef original, const struct tsr_node *node);
const char *tsr_report_budget(LLVMValueRef original, const struct tsr_node *node, const char *stage);
/* Nothing of a function may be changed because of WHAT, an attribute or callee of it. */
const char *tsr_report_untouched(LLVMValueRef original, tsr_loop loop, enum tsr_reason reason, const char *what);
const char *tsr_report_modelled(struct tsr_model *m, LLVMValueRef original);
/* How the influence tree was followed: TRACE of struct tsr_result. */
void tsr_report_influence(struct tsr_model *m, LLVMValueRef original, const char *trace);
/* The verdict is another than TSR_OK. */
const char *tsr_report_left(struct tsr_model *m, LLVMValueRef original, const struct tsr_result *result);
/* Of the original function's new body, once it is verified; LOCATION: tsr_node_location, asked for before the emission. */
const char *tsr_report_transformed(LLVMValueRef original, LLVMMetadataRef location, const struct tsr_result *result);
const char *tsr_report_broken(LLVMValueRef original, LLVMMetadataRef location, const char *why);
/* Of the first loop in NODE; NULL if unknown. */
LLVMMetadataRef tsr_node_location(const struct tsr_node *node);

/* ---- tally.c: what became of a module's nests, in numbers -------------------------------------------------- */

#define TSR_MAX_TALLY 64
struct tsr_tally {
  struct {
    const char *name; /* of a remark; not owned */
    unsigned n;
  } entry[TSR_MAX_TALLY]; /* in the order of their first remark */
  int n;
};
void tsr_tally_add(struct tsr_tally *tally, const char *name);
/* Append `SOURCE operations=N NAME=N ..` to the file at PATH, a line that no other process can break. False if it can't. */
bool tsr_tally_append(const struct tsr_tally *tally, const char *path, const char *source, unsigned long operations);

/* ---- read/region.c: the control flow as a tree ------------------------------------------------------------ */

enum tsr_node_kind { TSR_NODE_BLOCK, TSR_NODE_IF, TSR_NODE_DAG, TSR_NODE_LOOP, TSR_NODE_CHECK };
struct tsr_node;
struct tsr_seq {
  struct tsr_node **nodes;
  int n;
};
/* BLOCK: the instructions of `block` without its terminator.
 * IF:    the conditional branch at the end of `block`; body[0] where it goes when true, body[1] else.
 * DAG:   the conditional branch or switch at the end of `block`; body[0]: the blocks up to `next`, in topological order.
 * CHECK: the conditional branch at the end of `block`: to `next`, or to where the program ends.
 * LOOP:  a rotated loop with one latch, which is its only exiting block; body[0] runs from header to latch. */
struct tsr_node {
  enum tsr_node_kind kind;
  LLVMBasicBlockRef block; /* LOOP: the header */
  LLVMBasicBlockRef next;  /* where control goes on */
  tsr_loop loop;           /* LOOP: itself; else the innermost loop around, NULL if none */
  struct tsr_seq body[2];
  bool opaque; /* a LOOP whose body could not be parsed as a tree; body[0] is the part that could */
  enum tsr_reason reason;
  LLVMValueRef culprit;
};
struct tsr_tree {
  struct tsr_seq *roots; /* the function's body; then loops inside parts that are no tree */
  int n_root;
  struct tsr_node **all; /* owns */
  int n_all;
};

/* Stands in the metadata of the loops that we wrote and of their originals, which inlining takes along. A LOOP with it is
 * opaque, reason Done. */
#define TSR_LOOP_DONE "tessera.done"

/* Parse FUNCTION's control flow (analyses must have selected it). */
struct tsr_tree *tsr_tree_parse(struct tsr_analyses *a, LLVMValueRef function);
struct tsr_tree *tsr_tree_free(struct tsr_tree *tree);
bool tsr_seq_has_loop(const struct tsr_seq *seq);
bool tsr_node_has_loop(const struct tsr_node *node);
bool tsr_node_contains(const struct tsr_node *node, LLVMBasicBlockRef block);
/* Is there a loop in it that could be parsed? Code of ours? */
bool tsr_seq_has_candidate(const struct tsr_seq *seq);
bool tsr_seq_has_done(const struct tsr_seq *seq);
tsr_loop tsr_seq_loop(const struct tsr_seq *seq); /* that SEQ is part of; NULL if there is none */
/* Append the blocks of NODES (terminators included) to OUT. */
struct tsr_blocks {
  LLVMBasicBlockRef *block;
  int n;
  uint64_t seen[4]; /* a bit for every block that was added: most others are seen not to be there at once */
};
void tsr_blocks_add(struct tsr_blocks *blocks, LLVMBasicBlockRef block);
bool tsr_blocks_have(const struct tsr_blocks *blocks, LLVMBasicBlockRef block);

/* ---- read/size.c ------------------------------------------------------------------------------------------------------ */

/* Statement instances of the sibling NODES, or more, for the parameters that the cost model assumes; in an EXACT model, or
 * one in which a loop without a trip count can only be a part of a statement. Infinite if they are not too few. */
double tsr_nodes_size(struct tsr_analyses *a, struct tsr_node *const *nodes, int n, bool exact);

/* ---- read/poly.c: polynomials over parameters, loop counters and quasi-affine atoms -------------------------- */

#define TSR_MAX_DEGREE 4
/* coef * product of atoms; atoms are indices into tsr_model.atoms, sorted. */
struct tsr_term {
  int64_t coef;
  int degree;
  int atom[TSR_MAX_DEGREE];
};
struct tsr_poly {
  struct tsr_term *term; /* sorted by (degree, atoms), highest first, no zero coefficients */
  int n;
};
struct tsr_poly *tsr_poly_const(int64_t value);
struct tsr_poly *tsr_poly_atom(int atom);
struct tsr_poly *tsr_poly_term(const struct tsr_term *term);
struct tsr_poly *tsr_poly_copy(const struct tsr_poly *p);
struct tsr_poly *tsr_poly_free(struct tsr_poly *p);
/* All take their arguments and return NULL on overflow or too high a degree (or if an argument is NULL). */
struct tsr_poly *tsr_poly_add(struct tsr_poly *a, struct tsr_poly *b);
struct tsr_poly *tsr_poly_sub(struct tsr_poly *a, struct tsr_poly *b);
struct tsr_poly *tsr_poly_mul(struct tsr_poly *a, struct tsr_poly *b);
struct tsr_poly *tsr_poly_scale(struct tsr_poly *a, int64_t factor);
/* A / factor, NULL if some coefficient isn't a multiple. */
struct tsr_poly *tsr_poly_divide_exact(struct tsr_poly *a, int64_t factor);
/* A = QUOTIENT * D + REMAINDER, no term of REMAINDER divisible by D's leading monomial; constants are rounded so that
 * the remainder's constants are small. Takes A. */
bool tsr_poly_divide(struct tsr_poly *a, const struct tsr_poly *d, struct tsr_poly **quotient, struct tsr_poly **remainder);
bool tsr_poly_equal(const struct tsr_poly *a, const struct tsr_poly *b);
bool tsr_poly_is_const(const struct tsr_poly *p, int64_t *value);
int tsr_poly_degree(const struct tsr_poly *p);
int64_t tsr_poly_content(const struct tsr_poly *p); /* gcd of the coefficients, 0 for the zero polynomial */

/* ---- read/invariant.c: loads that give the same value all through a nest ------------------------------------------ */

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
bool tsr_lift_block(struct tsr_model *m, LLVMBasicBlockRef block, isl_set *domain, bool *stored);
bool tsr_lift_before(struct tsr_model *m);
/* read/incoming.c: is what scalar evolution says of values from outside right if the lifts' loads are equal? Rejects M if
 * not. */
bool tsr_incoming_hold(struct tsr_model *m);
/* When accesses are known: could a store overwrite one, and a check at run time not exclude that? */
bool tsr_lift_survives(struct tsr_model *m);
/* Behind that: could a condition be found for each of them under which it can be loaded, as far as is plain by now? */
bool tsr_lift_may_load(struct tsr_model *m);
/* When parameters are known, too: can all be hoisted? Orders them. */
bool tsr_lift_finish(struct tsr_model *m);
void tsr_lift_clear(struct tsr_model *m);
/* The lifts (bits) whose loads VALUE, a parameter or an address, is computed from. */
unsigned tsr_value_needs(struct tsr_model *m, LLVMValueRef value);
/* The lifts (bits) that must be loaded before parameter ATOM can be computed. */
unsigned tsr_atom_needs(struct tsr_model *m, int atom);

/* ---- read/model.c: the SCoP and the side table that links it to the IR ---------------------------------------- */

enum tsr_atom_kind { TSR_ATOM_PARAM, TSR_ATOM_DIM, TSR_ATOM_EXPR };
struct tsr_atom {
  enum tsr_atom_kind kind;
  LLVMValueRef value;      /* PARAM: an integer that doesn't change in the SCoP, taken as signed */
  tsr_loop loop;           /* DIM: its iteration count, from 0 */
  isl_pw_aff *expr;        /* EXPR: over parameters; counters are parameters too until the model is finished */
  int factor[2];           /* PARAM without a value yet: the product of these two, computed in front of the SCoP */
  int divisor;             /* PARAM without a value yet: the first of `factor` divided by it; 0: none */
  tsr_scev scev;           /* PARAM without a value yet: an expression that the SCoP doesn't change; else NULL */
  LLVMValueRef pointer[2]; /* PARAM without a value yet: the bytes from the second to the first */
  char *name;              /* PARAM, DIM: the isl parameter */
  bool bound;              /* emission: PARAM has its value */
};

/* An access as the IR has it. */
struct tsr_raw_access {
  LLVMValueRef inst;       /* load, store or transfer (memset and the like) */
  int array;               /* index into tsr_model.arrays */
  int size;                /* bytes; 0: a transfer */
  struct tsr_poly *offset; /* in elements from the base; in bytes up to tsr_model_elements; NULL: unknown */
  struct tsr_poly *row;    /* in an array of rows: the subscript of the table that its address is loaded from; NULL: none */
  LLVMValueRef row_load;   /* .. by this load */
  struct tsr_poly *length; /* of a transfer with a known offset, in the same unit; NULL: none */
  int width;               /* elements: offset, offset + 1, .. */
  int stmt;                /* -1: dropped, but its address is still in use */
  struct tsr_poly **index; /* after delinearisation: n_dim of the array; with a length only up to `run` */
  struct tsr_poly *count;  /* subscripts index[run] .. index[run] + count - 1, and behind it all that there are */
  int run;
  enum tsr_access_kind kind;
  bool fixed;          /* can the address be computed in its own statement alone? */
  bool bounded;        /* offset unknown: it is in first .. last, in the unit of offset */
  int64_t first, last; /* inclusive */
  bool tried;          /* as a home for scalars */
};

/* What stands behind the SCoP's array of the same index. */
struct tsr_array_info {
  enum tsr_array_kind kind;
  char name[40];
  /* MEMORY */
  LLVMValueRef base;
  int elem_size; /* divides the size and the offset of each access */
  bool written;
  bool unbounded;         /* is an access to it unknown and not bounded? */
  bool rows;              /* R[t, x]: element x behind the pointer in element t of a table; `base` is the table's */
  struct tsr_poly **size; /* of the inner dimensions, outermost first; n_dim - 1 of them; over parameters */
  int n_dim;
  /* SCALAR */
  LLVMValueRef origin; /* the value or phi */
  bool is_phi;
  bool live_out;
  bool tried;        /* to be loaded where it is used */
  int home;          /* it lives in the element of access home - 1; 0: in a slot */
  LLVMValueRef slot; /* emission: its alloca */
};

struct tsr_scalar_write {
  int array;
  LLVMValueRef value;
  LLVMBasicBlockRef from; /* written at the end of this block */
};

/* What stands behind the SCoP's statement of the same index. */
struct tsr_stmt_info {
  LLVMBasicBlockRef block;
  struct tsr_blocks inner; /* blocks behind the branch of `block` that are copied with it, in topological order */
  LLVMBasicBlockRef meet;  /* where they are left to */
  tsr_loop *loops;         /* outermost first: the meaning of its domain's dimensions */
  int n_loop;
  LLVMValueRef *inst; /* to copy, in order */
  int n_inst;
  int *read; /* SCALAR arrays loaded before the first instruction */
  int n_read;
  struct tsr_scalar_write *write; /* stored at the ends of blocks; one of each array on each way through */
  int n_write;
  isl_set *domain; /* counters as parameters */
  struct {         /* what it says beyond what the model allows, once asked for; NULL: never */
    isl_set *right, *allowed;
  } known;
};

struct tsr_model {
  isl_ctx *ctx;
  struct tsr_analyses *a;
  LLVMModuleRef module;
  LLVMValueRef function;
  const struct tsr_options *opt;
  /* the run of sibling nodes */
  struct tsr_node **nodes;
  int n_node;
  struct tsr_blocks blocks; /* all blocks whose instructions (not only the terminator) belong to it */
  struct tsr_blocks errors; /* what failed checks lead to; no part of it */
  LLVMValueRef entry;       /* the terminator through which control comes in */
  LLVMBasicBlockRef exit;   /* where control goes on */
  /* tables */
  struct tsr_atom *atoms;
  int n_atom;
  struct tsr_array_info *arrays;
  int n_array;
  struct tsr_stmt_info *stmts;
  int n_stmt;
  struct tsr_raw_access *access;
  int n_access;
  const struct tsr_invariants *invariants; /* of the function, may be NULL */
  struct tsr_lift *lift;
  int n_lift;
  int *lift_order;             /* in which they can be loaded */
  isl_set *violated;           /* parameter values for which the model would be wrong */
  isl_set *allowed;            /* .. of the finished SCoP: none of the others, one piece */
  struct tsr_known *known;     /* read/known.c; NULL: nothing */
  struct tsr_answers *answers; /* read/answers.c, of all models; may be NULL */
  bool in_factor;              /* affine.c: what is converted is multiplied with something */
  bool has_errno;              /* some call may set errno */
  bool has_reading_call;       /* .. may read memory */
  bool exact;                  /* no over-approximation: reject what needs one */
  bool quiet;                  /* nobody wants to hear of what is in the way */
  bool approximate;            /* there is one */
  bool is_read;                /* are all statements and accesses known? Then nothing is left to be over-approximated */
  /* result */
  struct tsr_scop *scop;
  char *name;
  int n_alias_pair;
  int (*alias_pair)[2];
  struct tsr_rows {         /* of an array of rows */
    isl_set *table, *range; /* [n] -> { [t] : loaded for sure, whenever the SCoP runs }; [n] -> { [x] : of all rows } */
    int64_t step;           /* of the table's subscripts */
  } *rows;                  /* by array; NULL: there are none */
  /* the run-time condition, made by tsr_emit_can */
  isl_ast_expr *condition; /* over parameters; NULL: always true */
  struct tsr_range {
    isl_ast_expr *lo, *hi;      /* of the outermost subscript, in an array of rows of the inner one; NULL: not needed */
    isl_ast_expr *head, *tail;  /* of the second subscript where the outermost is lo, hi; NULL: any within the row */
    isl_ast_expr *any;          /* in an array of rows: is any of the table loaded? */
    isl_ast_expr *first, *last; /* .. of the table's subscripts, if so */
  } *range;                     /* by array */
  /* parallel parts to move out, made by tsr_emit */
  struct tsr_outline {
    LLVMBasicBlockRef *block; /* the entry first */
    int n;
    bool team;         /* for threads; else for the sake of the rest of the function: where that fails, they stay */
    LLVMValueRef size; /* of the team, i32; 0: as many as there are */
  } *outline;
  int n_outline;
  LLVMValueRef *slot; /* all allocas that stand for scalars */
  int n_slot;
  bool out_of_budget;
  bool broken; /* outlining failed: drop the clone */
  /* why not */
  enum tsr_reason reason;
  LLVMValueRef culprit; /* instruction, may be NULL */
  char *detail;         /* text for the remark, may be NULL */
};
/* Model the nodes of PLACE. Returns a model in any case; scop is NULL and reason set if it failed. */
struct tsr_place {
  LLVMValueRef function;
  const struct tsr_invariants *invariants; /* of the function */
  struct tsr_answers *answers;             /* of the module; may be NULL */
  struct tsr_node **nodes;                 /* siblings */
  int n_node;
};
/* EXACT: fail where accesses or control flow could only be over-approximated. */
struct tsr_model *tsr_model_build(isl_ctx *ctx, struct tsr_analyses *a, const struct tsr_options *opt,
                                  const struct tsr_place *place, const char *name, bool exact);
struct tsr_model *tsr_model_free(struct tsr_model *m);
/* Note a failure (the first one stays); returns NULL / false for the caller's convenience. */
bool tsr_model_reject(struct tsr_model *m, enum tsr_reason reason, LLVMValueRef culprit, const char *detail);
void tsr_model_retry(struct tsr_model *m); /* forget a failure: there is another way (not for errors of isl) */
LLVMValueRef tsr_model_access_to(struct tsr_model *m, int array); /* the first load or store, NULL if there is none */
/* The condition for a correct model can't be checked: reason Assumptions, which shows CONDITION (kept). */
bool tsr_model_reject_condition(struct tsr_model *m, __isl_keep isl_set *condition);
bool tsr_model_in_region(const struct tsr_model *m, LLVMValueRef value); /* is it an instruction of the SCoP? */

/* { S -> A }: the element of ACCESS, for statement STMT inside of all loops around it. */
__isl_give isl_map *tsr_model_element(struct tsr_model *m, int stmt, const struct tsr_raw_access *access);
/* Where the values of SCALAR array ARRAY are: equal for those that share an element. */
int tsr_array_place(const struct tsr_model *m, int array);
void tsr_stmt_clear(struct tsr_stmt_info *s);
/* read/reduction.c: mark the accesses of m->scop's statement STMT if it is a reduction. */
void tsr_model_reduction(struct tsr_model *m, int stmt);
/* read/vector.c: bytes of the widest number in a version of statement STMT for vectors of instances; 0: there is none. */
int tsr_model_vector_bytes(struct tsr_model *m, int stmt);
/* .. and of one in which each lane has scalars of its own, and which may write several elements */
int tsr_model_lane_bytes(struct tsr_model *m, int stmt);
/* read/wait.c: does INST, on integers, take one cycle? */
bool tsr_is_quick(LLVMValueRef inst);
/* .. cycles from what READ, an access of statement STMT, reads to what the statement stores to the same array,
 * on the longest way; 0: there is none, or it isn't known. */
int tsr_model_wait(struct tsr_model *m, int stmt, const struct tsr_raw_access *read);
/* read/latency.c: cycles on the way from what statement STMT of an instance before has written to what it makes of that; 0:
 * there is no such way. *DIVISIONS: instructions that aren't pipelined. */
int tsr_model_latency(struct tsr_model *m, int stmt, int *divisions);
/* What a statement with tsr_model_vector_bytes writes, and to where *STORE, a store of the original, does. */
LLVMValueRef tsr_vector_target(struct tsr_model *m, int stmt, LLVMValueRef *store);
/* Make m->scop anew from the tables. */
bool tsr_model_make_scop(struct tsr_model *m);

/* ---- read/affine.c: scalar evolution -> polynomials -> isl ------------------------------------------------------- */

enum tsr_sign { TSR_MODULO, TSR_SIGNED, TSR_UNSIGNED };
/* SCEV as an integer, at a point with DOMAIN inside LOOP: equal modulo its width, or as a signed or unsigned number,
 * under assumptions that go to m->violated. NULL if it is no polynomial. */
struct tsr_poly *tsr_poly_of(struct tsr_model *m, tsr_scev scev, enum tsr_sign sign, isl_set *domain, tsr_loop loop);
/* The atom for parameter ATOM / DIVISOR, without rest by assumption; for the bytes from pointer B to pointer A. */
int tsr_atom_quotient(struct tsr_model *m, int atom, int divisor);
int tsr_atom_distance(struct tsr_model *m, LLVMValueRef a, LLVMValueRef b);
/* NULL if some term has a degree above 1. */
isl_pw_aff *tsr_poly_to_pw_aff(struct tsr_model *m, const struct tsr_poly *p);
unsigned tsr_param_bits(struct tsr_model *m, int index);     /* of the type of a parameter */
int tsr_atom_param(struct tsr_model *m, LLVMValueRef value); /* an integer that can be computed in front of the SCoP */
/* The atom for the product of two parameters; below 2^31 in magnitude by assumption. */
int tsr_atom_product(struct tsr_model *m, int a, int b);
/* A parameter for SCEV, all of it, if SCEV can be computed in front of the SCoP; else NULL. */
struct tsr_poly *tsr_poly_invariant(struct tsr_model *m, tsr_scev scev, enum tsr_sign sign, isl_set *domain);
isl_set *tsr_params_universe(struct tsr_model *m);
/* Can VALUE be computed in front of the SCoP, whether or not the SCoP would have computed it? DEPTH 0. */
bool tsr_can_hoist(struct tsr_model *m, LLVMValueRef value, int depth);
/* Can the number S be computed in front of the SCoP (tsr_emit_scev)? Nothing in it traps. */
bool tsr_scev_can_hoist(struct tsr_model *m, tsr_scev s);
const char *tsr_dim_name(struct tsr_model *m, tsr_loop loop);
isl_pw_aff *tsr_pw_aff_const(struct tsr_model *m, int64_t value);

/* ---- read/answers.c: what was asked before, for all models of a module: sets of one isl_ctx -------------------------- */

/* What a question is about; its first word. */
enum tsr_topic { TSR_TOPIC_VIOLATED, TSR_TOPIC_PARAMETERS, TSR_TOPIC_DOMAIN };

/* Numbers that say all there is to say of a question; no words at first. */
struct tsr_text {
  int64_t *word;
  int n, room;
  bool bad; /* something can't be said, or at too great a length: there is no answer, and none is kept */
};

#define TSR_N_ANSWER 2

struct tsr_answer {
  isl_set *set[TSR_N_ANSWER]; /* may be NULL */
};

struct tsr_answers *tsr_answers_alloc(void);
struct tsr_answers *tsr_answers_free(struct tsr_answers *all);
void tsr_say(struct tsr_text *text, int64_t word);
void tsr_say_name(struct tsr_text *text, const char *name);
void tsr_say_set(struct tsr_text *text, isl_set *set); /* over parameters */
/* The same for a set that often comes up again. */
void tsr_say_again(struct tsr_answers *all, struct tsr_text *text, isl_set *set);
void tsr_text_clear(struct tsr_text *text);
/* Is it known what was answered to QUESTION? Then *ANSWER has sets of its own; else no sets. ALL may be NULL. */
bool tsr_answers_find(struct tsr_answers *all, const struct tsr_text *question, struct tsr_answer *answer);
/* Keep copies of the sets of ANSWER. Clears QUESTION. */
void tsr_answers_keep(struct tsr_answers *all, struct tsr_text *question, struct tsr_answer answer);

/* ---- read/assume.c: ranges of parameters, and what is assumed of them -------------------------------------------- */

/* The values of parameter ATOM for which we calculate; *CHECKED: is that less than its type allows? */
isl_set *tsr_param_range(struct tsr_model *m, int atom, bool *checked);
/* SET without the values that the types of its parameters exclude. Takes SET. */
isl_set *tsr_within_types(struct tsr_model *m, isl_set *set);
isl_set *tsr_project_counters(struct tsr_model *m, isl_set *set); /* takes SET */
/* Note that the model is wrong where DOMAIN meets BAD; both are taken and range over parameters and counters. */
bool tsr_model_assume_not(struct tsr_model *m, isl_set *domain, isl_set *bad);
/* All parameters of M and their limits, as part of a question. */
void tsr_say_params(struct tsr_model *m, struct tsr_text *text);

/* ---- read/known.c: what is known to be in the range of a type ---------------------------------------------------- */

/* Is P a number of BITS bits, with SIGN, wherever DOMAIN and not m->violated? False: that isn't known. */
bool tsr_range_is_known(const struct tsr_model *m, const struct tsr_poly *p, unsigned bits, enum tsr_sign sign,
                        isl_set *domain);
/* Note that it is. */
void tsr_range_note(struct tsr_model *m, const struct tsr_poly *p, unsigned bits, enum tsr_sign sign, isl_set *domain);
void tsr_range_grow(struct tsr_model *m, isl_set *smaller); /* m->violated was SMALLER */
void tsr_range_clear(struct tsr_model *m);

/* ---- read/range.c: bounds of products of counters and parameters ------------------------------------------------ */

/* *LO <= P <= *HI wherever DOMAIN (over parameters and counters), under assumptions that go to m->violated; over parameters
 * alone. False, and both NULL: they aren't known. */
bool tsr_poly_bounds(struct tsr_model *m, const struct tsr_poly *p, isl_set *domain, isl_pw_aff **lo, isl_pw_aff **hi);

/* ---- read/pointer.c: addresses -> bytes -> elements ------------------------------------------------------------- */

/* Bytes between POINTER, the address of an access that is executed, and its base; NULL if that is no polynomial. */
struct tsr_poly *tsr_pointer_poly(struct tsr_model *m, LLVMValueRef pointer, isl_set *domain, tsr_loop loop);
/* BYTES / SIZE; parameters in terms that are no multiple of SIZE are assumed to be. NULL if that can't be. Takes BYTES. */
struct tsr_poly *tsr_poly_in_elements(struct tsr_model *m, struct tsr_poly *bytes, int size, isl_set *domain);
/* Bytes from pointer B to pointer A, which may be NULL. */
struct tsr_poly *tsr_pointer_distance(struct tsr_model *m, tsr_scev a, tsr_scev b, isl_set *domain, tsr_loop loop);

/* ---- read/domain.c: conditions and loop bounds ------------------------------------------------------------------- */

/* Where the i1 COND holds, at a point with DOMAIN inside LOOP; NULL if not affine. */
isl_set *tsr_condition_set(struct tsr_model *m, LLVMValueRef cond, isl_set *domain, tsr_loop loop);
/* Where BRANCH, a branch or switch at a point with DOMAIN inside LOOP, takes its successor I; NULL if not affine. */
isl_set *tsr_edge_set(struct tsr_model *m, LLVMValueRef branch, unsigned i, isl_set *domain, tsr_loop loop);
/* Where BRANCH takes its first successor, if what it depends on doesn't change in the SCoP, affine or not: its condition is
 * a parameter, 0 or -1. NULL: it isn't so. */
isl_set *tsr_invariant_edge(struct tsr_model *m, LLVMValueRef branch);
/* Is COND FAILED at no point with DOMAIN inside LOOP? Assumed to be so, for a comparison with a product of a counter and a
 * parameter; false: it can't be. */
bool tsr_condition_assume_not(struct tsr_model *m, LLVMValueRef cond, bool failed, isl_set *domain, tsr_loop loop);
LLVMValueRef tsr_branch_condition(LLVMBasicBlockRef block); /* what the way out of BLOCK depends on; NULL: nothing */
/* DOMAIN and 0 <= counter of LOOP <= its trip count - 1; NULL if that isn't affine. Takes DOMAIN. */
isl_set *tsr_loop_domain(struct tsr_model *m, tsr_loop loop, isl_set *domain);
bool tsr_loop_has_no_domain(struct tsr_analyses *a, tsr_loop loop); /* is that clear without sets? */

/* ---- read/accept.c: the list of what is modelled ---------------------------------------------------------------- */

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
bool tsr_can_remat(struct tsr_model *m, LLVMValueRef value, tsr_loop loop, int depth);
/* Is PHI an induction variable start + step * counter, or that extended, whose step can be computed in front of the SCoP? */
bool tsr_phi_is_counter(struct tsr_model *m, LLVMValueRef phi, LLVMValueRef *start, tsr_scev *step);
/* The width of the counter that such a phi is the extension of, with a sign or without; 0: it is a counter itself. */
unsigned tsr_counter_bits(struct tsr_model *m, LLVMValueRef phi, bool *is_signed);
/* If not, and the user should know: *REASON is why (else TSR_ACCEPTED) and *WHAT, owned by LLVM or static, names it. */
bool tsr_function_is_accepted(LLVMValueRef function, const struct tsr_options *opt, enum tsr_reason *reason,
                              const char **what);

/* ---- read/stmt.c (with visit.c, need.c, access.c), delinearise.c, alias.c: called by model.c in this order ---------- */

/* Is there no access that can't be modelled, as far as is plain without sets? Where nobody wants to hear of what is: it need
 * not be what tsr_model_statements would meet first. */
bool tsr_model_screen(struct tsr_model *m);
/* Does COND, in LOOP, depend on what the SCoP loads or carries along? It is no set of its counters then. True only if that
 * is plain. */
bool tsr_condition_is_data(struct tsr_model *m, LLVMValueRef cond, tsr_loop loop);
/* BYTES, of an access whose subscript isn't known: is the type's range of it small enough to check for overlap? */
bool tsr_offset_is_bounded(struct tsr_model *m, tsr_scev bytes);
bool tsr_model_statements(struct tsr_model *m);  /* blocks -> statements, scalars, raw accesses */
bool tsr_model_elements(struct tsr_model *m);    /* bytes -> elements; in pointer.c */
bool tsr_model_delinearise(struct tsr_model *m); /* raw accesses -> subscripts */
bool tsr_model_rows(struct tsr_model *m);        /* can arrays of rows be checked to be arrays? in rows.c */
void tsr_rows_clear(struct tsr_model *m);
bool tsr_model_errno(struct tsr_model *m);         /* is no access to where calls may set errno? In alias.c */
bool tsr_model_reading_calls(struct tsr_model *m); /* does no call read what is written? At last: with all bases known */
bool tsr_model_aliases(struct tsr_model *m);       /* which arrays must be checked for overlap? */
/* Bytes of the object that ARRAY is, from its base on; 0: unknown. */
uint64_t tsr_array_bytes(struct tsr_model *m, int array);

/* ---- read/demote.c: called on a finished model ------------------------------------------------------------------ */

/* Find scalars that may live in an array element, and move them there: true; then the SCoP must be made anew. */
bool tsr_model_demote(struct tsr_model *m);
void tsr_model_drop_stmts(struct tsr_model *m, const bool *drop); /* a flag a statement */

/* ---- read/reload.c: called on a finished model ------------------------------------------------------------------ */

/* Find a value that may be loaded where it is used, and do so: true; then the SCoP must be made anew. */
bool tsr_model_reload(struct tsr_model *m);

/* ---- read/apart.c --------------------------------------------------------------------------------------------- */

/* Does A use a value from in front of it that is computed in B, whose new code would not pass there? Scalar evolution looks
 * through the phis behind a loop, so parameters may be such values. */
bool tsr_model_takes_from(const struct tsr_model *a, const struct tsr_model *b);

/* ---- emit/ ------------------------------------------------------------------------------------------------------------ */

/* Everything about one SCoP that is about to be written. */
struct tsr_emit {
  struct tsr_model *m;
  const struct tsr_result *plan;
  isl_schedule *tree; /* of the plan, the one at hand */
  LLVMContextRef llvm;
  LLVMBuilderRef b;
  LLVMTypeRef i64;
  struct {
    char *name;
    LLVMValueRef value;
    LLVMBasicBlockRef header; /* of the loop that this is the iterator of, NULL: of none that emit/ast.c wrote */
    LLVMValueRef first;       /* .. its first value */
    LLVMValueRef doubled;     /* .. twice the iterator there (emit/guard.c), NULL: not asked for yet */
  } *var;                     /* isl names in scope -> i64 */
  int n_var;
  LLVMMetadataRef *scope;       /* alias scope of each MEMORY array */
  LLVMMetadataRef *noalias;     /* list of all others */
  LLVMMetadataRef access_group; /* of the vector loop around, NULL if none */
  LLVMMetadataRef location;     /* for instructions of our own */
  struct tsr_blocks fresh;      /* blocks that we made, in the order of their making */
  bool vector, parallel, chain; /* a mark waits for its loop */
  bool masked;                  /* the loop at hand has masked elements (emit/masked.c), or one in it */
  bool doacross;                /* .. if parallel: is that the mark? */
  bool in_parallel;
  const struct tsr_register_tile *tile; /* a mark waits for its nests */
  const struct tsr_edges *edges;        /* of the mark around, NULL if there is none */
  const struct tsr_lockstep *lockstep;  /* a mark waits for its loops */
  struct tsr_lane_loop *lanes;          /* the loop of lanes around, NULL if none */
  bool may_wrap;                        /* the run-time condition: parameters may still be anything */
  struct tsr_private {
    int number;                    /* of the parallel mark */
    bool *array;                   /* SCALAR arrays with a copy a thread */
    struct tsr_private_copy *copy; /* .. and MEMORY arrays (emit/private.c) */
    int n_copy;
    LLVMValueRef fits; /* i1, in front of the loop: are the copies small enough? */
  } *private_of;
  int n_private;
  LLVMValueRef errno_slot;          /* what a team's threads gave errno; NULL: they can't */
  struct tsr_doacross *across;      /* the loop of rows around, whose columns wait for the next loop; NULL else */
  LLVMValueRef progress;            /* of threads in such loops; NULL: there was none yet */
  const bool *private_array;        /* of the parallel mark that waits for its loop */
  struct tsr_private *private_loop; /* the mark with copies that waits for its loop, or has begun; NULL: none */
  LLVMMetadataRef *hint;            /* the user's loop hints */
  unsigned n_hint;
  struct tsr_pack pack[TSR_MAX_PACK]; /* buffers: of packed operands; one alias scope for all, scope[n_array] */
  int n_pack;
  LLVMValueRef packed[TSR_MAX_PACK];                         /* the value of the original that they hold */
  LLVMValueRef buffer[TSR_MAX_PACK];                         /* of this thread */
  LLVMValueRef memory, buffers;                              /* what was allocated; the first of the buffers in it */
  struct tsr_panel_state *panel;                             /* emit/panel.c: of the tree at hand, NULL if there is none */
  void (*emit_node)(struct tsr_emit *e, isl_ast_node *node); /* how bodies are written: tsr_emit_ast */
};
/* emit/emit.c. Could the code of PLAN be written? Checks everything that may fail, changes nothing. On failure m->reason is
 * set. */
bool tsr_emit_can(struct tsr_model *m, const struct tsr_result *plan);
/* Write it: versioned on the run-time condition. Can't fail after tsr_emit_can. */
void tsr_emit(struct tsr_model *m, const struct tsr_result *plan);
/* emit/expr.c: I64, or i1 for conditions. */
LLVMValueRef tsr_emit_expr(struct tsr_emit *e, __isl_take isl_ast_expr *expr);
LLVMValueRef tsr_emit_truth(struct tsr_emit *e, __isl_take isl_ast_expr *expr); /* i1 */
/* emit/guard.c: i1; the condition of a branch in the AST, such that it tells LLVM no bits of iterators of outer loops */
LLVMValueRef tsr_emit_guard(struct tsr_emit *e, __isl_take isl_ast_expr *expr);
/* emit/expr.c: is all arithmetic of AST and of the run-time condition within 64 bits, and are all its operators known? */
bool tsr_expr_fits(struct tsr_model *m, __isl_keep isl_ast_node *ast);
void tsr_emit_bind(struct tsr_emit *e, const char *name, LLVMValueRef value);
LLVMValueRef tsr_emit_variable(struct tsr_emit *e, const char *name); /* what was bound last; undef: nothing */
/* emit/emit.c: VALUE, or where it may be undef or poison some value that isn't */
LLVMValueRef tsr_emit_frozen(struct tsr_emit *e, LLVMValueRef value);
/* emit/emit.c: a stack slot at the builder's place, to be promoted by tsr_emit_finish */
LLVMValueRef tsr_emit_slot(struct tsr_emit *e, LLVMTypeRef type);
/* emit/emit.c: a copy of VALUE, which the SCoP computes, at the builder's place */
LLVMValueRef tsr_emit_hoisted(struct tsr_emit *e, LLVMValueRef value);
/* emit/lift.c: SCEV, which tsr_poly_invariant has seen that it can be computed here */
LLVMValueRef tsr_emit_scev(struct tsr_emit *e, tsr_scev scev);
/* emit/lift.c: in front of the SCoP, load what it finds invariant (on failure of a guard go to OLD) and bind its parameters
 */
void tsr_emit_lifts(struct tsr_emit *e, LLVMBasicBlockRef old);
void tsr_emit_bind_parameters(struct tsr_emit *e, unsigned missing); /* those that need none of the lifts MISSING */
/* emit/lift.c: the proxies in new blocks become values */
void tsr_emit_replace_proxies(struct tsr_emit *e);
/* emit/check.c */
bool tsr_condition_prepare(struct tsr_model *m);
LLVMValueRef tsr_emit_condition(struct tsr_emit *e); /* i1 */
/* Where that holds: what else must, which loads tables of rows. NULL: nothing. Leaves the builder in another block. */
LLVMValueRef tsr_emit_rows_condition(struct tsr_emit *e, LLVMBasicBlockRef old, LLVMValueRef cond);
/* emit/emit.c: BRANCH goes to its first successor as a rule */
void tsr_emit_set_likely(struct tsr_emit *e, LLVMValueRef branch);
/* emit/pack.c: may new code of FUNCTION allocate memory? */
bool tsr_pack_is_possible(LLVMValueRef function);
/* Is it known how MODULE calls malloc, whose size_t has 64 bits, and where errno is? */
bool tsr_library_is_known(LLVMModuleRef module);
/* .. allocate the buffers of e->tree, if it has any, or go to OLD; leaves the builder in another block; free them */
void tsr_emit_buffers(struct tsr_emit *e, LLVMBasicBlockRef old);
void tsr_emit_buffers_free(struct tsr_emit *e);
/* .. in a parallel region, of a loop with BODY: let e->buffer be those of the present thread, but for buffers that were
 * filled in front of it, for all threads */
void tsr_emit_buffers_of_thread(struct tsr_emit *e, __isl_keep isl_ast_node *body);
/* .. the item of PACKED, which may be NULL, that stands for ACCESS of the model; -1: none */
int tsr_pack_of(struct tsr_emit *e, const struct tsr_packed *packed, int access);
/* .. the item whose buffer holds VALUE, computed from such an access */
int tsr_pack_with_value(struct tsr_emit *e, const struct tsr_packed *packed, LLVMValueRef value);
/* .. item I of PACKED as number or vector of TYPE, as its role has it */
LLVMValueRef tsr_emit_packed_load(struct tsr_emit *e, const struct tsr_packed *packed, int i, LLVMTypeRef type,
                                  unsigned lanes, LLVMValueRef mask);
/* .. USER is a copy into a buffer; COUNTERS of the instance that it is named by */
/* Where LOOP, from FIRST on, copies neighbours into a buffer, in an iteration of the loop around: have the elements fetched
 * that a later iteration copies. */
void tsr_emit_pack_prefetch(struct tsr_emit *e, __isl_keep isl_ast_node *loop, LLVMValueRef first);
void tsr_emit_pack_copy(struct tsr_emit *e, __isl_keep isl_ast_node *user, LLVMValueRef *counters);
/* .. LOOP, if it and the only loop in it copy into a buffer against the order of memory: blocks are transposed. False: it is
 * another loop, nothing was emitted */
bool tsr_emit_transposed(struct tsr_emit *e, __isl_keep isl_ast_node *loop);
/* .. LOOP, if it and the only two loops in it copy the rows of register tiles into a buffer, with the order of memory: in
 * blocks. False: it is another loop, nothing was emitted */
bool tsr_emit_packed_rows(struct tsr_emit *e, __isl_keep isl_ast_node *loop);
/* .. the buffer for a panel of BYTES, of the present thread */
LLVMValueRef tsr_emit_panel_buffer(struct tsr_emit *e, LLVMValueRef bytes);
/* emit/panel.c: has e->tree panels that can be in a buffer? Then there is e->panel. How many bytes, at the builder's place
 */
void tsr_emit_panel_find(struct tsr_emit *e);
LLVMValueRef tsr_emit_panel_bytes(struct tsr_emit *e);
void tsr_emit_panel_free(struct tsr_emit *e);
/* .. is MARK, of which the code comes next, that of the panel? Its end */
bool tsr_emit_panel_mark(struct tsr_emit *e, const char *mark);
void tsr_emit_panel_unmark(struct tsr_emit *e);
/* .. in the loop of panels: the one of number COUNTER goes into the buffer, and out of it. False: it is another loop */
bool tsr_emit_panel_begin(struct tsr_emit *e, LLVMValueRef counter);
void tsr_emit_panel_end(struct tsr_emit *e);
/* .. is ARRAY in the buffer now? */
bool tsr_emit_panel_holds(struct tsr_emit *e, int array);
/* .. of the buffer's elements, in bytes */
unsigned tsr_emit_panel_alignment(struct tsr_emit *e);
/* .. where the element that INST, a load or store of the original, accesses is in the buffer; NULL: it isn't */
LLVMValueRef tsr_emit_panel_element(struct tsr_emit *e, LLVMValueRef inst, LLVMValueRef *counters);
/* emit/parallel.c: call NAME, a function of a library that doesn't unwind */
LLVMValueRef tsr_emit_call(struct tsr_emit *e, const char *name, LLVMTypeRef result, LLVMValueRef *args, unsigned n);
/* emit/copy.c: one instance of statement STMT at COUNTERS (i64, one a loop) */
void tsr_emit_stmt(struct tsr_emit *e, int stmt, LLVMValueRef *counters);
struct tsr_for;
/* emit/panel.c: SIZE, of an array, over parameters, i64 */
LLVMValueRef tsr_emit_size(struct tsr_emit *e, const struct tsr_poly *size);
/* emit/registers.c: the nests of e->tile in LOOP */
void tsr_emit_registers(struct tsr_emit *e, __isl_keep isl_ast_node *loop);
/* emit/edges.c: LOOP as short vectors, if the mark of edges around allows it. */
bool tsr_emit_edge(struct tsr_emit *e, __isl_keep isl_ast_node *loop);
/* emit/lockstep.c: LOOP, below e->lockstep, over all its lanes */
void tsr_emit_lockstep(struct tsr_emit *e, __isl_keep isl_ast_node *loop);
/* .. in e->lanes: LOOP, if it is one of statements alone; false: it isn't, nothing was emitted. A statement. */
bool tsr_emit_lane_loop(struct tsr_emit *e, __isl_keep isl_ast_node *loop);
void tsr_emit_lane_user(struct tsr_emit *e, __isl_keep isl_ast_node *user);
/* emit/masked.c: does INST load or store an element in a loop that is named by a mask of a few bits of a counter? */
bool tsr_is_masked(struct tsr_analyses *a, LLVMValueRef inst);
/* .. does FUNCTION anywhere? FORBID: LLVM is not to vectorise the loops around, whatever their hints */
bool tsr_has_masked(struct tsr_analyses *a, LLVMValueRef function, bool forbid);
/* emit/ast.c */
LLVMMetadataRef tsr_emit_loop_id(struct tsr_emit *e, LLVMMetadataRef group,
                                 bool final);                /* FINAL: LLVM shall not unroll it */
char *tsr_emit_iterator_name(__isl_keep isl_ast_node *loop); /* malloc'd */
/* The bounds of LOOP, which does not run just once. */
void tsr_emit_bounds(struct tsr_emit *e, __isl_keep isl_ast_node *loop, struct tsr_for *bounds);
void tsr_emit_unbind(struct tsr_emit *e, int n_var); /* all but the first N_VAR */
/* The statement that USER runs; below 0: none, a copy. */
int tsr_emit_stmt_of(struct tsr_emit *e, __isl_keep isl_ast_node *user);
/* The same and, malloc'd, its counters. */
int tsr_emit_counters(struct tsr_emit *e, __isl_keep isl_ast_node *user, LLVMValueRef **counters);
void tsr_emit_ast(struct tsr_emit *e, __isl_keep isl_ast_node *node);
LLVMBasicBlockRef tsr_emit_block(struct tsr_emit *e, const char *name);
struct tsr_for {
  char *iterator;
  LLVMValueRef first, last, step;    /* last: inclusive */
  isl_ast_node *body;                /* owned */
  bool even;                         /* of a parallel loop: do its iterations take the same time? */
  bool copies;                       /* .. has it private arrays? */
  bool doacross;                     /* are they rows that wait for others? */
  const struct tsr_doacross *across; /* of a loop of columns, NULL else */
};
void tsr_emit_loop(struct tsr_emit *e, const struct tsr_for *loop);
/* emit/guard.c: where LOOP ends, whose iterator was bound last; AT branches into it */
void tsr_emit_doubled_end(struct tsr_emit *e, const struct tsr_for *loop, LLVMBasicBlockRef at);
/* emit/parallel.c: the loop by a team of threads, guarded by a test of its trip count */
void tsr_emit_parallel(struct tsr_emit *e, const struct tsr_for *loop);
/* .. i1: are there several threads, outside of parallel regions, and is there enough for them in a parallel loop of AST? */
LLVMValueRef tsr_emit_may_use_threads(struct tsr_emit *e, __isl_keep isl_ast_node *ast);
/* emit/doacross.c: in front of ROWS, which runs TRIPS times; how many threads shall there be, i32? One unless ENOUGH. */
LLVMValueRef tsr_emit_doacross_begin(struct tsr_emit *e, LLVMValueRef trips, LLVMValueRef enough);
/* .. in each thread: its rows; the loop NODE of columns in a row, where e->across is set */
void tsr_emit_doacross_rows(struct tsr_emit *e, const struct tsr_for *rows);
void tsr_emit_doacross_columns(struct tsr_emit *e, __isl_keep isl_ast_node *node);
/* .. in front of and behind the body for COLUMN */
void tsr_emit_doacross_wait(struct tsr_emit *e, const struct tsr_doacross *across, LLVMValueRef column);
void tsr_emit_doacross_tell(struct tsr_emit *e, const struct tsr_doacross *across, LLVMValueRef column);
/* E->private_of for the parallel marks of TREE, each of which has an id of its own. */
void tsr_emit_find_private(struct tsr_emit *e, __isl_keep isl_schedule *tree);
void tsr_emit_free_private(struct tsr_emit *e);
/* emit/private.c: for MARK, above BAND: the arrays flagged in MEMORY, if threads can have copies of them. False: they can't.
 */
bool tsr_emit_private_find(struct tsr_emit *e, struct tsr_private *mark, __isl_keep isl_schedule_node *band,
                           const bool *memory);
void tsr_emit_private_clear(struct tsr_private *mark);
/* .. in front of the loop of e->private_loop: i1, are the copies small enough? */
LLVMValueRef tsr_emit_private_fits(struct tsr_emit *e);
/* .. in the thread, which keeps room for them unless there need be none */
void tsr_emit_private_begin(struct tsr_emit *e);
/* .. in front of a part of the iterations: LAST, i1: is the last one among them? */
void tsr_emit_private_part(struct tsr_emit *e, LLVMValueRef last);
void tsr_emit_private_end(struct tsr_emit *e);
/* .. POINTER, which INST, a load or a store, would have: where that is in the copy of this thread */
LLVMValueRef tsr_emit_private_pointer(struct tsr_emit *e, LLVMValueRef inst, LLVMValueRef pointer);
/* The mark ID is above the next loop. */
void tsr_emit_enter_parallel(struct tsr_emit *e, __isl_keep isl_id *id);
/* Do the iterations of the loop NODE take the same time, as far as its AST tells? */
bool tsr_emit_is_even(struct tsr_emit *e, __isl_keep isl_ast_node *node);
/* Behind tsr_emit of all SCoPs of a function: scalars become values, parallel parts functions. */
void tsr_emit_finish(struct tsr_model *m);

/* new */
LLVMValueRef tsr_emit_number(struct tsr_emit *e, int64_t value); /* i64 */
#define TSR_MAX_COEF (INT64_C(1) << 31)
/* (last - first) / step + 1 */
LLVMValueRef tsr_emit_trip_count(struct tsr_emit *e, const struct tsr_for *loop);
/* trips of LOOP * work of one iteration, in its middle if all are alike > MIN_WORK */
LLVMValueRef tsr_emit_is_enough(struct tsr_emit *e, const struct tsr_for *loop);
LLVMValueRef tsr_emit_is_inside_team(struct tsr_emit *e);
isl_map *tsr_counters_to_dims(struct tsr_model *m, isl_map *map, const struct tsr_stmt_info *s, enum isl_dim_type type);
isl_map *tsr_subscript_map(struct tsr_model *m, const struct tsr_stmt_info *s, struct tsr_poly **index, int n,
                           const char *name);
isl_set *tsr_array_extent(struct tsr_model *m, const struct tsr_array_info *a);
isl_schedule *tsr_model_original_order(struct tsr_model *m);
int tsr_atom_new(struct tsr_model *m, struct tsr_atom atom);
/* A readable and unique C identifier: the source name where there is one, else STEM and a number. */
char *tsr_atom_name(struct tsr_model *m, LLVMValueRef value, const char *stem);
int tsr_atom_dim(struct tsr_model *m, tsr_loop loop);
bool tsr_atom_is_counter(struct tsr_model *m, int atom);
/* Is P, of degree 1, known to be a number of BITS bits? */
bool tsr_poly_is_in_range(struct tsr_model *m, const struct tsr_poly *p, unsigned bits, enum tsr_sign sign, isl_set *domain);
/* P as a number of BITS bits: true if it is in range, or assumed to be. */
bool tsr_poly_assume_in_range(struct tsr_model *m, const struct tsr_poly *p, unsigned bits, enum tsr_sign sign,
                              isl_set *domain);
bool tsr_predicate_is_unsigned(LLVMIntPredicate pred);

#ifdef __cplusplus
}
#endif
#endif
