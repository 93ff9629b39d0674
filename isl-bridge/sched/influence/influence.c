/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Influence constraint trees as data. */
#include "sched/influence/influence.h"
#include "support/message.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct tsr_influence *tsr_influence_add(struct tsr_influence *parent, const char *name)
{
  struct tsr_influence *node = calloc(1, sizeof(*node));
  if (!node)
    return NULL;
  node->name = name ? strdup(name) : NULL;
  node->parent = parent;
  node->depth = parent ? parent->depth + 1 : -1;
  if (!parent)
    return node;
  struct tsr_influence **last = &parent->child;
  while (*last)
    last = &(*last)->next;
  return *last = node;
}

static void forms_free(struct tsr_form *form, int n)
{
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < form[i].n_term; k++)
      free(form[i].term[k].parameter);
    free(form[i].term);
  }
  free(form);
}

struct tsr_influence *tsr_influence_free(struct tsr_influence *node)
{
  while (node) {
    struct tsr_influence *next = node->next;
    tsr_influence_free(node->child);
    forms_free(node->constraint, node->n_constraint);
    forms_free(node->objective, node->n_objective);
    free(node->name);
    free(node);
    node = next;
  }
  return NULL;
}

static struct tsr_form *append_form(struct tsr_form **forms, int *n)
{
  struct tsr_form *grown = realloc(*forms, sizeof(**forms) * (*n + 1));
  if (!grown)
    return NULL;
  *forms = grown;
  memset(&grown[*n], 0, sizeof(*grown));
  return &grown[(*n)++];
}

struct tsr_form *tsr_influence_constrain(struct tsr_influence *node, bool equality)
{
  struct tsr_form *form = append_form(&node->constraint, &node->n_constraint);
  if (form)
    form->equality = equality;
  return form;
}

struct tsr_form *tsr_influence_minimise(struct tsr_influence *node)
{
  return append_form(&node->objective, &node->n_objective);
}

isl_stat tsr_form_add(struct tsr_form *form, long factor, int stmt, int dimension, enum tsr_coefficient_kind kind, int index,
                      const char *parameter)
{
  struct tsr_term *grown = form ? realloc(form->term, sizeof(*grown) * (form->n_term + 1)) : NULL;
  if (!grown)
    return isl_stat_error;
  form->term = grown;
  grown[form->n_term++] = (struct tsr_term){.factor = factor,
                                            .stmt = stmt,
                                            .dimension = dimension,
                                            .kind = kind,
                                            .index = index,
                                            .parameter = parameter ? strdup(parameter) : NULL};
  return isl_stat_ok;
}

static isl_stat copy_form(struct tsr_form *to, const struct tsr_form *from)
{
  if (!to)
    return isl_stat_error;
  to->constant = from->constant;
  to->equality = from->equality;
  for (int i = 0; i < from->n_term; i++) {
    const struct tsr_term *term = &from->term[i];
    if (tsr_form_add(to, term->factor, term->stmt, term->dimension, term->kind, term->index, term->parameter) < 0)
      return isl_stat_error;
  }
  return isl_stat_ok;
}

struct tsr_influence *tsr_influence_copy(struct tsr_influence *parent, const struct tsr_influence *node)
{
  struct tsr_influence *copy = tsr_influence_add(parent, node->name);
  if (!copy)
    return NULL;
  copy->coincident = node->coincident;
  copy->permutable = node->permutable;
  for (int i = 0; i < node->n_constraint; i++)
    if (copy_form(tsr_influence_constrain(copy, false), &node->constraint[i]) < 0)
      return NULL;
  for (int i = 0; i < node->n_objective; i++)
    if (copy_form(tsr_influence_minimise(copy), &node->objective[i]) < 0)
      return NULL;
  for (struct tsr_influence *child = node->child; child; child = child->next)
    if (!tsr_influence_copy(copy, child))
      return NULL;
  return copy;
}

void tsr_trace_say(struct tsr_trace *trace, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  char *line = tsr_message_text(format, args);
  va_end(args);
  size_t length = trace->text ? strlen(trace->text) : 0;
  char *text = line ? realloc(trace->text, length + strlen(line) + 2) : NULL;
  if (text) {
    snprintf(text + length, strlen(line) + 2, "%s\n", line);
    trace->text = text;
  }
  free(line);
}
