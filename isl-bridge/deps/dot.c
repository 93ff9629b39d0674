/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The dependence graph for graphviz: a node a statement, an edge a pair of statements and a kind of dependence,
 *
 *     S0 -> S1 [label="flow (1, 0+)"]
 *
 * with the distance of each iteration dimension that both have, outermost first: a number if it is constant, "+" or "0+"
 * ("-", "0-") if only its sign is known, "*" otherwise. */
#include "deps/deps.h"
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

/* What an edge looks like. */
struct style {
  FILE *out;
  const char *kind;
  const char *colour;
};

/* Text from outside, for use between double quotes. */
static void print_escaped(const char *text, FILE *out)
{
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      fputc('\\', out);
    fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
  }
}

static void print_distance(isl_set *delta, int pos, FILE *out)
{
  isl_val *least = isl_set_dim_min_val(isl_set_copy(delta), pos);
  isl_val *most = isl_set_dim_max_val(isl_set_copy(delta), pos);
  if (isl_val_is_int(least) == isl_bool_true && isl_val_eq(least, most) == isl_bool_true)
    fprintf(out, "%ld", isl_val_get_num_si(least));
  else if (isl_val_is_pos(least) == isl_bool_true)
    fputs("+", out);
  else if (isl_val_is_neg(most) == isl_bool_true)
    fputs("-", out);
  else if (isl_val_is_nonneg(least) == isl_bool_true)
    fputs("0+", out);
  else if (isl_val_is_nonpos(most) == isl_bool_true)
    fputs("0-", out);
  else
    fputs("*", out);
  isl_val_free(least);
  isl_val_free(most);
}

/* The distances of MAP { S[i] -> T[i'] } over the dimensions that S and T share. */
static void print_distances(isl_map *map, FILE *out)
{
  isl_size n_in = isl_map_dim(map, isl_dim_in), n_out = isl_map_dim(map, isl_dim_out);
  int n = n_in < n_out ? n_in : n_out;
  map = isl_map_project_out(isl_map_copy(map), isl_dim_in, n, n_in - n);
  map = isl_map_project_out(map, isl_dim_out, n, n_out - n);
  map = isl_map_reset_tuple_id(isl_map_reset_tuple_id(map, isl_dim_in), isl_dim_out);
  isl_set *delta = isl_map_deltas(map);
  fputs(" (", out);
  for (int i = 0; i < n; i++) {
    fputs(i ? ", " : "", out);
    print_distance(delta, i, out);
  }
  fputs(")", out);
  isl_set_free(delta);
}

static isl_stat print_edge(isl_map *map, void *user)
{
  struct style *style = user;
  fprintf(style->out, "  %s -> %s [color=%s, label=\"%s", isl_map_get_tuple_name(map, isl_dim_in),
          isl_map_get_tuple_name(map, isl_dim_out), style->colour, style->kind);
  print_distances(map, style->out);
  fputs("\"]\n", style->out);
  isl_map_free(map);
  return isl_stat_ok;
}

void tsr_print_dot(struct tsr_scop *scop, struct tsr_deps *deps, FILE *out)
{
  const struct {
    isl_union_map *map;
    const char *kind, *colour;
  } kinds[] = {{deps->flow, "flow", "black"},
               {deps->anti, "anti", "blue"},
               {deps->output, "output", "red"},
               {deps->scalar, "scalar", "gray"},
               {deps->reduction, "reduction", "green"}};
  fputs("digraph \"", out);
  print_escaped(scop->name, out);
  fputs("\" {\n  node [shape=box, fontname=monospace]\n", out);
  for (int i = 0; i < scop->n_stmt; i++) {
    fprintf(out, "  %s [label=\"%s", scop->stmts[i].name, scop->stmts[i].name);
    if (scop->stmts[i].line)
      fprintf(out, ", line %d", scop->stmts[i].line);
    fputs("\\n", out);
    print_escaped(scop->stmts[i].text ? scop->stmts[i].text : "", out);
    fputs("\"]\n", out);
  }
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
    struct style style = {out, kinds[i].kind, kinds[i].colour};
    isl_union_map_foreach_map(kinds[i].map, print_edge, &style);
  }
  fputs("}\n", out);
}
