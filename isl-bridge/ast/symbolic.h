/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A SCoP at fixed parameters, listed: what symbolic_model.c finds and interp.c runs.
 *
 *     instances   0: S0(0, 0)   1: S0(0, 1)  ...      each with its links, by access
 *     elements    0: C[0, 0]    1: A[0, 0]   ...
 *     links       instance, access, element            the access relations, point by point
 */
#ifndef TSR_SYMBOLIC_H
#define TSR_SYMBOLIC_H

#include "ast/ast.h"
#include "ast/ast_run.h"
#include "model/program.h"
#include "support/tuples.h"
#include <isl/point.h>
#include <stdint.h>

struct link {
  long instance;
  int access;
  long element;
};

/* A conflict check: who touched an element in the loop execution EXECUTION. */
struct touch {
  unsigned long execution;
  int64_t iteration;
  bool several; /* iterations */
  bool written;
};

/* An execution of marked loops; at most one is open for each mark. */
struct marked {
  bool open;
  unsigned long execution;
  int64_t iteration;
  struct touch *touch; /* by element */
};

/* What is known of an element while the program runs. */
struct cell_state {
  uint64_t memory;
  long writer;
  bool undefined;
};

/* SCALAR arrays, all of them: where, whether iterations of the innermost open loop for threads or lanes have written them,
 * and the copies of lanes. */
struct scalars {
  int n;
  long *element;
  bool *written;
  struct cell_state *copy; /* [lane * n + scalar], NULL: no lanes run */
  long salt;
};

/* The registers of a tile. */
struct tile {
  bool open;
  struct held {
    uint64_t point; /* of the tile */
    long element;   /* that it was loaded from, and is stored to */
    struct cell_state state;
    bool written;
  } *held;
  int n, room;
};

/* Who makes an access. */
struct position {
  int lane; /* of those that run at once */
  bool in_tile;
  uint64_t point; /* of the register tile */
};

/* Where a value is. */
struct place {
  uint64_t *value;
  long *writer;
  bool *undefined;
};

struct interp {
  struct tsr_scop *scop;
  struct interp *base; /* of a transformed program: its original, which has run; else NULL */
  long *origin;        /* [instance] then which instance of it is performed? -1: none */
  const long *values;
  long limit;
  char **why;
  struct tsr_tuples instances, elements;
  struct link *link; /* sorted by instance, then access, then element */
  long n_link, link_room;
  long *first; /* [instance] its first link; [n] = n_link */
  /* of one run: */
  uint64_t *memory; /* [element] */
  long *writer;     /* [element] the instance that wrote it last, -1: none */
  bool *undefined;  /* [element] does it hold, or depend on, a value that nobody wrote? */
  int *runs;        /* [instance] how often it ran */
  struct marked marked[TSR_N_LOOP_MARK];
  struct scalars scalars;
  struct tile tile;
  struct preloaded {
    bool open, bad; /* does a loop run whose iterations read all first? Did one fail? */
    long *instance; /* of the iteration at hand; they run when it ends */
    int n, room;
  } preloaded;
  long lives; /* of buffers, that have begun */
  struct life {
    bool marked;                   /* is there such a mark? */
    int open;                      /* in how many of them is the run? */
    bool begun;                    /* has a life begun? */
    struct tsr_loop_values around; /* in which iteration? */
  } *life;                         /* [array] */
  struct rows {
    bool *own;    /* [array] does it live in a row of the doacross loop that runs? NULL: none does */
    size_t at, n; /* the row that runs, from 1 on, 0: none so far; those that have run */
    struct row_state {
      struct cell_state *cell; /* [element] when it was interrupted; NULL: it hasn't begun */
      struct life *life;       /* [array] */
    } *row;
  } rows;
  bool *exists; /* [element] of a buffer: is it in the extent? Of memory: has an access touched it that is no maybe? */
  int array;    /* of a callback: an array or statement; what it found */
  long found;
  /* what the listing callbacks work on: */
  int stmt, access;
  int64_t *time; /* [instance][n_time] the original time stamps */
  int n_time;    /* their length; of tsr_symbolic_origins: the instance's */
};

/* List instances, elements and links of in->scop, and make room for a run. */
isl_stat tsr_symbolic_list(struct interp *in);
/* How many of the N links from FIRST on are to elements in front of ELEMENT, by their subscripts? */
long tsr_symbolic_rank(const struct interp *in, long first, long n, long element);
/* Time stamps of all instances by SCHEDULE, in in->time. */
isl_stat tsr_symbolic_times(struct interp *in, __isl_keep isl_schedule *schedule);
/* Which instances of in->base the instances perform, in in->origin. */
isl_stat tsr_symbolic_origins(struct interp *in, __isl_keep struct tsr_program *program);
void tsr_symbolic_clear(struct interp *in);
/* SET, a set or wrapped relation, at the parameter values, without parameters. */
__isl_give isl_set *tsr_symbolic_fix(struct interp *in, __isl_take isl_set *set);
/* Call FN on each point of SET at the parameter values. */
isl_stat tsr_symbolic_foreach_point(struct interp *in, __isl_take isl_set *set,
                                    isl_stat (*fn)(__isl_take isl_point *point, void *user));
/* The coordinates of POINT, freed, at most MAX; their number or -1. */
int tsr_symbolic_vector(__isl_take isl_point *point, int64_t *vector, int max);
/* Report an error of isl's kind. */
isl_stat tsr_symbolic_fail(struct interp *in, enum isl_error error, const char *why);
/* "S(1, 2)" or "A[1, 2]" into TEXT. */
const char *tsr_symbolic_instance(struct interp *in, long i, char text[128]);
const char *tsr_symbolic_element(struct interp *in, long i, char text[128]);

/* ---- buffer_lives.c ------------------------------------------------------------------------------------ */

/* Which elements of buffers exist, in in->exists; which buffers the marks of AST allocate, in in->life. */
isl_stat tsr_symbolic_extents(struct interp *in);
isl_stat tsr_symbolic_note_marks(struct interp *in, __isl_keep isl_ast_node *ast);
/* If MARK, which may be NULL, is "allocate A, ..", add OPEN to the number of A's that are open; in the iteration AROUND,
 * NULL: no life begins. */
void tsr_symbolic_open(struct interp *in, const struct tsr_mark *mark, int open, const struct tsr_loop_values *around);
/* A doacross loop begins, each of whose rows has its own copy of the buffers that live in it; row NUMBER of it runs; it
 * ends.
 */
void tsr_symbolic_begin_rows(struct interp *in);
isl_stat tsr_symbolic_row(struct interp *in, size_t number);
void tsr_symbolic_end_rows(struct interp *in);
/* May STMT of a transformed program make its access K to ELEMENT? To memory only where the original touches it, stores only
 * where the original stores, moves only where it loads or stores for sure; to buffers only where and while there is one. */
bool tsr_symbolic_may_touch(struct interp *in, const struct tsr_stmt *stmt, int k, long element);

/* ---- instance_runs.c ------------------------------------------------------------------------------------ */

/* Execute INSTANCE[0..N), of one statement, at POSITION[0..N), at once; one in a loop that reads all first when its
 * iteration ends. False: in->why says why not. */
bool tsr_instances_run(struct interp *in, const long *instance, const struct position *position, int n);
/* Such a loop begins; its next iteration does; it ends. Whether all could run is in in->preloaded. */
void tsr_preload_begin(struct interp *in);
void tsr_preload_next(struct interp *in);
void tsr_preload_end(struct interp *in);

/* ---- marked_memory.c: where values are while marked parts run -------------------------------------------- */

/* Make room, once elements are listed. */
isl_stat tsr_marked_init(struct interp *in);
void tsr_marked_clear(struct interp *in);
/* As the callbacks of struct tsr_ast_run. */
void tsr_marked_begin(struct interp *in, enum tsr_loop_mark loop, const struct tsr_mark *mark);
void tsr_marked_iteration(struct interp *in, enum tsr_loop_mark loop, int64_t iterator);
void tsr_marked_end(struct interp *in, enum tsr_loop_mark loop);
/* A register tile begins; or, not OPEN, ends: then what it holds is stored. */
void tsr_marked_tile(struct interp *in, bool open);
/* Where access K of STMT, made at POSITION, finds ELEMENT. */
struct place tsr_marked_place(struct interp *in, const struct tsr_stmt *stmt, int k, long element,
                              const struct position *position);

enum { TSR_SYMBOLIC_DIMS = 64 };

#endif
