/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where values that are read from buffers come from: who wrote them last, by the accesses and the tree alone,
 *
 *     last    { Z[x] -> W[y] : W wrote last what Z reads from a buffer }      in the order of the tree
 *
 * and where that is a move, what moved. Each life of a buffer has elements of its own here, [t] -> B[e]. Where an element
 * has one writer that is the last one; else isl's dataflow says which is, of those who compute alone where moves fill the
 * buffer first: that is much cheaper. So it is where elements go by the names of what fills them: A[i, j], say, and not
 * [j/64] -> B[i, j mod 64]. */
#include "check/check_buffers.h"
#include <isl/flow.h>
#include <isl/id.h>

/* How many moves a value may go through. */
#define MOST_MOVES 6

/* ---- last writers ---- */

/* ACCESSES { S[x] -> B[e] } to buffer ARRAY as { S[x] -> [[t] -> B[e]] }: elements of two lives are two. */
static isl_union_map *in_lives(struct tsr_buffers *b, int array, __isl_take isl_union_map *accesses)
{
  isl_union_map *time = b->life[array].time;
  return time ? isl_union_map_range_product(isl_union_map_copy(time), accesses) : accesses;
}

static isl_bool has_one_piece(isl_map *map, void *user)
{
  (void)user;
  return isl_bool_ok(isl_map_n_basic_map(map) <= 1);
}

/* Add ACCESS { W[y] -> [[t] -> B[e]] }, of a statement that writes no other element by it if ONE, to WRITERS; those of
 * another access of the same statement keep a hull of their own. Does each instance in the hull write one element? */
static isl_bool add_writes(struct tsr_writers *writers, isl_union_map *access, bool one)
{
  isl_union_map *around = isl_union_map_simple_hull(isl_union_map_copy(access));
  one = one && isl_union_map_every_map(access, has_one_piece, NULL) == isl_bool_true; /* the hull of one is itself */
  isl_bool single = one ? isl_bool_true : isl_union_map_is_single_valued(around);
  writers->writes = isl_union_map_union(writers->writes, access);
  writers->around = isl_union_map_union(writers->around, isl_union_map_reverse(around));
  return single;
}

/* Find those writers of buffer ARRAY whose kinds are in KINDS, a mask of 1 << enum tsr_stmt_kind. Where there are but moves
 * that hulls take for several of an element, one may be named by an instance in some piece, which isn't in others. */
static isl_stat writers_find(struct tsr_buffers *b, int array, unsigned kinds, struct tsr_writers *writers)
{
  bool one = true;
  isl_bool single = isl_bool_true;
  writers->writes = isl_union_map_empty_ctx(b->scop->ctx);
  writers->around = isl_union_map_empty_ctx(b->scop->ctx);
  for (int i = 0; i < b->scop->n_stmt; i++)
    for (int k = 0; k < b->scop->stmts[i].n_access && kinds >> b->scop->stmts[i].kind & 1; k++) {
      struct tsr_access *access = &b->scop->stmts[i].access[k];
      if (access->array != array || access->kind == TSR_READ)
        continue;
      bool function = isl_map_is_single_valued(access->relation) == isl_bool_true;
      isl_union_map *own = in_lives(b, array, isl_union_map_from_map(tsr_relation_of(b, &b->scop->stmts[i], k)));
      isl_bool is = add_writes(writers, own, function);
      single = is < 0 || single == isl_bool_true ? is : single;
      one = one && function;
    }
  if (single == isl_bool_true)
    single = isl_union_map_is_single_valued(writers->around);
  if (single == isl_bool_false && kinds == 1u << TSR_STMT_MOVE) {
    isl_union_map *exact = isl_union_map_reverse(isl_union_map_copy(writers->writes));
    single = one ? isl_bool_true : isl_union_map_is_injective(exact);
    if (single == isl_bool_true)
      single = isl_union_map_is_single_valued(exact);
    isl_union_map_free(single == isl_bool_true ? writers->around : exact);
    writers->around = single == isl_bool_true ? exact : writers->around;
  }
  writers->single = single == isl_bool_true;
  return single < 0 ? isl_stat_error : isl_stat_ok;
}

/* Does a statement that computes write buffer ARRAY? */
static bool is_computed(const struct tsr_buffers *b, int array)
{
  bool computed = false;
  for (int i = 0; i < b->scop->n_stmt; i++)
    for (int k = 0; k < b->scop->stmts[i].n_access && b->scop->stmts[i].kind == TSR_STMT_COMPUTE; k++)
      computed |= b->scop->stmts[i].access[k].array == array && b->scop->stmts[i].access[k].kind != TSR_READ;
  return computed;
}

/* Are all of A in B? Takes both. */
static isl_bool are_in(__isl_take isl_union_set *a, __isl_take isl_union_set *b)
{
  isl_bool are = isl_union_set_is_subset(a, b);
  isl_union_set_free(a);
  isl_union_set_free(b);
  return are;
}

/* ACCESSES { S[x] -> [[t] -> B[e]] }, of one element each, by NAMES; NULL: not all have some, or they aren't. */
static isl_union_map *by_names(isl_union_map *accesses, isl_union_map *names)
{
  isl_union_map *named = isl_union_map_apply_range(isl_union_map_copy(accesses), isl_union_map_copy(names));
  named = isl_union_map_coalesce(isl_union_map_detect_equalities(named));
  isl_bool good = isl_union_map_is_single_valued(named);
  if (good == isl_bool_true)
    good = are_in(isl_union_map_domain(isl_union_map_copy(accesses)), isl_union_map_domain(isl_union_map_copy(named)));
  return good == isl_bool_true ? named : isl_union_map_free(named);
}

/* The writes of computes to buffer ARRAY by NAMES, as { W[y] -> A[x] }; NULL: not all have some. */
static isl_union_map *computes_by_names(struct tsr_buffers *b, int array, isl_union_map *names)
{
  isl_union_map *all = isl_union_map_empty_ctx(b->scop->ctx);
  for (int i = 0; i < b->scop->n_stmt; i++)
    for (int k = 0; k < b->scop->stmts[i].n_access && b->scop->stmts[i].kind == TSR_STMT_COMPUTE && all; k++) {
      const struct tsr_stmt *stmt = &b->scop->stmts[i];
      if (stmt->access[k].array != array || stmt->access[k].kind == TSR_READ)
        continue;
      isl_union_map *writes = in_lives(b, array, isl_union_map_from_map(tsr_relation_of(b, stmt, k)));
      isl_union_map *named = by_names(writes, names);
      all = named ? isl_union_map_union(all, named) : isl_union_map_free(all);
      isl_union_map_free(writes);
    }
  return all;
}

/* Find the names of the elements of buffer ARRAY, which moves fill: for hulls of the moves, as names need not be used. */
static isl_stat find_names(struct tsr_buffers *b, int array)
{
  struct tsr_life *life = &b->life[array];
  isl_union_map *from = isl_union_map_empty_ctx(b->scop->ctx);
  for (int i = 0; i < b->scop->n_stmt; i++)
    if (b->scop->stmts[i].kind == TSR_STMT_MOVE && b->scop->stmts[i].access[1].array == array)
      from = isl_union_map_add_map(from, tsr_relation_of(b, &b->scop->stmts[i], 0));
  life->names = isl_union_map_apply_range(isl_union_map_copy(life->moves.around), isl_union_map_simple_hull(from));
  isl_bool good = isl_union_map_is_single_valued(life->names);
  if (good == isl_bool_true)
    good = isl_union_map_is_injective(life->names);
  if (good == isl_bool_true)
    life->named = computes_by_names(b, array, life->names);
  if (!life->named)
    life->names = isl_union_map_free(life->names);
  return good < 0 ? isl_stat_error : isl_stat_ok;
}

/* Find the writers of buffer ARRAY. */
isl_stat tsr_find_writers(struct tsr_buffers *b, int array)
{
  struct tsr_life *life = &b->life[array];
  if (life->all.writes)
    return isl_stat_ok;
  bool computed = is_computed(b, array);
  if (writers_find(b, array, 1u << TSR_STMT_MOVE | (computed ? 1u << TSR_STMT_COMPUTE : 0), &life->all) < 0)
    return isl_stat_error;
  if (!computed) { /* all of them are moves */
    life->moves = life->all;
    life->moves.writes = isl_union_map_copy(life->all.writes);
    life->moves.around = isl_union_map_copy(life->all.around);
    return isl_stat_ok;
  }
  if (writers_find(b, array, 1u << TSR_STMT_MOVE, &life->moves) < 0 ||
      writers_find(b, array, 1u << TSR_STMT_COMPUTE, &life->computes) < 0)
    return isl_stat_error;
  isl_union_map *again = isl_union_map_apply_range(isl_union_map_reverse(isl_union_map_copy(life->moves.around)),
                                                   isl_union_map_copy(life->computes.around));
  isl_bool none = isl_union_map_is_empty(again);
  isl_union_map *late = tsr_tree_order_backward(b->root, again);
  isl_bool first = isl_union_map_is_empty(late);
  isl_union_map_free(late);
  if (none < 0 || first < 0)
    return isl_stat_error;
  life->filled = life->moves.single && first && !none;
  return life->filled ? find_names(b, array) : isl_stat_ok;
}

/* What last_writers is asked for where each element has but one of WRITERS in a life, which runs before Z reads it by READS
 * { Z[x] -> [[t] -> B[e]] }. NULL: this isn't so, as far as hulls of the instances that write tell; or isl failed. */
static isl_union_map *only_writers(struct tsr_buffers *b, struct tsr_writers *writers, isl_union_map *reads)
{
  if (!writers->single)
    return NULL;
  isl_union_map *only = isl_union_map_apply_range(isl_union_map_copy(reads), isl_union_map_copy(writers->around));
  isl_bool good = are_in(isl_union_map_domain(isl_union_map_copy(reads)), isl_union_map_domain(isl_union_map_copy(only)));
  if (good == isl_bool_true)
    good = are_in(isl_union_map_range(isl_union_map_copy(only)), isl_union_map_domain(isl_union_map_copy(writers->writes)));
  if (good == isl_bool_true) {
    isl_union_map *late = tsr_tree_order_backward(b->root, isl_union_map_reverse(isl_union_map_copy(only)));
    good = isl_union_map_is_empty(late);
    isl_union_map_free(late);
  }
  return good == isl_bool_true ? only : isl_union_map_free(only);
}

/* The order of TOUCHED within a life of buffer ARRAY: that of the tree without the loops around its mark, of which all of a
 * life has one iteration. */
static isl_schedule *order_in_life(struct tsr_buffers *b, int array, __isl_take isl_union_set *touched)
{
  isl_schedule_node *node = isl_schedule_node_copy(b->life[array].mark ? b->life[array].mark : b->root);
  while (isl_schedule_node_has_parent(node) == isl_bool_true) {
    node = isl_schedule_node_parent(node);
    if (isl_schedule_node_get_type(node) == isl_schedule_node_band &&
        isl_schedule_node_is_subtree_anchored(node) == isl_bool_false)
      node = isl_schedule_node_delete(node);
  }
  isl_schedule *order = isl_schedule_node_get_schedule(node);
  isl_schedule_node_free(node);
  return isl_schedule_intersect_domain(order, isl_union_set_universe(touched));
}

/* What add_related works on. */
struct related {
  isl_union_set *elements;
  isl_union_map *writes;
};

static isl_stat add_related(isl_basic_map *piece, void *user)
{
  struct related *r = user;
  isl_map *map = isl_map_from_basic_map(piece);
  isl_union_set *written = isl_union_set_from_set(isl_map_range(isl_map_copy(map)));
  isl_bool apart = isl_union_set_is_disjoint(written, r->elements);
  isl_union_set_free(written);
  if (apart == isl_bool_false)
    r->writes = isl_union_map_add_map(r->writes, map);
  else
    isl_map_free(map);
  return apart < 0 ? isl_stat_error : isl_stat_ok;
}

static isl_stat add_related_pieces(isl_map *map, void *user)
{
  isl_stat ok = isl_map_foreach_basic_map(map, add_related, user);
  isl_map_free(map);
  return ok;
}

/* The pieces of WRITES that have elements of READS: isl looks at each writer, for each that reads. */
static isl_union_map *related_writes(isl_union_map *writes, isl_union_map *reads)
{
  struct related r = {isl_union_map_range(isl_union_map_copy(reads)), isl_union_map_empty(isl_union_map_get_space(writes))};
  if (isl_union_map_foreach_map(writes, add_related_pieces, &r) < 0)
    r.writes = isl_union_map_free(r.writes);
  isl_union_set_free(r.elements);
  return r.writes;
}

/* { Z[x] -> W[y] : W, by WRITES { W[y] -> E }, writes last what Z reads by READS { Z[x] -> E } }, E an element of some life,
 * [[t] -> B[e]] or its name; *LOST: those reads that have none. */
static isl_union_map *flow_writers(struct tsr_buffers *b, int array, isl_union_map *writes, isl_union_map *reads,
                                   isl_union_map **lost)
{
  writes = related_writes(writes, reads);
  isl_union_set *touched = isl_union_map_domain(isl_union_map_copy(reads));
  touched = isl_union_set_union(touched, isl_union_map_domain(isl_union_map_copy(writes)));
  isl_union_access_info *info = isl_union_access_info_from_sink(isl_union_map_copy(reads));
  info = isl_union_access_info_set_must_source(info, writes);
  info = isl_union_access_info_set_schedule(info, order_in_life(b, array, touched));
  isl_union_flow *flow = isl_union_access_info_compute_flow(info);
  isl_union_map *last = isl_union_map_reverse(isl_union_flow_get_must_dependence(flow));
  *lost = isl_union_flow_get_must_no_source(flow);
  isl_union_flow_free(flow);
  return last;
}

/* The same for all writers, where moves fill the buffer first: what nobody has computed yet they have moved. NULL: it isn't
 * so. */
static isl_union_map *filled_writers(struct tsr_buffers *b, int array, isl_union_map *reads)
{
  struct tsr_life *life = &b->life[array];
  isl_union_map *lost, *last, *named = life->names ? by_names(reads, life->names) : NULL;
  last = flow_writers(b, array, named ? life->named : life->computes.writes, named ? named : reads, &lost);
  if (named) /* each reads one element */
    lost = isl_union_map_intersect_domain(isl_union_map_copy(reads), isl_union_map_domain(lost));
  isl_union_map_free(named);
  isl_union_map *moved = only_writers(b, &life->moves, lost);
  isl_union_map_free(lost);
  if (!moved)
    return isl_union_map_free(last);
  return isl_union_map_union(last, moved);
}

/* ---- by which access ---- */

isl_id *tsr_source_id(const struct tsr_buffers *b, const struct tsr_stmt *stmt, int k)
{
  return isl_id_alloc(b->scop->ctx, stmt->name, &stmt->access[k]);
}

int tsr_source_access(const struct tsr_stmt *stmt, isl_id *id)
{
  struct tsr_access *access = isl_id_get_user(id);
  return access ? (int)(access - stmt->access) : -1;
}

/* What name_writers works on. */
struct naming {
  struct tsr_buffers *b;
  int array;
  isl_map *reads;
  isl_union_map *named;
};

/* Of LAST { Z[x] -> W[y] }, W being STMT, that writes the buffer by several accesses, those where Z reads what K wrote. */
static isl_map *written_by(struct naming *naming, isl_map *last, const struct tsr_stmt *stmt, int k)
{
  isl_map *by = isl_map_reverse(tsr_relation_of(naming->b, stmt, k));
  return isl_map_intersect(isl_map_copy(last), isl_map_apply_range(isl_map_copy(naming->reads), by));
}

/* Add LAST { Z[x] -> W[y] }, of one statement W, to what name_writers gives. */
static isl_stat name_writer(isl_map *last, void *user)
{
  struct naming *naming = user;
  struct tsr_buffers *b = naming->b;
  int number = tsr_scop_find_stmt(b->scop, isl_map_get_tuple_name(last, isl_dim_out)), n = 0;
  const struct tsr_stmt *stmt = number < 0 ? NULL : &b->scop->stmts[number];
  if (stmt && stmt->kind == TSR_STMT_MOVE) {
    naming->named = isl_union_map_add_map(naming->named, last);
    return isl_stat_non_null(naming->named);
  }
  for (int k = 0; stmt && k < stmt->n_access; k++)
    n += stmt->access[k].kind != TSR_READ && stmt->access[k].array == naming->array;
  isl_map *left = n > 1 ? isl_map_copy(last) : NULL;
  for (int k = 0; n > 0 && k < stmt->n_access; k++) {
    if (stmt->access[k].kind == TSR_READ || stmt->access[k].array != naming->array)
      continue;
    isl_map *own = n > 1 ? written_by(naming, last, stmt, k) : isl_map_copy(last);
    left = n > 1 ? isl_map_subtract(left, isl_map_copy(own)) : NULL;
    own = isl_map_set_tuple_id(own, isl_dim_out, tsr_source_id(b, stmt, k));
    naming->named = isl_union_map_add_map(naming->named, own);
  }
  isl_bool all = n > 1 ? isl_map_is_empty(left) : isl_bool_ok(n == 1);
  isl_map_free(left);
  isl_map_free(last);
  if (all == isl_bool_false)
    tsr_buffers_wrong(b, "is read where it is not known who wrote it", b->scop->arrays[naming->array].name);
  return all == isl_bool_true ? isl_stat_ok : isl_stat_error;
}

/* LAST { Z[x] -> W[y] }, which is taken, of what READS { Z[x] -> B[e] } of buffer ARRAY get: statements that compute by the
 * id of the access that wrote it. */
static isl_union_map *name_writers(struct tsr_buffers *b, int array, isl_map *reads, __isl_take isl_union_map *last)
{
  struct naming naming = {b, array, reads, isl_union_map_empty_ctx(b->scop->ctx)};
  if (isl_union_map_foreach_map(last, name_writer, &naming) < 0)
    naming.named = isl_union_map_free(naming.named);
  isl_union_map_free(last);
  return naming.named;
}

/* { Z[x] -> W[y] : W wrote last what Z reads of buffer ARRAY by READS { Z[x] -> B[e] } }, as name_writers names it. NULL:
 * somebody reads what nobody has written, in this life of the buffer. */
static isl_union_map *last_writers(struct tsr_buffers *b, int array, __isl_take isl_map *reads)
{
  struct tsr_life *life = &b->life[array];
  if (b->original->conditions == TSR_CONDITIONS_MANY) /* else all of them are here already */
    reads = tsr_scop_tell(b->original, reads);
  isl_union_map *sink = in_lives(b, array, isl_union_map_from_map(isl_map_copy(reads))), *lost = NULL, *last = NULL;
  if (tsr_find_writers(b, array) == isl_stat_ok) {
    last = life->filled ? filled_writers(b, array, sink) : only_writers(b, &life->all, sink);
    if (!last)
      last = flow_writers(b, array, life->all.writes, sink, &lost);
  }
  isl_union_map_free(sink);
  isl_bool none = lost ? isl_union_map_is_empty(lost) : isl_bool_true;
  if (none == isl_bool_false) { /* for parameters that there aren't? */
    lost = isl_union_map_intersect_params(lost, tsr_scop_known(b->original));
    none = isl_union_map_is_empty(lost);
  }
  isl_union_map_free(lost);
  if (none == isl_bool_false)
    tsr_buffers_wrong(b, "is read where nobody has written it in this life", b->scop->arrays[array].name);
  last = none == isl_bool_true && last ? name_writers(b, array, reads, last) : isl_union_map_free(last);
  isl_map_free(reads);
  return last;
}

/* ---- moves ---- */

/* What follow_map is about. */
struct follow {
  struct tsr_buffers *b;
  struct tsr_sources *sources;
  int depth;
};

static isl_stat follow(struct tsr_buffers *b, __isl_take isl_union_map *last, struct tsr_sources *sources, int depth);

/* Add LAST { Z[x] -> W[y] }, of one statement W, to the sources; where W is a move from a buffer, what that one had. */
static isl_stat follow_map(isl_map *last, void *user)
{
  struct follow *f = user;
  struct tsr_buffers *b = f->b;
  int number = tsr_scop_find_stmt(b->scop, isl_map_get_tuple_name(last, isl_dim_out));
  const struct tsr_stmt *stmt = number < 0 ? NULL : &b->scop->stmts[number];
  if (!stmt) {
    isl_map_free(last);
    return isl_stat_error;
  }
  if (stmt->kind == TSR_STMT_COMPUTE) {
    f->sources->computed = isl_union_map_add_map(f->sources->computed, last);
    return isl_stat_non_null(f->sources->computed);
  }
  int from = stmt->access[0].array;
  if (!tsr_is_buffer(b, from)) {
    f->sources->moved = isl_union_map_add_map(f->sources->moved, last);
    return isl_stat_non_null(f->sources->moved);
  }
  isl_map *reads = isl_map_intersect_domain(tsr_relation_of(b, stmt, 0), isl_map_range(isl_map_copy(last)));
  isl_union_map *before = last_writers(b, from, reads);
  if (!before) {
    isl_map_free(last);
    return isl_stat_error;
  }
  return follow(b, isl_union_map_apply_range(isl_union_map_from_map(last), before), f->sources, f->depth + 1);
}

static isl_stat follow(struct tsr_buffers *b, isl_union_map *last, struct tsr_sources *sources, int depth)
{
  struct follow f = {b, sources, depth};
  isl_stat ok = depth > MOST_MOVES ? tsr_buffers_wrong(b, "a value goes through too many buffers", "")
                                   : isl_union_map_foreach_map(last, follow_map, &f);
  isl_union_map_free(last);
  return ok;
}

void tsr_sources_clear(struct tsr_sources *s)
{
  s->moved = isl_union_map_free(s->moved);
  s->computed = isl_union_map_free(s->computed);
}

isl_stat tsr_find_sources(struct tsr_buffers *b, int array, isl_map *reads, struct tsr_sources *sources)
{
  *sources = (struct tsr_sources){isl_union_map_empty_ctx(b->scop->ctx), isl_union_map_empty_ctx(b->scop->ctx)};
  isl_union_map *last = last_writers(b, array, reads);
  return last ? follow(b, last, sources, 0) : isl_stat_error;
}
