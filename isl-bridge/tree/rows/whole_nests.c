/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows that make one of the forms that the search knows out of the loops that they name, which choose their sizes
 * themselves:
 *
 *   register_tiles(i, j, k)   registers/: sums stay in registers, operands in buffers where that pays
 *   lanes(i)                  lanes.c: neighbouring iterations of an outer loop in lockstep, as lanes of vectors
 *   chains(t, i, j)           chains.c: several chains of dependences at once
 *   time_strips(t, i, j)      time_strips.c: strips of time steps
 *   panels()                  column_panels.c: blocks of columns around the steps of a factorisation
 *
 * The loops become one band, B(i) - B(j) - B(k)  ->  B(i, j, k), which says of itself what the dependences of the SCoP
 * allow: is it permutable, and which loops are coincident? */
#include "tree/rows/rows.h"
#include <isl/val.h>

/* All of DEPS that order instances. */
static __isl_give isl_union_map *all_of(const struct tsr_deps *deps)
{
  isl_union_map *all = isl_union_map_union(isl_union_map_copy(deps->flow), isl_union_map_copy(deps->anti));
  return isl_union_map_union(all, isl_union_map_copy(deps->output));
}

/* The band at NODE, with flags as DEPS are. */
static __isl_give isl_schedule_node *flag_band(__isl_take isl_schedule_node *node, __isl_keep isl_union_map *deps)
{
  isl_union_map *open = tsr_node_open_dependences(node, deps);
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
  isl_size n = isl_multi_union_pw_aff_size(partial);
  bool permutable = true;
  for (int i = 0; i < n; i++) {
    isl_multi_union_pw_aff *member = tsr_member_schedule(partial, i);
    permutable &= tsr_member_is_monotone(open, member) == isl_bool_true;
    isl_bool coincident = tsr_member_is_coincident(open, member);
    node = isl_schedule_node_band_member_set_coincident(node, i, coincident == isl_bool_true);
    isl_multi_union_pw_aff_free(member);
  }
  isl_multi_union_pw_aff_free(partial);
  isl_union_map_free(open);
  return isl_schedule_node_band_set_permutable(node, permutable);
}

/* What a row needs besides the loops. */
struct form {
  struct tsr_deps *deps, *own; /* own: those that no one else frees */
  isl_union_map *all;          /* of them */
  struct tsr_options opt;
};

/* What ARGS' row needs for SCOP. False: isl gave up. */
static bool form_init(struct form *form, struct tsr_scop *scop, const struct tsr_args *args)
{
  tsr_options_init(&form->opt);
  form->opt.force = true; /* nobody asks whether it is worth it */
  form->own = args->deps ? NULL : tsr_deps_compute(scop);
  form->deps = args->deps ? args->deps : form->own;
  form->all = form->deps ? all_of(form->deps) : NULL;
  return form->all != NULL;
}

/* Free what FORM holds. */
static void form_clear(struct form *form)
{
  isl_union_map_free(form->all);
  tsr_deps_free(form->own);
  tsr_options_clear(&form->opt);
}

/* The loops that the arguments name as one band. */
static __isl_give isl_schedule_node *join_loops(__isl_take isl_schedule_node *node, struct tsr_edit *edit)
{
  struct tsr_chain chain;
  struct form *form = edit->user;
  node = tsr_chain_take(node, edit, 1, &chain);
  if (!node)
    return NULL;
  isl_multi_union_pw_aff *band = NULL;
  for (int i = 0; i < chain.n; i++) {
    isl_multi_union_pw_aff *one = isl_multi_union_pw_aff_from_union_pw_aff(isl_union_pw_aff_copy(chain.row[i]));
    band = band ? isl_multi_union_pw_aff_flat_range_product(band, one) : one;
  }
  tsr_chain_clear(&chain);
  return flag_band(isl_schedule_node_insert_partial_schedule(node, band), form->all);
}

/* Tiles in registers; else strips of rows; NULL if there are none. */
static __isl_give isl_schedule_node *register_tiles(__isl_take isl_schedule_node *node, struct tsr_edit *edit)
{
  struct form *form = edit->user;
  struct tsr_register_sizes sizes = tsr_args_sizes(edit->args);
  bool found = false;
  node = join_loops(node, edit);
  if (node)
    node = tsr_band_registers(node, edit->scop, form->deps, &sizes, &found);
  if (node && !found)
    node = tsr_band_strips(node, edit->scop, form->deps, &form->opt, &sizes, &found);
  return !node || found ? node
                        : tsr_edit_refuse(edit, node, "these loops of %s have no register tiles", tsr_stmt_name(edit));
}

/* The loop in lockstep; NULL if it can't be. */
static __isl_give isl_schedule_node *lanes(__isl_take isl_schedule_node *node, struct tsr_edit *edit)
{
  struct form *form = edit->user;
  bool found = false;
  node = join_loops(node, edit);
  if (node)
    node = tsr_band_lockstep(node, edit->scop, &form->opt, &found);
  return !node || found ? node
                        : tsr_edit_refuse(edit, node, "iterations of this loop of %s can't be lanes", tsr_stmt_name(edit));
}

/* PROGRAM, edited by FN with a form at hand. */
static struct tsr_program *edit_form(struct tsr_program *program, const struct tsr_args *args, tsr_edit_fn fn, char **why)
{
  struct form form = {.deps = NULL};
  if (!form_init(&form, program->scop, args))
    program = tsr_program_free(program);
  else
    program = tsr_program_edit(program, args, fn, &form, why);
  form_clear(&form);
  return program;
}

struct tsr_program *tsr_row_register_tiles(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return edit_form(program, args, register_tiles, why);
}

struct tsr_program *tsr_row_lanes(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return edit_form(program, args, lanes, why);
}

/* ---- those that look for their bands themselves -------------------------------------------------------- */

enum shape { CHAINS, STRIPS, PANELS };

/* TREE in SHAPE; NULL: it can't have it. */
static __isl_give isl_schedule *reshape(__isl_take isl_schedule *tree, struct tsr_scop *scop, enum shape shape,
                                        struct form *form)
{
  switch (shape) {
  case CHAINS:
    return tsr_tree_interleave(tree, scop, form->deps, &form->opt);
  case STRIPS:
    return tsr_tree_strips(tree, scop);
  case PANELS:
    return tsr_tree_panels(tree, scop, form->deps, false);
  }
  return isl_schedule_free(tree);
}

/* PROGRAM, its loops joined as ARGS says, if it names some, in SHAPE; NULL: WORDS say why not. */
static struct tsr_program *shape_program(struct tsr_program *program, const struct tsr_args *args, enum shape shape,
                                         const char *words, char **why)
{
  struct form form = {.deps = NULL};
  bool good = form_init(&form, program->scop, args);
  if (good && args->n[0])
    program = tsr_program_edit(program, args, join_loops, &form, why);
  if (good && program) {
    isl_schedule *tree = reshape(isl_schedule_copy(program->tree), program->scop, shape, &form);
    if (!tree)
      tsr_message_set(why, "%s", words);
    program = tsr_program_set_tree(program, tree);
  } else {
    program = tsr_program_free(program);
  }
  form_clear(&form);
  return program;
}

struct tsr_program *tsr_row_chains(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return shape_program(program, args, CHAINS,
                       "no chains: they are of one statement in loops outside of all others, each of which "
                       "carries dependences and may be exchanged with the others",
                       why);
}

struct tsr_program *tsr_row_time_strips(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return shape_program(program, args, STRIPS,
                       "no strips: they are of three loops or more outside of all others, each of which "
                       "carries dependences and may be exchanged with the others",
                       why);
}

struct tsr_program *tsr_row_panels(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return shape_program(program, args, PANELS, "no panels: the outermost loop isn't that of a factorisation by columns", why);
}
