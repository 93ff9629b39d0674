/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The scheduler interface:
 *
 *   isl       validity    = flow, anti, output; anti and output on private SCALARs as conditional validity
 *             proximity   = flow, anti
 *             coincidence = flow, anti, output   (private SCALARs get a copy an iteration, if it comes to that)
 *             -> isl's scheduler (Pluto-like, Feautrier's step as its fallback)
 *   original  the given tree; chains of one-member bands that may be interchanged become one band, and
 *             flags are computed from the dependences that are still open at each band:
 *
 *             B(i) - B(j) - X   ->   B(i, j) permutable - X
 *   others    our own scheduler (sched/), with the same input as isl's, by the rules of a strategy
 *
 * Relaxed reductions are no part of flow, anti and output any more: they don't order instances. Two that update one element
 * must not run at once, though, so coincidence keeps them. */
#include "support/message.h"
#include "sched/influence/influence.h"
#include <isl/options.h>
#include <isl/schedule_type.h>
#include <stdlib.h>
#include <string.h>

/* isl's scheduling options. Set before every use: the ctx may be shared. */
static void scheduler_options_set(isl_ctx *ctx, const struct tsr_options *opt)
{
  isl_options_set_schedule_outer_coincidence(ctx, opt->parallel);
  isl_options_set_schedule_maximize_band_depth(ctx, 1);
  isl_options_set_schedule_whole_component(ctx, 0);
  isl_options_set_schedule_serialize_sccs(ctx, 1);
  isl_options_set_schedule_max_coefficient(ctx, 20);
  isl_options_set_schedule_max_constant_term(ctx, 20);
  isl_options_set_schedule_treat_coalescing(ctx, 1);
}

/* Bounds on parameters alone tell the scheduler nothing, large constants make its integers large. (The rest of the domains'
 * constraints must stay: isl does not add them again, and they may carry what orders the two ends.) */
static isl_union_map *simplify(struct tsr_constants *constants, isl_union_map *dep, isl_set *known)
{
  dep = isl_union_map_gist_params(isl_union_map_copy(dep), isl_set_copy(known));
  return tsr_constants_abstract_map(constants, isl_union_map_coalesce(dep));
}

static isl_schedule *run_isl(const struct tsr_sched_input *input, struct tsr_constants *constants, isl_set *known,
                             const struct tsr_options *opt)
{
  isl_schedule_constraints *sc = isl_schedule_constraints_on_domain(isl_union_set_copy(input->domain));
  if (isl_union_map_is_empty(input->cond_validity) == isl_bool_false)
    sc = isl_schedule_constraints_set_conditional_validity(sc, isl_union_map_copy(input->cond),
                                                           isl_union_map_copy(input->cond_validity));
  sc = isl_schedule_constraints_set_context(sc, tsr_constants_context(constants, isl_set_copy(known)));
  sc = isl_schedule_constraints_set_coincidence(sc, isl_union_map_copy(input->coincidence));
  sc = isl_schedule_constraints_set_validity(sc, isl_union_map_copy(input->validity));
  sc = isl_schedule_constraints_set_proximity(sc, isl_union_map_copy(input->proximity));
  scheduler_options_set(isl_set_get_ctx(known), opt);
  return isl_schedule_constraints_compute_schedule(sc);
}

/* "@cpu", "@gpu", "@folds": trees that are built, not read. */
static bool is_built(const struct tsr_options *opt)
{
  return opt->influence && *opt->influence == '@';
}

/* The tree of opt->influence, for vector loads and stores of INPUT's machine or for folds. On a CPU only the innermost loop
 * counts. */
static struct tsr_influence *build_influence(const struct tsr_sched_input *input, const struct tsr_options *opt)
{
  const struct tsr_gpu *gpu = &input->scop->machine.gpu;
  struct tsr_vector_target target = {.n_inner = 3, .max_scenarios = 8, .threads = gpu->block_threads};
  memcpy(target.weight, gpu->weight, sizeof(target.weight));
  if (!strcmp(opt->influence, "@cpu")) {
    target.n_inner = 1;
    target.threads = 1;
    target.coincident = true;
  }
  return strcmp(opt->influence, "@folds") ? tsr_influence_vector(input, &target) : tsr_influence_folds(input);
}

/* What a schedule is steered by. */
struct steering {
  struct tsr_policy *policy; /* for our own scheduler; NULL: isl's */
  struct tsr_influence *tree;
  struct tsr_trace *trace;
};

/* CONDITIONAL: with live-range reordering. */
static isl_schedule *compute(struct tsr_scop *scop, struct tsr_deps *deps, const struct tsr_options *opt,
                             const struct steering *steering, bool conditional)
{
  struct tsr_constants constants;
  isl_set *known = tsr_scop_common(scop);
  isl_union_set *domain = isl_union_set_gist_params(tsr_scop_domain(scop), isl_set_copy(known));
  tsr_constants_find(&constants, domain);
  isl_union_map *flow = simplify(&constants, deps->flow, known);
  isl_union_map *anti = simplify(&constants, deps->anti, known);
  isl_union_map *none = isl_union_map_empty(isl_union_map_get_space(flow));
  struct tsr_sched_input input = {.scop = scop, .domain = tsr_constants_abstract_set(&constants, domain)};
  input.proximity = isl_union_map_coalesce(isl_union_map_union(flow, anti));
  input.validity = isl_union_map_union(isl_union_map_copy(input.proximity), simplify(&constants, deps->output, known));
  if (!conditional)
    input.validity = isl_union_map_union(input.validity, simplify(&constants, deps->scalar, known));
  input.validity = isl_union_map_coalesce(input.validity);
  input.coincidence = isl_union_map_copy(input.validity);
  if (deps->relaxed)
    input.coincidence = isl_union_map_union(input.coincidence, simplify(&constants, deps->reduction, known));
  input.cond = conditional ? simplify(&constants, deps->cond, known) : isl_union_map_copy(none);
  input.cond_validity = conditional ? simplify(&constants, deps->cond_validity, known) : isl_union_map_copy(none);

  struct tsr_influence *built = is_built(opt) && steering->trace ? build_influence(&input, opt) : NULL;
  struct tsr_influence *tree = built ? built : steering->tree;
  isl_schedule *schedule = tree               ? tsr_sched_compute_influenced(&input, steering->policy, tree, steering->trace)
                           : steering->policy ? tsr_sched_compute(&input, steering->policy)
                                              : run_isl(&input, &constants, known, opt);
  tsr_influence_free(built);
  isl_union_set_free(input.domain);
  isl_union_map_free(input.proximity);
  isl_union_map_free(input.validity);
  isl_union_map_free(input.coincidence);
  isl_union_map_free(input.cond);
  isl_union_map_free(input.cond_validity);
  isl_union_map_free(none);
  isl_set_free(known);
  return tsr_constants_concretise(&constants, schedule, tsr_scop_domain(scop));
}

/* How many bands, from NODE down, form a chain in which every member is monotone for all of OPEN? */
static int chain_length(isl_schedule_node *node, isl_union_map *open)
{
  int length = 0;
  node = isl_schedule_node_copy(node);
  while (isl_schedule_node_get_type(node) == isl_schedule_node_band && isl_schedule_node_band_n_member(node) == 1) {
    isl_multi_union_pw_aff *member = isl_schedule_node_band_get_partial_schedule(node);
    isl_bool monotone = tsr_member_is_monotone(open, member);
    isl_multi_union_pw_aff_free(member);
    if (monotone != isl_bool_true)
      break;
    length++;
    node = isl_schedule_node_first_child(node);
  }
  isl_schedule_node_free(node);
  return length;
}

/* Replace the chain of LENGTH one-member bands at NODE by one band. */
static isl_schedule_node *chain_merge(isl_schedule_node *node, int length)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  node = isl_schedule_node_delete(node);
  for (int i = 1; i < length; i++) {
    partial = isl_multi_union_pw_aff_flat_range_product(partial, isl_schedule_node_band_get_partial_schedule(node));
    node = isl_schedule_node_delete(node);
  }
  return isl_schedule_node_insert_partial_schedule(node, partial);
}

/* What the original order's flags are computed from. */
struct original {
  isl_union_map *validity;    /* all dependences: a permutable band keeps them */
  isl_union_map *memory;      /* without the order of SCALAR live ranges, */
  isl_union_map *live;        /* and the live ranges: from who writes to who reads */
  isl_union_map *coincidence; /* of these, what a parallel loop keeps, as for isl's scheduler */
  bool merge;                 /* do chains of bands become one? */
};

/* Flag the members of the band at NODE. */
static isl_schedule_node *flag_band(isl_schedule_node *node, isl_union_map *validity, isl_union_map *coincidence)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_size n = isl_schedule_node_band_n_member(node);
  bool permutable = true;
  for (int i = 0; i < n; i++) {
    isl_multi_union_pw_aff *member = tsr_member_schedule(partial, i);
    permutable = permutable && tsr_member_is_monotone(validity, member) == isl_bool_true;
    node = isl_schedule_node_band_member_set_coincident(node, i,
                                                        tsr_member_is_coincident(coincidence, member) == isl_bool_true);
    isl_multi_union_pw_aff_free(member);
  }
  isl_multi_union_pw_aff_free(partial);
  return isl_schedule_node_band_set_permutable(node, permutable);
}

/* Are SCALAR live ranges within an iteration of all LENGTH bands at NODE, one in the other? */
static bool has_short_lives(isl_schedule_node *node, int length, isl_union_map *live)
{
  bool are_short = true;
  node = isl_schedule_node_copy(node);
  for (int i = 0; i < length && are_short; i++) {
    isl_multi_union_pw_aff *member = isl_schedule_node_band_get_partial_schedule(node);
    are_short = tsr_member_is_coincident(live, member) == isl_bool_true;
    isl_multi_union_pw_aff_free(member);
    node = isl_schedule_node_first_child(node);
  }
  isl_schedule_node_free(node);
  return are_short;
}

/* What a permutable band at NODE keeps: all dependences, without the order of SCALAR live ranges if none of them goes from
 * one iteration of it to another. */
static isl_union_map *find_validity(isl_schedule_node *node, struct original *original)
{
  isl_union_map *validity = tsr_node_open_dependences(node, original->validity);
  if (!original->live || isl_union_map_is_empty(original->live) == isl_bool_true || !original->merge)
    return validity;
  isl_union_map *memory = tsr_node_open_dependences(node, original->memory);
  isl_union_map *live = tsr_node_open_dependences(node, original->live);
  int length = chain_length(node, memory);
  bool better = length > chain_length(node, validity) && has_short_lives(node, length, live);
  isl_union_map_free(live);
  isl_union_map_free(better ? validity : memory);
  return better ? memory : validity;
}

/* Merge and flag the band at NODE; other nodes are left alone. */
static isl_schedule_node *annotate_band(isl_schedule_node *node, struct original *original)
{
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
    return node;
  isl_union_map *validity = find_validity(node, original);
  isl_union_map *coincidence = tsr_node_open_dependences(node, original->coincidence);
  int length = original->merge ? chain_length(node, validity) : 1;
  if (length > 1)
    node = chain_merge(node, length);
  node = flag_band(node, validity, coincidence);
  isl_union_map_free(validity);
  isl_union_map_free(coincidence);
  return node;
}

/* Top down, so that a chain is seen from its outermost band. */
static isl_schedule_node *annotate(isl_schedule_node *node, struct original *original)
{
  node = annotate_band(node, original);
  isl_size n = isl_schedule_node_n_children(node);
  for (int i = 0; i < n; i++)
    node = isl_schedule_node_parent(annotate(isl_schedule_node_child(node, i), original));
  return node;
}

/* TREE, merged if MERGE, with flags by DEPS where parameters are in KNOWN. */
static isl_schedule *compute_flags(isl_schedule *tree, struct tsr_deps *deps, isl_set *known, bool merge)
{
  struct original original = {.merge = merge};
  isl_union_map *all = isl_union_map_union(isl_union_map_copy(deps->flow), isl_union_map_copy(deps->anti));
  all = isl_union_map_union(all, isl_union_map_copy(deps->output));
  original.coincidence = isl_union_map_intersect_params(all, isl_set_copy(known));
  all = isl_union_map_intersect_params(isl_union_map_copy(deps->scalar), isl_set_copy(known));
  original.validity = isl_union_map_union(isl_union_map_copy(original.coincidence), all);
  original.memory = isl_union_map_copy(original.coincidence);
  original.live = isl_union_map_range_factor_domain(isl_union_map_domain_factor_domain(isl_union_map_copy(deps->cond)));
  original.live = isl_union_map_intersect_params(original.live, isl_set_copy(known));
  if (deps->relaxed) {
    all = isl_union_map_intersect_params(isl_union_map_copy(deps->reduction), isl_set_copy(known));
    original.coincidence = isl_union_map_union(original.coincidence, all);
  }
  isl_schedule_node *root = annotate(isl_schedule_get_root(tree), &original);
  isl_schedule *flagged = isl_schedule_node_get_schedule(root);
  isl_schedule_node_free(root);
  isl_union_map_free(original.coincidence);
  isl_union_map_free(original.validity);
  isl_union_map_free(original.memory);
  isl_union_map_free(original.live);
  return flagged;
}

isl_schedule *tsr_schedule_flag(isl_schedule *tree, struct tsr_scop *scop, struct tsr_deps *deps, bool merge)
{
  isl_set *known = tsr_scop_common(scop);
  if (!tree || deps->flagged.of != tree || deps->flagged.known != known || deps->flagged.merge != merge) {
    isl_schedule_free(deps->flagged.tree);
    isl_schedule_free(deps->flagged.of);
    isl_set_free(deps->flagged.known);
    deps->flagged.tree = compute_flags(tree, deps, known, merge);
    deps->flagged.of = isl_schedule_copy(tree);
    deps->flagged.known = isl_set_copy(known);
    deps->flagged.merge = merge;
  }
  isl_set_free(known);
  isl_schedule_free(tree);
  tree = isl_schedule_copy(deps->flagged.tree);
  if (isl_ctx_last_error(scop->ctx) != isl_error_none) /* it may lack flags: not to be kept */
    deps->flagged.of = isl_schedule_free(deps->flagged.of);
  return tree;
}

/* File NAME, of the KIND; NULL: *WHY. */
static FILE *open_file(const char *kind, const char *name, char **why)
{
  FILE *in = fopen(name, "r");
  if (!in)
    tsr_message_set(why, "%s file '%s' can't be opened; give one that can be read", kind, name);
  return in;
}

/* If OPT asks for a tree that is built, is it one that we know? */
static bool can_build(const struct tsr_options *opt, char **why)
{
  if (!is_built(opt) || !strcmp(opt->influence, "@cpu") || !strcmp(opt->influence, "@gpu") ||
      !strcmp(opt->influence, "@folds"))
    return true;
  tsr_message_set(why, "there is no influence tree '%s' to build; expected @cpu, @gpu, @folds or a file", opt->influence);
  return false;
}

/* Is file NAME, of the KIND, well formed? */
static bool check_file(const char *kind, const char *name,
                       bool (*check)(isl_ctx *ctx, FILE *in, const char *filename, char **error), char **error)
{
  FILE *in = open_file(kind, name, error);
  if (!in)
    return false;
  isl_ctx *ctx = isl_ctx_alloc();
  bool good = ctx && check(ctx, in, name, error);
  isl_ctx_free(ctx);
  fclose(in);
  return good;
}

bool tsr_steering_check(const struct tsr_options *opt, char **error)
{
  if (!can_build(opt, error))
    return false;
  bool influence = opt->influence && !is_built(opt), strategy = opt->strategy == TSR_STRATEGY_FILE;
  return (!influence || check_file("influence", opt->influence, tsr_influence_check, error)) &&
         (!strategy || check_file("strategy", opt->strategy_file, tsr_policy_check, error));
}

/* The tree in opt->influence in *TREE, NULL if it is for another SCoP. On failure: *WHY. */
static isl_stat read_influence(struct tsr_scop *scop, const struct tsr_options *opt, struct tsr_influence **tree, char **why)
{
  bool applies = true;
  *tree = NULL;
  if (!can_build(opt, why))
    isl_die(scop->ctx, isl_error_invalid, "no influence tree", return isl_stat_error);
  if (!opt->influence || is_built(opt) || opt->strategy == TSR_STRATEGY_ORIGINAL)
    return isl_stat_ok;
  FILE *in = open_file("influence", opt->influence, why);
  if (!in)
    isl_die(scop->ctx, isl_error_invalid, "no influence file", return isl_stat_error);
  *tree = tsr_influence_read(scop, in, opt->influence, &applies, why);
  fclose(in);
  return *tree || !applies ? isl_stat_ok : isl_stat_error;
}

/* The rules for our own scheduler in *POLICY; NULL: it isn't asked for. INFLUENCED: by a tree. TRACE: for what a file's
 * rules do. On failure: *WHY. */
static isl_stat read_policy(struct tsr_scop *scop, const struct tsr_options *opt, bool influenced, struct tsr_trace *trace,
                            struct tsr_policy **policy, char **why)
{
  static const char *const name[] = {[TSR_STRATEGY_DEFAULT] = "spatial",
                                     [TSR_STRATEGY_PLUTO] = "pluto",
                                     [TSR_STRATEGY_SPATIAL] = "spatial",
                                     [TSR_STRATEGY_SPATIAL_GPU] = "spatial-gpu",
                                     [TSR_STRATEGY_FEAUTRIER] = "feautrier",
                                     [TSR_STRATEGY_MAXFUSE] = "maxfuse",
                                     [TSR_STRATEGY_FILE] = NULL};
  bool applies = true;
  *policy = NULL;
  if (opt->strategy == TSR_STRATEGY_FILE) {
    FILE *in = open_file("strategy", opt->strategy_file, why);
    *policy = in ? tsr_policy_read(scop, in, opt->strategy_file, &applies, why) : NULL;
    if (*policy)
      (*policy)->trace = trace;
    if (in)
      fclose(in);
    if (!*policy && applies)
      isl_die(scop->ctx, isl_error_invalid, "no strategy file", return isl_stat_error);
  } else if (name[opt->strategy]) {
    *policy = tsr_policy_builtin(scop, name[opt->strategy]);
  }
  bool ours = influenced || opt->strategy != TSR_STRATEGY_ISL;
  *policy = *policy || !ours ? *policy : tsr_policy_builtin(scop, "pluto");
  if (*policy)
    (*policy)->concurrent = opt->parallel;
  return *policy || !ours ? isl_stat_ok : isl_stat_error;
}

/* The strategy that OPT asks for, then what is less ambitious. */
static isl_schedule *compute_or_fall_back(struct tsr_scop *scop, struct tsr_deps *deps, const struct tsr_options *opt,
                                          const struct steering *steering, const char **fallback)
{
  isl_bool plain = isl_union_map_is_empty(deps->cond_validity);
  if (plain < 0)
    return NULL;
  isl_schedule *schedule = compute(scop, deps, opt, steering, !plain);
  if (!schedule && !plain && isl_ctx_last_error(scop->ctx) != isl_error_quota) {
    isl_ctx_reset_error(scop->ctx);
    *fallback = "no-reordering";
    schedule = compute(scop, deps, opt, &(struct steering){.policy = steering->policy}, false);
  }
  if (!schedule && isl_ctx_last_error(scop->ctx) != isl_error_quota) {
    isl_ctx_reset_error(scop->ctx);
    *fallback = "original";
    schedule = tsr_schedule_flag(isl_schedule_copy(scop->schedule), scop, deps, true);
  }
  return schedule;
}

/* requires: DEPS of SCOP.  guarantees: a tree without extension nodes over the same domain, legal by DEPS.
 * Where a scheduler finds nothing with live-range reordering, it has to do without; where it finds nothing then, the order
 * stays.
 * on failure: NULL; with isl_error_quota the budget ran out, and there is no second attempt. */
isl_schedule *tsr_schedule_compute(struct tsr_scop *scop, struct tsr_deps *deps, const struct tsr_options *opt, char **trace,
                                   const char **fallback)
{
  const char *unheard;
  struct tsr_trace events = {0};
  struct steering steering = {.trace = &events};
  char *why = NULL;
  fallback = fallback ? fallback : &unheard;
  *fallback = NULL;
  if (opt->strategy == TSR_STRATEGY_ORIGINAL)
    return tsr_schedule_flag(isl_schedule_copy(scop->schedule), scop, deps, true);
  isl_schedule *schedule = NULL;
  if (read_influence(scop, opt, &steering.tree, &why) == isl_stat_ok &&
      read_policy(scop, opt, steering.tree || is_built(opt), &events, &steering.policy, &why) == isl_stat_ok) {
    schedule = compute_or_fall_back(scop, deps, opt, &steering, fallback);
    if (schedule && !opt->influence)
      schedule = tsr_schedule_rows_apart(schedule, scop, deps);
  }
  tsr_influence_free(steering.tree);
  tsr_policy_free(steering.policy);
  if (trace && !*trace)
    *trace = why ? why : events.text;
  else
    free(why ? why : events.text);
  return schedule;
}
