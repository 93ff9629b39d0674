/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Strategies: reading them, and finding the rule for a row. */
#include "support/message.h"
#include "model/text.h"
#include "sched/influence/influence.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(*(array))))

static const struct builtin {
  const char *name, *text;
} builtins[] = {
#define STRATEGY(NAME, TEXT) {NAME, TEXT},
#include "sched/strategies.def"
#undef STRATEGY
};

struct tsr_policy *tsr_policy_free(struct tsr_policy *policy)
{
  for (int i = 0; policy && i < policy->n_rule; i++) {
    tsr_influence_free(policy->rule[i].wish);
    free(policy->rule[i].group);
  }
  if (policy)
    free(policy->rule);
  free(policy);
  return NULL;
}

const struct tsr_rule *tsr_policy_rule(const struct tsr_policy *policy, int row, int missing, int *at)
{
  for (; *at < policy->n_rule; ++*at) {
    int which = policy->rule[*at].row;
    if (which == TSR_ANY_ROW || which == row || which == -missing)
      return &policy->rule[*at];
  }
  return NULL;
}

/* A rule that asks for nothing, to be filled in. */
static struct tsr_rule *add_rule(struct tsr_policy *policy)
{
  struct tsr_rule *grown = realloc(policy->rule, sizeof(*grown) * (policy->n_rule + 1));
  if (!grown)
    return NULL;
  policy->rule = grown;
  grown[policy->n_rule] =
      (struct tsr_rule){.row = TSR_ANY_ROW, .coincidence = TSR_COINCIDENCE_PREFER, .fusion = TSR_FUSION_SMART};
  return &grown[policy->n_rule++];
}

static void add_objective(struct tsr_rule *rule, enum tsr_objective_kind kind, int form)
{
  rule->form[rule->n_objective] = form;
  rule->objective[rule->n_objective++] = kind;
}

/* Does RULE find a row wherever there is one? */
static bool is_general(const struct tsr_rule *rule)
{
  return rule->row == TSR_ANY_ROW && rule->coincidence != TSR_COINCIDENCE_REQUIRE && !rule->reuse && !rule->non_negative &&
         rule->wish->n_constraint == 0;
}

/* The rule behind all others, unless the last one finds all that it would. It doesn't change what is fused. */
static bool add_last_rule(struct tsr_policy *policy)
{
  if (policy->n_rule > 0 && is_general(&policy->rule[policy->n_rule - 1]))
    return true;
  struct tsr_rule *rule = add_rule(policy);
  if (!rule)
    return false;
  add_objective(rule, TSR_MINIMISE_PROXIMITY, 0);
  add_objective(rule, TSR_MINIMISE_SHIFT, 0);
  add_objective(rule, TSR_MINIMISE_SIZE, 0);
  return true;
}

/* ---- reading ---- */

static int items(yaml_node_t *list)
{
  return (int)(list->data.sequence.items.top - list->data.sequence.items.start);
}

static yaml_node_t *item(struct tsr_reader *r, yaml_node_t *list, int i)
{
  return yaml_document_get_node(&r->document, list->data.sequence.items.start[i]);
}

static bool need_list(struct tsr_reader *r, yaml_node_t *node, const char *key)
{
  return node->type == YAML_SEQUENCE_NODE || tsr_refuse(r, node, "'%s' is no list; expected [...]", key);
}

static const char *const objective_words[TSR_MINIMISE_FORM] = {"proximity", "alignment", "locality", "reuse",
                                                               "carry",     "shift",     "size"};

static bool has_objective(const struct tsr_rule *rule, enum tsr_objective_kind kind)
{
  for (int i = 0; i < rule->n_objective; i++)
    if (rule->objective[i] == kind)
      return true;
  return false;
}

/* One objective: a word of the table, or a form of coefficients. */
static bool read_objective(struct tsr_reader *r, yaml_node_t *node, struct tsr_rule *rule)
{
  const char *text = tsr_text_read_text(r, node, "minimise");
  int kind = 0;
  if (!text)
    return false;
  while (kind < TSR_MINIMISE_FORM && strcmp(text, objective_words[kind]))
    kind++;
  if (kind == TSR_MINIMISE_FORM && !strchr(text, '.'))
    return tsr_refuse(r, node,
                      "there is no objective '%s'; expected proximity, alignment, locality, reuse, carry, shift, "
                      "size or a form such as 2 S0.i + S1.j",
                      text);
  if (rule->n_objective == TSR_MAX_OBJECTIVES)
    return tsr_refuse(r, node, "more than %d objectives in a row; expected fewer", TSR_MAX_OBJECTIVES);
  if (kind == TSR_MINIMISE_CARRY && rule->n_objective)
    return tsr_refuse(r, node, "'carry' isn't the first objective; expected it before all others");
  if (kind < TSR_MINIMISE_FORM && has_objective(rule, kind))
    return tsr_refuse(r, node, "'%s' stands there already; expected each objective once", text);
  if ((kind == TSR_MINIMISE_PROXIMITY && has_objective(rule, TSR_MINIMISE_ALIGNMENT)) ||
      (kind == TSR_MINIMISE_ALIGNMENT && has_objective(rule, TSR_MINIMISE_PROXIMITY)))
    return tsr_refuse(r, node, "'proximity' and 'alignment' in one row; expected one of them");
  if (kind == TSR_MINIMISE_FORM && !tsr_influence_read_objective(r, node, rule->wish))
    return false;
  add_objective(rule, kind, rule->wish->n_objective - 1);
  return true;
}

static bool read_objectives(struct tsr_reader *r, yaml_node_t *node, struct tsr_rule *rule)
{
  if (!need_list(r, node, "minimise"))
    return false;
  for (int i = 0; i < items(node); i++)
    if (!read_objective(r, item(r, node, i), rule))
      return false;
  return true;
}

/* [[S0, S1], [S2]] */
static bool read_groups(struct tsr_reader *r, yaml_node_t *node, struct tsr_rule *rule)
{
  if (!need_list(r, node, "groups"))
    return false;
  int n_stmt = r->scop ? r->scop->n_stmt : 0;
  rule->group = calloc(n_stmt + 1, sizeof(int));
  if (!rule->group)
    return tsr_refuse(r, node, "no memory");
  for (int i = 0; i < n_stmt; i++)
    rule->group[i] = -1;
  for (int g = 0; g < items(node); g++) {
    yaml_node_t *group = item(r, node, g);
    if (!need_list(r, group, "groups"))
      return false;
    for (int i = 0; i < items(group); i++) {
      const char *name = tsr_text_read_text(r, item(r, group, i), "groups");
      if (name && !r->scop)
        continue;
      int stmt = name ? tsr_scop_find_stmt(r->scop, name) : -1;
      if (name && stmt < 0)
        return tsr_refuse(r, item(r, group, i), "there is no statement '%s'; expected the names that 'dump' writes", name);
      if (stmt >= 0 && rule->group[stmt] >= 0)
        return tsr_refuse(r, item(r, group, i), "'%s' is in two groups; expected it in one", name);
      if (stmt < 0)
        return false;
      rule->group[stmt] = g;
    }
  }
  return true;
}

/* A row's number: from 0, the outermost, or from -1, the last. */
static bool read_row(struct tsr_reader *r, yaml_node_t *node, int *row)
{
  const char *text = tsr_text_read_text(r, node, "row");
  char *end = NULL;
  long number = text ? strtol(text, &end, 10) : 0;
  if (!text)
    return false;
  if (end == text || *end || number < -TSR_MAX_DIM || number > TSR_MAX_DIM)
    return tsr_refuse(r, node, "'row' is '%s'; expected a number, 0 for the outermost row, -1 for the last", text);
  *row = (int)number;
  return true;
}

static bool read_rule(struct tsr_reader *r, yaml_node_t *node, struct tsr_policy *policy)
{
  enum { ROW, MINIMISE, COINCIDENCE, REUSE, NEGATIVE, CONSTRAINTS, FUSION, GROUPS, N };
  static const struct tsr_key keys[] = {
      [ROW] = {"row", false},       [MINIMISE] = {"minimise", false}, [COINCIDENCE] = {"coincidence", false},
      [REUSE] = {"reuse", false},   [NEGATIVE] = {"negative", false}, [CONSTRAINTS] = {"constraints", false},
      [FUSION] = {"fusion", false}, [GROUPS] = {"groups", false}};
  static const char *const coincidence_words[] = {"require", "prefer", "one", "ignore"};
  static const char *const fusion_words[] = {"min", "smart", "max"};
  static const char *const reuse_words[] = {"any", "require"};
  yaml_node_t *part[N];
  struct tsr_rule *rule = add_rule(policy);
  if (!tsr_text_read_keys(r, node, "a rule", keys, N, part))
    return false;
  if (!rule || !(rule->wish = tsr_influence_add(NULL, NULL)))
    return tsr_refuse(r, node, "no memory");
  rule->line = (int)node->start_mark.line + 1;
  bool negative = true;
  int coincidence = rule->coincidence, fusion = rule->fusion, reuse = 0;
  if ((part[ROW] && !read_row(r, part[ROW], &rule->row)) || (part[MINIMISE] && !read_objectives(r, part[MINIMISE], rule)) ||
      !tsr_text_read_word(r, part[COINCIDENCE], "coincidence", coincidence_words, COUNT(coincidence_words), &coincidence) ||
      !tsr_text_read_word(r, part[REUSE], "reuse", reuse_words, COUNT(reuse_words), &reuse) ||
      !tsr_text_read_bool(r, part[NEGATIVE], "negative", &negative) ||
      !tsr_influence_read_constraints(r, part[CONSTRAINTS], rule->wish) ||
      !tsr_text_read_word(r, part[FUSION], "fusion", fusion_words, COUNT(fusion_words), &fusion) ||
      (part[GROUPS] && !read_groups(r, part[GROUPS], rule)))
    return false;
  rule->coincidence = coincidence;
  rule->fusion = fusion;
  rule->reuse = reuse;
  rule->non_negative = !negative;
  policy->locality = policy->locality || rule->reuse || has_objective(rule, TSR_MINIMISE_LOCALITY) ||
                     has_objective(rule, TSR_MINIMISE_REUSE);
  return true;
}

static bool read_rules(struct tsr_reader *r, yaml_node_t *node, struct tsr_policy *policy)
{
  if (!need_list(r, node, "rows"))
    return false;
  for (int i = 0; i < items(node); i++)
    if (!read_rule(r, item(r, node, i), policy))
      return false;
  return add_last_rule(policy) || tsr_refuse(r, node, "no memory");
}

/* NULL after a refusal, or if the file is for another SCoP. */
static struct tsr_policy *read_policy(struct tsr_reader *r, yaml_node_t *root, bool *applies)
{
  enum { NAME, SCOP, REGISTERS, READ_REUSE, ROWS, N };
  static const struct tsr_key keys[] = {[NAME] = {"strategy", false},
                                        [SCOP] = {"scop", false},
                                        [REGISTERS] = {"register-limit", false},
                                        [READ_REUSE] = {"read-reuse", false},
                                        [ROWS] = {"rows", true}};
  yaml_node_t *part[N];
  if (!tsr_text_read_keys(r, root, "a strategy", keys, N, part) ||
      (part[NAME] && !tsr_text_read_text(r, part[NAME], "strategy")))
    return NULL;
  const char *name = part[SCOP] ? tsr_text_read_text(r, part[SCOP], "scop") : NULL;
  if (!name != !part[SCOP])
    return NULL;
  *applies = !name || !r->scop || !strcmp(name, r->scop->name);
  struct tsr_policy *policy = *applies ? calloc(1, sizeof(*policy)) : NULL;
  if (policy &&
      (!tsr_text_read_number(r, part[REGISTERS], "register-limit", 0, &policy->register_limit) ||
       !tsr_text_read_bool(r, part[READ_REUSE], "read-reuse", &policy->read_reuse) || !read_rules(r, part[ROWS], policy)))
    return tsr_policy_free(policy);
  return policy;
}

/* The strategy in IN, for SCOP, which may be NULL: then names of statements are any. */
static struct tsr_policy *read_file(isl_ctx *ctx, struct tsr_scop *scop, FILE *in, const char *filename, bool *applies,
                                    char **error)
{
  struct tsr_reader r;
  struct tsr_policy *policy = NULL;
  yaml_node_t *root = tsr_reader_open(&r, ctx, in, filename, error);
  r.scop = scop;
  if (root)
    policy = read_policy(&r, root, applies);
  r.scop = NULL;
  tsr_reader_close(&r);
  return policy;
}

struct tsr_policy *tsr_policy_read(struct tsr_scop *scop, FILE *in, const char *filename, bool *applies, char **error)
{
  bool ignored;
  return read_file(scop->ctx, scop, in, filename, applies ? applies : &ignored, error);
}

bool tsr_policy_check(isl_ctx *ctx, FILE *in, const char *filename, char **error)
{
  bool applies;
  struct tsr_policy *policy = read_file(ctx, NULL, in, filename, &applies, error);
  bool good = policy != NULL;
  tsr_policy_free(policy);
  return good;
}

struct tsr_policy *tsr_policy_builtin(struct tsr_scop *scop, const char *name)
{
  struct tsr_policy *policy = NULL;
  for (int i = 0; i < COUNT(builtins) && !policy; i++) {
    if (strcmp(builtins[i].name, name))
      continue;
    FILE *in = fmemopen((void *)builtins[i].text, strlen(builtins[i].text), "r");
    policy = in ? tsr_policy_read(scop, in, name, NULL, NULL) : NULL;
    if (in)
      fclose(in);
  }
  return policy;
}
