/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Dependences, by dataflow analysis in the original order (flow.c).
 *
 *   flow     sinks: reads      sources: writes, cut by must writes (value-based)
 *   output   sinks: writes     sources: writes, cut by must writes  \  what is cut is implied
 *   anti     sinks: writes     sources: reads,  cut by must writes  /  transitively by `output`
 *
 * (a must write of the reading instance itself may cut an anti dependence, too)
 *
 * SCALAR arrays that are private to the SCoP take another road (live-range reordering): writes and reads of one
 * value form a live range, and two live ranges may be exchanged as long as neither is torn.
 *
 *   cond           { [W -> W_j[]] -> [R -> R_k[]] }   a live range (tagged flow)
 *   cond_validity  { [R -> R_k[]] -> [W -> W_j[]] }   W starts another live range later, in the original order; also
 *                  { [W -> W_j[]] -> [V -> V_k[]] }   where nobody reads what W wrote
 *
 * cond_validity is not cut: if the scheduler drops one of its pairs, nothing else implies the pairs behind it.
 * SCALAR arrays that live in or out are treated as MEMORY: their first read and last write stay in place. So are those with
 * a may write: what it leaves of the value before makes one live range of all, and the checker (check.c) keeps their order,
 * too.
 *
 * Relaxed reductions: instances of one statement  A[f] = A[f] op e  commute if op is associative and commutative and the
 * element is all that they share. If op is exact, on integers, so do those of several statements with the same op. Their
 * pairs leave flow, anti and output. As nothing orders them any more, none of them stands for the others: their writes count
 * as may writes, which cut nothing,
 *
 *     x = 0;  for i: x += a[i];  y = x        S[] -> T[i] and T[i] -> U[] for all i, not for the first and the last alone */
#include "deps/deps.h"
#include "model/thresholds.h"
#include <isl/space.h>
#include <stdlib.h>
#include <string.h>

/* Which updates of reductions may change places? */
enum relax { RELAX_NONE, RELAX_EXACT, RELAX_ALL };

/* Which accesses a union is to contain. */
struct selection {
  struct tsr_scop *scop;
  bool plain;       /* those on arrays without live-range reordering? */
  bool private;     /* those on arrays with it? */
  bool uncovered;   /* but not reads whose value the same instance has written before? */
  enum relax relax; /* which updates of reductions are no must writes but may writes? */
  unsigned kinds;
  const struct tsr_source *sources; /* not NULL: no reads whose source is known */
  const bool *arrays;               /* not NULL: only those on these */
};

/* Does every write to ARRAY of SCOP replace the whole value? */
static bool array_is_exact(struct tsr_scop *scop, int array)
{
  for (int i = 0; i < scop->n_stmt; i++)
    for (int k = 0; k < scop->stmts[i].n_access; k++)
      if (scop->stmts[i].access[k].array == array && scop->stmts[i].access[k].kind == TSR_MAY_WRITE)
        return false;
  return true;
}

/* Do live ranges of ARRAY of SCOP take part in live-range reordering? */
static bool array_is_private(struct tsr_scop *scop, int array)
{
  struct tsr_array *a = &scop->arrays[array];
  return a->kind == TSR_ARRAY_SCALAR && !a->live_in && !a->live_out && array_is_exact(scop, array);
}

/* Does access K of STMT read only what an earlier access of the same instance has written? */
static isl_bool read_is_covered(struct tsr_stmt *stmt, int k)
{
  struct tsr_access *read = &stmt->access[k];
  for (int j = 0; j < k; j++) {
    struct tsr_access *write = &stmt->access[j];
    if (write->kind != TSR_MUST_WRITE || write->array != read->array)
      continue;
    isl_bool covered = isl_map_is_subset(read->relation, write->relation);
    if (covered != isl_bool_false)
      return covered;
  }
  return isl_bool_false;
}

/* Is ACCESS part of an update that commutes with others of its statement? */
static bool is_update(struct tsr_scop *scop, const struct tsr_access *access, enum relax relax)
{
  return access->reduction != TSR_RED_NONE && access->reassoc && (access->exact || relax == RELAX_ALL) &&
         scop->arrays[access->array].kind == TSR_ARRAY_MEMORY;
}

/* Do the updates that A, of statement S, and B, of T, are parts of commute? */
static bool commutes(struct tsr_scop *scop, int s, const struct tsr_access *a, int t, const struct tsr_access *b,
                     enum relax relax)
{
  return is_update(scop, a, relax) && is_update(scop, b, relax) && a->array == b->array && a->reduction == b->reduction &&
         (s == t || (a->exact && b->exact));
}

/* Does SEL, whose kinds are those asked for, take access K of STMT? */
static isl_bool is_selected(const struct selection *sel, struct tsr_stmt *stmt, int k)
{
  const struct tsr_access *access = &stmt->access[k];
  unsigned kind = 1u << access->kind;
  if (sel->relax && access->kind == TSR_MUST_WRITE && is_update(sel->scop, access, sel->relax))
    kind = 1u << TSR_MAY_WRITE;
  if (!(sel->kinds & kind) || !(array_is_private(sel->scop, access->array) ? sel->private : sel->plain) ||
      (access->kind == TSR_READ && !tsr_scop_writes(sel->scop, access->array)))
    return isl_bool_false;
  return sel->uncovered && access->kind == TSR_READ ? isl_bool_not(read_is_covered(stmt, k)) : isl_bool_true;
}

/* The tagged accesses of kind KINDS that SEL asks for, within what is known about the parameters; none that only read what
 * nobody writes. */
static isl_union_map *select_accesses(struct tsr_scop *scop, unsigned kinds, struct selection sel)
{
  sel.scop = scop;
  sel.kinds = kinds;
  isl_union_map *all = isl_union_map_empty_ctx(scop->ctx);
  for (int i = 0, at = 0; i < scop->n_stmt; i++)
    for (int k = 0; k < scop->stmts[i].n_access; k++, at++) {
      if ((sel.sources && sel.sources[at].stmt >= 0) || (sel.arrays && !sel.arrays[scop->stmts[i].access[k].array]))
        continue;
      isl_bool take = is_selected(&sel, &scop->stmts[i], k);
      if (take < 0)
        return isl_union_map_free(all);
      if (take)
        all = isl_union_map_add_map(all, tsr_scop_tagged_access(scop, i, k));
    }
  return isl_union_map_intersect_params(all, tsr_scop_common(scop));
}

/* { [S -> S_k[]] -> A } to { S -> A }. */
static isl_union_map *untag(isl_union_map *accesses)
{
  return isl_union_map_domain_factor_domain(accesses);
}

/* Value-based flow, and anti and output dependences, on arrays without live-range reordering. */
static void compute_plain(struct tsr_scop *scop, const struct tsr_positions *positions, struct tsr_deps *deps,
                          enum relax relax)
{
  struct selection uncovered = {.plain = true, .uncovered = true, .relax = relax};
  struct selection plain = {.plain = true, .relax = relax};
  isl_union_map *writes = untag(select_accesses(scop, TSR_WRITES, plain));
  isl_union_map *must = untag(select_accesses(scop, TSR_MUST_WRITES, plain));
  isl_union_map *may = untag(select_accesses(scop, 1u << TSR_MAY_WRITE, plain));
  struct tsr_flow flow = {.sinks = untag(select_accesses(scop, TSR_READS, uncovered)),
                          .must = isl_union_map_copy(must),
                          .may = isl_union_map_copy(may)};
  struct tsr_flow anti = {.sinks = isl_union_map_copy(writes),
                          .may = untag(select_accesses(scop, TSR_READS, plain)),
                          .kills = isl_union_map_copy(must)};
  struct tsr_flow output = {.sinks = writes, .must = must, .may = may};
  deps->flow = tsr_scop_flow(scop, positions, flow);
  deps->anti = tsr_scop_flow(scop, positions, anti);
  deps->output = tsr_scop_flow(scop, positions, output);
}

/* What keep_ordered is about. */
struct ordered {
  struct tsr_scop *scop;
  const struct tsr_positions *positions;
  isl_union_map *order; /* { S -> time }; NULL: not asked for yet */
  isl_union_map *pairs; /* those found so far */
};

/* The time { S -> t } of the instances in SET. */
static isl_map *time_of(struct ordered *ordered, __isl_take isl_set *set)
{
  if (!ordered->order)
    ordered->order = isl_schedule_get_map(ordered->scop->schedule);
  isl_union_set *any = isl_union_set_from_set(isl_set_universe(isl_set_get_space(set)));
  isl_set_free(set);
  return isl_map_from_union_map(isl_union_map_intersect_domain(isl_union_map_copy(ordered->order), any));
}

/* TIME as one affine function, NULL if it isn't. */
static isl_multi_aff *single_aff(isl_map *time)
{
  isl_pw_multi_aff *pieces = isl_map_n_basic_map(time) == 1 ? isl_pw_multi_aff_from_map(isl_map_copy(time)) : NULL;
  bool one = pieces && isl_pw_multi_aff_n_piece(pieces) == 1;
  isl_set *domain = one ? isl_pw_multi_aff_domain(isl_pw_multi_aff_copy(pieces)) : NULL;
  isl_multi_aff *aff = one ? isl_pw_multi_aff_as_multi_aff(isl_pw_multi_aff_gist(pieces, domain)) : NULL;
  if (!one)
    isl_pw_multi_aff_free(pieces);
  return aff;
}

/* { S -> T : S comes before T } for S and T with times FIRST and SECOND, at least where they have any. */
static isl_map *before(__isl_take isl_map *first, __isl_take isl_map *second)
{
  isl_multi_aff *a = single_aff(first), *b = single_aff(second);
  isl_map *order = a && b ? tsr_pairs_by_time(a, b) : isl_map_lex_lt_map(isl_map_copy(first), isl_map_copy(second));
  isl_multi_aff_free(a);
  isl_multi_aff_free(b);
  isl_map_free(first);
  isl_map_free(second);
  return order;
}

/* The statement that has the instances of tagged accesses TAGGED { [S -> S_k[]] }. */
static int stmt_of(const struct ordered *ordered, isl_set *tagged)
{
  isl_space *space = isl_space_unwrap(isl_set_get_space(tagged));
  const char *name = space ? isl_space_get_tuple_name(space, isl_dim_in) : NULL; /* isl may have run out of budget */
  int stmt = name ? tsr_scop_find_stmt(ordered->scop, name) : -1;
  isl_space_free(space);
  return stmt;
}

/* { [S -> S_k[]] -> [T -> T_l[]] : S comes before T } for tagged accesses FIRST and SECOND. */
static isl_map *order_of(struct ordered *ordered, isl_set *first, isl_set *second)
{
  isl_space *space = isl_space_map_from_domain_and_range(isl_set_get_space(first), isl_set_get_space(second));
  isl_map *plain =
      tsr_positions_before(ordered->positions, stmt_of(ordered, first), stmt_of(ordered, second), isl_space_copy(space));
  if (plain) {
    isl_space_free(space);
    return plain;
  }
  isl_map *from = isl_set_unwrap(isl_set_copy(first)), *to = isl_set_unwrap(isl_set_copy(second));
  isl_map *s = time_of(ordered, isl_map_domain(isl_map_copy(from))), *t = time_of(ordered, isl_map_domain(isl_map_copy(to)));
  isl_map *tags = isl_map_from_domain_and_range(isl_map_range(from), isl_map_range(to));
  isl_space_free(space);
  return isl_map_product(before(s, t), tags);
}

/* .. that access one element: FIRST { [S -> S_k[]] -> A }, SECOND { [T -> T_l[]] -> A } */
static isl_stat keep_ordered(struct ordered *ordered, isl_map *first, isl_map *second)
{
  isl_set *from = isl_map_domain(isl_map_copy(first)), *to = isl_map_domain(isl_map_copy(second));
  isl_map *order = order_of(ordered, from, to);
  if (isl_map_dim(first, isl_dim_out) == 0) {
    order = isl_map_intersect_domain(isl_map_intersect_range(order, to), from);
  } else {
    isl_map *same = isl_map_apply_range(isl_map_copy(first), isl_map_reverse(isl_map_copy(second)));
    order = isl_map_intersect(same, order);
    isl_set_free(from);
    isl_set_free(to);
  }
  ordered->pairs = isl_union_map_add_map(ordered->pairs, isl_map_coalesce(order));
  return isl_stat_non_null(ordered->pairs);
}

/* { [S -> S_k[]] -> [T -> T_l[]] : both access one element and S comes before T } */
static isl_union_map *ordered_pairs(struct tsr_scop *scop, const struct tsr_positions *positions,
                                    __isl_take isl_union_map *first, __isl_take isl_union_map *second)
{
  struct ordered ordered = {.scop = scop, .positions = positions, .pairs = isl_union_map_empty_ctx(scop->ctx)};
  first = isl_union_map_align_params(first, isl_union_map_get_space(second));
  second = isl_union_map_align_params(second, isl_union_map_get_space(first));
  isl_map_list *from = isl_union_map_get_map_list(first), *to = isl_union_map_get_map_list(second);
  isl_size n = isl_map_list_size(from), m = isl_map_list_size(to);
  isl_stat ok = n < 0 || m < 0 ? isl_stat_error : isl_stat_ok;
  for (int i = 0; i < n && ok == isl_stat_ok; i++)
    for (int k = 0; k < m && ok == isl_stat_ok; k++) {
      isl_map *a = isl_map_list_get_at(from, i), *b = isl_map_list_get_at(to, k);
      if (!strcmp(isl_map_get_tuple_name(a, isl_dim_out), isl_map_get_tuple_name(b, isl_dim_out)))
        ok = keep_ordered(&ordered, a, b);
      isl_map_free(a);
      isl_map_free(b);
    }
  isl_map_list_free(from);
  isl_map_list_free(to);
  isl_union_map_free(first);
  isl_union_map_free(second);
  isl_union_map_free(ordered.order);
  return ok < 0 ? isl_union_map_free(ordered.pairs) : ordered.pairs;
}

/* { [W -> W_j[]] -> [R -> R_k[]] } for access K of statement R, which gets its value from SOURCE in the same iteration. */
static isl_map *plain_range(struct tsr_scop *scop, const struct tsr_source *source, int r, int k)
{
  isl_set *from = isl_map_domain(tsr_scop_tagged_access(scop, source->stmt, source->access));
  isl_set *to = isl_map_domain(tsr_scop_tagged_access(scop, r, k));
  isl_map *range = isl_set_unwrap(to),
          *tag = isl_map_from_domain_and_range(isl_map_range(isl_set_unwrap(from)), isl_map_range(isl_map_copy(range)));
  isl_map *same = isl_set_identity(isl_map_domain(range));
  same = isl_map_set_tuple_name(same, isl_dim_in, scop->stmts[source->stmt].name);
  return isl_map_product(same, tag);
}

/* Those live ranges of private SCALAR arrays whose source is known. In LEFT those arrays that have others. */
static isl_union_map *plain_ranges(struct tsr_scop *scop, const struct tsr_source *sources, bool *left)
{
  isl_union_map *all = isl_union_map_empty_ctx(scop->ctx);
  struct selection sel = {.scop = scop, .private = true, .uncovered = true, .kinds = TSR_READS};
  for (int i = 0, at = 0; i < scop->n_stmt; i++)
    for (int k = 0; k < scop->stmts[i].n_access; k++, at++) {
      isl_bool take = is_selected(&sel, &scop->stmts[i], k);
      if (take < 0)
        return isl_union_map_free(all);
      if (take && sources[at].stmt >= 0)
        all = isl_union_map_add_map(all, plain_range(scop, &sources[at], i, k));
      else if (take)
        left[scop->stmts[i].access[k].array] = true;
    }
  return isl_union_map_intersect_params(all, tsr_scop_common(scop));
}

/* All live ranges of private SCALAR arrays. */
static isl_union_map *find_ranges(struct tsr_scop *scop, const struct tsr_positions *positions)
{
  struct tsr_source *sources = tsr_scop_sources(scop, positions);
  bool *left = calloc(scop->n_array + 1, sizeof(*left)), any = false;
  isl_union_map *all = sources && left ? plain_ranges(scop, sources, left) : NULL;
  for (int i = 0; left && i < scop->n_array; i++)
    any |= left[i];
  if (all && any) {
    struct selection private = {.private = true, .arrays = left};
    struct selection others = {.private = true, .uncovered = true, .sources = sources};
    struct tsr_flow flow = {.sinks = select_accesses(scop, TSR_READS, others),
                            .must = select_accesses(scop, TSR_WRITES, private),
                            .tagged = true};
    all = isl_union_map_union(all, tsr_scop_flow(scop, positions, flow));
  }
  free(sources);
  free(left);
  return all;
}

/* Live ranges of private SCALAR arrays, which are flow, too, and the order between those of one array. */
static void compute_live_ranges(struct tsr_scop *scop, const struct tsr_positions *positions, struct tsr_deps *deps)
{
  struct selection private = {.private = true};
  struct selection uncovered = {.private = true, .uncovered = true};
  isl_union_map *writes = select_accesses(scop, TSR_WRITES, private);
  isl_union_map *reads = select_accesses(scop, TSR_READS, uncovered);
  deps->cond = find_ranges(scop, positions);
  deps->flow = isl_union_map_union(deps->flow, isl_union_map_factor_domain(isl_union_map_copy(deps->cond)));

  isl_union_set *read_writes = isl_union_map_domain(isl_union_map_copy(deps->cond));
  isl_union_map *unread = isl_union_map_subtract_domain(isl_union_map_copy(writes), read_writes);
  deps->cond_validity = ordered_pairs(scop, positions, isl_union_map_union(reads, unread), writes);
  deps->scalar = isl_union_map_factor_domain(isl_union_map_copy(deps->cond_validity));
}

/* Is there an update in STMT that may change places with others? */
static bool has_update(struct tsr_scop *scop, struct tsr_stmt *stmt, enum relax relax)
{
  for (int k = 0; k < stmt->n_access; k++)
    if (is_update(scop, &stmt->access[k], relax))
      return true;
  return false;
}

/* Of the accesses of S and T to one element, one of which writes it: those that COMMUTE, or the others, added to PAIRS. */
static isl_union_map *add_pairs(isl_union_map *pairs, struct tsr_scop *scop, int s, int t, bool commute, enum relax relax)
{
  struct tsr_stmt *first = &scop->stmts[s], *second = &scop->stmts[t];
  for (int j = 0; j < first->n_access; j++)
    for (int k = 0; k < second->n_access; k++) {
      struct tsr_access *a = &first->access[j], *b = &second->access[k];
      if (a->array != b->array || (!commute && a->kind == TSR_READ && b->kind == TSR_READ) ||
          commutes(scop, s, a, t, b, relax) != commute)
        continue;
      isl_map *back = isl_map_reverse(isl_map_copy(b->relation));
      pairs = isl_union_map_add_map(pairs, isl_map_apply_range(isl_map_copy(a->relation), back));
    }
  return pairs;
}

/* { S[i] -> T[i'] } that share an element: by accesses of updates that COMMUTE, or by others. */
static isl_union_map *update_pairs(struct tsr_scop *scop, bool commute, enum relax relax)
{
  isl_union_map *pairs = isl_union_map_empty_ctx(scop->ctx);
  for (int s = 0; s < scop->n_stmt; s++)
    for (int t = 0; t < scop->n_stmt && has_update(scop, &scop->stmts[s], relax); t++)
      if (has_update(scop, &scop->stmts[t], relax))
        pairs = add_pairs(pairs, scop, s, t, commute, relax);
  return pairs;
}

/* Take out of flow, anti and output what links instances that commute. */
static void drop_reductions(struct tsr_scop *scop, struct tsr_deps *deps, enum relax relax)
{
  isl_union_map *drop = isl_union_map_subtract(isl_union_map_copy(deps->reduction), update_pairs(scop, false, relax));
  isl_union_map **const parts[] = {&deps->flow, &deps->anti, &deps->output};
  for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
    *parts[i] = isl_union_map_coalesce(isl_union_map_subtract(*parts[i], isl_union_map_copy(drop)));
  isl_union_map_free(deps->reduction);
  deps->reduction = drop;
}

static isl_union_map *union3(isl_union_map *a, isl_union_map *b, isl_union_map *c)
{
  isl_union_map *all = isl_union_map_union(isl_union_map_copy(a), isl_union_map_copy(b));
  return isl_union_map_union(all, isl_union_map_copy(c));
}

/* requires: a valid SCoP.  guarantees: every pair of instances that must stay ordered is in the transitive closure of
 * flow, anti, output and scalar.  on failure: NULL. */
static struct tsr_deps *compute(struct tsr_scop *scop, enum relax relax)
{
  bool relaxed = relax != RELAX_NONE;
  struct tsr_deps *deps = calloc(1, sizeof(*deps));
  struct tsr_positions *positions = deps ? tsr_positions_find(scop) : NULL;
  if (!positions)
    return tsr_deps_free(deps);
  deps->relaxed = relaxed;
  compute_plain(scop, positions, deps, relax);
  compute_live_ranges(scop, positions, deps);
  tsr_positions_free(positions);
  isl_union_map *all = union3(deps->flow, deps->anti, deps->output);
  all = relaxed ? all : isl_union_map_union(all, isl_union_map_copy(deps->scalar));
  deps->reduction = isl_union_map_intersect(all, update_pairs(scop, true, relaxed ? relax : RELAX_ALL));
  if (relaxed)
    drop_reductions(scop, deps, relax);
  if (!deps->flow || !deps->anti || !deps->output || !deps->scalar || !deps->cond || !deps->cond_validity ||
      !deps->reduction)
    return tsr_deps_free(deps);
  return deps;
}

double tsr_deps_least_operations(const struct tsr_scop *scop)
{
  double pairs = 0;
  for (int a = 0; a < scop->n_array; a++) {
    double all = 0, writes = 0;
    for (int i = 0; i < scop->n_stmt; i++)
      for (int k = 0; k < scop->stmts[i].n_access; k++) {
        all += scop->stmts[i].access[k].array == a;
        writes += scop->stmts[i].access[k].array == a && scop->stmts[i].access[k].kind != TSR_READ;
      }
    pairs += scop->arrays[a].kind == TSR_ARRAY_MEMORY ? writes * all : 0;
  }
  return pairs * LEAST_PER_PAIR;
}

struct tsr_deps *tsr_deps_compute(struct tsr_scop *scop)
{
  return compute(scop, RELAX_NONE);
}

struct tsr_deps *tsr_deps_compute_relaxed(struct tsr_scop *scop)
{
  return compute(scop, RELAX_ALL);
}

struct tsr_deps *tsr_deps_compute_exact(struct tsr_scop *scop)
{
  return compute(scop, RELAX_EXACT);
}

struct tsr_deps *tsr_deps_free(struct tsr_deps *deps)
{
  if (!deps)
    return NULL;
  isl_union_map_free(deps->flow);
  isl_union_map_free(deps->anti);
  isl_union_map_free(deps->output);
  isl_union_map_free(deps->scalar);
  isl_union_map_free(deps->reduction);
  isl_union_map_free(deps->cond);
  isl_union_map_free(deps->cond_validity);
  isl_schedule_free(deps->flagged.tree);
  isl_schedule_free(deps->flagged.of);
  isl_set_free(deps->flagged.known);
  isl_schedule_free(deps->fused);
  free(deps);
  return NULL;
}

static isl_stat print_map(isl_map *map, void *user)
{
  char *text = isl_map_to_str(map);
  isl_map_free(map);
  if (!text)
    return isl_stat_error;
  fprintf(user, "  %s\n", text);
  free(text);
  return isl_stat_ok;
}

void tsr_deps_print(struct tsr_deps *deps, FILE *out)
{
  const struct {
    const char *name;
    isl_union_map *relation;
  } part[] = {{"flow", deps->flow},     {"anti", deps->anti},           {"output", deps->output},
              {"scalar", deps->scalar}, {"reduction", deps->reduction}, {"condition", deps->cond}};
  for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
    fprintf(out, "%s:\n", part[i].name);
    isl_union_map_foreach_map(part[i].relation, print_map, out);
  }
}
