/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The control flow of a function as a tree. */
#ifndef TSR_CONTROL_TREE_H
#define TSR_CONTROL_TREE_H

#include "pass.h"

enum tsr_node_kind { TSR_NODE_BLOCK, TSR_NODE_IF, TSR_NODE_DAG, TSR_NODE_LOOP, TSR_NODE_CHECK };
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

#endif
