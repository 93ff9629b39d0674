/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A fake libcuda.so.1: the CUDA driver API over an interpreter of PTX, for tests on machines without a GPU.
 *
 *     text --ptx_text.c, ptx_parse.c, ptx_statement.c--> module: instructions, a function pointer each
 *          --driver_module.c--> launch --ptx_run.c--> blocks one after the other --> warps or threads
 *                               ptx_integer.c, ptx_float.c, ptx_convert.c: registers -> registers
 *                               ptx_access.c: registers <-> memory --ptx_memory.c--> is this access right?
 *
 * A warp has a row of 32 values, 64 bits each, for every register, every constant and every special register of its
 * kernel, so that all operands are rows. Bits above an operand's type are anything: who reads truncates. There are no
 * recursive functions: each has its own rows and its own part of a thread's local memory.
 *
 * An address says by itself which space it is in; cvta changes nothing:
 *
 *     0x01000000 shared    0x02000000 local    0x03000000 kernel parameters    0x700000000000 global and const
 *
 * Environment: TSR_PTX_ORDER=lockstep|random, TSR_PTX_SEED, TSR_PTX_LIMIT, TSR_PTX_COUNT=FILE, and see driver.h.
 */
#ifndef PTX_H
#define PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PTX_LANES 32
#define PTX_DEPTH 16 /* calls within calls */
#define PTX_THREADS 1024
#define PTX_VECTOR 8
#define PTX_ARGUMENTS 32
#define PTX_SHARED 0x01000000u
#define PTX_LOCAL 0x02000000u
#define PTX_PARAM 0x03000000u
#define PTX_GLOBAL 0x700000000000u
#define PTX_STATIC_SHARED (48u << 10)

/* Of CUresult, those that happen here */
enum ptx_code {
  PTX_OK = 0,
  PTX_INVALID_VALUE = 1,
  PTX_OUT_OF_MEMORY = 2,
  PTX_NOT_INITIALIZED = 3,
  PTX_NO_DEVICE = 100,
  PTX_INVALID_DEVICE = 101,
  PTX_INVALID_CONTEXT = 201,
  PTX_INVALID_PTX = 218,
  PTX_UNSUPPORTED_VERSION = 222,
  PTX_INVALID_HANDLE = 400,
  PTX_NOT_FOUND = 500,
  PTX_NOT_READY = 600,
  PTX_ILLEGAL_ADDRESS = 700,
  PTX_TIMEOUT = 702,
  PTX_MISALIGNED = 716,
  PTX_INVALID_SPACE = 717,
  PTX_LAUNCH_FAILED = 719,
};

enum ptx_type {
  PTX_NO_TYPE,
  PTX_B8,
  PTX_B16,
  PTX_B32,
  PTX_B64,
  PTX_U8,
  PTX_U16,
  PTX_U32,
  PTX_U64,
  PTX_S8,
  PTX_S16,
  PTX_S32,
  PTX_S64,
  PTX_F16,
  PTX_BF16,
  PTX_F32,
  PTX_F64,
  PTX_PRED,
};

/* Rows that every kernel has */
enum ptx_row {
  PTX_ROW_ZERO, /* as a guard: there is none */
  PTX_ROW_TID,  /* x, y, z */
  PTX_ROW_NTID = PTX_ROW_TID + 3,
  PTX_ROW_CTAID = PTX_ROW_NTID + 3,
  PTX_ROW_NCTAID = PTX_ROW_CTAID + 3,
  PTX_ROW_LANE = PTX_ROW_NCTAID + 3,
  PTX_ROW_WARP,
  PTX_ROW_NWARP,
  PTX_ROW_MASK_EQ,
  PTX_ROW_MASK_LE,
  PTX_ROW_MASK_LT,
  PTX_ROW_MASK_GE,
  PTX_ROW_MASK_GT,
  PTX_ROW_CLOCK, /* stands still */
  PTX_ROW_DYNAMIC_SHARED,
  PTX_ROW_TOTAL_SHARED,
  PTX_ROW_CARRY,
  PTX_ROW_SINK,    /* for results that nobody wants */
  PTX_ROW_SCRATCH, /* four */
  PTX_ROWS = PTX_ROW_SCRATCH + 4,
};

enum ptx_space { PTX_GENERIC, PTX_IN_GLOBAL, PTX_IN_SHARED, PTX_IN_LOCAL, PTX_IN_PARAM, PTX_IN_CONST };
enum ptx_rounding { PTX_RN, PTX_RZ, PTX_RM, PTX_RP, PTX_RNA };

/* How control goes on behind an instruction */
enum ptx_flow {
  PTX_PLAIN,
  PTX_BRANCH,
  PTX_TABLE, /* brx.idx */
  PTX_CALL,
  PTX_RETURN,
  PTX_EXIT,
  PTX_TRAP,
  PTX_BARRIER,
  PTX_TOGETHER, /* lanes of a warp wait for each other: shfl, vote, bar.warp.sync */
};

struct ptx_warp;
struct ptx_inst;
struct ptx_region;

/* Does an instruction for the lanes of MASK. */
typedef void ptx_fn(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask);

struct ptx_memory;

struct ptx_inst {
  ptx_fn *run;
  ptx_fn *inner;          /* what `run` calls with another rounding, or between flushing denormals (ptx_float.c) */
  uint32_t guard;         /* the row of @%p */
  uint32_t d, d2;         /* rows of results */
  uint32_t s[5];          /* rows of operands; for memory s[0] is the address, the others what is stored */
  uint32_t v[PTX_VECTOR]; /* rows of what is loaded, stored, packed or unpacked */
  uint8_t n;              /* how many of them */
  bool guard_not;
  uint8_t flow, space, type, from; /* enums above; cvt is FROM -> TYPE */
  uint8_t rounding;
  bool integral, ftz, sat, negated, atomic, nc; /* NEGATED: vote's operand */
  uint8_t how;                                  /* shfl, vote: the mode's first letter */
  int32_t target;           /* branch: label, later its instruction; brx and call: number of the table or call */
  int32_t line;             /* of the text */
  int64_t offset;           /* of an address */
  int64_t offset_from;      /* of cp.async's second one */
  struct ptx_region **near; /* where its last access went */
};

struct ptx_op {
  const char *names; /* without rounding and other modifiers, blanks between */
  ptx_fn *run;
  int operands;
};

/* A value that is only known when all of a module is: base of the function's local memory, or place of a shared variable */
struct ptx_constant {
  uint64_t value;
  int variable; /* -1: VALUE is all; -2: in local memory; otherwise a shared variable of the module */
};

struct ptx_variable {
  char *name;
  uint64_t size, align, address;
  bool dynamic; /* .extern .shared */
  bool of_func; /* a .func uses it, so that all kernels have it */
  bool placed;
};

struct ptx_call {
  int function;
  char *name;
  int n;
  struct ptx_copy {
    uint64_t from, to, size;
  } arg[PTX_ARGUMENTS], result; /* in local memory */
};

struct ptx_table {
  int n;
  int32_t *target;
};

struct ptx_formal {
  uint64_t offset, size;
};

struct ptx_function {
  char *name;
  bool entry, defined;
  int32_t first, end; /* its instructions */
  int n_formal;
  struct ptx_formal *formal; /* of an entry: in the buffer of parameters; else in its local memory */
  struct ptx_formal result;
  uint64_t local; /* bytes of local memory */
  uint64_t local_base;
  uint32_t rows, row_base; /* registers and constants */
  int n_constant;
  struct ptx_constant *constant; /* the rows behind its registers' .. */
  uint32_t *constant_row;        /* .. these */
  uint64_t static_shared, dynamic_at;
  uint32_t max_threads; /* .maxntid, 0: none */
  uint32_t max_dynamic; /* cuFuncSetAttribute */
  struct ptx_module *module;
};

struct ptx_module {
  int n_inst, n_function, n_variable, n_call, n_table, n_region;
  struct ptx_inst *inst;
  struct ptx_function **function;
  struct ptx_variable *variable; /* shared ones */
  struct ptx_call *call;
  struct ptx_table *table;
  struct ptx_region **region; /* .global and .const variables */
  struct ptx_region **near;   /* for each instruction, where its last access went */
  char *text;
  char error[512]; /* why it can't be loaded */
  enum ptx_code code;
};

/* ---- ptx_parse.c: text -> module */

/* NULL: out of memory. Otherwise CODE says whether it can be used. VERSION is the newest that is taken, 90 for 9.0, SM what
 * the device can. */
struct ptx_module *ptx_module_parse(const char *text, int version, int sm, struct ptx_memory *memory);
struct ptx_module *ptx_module_free(struct ptx_module *module, struct ptx_memory *memory);
/* The entry of that name, NULL: there is none */
struct ptx_function *ptx_module_entry(struct ptx_module *module, const char *name);
/* Line number LINE of the text, without blanks around, in BUFFER */
const char *ptx_module_line(const struct ptx_module *module, int line, char *buffer, size_t size);
unsigned ptx_type_size(enum ptx_type type);
bool ptx_type_is_signed(enum ptx_type type);
bool ptx_type_is_float(enum ptx_type type);

/* ---- ptx_memory.c: what is where, initialised, and touched by whom */

enum ptx_kind { PTX_READ, PTX_WRITE, PTX_ATOMIC, PTX_KINDS };

/* Who touched a granule of memory last, in which way, and in which epoch: a part of a block's run between two barriers.
 * `thread` is a number within the block; PTX_MANY | w: several of warp w; PTX_ANY: several of several warps. `sync` counts
 * the synchronisations of that warp alone. */
#define PTX_MANY 0x8000
#define PTX_ANY 0xffff
struct ptx_touch {
  uint32_t epoch, sync;
  uint16_t thread;
};

/* MINE: kinds, as bits, of accesses by BLOCK, OTHERS: by earlier blocks of LAUNCH */
struct ptx_mark {
  uint32_t launch, block;
  uint8_t mine, others;
  struct ptx_touch by[PTX_KINDS];
};

struct ptx_region {
  uint64_t base, size;
  uint8_t *data, *valid; /* VALID: a byte a byte, 1: initialised */
  struct ptx_mark *mark; /* one for each 1 << GRAIN bytes; NULL: not yet */
  int grain;
  bool freed, constant, shared;
};

struct ptx_memory {
  int n, size;
  struct ptx_region **region; /* sorted by address, freed ones among them */
  uint64_t next, used, total;
};

/* Who asks: epochs, launches and blocks count up as long as the process lives */
struct ptx_now {
  uint32_t launch, block, epoch, sync;
  uint16_t thread;
};

/* A region of SIZE bytes, uninitialised; NULL: none is left */
struct ptx_region *ptx_region_new(struct ptx_memory *m, uint64_t size, bool constant);
/* Its contents go; its address stays known as freed. */
void ptx_region_free(struct ptx_memory *m, struct ptx_region *region);
/* The region that ADDRESS is in, perhaps a freed one; NULL: none */
struct ptx_region *ptx_region_at(const struct ptx_memory *m, uint64_t address);
/* The kind of the earlier access that races with this one of SIZE bytes at OFFSET, -1: there is none. Notes this one. */
int ptx_region_touch(struct ptx_region *region, uint64_t offset, unsigned size, enum ptx_kind kind,
                     const struct ptx_now *now);
/* The first of SIZE bytes from OFFSET on that isn't initialised, SIZE: all are */
uint64_t ptx_region_invalid(const struct ptx_region *region, uint64_t offset, uint64_t size);
/* Frees everything. */
void ptx_memory_clear(struct ptx_memory *m);

/* ---- ptx_run.c: a launch */

struct ptx_count {
  uint64_t instructions, global_loads, global_stores, load_sectors, store_sectors, shared_requests, wavefronts;
  uint64_t load_least, store_least; /* sectors, if the bytes of each request lay next to each other */
};

struct ptx_launch {
  struct ptx_function *entry;
  struct ptx_memory *memory;
  uint32_t grid[3], size[3], threads, dynamic; /* SIZE: of a block */
  uint8_t *params;
  uint64_t params_size;
  bool random, count;
  uint64_t seed, limit;
  enum ptx_code code; /* of the first fault */
  struct ptx_count counted;
  /* of the block that runs */
  uint32_t at[3];
  int n_warp;
  struct ptx_warp *warp;
  struct ptx_region shared;
  uint8_t *local, *local_valid; /* of all its threads */
  uint64_t local_size;          /* of one */
  struct ptx_now now;
};

/* A copy by cp.async that hasn't arrived; BYTES of SIZE are read, the others are 0 */
struct ptx_pending {
  const struct ptx_inst *inst;
  int lane;
  uint32_t group, size, bytes;
  uint64_t from, to;
};

struct ptx_warp {
  uint64_t *rows; /* 32 values each */
  struct ptx_launch *launch;
  int number;
  uint32_t sync;
  uint32_t lanes, exited, at_barrier, at_sync; /* masks */
  uint32_t pc[PTX_LANES];
  uint64_t steps[PTX_LANES];
  uint8_t depth[PTX_LANES];
  uint32_t stack[PTX_LANES][PTX_DEPTH];
  uint32_t groups[PTX_LANES]; /* that cp.async.commit_group has closed */
  int n_pending, size_pending;
  struct ptx_pending *pending;
};

#define PTX_ROW(W, NUMBER) ((W)->rows + (size_t)(NUMBER) * PTX_LANES)
/* STATEMENT for each lane L of MASK */
#define PTX_EACH(MASK, L, ...)                                                                                              \
  for (uint32_t rest_ = (MASK); rest_; rest_ &= rest_ - 1) {                                                                \
    int L = __builtin_ctz(rest_);                                                                                           \
    __VA_ARGS__;                                                                                                            \
  }

/* Runs all blocks. The code of the first fault, which has been told on stderr. */
enum ptx_code ptx_launch_run(struct ptx_launch *launch);
/* Tells a fault at instruction I by one lane; the first one only. FORMAT: what, behind the place. */
void ptx_fault(struct ptx_warp *w, const struct ptx_inst *i, int lane, enum ptx_code code, const char *kind,
               const char *format, ...) __attribute__((format(printf, 6, 7)));
/* Tells a fault of the host's. */
void ptx_complain(const char *kind, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* How many faults of KIND have been told, NULL: of all kinds. For tests. */
unsigned ptx_fault_count(const char *kind);

/* ---- ptx_count.c: what the memory system has to do for one request of a warp */

/* Notes a request of the lanes of MASK for SIZE bytes each at ADDRESS[lane]. */
void ptx_count_request(struct ptx_launch *launch, bool shared, bool load, const uint64_t *address, uint32_t mask,
                       unsigned size);

/* ---- ptx_access.c: one access */

/* Memory that a lane may access: its bytes and their validity */
struct ptx_place {
  uint8_t *data, *valid;
  struct ptx_region *region; /* NULL: local memory or parameters */
  uint64_t offset;
};

/* May this lane access SIZE bytes at ADDRESS in this way? Fills in *AT; false and a fault: no */
bool ptx_access_check(struct ptx_warp *w, const struct ptx_inst *i, int lane, uint64_t address, unsigned size,
                      enum ptx_kind kind, struct ptx_place *at);
/* Counts the request of all lanes of MASK. */
void ptx_access_count(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask, bool load, unsigned size);

/* ---- ptx_integer.c, ptx_float.c, ptx_convert.c, ptx_access.c: what instructions do */

extern const struct ptx_op ptx_integer_ops[], ptx_float_ops[]; /* end with names NULL */
ptx_fn ptx_run_move, ptx_run_pack, ptx_run_unpack, ptx_run_convert, ptx_run_load, ptx_run_store, ptx_run_atomic;
ptx_fn ptx_run_shuffle, ptx_run_vote, ptx_run_nothing, ptx_run_is_space, ptx_run_active;
ptx_fn ptx_run_async_copy, ptx_run_async_commit, ptx_run_async_wait;
ptx_fn ptx_run_packed; /* inner, for both halves of the operands */
ptx_fn ptx_run_convert_two;
ptx_fn ptx_run_modified; /* inner, with another rounding, denormals flushed, saturated */
float ptx_half_to_float(uint16_t bits);
uint16_t ptx_double_to_half(double x, enum ptx_rounding rounding);
/* How an atomic operation of TYPE combines; false: there is none of that name */
bool ptx_atomic_known(const char *name, enum ptx_type type, uint8_t *how);

/* ---- ptx_text.c: text -> words */

struct ptx_text {
  const char *at;
  int line, word_line; /* of AT, of WORD */
  char word[1024];     /* a name, number, directive or opcode; else one character; empty: the end */
  struct ptx_module *module;
};

/* Moves on to the next word; false: the end */
bool ptx_next(struct ptx_text *t);
/* Is it this word? */
bool ptx_is(const struct ptx_text *t, const char *word);
/* Moves on if it is. */
bool ptx_accept(struct ptx_text *t, const char *word);
/* Fails if it isn't. */
bool ptx_expect(struct ptx_text *t, const char *word);
/* Would a ':' come behind the word? */
bool ptx_is_label(const struct ptx_text *t);
/* Moves on to the first word of the next line. */
void ptx_skip_line(struct ptx_text *t);
/* A number, with a sign perhaps; 0 and a failure: it is none. *IS_FLOAT: 0f or 0d */
uint64_t ptx_number(struct ptx_text *t);
/* Makes the module unusable; then the text ends here. False */
bool ptx_fail(struct ptx_text *t, enum ptx_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- ptx_statement.c: one instruction of a function's body */

enum ptx_symbol_kind { PTX_SYM_REGISTER, PTX_SYM_RANGE, PTX_SYM_ADDRESS, PTX_SYM_SHARED, PTX_SYM_LOCAL };

struct ptx_symbol {
  char *name;
  enum ptx_symbol_kind kind;
  uint64_t value, size; /* RANGE: first row and how many; SHARED: number of the variable; else row or address */
};

/* What is known while a module is read: symbols of the scopes around, labels of the function, growing arrays */
struct ptx_parser {
  struct ptx_text t;
  struct ptx_module *m;
  struct ptx_memory *memory;
  struct ptx_function *f;
  int n_symbol, size_symbol, n_label, size_label, size_inst, size_constant;
  struct ptx_symbol *symbol;
  struct ptx_label {
    char *name;
    int32_t pc;
    int table;
  } *label;
};

/* ptx_link.c: what is only known at the end of the text */
bool ptx_module_link(struct ptx_parser *p);
bool ptx_parse_instruction(struct ptx_parser *p);
struct ptx_symbol *ptx_symbol_find(struct ptx_parser *p, const char *name);
int ptx_label_find(struct ptx_parser *p, const char *name);
/* Room for one more element of SIZE bytes; false: no memory */
bool ptx_grow(void *array, int n, int *size, size_t element);
enum ptx_type ptx_type_of(const char *name);

#endif
