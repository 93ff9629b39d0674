/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Strategies as data: what the scheduler of a row is to do, a rule a row (the idea is PolyTOPS's: G. Consolaro et al.,
 * "PolyTOPS: Reconfigurable and flexible polyhedral scheduler", CGO 2024). The built-in ones are texts of the same form as
 * a user's (strategies.def).
 *
 *     strategy: mine                  # optional, for messages
 *     scop: gemm.3                    # optional: for this SCoP alone; another one gets the strategy pluto
 *     register-limit: 32              # optional: see tsr_policy.register_limit
 *     read-reuse: true                # optional: do statements that read the same elements want to be fused?
 *     rows:                           # for each row the rules that fit are tried in this order
 *       - row: 0                      # 0: the outermost, -1: the last one that a statement misses, ...; left out: any row
 *         minimise: [proximity, shift, size, "2 S0.i + S1.j"]      # objectives, the most important first
 *         coincidence: prefer         # require, prefer, one, ignore
 *         reuse: require              # the row must move along a cache line of some access
 *         negative: false             # no negative coefficients of iterators
 *         constraints: ["S0.i == 0"]  # as in influence trees (influence.h), of this row
 *         fusion: smart               # min, smart, max; as of the band that begins with this row
 *         groups: [[S0, S1], [S2]]    # optional: fuse only within these
 *
 * Behind the last rule there is one more, that of strategy pluto without any constraint: a strategy steers, it can't make
 * a SCoP impossible to schedule. */
#ifndef TESSERA_SCHED_STRATEGY_H
#define TESSERA_SCHED_STRATEGY_H

#include "sched/sched.h"

enum tsr_fusion { TSR_FUSION_MIN, TSR_FUSION_SMART, TSR_FUSION_MAX };

enum tsr_objective_kind {
  TSR_MINIMISE_PROXIMITY, /* the bound on reuse distances, of all dependences: sum |u|, then w (zinenko-cc18, equation 1) */
  TSR_MINIMISE_ALIGNMENT, /* the same, of those between different statements */
  TSR_MINIMISE_LOCALITY,  /* the distance of temporal and spatial reuse, by group (equation 3): carry few */
  TSR_MINIMISE_REUSE,     /* the number of groups whose spatial reuse isn't carried (equation 4): carry many */
  TSR_MINIMISE_CARRY,     /* the number of dependences that aren't carried (equation 2): a band of its own, by Feautrier's
                             step; the objectives behind it are for rows where there is nothing to carry */
  TSR_MINIMISE_SHIFT,     /* the sum of all d */
  TSR_MINIMISE_SIZE,      /* the sum of all |c| */
  TSR_MINIMISE_FORM       /* the absolute value of a form of the user's */
};

enum tsr_coincidence_wish {
  TSR_COINCIDENCE_REQUIRE, /* the row is coincident, or this rule doesn't apply */
  TSR_COINCIDENCE_PREFER,  /* a coincident row if there is one */
  TSR_COINCIDENCE_ONE,     /* the same until the band has one */
  TSR_COINCIDENCE_IGNORE
};

struct tsr_influence; /* influence.h */
struct tsr_trace;

#define TSR_MAX_OBJECTIVES 16
#define TSR_ANY_ROW 1000

struct tsr_rule {
  int row;  /* or TSR_ANY_ROW */
  int line; /* of its file */
  enum tsr_objective_kind objective[TSR_MAX_OBJECTIVES];
  int form[TSR_MAX_OBJECTIVES]; /* for TSR_MINIMISE_FORM: an index into wish->objective */
  int n_objective;
  enum tsr_coincidence_wish coincidence;
  bool reuse;        /* must spatial reuse be carried? */
  bool non_negative; /* allow no negative coefficient of an iterator */
  enum tsr_fusion fusion;
  struct tsr_influence *wish; /* constraints and objectives of the user's, all of this row; NULL: none. Owned */
  int *group;                 /* by statement of the SCoP: which group it is in, -1: none; NULL: no groups. Owned */
};

struct tsr_policy {
  struct tsr_rule *rule; /* the last one fits any row */
  int n_rule;
  bool non_negative; /* in all rows */
  bool no_carry;     /* take no notice of `carry` and of the register limit: Feautrier's step has failed */
  bool locality;     /* does any rule ask for reuse? */
  bool read_reuse;
  struct tsr_trace *trace; /* where to say which rule made which row; NULL: nowhere */
  bool concurrent;         /* look for tiles that can start at once (diamond.c) */
  /* A strongly connected component without an outer coincident row gets one by Feautrier's step, so that statements
   * fall apart, if it has so many accesses, each weighted with the iterators of its statement, that registers run short
   * (zinenko-cc18, section 4.6); 0: never. */
  int register_limit;
};

/* The built-in strategy NAME for SCOP; NULL without memory. */
__isl_give struct tsr_policy *tsr_policy_builtin(struct tsr_scop *scop, const char *name);
/* Read a strategy for SCOP from IN. *APPLIES: is it for SCOP? If not, NULL is returned without an error. Errors as for
 * tsr_scop_read: *error is a malloc'd sentence with file, line and column. */
__isl_give struct tsr_policy *tsr_policy_read(struct tsr_scop *scop, FILE *in, const char *filename, bool *applies,
                                              char **error);
/* Is what is in IN well formed, whatever its names stand for? Errors as above. */
bool tsr_policy_check(isl_ctx *ctx, FILE *in, const char *filename, char **error);
__isl_null struct tsr_policy *tsr_policy_free(__isl_take struct tsr_policy *policy);
/* The first rule from AT on for the row with number ROW, when MISSING rows are missing, it included; never NULL if AT is
 * less than n_rule. *AT is its index. */
const struct tsr_rule *tsr_policy_rule(const struct tsr_policy *policy, int row, int missing, int *at);

#endif
