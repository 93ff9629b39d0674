/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Why a loop may not be marked: a dependence that it carries.
 *
 *   mark "parallel" - B(i) - X:   a pair S -> T of the dependences that the loops around leave in one iteration, with
 *                                 different i */
#include "commands/commands.h"
#include "support/message.h"
#include <isl/id.h>
#include <isl/point.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

struct search {
  struct tsr_scop *scop;
  isl_union_map *deps;
  char *text; /* the first pair found */
};

/* Append "S0[1, 2] of line 5": the instance at the coordinates FIRST.. of POINT. */
static void append_instance(FILE *out, struct tsr_scop *scop, const char *name, __isl_keep isl_point *point, int first,
                            int n)
{
  int stmt = tsr_scop_find_stmt(scop, name);
  fprintf(out, "%s[", name);
  for (int i = 0; i < n; i++) {
    isl_val *v = isl_point_get_coordinate_val(point, isl_dim_set, first + i);
    fprintf(out, "%s%ld", i ? ", " : "", isl_val_get_num_si(v));
    isl_val_free(v);
  }
  fputc(']', out);
  if (stmt >= 0 && scop->stmts[stmt].line)
    fprintf(out, " of line %d", scop->stmts[stmt].line);
}

/* " (n = 3)" */
static void append_parameters(FILE *out, __isl_keep isl_map *pair, __isl_keep isl_point *point)
{
  isl_size n = isl_map_dim(pair, isl_dim_param);
  for (int i = 0; i < n; i++) {
    isl_val *v = isl_point_get_coordinate_val(point, isl_dim_param, i);
    fprintf(out, "%s%s = %ld", i ? ", " : " (", isl_map_get_dim_name(pair, isl_dim_param, (unsigned)i),
            isl_val_get_num_si(v));
    isl_val_free(v);
  }
  if (n > 0)
    fputc(')', out);
}

/* "array A, " if S and T share one that one of them writes. */
static void append_array(FILE *out, struct tsr_scop *scop, const char *s, const char *t)
{
  int a = tsr_scop_find_stmt(scop, s), b = tsr_scop_find_stmt(scop, t);
  for (int k = 0; a >= 0 && b >= 0 && k < scop->stmts[a].n_access; k++)
    for (int l = 0; l < scop->stmts[b].n_access; l++) {
      const struct tsr_access *x = &scop->stmts[a].access[k], *y = &scop->stmts[b].access[l];
      if (x->array == y->array && (x->kind != TSR_READ || y->kind != TSR_READ)) {
        fprintf(out, "array %s, ", scop->arrays[x->array].name);
        return;
      }
    }
}

/* Write down some pair of PAIR, unless there is one already. */
static isl_stat print_pair(__isl_take isl_map *pair, void *user)
{
  struct search *search = user;
  size_t size;
  isl_point *point = isl_set_sample_point(isl_map_wrap(isl_map_copy(pair)));
  if (!search->text && isl_point_is_void(point) == isl_bool_false) {
    const char *s = isl_map_get_tuple_name(pair, isl_dim_in), *t = isl_map_get_tuple_name(pair, isl_dim_out);
    int n = (int)isl_map_dim(pair, isl_dim_in);
    FILE *out = open_memstream(&search->text, &size);
    append_array(out, search->scop, s, t);
    append_instance(out, search->scop, s, point, 0, n);
    fputs(" and ", out);
    append_instance(out, search->scop, t, point, n, (int)isl_map_dim(pair, isl_dim_out));
    append_parameters(out, pair, point);
    fclose(out);
  }
  isl_point_free(point);
  isl_map_free(pair);
  return isl_stat_ok;
}

/* Look at the loop below a mark. */
static isl_bool explain_mark(__isl_keep isl_schedule_node *node, void *user)
{
  struct search *search = user;
  if (search->text || isl_schedule_node_get_type(node) != isl_schedule_node_mark)
    return isl_bool_true;
  isl_schedule_node *band = isl_schedule_node_get_child(node, 0);
  if (isl_schedule_node_get_type(band) == isl_schedule_node_band) {
    isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(band);
    isl_multi_union_pw_aff *member = tsr_member_schedule(partial, 0);
    isl_union_map *open = tsr_node_open_dependences(band, search->deps);
    isl_union_map *carried =
        isl_union_map_union(tsr_pairs_before(isl_union_map_copy(open), isl_multi_union_pw_aff_copy(member)),
                            tsr_pairs_after(isl_union_map_copy(open), isl_multi_union_pw_aff_copy(member)));
    isl_union_map_foreach_map(carried, print_pair, search);
    isl_union_map_free(carried);
    isl_union_map_free(open);
    isl_multi_union_pw_aff_free(member);
    isl_multi_union_pw_aff_free(partial);
  }
  isl_schedule_node_free(band);
  return isl_bool_true;
}

char *tsr_explain_marks(isl_schedule *tree, struct tsr_scop *scop, struct tsr_deps *deps)
{
  isl_union_map *all = isl_union_map_union(isl_union_map_copy(deps->flow), isl_union_map_copy(deps->anti));
  all = isl_union_map_union(all, isl_union_map_copy(deps->output));
  if (deps->relaxed)
    all = isl_union_map_union(all, isl_union_map_copy(deps->reduction));
  struct search search = {scop, isl_union_map_intersect_params(all, tsr_scop_common(scop)), NULL};
  isl_schedule_foreach_schedule_node_top_down(tree, explain_mark, &search);
  isl_union_map_free(search.deps);
  return search.text;
}
