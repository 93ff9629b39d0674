/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of loops: see transformations.h. A row's name is the isl_id of the dimension of a band of one member:
 *
 *   B(i)   ->   B(i0 = floor(i / 32)) - B(i1 = i mod 32)
 *
 * All other names are read off the band, so that a loop that is shifted or turned keeps its name, and one that is shared may
 * have another one for each statement. */
#include "tree/rows/rows.h"
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool tsr_loop_name_is_free(const char *name)
{
  return name[0] != 'c' || !name[1] || name[1 + strspn(name + 1, "0123456789")];
}

bool tsr_node_has_stmt(isl_schedule_node *node, struct tsr_scop *scop, int stmt)
{
  if (isl_schedule_node_get_type(node) != isl_schedule_node_filter)
    return true;
  isl_union_set *filter = isl_schedule_node_filter_get_filter(node);
  isl_set *part = isl_union_set_extract_set(filter, isl_set_get_space(scop->stmts[stmt].domain));
  isl_bool empty = isl_set_plain_is_empty(part);
  isl_set_free(part);
  isl_union_set_free(filter);
  return empty == isl_bool_false;
}

/* Which iterator does a row run through? */
struct iterator {
  int dim; /* -1: none yet */
  bool plain;
};

/* Look at one piece of a row: which iterator has a coefficient? */
static isl_stat find_in_piece(__isl_take isl_set *set, __isl_take isl_aff *aff, void *user)
{
  struct iterator *it = user;
  isl_size n = isl_aff_dim(aff, isl_dim_in);
  it->plain &= isl_aff_dim(aff, isl_dim_div) == 0;
  for (int i = 0; i < n && it->plain; i++) {
    isl_val *v = isl_aff_get_coefficient_val(aff, isl_dim_in, i);
    if (isl_val_is_zero(v) == isl_bool_false) {
      it->plain =
          (it->dim < 0 || it->dim == i) && (isl_val_is_one(v) == isl_bool_true || isl_val_is_negone(v) == isl_bool_true);
      it->dim = i;
    }
    isl_val_free(v);
  }
  isl_set_free(set);
  isl_aff_free(aff);
  return isl_stat_ok;
}

/* The iterator of STMT that ROW runs through, -1 if it is none. */
static int iterator_of(__isl_keep isl_union_pw_aff *row, struct tsr_scop *scop, int stmt)
{
  struct iterator it = {-1, true};
  isl_space *space = isl_space_add_dims(isl_space_from_domain(isl_set_get_space(scop->stmts[stmt].domain)), isl_dim_out, 1);
  isl_pw_aff *own = isl_union_pw_aff_extract_pw_aff(row, space);
  isl_stat ok = isl_pw_aff_foreach_piece(own, find_in_piece, &it);
  isl_pw_aff_free(own);
  return ok == isl_stat_ok && it.plain ? it.dim : -1;
}

/* The name of member I of the band that a row gave it; false: none did. */
static bool given_name(__isl_keep isl_multi_union_pw_aff *partial, int i, struct tsr_loop_name *name)
{
  isl_space *space = isl_multi_union_pw_aff_get_space(partial);
  const char *text = isl_space_get_dim_name(space, isl_dim_set, (unsigned)i);
  if (text)
    snprintf(name->text, sizeof(name->text), "%s", text);
  isl_space_free(space);
  return text != NULL;
}

/* What the source calls the loop of iterator DIM; NULL: it isn't known. */
static const char *source_name(const struct tsr_stmt *stmt, int dim)
{
  for (int i = 0; stmt->loops && stmt->loops[i]; i++)
    if (i == dim)
      return *stmt->loops[i] ? stmt->loops[i] : NULL;
  return NULL;
}

struct tsr_loop_name tsr_member_name(isl_schedule_node *node, int i, struct tsr_scop *scop, int stmt)
{
  struct tsr_loop_name name;
  snprintf(name.text, sizeof(name.text), "c%d", (int)isl_schedule_node_get_schedule_depth(node) + i);
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  if (!given_name(partial, i, &name)) {
    isl_union_pw_aff *row = isl_multi_union_pw_aff_get_at(partial, i);
    const struct tsr_stmt *s = &scop->stmts[stmt];
    int dim = iterator_of(row, scop, stmt);
    const char *source = dim < 0 ? NULL : source_name(s, dim);
    if (dim >= 0 && !source)
      source = isl_set_get_dim_name(s->domain, isl_dim_set, (unsigned)dim);
    if (source)
      snprintf(name.text, sizeof(name.text), "%s", source);
    isl_union_pw_aff_free(row);
  }
  isl_multi_union_pw_aff_free(partial);
  return name;
}

bool tsr_member_has_name(isl_multi_union_pw_aff *partial, int i)
{
  struct tsr_loop_name name;
  return given_name(partial, i, &name);
}

bool tsr_member_is_called(isl_schedule_node *node, int i, struct tsr_scop *scop, int stmt, const char *wanted)
{
  char depth[TSR_LOOP_NAME];
  snprintf(depth, sizeof(depth), "c%d", (int)isl_schedule_node_get_schedule_depth(node) + i);
  struct tsr_loop_name name = tsr_member_name(node, i, scop, stmt);
  return !strcmp(name.text, wanted) || !strcmp(depth, wanted);
}

isl_schedule_node *tsr_node_insert_loop(isl_schedule_node *node, isl_union_pw_aff *row, const char *name)
{
  isl_multi_union_pw_aff *partial = isl_multi_union_pw_aff_from_union_pw_aff(row);
  if (name && tsr_loop_name_is_free(name))
    partial = isl_multi_union_pw_aff_set_dim_id(partial, isl_dim_set, 0,
                                                isl_id_alloc(isl_schedule_node_get_ctx(node), name, NULL));
  return isl_schedule_node_insert_partial_schedule(node, partial);
}

/* ---- all loops of a statement -------------------------------------------------------------------------- */

struct names {
  struct tsr_scop *scop;
  int stmt, n;
  struct tsr_loop_name *name;
};

/* Add NAME unless it is there. */
static isl_stat add_name(struct names *names, struct tsr_loop_name name)
{
  for (int i = 0; i < names->n; i++)
    if (!strcmp(names->name[i].text, name.text))
      return isl_stat_ok;
  struct tsr_loop_name *more = realloc(names->name, (names->n + 1) * sizeof(*more));
  if (!more)
    return isl_stat_error;
  names->name = more;
  names->name[names->n++] = name;
  return isl_stat_ok;
}

/* Add the names of the loops at and below NODE that run STMT. */
static isl_stat add_names(__isl_keep isl_schedule_node *node, struct names *names)
{
  isl_stat ok = isl_stat_ok;
  if (!tsr_node_has_stmt(node, names->scop, names->stmt))
    return ok;
  bool band = isl_schedule_node_get_type(node) == isl_schedule_node_band;
  isl_size n = band ? isl_schedule_node_band_n_member(node) : 0;
  for (int i = 0; i < n && ok == isl_stat_ok; i++)
    ok = add_name(names, tsr_member_name(node, i, names->scop, names->stmt));
  n = isl_schedule_node_n_children(node);
  for (int i = 0; i < n && ok == isl_stat_ok; i++) {
    isl_schedule_node *child = isl_schedule_node_get_child(node, i);
    ok = add_names(child, names);
    isl_schedule_node_free(child);
  }
  return n < 0 ? isl_stat_error : ok;
}

isl_size tsr_stmt_loops(isl_schedule *tree, struct tsr_scop *scop, int stmt, struct tsr_loop_name **list)
{
  struct names names = {.scop = scop, .stmt = stmt};
  isl_schedule_node *root = isl_schedule_get_root(tree);
  isl_stat ok = add_names(root, &names);
  isl_schedule_node_free(root);
  *list = names.name;
  if (ok == isl_stat_ok)
    return names.n;
  free(names.name);
  *list = NULL;
  return isl_size_error;
}
