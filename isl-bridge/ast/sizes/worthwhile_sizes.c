/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the original and new code cost at any sizes, for the test of sizes (size_test.c): by statement what an instance takes
 * in either, and what each run takes before its loops. */
#include "ast/ast.h"
#include "model/thresholds.h"
#include <isl/ilp.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the buffers of PROGRAM, as far as they are constant. */
static double buffer_bytes(const struct tsr_program *program)
{
  double all = 0;
  for (int i = program->original->n_array; i < program->scop->n_array; i++) {
    const struct tsr_array *array = &program->scop->arrays[i];
    double bytes = array->elem_size;
    for (int d = 0; d < array->n_dim; d++) {
      isl_val *last = isl_set_dim_max_val(isl_set_copy(array->extent), d);
      bytes *= isl_val_is_int(last) == isl_bool_true ? isl_val_get_d(last) + 1 : 0;
      isl_val_free(last);
    }
    all += bytes;
  }
  return all;
}

/* What memory for the buffers of VARIANT takes. */
static double memory_cost(const struct tsr_run *run, const struct tsr_variant *variant)
{
  struct tsr_pack pack[TSR_MAX_PACK];
  if (!variant->program)
    return tsr_tree_packs(variant->tree, run->scop, pack) > 0 ? MEMORY_COST : 0;
  double bytes = buffer_bytes(variant->program);
  return MEMORY_COST + (bytes > KEPT_MEMORY ? bytes / PAGE * PAGE_COST : 0);
}

/* What each run of VARIANT takes before its loops: checks, a call, memory for buffers. */
static double fixed_cost(const struct tsr_run *run, const struct tsr_variant *variant)
{
  return CALL_COST + CHECK_COST * run->n_check + memory_cost(run, variant);
}

/* What an instance of each of the original's statements takes in PROGRAM, and beside its register tiles, in RATES: what the
 * dearest that performs it does. RATE: in the original. */
static bool find_program_rates(struct tsr_program *program, const double *rate, double *rates)
{
  struct tsr_scop *scop = program->scop;
  int n = program->original->n_stmt, n_own = scop->n_stmt;
  double *own = calloc(2 * (size_t)n_own + 1, sizeof(*own)), *beside = own ? own + n_own : NULL;
  for (int i = 0; own && i < n_own; i++)
    beside[i] = -1;
  bool known = own && tsr_tree_rates(scop, program->tree, true, own, beside) == isl_stat_ok;
  bool tiles = tsr_tree_has_mark(program->tree, TSR_MARK_REGISTERS);
  for (int i = 0; i < 2 * n; i++)
    rates[i] = 0;
  for (int i = 0; i < n_own && known; i++) {
    int origin = tsr_stmt_original(program, &scop->stmts[i]);
    if (origin < 0 || isl_set_is_empty(scop->stmts[i].domain) != isl_bool_false)
      continue;
    double elsewhere = !tiles ? own[i] : beside[i] >= 0 ? beside[i] : rate[origin];
    rates[origin] = rates[origin] < own[i] ? own[i] : rates[origin];
    rates[n + origin] = rates[n + origin] < elsewhere ? elsewhere : rates[n + origin];
  }
  free(own);
  return known;
}

/* What an instance of each statement takes in VARIANT, and beside its tiles, in RATES; RATE: in the original. */
static bool find_rates(struct tsr_scop *scop, const struct tsr_variant *variant, const double *rate, double *rates)
{
  int n = scop->n_stmt;
  if (variant->program)
    return find_program_rates(variant->program, rate, rates);
  for (int i = 0; i < n; i++) {
    bool known = variant->rates && variant->rates[n + i] >= 0;
    rates[i] = variant->rates ? variant->rates[i] : 0;
    rates[n + i] = known ? variant->rates[n + i] : rate[i];
  }
  return variant->rates || tsr_tree_rates(scop, variant->tree, true, rates, rates + n) == isl_stat_ok;
}

/* Do statements I and K of SCOP run in the same iterations of the same number of loops? */
static bool run_together(const struct tsr_scop *scop, int i, int k)
{
  isl_set *one = isl_set_reset_tuple_id(isl_set_copy(scop->stmts[i].domain));
  isl_set *other = isl_set_reset_tuple_id(isl_set_copy(scop->stmts[k].domain));
  bool same = isl_set_dim(one, isl_dim_set) == isl_set_dim(other, isl_dim_set) &&
              isl_set_plain_is_equal(one, other) == isl_bool_true;
  isl_set_free(one);
  isl_set_free(other);
  return same;
}

/* What statement I takes in the program, which has sums in registers, where RATE says what each takes alone: while a sum
 * waits for itself, what runs together with it goes on. */
static double rate_beside_sums(const struct tsr_scop *scop, const double *rate, int i)
{
  for (int k = 0; k < scop->n_stmt; k++)
    if (k != i && (rate[k] > rate[i] || (rate[k] == rate[i] && k < i)) && run_together(scop, i, k))
      return SHARE_BESIDE_SUMS * rate[i];
  return rate[i];
}

/* Is VARIANT a program in which loops are the original's, but for tiles around them, with buffers in place of arrays? */
static bool leaves_out(const struct tsr_variant *variant)
{
  return variant->program && tsr_program_leaves_out(variant->program);
}

static isl_bool is_no_block(isl_schedule_node *node, void *user)
{
  const struct tsr_mark *mark = tsr_node_mark(node);
  (void)user;
  return isl_bool_ok(!tsr_mark_is(mark, TSR_MARK_REGISTERS) || mark->tile.streams);
}

/* Has VARIANT register tiles that don't walk along rows? */
static bool has_blocks(const struct tsr_variant *variant)
{
  isl_schedule_node *root = isl_schedule_get_root(variant->tree);
  isl_bool none = isl_schedule_node_every_descendant(root, is_no_block, NULL);
  isl_schedule_node_free(root);
  return none == isl_bool_false;
}

/* Has it tiles that do, and no others? */
static bool has_strips(const struct tsr_variant *variant)
{
  return tsr_tree_has_mark(variant->tree, TSR_MARK_REGISTERS) && !has_blocks(variant);
}

struct strips {
  struct tsr_scop *scop;
  bool apart;    /* are elements of a row a few apart? */
  bool in_place; /* do they read what the SCoP writes, but for their sums? */
};

/* Does STMT, whose only write is TO, read elements beside that that SCOP writes? */
static bool reads_written(const struct tsr_scop *scop, const struct tsr_stmt *stmt, const struct tsr_access *to)
{
  bool reads = false;
  for (int i = 0; i < stmt->n_access; i++)
    reads |= stmt->access[i].kind == TSR_READ && scop->arrays[stmt->access[i].array].kind == TSR_ARRAY_MEMORY &&
             tsr_scop_writes(scop, stmt->access[i].array) &&
             isl_map_plain_is_equal(stmt->access[i].relation, to->relation) == isl_bool_false;
  return reads;
}

static isl_bool note_strip(isl_schedule_node *node, void *user)
{
  struct strips *strips = user;
  const struct tsr_mark *mark = tsr_node_mark(node);
  if (!tsr_mark_is(mark, TSR_MARK_REGISTERS) || !mark->tile.streams)
    return isl_bool_true;
  isl_union_set *domain = isl_schedule_node_get_domain(node);
  for (int s = 0; s < strips->scop->n_stmt; s++) {
    const struct tsr_stmt *stmt = &strips->scop->stmts[s];
    isl_set *own = isl_union_set_extract_set(domain, isl_set_get_space(stmt->domain));
    bool is = isl_set_plain_is_empty(own) == isl_bool_false;
    isl_set_free(own);
    int write = is ? tsr_stmt_only_write(stmt) : -1;
    strips->in_place |= write >= 0 && reads_written(strips->scop, stmt, &stmt->access[write]);
    long elements;
    for (int i = 0; i < stmt->n_access && is; i++)
      strips->apart |= tsr_array_move(&strips->scop->arrays[stmt->access[i].array], stmt->access[i].relation,
                                      mark->tile.along, &elements) &&
                       labs(elements) > 1;
  }
  isl_union_set_free(domain);
  return isl_bool_true;
}

/* At which part of the original's costs do strips of VARIANT, of SCOP, pay, where others do at GAIN? */
static double gain_of_strips(struct tsr_scop *scop, const struct tsr_variant *variant, double gain)
{
  struct strips strips = {.scop = scop};
  if (!variant->program && has_strips(variant))
    isl_schedule_foreach_schedule_node_top_down(variant->tree, note_strip, &strips);
  return !strips.apart ? gain : strips.in_place ? LEAST_GAIN_IN_PLACE : LEAST_GAIN_OF_PARTS;
}

static isl_schedule_node *store_as_usual(isl_schedule_node *node, void *user)
{
  (void)user;
  if (!tsr_node_is_mark(node, TSR_MARK_STREAM))
    return node;
  return tsr_mark_insert_word(isl_schedule_node_delete(node), TSR_MARK_VECTOR);
}

/* Is VARIANT worth it only as its loops store past the caches? */
static bool is_for_streams(const struct tsr_run *run, const struct tsr_variant *variant)
{
  if (variant->program || !tsr_tree_has_mark(variant->tree, TSR_MARK_STREAM))
    return false;
  struct tsr_estimate before = {0}, after = {0};
  isl_schedule_node *root = isl_schedule_get_root(variant->tree);
  root = isl_schedule_node_map_descendant_bottom_up(root, store_as_usual, NULL);
  isl_schedule *tree = isl_schedule_node_get_schedule(root);
  isl_schedule_node_free(root);
  struct tsr_profit profit = tsr_profit_estimate(run->scop, tree, run->n_check, false, &before, &after);
  isl_schedule_free(tree);
  return !profit.worth;
}

/* Bytes of data that there must be where the gain is of caches alone: with buffers, which are copied within them, these are
 * beyond a third one. The time that new memory takes is in no cost: where arrays are left out, there is no such limit.
 * Strips of time steps gain from the first cache on (five points on 8 x 8 doubles took 1.5 times as long, Emerald Rapids),
 * unless the original's instructions take much longer than its lines from the second one, as in short vectors; how many
 * steps there are tells nothing of the data. Rows of nests that are fused store what they pass on, as buffers that are
 * copied do, panels among them: rows of 500 to 1000 numbers updated by each of many steps (bench/programs/kaczmarz.c)
 * took 1.1 times as long in panels with 4 to 8 MB (Zen), a third of the time with 32 MB. What gains by stores past the
 * caches alone has nothing of it below what these ask for. */
static struct tsr_least_data least_data(const struct tsr_run *run, const struct tsr_variant *variant)
{
  bool strips = !variant->program && tsr_tree_has_mark(variant->tree, TSR_MARK_STRIPS);
  bool stored = variant->program ? !leaves_out(variant) : variant->panels || tsr_tree_has_mark(variant->tree, TSR_MARK_ROWS);
  double beyond = variant->panels ? DATA_OF_PANELS * BEYOND_CACHES : BEYOND_CACHES;
  const struct tsr_machine *machine = &run->scop->machine;
  struct tsr_estimate before = {0}; /* anew: where users command what runs, nobody has asked yet */
  double near = machine->cache[0].size, far = machine->n_cache > 1 ? machine->cache[1].size : near;
  if (machine->n_cache == 2)
    far *= UNKNOWN_CACHE;
  if (is_for_streams(run, variant))
    return (struct tsr_least_data){run->scop->machine.stream_bytes, 0};
  if (strips)
    tsr_tree_cost(run->scop, run->scop->schedule, false, false, &before, NULL);
  bool waits = before.near >= SHARE_OF_NEAR * before.issue;
  return (struct tsr_least_data){stored ? beyond : 0, !strips ? 0 : waits ? near : far};
}

struct tsr_size_costs *tsr_run_original_costs(struct tsr_run *run)
{
  struct tsr_scop *scop = run->scop;
  double *rate = calloc(2 * (size_t)scop->n_stmt + 1, sizeof(*rate)), *before = rate + scop->n_stmt;
  bool known = rate && tsr_tree_rates(scop, scop->schedule, false, rate, NULL) == isl_stat_ok;
  for (int i = 0; i < scop->n_stmt && known; i++)
    before[i] = tsr_scop_has_expanded(scop) ? rate_beside_sums(scop, rate, i) : rate[i];
  if (known && !run->original)
    run->original = tsr_ast_build(scop, scop->schedule);
  bool there = known && run->original;
  struct tsr_size_costs *costs = there ? tsr_size_costs_read(scop, run->original, before, before, 0, run->n_check) : NULL;
  free(rate);
  return costs;
}

struct tsr_size_costs *tsr_run_variant_costs(struct tsr_run *run, const struct tsr_variant *variant)
{
  struct tsr_scop *scop = run->scop;
  double *rate = calloc(3 * (size_t)scop->n_stmt + 1, sizeof(*rate));
  double *lanes = rate + scop->n_stmt, *beside = lanes + scop->n_stmt; /* as in variant->rates */
  bool known = rate && tsr_tree_rates(scop, scop->schedule, false, rate, NULL) == isl_stat_ok &&
               find_rates(scop, variant, rate, lanes);
  struct tsr_size_costs *costs =
      known ? tsr_size_costs_read(scop, variant->ast, lanes, beside, fixed_cost(run, variant), 0) : NULL;
  free(rate);
  return costs;
}

/* How many times as long does what takes ESTIMATE wait, with data in cache C + 1, as with all in the nearest? */
static double waits(const struct tsr_estimate *estimate, int c)
{
  return estimate->within[0] > 0 ? estimate->within[c + 1] / estimate->within[0] : 1;
}

/* Numbers in a vector of the machine, of the smallest in SCOP's memory. */
static int64_t most_lanes(const struct tsr_scop *scop)
{
  int64_t size = scop->machine.vector_bytes;
  for (int i = 0; i < scop->n_array; i++)
    if (scop->arrays[i].kind == TSR_ARRAY_MEMORY && scop->arrays[i].elem_size < size)
      size = scop->arrays[i].elem_size;
  return scop->machine.vector_bytes / size;
}

/* How many times as long does SCOP's original take as its vectors lie across lines? */
static double times_across(struct tsr_scop *scop)
{
  size_t n = scop->n_stmt;
  double *rate = calloc(2 * n + 1, sizeof(*rate)), *across = rate + n, all = 0, more = 0;
  bool known = rate && tsr_original_rates(scop, rate, across) == isl_stat_ok;
  for (size_t i = 0; i < n && known; i++) {
    double instances = tsr_stmt_instances(scop, &scop->stmts[i]);
    all += instances * rate[i];
    more += instances * across[i];
  }
  free(rate);
  return all > 0 ? 1 + more / all : 1;
}

/* What register tiles and lanes of VARIANT gain by caches. Lanes, and tiles of what has been copied in front of them, gain
 * besides what the original's vectors lose that lie across lines: products and solves from the right, backwards, take .6 of
 * the time from 200 x 200 on (Zen 4). (Tiles would be seen to gain from small sizes on, too, where they do; but so would be
 * those with few columns, which don't.) */
static struct tsr_cache_gain gain_of_caches(const struct tsr_run *run, const struct tsr_variant *variant)
{
  bool blocks = has_blocks(variant), lanes = tsr_tree_has_mark(variant->tree, TSR_MARK_LOCKSTEP);
  struct tsr_cache_gain caches = {.alone = lanes || (blocks && variant->program)};
  struct tsr_scop *scop = run->scop, *other = variant->program ? variant->program->scop : scop;
  const struct tsr_machine *machine = &scop->machine;
  struct tsr_estimate before = {0}, after = {0};
  if ((!lanes && !blocks) || tsr_tree_cost(scop, scop->schedule, false, false, &before, NULL) < 0 ||
      tsr_tree_cost(other, variant->tree, true, false, &after, NULL) < 0)
    return (struct tsr_cache_gain){0};
  if (caches.alone) {
    caches.across = times_across(scop);
    caches.several = SEVERAL_VECTORS * most_lanes(scop);
  }
  for (int c = 0; c < machine->n_cache; c++) {
    bool unknown = c > 0 && machine->n_cache == 2;
    caches.bytes[c] = TIMES_A_CACHE * machine->cache[c].size * (unknown ? UNKNOWN_CACHE : 1);
    caches.times[c] = waits(&before, c) / waits(&after, c);
  }
  return caches;
}

/* Does NEW take longer than OLD does in SCOP where the sizes that SIZES asks for are large? */
static bool loses_when_large(struct tsr_scop *scop, const struct tsr_size_costs *old, const struct tsr_size_costs *new,
                             const struct tsr_sizes *sizes)
{
  struct tsr_sizes large = *sizes; /* a view */
  for (int i = 0; i < large.n; i++)
    large.least[i] = ASSUMED_PARAMETER;
  large.product = 0;
  return tsr_sizes_ratio(scop, old, new, &large) > 1;
}

bool tsr_run_find_sizes(struct tsr_run *run, const struct tsr_variant *variant, struct tsr_sizes **sizes)
{
  enum tsr_size_verdict verdict = TSR_SIZES_ALL;
  struct tsr_size_costs *old = tsr_run_original_costs(run), *new = old ? tsr_run_variant_costs(run, variant) : NULL;
  bool narrow = run->scop->machine.vector_bytes <= NARROW_VECTOR && has_blocks(variant);
  double gain = gain_of_strips(run->scop, variant, narrow ? LEAST_GAIN_OF_NARROW : LEAST_GAIN_OF_SIZES);
  if (new) {
    struct tsr_cache_gain caches = gain_of_caches(run, variant);
    verdict = tsr_sizes_find(run->scop, old, new, gain, least_data(run, variant), &caches, leaves_out(variant), sizes);
    if (*sizes && has_strips(variant) && loses_when_large(run->scop, old, new, *sizes)) { /* no matter of caches */
      *sizes = tsr_sizes_free(*sizes);
      verdict = TSR_SIZES_NONE;
    }
  }
  tsr_size_costs_free(old);
  tsr_size_costs_free(new);
  return verdict != TSR_SIZES_NONE;
}
