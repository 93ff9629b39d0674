/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The polyhedral half of Tessera: everything that is known about a static control part (SCoP) and every
 * transformation of it, on isl objects alone. No LLVM type appears here. The pass includes this header and
 * nothing else of this folder; sections are named after the file that exports them, in the order in which a
 * SCoP flows through them.
 *
 * Conventions: isl's ownership marks (__isl_take, __isl_give, __isl_keep) apply to our own structs too;
 * tsr_x_free accepts NULL and returns NULL; a function that can fail returns isl_stat, isl_bool, isl_size or
 * a pointer, and NULL / error means that isl's error state says why (isl_ctx_last_error is isl_error_quota
 * when the operation budget ran out).
 *
 * Running example in the comments:   for (i = 0; i < n; i++) for (j = 0; j < m; j++) S: C[i][j] += a;
 */
#ifndef TESSERA_H
#define TESSERA_H

#include <isl/aff.h>
#include <isl/ast.h>
#include <isl/ast_build.h>
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- options.c: one table (options.def), three spellings ------------------------------------------- */

enum tsr_position { TSR_POSITION_EARLY, TSR_POSITION_LATE, TSR_POSITION_BOTH };
enum tsr_expand { TSR_EXPAND_PAYS, TSR_EXPAND_NEVER, TSR_EXPAND_ALWAYS };
enum tsr_print { TSR_PRINT_NONE, TSR_PRINT_SCHEDULE, TSR_PRINT_TREE, TSR_PRINT_AST, TSR_PRINT_COMMANDS };
enum tsr_strategy {
  TSR_STRATEGY_DEFAULT,
  TSR_STRATEGY_ISL,
  TSR_STRATEGY_ORIGINAL,
  TSR_STRATEGY_PLUTO, /* this and the next ones: our own scheduler, by the rules of sched/strategies.def */
  TSR_STRATEGY_SPATIAL,
  TSR_STRATEGY_SPATIAL_GPU,
  TSR_STRATEGY_FEAUTRIER,
  TSR_STRATEGY_MAXFUSE,
  TSR_STRATEGY_FILE /* by those of a file */
};

/* All options. Zero-initialise with tsr_options_init, which sets the defaults of options.def. Strings and
 * arrays are owned by the struct. */
struct tsr_options {
  bool off;              /* do nothing at all */
  bool help;             /* print the table and go on */
  bool parallel;         /* thread-parallel code is allowed */
  bool gpu;              /* code for a GPU is allowed */
  bool force;            /* transform whatever is legal, profitable or not */
  bool verify;           /* verify the whole module after the last change */
  bool relax_reductions; /* updates of one sum, product, .. may be reordered */
  int *tile_sizes;       /* by band member; the last one repeats; NULL: default_tile for each */
  int n_tile_sizes;
  char *only;                  /* POSIX extended regex on function names, NULL: all */
  char *dump;                  /* folder for NAME.scop files, NULL: none */
  char *statistics;            /* file that gets a line a module, NULL: none */
  char *machine;               /* for tsr_machine_load, NULL: the function's target */
  char *influence;             /* file with an influence constraint tree, NULL: none */
  char *commands;              /* file with a schedule of the user's, NULL: none */
  enum tsr_print print;        /* what to print on stderr for each SCoP */
  unsigned long budget;        /* isl operations for one SCoP */
  unsigned long module_budget; /* isl operations for all SCoPs of a module */
  unsigned long keep_buffers;  /* megabytes for buffers that a program keeps when they are not in use */
  enum tsr_position position;
  enum tsr_expand expand; /* sums to arrays */
  enum tsr_strategy strategy;
  char *strategy_file; /* for TSR_STRATEGY_FILE */
};

void tsr_options_init(struct tsr_options *opt);
void tsr_options_clear(struct tsr_options *opt);

/* Set option NAME (without "-tessera-") to VALUE ("" or NULL where the value may be omitted). On failure
 * *error is a malloc'd sentence that names what is allowed, and OPT is unchanged. */
isl_stat tsr_options_set(struct tsr_options *opt, const char *name, const char *value, char **error);

/* Parse a list such as "parallel;tile-sizes=32,8;only=^gemm$": items separated by any character of SEPARATORS
 * (";" in -passes='tessera<...>', white space and ";" in TESSERA_OPTIONS). A leading "-tessera-" or "-" or "--" of an item
 * is accepted. Stops at the first error. */
isl_stat tsr_options_parse(struct tsr_options *opt, const char *text, const char *separators, char **error);

/* Print the table: name, value, default, meaning; a line each. */
void tsr_options_help(FILE *out);
/* isl operations for one SCoP: as many as OPT says, as many more with threads, and four times as many more with a GPU, each
 * of which is looked for in a step of its own. */
unsigned long tsr_options_budget(const struct tsr_options *opt);
/* The same for all of a module: with a GPU, five times what OPT says. 0: no limit. */
unsigned long tsr_options_module_budget(const struct tsr_options *opt);

/* ---- machine.c: what cost models know of the target: machines.def, or a file ------------------------------ */

#define TSR_MAX_CACHE 4
struct tsr_cache {
  int size;          /* bytes */
  int ways;          /* of associativity */
  int line;          /* bytes, a power of two */
  int latency;       /* of a hit, in cycles */
  double next_line;  /* cycles for a line that isn't in it, when lines are touched in the order of their addresses */
  double other_line; /* when not */
};

#define TSR_N_WEIGHT 5
struct tsr_gpu {
  char name[32];
  int block_threads;           /* threads of a block, at most */
  int block_shared;            /* bytes of shared memory of a block */
  int block_registers;         /* 32-bit registers of a block */
  int thread_registers;        /* of a thread */
  int warp;                    /* threads */
  int load_bytes;              /* the widest load or store of one thread; those of half the width exist too, down to 4 */
  double weight[TSR_N_WEIGHT]; /* w1 .. w5 of the cost function in Section V of bastoul-cgo22 */
};

struct tsr_machine {
  char name[32];
  int n_cache;                           /* at least 1 */
  struct tsr_cache cache[TSR_MAX_CACHE]; /* the nearest first; of shared ones the part of one core */
  int vector_bytes;                      /* of a vector register */
  int vector_registers;
  int fma_units;      /* fused multiply-adds begun in a cycle */
  int fma_latency;    /* cycles until a result can be used */
  int cores;          /* that a parallel loop may count on */
  double exposed;     /* share of what goes on beside the greatest cost, of issue and each cache's lines, that adds to it */
  double stream_line; /* cycles for a line that is stored past all caches; 0: it isn't known that this is faster */
  int stream_bytes;   /* .. where an array is written of which that is at least so much */
  struct tsr_gpu gpu;
};

/* The row of machines.def for NAME, a "target-cpu" of LLVM's, NULL allowed. False: there is none, *MACHINE is the default.
 */
bool tsr_machine_find(const char *name, struct tsr_machine *machine);
/* WHAT is the name of a row, or a YAML file whose numbers replace those of *MACHINE. isl_stat_error: *MACHINE is unchanged,
 * *error is a malloc'd sentence: file, line, column, what is wrong and what is allowed. */
isl_stat tsr_machine_load(const char *what, struct tsr_machine *machine, char **error);

/* ---- scop.c: the model --------------------------------------------------------------------------- */

enum tsr_access_kind { TSR_READ, TSR_MAY_WRITE, TSR_MUST_WRITE };

/* The operation of a reduction statement. REAL ones may be relaxed only if TSR_ACCESS_REASSOC is set. */
enum tsr_reduction {
  TSR_RED_NONE,
  TSR_RED_ADD,
  TSR_RED_MUL,
  TSR_RED_MIN,
  TSR_RED_MAX,
  TSR_RED_AND,
  TSR_RED_OR,
  TSR_RED_XOR,
  TSR_RED_UMIN, /* of unsigned integers */
  TSR_RED_UMAX
};

/* MEMORY: an array that the program allocated. SCALAR: a value or phi that lives in no program-visible
 * memory; zero-dimensional, private to the SCoP but for live_in / live_out. */
enum tsr_array_kind { TSR_ARRAY_MEMORY, TSR_ARRAY_SCALAR };

/* Where an array lives. PROGRAM: where the original program has it; the others are buffers of new code. Of a block of a
 * GPU's threads: SHARED by them, or PRIVATE: each element belongs to the thread whose numbers are its first subscripts. */
enum tsr_space {
  TSR_SPACE_PROGRAM,
  TSR_SPACE_HEAP,
  TSR_SPACE_STACK,
  TSR_SPACE_REGISTERS,
  TSR_SPACE_SHARED,
  TSR_SPACE_PRIVATE,
  TSR_N_SPACE
};

/* What a statement of a transformed program does (model/program.h); those of a SCoP that was modelled are COMPUTE. */
enum tsr_stmt_kind { TSR_STMT_COMPUTE, TSR_STMT_MOVE, TSR_STMT_BARRIER };

struct tsr_array {
  char *name; /* unique in the SCoP; a C identifier; the tuple name of its space */
  enum tsr_array_kind kind;
  enum tsr_space space;
  int n_dim;
  int elem_size;   /* bytes */
  isl_set *extent; /* { A[i, j] : 0 <= j < m }: what may exist; the outermost dimension is free. Never NULL */
  bool live_in;    /* may a value from before the SCoP be read in it? MEMORY: true, unless it is an expanded scalar */
  bool live_out;   /* may a value be read after the SCoP? Arrays of a function's own may be dead */
  bool checked;    /* is it told apart from others at run time? In the original a store to these may be one to it */
};

struct tsr_scop;
/* Does SCOP pass results from stage to stage in several arrays that nobody needs behind it? */
bool tsr_scop_is_pipeline(const struct tsr_scop *scop);
/* .. in any arrays? */
bool tsr_scop_passes_on(const struct tsr_scop *scop);
/* Has it many statements, and is a pipeline, or passes results in any arrays through many nests? */
bool tsr_scop_is_long_pipeline(const struct tsr_scop *scop);

/* Is ARRAY, of the original, there for the SCoP alone: a scalar of the program, expanded for the model? */
static inline bool tsr_array_is_expanded(const struct tsr_array *array)
{
  return array->kind == TSR_ARRAY_MEMORY && !array->live_in && !array->live_out;
}

struct tsr_access {
  enum tsr_access_kind kind;
  int array;                    /* index into tsr_scop.arrays */
  isl_map *relation;            /* { S[i, j] -> C[i, j] }, not necessarily restricted to the domain */
  enum tsr_reduction reduction; /* both accesses of `C[i][j] += ...` carry TSR_RED_ADD; else TSR_RED_NONE */
  bool reassoc;                 /* may the reduction be reordered? (integers, or fast-math flags in the IR) */
  bool maybe; /* of a read: may an instance go without it, by a condition of its own, and the element not exist then? */
  bool guard; /* of a read: is it one of those that say whether the instance does all maybes and may writes, or none? */
  bool exact; /* are these operations on integers, so that those of several statements may change places, too? */
  bool home;  /* does the original have in a register what new code has in this element? For cost models only. */
  /* Of a read: cycles from the value that is read to the one that the statement writes to the same array, on the longest
   * way; 0: there is none, or it isn't known. For cost models only. */
  int wait;
};

/* A statement: executed at once for each point of its domain. */
struct tsr_stmt {
  char *name; /* unique; a C identifier; the tuple name of its domain */
  enum tsr_stmt_kind kind;
  isl_map *origin; /* in a transformed program: { S'[t, i] -> S[i] }; NULL: its instances are those of S itself, or none */
  isl_set *domain; /* { S[i, j] : 0 <= i < n and 0 <= j < m }; dimensions are iteration counts from 0 */
  struct tsr_access *access; /* in execution order */
  int n_access;
  int line;     /* source line, 0 unknown */
  int weight;   /* arithmetic instructions of one instance, at least 1: for cost models only */
  char *text;   /* the source line or a rendering of it, may be NULL: for reports only */
  char **loops; /* by iterator, up to a NULL: the source's name of its loop, "" where it isn't known; may be NULL */
  /* Bytes of the widest number that a version for vectors of instances computes with: arithmetic on what is loaded, no use
   * of counters but in subscripts, one block. 0: there is no such version. */
  int vector_bytes;
  /* The same of one for instances whose SCALAR values each lane has of its own; it may write several elements. */
  int lane_bytes;
  int latency; /* cycles from what an instance before wrote to what this one makes of it, 0 unknown: for cost models only */
  int divisions; /* arithmetic instructions that aren't pipelined: as weight */
  /* Cycles of what each instance that runs in a lane computes for itself, such as calls; 0: of nothing. */
  int alone;
  /* Cycles for which an instance of the original waits for the one before, for a number that new code computes from
   * counters; 0: for none. For cost models only. */
  int original_wait;
  bool one_thread; /* what it does belongs to the thread that runs the SCoP: it may set errno or read its variables */
  /* Does an instance leave the SCALAR arrays that it reads as they are, unless a condition holds that asks about them, as
   * that of a maximum and its place does? It writes nothing but SCALAR arrays. */
  bool rare;
};

/* A static control part. Parameters are identified by name alone; every isl_id in it has a name. */
struct tsr_scop {
  isl_ctx *ctx; /* not owned */
  char *name;   /* FUNCTION.LINE or so; unique in the module */
  char *file;   /* source file, may be NULL */
  int line;
  isl_set *context; /* [n, m] -> { : ... } what is known to hold whenever the SCoP is entered */
  isl_set *assumed; /* [n, m] -> { : ... } what must be checked at run time for the model to be exact */
  enum { TSR_CONDITIONS_UNKNOWN, TSR_CONDITIONS_FEW, TSR_CONDITIONS_MANY } conditions; /* of these: conditions.c */
  isl_schedule *schedule;     /* the original order; its domain is the union of the domains */
  struct tsr_machine machine; /* for cost models only; no part of the model's meaning */
  bool no_buffers;            /* may new code allocate no memory? */
  bool no_programs;           /* must its arrays stay where they are, whatever else new code allocates? */
  bool no_panels;             /* must those of panels? */
  char *commands;             /* a schedule in the source: the text of commands, NULL: none */
  struct tsr_array *arrays;
  int n_array;
  struct tsr_stmt *stmts;
  int n_stmt;
#define TSR_N_INNERMOST 8
#define TSR_N_ORDERS 64
  struct { /* what conditions.c has computed of `context` and `assumed`, and both as they were then; may be NULL */
    isl_set *context, *assumed;
    isl_set *known, *telling, *common;
    isl_set *typical;     /* one point of `known`, that trip_counts.c assumes for these statements, */
    bool counted, few;    /* and whether their instances, once they are counted, are too few then */
    double *rate;         /* by statement: what an instance takes to issue in the original order (cost/estimate.c), .. */
                          /* .. and behind all of that what it takes more where vectors lie across lines */
    bool sized;           /* is it known how many .. */
    double bytes;         /* .. it touches? Below 0: parameters say that (cost/data_places.c) */
    isl_schedule *costed; /* the marked tree that estimate.c has looked at last, on one core, .. */
    void *cost;           /* .. and what it has found, malloc'd */
    struct {
      isl_schedule_node *band; /* NULL: none */
      int best;
      bool reuse;
    } innermost[TSR_N_INNERMOST]; /* what innermost.c has found for the last bands */
    int n_innermost;
    struct {
      isl_map *map; /* NULL: none */
      isl_set *domain;
      uint32_t hash;       /* of the map */
      void *loops;         /* malloc'd */
    } order[TSR_N_ORDERS]; /* what order_loops.c has found for the last orders */
    unsigned n_order;
    struct tsr_mark_table *marks; /* the ids of marks of its trees (marks/marks.c); programs made of it share them */
  } kept;
};

/* An empty SCoP: universe context and assumptions, the default machine, schedule NULL until tsr_scop_set_schedule. */
__isl_give struct tsr_scop *tsr_scop_alloc(isl_ctx *ctx, const char *name);
__isl_null struct tsr_scop *tsr_scop_free(__isl_take struct tsr_scop *scop);
/* Append; return the index or isl_size_error. EXTENT may be NULL for n_dim == 0 only. */
isl_size tsr_scop_add_array(struct tsr_scop *scop, const char *name, enum tsr_array_kind kind, int elem_size,
                            __isl_take isl_set *extent);
isl_size tsr_scop_add_stmt(struct tsr_scop *scop, const char *name, __isl_take isl_set *domain);
/* Append an access to statement STMT; its array is found by the relation's range tuple name. Returns its index. */
isl_size tsr_scop_add_access(struct tsr_scop *scop, int stmt, enum tsr_access_kind kind, __isl_take isl_map *relation);
/* Reads of elements that other accesses touch without a condition aren't `maybe` any more. */
void tsr_scop_find_sure(struct tsr_scop *scop);
isl_stat tsr_scop_set_schedule(struct tsr_scop *scop, __isl_take isl_schedule *schedule);
/* Is the SCoP well formed? (names, spaces, a schedule over exactly the domains). isl_stat_error with isl's message
 * otherwise. */
isl_stat tsr_scop_validate(__isl_keep struct tsr_scop *scop);
/* { parameters : what holds whenever the transformed code runs }, by context and assumed, or what all pieces of that have in
 * common, without the ranges of types: for questions whose answers may be those for more parameters. */
__isl_give isl_set *tsr_scop_common(__isl_keep struct tsr_scop *scop);
int tsr_scop_find_stmt(__isl_keep struct tsr_scop *scop, const char *name); /* -1 if absent */
/* Has STMT guards? */
bool tsr_stmt_is_guarded(const struct tsr_stmt *stmt);
/* The index of the only write of STMT, which each instance does, or each whose guards let it do anything; -1: there is none,
 * or it has others. */
int tsr_stmt_only_write(const struct tsr_stmt *stmt);
/* The loop of iterator DIM of STMT is called NAME in the source. */
isl_stat tsr_stmt_name_loop(struct tsr_stmt *stmt, int dim, const char *name);

#define TSR_READS (1u << TSR_READ)
#define TSR_WRITES (1u << TSR_MAY_WRITE | 1u << TSR_MUST_WRITE)
#define TSR_MUST_WRITES (1u << TSR_MUST_WRITE)
#define TSR_MEMORY (1u << TSR_ARRAY_MEMORY)
#define TSR_SCALARS (1u << TSR_ARRAY_SCALAR)
#define TSR_ANY_ARRAY (TSR_MEMORY | TSR_SCALARS)

/* ---- program.c: a transformed program (model/program.h) ---- */

struct tsr_program {
  int ref;                   /* as isl counts references */
  struct tsr_scop *original; /* not owned: it outlives the program */
  struct tsr_scop *scop;     /* the original, or owned */
  isl_schedule *tree;
};
/* The number of the original's statement that STMT, of PROGRAM, performs; -1: none. */
int tsr_stmt_original(const struct tsr_program *program, const struct tsr_stmt *stmt);
/* Does PROGRAM leave an array of the original out? */
bool tsr_program_leaves_out(const struct tsr_program *program);

/* ---- scalar_homes.c: scalars that live in an array ------------------------------------------------------------ */

/* May the SCALAR arrays of WEB (a flag an array), all of them, live in the elements of MEMORY array ARRAY that HOME
 * { S[i] -> A[k] } names for each statement with an access to them? The caller knows that a statement which writes several
 * of WEB writes one value to them, after its reads, and which statements do nothing but copy one of WEB to others, COPIES (a
 * flag a statement; NULL: none), or to its element: they have nothing left to do then. */
isl_bool tsr_scop_can_demote(__isl_keep struct tsr_scop *scop, const bool *web, int array, __isl_keep isl_union_map *home,
                             const bool *copies);
/* Does read ACCESS of statement STMT, to a MEMORY array, get nothing that SCOP writes? */
isl_bool tsr_scop_reads_old(__isl_keep struct tsr_scop *scop, int stmt, int access);
/* { S[i] -> R[j] } where R reads what S wrote to SCALAR array ARRAY. */
__isl_give isl_union_map *tsr_scop_scalar_flow(__isl_keep struct tsr_scop *scop, int array);
/* SCALAR array ARRAY is written from what LOADS { S[i] -> A[k] } names and nothing else that changes. May the readers R of
 * PAIRS { S[i] -> R[i, j] } load and compute the value anew, before anything else that they do? */
isl_bool tsr_scop_can_reload(__isl_keep struct tsr_scop *scop, int array, __isl_keep isl_union_map *pairs,
                             __isl_keep isl_union_map *loads);

/* ---- text*.c: YAML outside, isl notation inside ----------------------------------------------------- */

/* Can NAME name an array, a statement or a parameter? A C identifier that isl's parser doesn't take for an operator
 * ("min", "Mod", ...). */
bool tsr_name_is_valid(const char *name);

/* Write SCOP to OUT; read one back. FILENAME names it in messages: "FILE:LINE:COLUMN: what; what is expected".
 * Round trip: tsr_scop_is_equal(scop, read(write(scop))). */
isl_stat tsr_scop_write(__isl_keep struct tsr_scop *scop, FILE *out);

/* ---- dependences.c: dependences ---------------------------------------------------------------------------- */

/* All relations are { S[...] -> T[...] : S before T in the original order, and T depends on S }. */
struct tsr_deps {
  isl_union_map *flow;          /* value-based: T reads what S wrote last */
  isl_union_map *anti;          /* memory-based on MEMORY arrays: T overwrites what S may read */
  isl_union_map *output;        /* memory-based on MEMORY arrays: T overwrites what S wrote */
  isl_union_map *scalar;        /* anti and output on SCALAR arrays: violable if no live range is torn (cond_*) */
  isl_union_map *reduction;     /* the part of flow, anti and output that links instances of one reduction with reassoc */
  bool relaxed;                 /* is `reduction` no part of flow, anti and output any more? */
  isl_union_map *cond;          /* tagged flow on SCALAR arrays { [S -> S_k[]] -> [T -> T_l[]] }: isl's condition */
  isl_union_map *cond_validity; /* tagged anti and output on SCALAR arrays: isl's conditional validity */
  struct {                      /* the tree that tsr_schedule_flag has made last, of which, and under what; NULL: none */
    isl_schedule *tree, *of;
    isl_set *known;
    bool merge;
  } flagged;
  isl_schedule *fused; /* what strategy maxfuse has computed of them, without influence; NULL: not asked for yet */
};

/* ---- marks.def, marks.c: the marks of a schedule tree, and of its AST --------------------------------------------- */

/* What a mark says beside its kind; marks.def tells what that promises. Names are those of a SCoP's arrays and statements: a
 * mark is the same in all SCoPs that have such. */

/* Most dimensions of a domain or array that strides are computed for. */
#define TSR_MAX_DIM 16

struct tsr_array_names {
  int n;
  const char *const *name;
};

struct tsr_register_tile {
  int rows, vectors, lanes;
  int n_reduction;
  int n_dim;               /* of the statement's domain */
  long step[TSR_MAX_DIM];  /* the instance at vector + 1 minus that at vector */
  bool streams;            /* is `along` known? */
  long along[TSR_MAX_DIM]; /* the instance at the next value of the last reduction minus that at this one */
};

/* Lanes of a register tile are so many elements apart at most: parts of a complex number, channels of a pixel. What lies
 * between is loaded with them, and masked. */
#define TSR_MOST_PITCH 4

#define TSR_MAX_EDGES 16
struct tsr_edges {
  int n;
  struct tsr_edge_stmt {
    char stmt[64];
    int lanes;
    int n_dim;              /* of the statement's domain */
    long step[TSR_MAX_DIM]; /* the instance of the next lane minus that of this one */
  } edge[TSR_MAX_EDGES];
};

/* The buffer is
 *
 *   by vector   [reduction % K][vector]                T = 1, N = vectors * lanes     a panel, for all rows below
 *   by row      [tile of rows][reduction % K][row]     N = rows of a tile             a block, for all vectors below
 *
 * Operands packed like this are read in the order of memory: Goto and van de Geijn, Anatomy of high-performance matrix
 * multiplication, 2008. */
struct tsr_pack {
  const char *name; /* of the statement */
  int stmt;         /* its number in a SCoP: from tsr_mark_pack, else of no meaning */
  int access;       /* of the statement */
  bool by_row;
  long size[3];         /* T, K, N */
  bool inner_reduction; /* are elements copied along the reduction, not along row or vector? */
  bool vector;          /* may the copies of neighbours run at once, from and to neighbours in memory? */
};

struct tsr_panel {
  const char *name; /* of the array, a matrix */
  int array;        /* its number in a SCoP: from tsr_mark_panel, else of no meaning */
  int columns;
};

struct tsr_lockstep {
  int vectors, lanes;
};

struct tsr_interleave {
  int chains; /* that run at once */
};

#define TSR_MAX_MAPPED 3 /* loops of a kernel that become dimensions of grids and blocks */
struct tsr_kernel {
  int n;                    /* loops; the last one is x, the one before it y, .. */
  int n_size;               /* dimensions of its blocks of threads; 0: the loops are those of all threads */
  int size[TSR_MAX_MAPPED]; /* threads of a block, as the loops: x is the last one */
  bool free;                /* of loops written out: may those iterations run, too, that aren't there? */
};

enum tsr_mark_kind {
#define TSR_MARK(name, word, payload, what, promise) TSR_MARK_##name,
#include "marks/marks.def"
#undef TSR_MARK
  TSR_N_MARK
};

struct tsr_mark {
  enum tsr_mark_kind kind;
  int number; /* tells it from others of the same text; no part of that */
  int depth;  /* in an AST: of the first loop below it in the tree, 0 for the outermost; in a tree 0 */
  union {
    struct tsr_array_names buffers;
    struct tsr_register_tile tile;
    struct tsr_edges edges;
    struct tsr_pack pack;
    struct tsr_panel panel;
    struct tsr_lockstep lockstep;
    struct tsr_interleave interleave;
    struct tsr_kernel kernel;
  };
};
/* The mark that NODE is; NULL: it is none, or one that nobody knows. It is there as long as a tree has it, or its SCoP is.
 */
const struct tsr_mark *tsr_node_mark(__isl_keep isl_schedule_node *node);
const struct tsr_mark *tsr_ast_mark(__isl_keep isl_ast_node *node);
/* Is MARK, which may be NULL, of KIND; or one for threads, "parallel" or "doacross"? */
bool tsr_mark_is(const struct tsr_mark *mark, enum tsr_mark_kind kind);
bool tsr_mark_is_for_threads(const struct tsr_mark *mark);
/* Flag the arrays of MARK, "allocate", in ARRAY, a flag an array of SCOP. False: MARK is another one, or SCOP has no buffers
 * of these names. */
bool tsr_mark_arrays(const struct tsr_mark *mark, __isl_keep struct tsr_scop *scop, bool *array);
/* Flag in ARRAY the buffers of SCOP that live for an iteration of NODE's loop or less, as a mark at NODE or below it says.
 */
isl_stat tsr_node_allocates(__isl_keep isl_schedule_node *node, __isl_keep struct tsr_scop *scop, bool *array);
/* The pack or panel of MARK with the numbers of what it names in SCOP. False: MARK, which may be NULL, is another one, or
 * SCOP has no such read or array. */
bool tsr_mark_pack(const struct tsr_mark *mark, __isl_keep struct tsr_scop *scop, struct tsr_pack *pack);
bool tsr_mark_panel(const struct tsr_mark *mark, __isl_keep struct tsr_scop *scop, struct tsr_panel *panel);

/* ---- parallel_marks.c: parallel and vector marks --------------------------------------------------------------- */

/* Numbers of marks: "vector" has the width that a user asked for, or 0; "parallel" are counted from 1 on; those of loops
 * that fill a buffer, which have no scalars, and the first "doacross" have these: */
#define TSR_MARK_OF_COPIES 0xffff
#define TSR_MARK_OF_DOACROSS 0x8000
/* Of parallel loops one in the other, which one? The outermost; or, as far as there are some, one INSIDE of it, which has
 * more iterations to share where the outer loop is one of large blocks; or the outermost one that is LONG, by the estimate
 * of its iterations; or the outermost one, with PRIVATE arrays. Parallel marks that are there stay. */
enum tsr_which { TSR_WHICH_OUTERMOST, TSR_WHICH_INSIDE, TSR_WHICH_LONG, TSR_WHICH_PRIVATE };
/* The same for all arrays but the MEMORY ones flagged in APART (NULL: none), which nobody is asked about. */
isl_bool tsr_band_is_parallel_apart(__isl_keep isl_schedule_node *band, __isl_keep struct tsr_scop *scop, unsigned arrays,
                                    const bool *apart, bool *private_out);
/* May a mark "doacross" stand above BAND? PRIVATE_OUT as above. */
isl_bool tsr_band_is_doacross(__isl_keep isl_schedule_node *band, __isl_keep struct tsr_scop *scop, bool *private_out);

/* ---- private_arrays.c: private arrays --------------------------------------------------------------------------- */

/* No more than this for an array that a thread has for itself in STACK: 64 threads have 256 MiB then. */
#define TSR_STACK_BYTES (4 << 20)

/* ---- registers/: register tiles ------------------------------------------------------------------------ */

/* What does the access RELATION do when the instance moves by DELTA? True: all subscripts but the last stay, and the last
 * one changes by *ELEMENTS. */
bool tsr_access_move(__isl_keep isl_map *relation, const long delta[TSR_MAX_DIM], long *elements);
/* The same, where dimensions of ARRAY inside of the one in which the element goes elsewhere have sizes that are constants:
 * two elements for a complex number, A[i, 0..1]. */
bool tsr_array_move(const struct tsr_array *array, __isl_keep isl_map *relation, const long delta[TSR_MAX_DIM],
                    long *elements);

/* The AST below a mark "registers", in one of its for nodes. */
#define TSR_MAX_REDUCTION 8
struct tsr_register_nest {
  struct tsr_register_tile tile;
  isl_ast_node *reduction[TSR_MAX_REDUCTION]; /* for nodes, outermost first; those that run once may be missing */
  int n_reduction;
  isl_ast_node *row, *vector; /* for nodes; ROW is NULL where there is one row */
  isl_ast_node *user;
  bool masked; /* are the bounds of `vector` other than 0 and the number of lanes of a row? They do not depend on reductions
                */
  bool few;    /* may there be fewer rows than the tile has? Then not masked; their bounds do not depend on reductions */
  int ragged; /* 1: masked, but each step of the only reduction has the lanes of the one before, and perhaps more; -1: of the
               * one behind it; the same ones in all rows, none of which lacks. 0: neither */
};
/* Does ID occur in EXPR? */
bool tsr_ast_expr_has(__isl_take isl_ast_expr *expr, __isl_keep isl_id *id);
/* Of the loop over ITERATOR by STEP with BODY (iteration.c): does an iteration touch an array again that it has written, one
 * of which accesses go further than to the next element from one iteration to the next? */
bool tsr_iteration_is_ordered(struct tsr_scop *scop, __isl_keep isl_ast_node *body, const char *iterator, long step);
/* Does such a loop run statements alone, all with guards, which stay at their elements in all iterations, and are about one
 * instance? */
bool tsr_iteration_keeps_guards(struct tsr_scop *scop, __isl_keep isl_ast_node *body, const char *iterator, long step);
/* Read the one in LOOP, below MARK; false if the loops are others. NEST owns its nodes. */
bool tsr_register_nest_read(__isl_keep isl_ast_node *loop, const struct tsr_mark *mark, struct tsr_register_nest *nest);
void tsr_register_nest_clear(struct tsr_register_nest *nest);

/* ---- register_edges.c: what is left beside register tiles ------------------------------------------------ */

/* Does LOOP, below a mark of EDGES, run one of their statements alone, each iteration the next lane? Then *EDGE is which,
 * and *USER its node, which the caller frees. */
bool tsr_edge_loop_read(__isl_keep isl_ast_node *loop, const struct tsr_edges *edges, const struct tsr_edge_stmt **edge,
                        isl_ast_node **user);

/* ---- lanes.c, lane_nests.c: outer loops as lanes ------------------------------------------------------- */

/* The instance that USER, of an AST for SCOP, stands for: { [] -> S[i] }, iterators are parameters. NULL: it isn't affine.
 */
__isl_give isl_multi_aff *tsr_ast_user_instance(__isl_keep isl_ast_node *user);
/* By how much INSTANCE moves in a step of iterator NAME, in STEP. False: it has too many dimensions. */
bool tsr_instance_step(__isl_keep isl_multi_aff *instance, const char *name, long step[TSR_MAX_DIM]);
/* Does RELATION, of an instance, name another element for each multiple of the step ALONG? False if in doubt. */
bool tsr_access_is_injective(__isl_keep isl_map *relation, const long along[TSR_MAX_DIM]);
/* Do A and B { S[i] -> A[k] } name different elements in any two instances in DOMAIN that differ by a multiple of ALONG, or
 * not at all? False if in doubt. */
bool tsr_accesses_keep_apart(__isl_keep isl_map *a, __isl_keep isl_map *b, __isl_keep isl_set *domain,
                             const long along[TSR_MAX_DIM]);

/* ---- packed_operands.c: packed operands ----------------------------------------------------------------- */

/* The packs of TREE in the order of their marks, at most TSR_MAX_PACK; their number. */
#define TSR_MAX_PACK 16
int tsr_tree_packs(__isl_keep isl_schedule *tree, __isl_keep struct tsr_scop *scop, struct tsr_pack pack[TSR_MAX_PACK]);

/* ---- estimate.c: is it worth it? ---------------------------------------------------------------------- */

struct tsr_profit {
  bool worth;           /* the verdict */
  double before, after; /* estimated cost of the original and of the candidate, arbitrary but common units */
  const char *reason;   /* static text: what decided */
  bool streams;         /* .. of the estimate of what runs on one thread, once there is code */
};
struct tsr_estimate {
  double cost;                      /* of a tree, in the units of struct tsr_profit */
  double instances;                 /* that it runs; 0: nothing is known yet */
  bool strips;                      /* is it in strips of time steps? */
  bool rows;                        /* .. in loops over rows of several nests (shifted_fusion.c)? */
  bool leaves_out;                  /* .. or a program that leaves arrays out, with buffers in their place? */
  double issue;                     /* what it costs at least if all its data is at hand; on one core */
  double near;                      /* what its lines from the second cache take, if all its data is there */
  double within[TSR_MAX_CACHE + 1]; /* its cost, but for new pages, if all data is in that cache; the last: as assumed */
  double there;                     /* its cost where its data is, if a cache holds that (cost/data_places.c) */
  double far;                       /* as cost, where memory takes FAR_AS_DEAR times as long (model/thresholds.h) */
  bool panels;                      /* are there panels of columns? */
  bool lanes;                       /* .. outer loops in lanes, and buffers? */
  bool tiles;                       /* .. register tiles, or chains that are interleaved? */
  bool streams; /* do most of its cycles go by in loops for vectors that wait for memory, in which they store? */
  bool past;    /* are there loops that store past the caches? */
  bool several; /* are there accesses of several forms in loops that could be vector loops else? */
};
/* Does SCOP run so few instances, by the same estimate, that no schedule of it can be worth it? *REASON (static text):
 * why. */
isl_bool tsr_profit_is_hopeless(__isl_keep struct tsr_scop *scop, const char **reason);

/* Are so few INSTANCES not worth a change? */
bool tsr_profit_is_too_few(double instances);
/* Iterations of a block of rare changes: long enough for vectors, short enough for one that changes something to be little.
 */
#define TSR_RARE_BLOCK 128
double tsr_profit_weight_of_rare(void);    /* as how many instances does one of a `rare` statement count? */
double tsr_profit_assumed_parameter(void); /* what a parameter is taken for of which nothing is known */

/* ---- ast.c: AST generation --------------------------------------------------------------------------- */

/* Is there a mark of steps at NODE or in it? */
bool tsr_ast_has_steps(__isl_keep isl_ast_node *node);

/* An expression over parameters that is true exactly on COND (a parameter set), also where sums wrap in 64 bits: parameters
 * that COND bounds are compared to these bounds, each by itself. */
__isl_give isl_ast_expr *tsr_ast_condition(__isl_keep struct tsr_scop *scop, __isl_take isl_set *cond);

/* ---- program_ast.c: what user nodes of a transformed program are about ------------------------------------------ */

#define TSR_PLACE_DIM 8
/* What an instance does that its original doesn't. */
struct tsr_instance {
  enum tsr_stmt_kind kind;
  int stmt; /* of the original's: the node calls it at the instance that is performed; -1: none */
  int skip; /* of a MOVE that reads as `stmt` does at the node's arguments behind the first SKIP, an instance or not */
  int n;
  struct tsr_access_place { /* an access that is made elsewhere, or whose subscripts are simpler; of a MOVE the read and the
                               write */
    int access;             /* of the statement */
    int array;              /* of the program's SCoP */
    bool buffer;            /* is it none of the original's? */
    int n, loose;           /* subscripts; which of them data says, whose least value INDEX has; -1: none */
    isl_ast_expr *index[TSR_PLACE_DIM];
  } *place;
};
/* The element of PLACE, but for what data says of it: { [] -> [k] }, iterators are parameters. NULL: it isn't affine. */
__isl_give isl_multi_aff *tsr_place_element(const struct tsr_access_place *place);
/* NULL: nothing. Lives as long as USER. */
const struct tsr_instance *tsr_ast_instance(__isl_keep isl_ast_node *user);
/* Does MOVE, of PROGRAM, read as an access of the original does that is to where MOVE writes now, whatever the values of its
 * first dimensions? The number of its statement, its own in *ACCESS, and how many dimensions that are; -1: it doesn't. */
int tsr_move_like(__isl_keep struct tsr_program *program, const struct tsr_stmt *move, int *access, int *skip);
/* How many elements buffer ARRAY of PROGRAM has in each dimension, over parameters; the caller frees them. False: isl
 * failed. */
bool tsr_buffer_sizes(__isl_keep struct tsr_program *program, int array, isl_ast_expr *size[TSR_PLACE_DIM]);

/* How many elements STMT, which writes one array of MEMORY, writes of it in each dimension, at most, over parameters, in
 * SIZE; the caller frees them. How many dimensions; 0: that isn't known. */
int tsr_written_sizes(__isl_keep struct tsr_scop *scop, int stmt, isl_ast_expr *size[TSR_PLACE_DIM]);

/* The number of the iteration at DEPTH that USER is in, whether there is a loop or not, over the loops around that; NULL:
 * that isn't known, as the tree has no kernels. */
__isl_give isl_ast_expr *tsr_ast_number(__isl_keep isl_ast_node *user, int depth);

/* ---- transfers.c: what goes between the host's memory and a GPU's --------------------------------------------- */

/* From one element of an array to another, in the order of memory, over parameters. */
struct tsr_span_of_array {
  isl_ast_expr *any;                                        /* is there one? NULL: never */
  isl_ast_expr *first[TSR_PLACE_DIM], *last[TSR_PLACE_DIM]; /* their subscripts, where there is */
};
#define TSR_COPIED_ROW "tsr_row"
struct tsr_transfer {
  struct tsr_span_of_array region; /* what is there on the GPU: all that is accessed is within, and all of it may be read */
  struct tsr_span_of_array in;     /* what is copied there */
  isl_ast_node *rows;              /* user nodes tsr_row(i, .., first, last): copied back, and no more; NULL: nothing */
  bool again;                      /* is it never read: can the original run although some of it has been copied back? */
};
/* What the MEMORY arrays of SCOP need, in TRANSFER, by array, all 0 before, where PROGRAM is what runs (NULL: SCOP's own
 * statements). False: *ARRAY can't be on a GPU, and *WHY (static text, "A .."), or isl failed. */
bool tsr_transfers_find(__isl_keep struct tsr_scop *scop, __isl_keep const struct tsr_program *program,
                        struct tsr_transfer *transfer, int *array, const char **why);
/* Free N of them, malloc'd. */
__isl_null struct tsr_transfer *tsr_transfers_free(__isl_take struct tsr_transfer *transfer, int n);

/* ---- budget.c: isl's operations, work on large numbers included ---------------------------------------- */

/* From here on isl may do OPERATIONS operations on CTX (0: any number), then it fails with isl_error_quota. */
void tsr_budget_begin(isl_ctx *ctx, unsigned long operations);
/* How many operations were used since then; changes nothing, isl's error included. */
unsigned long tsr_budget_used(isl_ctx *ctx);
/* Lift the limit, reset isl's error; how many operations were used. */
unsigned long tsr_budget_end(isl_ctx *ctx);

/* ---- schedule.c: what steers the scheduler ----------------------------------------------------------------- */

/* Can the files in OPT that steer the scheduler be read, and are they well formed? *ERROR (malloc'd) says what is wrong, and
 * where. Whether their names are those of a SCoP, a remark about that SCoP says. */
bool tsr_steering_check(const struct tsr_options *opt, char **error);

/* ---- commands/: users' schedules ------------------------------------------------------------------------- */

/* Are the commands in FILE well formed? *ERROR (malloc'd) says what is wrong, and where. */
bool tsr_commands_check(const char *file, char **error);
/* Ends the name of a SCoP in which sums, scalars of the program, are arrays. */
#define TSR_EXPANDED ".expanded"
/* Where FILE has commands for FUNCTION or a SCoP of it: "FILE:LINE:COLUMN" (malloc'd); NULL: it has none. */
char *tsr_commands_place(const char *file, const char *function);

/* ---- pipeline.c: the stages in order ------------------------------------------------------------------- */

enum tsr_stage {
  TSR_STAGE_DEPENDENCES,
  TSR_STAGE_SCHEDULE,
  TSR_STAGE_TILE, /* and mark */
  TSR_STAGE_PROFIT,
  TSR_STAGE_CHECK,
  TSR_STAGE_AST,
  TSR_STAGE_RUN,
  TSR_N_STAGE
};
const char *tsr_stage_name(enum tsr_stage stage); /* "dependences", "schedule", ... */

enum tsr_verdict { TSR_OK, TSR_UNPROFITABLE, TSR_BUDGET, TSR_CHECK_FAILED, TSR_BAD_INFLUENCE, TSR_BAD_COMMANDS, TSR_ERROR };

/* Seconds of some clock, for struct tsr_stage_cost. NULL: none, as in the compiler, which never asks for the time. */
extern double (*tsr_pipeline_clock)(void);

/* What a stage cost: for reports only, no decision depends on it. 0 where the stage was not entered. */
struct tsr_stage_cost {
  double seconds; /* by tsr_pipeline_clock */
  unsigned long operations;
};

/* Sizes from which on new code is worth it: each is at least LEAST, and their product is. Trip counts of loops, over
 * parameters; whichever way the test goes, what runs is right. */
#define TSR_MAX_SIZES 4
struct tsr_sizes {
  int n;
  isl_ast_expr *size[TSR_MAX_SIZES];
  long least[TSR_MAX_SIZES]; /* 1: nothing is asked of it alone */
  long product;              /* 0: nothing is asked of it */
  int n_limit; /* what sizes are the least of, but for the part that is theirs: at least as large. This follows */
  isl_ast_expr *limit[TSR_MAX_SIZES]; /* from the rest, but may be known earlier */
  long least_limit[TSR_MAX_SIZES];
};

/* SIZES for people: "n >= 12 and n * m >= 1000" (malloc'd). */
char *tsr_sizes_text(const struct tsr_sizes *sizes);

/* When a variant runs: all of it holds. */
struct tsr_condition {
  struct tsr_sizes *sizes; /* smaller ones are for the next variant, or the original; NULL: all of the result's will do */
  isl_set *when;           /* { parameters : the variant is worth it }; NULL: always */
  bool threads;            /* are there threads that it may use, and enough work for them? */
  bool gpu;                /* is there a GPU, and enough work for it? Such a variant is tried before all others */
};

/* One way to run a SCoP. */
struct tsr_variant {
  struct tsr_condition condition;
  isl_schedule *tree;          /* after tiling and marks */
  isl_schedule *schedule;      /* that it was made of; NULL: of the original order */
  char *steps;                 /* commands that make TREE of SCHEDULE, a line each; NULL: not all of it can be said */
  double *rates;               /* as tsr_tree_rates would find them, both one behind the other; NULL: nobody has asked yet */
  struct tsr_program *program; /* what runs, where that is more than TREE says: its tree is TREE; NULL: nothing more */
  struct tsr_program
      *packed; /* TREE with its packed operands or panels, marks there, as arrays: that is checked; NULL: none */
  bool panels; /* is PACKED about panels? Then TREE alone is as good, where that can't be written */
  struct tsr_transfer *transfer; /* by array, of one for a GPU; else NULL */
  int n_transfer;
  /* Of one for a GPU: cycles that an instance of the SCoP takes on the CPU, in the code that would run else, as estimated;
   * and loops in the original order, which tell how many instances there are. */
  double cycles;
  isl_ast_node *original;
  isl_ast_node *ast;
};
#define TSR_MAX_VARIANTS 3
/* What VARIANT runs; NULL: the original's statements in the order of its tree. */
static inline struct tsr_program *tsr_variant_program(const struct tsr_variant *variant)
{
  return variant->packed ? variant->packed : variant->program;
}

/* What the search has compared. */
struct tsr_candidate {
  char what[160]; /* "scheduled, register tiles" */
  double cost;    /* as estimated */
};

/* What the pipeline produced; NULL for stages not reached. */
struct tsr_result {
  enum tsr_verdict verdict;
  enum tsr_stage stage; /* the last stage entered */
  char *why;            /* a sentence, when the verdict is not TSR_OK */
  struct tsr_deps *deps;
  char *trace;             /* how the influence tree was followed, a line an event; NULL without one */
  const char *fallback;    /* static text: as in tsr_schedule_compute */
  isl_schedule *schedule;  /* after the scheduler */
  struct tsr_sizes *sizes; /* for any variant: the cheapest test, so it comes first; NULL: all sizes will do */
  /* The first whose condition holds runs; behind the last comes the original code. What conditions say of parameters is the
   * same for all: it is tested once, in front. */
  struct tsr_variant variant[TSR_MAX_VARIANTS];
  int n_variant;
  struct tsr_profit profit; /* on one thread; where all variants need threads, with them */
  bool exact;               /* do updates by exact operators run in another order, as deps allow them to? */
  bool threads;             /* were they allowed? */
  struct tsr_obeyed {
    char *left; /* NULL: it was; else why it is left to another SCoP of the function */
  } *obeyed;    /* by command */
  int n_obeyed;
  char *commands;     /* those that were obeyed, as text, a line each; may be NULL */
  bool commanded;     /* are the variants what commands make of the original order? */
  bool where_it_pays; /* then: does the original run at sizes at which the estimate says no? */
  bool hopeless;      /* no schedule of the SCoP or of a part of it is worth a change; dependences were not computed */
  char *no_gpu;       /* why there is no variant for a GPU, where one was asked for; else NULL */
  struct tsr_candidate *candidate;
  int n_candidate, taken;     /* which became the result, if there are any */
  double *best;               /* by statement: its lowest estimated cost in any candidate */
  double *original;           /* by statement: its estimated cost in the original order, once someone has asked for it */
  struct tsr_estimate before; /* the original order on one core, once someone has asked for it */
  unsigned long operations;   /* used of the budget: the sum over all stages */
  struct tsr_stage_cost cost[TSR_N_STAGE];
};
/* Run all stages up to and including UNTIL on SCOP with N_CHECK run-time checks, within opt->budget isl operations.
 * requires: tsr_scop_validate.  guarantees: TSR_OK means that all variants are checked, and have their ASTs if that stage is
 * reached. on failure: the verdict says why; the ctx is usable again (its error reset, its operation limit lifted). */
__isl_give struct tsr_result *tsr_pipeline_run(__isl_keep struct tsr_scop *scop, const struct tsr_options *opt, int n_check,
                                               enum tsr_stage until);
__isl_null struct tsr_result *tsr_result_free(__isl_take struct tsr_result *result);
/* RESULT's variant for a GPU, if it has one, can't be had; WHY. */
void tsr_result_drop_gpu(struct tsr_result *result, const char *why);
/* After TSR_UNPROFITABLE: could STMTS (a flag a statement), as a SCoP of their own, be worth a change? No if no candidate
 * has made them much cheaper: the scheduler treats the components of the dependence graph one by one, so it finds nothing
 * better for a part of them alone. True if in doubt. */
bool tsr_result_may_gain(__isl_keep struct tsr_result *result, __isl_keep struct tsr_scop *scop, const bool *stmts);
/* RESULT is that of a model that has more arrays than the program, which another model of the same code has not: is it one
 * to choose? CLEAR: without a look at the other's, OTHER: its result, to compare; NULL: what the original order costs. */
bool tsr_result_is_clear(const struct tsr_result *result);
/* Has a variant of RESULT register tiles? */
bool tsr_result_has_tiles(const struct tsr_result *result);
/* At what share of the points must a condition on data hold, behind which the original has loops that RESULT runs in any
 * case? 0: that isn't asked, as a user wants it so. */
double tsr_result_least_share(const struct tsr_result *result, const struct tsr_options *opt);
bool tsr_result_is_better(const struct tsr_result *result, const struct tsr_result *other);
/* Print RESULT as commands under the name of SCOP, or say that it has none. */
void tsr_print_commands(__isl_keep struct tsr_scop *scop, const struct tsr_result *result, FILE *out);
/* Print the schedule tree / the AST as C for people. */
void tsr_print_schedule(__isl_keep isl_schedule *schedule, FILE *out);
void tsr_print_ast(__isl_keep isl_ast_node *ast, FILE *out);

#ifdef __cplusplus
}
#endif
#endif
