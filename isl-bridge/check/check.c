/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The independent legality checker. Nothing here comes from the dataflow analysis (dependences.c): the conflicts are
 *
 *   pairs    { S -> T : S and T touch the same element, at least one writes }      straight from the accesses
 *   before   { S -> T in pairs : S runs before T in the original tree }            by a walk of that tree
 *
 * and a second walk (tree_order.c) carries `before` down the tree to check: what it finds running backward, or in no order
 * at all, is a violation. A SCALAR array may instead keep its values: each read still gets the value of the same write (live
 * ranges may be exchanged but not torn). With relaxed reductions, updates  A[f] = A[f] op e  of one statement, or of several
 * if they are exact, may change places: their conflicts are left out, but only those through the accesses that are marked as
 * the update. Whatever else two instances share keeps them in order. All of this for parameters in context and assumed only.
 */
#include "check/check_buffers.h"
#include <isl/id.h>
#include <isl/point.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct checker {
  struct tsr_scop *scop;       /* the original */
  struct tsr_scop *now;        /* what the tree runs */
  struct tsr_events *events;   /* where it makes the accesses of the original; NULL: as the original does */
  isl_set *known;              /* context and assumed, as far as they tell something */
  isl_schedule_node *root;     /* of the tree to check, without extensions */
  enum tsr_relaxation relaxed; /* which updates of reductions may change places? */
  char *why;                   /* set once, by the first failure */
};

/* ---- words -------------------------------------------------------------------------------------------- */

/* Record the sentence and return "not legal". */
__attribute__((format(printf, 2, 3))) static isl_bool fail(struct checker *checker, const char *format, ...)
{
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  if (!checker->why)
    checker->why = strdup(text);
  return isl_bool_false;
}

static void append_value(char *text, size_t size, isl_val *value)
{
  char *digits = isl_val_to_str(value);
  size_t used = strlen(text);
  snprintf(text + used, size - used, "%s", digits ? digits : "?");
  free(digits);
  isl_val_free(value);
}

/* "S[1, 2]" from the coordinates FIRST, ... of POINT. */
static void print_instance(char *text, size_t size, const char *name, isl_point *point, int first, int n)
{
  snprintf(text, size, "%s[", name);
  for (int i = 0; i < n; i++) {
    append_value(text, size, isl_point_get_coordinate_val(point, isl_dim_set, first + i));
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", i < n - 1 ? ", " : "");
  }
  size_t used = strlen(text);
  snprintf(text + used, size - used, "]");
}

/* " (n = 3, m = 0)", empty without parameters. */
static void print_parameters(char *text, size_t size, isl_map *pair, isl_point *point)
{
  isl_size n = isl_map_dim(pair, isl_dim_param);
  text[0] = 0;
  for (int i = 0; i < n; i++) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s = ", i ? ", " : " (", isl_map_get_dim_name(pair, isl_dim_param, i));
    append_value(text, size, isl_point_get_coordinate_val(point, isl_dim_param, i));
  }
  size_t used = strlen(text);
  snprintf(text + used, size - used, "%s", n > 0 ? ")" : "");
}

/* Append " of line 5" to the instance TEXT of statement NAME, if that is known. */
static void append_line(char *text, size_t size, struct tsr_scop *scop, const char *name)
{
  int stmt = tsr_scop_find_stmt(scop, name);
  size_t used = strlen(text);
  if (stmt >= 0 && scop->stmts[stmt].line)
    snprintf(text + used, size - used, " of line %d", scop->stmts[stmt].line);
}

struct pair_text {
  struct tsr_scop *scop;
  char first[128], second[128], parameters[256];
};

static isl_stat sample_pair(isl_map *map, void *user)
{
  struct pair_text *text = user;
  isl_point *point = isl_set_sample_point(isl_map_wrap(isl_map_copy(map)));
  isl_size n_in = isl_map_dim(map, isl_dim_in), n_out = isl_map_dim(map, isl_dim_out);
  if (!text->first[0] && isl_point_is_void(point) == isl_bool_false) {
    print_instance(text->first, sizeof(text->first), isl_map_get_tuple_name(map, isl_dim_in), point, 0, n_in);
    print_instance(text->second, sizeof(text->second), isl_map_get_tuple_name(map, isl_dim_out), point, n_in, n_out);
    append_line(text->first, sizeof(text->first), text->scop, isl_map_get_tuple_name(map, isl_dim_in));
    append_line(text->second, sizeof(text->second), text->scop, isl_map_get_tuple_name(map, isl_dim_out));
    print_parameters(text->parameters, sizeof(text->parameters), map, point);
  }
  isl_point_free(point);
  isl_map_free(map);
  return isl_stat_ok;
}

static isl_union_map *original_forward(struct checker *checker, isl_union_map *pairs)
{
  isl_schedule_node *root = isl_schedule_get_root(checker->scop->schedule);
  isl_union_map *before = tsr_tree_order_forward(root, pairs, false);
  isl_schedule_node_free(root);
  return before;
}

/* ---- accesses ------------------------------------------------------------------------------------------ */

/* { S -> A[k] } for known parameters: those of kind KINDS on array ARRAY, or on all MEMORY arrays if it is -1. */
static isl_union_map *accesses(struct checker *checker, unsigned kinds, int array)
{
  struct tsr_scop *scop = checker->scop;
  isl_union_map *all = isl_union_map_empty_ctx(scop->ctx);
  for (int i = 0; i < scop->n_stmt; i++)
    for (int k = 0; k < scop->stmts[i].n_access; k++) {
      struct tsr_access *access = &scop->stmts[i].access[k];
      bool wanted = array < 0 ? scop->arrays[access->array].kind == TSR_ARRAY_MEMORY : access->array == array;
      if (!wanted || !(kinds >> access->kind & 1))
        continue;
      isl_map *map = isl_map_intersect_domain(isl_map_copy(access->relation), isl_set_copy(scop->stmts[i].domain));
      all = isl_union_map_add_map(all, map);
    }
  return isl_union_map_intersect_params(all, isl_set_copy(checker->known));
}

/* { S -> T : both touch one element of ARRAY (-1: of any MEMORY array), one of them writes } */
static isl_union_map *conflicts(struct checker *checker, int array)
{
  isl_union_map *writes = accesses(checker, TSR_WRITES, array);
  isl_union_map *reads = accesses(checker, TSR_READS, array);
  isl_union_map *from_read =
      isl_union_map_apply_range(isl_union_map_copy(reads), isl_union_map_reverse(isl_union_map_copy(writes)));
  isl_union_map *all = isl_union_map_union(reads, isl_union_map_copy(writes));
  isl_union_map *from_write = isl_union_map_apply_range(writes, isl_union_map_reverse(all));
  return isl_union_map_coalesce(isl_union_map_union(from_read, from_write));
}

/* Are A and B, accesses of S and T, parts of updates that commute? */
static bool commutes(struct checker *checker, const struct tsr_stmt *s, const struct tsr_access *a, const struct tsr_stmt *t,
                     const struct tsr_access *b)
{
  return a->array == b->array && checker->scop->arrays[a->array].kind == TSR_ARRAY_MEMORY && a->reduction != TSR_RED_NONE &&
         a->reduction == b->reduction && a->reassoc && b->reassoc &&
         ((a->exact && b->exact) || (s == t && checker->relaxed == TSR_RELAXED));
}

static bool has_update(struct checker *checker, const struct tsr_stmt *stmt)
{
  for (int k = 0; k < stmt->n_access; k++)
    if (commutes(checker, stmt, &stmt->access[k], stmt, &stmt->access[k]))
      return true;
  return false;
}

/* Those pairs of conflicts(ARRAY) from instances of S to instances of T that some two accesses make which don't commute. */
static isl_union_map *strict_conflicts(struct checker *checker, struct tsr_stmt *s, struct tsr_stmt *t, int array)
{
  isl_union_map *pairs = isl_union_map_empty_ctx(checker->scop->ctx);
  for (int k = 0; k < s->n_access; k++)
    for (int l = 0; l < t->n_access; l++) {
      struct tsr_access *a = &s->access[k], *b = &t->access[l];
      bool wanted = array < 0 ? checker->scop->arrays[a->array].kind == TSR_ARRAY_MEMORY : a->array == array;
      if (!wanted || a->array != b->array || (a->kind == TSR_READ && b->kind == TSR_READ) || commutes(checker, s, a, t, b))
        continue;
      isl_map *map = isl_map_apply_range(isl_map_copy(a->relation), isl_map_reverse(isl_map_copy(b->relation)));
      map = isl_map_intersect_domain(map, isl_set_copy(s->domain));
      pairs = isl_union_map_add_map(pairs, isl_map_intersect_range(map, isl_set_copy(t->domain)));
    }
  return isl_union_map_intersect_params(pairs, isl_set_copy(checker->known));
}

/* PAIRS of conflicts(ARRAY) without those from S to T that commute. */
static isl_union_map *drop_commuting(struct checker *checker, isl_union_map *pairs, struct tsr_stmt *s, struct tsr_stmt *t,
                                     int array)
{
  isl_set *all = isl_set_universe(isl_set_get_space(s->domain));
  isl_map *map = isl_map_from_domain_and_range(all, isl_set_universe(isl_set_get_space(t->domain)));
  pairs = isl_union_map_subtract(pairs, isl_union_map_from_map(map));
  return isl_union_map_union(pairs, strict_conflicts(checker, s, t, array));
}

/* Are all accesses to ARRAY made by the instances of the original themselves? */
static bool is_as_before(struct checker *checker, int array)
{
  for (int i = 0; i < checker->now->n_stmt; i++) {
    struct tsr_stmt *stmt = &checker->now->stmts[i];
    const char *origin = stmt->origin ? isl_map_get_tuple_name(stmt->origin, isl_dim_out) : stmt->name;
    int number = stmt->kind == TSR_STMT_COMPUTE ? tsr_scop_find_stmt(checker->scop, origin) : -1;
    for (int k = 0; k < stmt->n_access; k++) {
      int now = stmt->access[k].array, before = number < 0 ? now : checker->scop->stmts[number].access[k].array;
      if ((now == array || before == array) && (number < 0 || stmt->origin || now != before))
        return false;
    }
  }
  return true;
}

static isl_union_map *without_identity(isl_union_map *pairs)
{
  isl_union_set *domain = isl_union_map_domain(isl_union_map_copy(pairs));
  return isl_union_map_subtract(pairs, isl_union_set_identity(domain));
}

/* { E[x] -> F[y] } of PAIRS { S[i] -> T[j] }: E makes access K of statement number S, F access L of T. */
static isl_union_map *between_events(struct checker *checker, __isl_take isl_union_map *pairs, int s, int k, int t, int l)
{
  pairs = isl_union_map_apply_domain(pairs, isl_union_map_copy(*tsr_events_at(checker->events, s, k)));
  return isl_union_map_apply_range(pairs, isl_union_map_copy(*tsr_events_at(checker->events, t, l)));
}

/* The pairs of instances that now make accesses K and L of instances of statements number S and T, in the original order, if
 * these conflict. Within an instance K comes first if it is in front of L. */
static isl_union_map *access_conflicts(struct checker *checker, int s, int k, int t, int l)
{
  struct tsr_scop *scop = checker->scop;
  isl_map *a = isl_map_copy(scop->stmts[s].access[k].relation), *b = isl_map_copy(scop->stmts[t].access[l].relation);
  isl_map *map = isl_map_intersect_domain(isl_map_apply_range(a, isl_map_reverse(b)), isl_set_copy(scop->stmts[s].domain));
  map = isl_map_intersect_range(map, isl_set_copy(scop->stmts[t].domain));
  map = isl_map_intersect_params(map, isl_set_copy(checker->known));
  isl_union_map *within = NULL;
  if (s == t && k < l) {
    isl_map *same = isl_map_identity(isl_map_get_space(map));
    within = isl_union_map_from_map(isl_map_intersect(isl_map_copy(map), same));
    within = without_identity(between_events(checker, within, s, k, t, l));
  }
  isl_union_map *pairs = original_forward(checker, isl_union_map_from_map(map));
  pairs = between_events(checker, pairs, s, k, t, l);
  return within ? isl_union_map_union(pairs, within) : pairs;
}

/* The pairs of conflicting accesses to ARRAY in the original order, each between the instances that make them now. */
static isl_union_map *event_conflicts(struct checker *checker, int array)
{
  struct tsr_scop *scop = checker->scop;
  isl_union_map *all = isl_union_map_empty_ctx(scop->ctx);
  for (int i = 0; i < scop->n_stmt; i++)
    for (int k = 0; k < scop->stmts[i].n_access; k++)
      for (int j = 0; j < scop->n_stmt && scop->stmts[i].access[k].array == array; j++)
        for (int l = 0; l < scop->stmts[j].n_access; l++) {
          struct tsr_access *a = &scop->stmts[i].access[k], *b = &scop->stmts[j].access[l];
          if (b->array == array && (a->kind != TSR_READ || b->kind != TSR_READ))
            all = isl_union_map_union(all, access_conflicts(checker, i, k, j, l));
        }
  return all;
}

static isl_union_map *ordered_conflicts(struct checker *checker, int array);

/* ordered_conflicts of a transformed program. */
static isl_union_map *ordered_events(struct checker *checker, int array)
{
  isl_union_map *all = isl_union_map_empty_ctx(checker->scop->ctx);
  struct tsr_events *events = checker->events;
  for (int i = 0; i < checker->scop->n_array; i++) {
    if (array < 0 ? checker->scop->arrays[i].kind != TSR_ARRAY_MEMORY : i != array)
      continue;
    if (!is_as_before(checker, i)) {
      all = isl_union_map_union(all, event_conflicts(checker, i));
      continue;
    }
    checker->events = NULL;
    all = isl_union_map_union(all, ordered_conflicts(checker, i));
    checker->events = events;
  }
  return all;
}

/* conflicts(ARRAY) in the original order, without pairs that commute. */
static isl_union_map *ordered_conflicts(struct checker *checker, int array)
{
  if (checker->events)
    return ordered_events(checker, array);
  struct tsr_scop *scop = checker->scop;
  isl_union_map *pairs = conflicts(checker, array);
  for (int i = 0; i < scop->n_stmt && checker->relaxed != TSR_STRICT; i++)
    for (int j = 0; j < scop->n_stmt && has_update(checker, &scop->stmts[i]); j++)
      if (has_update(checker, &scop->stmts[j]))
        pairs = drop_commuting(checker, pairs, &scop->stmts[i], &scop->stmts[j], array);
  return original_forward(checker, pairs);
}

/* The first MEMORY array with a conflict in VIOLATED; restricts VIOLATED to it. */
static int find_violated_array(struct checker *checker, isl_union_map **violated)
{
  for (int i = 0; i < checker->scop->n_array; i++) {
    if (checker->scop->arrays[i].kind != TSR_ARRAY_MEMORY)
      continue;
    isl_union_map *mine = isl_union_map_intersect(isl_union_map_copy(*violated), ordered_conflicts(checker, i));
    if (isl_union_map_is_empty(mine) == isl_bool_false) {
      isl_union_map_free(*violated);
      *violated = mine;
      return i;
    }
    isl_union_map_free(mine);
  }
  return -1;
}

/* Say which pair of VIOLATED is wrong and why; ARRAY is -1 if it is yet to be found. */
static isl_bool fail_pair(struct checker *checker, isl_union_map *violated, int array, const char *what)
{
  struct pair_text text = {.scop = checker->scop};
  if (array < 0)
    array = find_violated_array(checker, &violated);
  isl_union_map_foreach_map(violated, sample_pair, &text);
  isl_union_map_free(violated);
  return fail(checker, "array %s: %s %s %s%s", array < 0 ? "?" : checker->scop->arrays[array].name, text.first, what,
              text.second, text.parameters);
}

/* Are all conflicts on MEMORY arrays in the same order as before? */
static isl_bool check_memory(struct checker *checker)
{
  isl_union_map *violated = tsr_tree_order_backward(checker->root, ordered_conflicts(checker, -1));
  isl_bool none = isl_union_map_is_empty(violated);
  if (none == isl_bool_false)
    return fail_pair(checker, violated, -1, "must run before");
  isl_union_map_free(violated);
  return none;
}

/* ---- values of SCALAR arrays ------------------------------------------------------------------------------ */

/* The accesses to one SCALAR array, and what is read where in the original order. */
struct values {
  int array;
  isl_union_set *writes; /* { W[i] } must writes */
  isl_union_set *reads;  /* { R[i] } but those that follow a write of the same instance */
  isl_union_map *flow;   /* { W -> R : R reads what W wrote }, originally */
};

static void values_clear(struct values *values)
{
  isl_union_set_free(values->writes);
  isl_union_set_free(values->reads);
  isl_union_map_free(values->flow);
}

/* { R } instances that read ARRAY before they write it, if they write it. */
static isl_union_set *exposed_reads(struct checker *checker, int array)
{
  isl_union_set *reads = isl_union_set_empty_ctx(checker->scop->ctx);
  for (int i = 0; i < checker->scop->n_stmt; i++) {
    struct tsr_stmt *stmt = &checker->scop->stmts[i];
    for (int k = 0; k < stmt->n_access; k++) {
      if (stmt->access[k].array != array)
        continue;
      if (stmt->access[k].kind != TSR_READ)
        break;
      reads = isl_union_set_add_set(reads, isl_set_copy(stmt->domain));
    }
  }
  return isl_union_set_intersect_params(reads, isl_set_copy(checker->known));
}

static isl_union_map *product(isl_union_set *from, isl_union_set *to)
{
  return isl_union_map_from_domain_and_range(isl_union_set_copy(from), isl_union_set_copy(to));
}

/* { W -> R : W is the last of WRITES before R in the original order } */
static isl_union_map *last_writes(struct checker *checker, isl_union_set *writes, isl_union_set *reads)
{
  isl_union_map *time =
      isl_union_map_intersect_domain(isl_schedule_get_map(checker->scop->schedule), isl_union_set_copy(writes));
  isl_union_map *read_write = isl_union_map_reverse(original_forward(checker, product(writes, reads)));
  isl_union_map *last = isl_union_map_lexmax(isl_union_map_apply_range(read_write, isl_union_map_copy(time)));
  last = isl_union_map_apply_range(last, isl_union_map_reverse(time));
  return isl_union_map_reverse(isl_union_map_coalesce(last));
}

static void values_compute(struct checker *checker, int array, struct values *values)
{
  values->array = array;
  values->writes = isl_union_map_domain(accesses(checker, TSR_MUST_WRITES, array));
  values->reads = exposed_reads(checker, array);
  values->flow = last_writes(checker, values->writes, values->reads);
}

/* Is there no pair W -> V that runs in this order, or in none, in the tree to check? */
static isl_bool check_none_forward(struct checker *checker, struct values *values, isl_union_map *pairs, const char *what)
{
  isl_union_map *forward = tsr_tree_order_forward(checker->root, pairs, true);
  isl_bool none = isl_union_map_is_empty(forward);
  if (none == isl_bool_false)
    return fail_pair(checker, forward, values->array, what);
  isl_union_map_free(forward);
  return none;
}

/* { W -> V : V not W, in one iteration of all loops of PREFIX }, from the pairs of two sets of instances. */
static isl_union_map *same_iteration(isl_union_set *from, isl_union_set *to, isl_multi_union_pw_aff *prefix)
{
  isl_union_map *pairs = product(from, to);
  if (isl_multi_union_pw_aff_size(prefix) > 0)
    pairs = isl_union_map_eq_at_multi_union_pw_aff(pairs, isl_multi_union_pw_aff_copy(prefix));
  return without_identity(pairs);
}

/* Does no other write V run between W and R, for all pairs W -> R of FLOW? Their ends, and so V, are below NODE in one
 * iteration of all loops of PREFIX. */
static isl_bool check_untorn(struct checker *checker, struct values *values, isl_schedule_node *node,
                             __isl_take isl_union_map *flow, isl_multi_union_pw_aff *prefix)
{
  isl_bool none = isl_union_map_is_empty(flow);
  if (none != isl_bool_false) {
    isl_union_map_free(flow);
    return none;
  }
  isl_union_set *sources = isl_union_map_domain(isl_union_map_copy(flow));
  isl_union_set *sinks = isl_union_map_range(isl_union_map_copy(flow));
  isl_union_set *here = isl_union_set_intersect(isl_schedule_node_get_domain(node), isl_union_set_copy(values->writes));
  isl_union_map *after = tsr_tree_order_forward(node, same_iteration(sources, here, prefix), true);
  isl_union_map *ahead = tsr_tree_order_forward(node, same_iteration(here, sinks, prefix), true);
  isl_union_set_free(sources);
  isl_union_set_free(sinks);
  isl_union_set_free(here);
  isl_union_map *torn = isl_union_map_intersect(isl_union_map_apply_range(after, ahead), flow);
  none = isl_union_map_is_empty(torn);
  if (none == isl_bool_false)
    return fail_pair(checker, torn, values->array, "writes a value that is overwritten before it is read by");
  isl_union_map_free(torn);
  return none;
}

/* The same for the band at NODE: what its members separate is checked, what they leave together comes back in *FLOW. */
static isl_bool check_band_flow(struct checker *checker, struct values *values, isl_schedule_node *node,
                                isl_union_map **flow)
{
  isl_multi_union_pw_aff *prefix = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(node);
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_size n = isl_multi_union_pw_aff_size(partial);
  isl_bool ok = isl_bool_ok(n >= 0);
  for (int i = 0; i < n && ok == isl_bool_true; i++) {
    isl_multi_union_pw_aff *member = tsr_member_schedule(partial, i);
    isl_union_map *apart =
        isl_union_map_lex_lt_at_multi_union_pw_aff(isl_union_map_copy(*flow), isl_multi_union_pw_aff_copy(member));
    *flow = isl_union_map_eq_at_multi_union_pw_aff(*flow, isl_multi_union_pw_aff_copy(member));
    ok = check_untorn(checker, values, node, apart, prefix);
    prefix = isl_multi_union_pw_aff_flat_range_product(prefix, member);
  }
  isl_multi_union_pw_aff_free(partial);
  isl_multi_union_pw_aff_free(prefix);
  return ok;
}

/* Walk down the tree with those live ranges that are still in one piece; check each where it is split. */
static isl_bool check_flow(struct checker *checker, struct values *values, isl_schedule_node *node,
                           __isl_take isl_union_map *flow)
{
  isl_bool ok = isl_bool_ok(isl_union_map_is_empty(flow) == isl_bool_false);
  if (ok != isl_bool_true) {
    isl_union_map_free(flow);
    return isl_bool_true;
  }
  if (isl_schedule_node_get_type(node) == isl_schedule_node_band)
    ok = check_band_flow(checker, values, node, &flow);
  isl_size n = isl_schedule_node_n_children(node);
  isl_union_map *apart = isl_union_map_copy(flow);
  for (int i = 0; i < n && ok == isl_bool_true; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(node, i);
    isl_union_map *within = isl_union_map_copy(flow);
    if (isl_schedule_node_get_type(child) == isl_schedule_node_filter) {
      isl_union_set *filter = isl_schedule_node_filter_get_filter(child);
      within = isl_union_map_intersect_domain(within, isl_union_set_copy(filter));
      within = isl_union_map_intersect_range(within, filter);
    }
    apart = isl_union_map_subtract(apart, isl_union_map_copy(within));
    ok = check_flow(checker, values, child, within);
    isl_schedule_node_free(child);
  }
  isl_union_map_free(flow);
  if (ok != isl_bool_true) {
    isl_union_map_free(apart);
    return ok;
  }
  isl_multi_union_pw_aff *prefix = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(node);
  ok = check_untorn(checker, values, node, apart, prefix);
  isl_multi_union_pw_aff_free(prefix);
  return ok;
}

/* Does every write still run before its readers? */
static isl_bool check_flow_order(struct checker *checker, struct values *values)
{
  isl_union_map *violated = tsr_tree_order_backward(checker->root, isl_union_map_copy(values->flow));
  isl_bool none = isl_union_map_is_empty(violated);
  if (none == isl_bool_false)
    return fail_pair(checker, violated, values->array, "must write before");
  isl_union_map_free(violated);
  return none;
}

/* Do the reads of the value from before the SCoP still get it? */
static isl_bool check_incoming(struct checker *checker, struct values *values)
{
  isl_union_set *fed = isl_union_map_range(isl_union_map_copy(values->flow));
  isl_union_set *incoming = isl_union_set_subtract(isl_union_set_copy(values->reads), fed);
  isl_union_map *pairs = without_identity(product(values->writes, incoming));
  isl_union_set_free(incoming);
  return check_none_forward(checker, values, pairs, "overwrites the incoming value before");
}

/* Does the same write remain the last one? */
static isl_bool check_outgoing(struct checker *checker, struct values *values)
{
  isl_union_set *overwritten = isl_union_map_domain(original_forward(checker, product(values->writes, values->writes)));
  isl_union_set *last = isl_union_set_subtract(isl_union_set_copy(values->writes), overwritten);
  isl_union_map *pairs = without_identity(product(last, values->writes));
  isl_union_set_free(last);
  return check_none_forward(checker, values, pairs, "writes the final value but runs before");
}

/* Do all values of SCALAR array ARRAY reach the same readers in both orders? */
static isl_bool check_values(struct checker *checker, int array)
{
  struct tsr_array *a = &checker->scop->arrays[array];
  struct values values = {0};
  values_compute(checker, array, &values);
  isl_bool same = check_flow_order(checker, &values);
  if (same == isl_bool_true)
    same = check_flow(checker, &values, checker->root, isl_union_map_copy(values.flow));
  if (same == isl_bool_true && a->live_in)
    same = check_incoming(checker, &values);
  if (same == isl_bool_true && a->live_out)
    same = check_outgoing(checker, &values);
  values_clear(&values);
  return same;
}

/* Is the SCALAR array ARRAY accessed in the same order, or do at least its values stay where they were? */
static isl_bool check_scalar(struct checker *checker, int array)
{
  isl_union_map *violated = tsr_tree_order_backward(checker->root, ordered_conflicts(checker, array));
  isl_bool same = isl_union_map_is_empty(violated);
  if (same != isl_bool_false) {
    isl_union_map_free(violated);
    return same;
  }
  isl_union_map *may = accesses(checker, 1u << TSR_MAY_WRITE, array);
  isl_bool exact = isl_union_map_is_empty(may);
  isl_union_map_free(may);
  if (exact != isl_bool_true)
    return fail_pair(checker, violated, array, "must run before");
  isl_union_map_free(violated);
  return check_values(checker, array);
}

/* ---- the tree itself ---------------------------------------------------------------------------------------- */

/* Do the children of the sequence or set at NODE share out its instances, each to one? */
static isl_bool check_filters(struct checker *checker, isl_schedule_node *node)
{
  isl_union_set *left = isl_union_set_intersect_params(isl_schedule_node_get_domain(node), isl_set_copy(checker->known));
  isl_size n = isl_schedule_node_n_children(node);
  isl_bool ok = isl_bool_ok(n >= 0);
  isl_union_set *seen = isl_union_set_empty_ctx(checker->now->ctx);
  for (int i = 0; i < n && ok == isl_bool_true; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(node, i);
    isl_union_set *filter = isl_union_set_intersect(isl_schedule_node_filter_get_filter(child), isl_union_set_copy(left));
    isl_schedule_node_free(child);
    if (isl_union_set_is_disjoint(filter, seen) != isl_bool_true)
      ok = fail(checker, "some instances are executed by two children of a sequence or set");
    seen = isl_union_set_union(seen, filter);
  }
  if (ok == isl_bool_true && isl_union_set_is_subset(left, seen) != isl_bool_true)
    ok = fail(checker, "some instances are executed by no child of a sequence or set");
  isl_union_set_free(left);
  isl_union_set_free(seen);
  return ok;
}

/* Does the filter at NODE, not one of a sequence or set, keep all instances? */
static isl_bool check_lone_filter(struct checker *checker, isl_schedule_node *node)
{
  enum isl_schedule_node_type parent = isl_schedule_node_get_parent_type(node);
  if (parent == isl_schedule_node_sequence || parent == isl_schedule_node_set)
    return isl_bool_true;
  isl_union_set *domain = isl_union_set_intersect_params(isl_schedule_node_get_domain(node), isl_set_copy(checker->known));
  isl_union_set *filter = isl_schedule_node_filter_get_filter(node);
  isl_bool all = isl_union_set_is_subset(domain, filter);
  isl_union_set_free(domain);
  isl_union_set_free(filter);
  return all == isl_bool_false ? fail(checker, "a filter drops instances") : all;
}

/* Does the band at NODE place every instance? */
static isl_bool check_band(struct checker *checker, isl_schedule_node *node)
{
  isl_union_set *domain = isl_union_set_intersect_params(isl_schedule_node_get_domain(node), isl_set_copy(checker->known));
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_union_set *placed = isl_multi_union_pw_aff_domain(partial);
  isl_bool all = isl_union_set_is_subset(domain, placed);
  isl_union_set_free(domain);
  isl_union_set_free(placed);
  return all == isl_bool_false ? fail(checker, "a band does not place all instances") : all;
}

/* Does a context or guard node restrict the parameters no more than is known? */
static isl_bool check_condition(struct checker *checker, isl_schedule_node *node)
{
  if (isl_schedule_node_get_schedule_depth(node) != 0)
    return fail(checker, "a context or guard node below a band is not supported");
  isl_bool context = isl_bool_ok(isl_schedule_node_get_type(node) == isl_schedule_node_context);
  isl_set *set = context ? isl_schedule_node_context_get_context(node) : isl_schedule_node_guard_get_guard(node);
  set = isl_set_params(set);
  isl_set *known = tsr_scop_known(checker->now);
  isl_bool holds = isl_set_is_subset(known, set);
  isl_set_free(known);
  isl_set_free(set);
  return holds == isl_bool_false ? fail(checker, "a context or guard node assumes what is not known") : holds;
}

static isl_bool check_node(isl_schedule_node *node, void *user)
{
  struct checker *checker = user;
  switch (isl_schedule_node_get_type(node)) {
  case isl_schedule_node_domain:
  case isl_schedule_node_leaf:
    return isl_bool_true;
  case isl_schedule_node_sequence:
  case isl_schedule_node_set:
    return check_filters(checker, node);
  case isl_schedule_node_filter:
    return check_lone_filter(checker, node);
  case isl_schedule_node_band:
    return check_band(checker, node);
  case isl_schedule_node_context:
  case isl_schedule_node_guard:
    return check_condition(checker, node);
  case isl_schedule_node_mark:
    return tsr_check_mark(checker->now, node, &checker->why);
  case isl_schedule_node_extension:
    return fail(checker, "extension nodes are not supported");
  case isl_schedule_node_expansion:
    return fail(checker, "expansion nodes are not supported");
  case isl_schedule_node_error:
    break;
  }
  return isl_bool_error;
}

/* Does the tree start from exactly the instances of the SCoP? */
static isl_bool check_domain(struct checker *checker)
{
  if (isl_schedule_node_get_type(checker->root) != isl_schedule_node_domain)
    return fail(checker, "the tree does not start with a domain");
  isl_union_set *expected = isl_union_set_intersect_params(tsr_scop_domain(checker->now), isl_set_copy(checker->known));
  isl_union_set *domain = isl_schedule_node_domain_get_domain(checker->root);
  domain = isl_union_set_intersect_params(domain, isl_set_copy(checker->known));
  isl_bool equal = isl_union_set_is_equal(expected, domain);
  isl_union_set_free(expected);
  isl_union_set_free(domain);
  return equal == isl_bool_false ? fail(checker, "the tree does not execute exactly the instances of the SCoP") : equal;
}

/* requires: a well-formed program.  guarantees: isl_bool_true only for programs that leave the same final memory as the
 * original. on failure: isl_bool_error. */
static isl_bool check(struct tsr_program *program, int relaxed, char **why)
{
  bool same = program->scop == program->original;
  struct tsr_scop *scop = program->original;
  struct checker checker = {.scop = scop, .now = program->scop, .known = tsr_scop_common(scop), .relaxed = relaxed};
  isl_bool legal = isl_bool_error;
  if (tsr_program_adopt_marks(program) == isl_stat_ok) {
    checker.root = isl_schedule_get_root(same ? program->tree : program->scop->schedule);
    legal = check_domain(&checker);
  }
  if (legal == isl_bool_true)
    legal = isl_schedule_node_every_descendant(checker.root, check_node, &checker);
  if (legal == isl_bool_true && !same) {
    checker.events = tsr_program_events(program, checker.known, &checker.why);
    legal = checker.events ? isl_bool_true : checker.why ? isl_bool_false : isl_bool_error;
  }
  if (legal == isl_bool_true)
    legal = check_memory(&checker);
  struct tsr_events *events = checker.events;
  checker.events = NULL; /* scalars are used by the original's instances alone */
  for (int i = 0; i < scop->n_array && legal == isl_bool_true; i++)
    if (scop->arrays[i].kind == TSR_ARRAY_SCALAR)
      legal = check_scalar(&checker, i);
  tsr_events_free(events);
  isl_schedule_node_free(checker.root);
  isl_set_free(checker.known);
  if (why)
    *why = checker.why;
  else
    free(checker.why);
  return legal;
}

isl_bool tsr_check_program(struct tsr_program *program, enum tsr_relaxation relaxed, char **why)
{
  return check(program, relaxed, why);
}

/* SCOP in the order of TREE. */
static isl_bool check_tree(struct tsr_scop *scop, isl_schedule *tree, enum tsr_relaxation relaxed, char **why)
{
  struct tsr_program program = {.ref = 1, .original = scop, .scop = scop, .tree = isl_schedule_copy(tree)};
  isl_bool legal = check(&program, relaxed, why);
  isl_schedule_free(program.tree);
  return legal;
}

isl_bool tsr_check_schedule(struct tsr_scop *scop, isl_schedule *tree, char **why)
{
  return check_tree(scop, tree, TSR_STRICT, why);
}

isl_bool tsr_check_schedule_relaxed(struct tsr_scop *scop, isl_schedule *tree, char **why)
{
  return check_tree(scop, tree, TSR_RELAXED, why);
}

isl_bool tsr_check_schedule_exact(struct tsr_scop *scop, isl_schedule *tree, char **why)
{
  return check_tree(scop, tree, TSR_EXACT, why);
}
