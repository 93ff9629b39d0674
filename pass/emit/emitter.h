/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of emit/ share: everything about one SCoP that is about to be written, and what all code is made with. */
#ifndef TSR_EMITTER_H
#define TSR_EMITTER_H

#include "emit/emit.h"

/* Everything about one SCoP that is about to be written. */
struct tsr_emit {
  struct tsr_model *m;
  const struct tsr_result *plan;
  const struct tsr_variant *variant; /* of the plan, the one at hand */
  struct tsr_program *program;       /* that it runs; NULL: the original's statements in the order of its tree */
  LLVMContextRef llvm;
  LLVMBuilderRef b;
  LLVMTypeRef i64;
  struct {
    char *name;
    LLVMValueRef value;
    LLVMBasicBlockRef header; /* of the loop that this is the iterator of, NULL: of none that emit/ast_walk.c wrote */
    LLVMValueRef first;       /* .. its first value */
    LLVMValueRef doubled;     /* .. twice the iterator there (emit/branch_guards.c), NULL: not asked for yet */
  } *var;                     /* isl names in scope -> i64 */
  int n_var;
  LLVMMetadataRef *scope;       /* alias scope of each MEMORY array */
  LLVMMetadataRef *noalias;     /* list of all others */
  LLVMMetadataRef access_group; /* of the vector loop around, NULL if none */
  struct tsr_seen *seen;        /* what statements have loaded in the block at hand (emit/seen_loads.c); NULL: nothing */
  LLVMMetadataRef location;     /* for instructions of our own */
  struct tsr_blocks fresh;      /* blocks that we made, in the order of their making */
  bool vector, parallel, chain; /* a mark waits for its loop */
  int vector_width;             /* .. with so many elements at once, as a user commands; 0: LLVM chooses */
  bool blocks;                  /* the loop at hand is one over a kernel's blocks */
  bool masked;                  /* the loop at hand has masked elements (emit/masked_elements.c), or one in it */
  bool doacross;                /* .. if parallel: is that the mark? */
  bool in_parallel;
  const struct tsr_mark *tile;         /* "registers" waits for its nests */
  const struct tsr_edges *edges;       /* of the mark around, NULL if there is none */
  const struct tsr_lockstep *lockstep; /* a mark waits for its loops */
  struct tsr_lane_loop *lanes;         /* the loop of lanes around, NULL if none */
  bool may_wrap;                       /* the run-time condition: parameters may still be anything */
  struct tsr_private {
    int number;  /* of the parallel mark */
    bool *array; /* SCALAR arrays with a copy a thread */
  } *private_of;
  int n_private;
  LLVMValueRef errno_slot;     /* what a team's threads gave errno; NULL: they can't */
  struct tsr_doacross *across; /* the loop of rows around, whose columns wait for the next loop; NULL else */
  bool rare, preload, stream;  /* a mark is above the loops at hand */
  bool streamed;               /* were stores past the caches written that no fence is behind yet? */
  LLVMValueRef asked;          /* the guard that was asked in front of the loop at hand; NULL: none was */
  struct tsr_look *look;       /* emit/rare_blocks.c: what is looked for in place of changes; NULL: nothing */
  bool steps;                  /* is that the next one? Only asked where rows have a mark of steps */
  LLVMValueRef progress;       /* of threads in such loops; NULL: there was none yet */
  const bool *private_array;   /* of the parallel mark that waits for its loop */
  LLVMMetadataRef *hint;       /* the user's loop hints */
  unsigned n_hint;
  LLVMValueRef memory, buffers;            /* what was allocated, or null; the first of the buffers in it, or elsewhere */
  LLVMValueRef expanded[TSR_MAX_EXPANDED]; /* offsets in that, then places, of the model's expansion */
  struct tsr_array_buffer { /* buffers of the program (emit/buffer/array_buffers.c); one alias scope for all, scope[n_array]
                             */
    LLVMValueRef stride[TSR_PLACE_DIM], offset, pointer; /* bytes; in what a thread has; of this thread */
    LLVMValueRef kept; /* the value of the original that it holds (kept_values.c); NULL: elements of arrays */
    int stmt, access;  /* then: read by this access of the original's statement */
    int64_t bytes;     /* of what it holds */
  } *array_buffer;
  int n_array_buffer;
  LLVMValueRef array_bytes; /* what they take in a thread */
  struct {
    struct tsr_skip *test;
    LLVMBasicBlockRef original;
    LLVMValueRef holds, all;           /* slots: at how many points does the condition hold, and of how many? */
  } skip;                              /* emit/skip_tests.c: the test at hand */
  struct tsr_gpu_code *gpu;            /* emit/gpu/gpu.h: the variant for a GPU, NULL: none is written */
  const struct tsr_instance *instance; /* of the user node at hand, NULL: it is as in the original */
  void (*emit_node)(struct tsr_emit *e, isl_ast_node *node); /* how bodies are written: tsr_emit_ast */
};

struct tsr_for {
  char *iterator;
  LLVMValueRef first, last, step;    /* last: inclusive */
  isl_ast_node *body;                /* owned */
  bool even;                         /* of a parallel loop: do its iterations take the same time? */
  bool blocks;                       /* is it a kernel's, over blocks? What all share would take registers of each */
  bool doacross;                     /* are they rows that wait for others? */
  const struct tsr_doacross *across; /* of a loop of columns, NULL else */
};

/* ---- builder.c ------------------------------------------------------------------------------------------------------ */

/* New */
LLVMValueRef tsr_emit_number(struct tsr_emit *e, int64_t value); /* i64 */
/* A new block of the function at hand, behind all others */
LLVMBasicBlockRef tsr_emit_block(struct tsr_emit *e, const char *name);
/* From now on, NAME of the AST is VALUE */
void tsr_emit_bind(struct tsr_emit *e, const char *name, LLVMValueRef value);
LLVMValueRef tsr_emit_variable(struct tsr_emit *e, const char *name); /* what was bound last; undef: nothing */
void tsr_emit_unbind(struct tsr_emit *e, int n_var);                  /* all but the first N_VAR */
/* A stack slot at the builder's place, to be promoted by tsr_emit_finish */
LLVMValueRef tsr_emit_slot(struct tsr_emit *e, LLVMTypeRef type);
/* VALUE, or where it may be undef or poison some value that isn't */
LLVMValueRef tsr_emit_frozen(struct tsr_emit *e, LLVMValueRef value);
/* Call NAME, a function of a library that doesn't unwind */
LLVMValueRef tsr_emit_call(struct tsr_emit *e, const char *name, LLVMTypeRef result, LLVMValueRef *args, unsigned n);
/* BRANCH goes to its first successor as a rule */
void tsr_emit_set_likely(struct tsr_emit *e, LLVMValueRef branch);
/* The metadata of a loop whose accesses in GROUP (NULL: none) are parallel; FINAL: LLVM shall not unroll it */
LLVMMetadataRef tsr_emit_loop_id(struct tsr_emit *e, LLVMMetadataRef group, bool final);

/* ---- expressions.c -------------------------------------------------------------------------------------------------- */

/* i64, or i1 for conditions. */
LLVMValueRef tsr_emit_expr(struct tsr_emit *e, __isl_take isl_ast_expr *expr);
LLVMValueRef tsr_emit_truth(struct tsr_emit *e, __isl_take isl_ast_expr *expr); /* i1 */
/* Is all arithmetic of AST and of the run-time condition within 64 bits, and are all its operators known? */
bool tsr_expr_fits(struct tsr_model *m, __isl_keep isl_ast_node *ast);
/* The same for what N arrays' transfers compute. */
bool tsr_transfers_fit(struct tsr_model *m, const struct tsr_transfer *transfer, int n);

/* ---- ast_values.c --------------------------------------------------------------------------------------------------- */

/* malloc'd */
char *tsr_emit_iterator_name(__isl_keep isl_ast_node *loop);
/* The bounds of LOOP, which does not run just once. */
void tsr_emit_bounds(struct tsr_emit *e, __isl_keep isl_ast_node *loop, struct tsr_for *bounds);
/* The statement that USER runs; below 0: none, a copy. */
int tsr_emit_stmt_of(struct tsr_emit *e, __isl_keep isl_ast_node *user);
/* The same and, malloc'd, its counters. */
int tsr_emit_counters(struct tsr_emit *e, __isl_keep isl_ast_node *user, LLVMValueRef **counters);

/* ---- hoisted_values.c ----------------------------------------------------------------------------------------------- */

/* A copy of VALUE, which the SCoP computes, at the builder's place */
LLVMValueRef tsr_emit_hoisted(struct tsr_emit *e, LLVMValueRef value);
/* SCEV, which tsr_poly_invariant has seen that it can be computed here */
LLVMValueRef tsr_emit_scev(struct tsr_emit *e, tsr_scev scev);
void tsr_emit_bind_parameters(struct tsr_emit *e, unsigned missing); /* those that need none of the lifts MISSING */
/* All that are bound by now, from narrower ones at the builder's place */
void tsr_emit_bind_parameters_anew(struct tsr_emit *e);
/* SIZE, of an array, over parameters, i64 */
LLVMValueRef tsr_emit_size(struct tsr_emit *e, const struct tsr_poly *size);
LLVMValueRef tsr_emit_pitch(struct tsr_emit *e, const struct tsr_array_info *a, int d, LLVMValueRef inner);

/* ---- overlap_table.c ------------------------------------------------------------------------------------------------ */

/* Where none of the model's pairs overlap, of arrays that aren't rows, go on in another block, else to OLD. RANGE: by array,
 * begin and end. */
void tsr_emit_overlap_table(struct tsr_emit *e, LLVMValueRef (*range)[2], LLVMBasicBlockRef old);

/* ---- runtime_condition.c -------------------------------------------------------------------------------------------- */

/* Could it be written? Makes m->condition and m->range. */
bool tsr_condition_prepare(struct tsr_model *m);
/* i1, whether the new code may run; where too many arrays may overlap, they are checked first: where some do go to OLD, else
 * on in another block. */
LLVMValueRef tsr_emit_condition(struct tsr_emit *e, LLVMBasicBlockRef old);
/* Where loops are too short, as SIZES says, go to OTHER; else on, in another block. FIRST: in front of everything, and OTHER
 * is the original. */
void tsr_emit_size_test(struct tsr_emit *e, const struct tsr_sizes *sizes, LLVMBasicBlockRef other, bool first);
/* Where that holds: what else must, which loads tables of rows. NULL: nothing. Leaves the builder in another block. */
LLVMValueRef tsr_emit_rows_condition(struct tsr_emit *e, LLVMBasicBlockRef old, LLVMValueRef cond);

/* ---- seen_loads.c -------------------------------------------------------------------------------------------------- */

/* E has seen no loads, from now on. */
void tsr_emit_forget_seen(struct tsr_emit *e);

/* ---- skip_tests.c -------------------------------------------------------------------------------------------------- */

/* Can they be written? Makes their loops. */
bool tsr_skips_prepare(struct tsr_model *m);
/* Where COND holds, test what the SCoP assumes of its data, or go to OLD: what is left to ask, in another block */
LLVMValueRef tsr_emit_skip_tests(struct tsr_emit *e, LLVMBasicBlockRef old, LLVMValueRef cond);
/* The test at NODE, of the loops of one: where it fails, control leaves for the original. */
void tsr_emit_skip_test(struct tsr_emit *e, isl_ast_node *node);

/* ---- lifted_loads.c ------------------------------------------------------------------------------------------------- */

/* In front of the SCoP, load what it finds invariant (on failure of a guard go to OLD) and bind its parameters */
void tsr_emit_lifts(struct tsr_emit *e, LLVMBasicBlockRef old);
/* The proxies in new blocks become values */
void tsr_emit_replace_proxies(struct tsr_emit *e);

/* ---- branch_guards.c ------------------------------------------------------------------------------------------------ */

/* i1; the condition of a branch in the AST, such that it tells LLVM no bits of iterators of outer loops */
LLVMValueRef tsr_emit_guard(struct tsr_emit *e, __isl_take isl_ast_expr *expr);
/* Where LOOP ends, whose iterator was bound last; AT branches into it */
void tsr_emit_doubled_end(struct tsr_emit *e, const struct tsr_for *loop, LLVMBasicBlockRef at);

/* ---- loop_code.c ---------------------------------------------------------------------------------------------------- */

/* LOOP, a plain one, or one of what each thread has */
void tsr_emit_loop(struct tsr_emit *e, const struct tsr_for *loop);

/* ---- rare_blocks.c -------------------------------------------------------------------------------------------------- */

/* LOOP, whose iterations change nothing as a rule */
void tsr_emit_rare(struct tsr_emit *e, const struct tsr_for *loop);

/* ---- ast_walk.c ----------------------------------------------------------------------------------------------------- */

/* NODE and all in it: what e->emit_node is */
void tsr_emit_ast(struct tsr_emit *e, __isl_keep isl_ast_node *node);

#endif
