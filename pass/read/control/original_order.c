/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The order of the program as a schedule tree of the shape of the node tree:
 *
 *   for i { S0; for j S1 }     ->     { S0[i] -> [i]; S1[i, j] -> [i] } - sequence { S0 }, { S1[i, j] -> [j] } */
#include "read/control/control.h"

/* A, then B; either may be NULL. */
static isl_schedule *join(isl_schedule *a, isl_schedule *b)
{
  if (!a)
    return b;
  return b ? isl_schedule_sequence(a, b) : a;
}

/* { S[.., i_d, ..] -> [i_d] } for all statements of DOMAIN; D is the loop's position. */
static isl_multi_union_pw_aff *loop_schedule(struct tsr_model *m, isl_union_set *domain, int d)
{
  isl_union_pw_aff *all = isl_union_pw_aff_empty(isl_union_set_get_space(domain));
  for (int i = 0; i < m->n_stmt; i++) {
    isl_set *set = isl_union_set_extract_set(domain, isl_set_get_space(m->scop->stmts[i].domain));
    if (isl_set_plain_is_empty(set) == isl_bool_false) {
      isl_local_space *space = isl_local_space_from_space(isl_set_get_space(set));
      isl_pw_aff *pa = isl_pw_aff_from_aff(isl_aff_var_on_domain(space, isl_dim_set, d));
      all = isl_union_pw_aff_add_pw_aff(all, pa);
    }
    isl_set_free(set);
  }
  isl_union_set_free(domain);
  return isl_multi_union_pw_aff_from_union_pw_aff(all);
}

static isl_schedule *seq_schedule(struct tsr_model *m, const struct tsr_seq *seq, int depth);

/* The order in NODE, below DEPTH loops; NULL: it has no statement. */
static isl_schedule *node_schedule(struct tsr_model *m, const struct tsr_node *node, int depth)
{
  if (node->kind == TSR_NODE_CHECK)
    return NULL;
  if (node->kind == TSR_NODE_IF || node->kind == TSR_NODE_DAG)
    return join(seq_schedule(m, &node->body[0], depth), seq_schedule(m, &node->body[1], depth));
  if (node->kind == TSR_NODE_LOOP) {
    isl_schedule *body = seq_schedule(m, &node->body[0], depth + 1);
    if (!body)
      return NULL;
    return isl_schedule_insert_partial_schedule(body, loop_schedule(m, isl_schedule_get_domain(body), depth));
  }
  isl_schedule *all = NULL;
  for (int i = 0; i < m->n_stmt; i++)
    if (m->stmts[i].block == node->block && isl_set_is_empty(m->scop->stmts[i].domain) == isl_bool_false) {
      isl_union_set *domain = isl_union_set_from_set(isl_set_copy(m->scop->stmts[i].domain));
      all = join(all, isl_schedule_from_domain(domain));
    }
  return all;
}

/* The order in SEQ, below DEPTH loops; NULL: it has no statement. */
static isl_schedule *seq_schedule(struct tsr_model *m, const struct tsr_seq *seq, int depth)
{
  isl_schedule *all = NULL;
  for (int i = 0; i < seq->n; i++)
    all = join(all, node_schedule(m, seq->nodes[i], depth));
  return all;
}

isl_schedule *tsr_model_original_order(struct tsr_model *m)
{
  isl_schedule *all = NULL;
  for (int i = 0; i < m->n_node; i++)
    all = join(all, node_schedule(m, m->nodes[i], 0));
  if (!all)
    all = isl_schedule_from_domain(isl_union_set_empty_ctx(m->ctx));
  return all;
}
