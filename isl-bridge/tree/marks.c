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

static const char private_lead[] = TSR_MARK_PARALLEL " private ";
static const char allocate_lead[] = TSR_MARK_ALLOCATE " ";

bool tsr_mark_is_parallel(const char *name)
{
  return !strcmp(name, TSR_MARK_PARALLEL) || !strncmp(name, private_lead, sizeof(private_lead) - 1);
}

/* The number of the array of SCOP that the LENGTH characters at NAME name; -1: none. */
static int find_array(struct tsr_scop *scop, const char *name, size_t length)
{
  for (int i = 0; i < scop->n_array; i++)
    if (strlen(scop->arrays[i].name) == length && !strncmp(scop->arrays[i].name, name, length))
      return i;
  return -1;
}

/* Flag the arrays of the list "A, B" at NAME, all MEMORY ones, BUFFERS or arrays of the program; false: it isn't one. */
static bool read_list(const char *name, struct tsr_scop *scop, bool buffers, bool *array)
{
  for (const char *at = name;; at += 2) {
    size_t length = strcspn(at, ",");
    int found = find_array(scop, at, length);
    if (found < 0 || scop->arrays[found].kind != TSR_ARRAY_MEMORY ||
        (scop->arrays[found].space != TSR_SPACE_PROGRAM) != buffers)
      return false;
    array[found] = true;
    at += length;
    if (!*at)
      return true;
    if (at[1] != ' ')
      return false;
  }
}

/* LEAD and the names of the flagged ARRAYs, malloc'd. */
static char *write_list(struct tsr_scop *scop, const char *lead, const bool *array)
{
  size_t size = strlen(lead) + 1;
  for (int i = 0; i < scop->n_array; i++)
    size += array[i] ? strlen(scop->arrays[i].name) + 2 : 0;
  char *name = malloc(size);
  if (!name)
    return NULL;
  strcpy(name, lead);
  bool first = true;
  for (int i = 0; i < scop->n_array; i++)
    if (array[i]) {
      strcat(strcat(name, first ? "" : ", "), scop->arrays[i].name);
      first = false;
    }
  return name;
}

bool tsr_private_read(const char *name, struct tsr_scop *scop, bool *memory)
{
  memset(memory, 0, scop->n_array * sizeof(*memory));
  if (!strcmp(name, TSR_MARK_PARALLEL))
    return true;
  if (strncmp(name, private_lead, sizeof(private_lead) - 1) != 0)
    return false;
  return read_list(name + sizeof(private_lead) - 1, scop, false, memory);
}

char *tsr_private_name(struct tsr_scop *scop, const bool *memory)
{
  bool any = false;
  for (int i = 0; i < scop->n_array; i++)
    any |= memory[i];
  return any ? write_list(scop, private_lead, memory) : strdup(TSR_MARK_PARALLEL);
}

bool tsr_allocate_read(const char *name, struct tsr_scop *scop, bool *array)
{
  memset(array, 0, scop->n_array * sizeof(*array));
  return !strncmp(name, allocate_lead, sizeof(allocate_lead) - 1) &&
         read_list(name + sizeof(allocate_lead) - 1, scop, true, array);
}

char *tsr_allocate_name(struct tsr_scop *scop, const bool *array)
{
  return write_list(scop, allocate_lead, array);
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
