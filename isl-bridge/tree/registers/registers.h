/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Register tiles: what the files of this folder share. */
#ifndef TSR_REGISTERS_H
#define TSR_REGISTERS_H

#include "tree/tree.h"

#define MAX_MEMBERS 12
#define MAX_FORMS 16
#define MAX_MASKED_PARTS 3
#define MAX_RAGGED_PARTS 2
#define MAX_PARTS ((2 + MAX_MASKED_PARTS + MAX_RAGGED_PARTS) * MAX_FORMS + 1)
/* Vectors shorter than this belong to targets without masked loads: there, masks would become a branch a lane. */
#define TSR_LEAST_MASKED 32
/* Shorter ones to targets on which a masked store costs more than its elements one by one. */
#define TSR_LEAST_FREE_MASK 64

/* ---- operand_roles.c: which members, which sizes ---- */

/* The parts of a band's members. */
struct tsr_roles {
  int row, vector;    /* row < 0: there is none (register_strips.c) */
  bool skewed;        /* the vector member is its sum with the row: for subscripts such as i + j */
  int tilt;           /* of strips: their columns are the inner loop and so many times the outer one, -1, 0 or 1 */
  bool backwards;     /* the written element goes back in memory: lanes run against the vector member */
  unsigned reduction; /* bits */
};

/* One statement of the band. */
struct tsr_form {
  struct tsr_stmt *stmt;
  int write;           /* its only one */
  isl_multi_aff *time; /* { S[i] -> [t] } for the members around the band and its own */
  isl_set *domain;
  enum tsr_stride *stride[MAX_MEMBERS]; /* by member and access */
  /* By how many elements the written one goes on, 1 to TSR_MOST_PITCH or that less than 0; else 0. */
  int next[MAX_MEMBERS];
  bool *written;                     /* by access: does a statement of the band write the array? */
  long extent[MAX_MEMBERS];          /* most iterations of a member; LONG_MAX: no bound is known */
  struct tsr_step step[MAX_MEMBERS]; /* only `fixed` and `delta` are valid */
  bool usable;                       /* can it have register tiles in the band's roles? */
};

struct tsr_register_band {
  struct tsr_scop *scop;
  struct tsr_deps *deps;
  isl_schedule_node *node;
  int depth, n;  /* schedule dimensions around it; its members */
  bool straight; /* are its members those of tsr_band_straighten? */
  struct tsr_form form[MAX_FORMS];
  int n_form;
  bool has_forms; /* were they all found? */
  struct tsr_roles roles;
  struct tsr_register_tile tile;
  double cost;                    /* of the tile, in cycles for an instance */
  int row_block, reduction_block; /* mc; kc, 0: no blocks */
  struct tsr_register_sizes wish; /* what is asked of them */
};

void tsr_register_band_clear(struct tsr_register_band *band);
/* Fill in BAND's forms from its node; choose the roles of its members, the tile and the blocks. False: no tile is possible.
 */
bool tsr_register_band_choose(struct tsr_register_band *band);
/* Choose what tiles BAND, of the band NODE, gets. Returns NODE with members that begin where these do (register_rows.c),
 * which is BAND's node then. *CHOSEN: are there any? */
__isl_give isl_schedule_node *tsr_register_band_place(__isl_take isl_schedule_node *node, struct tsr_register_band *band,
                                                      bool *chosen);
/* Fill in BAND's forms alone. False: there are none. */
bool tsr_register_band_find_forms(struct tsr_register_band *band);
/* May FORM run with ROLES? Along the row some operand that is a vector must stay: that is what registers save. Guards stay
 * along the vector: they are asked once for all lanes. */
bool tsr_form_takes(const struct tsr_register_band *band, const struct tsr_form *form, const struct tsr_roles *roles);
/* How does access I of FORM move along the row? Where the vector is their sum, a step of the row is one back of the vector
 * member. */
enum tsr_stride tsr_form_row_stride(const struct tsr_form *form, const struct tsr_roles *roles, int i);
/* By how much does the vector member of ROLES change from one lane to the next: 1 or -1? */
static inline int tsr_roles_way(const struct tsr_roles *roles)
{
  return roles->backwards ? -1 : 1;
}
/* Is access I of FORM the element that it folds into? */
bool tsr_form_is_folded(const struct tsr_form *form, int i);

/* ---- straight_sums.c: sums over several loops ---- */

/* The band NODE with the iterators of its only statement for members, where those of sums are more than one: coincident ones
 * in front, sums in the order of the original, which need not be permutable. *STRAIGHT: it is so now. */
__isl_give isl_schedule_node *tsr_band_straighten(__isl_take isl_schedule_node *node, __isl_keep struct tsr_scop *scop,
                                                  struct tsr_deps *deps, bool *straight);
/* Are all members of such a band NODE, that of BAND with its roles, coincident that are no reductions? */
bool tsr_band_keeps_sums(__isl_keep isl_schedule_node *node, const struct tsr_register_band *band);

/* ---- skewed_sums.c: sums along two members at once ---- */

/* Has BAND, whose forms are known, members that could be skewed so that sums stay at an element or, FREE, so that operands
 * of sums do? */
bool tsr_band_may_skew(const struct tsr_register_band *band, bool free);
/* The band NODE, that of BAND, whose forms are known, with one member less or more another one in its place, as said above:
 * with the tiles that cost least, and less than COST, unless that is below 0. *SKEWED: it is so now; else nothing has
 * changed. */
__isl_give isl_schedule_node *tsr_band_skew(__isl_take isl_schedule_node *node, struct tsr_register_band *band, bool free,
                                            double cost, bool *skewed);

/* ---- register_rows.c: where members begin ---- */

/* The band NODE, that of BAND, with a row and a vector that begin at 0, where it is known that they begin at another
 * constant. *MOVED: something has changed; BAND's forms are those of before. */
__isl_give isl_schedule_node *tsr_band_begin_at_zero(__isl_take isl_schedule_node *node, struct tsr_register_band *band,
                                                     bool *moved);
/* The same, with sums that end before the rows of a tile, or begin behind them, where they end or begin a constant beside
 * that. */
__isl_give isl_schedule_node *tsr_band_leave_diagonal(__isl_take isl_schedule_node *node, struct tsr_register_band *band,
                                                      bool *moved);
/* The same, with other statements' instances in the rows and vectors of the elements that they touch, as far as dependences
 * allow it. */
__isl_give isl_schedule_node *tsr_band_align(__isl_take isl_schedule_node *node, struct tsr_register_band *band,
                                             bool *moved);

/* Does the tree at NODE, a band, order those pairs OPEN that run at one point of it, but did not at one of the band BEFORE?
 */
bool tsr_band_orders(__isl_keep isl_schedule_node *node, __isl_keep isl_schedule_node *before,
                     __isl_keep isl_union_map *open);

/* ---- register_parts.c: which instances ---- */

/* What runs under one mark, or the rest. */
struct tsr_part {
  const struct tsr_form *form; /* NULL: the rest */
  isl_union_set *domain;
  bool masked; /* do some rows or lanes lack their point? */
};

struct tsr_parts {
  struct tsr_part part[MAX_PARTS];
  int n;
};

void tsr_parts_clear(struct tsr_parts *parts);
/* To which of the N at PART does one of PAIRS { S -> T } lead from PART[FROM]? Not to itself. */
void tsr_parts_lead(__isl_keep isl_union_map *pairs, const struct tsr_part *part, int n, int from, bool leads[]);
/* Which forms are usable, NODE being the old band? */
void tsr_register_forms_choose(struct tsr_register_band *band, __isl_keep isl_schedule_node *node);
/* All parts, with masked ones if MASKED, and the rest if there is one. NODE stands at Q. */
void tsr_parts_find(struct tsr_register_band *band, struct tsr_parts *parts, __isl_keep isl_schedule_node *node,
                    bool masked);

/* ---- packed_operands.c: which operands are packed ---- */

/* Is access I of FORM, in tiles with ROLES, worth a buffer? Then *BY_ROW says which. */
bool tsr_form_packs(const struct tsr_register_band *band, const struct tsr_form *form, const struct tsr_roles *roles, int i,
                    bool *by_row);
/* Does an earlier access of FORM than I read the same element? */
bool tsr_form_repeats(const struct tsr_form *form, int i);

/* Put marks of packing into the tree of BAND: NODE stands at the band of blocks T1; the result, too. */
__isl_give isl_schedule_node *tsr_register_packs_insert(struct tsr_register_band *band, const struct tsr_parts *parts,
                                                        __isl_take isl_schedule_node *node);

/* ---- edge_lanes.c: may instances of a statement run at once? ---- */

/* Is what EDGE promises so? NULL: yes; else static text: what is wrong. */
const char *tsr_edge_conflict(__isl_keep struct tsr_scop *scop, const struct tsr_edge_stmt *edge);

/* ---- register_edges.c: what is left beside tiles ---- */

/* May FORM, of BAND with its roles, run in short vectors there? Then *EDGE says how, as far as its accesses go. */
bool tsr_form_is_edge(const struct tsr_register_band *band, const struct tsr_form *form, struct tsr_edge_stmt *edge);

/* Put a mark above NODE, the band Q of the rest of BAND's tiles, if some statement of it may run in short vectors. */
__isl_give isl_schedule_node *tsr_register_edges_insert(struct tsr_register_band *band, __isl_take isl_schedule_node *node);

/* ---- register_strips.c ---- */

/* May FORM of SCOP, of a band with members vector and reduction, run in strips with ROLES? */
bool tsr_form_takes_strip(const struct tsr_scop *scop, const struct tsr_form *form, const struct tsr_roles *roles);
/* { S[i] -> column } and { S[i] -> lane } of FORM in strips of BAND. */
__isl_give isl_aff *tsr_strip_column(const struct tsr_register_band *band, const struct tsr_form *form);
__isl_give isl_aff *tsr_strip_lane(const struct tsr_register_band *band, const struct tsr_form *form);

#endif
