/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows without a statement: each nest that can be like that, and where it pays, gets its form, with sizes as they pay. They
 * are the steps of the search (cost/search.c), which takes the cheapest of their results:
 *
 *   tile(32, 8)         every outermost permutable band, and the best loop innermost; sizes by member, the last one repeats
 *   interchange()       no tiles, but the best loop innermost
 *   register_tiles()    register tiles, strips of rows, or lanes
 *   chains()            interleaved chains            time_strips()   strips of time steps
 *   wavefront()         for threads, where all loops carry dependences
 *   index_set_split()   loops of which one iteration is in the way of the others
 *   separate()          loops in parts in which accesses have one form
 *   distribute()        what runs once in a loop, apart from the rest of it
 *   distribute(nests)   what is one behind the other in loops, apart
 *   rare_changes()      loops that change nothing as a rule
 *   stream()            loops that write rows, past the caches
 *   preload()           loops that are for vectors once reads come first
 *   parallelize(long)   loops for threads             vectorize()     vector loops
 *
 * They build on what bands say of themselves: are they permutable, which members are coincident? The scheduler's tree says
 * so, or one given to set_schedule. Where no band says anything, as in the original order and where other rows have been, it
 * is found out, and loops that may be interchanged become one band. */
#include "tree/rows/rows.h"

/* What a form is made of. */
struct nest_form {
  struct tsr_scop *scop;
  struct tsr_deps *deps;
  const struct tsr_args *args;
  struct tsr_options opt;
};
/* TREE in another form; NULL: it can't have it. */
typedef isl_schedule *(*nest_form_fn)(__isl_take isl_schedule *tree, struct nest_form *form);

/* Is NODE no band that says something? */
static isl_bool is_silent(__isl_keep isl_schedule_node *node, void *user)
{
  (void)user;
  bool silent = true;
  if (isl_schedule_node_get_type(node) == isl_schedule_node_band) {
    silent = isl_schedule_node_band_get_permutable(node) == isl_bool_false;
    for (int i = 0; i < isl_schedule_node_band_n_member(node); i++)
      silent &= isl_schedule_node_band_member_get_coincident(node, i) == isl_bool_false;
  }
  return isl_bool_ok(silent);
}

/* Does no band of TREE say anything? */
static bool tree_is_silent(__isl_keep isl_schedule *tree)
{
  isl_schedule_node *root = isl_schedule_get_root(tree);
  bool silent = isl_schedule_node_every_descendant(root, is_silent, NULL) == isl_bool_true;
  isl_schedule_node_free(root);
  return silent;
}

isl_schedule *tsr_rows_flag(isl_schedule *tree, struct tsr_scop *scop, struct tsr_deps *deps, bool merge)
{
  return tree_is_silent(tree) ? tsr_schedule_flag(tree, scop, deps, merge) : tree;
}

/* Forms of MERGED bands ask for dependences themselves; others only where bands say nothing. In a program with many buffers
 * they take long. */
static bool needs_dependences(__isl_keep struct tsr_program *program, bool merged)
{
  return merged || tree_is_silent(program->tree);
}

/* PROGRAM in the form that FN makes, of merged bands if MERGE; NULL: WHAT is what there is none of. */
static struct tsr_program *make(struct tsr_program *program, const struct tsr_args *args, nest_form_fn fn, bool merge,
                                const char *what, char **why)
{
  struct nest_form form = {.scop = program->scop, .args = args};
  bool needs = !args->deps && needs_dependences(program, merge);
  struct tsr_deps *own = needs ? tsr_deps_compute(program->scop) : NULL;
  form.deps = args->deps ? args->deps : own;
  struct tsr_options defaults;
  tsr_options_init(&defaults);
  form.opt = args->opt ? *args->opt : defaults;
  isl_schedule *tree = needs && !own ? NULL : isl_schedule_copy(program->tree); /* isl may have given up */
  tree = form.deps && tree ? tsr_rows_flag(tree, form.scop, form.deps, merge) : tree;
  tree = tree ? fn(tree, &form) : NULL;
  if (!tree)
    tsr_message_set(why, "there are no loops for %s", what);
  tsr_options_clear(&defaults);
  tsr_deps_free(own);
  return tsr_program_set_tree(program, tree);
}

/* The same of merged bands. */
static struct tsr_program *every(struct tsr_program *program, const struct tsr_args *args, nest_form_fn fn, const char *what,
                                 char **why)
{
  return make(program, args, fn, true, what, why);
}

#define MAX_SIZES 16

static isl_schedule *tile(isl_schedule *tree, struct nest_form *form)
{
  int sizes[MAX_SIZES], n = form->args->n[1] < MAX_SIZES ? form->args->n[1] : MAX_SIZES;
  for (int k = 0; k < n; k++)
    sizes[k] = (int)form->args->value[1][k].number;
  if (n) {
    form->opt.tile_sizes = sizes;
    form->opt.n_tile_sizes = n;
  }
  return tsr_tree_tile(tree, form->scop, &form->opt);
}

struct tsr_program *tsr_every_tile(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return every(program, args, tile, "tiles", why);
}

static isl_schedule *interchange(isl_schedule *tree, struct nest_form *form)
{
  return tsr_tree_interchange(tree, form->scop, &form->opt);
}

struct tsr_program *tsr_every_interchange(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return every(program, args, interchange, "another order", why);
}

/* Value number P of ARGS, 0 where it isn't given. */
static int number_of(const struct tsr_args *args, int p)
{
  return args->n[p] ? (int)args->value[p][0].number : 0;
}

struct tsr_register_sizes tsr_args_sizes(const struct tsr_args *args)
{
  return (struct tsr_register_sizes){.rows = number_of(args, 1),
                                     .vectors = number_of(args, 2),
                                     .row_block = number_of(args, 3),
                                     .sum_block = number_of(args, 4),
                                     .bare = number_of(args, 5) == 1};
}

static isl_schedule *register_tiles(isl_schedule *tree, struct nest_form *form)
{
  struct tsr_register_sizes sizes = tsr_args_sizes(form->args);
  return tsr_tree_registers(tree, form->scop, form->deps, &form->opt, &sizes);
}

struct tsr_program *tsr_every_register_tiles(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return every(program, args, register_tiles, "register tiles, or lanes", why);
}

static isl_schedule *chains(isl_schedule *tree, struct nest_form *form)
{
  return tsr_tree_interleave(tree, form->scop, form->deps, &form->opt);
}

struct tsr_program *tsr_every_chains(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return every(program, args, chains, "chains", why);
}

static isl_schedule *time_strips(isl_schedule *tree, struct nest_form *form)
{
  return tsr_tree_strips(tree, form->scop);
}

struct tsr_program *tsr_every_time_strips(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return every(program, args, time_strips, "strips of time steps", why);
}

static isl_schedule *wavefront(isl_schedule *tree, struct nest_form *form)
{
  form->opt.parallel = true;
  return tsr_tree_wavefront(tree, form->deps, &form->opt);
}

struct tsr_program *tsr_every_wavefront(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return every(program, args, wavefront, "a wavefront", why);
}

static isl_schedule *index_set_split(isl_schedule *tree, struct nest_form *form)
{
  return tsr_tree_split(tree, form->deps, false);
}

/* Has TREE nothing to split, not even where bands say nothing? With flags there are fewer loops with something in the way.
 */
static bool has_no_split(__isl_keep isl_schedule *tree, const struct tsr_args *args)
{
  isl_schedule *split = tsr_tree_split(isl_schedule_copy(tree), args->deps, false);
  isl_schedule_free(split);
  return !split;
}

struct tsr_program *tsr_every_index_set_split(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  static const char what[] = "index sets to split";
  if (args->deps && tree_is_silent(program->tree) && has_no_split(program->tree, args)) {
    tsr_message_set(why, "there are no loops for %s", what);
    return tsr_program_set_tree(program, NULL);
  }
  return every(program, args, index_set_split, what, why);
}

static isl_schedule *separate(isl_schedule *tree, struct nest_form *form)
{
  return tsr_tree_separate(tree, form->scop);
}

struct tsr_program *tsr_every_separate(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return make(program, args, separate, false, "accesses of several forms", why);
}

static isl_schedule *distribute(isl_schedule *tree, struct nest_form *form)
{
  return number_of(form->args, 1) ? tsr_tree_distribute_nests(tree, form->scop, form->deps)
                                  : tsr_tree_distribute(tree, form->deps);
}

struct tsr_program *tsr_every_distribute(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return every(program, args, distribute, "distribution", why);
}

static isl_schedule *rare_changes(isl_schedule *tree, struct nest_form *form)
{
  return tsr_tree_mark_rare(tree, form->scop);
}

struct tsr_program *tsr_every_rare_changes(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return make(program, args, rare_changes, false, "changes that are rare", why);
}

static isl_schedule *preload(isl_schedule *tree, struct nest_form *form)
{
  return tsr_tree_mark_preloads(tree, form->scop);
}

struct tsr_program *tsr_every_preload(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return make(program, args, preload, false, "reads to come first", why);
}

static isl_schedule *stream(isl_schedule *tree, struct nest_form *form)
{
  return tsr_tree_mark_streams(tree, form->scop);
}

struct tsr_program *tsr_every_stream(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return make(program, args, stream, false, "rows that are written", why);
}

static isl_schedule *parallelize(isl_schedule *tree, struct nest_form *form)
{
  return tsr_tree_mark_threads(tree, form->scop, (enum tsr_which)number_of(form->args, 1));
}

static isl_schedule *keep(isl_schedule *tree, struct nest_form *form)
{
  (void)form;
  return tree;
}

/* PROGRAM with private arrays, where that gives threads loops that are further out. */
static struct tsr_program *with_private_arrays(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  program = make(program, args, keep, false, "threads", why);
  program = program ? tsr_program_private_arrays(program) : NULL;
  if (!program)
    tsr_message_set(why, "there are no arrays that iterations may have for themselves");
  return program;
}

struct tsr_program *tsr_every_parallelize(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  if (number_of(args, 1) == TSR_WHICH_PRIVATE)
    program = with_private_arrays(program, args, why);
  return !program ? NULL : make(program, args, parallelize, false, "threads", why);
}

static isl_schedule *vectorize(isl_schedule *tree, struct nest_form *form)
{
  return tsr_tree_mark_vectors(tree, form->scop);
}

struct tsr_program *tsr_every_vectorize(struct tsr_program *program, const struct tsr_args *args, char **why)
{
  return make(program, args, vectorize, false, "vectors", why);
}
