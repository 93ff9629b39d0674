/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of arrays in buffers: cached_arrays.c, and fused_producers.c and overlapped_tiles.c, which share its boxes. */
#ifndef TSR_CACHED_ARRAYS_H
#define TSR_CACHED_ARRAYS_H

#include "model/program.h"
#include "tree/tree.h"

/* PROGRAM, where what the subtree at NODE, of PROGRAM's tree, touches of ARRAY (of program->scop) in one iteration of the
 * loops around NODE is in a buffer in SPACE while it runs. NULL: it can't be, *WHY (malloc'd) says why, or isl failed. */
__isl_give struct tsr_program *tsr_program_cache(__isl_take struct tsr_program *program, __isl_keep isl_schedule_node *node,
                                                 int array, enum tsr_space space, char **why);

/* The same, with dimension LAST of the array behind the others in the buffer. */
__isl_give struct tsr_program *tsr_program_cache_as(__isl_take struct tsr_program *program,
                                                    __isl_keep isl_schedule_node *node, int array, int last,
                                                    enum tsr_space space, char **why);

/* PROGRAM, where statement PRODUCER is computed in front of the subtree at NODE, for what that reads of it, into a buffer in
 * SPACE. As tsr_program_cache. */
__isl_give struct tsr_program *tsr_program_compute_at(__isl_take struct tsr_program *program,
                                                      __isl_keep isl_schedule_node *node, int producer, enum tsr_space space,
                                                      char **why);

/* ---- gpu_tiles.c ---- */

/* PROGRAM as kernels (tsr_tree_kernels), those of two loops with ROWS and COLUMNS elements in each thread, where they add up
 * elements of their own, in blocks that share what STEPS of a sum read at a time. Rows and columns 1: not so; steps 1:
 * without blocks; 0 of one: as it pays, of all: which may be not at all. As tsr_program_cache. */
__isl_give struct tsr_program *tsr_program_kernels(__isl_take struct tsr_program *program, struct tsr_deps *deps,
                                                   const struct tsr_options *opt, int rows, int columns, int steps,
                                                   char **why);

/* ---- lane_panels.c ---- */

/* PROGRAM, whose bands say what they are, in panels of an outer loop's lanes. As tsr_program_cache. */
__isl_give struct tsr_program *tsr_program_lane_panels(__isl_take struct tsr_program *program, const struct tsr_options *opt,
                                                       char **why);

/* ---- copied_inputs.c ---- */

/* PROGRAM, whose tree has no extensions, with what it reads again and again of arrays before it overwrites them in buffers
 * that are filled in front of it, in the order that the scheduler finds for that. As tsr_program_cache. */
__isl_give struct tsr_program *tsr_program_copy_inputs(__isl_take struct tsr_program *program, const struct tsr_options *opt,
                                                       char **why);

/* ---- overlapped_tiles.c ---- */

/* PROGRAM, with nests in tiles of ROWS and COLUMNS iterations of the innermost loops, and what these read of other nests
 * computed in them, in buffers. 0 ROWS or COLUMNS: as the caches are. As tsr_program_cache. */
__isl_give struct tsr_program *tsr_program_overlap(__isl_take struct tsr_program *program, int rows, int columns,
                                                   char **why);

/* ---- what these files share ---- */

/* Dimensions of an array that can be cached. */
#define TSR_CACHE_DIM 8

struct tsr_cached {
  struct tsr_program *program;
  struct tsr_scop *scop; /* the program's */
  int array, n_dim;
  int behind;                  /* the number, from 1 on, of a dimension that is the buffer's last; 0: dimensions stay */
  const struct tsr_stmt *only; /* a statement whose access number ONLY_ACCESS is meant alone; NULL: all to the array */
  int only_access;
  bool *const *chosen; /* for each of the first N_CHOSEN statements, of its accesses: is it meant? NULL: all are */
  int n_chosen;
  isl_union_set *domain;          /* what runs below the node */
  isl_union_map *prefix;          /* { S[i] -> [t] } */
  isl_map *read, *written;        /* { [t] -> A[e] } */
  isl_map *load, *store;          /* the parts of them that are moved; NULL: none */
  isl_aff *corner[TSR_CACHE_DIM]; /* { [t] -> [m] } */
  isl_val *stride[TSR_CACHE_DIM]; /* between elements that are touched; NULL: 1 */
  isl_set *box;                   /* { [b] } */
  char **why;
};

void tsr_cache_clear(struct tsr_cached *c);
/* As tsr_program_cache, for C, which has nothing but what is to be cached; it is cleared. CHOOSE, if any, may change what is
 * moved; false: why not is said. */
__isl_give struct tsr_program *tsr_cache_run(struct tsr_cached *c, __isl_take struct tsr_program *program,
                                             __isl_keep isl_schedule_node *node, enum tsr_space space,
                                             bool (*choose)(struct tsr_cached *c));
/* Is access K of STMT one of those that shall use the buffer? */
bool tsr_cache_is_meant(const struct tsr_cached *c, const struct tsr_stmt *stmt, int k);
/* Does STMT run below the node? *PART: but only some of its instances. */
isl_bool tsr_cache_runs_below(struct tsr_cached *c, const struct tsr_stmt *stmt, bool *part);
/* Can the array be cached, as far as statements go? */
bool tsr_cache_is_possible(struct tsr_cached *c);
/* { [t] -> A[e] } of the accesses of KINDS below the node; NULL: there are none. */
__isl_give isl_map *tsr_cache_footprint(struct tsr_cached *c, unsigned kinds);
/* Find c->corner and c->box for c->read and c->written. */
bool tsr_cache_find_box(struct tsr_cached *c);
/* { [[t] -> A[e]] -> P[(e - m(t)) / s] }, for FOOTPRINT's space. */
__isl_give isl_map *tsr_cache_to_buffer(struct tsr_cached *c, __isl_keep isl_map *footprint, const char *buffer);
/* Let the statements below the node use the buffer by MAP, which is that. */
__isl_give struct tsr_program *tsr_cache_redirect(struct tsr_cached *c, __isl_take struct tsr_program *program,
                                                  __isl_keep isl_map *map);
/* A statement that moves the elements of FOOTPRINT { [t] -> A[e] }, INTO the buffer or out of it; and its extension, in
 * *GRAFT.
 */
void tsr_cache_make_move(struct tsr_cached *c, struct tsr_program *program, __isl_keep isl_map *footprint,
                         __isl_keep isl_map *map, bool into, struct tsr_added_stmt *move, isl_schedule_node **graft);
/* The band for the statement called NAME with dimensions like MAP's range, in their order, as a node to graft, with the
 * extension MAP { [t] -> NAME[e] }, which is taken. */
__isl_give isl_schedule_node *tsr_cache_graft(__isl_take isl_map *extension);
/* NODE below a mark "allocate" for array BUFFER of PROGRAM; NULL: there is no program. */
__isl_give isl_schedule_node *tsr_cache_allocate(__isl_take isl_schedule_node *node, __isl_keep struct tsr_program *program,
                                                 int buffer);
/* PROGRAM with NODE's tree, which is taken, and the N statements ADDED; NULL: there is no program. */
__isl_give struct tsr_program *tsr_cache_extend(__isl_take struct tsr_program *program, __isl_take isl_schedule_node *node,
                                                struct tsr_added_stmt *added, int n);

#endif
