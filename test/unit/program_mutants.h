/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Mutants of transformed programs: one thing of a program, in its structs, is another, chosen by a generator.
 *
 *   struct mutant   SCOP, a copy of the program's, and TREE, its order, are changed, each function changing one thing;
 *                   mutant_program makes a program of them
 *
 * Functions return false where there is nothing to change. A line of LOG says what was done. */
#ifndef TESSERA_PROGRAM_MUTANTS_H
#define TESSERA_PROGRAM_MUTANTS_H

#include "random_scop.h"
#include "tree/tree.h"
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>

struct mutant {
  struct random *r;
  struct tsr_program *base;
  struct tsr_scop *scop;
  isl_schedule *tree; /* without extensions */
  FILE *log;
};

/* ---- choices ---- */

/* Nodes of a tree: one of those that WANTED accepts is kept, each with the same chance. */
struct node_choice {
  struct mutant *m;
  isl_bool (*wanted)(isl_schedule_node *node, struct mutant *m);
  isl_schedule_node *node;
  int n;
};

static inline isl_bool choose_node(isl_schedule_node *node, void *user)
{
  struct node_choice *choice = user;
  if (choice->wanted(node, choice->m) != isl_bool_true || pick(choice->m->r, ++choice->n) > 0)
    return isl_bool_true;
  isl_schedule_node_free(choice->node);
  choice->node = isl_schedule_node_copy(node);
  return isl_bool_true;
}

/* One node of the mutant's tree; NULL: none is wanted. */
static inline isl_schedule_node *pick_node(struct mutant *m, isl_bool (*wanted)(isl_schedule_node *, struct mutant *))
{
  struct node_choice choice = {m, wanted, NULL, 0};
  isl_schedule_node *root = isl_schedule_get_root(m->tree);
  isl_schedule_node_foreach_descendant_top_down(root, choose_node, &choice);
  isl_schedule_node_free(root);
  return choice.node;
}

static inline isl_bool is_band(isl_schedule_node *node, struct mutant *m)
{
  (void)m;
  return isl_bool_ok(isl_schedule_node_get_type(node) == isl_schedule_node_band &&
                     isl_schedule_node_band_n_member(node) > 0);
}

static inline isl_bool is_sequence(isl_schedule_node *node, struct mutant *m)
{
  (void)m;
  return isl_bool_ok(isl_schedule_node_get_type(node) == isl_schedule_node_sequence);
}

static inline isl_bool is_allocation(isl_schedule_node *node, struct mutant *m)
{
  (void)m;
  return isl_bool_ok(tsr_node_is_mark(node, TSR_MARK_ALLOCATE));
}

/* Where a node may be put in front of it. */
static inline isl_bool is_place(isl_schedule_node *node, struct mutant *m)
{
  (void)m;
  enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
  enum isl_schedule_node_type parent = type == isl_schedule_node_domain ? type : isl_schedule_node_get_parent_type(node);
  return isl_bool_ok(type != isl_schedule_node_domain && parent != isl_schedule_node_sequence &&
                     parent != isl_schedule_node_set);
}

/* The tree becomes that of NODE. */
static inline bool take_tree(struct mutant *m, __isl_take isl_schedule_node *node)
{
  isl_schedule *tree = isl_schedule_node_get_schedule(node);
  isl_schedule_node_free(node);
  if (!tree)
    return false;
  isl_schedule_free(m->tree);
  m->tree = tree;
  return true;
}

static inline int pick_stmt(struct mutant *m, bool moves)
{
  int start = pick(m->r, m->scop->n_stmt);
  for (int i = 0; i < m->scop->n_stmt && moves; i++)
    if (m->scop->stmts[(start + i) % m->scop->n_stmt].kind == TSR_STMT_MOVE)
      return (start + i) % m->scop->n_stmt;
  return start;
}

/* ---- domains ---- */

/* The tree over DOMAIN, a larger one. */
static inline bool grow_tree(struct mutant *m, __isl_take isl_union_set *domain)
{
  char *old = isl_schedule_to_str(m->tree), *set = isl_union_set_to_str(domain), *text = NULL;
  size_t size;
  isl_union_set_free(domain);
  char *begin = old ? strstr(old, "domain: \"") : NULL, *end = begin ? strchr(begin + 9, '"') : NULL;
  isl_schedule *tree = NULL;
  if (end && set) {
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "%.*s%s%s", (int)(begin + 9 - old), old, set, end);
    fclose(out);
    tree = isl_schedule_read_from_str(m->scop->ctx, text);
  }
  free(text);
  free(old);
  free(set);
  if (!tree)
    return false;
  isl_schedule_free(m->tree);
  m->tree = tree;
  return true;
}

/* DOMAIN is that of statement S from now on, in the tree, too. */
static inline bool set_domain(struct mutant *m, int s, __isl_take isl_set *domain)
{
  struct tsr_stmt *stmt = &m->scop->stmts[s];
  bool grows = isl_set_is_subset(domain, stmt->domain) != isl_bool_true;
  isl_set_free(stmt->domain);
  stmt->domain = domain;
  isl_union_set *all = tsr_scop_domain(m->scop);
  if (grows)
    return grow_tree(m, all);
  m->tree = isl_schedule_intersect_domain(m->tree, all);
  return m->tree != NULL;
}

/* SET and itself moved by BY in dimension D. */
static inline isl_set *moved(isl_set *set, int d, int by)
{
  isl_multi_aff *shift = isl_multi_aff_identity_on_domain_space(isl_set_get_space(set));
  isl_aff *aff = isl_aff_add_constant_si(isl_multi_aff_get_at(shift, d), by);
  return isl_set_preimage_multi_aff(isl_set_copy(set), isl_multi_aff_set_at(shift, d, aff));
}

static inline bool mutate_domain(struct mutant *m)
{
  int s = pick_stmt(m, pick(m->r, 2));
  struct tsr_stmt *stmt = &m->scop->stmts[s];
  isl_size n = isl_set_dim(stmt->domain, isl_dim_set);
  if (n < 1)
    return false;
  int d = pick(m->r, n), how = pick(m->r, 5), by = pick(m->r, 2) ? 1 : -1, at = pick(m->r, 3);
  isl_set *domain = isl_set_copy(stmt->domain), *other = moved(domain, d, by);
  fprintf(m->log, "domain of %s: how %d, dimension %d by %d at %d\n", stmt->name, how, d, by, at);
  if (how < 2) { /* a bound less, a bound more */
    domain = how ? isl_set_union(domain, other) : isl_set_intersect(domain, other);
    return set_domain(m, s, domain);
  }
  isl_set_free(other);
  isl_set *part = isl_set_copy(domain);
  if (how == 2)
    part = isl_set_fix_si(part, isl_dim_set, d, at);
  else if (how == 3)
    part = isl_set_lower_bound_si(part, isl_dim_set, d, at + 1);
  else
    part = isl_set_lexmax(part);
  return set_domain(m, s, isl_set_subtract(domain, part));
}

/* A statement doesn't run. */
static inline bool mutate_drop(struct mutant *m)
{
  int s = pick_stmt(m, pick(m->r, 4));
  fprintf(m->log, "%s dropped\n", m->scop->stmts[s].name);
  return set_domain(m, s, isl_set_empty(isl_set_get_space(m->scop->stmts[s].domain)));
}

/* ---- relations ---- */

static inline void print_tuple(FILE *out, const char *name, const char *lead, int n)
{
  fprintf(out, "%s[", name);
  for (int i = 0; i < n; i++)
    fprintf(out, "%s%s%d", i ? ", " : "", lead, i);
  fprintf(out, "]");
}

/* RELATION { S[x] -> A[e] } with another expression of e and x, X, in dimension D. */
static inline isl_map *change_relation(__isl_take isl_map *relation, int d, const char *x)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  isl_size n_in = isl_map_dim(relation, isl_dim_in), n_out = isl_map_dim(relation, isl_dim_out);
  const char *from = isl_map_get_tuple_name(relation, isl_dim_in), *to = isl_map_get_tuple_name(relation, isl_dim_out);
  fprintf(out, "{ [");
  print_tuple(out, from, "x", n_in);
  fprintf(out, " -> ");
  print_tuple(out, to, "e", n_out);
  fprintf(out, "] -> %s[", to);
  for (int i = 0; i < n_out; i++)
    if (i == d)
      fprintf(out, "%s%s", i ? ", " : "", x);
    else
      fprintf(out, "%se%d", i ? ", " : "", i);
  fprintf(out, "] }");
  fclose(out);
  isl_map *change = isl_map_read_from_str(isl_map_get_ctx(relation), text);
  free(text);
  return isl_map_apply_range(isl_map_reverse(isl_map_domain_map(relation)), change);
}

/* An expression for dimension D of N_OUT, from N_IN. */
static inline void pick_expression(struct mutant *m, int d, int n_in, int n_out, char text[64])
{
  int x = n_in ? pick(m->r, n_in) : 0, e = pick(m->r, n_out);
  switch (n_in ? pick(m->r, 8) : pick(m->r, 3)) {
  case 0:
  case 1:
    snprintf(text, 64, "e%d + 1", d);
    break;
  case 2:
    snprintf(text, 64, "e%d - 1", d);
    break;
  case 3:
    snprintf(text, 64, "e%d + x%d", d, x);
    break;
  case 4:
    snprintf(text, 64, "e%d - x%d", d, x);
    break;
  case 5:
    snprintf(text, 64, "floor(e%d / 2)", d);
    break;
  case 6:
    snprintf(text, 64, "%d", pick(m->r, 2));
    break;
  default:
    snprintf(text, 64, "e%d", e);
  }
}

static inline bool change_access(struct mutant *m, int s, int k)
{
  struct tsr_stmt *stmt = &m->scop->stmts[s];
  struct tsr_access *access = &stmt->access[k];
  isl_size n_in = isl_map_dim(access->relation, isl_dim_in), n_out = isl_map_dim(access->relation, isl_dim_out);
  if (n_out < 1)
    return false;
  char text[64];
  int d = pick(m->r, n_out);
  pick_expression(m, d, n_in, n_out, text);
  fprintf(m->log, "access %d of %s: dimension %d is %s\n", k, stmt->name, d, text);
  access->relation = change_relation(access->relation, d, text);
  return access->relation != NULL;
}

static inline bool mutate_relation(struct mutant *m)
{
  int s = pick_stmt(m, false);
  return m->scop->stmts[s].n_access > 0 && change_access(m, s, pick(m->r, m->scop->stmts[s].n_access));
}

/* A move has another source or target. */
static inline bool mutate_move(struct mutant *m)
{
  int s = pick_stmt(m, true);
  return m->scop->stmts[s].kind == TSR_STMT_MOVE && change_access(m, s, pick(m->r, 2));
}

/* { S'[x] -> S[i] } of STMT. */
static inline isl_map *origin_of_stmt(struct tsr_stmt *stmt)
{
  return stmt->origin ? isl_map_copy(stmt->origin)
                      : isl_map_identity(isl_space_map_from_set(isl_set_get_space(stmt->domain)));
}

/* An access goes to the program's memory, as that of its original, or to another array. */
static inline bool mutate_array(struct mutant *m)
{
  int s = pick_stmt(m, pick(m->r, 4) == 0);
  struct tsr_stmt *stmt = &m->scop->stmts[s];
  if (stmt->n_access == 0)
    return false;
  int k = pick(m->r, stmt->n_access), original = tsr_stmt_original(m->base, stmt), to = pick(m->r, m->scop->n_array);
  struct tsr_access *access = &stmt->access[k];
  if (pick(m->r, 2) && original >= 0) {
    isl_map_free(access->relation);
    struct tsr_access *own = &m->base->original->stmts[original].access[k];
    access->relation = isl_map_apply_range(origin_of_stmt(stmt), isl_map_copy(own->relation));
    access->array = own->array;
    fprintf(m->log, "access %d of %s: as its original\n", k, stmt->name);
    return access->relation != NULL;
  }
  if (m->scop->arrays[to].n_dim != m->scop->arrays[access->array].n_dim || to == access->array)
    return false;
  fprintf(m->log, "access %d of %s: to %s\n", k, stmt->name, m->scop->arrays[to].name);
  access->array = to;
  access->relation = isl_map_set_tuple_name(access->relation, isl_dim_out, m->scop->arrays[to].name);
  return access->relation != NULL;
}

/* ---- origins ---- */

/* Another origin: shifted, not injective, or of another statement; for instances that have one. */
static inline bool mutate_origin(struct mutant *m)
{
  int s = pick_stmt(m, false);
  struct tsr_stmt *stmt = &m->scop->stmts[s];
  int number = tsr_stmt_original(m->base, stmt), other = pick(m->r, m->base->original->n_stmt);
  if (number < 0)
    return false;
  isl_map *origin = origin_of_stmt(stmt);
  isl_size n_in = isl_map_dim(origin, isl_dim_in), n_out = isl_map_dim(origin, isl_dim_out);
  char text[64] = "";
  if (pick(m->r, 4) == 0 && other != number && isl_set_dim(m->base->original->stmts[other].domain, isl_dim_set) == n_out) {
    number = other;
    origin = isl_map_set_tuple_name(origin, isl_dim_out, m->base->original->stmts[other].name);
  } else if (n_out > 0) {
    int d = pick(m->r, n_out);
    pick_expression(m, d, n_in, n_out, text);
    origin = change_relation(origin, d, text);
  }
  fprintf(m->log, "origin of %s: %s of %s\n", stmt->name, text, m->base->original->stmts[number].name);
  isl_map_free(stmt->origin);
  stmt->origin = origin;
  isl_set *inside =
      isl_set_apply(isl_set_copy(m->base->original->stmts[number].domain), isl_map_reverse(isl_map_copy(origin)));
  return set_domain(m, s, isl_set_intersect(isl_set_copy(stmt->domain), inside));
}

/* ---- arrays ---- */

static inline bool mutate_extent(struct mutant *m)
{
  int a = pick(m->r, m->scop->n_array);
  struct tsr_array *array = &m->scop->arrays[a];
  if (array->space == TSR_SPACE_PROGRAM || array->n_dim == 0)
    return false;
  int d = pick(m->r, array->n_dim), by = pick(m->r, 2) ? 1 : -1;
  bool larger = pick(m->r, 3) == 0;
  isl_set *other = moved(array->extent, d, by);
  array->extent = larger ? isl_set_union(array->extent, other) : isl_set_intersect(array->extent, other);
  fprintf(m->log, "extent of %s: dimension %d by %d, %s\n", array->name, d, by, larger ? "larger" : "smaller");
  return true;
}

/* ---- marks ---- */

/* Some mark for a loop, and of how many members. */
static inline struct tsr_mark pick_mark(struct mutant *m, int *members)
{
  struct tsr_mark mark = {.kind = TSR_MARK_PARALLEL};
  *members = 1;
  switch (pick(m->r, 9)) {
  case 8:
    mark.kind = TSR_MARK_KERNEL;
    mark.kernel.n = *members = 1 + pick(m->r, 2);
    break;
  case 0:
  case 1:
  case 2:
    break;
  case 3:
  case 4:
    mark.kind = TSR_MARK_VECTOR;
    break;
  case 5:
  case 6:
    mark.kind = TSR_MARK_LOCKSTEP;
    mark.lockstep = (struct tsr_lockstep){1 + pick(m->r, 2), 2};
    break;
  default:
    mark.kind = TSR_MARK_DOACROSS;
    *members = 2;
  }
  return mark;
}

/* ROW becomes its rest by N, below its quotient: the band at NODE, of one member. The result stands at the rest's band. */
static inline isl_schedule_node *split_lanes(__isl_take isl_schedule_node *node, int n)
{
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_union_pw_aff *row = isl_multi_union_pw_aff_get_at(partial, 0);
  isl_val *by = isl_val_int_from_si(isl_schedule_node_get_ctx(node), n);
  isl_multi_union_pw_aff_free(partial);
  node = isl_schedule_node_delete(node);
  isl_union_pw_aff *rest = isl_union_pw_aff_mod_val(isl_union_pw_aff_copy(row), isl_val_copy(by));
  isl_union_pw_aff *quotient = isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(row, by));
  node = isl_schedule_node_insert_partial_schedule(node, isl_multi_union_pw_aff_from_union_pw_aff(rest));
  node = isl_schedule_node_insert_partial_schedule(node, isl_multi_union_pw_aff_from_union_pw_aff(quotient));
  return isl_schedule_node_child(node, 0);
}

/* A mark above some members of a band. */
static inline bool mark_loop(struct mutant *m)
{
  isl_schedule_node *node = pick_node(m, is_band);
  if (!node)
    return false;
  int members = 1;
  struct tsr_mark mark = pick_mark(m, &members);
  isl_size n = isl_schedule_node_band_n_member(node);
  if (n < members) {
    isl_schedule_node_free(node);
    return false;
  }
  int i = pick(m->r, n - members + 1);
  char *text = tsr_mark_write(&mark);
  fprintf(m->log, "mark %s on member %d of a band at depth %d\n", text, i, (int)isl_schedule_node_get_tree_depth(node));
  free(text);
  if (i > 0)
    node = isl_schedule_node_child(isl_schedule_node_band_split(node, i), 0);
  if (i < n - members)
    node = isl_schedule_node_band_split(node, members);
  if (mark.kind == TSR_MARK_LOCKSTEP) {
    node = split_lanes(node, mark.lockstep.vectors * mark.lockstep.lanes);
    for (int s = 0; s < m->scop->n_stmt; s++)
      m->scop->stmts[s].lane_bytes = 8;
  }
  return take_tree(m, tsr_mark_insert(node, m->scop, &mark));
}

static inline isl_bool is_of_blocks(isl_schedule_node *node, struct mutant *m)
{
  (void)m;
  return isl_bool_ok(tsr_node_is_mark(node, TSR_MARK_KERNEL) || tsr_node_is_mark(node, TSR_MARK_THREADS) ||
                     tsr_node_is_mark(node, TSR_MARK_UNROLL));
}

/* A mark of a kernel of blocks that says something else, or none. */
static inline bool mutate_block(struct mutant *m, __isl_take isl_schedule_node *node)
{
  struct tsr_mark mark = *tsr_node_mark(node);
  int d = mark.kernel.n_size ? pick(m->r, mark.kernel.n_size) : 0, how = pick(m->r, 4);
  if (how == 3)
    mark.kernel.free = mark.kind == TSR_MARK_UNROLL && !mark.kernel.free;
  else if (how > 0)
    mark.kernel.size[d] = mark.kernel.size[d] + (how == 1 ? 1 : -1) > 0 ? mark.kernel.size[d] + (how == 1 ? 1 : -1) : 1;
  char *text = tsr_mark_write(&mark);
  fprintf(m->log, "%s: %s\n", how ? "mark of a block" : "no mark of a block", text);
  free(text);
  node = isl_schedule_node_delete(node);
  return take_tree(m, how ? tsr_mark_insert(node, m->scop, &mark) : node);
}

/* An allocation elsewhere, none, or one of another array. */
static inline bool mutate_mark(struct mutant *m)
{
  isl_schedule_node *block = pick(m->r, 3) == 0 ? pick_node(m, is_of_blocks) : NULL;
  if (block)
    return mutate_block(m, block);
  isl_schedule_node *node = pick(m->r, 2) ? pick_node(m, is_allocation) : NULL;
  if (!node)
    return mark_loop(m);
  isl_id *id = isl_schedule_node_mark_get_id(node);
  int how = pick(m->r, 4), a = pick(m->r, m->scop->n_array);
  fprintf(m->log, "\"%s\": how %d\n", isl_id_get_name(id), how);
  if (how == 3 && m->scop->arrays[a].space != TSR_SPACE_PROGRAM) {
    const char *name = m->scop->arrays[a].name;
    isl_id_free(id);
    id = tsr_mark_id(m->scop, &(struct tsr_mark){.kind = TSR_MARK_ALLOCATE, .buffers = {1, &name}});
  }
  node = isl_schedule_node_delete(node);
  if (how == 0) {
    isl_id_free(id);
    return take_tree(m, node);
  }
  if (how == 3)
    return take_tree(m, isl_schedule_node_insert_mark(node, id));
  if (!take_tree(m, node) || !(node = pick_node(m, is_place))) {
    isl_id_free(id);
    return false;
  }
  return take_tree(m, isl_schedule_node_insert_mark(node, id));
}

/* ---- order ---- */

static inline bool mutate_sequence(struct mutant *m)
{
  isl_schedule_node *node = pick_node(m, is_sequence);
  if (!node)
    return false;
  int i = pick(m->r, isl_schedule_node_n_children(node));
  bool front = pick(m->r, 2);
  fprintf(m->log, "child %d of a sequence to its %s\n", i, front ? "front" : "end");
  isl_schedule_node *child = isl_schedule_node_get_child(node, i);
  isl_union_set *filter = isl_schedule_node_filter_get_filter(child);
  isl_schedule_node_free(child);
  return take_tree(m, front ? isl_schedule_node_order_before(node, filter) : isl_schedule_node_order_after(node, filter));
}

/* Let statement S run before or behind all else below some node. */
static inline bool place_stmt(struct mutant *m, int s, bool front)
{
  isl_schedule_node *node = pick_node(m, is_place);
  if (!node)
    return false;
  fprintf(m->log, "%s %s all else at depth %d\n", m->scop->stmts[s].name, front ? "before" : "behind",
          (int)isl_schedule_node_get_tree_depth(node));
  isl_union_set *filter = isl_union_set_from_set(isl_set_universe(isl_set_get_space(m->scop->stmts[s].domain)));
  return take_tree(m, front ? isl_schedule_node_order_before(node, filter) : isl_schedule_node_order_after(node, filter));
}

static inline bool mutate_place(struct mutant *m)
{
  int s = pick_stmt(m, pick(m->r, 2));
  return place_stmt(m, s, pick(m->r, 2));
}

/* MEMBER moved by BY for statement S alone. */
static inline isl_union_pw_aff *shift_one(struct mutant *m, __isl_take isl_union_pw_aff *member, int s, int by)
{
  isl_union_set *here = isl_union_pw_aff_domain(isl_union_pw_aff_copy(member));
  isl_union_set *one = isl_union_set_from_set(isl_set_universe(isl_set_get_space(m->scop->stmts[s].domain)));
  isl_union_set *mine = isl_union_set_intersect(isl_union_set_copy(here), isl_union_set_copy(one));
  isl_union_pw_aff *shift = isl_union_pw_aff_val_on_domain(mine, isl_val_int_from_si(m->scop->ctx, by));
  isl_union_pw_aff *still = isl_union_pw_aff_val_on_domain(isl_union_set_subtract(here, one), isl_val_zero(m->scop->ctx));
  return isl_union_pw_aff_add(member, isl_union_pw_aff_union_add(shift, still));
}

/* A member of a band runs backwards, in blocks without order, or later for one statement; two change places. */
static inline bool mutate_band(struct mutant *m)
{
  isl_schedule_node *node = pick_node(m, is_band);
  if (!node)
    return false;
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_space *space = isl_multi_union_pw_aff_get_space(partial);
  isl_union_pw_aff_list *list = isl_multi_union_pw_aff_get_list(partial);
  isl_multi_union_pw_aff_free(partial);
  int n = isl_union_pw_aff_list_size(list), i = pick(m->r, n), how = pick(m->r, 4), s = pick(m->r, m->scop->n_stmt);
  fprintf(m->log, "band at depth %d: how %d, member %d, statement %s\n", (int)isl_schedule_node_get_tree_depth(node), how, i,
          m->scop->stmts[s].name);
  isl_union_pw_aff *member = isl_union_pw_aff_list_get_at(list, i);
  isl_val *two = isl_val_int_from_si(m->scop->ctx, 2);
  if (how == 0)
    list = isl_union_pw_aff_list_set_at(list, i, isl_union_pw_aff_neg(member));
  else if (how == 1)
    list = isl_union_pw_aff_list_set_at(list, i,
                                        isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(member, isl_val_copy(two))));
  else if (how == 2)
    list = isl_union_pw_aff_list_set_at(list, i, shift_one(m, member, s, pick(m->r, 2) ? 1 : -1));
  else
    isl_union_pw_aff_free(member);
  if (how == 3)
    list = isl_union_pw_aff_list_swap(list, i, (i + 1) % n);
  isl_val_free(two);
  node = isl_schedule_node_delete(node);
  node = isl_schedule_node_insert_partial_schedule(node, isl_multi_union_pw_aff_from_union_pw_aff_list(space, list));
  return take_tree(m, node);
}

/* ---- copies ---- */

/* The tree with a statement COPY that runs when S does, in no order with it. */
static inline bool add_to_tree(struct mutant *m, int s, const char *copy)
{
  isl_union_pw_multi_aff *contraction = isl_union_pw_multi_aff_empty_ctx(m->scop->ctx);
  for (int i = 0; i < m->scop->n_stmt; i++) {
    isl_space *space = isl_set_get_space(m->scop->stmts[i].domain);
    isl_multi_aff *same = isl_multi_aff_identity_on_domain_space(space);
    contraction =
        isl_union_pw_multi_aff_union_add(contraction, isl_union_pw_multi_aff_from_multi_aff(isl_multi_aff_copy(same)));
    if (i == s)
      contraction = isl_union_pw_multi_aff_union_add(
          contraction,
          isl_union_pw_multi_aff_from_multi_aff(isl_multi_aff_set_tuple_name(isl_multi_aff_copy(same), isl_dim_in, copy)));
    isl_multi_aff_free(same);
  }
  m->tree = isl_schedule_pullback_union_pw_multi_aff(m->tree, contraction);
  return m->tree != NULL;
}

/* Add a copy of statement S, of its own accesses; its number, -1: there is one already. It runs when S does, in no order. */
static inline int add_copy(struct mutant *m, int s)
{
  char name[64];
  snprintf(name, sizeof(name), "%.50s_copy", m->scop->stmts[s].name);
  if (tsr_scop_find_stmt(m->scop, name) >= 0 || !add_to_tree(m, s, name))
    return -1;
  isl_set *domain = isl_set_set_tuple_name(isl_set_copy(m->scop->stmts[s].domain), name);
  int added = (int)tsr_scop_add_stmt(m->scop, name, domain);
  struct tsr_stmt *stmt = &m->scop->stmts[s], *copy = &m->scop->stmts[added];
  copy->kind = stmt->kind;
  if (stmt->kind == TSR_STMT_COMPUTE)
    copy->origin = isl_map_set_tuple_name(origin_of_stmt(stmt), isl_dim_in, name);
  for (int k = 0; k < stmt->n_access; k++) {
    isl_size n = tsr_scop_add_access(m->scop, added, stmt->access[k].kind, isl_map_copy(stmt->access[k].relation));
    copy->access[n].reduction = stmt->access[k].reduction;
    copy->access[n].reassoc = stmt->access[k].reassoc;
    copy->access[n].exact = stmt->access[k].exact;
  }
  return added;
}

/* A statement has a copy that runs somewhere near. */
static inline bool mutate_copy(struct mutant *m)
{
  int s = pick_stmt(m, pick(m->r, 2)), copy = add_copy(m, s);
  fprintf(m->log, "%s copied\n", m->scop->stmts[s].name);
  return copy >= 0 && place_stmt(m, copy, false);
}

/* ---- all ---- */

static const struct mutation {
  const char *name;
  bool (*apply)(struct mutant *m);
} mutations[] = {{"domain", mutate_domain}, {"drop", mutate_drop},   {"relation", mutate_relation},
                 {"move", mutate_move},     {"array", mutate_array}, {"origin", mutate_origin},
                 {"extent", mutate_extent}, {"mark", mutate_mark},   {"sequence", mutate_sequence},
                 {"place", mutate_place},   {"band", mutate_band},   {"copy", mutate_copy}};
enum { N_MUTATION = sizeof(mutations) / sizeof(mutations[0]) };

/* A mutant of BASE, nothing changed yet. */
static inline void mutant_init(struct mutant *m, struct random *r, struct tsr_program *base, FILE *log)
{
  *m = (struct mutant){r, base, tsr_scop_copy(base->scop), NULL, log};
  bool own = base->scop != base->original;
  m->tree = isl_schedule_copy(own ? base->scop->schedule : base->tree);
}

/* The program; NULL: it is none. M is empty. */
static inline struct tsr_program *mutant_program(struct mutant *m)
{
  if (m->scop && m->tree)
    return tsr_program_from_scop(m->base->original, m->scop, m->tree);
  tsr_scop_free(m->scop);
  isl_schedule_free(m->tree);
  return NULL;
}

#endif
