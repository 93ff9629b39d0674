/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The marks of a schedule tree: nodes with an isl_id, whose name is the mark's text and whose user pointer is the mark.
 *
 *   struct tsr_mark   --tsr_mark_id-->   isl_id { name: "lockstep 2x8", user: the mark, freed with it }
 *
 * isl tells ids apart by name and user pointer, and trees by their ids; trees that were made twice are to be equal. So each
 * mark is there once in all trees of a SCoP: a table has an id for each text, number and depth, and what a mark says is what
 * its text says. A mark of one word, without number and depth, has no user pointer and needs no table: isl has one id of
 * that name, whoever makes it. */
#include "marks/marks.h"
#include <isl/id.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- asking ---- */

/* The mark that ID, which is taken, is. */
static const struct tsr_mark *mark_of(__isl_take isl_id *id)
{
  const struct tsr_mark *mark = id ? isl_id_get_user(id) : NULL;
  if (id && !mark)
    mark = tsr_mark_of_word(isl_id_get_name(id));
  isl_id_free(id);
  return mark;
}

const struct tsr_mark *tsr_id_mark(isl_id *id)
{
  return mark_of(isl_id_copy(id));
}

const struct tsr_mark *tsr_node_mark(isl_schedule_node *node)
{
  bool is = isl_schedule_node_get_type(node) == isl_schedule_node_mark;
  return is ? mark_of(isl_schedule_node_mark_get_id(node)) : NULL;
}

const struct tsr_mark *tsr_ast_mark(isl_ast_node *node)
{
  bool is = isl_ast_node_get_type(node) == isl_ast_node_mark;
  return is ? mark_of(isl_ast_node_mark_get_id(node)) : NULL;
}

bool tsr_mark_is(const struct tsr_mark *mark, enum tsr_mark_kind kind)
{
  return mark && mark->kind == kind;
}

bool tsr_node_is_mark(isl_schedule_node *node, enum tsr_mark_kind kind)
{
  return tsr_mark_is(tsr_node_mark(node), kind);
}

static isl_bool is_not(isl_schedule_node *node, void *user)
{
  return isl_bool_not(isl_bool_ok(tsr_node_is_mark(node, *(enum tsr_mark_kind *)user)));
}

bool tsr_tree_has_mark(isl_schedule *tree, enum tsr_mark_kind kind)
{
  isl_schedule_node *root = isl_schedule_get_root(tree);
  isl_bool none = isl_schedule_node_every_descendant(root, is_not, &kind);
  isl_schedule_node_free(root);
  return none == isl_bool_false;
}

bool tsr_mark_is_for_threads(const struct tsr_mark *mark)
{
  return tsr_mark_is(mark, TSR_MARK_PARALLEL) || tsr_mark_is(mark, TSR_MARK_DOACROSS);
}

bool tsr_node_is_for_threads(isl_schedule_node *node)
{
  return tsr_mark_is_for_threads(tsr_node_mark(node));
}

/* ---- what names stand for in a SCoP ---- */

bool tsr_mark_arrays(const struct tsr_mark *mark, struct tsr_scop *scop, bool *array)
{
  memset(array, 0, scop->n_array * sizeof(*array));
  if (!tsr_mark_is(mark, TSR_MARK_ALLOCATE))
    return false;
  for (int i = 0; i < mark->buffers.n; i++) {
    int found = tsr_scop_find_array(scop, mark->buffers.name[i]);
    if (found < 0 || scop->arrays[found].kind != TSR_ARRAY_MEMORY || scop->arrays[found].space == TSR_SPACE_PROGRAM)
      return false;
    array[found] = true;
  }
  return true;
}

/* What flag_buffers works on: a flag for each array. */
struct allocated {
  struct tsr_scop *scop;
  bool *flag, *named;
};

/* Flag the buffers of NODE, if it is a mark of such. */
static isl_bool flag_buffers(isl_schedule_node *node, void *user)
{
  struct allocated *allocated = user;
  const struct tsr_mark *mark = tsr_node_mark(node);
  if (tsr_mark_is(mark, TSR_MARK_ALLOCATE) && tsr_mark_arrays(mark, allocated->scop, allocated->named))
    for (int i = 0; i < allocated->scop->n_array; i++)
      allocated->flag[i] |= allocated->named[i];
  return isl_bool_true;
}

isl_stat tsr_node_allocates(isl_schedule_node *node, struct tsr_scop *scop, bool *array)
{
  struct allocated allocated = {scop, array, calloc(scop->n_array + 1, sizeof(bool))};
  isl_stat ok =
      allocated.named ? isl_schedule_node_foreach_descendant_top_down(node, flag_buffers, &allocated) : isl_stat_error;
  free(allocated.named);
  return ok;
}

bool tsr_mark_pack(const struct tsr_mark *mark, struct tsr_scop *scop, struct tsr_pack *pack)
{
  if (!tsr_mark_is(mark, TSR_MARK_PACK))
    return false;
  *pack = mark->pack;
  pack->stmt = tsr_scop_find_stmt(scop, pack->name);
  return pack->stmt >= 0 && pack->access < scop->stmts[pack->stmt].n_access &&
         scop->stmts[pack->stmt].access[pack->access].kind == TSR_READ;
}

bool tsr_mark_panel(const struct tsr_mark *mark, struct tsr_scop *scop, struct tsr_panel *panel)
{
  if (!tsr_mark_is(mark, TSR_MARK_PANEL))
    return false;
  *panel = mark->panel;
  panel->array = tsr_scop_find_array(scop, panel->name);
  return panel->array >= 0;
}

/* ---- the table: open addressing, its room a power of two ---- */

static void free_mark(void *user)
{
  free(user);
}

/* Where in TABLE, which isn't full, the id of TEXT, NUMBER and DEPTH is or belongs. */
static isl_id **find_slot(struct tsr_mark_table *table, const char *text, int number, int depth)
{
  uint32_t hash = 31 * (uint32_t)number + (uint32_t)depth;
  for (const char *at = text; *at; at++)
    hash = (hash ^ (unsigned char)*at) * 16777619u; /* FNV-1a */
  for (;; hash++) {
    isl_id **slot = &table->slot[hash & (uint32_t)(table->room - 1)];
    const struct tsr_mark *mark = *slot ? isl_id_get_user(*slot) : NULL;
    if (!mark || (mark->number == number && mark->depth == depth && !strcmp(isl_id_get_name(*slot), text)))
      return slot;
  }
}

/* Make room for one id more, with half of the slots free. */
static bool make_room(struct tsr_mark_table *table)
{
  struct tsr_mark_table old = *table;
  if (2 * (table->n + 1) <= table->room)
    return true;
  int room = old.room ? 2 * old.room : 16;
  isl_id **slot = calloc(room, sizeof(isl_id *));
  if (!slot)
    return false;
  table->slot = slot;
  table->room = room;
  for (int i = 0; i < old.room; i++)
    if (old.slot[i]) {
      const struct tsr_mark *mark = isl_id_get_user(old.slot[i]);
      *find_slot(table, isl_id_get_name(old.slot[i]), mark->number, mark->depth) = old.slot[i];
    }
  free(old.slot);
  return true;
}

/* The id of TEXT, NUMBER and DEPTH. One without a mark, if TEXT is that of none. */
static isl_id *id_of(struct tsr_scop *scop, const char *text, int number, int depth)
{
  struct tsr_mark_table *table = scop->kept.marks;
  if (!number && !depth && tsr_mark_of_word(text))
    return isl_id_alloc(scop->ctx, text, NULL);
  if (!make_room(table))
    return NULL;
  isl_id **slot = find_slot(table, text, number, depth);
  if (*slot)
    return isl_id_copy(*slot);
  struct tsr_mark *mark = tsr_mark_read(text);
  isl_id *id = isl_id_alloc(scop->ctx, text, mark);
  if (!id || !mark) {
    free(mark);
    return id;
  }
  mark->number = number;
  mark->depth = depth;
  *slot = isl_id_set_free_user(id, free_mark);
  table->n++;
  return isl_id_copy(*slot);
}

isl_id *tsr_mark_id(struct tsr_scop *scop, const struct tsr_mark *mark)
{
  char *text = tsr_mark_write(mark);
  isl_id *id = text ? id_of(scop, text, mark->number, mark->depth) : NULL;
  free(text);
  return id;
}

/* ---- trees ---- */

isl_schedule_node *tsr_mark_insert(isl_schedule_node *node, struct tsr_scop *scop, const struct tsr_mark *mark)
{
  return isl_schedule_node_insert_mark(node, tsr_mark_id(scop, mark));
}

isl_schedule_node *tsr_mark_insert_word(isl_schedule_node *node, enum tsr_mark_kind kind)
{
  return isl_schedule_node_insert_mark(node, isl_id_alloc(isl_schedule_node_get_ctx(node), tsr_mark_word(kind), NULL));
}

/* Is NODE no mark that has only a text? */
static isl_bool is_adopted(isl_schedule_node *node, void *user)
{
  (void)user;
  return isl_bool_ok(isl_schedule_node_get_type(node) != isl_schedule_node_mark || tsr_node_mark(node));
}

static isl_schedule_node *adopt(isl_schedule_node *node, void *user)
{
  if (is_adopted(node, NULL) != isl_bool_false)
    return node;
  isl_id *id = isl_schedule_node_mark_get_id(node);
  struct tsr_mark *mark = id ? tsr_mark_read(isl_id_get_name(id)) : NULL;
  isl_id_free(id);
  if (mark)
    node = tsr_mark_insert(isl_schedule_node_delete(node), user, mark);
  free(mark);
  return node;
}

isl_schedule *tsr_tree_adopt_marks(isl_schedule *tree, struct tsr_scop *scop)
{
  isl_schedule_node *root = isl_schedule_get_root(tree);
  isl_bool all = isl_schedule_node_every_descendant(root, is_adopted, NULL);
  isl_schedule_node_free(root);
  return all == isl_bool_false ? isl_schedule_map_schedule_node_bottom_up(tree, adopt, scop) : tree;
}

isl_stat tsr_program_adopt_marks(struct tsr_program *program)
{
  struct tsr_scop *scop = program->scop;
  program->tree = tsr_tree_adopt_marks(program->tree, scop);
  if (scop != program->original)
    scop->schedule = tsr_tree_adopt_marks(scop->schedule, scop);
  return program->tree && scop->schedule ? isl_stat_ok : isl_stat_error;
}
