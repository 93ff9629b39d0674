/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The text form of influence constraint trees: YAML for the tree, a small grammar for the constraints.
 *
 *     constraint  = form ("==" | "<=" | ">=") form
 *     form        = ["-"] term {("+" | "-") term}
 *     term        = NUMBER [["*"] coefficient] | coefficient
 *     coefficient = STATEMENT ["[" DIMENSION "]"] "." (ITERATOR | PARAMETER | "1") */
#include "support/message.h"
#include "model/text.h"
#include "sched/influence/influence.h"
#include <ctype.h>
#include <limits.h>
#include <string.h>

/* No tree of a person's is deeper or larger; YAML's aliases make small files into large trees. */
#define MAX_DEPTH 64
#define MAX_BRANCHES 10000

/* A constraint being read. */
struct parser {
  struct tsr_reader *r;
  struct tsr_scop *scop; /* NULL: names of statements and coefficients are any */
  yaml_node_t *node;
  const char *text, *at;
  int depth; /* of the tree node: the dimension that is meant where none is given */
};

static bool refuse(struct parser *p, const char *what)
{
  yaml_mark_t mark = p->node->start_mark;
  size_t quote = p->node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE ? 0 : 1;
  mark.column += quote + (size_t)(p->at - p->text);
  return tsr_refuse_at(p->r, mark, "in '%s': %s", p->text, what);
}

static void skip_space(struct parser *p)
{
  while (isspace((unsigned char)*p->at))
    p->at++;
}

static bool accept(struct parser *p, const char *token)
{
  skip_space(p);
  size_t length = strlen(token);
  if (strncmp(p->at, token, length))
    return false;
  p->at += length;
  return true;
}

/* A number of at most nine digits. */
static bool read_number(struct parser *p, long *number)
{
  const char *start = p->at;
  for (*number = 0; isdigit((unsigned char)*p->at); p->at++) {
    if (p->at - start >= 9 && (p->at = start))
      return refuse(p, "a number of more than nine digits; expected a smaller one");
    *number = 10 * *number + (*p->at - '0');
  }
  return true;
}

/* The name at the reader's place, malloc'd; NULL after a refusal. */
static char *read_name(struct parser *p, const char *what)
{
  skip_space(p);
  const char *start = p->at;
  while (isalnum((unsigned char)*p->at) || *p->at == '_')
    p->at++;
  if (p->at > start && !isdigit((unsigned char)*start))
    return strndup(start, p->at - start);
  p->at = start;
  refuse(p, what);
  return NULL;
}

/* All names of one kind in TEXT, for a message. */
static void list_statements(struct tsr_scop *scop, char *text, size_t size)
{
  *text = 0;
  for (int i = 0; i < scop->n_stmt; i++)
    snprintf(text + strlen(text), size - strlen(text), "%s%s", i ? ", " : "", scop->stmts[i].name);
}

static void list_coefficients(struct tsr_stmt *stmt, isl_set *context, char *text, size_t size)
{
  *text = 0;
  isl_size n = isl_set_dim(stmt->domain, isl_dim_set), n_param = isl_set_dim(context, isl_dim_param);
  for (int i = 0; i < n; i++) {
    const char *name = isl_set_get_dim_name(stmt->domain, isl_dim_set, i);
    snprintf(text + strlen(text), size - strlen(text), "%s, ", name ? name : "?");
  }
  for (int i = 0; i < n_param; i++)
    snprintf(text + strlen(text), size - strlen(text), "%s, ", isl_set_get_dim_name(context, isl_dim_param, i));
  snprintf(text + strlen(text), size - strlen(text), "1");
}

/* NAME of STMT into TERM. */
static bool find_coefficient(struct parser *p, struct tsr_stmt *stmt, char *name, struct tsr_term *term)
{
  char text[600], all[400];
  isl_size n = isl_set_dim(stmt->domain, isl_dim_set), n_param = isl_set_dim(p->scop->context, isl_dim_param);
  for (int i = 0; i < n; i++) {
    const char *iterator = isl_set_get_dim_name(stmt->domain, isl_dim_set, i);
    if (iterator && !strcmp(iterator, name)) {
      term->kind = TSR_COEFFICIENT_ITERATOR;
      term->index = i;
      return true;
    }
  }
  for (int i = 0; i < n_param; i++)
    if (!strcmp(isl_set_get_dim_name(p->scop->context, isl_dim_param, i), name)) {
      term->kind = TSR_COEFFICIENT_PARAMETER;
      return true;
    }
  p->at -= strlen(name);
  list_coefficients(stmt, p->scop->context, all, sizeof(all));
  snprintf(text, sizeof(text), "statement '%s' has no coefficient '%.60s'; expected one of %s", stmt->name, name, all);
  return refuse(p, text);
}

static bool read_dimension(struct parser *p, int *dimension)
{
  char text[120];
  long number;
  *dimension = p->depth;
  if (!accept(p, "["))
    return true;
  skip_space(p);
  const char *start = p->at;
  if (!read_number(p, &number))
    return false;
  if (p->at > start && number <= p->depth && accept(p, "]")) {
    *dimension = (int)number;
    return true;
  }
  p->at = start;
  if (p->depth < 0)
    return refuse(p, "a dimension; expected none, since a rule is about its own row");
  snprintf(text, sizeof(text), "a bad dimension; expected a number from 0 to %d, the depth of this branch, and ']'",
           p->depth);
  return refuse(p, text);
}

/* STATEMENT[DIMENSION].NAME times FACTOR onto FORM. */
static bool read_coefficient(struct parser *p, struct tsr_form *form, long factor)
{
  char text[600], all[400];
  struct tsr_term term = {.factor = factor};
  char *stmt = read_name(p, "expected a coefficient such as S0[0].i");
  if (!stmt)
    return false;
  term.stmt = p->scop ? tsr_scop_find_stmt(p->scop, stmt) : 0;
  if (term.stmt < 0) {
    p->at -= strlen(stmt);
    list_statements(p->scop, all, sizeof(all));
    snprintf(text, sizeof(text), "there is no statement '%.60s'; expected one of %s", stmt, all);
  }
  free(stmt);
  if (term.stmt < 0)
    return refuse(p, text);
  if (!read_dimension(p, &term.dimension))
    return false;
  if (!accept(p, "."))
    return refuse(p, "expected '.' and the name of an iterator, a parameter or 1");
  if (accept(p, "1") && !isalnum((unsigned char)*p->at)) {
    term.kind = TSR_COEFFICIENT_CONSTANT;
    return tsr_form_add(form, factor, term.stmt, term.dimension, term.kind, 0, NULL) == isl_stat_ok;
  }
  char *name = read_name(p, "expected the name of an iterator, a parameter or 1");
  bool good = name && (!p->scop || find_coefficient(p, &p->scop->stmts[term.stmt], name, &term));
  if (good)
    good = tsr_form_add(form, factor, term.stmt, term.dimension, term.kind, term.index,
                        term.kind == TSR_COEFFICIENT_PARAMETER ? name : NULL) == isl_stat_ok;
  free(name);
  return good;
}

static bool read_term(struct parser *p, struct tsr_form *form, long sign)
{
  long number = 1;
  skip_space(p);
  if (!isdigit((unsigned char)*p->at))
    return read_coefficient(p, form, sign);
  if (!read_number(p, &number))
    return false;
  bool times = accept(p, "*");
  skip_space(p);
  if (times || isalpha((unsigned char)*p->at) || *p->at == '_')
    return read_coefficient(p, form, sign * number);
  form->constant += sign * number;
  return true;
}

/* SIGN times a form, added to FORM. */
static bool read_form(struct parser *p, struct tsr_form *form, long sign)
{
  long term_sign = accept(p, "-") ? -sign : sign;
  for (;;) {
    if (!read_term(p, form, term_sign))
      return false;
    if (accept(p, "+"))
      term_sign = sign;
    else if (accept(p, "-"))
      term_sign = -sign;
    else
      return true;
  }
}

static bool read_constraint(struct parser *p, struct tsr_influence *node)
{
  struct tsr_form *form = tsr_influence_constrain(node, false);
  if (!form)
    return refuse(p, "no memory");
  if (!read_form(p, form, 1))
    return false;
  bool equal = accept(p, "=="), less = !equal && accept(p, "<=");
  if (!equal && !less && !accept(p, ">="))
    return refuse(p, "expected ==, <= or >=");
  form->equality = equal;
  if (!read_form(p, form, -1))
    return false;
  for (int i = 0; i < form->n_term && less; i++)
    form->term[i].factor = -form->term[i].factor;
  form->constant = less ? -form->constant : form->constant;
  skip_space(p);
  return !*p->at || refuse(p, "expected the end of the constraint");
}

static bool read_objective(struct parser *p, struct tsr_influence *node)
{
  struct tsr_form *form = tsr_influence_minimise(node);
  if (!form)
    return refuse(p, "no memory");
  if (!read_form(p, form, 1))
    return false;
  skip_space(p);
  return !*p->at || refuse(p, "expected the end of the objective");
}

/* Each text of the list VALUE, the value of KEY, through FN. */
static bool read_texts(struct tsr_reader *r, yaml_node_t *value, const char *key, struct tsr_influence *node,
                       bool (*fn)(struct parser *p, struct tsr_influence *node))
{
  if (!value)
    return true;
  if (value->type != YAML_SEQUENCE_NODE)
    return tsr_refuse(r, value, "'%s' is no list; expected '- ' before each of them", key);
  for (yaml_node_item_t *item = value->data.sequence.items.start; item < value->data.sequence.items.top; item++) {
    yaml_node_t *text = yaml_document_get_node(&r->document, *item);
    struct parser p = {.r = r, .scop = r->scop, .node = text, .depth = node->depth};
    p.text = p.at = tsr_text_read_text(r, text, key);
    if (!p.text || !fn(&p, node))
      return false;
  }
  return true;
}

bool tsr_influence_read_constraints(struct tsr_reader *r, yaml_node_t *value, struct tsr_influence *node)
{
  return read_texts(r, value, "constraints", node, &read_constraint);
}

bool tsr_influence_read_objective(struct tsr_reader *r, yaml_node_t *text, struct tsr_influence *node)
{
  struct parser p = {.r = r, .scop = r->scop, .node = text, .depth = node->depth};
  p.text = p.at = tsr_text_read_text(r, text, "minimise");
  return p.text && read_objective(&p, node);
}

static bool read_branches(struct tsr_reader *r, yaml_node_t *value, struct tsr_influence *parent);

static bool read_branch(struct tsr_reader *r, yaml_node_t *value, struct tsr_influence *parent)
{
  enum { NAME, CONSTRAINTS, MINIMISE, COINCIDENT, PERMUTABLE, BRANCHES, N };
  static const struct tsr_key keys[] = {[NAME] = {"name", false},
                                        [CONSTRAINTS] = {"constraints", false},
                                        [MINIMISE] = {"minimise", false},
                                        [COINCIDENT] = {"coincident", false},
                                        [PERMUTABLE] = {"permutable", false},
                                        [BRANCHES] = {"branches", false}};
  yaml_node_t *part[N];
  if (r->n_branch++ >= MAX_BRANCHES)
    return tsr_refuse(r, value, "the tree has too many branches; expected at most %d, those of aliases counted each time",
                      MAX_BRANCHES);
  if (!tsr_text_read_keys(r, value, "a branch", keys, N, part))
    return false;
  const char *name = part[NAME] ? tsr_text_read_text(r, part[NAME], "name") : NULL;
  if (!name != !part[NAME])
    return false;
  struct tsr_influence *node = tsr_influence_add(parent, name);
  if (!node)
    return tsr_refuse(r, value, "no memory");
  return read_texts(r, part[CONSTRAINTS], "constraints", node, &read_constraint) &&
         read_texts(r, part[MINIMISE], "minimise", node, &read_objective) &&
         tsr_text_read_bool(r, part[COINCIDENT], "coincident", &node->coincident) &&
         tsr_text_read_bool(r, part[PERMUTABLE], "permutable", &node->permutable) && read_branches(r, part[BRANCHES], node);
}

static bool read_branches(struct tsr_reader *r, yaml_node_t *value, struct tsr_influence *parent)
{
  if (!value)
    return true;
  if (value->type != YAML_SEQUENCE_NODE || parent->depth >= MAX_DEPTH)
    return tsr_refuse(r, value, "'branches' is no list or too deep; expected a list of branches, at most %d deep",
                      MAX_DEPTH);
  for (yaml_node_item_t *item = value->data.sequence.items.start; item < value->data.sequence.items.top; item++)
    if (!read_branch(r, yaml_document_get_node(&r->document, *item), parent))
      return false;
  return true;
}

/* The root; NULL after a refusal, or if the file is for another SCoP. */
static struct tsr_influence *read_root(struct tsr_reader *r, yaml_node_t *root, bool *applies)
{
  enum { SCOP, BRANCHES, N };
  static const struct tsr_key keys[] = {[SCOP] = {"scop", false}, [BRANCHES] = {"branches", true}};
  yaml_node_t *part[N];
  if (!tsr_text_read_keys(r, root, "an influence tree", keys, N, part))
    return NULL;
  const char *name = part[SCOP] ? tsr_text_read_text(r, part[SCOP], "scop") : NULL;
  if (!name != !part[SCOP])
    return NULL;
  *applies = !name || !r->scop || !strcmp(name, r->scop->name);
  struct tsr_influence *tree = *applies ? tsr_influence_add(NULL, NULL) : NULL;
  return tree && !read_branches(r, part[BRANCHES], tree) ? tsr_influence_free(tree) : tree;
}

/* The tree in IN, for SCOP, which may be NULL. */
static struct tsr_influence *read_file(isl_ctx *ctx, struct tsr_scop *scop, FILE *in, const char *filename, bool *applies,
                                       char **error)
{
  struct tsr_reader r;
  struct tsr_influence *tree = NULL;
  yaml_node_t *root = tsr_reader_open(&r, ctx, in, filename, error);
  r.scop = scop;
  if (root)
    tree = read_root(&r, root, applies);
  r.scop = NULL;
  tsr_reader_close(&r);
  return tree;
}

struct tsr_influence *tsr_influence_read(struct tsr_scop *scop, FILE *in, const char *filename, bool *applies, char **error)
{
  bool ignored;
  return read_file(scop->ctx, scop, in, filename, applies ? applies : &ignored, error);
}

bool tsr_influence_check(isl_ctx *ctx, FILE *in, const char *filename, char **error)
{
  bool applies;
  struct tsr_influence *tree = read_file(ctx, NULL, in, filename, &applies, error);
  bool good = tree != NULL;
  tsr_influence_free(tree);
  return good;
}
