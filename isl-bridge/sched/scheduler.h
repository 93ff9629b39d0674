/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Our own iterative polyhedral scheduler: what its files share. Nobody else includes this header.
 *
 * A schedule is built a row at a time. A row of statement S is an affine form
 *
 *     phi_S(i, p) = c_S . i + d_S . p + k_S
 *
 * whose coefficients are the unknowns of an integer linear problem (ilp.c) that builders fill:
 *
 *   validity.c     phi_T(t) - phi_S(s) >= 0            for every dependence s -> t that must be kept
 *   coincidence.c  phi_T(t) - phi_S(s)  = 0            where a row is to be parallel
 *   proximity.c    phi_T(t) - phi_S(s) <= u . p + w    u and w are minimised
 *   progression.c  c_S is no combination of S's earlier rows
 *
 * All but the last go through the affine form of Farkas' lemma (farkas.c). Rows that keep the same dependences form a
 * permutable band (band.c); where no row does, a row by Feautrier's step carries as many dependences as it can
 * (feautrier.c); strongly connected components get bands of their own, which are then fused pair by pair (cluster.c);
 * where threads are to share the tiles of a band, diamond.c looks for hyperplanes that let them all start at once;
 * sched_tree.c drives all this and writes the schedule tree. algorithm1.c does the same under the guidance of a tree of
 * injected constraints (influence.h).
 *
 * Sources: U. Bondhugula et al., "A practical automatic polyhedral parallelizer and locality optimizer", PLDI 2008;
 * O. Zinenko et al., "Modeling the conflicting demands of parallelism and temporal/spatial locality in affine scheduling",
 * CC 2018 ("zinenko-cc18"), sections 3.1 to 3.5; P. Feautrier, "Some efficient solutions to the affine scheduling problem",
 * IJPP 21, 1992; C. Bastoul et al., "Optimizing GPU deep learning operators with polyhedral scheduling constraint
 * injection", CGO 2022 ("bastoul-cgo22").
 *
 * Errors: functions return NULL, isl_stat_error or isl_bool_error with isl's error state set, as everywhere. */
#ifndef TESSERA_SCHED_H
#define TESSERA_SCHED_H

#include "sched/sched.h"
#include "sched/strategy.h"
#include <isl/mat.h>
#include <isl/space.h>

/* ---- ilp.c: integer linear problems ------------------------------------------------------------------------ */

/* Find the lexicographically smallest integer x >= 0 that satisfies all rows. A row holds the constant, then a
 * coefficient a column; equalities are = 0, inequalities >= 0. */
struct tsr_ilp;
__isl_give struct tsr_ilp *tsr_ilp_alloc(isl_ctx *ctx, int n_col);
__isl_null struct tsr_ilp *tsr_ilp_free(__isl_take struct tsr_ilp *ilp);
/* A row of zeros to fill in: 1 + n_col entries. It counts once it is committed; there is one at a time. */
long *tsr_ilp_row(struct tsr_ilp *ilp);
isl_stat tsr_ilp_commit(struct tsr_ilp *ilp, bool equality);

/* x[first .. first + n_col) may not be mapped to zero by DATA (n_row by n_col); n_row 0: no condition. */
struct tsr_region {
  int first, n_row, n_col;
  long *data;
};
/* X (size n_col, the caller's) receives the solution that avoids all REGIONs; among those, only the first N_OBJECTIVE
 * columns are sure to be the smallest. isl_bool_false: there is none. */
isl_bool tsr_ilp_lexmin(struct tsr_ilp *ilp, int n_objective, struct tsr_region *region, int n_region, long *x);

/* ---- graph.c: statements and dependences ------------------------------------------------------------------- */

/* The references of a statement to one array that differ by constants only (reuse.c). */
struct tsr_reuse {
  int array, multiplicity; /* how many there are */
  isl_mat *access;         /* the subscripts' coefficients of the iterators */
  long *spatial;           /* a direction that stays in a cache line, n entries; NULL: none */
  long *temporal;          /* n_temporal directions that stay at the element */
  int n_temporal;
};

/* A statement, or a cluster of statements whose iterators are the members of its band. */
struct tsr_node {
  char *name;      /* the tuple name of its domain */
  isl_set *domain; /* { S[i] } with the parameters of the graph */
  int n;           /* iterators */
  int n_param;
  int order;       /* its place in the original program */
  long *row;       /* the rows so far, n_row times (1 + n_param + n): k, d, c */
  int n_row;       /* */
  isl_mat *rest;   /* n_rest by n: its product with c is zero iff c depends linearly on earlier rows */
  int n_rest;      /* rows that are missing for the instances to be told apart */
  unsigned serial; /* bit i: iterator i of a cluster carries dependences, so no coincident row may use it */
  struct tsr_reuse *reuse;
  int n_reuse;              /* of statements, and only if the strategy wants to know */
  struct tsr_node **member; /* of a cluster: its statements; NULL for a statement. Neither array nor nodes are owned */
  int n_member;
  int first;  /* of a cluster: the row of its members that is its iterator 0 */
  int column; /* the node's first column in the problem at hand */
  int mark;   /* of the algorithm at hand: component, visited, ... */
};

/* Which roles a dependence plays. */
enum tsr_edge_kind {
  TSR_EDGE_VALIDITY = 1,     /* must be kept */
  TSR_EDGE_COINCIDENCE = 2,  /* makes a loop that carries it serial */
  TSR_EDGE_PROXIMITY = 4,    /* its ends want to be close */
  TSR_EDGE_CONDITION = 8,    /* a live range of the scalar in `scalar` */
  TSR_EDGE_CONDITIONAL = 16, /* must be kept unless all live ranges of `scalar` stay within one iteration */
  TSR_EDGE_LOCAL = 32        /* of a condition, in the band at hand: must stay within one iteration */
};

/* All affine forms that are non-negative on a set: f . (k, d, c) = 0 and >= 0, rows of `width` entries. */
struct tsr_cone {
  int references, width, n_eq, n_ineq;
  long *eq, *ineq;
};

struct tsr_edge {
  struct tsr_node *src, *dst;
  isl_map *map; /* { S[s] -> T[t] } */
  unsigned kind;
  int scalar;            /* index of the array for TSR_EDGE_CONDITION and TSR_EDGE_CONDITIONAL, else -1 */
  struct tsr_cone *cone; /* of its pairs, or of their differences if src == dst; NULL until needed */
};

/* Nodes are borrowed. All nodes of a graph have the same number of rows. */
struct tsr_graph {
  isl_ctx *ctx;
  isl_space *params;
  int n_param;
  struct tsr_node **node;
  int n_node;
  struct tsr_edge **edge;
  int n_edge;
  bool is_view; /* are the edges borrowed, too? */
  int n_outer;  /* of clusters: how many rows the statements have outside of what is being scheduled */
};

__isl_give struct tsr_node *tsr_node_alloc(__isl_take isl_set *domain, int order);
__isl_null struct tsr_node *tsr_node_free(__isl_take struct tsr_node *node);
/* Append a row (1 + n_param + n entries); withdraw all from N_ROW on. */
isl_stat tsr_node_add_row(struct tsr_node *node, const long *row);
isl_stat tsr_node_truncate(struct tsr_node *node, int n_row);
static inline int tsr_node_width(const struct tsr_node *node)
{
  return 1 + node->n_param + node->n;
}
/* N rows of NODE from FIRST on as a function { S[i] -> [t] }. */
__isl_give isl_multi_aff *tsr_node_function(struct tsr_node *node, int first, int n);

__isl_give struct tsr_graph *tsr_graph_alloc(__isl_keep isl_space *params, int max_node);
__isl_null struct tsr_graph *tsr_graph_free(__isl_take struct tsr_graph *graph);
isl_stat tsr_graph_add_edge(struct tsr_graph *graph, struct tsr_node *src, struct tsr_node *dst, __isl_take isl_map *map,
                            unsigned kind, int scalar);
/* The same nodes, edges of its own. */
__isl_give struct tsr_graph *tsr_graph_copy(struct tsr_graph *graph);
/* The nodes of GRAPH with mark MARK and the edges among them: borrowed, or moved out of GRAPH, where they leave holes that
 * nobody may look at. */
__isl_give struct tsr_graph *tsr_graph_view(struct tsr_graph *graph, int mark);
__isl_give struct tsr_graph *tsr_graph_split_off(struct tsr_graph *graph, int mark);
/* Drop from GRAPH all pairs that rows FIRST to n_row of its nodes tell apart. */
isl_stat tsr_graph_drop_carried(struct tsr_graph *graph, int first);
/* Are there such pairs? True if in doubt. */
bool tsr_graph_carries(struct tsr_graph *graph, int first);
/* Mark each node with its strongly (weakly) connected component; their number. */
isl_size tsr_graph_strong_components(struct tsr_graph *graph);
isl_size tsr_graph_weak_components(struct tsr_graph *graph);
/* Number the N_GROUP groups of nodes with equal marks anew, so that no ordering edge runs to a smaller number; among the
 * groups that could come next, the one with the smallest `order` does. The groups must have no cycle. */
isl_stat tsr_graph_order_groups(struct tsr_graph *graph, int n_group);
/* Does EDGE order the statements at its ends? */
static inline bool tsr_edge_is_ordering(const struct tsr_edge *edge)
{
  return edge->kind & (TSR_EDGE_VALIDITY | TSR_EDGE_CONDITIONAL);
}
/* A live range that leaves the group of nodes with its mark is in other hands from now on: within the groups, accesses to
 * its scalar keep their order. (tsr_graph_drop_carried does the same for live ranges that a row carries.) */
void tsr_graph_fix_crossing_ranges(struct tsr_graph *graph);
/* The largest n_rest of the nodes. */
int tsr_graph_missing(struct tsr_graph *graph);

/* ---- farkas.c ----------------------------------------------------------------------------------------------- */

/* Make sure that EDGE has its cone. */
isl_stat tsr_edge_prepare(struct tsr_edge *edge);
__isl_null struct tsr_cone *tsr_cone_free(__isl_take struct tsr_cone *cone);
/* Can the distance phi_T(t) - phi_S(s) along EDGE be negative (positive) in row R of both ends? True if in doubt. */
bool tsr_edge_may_be_negative(struct tsr_edge *edge, int r);
bool tsr_edge_may_be_positive(struct tsr_edge *edge, int r);
/* Is there an edge between nodes that want to be close and whose distance is small in all rows from FIRST on? */
bool tsr_graph_has_short_edge(struct tsr_graph *graph, int first);
/* Is that distance known to lie in [-W, W]? */
bool tsr_edge_is_short(struct tsr_edge *edge, int r, long w);

/* ---- problem.c: the columns of a row's problem ---------------------------------------------------------------- */

/* Columns, in the order of importance:
 *
 *   objectives   one a linear form that is minimised, the first one first
 *   u            a pair (-, +) a parameter; w
 *   carry        one an edge, for Feautrier's step
 *   by node      a pair (-, +) an iterator, the last one first; then d, then k
 *
 * A value x is split as x+ - x-, so that all columns are non-negative and small absolute values come first. With the
 * iterators in opposite order, the lexicographic minimum prefers the outermost one: the original order breaks ties. */
struct tsr_problem {
  struct tsr_graph *graph;
  struct tsr_ilp *ilp;
  int n_objective, used; /* how many objectives there are, and have been defined */
  int n_lead;            /* the solution is sure to be the smallest in so many of them; 2 unless set */
  int bound;             /* first column of u */
  int carry;             /* first column of carry */
  int n_carry;
  int n_col;
  long *x; /* the solution, column by column */
};
__isl_give struct tsr_problem *tsr_problem_alloc(struct tsr_graph *graph, int n_objective, int n_carry);
__isl_null struct tsr_problem *tsr_problem_free(__isl_take struct tsr_problem *problem);
/* Columns. */
static inline int tsr_column_w(const struct tsr_problem *p)
{
  return p->bound + 2 * p->graph->n_param;
}
static inline int tsr_column_iterator(const struct tsr_node *node, int i) /* x-; x+ stands behind it */
{
  return node->column + 2 * (node->n - 1 - i);
}
static inline int tsr_column_param(const struct tsr_node *node, int i)
{
  return node->column + 2 * node->n + i;
}
static inline int tsr_column_constant(const struct tsr_node *node)
{
  return node->column + 2 * node->n + node->n_param;
}
/* The next objective is the form in ROW, which was taken from tsr_ilp_row and must be non-negative. */
isl_stat tsr_problem_minimise(struct tsr_problem *problem, long *row);
/* The sum of all d; that of all |c|; both, the usual last objectives. */
isl_stat tsr_problem_minimise_shift(struct tsr_problem *problem);
isl_stat tsr_problem_minimise_size(struct tsr_problem *problem);
isl_stat tsr_problem_minimise_coefficients(struct tsr_problem *problem);
/* Add to ROW: SIGN * WEIGHT . c, where c are the coefficients of STMT's iterators in the next row; STMT is HOLDER or a
 * member of it. */
void tsr_problem_add_coefficients(struct tsr_problem *problem, long *row, struct tsr_node *holder, struct tsr_node *stmt,
                                  const long *weight, int sign);
/* What is added to SIGN * (phi_T - phi_S) before it must be non-negative along EDGE. */
enum tsr_slack {
  TSR_SLACK_NONE,
  TSR_SLACK_BOUND, /* u . p + w */
  TSR_SLACK_CARRY  /* x - 1, with x the column COLUMN: 0 if the edge is carried */
};
/* phi_T - phi_S = 0 along EDGE. */
isl_stat tsr_problem_add_zero_edge(struct tsr_problem *problem, struct tsr_edge *edge);
isl_stat tsr_problem_add_edge(struct tsr_problem *problem, struct tsr_edge *edge, int sign, enum tsr_slack slack,
                              int column);
/* Solve, with progression for the nodes that NEEDS_ROW asks it for (NULL: for none), and append the solution as a row of
 * every node. isl_bool_false: no solution, nothing appended. */
isl_bool tsr_problem_solve(struct tsr_problem *problem, const bool *needs_row);

/* ---- the builders, a file each ------------------------------------------------------------------------------- */

/* For edges with one of KINDS, unless they have one of ZERO: those are tsr_build_coincidence's in the same problem. */
isl_stat tsr_build_validity(struct tsr_problem *problem, unsigned kinds, unsigned zero);
isl_stat tsr_build_coincidence(struct tsr_problem *problem, unsigned kinds);
#define TSR_PROXIMITY_OBJECTIVES 2
isl_stat tsr_build_proximity(struct tsr_problem *problem, unsigned zero);
/* The same for edges between different nodes only. */
isl_stat tsr_build_alignment(struct tsr_problem *problem, unsigned zero);
/* Which iterators may take part: none of the serial ones in a COINCIDENT row, none with a negative coefficient if
 * NON_NEGATIVE. */
isl_stat tsr_build_restrictions(struct tsr_problem *problem, bool coincident, bool non_negative);
/* NEEDS_ROW (size n_node) receives for which nodes the next row must be independent of the earlier ones, when MISSING
 * more rows are to come: nodes with fewer rows missing may wait. */
void tsr_needs_row(struct tsr_graph *graph, int missing, bool *needs_row);
/* { x : x spans nothing new } as a region of the problem that NODE's column belongs to; its data is the caller's to free. */
isl_stat tsr_build_progression(struct tsr_node *node, bool needed, struct tsr_region *region);

/* ---- reuse.c, locality.c: what accesses can reuse, and objectives from it ---------------------------------------- */

/* Find the reuse of all nodes of GRAPH, statements of SCOP. */
isl_stat tsr_reuse_find(struct tsr_graph *graph, struct tsr_scop *scop);
void tsr_reuse_free(struct tsr_reuse *reuse, int n);
/* Connect statements of GRAPH that read the same elements, each at most once, and have nothing else to do with each other.
 */
isl_stat tsr_reuse_add_read_edges(struct tsr_graph *graph, struct tsr_scop *scop);
/* The statements that NODE stands for. */
int tsr_node_n_member(const struct tsr_node *node);
struct tsr_node *tsr_node_member(struct tsr_node *node, int i);

/* The groups of GRAPH's accesses that still have something to reuse, in the order of their importance. */
struct tsr_locality;
__isl_give struct tsr_locality *tsr_locality_alloc(struct tsr_graph *graph);
__isl_null struct tsr_locality *tsr_locality_free(__isl_take struct tsr_locality *locality);
int tsr_locality_n_group(const struct tsr_locality *locality);
int tsr_locality_n_key(const struct tsr_locality *locality);
/* Carry few: two columns a group from COLUMN on, two objectives a key. */
isl_stat tsr_build_locality(struct tsr_problem *problem, const struct tsr_locality *locality, int column);
/* Carry many: a column a group from COLUMN on, one objective. */
isl_stat tsr_build_reuse(struct tsr_problem *problem, const struct tsr_locality *locality, int column);
/* Does a row from ROW on of some node move along a cache line? */
bool tsr_locality_carried(struct tsr_graph *graph, int row);
/* How many registers the statements of GRAPH ask for: zinenko-cc18's h. */
int tsr_register_pressure(struct tsr_graph *graph);

/* ---- row.c, band.c, feautrier.c, cluster.c: from rows to bands ------------------------------------------------------- */

/* Append to all nodes of GRAPH a row as the first rule of POLICY says that fits and has a solution. MISSING: as for
 * tsr_needs_row. *COINCIDENT: may it be? and then: is it? N_COINCIDENT: how many rows of the band are. NEEDED: a
 * row that may be coincident and isn't is as good as none. isl_bool_false: there
 * is no row, or the rule wants Feautrier's step and the row is the band's FIRST. */
isl_bool tsr_row_compute(struct tsr_graph *graph, const struct tsr_policy *policy, int missing, bool first, int n_coincident,
                         bool needed, bool *coincident);
/* The rule that decides on the fusion of bands that begin with row ROW. */
const struct tsr_rule *tsr_fusion_rule(const struct tsr_policy *policy, int row, int missing);

/* Rows that were appended to all nodes of a graph together: row FIRST to FIRST + N of each. */
struct tsr_band {
  int first, n;
  bool *coincident; /* by row; capacity TSR_MAX_DIM */
  /* What it must have to be worth computing: so many coincident rows, and an edge that stays short (cluster.c). It may end
   * early without. */
  int least_coincident;
  bool short_edge;
};

/* Append rows that keep all edges of GRAPH until no node misses one or there is no more: BAND->n of them, maybe 0.
 * Where a scalar's live ranges would be torn, they are kept within an iteration; where that is impossible, in order
 * (zinenko-cc18, section 3.1; S. Verdoolaege and A. Cohen, "Live-range reordering", IMPACT 2016). */
isl_stat tsr_band_compute(struct tsr_graph *graph, const struct tsr_policy *policy, struct tsr_band *band);
/* Append one row that keeps all edges and carries as many as possible. isl_bool_false: none can be carried. */
isl_bool tsr_feautrier_row(struct tsr_graph *graph);

/* Append a band to each strongly connected component of GRAPH, and fuse components as POLICY says. The nodes' marks tell
 * the *N_BAND groups apart, numbered in the order in which they can run; *BAND (malloc'd, the caller's) holds a band each.
 */
isl_stat tsr_cluster(struct tsr_graph *graph, const struct tsr_policy *policy, struct tsr_band **band, int *n_band);

/* ---- sched_tree.c ------------------------------------------------------------------------------------------------------
 */

/* What the scheduler is to work on. All maps are over DOMAIN; COND and COND_VALIDITY are tagged as in struct tsr_deps. */
struct tsr_sched_input {
  struct tsr_scop *scop; /* for the original order and the scalars' tags */
  isl_union_set *domain;
  isl_union_map *validity, *coincidence, *proximity, *cond, *cond_validity;
};
/* The graph of INPUT, owner of its nodes (input.c); NULL on failure. */
struct tsr_graph *tsr_input_open(const struct tsr_sched_input *input);
void tsr_input_close(struct tsr_graph *graph);
/* A sequence of the N groups of GRAPH that the nodes' marks tell apart, at the leaf NODE. */
__isl_give isl_schedule_node *tsr_tree_insert_sequence(__isl_take isl_schedule_node *node, struct tsr_graph *graph, int n);
/* N rows from FIRST on of the nodes of GRAPH as a permutable band at the leaf NODE; the result stands at the leaf below. */
__isl_give isl_schedule_node *tsr_tree_insert_band(__isl_take isl_schedule_node *node, struct tsr_graph *graph, int first,
                                                   int n, const bool *coincident);
/* The graph of INPUT with what POLICY wants to know besides. */
struct tsr_graph *tsr_input_open_for(const struct tsr_sched_input *input, const struct tsr_policy *policy);
/* ---- diamond.c --------------------------------------------------------------------------------------------------- */

/* Append to the nodes of GRAPH the row that makes, with rows 1 to N - 1 of BAND, hyperplanes of tiles that can start at once
 * along row 0. isl_bool_false: there is none, nothing is appended. */
isl_bool tsr_diamond_find(struct tsr_graph *graph, const struct tsr_band *band, int n);
/* Those of two rows, and the others of BAND, below a mark at the leaf NODE, if there are any; the result stands at the leaf
 * below. */
__isl_give isl_schedule_node *tsr_diamond_insert(__isl_take isl_schedule_node *node, struct tsr_graph *graph,
                                                 const struct tsr_band *band);
/* A schedule tree over INPUT's domain. */
__isl_give isl_schedule *tsr_sched_compute(const struct tsr_sched_input *input, const struct tsr_policy *policy);

#endif
