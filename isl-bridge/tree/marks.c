/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The marks of a schedule tree: their ids and their text. */
#include "tree/tree.h"
#include <isl/id.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

isl_id *tsr_mark_id(isl_ctx *ctx, const char *name, int number)
{
  return isl_id_alloc(ctx, name, (void *)((uintptr_t)number * TSR_MARK_DEPTHS));
}

int tsr_mark_number(isl_id *id)
{
  return (int)((uintptr_t)isl_id_get_user(id) / TSR_MARK_DEPTHS);
}

static const char lead[] = TSR_MARK_PARALLEL " private ";

bool tsr_mark_is_parallel(const char *name)
{
  return !strcmp(name, TSR_MARK_PARALLEL) || !strncmp(name, lead, sizeof(lead) - 1);
}

bool tsr_private_read(const char *name, struct tsr_scop *scop, bool *memory)
{
  memset(memory, 0, scop->n_array * sizeof(*memory));
  if (!strcmp(name, TSR_MARK_PARALLEL))
    return true;
  if (strncmp(name, lead, sizeof(lead) - 1) != 0)
    return false;
  for (const char *at = name + sizeof(lead) - 1;; at += 2) {
    size_t length = strcspn(at, ",");
    int found = -1;
    for (int i = 0; i < scop->n_array; i++)
      if (strlen(scop->arrays[i].name) == length && !strncmp(scop->arrays[i].name, at, length))
        found = i;
    if (found < 0 || scop->arrays[found].kind != TSR_ARRAY_MEMORY)
      return false;
    memory[found] = true;
    at += length;
    if (!*at)
      return true;
    if (at[1] != ' ')
      return false;
  }
}

char *tsr_private_name(struct tsr_scop *scop, const bool *memory)
{
  size_t size = sizeof(lead);
  for (int i = 0; i < scop->n_array; i++)
    size += memory[i] ? strlen(scop->arrays[i].name) + 2 : 0;
  char *name = malloc(size);
  if (!name)
    return NULL;
  strcpy(name, TSR_MARK_PARALLEL);
  const char *between = " private ";
  for (int i = 0; i < scop->n_array; i++)
    if (memory[i]) {
      strcat(strcat(name, between), scop->arrays[i].name);
      between = ", ";
    }
  return name;
}

bool tsr_mark_is_for_threads(const char *name)
{
  return tsr_mark_is_parallel(name) || !strcmp(name, TSR_MARK_DOACROSS);
}

bool tsr_node_is_for_threads(isl_schedule_node *node)
{
  if (isl_schedule_node_get_type(node) != isl_schedule_node_mark)
    return false;
  isl_id *id = isl_schedule_node_mark_get_id(node);
  bool is = id && tsr_mark_is_for_threads(isl_id_get_name(id));
  isl_id_free(id);
  return is;
}

bool tsr_node_is_mark(isl_schedule_node *node, const char *name)
{
  if (isl_schedule_node_get_type(node) != isl_schedule_node_mark)
    return false;
  isl_id *id = isl_schedule_node_mark_get_id(node);
  bool is = id && !strcmp(isl_id_get_name(id), name);
  isl_id_free(id);
  return is;
}
