/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Of two accesses of a transformed program to one element of a buffer, one of them a write, one runs before the other: the
 * dataflow that check_sources.c asks for knows nothing of others. */
#include "check/check_buffers.h"

/* { S[x] -> B[e] } of all accesses of KINDS to buffer ARRAY. */
static isl_union_map *accesses_to(struct tsr_buffers *b, int array, unsigned kinds)
{
  isl_union_map *all = isl_union_map_empty_ctx(b->scop->ctx);
  for (int i = 0; i < b->scop->n_stmt; i++)
    for (int k = 0; k < b->scop->stmts[i].n_access; k++)
      if (b->scop->stmts[i].access[k].array == array && kinds >> b->scop->stmts[i].access[k].kind & 1)
        all = isl_union_map_add_map(all, tsr_relation_of(b, &b->scop->stmts[i], k));
  return all;
}

/* Does none of PAIRS, instances in no order, access one element of a buffer of which one writes it? */
static isl_stat check_pairs(struct tsr_buffers *b, __isl_take isl_union_map *pairs)
{
  isl_stat ok = isl_stat_ok;
  for (int i = 0; i < b->scop->n_array && ok == isl_stat_ok; i++) {
    if (!tsr_is_buffer(b, i))
      continue;
    isl_union_map *writes = accesses_to(b, i, TSR_WRITES), *all = accesses_to(b, i, TSR_READS | TSR_WRITES);
    isl_union_map *conflicts = isl_union_map_apply_range(writes, isl_union_map_reverse(all));
    isl_bool none = isl_union_map_is_disjoint(conflicts, pairs);
    isl_union_map_free(conflicts);
    ok = none < 0 ? isl_stat_error
         : none
             ? isl_stat_ok
             : tsr_buffers_wrong(b, "is written in no order with others that use the same element", b->scop->arrays[i].name);
  }
  isl_union_map_free(pairs);
  return ok;
}

/* { S[x] } of all who use buffers. */
static isl_union_set *buffer_users(struct tsr_buffers *b)
{
  isl_union_set *users = isl_union_set_empty_ctx(b->scop->ctx);
  for (int i = 0; i < b->scop->n_stmt; i++) {
    bool uses = false;
    for (int k = 0; k < b->scop->stmts[i].n_access; k++)
      uses |= tsr_is_buffer(b, b->scop->stmts[i].access[k].array);
    if (uses)
      users = isl_union_set_add_set(users, isl_set_copy(b->scop->stmts[i].domain));
  }
  return isl_union_set_intersect_params(users, isl_set_copy(b->known));
}

/* What check_order works on. */
struct unordered {
  struct tsr_buffers *b;
  isl_union_set *users;
};

/* The statements at a leaf, and those that write a buffer. */
struct writers {
  struct tsr_buffers *b;
  const struct tsr_stmt *stmt; /* the last one of these */
  int n, n_stmt;
};

static isl_stat add_writer(isl_set *set, void *user)
{
  struct writers *w = user;
  int number = tsr_scop_find_stmt(w->b->scop, isl_set_get_tuple_name(set));
  const struct tsr_stmt *stmt = number < 0 ? NULL : &w->b->scop->stmts[number];
  bool writes = false;
  for (int k = 0; stmt && k < stmt->n_access; k++)
    writes |= stmt->access[k].kind != TSR_READ && tsr_is_buffer(w->b, stmt->access[k].array);
  w->n_stmt++;
  w->n += writes;
  w->stmt = writes ? stmt : w->stmt;
  isl_set_free(set);
  return isl_stat_ok;
}

/* Is the leaf's only statement a move from memory, no two instances of which write one element in a life of the buffer? */
static isl_bool moves_once(struct writers *w)
{
  struct tsr_buffers *b = w->b;
  if (w->n_stmt != 1 || w->stmt->kind != TSR_STMT_MOVE || tsr_is_buffer(b, w->stmt->access[0].array))
    return isl_bool_false;
  int array = w->stmt->access[1].array;
  return tsr_find_writers(b, array) < 0 ? isl_bool_error : isl_bool_ok(b->life[array].moves.single);
}

/* Instances at the leaf LEAF that nothing separates. */
static isl_stat check_leaf(struct unordered *u, isl_schedule_node *leaf)
{
  struct writers w = {.b = u->b};
  isl_union_set *domain = isl_schedule_node_get_universe_domain(leaf);
  isl_stat ok = isl_union_set_foreach_set(domain, add_writer, &w);
  isl_union_set_free(domain);
  if (ok < 0 || w.n == 0)
    return ok;
  isl_bool once = moves_once(&w);
  if (once != isl_bool_false)
    return once < 0 ? isl_stat_error : isl_stat_ok;
  isl_union_map *time = isl_schedule_node_get_prefix_schedule_union_map(leaf);
  time = isl_union_map_intersect_domain(time, isl_schedule_node_get_domain(leaf));
  time = isl_union_map_intersect_domain(time, isl_union_set_copy(u->users));
  isl_union_map *around = isl_union_map_simple_hull(isl_union_map_copy(time)); /* pairs of pieces would be many */
  isl_bool apart = isl_union_map_is_injective(around);
  isl_union_map_free(around);
  if (apart == isl_bool_false)
    apart = isl_union_map_is_injective(time);
  if (apart != isl_bool_false) {
    isl_union_map_free(time);
    return apart < 0 ? isl_stat_error : isl_stat_ok;
  }
  isl_union_map *same = isl_union_set_identity(isl_union_map_domain(isl_union_map_copy(time)));
  isl_union_map *pairs = isl_union_map_apply_range(time, isl_union_map_reverse(isl_union_map_copy(time)));
  return check_pairs(u->b, isl_union_map_subtract(pairs, same));
}

/* Instances of two children of the set at NODE. */
static isl_stat check_set(struct unordered *u, isl_schedule_node *node)
{
  isl_union_set *seen = isl_union_set_empty_ctx(u->b->scop->ctx);
  isl_union_map *pairs = isl_union_map_empty_ctx(u->b->scop->ctx);
  isl_size n = isl_schedule_node_n_children(node);
  for (int i = 0; i < n; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(node, i);
    isl_union_set *own = isl_union_set_intersect(isl_schedule_node_get_domain(child), isl_union_set_copy(u->users));
    isl_schedule_node_free(child);
    isl_union_map *both = isl_union_map_from_domain_and_range(isl_union_set_copy(seen), isl_union_set_copy(own));
    pairs = isl_union_map_union(pairs, isl_union_map_union(both, isl_union_map_reverse(isl_union_map_copy(both))));
    seen = isl_union_set_union(seen, own);
  }
  isl_union_set_free(seen);
  return check_pairs(u->b, pairs);
}

static isl_bool check_order(isl_schedule_node *node, void *user)
{
  struct unordered *u = user;
  enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
  isl_stat ok = type == isl_schedule_node_leaf  ? check_leaf(u, node)
                : type == isl_schedule_node_set ? check_set(u, node)
                                                : isl_stat_ok;
  return ok < 0 ? isl_bool_error : isl_bool_true;
}

isl_stat tsr_check_buffer_order(struct tsr_buffers *b)
{
  struct unordered u = {b, buffer_users(b)};
  isl_stat ok = isl_schedule_node_foreach_descendant_top_down(b->root, check_order, &u);
  isl_union_set_free(u.users);
  return ok;
}
