/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A model: the SCoP, and the side table that links it to the IR. */
#ifndef TSR_SCOP_MODEL_H
#define TSR_SCOP_MODEL_H

#include "pass.h"

struct tsr_answers;
struct tsr_expansion;
struct tsr_invariants;
struct tsr_poly;

/* Append the blocks of NODES (terminators included) to OUT. */
struct tsr_blocks {
  LLVMBasicBlockRef *block;
  int n;
  uint64_t seen[4]; /* a bit for every block that was added: most others are seen not to be there at once */
};

enum tsr_atom_kind { TSR_ATOM_PARAM, TSR_ATOM_DIM, TSR_ATOM_EXPR, TSR_ATOM_DATA };
struct tsr_atom {
  enum tsr_atom_kind kind;
  LLVMValueRef value;       /* PARAM: an integer that doesn't change in the SCoP, taken as signed */
  tsr_loop loop;            /* DIM: its iteration count, from 0 */
  isl_pw_aff *expr;         /* EXPR: over parameters; counters are parameters too until the model is finished */
  int factor[2];            /* PARAM without a value yet: the product of these two, computed in front of the SCoP */
  int divisor;              /* PARAM without a value yet: the first of `factor` divided by it; 0: none */
  struct tsr_poly *over[2]; /* PARAM without a value yet: the first over the second, rounded down; 0 where one is negative or
                               the second is 0 */
  tsr_scev scev;            /* PARAM without a value yet: an expression that the SCoP doesn't change; else NULL */
  int64_t first, last;      /* DATA: a number that the SCoP computes, `scev`, which is from first to last */
  LLVMValueRef pointer[2];  /* PARAM without a value yet: the bytes from the second to the first */
  char *name;               /* but of EXPR: the isl parameter */
  bool bound;               /* emission: PARAM has its value */
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
  /* Of a read with unknown offset: that, with data as an atom, NULL: it isn't known how it depends on some; the data's value
   * in the statement, and its least. With an `index` the relation has all subscripts but the outermost exactly. */
  struct tsr_poly *data;
  LLVMValueRef data_value;
  int64_t data_first;
  bool tried; /* as a home for scalars */
  bool sure;  /* of a load: is the element there, whatever conditions in its statement say? */
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
  bool not_errno;         /* must it be checked that it isn't where calls may set errno? */
  bool rows;              /* R[t, x]: element x behind the pointer in element t of a table; `base` is the table's */
  struct tsr_poly **size; /* of the inner dimensions, outermost first; n_dim - 1 of them; over parameters */
  struct tsr_poly *
      *pitch; /* elements from one to the next in the outer dimensions, n_dim - 1 of them; NULL: products of sizes */
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
  struct tsr_same { /* what is another value for all of its instances (memory/scalar_reloads.c) */
    LLVMValueRef phi, value;
  } *same;
  int n_same;
  LLVMValueRef guard; /* a condition around a loop that it is in: its instances run where that is GUARD_WHEN; NULL: none */
  bool guard_when;
  isl_set *domain; /* counters as parameters */
  struct {         /* what it says beyond what the model allows, once asked for; NULL: never */
    isl_set *right, *allowed;
  } known;
};

/* Which scalars of one block are statements of their own, where they have nothing in common? */
enum tsr_apart {
  TSR_TOGETHER,   /* none */
  TSR_APART_SUMS, /* those of the deepest loops, the parts of a complex sum */
  TSR_APART_ALL
};

/* Sums of so many loops may get register tiles; of one less, strips along rows, where there are none so deep. */
#define TSR_DEEP 3

#define TSR_MAX_SKIPS 12

struct tsr_model {
  isl_ctx *ctx;
  struct tsr_analyses *a;
  LLVMModuleRef module;
  LLVMValueRef function;
  struct tsr_device *device; /* of the module, for kernels; NULL: none are allowed */
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
  int *lift_order;  /* in which they can be loaded */
  struct tsr_skip { /* control/zero_skips.c: a condition that is assumed to be WHEN, */
    LLVMValueRef cond;
    bool when;
    bool often; /* .. not always, but often enough for code in which loops behind it run in any case */
    const struct tsr_node *node;
    struct tsr_stmt_info at; /* .. here: its block, loops and domain */
    isl_ast_node *ast;       /* made by tsr_emit_can: the loops of the test */
  } *skip;
  int n_skip;
  LLVMValueRef changing[TSR_MAX_SKIPS]; /* .. conditions that it may not assume: they ask for what the SCoP writes */
  int n_changing;
  isl_set *violated;           /* parameter values for which the model would be wrong */
  struct tsr_violated *pieces; /* .. its pieces, read/values/violated_pieces.c; NULL: not known */
  isl_set *allowed;            /* .. of the finished SCoP: none of the others, one piece */
  struct tsr_known *known;     /* read/values/known_ranges.c; NULL: nothing */
  struct tsr_answers *answers; /* read/values/answer_cache.c, of all models; may be NULL */
  bool in_factor;              /* values/scev_polynomials.c: what is converted is multiplied with something */
  bool has_errno;              /* some call may set errno */
  bool has_reading_call;       /* .. may read memory */
  bool exact;                  /* no over-approximation: reject what needs one */
  bool gathers;                /* .. but for accesses to elements that data tells */
  bool take_data;              /* memory/data_subscripts.c: is data an atom, in what is converted? */
  enum tsr_apart apart;
  bool together;       /* parts of a number are one statement, unless their addresses tell that they needn't be */
  bool quiet;          /* nobody wants to hear of what is in the way */
  bool approximate;    /* there is one */
  bool is_read;        /* are all statements and accesses known? Then nothing is left to be over-approximated */
  struct tsr_parting { /* control/number_parts.c: what is taken for accesses to different elements in each iteration */
    LLVMValueRef load, store;
  } *parting;
  int n_parting;
  bool is_split; /* .. and are: known once there is a SCoP */
  /* result */
  struct tsr_scop *scop;
  char *name;
  struct tsr_expansion *expansion; /* memory/expanded_scalars.c: what of the IR is there for it alone; NULL: nothing */
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
    enum {
      TSR_OUTLINE_APART, /* for the sake of the rest of the function: where that fails, they stay */
      TSR_OUTLINE_TEAM,  /* for threads */
      TSR_OUTLINE_KERNEL /* for a GPU */
    } kind;
    LLVMValueRef size;               /* of the team, i32; 0: as many as there are */
    LLVMValueRef job, grid, threads; /* of the kernel: as tsr_rt_launch takes them */
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

#endif
