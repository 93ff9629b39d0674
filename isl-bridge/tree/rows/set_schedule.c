/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* set_schedule(map): any affine order.
 *
 *   S.set_schedule("{ S[i, j] -> [j, i + j] }")    what S doesn't share with other statements  ->  B(j) - B(i + j)
 *   set_schedule("{ S[i] -> [0, i]; T[i] -> [1, i] }")    the whole tree  ->  sequence - { S } - B(i)
 *                                                                                      - { T } - B(i)
 *   set_schedule("{ domain: .., child: .. }")    a schedule tree in isl's notation, with single quotes, marks (marks.def)
 * and flags of bands, which are not believed but what forms of nests build on
 *
 * A dimension that is a number for each statement, or for each of some pieces of it, says in which order they run: a
 * sequence, or nothing where it is the same number. Parameters of the SCoP need not be declared. */
#include "tree/rows/rows.h"
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>
#include <ctype.h>
#include <string.h>

/* TEXT as a relation over SCOP's parameters; NULL: *WHY. */
static __isl_give isl_union_map *read_map(struct tsr_scop *scop, const char *text, char **why)
{
  char *full = NULL;
  size_t size;
  FILE *out = open_memstream(&full, &size);
  isl_size n = isl_set_dim(scop->context, isl_dim_param);
  while (isspace((unsigned char)*text))
    text++;
  for (int i = 0; i < n && *text == '{'; i++)
    fprintf(out, "%s%s%s", i ? ", " : "[", isl_set_get_dim_name(scop->context, isl_dim_param, (unsigned)i),
            i == n - 1 ? "] -> " : "");
  fputs(text, out);
  fclose(out);
  isl_union_map *map = isl_union_map_read_from_str(scop->ctx, full);
  free(full);
  if (!map) {
    const char *message = isl_ctx_last_error_msg(scop->ctx);
    tsr_message_set(why, "isl can't read this relation: %s", message ? message : "expected { S[i, j] -> [j, i] }");
    isl_ctx_reset_error(scop->ctx);
  }
  return map;
}

/* Has each instance of MAP one time of its own, in no named space? */
static isl_stat check_one(__isl_take isl_map *map, void *user)
{
  bool good = isl_map_is_single_valued(map) == isl_bool_true && isl_map_is_injective(map) == isl_bool_true &&
              isl_map_has_tuple_id(map, isl_dim_out) == isl_bool_false;
  *(bool *)user &= good;
  isl_map_free(map);
  return isl_stat_ok;
}

/* MAP, for the instances of DOMAIN, as rows; NULL: *WHY. */
static __isl_give isl_multi_union_pw_aff *rows_of(__isl_take isl_union_map *map, __isl_keep isl_union_set *domain,
                                                  bool injective, char **why)
{
  bool good = true;
  map = isl_union_map_intersect_domain(map, isl_union_set_universe(isl_union_set_copy(domain)));
  isl_union_map *used = isl_union_map_intersect_domain(isl_union_map_copy(map), isl_union_set_copy(domain));
  isl_union_set *placed = isl_union_map_domain(isl_union_map_copy(used));
  isl_union_set *times = isl_union_map_range(isl_union_map_copy(used));
  if (isl_union_set_is_subset(domain, placed) != isl_bool_true)
    tsr_message_set(why, "the relation doesn't give a time to all instances");
  else if (isl_union_set_n_set(times) != 1)
    tsr_message_set(why, "the relation has times of different lengths; expected as many dimensions for each statement");
  else if (isl_union_map_foreach_map(used, check_one, &good) < 0 || (!good && injective))
    tsr_message_set(why, "the relation isn't one time for each instance, another one for each");
  else
    good = isl_union_map_is_single_valued(used) == isl_bool_true;
  isl_union_set_free(placed);
  isl_union_set_free(times);
  isl_union_map_free(map);
  if (good && !*why)
    return isl_multi_union_pw_aff_from_union_map(used);
  tsr_message_set(why, "the relation isn't a function");
  isl_union_map_free(used);
  return NULL;
}

/* ---- rows to a tree ------------------------------------------------------------------------------------ */

/* The values of a row that is a number for each statement. */
struct numbers {
  isl_union_pw_aff *row;
  bool constant;
  bool pieces; /* is it another number for other instances of the statement at hand? */
  int n;
  struct number {
    long value;
    isl_union_set *stmts;
  } *number; /* by increasing value */
};

/* Note the number that AFF is on SET. */
static isl_stat find_number(__isl_take isl_set *set, __isl_take isl_aff *aff, void *user)
{
  struct numbers *all = user;
  isl_val *v = isl_aff_get_constant_val(aff);
  bool constant = isl_aff_is_cst(aff) == isl_bool_true && isl_val_is_int(v) == isl_bool_true;
  long value = constant ? isl_val_get_num_si(v) : 0;
  int at = 0;
  while (at < all->n && all->number[at].value < value)
    at++;
  if (at == all->n || all->number[at].value != value) {
    struct number *more = realloc(all->number, (size_t)(all->n + 1) * sizeof(*more));
    all->constant &= more != NULL;
    if (more) {
      all->number = more;
      memmove(&more[at + 1], &more[at], (size_t)(all->n++ - at) * sizeof(*more));
      more[at] = (struct number){value, isl_union_set_empty_ctx(isl_set_get_ctx(set))};
    }
  }
  isl_union_set *mine = isl_union_set_from_set(isl_set_copy(set));
  mine = all->pieces ? mine : isl_union_set_universe(mine);
  if (at < all->n)
    all->number[at].stmts = isl_union_set_union(all->number[at].stmts, mine);
  else
    isl_union_set_free(mine);
  all->constant &= constant;
  isl_val_free(v);
  isl_set_free(set);
  isl_aff_free(aff);
  return isl_stat_ok;
}

/* Note the numbers of one statement. */
static isl_stat find_numbers(__isl_take isl_pw_aff *row, void *user)
{
  struct numbers *all = user;
  all->pieces = isl_pw_aff_n_piece(row) > 1;
  isl_stat ok = isl_pw_aff_foreach_piece(row, find_number, user);
  isl_pw_aff_free(row);
  return ok;
}

/* Free what ALL holds. */
static void numbers_clear(struct numbers *all)
{
  for (int i = 0; i < all->n; i++)
    isl_union_set_free(all->number[i].stmts);
  free(all->number);
  isl_union_pw_aff_free(all->row);
}

static __isl_give isl_schedule_node *write_rows(__isl_take isl_schedule_node *to, __isl_keep isl_multi_union_pw_aff *rows,
                                                int from);

/* TO with a sequence by ALL's numbers, and rows from FROM on in each child. */
static __isl_give isl_schedule_node *write_sequence(__isl_take isl_schedule_node *to, struct numbers *all,
                                                    __isl_keep isl_multi_union_pw_aff *rows, int from)
{
  isl_union_set_list *filters = isl_union_set_list_alloc(isl_schedule_node_get_ctx(to), all->n);
  for (int i = 0; i < all->n; i++)
    filters = isl_union_set_list_add(filters, isl_union_set_copy(all->number[i].stmts));
  to = isl_schedule_node_insert_sequence(to, filters);
  for (int i = 0; i < all->n; i++) {
    isl_multi_union_pw_aff *mine =
        isl_multi_union_pw_aff_intersect_domain(isl_multi_union_pw_aff_copy(rows), isl_union_set_copy(all->number[i].stmts));
    to = write_rows(isl_schedule_node_grandchild(to, i, 0), mine, from);
    to = isl_schedule_node_parent(isl_schedule_node_parent(to));
    isl_multi_union_pw_aff_free(mine);
  }
  return to;
}

/* TO, a leaf, with ROWS from FROM on. */
static __isl_give isl_schedule_node *write_rows(__isl_take isl_schedule_node *to, __isl_keep isl_multi_union_pw_aff *rows,
                                                int from)
{
  if (!to || from >= isl_multi_union_pw_aff_size(rows))
    return to;
  struct numbers all = {.row = isl_multi_union_pw_aff_get_at(rows, from), .constant = true};
  isl_union_pw_aff_foreach_pw_aff(all.row, find_numbers, &all);
  if (all.constant && all.n > 1) {
    to = write_sequence(to, &all, rows, from + 1);
  } else if (all.constant) {
    to = write_rows(to, rows, from + 1);
  } else {
    to = isl_schedule_node_child(tsr_node_insert_loop(to, isl_union_pw_aff_copy(all.row), NULL), 0);
    to = isl_schedule_node_parent(write_rows(to, rows, from + 1));
  }
  numbers_clear(&all);
  return to;
}

isl_schedule *tsr_schedule_from_rows(isl_union_set *domain, isl_multi_union_pw_aff *rows)
{
  isl_schedule *empty = isl_schedule_from_domain(domain);
  isl_schedule_node *node = isl_schedule_node_child(isl_schedule_get_root(empty), 0);
  node = write_rows(node, rows, 0);
  isl_schedule *tree = isl_schedule_node_get_schedule(node);
  isl_schedule_node_free(node);
  isl_schedule_free(empty);
  isl_multi_union_pw_aff_free(rows);
  return tree;
}

/* ---- the row ------------------------------------------------------------------------------------------- */

struct order {
  isl_union_set *own; /* { S[i] }, all that there is of it */
  isl_union_map *map;
  char **why;
  bool failed;
};

/* Put the rows in where the statement is alone. */
static bool write_own(__isl_keep isl_schedule_node *from, isl_schedule_node **to, void *user)
{
  struct order *order = user;
  (void)from;
  isl_union_set *here = isl_schedule_node_get_domain(*to);
  bool alone = isl_union_set_is_empty(here) == isl_bool_false && isl_union_set_is_subset(here, order->own) == isl_bool_true;
  if (alone) {
    isl_union_map *prefix = isl_schedule_node_get_prefix_schedule_relation(*to);
    prefix = isl_union_map_flat_range_product(prefix, isl_union_map_copy(order->map));
    prefix = isl_union_map_intersect_domain(prefix, isl_union_set_copy(here));
    if (isl_union_map_is_injective(prefix) != isl_bool_true)
      tsr_message_set(order->why, "the relation gives one time to several instances");
    isl_union_map_free(prefix);
    isl_multi_union_pw_aff *rows = rows_of(isl_union_map_copy(order->map), here, false, order->why);
    order->failed |= *order->why != NULL;
    *to = write_rows(*to, rows, 0);
    isl_multi_union_pw_aff_free(rows);
  }
  isl_union_set_free(here);
  return alone;
}

/* TEXT as isl reads it: lines begin where the first one does, and quotes are double. */
static char *plain_text(const char *text)
{
  char *plain = malloc(strlen(text) + 1), *to = plain;
  text += strspn(text, "\n");
  size_t indent = strspn(text, " \t"), at = 0;
  for (; *text && plain; text++) {
    bool margin = at < indent && isspace((unsigned char)*text) && *text != '\n';
    at = *text == '\n' ? 0 : at + 1;
    if (!margin)
      *to++ = *text == '\'' ? '"' : *text;
  }
  if (plain)
    *to = 0;
  return plain;
}

/* What number_mark works on. */
struct numbers_of_marks {
  struct tsr_scop *scop;
  int n_threads, n_doacross;
};

/* Marks for threads, of which the text has no number, are told from each other. */
static __isl_give isl_schedule_node *number_mark(__isl_take isl_schedule_node *node, void *user)
{
  struct numbers_of_marks *numbers = user;
  if (!tsr_node_is_for_threads(node))
    return node;
  struct tsr_mark mark = *tsr_node_mark(node);
  ++numbers->n_threads;
  mark.number = mark.kind == TSR_MARK_DOACROSS ? TSR_MARK_OF_DOACROSS + numbers->n_doacross++ : numbers->n_threads;
  isl_id *id = tsr_mark_id(numbers->scop, &mark);
  return isl_schedule_node_insert_mark(isl_schedule_node_delete(node), id);
}

/* TREE, read from text, with our marks. */
static __isl_give isl_schedule *find_marks(__isl_take isl_schedule *tree, struct tsr_scop *scop)
{
  struct numbers_of_marks numbers = {.scop = scop};
  return isl_schedule_map_schedule_node_bottom_up(tsr_tree_adopt_marks(tree, scop), number_mark, &numbers);
}

/* TEXT, a schedule tree, over the instances of PROGRAM, which are all in its domain; NULL: *WHY. */
static __isl_give isl_schedule *read_tree(struct tsr_program *program, const char *text, char **why)
{
  struct tsr_scop *scop = program->scop;
  char *plain = plain_text(text);
  isl_schedule *tree = plain ? isl_schedule_read_from_str(scop->ctx, plain) : NULL;
  free(plain);
  if (!tree) {
    const char *message = isl_ctx_last_error_msg(scop->ctx);
    tsr_message_set(why, "isl can't read this schedule tree: %s",
                    message ? message : "expected { domain: '..', child: .. }");
    isl_ctx_reset_error(scop->ctx);
    return NULL;
  }
  isl_union_set *all = isl_schedule_get_domain(program->tree), *given = isl_schedule_get_domain(tree);
  isl_bool has_all = isl_union_set_is_subset(all, given), same = isl_union_set_is_subset(given, all);
  if (has_all == isl_bool_false)
    tsr_message_set(why, "the domain of the schedule tree lacks instances of statements");
  if (same == isl_bool_false)
    tree = isl_schedule_intersect_domain(tree, isl_union_set_copy(all));
  isl_union_set_free(given);
  isl_union_set_free(all);
  return has_all == isl_bool_true ? find_marks(tree, scop) : isl_schedule_free(tree);
}

/* Is TEXT a schedule tree? */
static bool is_tree(const char *text)
{
  text += strspn(text, " \t\n{");
  return !strncmp(text, "domain", 6) && text[6 + strspn(text + 6, " \t\n")] == ':';
}

struct tsr_program *tsr_row_set_schedule(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  if (is_tree(args->value[0][0].text) && args->stmt < 0)
    return tsr_program_set_tree(program, read_tree(program, args->value[0][0].text, why));
  struct tsr_scop *scop = program->scop;
  char *reason = NULL;
  isl_schedule *tree = NULL;
  struct order order = {.map = read_map(scop, args->value[0][0].text, &reason), .why = &reason};
  if (order.map && args->stmt >= 0) {
    order.own = isl_union_set_from_set(isl_set_universe(isl_set_get_space(scop->stmts[args->stmt].domain)));
    tree = tsr_tree_copy(program->tree, write_own, &order);
    isl_union_set_free(order.own);
  } else if (order.map) {
    isl_union_set *domain = isl_schedule_get_domain(program->tree);
    isl_multi_union_pw_aff *rows = rows_of(isl_union_map_copy(order.map), domain, true, &reason);
    tree = rows ? tsr_schedule_from_rows(domain, rows) : NULL;
    if (!rows)
      isl_union_set_free(domain);
  }
  isl_union_map_free(order.map);
  if (reason)
    tree = isl_schedule_free(tree);
  tsr_message_set(why, "%s", reason ? reason : "isl gave up");
  if (!reason && tree && why) {
    free(*why);
    *why = NULL;
  }
  free(reason);
  return tsr_program_set_tree(program, tree);
}
